//! Traces of hand-built programs, accepted and refused.

use crate::common::{Setup, at, origin};
use check::{Frame, Segment, SegmentId, Step, Trace};
use ir::{
    Assign, BinaryOp, Expr, Id, Init, NodeId, ProcId, ProgramBuilder, Rel, Scalar, Time, Type,
    VarId,
};
use num_bigint::BigUint;
use replay::{Place, Reason};

fn seg(i: usize) -> SegmentId {
    SegmentId::new(i)
}

/// `decl g; main() { h := !g; A(g, h); skip; }  A(a1, a2) { if (a1) A(a2, a1) else g := a2 ... }`
/// with [bebop Fig. 1]'s shape: recursion, a dead local, an unmatched call at the end.
struct Fig1 {
    s: Setup,
    g: VarId,
    h: VarId,
    a1: VarId,
    a2: VarId,
    main: ProcId,
    a: ProcId,
    m: [NodeId; 4],
    n: [NodeId; 5],
}

fn fig1() -> Fig1 {
    let mut b = ProgramBuilder::new();
    b.file("fig1");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let (main, a) = (b.proc("main", o), b.proc("A", o));
    let h = b.local(main, "h", Type::BOOL, o);
    let a1 = b.param(a, "a1", Type::BOOL, o);
    let a2 = b.param(a, "a2", Type::BOOL, o);
    b.begin_proc(main);
    let m = [at(&mut b, 6), at(&mut b, 7), at(&mut b, 8), at(&mut b, 9)];
    b.entry(main, m[0]);
    let exit = b.silent();
    b.begin_proc(a);
    let n = [at(&mut b, 17), at(&mut b, 18), at(&mut b, 20), at(&mut b, 22), b.silent()];
    b.entry(a, n[0]);
    let (rg, rh) = (b.exprs.pre(g), b.exprs.pre(h));
    let ng = b.exprs.not(rg);
    b.step(m[0], m[1], Rel::assign([(h, Some(ng))], 0));
    b.call(m[1], a, Rel::assign([(a1, Some(rg)), (a2, Some(rh))], 0), m[2], Rel::identity());
    b.step(m[2], m[3], Rel::identity());
    b.step(m[3], exit, Rel::identity());
    b.ret(exit, Rel::identity(), false);
    let (r1, r2) = (b.exprs.pre(a1), b.exprs.pre(a2));
    let n1 = b.exprs.not(r1);
    b.step(n[0], n[1], Rel::guarded(r1, 0));
    b.step(n[0], n[2], Rel::guarded(n1, 0));
    b.call(n[1], a, Rel::assign([(a1, Some(r2)), (a2, Some(r1))], 0), n[3], Rel::identity());
    b.step(n[2], n[3], Rel::assign([(g, Some(r2))], 0));
    b.step(n[3], n[4], Rel::identity());
    b.ret(n[4], Rel::identity(), false);
    let s = Setup::new(b.finish(main, Init::default()));
    Fig1 { s, g, h, a1, a2, main, a, m, n }
}

/// main: h := !g; A(g,h) → A(h,g) → g := g … back; `skip` at line 8.
fn fig1_trace(f: &Fig1) -> Trace {
    let Fig1 { s, g, h, a1, a2, m, n, .. } = f;
    let inner = Segment {
        proc: f.a,
        steps: vec![
            s.step(s.edge(n[0], n[2]), &[(*a1, 0, 0), (*a2, 0, 1)]),
            s.step(s.edge(n[2], n[3]), &[(*a2, 0, 1)]),
            s.step(s.edge(n[3], n[4]), &[(*g, 0, 1)]),
            s.step(s.ret(n[4]), &[(*g, 0, 1)]),
        ],
        exit: s.exit(f.a, &[(*g, 0, 1)]),
    };
    let outer = Segment {
        proc: f.a,
        steps: vec![
            s.step(s.edge(n[0], n[1]), &[(*a1, 0, 1), (*a2, 0, 0)]),
            s.call(s.edge(n[1], n[3]), &[(*a1, 0, 1), (*a2, 0, 0)], seg(0)),
            s.step(s.edge(n[3], n[4]), &[(*g, 0, 1)]),
            s.step(s.ret(n[4]), &[(*g, 0, 1)]),
        ],
        exit: s.exit(f.a, &[(*g, 0, 1)]),
    };
    s.trace(
        vec![inner, outer],
        vec![
            s.step(s.edge(m[0], m[1]), &[(*g, 0, 1)]),
            s.call(s.edge(m[1], m[2]), &[(*g, 0, 1), (*h, 0, 0)], seg(1)),
            s.step(s.edge(m[2], m[3]), &[]),
        ],
        m[3],
        &[],
    )
}

