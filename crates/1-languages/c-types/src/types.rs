//! All types of C, each kept once.
//!
//! [`Types`] is a table: equal types have equal handles ([`Ty`]), so that most questions are a comparison of
//! numbers. Structs, unions and enumerations are entries of their own, completed when their members are
//! known ([`Types::complete`]).

use crate::layout::{Member, Parts, Record, RecordNo};
use crate::{Int, Model};
use rustc_hash::{FxHashMap, FxHashSet};

/// A type of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty(u32);

/// An enumeration of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumNo(pub(crate) u32);

/// The integer types that have names of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntKind {
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
}

/// Floating types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatKind {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Length {
    /// So many.
    Known(u64),
    /// `[]`
    Unknown,
    /// As many as are counted when the type is met; the number tells such types apart.
    Variable(u32),
}

/// What a function takes and returns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// What it returns.
    pub result: Ty,
    /// Its parameters, as adjusted: no arrays and no functions.
    pub params: Vec<Ty>,
    /// `...`
    pub variadic: bool,
    /// Nothing is said about parameters.
    pub unprototyped: bool,
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type.
    Int(IntKind),
    /// The value of a bit-field.
    Bits(Int),
    /// A floating type.
    Float(FloatKind),
    /// A pointer.
    Pointer(Ty),
    /// An array.
    Array(Ty, Length),
    /// A function.
    Function(Signature),
    /// A struct or union.
    Record(RecordNo),
    /// An enumeration.
    Enum(EnumNo),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Entry {
    kind: Kind,
    is_const: bool,
    is_volatile: bool,
    /// An alignment that a declaration asks for.
    align: Option<u64>,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Its tag.
    pub name: Option<String>,
    /// The integer type that it is.
    pub int: IntKind,
}

/// The types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    entries: Vec<Entry>,
    ids: FxHashMap<Entry, Ty>,
    pub(crate) records: Vec<Record>,
    pub(crate) parts: FxHashMap<Parts, Ty>,
    enums: Vec<Enumeration>,
    model: Model,
}

impl IntKind {
    /// Bits and sign.
    pub fn int(self, model: &Model) -> Int {
        use IntKind::*;
        match self {
            Char => crate::Int::new(8, model.signed_char),
            SignedChar => crate::Int::new(8, true),
            UnsignedChar => crate::Int::new(8, false),
            Short => crate::Int::new(16, true),
            UnsignedShort => crate::Int::new(16, false),
            Int => crate::Int::INT,
            Unsigned => crate::Int::new(32, false),
            Long => crate::Int::new(model.long, true),
            UnsignedLong => crate::Int::new(model.long, false),
            LongLong => crate::Int::new(64, true),
            UnsignedLongLong => crate::Int::new(64, false),
            Int128 => crate::Int::new(128, true),
            UnsignedInt128 => crate::Int::new(128, false),
        }
    }

    /// Where it stands among the others (C11 6.3.1.1).
    fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | Unsigned => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }

    /// The same without a sign.
    pub fn unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SignedChar | UnsignedChar => UnsignedChar,
            Short | UnsignedShort => UnsignedShort,
            Int | Unsigned => Unsigned,
            Long | UnsignedLong => UnsignedLong,
            LongLong | UnsignedLongLong => UnsignedLongLong,
            Int128 | UnsignedInt128 => UnsignedInt128,
        }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        use IntKind::*;
        match self {
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            Unsigned => "unsigned",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Int128 => "__int128",
            UnsignedInt128 => "unsigned __int128",
        }
    }
}

impl FloatKind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
        }
    }
}

