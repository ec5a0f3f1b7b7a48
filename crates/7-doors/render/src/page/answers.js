// The list of answers, what is chosen, and where the page begins.
const WORD = { violated: "violated", reachable: "reachable", holds: "holds", unreachable: "unreachable", unknown: "unknown" };
let chosen = -1, grouped = "rule", hidden = new Set(), found = [];

const bad = r => r.verdict === "violated" || r.verdict === "reachable";
// What an answer can be filtered by, beside its rule: how bad it is, and how sure.
const KINDS = [["Show", ["error", "warning", "none", "holds", "unknown"]],
  ["Sure", ["confirmed", "likely", "possible", "not confirmed"]]];
const kinds = r => [bad(r) ? r.level : r.verdict === "unknown" ? "unknown" : "holds",
  ...(bad(r) && r.sure ? [r.sure] : [])];
const place = r => r.file === undefined ? "" : data.files[r.file].name + ":" + r.line;

function list() {
  const words = by("search").value.toLowerCase().split(/\s+/).filter(w => w);
  const only = by("only").value;
  const fits = r => (!only || r.rule === only) && !kinds(r).some(k => hidden.has(k)) && words.every(w => r.text.includes(w));
  found = data.results.map((r, i) => i).filter(i => fits(data.results[i]));
  const groups = new Map();
  for (const i of found) {
    const r = data.results[i], name = grouped === "rule" ? r.rule : (place(r) ? data.files[r.file].name : "no place");
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(i);
  }
  const parts = [];
  let left = 1500;
  for (const [name, members] of groups) {
    const details = el("details"), summary = el("summary", "", name), ul = el("ul");
    summary.append(el("span", "chip", String(members.length)));
    details.open = true;
    for (const i of members.slice(0, Math.max(0, left))) {
      const r = data.results[i], li = el("li"), a = el("a");
      a.href = "#f=" + (i + 1); a.id = "answer-" + i;
      a.append(el("span", "verdict " + r.verdict, WORD[r.verdict] || r.verdict), " ");
      worded(a, r.message || r.title);
      if (r.sure) a.append(el("span", "chip", r.sure));
      if (place(r)) a.append(el("span", "where", place(r) + (r.function ? " in " + r.function : "")));
      if (i === chosen) a.setAttribute("aria-current", "true");
      li.append(a); ul.append(li);
    }
    left -= members.length;
    if (left < 0) ul.append(el("li", "", "… search or filter to see the rest"));
    details.append(summary, ul); parts.push(details);
  }
  by("list").replaceChildren(...parts);
  by("count").textContent = found.length === data.results.length ? many(found.length, "answer")
    : found.length + " of " + many(data.results.length, "answer");
}

function filters() {
  const all = new Map();
  for (const r of data.results) for (const k of kinds(r)) all.set(k, (all.get(k) || 0) + 1);
  for (const [legend, order] of KINDS) {
    const set = el("fieldset"), there = order.filter(kind => all.has(kind));
    set.append(el("legend", "", legend));
    for (const kind of there) {
      const label = el("label"), box = el("input");
      box.type = "checkbox"; box.checked = true;
      box.onchange = () => { if (box.checked) hidden.delete(kind); else hidden.add(kind); list(); };
      label.append(box, " " + kind + " (" + all.get(kind) + ")");
      set.append(label);
    }
    if (there.length) by("shown").append(set);
  }
  const rules = new Map();
  for (const r of data.results) rules.set(r.rule, (rules.get(r.rule) || 0) + 1);
  const option = (value, text) => { const o = el("option", "", text); o.value = value; by("only").append(o); };
  option("", "all rules (" + rules.size + ")");
  for (const [rule, n] of rules) option(rule, rule + " (" + n + ")");
  by("only").hidden = rules.size < 2;
}

function head(r) {
  const h2 = el("h2"), parts = [h2], p = text => parts.push(el("p", "", text));
  if (r.verdict) h2.append(el("span", "verdict " + r.verdict, WORD[r.verdict] || r.verdict), ": ");
  worded(h2, r.message || r.title);
  if (r.sure) h2.append(el("span", "chip", r.sure));
  if (place(r)) p("at " + place(r) + (r.function ? " in " + r.function : "") + (r.message ? " (" + r.title + ")" : ""));
  for (const w of r.warnings || []) parts.push(el("p", "warn", w));
  if (r.told) parts.push(worded(el("p"), r.told));
  if (r.inputs) p(r.inputs);
  if (r.summary) p(r.summary);
  if (r.engine) p("engine " + r.engine + (r.seconds === undefined ? "" : ", " + time(r.seconds)) + ": " + r.why);
  const further = el("div", "further");
  if (r.assumes && r.assumes.length) further.append(more("What it assumes (" + r.assumes.length + ")", r.assumes));
  if (r.text_of_rule) {
    const details = el("details"), pre = el("pre", "", r.text_of_rule);
    pre.tabIndex = 0;
    details.append(el("summary", "", "The rule"), pre); further.append(details);
  }
  if (further.firstChild) parts.push(further);
  by("head").replaceChildren(...parts);
}
function more(title, texts) {
  const details = el("details"), ul = el("ul");
  for (const text of texts) ul.append(worded(el("li"), text));
  details.append(el("summary", "", title), ul);
  return details;
}

