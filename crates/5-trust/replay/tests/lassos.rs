//! Lassos of hand-built programs: accepted, refused, listed and judged.

use crate::common::{Setup, at, origin};
use check::{Budget, Frame, Goal, Lasso, Meaning, Op, OpId, Segment, SegmentId, Temporal, Trace};
use ir::{
    EdgeId, Exprs, Id, IndexVec, Init, NodeId, ProcId, Program, ProgramBuilder, Rel, Type, VarId,
};
use num_bigint::BigUint;
use replay::{Accepted, Judgement, Reason, check_lasso, check_trace, judge};
use reports::{ListedEnd, ListedLasso, ListedStep, Outcome, replay_lasso};

fn marked(mut program: Program, marks: &[(EdgeId, ir::MarkSet)]) -> Program {
    for &(edge, bits) in marks {
        program.edges[edge].marks = bits;
    }
    program
}

/// A formula from its operators; the last is the root. Atoms: globals, false elsewhere.
fn formula(program: &Program, atoms: &[VarId], ops: &[Op]) -> Temporal {
    let mut exprs = Exprs::default();
    let atoms = atoms
        .iter()
        .map(|&var| {
            let read = exprs.pre(var);
            let at = IndexVec::filled(read, program.nodes.len());
            Meaning { at, terminated: read, failed: read }
        })
        .collect();
    let ops: IndexVec<OpId, Op> = ops.iter().copied().collect();
    let root = OpId::new(ops.len() - 1);
    Temporal { ops, root, watch: Vec::new(), acceptor: None, atoms, exprs }
}

fn op(i: usize) -> OpId {
    OpId::new(i)
}

/// `G F atom` and `F G atom`.
fn gf(program: &Program, var: VarId) -> Temporal {
    let ops =
        [Op::True, Op::Atom(0), Op::Until(op(0), op(1)), Op::Not(op(0)), Op::Release(op(3), op(2))];
    formula(program, &[var], &ops)
}
fn fg(program: &Program, var: VarId) -> Temporal {
    let ops =
        [Op::True, Op::Atom(0), Op::Not(op(0)), Op::Release(op(2), op(1)), Op::Until(op(0), op(3))];
    formula(program, &[var], &ops)
}

/// `main: x := 1; while (x) { d := !d; y := *; }`, then `g := 1` and the end; or a failed assertion.
struct While {
    s: Setup,
    x: VarId,
    d: VarId,
    y: VarId,
    m: [NodeId; 5],
    exit: NodeId,
    error: NodeId,
}

fn while_loop() -> While {
    let mut b = ProgramBuilder::new();
    b.file("while");
    let o = origin(&mut b, 1);
    let x = b.global("x", Type::BOOL, o);
    let d = b.global("d", Type::BOOL, o);
    let y = b.global("y", Type::BOOL, o);
    let main = b.proc("main", o);
    b.begin_proc(main);
    let m: [NodeId; 5] = std::array::from_fn(|i| at(&mut b, 1 + i as u32));
    let exit = b.silent();
    let error = b.error_node();
    b.entry(main, m[0]);
    let (rx, rd) = (b.exprs.pre(x), b.exprs.pre(d));
    let (nx, nd) = (b.exprs.not(rx), b.exprs.not(rd));
    let any = b.exprs.choice(0);
    b.step(m[0], m[1], Rel::assign([(x, Some(any))], 1));
    b.step(m[1], m[2], Rel::guarded(rx, 0));
    b.step(m[1], m[4], Rel::guarded(nx, 0));
    b.step(m[2], m[3], Rel::assign([(d, Some(nd))], 0));
    b.step(m[3], m[1], Rel::assign([(y, Some(any))], 1));
    b.step(m[4], exit, Rel::guarded(nd, 0));
    b.step(m[4], error, Rel::guarded(rd, 0));
    b.ret(exit, Rel::identity(), false);
    let program = b.finish(main, Init::default());
    let program = marked(program, &[(EdgeId::new(3), 1), (EdgeId::new(4), 4)]);
    While { s: Setup::new(program), x, d, y, m, exit, error }
}

