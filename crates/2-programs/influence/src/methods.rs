//! Four analyses ([pbes §2, §3.2]) by three methods that agree.

use bes::{Op, Place, Shape, Sign, SolveError, Solver, System};
use lts::analyses;
use lts::mu::{Dialect, parse};

use crate::expanded::expanded;
use crate::flow::Flow;
use crate::graph::{Graph, Label, Names};

/// What a variable shall matter for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Analysis {
    /// IA1: which code is reached.
    Ia1,
    /// IA2: which code is reached, and whether assertions hold there.
    Ia2,
    /// IA3: the same where there are global variables. The transition system has them all, so that
    /// its formula, and here its result, is that of IA2.
    Ia3,
    /// IA4: a temporal property over some variables, which themselves matter everywhere.
    Ia4 {
        /// The variables of the property.
        property: Vec<u32>,
    },
}

impl Analysis {
    /// `ia1` to `ia4`.
    pub fn word(&self) -> &'static str {
        match self {
            Analysis::Ia1 => "ia1",
            Analysis::Ia2 => "ia2",
            Analysis::Ia3 => "ia3",
            Analysis::Ia4 { .. } => "ia4",
        }
    }

    /// Whether a variable matters where a transition with the label begins, whatever comes after.
    pub(crate) fn at_once(&self, label: Label) -> Option<u32> {
        match (label, self) {
            (Label::Bool(v), _) => Some(v),
            (Label::Assert(v), Analysis::Ia2 | Analysis::Ia3) => Some(v),
            (Label::Assign(w, Some(v)), Analysis::Ia4 { property }) if property.contains(&w) => {
                Some(v)
            }
            _ => None,
        }
    }

    pub(crate) fn property(&self) -> &[u32] {
        match self {
            Analysis::Ia4 { property } => property,
            _ => &[],
        }
    }
}

/// How to compute it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The mu-calculus formula of [pbes §3.2], for every variable at every state.
    Formula,
    /// The parameterised boolean equation system of [pbes §4.2], whose values persist from one
    /// question to the next ([pbes Fig. 5]).
    Pbes,
    /// A backward dataflow.
    Dataflow,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 3] = [Method::Formula, Method::Pbes, Method::Dataflow];

    /// `formula`, `pbes`, `dataflow`.
    pub fn word(self) -> &'static str {
        match self {
            Method::Formula => "formula",
            Method::Pbes => "pbes",
            Method::Dataflow => "dataflow",
        }
    }
}

/// For each state, the variables that matter there, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Influence {
    /// By state.
    pub sets: Vec<Vec<u32>>,
    /// Boolean variables that were looked at, or facts that were found.
    pub effort: u64,
}

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InfluenceError {
    /// The watch said stop.
    #[error("stopped")]
    Stopped,
    /// Something that cannot be.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// The variables that matter at each state.
pub fn influence(
    graph: &Graph,
    analysis: &Analysis,
    method: Method,
    watch: &mut bes::Watch<'_>,
) -> Result<Influence, InfluenceError> {
    let flow = Flow::run(graph, analysis, &[], true, watch)?;
    if method == Method::Dataflow {
        return Ok(flow.influence());
    }
    // The summaries of calls become transitions.
    let expanded = expanded(&flow);
    drop(flow);
    let mut found = match method {
        Method::Formula => by_formula(&expanded, analysis, watch)?,
        _ => by_pbes(&expanded, analysis, watch)?,
    };
    found.sets.truncate(graph.states() as usize);
    keep_property(analysis, &mut found);
    Ok(found)
}

/// "First, test the inclusion" ([pbes §3.2]).
fn keep_property(analysis: &Analysis, found: &mut Influence) {
    if !analysis.property().is_empty() {
        for set in &mut found.sets {
            set.extend_from_slice(analysis.property());
            set.sort_unstable();
            set.dedup();
        }
    }
}

/// The variables that matter at each state, by dataflow, if a question reads a variable in each of
/// the given states. The end of a function leads to all its callers.
pub fn influence_on(
    graph: &Graph,
    analysis: &Analysis,
    reads: &[(u32, u32)],
    watch: &mut bes::Watch<'_>,
) -> Result<Influence, InfluenceError> {
    let flow = Flow::run(graph, analysis, reads, false, watch)?;
    Ok(flow.influence())
}

impl Flow<'_> {
    /// All facts of an analysis, for the variables that matter and for reasons.
    pub fn of<'a>(
        graph: &'a Graph,
        analysis: &'a Analysis,
        watch: &mut bes::Watch<'_>,
    ) -> Result<Flow<'a>, InfluenceError> {
        Flow::run(graph, analysis, &[], true, watch)
    }

    /// The variables that matter at each state.
    pub fn influence(&self) -> Influence {
        let mut found = Influence { sets: self.sets(), effort: self.effort() };
        if let Some(analysis) = self.analysis {
            keep_property(analysis, &mut found);
        }
        found
    }
}

