//! Calls: who is called, and with what.

use super::Walker;
use super::code::Ins;
use super::tasks::Task;
use super::text::Text;
use super::values::{Val, What};
use crate::library::{ends_the_program, is_setjmp, library};
use crate::link::{Entity, strip};
use crate::objects::{FuncId, ObjectId, TypeRef};
use crate::said::assertion;
use crate::skeleton::plain_name;
use crate::skeleton::{Call, DataId, Event, Next};
use crate::tree::{ExprId, ExprKind, TypeKind, Unary};
use crate::typing::Ty;
use c_types::Scalar;

/// Who is called.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    Direct(FuncId),
    Pointer,
}

/// A call whose point is not complete yet.
pub(super) struct Open {
    pub(super) id: u32,
    pub(super) text: Text,
    /// What is shown instead of the text.
    pub(super) said: Option<Box<str>>,
    pub(super) targets: Vec<FuncId>,
    pub(super) indirect: bool,
    /// It may reach what is not among the targets.
    pub(super) open: bool,
    pub(super) through: Option<ObjectId>,
    pub(super) args: Vec<Option<ObjectId>>,
    pub(super) arg_data: Vec<Option<DataId>>,
    pub(super) arg_values: Vec<Option<ObjectId>>,
    pub(super) arg_types: Vec<Ty>,
    pub(super) callee: Ty,
    pub(super) result_type: Ty,
    pub(super) result: Option<ObjectId>,
    pub(super) temporary: Option<ObjectId>,
    pub(super) ty: Option<TypeRef>,
    pub(super) scalar: Option<Scalar>,
    pub(super) is_whole: bool,
    pub(super) result_events: Vec<Event>,
    pub(super) stops: bool,
    pub(super) setjmp: bool,
}

impl Open {
    /// A call of nobody, with nothing.
    pub(super) fn new(id: u32, text: Text) -> Open {
        Open {
            id,
            text,
            said: None,
            targets: Vec::new(),
            indirect: false,
            open: false,
            through: None,
            args: Vec::new(),
            arg_data: Vec::new(),
            arg_values: Vec::new(),
            arg_types: Vec::new(),
            callee: Ty::Unknown,
            result_type: Ty::Unknown,
            result: None,
            temporary: None,
            ty: None,
            scalar: None,
            is_whole: false,
            result_events: Vec::new(),
            stops: false,
            setjmp: false,
        }
    }

    /// The call, complete, with where it comes back to.
    pub(super) fn call(self, next: Next) -> Call {
        Call {
            targets: self.targets,
            indirect: self.indirect,
            open: self.open,
            through: self.through,
            args: self.args,
            arg_data: self.arg_data,
            arg_values: self.arg_values,
            arg_types: self.arg_types,
            callee: self.callee,
            result_type: self.result_type,
            result: self.result,
            gives: self.scalar.filter(|_| self.is_whole),
            temporary: self.temporary,
            result_events: self.result_events,
            next: if self.stops { Next::Stop } else { next },
        }
    }
}

