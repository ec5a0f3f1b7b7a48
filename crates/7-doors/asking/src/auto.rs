//! `--engine auto`: the engine that suits the program, by facts about it and by trying.
//!
//! - AU1. Programs that reach few states are answered fastest by enumeration, and which ones do shows
//!   when one tries: the number of their bits says little. `explicit` may take some steps, first and
//!   alone. Where a frame does not fit into its words, it is not tried; where the program has so many
//!   edges that these steps cannot be enough, it has more of them, on the second core.
//! - AU2. Then diagrams: `summary`, or `post` for runs without end.
//! - AU3. Beside them, on a second core, formulas (`universal`); for runs without end it is `pre`.
//! - AU4. The first answer wins, and the others are stopped. A trace that may not be shortest, where
//!   a shortest one is wanted, waits a little longer for a better one; where it was asked for in so many
//!   words, as long as it takes.
//! - AU5. Engines side by side share the memory. Those that ran out of it then get another chance
//!   alone.
//! - AU6. What leads to a goal is sometimes next to nothing: with a third core `pre` has it for itself.
//!   Without one it has a moment at the start, and tries again from time to time, for a quarter of the
//!   time that has gone by: it costs the others little, and where nothing but `pre` answers, there is an
//!   answer.
//!
//! - AU7. Where the others take long, a few clauses may tell why a goal is not reached: `pdr` tries after a
//!   while, for an eighth of the time that has gone by, and again when that has doubled. So it costs the others
//!   less than a tenth. With a fourth core it has that for itself.
//!
//! On one core there is no company: `pre` has its moment first, and formulas get their turn when
//! diagrams have given up, `pdr` after them.

