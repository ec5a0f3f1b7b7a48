//! Random Remopla programs, well-formed by construction: small numbers, arrays, enumerations,
//! structs, modules with parameters and results, guarded commands, quantified and parallel
//! assignments, `skip` over values before and after, rules among modules.

use crate::rng::Rng;

/// Labels that somebody else might want: generated ones, words of other languages, modules.
const AWKWARD: [&str; 14] = [
    "main_1",
    "main_2",
    "f0_1",
    "N0",
    "N1",
    "begin",
    "T",
    "end",
    "start",
    "f1",
    "assertion_failed",
    "A",
    "skip",
    "7",
];

/// Variables likewise.
const NAMES: [&str; 8] =
    ["choice_0", "i", "argument", "any0", "part0", "main_return", "control", "result0"];

/// A variable that is in scope.
#[derive(Clone, Debug)]
enum Var {
    Bool(String),
    /// With its number of bits.
    Int(String, u32),
    /// An array of booleans or of numbers, with its first and last index.
    Array(String, Option<u32>, i64, i64),
    /// A variable of the enumeration.
    Member(String),
}

struct Writer {
    rng: Rng,
    out: String,
    globals: Vec<Var>,
    locals: Vec<Var>,
    /// Name, kinds of parameters (bits, 0: a boolean), kind of the result.
    modules: Vec<(String, Vec<u32>, Option<u32>)>,
    labels: Vec<String>,
    /// Labels of all modules.
    all: Vec<String>,
    /// Names of locals of any module: a rule may speak at its labels.
    hidden: Vec<String>,
    /// Labels that the statements still to come may carry.
    open: Vec<String>,
    used: Vec<String>,
    budget: usize,
    inside: usize,
}

