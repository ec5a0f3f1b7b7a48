//! A rule over a large program is asked in pieces, each of which is answered within its share.
//!
//! First all of the rule is asked at once. What takes too much is divided by where runs begin to break the rule (rules QP
//! of the crate `rules`), and asked again, until one such point is left: then with less detail. So what is found does not
//! wait for what is hard, and what is not answered is known by its places.

use asking::RuleAnswers;
use check::StopReason;
use front_c::Skeleton;
use ir::NodeId;
use render::{Finding, Outcome, Status};
use rules::{Asked, At, Detail, Facts, Part, Remembers};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// What an answer names of the places that were not looked at.
const NAMED: usize = 5;

/// Points at which a rule begins to be broken, to be asked about.
pub(crate) struct Piece {
    pub(crate) mine: Vec<At>,
    pub(crate) detail: Detail,
    pub(crate) asked: Asked,
}

/// Of how many parts something too large is made, at most.
const PARTS: usize = 8;

/// With more functions, no more points are asked about at once than [`MOST_AT_ONCE`].
const LARGE: usize = 1_000;
const MOST_AT_ONCE: usize = 32;

/// What the diagrams of a rule may take before it is divided, or asked with less detail.
const DIAGRAMS: u64 = 64 << 20;
/// And those of a part of it.
const DIAGRAMS_OF_PART: u64 = 24 << 20;

/// The pieces that are still to be asked. Those that are hard wait for all others.
pub(crate) struct Queue {
    all: Vec<At>,
    open: VecDeque<Piece>,
    hard: VecDeque<Piece>,
}

impl Queue {
    /// All of a rule: at once in a program that is not large.
    pub(crate) fn new(all: &[At], functions: usize, facts: Rc<Facts>) -> Queue {
        let mut whole = Piece::whole(all.to_vec(), facts);
        let mut open = VecDeque::new();
        if functions > LARGE && all.len() > MOST_AT_ONCE {
            whole.asked.divides = true;
            open.extend(whole.cut(all, MOST_AT_ONCE));
        } else {
            open.push_back(whole);
        }
        Queue { all: all.to_vec(), open, hard: VecDeque::new() }
    }

    pub(crate) fn next(&mut self) -> Option<Piece> {
        self.open.pop_front().or_else(|| self.hard.pop_front())
    }

    /// How many pieces wait.
    pub(crate) fn waiting(&self) -> usize {
        self.open.len() + self.hard.len()
    }

    /// How many points they have.
    pub(crate) fn points(&self) -> usize {
        self.open.iter().chain(&self.hard).map(|piece| piece.mine.len()).sum()
    }

    /// How much memory the diagrams of a piece may take; of the last that can be asked of it, any.
    pub(crate) fn most_memory(&self, piece: &Piece) -> Option<u64> {
        match (self.all.len() < 2, piece.mine.len() < self.all.len()) {
            (true, _) if piece.detail.less().is_none() => None,
            (_, true) => Some(DIAGRAMS_OF_PART),
            _ => Some(DIAGRAMS),
        }
    }

    /// Something was too much: its parts are asked, or the same with less detail. False if nothing is left to try.
    pub(crate) fn again(&mut self, piece: &Piece, longest: usize) -> bool {
        let smaller = piece.divided(&self.all);
        if !smaller.is_empty() {
            for part in smaller.into_iter().rev() {
                self.open.push_front(part);
            }
            return true;
        }
        let less = piece.with_less(longest);
        // Of many, each is asked with one more degree of detail only.
        let less = match self.all.len() {
            0 | 1 => less,
            _ => less.filter(|_| piece.detail.is_full()).map(|less| less.least(longest)),
        };
        let goes_on = less.is_some();
        self.hard.extend(less);
        goes_on
    }
}

impl Piece {
    pub(crate) fn whole(all: Vec<At>, facts: Rc<Facts>) -> Piece {
        let asked = Asked { facts, ..Asked::default() };
        Piece { mine: all, detail: Detail::default(), asked }
    }

    /// Smaller pieces, which together are this one; none if there is one point only.
    pub(crate) fn divided(&self, all: &[At]) -> Vec<Piece> {
        if self.mine.len() < 2 {
            return Vec::new();
        }
        self.cut(all, self.mine.len().div_ceil(PARTS))
    }

    fn cut(&self, all: &[At], size: usize) -> Vec<Piece> {
        let parts = self.mine.chunks(size).map(|mine| Piece {
            mine: mine.to_vec(),
            detail: Detail::default(),
            asked: Asked {
                part: Part::of(all, mine),
                facts: self.asked.facts.clone(),
                divides: mine.len() > 1,
                ..Asked::default()
            },
        });
        parts.collect()
    }

