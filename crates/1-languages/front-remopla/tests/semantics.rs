//! Each sentence about the meaning of Remopla, on two engines that must agree.
//!
//! Labels that begin with `Y` can be reached, those that begin with `N` cannot.

use crate::support::{check, check_main, check_program, program_at};

#[test]
fn arithmetic_is_exact() {
    check_main("int x(2);", "x = 3; skip(x + 1 > 3); Y: skip;");
    check_main("int x(2);", "x = 1; skip(x - 2 + 2 == x); Y: skip; skip(x - 2 < 0); Y2: skip;");
    check_main("int x(2);", "x = 3; skip(x * x * x == 27); Y: skip; skip(x * x > 9); N: skip;");
    check_main("int x(3);", "x = 7; skip((x + 7) / 2 == 7); Y: skip;");
    check_main("int x(3);", "x = 5; skip((x << 4) == 80); Y: skip; skip((x >> 1) == 2); Y2: skip;");
    check_main(
        "int x(4);",
        "x = 12; skip((x & 10) == 8 && (x | 3) == 15 && (x ^ 10) == 6); Y: skip;",
    );
    check_main("int x(2);", "x = 0; skip(x - 1 == x - 1); Y: skip; skip(x - 1 >= 0); N: skip;");
}

#[test]
fn precedence_is_that_of_c() {
    check_main(
        "int x(3);",
        "x = 2; skip(x + 1 * 2 == 4); Y: skip; skip(1 + x << 1 == 6); Y2: skip;",
    );
    check_main(
        "bool a, b, c;",
        "a = true, b = false, c = false; skip(a || b && c); Y: skip; skip(!a || b); N: skip;",
    );
    check_main(
        "bool a, b, c;",
        "a = true, b = true, c = false; skip(a ^^ b && c); Y: skip; skip(a || b ^^ a); Y2: skip;",
    );
    check_main(
        "int x(3);",
        "x = 4; skip(8 - x - 1 == 3); Y: skip; skip(8 / 4 / 2 == 1); Y2: skip;",
    );
    check_main(
        "int x(3); bool b;",
        "x = 4, b = true; skip(x < 5 == b); Y: skip; skip(x < 4 <=> b); N: skip;",
    );
}

#[test]
fn a_value_that_does_not_fit_has_no_successor() {
    check_main("int x(2);", "x = 0; Y: x = x - 1; N: skip;");
    check_main("int x(2);", "x = 3; Y: x = x + 1; N: skip;");
    check_main("int x(2);", "x = 2; x = x + 1; Y: skip;");
    // A wider variable: only what fits goes on.
    check_main("int x(2), y(4);", "x = y; Y: skip; skip(y > 3); N: skip;");
    check_main("int x(2);", "x = 3; Y: x = x << 1; N: skip;");
    check_main("int x(2);", "x = 1; x = x << 1; skip(x == 2); Y: skip;");
    check_main("int x(2);", "Y: x = 0 - 1; N: skip;");
    check_main("int x(2);", "Y: x = 3 + 1; N: skip;");
    // One part of a parallel assignment is enough.
    check_main("int x(2), y(2);", "x = 3; Y: y = 1, x = x + 1; N: skip;");
    check_main("int x(2);", "x = 3; Y: goto L, x = x + 1; L: skip; N: skip;");
}

#[test]
fn arguments_and_results_must_fit() {
    let f = "module int(2) f(int a(2)) { Yf: return a + 1; }";
    check(
        &format!("int x(3);\ninit main;\n{f}\nmodule void main() {{ x = f(4); N: skip; }}")
            .replace("Yf", "Nf"),
    );
    check(&format!("int x(3);\ninit main;\n{f}\nmodule void main() {{ x = f(3); N: skip; }}"));
    check(&format!(
        "int x(3);\ninit main;\n{f}\nmodule void main() {{ x = f(2); skip(x == 3); Y: skip; }}"
    ));
    check(&format!("int x(1);\ninit main;\n{f}\nmodule void main() {{ x = f(1); N: skip; }}"));
    check(&format!("int x(1);\ninit main;\n{f}\nmodule void main() {{ f(1); Y: skip; }}"));
}

