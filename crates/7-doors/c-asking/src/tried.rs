//! Executions on a few plain inputs, before anything is proved: a run through loops of a hundred thousand rounds is
//! quickly executed and never searched.
//!
//! A run of the machine is one of the program only if every compiler and library would do the same. So nothing may look
//! at addresses as numbers, compute with fractions, or call what is up to others; and a run that reads what was
//! never written ends.

use crate::bounded::{Executed, Run, Searched, executed_for, simpler_steps};
use c_data::{BinOp, Callee, Check, ExprKind, FuncId, Function, Point, Program, StmtKind};
use engine_bounded::{Goal, Inputs};
use std::collections::BTreeSet;
use std::time::Duration;

/// How many inputs there are, and steps of a run.
const INPUTS: usize = 150_000;
const STEPS: u64 = 1_000_000;
/// Steps of runs that go on where those have not ended, for each second that there is; at most, and without a limit.
const STEPS_A_SECOND: u64 = 30_000_000;
const MOST_STEPS: u64 = 2_000_000_000;
/// So many of those runs, where there are inputs.
const LONG_RUNS: usize = 3;
const LONG_STEPS: u64 = 100_000_000;
/// Kinds of inputs, and of those the ones that all are one number of the program.
const ROUNDS: usize = 12;
const CONSTANTS: usize = 12;
/// Programs of more statements are tried on few inputs.
const SMALL_PROGRAM: usize = 20_000;

/// How much is tried.
#[derive(Clone, Copy)]
pub(crate) struct Tries {
    long: u64,
}

impl Tries {
    /// Within the time that there is.
    pub(crate) fn new(time: Option<Duration>) -> Tries {
        let long =
            time.map_or(MOST_STEPS / 4, |time| (time.as_secs_f64() * STEPS_A_SECOND as f64) as u64);
        Tries { long: long.min(MOST_STEPS) }
    }

    /// Inputs with which a program gets to a place, and the lines of that run.
    pub(crate) fn reach(
        self,
        of: &Searched<'_>,
        goal: &Goal,
        lines: usize,
        budget: &check::Budget,
    ) -> Option<(Inputs, c_run::Passes)> {
        let program = of.data.program();
        if goal.points.is_empty() {
            return None;
        }
        let check = Some(Check::Uninitialised);
        let found = self.run(of, (&goal.points, check), lines, budget, &mut |run| run.reached)?;
        let (mut inputs, mut passed, most) = (found.0, found.1.passed, found.1.steps);
        let mut again = |inputs: &Inputs| {
            let (run, most) = (Run::new(inputs, lines), simpler_steps(most));
            let run = executed_for(program, (&goal.points, check), run, most, budget);
            let reached = run.reached;
            if reached {
                passed = run.passed;
            }
            reached
        };
        inputs = engine_bounded::simpler(program, inputs, &mut again);
        Some((inputs, passed))
    }

    /// Inputs on which an operation fails.
    pub(crate) fn fail(
        self,
        of: &Searched<'_>,
        check: Check,
        lines: usize,
        budget: &check::Budget,
    ) -> Option<(Inputs, Executed)> {
        let program = of.data.program();
        // Whether a number may be shifted into its sign is not for the machine to say.
        let mut fails = |run: &Executed| {
            run.failed.iter().any(|f| f.check == check)
                && run.failed.iter().all(|f| !f.what.contains("<<"))
        };
        let found = self.run(of, (&[], Some(check)), lines, budget, &mut fails)?;
        if check != Check::Uninitialised {
            // Nothing that was never written may have been read before.
            let run = Run::new(&found.0, 0);
            let most = found.1.steps.saturating_mul(4) + STEPS;
            let asked = (&[][..], Some(Check::Uninitialised));
            let again = executed_for(program, asked, run, most, budget);
            if again.failed.iter().any(|f| f.check == Check::Uninitialised) {
                return None;
            }
        }
        Some(found)
    }

