//! Questions and answers: the bound grows until all is known, or until something is short.

use crate::engine::{Cut, Engine, Step, Why};
use crate::relevance::Leads;
use c_data::{FuncId, Point, Program};
use check::{Budget, Progress, StopReason};
use logic::{Lit, Valuation};
use rustc_hash::FxHashMap;

/// A place to be reached: any of some points.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// The points.
    pub points: Vec<Point>,
}

/// How to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Rounds of a loop, and depth of a recursion; without it, it grows.
    pub bound: Option<u32>,
}

impl Options {
    /// The bounds that are tried one after the other.
    pub(crate) fn bounds(self) -> Vec<u32> {
        self.bound.map_or_else(|| BOUNDS.to_vec(), |bound| vec![bound])
    }
}

/// What a run gets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// What functions hand out, in order: their names, and the numbers.
    pub values: Vec<(String, i128)>,
    /// The number of arguments of `main`, the program's name included, where it takes them.
    pub argc: Option<u64>,
    /// What they are, the program's name not among them, as far as they were looked at.
    pub args: Vec<Vec<u8>>,
    /// What standard input has.
    pub stdin: Vec<u8>,
    /// The files that are there: their names, and what they have.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    /// What memory has that the program asks for and does not write first, one allocation after the other; the rest is 0.
    pub memory: Vec<Vec<u8>>,
}

impl Inputs {
    /// `argv`, the program's name first; arguments that nobody looked at are numbers.
    pub fn argv(&self) -> Vec<Vec<u8>> {
        let count = self.argc.unwrap_or(1).clamp(1, MAX_ARGUMENTS);
        let mut out = vec![PROGRAM_NAME.as_bytes().to_vec()];
        for i in 1..count as usize {
            let known = self.args.get(i - 1).cloned();
            out.push(known.unwrap_or_else(|| i.to_string().into_bytes()));
        }
        out
    }
}

/// What a program is called that is run with inputs that were found.
pub const PROGRAM_NAME: &str = "./test";
/// The most arguments of `main` that a run is given.
const MAX_ARGUMENTS: u64 = 1_000;

/// The answer about a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A run comes there; whoever asked has seen it.
    Reached(Inputs),
    /// No run does.
    Unreached,
    /// Nobody knows.
    Unknown(StopReason),
}

/// An answer with what it took.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// With how many rounds of loops and recursions at most.
    pub rounds: u32,
}

/// The answers.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// One for each goal.
    pub answers: Vec<Answer>,
    /// Counters of effort.
    pub counters: Vec<(String, u64)>,
    /// The program allocates memory, which is taken to succeed.
    pub allocates: bool,
}

/// So many inputs are made simpler, of programs of so many statements.
const SIMPLER: usize = 12;
const SMALL_PROGRAM: usize = 5_000;

/// With bounds up to this one, what memory has that was never written is an input in a search of its own.
pub(crate) const SMALL_BOUND: u32 = 5;

/// Bounds that are tried one after the other.
const BOUNDS: [u32; 15] =
    [2, 5, 12, 30, 80, 200, 500, 1_200, 3_000, 8_000, 20_000, 50_000, 120_000, 300_000, 1_000_000];

