//! `--sere` and `--ltl` about the order of calls, of C with its data.

use crate::c::Folder;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); void lock(void); void unlock(void); void work(void);\n";

fn answer(body: &str, asked: &[&str]) -> String {
    let name =
        format!("order-{:x}", body.bytes().fold(7u64, |h, b| h.wrapping_mul(31) ^ u64::from(b)));
    let folder = Folder::new(&name, &[("f.c", &format!("{HEAD}{body}"))]);
    let mut all = vec!["check", "f.c", "--format", "json"];
    all.extend(asked);
    folder.bop(&all).json()["results"][0]["verdict"].as_str().unwrap_or_default().to_owned()
}

/// The lock is taken if a number says so, and given back if another one does, which is the same.
const AGREES: &str =
    "int main(void) { int i = 0, n = __VERIFIER_nondet_int(); while (__VERIFIER_nondet_int()) {
  int a = n + i, b = i + n; if (a > 3) lock(); work(); if (b > 3) unlock(); i++; } return 0; }";
const TWICE: &str = "never {call(lock); !call(unlock)[*]; call(lock)}";

#[test]
fn what_must_not_be_is_decided_both_ways() {
    assert_eq!(answer(AGREES, &["--sere", TWICE]), "holds");
    let broken = AGREES.replace("b > 3", "b > 4");
    assert_eq!(answer(&broken, &["--sere", TWICE]), "violated");
    let formula = "G (call(unlock) -> false) | (!call(unlock) U call(lock))";
    assert_eq!(answer(AGREES, &["--ltl", formula]), "holds");
    assert_eq!(answer(&AGREES.replace("b > 3", "b > 2"), &["--ltl", formula]), "violated");
}

#[test]
fn what_must_come_is_decided_both_ways() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); while (n > 0) n -= 2; if (n < 1) lock(); return 0; }";
    assert_eq!(answer(text, &["--ltl", "F call(lock)"]), "holds");
    assert_eq!(
        answer(&text.replace("n -= 2", "n -= (n != 5)"), &["--ltl", "F call(lock)"]),
        "violated"
    );
    assert_eq!(answer(&text.replace("n < 1", "n < 0"), &["--ltl", "F call(lock)"]), "violated");
    // A failed assertion is an end before it has happened.
    let gives_up = text.replace("while", "if (n == 7) __builtin_abort(); while");
    assert_ne!(answer(&gives_up, &["--ltl", "F call(lock)"]), "holds");
}

#[test]
fn the_end_of_the_program_is_seen() {
    let held = "never {call(lock); !call(unlock)[*]; terminated}";
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), m = n * 2; if (n == 3) lock(); if (m == 6 && n == 3) unlock(); return 0; }";
    assert_eq!(answer(text, &["--sere", held]), "holds");
    assert_eq!(
        answer(&text.replace("m == 6 && n == 3", "m == 6 && n == 4"), &["--sere", held]),
        "violated"
    );
}

/// Calls that names do not tell, and what counts points.
#[test]
fn what_cannot_be_seen_is_left_to_the_skeleton() {
    let by_pointer =
        "int main(void) { int n = 1; void (*p)(void) = lock; if (n) p(); p(); return 0; }";
    assert_ne!(answer(by_pointer, &["--sere", TWICE]), "holds");
    let points = "int main(void) { int n = __VERIFIER_nondet_int(); if (n > 1) { lock(); n++; lock(); } return 0; }";
    assert_eq!(answer(points, &["--sere", "never {call(lock); call(lock)}"]), "holds");
    assert_eq!(answer(points, &["--sere", "never {call(lock); true; call(lock)}"]), "violated");
}

#[test]
fn a_run_and_a_proof_are_checked_again() {
    let folder = Folder::new("order-replayed", &[("f.c", &format!("{HEAD}{AGREES}"))]);
    let asked = ["check", "f.c", "--sere", TWICE, "--proof", "p.json"];
    folder.bop(&asked).exits(0);
    folder.bop(&["replay", "f.c", "p.json"]).exits(0);
    let other = std::fs::read_to_string(folder.path().join("f.c")).unwrap();
    std::fs::write(folder.path().join("g.c"), other.replace("b > 3", "b > 4")).unwrap();
    let found = folder.bop(&["check", "g.c", "--sere", TWICE, "--format", "json"]).exits(1);
    std::fs::write(folder.path().join("r.json"), &found.out).unwrap();
    folder.bop(&["replay", "g.c", "r.json"]).exits(0);
}
