// Looks at the pages of `bop … --format html` in a real browser.
//
//   node scripts/page-test.mjs BOP MODULES [SHOTS]
//
// BOP is the command, MODULES a folder in which `npm install playwright-core axe-core` was run, SHOTS a folder for
// screenshots. CHROMIUM names the browser, /usr/bin/chromium without it. Every page is opened in a light and a dark
// window and in one of 400 pixels: it loads nothing, no script fails, and axe-core finds nothing. Then keys, the
// address, the filters, and a run of a million steps.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [bop, modules, shots] = process.argv.slice(2).map(p => resolve(p));
const require = createRequire(join(modules, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "bop-page-"));
let failures = 0;
const check = (ok, what) => { if (!ok) { failures++; console.log("FAILED: " + what); } };

const program = (name, text) => { writeFileSync(join(folder, name), text); return name; };
const page = (name, ...args) => {
  const ran = spawnSync(bop, [...args, "--format", "html", "-o", name + ".html"], { cwd: folder, encoding: "utf8" });
  check(ran.status === 0 || ran.status === 1 || ran.status === 3, name + ": bop says " + ran.stderr);
  return name;
};
const lock = program("lock.bp", `decl locked;
void main() begin
  locked := 0;
  while (*) do acquire(); if (*) then release(); fi od
  if (locked & !locked) then D: skip; fi
end
void acquire() begin assert(!locked); locked := 1; end
void release() begin assert(locked); locked := 0; end
`);
const deep = program("deep.bp", `decl g;
void main() begin f(); end
void f() begin if (*) then f(); else g := 1; fi R: skip; end
`);
// Two hundred calls, the last line of the file at the end.
const calls = program("calls.bp", "decl g;\nvoid main() begin f0(); end\n"
  + Array.from({ length: 200 }, (_, i) => `void f${i}() begin if (*) then f${i + 1}(); fi g := !g; end\n`).join("")
  + "void f200() begin L: skip; end\n");
const leak = program("leak.i", `void *malloc(unsigned long n); void free(void *p); int use(char *p, int n);
/* A leak, and a block that is freed twice. */
int read_it(int n) {
  char *p = malloc(10);
  if (!p) return -1;
  if (n < 0)
    return -2; // "</script><b>"
  use(p, n);
  free(p);
  return 0;
}
int main(int argc, char **argv) {
  int *q = malloc(4);
  if (argc > 1) free(q);
  free(q);
  return read_it(argc);
}
`);
// Each procedure calls the next one twice.
const LEVELS = 18;
const many = program("many.bp", "decl g;\nvoid main() begin\n  g := 0; f0();\n  R: skip;\nend\n"
  + Array.from({ length: LEVELS }, (_, i) => `void f${i}() begin f${i + 1}(); f${i + 1}(); end\n`).join("")
  + `void f${LEVELS}() begin g := !g; skip; end\n`);
const pages = [page("assert", "check", lock), page("lasso", "check", deep, "--terminates"),
  page("dead", "check", lock, "--reach-all"), page("proof", "check", lock, "--reach", "D", "--self-check"),
  page("rules", "check", leak, "--rule", "memory"), page("unknown", "check", lock, "--steps", "1", "--engine", "explicit"),
  page("calls", "check", calls, "--reach", "L"),
  page("states", "states", deep, "--at", "R"), page("stacks", "states", deep, "--at", "R", "--stacks"),
  page("reached", "states", deep, "--to", "f f main"), page("influence", "influence", lock)];
page("million", "check", many, "--reach", "R", "--max-steps", "4000000");

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"] });
const open = async (name, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const tab = await context.newPage();
  tab.on("pageerror", e => check(false, name + ": " + e.message));
  tab.on("console", m => check(m.type() !== "error", name + ": " + m.text()));
  tab.on("request", r => check(r.url().startsWith("file:"), name + ": it loads " + r.url()));
  await tab.goto("file://" + join(folder, name + ".html"));
  return tab;
};
const shoot = async (tab, name) => { if (shots) await tab.screenshot({ path: join(shots, name + ".png") }); };
const judge = async (tab, name) => {
  await tab.evaluate(axe);
  // The sizes of what is touched are among the rules that have to be asked for; Lighthouse asks.
  const { violations } = await tab.evaluate("axe.run(document, { rules: { 'target-size': { enabled: true } } })");
  for (const v of violations) {
    check(false, name + ": axe: " + v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.target + " "
      + (n.any[0] ? n.any[0].message : "")).join("; "));
  }
};
for (const name of pages) {
  for (const [kind, options] of [["light", {}], ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 400, height: 800 } }]]) {
    const tab = await open(name, options);
    await judge(tab, name + ", " + kind);
    await shoot(tab, name + "-" + kind);
    const wide = await tab.evaluate("document.documentElement.scrollWidth");
    check(wide <= (options.viewport ? 400 : 1280), name + ", " + kind + ": the page is " + wide + " pixels wide");
    await tab.context().close();
  }
}

