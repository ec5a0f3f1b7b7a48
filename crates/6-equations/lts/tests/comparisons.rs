//! Random formulas whose quantifiers go over infinite sorts, against all values of finite ones.
//!
//! Where values are only compared, a sort with more values than labels, constants and quantifiers name answers as an
//! infinite one does. Where they are calculated with, and compared with small constants, the first numbers answer for all.

use bes::Method;
use lts::mu::{Dialect, data, parse_with};

/// Reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// How many values labels and constants have: `#0` to `#4`. Sorts stand as `@`.
const VALUES: usize = 5;

/// Sorts, with their values.
const SORTS: &[(&str, [&str; VALUES])] = &[
    ("Nat", ["0", "1", "2", "3", "7"]),
    ("Pos", ["1", "2", "3", "4", "9"]),
    ("Int", ["0", "-1", "1", "-2", "5"]),
    ("Real", ["0", "1", "1/2", "-3/2", "4"]),
    ("List(Nat)", ["[]", "[0]", "[1]", "[0, 0]", "[5, 2]"]),
    ("Set(Nat)", ["{}", "{0}", "{1}", "{0, 1}", "{7}"]),
    ("Bag(Bool)", ["{:}", "{true: 1}", "{false: 2}", "{true: 2}", "{true: 1, false: 1}"]),
    ("E", ["e0", "e1(0)", "e2(e0)", "e2(e1(1))", "e1(4)"]),
    ("T", ["leaf", "node([])", "node([leaf])", "node([leaf, leaf])", "node([node([])])"]),
];

const DATA: &str = "sort E = struct e0 | e1(Nat) | e2(E); T = struct leaf | node(List(T));\n\
     D = struct d0 | d1 | d2 | d3 | d4 | d5 | d6 | d7 | d8 | d9 | d10 | d11 | d12 | d13;\n\
     act a, b: @; c: @ # @;\n";

/// Writes a random formula.
struct Writer<'a> {
    random: &'a mut Random,
    /// Fixpoint variables in scope with the number of their parameters; none is used below a negation.
    fixpoints: Vec<(String, usize)>,
    /// Data variables in scope.
    data: Vec<String>,
    fresh: usize,
    /// Whether values are calculated with.
    numbers: bool,
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    fn constant(&mut self) -> String {
        format!("#{}", self.random.below(VALUES))
    }

    fn datum(&mut self) -> String {
        let n = self.data.len();
        match self.random.below(n + 1 + n / 2) {
            i if i < n => self.data[i].clone(),
            i if i > n => self.data[n - 1].clone(),
            _ => self.constant(),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.datum(), self.datum());
        if self.numbers {
            let order = self.random.one(&["<", "<=", ">", ">=", "==", "!="]);
            let constant = self.constant();
            return match self.random.below(6) {
                0 => format!("{a} == {b}"),
                1 => format!("{a} != {b}"),
                2 => format!("{a} + {b} {order} {constant}"),
                3 => format!("{a} + 1 {order} {constant}"),
                _ => format!("{a} {order} {constant}"),
            };
        }
        match self.random.below(6) {
            0 | 1 => format!("{a} == {b}"),
            2 | 3 => format!("{a} != {b}"),
            4 => format!("{a} == {b} || {} != {}", self.datum(), self.datum()),
            _ => format!("if({a} == {b}, {}, {b}) == {}", self.datum(), self.datum()),
        }
    }

    fn action(&mut self, depth: usize) -> String {
        if depth > 0 {
            match self.random.below(6) {
                0 => return format!("!{}", self.action(0)),
                1 => return format!("({} || {})", self.action(0), self.action(0)),
                2 => {
                    let name = self.name("u");
                    let word = self.random.one(&["exists", "forall"]);
                    self.data.push(name.clone());
                    let body = self.action(depth - 1);
                    self.data.pop();
                    return format!("({word} {name}: @. {body})");
                }
                _ => {}
            }
        }
        let (x, y) = (self.datum(), self.datum());
        match self.random.below(7) {
            0 => "true".to_owned(),
            1 => format!("a({x})|b({y})"),
            2 => format!("c({x}, {y})"),
            3 | 4 => format!("b({x})"),
            _ => format!("a({x})"),
        }
    }

    fn regular(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{}*", self.action(1)),
            1 => format!("true* . {}", self.action(1)),
            2 => format!("({} . {})*", self.action(0), self.action(0)),
            3 => format!("{} . true* . {}", self.action(0), self.action(0)),
            _ => self.action(1),
        }
    }

    fn state(&mut self, depth: usize) -> String {
        if depth == 0 {
            let n = self.fixpoints.len();
            if n > 0 && self.random.below(3) > 0 {
                let (name, count) = self.fixpoints[self.random.below(n)].clone();
                let arguments: Vec<String> = (0..count).map(|_| self.argument()).collect();
                return match count {
                    0 => name,
                    _ => format!("{name}({})", arguments.join(", ")),
                };
            }
            return match self.random.below(5) {
                0 => "true".to_owned(),
                1 => "false".to_owned(),
                _ => format!("val({})", self.condition()),
            };
        }
        match self.random.below(12) {
            0 | 1 => format!("({} && {})", self.state(depth - 1), self.state(depth - 1)),
            2 | 3 => format!("({} || {})", self.state(depth - 1), self.state(depth - 1)),
            4 => format!("<{}>{}", self.regular(), self.state(depth - 1)),
            5 => format!("[{}]{}", self.regular(), self.state(depth - 1)),
            6 => {
                let fixpoints = std::mem::take(&mut self.fixpoints);
                let body = self.state(depth - 1);
                self.fixpoints = fixpoints;
                format!("!({body})")
            }
            7 | 8 if self.data.len() < 4 => {
                let name = self.name("n");
                let word = self.random.one(&["exists", "forall"]);
                self.data.push(name.clone());
                let body = self.state(depth - 1);
                self.data.pop();
                format!("({word} {name}: @. {body})")
            }
            _ => {
                let name = self.name("X");
                let sign = self.random.one(&["mu", "nu"]);
                let count = self.random.below(3).min(1);
                let before = self.data.len();
                let mut head = Vec::new();
                for _ in 0..count {
                    let (start, parameter) = (self.datum(), self.name("p"));
                    head.push(format!("{parameter}: @ = {start}"));
                    self.data.push(parameter);
                }
                self.fixpoints.push((name.clone(), count));
                let body = self.state(depth - 1);
                self.fixpoints.pop();
                self.data.truncate(before);
                match count {
                    0 => format!("({sign} {name}. {body})"),
                    _ => format!("({sign} {name}({}). {body})", head.join(", ")),
                }
            }
        }
    }

    fn argument(&mut self) -> String {
        let datum = self.datum();
        match self.numbers && self.random.below(2) == 0 {
            true => format!("if({datum} < 9, {datum} + 1, {datum})"),
            false => datum,
        }
    }
}

