// The answer that is looked at: its head, its run, its source and its values.
let result = null, run = null, now = -1, rows = [], story = false, shownFile = -1, lines = [], lineRow = new Map();
const statement = k => data.statements[run.s[k]];
// Whether the rows are the program's statements, and no run.
const listed = () => data.places || !!(run && run.json.i);
// What is assumed at a step; its line is seen there.
const assumed = k => run.assumed.get(k).replace(new RegExp(" at line " + statement(k)[2] + "$"), "");
const again = () => "back to step " + (result.loop + 1).toLocaleString("en");
const CAP = 12;

const steps = new Rows(by("rows"), i => {
  const k = rows[i], row = el("div", "row");
  row.id = "row-" + i;
  row.setAttribute("role", "option");
  row.setAttribute("aria-setsize", rows.length); row.setAttribute("aria-posinset", i + 1);
  row.setAttribute("aria-selected", k === now);
  if (k < 0) {
    const from = -k - 1, to = rows[i + 1];
    row.append(el("span", "gap", "   … " + many(to - from, "step")));
    row.onclick = () => { story = false; refill(); go(from); };
    return row;
  }
  const st = statement(k), depth = run.d[k], stays = run.ends.get(k);
  if (k === now) row.classList.add("now");
  if (run.dead.has(k)) row.classList.add("dead");
  if (result.loop !== undefined && k >= result.loop) row.classList.add("loop");
  const toggle = el("span", "toggle", run.inside(k) && !story ? (run.open[k] ? "▾" : "▸") : "");
  if (run.inside(k) && !story) toggle.onclick = ev => { ev.stopPropagation(); fold(k); };
  row.append(toggle, "  ".repeat(Math.min(depth, CAP)), depth > CAP ? "[" + depth + "] " : "");
  if (run.number.has(k)) row.append(el("span", "badge", String(run.number.get(k))));
  if (result.loop === k) row.append(el("span", "ring", "↻ "));
  row.append(el("span", "place", stays ? "" : st[0] + ":" + st[2] + " "), stays || st[4]);
  if (run.words.has(k)) row.append(worded(el("span", "words", "  ◀ "), run.words.get(k)));
  if (run.assumed.has(k)) row.append(worded(el("span", "guess", "  assumed: "), assumed(k)));
  if (run.facts.has(k)) row.append(el("span", "fact", "  " + run.facts.get(k)));
  if (run.folded.has(k)) row.append(el("span", "gap", "  (" + run.folded.get(k) + " steps inside)"));
  else if (run.inside(k) && !run.open[k] && !story) {
    row.append(el("span", "gap", "  (" + many(run.end[k] - k - 1, "step") + " inside)"));
  }
  if (result.loop === k) row.append(el("span", "ring", "  from here on for ever" + grows()));
  else if (result.loop !== undefined && k === run.n - 1) row.append(el("span", "ring", "  ↻ " + again()));
  row.title = row.textContent.trim();
  row.onclick = () => go(k);
  return row;
});
const grows = () => !result.growth ? "" : result.growth === 1 ? ", one frame deeper in each turn"
  : ", " + result.growth + " frames deeper in each turn";

// The row of a step, or of the call that it is folded in.
function rowOf(k) {
  let low = 0, high = rows.length;
  const key = i => rows[i] < 0 ? -rows[i] - 1 : rows[i];
  while (low < high) { const mid = (low + high) >> 1; if (key(mid) <= k) low = mid + 1; else high = mid; }
  return low - 1;
}
function refill() { rows = story ? run.story : run.rows(); steps.fill(rows.length); bar(); }
function fold(k) { run.open[k] = run.open[k] ? 0 : 1; refill(); steps.show(rowOf(k)); }

const code = new Rows(by("source"), i => {
  const [kind, a, b] = lines[i], row = el("div", "row");
  if (kind === "…") { row.append(el("span", "gap", "      …")); return row; }
  if (kind === "note") { row.append(el("span", "number", ""), worded(el("span", b), a)); return row; }
  row.append(el("span", "number", String(a)));
  const file = data.files[shownFile], first = visited.get(a);
  for (const k of marks.get(a) || []) if (run.number.has(k)) row.append(el("span", "badge", String(run.number.get(k))));
  coloured(row, linesOf(file).get(a), file.inside.has(a));
  if (first !== undefined) {
    row.classList.add("path"); row.style.cursor = "pointer";
    row.onclick = () => go(later(a));
    row.onmouseenter = () => { if (listed()) tell(first); };
  }
  if (deadLines.has(a)) row.classList.add("dead");
  if (a === currentLine) row.classList.add("now");
  return row;
});
let visited = new Map(), marks = new Map(), deadLines = new Set(), currentLine = 0;
// A click on a line goes to the next time that it is passed.
function later(line) {
  const here = k => statement(k)[1] === shownFile && statement(k)[2] === line && !run.ends.has(k);
  for (let k = now + 1; k < Math.min(run.n, now + 100000); k++) if (here(k)) return k;
  return visited.get(line);
}

