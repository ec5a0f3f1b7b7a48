//! All operations that a question is about: those that fail, and whether there are others.

use crate::engine::{Cut, Engine, Step, Why};
use crate::relevance::Leads;
use crate::search::{Goal, Inputs, Options, SMALL_BOUND, cut_off, script, simpler, solve};
use c_data::{Check, FuncId, Operation, Program};
use check::{Budget, Progress, StopReason};
use logic::Lit;
use std::collections::BTreeMap;

/// What is known of a question about operations.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Operations that fail, in the order of the program, each with inputs of a run that whoever asked has seen.
    pub failing: Vec<(Operation, Inputs)>,
    /// Why it is not known that there are no others.
    pub open: Option<StopReason>,
    /// With how many rounds of loops and recursions that is known.
    pub rounds: u32,
    /// Counters of effort.
    pub counters: Vec<(String, u64)>,
    /// The program allocates memory, which is taken to succeed.
    pub allocates: bool,
}

/// Places that runs are to pass on which operations fail.
#[derive(Clone, Copy)]
pub struct Through<'a> {
    /// The places.
    pub goals: &'a [Goal],
    /// Which of them are asked for with an operation.
    pub wanted: &'a dyn Fn(Operation, usize) -> bool,
}

struct Checking<'a> {
    program: &'a Program,
    through: Through<'a>,
    check: Check,
    goal: Goal,
    found: BTreeMap<Operation, Inputs>,
    open: Option<StopReason>,
    out: Checked,
    confirm: &'a mut dyn FnMut(Operation, &Inputs) -> bool,
    /// How large the last graph was.
    bytes: u64,
}

/// How many times as large the graph may become in which there may be more that fails; at least so many bytes.
const MORE_WORK: u64 = 4;
const LITTLE: u64 = 4 << 20;

/// Searches for runs on which operations fail; one may be known. `confirm` executes a run that was found, and says whether
/// the operation fails.
pub fn failing_operations(
    program: &Program,
    (check, known): (Check, Option<(Operation, Inputs)>),
    options: Options,
    budget: &Budget,
    confirm: &mut dyn FnMut(Operation, &Inputs) -> bool,
) -> Checked {
    let through = Through { goals: &[], wanted: &|_, _| false };
    check_from((program, through), (check, known), options, budget, confirm)
}

