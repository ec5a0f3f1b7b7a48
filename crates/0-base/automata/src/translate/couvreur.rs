//! From formulas to generalised Büchi automata, after Couvreur (FM 1999), in the symbolic form of
//! Duret-Lutz and Poitrenaud (MASCOTS 2004).
//!
//! A formula is unfolded one step into a condition over atoms, over `Next[f]` ("`f` holds in the
//! next step") and over `A[g]` ("`g` is promised and has not come yet"):
//!
//! ```text
//! r(p) = p                     r(X f) = Next[f]
//! r(f & g) = r(f) & r(g)       r(f | g) = r(f) | r(g)
//! r(F g) = r(g) | A[g] & Next[F g]
//! r(G f) = r(f) & Next[G f]   r(G F g) = (r(g) | A[g]) & Next[G F g]
//! r(f U g) = r(g) | r(f) & A[g] & Next[f U g]
//! r(f W g) = r(g) | r(f) & Next[f W g]
//! r(f R g) = r(g) & (r(f) | Next[f R g])
//! r(f M g) = r(g) & (r(f) | A[f] & Next[f M g])
//! ```
//!
//! `Next` and `A` occur positively only. So for each set of formulas that are to hold next, smallest sets
//! first, what is left is a condition on letters and promises, and what no smaller set allows is a step:
//! the conjunction of the set is the state after it, and it carries with a letter the marks of those
//! promises without which the letter can do. Neither letters nor sets of promises are ever listed.
//! Formulas with equal unfoldings are one state.
//!
//! A long disjunction is not unfolded as a whole, for its diagram would tell apart all sets of
//! its members that a letter allows: the state has the steps of each member.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::graph::{Edge, Graph};
use super::nnf::{Ctx, Id, Node, STRIDE};

/// Unfoldings are refused that depend on more variables: operations on diagrams recurse once for
/// each.
pub(super) const MAX_SUPPORT: usize = 1000;

/// Disjunctions with more members are not unfolded as a whole.
const MAX_DISJUNCTS: usize = 8;

/// What tells states apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Unfolded(Bdd),
    Disjunction(Id),
}

struct Translation<'a> {
    ctx: &'a mut Ctx,
    /// Formulas that follow from others that hold next are not told to hold next.
    lean: bool,
    unfolded: FxHashMap<Id, Bdd>,
    /// The variable that says that a formula holds next, and back.
    next_of: FxHashMap<Id, u32>,
    nexts: FxHashMap<u32, Id>,
    /// The variable of each promise; its position is the mark's number.
    promises: Vec<u32>,
    /// The mark of each promised formula.
    marks: FxHashMap<Id, u32>,
    /// How many other variables stand behind each atom's.
    behind: FxHashMap<u32, u32>,
}

/// A step: what is to hold next, the letters, and for each promise in the order of their marks the letters
/// that can do without. Promises that are made later are no part of it.
struct Step {
    next: Vec<Id>,
    label: Bdd,
    marks: Vec<Bdd>,
}

/// Where the automaton has more states, edges or decision nodes than that, it is made again with an eye on
/// which formulas imply each other.
const LARGE: (usize, usize, usize) = (4_000, 20_000, 1 << 19);

/// The automaton of a formula. Looking at implications can save most of a large automaton, and costs a small
/// one some states that simulation would save: so it comes second, and what fails then is tried without.
pub(super) fn translate(ctx: &mut Ctx, root: Id) -> Result<Graph, TranslateError> {
    if !ctx.rewrite {
        return build(ctx, root, false);
    }
    let limits = ctx.limits.clone();
    ctx.limits.states = limits.states.min(LARGE.0);
    ctx.limits.edges = limits.edges.min(LARGE.1);
    ctx.bdd.set_node_limit(limits.nodes.min(ctx.bdd.live_nodes() + LARGE.2));
    let first = build(ctx, root, false);
    (ctx.limits.states, ctx.limits.edges) = (limits.states, limits.edges);
    ctx.bdd.set_node_limit(limits.nodes);
    if matches!(first, Ok(_) | Err(TranslateError::Interrupted)) {
        return first;
    }
    for lean in [true, false] {
        match build(ctx, root, lean) {
            Err(TranslateError::Interrupted) => return Err(TranslateError::Interrupted),
            Err(_) if lean => {}
            made => return made,
        }
    }
    first
}

