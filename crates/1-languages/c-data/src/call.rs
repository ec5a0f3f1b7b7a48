//! Calls: of functions, through pointers, and of what the compiler has built in.

use crate::lower::{Entity, Lowered, Lowerer, Op};
use crate::place::{Place, Where};
use crate::program::{BinOp, Call, Callee, End, ExprId, ExprKind, Home, Root, StmtKind};
use c_types::{FloatKind, IntKind, Kind, Length, Signature, Ty};
use front_c::ExprKind as Tree;

impl Lowerer<'_> {
    /// A name that nobody declared.
    pub(crate) fn unknown_name(&mut self, name: &str) -> Lowered<Place> {
        if let "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" = name {
            let mut bytes = self.f.name.clone().into_bytes();
            bytes.push(0);
            let char = self.types.int(IntKind::Char);
            let char = self.types.qualified(char, true, false);
            let ty = self.types.of(Kind::Array(char, Length::Known(bytes.len() as u64)));
            let object = self.string_object(bytes, 1, ty);
            let (ty, _, address) = self.entity(Entity::Object(object));
            if let Some(address) = address {
                return Ok(Place { at: Where::Memory(address), ty });
            }
        }
        let id = self.implicit(name);
        let (ty, _, address) = self.entity(id);
        match address {
            Some(address) if matches!(self.types.kind(ty), Kind::Function(_)) => {
                Ok(Place { at: Where::Memory(address), ty })
            }
            _ => self.gap(format!("`{name}` is not declared")),
        }
    }

    /// The function of a name that nobody declared: the library's, or one that returns `int`.
    fn implicit(&mut self, name: &str) -> Entity {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        if let Some(found) = self.externs.get(name).or_else(|| self.externs.get(plain)) {
            return *found;
        }
        let result = self.int_type();
        let plainly = Signature { result, params: Vec::new(), variadic: false, unprototyped: true };
        let builtin = name != plain;
        let signature = self.like_double(plain).filter(|_| builtin).unwrap_or(plainly);
        let ty = self.types.of(Kind::Function(signature));
        let id = self.new_function(name, ty, self.u < self.own);
        self.externs.insert(name.to_owned(), Entity::Function(id));
        Entity::Function(id)
    }

    /// The signature of a function on `float` or `long double` of which the library has the one on `double`.
    fn like_double(&mut self, name: &str) -> Option<Signature> {
        let (base, kind) = match (name.strip_suffix('f'), name.strip_suffix('l')) {
            (Some(base), _) => (base, FloatKind::Float),
            (_, Some(base)) => (base, FloatKind::LongDouble),
            _ => return None,
        };
        let Some(Entity::Function(id)) = self.externs.get(base).copied() else { return None };
        let mut signature = self.types.signature(self.functions[id.index()].ty)?.clone();
        let (double, other) =
            (self.types.of(Kind::Float(FloatKind::Double)), self.types.of(Kind::Float(kind)));
        let all = std::iter::once(&mut signature.result).chain(&mut signature.params);
        let mut changed = false;
        for ty in all.filter(|ty| **ty == double) {
            *ty = other;
            changed = true;
        }
        changed.then_some(signature)
    }

    /// What follows may be different with another compiler, or with other flags of the same one.
    fn up_to_the_compiler(&mut self) {
        if self.dry > 0 || self.f.id.is_none() {
            return;
        }
        if let Entity::Function(f) = self.implicit("__bop_compiler") {
            let ty = self.functions[f.index()].ty;
            let call = Call {
                callee: Callee::Direct(f),
                ty,
                args: Vec::new(),
                result: None,
                result_at: None,
            };
            self.stmt(StmtKind::Call(call));
        }
    }

    pub(crate) fn call(
        &mut self,
        e: front_c::ExprId,
        f: front_c::ExprId,
        args: &[front_c::ExprId],
        wanted: bool,
    ) -> Lowered<Op> {
        let unit = self.unit();
        let mut callee = None;
        if let Tree::Name(name) = unit.expr(f).kind {
            let text = unit.name(name);
            let entity = self.lookup(name);
            let known = matches!(
                text,
                "conj"
                    | "conjf"
                    | "conjl"
                    | "creal"
                    | "crealf"
                    | "creall"
                    | "cimag"
                    | "cimagf"
                    | "cimagl"
                    | "alloca"
                    | "setjmp"
                    | "_setjmp"
                    | "__sigsetjmp"
                    | "sigsetjmp"
                    | "__sync_synchronize"
            );
            let atomic = text.starts_with("__sync_") || text.starts_with("__atomic_");
            let built_in = text.starts_with("__builtin_") || known || atomic;
            let plain = matches!(entity, None | Some(Entity::Function(_)));
            if plain
                && built_in
                && !self.defined.contains(text)
                && let Some(value) = self.built_in(e, text, args)?
            {
                return Ok(value);
            }
            match entity {
                Some(Entity::Function(id)) => callee = Some(id),
                None if self.failed.contains_key(&(self.u, name)) => {}
                None => {
                    if let Entity::Function(id) = self.implicit(text) {
                        callee = Some(id);
                    }
                }
                Some(_) => {}
            }
        }
        if let Tree::Name(name) = unit.expr(f).kind
            && let Some(Entity::Inner(number)) = self.lookup(name)
        {
            let inner = self.inners[number];
            let Some(signature) = self.types.signature(inner.ty).cloned() else {
                return self.gap("a call of what is no function");
            };
            let mut values = self.arguments(args, &signature)?;
            values.insert(0, self.chain_of(number));
            let ty = self.functions[inner.id.index()].ty;
            return self.finish_call(Callee::Direct(inner.id), ty, &signature, values, wanted);
        }
        let (callee, ty) = match callee {
            Some(id) => (Callee::Direct(id), self.functions[id.index()].ty),
            None => {
                let pointer = self.rvalue(f)?;
                let mut address = pointer.expr;
                if args.iter().any(|a| self.effects[self.u][a.index()]) {
                    address = self.keep(address);
                }
                // Parameters of functions are not called by their bodies.
                match self.types.pointee(pointer.ty) {
                    Some(to) => (Callee::Indirect(address), to),
                    None => return self.gap("a call of what is no function"),
                }
            }
        };
        let Some(signature) = self.types.signature(ty).cloned() else {
            return self.gap("a call of what is no function");
        };
        let values = self.arguments(args, &signature)?;
        self.finish_call(callee, ty, &signature, values, wanted)
    }

    /// The arguments, converted and in order.
    fn arguments(
        &mut self,
        args: &[front_c::ExprId],
        signature: &Signature,
    ) -> Lowered<Vec<ExprId>> {
        // Where the number is wrong, the call did not see the prototype, which stands behind it.
        let mut out: Vec<ExprId> = Vec::with_capacity(args.len());
        // Effects of an argument must not change those before it.
        let last = args.iter().rposition(|a| self.effects[self.u][a.index()]);
        for (i, &arg) in args.iter().enumerate() {
            let value = self.rvalue(arg)?;
            let ty = match signature.params.get(i) {
                Some(&ty) => ty,
                None if self.types.is_scalar(value.ty) => self.types.default_promoted(value.ty),
                None => value.ty,
            };
            let expr = self.argument(value, ty)?;
            let later = last.is_some_and(|last| last > i);
            out.push(if later { self.keep(expr) } else { expr });
        }
        Ok(out)
    }

    fn argument(&mut self, value: Op, ty: Ty) -> Lowered<ExprId> {
        if self.types.as_record(ty).is_none() {
            return self.scalar(value, ty);
        }
        let value = match self.types.parts(ty) {
            Some(_) => self.as_parts(value, ty)?,
            None => value,
        };
        if self.types.as_record(value.ty).is_none() {
            // A transparent union takes what one of its members is.
            let size = self.size_of(ty)?;
            let temp = self.temp(ty);
            let to = self.address_of(temp);
            self.stmt(StmtKind::Zero { to, size });
            let place = self.part(to, 0, value.ty, None);
            self.store(place, value, false)?;
            return Ok(self.aggregate_address(to, ty));
        }
        let size = self.size_of(ty)?;
        let plain = self.types.plain(ty);
        let temp = self.temp(plain);
        let to = self.address_of(temp);
        if size > 0 {
            self.stmt(StmtKind::Copy { to, from: value.expr, size });
        }
        Ok(self.aggregate_address(to, plain))
    }

    /// The address of an aggregate that stands for the aggregate.
    fn aggregate_address(&mut self, address: ExprId, ty: Ty) -> ExprId {
        let kind = self.kind_of(address).clone();
        self.expr(kind, ty)
    }

    pub(crate) fn finish_call(
        &mut self,
        callee: Callee,
        ty: Ty,
        signature: &Signature,
        args: Vec<ExprId>,
        wanted: bool,
    ) -> Lowered<Op> {
        let result_ty = self.types.plain(signature.result);
        if self.types.is_void(result_ty) {
            self.stmt(StmtKind::Call(Call { callee, ty, args, result: None, result_at: None }));
            return Ok(self.void());
        }
        if self.types.as_record(result_ty).is_some() {
            self.whole(result_ty)?;
            let temp = self.local("", result_ty, Home::Memory, self.at);
            let at = self.address_of(temp);
            let call = Call { callee, ty, args, result: None, result_at: Some(at) };
            self.stmt(StmtKind::Call(call));
            return Ok(Op { expr: at, ty: result_ty });
        }
        if !self.types.is_scalar(result_ty) {
            let shown = self.types.show(result_ty);
            return self.gap(format!("a function that returns `{shown}`"));
        }
        let result = wanted.then(|| self.temp(result_ty));
        self.stmt(StmtKind::Call(Call { callee, ty, args, result, result_at: None }));
        match result {
            Some(result) => Ok(Op { expr: self.read(result), ty: result_ty }),
            None => Ok(self.void()),
        }
    }

    // What the compiler has built in.

    fn built_in(
        &mut self,
        e: front_c::ExprId,
        name: &str,
        args: &[front_c::ExprId],
    ) -> Lowered<Option<Op>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let int = self.int_type();
        Ok(Some(match (plain, args) {
            ("va_start", [list, ..]) => {
                let list = self.list_address(*list)?;
                self.stmt(StmtKind::VaStart(list));
                self.void()
            }
            ("va_end", [list]) => {
                if self.effects[self.u][list.index()] {
                    self.list_address(*list)?;
                }
                self.void()
            }
            ("va_copy", [to, from]) => {
                let to = self.list_address(*to)?;
                let from = self.list_address(*from)?;
                let size = if self.types.model().pointer == 64 { 24 } else { 4 };
                self.stmt(StmtKind::Copy { to, from, size });
                self.void()
            }
            ("alloca", [size]) | ("alloca_with_align", [size, _]) => {
                let size = self.rvalue(*size)?;
                let size_ty = self.types.size_type();
                let size = self.scalar(size, size_ty)?;
                let void = self.types.of(Kind::Void);
                let pointer = self.types.pointer_to(void);
                let to = self.temp(pointer);
                self.stmt(StmtKind::Allocate { to, size });
                Op { expr: self.read(to), ty: pointer }
            }
            ("setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp", [buffer, ..]) => {
                let buffer = self.rvalue(*buffer)?;
                let result = self.temp(int);
                self.stmt(StmtKind::SetJump { buffer: buffer.expr, result });
                Op { expr: self.read(result), ty: int }
            }
            ("unreachable", []) if name.starts_with("__builtin") => {
                self.leave(End::Unreachable);
                self.void()
            }
            ("expect" | "expect_with_probability" | "assume_aligned", [value, others @ ..])
                if name.starts_with("__builtin") =>
            {
                let mut value = self.rvalue(*value)?;
                if others.iter().any(|other| self.effects[self.u][other.index()]) {
                    value.expr = self.keep(value.expr);
                    for &other in others {
                        self.effect(other)?;
                    }
                }
                if self.types.is_integer(value.ty) {
                    let ty = self.long_type();
                    return Ok(Some(Op { expr: self.convert(value.expr, ty), ty }));
                }
                value
            }
            ("constant_p", [value]) => {
                let constant = self.dry(|l| {
                    let value = l.rvalue(*value)?;
                    Ok(matches!(l.kind_of(value.expr), ExprKind::Int(_) | ExprKind::Float(_)))
                });
                let constant = constant.unwrap_or(false);
                if !constant {
                    self.up_to_the_compiler();
                }
                Op { expr: self.int(i128::from(constant)), ty: int }
            }
            ("object_size" | "dynamic_object_size", [value, kind]) => {
                let kind = self.constant_expr(*kind)?.unwrap_or(0);
                let ty = self.types.size_type();
                let unknown = if kind & 2 == 0 { -1 } else { 0 };
                let number = match self.bytes_left(*value) {
                    Some(_) if kind & 1 == 1 => return self.gap(format!("`{name}` of a part")),
                    Some(bytes) => bytes.into(),
                    None => {
                        self.up_to_the_compiler();
                        unknown
                    }
                };
                Op { expr: self.number(number, ty), ty }
            }
            ("prefetch" | "__clear_cache" | "sync_synchronize", _)
                if name.starts_with("__builtin") =>
            {
                for &arg in args {
                    if self.effects[self.u][arg.index()] {
                        self.effect(arg)?;
                    }
                }
                self.void()
            }
            ("fpclassify", [_, _, _, _, _, _]) if name.starts_with("__builtin") => {
                return self.fp_classify(args).map(Some);
            }
            ("classify_type", [value]) => return self.classify_type(*value).map(Some),
            _ if args.len() == 3 && overflow_operator(plain).is_some() => {
                return self.overflow(plain, args).map(Some);
            }
            ("apply" | "frame_address" | "return_address", _) => {
                let _ = e;
                return self.gap(format!("`{name}`"));
            }
            ("shuffle", [_, _] | [_, _, _]) | ("shufflevector", [_, _, _, ..])
                if name.starts_with("__builtin") =>
            {
                return self.shuffle(plain, args).map(Some);
            }
            _ => {
                if name.starts_with("__builtin")
                    && let Some(value) = self.built_in_fraction(plain, args)?
                {
                    return Ok(Some(value));
                }
                if let Some(value) = self.atomic(name, args)? {
                    return Ok(Some(value));
                }
                if let Some(value) = self.complex_function(plain, args)? {
                    return Ok(Some(value));
                }
                if let Some(value) = self.checked_name(plain, args)? {
                    return Ok(Some(value));
                }
                return Ok(None);
            }
        }))
    }

    /// Those about numbers with fractions.
    fn built_in_fraction(&mut self, plain: &str, args: &[front_c::ExprId]) -> Lowered<Option<Op>> {
        Ok(Some(match (plain, args) {
            ("huge_val" | "inf" | "huge_valf" | "inff" | "huge_vall" | "infl", []) => {
                let ty = self.types.of(Kind::Float(float_suffix(plain)));
                Op { expr: self.float(f64::INFINITY, ty), ty }
            }
            ("nan" | "nanf" | "nanl" | "nans", [_]) => {
                let ty = self.types.of(Kind::Float(float_suffix(plain)));
                Op { expr: self.float(f64::NAN, ty), ty }
            }
            ("isnan" | "isinf_sign" | "isinf" | "isfinite" | "isnormal" | "signbit", [value]) => {
                return self.classify(plain, *value).map(Some);
            }
            // Of a type that stands in the name: that of the argument, or what it is converted to without loss.
            (
                "isnanf" | "isnanl" | "isinff" | "isinfl" | "finitef" | "finitel" | "finite"
                | "signbitf" | "signbitl",
                [value],
            ) => {
                let plain = match plain.trim_end_matches(['f', 'l']) {
                    "finite" => "isfinite",
                    "isin" => "isinf",
                    plain => plain,
                };
                return self.classify(plain, *value).map(Some);
            }
            (
                "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater"
                | "isunordered",
                [a, b],
            ) => {
                let (a, b) = self.operands(*a, *b)?;
                return self.ordered(plain, a, b).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    /// The bytes from an address to the end of its object, where the compiler sees the object.
    fn bytes_left(&mut self, value: front_c::ExprId) -> Option<u64> {
        let found = self.dry(|l| {
            let value = l.rvalue(value)?;
            let (mut e, mut by) = (value.expr, 0);
            loop {
                e = match *l.kind_of(e) {
                    ExprKind::Convert(a) => a,
                    ExprKind::Binary(BinOp::Add, a, b) => match l.constant(b) {
                        Some(n) => {
                            by += n;
                            a
                        }
                        None => return Ok(None),
                    },
                    ExprKind::AddressOf(local) => {
                        return Ok(Some((l.f.locals[local.index()].ty, by)));
                    }
                    ExprKind::Root(Root::Object(o)) => {
                        return Ok(Some((l.objects[o.index()].ty, by)));
                    }
                    _ => return Ok(None),
                };
            }
        });
        let (ty, by) = found.ok().flatten()?;
        Some(self.types.size(ty)?.saturating_sub(u64::try_from(by).ok()?))
    }

    /// `__builtin___memcpy_chk(a, b, n, size)` and its kind are the functions without their last argument.
    fn checked_name(&mut self, plain: &str, args: &[front_c::ExprId]) -> Lowered<Option<Op>> {
        let Some(inner) = plain.strip_prefix("__").and_then(|p| p.strip_suffix("_chk")) else {
            return Ok(None);
        };
        let Some(Entity::Function(id)) = self.externs.get(inner).copied() else { return Ok(None) };
        let ty = self.functions[id.index()].ty;
        let Some(signature) = self.types.signature(ty).cloned() else { return Ok(None) };
        let kept: Vec<front_c::ExprId> = match inner {
            // A flag, and the size for those that print to strings, stand in the middle.
            "printf" | "vprintf" => [&args[..0], &args[1..]].concat(),
            "fprintf" | "vfprintf" => [&args[..1], &args[2..]].concat(),
            "sprintf" | "vsprintf" => [&args[..1], &args[3..]].concat(),
            "snprintf" | "vsnprintf" => [&args[..2], &args[4..]].concat(),
            _ => args[..args.len().saturating_sub(1)].to_vec(),
        };
        let values = self.arguments(&kept, &signature)?;
        self.finish_call(Callee::Direct(id), ty, &signature, values, true).map(Some)
    }

    fn ordered(&mut self, what: &str, a: Op, b: Op) -> Lowered<Op> {
        let int = self.int_type();
        let Some(ty) = self.types.usual(a.ty, b.ty) else { return self.gap("such operands") };
        let (a, b) = (self.convert(a.expr, ty), self.convert(b.expr, ty));
        let (a, b) = (self.keep(a), self.keep(b));
        let expr = match what {
            "isgreater" => self.binary(BinOp::Lt, b, a),
            "isgreaterequal" => self.binary(BinOp::Le, b, a),
            "isless" => self.binary(BinOp::Lt, a, b),
            "islessequal" => self.binary(BinOp::Le, a, b),
            "islessgreater" => {
                let (x, y) = (self.binary(BinOp::Lt, a, b), self.binary(BinOp::Lt, b, a));
                self.binary(BinOp::Or, x, y)
            }
            _ => {
                let (x, y) = (self.binary(BinOp::Ne, a, a), self.binary(BinOp::Ne, b, b));
                self.binary(BinOp::Or, x, y)
            }
        };
        Ok(Op { expr, ty: int })
    }

    /// `__builtin_add_overflow(a, b, &r)` and its kind.
    fn overflow(&mut self, name: &str, args: &[front_c::ExprId]) -> Lowered<Op> {
        let Some(op) = overflow_operator(name) else { return self.gap("such an operator") };
        let (a, b) = self.operands(args[0], args[1])?;
        let (a, b) = (self.keep(a.expr), self.keep(b.expr));
        let to = self.rvalue(args[2])?;
        let ty = match self.types.pointee(to.ty) {
            Some(ty) => self.types.plain(ty),
            // `_p` takes a value of the type instead of a pointer.
            None => to.ty,
        };
        if !self.types.is_integer(ty) {
            return self.gap("an overflow of what is no integer");
        }
        let result = self.temp(ty);
        let bool_ty = self.types.of(Kind::Bool);
        let overflow = self.temp(bool_ty);
        self.stmt(StmtKind::Overflow { op, operands: (a, b), result, overflow });
        if !name.ends_with("_p") {
            let value = self.read(result);
            self.stmt(StmtKind::Store { to: to.expr, value });
        }
        Ok(Op { expr: self.read(overflow), ty: bool_ty })
    }

    // Lists of arguments.

    /// The address of a `va_list`.
    fn list_address(&mut self, list: front_c::ExprId) -> Lowered<ExprId> {
        if self.types.model().pointer == 64 {
            return Ok(self.rvalue(list)?.expr);
        }
        match self.place(list)?.at {
            Where::Memory(address) => Ok(address),
            _ => self.gap("a list of arguments in a register"),
        }
    }

    pub(crate) fn va_arg(&mut self, list: front_c::ExprId, ty: front_c::TypeId) -> Lowered<Op> {
        let ty = self.ty(ty)?;
        let ty = self.types.plain(ty);
        self.whole(ty)?;
        let list = self.list_address(list)?;
        let pointer = self.types.pointer_to(ty);
        let to = self.temp(pointer);
        self.stmt(StmtKind::VaNext { to, list, ty });
        let address = self.read(to);
        let place = Place { at: Where::Memory(address), ty };
        let value = self.load(place)?;
        if self.types.is_scalar(ty) {
            let temp = self.temp(ty);
            self.stmt(StmtKind::Set(temp, value.expr));
            return Ok(Op { expr: self.read(temp), ty });
        }
        Ok(value)
    }
}

fn float_suffix(name: &str) -> c_types::FloatKind {
    match name.strip_prefix("huge_val").or(name.strip_prefix("inf")).or(name.strip_prefix("nan")) {
        Some("f") => c_types::FloatKind::Float,
        Some("l") => c_types::FloatKind::LongDouble,
        _ => c_types::FloatKind::Double,
    }
}

fn overflow_operator(name: &str) -> Option<BinOp> {
    let inner = name.trim_end_matches("_p").strip_suffix("_overflow")?;
    let inner = inner.trim_start_matches(['s', 'u']);
    // `saddl` and `sub` both lose an `s` or more: look at what is left.
    Some(match name {
        _ if inner.starts_with("add") => BinOp::Add,
        _ if inner.starts_with("mul") => BinOp::Mul,
        _ if name.contains("sub") => BinOp::Sub,
        _ => return None,
    })
}
