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
//! r(G f) = r(f) & Next[G f]
//! r(f U g) = r(g) | r(f) & A[g] & Next[f U g]
//! r(f W g) = r(g) | r(f) & Next[f W g]
//! r(f R g) = r(g) & (r(f) | Next[f R g])
//! r(f M g) = r(g) & (r(f) | A[f] & Next[f M g])
//! ```
//!
//! `Next` and `A` occur positively only. So for each letter what is left is a monotone function
//! of them, and its prime implicants are the choices: the conjunction of what `Next` names is the
//! state after the step, and the step carries the marks of all promises that it does not make.
//! Formulas with equal unfoldings are one state.
//!
//! A long disjunction is not unfolded as a whole, for its diagram would tell apart all sets of
//! its members that a letter allows: the state has the steps of each member.

use bdd::Bdd;
use rustc_hash::FxHashMap;

use super::TranslateError;
use super::graph::{Edge, Graph};
use super::nnf::{Ctx, Id, Node};
use crate::tgba::{MAX_MARKS, all_marks};

/// What a variable above the atoms stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Symbol {
    Next(Id),
    Promise(u32),
}

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
    unfolded: FxHashMap<Id, Bdd>,
    symbols: Vec<Symbol>,
    variables: FxHashMap<Symbol, u32>,
    /// The mark of each promised formula.
    marks: FxHashMap<Id, u32>,
}

/// A choice of a step: what is to hold next, and the promises made, as a set of marks.
type Choice = (Vec<Id>, u32);

