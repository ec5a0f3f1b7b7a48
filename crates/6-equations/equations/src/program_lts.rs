//! Programs as transition systems: of their data, and of their states.

use crate::annotate::data_graph;
use crate::resolve::{MuSyntax, Resolution, Solution, on_model, parse_formula_with, wrong};
use asking::{Options, Watch};
use check::{Budget, StopReason};
use engine_explicit::{Move, Space};
use influence::Names;
use input::{Error, guarded, load};
use ir::{EdgeId, EdgeKind, IndexVec, NodeId, Program};
use lts::{ExplicitLts, Lts};
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;

/// What the states of a program's transition system are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Points of the program; labels say what is tested, assigned and asserted ([pbes §3.1]).
    Data {
        /// Labels speak of definitions and expressions, too.
        terms: bool,
    },
    /// Configurations: a point, the values of variables, and the stack.
    States {
        /// Calls that would make more frames than this are not taken.
        depth: Option<u32>,
    },
}

/// The most bits that a step may leave arbitrary.
const MAX_OPEN_BITS: u32 = 20;

/// Writes a program's transition system as `.aut`; its numbers of states and transitions.
pub fn write_lts(
    files: &[Arc<SourceFile>],
    view: View,
    options: &Options,
    watch: &Watch,
    out: &mut dyn Write,
) -> Result<(u32, usize), Error> {
    let found = guarded("making a transition system", || {
        let budget = watch.budget(options.search.limits);
        match view {
            View::Data { terms } => Ok(data_graph(files, options, terms)?.lts(Names::Source)),
            View::States { depth } => {
                let program = load(files, &options.input)?;
                let mut states = StateSpace::new(&program, depth, &budget)?;
                let why = states.why.clone();
                let explored = ExplicitLts::explore(&mut states, &mut |_| budget.poll().is_ok());
                match (explored, why.take()) {
                    (_, Some(reason)) => Err(Error::Stopped(reason)),
                    (Ok(Some(found)), None) => Ok(found),
                    (Ok(None), None) => Err(crate::annotate::stopped(&budget)),
                    (Err(what), None) => Err(Error::Usage(what)),
                }
            }
        }
    })?;
    lts::aut::write(&found, &mut &mut *out).map_err(|e| Error::Usage(e.to_string()))?;
    Ok((found.states(), found.len()))
}

/// Whether a formula holds at the start of a program, whose transition system is explored as far as
/// that takes.
pub fn eval_program(
    formula: &Arc<SourceFile>,
    syntax: MuSyntax,
    (files, view): (&[Arc<SourceFile>], View),
    resolution: &Resolution,
    options: &Options,
    watch: &Watch,
) -> Result<Solution, Error> {
    guarded("evaluating a formula", || {
        let budget = watch.budget(options.search.limits);
        let parsed = parse_formula_with(formula, syntax, resolution.data.as_ref())?;
        let program = match view {
            View::Data { terms } => {
                let mut model = data_graph(files, options, terms)?.lts(Names::Source);
                let question = lts::question(&parsed, &mut model, &resolution.invisible());
                return on_model(question.map_err(|e| wrong(formula, &e))?, resolution, &budget);
            }
            View::States { .. } => load(files, &options.input)?,
        };
        let View::States { depth } = view else { return Err(Error::Usage(String::new())) };
        let states = StateSpace::new(&program, depth, &budget)?;
        let why = states.why.clone();
        let question = lts::question(&parsed, states, &resolution.invisible());
        let answer = on_model(question.map_err(|e| wrong(formula, &e))?, resolution, &budget);
        match (answer, why.take()) {
            (Ok(solution), _) => Ok(solution),
            (Err(_), Some(reason)) => Err(Error::Stopped(reason)),
            (Err(error), None) => Err(error),
        }
    })
}

/// The configurations of a program as a transition system, on demand.
///
/// State 0 comes before all initial configurations, state 1 is where the program has ended or a call
/// went too deep, and the others are configurations. Labels:
///
/// | label | step |
/// |---|---|
/// | `STEP !proc !line`, `STEP !proc !line !L` | a statement, labelled `L` |
/// | `CALL !proc !line !callee` | a call |
/// | `RETURN !proc !line` | a return |
/// | `ERROR !proc !line` | an assertion fails |
/// | `END` | the entry procedure returns |
/// | `TOO_DEEP !callee` | a call that the bound on the stack forbids |
/// | `i` | what is no statement |
struct StateSpace<'a> {
    program: &'a Program,
    space: Space<'a>,
    labels: Vec<String>,
    /// By edge.
    of_edge: IndexVec<EdgeId, u32>,
    too_deep: FxHashMap<EdgeId, u32>,
    end: u32,
    moves: Vec<Move>,
    /// Why it could not go on.
    why: Rc<RefCell<Option<StopReason>>>,
}

