//! A transition system that was written, as a [`Graph`]: its labels tell what is tested, assigned and asserted
//! ([pbes §3.1]), and each of its states is a point.

use crate::graph::{Graph, Label, Point, Variable};
use lts::ExplicitLts;
use rustc_hash::FxHashMap;

/// The graph of a transition system. Labels are `BOOL !v`, `ASSERT !v`, `ASSIGN !v` and `ASSIGN !v !w`, or the same
/// after blanks (`BOOL v`); with more names (`BOOL v w`, `ASSIGN v w z`) they stand for one transition each.
/// All others change nothing.
pub fn of_lts(lts: &ExplicitLts, name: &str) -> Graph {
    let mut variables: Vec<Variable> = Vec::new();
    let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
    let mut variable = |name| {
        *ids.entry(name).or_insert_with(|| {
            let plain: &str = name;
            variables.push(Variable {
                name: plain.to_owned(),
                plain: plain.to_owned(),
                function: None,
                hidden: false,
                automatic: false,
                constant: false,
            });
            variables.len() as u32 - 1
        })
    };
    let mut meanings: Vec<Vec<Label>> = Vec::with_capacity(lts.labels().len());
    for text in lts.labels() {
        let (gate, names) = lts::split(text);
        let named: Vec<u32> = match gate {
            "BOOL" | "ASSERT" | "ASSIGN" => names.into_iter().map(&mut variable).collect(),
            _ => Vec::new(),
        };
        meanings.push(match (gate, &named[..]) {
            ("BOOL", [_, ..]) => named.iter().map(|&v| Label::Bool(v)).collect(),
            ("ASSERT", [_, ..]) => named.iter().map(|&v| Label::Assert(v)).collect(),
            ("ASSIGN", [v]) => vec![Label::Assign(*v, None)],
            ("ASSIGN", [v, rest @ ..]) => {
                rest.iter().map(|&w| Label::Assign(*v, Some(w))).collect()
            }
            _ => vec![Label::Silent],
        });
    }
    // States as a search from the first one meets them.
    let mut number: Vec<Option<u32>> = vec![None; lts.states() as usize];
    let mut order = vec![lts.initial_state()];
    number[lts.initial_state() as usize] = Some(0);
    let mut transitions = Vec::new();
    let mut next = 0;
    while let Some(&from) = order.get(next) {
        let here = next as u32;
        next += 1;
        for &(label, to) in lts.from(from) {
            let new = order.len() as u32;
            let target = *number[to as usize].get_or_insert(new);
            if target == new {
                order.push(to);
            }
            for &label in &meanings[label as usize] {
                transitions.push((here, label, target));
            }
        }
    }
    let points = (0..lts.states()).map(|state| Point {
        state: number[state as usize],
        function: 0,
        file: 0,
        line: 0,
        column: 0,
        text: format!("state {state}"),
        labels: Vec::new(),
    });
    let (functions, files) = (vec!["states".to_owned()], vec![name.to_owned()]);
    Graph::of(variables, functions, files, points.collect(), order.len() as u32, &transitions)
}
