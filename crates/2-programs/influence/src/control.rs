//! One criterion: what matters for a line, and for the value of a variable there.
//!
//! Beside variables, facts are about whether a state is passed (`CONTROL`):
//!
//! - CR1. at the criterion, its variables matter, and that it is passed;
//! - CR2. that a state is passed matters if it assigns a variable that matters behind it, or calls what changes one;
//! - CR3. where that matters, it matters that the states are passed that decide it, and what their conditions read:
//!   those from which one way leads by the state for certain and another one does not (post-dominance);
//! - CR4. that a call is made matters where something in the callee does, `DOWN`;
//! - CR5. whether a callee comes back decides what follows the call, if it may end the run.
//!
//! Loops are taken to end, as is usual for slices.

use crate::flow::{CONTROL, DOWN, Fact, Flow, UP, states_of};
use crate::graph::{Graph, Label};
use crate::methods::{Influence, InfluenceError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who decides what is passed.
pub(crate) struct Control {
    /// By state: the states that decide whether it is passed.
    deciders: Vec<Vec<u32>>,
    /// By state: the entry of its function.
    entry: Vec<Option<u32>>,
    /// By state: the calls there that may not come back, as numbers of sites.
    doubtful: FxHashMap<u32, Vec<u32>>,
}

/// What matters for a criterion.
pub struct Slice<'a> {
    /// By state, the variables that matter there.
    pub influence: Influence,
    /// By state: whether it matters that it is passed.
    pub passed: Vec<bool>,
    /// The facts, for reasons.
    pub flow: Flow<'a>,
}

/// What matters for whether some states are passed, and for variables there: the given one, or all that the
/// statements read.
pub fn criterion<'a>(
    graph: &'a Graph,
    points: &[u32],
    variable: Option<u32>,
    watch: &mut bes::Watch<'_>,
) -> Result<Slice<'a>, InfluenceError> {
    let mut flow = Flow::new(graph, true);
    flow.control = Some(Control::new(graph));
    let starts: FxHashSet<u32> = graph.points.iter().filter_map(|p| p.state).collect();
    // CR1.
    for &point in points {
        flow.seed(point, CONTROL);
        if let Some(v) = variable {
            flow.seed(point, v);
            continue;
        }
        // A statement is a sequence of transitions, up to the next one.
        let mut states = vec![point];
        let mut at = 0;
        while at < states.len() {
            let state = states[at];
            at += 1;
            for &(label, to) in graph.from(state) {
                match label {
                    Label::Bool(v) | Label::Assert(v) | Label::Assign(_, Some(v)) => {
                        flow.seed(state, v);
                    }
                    _ => {}
                }
                let inside = !starts.contains(&to) && !flow.entry_of.contains_key(&to);
                if inside && !flow.site_after.contains_key(&to) && !states.contains(&to) {
                    states.push(to);
                }
            }
        }
    }
    flow.close(watch)?;
    let influence = Influence { sets: flow.sets(), effort: flow.effort() };
    let passed = (0..graph.states()).map(|s| flow.why.contains_key(&(UP, s, CONTROL))).collect();
    Ok(Slice { influence, passed, flow })
}

impl Flow<'_> {
    /// It matters that a state is passed.
    pub(crate) fn decided(&mut self, fact: Fact) {
        let (context, state, _) = fact;
        let graph = self.graph;
        let Some(control) = &self.control else { return };
        // CR3.
        let deciders = control.deciders[state as usize].clone();
        let entry = control.entry[state as usize];
        let doubtful: Vec<u32> =
            deciders.iter().filter_map(|b| control.doubtful.get(b)).flatten().copied().collect();
        for by in deciders {
            self.find((context, by, CONTROL), fact);
            for &(label, _) in graph.from(by) {
                if let Label::Bool(v) | Label::Assert(v) = label {
                    self.find((context, by, v), fact);
                }
            }
        }
        // CR5.
        for site in doubtful {
            let site = &graph.sites[site as usize];
            let behind = (context, site.after, CONTROL);
            self.find(behind, fact);
            if context == UP
                && let Some(end) = graph.exits[site.callee as usize]
            {
                self.find((UP, end, CONTROL), behind);
            }
            let first = self.asked.get(&(site.callee, CONTROL)).copied();
            if first.is_none_or(|asked| !self.waits(asked, behind)) {
                self.ask(site.callee, CONTROL, behind);
            }
        }
        // CR4.
        if self.matched && context == DOWN && entry == Some(state) {
            for i in 0..self.before(state).len() {
                let (_, from) = self.before(state)[i];
                if from != 0 {
                    self.find((UP, from, CONTROL), fact);
                    self.find((DOWN, from, CONTROL), fact);
                }
            }
        } else if let Some(entry) = entry {
            self.find((context, entry, CONTROL), fact);
        }
        if !self.matched && entry == Some(state) {
            for i in 0..self.before(state).len() {
                let (_, from) = self.before(state)[i];
                self.find((context, from, CONTROL), fact);
            }
        }
    }
}

