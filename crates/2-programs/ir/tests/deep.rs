//! Nesting of any depth: no pass over expressions may use the call stack.

use crate::support::{Tables, Universe, sure};
use ir::blast::{blast_bool, blast_rel};
use ir::eval::{Code, Val};
use ir::{BinaryOp, Expr, ExprId, Init, Program, ProgramBuilder, Rel, Time, Type};

const DEPTH: usize = 100_000;

/// A program whose one step is guarded by what `nest` makes of `x`, applied over and over.
fn program(mut nest: impl FnMut(&mut ProgramBuilder, ExprId, ExprId) -> ExprId) -> Program {
    let mut b = ProgramBuilder::new();
    b.file("deep");
    let at = b.no_origin();
    let (x, y) = (b.global("x", Type::BOOL, at), b.global("y", Type::BOOL, at));
    let main = b.proc("main", at);
    b.begin_proc(main);
    let node = b.statement(at);
    b.entry(main, node);
    let (mut e, y) = (b.exprs.pre(x), b.exprs.pre(y));
    for _ in 0..DEPTH {
        e = nest(&mut b, e, y);
    }
    b.step(node, node, Rel::guarded(e, 0));
    b.finish(main, Init::default())
}

fn everything(program: Program, expected: fn(x: bool, y: bool) -> bool) {
    program.validate().unwrap();
    let ir::EdgeKind::Local { rel, .. } = &program.edges.iter().next().unwrap().kind else {
        panic!("a step")
    };
    let root = rel.guard;
    let mut universe = Universe::default();
    for &var in &program.globals {
        universe.add_var(&program, Time::Pre, var);
    }
    let mut tables = Tables::new(universe.clone());
    let blasted = sure(blast_bool(&program, root, &mut tables));
    let relation = sure(blast_rel(&program, rel, &mut tables, |_, _| true));
    assert_eq!(relation.enabled, blasted);
    let code = Code::new(&program, root);
    for valuation in universe.valuations() {
        let value = expected(valuation & 1 == 1, valuation & 2 == 2);
        assert_eq!(tables.value(blasted, valuation), value);
        assert_eq!(code.eval(&universe.env(valuation), &mut Vec::new()), Val::bool(value));
    }
    let mut reads = std::collections::BTreeSet::new();
    program.exprs.reads(root, |time, var| {
        reads.insert((time, var));
    });
    assert!((1..=2).contains(&reads.len()));
    assert!(ir::dump(&program).contains('…') || ir::expr_text(&program, root).len() < 100);
    let mut exprs = program.exprs.clone();
    let copy = exprs.map_leaves(root, |_, _| None);
    drop((exprs, copy, program));
}

#[test]
fn negations() {
    everything(program(|b, e, _| b.exprs.add(Expr::Not(e))), |x, _| x);
}

#[test]
fn conjunctions() {
    // Not simplified: each one is new.
    let nest = |b: &mut ProgramBuilder, e, y| b.exprs.binary(BinaryOp::And, y, e);
    everything(program(nest), |x, y| x && y);
}

#[test]
fn conditionals() {
    let nest = |b: &mut ProgramBuilder, e, y| b.exprs.add(Expr::Ite(y, e, y));
    everything(program(nest), |x, y| x && y);
}

#[test]
fn shared_operands() {
    // As a tree it would have 2^100,000 leaves.
    let nest = |b: &mut ProgramBuilder, e, _| b.exprs.binary(BinaryOp::Xor, e, e);
    everything(program(nest), |_, _| false);
}
