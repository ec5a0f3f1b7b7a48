//! Whether a lasso satisfies a formula, by the meaning of the formula alone.
//!
//! A run is a word with a letter for each step: what the atoms say just before it. The word ends in
//! a loop. Truth is computed backwards, one position from the next:
//!
//! ```text
//! X f      at i  =  f at i+1
//! f U g    at i  =  g at i, or f at i and f U g at i+1
//! f R g    at i  =  g at i, and f at i or f R g at i+1
//! ```
//!
//! so all that goes from one position to the one before it is a *vector*: the truth of each `U` and
//! `R`, and of what stands under an `X`. The vector before a completed call depends on the vector
//! after it and on the call's segment, which is stored once however often it is run; both are looked
//! up. So the word, which may be exponentially long, is never written down.
//!
//! At the end of the loop the vector is the one at its head. It is found by one pass through the
//! loop for each level of nesting, innermost first: in the pass of its level a `U` starts as false
//! at the end, an `R` as true, and comes out right at the head; for a monotone function `f` of one
//! truth value, `f(false)` is the least fixpoint and `f(true)` the greatest. What the states of an
//! automaton demand ([`Temporal::watch`]) is one level above all others. These refer to each other, so
//! there are passes until nothing changes.
//!
//! Truth is three-valued: what an atom says may depend on what the trace leaves open. A definite
//! answer is right for every run that agrees with the trace, even if each turn of its loop fills in
//! other values. If there is none, one such run is made concrete ([`crate::concrete`]) and judged.
//!
//! Where an automaton says what holds ([`Temporal::acceptor`]), the letters are read by it (`accepting.rs`).

mod accepting;

use crate::machine::Machine;
use crate::shown::{Accepted, Run};
use crate::space::Space;
use check::{Lasso, Op, OpId, Partial, Temporal, Trace};
use ir::{EdgeId, ExprId, Id, NodeId, Program};
use rustc_hash::FxHashMap;

/// What a formula says of a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It is false of a run along the lasso.
    Violates,
    /// It is true of the run that was judged.
    Satisfies,
    /// Not known, and why.
    Inconclusive(&'static str),
}

/// Positions to look at before giving up.
const WORK: usize = 1 << 26;

/// Whether the formula is false of a run along the accepted lasso. If that depends on what the lasso
/// leaves open, one run is judged; [`crate::check_lasso`] with the formula makes sure that claims
/// about its atoms are not left open.
pub fn judge(accepted: &Accepted, formula: &Temporal) -> Judgement {
    use Judgement::Inconclusive;
    let program = &*accepted.program;
    if formula.atoms.iter().any(|a| a.at.len() != program.nodes.len()) {
        return Inconclusive("the formula is about another program");
    }
    if accepted.lasso.is_none() {
        return Inconclusive("the trace has no loop");
    }
    let Some(evaluator) = Evaluator::new(formula) else {
        return Inconclusive("the formula is not well formed");
    };
    let open = Words::new(program, &accepted.space, formula).of_accepted(accepted);
    match evaluator.clone().evaluate(&open) {
        Ok(Truth::True) => return Judgement::Satisfies,
        Ok(Truth::False) => return Judgement::Violates,
        Ok(Truth::Open) => {}
        Err(why) => return Inconclusive(why),
    }
    let Some(trace) = crate::concrete::run(accepted, None) else {
        return Inconclusive("no concrete run along the lasso was found with reasonable effort");
    };
    let word = Words::new(program, &accepted.space, formula).of_trace(&trace);
    match evaluator.evaluate(&word) {
        Ok(Truth::True) => Judgement::Satisfies,
        Ok(Truth::False) => Judgement::Violates,
        Ok(Truth::Open) => Inconclusive("an atom depends on a variable that is not in scope"),
        Err(why) => Inconclusive(why),
    }
}

/// A truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Truth {
    False,
    True,
    Open,
}

impl Truth {
    fn of(value: Option<bool>) -> Truth {
        match value {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => Truth::Open,
        }
    }
    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::True => Truth::False,
            Truth::Open => Truth::Open,
        }
    }
    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::True, Truth::True) => Truth::True,
            _ => Truth::Open,
        }
    }
    fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }
}

