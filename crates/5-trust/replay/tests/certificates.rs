//! Certificates of hand-built programs, accepted and refused.

use crate::common::{at, origin};
use check::{
    Area, Budget, Certificate, Goal, Limits, MarkedClaim, ProcClaim, Rank, RepeatClaim, SetBit,
    SetId, StateSets, StopReason, Target,
};
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

/// `g := 1; while (*) skip; h(); assume(g); …again`, where `h` resets `g`, which is marked: the mark
/// is seen once at most.
struct Marked {
    program: Program,
    m: [NodeId; 3],
    n: [NodeId; 2],
    certificate: Certificate,
    main: ProcId,
    h: ProcId,
}

fn marked() -> Marked {
    let mut b = ProgramBuilder::new();
    b.file("marked");
    let o = origin(&mut b, 1);
    let g = b.global("g", Type::BOOL, o);
    let (main, h) = (b.proc("main", o), b.proc("h", o));
    b.begin_proc(main);
    let m: [NodeId; 3] = std::array::from_fn(|i| at(&mut b, 1 + i as u32));
    b.entry(main, m[0]);
    b.begin_proc(h);
    let n: [NodeId; 2] = std::array::from_fn(|i| at(&mut b, 10 + i as u32));
    b.entry(h, n[0]);
    let rg = b.exprs.pre(g);
    b.step(m[0], m[1], Rel::assign([(g, Some(ir::Exprs::TRUE))], 0));
    b.step(m[1], m[1], Rel::identity());
    b.call(m[1], h, Rel::identity(), m[2], Rel::identity());
    b.step(m[2], m[1], Rel::guarded(rg, 0));
    b.step(n[0], n[1], Rel::assign([(g, Some(ir::Exprs::FALSE))], 0));
    b.ret(n[1], Rel::identity(), false);
    let mut program = b.finish(main, Init::default());
    let edge = program.out_edges(n[0]).next().unwrap();
    program.edges[edge].marks = 1;
    program.validate().unwrap();

    let mut sets = StateSets::new();
    let (no, yes) = (SetId::empty(), SetId::full());
    let on = sets.ite(bit(Area::Global, 0), no, yes);
    let off = sets.ite(bit(Area::Global, 0), yes, no);
    let same = sets.ite(bit(Area::EntryGlobal, 0), no, on);
    let reset = sets.ite(bit(Area::EntryGlobal, 0), no, off);
    let path = IndexVec::from_iter([yes, on, off, same, reset]);
    let procs = IndexVec::from_iter([
        ProcClaim { summary: no, unchanged: Vec::new() },
        ProcClaim { summary: reset, unchanged: Vec::new() },
    ]);
    let carried = MarkedClaim {
        path: IndexVec::from_iter([no, no, off, no, reset]),
        summary: IndexVec::from_iter([no, reset]),
    };
    let ranks = vec![
        Rank { mark: 0, heads: vec![(m[2], off), (n[1], off)] },
        Rank { mark: 0, heads: vec![(n[0], on)] },
        Rank { mark: 0, heads: vec![(m[0], yes), (m[1], on)] },
    ];
    let repeat = Some(RepeatClaim { marked: vec![carried], ranks });
    Marked { program, m, n, certificate: Certificate { sets, path, procs, repeat }, main, h }
}

