//! Shortest hierarchical traces [bebop §3.2]: what counts, and what does not.

use crate::common::{answer, hierarchical_length, program, reach, trace};
use check::TraceMode;
use front_bp::Dialect;
use ir::{Edge, EdgeKind, Init, NodeId, Program, ProgramBuilder, Rel};
use std::sync::Arc;

#[track_caller]
fn length(program: &Arc<Program>, node: NodeId) -> usize {
    let answer = answer(program, vec![reach([node])], TraceMode::Shortest);
    hierarchical_length(program, trace(&answer.verdicts[0]).expect("it is reachable"))
}

#[track_caller]
fn length_to(text: &str, label: &str) -> usize {
    let program = program("test.bp", text, Dialect::Standard).unwrap();
    length(&program, program.labelled(None, label)[0])
}

/// A completed call is one step, however much happens inside; an open one counts what is inside.
#[test]
fn completed_calls_count_one() {
    let text = "
        void main() begin
          if * then skip; skip; skip; else f(); fi
          R: skip;
        end
        void f() begin skip; skip; skip; S: skip; skip; skip; end";
    assert_eq!(length_to(text, "R"), 2);
    assert_eq!(length_to(text, "S"), 5);
}

/// The nearest caller counts, not the first in the text.
#[test]
fn the_nearest_open_call() {
    let text = "
        void main() begin
          if * then skip; skip; f(); else g(); fi
        end
        void g() begin f(); end
        void f() begin S: skip; end";
    assert_eq!(length_to(text, "S"), 3);
}

/// Edges that are no steps have length 0, calls among them, whatever their order: `f` is entered
/// over a step first and then again, nearer, over a silent edge and a silent call.
#[test]
fn silent_edges_count_nothing() {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let (main, f) = (b.proc("main", at), b.proc("f", at));
    b.begin_proc(main);
    let (first, second, exit) = (b.statement(at), b.silent(), b.silent());
    b.entry(main, first);
    b.call(first, f, Rel::identity(), exit, Rel::identity());
    b.silent_edge(first, second, Rel::identity());
    let call = ir::Call { callee: f, enter: Rel::identity(), ret: exit, back: Rel::identity() };
    let events = b.no_events();
    let kind = EdgeKind::Call(Box::new(call));
    b.edge(Edge { source: second, kind, step: false, events, marks: 0 });
    b.ret(exit, Rel::identity(), false);
    b.begin_proc(f);
    let (inner, last) = (b.statement(at), b.statement(at));
    b.entry(f, inner);
    b.step(inner, last, Rel::identity());
    b.ret(last, Rel::identity(), true);
    let program = Arc::new(b.finish(main, Init::default()));
    program.validate().unwrap();
    assert_eq!(length(&program, second), 0);
    assert_eq!(length(&program, inner), 0);
    assert_eq!(length(&program, last), 1);
    assert_eq!(length(&program, exit), 0);
}

/// The target of several that is nearest.
#[test]
fn the_nearest_target() {
    let text = "void main() begin if * then skip; A: skip; else B: skip; fi end";
    let program = program("test.bp", text, Dialect::Standard).unwrap();
    let nodes = ["A", "B"].map(|l| program.labelled(None, l)[0]);
    let answer = answer(&program, vec![reach(nodes)], TraceMode::Shortest);
    assert_eq!(trace(&answer.verdicts[0]).unwrap().target, nodes[1]);
}

/// Expanded calls are as short as their summaries allow, the return counted where it is a step.
#[test]
fn the_inside_is_short_as_well() {
    // `else` found last: running off the end is no step, the return is one.
    let text = "
        void main() begin f(); R: skip; end
        void f() begin
          if * then skip; skip; skip; else if * then else return; fi fi
        end";
    let program = program("test.bp", text, Dialect::Standard).unwrap();
    let answer = answer(&program, vec![reach(program.labelled(None, "R"))], TraceMode::Shortest);
    let trace = trace(&answer.verdicts[0]).unwrap();
    let segment = trace.segments.iter().next().unwrap();
    let steps = segment.steps.iter().filter(|s| program.edges[s.edge].step).count();
    assert_eq!(steps, 2, "two conditions, and off the end");
}