    /// The same with as little detail as makes sense: signs, and what is one pointer away.
    fn least(mut self, longest: usize) -> Piece {
        while let Some(less) = self.with_less(longest)
            && less.detail.longest > 1
            && less.detail.remembers > Remembers::FewSigns
        {
            self = less;
        }
        self
    }

    /// The same with less detail.
    pub(crate) fn with_less(&self, longest: usize) -> Option<Piece> {
        let detail = self.detail.less_than(longest.min(self.detail.longest))?;
        Some(Piece { mine: self.mine.clone(), detail, asked: self.asked.clone() })
    }
}

/// By what findings are the same: their place, where their value comes from, and the first thing that is told of it.
type Key = (String, u32, u32, Option<(String, u32)>, Option<NodeId>);

fn key(outcome: &Outcome, finding: &Finding) -> Key {
    let told = outcome.trace.as_ref().and_then(|t| t.steps.iter().find(|s| !s.events.is_empty()));
    let origin = finding.origin.clone();
    (finding.file.clone(), finding.line, finding.column, origin, told.map(|step| step.node))
}

/// What the pieces of a rule have answered.
#[derive(Default)]
pub(crate) struct Together {
    found: RuleAnswers,
    seen: FxHashSet<Key>,
    /// An answer without a finding: that there is none, and one that says why not all was looked at.
    holds: Option<Outcome>,
    unknown: Option<Outcome>,
    /// Points that were not looked at to the end.
    open: Vec<At>,
}

impl Together {
    /// Takes up what was found. `complete`: of this piece, there is no more.
    pub(crate) fn add(&mut self, found: RuleAnswers, complete: bool) {
        for outcome in found.outcomes {
            match &outcome.finding {
                Some(finding) if !self.seen.insert(key(&outcome, finding)) => {}
                Some(_) => self.found.outcomes.push(outcome),
                None if outcome.status == Status::Holds => {
                    let better = |old: &Outcome| old.engine == "none" && outcome.engine != "none";
                    if self.holds.as_ref().is_none_or(better) {
                        self.holds = Some(outcome);
                    }
                }
                None if complete => self.unknown = self.unknown.take().or(Some(outcome)),
                None => {}
            }
        }
        for outcome in found.suppressed {
            let new = outcome.finding.as_ref().is_none_or(|f| self.seen.insert(key(&outcome, f)));
            if new {
                self.found.suppressed.push(outcome);
            }
        }
        for assumption in found.assumptions {
            if !self.found.assumptions.contains(&assumption) {
                self.found.assumptions.push(assumption);
            }
        }
    }

    /// Nothing more is asked about these points, and not all is known.
    pub(crate) fn give_up(&mut self, points: &[At], outcome: Option<Outcome>) {
        self.open.extend(points);
        self.unknown = self.unknown.take().or(outcome);
    }

    /// All of it so far.
    pub(crate) fn so_far(&self, unknown: impl FnOnce() -> Outcome) -> RuleAnswers {
        let mut out = self.found.clone();
        out.outcomes.push(self.unknown.clone().unwrap_or_else(unknown));
        out
    }

    /// The answer. `all`: how many points there are.
    pub(crate) fn done(
        mut self,
        (rule, all): (&str, usize),
        s: &Skeleton,
        nothing: impl FnOnce(StopReason) -> Outcome,
    ) -> RuleAnswers {
        let mut out = self.found;
        let place = |o: &Outcome| o.finding.as_ref().map(|f| (f.file.clone(), f.line, f.column));
        out.outcomes.sort_by_cached_key(place);
        if self.open.is_empty() && self.unknown.is_none() {
            if out.outcomes.is_empty() {
                out.outcomes.push(self.holds.unwrap_or_else(|| nothing(StopReason::Cancelled)));
            }
            return out;
        }
        self.open.sort_unstable();
        self.open.dedup();
        let mut unknown = self.unknown.unwrap_or_else(|| nothing(StopReason::Cancelled));
        unknown.status = Status::Unknown;
        unknown.finding = None;
        if !self.open.is_empty() {
            let told = |at: &At| place_of(s, *at);
            let named: Vec<String> = self.open.iter().take(NAMED).map(told).collect();
            let more = match self.open.len() - named.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            unknown.warnings.push(format!(
                "not looked at to the end: what begins at {} of {all} places that rule `{rule}` is about: {}{more}",
                self.open.len(),
                named.join(", "),
            ));
        }
        out.outcomes.push(unknown);
        out
    }
}

/// A point of the program, as a line of a file.
fn place_of(s: &Skeleton, at: At) -> String {
    let body = &s.bodies[at.body as usize];
    let at = &body.points[at.point as usize].at;
    let file = s.files.get(at.file as usize).map_or("", |f| f.as_str());
    format!("{file}:{}", at.line)
}