/// Searches for runs of the program from its start to the goals. `confirm` executes a run that was found, and
/// says whether it comes to the goal; runs with simpler inputs are tried in the same way.
pub fn search(
    program: &Program,
    goals: &[Goal],
    options: Options,
    budget: &Budget,
    confirm: &mut dyn FnMut(usize, &Inputs) -> bool,
) -> Searched {
    let open = StopReason::Unsupported { what: "there is no function `main`".to_owned() };
    let mut search = Search {
        program,
        goals,
        verdicts: vec![None; goals.len()],
        rounds: vec![0; goals.len()],
        reasons: vec![open; goals.len()],
        out: Searched::default(),
        confirm,
    };
    let bounds = options.bounds();
    if let Some(script) = script(program) {
        for (round, &bound) in bounds.iter().enumerate() {
            let last = round + 1 == bounds.len();
            match search.round(script.clone(), bound, budget) {
                Ok(true) if !last => {}
                Ok(_) => break,
                Err(reason) => {
                    let open = search.verdicts.iter().zip(&mut search.reasons);
                    open.filter(|(v, _)| v.is_none()).for_each(|(_, r)| *r = reason.clone());
                    break;
                }
            }
        }
    }
    let Search { verdicts, rounds, reasons, mut out, .. } = search;
    let answer = |((verdict, rounds), reason): ((Option<Verdict>, u32), StopReason)| Answer {
        verdict: verdict.unwrap_or(Verdict::Unknown(reason)),
        rounds,
    };
    out.answers = verdicts.into_iter().zip(rounds).zip(reasons).map(answer).collect();
    out
}

/// The functions that are called one after the other: what runs before `main`, `main`, what `exit` does.
pub(crate) fn script(program: &Program) -> Option<Vec<FuncId>> {
    let has_body = |f: &FuncId| program.functions[f.index()].has_body();
    let main = program.function("main").filter(has_body)?;
    let after = program.function("exit").filter(has_body);
    Some(program.before.iter().copied().chain([main]).chain(after).collect())
}

struct Search<'a> {
    program: &'a Program,
    goals: &'a [Goal],
    verdicts: Vec<Option<Verdict>>,
    /// With how many rounds that was known.
    rounds: Vec<u32>,
    /// Why there is no verdict.
    reasons: Vec<StopReason>,
    out: Searched,
    confirm: &'a mut dyn FnMut(usize, &Inputs) -> bool,
}

impl<'a> Search<'a> {
    /// One search with a bound. Whether a larger bound may tell more.
    fn round(&mut self, script: Vec<FuncId>, bound: u32, budget: &Budget) -> Step<bool> {
        // First with zeros for what was never written, as it is executed.
        let mut engine = self.follow(script.clone(), (bound, true), false, budget)?;
        let open: Vec<usize> =
            (0..self.goals.len()).filter(|&g| self.verdicts[g].is_none()).collect();
        let mut candidates = Vec::new();
        let mut more = false;
        for (i, &goal) in open.iter().enumerate() {
            let (done, total) = (i as u64, Some(open.len() as u64));
            budget.report(Progress { phase: "solving", done, total });
            match self.reach(&mut engine, goal)? {
                Reach::Seen(inputs) => self.verdicts[goal] = Some(Verdict::Reached(inputs)),
                Reach::Refused(reason) => {
                    self.reasons[goal] = reason;
                    more = true;
                }
                Reach::Never => candidates.push(goal),
            }
        }
        if candidates.is_empty() {
            return Ok(more);
        }
        let (mut sure, mut grows) = self.not_cut(&mut engine, candidates.clone(), bound)?;
        let (unwritten, heap) = (engine.objects.unwritten, engine.objects.unwritten_heap);
        drop(engine);
        let mut tried = Vec::new();
        if heap && bound <= SMALL_BOUND {
            self.fill(script.clone(), bound, &candidates, budget)?;
            tried = candidates;
        }
        sure.retain(|goal| self.verdicts[*goal].is_none());
        if !sure.is_empty() && unwritten {
            // No run is left, unless by what was never written.
            let candidates = std::mem::take(&mut sure);
            let mut engine = self.follow(script.clone(), (bound, false), false, budget)?;
            let (mut left, mut others) = (Vec::new(), Vec::new());
            for goal in candidates {
                let guard = engine.reached[goal];
                if solve(&mut engine, &[guard])?.is_none() {
                    left.push(goal);
                    continue;
                }
                let what = "it is reached only where something that was never written is used";
                self.reasons[goal] = StopReason::Approximate { what: what.to_owned() };
                others.push(goal);
            }
            let (last, more) = self.not_cut(&mut engine, left, bound)?;
            sure = last;
            grows |= more;
            others.retain(|goal| !tried.contains(goal));
            if heap && !others.is_empty() {
                drop(engine);
                self.fill(script, bound, &others, budget)?;
            }
        }
        for goal in sure {
            self.verdicts[goal] = Some(Verdict::Unreached);
            self.rounds[goal] = bound;
        }
        Ok(more || grows)
    }

