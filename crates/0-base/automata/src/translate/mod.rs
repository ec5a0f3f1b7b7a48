//! From formulas to automata: rewriting, translation, reduction.

mod alphabet;
mod couvreur;
mod degeneralize;
mod graph;
mod implication;
mod limits;
mod nnf;
mod obligation;
mod product;
mod prune;
mod quotient;
mod rewrite;
mod simulation;

pub use self::degeneralize::degeneralize;
use self::graph::Graph;
use self::limits::Limits;
pub(crate) use self::limits::MAX_NODES;
pub use self::limits::{KeepGoing, TranslateError};
use self::nnf::Ctx;
use self::simulation::Direction;
use crate::ltl::{FormulaId, Formulas};
use crate::tgba::Tgba;

/// How to translate. The default does all that is known, within limits that a formula written by
/// a person does not meet.
#[derive(Clone, Debug)]
pub struct Options {
    /// Simplify the formula.
    pub rewrite: bool,
    /// Reduce the automaton by simulation.
    pub simulation: bool,
    /// Replace the automaton of an obligation by the minimal weak deterministic one, if that is
    /// not larger.
    pub obligations: bool,
    /// Unite states as far as the language allows.
    pub quotient: bool,
    /// The number of states, before reduction, beyond which the translation gives up.
    pub max_states: usize,
    /// The number of decision nodes of labels beyond which it gives up.
    pub max_nodes: usize,
    /// Asked often whether to go on.
    pub keep_going: KeepGoing,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rewrite: true,
            simulation: true,
            obligations: true,
            quotient: true,
            max_states: 20_000,
            max_nodes: MAX_NODES,
            keep_going: KeepGoing::default(),
        }
    }
}

impl Options {
    /// Translation alone, without any simplification.
    #[must_use]
    pub fn plain() -> Options {
        Options {
            rewrite: false,
            simulation: false,
            obligations: false,
            quotient: false,
            ..Options::default()
        }
    }
}

/// An automaton that accepts the words which satisfy the formula. Its atoms are those of the
/// formula, in the order of their numbers.
pub fn translate(
    formulas: &Formulas,
    root: FormulaId,
    options: &Options,
) -> Result<Tgba, TranslateError> {
    let atoms = formulas.atoms_of(root);
    let number = |atom| atoms.binary_search(&atom).expect("all atoms are in the list") as u32;
    if atoms.len() > couvreur::MAX_SUPPORT {
        return Err(TranslateError::Symbols { limit: couvreur::MAX_SUPPORT });
    }
    let limits = Limits::new(options.max_states, options.max_nodes, options.keep_going.clone());
    let mut ctx = Ctx::new(atoms.len() as u32, limits, options.rewrite);
    let ctx = &mut ctx;
    let positive = ctx.import(formulas, root, true, number)?;
    let graph = couvreur::translate(ctx, positive)?;
    let mut graph = reduce(ctx, &graph, options)?;
    if (options.obligations || options.quotient) && graph.states() <= SMALL {
        let negated = attempt(ctx, |ctx| {
            let negative = ctx.import(formulas, root, false, number)?;
            let negated = couvreur::translate(ctx, negative)?;
            reduce(ctx, &negated, options)
        })?;
        if let Some(negated) = negated {
            graph = reduce_by_language(ctx, &graph, &negated, options)?;
        }
    }
    let graph = prune::simplify_marks(ctx, &graph)?.renumber(ctx)?;
    let names = atoms.iter().map(|atom| formulas.atoms()[atom.index()].clone()).collect();
    graph.export(ctx, names)
}

/// Automata with more states are not reduced by what costs more than simulation.
const SMALL: usize = 300;

/// Runs what may fail for want of room; then there is no result. An interruption is passed on.
fn attempt<T>(
    ctx: &mut Ctx,
    run: impl FnOnce(&mut Ctx) -> Result<T, TranslateError>,
) -> Result<Option<T>, TranslateError> {
    let limits = ctx.limits.clone();
    ctx.limits.states = limits.states.min(4 * SMALL);
    ctx.limits.edges = limits.edges.min(100 * SMALL);
    ctx.limits.nodes = limits.nodes.min(ctx.bdd.live_nodes() + (1 << 18));
    ctx.bdd.set_node_limit(ctx.limits.nodes);
    let result = run(ctx);
    ctx.limits.states = limits.states;
    ctx.limits.edges = limits.edges;
    ctx.limits.nodes = limits.nodes;
    ctx.bdd.set_node_limit(limits.nodes);
    match result {
        Ok(result) => Ok(Some(result)),
        Err(TranslateError::Interrupted) => Err(TranslateError::Interrupted),
        Err(_) => Ok(None),
    }
}

/// Reduces by what needs an automaton of the negated formula.
fn reduce_by_language(
    ctx: &mut Ctx,
    graph: &Graph,
    negated: &Graph,
    options: &Options,
) -> Result<Graph, TranslateError> {
    let weak = match options.obligations {
        true => attempt(ctx, |ctx| obligation::minimal_weak(ctx, graph, negated))?.flatten(),
        false => None,
    };
    let mut best = graph.clone();
    if options.quotient {
        loop {
            let united = attempt(ctx, |ctx| {
                let united = quotient::unite(ctx, &best, negated)?;
                reduce(ctx, &united, options)
            })?;
            match united {
                Some(united) if united.states() < best.states() => best = united,
                _ => break,
            }
        }
    }
    if let Some(weak) = weak {
        let weak = prune::prune(ctx, &weak)?;
        if weak.states() <= best.states() {
            best = weak;
        }
    }
    Ok(best)
}

/// Prunes, and simulates in both directions until nothing changes.
fn reduce(ctx: &mut Ctx, graph: &Graph, options: &Options) -> Result<Graph, TranslateError> {
    let mut graph = prune::prune(ctx, graph)?;
    if !options.simulation {
        return Ok(graph);
    }
    loop {
        let before = (graph.states(), graph.edges());
        graph = simulation::simulate(ctx, &graph, Direction::Direct)?;
        graph = prune::prune(ctx, &graph)?;
        graph = simulation::simulate(ctx, &graph, Direction::Reverse)?;
        graph = prune::prune(ctx, &graph)?;
        if (graph.states(), graph.edges()) == before {
            return Ok(graph);
        }
    }
}
