//! Certificates of hand-built programs, accepted and refused.

mod common;

use check::{
    Area, Budget, Certificate, Goal, Limits, ProcClaim, SetBit, SetId, StateSets, StopReason,
    Target,
};
use common::{at, origin};
use ir::{Id, IndexVec, Init, NodeId, ProcId, Program, ProgramBuilder, Rel, Type, VarId};
use replay::{CertRefusal, Rule, check_certificate};
use std::time::{Duration, Instant};

fn bit(area: Area, index: u32) -> SetBit {
    SetBit { area, index }
}

/// `g := 1; flip(); flip(); assume(!g) → bad`, with `flip() { g := !g }` and an untouched `h`.
struct Flip {
    program: Program,
    m: [NodeId; 5],
    n: [NodeId; 2],
    certificate: Certificate,
    main: ProcId,
    flip: ProcId,
}

fn flip() -> Flip {
    let mut b = ProgramBuilder::new();
    b.file("flip");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let h = b.global("h", Type::BOOL, o);
    let (main, flip) = (b.proc("main", o), b.proc("flip", o));
    b.begin_proc(main);
    let m: [NodeId; 5] = std::array::from_fn(|i| at(&mut b, 1 + i as u32));
    b.entry(main, m[0]);
    b.begin_proc(flip);
    let n: [NodeId; 2] = std::array::from_fn(|i| at(&mut b, 10 + i as u32));
    b.entry(flip, n[0]);
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    b.step(m[0], m[1], Rel::assign([(g, Some(ir::Exprs::TRUE))], 0));
    b.call(m[1], flip, Rel::identity(), m[2], Rel::identity());
    b.call(m[2], flip, Rel::identity(), m[3], Rel::identity());
    b.step(m[3], m[4], Rel::guarded(ng, 0));
    b.step(n[0], n[1], Rel::assign([(g, Some(ng))], 0));
    b.ret(n[1], Rel::identity(), false);
    let program = b.finish(main, Init::default());
    program.validate().unwrap();

    let mut sets = StateSets::new();
    let (no, yes) = (SetId::empty(), SetId::full());
    let on = sets.ite(bit(Area::Global, 0), no, yes);
    let off = sets.ite(bit(Area::Global, 0), yes, no);
    let same = sets.ite(bit(Area::EntryGlobal, 0), off, on);
    let differ = sets.ite(bit(Area::EntryGlobal, 0), on, off);
    let mut path: IndexVec<NodeId, SetId> = IndexVec::filled(no, program.nodes.len());
    for (node, set) in [(m[0], yes), (m[1], on), (m[2], off), (m[3], on), (m[4], no)] {
        path[node] = set;
    }
    path[n[0]] = same;
    path[n[1]] = differ;
    let mut procs = IndexVec::new();
    procs.push(ProcClaim { summary: no, unchanged: vec![h] });
    procs.push(ProcClaim { summary: differ, unchanged: vec![h] });
    Flip { program, m, n, certificate: Certificate { sets, path, procs, repeat: None }, main, flip }
}

