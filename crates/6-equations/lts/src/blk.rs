//! Modal equation systems, `.blk`: the format of [pbes §5.1], with a grammar of our own.
//!
//! ```text
//! block (mu|nu) NAME is VAR = RHS … end block … eval NAME:VAR
//! RHS ::= PART | PART or PART … | PART and PART …
//! PART ::= TRUE | FALSE | VAR | NAME:VAR | < A > PART | [ A ] PART
//! ```
//!
//! A variable may have parameters: `VAR (v:Var) = …`, with arguments where it is used, `VAR (z)` and
//! `eval NAME:VAR (x)`. They are seen by the actions and arguments of the equation; what an action binds
//! (`{ASSIGN ?z:Var !v}`), by what follows it. `A` is an action formula in CADP's syntax. A variable without its block's name is one of the
//! same block, or else the only one of that name. Without `eval`, the first variable is asked for.

use std::fmt::Write;

use bes::data::Expr;
use bes::lex::{Dialect, SyntaxError, SyntaxErrorKind, Token};
use bes::param::{Formulas, Instance, Node, Predicate};
use bes::{Op, Sign};
use rustc_hash::FxHashMap;
use source::Span;

use crate::Lts;
use crate::action::Code;
use crate::local_model_checking::{OnLts, instance};
use crate::mu::Formula;
use crate::mu::parser::{Arguments, Parser};

/// A part of a right-hand side: modalities, and what they end in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// `[A]` (true) or `<A>`, with the action formula.
    pub modalities: Vec<(bool, u32)>,
    /// What comes after.
    pub end: End,
    /// The arguments of the equation there.
    pub arguments: Vec<Expr>,
}

/// What a part ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// `TRUE` or `FALSE`.
    Constant(bool),
    /// An equation, by its number.
    Variable(u32),
}

/// An equation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// Its block.
    pub block: u32,
    /// Its variable.
    pub name: String,
    /// Its parameters: slots of the actions' formula.
    pub parameters: Vec<u32>,
    /// The operator between its parts; ∨ for a single one.
    pub op: Op,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// A modal equation system.
#[derive(Clone, PartialEq, Debug)]
pub struct ModalSystem {
    /// Signs and names of the blocks, most significant first.
    pub blocks: Vec<(Sign, String)>,
    /// The equations of all blocks, in order.
    pub equations: Vec<Equation>,
    /// The equation asked for.
    pub initial: u32,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// Action formulas, and the names in them.
    pub actions: Formula,
}

/// A name to be looked up: equation, part, block's name, variable's name, place.
type Use<'t> = (usize, usize, Option<&'t str>, &'t str, Span);

/// One part of an equation: modalities, and what holds behind them.
fn part<'t>(
    parser: &mut Parser<'t>,
    at: (usize, usize),
    uses: &mut Vec<Use<'t>>,
    places: &mut Vec<Vec<Span>>,
) -> Result<Part, SyntaxError> {
    let (mut modalities, mut bound) = (Vec::new(), Vec::new());
    loop {
        let all = parser.lexer.is("[");
        if !all && !parser.lexer.is("<") {
            break;
        }
        parser.lexer.advance()?;
        let (action, exports) = parser.action_and_exports()?;
        bound.extend(exports);
        let (mark, what) = if all { ("]", "`]`") } else { (">", "`>`") };
        parser.lexer.expect(mark, what)?;
        modalities.push((all, action));
    }
    let (word, span) = parser.lexer.name("`TRUE`, `FALSE`, a variable or a modality")?;
    let end = match word {
        "TRUE" | "true" => End::Constant(true),
        "FALSE" | "false" => End::Constant(false),
        _ => {
            let mut use_ = (at.0, at.1, None, word, span);
            if parser.lexer.take(":")? {
                let (variable, end) = parser.lexer.name("a variable")?;
                use_ = (use_.0, use_.1, Some(word), variable, span.to(end));
            }
            uses.push(use_);
            End::Variable(u32::MAX)
        }
    };
    let mut arguments = Vec::new();
    if matches!(end, End::Variable(_)) {
        let (found, spans) = parser.arguments()?;
        arguments = found;
        places.push(spans);
    }
    parser.hide(&bound);
    Ok(Part { modalities, end, arguments })
}