/// The arithmetic type that specifiers name, in any order: `unsigned long int`, `double`; and whether they make a
/// complex number of two of it.
pub fn arithmetic_named(specifiers: &str) -> Option<(Kind, bool)> {
    let (mut core, mut signed, mut longs, mut complex) = ("", None, 0, false);
    for word in specifiers.split_ascii_whitespace() {
        match word {
            "signed" | "__signed" | "__signed__" => signed = Some(true),
            "unsigned" => signed = Some(false),
            "long" => longs += 1,
            "_Complex" | "__complex__" | "__complex" => complex = true,
            "int" if !core.is_empty() => {}
            "__int128_t" => core = "__int128",
            "__uint128_t" => (core, signed) = ("__int128", Some(false)),
            word => core = word,
        }
    }
    let pick = |with: IntKind| match signed {
        Some(false) => Kind::Int(with.unsigned()),
        _ => Kind::Int(with),
    };
    let kind = match core {
        "_Bool" => Kind::Bool,
        "char" => match signed {
            None => Kind::Int(IntKind::Char),
            Some(true) => Kind::Int(IntKind::SignedChar),
            Some(false) => Kind::Int(IntKind::UnsignedChar),
        },
        "short" => pick(IntKind::Short),
        "__int128" => pick(IntKind::Int128),
        "float" | "_Float32" => Kind::Float(FloatKind::Float),
        "double" if longs > 0 => Kind::Float(FloatKind::LongDouble),
        "double" | "_Float64" | "_Float32x" => Kind::Float(FloatKind::Double),
        "_Float64x" | "__float80" => Kind::Float(FloatKind::LongDouble),
        "" if complex && signed.is_none() && longs == 0 => Kind::Float(FloatKind::Double),
        "" | "int" => match longs {
            0 => pick(IntKind::Int),
            1 => pick(IntKind::Long),
            _ => pick(IntKind::LongLong),
        },
        _ => return None,
    };
    Some((kind, complex))
}

impl Types {
    /// An empty table for a machine.
    pub fn new(model: Model) -> Types {
        Types {
            entries: Vec::new(),
            ids: FxHashMap::default(),
            records: Vec::new(),
            parts: FxHashMap::default(),
            enums: Vec::new(),
            model,
        }
    }

    /// The machine.
    pub fn model(&self) -> &Model {
        &self.model
    }

    fn add(&mut self, entry: Entry) -> Ty {
        if let Some(&ty) = self.ids.get(&entry) {
            return ty;
        }
        let ty = Ty(self.entries.len() as u32);
        self.entries.push(entry.clone());
        self.ids.insert(entry, ty);
        ty
    }

    /// The type of a kind, without qualifiers.
    pub fn of(&mut self, kind: Kind) -> Ty {
        self.add(Entry { kind, is_const: false, is_volatile: false, align: None })
    }
    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> Ty {
        self.of(Kind::Int(kind))
    }
    /// `size_t`
    pub fn size_type(&mut self) -> Ty {
        let wide = self.model.pointer == 64;
        self.int(if wide { IntKind::UnsignedLong } else { IntKind::Unsigned })
    }
    /// `ptrdiff_t`
    pub fn difference_type(&mut self) -> Ty {
        let wide = self.model.pointer == 64;
        self.int(if wide { IntKind::Long } else { IntKind::Int })
    }
    /// A pointer to a type.
    pub fn pointer_to(&mut self, to: Ty) -> Ty {
        self.of(Kind::Pointer(to))
    }
    /// The type with more qualifiers.
    pub fn qualified(&mut self, ty: Ty, is_const: bool, is_volatile: bool) -> Ty {
        let mut entry = self.entries[ty.0 as usize].clone();
        if let Kind::Array(element, length) = entry.kind {
            // Qualifiers of an array are those of its elements.
            let element = self.qualified(element, is_const, is_volatile);
            entry.kind = Kind::Array(element, length);
            return self.add(entry);
        }
        entry.is_const |= is_const;
        entry.is_volatile |= is_volatile;
        self.add(entry)
    }
    /// The type with an alignment that a declaration asks for.
    pub fn aligned(&mut self, ty: Ty, align: Option<u64>) -> Ty {
        let mut entry = self.entries[ty.0 as usize].clone();
        if align.is_none() {
            return ty;
        }
        entry.align = align;
        self.add(entry)
    }
    /// The type without qualifiers and demands of its declaration.
    pub fn plain(&mut self, ty: Ty) -> Ty {
        let Entry { kind, is_const, is_volatile, align } = &self.entries[ty.0 as usize];
        if !is_const && !is_volatile && align.is_none() {
            return ty;
        }
        let kind = kind.clone();
        self.of(kind)
    }
    /// What it is.
    pub fn kind(&self, ty: Ty) -> &Kind {
        &self.entries[ty.0 as usize].kind
    }
    /// `const`
    pub fn is_const(&self, ty: Ty) -> bool {
        self.entries[ty.0 as usize].is_const
    }
    /// `volatile`
    pub fn is_volatile(&self, ty: Ty) -> bool {
        self.entries[ty.0 as usize].is_volatile
    }
    pub(crate) fn asked_alignment(&self, ty: Ty) -> Option<u64> {
        self.entries[ty.0 as usize].align
    }