/// Part of a word.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// A position; the letter's number.
    Letter(u32),
    /// What a completed call reads; its number among the segments.
    Call(u32),
}

/// A word with a loop.
struct Word {
    /// What each atom says.
    letters: Vec<Box<[Truth]>>,
    segments: Vec<Vec<Item>>,
    stem: Vec<Item>,
    turn: Vec<Item>,
}

/// Reads words off runs.
struct Words<'a> {
    program: &'a Program,
    formula: &'a Temporal,
    machine: Machine<'a>,
    word: Word,
    ids: FxHashMap<Box<[Truth]>, u32>,
    /// Letters by node and state.
    known: FxHashMap<(NodeId, Partial), u32>,
}

impl<'a> Words<'a> {
    fn new(program: &'a Program, space: &'a Space, formula: &'a Temporal) -> Self {
        Words {
            program,
            formula,
            machine: Machine::new(program, space),
            word: Word {
                letters: Vec::new(),
                segments: Vec::new(),
                stem: Vec::new(),
                turn: Vec::new(),
            },
            ids: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    fn letter(&mut self, state: &Partial, atom: impl Fn(&check::Meaning) -> ExprId) -> u32 {
        let (formula, machine) = (self.formula, &mut self.machine);
        let letter: Box<[Truth]> = formula
            .atoms
            .iter()
            .map(|meaning| Truth::of(machine.atom(&formula.exprs, atom(meaning), state)))
            .collect();
        let letters = &mut self.word.letters;
        *self.ids.entry(letter).or_insert_with_key(|letter| {
            letters.push(letter.clone());
            letters.len() as u32 - 1
        })
    }

    /// Appends what a step reads, and what is inside it.
    fn step(&mut self, out: &mut Vec<Item>, edge: EdgeId, state: &Partial, inside: Option<u32>) {
        let edge = &self.program.edges[edge];
        if edge.step {
            let key = (edge.source, state.clone());
            let letter = match self.known.get(&key) {
                Some(&letter) => letter,
                None => {
                    let letter = self.letter(state, |meaning| meaning.at[edge.source]);
                    self.known.insert(key, letter);
                    letter
                }
            };
            out.push(Item::Letter(letter));
        }
        out.extend(inside.map(Item::Call));
    }

    /// Appends what a finished or failed run reads for ever.
    fn stutter(&mut self, lasso: Option<Lasso>, state: &Partial) {
        let letter = match lasso {
            Some(Lasso::Terminated) => self.letter(state, |meaning| meaning.terminated),
            Some(Lasso::Failed) => self.letter(state, |meaning| meaning.failed),
            _ => return,
        };
        self.word.turn.push(Item::Letter(letter));
    }

    /// The word of every run that agrees with what is needed.
    fn of_accepted(mut self, accepted: &Accepted) -> Word {
        let steps = |words: &mut Self, run: &Run, range: std::ops::Range<usize>| {
            let mut out = Vec::new();
            for i in range {
                let step = run.steps[i];
                let inside = step.inside.map(|piece| piece.index() as u32);
                words.step(&mut out, step.edge, &run.needs[i], inside);
            }
            out
        };
        for piece in accepted.pieces.iter() {
            let items = steps(&mut self, &piece.run, 0..piece.run.steps.len());
            self.word.segments.push(items);
        }
        for (i, run) in accepted.frames.iter().enumerate() {
            let split = split(accepted.lasso, i, run.steps.len());
            let stem = steps(&mut self, run, 0..split);
            self.word.stem.extend(stem);
            let turn = steps(&mut self, run, split..run.steps.len());
            self.word.turn.extend(turn);
        }
        if let Some(end) = accepted.frames.last().and_then(|run| run.needs.last()) {
            self.stutter(accepted.lasso, end);
        }
        self.word
    }

    /// The word of a run with all values.
    fn of_trace(mut self, trace: &Trace) -> Word {
        let steps = |words: &mut Self, steps: &[check::Step]| {
            let mut out = Vec::new();
            for step in steps {
                let inside = step.inside.map(|segment| segment.index() as u32);
                words.step(&mut out, step.edge, &step.state, inside);
            }
            out
        };
        for segment in trace.segments.iter() {
            let items = steps(&mut self, &segment.steps);
            self.word.segments.push(items);
        }
        for (i, frame) in trace.frames.iter().enumerate() {
            let (stem, turn) = frame.steps.split_at(split(trace.lasso, i, frame.steps.len()));
            let stem = steps(&mut self, stem);
            self.word.stem.extend(stem);
            let turn = steps(&mut self, turn);
            self.word.turn.extend(turn);
        }
        self.stutter(trace.lasso, &trace.end);
        self.word
    }
}

/// How many steps of a frame come before the loop.
fn split(lasso: Option<Lasso>, frame: usize, steps: usize) -> usize {
    match lasso {
        Some(Lasso::Loop { frame: first, .. }) if frame > first => 0,
        Some(Lasso::Loop { frame: first, step }) if frame == first => step,
        _ => steps,
    }
}

/// Evaluates a formula on words.
#[derive(Clone)]
struct Evaluator<'a> {
    formula: &'a Temporal,
    /// What a vector tells of: the root, each `U` and `R`, what stands under an `X`.
    told: Vec<OpId>,
    /// Where; by operator.
    slot: Vec<Option<u32>>,
    /// The nesting of `X`, `U` and `R`, by operator.
    level: Vec<u32>,
    vectors: Vec<Box<[Truth]>>,
    ids: FxHashMap<Box<[Truth]>, u32>,
    /// Vectors before a letter or a segment, by the vector after it.
    before_letter: FxHashMap<(u32, u32), u32>,
    before_segment: FxHashMap<(u32, u32), u32>,
    work: usize,
    truth: Vec<Truth>,
}

impl<'a> Evaluator<'a> {
    fn new(formula: &'a Temporal) -> Option<Self> {
        let count = formula.ops.len();
        let mut tells = vec![false; count];
        let mut level = vec![0u32; count];
        *tells.get_mut(formula.root.index())? = true;
        for (id, &op) in formula.ops.enumerate() {
            let i = id.index();
            let (a, b, deeper) = match op {
                Op::True => continue,
                Op::Atom(atom) => {
                    formula.atoms.get(atom as usize)?;
                    continue;
                }
                Op::Not(a) => (a, a, 0),
                Op::And(a, b) | Op::Or(a, b) => (a, b, 0),
                Op::Next(a) => (a, a, 1),
                Op::Until(a, b) | Op::Release(a, b) => (a, b, 1),
                Op::Later(state) => {
                    formula.watch.get(state as usize)?;
                    continue;
                }
            };
            if a >= id || b >= id {
                return None;
            }
            level[i] = level[a.index()].max(level[b.index()]) + deeper;
            match op {
                Op::Next(a) => tells[a.index()] = true,
                Op::Until(..) | Op::Release(..) => tells[i] = true,
                _ => {}
            }
        }
        let above = level.iter().copied().max().unwrap_or(0) + 1;
        for body in &formula.watch {
            *tells.get_mut(body.index())? = true;
            level[body.index()] = above;
        }
        let told: Vec<OpId> = formula.ops.ids().filter(|id| tells[id.index()]).collect();
        let mut slot = vec![None; count];
        for (i, id) in told.iter().enumerate() {
            slot[id.index()] = Some(i as u32);
        }
        Some(Evaluator {
            formula,
            told,
            slot,
            level,
            vectors: Vec::new(),
            ids: FxHashMap::default(),
            before_letter: FxHashMap::default(),
            before_segment: FxHashMap::default(),
            work: 0,
            truth: Vec::new(),
        })
    }