/// A model whose labels have values.
fn model(random: &mut Random) -> String {
    let states = 1 + random.below(4);
    let count = random.below(8);
    let mut text = format!("des (0, {count}, {states})\n");
    for _ in 0..count {
        let mut value = || format!("#{}", random.below(VALUES - 1));
        let (x, y) = (value(), value());
        let label = match random.below(5) {
            0 => format!("a({x})|b({y})"),
            1 => format!("c({x},{y})"),
            2 => format!("b({x})"),
            _ => format!("a({x})"),
        };
        let (from, to) = (random.below(states), random.below(states));
        text += &format!("({from}, \"{label}\", {to})\n");
    }
    text
}

/// With the values of a sort.
fn with(text: &str, sort: &str, values: &[&str; VALUES]) -> String {
    let mut out = text.replace('@', sort);
    for (i, value) in values.iter().enumerate() {
        out = out.replace(&format!("#{i}"), value);
    }
    out
}

fn answer(formula: &str, model: &str, specification: &str, most: u64) -> Result<bool, String> {
    let data = data(specification).map_err(|e| format!("data: {e}"))?;
    let formula = parse_with(formula, Dialect::Mcrl2, Some(&data));
    let formula = formula.map_err(|e| panic!("{e}")).unwrap();
    let model = lts::aut::parse(model).unwrap();
    let question = lts::question(&formula, model, &["tau"]);
    let mut question = question.map_err(|e| e.to_string())?;
    question.most_values = most;
    let mut left = 20_000u32;
    let mut go_on = |_: &bes::Progress| {
        left = left.saturating_sub(1);
        left > 0
    };
    let solved = bes::solve(question, Method::Auto, &mut go_on);
    let (value, mut solver) = solved.map_err(|e| e.to_string())?;
    // Asked again, an equation has the same operands, or its explanation would be refuted.
    let key = bes::System::initial(solver.system()).map_err(|e| e.to_string())?;
    let explanation = solver.explain(&key).map_err(|e| e.to_string())?.ok_or("no explanation")?;
    let checked = lts::check_explanation(&mut solver.into_system(), &explanation);
    assert_eq!(checked.map_err(|e| e.to_string())?, Ok(()));
    Ok(value)
}