/// The automaton of a formula.
pub(super) fn translate(ctx: &mut Ctx, root: Id) -> Result<Graph, TranslateError> {
    let mut translation = Translation {
        ctx,
        unfolded: FxHashMap::default(),
        symbols: Vec::new(),
        variables: FxHashMap::default(),
        marks: FxHashMap::default(),
    };
    // formulas[s]: what state s accepts.
    let mut formulas = vec![root];
    let mut states: FxHashMap<Key, u32> = FxHashMap::default();
    states.insert(translation.key(root)?, 0);
    let mut out: Vec<Vec<Edge>> = Vec::new();
    let mut edges = 0;
    while let Some(&formula) = formulas.get(out.len()) {
        let mut choices: Vec<(Bdd, Choice)> = Vec::new();
        for part in translation.parts(formula) {
            let unfolded = translation.unfold(part)?;
            for (label, rest) in translation.letters(unfolded)? {
                choices.extend(translation.choices(rest)?.into_iter().map(|c| (label, c)));
            }
        }
        let mut steps: Vec<(u32, u32, Bdd)> = Vec::new();
        let mut by_end: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for (label, (next, promises)) in choices {
            let to = translation.ctx.plain_and(&next)?;
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
            let index = *by_end.entry((to_state, promises)).or_insert_with(|| {
                steps.push((to_state, promises, Bdd::FALSE));
                steps.len() - 1
            });
            steps[index].2 = translation.ctx.bdd.or(steps[index].2, label)?;
        }
        edges += steps.len();
        translation.ctx.limits.edges(edges)?;
        out.push(
            steps
                .into_iter()
                .map(|(to, promises, label)| Edge { label, to, marks: promises })
                .collect(),
        );
    }
    let marks = translation.marks.len() as u32;
    // So far edges hold promises: the marks are the promises not made.
    for edge in out.iter_mut().flatten() {
        edge.marks = all_marks(marks) & !edge.marks;
    }
    Ok(Graph { initial: 0, out, marks })
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
            if !matches!(node, Node::Next(_)) {
                super::nnf::for_operands(&node, |g| {
                    if !self.unfolded.contains_key(&g) {
                        todo.push(g);
                    }
                });
            }
            if todo.len() > before {
                continue;
            }
            let result = self.unfold_one(f, &node)?;
            if self.symbols.len() > MAX_SUPPORT && self.ctx.bdd.support(result).len() > MAX_SUPPORT
            {
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
                self.ctx.bdd.and(self.unfolded[&g], again)?
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

    fn symbol(&mut self, symbol: Symbol) -> Result<Bdd, TranslateError> {
        let (symbols, atoms) = (&mut self.symbols, self.ctx.atoms);
        let variable = *self.variables.entry(symbol).or_insert_with(|| {
            symbols.push(symbol);
            atoms + symbols.len() as u32 - 1
        });
        Ok(self.ctx.bdd.var(variable)?)
    }

    /// Next[f]; a conjunction is split, so that its parts are seen.
    fn next(&mut self, f: Id) -> Result<Bdd, TranslateError> {
        match self.ctx.node(f).clone() {
            Node::And(fs) => {
                let mut all = Bdd::TRUE;
                for &g in fs.iter() {
                    let part = self.symbol(Symbol::Next(g))?;
                    all = self.ctx.bdd.and(all, part)?;
                }
                Ok(all)
            }
            Node::Bool(b) if b.is_const() => Ok(b),
            _ => self.symbol(Symbol::Next(f)),
        }
    }

    /// A[g] & Next[f].
    fn promise(&mut self, g: Id, f: Id) -> Result<Bdd, TranslateError> {
        let fresh = self.marks.len() as u32;
        let mark = *self.marks.entry(g).or_insert(fresh);
        if mark >= MAX_MARKS {
            return Err(TranslateError::Marks { limit: MAX_MARKS });
        }
        let promise = self.symbol(Symbol::Promise(mark))?;
        let next = self.next(f)?;
        Ok(self.ctx.bdd.and(promise, next)?)
    }

    /// The different functions that are left of an unfolding when the letter is known, each with
    /// its letters. Atoms stand above all other variables.
    fn letters(&mut self, unfolded: Bdd) -> Result<Vec<(Bdd, Bdd)>, TranslateError> {
        let mut found: Vec<(Bdd, Bdd)> = Vec::new();
        let mut index: FxHashMap<Bdd, usize> = FxHashMap::default();
        // Nodes are visited from the top of the diagram, each once, with the letters that lead
        // there; a sorted map keeps the order of levels.
        let mut todo = std::collections::BTreeMap::new();
        let at = |ctx: &Ctx, f: Bdd| match ctx.bdd.node(f) {
            Some((var, _, _)) if var < ctx.atoms => var,
            _ => u32::MAX,
        };
        todo.insert((at(self.ctx, unfolded), unfolded.id()), (unfolded, Bdd::TRUE));
        while let Some(((var, _), (f, label))) = todo.pop_first() {
            let Some((_, low, high)) = self.ctx.bdd.node(f).filter(|_| var != u32::MAX) else {
                if !f.is_false() {
                    let i = *index.entry(f).or_insert_with(|| {
                        found.push((Bdd::FALSE, f));
                        found.len() - 1
                    });
                    found[i].0 = self.ctx.bdd.or(found[i].0, label)?;
                }
                continue;
            };
            let atom = self.ctx.bdd.var(var)?;
            for (branch, literal) in [(low, atom.not()), (high, atom)] {
                let part = self.ctx.bdd.and(label, literal)?;
                let key = (at(self.ctx, branch), branch.id());
                let entry = todo.entry(key).or_insert((branch, Bdd::FALSE));
                entry.1 = self.ctx.bdd.or(entry.1, part)?;
            }
        }
        Ok(found)
    }

    /// The prime implicants of a monotone function of `Next` and `A`.
    fn choices(&mut self, function: Bdd) -> Result<Vec<Choice>, TranslateError> {
        let primes = monotone_primes(self.ctx, function)?;
        let mut choices = Vec::with_capacity(primes.len());
        for prime in primes {
            let (mut next, mut promises) = (Vec::new(), 0);
            for variable in prime {
                match self.symbols[(variable - self.ctx.atoms) as usize] {
                    Symbol::Next(f) => next.push(f),
                    Symbol::Promise(mark) => promises |= 1 << mark,
                }
            }
            choices.push((next, promises));
        }
        Ok(choices)
    }
}

/// The prime implicants of a monotone function, as sorted sets of variables. Of a monotone
/// function they are all essential.
fn monotone_primes(ctx: &mut Ctx, function: Bdd) -> Result<Vec<Vec<u32>>, TranslateError> {
    // Nodes below before nodes above: primes(node) = primes(low) and those of high, with the
    // node's variable added, that no prime of low contains.
    let mut nodes = vec![function];
    let mut seen: FxHashMap<Bdd, Vec<Vec<u32>>> = FxHashMap::default();
    seen.insert(Bdd::FALSE, Vec::new());
    seen.insert(Bdd::TRUE, vec![Vec::new()]);
    while let Some(&f) = nodes.last() {
        if seen.contains_key(&f) {
            nodes.pop();
            continue;
        }
        let (var, low, high) = ctx.bdd.node(f).expect("constants are known");
        let before = nodes.len();
        nodes.extend([low, high].into_iter().filter(|g| !seen.contains_key(g)));
        if nodes.len() > before {
            continue;
        }
        let mut primes = seen[&low].clone();
        for prime in &seen[&high] {
            ctx.limits.poll()?;
            if !seen[&low].iter().any(|smaller| is_subset(smaller, prime)) {
                let mut with = Vec::with_capacity(prime.len() + 1);
                with.push(var);
                with.extend_from_slice(prime);
                primes.push(with);
            }
        }
        ctx.limits.edges(primes.len())?;
        seen.insert(f, primes);
        nodes.pop();
    }
    Ok(seen.remove(&function).expect("the function was the last to be done"))
}

fn is_subset(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|a| rest.any(|b| a == b))
}
