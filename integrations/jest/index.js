"use strict";
// A Jest reporter: known errors, with their fix, below the failing tests of a run. It asks the
// command `errdex pipe`, or a server, and never changes the run's result.

const { spawn } = require("node:child_process");

const LONGEST = 100_000; // characters of a failure
const LINE = 600; // characters of a line that is printed

/** Text of logs and records on one line, with every character that could steer a terminal shown. */
function onOneLine(text) {
  const line = String(text ?? "")
    .replace(/\s+/gu, " ")
    .replace(/\p{C}/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`)
    .trim();
  return line.length > LINE ? `${line.slice(0, LINE)} …` : line;
}

/** Each failing test with what Jest says of it; a file that did not run counts as one. */
function failuresOf(results) {
  const failures = [];
  for (const file of results.testResults ?? []) {
    const tests = (file.testResults ?? []).filter((test) => test.status === "failed");
    for (const test of tests) {
      failures.push({ name: test.fullName, text: (test.failureMessages ?? []).join("\n") });
    }
    if (!tests.length && file.failureMessage) {
      failures.push({ name: file.testFilePath, text: file.failureMessage });
    }
  }
  return failures.map(({ name, text }) => ({ name, text: text.slice(0, LONGEST) }));
}

/** What the command knows about each failure: an object, or null. */
function askCommand(command, seconds, failures) {
  return new Promise((resolve, reject) => {
    const words = ["pipe", "--key", "failure", "--only-known"];
    const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill(), seconds * 1000);
    const output = [];
    let complaint = "";
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => {
      complaint = (complaint + chunk).slice(-LINE);
    });
    child.stdin.on("error", () => {}); // it ended early, which its exit code says
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new Error(`${command} cannot be run: ${error.code}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) {
        reject(new Error(complaint.trim() || `${command} ended with ${code ?? "a signal"}`));
        return;
      }
      const known = failures.map(() => null);
      for (const line of Buffer.concat(output).toString("utf8").split("\n").filter(Boolean)) {
        const { failure, errdex } = JSON.parse(line);
        if (known[failure] === null) {
          known[failure] = { title: errdex.title, fix: errdex.fix, id: errdex.id, url: errdex.url };
        }
      }
      resolve(known);
    });
    const records = failures.map(({ text }, failure) => JSON.stringify({ message: text, failure }));
    child.stdin.end(records.map((record) => `${record}\n`).join(""));
  });
}

/** What a server knows about each failure. */
async function askServer(server, seconds, failures) {
  const known = [];
  for (const { text } of failures) {
    const response = await fetch(`${server.replace(/\/+$/u, "")}/api/errors/match`, {
      method: "POST",
      headers: { "Content-Type": "text/plain", Accept: "application/json" },
      body: text,
      redirect: "error",
      signal: AbortSignal.timeout(seconds * 1000),
    });
    if (!response.ok) throw new Error(`${server} answered ${response.status}`);
    const answer = await response.json();
    const event = answer.readingOrder
      .map((number) => answer.events[number])
      .find(({ matches }) => matches.length);
    const record = event?.matches[0].record;
    known.push(
      record
        ? {
            title: record.title ?? record.errorMessage,
            fix: record.solutions?.[0],
            id: record.id,
            url: record.url,
          }
        : null,
    );
  }
  return known;
}

class ErrdexReporter {
  constructor(globalConfig, options = {}) {
    this._server = options.server;
    this._command = options.command ?? "errdex";
    this._seconds = options.seconds ?? 60;
    this._limit = options.limit ?? 100;
    this._write = options.write ?? ((text) => process.stderr.write(text));
  }

  async onRunComplete(contexts, results) {
    const failures = failuresOf(results)
      .filter(({ text }) => text.trim())
      .slice(0, this._limit);
    if (!failures.length) return;
    let known;
    try {
      known = this._server
        ? await askServer(this._server, this._seconds, failures)
        : await askCommand(this._command, this._seconds, failures);
    } catch (error) {
      this._write(`errdex: ${onOneLine(error.message)}\n`);
      return;
    }
    failures.forEach(({ name }, number) => {
      const found = known[number];
      if (!found) return;
      const lines = [`\nTest: ${onOneLine(name)}`, `  Known error: ${onOneLine(found.title)}`];
      if (found.fix) lines.push(`  Fix: ${onOneLine(found.fix)}`);
      lines.push(`  More: ${onOneLine(found.url ?? `errdex show ${found.id}`)}`);
      this._write(`${lines.join("\n")}\n`);
    });
  }
}

module.exports = ErrdexReporter;
