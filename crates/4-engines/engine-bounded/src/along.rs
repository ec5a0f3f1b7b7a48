//! A search along a path: runs are kept on some blocks of some functions, and memory is asked for at one place.
//!
//! Most of what a search costs are runs that have nothing to do with the question. Who has a path that may break a rule
//! asks whether some run takes it:
//!
//! - AL1: in a function of the guide, runs that go to a block that is not one of its blocks are not followed. In other
//!   functions all runs are.
//! - AL2: memory that is lost is told by the calls that were active when it was allocated; the run must pass the place.
//! - AL3: memory that was freed is used, or freed again, where an address leads into an object that was allocated and is
//!   there no more. Other reasons for which the same operation may fail do not count.
//! - AL4: that no run is found says nothing about runs that are not on the path.
//!
//! This is the guidance of a search by an abstract path, as in counterexample-guided refinement; nothing is refined here.

use crate::engine::{Engine, Step, Why};
use crate::memory::Kind;
use crate::search::{Goal, Inputs, script, solve};
use crate::state::{State, Value};
use c_data::{At, BlockId, Check, FuncId, Operation, Program};
use check::{Budget, StopReason};
use logic::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The blocks that runs may go to, of some functions.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// By function; in others all blocks are free.
    pub blocks: FxHashMap<FuncId, FxHashSet<BlockId>>,
}

/// What is asked of runs along a path.
#[derive(Clone, Copy)]
pub enum Sought<'a> {
    /// Memory is lost that was allocated in these calls, the outermost first.
    Lost(&'a dyn Fn(&[At]) -> bool),
    /// Memory that was freed is used or freed again.
    Dangling,
    /// The place is reached.
    Reached,
}

/// A question about runs along a path.
#[derive(Clone, Copy)]
pub struct Along<'a> {
    /// The path.
    pub guide: &'a Guide,
    /// A place that is to be reached, or that runs must pass on which memory is lost.
    pub place: &'a Goal,
    /// What is sought.
    pub sought: Sought<'a>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// A run was found, and whoever asked has seen it.
    Seen,
    /// No run along the path does it: all were followed to their ends.
    NotSeen,
    /// None was found, and not all were followed.
    Open,
    /// It was given up.
    Stopped(StopReason),
}

/// What is noted of runs along a path.
pub(crate) struct Following<'a> {
    guide: &'a Guide,
    /// Of objects that were allocated: the calls that were active.
    calls: FxHashMap<u32, Rc<[At]>>,
    lost: Vec<(Rc<[At]>, Lit)>,
    dangling: Vec<(Operation, Lit)>,
}

/// Runs that are executed for one place, at most.
const ATTEMPTS: usize = 6;

/// Searches for a run along a path, with each of some bounds. `confirm` executes a run that was found, and says whether
/// it does what is sought.
pub fn along(
    program: &Program,
    question: Along<'_>,
    bounds: &[u32],
    budget: &Budget,
    confirm: &mut dyn FnMut(&Inputs) -> bool,
) -> Told {
    let Some(script) = script(program) else { return Told::Open };
    for &bound in bounds {
        match round(program, question, (script.clone(), bound), budget, confirm) {
            Ok(Round::Seen) => return Told::Seen,
            Ok(Round::Over) => return Told::NotSeen,
            Ok(Round::Open) => break,
            Ok(Round::More) => {}
            Err(reason) => return Told::Stopped(reason),
        }
    }
    Told::Open
}

enum Round {
    Seen,
    /// A larger bound may tell more.
    More,
    /// No larger bound tells more, and something was not followed.
    Open,
    Over,
}

