//! Uniting states as far as the language allows.
//!
//! Uniting states of an automaton never loses a word, for every run is still there. It may add
//! words, and those are outside the language. So with an automaton of the negated formula one
//! product tells whether states may become one: iff it stays empty. This finds what no simulation
//! sees, for it asks for the language itself.
//!
//! A partition that adds words stays bad when it gets coarser. The coarsest good one is therefore
//! searched like a colouring: pairs that must not be united are found first, a clique of them
//! bounds the number of classes from below, and the states are put into classes one by one, with
//! backtracking as long as the effort allows.

use super::TranslateError;
use super::graph::Graph;
use super::nnf::Ctx;
use super::product::Matcher;

/// How many pairs of edges the products may look at, all together.
const EFFORT: usize = 10_000_000;

/// The automaton with states united, as many as the search finds. `negated` accepts exactly the
/// words that `graph` does not.
pub(super) fn unite(
    ctx: &mut Ctx,
    graph: &Graph,
    negated: &Graph,
) -> Result<Graph, TranslateError> {
    let states = graph.states();
    let one_product = (graph.edges() * negated.edges()).max(1);
    let Some(matcher) = Matcher::new(ctx, graph, negated)? else { return Ok(graph.clone()) };
    let mut search = Search { matcher, graph, negated, products: EFFORT / one_product };
    if states < 2 || search.products < states * states / 2 {
        return Ok(graph.clone());
    }
    let conflicts = search.conflicts(ctx)?;
    let (order, bound) = order_by_conflicts(&conflicts);
    let class = search.colour(ctx, &conflicts, &order, bound)?;
    let classes = class.iter().max().map_or(0, |&last| last as usize + 1);
    graph.rename(ctx, &class, classes)
}

/// Pairs of states that must not be united.
struct Conflicts {
    states: usize,
    pairs: Vec<bool>,
}

impl Conflicts {
    fn get(&self, a: usize, b: usize) -> bool {
        self.pairs[a * self.states + b]
    }

    fn add(&mut self, a: usize, b: usize) {
        self.pairs[a * self.states + b] = true;
        self.pairs[b * self.states + a] = true;
    }
}

struct Search<'a> {
    matcher: Matcher,
    graph: &'a Graph,
    negated: &'a Graph,
    /// How many products may still be made.
    products: usize,
}

impl Search<'_> {
    /// Whether the quotient by these classes accepts nothing but the language.
    fn is_good(&mut self, class: &[u32]) -> bool {
        self.products = self.products.saturating_sub(1);
        let count = class.iter().max().map_or(0, |&last| last as usize + 1);
        let mut classes = vec![Vec::new(); count];
        for (state, &c) in class.iter().enumerate() {
            classes[c as usize].push(state as u32);
        }
        !self.matcher.product(self.graph, self.negated, &classes, class).accepts(&self.matcher.all)
    }

    /// The pairs that must not be united.
    fn conflicts(&mut self, ctx: &mut Ctx) -> Result<Conflicts, TranslateError> {
        let states = self.graph.states();
        let mut conflicts = Conflicts { states, pairs: vec![false; states * states] };
        let mut class: Vec<u32> = (0..states as u32).collect();
        for b in 1..states {
            for a in 0..b {
                ctx.limits.poll()?;
                class[b] = a as u32;
                if !self.is_good(&class) {
                    conflicts.add(a, b);
                }
            }
            class[b] = b as u32;
        }
        Ok(conflicts)
    }

    /// The best good partition found. The states are put into classes in this order; `bound`
    /// classes are needed at least.
    fn colour(
        &mut self,
        ctx: &mut Ctx,
        conflicts: &Conflicts,
        order: &[usize],
        bound: usize,
    ) -> Result<Vec<u32>, TranslateError> {
        let states = order.len();
        let mut best: Vec<u32> = (0..states as u32).collect();
        let mut best_count = states;
        // members[c]: the states of class c; choice[i]: the class of the i-th state, tried so far.
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut choice: Vec<usize> = vec![0];
        while let Some(&tried) = choice.last() {
            let state = order[choice.len() - 1];
            ctx.limits.poll()?;
            if self.products == 0 {
                break;
            }
            // The next class that takes the state, or a new one, unless that is no better.
            let found = (tried..=members.len()).find(|&c| match members.get(c) {
                None => c + 1 < best_count,
                Some(others) => {
                    others.iter().all(|&other| !conflicts.get(state, other))
                        && self.is_good(&partition(&members, order, state, c))
                }
            });
            let Some(c) = found else {
                // Back to the state before, and on to its next class.
                choice.pop();
                if let Some(last) = choice.last_mut() {
                    members[*last].pop();
                    if members[*last].is_empty() {
                        members.pop();
                    }
                    *last += 1;
                }
                continue;
            };
            if c == members.len() {
                members.push(Vec::new());
            }
            members[c].push(state);
            *choice.last_mut().expect("the loop's condition") = c;
            if choice.len() < states {
                choice.push(0);
                continue;
            }
            for (c, states) in members.iter().enumerate() {
                states.iter().for_each(|&state| best[state] = c as u32);
            }
            best_count = members.len();
            if best_count <= bound {
                break;
            }
            members[c].pop();
            if members[c].is_empty() {
                members.pop();
            }
            *choice.last_mut().expect("the loop's condition") += 1;
        }
        Ok(best)
    }
}

/// The classes so far, with `state` put into class `c`, and the states that come later alone.
fn partition(members: &[Vec<usize>], order: &[usize], state: usize, c: usize) -> Vec<u32> {
    let mut class = vec![u32::MAX; order.len()];
    for (number, states) in members.iter().enumerate() {
        states.iter().for_each(|&member| class[member] = number as u32);
    }
    class[state] = c as u32;
    let mut fresh = members.len() as u32;
    for &other in order {
        if class[other] == u32::MAX {
            class[other] = fresh;
            fresh += 1;
        }
    }
    class
}

/// The states, a clique of conflicts first and then those with many conflicts, and the size of
/// the clique.
fn order_by_conflicts(conflicts: &Conflicts) -> (Vec<usize>, usize) {
    let degree =
        |state: usize| (0..conflicts.states).filter(|&other| conflicts.get(state, other)).count();
    let mut by_degree: Vec<usize> = (0..conflicts.states).collect();
    by_degree.sort_by_key(|&state| (usize::MAX - degree(state), state));
    let mut clique: Vec<usize> = Vec::new();
    for &state in &by_degree {
        if clique.iter().all(|&member| conflicts.get(state, member)) {
            clique.push(state);
        }
    }
    let bound = clique.len();
    let rest = by_degree.into_iter().filter(|state| !clique.contains(state));
    let order = clique.iter().copied().chain(rest).collect();
    (order, bound)
}
