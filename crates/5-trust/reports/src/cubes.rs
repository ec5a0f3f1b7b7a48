//! Sets of valuations as cubes, through relations.
//!
//! A cube says of each bit that it has a known value, or that it is *free*: every completion of the
//! free bits is meant. A bit that is neither is *blurred*: it has some value, and which one was
//! given up to keep the number of cubes small. What is said of a cube holds for every completion of
//! its free bits and some value of the blurred ones, so nothing may be concluded from a blurred
//! bit; where it matters, the answer is "not known".

use check::Partial;
use ir::{Rel, Time, VarId};
use replay::code::{CellOf, Op, cell};
use replay::machine::{Around, Machine, Picked, Role, Verdict, Wait};
use replay::search::Leaf;

/// A set of valuations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cube {
    pub(crate) known: Partial,
    /// What it knows is free; no bit is both.
    pub(crate) free: Partial,
}

/// Cases that a relation may be split into at all.
const CASES: usize = 1 << 12;

/// What a relation makes of a cube.
#[derive(Default)]
pub(crate) struct Image {
    /// The cases.
    pub(crate) cases: Vec<Case>,
    /// Something depended on a blurred bit and was left out.
    pub(crate) blurred: bool,
    /// There were too many cases.
    pub(crate) too_many: bool,
}

/// A part of a cube that goes one way.
pub(crate) struct Case {
    /// What is known of it before the relation: free bits that had to be decided included.
    pub(crate) before: Partial,
    /// After it.
    pub(crate) post: Cube,
    /// In the saved frame.
    pub(crate) saved: Cube,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Before(u32),
    Choice(u32),
    After(Time, u32),
}

/// The image of a cube. `arbitrary`: the callee's locals for an `enter` relation, the results
/// for a return. At most `splits` bits are decided for the sake of assigned values; beyond, the
/// values are blurred.
pub(crate) fn image(
    machine: &mut Machine<'_>,
    rel: &Rel,
    role: Role,
    cube: &Cube,
    arbitrary: &[VarId],
    splits: usize,
) -> Image {
    let space = machine.space;
    let mut image = Image::default();
    machine.compile(rel);
    let lone = lone_choices(machine);
    let none = space.open();
    let mut known = cube.known.clone();
    let (mut hint, mut hint_saved) = (space.open(), space.open());
    let mut picked = Picked::default();
    let mut trail: Vec<(Question, bool)> = Vec::new();
    for _ in 0..2 * CASES {
        let around =
            Around { hint: &hint, hint_saved: &hint_saved, ..Around::forward(role, &known, &none) };
        let ask = match machine.verdict(&around, &picked) {
            Verdict::No(_) => None,
            Verdict::Open(wait) => {
                let ask = question(machine, &around, &picked, cube, wait);
                image.blurred |= ask.is_none();
                ask
            }
            Verdict::Yes => {
                let split = (trail.len() < splits)
                    .then(|| open_value(machine, &around, &picked, cube, &lone))
                    .flatten();
                if split.is_none() {
                    let (post, saved) = after(machine, &around, cube, &lone, arbitrary);
                    image.cases.push(Case { before: known.clone(), post, saved });
                }
                split
            }
        };
        let mut set = |question, to| match question {
            Question::Before(bit) => known.set(bit, to),
            Question::Choice(k) => picked.set_choice(k, to),
            Question::After(Time::Saved, bit) => hint_saved.set(bit, to),
            Question::After(_, bit) => hint.set(bit, to),
        };
        if let Some(question) = ask {
            trail.push((question, false));
            set(question, Some(false));
            continue;
        }
        loop {
            let Some((question, answer)) = trail.pop() else { return image };
            set(question, None);
            if !answer {
                trail.push((question, true));
                set(question, Some(true));
                break;
            }
        }
    }
    image.too_many = true;
    image
}