/// The program of a seed.
pub fn random_remopla(seed: u64) -> String {
    let mut writer = Writer {
        rng: Rng::new(seed),
        out: String::new(),
        globals: Vec::new(),
        locals: Vec::new(),
        modules: Vec::new(),
        labels: Vec::new(),
        all: Vec::new(),
        hidden: Vec::new(),
        open: Vec::new(),
        used: Vec::new(),
        budget: 0,
        inside: 0,
    };
    writer.program();
    writer.out
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn program(&mut self) {
        if self.rng.chance(30) {
            self.line(0, "define DEFAULT_INT_BITS 2");
        } else {
            self.line(0, "define DEFAULT_INT_BITS 1");
        }
        self.line(0, "enum Kind {e0, e1, e2} ;");
        for k in 0..self.rng.between(1, 3) {
            let name = match self.rng.chance(15) {
                true => NAMES[(k * 3 + self.rng.below(2)) % NAMES.len()].to_owned(),
                false => format!("g{k}"),
            };
            let var = self.var(name);
            let text = declaration(&var);
            self.line(0, &format!("{text};"));
            self.globals.push(var);
        }
        let count = self.rng.between(1, 3);
        for k in 0..count {
            let name = if k == 0 { "main".to_owned() } else { format!("f{}", k - 1) };
            let params = if k == 0 && self.rng.chance(80) { 0 } else { self.rng.below(3) };
            let params = (0..params).map(|_| self.rng.below(3) as u32).collect();
            let result = (k > 0 && self.rng.coin()).then(|| self.rng.below(3) as u32);
            self.modules.push((name, params, result));
        }
        self.line(0, "init main;");
        let mixed = self.rng.chance(12);
        for k in 0..count {
            self.module(k, mixed);
        }
        if mixed {
            self.rules();
        }
    }

    fn var(&mut self, name: String) -> Var {
        match self.rng.below(9) {
            0..=3 => Var::Bool(name),
            4 | 5 => Var::Int(name, self.rng.between(1, 2) as u32),
            6 => {
                let lo = self.rng.below(2) as i64;
                Var::Array(name, None, lo, lo + self.rng.below(2) as i64 + 1)
            }
            7 => Var::Array(name, Some(1), 0, 1),
            _ => Var::Member(name),
        }
    }

    fn module(&mut self, k: usize, mixed: bool) {
        let (name, params, result) = self.modules[k].clone();
        self.locals.clear();
        let mut head = Vec::new();
        for (i, &bits) in params.iter().enumerate() {
            let name = format!("p{i}");
            let var = if bits == 0 { Var::Bool(name) } else { Var::Int(name, bits) };
            head.push(declaration(&var));
            self.locals.push(var);
        }
        let returns = match result {
            None => "void".to_owned(),
            Some(0) => "bool".to_owned(),
            Some(bits) => format!("int({bits})"),
        };
        self.out.push('\n');
        self.line(0, &format!("module {returns} {name}({}) {{", head.join(", ")));
        for i in 0..self.rng.below(3) {
            let name = match self.rng.chance(15) {
                true => NAMES[(i * 4 + self.rng.below(4)) % NAMES.len()].to_owned(),
                false => format!("x{i}"),
            };
            let var = self.var(name);
            let text = declaration(&var);
            self.line(1, &format!("{text};"));
            self.locals.push(var);
        }
        self.budget = self.rng.between(3, 9);
        self.labels.clear();
        self.open.clear();
        for i in 0..self.rng.between(1, 4) {
            let awkward = self.rng.chance(25);
            let label = match awkward {
                true => (*self.rng.pick(&AWKWARD)).to_owned(),
                false => format!("L{k}{i}"),
            };
            // Rules need one place for each label.
            let known =
                self.labels.contains(&label) || mixed && (awkward || self.used.contains(&label));
            if !known {
                self.labels.push(label.clone());
                self.open.push(label);
            }
        }
        let targets = self.labels.clone();
        while self.budget > 0 {
            self.stmt(1, &targets, result);
        }
        for label in std::mem::take(&mut self.open) {
            self.line(1, &format!("{label}: skip;"));
        }
        if let Some(bits) = result {
            let value = self.value(bits);
            self.line(1, &format!("return {value};"));
        }
        self.line(0, "}");
        self.used.extend(self.labels.clone());
        self.all.extend(self.labels.clone());
        self.hidden.extend(self.locals.iter().map(|local| self::name(local).to_owned()));
    }

    fn rules(&mut self) {
        let symbols: Vec<String> =
            self.all.iter().cloned().chain(["Z0".into(), "Z1".into()]).collect();
        for _ in 0..self.rng.between(1, 3) {
            let (from, to) = (self.rng.pick(&symbols).clone(), self.rng.pick(&symbols).clone());
            let more = match self.rng.below(4) {
                0 => String::new(),
                1 => format!("{to} {}", self.rng.pick(&symbols)),
                _ => to,
            };
            let kept = if self.rng.coin() { self.kept() } else { String::new() };
            self.line(0, &format!("q <{from}> --> q <{more}>{kept}"));
        }
        self.line(0, "q <Z0> --> q <Z1>");
        self.line(0, "q <Z1> --> q <>");
    }

    /// A formula that keeps the values of plain globals that mean the same at every label.
    fn kept(&mut self) -> String {
        let mut parts = Vec::new();
        for var in &self.globals {
            if let Var::Bool(x) | Var::Int(x, _) = var
                && !self.hidden.contains(x)
            {
                parts.push(format!("{x}' == {x}"));
            }
        }
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" && ")) }
    }

    fn scope(&self) -> Vec<Var> {
        let hidden = |var: &Var| self.locals.iter().any(|local| name(local) == name(var));
        let globals = self.globals.iter().filter(|var| !hidden(var));
        self.locals.iter().chain(globals).cloned().collect()
    }

    fn stmt(&mut self, depth: usize, targets: &[String], result: Option<u32>) {
        self.budget = self.budget.saturating_sub(1);
        let mut labels = String::new();
        while !self.open.is_empty() && self.rng.chance(40) {
            let label = self.open.remove(0);
            labels.push_str(&format!("{label}: "));
        }
        match self.rng.below(20) {
            0..=6 => {
                let text = self.assigns();
                self.line(depth, &format!("{labels}{text};"));
            }
            7 => self.line(depth, &format!("{labels}skip;")),
            8 | 9 => {
                let text = self.relation();
                self.line(depth, &format!("{labels}skip({text});"));
            }
            10..=12 if depth < 3 => {
                let is_do = self.rng.chance(35);
                self.line(depth, &format!("{labels}{}", if is_do { "do" } else { "if" }));
                self.inside += usize::from(is_do);
                let count = self.rng.between(1, 2);
                for _ in 0..count {
                    let guard = if self.rng.chance(40) { "true".into() } else { self.boolean(2) };
                    self.line(depth, &format!(":: {guard} ->"));
                    for _ in 0..self.rng.between(1, 2) {
                        self.stmt(depth + 1, targets, result);
                    }
                }
                if self.rng.coin() || is_do {
                    self.line(depth, ":: else ->");
                    let text = if is_do { "break" } else { "skip" };
                    self.line(depth + 1, &format!("{text};"));
                }
                self.inside -= usize::from(is_do);
                self.line(depth, if is_do { "od;" } else { "fi;" });
            }
            13 if !targets.is_empty() => {
                let target = self.rng.pick(targets).clone();
                let more = if self.rng.chance(30) {
                    format!(", {}", self.assigns())
                } else {
                    String::new()
                };
                let text =
                    format!("{labels}if :: true -> goto {target}{more}; :: true -> skip; fi;");
                self.line(depth, &text);
            }
            14 if self.rng.chance(40) => {
                let text = match result {
                    None => "return".to_owned(),
                    Some(bits) => format!("return {}", self.value(bits)),
                };
                self.line(
                    depth,
                    &format!("{labels}if :: {} -> {text}; :: else -> skip; fi;", "true"),
                );
            }
            15..=18 => {
                let text = self.call();
                self.line(depth, &format!("{labels}{text};"));
            }
            _ => self.line(depth, &format!("{labels}skip;")),
        }
    }

    fn call(&mut self) -> String {
        let at = self.rng.below(self.modules.len());
        let (name, params, result) = self.modules[at].clone();
        let args: Vec<String> = params
            .iter()
            .map(|&bits| if self.rng.chance(10) { "undef".to_owned() } else { self.value(bits) })
            .collect();
        let scope = self.scope();
        let target = match result {
            Some(0) => self.find(&scope, |var| matches!(var, Var::Bool(_))),
            Some(_) => self.find(&scope, |var| matches!(var, Var::Int(..))),
            None => None,
        };
        let target = target.map_or(String::new(), |name| format!("{name} = "));
        let more = match self.rng.chance(15) && target.is_empty() {
            true => format!(", {}", self.assigns()),
            false => String::new(),
        };
        format!("{target}{name}({}){more}", args.join(", "))
    }

    fn find(&mut self, scope: &[Var], fits: impl Fn(&Var) -> bool) -> Option<String> {
        let fitting: Vec<String> =
            scope.iter().filter(|v| fits(v)).map(|v| name(v).to_owned()).collect();
        if fitting.is_empty() { None } else { Some(self.rng.pick(&fitting).clone()) }
    }

    /// One assignment, or several that happen at once.
    fn assigns(&mut self) -> String {
        let mut scope = self.scope();
        self.rng.shuffle(&mut scope);
        let mut parts = Vec::new();
        for var in scope.into_iter().take(self.rng.between(1, 2)) {
            let undef = self.rng.chance(12);
            parts.push(match var {
                Var::Bool(x) if undef => format!("{x} = undef"),
                Var::Bool(x) => format!("{x} = {}", self.boolean(2)),
                Var::Int(x, _) if undef => format!("{x} = undef"),
                Var::Int(x, bits) => format!("{x} = {}", self.number(bits, 2)),
                Var::Member(x) => match self.rng.below(3) {
                    0 => format!("{x} = undef"),
                    k => format!("{x} = e{k}"),
                },
                Var::Array(x, bits, lo, hi) => {
                    let value = self.value(bits.unwrap_or(0));
                    match self.rng.below(6) {
                        0 => format!("A j ({lo}, {hi}) {x}[j] = {value}"),
                        1 => format!("E j ({lo}, {hi}) {x}[j] = {value}"),
                        2 => format!("{x} = undef"),
                        // An index that can never fit is no program.
                        3 => match self.find(&self.scope(), |var| matches!(var, Var::Int(..))) {
                            Some(index) if lo < 2 => format!("{x}[{index}] = {value}"),
                            _ => format!("{x}[{hi}] = {value}"),
                        },
                        _ => {
                            let index = lo + self.rng.below((hi - lo + 1) as usize) as i64;
                            format!("{x}[{index}] = {value}")
                        }
                    }
                }
            });
        }
        match parts.is_empty() {
            true => "skip".to_owned(),
            false => parts.join(", "),
        }
    }

    /// A condition over values before and after.
    fn relation(&mut self) -> String {
        let scope = self.scope();
        let guard = self.boolean(2);
        let Some(x) = self.find(&scope, |var| !matches!(var, Var::Array(..))) else { return guard };
        let var = scope.iter().find(|var| name(var) == x).cloned();
        match (self.rng.below(4), var) {
            (0, Some(Var::Bool(x))) => format!("({x}' <=> ({guard}))"),
            (1, Some(Var::Bool(x))) => format!("({x}' || ({guard}))"),
            (0, Some(Var::Int(x, bits))) => format!("({x}' == {})", self.number(bits, 1)),
            (1, Some(Var::Int(x, bits))) => {
                format!("({x}' <= {}) && ({guard})", self.number(bits, 1))
            }
            _ => guard,
        }
    }

    /// A boolean (0 bits) or a number.
    fn value(&mut self, bits: u32) -> String {
        if bits == 0 { self.boolean(2) } else { self.number(bits, 2) }
    }

    fn boolean(&mut self, depth: usize) -> String {
        let scope = self.scope();
        if depth > 0 {
            match self.rng.below(9) {
                0 => return format!("!({})", self.boolean(depth - 1)),
                1 => {
                    return format!("({} && {})", self.boolean(depth - 1), self.boolean(depth - 1));
                }
                2 => {
                    return format!("({} || {})", self.boolean(depth - 1), self.boolean(depth - 1));
                }
                3 => {
                    return format!("({} ^^ {})", self.boolean(depth - 1), self.boolean(depth - 1));
                }
                4 => {
                    let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                    return format!("({} {op} {})", self.number(2, 1), self.number(2, 1));
                }
                5 => {
                    let arrays = scope.iter().find_map(|var| match var {
                        Var::Array(x, None, lo, hi) => Some((x.clone(), *lo, *hi)),
                        _ => None,
                    });
                    if let Some((x, lo, hi)) = arrays {
                        let word = *self.rng.pick(&["A", "E"]);
                        return format!("({word} j ({lo}, {hi}) {x}[j])");
                    }
                }
                _ => {}
            }
        }
        let members = scope.iter().find(|var| matches!(var, Var::Member(_)));
        if let (Some(var), true) = (members, self.rng.chance(20)) {
            return format!("({} == e{})", name(var), self.rng.below(3));
        }
        match self.find(&scope, |var| matches!(var, Var::Bool(_))) {
            Some(x) if self.rng.chance(80) => x,
            _ => (*self.rng.pick(&["true", "false"])).to_owned(),
        }
    }

    fn number(&mut self, bits: u32, depth: usize) -> String {
        let scope = self.scope();
        if depth > 0 && self.rng.chance(35) {
            let op = *self.rng.pick(&["+", "-", "*", "/", "&", "|", "^", "<<", ">>"]);
            return format!(
                "({} {op} {})",
                self.number(bits, depth - 1),
                self.number(bits, depth - 1)
            );
        }
        let cells = scope.iter().find_map(|var| match var {
            Var::Array(x, Some(_), lo, hi) => Some((x.clone(), *lo, *hi)),
            _ => None,
        });
        if let (Some((x, _, _)), true) = (cells, self.rng.chance(15)) {
            return match self.find(&scope, |var| matches!(var, Var::Int(..))) {
                Some(index) => format!("{x}[{index}]"),
                None => format!("{x}[0]"),
            };
        }
        match self.find(&scope, |var| matches!(var, Var::Int(..))) {
            Some(x) if self.rng.chance(60) => x,
            _ => self.rng.below(1 << bits).to_string(),
        }
    }
}

fn name(var: &Var) -> &str {
    match var {
        Var::Bool(name) | Var::Int(name, _) | Var::Array(name, ..) | Var::Member(name) => name,
    }
}

fn declaration(var: &Var) -> String {
    match var {
        Var::Bool(name) => format!("bool {name}"),
        Var::Int(name, bits) => format!("int {name}({bits})"),
        Var::Array(name, None, lo, hi) => format!("bool {name}[{lo}, {hi}]"),
        Var::Array(name, Some(bits), lo, hi) => format!("int {name}[{lo}, {hi}]({bits})"),
        Var::Member(name) => format!("enum Kind {name}"),
    }
}