// Shows a file: lines that are passed, numbered what matters, notes below the lines that they are about.
function openFile(number) {
  shownFile = number;
  const file = data.files[number];
  by("code-title").textContent = file ? file.name : "Source";
  by("source").setAttribute("aria-label", "Source" + (file ? " of " + file.name : ""));
  visited = new Map(); marks = new Map(); deadLines = new Set(); lines = []; lineRow = new Map();
  if (!file) { code.fill(0); return; }
  const alive = new Set(), notes = new Map(), known = new Set();
  const note = (line, text, cls) => {
    if (known.has(line + text)) return;
    known.add(line + text);
    if (!notes.has(line)) notes.set(line, []);
    notes.get(line).push([text, cls]);
  };
  // Each statement once, however often it is passed.
  const seen = new Int32Array(data.statements.length);
  if (run) for (let k = 0; k < run.n; k++) {
    if (seen[run.s[k]] && !run.said[k] && result.loop !== k) continue;
    seen[run.s[k]] = 1;
    const st = statement(k);
    if (st[1] !== number || run.ends.has(k)) continue;
    if (!visited.has(st[2])) visited.set(st[2], k);
    (run.dead.has(k) ? deadLines : alive).add(st[2]);
    if (run.words.has(k)) {
      if (!marks.has(st[2])) marks.set(st[2], []);
      const list = marks.get(st[2]);
      if (list.length < 9) list.push(k);
      note(st[2], (run.number.has(k) ? run.number.get(k) + ". " : "") + run.words.get(k), "words");
    }
    if (run.assumed.has(k)) note(st[2], "assumed: " + assumed(k), "guess");
    if (run.facts.get(k)) note(st[2], run.facts.get(k), "fact");
    if (result.loop === k) note(st[2], "↻ from here on for ever" + grows(), "ring");
  }
  if (result.file === number && result.message && !run) note(result.line, result.message, "words");
  for (const line of alive) deadLines.delete(line);
  let before = 0;
  for (const line of linesOf(file).keys()) {
    if (line > before + 1 && before) lines.push(["…"]);
    before = line;
    lineRow.set(line, lines.length);
    lines.push(["line", line]);
    for (const [text, cls] of notes.get(line) || []) lines.push(["note", text, cls]);
  }
  code.fill(lines.length);
}

function bar() {
  const box = by("bar");
  const button = (text, title, f) => {
    const b = el("button", "", text);
    b.title = title; b.setAttribute("aria-label", title); b.onclick = f;
    return b;
  };
  const one = listed() ? "statement" : "step";
  box.replaceChildren(button("◀", "previous " + one, () => go(now - 1)), button("▶", "next " + one, () => go(now + 1)));
  if (!listed()) box.append(button("▼", "over the call", () => go(over(now))));
  if (run.story && run.n > run.story.length) {
    const views = [[true, "What matters"], [false, "All " + many(run.n, "step")]];
    for (const [wanted, text] of views) {
      const b = el("button", "", text);
      b.setAttribute("aria-pressed", story === wanted);
      b.onclick = () => { story = wanted; refill(); go(now); };
      box.append(b);
    }
  }
  box.append(el("span", "hint", "← → " + one + (listed() ? "" : ", ↑ ↓ over calls") + (data.results.length > 1 ? ", j k answers" : "")));
}

