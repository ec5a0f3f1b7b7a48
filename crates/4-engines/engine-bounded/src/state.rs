//! What a run has in its hands at a place: a guard, frames, memory. States that meet become one.

use crate::memory::Cells;
use crate::relevance::Link;
use crate::word::{Circuit, Word};
use c_data::{FuncId, LocalId};
use logic::{Aig, Lit};
use std::rc::Rc;

/// A word, and the objects that it may be an address of; none: not known.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) word: Word,
    pub(crate) from: Option<Rc<[u32]>>,
    /// When it was written; of values on their way, always.
    pub(crate) set: Lit,
}

impl From<Word> for Value {
    fn from(word: Word) -> Value {
        Value { word, from: None, set: Lit::TRUE }
    }
}

/// What is known of a loop that is active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The guard when its head was last entered.
    pub(crate) guard: Lit,
    /// How many inputs had been taken then.
    pub(crate) inputs: usize,
    /// Rounds that count.
    pub(crate) count: u32,
    /// Rounds that do not: all runs go on, and nothing was asked.
    pub(crate) quiet: u32,
}

/// An active function.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) function: FuncId,
    /// The number of this activation.
    pub(crate) serial: u32,
    /// Values of locals in registers, addresses of the others.
    pub(crate) locals: Rc<Vec<Option<Value>>>,
    /// Its objects: those it starts with, and those it allocates later.
    pub(crate) objects: Vec<u32>,
    /// How many objects it starts with.
    pub(crate) own: usize,
    /// Where its callers are.
    pub(crate) below: Option<Rc<Link>>,
    /// What its keys start with.
    pub(crate) prefix: Rc<[u32]>,
    pub(crate) block: usize,
    /// The statement that is next.
    pub(crate) next: usize,
    pub(crate) rounds: Vec<u32>,
    pub(crate) loops: Vec<Round>,
    /// The loop that is entered again.
    pub(crate) again: Option<usize>,
    /// Where the caller wants the result.
    pub(crate) result: Option<LocalId>,
    pub(crate) result_at: Option<Value>,
    /// The guard at its entry.
    pub(crate) guard: Lit,
    /// Activations of the same function that count.
    pub(crate) depth: u32,
    /// The arguments of `...`.
    pub(crate) more: Option<Value>,
    /// How often it was jumped to.
    pub(crate) jumped: u32,
    /// What it notes of its entry, where it is summarised; at its end also its result.
    pub(crate) entry: Option<Rc<Vec<Word>>>,
}

/// A set of runs at one place.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) guard: Lit,
    pub(crate) frames: Vec<Rc<Frame>>,
    /// By object; none where it does not exist.
    pub(crate) memory: Vec<Option<Rc<Cells>>>,
    /// What the last function of the outermost level gave back.
    pub(crate) result: Option<Word>,
}

/// Something that is nothing in particular until it is given a value.
pub(crate) trait Unset {
    /// What a local is that has no value.
    fn unset(&mut self, frame: &Frame, local: usize) -> Value;
    /// Gives bytes that were never written, and have a value in the other one, bits of their own.
    fn know(&mut self, cells: &mut Cells, other: &Cells);
    fn circuit(&mut self) -> &mut Circuit;
}

/// What tells the runs of two guards apart, as simple as it is seen.
fn selector(aig: &Aig, a: Lit, b: Lit) -> Lit {
    if let (Some((a0, a1)), Some((b0, b1)), false, false) =
        (aig.children(a.node()), aig.children(b.node()), a.is_complement(), b.is_complement())
    {
        for x in [a0, a1] {
            if x == !b0 || x == !b1 {
                return x;
            }
        }
    }
    // One branch of two of which the other one is a conjunction with its complement.
    if let (Some((b0, b1)), false) = (aig.children(b.node()), b.is_complement())
        && (b0 == !a || b1 == !a)
    {
        return a;
    }
    if let (Some((a0, a1)), false) = (aig.children(a.node()), a.is_complement())
        && (a0 == !b || a1 == !b)
    {
        return !b;
    }
    a
}

