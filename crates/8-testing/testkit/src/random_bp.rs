//! Random boolean programs, well-formed by construction.

use crate::bp::{Bp, Expr, Kind, Op, Proc, Stmt, visit_stmts};
use crate::rng::Rng;
use crate::style;

/// What kind of program is wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// One procedure besides `main`, two globals: quick to understand when it fails.
    Small,
    /// Two procedures besides `main`, every construct.
    Medium,
    /// Four procedures besides `main`, up to nine variables in scope.
    Large,
    /// As `Medium`, in varied concrete syntax: synonyms, few parentheses, missing semicolons,
    /// comments, braced names, shadowing, declarations in odd places.
    Fancy,
    /// Many small procedures that call each other, and little else.
    Calls,
    /// No choice at all, every variable set before it is used: [`crate::walk`] knows the answer.
    Deterministic,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 6] = [
        Profile::Small,
        Profile::Medium,
        Profile::Large,
        Profile::Fancy,
        Profile::Calls,
        Profile::Deterministic,
    ];
    /// Its knobs.
    pub fn knobs(self) -> Knobs {
        let medium = Knobs::default();
        match self {
            Profile::Small => Knobs {
                globals: 2,
                procs: 1,
                locals: 1,
                params: 1,
                returns: 1,
                statements: 6,
                depth: 2,
                ..medium
            },
            Profile::Medium => medium,
            Profile::Large => Knobs { globals: 4, procs: 4, locals: 3, statements: 12, ..medium },
            Profile::Fancy => Knobs { odd_names: true, varied: true, ..medium },
            Profile::Calls => Knobs {
                globals: 3,
                procs: 5,
                locals: 1,
                params: 1,
                returns: 2,
                statements: 4,
                depth: 1,
                calls: 60,
                ..medium
            },
            Profile::Deterministic => Knobs {
                choice: false,
                recursion: false,
                constrain: false,
                enforce: false,
                statements: 12,
                procs: 3,
                globals: 4,
                initialise: true,
                ..medium
            },
        }
    }
}

/// What a generated program may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knobs {
    /// Global variables, exactly.
    pub globals: usize,
    /// Procedures besides `main`, exactly.
    pub procs: usize,
    /// Parameters of a procedure, at most.
    pub params: usize,
    /// Local variables of a procedure, at most.
    pub locals: usize,
    /// Values that a procedure returns, at most.
    pub returns: usize,
    /// Statements of a procedure, about.
    pub statements: usize,
    /// Nesting of `if` and `while`.
    pub depth: usize,
    /// Weight of calls (an assignment has 20).
    pub calls: usize,
    /// Procedures may call themselves and those before them.
    pub recursion: bool,
    /// `while`
    pub loops: bool,
    /// `goto`
    pub gotos: bool,
    /// `assert`
    pub asserts: bool,
    /// `*`, `schoose`, `dead`, `goto` to several labels, values returned by running off the end.
    pub choice: bool,
    /// `constrain`, alone and behind assignments.
    pub constrain: bool,
    /// `enforce` and `abortif`
    pub enforce: bool,
    /// Braced names, names with `#`, `.` and `$`, shadowing, one label in several procedures.
    pub odd_names: bool,
    /// Varied concrete syntax.
    pub varied: bool,
    /// Every variable is set to a constant first.
    pub initialise: bool,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs {
            globals: 3,
            procs: 2,
            params: 2,
            locals: 2,
            returns: 2,
            statements: 10,
            depth: 3,
            calls: 14,
            recursion: true,
            loops: true,
            gotos: true,
            asserts: true,
            choice: true,
            constrain: true,
            enforce: true,
            odd_names: false,
            varied: false,
            initialise: false,
        }
    }
}

/// The text of the program with the given seed. Equal arguments give equal texts.
pub fn random_bp(seed: u64, profile: Profile) -> String {
    let knobs = profile.knobs();
    let program = generate(seed, &knobs);
    if knobs.varied { style::varied(&program, seed) } else { program.text() }
}

/// The program with the given seed.
pub fn generate(seed: u64, knobs: &Knobs) -> Bp {
    let mut generator =
        Generator { rng: Rng::new(seed), knobs: *knobs, signatures: Vec::new(), next_label: 0 };
    generator.program()
}

/// What callers must know of a procedure.
struct Signature {
    name: String,
    params: usize,
    returns: usize,
}

struct Generator {
    rng: Rng,
    knobs: Knobs,
    signatures: Vec<Signature>,
    next_label: usize,
}

/// What a body may use.
struct Scope {
    /// Visible variables.
    vars: Vec<String>,
    locals: Vec<String>,
    globals: Vec<String>,
    /// The procedure's index.
    own: usize,
    /// Indices of the procedures that may be called.
    callees: Vec<usize>,
    returns: usize,
    /// Statements that may still be written.
    budget: usize,
}

