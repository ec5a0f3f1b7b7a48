//! Listings of hand-built programs.

#[path = "../../replay/tests/common/mod.rs"]
mod common;

use check::{Budget, Goal, Limits, Target};
use common::{at, origin};
use ir::{Init, NodeId, ProcId, Program, ProgramBuilder, Rel, Type, VarId};
use replay::Value;
use reports::{Listed, ListedStep, Outcome, UnlistedCall, replay_listed};
use std::time::{Duration, Instant};

fn step(proc: ProcId, line: u32, depth: usize, state: &[(VarId, bool)]) -> ListedStep {
    let state = state.iter().map(|&(v, b)| (v, Value::Bool(b))).collect();
    ListedStep { proc, line, depth, state, folded: false, column: None, text: None }
}

fn run(program: &Program, steps: Vec<ListedStep>, target: NodeId) -> Outcome {
    let goal = Goal::Reach(vec![Target::at(target)]);
    replay_listed(program, &Listed { steps, goal }, &Budget::unlimited(), &mut |_| None)
}

const ACCEPTED: Outcome = Outcome::Accepted { assumed: None };

/// Two statements on each line, and an assertion that can fail.
#[test]
fn lines_may_be_shared_and_assertions_end_a_listing() {
    let mut b = ProgramBuilder::new();
    b.file("shared");
    let o = origin(&mut b, 1);
    let x = b.global("x", Type::BOOL, o);
    let main = b.proc("main", o);
    b.begin_proc(main);
    // 1: if (*) x := 0 else x := 1;  2: x := x; x := !x;  3: assert(x)
    let n: Vec<NodeId> = [1, 1, 1, 2, 2, 3].map(|line| at(&mut b, line)).into();
    let exit = b.silent();
    let error = b.error_node();
    b.entry(main, n[0]);
    let rx = b.exprs.pre(x);
    let nx = b.exprs.not(rx);
    b.step(n[0], n[1], Rel::identity());
    b.step(n[0], n[2], Rel::identity());
    b.step(n[1], n[3], Rel::assign([(x, Some(ir::Exprs::FALSE))], 0));
    b.step(n[2], n[3], Rel::assign([(x, Some(ir::Exprs::TRUE))], 0));
    b.step(n[3], n[4], Rel::assign([(x, Some(rx))], 0));
    b.step(n[4], n[5], Rel::assign([(x, Some(nx))], 0));
    b.step(n[5], exit, Rel::guarded(rx, 0));
    b.step(n[5], error, Rel::guarded(nx, 0));
    b.ret(exit, Rel::identity(), false);
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let lines = |values: [Option<bool>; 5]| -> Vec<ListedStep> {
        [1, 1, 2, 2, 3]
            .into_iter()
            .zip(values)
            .map(|(line, v)| {
                let state: Vec<(VarId, bool)> = v.map(|v| (x, v)).into_iter().collect();
                step(main, line, 0, &state)
            })
            .collect()
    };
    let (t, f) = (Some(true), Some(false));
    assert_eq!(run(&program, lines([None, None, t, t, f]), error), ACCEPTED);
    assert_eq!(run(&program, lines([None; 5]), error), ACCEPTED);
    assert_eq!(run(&program, lines([None, None, None, None, f]), error), ACCEPTED);
    // With x = 0 before line 2 the assertion holds.
    let refuted = |outcome: Outcome| match outcome {
        Outcome::Refuted { step, .. } => step,
        other => panic!("{other:?}"),
    };
    assert_eq!(refuted(run(&program, lines([None, None, f, f, None]), error)), 4);
    assert_eq!(refuted(run(&program, lines([None, None, t, f, None]), error)), 3);
    assert_eq!(refuted(run(&program, lines([None; 5])[..4].to_vec(), error)), 3);
    let mut odd = lines([None; 5]);
    odd[0].depth = 1;
    assert_eq!(refuted(run(&program, odd, error)), 0);
    let mut odd = lines([None; 5]);
    odd[2].depth = 2;
    assert_eq!(refuted(run(&program, odd, error)), 2);
    let mut odd = lines([None; 5]);
    odd[2].state.push((x, Value::Int(1)));
    assert_eq!(refuted(run(&program, odd, error)), 2);
    assert_eq!(refuted(run(&program, Vec::new(), error)), 0);
}

