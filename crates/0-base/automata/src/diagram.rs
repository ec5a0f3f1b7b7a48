//! Labels: sets of letters as decision diagrams that are shared by an automaton.

use std::collections::BTreeSet;

use bdd::{Bdd, Manager, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of letters: a node of one [`Diagrams`]. Equal sets of one store are equal labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

impl Label {
    /// No letter.
    pub const NONE: Label = Label(0);
    /// Every letter.
    pub const ALL: Label = Label(1);
}

/// A node: the letters in which the atom does not hold and which are in `low`, and those in which it
/// holds and which are in `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiagramNode {
    /// The position of the atom.
    pub atom: u32,
    /// Where the atom does not hold.
    pub low: Label,
    /// Where it holds.
    pub high: Label,
}

/// Reduced ordered decision diagrams over atoms, each node once.
///
/// Invariant 1: the branches of a node are older than it, and differ.
/// Invariant 2: the atoms of a node's branches are above its own.
/// Invariant 3: no two nodes are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagrams {
    nodes: Vec<DiagramNode>,
    index: FxHashMap<DiagramNode, Label>,
}

impl Diagrams {
    /// A store without nodes.
    #[must_use]
    pub fn new() -> Diagrams {
        Diagrams::default()
    }

    /// The label with these branches. The atom must be below those of the branches.
    ///
    /// # Panics
    /// If it is not, or if a branch is not of this store.
    pub fn make(&mut self, atom: u32, low: Label, high: Label) -> Label {
        let below = |label| self.node(label).is_none_or(|node| atom < node.atom);
        assert!(below(low) && below(high), "the atoms of a label are in order");
        if low == high {
            return low;
        }
        let node = DiagramNode { atom, low, high };
        let fresh = Label(self.nodes.len() as u32 + 2);
        let label = *self.index.entry(node).or_insert(fresh);
        if label == fresh {
            self.nodes.push(node);
        }
        label
    }

    /// The letters that agree with these literals, which are ascending.
    pub fn literals(&mut self, literals: &[(u32, bool)]) -> Label {
        literals.iter().rev().fold(Label::ALL, |rest, &(atom, value)| match value {
            true => self.make(atom, Label::NONE, rest),
            false => self.make(atom, rest, Label::NONE),
        })
    }

    /// The top of a label; `None` for [`Label::NONE`] and [`Label::ALL`].
    #[must_use]
    pub fn node(&self, label: Label) -> Option<DiagramNode> {
        let index = label.0.checked_sub(2)?;
        Some(self.nodes[index as usize])
    }

    /// The number of nodes of all labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a letter is in the set.
    pub fn holds(&self, mut label: Label, mut letter: impl FnMut(u32) -> bool) -> bool {
        while let Some(node) = self.node(label) {
            label = if letter(node.atom) { node.high } else { node.low };
        }
        label == Label::ALL
    }

    /// Whether some letter is in both sets.
    #[must_use]
    pub fn intersect(&self, a: Label, b: Label) -> bool {
        let mut seen: FxHashSet<(Label, Label)> = FxHashSet::default();
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            if a == Label::NONE || b == Label::NONE || !seen.insert((a, b)) {
                continue;
            }
            let atoms = [a, b].map(|label| self.node(label).map_or(u32::MAX, |node| node.atom));
            let atom = atoms[0].min(atoms[1]);
            if atom == u32::MAX {
                return true;
            }
            let branches = |label: Label| match self.node(label) {
                Some(node) if node.atom == atom => (node.low, node.high),
                _ => (label, label),
            };
            let ((a0, a1), (b0, b1)) = (branches(a), branches(b));
            todo.extend([(a0, b0), (a1, b1)]);
        }
        false
    }

    /// The nodes of some labels, a node's branches before it.
    #[must_use]
    pub fn below(&self, labels: &[Label]) -> Vec<Label> {
        let mut found: BTreeSet<Label> = BTreeSet::new();
        let mut todo = labels.to_vec();
        while let Some(label) = todo.pop() {
            if let Some(node) = self.node(label)
                && found.insert(label)
            {
                todo.extend([node.low, node.high]);
            }
        }
        found.into_iter().collect()
    }

    /// The label of a function of a manager; `atom` says what its variables are, in their order.
    pub(crate) fn import(
        &mut self,
        bdd: &Manager,
        done: &mut FxHashMap<Bdd, Label>,
        f: Bdd,
        atom: impl Fn(u32) -> u32,
    ) -> Label {
        done.insert(Bdd::FALSE, Label::NONE);
        done.insert(Bdd::TRUE, Label::ALL);
        let mut todo = vec![f];
        while let Some(&g) = todo.last() {
            if done.contains_key(&g) {
                todo.pop();
                continue;
            }
            let (var, low, high) = bdd.node(g).expect("constants are known");
            match (done.get(&low), done.get(&high)) {
                (Some(&low), Some(&high)) => {
                    let label = self.make(atom(var), low, high);
                    done.insert(g, label);
                    todo.pop();
                }
                _ => todo.extend([low, high]),
            }
        }
        done[&f]
    }

    /// All labels as functions of a manager, where `function` says what an atom is.
    pub(crate) fn export(
        &self,
        bdd: &mut Manager,
        mut function: impl FnMut(&mut Manager, u32) -> Result<Bdd, Stop>,
    ) -> Result<Vec<Bdd>, Stop> {
        let mut out = vec![Bdd::FALSE, Bdd::TRUE];
        for node in &self.nodes {
            let test = function(bdd, node.atom)?;
            let (low, high) = (out[node.low.index()], out[node.high.index()]);
            out.push(bdd.ite(test, high, low)?);
        }
        Ok(out)
    }
}

impl Label {
    /// The position in what [`Diagrams::export`] gives.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three atoms, as tables: labels are canonical, and `intersect` is right.
    #[test]
    fn small_universe() {
        let mut diagrams = Diagrams::new();
        let labels: Vec<Label> = (0..256u32)
            .map(|table| {
                let mut level: Vec<Label> =
                    (0..8).map(|i| [Label::NONE, Label::ALL][(table >> i & 1) as usize]).collect();
                for atom in (0..3).rev() {
                    level = level.chunks(2).map(|c| diagrams.make(atom, c[0], c[1])).collect();
                }
                level[0]
            })
            .collect();
        for (a, &x) in labels.iter().enumerate() {
            for letter in 0..8usize {
                let bit = |atom: u32| letter >> (2 - atom) & 1 == 1;
                assert_eq!(diagrams.holds(x, bit), a >> letter & 1 == 1);
            }
            for (b, &y) in labels.iter().enumerate() {
                assert_eq!(x == y, a == b);
                assert_eq!(diagrams.intersect(x, y), a & b != 0);
            }
        }
        assert_eq!(diagrams.literals(&[(0, true), (2, false)]), labels[0b0101_0000]);
    }
}
