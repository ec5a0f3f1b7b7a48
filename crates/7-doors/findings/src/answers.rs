//! Rules over a C program, answered: one outcome for each cause of a violation.
//!
//! A rule stands for hundreds of objects, and its product is searched once, for all of them: which places are
//! reached with which of them, a path for each pair, and a proof if there is none. What an engine does not tell
//! at once is asked for ([`OneRule::traces`], [`OneRule::at_all`]).

use crate::cores::{Answered, Cores, Work};
use crate::pieces::{Piece, Queue};
use crate::question::{RuleQuestion, Trouble, rule_of};
use crate::remarks::{self, Allow};
use asking::{Asked, With};
use asking::{Checked, Judge, Judged, answered, compared};
use asking::{EngineChoice, Options, RuleAnswers, Search, Watch};
use asking::{Run, answer, answer_whole, kept_or};
use check::{Budget, Goal, Limits, Observation, StopReason, Target, TraceMode, Verdict};
use front_c::Places;
use input::CProgram;
use input::{Error, caught};
use ir::Layout;
use property::Property;
use render::{Finding, LookedAt, Outcome, Status};
use rules::{About, Common, Facts, MAX_LENGTH, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use source::SourceFile;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn lacks_memory(answers: &RuleAnswers) -> bool {
    let lacks = |o: &Outcome| matches!(o.stop_reason, Some(StopReason::Memory { .. }));
    answers.outcomes.iter().any(lacks)
}

fn violations(answers: &RuleAnswers) -> usize {
    answers.outcomes.iter().filter(|o| o.status == Status::Violated).count()
}

/// Who may take how much of the time: no rule is without an answer because another one is hard.
struct Shares<'a> {
    budget: &'a Budget,
    options: &'a Options,
    watch: &'a Watch,
    threads: usize,
    /// Rules that are not answered yet.
    open: AtomicUsize,
}

impl Shares<'_> {
    /// What one rule may take: its share of what is left, which is less by a quarter where findings are put to the
    /// program's data afterwards.
    fn of_one(&self) -> Budget {
        let limits = self.budget.limits();
        let (Some(limit), None) = (limits.time, limits.steps) else { return self.budget.clone() };
        let left = limit.saturating_sub(self.budget.elapsed());
        let left = match self.options.search.confidence {
            Some(_) => left / 4 * 3,
            None => left,
        };
        let open = self.open.load(Ordering::Relaxed).max(1);
        let share = left * self.threads as u32 / open.max(self.threads) as u32;
        self.watch.part(Limits { time: Some(share), ..limits }, limits)
    }

    /// What one piece may take of a share, where so many others wait: more than its part, for most need less, and not most
    /// of what is left.
    fn piece_of(&self, share: &Budget, waiting: usize) -> Budget {
        let limits = share.limits();
        let (Some(limit), None) = (limits.time, limits.steps) else { return share.clone() };
        let left = limit.saturating_sub(share.elapsed());
        let time = Some((left / 3).min(left * 4 / (waiting as u32 + 4)));
        self.watch.part(Limits { time, ..limits }, self.budget.limits())
    }
}

/// Rules, and what is needed to answer one.
struct Answering<'a> {
    c: &'a Arc<CProgram>,
    places: &'a Arc<Places>,
    properties: &'a [&'a Property],
    rules: &'a [Rule],
    allow: &'a [Allow],
    options: &'a Options,
    shares: Shares<'a>,
    /// What all rules know of the program.
    common: Arc<Common>,
}

impl Answering<'_> {
    /// What is too much is asked in pieces, and with less detail, long before all memory is used: an answer that knows less
    /// is one. Who wants a proof, or has chosen an engine, gets what was asked for.
    fn in_pieces(&self, rule: usize) -> bool {
        let search = &self.options.search;
        let in_steps = search.engine == EngineChoice::Auto && !search.self_check;
        in_steps && self.rules[rule].is_about_values()
    }

    /// With so many links of paths.
    fn as_a_whole(&self, rule: usize, longest: usize, budget: &Budget) -> Answered {
        let piece = Piece { detail: longest.into(), ..Piece::whole(Vec::new(), Arc::default()) };
        let found = self.piece(rule, &piece, budget)?;
        self.shares.watch.so_far.ruled(&self.rules[rule].name, &found.0);
        Ok(found)
    }
}

