// Prints diagnostics of the TypeScript compiler over generated programs, and its templates.
//
//     node diagnostics.cjs FOLDER-OF-THE-PACKAGE MOST-PER-CODE
//
// One JSON object: {version, templates: [{code, message}], diagnostics: [{code, file, line,
// column, message, pretty}]}. The programs are the statements below, each changed in one place:
// a token is left out, or another one is put before it or in its place, by fixed rules.
"use strict";
const path = require("path");
const [folder, most] = [process.argv[2], Number(process.argv[3])];
const ts = require(path.resolve(folder));

const SEEDS = `
const total: number = 3;
let names: string[] = ["a", "b"];
function add(a: number, b: number): number { return a + b; }
function first<T extends object>(rows: T[], key: keyof T): T[keyof T] { return rows[0][key]; }
interface Basket { id: number; rows: string[]; note?: string; readonly owner: { name: string }; }
const basket: Basket = { id: 1, rows: [], owner: { name: "x" } }; basket.rows.push("a");
class Shop { private open = true; static count = 0; constructor(public name: string) {} close(): void { this.open = false; } }
abstract class Shape { abstract area(): number; get size(): number { return this.area(); } set size(v: number) {} }
class Square extends Shape { constructor(private side: number) { super(); } override area(): number { return this.side ** 2; } }
class Cart implements Basket { id = 1; rows: string[] = []; readonly owner = { name: "y" }; }
enum Color { Red, Green = 4, Blue = Red | Green } const shade: Color = Color.Red;
const enum Flag { A = 1, B = 2 } let flag: Flag = Flag.A;
type Pair<A, B = A> = [A, B?]; const pair: Pair<number, string> = [1, "b"];
type Tree = { value: number; left?: Tree; right?: Tree }; const tree: Tree = { value: 1, left: { value: 2 } };
type Kind = { type: "a"; a: number } | { type: "b"; b: string }; function pick(k: Kind): number { switch (k.type) { case "a": return k.a; case "b": return k.b.length; } }
async function load(url: string): Promise<string> { const answer = await Promise.resolve(url); return answer; }
function* count(to: number): Generator<number, void, unknown> { for (let i = 0; i < to; i++) { yield i; } }
async function* stream(): AsyncGenerator<number> { yield 1; for await (const x of stream()) { yield x; } }
const { id, ...others } = { id: 1, a: 2, b: 3 }; const [head, ...tail] = [1, 2, 3];
const f = (a: string, b?: number, ...rest: boolean[]): void => {}; f("a", 1, true, false);
let maybe: string | undefined = undefined; const size = maybe?.length ?? 0; const sure = maybe!.length;
function isText(x: unknown): x is string { return typeof x === "string"; }
function assertText(x: unknown): asserts x is string { if (typeof x !== "string") throw new Error("no"); }
for (const key in { a: 1 }) { if (key === "a") continue; else break; }
label: while (true) { do { break label; } while (false); }
try { JSON.parse("{"); } catch (error) { throw error; } finally { total.toFixed(2); }
const tagged = String.raw\`a \${total} b\`; const big: bigint = 10n; const sym: unique symbol = Symbol();
namespace Depot { export const open = true; export namespace Inner { export type T = string; } } const t: Depot.Inner.T = "x";
declare module "depot" { export function open(name: string): void; export default open; }
declare global { interface Window { depot: string } }
export { total as sum }; export default function main() {} export type { Basket };
import { readFile } from "./files"; import type { Stats } from "./stats"; import * as all from "./all"; import other from "./other";
type Mapped<T> = { readonly [K in keyof T]?: T[K] }; type Cond<T> = T extends (infer U)[] ? U : never; const m: Mapped<Basket> = {};
type Template = \`row-\${number}\`; const row: Template = "row-1"; const path: \`/\${string}\` = "/a";
class Box<in out T> { #value: T; constructor(value: T) { this.#value = value; } get value(): T { return this.#value; } static { Box.name; } }
function over(a: string): string; function over(a: number): number; function over(a: any): any { return a; } over("a"); over(1);
const object = { method() { return this.x; }, x: 1, get y() { return 2; }, set y(v) {}, ["z" + 1]: 3, async go() {} };
let tuple: [a: string, b?: number, ...c: boolean[]] = ["a"]; tuple[0].toUpperCase(); tuple[1]?.toFixed();
new Shop("a").close(); Shop.count++; delete (basket as any).note; void 0; typeof total;
const u = total as unknown as string; const s = <string>u; const sat = { a: 1 } satisfies Record<string, number>;
if (total > 2 && !names.length || shade === Color.Red) { names = []; } else if (total) { } 
const fn = function named(this: Basket, a: number) { return this.id + a; }; fn.call(basket, 1);
declare let ambient: string; declare function outside(a: number): string; declare class Foreign { x: number; }
switch (total as number) { case 1: break; case 2: { break; } default: names.pop(); }
using res = { [Symbol.dispose]() {} }; function dec(target: any, context: any) {} @dec class D { @dec accessor x = 1; }
const re = /a(b)?c/gu; const neg = -total; const num = 0x1f + 0b11 + 0o7 + 1_000; var old = 1; var old = 2;
function opt(a: number, b = 2, { c = 3, d }: { c?: number; d: number } = { d: 1 }): number { return a + b + c + d; } opt(1, 2, { d: 3 });
const nested = [1, 2, 3].map((x) => x * 2).filter((x): x is number => x > 1).reduce((a, b) => a + b, 0);
interface Callable { (a: string): number; new (a: number): Basket; [key: string]: any; } declare const call: Callable; call("a");
type Rec<K extends string> = Record<K, number>; const rec: Rec<"a" | "b"> = { a: 1, b: 2 }; rec.a = 3;
export * from "./all"; export * as ns from "./other"; export const x1 = 1, x2: string = "b";
class Acc { static #n = 0; protected p = 1; readonly r: string; declare d: number; constructor() { this.r = "a"; } static of(): Acc { return new Acc(); } }
class Sub extends Acc { m(): number { return this.p; } protected override p = 2; constructor() { super(); this.p = 3; } }
const gen = <T,>(a: T, b: NoInfer<T>): T => a; gen<string>("a", "b"); const inst = Array<number>; let e1: Error | null = null; e1?.message.trim();
`.trim().split("\n");

