//! What declarations mean: constants, types, and variables that are made of cells.
//!
//! A struct is its fields, an array of structs an array for each field, and a two-dimensional array
//! one with a single dimension, row after row; each such part is a variable of the program model, a
//! [`Leaf`].

use ir::{BinaryOp, Scalar, Type, VarId};
use rustc_hash::FxHashMap;
use source::{Span, suggest};
use syntax::Language;

use crate::MAX_CELLS;
use crate::error::{LowerError, LowerErrorKind};
use crate::tree::{BinOp, Decl, Dim, ExprId, ExprKind, List, Name, Place, Symbol, Tree, TypeName};

/// A nearest name is looked for in this many errors; the search reads every name in scope.
const SUGGESTIONS: usize = 50;

/// The type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A boolean.
    Bool,
    /// An unsigned integer.
    Int {
        /// Of so many bits.
        bits: u32,
    },
    /// A member of an enumeration.
    Enum {
        /// Which.
        number: usize,
        /// How many members it has.
        size: u32,
        /// The bits that number them.
        bits: u32,
    },
}

impl Cell {
    /// As the program model has it.
    pub(crate) fn scalar(self) -> Scalar {
        match self {
            Cell::Bool => Scalar::Bool,
            Cell::Int { bits } | Cell::Enum { bits, .. } => Scalar::Int { bits },
        }
    }

    /// The number below which an arbitrary value lies, where its bits do not say so.
    pub(crate) fn limit(self) -> Option<u32> {
        match self {
            Cell::Enum { size, bits, .. } if size < 1 << bits => Some(size),
            _ => None,
        }
    }
}

/// The indices of one dimension: from `lo`, so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The least index.
    pub(crate) lo: i64,
    /// How many there are.
    pub(crate) len: u32,
}

impl Extent {
    /// The greatest index.
    pub(crate) fn hi(self) -> i64 {
        self.lo + self.len as i64 - 1
    }
}

/// What is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The type of a cell, or the number of the struct.
    pub(crate) of: Result<Cell, usize>,
    /// At most two.
    pub(crate) dims: Vec<Extent>,
}

/// A variable of the program model: a variable of the source or one field of it.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// The variable.
    pub(crate) var: VarId,
    /// The type of its cells.
    pub(crate) cell: Cell,
    /// Its dimensions in the source, at most two.
    pub(crate) dims: Vec<Extent>,
}

impl Leaf {
    /// Its type in the program model.
    pub(crate) fn ty(&self) -> Type {
        ty(self.cell, &self.dims)
    }

    /// How many cells it has; none if it is no array.
    pub(crate) fn cells(&self) -> Option<i64> {
        let cells = self.dims.iter().map(|dim| dim.len as i64).product();
        (!self.dims.is_empty()).then_some(cells)
    }

    /// The least index in the program model.
    pub(crate) fn base(&self) -> i64 {
        match self.dims[..] {
            [only] => only.lo,
            _ => 0,
        }
    }
}

fn ty(cell: Cell, dims: &[Extent]) -> Type {
    match *dims {
        [] => Type { scalar: cell.scalar(), array: None },
        [only] => Type::array(cell.scalar(), only.lo, only.len),
        _ => Type::array(cell.scalar(), 0, dims.iter().map(|dim| dim.len).product()),
    }
}

/// A variable of the source.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    /// Where it is declared.
    pub(crate) name: Name,
    /// Its type.
    pub(crate) shape: Shape,
    /// Its one part, or its fields in the order of the struct.
    pub(crate) leaves: Vec<Leaf>,
}

#[derive(Clone, Debug)]
struct Field {
    name: Name,
    cell: Cell,
    dims: Vec<Extent>,
}

/// What names mean outside of any scope, and what was found wrong so far.
pub(crate) struct Types<'t> {
    /// The tree.
    pub(crate) tree: &'t Tree,
    /// What was found wrong.
    pub(crate) errors: Vec<LowerError>,
    /// The language of the errors.
    pub(crate) language: Language,
    constants: FxHashMap<Symbol, (i64, Span)>,
    enums: Vec<(u32, u32)>,
    enum_names: FxHashMap<Symbol, (usize, Span)>,
    structs: Vec<Vec<Field>>,
    struct_names: FxHashMap<Symbol, (usize, Span)>,
    default_bits: Option<u32>,
}

