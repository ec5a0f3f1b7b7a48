//! Blasted expressions and relations against the evaluator, over all valuations of a small
//! universe.
#![allow(clippy::print_stderr)]

use crate::support::direct::{Direct, Kind};
use crate::support::relations::random_relation;
use crate::support::{Bit, Maker, Rng, Tables, Universe, sure};
use ir::blast::{blast_bool, blast_rel};
use ir::eval::{Code, Val};
use ir::{BinaryOp, ExprId, Init, ProcId, Program, ProgramBuilder, Rel, Scalar, Time, Type, VarId};

/// A program with one variable of each kind of type, and no edges that matter.
struct Scene {
    b: ProgramBuilder,
    vars: Vec<(Time, VarId, Type)>,
    main: ProcId,
}

fn scene() -> Scene {
    let mut b = ProgramBuilder::new();
    let at = b.no_origin();
    let types = [
        Type::BOOL,
        Type::int(1),
        Type::int(2),
        Type::int(3),
        Type::array(Scalar::Int { bits: 2 }, -1, 2),
        Type::array(Scalar::Bool, 1, 3),
    ];
    let vars = types
        .into_iter()
        .enumerate()
        .map(|(i, ty)| (Time::Pre, b.global(&format!("g{i}"), ty, at), ty))
        .collect();
    let main = b.proc("main", at);
    b.begin_proc(main);
    let entry = b.silent();
    b.entry(main, entry);
    b.ret(entry, Rel::identity(), false);
    Scene { b, vars, main }
}

/// Checks that the expression means the same to the evaluator and to the blaster.
fn check(program: &Program, root: ExprId, universe: &Universe) {
    let mut tables = Tables::new(universe.clone());
    let blasted = sure(blast_bool(program, root, &mut tables));
    let code = Code::new(program, root);
    let mut registers = Vec::new();
    for valuation in universe.valuations() {
        let expected = code.eval(&universe.env(valuation), &mut registers);
        let got = Val::bool(tables.value(blasted, valuation));
        assert_eq!(got, expected, "{} under {valuation:b}", ir::expr_text(program, root));
    }
}

/// Only what the expression reads, so that the universe stays small.
fn universe_of(program: &Program, root: ExprId, choices: u32) -> Universe {
    let mut reads = Vec::new();
    program.exprs.reads(root, |time, var| reads.push((time, var)));
    reads.sort();
    reads.dedup();
    let mut universe = Universe::default();
    for (time, var) in reads {
        universe.add_var(program, time, var);
    }
    universe.add_choices(choices);
    universe
}

#[test]
fn random_expressions() {
    let (mut checked, mut wide) = (0, 0);
    for seed in 0..1500 {
        let mut rng = Rng(seed);
        let Scene { mut b, vars, main } = scene();
        let depth = 1 + rng.below(4) as u32;
        let root =
            Maker { rng: &mut rng, exprs: &mut b.exprs, reads: &vars, choices: 2 }.bool(depth);
        let program = b.finish(main, Init { condition: root, choices: 2 });
        if program.validate().is_err() {
            wide += 1; // an intermediate result of more than 100 bits
            continue;
        }
        let universe = universe_of(&program, root, 2);
        if universe.bits.len() <= 14 {
            check(&program, root, &universe);
            checked += 1;
        }
    }
    assert!(checked > 1000 && wide < 200, "{checked} checked, {wide} too wide");
}

/// What the evaluator says of a partial valuation holds of all its completions.
#[test]
fn partial_valuations() {
    let mut decided = 0;
    for seed in 0..400 {
        let mut rng = Rng(seed ^ 0x3A17);
        let Scene { mut b, vars, main } = scene();
        let root = Maker { rng: &mut rng, exprs: &mut b.exprs, reads: &vars, choices: 2 }.bool(3);
        let program = b.finish(main, Init { condition: root, choices: 2 });
        if program.validate().is_err() {
            continue;
        }
        let universe = universe_of(&program, root, 2);
        if universe.bits.len() > 12 {
            continue;
        }
        let code = Code::new(&program, root);
        let mut registers = Vec::new();
        // Cells are left open as a whole, choices from the last one on.
        for _ in 0..8 {
            let mut partial = universe.env(rng.below(universe.valuations().end));
            let mut cells: Vec<_> = partial.pre.keys().copied().collect();
            cells.sort();
            cells.retain(|_| rng.chance(50));
            for cell in &cells {
                partial.pre.remove(cell);
            }
            partial.choices.truncate(rng.below(3));
            let value = code.eval(&partial, &mut registers);
            if value == Val::Unknown {
                continue;
            }
            decided += 1;
            for valuation in universe.valuations() {
                let full = universe.env(valuation);
                let fits = partial.pre.iter().all(|(cell, v)| full.pre[cell] == *v)
                    && partial.choices.iter().zip(&full.choices).all(|(a, b)| a == b);
                assert!(
                    !fits || code.eval(&full, &mut registers) == value,
                    "{} under {valuation:b}",
                    ir::expr_text(&program, root)
                );
            }
        }
    }
    assert!(decided > 500, "only {decided} partial valuations decided anything");
}