#[test]
fn indices_out_of_range() {
    // Read or written, in an assignment: no successor.
    check_main("int a[3](2), i(2), x(2);", "i = 3; Y: x = a[i]; N: skip;");
    check_main("int a[3](2), i(2);", "i = 3; Y: a[i] = 0; N: skip;");
    check_main("int a[3](2), i(2);", "i = 2; a[i] = 1; skip(a[2] == 1); Y: skip;");
    check_main("bool a[3], b; int i(2);", "i = 3; Y: b = a[i]; N: skip;");
    check_main("bool a[3]; int i(2);", "i = 3; Y: a[i] = true; N: skip;");
    check_main("bool a[3], b; int i(2);", "i = 3; b = true; Y: b = !a[i]; N: skip;");
    // As part of a boolean that is assigned, too.
    check_main("int a[3](2), i(2); bool b;", "i = 3; Y: b = a[i] > 0 || b; N: skip;");
    check_main("int a[3](2), i(2); bool b;", "i = 2; b = a[i] >= 0; skip(b); Y: skip;");
    // Negative ones.
    check_main("int a[3](2), i(2);", "i = 0; Y: a[i - 1] = 0; N: skip;");
    // Arrays that do not begin with 0.
    check_main("int a[2,4](2), i(3);", "i = 1; Y: a[i] = 0; N: skip;");
    check_main("int a[2,4](2), i(3);", "i = 5; Y: a[i] = 0; N: skip;");
    check_main(
        "int a[2,4](2), i(3);",
        "i = 4; a[i] = 3, a[2] = 1; skip(a[4] == 3 && a[2] == 1); Y: skip;",
    );
    // As an argument, as a result, as the target of one.
    check(
        "int a[3](2), i(2);\ninit main;\nmodule void f(int x(2)) { N: skip; }\n\
         module void main() { i = 3; Y: f(a[i]); N2: skip; }",
    );
    check(
        "int a[3](2), i(2), x(2);\ninit main;\nmodule int(2) f() { Y: return a[i]; }\n\
         module void main() { i = 3; x = f(); N: skip; }",
    );
    check(
        "int a[3](2), i(2);\ninit main;\nmodule int(2) f() { i = 3; Y: return 1; }\n\
         module void main() { i = 0; a[i] = f(); N: skip; }",
    );
    // The index is read when control comes back.
    check(
        "int a[3](2), i(2);\ninit main;\nmodule int(2) f() { i = 2; return 1; }\n\
         module void main() { i = 0, a[0] = 0, a[2] = 0; a[i] = f(); \
         skip(a[2] == 1 && a[0] == 0); Y: skip; }",
    );
}

#[test]
fn divisions_by_zero() {
    check_main("int x(2), y(2);", "x = 0; Y: y = 2 / x; N: skip;");
    check_main("int x(2), y(2);", "x = 2; y = 3 / x; skip(y == 1); Y: skip;");
    check_main("int x(2); bool b;", "x = 0; Y: b = 2 / x > 0; N: skip;");
    check_main("int x(2); bool b;", "x = 0, b = true; skip(b || (2 / x > 0)); Y: skip;");
    check_main("int x(2);", "x = 0; if :: 2 / x > 0 -> N: skip; :: else -> Y: skip; fi");
    check_main("int x(2);", "x = 0; if :: !(2 / x > 0) -> Y: skip; :: else -> N: skip; fi");
}

#[test]
fn undefined_parts_of_conditions() {
    // The smallest boolean around an undefined part is false.
    check_main("int a[3](2), i(2);", "i = 3; skip(a[i] == a[i]); N: skip;");
    check_main("int a[3](2), i(2);", "i = 3; skip(a[i] != a[i]); N: skip;");
    check_main("int a[3](2), i(2);", "i = 3; skip(!(a[i] == a[i])); Y: skip;");
    check_main("int a[3](2), i(2);", "i = 3; if :: a[i] >= 0 -> N: skip; :: else -> Y: skip; fi");
    check_main("bool a[3]; int i(2);", "i = 3; skip(a[i]); N: skip;");
    check_main("bool a[3]; int i(2);", "i = 3; skip(!a[i]); Y: skip;");
    check_main("bool a[3]; int i(2);", "i = 3; skip(a[i] == false); Y: skip;");
    check_main("int a[3](2), i(2); bool b;", "i = 3, b = false; skip(b || a[i] + 1 > 0); N: skip;");
    check_main("int x(3), y(2);", "x = 0; skip(1 << (x - 1) >= 0); N: skip;");
}

