#!/usr/bin/env python3
"""Compares proofs of C with runs: no program that was seen to fail is said to hold.

    scripts/fuzz-proofs.py --bop target/debug/bop [--n 200] [--seed 1] [--engine pdr] [--timeout 4s] [--kind loops|calls|arrays|machines]

Programs have loops without an end (`loops`, with larger arrays `arrays`, with states and flags in memory of the heap, pointers
from outside, and addresses that are compared when what they were of is gone `machines`) or recursion without a bound (`calls`) over integers of all widths, arrays,
structures, unions, pointers and memory of the heap, and a check that is seldom or never broken. Each is compiled and run
some ten thousand times on random inputs. Runs that break the check where `bop check --assert` says `holds` are wrong
answers, and so are internal errors; the program is left in --out. What is never seen to fail says nothing about `holds`.

With --replay the proof of each `holds` is saved, and `bop replay` has to accept it; damaged (another number, another place,
fewer rounds) it may be refused or accepted, and nothing else.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BOP_HEAD = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define any() (__VERIFIER_nondet_int() & 7)
#define again() (__VERIFIER_nondet_int() & 1)
#define fail() reach_error()
#define deeper()
extern void *__VERIFIER_nondet_pointer(void);
#define outer() __VERIFIER_nondet_pointer()
"""

# A run that takes too long is given up, by a jump out of it.
NATIVE_HEAD = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long long state;
static int left;
static jmp_buf out;
static unsigned draw(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (unsigned)(state >> 11); }
static void deeper(void) { if (--left < 0) longjmp(out, 1); }
static long room[16];
static void *outer(void) { return &room[draw() & 7]; }
static int any(void) { return (int)(draw() & 7); }
static int again(void) { deeper(); return (draw() & 15) != 0; }
static void fail(void) { puts("failed"); exit(1); }
"""


class Program:
    """A random program: declarations, statements that set them anew, functions, and the body of main."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.declarations, self.reset, self.functions = [], [], ""

    def one(self, *choices):
        return self.draw.choice(choices)

    def maybe(self, chance):
        return self.draw.random() < chance

    def declare(self, text, reset):
        self.declarations.append(text)
        self.reset.append(reset)

    def for_bop(self):
        parts = [BOP_HEAD, *self.declarations, self.functions, "int main(void) {", self.body, "  return 0;\n}\n"]
        return "\n".join(parts)

    def native(self, seed, runs):
        main = (
            f"int main(void) {{\n  int i;\n  state = {seed * 7919 + 12345}ull;\n  for (i = 0; i < {runs}; i++) {{\n"
            f"    {' '.join(self.reset)}\n    left = i % 10 ? 60 : 3000;\n    if (!setjmp(out)) run();\n  }}\n"
            "  return 0;\n}\n"
        )
        parts = [NATIVE_HEAD, *self.declarations, self.functions, "static void run(void) {", self.body, "}", main]
        return "\n".join(parts)


