//! Linear code with labels, and how it becomes points.

use super::Walker;
use super::calls::Open;
use super::values::Values;
use crate::objects::{FuncId, ObjectId};
use crate::skeleton::{Access, Arm, Body, DataId, Event, Flow, Next, Point, Spot, Test, When};
use crate::tree::Sym;
use std::ops::Range;

pub(super) type Label = u32;

pub(super) enum Ins {
    Point(Draft),
    Branch(Draft, Vec<(Label, Vec<Event>, Option<When>)>),
    Call(Draft, Box<Open>),
    Return(Draft),
    Jump(Label),
    Stop,
}

pub(super) struct Draft {
    pub(super) at: Spot,
    pub(super) text: Box<str>,
    pub(super) events: Vec<Event>,
    pub(super) hidden: Vec<Event>,
    pub(super) values: Vec<(ObjectId, Option<DataId>)>,
    pub(super) returned: Option<DataId>,
    pub(super) statement: u32,
    pub(super) accesses: Range<u32>,
    pub(super) test: Option<Box<Test>>,
}

/// The code of a function.
#[derive(Default)]
pub(super) struct Code {
    pub(super) ins: Vec<Ins>,
    /// Where each label is; `u32::MAX` until it is marked.
    label_pos: Vec<u32>,
    /// Where the word `do` stands.
    pub(super) dos: Vec<usize>,
    /// What is read and written.
    pub(super) accesses: Vec<Access>,
    /// How many of these belong to something.
    placed: u32,
    /// Those that belong to no point, with the position that they stand before.
    silent: Vec<(usize, Range<u32>)>,
}

impl Code {
    /// The position of the next instruction.
    pub(super) fn here(&self) -> usize {
        self.ins.len()
    }
    pub(super) fn push(&mut self, ins: Ins) {
        self.ins.push(ins);
    }
    /// A new label, which is nowhere yet.
    pub(super) fn label(&mut self) -> Label {
        self.label_pos.push(u32::MAX);
        self.label_pos.len() as Label - 1
    }
    /// Puts a label here.
    pub(super) fn mark(&mut self, label: Label) {
        self.label_pos[label as usize] = self.here() as u32;
    }
    /// The accesses since the last time.
    pub(super) fn take_accesses(&mut self) -> Range<u32> {
        let from = std::mem::replace(&mut self.placed, self.accesses.len() as u32);
        from..self.placed
    }
    /// The accesses since the last time belong to no point.
    pub(super) fn silence(&mut self) {
        let range = self.take_accesses();
        if !range.is_empty() {
            self.silent.push((self.here(), range));
        }
    }
    /// Whether a label was put somewhere.
    pub(super) fn is_marked(&self, label: Label) -> bool {
        self.label_pos[label as usize] != u32::MAX
    }

    /// The number of the point that each instruction is, or that comes after it.
    fn numbers(&self) -> Vec<u32> {
        let mut count = 0u32;
        let number = |ins: &Ins| {
            let here = count;
            count += u32::from(!matches!(ins, Ins::Jump(_) | Ins::Stop));
            here
        };
        self.ins.iter().map(number).collect()
    }

    /// Where control goes from each position; jumps are followed once.
    fn ends(&self, number: &[u32]) -> Vec<Next> {
        let mut ends: Vec<Option<Next>> = vec![None; self.ins.len() + 1];
        ends[self.ins.len()] = Some(Next::Stop);
        let mut trail: Vec<usize> = Vec::new();
        for start in 0..self.ins.len() {
            let mut i = start;
            let end = loop {
                if let Some(end) = ends[i] {
                    break end;
                }
                trail.push(i);
                match self.ins[i] {
                    Ins::Jump(label) => {
                        // On its own trail: round and round.
                        ends[i] = Some(Next::Spin);
                        i = self.label_pos[label as usize] as usize;
                    }
                    Ins::Stop => break Next::Stop,
                    _ => break Next::Point(number[i]),
                }
            };
            for i in trail.drain(..) {
                ends[i] = Some(end);
            }
        }
        ends.into_iter().map(|end| end.expect("every position has its end")).collect()
    }
}

impl Walker<'_, '_> {
    /// Code with labels → points.
    pub(super) fn assemble(
        &mut self,
        func: FuncId,
        params: Vec<Option<ObjectId>>,
        at: Spot,
    ) -> Body {
        let code = std::mem::take(&mut self.code);
        let number = code.numbers();
        let ends = code.ends(&number);
        let Code { ins, label_pos, dos, accesses, silent, .. } = code;
        let at_label = |l: Label| ends[label_pos[l as usize] as usize];
        let mut points = Vec::with_capacity(ins.len());
        let mut setjmps = Vec::new();
        for (i, ins) in ins.into_iter().enumerate() {
            let (draft, flow) = match ins {
                Ins::Jump(_) | Ins::Stop => continue,
                Ins::Point(draft) => (draft, Flow::Next(ends[i + 1])),
                Ins::Branch(draft, ways) => {
                    let arms = ways
                        .into_iter()
                        .map(|(l, events, when)| self.arm(at_label(l), events, when));
                    (draft, Flow::Branch(arms.collect()))
                }
                Ins::Call(draft, open) => {
                    if open.setjmp {
                        setjmps.push(points.len() as u32);
                    }
                    (draft, Flow::Call(Box::new(open.call(ends[i + 1]))))
                }
                Ins::Return(draft) => (draft, Flow::Return),
            };
            let Draft { at, text, events, hidden, values, returned, statement, accesses, test } =
                draft;
            points.push(Point {
                at,
                text,
                events,
                values,
                returned,
                statement,
                hidden,
                accesses,
                test,
                flow,
            });
        }
        let dos = dos.into_iter().filter_map(|i| number.get(i).copied()).collect();
        let label = |sym: &Sym| match at_label(self.jumps.named[sym]) {
            // A label of a block (`__label__`) has a number behind its name.
            Next::Point(p) => {
                let name = self.unit.name(*sym).split('#').next().unwrap_or_default();
                Some((name.to_owned(), p))
            }
            _ => None,
        };
        let labels = self.jumps.named_order.iter().filter_map(label).collect();
        let Values { items: data, scalars } = std::mem::take(&mut self.data);
        let before = |i: usize| number.get(i).map_or(points.len() as u32, |&n| n);
        let silent = silent
            .into_iter()
            .flat_map(|(i, range)| range.map(move |a| (i, a)))
            .map(|(i, a)| (before(i), accesses[a as usize]))
            .collect();
        let entry = ends[0];
        Body {
            func,
            params,
            points,
            entry,
            labels,
            setjmps,
            dos,
            at,
            data,
            scalars,
            accesses,
            silent,
        }
    }

    /// A way out of a branch; what it says of values without a name is hidden.
    fn arm(&self, next: Next, mut events: Vec<Event>, when: Option<When>) -> Arm {
        let temporary = |e: &Event| match e {
            Event::Test(o, ..) => self.linked.objects[o.index()].temporary,
            _ => false,
        };
        let hidden = events.iter().copied().filter(temporary).collect();
        events.retain(|e| !temporary(e));
        Arm { next, events, hidden, when }
    }
}