#[test]
fn parallel_assignments() {
    check_main(
        "int a[2](2), i(1), j(1);",
        "a[0] = 1, a[1] = 2, i = 0, j = 1; a[i] = a[j], a[j] = a[i]; skip(a[0] == 2 && a[1] == 1); Y: skip; skip(a[0] == 1); N: skip;",
    );
    check_main("int x(2), y(2);", "x = 1, y = 2; x = y, y = x; skip(x == 2 && y == 1); Y: skip;");
    // Two values for one cell must be equal.
    check_main("int x(2);", "Y: x = 1, x = 2; N: skip;");
    check_main("int x(2);", "x = 1, x = 1; skip(x == 1); Y: skip;");
    check_main("bool x;", "Y: x = true, x = false; N: skip;");
    check_main("int a[2](2), i(1), j(1);", "i = 1, j = 1; Y: a[i] = 1, a[j] = 2; N: skip;");
    check_main(
        "int a[2](2), i(1), j(1);",
        "i = 1, j = 1; a[i] = 2, a[j] = 2; skip(a[1] == 2); Y: skip;",
    );
    check_main(
        "int a[2](2), i(1), j(1);",
        "i = 0, j = 1; a[i] = 1, a[j] = 2; skip(a[0] == 1 && a[1] == 2); Y: skip;",
    );
    // The swap of a cell with itself.
    check_main(
        "int a[2](2), i(1);",
        "i = 1, a[1] = 3; a[i] = a[1], a[1] = a[i]; skip(a[1] == 3); Y: skip;",
    );
    check_main("int x(2);", "x = undef, x = 2; skip(x == 2); Y: skip; skip(x != 2); N: skip;");
}

#[test]
fn arbitrary_values() {
    check_main("int x(2); bool b;", "skip(x == 0 && !b); Y: skip;");
    check_main("int x(2); bool b;", "skip(x == 3 && b); Y: skip;");
    check_main("int x(2);", "x = 1; x = undef; skip(x == 3); Y: skip;");
    check_main("int x(2), y(2);", "x = 1, y = 1; x = undef; skip(y != 1); N: skip;");
    check_main(
        "int a[2](1), i(1);",
        "a[0] = 0, a[1] = 0, i = 1; a[i] = undef; skip(a[1] == 1); Y: skip; skip(a[0] == 1); N: skip;",
    );
    check_main(
        "int a[2](1);",
        "a[0] = 0, a[1] = 0; a = undef; skip(a[0] == 1 && a[1] == 1); Y: skip;",
    );
    check(
        "init main;\nmodule void f(int x(2)) { int y(1); skip(x == 3 && y == 1); Y: skip; }\nmodule void main() { f(undef); }",
    );
    // Locals are arbitrary at each call.
    check(
        "int n(1);\ninit main;\nmodule void f() { int y(1); if :: n == 0 -> y = 0, n = 1; :: else -> skip(y == 1); Y: skip; fi }\nmodule void main() { n = 0; f(); f(); }",
    );
    check_main("int x(2);", "x != 2; skip(x == 2); N: skip;");
    check_main("int x(2);", "x = 2; x != 2; skip(x == 3); Y: skip;");
}

#[test]
fn if_chooses() {
    // No true guard: no successor.
    check_main("int x(2);", "x = 0; Y: if :: x > 0 -> skip; fi N: skip;");
    // Several: any of them.
    check_main(
        "int x(2);",
        "x = 1; if :: x > 0 -> Y1: skip; :: x < 2 -> Y2: skip; :: x > 2 -> N: skip; fi Y3: skip;",
    );
    // `else`: no other guard holds, wherever it stands.
    check_main("int x(2);", "x = 1; if :: else -> N: skip; :: x > 0 -> Y: skip; fi");
    check_main(
        "int x(2);",
        "x = 0; if :: else -> Y: skip; :: x > 0 -> N: skip; :: x > 1 -> N2: skip; fi",
    );
    check_main("", "if :: else -> Y: skip; fi Y2: skip;");
    check_main("", "if :: true -> Y1: skip; :: true -> Y2: skip; fi;");
    // A branch without statements.
    check_main("int x(2);", "if :: x == 1 -> :: else -> x = 1; fi skip(x != 1); N: skip;");
}

