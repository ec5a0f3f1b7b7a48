//! Relations by their definition: every candidate is tried.

#![allow(dead_code)] // each suite uses its part

use ir::eval::{Code, TableEnv, Val, cell_of};
use ir::{ExprId, ProcId, Program, Rel, Scalar, Time, VarId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Values of cells.
pub(crate) type Cells = BTreeMap<(VarId, u32), u64>;

/// On which kind of edge a relation stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Local(ProcId),
    Enter { caller: ProcId, callee: ProcId },
    Back { caller: ProcId, callee: ProcId },
    Return(ProcId),
}

impl Kind {
    /// What can be read before the step.
    pub(crate) fn pre(self, program: &Program) -> Vec<VarId> {
        let (locals, results) = match self {
            Kind::Local(p) | Kind::Return(p) | Kind::Enter { caller: p, .. } => (p, None),
            Kind::Back { caller, callee } => (caller, Some(callee)),
        };
        let mut out = program.globals.clone();
        out.extend(&program.procs[locals].locals);
        out.extend(results.iter().flat_map(|&p| &program.procs[p].results));
        out
    }
    /// The targets, with whether they keep their value where they are not assigned.
    pub(crate) fn targets(self, program: &Program) -> Vec<(Time, VarId, bool)> {
        let mut out: Vec<_> = program.globals.iter().map(|&v| (Time::Post, v, true)).collect();
        let mut add = |vars: &[VarId], time, keeps| {
            out.extend(vars.iter().map(|&v| (time, v, keeps)));
        };
        match self {
            Kind::Local(p) | Kind::Back { caller: p, .. } => {
                add(&program.procs[p].locals, Time::Post, true);
            }
            Kind::Enter { caller, callee } => {
                add(&program.procs[callee].locals, Time::Post, false);
                add(&program.procs[caller].locals, Time::Saved, true);
            }
            Kind::Return(p) => add(&program.procs[p].results, Time::Post, false),
        }
        out
    }
}

/// A relation on an edge, ready to be asked.
pub(crate) struct Direct<'a> {
    program: &'a Program,
    kind: Kind,
    rel: &'a Rel,
    guard: Code,
    /// Index and value of each assignment.
    assigns: Vec<(Option<Code>, Option<Code>)>,
    constraint: Code,
}

fn value(code: &Code, env: &TableEnv) -> Val {
    let value = code.eval(env, &mut Vec::new());
    assert!(value != Val::Unknown, "everything is known");
    value
}

impl<'a> Direct<'a> {
    pub(crate) fn new(program: &'a Program, kind: Kind, rel: &'a Rel) -> Direct<'a> {
        let code = |root: ExprId| Code::new(program, root);
        Direct {
            program,
            kind,
            rel,
            guard: code(rel.guard),
            assigns: rel.assigns.iter().map(|a| (a.index.map(code), a.value.map(code))).collect(),
            constraint: code(rel.constraint),
        }
    }

    /// Whether the valuations in `env` (choices aside) are in the relation.
    pub(crate) fn related(&self, env: &mut TableEnv) -> bool {
        (0..1u32 << self.rel.choices).any(|bits| {
            env.choices = (0..self.rel.choices).map(|k| bits >> k & 1 == 1).collect();
            self.related_under(env)
        })
    }

    fn related_under(&self, env: &TableEnv) -> bool {
        if value(&self.guard, env).as_bool() != Some(true) {
            return false;
        }
        let after = |time, var, cell| match time {
            Time::Post => env.post[&(var, cell)],
            _ => env.saved[&(var, cell)],
        };
        let mut assigned: BTreeSet<(Time, VarId, u32)> = BTreeSet::new();
        for (assign, (index, new)) in self.rel.assigns.iter().zip(&self.assigns) {
            let ty = self.program.vars[assign.var].ty;
            let cells = match index {
                None => 0..ty.cells(),
                Some(index) => {
                    let Val::Known(index) = value(index, env) else { return false };
                    let cell = cell_of(self.program, assign.var, index);
                    let Some(cell) = cell else { return false };
                    cell..cell + 1
                }
            };
            for cell in cells {
                assigned.insert((assign.time, assign.var, cell));
                let Some(new) = new else { continue };
                let wanted = match (value(new, env), ty.scalar) {
                    (Val::Known(v), _) => v,
                    (_, Scalar::Bool) => 0,
                    _ => return false,
                };
                // Equal to what was written also means: it fits, and other writes agree.
                if wanted != after(assign.time, assign.var, cell) as i128 {
                    return false;
                }
            }
        }
        for (time, var, keeps) in self.kind.targets(self.program) {
            for cell in 0..self.program.vars[var].ty.cells() {
                if keeps
                    && !assigned.contains(&(time, var, cell))
                    && after(time, var, cell) != env.pre[&(var, cell)]
                {
                    return false;
                }
            }
        }
        value(&self.constraint, env).as_bool() == Some(true)
    }

    /// Everything that is related to `pre`: pairs of values after the step and in the saved frame.
    pub(crate) fn successors(&self, pre: &Cells) -> BTreeSet<(Cells, Cells)> {
        let mut env = TableEnv::default();
        env.pre.extend(pre.iter().map(|(&k, &v)| (k, v)));
        // What is assigned nowhere and keeps its value need not be guessed.
        let mut guessed = Vec::new();
        for (time, var, keeps) in self.kind.targets(self.program) {
            let ty = self.program.vars[var].ty;
            let set = self.rel.assigns.iter().any(|a| (a.time, a.var) == (time, var));
            for cell in 0..ty.cells() {
                if set || !keeps {
                    guessed.push((time, var, cell, ty.scalar.bits()));
                } else {
                    table(&mut env, time).insert((var, cell), pre[&(var, cell)]);
                }
            }
        }
        let bits: u32 = guessed.iter().map(|g| g.3).sum();
        assert!(bits <= 20, "too many candidates for the definition");
        let mut out = BTreeSet::new();
        for candidate in 0..1u64 << bits {
            let mut rest = candidate;
            for &(time, var, cell, width) in &guessed {
                table(&mut env, time).insert((var, cell), rest & ((1 << width) - 1));
                rest >>= width;
            }
            if self.related(&mut env) {
                let sorted = |cells: &FxHashMap<(VarId, u32), u64>| {
                    cells.iter().map(|(&k, &v)| (k, v)).collect::<Cells>()
                };
                out.insert((sorted(&env.post), sorted(&env.saved)));
            }
        }
        out
    }
}

fn table(env: &mut TableEnv, time: Time) -> &mut FxHashMap<(VarId, u32), u64> {
    match time {
        Time::Post => &mut env.post,
        _ => &mut env.saved,
    }
}
