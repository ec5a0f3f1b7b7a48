//! Regular expressions over frames: `f .* g .*` is "`f` runs, and `g` is somewhere below it".
//!
//! | expression | stacks, the topmost frame first |
//! |---|---|
//! | `f` | one frame of the procedure `f`; without such a procedure, one at the label `f` |
//! | `f:L`, `L` | one frame at the statement labelled `L`, of `f` or of any procedure |
//! | `f:12`, `:12` | one frame at a statement on line 12 |
//! | `.` | any frame |
//! | `!f`, `!(f \| g:L)` | any frame but these |
//! | `f[x < y]` | such a frame whose variables satisfy the condition |
//! | `a b` | `a` above `b` |
//! | `a & b`, `a \| b` | both, either |
//! | `~a` | every stack but these |
//! | `a*`, `a+`, `a?` | any number of times, at least once, at most once |
//! | `q <a>` | those of `a`, with the control location `q` of a pushdown system |
//! | `(a)`, `"name"` | grouping; a name with special characters (one in braces needs no quotes) |
//!
//! `!`, `~` and `[...]` bind tighter than `*`, that tighter than juxtaposition, then `&`, then `|`.
//!
//! A condition on the topmost frame may read globals and locals, one on a frame below it the locals as the
//! call left them behind: there are no globals but those of now. Frames without a variable that the
//! condition reads do not satisfy it.

use crate::nfa::{Nfa, Part};
use crate::pieces::Pieces;
use crate::regular::{Letter, Nodes, RegularSet, Waiting};
use ir::{BinaryOp, ExprId, Exprs, NodeId, ProcId, Program, VarKind};
use source::{Diagnostic, Span, suggest};
use std::fmt;
use std::ops::Range;

/// What an expression needs to know beyond the program's places: how conditions are read, and which control
/// locations there are.
pub trait Conditions {
    /// Nodes with equal numbers have the same variables in scope.
    fn scope(&self, node: NodeId) -> usize;
    /// The condition at `text[range]`, over variables in that scope. `None`: it reads a variable that is not there,
    /// and the diagnostic says so if it is nowhere.
    fn read(
        &self,
        exprs: &mut Exprs,
        text: &str,
        range: Range<usize>,
        scope: usize,
    ) -> Result<ExprId, Refused>;
    /// The control locations of a pushdown system; empty in programs, which have none.
    fn controls(&self) -> &[String];
}

/// Why a condition is not read.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Only because the frame has no such variable.
    pub missing: bool,
    /// For people; its place is one of the whole text.
    pub diagnostic: Diagnostic,
}

/// No conditions and no control locations.
struct NoData;

impl Conditions for NoData {
    fn scope(&self, _: NodeId) -> usize {
        0
    }
    fn read(
        &self,
        _: &mut Exprs,
        _: &str,
        range: Range<usize>,
        _: usize,
    ) -> Result<ExprId, Refused> {
        let message = "conditions on data cannot be read here";
        let span = Span::new(range.start as u32, range.end as u32);
        let diagnostic = Diagnostic::error("stack-condition", message.to_owned()).at(span);
        Err(Refused { missing: false, diagnostic })
    }
    fn controls(&self) -> &[String] {
        &[]
    }
}

/// What is wrong with a regular expression over frames, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// What is wrong.
    pub kind: ExpressionErrorKind,
    /// The place in the expression's text.
    pub span: Span,
}