#[test]
fn do_repeats() {
    check_main(
        "int x(2);",
        "x = 0; do :: x < 3 -> x = x + 1; :: else -> break; od Y: skip; skip(x != 3); N: skip;",
    );
    check_main("int x(2);", "x = 0; do :: x < 3 -> x = x + 1; od N: skip;");
    check_main(
        "int x(2);",
        "x = 0; do :: x < 3 -> x = x + 1; :: x == 2 -> goto OUT; od N: skip; OUT: skip; Y: skip;",
    );
    // `break` leaves the innermost `do`.
    check_main(
        "int x(2);",
        "x = 0; do :: x == 0 -> do :: true -> break; od x = 1; :: x == 1 -> if :: true -> break; fi N1: skip; od skip(x == 1); Y: skip;",
    );
    check_main("", "do :: true -> skip; od N: skip;");
    check_main(
        "int x(2);",
        "x = 0; do :: true -> x = x + 1; :: true -> break; od skip(x == 3); Y: skip;",
    );
}

#[test]
fn goto_and_labels() {
    check_main("", "goto L; N: skip; L: M: skip; Y: skip;");
    check_main(
        "int x(2);",
        "x = 0; L: if :: x < 2 -> goto L, x = x + 1; :: else -> skip; fi skip(x == 2); Y: skip; skip(x != 2); N: skip;",
    );
    // A module's name is the label of its first statement.
    check_main("int x(1);", "x = undef; if :: x == 0 -> goto main; :: else -> skip; fi Y: skip;");
    // Into a block and out of it.
    check_main(
        "int x(1);",
        "x = 0; goto IN; if :: x == 1 -> N: skip; IN: skip; Y: skip; fi Y2: skip;",
    );
}

#[test]
fn skip_with_a_condition() {
    check_main("int x(2);", "x = 1; skip(x == 1); Y: skip; skip(x == 2); N: skip;");
    // A prime makes it an assignment by condition.
    check_main(
        "int x(2), y(2);",
        "x = 1, y = 1; skip(x' > x + 1); skip(x == 3); Y: skip; skip(y != 1); N: skip;",
    );
    check_main("int x(2), y(2);", "x = 1; skip(x' > x + 1); skip(x < 2); N: skip;");
    check_main(
        "int a[2](2), i(1);",
        "a[0] = 0, a[1] = 0, i = 1; skip(a'[i] == 2); skip(a[1] == 2); Y: skip; skip(a[0] != 0); N: skip;",
    );
}

