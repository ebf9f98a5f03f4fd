// What a page can do more with JavaScript. Without it, all pages work.
"use strict";

const $ = (selector, inside = document) => inside.querySelector(selector);
const $$ = (selector, inside = document) => [...inside.querySelectorAll(selector)];

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The theme: the button takes what is shown to its opposite. Choosing what the
// system has anyway is forgotten again, so that the page goes on following it.
function themeButton() {
  const button = $(".theme");
  if (!button) return;
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const tell = () => {
    const other = shown() === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to the ${other} theme`);
  };
  button.hidden = false;
  tell();
  system.addEventListener("change", tell);
  button.addEventListener("click", () => {
    const other = shown() === "dark" ? "light" : "dark";
    const follows = other === (system.matches ? "dark" : "light");
    if (follows) delete root.dataset.theme;
    else root.dataset.theme = other;
    try {
      if (follows) localStorage.removeItem("theme");
      else localStorage.setItem("theme", other);
    } catch {
      // The choice holds for this page only.
    }
    tell();
  });
}

// Copy buttons: beside the message and each piece of code.
function copyButtons(inside = document) {
  if (!navigator.clipboard) return;
  for (const box of $$("[data-copy]", inside)) {
    const what = box.dataset.copy;
    const label = box.dataset.label || "Copy";
    const button = element("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, label);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(textToCopy(box));
        button.textContent = "Copied";
        button.dataset.done = "";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => {
        button.textContent = label;
        delete button.dataset.done;
      }, 1600);
    });
    box.append(button);
  }
}

// Of a link its address; of a difference, what it should become; else the lines as they stand.
function textToCopy(box) {
  if (box.dataset.text) return box.dataset.text;
  if (box.matches("p")) return $("a", box).href;
  const lines = $$("ins.y, span.y", box);
  if (lines.length) return lines.map((line) => line.textContent.replace(/\n$/, "")).join("\n");
  return $("pre, code", box).textContent.replace(/\n$/, "");
}

// The log is beside the answer where there is room, scrolled to the first error; else folded.
function logBeside() {
  const log = $(".log");
  if (!log) return;
  log.open = matchMedia("(min-width: 62rem)").matches;
  const [lines, spot] = [$(".paste-lines", log), $(".pin", log)];
  if (log.open && spot) lines.scrollTop = spot.getBoundingClientRect().top - lines.getBoundingClientRect().top - 60;
  $$(".pin, .answers a[href^='#at-']").forEach((link) => link.addEventListener("click", () => (log.open = true)));
  const unfold = () => {
    const folded = $(`${/^#event-\d+$/.test(location.hash) ? location.hash : "#none"} > details`);
    if (folded) folded.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
}

// On an answer, j and k go to the next error and back, c copies the first command of what is open.
function answerKeys() {
  const events = $$(".answers > .event");
  if (!events.length) return;
  let at = Math.max(0, events.findIndex((event) => $("details.one[open]", event)));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "c") $(".fix .copy", events[at])?.click();
    if (event.key !== "j" && event.key !== "k") return;
    at = Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), events.length - 1);
    const one = $("details.one", events[at]);
    if (one) one.open = true;
    $("summary, a", events[at])?.focus();
    events[at].scrollIntoView({ block: "nearest" });
  });
}

// As-you-type search in every search field: a combobox of the first records.
function suggestions(form) {
  const field = $("input[type=search]", form);
  const list = element("ul", { class: "suggest", role: "listbox", id: `${field.id}-found`, "aria-label": "Records" });
  list.hidden = true;
  form.append(list);
  const set = (name, value) => field.setAttribute(name, value);
  set("role", "combobox");
  set("aria-autocomplete", "list");
  set("aria-expanded", "false");
  set("aria-controls", list.id);
  let chosen = -1;

  const close = () => {
    callOff();
    list.hidden = true;
    chosen = -1;
    set("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    callOff();
    const options = $$("li", list);
    chosen = index < -1 ? options.length - 1 : index >= options.length ? -1 : index;
    options.forEach((option, n) => option.setAttribute("aria-selected", String(n === chosen)));
    if (chosen < 0) field.removeAttribute("aria-activedescendant");
    else {
      set("aria-activedescendant", options[chosen].id);
      options[chosen].scrollIntoView({ block: "nearest" });
    }
  };
  const show = (items) => {
    list.replaceChildren(
      ...items.map((item, n) => {
        const { record } = item;
        const facts = [record.errorClass, record.repo].filter(Boolean).join(" · ");
        const option = element(
          "li",
          { role: "option", id: `${list.id}-${n}`, "aria-selected": "false", "data-page": pathOf(record) },
          element("span", { class: "one" }, ...headed(record, item.messageSpans)),
          element("span", { class: "soft" }, facts),
        );
        return option;
      }),
    );
    choose(-1);
    list.hidden = items.length === 0;
    set("aria-expanded", String(items.length > 0));
  };
  const callOff = askAsTyped(field, 8, show, close);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      location.assign($$("li", list)[chosen].dataset.page);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    }
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("li");
    if (option) location.assign(option.dataset.page);
  });
}

// Asks for the first records a moment after each change of the words, and shows them or closes.
// What this gives calls off what is still to come: a late answer must neither take away what one
// has chosen meanwhile nor open again what one has closed. Words that were pasted or dropped may be
// of a log: they are sent when the form is, and never before.
function askAsTyped(field, limit, show, close) {
  let timer, request;
  let pasted = field.matches("textarea") && field.value !== ""; // a browser put it there again
  const callOff = () => {
    clearTimeout(timer);
    request?.abort();
  };
  field.addEventListener("input", (event) => {
    callOff();
    const words = field.value.trim();
    pasted = words.length > 1 && (pasted || /^insertFrom(Paste|Drop|Yank)/.test(event.inputType));
    if (pasted || words.length < 2 || words.length > 200 || words.includes("\n")) return close();
    timer = setTimeout(async () => {
      request = new AbortController();
      const { signal } = request;
      const items = await firstRecords(words, limit, signal);
      if (items && !signal.aborted) show(items);
    }, 130);
  });
  return callOff;
}

