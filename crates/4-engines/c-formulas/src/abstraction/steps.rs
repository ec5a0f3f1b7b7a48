//! The relation of a step over predicates, by SAT: CB1, CB2, CB5.

use super::{Abstraction, Before, Cube, MAX_EXACT, MAX_NEAR, Step};
use crate::blast::Bits;
use crate::terms::Term;
use c_data::FuncId;
use check::StopReason;
use logic::{Cadical, Clauses, Lit, never};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Formulas about one step.
struct Question {
    bits: Bits,
    solver: Clauses<Cadical>,
}

impl Question {
    fn can(&mut self, lits: &[Lit]) -> bool {
        // Nothing stops this solver.
        lits.iter().all(|l| *l != Lit::FALSE)
            && self.solver.solve(&self.bits.aig, lits).unwrap_or(true)
    }
}

impl Abstraction<'_, '_> {
    fn question(&mut self) -> Step<Question> {
        self.budget.poll()?;
        Ok(Question { bits: Bits::default(), solver: Clauses::new(never()) })
    }

    fn lit(&self, q: &mut Question, t: Term) -> Lit {
        q.bits.truth(&self.x.terms, t)
    }

    /// The predicates that have to do with some terms, nearest first.
    fn near(&self, truths: &[Term], roots: &[Term]) -> Vec<usize> {
        let mut vars: BTreeSet<u32> = roots.iter().flat_map(|&t| self.vars(t)).collect();
        let all: Vec<BTreeSet<u32>> = truths.iter().map(|&t| self.vars(t)).collect();
        let mut out: Vec<usize> = Vec::new();
        loop {
            let next = (0..all.len()).filter(|i| !out.contains(i) && !all[*i].is_disjoint(&vars));
            let next: Vec<usize> = next.collect();
            if next.is_empty() || out.len() >= MAX_NEAR {
                out.truncate(MAX_NEAR);
                return out;
            }
            for &i in &next {
                vars.extend(&all[i]);
            }
            out.extend(next);
        }
    }

    /// The shortest conjunctions of predicates with which something cannot be.
    fn excluding(
        &mut self,
        q: &mut Question,
        truths: &[Term],
        near: &[usize],
        never: &[Lit],
    ) -> Step<Vec<Cube>> {
        if !q.can(never) {
            return Ok(vec![Vec::new()]);
        }
        let lits: Vec<Lit> = near.iter().map(|&i| self.lit(q, truths[i])).collect();
        let most = match near.len() {
            0..=4 => near.len(),
            5..=7 => 3,
            _ => 2,
        };
        let mut found: Vec<Cube> = Vec::new();
        let mut grown: Vec<Vec<(usize, bool)>> = vec![Vec::new()];
        for _ in 0..most {
            let mut next = Vec::new();
            for cube in &grown {
                let from = cube.last().map_or(0, |&(k, _)| k + 1);
                for k in from..near.len() {
                    for value in [true, false] {
                        let mut cube = cube.clone();
                        cube.push((k, value));
                        let covers = |f: &Cube| f.iter().all(|l| cube.contains(l));
                        if found.iter().any(covers) {
                            continue;
                        }
                        self.budget.poll()?;
                        let mut all: Vec<Lit> = never.to_vec();
                        all.extend(cube.iter().map(|&(k, value)| lits[k].xor_sign(!value)));
                        match q.can(&all) {
                            true => next.push(cube),
                            false => found.push(cube),
                        }
                    }
                }
            }
            grown = next;
        }
        Ok(found.into_iter().map(|c| c.into_iter().map(|(k, v)| (near[k], v)).collect()).collect())
    }

    fn cube_text(&self, scope: &[usize], cube: &Cube) -> String {
        let literal = |&(i, value): &(usize, bool)| match value {
            true => self.name(scope[i]),
            false => format!("!{}", self.name(scope[i])),
        };
        let all: Vec<String> = cube.iter().map(literal).collect();
        if all.is_empty() { "T".to_owned() } else { all.join(" & ") }
    }

    fn any_text(&self, scope: &[usize], cubes: &[Cube]) -> String {
        let all: Vec<String> =
            cubes.iter().map(|c| format!("({})", self.cube_text(scope, c))).collect();
        match all.len() {
            0 => "F".to_owned(),
            _ => all.join(" | "),
        }
    }

    fn condition(&mut self, conditions: &[Term]) -> Term {
        let mut all = self.x.terms.truth(true);
        for &t in conditions {
            all = self.x.terms.and(all, t);
        }
        all
    }