#[test]
fn quantified_assignments() {
    check_main(
        "int a[4](2);",
        "A i (0, 3) a[i] = i; skip(a[0] == 0 && a[3] == 3); Y: skip; skip(a[1] != 1); N: skip;",
    );
    // In parallel: a rotation.
    check_main(
        "int a[3](2);",
        "A i (0, 2) a[i] = i; A i (0, 1) a[i] = a[i + 1], a[2] = a[0]; skip(a[0] == 1 && a[1] == 2 && a[2] == 0); Y: skip;",
    );
    // What is outside the range stays.
    check_main(
        "int a[3](1);",
        "A i (0, 2) a[i] = 0; A i (1, 2) a[i] = 1; skip(a[0] == 0 && a[1] == 1 && a[2] == 1); Y: skip; skip(a[0] == 1); N: skip;",
    );
    // One instance that does not fit is enough.
    check_main("int a[4](1);", "Y: A i (0, 3) a[i] = i; N: skip;");
    // One cell, several values.
    check_main("int x(2);", "Y: A i (0, 3) x = i; N: skip;");
    check_main("int x(2);", "E i (1, 2) x = i; skip(x == 1); Y: skip;");
    check_main("int x(2);", "E i (1, 2) x = i; skip(x == 2); Y: skip;");
    check_main("int x(2);", "E i (1, 2) x = i; skip(x == 0 || x == 3); N: skip;");
    check_main("int x(3);", "E i (2, 4) x = i; skip(x < 2 || x > 4); N: skip;");
    // For some cell; the others stay.
    check_main(
        "int a[3](1);",
        "A i (0, 2) a[i] = 0; E i (0, 2) a[i] = 1; skip(a[1] == 1); Y: skip; skip(a[0] == 1 || a[2] == 1); N: skip;",
    );
    check_main(
        "int a[3](1);",
        "A i (0, 2) a[i] = 0; E i (0, 2) a[i] = 1; skip(a[0] + a[1] + a[2] != 1); N: skip;",
    );
    // The index of both sides is the same.
    check_main(
        "int a[2](2), b[2](2);",
        "a[0] = 1, a[1] = 2, b[0] = 0, b[1] = 0; E i (0, 1) b[i] = a[i]; skip(b[0] == 2 || b[1] == 1); N: skip; ",
    );
    check_main(
        "int a[2](2), b[2](2);",
        "a[0] = 1, a[1] = 2, b[0] = 0, b[1] = 0; E i (0, 1) b[i] = a[i]; skip(b[1] == 2 && b[0] == 0); Y: skip; ",
    );
    // For all cells, some value of its own.
    check_main(
        "int a[2](2);",
        "A i (0, 1) E j (1, 2) a[i] = j; skip(a[0] == 1 && a[1] == 2); Y: skip;",
    );
    check_main(
        "int a[2](2);",
        "A i (0, 1) E j (1, 2) a[i] = j; skip(a[0] == 0 || a[1] == 3); N: skip;",
    );
    check_main("int a[2](2);", "E j (1, 2) A i (0, 1) a[i] = j; skip(a[0] != a[1]); N: skip;");
    check_main("int a[2](2);", "E j (1, 2) A i (0, 1) a[i] = j; skip(a[0] == 2); Y: skip;");
}

#[test]
fn quantified_conditions() {
    check_main(
        "int a[3](2);",
        "A i (0, 2) a[i] = i; skip(A i (0, 2) a[i] == i); Y: skip; skip(E i (0, 2) a[i] == 3); N: skip;",
    );
    check_main(
        "int a[3](2);",
        "A i (0, 2) a[i] = i; skip(E i (0, 2) a[i] == 2 && i == 2); Y: skip;"
            .replace(" && i == 2", "")
            .as_str(),
    );
    check_main(
        "int a[3](2);",
        "A i (0, 2) a[i] = i; skip(A i (0, 1) A j (0, 2) (j <= i || a[i] < a[j])); Y: skip;",
    );
    check_main(
        "bool b[3]; bool c;",
        "A i (0, 2) b[i] = true, c = false; skip(A i (0, 2) b[i] == true && !c); Y: skip; skip(!A i (0, 2) b[i]); N: skip;",
    );
    // Out of range for one instance: false there.
    check_main("int a[3](2);", "A i (0, 2) a[i] = 0; skip(A i (0, 3) a[i] == 0); N: skip;");
    check_main("int a[3](2);", "A i (0, 2) a[i] = 0; skip(E i (0, 3) a[i] == 0); Y: skip;");
}