class Loops(Program):
    """Loops that go on as long as the surroundings like."""

    WIDTHS = ("int", "unsigned", "unsigned char", "short", "signed char", "unsigned short", "long")

    large = 0

    def __init__(self, seed):
        super().__init__(seed)
        self.names = [f"g{i}" for i in range(self.draw.randint(2, 4))]
        for name in self.names:
            value = self.one(0, 0, 0, 1, 2, 5, 10)
            self.declare(f"{self.one(*self.WIDTHS)} {name} = {value};", f"{name} = {value};")
        self.places = list(self.names)
        self.targets = []
        if self.maybe(0.5):
            self.declare("int a[4] = {1, 2};", "a[0] = 1; a[1] = 2; a[2] = a[3] = 0;")
            self.places += ["a[0]", "a[1]", "a[3]", f"a[{self.names[0]} & 3]", f"a[{self.names[1]} & 3]"]
            self.targets += ["&a[1]", "&a[2]", f"&a[{self.names[1]} & 3]"]
        # Of these a proof knows one element, which may be any.
        if self.large and self.maybe(self.large):
            kind = self.one("int", "unsigned char", "short", "long")
            self.declare(f"{kind} b[64] = {{3}}, d[64];", "memset(b, 0, sizeof b); b[0] = 3; memset(d, 0, sizeof d);")
            x, y = self.names[0], self.names[1]
            places = [f"b[{x} & 63]", f"b[{y} & 63]", f"d[{x} & 63]", f"d[({y} + 1) & 63]", "b[5]", f"b[{x} & 7]"]
            self.places += places + (places if self.maybe(0.5) else [])
            if kind == "int":
                self.targets += [f"&b[{x} & 63]", f"&d[{y} & 31]", "&d[9]"]
        if self.large and self.maybe(self.large / 2):
            self.declare("struct e { int v; short w; } e[40];", "memset(e, 0, sizeof e);")
            self.places += [f"e[{self.names[0]} & 31].v", f"e[{self.names[1]} & 31].w", "e[39].v"]
            self.targets += [f"&e[{self.names[1]} & 31].v"]
        self.has_structs = self.maybe(0.5)
        if self.has_structs:
            self.declare(
                "struct s { unsigned char x; int y; unsigned b : 3; } s, t;",
                "s.x = s.y = s.b = 0; t = s;",
            )
            self.places += ["s.x", "s.y", "s.b", "t.x", "t.y"]
            self.targets += ["&s.y", "&t.y"]
        if self.maybe(0.2):
            self.declare("union u { unsigned w; unsigned char c[4]; } u;", "u.w = 0;")
            self.places += ["u.w", "u.c[0]", "u.c[1]", f"u.c[{self.names[0]} & 3]"]
        if self.maybe(0.6):
            self.declare("int k = 3, m = 4, *p = &k;", "k = 3; m = 4; p = &k;")
            self.places += ["*p", "k", "m"]
            self.targets += ["&k", "&m"]
            self.has_pointer = True
        else:
            self.has_pointer = False
        self.has_heap = self.maybe(0.25)
        if self.has_heap:
            self.declare("struct n { struct n *next; int v; } *h;", "h = 0;")
        self.locals = []
        self.has_calls = bool(self.targets) and self.maybe(0.5)
        if self.has_calls:
            self.functions = (
                f"static void set(int *q, int v) {{ if (v > 2) *q = v; else *q += 1; {self.place()} = {self.value()}; }}\n"
                f"static int get(int v, int w) {{ {self.place()} += w; return {self.value()} + v; }}\n"
            )
        self.locals = ["x"] if self.maybe(0.5) else []
        body = [self.statement(0, True) for _ in range(self.draw.randint(2, 6))]
        check = " && ".join(self.rare() for _ in range(self.draw.randint(1, 3)))
        if self.maybe(0.4):
            x, y = self.draw.sample(self.names, 2)
            by = self.one(1, 1, 2)
            body.insert(self.draw.randint(0, len(body)), f"{x} += {by}; {y} += {by};")
            check = self.one(check, f"{x} != {y}")
        if self.has_heap and self.maybe(0.5):
            check = self.one("h && h->v > 5", "h && h->next == h", "h && h->v < 0")
        body.insert(self.draw.randint(0, len(body)), f"if ({check}) fail();")
        lines = ["  int x = " + self.one("0", "1", "any()") + ";"] if self.locals else []
        lines += ["  while (again()) {", *(f"    {line}" for line in body), "  }"]
        if self.maybe(0.3):
            lines.append(f"  while (again()) {{ {self.statement(1, True)} if ({self.rare()}) fail(); }}")
        if self.maybe(0.3):
            lines.append(f"  if ({self.rare()} && {self.condition()}) fail();")
        self.body = "\n".join(lines)

    def place(self):
        return self.one(*self.places, *self.locals)

    def value(self, depth=0):
        kind = self.draw.random()
        if kind < 0.35 or kind >= 0.68 and depth > 1:
            return self.place()
        if kind < 0.6:
            return str(self.one(0, 1, 1, 2, 3, 4, 5, 7, 8, 10, 16, 100, 255))
        if kind < 0.68:
            return "any()"
        left, right = self.value(depth + 1), self.value(depth + 1)
        operator = self.one("+", "-", "+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>")
        if operator in ("/", "%"):
            right = f"(({right} & 7) + 1)"
        if operator in ("<<", ">>"):
            right = str(self.draw.randint(0, 3))
        if operator in ("*", "/", "%", "<<", ">>"):
            left = f"(unsigned)({left})"
        return f"({left} {operator} {right})"

    def condition(self):
        if self.maybe(0.2):
            return "any() & 1"
        return f"{self.value()} {self.one('==', '!=', '<', '<=', '>', '>=')} {self.value()}"

    def rare(self):
        number = self.one(-1, 0, 2, 3, 6, 9, 11, 17, 23, 40, 63, 100, 127, 128, 200, 254, 255, 300)
        return f"{self.place()} {self.one('==', '==', '>', '<')} {number}"

    def statement(self, depth, in_loop):
        kinds = ["assign"] * 4 + ["change"] * 3 + ["count"] * 2
        kinds += ["point"] * self.has_pointer + ["copy"] * self.has_structs + ["call"] * self.has_calls
        kinds += ["heap"] * (2 * self.has_heap) + ["leave"] * in_loop
        kinds += ["if", "if", "if", "for", "switch"] * (depth < 3)
        nested = lambda loop=in_loop: self.statement(depth + 1, loop)  # noqa: E731
        match self.one(*kinds):
            case "assign":
                return f"{self.place()} = {self.value()};"
            case "change":
                return f"{self.place()} {self.one('+=', '-=', '^=', '|=', '&=')} {self.value()};"
            case "count":
                return f"{self.place()}{self.one('++', '--')};"
            case "point":
                return f"p = {self.one(*self.targets)};"
            case "copy":
                return self.one("s = t;", "t = s;")
            case "call":
                given = f"set({self.one(*self.targets)}, {self.value()});"
                return self.one(given, f"{self.place()} = get({self.value()}, {self.value()});")
            case "heap":
                return self.one(
                    f"{{ struct n *q = malloc(sizeof *q); if (q) {{ q->next = h; q->v = {self.value()}; h = q; }} }}",
                    "if (h) { struct n *q = h; h = h->next; free(q); }",
                    f"if (h) h->v = {self.value()};",
                    "if (h && h->next) h->next->v++;",
                )
            case "leave":
                return f"if ({self.condition()}) {self.one('continue', 'break')};"
            case "for":
                count = f"i{depth}"
                return f"{{ int {count}; for ({count} = 0; {count} < {self.draw.randint(1, 5)}; {count}++) {{ {nested(True)} }} }}"
            case "switch":
                return (
                    f"switch ({self.value()} & 3) {{ case 0: {nested(False)} break; case 1: {nested(False)} "
                    f"default: {nested(False)} }}"
                )
            case _:
                other = f" else {{ {nested()} }}" if self.maybe(0.5) else ""
                return f"if ({self.condition()}) {{ {nested()} }}{other}"