impl<'t> Types<'t> {
    /// Nothing is declared.
    pub(crate) fn new(tree: &'t Tree, language: Language) -> Types<'t> {
        Types {
            tree,
            errors: Vec::new(),
            language,
            constants: FxHashMap::default(),
            enums: Vec::new(),
            enum_names: FxHashMap::default(),
            structs: Vec::new(),
            struct_names: FxHashMap::default(),
            default_bits: None,
        }
    }

    /// Records an error.
    pub(crate) fn error(&mut self, kind: LowerErrorKind, span: Span) {
        self.errors.push(LowerError { kind, span: Some(span), language: self.language });
    }

    /// A name's text.
    pub(crate) fn text(&self, symbol: Symbol) -> String {
        self.tree.text(symbol).to_string()
    }

    /// The nearest of the known names.
    pub(crate) fn nearest(
        &self,
        symbol: Symbol,
        known: impl Iterator<Item = Symbol>,
    ) -> Option<String> {
        if self.errors.len() >= SUGGESTIONS {
            return None;
        }
        let mut known: Vec<Symbol> = known.collect();
        known.sort_unstable();
        let texts = known.iter().map(|&symbol| self.tree.text(symbol));
        suggest(self.tree.text(symbol), texts).map(str::to_string)
    }

    /// Records that a name is declared twice.
    pub(crate) fn twice(&mut self, what: &'static str, name: Name, first: Span) {
        let text = self.text(name.symbol);
        self.error(LowerErrorKind::DeclaredTwice { what, name: text, first }, name.span);
    }

    /// The value of a constant.
    pub(crate) fn constant_named(&self, symbol: Symbol) -> Option<i64> {
        self.constants.get(&symbol).map(|&(value, _)| value)
    }

    /// The names of constants.
    pub(crate) fn constants(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.constants.keys().copied()
    }

    /// Where a constant of the name is declared.
    pub(crate) fn constant_span(&self, symbol: Symbol) -> Option<Span> {
        self.constants.get(&symbol).map(|&(_, span)| span)
    }

    fn define_constant(&mut self, name: Name, value: i64) {
        match self.constants.get(&name.symbol) {
            Some(&(_, first)) => self.twice("constant", name, first),
            None => _ = self.constants.insert(name.symbol, (value, name.span)),
        }
    }

    /// `define N e`, or the default number of bits.
    pub(crate) fn define(&mut self, name: Option<Name>, value: ExprId) {
        let Some(number) = self.constant(value) else { return };
        match name {
            Some(name) => self.define_constant(name, number),
            None => self.default_bits = self.good_bits(number, self.tree.expr(value).span),
        }
    }

    fn good_bits(&mut self, bits: i64, span: Span) -> Option<u32> {
        match u32::try_from(bits) {
            Ok(bits @ 1..=32) => Some(bits),
            _ => {
                self.error(LowerErrorKind::BadBits(bits), span);
                None
            }
        }
    }

    /// The value of a constant expression.
    pub(crate) fn constant(&mut self, root: ExprId) -> Option<i64> {
        let mut values: Vec<i64> = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((id, done)) = work.pop() {
            let expr = self.tree.expr(id);
            let problem = match expr.kind {
                ExprKind::Int(value) => {
                    values.push(value);
                    continue;
                }
                ExprKind::Place(place) => match self.plain(place) {
                    Some(name) => match self.constant_named(name.symbol) {
                        Some(value) => {
                            values.push(value);
                            continue;
                        }
                        None => LowerErrorKind::Unknown {
                            what: "constant",
                            name: self.text(name.symbol),
                            nearest: self.nearest(name.symbol, self.constants()),
                        },
                    },
                    None => LowerErrorKind::NotConstant,
                },
                ExprKind::Binary(op, a, b) if arithmetic(op).is_some() => {
                    if !done {
                        work.extend([(id, true), (b, false), (a, false)]);
                        continue;
                    }
                    let b = values.pop().expect("operands come before operators");
                    let a = values.pop().expect("operands come before operators");
                    let op = arithmetic(op).expect("just seen");
                    match fold(op, a, b) {
                        Ok(value) => {
                            values.push(value);
                            continue;
                        }
                        Err(why) => LowerErrorKind::NoValue(why),
                    }
                }
                _ => LowerErrorKind::NotConstant,
            };
            self.error(problem, expr.span);
            return None;
        }
        values.pop()
    }

    /// The name, if the place is one.
    pub(crate) fn plain(&self, place: Place) -> Option<Name> {
        let base = place.base;
        (place.field.is_none() && base.primes == 0 && base.indices.is_empty()).then_some(base.name)
    }

    /// The type that is named or defined here, `None` after an error.
    fn base(&mut self, ty: TypeName) -> Option<Result<Cell, usize>> {
        match ty {
            TypeName::Void => None,
            TypeName::Bool => Some(Ok(Cell::Bool)),
            // Its bits come with the variable.
            TypeName::Int => Some(Ok(Cell::Int { bits: 0 })),
            TypeName::Enum(name) => match self.enum_names.get(&name.symbol) {
                Some(&(number, _)) => Some(Ok(self.enumeration(number))),
                None => {
                    let nearest = self.nearest(name.symbol, self.enum_names.keys().copied());
                    self.unknown("enum", name, nearest);
                    None
                }
            },
            TypeName::EnumOf(name, members) => {
                let number = self.define_enum(members);
                if let Some(name) = name {
                    match self.enum_names.get(&name.symbol) {
                        Some(&(_, first)) => self.twice("enum", name, first),
                        None => _ = self.enum_names.insert(name.symbol, (number, name.span)),
                    }
                }
                Some(Ok(self.enumeration(number)))
            }
            TypeName::Struct(name) => match self.struct_names.get(&name.symbol) {
                Some(&(number, _)) => Some(Err(number)),
                None => {
                    let nearest = self.nearest(name.symbol, self.struct_names.keys().copied());
                    self.unknown("struct", name, nearest);
                    None
                }
            },
            TypeName::StructOf(name, fields) => {
                let number = self.define_struct(fields);
                if let Some(name) = name {
                    match self.struct_names.get(&name.symbol) {
                        Some(&(_, first)) => self.twice("struct", name, first),
                        None => _ = self.struct_names.insert(name.symbol, (number, name.span)),
                    }
                }
                Some(Err(number))
            }
        }
    }

    /// Records that nothing has a name.
    pub(crate) fn unknown(&mut self, what: &'static str, name: Name, nearest: Option<String>) {
        let text = self.text(name.symbol);
        self.error(LowerErrorKind::Unknown { what, name: text, nearest }, name.span);
    }

    fn enumeration(&self, number: usize) -> Cell {
        let (size, bits) = self.enums[number];
        Cell::Enum { number, size, bits }
    }

    fn define_enum(&mut self, members: List<Name>) -> usize {
        let tree = self.tree;
        let size = members.len() as u32;
        for (i, &member) in tree.names(members).iter().enumerate() {
            self.define_constant(member, i as i64);
        }
        let bits = (u32::BITS - size.saturating_sub(1).leading_zeros()).max(1);
        self.enums.push((size, bits));
        self.enums.len() - 1
    }

    fn define_struct(&mut self, decls: List<Decl>) -> usize {
        let tree = self.tree;
        let mut fields: Vec<Field> = Vec::new();
        for decl in tree.list(decls) {
            let base = match decl.ty {
                TypeName::Struct(_) | TypeName::StructOf(..) => {
                    self.error(LowerErrorKind::NestedStruct, decl.span);
                    None
                }
                ty => self.base(ty),
            };
            for var in tree.list(decl.vars) {
                let Some(Ok(cell)) = base else { continue };
                let Some(shape) = self.shape(Ok(cell), var.dims, var.bits, var.name) else {
                    continue;
                };
                let Ok(cell) = shape.of else { continue };
                match fields.iter().find(|field| field.name.symbol == var.name.symbol) {
                    Some(field) => self.twice("field", var.name, field.name.span),
                    None => fields.push(Field { name: var.name, cell, dims: shape.dims }),
                }
            }
        }
        self.structs.push(fields);
        self.structs.len() - 1
    }

    fn shape(
        &mut self,
        of: Result<Cell, usize>,
        dims: List<Dim>,
        bits: Option<ExprId>,
        name: Name,
    ) -> Option<Shape> {
        let of = match (of, bits) {
            (Ok(Cell::Int { .. }), Some(bits)) => {
                let number = self.constant(bits)?;
                let bits = self.good_bits(number, self.tree.expr(bits).span)?;
                Ok(Cell::Int { bits })
            }
            (Ok(Cell::Int { .. }), None) => match self.default_bits {
                Some(bits) => Ok(Cell::Int { bits }),
                None => {
                    let text = self.text(name.symbol);
                    self.error(LowerErrorKind::UnknownBits(text), name.span);
                    return None;
                }
            },
            (_, Some(bits)) => {
                self.error(LowerErrorKind::MisplacedBits, self.tree.expr(bits).span);
                return None;
            }
            (of, None) => of,
        };
        let tree = self.tree;
        let mut extents = Vec::new();
        let mut cells = 1i128;
        for dim in tree.list(dims) {
            let (lo, len) = match dim.lo {
                None => (0, self.constant(dim.hi)? as i128),
                Some(lo) => {
                    let (lo, hi) = (self.constant(lo)?, self.constant(dim.hi)?);
                    (lo, hi as i128 - lo as i128 + 1)
                }
            };
            cells = cells.saturating_mul(len);
            if !(1..=MAX_CELLS as i128).contains(&len) || cells > MAX_CELLS as i128 {
                let cells = if len < 1 { len } else { cells };
                self.error(LowerErrorKind::BadDimension { cells }, dim.span);
                return None;
            }
            extents.push(Extent { lo, len: len as u32 });
        }
        if let Err(number) = of
            && !extents.is_empty()
            && let Some(field) = self.structs[number].iter().find(|f| !f.dims.is_empty())
        {
            let text = self.text(field.name.symbol);
            self.error(LowerErrorKind::ArrayInArray(text), name.span);
            return None;
        }
        Some(Shape { of, dims: extents })
    }

    /// The shapes of the variables that a declaration declares, by their names; those that are
    /// wrong are left out, after an error.
    pub(crate) fn declared(&mut self, decl: &Decl) -> Vec<(Name, Shape)> {
        let tree = self.tree;
        let base = self.base(decl.ty);
        let mut out = Vec::new();
        for var in tree.list(decl.vars) {
            if let Some(of) = base
                && let Some(shape) = self.shape(of, var.dims, var.bits, var.name)
            {
                out.push((var.name, shape));
            }
        }
        out
    }

    /// The shape of what a module returns, `Some(None)` if it returns nothing; `None` after an error.
    pub(crate) fn returned(
        &mut self,
        ty: TypeName,
        dims: List<Dim>,
        bits: Option<ExprId>,
        name: Name,
    ) -> Option<Option<Shape>> {
        if let TypeName::Void = ty {
            return Some(None);
        }
        let of = self.base(ty)?;
        self.shape(of, dims, bits, name).map(Some)
    }

    /// A variable of the shape, its parts declared one by one.
    pub(crate) fn entity(
        &self,
        name: Name,
        shape: Shape,
        mut declare: impl FnMut(&str, Type) -> VarId,
    ) -> Entity {
        let text = self.tree.text(name.symbol);
        let mut leaf = |name: String, cell: Cell, dims: &[Extent]| Leaf {
            var: declare(&name, ty(cell, dims)),
            cell,
            dims: dims.to_vec(),
        };
        let leaves = match shape.of {
            Ok(cell) => vec![leaf(text.to_string(), cell, &shape.dims)],
            Err(number) => self.structs[number]
                .iter()
                .map(|field| {
                    let dims = if shape.dims.is_empty() { &field.dims } else { &shape.dims };
                    leaf(format!("{text}.{}", self.tree.text(field.name.symbol)), field.cell, dims)
                })
                .collect(),
        };
        Entity { name, shape, leaves }
    }

    /// The number of a field, and whether it is an array by itself.
    pub(crate) fn field(&self, number: usize, name: Symbol) -> Option<(usize, bool)> {
        let fields = &self.structs[number];
        let i = fields.iter().position(|field| field.name.symbol == name)?;
        Some((i, !fields[i].dims.is_empty()))
    }

    /// The names of a struct's fields.
    pub(crate) fn fields(&self, number: usize) -> impl Iterator<Item = Symbol> + '_ {
        self.structs[number].iter().map(|field| field.name.symbol)
    }
}

/// The operator on integers, if it is one.
pub(crate) fn arithmetic(op: BinOp) -> Option<BinaryOp> {
    Some(match op {
        BinOp::Add => BinaryOp::Add,
        BinOp::Sub => BinaryOp::Sub,
        BinOp::Mul => BinaryOp::Mul,
        BinOp::Div => BinaryOp::Div,
        BinOp::Shl => BinaryOp::Shl,
        BinOp::Shr => BinaryOp::Shr,
        BinOp::BitAnd => BinaryOp::BitAnd,
        BinOp::BitOr => BinaryOp::BitOr,
        BinOp::BitXor => BinaryOp::BitXor,
        _ => return None,
    })
}

/// The value of an operation on constants, or why it has none.
fn fold(op: BinaryOp, a: i64, b: i64) -> Result<i64, &'static str> {
    use ir::eval::Val;
    match ir::eval::binary(op, Val::Known(a as i128), Val::Known(b as i128)) {
        Val::Known(value) => i64::try_from(value).map_err(|_| "it is too large"),
        _ if op == BinaryOp::Div => Err("a division by zero"),
        _ => Err("a shift by too much"),
    }
}