    /// Looks for runs on which memory has something that was asked for and never written: that is an input, too.
    fn fill(
        &mut self,
        script: Vec<FuncId>,
        bound: u32,
        goals: &[usize],
        budget: &Budget,
    ) -> Step<()> {
        let mut engine = self.follow(script, (bound, true), true, budget)?;
        for &goal in goals {
            if let Reach::Seen(inputs) = self.reach(&mut engine, goal)? {
                self.verdicts[goal] = Some(Verdict::Reached(inputs));
            }
        }
        Ok(())
    }

    /// The goals about which nothing is missing, and whether a larger bound tells more about the others.
    fn not_cut(
        &mut self,
        engine: &mut Engine<'_>,
        goals: Vec<usize>,
        bound: u32,
    ) -> Step<(Vec<usize>, bool)> {
        let cuts = std::mem::take(&mut engine.cuts);
        let (mut sure, mut grows) = (Vec::new(), false);
        // Goals that depend on the same cuts have the same answer.
        let mut known: FxHashMap<(Lit, Lit), Option<(StopReason, bool)>> = FxHashMap::default();
        for goal in goals {
            let leads = Leads::new(self.program, &self.goals[goal]);
            let uncovered = |c: &Cut| matches!(c.why, Why::Uncovered(_));
            let relevant = cuts.iter().filter(|c| leads.from(&c.place, uncovered(c)));
            let relevant: Vec<&Cut> = relevant.collect();
            let (mut bounded, mut others) = (Lit::FALSE, Lit::FALSE);
            for cut in &relevant {
                let all = if cut.why == Why::Bound { &mut bounded } else { &mut others };
                *all = engine.c.aig.or(*all, cut.guard);
            }
            let cut = match known.get(&(bounded, others)) {
                Some(cut) => cut.clone(),
                None => {
                    let cut = cut_off(engine, &relevant, (bounded, others), bound)?;
                    known.insert((bounded, others), cut.clone());
                    cut
                }
            };
            match cut {
                None => sure.push(goal),
                Some((reason, more)) => {
                    self.reasons[goal] = reason;
                    grows |= more;
                }
            }
        }
        engine.cuts = cuts;
        Ok((sure, grows))
    }

    /// Follows all runs.
    fn follow(
        &mut self,
        script: Vec<FuncId>,
        how: (u32, bool),
        fills: bool,
        budget: &Budget,
    ) -> Step<Engine<'a>> {
        let mut engine = Engine::new(self.program, self.goals, script, how, budget);
        engine.objects.fills = fills;
        let open = self.goals.iter().zip(&self.verdicts).filter(|(_, known)| known.is_none());
        engine.slice = Some(Leads::slice(self.program, open.map(|(goal, _)| goal)));
        let ran = engine.run();
        self.count("bound", u64::from(how.0));
        self.count("statements", engine.statements());
        self.count("gates", engine.c.aig.len() as u64);
        self.count("inputs", engine.taken.len() as u64);
        self.out.allocates |= engine.allocates;
        ran.map(|()| engine)
    }

    fn count(&mut self, name: &str, value: u64) {
        match self.out.counters.iter_mut().find(|(n, _)| n == name) {
            Some(slot) => slot.1 = value,
            None => self.out.counters.push((name.to_owned(), value)),
        }
    }

    fn reach(&mut self, engine: &mut Engine<'_>, goal: usize) -> Step<Reach> {
        let guard = engine.reached[goal];
        if guard == Lit::FALSE {
            return Ok(Reach::Never);
        }
        let mut exact = Lit::TRUE;
        for i in 0..engine.cuts.len() {
            if let Why::Approximate(_) = engine.cuts[i].why {
                exact = engine.c.aig.and(exact, !engine.cuts[i].guard);
            }
        }
        if let Some(mut model) = solve(engine, &[guard, exact])? {
            let inputs = engine.inputs(&mut model);
            return Ok(match (self.confirm)(goal, &inputs) {
                true => {
                    let confirm = &mut *self.confirm;
                    let mut again = |inputs: &Inputs| confirm(goal, inputs);
                    Reach::Seen(simpler(self.program, inputs, &mut again))
                }
                false => {
                    let what = "a run that was found depends on what is not modelled exactly";
                    Reach::Refused(StopReason::Approximate { what: what.to_owned() })
                }
            });
        }
        if exact == Lit::TRUE || solve(engine, &[guard])?.is_none() {
            return Ok(Reach::Never);
        }
        let what = "it is reached only where something depends on addresses";
        Ok(Reach::Refused(StopReason::Approximate { what: what.to_owned() }))
    }
}

