//! Executions on a few plain inputs, before anything is proved: a run through loops of a hundred thousand rounds is
//! quickly executed and never searched.
//!
//! A run of the machine is one of the program only if every compiler and library would do the same. So nothing may look
//! at addresses as numbers, compute with fractions, or call what is up to others; and a run that reads what was
//! never written ends.

use crate::bounded::{Run, Searched, executed_for};
use crate::prover::{Answers, Verdict};
use c_data::{BinOp, Callee, Check, ExprKind, Function, Program, StmtKind};
use engine_bounded::{Goal, Inputs};
use std::collections::BTreeSet;

/// What answers of executions are called.
pub(crate) const EXECUTED: &str = "bounded";

/// How many inputs there are, and steps: where none is taken, and else.
const INPUTS: usize = 150_000;
const STEPS_ALONE: u64 = 200_000_000;
const STEPS: u64 = 5_000_000;

/// Executes a program with one goal on a few inputs. None unless it gets there.
pub(crate) fn tried(
    of: &Searched<'_>,
    goals: &[Goal],
    lines: usize,
    budget: &check::Budget,
) -> Option<Answers> {
    let ([goal], program) = (goals, of.data.program()) else { return None };
    if goal.points.is_empty() || of.harness.is_some() || !predictable(program) {
        return None;
    }
    let names = input_functions(program);
    // Inputs are told with the functions that give them, of which there is one then.
    let (name, rounds) = match &names[..] {
        [] => ("", 1),
        [one] if of.stubs.is_empty() => (one.as_str(), 5),
        _ => return None,
    };
    for round in 0..rounds {
        let values: Vec<i128> = match rounds {
            1 => Vec::new(),
            _ => (0..INPUTS).map(|i| number(round, i)).collect(),
        };
        let steps = if rounds == 1 { STEPS_ALONE } else { STEPS };
        let given = Inputs {
            values: values.iter().map(|&value| (name.to_owned(), value)).collect(),
            ..Inputs::default()
        };
        let check = Some(Check::Uninitialised);
        let ran =
            executed_for(program, (&goal.points, check), Run::new(&given, lines), steps, budget);
        if budget.poll().is_err() {
            return None;
        }
        if ran.reached {
            let mut given = given;
            given.values.truncate(ran.taken);
            let verdicts = vec![Verdict::Reached(given, ran.passed)];
            return Some(Answers {
                verdicts,
                counters: Vec::new(),
                allocates: false,
                stray: false,
            });
        }
    }
    None
}

/// Functions without a body that do the same everywhere, as far as a run can see: standard input is empty.
const SAME: [&str; 20] = [
    "abort",
    "__bop_exit",
    "reach_error",
    "__VERIFIER_error",
    "__assert_fail",
    "__VERIFIER_assume",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "memmove",
    "printf",
    "puts",
    "putchar",
    "__assert",
    "fgetc",
    "getc",
    "getchar",
    "fgets",
];

/// Whether a run is the same wherever the program is compiled.
pub(crate) fn predictable(program: &Program) -> bool {
    let own = (0..program.functions.len()).filter(|&f| program.functions[f].own);
    let mut todo: Vec<usize> = own.collect();
    let mut seen: BTreeSet<usize> = todo.iter().copied().collect();
    while let Some(f) = todo.pop() {
        let f = &program.functions[f];
        if f.weak || f.gives_way || f.own && looks_at_addresses(program, f) {
            return false;
        }
        for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
            let StmtKind::Call(call) = &stmt.kind else { continue };
            let Callee::Direct(g) = call.callee else { continue };
            let callee = &program.functions[g.index()];
            let name = callee.name.as_str();
            if callee.has_body() {
                if seen.insert(g.index()) {
                    todo.push(g.index());
                }
            } else if !name.contains("nondet") && !SAME.contains(&name) {
                return false;
            }
        }
    }
    true
}

/// Whether addresses are numbers somewhere in a function, or numbers have fractions.
fn looks_at_addresses(program: &Program, f: &Function) -> bool {
    let types = &program.types;
    let pointer = |e: c_data::ExprId| types.pointee(f.expr(e).ty).is_some();
    f.exprs.iter().any(|expr| match expr.kind {
        _ if !types.is_integer(expr.ty) && types.is_arithmetic(expr.ty) => true,
        ExprKind::Binary(op, a, b) => {
            (pointer(a) || pointer(b)) && !matches!(op, BinOp::Add | BinOp::Eq | BinOp::Ne)
        }
        ExprKind::Convert(a) => pointer(a) && types.is_integer(expr.ty),
        _ => false,
    })
}

/// Zeros, ones, small numbers and large ones.
fn number(round: usize, i: usize) -> i128 {
    let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    match round {
        0 => 0,
        1 => 1,
        2 => i128::from(mixed % 2),
        3 => i128::from(mixed % 1_000),
        _ => i128::from(mixed as i32),
    }
}

/// The functions that hand out inputs.
fn input_functions(program: &Program) -> Vec<String> {
    let mut out = BTreeSet::new();
    for f in program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.stmts) {
        if let StmtKind::Call(call) = &f.kind
            && let Callee::Direct(g) = call.callee
            && !program.functions[g.index()].has_body()
            && program.functions[g.index()].name.contains("nondet")
        {
            out.insert(program.functions[g.index()].name.clone());
        }
    }
    out.into_iter().collect()
}
