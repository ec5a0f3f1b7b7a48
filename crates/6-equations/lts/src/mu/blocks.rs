//! MCL's constructs that end with `end …`, in state formulas and in regular ones: `let`, `if`, `case`,
//! `choice`, `loop`, `while`, `repeat`, `for`.
//!
//! Each stands on the stack of the parser like a bracket, and is asked what follows whenever a formula
//! inside of it is whole.

use bes::data::{Binary, Expr, Sort, Value};
use bes::lex::{Lexer, SyntaxError, SyntaxErrorKind, Token};
use source::Span;

use super::parser::Parser;
use super::{High, Ranged, Regular, State};

/// A construct that is not complete.
pub(super) enum Block {
    /// Data variables with values.
    Let(Vec<(u32, Expr)>),
    /// Of state formulas: conditions and branches in turn, and whether `else` was read.
    If(Vec<u32>, bool),
    /// Of regular formulas: conditions, branches, and whether `else` was read.
    When(Vec<Expr>, Vec<u32>, bool),
    Case(Case),
    Choice(Vec<Ranged>),
    Loop {
        number: u32,
        parameters: Vec<(u32, Expr)>,
        results: Vec<u32>,
    },
    While(Expr),
    Repeat,
    For {
        slot: u32,
        from: Expr,
        to: Expr,
        step: Option<Expr>,
    },
}

/// `case E is …`.
pub(super) struct Case {
    /// Holds the value of `E`.
    slot: u32,
    expr: Expr,
    arms: Vec<Arm>,
    bodies: Vec<u32>,
}

struct Arm {
    pattern: Pattern,
    guard: Option<Expr>,
}

enum Pattern {
    Any,
    Value(Expr),
    Variable(u32),
}

/// A loop around what is read.
pub(super) struct Around {
    number: u32,
    parameters: Vec<Sort>,
    results: Vec<Sort>,
}

/// What a construct says to a formula inside of it that is whole.
pub(super) enum Next {
    /// Another formula follows.
    Formula,
    /// It is complete: its node, and data variables for what comes after.
    Done(u32, Vec<u32>),
}

fn unsupported<T>(what: &str, span: Span) -> Result<T, SyntaxError> {
    Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what.to_owned()), span))
}

/// Both of two conditions.
fn both(a: Expr, b: Option<&Expr>) -> Expr {
    match b {
        Some(b) => Expr::binary(Binary::And, &a, b, Sort::Bool),
        None => a,
    }
}

/// Whether a pattern and its arrow stand behind a bar.
pub(super) fn arm_ahead(lexer: &Lexer<'_>) -> Result<bool, SyntaxError> {
    let mut ahead = lexer.clone();
    ahead.advance()?;
    ahead.take("-")?;
    match ahead.token() {
        Token::Number | Token::Text => ahead.advance()?,
        Token::Name => {
            ahead.advance()?;
            ahead.take(":")?;
            if ahead.token() == Token::Name && !ahead.is_word("where") {
                ahead.advance()?;
            }
        }
        _ => return Ok(false),
    }
    Ok(ahead.is("->") || ahead.is_word("where"))
}

