//! What can be wrong with a program, as data, and how it is said to people.

use source::{Diagnostic, Span};

/// The language that an error is about; `.pds` files share declarations, expressions and rules with
/// Remopla, and so their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// Remopla.
    #[default]
    Remopla,
    /// Pushdown systems.
    Pds,
}

/// The stable name of an error in its language.
macro_rules! code {
    ($language:expr, $name:literal) => {
        match $language {
            Language::Remopla => concat!("remopla-", $name),
            Language::Pds => concat!("pds-", $name),
        }
    };
}

/// A place where the text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Where.
    pub span: Span,
    /// In which language.
    pub language: Language,
}

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// One thing where another is right.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right, as a phrase: `` `->` ``, `an expression`.
        expected: &'static str,
        /// What stands there, as a phrase.
        found: String,
        /// The token that stands there is a keyword.
        keyword: bool,
    },
    /// A statement without `;`.
    #[error("expected `;`, found {found}")]
    MissingSemicolon {
        /// What stands there, as a phrase.
        found: String,
        /// The end of the statement.
        after: Span,
    },
    /// An opening word or bracket without its partner.
    #[error("expected {closer}, found {found}: {opener} is not closed")]
    Unclosed {
        /// What opened, as a phrase.
        opener: &'static str,
        /// Where.
        opened: Span,
        /// What would close it, as a phrase.
        closer: &'static str,
        /// What stands there, as a phrase.
        found: String,
    },
    /// `fi`, `od`, `::` or `}` without anything to close or continue.
    #[error("{found} without {opener}")]
    Unopened {
        /// The word, as a phrase.
        found: String,
        /// What should have opened, as a phrase.
        opener: &'static str,
    },
    /// A word that belongs to an extension which is not known here.
    #[error("`{construct}` is not supported")]
    Unsupported {
        /// The word.
        construct: String,
        /// What it would mean.
        meaning: &'static str,
    },
    /// A character that belongs to no token.
    #[error("unknown character `{}`", .0.escape_debug())]
    UnknownCharacter(char),
    /// `/*` without `*/`.
    #[error("comment `/*` is not closed")]
    UnclosedComment,
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
    /// `f(…)` as part of an expression.
    #[error("call of `{0}` inside an expression")]
    CallInExpression(String),
    /// `undef + 1`
    #[error("`undef` inside an expression")]
    UndefInExpression,
    /// A struct as a field.
    #[error("a struct cannot have a struct as a field")]
    NestedStruct,
    /// `L: fi`
    #[error("label `{0}` without a statement")]
    LabelWithoutStatement(String),
    /// The text is larger than spans can say.
    #[error("the text is too large")]
    TooLarge,
    /// The rest of the text was not read.
    #[error("too many errors, the rest of the file was not read")]
    TooManyErrors,
}

pub(crate) fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

impl ParseError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use ParseErrorKind::*;
        match self.kind {
            Expected { .. } | MissingSemicolon { .. } => code!(self.language, "expected"),
            Unclosed { .. } | UnclosedComment | UnclosedText => code!(self.language, "unclosed"),
            Unopened { .. } => code!(self.language, "unopened"),
            Unsupported { .. } => code!(self.language, "unsupported"),
            UnknownCharacter(_) => code!(self.language, "character"),
            TooLargeNumber(_) => code!(self.language, "number"),
            TooManyDimensions | TooManyPrimes => code!(self.language, "place"),
            NoBranch(_) | SecondElse { .. } => code!(self.language, "branches"),
            CallInExpression(_) => code!(self.language, "call-in-expression"),
            UndefInExpression => code!(self.language, "undef"),
            NestedStruct => code!(self.language, "nested-struct"),
            LabelWithoutStatement(_) => code!(self.language, "label"),
            TooLarge | TooManyErrors => code!(self.language, "limit"),
        }
    }

    /// What would be right, where that can be said.
    fn help(&self) -> Option<String> {
        use ParseErrorKind::*;
        let pds = self.language == Language::Pds;
        Some(match &self.kind {
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
            Expected { expected: "`=`", .. } if !pds => {
                "a statement that begins with a name is an assignment `x = e;`, a call `f(e);`, \
                 a label `L: …` or a rule `p <y> --> q <y1>`"
                    .into()
            }
            Expected { expected: "an expression", found, .. } if found == "`=`" => {
                "equality is written `==`".into()
            }
            MissingSemicolon { found, .. } if found == "`=`" => "equality is written `==`".into(),
            MissingSemicolon { .. } => "end the statement with `;`".into(),
            Unclosed { closer, .. } => format!("write {closer} here"),
            Unsupported { meaning, .. } => format!("this {meaning}"),
            NoBranch(word) => format!("write `{word} :: condition -> statements …`"),
            CallInExpression(name) => {
                format!("call it in a statement of its own, `x = {name}(…);`, and use `x` here")
            }
            UndefInExpression => {
                "`undef` is a whole value, as in `x = undef;`, or a whole argument".into()
            }
            LabelWithoutStatement(label) => format!("write `{label}: skip;`"),
            _ => return None,
        })
    }

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code(), self.to_string()).at(self.span);
        diagnostic.help = self.help();
        match self.kind {
            ParseErrorKind::Unclosed { opened, opener, .. } => {
                diagnostic.note_at(opened, format!("{opener} stands here"))
            }
            ParseErrorKind::MissingSemicolon { after, .. } => {
                diagnostic.note_at(after, "the statement ends here")
            }
            ParseErrorKind::SecondElse { first } => {
                diagnostic.note_at(first, "the first one stands here")
            }
            _ => diagnostic,
        }
    }
}

