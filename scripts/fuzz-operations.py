#!/usr/bin/env python3
"""Compares what `bop check` says of operations (memory, overflow, division) with what the compiler's sanitizers see.

    scripts/fuzz-operations.py --bop target/debug/bop [--n 200] [--seed 1] [--timeout 10s] [--out DIR]

Random programs with two inputs of three bits use memory in the ways that break it: heap, lists, arrays, strings, pointers
to locals, memory that is freed twice or too early. Each is compiled with the sanitizers of one kind of operation and run on all
64 inputs, every run a process of its own, so that it is known which operation fails first in which run. Wrong are

- `holds` where a run fails;
- a finding whose inputs, given to the program, do not fail in its line;
- an operation that some run fails at, which is not among the findings although nothing is said to be undecided;
- an internal error.

What the sanitizers do not see (an access that lands in another object) is kept apart by wide red zones.
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

HEAD = """#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
struct node { int v; struct node *next; };
struct pair { int a; char b[6]; int *p; };
int before[64] = {1};
int g[4] = {1, 2, 3, 4};
char text[8] = "abcdef";
int *kept;
struct node *list;
unsigned sum;
"""

# Each run is a process of its own; the parent only counts.
NATIVE = """
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
static int given[2], next_given;
int __VERIFIER_nondet_int(void) { return given[next_given++ & 1]; }
int program(void);
int main(int argc, char **argv) {
  if (argc == 3) { given[0] = atoi(argv[1]); given[1] = atoi(argv[2]); return program() & 0; }
  for (int i = 0; i < 64; i++) {
    fprintf(stderr, "RUN %d\\n", i);
    fflush(stderr);
    pid_t child = fork();
    if (!child) { given[0] = i & 7; given[1] = i >> 3; program(); _exit(0); }
    int status;
    waitpid(child, &status, 0);
    fprintf(stderr, "END %d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : 200);
  }
  return 0;
}
"""

KINDS = {
    # A run ends at a division by zero, whatever is asked; a compiler may leave such a division out.
    "memory-safety": ["-fsanitize=address,bounds,integer-divide-by-zero"],
    "overflow": ["-fsanitize=signed-integer-overflow,integer-divide-by-zero"],
    "division": ["-fsanitize=integer-divide-by-zero"],
}
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:redzone=256:detect_stack_use_after_return=1:max_malloc_fill_size=0:exitcode=77",
    "UBSAN_OPTIONS": "halt_on_error=1:exitcode=77",
    "PATH": "/usr/bin:/bin",
}


class Program:
    """A random program; every statement that may fail stands in a line of its own."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.lines = []
        self.fresh = 0
        self.depth = 0
        self.pointers = ["p", "q"]
        self.functions = []

    def one(self, *choices):
        return self.draw.choice(choices)

    def maybe(self, chance):
        return self.draw.random() < chance

    def number(self):
        return self.one("x", "y", "x & 3", "y & 1", "(x + y) & 3", "x ^ y", "0", "1", "2", "3", "4", "x - 1", "y - 2")

    def index(self):
        return self.one("x & 3", "y & 3", "0", "1", "3", "x", "y", "x - 1", "(x ^ y) & 3", "x & y")

    def condition(self):
        return self.one(
            f"x < {self.draw.randrange(8)}", f"y == {self.draw.randrange(8)}", "x > y", "x & 1", "(x ^ y) == 3", "y > 5", "p", "!q", "p == q",
            "x + y < 9", "list", "sum & 1",
        )

    def emit(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def name(self, letter):
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def block(self, size):
        self.depth += 1
        pointers = list(self.pointers)
        for _ in range(size):
            self.statement()
        self.pointers = pointers
        self.depth -= 1

    def pointer(self):
        return self.draw.choice(self.pointers)

    def statement(self):
        if self.depth < 3 and self.maybe(0.22):
            if self.maybe(0.7):
                self.emit(f"if ({self.condition()}) {{")
                self.block(self.draw.randrange(1, 4))
                if self.maybe(0.4):
                    self.emit("} else {")
                    self.block(self.draw.randrange(1, 3))
            else:
                i = self.name("i")
                self.emit(f"for (int {i} = 0; {i} < {self.one('3', 'x', '(y & 3)', '4')}; {i}++) {{")
                self.depth += 1
                self.emit(self.one(f"g[{i}] = x;", f"sum += (unsigned){i};", f"{self.pointer()}[{i} & 1] = {i};", f"text[{i}] = 'z';"))
                self.depth -= 1
                self.block(self.draw.randrange(0, 2))
            self.emit("}")
            return
        p, q = self.pointer(), self.pointer()
        size = self.one("1", "2", "4", "(x & 3) + 1", "x")
        kind = self.draw.randrange(24)
        if kind <= 1:
            self.emit(f"{p} = malloc({size} * sizeof(int));")
            if self.maybe(0.8):
                self.emit(f"if (!{p}) exit(0);")
                self.emit(f"memset({p}, 0, {size} * sizeof(int));")
        elif kind == 2:
            self.emit(f"{p} = calloc({self.one('3', 'y + 1', '4')}, sizeof(int));")
        elif kind == 3:
            self.emit(f"{p} = realloc({q}, {self.one('8', '16', '4 * (y + 1)')});")
            if self.maybe(0.7) and p != q:
                self.emit(f"{q} = {p};")
        elif kind <= 5:
            self.emit(f"free({p});")
            if self.maybe(0.5):
                self.emit(f"{p} = 0;")
        elif kind == 6:
            self.emit(f"{p} = {q};")
        elif kind == 7:
            self.emit(f"{p} = {self.one('g', 'g + 1', '&g[x & 3]', '0', 'kept')};")
        elif kind == 8:
            self.emit(f"if ({p}) {p}[{self.index()}] = {self.number()};")
        elif kind == 9:
            self.emit(f"if ({p}) sum += (unsigned){p}[{self.index()}];")
        elif kind == 10:
            self.emit(f"sum += (unsigned)*{p};")
        elif kind == 11:
            self.emit(f"g[{self.index()}] = {self.number()};")
        elif kind == 12:
            n = self.name("n")
            self.emit(f"struct node *{n} = malloc(sizeof *{n});")
            self.emit(f"if (!{n}) exit(0);")
            self.emit(f"{n}->v = {self.number()};")
            self.emit(f"{n}->next = list;")
            self.emit(f"list = {n};")
        elif kind == 13:
            n = self.name("n")
            self.emit(f"struct node *{n} = list;")
            self.emit(f"if ({n}) {{")
            self.depth += 1
            if self.maybe(0.8):
                self.emit(f"list = {n}->next;")
            self.emit(f"free({n});")
            if self.maybe(0.2):
                self.emit(f"sum += (unsigned){n}->v;")
            self.depth -= 1
            self.emit("}")
        elif kind == 14:
            n = self.name("n")
            self.emit(f"for (struct node *{n} = list; {n}; {n} = {n}->next)")
            self.emit(f"  sum += (unsigned){n}->v;")
        elif kind == 15:
            self.emit(f"memcpy({self.one('g', 'text', 'u.b')}, {self.one('text', 'g')}, {self.one('x', 'y + 4', '4', '8')});")
        elif kind == 16:
            self.emit(self.one("strcpy(text, \"ab\");", "text[x] = 0;", "strcat(text, \"gh\");", "sum += (unsigned)strlen(text);", "strcpy(u.b, text);"))
        elif kind == 17:
            v = self.name("v")
            self.emit(f"int {v}[3] = {{x, y, 1}};")
            self.emit(f"sum += (unsigned){v}[{self.index()}];")
        elif kind == 18:
            self.emit(f"u.p = {p};")
            self.emit(f"u.b[{self.index()}] = 'q';")
        elif kind == 19:
            self.emit("if (u.p) *u.p = x;")
        elif kind == 20:
            self.emit(f"{p} = {self.one('pick', 'local', 'fresh', 'drop')}({q}, {self.number()});")
        elif kind == 21:
            self.emit(f"int {self.name('d')} = {self.number()} {self.one('/', '%')} ({self.one('x', 'y - 3', 'x - y', 'x + y', 'g[x & 3]', 'x | 1')});")
        elif kind == 22:
            self.emit(f"big = big {self.one('+', '*', '-')} ({self.number()});")
        else:
            self.emit(f"big = {self.one('2147483640', '-2147483644', '1 << 20', '65537')};")

    def text(self):
        self.block(self.draw.randrange(8, 22))
        helpers = [
            "int *pick(int *p, int n) {", "  if (n > 2)", "    return p;", "  return g + n;", "}",
            "int *local(int *p, int n) {", "  int here[2] = {n, n};", "  kept = here;", "  return n > 1 ? p : kept;", "}",
            "int *fresh(int *p, int n) {", "  int *m = malloc(8);", "  if (!m) exit(0);", "  m[0] = m[1] = n;", "  if (p && n == 3)", "    free(p);", "  return m;", "}",
            "int *drop(int *p, int n) {", "  if (n & 1)", "    free(p);", "  return n > 4 ? 0 : p;", "}",
        ]
        body = ["int main(void) {", "  int x = __VERIFIER_nondet_int() & 7;", "  int y = __VERIFIER_nondet_int() & 7;",
                "  int *p = 0, *q = 0, big = 1;", "  struct pair u;", "  memset(&u, 0, sizeof u);", *self.lines,
                "  return (int)(sum & 1) + (big & 1);", "}"]
        return HEAD + "\n".join([*helpers, *body]) + "\n"


def lines_of(report, name, kind):
    """The line of the program that a sanitizer's report about operations of a kind is about, if it names one."""
    if kind != "division" and "runtime error: division by zero" in report:
        return None
    runtime = re.search(re.escape(name) + r":(\d+):\d+: runtime error", report)
    if runtime:
        return int(runtime.group(1))
    # A division by zero is another question.
    if "AddressSanitizer" in report and "AddressSanitizer: FPE" not in report:
        first = report.split("\n\n")[0]
        where = re.search(r"#\d+ 0x[0-9a-f]+ in \S+ .*?" + re.escape(name) + r":(\d+)", first)
        if where:
            return int(where.group(1))
    return None


def native(folder, kind, text):
    source = folder / "program.c"
    source.write_text(text.replace("int main(void) {", "int program(void) {", 1))
    (folder / "native.c").write_text("#include <stdlib.h>\n" + NATIVE)
    binary = folder / kind
    command = ["gcc", "-O0", "-g", "-w", "-fwrapv" if kind == "memory-safety" or kind == "division" else "-fno-wrapv", "-fno-builtin",
               "-fno-sanitize-recover=all", *KINDS[kind], str(source), str(folder / "native.c"), "-o", str(binary)]
    subprocess.run(command, check=True, capture_output=True)
    return binary


def runs(binary, kind):
    done = subprocess.run([str(binary)], capture_output=True, env=ENVIRONMENT, timeout=120)
    seen = {}
    for part in done.stderr.decode(errors="replace").split("RUN ")[1:]:
        head, _, rest = part.partition("\n")
        status = int(re.search(r"END (\d+)", rest).group(1))
        seen[int(head)] = (status, lines_of(rest, "program.c", kind))
    return seen


def one(binary, values, kind):
    done = subprocess.run([str(binary), *map(str, values)], capture_output=True, env=ENVIRONMENT, timeout=20)
    return done.returncode, lines_of(done.stderr.decode(errors="replace"), "program.c", kind)


def judge(bop, seed, timeout, out):
    """What is wrong with the answers about the program of a seed."""
    text = Program(seed).text()
    wrong, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in KINDS:
            binary = native(folder, kind, text)
            seen = runs(binary, kind)
            # A run that dies without a report is undefined in another way, and says nothing.
            failing = {line for status, line in seen.values() if status == 77 and line}
            odd = any(status not in (0, 77) for status, _ in seen.values())
            asked = folder / "asked.c"
            asked.write_text(text)
            done = subprocess.run([bop, "check", str(asked), f"--{kind}", "--format", "json", "--timeout", timeout],
                                  capture_output=True, timeout=300)
            try:
                report = json.loads(done.stdout)
            except json.JSONDecodeError:
                wrong.append(f"{kind}: no report, exit {done.returncode}: {done.stderr.decode()[:200]}")
                continue
            verdicts = {result["verdict"] for result in report["results"]}
            if any(result.get("stop_reason") == "internal" for result in report["results"]):
                wrong.append(f"{kind}: internal error")
            found = set()
            for result in report["results"]:
                counts[result["verdict"]] += 1
                if result["verdict"] != "violated":
                    continue
                line = result["place"]["line"]
                # What is lost is not looked at by these sanitizers.
                if "lost" in result["message"] or "not freed" in result["message"]:
                    continue
                found.add(line)
                values = [int(value["value"]) & 7 for value in result["inputs"]["values"]] + [0, 0]
                status, at = one(binary, values[:2], kind)
                if (status, at) != (77, line):
                    steps = {step["line"] for step in result["trace"]["steps"]} if result.get("trace") else set()
                    wrong.append(f"{kind}: found at line {line} with inputs {values[:2]} ({result['message']}), executed: {status} at {at}")
            if failing and verdicts <= {"holds"}:
                wrong.append(f"{kind}: holds, but fails at {sorted(failing)}")
            missed = failing - found
            told = any("is not known" in warning for result in report["results"] for warning in result.get("warnings", []))
            if missed and "unknown" not in verdicts and not told and not odd:
                wrong.append(f"{kind}: not among the findings: {sorted(missed)}")
            counts[f"{kind}: {'fails' if failing else 'fine'}, {'/'.join(sorted(verdicts))}"] += 1
    if wrong and out:
        (out / f"{seed}.c").write_text(text)
    return wrong, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bop", default="target/debug/bop")
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", default="10s")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--print", action="store_true", help="print the program of the seed")
    arguments = parser.parse_args()
    if arguments.print:
        print(Program(arguments.seed).text(), end="")
        return 0
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
    counts, failed = collections.Counter(), 0
    for seed in range(arguments.seed, arguments.seed + arguments.n):
        wrong, more = judge(arguments.bop, seed, arguments.timeout, arguments.out)
        counts += more
        for text in wrong:
            print(f"seed {seed}: {text}", flush=True)
        failed += bool(wrong)
    for what, count in sorted(counts.items()):
        print(f"{count:6} {what}")
    print(f"{arguments.n - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
