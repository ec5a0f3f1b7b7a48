//! A rule over a large program is asked in pieces, each of which is answered within its share.
//!
//! First all of the rule is asked at once. What takes too much is divided by where runs begin to break the rule (rules QP
//! of the crate `rules`), and asked again, until one such point is left: then with less detail. So what is found does not
//! wait for what is hard, and what is not answered is known by its places.

use asking::RuleAnswers;
use check::StopReason;
use front_c::Skeleton;
use render::{Finding, Outcome, Status};
use rules::{Asked, At, Detail, Facts, Part, Remembers};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What an answer names of the places that were not looked at.
const NAMED: usize = 5;

/// Points at which a rule begins to be broken, to be asked about.
pub(crate) struct Piece {
    pub(crate) mine: Vec<At>,
    /// How often it was asked before with more detail.
    pub(crate) round: u32,
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
    pub(crate) fn new(all: &[At], functions: usize, facts: Arc<Facts>) -> Queue {
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

    /// How many points there are.
    pub(crate) fn all(&self) -> usize {
        self.all.len()
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
    pub(crate) fn whole(all: Vec<At>, facts: Arc<Facts>) -> Piece {
        let asked = Asked { facts, ..Asked::default() };
        Piece { mine: all, round: 0, detail: Detail::default(), asked }
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
            round: 0,
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
        let round = self.round + 1;
        Some(Piece { mine: self.mine.clone(), round, detail, asked: self.asked.clone() })
    }

    /// Its place among all: as if one were asked after the other.
    fn place(&self) -> Place {
        (self.round, self.mine.first().copied(), Reverse(self.mine.len()))
    }
}

/// By what findings are the same: their place, where their value comes from, and where the first thing is that is told of it.
type Key = (String, u32, u32, Option<(String, u32)>, Option<(u32, u32, u32)>);

fn key(outcome: &Outcome, finding: &Finding) -> Key {
    // Nodes have other numbers in the product of another piece.
    let told = outcome.trace.as_ref().and_then(|t| {
        let step = t.steps.iter().find(|s| !s.events.is_empty())?;
        let at = &t.program.nodes[step.node].origin;
        Some((at.file, at.line, at.column))
    });
    (finding.file.clone(), finding.line, finding.column, finding.origin.clone(), told)
}

/// Where a piece is in the order of pieces: what is hard comes last, and parts behind what they are parts of.
type Place = (u32, Option<At>, Reverse<usize>);

/// What the pieces of a rule have answered, in any order.
#[derive(Default)]
pub(crate) struct Together {
    /// What was found, and whether that is all of the piece.
    found: BTreeMap<Place, (RuleAnswers, bool)>,
    /// Points that were not looked at to the end, and why.
    open: BTreeMap<Place, (Vec<At>, Option<Outcome>)>,
}

/// The same, put together.
#[derive(Default)]
struct Whole {
    found: RuleAnswers,
    seen: FxHashSet<Key>,
    /// An answer without a finding: that there is none, and one that says why not all was looked at.
    holds: Option<Outcome>,
    unknown: Option<Outcome>,
}

impl Whole {
    /// Takes up what was found. `complete`: of this piece, there is no more.
    fn add(&mut self, found: &RuleAnswers, complete: bool) {
        for outcome in &found.outcomes {
            match &outcome.finding {
                Some(finding) if !self.seen.insert(key(outcome, finding)) => {}
                Some(_) => self.found.outcomes.push(outcome.clone()),
                None if outcome.status == Status::Holds => {
                    let better = |old: &Outcome| old.engine == "none" && outcome.engine != "none";
                    if self.holds.as_ref().is_none_or(better) {
                        self.holds = Some(outcome.clone());
                    }
                }
                None if complete => self.unknown = self.unknown.take().or(Some(outcome.clone())),
                None => {}
            }
        }
        for outcome in &found.suppressed {
            let new = outcome.finding.as_ref().is_none_or(|f| self.seen.insert(key(outcome, f)));
            if new {
                self.found.suppressed.push(outcome.clone());
            }
        }
        for assumption in &found.assumptions {
            if !self.found.assumptions.contains(assumption) {
                self.found.assumptions.push(assumption.clone());
            }
        }
    }
}

impl Together {
    /// Takes up what was found. `complete`: of this piece, there is no more.
    pub(crate) fn add(&mut self, piece: &Piece, found: RuleAnswers, complete: bool) {
        self.found.insert(piece.place(), (found, complete));
    }

    /// Nothing more is asked about the points of a piece, and not all is known.
    pub(crate) fn give_up(&mut self, piece: &Piece, outcome: Option<Outcome>) {
        self.open.insert(piece.place(), (piece.mine.clone(), outcome));
    }

    fn whole(&self) -> Whole {
        let mut out = Whole::default();
        for (found, complete) in self.found.values() {
            out.add(found, *complete);
        }
        let given_up = self.open.values().find_map(|(_, outcome)| outcome.clone());
        out.unknown = out.unknown.take().or(given_up);
        out
    }

    /// All of it so far.
    pub(crate) fn so_far(&self, unknown: impl FnOnce() -> Outcome) -> RuleAnswers {
        let Whole { found: mut out, unknown: known, .. } = self.whole();
        out.outcomes.push(known.unwrap_or_else(unknown));
        out
    }

    /// The answer. `all`: how many points there are.
    pub(crate) fn done(
        self,
        (rule, all): (&str, usize),
        s: &Skeleton,
        nothing: impl FnOnce(StopReason) -> Outcome,
    ) -> RuleAnswers {
        let Whole { found: mut out, holds, unknown, .. } = self.whole();
        let mut open: Vec<At> = self.open.into_values().flat_map(|(points, _)| points).collect();
        let place = |o: &Outcome| o.finding.as_ref().map(|f| (f.file.clone(), f.line, f.column));
        out.outcomes.sort_by_cached_key(place);
        if open.is_empty() && unknown.is_none() {
            if out.outcomes.is_empty() {
                out.outcomes.push(holds.unwrap_or_else(|| nothing(StopReason::Cancelled)));
            }
            return out;
        }
        open.sort_unstable();
        open.dedup();
        let mut unknown = unknown.unwrap_or_else(|| nothing(StopReason::Cancelled));
        unknown.status = Status::Unknown;
        unknown.finding = None;
        if !open.is_empty() {
            let told = |at: &At| place_of(s, *at);
            let named: Vec<String> = open.iter().take(NAMED).map(told).collect();
            let more = match open.len() - named.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            unknown.warnings.push(format!(
                "not looked at to the end: what begins at {} of {all} places that rule `{rule}` is about: {}{more}",
                open.len(),
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