/// Inputs that lead to the same place and are easier to read.
pub fn simpler(
    program: &Program,
    mut inputs: Inputs,
    confirm: &mut dyn FnMut(&Inputs) -> bool,
) -> Inputs {
    let statements = program.functions.iter().flat_map(|f| &f.blocks).map(|b| b.stmts.len());
    if statements.sum::<usize>() > SMALL_PROGRAM {
        return inputs;
    }
    // Fewer arguments, small numbers, and no inputs that nobody takes.
    let argc = inputs.argc.into_iter().flat_map(|most| (1..most).take(SIMPLER));
    let fewer = argc.map(|argc| Inputs { argc: Some(argc), ..inputs.clone() });
    if let Some(found) = fewer.into_iter().find(|fewer| confirm(fewer)) {
        inputs = found;
    }
    for i in 0..inputs.values.len().min(SIMPLER) {
        for value in [0, 1] {
            let old = inputs.values[i].1;
            if old == value {
                break;
            }
            inputs.values[i].1 = value;
            if confirm(&inputs) {
                break;
            }
            inputs.values[i].1 = old;
        }
    }
    for count in 0..inputs.values.len().min(SIMPLER) {
        let values = inputs.values[..count].to_vec();
        let fewer = Inputs { values, ..inputs.clone() };
        if confirm(&fewer) {
            inputs = fewer;
            break;
        }
    }
    // Memory that nobody looks at.
    for i in 0..inputs.memory.len().min(SIMPLER) {
        let empty = Inputs { memory: inputs.memory.clone(), ..inputs.clone() };
        let mut empty = empty;
        empty.memory[i].clear();
        if !inputs.memory[i].is_empty() && confirm(&empty) {
            inputs = empty;
        }
    }
    while inputs.memory.last().is_some_and(|m| m.iter().all(|b| *b == 0)) {
        inputs.memory.pop();
    }
    simpler_text(inputs, confirm)
}