class Arrays(Loops):
    """The same with larger arrays, at places that are not known."""

    large = 0.9


class Machines(Program):
    """States, flags and addresses in a structure of the heap; what is compared may be gone, or come from outside."""

    STATES = [3, 10, 20, 4096, 4099, 8466, -2, 12292]

    def __init__(self, seed):
        super().__init__(seed)
        self.states = self.draw.sample(self.STATES, self.draw.randint(3, 6))
        first = self.one(*self.states)
        self.functions = "struct m { int state; int flag; short count; int next; int *p; int *q; long k; };\n"
        # What is outside may be written, and is never the program's.
        self.outside = self.maybe(0.5)
        cases = []
        for state in self.states:
            body = " ".join(self.step() for _ in range(self.draw.randint(1, 3)))
            cases.append(f"    case {state}: {body} break;")
        check = " && ".join(self.rare() for _ in range(self.draw.randint(1, 2)))
        where = self.draw.randint(0, len(cases) - 1)
        cases[where] = cases[where].replace(": ", f": if ({check}) fail(); ", 1)
        last = self.one("", "    default: return;", f"    default: s->state = {first};")
        lines = [
            "  struct m *s = malloc(sizeof *s); if (!s) return;",
            f"  s->state = {first}; s->flag = s->count = s->next = s->k = 0; s->p = s->q = 0;",
            "  int *o = outer(); if ((unsigned long)o == (unsigned long)(void *)0) return;" if self.outside else "  int *o = 0;",
            "  while (again()) {",
            *(["    *o = any();"] if self.outside and self.maybe(0.7) else []),
            "    switch (s->state) {",
            *cases,
            *([last] if last else []),
            "    }",
            "  }",
        ]
        if self.maybe(0.3):
            lines.append(f"  if ({self.rare()} && {self.rare()}) fail();")
        self.body = "\n".join(lines)

    def addresses(self):
        return self.one("s->p", "s->q", "s->p", "s->q", "o" if self.outside else "s->p")

    def same(self):
        a, b = self.addresses(), self.addresses()
        cast = self.one("", "(unsigned long)", "(unsigned long)(void *)")
        null = self.one(b, b, "(int *)0", "&s->flag")
        return f"{cast}{a} {self.one('==', '!=')} {cast}{null}"

    def rare(self):
        return self.one(
            f"s->flag == {self.one(1, 2, 3, 4, 5)}",
            f"s->flag == {self.one(1, 2, 3, 4, 5)}",
            f"s->next == {self.one(*self.states)}",
            f"s->count {self.one('==', '>')} {self.one(-1, 2, 3, 7)}",
            self.same(),
        )

    def step(self):
        state = self.one(*self.states)
        go = f"s->state = {state};"
        flags = self.draw.sample([0, 1, 2, 3, 4, 5], 2)
        heap = (
            "s->p = malloc(4); if (!s->p) return; *s->p = 1; {} free(s->p); {}",
            "s->q = malloc(4); if (!s->q) return; *s->q = 2; {} free(s->q); {}",
        )
        return self.one(
            go,
            f"if (any() > 3) {go} else s->state = {self.one(*self.states)};",
            f"if (any() & 1) {{ {go} s->flag = {flags[0]}; }}",
            f"if (s->flag == {flags[0]}) s->flag = {flags[1]};",
            f"if (s->flag == {flags[0]}) {{ s->flag = {flags[1]}; {go} }}",
            f"s->next = {state};",
            "s->state = s->next ? s->next : s->state;",
            "s->count++; if (s->count > 3) s->count = 0;",
            f"if ({self.same()}) s->flag = {flags[0]};",
            "s->k = (long)s->flag;",
            self.one(*heap).format(self.one("", f"if ({self.same()}) s->flag = {flags[0]};"), self.one("", "s->p = 0;", "s->q = s->p;")),
            "if (s->q) s->p = s->q;",
        )


