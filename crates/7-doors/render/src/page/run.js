// A run: columns of numbers, read when the answer is first looked at.
//   s statements, d depths (none: all 0), c changes [steps on, variable, value or -1, …], v values,
//   f [step, steps inside], e [step, state that it stays in], m [step, what happens there],
//   h [step, names that hold the value of a rule], a [step, condition that is assumed], q [step, state of the rule's automaton], i [row, fact], x dead rows
// Long columns are texts: how many numbers, and each; five bits in a letter, the lowest first, the sign in the lowest;
// ~ how far back, and how many that are the same.
const LETTER = new Uint8Array(128);
for (let i = 0; i < 64; i++)
  LETTER["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".charCodeAt(i)] = i;
function column(list) {
  if (typeof list !== "string") return Int32Array.from(list || []);
  let at = 0;
  const number = () => {
    let out = 0, shift = 0, letter;
    do { letter = LETTER[list.charCodeAt(at++)]; out |= (letter & 31) << shift; shift += 5; } while (letter > 31);
    return out & 1 ? -(out >>> 1) : out >>> 1;
  };
  const out = new Int32Array(number());
  for (let k = 0; k < out.length;) {
    if (list.charCodeAt(at) !== 126) { out[k++] = number(); continue; }
    at++;
    const back = number();
    for (let same = number(); same > 0; same--, k++) out[k] = out[k - back];
  }
  return out;
}
class Run {
  constructor(json) {
    this.s = column(json.s);
    const n = this.s.length;
    this.n = n; this.json = json;
    this.d = json.d ? column(json.d) : new Int32Array(n);
    const map = list => new Map(list || []);
    this.folded = map(json.f); this.ends = map(json.e); this.words = map(json.m); this.assumed = map(json.a);
    this.facts = map(json.i); this.reasons = map(json.w); this.dead = new Set(json.x || []);
    // The call that a step is inside, and the first step after a call.
    this.parent = new Int32Array(n).fill(-1); this.end = new Int32Array(n);
    const open = new Int32Array(n + 1);
    let top = 0;
    for (let k = 0; k < n; k++) {
      while (top && this.d[open[top - 1]] >= this.d[k]) this.end[open[--top]] = k;
      if (top) this.parent[k] = open[top - 1];
      open[top++] = k;
    }
    while (top) this.end[open[--top]] = n;
    // The changes, each with its step, and where those of each step begin.
    this.c = column(json.c);
    this.at = new Int32Array(n + 1);
    let step = 0, k = 0;
    for (let i = 0; i < this.c.length; i += 3) {
      step += this.c[i]; this.c[i] = step;
      while (k <= step) this.at[k++] = i;
    }
    while (k <= n) this.at[k++] = this.c.length;
    // Whether something is said of a step.
    this.said = new Uint8Array(n);
    for (const map of [this.words, this.assumed, this.facts]) for (const j of map.keys()) this.said[j] = 1;
    // Calls that are unfolded: all of a short run, of a long one those around what matters.
    this.open = new Uint8Array(n);
    const keys = [...this.words.keys(), ...this.assumed.keys()];
    if (n <= 3000) this.open.fill(1);
    else for (const k of keys) this.unfold(k);
    this.story = keys.length && !json.i ? this.storied(keys) : null;
    this.number = new Map((json.i ? [] : [...this.words.keys()]).sort((a, b) => a - b)
      .map((k, i) => [k, i + 1]));
  }
  inside(k) { return this.end[k] > k + 1; }
  unfold(k) { for (let j = this.parent[k]; j >= 0 && !this.open[j]; j = this.parent[j]) this.open[j] = 1; }
  // What matters, with the calls that it is in; -k - 1 stands for what is left out from step k on.
  storied(keys) {
    const kept = new Set(keys);
    kept.add(0); kept.add(this.n - 1);
    for (const k of keys) for (let j = this.parent[k]; j >= 0 && !kept.has(j); j = this.parent[j]) kept.add(j);
    const out = [];
    let next = 0;
    for (const k of [...kept].sort((a, b) => a - b)) {
      if (k > next) out.push(-next - 1);
      out.push(k);
      next = k + 1;
    }
    return out;
  }
  rows() {
    const out = new Int32Array(this.n);
    let m = 0;
    for (let k = 0; k < this.n; k = this.open[k] ? k + 1 : this.end[k]) out[m++] = k;
    return out.subarray(0, m);
  }
  // What is known just before step k: the last change of each variable, of locals in the same activation. Looking back
  // through columns of numbers is quick, even from the end of a long run.
  environment(k) {
    const globals = new Map(), locals = new Map(), before = new Map(), fresh = [];
    const c = this.c, first = this.at[k], inside = this.parent[k], asked = new Uint8Array(data.vars.length);
    let open = data.vars.length;
    for (let i = this.at[k + 1] - 3; i >= 0 && open > 0; i -= 3) {
      const v = c[i + 1], global = data.vars[v][1];
      // 2: all is known; 1: it changed in this step, and what it was before is not known yet.
      if (asked[v] === 2 || (!global && this.parent[c[i]] !== inside)) continue;
      if (asked[v] === 1) { if (c[i + 2] >= 0) before.set(v, c[i + 2]); asked[v] = 2; open--; continue; }
      if (c[i + 2] >= 0) (global ? globals : locals).set(v, c[i + 2]);
      if (i >= first) { fresh.push(v); asked[v] = 1; } else { asked[v] = 2; open--; }
    }
    return { globals, locals, fresh: fresh.map(v => [v, before.get(v)]) };
  }
  // The last of a list of [step, what] that holds before step k.
  last(list, k) {
    let found = null;
    for (const [step, what] of list || []) if (step <= k) found = what;
    return found;
  }
  // The calls that step k is in, outermost first; of a deep stack, the first and the last ones.
  stack(k) {
    const out = [];
    let j = this.parent[k];
    while (j >= 0 && out.length < 6) { out.push(j); j = this.parent[j]; }
    if (j >= 0) {
      let n = 0, root = j;
      for (; j >= 0; j = this.parent[j]) { root = j; n++; }
      if (n > 1) out.push(-(n - 1));
      out.push(root);
    }
    return out.reverse();
  }
}
const runs = new Map();
function runOf(result) {
  if (result.run === undefined) return null;
  if (!runs.has(result.run)) {
    const json = by("run-" + result.run);
    runs.set(result.run, new Run(JSON.parse(json.textContent)));
    json.remove();
  }
  return runs.get(result.run);
}