use crate::engines::{Run, post, pre, repeats, run, sat, summary};
use crate::{Options, Watch};
use analysis::call_order;
use check::{Answer, Budget, Engine, Limits, StopReason, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use engine_pdr::Pdr;
use engine_sat::Universal;
use ir::{EdgeKind, Layout, Program, Rel};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Path edges that `explicit` may find alone.
const EXPLICIT_STEPS: u64 = 20_000;

/// With more edges than this, it cannot be expected to be done with so few.
const EXPLICIT_EDGES: u64 = EXPLICIT_STEPS / 4;

/// Path edges for each edge of the program that it may find in company.
const EXPLICIT_STEPS_PER_EDGE: u64 = 3;

/// Arbitrary bits of one edge that it may enumerate.
const EXPLICIT_OPEN_BITS: u32 = 10;

/// The most bits that it keeps in a word.
const EXPLICIT_BITS: u32 = 64;

/// How long diagrams are alone.
const ALONE: Duration = Duration::from_millis(5);

/// How long `pre` may take at first.
const MOMENT: Duration = Duration::from_millis(80);

/// How long an answer waits at least for one with a shorter trace.
const WAIT: Duration = Duration::from_millis(15);

/// How often is looked whether memory was given back.
const GIVING_BACK: u32 = 100;

/// When an engine has its turns.
#[derive(Clone, Copy, PartialEq)]
struct Turns {
    /// How long it may take at first; not at all if there is none.
    at_once: Option<Duration>,
    /// When it tries again, and how much longer it waits each time after that.
    again: Duration,
    later: u32,
    /// The part of the time that has gone by which it may take.
    share: u32,
}

/// AU6, AU7.
const PRE: Turns =
    Turns { at_once: Some(MOMENT), again: Duration::from_millis(800), later: 3, share: 4 };
const PDR: Turns = Turns { at_once: None, again: Duration::from_millis(500), later: 2, share: 8 };

/// Answers the task with the engine that suits it.
pub(crate) fn auto(task: &Task, options: &Options, watch: &Watch, budget: &Budget) -> Run {
    let facts = Facts::new(&task.program);
    let explicit = Explicit { max_open_bits: EXPLICIT_OPEN_BITS };
    let mut why = vec![facts.to_string()];
    let (mut later, mut before) = (None, None);
    if facts.widest > EXPLICIT_BITS {
        why.push(format!("too many for `explicit` ({} in one frame)", facts.widest));
    } else if facts.edges > EXPLICIT_EDGES {
        why.push(format!("{} edges", facts.edges));
        let steps = facts.edges.saturating_mul(EXPLICIT_STEPS_PER_EDGE);
        later = Some(Entrant { engine: &explicit, may: May::Steps(steps) });
    } else {
        let steps = options.search.limits.steps.map_or(EXPLICIT_STEPS, |s| s.min(EXPLICIT_STEPS));
        let limits = Limits { steps: Some(steps), ..remaining(options, budget) };
        let first = watch.part(limits, options.search.limits);
        let tried = run(&explicit, task, &first, String::new());
        why.push(match given_up(task, &tried.answer) {
            None => return Run { why: format!("{facts}, few states are reached"), ..tried },
            Some(None | Some(StopReason::Steps { .. })) => {
                format!("more than {steps} steps of `explicit`")
            }
            Some(Some(StopReason::Unsupported { what })) => format!("`explicit`: {what}"),
            Some(Some(_)) => return Run { why: facts.to_string(), ..tried },
        });
        before = Some(tried);
    }
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let race = Race { task, options, watch, budget, stop: Arc::default() };
    let (mut run, notes) = race.run(cores, later);
    why.extend(notes);
    if let Some(tried) = before {
        take_over(&mut run.answer, tried.answer);
    }
    Run { why: why.join("; "), ..run }
}

/// Verdicts that one engine has found and another has not: what was found before a limit is not lost.
fn take_over(answer: &mut Answer, other: Answer) {
    for (verdict, found) in answer.verdicts.iter_mut().zip(other.verdicts) {
        if matches!(
            (&verdict, &found),
            (Verdict::Unknown(_), Verdict::Holds(_) | Verdict::Violated(_))
        ) {
            *verdict = found;
        }
    }
}

/// The limits, as far as they are not used up.
fn remaining(options: &Options, budget: &Budget) -> Limits {
    let time = options.search.limits.time.map(|limit| limit.saturating_sub(budget.elapsed()));
    Limits { time, ..options.search.limits }
}

/// What the choice rests on.
struct Facts {
    /// Bits in the widest scope.
    bits: u32,
    /// Bits of the globals, of the widest frame or of the most results: the most of these.
    widest: u32,
    edges: u64,
    /// Arbitrary values that are chosen on edges.
    arbitrary: u64,
    recursive: bool,
}

impl Facts {
    fn new(program: &Program) -> Facts {
        let layout = Layout::new(program);
        let frame = layout.max_frame_bits();
        let globals = layout.scope_bits() - frame;
        let chosen = |rel: &Rel| {
            let open = rel.assigns.iter().filter(|assign| assign.value.is_none()).count();
            open as u64 + u64::from(rel.choices)
        };
        let mut arbitrary = 0;
        let mut recursive = call_order(program).iter().any(|component| component.len() > 1);
        for edge in program.edges.iter() {
            arbitrary += match &edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => chosen(rel),
                EdgeKind::Call(call) => {
                    recursive |= call.callee == program.nodes[edge.source].proc;
                    chosen(&call.enter) + chosen(&call.back)
                }
            };
        }
        Facts {
            bits: layout.scope_bits(),
            widest: globals.max(frame).max(layout.max_result_bits()),
            edges: program.edges.len() as u64,
            arbitrary,
            recursive,
        }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |n: u64| if n == 1 { "" } else { "s" };
        write!(f, "{} bit{} in scope", self.bits, s(self.bits.into()))?;
        if self.arbitrary > 0 {
            write!(f, ", {} arbitrary value{}", self.arbitrary, s(self.arbitrary))?;
        }
        if self.recursive {
            f.write_str(", recursion")?;
        }
        Ok(())
    }
}

/// An engine in the race.
#[derive(Clone, Copy)]
struct Entrant<'a> {
    engine: &'a dyn Engine,
    may: May,
}

/// What an engine in the race may do.
#[derive(Clone, Copy, PartialEq)]
enum May {
    /// All that the limits allow.
    All,
    /// So many steps.
    Steps(u64),
    /// So much time.
    Moment(Duration),
    /// A moment now and then (AU6, AU7), and all when nobody else has answered.
    Turns(Turns),
}

