//! Random runs of boolean programs, straight from the text's meaning (LANGUAGES.md §1).
//!
//! Shares no code with the front end, the program model or any engine. What a run visits is
//! reachable; and the only run of a program without choice visits everything that is.

use crate::bp::{Bp, Expr, Kind, Proc, Stmt};
use crate::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// `main` came to its end.
    Finished,
    /// An assertion failed.
    Failed,
    /// There was no successor.
    Blocked,
    /// It was still running when the limit was reached.
    Cut,
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The labels visited, with their procedures.
    pub labels: BTreeSet<(String, String)>,
    /// How it ended.
    pub end: End,
}

/// A random run of at most `limit` statements.
pub fn walk(program: &Bp, rng: &mut Rng, limit: usize) -> Walk {
    let code: BTreeMap<&str, Code> =
        program.procs.iter().map(|p| (p.name.as_str(), Code::new(p))).collect();
    let globals = program.globals.iter().map(|g| (g.as_str(), rng.coin())).collect();
    let mut machine = Machine { code, rng, globals, frames: Vec::new() };
    let mut labels = BTreeSet::new();
    let end = machine.run(limit, &mut labels);
    Walk { labels, end }
}

/// The statements of a procedure in a row.
struct Code<'a> {
    proc: &'a Proc,
    instrs: Vec<Instr<'a>>,
    places: BTreeMap<&'a str, usize>,
}

enum Instr<'a> {
    /// A statement without blocks; the next instruction follows.
    Simple(&'a Stmt),
    /// `if` and `while`: the next instruction where the condition holds, else the given one.
    Branch(&'a Expr, usize, &'a [String]),
    /// No statement.
    Jump(usize),
    /// The end of the procedure.
    End,
}

impl<'a> Code<'a> {
    fn new(proc: &'a Proc) -> Code<'a> {
        let mut code = Code { proc, instrs: Vec::new(), places: BTreeMap::new() };
        code.block(&proc.body);
        code.instrs.push(Instr::End);
        code
    }
    fn block(&mut self, block: &'a [Stmt]) {
        for stmt in block {
            let here = self.instrs.len();
            self.places.extend(stmt.labels.iter().map(|l| (l.as_str(), here)));
            match &stmt.kind {
                Kind::If(branches, otherwise) => {
                    let mut jumps = Vec::new();
                    for (i, (cond, body)) in branches.iter().enumerate() {
                        let labels: &[String] = if i == 0 { &stmt.labels } else { &[] };
                        let test = self.instrs.len();
                        self.instrs.push(Instr::Branch(cond, 0, labels));
                        self.block(body);
                        jumps.push(self.instrs.len());
                        self.instrs.push(Instr::Jump(0));
                        let next = self.instrs.len();
                        self.instrs[test] = Instr::Branch(cond, next, labels);
                    }
                    if let Some(body) = otherwise {
                        self.block(body);
                    }
                    let after = self.instrs.len();
                    for jump in jumps {
                        self.instrs[jump] = Instr::Jump(after);
                    }
                }
                Kind::While(cond, body) => {
                    self.instrs.push(Instr::Branch(cond, 0, &stmt.labels));
                    self.block(body);
                    self.instrs.push(Instr::Jump(here));
                    let after = self.instrs.len();
                    self.instrs[here] = Instr::Branch(cond, after, &stmt.labels);
                }
                _ => self.instrs.push(Instr::Simple(stmt)),
            }
        }
    }
}

type Values<'a> = BTreeMap<&'a str, bool>;

struct Frame<'a> {
    proc: &'a str,
    at: usize,
    /// Locals hide parameters of the same name, as they hide globals.
    locals: Values<'a>,
}

struct Machine<'a, 'r> {
    code: BTreeMap<&'a str, Code<'a>>,
    rng: &'r mut Rng,
    globals: Values<'a>,
    frames: Vec<Frame<'a>>,
}

/// What an expression can be, over all choices in it. Choices are independent of each other, so
/// this is exact.
#[derive(Clone, Copy)]
struct Can {
    yes: bool,
    no: bool,
}

