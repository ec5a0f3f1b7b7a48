//! The tree of a translation unit: arenas of expressions, statements and types.
//!
//! Operands have smaller ids than what is made of them, so that a loop over the ids does the work of
//! a recursion.

use crate::extra::{Aligned, Extra};
use crate::lex::{Names, Place, Problem};
pub use c_types::Binary;
use c_types::Model;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The position in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A name kept once ([`Unit::name`]).
    Sym
);
id!(
    /// An expression.
    ExprId
);
id!(
    /// A statement.
    StmtId
);
id!(
    /// A type. Types are not kept once: equal types may have different ids.
    TypeId
);
id!(
    /// A `struct` or `union`.
    RecordId
);
id!(
    /// An initialiser.
    InitId
);
id!(
    /// A constant of an enumeration.
    EnumeratorId
);
id!(
    /// An enumeration.
    EnumId
);

/// A translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// What it declares, in order.
    pub items: Vec<Item>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Types.
    pub types: Vec<Type>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Initialisers.
    pub inits: Vec<Init>,
    /// Enumerators, in order.
    pub enumerators: Vec<Enumerator>,
    /// Enumerations.
    pub enums: Vec<Enumeration>,
    /// What types and values need, and control flow does not.
    pub extra: Extra,
    /// Assembler stands outside of functions.
    pub assembler: bool,
    /// The widths of types.
    pub model: Model,
    /// What could not be parsed.
    pub problems: Vec<Problem>,
    pub(crate) text: Box<str>,
    pub(crate) names: Names,
    pub(crate) files: Vec<String>,
}

impl Unit {
    /// A unit of which nothing could be read: it may do anything with what others can see.
    pub fn unread(name: &str, why: &str) -> Unit {
        let mut unit = crate::parse(&format!("# 1 \"{}\"\n", name.escape_default()));
        let at = Place { file: 1, ..Place::default() };
        unit.problems.push(Problem { at, message: why.to_owned(), function: None });
        unit
    }
    /// The text of a name.
    pub fn name(&self, sym: Sym) -> &str {
        self.names.get(sym)
    }
    /// The symbol of a name, if it occurs.
    pub fn sym(&self, name: &str) -> Option<Sym> {
        self.names.find(name)
    }
    /// File and line of a place, through line markers.
    pub fn place(&self, at: Place) -> (&str, u32) {
        (self.files.get(at.file as usize).map_or("", String::as_str), at.line)
    }
    /// The preprocessed text between two offsets; empty if they are none.
    pub fn slice(&self, from: u32, to: u32) -> &str {
        self.text.get(from as usize..to as usize).unwrap_or("")
    }
    /// Gives the files other names: a compiler tells names as seen from where it runs.
    pub fn rename_files(&mut self, rename: impl Fn(&str) -> String) {
        for file in &mut self.files {
            *file = rename(file);
        }
    }
    /// The names of the files that line markers mention; the first is unnamed.
    pub fn files(&self) -> &[String] {
        &self.files
    }
    /// The functions that have a body.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(f) => Some(f),
            Item::Declaration(_) => None,
        })
    }
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }
    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }
}

/// What stands at the top level.
#[derive(Debug)]
pub enum Item {
    /// A function with its body.
    Function(Function),
    /// Anything else that is declared.
    Declaration(Declaration),
}

/// A constant of an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Sym,
    /// Its value, if it is given; else that of the one before, plus 1.
    pub value: Option<ExprId>,
    /// It is the first one of its enumeration.
    pub first: bool,
}

/// An enumeration. One with a tag is kept once for each scope that declares it.
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    /// Its tag's name.
    pub tag: Option<Sym>,
    /// Its constants, once they are known.
    pub members: Option<Vec<EnumeratorId>>,
    /// Something else than its constants decides its width: an attribute, or a type that is named.
    pub odd: bool,
}