/// Claims in order: at the loop's three steps, and at its end.
type Values = [(VarId, u32, u64)];

fn while_trace(w: &While, loops: [&Values; 4]) -> Trace {
    let (s, m) = (&w.s, &w.m);
    let steps = vec![
        s.step(s.edge(m[0], m[1]), &[]),
        s.step(s.edge(m[1], m[2]), loops[0]),
        s.step(s.edge(m[2], m[3]), loops[1]),
        s.step(s.edge(m[3], m[1]), loops[2]),
    ];
    let mut trace = s.trace(vec![], steps, m[1], loops[3]);
    trace.lasso = Some(Lasso::Loop { frame: 0, step: 1 });
    trace
}

fn listing(s: &Setup, accepted: &Accepted) -> ListedLasso {
    let program = &s.program;
    let state = |shown: &replay::Shown, proc| {
        replay::state_vars(program, accepted.layout(), proc, &shown.state)
    };
    let mut shown: Vec<_> = accepted.shown(1000).collect();
    let end = match accepted.lasso().unwrap() {
        Lasso::Loop { .. } => ListedEnd::Loop { start: accepted.loop_start(1000).unwrap() },
        Lasso::Terminated => {
            ListedEnd::Terminated { state: state(&shown.pop().unwrap(), program.entry) }
        }
        Lasso::Failed => ListedEnd::Failed { state: state(&shown.pop().unwrap(), program.entry) },
    };
    let step = |shown: &replay::Shown| {
        let node = &program.nodes[shown.node];
        let (proc, line, depth) = (node.proc, node.origin.line, shown.depth);
        ListedStep {
            proc,
            line,
            depth,
            state: state(shown, proc),
            folded: false,
            column: None,
            text: None,
        }
    };
    ListedLasso {
        steps: shown.iter().map(step).collect(),
        end,
        growth: Some(accepted.loop_growth()),
    }
}

#[test]
fn a_loop_closes_on_what_matters_at_its_head() {
    let w = while_loop();
    let (x, d, y) = (w.x, w.d, w.y);
    // `d` has another value in each turn, `y` whatever it likes.
    let claims: [&Values; 4] = [
        &[(x, 0, 1), (d, 0, 0), (y, 0, 0)],
        &[(x, 0, 1), (d, 0, 0)],
        &[(x, 0, 1), (d, 0, 1)],
        &[(x, 0, 1), (d, 0, 1), (y, 0, 1)],
    ];
    let trace = while_trace(&w, claims);
    let check = |trace: &Trace, marks| check_trace(&w.s.program, &Goal::Repeat { marks }, trace);
    let accepted = check(&trace, 1).unwrap();
    // `d` is not shown: what it is in the first turn it is not in the second.
    assert_eq!(w.s.listing(&accepted, 100), "1@0\n2@0 x=1\n3@0 x=1\n4@0 x=1\n");
    assert_eq!(accepted.loop_start(100), Some(1));
    assert_eq!(accepted.total_steps(), BigUint::from(4u32));
    // The loop has marks 0 and 2.
    assert_eq!(check(&trace, 2).unwrap_err().reason, Reason::Mark { mark: 1 });
    assert_eq!(check(&trace, 99).unwrap_err().reason, Reason::Mark { mark: 1 });

    // Nothing is needed of `d`, but its claims are wanted for the formula: two turns.
    for (formula, expected) in [
        (gf(&w.s.program, d), Judgement::Satisfies),
        (fg(&w.s.program, d), Judgement::Violates),
        (gf(&w.s.program, x), Judgement::Satisfies),
    ] {
        let accepted = check_lasso(&w.s.program, &trace, Some(&formula)).unwrap();
        assert_eq!(judge(&accepted, &formula), expected);
        // Out of what the first acceptance left open, a run is made.
        let accepted = check(&trace, 1).unwrap();
        assert_eq!(judge(&accepted, &formula), expected);
    }
    // `y` can be what the formula wants.
    for value in [0, 1] {
        let all = [(x, 0, 1), (y, 0, value)];
        let trace = while_trace(&w, [&all, &all, &all, &all]);
        let formula = gf(&w.s.program, y);
        let accepted = check_lasso(&w.s.program, &trace, Some(&formula)).unwrap();
        let expected = [Judgement::Violates, Judgement::Satisfies][value as usize].clone();
        assert_eq!(judge(&accepted, &formula), expected);
        let shown = format!("1@0 y={value}\n2@0 x=1 y={value}\n3@0 x=1 y={value}\n");
        assert!(w.s.listing(&accepted, 100).starts_with(&shown));
        let listed = listing(&w.s, &accepted);
        let outcome = replay_lasso(&w.s.program, &listed, &formula, &Budget::unlimited());
        match value {
            0 => assert_eq!(outcome, Outcome::Accepted { assumed: None }),
            _ => assert!(matches!(outcome, Outcome::Inconclusive { .. })),
        }
    }
}

