//! Types as the tree has them → types of the table.

use crate::lower::{Lowered, Lowerer};
use crate::program::StmtKind;
use c_types::{
    FloatKind, IntKind, Kind, Length, MemberSpec, RecordNo, RecordSpec, Signature, Ty,
    arithmetic_named,
};
use front_c::{Aligned, EnumId, EnumeratorId, ExprId, RecordId, Tag, TypeId, TypeKind};

impl Lowerer<'_> {
    /// The type that a type of the tree is.
    pub(crate) fn ty(&mut self, t: TypeId) -> Lowered<Ty> {
        if let Some(&ty) = self.type_cache.get(&(self.u, t)) {
            return Ok(ty);
        }
        let before = self.variable_types;
        let ty = self.deeper(|l| l.ty_here(t))?;
        if self.variable_types == before {
            self.type_cache.insert((self.u, t), ty);
        }
        Ok(ty)
    }

    /// A type that `typedef` names in a block: the lengths of its arrays are those of now, wherever it is used.
    pub(crate) fn measure(&mut self, t: TypeId) {
        let before = self.variable_types;
        // What is not covered is told where the type is used.
        if let Ok(ty) = self.ty(t)
            && self.variable_types != before
            && self.dry == 0
        {
            self.type_cache.insert((self.u, t), ty);
        }
    }

    fn ty_here(&mut self, t: TypeId) -> Lowered<Ty> {
        let unit = self.unit();
        let node = unit.ty(t);
        let ty = match &node.kind {
            TypeKind::Void => self.types.of(Kind::Void),
            TypeKind::Base(sym) => match arithmetic_named(unit.name(*sym)) {
                Some((kind, false)) => self.types.of(kind),
                Some((kind, true)) => {
                    let element = self.types.of(kind);
                    self.complex_type(element)
                }
                None => return self.gap(format!("the type `{}`", unit.name(*sym))),
            },
            TypeKind::Named(_, inner) => self.ty(*inner)?,
            TypeKind::Record(r) => {
                let no = self.record_no(*r);
                self.types.of(Kind::Record(no))
            }
            TypeKind::Enum(e) => self.enum_type(*e)?,
            TypeKind::Pointer(inner) => {
                let inner = self.ty(*inner)?;
                self.types.pointer_to(inner)
            }
            TypeKind::Array(element, length) => {
                let element = self.ty(*element)?;
                let length = self.length(*length)?;
                self.types.of(Kind::Array(element, length))
            }
            TypeKind::Function { result, params, variadic, unprototyped } => {
                let result = self.ty(*result)?;
                let saved = std::mem::replace(&mut self.prototype, true);
                let mut list = Vec::new();
                let mut failed = None;
                if !*unprototyped {
                    for param in params {
                        match self.param_type(param.ty) {
                            Ok(ty) => list.push(self.types.plain(ty)),
                            Err(gap) => failed = Some(gap),
                        }
                    }
                }
                self.prototype = saved;
                if let Some(gap) = failed {
                    return Err(gap);
                }
                let (variadic, unprototyped) = (*variadic, *unprototyped);
                let result = self.types.plain(result);
                let signature = Signature { result, params: list, variadic, unprototyped };
                self.types.of(Kind::Function(signature))
            }
            TypeKind::TypeOf(e) => self.type_only(*e)?,
            TypeKind::Other(sym) => match unit.name(*sym) {
                "__builtin_va_list" => self.va_list(),
                other => return self.gap(format!("the type `{other}`")),
            },
        };
        let ty = match (node.odd, unit.extra.modes.get(&t)) {
            (false, _) => ty,
            // What stands before a declarator is about the innermost type, which has it already.
            (true, Some(_)) if self.is_derived(t) => ty,
            (true, Some(mode)) => match unit.extra.vectors.get(&t) {
                Some(size) => match self.constant_expr(*size)? {
                    Some(bytes) => self.vector_type(ty, bytes)?,
                    None => return self.gap("a vector of such a size"),
                },
                None => self.mode(ty, unit.name(*mode))?,
            },
            (true, None) if matches!(node.kind, TypeKind::Named(..)) => ty,
            (true, None) => return self.gap("a vector type"),
        };
        let ty = match unit.extra.aligned.get(&t) {
            Some(asked) => {
                let align = self.asked_alignment(Some(*asked))?;
                self.types.aligned(ty, align)
            }
            None => ty,
        };
        if node.is_const || node.is_volatile {
            return Ok(self.types.qualified(ty, node.is_const, node.is_volatile));
        }
        Ok(ty)
    }

    /// Whether a type is made of an inner one that attributes have made another one of.
    fn is_derived(&self, t: TypeId) -> bool {
        let unit = self.unit();
        let mut inner = t;
        loop {
            inner = match unit.ty(inner).kind {
                TypeKind::Pointer(to) | TypeKind::Array(to, _) => to,
                TypeKind::Function { result, .. } => result,
                _ => return inner != t && unit.extra.modes.contains_key(&inner),
            };
        }
    }

    fn mode(&mut self, ty: Ty, mode: &str) -> Lowered<Ty> {
        if self.types.is_float(ty) {
            let kind = match mode.trim_matches('_') {
                "SF" => FloatKind::Float,
                "DF" => FloatKind::Double,
                "XF" => FloatKind::LongDouble,
                _ => return self.gap(format!("the mode `{mode}`")),
            };
            return Ok(self.types.of(Kind::Float(kind)));
        }
        if self.types.parts(ty).is_some() {
            let element = match mode.trim_matches('_') {
                "SC" => Kind::Float(FloatKind::Float),
                "DC" => Kind::Float(FloatKind::Double),
                "XC" => Kind::Float(FloatKind::LongDouble),
                _ => return self.gap(format!("the mode `{mode}`")),
            };
            let element = self.types.of(element);
            return Ok(self.complex_type(element));
        }
        let Some(int) = self.types.as_int(ty) else { return self.gap("`mode` of such a type") };
        let kind = match mode.trim_matches('_') {
            "QI" | "byte" => IntKind::SignedChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" => IntKind::LongLong,
            "TI" => IntKind::Int128,
            "vector_size" => return self.gap("a vector type"),
            "word" | "pointer" | "unwind_word" => IntKind::Long,
            _ => return self.gap(format!("the mode `{mode}`")),
        };
        Ok(self.types.int(if int.signed { kind } else { kind.unsigned() }))
    }

    /// `va_list`: as wide as gcc's, with the address of the next argument in it.
    fn va_list(&mut self) -> Ty {
        if self.types.model().pointer != 64 {
            let char = self.types.int(IntKind::Char);
            return self.types.pointer_to(char);
        }
        let word = self.types.int(IntKind::UnsignedLong);
        let words = self.types.of(Kind::Array(word, Length::Known(3)));
        let no = self.va_tag.unwrap_or_else(|| {
            let no = self.types.new_record(false, Some("__va_list_tag".to_owned()));
            let member = MemberSpec {
                name: Some("words".to_owned()),
                ty: words,
                width: None,
                align: None,
                packed: false,
            };
            self.types.complete(no, vec![member], RecordSpec::default());
            self.va_tag = Some(no);
            no
        });
        let tag = self.types.of(Kind::Record(no));
        self.types.of(Kind::Array(tag, Length::Known(1)))
    }

    /// A parameter's type: arrays and functions are pointers.
    pub(crate) fn param_type(&mut self, t: TypeId) -> Lowered<Ty> {
        let unit = self.unit();
        let mut inner = t;
        loop {
            match unit.ty(inner).kind {
                TypeKind::Named(_, next) => inner = next,
                TypeKind::Array(element, _) => {
                    let element = self.ty(element)?;
                    return Ok(self.types.pointer_to(element));
                }
                _ => break,
            }
        }
        let ty = self.ty(t)?;
        Ok(match self.types.kind(ty) {
            Kind::Function(_) => self.types.pointer_to(ty),
            Kind::Array(element, _) => {
                let element = *element;
                self.types.pointer_to(element)
            }
            _ => ty,
        })
    }

    /// The size of a parameter that is written as an array is evaluated where the function begins, though the
    /// parameter is a pointer.
    pub(crate) fn outer_size(&mut self, t: TypeId) -> Lowered<()> {
        let unit = self.unit();
        let mut inner = t;
        while let TypeKind::Named(_, next) = unit.ty(inner).kind {
            inner = next;
        }
        if let TypeKind::Array(_, Some(size)) = unit.ty(inner).kind
            && self.constant_expr(size)?.is_none()
        {
            self.rvalue(size)?;
        }
        Ok(())
    }

    fn length(&mut self, length: Option<ExprId>) -> Lowered<Length> {
        let Some(e) = length else { return Ok(Length::Unknown) };
        if let Some(n) = self.constant_expr(e)? {
            return match u64::try_from(n) {
                Ok(n) => Ok(Length::Known(n)),
                Err(_) => self.gap("an array of a negative length"),
            };
        }
        self.variable_types += 1;
        if self.prototype || self.f.id.is_none() {
            return Ok(Length::Unknown);
        }
        let count = self.rvalue(e)?;
        let size = self.types.size_type();
        let count = self.convert(count.expr, size);
        let local = self.temp(size);
        self.stmt(StmtKind::Set(local, count));
        self.counts.push((self.f.serial, local));
        Ok(Length::Variable(self.counts.len() as u32 - 1))
    }

    /// The value of an integer constant expression; none if it is not constant.
    pub(crate) fn constant_expr(&mut self, e: ExprId) -> Lowered<Option<i128>> {
        // What is not constant may mention names that a prototype does not know.
        self.fixed += 1;
        let value = self.dry(|l| {
            let value = l.rvalue(e)?;
            Ok(l.constant(value.expr))
        });
        self.fixed -= 1;
        match value {
            Ok(value) => Ok(value),
            Err(_) if self.prototype => Ok(None),
            Err(gap) => Err(gap),
        }
    }

    /// The type of an expression, which is not evaluated.
    pub(crate) fn type_only(&mut self, e: ExprId) -> Lowered<Ty> {
        self.dry(|l| l.type_of_expr(e))
    }

    /// Lowers something and forgets the code.
    pub(crate) fn dry<T>(&mut self, walk: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let saved = (self.f.current, self.f.blocks.len(), self.f.locals.len());
        let (exits, switches) = (self.f.exits.len(), self.f.switches.len());
        let (scopes, marks) = (self.scopes.len(), self.f.marks.len());
        let (counts, variable) = (self.counts.len(), self.variable_types);
        let at = self.at;
        self.dry += 1;
        let block = self.block();
        self.f.current = block;
        let result = walk(self);
        self.dry -= 1;
        self.at = at;
        self.f.current = saved.0;
        self.f.blocks.truncate(saved.1);
        self.f.open.truncate(saved.1);
        self.f.exits.truncate(exits);
        self.f.switches.truncate(switches);
        self.scopes.truncate(scopes);
        self.f.marks.truncate(marks);
        self.f.scoped.truncate(marks);
        self.f.cleanups.truncate(marks);
        // Types of variable length that were met stay what they are; their locals, too.
        if self.variable_types == variable {
            self.f.locals.truncate(saved.2);
            self.counts.truncate(counts);
        }
        result
    }

    // Structs, unions, enumerations.

    fn record_no(&mut self, r: RecordId) -> RecordNo {
        if let Some(&no) = self.record_ids.get(&(self.u, r)) {
            return no;
        }
        let unit = self.unit();
        let record = &unit.records[r.index()];
        let name = record.name.map(|name| unit.name(name).to_owned());
        let no = self.types.new_record(record.tag == Tag::Union, name);
        self.record_ids.insert((self.u, r), no);
        self.record_sources.insert(no, (self.u, r));
        no
    }

    /// Sees to it that the layout of a type is known.
    pub(crate) fn whole(&mut self, mut ty: Ty) -> Lowered<()> {
        loop {
            match self.types.kind(ty) {
                Kind::Array(element, _) => ty = *element,
                Kind::Record(no) => {
                    let no = *no;
                    if self.types.record(no).complete {
                        return Ok(());
                    }
                    return self.deeper(|l| l.complete(no));
                }
                _ => return Ok(()),
            }
        }
    }

    fn complete(&mut self, no: RecordNo) -> Lowered<()> {
        let Some(&(u, r)) = self.record_sources.get(&no) else { return Ok(()) };
        let saved = std::mem::replace(&mut self.u, u);
        let result = self.complete_here(no, r);
        self.u = saved;
        result
    }

    fn complete_here(&mut self, no: RecordNo, r: RecordId) -> Lowered<()> {
        let unit = self.unit();
        let Some(fields) = &unit.records[r.index()].fields else { return Ok(()) };
        let mut members = Vec::with_capacity(fields.len());
        for field in fields {
            let counts = self.counts.len();
            let ty = self.ty(field.ty)?;
            if self.counts.len() > counts {
                return self.gap("a member of variable size");
            }
            self.whole(ty)?;
            let width = match field.bits {
                Some(bits) => Some(self.width(bits, ty)?),
                None => {
                    // Flexible members have no size.
                    if self.types.size(ty).is_some() {
                        self.size_of(ty)?;
                    }
                    None
                }
            };
            let align = self.asked_alignment(field.aligned)?;
            let name = field.name.map(|name| unit.name(name).to_owned());
            members.push(MemberSpec { name, ty, width, align, packed: field.packed });
        }
        let (packed, asked) = unit.extra.records.get(&r).copied().unwrap_or((false, None));
        let align = self.asked_alignment(asked)?;
        let pack = unit.extra.packs.get(&r).map(|pack| u64::from(*pack));
        // Something on the way may have needed it already.
        if !self.types.record(no).complete {
            self.types.complete(no, members, RecordSpec { packed, align, pack });
        }
        Ok(())
    }

    /// The width of a bit-field of a type.
    fn width(&mut self, bits: ExprId, ty: Ty) -> Lowered<u64> {
        let most = match self.types.as_int(ty) {
            Some(int) => i128::from(int.bits),
            None => return self.gap("a bit-field of a type that is no integer"),
        };
        match self.constant_expr(bits)? {
            Some(n) if (0..=most).contains(&n) && n <= 64 => Ok(n as u64),
            Some(_) => self.gap("a bit-field that is wider than its type"),
            None => self.gap("a bit-field whose width is no constant"),
        }
    }

    pub(crate) fn asked_alignment(&mut self, asked: Option<Aligned>) -> Lowered<Option<u64>> {
        Ok(match asked {
            None => None,
            Some(Aligned::Most) => Some(16),
            Some(Aligned::As(ty)) => {
                let ty = self.ty(ty)?;
                self.whole(ty)?;
                Some(self.types.align(ty))
            }
            Some(Aligned::By(e)) => match self.constant_expr(e)? {
                Some(0) => None,
                Some(n @ 1..=0x1000_0000) if (n as u64).is_power_of_two() => Some(n as u64),
                _ => return self.gap("an alignment that is no power of two"),
            },
        })
    }

    /// The size of a type in bytes.
    pub(crate) fn size_of(&mut self, ty: Ty) -> Lowered<u64> {
        self.whole(ty)?;
        match self.types.size(ty) {
            Some(size) if size < 1 << 31 => Ok(size),
            Some(_) => self.gap("an object of 2 GiB and more"),
            None => {
                let shown = self.types.show(ty);
                self.gap(format!("the size of `{shown}` is not known"))
            }
        }
    }

    fn enum_type(&mut self, e: EnumId) -> Lowered<Ty> {
        let key = (self.u, e.index() as u32);
        if let Some(&ty) = self.enum_types.get(&key) {
            return Ok(ty);
        }
        let unit = self.unit();
        let node = &unit.enums[e.index()];
        let (packed, of) = unit.extra.enums.get(&e).copied().unwrap_or_default();
        if let Some(of) = of {
            let of = self.ty(of)?;
            let Kind::Int(int) = *self.types.kind(of) else {
                return self.gap("an enumeration of a type of its own");
            };
            let name = node.tag.map(|tag| unit.name(tag).to_owned());
            let no = self.types.new_enum(name, int);
            let ty = self.types.of(Kind::Enum(no));
            self.enum_types.insert(key, ty);
            return Ok(ty);
        }
        let name = node.tag.map(|tag| unit.name(tag).to_owned());
        let (mut least, mut most) = (0, 0);
        for member in node.members.iter().flatten() {
            let (value, _) = self.enumerator(*member)?;
            least = least.min(value);
            most = most.max(value);
        }
        let long = self.types.model().long == 64;
        let small = |bits: u32| {
            let half = 1i128 << (bits - 1);
            if least < 0 { least >= -half && most < half } else { most < 2 * half }
        };
        let int = match (least < 0, least >= i32::MIN.into()) {
            (negative, _) if packed && small(8) => match negative {
                true => IntKind::SignedChar,
                false => IntKind::UnsignedChar,
            },
            (negative, _) if packed && small(16) => match negative {
                true => IntKind::Short,
                false => IntKind::UnsignedShort,
            },
            (false, _) if most <= u32::MAX.into() => IntKind::Unsigned,
            (true, true) if most <= i32::MAX.into() => IntKind::Int,
            (false, _) if long => IntKind::UnsignedLong,
            (false, _) => IntKind::UnsignedLongLong,
            (true, _) if long => IntKind::Long,
            (true, _) => IntKind::LongLong,
        };
        let no = self.types.new_enum(name, int);
        let ty = self.types.of(Kind::Enum(no));
        self.enum_types.insert(key, ty);
        Ok(ty)
    }

    /// The value and type of a constant of an enumeration.
    pub(crate) fn enumerator(&mut self, id: EnumeratorId) -> Lowered<(i128, Ty)> {
        let mut i = id.index();
        let unit = self.unit();
        // Back to one whose value is given or known.
        while !self.enumerators.contains_key(&(self.u, i as u32))
            && unit.enumerators[i].value.is_none()
            && !unit.enumerators[i].first
        {
            i -= 1;
        }
        loop {
            let e = &unit.enumerators[i];
            let key = (self.u, i as u32);
            if !self.enumerators.contains_key(&key) {
                let value = match (e.value, e.first) {
                    (Some(value), _) => match self.constant_expr(value)? {
                        Some(n) => n,
                        None => return self.gap("an enumerator that is no constant"),
                    },
                    (None, true) => 0,
                    (None, false) => self.enumerators[&(self.u, i as u32 - 1)].0 + 1,
                };
                let kind = if i32::try_from(value).is_ok() {
                    IntKind::Int
                } else if u32::try_from(value).is_ok() {
                    IntKind::Unsigned
                } else if self.types.model().long == 64 {
                    IntKind::Long
                } else {
                    IntKind::LongLong
                };
                let ty = self.types.int(kind);
                self.enumerators.insert(key, (value, ty));
            }
            if i == id.index() {
                return Ok(self.enumerators[&key]);
            }
            i += 1;
        }
    }
}
