//! Regular expressions over frames: `f .* g .*` is "`f` runs, and `g` is somewhere below it".
//!
//! | expression | stacks, the topmost frame first |
//! |---|---|
//! | `f` | one frame of the procedure `f`; without such a procedure, one at the label `f` |
//! | `f:L`, `L` | one frame at the statement labelled `L`, of `f` or of any procedure |
//! | `f:12`, `:12` | one frame at a statement on line 12 |
//! | `.` | any frame |
//! | `!f`, `!(f \| g:L)` | any frame but these |
//! | `a b` | `a` above `b` |
//! | `a \| b` | either |
//! | `a*`, `a+`, `a?` | any number of times, at least once, at most once |
//! | `(a)`, `"name"` | grouping; a name with special characters (one in braces needs no quotes) |
//!
//! `!` binds tighter than `*`, that tighter than juxtaposition, that tighter than `|`.

use crate::regular::{Letter, Nodes, RegularSet, Waiting};
use ir::{NodeId, ProcId, Program};
use source::{Diagnostic, Span, suggest};
use std::fmt;

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
    /// `!` is followed by something that is not a single frame.
    NotOneFrame,
    /// The expression names more frames than this.
    TooLarge {
        /// How many are allowed.
        limit: usize,
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
                f.write_str("`!` needs a single frame, or alternatives of single frames")
            }
            TooLarge { limit } => write!(f, "the expression names more than {limit} frames"),
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
        }
    }
    /// The error for people; its place is one in the expression.
    pub fn diagnostic(&self) -> Diagnostic {
        use ExpressionErrorKind::*;
        let mut out = Diagnostic::error(self.code(), self.to_string()).at(self.span);
        out.help = match &self.kind {
            UnknownName { nearest: Some(name), .. }
            | UnknownProc { nearest: Some(name), .. }
            | UnknownLabel { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            _ => None,
        };
        out
    }
}

/// More frames than this in one expression are refused: its automaton is quadratic in them.
const LARGEST: usize = 1000;

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
        let mut parser = Parser::new(program, text, waiting);
        parser.run()?;
        let (start, end) = parser.part()?;
        let mut set = parser.nfa.without_epsilon(start, end);
        set.waiting = waiting;
        Ok(set)
    }
}

impl Nodes {
    /// The nodes that a single frame of an expression can stand at: a name, `f:L`, `.`, `!f` or
    /// alternatives of these (see [`RegularSet::parse_as`]).
    pub fn parse(
        program: &Program,
        text: &str,
        waiting: Waiting,
    ) -> Result<Nodes, ExpressionError> {
        let mut parser = Parser::new(program, text, waiting);
        parser.run()?;
        match parser.operand() {
            Operand::Frame(nodes) => Ok(nodes),
            Operand::Part(..) => {
                let span = Span::new(0, text.len() as u32);
                Err(ExpressionError { kind: ExpressionErrorKind::NotOneFrame, span })
            }
        }
    }
}

/// A piece of the automaton.
enum Operand {
    /// A single frame; stays a set as long as possible, for `!`.
    Frame(Nodes),
    /// From a state to a state.
    Part(u32, u32),
}

/// What waits for its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open(Span),
    Not(Span),
    Or,
    Then,
}

impl Operator {
    fn strength(self) -> u32 {
        match self {
            Operator::Open(_) => 0,
            Operator::Or => 1,
            Operator::Then => 2,
            Operator::Not(_) => 3,
        }
    }
}

/// Operator precedence with explicit stacks: any depth of parentheses.
struct Parser<'a> {
    program: &'a Program,
    text: &'a str,
    waiting: Waiting,
    at: usize,
    nfa: Nfa,
    operands: Vec<Operand>,
    operators: Vec<Operator>,
}