const PUT = [
  "number", "string", "null", "undefined", "\"text\"", "42", "any", "never", "unknown", "void", "{}", "[]", "()",
  "missing", "Basket", "async", "await", "static", "readonly", "abstract", "const", "enum", "class", "return",
  "export", "declare", "private", "?", "!", "...", "=>", ";", ",", ":", "=", "(", "}", "<", "yield", "super", "this",
  "import", "new", "delete", "typeof", "extends", "implements", "@dec", "#name", "0777", "'open", "`open", "/re",
  "if", "for", "in", "of", "case", "default", "break", "continue", "override", "get", "set", "infer", "is", "asserts",
  "keyof", "unique", "symbol", "1n", "3.", "1__0", "\\u{110000}", "let", "var", "with", "debugger", "accessor", "out",
];

function tokens(text) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const found = [];
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) {
    found.push([scanner.getTokenStart ? scanner.getTokenStart() : scanner.getTokenPos(), scanner.getTextPos ? scanner.getTextPos() : scanner.getTokenEnd()]);
  }
  return found;
}

function* changed() {
  const all = SEEDS.join("\n");
  for (const [number, seed] of SEEDS.entries()) {
    const others = number % 4 ? "" : SEEDS.slice(0, 5).join("\n") + "\n";
    for (const [place, [start, end]] of tokens(seed).entries()) {
      const [before, token, after] = [seed.slice(0, start), seed.slice(start, end), seed.slice(end)];
      yield others + before + after;
      for (let step = 0; step < 2; step++) {
        const put = PUT[(number * 31 + place * 17 + step * 11) % PUT.length];
        yield others + before + (step % 3 ? put : token + " " + put + " ") + after;
      }
    }
  }
  yield all;
}

const texts = new Map([
  ["/src/files.ts", "export const readFile = 1; export type Stats2 = number;"],
  ["/src/all.ts", "export const a = 1; export interface B { x: number }"],
  ["/src/other.ts", "export const a = 1; export default class Other {}"],
]);
let numbered = 0;
for (const text of changed()) {
  numbered += 1;
  texts.set(`/src/depot/m${numbered}.ts`, text);
}

const variants = [
  { strict: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, noUnusedLocals: true, noUnusedParameters: true, noImplicitReturns: true, noFallthroughCasesInSwitch: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noImplicitOverride: true },
  { strict: true, target: ts.ScriptTarget.ES5, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, isolatedModules: true, verbatimModuleSyntax: true, isolatedDeclarations: true, declaration: true, erasableSyntaxOnly: true },
];
const kept = new Map();
const files = [...texts.keys()];
for (const [which, options] of variants.entries()) {
  const base = ts.createCompilerHost({ ...options, noEmit: true });
  const parsed = new Map();
  const host = {
    ...base,
    getSourceFile(name, version) {
      if (!parsed.has(name)) {
        const text = texts.get(name);
        const file = text === undefined ? base.getSourceFile(name, version) : ts.createSourceFile(name, text, version, true);
        parsed.set(name, file);
      }
      return parsed.get(name);
    },
    fileExists: (name) => texts.has(name) || base.fileExists(name),
    readFile: (name) => texts.get(name) ?? base.readFile(name),
    getCurrentDirectory: () => "/",
    writeFile() {},
  };
  const roots = which ? files.filter((_, number) => number % 3 === 0) : files;
  for (let start = 0; start < roots.length; start += 700) {
    const program = ts.createProgram(roots.slice(start, start + 700), { ...options, noEmit: true, types: [] }, host);
    const found = [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics(), ...(options.declaration ? program.getDeclarationDiagnostics() : [])];
    for (const each of found) {
      if (each.category !== ts.DiagnosticCategory.Error || !each.file) continue;
      const message = ts.flattenDiagnosticMessageText(each.messageText, "\n");
      const same = kept.get(each.code) ?? new Map();
      kept.set(each.code, same);
      if (same.size >= most || same.has(message)) continue;
      const { line, character } = each.file.getLineAndCharacterOfPosition(each.start);
      const pretty = ts.formatDiagnosticsWithColorAndContext([each], { getCurrentDirectory: () => "/", getCanonicalFileName: (name) => name, getNewLine: () => "\n" });
      same.set(message, { code: each.code, file: each.file.fileName.slice(1), line: line + 1, column: character + 1, message, pretty });
    }
  }
}
const templates = Object.values(ts.Diagnostics).filter((each) => each.category === ts.DiagnosticCategory.Error);
console.log(JSON.stringify({
  version: ts.version,
  templates: templates.map(({ code, message }) => ({ code, message })),
  diagnostics: [...kept.values()].flatMap((same) => [...same.values()]),
}));
