//! Where control goes by name or by nesting: labels, `goto`, `break`, and the cleanups on the way.

use super::Walker;
use super::calls::Open;
use super::code::{Ins, Label};
use super::switches::Switch;
use super::tasks::Task;
use super::text::Text;
use crate::Place;
use crate::objects::{FuncId, ObjectId, Reach};
use crate::skeleton::{Doing, Event};
use crate::tree::{ExprKind, Function, StmtId, StmtKind, Sym};
use crate::typing::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Loop {
    pub(super) break_to: Label,
    pub(super) continue_to: Option<Label>,
    pub(super) cleanups: usize,
}

/// A `goto` that runs cleanups on its way.
pub(super) struct Goto {
    pub(super) from: Label,
    pub(super) to: Sym,
    pub(super) active: Vec<(ObjectId, FuncId)>,
    pub(super) text: Text,
}

/// The places of a function that jumps go to.
#[derive(Default)]
pub(super) struct Jumps {
    pub(super) loops: Vec<Loop>,
    pub(super) switches: Vec<Switch>,
    /// Variables with the functions that clean them up at the end of their scopes.
    pub(super) cleanups: Vec<(ObjectId, FuncId)>,
    pub(super) named: FxHashMap<Sym, Label>,
    pub(super) named_order: Vec<Sym>,
    pub(super) label_cleanups: FxHashMap<Sym, Vec<(ObjectId, FuncId)>>,
    /// Gotos out of scopes with cleanups, done at the end.
    pub(super) gotos: Vec<Goto>,
    /// Computed gotos in the code.
    pub(super) computed: Vec<(usize, Place)>,
    pub(super) address_labels: Vec<Sym>,
}