    fn vector(&mut self, vector: Box<[Truth]>) -> u32 {
        let vectors = &mut self.vectors;
        *self.ids.entry(vector).or_insert_with_key(|vector| {
            vectors.push(vector.clone());
            vectors.len() as u32 - 1
        })
    }

    /// The vector at a position, from its letter and the vector at the next one.
    fn letter(&mut self, word: &Word, letter: u32, next: u32) -> u32 {
        if let Some(&known) = self.before_letter.get(&(letter, next)) {
            return known;
        }
        let (atoms, after) = (&word.letters[letter as usize], &self.vectors[next as usize]);
        let told = |id: OpId| self.slot[id.index()].map_or(Truth::Open, |s| after[s as usize]);
        let mut truth = std::mem::take(&mut self.truth);
        truth.clear();
        for (id, &op) in self.formula.ops.enumerate() {
            let t = |a: OpId| truth[a.index()];
            truth.push(match op {
                Op::True => Truth::True,
                Op::Atom(atom) => atoms[atom as usize],
                Op::Not(a) => t(a).not(),
                Op::And(a, b) => t(a).and(t(b)),
                Op::Or(a, b) => t(a).or(t(b)),
                Op::Next(a) => told(a),
                Op::Until(a, b) => t(b).or(t(a).and(told(id))),
                Op::Release(a, b) => t(b).and(t(a).or(told(id))),
                Op::Later(state) => told(self.formula.watch[state as usize]),
            });
        }
        let vector = self.told.iter().map(|id| truth[id.index()]).collect();
        self.truth = truth;
        let vector = self.vector(vector);
        self.before_letter.insert((letter, next), vector);
        vector
    }