#[test]
fn wrong_loops_are_refused() {
    let w = while_loop();
    let x = w.x;
    let on: &Values = &[(x, 0, 1)];
    let good = while_trace(&w, [on, on, on, on]);
    let goal = Goal::Repeat { marks: 0 };
    let check = |trace: &Trace| check_trace(&w.s.program, &goal, trace);
    let refused = |trace: &Trace| check(trace).unwrap_err().reason;
    assert!(check(&good).is_ok());
    // The loop needs `x`, and cannot have it.
    assert_eq!(refused(&while_trace(&w, [&[(x, 0, 0)], on, on, on])), Reason::Guard);
    assert_eq!(
        refused(&while_trace(&w, [&[], &[], &[], &[]])),
        Reason::Open { var: "x".to_owned() }
    );
    // Another start, out of range, none at all.
    for lasso in [
        Some(Lasso::Loop { frame: 0, step: 0 }),
        Some(Lasso::Loop { frame: 0, step: 2 }),
        Some(Lasso::Loop { frame: 0, step: 4 }),
        Some(Lasso::Loop { frame: 1, step: 0 }),
        Some(Lasso::Terminated),
        Some(Lasso::Failed),
        None,
    ] {
        let bad = Trace { lasso, ..good.clone() };
        assert!(matches!(refused(&bad), Reason::Malformed(_)), "{lasso:?}");
        assert!(check_lasso(&w.s.program, &bad, None).is_err(), "{lasso:?}");
    }
    // To a place there is no loop.
    let place = Goal::Reach(vec![check::Target::at(w.m[1])]);
    assert!(check_trace(&w.s.program, &place, &good).is_err());
}

