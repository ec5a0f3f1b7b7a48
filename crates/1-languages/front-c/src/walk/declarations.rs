//! Declarations within functions, and initialisers.

use super::Walker;
use super::assignments::Target;
use super::tasks::Task;
use super::text::Text;
use crate::link::{Entity, scalar_initialiser};
use crate::said::closed;
use crate::tree::{Declaration, ExprKind, Init, InitId, Storage, TypeId, TypeKind};

impl<'a> Walker<'_, 'a> {
    pub(super) fn declare(&mut self, d: &'a Declaration) {
        let unit = self.unit;
        let name = unit.name(d.name);
        let ty = self.type_ref(d.ty);
        if self.is_function(ty) {
            let f = match self.linked.scopes[self.u].get(&d.name) {
                Some(Entity::Func(f)) => *f,
                _ => self.linked.extern_function(name),
            };
            let func = &mut self.linked.funcs[f.index()];
            func.noreturn |= d.attributes.noreturn;
            func.ty = func.ty.or(ty);
            self.scope.bind(d.name, Entity::Func(f));
            return;
        }
        match d.storage {
            Storage::Extern => {
                let o = match self.linked.scopes[self.u].get(&d.name) {
                    Some(Entity::Object(o)) => *o,
                    _ => self.linked.extern_object(self.u, d),
                };
                self.scope.bind(d.name, Entity::Object(o));
                return;
            }
            Storage::Static => {
                let o = self.local(d.name, d.ty, d.at, false);
                self.scope.bind(d.name, Entity::Object(o));
                if let Some(init) = d.init {
                    let value = scalar_initialiser(unit, init).and_then(|e| self.constant(e));
                    let to = self.linked.objects[o.index()].scalar;
                    let value = value.zip(to).and_then(|(v, to)| v.convert(to, &unit.model));
                    let number = value.and_then(|v| i64::try_from(v.number()).ok());
                    self.shared.initial.push((o, number));
                    self.addresses_in(init);
                }
                return;
            }
            _ => {}
        }
        let o = self.local(d.name, d.ty, d.at, true);
        self.scope.bind(d.name, Entity::Object(o));
        let cleanup = d.attributes.cleanup.map(|f| {
            let f = match self.lookup(f) {
                Some(Entity::Func(f)) => f,
                _ => self.linked.extern_function(unit.name(f)),
            };
            self.linked.objects[o.index()].address_taken = true;
            Task::Cleanup(o, f)
        });
        self.tasks.extend(cleanup);
        if let Some(init) = d.init {
            // `int x = { 5 };`
            let scalar = self.linked.objects[o.index()].scalar.filter(|_| !self.is_array(ty));
            let braced = scalar.and_then(|_| scalar_initialiser(unit, init));
            let only = match unit.inits[init.index()] {
                Init::Expr(e) => Some(e),
                Init::List(_) => braced,
            };
            match only {
                Some(e) => {
                    let to = closed(unit, d.at.offset, unit.expr(e).end);
                    let text = Text::up_to(d.at, to);
                    self.later([
                        Task::Into(e, Target { object: o, ty: self.declared_type(o) }, Some(text)),
                        Task::Pop,
                        Task::Flush(text),
                    ]);
                }
                None => {
                    let to = d.at.offset + name.len() as u32;
                    let text = Text::up_to(d.at, to).with(" = { … }");
                    self.initialise(o, init, text);
                }
            }
        }
        self.sizes(d.ty);
    }

    pub(super) fn init(&mut self, init: InitId) {
        match &self.unit.inits[init.index()] {
            Init::Expr(e) => self.later([Task::Eval(*e), Task::Derive, Task::Pop]),
            Init::List(list) => {
                self.tasks.extend(list.iter().rev().map(|(_, _, init)| Task::Init(*init)));
            }
        }
    }

    /// Sizes of arrays in a type are evaluated before what has the type.
    pub(super) fn sizes(&mut self, ty: TypeId) {
        let unit = self.unit;
        let mut ty = ty;
        while let TypeKind::Array(inner, _) | TypeKind::Pointer(inner) = unit.ty(ty).kind {
            if let TypeKind::Array(_, Some(size)) = unit.ty(ty).kind
                && self.constant(size).is_none()
            {
                let text = self.whole(size);
                self.later([Task::Eval(size), Task::Consume, Task::Flush(text)]);
            }
            ty = inner;
        }
    }

    /// Initialisers of `static` variables hold addresses: of labels, and of whatever they name.
    fn addresses_in(&mut self, init: InitId) {
        let unit = self.unit;
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            let e = match &unit.inits[init.index()] {
                Init::List(list) => {
                    todo.extend(list.iter().rev().map(|(_, _, init)| *init));
                    continue;
                }
                Init::Expr(e) => *e,
            };
            let mut exprs = vec![e];
            while let Some(e) = exprs.pop() {
                match &unit.expr(e).kind {
                    ExprKind::LabelAddress(sym) => {
                        self.named_label(*sym);
                        self.jumps.address_labels.push(*sym);
                    }
                    ExprKind::Name(sym) => {
                        if let Some(Entity::Object(o)) = self.lookup(*sym) {
                            self.linked.objects[o.index()].address_taken = true;
                        }
                    }
                    ExprKind::Cast(_, x)
                    | ExprKind::Unary(_, x)
                    | ExprKind::Field(x, _)
                    | ExprKind::Arrow(x, _) => exprs.push(*x),
                    ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => exprs.extend([*b, *a]),
                    ExprKind::Conditional(c, a, b) => {
                        exprs.extend([*b, *c]);
                        exprs.extend(*a);
                    }
                    ExprKind::Compound(_, init) => todo.push(*init),
                    _ => {}
                }
            }
        }
    }
}