impl From<&ParseError> for Diagnostic {
    fn from(error: &ParseError) -> Diagnostic {
        error.diagnostic()
    }
}

impl From<&LowerError> for Diagnostic {
    fn from(error: &LowerError) -> Diagnostic {
        error.diagnostic()
    }
}

/// Something that is wrong with a program which the grammar accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct LowerError {
    /// What is wrong.
    pub kind: LowerErrorKind,
    /// Where; `None` if it is about the whole program.
    pub span: Option<Span>,
    /// In which language.
    pub language: Language,
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

impl LowerError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use LowerErrorKind::*;
        match self.kind {
            DeclaredTwice { .. } => code!(self.language, "declared-twice"),
            LabelTwice { .. } => code!(self.language, "label-twice"),
            Unknown { .. } | NotLocal { .. } => code!(self.language, "unknown-name"),
            UnknownLabel { .. } => code!(self.language, "unknown-label"),
            NotConstant | NoValue(_) => code!(self.language, "constant"),
            BadBits(_) | UnknownBits(_) | MisplacedBits => code!(self.language, "bits"),
            BadDimension { .. } => code!(self.language, "dimension"),
            ArrayInArray(_) | NestedStruct => code!(self.language, "nested-struct"),
            Sort { .. } | WholeStruct(_) | NoStruct(_) | Shape(_) => code!(self.language, "type"),
            IndexCount { .. } => code!(self.language, "index-count"),
            IndexNeverFits { .. } => code!(self.language, "index"),
            TooWide { .. } | TooManyBits { .. } | TooManyInstances => code!(self.language, "limit"),
            EmptyRange { .. } => code!(self.language, "range"),
            ArgumentCount { .. } => code!(self.language, "argument-count"),
            NoResult { .. } | ReturnValue { .. } => code!(self.language, "return"),
            ReturnOutside | BreakOutside => code!(self.language, "misplaced"),
            Prime { .. } | NothingBelow { .. } | NothingLeft { .. } => {
                code!(self.language, "prime")
            }
            ConstantTarget(_) => code!(self.language, "constant-target"),
            NoBody(_) | Announcement { .. } => code!(self.language, "announcement"),
            SecondStart { .. } | SecondFrame { .. } => code!(self.language, "declared-twice"),
            NoEntry { .. } | NoStart => code!(self.language, "no-entry"),
        }
    }

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        use LowerErrorKind::*;
        let mut out = Diagnostic::error(self.code(), self.to_string());
        out.span = self.span;
        let did_you_mean = |near: &String| format!("did you mean `{near}`?");
        match &self.kind {
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
                let out = match known.len() {
                    0 => out.note(format!("there are no {what}s")),
                    n => out.note(format!("{what}{} here: {}", plural(n), known.join(", "))),
                };
                match (nearest, known.first()) {
                    (Some(near), _) => out.help(did_you_mean(near)),
                    (None, Some(first)) => {
                        out.help(format!("name the one to start at: `--entry {first}`"))
                    }
                    (None, None) => out,
                }
            }
            _ => out,
        }
    }
}
