//! What a proof says of each statement, in words.
//!
//! A proof relates the valuation with which a frame was entered to the one at a statement; here the first is
//! forgotten, so that what is shown is a set of states: what can hold there at most.

use crate::Reader;
use check::{Area, Certificate, Partial, SetBit, SetId};
use ir::{Layout, NodeId, Program};
use rustc_hash::FxHashSet;

/// So many ways through a graph are followed, and so many cases are told.
const WAYS: usize = 4_000;
const CASES: usize = 12;

/// The sets of a proof.
pub(super) struct Invariants<'a> {
    program: &'a Program,
    proof: &'a Certificate,
    layout: Layout,
    reader: Reader<'a>,
    entry: FxHashSet<(usize, u32)>,
}

impl<'a> Invariants<'a> {
    pub(super) fn new(program: &'a Program, proof: &'a Certificate) -> Invariants<'a> {
        let layout = Layout::new(program);
        let mut entry = FxHashSet::default();
        for proc in proof.procs.ids() {
            for &var in &proof.procs[proc].unchanged {
                entry.extend(layout.slot(var).bits().map(|bit| (ir::Id::index(proc), bit)));
            }
        }
        Invariants { program, proof, layout, reader: Reader::new(program), entry }
    }

    /// Whether no run comes to a statement.
    pub(super) fn never(&self, node: NodeId) -> bool {
        self.proof.path[node] == SetId::empty()
    }

    /// Where a bit stands in a state; none for one of the entry, which is forgotten. A global that a procedure
    /// leaves unchanged has the value that it had there.
    fn now(&self, node: NodeId, bit: SetBit) -> Option<u32> {
        let proc = ir::Id::index(self.program.nodes[node].proc);
        match bit.area {
            Area::Global => Some(bit.index),
            Area::Local => Some(self.layout.global_bits + bit.index),
            Area::EntryGlobal if self.entry.contains(&(proc, bit.index)) => Some(bit.index),
            _ => None,
        }
    }

    /// The states, as cases; none if there are too many.
    fn cases(&self, node: NodeId) -> Option<Vec<Partial>> {
        let bits = self.layout.scope_bits();
        let mut todo = vec![(self.proof.path[node], Partial::unknown(bits))];
        let mut out: Vec<Partial> = Vec::new();
        let mut ways = 0;
        while let Some((set, state)) = todo.pop() {
            ways += 1;
            if ways > WAYS {
                return None;
            }
            let Some(decision) = self.proof.sets.node(set) else {
                if set != SetId::empty() {
                    out.push(state);
                }
                continue;
            };
            let here = self.now(node, decision.bit);
            for (value, next) in [(true, decision.hi), (false, decision.lo)] {
                if next == SetId::empty() {
                    continue;
                }
                let mut state = state.clone();
                match here {
                    Some(bit) if state.get(bit) == Some(!value) => continue,
                    Some(bit) => state.set(bit, Some(value)),
                    None => {}
                }
                todo.push((next, state));
            }
        }
        Some(merged(out, bits))
    }

    /// What can hold at a statement.
    pub(super) fn at(&self, node: NodeId) -> String {
        let Some(cases) = self.cases(node) else {
            return "too many cases to be told".to_owned();
        };
        let mut reader = Reader::new(self.program);
        let scope = reader.scope(self.program.nodes[node].proc);
        let mut told: Vec<String> = Vec::new();
        for case in &cases {
            let values = scope.iter().filter_map(|&var| {
                let value = self.reader.pattern(case, var)?;
                Some(format!("{}={value}", self.program.var_name(var)))
            });
            let text = values.collect::<Vec<_>>().join(" ");
            if !told.contains(&text) {
                told.push(text);
            }
        }
        // A case without a condition on what has a name is all of them.
        if told.iter().any(String::is_empty) {
            return "anything".to_owned();
        }
        let more = told.len().saturating_sub(CASES);
        told.truncate(CASES);
        let told = told.join(" or ");
        if more > 0 { format!("{told} or {more} more cases") } else { told }
    }
}

/// Cases that differ in one bit become one, and those that another one covers go.
fn merged(mut cases: Vec<Partial>, bits: u32) -> Vec<Partial> {
    if cases.len() > 200 {
        return cases;
    }
    loop {
        let mut found = None;
        'pairs: for i in 0..cases.len() {
            for j in i + 1..cases.len() {
                let differ: Vec<u32> =
                    (0..bits).filter(|&b| cases[i].get(b) != cases[j].get(b)).take(2).collect();
                match differ[..] {
                    [] => found = Some((i, j, None)),
                    [bit] => found = Some((i, j, Some(bit))),
                    _ => continue,
                }
                break 'pairs;
            }
        }
        let Some((i, j, bit)) = found else { return cases };
        if let Some(bit) = bit {
            // Open in one of them, or 0 here and 1 there: open in both.
            cases[i].set(bit, None);
        }
        cases.remove(j);
    }
}