class Calls(Program):
    """Functions that call each other as deep as their first argument says."""

    def __init__(self, seed):
        super().__init__(seed)
        self.declare("int g = 0, h = 1;", "g = 0; h = 1;")
        self.names = [f"f{i}" for i in range(self.draw.randint(1, 3))]
        width = lambda: self.one("int", "int", "unsigned char", "short", "unsigned")  # noqa: E731
        pointers = self.maybe(0.35)
        self.parameters = {}
        for name in self.names:
            listed = [(width(), f"x{i}") for i in range(self.draw.randint(1, 2))]
            if pointers and self.maybe(0.5):
                listed.append(("int *", "p"))
            self.parameters[name] = listed
        heads = {}
        for name in self.names:
            listed = ", ".join(f"{ty} {x}" for ty, x in self.parameters[name])
            heads[name] = f"static {width()} {name}({listed})"
            self.functions += f"{heads[name]};\n"
        for name in self.names:
            self.known = [x for _, x in self.parameters[name]]
            first = self.known[0]
            body = [f"int l = {self.one('0', '1', first)};"]
            body.append(f"deeper(); if ({first} <= 0) {{ {self.place()} = {self.value()}; return {self.value()}; }}")
            body += [self.statement() for _ in range(self.draw.randint(1, 4))]
            body.append(f"return {self.value()};")
            self.functions += f"{heads[name]} {{ {' '.join(body)} }}\n"
        self.known = ["x"]
        bound = self.one("any()", "3", "any() & 3")
        check = self.one(
            f"x {self.one('==', '>', '<')} {self.one(-1, 0, 2, 4, 6, 9, 12, 20, 64, 100)}",
            f"g {self.one('==', '>', '<')} {self.one(-1, 0, 2, 4, 6, 9, 12)}",
            f"x {self.one('==', '>', '<')} g",
            "h != 1",
            "g > h",
        )
        if self.maybe(0.4):
            check += self.one(" && h == 3", " && l > 2", " && g == 5", " && x != 1")
        self.body = (
            f"  int l = 0, x = any();\n  x = {self.names[0]}({self.arguments(self.names[0], bound)});\n"
            f"  if ({check}) fail();"
        )

    def scalars(self):
        pointed = ["*p"] if "p" in self.known else []
        return [x for x in self.known if x != "p"] + ["g", "h", "l"] + pointed

    def place(self):
        return self.one(*self.scalars())

    def value(self, depth=0):
        kind = self.draw.random()
        if kind < 0.5:
            return self.place()
        if kind < 0.75 or depth > 1:
            return str(self.one(0, 1, 1, 2, 3, 5, 7))
        return f"({self.value(depth + 1)} {self.one('+', '-', '+', '*', '&', '|')} {self.value(depth + 1)})"

    def condition(self):
        if self.maybe(0.3):
            return "any() & 1"
        return f"{self.value()} {self.one('==', '!=', '<', '>', '>=')} {self.value()}"

    def arguments(self, name, first):
        out = []
        for i, (ty, _) in enumerate(self.parameters[name]):
            if ty == "int *":
                out.append(self.one("&g", "&h", "&l", *(["p"] if "p" in self.known else [])))
            else:
                out.append(first if i == 0 else self.value())
        return ", ".join(out)

    def statement(self):
        match self.one("call", "call", "change", "if", "check"):
            case "call":
                callee = self.one(*self.names)
                return f"{self.place()} = {callee}({self.arguments(callee, self.known[0] + ' - 1')});"
            case "change":
                return f"{self.place()} += {self.value()};"
            case "if":
                return f"if ({self.condition()}) {{ {self.place()} = {self.value()}; }}"
            case _:
                return f"if ({self.condition()} && {self.condition()}) fail();"


