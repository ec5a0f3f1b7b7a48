//! The program made ready to run: its relations, compiled when they are first needed.

use crate::meter::Meter;
use crate::relation::{Pattern, Relation, Rule};
use crate::solve::Condition;
use crate::words::{PRE_FRAME, PRE_GLOBALS, PRE_RESULTS, Places, View};
use check::StopReason;
use ir::{EdgeId, EdgeKind, Expr, Id, NodeId, ProcId, Program, Time, VarId, VarKind};
use std::cell::OnceCell;

/// A program with compiled relations.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) places: Places,
    /// Boxed: most edges of a large program are never taken.
    edges: Vec<OnceCell<Box<Action>>>,
    /// By procedure: bits of its frame that no call (and no initial condition) determines.
    open_frames: Vec<u64>,
    /// Whether a call enters the entry procedure.
    entry_called: bool,
}

/// A compiled edge.
pub(crate) enum Action {
    Local { target: NodeId, rel: Relation },
    Call { callee: ProcId, enter: Relation, ret: NodeId, back: Relation },
    Return { rel: Relation },
}

impl<'a> Machine<'a> {
    pub(crate) fn new(program: &'a Program, meter: &mut Meter) -> Result<Self, StopReason> {
        let places = Places::new(program)?;
        meter.reserve(program.edges.len() * size_of::<OnceCell<Box<Action>>>())?;
        let edges = (0..program.edges.len()).map(|_| OnceCell::new()).collect();
        let open_frames = open_frames(program, &places);
        let entry_called = program.edges.iter().any(|e| match &e.kind {
            EdgeKind::Call(call) => call.callee == program.entry,
            _ => false,
        });
        Ok(Machine { program, places, edges, open_frames, entry_called })
    }

    /// The bits of globals and frame that a context of `proc` leaves open. They are the same for
    /// all its contexts, so that every entry valuation belongs to exactly one. Where no call
    /// enters the entry procedure there is nothing to tell apart: it has one context.
    pub(crate) fn open_at_entry(&self, proc: ProcId) -> (u64, u64) {
        if proc == self.program.entry && !self.entry_called {
            return (self.places.global_mask(), self.places.frame_mask(proc));
        }
        (0, self.open_frames[proc.index()])
    }

    pub(crate) fn action(&self, edge: EdgeId, meter: &mut Meter) -> Result<&Action, StopReason> {
        let cell = &self.edges[edge.index()];
        if let Some(action) = cell.get() {
            return Ok(action);
        }
        let program = self.program;
        let source = &program.edges[edge];
        let proc = program.nodes[source.source].proc;
        // With a rough account of the compiled expressions.
        meter.reserve(size_of::<Action>() + 256)?;
        let compile = |rel, rule| Relation::new(program, &self.places, rel, rule);
        let action = match &source.kind {
            EdgeKind::Local { target, rel } => {
                Action::Local { target: *target, rel: compile(rel, Rule::Keep)? }
            }
            EdgeKind::Call(call) => Action::Call {
                callee: call.callee,
                enter: compile(&call.enter, Rule::Enter(call.callee))?,
                ret: call.ret,
                back: compile(&call.back, Rule::Keep)?,
            },
            EdgeKind::Return { rel } => Action::Return { rel: compile(rel, Rule::Return(proc))? },
        };
        Ok(cell.get_or_init(|| Box::new(action)))
    }

    /// A valuation with the given globals and locals.
    pub(crate) fn at(&self, globals: u64, frame: u64) -> View<'_> {
        View::at(&self.places, globals, frame)
    }

    /// What the way back from a call sees: globals and results at the exit, and the saved frame.
    pub(crate) fn coming_back(&self, globals: u64, results: u64, saved: u64) -> View<'_> {
        let mut view = View::at(&self.places, globals, saved);
        view.words[PRE_RESULTS] = results;
        view
    }

    /// The initial valuations of the globals and the entry procedure's locals.
    pub(crate) fn initial(&self, meter: &mut Meter) -> Result<Vec<Pattern>, StopReason> {
        let init = self.program.init;
        let mut own = Vec::new();
        self.program.exprs.postorder(init.condition, |_, expr| {
            if let Expr::Choice(k) = expr {
                own.push(k);
            }
        });
        if init.choices > 64 {
            let what = "more than 64 nondeterministic choices in the initial condition";
            return Err(StopReason::Unsupported { what: what.to_owned() });
        }
        let condition = Condition::new(self.program, &self.places, init.condition, own.into());
        let mut view = View::new(&self.places);
        view.open[PRE_GLOBALS] = self.places.global_mask();
        view.open[PRE_FRAME] = self.places.frame_mask(self.program.entry);
        let mut out = Vec::new();
        condition.solve(&mut view, meter, |view| {
            out.push(Pattern {
                globals: view.words[PRE_GLOBALS],
                frame: view.words[PRE_FRAME],
                saved: 0,
                open_globals: view.open[PRE_GLOBALS],
                open_frame: view.open[PRE_FRAME],
                open_saved: 0,
            });
        })?;
        Ok(out)
    }
}

/// Locals that are arbitrary at every entry to their procedure: assigned a value by no call, and
/// read by no constraint of a call nor by the initial condition.
fn open_frames(program: &Program, places: &Places) -> Vec<u64> {
    let mut open: Vec<u64> = program.procs.ids().map(|p| places.frame_mask(p)).collect();
    let mut determine = |proc: ProcId, time: Time, var: VarId| {
        if program.vars[var].kind == VarKind::Local(proc) {
            for number in 0..program.vars[var].ty.cells() {
                open[proc.index()] &= !places.cell(time, var, number).mask();
            }
        }
    };
    program.exprs.reads(program.init.condition, |time, var| determine(program.entry, time, var));
    for edge in program.edges.iter() {
        let EdgeKind::Call(call) = &edge.kind else { continue };
        for assign in call.enter.assigns.iter().filter(|a| a.value.is_some()) {
            if assign.time == Time::Post {
                determine(call.callee, assign.time, assign.var);
            }
        }
        program.exprs.reads(call.enter.constraint, |time, var| {
            if time == Time::Post {
                determine(call.callee, time, var);
            }
        });
    }
    open
}
