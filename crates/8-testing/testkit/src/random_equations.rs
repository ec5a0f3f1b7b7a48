//! Random formulas of the mu-calculus with models, and random equation systems, as texts.

use crate::rng::Rng;

/// Labels of models: with data, and without.
const LABELS: [&str; 9] =
    ["a", "b", "i", "G !x", "G !y", "H !TRUE !x", "H !FALSE !y", "N !1", "N !2"];

/// A model of the seed, as `.aut`.
pub fn random_model(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x6d6f64656c);
    let states = rng.between(1, 5);
    let count = rng.below(10);
    let initial = rng.below(states);
    let mut out = format!("des ({initial}, {count}, {states})\n");
    for _ in 0..count {
        let (from, to) = (rng.below(states), rng.below(states));
        out.push_str(&format!("({from}, \"{}\", {to})\n", rng.pick(&LABELS)));
    }
    out
}

/// A formula of the seed, in CADP's syntax (`.mcl`) or mCRL2's (`.mcf`).
pub fn random_formula(seed: u64, cadp: bool) -> String {
    let rng = Rng::new(seed);
    let mut writer = Formula { rng, cadp, fixpoints: Vec::new(), data: Vec::new(), fresh: 0 };
    let depth = writer.rng.between(2, 4);
    writer.state(depth)
}

/// Fixpoint variables are used under no negation.
struct Formula {
    rng: Rng,
    cadp: bool,
    /// Those in scope, and whether they have a parameter of sort `Var`.
    fixpoints: Vec<(String, bool)>,
    /// Data variables of sort `Var` in scope.
    data: Vec<String>,
    fresh: usize,
}

impl Formula {
    fn name(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    fn datum(&mut self) -> String {
        match self.rng.below(self.data.len() + 2) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            i => self.data[i - 2].clone(),
        }
    }

    fn action(&mut self, depth: usize) -> String {
        let datum = self.datum();
        let (not, and, or) =
            if self.cadp { ("not ", " and ", " or ") } else { ("!", " && ", " || ") };
        match self.rng.below(6) {
            0 if depth > 0 => return format!("{not}({})", self.action(depth - 1)),
            1 if depth > 0 => {
                let op = if self.rng.coin() { and } else { or };
                return format!("({}){op}({})", self.action(depth - 1), self.action(depth - 1));
            }
            2 if depth > 0 && !self.cadp => {
                let name = self.name("d");
                let word = *self.rng.pick(&["exists", "forall"]);
                self.data.push(name.clone());
                let body = self.action(depth - 1);
                self.data.pop();
                return format!("({word} {name}: Var. {body})");
            }
            _ => {}
        }
        let choices = match self.cadp {
            true => vec![
                "\"a\"".to_owned(),
                "'G.*'".to_owned(),
                "true".to_owned(),
                "tau".to_owned(),
                format!("{{G !{datum}}}"),
                format!("{{H !true !{datum}}}"),
                "{H ...}".to_owned(),
                format!("{{G ?w:Var where w <> {datum}}}"),
                "{N ?n:Nat where n > 1}".to_owned(),
            ],
            false => vec![
                "a".to_owned(),
                "b".to_owned(),
                "true".to_owned(),
                "tau".to_owned(),
                format!("G({datum})"),
                format!("H(true, {datum})"),
                "N(3 - 1)".to_owned(),
            ],
        };
        self.rng.pick(&choices).clone()
    }

    fn regular(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.action(1);
        }
        let choice = if self.cadp { "|" } else { "+" };
        match self.rng.below(8) {
            0 => format!("({})*", self.regular(depth - 1)),
            1 => format!("({})+", self.regular(depth - 1)),
            2 => format!("({}) . ({})", self.regular(depth - 1), self.regular(depth - 1)),
            3 => format!("({}) {choice} ({})", self.regular(depth - 1), self.regular(depth - 1)),
            _ => self.action(1),
        }
    }

    fn modality(&mut self, inside: &str, body: &str) -> String {
        let (open, close) = if self.rng.coin() { ("<", ">") } else { ("[", "]") };
        format!("{open}{inside}{close}({body})")
    }

    fn state(&mut self, depth: usize) -> String {
        let (not, and, or) =
            if self.cadp { ("not ", " and ", " or ") } else { ("!", " && ", " || ") };
        if depth == 0 {
            return match self.rng.below(4 + 2 * self.fixpoints.len()) {
                0 => "true".to_owned(),
                1 => "false".to_owned(),
                2 | 3 => {
                    let equal = if self.cadp { "=" } else { "==" };
                    format!("val({} {equal} {})", self.datum(), self.datum())
                }
                i => {
                    let (name, parameter) = self.fixpoints[(i - 4) / 2].clone();
                    if parameter { format!("{name}({})", self.datum()) } else { name }
                }
            };
        }
        match self.rng.below(12) {
            0 | 1 => format!("({}{and}{})", self.state(depth - 1), self.state(depth - 1)),
            2 | 3 => format!("({}{or}{})", self.state(depth - 1), self.state(depth - 1)),
            4 => {
                // A closed formula may be negated.
                let outer = std::mem::take(&mut self.fixpoints);
                let closed = self.state(depth - 1);
                self.fixpoints = outer;
                format!("{not}({closed})")
            }
            5 | 6 => {
                let (inside, body) = (self.regular(2), self.state(depth - 1));
                self.modality(&inside, &body)
            }
            7 if self.cadp => {
                // Binds a name for what follows.
                let name = self.name("z");
                self.data.push(name.clone());
                let body = self.state(depth - 1);
                self.data.pop();
                self.modality(&format!("{{G ?{name}:Var}}"), &body)
            }
            8 => {
                let name = self.name("q");
                let word = *self.rng.pick(&["exists", "forall"]);
                self.data.push(name.clone());
                let body = self.state(depth - 1);
                self.data.pop();
                format!("({word} {name}: Var . {body})")
            }
            _ => {
                let name = self.name("X");
                let sign = *self.rng.pick(&["mu", "nu"]);
                let parameter = self.rng.below(3) == 0;
                let first = self.datum();
                self.fixpoints.push((name.clone(), parameter));
                let head = match parameter {
                    true => {
                        let data = self.name("p");
                        self.data.push(data.clone());
                        let mark = if self.cadp { ":=" } else { "=" };
                        format!("{sign} {name}({data}: Var {mark} {first})")
                    }
                    false => format!("{sign} {name}"),
                };
                let body = self.state(depth - 1);
                self.fixpoints.pop();
                if parameter {
                    self.data.pop();
                }
                format!("({head} . {body})")
            }
        }
    }
}

