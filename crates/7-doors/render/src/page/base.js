"use strict";
// The page's data (see mod.rs), small helpers, and lists of which only what is seen is drawn.
const data = JSON.parse(document.getElementById("data").textContent);
const by = id => document.getElementById(id);
const el = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const many = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");
const time = s => s < 0.0005 ? "less than 1 ms" : s < 1 ? Math.round(s * 1000) + " ms" : s.toFixed(1) + " s";
// Text in which backquotes stand for code.
const worded = (to, text) => {
  text.split(/`([^`]*)`/).forEach((part, i) => to.append(i % 2 ? el("code", "", part) : part));
  return to;
};
const HEIGHT = 22;
// Browsers draw nothing beyond some ten million pixels: longer lists are scrolled in proportion.
const TALLEST = 8e6;

// A list of rows of one height: `draw(i)` makes row i when it comes into view.
class Rows {
  constructor(box, draw) {
    this.box = box; this.draw = draw; this.count = 0; this.waits = false;
    this.space = el("div", "space"); this.window = el("div", "window");
    this.space.setAttribute("role", "none"); this.window.setAttribute("role", "none");
    this.space.append(this.window); box.append(this.space);
    box.addEventListener("scroll", () => {
      if (this.waits) return;
      this.waits = true;
      requestAnimationFrame(() => { this.waits = false; this.paint(); });
    });
    new ResizeObserver(() => this.paint()).observe(box);
  }
  fill(count) {
    this.count = count;
    this.space.style.height = Math.min(count * HEIGHT, TALLEST) + "px";
    this.paint();
  }
  get fits() { return Math.max(1, Math.floor(this.box.clientHeight / HEIGHT)); }
  get scaled() { return this.count * HEIGHT > TALLEST; }
  get first() {
    const top = this.box.scrollTop;
    if (!this.scaled) return Math.floor(top / HEIGHT);
    const room = TALLEST - this.box.clientHeight;
    return Math.round(Math.min(1, top / room) * Math.max(0, this.count - this.fits));
  }
  // Brings a row into view.
  show(i) {
    const first = this.first, fits = this.fits;
    if (i > first && i < first + fits - 1) return this.paint();
    const wanted = Math.max(0, Math.min(this.count - fits, i - Math.floor(fits / 3)));
    this.box.scrollTop = this.scaled
      ? wanted / Math.max(1, this.count - fits) * (TALLEST - this.box.clientHeight) : wanted * HEIGHT;
    this.paint();
  }
  paint() {
    const first = Math.max(0, this.first - 4), last = Math.min(this.count, this.first + this.fits + 6);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.draw(i));
    this.window.replaceChildren(...rows);
    const top = this.scaled ? this.box.scrollTop - (this.first - first) * HEIGHT : first * HEIGHT;
    this.window.style.transform = "translateY(" + Math.max(0, top) + "px)";
  }
}

// Colours of C and of the languages of boolean programs.
const WORDS = new Set(("auto break case char const continue default do double else enum extern float for goto if inline int "
  + "long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool "
  + "bool begin end decl then fi od elsif assert assume skip constrain enforce dfs schoose abortif not true false module "
  + "define init rule event never message scope returns borrows keeps fallible").split(" "));
const TOKEN = /(\/\*[^]*?(?:\*\/|$)|\/\/.*)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|([A-Za-z_]\w*)|(\d\w*)|([^])/g;

// Appends a line's tokens; `inside` says whether it begins in a comment.
function coloured(to, text, inside) {
  if (inside) {
    const end = text.indexOf("*/");
    if (end < 0) return to.append(el("span", "c", text || " "));
    to.append(el("span", "c", text.slice(0, end + 2)));
    text = text.slice(end + 2);
  }
  let plain = "";
  const put = (cls, part) => {
    if (plain) to.append(plain);
    plain = "";
    to.append(el("span", cls, part));
  };
  for (const m of text.matchAll(TOKEN)) {
    if (m[1]) put("c", m[1]);
    else if (m[2]) put("s", m[2]);
    else if (m[3] && WORDS.has(m[3])) put("k", m[3]);
    else if (m[4]) put("n", m[4]);
    else plain += m[0];
  }
  to.append(plain || "");
}

// A file's lines by number, and which of them begin in a comment: made when the file is first shown.
function linesOf(file) {
  if (file.lines) return file.lines;
  file.lines = new Map(); file.inside = new Set();
  let open = false;
  for (const [first, text] of file.parts) {
    open = false;
    text.split("\n").forEach((line, i) => {
      file.lines.set(first + i, line);
      if (open) file.inside.add(first + i);
      for (const m of line.matchAll(/\/\*|\*\/|\/\/|"(?:[^"\\]|\\.)*"/g)) {
        if (m[0] === "//" && !open) break;
        if (m[0] === "/*") open = true; else if (m[0] === "*/") open = false;
      }
    });
  }
  return file.lines;
}
