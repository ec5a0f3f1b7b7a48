//! The data program: C as control-flow graphs in which nothing is implicit.
//!
//! Every expression has its type, conversions are written out, and expressions have no effects: calls, stores
//! and jumps are statements of their own, in the order of evaluation, left to right. Operators are total and
//! wrap. What C leaves undefined can be read off an expression ([`Program::undefined`]): signed operators may
//! overflow, divisors may be zero, addresses may be invalid.

use c_types::{Ty, Types};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The one at a position.
            pub fn new(index: usize) -> Self {
                $name(index as u32)
            }
            /// Its position.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A function.
    FuncId
);
id!(
    /// An object with static storage: a global, a static local, a string.
    ObjectId
);
id!(
    /// A local of a function.
    LocalId
);
id!(
    /// A block of a function.
    BlockId
);
id!(
    /// An expression of a function. Operands have smaller numbers.
    ExprId
);

/// File and line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct At {
    /// The file, in [`Program::files`].
    pub file: u32,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
}

/// A linked program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The types.
    pub types: Types,
    /// The names of source files.
    pub files: Vec<String>,
    /// Objects with static storage.
    pub objects: Vec<Object>,
    /// Functions, with and without bodies.
    pub functions: Vec<Function>,
    /// What is not covered: what is said of it, and where.
    pub gaps: Vec<Gap>,
    /// What was noticed about types that disagree.
    pub warnings: Vec<Gap>,
    /// The functions that run before `main`, in order ([`crate::by_themselves`]).
    pub before: Vec<FuncId>,
    /// The functions that run when the program ends, in order.
    pub after: Vec<FuncId>,
    /// Why it is not known that nothing else runs by itself, or not in this order.
    pub unfollowed: Option<Gap>,
}

/// Something that is not covered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Gap {
    /// Where.
    pub at: At,
    /// One phrase.
    pub what: String,
}

/// What an address is relative to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// An object with static storage.
    Object(ObjectId),
    /// A function.
    Function(FuncId),
    /// A block of a function whose label's address is taken.
    Label(FuncId, BlockId),
}

/// An object with static storage.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment.
    pub align: u64,
    /// Its initial bytes; what is missing is 0.
    pub bytes: Vec<u8>,
    /// Addresses among them: where, of what, and how far from it.
    pub addresses: Vec<(u64, Root, i64)>,
    /// It must not be written: a string, or `const`.
    pub read_only: bool,
    /// It is defined, not only declared.
    pub defined: bool,
    /// It need not be there: if it is not defined, its address is null.
    pub weak: bool,
    /// It belongs to the program, and not to the models of the library.
    pub own: bool,
    /// Where it is declared.
    pub at: At,
}

/// Where a local lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// It is a scalar whose address nobody has.
    Register,
    /// It has an address.
    Memory,
    /// It is an aggregate parameter: its address is what the caller passes.
    ByAddress,
}

/// A local.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; empty for what lowering adds.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Where it lives.
    pub home: Home,
    /// Its alignment, where it lives in memory.
    pub align: u64,
    /// Where it is declared.
    pub at: At,
    /// The last line of its scope; 0 if that is the function's.
    pub until: u32,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its parameters.
    pub params: Vec<LocalId>,
    /// Its locals, parameters included.
    pub locals: Vec<Local>,
    /// Its expressions.
    pub exprs: Vec<Expr>,
    /// Its blocks; the first one is the entry. None without a body.
    pub blocks: Vec<Block>,
    /// Its labels in order of their names, with the blocks that start there.
    pub labels: Vec<(String, BlockId)>,
    /// It takes more arguments than it names.
    pub variadic: bool,
    /// Its parameters were declared the old way: arguments come promoted.
    pub old_style: bool,
    /// It need not be there: without a body, its address is null.
    pub weak: bool,
    /// Its body is that of a weak definition: another file that is linked with these may have another one.
    pub gives_way: bool,
    /// It belongs to the program, and not to the models of the library.
    pub own: bool,
    /// It stands inside of another function: its first parameter is that one's frame, which calls through pointers
    /// do not pass.
    pub chained: bool,
    /// Where it is defined.
    pub at: At,
}

/// Statements, and where control goes then.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Where control goes.
    pub end: End,
    /// Where that is decided.
    pub end_at: At,
}