#[test]
fn a_loop_that_does_not_repeat_is_refused() {
    // x := 1; L: assume(x); x := 0; goto L
    let mut b = ProgramBuilder::new();
    b.file("once");
    let o = origin(&mut b, 1);
    let x = b.global("x", Type::BOOL, o);
    let main = b.proc("main", o);
    b.begin_proc(main);
    let m: [NodeId; 3] = std::array::from_fn(|i| at(&mut b, 1 + i as u32));
    b.entry(main, m[0]);
    let rx = b.exprs.pre(x);
    b.step(m[0], m[1], Rel::assign([(x, Some(Exprs::TRUE))], 0));
    b.step(m[1], m[2], Rel::guarded(rx, 0));
    b.step(m[2], m[1], Rel::assign([(x, Some(Exprs::FALSE))], 0));
    let s = Setup::new(b.finish(main, Init::default()));
    for claims in [[1, 1, 1], [1, 1, 0]] {
        let [head, mid, end] = claims;
        let steps = vec![
            s.step(s.edge(m[0], m[1]), &[]),
            s.step(s.edge(m[1], m[2]), &[(x, 0, head)]),
            s.step(s.edge(m[2], m[1]), &[(x, 0, mid)]),
        ];
        let mut trace = s.trace(vec![], steps, m[1], &[(x, 0, end)]);
        trace.lasso = Some(Lasso::Loop { frame: 0, step: 1 });
        let refusal = check_trace(&s.program, &Goal::Repeat { marks: 0 }, &trace).unwrap_err();
        let var = "x".to_owned();
        let expected = match end {
            1 => Reason::Other { var },
            _ => Reason::Closes { var },
        };
        assert_eq!(refusal.reason, expected, "{refusal}");
    }
    // The same as a listing.
    let step = |line, values: Vec<(VarId, replay::Value)>| ListedStep {
        proc: main,
        line,
        depth: 0,
        state: values,
        folded: false,
        column: None,
        text: None,
    };
    let on = vec![(x, replay::Value::Bool(true))];
    let steps = vec![step(1, vec![]), step(2, on.clone()), step(3, on)];
    let listed = ListedLasso { steps, end: ListedEnd::Loop { start: 1 }, growth: None };
    let f = gf(&s.program, x);
    let outcome = replay_lasso(&s.program, &listed, &f, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Refuted { .. }), "{outcome:?}");
    let late = ListedLasso { end: ListedEnd::Loop { start: 3 }, ..listed };
    let outcome = replay_lasso(&s.program, &late, &f, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Refuted { .. }), "{outcome:?}");
}

#[test]
fn a_loop_that_closes_after_several_turns_is_unrolled() {
    // L: assume(x | y); x, y := y, x; goto L
    let mut b = ProgramBuilder::new();
    b.file("swap");
    let o = origin(&mut b, 1);
    let x = b.global("x", Type::BOOL, o);
    let y = b.global("y", Type::BOOL, o);
    let main = b.proc("main", o);
    b.begin_proc(main);
    let m: [NodeId; 2] = std::array::from_fn(|i| at(&mut b, 1 + i as u32));
    b.entry(main, m[0]);
    let (rx, ry) = (b.exprs.pre(x), b.exprs.pre(y));
    let one = b.exprs.or(rx, ry);
    b.step(m[0], m[1], Rel::guarded(one, 0));
    b.step(m[1], m[0], Rel::assign([(x, Some(ry)), (y, Some(rx))], 0));
    let s = Setup::new(b.finish(main, Init::default()));
    let state: &Values = &[(x, 0, 1), (y, 0, 0)];
    let steps = vec![s.step(s.edge(m[0], m[1]), state), s.step(s.edge(m[1], m[0]), state)];
    let mut trace = s.trace(vec![], steps, m[0], &[(x, 0, 0), (y, 0, 1)]);
    trace.lasso = Some(Lasso::Loop { frame: 0, step: 0 });
    let accepted = check_trace(&s.program, &Goal::Repeat { marks: 0 }, &trace).unwrap();
    assert_eq!(accepted.total_steps(), BigUint::from(4u32));
    assert_eq!(accepted.loop_start(9), Some(0));
    assert_eq!(judge(&accepted, &fg(&s.program, x)), Judgement::Violates);
    assert_eq!(judge(&accepted, &gf(&s.program, x)), Judgement::Satisfies);
}

