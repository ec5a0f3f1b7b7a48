//! Runs told edge by edge: along the links of a run that was found, through the places of their blocks,
//! and into the facts that stand for calls.

use crate::facts::{FactId, Rule};
use crate::search::{Found, Search};
use check::{Frame, Partial, StopReason, Trace};
use circuits::{Calls, Taken, Unfinished};
use ir::{NodeId, ProcId};
use logic::{Lit, Valuation};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A completed call: the fact, with the values at the entry and of its choices.
type Key = (FactId, Vec<bool>, Vec<bool>);

/// Where a block has led.
struct Walk {
    taken: Vec<Taken<Key>>,
    /// The node and the values there.
    end: Option<(NodeId, Partial)>,
    /// The state of the cut point.
    state: Vec<bool>,
    /// A call that was entered.
    entered: bool,
}

impl Search<'_> {
    /// A run to a goal.
    pub(crate) fn trace(&mut self, found: &Found) -> Result<Trace, StopReason> {
        let program = self.blocks.context.program;
        let mut frames: Vec<(ProcId, Vec<Taken<Key>>)> = vec![(program.entry, Vec::new())];
        let mut state = found.start.clone();
        let mut end = None;
        for link in &found.links {
            let values = self.valuation(link.rule, &state, link.choices.iter().copied());
            let walk = self.walk(link.rule, values)?;
            let last = frames.last_mut().expect("there is a frame");
            last.1.extend(walk.taken);
            if walk.entered {
                let to = self.blocks.blocks[link.rule.way.block].targets
                    [link.rule.way.target as usize]
                    .to;
                let proc = self.proc_of(to.expect("a callee's entry"));
                frames.push((proc, Vec::new()));
            }
            (state, end) = (walk.state, walk.end);
        }
        let (target, end) = end.ok_or_else(|| internal("a run does not end at a node"))?;

        let mut calls: Calls<Key> = Calls::default();
        for (_, taken) in &frames {
            for key in taken.iter().filter_map(|t| t.inside.as_ref()) {
                calls.complete(key, |key| self.begin(key))?;
            }
        }
        let frames = frames
            .into_iter()
            .map(|(proc, taken)| Frame { proc, steps: calls.steps(taken) })
            .collect();
        Ok(Trace { segments: calls.segments, frames, target, end, shortest: false, lasso: None })
    }

    /// The edges of a block on the way to a target.
    fn walk(&mut self, rule: Rule, mut values: Valuation) -> Result<Walk, StopReason> {
        self.budget.poll()?;
        let given = rule.fact.map(|fact| self.given(rule.way, fact));
        let block = &self.blocks.blocks[rule.way.block];
        let target = &block.targets[rule.way.target as usize];
        let aig = &self.blocks.aig;
        let state = |values: &mut Valuation, at: usize| -> Option<(NodeId, Partial)> {
            let visit = &block.visits[at];
            let node = visit.node?;
            let context = &self.blocks.context;
            Some((node, context.node_state(node, |i| values.get(aig, visit.now[i]))))
        };
        let mut taken = Vec::new();
        if let Some(edge) = target.enters {
            let (_, before) = state(&mut values, 0).ok_or_else(|| internal("a call at no node"))?;
            taken.push(Taken { edge, state: before, inside: None });
        }
        let mut at = target.visit.unwrap_or(0);
        while at != 0 {
            let visit = &block.visits[at];
            // The last arrival whose turn it is.
            let later = (1..visit.arrivals.len()).rev();
            let chosen = later.into_iter().find(|&i| !values.get(aig, visit.picks[i - 1]));
            let arrival = visit.arrivals[chosen.unwrap_or(0)];
            let (_, before) =
                state(&mut values, arrival.from).ok_or_else(|| internal("a step from no node"))?;
            let mut inside = None;
            if let Some(call) = &block.call
                && call.edge == arrival.edge
                && arrival.from == 0
            {
                let fact = rule.fact.ok_or_else(|| internal("a call without a fact"))?;
                let mut all = |lits: &[Lit]| -> Vec<bool> {
                    lits.iter().map(|&lit| values.get(aig, lit)).collect()
                };
                let given = given.as_ref().expect("it has a fact");
                let choices: Vec<Lit> = given.choices.iter().map(|c| c.1).collect();
                inside = Some((fact, all(&call.entered), all(&choices)));
            }
            taken.push(Taken { edge: arrival.edge, state: before, inside });
            at = arrival.from;
        }
        taken.reverse();
        let end = target.visit.and_then(|at| state(&mut values, at));
        let outs = given.as_ref().map_or(&target.outs, |given| &given.outs);
        let state = outs.iter().map(|&lit| values.get(aig, lit)).collect();
        Ok(Walk { taken, end, state, entered: target.enters.is_some() })
    }

    /// The edges of a completed call.
    fn begin(&mut self, key: Key) -> Result<Unfinished<Key>, StopReason> {
        let (id, entered, chosen) = &key;
        let fact = &self.facts[*id];
        let (proc, steps) = (fact.proc, Rc::clone(&fact.steps));
        let own: FxHashMap<Lit, bool> =
            fact.choices.iter().copied().zip(chosen.iter().copied()).collect();
        let (mut taken, mut state) = (Vec::new(), entered.clone());
        for step in steps.iter() {
            let choices: Vec<(Lit, bool)> = step
                .choices
                .iter()
                .map(|&(input, image)| {
                    let value = match image {
                        Lit::TRUE => true,
                        Lit::FALSE => false,
                        image => own.get(&image).copied().unwrap_or(false),
                    };
                    (input, value)
                })
                .collect();
            let values = self.valuation(step.rule, &state, choices.into_iter());
            let walk = self.walk(step.rule, values)?;
            taken.extend(walk.taken);
            state = walk.state;
        }
        let len = self.blocks.context.entry[proc].len as usize;
        let exit = self.blocks.context.exit_state(proc, &state[len..]);
        Ok(Unfinished { key, proc, taken, exit })
    }
}

fn internal(what: &str) -> StopReason {
    StopReason::Internal { what: what.to_owned() }
}