const START: u32 = 0;
const ENDED: u32 = 1;
const FIRST: u32 = 2;

impl<'a> StateSpace<'a> {
    fn new(
        program: &'a Program,
        depth: Option<u32>,
        budget: &'a Budget,
    ) -> Result<StateSpace<'a>, Error> {
        let space = Space::new(program, None, depth, budget, MAX_OPEN_BITS);
        let space = space.map_err(Error::Stopped)?;
        let mut labels = vec!["i".to_owned()];
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut add = |text: String, labels: &mut Vec<String>| {
            *numbers.entry(text).or_insert_with_key(|text| {
                labels.push(text.clone());
                labels.len() as u32 - 1
            })
        };
        let mut names: FxHashMap<NodeId, Vec<&str>> = FxHashMap::default();
        for label in &program.labels {
            names.entry(label.node).or_default().push(program.text(label.name));
        }
        let mut of_edge = IndexVec::new();
        let mut too_deep = FxHashMap::default();
        for (id, edge) in program.edges.enumerate() {
            let node = &program.nodes[edge.source];
            let (proc, line) = (word(program.proc_name(node.proc)), node.origin.line);
            let error = program.procs[node.proc].error;
            let text = match &edge.kind {
                EdgeKind::Local { target, .. } if Some(*target) == error => {
                    format!("ERROR !{proc} !{line}")
                }
                _ if !edge.step => "i".to_owned(),
                EdgeKind::Local { .. } => {
                    let mut text = format!("STEP !{proc} !{line}");
                    for name in names.get(&edge.source).into_iter().flatten() {
                        text.push_str(&format!(" !{}", word(name)));
                    }
                    text
                }
                EdgeKind::Call(call) => {
                    let callee = word(program.proc_name(call.callee));
                    format!("CALL !{proc} !{line} !{callee}")
                }
                EdgeKind::Return { .. } => format!("RETURN !{proc} !{line}"),
            };
            if let EdgeKind::Call(call) = &edge.kind
                && depth.is_some()
            {
                let text = format!("TOO_DEEP !{}", word(program.proc_name(call.callee)));
                too_deep.insert(id, add(text, &mut labels));
            }
            of_edge.push(if text == "i" { 0 } else { add(text, &mut labels) });
        }
        let end = add("END".to_owned(), &mut labels);
        Ok(StateSpace {
            program,
            space,
            labels,
            of_edge,
            too_deep,
            end,
            moves: Vec::new(),
            why: Rc::default(),
        })
    }

    fn failed(&self, reason: StopReason) -> String {
        let text = reason.to_string();
        *self.why.borrow_mut() = Some(reason);
        text
    }
}

/// A name as labels can have it.
fn word(name: &str) -> String {
    name.replace([' ', '\t', '"'], "_")
}

impl Lts for StateSpace<'_> {
    type State = u32;

    fn initial(&self) -> u32 {
        START
    }

    fn successors(&mut self, state: u32, out: &mut Vec<(u32, u32)>) -> Result<(), String> {
        match state {
            START => {
                let first = self.space.initial().map_err(|e| self.failed(e))?;
                out.extend(first.into_iter().map(|c| (0, c + FIRST)));
            }
            ENDED => {}
            _ => {
                let mut moves = std::mem::take(&mut self.moves);
                moves.clear();
                self.space.successors(state - FIRST, &mut moves).map_err(|e| self.failed(e))?;
                out.extend(moves.iter().map(|next| match *next {
                    Move::To(edge, to) => (self.of_edge[edge], to + FIRST),
                    Move::End(_) => (self.end, ENDED),
                    Move::TooDeep(edge) => (self.too_deep[&edge], ENDED),
                }));
                self.moves = moves;
            }
        }
        Ok(())
    }

    fn label(&self, label: u32) -> &str {
        &self.labels[label as usize]
    }

    fn all_labels(&self) -> Vec<&str> {
        self.labels.iter().map(String::as_str).collect()
    }

    fn name(&self, state: u32) -> String {
        match state {
            START => "start".to_owned(),
            ENDED => "end".to_owned(),
            _ => {
                let node = self.space.node(state - FIRST);
                let info = &self.program.nodes[node];
                let proc = word(self.program.proc_name(info.proc));
                format!("{proc}.{}.{}", info.origin.line, state - FIRST)
            }
        }
    }
}