impl<'a> Parser<'a> {
    fn new(program: &'a Program, text: &'a str, waiting: Waiting) -> Parser<'a> {
        let (operands, operators) = (Vec::new(), Vec::new());
        Parser { program, text, waiting, at: 0, nfa: Nfa::default(), operands, operators }
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
                '|' | ')' | '*' | '+' | '?' if !ended => {
                    self.at += 1;
                    let span = self.here(start);
                    return self.error(ExpressionErrorKind::ExpectedFrame, span);
                }
                '|' => {
                    self.at += 1;
                    self.push(Operator::Or)?;
                    ended = false;
                }
                '*' | '+' | '?' => {
                    self.at += 1;
                    let (from, to) = self.part()?;
                    let part = self.nfa.repeat(from, to, c != '+', c != '?');
                    self.operands.push(part);
                }
                ')' => {
                    self.at += 1;
                    self.reduce(1)?;
                    let Some(Operator::Open(_)) = self.operators.pop() else {
                        let span = self.here(start);
                        return self.error(ExpressionErrorKind::Unopened, span);
                    };
                    self.reduce(3)?;
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
                        _ => {
                            let nodes = self.frame()?;
                            self.operands.push(Operand::Frame(nodes));
                            self.reduce(3)?;
                            ended = true;
                        }
                    }
                }
            }
        }
        if !ended {
            let end = Span::new(self.text.len() as u32, self.text.len() as u32);
            let unclosed = self.operators.iter().rev().find_map(|o| match o {
                Operator::Open(span) => Some(*span),
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
        if let Some(Operator::Open(span)) = self.operators.pop() {
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
                Operator::Open(_) => unreachable!("it has no strength"),
                Operator::Not(span) => match self.operand() {
                    Operand::Frame(nodes) => {
                        let others = self.frames(nodes.complement(self.program));
                        self.operands.push(Operand::Frame(others));
                    }
                    Operand::Part(..) => {
                        return self.error(ExpressionErrorKind::NotOneFrame, span);
                    }
                },
                Operator::Or => {
                    let (right, left) = (self.operand(), self.operand());
                    let joined = match (left, right) {
                        (Operand::Frame(a), Operand::Frame(b)) => {
                            Operand::Frame(a.union(self.program, &b))
                        }
                        (left, right) => {
                            let (left, right) = (self.as_part(left)?, self.as_part(right)?);
                            self.nfa.either(left, right)
                        }
                    };
                    self.operands.push(joined);
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
            Operand::Frame(nodes) => {
                if self.nfa.frames.len() == LARGEST {
                    let all = Span::new(0, self.text.len() as u32);
                    return self.error(ExpressionErrorKind::TooLarge { limit: LARGEST }, all);
                }
                let (from, to) = (self.nfa.state(), self.nfa.state());
                self.nfa.frames.push((from, nodes, to));
                Ok((from, to))
            }
        }
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
            } else if c.is_whitespace() || ".|*+?()!:\"}".contains(c) {
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

/// An automaton with empty moves (Thompson).
#[derive(Default)]
struct Nfa {
    epsilon: Vec<Vec<u32>>,
    frames: Vec<(u32, Nodes, u32)>,
}

impl Nfa {
    fn state(&mut self) -> u32 {
        self.epsilon.push(Vec::new());
        self.epsilon.len() as u32 - 1
    }
    fn either(&mut self, a: (u32, u32), b: (u32, u32)) -> Operand {
        let (from, to) = (self.state(), self.state());
        self.epsilon[from as usize].extend([a.0, b.0]);
        self.epsilon[a.1 as usize].push(to);
        self.epsilon[b.1 as usize].push(to);
        Operand::Part(from, to)
    }
    fn repeat(&mut self, a: u32, b: u32, none: bool, many: bool) -> Operand {
        let (from, to) = (self.state(), self.state());
        self.epsilon[from as usize].push(a);
        self.epsilon[b as usize].push(to);
        if none {
            self.epsilon[from as usize].push(to);
        }
        if many {
            self.epsilon[b as usize].push(a);
        }
        Operand::Part(from, to)
    }
    /// What empty moves lead to, the state itself included.
    fn closure(&self, state: u32) -> Vec<u32> {
        let mut seen = analysis::BitSet::new(self.epsilon.len());
        seen.insert(state as usize);
        let mut out = vec![state];
        let mut next = 0;
        while let Some(&state) = out.get(next) {
            next += 1;
            for &to in &self.epsilon[state as usize] {
                if seen.insert(to as usize) {
                    out.push(to);
                }
            }
        }
        out
    }
    /// State 0 for the start, and `i + 1` for what follows the frame `i`.
    fn without_epsilon(&self, start: u32, end: u32) -> RegularSet {
        let mut set = RegularSet::new();
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.epsilon.len()];
        for (i, &(from, ..)) in self.frames.iter().enumerate() {
            set.state();
            leaving[from as usize].push(i);
        }
        let after = self.frames.iter().map(|&(_, _, to)| to);
        for (state, origin) in std::iter::once(start).chain(after).enumerate() {
            for reached in self.closure(origin) {
                if reached == end {
                    set.accept(state as u32);
                }
                for &i in &leaving[reached as usize] {
                    let letter = Letter::at(self.frames[i].1.clone());
                    set.transition(state as u32, letter, i as u32 + 1);
                }
            }
        }
        set
    }
}
