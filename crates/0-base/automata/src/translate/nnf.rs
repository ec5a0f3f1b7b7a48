//! Formulas in negation normal form, each once, with boolean parts as decision diagrams.

use std::rc::Rc;

use bdd::{Bdd, Config, Manager};
use rustc_hash::FxHashMap;

use super::{Limits, TranslateError};
use crate::ltl;

/// A formula of one [`Ctx`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(u32);

/// The top of a formula.
///
/// Invariant: `And` and `Or` have at least two operands, ascending, none of which is of the same
/// kind, and at most one of which is `Bool`. Operators other than `And` and `Or` have an operand
/// that is not a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A condition on the first letter.
    Bool(Bdd),
    And(Rc<[Id]>),
    Or(Rc<[Id]>),
    Next(Id),
    Finally(Id),
    Globally(Id),
    Until(Id, Id),
    Release(Id, Id),
    Weak(Id, Id),
    Strong(Id, Id),
}

/// What is known about a formula from its form alone (Etessami and Holzmann, CONCUR 2000).
#[derive(Clone, Copy, Debug)]
struct Info {
    /// Pure eventuality: if it holds, it held at all times before.
    eventual: bool,
    /// Purely universal: if it holds, it holds at all times after.
    universal: bool,
}

/// Everything that a translation shares: diagrams, formulas, limits.
///
/// The variables of the diagrams are the atoms, with [`STRIDE`] - 1 variables behind each that are free for
/// others.
pub(super) struct Ctx {
    pub(super) bdd: Manager,
    pub(super) atoms: u32,
    pub(super) limits: Limits,
    /// Whether constructors simplify.
    pub(super) rewrite: bool,
    /// How many constructors are under way inside each other.
    pub(super) depth: u32,
    nodes: Vec<Node>,
    infos: Vec<Info>,
    ids: FxHashMap<Node, Id>,
    negations: FxHashMap<Id, Id>,
    pub(super) implications: FxHashMap<(Id, Id), bool>,
}

/// The distance between the variables of two atoms.
pub(super) const STRIDE: u32 = 1 << 20;

/// The variable of an atom.
pub(super) fn variable(atom: u32) -> u32 {
    atom * STRIDE
}

/// The atom of a variable.
pub(super) fn atom(variable: u32) -> u32 {
    variable / STRIDE
}

type Made<T> = Result<T, TranslateError>;

impl Ctx {
    /// A context for formulas over so many atoms.
    pub(super) fn new(atoms: u32, limits: Limits, rewrite: bool) -> Ctx {
        let mut bdd = Manager::new(Config { node_limit: limits.nodes, ..Config::default() });
        bdd.set_gate(limits.gate());
        let mut ctx = Ctx {
            bdd,
            atoms,
            limits,
            rewrite,
            depth: 0,
            nodes: Vec::new(),
            infos: Vec::new(),
            ids: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
        };
        ctx.add(Node::Bool(Bdd::FALSE));
        ctx.add(Node::Bool(Bdd::TRUE));
        ctx
    }

    pub(super) const FALSE: Id = Id(0);
    pub(super) const TRUE: Id = Id(1);

    pub(super) fn node(&self, f: Id) -> &Node {
        &self.nodes[f.0 as usize]
    }

    pub(super) fn eventual(&self, f: Id) -> bool {
        self.infos[f.0 as usize].eventual
    }

    pub(super) fn universal(&self, f: Id) -> bool {
        self.infos[f.0 as usize].universal
    }

    /// Both: whether it holds does not depend on any finite beginning.
    pub(super) fn suspendable(&self, f: Id) -> bool {
        self.eventual(f) && self.universal(f)
    }

