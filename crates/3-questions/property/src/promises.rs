//! A formula as promises, one hidden boolean each: what an automaton that is too large to be listed would do.
//!
//! Of a formula in negation normal form, what has to hold from the next step on is a set of temporal subformulas. An
//! automaton has such sets as states; here they are valuations of booleans, and a step is a constraint on those before
//! and after it, linear in the formula. Diagrams are made for that. (The alternating automaton, read as the tableau of
//! Clarke, Grumberg and Hamaguchi, CAV 1994, with implications instead of equivalences.)
//!
//! - PM1. A promise that is made is true of what follows: at every step `promise → now`, where `a U b` now is
//!   `b ∨ (a ∧ the same promise next)`, `a R b` is `b ∧ (a ∨ the same promise next)`, and `X a` promises `a`.
//! - PM2. In the beginning the formula is promised.
//! - PM3. Again and again `a U b` is not promised, or `b` is true now.
//! - PM4. `G F a` is promised for ever, and `a` is true again and again.
//!
//! More may be promised than has to be, which accepts no other words: promises are kept.

use automata::ltl::{AtomId, Binary, FormulaId, Formulas, Node, Unary};
use ir::{ExprId, Exprs, VarId};
use rustc_hash::FxHashMap;

/// A node of the formula in negation normal form; operands have smaller numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    Const(bool),
    Literal(AtomId, bool),
    And(u32, u32),
    Or(u32, u32),
    Next(u32),
    Until(u32, u32),
    Release(u32, u32),
    /// Again and again.
    Again(u32),
}

/// What is known from the form alone (Etessami and Holzmann, CONCUR 2000).
#[derive(Clone, Copy)]
struct Form {
    /// If it holds, it held at all times before.
    eventual: bool,
    /// If it holds, it holds at all times after.
    universal: bool,
}

/// A formula in negation normal form, each subformula once.
#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    forms: Vec<Form>,
    ids: FxHashMap<Part, u32>,
}

const FALSE: u32 = 0;
const TRUE: u32 = 1;

impl Parts {
    fn new() -> Parts {
        let mut parts = Parts::default();
        parts.add(Part::Const(false));
        parts.add(Part::Const(true));
        parts
    }

    fn add(&mut self, part: Part) -> u32 {
        let next = self.list.len() as u32;
        let id = *self.ids.entry(part).or_insert(next);
        if id == next {
            let e = |f: u32| self.forms[f as usize].eventual;
            let u = |f: u32| self.forms[f as usize].universal;
            let (eventual, universal) = match part {
                Part::Const(_) | Part::Again(_) => (true, true),
                Part::Literal(..) => (false, false),
                Part::And(f, g) | Part::Or(f, g) => (e(f) && e(g), u(f) && u(g)),
                Part::Next(f) => (e(f), u(f)),
                Part::Until(f, g) => (f == TRUE || e(g), u(f) && u(g)),
                Part::Release(f, g) => (e(f) && e(g), f == FALSE || u(g)),
            };
            self.list.push(part);
            self.forms.push(Form { eventual, universal });
        }
        id
    }

    fn constant(&self, value: bool) -> u32 {
        if value { TRUE } else { FALSE }
    }

    fn and(&mut self, f: u32, g: u32) -> u32 {
        match (f, g) {
            (FALSE, _) | (_, FALSE) => FALSE,
            (TRUE, h) | (h, TRUE) => h,
            _ if f == g => f,
            _ => self.add(Part::And(f.min(g), f.max(g))),
        }
    }

    fn or(&mut self, f: u32, g: u32) -> u32 {
        match (f, g) {
            (TRUE, _) | (_, TRUE) => TRUE,
            (FALSE, h) | (h, FALSE) => h,
            _ if f == g => f,
            _ => self.add(Part::Or(f.min(g), f.max(g))),
        }
    }

    fn next(&mut self, f: u32) -> u32 {
        match self.forms[f as usize] {
            Form { eventual: true, universal: true } => f,
            _ => self.add(Part::Next(f)),
        }
    }

    fn until(&mut self, f: u32, g: u32) -> u32 {
        match f == FALSE || self.forms[g as usize].eventual {
            true => g,
            false => self.add(Part::Until(f, g)),
        }
    }

    fn release(&mut self, f: u32, g: u32) -> u32 {
        if f == TRUE || self.forms[g as usize].universal {
            return g;
        }
        match self.list[g as usize] {
            Part::Until(TRUE, h) if f == FALSE => self.add(Part::Again(h)),
            _ => self.add(Part::Release(f, g)),
        }
    }