    /// CB2: what a predicate is after a step, over the predicates before it.
    pub(super) fn becomes(&mut self, scope: &[usize], now: &Before, after: Term) -> Step<String> {
        if let Some(i) = now.truths.iter().position(|&t| t == after) {
            return Ok(self.name(scope[i]));
        }
        let condition = self.condition(&now.path.conditions);
        let near = self.near(&now.truths, &[after, condition]);
        let mut q = self.question()?;
        let (is, when) = (self.lit(&mut q, after), self.lit(&mut q, condition));
        let yes = self.excluding(&mut q, &now.truths, &near, &[when, !is])?;
        if yes.iter().any(Vec::is_empty) {
            return Ok("T".to_owned());
        }
        let no = self.excluding(&mut q, &now.truths, &near, &[when, is])?;
        if no.iter().any(Vec::is_empty) {
            return Ok("F".to_owned());
        }
        if yes.is_empty() && no.is_empty() {
            return Ok("*".to_owned());
        }
        Ok(format!("schoose[{}, {}]", self.any_text(scope, &yes), self.any_text(scope, &no)))
    }

    /// CB1, CB2: a step, as statements.
    pub(super) fn flush(&mut self, scope: &[usize], now: Before) -> Step<()> {
        let condition = self.condition(&now.path.conditions);
        let after = self.instances(scope, &now.path)?;
        let changed: Vec<usize> = (0..scope.len()).filter(|&i| after[i] != now.truths[i]).collect();
        let roots: Vec<Term> = changed.iter().map(|&i| after[i]).chain([condition]).collect();
        let near = self.near(&now.truths, &roots);
        if changed.len() > 1 && near.len() + changed.len() <= MAX_EXACT {
            return self.exact(scope, &now, condition, (&near, &changed), &after);
        }
        if self.x.terms.value(condition) != Some(1) {
            let mut q = self.question()?;
            let when = self.lit(&mut q, condition);
            let near = self.near(&now.truths, &[condition]);
            let never = self.excluding(&mut q, &now.truths, &near, &[when])?;
            if !never.is_empty() {
                let text = self.any_text(scope, &never);
                self.assume(&format!("!({text})"));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for &i in &changed {
            names.push(self.name(scope[i]));
            values.push(self.becomes(scope, &now, after[i])?);
        }
        let _ = writeln!(self.out, "  {} := {};", names.join(", "), values.join(", "));
        Ok(())
    }

    /// The relation of a step that few predicates have to do with: all pairs of what holds before and after it.
    fn exact(
        &mut self,
        scope: &[usize],
        now: &Before,
        condition: Term,
        (near, changed): (&[usize], &[usize]),
        after: &[Term],
    ) -> Step<()> {
        let mut q = self.question()?;
        let when = self.lit(&mut q, condition);
        let mut lits: Vec<Lit> = near.iter().map(|&i| self.lit(&mut q, now.truths[i])).collect();
        lits.extend(changed.iter().map(|&i| self.lit(&mut q, after[i])));
        let mut names: Vec<String> = near.iter().map(|&i| self.name(scope[i])).collect();
        names.extend(changed.iter().map(|&i| format!("'{}", self.name(scope[i]))));
        let mut pairs = Vec::new();
        for number in 0..1u32 << lits.len() {
            let value = |k: usize| number >> k & 1 == 1;
            let mut all = vec![when];
            all.extend(lits.iter().enumerate().map(|(k, l)| l.xor_sign(!value(k))));
            if q.can(&all) {
                let texts = names.iter().enumerate();
                let texts: Vec<String> = texts
                    .map(|(k, name)| if value(k) { name.clone() } else { format!("!{name}") })
                    .collect();
                pairs.push(format!("({})", texts.join(" & ")));
            }
        }
        if pairs.is_empty() {
            self.out += "  assume(F);\n";
            return Ok(());
        }
        let targets: Vec<String> = changed.iter().map(|&i| self.name(scope[i])).collect();
        let any = vec!["*"; targets.len()].join(", ");
        let _ = writeln!(
            self.out,
            "  {} := {any} constrain ({});",
            targets.join(", "),
            pairs.join(" | ")
        );
        Ok(())
    }

    /// CB5: what the predicates of a function never are together.
    pub(super) fn consistent(&mut self, f: FuncId, scope: &[usize]) -> Step<String> {
        let now = self.begin(f, scope)?;
        let mut never: BTreeSet<Cube> = BTreeSet::new();
        for i in 0..scope.len() {
            let near = self.near(&now.truths, &[now.truths[i]]);
            let near: Vec<usize> = near.into_iter().filter(|&k| k != i).collect();
            for value in [true, false] {
                let mut q = self.question()?;
                let is = self.lit(&mut q, now.truths[i]).xor_sign(!value);
                for cube in self.excluding(&mut q, &now.truths, &near, &[is])? {
                    let mut cube = cube;
                    cube.push((i, value));
                    cube.sort_unstable();
                    never.insert(cube);
                }
            }
        }
        let never: Vec<Cube> = never.into_iter().collect();
        Ok(match never.is_empty() {
            true => String::new(),
            false => format!("!({})", self.any_text(scope, &never)),
        })
    }
}

impl From<logic::Stopped> for super::NoAbstraction {
    fn from(_: logic::Stopped) -> Self {
        super::NoAbstraction::Stopped(StopReason::Cancelled)
    }
}