#[test]
fn finished_and_failed_runs_stutter() {
    let w = while_loop();
    let (s, m, x, d) = (&w.s, &w.m, w.x, w.d);
    let ends = |last: u64| {
        let state: &Values = &[(x, 0, 0), (d, 0, last)];
        let mut steps =
            vec![s.step(s.edge(m[0], m[1]), &[(d, 0, last)]), s.step(s.edge(m[1], m[4]), state)];
        let target = match last {
            0 => {
                steps.push(s.step(s.edge(m[4], w.exit), state));
                steps.push(s.step(s.ret(w.exit), state));
                w.exit
            }
            _ => {
                steps.push(s.step(s.edge(m[4], w.error), state));
                w.error
            }
        };
        let mut trace = s.trace(vec![], steps, target, state);
        trace.lasso = Some(if last == 0 { Lasso::Terminated } else { Lasso::Failed });
        trace
    };
    for last in [0, 1] {
        let trace = ends(last);
        assert!(check_trace(&s.program, &Goal::Repeat { marks: 0 }, &trace).is_err());
        let accepted = check_lasso(&s.program, &trace, None).unwrap();
        let text = format!("1@0 d={last}\n2@0 x=0 d={last}\n5@0 x=0 d={last}\n0@0 x=0 d={last}\n");
        assert_eq!(s.listing(&accepted, 100), text);
        assert_eq!(accepted.loop_start(100), Some(3));
        for (formula, expected) in [(gf(&s.program, d), last == 1), (fg(&s.program, x), false)] {
            let expected = if expected { Judgement::Satisfies } else { Judgement::Violates };
            assert_eq!(judge(&accepted, &formula), expected);
            let listed = listing(s, &accepted);
            let outcome = replay_lasso(&s.program, &listed, &formula, &Budget::unlimited());
            let violates = expected == Judgement::Violates;
            assert_eq!(outcome == Outcome::Accepted { assumed: None }, violates, "{outcome:?}");
            // The other end.
            let mut other = listed.clone();
            other.end = match other.end {
                ListedEnd::Terminated { state } => ListedEnd::Failed { state },
                ListedEnd::Failed { state } => ListedEnd::Terminated { state },
                end => end,
            };
            let outcome = replay_lasso(&s.program, &other, &formula, &Budget::unlimited());
            assert!(matches!(outcome, Outcome::Refuted { .. }), "{outcome:?}");
        }
        // Swapped, cut, from the wrong place.
        let mut bad = trace.clone();
        bad.lasso = Some(if last == 1 { Lasso::Terminated } else { Lasso::Failed });
        assert!(check_lasso(&s.program, &bad, None).is_err());
        let mut bad = trace.clone();
        bad.frames[0].steps.pop();
        assert!(check_lasso(&s.program, &bad, None).is_err());
        let mut bad = trace;
        bad.target = m[4];
        assert!(check_lasso(&s.program, &bad, None).is_err());
    }
    // A run that ends with `d` cannot end without it.
    let mut bad = ends(0);
    for step in &mut bad.frames[0].steps {
        step.state = s.state(&[(x, 0, 0), (d, 0, 1)]);
    }
    assert!(check_lasso(&s.program, &bad, None).is_err());
}

