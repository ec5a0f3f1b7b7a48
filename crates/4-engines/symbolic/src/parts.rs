//! Relations of steps in parts (Burch, Clarke and Long 1991; Ranjan et al. 1995).
//!
//! One diagram for a step is quickest, as long as it is small. Where a step does several things at once that have
//! little to do with each other, as in the product with a large automaton that waits for many marks, its diagram is
//! about the product of theirs. It is then kept as a conjunction of parts, and a variable is quantified with the last
//! part that speaks of it.

use crate::relation::{Context, StepPart, StepRel, Words};
use bdd::{Bdd, Manager, SpecId, Stop};
use ir::{BinaryOp, Expr, ExprId, Exprs, Rel, Time, VarId};

/// Nodes that may be made for the diagram of a step before it is made in parts.
const WHOLE: usize = 1 << 16;

/// Nodes that may be made for joining a conjunct to a part.
const PART: usize = 1 << 13;

/// Does something while so many nodes more may be made; none if they were too few.
fn within<T>(
    m: &mut Manager,
    nodes: usize,
    run: impl FnOnce(&mut Manager) -> Result<T, Stop>,
) -> Result<Option<T>, Stop> {
    let limit = m.node_limit();
    let most = m.live_nodes().saturating_add(nodes);
    if most >= limit {
        return run(m).map(Some);
    }
    m.set_node_limit(most);
    let done = run(m);
    m.set_node_limit(limit);
    match done {
        Err(Stop::Nodes) if !m.was_refused() => Ok(None),
        done => done.map(Some),
    }
}

impl Context {
    /// The relation of a step, in one part if it is not too large. Choices are quantified if it is one part, and left to
    /// [`Context::in_parts`] if there are more.
    pub(crate) fn parts(
        &self,
        m: &mut Manager,
        rel: &Rel,
        wanted: &dyn Fn(Time, VarId) -> bool,
    ) -> Result<Vec<Bdd>, Stop> {
        let whole = within(m, WHOLE, |m| self.relation(m, rel, Words::Step, wanted))?;
        if let Some(whole) = whole {
            return Ok(vec![whole]);
        }
        let mut parts: Vec<Bdd> = Vec::new();
        let mut join = |m: &mut Manager, conjunct: Bdd| {
            let joined = match parts.last() {
                Some(&part) => within(m, PART, |m| m.and(part, conjunct))?,
                None => None,
            };
            match joined {
                Some(joined) => *parts.last_mut().expect("it was joined to one") = joined,
                None => parts.push(conjunct),
            }
            Ok(())
        };
        for root in [rel.guard, rel.constraint] {
            for conjunct in self.split(root) {
                let conjunct = self.part_of_step(m, rel, conjunct)?;
                join(m, conjunct)?;
            }
        }
        let plain = Rel { guard: Exprs::TRUE, constraint: Exprs::TRUE, ..rel.clone() };
        self.conjuncts(m, &plain, Words::Step, wanted, &mut join)?;
        // What was too large on the way may be small in the end.
        if let [whole] = parts[..] {
            return Ok(vec![self.without_choices(m, whole, rel.choices)?]);
        }
        Ok(parts)
    }

    /// What an expression is the conjunction of.
    fn split(&self, root: ExprId) -> Vec<ExprId> {
        let (mut out, mut work) = (Vec::new(), vec![root]);
        while let Some(expr) = work.pop() {
            match self.program.exprs[expr] {
                Expr::Binary(BinaryOp::And, a, b) => work.extend([b, a]),
                _ => out.push(expr),
            }
        }
        out
    }

    /// A step in several parts: what is quantified and renamed forwards, how the target becomes `Post`, and what is
    /// quantified backwards.
    pub(crate) fn in_parts(
        &self,
        m: &mut Manager,
        parts: &[Bdd],
        choices: u32,
        (mut quantify, rename): (Vec<u32>, Vec<(u32, u32)>),
        prime: SpecId,
        mut after: Vec<u32>,
    ) -> StepRel {
        let choices = (0..choices).map(|k| self.slots.choice(k));
        quantify.extend(choices.clone());
        after.extend(choices);
        let supports: Vec<Vec<u32>> = parts.iter().map(|&part| m.support(part)).collect();
        // With the last part that speaks of it.
        let by_part = |vars: &[u32]| {
            let mut out = vec![Vec::new(); parts.len()];
            for &var in vars {
                let last = supports.iter().rposition(|support| support.contains(&var));
                out[last.unwrap_or(0)].push(var);
            }
            out
        };
        let (forwards, backwards) = (by_part(&quantify), by_part(&after));
        let mut made = Vec::with_capacity(parts.len());
        for (i, &rel) in parts.iter().enumerate() {
            let rename = if i + 1 == parts.len() { &rename[..] } else { &[] };
            let image = m.spec(&forwards[i], rename);
            made.push(StepPart { rel, image, pre_image: m.spec(&backwards[i], &[]) });
        }
        let StepPart { rel, image, pre_image } = made.remove(0);
        StepRel { rel, more: Some(made.into()), image, identity: false, prime, pre_image }
    }
}
