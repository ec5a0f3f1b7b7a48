//! Rules are answered on all cores: each core has a rule of its own as long as there is one, and then helps with the pieces of
//! others. What is answered does not depend on who does what: pieces are put together in their order, not in that of time.

use crate::pieces::{Piece, Queue, Together};
use asking::{RuleAnswers, Watch};
use check::{Budget, Progress, StopReason};
use front_c::Skeleton;
use input::{Error, caught};
use render::{Outcome, Status};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread waits before it looks by itself.
const A_WHILE: Duration = Duration::from_millis(200);

/// What is needed to answer rules.
pub(crate) struct Cores<'a> {
    pub(crate) s: &'a Skeleton,
    /// The names of the rules.
    pub(crate) names: Vec<&'a str>,
    pub(crate) watch: &'a Watch,
    pub(crate) budget: &'a Budget,
    pub(crate) work: &'a (dyn Work + Sync),
}

/// What rules do.
pub(crate) trait Work {
    /// A rule begins: what it may spend.
    fn share(&self) -> Budget;
    /// A rule is answered.
    fn ended(&self);
    /// What a piece may spend of a share, where so many others wait.
    fn attempt(&self, share: &Budget, waiting: usize) -> Budget;
    /// The pieces of a rule; none if it is asked as a whole.
    fn pieces(&self, rule: usize) -> Option<Queue>;
    /// The answer to a rule that is asked as a whole, and the most links of paths that were followed.
    fn whole(&self, rule: usize, budget: &Budget) -> Answered;
    /// The same of a piece.
    fn piece(&self, rule: usize, piece: &Piece, budget: &Budget) -> Answered;
    /// That there is no answer.
    fn nothing(&self, rule: usize, reason: StopReason) -> Outcome;
}

pub(crate) type Answered = Result<(RuleAnswers, usize), Error>;

/// How far a rule is.
enum Stage {
    /// Somebody answers it, or looks for its pieces; or nobody does yet.
    Waits,
    Asked(Box<Asked>),
    Done(Answered),
}

struct Asked {
    share: Budget,
    queue: Queue,
    together: Together,
    /// Pieces that somebody asks about.
    running: usize,
}

struct State {
    rules: Vec<Stage>,
    /// The next rule to begin with.
    next: usize,
    /// How many rules are not done.
    open: usize,
}

enum Job {
    Rule(usize),
    Piece(usize, Box<Piece>, Budget),
}

struct Board<'a, 'b> {
    cores: &'b Cores<'a>,
    /// How many paths' links the rules follow that are asked in pieces.
    longest: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Cores<'_> {
    /// The answers to all rules, on so many threads.
    pub(crate) fn answers(&self, threads: usize, longest: usize) -> Vec<Answered> {
        let rules = self.names.len();
        let waits = (0..rules).map(|_| Stage::Waits).collect();
        let state = Mutex::new(State { rules: waits, next: 0, open: rules });
        let board = Board { cores: self, longest, state, changed: Condvar::new() };
        input::each(threads, threads, |_| board.work());
        let state = board.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let lost = |rule: usize| {
            let what = "checking a rule: its thread was lost".to_owned();
            let outcome = self.work.nothing(rule, StopReason::Internal { what });
            Ok((RuleAnswers { outcomes: vec![outcome], ..RuleAnswers::default() }, longest))
        };
        let answer = |(rule, stage)| match stage {
            Stage::Done(answer) => answer,
            Stage::Waits | Stage::Asked(_) => lost(rule),
        };
        state.rules.into_iter().enumerate().map(answer).collect()
    }
}

impl Board<'_, '_> {
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does until there is nothing left to do.
    fn work(&self) {
        let mut mine = None;
        while let Some(job) = self.next(&mut mine) {
            match job {
                Job::Rule(rule) => self.begin(rule),
                Job::Piece(rule, piece, budget) => {
                    let answered =
                        caught("checking a rule", || self.cores.work.piece(rule, &piece, &budget));
                    let answered = answered.unwrap_or_else(|what| self.broken(rule, what));
                    self.answered(rule, *piece, answered);
                }
            }
        }
    }

    fn broken(&self, rule: usize, what: String) -> Answered {
        let outcome = self.cores.work.nothing(rule, StopReason::Internal { what });
        Ok((RuleAnswers { outcomes: vec![outcome], ..RuleAnswers::default() }, self.longest))
    }

