//! Strongly connected components of graphs that somebody else has.
//!
//! ```
//! // 0 → 1 ⇄ 2 → 3
//! let edges: [&[usize]; 4] = [&[1], &[2], &[1, 3], &[]];
//! let found = graph::components(4, 0..4, |v, i| edges[v].get(i).copied());
//! assert_eq!(found.of, [2, 1, 1, 0]);
//! assert_eq!(found.iter().collect::<Vec<_>>(), [&[3][..], &[1, 2], &[0]]);
//! ```
//!
//! A search that may have to stop in between is [`try_components`]. Not for graphs that are made while they are
//! searched, and solved on the way (`bes` has such a search).

use std::convert::Infallible;
use std::ops::Range;

/// Of what was not reached.
pub const NONE: u32 = u32::MAX;

/// The components of what is reachable from some roots, numbered so that edges lead to equal or smaller
/// numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Components {
    /// The component of each node; [`NONE`] if no root leads to it.
    pub of: Vec<u32>,
    /// The nodes, component by component.
    members: Vec<u32>,
    /// Where each component begins among them, and the end.
    starts: Vec<usize>,
}

impl Components {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The nodes of a component, in the order in which they were found: that by which the search entered
    /// it is the first.
    pub fn members(&self, component: usize) -> &[u32] {
        &self.members[self.range(component)]
    }
    fn range(&self, component: usize) -> Range<usize> {
        self.starts[component]..self.starts[component + 1]
    }
    /// The nodes of each component; those that others lead to come first.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + '_ {
        (0..self.len()).map(|c| self.members(c))
    }
}

/// What [`try_components`] may use, in bytes for each node.
pub const BYTES: usize = 36;

/// The components of the graph with the nodes `0..nodes`, as far as the roots lead (Tarjan's algorithm).
/// `next` is asked for the first, second, … successor of a node, until there is none; once for each.
pub fn components(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    mut next: impl FnMut(usize, usize) -> Option<usize>,
) -> Components {
    match try_components(nodes, roots, |v, i| Ok::<_, Infallible>(next(v, i))) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

/// [`components`], until `next` says that it has to stop.
///
/// # Errors
///
/// What `next` says.
pub fn try_components<E>(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    mut next: impl FnMut(usize, usize) -> Result<Option<usize>, E>,
) -> Result<Components, E> {
    let mut of = vec![NONE; nodes];
    // `low` is the least index among the open nodes that are known to be reached.
    let (mut index, mut low) = (vec![NONE; nodes], vec![0u32; nodes]);
    let mut found = 0u32;
    let mut open: Vec<u32> = Vec::new();
    // The way down, with the next edge to look at.
    let mut way: Vec<(u32, u32)> = Vec::new();
    let (mut members, mut starts) = (Vec::with_capacity(nodes), vec![0]);
    for root in roots {
        if index[root] == NONE {
            way.push((root as u32, 0));
        }
        while let Some(&mut (node, ref mut at)) = way.last_mut() {
            let (v, edge) = (node as usize, *at as usize);
            *at += 1;
            if edge == 0 {
                (index[v], low[v]) = (found, found);
                found += 1;
                open.push(node);
            }
            if let Some(w) = next(v, edge)? {
                if index[w] == NONE {
                    way.push((w as u32, 0));
                } else if of[w] == NONE {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            way.pop();
            if let Some(&(parent, _)) = way.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == index[v] {
                let number = starts.len() as u32 - 1;
                let from = open.iter().rposition(|&w| w == node).expect("the root is open");
                open[from..].iter().for_each(|&w| of[w as usize] = number);
                members.extend(open.drain(from..));
                starts.push(members.len());
            }
        }
    }
    Ok(Components { of, members, starts })
}
