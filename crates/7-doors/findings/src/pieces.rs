//! A rule over a large program is asked in pieces, each of which is answered within its share.
//!
//! First all of the rule is asked at once. What takes too much is divided by where runs begin to break the rule (rules PT
//! of the crate `rules`), and asked again, until one such point is left: then with less detail. So what is found does not
//! wait for what is hard, and what is not answered is known by its places.

use asking::RuleAnswers;
use check::StopReason;
use front_c::Skeleton;
use ir::NodeId;
use render::{Finding, Outcome, Status};
use rules::{Asked, At, Detail, Facts, Part};
use rustc_hash::FxHashSet;
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
const PARTS: usize = 4;

impl Piece {
    pub(crate) fn whole(all: Vec<At>, facts: Rc<Facts>) -> Piece {
        let asked = Asked { facts, ..Asked::default() };
        Piece { mine: all, detail: Detail::default(), asked }
    }

    /// Smaller pieces, which together are this one, the first one last; none if there is one point only.
    pub(crate) fn divided(&self, all: &[At]) -> Vec<Piece> {
        if self.mine.len() < 2 {
            return Vec::new();
        }
        let size = self.mine.len().div_ceil(PARTS);
        let parts = self.mine.chunks(size).rev().map(|mine| Piece {
            mine: mine.to_vec(),
            detail: Detail::default(),
            asked: Asked {
                part: Part::of(all, mine),
                facts: self.asked.facts.clone(),
                ..Asked::default()
            },
        });
        parts.collect()
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
        let place = |o: &Outcome| {
            o.finding.as_ref().map(|f| (f.file.clone(), f.line, f.column))
        };
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