#[test]
fn refusals_name_the_rule_and_the_node() {
    let f = flip();
    let check = |certificate: &Certificate| {
        let goals = [Goal::Reach(vec![Target::at(f.m[4])])];
        check_certificate(&f.program, &goals, certificate, &Budget::unlimited())
    };
    let fails = |certificate: &Certificate| match check(certificate).unwrap_err() {
        CertRefusal::Fails { rule, node, .. } => (rule, node),
        other => panic!("{other}"),
    };
    let report = check(&f.certificate).unwrap();
    // The start, three steps, a return, two calls in and out, a goal.
    assert_eq!(report.instances, 1 + 3 + 1 + 4 + 1);
    assert_eq!(report.size, 4);
    let decided = report.trivial + report.repeated + report.enumerated + report.solved;
    assert_eq!(decided, report.instances);
    let (no, yes) = (SetId::empty(), SetId::full());

    let with = |node: NodeId, set: SetId| {
        let mut bad = f.certificate.clone();
        bad.path[node] = set;
        bad
    };
    let (on, off) = (f.certificate.path[f.m[1]], f.certificate.path[f.m[2]]);
    assert_eq!(fails(&with(f.m[0], no)), (Rule::C1, f.m[0]));
    assert_eq!(fails(&with(f.m[0], on)), (Rule::C1, f.m[0]));
    assert_eq!(fails(&with(f.m[1], no)), (Rule::C2, f.m[0]));
    assert_eq!(fails(&with(f.m[1], off)), (Rule::C2, f.m[0]));
    assert_eq!(fails(&with(f.n[0], no)), (Rule::C3, f.m[1]));
    assert_eq!(fails(&with(f.n[1], no)), (Rule::C2, f.n[0]));
    assert_eq!(fails(&with(f.m[2], no)), (Rule::C5, f.m[1]));
    assert_eq!(fails(&with(f.m[3], off)), (Rule::C5, f.m[2]));
    assert_eq!(fails(&with(f.m[3], yes)), (Rule::C2, f.m[3]));
    assert_eq!(fails(&with(f.m[4], yes)), (Rule::C6, f.m[4]));
    // A condition at the goal.
    assert!(check(&with(f.m[0], yes)).is_ok());
    // The summary, empty and cut.
    let mut bad = f.certificate.clone();
    bad.procs[f.flip].summary = no;
    assert_eq!(fails(&bad), (Rule::C4, f.n[1]));
    let mut bad = f.certificate.clone();
    bad.procs[f.flip].summary = bad.sets.ite(bit(Area::EntryGlobal, 0), no, off);
    assert_eq!(fails(&bad), (Rule::C4, f.n[1]));
    let mut bad = f.certificate.clone();
    bad.procs[f.flip].summary = yes;
    assert_eq!(fails(&bad), (Rule::C5, f.m[1]));
    // `g` is not unchanged in `flip`; in `main` neither, from the first step on.
    let g = VarId::new(0);
    let mut bad = f.certificate.clone();
    bad.procs[f.flip].unchanged.push(g);
    assert_eq!(fails(&bad).1, f.n[0]);
    let mut bad = f.certificate.clone();
    bad.procs[f.main].unchanged.push(g);
    assert_eq!(fails(&bad), (Rule::C2, f.m[0]));
    // `h` is unchanged in `main` only because it is in `flip`.
    let mut bad = f.certificate.clone();
    bad.procs[f.flip].unchanged.clear();
    assert_eq!(fails(&bad), (Rule::C5, f.m[1]));
    let mut good = f.certificate.clone();
    good.procs[f.main].unchanged.clear();
    assert!(check(&good).is_ok());
    let refusal = check(&with(f.m[2], no)).unwrap_err();
    assert_eq!(refusal.to_string(), "rule C5 fails at node 1 (main line 2, edge 1)");
}

#[test]
fn sets_must_fit_the_program() {
    let f = flip();
    let goals = [Goal::Reach(vec![Target::at(f.m[4])])];
    let check = |c: &Certificate| {
        check_certificate(&f.program, &goals, c, &Budget::unlimited()).unwrap_err()
    };
    let malformed = |c: &Certificate| matches!(check(c), CertRefusal::Malformed(_));
    for (area, index) in [(Area::Global, 2), (Area::Local, 0), (Area::Result, 0)] {
        let mut bad = f.certificate.clone();
        bad.path[f.m[0]] = bad.sets.ite(bit(area, index), SetId::full(), SetId::empty());
        assert!(malformed(&bad));
        let mut bad = f.certificate.clone();
        bad.procs[f.flip].summary = bad.sets.ite(bit(area, index), SetId::full(), SetId::empty());
        assert!(malformed(&bad));
    }
    let mut bad = f.certificate.clone();
    bad.path[f.m[0]] = SetId::new(77);
    assert!(malformed(&bad));
    let mut bad = f.certificate.clone();
    bad.path = IndexVec::filled(SetId::full(), 2);
    assert!(malformed(&bad));
    let repeat = [Goal::Repeat { marks: 0 }];
    let result = check_certificate(&f.program, &repeat, &f.certificate, &Budget::unlimited());
    assert!(matches!(result, Err(CertRefusal::Malformed(_))));
}