#[test]
fn calls() {
    check(
        "int g(3);\ninit main;\nmodule void f(int x(3), bool b) { if :: b -> g = x; :: else -> g = 0; fi }\nmodule void main() { f(5, true); skip(g == 5); Y: skip; f(5, false); skip(g != 0); N: skip; }",
    );
    // Parameters are values.
    check(
        "init main;\nmodule void f(int x(3)) { x = 1; }\nmodule void main() { int y(3); y = 4; f(y); skip(y == 4); Y: skip; skip(y != 4); N: skip; }",
    );
    // Recursion.
    check(
        "define DEFAULT_INT_BITS 4\nint r;\ninit main;\nmodule int sum(int n) { int s; if :: n == 0 -> return 0; :: else -> s = sum(n - 1); return s + n; fi }\nmodule void main() { r = sum(4); skip(r == 10); Y: skip; skip(r != 10); N: skip; }",
    );
    check(
        "int n(2);\ninit main;\nmodule void f() { if :: true -> f(); :: true -> skip; fi n = 1; }\nmodule void main() { n = 0; f(); skip(n == 1); Y: skip; skip(n != 1); N: skip; }",
    );
    // With parallel assignments: a global has its value in the callee, a local when it comes back.
    check(
        "int g(2);\ninit main;\nmodule void f(int x(2)) { skip(g == 2 && x == 1); Y1: skip; skip(g == 1); N1: skip; }\nmodule void main() { int l(2); g = 1, l = 0; f(g), g = 2, l = 3; N2: skip; }",
    );
    check(
        "int g(2);\ninit main;\nmodule void f(int x(2)) { skip(g == 2 && x == 1); Y1: skip; }\nmodule void main() { int l(2); g = 1, l = 0; f(g), g = 2, l = l + 3; skip(l == 3); Y2: skip; skip(l != 3); N: skip; }",
    );
    check(
        "int g(2);\ninit main;\nmodule int(2) f() { return 2; }\nmodule void main() { int l(2); l = f(), l = 1, g = 3; skip(l == 2 && g == 3); Y: skip; }",
    );
    // Results of modules.
    check(
        "bool b;\ninit main;\nmodule bool f(int x(2)) { return x > 1; }\nmodule void main() { b = f(2); skip(b); Y: skip; b = f(1); skip(b); N: skip; }",
    );
    // Without `return` a module with a value has no successor; one without has.
    check(
        "int x(2);\ninit main;\nmodule int(2) f() { if :: x == 0 -> return 1; :: else -> skip; fi Y: skip; }\nmodule void main() { x = 1; x = f(); N: skip; }",
    );
    check("int x(2);\ninit main;\nmodule void f() { }\nmodule void main() { f(); Y: skip; }");
    check(
        "int x(2);\ninit main;\nmodule void f() { if :: true -> return; :: true -> skip; fi Y1: skip; }\nmodule void main() { f(); Y: skip; }",
    );
}

#[test]
fn enums() {
    let e = "enum T { red, green, blue };\nenum T x;\n";
    check_main(e, "x = green; skip(x == 1); Y: skip; skip(x == blue); N: skip;");
    // An arbitrary value is a member.
    check_main(
        e,
        "if :: x == red -> Y1: skip; :: x == green -> Y2: skip; :: x == blue -> Y3: skip; :: else -> N: skip; fi",
    );
    check_main(
        e,
        "x = red; x = undef; if :: x == red -> Y1: skip; :: x == green -> Y2: skip; :: x == blue -> Y3: skip; :: else -> N: skip; fi",
    );
    check(&format!(
        "{e}init main;\nmodule void f(enum T p) {{ enum T l; skip(l == blue && p == red); Y: skip; if :: l > blue -> N: skip; :: p > blue -> N2: skip; fi }}\nmodule void main() {{ f(undef); }}"
    ));
    check_main(
        "enum T { a, b, c } x, y[2];",
        "y[1] = undef; skip(y[1] == c); Y: skip; skip(y[0] == 3 || x == 3); N: skip;",
    );
    check_main("enum { a, b, c } x;", "x = c; skip(x == 2); Y: skip;");
    check(
        "enum T { a, b, c, d, e };\ninit main;\nmodule enum T f() { return e; }\nmodule void main() { enum T x; x = f(); skip(x == e); Y: skip; }",
    );
    check_main("define N 3\nint x(2);", "x = N; skip(x + 1 > N); Y: skip;");
}

#[test]
fn structs() {
    let s = "struct S { int x(3); bool b; int a[2](2); };\nstruct S s, t;\n";
    check_main(
        s,
        "s.x = 5, s.b = true, s.a[1] = 3; skip(s.x == 5 && s.b && s.a[1] == 3); Y: skip; skip(s.x != 5); N: skip;",
    );
    check_main(
        s,
        "s.x = 5, s.b = true, s.a[0] = 1, s.a[1] = 3; t.x = 0; t = s; skip(t.x == 5 && t.b && t.a[0] == 1 && t.a[1] == 3); Y: skip; skip(!t.b); N: skip;",
    );
    check_main(s, "s.x = 5; s = undef; skip(s.x == 2); Y: skip;");
    check_main(
        s,
        "s.a[0] = 1, s.a[1] = 2; t.a = s.a; skip(t.a[0] == 1 && t.a[1] == 2); Y: skip; skip(t.a[0] != 1); N: skip;",
    );
    let arrays = "struct P { int x(2); bool b; };\nstruct P p[3], q;\nint i(2);\n";
    check_main(arrays, "i = 2; p[i].x = 3, p[0].x = 1; skip(p[2].x == 3 && p[0].x == 1); Y: skip;");
    check_main(arrays, "i = 3; Y: p[i].x = 3; N: skip;");
    check_main(
        arrays,
        "q.x = 2, q.b = true, i = 1; p[i] = q; skip(p[1].x == 2 && p[1].b); Y: skip; skip(!p[1].b); N: skip;",
    );
    check_main(
        arrays,
        "p[2].x = 2, p[2].b = true, i = 2; q = p[i]; skip(q.x == 2 && q.b); Y: skip; skip(q.x != 2); N: skip;",
    );
    check(&format!(
        "{arrays}init main;\nmodule struct P f(struct P a) {{ a.x = a.x + 1; return a; }}\nmodule void main() {{ q.x = 1, q.b = true; p[1] = f(q); skip(p[1].x == 2 && p[1].b && q.x == 1); Y: skip; skip(!p[1].b || p[1].x != 2); N: skip; }}"
    ));
}

