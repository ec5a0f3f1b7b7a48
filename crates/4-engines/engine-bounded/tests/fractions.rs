//! Numbers with fractions, searched: known answers, and random programs against executions on every input.

use crate::common::{answers, comes_to, load, points};
use engine_bounded::Inputs;

const DECLARED: &str =
    "double __VERIFIER_nondet_double(void); float __VERIFIER_nondet_float(void);\n";

fn said(body: &str, labels: &[&str]) -> Vec<String> {
    answers(&format!("{DECLARED} int main(void) {{ {body} return 0; }}"), labels, None)
}

#[test]
fn inputs_have_fractions() {
    let body = "double x = __VERIFIER_nondet_double();
        if (x * x == 2.25 && x < 0) HALF: return 1;
        float f = __VERIFIER_nondet_float();
        if (f > 0 && f / 2 == 0) LEAST: return 2;
        if (f != f) NONE: return 3;
        if (f == f + 1 && f - f == 0) LARGE: return 4;
        if (f - f != 0) ENDLESS: return 5;
        if (f < 0.5f && f > 0.5) NEVER: return 6;";
    let labels = ["HALF", "LEAST", "NONE", "LARGE", "ENDLESS", "NEVER"];
    let expected = ["reached", "reached", "reached", "reached", "reached", "unreached"];
    assert_eq!(said(body, &labels), expected);
}

#[test]
fn what_holds_of_all_numbers_is_known() {
    let body = "float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
        int i = __VERIFIER_nondet_int();
        unsigned char c = __VERIFIER_nondet_uchar();
        if (a + b != b + a && a == a && b == b && a - a == 0 && b - b == 0) SUM: return 1;
        if ((int)(double)i != i) THERE: return 2;
        if ((int)(float)i != i && i < 16777216 && i > 0) SMALL: return 3;
        if ((float)i != i + 0.0 && i > 0) LOST: return 4;
        if ((_Bool)(c / 256.0f) != (c != 0)) TRUTH: return 5;
        if (c * 0.5 + c * 0.5 != c) HALVES: return 6;
        if (a < b && b < a) BOTH: return 7;";
    let labels = ["SUM", "THERE", "SMALL", "LOST", "TRUTH", "HALVES", "BOTH"];
    let expected =
        ["unreached", "unreached", "unreached", "reached", "unreached", "unreached", "unreached"];
    assert_eq!(said(body, &labels), expected);
}

/// FP2: nothing is said of the sign of a NaN.
#[test]
fn the_bits_of_no_number_are_not_known() {
    let body = "union { double x; unsigned long bits; } u = { .x = __VERIFIER_nondet_double() };
        if (u.x == u.x) return 0;
        u.x = u.x + 1;
        if (u.bits >> 52 == 0x7ff) PLUS: return 1;
        if (u.bits >> 52 == 0xfff) MINUS: return 2;
        if (u.bits >> 51 & 1) return 3;
        LOUD: return 4;";
    let said = said(body, &["PLUS", "MINUS", "LOUD"]);
    assert_ne!(said[0], "unreached");
    assert_ne!(said[1], "unreached");
    assert_eq!(said[2], "unreached");
    // The same where the operands are known.
    let body = "union { double x; unsigned long bits; } u = { .x = 0.0 };
        u.x = u.x / u.x;
        if (u.bits >> 63) MINUS: return 1; else PLUS: return 2;";
    let said = self::said(body, &["PLUS", "MINUS"]);
    assert!(said.iter().all(|s| s != "unreached"), "{said:?}");
}

#[test]
fn functions_that_are_exact() {
    let text = format!(
        "{DECLARED} double floor(double), ceil(double), sqrt(double), fabs(double), fmax(double, double), round(double);
         long lround(double); double sin(double);
         int main(void) {{
           double x = __VERIFIER_nondet_int() / 4.0;
           if (floor(x) > x || ceil(x) < x || ceil(x) - floor(x) > 1) WHOLE: return 1;
           if (fabs(x) != x && x >= 0) SIGN: return 2;
           if (fmax(x, 1.5) < 1.5) MOST: return 3;
           if (round(x) == 3 && x != 3 && lround(x) == 3) NEAR: return 4;
           if (x > 0 && x < 100 && sqrt(x) == 2.5) ROOT: return 5;
           if (sin(x) > 2) WAVE: return 6;
           return 0;
         }}"
    );
    let labels = ["WHOLE", "SIGN", "MOST", "NEAR", "ROOT", "WAVE"];
    let said = answers(&text, &labels, None);
    assert_eq!(said[..5], ["unreached", "unreached", "unreached", "reached", "reached"]);
    // What a sine is, is not known.
    assert!(said[5].starts_with("unknown"), "{}", said[5]);
}

/// A source of numbers that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u64) as usize]
    }
    fn atom(&mut self) -> &'static str {
        const ATOMS: [&str; 12] = [
            "x",
            "y",
            "f",
            "g",
            "in",
            "0.1",
            "1e-3f",
            "-7.5",
            "3",
            "0x1p-140f",
            "1e300",
            "(in - 128)",
        ];
        ATOMS[self.roll(12) as usize]
    }
    fn expression(&mut self) -> String {
        let (a, b) = (self.atom(), self.atom());
        match self.roll(9) {
            0 => format!("(float)({a} / {b})"),
            1 => format!("(double)({a} * (float){b})"),
            2 => format!("({a} < {b} ? {b} : {a})"),
            3 => format!(
                "(int)(({a} + 0.0) / (fabs({b} + 0.0) + 1e-2) / (fabs({a} + 0.0) + 1) * 90)"
            ),
            4 => format!("floor({a} * 0.37)"),
            5 => format!("sqrt(fabs({a} * 1.0))"),
            _ => format!("({a} {} ({b} + 0.0f))", self.pick(&["+", "-", "*", "/"])),
        }
    }
}

#[test]
fn as_executed() {
    for seed in 0..5 {
        let mut dice = Dice(seed * 104_729 + 5);
        let mut body = String::new();
        let mut names: Vec<String> = Vec::new();
        for i in 0..7 {
            let e = dice.expression();
            match dice.roll(4) {
                0 => body += &format!("x = {e};\n"),
                1 => body += &format!("f = {e};\n"),
                2 => body += &format!("if ({e} > {}) y = {e}; else g = {e};\n", dice.atom()),
                _ => {}
            }
            let (c, d) = (dice.expression(), dice.expression());
            let op = dice.pick(&["<", "==", "<=", "!="]);
            body += &format!("if ({c} {op} {d}) {{ L{i}: ; }}\n");
            names.push(format!("L{i}"));
        }
        let text = format!(
            "double fabs(double), floor(double), sqrt(double);
             int main(void) {{
               unsigned char in = __VERIFIER_nondet_uchar();
               double x = in / 3.0, y = 0.5;
               float f = in * 0.7f, g = -2;
               {body}
               return 0;
             }}"
        );
        let labels: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = answers(&text, &labels, None);
        let program = load(&text);
        for (name, found) in labels.iter().zip(&found) {
            let points = points(&program, name);
            let reached = (0..256).any(|value| {
                let values = vec![("__VERIFIER_nondet_uchar".to_owned(), value)];
                comes_to(&program, &points, &Inputs { values, ..Inputs::default() })
            });
            let expected = if reached { "reached" } else { "unreached" };
            assert_eq!(found, expected, "seed {seed}, {name}:\n{text}");
        }
    }
}