#[test]
fn calls_are_listed_with_the_values_that_follow() {
    let f = fig1();
    let accepted = f.s.check(&fig1_trace(&f)).unwrap();
    // The dead `h` is shown: it follows from `g`. After the call, `g` follows from `a2`.
    let expected = "\
6@0 g=1
7@0 g=1 h=0
17@1 g=1 a1=1 a2=0
18@1 g=1 a1=1 a2=0
17@2 g=1 a1=0 a2=1
20@2 g=1 a1=0 a2=1
22@2 g=1 a1=0 a2=1
22@1 g=1 a1=1 a2=0
8@0 g=1 h=0
9@0 g=1 h=0
";
    assert_eq!(f.s.listing(&accepted, 100), expected);
    assert_eq!(accepted.total_steps(), BigUint::from(10u32));
    assert_eq!(accepted.hier_steps(), 3);
    // Nine entries do not fit: the inner call is folded, and `g` is open where it may be assigned
    // and nothing later needs it.
    let folded = "\
6@0 g=1
7@0 g=1 h=0
17@1 g=1 a1=1 a2=0
18@1 [3] g=1 a1=1 a2=0
22@1 a1=1 a2=0
8@0 h=0
9@0 h=0
";
    for max in [7, 8, 9] {
        assert_eq!(f.s.listing(&accepted, max), folded);
    }
    let all_folded = "6@0 g=1\n7@0 [6] g=1 h=0\n8@0 h=0\n9@0 h=0\n";
    for max in [0, 4, 6] {
        assert_eq!(f.s.listing(&accepted, max), all_folded);
    }
}

