//! Comparison with the independent reference in Python, where it is present: exact state sets of
//! every statement, and lengths of shortest hierarchical traces.
#![allow(clippy::print_stderr)]

use crate::common;
use crate::common::{assertions, hierarchical_length, program, reach};
use check::{Area, Observation, Task, Verdict};
use front_bp::Dialect;
use ir::{Layout, NodeId, Program, VarKind};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Statements by procedure and line; several on one line are told apart by their order.
type Place = (String, u32);
/// Names of the variables that are true.
type State = Vec<String>;

#[derive(Default)]
struct Expected {
    seed: String,
    text: String,
    nodes: BTreeMap<Place, Vec<BTreeSet<State>>>,
    labels: Vec<(String, Option<usize>)>,
    assert: Option<usize>,
}

#[test]
fn states_and_lengths() {
    let Some(oracle) = common::oracle() else {
        eprintln!("skipped: no oracle beside the workspace");
        return;
    };
    let mut compared = 0;
    for (first, count, profile) in [(1, 60, "small"), (1000, 50, "medium"), (2000, 10, "large")] {
        let output = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle_states.py"))
            .args([first.to_string(), count.to_string(), profile.to_string()])
            .env("PYTHONPATH", &oracle)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                eprintln!("skipped: python3 does not run ({error})");
                return;
            }
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for expected in read(&String::from_utf8(output.stdout).unwrap()) {
            compare(&expected);
            compared += 1;
        }
    }
    assert!(compared >= 100, "only {compared} programs were compared");
}

fn read(text: &str) -> Vec<Expected> {
    let mut out = Vec::new();
    let mut current = Expected::default();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "program" => current.seed = rest.to_owned(),
            "|" => {
                current.text.push_str(rest);
                current.text.push('\n');
            }
            "node" => {
                let (place, states) = rest.split_once(':').unwrap();
                let (proc, number) = place.split_once(' ').unwrap();
                let states = states.strip_prefix(' ').unwrap_or(states);
                let states = match states {
                    "none" => BTreeSet::new(),
                    list => list
                        .split(';')
                        .map(|s| s.split_whitespace().map(str::to_owned).collect())
                        .collect(),
                };
                let place = (proc.to_owned(), number.parse().unwrap());
                current.nodes.entry(place).or_default().push(states);
            }
            "label" => {
                let (label, length) = rest.split_once(' ').unwrap();
                current.labels.push((label.to_owned(), length.parse().ok()));
            }
            "assert" => current.assert = rest.parse().ok(),
            "end" => out.push(std::mem::take(&mut current)),
            _ => panic!("unexpected line: {line}"),
        }
    }
    out
}

fn compare(expected: &Expected) {
    let seed = &expected.seed;
    let program = program(seed, &expected.text, Dialect::Standard)
        .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", expected.text));
    let statements: Vec<NodeId> =
        program.nodes.ids().filter(|&n| program.nodes[n].statement).collect();
    let mut goals = vec![assertions(&program)];
    for (label, _) in &expected.labels {
        let (proc, label) = label.split_once(':').unwrap();
        goals.push(reach(program.labelled(program.proc_named(proc), label)));
    }
    let mut task = Task::new(program.clone(), goals);
    for &node in &statements {
        let vars = program.scope(program.nodes[node].proc).collect();
        task.observe.push(Observation { node, vars });
    }
    task.wants.all_nodes = true;
    let answer = common::run(&task);

    let mut found: BTreeMap<Place, Vec<BTreeSet<State>>> = BTreeMap::new();
    for (observation, set) in task.observe.iter().zip(&answer.observed) {
        let node = observation.node;
        let states = states(&program, node, &answer.sets, set.expect("the search was complete"));
        let reached = answer.reached.as_ref().unwrap();
        assert_eq!(reached[ir::Id::index(node)], !states.is_empty());
        let info = &program.nodes[node];
        let place = (program.proc_name(info.proc).to_owned(), info.origin.line);
        found.entry(place).or_default().push(states);
    }
    assert_eq!(found, expected.nodes, "seed {seed}\n{}", expected.text);

    let mut other = task.clone();
    other.wants.trace = check::TraceMode::Any;
    common::run(&other);

    let lengths = answer.verdicts.iter().map(|verdict| match verdict {
        Verdict::Violated(Some(trace)) => {
            assert!(trace.shortest);
            Some(hierarchical_length(&program, trace))
        }
        Verdict::Holds(certificate) => {
            assert!(certificate.is_some());
            None
        }
        other => panic!("seed {seed}: {other:?}"),
    });
    // To the error node it is one step more than to the failing assertion.
    let wanted = [expected.assert.map(|n| n + 1)]
        .into_iter()
        .chain(expected.labels.iter().map(|(_, length)| *length));
    assert_eq!(
        lengths.collect::<Vec<_>>(),
        wanted.collect::<Vec<_>>(),
        "seed {seed}\n{}",
        expected.text
    );
}

/// The names of the true variables, for each valuation in the set.
fn states(
    program: &Program,
    node: NodeId,
    sets: &check::StateSets,
    set: check::SetId,
) -> BTreeSet<State> {
    let layout = Layout::new(program);
    let vars: Vec<ir::VarId> = program.scope(program.nodes[node].proc).collect();
    let mut out = BTreeSet::new();
    for valuation in 0u32..1 << vars.len() {
        let value = |i: usize| valuation >> i & 1 == 1;
        let member = sets.contains(set, |bit| {
            let position = vars.iter().position(|&v| {
                let global = program.vars[v].kind == VarKind::Global;
                layout.slot(v).offset == bit.index && global == (bit.area == Area::Global)
            });
            value(position.expect("a variable in scope"))
        });
        if member {
            let mut names: State = (0..vars.len())
                .filter(|&i| value(i))
                .map(|i| program.var_name(vars[i]).to_owned())
                .collect();
            names.sort();
            out.insert(names);
        }
    }
    out
}
