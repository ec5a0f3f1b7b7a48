//! The code that the machine executes: a register machine with 64-bit registers.
//!
//! A register holds an integer as its type has it, extended to 64 bits by its sign or by zeros; an address; or
//! the bits of a `float` or `double`. Integers of 128 bits take two registers, the low half first.

use c_data::{At, FuncId, LocalId};
use rustc_hash::FxHashMap;

/// A register of the current frame.
pub(crate) type Reg = u32;
/// A position in the code.
pub(crate) type Pc = u32;

/// Operators with two operands, each for the types that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bin {
    AddI32,
    AddU32,
    AddI64,
    AddU64,
    SubI32,
    SubU32,
    SubI64,
    SubU64,
    MulI32,
    MulU32,
    MulI64,
    MulU64,
    DivI32,
    DivI64,
    DivU,
    RemI32,
    RemI64,
    RemU,
    And,
    Or,
    Xor,
    ShlI32,
    ShlU32,
    ShlI64,
    ShlU64,
    ShrI32,
    ShrU32,
    ShrI64,
    ShrU64,
    Eq,
    Ne,
    LtS,
    LtU,
    LeS,
    LeU,
    AddF32,
    SubF32,
    MulF32,
    DivF32,
    AddF64,
    SubF64,
    MulF64,
    DivF64,
    EqF32,
    NeF32,
    LtF32,
    LeF32,
    EqF64,
    NeF64,
    LtF64,
    LeF64,
}

/// Operators on pairs of registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wide {
    AddS,
    AddU,
    SubS,
    SubU,
    MulS,
    MulU,
    DivS,
    DivU,
    RemS,
    RemU,
    And,
    Or,
    Xor,
    Shl,
    ShlS,
    ShrS,
    ShrU,
    Eq,
    Ne,
    LtS,
    LtU,
    LeS,
    LeU,
}

/// Conversions, and operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Conv {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    /// To so many bits, by the sign.
    Signed(u8),
    /// To so many bits, by zeros.
    Unsigned(u8),
    NegI32,
    NegU32,
    NegI64,
    NegU64,
    Not,
    NegF32,
    NegF64,
    S64ToF64,
    U64ToF64,
    S64ToF32,
    U64ToF32,
    F32ToF64,
    F64ToF32,
    /// To an integer of so many bits.
    F64ToS(u8),
    F64ToU(u8),
    F32ToS(u8),
    F32ToU(u8),
    /// To two registers, by the sign or by zeros.
    WideS,
    WideU,
    NegWide,
    NotWide,
    WideSToF64,
    WideUToF64,
    WideSToF32,
    WideUToF32,
    F64ToWideS,
    F64ToWideU,
}

/// How a value lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    S8,
    U8,
    S16,
    U16,
    S32,
    U32,
    Word,
    Wide,
    /// `long double`
    Extended,
}