/// Shorter arguments and a shorter standard input, with letters that can be read.
fn simpler_text(mut inputs: Inputs, confirm: &mut dyn FnMut(&Inputs) -> bool) -> Inputs {
    inputs.args.truncate(inputs.argc.unwrap_or(1).saturating_sub(1) as usize);
    let mut attempt = |inputs: &mut Inputs, change: &dyn Fn(&mut Inputs)| {
        let mut other = inputs.clone();
        change(&mut other);
        if other != *inputs && confirm(&other) {
            *inputs = other;
            return true;
        }
        false
    };
    for i in 0..inputs.args.len().min(SIMPLER) {
        let shorter = 0..inputs.args[i].len().min(SIMPLER);
        for length in shorter {
            if attempt(&mut inputs, &|new| new.args[i].truncate(length)) {
                break;
            }
        }
        // The last ones first: what is left keeps its place.
        for k in (0..inputs.args[i].len().min(SIMPLER)).rev() {
            let gone = attempt(&mut inputs, &|new| {
                new.args[i].remove(k);
            });
            let plain = inputs.args[i].get(k).is_none_or(u8::is_ascii_graphic);
            if !gone && !plain {
                attempt(&mut inputs, &|new| new.args[i][k] = b'a');
            }
        }
    }
    for length in 0..inputs.stdin.len().min(SIMPLER) {
        if attempt(&mut inputs, &|new| new.stdin.truncate(length)) {
            break;
        }
    }
    for f in 0..inputs.files.len() {
        for length in 0..inputs.files[f].1.len().min(SIMPLER) {
            if attempt(&mut inputs, &|new| new.files[f].1.truncate(length)) {
                break;
            }
        }
        for k in 0..inputs.files[f].1.len().min(2 * SIMPLER) {
            let plain = inputs.files[f].1[k].is_ascii_graphic() || inputs.files[f].1[k] == b'\n';
            if !plain {
                attempt(&mut inputs, &|new| new.files[f].1[k] = b'a');
            }
        }
    }
    let letters = [b'\n', b'a', b'0'];
    for k in (0..inputs.stdin.len().min(2 * SIMPLER)).rev() {
        let gone = attempt(&mut inputs, &|new| {
            new.stdin.remove(k);
        });
        if gone {
            continue;
        }
        if inputs.stdin[k] != b'\n' && !inputs.stdin[k].is_ascii_graphic() {
            letters.iter().any(|&letter| attempt(&mut inputs, &|new| new.stdin[k] = letter));
        }
    }
    inputs
}

/// Why not all runs were followed, and whether a larger bound helps; none if all were.
pub(crate) fn cut_off(
    engine: &mut Engine<'_>,
    cuts: &[&Cut],
    (bounded, others): (Lit, Lit),
    bound: u32,
) -> Step<Option<(StopReason, bool)>> {
    let mut reason = None;
    let some = engine.possible(others)?;
    for cut in cuts.iter().filter(|cut| some && cut.why != Why::Bound) {
        if !engine.possible(cut.guard)? {
            continue;
        }
        reason = Some(cut_reason(engine.program, &cut.why, bound));
        break;
    }
    let grows = engine.possible(bounded)?;
    if grows && reason.is_none() {
        reason = Some(StopReason::Bound { limit: bound });
    }
    Ok(reason.map(|reason| (reason, grows)))
}

/// Why runs were not followed, for people.
pub(crate) fn cut_reason(program: &Program, why: &Why, bound: u32) -> StopReason {
    match why {
        Why::Undefined(at) => {
            let place = program.place(*at);
            let what = format!("{place}: an access outside of objects may come first");
            StopReason::Approximate { what }
        }
        Why::Uncovered(what) => StopReason::Incomplete { what: what.clone() },
        Why::Outside => {
            let what = "a function without a body may change what the program sees";
            StopReason::Incomplete { what: what.to_owned() }
        }
        Why::Beyond => {
            let what = "callers may do more than was tried: longer strings, objects that are shared in other ways, \
                        other values of static variables";
            StopReason::Incomplete { what: what.to_owned() }
        }
        Why::Approximate(what) => StopReason::Approximate { what: what.clone() },
        Why::Excess => {
            let what =
                "with pointers of 32 bits, numbers with fractions may be computed with more bits";
            StopReason::Approximate { what: what.to_owned() }
        }
        Why::Far => {
            let what = "an address is computed that is far from its object".to_owned();
            StopReason::Approximate { what }
        }
        Why::Bound => StopReason::Bound { limit: bound },
    }
}

/// What is known of a goal after a round.
enum Reach {
    Seen(Inputs),
    Refused(StopReason),
    Never,
}

pub(crate) fn solve(engine: &mut Engine<'_>, roots: &[Lit]) -> Step<Option<Valuation>> {
    engine.decider.model(&engine.c.aig, roots)
}
