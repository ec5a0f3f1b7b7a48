//! What can be wrong with a program, as data, and how it is said to people.

use source::{Diagnostic, Span};
use syntax::{Explain, Language, Mistake, code, did_you_mean, explain_entry, plural};

/// A place where the text is no program.
pub type ParseError = syntax::ParseError<ParseErrorKind>;
/// Something that is wrong with a program which the grammar accepts.
pub type LowerError = syntax::LowerError<LowerErrorKind>;

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// What can be wrong in every language.
    #[error(transparent)]
    Common(#[from] Mistake),
    /// A word that belongs to an extension which is not known here.
    #[error("`{construct}` is not supported")]
    Unsupported {
        /// The word.
        construct: String,
        /// What it would mean.
        meaning: &'static str,
    },
    /// `"` without another on its line.
    #[error("text `\"` is not closed on its line")]
    UnclosedText,
    /// A number beyond 63 bits.
    #[error("number {0} is too large")]
    TooLargeNumber(String),
    /// More than two indices, or dimensions.
    #[error("an array has at most two dimensions")]
    TooManyDimensions,
    /// More than two primes.
    #[error("a variable has at most two primes")]
    TooManyPrimes,
    /// `if fi`
    #[error("`{0}` without a branch")]
    NoBranch(&'static str),
    /// Two `else` in one statement.
    #[error("a second `else`")]
    SecondElse {
        /// The first one.
        first: Span,
    },
    /// `undef + 1`
    #[error("`undef` inside an expression")]
    UndefInExpression,
    /// A struct as a field.
    #[error("a struct cannot have a struct as a field")]
    NestedStruct,
}

impl Explain for ParseErrorKind {
    fn code(&self, language: Language) -> &'static str {
        use ParseErrorKind::*;
        match self {
            Common(mistake) => mistake.code(language),
            UnclosedText => code!(language, "unclosed"),
            Unsupported { .. } => code!(language, "unsupported"),
            TooLargeNumber(_) => code!(language, "number"),
            TooManyDimensions | TooManyPrimes => code!(language, "place"),
            NoBranch(_) | SecondElse { .. } => code!(language, "branches"),
            UndefInExpression => code!(language, "undef"),
            NestedStruct => code!(language, "nested-struct"),
        }
    }

    fn explain(&self, language: Language, out: Diagnostic) -> Diagnostic {
        use ParseErrorKind::*;
        match self {
            Common(mistake) => {
                let mut out = mistake.explain(language, out);
                out.help = help(mistake, language).or(out.help);
                out
            }
            Unsupported { meaning, .. } => out.help(format!("this {meaning}")),
            NoBranch(word) => out.help(format!("write `{word} :: condition -> statements …`")),
            SecondElse { first } => out.note_at(*first, "the first one stands here"),
            UndefInExpression => {
                out.help("`undef` is a whole value, as in `x = undef;`, or a whole argument")
            }
            UnclosedText | TooLargeNumber(_) | TooManyDimensions | TooManyPrimes | NestedStruct => {
                out
            }
        }
    }
}