/// Where a thing lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// Nothing is said.
    #[default]
    None,
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// What attributes and specifiers say that matters to control flow and values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    /// It does not come back (`noreturn`, `_Noreturn`).
    pub noreturn: bool,
    /// This function is called with its address at the end of its scope.
    pub cleanup: Option<Sym>,
    /// It is called before `main`.
    pub constructor: bool,
    /// It is called when the program ends.
    pub destructor: bool,
    /// When, among the others: the priorities of both, if they are said.
    pub priorities: [Option<ExprId>; 2],
    /// It lies in a section in which the loader finds what it calls (a string, as it is written).
    pub loaders: Option<Sym>,
    /// Another definition may take its place.
    pub weak: bool,
    /// It is another name for what has this one (a string, as it is written).
    pub alias: Option<Sym>,
    /// This function returns the address of what is called by its name (a string, as it is written).
    pub ifunc: Option<Sym>,
    /// The name that the linker sees (a string, as it is written).
    pub asm_name: Option<Sym>,
    /// Its type is another one than is written (`mode`, `vector_size`).
    pub odd: bool,
    /// `packed`
    pub packed: bool,
    /// `aligned`, `_Alignas`
    pub aligned: Option<Aligned>,
    /// `mode`
    pub mode: Option<Sym>,
    /// `vector_size`: the bytes.
    pub vector: Option<ExprId>,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: Sym,
    /// Where.
    pub at: Place,
    /// Its type.
    pub ty: TypeId,
    /// How it is stored.
    pub storage: Storage,
    /// `__thread`, `_Thread_local`
    pub thread: bool,
    /// What attributes say.
    pub attributes: Attributes,
    /// The initial value.
    pub init: Option<InitId>,
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Sym,
    /// Where.
    pub at: Place,
    /// Its type: always [`TypeKind::Function`].
    pub ty: TypeId,
    /// How it is stored.
    pub storage: Storage,
    /// What attributes say.
    pub attributes: Attributes,
    /// Its parameters, with the types that a K&R definition declares behind the list.
    pub params: Vec<Param>,
    /// Its body.
    pub body: StmtId,
    /// The place of its closing brace.
    pub end: Place,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name, if it has one.
    pub name: Option<Sym>,
    /// Its type.
    pub ty: TypeId,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// `const`, anywhere at this level.
    pub is_const: bool,
    /// `volatile` or `_Atomic`: it may change at any time.
    pub is_volatile: bool,
    /// Attributes make another type of it.
    pub odd: bool,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `void`
    Void,
    /// An arithmetic type, as its sorted specifiers: `int`, `unsigned long`.
    Base(Sym),
    /// A name that `typedef` gave to another type.
    Named(Sym, TypeId),
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// A pointer.
    Pointer(TypeId),
    /// An array.
    Array(TypeId, Option<ExprId>),
    /// A function.
    Function {
        /// What it returns.
        result: TypeId,
        /// Its parameters.
        params: Vec<Param>,
        /// `...`
        variadic: bool,
        /// Nothing is said about its parameters: `f()`.
        unprototyped: bool,
    },
    /// `typeof` of an expression.
    TypeOf(ExprId),
    /// Something else: a built-in type, `__auto_type`.
    Other(Sym),
}

/// `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// `struct`
    Struct,
    /// `union`
    Union,
}

/// A struct or union. One with a tag is kept once for each scope that declares it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which of both.
    pub tag: Tag,
    /// Its tag's name.
    pub name: Option<Sym>,
    /// Its members, once they are known.
    pub fields: Option<Vec<Field>>,
}

