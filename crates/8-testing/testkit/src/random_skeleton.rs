//! Random C programs of control alone: functions that call each other, loops, jumps, `switch`,
//! conditions that nobody knows, and a few global flags.

use crate::rng::Rng;

struct Writer {
    rng: Rng,
    out: String,
    functions: usize,
    labels: usize,
    open: Vec<String>,
    budget: usize,
}

/// The program of a seed, preprocessed.
pub fn random_skeleton(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let functions = rng.between(1, 4);
    let out = "# 1 \"r.c\"\nint nd(void);\nstatic int flag;\n".to_owned();
    let mut writer = Writer { rng, out, functions, labels: 0, open: Vec::new(), budget: 0 };
    for k in 0..functions {
        writer.out.push_str(&format!("int f{k}(int);\n"));
    }
    for k in 0..functions {
        writer.function(&format!("int f{k}(int x)"));
    }
    writer.function("int main(void)");
    writer.out
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn function(&mut self, head: &str) {
        self.line(0, &format!("{head} {{"));
        self.open = (0..self.rng.between(1, 3))
            .map(|_| {
                self.labels += 1;
                let names = ["main_1", "N0", "assertion_failed", "begin", "A"];
                match self.rng.chance(20) && self.labels <= names.len() {
                    true => names[self.labels - 1].to_owned(),
                    false => format!("L{}", self.labels),
                }
            })
            .collect();
        let targets = self.open.clone();
        self.budget = self.rng.between(3, 8);
        while self.budget > 0 {
            self.stmt(1, &targets);
        }
        for label in std::mem::take(&mut self.open) {
            self.line(1, &format!("{label}: ;"));
        }
        self.line(1, "return 0;");
        self.line(0, "}");
    }

    fn condition(&mut self) -> &'static str {
        const ALL: [&str; 7] = ["nd()", "flag", "!flag", "nd() && flag", "nd() || nd()", "1", "0"];
        ALL[self.rng.below(ALL.len())]
    }

    fn stmt(&mut self, depth: usize, targets: &[String]) {
        self.budget = self.budget.saturating_sub(1);
        if !self.open.is_empty() && self.rng.chance(35) {
            let label = self.open.remove(0);
            self.line(depth, &format!("{label}: ;"));
        }
        let condition = self.condition();
        match self.rng.below(11) {
            0 | 1 => {
                let callee = self.rng.below(self.functions);
                self.line(depth, &format!("f{callee}(nd());"));
            }
            2 => {
                let value = self.rng.below(2);
                self.line(depth, &format!("flag = {value};"));
            }
            3 => {
                let target = self.rng.pick(targets).clone();
                self.line(depth, &format!("if ({condition}) goto {target};"));
            }
            4 => self.line(depth, &format!("if ({condition}) return 1;")),
            5 | 6 if depth < 4 => {
                self.line(depth, &format!("if ({condition}) {{"));
                self.stmt(depth + 1, targets);
                self.line(depth, "} else {");
                self.stmt(depth + 1, targets);
                self.line(depth, "}");
            }
            7 | 8 if depth < 4 => {
                self.line(depth, &format!("while ({condition}) {{"));
                self.stmt(depth + 1, targets);
                self.line(depth, "}");
            }
            9 if depth < 4 => {
                self.line(depth, "switch (nd()) {");
                self.line(depth, "case 1:");
                self.stmt(depth + 1, targets);
                self.line(depth + 1, "break;");
                self.line(depth, "default:");
                self.stmt(depth + 1, targets);
                self.line(depth, "}");
            }
            _ => self.line(depth, "nd();"),
        }
    }
}
