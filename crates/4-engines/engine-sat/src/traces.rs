//! Runs from models: a valuation of the choices that satisfies the guard of a path edge picks one
//! run along the path edges that it came from.
//!
//! What happens inside a call is found by a question of its own, from the values at the call and
//! behind it: so a completed call that occurs often is found once, however long the run.

use crate::paths::{Hit, How, Origin, PathId, Place};
use crate::search::Search;
use crate::universal::path_of;
use check::{Frame, Partial, StopReason, Trace};
use circuits::{Calls, Taken, Unfinished};
use ir::{EdgeId, ProcId};
use logic::{Lit, Valuation};

/// A completed call: the summary, and the values at entry and exit.
type Key = (PathId, Vec<bool>, Vec<bool>);

/// A run of one frame, backwards, and the call that entered it.
struct Walk {
    taken: Vec<Taken<Key>>,
    entered: Option<(PathId, EdgeId)>,
    choices: Valuation,
}

impl Search<'_> {
    /// A run to a goal.
    pub(crate) fn trace(&mut self, goal: usize, hit: &Hit) -> Result<Trace, StopReason> {
        let mut calls: Calls<Key> = Calls::default();
        let mut frames: Vec<(ProcId, Vec<Taken<Key>>)> = Vec::new();

        let mut hit = hit.clone();
        let mut choices = self.require(&[hit.guard])?;
        // The frames above, up to the entry procedure.
        let mut above: Vec<(ProcId, Vec<Taken<Key>>)> = Vec::new();
        let mut walk = self.walk(path_of(&hit), choices.clone())?;
        let mut proc = self.proc_of(path_of(&hit));
        loop {
            above.push((proc, walk.taken));
            let Some((from, edge)) = walk.entered else { break };
            proc = self.proc_of(from);
            let state = self.state(from, &mut walk.choices);
            walk = self.walk(from, walk.choices)?;
            walk.taken.push(Taken { edge, state, inside: None });
        }
        frames.extend(above.into_iter().rev());
        // The frames below, through universal summaries.
        while let How::Inside { from, edge, callee, entry } = hit.how {
            let state = self.state(from, &mut choices);
            let last = frames.last_mut().expect("there is a frame");
            last.1.push(Taken { edge, state, inside: None });
            let values: Vec<bool> = entry.iter().map(|&l| choices.get(&self.aig, l)).collect();
            let hits = self.hits_inside(callee, goal).to_vec();
            let any = hits.iter().fold(Lit::FALSE, |any, hit| self.aig.or(any, hit.guard));
            let formal = &self.universal[callee].as_ref().expect("a universal summary").entry;
            let mut asked: Vec<Lit> =
                formal.iter().zip(&values).map(|(l, &v)| l.xor_sign(!v)).collect();
            asked.push(any);
            choices = self.require(&asked)?;
            let found = hits.into_iter().find(|h| choices.get(&self.aig, h.guard));
            hit = found.ok_or_else(|| internal("a goal is not reached where it should be"))?;
            let walk = self.walk(path_of(&hit), choices.clone())?;
            frames.push((callee, walk.taken));
        }
        let How::At(path) = hit.how else { unreachable!("the loop ends at a path edge") };
        let Place::Node(target) = self.path(path).place else { unreachable!("targets are nodes") };
        let end = self.state(path, &mut choices);

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

    fn require(&mut self, asked: &[Lit]) -> Result<Valuation, StopReason> {
        self.model(asked)?.ok_or_else(|| internal("a run that should exist is not found"))
    }

    fn proc_of(&self, path: PathId) -> ProcId {
        match self.path(path).place {
            Place::Node(node) => self.program().nodes[node].proc,
            Place::Exit(proc) => proc,
        }
    }

    /// The values of a path edge at its node.
    fn state(&self, path: PathId, choices: &mut Valuation) -> Partial {
        let path = self.path(path);
        let Place::Node(node) = path.place else { unreachable!("a state is at a node") };
        self.context.node_state(node, |i| choices.get(&self.aig, path.now[i]))
    }

    /// The run of a path edge from the entry of its frame, for the given choices.
    fn walk(&mut self, path: PathId, mut choices: Valuation) -> Result<Walk, StopReason> {
        let mut taken = Vec::new();
        let mut at = path;
        let entered = loop {
            self.budget.poll()?;
            let path = self.path(at).clone();
            match path.origin {
                Origin::Start => break None,
                Origin::Enter { from, edge } => break Some((from, edge)),
                Origin::Step { from, edge } => {
                    let state = self.state(from, &mut choices);
                    taken.push(Taken { edge, state, inside: None });
                    at = from;
                }
                Origin::Jump { from, edge, inside, entry, exit } => {
                    let state = self.state(from, &mut choices);
                    let mut values = |v: &[Lit]| -> Vec<bool> {
                        v.iter().map(|&l| choices.get(&self.aig, l)).collect()
                    };
                    let key = (inside, values(&entry), values(&exit));
                    taken.push(Taken { edge, state, inside: Some(key) });
                    at = from;
                }
                Origin::Merge { yes, no, pick } => {
                    at = if choices.get(&self.aig, pick) { yes } else { no };
                }
                Origin::Reduced { from } => {
                    let asked = self.same_values(from, |i, entry| {
                        let lit = if entry { path.entry[i] } else { path.now[i] };
                        (lit, choices.get(&self.aig, lit)).1
                    });
                    choices = self.require(&asked)?;
                    at = from;
                }
            }
        };
        taken.reverse();
        Ok(Walk { taken, entered, choices })
    }

    /// The guard of a path edge, with its values as told: `value(i, whether at entry)`.
    fn same_values(&self, path: PathId, mut value: impl FnMut(usize, bool) -> bool) -> Vec<Lit> {
        let path = self.path(path);
        let mut asked = vec![path.guard];
        for (i, &lit) in path.entry.iter().enumerate() {
            asked.push(lit.xor_sign(!value(i, true)));
        }
        for (i, &lit) in path.now.iter().enumerate() {
            asked.push(lit.xor_sign(!value(i, false)));
        }
        asked
    }

    fn begin(&mut self, key: Key) -> Result<Unfinished<Key>, StopReason> {
        let (path, entry, exit) = &key;
        let asked =
            self.same_values(*path, |i, at_entry| if at_entry { entry[i] } else { exit[i] });
        let choices = self.require(&asked)?;
        let proc = self.proc_of(*path);
        let walk = self.walk(*path, choices)?;
        let exit = self.context.exit_state(proc, &key.2);
        Ok(Unfinished { key, proc, taken: walk.taken, exit })
    }
}

fn internal(what: &str) -> StopReason {
    StopReason::Internal { what: what.to_owned() }
}