impl<'a> Walker<'_, 'a> {
    pub(super) fn named_label(&mut self, sym: Sym) -> Label {
        if let Some(&label) = self.jumps.named.get(&sym) {
            return label;
        }
        let label = self.code.label();
        self.jumps.named.insert(sym, label);
        self.jumps.named_order.push(sym);
        label
    }

    /// `l: s`
    pub(super) fn labelled(&mut self, at: Place, sym: Sym, body: StmtId) {
        let unit = self.unit;
        let label = self.named_label(sym);
        if self.code.is_marked(label) {
            let message = format!("the label `{}` is there twice", unit.name(sym));
            self.warn(at, message);
        }
        self.code.mark(label);
        // A label without a point of its own would be wherever control goes next.
        let own = match &unit.stmt(body).kind {
            StmtKind::Return(_) => true,
            StmtKind::Expr(e) => {
                matches!(unit.expr(*e).kind, ExprKind::Call(..) | ExprKind::Assign(..))
            }
            _ => false,
        };
        if !own {
            let to = at.offset + unit.name(sym).len() as u32;
            let draft = self.draft(Text::up_to(at, to).with(":"));
            self.code.push(Ins::Point(draft));
        }
        if !self.jumps.cleanups.is_empty() {
            self.jumps.label_cleanups.insert(sym, self.jumps.cleanups.clone());
        }
        self.tasks.push(Task::Stmt(body));
    }

    pub(super) fn goto(&mut self, at: Place, end: u32, sym: Sym) {
        let to = self.named_label(sym);
        if self.jumps.cleanups.is_empty() {
            self.code.push(Ins::Jump(to));
        } else {
            let from = self.code.label();
            let text = Text::up_to(at, end);
            let active = self.jumps.cleanups.clone();
            self.jumps.gotos.push(Goto { from, to: sym, active, text });
            self.code.push(Ins::Jump(from));
        }
    }

    /// `break` and `continue`
    pub(super) fn leave_loop(&mut self, at: Place, end: u32, is_break: bool) {
        let target = self.jumps.loops.last().and_then(|l| {
            let to = if is_break { Some(l.break_to) } else { l.continue_to };
            to.map(|to| (to, l.cleanups))
        });
        match target {
            Some((to, cleanups)) => {
                // A `switch` in a loop: `continue` leaves both.
                let cleanups = match is_break {
                    true => cleanups,
                    false => self
                        .jumps
                        .loops
                        .iter()
                        .find(|l| l.continue_to == Some(to))
                        .map_or(cleanups, |l| l.cleanups),
                };
                let text = Text::up_to(at, end);
                self.run_cleanups(cleanups, text);
                self.code.push(Ins::Jump(to));
            }
            None => self.warn(at, "`break` or `continue` outside a loop".to_owned()),
        }
    }

    pub(super) fn end_scope(&mut self, names: usize, cleanups: usize, text: Text) {
        if self.jumps.cleanups.len() > cleanups {
            self.flush(text);
            self.run_cleanups(cleanups, text);
            self.jumps.cleanups.truncate(cleanups);
        }
        self.scope.back_to(names);
    }

    pub(super) fn run_cleanups(&mut self, down_to: usize, text: Text) {
        for i in (down_to..self.jumps.cleanups.len()).rev() {
            let (o, f) = self.jumps.cleanups[i];
            self.cleanup_call(o, f, text);
        }
    }

    fn cleanup_call(&mut self, o: ObjectId, f: FuncId, text: Text) {
        let address = self.part(Reach::Address(o), None);
        self.emit(Event::Address(o));
        self.access(Doing::Address, Some(o), self.declared_type(o));
        self.point.calls += 1;
        self.point.open = Some(Open {
            targets: vec![f],
            args: vec![address],
            arg_data: vec![None],
            arg_values: vec![address],
            arg_types: vec![self.object_type(o).map_or(Ty::Unknown, Ty::PointerTo)],
            callee: self.linked.funcs[f.index()].ty.map_or(Ty::Unknown, Ty::At),
            stops: self.linked.funcs[f.index()].noreturn,
            ..Open::new(self.point.calls, text)
        });
        self.close_call();
    }

    /// At the end of the function: what could not be said before all its labels were known.
    pub(super) fn finish_jumps(&mut self, f: &Function) {
        for Goto { from, to: label, active, text } in std::mem::take(&mut self.jumps.gotos) {
            self.code.mark(from);
            let kept = self.jumps.label_cleanups.get(&label).cloned().unwrap_or_default();
            let common = active.iter().zip(&kept).take_while(|(a, b)| a == b).count();
            for &(o, f) in active[common..].iter().rev() {
                self.cleanup_call(o, f, text);
            }
            let to = self.named_label(label);
            self.code.push(Ins::Jump(to));
        }
        self.undefined_labels(f);
        self.computed_gotos();
    }

    /// They go to labels whose addresses are taken; to any, if there are none.
    fn computed_gotos(&mut self) {
        let mut syms = self.jumps.address_labels.clone();
        if syms.is_empty() {
            syms.clone_from(&self.jumps.named_order);
        }
        let mut seen = FxHashSet::default();
        syms.retain(|s| seen.insert(*s));
        let targets: Vec<Label> =
            syms.iter().filter_map(|s| self.jumps.named.get(s).copied()).collect();
        for (i, at) in std::mem::take(&mut self.jumps.computed) {
            if let Ins::Branch(_, arms) = &mut self.code.ins[i] {
                *arms = targets.iter().map(|&l| (l, Vec::new(), None)).collect();
            }
            if self.jumps.address_labels.is_empty() {
                let where_to = match targets[..] {
                    [] => "it goes nowhere",
                    _ => "it may go to any label",
                };
                let message = format!(
                    "no label of this function has its address taken, for a computed `goto`; {where_to}"
                );
                self.warn(at, message);
            }
        }
    }

    fn undefined_labels(&mut self, f: &Function) {
        for sym in self.jumps.named_order.clone() {
            let label = self.jumps.named[&sym];
            if !self.code.is_marked(label) {
                let message =
                    format!("`goto` to the label `{}`, which is not there", self.unit.name(sym));
                self.warn(f.at, message);
                self.code.mark(label);
                self.code.push(Ins::Stop);
            }
        }
    }

    /// What is supposed of assembler is said once.
    fn tell_assembler(&mut self, empty: bool, at: Place) {
        let message = "assembler is taken to go on, and to write what it says that it writes";
        if !empty && self.linked.warnings.iter().all(|w| w.diagnostic.message != message) {
            self.warn(at, message.to_owned());
        }
    }

    /// The point of an `asm`, or of a computed `goto`.
    pub(super) fn asm_end(&mut self, s: StmtId) {
        let unit = self.unit;
        let stmt = unit.stmt(s);
        let text = Text::up_to(stmt.at, stmt.end);
        self.close_call();
        if let StmtKind::Asm(asm) = &stmt.kind {
            self.tell_assembler(asm.empty, stmt.at);
        }
        match &stmt.kind {
            StmtKind::Asm(asm) if !asm.labels.is_empty() => {
                if asm.memory {
                    self.emit(Event::Store);
                    self.access(Doing::Write, None, Ty::Unknown);
                }
                self.settle(text);
                let next = self.code.label();
                let mut arms = vec![(next, Vec::new(), None)];
                for &sym in &asm.labels {
                    let label = self.named_label(sym);
                    arms.push((label, Vec::new(), None));
                }
                let draft = self.draft(text);
                self.code.push(Ins::Branch(draft, arms));
                self.code.mark(next);
            }
            StmtKind::GotoComputed(_) => {
                self.settle(text);
                let draft = self.draft(text);
                self.jumps.computed.push((self.code.here(), stmt.at));
                self.code.push(Ins::Branch(draft, Vec::new()));
            }
            StmtKind::Asm(asm) => {
                if asm.memory {
                    self.emit(Event::Store);
                    self.access(Doing::Write, None, Ty::Unknown);
                }
                self.flush(text);
            }
            _ => self.flush(text),
        }
    }
}
