//! Facts: completed calls that exist, for many entries at once.
//!
//! A fact is a function from the values at the entry of a procedure, and choices, to those behind its
//! return, where its guard holds: the blocks of one way through the procedure, one after the other, with
//! facts in place of the calls inside. In a block that starts with a call, a fact takes the place of the
//! summary.

use crate::blocks::{PredId, Way};
use crate::search::{Found, Link, ObId, Search};
use check::StopReason;
use ir::{ProcId, define_id};
use logic::{Lit, Valuation};
use rustc_hash::FxHashMap;
use std::rc::Rc;

define_id!(
    /// A fact.
    FactId
);

/// A block on the way to one of its targets; where it starts with a call, by a fact.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rule {
    pub(crate) way: Way,
    pub(crate) fact: Option<FactId>,
}

/// A completed call.
pub(crate) struct Fact {
    pub(crate) proc: ProcId,
    /// At the entry of the procedure: over its inputs, and choices of its own.
    pub(crate) entry: PredId,
    pub(crate) guard: Lit,
    /// For each bit behind the return.
    pub(crate) exit: Vec<Lit>,
    /// The choices.
    pub(crate) choices: Vec<Lit>,
    pub(crate) steps: Rc<[FactStep]>,
}

/// A block of a fact, with what stands for each of its choices.
pub(crate) struct FactStep {
    pub(crate) rule: Rule,
    pub(crate) choices: Vec<(Lit, Lit)>,
}

/// A target of a block with a fact in place of its call.
pub(crate) struct Given {
    pub(crate) guard: Lit,
    pub(crate) outs: Vec<Lit>,
    /// What the callee leaves behind.
    pub(crate) exit: Vec<Lit>,
    /// What stands for the choices of the fact.
    pub(crate) choices: Vec<(Lit, Lit)>,
}

/// Gates of a fact; one with more is made smaller by fixing its choices, then everything.
const MANY_GATES: usize = 5_000;

/// How much of a fact is left open.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    All,
    Entry,
    Nothing,
}

/// A vector of functions, where a guard holds.
struct Composed {
    guard: Lit,
    values: Vec<Lit>,
    choices: Vec<Lit>,
    steps: Vec<FactStep>,
}