fn build(ctx: &mut Ctx, root: Id, lean: bool) -> Result<Graph, TranslateError> {
    let mut translation = Translation {
        ctx,
        lean,
        unfolded: FxHashMap::default(),
        next_of: FxHashMap::default(),
        nexts: FxHashMap::default(),
        promises: Vec::new(),
        marks: FxHashMap::default(),
        behind: FxHashMap::default(),
    };
    // formulas[s]: what state s accepts.
    let mut formulas = vec![root];
    let mut states: FxHashMap<Key, u32> = FxHashMap::default();
    states.insert(translation.key(root)?, 0);
    let mut out: Vec<Vec<Edge>> = Vec::new();
    let mut edges = 0;
    while let Some(&formula) = formulas.get(out.len()) {
        let mut found: Vec<Edge> = Vec::new();
        for part in translation.parts(formula) {
            let unfolded = translation.unfold(part)?;
            for step in translation.steps(unfolded)? {
                let to = translation.ctx.plain_and(&step.next)?;
                let key = translation.key(to)?;
                if key == Key::Unfolded(Bdd::FALSE) {
                    continue;
                }
                let fresh = states.len() as u32;
                let to_state = *states.entry(key).or_insert(fresh);
                if to_state == fresh {
                    formulas.push(to);
                    translation.ctx.limits.states(formulas.len())?;
                }
                found.push(Edge { label: step.label, to: to_state, marks: step.marks });
            }
        }
        edges += found.len();
        translation.ctx.limits.edges(edges)?;
        out.push(found);
    }
    // Marks of promises that were not known yet when an edge was made are carried by it.
    let marks = translation.promises.len();
    for edge in out.iter_mut().flatten() {
        edge.marks.resize(marks, edge.label);
    }
    let mut graph = Graph { initial: 0, out, marks: marks as u32 };
    graph.merge_edges(translation.ctx)?;
    Ok(graph)
}

