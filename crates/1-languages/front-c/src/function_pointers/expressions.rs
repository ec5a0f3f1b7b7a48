//! The values of expressions: rules F2, F4, F5, F6, and calls.

use super::{Callee, Class, Flows, Kind, Local, Task, Type, Val, What, keeps};
use crate::andersen::{Cell, Place, Site};
use crate::library::keeps_what_it_is_given;
use crate::link::Entity;
use crate::plain_name;
use crate::tree::{Assign, Binary, ExprId, ExprKind, StmtKind, Unary};

impl<'a> Flows<'_, 'a> {
    pub(super) fn enter(&mut self, e: ExprId) {
        let unit = self.unit;
        let kind = &unit.expr(e).kind;
        match kind {
            ExprKind::Name(sym) => {
                let val = self.name(*sym);
                self.vals[e.index()] = val;
                return;
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::SizeOfType(_)
            | ExprKind::AboutType(_)
            | ExprKind::Enumerator(_)
            | ExprKind::LabelAddress(_) => {
                self.vals[e.index()] = Val::NOTHING;
                return;
            }
            _ => {}
        }
        self.tasks.push(Task::Exit(e));
        match kind {
            ExprKind::Unary(_, x)
            | ExprKind::Field(x, _)
            | ExprKind::Arrow(x, _)
            | ExprKind::VaArg(x, _) => self.tasks.push(Task::Enter(*x)),
            ExprKind::Cast(ty, x) => {
                self.tasks.push(Task::Enter(*x));
                self.type_exprs(*ty);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Index(a, b) => self.tasks.extend([Task::Enter(*b), Task::Enter(*a)]),
            ExprKind::Conditional(c, a, b) => {
                self.tasks.push(Task::Enter(*b));
                self.tasks.extend(a.map(Task::Enter));
                self.tasks.push(Task::Enter(*c));
            }
            ExprKind::Call(f, arguments) => {
                self.tasks.extend(arguments.iter().rev().map(|&a| Task::Enter(a)));
                self.tasks.push(Task::Enter(*f));
            }
            ExprKind::Compound(ty, init) => {
                self.init_exprs(*init);
                self.type_exprs(*ty);
            }
            ExprKind::Block(s) => self.tasks.push(Task::Stmt(*s)),
            ExprKind::Generic(_, arms) => {
                self.tasks.extend(arms.iter().rev().map(|&a| Task::Enter(a)));
            }
            _ => {}
        }
    }

    pub(super) fn exit(&mut self, e: ExprId) -> Val {
        let unit = self.unit;
        let val = |s: &Self, e: ExprId| s.vals[e.index()];
        match &unit.expr(e).kind {
            ExprKind::Unary(op, x) => {
                let x = val(self, *x);
                match op {
                    Unary::Deref => self.deref(x),
                    Unary::Address => self.address(x),
                    Unary::Step { .. } => x,
                    Unary::Not => Val::NOTHING,
                    Unary::Minus | Unary::Plus | Unary::Complement | Unary::Part => {
                        self.computed(x, Val::NOTHING)
                    }
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (val(self, *a), val(self, *b));
                match op {
                    Binary::And
                    | Binary::Or
                    | Binary::Eq
                    | Binary::Ne
                    | Binary::Lt
                    | Binary::Gt
                    | Binary::Le
                    | Binary::Ge => Val::NOTHING,
                    _ => self.computed(a, b),
                }
            }
            ExprKind::Assign(op, to, from) => {
                let (to, from) = (val(self, *to), val(self, *from));
                // `p += 1` points where `p` did.
                if *op == Assign::Plain || !matches!(self.kind(to.ty), Kind::Pointer(_)) {
                    self.assign(to, from);
                }
                to
            }
            ExprKind::Conditional(c, a, b) => {
                let (a, b) = (val(self, a.unwrap_or(*c)), val(self, *b));
                self.merge(&[a, b])
            }
            ExprKind::Comma(_, b) => val(self, *b),
            ExprKind::Call(f, arguments) => self.call(e, *f, arguments),
            ExprKind::Index(a, i) => {
                let (a, i) = (val(self, *a), val(self, *i));
                // `i[a]`
                let pointer =
                    |v: Val| matches!(self.kind(v.ty), Kind::Pointer(_) | Kind::Array(..));
                let base = if pointer(i) && !pointer(a) { i } else { a };
                self.deref(base)
            }
            ExprKind::Field(x, name) => {
                let ty = val(self, *x).ty;
                self.member(ty, *name)
            }
            ExprKind::Arrow(x, name) => {
                let ty = match self.kind(val(self, *x).ty) {
                    Kind::Pointer(to) | Kind::Array(to, _) => to,
                    _ => Type::Unknown,
                };
                self.member(ty, *name)
            }
            ExprKind::Cast(ty, x) => {
                let x = val(self, *x);
                self.cast(Type::of(self.u, *ty), x)
            }
            ExprKind::Compound(ty, init) => {
                let to = self.new_object(Type::of(self.u, *ty));
                self.init(to, *init);
                to
            }
            ExprKind::Block(s) => {
                let StmtKind::Block(body, _) = &unit.stmt(*s).kind else { return Val::NOTHING };
                match body.last().map(|s| &unit.stmt(*s).kind) {
                    Some(StmtKind::Expr(x)) => val(self, *x),
                    _ => Val::NOTHING,
                }
            }
            ExprKind::VaArg(_, ty) => Val::new(What::Unknown, Type::of(self.u, *ty)),
            ExprKind::Generic(_, arms) => {
                let arms: Vec<Val> = arms.iter().map(|&a| val(self, a)).collect();
                self.merge(&arms)
            }
            _ => Val::NOTHING,
        }
    }

    pub(super) fn deref(&mut self, x: Val) -> Val {
        let (what, ty) = match self.kind(x.ty) {
            Kind::Function(_) => return x,
            Kind::Pointer(to) => match (self.kind(to), x.what) {
                (Kind::Function(_), _) => (x.what, to),
                (_, What::Into(cell)) => (What::Cell(cell), to),
                (Kind::Unknown, What::Cell(cell)) => (self.somewhere(cell), to),
                _ => (What::Unknown, to),
            },
            Kind::Array(element, _) => match x.what {
                What::Cell(cell) | What::Into(cell) => (What::Cell(cell), element),
                _ => (What::Unknown, element),
            },
            Kind::Unknown => match x.what {
                What::Into(cell) => (What::Cell(cell), Type::Unknown),
                What::Cell(cell) => (self.somewhere(cell), Type::Unknown),
                _ => (What::Unknown, Type::Unknown),
            },
            Kind::Void | Kind::Data | Kind::Record(..) => (What::Unknown, Type::Data),
        };
        Val::new(what, ty)
    }

    /// `*x` for an `x` of which it is not known whether it is a function or points to memory.
    pub(super) fn somewhere(&mut self, x: Cell) -> What {
        let cell = self.c.cell();
        self.c.flow(x, cell);
        self.expose(cell);
        What::Cell(cell)
    }

    pub(super) fn address(&mut self, x: Val) -> Val {
        if let Kind::Function(_) = self.kind(x.ty) {
            return x;
        }
        let what = match x.what {
            What::Cell(cell) => What::Into(cell),
            What::Into(cell) => {
                self.expose(cell);
                What::Unknown
            }
            _ => What::Unknown,
        };
        // Of an unknown type, it could be a function.
        if let (Type::Unknown, What::Into(cell)) = (x.ty, what) {
            self.expose(cell);
            return x;
        }
        Val::new(what, x.ty.pointer())
    }

    /// The result of arithmetic.
    pub(super) fn computed(&mut self, a: Val, b: Val) -> Val {
        for x in [a, b] {
            match self.kind(x.ty) {
                Kind::Pointer(_) => return Val { from: Type::Unknown, ..x },
                Kind::Array(element, _) => {
                    return match x.what {
                        What::Cell(cell) | What::Into(cell) => {
                            Val::new(What::Into(cell), element.pointer())
                        }
                        what => Val::new(what, element.pointer()),
                    };
                }
                _ => {}
            }
        }
        match (a.what, b.what) {
            (What::Nothing, What::Nothing) => Val::NOTHING,
            (What::Cell(_) | What::Into(_), _) | (_, What::Cell(_) | What::Into(_)) => {
                let val = self.merge(&[a, b]);
                Val { ty: Type::Unknown, ..val }
            }
            _ => Val::new(What::Unknown, Type::Data),
        }
    }

    pub(super) fn cast(&mut self, ty: Type, x: Val) -> Val {
        let from = if x.from == Type::Unknown { x.ty } else { x.from };
        self.pun(ty, from);
        let what = match self.class(ty) {
            Class::Followed => match x.what {
                // Where both are in one expression, anything goes.
                What::Nothing if self.is_function(ty) && self.is_plain(x.from) => What::Unknown,
                What::Unknown if !self.is_function(ty) && self.is_plain(x.ty) => What::Nothing,
                What::Into(cell) => {
                    self.expose(cell);
                    What::Unknown
                }
                What::Cell(cell) if self.is_array(x.ty) => {
                    self.expose(cell);
                    What::Unknown
                }
                what => what,
            },
            Class::Data | Class::Record => {
                // `*(void **) &f`
                let followed = match self.kind(ty) {
                    Kind::Pointer(to) => self.class(to) == Class::Followed,
                    _ => false,
                };
                match x.what {
                    What::Into(cell) if followed => What::Into(cell),
                    What::Nothing => What::Nothing,
                    _ if self.kind(ty) == Kind::Void => What::Nothing,
                    _ => {
                        self.assign(Val::new(What::Unknown, ty), x);
                        What::Unknown
                    }
                }
            }
        };
        // What it is cast to says less, if it is no record.
        let from = match self.record_behind(ty) {
            Some(_) => Type::Unknown,
            None => from,
        };
        Val { what, ty, from }
    }

    // Calls.

    pub(super) fn callee(&mut self, e: ExprId) -> Callee {
        let mut e = e;
        loop {
            match self.unit.expr(e).kind {
                ExprKind::Unary(Unary::Deref | Unary::Address, x) => e = x,
                ExprKind::Name(sym) => {
                    return match self.env.get(&sym) {
                        Some(Local::Func(f)) => Callee::Func(*f),
                        Some(Local::Val(val)) => match self.kind(val.ty) {
                            // Declared in a block, and nowhere else.
                            Kind::Function(_) if val.what == What::Unknown => Callee::Undeclared,
                            _ => Callee::Pointer,
                        },
                        None => {
                            let entity = self.linked.scopes[self.u].get(&sym).copied();
                            let name = self.unit.name(sym);
                            match entity.or_else(|| self.linked.extern_named(name)) {
                                Some(Entity::Func(f)) => Callee::Func(f),
                                Some(_) => Callee::Pointer,
                                None => Callee::Undeclared,
                            }
                        }
                    };
                }
                _ => return Callee::Pointer,
            }
        }
    }

    pub(super) fn call(&mut self, e: ExprId, f: ExprId, arguments: &[ExprId]) -> Val {
        let args: Vec<Val> = arguments.iter().map(|a| self.vals[a.index()]).collect();
        let f = match self.callee(f) {
            Callee::Func(f) => f,
            Callee::Undeclared => {
                let name = match self.unit.expr(f).kind {
                    ExprKind::Name(sym) => self.unit.name(sym),
                    _ => "",
                };
                match (name, &args[..]) {
                    (
                        "__builtin_expect"
                        | "__builtin_expect_with_probability"
                        | "__builtin_assume_aligned",
                        [first, ..],
                    ) => return *first,
                    ("__builtin_choose_expr", [_, a, b]) => return self.merge(&[*a, *b]),
                    _ => {}
                }
                self.outside(name, &args);
                return Val::UNKNOWN;
            }
            Callee::Pointer => return self.call_pointer(e, f, &args),
        };
        let func = &self.linked.funcs[f.index()];
        if func.body.is_some() {
            for (i, &arg) in args.iter().enumerate() {
                let to = self.slot(f, Some(i));
                self.assign(to, arg);
            }
            return self.slot(f, None);
        }
        let ty = func.ty.map_or(Type::Unknown, |t| Type::At(t, 0));
        let name = func.name.clone();
        self.outside(&name, &args);
        let Kind::Function(ty) = self.kind(ty) else { return Val::UNKNOWN };
        if !keeps(&name) {
            // New memory, or a place in an argument; but never a function.
            return match self.class(ty) {
                Class::Followed => Val::new(What::Nothing, ty),
                _ => Val::new(What::Unknown, ty),
            };
        }
        self.give(ty);
        Val::new(What::Unknown, ty)
    }

    /// F7, and F8 for what copies memory.
    pub(super) fn outside(&mut self, name: &str, args: &[Val]) {
        let from = |v: &Val| if v.from == Type::Unknown { v.ty } else { v.from };
        let keeps = keeps(name);
        // `%p` makes a text of it, and `sscanf` brings it back.
        let prints = plain_name(name).contains("printf");
        // The compiler's own exchange values in memory, and look at nothing else.
        let atomic = name.starts_with("__sync_") || name.starts_with("__atomic_");
        let gives = !atomic && !keeps_what_it_is_given(plain_name(name));
        if let (
            "memcpy" | "memmove" | "mempcpy" | "memccpy" | "wmemcpy" | "wmemmove" | "bcopy",
            [a, b, ..],
        ) = (plain_name(name), args)
        {
            self.pun(from(a), from(b));
        }
        for arg in args {
            let place = self.source(*arg);
            if let Place::Cell(cell) = place
                && (keeps || prints)
            {
                self.c.escape(cell);
            }
            if keeps && gives {
                self.give(from(arg));
            }
        }
    }

    pub(super) fn call_pointer(&mut self, e: ExprId, f: ExprId, args: &[Val]) -> Val {
        let f = self.vals[f.index()];
        let ty = match f.ty {
            Type::At(ty, _) => Some(ty),
            _ => None,
        };
        let result = match self.kind(f.ty) {
            Kind::Function(result) => result,
            Kind::Pointer(to) => match self.kind(to) {
                Kind::Function(result) => result,
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        };
        let fits = self.linked.fitting_list(ty, args.len());
        let callee = self.source(f);
        let args = args.iter().map(|&a| self.source(a)).collect();
        let to = self.new_object(result);
        let cell = match to.what {
            What::Cell(cell) => Some(cell),
            _ => None,
        };
        let site = self.c.site(Site { callee, args, result: cell, fits });
        self.sites.push(((self.u as u32, e), site));
        to
    }
}