impl Work for Answering<'_> {
    fn share(&self) -> Budget {
        self.shares.of_one()
    }

    fn ended(&self) {
        self.shares.open.fetch_sub(1, Ordering::Relaxed);
    }

    fn attempt(&self, share: &Budget, waiting: usize) -> Budget {
        self.shares.piece_of(share, waiting)
    }

    fn pieces(&self, rule: usize) -> Option<Queue> {
        if !self.in_pieces(rule) {
            return None;
        }
        let s = self.c.skeleton();
        let (entry, facts) =
            (self.options.input.entry.as_deref(), Arc::new(Facts::new(&self.common)));
        let all = rules::beginnings(s, &self.rules[rule], entry, &facts).unwrap_or_default();
        Some(Queue::new(&all, s.bodies.len(), facts))
    }

    fn whole(&self, rule: usize, budget: &Budget) -> Answered {
        self.as_a_whole(rule, MAX_LENGTH, budget)
    }

    fn piece(&self, rule: usize, piece: &Piece, budget: &Budget) -> Answered {
        let longest = Cell::new(piece.detail.longest);
        let one = OneRule {
            property: self.properties[rule],
            rule: &self.rules[rule],
            program: (self.c, self.places),
            allow: self.allow,
            options: self.options,
            watch: self.shares.watch,
            budget,
            longest: &longest,
            piece,
            start: Instant::now(),
        };
        let found = caught("checking a rule", || one.run());
        let found = found.unwrap_or_else(|what| {
            let outcomes = vec![self.nothing(rule, StopReason::Internal { what })];
            Ok(RuleAnswers { outcomes, ..RuleAnswers::default() })
        });
        found.map(|found| (found, longest.get()))
    }

    fn nothing(&self, rule: usize, reason: StopReason) -> Outcome {
        Outcome::unknown(self.properties[rule].clone(), reason)
    }
}

/// Checks rules over a C program. They are checked on as many threads as there are cores; what is found
/// does not depend on that.
pub fn rule_answers(
    c: &Arc<CProgram>,
    files: &[Arc<SourceFile>],
    properties: &[&Property],
    options: &Options,
    watch: &Watch,
) -> Result<RuleAnswers, Error> {
    // A name that is not there is said before anything is searched.
    let s = c.skeleton();
    if let Some(name) = &options.input.entry
        && s.func_named(name).is_none_or(|f| s.body(f).is_none())
    {
        return Err(c.wrong(&front_c::LowerError::NoEntry { name: name.clone() }));
    }
    if s.bodies.is_empty() {
        return Err(c.wrong(&front_c::LowerError::Empty));
    }
    let allow = remarks::in_files(files);
    let rules = properties.iter().map(|p| rule_of(p)).collect::<Result<Vec<Rule>, Error>>()?;
    let places = Arc::new(Places::new(s));
    let budget = watch.budget(options.search.limits);
    // A limit on steps is for all rules together: where it is reached must not be chance.
    let threads = match options.search.limits.steps {
        Some(_) => 1,
        None => input::threads(usize::MAX),
    };
    let shares = Shares { budget: &budget, options, watch, threads, open: rules.len().into() };
    let (places, rules, allow) = (&places, &rules[..], &allow[..]);
    let work =
        Answering { c, places, properties, rules, allow, options, shares, common: Arc::default() };
    let names = rules.iter().map(|rule| rule.name.as_str()).collect();
    let cores = Cores { s, names, watch, budget: &budget, work: &work };
    let mut out = RuleAnswers::default();
    for (i, found) in cores.answers(threads, MAX_LENGTH).into_iter().enumerate() {
        let (mut found, mut longest) = found?;
        // What several need at once, one of them may have.
        if threads > 1 && lacks_memory(&found) && !work.in_pieces(i) {
            (found, longest) = work.as_a_whole(i, longest, &budget.attempt())?;
        }
        // Shorter paths know less, and say so; no answer knows nothing.
        while longest > 1 && lacks_memory(&found) && !work.in_pieces(i) {
            let (again, shorter) = work.as_a_whole(i, longest / 2, &budget.attempt())?;
            if shorter >= longest {
                break;
            }
            // What was found with longer paths counts, if the shorter ones find no more.
            longest = shorter;
            if !lacks_memory(&again) || violations(&again) >= violations(&found) {
                found = again;
            }
        }
        out.add(found);
    }
    Ok(out)
}

