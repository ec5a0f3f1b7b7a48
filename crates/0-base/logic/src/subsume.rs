//! Subsumption of parametric relations: a quantified formula with one alternation.
//!
//! The question of equations (5) and (8) of [sat §3]: is every value of the left relation a value of
//! some right one?
//!
//! ```text
//! ∀ξ1. γ1 ⇒ ∃ξ2. ⋁j (γj ∧ ⋀v ωj(v) = ω1(v))
//! ```
//!
//! Two incremental solvers, guided by counterexamples. Solver A proposes a ξ1 that no instance
//! covers; solver B finds a ξ2 for it, or there is none and the answer is no. What decides the speed
//! is that an instance is not one ξ2 but a function of ξ1 that covers a whole path:
//!
//! - SUB1. wherever ωj(v) is a bare input of ξ2, the equation forces it: ω1(v) takes its place, and so
//!   on until no output is bare;
//! - SUB2. inputs of ξ2 that only a few small conjuncts mention are quantified away in these;
//! - SUB3. of the inputs that remain, the one used most gets its value from B's witness, and SUB1 and SUB2
//!   are tried again, until none remains;
//! - SUB4. what is left is a formula over ξ1. Its negation goes to A. A without a proposal: yes.
//!
//! The first instance takes ξ1 for ξ2: right relations often extend the left one, as they do in the
//! unrolling of a loop.

use crate::{Aig, Cadical, Clauses, Lit, SatSolver, StopFlag, Stopped, Valuation};
use rustc_hash::FxHashMap;

/// `{outputs(ξ) | guard(ξ)}`.
#[derive(Clone, Copy, Debug)]
pub struct Relation<'a> {
    /// Which valuations of the inputs count.
    pub guard: Lit,
    /// The values.
    pub outputs: &'a [Lit],
}

/// The answer to a question of subsumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subsumed {
    /// Every value of the left relation is one of the right.
    Yes,
    /// Some value is not.
    No,
    /// The limit on refinements was reached.
    Undecided,
}

/// What deciding took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QbfStats {
    /// Questions.
    pub calls: u64,
    /// Instances added, the first ones aside.
    pub refinements: u64,
    /// Calls of both SAT solvers.
    pub sat_calls: u64,
    /// Questions left undecided.
    pub undecided: u64,
}