    /// A formula and its negation.
    fn import(&mut self, formulas: &Formulas, root: FormulaId) -> (u32, u32) {
        let mut map: FxHashMap<FormulaId, (u32, u32)> = FxHashMap::default();
        for f in formulas.subformulas(root) {
            let both = match formulas.node(f) {
                Node::Const(value) => (self.constant(value), self.constant(!value)),
                Node::Atom(atom) => {
                    (self.add(Part::Literal(atom, true)), self.add(Part::Literal(atom, false)))
                }
                Node::Unary(op, g) => {
                    let (yes, no) = map[&g];
                    match op {
                        Unary::Not => (no, yes),
                        Unary::Next => (self.next(yes), self.next(no)),
                        Unary::Finally => (self.until(TRUE, yes), self.release(FALSE, no)),
                        Unary::Globally => (self.release(FALSE, yes), self.until(TRUE, no)),
                    }
                }
                Node::Binary(op, g, h) => self.binary(op, map[&g], map[&h]),
                // Formulas have no other kind of node; a new one must be added here.
                other => unreachable!("{other:?} has no meaning"),
            };
            map.insert(f, both);
        }
        map[&root]
    }

    fn binary(&mut self, op: Binary, (g, not_g): (u32, u32), (h, not_h): (u32, u32)) -> (u32, u32) {
        match op {
            Binary::And => (self.and(g, h), self.or(not_g, not_h)),
            Binary::Or => (self.or(g, h), self.and(not_g, not_h)),
            Binary::Implies => (self.or(not_g, h), self.and(g, not_h)),
            Binary::Iff | Binary::Xor => {
                let (both, none) = (self.and(g, h), self.and(not_g, not_h));
                let (one, other) = (self.and(g, not_h), self.and(not_g, h));
                let (same, different) = (self.or(both, none), self.or(one, other));
                if op == Binary::Iff { (same, different) } else { (different, same) }
            }
            Binary::Until => (self.until(g, h), self.release(not_g, not_h)),
            Binary::Release => (self.release(g, h), self.until(not_g, not_h)),
            Binary::WeakUntil => {
                let (any, none) = (self.or(g, h), self.and(not_g, not_h));
                (self.release(h, any), self.until(not_h, none))
            }
            Binary::StrongRelease => {
                let (both, either) = (self.and(g, h), self.or(not_g, not_h));
                (self.until(h, both), self.release(not_h, either))
            }
        }
    }
}

/// The promises that a formula is made of.
pub(crate) struct Promises {
    /// Its atoms, in ascending order.
    atoms: Vec<AtomId>,
    parts: Vec<Part>,
    root: u32,
    /// Which parts can be promised, in ascending order: each is a hidden boolean.
    kept: Vec<u32>,
}

/// What a step does with promises, where it is known what the atoms are.
pub(crate) struct Keeping {
    /// PM1, over the promises before and after.
    pub(crate) constraint: ExprId,
    /// PM3, PM4: when each mark is carried.
    pub(crate) came: Vec<ExprId>,
}