const ODD: [&str; 6] = ["{*p == *q}", "a.b", "lock#1", "$s", "_t", "{x}"];

impl Generator {
    fn program(&mut self) -> Bp {
        let knobs = self.knobs;
        let mut globals: Vec<String> = (0..knobs.globals).map(|i| format!("g{i}")).collect();
        if knobs.odd_names {
            for global in &mut globals {
                if self.rng.chance(30) {
                    let odd = self.rng.pick::<&str>(&ODD);
                    *global = (*odd).to_owned();
                }
            }
            globals.sort();
            globals.dedup();
        }
        for i in 0..=knobs.procs {
            let main = i == 0;
            let name = if main { "main".to_owned() } else { format!("p{i}") };
            let params = if main { 0 } else { self.rng.between(0, knobs.params) };
            let returns = if main { 0 } else { self.rng.between(0, knobs.returns) };
            self.signatures.push(Signature { name, params, returns });
        }
        let procs = (0..=knobs.procs).map(|i| self.procedure(i, &globals)).collect();
        Bp { globals, procs }
    }

    fn procedure(&mut self, index: usize, globals: &[String]) -> Proc {
        let knobs = self.knobs;
        let main = index == 0;
        let (name, returns) = (self.signatures[index].name.clone(), self.signatures[index].returns);
        let params: Vec<String> =
            (0..self.signatures[index].params).map(|i| format!("a{i}")).collect();
        let prefix = if main { "m" } else { "x" };
        let mut locals: Vec<String> =
            (0..self.rng.between(0, knobs.locals)).map(|i| format!("{prefix}{i}")).collect();
        if knobs.odd_names && !locals.is_empty() && !globals.is_empty() && self.rng.chance(20) {
            locals[0] = self.rng.pick(globals).clone();
        }
        if knobs.odd_names {
            self.next_label = 0;
        }
        let mut callees: Vec<usize> = if knobs.recursion {
            (1..=knobs.procs).collect()
        } else {
            (index + 1..=knobs.procs).collect()
        };
        if knobs.recursion && self.rng.chance(4) {
            callees.push(0);
        }
        let mut proc =
            Proc { name, returns, params, locals, enforce: None, abortif: None, body: Vec::new() };
        let budget = self.rng.between(knobs.statements.div_ceil(2), knobs.statements * 4 / 3);
        let mut scope = Scope {
            vars: proc.scope(globals),
            locals: proc.locals.clone(),
            globals: globals.to_vec(),
            own: index,
            callees,
            returns,
            budget,
        };
        let mut body = Vec::new();
        while scope.budget > 0 {
            self.statement(&mut scope, knobs.depth, &mut body);
        }
        if main {
            // Most procedures are called from here, or their bodies would often be dead code.
            for callee in 1..=knobs.procs {
                if self.rng.chance(65) {
                    let call = self.call(&scope, callee);
                    let stmt = self.labelled(call);
                    body.insert(self.rng.below(body.len() + 1), stmt);
                }
            }
        }
        self.next_label += 1;
        body.push(Stmt { labels: vec![format!("L{}", self.next_label)], kind: Kind::Skip });
        if returns > 0 && !(knobs.choice && self.rng.chance(15)) {
            let kind = Kind::Return(self.values(&scope.vars, returns));
            body.push(Stmt::new(kind));
        }
        if knobs.initialise {
            let targets = if main { &scope.vars } else { &proc.locals };
            if !targets.is_empty() {
                let values = targets.iter().map(|_| Expr::Const(self.rng.coin())).collect();
                body.insert(0, Stmt::new(Kind::Assign(targets.clone(), values, None)));
            }
        }
        if knobs.enforce && !scope.vars.is_empty() {
            if self.rng.chance(12) {
                let op = *self.rng.pick(&[Op::Or, Op::Implies, Op::Eq, Op::Ne]);
                let (a, b) = (self.literal(&scope.vars), self.expr(&scope.vars, 1));
                proc.enforce = Some(Expr::binary(op, a, b));
            }
            if self.rng.chance(8) {
                let (a, b) = (self.literal(&scope.vars), self.expr(&scope.vars, 1));
                proc.abortif = Some(Expr::binary(Op::And, a, b));
            }
        }
        proc.body = body;
        self.resolve_gotos(&mut proc);
        proc
    }

    /// Jumps are written with no target and get theirs when all labels are known.
    fn resolve_gotos(&mut self, proc: &mut Proc) {
        let mut labels: Vec<String> = Vec::new();
        visit_stmts(&proc.body, &mut |s| labels.extend(s.labels.iter().cloned()));
        let mut work: Vec<&mut Stmt> = proc.body.iter_mut().collect();
        while let Some(stmt) = work.pop() {
            if let Kind::Goto(targets) = &mut stmt.kind {
                let count = if self.knobs.choice { self.rng.between(1, 3) } else { 1 };
                *targets = self.rng.sample(&labels, count);
            } else {
                work.extend(stmt.blocks_mut().flatten());
            }
        }
    }