/// Whether every value of `left` is one of some relation in `right`, all of the same width. After
/// `limit` refinements the answer is [`Subsumed::Undecided`].
pub fn subsumed(
    aig: &Aig,
    left: Relation<'_>,
    right: &[Relation<'_>],
    limit: u64,
    stop: &StopFlag,
    stats: &mut QbfStats,
) -> Result<Subsumed, Stopped> {
    subsumed_with::<Cadical>(aig, left, right, limit, stop, stats)
}

/// [`subsumed`] by another solver.
pub fn subsumed_with<S: SatSolver>(
    aig: &Aig,
    left: Relation<'_>,
    right: &[Relation<'_>],
    limit: u64,
    stop: &StopFlag,
    stats: &mut QbfStats,
) -> Result<Subsumed, Stopped> {
    stats.calls += 1;
    if left.guard == Lit::FALSE {
        return Ok(Subsumed::Yes);
    }
    let mut question = Question::new(aig, left, right, stop)?;
    let mut a: Clauses<S> = Clauses::new(stop.clone());
    a.require(&question.aig, question.guard)?;
    for instance in std::mem::take(&mut question.instances) {
        a.require(&question.aig, !instance)?;
    }
    let parts = &question.parts;
    let phi: Vec<Lit> = parts.iter().map(|p| p.holds).collect();
    let any = phi.iter().fold(Lit::FALSE, |any, &p| question.aig.or(any, p));
    let shared: Vec<Lit> = question
        .aig
        .support([any])
        .into_iter()
        .filter(|i| question.is_left[i.node() as usize])
        .collect();
    let mut b: Clauses<S> = Clauses::new(stop.clone());
    for round in 0.. {
        if stop() {
            return Err(Stopped);
        }
        stats.sat_calls += 1;
        if !a.solve(&question.aig, &[])? {
            return Ok(Subsumed::Yes);
        }
        if any == Lit::FALSE {
            return Ok(Subsumed::No);
        }
        if round >= limit {
            stats.undecided += 1;
            return Ok(Subsumed::Undecided);
        }
        let mut fixed: Vec<Lit> = shared.iter().map(|&i| i.xor_sign(!a.value(i))).collect();
        fixed.push(any);
        stats.sat_calls += 1;
        if !b.solve(&question.aig, &fixed)? {
            return Ok(Subsumed::No);
        }
        let mut witness = Valuation::new();
        for input in question.aig.support([any]) {
            witness.set(input, b.value(input));
        }
        stats.refinements += 1;
        let instance = question.instance(&mut witness)?;
        debug_assert!(witness.get(&question.aig, instance), "an instance covers its example");
        a.require(&question.aig, !instance)?;
    }
    unreachable!("a range without end")
}

/// One right relation, as far as SUB1 and SUB2 have solved it.
#[derive(Clone, Debug)]
struct Part {
    /// The guard, taken apart, and equations that are no use for SUB1 any more.
    conjuncts: Vec<Lit>,
    /// Right and left side: `ωj(v) = ω1(v)`.
    equations: Vec<(Lit, Lit)>,
    /// All conjuncts and equations.
    holds: Lit,
}

/// Inputs that SUB2 quantifies together, and conjunctions in which it does.
const QUANTIFIED: usize = 6;
const QUANTIFIED_SIZE: usize = 500;
/// Parts of more conjunctions are left alone by SUB2 in refinements.
const LARGE: usize = 4_000;

/// The question, in a graph of its own: what refinements leave behind is dropped with it.
struct Question {
    aig: Aig,
    guard: Lit,
    parts: Vec<Part>,
    /// Formulas over ξ1 that the right side is known to cover.
    instances: Vec<Lit>,
    /// For each node: it is an input of ξ1. Inputs made last are of ξ2.
    is_left: Vec<bool>,
    stop: StopFlag,
}

impl Question {
    fn new(
        from: &Aig,
        left: Relation<'_>,
        right: &[Relation<'_>],
        stop: &StopFlag,
    ) -> Result<Question, Stopped> {
        let mut aig = Aig::new();
        let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
        let mut roots: Vec<Lit> = left.outputs.to_vec();
        roots.push(left.guard);
        let mut omega =
            aig.import(from, &roots, |aig, input| *map.entry(input).or_insert_with(|| aig.input()));
        let guard = omega.pop().expect("the guard comes last");
        let mut is_left = vec![false; aig.len()];
        for input in map.values() {
            is_left[input.node() as usize] = true;
        }
        let (parts, instances, stop) = (Vec::new(), Vec::new(), stop.clone());
        let mut question = Question { aig, guard, parts, instances, is_left, stop };
        for relation in right {
            assert_eq!(relation.outputs.len(), left.outputs.len(), "relations of one width");
            let mut roots: Vec<Lit> = relation.outputs.to_vec();
            roots.push(relation.guard);
            let aig = &mut question.aig;
            // ξ1 in place of ξ2; inputs that only the right side has are false.
            let same = aig.import(from, &roots, |_, i| map.get(&i).copied().unwrap_or(Lit::FALSE));
            let equal = aig.equal(&same[..omega.len()], &omega);
            let first = aig.and(same[omega.len()], equal);
            question.instances.push(first);
            let mut own = aig.import(from, &roots, |aig, _| aig.input());
            let guard = own.pop().expect("the guard comes last");
            question.is_left.resize(question.aig.len(), false);
            let equations = own.into_iter().zip(omega.iter().copied()).collect();
            let mut part = Part { conjuncts: vec![guard], equations, holds: Lit::FALSE };
            question.solve_bare(&mut part)?;
            question.quantify(&mut part)?;
            part.holds = question.holds(&part);
            if question.unbound(&part).0.is_empty() {
                question.instances.push(part.holds);
            } else {
                question.parts.push(part);
            }
        }
        Ok(question)
    }

    /// Whether to go on: asked before each pass over a part.
    fn go_on(&self) -> Result<(), Stopped> {
        if (self.stop)() { Err(Stopped) } else { Ok(()) }
    }

    fn is_unbound(&self, lit: Lit) -> bool {
        self.aig.is_input(lit) && !self.is_left.get(lit.node() as usize).copied().unwrap_or(false)
    }

    /// Rule SUB1.
    fn solve_bare(&mut self, part: &mut Part) -> Result<(), Stopped> {
        loop {
            self.go_on()?;
            let mut map: FxHashMap<Lit, Lit> = FxHashMap::default();
            for &(r, l) in &part.equations {
                if self.is_unbound(r) {
                    let plain = Lit::of_node(r.node());
                    map.entry(plain).or_insert(l.xor_sign(r.is_complement()));
                }
            }
            if map.is_empty() {
                return Ok(());
            }
            self.substitute(part, &map);
        }
    }

    fn substitute(&mut self, part: &mut Part, map: &FxHashMap<Lit, Lit>) {
        let mut roots: Vec<Lit> = part.equations.iter().map(|e| e.0).collect();
        roots.extend(&part.conjuncts);
        let mut roots = self.aig.substitute(&roots, map);
        part.conjuncts = roots.split_off(part.equations.len());
        for (equation, r) in part.equations.iter_mut().zip(roots) {
            equation.0 = r;
        }
        part.equations.retain(|&(r, l)| r != l);
    }

    /// Rule SUB2: conjuncts that share inputs of ξ2 belong together; a group with few inputs is
    /// replaced by what it says of ξ1.
    fn quantify(&mut self, part: &mut Part) -> Result<(), Stopped> {
        // The guard is a conjunction: the finer it is taken apart, the smaller the groups.
        let mut conjuncts: Vec<Lit> = Vec::new();
        let mut stack = std::mem::take(&mut part.conjuncts);
        while let Some(lit) = stack.pop() {
            match self.aig.children(lit.node()) {
                Some((a, b)) if !lit.is_complement() && conjuncts.len() + stack.len() < 256 => {
                    stack.extend([a, b]);
                }
                _ if lit == Lit::TRUE => {}
                _ => conjuncts.push(lit),
            }
        }
        conjuncts.sort_unstable();
        conjuncts.dedup();
        let formulas: Vec<(Option<(Lit, Lit)>, Lit)> = conjuncts
            .into_iter()
            .map(|c| (None, c))
            .chain(std::mem::take(&mut part.equations).into_iter().map(|e| (Some(e), e.0)))
            .collect();
        let mut inputs: Vec<Vec<Lit>> = Vec::new();
        for &(_, formula) in &formulas {
            self.go_on()?;
            let support = self.aig.support([formula]);
            inputs.push(support.into_iter().filter(|&i| self.is_unbound(i)).collect());
        }
        // Groups, by union of those that share an input.
        let mut group: Vec<usize> = (0..formulas.len()).collect();
        let root = |group: &mut Vec<usize>, mut i: usize| {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        };
        let mut owner: FxHashMap<Lit, usize> = FxHashMap::default();
        for (i, inputs) in inputs.iter().enumerate() {
            for &input in inputs {
                let other = *owner.entry(input).or_insert(i);
                let (x, y) = (root(&mut group, i), root(&mut group, other));
                group[x.max(y)] = x.min(y);
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); formulas.len()];
        for i in 0..formulas.len() {
            members[root(&mut group, i)].push(i);
        }
        for members in members.into_iter().filter(|m| !m.is_empty()) {
            self.go_on()?;
            let mut unbound: Vec<Lit> = members.iter().flat_map(|&i| &inputs[i]).copied().collect();
            unbound.sort_unstable();
            unbound.dedup();
            let roots = members.iter().map(|&i| formulas[i].1);
            let small = unbound.len() <= QUANTIFIED && self.aig.size(roots) <= QUANTIFIED_SIZE;
            if unbound.is_empty() || !small {
                for i in members {
                    match formulas[i] {
                        (Some(equation), _) => part.equations.push(equation),
                        (None, conjunct) => part.conjuncts.push(conjunct),
                    }
                }
                continue;
            }
            let mut all = Lit::TRUE;
            for i in members {
                let holds = match formulas[i] {
                    (Some((r, l)), _) => self.aig.iff(r, l),
                    (None, conjunct) => conjunct,
                };
                all = self.aig.and(all, holds);
            }
            for input in unbound {
                let (hi, lo) = (self.aig.cofactor(all, input), self.aig.cofactor(all, !input));
                all = self.aig.or(hi, lo);
            }
            part.conjuncts.push(all);
        }
        Ok(())
    }

    fn holds(&mut self, part: &Part) -> Lit {
        let mut all = self.aig.and_all(part.conjuncts.iter().copied());
        for &(r, l) in &part.equations {
            let same = self.aig.iff(r, l);
            all = self.aig.and(all, same);
        }
        all
    }

    /// The inputs of ξ2 that the part still depends on, with how often each is used, and the size
    /// of the part.
    fn unbound(&self, part: &Part) -> (FxHashMap<Lit, usize>, usize) {
        let roots = part.equations.iter().map(|e| e.0).chain(part.conjuncts.iter().copied());
        let mut uses: FxHashMap<Lit, usize> = FxHashMap::default();
        let mut count = |lit: Lit| {
            if self.is_unbound(lit) {
                *uses.entry(Lit::of_node(lit.node())).or_default() += 1;
            }
        };
        roots.clone().for_each(&mut count);
        let cone = self.aig.cone(roots);
        for &node in &cone {
            if let Some((a, b)) = self.aig.children(node) {
                count(a);
                count(b);
            }
        }
        (uses, cone.len())
    }

    /// Rules SUB3 and SUB4: a formula over ξ1 that the witness satisfies.
    fn instance(&mut self, witness: &mut Valuation) -> Result<Lit, Stopped> {
        let part = (0..self.parts.len()).find(|&i| witness.get(&self.aig, self.parts[i].holds));
        let mut part = self.parts[part.expect("the witness satisfies some part")].clone();
        loop {
            let (uses, size) = self.unbound(&part);
            // Most uses first; among equals, the oldest.
            let most = uses.iter().max_by_key(|&(input, uses)| (*uses, std::cmp::Reverse(*input)));
            let Some((&input, _)) = most else { return Ok(self.holds(&part)) };
            let value = Lit::constant(witness.get(&self.aig, input));
            self.substitute(&mut part, &FxHashMap::from_iter([(input, value)]));
            self.solve_bare(&mut part)?;
            if size <= LARGE {
                self.quantify(&mut part)?;
            }
        }
    }
}
