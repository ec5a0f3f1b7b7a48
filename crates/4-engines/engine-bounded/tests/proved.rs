//! Programs whose loops have no end, proved; and their twins in which something happens.

use crate::common::{comes_to, load, points};
use ::check::{Budget, Limits};
use engine_bounded::{Goal, blocks};
use engine_predicates::{Proof, Proved, check, prove, shrink};
use std::time::Duration;

/// What is said of the label `E`.
fn answer(text: &str) -> String {
    answer_with(text, &Budget::unlimited())
}

/// The same, if it is found in time.
pub(crate) fn answer_within(text: &str, time: Duration) -> String {
    answer_with(text, &Budget::new(Limits { time: Some(time), ..Limits::default() }))
}

fn answer_with(text: &str, budget: &Budget) -> String {
    let program = load(text);
    let goals = [Goal { points: points(&program, "E") }];
    let mut made = match blocks(&program, &goals, None, budget) {
        Ok(made) => made,
        Err(reason) => return format!("unknown: {reason}"),
    };
    let bads = made.bads(0);
    match prove(&mut made.graph, &bads.all, budget).0 {
        Proved::Safe(proof) => {
            let small = shrink(&mut made.graph, &bads.all, &proof, budget).unwrap();
            // On a graph that is made again.
            let mut again = blocks(&program, &goals, None, budget).unwrap();
            let bads = again.bads(0);
            for proof in [&proof, &small] {
                assert_eq!(check(&mut again.graph, &bads.all, proof, budget), Ok(()), "{text}");
            }
            // Without any clause it is a proof only where nothing has to be known.
            let none = Proof { clauses: vec![Vec::new(); small.clauses.len()] };
            let trivial = check(&mut again.graph, &bads.all, &none, budget).is_ok();
            assert_eq!(trivial, small == none, "{text}");
            "unreached".to_owned()
        }
        Proved::Run(run) => match &bads.reasons[run.bad] {
            Some(reason) => format!("unknown: {reason}"),
            None => {
                let inputs = made.inputs(&run);
                match comes_to(&program, &goals[0].points, &inputs) {
                    true => "reached".to_owned(),
                    false => "unknown: refused".to_owned(),
                }
            }
        },
        Proved::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// True programs, each with what makes it false: text that is replaced.
const TWINS: &[(&str, &str, &str)] = &[
    // A lock.
    (
        "int main() { int l = 0; while (1) { if (l) { E: return 1; } l = 1;
         if (__VERIFIER_nondet_int()) { l = 0; } else { l = 0; } } }",
        "else { l = 0; }",
        "",
    ),
    // A machine of states.
    (
        "int main() { int s = 0, f = 0; for (;;) { switch (s) {
         case 0: s = 3; break;
         case 3: if (__VERIFIER_nondet_int()) { s = 7; f = 1; } break;
         case 7: if (f != 1) { E: return 1; } s = __VERIFIER_nondet_int() ? 0 : 9; f = 0; break;
         default: s = 0; } } }",
        "s = 7; f = 1;",
        "s = 7;",
    ),
    // Counters in lockstep, for all numbers of rounds.
    (
        "int main() { unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
         while (i < n) { i++; j++; } if (i != j) { E: return 1; } return 0; }",
        "i++; j++;",
        "i++; j++; if (i == 3) j = 0;",
    ),
    // A bound.
    (
        "int main() { int i = 0; while (__VERIFIER_nondet_int()) { if (i < 10) i++; }
         if (i > 10) { E: return 1; } return 0; }",
        "i < 10",
        "i < 11",
    ),
    // Nested loops.
    (
        "int main() { int i, j, k = 0; for (i = 0; i < 1000; i++) { for (j = 0; j < __VERIFIER_nondet_int(); j++) {
         if (i < 0 || i >= 1000) { E: return 1; } } } return 0; }",
        "i >= 1000",
        "i >= 2",
    ),
    // A number that wraps around: a loop over all values of a byte.
    (
        "int main() { unsigned char i = 0; while (__VERIFIER_nondet_int()) { i += 2; if (i == 7) { E: return 1; } }
         return 0; }",
        "i == 7",
        "i == 6",
    ),
    (
        "int main() { unsigned char i = 1; while (__VERIFIER_nondet_int()) { i++; if (i == 0) i = 1;
         if (!i) { E: return 1; } } return 0; }",
        "if (i == 0) i = 1;",
        "",
    ),
    // Signed numbers wrap around, too, where overflow is not asked about.
    (
        "int main() { int i = 0; while (__VERIFIER_nondet_int()) { i = (i + 1) % 100; if (i < 0) { E: return 1; } }
         return 0; }",
        "i < 0",
        "i > 98",
    ),
    // Bits.
    (
        "int main() { unsigned x = 1; while (__VERIFIER_nondet_int()) { x = (x << 1) | (x >> 31);
         if ((x & (x - 1)) != 0) { E: return 1; } } return 0; }",
        "(x >> 31)",
        "(x >> 30)",
    ),
    // Globals, and a function with a loop of its own.
    (
        "int g; void step(void) { int k; for (k = 0; k < __VERIFIER_nondet_int(); k++) { if (g > 5) g = 0; else g++; } }
         int main() { while (1) { step(); if (g > 6) { E: return 1; } } }",
        "g > 6",
        "g > 5",
    ),
    // A pointer to one of two objects.
    (
        "int a, b; int main() { int *p = &a; while (1) { if (__VERIFIER_nondet_int()) p = &a; else p = &b;
         *p = 1; if (a > 1 || b > 1) { E: return 1; } } }",
        "*p = 1;",
        "*p = *p + 1;",
    ),
    // A struct.
    (
        "struct s { int n; char full; } q; int main() { while (1) {
         if (__VERIFIER_nondet_int() && q.n < 4) q.n++; else if (q.n > 0) q.n--; q.full = q.n == 4;
         if (q.full && q.n != 4) { E: return 1; } } }",
        "q.full = q.n == 4;",
        "if (q.n == 4) q.full = 1;",
    ),
    // Four numbers that balance.
    (
        "int main() { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), r = a, n = b;
         while (n > 0) { n--; r++; } if (r != a + b) { E: return 1; } return 0; }",
        "n--; r++;",
        "n--; r++; if (n == 1) r++;",
    ),
    // Three, with a factor.
    (
        "int main() { unsigned char i = 0, a = 0, b = 0; while (__VERIFIER_nondet_int()) {
         if (__VERIFIER_nondet_int()) { a += 1; b += 2; } else { a += 2; b += 1; } i++;
         if ((unsigned char)(a + b) != (unsigned char)(3 * i)) { E: return 1; } } return 0; }",
        "a += 2; b += 1;",
        "a += 2; b += 2;",
    ),
    // How far two numbers are apart depends on a state.
    (
        "int main() { int s = 0; unsigned t = 0, l = 0; while (1) { switch (s) {
         case 0: t = l = __VERIFIER_nondet_uint(); s = 1; break;
         case 1: t++; s = 2; break;
         case 2: t++; s = __VERIFIER_nondet_int() ? 3 : 4; break;
         case 3: t++; s = 5; break;
         case 4: t++; s = 5; break;
         case 5: if (t != l + 3) { E: return 1; } s = 0; break; } } }",
        "case 4: t++;",
        "case 4: ",
    ),
    // Memory that is taken and given back in each round.
    (
        "void *malloc(unsigned long); void free(void *);
         int main() { while (1) { int *p = malloc(4); *p = __VERIFIER_nondet_int(); int x = *p;
         if (x != *p) { E: return 1; } free(p); } }",
        "if (x != *p)",
        "if (x == 77)",
    ),
];

