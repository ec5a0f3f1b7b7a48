//! Strongly connected components.

use crate::rows::Rows;

/// The component of every vertex, numbered so that edges never lead to a higher number.
pub(crate) fn components(rows: &Rows) -> Vec<u32> {
    let n = rows.offsets.len() - 1;
    let next = |x: usize, i: usize| {
        let at = rows.offsets[x] as usize + i;
        (at < rows.offsets[x + 1] as usize).then(|| rows.targets[at] as usize)
    };
    graph::components(n, 0..n, next).of
}
