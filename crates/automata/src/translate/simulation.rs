//! Direct and reverse simulation, after [babiak §4]: signatures as decision diagrams.
//!
//! State `q` simulates `p` if each step of `p` has a step of `q` that reads the same letter, has
//! at least its marks, and leads to a state that simulates the end of the first. States that
//! simulate each other become one, and a step is dropped for the letters on which another step
//! of the same state does better. The reverse relation looks at the steps that lead to a state.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::graph::{Edge, Graph};
use super::nnf::Ctx;

/// More classes are not compared pairwise: the rounds stop with bisimulation.
const PAIRWISE: usize = 600;

/// Which steps are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Direct,
    Reverse,
}

/// The quotient of the automaton.
pub(super) fn simulate(
    ctx: &mut Ctx,
    graph: &Graph,
    direction: Direction,
) -> Result<Graph, TranslateError> {
    let reversed;
    let steps: &[Vec<Edge>] = match direction {
        Direction::Direct => &graph.out,
        Direction::Reverse => {
            reversed = transpose(&graph.out);
            &reversed
        }
    };
    let order = relation(ctx, graph, steps, direction)?;
    let mut quotient = graph.rename(ctx, &order.class, order.classes)?;
    // A step is compared with the others that start (or end) where it does.
    let mut sides = match direction {
        Direction::Direct => std::mem::take(&mut quotient.out),
        Direction::Reverse => transpose(&quotient.out),
    };
    for edges in &mut sides {
        drop_dominated(ctx, &order, edges)?;
    }
    quotient.out = match direction {
        Direction::Direct => sides,
        Direction::Reverse => transpose(&sides),
    };
    quotient.merge_edges(ctx)?;
    Ok(quotient)
}

/// Every step turned round.
fn transpose(out: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut into = vec![Vec::new(); out.len()];
    for (state, edges) in out.iter().enumerate() {
        for edge in edges {
            into[edge.to as usize].push(Edge { to: state as u32, ..*edge });
        }
    }
    into
}

/// A preorder on states, as an order on classes.
struct Order {
    class: Vec<u32>,
    classes: usize,
    /// `above[a * classes + b]`: class `b` simulates class `a`.
    above: Vec<bool>,
}

impl Order {
    fn simulates(&self, a: u32, b: u32) -> bool {
        self.above[a as usize * self.classes + b as usize]
    }
}

/// The largest simulation, by refinement.
///
/// A step's signature is its letters and a variable for each mark that it lacks and each class
/// that simulates its end. So a signature implies another iff each step of the first has, for
/// each letter, a step of the second that does as well.
fn relation(
    ctx: &mut Ctx,
    graph: &Graph,
    steps: &[Vec<Edge>],
    direction: Direction,
) -> Result<Order, TranslateError> {
    let states = graph.states();
    let mut order = match direction {
        Direction::Direct => Order { class: vec![0; states], classes: 1, above: vec![true] },
        Direction::Reverse => {
            // Only the initial state can stand for the initial state.
            let class = (0..states as u32).map(|s| u32::from(s == graph.initial)).collect();
            Order { class, classes: 2, above: vec![true, true, false, true] }
        }
    };
    let first_class = ctx.atoms + graph.marks;
    let all = graph.all();
    loop {
        let mut uppers = Vec::with_capacity(order.classes);
        for a in 0..order.classes as u32 {
            let above: Vec<u32> = (0..order.classes as u32)
                .filter(|&b| order.simulates(a, b))
                .map(|b| first_class + b)
                .collect();
            uppers.push(ctx.bdd.cube(&above)?);
        }
        let mut lacking: FxHashMap<u32, Bdd> = FxHashMap::default();
        // A class of the next round: what it was before, and its signature.
        let mut index: FxHashMap<(u32, Bdd), u32> = FxHashMap::default();
        let mut classes: Vec<(u32, Bdd)> = Vec::new();
        let mut class = Vec::with_capacity(states);
        for (state, edges) in steps.iter().enumerate() {
            ctx.limits.poll()?;
            let mut signature = Bdd::FALSE;
            for edge in edges {
                let marks = match lacking.get(&edge.marks) {
                    Some(&cube) => cube,
                    None => {
                        let missing: Vec<u32> = (0..graph.marks)
                            .filter(|mark| (all & !edge.marks) >> mark & 1 == 1)
                            .map(|mark| ctx.atoms + mark)
                            .collect();
                        let cube = ctx.bdd.cube(&missing)?;
                        lacking.insert(edge.marks, cube);
                        cube
                    }
                };
                let upper = uppers[order.class[edge.to as usize] as usize];
                let end = ctx.bdd.and(marks, upper)?;
                let step = ctx.bdd.and(edge.label, end)?;
                signature = ctx.bdd.or(signature, step)?;
            }
            let key = (order.class[state], signature);
            let number = *index.entry(key).or_insert_with(|| {
                classes.push(key);
                classes.len() as u32 - 1
            });
            class.push(number);
        }
        let count = classes.len();
        let mut above = vec![false; count * count];
        for (a, &(old_a, signature_a)) in classes.iter().enumerate() {
            for (b, &(old_b, signature_b)) in classes.iter().enumerate() {
                ctx.limits.poll()?;
                above[a * count + b] = a == b
                    || (count <= PAIRWISE
                        && order.simulates(old_a, old_b)
                        && ctx.bdd.leq(signature_a, signature_b)?);
            }
        }
        let size = |above: &[bool]| above.iter().filter(|&&b| b).count();
        let stable = count == order.classes && size(&above) == size(&order.above);
        order = Order { class, classes: count, above };
        if stable {
            return Ok(order);
        }
    }
}

/// Drops from each edge the letters on which another edge does better. Edges that are equal but
/// for the label are united before, so that of two edges at most one is better. States are classes.
fn drop_dominated(
    ctx: &mut Ctx,
    order: &Order,
    edges: &mut Vec<Edge>,
) -> Result<(), TranslateError> {
    let before = edges.clone();
    for edge in edges.iter_mut() {
        for other in &before {
            let better = (other.to, other.marks) != (edge.to, edge.marks)
                && edge.marks & !other.marks == 0
                && order.simulates(edge.to, other.to);
            if better {
                edge.label = ctx.bdd.diff(edge.label, other.label)?;
            }
        }
    }
    edges.retain(|edge| !edge.label.is_false());
    Ok(())
}
