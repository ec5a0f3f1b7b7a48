//! Deciding a rule instance case by case.
//!
//! Bits are decided only as they come up: those that the hypothesis asks for on the way to "in the
//! set", then those on which the relation waits, then those that the conclusion asks for. A case is
//! a partial valuation on which all of it is decided; what it leaves open does not matter.

use crate::certificate::Instance;
use crate::machine::{Around, Machine, Picked, Role, Source, Verdict, Wait};
use crate::search::Leaf;
use check::{Area, Budget, Partial, SetBit, SetId, StopReason};
use ir::{ProcId, Time, VarId};

/// How much enumeration is worth while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cases {
    /// Bits decided in one case.
    pub(crate) bits: usize,
    /// Evaluations.
    pub(crate) evaluations: usize,
}

impl Cases {
    /// Beyond this the SAT solver is faster.
    pub(crate) const FEW: Cases = Cases { bits: 20, evaluations: 20_000 };
}

/// Which valuation a bit belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    /// At entry.
    Entry,
    /// Now.
    Now,
    /// Arbitrary after the first relation …
    Free,
    /// … and in the saved frame.
    FreeSaved,
    /// At the callee's exit.
    Exit,
    /// Arbitrary after the second relation.
    FreeBack,
}

/// Something to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Bit(Block, u32),
    Choice(u32),
    ChoiceBack(u32),
}

/// Whether the instance holds; `None` if there are too many cases.
pub(crate) fn enumerate(
    instance: &Instance,
    cases: Cases,
    budget: &Budget,
) -> Result<Option<bool>, StopReason> {
    let open = instance.space.open();
    let mut case = Case {
        instance,
        blocks: std::array::from_fn(|_| open.clone()),
        choices: Picked::default(),
        choices_back: Picked::default(),
        none: open,
    };
    let mut first = Machine::new(instance.program, instance.space);
    first.compile(instance.first);
    let mut second = Machine::new(instance.program, instance.space);
    if let Some((_, back)) = instance.second {
        second.compile(back);
    }
    // What was asked, with the answer that holds now.
    let mut trail: Vec<(Question, bool)> = Vec::new();
    for evaluation in 0..cases.evaluations {
        if evaluation % 1024 == 1023 {
            budget.poll()?;
        }
        match case.decide(&mut first, &mut second) {
            Ok(false) => return Ok(Some(false)),
            Err(question) => {
                if trail.len() == cases.bits {
                    return Ok(None);
                }
                trail.push((question, false));
                case.answer(question, Some(false));
            }
            Ok(true) => loop {
                let Some((question, answer)) = trail.pop() else { return Ok(Some(true)) };
                case.answer(question, None);
                if !answer {
                    trail.push((question, true));
                    case.answer(question, Some(true));
                    break;
                }
            },
        }
    }
    Ok(None)
}

struct Case<'a> {
    instance: &'a Instance<'a>,
    blocks: [Partial; 6],
    choices: Picked,
    choices_back: Picked,
    none: Partial,
}

