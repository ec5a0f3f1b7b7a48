//! From text to formulas, by operator precedence with an explicit stack: nesting costs memory,
//! never the call stack.

use source::Span;

use super::error::{LtlError, LtlErrorKind};
use super::lex::{After, Lexer, Start};
use super::{Binary, Formula, FormulaId, Formulas, Node, Unary};

/// Reads a formula.
///
/// ```
/// let formula = automata::ltl::parse("GFp -> at(main:L) U \"x == 2\"").unwrap();
/// assert_eq!(formula.to_string(), "(G F p -> (at(main:L) U \"x == 2\"))");
/// ```
pub fn parse(text: &str) -> Result<Formula, LtlError> {
    parse_with(text, &|_| false)
}

/// Reads a formula; a word that is `known` is a name even where it starts with an operator's
/// letter, as `Flag` does.
pub fn parse_with(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Formula, LtlError> {
    if text.len() >= u32::MAX as usize {
        let kind = LtlErrorKind::TooLong { bytes: text.len() };
        return Err(LtlError { kind, span: Span::new(0, 0) });
    }
    let mut lexer = Lexer::new(text, known);
    let mut formulas = Formulas::new();
    let mut operands: Vec<FormulaId> = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    let mut last_operator: Option<Span> = None;
    'operand: loop {
        let (start, span) = lexer.start(last_operator)?;
        match start {
            Start::Prefix(op) => {
                pending.push(Pending::Prefix(op));
                last_operator = Some(span);
                continue;
            }
            Start::Open => {
                pending.push(Pending::Open(span));
                last_operator = None;
                continue;
            }
            Start::Constant(value) => operands.push(formulas.constant(value)),
            Start::Atom(atom) => {
                let atom = formulas.intern(atom, Some(span));
                operands.push(formulas.add(Node::Atom(atom)));
            }
        }
        loop {
            let (after, span) = lexer.after()?;
            match after {
                After::Binary(op) => {
                    let (level, right) = binding(op);
                    let mut reduce = Reduce { formulas: &mut formulas, operands: &mut operands };
                    reduce.run(&mut pending, |other| other > level || (other == level && !right));
                    pending.push(Pending::Binary(op));
                    last_operator = Some(span);
                    continue 'operand;
                }
                After::Close => {
                    let mut reduce = Reduce { formulas: &mut formulas, operands: &mut operands };
                    reduce.run(&mut pending, |_| true);
                    if pending.pop().is_none() {
                        return Err(LtlError { kind: LtlErrorKind::UnopenedParenthesis, span });
                    }
                }
                After::End => {
                    let mut reduce = Reduce { formulas: &mut formulas, operands: &mut operands };
                    reduce.run(&mut pending, |_| true);
                    if let Some(Pending::Open(span)) = pending.pop() {
                        return Err(LtlError { kind: LtlErrorKind::UnclosedParenthesis, span });
                    }
                    let root = operands.pop().expect("an operand was read last");
                    return Ok(Formula { formulas, root, split_words: lexer.split_words });
                }
            }
        }
    }
}

/// What waits for its right operand or its end.
enum Pending {
    Open(Span),
    Prefix(Unary),
    Binary(Binary),
}

/// How tight an operator binds, and whether it groups to the right.
fn binding(op: Binary) -> (u8, bool) {
    match op {
        Binary::Implies | Binary::Iff => (1, true),
        Binary::Xor => (2, false),
        Binary::Or => (3, false),
        Binary::And => (4, false),
        Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease => (5, true),
    }
}

struct Reduce<'a> {
    formulas: &'a mut Formulas,
    operands: &'a mut Vec<FormulaId>,
}

impl Reduce<'_> {
    /// Applies the operators on top of the stack, down to the next parenthesis, as long as their
    /// level is one that binds first. Prefix operators bind tighter than all others.
    fn run(&mut self, pending: &mut Vec<Pending>, first: impl Fn(u8) -> bool) {
        loop {
            let result = match pending.last() {
                Some(&Pending::Prefix(op)) => {
                    let f = self.pop();
                    self.formulas.unary(op, f)
                }
                Some(&Pending::Binary(op)) if first(binding(op).0) => {
                    let g = self.pop();
                    let f = self.pop();
                    self.formulas.binary(op, f, g)
                }
                _ => return,
            };
            pending.pop();
            self.operands.push(result);
        }
    }

    fn pop(&mut self) -> FormulaId {
        self.operands.pop().expect("every operator on the stack has its operands")
    }
}