/// Reads a system.
pub fn parse(text: &str) -> Result<ModalSystem, SyntaxError> {
    let mut parser = Parser::new(text, Dialect::Cadp)?;
    let mut blocks: Vec<(Sign, String)> = Vec::new();
    let mut equations: Vec<Equation> = Vec::new();
    let mut uses: Vec<Use<'_>> = Vec::new();
    let mut asked: Option<(Option<&str>, &str, Span, Arguments)> = None;
    let mut places: Vec<Vec<Span>> = Vec::new();
    let mut known: FxHashMap<(u32, &str), u32> = FxHashMap::default();
    while parser.lexer.token() != Token::End {
        if parser.lexer.take_word("eval")? {
            let (name, span) = parser.lexer.name("`BLOCK:VARIABLE`")?;
            parser.lexer.expect(":", "`:`")?;
            let (variable, end) = parser.lexer.name("a variable")?;
            let arguments = parser.arguments()?;
            asked = Some((Some(name), variable, span.to(end), arguments));
            continue;
        }
        if !parser.lexer.take_word("block")? {
            return Err(parser.lexer.unexpected("`block` or `eval`"));
        }
        let sign = if parser.lexer.take_word("mu")? {
            Sign::Mu
        } else if parser.lexer.take_word("nu")? {
            Sign::Nu
        } else {
            return Err(parser.lexer.unexpected("`mu` or `nu`"));
        };
        let (name, span) = parser.lexer.name("a block's name")?;
        if blocks.iter().any(|(_, other)| other == name) {
            let kind = SyntaxErrorKind::Twice { what: "block", name: name.to_owned() };
            return Err(SyntaxError::new(kind, span));
        }
        let block = blocks.len() as u32;
        blocks.push((sign, name.to_owned()));
        if !parser.lexer.take_word("is")? {
            return Err(parser.lexer.unexpected("`is`"));
        }
        while !parser.lexer.take_word("end")? {
            let (name, span) = parser.lexer.name("a variable or `end`")?;
            if known.insert((block, name), equations.len() as u32).is_some() {
                let kind = SyntaxErrorKind::Twice { what: "variable", name: name.to_owned() };
                return Err(SyntaxError::new(kind, span));
            }
            let parameters = parser.parameters()?;
            parser.lexer.expect("=", "`=`")?;
            let mut op = None;
            let mut parts = Vec::new();
            loop {
                let at = (equations.len(), parts.len());
                parts.push(part(&mut parser, at, &mut uses, &mut places)?);
                let here = match parser.lexer.token() {
                    Token::Name if parser.lexer.text() == "or" => Op::Or,
                    Token::Name if parser.lexer.text() == "and" => Op::And,
                    _ => break,
                };
                if *op.get_or_insert(here) != here {
                    let what = "`or` and `and` in one equation".to_owned();
                    let kind = SyntaxErrorKind::Unsupported(what);
                    return Err(SyntaxError::new(kind, parser.lexer.span()));
                }
                parser.lexer.advance()?;
            }
            parser.hide(&parameters);
            let name = name.to_owned();
            equations.push(Equation { block, name, parameters, op: op.unwrap_or(Op::Or), parts });
        }
        if !parser.lexer.take_word("block")? {
            return Err(parser.lexer.unexpected("`block`"));
        }
    }
    if equations.is_empty() {
        return Err(parser.lexer.unexpected("an equation"));
    }
    let unknown = |what, name: &str, span| {
        let near = source::suggest(name, equations.iter().map(|e| e.name.as_str()));
        let (name, near) = (name.to_owned(), near.map(str::to_owned));
        SyntaxError::new(SyntaxErrorKind::Unknown { what, name, near }, span)
    };
    let find = |here: Option<u32>, block: Option<&str>, name: &str, span: Span| {
        if let Some(block) = block {
            let number = blocks.iter().position(|(_, other)| other == block);
            let number = number.ok_or_else(|| unknown("block", block, span))? as u32;
            let found = known.get(&(number, name)).copied();
            return found.ok_or_else(|| unknown("variable", name, span));
        }
        if let Some(found) = here.and_then(|here| known.get(&(here, name))) {
            return Ok(*found);
        }
        let mut all = (0..blocks.len() as u32).filter_map(|block| known.get(&(block, name)));
        let first = all.next().ok_or_else(|| unknown("variable", name, span))?;
        match all.next() {
            None => Ok(*first),
            Some(_) => {
                let what = format!("several blocks have a variable `{name}`: say which");
                Err(SyntaxError::new(SyntaxErrorKind::Other(what), span))
            }
        }
    };
    // The arguments fit the parameters, in number and sort.
    let fit = |target: u32, arguments: &[Expr], places: &[Span], span: Span| {
        let Equation { name, parameters, .. } = &equations[target as usize];
        let (found, expected) = (arguments.len(), parameters.len());
        if found != expected {
            let kind = SyntaxErrorKind::Arguments { name: name.clone(), found, expected };
            return Err(SyntaxError::new(kind, span));
        }
        for ((&slot, argument), &place) in parameters.iter().zip(arguments).zip(places) {
            parser.names.accept(parser.names.slots[slot as usize].sort, argument.sort, place)?;
        }
        Ok(())
    };
    let mut found = Vec::with_capacity(uses.len());
    for (&(equation, part, block, name, span), places) in uses.iter().zip(&places) {
        let target = find(Some(equations[equation].block), block, name, span)?;
        fit(target, &equations[equation].parts[part].arguments, places, span)?;
        found.push((equation, part, target));
    }
    let (initial, arguments) = match asked {
        Some((block, name, span, (arguments, places))) => {
            let target = find(None, block, name, span)?;
            fit(target, &arguments, &places, span)?;
            (target, arguments)
        }
        None => {
            let start = Span::new(0, 0);
            fit(0, &[], &[], start)?;
            (0, Vec::new())
        }
    };
    for (equation, part, target) in found {
        equations[equation].parts[part].end = End::Variable(target);
    }
    let actions = Formula {
        dialect: Dialect::Cadp,
        signature: parser.names.signature,
        slots: parser.names.slots,
        states: Vec::new(),
        regulars: Vec::new(),
        actions: parser.actions,
        binders: Vec::new(),
        root: 0,
        spans: Vec::new(),
    };
    Ok(ModalSystem { blocks, equations, initial, arguments, actions })
}