/// The same, and `confirm` also gets runs on which an operation fails after a place that is asked for with it.
pub fn check_through(
    (program, through): (&Program, Through<'_>),
    check: Check,
    options: Options,
    budget: &Budget,
    confirm: &mut dyn FnMut(Operation, &Inputs) -> bool,
) -> Checked {
    check_from((program, through), (check, None), options, budget, confirm)
}

fn check_from(
    (program, through): (&Program, Through<'_>),
    (check, known): (Check, Option<(Operation, Inputs)>),
    options: Options,
    budget: &Budget,
    confirm: &mut dyn FnMut(Operation, &Inputs) -> bool,
) -> Checked {
    let is_known = known.is_some();
    let mut checking = Checking {
        program,
        through,
        check,
        goal: Goal { points: program.operation_points(check) },
        found: known.into_iter().collect(),
        open: Some(StopReason::Unsupported { what: "there is no function `main`".to_owned() }),
        out: Checked::default(),
        confirm,
        bytes: 0,
    };
    let bounds = options.bounds();
    if let Some(script) = script(program) {
        for &bound in &bounds {
            let before = checking.found.len();
            // What was known before says nothing of how hard it is to find more.
            let first = is_known && bound <= SMALL_BOUND;
            // Where something was found, it goes on for as long as there is more, and that is not much harder to see.
            let limited = match before {
                0 => budget.clone(),
                _ if first => budget.attempt_within(MORE_WORK * MORE_WORK * LITTLE),
                _ => budget.attempt_within(MORE_WORK * checking.bytes.max(LITTLE)),
            };
            checking.out.rounds = bound;
            match checking.round(script.clone(), bound, &limited) {
                Ok(more) => {
                    let after = checking.found.len();
                    if !more || after > 0 && after == before && !first {
                        break;
                    }
                }
                Err(_) if before > 0 && budget.poll().is_ok() => break,
                Err(reason) => {
                    checking.open = Some(reason);
                    break;
                }
            }
        }
    }
    let Checking { found, open, mut out, .. } = checking;
    out.failing = found.into_iter().collect();
    out.open = open;
    out
}

impl<'a> Checking<'a> {
    /// One search with a bound. Whether a larger bound may tell more.
    fn round(&mut self, script: Vec<FuncId>, bound: u32, budget: &Budget) -> Step<bool> {
        let mut engine = self.follow(script.clone(), (bound, true), false, budget)?;
        let mut refused = self.look(&mut engine, budget)?;
        let heap = engine.objects.unwritten_heap && self.check != Check::Uninitialised;
        let mut tried = false;
        if refused.is_none() && self.found.is_empty() && heap && bound <= SMALL_BOUND {
            // What memory has that was never written is an input.
            let mut filled = self.follow(script.clone(), (bound, true), true, budget)?;
            refused = self.look(&mut filled, budget)?;
            tried = true;
        }
        if let Some(what) = refused {
            self.open = Some(StopReason::Approximate { what: what.to_owned() });
            return Ok(true);
        }
        let (mut open, mut grows) = self.cut_off(&mut engine, bound)?;
        if open.is_none() && engine.objects.unwritten {
            // No run is left, unless by what was never written.
            drop(engine);
            engine = self.follow(script.clone(), (bound, false), false, budget)?;
            let candidates = self.candidates(&engine);
            let any = !engine.c.aig.and_all(candidates.iter().map(|(_, guard)| !*guard));
            if solve(&mut engine, &[any])?.is_some() {
                let what = "an operation fails only where something that was never written is used";
                open = Some(StopReason::Approximate { what: what.to_owned() });
                if heap && !tried {
                    drop(engine);
                    let mut filled = self.follow(script, (bound, true), true, budget)?;
                    self.look(&mut filled, budget)?;
                }
            } else {
                (open, grows) = self.cut_off(&mut engine, bound)?;
            }
        }
        self.open = open;
        Ok(grows)
    }

    /// Takes down the operations that fail. If a run was found and is none, what is said of it.
    fn look(&mut self, engine: &mut Engine<'a>, budget: &Budget) -> Step<Option<&'static str>> {
        let mut exact = Lit::TRUE;
        for cut in &engine.cuts {
            if let Why::Approximate(_) = cut.why {
                exact = engine.c.aig.and(exact, !cut.guard);
            }
        }
        let candidates = self.candidates(engine);
        let any = !engine.c.aig.and_all(candidates.iter().map(|(_, guard)| !*guard));
        let candidates = match solve(engine, &[any])? {
            Some(_) => candidates,
            None => Vec::new(),
        };
        let mut refused = None;
        let total = Some(candidates.len() as u64);
        for (i, (operation, guard)) in candidates.into_iter().enumerate() {
            budget.report(Progress { phase: "solving", done: i as u64, total });
            for place in 0..self.through.goals.len() {
                let passed = engine.reached[place];
                if !(self.through.wanted)(operation, place) || passed == Lit::FALSE {
                    continue;
                }
                if let Some(mut model) = solve(engine, &[guard, passed, exact])? {
                    let inputs = engine.inputs(&mut model);
                    (self.confirm)(operation, &inputs);
                }
            }
            match solve(engine, &[guard, exact])? {
                Some(mut model) => {
                    let inputs = engine.inputs(&mut model);
                    if (self.confirm)(operation, &inputs) {
                        let confirm = &mut *self.confirm;
                        let mut again = |inputs: &Inputs| confirm(operation, inputs);
                        let inputs = simpler(self.program, inputs, &mut again);
                        self.found.insert(operation, inputs);
                    } else {
                        refused =
                            Some("a run that was found depends on what is not modelled exactly");
                    }
                }
                None if solve(engine, &[guard])?.is_some() => {
                    refused = Some("an operation fails only where something depends on addresses");
                }
                None => {}
            }
        }
        Ok(refused)
    }

    /// Operations that may fail, and when; those that are known to are not among them.
    fn candidates(&self, engine: &Engine<'_>) -> Vec<(Operation, Lit)> {
        let failed = engine.failed.iter().map(|(operation, guard)| (*operation, *guard));
        failed.filter(|(o, guard)| *guard != Lit::FALSE && !self.found.contains_key(o)).collect()
    }

    /// Why not all runs were followed, and whether a larger bound helps.
    fn cut_off(&self, engine: &mut Engine<'_>, bound: u32) -> Step<(Option<StopReason>, bool)> {
        let mut cuts = std::mem::take(&mut engine.cuts);
        let failed: Vec<Lit> = engine.failed.values().map(|guard| !*guard).collect();
        let passes = engine.c.aig.and_all(failed);
        for cut in cuts.iter_mut().filter(|cut| cut.why == Why::Far) {
            cut.guard = engine.c.aig.and(cut.guard, passes);
        }
        let leads = Leads::new(self.program, &self.goal);
        // What is left at the end of the program can come from everywhere.
        let everywhere = matches!(self.check, Check::Memory | Check::Cleanup);
        let uncovered = |c: &Cut| everywhere || matches!(c.why, Why::Uncovered(_));
        let relevant: Vec<&Cut> =
            cuts.iter().filter(|c| leads.from(&c.place, uncovered(c))).collect();
        let (mut bounded, mut others) = (Lit::FALSE, Lit::FALSE);
        for cut in &relevant {
            let all = if cut.why == Why::Bound { &mut bounded } else { &mut others };
            *all = engine.c.aig.or(*all, cut.guard);
        }
        let cut = cut_off(engine, &relevant, (bounded, others), bound)?;
        Ok(cut.map_or((None, false), |(reason, grows)| (Some(reason), grows)))
    }

    fn follow(
        &mut self,
        script: Vec<FuncId>,
        how: (u32, bool),
        fills: bool,
        budget: &Budget,
    ) -> Step<Engine<'a>> {
        let mut engine = Engine::new(self.program, self.through.goals, script, how, budget);
        engine.objects.fills = fills;
        engine.check = Some(self.check);
        let ran = engine.run();
        let counted = [
            ("bound", u64::from(how.0)),
            ("statements", engine.statements()),
            ("gates", engine.c.aig.len() as u64),
            ("inputs", engine.taken.len() as u64),
        ];
        self.out.counters = counted.map(|(name, value)| (name.to_owned(), value)).to_vec();
        self.out.allocates |= engine.allocates;
        self.bytes = engine.c.aig.bytes() as u64;
        ran.map(|()| engine)
    }
}