// The first records for words of which the last may be just begun; nothing when that was called
// off or one is offline, for the form works without.
async function firstRecords(words, limit, signal) {
  const q = /\w$/.test(words) ? `${words}*` : words;
  try {
    const answer = await fetch(`/api/errors?${new URLSearchParams({ q, limit })}`, { signal });
    return answer.ok ? (await answer.json()).items : null;
  } catch {
    return null;
  }
}

// A record's page on this host, whatever the public address of the server is.
function pathOf(record) {
  return new URL(record.url, location.href).pathname;
}

// What heads a record: its title, or its message with the words marked that were searched for.
function headed(record, spans) {
  return record.title ? [record.title] : marked(record.errorMessage, spans);
}

// Offsets count code points, as the server does; a string here counts UTF-16 units.
function marked(text, spans) {
  const points = [...text];
  const pieces = [];
  let end = 0;
  for (const [from, to] of spans) {
    pieces.push(points.slice(end, from).join(""), element("mark", {}, points.slice(from, to).join("")));
    end = to;
  }
  return [...pieces, points.slice(end).join("")];
}

// Several lines that are pasted into a search field are no search: they go to the matcher.
function pasteInSearch(form) {
  $("input[type=search]", form).addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (!text.trim().includes("\n")) return;
    event.preventDefault();
    const paste = element("textarea", { name: "paste" });
    const sender = element("form", { action: "/match", method: "post", enctype: "multipart/form-data", hidden: "" }, paste);
    paste.value = text;
    document.body.append(sender);
    sender.submit();
    sender.remove();
  });
}

// "/" goes to the search field, wherever one is not typing already.
function searchKey() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const field = $(".hero .ask textarea") || $(".find input[type=search]");
    if (!field) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

// The field for a paste: Enter goes as long as there is one line, Ctrl-Enter always; what is
// pasted or dropped anywhere on the page goes there.
function askForm(form) {
  const field = $("textarea", form);
  const file = $("input[type=file]", form);
  const send = () => (field.value.trim() || file.files.length) && form.requestSubmit();
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    if (field.value.includes("\n") && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  });
  field.addEventListener("paste", (event) => {
    const empty = !field.value.trim();
    if (empty && event.clipboardData.getData("text/plain").trim().includes("\n")) setTimeout(send);
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea, [contenteditable]")) return;
    const text = event.clipboardData.getData("text/plain");
    if (!text.trim()) return;
    event.preventDefault();
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }));
    field.focus();
    if (text.trim().includes("\n")) send();
  });
  const carriesFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    form.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) form.classList.remove("is-over");
  });
  document.addEventListener("drop", (event) => {
    form.classList.remove("is-over");
    if (!carriesFile(event) || !event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    send();
  });
  file.addEventListener("change", send);
  // A form that comes back from the browser's memory still holds the file that was sent.
  addEventListener("pageshow", (event) => event.persisted && (file.value = ""));
}

// While a few words stand in that field: the first records that have them, as links below it.
function quickLinks(form) {
  const field = $("textarea", form);
  const list = element("ul", { class: "quick", "aria-label": "Records" });
  const told = element("p", { class: "quiet", role: "status" });
  list.hidden = true;
  form.append(list, told);
  const close = () => {
    callOff();
    list.hidden = true;
    told.textContent = "";
  };
  const show = (items) => {
    list.replaceChildren(
      ...items.map(({ record, messageSpans }) => {
        const facts = [record.errorClass, record.repo].filter(Boolean).join(" · ");
        const link = element("a", { href: pathOf(record) }, ...headed(record, messageSpans), element("span", { class: "soft" }, facts));
        return element("li", {}, link);
      }),
    );
    list.hidden = items.length === 0;
    told.textContent = items.length ? `${items.length} records; arrow down to choose` : "";
  };
  const callOff = askAsTyped(field, 5, show, close);
  list.addEventListener("focusin", callOff);
  form.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const stops = [field, ...$$("a", list)];
    const at = stops.indexOf(document.activeElement);
    if (event.key === "Escape") {
      close();
      field.focus();
    } else if (at >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const next = stops[at + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
    }
  });
}

// The draft of a record is checked as one types.
function draftForm(form) {
  const result = $("#draft-result");
  let timer, request;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    request?.abort();
    timer = setTimeout(async () => {
      request = new AbortController();
      const { signal } = request;
      try {
        const answer = await fetch(form.action, { method: "POST", body: new FormData(form), signal });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (signal.aborted) return;
        result.replaceChildren(...$("#draft-result", page).childNodes);
        copyButtons(result);
      } catch {
        // Called off, or offline: the button checks too.
      }
    }, 300);
  });
}

// The table of contents tells which part is being read.
function followContents() {
  const links = new Map($$(".toc a").map((link) => [link.hash.slice(1), link]));
  if (!links.size) return;
  const seen = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      }
      const current = [...links.keys()].find((id) => seen.has(id));
      if (!current) return;
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "0px 0px -60% 0px" },
  );
  for (const id of links.keys()) {
    const part = document.getElementById(id);
    if (part) observer.observe(part);
  }
}

themeButton();
copyButtons();
logBeside();
answerKeys();
$$("form.find").forEach(suggestions);
$$("form.find").forEach(pasteInSearch);
$$("form.ask").forEach(askForm);
$$(".hero form.ask").forEach(quickLinks);
$$("form.draft").forEach(draftForm);
searchKey();
followContents();