/// `n` procedures that each flip `g` by calling the next. `odd`: one that differs, in a way that
/// the certificate does not allow.
fn tower(n: usize, odd: Option<(usize, Odd)>) -> (Program, Certificate, NodeId) {
    let mut b = ProgramBuilder::new();
    b.file("tower");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let procs: Vec<ProcId> = (0..n).map(|i| b.proc(&format!("p{i}"), o)).collect();
    let x: Vec<VarId> = procs.iter().map(|&p| b.local(p, "x", Type::BOOL, o)).collect();
    let rg = b.exprs.pre(g);
    let ng = b.exprs.not(rg);
    let mut sets = StateSets::new();
    let (no, yes) = (SetId::empty(), SetId::full());
    let on = sets.ite(bit(Area::Global, 0), no, yes);
    let off = sets.ite(bit(Area::Global, 0), yes, no);
    let same = sets.ite(bit(Area::EntryGlobal, 0), off, on);
    let differ = sets.ite(bit(Area::EntryGlobal, 0), on, off);
    let mut path: IndexVec<NodeId, SetId> = IndexVec::new();
    let mut goal = None;
    for (i, &p) in procs.iter().enumerate() {
        b.begin_proc(p);
        let nodes: Vec<NodeId> = (0..5).map(|k| at(&mut b, k + 1)).collect();
        b.entry(p, nodes[0]);
        let rx = b.exprs.pre(x[i]);
        let nx = b.exprs.not(rx);
        let odd = odd.filter(|&(at, _)| at == i).map(|(_, odd)| odd);
        let start = match odd {
            Some(Odd::Negated) => ng,
            Some(Odd::Constant) => ir::Exprs::TRUE,
            Some(Odd::Choice) => b.exprs.choice(0),
            _ => rg,
        };
        b.step(nodes[0], nodes[1], Rel::assign([(x[i], Some(start))], 1));
        match procs.get(i + 1) {
            Some(&next) => b.call(nodes[1], next, Rel::identity(), nodes[2], Rel::identity()),
            None => b.step(nodes[1], nodes[2], Rel::assign([(g, Some(ng))], 0)),
        }
        // After a flip, `x != g`.
        let op = if odd == Some(Odd::Operator) { ir::BinaryOp::Xor } else { ir::BinaryOp::Iff };
        let equal = b.exprs.binary(op, rx, rg);
        b.step(nodes[2], nodes[3], Rel::guarded(equal, 0));
        b.step(nodes[2], nodes[4], Rel::assign([(x[i], Some(nx))], 0));
        b.ret(nodes[4], Rel::identity(), false);
        goal.get_or_insert(nodes[3]);
        // x is g at entry.
        let (x0, x1) = (bit(Area::Local, 0), bit(Area::EntryGlobal, 0));
        let lo = sets.ite(x0, yes, no);
        let hi = sets.ite(x0, no, yes);
        let x_entry = sets.ite(x1, lo, hi);
        let and = |sets: &mut StateSets, a: SetId, b: SetId| {
            // Both start with the bit at entry.
            let (a, b) = (sets.node(a).unwrap(), sets.node(b).unwrap());
            let join = |sets: &mut StateSets, p: SetId, q: SetId| {
                let p = sets.node(p).unwrap();
                let (lo, hi) = (
                    if p.lo == SetId::full() { q } else { SetId::empty() },
                    if p.hi == SetId::full() { q } else { SetId::empty() },
                );
                sets.ite(p.bit, lo, hi)
            };
            let (lo, hi) = (join(sets, a.lo, b.lo), join(sets, a.hi, b.hi));
            sets.ite(a.bit, lo, hi)
        };
        let before = and(&mut sets, same, x_entry);
        let after = and(&mut sets, differ, x_entry);
        for set in [same, before, after, no, differ] {
            path.push(set);
        }
    }
    let program = b.finish(procs[0], Init::default());
    program.validate().unwrap();
    let claim = ProcClaim { summary: differ, unchanged: Vec::new() };
    let procs = IndexVec::filled(claim, n);
    (program, Certificate { sets, path, procs, repeat: None }, goal.unwrap())
}

/// How one procedure of a tower differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Odd {
    Negated,
    Constant,
    Choice,
    Operator,
}

#[test]
fn unlike_procedures_are_not_taken_for_like_ones() {
    let n = 50;
    for odd in [Odd::Negated, Odd::Constant, Odd::Choice, Odd::Operator] {
        let (program, certificate, goal) = tower(n, Some((n / 2, odd)));
        let goals = [Goal::Reach(vec![Target::at(goal)])];
        match check_certificate(&program, &goals, &certificate, &Budget::unlimited()) {
            Err(CertRefusal::Fails { rule: Rule::C2, node, .. }) => {
                assert_eq!(program.nodes[node].proc, ProcId::new(n / 2), "{odd:?}");
            }
            other => panic!("{odd:?}: {other:?}"),
        }
    }
    // Other sets: each of them decides.
    let (program, certificate, goal) = tower(n, None);
    let goals = [Goal::Reach(vec![Target::at(goal)])];
    let check = |certificate: &Certificate| match check_certificate(
        &program,
        &goals,
        certificate,
        &Budget::unlimited(),
    ) {
        Err(CertRefusal::Fails { rule, node, .. }) => (rule, node),
        other => panic!("{other:?}"),
    };
    let node = |i: usize, k: usize| NodeId::new(5 * i + k);
    let full = SetId::full();
    let mut bad = certificate.clone();
    bad.procs[ProcId::new(30)].summary = full;
    assert_eq!(check(&bad), (Rule::C5, node(29, 1)));
    let mut bad = certificate.clone();
    bad.procs[ProcId::new(30)].summary = SetId::empty();
    assert_eq!(check(&bad), (Rule::C4, node(30, 4)));
    let mut bad = certificate.clone();
    bad.path[node(30, 1)] = full;
    assert_eq!(check(&bad), (Rule::C5, node(30, 1)));
    let mut bad = certificate.clone();
    bad.path[node(30, 0)] = SetId::empty();
    assert_eq!(check(&bad), (Rule::C3, node(29, 1)));
    let mut bad = certificate.clone();
    bad.procs[ProcId::new(30)].unchanged.push(VarId::new(0));
    assert_eq!(check(&bad), (Rule::C5, node(30, 1)));
    let mut bad = certificate;
    bad.procs[ProcId::new(n - 1)].unchanged.push(VarId::new(0));
    assert_eq!(check(&bad), (Rule::C2, node(n - 1, 1)));
}