/// A member.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name; none for an unnamed struct or bit field.
    pub name: Option<Sym>,
    /// Its type.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub bits: Option<ExprId>,
    /// `packed`
    pub packed: bool,
    /// `aligned`, `_Alignas`
    pub aligned: Option<Aligned>,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    /// A value.
    Expr(ExprId),
    /// A list; designators that are expressions, and those that are members.
    List(Vec<(Vec<ExprId>, Vec<Sym>, InitId)>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its first token.
    pub at: Place,
    /// The offset behind its last token, closing parentheses around it not included.
    pub end: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A variable or function.
    Name(Sym),
    /// A constant of an enumeration.
    Enumerator(EnumeratorId),
    /// A number or character, as it is written.
    Number(Sym),
    /// A string, as it is written.
    Text(Sym),
    /// One operand.
    Unary(Unary, ExprId),
    /// Two operands.
    Binary(Binary, ExprId, ExprId),
    /// `a = b`, `a += b`
    Assign(Assign, ExprId, ExprId),
    /// `a ? b : c`; without `b` in `a ?: c`.
    Conditional(ExprId, Option<ExprId>, ExprId),
    /// `a, b`
    Comma(ExprId, ExprId),
    /// A call.
    Call(ExprId, Vec<ExprId>),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `a.m`
    Field(ExprId, Sym),
    /// `a->m`
    Arrow(ExprId, Sym),
    /// `(type) a`
    Cast(TypeId, ExprId),
    /// `(type) { … }`
    Compound(TypeId, InitId),
    /// `sizeof`, `_Alignof` of an expression, which is not evaluated.
    SizeOf(ExprId),
    /// `sizeof (type)`
    SizeOfType(TypeId),
    /// `_Alignof (type)`, `offsetof` and what else is a constant about a type.
    AboutType(TypeId),
    /// `({ … })`
    Block(StmtId),
    /// `&&label`
    LabelAddress(Sym),
    /// `__builtin_va_arg(list, type)`
    VaArg(ExprId, TypeId),
    /// `_Generic(…)`: one of these is evaluated.
    Generic(ExprId, Vec<ExprId>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `~a`
    Complement,
    /// `__real__ a`, `__imag__ a`
    Part,
    /// `!a`
    Not,
    /// `*a`
    Deref,
    /// `&a`
    Address,
    /// `++a`, `--a`, `a++`, `a--`
    Step {
        /// `++`
        up: bool,
        /// It stands behind its operand.
        after: bool,
    },
}

/// `=`, or an operator that assigns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assign {
    /// `=`
    Plain,
    /// `+=` and its kind.
    With(Binary),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its first token.
    pub at: Place,
    /// The offset behind its last token.
    pub end: u32,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// An expression.
    Expr(ExprId),
    /// `{ … }`, with the place of its closing brace.
    Block(Vec<StmtId>, Place),
    /// Declarations.
    Declare(Vec<Declaration>),
    /// `if`
    If(ExprId, StmtId, Option<StmtId>),
    /// `switch`
    Switch(ExprId, StmtId),
    /// `while`
    While(ExprId, StmtId),
    /// `do`
    DoWhile(StmtId, ExprId),
    /// `for`
    For(ForInit, Option<ExprId>, Option<ExprId>, StmtId),
    /// `goto l`
    Goto(Sym),
    /// `goto *e`
    GotoComputed(ExprId),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<ExprId>),
    /// `l: s`
    Label(Sym, StmtId),
    /// `case a: s`, `case a ... b: s`
    Case(ExprId, Option<ExprId>, StmtId),
    /// `default: s`
    Default(StmtId),
    /// `asm`
    Asm(Asm),
}

/// What a `for` begins with.
#[derive(Clone, Debug)]
pub enum ForInit {
    /// Nothing.
    None,
    /// An expression.
    Expr(ExprId),
    /// Declarations.
    Declare(Vec<Declaration>),
}

/// An `asm` statement.
#[derive(Clone, Debug, Default)]
pub struct Asm {
    /// What it writes.
    pub outputs: Vec<ExprId>,
    /// What it reads.
    pub inputs: Vec<ExprId>,
    /// Where `asm goto` may jump.
    pub labels: Vec<Sym>,
    /// It may write anywhere: it says so, or has no operands.
    pub memory: bool,
    /// Its text is empty.
    pub empty: bool,
    /// Of each input, the output that lies where it lies.
    pub ties: Vec<Option<u32>>,
    /// Outputs that are read, too (`+`).
    pub kept: Vec<bool>,
}
