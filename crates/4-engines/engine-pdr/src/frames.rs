//! Frames: clauses by cut point and level, and the solvers that know them.
//!
//! A clause of level `i` holds of whatever can be derived with at most `i` blocks. The frame `i` of a
//! cut point consists of its clauses of level `i` and above; frame 0 is empty. Clauses are kept as the
//! cubes that they exclude.
//!
//! Each block has a solver with the clauses of the cut point it starts at, and of the summary that its
//! call needs, at all levels: a clause of level `i` counts where the input for level `i` holds, which
//! is assumed to imply those above.

use crate::blocks::{BlockId, Blocks, PredId};
use ir::IndexVec;
use logic::{Batsat, Clauses, Lit, StopFlag, Stopped};
use std::rc::Rc;

/// Bits of a cut point with their values, ascending.
pub(crate) type Cube = Rc<[(u32, bool)]>;

/// A clause: that no state is in the cube.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub(crate) cube: Cube,
    pub(crate) level: usize,
}

/// The clauses of a cut point.
#[derive(Clone, Default)]
pub(crate) struct Frame {
    pub(crate) lemmas: Vec<Lemma>,
    /// All that ever were, for solvers to catch up.
    log: Vec<Lemma>,
    /// The highest level of any.
    highest: usize,
}

/// A solver of one block.
#[derive(Default)]
struct Solver {
    clauses: Option<Clauses<Batsat>>,
    /// How much of the logs it knows: of the start, of the summary.
    known: [usize; 2],
    /// How many levels it knows.
    levels: usize,
    /// Clauses that counted once.
    spent: usize,
    /// Inputs that were used for them.
    once: Vec<Lit>,
}

/// Clauses that counted once and may stay in a solver.
const SPENT: usize = 500;

/// Clauses, and solvers that know them.
pub(crate) struct Frames {
    pub(crate) frames: IndexVec<PredId, Frame>,
    solvers: IndexVec<BlockId, Solver>,
    /// For each level, the input that switches its clauses on; the first switches on those of summaries.
    levels: Vec<Lit>,
    stop: StopFlag,
    /// How often a solver was asked.
    pub(crate) calls: u64,
    /// How many clauses there were.
    pub(crate) learned: u64,
    /// Literals in all logs.
    literals: u64,
}

/// A question to the solver of a block.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) block: BlockId,
    /// The frame of what is needed.
    pub(crate) level: usize,
    /// Whether the summary must be in its frame too.
    pub(crate) summary: bool,
    /// What must hold.
    pub(crate) roots: &'a [Lit],
    /// A cube that its cut point may be taken not to be in.
    pub(crate) outside: Option<(PredId, &'a [(u32, bool)])>,
}

impl Frames {
    pub(crate) fn new(blocks: &Blocks<'_>, stop: StopFlag) -> Frames {
        Frames {
            frames: IndexVec::filled(Frame::default(), blocks.preds.len()),
            solvers: (0..blocks.blocks.len()).map(|_| Solver::default()).collect(),
            levels: Vec::new(),
            stop,
            calls: 0,
            learned: 0,
            literals: 0,
        }
    }

    /// About how many bytes they take.
    pub(crate) fn bytes(&self) -> u64 {
        let solvers = self.solvers.iter().filter_map(|s| s.clauses.as_ref());
        solvers.map(|c| c.bytes() + (1 << 14)).sum::<u64>() + 16 * self.literals
    }

    /// Adds a clause, unless a stronger one is there; weaker ones go.
    pub(crate) fn add(&mut self, pred: PredId, cube: Cube, level: usize) -> bool {
        let frame = &mut self.frames[pred];
        if frame.lemmas.iter().any(|l| l.level >= level && includes(&cube, &l.cube)) {
            return false;
        }
        frame.lemmas.retain(|l| l.level > level || !includes(&l.cube, &cube));
        self.literals += cube.len() as u64;
        let lemma = Lemma { cube, level };
        frame.lemmas.push(lemma.clone());
        frame.log.push(lemma);
        frame.highest = frame.highest.max(level);
        self.learned += 1;
        true
    }

    /// Whether a clause excludes the cube at the level.
    pub(crate) fn excludes(&self, pred: PredId, cube: &[(u32, bool)], level: usize) -> bool {
        self.frames[pred].lemmas.iter().any(|l| l.level >= level && includes(cube, &l.cube))
    }

