//! The backward dataflow, through calls that come back to where they were made.
//!
//! A path of a run from some statement on first returns to callers, then enters calls: what is called in between comes
//! back, and is stepped over by a summary ([rhs §4]). A fact says that a variable matters
//! in a state, in a *context*:
//!
//! - `UP`: the run may still return from the function that it is in;
//! - `DOWN`: it has entered a call, and what matters comes before that call returns;
//! - any other: a question about a function, by which value at its entry that of a variable at its end is computed.
//!
//! The least sets of facts such that
//!
//! - DF0. `v` matters in `s`, `UP` and `DOWN`, if a question reads `v` in `s`;
//! - DF1. the same if `s –a→ s'` with an `a` by which `v` matters at once;
//! - DF2. `w` matters in `s` if `s –ASSIGN v w→ s'` and `v` matters in `s'`, in each context;
//! - DF3. `v` matters in `s` if `s –a→ s'`, `a` does not assign to `v`, and `v` matters in `s'`, in each context;
//! - DF4. what matters `DOWN` at the entry of a function matters at its calls, `UP` and `DOWN`;
//! - DF5. what matters `UP` behind a call, and lives beyond the callee's frame, matters `UP` at its end;
//! - DF6. what matters behind a call matters before it if the callee does not change it, or as locals of the frame
//!   that waits;
//! - DF7. if the callee changes it, a question is asked about the callee, and what the answer names matters at the
//!   callee's entry, and so where the call assigns it.
//!
//! Where control leaves functions in other ways (`longjmp`), calls are not matched: the end of a function leads to all
//! its callers.

use crate::control::Control;
use crate::graph::{Graph, Label, Site};
use crate::methods::{Analysis, InfluenceError};
use analysis::BitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

pub(crate) const UP: u32 = 0;
pub(crate) const DOWN: u32 = 1;

/// In the place of a variable: whether the state is passed at all.
pub(crate) const CONTROL: u32 = u32::MAX;

/// A context, a state, a variable.
pub(crate) type Fact = (u32, u32, u32);