impl ModalSystem {
    /// The system on a model: the boolean equation system of the question, on demand.
    pub fn on<L: Lts>(&self, lts: L, tau: &[&str]) -> Result<Instance<OnLts<L>>, SyntaxError> {
        let mut out = Formulas {
            signature: self.actions.signature.clone(),
            slots: self.actions.slots.clone(),
            initial: self.initial,
            arguments: self.arguments.clone(),
            ..Formulas::default()
        };
        let mut codes = Vec::new();
        for (owner, equation) in self.equations.iter().enumerate() {
            let owner = owner as u32;
            let mut parts = Vec::new();
            for part in &equation.parts {
                let mut node = match part.end {
                    End::Constant(value) => out.add(owner, Node::Constant(value)),
                    End::Variable(target) => {
                        out.add(owner, Node::Call(target, part.arguments.clone()))
                    }
                };
                for &(all, action) in part.modalities.iter().rev() {
                    let code = Code::new(&self.actions.actions, action, &self.actions.signature);
                    let (reads, binds) = (code.reads.clone(), code.binds.clone());
                    codes.push(code);
                    let op = if all { Op::And } else { Op::Or };
                    let action = codes.len() as u32 - 1;
                    node = out.add(owner, Node::Modality { op, action, reads, binds, body: node });
                }
                parts.push(node);
            }
            let body = match parts[..] {
                [one] => one,
                _ => out.add(owner, Node::Many(equation.op, parts)),
            };
            out.predicates.push(Predicate {
                name: equation.name.clone(),
                sign: self.blocks[equation.block as usize].0,
                parameters: equation.parameters.clone(),
                body,
            });
        }
        instance(out, codes, lts, tau)
    }
}

impl ModalSystem {
    fn shown_parameters(&self, equation: &Equation) -> String {
        let shown = equation.parameters.iter().map(|&slot| {
            let slot = &self.actions.slots[slot as usize];
            format!("{}:{}", slot.name, self.actions.signature.sort_name(slot.sort))
        });
        listed(shown.collect())
    }

    fn shown_arguments(&self, arguments: &[Expr]) -> String {
        let name = |slot: u32| self.actions.slots[slot as usize].name.clone();
        let shown = arguments.iter().map(|e| e.show_cadp(&self.actions.signature, &name));
        listed(shown.collect())
    }
}

/// ` (a, b)`, or nothing.
fn listed(items: Vec<String>) -> String {
    if items.is_empty() { String::new() } else { format!(" ({})", items.join(", ")) }
}

impl std::fmt::Display for ModalSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        let name = |at: u32, from: u32| {
            let equation = &self.equations[at as usize];
            if equation.block == from {
                return equation.name.clone();
            }
            format!("{}:{}", self.blocks[equation.block as usize].1, equation.name)
        };
        let mut members: Vec<Vec<&Equation>> = vec![Vec::new(); self.blocks.len()];
        for equation in &self.equations {
            members[equation.block as usize].push(equation);
        }
        for (block, (sign, block_name)) in self.blocks.iter().enumerate() {
            _ = writeln!(out, "block {} {block_name} is", sign.word());
            let equations = std::mem::take(&mut members[block]);
            let block = block as u32;
            for equation in equations {
                _ = write!(out, "  {}{} =", equation.name, self.shown_parameters(equation));
                for (i, part) in equation.parts.iter().enumerate() {
                    if i > 0 {
                        out.push_str(if equation.op == Op::Or { " or" } else { " and" });
                    }
                    for &(all, action) in &part.modalities {
                        let shown = self.actions.show_action(action);
                        _ = match all {
                            true => write!(out, " [ {shown} ]"),
                            false => write!(out, " < {shown} >"),
                        };
                    }
                    _ = match part.end {
                        End::Constant(true) => write!(out, " TRUE"),
                        End::Constant(false) => write!(out, " FALSE"),
                        End::Variable(target) => {
                            let arguments = self.shown_arguments(&part.arguments);
                            write!(out, " {}{arguments}", name(target, block))
                        }
                    };
                }
                out.push('\n');
            }
            out.push_str("end block\n");
        }
        let asked = &self.equations[self.initial as usize];
        let block = &self.blocks[asked.block as usize].1;
        let arguments = self.shown_arguments(&self.arguments);
        _ = writeln!(out, "eval {block}:{}{arguments}", asked.name);
        f.write_str(&out)
    }
}