function choose(i, step) {
  const old = by("answer-" + chosen); if (old) old.removeAttribute("aria-current");
  chosen = i; result = data.results[i]; run = runOf(result); now = -1; shownFile = -1; currentLine = 0;
  const link = by("answer-" + i);
  if (link) { link.setAttribute("aria-current", "true"); link.scrollIntoView({ block: "nearest" }); }
  head(result);
  by("run").hidden = !run || !run.n;
  by("run-title").textContent = listed() ? "Statements" : "Run";
  by("side-title").textContent = data.side || (listed() ? "What holds" : "Values");
  by("stack").replaceChildren(); by("values").replaceChildren(...pictures(null));
  by("side").hidden = (!run || !run.n) && !(result.pictures || []).length;
  if (!run || !run.n) {
    rows = []; steps.fill(0);
    openFile(result.file === undefined ? (data.files.length ? 0 : -1) : result.file);
    currentLine = result.line || 0;
    if (lineRow.has(currentLine)) code.show(lineRow.get(currentLine));
    address();
    return;
  }
  story = !!run.story && run.n > run.story.length && run.n > 40;
  refill();
  const last = listed() ? 0 : run.n - 1;
  go(Math.max(0, Math.min(run.n - 1, step === undefined ? last : step)));
}

// The address keeps what is looked at.
let waits = false;
function address() {
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    const kept = [["only", by("only").value], ["q", by("search").value]].filter(k => k[1]);
    const to = "#f=" + (chosen + 1) + (now >= 0 ? "&s=" + (now + 1) : "")
      + kept.map(k => "&" + k[0] + "=" + encodeURIComponent(k[1])).join("");
    if (location.hash !== to) history.replaceState(null, "", to);
  }, 200);
}
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1)), number = name => Number(asked.get(name) || NaN) - 1;
  return data.results[number("f")] ? [number("f"), asked.has("s") ? number("s") || 0 : undefined] : null;
}

document.addEventListener("keydown", ev => {
  const on = ev.target instanceof Element ? ev.target : document.body;
  if (ev.ctrlKey || ev.metaKey || ev.altKey || on.closest("input, select")) return;
  const moves = { ArrowRight: () => go(now + 1), n: () => go(now + 1), ArrowLeft: () => go(now - 1), p: () => go(now - 1),
    ArrowDown: () => go(over(now)), ArrowUp: () => go(back(now)), Home: () => go(0), End: () => go(run.n - 1),
    Enter: () => { if (run.inside(now) && !story) fold(now); } };
  const lists = { j: 1, k: -1 };
  if (ev.key === "/") { ev.preventDefault(); by("search").focus(); }
  else if (lists[ev.key] && found.length) {
    const at = found.indexOf(chosen) + lists[ev.key];
    if (found[at] !== undefined) choose(found[at]);
  } else if (run && run.n && moves[ev.key] && !(ev.key === "Enter" && on.closest("a, button, summary"))
      && !(on.closest("#list, #values") && ev.key.startsWith("Arrow"))) {
    ev.preventDefault();
    moves[ev.key]();
  }
});

// On paper: all answers, and the run that is looked at.
window.addEventListener("beforeprint", () => {
  const box = by("print"), row = text => box.append(el("div", "row", text));
  box.replaceChildren(el("h2", "", "Answers"));
  for (const r of data.results.slice(0, 500)) row(r.verdict + ": " + (r.message || r.title) + (place(r) ? " at " + place(r) : ""));
  if (!run || !run.n) return;
  box.append(el("h2", "", result.message || result.title));
  const shown = [...(run.story || run.rows())].slice(0, 600);
  for (const k of shown) {
    if (k < 0) { row("   …"); continue; }
    const st = statement(k), said = [run.words.get(k), run.assumed.has(k) ? "assumed: " + assumed(k) : "",
      run.facts.get(k)].filter(x => x);
    const deep = "  ".repeat(Math.min(run.d[k], CAP));
    row(String(k + 1).padStart(6) + "  " + deep + (run.ends.get(k) || st[0] + ":" + st[2] + "  " + st[4])
      + (said.length ? "   ◀ " + said.join("; ") : "") + (result.loop === k ? "   ↻ from here on for ever" + grows() : ""));
  }
});
window.addEventListener("afterprint", () => by("print").replaceChildren());

for (const r of data.results) {
  r.text = [r.title, r.rule, r.message, r.verdict, place(r), r.function, r.object].join(" ").toLowerCase();
}
by("headline").textContent = data.headline;
by("about").textContent = data.about + (data.seconds === undefined ? "" : ", " + time(data.seconds));
for (const text of data.incomplete || []) by("notes").append(el("p", "warn", text));
if (data.notes.length) by("notes").append(more("What the answers rest on (" + data.notes.length + ")", data.notes));
if (data.results.length > 1) { by("findings").hidden = false; document.body.classList.add("listed"); }
by("search").oninput = () => { list(); address(); };
by("only").onchange = () => { list(); address(); };
by("group").onchange = () => { grouped = by("group").value; list(); };
window.addEventListener("hashchange", () => { const to = fromAddress(); if (to && to[0] !== chosen) choose(...to); });
filters();
{
  const asked = new URLSearchParams(location.hash.slice(1));
  by("search").value = asked.get("q") || "";
  if (data.results.some(r => r.rule === asked.get("only"))) by("only").value = asked.get("only");
}
list();
if (data.results.length) {
  const first = data.results.findIndex(r => bad(r));
  choose(...(fromAddress() || [Math.max(0, first)]));
} else { by("answer").hidden = true; }
