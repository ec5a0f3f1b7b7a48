//! Random text: nothing crashes, and whatever is accepted prints as the same program.

use crate::random::{Random, holds_of_text, mutants};
use crate::support;
use front_remopla::{LowerOptions, lower, parse, print};

/// What holds of every text. Returns whether it was accepted, and whether it is a program.
fn property(text: &str) -> (bool, bool) {
    let lowering = |tree: &_, file: &_| lower(tree, file, &LowerOptions::default());
    let (accepted, program) = holds_of_text("soup.rem", text, parse, print, lowering);
    if let Some(program) = &program {
        program.validate().unwrap_or_else(|invalid| panic!("{invalid} in {text:?}"));
    }
    (accepted, program.is_some())
}

const TOKENS: &str = "define DEFAULT_INT_BITS bool int unsigned enum struct shared void module init \
    if fi do od else goto break return skip undef A E true false pchoice choicep fork --> -> :: : ; \
    , . ' = ! ( ) [ ] { } < > <= >= == != <=> << >> + - * / & | ^ && || ^^ \"t\" 0 1 2 7 x y a b s \
    f g main L M q p i j é @ /* // # ; ; ) ( x x =";

#[test]
fn tokens() {
    let tokens: Vec<&str> = TOKENS.split(' ').filter(|token| !token.is_empty()).collect();
    let mut random = Random(1);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(60) {
            text.push_str(tokens[random.below(tokens.len())]);
            text.push(if random.below(8) == 0 { '\n' } else { ' ' });
        }
        property(&text);
    }
}

const PROGRAM: &str = "define N 3\ndefine DEFAULT_INT_BITS N\nenum T { red, green, blue };\n\
    struct S { int f; bool b; int g[2](2); };\nint x, a[N](2), m[2][1,2](2);\nbool c, d[2];\n\
    struct S s, u;\nstruct P { bool w; int f(3); } t[2];\nenum T e;\ninit main;\nmodule int f(int p, bool q) {\n  int l;\n  l = p + 1, x = p;\n\
    if\n    :: q && l > 2 -> return l;\n    :: else -> K: skip;\n  fi\n  return a[p] * 2;\n}\n\
    module void main() {\n  x = f(x - 1, c || !d[1]), a[0] = 1;\n  do\n    :: x < N -> x = x + 1; \
    m[x][1] = undef;\n    :: E i (0, 2) a[i] == i -> break;\n    :: else -> goto L, A i (0, 2) a[i] = i;\n  od\n\
    L: s.f = 1, s.b = c <=> d[0], t[1].f = s.g[0];\n  u = s; e = blue; c = x << 1 == 4 ^^ (x & 3) != 0;\n\
    x != 2; skip(x' > x && a'[1] == 0);\n  q <y> --> q <z z> \"t\" (x' == x && c)\n  main();\n  return;\n}\n\
    q <z> --> p <> (x == 1)\n";

/// A program with small changes: most are still parsed, many are still programs.
#[test]
fn mutations() {
    support::program(PROGRAM);
    let (mut accepted, mut programs) = (0, 0);
    for text in mutants(PROGRAM, 2, 6_000) {
        let (ok, program) = property(&text);
        accepted += usize::from(ok);
        programs += usize::from(program);
    }
    assert!(accepted > 500 && programs > 100, "{accepted} accepted, {programs} programs");
}