/// What is heard of the race.
enum News {
    Started(&'static str),
    /// With whether it could have gone on.
    Ended {
        run: Box<Run>,
        brief: bool,
    },
}

struct Race<'a> {
    task: &'a Task,
    options: &'a Options,
    watch: &'a Watch,
    budget: &'a Budget,
    /// Set when somebody has won.
    stop: Arc<AtomicBool>,
}

impl Race<'_> {
    /// The answer, and how it came about. `first` begins the second lane.
    fn run(&self, cores: usize, first: Option<Entrant<'_>>) -> (Run, Vec<String>) {
        let part = self.budget.part(self.stop.clone());
        let (summary, post, pre) = (summary(self.options), post(self.options), pre(self.options));
        let universal = Universal { options: sat(self.options, &part) };
        let whole = |engine| Entrant { engine, may: May::All };
        let brief = |engine| Entrant { engine, may: May::Moment(MOMENT) };
        let turns = |engine, when| Entrant { engine, may: May::Turns(when) };
        let mut lanes: Vec<Vec<Entrant<'_>>> = match (repeats(self.task), cores) {
            (true, 0 | 1) => vec![vec![whole(&post)]],
            (true, _) => vec![vec![whole(&post)], vec![whole(&pre)]],
            (false, 0 | 1) => {
                vec![vec![brief(&pre), whole(&summary), whole(&universal), whole(&Pdr)]]
            }
            (false, cores) => {
                let pre = if cores > 2 { whole(&pre) } else { turns(&pre, PRE) };
                let pdr = if cores > 3 { whole(&Pdr) } else { turns(&Pdr, PDR) };
                vec![vec![whole(&summary)], vec![whole(&universal)], vec![pdr], vec![pre]]
            }
        };
        if let Some(lane) = lanes.get_mut(1) {
            lane.splice(0..0, first);
        }
        let mut heard = Heard::default();
        std::thread::scope(|scope| {
            let start = Instant::now();
            let (sender, receiver) = mpsc::channel();
            let mut sender = Some(sender);
            // Tells the lanes with turns that another has ended, or that the race is over.
            let is_turns =
                |lane: &[Entrant<'_>]| matches!(lane, [Entrant { may: May::Turns(_), .. }]);
            let others = lanes.iter().filter(|lane| !is_turns(lane)).count();
            let channels = lanes.iter().filter(|lane| is_turns(lane)).map(|_| mpsc::channel());
            let (wake, mut woken): (Vec<Sender<()>>, Vec<Receiver<()>>) = channels.unzip();
            for (i, lane) in lanes.iter().enumerate() {
                if i == 1 && self.listen(&mut heard, &receiver, Some(ALONE)) {
                    break;
                }
                // The receiver must not wait for a lane that has not been opened.
                let last = i + 1 == lanes.len();
                let own = if last { sender.take() } else { sender.clone() };
                let Some(own) = own else { break };
                if let [Entrant { engine, may: May::Turns(when) }] = lane[..] {
                    let Some(woken) = woken.pop() else { break };
                    scope.spawn(move || self.turns(engine, when, others, &woken, &own));
                } else {
                    let wake = wake.clone();
                    scope.spawn(move || {
                        self.lane(lane, &own);
                        for wake in &wake {
                            let _ = wake.send(());
                        }
                    });
                }
            }
            drop(sender);
            self.listen(&mut heard, &receiver, None);
            while heard.all_longer(self.task) && self.options.search.insist {
                let before = heard.ended.len();
                self.listen(&mut heard, &receiver, None);
                if heard.ended.len() == before {
                    break;
                }
            }
            if heard.all_longer(self.task) {
                self.listen(&mut heard, &receiver, Some(WAIT.max(start.elapsed() / 4)));
            }
            self.stop.store(true, Ordering::Relaxed);
            for wake in &wake {
                let _ = wake.send(());
            }
        });
        self.stop.store(false, Ordering::Relaxed);
        if heard.winner().is_none() {
            self.alone(&lanes, &mut heard);
        }
        heard.tell(self.task)
    }

    /// Runs one engine after the other, until one answers.
    fn lane(&self, lane: &[Entrant<'_>], news: &Sender<News>) {
        for entrant in lane {
            if self.over() || self.enter(entrant.engine, entrant.may, news) {
                return;
            }
        }
    }

    /// AU6, AU7. Runs an engine from time to time, until the `others` have ended.
    fn turns(
        &self,
        engine: &dyn Engine,
        when: Turns,
        mut others: usize,
        wait: &Receiver<()>,
        news: &Sender<News>,
    ) {
        let start = Instant::now();
        let mut next = when.again;
        if let Some(moment) = when.at_once
            && self.enter(engine, May::Moment(moment), news)
        {
            return;
        }
        loop {
            match wait.recv_timeout(next.saturating_sub(start.elapsed())) {
                Ok(()) => others = others.saturating_sub(1),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if others == 0 || self.over() {
                return;
            }
            let spent = start.elapsed();
            if spent >= next {
                if self.enter(engine, May::Moment(spent / when.share), news) {
                    return;
                }
                next = spent * when.later;
            }
        }
    }

    /// Whether somebody has won, or nobody can any more. Memory may be there when others have ended.
    fn over(&self) -> bool {
        let spent = |reason| !matches!(reason, StopReason::Memory { .. });
        self.stop.load(Ordering::Relaxed) || self.budget.poll().is_err_and(spent)
    }

    /// Runs an engine; whether it answers.
    fn enter(&self, engine: &dyn Engine, may: May, news: &Sender<News>) -> bool {
        let limits = remaining(self.options, self.budget);
        let part = match may {
            May::All | May::Turns(_) => self.budget.clone(),
            May::Moment(moment) => {
                let time = Some(limits.time.map_or(moment, |time| time.min(moment)));
                self.watch.part(Limits { time, ..limits }, self.options.search.limits)
            }
            May::Steps(steps) => {
                let steps = Some(limits.steps.map_or(steps, |s| s.min(steps)));
                self.watch.part(Limits { steps, ..limits }, self.options.search.limits)
            }
        };
        // Nobody listens any more when somebody has won.
        let _ = news.send(News::Started(engine.name()));
        let run = run(engine, self.task, &part.part(self.stop.clone()), String::new());
        let done = answered(&run.answer);
        let _ = news.send(News::Ended { run: Box::new(run), brief: may != May::All });
        done
    }

    /// Hears what happens, until there is an answer or nobody runs any more, or for a time; whether
    /// it is over.
    fn listen(&self, heard: &mut Heard, receiver: &Receiver<News>, time: Option<Duration>) -> bool {
        let start = Instant::now();
        loop {
            let news = match time {
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => receiver.recv_timeout(time.saturating_sub(start.elapsed())),
            };
            match news {
                Ok(News::Started(name)) if heard.started.contains(&name) => {}
                Ok(News::Started(name)) => heard.started.push(name),
                Ok(News::Ended { run, brief }) => {
                    let run = *run;
                    let over = answered(&run.answer);
                    heard.ended.push((run, brief));
                    // A lane with one engine has nothing more to say, with an answer or without.
                    if over {
                        return true;
                    }
                    if time.is_some() {
                        return false;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => return true,
            }
        }
    }

    /// Whether there is something left. What others had in memory is given back some moments after they have ended.
    fn settles(&self) -> bool {
        for _ in 0..GIVING_BACK {
            match self.budget.poll() {
                Ok(()) => return true,
                Err(StopReason::Memory { .. }) => std::thread::sleep(Duration::from_millis(2)),
                Err(_) => return false,
            }
        }
        false
    }

    /// AU5, and what has had turns only.
    fn alone(&self, lanes: &[Vec<Entrant<'_>>], heard: &mut Heard) {
        let is_turns = |entrant: &Entrant<'_>| matches!(entrant.may, May::Turns(_));
        let all = || lanes.iter().rev().flatten();
        let whole = all().filter(|entrant| entrant.may == May::All);
        for entrant in whole.chain(all().filter(|entrant| is_turns(entrant))) {
            let name = entrant.engine.name();
            let ended = heard.ended.iter().position(|(run, brief)| {
                let full = matches!(reason(&run.answer), Some(StopReason::Memory { .. }));
                run.engine == name && (is_turns(entrant) || full && !brief)
            });
            // Who had to wait for a turn may not have had one.
            if ended.is_none() && !is_turns(entrant) {
                continue;
            }
            if lanes.len() < 2 || !self.settles() {
                return;
            }
            let run = run(entrant.engine, self.task, self.budget, String::new());
            let done = answered(&run.answer);
            heard.again = done.then_some(name);
            match ended {
                Some(ended) => heard.ended[ended] = (run, false),
                None => {
                    heard.started.push(name);
                    heard.ended.push((run, false));
                }
            }
            if done {
                return;
            }
        }
    }
}

/// What has been heard of a race.
#[derive(Default)]
struct Heard {
    started: Vec<&'static str>,
    /// With whether it could have gone on.
    ended: Vec<(Run, bool)>,
    /// Who answered in the second attempt.
    again: Option<&'static str>,
}

impl Heard {
    fn winner(&self) -> Option<&Run> {
        self.ended.iter().map(|(run, _)| run).find(|run| answered(&run.answer))
    }

    /// Whether there are answers, all with traces that may not be shortest where those are wanted.
    fn all_longer(&self, task: &Task) -> bool {
        let mut answers = self.ended.iter().map(|(run, _)| &run.answer).filter(|a| answered(a));
        self.winner().is_some() && answers.all(|answer| given_up(task, answer).is_some())
    }

    /// The best answer, or why there is none, and what the others did.
    fn tell(mut self, task: &Task) -> (Run, Vec<String>) {
        // The answer with what was wanted; any answer; the reason of one that had all the time.
        let rank = |(run, brief): &(Run, bool)| {
            let complete = answered(&run.answer);
            let stopped = matches!(
                reason(&run.answer),
                Some(StopReason::Cancelled | StopReason::Unsupported { .. })
            );
            (!complete, complete && given_up(task, &run.answer).is_some(), *brief, stopped)
        };
        let best = (0..self.ended.len()).min_by_key(|&i| rank(&self.ended[i]));
        let best = best.map(|i| self.ended.remove(i).0);
        let mut best = best.unwrap_or_else(|| {
            let what = "no engine was tried".to_owned();
            let answer = Answer::unknown(task, StopReason::Internal { what });
            Run { engine: "auto", why: String::new(), answer, seconds: 0.0 }
        });
        let mut notes = Vec::new();
        for name in &self.started {
            let ended = self.ended.iter().find(|(run, _)| run.engine == *name);
            notes.push(match ended {
                _ if *name == best.engine && self.again == Some(name) => {
                    format!("`{name}` answered when it had the machine for itself")
                }
                _ if *name == best.engine => continue,
                None => format!("`{name}`, beside it, had no answer yet"),
                Some((run, brief)) => match reason(&run.answer) {
                    None => format!("`{name}` answered too"),
                    Some(StopReason::Time { .. }) if *brief => {
                        format!("`{name}` found nothing in a moment")
                    }
                    Some(reason) => format!("`{name}` gave up: {reason}"),
                },
            });
        }
        for (other, _) in self.ended {
            take_over(&mut best.answer, other.answer);
        }
        (best, notes)
    }
}

/// Why there is no answer to some goal.
fn reason(answer: &Answer) -> Option<&StopReason> {
    answer.verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::Holds(_) | Verdict::Violated(_) => None,
    })
}

/// Whether every goal has a verdict, and everything else that was wanted is there.
fn answered(answer: &Answer) -> bool {
    reason(answer).is_none()
        && answer.incomplete.is_none()
        && answer.observed.iter().all(Option::is_some)
}

/// Whether an answer leaves something open: the reason that the engine gives, or none if it only
/// found traces that are not known to be shortest.
fn given_up<'a>(task: &Task, answer: &'a Answer) -> Option<Option<&'a StopReason>> {
    if let Some(reason) = reason(answer).or(answer.incomplete.as_ref()) {
        return Some(Some(reason));
    }
    let longer = |v: &Verdict| matches!(v, Verdict::Violated(Some(trace)) if !trace.shortest);
    // No engine gives shortest lassos.
    let wanted = !repeats(task) && task.wants.trace == TraceMode::Shortest;
    (wanted && answer.verdicts.iter().any(longer)).then_some(None)
}