    /// The diagram of a formula that is a condition on the first letter.
    pub(super) fn as_bool(&self, f: Id) -> Option<Bdd> {
        match *self.node(f) {
            Node::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The formula with this top, as it is.
    pub(super) fn add(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let info = self.info(&node);
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.infos.push(info);
        self.ids.insert(node, id);
        id
    }

    fn info(&self, node: &Node) -> Info {
        let e = |f: Id| self.infos[f.0 as usize].eventual;
        let u = |f: Id| self.infos[f.0 as usize].universal;
        let (eventual, universal) = match node {
            Node::Bool(b) => (b.is_const(), b.is_const()),
            Node::And(fs) | Node::Or(fs) => (fs.iter().all(|&f| e(f)), fs.iter().all(|&f| u(f))),
            Node::Next(f) => (e(*f), u(*f)),
            Node::Finally(f) => (true, u(*f)),
            Node::Globally(f) => (e(*f), true),
            Node::Until(f, g) => (e(*g), u(*f) && u(*g)),
            Node::Weak(f, g) => (e(*f) && e(*g), u(*f) && u(*g)),
            Node::Release(f, g) => (e(*f) && e(*g), u(*g)),
            Node::Strong(f, g) => (e(*f) && e(*g), u(*f) && u(*g)),
        };
        Info { eventual, universal }
    }

    pub(super) fn boolean(&mut self, b: Bdd) -> Id {
        self.add(Node::Bool(b))
    }

    /// The operands of a conjunction (or disjunction) as the invariant of [`Node`] has them;
    /// one operand if that is all there is.
    pub(super) fn flatten(&mut self, and: bool, operands: &[Id]) -> Made<Vec<Id>> {
        let mut all: Vec<Id> = Vec::with_capacity(operands.len());
        let mut condition = if and { Bdd::TRUE } else { Bdd::FALSE };
        for &f in operands {
            match (and, self.node(f)) {
                (true, Node::And(fs)) | (false, Node::Or(fs)) => all.extend_from_slice(fs),
                _ => all.push(f),
            }
        }
        let mut rest = Vec::with_capacity(all.len());
        for f in all {
            match self.as_bool(f) {
                Some(b) if and => condition = self.bdd.and(condition, b)?,
                Some(b) => condition = self.bdd.or(condition, b)?,
                None => rest.push(f),
            }
        }
        if condition == (if and { Bdd::FALSE } else { Bdd::TRUE }) {
            return Ok(vec![self.boolean(condition)]);
        }
        if rest.is_empty() || !condition.is_const() {
            rest.push(self.boolean(condition));
        }
        rest.sort_unstable();
        rest.dedup();
        self.limits.poll()?;
        Ok(rest)
    }

    /// The conjunction (or disjunction) of operands that [`flatten`](Ctx::flatten) has prepared.
    pub(super) fn join(&mut self, and: bool, operands: Vec<Id>) -> Id {
        match operands[..] {
            [f] => f,
            _ if and => self.add(Node::And(operands.into())),
            _ => self.add(Node::Or(operands.into())),
        }
    }

    /// The conjunction, not simplified further.
    pub(super) fn plain_and(&mut self, operands: &[Id]) -> Made<Id> {
        let operands = self.flatten(true, operands)?;
        Ok(self.join(true, operands))
    }

    /// The negation, in the same form and not simplified further.
    pub(super) fn negation(&mut self, f: Id) -> Made<Id> {
        let mut todo = vec![f];
        while let Some(&g) = todo.last() {
            if self.negations.contains_key(&g) {
                todo.pop();
                continue;
            }
            let node = self.node(g).clone();
            let before = todo.len();
            for_operands(&node, |h| {
                if !self.negations.contains_key(&h) {
                    todo.push(h);
                }
            });
            if todo.len() > before {
                continue;
            }
            let not = |h: &Id| self.negations[h];
            let dual = match &node {
                Node::Bool(b) => Node::Bool(b.not()),
                Node::Next(h) => Node::Next(not(h)),
                Node::Finally(h) => Node::Globally(not(h)),
                Node::Globally(h) => Node::Finally(not(h)),
                Node::Until(h, k) => Node::Release(not(h), not(k)),
                Node::Release(h, k) => Node::Until(not(h), not(k)),
                Node::Weak(h, k) => Node::Strong(not(h), not(k)),
                Node::Strong(h, k) => Node::Weak(not(h), not(k)),
                Node::And(hs) | Node::Or(hs) => {
                    let mut operands: Vec<Id> = hs.iter().map(not).collect();
                    operands.sort_unstable();
                    match node {
                        Node::And(_) => Node::Or(operands.into()),
                        _ => Node::And(operands.into()),
                    }
                }
            };
            let result = self.add(dual);
            self.negations.insert(g, result);
            self.negations.insert(result, g);
            todo.pop();
            self.limits.poll()?;
        }
        Ok(self.negations[&f])
    }

    /// The formula, or its negation, in negation normal form; `atom_of` numbers the atoms.
    pub(super) fn import(
        &mut self,
        formulas: &ltl::Formulas,
        root: ltl::FormulaId,
        positive: bool,
        atom_of: impl Fn(ltl::AtomId) -> u32,
    ) -> Made<Id> {
        use ltl::{Binary, Unary};
        type Key = (ltl::FormulaId, bool);
        let mut done: FxHashMap<Key, Id> = FxHashMap::default();
        let mut todo: Vec<Key> = vec![(root, positive)];
        while let Some(&(f, p)) = todo.last() {
            if done.contains_key(&(f, p)) {
                todo.pop();
                continue;
            }
            self.limits.poll()?;
            let step = step(formulas, f, p);
            let before = todo.len();
            let mut need = |keys: &[Key]| {
                todo.extend(keys.iter().filter(|key| !done.contains_key(key)));
            };
            match &step {
                Step::Leaf => {}
                Step::Many(_, keys) => need(keys),
                Step::Iff(_, g, h) => need(&[(*g, true), (*g, false), (*h, true), (*h, false)]),
                Step::Unary(_, key) => need(&[*key]),
                Step::Binary(_, key, other) => need(&[*key, *other]),
            }
            if todo.len() > before {
                continue;
            }
            let result = match step {
                Step::Leaf => match formulas.node(f) {
                    ltl::Node::Const(value) => {
                        if value == p {
                            Ctx::TRUE
                        } else {
                            Ctx::FALSE
                        }
                    }
                    ltl::Node::Atom(atom) => {
                        let b = self.bdd.var(variable(atom_of(atom)))?;
                        self.boolean(if p { b } else { b.not() })
                    }
                    _ => unreachable!("only constants and atoms are leaves"),
                },
                Step::Many(and, keys) => {
                    let operands: Vec<Id> = keys.iter().map(|key| done[key]).collect();
                    self.many(and, &operands)?
                }
                Step::Iff(equal, g, h) => {
                    let both = self.many(true, &[done[&(g, true)], done[&(h, equal)]])?;
                    let none = self.many(true, &[done[&(g, false)], done[&(h, !equal)]])?;
                    self.many(false, &[both, none])?
                }
                Step::Unary(op, key) => match op {
                    Unary::Next => self.next(done[&key])?,
                    Unary::Finally => self.finally(done[&key])?,
                    Unary::Globally => self.globally(done[&key])?,
                    Unary::Not => done[&key],
                },
                Step::Binary(op, key, other) => {
                    let (g, h) = (done[&key], done[&other]);
                    match op {
                        Binary::Until => self.until(g, h)?,
                        Binary::Release => self.release(g, h)?,
                        Binary::WeakUntil => self.weak(g, h)?,
                        Binary::StrongRelease => self.strong(g, h)?,
                        _ => unreachable!("boolean operators are of other kinds"),
                    }
                }
            };
            done.insert((f, p), result);
            todo.pop();
        }
        Ok(done[&(root, positive)])
    }
}

/// Calls `each` with every operand.
pub(super) fn for_operands(node: &Node, mut each: impl FnMut(Id)) {
    match node {
        Node::Bool(_) => {}
        Node::And(fs) | Node::Or(fs) => fs.iter().for_each(|&f| each(f)),
        Node::Next(f) | Node::Finally(f) | Node::Globally(f) => each(*f),
        Node::Until(f, g) | Node::Release(f, g) | Node::Weak(f, g) | Node::Strong(f, g) => {
            each(*f);
            each(*g);
        }
    }
}

/// One formula, under a polarity, in terms of others.
enum Step {
    Leaf,
    /// The conjunction (or disjunction) of these.
    Many(bool, Vec<(ltl::FormulaId, bool)>),
    /// Whether both are equal, or (with `false`) whether they differ.
    Iff(bool, ltl::FormulaId, ltl::FormulaId),
    Unary(ltl::Unary, (ltl::FormulaId, bool)),
    Binary(ltl::Binary, (ltl::FormulaId, bool), (ltl::FormulaId, bool)),
}

/// What a subformula is under a polarity. Nested conjunctions are taken apart at once: building
/// them one by one would take quadratic time.
fn step(formulas: &ltl::Formulas, f: ltl::FormulaId, p: bool) -> Step {
    use ltl::{Binary, Node, Unary};
    match formulas.node(f) {
        Node::Const(_) | Node::Atom(_) => Step::Leaf,
        Node::Unary(Unary::Not, g) => Step::Unary(Unary::Not, (g, !p)),
        Node::Unary(Unary::Next, g) => Step::Unary(Unary::Next, (g, p)),
        Node::Unary(Unary::Finally, g) => {
            Step::Unary(if p { Unary::Finally } else { Unary::Globally }, (g, p))
        }
        Node::Unary(Unary::Globally, g) => {
            Step::Unary(if p { Unary::Globally } else { Unary::Finally }, (g, p))
        }
        Node::Binary(Binary::And | Binary::Or | Binary::Implies, ..) => {
            let and = (matches!(formulas.node(f), Node::Binary(Binary::And, ..))) == p;
            let mut leaves = Vec::new();
            let mut todo = vec![(f, p)];
            while let Some((g, q)) = todo.pop() {
                match formulas.node(g) {
                    Node::Unary(Unary::Not, h) => todo.push((h, !q)),
                    Node::Binary(Binary::And, h, k) if and == q => todo.extend([(k, q), (h, q)]),
                    Node::Binary(Binary::Or, h, k) if and != q => todo.extend([(k, q), (h, q)]),
                    Node::Binary(Binary::Implies, h, k) if and != q => {
                        todo.extend([(k, q), (h, !q)]);
                    }
                    _ => leaves.push((g, q)),
                }
            }
            Step::Many(and, leaves)
        }
        Node::Binary(Binary::Iff, g, h) => Step::Iff(p, g, h),
        Node::Binary(Binary::Xor, g, h) => Step::Iff(!p, g, h),
        Node::Binary(op, g, h) => {
            let dual = match op {
                Binary::Until => Binary::Release,
                Binary::Release => Binary::Until,
                Binary::WeakUntil => Binary::StrongRelease,
                _ => Binary::WeakUntil,
            };
            Step::Binary(if p { op } else { dual }, (g, p), (h, p))
        }
    }
}