impl Case<'_> {
    fn answer(&mut self, question: Question, to: Option<bool>) {
        match question {
            Question::Bit(block, bit) => self.blocks[block as usize].set(bit, to),
            Question::Choice(k) => self.choices.set_choice(k, to),
            Question::ChoiceBack(k) => self.choices_back.set_choice(k, to),
        }
    }
    fn bit(&self, block: Block, bit: u32) -> Result<bool, Question> {
        self.blocks[block as usize].get(bit).ok_or(Question::Bit(block, bit))
    }
    /// A bit at entry or now. A global that is unchanged has one value for both.
    fn start(&self, at_entry: bool, bit: u32) -> Result<bool, Question> {
        let same = self.instance.unchanged.get(bit).is_some();
        self.bit(if at_entry && !same { Block::Entry } else { Block::Now }, bit)
    }
    /// Whether the valuation is in the set.
    fn contains(
        &self,
        mut set: SetId,
        mut bit: impl FnMut(SetBit) -> Result<bool, Question>,
    ) -> Result<bool, Question> {
        while let Some(node) = self.instance.sets.node(set) {
            set = if bit(node.bit)? { node.hi } else { node.lo };
        }
        Ok(set == SetId::full())
    }

    /// Whether the instance holds in this case, or what must be decided first.
    fn decide(&self, first: &mut Machine, second: &mut Machine) -> Result<bool, Question> {
        let instance = self.instance;
        let space = instance.space;
        let (globals, locals) = (space.globals().start, space.locals().start);
        let results = space.results().start;
        for hypothesis in instance.hypotheses {
            let inside = self.contains(hypothesis, |bit| match bit.area {
                Area::EntryGlobal => self.start(true, globals + bit.index),
                Area::EntryLocal => self.start(true, locals + bit.index),
                Area::Global => self.start(false, globals + bit.index),
                Area::Local => self.start(false, locals + bit.index),
                Area::Result => Ok(false), // refused as malformed
            })?;
            if !inside {
                return Ok(true);
            }
        }

        // The first relation.
        let blocks = &self.blocks;
        let around = Around {
            hint: &blocks[Block::Free as usize],
            hint_saved: &blocks[Block::FreeSaved as usize],
            ..Around::forward(instance.role, &blocks[Block::Now as usize], &self.none)
        };
        match first.verdict(&around, &self.choices) {
            Verdict::Yes => {}
            Verdict::No(_) => return Ok(true),
            Verdict::Open(wait) => return Err(self.first_asks(first, &around, wait)),
        }
        let first = &*first;
        let (post, saved) = first.outputs(&around);
        let first_bit = |time: Time, bit: u32| -> Result<bool, Question> {
            let known = if time == Time::Saved { &saved } else { &post };
            match known.get(bit) {
                Some(value) => Ok(value),
                None => Err(self.first_output_asks(first, &around, time, bit)),
            }
        };

        // The conclusion, and the equalities, about what comes out.
        let conclude = |out: &dyn Fn(u32) -> Result<bool, Question>| {
            for &var in instance.equal {
                for bit in space.var(instance.program, var) {
                    if out(bit)? != self.start(false, bit)? {
                        return Ok(false);
                    }
                }
            }
            for &conclusion in instance.conclusion {
                let inside = self.contains(conclusion, |bit| {
                    let (at_entry, place) = match bit.area {
                        Area::EntryGlobal => (true, globals + bit.index),
                        Area::EntryLocal => (true, locals + bit.index),
                        Area::Global => (false, globals + bit.index),
                        Area::Local => (false, locals + bit.index),
                        Area::Result => (false, results + bit.index),
                    };
                    match at_entry && !instance.starts_frame() {
                        true => self.start(true, place),
                        false => out(place),
                    }
                })?;
                if inside {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let Some((summary, _)) = instance.second else {
            return conclude(&|bit| first_bit(Time::Post, bit));
        };

        // The callee's summary. What it leaves unchanged is as at its entry.
        let exit = |bit: u32| match instance.around.get(bit) {
            Some(_) => first_bit(Time::Post, bit),
            None => self.bit(Block::Exit, bit),
        };
        let inside = self.contains(summary, |bit| match bit.area {
            Area::EntryGlobal => first_bit(Time::Post, globals + bit.index),
            Area::EntryLocal => first_bit(Time::Post, locals + bit.index),
            Area::Global => exit(globals + bit.index),
            Area::Result => exit(results + bit.index),
            Area::Local => Ok(false), // refused as malformed
        })?;
        if !inside {
            return Ok(true);
        }

        // The second relation.
        let mut pre = post.clone();
        pre.retain(instance.around);
        pre.merge(&blocks[Block::Exit as usize]);
        pre.merge(&saved);
        let back = Around {
            hint: &blocks[Block::FreeBack as usize],
            ..Around::forward(Role::Back, &pre, &self.none)
        };
        let before = |bit: u32| match space.locals().contains(&bit) {
            true => first_bit(Time::Saved, bit),
            false => exit(bit),
        };
        // Whoever asks for an open bit before the second relation asks for what it comes from.
        let pass_on = |leaf: Leaf| -> Question {
            match leaf {
                Leaf::Choice(k) => Question::ChoiceBack(k),
                Leaf::Cell((_, var, cell)) => {
                    self.open_bit(Block::FreeBack, &blocks[Block::FreeBack as usize], var, cell)
                }
                Leaf::Open(var, cell) => space
                    .cell(instance.program, var, cell)
                    .find_map(|bit| before(bit).err())
                    .unwrap_or(Question::ChoiceBack(0)),
            }
        };
        match second.verdict(&back, &self.choices_back) {
            Verdict::Yes => {}
            Verdict::No(_) => return Ok(true),
            Verdict::Open(wait) => {
                return Err(pass_on(second.leaf(&back, &self.choices_back, wait)));
            }
        }
        let second = &*second;
        let (post, _) = second.outputs(&back);
        conclude(&|bit| {
            if let Some(value) = post.get(bit) {
                return Ok(value);
            }
            let Some((var, cell)) = owner(instance, instance.proc, None, bit) else {
                return Ok(false);
            };
            let leaf = match second.source(&back, &second.regs, (Time::Post, var, cell)) {
                Source::Value(reg) | Source::Open(reg) => {
                    second.leaf(&back, &self.choices_back, Wait::On(reg))
                }
                Source::Free => return Err(Question::Bit(Block::FreeBack, bit)),
                Source::Kept | Source::Wanted(_) => return before(bit),
            };
            Err(pass_on(leaf))
        })
    }

    /// An open bit of a cell; the cell is asked for because it has one.
    fn open_bit(&self, block: Block, state: &Partial, var: VarId, cell: u32) -> Question {
        let mut bits = self.instance.space.cell(self.instance.program, var, cell);
        let first = bits.start;
        Question::Bit(block, bits.find(|&bit| state.get(bit).is_none()).unwrap_or(first))
    }

    fn first_asks(&self, first: &Machine, around: &Around, wait: Wait) -> Question {
        let blocks = &self.blocks;
        match first.leaf(around, &self.choices, wait) {
            Leaf::Choice(k) => Question::Choice(k),
            Leaf::Cell((time, var, cell)) => {
                let block = if time == Time::Saved { Block::FreeSaved } else { Block::Free };
                self.open_bit(block, &blocks[block as usize], var, cell)
            }
            Leaf::Open(var, cell) => {
                self.open_bit(Block::Now, &blocks[Block::Now as usize], var, cell)
            }
        }
    }

    /// What an open bit after the first relation comes from.
    fn first_output_asks(
        &self,
        first: &Machine,
        around: &Around,
        time: Time,
        bit: u32,
    ) -> Question {
        let instance = self.instance;
        let (proc, results) = match (instance.role, time) {
            (Role::Enter, Time::Post) => (instance.callee.unwrap_or(instance.proc), None),
            (Role::Return, _) => (instance.proc, Some(instance.proc)),
            _ => (instance.proc, None),
        };
        let Some((var, cell)) = owner(instance, proc, results, bit) else {
            return Question::Bit(Block::Free, bit);
        };
        match first.source(around, &first.regs, (time, var, cell)) {
            Source::Value(reg) | Source::Open(reg) => self.first_asks(first, around, Wait::On(reg)),
            Source::Kept | Source::Wanted(_) => Question::Bit(Block::Now, bit),
            Source::Free if time == Time::Saved => Question::Bit(Block::FreeSaved, bit),
            Source::Free => Question::Bit(Block::Free, bit),
        }
    }
}

/// The variable and cell that a bit belongs to.
fn owner(
    instance: &Instance,
    proc: ProcId,
    results: Option<ProcId>,
    bit: u32,
) -> Option<(VarId, u32)> {
    let space = instance.space;
    let var = space.owner(instance.program, proc, results, bit)?;
    let slot = space.layout.slot(var);
    let start = space.var(instance.program, var).start;
    Some((var, (bit - start) / slot.width))
}