// Keys, the address, and what is read aloud.
{
  const tab = await open("assert");
  const now = () => tab.textContent("#rows .row.now");
  check((await now()).includes("assert(!locked)"), "it begins at the end: " + await now());
  await tab.keyboard.press("Home");
  check((await now()).includes("locked := 0"), "Home goes to the first step: " + await now());
  await tab.keyboard.press("ArrowRight");
  check((await tab.textContent("#said")).startsWith("Step 2 of "), "a step is said aloud");
  check((await tab.textContent("#values")).includes("locked"), "values are shown");
  await tab.waitForTimeout(300);
  check(tab.url().endsWith("#f=1&s=2"), "the address keeps the step: " + tab.url());
  await tab.reload();
  check((await tab.textContent("#said")).startsWith("Step 2 of "), "and brings it back");
  await tab.context().close();
}
{
  const tab = await open("rules");
  const count = async () => (await tab.$$("#list li a")).length;
  const all = await count();
  check(all >= 2, "all answers are listed");
  await tab.fill("#search", "twice");
  check(await count() < all && await count() > 0, "the search finds some of them");
  await tab.waitForTimeout(300);
  check(tab.url().endsWith("&q=twice"), "the address keeps the search: " + tab.url());
  await tab.reload();
  check(await count() < all && await count() > 0, "and brings it back");
  await tab.fill("#search", "");
  await tab.selectOption("#only", "memory_leak");
  check(await count() === 1, "one rule's answers");
  await tab.selectOption("#only", "");
  await tab.selectOption("#group", "file");
  check((await tab.textContent("#list summary")).length > 0, "they are grouped by file");
  await tab.selectOption("#group", "rule");
  await tab.click("h1");
  const before = await tab.textContent("#head h2");
  await tab.keyboard.press("j");
  check(await tab.textContent("#head h2") !== before, "j goes to the next one");
  await tab.click("#list li a");
  await tab.waitForFunction("chosen === 0 && run !== null");
  check(await tab.$("svg .state.now") !== null, "the rule's automaton is drawn, with its state");
  check((await tab.textContent("#source")).includes("assumed") || (await tab.textContent("#rows")).includes("assumed"),
    "what is assumed stands at its line");
  check(!(await tab.content()).includes("<b>"), "what a program says is no element");
  await tab.emulateMedia({ media: "print" });
  await tab.evaluate("window.dispatchEvent(new Event('beforeprint'))");
  check((await tab.textContent("#print")).includes("malloc"), "the run is printed");
  await shoot(tab, "rules-print");
  await tab.context().close();
}
{
  const tab = await open("calls");
  await tab.waitForSelector("#source .row.now");
  const shown = await tab.evaluate(() => {
    const row = document.querySelector("#source .row.now").getBoundingClientRect();
    const pane = document.querySelector("#source").getBoundingClientRect();
    return row.bottom <= pane.bottom + 1 && row.top >= pane.top - 1;
  });
  check(shown, "the line of a step is in sight at the end of a file");
  check((await tab.textContent("#stack")).includes("… 19"), "a deep stack is a short path: " + await tab.textContent("#stack"));
  await tab.context().close();
}
{
  const tab = await open("lasso");
  check((await tab.$$("#rows .row.loop")).length === 2, "the loop is drawn as one");
  check((await tab.textContent("#rows")).includes("back to step 2"), "its end leads back");
  check((await tab.textContent("#rows")).includes("one frame deeper in each turn"), "the stack grows");
  await tab.context().close();
}
{
  const tab = await open("proof");
  check((await tab.$$("#rows .row.dead")).length > 0, "dead statements are marked");
  check((await tab.textContent("#rows")).includes("locked="), "the proof says what holds");
  await tab.context().close();
}
{
  // The quickest of three: what else the machine does is not the page's.
  let tab = null, took = Infinity;
  for (let i = 0; i < 3; i++) {
    if (tab) await tab.context().close();
    const start = Date.now();
    tab = await open("million");
    await tab.waitForSelector("#rows .row.now");
    took = Math.min(took, Date.now() - start);
  }
  const inside = await tab.evaluate("performance.now()");
  const steps = await tab.evaluate("run.n"), elements = await tab.evaluate("document.querySelectorAll('*').length");
  // Its calls are folded until they are looked at.
  await tab.evaluate("fold(1)");
  check((await tab.textContent("#rows")).includes("f1()"), "a call unfolds");
  await tab.evaluate("fold(1)");
  const slowest = await tab.evaluate(async () => {
    let most = 0;
    for (const key of ["Home", "ArrowRight", "ArrowDown", "End", "ArrowLeft", "ArrowUp", "Home", "End"]) {
      const from = performance.now();
      document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      document.body.offsetHeight;
      most = Math.max(most, performance.now() - from);
      await new Promise(requestAnimationFrame);
    }
    return most;
  });
  console.log(`${steps} steps: open after ${took} ms (${Math.round(inside)} ms in the page), ${elements} elements, `
    + `the slowest key ${slowest.toFixed(1)} ms`);
  check(steps > 1000000, "the run has a million steps: " + steps);
  check(elements < 2000, "few elements: " + elements);
  // A busy machine is given some time: what is wrong is ten times as slow.
  const patience = Number(process.env.PATIENCE || 1);
  check(took < 1000 * patience, "it opens within a second: " + took + " ms");
  check(slowest < 50 * patience, "a key takes less than 50 ms: " + slowest + " ms");
  await shoot(tab, "million");
  await tab.context().close();
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(failures ? failures + " failures" : "all pages are well");
process.exit(failures ? 1 : 0);
