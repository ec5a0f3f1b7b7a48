//! Paths by what they are: a tree of links, so that a path and all its beginnings are found in one walk, and nothing is
//! copied to look something up. Programs of 100,000 lines ask for paths some hundred million times.

use crate::paths::{ADDRESS, L, PathId, Root};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A place in the tree.
type Node = u32;

/// A tree of links below each root; of a copy that grows, the part that it shares is not copied.
#[derive(Clone, Default)]
pub(crate) struct PathIndex {
    /// What is shared, and how many nodes that has.
    below: Option<Arc<PathIndex>>,
    first: Node,
    roots: FxHashMap<Root, Node>,
    next: FxHashMap<(Node, L), Node>,
    /// The path that ends at a node, if it is one.
    ids: Vec<Option<PathId>>,
    /// The same of nodes that are shared, and had none there.
    added: FxHashMap<Node, PathId>,
}

impl PathIndex {
    /// The same, to be copied.
    pub(crate) fn shared(self) -> PathIndex {
        let first = self.first + self.ids.len() as Node;
        PathIndex { below: Some(Arc::new(self)), first, ..PathIndex::default() }
    }

    fn root(&self, root: Root) -> Option<Node> {
        let below = self.below.as_ref().and_then(|below| below.root(root));
        below.or_else(|| self.roots.get(&root).copied())
    }

    fn child(&self, node: Node, link: L) -> Option<Node> {
        let below = self.below.as_ref().filter(|_| node < self.first);
        let below = below.and_then(|below| below.child(node, link));
        below.or_else(|| self.next.get(&(node, link)).copied())
    }

    fn id(&self, node: Node) -> Option<PathId> {
        if node >= self.first {
            return self.ids[(node - self.first) as usize];
        }
        let below = self.below.as_ref().and_then(|below| below.id(node));
        below.or_else(|| self.added.get(&node).copied())
    }

    /// The path with these links, if there is one.
    pub(crate) fn find(&self, root: Root, links: &[L]) -> Option<PathId> {
        let mut node = self.root(root)?;
        for &link in links {
            node = self.child(node, link)?;
        }
        self.id(node)
    }

    fn new_node(&mut self) -> Node {
        self.ids.push(None);
        self.first + self.ids.len() as Node - 1
    }

    /// Enters a path.
    pub(crate) fn insert(&mut self, root: Root, links: &[L], id: PathId) {
        let mut node = self.root(root).unwrap_or_else(|| {
            let new = self.new_node();
            self.roots.insert(root, new);
            new
        });
        for &link in links {
            node = self.child(node, link).unwrap_or_else(|| {
                let new = self.new_node();
                self.next.insert((node, link), new);
                new
            });
        }
        match node.checked_sub(self.first) {
            Some(own) => self.ids[own as usize] = Some(id),
            None => drop(self.added.insert(node, id)),
        }
    }

    /// For each beginning of the links, the shortest first: its path, and the path of its address.
    pub(crate) fn beginnings(
        &self,
        root: Root,
        links: &[L],
    ) -> Vec<(Option<PathId>, Option<PathId>)> {
        let id = |node: Option<Node>| node.and_then(|n| self.id(n));
        let mut node = self.root(root);
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
    #[test]
    fn copies_grow_by_themselves_on_what_they_share() {
        let mut index = PathIndex::default();
        let root = |n| Root::Var(ObjectId::new(n));
        let id = PathId::numbered;
        index.insert(root(1), &[DEREF, 7], id(0));
        index.insert(root(1), &[], id(1));
        let shared = index.shared();
        let (mut a, mut b) = (shared.clone(), shared.clone());
        a.insert(root(1), &[DEREF], id(2));
        a.insert(root(1), &[DEREF, 8], id(3));
        a.insert(root(2), &[9], id(4));
        b.insert(root(1), &[DEREF, 7, DEREF], id(2));
        let of = |index: &PathIndex, n, links: &[L]| index.find(root(n), links);
        assert_eq!(of(&a, 1, &[DEREF, 7]), Some(id(0)));
        assert_eq!([of(&a, 1, &[DEREF]), of(&b, 1, &[DEREF])], [Some(id(2)), None]);
        assert_eq!([of(&a, 1, &[DEREF, 8]), of(&b, 1, &[DEREF, 8])], [Some(id(3)), None]);
        assert_eq!([of(&a, 2, &[9]), of(&b, 2, &[9])], [Some(id(4)), None]);
        assert_eq!(of(&b, 1, &[DEREF, 7, DEREF]), Some(id(2)));
        let found = a.beginnings(root(1), &[DEREF, 8]);
        assert_eq!(found, [(Some(id(1)), None), (Some(id(2)), None), (Some(id(3)), None)]);
    }
}