#[test]
fn endless_loops_are_proved_and_their_twins_are_not() {
    for (text, old, new) in TWINS {
        assert_eq!(answer(text), "unreached", "{text}");
        assert!(text.contains(old), "{text}");
        assert_eq!(answer(&text.replacen(old, new, 1)), "reached", "{text} with {new}");
    }
}

#[test]
fn what_is_not_certain_is_not_proved() {
    for text in [
        // What was never written may be anything.
        "int main() { int x; while (__VERIFIER_nondet_int()) { if (x == 5) { E: return 1; } } return 0; }",
        // A local of the body has no value in the next round.
        "int main() { int first = 1; while (__VERIFIER_nondet_int()) { int x; if (first) { x = 1; first = 0; }
         if (x != 1) { E: return 1; } } return 0; }",
        // It may change by itself.
        "volatile int v; int main() { while (1) { if (v) { E: return 1; } } }",
        // Addresses are numbers that nobody knows.
        "int a, b; int main() { while (1) { if ((unsigned long)&a % 64 == 4) { E: return 1; } } }",
        // What is gone may be where something else is, also if that is asked of numbers.
        "void *malloc(unsigned long); void free(void *); int main() { int *old = 0;
         while (__VERIFIER_nondet_int()) { int *p = malloc(4); if ((unsigned long)p == (unsigned long)old) { E: return 1; } free(p);
         old = p; } return 0; }",
        // A pointer that is compared with an address of the program may be that, after all.
        "void *__VERIFIER_nondet_pointer(void); int x; int main() { int *p = __VERIFIER_nondet_pointer();
         while (1) { if (p == &x) { *p = 5; if (x == 5) { E: return 1; } } } }",
        "void *__VERIFIER_nondet_pointer(void); int x; int main() { int *p = __VERIFIER_nondet_pointer();
         while (1) { if ((unsigned long)p == (unsigned long)&x) { *p = 5; if (x == 5) { E: return 1; } } } }",
        // It is read after it was given back.
        "void *malloc(unsigned long); void free(void *); int main() { int *old = 0; while (1) {
         int *p = malloc(4); *p = 1; if (old && *old != 1) { E: return 1; } free(p); old = p; } }",
        // Memory that is kept, round by round.
        "void *malloc(unsigned long); int main() { int *last = 0, n = 0; while (1) { int *p = malloc(4); *p = n++;
         if (last && *last == 100000) { E: return 1; } last = p; } }",
        // Recursion that is too deep to be followed, and writes through a pointer.
        "void f(int *p, int n) { if (n <= 0) return; *p = 0; f(p, n - 1); }
         int main() { int x = 0; f(&x, __VERIFIER_nondet_int()); if (x != 0) { E: return 1; } return 0; }",
        // Something outside may do anything.
        "void signal(int, void (*)(int)); int g; void h(int s) { g = 1; }
         int main() { signal(2, h); while (1) { if (g) { E: return 1; } } }",
        // What is read there may be anything.
        "struct s { int *p; int n; } x; void *malloc(unsigned long);
         int main() { struct s *q = malloc(16); while (1) { if (*q->p == 7) { E: return 1; } } }",
        // An access outside of objects comes first, perhaps.
        "int a[4], x; int main() { int i = 0; while (1) { a[i] = 1; i++; if (x) { E: return 1; } } }",
    ] {
        let found = answer(text);
        assert!(found.starts_with("unknown"), "{found}: {text}");
    }
}