impl Search<'_> {
    /// PD5: the blocks from an obligation at an entry to the summary that it is for, as a fact.
    pub(crate) fn complete(&mut self, id: ObId, proc: ProcId) -> Result<(), StopReason> {
        let links = self.links(id);
        let Some(last) = links.last() else { return Ok(()) };
        let block = &self.blocks.blocks[last.rule.way.block];
        let Some(exit) = block.targets[last.rule.way.target as usize].to else { return Ok(()) };
        let (entry, state) = self.some_state(id);
        let mut composed = self.compose(&links, entry, &state, Open::All)?;
        for open in [Open::Entry, Open::Nothing] {
            let roots = composed.values.iter().copied().chain([composed.guard]);
            if self.blocks.aig.size(roots) > MANY_GATES {
                composed = self.compose(&links, entry, &state, open)?;
            }
        }
        let Composed { guard, mut values, choices, steps } = composed;
        let len = self.blocks.context.entry[proc].len as usize;
        let values = values.split_off(len);
        let steps = steps.into();
        let fact = self.facts.push(Fact { proc, entry, guard, exit: values, choices, steps });
        self.facts_of.entry(exit).or_default().push(fact);
        Ok(())
    }

    /// The blocks of some links, one after the other, from the entry of a procedure.
    fn compose(
        &mut self,
        links: &[Link],
        entry: PredId,
        state: &[bool],
        open: Open,
    ) -> Result<Composed, StopReason> {
        let mut guard = Lit::TRUE;
        let mut values = self.blocks.preds[entry].inputs.clone();
        if open == Open::Nothing {
            for (lit, &value) in values.iter_mut().zip(state) {
                guard = self.blocks.aig.and(guard, lit.xor_sign(!value));
                *lit = Lit::constant(value);
            }
        }
        let (mut all, mut steps) = (Vec::new(), Vec::new());
        for link in links {
            self.budget.poll()?;
            let (rule_guard, outs) = self.functions(link.rule);
            let source = self.blocks.blocks[link.rule.way.block].source;
            let inputs = source.map_or(&[][..], |source| &self.blocks.preds[source].inputs[..]);
            let mut map: FxHashMap<Lit, Lit> =
                inputs.iter().copied().zip(values.iter().copied()).collect();
            let mut roots = outs;
            roots.push(rule_guard);
            let mut choices = Vec::new();
            for input in self.blocks.aig.support(roots.iter().copied()) {
                if map.contains_key(&input) {
                    continue;
                }
                let image = match open {
                    Open::All => {
                        all.push(self.blocks.aig.input());
                        all[all.len() - 1]
                    }
                    _ => {
                        let chosen = link.choices.iter().find(|(lit, _)| *lit == input);
                        Lit::constant(chosen.is_some_and(|(_, value)| *value))
                    }
                };
                map.insert(input, image);
                choices.push((input, image));
            }
            let mut images = self.blocks.aig.substitute(&roots, &map);
            let image = images.pop().expect("the guard comes last");
            guard = self.blocks.aig.and(guard, image);
            values = images;
            steps.push(FactStep { rule: link.rule, choices });
        }
        Ok(Composed { guard, values, choices: all, steps })
    }

    /// The guard and the values of a rule.
    fn functions(&mut self, rule: Rule) -> (Lit, Vec<Lit>) {
        match rule.fact {
            Some(fact) => {
                let given = self.given(rule.way, fact);
                (given.guard, given.outs.clone())
            }
            None => {
                let target = &self.blocks.blocks[rule.way.block].targets[rule.way.target as usize];
                (target.guard, target.outs.clone())
            }
        }
    }

    /// A target of a block by a fact.
    pub(crate) fn given(&mut self, way: Way, fact: FactId) -> Rc<Given> {
        if let Some(known) = self.given.get(&(way, fact)) {
            return known.clone();
        }
        let block = &self.blocks.blocks[way.block];
        let call = block.call.as_ref().expect("only calls have facts");
        let target = &block.targets[way.target as usize];
        let (guard, mut outs) = (target.guard, target.outs.clone());
        let left: Vec<Lit> = call.summary[call.at_entry..].to_vec();
        let fact_at = &self.facts[fact];
        let aig = &mut self.blocks.aig;
        let inputs = &self.blocks.preds[fact_at.entry].inputs;
        let mut map: FxHashMap<Lit, Lit> =
            inputs.iter().copied().zip(call.entered.iter().copied()).collect();
        let choices: Vec<(Lit, Lit)> =
            fact_at.choices.iter().map(|&choice| (choice, aig.input())).collect();
        map.extend(choices.iter().copied());
        let mut roots = fact_at.exit.clone();
        roots.push(fact_at.guard);
        let mut exit = aig.substitute(&roots, &map);
        let fact_guard = exit.pop().expect("the guard comes last");
        let map: FxHashMap<Lit, Lit> = left.into_iter().zip(exit.iter().copied()).collect();
        outs.push(guard);
        let mut outs = aig.substitute(&outs, &map);
        let guard = outs.pop().expect("the guard comes last");
        let guard = aig.and(guard, fact_guard);
        let given = Rc::new(Given { guard, outs, exit, choices });
        self.given.insert((way, fact), given.clone());
        given
    }

    /// The values that a run leads to: those of its last target.
    pub(crate) fn final_values(&mut self, found: &Found) -> Result<Vec<bool>, StopReason> {
        let mut state = found.start.clone();
        for link in &found.links {
            self.budget.poll()?;
            let mut values = self.valuation(link.rule, &state, link.choices.iter().copied());
            let (_, outs) = self.functions(link.rule);
            state = outs.iter().map(|&lit| values.get(&self.blocks.aig, lit)).collect();
        }
        Ok(state)
    }

    /// The values of all inputs of a block: of the state that it starts in, of the choices, and what
    /// the callee leaves behind.
    pub(crate) fn valuation(
        &mut self,
        rule: Rule,
        state: &[bool],
        choices: impl Iterator<Item = (Lit, bool)>,
    ) -> Valuation {
        let mut values = Valuation::new();
        let block = &self.blocks.blocks[rule.way.block];
        if let Some(source) = block.source {
            for (&input, &value) in self.blocks.preds[source].inputs.iter().zip(state) {
                values.set(input, value);
            }
        }
        for (input, value) in choices {
            values.set(input, value);
        }
        if let Some(fact) = rule.fact {
            let given = self.given(rule.way, fact);
            let block = &self.blocks.blocks[rule.way.block];
            let call = block.call.as_ref().expect("only calls have facts");
            for (&input, &lit) in call.summary[call.at_entry..].iter().zip(&given.exit) {
                let value = values.get(&self.blocks.aig, lit);
                values.set(input, value);
            }
        }
        values
    }
}