    /// A struct or union of which nothing else is known yet.
    pub fn new_record(&mut self, is_union: bool, name: Option<String>) -> RecordNo {
        self.records.push(Record::incomplete(is_union, name));
        RecordNo(self.records.len() as u32 - 1)
    }
    /// A struct or union.
    pub fn record(&self, no: RecordNo) -> &Record {
        &self.records[no.0 as usize]
    }
    /// An enumeration.
    pub fn new_enum(&mut self, name: Option<String>, int: IntKind) -> EnumNo {
        self.enums.push(Enumeration { name, int });
        EnumNo(self.enums.len() as u32 - 1)
    }
    /// An enumeration.
    pub fn enumeration(&self, no: EnumNo) -> &Enumeration {
        &self.enums[no.0 as usize]
    }
    /// Says which integer type an enumeration is.
    pub fn set_enum(&mut self, no: EnumNo, int: IntKind) {
        self.enums[no.0 as usize].int = int;
    }

    // Questions.

    /// Bits and sign of an integer type, `_Bool` and enumerations included.
    pub fn as_int(&self, ty: Ty) -> Option<Int> {
        match self.kind(ty) {
            Kind::Bool => Some(Int::new(1, false)),
            Kind::Int(kind) => Some(kind.int(&self.model)),
            Kind::Bits(int) => Some(*int),
            Kind::Enum(no) => Some(self.enumeration(*no).int.int(&self.model)),
            _ => None,
        }
    }
    /// Whether it is an integer type.
    pub fn is_integer(&self, ty: Ty) -> bool {
        self.as_int(ty).is_some()
    }
    /// Whether it is a real floating type.
    pub fn is_float(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Float(_))
    }
    /// Whether it is an integer or a real floating type.
    pub fn is_arithmetic(&self, ty: Ty) -> bool {
        self.is_integer(ty) || self.is_float(ty)
    }
    /// What it points to.
    pub fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.kind(ty) {
            Kind::Pointer(to) => Some(*to),
            _ => None,
        }
    }
    /// Whether it is `void`.
    pub fn is_void(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), Kind::Void)
    }
    /// Whether its values fit a register: numbers and pointers.
    pub fn is_scalar(&self, ty: Ty) -> bool {
        self.is_arithmetic(ty) || self.pointee(ty).is_some()
    }
    /// The struct or union that it is.
    pub fn as_record(&self, ty: Ty) -> Option<RecordNo> {
        match self.kind(ty) {
            Kind::Record(no) => Some(*no),
            _ => None,
        }
    }
    /// The signature of a function type, or of what a pointer to one points to.
    pub fn signature(&self, ty: Ty) -> Option<&Signature> {
        match self.kind(ty) {
            Kind::Function(signature) => Some(signature),
            Kind::Pointer(to) => match self.kind(*to) {
                Kind::Function(signature) => Some(signature),
                _ => None,
            },
            _ => None,
        }
    }

    // Conversions.

    /// What a small integer becomes as an operand.
    pub fn promoted(&mut self, ty: Ty) -> Ty {
        match *self.kind(ty) {
            Kind::Bool => self.int(IntKind::Int),
            Kind::Int(kind) if kind.rank() < 3 => self.int(IntKind::Int),
            Kind::Enum(no) => {
                let kind = self.enumeration(no).int;
                self.int(if kind.rank() < 3 { IntKind::Int } else { kind })
            }
            Kind::Bits(int) if int.bits < 32 || int == Int::INT => self.int(IntKind::Int),
            Kind::Bits(int) if int.bits == 32 => self.int(IntKind::Unsigned),
            _ => self.plain(ty),
        }
    }

    /// What an argument becomes where no parameter says its type.
    pub fn default_promoted(&mut self, ty: Ty) -> Ty {
        match *self.kind(ty) {
            Kind::Float(FloatKind::Float) => self.of(Kind::Float(FloatKind::Double)),
            _ => self.promoted(ty),
        }
    }

    /// The type in which two arithmetic operands meet. None if one is not arithmetic.
    pub fn usual(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        let float = |kind: &Kind| match kind {
            Kind::Float(kind) => Some(*kind),
            _ => None,
        };
        match (float(self.kind(a)), float(self.kind(b))) {
            (Some(x), Some(y)) => return Some(self.of(Kind::Float(x.max(y)))),
            (Some(_), None) if self.is_integer(b) => return Some(self.plain(a)),
            (None, Some(_)) if self.is_integer(a) => return Some(self.plain(b)),
            (None, None) => {}
            _ => return None,
        }
        let (a, b) = (self.promoted(a), self.promoted(b));
        let (x, y) = (self.as_int(a)?, self.as_int(b)?);
        let rank = |types: &Types, ty: Ty, int: Int| match types.kind(ty) {
            Kind::Int(kind) => (int.bits, kind.rank()),
            _ => (int.bits, 0),
        };
        let (ra, rb) = (rank(self, a, x), rank(self, b, y));
        if x.signed == y.signed {
            return Some(if ra >= rb { a } else { b });
        }
        let ((s, rs), (u, ru)) = if x.signed { ((a, ra), (b, rb)) } else { ((b, rb), (a, ra)) };
        // By rank; equal widths of different rank give the one without a sign of the higher rank.
        Some(match (ru.0 >= rs.0, self.kind(s).clone()) {
            (true, Kind::Int(kind)) if ru.0 == rs.0 && rs.1 > ru.1 => self.int(kind.unsigned()),
            (true, _) => u,
            (false, _) => s,
        })
    }

    /// Whether two types are compatible: values of one may stand where the other is declared. Qualifiers
    /// count.
    pub fn compatible(&self, a: Ty, b: Ty) -> bool {
        let mut todo = vec![(a, b)];
        let mut seen: FxHashSet<(Ty, Ty)> = FxHashSet::default();
        while let Some((a, b)) = todo.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            let (x, y) = (&self.entries[a.0 as usize], &self.entries[b.0 as usize]);
            if x.is_const != y.is_const || x.is_volatile != y.is_volatile {
                return false;
            }
            match (&x.kind, &y.kind) {
                (Kind::Pointer(p), Kind::Pointer(q)) => todo.push((*p, *q)),
                (Kind::Array(p, n), Kind::Array(q, m)) => {
                    if let (Length::Known(n), Length::Known(m)) = (n, m)
                        && n != m
                    {
                        return false;
                    }
                    todo.push((*p, *q));
                }
                (Kind::Function(f), Kind::Function(g)) => {
                    todo.push((f.result, g.result));
                    if f.unprototyped || g.unprototyped {
                        continue;
                    }
                    if f.variadic != g.variadic || f.params.len() != g.params.len() {
                        return false;
                    }
                    todo.extend(f.params.iter().copied().zip(g.params.iter().copied()));
                }
                (Kind::Record(r), Kind::Record(s)) => {
                    let (r, s) = (self.record(*r), self.record(*s));
                    if r.is_union != s.is_union || r.name != s.name {
                        return false;
                    }
                    if !r.complete || !s.complete {
                        continue;
                    }
                    if r.members.len() != s.members.len() {
                        return false;
                    }
                    let same = |(m, n): (&Member, &Member)| {
                        m.name == n.name && m.bits == n.bits && m.offset == n.offset
                    };
                    if !r.members.iter().zip(&s.members).all(same) {
                        return false;
                    }
                    todo.extend(r.members.iter().zip(&s.members).map(|(m, n)| (m.ty, n.ty)));
                }
                (Kind::Enum(e), Kind::Int(kind)) | (Kind::Int(kind), Kind::Enum(e)) => {
                    if self.enumeration(*e).int != *kind {
                        return false;
                    }
                }
                (Kind::Enum(e), Kind::Enum(f)) => {
                    let (e, f) = (self.enumeration(*e), self.enumeration(*f));
                    if e.name != f.name || e.int != f.int {
                        return false;
                    }
                }
                (x, y) if x == y => {}
                _ => return false,
            }
        }
        true
    }

    /// What two declarations of one thing say together: a known length and parameters win.
    pub fn composite(&mut self, a: Ty, b: Ty) -> Ty {
        match (self.kind(a).clone(), self.kind(b).clone()) {
            (Kind::Array(p, n), Kind::Array(q, m)) => {
                let element = self.composite(p, q);
                let length = if n == Length::Unknown { m } else { n };
                self.of(Kind::Array(element, length))
            }
            (Kind::Function(f), Kind::Function(_)) if f.unprototyped => b,
            (Kind::Record(r), Kind::Record(_)) if !self.record(r).complete => b,
            _ => a,
        }
    }

    /// As it is written in a cast.
    pub fn show(&self, ty: Ty) -> String {
        let (mut before, mut after) = (String::new(), String::new());
        let mut ty = ty;
        let qualifiers = |ty: Ty| {
            let mut out = String::new();
            if self.is_const(ty) {
                out.push_str("const ");
            }
            if self.is_volatile(ty) {
                out.push_str("volatile ");
            }
            out
        };
        let mut was_pointer = false;
        loop {
            match self.kind(ty) {
                Kind::Pointer(to) => {
                    before.insert_str(0, &format!("*{}", qualifiers(ty)));
                    was_pointer = true;
                    ty = *to;
                    continue;
                }
                Kind::Array(element, length) => {
                    if std::mem::take(&mut was_pointer) {
                        before.insert(0, '(');
                        after.push(')');
                    }
                    after.push_str(&match length {
                        Length::Known(n) => format!("[{n}]"),
                        Length::Unknown => "[]".to_owned(),
                        Length::Variable(_) => "[*]".to_owned(),
                    });
                    ty = *element;
                    continue;
                }
                Kind::Function(signature) => {
                    if std::mem::take(&mut was_pointer) {
                        before.insert(0, '(');
                        after.push(')');
                    }
                    let mut params: Vec<String> =
                        signature.params.iter().map(|p| self.show_shallow(*p)).collect();
                    if signature.variadic {
                        params.push("...".to_owned());
                    }
                    if params.is_empty() && !signature.unprototyped {
                        params.push("void".to_owned());
                    }
                    after.push_str(&format!("({})", params.join(", ")));
                    ty = signature.result;
                    continue;
                }
                _ => {}
            }
            break;
        }
        let base = format!("{}{}", qualifiers(ty), self.base_name(ty));
        match before.is_empty() && after.is_empty() {
            true => base,
            false => format!("{base} {before}{after}"),
        }
    }

    /// A parameter's type: functions inside of it are not spelled out.
    fn show_shallow(&self, ty: Ty) -> String {
        let (mut stars, mut inner) = (String::new(), ty);
        while let Kind::Pointer(to) = self.kind(inner) {
            stars.push('*');
            inner = *to;
        }
        let base = match self.kind(inner) {
            Kind::Function(_) => "function".to_owned(),
            Kind::Array(..) => "array".to_owned(),
            _ => self.base_name(inner),
        };
        let space = if stars.is_empty() { "" } else { " " };
        format!("{}{base}{space}{stars}", if self.is_const(inner) { "const " } else { "" })
    }

    fn base_name(&self, ty: Ty) -> String {
        match self.kind(ty) {
            Kind::Void => "void".to_owned(),
            Kind::Bool => "_Bool".to_owned(),
            Kind::Int(kind) => kind.name().to_owned(),
            Kind::Bits(int) => format!("{}int:{}", if int.signed { "" } else { "u" }, int.bits),
            Kind::Float(kind) => kind.name().to_owned(),
            Kind::Record(no) => {
                let record = self.record(*no);
                if let (Some(_), Some(name)) = (record.parts, &record.name) {
                    return name.clone();
                }
                let tag = if record.is_union { "union" } else { "struct" };
                match &record.name {
                    Some(name) => format!("{tag} {name}"),
                    None => format!("{tag} #{}", no.0),
                }
            }
            Kind::Enum(no) => match &self.enumeration(*no).name {
                Some(name) => format!("enum {name}"),
                None => format!("enum #{}", no.0),
            },
            Kind::Pointer(_) | Kind::Array(..) | Kind::Function(_) => "?".to_owned(),
        }
    }
}
