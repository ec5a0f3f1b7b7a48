//! Parameterised boolean equation systems in mCRL2's text format: reading, printing, solving form.
//!
//! A plain boolean equation system is one without parameters.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use source::Span;

use crate::data::{Expr, Instr, Signature, Sort, Unary, Value};
use crate::expr::{Names, SlotInfo};
use crate::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use crate::param::{Formulas, Instance, NoModel, Node, Predicate};
use crate::{Op, Sign};

/// A node of a right-hand side; children come before parents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// `true` or `false`.
    Constant(bool),
    /// `val(e)`.
    Val(Expr),
    /// A predicate variable with its arguments.
    Variable(u32, Vec<Expr>),
    /// `!f`.
    Not(u32),
    /// `f && g`.
    And(u32, u32),
    /// `f || g`.
    Or(u32, u32),
    /// `f => g`.
    Imply(u32, u32),
    /// `forall x: D, … . f`.
    Forall(Vec<u32>, u32),
    /// `exists x: D, … . f`.
    Exists(Vec<u32>, u32),
}

/// An equation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// Least or greatest.
    pub sign: Sign,
    /// The variable.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<u32>,
    /// The right-hand side, in [`Pbes::formulas`].
    pub body: u32,
}

/// A parameterised boolean equation system as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pbes {
    /// Declared enumerations.
    pub signature: Signature,
    /// Data variables.
    pub slots: Vec<SlotInfo>,
    /// Global data variables: their value must not matter.
    pub globals: Vec<u32>,
    /// Nodes of all right-hand sides.
    pub formulas: Vec<Formula>,
    /// Equations, most significant first.
    pub equations: Vec<Equation>,
    /// The variable asked for.
    pub initial: u32,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// Where variables occur, for errors.
    spans: Spans,
}

/// Places do not count when systems are compared.
#[derive(Clone, Debug, Default)]
struct Spans(FxHashMap<u32, Span>);

impl PartialEq for Spans {
    fn eq(&self, _: &Spans) -> bool {
        true
    }
}

impl Eq for Spans {}