impl Parser<'_> {
    fn keyword(&mut self, word: &str, expected: &'static str) -> Result<(), SyntaxError> {
        if self.lexer.take_word(word)? { Ok(()) } else { Err(self.lexer.unexpected(expected)) }
    }

    fn end(&mut self, word: &str, expected: &'static str) -> Result<(), SyntaxError> {
        self.keyword("end", expected)?;
        self.keyword(word, expected)
    }

    /// `x:T := E, …`: the values do not see the variables, which are visible from here on.
    fn initialised(&mut self) -> Result<Vec<(u32, Expr)>, SyntaxError> {
        let mut heads = Vec::new();
        loop {
            let (name, _) = self.lexer.name("a data variable")?;
            self.lexer.expect(":", "`:`")?;
            let sort = self.names.sort(&mut self.lexer)?;
            self.lexer.expect(":=", "`:=`")?;
            heads.push((name, sort, self.names.expr_of(&mut self.lexer, sort)?));
            if !self.lexer.take(",")? {
                break;
            }
        }
        let bind = |(name, sort, expr): (&str, Sort, Expr)| (self.names.bind(name, sort), expr);
        Ok(heads.into_iter().map(bind).collect())
    }

    /// A construct in a state formula, if one begins here; a formula follows.
    pub(super) fn state_block(&mut self) -> Result<Option<Block>, SyntaxError> {
        if !self.cadp() || self.lexer.token() != Token::Name {
            return Ok(None);
        }
        Ok(Some(match self.lexer.text() {
            "let" => self.let_block()?,
            "if" => {
                self.lexer.advance()?;
                Block::If(Vec::new(), false)
            }
            "case" => self.case_block()?,
            _ => return Ok(None),
        }))
    }

    fn let_block(&mut self) -> Result<Block, SyntaxError> {
        self.lexer.advance()?;
        let bindings = self.initialised()?;
        self.keyword("in", "`,` or `in`")?;
        Ok(Block::Let(bindings))
    }

    fn case_block(&mut self) -> Result<Block, SyntaxError> {
        self.lexer.advance()?;
        let expr = self.names.expr(&mut self.lexer)?;
        self.keyword("is", "an operator or `is`")?;
        // A bar may stand before the first arm.
        self.lexer.take("|")?;
        let slot = self.names.bind("case_value", expr.sort);
        self.names.hide(slot);
        let mut case = Case { slot, expr, arms: Vec::new(), bodies: Vec::new() };
        self.arm(&mut case)?;
        Ok(Block::Case(case))
    }

    /// A pattern, a condition, and the arrow.
    fn arm(&mut self, case: &mut Case) -> Result<(), SyntaxError> {
        let sort = case.expr.sort;
        let mut ahead = self.lexer.clone();
        let pattern = if self.lexer.take_word("any")? {
            if self.lexer.token() == Token::Name && !self.lexer.is_word("where") {
                self.names.sort(&mut self.lexer)?;
            }
            Pattern::Any
        } else if ahead.token() == Token::Name && {
            ahead.advance()?;
            ahead.is(":")
        } {
            let (name, span) = self.lexer.name("a data variable")?;
            self.lexer.advance()?;
            let declared = self.names.sort(&mut self.lexer)?;
            self.names.accept(declared, sort, span)?;
            Pattern::Variable(self.names.bind(name, declared))
        } else {
            let span = self.lexer.span();
            let value = self.names.operand(&mut self.lexer)?;
            self.names.accept(sort, value.sort, span)?;
            Pattern::Value(value)
        };
        let mut guard = None;
        if self.lexer.take_word("where")? {
            guard = Some(self.names.expr_of(&mut self.lexer, Sort::Bool)?);
        }
        self.lexer.expect("->", "`where` or `->`")?;
        case.arms.push(Arm { pattern, guard });
        Ok(())
    }

    /// A formula in a construct of a state formula is whole.
    pub(super) fn state_next(&mut self, block: &mut Block, last: u32) -> Result<Next, SyntaxError> {
        let node = match block {
            Block::Let(bindings) => {
                self.end("let", "an operator or `end let`")?;
                bindings.iter().for_each(|(slot, _)| self.names.hide(*slot));
                State::Let(std::mem::take(bindings), last)
            }
            Block::If(parts, closed) => {
                parts.push(last);
                if !*closed {
                    if parts.len() % 2 == 1 {
                        self.keyword("then", "an operator or `then`")?;
                        return Ok(Next::Formula);
                    }
                    if self.lexer.take_word("elsif")? {
                        return Ok(Next::Formula);
                    }
                    if self.lexer.take_word("else")? {
                        *closed = true;
                        return Ok(Next::Formula);
                    }
                    // Without `else`, nothing is asked where no condition holds.
                    let nothing = self.add(State::Constant(true));
                    parts.push(nothing);
                }
                self.end("if", "an operator, `elsif`, `else` or `end if`")?;
                let mut rest = parts.pop().unwrap_or(last);
                while let (Some(then), Some(condition)) = (parts.pop(), parts.pop()) {
                    rest = self.add(State::If(condition, then, rest));
                }
                return Ok(Next::Done(rest, Vec::new()));
            }
            Block::Case(case) => {
                if !self.next_arm(case, last)? {
                    return Ok(Next::Formula);
                }
                let value = Expr::slot(case.slot, case.expr.sort);
                let mut rest = self.add(State::Constant(false));
                let arms = std::mem::take(&mut case.arms);
                for (arm, body) in arms.into_iter().zip(std::mem::take(&mut case.bodies)).rev() {
                    let guard = arm.guard.as_ref();
                    let branch = |parser: &mut Self, condition: Option<Expr>| match condition {
                        None => body,
                        Some(condition) => {
                            let condition = parser.add(State::Val(condition));
                            parser.add(State::If(condition, body, rest))
                        }
                    };
                    rest = match arm.pattern {
                        Pattern::Any => branch(self, arm.guard),
                        Pattern::Value(pattern) => {
                            let equal = Expr::binary(Binary::Equal, &value, &pattern, Sort::Bool);
                            branch(self, Some(both(equal, guard)))
                        }
                        Pattern::Variable(slot) => {
                            let body = branch(self, arm.guard);
                            self.add(State::Let(vec![(slot, value.clone())], body))
                        }
                    };
                }
                State::Let(vec![(case.slot, case.expr.clone())], rest)
            }
            _ => return unsupported("a regular construct in a state formula", self.lexer.span()),
        };
        Ok(Next::Done(self.add(node), Vec::new()))
    }

    /// The next arm of a `case`, whose last body is complete; whether there is none.
    fn next_arm(&mut self, case: &mut Case, last: u32) -> Result<bool, SyntaxError> {
        case.bodies.push(last);
        if let Some(Arm { pattern: Pattern::Variable(slot), .. }) = case.arms.last() {
            self.names.hide(*slot);
        }
        if self.lexer.take("|")? {
            self.arm(case)?;
            return Ok(false);
        }
        self.end("case", "an operator, `|` or `end case`")?;
        Ok(true)
    }

    /// A construct in a regular formula, if one begins here; a formula follows.
    pub(super) fn regular_block(&mut self) -> Result<Option<Block>, SyntaxError> {
        if !self.cadp() || self.lexer.token() != Token::Name {
            return Ok(None);
        }
        Ok(Some(match self.lexer.text() {
            "let" => self.let_block()?,
            "case" => self.case_block()?,
            "if" => {
                self.lexer.advance()?;
                let condition = self.names.expr_of(&mut self.lexer, Sort::Bool)?;
                self.keyword("then", "an operator or `then`")?;
                Block::When(vec![condition], Vec::new(), false)
            }
            "choice" => {
                self.lexer.advance()?;
                let slots = self.ranged()?;
                self.keyword("in", "`,`, `among` or `in`")?;
                Block::Choice(slots)
            }
            "loop" => self.loop_block()?,
            "while" => {
                self.lexer.advance()?;
                let condition = self.names.expr_of(&mut self.lexer, Sort::Bool)?;
                self.keyword("do", "an operator or `do`")?;
                Block::While(condition)
            }
            "repeat" => {
                self.lexer.advance()?;
                Block::Repeat
            }
            "for" => self.for_block()?,
            _ => return Ok(None),
        }))
    }

    fn loop_block(&mut self) -> Result<Block, SyntaxError> {
        self.lexer.advance()?;
        let mut parameters = Vec::new();
        if self.lexer.take("(")? && !self.lexer.take(")")? {
            parameters = self.initialised()?;
            self.lexer.expect(")", "`,` or `)`")?;
        }
        let mut results = Vec::new();
        if self.lexer.take(":")? {
            self.lexer.expect("(", "`(`")?;
            results = self.names.declarations(&mut self.lexer)?;
            self.lexer.expect(")", "`,` or `)`")?;
            // They have values after the loop.
            results.iter().for_each(|&slot| self.names.hide(slot));
        }
        self.keyword("in", "`:` or `in`")?;
        let number = self.loops;
        self.loops += 1;
        let sort = |slot: u32| self.names.slots[slot as usize].sort;
        self.around.push(Around {
            number,
            parameters: parameters.iter().map(|(slot, _)| sort(*slot)).collect(),
            results: results.iter().map(|&slot| sort(slot)).collect(),
        });
        Ok(Block::Loop { number, parameters, results })
    }

    fn for_block(&mut self) -> Result<Block, SyntaxError> {
        self.lexer.advance()?;
        let (name, span) = self.lexer.name("a data variable")?;
        self.lexer.expect(":", "`:`")?;
        let sort = self.names.sort(&mut self.lexer)?;
        self.names.accept(Sort::Int, sort, span)?;
        self.keyword("from", "`from`")?;
        let from = self.names.expr_of(&mut self.lexer, sort)?;
        self.keyword("to", "an operator or `to`")?;
        let to = self.names.expr_of(&mut self.lexer, Sort::Int)?;
        let mut step = None;
        if self.lexer.take_word("step")? {
            step = Some(self.names.expr_of(&mut self.lexer, Sort::Int)?);
        }
        self.keyword("do", "an operator, `step` or `do`")?;
        Ok(Block::For { slot: self.names.bind(name, sort), from, to, step })
    }

    /// `continue (E, …)` and `exit (E, …)`, of the innermost loop.
    pub(super) fn jump(&mut self) -> Result<Option<Regular>, SyntaxError> {
        let goes_on = self.lexer.is_word("continue");
        if !self.cadp() || !(goes_on || self.lexer.is_word("exit")) {
            return Ok(None);
        }
        let (name, span) = self.lexer.name("`continue` or `exit`")?;
        let mut values = Vec::new();
        if self.lexer.take("(")? && !self.lexer.take(")")? {
            loop {
                values.push(self.names.expr(&mut self.lexer)?);
                if !self.lexer.take(",")? {
                    break;
                }
            }
            self.lexer.expect(")", "`,` or `)`")?;
        }
        let Some(around) = self.around.last() else {
            let what = format!("`{name}` stands in no loop");
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        };
        let sorts = if goes_on { &around.parameters } else { &around.results };
        let (found, expected) = (values.len(), sorts.len());
        if found != expected {
            let name = name.to_owned();
            let kind = SyntaxErrorKind::Arguments { name, found, expected };
            return Err(SyntaxError::new(kind, span));
        }
        for (&sort, value) in sorts.iter().zip(&values) {
            self.names.accept(sort, value.sort, span)?;
        }
        Ok(Some(match goes_on {
            true => Regular::Continue(around.number, values),
            false => Regular::Exit(around.number, values),
        }))
    }

    /// A formula in a construct of a regular formula is whole.
    pub(super) fn regular_next(
        &mut self,
        block: &mut Block,
        last: u32,
    ) -> Result<Next, SyntaxError> {
        let mut exports = Vec::new();
        let node = match block {
            Block::Let(bindings) => {
                self.end("let", "an operator or `end let`")?;
                bindings.iter().for_each(|(slot, _)| self.names.hide(*slot));
                Regular::Let(std::mem::take(bindings), last)
            }
            Block::When(conditions, branches, closed) => {
                branches.push(last);
                if !*closed && self.lexer.take_word("elsif")? {
                    conditions.push(self.names.expr_of(&mut self.lexer, Sort::Bool)?);
                    self.keyword("then", "an operator or `then`")?;
                    return Ok(Next::Formula);
                }
                if !*closed && self.lexer.take_word("else")? {
                    *closed = true;
                    return Ok(Next::Formula);
                }
                if !*closed {
                    // Without `else`, there is no step where no condition holds.
                    let nothing = self.add_regular(Regular::Nil);
                    branches.push(nothing);
                }
                self.end("if", "an operator, `elsif`, `else` or `end if`")?;
                let mut rest = branches.pop().unwrap_or(last);
                while let (Some(then), Some(condition)) = (branches.pop(), conditions.pop()) {
                    rest = self.add_regular(Regular::If(condition, then, rest));
                }
                return Ok(Next::Done(rest, exports));
            }
            Block::Case(case) => {
                if !self.next_arm(case, last)? {
                    return Ok(Next::Formula);
                }
                self.regular_case(case)
            }
            Block::Choice(slots) => {
                self.end("choice", "an operator or `end choice`")?;
                slots.iter().for_each(|(slot, _)| self.names.hide(*slot));
                Regular::Some(std::mem::take(slots), last)
            }
            Block::Loop { number, parameters, results } => {
                self.end("loop", "an operator or `end loop`")?;
                self.around.pop();
                parameters.iter().for_each(|(slot, _)| self.names.hide(*slot));
                results.iter().for_each(|&slot| self.names.show(slot));
                exports.clone_from(results);
                let (parameters, results) = (std::mem::take(parameters), std::mem::take(results));
                Regular::Loop { number: *number, parameters, results, body: last }
            }
            Block::While(condition) => {
                self.end("while", "an operator or `end while`")?;
                Regular::While(condition.clone(), last)
            }
            Block::Repeat => {
                self.keyword("until", "an operator or `until`")?;
                let condition = self.names.expr_of(&mut self.lexer, Sort::Bool)?;
                self.end("repeat", "an operator or `end repeat`")?;
                Regular::Until(last, condition)
            }
            Block::For { slot, from, to, step } => {
                self.end("for", "an operator or `end for`")?;
                self.names.hide(*slot);
                let (from, to, step) = (from.clone(), to.clone(), step.clone());
                Regular::For { slot: *slot, from, to, step, body: last }
            }
            Block::If(..) => return unsupported("a condition here", self.lexer.span()),
        };
        Ok(Next::Done(self.add_regular(node), exports))
    }

    fn regular_case(&mut self, case: &mut Case) -> Regular {
        let value = Expr::slot(case.slot, case.expr.sort);
        let none = self.add_action(super::Action::Constant(false));
        let mut rest = self.add_regular(Regular::Action(none));
        let arms = std::mem::take(&mut case.arms);
        for (arm, body) in arms.into_iter().zip(std::mem::take(&mut case.bodies)).rev() {
            let guard = arm.guard.as_ref();
            let branch = |parser: &mut Self, condition: Option<Expr>| match condition {
                None => body,
                Some(condition) => parser.add_regular(Regular::If(condition, body, rest)),
            };
            rest = match arm.pattern {
                Pattern::Any => branch(self, arm.guard),
                Pattern::Value(pattern) => {
                    let equal = Expr::binary(Binary::Equal, &value, &pattern, Sort::Bool);
                    branch(self, Some(both(equal, guard)))
                }
                Pattern::Variable(slot) => {
                    let body = branch(self, arm.guard);
                    self.add_regular(Regular::Let(vec![(slot, value.clone())], body))
                }
            };
        }
        Regular::Let(vec![(case.slot, case.expr.clone())], rest)
    }

    /// At `{` behind a regular formula: how often it is repeated.
    pub(super) fn times(&mut self, inner: u32) -> Result<Regular, SyntaxError> {
        self.lexer.expect("{", "`{`")?;
        let low = self.names.expr_of(&mut self.lexer, Sort::Int)?;
        let high = match self.lexer.take("...")? {
            false => High::Same,
            true if self.lexer.is("}") => High::None,
            true => High::Most(self.names.expr_of(&mut self.lexer, Sort::Int)?),
        };
        if !self.lexer.is("}") {
            return Err(self.lexer.unexpected("an operator, `...` or `}`"));
        }
        Ok(Regular::Repeat { inner, low, high })
    }

    /// Whether a data expression of sort `Bool` stands here as a state formula.
    pub(super) fn condition_here(&self) -> Result<bool, SyntaxError> {
        const MOST: usize = 1_000;
        if !self.cadp() {
            return Ok(false);
        }
        let compares = |lexer: &Lexer<'_>| match lexer.token() {
            Token::Mark(mark) => matches!(mark, "=" | "==" | "<>" | "!=" | "<=" | ">=" | ">"),
            _ => false,
        };
        let calculates = |lexer: &Lexer<'_>| match lexer.token() {
            Token::Mark(mark) => matches!(mark, "<" | "+" | "-" | "*" | "/"),
            Token::Name => matches!(lexer.text(), "div" | "mod"),
            _ => false,
        };
        let mut ahead = self.lexer.clone();
        match self.lexer.token() {
            Token::Number | Token::Text | Token::Mark("-") => Ok(true),
            Token::Name => {
                let name = ahead.text();
                if self.is_fixpoint(name) || super::parser::is_keyword(name) {
                    return Ok(false);
                }
                ahead.advance()?;
                Ok(self.names.lookup(name).is_some() || compares(&ahead) || calculates(&ahead))
            }
            Token::Mark("(") => {
                // Data between the brackets, or around them.
                let (mut depth, mut data) = (0usize, false);
                let mut operand = true;
                for _ in 0..MOST {
                    match ahead.token() {
                        Token::End => return Ok(false),
                        Token::Mark("(") => depth += 1,
                        Token::Mark(")") => {
                            depth -= 1;
                            if depth == 0 {
                                ahead.advance()?;
                                return Ok(data || compares(&ahead) || calculates(&ahead));
                            }
                        }
                        Token::Mark("[" | "{" | "@" | "." | "?") | Token::Regexp => {
                            return Ok(false);
                        }
                        Token::Mark("<") if operand => return Ok(false),
                        Token::Mark("<") => data = true,
                        Token::Name => {
                            let name = ahead.text();
                            let connective =
                                matches!(name, "and" | "or" | "not" | "implies" | "div" | "mod");
                            let constant = matches!(name, "true" | "false");
                            if !connective && !constant {
                                if self.is_fixpoint(name) || super::parser::is_keyword(name) {
                                    return Ok(false);
                                }
                                let sort = self.names.lookup(name);
                                let sort = sort.map(|slot| self.names.slots[slot as usize].sort);
                                data |= sort == Some(Sort::Bool);
                            }
                            operand = connective;
                            ahead.advance()?;
                            continue;
                        }
                        _ => data |= compares(&ahead),
                    }
                    operand =
                        !matches!(ahead.token(), Token::Mark(")") | Token::Number | Token::Text);
                    ahead.advance()?;
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }
}

/// One more than a data variable.
pub(super) fn successor(slot: u32, sort: Sort) -> Expr {
    let one = Expr::value(Value::Int(1), Sort::Pos);
    Expr::binary(Binary::Add, &Expr::slot(slot, sort), &one, sort)
}
