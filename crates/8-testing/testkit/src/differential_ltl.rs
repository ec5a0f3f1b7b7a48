//! Temporal properties on generated programs: products answered by engines, against the plain
//! reference.
//!
//! For each seed a program and a formula. The reference says whether it holds
//! ([`crate::ltl_reference`]); each engine answers the product, and must agree. Every lasso is
//! replayed on the product, carried back to the program, replayed there and must violate the
//! formula; every certificate must hold.

use crate::corpus::lower;
use crate::ltl_formula::{Atom, Binary, Formula, Unary};
use crate::ltl_reference::{holds, random_formula};
use crate::random_bp::{Knobs, Profile, generate};
use crate::random_ir::random_program;
use crate::rng::Rng;
use check::{Budget, Engine, Limits, StopReason, Task, TraceMode, Verdict};
use front_bp::Dialect;
use ir::{Layout, Program};
use property::{Product, Property, Question};
use replay::Judgement;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What is compared.
pub struct LtlComparison<'a> {
    /// Each answers every pair.
    pub engines: &'a [&'a dyn Engine],
    /// How many threads work.
    pub threads: usize,
    /// How long one run of one engine may take.
    pub limit: Duration,
}

/// A pair on which something is wrong.
#[derive(Clone, Debug)]
pub struct LtlFailure {
    /// Its seed.
    pub seed: u64,
    /// The program: its text, or the dump of a model.
    pub program: String,
    /// The property as it is asked.
    pub property: Property,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct LtlOutcome {
    /// Pairs that the reference answered.
    pub pairs: u64,
    /// Pairs too large for the reference: engines were compared with each other.
    pub large: u64,
    /// Pairs that hold.
    pub holds: u64,
    /// Pairs that are violated.
    pub violated: u64,
    /// Lassos replayed, carried back, replayed again and judged.
    pub lassos: u64,
    /// Certificates checked.
    pub certificates: u64,
    /// Verdicts that came with nothing to check: the certificate was left out.
    pub bare: u64,
    /// The failures, by seed.
    pub failures: Vec<LtlFailure>,
}

impl LtlOutcome {
    fn add(&mut self, other: LtlOutcome) {
        self.pairs += other.pairs;
        self.large += other.large;
        self.holds += other.holds;
        self.violated += other.violated;
        self.lassos += other.lassos;
        self.certificates += other.certificates;
        self.bare += other.bare;
        self.failures.extend(other.failures);
    }
}

/// Runs the comparison on the pairs with the given seeds; stops after five failures. `tick` is
/// called after each pair with the number done.
pub fn differential_ltl(
    comparison: &LtlComparison,
    seeds: Range<u64>,
    tick: &(dyn Fn(u64) + Sync),
) -> LtlOutcome {
    let next = AtomicU64::new(seeds.start);
    let done = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let worker = || {
        let mut outcome = LtlOutcome::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || stop.load(Ordering::Relaxed) {
                return outcome;
            }
            outcome.add(Pair::new(seed).judge(comparison));
            if outcome.failures.len() >= 5 {
                stop.store(true, Ordering::Relaxed);
            }
            tick(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let mut all = LtlOutcome::default();
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..comparison.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        for handle in handles {
            match handle.join() {
                Ok(part) => all.add(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    all.failures.sort_by_key(|f| f.seed);
    all
}

/// A program and a property, and what the property means.
pub struct Pair {
    /// Where it comes from.
    pub seed: u64,
    /// The program.
    pub program: Arc<Program>,
    /// Its text, or the dump of a model.
    pub text: String,
    /// What is asked.
    pub property: Property,
    /// The same as one formula.
    pub formula: Formula,
}

impl Pair {
    /// The pair with the given seed.
    pub fn new(seed: u64) -> Pair {
        let mut rng = Rng::new(seed ^ 0x171);
        let (program, text) = program(&mut rng);
        let not = |a: Formula| Formula::Unary(Unary::Not, Box::new(a));
        let unary = |op, a: Formula| Formula::Unary(op, Box::new(a));
        let (property, formula) = if rng.chance(4) {
            let ended = [Atom::Terminated, Atom::Error].map(Formula::Atom);
            let [a, b] = ended.map(Box::new);
            let ends = unary(Unary::Finally, Formula::Binary(Binary::Or, a, b));
            (Property::Terminates { fair: Vec::new() }, ends)
        } else {
            let size = rng.between(1, 6);
            let formula = random_formula(&mut rng, &program, size, 4);
            // Random formulas are rarely valid; their negations are as good.
            let formula = if rng.chance(30) { not(formula) } else { formula };
            let mut fair = Vec::new();
            let mut whole = formula.clone();
            if formula.temporal() <= 3 && rng.chance(20) {
                let often = random_formula(&mut rng, &program, 1, 0);
                fair.push(often.to_string());
                let again = unary(Unary::Globally, unary(Unary::Finally, often));
                whole = Formula::Binary(Binary::Implies, Box::new(again), Box::new(whole));
            }
            (Property::Ltl { formula: formula.to_string(), fair }, whole)
        };
        Pair { seed, program, text, property, formula }
    }

    /// What came of it.
    pub fn judge(&self, comparison: &LtlComparison) -> LtlOutcome {
        let mut outcome = LtlOutcome::default();
        let mut problems = Vec::new();
        let expected = holds(&self.program, &self.formula);
        match expected {
            Some(true) => outcome.holds += 1,
            Some(false) => outcome.violated += 1,
            None => outcome.large += 1,
        }
        outcome.pairs += u64::from(expected.is_some());
        match self.property.question(&self.program) {
            Ok(Question::Product(product)) => {
                let mut expected = expected;
                for engine in comparison.engines {
                    let found = self.ask(*engine, &product, comparison.limit, &mut outcome);
                    let name = engine.name();
                    match (found, expected) {
                        (Err(what), _) => problems.push(format!("{name}: {what}")),
                        (Ok(found), Some(right)) if found != right => {
                            problems.push(format!("{name}: holds: {found}, should be: {right}"));
                        }
                        // Without a reference, the first engine is as good.
                        (Ok(found), None) => expected = Some(found),
                        _ => {}
                    }
                }
            }
            Ok(_) => problems.push("not a product".to_owned()),
            Err(error) => problems.push(format!("refused: {error}")),
        }
        if !problems.is_empty() {
            outcome.failures.push(LtlFailure {
                seed: self.seed,
                program: self.text.clone(),
                property: self.property.clone(),
                problems,
            });
        }
        outcome
    }

    /// Whether an engine says that the property holds; an error if its reasons are none, or it says
    /// nothing.
    fn ask(
        &self,
        engine: &dyn Engine,
        product: &Product,
        limit: Duration,
        outcome: &mut LtlOutcome,
    ) -> Result<bool, String> {
        let mut task = Task::new(product.program.clone(), vec![product.goal.clone()]);
        if self.seed.is_multiple_of(4) {
            task.wants.trace = TraceMode::Any;
        }
        let budget = Budget::new(Limits { time: Some(limit), ..Limits::default() });
        let answer = catch_unwind(AssertUnwindSafe(|| engine.run(&task, &budget)))
            .map_err(|_| "it panics".to_owned())?;
        match answer.verdicts.first() {
            Some(Verdict::Violated(Some(trace))) => {
                replay::check_trace(&product.program, &product.goal, trace)
                    .map_err(|refusal| format!("the lasso of the product is refused: {refusal}"))?;
                let lasso = product.trace(&self.program, trace)?;
                let temporal = product.temporal.as_ref().ok_or("a formula about infinite runs")?;
                let accepted = replay::check_lasso(&self.program, &lasso, Some(temporal))
                    .map_err(|refusal| format!("the lasso is refused: {refusal}"))?;
                outcome.lassos += 1;
                match replay::judge(&accepted, temporal) {
                    Judgement::Violates => Ok(false),
                    other => Err(format!("the lasso does not violate the formula: {other:?}")),
                }
            }
            Some(Verdict::Violated(None)) => Err("violated, but no lasso".to_owned()),
            Some(Verdict::Holds(Some(certificate))) => {
                let goals = [product.goal.clone()];
                let budget = Budget::unlimited();
                replay::check_certificate(&product.program, &goals, certificate, &budget)
                    .map_err(|refusal| format!("the certificate is refused: {refusal}"))?;
                outcome.certificates += 1;
                Ok(true)
            }
            Some(Verdict::Holds(None)) => {
                outcome.bare += 1;
                Ok(true)
            }
            Some(Verdict::Unknown(reason @ StopReason::Internal { .. })) => Err(reason.to_string()),
            Some(Verdict::Unknown(reason)) => Err(format!("unknown: {reason}")),
            None => Err("no verdict".to_owned()),
        }
    }
}

/// A small program: a text, or a model with few bits.
fn program(rng: &mut Rng) -> (Arc<Program>, String) {
    if rng.chance(35) {
        loop {
            let program = random_program(rng.bits());
            if Layout::new(&program).scope_bits() <= 5 {
                let text = ir::dump(&program);
                return (Arc::new(program), text);
            }
        }
    }
    let small = Profile::Small.knobs();
    let knobs = match rng.below(4) {
        0 => small,
        1 => Knobs { procs: 2, calls: 40, statements: 4, ..small },
        2 => Knobs { globals: 3, constrain: false, enforce: false, ..small },
        _ => Knobs { constrain: false, enforce: false, asserts: false, ..small },
    };
    loop {
        let text = generate(rng.bits(), &knobs).text();
        // What the front end refuses is looked at elsewhere.
        if let Ok(program) = lower("generated.bp", &text, Dialect::Standard, None) {
            return (program, text);
        }
    }
}