/// Reads a system.
///
/// ```
/// let text = "pbes nu X(n: Nat) = val(n < 3) => X(n + 1); init X(0);";
/// let pbes = bes::pbes::parse(text).unwrap();
/// assert_eq!(pbes.to_string(), "pbes\nnu X(n: Nat) = val(n < 3) => X(n + 1);\n\ninit X(0);\n");
/// let mut solver = bes::Solver::new(pbes.instance().unwrap());
/// assert_eq!(solver.solve(bes::Method::Auto, &mut |_| true), Ok(true));
/// ```
pub fn parse(text: &str) -> Result<Pbes, SyntaxError> {
    let lexer = Lexer::new(text, Dialect::Mcrl2)?;
    let mut parser = Parser {
        lexer,
        names: Names::default(),
        formulas: Vec::new(),
        calls: Vec::new(),
        spans: Spans::default(),
    };
    parser.system()
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    names: Names,
    formulas: Vec<Formula>,
    /// Names of the variables that nodes call, to be resolved when all equations are known.
    calls: Vec<(u32, &'a str, Span)>,
    spans: Spans,
}

const SECTIONS: &[&str] = &["sort", "cons", "map", "var", "eqn", "glob", "pbes", "init"];

impl<'a> Parser<'a> {
    fn system(&mut self) -> Result<Pbes, SyntaxError> {
        let mut globals = Vec::new();
        loop {
            if self.lexer.take_word("pbes")? {
                break;
            } else if self.names.specification(&mut self.lexer, &["glob", "pbes"])? {
                continue;
            } else if self.lexer.take_word("glob")? {
                while self.lexer.token() == Token::Name && !SECTIONS.contains(&self.lexer.text()) {
                    globals.extend(self.names.declarations(&mut self.lexer)?);
                    self.lexer.expect(";", "`;`")?;
                }
            } else {
                return Err(self.lexer.unexpected("`pbes`"));
            }
        }
        let mut equations: Vec<Equation> = Vec::new();
        let mut known: FxHashMap<&'a str, u32> = FxHashMap::default();
        while !self.lexer.is_word("init") {
            let sign = if self.lexer.take_word("mu")? {
                Sign::Mu
            } else if self.lexer.take_word("nu")? {
                Sign::Nu
            } else {
                return Err(self.lexer.unexpected("`mu`, `nu` or `init`"));
            };
            let (name, span) = self.lexer.name("a variable")?;
            if known.insert(name, equations.len() as u32).is_some() {
                let kind = SyntaxErrorKind::Twice { what: "variable", name: name.to_owned() };
                return Err(SyntaxError::new(kind, span));
            }
            let mut parameters = Vec::new();
            if self.lexer.take("(")? {
                parameters = self.names.declarations(&mut self.lexer)?;
                self.lexer.expect(")", "`)`")?;
            }
            self.lexer.expect("=", "`=`")?;
            let body = self.formula()?;
            self.lexer.expect(";", "an operator or `;`")?;
            parameters.iter().rev().for_each(|&slot| self.names.hide(slot));
            equations.push(Equation { sign, name: name.to_owned(), parameters, body });
        }
        self.lexer.advance()?;
        let (name, span) = self.lexer.name("a variable")?;
        let arguments = self.arguments()?;
        self.lexer.expect(";", "`;`")?;
        if self.lexer.token() != Token::End {
            return Err(self.lexer.unexpected("the end of the text"));
        }
        let find = |name: &str, span: Span| {
            known.get(name).copied().ok_or_else(|| {
                let near = source::suggest(name, equations.iter().map(|e| e.name.as_str()));
                let near = near.map(str::to_owned);
                let (what, name) = ("variable", name.to_owned());
                SyntaxError::new(SyntaxErrorKind::Unknown { what, name, near }, span)
            })
        };
        let initial = find(name, span)?;
        let fits = |names: &Names, equation: u32, arguments: &[Expr], span: Span| {
            let equation: &Equation = &equations[equation as usize];
            let (found, expected) = (arguments.len(), equation.parameters.len());
            if found != expected {
                let name = equation.name.clone();
                let kind = SyntaxErrorKind::Arguments { name, found, expected };
                return Err(SyntaxError::new(kind, span));
            }
            for (&slot, argument) in equation.parameters.iter().zip(arguments) {
                names.accept(names.slots[slot as usize].sort, argument.sort, span)?;
            }
            Ok(())
        };
        fits(&self.names, initial, &arguments, span)?;
        for &(node, name, span) in &self.calls {
            let equation = find(name, span)?;
            let Formula::Variable(target, arguments) = &mut self.formulas[node as usize] else {
                continue;
            };
            *target = equation;
            fits(&self.names, equation, arguments, span)?;
        }
        Ok(Pbes {
            signature: std::mem::take(&mut self.names.signature),
            slots: std::mem::take(&mut self.names.slots),
            globals,
            formulas: std::mem::take(&mut self.formulas),
            equations,
            initial,
            arguments,
            spans: std::mem::take(&mut self.spans),
        })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        let mut arguments = Vec::new();
        if self.lexer.take("(")? {
            loop {
                arguments.push(self.names.expr(&mut self.lexer)?);
                if !self.lexer.take(",")? {
                    break;
                }
            }
            self.lexer.expect(")", "`,` or `)`")?;
        }
        Ok(arguments)
    }

    fn add(&mut self, formula: Formula) -> u32 {
        self.formulas.push(formula);
        self.formulas.len() as u32 - 1
    }

    fn formula(&mut self) -> Result<u32, SyntaxError> {
        let mut operands: Vec<u32> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        let mut open = 0usize;
        'operand: loop {
            let span = self.lexer.span();
            match self.lexer.token() {
                Token::Mark("(") => {
                    pending.push(Pending::Open);
                    open += 1;
                    self.lexer.advance()?;
                    continue;
                }
                Token::Mark("!") => {
                    pending.push(Pending::Not);
                    self.lexer.advance()?;
                    continue;
                }
                Token::Name => {
                    let name = self.lexer.text();
                    self.lexer.advance()?;
                    match name {
                        "true" | "false" => {
                            let node = self.add(Formula::Constant(name == "true"));
                            operands.push(node);
                        }
                        "val" => {
                            self.lexer.expect("(", "`(`")?;
                            let expr = self.names.expr_of(&mut self.lexer, Sort::Bool)?;
                            self.lexer.expect(")", "an operator or `)`")?;
                            let node = self.add(Formula::Val(expr));
                            operands.push(node);
                        }
                        "forall" | "exists" => {
                            let slots = self.names.declarations(&mut self.lexer)?;
                            self.lexer.expect(".", "`.`")?;
                            pending.push(Pending::Quantifier(name == "forall", slots));
                            continue;
                        }
                        _ => {
                            let arguments = self.arguments()?;
                            let node = self.add(Formula::Variable(u32::MAX, arguments));
                            self.calls.push((node, name, span));
                            self.spans.0.insert(node, span);
                            operands.push(node);
                        }
                    }
                }
                _ => return Err(self.lexer.unexpected("a formula")),
            }
            loop {
                let operator = match self.lexer.token() {
                    Token::Mark("=>") => Some(Binary::Imply),
                    Token::Mark("||") => Some(Binary::Or),
                    Token::Mark("&&") => Some(Binary::And),
                    _ => None,
                };
                if let Some(op) = operator {
                    // All group to the right: what binds more strongly comes first.
                    self.reduce(&mut pending, &mut operands, op as u8 + 1);
                    pending.push(Pending::Binary(op));
                    self.lexer.advance()?;
                    continue 'operand;
                }
                self.reduce(&mut pending, &mut operands, 0);
                if open > 0 {
                    self.lexer.expect(")", "an operator or `)`")?;
                    pending.pop();
                    open -= 1;
                    continue;
                }
                return Ok(operands.pop().expect("an operand was read last"));
            }
        }
    }

    /// Applies pending operators of at least this level, down to the next parenthesis.
    fn reduce(&mut self, pending: &mut Vec<Pending>, operands: &mut Vec<u32>, level: u8) {
        while let Some(top) = pending.last() {
            match top {
                Pending::Open => return,
                Pending::Quantifier(..) if level > 0 => return,
                Pending::Binary(op) if (*op as u8) < level => return,
                _ => {}
            }
            let last = operands.pop().expect("an operator has its operand");
            let node = match pending.pop().expect("it was looked at") {
                Pending::Open => return,
                Pending::Not => Formula::Not(last),
                Pending::Quantifier(all, slots) => {
                    slots.iter().rev().for_each(|&slot| self.names.hide(slot));
                    if all { Formula::Forall(slots, last) } else { Formula::Exists(slots, last) }
                }
                Pending::Binary(op) => {
                    let first = operands.pop().expect("an operator has its operands");
                    match op {
                        Binary::Imply => Formula::Imply(first, last),
                        Binary::Or => Formula::Or(first, last),
                        Binary::And => Formula::And(first, last),
                    }
                }
            };
            let node = self.add(node);
            operands.push(node);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Binary {
    Imply = 1,
    Or = 2,
    And = 3,
}

enum Pending {
    Open,
    Not,
    Quantifier(bool, Vec<u32>),
    Binary(Binary),
}

impl Pbes {
    /// The solving form: negations are pushed inwards.
    pub fn lower(&self) -> Result<Formulas, SyntaxError> {
        let n = self.formulas.len();
        let mut negated = vec![false; n];
        for i in (0..n).rev() {
            let mine = negated[i];
            match &self.formulas[i] {
                Formula::Constant(_) | Formula::Val(_) | Formula::Variable(..) => {}
                Formula::Not(a) => negated[*a as usize] = !mine,
                Formula::Imply(a, b) => {
                    negated[*a as usize] = !mine;
                    negated[*b as usize] = mine;
                }
                Formula::And(a, b) | Formula::Or(a, b) => {
                    negated[*a as usize] = mine;
                    negated[*b as usize] = mine;
                }
                Formula::Forall(_, a) | Formula::Exists(_, a) => negated[*a as usize] = mine,
            }
        }
        let mut out = Formulas {
            signature: self.signature.clone(),
            slots: self.slots.clone(),
            initial: self.initial,
            arguments: self.arguments.clone(),
            ..Formulas::default()
        };
        for &slot in &self.globals {
            let value = match self.slots[slot as usize].sort {
                Sort::Bool => Value::Bool(false),
                Sort::Nat | Sort::Int | Sort::Real => Value::Int(0),
                Sort::Pos => Value::Int(1),
                sort => {
                    if let Sort::Enum(e) = sort
                        && let Some(symbol) = self.signature.first_constant(e)
                    {
                        out.globals.push((slot, Value::Symbol(symbol)));
                        continue;
                    }
                    let what = format!("a global of sort `{}`", self.signature.sort_name(sort));
                    let kind = SyntaxErrorKind::Unsupported(what);
                    return Err(SyntaxError::new(kind, Span::new(0, 0)));
                }
            };
            out.globals.push((slot, value));
        }
        // Right-hand sides are contiguous: equation `e` ends with its body.
        let mut made = vec![0u32; n];
        let mut from = 0;
        for (owner, equation) in self.equations.iter().enumerate() {
            for i in from..=equation.body as usize {
                let not = negated[i];
                let either = |op: Op| if not { op.dual() } else { op };
                let node = match &self.formulas[i] {
                    Formula::Constant(value) => Node::Constant(*value != not),
                    Formula::Val(expr) => {
                        let mut expr = expr.clone();
                        if not {
                            expr.code.push(Instr::Unary(Unary::Not));
                        }
                        Node::Test(expr)
                    }
                    Formula::Variable(target, arguments) => {
                        if not {
                            let name = self.equations[*target as usize].name.clone();
                            let span = self.spans.0.get(&(i as u32)).copied().unwrap_or_default();
                            return Err(SyntaxError::new(SyntaxErrorKind::Negative(name), span));
                        }
                        Node::Call(*target, arguments.clone())
                    }
                    Formula::Not(a) => {
                        made[i] = made[*a as usize];
                        continue;
                    }
                    Formula::And(a, b) => {
                        Node::Many(either(Op::And), vec![made[*a as usize], made[*b as usize]])
                    }
                    Formula::Or(a, b) | Formula::Imply(a, b) => {
                        Node::Many(either(Op::Or), vec![made[*a as usize], made[*b as usize]])
                    }
                    Formula::Forall(slots, a) | Formula::Exists(slots, a) => {
                        let op = match &self.formulas[i] {
                            Formula::Forall(..) => either(Op::And),
                            _ => either(Op::Or),
                        };
                        let mut body = made[*a as usize];
                        for &slot in slots.iter().rev() {
                            let node = Node::Quantifier { op, slot, range: None, body };
                            body = out.add(owner as u32, node);
                        }
                        made[i] = body;
                        continue;
                    }
                };
                made[i] = out.add(owner as u32, node);
            }
            from = equation.body as usize + 1;
            let body = made[equation.body as usize];
            out.predicates.push(Predicate {
                name: equation.name.clone(),
                sign: equation.sign,
                parameters: equation.parameters.clone(),
                body,
            });
        }
        Ok(out)
    }

    /// The boolean system that it stands for, explored on demand.
    pub fn instance(&self) -> Result<Instance<NoModel>, SyntaxError> {
        let formulas = self.lower()?;
        Instance::new(formulas, NoModel).ok_or_else(|| {
            let what = "data variables are nested too deeply".to_owned();
            SyntaxError::new(SyntaxErrorKind::Other(what), Span::new(0, 0))
        })
    }

    fn declarations(&self, slots: &[u32]) -> String {
        let one = |&slot: &u32| {
            let slot = &self.slots[slot as usize];
            format!("{}: {}", slot.name, self.signature.sort_name(slot.sort))
        };
        slots.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        expr.show(&self.signature, &|slot| self.slots[slot as usize].name.clone())
    }

    fn call(&self, out: &mut String, equation: u32, arguments: &[Expr]) {
        out.push_str(&self.equations[equation as usize].name);
        if !arguments.is_empty() {
            let shown: Vec<String> = arguments.iter().map(|e| self.expr(e)).collect();
            _ = write!(out, "({})", shown.join(", "));
        }
    }

    fn print(&self, out: &mut String, root: u32) {
        enum Task {
            /// A node and the least level that needs no parentheses.
            Node(u32, u8),
            Text(&'static str),
        }
        let mut tasks = vec![Task::Node(root, 0)];
        while let Some(task) = tasks.pop() {
            let (node, level) = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Node(node, level) => (node, level),
            };
            let formula = &self.formulas[node as usize];
            let mine = match formula {
                Formula::Forall(..) | Formula::Exists(..) => 0,
                Formula::Imply(..) => 1,
                Formula::Or(..) => 2,
                Formula::And(..) => 3,
                _ => 4,
            };
            if mine < level {
                out.push('(');
                tasks.push(Task::Text(")"));
            }
            match formula {
                Formula::Constant(value) => _ = write!(out, "{value}"),
                Formula::Val(expr) => _ = write!(out, "val({})", self.expr(expr)),
                Formula::Variable(target, arguments) => self.call(out, *target, arguments),
                Formula::Not(a) => {
                    out.push('!');
                    tasks.push(Task::Node(*a, 4));
                }
                Formula::And(a, b) | Formula::Or(a, b) | Formula::Imply(a, b) => {
                    tasks.push(Task::Node(*b, mine));
                    tasks.push(Task::Text([" => ", " || ", " && "][mine as usize - 1]));
                    tasks.push(Task::Node(*a, mine + 1));
                }
                Formula::Forall(slots, a) | Formula::Exists(slots, a) => {
                    let word = matches!(formula, Formula::Forall(..));
                    let word = if word { "forall" } else { "exists" };
                    _ = write!(out, "{word} {}. ", self.declarations(slots));
                    tasks.push(Task::Node(*a, 0));
                }
            }
        }
    }
}

impl std::fmt::Display for Pbes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        let declared = self.signature.declared().trim_end();
        if !declared.is_empty() {
            _ = writeln!(out, "{declared}");
        }
        let written = !declared.is_empty();
        let named = self.signature.enumerations.iter().filter(|e| !e.is_nameless());
        for (i, enumeration) in named.enumerate() {
            if written {
                break;
            }
            let elements: Vec<&str> =
                enumeration.elements.iter().map(|&e| self.signature.symbol_name(e)).collect();
            let word = if i == 0 { "sort " } else { "     " };
            _ = writeln!(out, "{word}{} = struct {};", enumeration.name, elements.join(" | "));
        }
        for (i, &slot) in self.globals.iter().enumerate() {
            let word = if i == 0 { "glob " } else { "     " };
            _ = writeln!(out, "{word}{};", self.declarations(&[slot]));
        }
        out.push_str("pbes\n");
        for equation in &self.equations {
            _ = write!(out, "{} {}", equation.sign.word(), equation.name);
            if !equation.parameters.is_empty() {
                _ = write!(out, "({})", self.declarations(&equation.parameters));
            }
            out.push_str(" = ");
            self.print(&mut out, equation.body);
            out.push_str(";\n");
        }
        out.push_str("\ninit ");
        self.call(&mut out, self.initial, &self.arguments);
        out.push_str(";\n");
        f.write_str(&out)
    }
}
