//! Random formulas on random models, in both syntaxes, against the definition of the logic.

use std::collections::{BTreeMap, BTreeSet};

use bes::data::{Expr, Sort, Value};
use bes::{Method, Sign, Solver};
use lts::mu::{Action, Dialect, Formula, High, Offer, Regular, State, parse};
use lts::{ExplicitLts, Lts, split};

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

const LABELS: &[&str] = &["a", "b", "i", "G !x", "G !y", "H !TRUE !x", "H !FALSE !y", "N !1"];

fn model(random: &mut Random) -> ExplicitLts {
    let states = 1 + random.below(5) as u32;
    let labels = LABELS.iter().map(|&l| l.to_owned()).collect();
    let transitions: Vec<(u32, u32, u32)> = (0..random.below(9))
        .map(|_| {
            let mut one = |n: u32| random.below(n as usize) as u32;
            (one(states), one(LABELS.len() as u32), one(states))
        })
        .collect();
    ExplicitLts::new(random.below(states as usize) as u32, states, labels, &transitions)
}

/// Writes a random formula as text. Fixpoint variables are used under no negation.
struct Writer<'a> {
    random: &'a mut Random,
    cadp: bool,
    /// With all of MCL.
    programs: bool,
    /// Fixpoint variables in scope, and whether they have a parameter of sort `Var`.
    fixpoints: Vec<(String, bool)>,
    /// Data variables of sort `Var` in scope.
    data: Vec<String>,
    fresh: usize,
}