/// `f(a) { if (*) h(); f(!a) }`, a recursion without end; `h` sets `g`.
#[test]
fn the_stack_may_grow_in_the_loop() {
    let mut b = ProgramBuilder::new();
    b.file("grow");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let (main, f, h) = (b.proc("main", o), b.proc("f", o), b.proc("h", o));
    let a = b.param(f, "a", Type::BOOL, o);
    b.begin_proc(main);
    let m = [at(&mut b, 1), b.silent()];
    b.entry(main, m[0]);
    b.begin_proc(f);
    let n = [at(&mut b, 11), at(&mut b, 12), b.silent()];
    b.entry(f, n[0]);
    b.begin_proc(h);
    let k = [at(&mut b, 21), b.silent()];
    b.entry(h, k[0]);
    let ra = b.exprs.pre(a);
    let na = b.exprs.not(ra);
    b.call(m[0], f, Rel::assign([(a, Some(Exprs::FALSE))], 0), m[1], Rel::identity());
    b.call(n[0], h, Rel::guarded(na, 0), n[1], Rel::identity());
    b.step(n[0], n[1], Rel::guarded(ra, 0));
    b.call(n[1], f, Rel::assign([(a, Some(na))], 0), n[2], Rel::identity());
    b.step(k[0], k[1], Rel::assign([(g, Some(Exprs::TRUE))], 0));
    b.ret(k[1], Rel::identity(), false);
    let program = marked(b.finish(main, Init::default()), &[(EdgeId::new(4), 1)]);
    let s = Setup::new(program);
    let inside = Segment {
        proc: h,
        steps: vec![s.step(s.edge(k[0], k[1]), &[]), s.step(s.ret(k[1]), &[])],
        exit: s.exit(h, &[]),
    };
    // main; f(0) h f(1) f(0): the loop is two activations.
    let state = |v: u64| [(a, 0, v)];
    let frames = vec![
        Frame { proc: main, steps: vec![s.step(s.edge(m[0], m[1]), &[])] },
        Frame {
            proc: f,
            steps: vec![
                s.call(s.edge(n[0], n[1]), &state(0), SegmentId::new(0)),
                s.step(s.edge(n[1], n[2]), &state(0)),
            ],
        },
        Frame {
            proc: f,
            steps: vec![s.step(EdgeId::new(2), &state(1)), s.step(s.edge(n[1], n[2]), &state(1))],
        },
        Frame { proc: f, steps: vec![] },
    ];
    let trace = Trace {
        segments: IndexVec::from_iter([inside]),
        frames,
        target: n[0],
        end: s.state(&state(0)),
        shortest: false,
        lasso: Some(Lasso::Loop { frame: 1, step: 0 }),
    };
    // The mark is inside the completed call.
    let accepted = check_trace(&s.program, &Goal::Repeat { marks: 1 }, &trace).unwrap();
    let text = "1@0\n11@1 a=0\n21@2\n12@1 g=1 a=0\n11@2 g=1 a=1\n12@2 g=1 a=1\n";
    assert_eq!(s.listing(&accepted, 100), text);
    assert_eq!(accepted.loop_start(100), Some(1));
    assert_eq!(accepted.loop_start(3), Some(1));
    // `g` stays on: known only of a run that was made concrete.
    let f = fg(&s.program, g);
    let accepted = check_lasso(&s.program, &trace, Some(&f)).unwrap();
    assert_eq!(judge(&accepted, &f), Judgement::Satisfies);
    let not = [Op::Atom(0), Op::Not(op(0)), Op::True, Op::Until(op(2), op(1))];
    let mut never = formula(&s.program, &[g], &not);
    let accepted = check_lasso(&s.program, &trace, Some(&never)).unwrap();
    assert_eq!(judge(&accepted, &never), Judgement::Satisfies);
    // F G !g is false of it.
    never = formula(
        &s.program,
        &[g],
        &[
            Op::True,
            Op::Atom(0),
            Op::Not(op(0)),
            Op::Not(op(1)),
            Op::Release(op(2), op(3)),
            Op::Until(op(0), op(4)),
        ],
    );
    let accepted = check_lasso(&s.program, &trace, Some(&never)).unwrap();
    assert_eq!(judge(&accepted, &never), Judgement::Violates);
    let listed = listing(&s, &accepted);
    let f = never;
    let expected = Outcome::Accepted { assumed: None };
    assert_eq!(replay_lasso(&s.program, &listed, &f, &Budget::unlimited()), expected);
    // One activation fewer does not close: `a` differs.
    let mut bad = trace.clone();
    bad.frames.remove(3);
    bad.frames[2].steps.clear();
    bad.end = s.state(&state(1));
    let refusal = check_trace(&s.program, &Goal::Repeat { marks: 0 }, &bad).unwrap_err();
    assert_eq!(refusal.reason, Reason::Closes { var: "a".to_owned() });
    // A loop that would return below its start.
    let mut bad = trace.clone();
    bad.lasso = Some(Lasso::Loop { frame: 0, step: 0 });
    assert!(check_trace(&s.program, &Goal::Repeat { marks: 0 }, &bad).is_err());
    // Folded, it cannot be judged.
    let mut folded = listed;
    folded.steps[1].folded = true;
    folded.steps.remove(2);
    let outcome = replay_lasso(&s.program, &folded, &f, &Budget::unlimited());
    assert!(matches!(outcome, Outcome::Inconclusive { .. }));
}

