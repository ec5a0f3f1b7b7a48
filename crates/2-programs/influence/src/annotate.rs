//! Any analysis that is a formula with a parameter of sort `Var`, at every point of a program.

use lts::AnnotateError;
use lts::mu::Formula;

use crate::graph::{Graph, Names};

/// For each point of a program, the names for which a formula holds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// By point; none where no run comes.
    pub points: Vec<Option<Vec<String>>>,
    /// Equations that were looked at.
    pub equations: u64,
}

/// Evaluates a fixpoint with a parameter of sort `Var` for every name at every point. With `past`,
/// the transitions are turned round: the formula speaks of how a run came to the point.
pub fn annotate(
    graph: &Graph,
    formula: &Formula,
    past: bool,
    watch: &mut bes::Watch<'_>,
) -> Result<Annotation, AnnotateError> {
    let mut lts = if past { graph.past() } else { graph.lts(Names::Source) };
    let found = lts::annotate(formula, &mut lts, &["i"], watch)?;
    let points = graph.points.iter().map(|point| {
        let state = point.state?;
        let names = found.states[state as usize].iter();
        let mut names: Vec<String> = names.map(|&n| found.names[n as usize].clone()).collect();
        names.sort_unstable();
        Some(names)
    });
    Ok(Annotation { points: points.collect(), equations: found.stats.variables })
}
