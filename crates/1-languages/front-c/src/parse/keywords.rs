//! Words that are no names.

use crate::tree::{Sym, Unit};

macro_rules! keywords {
    ($($variant:ident: $($text:literal)*;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Kw { $($variant,)* }

        const KEYWORDS: &[(&str, Kw)] = &[$($(($text, Kw::$variant),)*)*];
    };
}

keywords! {
    Typedef: "typedef"; Extern: "extern"; Static: "static"; Auto: "auto"; Register: "register";
    Thread: "__thread" "_Thread_local" "thread_local"; Inline: "inline" "__inline" "__inline__";
    Noreturn: "_Noreturn";
    Const: "const" "__const" "__const__" "constexpr";
    Volatile: "volatile" "__volatile" "__volatile__" "_Atomic";
    Qualifier: "restrict" "__restrict" "__restrict__" "_Nonnull" "_Nullable" "__unaligned" "__seg_fs" "__seg_gs";
    Attribute: "__attribute__" "__attribute" "__declspec" "_Alignas" "__alignas" "alignas";
    Extension: "__extension__";
    Void: "void";
    Base: "char" "short" "int" "long" "float" "double" "signed" "__signed" "__signed__" "unsigned"
        "_Bool" "_Complex" "__complex__" "__complex" "_Imaginary" "__int128" "__int128_t"
        "__uint128_t" "_Float16" "__fp16" "__bf16" "_Float32" "_Float64" "_Float128" "_Float32x"
        "_Float64x" "_Float128x" "__float128" "__float80" "__ibm128" "_Decimal32" "_Decimal64"
        "_Decimal128" "_BitInt" "_Sat" "_Fract" "_Accum";
    VaList: "__builtin_va_list";
    AutoType: "__auto_type";
    Struct: "struct"; Union: "union"; Enum: "enum";
    Typeof: "typeof" "__typeof" "__typeof__" "typeof_unqual";
    Sizeof: "sizeof" "_Alignof" "__alignof" "__alignof__" "alignof";
    If: "if"; Else: "else"; While: "while"; Do: "do"; For: "for"; Switch: "switch"; Case: "case";
    Default: "default"; Break: "break"; Continue: "continue"; Return: "return"; Goto: "goto";
    Asm: "asm" "__asm" "__asm__";
    StaticAssert: "_Static_assert" "static_assert";
    Generic: "_Generic";
    Offsetof: "__builtin_offsetof"; TypesCompatible: "__builtin_types_compatible_p";
    VaArg: "__builtin_va_arg" "__builtin_convertvector";
    ChooseExpr: "__builtin_choose_expr"; BitCast: "__builtin_bit_cast";
    RealPart: "__real__" "__real" "__imag__" "__imag";
    LocalLabel: "__label__";
    Pragma: "_Pragma";
}

/// Keywords have the first symbols.
pub(super) struct Keywords(Vec<Kw>);

impl Keywords {
    pub(super) fn new(unit: &mut Unit) -> Keywords {
        for &(text, _) in KEYWORDS {
            unit.names.add(text);
        }
        Keywords(KEYWORDS.iter().map(|&(_, kw)| kw).collect())
    }
    pub(super) fn get(&self, sym: Sym) -> Option<Kw> {
        self.0.get(sym.index()).copied()
    }
}