    /// Executes a program on plain inputs, until a run is what is looked for.
    fn run(
        self,
        of: &Searched<'_>,
        asked: (&[Point], Option<Check>),
        lines: usize,
        budget: &check::Budget,
        found: &mut dyn FnMut(&Executed) -> bool,
    ) -> Option<(Inputs, Executed)> {
        let program = of.data.program();
        if of.harness.is_some() || !predictable(program) {
            return None;
        }
        let constants = constants(program);
        let statements: usize =
            program.functions.iter().flat_map(|f| &f.blocks).map(|b| b.stmts.len()).sum();
        let rounds = match (takes_inputs(program), statements > SMALL_PROGRAM) {
            (false, _) => 1,
            (true, true) => 3,
            (true, false) => ROUNDS + constants.len().min(CONSTANTS),
        };
        let mut unended = Vec::new();
        let mut attempt = |round: usize, steps: u64, unended: &mut Vec<usize>| {
            let count = if rounds == 1 { 0 } else { INPUTS };
            let values = (0..count).map(|i| (String::new(), number(round, i, &constants)));
            let mut inputs = Inputs { values: values.collect(), ..Inputs::default() };
            let run = executed_for(program, asked, Run::new(&inputs, lines), steps, budget);
            if budget.poll().is_err() {
                return None;
            }
            if run.limited {
                unended.push(round);
            }
            if !found(&run) || run.takers.len() != run.taken {
                return None;
            }
            inputs.values.truncate(run.taken);
            for (value, &by) in inputs.values.iter_mut().zip(&run.takers) {
                *value = handed_out(program, by, value.1);
            }
            Some((inputs, run))
        };
        for round in 0..rounds {
            if let Some(found) = attempt(round, STEPS, &mut unended) {
                return Some(found);
            }
        }
        // A run that is long is not searched in a hurry.
        let long = std::mem::take(&mut unended);
        // Where there are inputs, the search finds better ones soon; where there are none, this is the only run.
        let each = match rounds {
            1 => self.long,
            _ => (self.long / LONG_RUNS as u64).min(LONG_STEPS),
        };
        let long = long.into_iter().take(LONG_RUNS).filter(|_| each > STEPS);
        long.into_iter().find_map(|round| attempt(round, each, &mut unended))
    }
}

/// A number as the function hands it out that takes it, and the name that it has in reports.
fn handed_out(program: &Program, by: FuncId, value: i128) -> (String, i128) {
    let name = &program.functions[by.index()].name;
    let (kind, told) = match name.strip_prefix("__bop_result_").and_then(|r| r.split_once("__")) {
        Some((kind, function)) => (kind, function),
        None => (name.strip_prefix("__VERIFIER_nondet_").unwrap_or("int"), name.as_str()),
    };
    let wide = program.types.model().pointer == 64;
    let value = match kind {
        "bool" | "_Bool" => i128::from(value != 0),
        "char" => i128::from(value as i8),
        "uchar" | "unsigned_char" | "u8" => i128::from(value as u8),
        "short" => i128::from(value as i16),
        "ushort" | "unsigned_short" | "u16" => i128::from(value as u16),
        "uint" | "unsigned" | "unsigned_int" | "u32" => i128::from(value as u32),
        "long" if wide => i128::from(value as i64),
        "ulong" | "unsigned_long" | "size_t" | "pointer" | "charp" | "loff_t" if wide => {
            i128::from(value as u64)
        }
        "ulong" | "unsigned_long" | "size_t" | "pointer" | "charp" | "loff_t" => {
            i128::from(value as u32)
        }
        "longlong" | "S64" => i128::from(value as i64),
        "ulonglong" | "u64" | "U64" => i128::from(value as u64),
        _ => i128::from(value as i32),
    };
    (told.to_owned(), value)
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
            } else if !name.contains("nondet")
                && !name.starts_with("__bop_result_")
                && !SAME.contains(&name)
            {
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

/// Zeros, ones, small numbers and large ones, those at the ends of types, and those that the program has.
fn number(round: usize, i: usize, constants: &[i128]) -> i128 {
    const ENDS: [i128; 12] = [
        0,
        1,
        -1,
        2,
        i32::MAX as i128,
        i32::MIN as i128,
        i32::MAX as i128 - 1,
        255,
        65_535,
        100,
        i64::MAX as i128,
        u32::MAX as i128,
    ];
    let salt = (round as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ salt;
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16;
    let pick = |list: &[i128]| list[mixed as usize % list.len()];
    match round {
        0 => 0,
        1 => 1,
        2 => i128::from(mixed % 2),
        3 => i128::from(mixed % 1_000),
        4 => i128::from(mixed as i32),
        5 => -1,
        6 => i128::from(mixed % 8),
        7 => pick(&ENDS),
        8..ROUNDS if constants.is_empty() => i128::from(mixed % 100) - 50,
        8..ROUNDS => pick(constants) + i128::from(mixed >> 32 & 3) - 1,
        _ => constants[round - ROUNDS],
    }
}

/// Numbers that the program compares with, computes with, or hands over.
fn constants(program: &Program) -> Vec<i128> {
    let mut out = BTreeSet::new();
    for f in program.functions.iter().filter(|f| f.own) {
        out.extend(f.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Int(n) if !(0..2).contains(&n) => Some(n),
            _ => None,
        }));
    }
    out.into_iter().collect()
}

/// Whether something hands out inputs.
fn takes_inputs(program: &Program) -> bool {
    let calls = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.stmts);
    calls.into_iter().any(|stmt| match &stmt.kind {
        StmtKind::Call(call) => match call.callee {
            Callee::Direct(g) => {
                let g = &program.functions[g.index()];
                !g.has_body() && (g.name.contains("nondet") || g.name.starts_with("__bop_result_"))
            }
            Callee::Indirect(_) => false,
        },
        _ => false,
    })
}