/// Facts, each with the one that it was found by.
pub struct Flow<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) analysis: Option<&'a Analysis>,
    pub(crate) matched: bool,
    before: Vec<Vec<(Label, u32)>>,
    /// The call that comes back to a state.
    pub(crate) site_after: FxHashMap<u32, u32>,
    /// The calls that are made in a state.
    calls: FxHashMap<u32, Vec<u32>>,
    /// The function that a state is the entry, or the end, of.
    pub(crate) entry_of: FxHashMap<u32, u32>,
    ends: FxHashSet<u32>,
    /// By function: what it, or what it calls, may assign, and lives beyond it.
    modified: Vec<BitSet>,
    /// Contexts of questions, by function and variable.
    pub(crate) asked: FxHashMap<(u32, u32), u32>,
    /// By context: the variables at the entry of which the answer is computed.
    pub(crate) answers: Vec<Vec<u32>>,
    /// By context: facts behind calls that wait for more answers.
    waiting: Vec<Vec<Fact>>,
    /// What a fact was found by; itself if that is a question's reading.
    pub(crate) why: FxHashMap<Fact, Fact>,
    work: VecDeque<Fact>,
    /// For one criterion: who decides what is passed.
    pub(crate) control: Option<Control>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(graph: &'a Graph, matched: bool) -> Flow<'a> {
        let matched = matched && !graph.jumps;
        let mut before: Vec<Vec<(Label, u32)>> = vec![Vec::new(); graph.states() as usize];
        for state in 0..graph.states() {
            for &(label, to) in graph.from(state) {
                before[to as usize].push((label, state));
            }
        }
        let entries = graph.entries.iter().zip(0u32..);
        let entry_of = entries.filter_map(|(state, f)| Some(((*state)?, f)));
        let mut flow = Flow {
            graph,
            analysis: None,
            matched,
            before,
            site_after: graph.sites.iter().zip(0u32..).map(|(s, i)| (s.after, i)).collect(),
            calls: FxHashMap::default(),
            entry_of: entry_of.collect(),
            ends: graph.exits.iter().flatten().copied().collect(),
            modified: Vec::new(),
            asked: FxHashMap::default(),
            answers: vec![Vec::new(); 2],
            waiting: vec![Vec::new(); 2],
            why: FxHashMap::default(),
            work: VecDeque::new(),
            control: None,
        };
        for (site, i) in graph.sites.iter().zip(0u32..) {
            flow.calls.entry(site.from).or_default().push(i);
        }
        if matched {
            flow.modified = modified(graph);
        }
        flow
    }

    /// All facts that follow from an analysis, and from what a question reads.
    pub(crate) fn run(
        graph: &'a Graph,
        analysis: &'a Analysis,
        reads: &[(u32, u32)],
        matched: bool,
        watch: &mut bes::Watch<'_>,
    ) -> Result<Flow<'a>, InfluenceError> {
        let mut flow = Flow::new(graph, matched);
        flow.analysis = Some(analysis);
        // DF0.
        for &(state, v) in reads {
            flow.seed(state, v);
        }
        // DF1.
        for state in 0..graph.states() {
            for &(label, _) in graph.from(state) {
                if let Some(v) = analysis.at_once(label) {
                    flow.seed(state, v);
                }
            }
        }
        flow.close(watch)?;
        Ok(flow)
    }

    pub(crate) fn seed(&mut self, state: u32, variable: u32) {
        let contexts = if self.matched { &[UP, DOWN][..] } else { &[UP] };
        for &context in contexts {
            let fact = (context, state, variable);
            self.find(fact, fact);
        }
    }

    pub(crate) fn find(&mut self, fact: Fact, by: Fact) {
        if let std::collections::hash_map::Entry::Vacant(slot) = self.why.entry(fact) {
            slot.insert(by);
            self.work.push_back(fact);
        }
    }

    pub(crate) fn close(&mut self, watch: &mut bes::Watch<'_>) -> Result<(), InfluenceError> {
        let mut effort = 0;
        while let Some(fact) = self.work.pop_front() {
            effort += 1;
            if effort % 4096 == 0 {
                let facts = self.why.len() as u64;
                let progress =
                    bes::Progress { variables: facts, dependencies: 0, bytes: 40 * facts };
                if !watch(&progress) {
                    return Err(InfluenceError::Stopped);
                }
            }
            match fact.2 {
                CONTROL => self.decided(fact),
                _ => self.step(fact),
            }
        }
        Ok(())
    }

    fn step(&mut self, fact: Fact) {
        let (context, to, v) = fact;
        if self.matched {
            if self.entry_of.contains_key(&to) {
                return self.arrives(fact);
            }
            if let Some(&site) = self.site_after.get(&to) {
                self.around(fact, site);
            }
        }
        for i in 0..self.before[to as usize].len() {
            let (label, from) = self.before[to as usize][i];
            if self.matched && self.ends.contains(&from) {
                continue;
            }
            // DF2, DF3.
            if let Some(w) = earlier(label, v) {
                self.find((context, from, w), fact);
            }
            if self.control.is_some() && matches!(label, Label::Assign(z, _) if z == v) {
                self.find((context, from, CONTROL), fact);
            }
        }
    }

    /// A variable matters at the entry of a function.
    fn arrives(&mut self, fact: Fact) {
        let (context, to, v) = fact;
        if context > DOWN {
            // DF7.
            self.answers[context as usize].push(v);
            for i in 0..self.waiting[context as usize].len() {
                let behind = self.waiting[context as usize][i];
                self.through(behind, v);
            }
            return;
        }
        // DF4.
        for i in 0..self.before[to as usize].len() {
            let (label, from) = self.before[to as usize][i];
            let Some(w) = earlier(label, v) else { continue };
            match (from, context) {
                (0, _) => self.find((context, 0, w), fact),
                (_, DOWN) => {
                    self.find((UP, from, w), fact);
                    self.find((DOWN, from, w), fact);
                }
                _ => {}
            }
        }
    }

    /// Whether a variable outlives the frame of a callee, or is its result.
    pub(crate) fn comes_back(&self, callee: u32, v: u32) -> bool {
        !self.graph.variables[v as usize].automatic
            || self.graph.results[callee as usize].contains(&v)
    }

    /// Whether a callee may give a variable another value.
    pub(crate) fn changes(&self, callee: u32, v: u32) -> bool {
        self.graph.results[callee as usize].contains(&v)
            || self.modified[callee as usize].contains(v as usize)
    }

    /// A variable matters behind a call.
    fn around(&mut self, fact: Fact, site: u32) {
        let (context, _, v) = fact;
        let graph = self.graph;
        let site = &graph.sites[site as usize];
        let (callee, from) = (site.callee, site.from);
        // DF5.
        if context == UP
            && self.comes_back(callee, v)
            && let Some(end) = graph.exits[callee as usize]
        {
            self.find((UP, end, v), fact);
        }
        if self.changes(callee, v) {
            if self.control.is_some() {
                self.find((context, from, CONTROL), fact);
            }
            self.ask(callee, v, fact);
        } else if self.comes_back(callee, v) {
            self.through(fact, v);
        } else {
            // DF6.
            for w in earlier_than(&site.saved, v) {
                self.find((context, from, w), fact);
            }
        }
    }

    /// DF7: asks what a callee computes the value of a variable from, for a fact behind a call of it.
    pub(crate) fn ask(&mut self, callee: u32, v: u32, behind: Fact) {
        let Some(end) = self.graph.exits[callee as usize] else { return };
        let next = self.answers.len() as u32;
        let context = *self.asked.entry((callee, v)).or_insert(next);
        if context == next {
            self.answers.push(Vec::new());
            self.waiting.push(Vec::new());
            let fact = (context, end, v);
            self.find(fact, fact);
        }
        self.waiting[context as usize].push(behind);
        for u in self.answers[context as usize].clone() {
            self.through(behind, u);
        }
    }

    /// Whether a fact behind a call waits for a question's answers.
    pub(crate) fn waits(&self, context: u32, behind: Fact) -> bool {
        self.waiting[context as usize].contains(&behind)
    }

    /// DF6, DF7: a variable matters at the entry of the callee, for a fact behind the call.
    fn through(&mut self, behind: Fact, u: u32) {
        let graph = self.graph;
        let Some(&site) = self.site_after.get(&behind.1) else { return };
        let site: &Site = &graph.sites[site as usize];
        for w in earlier_than(&site.enter, u) {
            self.find((behind.0, site.from, w), behind);
        }
    }

    /// The transition system.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// Whether a call arrives in a state.
    pub fn is_entry(&self, state: u32) -> bool {
        self.entry_of.contains_key(&state)
    }

    /// Where calls from a state come back to.
    pub fn returns(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let sites = self.calls.get(&state).into_iter().flatten();
        sites.map(|&i| self.graph.sites[i as usize].after)
    }

    /// Those that come to a state.
    pub(crate) fn before(&self, state: u32) -> &[(Label, u32)] {
        &self.before[state as usize]
    }

    /// The variables that matter at each state, ascending.
    pub(crate) fn sets(&self) -> Vec<Vec<u32>> {
        let mut sets: Vec<Vec<u32>> = vec![Vec::new(); self.graph.states() as usize];
        for &(context, state, v) in self.why.keys() {
            if context == UP && v != CONTROL {
                sets[state as usize].push(v);
            }
        }
        sets.iter_mut().for_each(|set| set.sort_unstable());
        sets
    }

    pub(crate) fn effort(&self) -> u64 {
        self.why.keys().filter(|fact| fact.0 != DOWN).count() as u64
    }
}