/// What can be wrong with a regular expression over frames.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// Neither a procedure nor a label has this name.
    UnknownName {
        /// The name.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// No procedure has this name.
    UnknownProc {
        /// The name.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The procedure has no such label, nor a statement on such a line.
    UnknownLabel {
        /// The procedure.
        proc: String,
        /// The label.
        label: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// No statement begins on this line.
    NoStatementOnLine {
        /// The line.
        line: u32,
    },
    /// A frame, or something in parentheses, must stand here.
    ExpectedFrame,
    /// A name or line number must follow the colon.
    ExpectedLabel,
    /// A parenthesis that is not closed.
    Unclosed,
    /// A closing parenthesis without an opening one.
    Unopened,
    /// A quote or brace that is not closed.
    UnclosedName,
    /// `!` is followed by something that is not a single frame, or `[...]` follows it.
    NotOneFrame,
    /// The expression names more frames than this.
    TooLarge {
        /// How many are allowed.
        limit: usize,
    },
    /// What stands in brackets after a frame is no condition on its variables.
    Condition {
        /// A stable name of the kind of error.
        code: &'static str,
        /// What is wrong.
        message: String,
        /// What helps.
        help: Option<String>,
    },
    /// A bracket that is not closed.
    UnclosedCondition,
    /// A condition below the topmost frame reads a global.
    GlobalBelow,
    /// No control location has this name.
    UnknownControl {
        /// The name.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// There are some.
        any: bool,
    },
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ExpressionErrorKind::*;
        match &self.kind {
            UnknownName { name, .. } => write!(f, "no procedure and no label is named `{name}`"),
            UnknownProc { name, .. } => write!(f, "there is no procedure `{name}`"),
            UnknownLabel { proc, label, .. } => {
                write!(f, "`{proc}` has no statement labelled `{label}`")
            }
            NoStatementOnLine { line } => write!(f, "no statement begins on line {line}"),
            ExpectedFrame => f.write_str("a procedure, a label, `.` or `(` is expected here"),
            ExpectedLabel => f.write_str("a label or a line number is expected after `:`"),
            Unclosed => f.write_str("this parenthesis is not closed"),
            Unopened => f.write_str("this parenthesis closes none"),
            UnclosedName => f.write_str("this name does not end"),
            NotOneFrame => {
                f.write_str("`!` and `[...]` need a single frame, or alternatives of single frames")
            }
            TooLarge { limit } => write!(f, "the expression names more than {limit} frames"),
            Condition { message, .. } => f.write_str(message),
            UnclosedCondition => f.write_str("this condition does not end"),
            GlobalBelow => {
                f.write_str("a condition on a frame below the topmost one reads a global")
            }
            UnknownControl { name, any: true, .. } => {
                write!(f, "there is no control location `{name}`")
            }
            UnknownControl { .. } => f.write_str("a program has no control locations"),
        }
    }
}

impl std::error::Error for ExpressionError {}

impl ExpressionError {
    /// A stable name of the kind of error.
    pub fn code(&self) -> &'static str {
        use ExpressionErrorKind::*;
        match self.kind {
            UnknownName { .. } => "stack-unknown-name",
            UnknownProc { .. } => "stack-unknown-procedure",
            UnknownLabel { .. } => "stack-unknown-label",
            NoStatementOnLine { .. } => "stack-no-statement",
            ExpectedFrame | ExpectedLabel => "stack-expected",
            Unclosed | Unopened | UnclosedName => "stack-unbalanced",
            NotOneFrame => "stack-not-one-frame",
            TooLarge { .. } => "stack-too-large",
            Condition { code, .. } => code,
            UnclosedCondition => "stack-unbalanced",
            GlobalBelow => "stack-global-below",
            UnknownControl { .. } => "stack-unknown-control",
        }
    }
    /// The error for people; its place is one in the expression.
    pub fn diagnostic(&self) -> Diagnostic {
        use ExpressionErrorKind::*;
        let mut out = Diagnostic::error(self.code(), self.to_string()).at(self.span);
        out.help = match &self.kind {
            UnknownName { nearest: Some(name), .. }
            | UnknownProc { nearest: Some(name), .. }
            | UnknownControl { nearest: Some(name), .. }
            | UnknownLabel { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Condition { help, .. } => help.clone(),
            GlobalBelow => Some(
                "globals have one value, that of now: ask for it in the topmost frame".to_owned(),
            ),
            UnknownControl { any: false, .. } => {
                Some("`q <a b>` is for pushdown systems; here, write `a b`".to_owned())
            }
            _ => None,
        };
        out
    }
}

/// More frames than this in one expression are refused: its automaton is quadratic in them.
const LARGEST: usize = 1000;
/// More edges than this in an automaton with complements and intersections are refused.
const MOST: usize = 20_000;
/// What names without quotes do not contain.
pub(crate) const SPECIAL: &str = ".|*+?()!:\"}[]<>&~";

impl RegularSet {
    /// The set that a regular expression over frames describes.
    ///
    /// | expression | stacks, the topmost frame first |
    /// |---|---|
    /// | `f` | one frame of the procedure `f`; without such a procedure, one at the label `f` |
    /// | `f:L`, `L` | one frame at the statement labelled `L`, of `f` or of any procedure |
    /// | `f:12`, `:12` | one frame at a statement on line 12 |
    /// | `.` | any frame |
    /// | `!f`, `!(f \| g:L)` | any frame but these |
    /// | `a b`, `a \| b` | `a` above `b`; either |
    /// | `a*`, `a+`, `a?` | any number of times, at least once, at most once |
    /// | `a & b`, `~a` | both; every stack but these |
    ///
    /// ```
    /// use engine_pds::RegularSet;
    /// # use ir::{Init, ProgramBuilder, Rel};
    /// # let mut b = ProgramBuilder::new();
    /// # let at = b.no_origin();
    /// # let main = b.proc("main", at);
    /// # b.begin_proc(main);
    /// # let node = b.statement(at);
    /// # b.entry(main, node);
    /// # let program = b.finish(main, Init::default());
    /// assert!(RegularSet::parse(&program, "main .*").is_ok());
    /// let error = RegularSet::parse(&program, ". mian .*").unwrap_err();
    /// assert_eq!(error.diagnostic().help.as_deref(), Some("did you mean `main`?"));
    /// assert_eq!(error.span.range(), 2..6);
    /// ```
    pub fn parse(program: &Program, text: &str) -> Result<RegularSet, ExpressionError> {
        RegularSet::parse_as(program, text, Waiting::Call)
    }

    /// Likewise, with frames below the top known as `waiting` says. With [`Waiting::Return`] the
    /// words are those of pushdown systems: a name is a stack symbol, that is a label, and that of
    /// a procedure only where there is no such label.
    pub fn parse_as(
        program: &Program,
        text: &str,
        waiting: Waiting,
    ) -> Result<RegularSet, ExpressionError> {
        let mut exprs = program.exprs.clone();
        RegularSet::parse_with(program, &mut exprs, text, waiting, &NoData)
    }

    /// Likewise, with conditions on data (`f[x < y]`) and control locations (`q <a b>`). `exprs` are the program's,
    /// and get what conditions add: the program that the set is about must have these.
    pub fn parse_with(
        program: &Program,
        exprs: &mut Exprs,
        text: &str,
        waiting: Waiting,
        conditions: &dyn Conditions,
    ) -> Result<RegularSet, ExpressionError> {
        let mut parser = Parser::new(program, exprs, text, waiting, conditions);
        parser.run()?;
        let part = parser.part()?;
        let mut set = parser.nfa.without_epsilon(part);
        set.waiting = waiting;
        let below = set.letters().filter(|(top, _)| !top);
        if let Some(span) = parser.global_in(below.map(|(_, letter)| letter.condition)) {
            return parser.error(ExpressionErrorKind::GlobalBelow, span);
        }
        Ok(set)
    }
}

/// A single frame of an expression: a name, `f:L`, `.`, `!f`, `f[x]` or alternatives of these (see
/// [`RegularSet::parse_with`]): letters, one of which must be read.
pub fn parse_frame(
    program: &Program,
    exprs: &mut Exprs,
    text: &str,
    waiting: Waiting,
    conditions: &dyn Conditions,
) -> Result<Vec<Letter>, ExpressionError> {
    let mut parser = Parser::new(program, exprs, text, waiting, conditions);
    parser.run()?;
    match parser.operand() {
        Operand::Frame(pieces) => Ok(pieces.letters().collect()),
        Operand::Part(..) => {
            let span = Span::new(0, text.len() as u32);
            Err(ExpressionError { kind: ExpressionErrorKind::NotOneFrame, span })
        }
    }
}

impl Nodes {
    /// The nodes that a single frame of an expression can stand at (see [`parse_frame`]), without conditions.
    pub fn parse(
        program: &Program,
        text: &str,
        waiting: Waiting,
    ) -> Result<Nodes, ExpressionError> {
        let mut exprs = program.exprs.clone();
        let letters = parse_frame(program, &mut exprs, text, waiting, &NoData)?;
        let none = Nodes::of(program, []);
        Ok(letters.iter().fold(none, |nodes, letter| nodes.union(program, &letter.nodes)))
    }
}

/// A piece of the automaton.
enum Operand {
    /// A single frame; stays a set as long as possible, for `!`.
    Frame(Pieces),
    /// From a state to a state.
    Part(u32, u32),
}

impl From<Part> for Operand {
    fn from((from, to): Part) -> Operand {
        Operand::Part(from, to)
    }
}

/// What waits for its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open(Span),
    /// `q <`: the condition on the control location.
    Control(Span, ExprId),
    Not(Span),
    Complement,
    Or,
    And,
    Then,
}