/// An expression without effects.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type: a scalar one. The address of an aggregate has the aggregate's type where the aggregate is
    /// meant.
    pub ty: Ty,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, as its type has it.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// The value of a local that lives in a register.
    Local(LocalId),
    /// The address of a local.
    AddressOf(LocalId),
    /// The address of something else.
    Root(Root),
    /// What is stored at an address.
    Load(ExprId),
    /// The bits of a bit-field: the address of its first byte, its first bit there, its width.
    LoadBits(ExprId, u8, u8),
    /// An operator with one operand.
    Unary(UnOp, ExprId),
    /// An operator with two operands of one type; for shifts, the second is of any integer type.
    Binary(BinOp, ExprId, ExprId),
    /// A conversion to the type of the expression.
    Convert(ExprId),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnOp {
    /// `-a`
    Neg,
    /// `~a`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// `a + b`; also of a pointer and a distance in bytes.
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a % b`
    Rem,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    Shl,
    /// `a >> b`
    Shr,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
}

impl BinOp {
    /// Whether it compares.
    pub fn compares(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le)
    }
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands.
    pub at: At,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Gives a register local a value.
    Set(LocalId, ExprId),
    /// Computes a value for what may be undefined about it.
    Eval(ExprId),
    /// Stores a scalar.
    Store {
        /// Where.
        to: ExprId,
        /// What; its type says how many bytes.
        value: ExprId,
    },
    /// Stores into a bit-field.
    StoreBits {
        /// The byte of its first bit.
        to: ExprId,
        /// Its first bit there.
        first: u8,
        /// How many bits.
        width: u8,
        /// What.
        value: ExprId,
    },
    /// Copies an aggregate.
    Copy {
        /// Where to.
        to: ExprId,
        /// Where from.
        from: ExprId,
        /// How many bytes.
        size: u64,
    },
    /// Makes bytes 0.
    Zero {
        /// Where.
        to: ExprId,
        /// How many bytes.
        size: u64,
    },
    /// A call.
    Call(Call),
    /// Makes an object that lives until its frame ends, or until its mark is freed; the local becomes its
    /// address.
    Allocate {
        /// The local.
        to: LocalId,
        /// How many bytes.
        size: ExprId,
    },
    /// Remembers how much was allocated in this frame.
    Mark(LocalId),
    /// Frees what was allocated since.
    Free(LocalId),
    /// A local is declared: it is there from here on, and has no value yet.
    Begin(LocalId),
    /// A local of an inner block that lives in memory is there, whether it was before or not.
    Alive(LocalId),
    /// Locals of inner blocks that live in memory are there no more.
    Leave(Vec<LocalId>),
    /// `va_start`: the address of the list.
    VaStart(ExprId),
    /// `va_arg`: the local becomes the address of the next argument.
    VaNext {
        /// The local.
        to: LocalId,
        /// The address of the list.
        list: ExprId,
        /// The argument's type.
        ty: Ty,
    },
    /// `setjmp`: the local becomes 0, and later what `longjmp` says.
    SetJump {
        /// The address of the buffer.
        buffer: ExprId,
        /// The local.
        result: LocalId,
    },
    /// An operator that tells whether its exact result fits (`__builtin_add_overflow`).
    Overflow {
        /// The operator.
        op: BinOp,
        /// Its operands, of any integer types.
        operands: (ExprId, ExprId),
        /// The type in which the result must fit; the local of that type becomes what is left of it.
        result: LocalId,
        /// This local of type `_Bool` becomes whether it did not fit.
        overflow: LocalId,
    },
    /// Makes the address that calls a function inside of another one with the frame of that one.
    Closure {
        /// The local that gets it.
        to: LocalId,
        /// The address of the function ([`Function::chained`]).
        function: ExprId,
        /// The frame.
        chain: ExprId,
    },
    /// An index into an array that is part of an object: whether it stays in the array is asked with
    /// [`Check::Memory`](crate::Check::Memory), and nothing happens here otherwise.
    Within {
        /// The index, as a size.
        index: ExprId,
        /// How many elements there are.
        count: ExprId,
        /// Whether the index is inside.
        inside: ExprId,
    },
    /// What is not covered: a run that gets here ends.
    NotCovered(String),
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// This function.
    Direct(FuncId),
    /// The function at an address.
    Indirect(ExprId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The type of function that the call expects.
    pub ty: Ty,
    /// The arguments, converted; aggregates by the address of a copy.
    pub args: Vec<ExprId>,
    /// The local that gets a scalar result.
    pub result: Option<LocalId>,
    /// Where an aggregate result goes.
    pub result_at: Option<ExprId>,
}

/// Where control goes at the end of a block.
#[derive(Clone, Debug)]
pub enum End {
    /// To a block.
    Jump(BlockId),
    /// By a number that is not 0, or 0.
    Branch(ExprId, BlockId, BlockId),
    /// By ranges of values.
    Switch(ExprId, Vec<(i128, i128, BlockId)>, BlockId),
    /// To the label whose address this is.
    JumpTo(ExprId),
    /// Back to the caller; an aggregate by its address.
    Return(Option<ExprId>),
    /// To the end of a function that has a result to give.
    FellOff,
    /// Nowhere: the program says that this is not reached.
    Unreachable,
}

/// A place that a run may come to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Point {
    /// Before a statement of a block; one past the last is where the block ends.
    Before(FuncId, BlockId, u32),
    /// A call of a function, with or without a body.
    Call(FuncId),
}

/// What C leaves undefined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Undefined {
    /// The result of a signed operator does not fit.
    Overflow,
    /// A divisor is 0.
    DivisionByZero,
    /// A shift by a negative number, or by as many bits as there are.
    Shift,
    /// A number with a fraction does not fit the integer type.
    FloatToInt,
    /// An address at which there is nothing of that size.
    Address,
}

impl Undefined {
    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Undefined::Overflow => "signed overflow",
            Undefined::DivisionByZero => "division by zero",
            Undefined::Shift => "shift out of range",
            Undefined::FloatToInt => "floating value out of range",
            Undefined::Address => "invalid access",
        }
    }
}

impl Function {
    /// Whether it has a body.
    pub fn has_body(&self) -> bool {
        !self.blocks.is_empty()
    }
    /// What is left of an expression whose value nobody wants: compilers read nothing then, unless it is
    /// `volatile`.
    pub fn wanted(&self, id: ExprId) -> ExprId {
        let mut e = id;
        while let ExprKind::Convert(a) = self.expr(e).kind {
            e = a;
        }
        match self.expr(e).kind {
            ExprKind::Load(address) | ExprKind::LoadBits(address, ..) => address,
            _ => id,
        }
    }
    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
}

impl Program {
    /// Whether a text of the program counts what is printed (`%n`): what prints may write through its arguments then.
    pub fn counts_printed(&self) -> bool {
        let counting = |part: &[u8]| {
            let end = part.iter().position(|c| !b"0123456789 #+-.*$'hlLqjzt".contains(c));
            end.is_some_and(|at| part[at] == b'n')
        };
        let mut texts = self.objects.iter().map(|o| &o.bytes);
        texts.any(|bytes| bytes.split(|&c| c == b'%').skip(1).any(counting))
    }
    /// Whether an address is that of something that nobody defines, and that need not be there.
    pub fn may_be_absent(&self, root: Root) -> bool {
        match root {
            Root::Object(o) => self.objects[o.index()].weak && !self.objects[o.index()].defined,
            Root::Function(f) => {
                let f = &self.functions[f.index()];
                f.weak && !f.has_body()
            }
            Root::Label(..) => false,
        }
    }

    /// Whether the loader calls a function.
    pub fn runs_by_itself(&self, f: FuncId) -> bool {
        self.before.contains(&f) || self.after.contains(&f)
    }

    /// Where the library's `errno` is, if the program looks at it.
    pub fn errno(&self) -> Option<ObjectId> {
        let location = self.functions.iter().position(|f| f.name == "__errno_location")?;
        let calls = |s: &Stmt| matches!(&s.kind, StmtKind::Call(Call { callee: Callee::Direct(f), .. }) if f.index() == location);
        let taken =
            |e: &Expr| matches!(e.kind, ExprKind::Root(Root::Function(f)) if f.index() == location);
        let mut own = self.functions.iter().filter(|f| f.own);
        let looks = own.any(|f| {
            f.exprs.iter().any(taken) || f.blocks.iter().flat_map(|b| &b.stmts).any(calls)
        });
        let errno = self.objects.iter().position(|o| o.name == "bop_errno" && !o.own)?;
        looks.then(|| ObjectId::new(errno))
    }

    /// The function of a name, the program's own before the library's.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        let named = |f: &&(usize, &Function)| f.1.name == name;
        let all: Vec<(usize, &Function)> = self.functions.iter().enumerate().collect();
        let found = all.iter().filter(named).max_by_key(|(_, f)| (f.has_body(), f.own));
        found.map(|(i, _)| FuncId::new(*i))
    }

    /// What may be undefined when an expression is computed, its operands aside.
    pub fn undefined(&self, f: &Function, e: ExprId) -> Vec<Undefined> {
        let expr = f.expr(e);
        let signed = self.types.as_int(expr.ty).is_some_and(|int| int.signed);
        match expr.kind {
            ExprKind::Load(_) | ExprKind::LoadBits(..) => vec![Undefined::Address],
            ExprKind::Unary(UnOp::Neg, _) if signed => vec![Undefined::Overflow],
            ExprKind::Binary(op, ..) => match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul if signed => vec![Undefined::Overflow],
                BinOp::Div | BinOp::Rem if self.types.is_integer(expr.ty) => match signed {
                    true => vec![Undefined::DivisionByZero, Undefined::Overflow],
                    false => vec![Undefined::DivisionByZero],
                },
                BinOp::Shl if signed => vec![Undefined::Shift, Undefined::Overflow],
                BinOp::Shl | BinOp::Shr => vec![Undefined::Shift],
                _ => Vec::new(),
            },
            ExprKind::Convert(a)
                if self.types.is_float(f.expr(a).ty) && self.types.is_integer(expr.ty) =>
            {
                vec![Undefined::FloatToInt]
            }
            _ => Vec::new(),
        }
    }

    /// File and line in words.
    pub fn place(&self, at: At) -> String {
        match self.files.get(at.file as usize) {
            Some(file) if at.line > 0 => format!("{file}:{}", at.line),
            Some(file) => file.clone(),
            None => String::new(),
        }
    }
}
