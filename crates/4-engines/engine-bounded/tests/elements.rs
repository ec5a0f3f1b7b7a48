//! Large arrays, told by one element: programs that hold, each with what makes it fail, and what must not be concluded.

use crate::proved::answer_within;
use std::time::Duration;

/// What makes a program fail takes many rounds, and is not found here.
const BROKEN: Duration = Duration::from_secs(1);

/// True programs, each with what makes it false: text that is replaced.
const TWINS: &[(&str, &str, &str)] = &[
    // All elements are written.
    (
        "int a[100000]; int main() { int i; for (i = 0; i < 100000; i++) a[i] = 42;
         i = __VERIFIER_nondet_int(); if (i >= 0 && i < 100000 && a[i] != 42) { E: return 1; } return 0; }",
        "i < 100000; i++",
        "i < 99999; i++",
    ),
    (
        "int main() { int a[100000]; int i; for (i = 0; i < 100000; i++) a[i] = 42;
         for (i = 0; i < 100000; i++) if (a[i] != 42) { E: return 1; } return 0; }",
        "i = 0; i < 100000; i++) a",
        "i = 1; i < 100000; i++) a",
    ),
    // From the end to the start.
    (
        "int a[5000]; int main() { int i; for (i = 4999; i >= 0; i--) a[i] = 7;
         for (i = 0; i < 5000; i++) if (a[i] != 7) { E: return 1; } return 0; }",
        "i = 4999",
        "i = 4998",
    ),
    // Two arrays at one index.
    (
        "int a[100000], b[100000]; int main() { int i; for (i = 0; i < 100000; i++) a[i] = __VERIFIER_nondet_int();
         for (i = 0; i < 100000; i++) b[i] = a[i];
         for (i = 0; i < 100000; i++) if (b[i] != a[i]) { E: return 1; } return 0; }",
        "b[i] = a[i]",
        "b[i] = a[99999 - i]",
    ),
    // A number that is not known, and a small array at a place that is not.
    (
        "int a[200]; int main() { int i, n = __VERIFIER_nondet_int(); if (n < 0 || n > 200) return 0;
         for (i = 0; i < n; i++) a[i] = i;
         for (i = 0; i < n; i++) if (a[i] != i) { E: return 1; } return 0; }",
        "a[i] = i;",
        "a[i] = i & 63;",
    ),
    // What is written between does not change what was.
    (
        "int a[100000]; int main() { int i, j; for (i = 0; i < 100000; i++) a[i] = 1;
         while (__VERIFIER_nondet_int()) { j = __VERIFIER_nondet_int(); if (j >= 0 && j < 100000) a[j] = 2; }
         j = __VERIFIER_nondet_int(); if (j >= 0 && j < 100000 && a[j] != 1 && a[j] != 2) { E: return 1; } return 0; }",
        "a[j] = 2",
        "a[j] = 3",
    ),
    // Structures.
    (
        "struct s { int x, y; } a[5000]; int main() { int i; for (i = 0; i < 5000; i++) { a[i].x = 3; a[i].y = 4; }
         for (i = 0; i < 5000; i++) if (a[i].x != 3 || a[i].y != 4) { E: return 1; } return 0; }",
        "a[i].y = 4",
        "a[i].y = i",
    ),
    // Memory that was allocated.
    (
        "void *malloc(unsigned long); int main() { int i, *a = malloc(400000); if (!a) return 0;
         for (i = 0; i < 100000; i++) a[i] = 5;
         for (i = 0; i < 100000; i++) if (a[i] != 5) { E: return 1; } return 0; }",
        "a[i] = 5",
        "a[i] = 5 + (i == 77777)",
    ),
];

#[test]
fn twins() {
    for (text, from, to) in TWINS {
        assert!(text.contains(from), "{text}");
        assert_eq!(answer_within(text, Duration::from_secs(300)), "unreached", "{text}");
        let broken = text.replacen(from, to, 1);
        assert_ne!(answer_within(&broken, BROKEN), "unreached", "{broken}");
    }
}

#[test]
fn what_is_not_certain_is_not_proved() {
    for text in [
        // An address in an array may be one of something that is gone.
        "int *a[5000]; void f(int i) { int l = 1; a[i] = &l; }
         int main() { int i; while (1) { i = __VERIFIER_nondet_int(); if (i < 0 || i >= 5000) continue;
         if (a[i] && *a[i] != 1) { E: return 1; } f(i); } }",
        // One element says nothing of its neighbour.
        "int a[5000]; int main() { int i, j; for (i = 0; i < 5000; i++) a[i] = i & 1;
         i = __VERIFIER_nondet_int(); if (i > 0 && i < 5000 && a[i] == 1 && a[i - 1] == 0) { E: return 1; } return 0; }",
        // Bytes of two elements.
        "unsigned a[5000]; int main() { int i; for (i = 0; i < 5000; i++) a[i] = 0x01020304;
         unsigned char *p = (unsigned char *)a; i = __VERIFIER_nondet_int();
         if (i >= 0 && i < 20000 && p[i] == 4) { E: return 1; } return 0; }",
        "unsigned a[5000]; int main() { int i; for (i = 0; i < 5000; i++) a[i] = 0x01020304;
         i = __VERIFIER_nondet_int(); if (i < 0 || i > 4990) return 0;
         unsigned short *p = (unsigned short *)((char *)a + 4 * i + 3); if (*p == 0x0401) { E: return 1; } return 0; }",
        // It was there before, and is made anew.
        "int main() { int n = 0; while (1) { int a[5000]; int i; i = __VERIFIER_nondet_int(); if (i < 0 || i >= 5000) return 0;
         if (n > 3 && a[i] == 17) { E: return 1; } for (i = 0; i < 5000; i++) a[i] = 1; n++; } }",
        // The first run to a loop is not the only one.
        "int a[5000]; int main() { int r = 0, i; while (1) { i = __VERIFIER_nondet_int(); if (i < 0 || i >= 5000) continue;
         if (r > 2 && a[i] == 2) { E: return 1; } a[i] = r & 3; r++; if (r > 9) r = 9; } }",
    ] {
        assert_ne!(answer_within(text, Duration::from_secs(3)), "unreached", "{text}");
    }
}
