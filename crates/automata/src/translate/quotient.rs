//! Uniting states as far as the language allows.
//!
//! Uniting states of an automaton never loses a word: every run is still there. It may add
//! words, and they are all outside the language. So with an automaton of the negated formula,
//! one product tells whether two states may become one: iff it stays empty. This finds
//! what no simulation sees, for it asks for the language itself.

use super::TranslateError;
use super::graph::Graph;
use super::nnf::Ctx;
use super::product::Matcher;

/// How many product edges may be looked at before the search for states to unite ends.
const EFFORT: usize = 20_000_000;

/// The automaton with states united, as many as a greedy search finds. `negated` accepts exactly
/// the words that `graph` does not.
pub(super) fn unite(
    ctx: &mut Ctx,
    graph: &Graph,
    negated: &Graph,
) -> Result<Graph, TranslateError> {
    let matcher = Matcher::new(ctx, graph, negated)?;
    let states = graph.states();
    let mut class: Vec<u32> = (0..states as u32).collect();
    let mut classes: Vec<Vec<u32>> = class.iter().map(|&state| vec![state]).collect();
    let one_product = (graph.edges() * negated.edges()).max(1);
    let mut effort = EFFORT / one_product;
    let mut a = 0;
    while a < classes.len() {
        let mut b = a + 1;
        while b < classes.len() {
            ctx.limits.poll()?;
            if effort == 0 {
                return graph.rename(ctx, &class, classes.len());
            }
            effort -= 1;
            let (tried_class, tried_classes) = united(&class, &classes, a, b);
            let product = matcher.product(graph, negated, &tried_classes, &tried_class);
            if product.accepts(matcher.all) {
                b += 1;
            } else {
                (class, classes) = (tried_class, tried_classes);
            }
        }
        a += 1;
    }
    graph.rename(ctx, &class, classes.len())
}

/// The partition with class `b` moved into class `a`, where `a` < `b`; later ones
/// move up.
fn united(class: &[u32], classes: &[Vec<u32>], a: usize, b: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut classes = classes.to_vec();
    let moved = classes.remove(b);
    classes[a].extend(moved);
    let mut class = class.to_vec();
    for (i, members) in classes.iter().enumerate() {
        for &member in members {
            class[member as usize] = i as u32;
        }
    }
    (class, classes)
}