/// What was found of some goals, and why there may be more.
struct Causes {
    /// Places, with what runs there are about.
    found: Vec<(usize, Option<usize>)>,
    stopped: Option<StopReason>,
    /// What the engines that were asked say if nothing is found.
    outcome: Outcome,
    /// What they have said.
    runs: Vec<Run>,
}

/// A rule while it is checked.
struct OneRule<'a> {
    property: &'a Property,
    rule: &'a Rule,
    program: (&'a Arc<CProgram>, &'a Arc<Places>),
    allow: &'a [Allow],
    options: &'a Options,
    watch: &'a Watch,
    budget: &'a Budget,
    /// The most links of paths: how many are wanted, then how many there are.
    longest: &'a Cell<usize>,
    /// What of it is asked.
    piece: &'a Piece,
    start: Instant,
}

/// So many traces are replayed and told in a moment, even after the time is over.
const FEW: usize = 100;

/// Products with more nodes are not sliced first: that takes as long as what it saves.
const LARGE: usize = 20_000;

impl OneRule<'_> {
    /// Checks the rule. An error says what makes no sense; why there is no complete answer is an outcome.
    fn run(&self) -> Result<RuleAnswers, Error> {
        let (mut out, mut looked_at) = (RuleAnswers::default(), None);
        let stopped = match self.answers(&mut out, &mut looked_at) {
            Ok(stopped) => stopped,
            Err(Trouble::Stopped(reason)) => {
                out.outcomes.push(Outcome::unknown(self.property.clone(), reason));
                None
            }
            Err(Trouble::Wrong(error)) => return Err(error),
        };
        if let Some(mut unknown) = stopped {
            unknown.status = Status::Unknown;
            out.outcomes.push(unknown);
        }
        let seconds = self.start.elapsed().as_secs_f64();
        for outcome in out.outcomes.iter_mut().chain(&mut out.suppressed) {
            outcome.seconds = seconds;
            outcome.looked_at.clone_from(&looked_at);
        }
        Ok(out)
    }

    /// The answers, and what was looked at; and the one that says why they are not complete.
    fn answers(
        &self,
        out: &mut RuleAnswers,
        looked_at: &mut Option<Arc<LookedAt>>,
    ) -> Result<Option<Outcome>, Trouble> {
        self.budget.poll()?;
        let Piece { detail, asked, .. } = self.piece;
        let (how, budget) = ((*detail, asked), self.budget);
        let q =
            RuleQuestion::again(self.rule, self.program, self.allow, self.options, how, budget)?;
        let q = Arc::new(q);
        self.longest.set(q.longest());
        out.assumptions = q.assumptions();
        *looked_at = Some(Arc::new(q.looked_at()));
        let by_itself = self.options.search.engine == EngineChoice::Auto
            && self.options.search.matching.is_none()
            && !self.options.search.self_check;
        if q.product.places.is_empty() && by_itself {
            let why = "no statement of the program can break the rule".to_owned();
            let status = Status::Holds;
            let nothing = Outcome::unknown(self.property.clone(), StopReason::Cancelled);
            let engine = "none".to_owned();
            out.outcomes.push(Outcome { status, engine, why, stop_reason: None, ..nothing });
            return Ok(None);
        }
        let shortened = !detail.is_full();
        if q.product.places.is_empty() {
            out.outcomes.push(self.at_all(&q, shortened));
            return Ok(None);
        }
        let causes = match q.product.number {
            Some(_) => self.causes(&q)?,
            None => {
                let found = (0..q.product.places.len()).map(|place| (place, None)).collect();
                let nothing = Outcome::unknown(self.property.clone(), StopReason::Cancelled);
                Causes { found, stopped: None, outcome: nothing, runs: Vec::new() }
            }
        };
        if self.options.search.self_check && causes.found.is_empty() && causes.stopped.is_none() {
            out.outcomes.push(self.proved(&q, causes.runs, shortened));
            return Ok(None);
        }
        let internal = matches!(causes.stopped, Some(StopReason::Internal { .. }));
        if causes.found.is_empty() || internal {
            out.outcomes.push(Outcome { stop_reason: causes.stopped, ..causes.outcome });
            return Ok(None);
        }
        self.paths(&q, causes, shortened, out)
    }

    /// Who is asked. Without a choice, diagrams are: one search for all that a rule could be about.
    fn runs(&self, asked: &Asked, budget: &Budget) -> Vec<Run> {
        let chosen = self.options.search.engine != EngineChoice::Auto
            || self.options.search.matching.is_some();
        if chosen {
            return answer(&asked.task, self.options, self.watch, budget);
        }
        let options = Options {
            search: Search { engine: EngineChoice::Summary, ..self.options.search.clone() },
            ..self.options.clone()
        };
        // A product has what the rule asks for and little else.
        let whole = asked.task.program.nodes.len() > LARGE;
        let answer = if whole { answer_whole } else { answer };
        let mut runs = kept_or(&asked.task, &options, self.watch, budget, || {
            answer(&asked.task, &options, self.watch, budget)
        });
        for run in &mut runs {
            run.why = "one search for all that the rule could be about".to_owned();
        }
        runs
    }

    fn with<'w>(&'w self, options: &'w Options) -> With<'w> {
        With { options, watch: self.watch, budget: self.budget }
    }

    /// That the rule is not broken, by the proofs of engines that have found no place.
    fn proved(&self, q: &Arc<RuleQuestion>, mut runs: Vec<Run>, shortened: bool) -> Outcome {
        if runs.is_empty() {
            return self.at_all(q, shortened);
        }
        let asked = q.asked_at_all();
        for run in &mut runs {
            let all = &run.answer.verdicts;
            let Some(Verdict::Holds(Some(proof))) = all.first() else {
                return self.at_all(q, shortened);
            };
            // One that is about a part of the places is no proof about all of them.
            let same = |v: &Verdict| matches!(v, Verdict::Holds(Some(p)) if Arc::ptr_eq(p, proof));
            if !all.iter().all(same) {
                return self.at_all(q, shortened);
            }
            run.answer.verdicts.truncate(1);
        }
        self.judged_at_all(&asked, &runs, shortened)
    }

    /// Whether the rule is broken at all, with a proof if it is not: a search for that alone.
    fn at_all(&self, q: &Arc<RuleQuestion>, shortened: bool) -> Outcome {
        let asked = q.asked_at_all();
        let runs = self.runs(&asked, self.budget);
        self.judged_at_all(&asked, &runs, shortened)
    }

    fn judged_at_all(&self, asked: &Asked, runs: &[Run], shortened: bool) -> Outcome {
        let judge = Judge { asked, with: self.with(self.options) };
        let each = runs.iter().map(|run| {
            let mut checked = Checked::default();
            judge.outcome(self.property, 0, run, &mut checked).outcome
        });
        let mut out = compared(self.property, each.collect());
        if shortened && out.proof.take().is_some() {
            // Whoever reads it would make another product.
            let what = "the proof is about shorter paths, for want of memory, and is not kept";
            out.warnings.push(what.to_owned());
        }
        out
    }

    /// Half of the time that is left.
    fn half(&self) -> Budget {
        let limits = self.budget.limits();
        let time = limits.time.map(|limit| limit.saturating_sub(self.budget.elapsed()) / 2);
        match time {
            None => self.budget.clone(),
            // Steps are counted for all rules together.
            Some(_) if limits.steps.is_some() => self.budget.clone(),
            Some(_) => self.watch.part(Limits { time, ..limits }, limits),
        }
    }

    /// The time that is left, but for a quarter of it, which is for paths to what is found.
    fn keeping_back(&self) -> Budget {
        let left = self.budget.limits().time.map(|t| t.saturating_sub(self.budget.elapsed()));
        self.budget.keeping_back(left.unwrap_or_default() / 4)
    }

    /// Which places are reached, and what with, and paths to them from engines that tell them at once.
    fn causes(&self, q: &Arc<RuleQuestion>) -> Result<Causes, StopReason> {
        let places: Vec<usize> = (0..q.product.places.len()).collect();
        let mut asked = q.asked(places.iter().map(|&place| (place, None)).collect());
        asked.task.wants.trace = self.kind_of_paths(true);
        asked.task.wants.certificate = self.options.search.self_check;
        let number = q.product.number.ok_or_else(|| internal("one object has no number"))?;
        let nodes = q.product.places.iter();
        asked.task.observe = nodes.map(|&node| Observation { node, vars: vec![number] }).collect();
        asked.task.each = Some(number);
        let observes = self.options.search.matching.is_none();
        if !observes {
            return self.one_by_one(q);
        }
        let runs = self.runs(&asked, &self.keeping_back());
        let mut all: Vec<Causes> = Vec::new();
        for run in &runs {
            all.push(self.observed(q, &asked, run)?);
        }
        let Some(complete) = all.iter().position(|c| c.stopped.is_none()) else {
            // The one that has found most.
            all.sort_by_key(|c| std::cmp::Reverse(c.found.len()));
            let most = all.into_iter().next().ok_or_else(|| internal("no engine answered"))?;
            return Ok(Causes { runs, ..most });
        };
        let differs = |c: &Causes| c.stopped.is_none() && c.found != all[complete].found;
        if all.iter().any(differs) {
            let says = |c: &Causes| format!("{} finds {}", c.outcome.engine, c.found.len());
            let definite = all.iter().filter(|c| c.stopped.is_none());
            let says: Vec<String> = definite.map(says).collect();
            let what = format!("the engines disagree: {} causes", says.join(", "));
            return Err(internal(what));
        }
        let outcomes =
            all.iter().map(|c| Outcome { stop_reason: c.stopped.clone(), ..c.outcome.clone() });
        let outcome = compared(self.property, outcomes.collect());
        Ok(Causes { outcome, runs, ..all.swap_remove(complete) })
    }

    /// What one engine says of the places.
    fn observed(&self, q: &RuleQuestion, asked: &Asked, run: &Run) -> Result<Causes, StopReason> {
        let answer = &run.answer;
        let mut stopped = answer.incomplete.clone();
        let var = q.product.number.ok_or_else(|| internal("one object has no number"))?;
        let slot = Layout::new(&q.product.program).slot(var);
        let mut found: Vec<(usize, Option<usize>)> = Vec::new();
        for (i, verdict) in answer.verdicts.iter().enumerate() {
            match verdict {
                Verdict::Holds(_) => continue,
                Verdict::Unknown(reason) => {
                    stopped.get_or_insert_with(|| reason.clone());
                    continue;
                }
                Verdict::Violated(_) => {}
            }
            if let Some(values) = answer.each.get(i) {
                let numbers = values.iter().map(|(value, _)| *value as usize);
                let known = numbers.filter(|&k| k < q.product.conditions.len());
                found.extend(known.map(|k| (i, Some(k))));
                continue;
            }
            let Some(set) = answer.observed.get(i).copied().flatten() else {
                if stopped.is_some() {
                    continue;
                }
                return Err(internal("the engine does not say which values it found"));
            };
            let has = |value: &usize| {
                answer.sets.contains(set, |bit| value >> (bit.index - slot.offset) & 1 == 1)
            };
            let numbers = (0..q.product.conditions.len()).filter(has);
            found.extend(numbers.map(|k| (i, Some(k))));
        }
        if let About::Values(about) = &q.product.about {
            let mut seen: FxHashSet<(rules::At, Option<usize>)> = FxHashSet::default();
            found.retain(|&(i, k)| seen.insert((about.violations[i].at, k)));
        }
        let mut outcome = answered(self.property, run);
        outcome.counters.extend(asked.back.counters());
        outcome.status = match (&found[..], &stopped) {
            ([], None) => Status::Holds,
            ([], Some(_)) => Status::Unknown,
            _ => Status::Violated,
        };
        Ok(Causes { found, stopped, outcome, runs: Vec::new() })
    }

    /// The same for a search that does not say which values it found: place by place, a run that is about
    /// something else than those before.
    fn one_by_one(&self, q: &Arc<RuleQuestion>) -> Result<Causes, StopReason> {
        let mut found: Vec<(usize, Option<usize>)> = Vec::new();
        let mut open: Vec<usize> = (0..q.product.places.len()).collect();
        let (mut stopped, mut outcome) = (None, None);
        let var = q.product.number.ok_or_else(|| internal("one object has no number"))?;
        while !open.is_empty() && stopped.is_none() {
            let mut asked = q.asked(open.iter().map(|&place| (place, None)).collect());
            asked.task.wants.trace = TraceMode::Any;
            let mut program = (*asked.task.program).clone();
            let goals = open.iter().map(|&place| {
                // All that it may be about, by number: so the search has to know which it is.
                let known = |k: &usize| found.contains(&(place, Some(*k)));
                let others = (0..q.product.conditions.len()).filter(|k| !known(k));
                let condition = others.fold(ir::Exprs::FALSE, |any, k| {
                    program.exprs.or(any, q.product.conditions[k])
                });
                Goal::Reach(vec![Target { node: q.product.places[place], condition }])
            });
            asked.task.goals = goals.collect();
            asked.task.program = Arc::new(program);
            let runs = self.runs(&asked, &self.half());
            let run = runs.first().ok_or_else(|| internal("no engine answered"))?;
            let bits = Layout::new(&q.product.program).slot(var).bits();
            let mut next = Vec::new();
            for (&place, verdict) in open.iter().zip(&run.answer.verdicts) {
                match verdict {
                    Verdict::Holds(_) => {}
                    Verdict::Unknown(reason) => stopped = Some(reason.clone()),
                    Verdict::Violated(trace) => {
                        let end = trace.as_ref().and_then(|t| t.end.number(bits.clone()));
                        let k = end.ok_or_else(|| internal("the trace tells no number"))?;
                        found.push((place, Some(k as usize)));
                        next.push(place);
                    }
                }
            }
            open = next;
            let mut last = answered(self.property, run);
            last.counters.extend(asked.back.counters());
            outcome = Some(last);
        }
        found.sort_unstable();
        let mut outcome = outcome.ok_or_else(|| internal("no engine answered"))?;
        outcome.status = match (&found[..], &stopped) {
            ([], None) => Status::Holds,
            ([], Some(_)) => Status::Unknown,
            _ => Status::Violated,
        };
        Ok(Causes { found, stopped, outcome, runs: Vec::new() })
    }

    /// Shortest paths, if somebody wants to see them and `complete` says that they can be. A finding is known by
    /// its path, shown or not.
    fn kind_of_paths(&self, complete: bool) -> TraceMode {
        match complete && self.options.search.trace == TraceMode::Shortest {
            true => TraceMode::Shortest,
            false => TraceMode::Any,
        }
    }

    /// A trace for each cause: those that engines have told with the causes; others are asked for. If the first
    /// search had to stop, this one may end when it has found them again.
    fn traces(&self, q: &Arc<RuleQuestion>, asked: &mut Asked, causes: Causes) -> Vec<Run> {
        asked.task.wants.trace = self.kind_of_paths(causes.stopped.is_none());
        let mut runs = causes.runs;
        let mut missing = vec![runs.is_empty(); causes.found.len()];
        for run in &mut runs {
            let mut told = std::mem::take(&mut run.answer.each);
            let verdicts =
                causes.found.iter().zip(&mut missing).map(|(&(place, number), missing)| {
                    let value = |(value, _): &(u64, Verdict)| number == Some(*value as usize);
                    let values = told.get_mut(place);
                    let found =
                        values.and_then(|v| v.iter().position(value).map(|i| v.swap_remove(i)));
                    let verdict = found.map_or(Verdict::Unknown(StopReason::Cancelled), |(_, v)| v);
                    *missing |= matches!(verdict, Verdict::Unknown(_));
                    verdict
                });
            run.answer.verdicts = verdicts.collect();
        }
        let rest: Vec<usize> = (0..missing.len()).filter(|&goal| missing[goal]).collect();
        if rest.len() == causes.found.len() {
            return self.runs(asked, &self.keeping_back());
        }
        if !rest.is_empty() {
            let mut again = q.asked(rest.iter().map(|&goal| causes.found[goal]).collect());
            again.task.wants.trace = asked.task.wants.trace;
            for (run, more) in runs.iter_mut().zip(self.runs(&again, &self.keeping_back())) {
                for (&goal, verdict) in rest.iter().zip(more.answer.verdicts) {
                    run.answer.verdicts[goal] = verdict;
                }
            }
        }
        runs
    }

    /// A path for each cause, told. The outcome that is returned says why there may be more.
    fn paths(
        &self,
        q: &Arc<RuleQuestion>,
        causes: Causes,
        shortened: bool,
        out: &mut RuleAnswers,
    ) -> Result<Option<Outcome>, Trouble> {
        let count = causes.found.len();
        let mut asked = q.asked(causes.found.clone());
        asked.task.wants.certificate = self.options.search.self_check && causes.runs.is_empty();
        let mut stopped = causes.stopped.clone();
        let mut runs = self.traces(q, &mut asked, causes);
        let holds = |v: &Verdict| matches!(v, Verdict::Holds(_));
        if self.options.search.self_check
            && runs.iter().all(|run| run.answer.verdicts.iter().all(holds))
        {
            out.outcomes.push(self.proved(q, runs, shortened));
            return Ok(None);
        }
        // Of a rule that is broken there is no proof; one for each of the other places is not checked.
        for verdict in runs.iter_mut().flat_map(|run| &mut run.answer.verdicts) {
            if let Verdict::Holds(proof) = verdict {
                *proof = None;
            }
        }
        let judge = Judge { asked: &asked, with: self.with(self.options) };
        let mut judged: Vec<Judged> = Vec::new();
        for goal in 0..count {
            if judged.len() >= FEW
                && let Err(reason) = self.budget.poll()
            {
                stopped.get_or_insert(reason);
                break;
            }
            let mut from = None;
            let each = runs.iter().map(|run| {
                let judged = judge.outcome(self.property, goal, run, &mut Checked::default());
                from = from.or(judged.from);
                judged.outcome
            });
            let mut outcome = compared(self.property, each.collect());
            outcome.counters.push(("causes".to_owned(), count as u64));
            match outcome.status {
                Status::Violated if outcome.finding.is_some() => {
                    judged.push(Judged { outcome, from });
                }
                Status::Unknown => {
                    stopped.get_or_insert(
                        outcome.stop_reason.clone().unwrap_or(StopReason::Cancelled),
                    );
                }
                _ => {}
            }
        }
        let plain = |status: Status| {
            let each = runs.iter().map(|run| {
                let mut one = answered(self.property, run);
                one.counters.extend(asked.back.counters());
                Outcome { status, ..one }
            });
            compared(self.property, each.collect())
        };
        self.sorted(q, judged, out);
        if out.outcomes.is_empty() && stopped.is_none() {
            let mut outcome = plain(Status::Holds);
            if self.options.search.self_check && !out.suppressed.is_empty() {
                let what = "there is no proof: remarks in the source allow what breaks it";
                outcome.warnings.push(what.to_owned());
            }
            out.outcomes.push(outcome);
            return Ok(None);
        }
        let unknown = |reason| Outcome { stop_reason: Some(reason), ..plain(Status::Unknown) };
        Ok(stopped.map(unknown))
    }

    /// The findings in order, each once; those that remarks allow by themselves.
    fn sorted(&self, q: &RuleQuestion, judged: Vec<Judged>, out: &mut RuleAnswers) {
        let mut found: Vec<(Box<Finding>, Judged)> = Vec::new();
        for mut one in judged {
            if let Some(finding) = one.outcome.finding.take() {
                found.push((finding, one));
            }
        }
        let place = |f: &Finding| (f.file.clone(), f.line, f.column);
        let length = |j: &Judged| j.outcome.trace.as_ref().map_or(0, |t| t.steps.len());
        let about_values = matches!(q.product.about, About::Values(_));
        let object = |f: &Finding| if about_values { String::new() } else { f.object.clone() };
        found.sort_by_cached_key(|(f, j)| (object(f), place(f), length(j)));
        // One for each object and place; of values, for each place and origin, as far as the function at
        // fault sees it.
        let mut seen: FxHashMap<_, ()> = FxHashMap::default();
        found.retain(|(f, j)| {
            let origin = f.origin.clone().filter(|_| j.from.is_none());
            seen.insert((object(f), place(f), j.from, origin), ()).is_none()
        });
        let name = self.rule.variable.as_ref().map(|v| v.name.clone());
        for (mut finding, Judged { mut outcome, .. }) in found {
            if let (Property::Rule { bindings, .. }, Some(name)) = (&mut outcome.property, &name)
                && !finding.object.is_empty()
            {
                *bindings = vec![(name.clone(), finding.object.clone())];
            }
            // Who judges findings goes along their paths.
            let judged = self.options.search.confidence.is_some();
            if self.options.search.trace == TraceMode::None && !judged {
                outcome.trace = None;
            }
            let allowed = self.allow.iter().find(|a| a.allows(&self.rule.name, &finding));
            finding.suppressed = allowed.map(|a| a.reason.clone());
            let to = match finding.suppressed {
                Some(_) => &mut out.suppressed,
                None => &mut out.outcomes,
            };
            to.push(Outcome { finding: Some(finding), ..outcome });
        }
    }
}

fn internal(what: impl Into<String>) -> StopReason {
    StopReason::Internal { what: what.into() }
}