fn union(a: &Value, b: &Value) -> Option<Rc<[u32]>> {
    let (x, y) = (a.from.as_ref()?, b.from.as_ref()?);
    if x == y {
        return Some(x.clone());
    }
    let mut all: Vec<u32> = x.iter().chain(y.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}

pub(crate) fn choose(c: &mut Circuit, sel: Lit, a: &Value, b: &Value) -> Value {
    let set = c.aig.ite(sel, a.set, b.set);
    Value { word: c.ite(sel, &a.word, &b.word), from: union(a, b), set }
}

impl State {
    pub(crate) fn top(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("a function is active"))
    }

    /// The state of the runs of both.
    pub(crate) fn merge(self, other: State, with: &mut dyn Unset) -> State {
        let (a, b) = (self, other);
        let c = with.circuit();
        let sel = selector(&c.aig, a.guard, b.guard);
        let guard = c.aig.or(a.guard, b.guard);
        let result = match (&a.result, &b.result) {
            (Some(x), Some(y)) => Some(c.ite(sel, x, y)),
            (x, y) => x.clone().or(y.clone()),
        };
        let mut frames = Vec::with_capacity(a.frames.len());
        for (x, y) in a.frames.into_iter().zip(b.frames) {
            frames.push(match Rc::ptr_eq(&x, &y) {
                true => x,
                false => Rc::new(merge_frames(sel, &x, &y, with)),
            });
        }
        let (mut memory, mut rest) = (a.memory, b.memory);
        if rest.len() > memory.len() {
            memory.resize(rest.len(), None);
        }
        for (x, slot) in memory.iter_mut().zip(rest.iter_mut()) {
            let Some(y) = slot.take() else { continue };
            match x {
                None => *x = Some(y),
                Some(old) if Rc::ptr_eq(old, &y) => {}
                Some(old) => {
                    let (mut p, mut q) = (old.clone(), y.clone());
                    if p.unknown_beside(&y) {
                        with.know(Rc::make_mut(&mut p), &y);
                    }
                    if q.unknown_beside(old) {
                        with.know(Rc::make_mut(&mut q), old);
                    }
                    *x = Some(Rc::new(Cells::merge(sel, &p, &q, with.circuit())));
                }
            }
        }
        State { guard, frames, memory, result }
    }
}

fn merge_frames(sel: Lit, a: &Frame, b: &Frame, with: &mut dyn Unset) -> Frame {
    let mut out = a.clone();
    if !Rc::ptr_eq(&a.locals, &b.locals) {
        let mut locals = (*a.locals).clone();
        for (i, slot) in locals.iter_mut().enumerate() {
            *slot = match (slot.take(), &b.locals[i]) {
                (None, None) => None,
                (Some(x), Some(y)) if x.word == y.word && x.set == y.set => {
                    let from = union(&x, y);
                    Some(Value { word: x.word, from, set: x.set })
                }
                (x, y) => {
                    let x = x.unwrap_or_else(|| with.unset(a, i));
                    let y = y.clone().unwrap_or_else(|| with.unset(b, i));
                    Some(choose(with.circuit(), sel, &x, &y))
                }
            };
        }
        out.locals = Rc::new(locals);
    }
    if let (Some(x), Some(y)) = (&a.entry, &b.entry)
        && !Rc::ptr_eq(x, y)
    {
        let c = with.circuit();
        out.entry = Some(Rc::new(x.iter().zip(&**y).map(|(x, y)| c.ite(sel, x, y)).collect()));
    }
    if a.objects != b.objects {
        let more = b.objects.iter().filter(|o| !a.objects.contains(o));
        out.objects.extend(more);
    }
    out.loops.extend_from_slice(b.loops.get(a.loops.len()..).unwrap_or_default());
    for (x, y) in out.loops.iter_mut().zip(&b.loops) {
        x.count = x.count.max(y.count);
        x.quiet = x.quiet.max(y.quiet);
    }
    out.again = a.again.or(b.again);
    out.jumped = a.jumped.max(b.jumped);
    out
}
