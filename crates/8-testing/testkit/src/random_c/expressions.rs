//! Types, variables in scope, constants and expressions.

use super::Gen;
use crate::rng::Rng;

/// An arithmetic type of C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ty {
    /// `char`
    Char,
    /// `signed char`
    SChar,
    /// `unsigned char`
    UChar,
    /// `short`
    Short,
    /// `unsigned short`
    UShort,
    /// `int`
    Int,
    /// `unsigned`
    UInt,
    /// `long`
    Long,
    /// `unsigned long`
    ULong,
    /// `long long`
    LongLong,
    /// `_Bool`
    Bool,
    /// `float`
    Float,
    /// `double`
    Double,
}

impl Ty {
    /// Each of them.
    pub const ALL: [Ty; 13] = [
        Ty::Char,
        Ty::SChar,
        Ty::UChar,
        Ty::Short,
        Ty::UShort,
        Ty::Int,
        Ty::UInt,
        Ty::Long,
        Ty::ULong,
        Ty::LongLong,
        Ty::Bool,
        Ty::Float,
        Ty::Double,
    ];

    /// As C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Ty::Char => "char",
            Ty::SChar => "signed char",
            Ty::UChar => "unsigned char",
            Ty::Short => "short",
            Ty::UShort => "unsigned short",
            Ty::Int => "int",
            Ty::UInt => "unsigned",
            Ty::Long => "long",
            Ty::ULong => "unsigned long",
            Ty::LongLong => "long long",
            Ty::Bool => "_Bool",
            Ty::Float => "float",
            Ty::Double => "double",
        }
    }

    /// A word for it.
    pub fn short(self) -> &'static str {
        match self {
            Ty::Char => "char",
            Ty::SChar => "schar",
            Ty::UChar => "uchar",
            Ty::Short => "short",
            Ty::UShort => "ushort",
            Ty::Int => "int",
            Ty::UInt => "uint",
            Ty::Long => "long",
            Ty::ULong => "ulong",
            Ty::LongLong => "llong",
            Ty::Bool => "bool",
            Ty::Float => "float",
            Ty::Double => "double",
        }
    }

    /// How many bits a value has.
    pub fn bits(self) -> u32 {
        match self {
            Ty::Bool => 1,
            Ty::Char | Ty::SChar | Ty::UChar => 8,
            Ty::Short | Ty::UShort => 16,
            Ty::Int | Ty::UInt | Ty::Float => 32,
            Ty::Long | Ty::ULong | Ty::LongLong | Ty::Double => 64,
        }
    }

    /// Whether it is floating.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::Float | Ty::Double)
    }
}

/// A variable, or another object that can be read.
#[derive(Clone, Debug)]
pub struct Var {
    /// How it is written.
    pub text: String,
    /// Its type.
    pub ty: Ty,
    /// Whether it may be assigned.
    pub write: bool,
    /// Whether its address may be taken.
    pub address: bool,
}

impl Var {
    /// A plain variable.
    pub(crate) fn new(text: &str, ty: Ty) -> Var {
        Var { text: text.to_owned(), ty, write: true, address: true }
    }

    /// One that must not be assigned.
    pub(crate) fn read_only(text: &str, ty: Ty) -> Var {
        Var { write: false, address: false, ..Var::new(text, ty) }
    }
}

/// What can be named at a place.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    /// The variables, the newest last.
    pub vars: Vec<Var>,
}

impl Scope {
    /// One of the variables, rather a new one.
    pub(crate) fn newest(&self, rng: &mut Rng) -> Var {
        let n = self.vars.len();
        if n == 0 {
            return Var::read_only("0", Ty::Int);
        }
        let low = if rng.chance(60) { n.saturating_sub(3) } else { 0 };
        self.vars[rng.between(low, n - 1)].clone()
    }