    /// The vector before some items, from the one after them.
    fn before(&mut self, word: &Word, items: &[Item], end: u32) -> Result<u32, &'static str> {
        struct Job<'w> {
            /// The segment, and the vector after it.
            of: Option<(u32, u32)>,
            left: &'w [Item],
            vector: u32,
        }
        let mut job = Job { of: None, left: items, vector: end };
        let mut waiting: Vec<Job> = Vec::new();
        loop {
            self.work += 1;
            if self.work > WORK {
                return Err("the lasso is too long to be judged");
            }
            match job.left.split_last() {
                Some((&Item::Letter(letter), left)) => {
                    job.vector = self.letter(word, letter, job.vector);
                    job.left = left;
                }
                Some((&Item::Call(segment), left)) => {
                    let of = (segment, job.vector);
                    match self.before_segment.get(&of) {
                        Some(&vector) => {
                            job.vector = vector;
                            job.left = left;
                        }
                        None => {
                            let left = &word.segments[segment as usize];
                            let inner = Job { of: Some(of), left, vector: job.vector };
                            waiting.push(std::mem::replace(&mut job, inner));
                        }
                    }
                }
                None => {
                    if let Some(of) = job.of {
                        self.before_segment.insert(of, job.vector);
                    }
                    // The one that waits looks it up.
                    match waiting.pop() {
                        Some(next) => job = next,
                        None => return Ok(job.vector),
                    }
                }
            }
        }
    }

    /// The truth of the formula at the start of the word.
    fn evaluate(mut self, word: &Word) -> Result<Truth, &'static str> {
        let mut end: Box<[Truth]> = self
            .told
            .iter()
            .map(|&id| match self.formula.ops[id] {
                _ if self.formula.watch.contains(&id) => Truth::True,
                Op::Until(..) => Truth::False,
                Op::Release(..) => Truth::True,
                _ => Truth::Open,
            })
            .collect();
        if !reads(word) {
            return Err("the loop takes no step");
        }
        if let Some(acceptor) = &self.formula.acceptor {
            return accepting::holds(self.formula, acceptor, word);
        }
        let levels = self.level.iter().copied().max().unwrap_or(0);
        let mut head = self.vector(end.clone());
        let mut level = 0;
        while level <= levels {
            let vector = self.vector(end.clone());
            head = self.before(word, &word.turn, vector)?;
            let mut again = false;
            for (i, id) in self.told.iter().enumerate() {
                if self.level[id.index()] == level {
                    let found = self.vectors[head as usize][i];
                    again |= end[i] != found && !self.formula.watch.is_empty() && level == levels;
                    end[i] = found;
                }
            }
            level += u32::from(!again);
        }
        let start = self.before(word, &word.stem, head)?;
        let root = self.slot[self.formula.root.index()].map_or(0, |s| s as usize);
        Ok(self.vectors[start as usize][root])
    }
}

/// Whether the loop has a position at all.
fn reads(word: &Word) -> bool {
    let mut inside: Vec<bool> = Vec::with_capacity(word.segments.len());
    let any = |inside: &[bool], items: &[Item]| {
        items.iter().any(|item| match item {
            Item::Letter(_) => true,
            Item::Call(segment) => inside[*segment as usize],
        })
    };
    for segment in &word.segments {
        let reads = any(&inside, segment);
        inside.push(reads);
    }
    any(&inside, &word.turn)
}