fn by_formula(
    graph: &Graph,
    analysis: &Analysis,
    watch: &mut bes::Watch<'_>,
) -> Result<Influence, InfluenceError> {
    let internal = |e: &dyn std::fmt::Display| InfluenceError::Internal(e.to_string());
    let names: Vec<String> = analysis.property().iter().map(|v| format!("v{v}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = match analysis {
        Analysis::Ia1 => analyses::ia1(),
        Analysis::Ia2 | Analysis::Ia3 => analyses::ia2(),
        Analysis::Ia4 { .. } => analyses::ia4(&names),
    };
    let mut lts = graph.lts(Names::Numbers);
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); graph.states() as usize];
    let mut effort = 0;
    for variable in occurring(graph) {
        let formula = formula.replace(":= x", &format!(":= v{variable}"));
        let formula = parse(&formula, Dialect::Cadp).map_err(|e| internal(&e))?;
        let mut here = |progress: &bes::Progress| {
            effort = effort.max(progress.variables);
            watch(progress)
        };
        let values = lts::everywhere(&formula, &mut lts, &["i"], &mut here);
        let values = match values.map_err(|e| internal(&e))? {
            Ok(values) => values,
            Err(SolveError::Stopped) => return Err(InfluenceError::Stopped),
            Err(error) => return Err(internal(&error)),
        };
        for (set, value) in sets.iter_mut().zip(values) {
            if value {
                set.push(variable);
            }
        }
    }
    Ok(Influence { sets, effort })
}

/// The variables that occur in labels, ascending: no other one can matter.
fn occurring(graph: &Graph) -> Vec<u32> {
    let mut found = vec![false; graph.variables.len()];
    for state in 0..graph.states() {
        for &(label, _) in graph.from(state) {
            match label {
                Label::Bool(v) | Label::Assert(v) | Label::Assign(v, None) => {
                    found[v as usize] = true;
                }
                Label::Assign(v, Some(w)) => {
                    found[v as usize] = true;
                    found[w as usize] = true;
                }
                _ => {}
            }
        }
    }
    (0..found.len() as u32).filter(|&v| found[v as usize]).collect()
}

/// `Y_s(v)` of [pbes §4.2], with `I(a, v)` for the labels by which `v` matters at once:
///
/// ```text
/// Y_s(v) =μ ⋁ { true | s –a→ s', I(a, v) }
///         ∨ ⋁ { Y_s'(z) | s –ASSIGN z v→ s' }
///         ∨ ⋁ { Y_s'(v) | s –a→ s', a is no ASSIGN v z for any z, and no ASSIGN v }
/// ```
struct Equations<'a> {
    graph: &'a Graph,
    analysis: &'a Analysis,
}

impl System for Equations<'_> {
    /// A state and a variable.
    type Key = (u32, u32);
    type Error = std::convert::Infallible;

    fn initial(&mut self) -> Result<(u32, u32), Self::Error> {
        Ok((0, 0))
    }

    fn equation(
        &mut self,
        &(state, v): &(u32, u32),
        operands: &mut Vec<(u32, u32)>,
    ) -> Result<Op, Self::Error> {
        for &(label, to) in self.graph.from(state) {
            if self.analysis.at_once(label) == Some(v) {
                // True: the empty conjunction.
                operands.clear();
                return Ok(Op::And);
            }
            if let Label::Assign(z, Some(w)) = label
                && w == v
            {
                operands.push((to, z));
            }
            if !matches!(label, Label::Assign(w, _) if w == v) {
                operands.push((to, v));
            }
        }
        Ok(Op::Or)
    }

    fn place(&self, _: &(u32, u32)) -> Place {
        Place { rank: 0, sign: Sign::Mu, group: 0 }
    }

    fn shape(&self, _: u32) -> Shape {
        Shape::Disjunctive
    }

    fn name(&self, &(state, v): &(u32, u32)) -> String {
        format!("Y_{state}({})", self.graph.variables[v as usize].name)
    }
}

/// `INFLUENCE_ANALYSIS` of [pbes Fig. 5]; the lines are its.
fn by_pbes(
    graph: &Graph,
    analysis: &Analysis,
    watch: &mut bes::Watch<'_>,
) -> Result<Influence, InfluenceError> {
    let variables = occurring(graph);
    let mut solver = Solver::new(Equations { graph, analysis });
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); graph.states() as usize];
    // 2. Where calls are summaries, not all states are reached from the first one.
    let visited: Vec<u32> = (0..graph.states()).collect();
    // 3 to 5, 11 to 13.
    for s in visited {
        // 6 to 10.
        for &v in &variables {
            match solver.solve_for(&(s, v), bes::Method::Auto, watch) {
                Ok(true) => sets[s as usize].push(v),
                Ok(false) => {}
                Err(SolveError::Stopped) => return Err(InfluenceError::Stopped),
                Err(error) => return Err(InfluenceError::Internal(error.to_string())),
            }
        }
    }
    Ok(Influence { sets, effort: solver.stats().variables })
}