function tell(k) {
  const st = statement(k), known = el("div", "known"), fact = run.facts.get(k);
  known.append(el("h4", "", st[0] + ":" + st[2] + "  " + st[4]),
    el("p", "", fact || (run.dead.has(k) ? "No run comes here." : "A run comes here.")));
  for (const line of run.reasons.get(k) || []) known.append(el("p", "", line));
  by("values").replaceChildren(known, ...pictures(null));
}
function pictures(state) {
  return (result.pictures || []).map(([title, number]) => {
    const box = el("div", "picture"), template = by("picture-" + number);
    box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", title);
    box.append(el("h4", "", title), template.content.cloneNode(true));
    const here = state === null ? null : box.querySelector(".state-" + state);
    if (here) here.classList.add("now");
    return box;
  });
}
function values(k) {
  const st = statement(k), box = by("values"), env = run.environment(k), table = el("table");
  const fresh = new Map(env.fresh), shown = v => v === undefined ? "?" : run.json.v[v];
  const part = (title, map) => {
    const gone = env.fresh.filter(([v]) => !map.has(v) && data.vars[v][1] === (title === "globals"));
    if (!map.size && !gone.length) return;
    const head = el("tr"), cell = el("th", "old", title);
    cell.colSpan = 2; cell.scope = "colgroup"; head.append(cell); table.append(head);
    for (const v of [...map.keys(), ...gone.map(g => g[0])].sort((a, b) => a - b)) {
      const tr = el("tr", fresh.has(v) ? "new" : ""), name = el("th", "", data.vars[v][0]), value = el("td", "", shown(map.get(v)));
      name.scope = "row";
      const before = fresh.has(v) ? fresh.get(v) : undefined;
      if (before !== undefined) value.prepend(el("span", "old", shown(before) + " → "));
      tr.append(name, value); table.append(tr);
    }
  };
  part("globals", env.globals); part(st[0], env.locals);
  const parts = [el("h4", "", "Just before step " + (k + 1).toLocaleString("en") + " of "
    + run.n.toLocaleString("en"))];
  const say = text => parts.push(worded(el("p"), text));
  if (run.words.has(k)) say("What happens: " + run.words.get(k));
  if (run.assumed.has(k)) say("Assumed: " + assumed(k));
  if (result.object) {
    const from = result.origin ? ", from " + result.origin[0] + ":" + result.origin[1] : "";
    say("The value that this is about: `" + result.object + "`" + from);
  }
  const held = run.last(run.json.h, k);
  if (held) say("It is held by " + held.split(", ").map(n => "`" + n + "`").join(", ") + ".");
  if (table.rows.length) parts.push(table);
  else if (!run.words.has(k) && !run.assumed.has(k)) say("No value is known here.");
  const known = el("div", "known");
  known.append(...parts);
  box.replaceChildren(known, ...pictures(run.last(run.json.q, k)));
}

// Goes to a step.
function go(k) {
  if (!run || k < 0 || k >= run.n) return;
  now = k;
  if (!story && run.parent[k] >= 0 && !run.open[run.parent[k]]) { run.unfold(k); refill(); }
  let i = rowOf(k);
  if (story && rows[i] !== k) { story = false; run.unfold(k); refill(); i = rowOf(k); }
  steps.show(i);
  by("rows").setAttribute("aria-activedescendant", "row-" + i);
  const st = statement(k), stays = run.ends.get(k);
  if (st[1] !== shownFile) openFile(st[1]);
  const crumbs = run.stack(k).map(j => {
    if (j < 0) return el("span", "", "… " + many(-j, "call") + " …");
    const b = el("button", "", statement(j)[0]);
    b.title = "the call at line " + statement(j)[2]; b.onclick = () => go(j);
    return b;
  });
  const path = crumbs.flatMap(c => [c, el("span", "", "›")]);
  by("stack").replaceChildren(...path, el("strong", "", stays ? stays : st[0]));
  // What stands above the source has its height by now.
  currentLine = stays ? 0 : st[2];
  if (lineRow.has(currentLine)) code.show(lineRow.get(currentLine)); else code.paint();
  if (listed()) tell(k); else values(k);
  const facts = run.facts.has(k) ? ": " + run.facts.get(k) : "";
  by("said").textContent = (listed() ? "Statement " : "Step ") + (k + 1) + " of " + run.n + ", "
    + (stays || st[0] + " line " + st[2] + ": " + st[4]) + (run.words.has(k) ? ": " + run.words.get(k) : "") + facts;
  address();
}
// Over a call: the next step that is not inside this one.
const over = k => k + 1 < run.n ? Math.min(run.end[k], run.n - 1) : k;
const back = k => { let j = k - 1; while (j > 0 && run.d[j] > run.d[k]) j = run.parent[j]; return j; };