impl Cell {
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Cell::S8 | Cell::U8 => 1,
            Cell::S16 | Cell::U16 => 2,
            Cell::S32 | Cell::U32 => 4,
            Cell::Word => 8,
            Cell::Wide => 16,
            Cell::Extended => 10,
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Const {
        d: Reg,
        k: u64,
    },
    Move {
        d: Reg,
        a: Reg,
    },
    Bin {
        k: Bin,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// The second operand is a number.
    BinK {
        k: Bin,
        d: Reg,
        a: Reg,
        b: i32,
    },
    Wide {
        k: Wide,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Conv {
        k: Conv,
        d: Reg,
        a: Reg,
    },
    Load {
        k: Cell,
        d: Reg,
        a: Reg,
        by: i32,
    },
    Store {
        k: Cell,
        a: Reg,
        v: Reg,
        by: i32,
    },
    /// `first` and `width` of the bits; the sign in `signed`.
    LoadBits {
        d: Reg,
        a: Reg,
        first: u8,
        width: u8,
        signed: bool,
    },
    StoreBits {
        a: Reg,
        v: Reg,
        first: u8,
        width: u8,
    },
    Copy {
        to: Reg,
        from: Reg,
        size: u32,
    },
    Zero {
        to: Reg,
        size: u32,
    },
    Jump {
        to: Pc,
    },
    /// To one place if the register is not 0; else on to the next instruction.
    If {
        a: Reg,
        to: Pc,
    },
    IfNot {
        a: Reg,
        to: Pc,
    },
    /// By a comparison; else on.
    IfBin {
        k: Bin,
        a: Reg,
        b: Reg,
        to: Pc,
    },
    IfBinK {
        k: Bin,
        a: Reg,
        b: i32,
        to: Pc,
    },
    Switch {
        a: Reg,
        table: u32,
    },
    JumpTo {
        a: Reg,
    },
    /// An argument for the next call, and one that belongs to `...`.
    Arg {
        slot: Reg,
        a: Reg,
    },
    More {
        k: Cell,
        a: Reg,
    },
    MoreBytes {
        a: Reg,
        size: u32,
        align: u32,
    },
    /// The registers of a result, from the first on.
    Call {
        f: u32,
        d: Reg,
        args: u32,
    },
    CallTo {
        a: Reg,
        d: Reg,
        args: u32,
    },
    /// Where an aggregate result goes, for the next call.
    ResultAt {
        a: Reg,
    },
    Return {
        a: Reg,
    },
    ReturnWide {
        a: Reg,
    },
    ReturnBytes {
        a: Reg,
        size: u32,
    },
    ReturnNone,
    FellOff,
    Unreachable,
    Allocate {
        d: Reg,
        size: Reg,
    },
    Mark {
        d: Reg,
    },
    Free {
        a: Reg,
    },
    /// The object of the frame at an address is there, anew, or as it was.
    Begin {
        a: Reg,
        anew: bool,
    },
    /// It is there no more.
    Leave {
        a: Reg,
    },
    /// Whether something was written is read off a register.
    Written {
        a: Reg,
        local: u32,
    },
    VaStart {
        list: Reg,
    },
    VaNext {
        d: Reg,
        list: Reg,
        size: u32,
        align: u32,
    },
    SetJump {
        d: Reg,
        a: Reg,
    },
    Overflow {
        index: u32,
    },
    Within {
        index: Reg,
        count: Reg,
        inside: Reg,
    },
    Closure {
        d: Reg,
        f: u32,
        chain: Reg,
    },
    NotCovered {
        index: u32,
    },
    /// A place that is watched.
    Visit {
        index: u32,
    },
}

/// An operation of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    pub(crate) block: u32,
    pub(crate) stmt: u32,
    /// The expression; `u32::MAX` for the statement itself.
    pub(crate) expr: u32,
}

/// A place that is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub(crate) function: u32,
    pub(crate) at: At,
    /// The line is told.
    pub(crate) line: bool,
    /// The run ends here.
    pub(crate) ends: bool,
    /// It is the head of a loop.
    pub(crate) head: bool,
}

/// An operator that tells whether its exact result fits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) op: c_data::BinOp,
    pub(crate) a: (Reg, Shape),
    pub(crate) b: (Reg, Shape),
    pub(crate) result: (Reg, Shape),
    pub(crate) overflow: Reg,
}

/// Bits and sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) bits: u8,
    pub(crate) signed: bool,
}

impl Shape {
    /// That of an integer type.
    pub(crate) fn of(int: Option<c_types::Int>) -> Shape {
        int.map_or(Shape { bits: 64, signed: false }, |int| Shape {
            bits: int.bits,
            signed: int.signed,
        })
    }
}

/// An object of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameObject {
    pub(crate) register: Reg,
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// Its name, in [`Code::names`].
    pub(crate) name: u32,
    /// A parameter: the register has its value when the frame starts.
    pub(crate) value: Option<Cell>,
}

/// A function's code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Routine {
    pub(crate) name: String,
    pub(crate) entry: Pc,
    pub(crate) registers: u32,
    /// How many registers its parameters take.
    pub(crate) params: u32,
    pub(crate) objects: Vec<FrameObject>,
    pub(crate) variadic: bool,
    /// Conversions of parameters for calls that do not know their types.
    pub(crate) narrow: Vec<(Reg, Conv)>,
    /// The library's function that it is, if it has no body.
    pub(crate) native: Option<crate::library::Native>,
    pub(crate) has_body: bool,
    /// It belongs to the program.
    pub(crate) own: bool,
    /// Operators in it are looked at.
    pub(crate) looked_into: bool,
    /// The registers of named locals that live there, one at a time.
    pub(crate) named: Vec<Reg>,
    /// Named locals, where it is told what they hold.
    pub(crate) shown: Vec<crate::values::ShownLocal>,
}

/// Where a `switch` goes.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Sorted ranges.
    pub(crate) ranges: Vec<(i128, i128, Pc)>,
    pub(crate) default: Pc,
    pub(crate) signed: bool,
    pub(crate) wide: bool,
}

/// A compiled program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) places: Vec<At>,
    /// The operation of each instruction.
    pub(crate) spots: Vec<Spot>,
    pub(crate) routines: Vec<Routine>,
    pub(crate) tables: Vec<Table>,
    pub(crate) exact: Vec<Exact>,
    pub(crate) messages: Vec<String>,
    /// Names of static objects, then of locals.
    pub(crate) names: Vec<String>,
    /// Where these are declared.
    pub(crate) declared: Vec<At>,
    /// Which local a name is that of, where that lives in memory.
    pub(crate) homes: FxHashMap<u32, (FuncId, LocalId)>,
    /// Positions of labels whose address is taken.
    pub(crate) labels: Vec<Pc>,
    pub(crate) visits: Vec<Visit>,
}