    fn labelled(&mut self, kind: Kind) -> Stmt {
        let mut labels = Vec::new();
        if self.rng.chance(50) {
            self.next_label += 1;
            labels.push(format!("L{}", self.next_label));
            if self.knobs.odd_names && self.rng.chance(20) {
                self.next_label += 1;
                labels.push(self.next_label.to_string());
            }
        }
        Stmt { labels, kind }
    }

    fn block(&mut self, scope: &mut Scope, depth: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            if scope.budget > 0 {
                self.statement(scope, depth, &mut out);
            }
        }
        // Empty blocks are legal.
        if out.is_empty() && self.rng.coin() {
            out.push(self.labelled(Kind::Skip));
        }
        out
    }

    /// Writes one statement, or a few that belong together.
    fn statement(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        scope.budget -= 1;
        let knobs = self.knobs;
        let some = |on: bool, weight: usize| if on { weight } else { 0 };
        let nested = depth < knobs.depth;
        let (vars, callee) = (!scope.vars.is_empty(), !scope.callees.is_empty());
        let weights = [
            some(vars, 28),
            some(callee, knobs.calls),
            some(depth > 0, 16),
            some(depth > 0 && knobs.loops, 7),
            // A jump at the outermost level makes what follows dead: rare there.
            some(knobs.gotos, if nested { 5 } else { 1 }),
            if nested { 4 } else { 1 },
            some(knobs.asserts, if nested { 7 } else { 3 }),
            // So do assumptions, where no choice remains that could satisfy them.
            if !knobs.choice {
                1
            } else if nested {
                5
            } else {
                2
            },
            some(knobs.constrain && knobs.choice, 2),
            some(knobs.choice && vars, 3),
            1,
            4,
            some(callee && vars, 5),
        ];
        let kind = match self.rng.weighted(&weights) {
            0 => self.assignment(&scope.vars),
            1 => {
                let callee = *self.rng.pick(&scope.callees);
                let call = self.call(scope, callee);
                if !nested { self.guarded(scope, callee, call) } else { call }
            }
            2 => {
                let branches = (0..self.rng.weighted(&[0, 7, 2, 1]))
                    .map(|_| (self.condition(&scope.vars), self.block(scope, depth - 1)))
                    .collect();
                let otherwise = self.rng.chance(55).then(|| self.block(scope, depth - 1));
                Kind::If(branches, otherwise)
            }
            3 => Kind::While(self.condition(&scope.vars), self.block(scope, depth - 1)),
            4 => Kind::Goto(Vec::new()),
            5 => Kind::Return(self.values(&scope.vars, scope.returns)),
            6 => Kind::Assert(self.expr(&scope.vars, 2)),
            7 => Kind::Assume(self.expr(&scope.vars, 2)),
            8 => Kind::Constrain(self.expr(&scope.vars, 2)),
            9 => {
                let count = self.rng.between(1, 2);
                Kind::Dead(self.rng.sample(&scope.vars, count))
            }
            10 => {
                let count = self.rng.between(1, 2);
                Kind::Print(self.values(&scope.vars, count))
            }
            11 => Kind::Skip,
            _ => return self.around_a_call(scope, out),
        };
        out.push(self.labelled(kind));
    }

    /// Sets a variable, calls, and looks at it again: what summaries, MOD/REF and live ranges get
    /// wrong first.
    fn around_a_call(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let keeper = if !scope.locals.is_empty() && self.rng.chance(60) {
            self.rng.pick(&scope.locals).clone()
        } else {
            self.rng.pick(&scope.vars).clone()
        };
        let watched =
            self.rng.pick(if scope.globals.is_empty() { &scope.vars } else { &scope.globals });
        let watched = watched.clone();
        let value = if self.rng.coin() { Expr::var(&watched) } else { self.value(&scope.vars) };
        out.push(self.labelled(Kind::Assign(vec![keeper.clone()], vec![value], None)));
        let callee = *self.rng.pick(&scope.callees);
        let call = self.call(scope, callee);
        let call = self.guarded(scope, callee, call);
        out.push(self.labelled(call));
        let op = if self.rng.coin() { Op::Eq } else { Op::Ne };
        let test = Expr::binary(op, Expr::var(&keeper), Expr::var(&watched));
        let inside = self.labelled(Kind::Skip);
        let kind = match self.rng.below(3) {
            0 if self.knobs.asserts && self.knobs.choice => Kind::Assert(test),
            1 if self.knobs.choice => Kind::Assume(test),
            _ => Kind::If(vec![(test, vec![inside])], None),
        };
        out.push(self.labelled(kind));
        scope.budget = scope.budget.saturating_sub(2);
    }

    fn assignment(&mut self, vars: &[String]) -> Kind {
        let count = self.rng.weighted(&[0, 6, 3, 1]);
        let targets = self.rng.sample(vars, count);
        let mut values = match self.rng.below(8) {
            // Permute, or negate in place.
            0 => {
                let mut turned = targets.clone();
                turned.rotate_left(1);
                turned.iter().map(|v| Expr::var(v)).collect()
            }
            1 => targets.iter().map(|v| Expr::not(Expr::var(v))).collect(),
            _ => self.values(vars, targets.len()),
        };
        let mut targets = targets;
        if self.rng.chance(4) {
            targets.push("_".to_owned());
            values.push(self.value(vars));
        }
        let constraint = (self.knobs.constrain && self.rng.chance(14)).then(|| {
            let next: Vec<String> =
                targets.iter().chain(vars).filter(|v| *v != "_").cloned().collect();
            self.constraint(vars, &next, 2)
        });
        Kind::Assign(targets, values, constraint)
    }

    fn call(&mut self, scope: &Scope, callee: usize) -> Kind {
        let Signature { ref name, params, returns } = self.signatures[callee];
        let name = name.clone();
        let mut targets = Vec::new();
        if returns > 0 && self.rng.chance(85) {
            targets = self.rng.sample(&scope.vars, returns);
            targets.resize(returns, "_".to_owned());
            if self.rng.chance(15) {
                let at = self.rng.below(returns);
                targets[at] = "_".to_owned();
            }
        }
        Kind::Call(targets, name, self.values(&scope.vars, params))
    }

    /// Recursion that nothing guards never comes back, and what follows would be dead: put it
    /// under a condition, mostly.
    fn guarded(&mut self, scope: &Scope, callee: usize, call: Kind) -> Kind {
        if callee > scope.own || self.rng.chance(15) {
            return call;
        }
        let condition = self.condition(&scope.vars);
        let call = self.labelled(call);
        Kind::If(vec![(condition, vec![call])], None)
    }

    fn condition(&mut self, vars: &[String]) -> Expr {
        match self.rng.below(10) {
            0 | 1 if self.knobs.choice => Expr::Choice,
            2..=5 => self.literal(vars),
            _ => self.expr(vars, 2),
        }
    }

    fn values(&mut self, vars: &[String], count: usize) -> Vec<Expr> {
        (0..count).map(|_| self.value(vars)).collect()
    }

    fn value(&mut self, vars: &[String]) -> Expr {
        match self.rng.below(10) {
            0 if self.knobs.choice => Expr::Choice,
            1 if self.knobs.choice => {
                let (a, b) = (self.expr(vars, 1), self.expr(vars, 1));
                Expr::Schoose(Box::new(a), Box::new(b))
            }
            2 => Expr::Const(self.rng.coin()),
            3..=5 => self.literal(vars),
            _ => self.expr(vars, 2),
        }
    }

    fn literal(&mut self, vars: &[String]) -> Expr {
        if vars.is_empty() {
            return Expr::Const(self.rng.coin());
        }
        let var = Expr::var(self.rng.pick::<String>(vars));
        if self.rng.coin() { var } else { Expr::not(var) }
    }

    fn expr(&mut self, vars: &[String], depth: usize) -> Expr {
        self.constraint(vars, &[], depth)
    }

    /// An expression that may read `'x` for the variables `next`.
    fn constraint(&mut self, vars: &[String], next: &[String], depth: usize) -> Expr {
        let leaf = depth == 0 || self.rng.chance(25);
        if leaf {
            if !next.is_empty() && self.rng.coin() {
                return Expr::Next(self.rng.pick(next).clone());
            }
            return match self.rng.below(10) {
                0 if self.knobs.choice => Expr::Choice,
                1 => Expr::Const(self.rng.coin()),
                _ => self.literal(vars),
            };
        }
        let part = |g: &mut Self| g.constraint(vars, next, depth - 1);
        match self.rng.below(12) {
            0 | 1 => Expr::not(part(self)),
            2 if self.knobs.choice => {
                let (a, b) = (part(self), part(self));
                Expr::Schoose(Box::new(a), Box::new(b))
            }
            _ => {
                let op = *self.rng.pick(&[
                    Op::And,
                    Op::Or,
                    Op::And,
                    Op::Or,
                    Op::Xor,
                    Op::Eq,
                    Op::Ne,
                    Op::Implies,
                ]);
                let (a, b) = (part(self), part(self));
                Expr::binary(op, a, b)
            }
        }
    }
}
