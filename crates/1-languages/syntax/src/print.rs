//! Tree → text: what all printers do.

use crate::nodes::{List, Name, Nodes};

/// Begins a line of a block that lies `depth` blocks deep. Blocks that lie deeper than some are
/// indented no further, or the text would grow with the square of the depth.
pub fn indent(out: &mut String, depth: usize) {
    const DEEPEST: usize = 40;
    out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
}

/// Writes items with a text between them.
pub fn separated<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    between: &str,
    mut write: impl FnMut(&mut String, T),
) {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        write(out, item);
    }
}

/// Writes names with a text between them.
pub fn names<E, S>(out: &mut String, nodes: &Nodes<E, S>, list: List<Name>, between: &str) {
    separated(out, nodes.names(list), between, |out, name| out.push_str(nodes.text(name.symbol)));
}
