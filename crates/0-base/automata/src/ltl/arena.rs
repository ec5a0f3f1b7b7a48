//! Formulas as numbers: equal formulas have equal numbers.

use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use super::Atom;

/// An atom of one [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(u32);

impl AtomId {
    /// The position in [`Formulas::atoms`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula of one [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(u32);

impl FormulaId {
    /// The position among all formulas of the arena; operands come before what is made of them.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: in the next step.
    Next,
    /// `F`: now or later.
    Finally,
    /// `G`: from now on.
    Globally,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`: the right one comes, and the left one holds until then.
    Until,
    /// `R`: the right one holds until both hold, or for ever.
    Release,
    /// `W`: as `U`, or the left one holds for ever.
    WeakUntil,
    /// `M`: as `R`, and the left one comes.
    StrongRelease,
}

/// The top of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Node {
    /// True or false.
    Const(bool),
    /// What the letter says.
    Atom(AtomId),
    /// One operand.
    Unary(Unary, FormulaId),
    /// Two operands.
    Binary(Binary, FormulaId, FormulaId),
}

impl Node {
    /// The operands, left to right.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = FormulaId> {
        let (first, second) = match self {
            Node::Const(_) | Node::Atom(_) => (None, None),
            Node::Unary(_, f) => (Some(f), None),
            Node::Binary(_, f, g) => (Some(f), Some(g)),
        };
        first.into_iter().chain(second)
    }
}

/// A store of formulas, each once.
///
/// Invariant: the operands of a formula have smaller numbers than the formula, so that a loop
/// over the numbers does the work of a recursion. Nothing is ever removed.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, FormulaId>,
    atoms: Vec<Atom>,
    spans: Vec<Option<Span>>,
    atom_ids: FxHashMap<Atom, AtomId>,
}

impl Formulas {
    /// An empty store.
    #[must_use]
    pub fn new() -> Formulas {
        Formulas::default()
    }

    /// The formula with this top.
    ///
    /// # Panics
    /// If an operand or atom is not of this store.
    pub fn add(&mut self, node: Node) -> FormulaId {
        if let Node::Atom(atom) = node {
            assert!(atom.index() < self.atoms.len(), "the atom is of another store");
        }
        assert!(node.operands().all(|f| f.index() < self.nodes.len()), "an operand is missing");
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            FormulaId(self.nodes.len() as u32 - 1)
        })
    }

    /// True or false.
    pub fn constant(&mut self, value: bool) -> FormulaId {
        self.add(Node::Const(value))
    }

    /// An operator with one operand.
    pub fn unary(&mut self, op: Unary, f: FormulaId) -> FormulaId {
        self.add(Node::Unary(op, f))
    }

    /// An operator with two operands.
    pub fn binary(&mut self, op: Binary, f: FormulaId, g: FormulaId) -> FormulaId {
        self.add(Node::Binary(op, f, g))
    }

    /// `!f`.
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        self.unary(Unary::Not, f)
    }

    /// The formula which is one atom.
    pub fn atom(&mut self, atom: Atom) -> FormulaId {
        let id = self.intern(atom, None);
        self.add(Node::Atom(id))
    }

    /// The number of an atom; the place counts if the atom is new.
    pub(super) fn intern(&mut self, atom: Atom, span: Option<Span>) -> AtomId {
        if let Some(&id) = self.atom_ids.get(&atom) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        self.atoms.push(atom.clone());
        self.spans.push(span);
        self.atom_ids.insert(atom, id);
        id
    }

    /// The top of a formula.
    #[must_use]
    pub fn node(&self, f: FormulaId) -> Node {
        self.nodes[f.index()]
    }

    /// The number of different formulas.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no formula yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All atoms, in the order in which they were met.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// Where the atom stands first in the text it was parsed from.
    #[must_use]
    pub fn atom_span(&self, atom: AtomId) -> Option<Span> {
        self.spans[atom.index()]
    }

    /// The formulas that `f` is made of, itself included, operands before what is made of them.
    #[must_use]
    pub fn subformulas(&self, f: FormulaId) -> Vec<FormulaId> {
        let mut needed = vec![false; f.index() + 1];
        needed[f.index()] = true;
        for i in (0..=f.index()).rev() {
            if needed[i] {
                for operand in self.nodes[i].operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        (0..=f.0).map(FormulaId).filter(|g| needed[g.index()]).collect()
    }

    /// The atoms of `f`, ascending.
    #[must_use]
    pub fn atoms_of(&self, f: FormulaId) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(atom) => Some(atom),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// `root` with its occurrences of `part` of one polarity replaced by `by`: those under an
    /// even number of negations if `positive`, else the others. Below `^` and `<->` an operand
    /// occurs in both polarities at once, and is replaced for each of them.
    ///
    /// Replacing the positive occurrences by false, or the negative ones by true, strengthens the
    /// formula; a formula that still holds then held vacuously.
    pub fn replace(
        &mut self,
        root: FormulaId,
        part: FormulaId,
        positive: bool,
        by: FormulaId,
    ) -> FormulaId {
        // results[p]: each subformula as it reads in a context of polarity p.
        let subformulas = self.subformulas(root);
        let mut results: [FxHashMap<FormulaId, FormulaId>; 2] = Default::default();
        for f in subformulas {
            for polarity in [false, true] {
                let same = |g: FormulaId| results[usize::from(polarity)][&g];
                let flip = |g: FormulaId| results[usize::from(!polarity)][&g];
                let result = match self.node(f) {
                    _ if f == part && polarity == positive => by,
                    Node::Const(_) | Node::Atom(_) => f,
                    Node::Unary(Unary::Not, g) => {
                        let g = flip(g);
                        self.not(g)
                    }
                    Node::Unary(op, g) => {
                        let g = same(g);
                        self.unary(op, g)
                    }
                    Node::Binary(Binary::Implies, g, h) => {
                        let (g, h) = (flip(g), same(h));
                        self.binary(Binary::Implies, g, h)
                    }
                    Node::Binary(op @ (Binary::Xor | Binary::Iff), g, h) => {
                        // g <-> h is (g & h) | (!g & !h): each side once in each polarity.
                        let (g1, h1, g0, h0) = (same(g), same(h), flip(g), flip(h));
                        if (g1, h1) == (g0, h0) {
                            self.binary(op, g1, h1)
                        } else {
                            let (not_g, not_h) = (self.not(g0), self.not(h0));
                            let (a, b) = if op == Binary::Iff {
                                (
                                    self.binary(Binary::And, g1, h1),
                                    self.binary(Binary::And, not_g, not_h),
                                )
                            } else {
                                (
                                    self.binary(Binary::And, g1, not_h),
                                    self.binary(Binary::And, not_g, h1),
                                )
                            };
                            self.binary(Binary::Or, a, b)
                        }
                    }
                    Node::Binary(op, g, h) => {
                        let (g, h) = (same(g), same(h));
                        self.binary(op, g, h)
                    }
                };
                results[usize::from(polarity)].insert(f, result);
            }
        }
        results[1][&root]
    }

    /// The polarities in which each subformula of `root` occurs in it, as `(positive, negative)`,
    /// in the order of [`subformulas`](Formulas::subformulas).
    #[must_use]
    pub fn polarities(&self, root: FormulaId) -> Vec<(FormulaId, bool, bool)> {
        let subformulas = self.subformulas(root);
        let mut seen: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
        seen.insert((root, true));
        for &f in subformulas.iter().rev() {
            for polarity in [true, false] {
                if !seen.contains(&(f, polarity)) {
                    continue;
                }
                match self.node(f) {
                    Node::Unary(Unary::Not, g) => {
                        seen.insert((g, !polarity));
                    }
                    Node::Binary(Binary::Implies, g, h) => {
                        seen.insert((g, !polarity));
                        seen.insert((h, polarity));
                    }
                    Node::Binary(Binary::Xor | Binary::Iff, g, h) => {
                        seen.extend([(g, true), (g, false), (h, true), (h, false)]);
                    }
                    node => seen.extend(node.operands().map(|g| (g, polarity))),
                }
            }
        }
        subformulas
            .into_iter()
            .map(|f| (f, seen.contains(&(f, true)), seen.contains(&(f, false))))
            .collect()
    }
}

/// A formula with its store.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Everything the formula is made of.
    pub formulas: Formulas,
    /// The formula.
    pub root: FormulaId,
    /// The words whose first letter was read as an operator: `Flag` as `F lag`. A resolver which
    /// does not know `lag` can say so.
    pub split_words: Vec<Span>,
}