/// What would be right, where this language can say more than others.
fn help(mistake: &Mistake, language: Language) -> Option<String> {
    use Mistake::*;
    Some(match mistake {
        Expected { expected: "a name", found, keyword: true } => {
            let word = found.trim_matches('`');
            match word {
                "A" | "E" => {
                    format!(
                        "`{word}` is a keyword (it begins `{word} i (0, 3) …`); take another name"
                    )
                }
                _ => format!("`{word}` is a keyword; take another name"),
            }
        }
        Expected { expected: "a declaration, a module or a statement", .. } => {
            "a program consists of `define`s, declarations like `int x(3);`, `init main;` and \
             modules `module void main() { … }`"
                .into()
        }
        Expected { expected: "a rule", .. } => {
            "a rule is `p <y> --> q <y1 y2>`, a formula in parentheses may follow".into()
        }
        Expected { expected: "`=`", found, .. } if found == "`==`" => {
            "an assignment is written `=`".into()
        }
        Expected { expected: "`=`", .. } if language != Language::Pds => {
            "a statement that begins with a name is an assignment `x = e;`, a call `f(e);`, \
             a label `L: …` or a rule `p <y> --> q <y1>`"
                .into()
        }
        Expected { expected: "an expression", found, .. } | MissingSemicolon { found, .. }
            if found == "`=`" =>
        {
            "equality is written `==`".into()
        }
        _ => return None,
    })
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerErrorKind {
    /// One name for two things of one scope.
    #[error("{what} `{name}` is declared twice")]
    DeclaredTwice {
        /// Of what kind.
        what: &'static str,
        /// The name.
        name: String,
        /// The first declaration.
        first: Span,
    },
    /// One label on two statements.
    #[error("label `{name}` is used twice in one module")]
    LabelTwice {
        /// The label.
        name: String,
        /// Its first use.
        first: Span,
    },
    /// A name that nothing has.
    #[error("{what} `{name}` is not known")]
    Unknown {
        /// Of what kind it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// The nearest name of that kind.
        nearest: Option<String>,
    },
    /// A label that the module does not have.
    #[error("module `{module}` has no label `{name}`")]
    UnknownLabel {
        /// The label.
        name: String,
        /// The module.
        module: String,
        /// Its nearest label.
        nearest: Option<String>,
    },
    /// A number was wanted that is known before the program runs.
    #[error("not a constant")]
    NotConstant,
    /// A constant without a value: a division by zero, or too large a number.
    #[error("the constant has no value: {0}")]
    NoValue(&'static str),
    /// Bits beyond 1 to 32.
    #[error("an integer has 1 to 32 bits, not {0}")]
    BadBits(i64),
    /// `int x;` without bits.
    #[error("how many bits does `{0}` have?")]
    UnknownBits(String),
    /// Bits on something that is no integer.
    #[error("only integers have a number of bits")]
    MisplacedBits,
    /// An array without cells, or with too many.
    #[error("an array has 1 to {max} cells, not {cells}", max = crate::MAX_CELLS)]
    BadDimension {
        /// How many it would have.
        cells: i128,
    },
    /// An array of structs that contain arrays.
    #[error("an array of structs with the array `{0}` in them")]
    ArrayInArray(String),
    /// A struct as a field.
    #[error("a struct cannot have a struct as a field")]
    NestedStruct,
    /// A value of one sort where another is right.
    #[error("expected {expected}, found {found}")]
    Sort {
        /// What would be right.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// An array without its indices, or with too many.
    #[error("`{name}` has {dims} dimension{}, {given} ind{} given", plural(*.dims), if *.given == 1 { "ex" } else { "ices" })]
    IndexCount {
        /// The variable.
        name: String,
        /// Its dimensions.
        dims: usize,
        /// The indices.
        given: usize,
    },
    /// A field of something that is no struct.
    #[error("`{0}` is no struct")]
    NoStruct(String),
    /// A struct as a value.
    #[error("`{0}` is a struct, not a value")]
    WholeStruct(String),
    /// The two sides of an assignment of a whole array or struct differ.
    #[error("{0} of different types")]
    Shape(&'static str),
    /// An index that is never in range.
    #[error("index {index} is outside `{name}`, whose indices are {lo} to {hi}")]
    IndexNeverFits {
        /// The array.
        name: String,
        /// Its least index.
        lo: i64,
        /// Its greatest index.
        hi: i64,
        /// The value, or the range of values, of the index.
        index: String,
    },
    /// An expression whose values need too many bits.
    #[error("values of {bits} bits, at most {max} are supported", max = ir::MAX_WIDTH)]
    TooWide {
        /// How many it needs.
        bits: u32,
    },
    /// More bits than can be numbered.
    #[error("{what} have too many bits, at most {max} are supported", max = ir::MAX_AREA)]
    TooManyBits {
        /// Globals, locals or results.
        what: &'static str,
    },
    /// Quantifiers that stand for too much.
    #[error("the quantifiers of this statement stand for more than {max} instances", max = crate::MAX_INSTANCES)]
    TooManyInstances,
    /// A quantifier over nothing.
    #[error("no number lies between {lo} and {hi}")]
    EmptyRange {
        /// The lower bound.
        lo: i64,
        /// The upper bound.
        hi: i64,
    },
    /// A call with the wrong number of arguments.
    #[error("call of `{name}` with {given} argument{}, it takes {takes}", plural(*.given))]
    ArgumentCount {
        /// The module.
        name: String,
        /// Its parameters.
        takes: usize,
        /// The call's arguments.
        given: usize,
        /// The module's head.
        declared: Span,
    },
    /// `x = f()` where `f` returns nothing.
    #[error("`{name}` returns nothing")]
    NoResult {
        /// The module.
        name: String,
        /// The module's head.
        declared: Span,
    },
    /// `return e` in a module that returns nothing, or `return` in one that does not.
    #[error("`{name}` returns {}, here it returns {}", something(*.returns), something(!*.returns))]
    ReturnValue {
        /// The module.
        name: String,
        /// It returns something.
        returns: bool,
        /// The module's head.
        declared: Span,
    },
    /// `return` outside a module.
    #[error("`return` outside a module")]
    ReturnOutside,
    /// `break` outside `do`.
    #[error("`break` outside `do`")]
    BreakOutside,
    /// A prime where only values before the step are.
    #[error("`{name}` with a prime outside a rule or `skip`")]
    Prime {
        /// The variable.
        name: String,
    },
    /// `x''` where nothing is below.
    #[error("`{name}''` in a rule that pushes nothing")]
    NothingBelow {
        /// The variable.
        name: String,
    },
    /// `x'` of a local where nothing is left of the frame.
    #[error("`{name}'` in a rule that leaves nothing of the symbol")]
    NothingLeft {
        /// The variable.
        name: String,
    },
    /// No start configuration.
    #[error("there is no configuration to start with")]
    NoStart,
    /// A local of a symbol that does not have it.
    #[error("stack symbol `{symbol}` has no local variable `{name}`")]
    NotLocal {
        /// The variable.
        name: String,
        /// The symbol.
        symbol: String,
    },
    /// Something that cannot be assigned.
    #[error("`{0}` is a constant")]
    ConstantTarget(String),
    /// A module that is announced only.
    #[error("module `{0}` has no body")]
    NoBody(String),
    /// A module that differs from its announcement.
    #[error("module `{name}` differs from its announcement")]
    Announcement {
        /// The module.
        name: String,
        /// The announcement.
        first: Span,
    },
    /// Two `init`s, or two start configurations.
    #[error("the start is given twice")]
    SecondStart {
        /// The first one.
        first: Span,
    },
    /// A symbol in two `local` sections.
    #[error("symbol `{name}` has local variables already")]
    SecondFrame {
        /// The symbol.
        name: String,
        /// The first section.
        first: Span,
    },
    /// There is nothing to start at.
    #[error("there is no {what} `{name}` to start at")]
    NoEntry {
        /// Of what kind it should be.
        what: &'static str,
        /// The name that was looked for.
        name: String,
        /// The nearest one.
        nearest: Option<String>,
        /// Some that exist.
        known: Vec<String>,
    },
}

fn something(yes: bool) -> &'static str {
    if yes { "a value" } else { "nothing" }
}

impl Explain for LowerErrorKind {
    fn code(&self, language: Language) -> &'static str {
        use LowerErrorKind::*;
        match self {
            DeclaredTwice { .. } => code!(language, "declared-twice"),
            LabelTwice { .. } => code!(language, "label-twice"),
            Unknown { .. } | NotLocal { .. } => code!(language, "unknown-name"),
            UnknownLabel { .. } => code!(language, "unknown-label"),
            NotConstant | NoValue(_) => code!(language, "constant"),
            BadBits(_) | UnknownBits(_) | MisplacedBits => code!(language, "bits"),
            BadDimension { .. } => code!(language, "dimension"),
            ArrayInArray(_) | NestedStruct => code!(language, "nested-struct"),
            Sort { .. } | WholeStruct(_) | NoStruct(_) | Shape(_) => code!(language, "type"),
            IndexCount { .. } => code!(language, "index-count"),
            IndexNeverFits { .. } => code!(language, "index"),
            TooWide { .. } | TooManyBits { .. } | TooManyInstances => code!(language, "limit"),
            EmptyRange { .. } => code!(language, "range"),
            ArgumentCount { .. } => code!(language, "argument-count"),
            NoResult { .. } | ReturnValue { .. } => code!(language, "return"),
            ReturnOutside | BreakOutside => code!(language, "misplaced"),
            Prime { .. } | NothingBelow { .. } | NothingLeft { .. } => {
                code!(language, "prime")
            }
            ConstantTarget(_) => code!(language, "constant-target"),
            NoBody(_) | Announcement { .. } => code!(language, "announcement"),
            SecondStart { .. } | SecondFrame { .. } => code!(language, "declared-twice"),
            NoEntry { .. } | NoStart => code!(language, "no-entry"),
        }
    }

    fn explain(&self, _: Language, out: Diagnostic) -> Diagnostic {
        use LowerErrorKind::*;
        match self {
            DeclaredTwice { first, .. } => out.note_at(*first, "first declared here"),
            LabelTwice { first, .. } => out.note_at(*first, "first used here"),
            SecondStart { first } | SecondFrame { first, .. } => {
                out.note_at(*first, "first given here")
            }
            Announcement { first, .. } => out.note_at(*first, "announced here"),
            Unknown { nearest: Some(near), .. } | UnknownLabel { nearest: Some(near), .. } => {
                out.help(did_you_mean(near))
            }
            Unknown { what: "variable", name, .. } => {
                out.help(format!("declare it: `int {name}(3);` or `bool {name};`"))
            }
            UnknownLabel { .. } => out.help("`goto` stays within its module"),
            UnknownBits(name) => out.help(format!(
                "write `{name}(3)`, or `define DEFAULT_INT_BITS 3` at the beginning"
            )),
            NotConstant => out.help("numbers and names from `define` and `enum` are constants"),
            Sort { expected: "a condition", found: "an integer" } => {
                out.help("compare it with something: `x != 0`")
            }
            ArgumentCount { name, declared, .. }
            | NoResult { name, declared }
            | ReturnValue { name, declared, .. } => {
                out.note_at(*declared, format!("`{name}` is defined here"))
            }
            NoStart => out.help("write it before the rules: `(p <y>)`"),
            NoEntry { what, nearest, known, .. } => {
                explain_entry(out, what, nearest.as_ref(), known)
            }
            _ => out,
        }
    }
}