/// CU6: what is read through an address of which nothing is known may be anything, and changes nothing.
#[test]
fn what_is_read_outside_of_objects_is_anything() {
    let text = "struct s { int *p; int n; } x; void *malloc(unsigned long);
        int main() { struct s *q = malloc(16); int f = 0; while (1) { if (*q->p == 7) f = 1; else f = 2;
        if (f != 1 && f != 2) { E: return 1; } f = 0; } }";
    assert_eq!(answer(text), "unreached");
    for other in ["f == 1", "f == 2"] {
        let found = answer(&text.replace("f != 1 && f != 2", other));
        assert!(found.starts_with("unknown"), "{found}: {other}");
    }
}

/// OU1, OU2: what is written at a pointer from outside is nothing of the program.
#[test]
fn pointers_from_outside_are_of_nothing_here() {
    let text = "void *__VERIFIER_nondet_pointer(void); int x; int main() { int y = 0, *here = &y;
        int *p = __VERIFIER_nondet_pointer(); if ((unsigned long)p == (unsigned long)(void *)0) return 0;
        *here = 3; while (1) { *p = 5; if (x == 5 || y != 3) { E: return 1; } } }";
    assert_eq!(answer(text), "unreached");
    // No run is executed through it.
    assert_eq!(answer(&text.replace("y != 3", "y == 3")), "unknown: refused");
    // A function that is not here may have been given it.
    let given =
        text.replace("int x;", "int x; void give(int *);").replace("*here = 3;", "give(here);");
    let found = answer_within(&given, Duration::from_secs(20));
    assert!(found != "unreached", "{found}");
    // One that may be of either.
    let either = text.replace("*p = 5", "*(y ? p : &x) = 5").replace("*here = 3", "*here = 0");
    let found = answer_within(&either, Duration::from_secs(20));
    assert!(found != "unreached", "{found}");
}

/// CU2: of two objects that are gone nobody knows whether they were the same.
#[test]
fn what_is_gone_need_not_be_the_same() {
    let text = "void *malloc(unsigned long); void free(void *); int main() { int *p = malloc(4), *q = malloc(4);
        free(p); free(q); while (1) { if (p != q) { E: return 1; } } }";
    assert_eq!(answer(text), "reached");
    assert_eq!(answer(&text.replace("p != q", "!p")), "unreached");
    // Nor whether they were where something else is.
    let text = "int *keep; void f(void) { int l = 1; if (keep && keep == &l) { E: ; } keep = &l; }
        int main() { while (1) { f(); } }";
    assert_eq!(answer(text), "reached");
}