/// Every integer operation on all operands in -4..4, with each possible result.
#[test]
fn integer_operations() {
    use BinaryOp::*;
    for op in [Add, Sub, Mul, Div, Shl, Shr, BitAnd, BitOr, BitXor] {
        let mut b = ProgramBuilder::new();
        let at = b.no_origin();
        let (x, y) = (b.global("x", Type::int(3), at), b.global("y", Type::int(3), at));
        let main = b.proc("main", at);
        b.begin_proc(main);
        let entry = b.silent();
        b.entry(main, entry);
        let operand = |b: &mut ProgramBuilder, var| {
            let (read, four) = (b.exprs.pre(var), b.exprs.int(4));
            b.exprs.binary(Sub, read, four)
        };
        let (left, right) = (operand(&mut b, x), operand(&mut b, y));
        let result = b.exprs.binary(op, left, right);
        let roots: Vec<ExprId> = (-40..=40)
            .map(|v| {
                let v = b.exprs.int(v);
                b.exprs.binary(Eq, result, v)
            })
            .collect();
        let defined = b.exprs.binary(Eq, result, result);
        let program = b.finish(main, Init::default());
        program.validate().unwrap();
        for &root in roots.iter().chain([&defined]) {
            check(&program, root, &universe_of(&program, root, 0));
        }
        // Where it is defined, it is one of the listed results.
        let universe = universe_of(&program, defined, 0);
        let mut registers = Vec::new();
        for valuation in universe.valuations() {
            let env = universe.env(valuation);
            let mut holds =
                |root| Code::new(&program, root).eval(&env, &mut registers) == Val::Known(1);
            let hits = roots.iter().filter(|&&r| holds(r)).count();
            assert_eq!(hits, holds(defined) as usize, "{op:?} under {valuation:b}");
        }
    }
}

/// Shifts by amounts that leave every width behind.
#[test]
fn long_shifts() {
    use BinaryOp::*;
    for amount in [0, 1, 5, 30, 31, 32, 61, 62, 63, 64, 65, 100, 1 << 20, -1] {
        for op in [Shl, Shr] {
            let mut b = ProgramBuilder::new();
            let at = b.no_origin();
            let (x, y) = (b.global("x", Type::int(3), at), b.global("y", Type::int(1), at));
            let main = b.proc("main", at);
            b.begin_proc(main);
            let entry = b.silent();
            b.entry(main, entry);
            let (read, four, y) = (b.exprs.pre(x), b.exprs.int(4), b.exprs.pre(y));
            let left = b.exprs.binary(Sub, read, four);
            // A variable amount, so that its width is not known: `amount` or `amount + 1`.
            let amount = b.exprs.int(amount);
            let amount = b.exprs.binary(Add, amount, y);
            let shifted = b.exprs.binary(op, left, amount);
            let zero = b.exprs.int(0);
            let roots = [Eq, Lt, Gt].map(|c| b.exprs.binary(c, shifted, zero));
            let program = b.finish(main, Init::default());
            program.validate().unwrap();
            for root in roots {
                check(&program, root, &universe_of(&program, root, 0));
            }
        }
    }
}

#[test]
fn random_relations() {
    let (mut checked, mut nonempty) = (0, 0);
    for seed in 0..1200 {
        let Some((program, kind, rel)) = random_relation(seed) else { continue };
        let mut universe = Universe::default();
        for var in kind.pre(&program) {
            universe.add_var(&program, Time::Pre, var);
        }
        for (time, var, _) in kind.targets(&program) {
            universe.add_var(&program, time, var);
        }
        universe.add_choices(rel.choices);
        if universe.bits.len() > 15 {
            continue;
        }
        nonempty += check_rel(&program, kind, &rel, &universe, seed);
        checked += 1;
    }
    assert!(checked > 1000 && nonempty > 400, "{checked} checked, {nonempty} of them not empty");
}

/// Whether some pair is in the relation.
fn check_rel(program: &Program, kind: Kind, rel: &Rel, universe: &Universe, seed: u64) -> usize {
    let mut tables = Tables::new(universe.clone());
    let blasted = sure(blast_rel(program, rel, &mut tables, |_, _| true));
    // The frame rule for bits without an update.
    let mut kept = Vec::new();
    for (time, var, keeps) in kind.targets(program) {
        let ty = program.vars[var].ty;
        for cell in 0..ty.cells() {
            for bit in 0..ty.scalar.bits() {
                let same = (time, var, cell, bit);
                let updated =
                    blasted.updates.iter().any(|u| (u.time, u.var, u.cell, u.bit) == same);
                if keeps && !updated {
                    let before = tables.bit(Bit::Var { time: Time::Pre, var, cell, bit });
                    kept.push((tables.bit(Bit::Var { time, var, cell, bit }), before));
                }
            }
        }
    }
    let updates: Vec<(u32, u32, u32)> = blasted
        .updates
        .iter()
        .map(|u| {
            let bit = Bit::Var { time: u.time, var: u.var, cell: u.cell, bit: u.bit };
            (tables.bit(bit), u.free, u.value)
        })
        .collect();
    let mut sorted = blasted.updates.clone();
    sorted.sort_by_key(|u| (u.time, u.var, u.cell, u.bit));
    sorted.dedup_by_key(|u| (u.time, u.var, u.cell, u.bit));
    assert_eq!(sorted.len(), updates.len(), "each bit is updated once, seed {seed}");

    // The choices are the last bits of the universe.
    let outer = universe.bits.len() - rel.choices as usize;
    let direct = Direct::new(program, kind, rel);
    let mut any = 0;
    for valuation in 0..1usize << outer {
        let got = (0..1usize << rel.choices).any(|choices| {
            let v = valuation | choices << outer;
            let is = |f: u32| tables.value(f, v);
            is(blasted.enabled)
                && is(blasted.constraint)
                && updates.iter().all(|&(bit, free, value)| is(free) || is(bit) == is(value))
                && kept.iter().all(|&(after, before)| is(after) == is(before))
        });
        let expected = direct.related(&mut universe.env(valuation));
        assert_eq!(got, expected, "seed {seed}, {kind:?} under {valuation:b}: {rel:?}");
        any |= expected as usize;
    }
    any
}