#[test]
fn like_procedures_are_checked_once() {
    let n = 20_000;
    let (program, certificate, goal) = tower(n, None);
    let goals = [Goal::Reach(vec![Target::at(goal)])];
    let start = Instant::now();
    let report = check_certificate(&program, &goals, &certificate, &Budget::unlimited()).unwrap();
    assert!(report.instances > 5 * n);
    assert!(report.enumerated + report.solved < 20, "{report:?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // One of them differs.
    let mut bad = certificate;
    let node = NodeId::new(5 * 7777 + 2);
    bad.path[node] = SetId::empty();
    match check_certificate(&program, &goals, &bad, &Budget::unlimited()) {
        Err(CertRefusal::Fails { rule: Rule::C5, node, .. }) => {
            assert_eq!(node, NodeId::new(5 * 7777 + 1));
        }
        other => panic!("{other:?}"),
    }
    // Out of time.
    let budget = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    let result = check_certificate(&program, &goals, &bad, &budget);
    assert!(matches!(result, Err(CertRefusal::Stopped(StopReason::Time { .. }))));
}

/// `v0, …, vk := vk, v0, …` keeps the parity of `width` variables.
fn rotation(width: u32) -> (Program, Certificate, NodeId) {
    let mut b = ProgramBuilder::new();
    b.file("rotation");
    let o = origin(&mut b, 1);
    let vars: Vec<VarId> = (0..width).map(|i| b.global(&format!("v{i}"), Type::BOOL, o)).collect();
    let main = b.proc("main", o);
    b.begin_proc(main);
    let n: Vec<NodeId> = (0..3).map(|k| at(&mut b, k + 1)).collect();
    b.entry(main, n[0]);
    let reads: Vec<_> = vars.iter().map(|&v| b.exprs.pre(v)).collect();
    let shifted = (0..width as usize)
        .map(|i| (vars[i], Some(reads[(i + width as usize - 1) % width as usize])));
    let zero = vars.iter().map(|&v| (v, Some(ir::Exprs::FALSE)));
    b.step(n[0], n[1], Rel::assign(zero, 0));
    b.step(n[1], n[1], Rel::assign(shifted, 0));
    let mut parity = b.exprs.bool(false);
    for &r in &reads {
        parity = b.exprs.binary(ir::BinaryOp::Xor, parity, r);
    }
    b.step(n[1], n[2], Rel::guarded(parity, 0));
    let program = b.finish(main, Init::default());
    program.validate().unwrap();
    let mut sets = StateSets::new();
    let (mut even, mut odd) = (SetId::full(), SetId::empty());
    for i in (0..width).rev() {
        let here = bit(Area::Global, i);
        (even, odd) = (sets.ite(here, even, odd), sets.ite(here, odd, even));
    }
    let path = IndexVec::from_iter([SetId::full(), even, SetId::empty()]);
    let procs = IndexVec::filled(ProcClaim { summary: SetId::empty(), unchanged: Vec::new() }, 1);
    (program, Certificate { sets, path, procs, repeat: None }, n[2])
}

#[test]
fn wide_sets_go_to_the_solver() {
    // Rotation and parity take 2^n cases, or none that the solver minds.
    let (program, certificate, goal) = rotation(10);
    let goals = [Goal::Reach(vec![Target::at(goal)])];
    let small = check_certificate(&program, &goals, &certificate, &Budget::unlimited());
    let (program, certificate, goal) = rotation(24);
    let goals = [Goal::Reach(vec![Target::at(goal)])];
    let large = check_certificate(&program, &goals, &certificate, &Budget::unlimited());
    let (small, large) = (small.unwrap(), large.unwrap());
    assert!(small.enumerated > large.enumerated && large.solved >= 2, "{small:?} {large:?}");
    let mut bad = certificate;
    let even = bad.path[NodeId::new(1)];
    let cut = bad.sets.node(even).unwrap();
    bad.path[NodeId::new(1)] = bad.sets.ite(cut.bit, cut.lo, cut.lo);
    let result = check_certificate(&program, &goals, &bad, &Budget::unlimited());
    match result {
        Err(CertRefusal::Fails { rule: Rule::C2, node, .. }) => assert_eq!(node, NodeId::new(1)),
        other => panic!("{other:?}"),
    }
}