#[test]
fn arrays() {
    check_main(
        "int a[2](2), b[2](2);",
        "a[0] = 1, a[1] = 2; b = a; skip(b[0] == 1 && b[1] == 2); Y: skip; skip(b[0] != 1); N: skip;",
    );
    // Two dimensions; an index out of one of them is no index of another row.
    let m = "int m[2][2](2), i(2), j(2);";
    check_main(
        m,
        "A i (0, 1) A j (0, 1) m[i][j] = 2 * i + j; skip(m[1][0] == 2 && m[0][1] == 1 && m[1][1] == 3); Y: skip;",
    );
    check_main(m, "i = 0, j = 2; Y: m[i][j] = 1; N: skip;");
    check_main(m, "i = 2, j = 0; Y: m[i][j] = 1; N: skip;");
    check_main(m, "i = 1, j = 1; m[i][j] = 3; skip(m[1][1] == 3); Y: skip;");
    check_main(m, "i = 0, j = 2; skip(m[i][j] >= 0); N: skip;");
    check_main(m, "i = 0, j = 2; skip(!(m[i][j] >= 0)); Y: skip;");
    check_main(
        "int m[1,2][2,4](1), i(3), j(3);",
        "i = 2, j = 4; m[i][j] = 1; m[1][2] = 0; skip(m[2][4] == 1 && m[1][2] == 0); Y: skip; i = 1, j = 5; Y2: m[i][j] = 0; N: skip;",
    );
    check_main("bool m[2][2], b; int i(2);", "i = 2; Y: b = m[i][0]; N: skip;");
    check_main(
        "bool m[2][2]; int i(2);",
        "i = 1; m[i][1] = true; skip(m[1][1]); Y: skip; i = 2; skip(!m[0][i]); Y2: skip; skip(m[i][0]); N: skip;",
    );
    // As parameters and results.
    check(
        "int g[2](2);\ninit main;\nmodule int[2](2) f(int a[2](2)) { a[0] = a[1]; return a; }\nmodule void main() { int l[2](2); l[0] = 1, l[1] = 3; g = f(l); skip(g[0] == 3 && g[1] == 3 && l[0] == 1); Y: skip; skip(g[0] != 3); N: skip; }",
    );
    check_main(
        "int a[2](2), x(2);",
        "a[0] = 1, a[1] = 0; x = a[a[0]]; skip(x == 0); Y: skip; x = a[a[a[0]]]; skip(x == 1); Y2: skip;",
    );
}

#[test]
fn booleans_and_integers() {
    check_main(
        "bool b; int x(2);",
        "b = true; x = b; skip(x == 1); Y: skip; skip(b == 1); Y2: skip; skip(b + 1 == 2); Y3: skip;",
    );
    check_main("bool b; int x(2);", "x = 1; b = x; skip(b); Y: skip; x = 2; Y2: b = x; N: skip;");
    check_main(
        "bool b, c;",
        "b = true, c = false; skip((b & c) == false); Y: skip; skip(b | c); Y2: skip; skip(b ^ b); N: skip;",
    );
    check_main("bool b;", "b = 1; skip(b); Y: skip; b = 0; skip(b); N: skip;");
}

