// What a browser keeps of a paste: its answer, in this tab alone, and the values of a shared link.
// Nothing here is sent to a server.
"use strict";

const KEPT = "answer:";
const FORGOTTEN = "forgotten";

function storedItem(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // storage is switched off
  }
}

function keptKeys() {
  const age = (key) => JSON.parse(storedItem(key)).at;
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(KEPT))
    .sort((one, other) => age(one) - age(other));
}

// Keeps an answer under a new number and gives the number; older answers make room.
function store(title, html) {
  const number = Array.from(crypto.getRandomValues(new Uint8Array(8)), (each) => each.toString(16).padStart(2, "0")).join("");
  const text = JSON.stringify({ at: Date.now(), title, html });
  for (;;) {
    try {
      sessionStorage.setItem(KEPT + number, text);
      return number;
    } catch {
      const oldest = keptKeys()[0];
      if (!oldest) return null;
      sessionStorage.removeItem(oldest);
    }
  }
}

// Puts an answer that was just sent into this tab's storage, under an address of its own: going
// back to that, or loading it again, sends no paste. A paste that is too long for the storage is
// left out.
function keepAnswer() {
  const answer = document.querySelector("[data-keep]");
  if (!answer) return;
  const main = document.querySelector("#main");
  try {
    let number = store(document.title, main.innerHTML);
    if (!number) {
      const less = main.cloneNode(true);
      less.querySelector(".paste-lines")?.replaceChildren("The paste is too long to be kept in this tab. Its answer is.");
      less.querySelector(".pages button")?.parentNode.replaceChildren("Paste the log again for further errors.");
      less.querySelectorAll("textarea").forEach((field) => (field.textContent = ""));
      number = store(document.title, less.innerHTML);
    }
    if (number) history.replaceState(null, "", `/match/kept?n=${number}${location.hash}`);
  } catch {
    // Without a storage the answer is in this page alone.
  }
}

function showKept() {
  const place = document.querySelector("[data-kept]");
  if (!place) return;
  const text = storedItem(KEPT + new URLSearchParams(location.search).get("n"));
  if (!text) return;
  const { title, html } = JSON.parse(text);
  document.title = title;
  document.querySelector("#main").innerHTML = html;
}

function forgetPastes() {
  for (const key of keptKeys()) sessionStorage.removeItem(key);
  sessionStorage.setItem(FORGOTTEN, String(Date.now()));
  location.replace("/match");
}

function offerToForget() {
  for (const place of document.querySelectorAll(".forget")) {
    place.hidden = false;
    place.querySelector("button").addEventListener("click", forgetPastes);
  }
}

// A page that comes back from the browser's memory may show what was forgotten meanwhile.
addEventListener("pageshow", (event) => {
  if (!event.persisted || Number(storedItem(FORGOTTEN)) < performance.timeOrigin) return;
  if (document.querySelector("[data-keep]")) location.replace("/match");
  for (const field of document.querySelectorAll("textarea, input[type=search]")) field.value = "";
});

const MOST = 200; // characters of a value
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

// Why a value is not shown in a place; empty when it is. The rules are those of
// app/errdex/records/quoting.py, which also gives each place the values that it takes.
function refusal(value, place) {
  if (!value) return "it is empty";
  if ([...value].length > MOST) return `it is longer than ${MOST} characters`;
  if (INVISIBLE.test(value)) return "it has a control character";
  if (place.dataset.plain === undefined) return "";
  if (value.startsWith("-")) return "it begins with a dash";
  if (value.split(/[/\\]/).includes("..")) return "its path has a .. part";
  const { plain, quote, quotable } = place.dataset;
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`).test(value);
  return whole(plain) || (quote && whole(quotable)) ? "" : "it has characters that need quoting here";
}

function written(value, { plain, quote }) {
  if (plain === undefined || new RegExp(`^(?:${plain})$`).test(value)) return value;
  return quote + value + quote;
}

// The values of a shared link: for each record of its address, what each hole of it is.
function linkValues() {
  if (!location.hash.startsWith("#v=")) return [];
  try {
    const values = JSON.parse(decodeURIComponent(location.hash.slice(3)));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

function fillShared() {
  const articles = document.querySelectorAll("[data-values]");
  if (!articles.length) return;
  document.querySelector(".without-script").hidden = true;
  const all = linkValues();
  let filled = false;
  for (const article of articles) {
    const values = new Map(Object.entries(all[Number(article.dataset.values)] ?? {}));
    for (const place of article.querySelectorAll("[data-hole]")) {
      const value = values.get(place.dataset.hole);
      if (typeof value !== "string") continue;
      const reason = refusal(value, place);
      if (reason) {
        tellRefusal(place, reason);
        continue;
      }
      const mark = document.createElement("mark");
      mark.className = "taken";
      mark.title = `From the link: ${place.dataset.hole}`;
      mark.textContent = written(value, place.dataset);
      place.replaceWith(mark);
      filled = true;
    }
  }
  if (!filled) return;
  document.querySelector(".values-note").hidden = false;
  document.title = `${articles[0].querySelector("h2").textContent} · Errdex`;
}

// Behind the item or paragraph, so that no command is copied with it.
function tellRefusal(place, reason) {
  const around = place.closest("li, p, figure, h2");
  const told = document.createElement("small");
  told.className = "refused";
  told.textContent = ` (${place.textContent} is not filled in: ${reason})`;
  if ([...around.querySelectorAll(".refused")].some((each) => each.textContent === told.textContent)) return;
  if (around.matches("figure")) around.after(told);
  else around.append(told);
}

keepAnswer();
showKept();
offerToForget();
fillShared();