/// Sixty unconstrained globals are passed on as parameters, one of them matters.
#[test]
fn what_is_not_listed_and_does_not_matter_costs_nothing() {
    let width = 60;
    let mut b = ProgramBuilder::new();
    b.file("wide");
    let o = origin(&mut b, 1);
    let globals: Vec<VarId> =
        (0..width).map(|i| b.global(&format!("g{i}"), Type::BOOL, o)).collect();
    let (main, f) = (b.proc("main", o), b.proc("f", o));
    let params: Vec<VarId> =
        (0..width).map(|i| b.param(f, &format!("p{i}"), Type::BOOL, o)).collect();
    b.begin_proc(main);
    let m: Vec<NodeId> = (1..=3).map(|line| at(&mut b, line)).collect();
    b.entry(main, m[0]);
    b.begin_proc(f);
    let n: Vec<NodeId> = (11..=12).map(|line| at(&mut b, line)).collect();
    b.entry(f, n[0]);
    let reads: Vec<_> = globals.iter().map(|&g| b.exprs.pre(g)).collect();
    let enter = Rel::assign(params.iter().copied().zip(reads.into_iter().map(Some)), 0);
    b.call(m[0], f, enter, m[1], Rel::identity());
    b.step(m[1], m[2], Rel::identity());
    let matters = b.exprs.pre(params[7]);
    b.step(n[0], n[1], Rel::guarded(matters, 0));
    b.ret(n[1], Rel::identity(), true);
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let steps = |g: Option<bool>| {
        let state: Vec<(VarId, bool)> = g.map(|v| (globals[7], v)).into_iter().collect();
        vec![
            step(main, 1, 0, &state),
            step(f, 11, 1, &[]),
            step(f, 12, 1, &[]),
            step(main, 2, 0, &[]),
            step(main, 3, 0, &[]),
        ]
    };
    assert_eq!(run(&program, steps(Some(true)), m[2]), ACCEPTED);
    assert!(matches!(run(&program, steps(Some(false)), m[2]), Outcome::Refuted { step: 2, .. }));
    // Not listed, it is out of reach: said so, not guessed.
    assert!(matches!(run(&program, steps(None), m[2]), Outcome::Inconclusive { .. }));
}

/// `f` flips `g`; `main` calls it twice, folded.
#[test]
fn folded_calls_are_asked_about() {
    let mut b = ProgramBuilder::new();
    b.file("folded");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let h = b.global("h", Type::BOOL, o);
    let (main, f) = (b.proc("main", o), b.proc("f", o));
    let l = b.local(main, "l", Type::BOOL, o);
    b.begin_proc(main);
    let m: Vec<NodeId> = (1..=3).map(|line| at(&mut b, line)).collect();
    b.entry(main, m[0]);
    b.begin_proc(f);
    let n: Vec<NodeId> = (11..=12).map(|line| at(&mut b, line)).collect();
    b.entry(f, n[0]);
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    b.call(m[0], f, Rel::identity(), m[1], Rel::identity());
    b.call(m[1], f, Rel::identity(), m[2], Rel::identity());
    b.step(n[0], n[1], Rel::assign([(g, Some(ng))], 0));
    b.ret(n[1], Rel::identity(), false);
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let layout = ir::Layout::new(&program);
    let bit = layout.slot(g).offset;
    let replay = |values: [&[(VarId, bool)]; 3], answer: Option<bool>| {
        let mut steps: Vec<ListedStep> =
            (0..3).map(|i| step(main, 1 + i as u32, 0, values[i])).collect();
        steps[0].folded = true;
        steps[1].folded = true;
        let goal = Goal::Reach(vec![Target::at(m[2])]);
        let mut asked = Vec::new();
        let mut ask = |query: UnlistedCall| {
            let (before, after) = (query.before.get(bit), query.after.get(bit));
            asked.push((before, after));
            answer.map(|_| match (before, after) {
                (Some(before), Some(after)) => before != after,
                _ => true,
            })
        };
        let listed = Listed { steps, goal };
        let outcome = replay_listed(&program, &listed, &Budget::unlimited(), &mut ask);
        (outcome, asked)
    };
    let yes = Some(true);
    let all = [(g, true), (h, false), (l, true)];
    let flipped = [(g, false), (h, false), (l, true)];
    let (outcome, asked) = replay([&all, &flipped, &all], yes);
    assert_eq!(outcome, ACCEPTED);
    assert_eq!(asked, [(Some(true), Some(false)), (Some(false), Some(true))]);
    // `g` must change, `h` and `l` must not; the latter needs no question.
    let (outcome, _) = replay([&all, &all, &all], yes);
    assert!(matches!(outcome, Outcome::Refuted { step: 1, .. }));
    let (outcome, asked) = replay([&all, &[(h, true)], &[]], yes);
    assert!(matches!(outcome, Outcome::Refuted { step: 1, .. }));
    assert_eq!(asked, []);
    let (outcome, asked) = replay([&all, &[(l, false)], &[]], yes);
    assert!(matches!(outcome, Outcome::Refuted { step: 1, .. }));
    assert_eq!(asked, []);
    // Nobody knows.
    let (outcome, _) = replay([&all, &flipped, &all], None);
    assert!(matches!(outcome, Outcome::Inconclusive { .. }));
    // Not listed between the calls, `g` is whatever suits both questions: accepted, with a
    // remark.
    let (outcome, asked) = replay([&[(g, true)], &[], &[(g, false)]], yes);
    assert_eq!(outcome, Outcome::Accepted { assumed: Some(1) });
    assert_eq!(asked, [(Some(true), None), (None, Some(false))]);
}