#[test]
fn planted_faults_in_repeat_claims_are_found() {
    let f = marked();
    let (m, n) = (f.m, f.n);
    let check = |certificate: &Certificate, marks: u32| {
        let goals = [Goal::Repeat { marks }];
        check_certificate(&f.program, &goals, certificate, &Budget::unlimited())
    };
    let report = check(&f.certificate, 1).unwrap();
    let decided = report.trivial + report.repeated + report.enumerated + report.solved;
    assert_eq!(decided, report.instances);
    let with = |change: &dyn Fn(&mut RepeatClaim)| {
        let mut bad = f.certificate.clone();
        change(bad.repeat.as_mut().unwrap());
        bad
    };
    let fails = |change: &dyn Fn(&mut RepeatClaim)| match check(&with(change), 1).unwrap_err() {
        CertRefusal::Fails { rule, node, .. } => (rule, node),
        other => panic!("{other}"),
    };
    let (no, yes) = (SetId::empty(), SetId::full());
    let reset = f.certificate.path[n[1]];
    // C7: what the marked edge leads to, what returns with the mark, what the call brings back.
    assert_eq!(fails(&|r| r.marked[0].path[n[1]] = no), (Rule::C7, n[0]));
    assert_eq!(fails(&|r| r.marked[0].summary[f.h] = no), (Rule::C7, n[1]));
    assert_eq!(fails(&|r| r.marked[0].path[m[2]] = no), (Rule::C7, m[1]));
    // It need not be exact, but what is more must be closed, too.
    assert!(check(&with(&|r| r.marked[0].path[n[0]] = reset), 1).is_ok());
    assert!(check(&with(&|r| r.marked[0].path[m[1]] = yes), 1).is_ok());
    assert_eq!(fails(&|r| r.marked[0].path[m[2]] = yes), (Rule::C7, m[2]));
    assert!(check(&with(&|r| r.marked[0].summary[f.main] = yes), 1).is_ok());
    // C8: a head without a rank; ranks that rise on a step and on a call that is entered.
    assert_eq!(
        fails(&|r| {
            r.ranks[2].heads.pop();
        }),
        (Rule::C8, m[1])
    );
    assert_eq!(fails(&|r| r.ranks[1].heads[0].1 = no), (Rule::C8, n[0]));
    assert_eq!(
        fails(&|r| {
            let first = r.ranks[2].heads.remove(0);
            r.ranks.insert(2, Rank { mark: 0, heads: vec![first] });
        }),
        (Rule::C8, m[0])
    );
    assert_eq!(fails(&|r| r.ranks.swap(1, 2)), (Rule::C8, m[1]));
    // C9: the marked edge, and the call with the mark inside, within a rank.
    assert_eq!(
        fails(&|r| {
            let head = r.ranks[1].heads.remove(0);
            r.ranks[0].heads.insert(1, head);
        }),
        (Rule::C9, n[0])
    );
    assert_eq!(
        fails(&|r| {
            let head = r.ranks[0].heads.remove(0);
            r.ranks[2].heads.push(head);
        }),
        (Rule::C9, m[1])
    );
    // The same without the mark on the edge is fine; with the mark on the loop it is not.
    let mut other = f.program.clone();
    let edge = other.out_edges(m[1]).next().unwrap();
    other.edges[edge].marks = 1;
    let goals = [Goal::Repeat { marks: 1 }];
    let repeat = with(&|r| r.marked[0].path[m[1]] = f.certificate.path[m[1]]);
    match check_certificate(&other, &goals, &repeat, &Budget::unlimited()).unwrap_err() {
        CertRefusal::Fails { rule: Rule::C9, node, .. } => assert_eq!(node, m[1]),
        refusal => panic!("{refusal}"),
    }
    // C1 to C5 are checked as ever.
    let mut bad = f.certificate.clone();
    bad.path[m[2]] = no;
    assert!(matches!(check(&bad, 1), Err(CertRefusal::Fails { rule: Rule::C5, .. })));

    let malformed = |certificate: &Certificate, marks| {
        matches!(check(certificate, marks), Err(CertRefusal::Malformed(_)))
    };
    assert!(malformed(&f.certificate, 0) && malformed(&f.certificate, 2));
    assert!(malformed(&Certificate { repeat: None, ..f.certificate.clone() }, 1));
    assert!(malformed(&with(&|r| r.ranks[0].mark = 1), 1));
    assert!(malformed(&with(&|r| r.ranks[0].heads.swap(0, 1)), 1));
    assert!(malformed(&with(&|r| r.ranks[0].heads[1].1 = reset), 1));
    assert!(malformed(&with(&|r| r.ranks[0].heads[1].0 = NodeId::new(99)), 1));
    assert!(malformed(&with(&|r| r.marked[0].path = IndexVec::filled(no, 1)), 1));
    assert!(malformed(&with(&|r| r.marked[0].summary[f.h] = SetId::new(99)), 1));
    // Out of time.
    let budget = Budget::new(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    let result = check_certificate(&f.program, &goals, &f.certificate, &budget);
    assert!(matches!(result, Err(CertRefusal::Stopped(StopReason::Time { .. }))));
}