/// What to decide next; `None` if only a blurred bit could.
fn question(
    machine: &Machine<'_>,
    around: &Around,
    picked: &Picked,
    cube: &Cube,
    wait: Wait,
) -> Option<Question> {
    let bits = |var, cell| machine.space.cell(machine.program, var, cell);
    match machine.leaf(around, picked, wait) {
        Leaf::Choice(k) => Some(Question::Choice(k)),
        Leaf::Cell((time, var, cell)) => {
            let hint = if time == Time::Saved { around.hint_saved } else { around.hint };
            let open = bits(var, cell).find(|&bit| hint.get(bit).is_none());
            open.map(|bit| Question::After(time, bit))
        }
        Leaf::Open(var, cell) => bits(var, cell)
            .find(|&bit| around.pre.get(bit).is_none())
            .filter(|&bit| cube.free.get(bit).is_some())
            .map(Question::Before),
    }
}

/// Something on which a value depends that is assigned and not known.
fn open_value(
    machine: &Machine<'_>,
    around: &Around,
    picked: &Picked,
    cube: &Cube,
    lone: &[bool],
) -> Option<Question> {
    machine.code.assigns.iter().filter_map(|a| a.value).find_map(|value| {
        (machine.regs[value as usize] == ir::eval::Val::Unknown && !lone[value as usize])
            .then(|| question(machine, around, picked, cube, Wait::On(value)))
            .flatten()
    })
}

/// Registers that hold a choice, or its negation, that nothing else reads: as good as arbitrary.
fn lone_choices(machine: &Machine<'_>) -> Vec<bool> {
    let code = &machine.code;
    let mut uses = vec![0u32; code.ops.len()];
    let roots = code.guard.into_iter().chain(code.constraint);
    let targets = code.assigns.iter().flat_map(|a| [a.index, a.value].into_iter().flatten());
    let operands = code.ops.iter().flat_map(|&op| match op {
        Op::Const(_) | Op::Read(..) | Op::Choice(_) => [None; 3],
        Op::Index { index, .. } => [Some(index), None, None],
        Op::Not(a) => [Some(a), None, None],
        Op::Binary(_, a, b) => [Some(a), Some(b), None],
        Op::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    });
    for reg in roots.chain(targets).chain(operands.flatten()) {
        uses[reg as usize] += 1;
    }
    // The constraint may read the target instead.
    let mut lone: Vec<bool> = code
        .ops
        .iter()
        .enumerate()
        .map(|(i, &op)| match op {
            Op::Choice(_) => uses[i] == 1,
            Op::Not(a) => {
                matches!(code.ops[a as usize], Op::Choice(_))
                    && uses[a as usize] == 1
                    && uses[i] == 1
            }
            _ => false,
        })
        .collect();
    if code.constraint.is_some() {
        lone.fill(false);
    }
    lone
}

/// What comes out in one case.
fn after(
    machine: &Machine<'_>,
    around: &Around,
    cube: &Cube,
    lone: &[bool],
    arbitrary: &[VarId],
) -> (Cube, Cube) {
    let (program, space) = (machine.program, machine.space);
    let (post, saved) = machine.outputs(around);
    let mut post_free = cube.free.clone();
    post_free.forget(space.results());
    let mut saved_free = space.open();
    if around.role == Role::Enter {
        saved_free.merge(&post_free);
        saved_free.forget(space.globals());
    }
    if matches!(around.role, Role::Enter | Role::Return) {
        post_free.forget(space.locals());
        for &var in arbitrary {
            for bit in space.var(program, var) {
                post_free.set(bit, Some(false));
            }
        }
    }
    // Arbitrary writes first: a value in the same cell wins.
    for values in [false, true] {
        for assign in machine.code.assigns.iter().filter(|a| a.value.is_some() == values) {
            let free = if assign.time == Time::Saved { &mut saved_free } else { &mut post_free };
            let bits = match assign.index {
                None => space.var(program, assign.var),
                Some(index) => match cell(program, assign.var, machine.regs[index as usize]) {
                    CellOf::At(c) => space.cell(program, assign.var, c),
                    _ => space.var(program, assign.var),
                },
            };
            let arbitrary = assign.value.is_none_or(|v| lone[v as usize]);
            for bit in bits {
                free.set(bit, arbitrary.then_some(false));
            }
        }
    }
    post_free.remove(&post);
    saved_free.remove(&saved);
    (Cube { known: post, free: post_free }, Cube { known: saved, free: saved_free })
}
