//! Random pushdown systems, explicit and symbolic, well-formed by construction.

use crate::rng::Rng;

/// Symbols that somebody else might want.
const AWKWARD: [&str; 12] = [
    "main",
    "main_1",
    "q",
    "N0",
    "begin",
    "T",
    "end",
    "start",
    "assertion_failed",
    "A",
    "skip",
    "7",
];

/// A variable: its name, and its bits (0: a boolean).
type Var = (String, u32);

struct Writer {
    rng: Rng,
    out: String,
    controls: Vec<&'static str>,
    symbols: Vec<String>,
    globals: Vec<Var>,
    /// By symbol: its locals.
    locals: Vec<Vec<Var>>,
}

/// The system of a seed.
pub fn random_pds(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let controls = ["p", "q", "r"][..rng.between(1, 3)].to_vec();
    let mut symbols: Vec<String> = Vec::new();
    for i in 0..rng.between(3, 7) {
        let symbol = match rng.chance(30) {
            true => (*rng.pick(&AWKWARD)).to_owned(),
            false => format!("y{i}"),
        };
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    let locals = vec![Vec::new(); symbols.len()];
    let globals = Vec::new();
    let mut writer = Writer { rng, out: String::new(), controls, symbols, globals, locals };
    writer.system();
    writer.out
}

impl Writer {
    fn system(&mut self) {
        let symbolic = self.rng.chance(75);
        if symbolic {
            for i in 0..self.rng.between(1, 2) {
                let bits = self.rng.below(3) as u32;
                self.globals.push((format!("g{i}"), bits));
            }
            self.out.push_str("global\n");
            for var in self.globals.clone() {
                self.declare(&var);
            }
            for group in 0..self.rng.below(3) {
                let members: Vec<usize> = (0..self.symbols.len())
                    .filter(|&s| self.locals[s].is_empty() && self.rng.chance(50))
                    .collect();
                if members.is_empty() {
                    continue;
                }
                let names: Vec<String> = members.iter().map(|&s| self.symbols[s].clone()).collect();
                self.out.push_str(&format!("local ({})\n", names.join(", ")));
                let name = if self.rng.coin() { "x".to_owned() } else { format!("x{group}") };
                let var = (name, self.rng.below(3) as u32);
                self.declare(&var);
                for s in members {
                    self.locals[s].push(var.clone());
                }
            }
        }
        let first = self.rng.between(1, 3);
        let stack: Vec<String> =
            (0..first).map(|_| self.rng.pick(&self.symbols.clone()).clone()).collect();
        let control = *self.rng.pick(&self.controls.clone());
        self.out.push_str(&format!("({control} <{}>)\n", stack.join(" ")));
        for _ in 0..self.rng.between(4, 12) {
            self.rule();
        }
    }

    fn declare(&mut self, (name, bits): &Var) {
        self.out.push_str(&match bits {
            0 => format!("  bool {name};\n"),
            bits => format!("  int {name}({bits});\n"),
        });
    }

    fn rule(&mut self) {
        let count = self.symbols.len();
        let head = self.rng.below(count);
        let size = *self.rng.pick(&[0, 0, 1, 1, 1, 2, 2, 2, 3, 4]);
        let right: Vec<usize> = (0..size).map(|_| self.rng.below(count)).collect();
        let names: Vec<&str> = right.iter().map(|&s| self.symbols[s].as_str()).collect();
        let (from, to) = (*self.rng.pick(&self.controls), *self.rng.pick(&self.controls));
        let text = format!("{from} <{}> --> {to} <{}>", self.symbols[head], names.join(" "));
        let formula = self.formula(head, &right);
        self.out.push_str(&format!("{text}{formula}\n"));
    }

    fn formula(&mut self, head: usize, right: &[usize]) -> String {
        let before: Vec<Var> = self.globals.iter().chain(&self.locals[head]).cloned().collect();
        let mut after: Vec<Var> = Vec::new();
        let primed = |vars: &[Var], primes: &str| -> Vec<Var> {
            vars.iter().map(|(name, bits)| (format!("{name}{primes}"), *bits)).collect()
        };
        after.extend(primed(&self.globals, "'"));
        after.extend(right.first().map(|&s| primed(&self.locals[s], "'")).unwrap_or_default());
        after.extend(right.get(1).map(|&s| primed(&self.locals[s], "''")).unwrap_or_default());
        let mut parts = Vec::new();
        for (name, bits) in after {
            match self.rng.below(5) {
                0 => {}
                1 if bits > 0 => {
                    let op = *self.rng.pick(&["<=", ">=", "!="]);
                    parts.push(format!("({name} {op} {})", self.number(&before, bits, 1)));
                }
                _ => {
                    let value = match bits {
                        0 => self.boolean(&before, 1),
                        bits => self.number(&before, bits, 1),
                    };
                    parts.push(format!("({name} == {value})"));
                }
            }
        }
        if !before.is_empty() && self.rng.chance(50) {
            parts.push(self.boolean(&before, 2));
        }
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" && ")) }
    }

    fn boolean(&mut self, scope: &[Var], depth: usize) -> String {
        if depth > 0 {
            match self.rng.below(6) {
                0 => return format!("!({})", self.boolean(scope, depth - 1)),
                1 | 2 => {
                    let op = *self.rng.pick(&["&&", "||", "^^", "<=>"]);
                    let (a, b) = (self.boolean(scope, depth - 1), self.boolean(scope, depth - 1));
                    return format!("({a} {op} {b})");
                }
                3 => {
                    let op = *self.rng.pick(&["==", "<", ">="]);
                    return format!(
                        "({} {op} {})",
                        self.number(scope, 2, 1),
                        self.number(scope, 2, 1)
                    );
                }
                _ => {}
            }
        }
        let bools: Vec<&Var> = scope.iter().filter(|(_, bits)| *bits == 0).collect();
        match bools.is_empty() || self.rng.chance(20) {
            true => (*self.rng.pick(&["true", "false"])).to_owned(),
            false => self.rng.pick(&bools).0.clone(),
        }
    }

    fn number(&mut self, scope: &[Var], bits: u32, depth: usize) -> String {
        if depth > 0 && self.rng.chance(30) {
            let op = *self.rng.pick(&["+", "-", "*", "/"]);
            let (a, b) = (self.number(scope, bits, 0), self.number(scope, bits, 0));
            return format!("({a} {op} {b})");
        }
        let ints: Vec<&Var> = scope.iter().filter(|(_, bits)| *bits > 0).collect();
        match ints.is_empty() || self.rng.chance(40) {
            true => self.rng.below(1 << bits).to_string(),
            false => self.rng.pick(&ints).0.clone(),
        }
    }
}
