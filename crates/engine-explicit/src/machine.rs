//! The program made ready to run: its relations, compiled when they are first needed.

use crate::meter::Meter;
use crate::relation::{Pattern, Relation, Rule};
use crate::solve::Condition;
use crate::words::{PRE_FRAME, PRE_GLOBALS, PRE_RESULTS, Places, View};
use check::StopReason;
use ir::{EdgeId, EdgeKind, Expr, Id, NodeId, ProcId, Program};
use std::cell::OnceCell;

/// A program with compiled relations.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) places: Places,
    edges: Vec<OnceCell<Action>>,
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
        meter.reserve(program.edges.len() * size_of::<OnceCell<Action>>())?;
        let edges = (0..program.edges.len()).map(|_| OnceCell::new()).collect();
        Ok(Machine { program, places, edges })
    }

    pub(crate) fn action(&self, edge: EdgeId, meter: &mut Meter) -> Result<&Action, StopReason> {
        let cell = &self.edges[edge.index()];
        if let Some(action) = cell.get() {
            return Ok(action);
        }
        let program = self.program;
        let source = &program.edges[edge];
        let proc = program.nodes[source.source].proc;
        // A rough account of the compiled expressions.
        meter.reserve(256)?;
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
        Ok(cell.get_or_init(|| action))
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
