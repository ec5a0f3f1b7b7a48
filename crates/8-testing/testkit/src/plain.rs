//! Relations applied as they are defined ([`ir::Rel`]), with values written out cell by cell.

use ir::eval::{Code, Env, Val};
use ir::{Assign, EdgeId, EdgeKind, ExprId, Layout, ProcId, Program, Rel, Scalar, Time, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Values of cells.
pub(crate) type Cells = BTreeMap<(VarId, u32), u64>;

/// A number for values that were seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct StateId(u32);

/// The most bits in scope that are taken.
const MOST_BITS: u32 = 6;
/// The most candidates for the values after a step.
const MOST_CANDIDATES: u64 = 1 << 14;

/// A program whose relations are applied one state at a time, each once.
pub(crate) struct Plain<'a> {
    program: &'a Program,
    states: Vec<Cells>,
    numbers: BTreeMap<Cells, StateId>,
    steps: BTreeMap<(EdgeId, StateId), Vec<(StateId, StateId)>>,
    backs: BTreeMap<(EdgeId, StateId, StateId), Vec<StateId>>,
}

/// What becomes of cells that are not assigned.
enum Other {
    Keep,
    Open,
}

impl<'a> Plain<'a> {
    /// `None`: too many bits in scope.
    pub(crate) fn new(program: &'a Program) -> Option<Plain<'a>> {
        let plain = Plain {
            program,
            states: Vec::new(),
            numbers: BTreeMap::new(),
            steps: BTreeMap::new(),
            backs: BTreeMap::new(),
        };
        (Layout::new(program).scope_bits() <= MOST_BITS).then_some(plain)
    }

    /// The values of a state.
    pub(crate) fn values(&self, state: StateId) -> &Cells {
        &self.states[state.0 as usize]
    }

    fn number(&mut self, cells: Cells) -> StateId {
        if let Some(&state) = self.numbers.get(&cells) {
            return state;
        }
        let state = StateId(self.states.len() as u32);
        self.numbers.insert(cells.clone(), state);
        self.states.push(cells);
        state
    }

    /// The states in which the program starts.
    pub(crate) fn initial(&mut self) -> Vec<StateId> {
        let program = self.program;
        let condition = Code::new(program, program.init.condition);
        let open: Vec<(Time, VarId, u32)> =
            program.scope(program.entry).flat_map(|var| cells(program, Time::Pre, var)).collect();
        let mut out = Vec::new();
        each_value(program, &open, &mut Values::default(), |values| {
            let holds = (0..1u64 << program.init.choices).any(|choices| {
                values.choices = choices;
                condition.eval(values, &mut Vec::new()).as_bool() == Some(true)
            });
            if holds {
                out.push(values.pre.clone());
            }
        });
        out.into_iter().map(|cells| self.number(cells)).collect()
    }

    /// What a step leads to, or a return (then with globals and results).
    pub(crate) fn step(&mut self, edge: EdgeId, state: StateId) -> Option<Vec<StateId>> {
        Some(self.enter(edge, state)?.into_iter().map(|(after, _)| after).collect())
    }

    /// What a call leads to: the callee's state and the saved frame.
    pub(crate) fn enter(
        &mut self,
        edge: EdgeId,
        state: StateId,
    ) -> Option<Vec<(StateId, StateId)>> {
        if let Some(known) = self.steps.get(&(edge, state)) {
            return Some(known.clone());
        }
        let program = self.program;
        let source = &program.edges[edge];
        let proc = program.nodes[source.source].proc;
        let globals = (Time::Post, &program.globals, Other::Keep);
        let locals = |p: ProcId| &program.procs[p].locals;
        let (rel, targets) = match &source.kind {
            EdgeKind::Local { rel, .. } => {
                (rel, vec![globals, (Time::Post, locals(proc), Other::Keep)])
            }
            EdgeKind::Call(call) => {
                let inner = (Time::Post, locals(call.callee), Other::Open);
                (&call.enter, vec![globals, inner, (Time::Saved, locals(proc), Other::Keep)])
            }
            EdgeKind::Return { rel } => {
                (rel, vec![globals, (Time::Post, &program.procs[proc].results, Other::Open)])
            }
        };
        let found = successors(program, rel, self.values(state).clone(), &targets)?;
        let found: Vec<(StateId, StateId)> = found
            .into_iter()
            .map(|(post, saved)| (self.number(post), self.number(saved)))
            .collect();
        self.steps.insert((edge, state), found.clone());
        Some(found)
    }

    /// What the way back from a call leads to.
    pub(crate) fn back(
        &mut self,
        edge: EdgeId,
        out: StateId,
        saved: StateId,
    ) -> Option<Vec<StateId>> {
        if let Some(known) = self.backs.get(&(edge, out, saved)) {
            return Some(known.clone());
        }
        let program = self.program;
        let source = &program.edges[edge];
        let EdgeKind::Call(call) = &source.kind else { return None };
        let locals = &program.procs[program.nodes[source.source].proc].locals;
        let targets =
            [(Time::Post, &program.globals, Other::Keep), (Time::Post, locals, Other::Keep)];
        let mut pre = self.values(out).clone();
        pre.extend(self.values(saved).iter().map(|(&cell, &value)| (cell, value)));
        let found = successors(program, &call.back, pre, &targets)?;
        let found: Vec<StateId> = found.into_iter().map(|(post, _)| self.number(post)).collect();
        self.backs.insert((edge, out, saved), found.clone());
        Some(found)
    }
}

fn cells(program: &Program, time: Time, var: VarId) -> impl Iterator<Item = (Time, VarId, u32)> {
    (0..program.vars[var].ty.cells()).map(move |cell| (time, var, cell))
}

#[derive(Clone, Default)]
struct Values {
    pre: Cells,
    post: Cells,
    saved: Cells,
    choices: u64,
}

impl Values {
    fn at(&mut self, time: Time) -> &mut Cells {
        match time {
            Time::Pre => &mut self.pre,
            Time::Post => &mut self.post,
            Time::Saved => &mut self.saved,
        }
    }
}

impl Env for Values {
    fn read(&self, time: Time, var: VarId, cell: u32) -> Option<u64> {
        let cells = match time {
            Time::Pre => &self.pre,
            Time::Post => &self.post,
            Time::Saved => &self.saved,
        };
        cells.get(&(var, cell)).copied()
    }
    fn choice(&self, number: u32) -> Option<bool> {
        Some(self.choices >> number & 1 == 1)
    }
}

/// Calls `each` with all values of the given cells.
fn each_value(
    program: &Program,
    open: &[(Time, VarId, u32)],
    values: &mut Values,
    mut each: impl FnMut(&mut Values),
) {
    let widths: Vec<u32> = open.iter().map(|o| program.vars[o.1].ty.scalar.bits()).collect();
    for number in 0..1u64 << widths.iter().sum::<u32>() {
        let mut rest = number;
        for (&(time, var, cell), width) in open.iter().zip(&widths) {
            values.at(time).insert((var, cell), rest & ((1 << width) - 1));
            rest >>= width;
        }
        each(values);
    }
}

/// Everything related to `pre`: what holds after, and in the saved frame. `None`: too many
/// candidates.
fn successors(
    program: &Program,
    rel: &Rel,
    pre: Cells,
    targets: &[(Time, &Vec<VarId>, Other)],
) -> Option<BTreeSet<(Cells, Cells)>> {
    let code = |root: ExprId| Code::new(program, root);
    let (guard, constraint) = (code(rel.guard), code(rel.constraint));
    let assigns: Vec<(&Assign, Option<Code>, Option<Code>)> =
        rel.assigns.iter().map(|a| (a, a.index.map(code), a.value.map(code))).collect();
    let mut out = BTreeSet::new();
    let mut values = Values { pre, ..Values::default() };
    if rel.choices > 12 {
        return None;
    }
    'choices: for choices in 0..1u64 << rel.choices {
        values.choices = choices;
        if guard.eval(&values, &mut Vec::new()).as_bool() != Some(true) {
            continue;
        }
        // What each assigned cell becomes; `None`: arbitrary, unless it is written, too.
        let mut assigned: BTreeMap<(Time, VarId, u32), Option<u64>> = BTreeMap::new();
        for (assign, index, value) in &assigns {
            let ty = program.vars[assign.var].ty;
            let cells = match (index, ty.array) {
                (Some(index), Some(dim)) => {
                    let Val::Known(at) = index.eval(&values, &mut Vec::new()) else {
                        continue 'choices;
                    };
                    let cell = at - i128::from(dim.lo);
                    if cell < 0 || cell >= i128::from(dim.len) {
                        continue 'choices;
                    }
                    cell as u32..cell as u32 + 1
                }
                _ => 0..ty.cells(),
            };
            let value = match value {
                None => None,
                Some(value) => match (value.eval(&values, &mut Vec::new()), ty.scalar) {
                    (Val::Known(v), _) if v >= 0 && v < 1 << ty.scalar.bits() => Some(v as u64),
                    // An undefined truth value is false; an undefined number blocks.
                    (Val::Known(_), _) | (_, Scalar::Int { .. }) => continue 'choices,
                    (_, Scalar::Bool) => Some(0),
                },
            };
            for cell in cells {
                let old = assigned.entry((assign.time, assign.var, cell)).or_insert(value);
                match (*old, value) {
                    (Some(a), Some(b)) if a != b => continue 'choices,
                    (None, Some(_)) => *old = value,
                    _ => {}
                }
            }
        }
        values.post.clear();
        values.saved.clear();
        let mut open = Vec::new();
        for (time, vars, other) in targets {
            for &var in *vars {
                for (time, var, cell) in cells(program, *time, var) {
                    let value = match (assigned.get(&(time, var, cell)), other) {
                        (Some(value), _) => *value,
                        (None, Other::Keep) => values.pre.get(&(var, cell)).copied(),
                        (None, Other::Open) => None,
                    };
                    match value {
                        Some(value) => {
                            values.at(time).insert((var, cell), value);
                        }
                        None => open.push((time, var, cell)),
                    }
                }
            }
        }
        let bits: u32 = open.iter().map(|o| program.vars[o.1].ty.scalar.bits()).sum();
        if 1 << bits.min(63) > MOST_CANDIDATES {
            return None;
        }
        each_value(program, &open, &mut values, |values| {
            if constraint.eval(values, &mut Vec::new()).as_bool() == Some(true) {
                out.insert((values.post.clone(), values.saved.clone()));
            }
        });
    }
    Some(out)
}