    /// A variable that may be assigned, of the kind asked for.
    pub(crate) fn target(&self, rng: &mut Rng, fits: impl Fn(&Var) -> bool) -> Option<Var> {
        let all: Vec<&Var> = self.vars.iter().filter(|v| v.write && fits(v)).collect();
        if all.is_empty() { None } else { Some((*rng.pick(&all)).clone()) }
    }

    /// Adds a variable.
    pub(crate) fn add(&mut self, text: &str, ty: Ty) {
        self.vars.push(Var::new(text, ty));
    }
}

/// Types from which declarations choose, `int` more often.
const INTS: [Ty; 14] = [
    Ty::Int,
    Ty::Int,
    Ty::Int,
    Ty::UInt,
    Ty::UInt,
    Ty::UChar,
    Ty::UChar,
    Ty::Char,
    Ty::SChar,
    Ty::Short,
    Ty::UShort,
    Ty::Long,
    Ty::ULong,
    Ty::Bool,
];

impl Gen {
    /// A type of an integer.
    pub(crate) fn some_type(&mut self) -> Ty {
        if self.rng.chance(3) { Ty::LongLong } else { *self.rng.pick(&INTS) }
    }

    /// An integer constant of any spelling and type.
    pub(crate) fn constant(&mut self) -> String {
        let r = &mut self.rng;
        match r.below(12) {
            0..=3 => r.between(0, 9).to_string(),
            4 => format!("-{}", r.between(1, 9)),
            5 => (*r.pick(&[
                "255",
                "256",
                "300",
                "127",
                "128",
                "-128",
                "-129",
                "65535",
                "65536",
                "70000",
                "2147483647",
                "(-2147483647 - 1)",
                "4294967295",
                "4294967296",
                "-1",
            ]))
            .to_owned(),
            6 => (*r.pick(&[
                "5u",
                "0u",
                "-1u",
                "300u",
                "5l",
                "5ul",
                "-1l",
                "7ull",
                "0x10",
                "0xffu",
                "017",
                "0b101",
                "0xffffffff",
                "0x7fffffff",
                "037777777777",
                "1ull << 40",
                "4294967295u",
            ]))
            .to_owned(),
            7 => (*r.pick(&[
                "'a'", "'\\0'", "'\\xff'", "'\\377'", "'0'", "L'b'", "'\\n'", "u'c'", "'ab'",
            ]))
            .to_owned(),
            8 => (*r.pick(&[
                "(_Bool)2",
                "(_Bool)0.5",
                "(unsigned char)300",
                "(signed char)200",
                "(char)-1",
                "(unsigned)-1",
                "(short)70000",
                "(unsigned short)-1",
                "(long)-1",
                "(int)3.9",
                "(unsigned char)-1",
                "(_Bool)256",
                "(int)-0.9",
                "(char)'\\377'",
            ]))
            .to_owned(),
            9 => (*r.pick(&[
                "sizeof(int)",
                "sizeof(long) - 9",
                "sizeof \"abc\"",
                "sizeof 'a'",
                "!5",
                "!!7",
                "~0",
                "~0u",
                "-5 / 2",
                "-5 % 3",
                "-5 >> 1",
                "-1u >> 28",
                "(5, 6)",
                "1 ? -1 : 0u",
                "0 ? 1 : 2",
                "1 - 2u > 0",
                "-1 < 0u",
                "3 == 3.0",
                "1 && 2",
                "0 || 3",
                "5 & 6 ^ 1",
                "_Alignof(int)",
                "sizeof(char[7])",
                "(unsigned char)200 + 100",
                "1u - 2",
            ]))
            .to_owned(),
            10 => (*r.pick(&["3.9", "2.5f", "-0.5", "1e2", "0x1p3", "5.0"])).to_owned(),
            _ => r.between(10, 40).to_string(),
        }
    }