/// After a folded call, edges that the listing does not show change what it returned.
#[test]
fn folded_calls_are_asked_for_what_they_left_behind() {
    let mut b = ProgramBuilder::new();
    b.file("stale");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let h = b.global("h", Type::BOOL, o);
    let (main, outer, f) = (b.proc("main", o), b.proc("outer", o), b.proc("f", o));
    b.begin_proc(main);
    let m: Vec<NodeId> = (1..=2).map(|line| at(&mut b, line)).collect();
    b.entry(main, m[0]);
    b.begin_proc(outer);
    let (k, back, out) = (at(&mut b, 11), b.silent(), b.silent());
    b.entry(outer, k);
    b.begin_proc(f);
    let n = at(&mut b, 21);
    b.entry(f, n);
    let (rg, rh) = (b.exprs.pre(g), b.exprs.pre(h));
    let ng = b.exprs.not(rg);
    b.call(m[0], outer, Rel::identity(), m[1], Rel::assign([(h, Some(rg))], 0));
    b.call(k, f, Rel::identity(), back, Rel::identity());
    // Silently: assume(h); g := !g; return.
    b.silent_edge(back, out, Rel { guard: rh, ..Rel::assign([(g, Some(ng))], 0) });
    b.ret(out, Rel::identity(), false);
    b.ret(n, Rel::assign([(g, None), (h, None)], 0), true);
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let layout = ir::Layout::new(&program);
    let bits = [g, h].map(|v| layout.slot(v).offset);
    let replay = |last: &[(VarId, bool)]| {
        let mut steps =
            vec![step(main, 1, 0, &[]), step(outer, 11, 1, &[]), step(main, 2, 0, last)];
        steps[1].folded = true;
        let goal = Goal::Reach(vec![Target::at(m[1])]);
        let mut asked = Vec::new();
        let mut ask = |query: UnlistedCall| {
            asked.push(bits.map(|bit| query.after.get(bit)));
            Some(true)
        };
        let listed = Listed { steps, goal };
        let outcome = replay_listed(&program, &listed, &Budget::unlimited(), &mut ask);
        asked.sort_unstable();
        (outcome, asked)
    };
    // `g` is the negation of what `f` left, and `h` then a copy of it; `f` must leave `h` true.
    for value in [false, true] {
        for last in [&[(g, value)][..], &[(h, value)], &[(g, value), (h, value)]] {
            assert_eq!(replay(last), (ACCEPTED, vec![[Some(!value), Some(true)]]));
        }
        let (outcome, asked) = replay(&[(g, value), (h, !value)]);
        assert!(matches!(outcome, Outcome::Refuted { step: 2, .. }), "{outcome:?}");
        assert_eq!(asked, Vec::<[Option<bool>; 2]>::new());
    }
}

/// A recursion of the given depth, down and up, `g` flipped on the way up.
#[test]
fn long_listings_take_linear_time() {
    let mut b = ProgramBuilder::new();
    b.file("deep");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let p = b.proc("p", o);
    b.begin_proc(p);
    let n: Vec<NodeId> = (1..=4).map(|line| at(&mut b, line)).collect();
    let exit = b.silent();
    b.entry(p, n[0]);
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    b.step(n[0], n[1], Rel::identity());
    b.step(n[0], n[2], Rel::identity());
    b.call(n[1], p, Rel::identity(), n[2], Rel::identity());
    b.step(n[2], n[3], Rel::assign([(g, Some(ng))], 0));
    b.step(n[3], exit, Rel::identity());
    b.ret(exit, Rel::identity(), false);
    let program = b.finish(p, Init::default());
    program.validate().unwrap();
    let listing = |depth: usize| {
        let mut steps = Vec::new();
        for d in 0..depth {
            steps.push(step(p, 1, d, &[(g, true)]));
            steps.push(step(p, 2, d, &[(g, true)]));
        }
        steps.push(step(p, 1, depth, &[(g, true)]));
        for (i, d) in (0..=depth).rev().enumerate() {
            steps.push(step(p, 3, d, &[(g, i % 2 == 0)]));
            steps.push(step(p, 4, d, &[(g, i % 2 == 1)]));
        }
        steps
    };
    let time = |depth: usize| {
        let steps = listing(depth);
        let start = Instant::now();
        assert_eq!(run(&program, steps.clone(), n[3]), ACCEPTED);
        let elapsed = start.elapsed();
        let mut bad = steps;
        let last = bad.len() - 1;
        bad[last].state[0].1 = Value::Bool(depth.is_multiple_of(2));
        let outcome = run(&program, bad, n[3]);
        assert!(matches!(outcome, Outcome::Refuted { step, .. } if step == last));
        elapsed
    };
    let (small, large) = (time(2_500), time(25_000));
    assert!(large < small * 40, "{small:?} for 2,500, {large:?} for 25,000");
    // Out of time.
    let budget = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    let listed = Listed { steps: listing(3), goal: Goal::Reach(vec![Target::at(n[3])]) };
    let outcome = replay_listed(&program, &listed, &budget, &mut |_| None);
    assert!(matches!(outcome, Outcome::Inconclusive { .. }));
}
