//! Large objects that are accessed at places that are not known.

use crate::common::{answers, comes_to, load, points};
use engine_bounded::Inputs;

#[test]
fn late_writes_are_read() {
    let text = "int a[100000];
        int main(void) {
          unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
          if (i >= 100000 || j >= 100000) return 0;
          a[7] = 70;
          a[i] = 3;
          a[j] = 4;
          if (a[i] != 3 && i != j) LOST: return 1;
          if (a[j] != 4) LAST: return 2;
          if (i == j && a[i] == 4) SAME: return 3;
          if (a[7] == 70 && i == 7) OVER: return 4;
          if (a[7] == 70) KEPT: ;
          if (a[12345] != 0 && i != 12345 && j != 12345) OTHER: return 5;
          unsigned k = __VERIFIER_nondet_uint();
          if (k < 100000 && a[k] == 70 && k != 7) ONLY: return 6;
          if (k < 100000 && a[k] == 4 && k > 99990) FOUND: return 7;
          return 0;
        }";
    let labels = ["LOST", "LAST", "SAME", "OVER", "KEPT", "OTHER", "ONLY", "FOUND"];
    let expected = [
        "unreached",
        "unreached",
        "reached",
        "unreached",
        "reached",
        "unreached",
        "unreached",
        "reached",
    ];
    assert_eq!(answers(text, &labels, None), expected);
}

#[test]
fn late_writes_overlap() {
    let text = "union { unsigned char bytes[80000]; unsigned words[20000]; } u;
        int main(void) {
          unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
          if (i >= 20000 || j >= 80000) return 0;
          u.words[i] = 0x04030201;
          u.bytes[j] = 9;
          unsigned w = u.words[i];
          if (w == 0x04090201) THIRD: if (j != 4 * i + 2) WRONG: return 1;
          if (w != 0x04030201 && j / 4 != i) APART: return 2;
          if (u.bytes[4 * i + 1] == 2 && j == 4 * i + 1) OLD: return 3;
          return 0;
        }";
    let labels = ["THIRD", "WRONG", "APART", "OLD"];
    assert_eq!(answers(text, &labels, None), ["reached", "unreached", "unreached", "unreached"]);
}

#[test]
fn states_meet_with_late_writes() {
    let text = "int a[50000];
        int main(void) {
          unsigned i = __VERIFIER_nondet_uint(); int c = __VERIFIER_nondet_int();
          if (i >= 50000) return 0;
          a[i] = 1;
          if (c > 0) { a[i] = 2; if (c > 5) a[49999] = 6; } else a[i + 0u] = 3;
          if (a[i] == 1) NEITHER: return 1;
          if (c > 0 && a[i] == 3) ELSE: return 2;
          if (a[i] == 6 && i == 49999) LAST: return 3;
          if (a[49999] == 6 && c < 6) EARLY: return 4;
          for (int k = 0; k < 3; k++) if (a[(i + k) % 50000] == 3 && k == 2) LOOP: return 5;
          return 0;
        }";
    let labels = ["NEITHER", "ELSE", "LAST", "EARLY", "LOOP"];
    let expected = ["unreached", "unreached", "reached", "unreached", "unreached"];
    assert_eq!(answers(text, &labels, None), expected);
}

/// What was never written is arbitrary, wherever it is read.
#[test]
fn nothing_is_said_of_what_was_never_written() {
    let text = "int main(void) {
          int a[100000];
          unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
          if (i >= 100000 || j >= 100000) return 0;
          a[i] = 5;
          if (a[j] == 77) ANY: return 1;
          return 0;
        }";
    assert_eq!(answers(text, &["ANY"], None), ["unknown approximate"]);
}

/// Writes and reads at random places, against executions on every input.
#[test]
fn as_executed() {
    let mut dice = 1u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    for seed in 0..8 {
        let mut body = String::new();
        let places = ["in", "in + 1", "in * 7", "3", "40 - in", "in ^ 5", "in / 2", "36"];
        let mut labels = 0;
        for _ in 0..14 {
            let (p, q) = (places[roll(8) as usize], places[roll(8) as usize]);
            let array = ["a.wide", "a.narrow", "a.bytes"][roll(3) as usize];
            let other = ["a.wide", "a.narrow", "a.bytes"][roll(3) as usize];
            match roll(4) {
                0 => body += &format!("{array}[2000 + {p}] = {};\n", roll(70_000)),
                1 => body += &format!("if (in & {}) {array}[2000 + {p}] = x;\n", 1 << roll(5)),
                2 => body += &format!("x += {other}[2000 + {q}];\n"),
                _ => {
                    let value = roll(3);
                    body +=
                        &format!("if ({other}[2000 + {q}] % 3 == {value}) {{ L{labels}: ; }}\n");
                    labels += 1;
                }
            }
        }
        body += &format!("if (x % 5 == {}) {{ L{labels}: ; }}\n", roll(5));
        let text = format!(
            "static union {{ unsigned wide[10000]; unsigned short narrow[20000]; unsigned char bytes[40000]; }} a;
             int main(void) {{
               unsigned in = __VERIFIER_nondet_uchar();
               unsigned x = in;
               if (in > 40) return 0;
               {body}
               return 0;
             }}"
        );
        let names: Vec<String> = (0..=labels).map(|i| format!("L{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = answers(&text, &names, None);
        let program = load(&text);
        for (name, found) in names.iter().zip(&found) {
            let points = points(&program, name);
            let reached = (0..=40).any(|value| {
                let values = vec![("__VERIFIER_nondet_uchar".to_owned(), value)];
                comes_to(&program, &points, &Inputs { values, ..Inputs::default() })
            });
            let expected = if reached { "reached" } else { "unreached" };
            assert_eq!(found, expected, "round {seed}, {name}:\n{text}");
        }
    }
}