impl<'a> Walker<'_, 'a> {
    /// The function that is called by name, through any number of `*` and `&`.
    fn direct(&mut self, e: ExprId) -> Option<FuncId> {
        let mut e = e;
        loop {
            match self.unit.expr(e).kind {
                ExprKind::Unary(Unary::Deref | Unary::Address, x) => e = x,
                ExprKind::Name(sym) => {
                    return match self.lookup(sym) {
                        Some(Entity::Func(f)) => Some(f),
                        Some(_) => None,
                        None => {
                            let unit = self.unit;
                            let f = self.linked.extern_function(unit.name(sym));
                            self.linked.scopes[self.u].insert(sym, Entity::Func(f));
                            Some(f)
                        }
                    };
                }
                _ => return None,
            }
        }
    }

    pub(super) fn call(&mut self, e: ExprId, f: ExprId, arguments: &'a [ExprId]) {
        let direct = self.direct(f);
        let name = direct.map_or("", |f| self.linked.funcs[f.index()].name.as_str());
        let first = arguments.first().copied();
        match (name, first) {
            (
                "__builtin_expect"
                | "__builtin_expect_with_probability"
                | "__builtin_assume_aligned",
                Some(first),
            ) => {
                self.later([Task::Eval(first), Task::Rvalue]);
                return;
            }
            ("__builtin_constant_p" | "__builtin_object_size", _) => {
                self.push(Val::other(None));
                return;
            }
            ("__builtin_unreachable", _) => {
                let text = self.whole(e);
                self.flush(text);
                self.code.push(Ins::Stop);
                self.push(Val::other(None));
                return;
            }
            ("__builtin_choose_expr", Some(first)) if arguments.len() == 3 => {
                let unit = self.unit;
                let void = |a: ExprId| {
                    matches!(unit.expr(a).kind, ExprKind::Cast(ty, _)
                        if matches!(unit.ty(strip(unit, ty)).kind, TypeKind::Void))
                };
                // What has no value is there to be an error if it is chosen.
                let chosen = match self.constant(first) {
                    Some(c) => Some(if c.truth() { 1 } else { 2 }),
                    None if void(arguments[2]) => Some(1),
                    None if void(arguments[1]) => Some(2),
                    None => None,
                };
                if let Some(chosen) = chosen {
                    self.tasks.push(Task::Eval(arguments[chosen]));
                    return;
                }
            }
            _ => {}
        }
        // What was evaluated so far is a point of its own.
        let text = self.whole(e);
        self.flush(text);
        if direct.is_some_and(|f| self.only_borrows(f)) {
            arguments.iter().for_each(|&a| self.lend(a));
        }
        let callee = match direct {
            Some(f) => Callee::Direct(f),
            None => Callee::Pointer,
        };
        self.tasks.push(Task::CallEnd(e, callee));
        self.tasks.extend(arguments.iter().rev().map(|&a| Task::Eval(a)));
        if direct.is_none() {
            self.tasks.push(Task::Eval(f));
        }
    }

    /// Whether a function is one of the library that keeps and frees none of its arguments.
    fn only_borrows(&self, f: FuncId) -> bool {
        let func = &self.linked.funcs[f.index()];
        let name = plain_name(&func.name);
        let takes = name.contains("free") || name.starts_with("realloc");
        func.body.is_none() && library(name).is_some() && !takes
    }

    /// The functions that a call through a pointer may reach, and whether there may be others.
    pub(super) fn targets(
        &mut self,
        e: ExprId,
        ty: Option<TypeRef>,
        arguments: usize,
    ) -> (Vec<FuncId>, bool) {
        let known = self.resolved.get(self.u, e);
        if !self.resolved.records
            && self.shared.by_type.is_none()
            && !std::mem::replace(&mut self.shared.by_type_said, true)
        {
            let message = "records that pass through `void *` and come out as others are not followed, \
                           nor are the functions in them";
            self.warn(self.unit.expr(e).at, message.to_owned());
        }
        let fitting = self.linked.fitting(ty, arguments);
        let found: Vec<FuncId> = match known {
            Some(known) => known.funcs.clone(),
            None => fitting.to_vec(),
        };
        let message = if fitting.is_empty() && found.is_empty() {
            "no function fits this call through a pointer; it is an event only"
        } else if found.is_empty() {
            "no function of the program is known to be in this pointer; its call is an event only"
        } else if known.is_some_and(|k| k.unknown) {
            "where this pointer comes from is not followed; the call may reach any function of a \
             fitting type whose address is given away"
        } else {
            if let Some(why) = self.shared.by_type
                && !std::mem::replace(&mut self.shared.by_type_said, true)
            {
                let message = format!(
                    "calls through pointers may reach any function of a fitting type: {why}"
                );
                self.warn(self.unit.expr(e).at, message);
            }
            return (found, self.shared.by_type.is_some());
        };
        self.warn(self.unit.expr(e).at, message.to_owned());
        (found, true)
    }

    pub(super) fn call_end(&mut self, e: ExprId, callee: Callee) {
        let unit = self.unit;
        let ExprKind::Call(_, arguments) = &unit.expr(e).kind else { return };
        let first = self.vals.len() - arguments.len();
        let vals: Vec<Val> = self.vals.drain(first..).collect();
        let pointer = matches!(callee, Callee::Pointer).then(|| self.pop());
        self.close_call();
        if !self.point.values.is_empty() {
            let text = self.whole(e);
            self.flush(text);
        }
        for val in pointer.iter().chain(&vals) {
            self.consume(*val);
        }
        let args: Vec<Option<ObjectId>> = vals.iter().map(Val::object).collect();
        let arg_values = vals.iter().map(|&v| self.value_object(v)).collect();
        let arg_data = arguments.iter().map(|&a| self.value(a)).collect();
        self.close_call();
        let (targets, open, ty, callee) = match (callee, pointer) {
            (Callee::Direct(f), _) => {
                let func = &self.linked.funcs[f.index()];
                (vec![f], func.twice, func.ty, func.ty.map_or(Ty::Unknown, Ty::At))
            }
            (Callee::Pointer, pointer) => {
                let ty = pointer.and_then(|p| p.ty);
                let (targets, open) = self.targets(e, ty, arguments.len());
                (targets, open, ty, pointer.map_or(Ty::Unknown, |p| p.exact))
            }
        };
        let funcs = &self.linked.funcs;
        let stops = !targets.is_empty() && targets.iter().all(|f| funcs[f.index()].noreturn);
        let ends = targets.iter().any(|f| {
            let func = &funcs[f.index()];
            func.body.is_none() && ends_the_program(&func.name)
        });
        let setjmp = targets.iter().any(|f| is_setjmp(&funcs[f.index()].name));
        let constant = match targets[..] {
            [f] => funcs[f.index()].constant,
            _ => None,
        };
        // Failed assertions are shown as they were written, not as the macro expands.
        let failed = matches!(targets[..], [f] if funcs[f.index()].name == "__assert_fail");
        let said = arguments.first().filter(|_| failed).and_then(|&a| assertion(unit, a));
        if ends {
            self.point.events.push(Event::Exit);
        }
        self.point.calls += 1;
        self.point.open = Some(Open {
            said,
            indirect: pointer.is_some(),
            open,
            through: pointer.and_then(|p| p.object()),
            targets,
            args,
            arg_data,
            arg_values,
            arg_types: vals.iter().map(|v| v.exact).collect(),
            callee,
            ty: self.result_type(ty),
            scalar: self.scalar_at(self.result_type(ty)),
            stops,
            setjmp,
            ..Open::new(self.point.calls, self.whole(e))
        });
        if stops {
            self.close_call();
        }
        let ty = self.result_type(ty);
        self.push(Val { constant, ..Val::new(What::Call(self.point.calls), ty) });
    }
}