#[test]
fn frames_that_are_left_open_are_never_folded() {
    let f = fig1();
    let s = &f.s;
    // Stops inside the inner call, at line 20.
    let trace = Trace {
        segments: Default::default(),
        frames: vec![
            Frame {
                proc: f.main,
                steps: vec![
                    s.step(s.edge(f.m[0], f.m[1]), &[(f.g, 0, 1)]),
                    s.step(s.edge(f.m[1], f.m[2]), &[(f.g, 0, 1), (f.h, 0, 0)]),
                ],
            },
            Frame {
                proc: f.a,
                steps: vec![
                    s.step(s.edge(f.n[0], f.n[1]), &[(f.a1, 0, 1), (f.a2, 0, 0)]),
                    s.step(s.edge(f.n[1], f.n[3]), &[(f.a1, 0, 1), (f.a2, 0, 0)]),
                ],
            },
            Frame { proc: f.a, steps: vec![s.step(s.edge(f.n[0], f.n[2]), &[(f.a1, 0, 0)])] },
        ],
        target: f.n[2],
        end: s.state(&[]),
        shortest: false,
        lasso: None,
    };
    let accepted = s.check(&trace).unwrap();
    let expected = "\
6@0 g=1
7@0 g=1 h=0
17@1 g=1 a1=1 a2=0
18@1 g=1 a1=1 a2=0
17@2 g=1 a1=0 a2=1
20@2 g=1 a1=0 a2=1
";
    assert_eq!(s.listing(&accepted, 1), expected);
    assert_eq!(accepted.hier_steps(), 5);

    // The wrong frame.
    let mut bad = trace.clone();
    bad.frames[1].proc = f.main;
    assert!(matches!(s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
    // One frame less.
    let mut bad = trace.clone();
    bad.frames.pop();
    assert!(matches!(s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
    // `a1` cannot be 0 in both.
    let mut bad = trace;
    bad.frames[1].steps[0].state = s.state(&[(f.a1, 0, 0), (f.a2, 0, 0)]);
    assert!(s.check(&bad).is_err());
}

#[test]
fn every_needed_claim_is_checked() {
    let f = fig1();
    let good = fig1_trace(&f);
    // Flip each claimed bit in turn: refused if the run needs it, accepted if not; never a wrong
    // listing.
    let base = f.s.listing(&f.s.check(&good).unwrap(), 100);
    let bits = f.s.layout.scope_bits();
    let mut refused = 0;
    let mut flip = |trace: &Trace| match f.s.check(trace) {
        Err(_) => refused += 1,
        Ok(accepted) => assert_eq!(f.s.listing(&accepted, 100), base),
    };
    for segment in 0..good.segments.len() {
        for step in 0..good.segments[seg(segment)].steps.len() {
            for bit in 0..bits {
                let mut bad = good.clone();
                let state = &mut bad.segments[seg(segment)].steps[step].state;
                let Some(value) = state.get(bit) else { continue };
                state.set(bit, Some(!value));
                flip(&bad);
            }
        }
    }
    for step in 0..good.frames[0].steps.len() {
        for bit in 0..bits {
            let mut bad = good.clone();
            let state = &mut bad.frames[0].steps[step].state;
            let Some(value) = state.get(bit) else { continue };
            state.set(bit, Some(!value));
            flip(&bad);
        }
    }
    assert!(refused >= 7, "{refused}");
    // Dropped claims that a guard reads.
    let mut bad = good.clone();
    bad.segments[seg(0)].steps[0].state = f.s.state(&[(f.a2, 0, 1)]);
    let refusal = f.s.check(&bad).unwrap_err();
    assert_eq!(refusal.reason, Reason::Open { var: "a1".into() });
    assert_eq!(
        refusal.to_string(),
        "call 0, step 0 (edge 6, A line 17): the step depends on `a1`, of which the trace says \
         nothing here"
    );
    // Edges in the wrong place.
    let mut bad = good.clone();
    bad.frames[0].steps.swap(0, 1);
    assert!(matches!(f.s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
    let mut bad = good.clone();
    bad.segments[seg(0)].steps.pop();
    assert!(matches!(f.s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
    let mut bad = good.clone();
    bad.segments[seg(1)].steps[1].inside = Some(seg(1));
    assert!(matches!(f.s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
    let mut bad = good;
    bad.target = f.m[2];
    assert!(matches!(f.s.check(&bad).unwrap_err().reason, Reason::Malformed(_)));
}

/// One procedure, one edge with the given relation, from line 1 to line 2.
fn one_edge(
    build: impl FnOnce(&mut ProgramBuilder, ProcId) -> (Rel, Init),
) -> (Setup, NodeId, NodeId) {
    let mut b = ProgramBuilder::new();
    b.file("one");
    let o = origin(&mut b, 1);
    let main = b.proc("main", o);
    let (rel, init) = build(&mut b, main);
    b.begin_proc(main);
    let (n1, n2) = (at(&mut b, 1), at(&mut b, 2));
    b.entry(main, n1);
    b.step(n1, n2, rel);
    (Setup::new(b.finish(main, init)), n1, n2)
}

#[test]
fn integers_must_fit_and_be_defined() {
    let mut vars = None;
    let (s, n1, n2) = one_edge(|b, main| {
        let o = origin(b, 1);
        let x = b.local(main, "x", Type::int(3), o);
        let y = b.local(main, "y", Type::int(3), o);
        vars = Some((x, y));
        let (rx, ry) = (b.exprs.pre(x), b.exprs.pre(y));
        let seven = b.exprs.int(7);
        let sum = b.exprs.binary(BinaryOp::Add, rx, ry);
        let div = b.exprs.binary(BinaryOp::Div, seven, ry);
        (Rel::assign([(x, Some(sum)), (y, Some(div))], 0), Init::default())
    });
    let (x, y) = vars.unwrap();
    let run = |before: &[(VarId, u32, u64)], after: &[(VarId, u32, u64)]| {
        let trace = s.trace(vec![], vec![s.step(s.edge(n1, n2), before)], n2, after);
        s.check(&trace).map(|a| s.listing(&a, 9)).map_err(|r| r.reason)
    };
    // Nothing is needed afterwards, and yet both values must be defined and fit.
    assert_eq!(run(&[(x, 0, 3), (y, 0, 2)], &[]).unwrap(), "1@0 x=3 y=2\n2@0 x=5 y=3\n");
    assert_eq!(run(&[(x, 0, 6), (y, 0, 2)], &[]), Err(Reason::Value { var: "x".into() }));
    assert_eq!(run(&[(x, 0, 6), (y, 0, 0)], &[]), Err(Reason::Value { var: "y".into() }));
    assert_eq!(run(&[(x, 0, 6)], &[]), Err(Reason::Open { var: "y".into() }));
}

#[test]
fn targets_and_starts_have_conditions() {
    let mut e = None;
    let (s, n1, n2) = one_edge(|b, main| {
        let o = origin(b, 1);
        let g = b.global("g", Type::BOOL, o);
        let x = b.local(main, "x", Type::int(2), o);
        let (rg, rx) = (b.exprs.pre(g), b.exprs.pre(x));
        let two = b.exprs.int(2);
        let choice = b.exprs.choice(0);
        let is_two = b.exprs.binary(BinaryOp::Eq, rx, two);
        let either = b.exprs.and(choice, is_two);
        let init = b.exprs.or(rg, either);
        e = Some((g, x, is_two));
        (Rel::identity(), Init { condition: init, choices: 1 })
    });
    let (g, x, is_two) = e.unwrap();
    let run = |before: &[(VarId, u32, u64)], after: &[(VarId, u32, u64)]| {
        let trace = s.trace(vec![], vec![s.step(s.edge(n1, n2), before)], n2, after);
        s.check_if(&trace, is_two).map(|a| s.listing(&a, 9))
    };
    // `x` is needed by the condition at the end, so at the start it is known: `g` may be anything.
    assert_eq!(run(&[(g, 0, 0)], &[(x, 0, 2)]).unwrap(), "1@0 x=2\n2@0 x=2\n");
    assert_eq!(run(&[(g, 0, 1)], &[(x, 0, 2)]).unwrap(), "1@0 g=1 x=2\n2@0 g=1 x=2\n");
    let refusal = run(&[(g, 0, 1)], &[(x, 0, 1)]).unwrap_err();
    assert_eq!((refusal.place, refusal.reason), (Place::Target, Reason::Guard));
    let refusal = run(&[(g, 0, 1)], &[]).unwrap_err();
    assert_eq!(refusal.reason, Reason::Open { var: "x".into() });
    let refusal = run(&[(x, 0, 1)], &[(x, 0, 2)]).unwrap_err();
    assert_eq!(refusal.reason, Reason::Conflict { var: "x".into() });
    // The start alone.
    let start = |before: &[(VarId, u32, u64)]| {
        let trace = s.trace(vec![], vec![], n1, before);
        s.check(&trace).map(|a| s.listing(&a, 9)).map_err(|r| (r.place, r.reason))
    };
    assert_eq!(start(&[(g, 0, 1)]).unwrap(), "1@0 g=1\n");
    assert_eq!(start(&[(g, 0, 0), (x, 0, 2)]).unwrap(), "1@0 x=2\n");
    assert_eq!(start(&[(g, 0, 0), (x, 0, 1)]), Err((Place::Start, Reason::Guard)));
    assert_eq!(start(&[(g, 0, 0)]), Err((Place::Start, Reason::Open { var: "x".into() })));
}

#[test]
fn arrays_keep_the_cells_that_are_not_written() {
    let mut vars = None;
    let (s, n1, n2) = one_edge(|b, main| {
        let o = origin(b, 1);
        let a = b.global("a", Type::array(Scalar::Int { bits: 2 }, 1, 4), o);
        let i = b.local(main, "i", Type::int(3), o);
        let j = b.local(main, "j", Type::int(3), o);
        vars = Some((a, i, j));
        let (ri, rj) = (b.exprs.pre(i), b.exprs.pre(j));
        let aj = b.exprs.add(Expr::Index(Time::Pre, a, rj));
        let three = b.exprs.int(3);
        let write = |index, value| Assign { time: Time::Post, var: a, index, value };
        // a[i], a[j] := a[j], 3
        let rel = Rel {
            guard: ir::Exprs::TRUE,
            assigns: [write(Some(ri), Some(aj)), write(Some(rj), Some(three))].into(),
            constraint: ir::Exprs::TRUE,
            choices: 0,
        };
        (rel, Init::default())
    });
    let (a, i, j) = vars.unwrap();
    // Cells count from 0: a[1] is cell 0.
    let run = |before: &[(VarId, u32, u64)], after: &[(VarId, u32, u64)]| {
        let trace = s.trace(vec![], vec![s.step(s.edge(n1, n2), before)], n2, after);
        s.check(&trace).map(|a| s.listing(&a, 9)).map_err(|r| r.reason)
    };
    // a[1] := a[3] = 2, a[3] := 3.
    assert_eq!(
        run(&[(i, 0, 1), (j, 0, 3), (a, 2, 2), (a, 3, 1)], &[]).unwrap(),
        "1@0 a=-,-,2,- i=1 j=3\n2@0 a=2,-,3,- i=1 j=3\n"
    );
    // One cell, two values; one cell, one value; out of range.
    assert_eq!(
        run(&[(i, 0, 3), (j, 0, 3), (a, 2, 2)], &[]),
        Err(Reason::Disagree { var: "a".into() })
    );
    assert_eq!(
        run(&[(i, 0, 3), (j, 0, 3), (a, 2, 3)], &[]).unwrap(),
        "1@0 a=-,-,3,- i=3 j=3\n2@0 a=-,-,3,- i=3 j=3\n"
    );
    assert_eq!(
        run(&[(i, 0, 0), (j, 0, 3), (a, 2, 3)], &[]),
        Err(Reason::Value { var: "a".into() })
    );
    assert_eq!(
        run(&[(i, 0, 1), (j, 0, 5), (a, 2, 3)], &[]),
        Err(Reason::Value { var: "a".into() })
    );
    assert_eq!(run(&[(i, 0, 1), (a, 2, 3)], &[]), Err(Reason::Open { var: "j".into() }));
    assert_eq!(run(&[(i, 0, 1), (j, 0, 3)], &[]), Err(Reason::Open { var: "a".into() }));
}

/// Two edges: the relation, then a check that `what` is true.
fn then_assume(
    build: impl FnOnce(&mut ProgramBuilder, ProcId) -> (Rel, ir::ExprId),
) -> (Setup, [NodeId; 3]) {
    let mut b = ProgramBuilder::new();
    b.file("two");
    let o = origin(&mut b, 1);
    let main = b.proc("main", o);
    let (rel, what) = build(&mut b, main);
    b.begin_proc(main);
    let n = [at(&mut b, 1), at(&mut b, 2), at(&mut b, 3)];
    b.entry(main, n[0]);
    b.step(n[0], n[1], rel);
    b.step(n[1], n[2], Rel::guarded(what, 0));
    (Setup::new(b.finish(main, Init::default())), n)
}

#[test]
fn needed_cells_of_arrays_pass_by_writes() {
    let mut vars = None;
    let (s, n) = then_assume(|b, main| {
        let o = origin(b, 1);
        let a = b.global("a", Type::array(Scalar::Bool, 0, 4), o);
        let i = b.local(main, "i", Type::int(2), o);
        vars = Some((a, i));
        let ri = b.exprs.pre(i);
        let write =
            Assign { time: Time::Post, var: a, index: Some(ri), value: Some(ir::Exprs::TRUE) };
        let rel = Rel { assigns: [write].into(), ..Rel::identity() };
        let (zero, one) = (b.exprs.int(0), b.exprs.int(1));
        let a0 = b.exprs.add(Expr::Index(Time::Pre, a, zero));
        let a1 = b.exprs.add(Expr::Index(Time::Pre, a, one));
        (rel, b.exprs.and(a0, a1))
    });
    let (a, i) = vars.unwrap();
    let run = |before: &[(VarId, u32, u64)], between: &[(VarId, u32, u64)]| {
        let steps = vec![s.step(s.edge(n[0], n[1]), before), s.step(s.edge(n[1], n[2]), between)];
        let trace = s.trace(vec![], steps, n[2], &[]);
        s.check(&trace).map(|a| s.listing(&a, 9)).map_err(|r| r.reason)
    };
    let ones = [(a, 0, 1), (a, 1, 1)];
    assert_eq!(
        run(&[(i, 0, 0)], &ones).unwrap(),
        "1@0 a=-,1,-,- i=0\n2@0 a=1,1,-,- i=0\n3@0 a=1,1,-,- i=0\n"
    );
    assert_eq!(
        run(&[(i, 0, 2)], &ones).unwrap(),
        "1@0 a=1,1,-,- i=2\n2@0 a=1,1,1,- i=2\n3@0 a=1,1,1,- i=2\n"
    );
    assert_eq!(run(&[(i, 0, 2), (a, 1, 0)], &ones), Err(Reason::Other { var: "a".into() }));
    assert_eq!(run(&[(i, 0, 1), (a, 1, 0)], &ones).map(|_| ()), Ok(()));
}

#[test]
fn choices_and_constraints_are_searched() {
    // x, y, z := *, *, * constrain (x' ^ y' ^ z' ^ w)   then assume x & !y
    let mut vars = None;
    let (s, n) = then_assume(|b, main| {
        let o = origin(b, 1);
        let vs = ["x", "y", "z", "w"].map(|n| b.local(main, n, Type::BOOL, o));
        vars = Some(vs);
        let [x, y, z, w] = vs;
        let c: Vec<_> = (0..2).map(|k| b.exprs.choice(k)).collect();
        let nc = b.exprs.not(c[1]);
        let mut parity = b.exprs.pre(w);
        for v in [x, y, z] {
            let p = b.exprs.post(v);
            parity = b.exprs.binary(BinaryOp::Xor, parity, p);
        }
        let mut rel = Rel::assign([(x, Some(c[0])), (y, Some(nc)), (z, None)], 2);
        rel.constraint = parity;
        let (rx, ry) = (b.exprs.pre(x), b.exprs.pre(y));
        let ny = b.exprs.not(ry);
        (rel, b.exprs.and(rx, ny))
    });
    let [x, y, z, w] = vars.unwrap();
    let run = |before: &[(VarId, u32, u64)], between: &[(VarId, u32, u64)]| {
        let steps = vec![s.step(s.edge(n[0], n[1]), before), s.step(s.edge(n[1], n[2]), between)];
        let trace = s.trace(vec![], steps, n[2], &[]);
        s.check(&trace).map(|a| s.listing(&a, 9)).map_err(|r| r.reason)
    };
    // `w` matters, `z` is found; before the step x, y, z are unconstrained, and z stays so.
    assert_eq!(
        run(&[(w, 0, 0), (x, 0, 0)], &[(x, 0, 1), (y, 0, 0)]).unwrap(),
        "1@0 w=0\n2@0 x=1 y=0 w=0\n3@0 x=1 y=0 w=0\n"
    );
    assert!(run(&[(w, 0, 1)], &[(x, 0, 1), (y, 0, 0), (z, 0, 1)]).is_ok());
    // A claim about `z` is taken at its word.
    assert_eq!(run(&[(w, 0, 1)], &[(x, 0, 1), (y, 0, 0), (z, 0, 0)]), Err(Reason::Constraint));
    assert_eq!(run(&[], &[(x, 0, 1), (y, 0, 0)]), Err(Reason::Open { var: "w".into() }));
    assert_eq!(run(&[(w, 0, 1)], &[(x, 0, 1), (y, 0, 1)]), Err(Reason::Guard));
}

#[test]
fn hard_choices_go_to_the_solver() {
    // The parity of 40 choices must be odd, and their number at least 13: too much for a search
    // that tries them one by one.
    let build = |parity: bool| {
        then_assume(move |b, main| {
            let o = origin(b, 1);
            let v = b.local(main, "v", Type::BOOL, o);
            let (mut xor, mut sum) = (b.exprs.bool(parity), b.exprs.int(0));
            let (zero, one) = (b.exprs.int(0), b.exprs.int(1));
            for k in 0..40 {
                let c = b.exprs.choice(k);
                xor = b.exprs.binary(BinaryOp::Xor, xor, c);
                let n = b.exprs.add(Expr::Ite(c, one, zero));
                sum = b.exprs.binary(BinaryOp::Add, sum, n);
            }
            let limit = b.exprs.int(if parity { 39 } else { 41 });
            let many = b.exprs.binary(BinaryOp::Ge, sum, limit);
            let guard = b.exprs.and(many, xor);
            let rv = b.exprs.pre(v);
            let guard = b.exprs.and(guard, rv);
            (Rel::guarded(guard, 40), rv)
        })
    };
    for (parity, possible) in [(true, true), (false, false)] {
        let (s, n) = build(parity);
        let v = s.program.procs[s.program.entry].locals[0];
        let steps = vec![
            s.step(s.edge(n[0], n[1]), &[(v, 0, 1)]),
            s.step(s.edge(n[1], n[2]), &[(v, 0, 1)]),
        ];
        let result = s.check(&s.trace(vec![], steps, n[2], &[]));
        assert_eq!(result.is_ok(), possible, "{:?}", result.err());
    }
}

#[test]
fn disjunctions_need_one_operand_and_open_ones_are_refused() {
    let mut vars = None;
    let (s, n) = then_assume(|b, main| {
        let o = origin(b, 1);
        let vs = ["x", "y"].map(|n| b.local(main, n, Type::BOOL, o));
        vars = Some(vs);
        let [x, y] = vs.map(|v| b.exprs.pre(v));
        let nx = b.exprs.not(x);
        let tautology = b.exprs.or(x, nx);
        (Rel::guarded(tautology, 0), b.exprs.or(x, y))
    });
    let [x, y] = vars.unwrap();
    let run = |before: &[(VarId, u32, u64)], between: &[(VarId, u32, u64)]| {
        let steps = vec![s.step(s.edge(n[0], n[1]), before), s.step(s.edge(n[1], n[2]), between)];
        s.check(&s.trace(vec![], steps, n[2], &[])).map(|a| s.listing(&a, 9)).map_err(|r| r.reason)
    };
    assert_eq!(run(&[(x, 0, 0)], &[(y, 0, 1)]).unwrap(), "1@0 x=0 y=1\n2@0 x=0 y=1\n3@0 x=0 y=1\n");
    // Both claimed: one is enough.
    let both = [(x, 0, 1), (y, 0, 1)];
    assert_eq!(run(&both, &both).unwrap(), "1@0 x=1\n2@0 x=1\n3@0 x=1\n");
    assert_eq!(run(&[], &[(y, 0, 1)]), Err(Reason::Open { var: "x".into() }));
}

/// A push relation over `x''`, results, a constraint on the way in, a hidden monitor.
#[test]
fn push_relations_leave_saved_values_behind() {
    let mut b = ProgramBuilder::new();
    b.file("push");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::int(2), o);
    let monitor = b.hidden_global("monitor", Type::BOOL);
    let (main, f) = (b.proc("main", o), b.proc("f", o));
    let x = b.local(main, "x", Type::int(2), o);
    let y = b.local(main, "y", Type::int(2), o);
    let p = b.param(f, "p", Type::int(2), o);
    let r = b.result(f, "r", Type::int(2));
    b.begin_proc(main);
    let m = [at(&mut b, 1), at(&mut b, 2), at(&mut b, 3)];
    b.entry(main, m[0]);
    b.begin_proc(f);
    let n = at(&mut b, 9);
    b.entry(f, n);
    let (rx, rg, rp, rr) = (b.exprs.pre(x), b.exprs.pre(g), b.exprs.pre(p), b.exprs.pre(r));
    let one = b.exprs.int(1);
    // enter: g' = g, p' arbitrary with p' <= x + 1, x'' arbitrary with x'' != x, y'' := 1
    let pp = b.exprs.post(p);
    let sx = b.exprs.add(Expr::Read(Time::Saved, x));
    let x1 = b.exprs.binary(BinaryOp::Add, rx, one);
    let (c1, c2) = (b.exprs.binary(BinaryOp::Le, pp, x1), b.exprs.binary(BinaryOp::Ne, sx, rx));
    let saved = |var, value| Assign { time: Time::Saved, var, index: None, value };
    let enter = Rel {
        assigns: [saved(x, None), saved(y, Some(one))].into(),
        constraint: b.exprs.and(c1, c2),
        ..Rel::identity()
    };
    // back: y := r + y (saved)
    let ry = b.exprs.pre(y);
    let sum = b.exprs.binary(BinaryOp::Add, rr, ry);
    b.call(m[0], f, enter, m[1], Rel::assign([(y, Some(sum))], 0));
    // then y == 3, x == 2
    let (two, three) = (b.exprs.int(2), b.exprs.int(3));
    let (y3, x2) = (b.exprs.binary(BinaryOp::Eq, ry, three), b.exprs.binary(BinaryOp::Eq, rx, two));
    let end = b.exprs.and(y3, x2);
    b.step(m[1], m[2], Rel::guarded(end, 0));
    // f returns p, and g := g - 1 (must not fall below 0), monitor := true
    let less = b.exprs.binary(BinaryOp::Sub, rg, one);
    b.ret(
        n,
        Rel::assign([(r, Some(rp)), (g, Some(less)), (monitor, Some(ir::Exprs::TRUE))], 0),
        true,
    );
    let s = Setup::new(b.finish(main, Init::default()));
    let trace = |x0: u64, p0: u64, g0: u64, x_after: u64| {
        let inside = Segment {
            proc: f,
            steps: vec![s.step(s.ret(n), &[(p, 0, p0), (g, 0, g0)])],
            exit: s.exit(f, &[(r, 0, p0)]),
        };
        let steps = vec![
            s.call(s.edge(m[0], m[1]), &[(x, 0, x0), (g, 0, g0)], seg(0)),
            s.step(s.edge(m[1], m[2]), &[(x, 0, x_after), (y, 0, 3)]),
        ];
        s.trace(vec![inside], steps, m[2], &[])
    };
    let accepted = s.check(&trace(1, 2, 3, 2)).unwrap();
    let expected = "1@0 g=3 x=1\n9@1 g=3 p=2\n2@0 g=2 x=2 y=3\n3@0 g=2 x=2 y=3\n";
    assert_eq!(s.listing(&accepted, 9), expected);
    let reason = |t: &Trace| s.check(t).unwrap_err().reason;
    // p' <= x + 1 fails; x'' = x fails; g - 1 does not fit.
    assert_eq!(reason(&trace(0, 2, 3, 2)), Reason::Constraint);
    assert_eq!(reason(&trace(2, 2, 3, 2)), Reason::Constraint);
    assert!(s.check(&trace(3, 2, 3, 2)).is_ok());
    assert_eq!(reason(&trace(1, 2, 0, 2)), Reason::Value { var: "g".into() });
    let mut t = trace(1, 2, 3, 2);
    t.segments[seg(0)].exit = s.exit(f, &[(r, 0, 1)]);
    assert!(matches!(reason(&t), Reason::Other { .. }));
    t.segments[seg(0)].exit = s.exit(f, &[]);
    assert_eq!(reason(&t), Reason::Open { var: "r".into() });
}

/// `p0` does nothing; `p(i+1)` calls `p(i)` twice: a run of 2^i calls. Returns the setup, the
/// procedures' nodes and the trace.
fn doubling(depth: usize) -> (Setup, Trace) {
    let mut b = ProgramBuilder::new();
    b.file("doubling");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let procs: Vec<ProcId> = (0..=depth).map(|i| b.proc(&format!("p{i}"), o)).collect();
    let mut nodes = Vec::new();
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    for (i, &p) in procs.iter().enumerate() {
        b.begin_proc(p);
        let n = [at(&mut b, 10 * i as u32 + 1), at(&mut b, 10 * i as u32 + 2), b.silent()];
        b.entry(p, n[0]);
        for k in 0..2 {
            match i {
                0 => b.step(n[k], n[k + 1], Rel::assign([(g, Some(ng))], 0)),
                _ => b.call(n[k], procs[i - 1], Rel::identity(), n[k + 1], Rel::identity()),
            }
        }
        b.ret(n[2], Rel::identity(), false);
        nodes.push(n);
    }
    let s = Setup::new(b.finish(procs[depth], Init::default()));
    let v = [(g, 0, 1)];
    let mut segments = Vec::new();
    for i in 0..depth {
        let n = nodes[i];
        let step = |k: usize| match i {
            // Both calls run the same segment: `g` is 1 before and after.
            0 => s.step(s.edge(n[k], n[k + 1]), &[(g, 0, 1 - k as u64)]),
            _ => s.call(s.edge(n[k], n[k + 1]), &v, seg(i - 1)),
        };
        segments.push(Segment {
            proc: procs[i],
            steps: vec![step(0), step(1), s.step(s.ret(n[2]), &v)],
            exit: s.exit(procs[i], &v),
        });
    }
    let n = nodes[depth];
    let steps =
        (0..2).map(|k| s.call(s.edge(n[k], n[k + 1]), &v, seg(depth - 1))).collect::<Vec<Step>>();
    let trace = s.trace(segments, steps, n[2], &v);
    (s, trace)
}

#[test]
fn exponential_runs_are_counted_and_folded() {
    let depth = 200;
    let (s, trace) = doubling(depth);
    let rg = (0..s.program.exprs.len())
        .map(ir::ExprId::new)
        .find(|&e| matches!(s.program.exprs[e], Expr::Read(Time::Pre, _)))
        .unwrap();
    let accepted = s.check_if(&trace, rg).unwrap();
    // size(0) = 2, size(i + 1) = 2 + 2·size(i): 2^(i+2) - 2.
    let two = BigUint::from(2u32);
    assert_eq!(accepted.total_steps(), two.pow(depth as u32 + 2) - 2u32);
    assert_eq!(accepted.hier_steps(), 2);
    // 1,000 entries: levels 0..=7 give 2^9 - 2 = 510, one more 1,022.
    let shown: Vec<_> = accepted.shown(1000).collect();
    assert_eq!(shown.len(), 510);
    let folded: Vec<_> = shown.iter().filter_map(|e| e.folded.clone()).collect();
    assert_eq!(folded.len(), 256);
    assert!(folded.iter().all(|f| *f == two.pow(depth as u32 - 8 + 2) - 2u32));
    let total: BigUint = folded.iter().sum();
    assert_eq!(total + 510u32, accepted.total_steps());
    assert_eq!(shown.iter().map(|e| e.depth).max(), Some(7));
    // `g` is needed throughout, so it is known throughout.
    assert!(shown.iter().all(|e| e.state.get(0) == Some(true)));
    assert_eq!(accepted.shown(1022).count(), 1022);
    // Not folded, it streams.
    assert_eq!(accepted.shown(usize::MAX).take(100_000).count(), 100_000);

    // Not needed, `g` is open all the way, and open again after each folded call.
    let accepted = s.check(&trace).unwrap();
    assert!(accepted.shown(1000).all(|e| e.state.get(0).is_none()));

    // One wrong claim at the very bottom of 2^200 steps.
    let mut bad = trace;
    bad.segments[seg(0)].exit = s.exit(bad.segments[seg(0)].proc, &[(VarId::new(0), 0, 0)]);
    assert!(s.check_if(&bad, rg).is_err());
}

/// A chain of calls `depth` deep, each completed, with steps on the way down and up.
fn chain(depth: usize) -> (Setup, Trace) {
    let mut b = ProgramBuilder::new();
    b.file("chain");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let p = b.proc("p", o);
    let x = b.param(p, "x", Type::BOOL, o);
    b.begin_proc(p);
    let n: Vec<NodeId> = (1..=4).map(|line| at(&mut b, line)).collect();
    b.entry(p, n[0]);
    let (rg, rx) = (b.exprs.pre(g), b.exprs.pre(x));
    let (ng, nx) = (b.exprs.not(rg), b.exprs.not(rx));
    b.step(n[0], n[1], Rel::guarded(rx, 0));
    b.step(n[0], n[2], Rel::guarded(nx, 0));
    let choice = b.exprs.choice(0);
    b.call(n[1], p, Rel::assign([(x, Some(choice))], 1), n[2], Rel::identity());
    b.step(n[2], n[3], Rel::assign([(g, Some(ng))], 0));
    b.ret(n[3], Rel::identity(), true);
    let s = Setup::new(b.finish(p, Init::default()));
    let mut segments = Vec::new();
    for i in 0..depth {
        let gs = [(g, 0, (i % 2) as u64)];
        let after = [(g, 0, 1 - (i % 2) as u64)];
        let mut steps = match i {
            0 => vec![s.step(s.edge(n[0], n[2]), &[(x, 0, 0)])],
            _ => vec![
                s.step(s.edge(n[0], n[1]), &[(x, 0, 1)]),
                s.call(s.edge(n[1], n[2]), &[(x, 0, 1)], seg(i - 1)),
            ],
        };
        steps.push(s.step(s.edge(n[2], n[3]), &gs));
        steps.push(s.step(s.ret(n[3]), &after));
        segments.push(Segment { proc: p, steps, exit: s.exit(p, &after) });
    }
    let end = (depth % 2) as u64;
    let steps = vec![
        s.step(s.edge(n[0], n[1]), &[(x, 0, 1)]),
        s.call(s.edge(n[1], n[2]), &[(x, 0, 1)], seg(depth - 1)),
        s.step(s.edge(n[2], n[3]), &[(g, 0, end)]),
    ];
    let trace = s.trace(segments, steps, n[3], &[(g, 0, 1 - end)]);
    (s, trace)
}

#[test]
fn deep_runs_take_linear_time() {
    let time = |depth: usize| {
        let (s, trace) = chain(depth);
        let start = std::time::Instant::now();
        let read = (0..s.program.exprs.len())
            .map(ir::ExprId::new)
            .find(|&e| s.program.exprs[e] == Expr::Read(Time::Pre, VarId::new(0)))
            .unwrap();
        // An even depth ends with g = 1, needed all the way down to the initial value.
        let accepted = s.check_if(&trace, read).unwrap();
        assert_eq!(accepted.total_steps(), BigUint::from(4 * depth + 3));
        let listed = accepted.shown(usize::MAX);
        let mut count = 0;
        for entry in listed {
            count += 1;
            assert!(entry.state.get(0).is_some());
        }
        assert_eq!(count, 4 * depth + 3);
        assert!(accepted.shown(100_000).count() <= 100_000);
        start.elapsed()
    };
    let small = time(10_000);
    let large = time(100_000);
    // Ten times as deep: far below the hundred of anything quadratic.
    assert!(large < small * 40, "{small:?} for 10,000, {large:?} for 100,000");
}
