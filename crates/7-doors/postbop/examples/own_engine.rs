//! An engine of one's own: `cargo run -p postbop --example own_engine`.
//!
//! It looks at the control-flow graph alone, calls included, and at no values. Where no path leads to a goal, none of
//! the program's runs does: it holds. Where one does, it does not know. An engine that says `Violated` gives a trace;
//! `replay` judges that, not the engine.
#![allow(clippy::print_stdout)]

use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Task, Verdict};
use ir::{EdgeKind, Id, NodeId};
use postbop::{Property, SourceFile};
use property::Question;
use std::error::Error;
use std::sync::Arc;

/// Reachability in the graph.
struct Graph;

impl Engine for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let program = &*task.program;
        let mut reached = vec![false; program.nodes.len()];
        let mut work: Vec<NodeId> = vec![program.procs[program.entry].entry];
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut reached[node.index()], true) {
                continue;
            }
            // An engine looks at its limits often.
            if let Err(reason) = budget.poll() {
                return Answer::unknown(task, reason);
            }
            for edge in program.out_edges(node) {
                match &program.edges[edge].kind {
                    EdgeKind::Local { target, .. } => work.push(*target),
                    // What the callee does is not known: it may come back.
                    EdgeKind::Call(call) => {
                        work.extend([program.procs[call.callee].entry, call.ret]);
                    }
                    EdgeKind::Return { .. } => {}
                }
            }
        }
        let what = || "a path leads there, and values were not looked at".to_owned();
        let verdicts = task.goals.iter().map(|goal| match goal {
            Goal::Reach(targets) if targets.iter().all(|t| !reached[t.node.index()]) => {
                Verdict::Holds(None)
            }
            _ => Verdict::Unknown(StopReason::Unsupported { what: what() }),
        });
        let verdicts = verdicts.collect();
        Answer { verdicts, ..Answer::unknown(task, StopReason::Cancelled) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let text =
        "decl g; void main() begin g := 0; if (g) then L: skip; fi end void f() begin D: skip; end";
    let file = Arc::new(SourceFile::new("f.bp", text)?);
    let program = Arc::new(postbop::load(&[file], &postbop::Input::default())?);
    for label in ["L", "D"] {
        let question = Property::reach(label).question(&program).map_err(|e| e.to_string())?;
        let Question::Goal(goal) = question else { return Err("no goal".into()) };
        let task = Task::new(program.clone(), vec![goal]);
        let answer = Graph.run(&task, &Budget::new(Limits::default()));
        match &answer.verdicts[0] {
            Verdict::Holds(_) => println!("{label}: unreachable"),
            Verdict::Violated(_) => println!("{label}: reachable"),
            Verdict::Unknown(reason) => println!("{label}: unknown: {reason}"),
        }
    }
    Ok(())
}
