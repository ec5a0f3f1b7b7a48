//! P-automata with their data, for people: edges that carry formulas.
//!
//! In the formula of an edge `x` is a variable of the frame that it reads (a global only in the topmost one), `'x`
//! one of the state that it leaves, and `x'` one of the state that it leads to. What a state of post* holds is the
//! valuation with which the frame that was read last was entered, of pre* the one with which it is left.

use crate::formula;
use check::{Area, Budget, SetBit, StopReason};
use engine_pds::{PAutomaton, Relation, State, Symbol, Waiting, Whose, frame_name};
use ir::{EdgeKind, Layout, NodeId, ProcId, Program, Scalar, VarId, VarKind};
use render::{AutomatonKind, DataAutomaton, DataEdge, DataState, Formula};
use rustc_hash::FxHashMap;

/// The edges with one of `tops` on top (all of them without), and what follows.
pub(crate) fn shown(
    automaton: &mut PAutomaton,
    kind: AutomatonKind,
    tops: Option<&[NodeId]>,
    waiting: Waiting,
    budget: &Budget,
) -> Result<DataAutomaton, StopReason> {
    let view = automaton.with_data(tops, budget)?;
    let program = automaton.program().clone();
    let mut names = Names { program: &program, layout: Layout::new(&program) };
    let mut states: Vec<State> = view.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    states.push(State::Start);
    states.sort_unstable();
    states.dedup();
    let number = |state: State| states.binary_search(&state).map_or(0, |at| at as u32);
    let mut edges = Vec::new();
    for edge in &view.edges {
        let (frame, before, text) = match edge.symbol {
            Symbol::Top(node) => (program.nodes[node].proc, None, text(&program, node)),
            Symbol::Waiting(e) => {
                let source = program.edges[e].source;
                let callee = match &program.edges[e].kind {
                    EdgeKind::Call(call) => Some(call.callee),
                    _ => None,
                };
                (program.nodes[source].proc, callee, text(&program, source))
            }
        };
        edges.push(DataEdge {
            from: number(edge.from),
            to: number(edge.to),
            frame: frame_name(&program, edge.symbol, waiting),
            text: if waiting == Waiting::Call { text } else { String::new() },
            formula: names.formula(&edge.relation, frame, before),
        });
    }
    let end = |state: State, names: &mut Names<'_>| {
        let (_, relation) = view.ends.iter().find(|(end, _)| *end == state)?;
        let proc = match state {
            State::Data(proc) | State::Set(proc, _) => proc,
            State::Start => return None,
        };
        Some(names.formula(relation, proc, None))
    };
    let states = states.iter().map(|&state| DataState {
        name: match state {
            State::Start => "start".to_owned(),
            State::Data(proc) => program.proc_name(proc).to_owned(),
            State::Set(proc, set) => format!("{}#{set}", program.proc_name(proc)),
        },
        end: end(state, &mut names),
    });
    let states = states.collect();
    Ok(DataAutomaton { kind, states, edges })
}

fn text(program: &Program, node: NodeId) -> String {
    program.text(program.nodes[node].origin.text).to_owned()
}

struct Names<'a> {
    program: &'a Program,
    layout: Layout,
}

/// The most cubes that are written as a formula over numbers.
const FEW: usize = 8;

impl Names<'_> {
    /// The relation of an edge that reads a frame of a procedure, above which was one of `before`.
    fn formula(&mut self, relation: &Relation, frame: ProcId, before: Option<ProcId>) -> Formula {
        let mut names: FxHashMap<(Whose, SetBit), (VarId, u32, String)> = FxHashMap::default();
        for whose in [Whose::Before, Whose::Frame, Whose::After] {
            let proc = match whose {
                Whose::Before => before,
                _ => Some(frame),
            };
            let Some(proc) = proc else { continue };
            for (var, info) in self.program.vars.enumerate() {
                let area = match info.kind {
                    VarKind::Global => Area::Global,
                    VarKind::Local(p) if p == proc => Area::Local,
                    VarKind::Result(p) if p == proc => Area::Result,
                    _ => continue,
                };
                let slot = self.layout.slot(var);
                let name = self.program.var_name(var);
                for cell in 0..slot.cells {
                    for (i, index) in slot.cell(cell).enumerate() {
                        let mut text = match whose {
                            Whose::Before => format!("'{name}"),
                            Whose::Frame => name.to_owned(),
                            Whose::After => format!("{name}'"),
                        };
                        if let Some(dim) = info.ty.array {
                            text += &format!("[{}]", dim.lo + i64::from(cell));
                        }
                        let key = (whose, SetBit { area, index });
                        names.insert(key, (var, i as u32, text));
                    }
                }
            }
        }
        let of = |bit: SetBit| names.get(&relation.bits[bit.index as usize]);
        if let Some(formula) = self.numbers(relation, &of) {
            return formula;
        }
        formula::formula(&relation.sets, relation.set, &mut |bit| match of(bit) {
            Some((var, i, text)) => match self.program.vars[*var].ty.scalar {
                Scalar::Bool => text.clone(),
                Scalar::Int { .. } => format!("{text}.{i}"),
            },
            None => "?".to_owned(),
        })
    }

    /// What the numbers are, in each of a few cubes; `None` where bits of one are known and others not.
    fn numbers<'n>(
        &self,
        relation: &Relation,
        of: &dyn Fn(SetBit) -> Option<&'n (VarId, u32, String)>,
    ) -> Option<Formula> {
        let mut cubes = Vec::new();
        let mut any = false;
        for cube in relation.sets.cubes(relation.set) {
            if cubes.len() == FEW {
                return None;
            }
            // By name: the value so far, and how many bits of it are known.
            let mut values: Vec<(&str, VarId, u64, u32)> = Vec::new();
            for (bit, value) in cube {
                let (var, i, text) = of(bit)?;
                let at = match values.iter().position(|v| v.0 == text) {
                    Some(at) => at,
                    None => {
                        values.push((text, *var, 0, 0));
                        values.len() - 1
                    }
                };
                values[at].2 |= u64::from(value) << i;
                values[at].3 += 1;
            }
            let mut parts = Vec::new();
            for (text, var, value, known) in values {
                match self.program.vars[var].ty.scalar {
                    Scalar::Bool if value == 1 => parts.push(text.to_owned()),
                    Scalar::Bool => parts.push(format!("!{text}")),
                    Scalar::Int { bits } if bits == known => {
                        any = true;
                        parts.push(format!("{text} == {value}"));
                    }
                    Scalar::Int { .. } => return None,
                }
            }
            cubes.push(if parts.is_empty() { "1".to_owned() } else { parts.join(" & ") });
        }
        any.then(|| Formula { definitions: Vec::new(), text: cubes.join(" | ") })
    }
}