#[test]
fn constants_and_defaults() {
    check_main(
        "define N 2\ndefine M N * 2 + 1\ndefine DEFAULT_INT_BITS N\nint x, y(M);",
        "x = 3; y = M; skip(y == 5); Y: skip; Y2: x = M - 1; N: skip;",
    );
    check_main("define N 3\nint a[N](2), b[1,N](2);", "a[N - 1] = 1; b[N] = 2; Y: skip;");
    check_main(
        "unsigned int x(2);\nshared bool b;\n# a comment\n% another\n// a third",
        "x = 3; b = true; Y: skip;",
    );
}

#[test]
fn where_it_starts() {
    check("init f;\nmodule void main() { N: skip; }\nmodule void f() { Y: skip; }");
    check("module void f() { N: skip; }\nmodule void main() { Y: skip; }");
    check("module void f() { Y: skip; }\nmodule void g() { N: skip; }");
    let text =
        "init f;\nmodule void f() { N: skip; }\nmodule void g(int x(2)) { skip(x == 3); Y: skip; }";
    check_program(program_at(text, Some("g")), text);
    // Announced before it is defined.
    check(
        "module void f(int x(2));\ninit main;\nmodule void main() { f(1); Y: skip; }\nmodule void f(int y(2)) { skip; }",
    );
    // Several stack symbols: the next one when the first is done.
    check(
        "int x(2);\ninit f g;\nmodule void f() { x = 1; }\nmodule void g() { skip(x == 1); Y: skip; skip(x != 1); N: skip; }",
    );
    // A label.
    check("int x(2);\ninit L;\nmodule void f() { N: x = 1; L: Y: skip; }");
}

#[test]
fn rules_among_modules() {
    // A rule adds to what can happen at a label; what it does not constrain is arbitrary.
    check(
        "int x(2), y(2);\ninit main;\nmodule void main() { x = 1, y = 1; L: skip(false); N: skip; }\nq <L> --> q <M> (x' == x)\nmodule void f() { M: skip(x == 1 && y == 3); Y: skip; skip(x != 1); N2: skip; }",
    );
    // A rule of its own control location and symbols.
    check(
        "bool b;\ninit main;\nmodule void main() { L: skip(false); }\nq <L> --> p <Y1>\np <Y1> --> p <Y2>\nq <Y1> --> q <N1>\np <Y3> --> p <>\np <Y2> --> p <Y3 Y4>",
    );
    // A push of a module: its parameter, and the locals of the symbol below.
    check(
        "int g(2);\ninit main;\nmodule void f(int x(2)) { if :: x == 2 -> Y1: skip; :: else -> N1: skip; fi }\nmodule void main() { int l(2); l = 3; L: skip(false); N2: skip; M: skip(l == 1); Y2: skip; skip(l != 1); N3: skip; }\nq <L> --> q <f M> (x' == 2 && l'' == l - 2)",
    );
    // Inside a module, at its place.
    check(
        "int g(2);\ninit main;\nmodule void main() { int l(2); l = 1; q <y> --> q <z> (l' == l + 1 && g' == 3)\n N: skip; z: skip(l == 2 && g == 3); Y: skip; skip(l != 2); N2: skip; }",
    );
    // A pop.
    check(
        "int g(2);\ninit main;\nmodule void f() { L: skip(false); N: skip; }\nq <L> --> q <> (g' == 2)\nmodule void main() { f(); skip(g == 2); Y: skip; skip(g != 2); N2: skip; }",
    );
    // Rules alone.
    check(
        "init a;\nq <a> --> q <b c>\nq <b> --> q <>\nq <c> --> q <Y>\nq <Y> --> r <Y2>\nq <Y2> --> q <N>",
    );
    // Longer right sides.
    check(
        "int x(3);\ninit a;\nq <a> --> q <b b b Y> (x' == 0)\nq <b> --> q <> (x' == x + 1)\nq <Y> --> q <Y3> (x == 3)\nq <Y> --> q <N2> (x == 2)",
    );
    // Statements outside modules.
    check(
        "int x(2);\ninit L;\nL: x = 2;\nif :: x == 2 -> Y: skip; :: else -> N: skip; fi\nM: f();\ngoto M;\nmodule void f() { Y2: skip; }",
    );
}