    /// An integer constant of integer type.
    pub(crate) fn int_constant(&mut self) -> String {
        loop {
            let constant = self.constant();
            let float = ["3.9", "2.5f", "-0.5", "1e2", "0x1p3", "5.0"].contains(&&*constant);
            if !float {
                return constant;
            }
        }
    }

    /// A constant that may initialise what lives for ever.
    pub(crate) fn static_constant(&mut self) -> String {
        loop {
            let constant = self.constant();
            if !constant.contains(',') {
                return constant;
            }
        }
    }

    /// A small constant.
    pub(crate) fn small(&mut self) -> String {
        self.rng.between(0, 9).to_string()
    }

    /// A variable or a constant, of integer type.
    pub(crate) fn atom(&mut self, scope: &Scope) -> String {
        let var = scope.newest(&mut self.rng);
        if self.rng.chance(70) && !var.ty.is_float() {
            return var.text;
        }
        // Floating constants are no operands of `&`, `%` and shifts.
        format!("({})", self.int_constant())
    }

    /// An expression of integer type, without effects.
    pub(crate) fn expr(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            return self.atom(scope);
        }
        let (a, b) = (self.expr(scope, depth - 1), self.expr(scope, depth - 1));
        match self.rng.below(14) {
            0..=4 => format!("({a} {} {b})", self.rng.pick(&["+", "-", "*", "&", "|", "^"])),
            5 | 6 => self.condition(scope, depth - 1),
            7 => format!("({a} {} {})", self.rng.pick(&["/", "%"]), self.rng.between(1, 7)),
            8 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                format!("({a} {op} {})", self.rng.between(0, 6))
            }
            9 | 10 => format!("({})({a})", self.some_type().name()),
            11 => format!("({} ? {a} : {b})", self.condition(scope, depth - 1)),
            12 => format!("({a} ?: {b})"),
            _ => format!("{}({a})", self.rng.pick(&["-", "~", "!", "+"])),
        }
    }

    /// An expression that is tested.
    pub(crate) fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.rng.below(12) {
            0..=5 => format!("({} {op} {})", self.atom(scope), self.constant()),
            6 => format!("({} {op} {})", self.constant(), self.atom(scope)),
            7 => format!("({} {op} {})", self.atom(scope), self.atom(scope)),
            8 => format!("!{}", self.atom(scope)),
            9 => self.atom(scope),
            _ if depth == 0 => format!("({} & {})", self.atom(scope), self.small()),
            10 => {
                let (a, b) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
                format!("({a} {} {b})", self.rng.pick(&["&&", "||"]))
            }
            _ => format!("!({})", self.condition(scope, depth - 1)),
        }
    }

    /// An assignment to something in scope.
    pub(crate) fn assignment(&mut self, scope: &Scope) -> String {
        let Some(var) = scope.target(&mut self.rng, |_| true) else { return String::new() };
        let x = var.text;
        if var.ty.is_float() {
            return format!("{x} = {};\n", self.constant());
        }
        match self.rng.below(10) {
            0..=3 => format!("{x} = {};\n", self.constant()),
            4 | 5 => format!("{x} = {};\n", self.expr(scope, 2)),
            6 => format!(
                "{x} {}= {};\n",
                self.rng.pick(&["+", "-", "*", "&", "|", "^"]).to_owned(),
                self.expr(scope, 1)
            ),
            7 => format!(
                "{x} {} {};\n",
                self.rng.pick(&["<<=", ">>=", "/=", "%="]),
                1 + self.rng.below(3)
            ),
            8 if var.ty != Ty::Bool => format!("{x}{};\n", self.rng.pick(&["++", "--"])),
            8 => format!("++{x};\n"),
            _ => {
                let Some(other) = scope.target(&mut self.rng, |v| !v.ty.is_float()) else {
                    return format!("{x} = 1;\n");
                };
                if other.text == x {
                    return format!("{x} = -{x};\n");
                }
                format!("{x} = {} = {};\n", other.text, self.constant())
            }
        }
    }
}