impl Promises {
    /// Those of a formula.
    pub(crate) fn new(formulas: &Formulas, root_formula: FormulaId) -> Promises {
        let mut parts = Parts::new();
        let (root, _) = parts.import(formulas, root_formula);
        let parts = parts.list;
        let mut kept = vec![false; parts.len()];
        let mut now = vec![false; parts.len()];
        let mut work = vec![(root, true)];
        while let Some((f, later)) = work.pop() {
            let part = parts[f as usize];
            match part {
                Part::And(g, h) | Part::Or(g, h) if later => {
                    work.extend([(g, true), (h, true)]);
                    continue;
                }
                Part::Const(_) => continue,
                _ => {}
            }
            if later {
                if !std::mem::replace(&mut kept[f as usize], true) {
                    work.push((f, false));
                }
                continue;
            }
            if std::mem::replace(&mut now[f as usize], true) {
                continue;
            }
            match part {
                Part::And(g, h) | Part::Or(g, h) => work.extend([(g, false), (h, false)]),
                Part::Next(g) => work.push((g, true)),
                Part::Until(g, h) | Part::Release(g, h) => {
                    work.extend([(g, false), (h, false), (f, true)]);
                }
                Part::Again(g) => work.extend([(g, false), (f, true)]),
                Part::Const(_) | Part::Literal(..) => {}
            }
        }
        let kept = (0..parts.len() as u32).filter(|&f| kept[f as usize]).collect();
        Promises { atoms: formulas.atoms_of(root_formula), parts, root, kept }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// How many marks there are.
    pub(crate) fn marks(&self) -> u32 {
        self.awaited().count() as u32
    }

    fn awaited(&self) -> impl Iterator<Item = u32> {
        let is_awaited =
            |&f: &u32| matches!(self.parts[f as usize], Part::Until(..) | Part::Again(_));
        self.kept.iter().copied().filter(is_awaited)
    }

    fn variable(&self, vars: &[VarId], f: u32) -> VarId {
        vars[self.kept.binary_search(&f).expect("what is promised has a variable")]
    }

    /// That parts are promised: for each part, an expression over their variables.
    fn promised(&self, exprs: &mut Exprs, read: &dyn Fn(&mut Exprs, u32) -> ExprId) -> Vec<ExprId> {
        let mut out: Vec<ExprId> = Vec::with_capacity(self.parts.len());
        for (f, &part) in self.parts.iter().enumerate() {
            let f = f as u32;
            let expr = match part {
                Part::Const(value) => {
                    if value {
                        Exprs::TRUE
                    } else {
                        Exprs::FALSE
                    }
                }
                Part::And(g, h) => exprs.and(out[g as usize], out[h as usize]),
                Part::Or(g, h) => exprs.or(out[g as usize], out[h as usize]),
                _ if self.kept.binary_search(&f).is_ok() => read(exprs, f),
                // Nobody asks.
                _ => Exprs::FALSE,
            };
            out.push(expr);
        }
        out
    }

    /// PM2: the formula is promised, and nothing that it does not speak of.
    pub(crate) fn initial(&self, exprs: &mut Exprs, vars: &[VarId]) -> ExprId {
        let read = |exprs: &mut Exprs, f: u32| exprs.pre(self.variable(vars, f));
        let mut out = self.promised(exprs, &read)[self.root as usize];
        let mut spoken = vec![false; self.parts.len()];
        let mut work = vec![self.root];
        while let Some(f) = work.pop() {
            if std::mem::replace(&mut spoken[f as usize], true) {
                continue;
            }
            if let Part::And(g, h) | Part::Or(g, h) = self.parts[f as usize] {
                work.extend([g, h]);
            }
        }
        for (&f, &var) in self.kept.iter().zip(vars) {
            if !spoken[f as usize] {
                let read = exprs.pre(var);
                let not = exprs.not(read);
                out = exprs.and(out, not);
            }
        }
        out
    }

    /// What a step does where the atoms are the given conditions.
    pub(crate) fn keep(&self, exprs: &mut Exprs, vars: &[VarId], letter: &[ExprId]) -> Keeping {
        let atom = |id| letter[self.atoms.binary_search(&id).expect("an atom of the formula")];
        let read = |exprs: &mut Exprs, f: u32| exprs.post(self.variable(vars, f));
        let later = self.promised(exprs, &read);
        let mut now: Vec<ExprId> = Vec::with_capacity(self.parts.len());
        for (f, &part) in self.parts.iter().enumerate() {
            let is = |g: u32| now[g as usize];
            let next = later[f];
            let expr = match part {
                Part::Const(value) => {
                    if value {
                        Exprs::TRUE
                    } else {
                        Exprs::FALSE
                    }
                }
                Part::Literal(id, true) => atom(id),
                Part::Literal(id, false) => exprs.not(atom(id)),
                Part::And(g, h) => exprs.and(is(g), is(h)),
                Part::Or(g, h) => exprs.or(is(g), is(h)),
                Part::Next(g) => later[g as usize],
                Part::Until(g, h) => {
                    let on = exprs.and(is(g), next);
                    exprs.or(is(h), on)
                }
                Part::Release(g, h) => {
                    let on = exprs.or(is(g), next);
                    exprs.and(is(h), on)
                }
                Part::Again(_) => next,
            };
            now.push(expr);
        }
        let mut constraint = Exprs::TRUE;
        for (&f, &var) in self.kept.iter().zip(vars) {
            let promised = exprs.pre(var);
            let not = exprs.not(promised);
            let kept = exprs.or(not, now[f as usize]);
            constraint = exprs.and(kept, constraint);
        }
        let came = self
            .awaited()
            .map(|f| {
                let come = match self.parts[f as usize] {
                    Part::Until(_, h) | Part::Again(h) => now[h as usize],
                    other => unreachable!("{other:?} is not awaited"),
                };
                let promised = exprs.pre(self.variable(vars, f));
                let not = exprs.not(promised);
                exprs.or(not, come)
            })
            .collect();
        Keeping { constraint, came }
    }
}