impl Writer<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    fn datum(&mut self) -> String {
        let n = self.data.len();
        match self.random.below(n + 2) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            i => self.data[i - 2].clone(),
        }
    }

    fn action(&mut self, depth: usize) -> String {
        let (not, and, or) =
            if self.cadp { ("not ", " and ", " or ") } else { ("!", " && ", " || ") };
        if depth > 0 {
            match self.random.below(8) {
                0 => return format!("{not}{}", self.primary(depth - 1)),
                1 => return format!("{}{and}{}", self.primary(depth - 1), self.primary(depth - 1)),
                2 => return format!("{}{or}{}", self.primary(depth - 1), self.primary(depth - 1)),
                3 if !self.cadp => {
                    let name = self.name("d");
                    let word = self.random.one(&["exists", "forall"]);
                    self.data.push(name.clone());
                    let body = self.action(depth - 1);
                    self.data.pop();
                    return format!("({word} {name}: Var. {body})");
                }
                4 if !self.cadp => {
                    let name = self.name("n");
                    let word = self.random.one(&["exists", "forall"]);
                    return format!("({word} {name}: Nat. !N({name}) || tau)");
                }
                _ => {}
            }
        }
        let datum = self.datum();
        if self.cadp {
            match self.random.below(9) {
                0 => "\"a\"".to_owned(),
                1 => "'G.*'".to_owned(),
                2 => "true".to_owned(),
                3 => "tau".to_owned(),
                4 => format!("{{G !{datum}}}"),
                5 => format!("{{H !true !{datum}}}"),
                6 => "{H ...}".to_owned(),
                7 => format!("{{G ?w:Var where w <> {datum}}}"),
                _ => "{N ?n:Nat where n > 0}".to_owned(),
            }
        } else {
            match self.random.below(7) {
                0 => "a".to_owned(),
                1 => "b".to_owned(),
                2 => "true".to_owned(),
                3 => "tau".to_owned(),
                4 => format!("G({datum})"),
                5 => format!("H(true, {datum})"),
                _ => "N(2 - 1)".to_owned(),
            }
        }
    }

    fn primary(&mut self, depth: usize) -> String {
        format!("({})", self.action(depth))
    }

    /// One of MCL's constructs.
    fn program(&mut self, depth: usize) -> String {
        let count = self.random.below(3);
        match self.random.below(12) {
            0 => format!("({}){{{count}}}", self.regular(depth)),
            1 => format!("({}){{{count} ... 2}}", self.regular(depth)),
            2 => format!("({}){{{count} ...}}", self.regular(depth)),
            3 => {
                let (a, b) = (self.datum(), self.datum());
                let (yes, no) = (self.regular(depth), self.regular(depth));
                format!("if {a} = {b} then {yes} else {no} end if")
            }
            4 | 5 => {
                let (name, value) = (self.name("l"), self.datum());
                let choice = self.random.below(2) == 0;
                self.data.push(name.clone());
                let body = self.regular(depth);
                self.data.pop();
                match choice {
                    true => format!("choice {name}:Var in {body} end choice"),
                    false => format!("let {name}:Var := {value} in {body} end let"),
                }
            }
            6 => {
                let name = self.name("k");
                let body = self.regular(depth);
                format!("for {name}:Nat from {count} to 1 do {body} end for")
            }
            7 => {
                let (a, b) = (self.datum(), self.datum());
                format!("repeat {} until {a} = {b} end repeat", self.regular(depth))
            }
            8 => {
                let (a, b) = (self.datum(), self.datum());
                format!("while {a} = {b} do {} end while", self.regular(depth))
            }
            _ => {
                let (name, value) = (self.name("v"), self.datum());
                let results = self.random.below(2) == 0;
                self.data.push(name.clone());
                let (a, b) = (self.regular(depth), self.regular(depth));
                let (next, last, other) = (self.datum(), self.datum(), self.datum());
                self.data.pop();
                let (declared, exit) = match results {
                    true => (format!(" : ({name}r:Var)"), format!("exit ({last})")),
                    false => (String::new(), "exit".to_owned()),
                };
                format!(
                    "loop ({name}:Var := {value}){declared} in ({a}) . continue ({next}) | ({b}) . \
                     if {name} = {other} then {exit} end if end loop"
                )
            }
        }
    }

    fn regular(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.action(1);
        }
        if self.programs && self.random.below(2) == 0 {
            return self.program(depth - 1);
        }
        let choice = if self.cadp { "|" } else { "+" };
        match self.random.below(9) {
            0 => format!("({})*", self.regular(depth - 1)),
            1 => format!("({})+", self.regular(depth - 1)),
            2 => format!("({}) . ({})", self.regular(depth - 1), self.regular(depth - 1)),
            3 => format!("({}) {choice} ({})", self.regular(depth - 1), self.regular(depth - 1)),
            4 if self.cadp => format!("({})?", self.regular(depth - 1)),
            5 if self.cadp => format!("nil . ({})", self.regular(depth - 1)),
            _ => self.action(1),
        }
    }

    fn state(&mut self, depth: usize) -> String {
        let (not, and, or, implies) = if self.cadp {
            ("not ", " and ", " or ", " implies ")
        } else {
            ("!", " && ", " || ", " => ")
        };
        if depth == 0 {
            let n = self.fixpoints.len();
            return match self.random.below(4 + 2 * n) {
                0 => "true".to_owned(),
                1 => "false".to_owned(),
                2 | 3 => {
                    let (a, b) = (self.datum(), self.datum());
                    format!("val({a} {} {b})", if self.cadp { "=" } else { "==" })
                }
                i => {
                    let (name, parameter) = self.fixpoints[(i - 4) / 2].clone();
                    if parameter { format!("{name}({})", self.datum()) } else { name }
                }
            };
        }
        if self.programs {
            match self.random.below(12) {
                0 => return format!("< {} > @", self.regular(2)),
                1 => return format!("[ {} ] -|", self.regular(2)),
                2 => {
                    let outer = std::mem::take(&mut self.fixpoints);
                    let condition = self.state(depth - 1);
                    self.fixpoints = outer;
                    let (a, b) = (self.state(depth - 1), self.state(depth - 1));
                    return format!("if {condition} then {a} else {b} end if");
                }
                3 => {
                    let (name, value) = (self.name("l"), self.datum());
                    self.data.push(name.clone());
                    let body = self.state(depth - 1);
                    self.data.pop();
                    return format!("let {name}:Var := {value} in {body} end let");
                }
                4 => {
                    let (a, b) = (self.datum(), self.datum());
                    return format!("({a} = {b} and {})", self.state(depth - 1));
                }
                _ => {}
            }
        }
        match self.random.below(13) {
            0 | 1 => format!("({}{and}{})", self.state(depth - 1), self.state(depth - 1)),
            2 | 3 => format!("({}{or}{})", self.state(depth - 1), self.state(depth - 1)),
            4 => {
                // A closed formula may be negated.
                let outer = std::mem::take(&mut self.fixpoints);
                let closed = self.state(depth - 1);
                self.fixpoints = outer;
                match self.random.below(if self.cadp { 3 } else { 2 }) {
                    0 => format!("{not}({closed})"),
                    1 => format!("(({closed}){implies}{})", self.state(depth - 1)),
                    _ => {
                        let outer = std::mem::take(&mut self.fixpoints);
                        let other = self.state(depth - 1);
                        self.fixpoints = outer;
                        format!("(({closed}) equ ({other}))")
                    }
                }
            }
            5 | 6 => {
                let (open, close) = if self.random.below(2) == 0 { ("<", ">") } else { ("[", "]") };
                format!("{open}{}{close}({})", self.regular(2), self.state(depth - 1))
            }
            7 if self.cadp => {
                // Binds a name for what follows.
                let name = self.name("z");
                let (open, close) = if self.random.below(2) == 0 { ("<", ">") } else { ("[", "]") };
                self.data.push(name.clone());
                let next = if self.random.below(2) == 0 {
                    format!(" . {}", self.primary(1))
                } else {
                    String::new()
                };
                let body = self.state(depth - 1);
                self.data.pop();
                format!("{open}{{G ?{name}:Var}}{next}{close}({body})")
            }
            8 => {
                let name = self.name("q");
                let word = self.random.one(&["exists", "forall"]);
                self.data.push(name.clone());
                let body = self.state(depth - 1);
                self.data.pop();
                format!("({word} {name}: Var . {body})")
            }
            _ => {
                let name = self.name("X");
                let sign = self.random.one(&["mu", "nu"]);
                let parameter = self.random.below(3) == 0;
                let first = self.datum();
                self.fixpoints.push((name.clone(), parameter));
                let head = if parameter {
                    let data = self.name("p");
                    self.data.push(data.clone());
                    let mark = if self.cadp { ":=" } else { "=" };
                    format!("{sign} {name}({data}: Var {mark} {first})")
                } else {
                    format!("{sign} {name}")
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

type Set = BTreeSet<u32>;

/// The definition, computed with sets of states and tables over all arguments.
struct Naive<'a> {
    formula: &'a Formula,
    lts: &'a ExplicitLts,
    signature: bes::data::Signature,
    variables: Vec<Value>,
    slots: Vec<Value>,
    tables: BTreeMap<u32, BTreeMap<Vec<Value>, Set>>,
    /// Of each loop: what goes on, and what has ended.
    jumps: BTreeMap<u32, (Ends, Ends)>,
}

/// States, with the slots on the way there.
type Ends = BTreeSet<(u32, Vec<Value>)>;

impl Naive<'_> {
    fn all(&self) -> Set {
        (0..self.lts.states()).collect()
    }

    fn eval(&self, expr: &Expr) -> Value {
        expr.eval(&self.slots).unwrap()
    }

    fn domain(&self, sort: Sort) -> Vec<Value> {
        match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Var => self.variables.clone(),
            Sort::Nat => (0..5).map(Value::Int).collect(),
            _ => panic!("no other sort is generated"),
        }
    }

    fn state(&mut self, node: u32) -> Set {
        match self.formula.states[node as usize].clone() {
            State::Constant(true) => self.all(),
            State::Constant(false) => Set::new(),
            State::Val(expr) => match self.eval(&expr) {
                Value::Bool(true) => self.all(),
                _ => Set::new(),
            },
            State::Variable(binder, arguments) => {
                let arguments: Vec<Value> = arguments.iter().map(|e| self.eval(e)).collect();
                self.tables[&binder][&arguments].clone()
            }
            State::Not(a) => &self.all() - &self.state(a),
            State::And(a, b) => &self.state(a) & &self.state(b),
            State::Or(a, b) => &self.state(a) | &self.state(b),
            State::Imply(a, b) => &(&self.all() - &self.state(a)) | &self.state(b),
            State::Equal(a, b) => {
                let (a, b) = (self.state(a), self.state(b));
                &self.all() - &(&a ^ &b)
            }
            State::Modality { all, regular, body } => {
                // The body is computed once for each choice of slots.
                let mut bodies: BTreeMap<Vec<Value>, Set> = BTreeMap::new();
                let mut result = Set::new();
                for s in self.all() {
                    let mut holds = Vec::new();
                    for (end, slots) in self.ends(regular, s) {
                        if !bodies.contains_key(&slots) {
                            let saved = std::mem::replace(&mut self.slots, slots.clone());
                            let body = self.state(body);
                            self.slots = saved;
                            bodies.insert(slots.clone(), body);
                        }
                        holds.push(bodies[&slots].contains(&end));
                    }
                    if if all { holds.iter().all(|h| *h) } else { holds.iter().any(|h| *h) } {
                        result.insert(s);
                    }
                }
                result
            }
            State::Forever { all, regular } => {
                // The states from which there is no end of it, from above.
                let mut forever = self.all();
                loop {
                    let now = forever.clone();
                    forever.retain(|&s| self.ends(regular, s).iter().any(|(t, _)| now.contains(t)));
                    if forever == now {
                        return if all { &self.all() - &forever } else { forever };
                    }
                }
            }
            State::If(condition, then, other) => {
                let condition = self.state(condition);
                &(&condition & &self.state(then)) | &(&self.state(other) - &condition)
            }
            State::Let(bindings, body) => {
                let values: Vec<Value> = bindings.iter().map(|(_, e)| self.eval(e)).collect();
                for ((slot, _), value) in bindings.iter().zip(values) {
                    self.slots[*slot as usize] = value;
                }
                self.state(body)
            }
            State::Fixpoint(binder, body) => {
                let head = self.formula.binders[binder as usize].clone();
                let mut keys: Vec<Vec<Value>> = vec![Vec::new()];
                for (slot, _) in &head.parameters {
                    let values = self.domain(self.formula.slots[*slot as usize].sort);
                    keys = keys
                        .into_iter()
                        .flat_map(|key| {
                            values.iter().map(move |&v| {
                                let mut key = key.clone();
                                key.push(v);
                                key
                            })
                        })
                        .collect();
                }
                let first: Vec<Value> = head.parameters.iter().map(|(_, e)| self.eval(e)).collect();
                let start = if head.sign == Sign::Mu { Set::new() } else { self.all() };
                let table = keys.iter().map(|k| (k.clone(), start.clone())).collect();
                let before = self.tables.insert(binder, table);
                let saved = self.slots.clone();
                loop {
                    let mut next = BTreeMap::new();
                    for key in &keys {
                        for ((slot, _), &value) in head.parameters.iter().zip(key) {
                            self.slots[*slot as usize] = value;
                        }
                        next.insert(key.clone(), self.state(body));
                        self.slots = saved.clone();
                    }
                    if self.tables[&binder] == next {
                        break;
                    }
                    self.tables.insert(binder, next);
                }
                let result = self.tables[&binder][&first].clone();
                match before {
                    Some(before) => self.tables.insert(binder, before),
                    None => self.tables.remove(&binder),
                };
                result
            }
            State::Quantifier { all, slots, body } => {
                let [(slot, None)] = slots[..] else { panic!("one variable, no range") };
                let mut result = if all { self.all() } else { Set::new() };
                for value in self.domain(self.formula.slots[slot as usize].sort) {
                    self.slots[slot as usize] = value;
                    let here = self.state(body);
                    result = if all { &result & &here } else { &result | &here };
                }
                result
            }
        }
    }

    /// The states that sequences from `s` end in, with the slots that they bind.
    fn ends(&mut self, regular: u32, s: u32) -> BTreeSet<(u32, Vec<Value>)> {
        let slots = self.slots.clone();
        self.ends_of(regular, &BTreeSet::from([(s, slots)]))
    }

    fn ends_of(
        &mut self,
        regular: u32,
        from: &BTreeSet<(u32, Vec<Value>)>,
    ) -> BTreeSet<(u32, Vec<Value>)> {
        match self.formula.regulars[regular as usize].clone() {
            Regular::Nil => from.clone(),
            Regular::Action(action) => {
                let saved = self.slots.clone();
                let mut out = BTreeSet::new();
                for (s, slots) in from {
                    for (label, to) in self.lts.from(*s).to_vec() {
                        self.slots = slots.clone();
                        let text = self.lts.label(label).to_owned();
                        if self.action(action, &text) {
                            out.insert((to, self.slots.clone()));
                        }
                    }
                }
                self.slots = saved;
                out
            }
            Regular::Then(a, b) => {
                let middle = self.ends_of(a, from);
                self.ends_of(b, &middle)
            }
            Regular::Choice(a, b) => &self.ends_of(a, from) | &self.ends_of(b, from),
            Regular::Option(a) => from | &self.ends_of(a, from),
            Regular::Star(a) => {
                let mut all = from.clone();
                loop {
                    let next = &all | &self.ends_of(a, &all);
                    if next == all {
                        return all;
                    }
                    all = next;
                }
            }
            Regular::Repeat { inner, low, high } => {
                let most = match &high {
                    High::Same => self.eval(&low),
                    High::Most(high) => self.eval(high),
                    High::None => Value::Int(40),
                };
                let (Value::Int(low), Value::Int(most)) = (self.eval(&low), most) else {
                    panic!("a number")
                };
                let (mut now, mut all) = (from.clone(), Ends::new());
                for round in 0..=most {
                    if round >= low {
                        all = &all | &now;
                    }
                    now = self.ends_of(inner, &now);
                }
                all
            }
            Regular::If(condition, then, other) => {
                let (yes, no) = self.parted(from, &condition);
                &self.ends_of(then, &yes) | &self.ends_of(other, &no)
            }
            Regular::Let(bindings, inner) => {
                let from = self.assigned(from, &bindings);
                self.ends_of(inner, &from)
            }
            Regular::Some(slots, inner) => {
                let [(slot, None)] = slots[..] else { panic!("one variable, no range") };
                let mut out = Ends::new();
                for value in self.domain(self.formula.slots[slot as usize].sort) {
                    let mut from: Vec<_> = from.iter().cloned().collect();
                    from.iter_mut().for_each(|(_, slots)| slots[slot as usize] = value);
                    out = &out | &self.ends_of(inner, &from.into_iter().collect());
                }
                out
            }
            Regular::For { slot, from: first, to, step, body } => {
                assert_eq!(step, None);
                let now = self.assigned(from, &[(slot, first)]);
                self.ends_of_for(now, slot, &to, body)
            }
            Regular::While(condition, inner) => {
                let (mut seen, mut out) = (from.clone(), Ends::new());
                let mut now = from.clone();
                while !now.is_empty() {
                    let (yes, no) = self.parted(&now, &condition);
                    out = &out | &no;
                    now = &self.ends_of(inner, &yes) - &seen;
                    seen = &seen | &now;
                }
                out
            }
            Regular::Until(inner, condition) => {
                let (mut seen, mut out) = (from.clone(), Ends::new());
                let mut now = from.clone();
                while !now.is_empty() {
                    let after = self.ends_of(inner, &now);
                    let (yes, no) = self.parted(&after, &condition);
                    out = &out | &yes;
                    now = &no - &seen;
                    seen = &seen | &now;
                }
                out
            }
            Regular::Loop { number, parameters, results, body } => {
                let now = self.assigned(from, &parameters);
                self.ends_of_loop(now, number, results.is_empty(), body)
            }
            Regular::Continue(number, values) | Regular::Exit(number, values) => {
                let goes_on =
                    matches!(self.formula.regulars[regular as usize], Regular::Continue(..));
                let found = self.formula.regulars.iter().find_map(|r| match r {
                    Regular::Loop { number: n, parameters, results, .. } if *n == number => {
                        let parameters = parameters.iter().map(|(slot, _)| *slot).collect();
                        Some(if goes_on { parameters } else { results.clone() })
                    }
                    _ => None,
                });
                let slots: Vec<u32> = found.unwrap();
                let bindings: Vec<_> = slots.into_iter().zip(values).collect();
                let to = self.assigned(from, &bindings);
                let (again, exits) = self.jumps.get_mut(&number).unwrap();
                (if goes_on { again } else { exits }).extend(to);
                Ends::new()
            }
            Regular::Plus(a) => {
                let first = self.ends_of(a, from);
                let mut all = first;
                loop {
                    let next = &all | &self.ends_of(a, &all);
                    if next == all {
                        return all;
                    }
                    all = next;
                }
            }
        }
    }

    /// Where a counting loop ends, from `now`, where its variable has its first value.
    fn ends_of_for(&mut self, mut now: Ends, slot: u32, to: &Expr, body: u32) -> Ends {
        let mut out = Ends::new();
        while !now.is_empty() {
            let mut next = Ends::new();
            let mut inside = Ends::new();
            for (s, slots) in now {
                match (slots[slot as usize], to.eval(&slots)) {
                    (Value::Int(n), Some(Value::Int(most))) if n > most => out.insert((s, slots)),
                    _ => inside.insert((s, slots)),
                };
            }
            for (s, mut slots) in self.ends_of(body, &inside) {
                let Value::Int(n) = slots[slot as usize] else { panic!("a number") };
                slots[slot as usize] = Value::Int(n + 1);
                next.insert((s, slots));
            }
            now = next;
        }
        out
    }

    /// Where a loop with jumps ends, from `now`: by its exits, and if it has no results, by its end.
    fn ends_of_loop(&mut self, mut now: Ends, number: u32, falls_out: bool, body: u32) -> Ends {
        let outer = self.jumps.insert(number, Default::default());
        let (mut seen, mut out) = (now.clone(), Ends::new());
        while !now.is_empty() {
            let ends = self.ends_of(body, &now);
            if falls_out {
                out = &out | &ends;
            }
            let again = std::mem::take(&mut self.jumps.get_mut(&number).unwrap().0);
            now = &again - &seen;
            seen = &seen | &now;
        }
        let (_, exits) = self.jumps.remove(&number).unwrap();
        if let Some(outer) = outer {
            self.jumps.insert(number, outer);
        }
        &out | &exits
    }

    /// Those where a condition holds, and the others.
    fn parted(&self, from: &Ends, condition: &Expr) -> (Ends, Ends) {
        from.iter()
            .cloned()
            .partition(|(_, slots)| condition.eval(slots) == Some(Value::Bool(true)))
    }

    fn assigned(&self, from: &Ends, bindings: &[(u32, Expr)]) -> Ends {
        let assign = |(s, slots): &(u32, Vec<Value>)| {
            let mut after = slots.clone();
            for (slot, expr) in bindings {
                after[*slot as usize] = expr.eval(slots).unwrap();
            }
            (*s, after)
        };
        from.iter().map(assign).collect()
    }

    fn action(&mut self, action: u32, label: &str) -> bool {
        match self.formula.actions[action as usize].clone() {
            Action::Constant(value) => value,
            Action::Tau => label == "i",
            Action::Label(text) => text == label,
            Action::Regexp(_) => label.starts_with('G'),
            Action::Multi(_) => unreachable!("not generated"),
            Action::Val(expr) => self.eval(&expr) == Value::Bool(true),
            Action::Gate { gate, offers, more, guard } => {
                let (name, texts) = split(label);
                let values: Vec<Value> = texts.iter().map(|t| self.signature.read(t)).collect();
                if name != gate || offers.len() > values.len() {
                    return false;
                }
                if !more && offers.len() != values.len() {
                    return false;
                }
                for (offer, &value) in offers.iter().zip(&values) {
                    match offer {
                        Offer::Send(expr) => {
                            if self.eval(expr) != value {
                                return false;
                            }
                        }
                        Offer::Any => {}
                        Offer::Receive(slot) => {
                            let sort = self.formula.slots[*slot as usize].sort;
                            let fits = match value {
                                Value::Symbol(_) => sort == Sort::Var,
                                Value::Int(_) => sort == Sort::Nat,
                                Value::Bool(_) => sort == Sort::Bool,
                                Value::Term(_) => false,
                            };
                            if !fits {
                                return false;
                            }
                            self.slots[*slot as usize] = value;
                        }
                    }
                }
                guard.is_none_or(|guard| self.eval(&guard) == Value::Bool(true))
            }
            Action::Not(a) => !self.action(a, label),
            Action::And(a, b) => {
                let (a, b) = (self.action(a, label), self.action(b, label));
                a && b
            }
            Action::Or(a, b) => {
                let (a, b) = (self.action(a, label), self.action(b, label));
                a || b
            }
            Action::Imply(a, b) => !self.action(a, label) || self.action(b, label),
            Action::Equal(a, b) => self.action(a, label) == self.action(b, label),
            Action::Quantifier { all, slots, body } => {
                let [slot] = slots[..] else { panic!("one variable") };
                let values = self.domain(self.formula.slots[slot as usize].sort);
                let mut results = Vec::new();
                for value in values {
                    self.slots[slot as usize] = value;
                    results.push(self.action(body, label));
                }
                if all { results.iter().all(|r| *r) } else { results.iter().any(|r| *r) }
            }
        }
    }
}

fn agree(dialect: Dialect, programs: bool, seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let (mut yes, mut games, mut special) = (0, 0, 0);
    let (mut modal, mut parameterised) = (0, 0);
    for round in 0..rounds {
        let mut lts = model(&mut random);
        let depth = 2 + random.below(3);
        let mut writer = Writer {
            random: &mut random,
            cadp: dialect == Dialect::Cadp,
            programs,
            fixpoints: Vec::new(),
            data: Vec::new(),
            fresh: 0,
        };
        let text = writer.state(depth);
        let formula = parse(&text, dialect).unwrap_or_else(|e| panic!("{text}\n{e} {:?}", e.span));
        let shown = formula.to_string();
        let again = parse(&shown, dialect).unwrap_or_else(|e| panic!("{text}\n{shown}\n{e}"));
        assert_eq!(again, formula, "{text}\n{shown}");

        let mut signature = formula.signature.clone();
        let mut variables = Vec::new();
        for label in lts.all_labels() {
            for value in split(label).1 {
                let value = signature.read(value);
                if matches!(value, Value::Symbol(_)) && !variables.contains(&value) {
                    variables.push(value);
                }
            }
        }
        let mut naive = Naive {
            formula: &formula,
            lts: &lts.clone(),
            signature,
            variables,
            slots: vec![Value::Bool(false); formula.slots.len()],
            tables: BTreeMap::new(),
            jumps: BTreeMap::new(),
        };
        let expected = naive.state(formula.root);
        let shown = || {
            let mut aut = Vec::new();
            lts::aut::write(naive.lts, &mut aut).unwrap();
            format!("round {round}: {text}\n{}", String::from_utf8(aut).unwrap())
        };
        for method in Method::ALL {
            let question = lts::question(&formula, &mut lts, &["i"]).unwrap();
            let mut solver = Solver::new(question);
            for state in 0..naive.lts.states() {
                let initial = solver.system().formulas().initial;
                let key = solver.system().variable(initial, &[], state).unwrap();
                let value = solver.solve_for(&key, method, &mut |_| true).unwrap();
                assert_eq!(value, expected.contains(&state), "{method:?} {state} {}", shown());
                let explanation = solver.explain(&key).unwrap().unwrap();
                let checked = bes::check(solver.system(), &key, &explanation).unwrap();
                assert_eq!(checked, Ok(()), "{}", shown());
                lts::explained_part(solver.system(), &explanation).unwrap();
                yes += usize::from(value);
            }
            games += solver.stats().games;
            special += solver.stats().special;
        }
        // The same question, written down as a modal and as a parameterised system.
        let here = expected.contains(&naive.lts.initial_state());
        match lts::to_modal_system(&formula, Some(&["x", "y"]), &mut || true).map(Option::unwrap) {
            Ok(system) => {
                let text = system.to_string();
                let again = lts::blk::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
                assert_eq!(again.to_string(), text);
                let mut solver = Solver::new(again.on(&mut lts, &["i"]).unwrap());
                let value = solver.solve(Method::Auto, &mut |_| true).unwrap();
                assert_eq!(value, here, "{text}\n{}", shown());
                modal += 1;
            }
            Err(e) => assert!(e.to_string().ends_with("not supported"), "{e}"),
        }
        match lts::to_pbes(&formula, naive.lts, &["i"], &mut || true).map(Option::unwrap) {
            Ok(text) => {
                let pbes = bes::pbes::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
                let mut solver = Solver::new(pbes.instance().unwrap());
                let value = solver.solve(Method::Auto, &mut |_| true).unwrap();
                assert_eq!(value, here, "{text}\n{}", shown());
                parameterised += 1;
            }
            Err(e) => assert!(e.to_string().ends_with("not supported"), "{e}"),
        }
        let all = lts::everywhere(&formula, &mut lts, &["i"], &mut |_| true).unwrap().unwrap();
        let holding: Set = (0..all.len() as u32).filter(|&s| all[s as usize]).collect();
        assert_eq!(holding, expected, "{}", shown());
    }
    if !programs {
        assert!(5 * modal > 4 * rounds, "most can be written as modal systems: {modal}");
        let all = parameterised == rounds;
        assert!(all, "all can be written as parameterised ones: {parameterised}");
    }
    assert!(yes > rounds, "some hold: {yes}");
    assert!(games > 20, "some alternate: {games}");
    assert!(special > rounds as u64, "some are special: {special}");
}

#[test]
fn mcrl2() {
    agree(Dialect::Mcrl2, false, 0x5eed_1001, 2_000);
}

#[test]
fn cadp() {
    agree(Dialect::Cadp, false, 0x5eed_1002, 2_000);
}

#[test]
fn mcl() {
    agree(Dialect::Cadp, true, 0x5eed_1003, 2_000);
}