    /// Lets the solver of a block know what was learned.
    fn catch_up(
        &mut self,
        blocks: &mut Blocks<'_>,
        id: BlockId,
        level: usize,
    ) -> Result<(), Stopped> {
        let block = &blocks.blocks[id];
        let solver = &mut self.solvers[id];
        if solver.spent > SPENT {
            let once = std::mem::take(&mut solver.once);
            *solver = Solver { once, ..Solver::default() };
        }
        let stop = &self.stop;
        let clauses = solver.clauses.get_or_insert_with(|| Clauses::new(stop.clone()));
        let parts = [block.source, block.call.as_ref().map(|call| call.exit)];
        let highest = parts.into_iter().flatten().map(|pred| self.frames[pred].highest);
        let highest = highest.fold(level, usize::max);
        while self.levels.len() <= highest + 1 {
            self.levels.push(blocks.aig.input());
        }
        solver.levels = solver.levels.max(1);
        while solver.levels <= highest {
            let (low, high) = (self.levels[solver.levels], self.levels[solver.levels + 1]);
            clauses.require_any(&blocks.aig, &[!low, high])?;
            solver.levels += 1;
        }
        for (part, pred) in parts.into_iter().enumerate() {
            let Some(pred) = pred else { continue };
            let bits = match (part, &block.call) {
                (1, Some(call)) => &call.summary,
                _ => &blocks.preds[pred].inputs,
            };
            let log = &self.frames[pred].log;
            // What a solver learns anew need not contain what is gone.
            let fresh = solver.known[part] == 0;
            let from =
                if fresh { &self.frames[pred].lemmas[..] } else { &log[solver.known[part]..] };
            for lemma in from {
                let mut clause = vec![!self.levels[lemma.level]];
                clause.extend(lemma.cube.iter().map(|&(bit, v)| bits[bit as usize].xor_sign(v)));
                // The summary's clauses are left aside where the summary is given.
                if part == 1 {
                    clause.push(!self.levels[0]);
                }
                clauses.require_any(&blocks.aig, &clause)?;
            }
            solver.known[part] = log.len();
        }
        Ok(())
    }

    /// Whether what is asked can hold together.
    pub(crate) fn ask(
        &mut self,
        blocks: &mut Blocks<'_>,
        question: Question<'_>,
    ) -> Result<bool, Stopped> {
        let Question { block, level, summary, roots, outside } = question;
        self.calls += 1;
        self.catch_up(blocks, block, level)?;
        let mut assumed = Vec::with_capacity(roots.len() + 3);
        if blocks.blocks[block].source.is_some() {
            assumed.push(self.levels[level]);
            if summary {
                assumed.push(self.levels[0]);
            }
        }
        if let Some((pred, cube)) = outside {
            let part = &blocks.blocks[block];
            let mut places: Vec<&[Lit]> = Vec::new();
            if part.source == Some(pred) {
                places.push(&blocks.preds[pred].inputs);
            }
            if let Some(call) = &part.call
                && call.exit == pred
                && summary
            {
                places.push(&call.summary);
            }
            if !places.is_empty() {
                let solver = &mut self.solvers[block];
                if solver.once.len() <= solver.spent {
                    solver.once.push(blocks.aig.input());
                }
                let on = solver.once[solver.spent];
                solver.spent += 1;
                let clauses = solver.clauses.as_mut().expect("it has just caught up");
                for bits in places {
                    let mut clause = vec![!on];
                    clause.extend(cube.iter().map(|&(bit, v)| bits[bit as usize].xor_sign(v)));
                    clauses.require_any(&blocks.aig, &clause)?;
                }
                assumed.push(on);
            }
        }
        assumed.extend_from_slice(roots);
        let clauses = self.solvers[block].clauses.as_mut().expect("it has just caught up");
        clauses.solve(&blocks.aig, &assumed)
    }

    /// The value of an input, after yes.
    pub(crate) fn value(&mut self, block: BlockId, input: Lit) -> bool {
        self.solvers[block].clauses.as_mut().is_some_and(|c| c.value(input))
    }

    /// Whether something that was asked was needed, after no.
    pub(crate) fn failed(&mut self, block: BlockId, lit: Lit) -> bool {
        self.solvers[block].clauses.as_mut().is_some_and(|c| c.failed(lit))
    }
}

/// Whether the first cube has all literals of the second.
pub(crate) fn includes(large: &[(u32, bool)], small: &[(u32, bool)]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|lit| rest.any(|other| other == lit))
}
