//! Random programs against executions on every input: what is reached is reached on some input, what is not is
//! reached on none.

use crate::common::{answers, comes_to, load, points};
use engine_bounded::Inputs;

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
    fn atom(&mut self) -> String {
        match self.roll(6) {
            0 => format!("{}", self.roll(9)),
            1 => format!("a[({}) & 3]", self.pick(&["x", "y", "z", "(int)in"])),
            2 => "*p".to_owned(),
            _ => self.pick(&["x", "y", "z", "in", "s.b", "s.f"]).to_owned(),
        }
    }
    fn expression(&mut self) -> String {
        let (a, b) = (self.atom(), self.atom());
        match self.roll(7) {
            0 => format!("({a} / (({b} & 3) + 1))"),
            1 => format!("({a} << ({b} & 7))"),
            2 => format!("({a} < {b} ? {b} : {a})"),
            3 => format!("f({a}, {b})"),
            _ => format!("({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"])),
        }
    }
    fn statements(&mut self, depth: u32, count: u64, labels: &mut u32, out: &mut String) {
        for _ in 0..count {
            let e = self.expression();
            let c =
                format!("{} {} {}", self.atom(), self.pick(&["<", "==", "!=", ">"]), self.atom());
            match self.roll(if depth == 0 { 6 } else { 9 }) {
                0 => *out += &format!("a[({}) & 3] = {e};\n", self.atom()),
                1 => *out += &format!("p = {c} ? &x : &a[{}];\n", self.roll(4)),
                2 => *out += &format!("*p = {e};\n"),
                3 => *out += &format!("s.{} = {e};\n", self.pick(&["b", "f"])),
                4 => {
                    let (label, value) = (*labels, self.roll(12));
                    *labels += 1;
                    *out += &format!("if ({e} == {value}) {{ L{label}: ; }}\n");
                }
                5 => *out += &format!("{} = {e};\n", self.pick(&["x", "y", "z"])),
                6 => {
                    *out += &format!("if ({c}) {{\n");
                    self.statements(depth - 1, 2, labels, out);
                    *out += "} else {\n";
                    self.statements(depth - 1, 1, labels, out);
                    *out += "}\n";
                }
                7 => {
                    let i = format!("i{depth}{}", self.roll(1000));
                    *out += &format!("for (int {i} = 0; {i} < (({e}) & 3); {i}++) {{\n");
                    self.statements(depth - 1, 2, labels, out);
                    *out += "}\n";
                }
                _ => {
                    *out += &format!("switch (({e}) & 3) {{ case 0:\n");
                    self.statements(depth - 1, 1, labels, out);
                    *out += "case 1:\n";
                    self.statements(depth - 1, 1, labels, out);
                    *out += "break; default:\n";
                    self.statements(depth - 1, 1, labels, out);
                    *out += ";}\n";
                }
            }
        }
    }
}

#[test]
fn as_executed() {
    for seed in 0..20 {
        let mut dice = Dice(seed * 7919 + 17);
        let (mut body, mut labels) = (String::new(), 0);
        dice.statements(2, 9, &mut labels, &mut body);
        body += "if (x == y) { Lend: ; }\n";
        let text = format!(
            "struct s {{ unsigned b : 5; short f; }} s;
             static int a[4] = {{ 3, 1 }};
             static int f(int m, int n) {{ return (n & 3) == 0 ? m : f(m ^ n, (n & 3) - 1) + 1; }}
             int main(void) {{
               unsigned char in = __VERIFIER_nondet_uchar();
               int x = in, y = 7, z = -2, *p = &x;
               {body}
               return 0;
             }}"
        );
        let names: Vec<String> =
            (0..labels).map(|i| format!("L{i}")).chain(["Lend".to_owned()]).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = answers(&text, &names, None);
        let program = load(&text);
        for (name, found) in names.iter().zip(&found) {
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