impl<'a> Machine<'a, '_> {
    fn run(&mut self, limit: usize, labels: &mut BTreeSet<(String, String)>) -> End {
        self.enter("main", Vec::new());
        for _ in 0..limit {
            let Some(frame) = self.frames.last() else { return End::Finished };
            let code = &self.code[frame.proc];
            let (proc, at) = (code.proc, frame.at);
            if let Instr::Jump(to) = code.instrs[at] {
                self.go(to);
                continue;
            }
            for (expr, must) in [(&proc.enforce, true), (&proc.abortif, false)] {
                if let Some(expr) = expr {
                    let can = self.can(expr, None);
                    if !(if must { can.yes } else { can.no }) {
                        return End::Blocked;
                    }
                }
            }
            let here: &[String] = match code.instrs[at] {
                Instr::Simple(stmt) => &stmt.labels,
                Instr::Branch(_, _, labels) => labels,
                Instr::Jump(_) | Instr::End => &[],
            };
            labels.extend(here.iter().map(|l| (proc.name.clone(), l.clone())));
            match self.code[proc.name.as_str()].instrs[at] {
                Instr::Branch(cond, otherwise, _) => {
                    let to = if self.value(cond) { at + 1 } else { otherwise };
                    self.go(to);
                }
                Instr::End => {
                    let values = (0..proc.returns).map(|_| self.rng.coin()).collect();
                    self.leave(values);
                }
                Instr::Simple(stmt) => {
                    if let Some(end) = self.simple(stmt, at) {
                        return end;
                    }
                }
                Instr::Jump(_) => unreachable!("jumps were handled above"),
            }
        }
        if self.frames.is_empty() { End::Finished } else { End::Cut }
    }

    fn simple(&mut self, stmt: &'a Stmt, at: usize) -> Option<End> {
        match &stmt.kind {
            Kind::Skip | Kind::Print(_) => {}
            Kind::Goto(targets) => {
                let target = self.rng.pick::<String>(targets);
                let frame = self.frames.last()?;
                let to = self.code[frame.proc].places[target.as_str()];
                self.go(to);
                return None;
            }
            Kind::Return(values) => {
                let values = values.iter().map(|v| self.value(v)).collect();
                self.leave(values);
                return None;
            }
            Kind::Assign(targets, values, constraint) => {
                let values: Vec<bool> = values.iter().map(|v| self.value(v)).collect();
                let before = (self.globals.clone(), self.frames.last()?.locals.clone());
                self.store(targets, &values);
                if let Some(constraint) = constraint
                    && !self.can(constraint, Some(&before)).yes
                {
                    return Some(End::Blocked);
                }
            }
            Kind::Call(_, callee, args) => {
                let args = args.iter().map(|a| self.value(a)).collect();
                self.enter(callee, args);
                return None;
            }
            Kind::Assert(e) => {
                if !self.value(e) {
                    return Some(End::Failed);
                }
            }
            Kind::Assume(e) | Kind::Constrain(e) => {
                if !self.can(e, None).yes {
                    return Some(End::Blocked);
                }
            }
            Kind::Dead(variables) => {
                let values: Vec<bool> = variables.iter().map(|_| self.rng.coin()).collect();
                self.store(variables, &values);
            }
            Kind::If(..) | Kind::While(..) => unreachable!("these are branches"),
        }
        self.go(at + 1);
        None
    }

    fn go(&mut self, to: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = to;
        }
    }

    fn enter(&mut self, name: &'a str, args: Vec<bool>) {
        let proc = self.code[name].proc;
        let mut locals: Values = proc.params.iter().map(String::as_str).zip(args).collect();
        for local in &proc.locals {
            locals.insert(local, self.rng.coin());
        }
        self.frames.push(Frame { proc: &proc.name, at: 0, locals });
    }

    fn leave(&mut self, values: Vec<bool>) {
        self.frames.pop();
        let Some(frame) = self.frames.last_mut() else { return };
        let Instr::Simple(Stmt { kind: Kind::Call(targets, ..), .. }) =
            self.code[frame.proc].instrs[frame.at]
        else {
            unreachable!("a frame above stands at its call")
        };
        frame.at += 1;
        self.store(targets, &values);
    }

    fn store(&mut self, targets: &[String], values: &[bool]) {
        let Some(frame) = self.frames.last_mut() else { return };
        for (target, &value) in targets.iter().zip(values) {
            let place = match frame.locals.get_mut(target.as_str()) {
                Some(place) => Some(place),
                None => self.globals.get_mut(target.as_str()),
            };
            // `_` has no place.
            if let Some(place) = place {
                *place = value;
            }
        }
    }

    /// A value that the expression can take.
    fn value(&mut self, expr: &Expr) -> bool {
        let can = self.can(expr, None);
        if can.yes && can.no { self.rng.coin() } else { can.yes }
    }

    /// What the expression can be. `before`: the globals and locals before the assignment whose
    /// constraint it is; without, `'x` is `x`.
    fn can(&self, expr: &Expr, before: Option<&(Values<'a>, Values<'a>)>) -> Can {
        let read = |name: &str, globals: &Values, locals: &Values| {
            let value = locals.get(name).or_else(|| globals.get(name)).copied().unwrap_or(false);
            Can { yes: value, no: !value }
        };
        let empty = Values::new();
        let locals = self.frames.last().map_or(&empty, |f| &f.locals);
        match expr {
            Expr::Const(value) => Can { yes: *value, no: !value },
            Expr::Choice => Can { yes: true, no: true },
            Expr::Next(name) => read(name, &self.globals, locals),
            Expr::Var(name) => match before {
                Some((globals, locals)) => read(name, globals, locals),
                None => read(name, &self.globals, locals),
            },
            Expr::Not(a) => {
                let a = self.can(a, before);
                Can { yes: a.no, no: a.yes }
            }
            Expr::Schoose(a, b) => {
                let (a, b) = (self.can(a, before), self.can(b, before));
                Can { yes: a.yes || b.no, no: a.no }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.can(a, before), self.can(b, before));
                let mut out = Can { yes: false, no: false };
                for (x, x_can) in [(true, a.yes), (false, a.no)] {
                    for (y, y_can) in [(true, b.yes), (false, b.no)] {
                        if x_can && y_can {
                            let value = op.apply(x, y);
                            out.yes |= value;
                            out.no |= !value;
                        }
                    }
                }
                out
            }
        }
    }
}
