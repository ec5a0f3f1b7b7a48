//! What abstract matching stores: the variables that matter at each node ([pbes §2, §5.2]).

use analysis::BitSet;
use ir::{Id, IndexVec, NodeId, ProcId, Program, VarId};

use crate::from_program::of_program;
use crate::graph::Label;
use crate::methods::{Analysis, InfluenceError, influence_on};

/// Which analysis says what is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matched {
    /// IA1.
    Ia1,
    /// IA2.
    Ia2,
    /// IA3.
    Ia3,
    /// IA4: what the question reads is stored everywhere.
    Ia4,
}

/// The variables to store at each node.
#[derive(Clone, Debug)]
pub struct Kept {
    nodes: IndexVec<NodeId, BitSet>,
    exits: IndexVec<ProcId, BitSet>,
    /// There are assertions. A failed one ends the run, so that what it reads decides what is
    /// reached: it is stored, whatever the analysis.
    pub assertions: bool,
}

impl Kept {
    /// Whether a variable is stored at a node.
    pub fn contains(&self, node: NodeId, var: VarId) -> bool {
        self.nodes[node].contains(var.index())
    }

    /// Whether a global, or a result, is stored where a procedure has returned.
    pub fn at_exit(&self, proc: ProcId, var: VarId) -> bool {
        self.exits[proc].contains(var.index())
    }
}

/// What to store so that a question which reads the given variables at the given nodes has the same
/// answer.
pub fn kept(
    program: &Program,
    matched: Matched,
    reads: &[(NodeId, VarId)],
    watch: &mut bes::Watch<'_>,
) -> Result<Kept, InfluenceError> {
    let of = of_program(program, false);
    let graph = &of.graph;
    let is_assert = |s: u32| graph.from(s).iter().any(|(l, _)| matches!(l, Label::Assert(_)));
    let assertions = (0..graph.states()).any(is_assert);
    // What the initial condition reads is stored where a run begins: a trace has to tell it, even if
    // nothing on its way depends on it.
    let entry = program.procs[program.entry].entry;
    let mut seeds: Vec<(u32, u32)> = reads
        .iter()
        .filter_map(|&(node, var)| Some((of.states[node]?, of.variables[var])))
        .collect();
    let mut property: Vec<u32> = seeds.iter().map(|&(_, v)| v).collect();
    program.exprs.reads(program.init.condition, |_, var| {
        seeds.extend(of.states[entry].map(|state| (state, of.variables[var])));
    });
    let analysis = if assertions { Analysis::Ia2 } else { Analysis::Ia1 };
    let mut found = influence_on(graph, &analysis, &seeds, watch)?;
    if matched == Matched::Ia4 {
        property.sort_unstable();
        property.dedup();
        let more = influence_on(graph, &Analysis::Ia4 { property }, &seeds, watch)?;
        for (set, more) in found.sets.iter_mut().zip(more.sets) {
            set.extend(more);
            set.sort_unstable();
            set.dedup();
        }
    }
    let stored = |state: &Option<u32>| {
        let mut set = BitSet::new(program.vars.len());
        if let Some(state) = state {
            let kept = &found.sets[*state as usize];
            for (var, variable) in of.variables.enumerate() {
                if kept.binary_search(variable).is_ok() {
                    set.insert(var.index());
                }
            }
        }
        set
    };
    let nodes = of.states.iter().map(stored).collect();
    let exits = of.exits.iter().map(stored).collect();
    Ok(Kept { nodes, exits, assertions })
}