/// The variable that decides before a transition what another one is behind it.
pub(crate) fn earlier(label: Label, v: u32) -> Option<u32> {
    match label {
        Label::Assign(target, source) if target == v => source,
        _ => Some(v),
    }
}

/// The same for stages, ascending.
pub(crate) fn earlier_than(stages: &[Vec<Label>], v: u32) -> Vec<u32> {
    let mut now = vec![v];
    for stage in stages.iter().rev().filter(|stage| !stage.is_empty()) {
        now = stage
            .iter()
            .flat_map(|&label| now.iter().filter_map(move |&v| earlier(label, v)))
            .collect();
        now.sort_unstable();
        now.dedup();
    }
    now
}

/// The states of each function, from its entry on without those of what it calls; state 0 is that of one function more.
pub(crate) fn states_of(graph: &Graph) -> Vec<Vec<u32>> {
    let mut sites: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for site in &graph.sites {
        sites.entry(site.from).or_default().push(site.after);
    }
    let entries: FxHashSet<u32> = graph.entries.iter().flatten().copied().collect();
    let ends: FxHashSet<u32> = graph.exits.iter().flatten().copied().collect();
    let mut seen = vec![u32::MAX; graph.states() as usize];
    let starts = graph.entries.iter().copied().chain([Some(0)]);
    let mut out = Vec::new();
    for (f, start) in starts.enumerate() {
        let mut found: Vec<u32> = start.into_iter().collect();
        found.iter().for_each(|&s| seen[s as usize] = f as u32);
        let mut at = 0;
        while at < found.len() {
            let state = found[at];
            at += 1;
            if ends.contains(&state) {
                continue;
            }
            let plain = graph.from(state).iter().map(|t| t.1).filter(|t| !entries.contains(t));
            for to in plain.chain(sites.get(&state).into_iter().flatten().copied()) {
                if seen[to as usize] != f as u32 {
                    seen[to as usize] = f as u32;
                    found.push(to);
                }
            }
        }
        out.push(found);
    }
    out
}

/// By function: what it, or what it calls, may assign, and lives beyond it.
fn modified(graph: &Graph) -> Vec<BitSet> {
    let functions = graph.functions.len();
    let mut out: Vec<BitSet> = vec![BitSet::new(graph.variables.len()); functions];
    for (f, states) in states_of(graph).iter().enumerate().take(functions) {
        for &state in states {
            for &(label, _) in graph.from(state) {
                if let Label::Assign(v, _) = label
                    && !graph.variables[v as usize].automatic
                {
                    out[f].insert(v as usize);
                }
            }
        }
    }
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); functions];
    for site in &graph.sites {
        callers[site.callee as usize].push(site.caller);
    }
    let mut work: Vec<u32> = (0..functions as u32).collect();
    while let Some(f) = work.pop() {
        callers[f as usize].sort_unstable();
        callers[f as usize].dedup();
        for &caller in &callers[f as usize] {
            if caller != f {
                let own = out[f as usize].clone();
                if out[caller as usize].union(&own) {
                    work.push(caller);
                }
            }
        }
    }
    out
}
