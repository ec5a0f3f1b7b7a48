//! The point that is being gathered: its events and values, until it is complete.

use super::Walker;
use super::calls::Open;
use super::code::{Draft, Ins};
use super::text::Text;
use super::values::{Val, What};
use crate::objects::{ObjectId, Reach};
use crate::skeleton::{DataId, Doing, Event};
use crate::typing::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// What belongs to the next point.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) events: Vec<Event>,
    pub(super) hidden: Vec<Event>,
    pub(super) values: Vec<(ObjectId, Option<DataId>)>,
    /// What the return under way returns.
    pub(super) returned: Option<DataId>,
    pub(super) open: Option<Open>,
    /// Counts calls.
    pub(super) calls: u32,
    /// Counts full expressions ([`crate::Point::statement`]).
    pub(super) statement: u32,
    /// How many statement expressions are around.
    pub(super) inside: u32,
}

impl<'a> Walker<'_, 'a> {
    /// Inside of a statement expression, all is part of the expression around it.
    pub(super) fn fresh(&mut self) {
        self.point.statement += u32::from(self.point.inside == 0);
    }

    pub(super) fn emit(&mut self, event: Event) {
        if self.point.open.is_some() {
            self.close_call();
        }
        self.point.events.push(event);
    }

    pub(super) fn draft(&mut self, text: Text) -> Draft {
        let mut events = std::mem::take(&mut self.point.events);
        if events.len() > 1 {
            let mut seen = FxHashSet::default();
            events.retain(|e| seen.insert(*e));
        }
        let mut values = std::mem::take(&mut self.point.values);
        if values.len() > 1 {
            // A variable that is written twice, as nobody should, has either value.
            let mut times: FxHashMap<ObjectId, u32> = FxHashMap::default();
            for (o, _) in &values {
                *times.entry(*o).or_default() += 1;
            }
            for (o, value) in &mut values {
                if times[o] > 1 {
                    *value = None;
                }
            }
            let mut seen = FxHashSet::default();
            values.retain(|(o, _)| seen.insert(*o));
        }
        let (at, text, statement) = (self.spot(text.at), self.text(text), self.point.statement);
        let hidden = std::mem::take(&mut self.point.hidden);
        let returned = self.point.returned.take();
        let accesses = self.code.take_accesses();
        Draft { at, text, events, hidden, values, returned, statement, accesses, test: None }
    }

    pub(super) fn close_call(&mut self) {
        let Some(mut open) = self.point.open.take() else { return };
        let mut draft = self.draft(open.text);
        if let Some(said) = open.said.take() {
            draft.text = said;
        }
        let stops = open.stops;
        self.code.push(Ins::Call(draft, Box::new(open)));
        if stops {
            self.code.push(Ins::Stop);
        }
    }

    /// Completes the point that is being gathered, if there is anything in it.
    pub(super) fn flush(&mut self, text: Text) {
        self.close_call();
        if !self.point.events.is_empty() || !self.point.values.is_empty() {
            let draft = self.draft(text);
            self.code.push(Ins::Point(draft));
        } else {
            self.code.silence();
        }
    }

    /// Before a branch: assignments, and calls, are points of their own.
    pub(super) fn settle(&mut self, text: Text) {
        self.close_call();
        if !self.point.values.is_empty() {
            self.flush(text);
        }
    }

    /// The events of reading an object: its parts and what it is reached through.
    pub(super) fn read(&mut self, o: ObjectId) {
        let mut o = o;
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var => {
                    self.emit(Event::Use(o));
                    return;
                }
                Reach::Field(base) => {
                    self.emit(Event::Use(o));
                    o = base;
                }
                Reach::Arrow(base) | Reach::Deref(base) => {
                    self.emit(Event::Use(o));
                    self.emit(Event::Deref(base));
                    o = base;
                }
                Reach::Cell(base) => o = base,
                Reach::Address(base) => {
                    let ty = self.declared_type(base);
                    self.address_events(base, ty);
                    return;
                }
            }
        }
    }

    /// Getting hold of an lvalue: pointers on the way are read.
    pub(super) fn reach(&mut self, target: ObjectId) {
        let mut o = target;
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var | Reach::Address(_) => break,
                Reach::Field(base) | Reach::Cell(base) => o = base,
                Reach::Arrow(base) | Reach::Deref(base) => {
                    self.emit(Event::Deref(base));
                    self.read(base);
                    break;
                }
            }
        }
        self.follow(target);
    }

    /// The events of writing to an object that was reached before.
    pub(super) fn write_events(&self, o: ObjectId) -> Vec<Event> {
        let mut out = Vec::new();
        let mut o = o;
        let mut whole = true;
        loop {
            let reach = self.linked.objects[o.index()].reach;
            match reach {
                Reach::Cell(base) => {
                    whole = false;
                    o = base;
                    continue;
                }
                _ if whole => out.push(Event::Assign(o)),
                _ => out.push(Event::Modify(o)),
            }
            match reach {
                Reach::Field(base) => {
                    whole = false;
                    o = base;
                }
                Reach::Arrow(_) | Reach::Deref(_) => {
                    out.push(Event::Store);
                    return out;
                }
                _ => return out,
            }
        }
    }

    /// Writes to an object, as what type, and with the value if it is known.
    pub(super) fn write(&mut self, o: ObjectId, ty: Ty, value: Option<DataId>) {
        self.access(Doing::Write, Some(o), ty);
        let events = self.write_events(o);
        self.point.events.extend(events);
        let object = &self.linked.objects[o.index()];
        if (object.element.is_some() || object.varied) && matches!(object.reach, Reach::Cell(_)) {
            self.point.hidden.push(Event::Assign(o));
        }
        // Values are functions of what was before the point: what it writes cannot be read.
        let value = value.filter(|&v| !self.data.reads_any(v, &self.point.values));
        let value = value.and_then(|v| self.stored(o, v));
        let (mut o, mut value) = (o, value);
        while let Reach::Field(base) | Reach::Cell(base) = self.linked.objects[o.index()].reach {
            self.point.values.push((o, value));
            value = None;
            o = base;
        }
        self.point.values.push((o, value));
    }

    /// Takes the address of an object of a type.
    pub(super) fn address_events(&mut self, base: ObjectId, ty: Ty) {
        self.reach(base);
        self.emit(Event::Address(base));
        self.access(Doing::Address, Some(base), ty);
    }

    /// Reads a value, if it was not read yet.
    pub(super) fn consume(&mut self, val: Val) {
        match val.what {
            What::Object(o) => {
                // An array stands for its address.
                if self.is_array(self.object_type(o)) {
                    self.linked.objects[o.index()].address_taken = true;
                    self.taken_root(o);
                }
                self.read(o);
                self.follow(o);
                self.access(self.doing(val.exact), Some(o), val.exact);
            }
            What::Place | What::Walked(_) => self.access(self.doing(val.exact), None, val.exact),
            What::Address(a) => {
                if let Reach::Address(base) = self.linked.objects[a.index()].reach {
                    self.address_events(base, self.linked.pointee(val.exact));
                }
            }
            _ => {}
        }
    }

    /// The value goes on in a way that is not followed.
    pub(super) fn escape(&mut self, val: Val) {
        match val.what {
            What::Call(_) => {
                if let Some(o) = self.value_object(val) {
                    self.linked.objects[o.index()].loose = true;
                }
            }
            What::Walked(o) => self.point.hidden.push(Event::Escape(o)),
            _ => self.point.hidden.extend(val.object().map(Event::Escape)),
        }
    }
}