impl Control {
    fn new(graph: &Graph) -> Control {
        let states = graph.states() as usize;
        let functions = states_of(graph);
        let mut control = Control {
            deciders: vec![Vec::new(); states],
            entry: vec![None; states],
            doubtful: FxHashMap::default(),
        };
        let entries: FxHashSet<u32> = graph.entries.iter().flatten().copied().collect();
        let ends: FxHashSet<u32> = graph.exits.iter().flatten().copied().collect();
        let mut sites: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (i, site) in graph.sites.iter().enumerate() {
            sites.entry(site.from).or_default().push(i as u32);
        }
        let next = |state: u32| -> Vec<u32> {
            if ends.contains(&state) {
                return Vec::new();
            }
            let plain = graph.from(state).iter().map(|t| t.1);
            let mut out: Vec<u32> = plain.filter(|t| state == 0 || !entries.contains(t)).collect();
            let here = sites.get(&state).into_iter().flatten();
            out.extend(here.map(|&i| graph.sites[i as usize].after));
            out.sort_unstable();
            out.dedup();
            out
        };
        let reads = |state: u32| {
            let labels = graph.from(state).iter();
            labels.filter(|t| matches!(t.0, Label::Bool(_) | Label::Assert(_))).count() > 0
        };
        // Which functions may end the run: a state that leads nowhere, or may be blocked.
        let mut stops: Vec<bool> = functions
            .iter()
            .map(|states| {
                states.iter().any(|&s| {
                    let out = next(s).len();
                    !ends.contains(&s) && (out == 0 || out == 1 && reads(s))
                })
            })
            .collect();
        loop {
            let mut more = false;
            for site in &graph.sites {
                let (caller, callee) = (site.caller as usize, site.callee as usize);
                if stops[callee] && !std::mem::replace(&mut stops[caller], true) {
                    more = true;
                }
            }
            if !more {
                break;
            }
        }
        for (i, site) in graph.sites.iter().enumerate() {
            if stops[site.callee as usize] {
                control.doubtful.entry(site.from).or_default().push(i as u32);
            }
        }
        for (f, states) in functions.iter().enumerate() {
            let entry = graph.entries.get(f).copied().flatten();
            for &state in states {
                control.entry[state as usize] = entry.or(control.entry[state as usize]);
            }
            control.function(states, &next, &reads);
        }
        control
    }

    /// The deciders of the states of one function.
    fn function(
        &mut self,
        states: &[u32],
        next: &dyn Fn(u32) -> Vec<u32>,
        reads: &dyn Fn(u32) -> bool,
    ) {
        let number: FxHashMap<u32, usize> =
            states.iter().enumerate().map(|(i, &s)| (s, i)).collect();
        let end = states.len();
        let mut after: Vec<Vec<usize>> = Vec::with_capacity(end);
        for &state in states {
            let mut out: Vec<usize> =
                next(state).iter().filter_map(|t| number.get(t).copied()).collect();
            let blocked = out.len() == 1 && reads(state);
            if out.is_empty() || blocked || self.doubtful.contains_key(&state) {
                out.push(end);
            }
            after.push(out);
        }
        let mut immediate = post_dominators(&after);
        if immediate[..end].contains(&usize::MAX) {
            // What never ends may be left at each of its choices.
            for i in 0..end {
                let choice = after[i].len() > 1 || after[i] == [i];
                if immediate[i] == usize::MAX && choice {
                    after[i].push(end);
                }
            }
            immediate = post_dominators(&after);
            for i in 0..end {
                if immediate[i] == usize::MAX {
                    after[i].push(end);
                }
            }
            immediate = post_dominators(&after);
        }
        for (b, out) in after.iter().enumerate() {
            if out.len() < 2 {
                continue;
            }
            for &to in out {
                let mut at = to;
                while at != end && at != immediate[b] {
                    let deciders = &mut self.deciders[states[at] as usize];
                    if deciders.last() != Some(&states[b]) {
                        deciders.push(states[b]);
                    }
                    at = immediate[at];
                }
            }
        }
    }
}

/// The immediate post-dominator of each node of a graph whose last node, one more than the lists, is the end:
/// `usize::MAX` where that is not reached. The way of Cooper, Harvey and Kennedy: dominators meet on their way up.
fn post_dominators(after: &[Vec<usize>]) -> Vec<usize> {
    let end = after.len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
    for (from, out) in after.iter().enumerate() {
        for &to in out {
            before[to].push(from);
        }
    }
    // Backwards from the end, in postorder.
    let mut order = Vec::with_capacity(end + 1);
    let mut place = vec![usize::MAX; end + 1];
    let mut seen = vec![false; end + 1];
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((node, i)) = stack.pop() {
        match before[node].get(i) {
            Some(&to) => {
                stack.push((node, i + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                place[node] = order.len();
                order.push(node);
            }
        }
    }
    let mut immediate = vec![usize::MAX; end + 1];
    immediate[end] = end;
    let mut changed = true;
    while std::mem::replace(&mut changed, false) {
        for &node in order.iter().rev().skip(1) {
            let mut found = usize::MAX;
            for &to in after[node].iter().filter(|&&to| immediate[to] != usize::MAX) {
                if found == usize::MAX {
                    found = to;
                    continue;
                }
                let (mut a, mut b) = (found, to);
                while a != b {
                    while place[a] < place[b] {
                        a = immediate[a];
                    }
                    while place[b] < place[a] {
                        b = immediate[b];
                    }
                }
                found = a;
            }
            if immediate[node] != found {
                immediate[node] = found;
                changed = true;
            }
        }
    }
    immediate
}