impl Translation<'_> {
    /// The formulas whose steps a state has.
    fn parts(&self, f: Id) -> Vec<Id> {
        match self.ctx.node(f) {
            Node::Or(parts) if parts.len() > MAX_DISJUNCTS => parts.to_vec(),
            _ => vec![f],
        }
    }

    fn key(&mut self, f: Id) -> Result<Key, TranslateError> {
        match self.parts(f).len() {
            1 => Ok(Key::Unfolded(self.unfold(f)?)),
            _ => Ok(Key::Disjunction(f)),
        }
    }

    /// r(f), operands first.
    fn unfold(&mut self, root: Id) -> Result<Bdd, TranslateError> {
        let mut todo = vec![root];
        while let Some(&f) = todo.last() {
            if self.unfolded.contains_key(&f) {
                todo.pop();
                continue;
            }
            let node = self.ctx.node(f).clone();
            let before = todo.len();
            let mut need = |g: Id| {
                if !self.unfolded.contains_key(&g) {
                    todo.push(g);
                }
            };
            match node {
                Node::Next(_) => {}
                Node::Globally(g) => match *self.ctx.node(g) {
                    Node::Finally(h) => need(h),
                    _ => need(g),
                },
                _ => super::nnf::for_operands(&node, need),
            }
            if todo.len() > before {
                continue;
            }
            let result = self.unfold_one(f, &node)?;
            let symbols = self.nexts.len() + self.promises.len();
            if symbols > MAX_SUPPORT && self.ctx.bdd.support(result).len() > MAX_SUPPORT {
                return Err(TranslateError::Symbols { limit: MAX_SUPPORT });
            }
            self.unfolded.insert(f, result);
            todo.pop();
        }
        Ok(self.unfolded[&root])
    }

    fn unfold_one(&mut self, f: Id, node: &Node) -> Result<Bdd, TranslateError> {
        Ok(match *node {
            Node::Bool(b) => b,
            Node::And(ref fs) => {
                let mut all = Bdd::TRUE;
                for g in fs.iter() {
                    all = self.ctx.bdd.and(all, self.unfolded[g])?;
                }
                all
            }
            Node::Or(ref fs) => {
                let mut any = Bdd::FALSE;
                for g in fs.iter() {
                    any = self.ctx.bdd.or(any, self.unfolded[g])?;
                }
                any
            }
            Node::Next(g) => self.next(g)?,
            Node::Finally(g) => {
                let wait = self.promise(g, f)?;
                self.ctx.bdd.or(self.unfolded[&g], wait)?
            }
            Node::Globally(g) => {
                let again = self.next(f)?;
                let now = match *self.ctx.node(g) {
                    // What is put off need not be said to hold next: `f` says it.
                    Node::Finally(h) => {
                        let wait = self.promised(h, f)?;
                        self.ctx.bdd.or(self.unfolded[&h], wait)?
                    }
                    _ => self.unfolded[&g],
                };
                self.ctx.bdd.and(now, again)?
            }
            Node::Until(g, h) => {
                let wait = self.promise(h, f)?;
                let wait = self.ctx.bdd.and(self.unfolded[&g], wait)?;
                self.ctx.bdd.or(self.unfolded[&h], wait)?
            }
            Node::Weak(g, h) => {
                let wait = self.next(f)?;
                let wait = self.ctx.bdd.and(self.unfolded[&g], wait)?;
                self.ctx.bdd.or(self.unfolded[&h], wait)?
            }
            Node::Release(g, h) => {
                let again = self.next(f)?;
                let again = self.ctx.bdd.or(self.unfolded[&g], again)?;
                self.ctx.bdd.and(self.unfolded[&h], again)?
            }
            Node::Strong(g, h) => {
                let wait = self.promise(g, f)?;
                let wait = self.ctx.bdd.or(self.unfolded[&g], wait)?;
                self.ctx.bdd.and(self.unfolded[&h], wait)?
            }
        })
    }

    /// A new variable behind an atom's: what belongs together stands together, so that the diagrams of long
    /// conjunctions and disjunctions are small.
    fn fresh(&mut self, atom: u32) -> Result<u32, TranslateError> {
        let count = self.behind.entry(atom).or_insert(0);
        *count += 1;
        match *count < STRIDE {
            true => Ok(atom + *count),
            false => Err(TranslateError::Symbols { limit: STRIDE as usize }),
        }
    }

    /// The variable of the first, or of the last, atom on which a formula's first letter depends.
    fn place(&self, f: Id, last: bool) -> Option<u32> {
        let support = self.ctx.bdd.support(*self.unfolded.get(&f)?);
        let mut atoms = support.into_iter().filter(|v| v % STRIDE == 0);
        if last { atoms.next_back() } else { atoms.next() }
    }

    /// The variable that says that a formula holds next.
    fn symbol(&mut self, f: Id) -> Result<Bdd, TranslateError> {
        let variable = match self.next_of.get(&f) {
            Some(&variable) => variable,
            None => {
                let operand = match *self.ctx.node(f) {
                    Node::Bool(b) => {
                        self.unfolded.insert(f, b);
                        f
                    }
                    Node::Finally(g) | Node::Globally(g) | Node::Next(g) => g,
                    Node::Until(g, _) | Node::Weak(g, _) => g,
                    Node::Release(g, _) | Node::Strong(g, _) => g,
                    Node::And(ref fs) | Node::Or(ref fs) => fs[0],
                };
                let atom = self.place(operand, false).unwrap_or(0);
                let variable = self.fresh(atom)?;
                self.next_of.insert(f, variable);
                self.nexts.insert(variable, f);
                variable
            }
        };
        Ok(self.ctx.bdd.var(variable)?)
    }

    /// Next[f]; a conjunction is split, so that its parts are seen.
    fn next(&mut self, f: Id) -> Result<Bdd, TranslateError> {
        match self.ctx.node(f).clone() {
            Node::And(fs) => {
                let mut all = Bdd::TRUE;
                for &g in fs.iter() {
                    let part = self.symbol(g)?;
                    all = self.ctx.bdd.and(all, part)?;
                }
                Ok(all)
            }
            Node::Bool(b) if b.is_const() => Ok(b),
            _ => self.symbol(f),
        }
    }

    /// A[g] & Next[f].
    fn promise(&mut self, g: Id, f: Id) -> Result<Bdd, TranslateError> {
        let promise = self.promised(g, f)?;
        let next = self.next(f)?;
        Ok(self.ctx.bdd.and(promise, next)?)
    }

    /// A[g]; the formula that makes the promise says where its variable stands.
    fn promised(&mut self, g: Id, f: Id) -> Result<Bdd, TranslateError> {
        let mark = match self.marks.get(&g) {
            Some(&mark) => mark,
            None => {
                let beside = match *self.ctx.node(f) {
                    Node::Until(h, _) | Node::Strong(h, _) => h,
                    _ => g,
                };
                let atom = self.place(beside, true).or_else(|| self.place(g, true)).unwrap_or(0);
                let variable = self.fresh(atom)?;
                self.promises.push(variable);
                let mark = self.promises.len() as u32 - 1;
                self.marks.insert(g, mark);
                mark
            }
        };
        Ok(self.ctx.bdd.var(self.promises[mark as usize])?)
    }

    /// The steps of an unfolding, by what is to hold next.
    ///
    /// Invariant of the search: in an entry `(set, f, covered)`, `f` is what is left of the unfolding when
    /// the formulas of `set` hold next and others on which it was decided do not; `covered` is what smaller
    /// sets allow already. Both grow with what holds next. So where `f` allows more than `covered`, a step
    /// comes out.
    fn steps(&mut self, unfolded: Bdd) -> Result<Vec<Step>, TranslateError> {
        let mut steps = Vec::new();
        let mut todo: Vec<(Vec<u32>, Bdd, Bdd)> = vec![(Vec::new(), unfolded, Bdd::FALSE)];
        let promises: Vec<u32> = self.promises.clone();
        let made = self.ctx.bdd.cube(&promises)?;
        while let Some((set, f, covered)) = todo.pop() {
            self.ctx.limits.poll()?;
            let Some(var) = self.pivot(f)? else {
                // What else could hold next does not matter: the smallest set is the one without.
                let rest = self.ctx.bdd.support(covered);
                let rest: Vec<(u32, bool)> = rest
                    .into_iter()
                    .filter(|v| self.nexts.contains_key(v))
                    .map(|v| (v, false))
                    .collect();
                let none = self.ctx.bdd.literals(&rest)?;
                let covered = self.ctx.bdd.constrain(covered, none)?;
                let more = self.ctx.bdd.diff(f, covered)?;
                if more.is_false() {
                    continue;
                }
                let mut next: Vec<Id> = set.iter().map(|v| self.nexts[v]).collect();
                if self.lean {
                    next = self.ctx.without_implied(&next)?;
                }
                let label = self.ctx.bdd.exists(more, made)?;
                let marks = self.marks_of(f, label, &promises)?;
                steps.push(Step { next, label, marks });
                self.ctx.limits.edges(steps.len())?;
                continue;
            };
            let holds = self.ctx.bdd.var(var)?;
            let f0 = self.ctx.bdd.constrain(f, holds.not())?;
            let mut f1 = self.ctx.bdd.constrain(f, holds)?;
            let c0 = self.ctx.bdd.constrain(covered, holds.not())?;
            let mut without = self.ctx.bdd.constrain(covered, holds)?;
            without = self.ctx.bdd.or(without, f0)?;
            if self.lean {
                // What follows from the formula holds next as well.
                let implied = self.implied(f1, var)?;
                f1 = self.ctx.bdd.constrain(f1, implied)?;
                without = self.ctx.bdd.constrain(without, implied)?;
            }
            // The smaller set comes first.
            if !self.ctx.bdd.leq(f1, without)? {
                let mut with = set.clone();
                with.push(var);
                todo.push((with, f1, without));
            }
            if !self.ctx.bdd.leq(f0, c0)? {
                todo.push((set, f0, c0));
            }
        }
        Ok(steps)
    }

    /// The variable of `f` on which steps are told apart next; none if it depends on letters and promises
    /// only.
    fn pivot(&mut self, f: Bdd) -> Result<Option<u32>, TranslateError> {
        let support = self.ctx.bdd.support(f);
        let mut nexts = support.into_iter().filter(|v| self.nexts.contains_key(v));
        let Some(mut strongest) = nexts.next() else { return Ok(None) };
        if self.lean {
            for other in nexts.collect::<Vec<_>>() {
                if self.ctx.implies(self.nexts[&other], self.nexts[&strongest])? {
                    strongest = other;
                }
            }
        }
        Ok(Some(strongest))
    }

    /// The variables of `f` that say of formulas which follow from that of `var` that they hold next.
    fn implied(&mut self, f: Bdd, var: u32) -> Result<Bdd, TranslateError> {
        let mut literals = Vec::new();
        for other in self.ctx.bdd.support(f) {
            if let Some(&weaker) = self.nexts.get(&other)
                && self.ctx.implies(self.nexts[&var], weaker)?
            {
                literals.push((other, true));
            }
        }
        Ok(self.ctx.bdd.literals(&literals)?)
    }

    /// For each promise, the letters of a label that can do without it.
    fn marks_of(
        &mut self,
        f: Bdd,
        label: Bdd,
        promises: &[u32],
    ) -> Result<Vec<Bdd>, TranslateError> {
        let support = self.ctx.bdd.support(f);
        let mut marks = Vec::with_capacity(promises.len());
        for &promise in promises {
            if support.binary_search(&promise).is_err() {
                marks.push(label);
                continue;
            }
            let not = self.ctx.bdd.literals(&[(promise, false)])?;
            let rest = self.ctx.bdd.constrain(f, not)?;
            let others: Vec<u32> = promises.iter().copied().filter(|&p| p != promise).collect();
            let others = self.ctx.bdd.cube(&others)?;
            let letters = self.ctx.bdd.exists(rest, others)?;
            marks.push(self.ctx.bdd.and(letters, label)?);
        }
        Ok(marks)
    }
}