    /// The next thing to do: a piece of the same rule, a rule of one's own, a piece of another's. Waits where others may
    /// make pieces.
    fn next(&self, mine: &mut Option<usize>) -> Option<Job> {
        let mut state = self.locked();
        loop {
            if let Some(job) = mine.and_then(|rule| self.piece_of(&mut state, rule)) {
                return Some(job);
            }
            if state.next < state.rules.len() {
                let rule = state.next;
                state.next += 1;
                *mine = Some(rule);
                return Some(Job::Rule(rule));
            }
            for rule in 0..state.rules.len() {
                if let Some(job) = self.piece_of(&mut state, rule) {
                    *mine = Some(rule);
                    return Some(job);
                }
            }
            if state.open == 0 {
                return None;
            }
            // Where another thread was lost while it had the board, nobody calls.
            if self.state.is_poisoned() {
                return None;
            }
            let waited = self.changed.wait_timeout(state, A_WHILE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A piece of a rule to be asked about. Without time, all that is left is given up.
    fn piece_of(&self, state: &mut State, rule: usize) -> Option<Job> {
        let Stage::Asked(asked) = &mut state.rules[rule] else { return None };
        let over = asked.share.poll().err();
        while let Some(piece) = asked.queue.next() {
            if let Some(reason) = &over {
                let nothing = self.cores.work.nothing(rule, reason.clone());
                asked.together.give_up(&piece, Some(nothing));
                continue;
            }
            let attempt = self.cores.work.attempt(&asked.share, asked.queue.waiting());
            // Memory that another rule gives back must not make this one forget why it stopped.
            let attempt = match asked.queue.most_memory(&piece) {
                Some(most) => attempt.attempt_within(most),
                None => attempt.attempt(),
            };
            asked.running += 1;
            return Some(Job::Piece(rule, Box::new(piece), attempt));
        }
        self.end(state, rule);
        None
    }

    /// Ends a rule of whose pieces none waits, and none is asked about.
    fn end(&self, state: &mut State, rule: usize) {
        let stage = std::mem::replace(&mut state.rules[rule], Stage::Waits);
        match stage {
            Stage::Asked(asked) if asked.running == 0 && asked.queue.waiting() == 0 => {
                let Cores { s, names, watch, work, .. } = self.cores;
                let nothing = |reason| work.nothing(rule, reason);
                let found = asked.together.done((names[rule], asked.queue.all()), s, nothing);
                watch.so_far.ruled(names[rule], &found);
                self.done(state, rule, Ok((found, self.longest)));
            }
            other => state.rules[rule] = other,
        }
    }

    fn done(&self, state: &mut State, rule: usize, answer: Answered) {
        state.rules[rule] = Stage::Done(answer);
        state.open -= 1;
        self.cores.work.ended();
        self.changed.notify_all();
    }

    /// Begins with a rule: as a whole, or by making its pieces.
    fn begin(&self, rule: usize) {
        let work = self.cores.work;
        let share = work.share();
        let begun = caught("checking a rule", || match work.pieces(rule) {
            Some(queue) => Ok(queue),
            None => Err(work.whole(rule, &share.attempt())),
        });
        let mut state = self.locked();
        match begun {
            Ok(Ok(queue)) => {
                let together = Together::default();
                let asked = Asked { share, queue, together, running: 0 };
                state.rules[rule] = Stage::Asked(Box::new(asked));
                self.changed.notify_all();
            }
            Ok(Err(answer)) => self.done(&mut state, rule, answer),
            Err(what) => {
                let answer = self.broken(rule, what);
                self.done(&mut state, rule, answer);
            }
        }
    }

    /// Takes up the answer to a piece.
    fn answered(&self, rule: usize, piece: Piece, answered: Answered) {
        let mut state = self.locked();
        let Stage::Asked(asked) = &mut state.rules[rule] else { return };
        asked.running -= 1;
        let (found, longest) = match answered {
            Ok(found) => found,
            Err(error) => return self.done(&mut state, rule, Err(error)),
        };
        let (lacks, any) = (lacks_something(&found), found.outcomes.iter().any(is_violation));
        let why = found.outcomes.iter().find(|o| o.stop_reason.is_some()).cloned();
        asked.together.add(&piece, found, !lacks);
        if lacks && !asked.queue.again(&piece, longest) {
            asked.together.give_up(&piece, why);
        }
        let Cores { watch, names, budget, work, .. } = self.cores;
        if any && asked.queue.waiting() + asked.running > 0 {
            let so_far = asked.together.so_far(|| work.nothing(rule, StopReason::Cancelled));
            watch.so_far.ruled(names[rule], &so_far);
        }
        let all = asked.queue.all() as u64;
        let done = all.saturating_sub(asked.queue.points() as u64);
        budget.report(Progress { phase: "checking a rule", done, total: Some(all) });
        self.end(&mut state, rule);
        // There are new pieces.
        self.changed.notify_all();
    }
}

fn is_violation(outcome: &Outcome) -> bool {
    outcome.status == Status::Violated
}

/// Whether time or memory was short.
fn lacks_something(answers: &RuleAnswers) -> bool {
    let short = |o: &Outcome| {
        matches!(o.stop_reason, Some(StopReason::Memory { .. } | StopReason::Time { .. }))
    };
    answers.outcomes.iter().any(short)
}