/// `p0 { p1(); p1() } … pn { g := !g }` in a loop: 2^n steps each turn.
#[test]
fn exponential_loops_are_judged_without_being_written_down() {
    let n = 64;
    let mut b = ProgramBuilder::new();
    b.file("tower");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let main = b.proc("main", o);
    let procs: Vec<ProcId> = (0..n).map(|i| b.proc(&format!("p{i}"), o)).collect();
    b.begin_proc(main);
    let m = at(&mut b, 1);
    b.entry(main, m);
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    b.call(m, procs[0], Rel::identity(), m, Rel::identity());
    for (i, &p) in procs.iter().enumerate() {
        b.begin_proc(p);
        let k = [at(&mut b, 2), at(&mut b, 3), b.silent()];
        b.entry(p, k[0]);
        match procs.get(i + 1) {
            Some(&next) => {
                b.call(k[0], next, Rel::identity(), k[1], Rel::identity());
                b.call(k[1], next, Rel::identity(), k[2], Rel::identity());
            }
            None => {
                b.step(k[0], k[1], Rel::assign([(g, Some(ng))], 0));
                b.step(k[1], k[2], Rel::identity());
            }
        }
        b.ret(k[2], Rel::identity(), false);
    }
    let s = Setup::new(b.finish(main, Init::default()));
    // Segments with `g` before: 2·level + value.
    let mut segments: Vec<Segment> = Vec::new();
    for (i, &p) in procs.iter().enumerate().rev() {
        for value in [0, 1u64] {
            let k = NodeId::new(1 + 3 * i);
            let k = [k, NodeId::new(k.index() + 1), NodeId::new(k.index() + 2)];
            let steps = if i + 1 == n {
                let (before, after) = ([(g, 0, value)], [(g, 0, 1 - value)]);
                vec![
                    s.step(s.edge(k[0], k[1]), &before),
                    s.step(s.edge(k[1], k[2]), &after),
                    s.step(s.ret(k[2]), &after),
                ]
            } else {
                // The callee flips `g` if it is the last one, and keeps it otherwise.
                let below = segments.len() & !1;
                let flips = i + 2 == n;
                let mid = if flips { 1 - value } else { value };
                let inner = |v: u64| SegmentId::new(below - 2 + v as usize);
                vec![
                    s.call(s.edge(k[0], k[1]), &[(g, 0, value)], inner(value)),
                    s.call(s.edge(k[1], k[2]), &[(g, 0, mid)], inner(mid)),
                    s.step(s.ret(k[2]), &[(g, 0, value)]),
                ]
            };
            let last = if i + 1 == n { 1 - value } else { value };
            segments.push(Segment { proc: p, steps, exit: s.exit(p, &[(g, 0, last)]) });
        }
    }
    let top = segments.len() - 2;
    let steps = vec![s.call(s.edge(m, m), &[(g, 0, 0)], SegmentId::new(top))];
    let mut trace = s.trace(segments, steps, m, &[(g, 0, 0)]);
    trace.lasso = Some(Lasso::Loop { frame: 0, step: 0 });
    for (formula, expected) in
        [(gf(&s.program, g), Judgement::Satisfies), (fg(&s.program, g), Judgement::Violates)]
    {
        let accepted = check_lasso(&s.program, &trace, Some(&formula)).unwrap();
        assert!(accepted.total_steps() > BigUint::from(1u32) << 60);
        assert_eq!(judge(&accepted, &formula), expected);
        // A run is made of what is left open, each call once for each value of `g`.
        let accepted = check_lasso(&s.program, &trace, None).unwrap();
        assert_eq!(judge(&accepted, &formula), expected);
        assert_eq!(accepted.loop_start(10), Some(0));
    }
}