def ran(program, seed, folder, runs):
    """`failed`, `passed`, or what else became of the compiled program."""
    source, binary = folder / "native.c", folder / "native"
    source.write_text(program.native(seed, runs))
    done = subprocess.run(["gcc", "-w", "-fwrapv", "-O1", "-o", binary, source], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"seed {seed} does not compile:\n{done.stderr}")
    try:
        done = subprocess.run([binary], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "slow"
    if "failed" in done.stdout:
        return "failed"
    return "passed" if done.returncode == 0 else "crashed"


def sealed(body):
    """A proof with the checksum that it has to have."""
    total = 0xCBF29CE484222325
    for byte in body.encode():
        total = ((total ^ byte) * 0x100000001B3) & (2**64 - 1)
    return f'{body},\n"checksum":"{total:016x}"}}\n'


def replayed(bop, source, proof, draw):
    """What is wrong with a saved proof, or none."""
    def told(path):
        done = subprocess.run([bop, "replay", source, path, "--timeout", "20s"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    code, text = told(proof)
    if code == 3 and "time" in text:
        return None
    if code != 0 or "accepted" not in text:
        return f"its proof is not accepted: {text}"
    body = proof.read_text().split(',\n"checksum"')[0]
    places = list(re.finditer(r'(?<="number":")\d+|(?<="place":)\d+|(?<="rounds":)\d+', body))
    if not places:
        return None
    at = draw.choice(places)
    other = max(0, int(at.group()) + draw.choice([-1, 1, 7]))
    damaged = proof.with_name("damaged.json")
    damaged.write_text(sealed(body[: at.start()] + str(other) + body[at.end() :]))
    json.loads(damaged.read_text())
    code, text = told(damaged)
    if code not in (0, 1, 3) or "internal" in text:
        return f"damaged: exit {code}: {text}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bop", required=True)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", default="pdr")
    parser.add_argument("--timeout", default="4s")
    parser.add_argument("--kind", choices=["loops", "calls", "arrays", "machines"])
    parser.add_argument("--out", default=".")
    parser.add_argument("--replay", action="store_true")
    args = parser.parse_args()
    counts, wrong = collections.Counter(), 0
    for seed in range(args.seed, args.seed + args.n):
        kinds = {"loops": Loops, "calls": Calls, "arrays": Arrays, "machines": Machines}
        made = kinds[args.kind] if args.kind else list(kinds.values())[seed % 4]
        program = made(seed)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            native = ran(program, seed, folder, 20_000)
            text = program.for_bop()
            source = folder / "p.c"
            source.write_text(text)
            command = [args.bop, "check", source, "--assert", "--engine", args.engine, "--timeout", args.timeout, "-q"]
            proof = folder / "p.json"
            command += ["--proof", proof] if args.replay else []
            done = subprocess.run(command, capture_output=True, text=True)
            refused = None
            if args.replay and done.returncode == 0:
                refused = replayed(args.bop, source, proof, random.Random(seed))
        said = (done.stdout.split(":")[0] or "error").strip()
        counts[f"{native}, {said}"] += 1
        internal = "internal" in done.stdout + done.stderr or done.returncode not in (0, 1, 3)
        if refused:
            print(f"seed {seed}: {refused}")
        if refused or internal or (native == "failed" and said == "holds"):
            wrong += 1
            kept = pathlib.Path(args.out) / f"proof-{seed}.c"
            kept.write_text(text)
            print(f"seed {seed}: a run {native}, bop says {said} (exit {done.returncode}): {kept}\n{done.stderr}")
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    print(f"{args.n} programs, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