fn round(
    program: &Program,
    question: Along<'_>,
    (script, bound): (Vec<FuncId>, u32),
    budget: &Budget,
    confirm: &mut dyn FnMut(&Inputs) -> bool,
) -> Step<Round> {
    let goals = std::slice::from_ref(question.place);
    let mut engine = Engine::new(program, goals, script, (bound, true), budget);
    engine.check = match question.sought {
        Sought::Reached => None,
        _ => Some(Check::Memory),
    };
    engine.along = Some(Box::new(Following {
        guide: question.guide,
        calls: FxHashMap::default(),
        lost: Vec::new(),
        dangling: Vec::new(),
    }));
    engine.run()?;
    let mut exact = Lit::TRUE;
    for cut in &engine.cuts {
        if let Why::Approximate(_) = cut.why {
            exact = engine.c.aig.and(exact, !cut.guard);
        }
    }
    let Some(noted) = engine.along.take() else { return Ok(Round::Open) };
    let candidates: Vec<Lit> = match question.sought {
        Sought::Lost(from) => {
            let passed = engine.reached[0];
            let lost = noted.lost.iter().filter(|(calls, _)| from(calls));
            let lost: Vec<Lit> = lost.map(|(_, guard)| *guard).collect();
            lost.into_iter().map(|guard| engine.c.aig.and(guard, passed)).collect()
        }
        Sought::Reached => vec![engine.reached[0]],
        Sought::Dangling => noted.dangling.iter().map(|(_, guard)| *guard).collect(),
    };
    let mut refused = false;
    for guard in candidates {
        // Runs that were executed and do something else are not tried again.
        let mut tried = Lit::TRUE;
        for _ in 0..ATTEMPTS {
            if guard == Lit::FALSE {
                break;
            }
            let Some(mut model) = solve(&mut engine, &[guard, exact, tried])? else { break };
            let inputs = engine.inputs(&mut model);
            if confirm(&inputs) {
                return Ok(Round::Seen);
            }
            refused = true;
            let mut same = Vec::new();
            for taken in &engine.taken {
                // Choices are told apart, numbers are not.
                if taken.word.width() <= 8 && model.get(&engine.c.aig, taken.guard) {
                    for lit in taken.word.lits() {
                        let holds = model.get(&engine.c.aig, lit);
                        same.push(if holds { lit } else { !lit });
                    }
                }
            }
            let same = engine.c.aig.and_all(same);
            tried = engine.c.aig.and(tried, !same);
        }
    }
    let bounded = engine.cuts.iter().filter(|cut| cut.why == Why::Bound);
    let bounded: Vec<Lit> = bounded.map(|cut| !cut.guard).collect();
    let none = engine.c.aig.and_all(bounded);
    if engine.possible(!none)? {
        return Ok(Round::More);
    }
    // A run that has failed in another way has ended.
    let cut = engine.cuts.iter().filter(|cut| !matches!(cut.why, Why::Undefined(_)));
    let cut: Vec<Lit> = cut.map(|cut| !cut.guard).collect();
    let none = engine.c.aig.and_all(cut);
    Ok(if refused || engine.possible(!none)? { Round::Open } else { Round::Over })
}

impl Engine<'_> {
    /// Whether a block is off the path. AL1.
    pub(crate) fn leaves_the_path(&self, f: FuncId, to: BlockId) -> bool {
        let blocks = self.along.as_ref().and_then(|along| along.guide.blocks.get(&f));
        blocks.is_some_and(|blocks| !blocks.contains(&to))
    }

    /// Notes in which calls an object is made.
    pub(crate) fn note_made(&mut self, state: &State, id: u32) {
        if self.along.is_none() {
            return;
        }
        let own = state.frames.iter().filter(|f| self.function(f.function).own);
        let calls: Rc<[At]> = own
            .filter_map(|frame| {
                let block = &self.function(frame.function).blocks[frame.block];
                block.stmts.get(frame.next.checked_sub(1)?).map(|stmt| stmt.at)
            })
            .collect();
        if let Some(along) = &mut self.along {
            along.calls.insert(id, calls);
        }
    }

    /// Notes when an object is lost. AL2.
    pub(crate) fn note_lost(&mut self, id: u32, when: Lit) {
        if let Some(along) = &mut self.along
            && let Some(calls) = along.calls.get(&id)
        {
            along.lost.push((calls.clone(), when));
        }
    }

    /// Notes when an operation that fails meets what was freed. AL3.
    pub(crate) fn note_dangling(&mut self, state: &State, value: &Value, bad: Lit) {
        if self.along.is_none() || self.c.aig.and(state.guard, bad) == Lit::FALSE {
            return;
        }
        let Some(operation) = self.operation(state) else { return };
        let sources = self.sources(state, value);
        let mut gone = Lit::FALSE;
        for &object in sources.iter().flat_map(|s| s.iter()) {
            let Some(cells) = state.memory.get(object as usize).and_then(Option::as_ref) else {
                continue;
            };
            if self.objects.all[object as usize].kind == Kind::Heap && cells.alive != Lit::TRUE {
                let alive = cells.alive;
                let (inside, _) = self.objects.inside(&mut self.c, &value.word, object);
                let here = self.c.aig.and(inside, !alive);
                gone = self.c.aig.or(gone, here);
            }
        }
        let when = self.c.aig.and_all([state.guard, bad, gone]);
        if when != Lit::FALSE
            && let Some(along) = &mut self.along
        {
            along.dangling.push((operation, when));
        }
    }
}