fn only_compared(seed: u64, rounds: usize) -> usize {
    let mut random = Random(seed);
    let few = ["d0", "d1", "d2", "d3", "d4"];
    let mut decided = 0;
    for round in 0..rounds {
        let model = model(&mut random);
        let depth = 3 + random.below(4);
        let mut writer = Writer {
            random: &mut random,
            fixpoints: Vec::new(),
            data: Vec::new(),
            fresh: 0,
            numbers: false,
        };
        let inner = writer.state(depth);
        // A quantifier is what this is about.
        let formula = match round % 3 {
            0 => inner,
            _ => {
                let word = writer.random.one(&["exists", "forall"]);
                writer.data = vec!["n".to_owned()];
                format!("({word} n: @. {})", writer.state(depth))
            }
        };
        let (sort, values) = SORTS[random.below(SORTS.len())];
        let on = |sort: &str, values: &[&str; VALUES]| {
            answer(
                &with(&formula, sort, values),
                &with(&model, sort, values),
                &with(DATA, sort, values),
                1 << 12,
            )
        };
        let all = on("D", &few);
        let mine = on(sort, &values);
        match (&all, &mine) {
            (Ok(all), Ok(mine)) => {
                assert_eq!(all, mine, "{round}: {sort}\n{formula}\n{model}");
                decided += usize::from(formula.contains('@'));
            }
            (Ok(_), Err(error)) => {
                assert!(error.contains("bounds") || error.contains("limit"), "{error}\n{formula}");
            }
            _ => {}
        }
    }
    decided
}

/// Values are compared with each other, with constants and with labels: nine infinite sorts answer as a sort of fourteen values.
#[test]
fn values_that_are_only_compared() {
    let decided = only_compared(0x2545_f491_4f6c_dd1d, 3_000);
    assert!(decided > 1_500, "{decided}");
}

/// The same with other seeds, for a while.
#[test]
#[ignore = "long"]
fn values_that_are_only_compared_at_length() {
    for seed in 1..=40u64 {
        let decided = only_compared(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), 5_000);
        assert!(decided > 2_000, "{seed}: {decided}");
    }
}

/// Numbers are added and ordered: those up to forty answer for all.
#[test]
fn numbers_that_are_calculated_with() {
    let decided = calculated(0x1234_5678_9abc_def1, 1_500);
    assert!(decided > 600, "{decided}");
}

#[test]
#[ignore = "long"]
fn numbers_that_are_calculated_with_at_length() {
    for seed in 1..=40u64 {
        let decided = calculated(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), 2_500);
        assert!(decided > 800, "{seed}: {decided}");
    }
}

fn calculated(seed: u64, rounds: usize) -> usize {
    let mut random = Random(seed);
    let mut decided = 0;
    for round in 0..rounds {
        let (sort, values) = SORTS[random.below(2)];
        let model = with(&model(&mut random), sort, &values);
        let depth = 2 + random.below(4);
        let word = random.one(&["exists", "forall"]);
        let mut writer = Writer {
            random: &mut random,
            fixpoints: Vec::new(),
            data: vec!["n".to_owned()],
            fresh: 0,
            numbers: true,
        };
        let body = writer.state(depth);
        let formula = with(&format!("({word} n: @. {body})"), sort, &values);
        let specification = with(DATA, sort, &values);
        let mine = answer(&formula, &model, &specification, 1 << 10);
        let all = answer(&bounded(&formula, sort), &model, &specification, 1 << 14);
        if let (Ok(all), Ok(mine)) = (&all, &mine) {
            assert_eq!(all, mine, "{round}: {sort}\n{formula}\n{model}");
            decided += 1;
        }
    }
    decided
}

/// Quantifiers of a formula over the first forty numbers only.
fn bounded(formula: &str, sort: &str) -> String {
    let mut out = formula.to_owned();
    for (word, by) in [("exists", "&&"), ("forall", "=>")] {
        let parts: Vec<&str> = out.split(word).collect();
        let mut new = parts[0].to_owned();
        for part in &parts[1..] {
            let (name, rest) = part.split_once(&format!(": {sort}. ")).unwrap();
            let name = name.trim();
            // Inside of actions, labels bound it.
            match name.starts_with('u') {
                true => new += &format!("{word} {name}: {sort}. {rest}"),
                false => new += &format!("{word} {name}: {sort}. val({name} <= 40) {by} {rest}"),
            }
        }
        out = new;
    }
    out
}
