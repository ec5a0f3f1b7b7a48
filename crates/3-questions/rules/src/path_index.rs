//! Paths by what they are: a tree of links, so that a path and all its beginnings are found in one walk, and nothing is
//! copied to look something up. Programs of 100,000 lines ask for paths some hundred million times.

use crate::paths::{ADDRESS, L, PathId, Root};
use rustc_hash::FxHashMap;

/// A place in the tree.
type Node = u32;

/// A tree of links below each root.
#[derive(Clone, Default)]
pub(crate) struct PathIndex {
    roots: FxHashMap<Root, Node>,
    next: FxHashMap<(Node, L), Node>,
    /// The path that ends at a node, if it is one.
    ids: Vec<Option<PathId>>,
}

impl PathIndex {
    fn child(&self, node: Node, link: L) -> Option<Node> {
        self.next.get(&(node, link)).copied()
    }

    /// The path with these links, if there is one.
    pub(crate) fn find(&self, root: Root, links: &[L]) -> Option<PathId> {
        let mut node = *self.roots.get(&root)?;
        for &link in links {
            node = self.child(node, link)?;
        }
        self.ids[node as usize]
    }

    /// Enters a path.
    pub(crate) fn insert(&mut self, root: Root, links: &[L], id: PathId) {
        let ids = &mut self.ids;
        let mut new = || {
            ids.push(None);
            ids.len() as Node - 1
        };
        let mut node = *self.roots.entry(root).or_insert_with(&mut new);
        for &link in links {
            node = *self.next.entry((node, link)).or_insert_with(&mut new);
        }
        self.ids[node as usize] = Some(id);
    }

    /// For each beginning of the links, the shortest first: its path, and the path of its address.
    pub(crate) fn beginnings(
        &self,
        root: Root,
        links: &[L],
    ) -> Vec<(Option<PathId>, Option<PathId>)> {
        let id = |node: Option<Node>| node.and_then(|n| self.ids[n as usize]);
        let mut node = self.roots.get(&root).copied();
        let mut out = Vec::with_capacity(links.len() + 1);
        for cut in 0..=links.len() {
            out.push((id(node), id(node.and_then(|n| self.child(n, ADDRESS)))));
            node = node.filter(|_| cut < links.len()).and_then(|n| self.child(n, links[cut]));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::DEREF;
    use front_c::ObjectId;

    #[test]
    fn a_path_is_found_by_its_links_and_its_beginnings_need_not_be_paths() {
        let mut index = PathIndex::default();
        let root = Root::Var(ObjectId::new(3));
        let [long, start, address] = [0, 1, 2].map(PathId::numbered);
        index.insert(root, &[DEREF, 7], long);
        assert_eq!(index.find(root, &[DEREF, 7]), Some(long));
        assert_eq!(index.find(root, &[DEREF]), None);
        assert_eq!(index.find(root, &[]), None);
        assert_eq!(index.find(Root::Arg(3), &[]), None);
        index.insert(root, &[], start);
        index.insert(root, &[DEREF, ADDRESS], address);
        let found = index.beginnings(root, &[DEREF, 7]);
        assert_eq!(found, [(Some(start), None), (None, Some(address)), (Some(long), None)]);
        assert_eq!(
            index.beginnings(root, &[9, 9]),
            [(Some(start), None), (None, None), (None, None)]
        );
    }
}
