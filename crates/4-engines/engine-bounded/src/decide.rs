//! Questions about guards: by simulation, by enumeration, or by one solver that keeps what it learns.
//!
//! Questions that only save work (whether a loop can go on) have little time: an answer that does not come is taken
//! for "perhaps".
//!
//! What a search says is checked with another solver, which alone decides then: neither CaDiCaL nor enumeration is asked.

use check::{Budget, StopReason};
use logic::{Aig, Batsat, Cadical, Clauses, Decider, Lit, StopFlag, Stopped, Valuation};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Graphs of so many nodes are not looked through for functions of few inputs.
const LARGE: usize = 300_000;
/// Functions of so few inputs are enumerated.
const FEW_INPUTS: usize = 14;
/// How long a question may take that only saves work, in microseconds.
const SHORT: u64 = 400_000;

/// Decides questions about one graph.
pub(crate) struct Deciding {
    budget: Budget,
    few: Decider<Cadical>,
    clauses: Clauses<Cadical>,
    /// Decides alone where an answer is checked.
    other: Option<Clauses<Batsat>>,
    start: Instant,
    /// When a question that only saves work is given up; 0: not at all.
    until: Arc<AtomicU64>,
    /// Time that such questions took.
    spent: Duration,
}

impl Deciding {
    pub(crate) fn new(budget: &Budget) -> Deciding {
        Deciding::with(budget, false)
    }

    /// By the solver that checks.
    pub(crate) fn checking(budget: &Budget) -> Deciding {
        Deciding::with(budget, true)
    }

    fn with(budget: &Budget, checking: bool) -> Deciding {
        let start = Instant::now();
        let until: Arc<AtomicU64> = Arc::default();
        let (watched, deadline) = (budget.clone(), until.clone());
        let stop: StopFlag = Arc::new(move || {
            let end = deadline.load(Ordering::Relaxed);
            let late = end > 0 && start.elapsed().as_micros() as u64 >= end;
            late || watched.poll().is_err()
        });
        let other = checking.then(|| Clauses::new(stop.clone()));
        let (few, clauses) = (Decider::new(stop.clone()), Clauses::new(stop));
        let (budget, spent) = (budget.clone(), Duration::ZERO);
        Deciding { budget, few, clauses, other, start, until, spent }
    }

    fn stopped(&self) -> StopReason {
        self.budget.poll().err().unwrap_or(StopReason::Cancelled)
    }

    /// Whether few inputs matter.
    fn is_small(&self, aig: &Aig, roots: &[Lit]) -> bool {
        if aig.len() > LARGE {
            return false;
        }
        let cone = aig.cone(roots.iter().copied());
        aig.inputs_of(&cone).count() <= FEW_INPUTS
    }

    /// A valuation under which all the functions hold, if there is one.
    pub(crate) fn model(
        &mut self,
        aig: &Aig,
        roots: &[Lit],
    ) -> Result<Option<Valuation>, StopReason> {
        if roots.contains(&Lit::FALSE) {
            return Ok(None);
        }
        let mut out = Valuation::new();
        if let Some(other) = &mut self.other {
            let found = other.solve(aig, roots);
            if !found.map_err(|_| self.stopped())? {
                return Ok(None);
            }
            for input in aig.support(roots.iter().copied()) {
                out.set(input, self.other.as_mut().is_some_and(|other| other.value(input)));
            }
            return Ok(Some(out));
        }
        let word = roots.iter().fold(u64::MAX, |w, &r| w & aig.word(r));
        if word != 0 || self.is_small(aig, roots) {
            return self.few.model(aig, roots).map_err(|_| self.stopped());
        }
        if !self.clauses.solve(aig, roots).map_err(|_| self.stopped())? {
            return Ok(None);
        }
        for input in aig.support(roots.iter().copied()) {
            out.set(input, self.clauses.value(input));
        }
        Ok(Some(out))
    }

    /// Whether a function can hold, by one of the solvers.
    fn asked(&mut self, aig: &Aig, root: Lit) -> Result<bool, Stopped> {
        if let Some(other) = &mut self.other {
            return other.solve(aig, &[root]);
        }
        match self.is_small(aig, &[root]) {
            true => self.few.satisfiable(aig, &[root]),
            false => self.clauses.solve(aig, &[root]),
        }
    }

    /// Whether a function can hold.
    pub(crate) fn possible(&mut self, aig: &Aig, root: Lit) -> Result<bool, StopReason> {
        if root.is_constant() {
            return Ok(root == Lit::TRUE);
        }
        if aig.word(root) != 0 {
            return Ok(true);
        }
        self.asked(aig, root).map_err(|_| self.stopped())
    }

    /// The same where an answer only saves work: true if there is none soon.
    pub(crate) fn perhaps(&mut self, aig: &Aig, root: Lit) -> Result<bool, StopReason> {
        if root.is_constant() {
            return Ok(root == Lit::TRUE);
        }
        if aig.word(root) != 0 {
            return Ok(true);
        }
        let now = self.start.elapsed();
        // No more than a part of the time goes into such questions.
        if self.spent > now / 2 + Duration::from_millis(300) {
            return Ok(true);
        }
        self.until.store(now.as_micros() as u64 + SHORT, Ordering::Relaxed);
        let found = self.asked(aig, root);
        self.until.store(0, Ordering::Relaxed);
        self.spent += self.start.elapsed() - now;
        match found {
            Ok(possible) => Ok(possible),
            Err(_) => self.budget.poll().map(|()| true),
        }
    }
}