impl Operator {
    fn strength(self) -> u32 {
        match self {
            Operator::Open(_) | Operator::Control(..) => 0,
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Then => 3,
            Operator::Not(_) | Operator::Complement => PREFIX,
        }
    }
}

/// How tight operators before an operand bind.
const PREFIX: u32 = 4;

/// Operator precedence with explicit stacks: any depth of parentheses.
struct Parser<'a> {
    program: &'a Program,
    exprs: &'a mut Exprs,
    conditions: &'a dyn Conditions,
    text: &'a str,
    waiting: Waiting,
    /// Conditions that read a global, and where they stand.
    globals: Vec<Span>,
    at: usize,
    nfa: Nfa,
    operands: Vec<Operand>,
    operators: Vec<Operator>,
}

impl<'a> Parser<'a> {
    fn new(
        program: &'a Program,
        exprs: &'a mut Exprs,
        text: &'a str,
        waiting: Waiting,
        conditions: &'a dyn Conditions,
    ) -> Parser<'a> {
        Parser {
            program,
            exprs,
            conditions,
            text,
            waiting,
            globals: Vec::new(),
            at: 0,
            nfa: Nfa::default(),
            operands: Vec::new(),
            operators: Vec::new(),
        }
    }
    fn error<T>(&self, kind: ExpressionErrorKind, span: Span) -> Result<T, ExpressionError> {
        Err(ExpressionError { kind, span })
    }
    fn here(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }
    fn skip_space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.at += c.len_utf8();
        }
    }

    /// Leaves one operand.
    fn run(&mut self) -> Result<(), ExpressionError> {
        // Whether an operand has just ended.
        let mut ended = false;
        loop {
            self.skip_space();
            let start = self.at;
            let Some(c) = self.peek() else { break };
            match c {
                '|' | '&' | ')' | '>' | '*' | '+' | '?' if !ended => {
                    self.at += 1;
                    let span = self.here(start);
                    return self.error(ExpressionErrorKind::ExpectedFrame, span);
                }
                '|' => {
                    self.at += 1;
                    self.push(Operator::Or)?;
                    ended = false;
                }
                '&' => {
                    self.at += 1;
                    self.push(Operator::And)?;
                    ended = false;
                }
                '*' | '+' | '?' => {
                    self.at += 1;
                    let (from, to) = self.part()?;
                    let part = self.nfa.repeat(from, to, c != '+', c != '?');
                    self.operands.push(part.into());
                }
                ')' => {
                    self.at += 1;
                    self.reduce(1)?;
                    let Some(Operator::Open(_)) = self.operators.pop() else {
                        let span = self.here(start);
                        return self.error(ExpressionErrorKind::Unopened, span);
                    };
                    self.conditions()?;
                    self.reduce(PREFIX)?;
                }
                '>' => {
                    self.at += 1;
                    self.reduce(1)?;
                    let Some(Operator::Control(_, condition)) = self.operators.pop() else {
                        let span = self.here(start);
                        return self.error(ExpressionErrorKind::Unopened, span);
                    };
                    let part = self.part()?;
                    let part = self.nfa.first_with(part, self.exprs, condition);
                    self.operands.push(part.into());
                    self.reduce(PREFIX)?;
                }
                _ => {
                    if ended {
                        self.push(Operator::Then)?;
                    }
                    ended = false;
                    match c {
                        '(' => {
                            self.at += 1;
                            let span = self.here(start);
                            self.operators.push(Operator::Open(span));
                        }
                        '!' => {
                            self.at += 1;
                            let span = self.here(start);
                            self.operators.push(Operator::Not(span));
                        }
                        '~' => {
                            self.at += 1;
                            self.operators.push(Operator::Complement);
                        }
                        _ => {
                            if let Some(control) = self.control()? {
                                self.operators.push(control);
                                continue;
                            }
                            let nodes = self.frame()?;
                            self.operands.push(Operand::Frame(Pieces::at(nodes)));
                            self.conditions()?;
                            self.reduce(PREFIX)?;
                            ended = true;
                        }
                    }
                }
            }
        }
        if !ended {
            let end = Span::new(self.text.len() as u32, self.text.len() as u32);
            let unclosed = self.operators.iter().rev().find_map(|o| match o {
                Operator::Open(span) | Operator::Control(span, _) => Some(*span),
                _ => None,
            });
            return match unclosed {
                Some(span) if self.operands.is_empty() => {
                    self.error(ExpressionErrorKind::Unclosed, span)
                }
                _ => self.error(ExpressionErrorKind::ExpectedFrame, end),
            };
        }
        self.reduce(1)?;
        if let Some(Operator::Open(span) | Operator::Control(span, _)) = self.operators.pop() {
            return self.error(ExpressionErrorKind::Unclosed, span);
        }
        Ok(())
    }

    /// Applies what binds tighter, then waits for the right operand.
    fn push(&mut self, operator: Operator) -> Result<(), ExpressionError> {
        self.reduce(operator.strength())?;
        self.operators.push(operator);
        Ok(())
    }

    /// Applies waiting operators of at least the given strength.
    fn reduce(&mut self, strength: u32) -> Result<(), ExpressionError> {
        while let Some(&operator) = self.operators.last() {
            if operator.strength() < strength {
                break;
            }
            self.operators.pop();
            match operator {
                Operator::Open(_) | Operator::Control(..) => unreachable!("it has no strength"),
                Operator::Not(span) => match self.operand() {
                    Operand::Frame(pieces) => {
                        let all = self.frames(Nodes::any());
                        let others = pieces.complement(self.program, self.exprs, &all);
                        self.operands.push(Operand::Frame(others));
                    }
                    Operand::Part(..) => {
                        return self.error(ExpressionErrorKind::NotOneFrame, span);
                    }
                },
                Operator::Complement => {
                    let part = self.part()?;
                    let all = self.frames(Nodes::any());
                    let (program, exprs) = (self.program, &mut *self.exprs);
                    let others = self.nfa.complement(part, program, exprs, &all, LARGEST);
                    self.built(others)?;
                }
                Operator::Or => {
                    let (right, left) = (self.operand(), self.operand());
                    let joined = match (left, right) {
                        (Operand::Frame(a), Operand::Frame(b)) => {
                            Operand::Frame(a.union(self.program, b))
                        }
                        (left, right) => {
                            let (left, right) = (self.as_part(left)?, self.as_part(right)?);
                            self.nfa.either(left, right).into()
                        }
                    };
                    self.operands.push(joined);
                }
                Operator::And => {
                    let (right, left) = (self.operand(), self.operand());
                    let (program, exprs) = (self.program, &mut *self.exprs);
                    if let (Operand::Frame(a), Operand::Frame(b)) = (&left, &right) {
                        let both = a.intersection(program, exprs, b);
                        self.operands.push(Operand::Frame(both));
                        continue;
                    }
                    let (left, right) = (self.as_part(left)?, self.as_part(right)?);
                    let exprs = &mut *self.exprs;
                    let both = self.nfa.both(left, right, program, exprs, LARGEST);
                    self.built(both)?;
                }
                Operator::Then => {
                    let (right, left) = (self.operand(), self.operand());
                    let (left, right) = (self.as_part(left)?, self.as_part(right)?);
                    self.nfa.epsilon[left.1 as usize].push(right.0);
                    self.operands.push(Operand::Part(left.0, right.1));
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self) -> Operand {
        self.operands
            .pop()
            .expect("an operator is pushed after its left operand, reduced after its right")
    }
    fn part(&mut self) -> Result<(u32, u32), ExpressionError> {
        let operand = self.operand();
        self.as_part(operand)
    }
    fn as_part(&mut self, operand: Operand) -> Result<(u32, u32), ExpressionError> {
        match operand {
            Operand::Part(from, to) => Ok((from, to)),
            Operand::Frame(pieces) => {
                if self.nfa.frames.len() >= LARGEST {
                    self.built(None)?;
                }
                let (from, to) = (self.nfa.state(), self.nfa.state());
                self.nfa.frames.push((from, pieces, to));
                Ok((from, to))
            }
        }
    }

    /// A part that was made of others, unless it would be too large.
    fn built(&mut self, part: Option<Part>) -> Result<(), ExpressionError> {
        match part.filter(|_| self.nfa.frames.len() <= MOST) {
            Some(part) => self.operands.push(part.into()),
            None => {
                let all = Span::new(0, self.text.len() as u32);
                return self.error(ExpressionErrorKind::TooLarge { limit: LARGEST }, all);
            }
        }
        Ok(())
    }

    /// `q <`, if that is what stands here.
    fn control(&mut self) -> Result<Option<Operator>, ExpressionError> {
        let start = self.at;
        let name = self.name()?;
        let span = self.here(start);
        self.skip_space();
        let Some(name) = name.filter(|_| self.peek() == Some('<')) else {
            self.at = start;
            return Ok(None);
        };
        self.at += 1;
        let controls = self.conditions.controls();
        if !controls.contains(&name) {
            let nearest = suggest(&name, controls.iter().map(String::as_str)).map(str::to_owned);
            let any = !controls.is_empty();
            return self.error(ExpressionErrorKind::UnknownControl { name, nearest, any }, span);
        }
        let constants = self.program.constants.iter();
        let mut of_name = constants.filter(|c| self.program.text(c.name) == name);
        let Some((var, value)) = of_name.find_map(|c| Some((c.var?, c.value))) else {
            // The only control location there is.
            return Ok(Some(Operator::Control(span, Exprs::TRUE)));
        };
        let (now, here) = (self.exprs.pre(var), self.exprs.int(value));
        let condition = self.exprs.binary(BinaryOp::Eq, now, here);
        self.globals.push(span);
        Ok(Some(Operator::Control(span, condition)))
    }

    /// Conditions in brackets behind an operand.
    fn conditions(&mut self) -> Result<(), ExpressionError> {
        loop {
            let before = self.at;
            self.skip_space();
            if self.peek() != Some('[') {
                self.at = before;
                return Ok(());
            }
            let start = self.at;
            let (mut depth, mut in_name) = (0u32, false);
            let close = self.text[start..].char_indices().find(|&(_, c)| {
                match c {
                    '{' => in_name = true,
                    '}' => in_name = false,
                    '[' if !in_name => depth += 1,
                    ']' if !in_name => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let Some((length, _)) = close else {
                self.at = self.text.len();
                let span = self.here(start);
                return self.error(ExpressionErrorKind::UnclosedCondition, span);
            };
            self.at = start + length + 1;
            let Operand::Frame(pieces) = self.operand() else {
                let span = self.here(start);
                return self.error(ExpressionErrorKind::NotOneFrame, span);
            };
            let pieces = self.restricted(&pieces, start + 1..start + length)?;
            self.operands.push(Operand::Frame(pieces));
        }
    }

    /// The frames that satisfy the condition that stands in the text.
    fn restricted(
        &mut self,
        pieces: &Pieces,
        range: Range<usize>,
    ) -> Result<Pieces, ExpressionError> {
        let mut scopes: Vec<(usize, Vec<NodeId>)> = Vec::new();
        for node in self.program.nodes.ids() {
            if !pieces.0.iter().any(|(nodes, _)| nodes.contains(node)) {
                continue;
            }
            let scope = self.conditions.scope(node);
            match scopes.iter_mut().find(|(known, _)| *known == scope) {
                Some((_, nodes)) => nodes.push(node),
                None => scopes.push((scope, vec![node])),
            }
        }
        let (mut fitting, mut missing) = (Pieces(Vec::new()), None);
        for (scope, nodes) in scopes {
            match self.conditions.read(self.exprs, self.text, range.clone(), scope) {
                Ok(condition) => {
                    if reads_global(self.program, self.exprs, condition) {
                        self.globals.push(Span::new(range.start as u32, range.end as u32));
                    }
                    let here = Pieces(vec![(Nodes::of(self.program, nodes), condition)]);
                    fitting = fitting.union(self.program, here);
                }
                Err(refused) if refused.missing => {
                    missing.get_or_insert(refused.diagnostic);
                }
                Err(refused) => return Err(not_read(refused.diagnostic, &range)),
            }
        }
        match missing {
            Some(diagnostic) if fitting.0.is_empty() => Err(not_read(diagnostic, &range)),
            _ => Ok(pieces.intersection(self.program, self.exprs, &fitting)),
        }
    }

    /// Where a condition reads a global, if one of these does.
    fn global_in(&self, conditions: impl Iterator<Item = ExprId>) -> Option<Span> {
        let mut conditions = conditions;
        conditions.find(|&condition| reads_global(self.program, self.exprs, condition))?;
        let all = Span::new(0, self.text.len() as u32);
        Some(self.globals.first().copied().unwrap_or(all))
    }

    /// `.`, a name, `proc:label`, `proc:line` or `:line`.
    fn frame(&mut self) -> Result<Nodes, ExpressionError> {
        let start = self.at;
        if self.peek() == Some('.') {
            self.at += 1;
            return Ok(self.frames(Nodes::any()));
        }
        let name = self.name()?;
        let name_span = self.here(start);
        if self.peek() != Some(':') {
            return match name {
                Some(name) => self.named(&name, name_span),
                None => {
                    self.at += self.peek().map_or(0, char::len_utf8);
                    let span = self.here(start);
                    self.error(ExpressionErrorKind::ExpectedFrame, span)
                }
            };
        }
        self.at += 1;
        let label_start = self.at;
        let Some(label) = self.name()? else {
            let span = self.here(start);
            return self.error(ExpressionErrorKind::ExpectedLabel, span);
        };
        let span = self.here(label_start);
        match name {
            None => match label.parse() {
                Ok(line) => self.on_line(None, line, self.here(start)),
                Err(_) => self.error(ExpressionErrorKind::ExpectedLabel, span),
            },
            Some(proc) => self.labelled(&proc, name_span, &label, span),
        }
    }

    /// Those of the nodes that a frame can be seen at.
    fn frames(&self, nodes: Nodes) -> Nodes {
        match self.waiting {
            Waiting::Call => nodes,
            Waiting::Return => nodes.intersection(self.program, &Nodes::labelled(self.program)),
        }
    }

    /// A name, in quotes or not; `None` if there is none.
    fn name(&mut self) -> Result<Option<String>, ExpressionError> {
        let start = self.at;
        if self.peek() == Some('"') {
            self.at += 1;
            let Some(length) = self.text[self.at..].find('"') else {
                self.at = self.text.len();
                let span = self.here(start);
                return self.error(ExpressionErrorKind::UnclosedName, span);
            };
            let name = self.text[self.at..self.at + length].to_owned();
            self.at += length + 1;
            return Ok(Some(name));
        }
        while let Some(c) = self.peek() {
            if c == '{' {
                let Some(length) = self.text[self.at..].find('}') else {
                    self.at = self.text.len();
                    let span = self.here(start);
                    return self.error(ExpressionErrorKind::UnclosedName, span);
                };
                self.at += length + 1;
            } else if c.is_whitespace() || SPECIAL.contains(c) {
                break;
            } else {
                self.at += c.len_utf8();
            }
        }
        Ok((self.at > start).then(|| self.text[start..self.at].to_owned()))
    }

    fn named(&self, name: &str, span: Span) -> Result<Nodes, ExpressionError> {
        let program = self.program;
        let nodes = program.labelled(None, name);
        let proc = program.proc_named(name);
        match (proc, self.waiting) {
            (Some(proc), _) if nodes.is_empty() || self.waiting == Waiting::Call => {
                return Ok(self.frames(Nodes::of(program, program.procs[proc].node_ids())));
            }
            _ if !nodes.is_empty() => return Ok(Nodes::of(program, nodes)),
            _ => {}
        }
        let procs = program.procs.ids().map(|p| program.proc_name(p));
        let labels = program.labels.iter().map(|l| program.text(l.name));
        let nearest = suggest(name, procs.chain(labels)).map(str::to_owned);
        self.error(ExpressionErrorKind::UnknownName { name: name.to_owned(), nearest }, span)
    }

    fn labelled(
        &self,
        proc: &str,
        proc_span: Span,
        label: &str,
        span: Span,
    ) -> Result<Nodes, ExpressionError> {
        let program = self.program;
        let Some(id) = program.proc_named(proc) else {
            let names = program.procs.ids().map(|p| program.proc_name(p));
            let nearest = suggest(proc, names).map(str::to_owned);
            let kind = ExpressionErrorKind::UnknownProc { name: proc.to_owned(), nearest };
            return self.error(kind, proc_span);
        };
        let nodes = program.labelled(Some(id), label);
        if !nodes.is_empty() {
            return Ok(Nodes::of(program, nodes));
        }
        if let Ok(line) = label.parse() {
            return self.on_line(Some(id), line, span);
        }
        let here = program.labels.iter().filter(|l| program.nodes[l.node].proc == id);
        let nearest = suggest(label, here.map(|l| program.text(l.name))).map(str::to_owned);
        let (proc, label) = (proc.to_owned(), label.to_owned());
        self.error(ExpressionErrorKind::UnknownLabel { proc, label, nearest }, span)
    }

    fn on_line(
        &self,
        proc: Option<ProcId>,
        line: u32,
        span: Span,
    ) -> Result<Nodes, ExpressionError> {
        let all = self.program.nodes.enumerate();
        let found: Vec<NodeId> = all
            .filter(|(_, n)| n.statement && n.origin.line == line)
            .filter(|(_, n)| proc.is_none_or(|p| p == n.proc))
            .map(|(id, _)| id)
            .collect();
        match found.is_empty() {
            true => self.error(ExpressionErrorKind::NoStatementOnLine { line }, span),
            false => Ok(Nodes::of(self.program, found)),
        }
    }
}

fn reads_global(program: &Program, exprs: &Exprs, condition: ExprId) -> bool {
    let mut found = false;
    exprs.reads(condition, |_, var| found |= program.vars[var].kind == VarKind::Global);
    found
}

/// What is wrong with a condition, as an error in the expression.
fn not_read(diagnostic: Diagnostic, range: &Range<usize>) -> ExpressionError {
    let whole = Span::new(range.start as u32, range.end as u32);
    ExpressionError {
        span: diagnostic.span.unwrap_or(whole),
        kind: ExpressionErrorKind::Condition {
            code: diagnostic.code,
            message: diagnostic.message,
            help: diagnostic.help,
        },
    }
}