/// A boolean equation system of the seed, in CADP's format.
pub fn random_bes(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let blocks: Vec<usize> = (0..rng.between(1, 4)).map(|_| rng.between(1, 4)).collect();
    let mut out = String::new();
    for (b, &size) in blocks.iter().enumerate() {
        let sign = *rng.pick(&["mu", "nu"]);
        out.push_str(&format!("block {sign} B{b} is\n"));
        for x in 0..size {
            let op = *rng.pick(&[" or ", " and "]);
            let operands: Vec<String> = (0..rng.between(1, 3))
                .map(|_| match rng.below(10) {
                    0 => "true".to_owned(),
                    1 => "false".to_owned(),
                    2..=5 => format!("X{}", rng.below(size)),
                    _ => {
                        let other = rng.below(blocks.len());
                        format!("X{}_{other}", rng.below(blocks[other]))
                    }
                })
                .collect();
            out.push_str(&format!("  X{x} = {}\n", operands.join(op)));
        }
        out.push_str("end block\n");
    }
    out
}

/// A parameterised one of the seed, in mCRL2's text format; one in 200 has infinitely many
/// equations, of which a few decide.
pub fn random_pbes(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let endless = rng.below(200) == 0;
    let count = rng.between(1, 4);
    let mut out = "sort D = struct d0 | d1 | d2;\npbes\n".to_owned();
    for k in 0..count {
        let sign = *rng.pick(&["mu", "nu"]);
        let body = predicate(&mut rng, count, 2);
        let bound = if endless && k == 0 { "true" } else { "n < 3" };
        let (next, test) = (rng.below(count), rng.between(1, 3));
        let more = match rng.coin() {
            true => format!("(val({bound}) && X{next}(n + 1, !b, d)) || val(n == {test})"),
            false => format!("(val({bound}) => X{next}(n + 1, b, d1)) && val(n != {test})"),
        };
        let op = *rng.pick(&["||", "&&"]);
        out.push_str(&format!("{sign} X{k}(n: Nat, b: Bool, d: D) = ({more}) {op} ({body});\n"));
    }
    out.push_str(&format!("init X{}(0, {}, d0);\n", rng.below(count), rng.coin()));
    out
}

fn predicate(rng: &mut Rng, count: usize, depth: usize) -> String {
    if depth > 0 {
        match rng.below(7) {
            0 | 1 => {
                let op = *rng.pick(&["||", "&&"]);
                let (a, b) = (predicate(rng, count, depth - 1), predicate(rng, count, depth - 1));
                return format!("({a} {op} {b})");
            }
            2 => {
                let word = *rng.pick(&["forall", "exists"]);
                return format!("({word} d: D. {})", predicate(rng, count, depth - 1));
            }
            3 => {
                let word = *rng.pick(&["forall", "exists"]);
                return format!("({word} b: Bool. {})", predicate(rng, count, depth - 1));
            }
            4 => return format!("(val(n > 1) => {})", predicate(rng, count, depth - 1)),
            _ => {}
        }
    }
    match rng.below(6) {
        0 => "val(b)".to_owned(),
        1 => "val(d == d1)".to_owned(),
        2 => format!("val(n == {})", rng.below(3)),
        _ => {
            let n = *rng.pick(&["n", "0", "1", "2"]);
            let b = *rng.pick(&["b", "!b", "true"]);
            let d = *rng.pick(&["d", "d0", "d2"]);
            format!("X{}({n}, {b}, {d})", rng.below(count))
        }
    }
}
