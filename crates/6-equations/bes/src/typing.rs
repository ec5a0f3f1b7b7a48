//! The sorts of data expressions while they are read: each operator checks its operands, and adds
//! its step to the code.

use source::Span;

use crate::data::{Binary, Instr, Sort, Unary, Value};
use crate::expr::{Builtin, Operand, Pending, Run};
use crate::lex::{SyntaxError, SyntaxErrorKind};
use crate::sorts::{Callee, Composite};

impl Run<'_> {
    /// The sort of the elements of a collection.
    pub(crate) fn element(&self, sort: Sort) -> Sort {
        match self.names.signature.as_composite(sort) {
            Some(Composite::List(of) | Composite::Set(of) | Composite::Bag(of)) => *of,
            _ => Sort::Unknown,
        }
    }

    /// An operator on the last result.
    pub(crate) fn unary(&mut self, op: Unary, span: Span) -> Result<(), SyntaxError> {
        let Operand { sort, span: at, .. } = *self.operands.last().expect("an operand was read");
        let span = span.to(at);
        let set = matches!(self.names.signature.as_composite(sort), Some(Composite::Set(_)));
        let list = match op {
            Unary::Size | Unary::Head | Unary::Tail | Unary::LastOf | Unary::FrontOf => {
                self.fresh_composite(Composite::List(Sort::Unknown))
            }
            _ => Sort::Unknown,
        };
        let number = |sort: Sort| self.names.accept(Sort::Int, sort, at);
        let collection = || {
            let found = self.names.signature.as_composite(sort).is_some();
            if found || matches!(sort, Sort::Unknown | Sort::Var) {
                return Ok(());
            }
            self.names.accept(list, sort, at)
        };
        let result = match op {
            Unary::Not if set => sort,
            Unary::Not => {
                self.names.accept(Sort::Bool, sort, at)?;
                Sort::Bool
            }
            Unary::Negate | Unary::Pred => {
                number(sort)?;
                if sort == Sort::Real { sort } else { Sort::Int }
            }
            Unary::Abs if sort == Sort::Real => sort,
            Unary::Abs | Unary::ToNat => {
                number(sort)?;
                Sort::Nat
            }
            Unary::Succ | Unary::ToInt => {
                number(sort)?;
                if op == Unary::ToInt && sort == Sort::Real { Sort::Int } else { sort }
            }
            Unary::ToPos => {
                number(sort)?;
                Sort::Pos
            }
            Unary::ToReal => {
                number(sort)?;
                Sort::Real
            }
            Unary::Floor | Unary::Ceiling | Unary::Round => {
                number(sort)?;
                Sort::Int
            }
            Unary::Size => {
                collection()?;
                Sort::Nat
            }
            Unary::Head | Unary::LastOf => {
                collection()?;
                self.element(sort)
            }
            Unary::Tail | Unary::FrontOf => {
                collection()?;
                sort
            }
            Unary::SetToBag | Unary::BagToSet => {
                let of = self.element(sort);
                let made = match op {
                    Unary::SetToBag => Composite::Bag(of),
                    _ => Composite::Set(of),
                };
                self.fresh_composite(made)
            }
        };
        match (op, self.code.last_mut()) {
            // `-0` stays as it is: 0 would be read back with another sort.
            (Unary::Negate, Some(Instr::Value(Value::Int(n)))) if *n > 0 => {
                *n = -*n;
                let last = self.operands.last_mut().expect("an operand was read");
                (last.sort, last.span) = (result, span);
            }
            _ => self.push(Instr::Unary(op), 1, result, span),
        }
        Ok(())
    }

    /// An operator on the last two results.
    pub(crate) fn binary(&mut self, op: Binary) -> Result<(), SyntaxError> {
        let at = self.operands.len();
        let (a, b) = (self.operands[at - 2], self.operands[at - 1]);
        let span = a.span.to(b.span);
        let names = &mut *self.names;
        let signature = &mut names.signature;
        let collection =
            |sort: Sort| signature.as_composite(sort).is_some() || sort == Sort::Unknown;
        let structured =
            |sort: Sort| matches!(sort, Sort::Enum(_) | Sort::Bool) || collection(sort);
        let (number_a, number_b) = (a.sort.is_number(), b.sort.is_number());
        let result = match op {
            Binary::Imply | Binary::Or | Binary::And => {
                names.accept(Sort::Bool, a.sort, a.span)?;
                names.accept(Sort::Bool, b.sort, b.span)?;
                Sort::Bool
            }
            Binary::Equal | Binary::Unequal => {
                names.accept(a.sort, b.sort, b.span)?;
                Sort::Bool
            }
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast
                if structured(a.sort) || structured(b.sort) =>
            {
                names.accept(a.sort, b.sort, b.span)?;
                Sort::Bool
            }
            Binary::In => {
                let list = signature.as_composite(b.sort).cloned();
                match list {
                    Some(Composite::List(of) | Composite::Set(of) | Composite::Bag(of)) => {
                        names.accept(of, a.sort, a.span)?;
                    }
                    _ if b.sort == Sort::Unknown || b.sort == Sort::Var => {}
                    _ => {
                        let set = signature.composite(Composite::Set(a.sort));
                        names.accept(set, b.sort, b.span)?;
                    }
                }
                Sort::Bool
            }
            Binary::Prepend | Binary::Append | Binary::Concatenate => {
                let (list, element) = match op {
                    Binary::Prepend => (b, Some(a)),
                    Binary::Append => (a, Some(b)),
                    _ => (a, None),
                };
                let of = element.map_or(Sort::Unknown, |e| e.sort);
                let wanted = signature.composite(Composite::List(of));
                let of_list = match signature.as_composite(list.sort) {
                    Some(Composite::List(inner)) => *inner,
                    _ => Sort::Unknown,
                };
                names.accept(wanted, list.sort, list.span)?;
                if element.is_none() {
                    names.accept(a.sort, b.sort, b.span)?;
                }
                match (of_list, element) {
                    (Sort::Unknown, Some(_)) => wanted,
                    (Sort::Unknown, None) => b.sort,
                    _ => list.sort,
                }
            }
            Binary::At => {
                let wanted = signature.composite(Composite::List(Sort::Unknown));
                names.accept(wanted, a.sort, a.span)?;
                names.accept(Sort::Nat, b.sort, b.span)?;
                self.element(a.sort)
            }
            Binary::Count => Sort::Nat,
            Binary::Add | Binary::Subtract | Binary::Multiply
                if !(number_a && number_b) && (collection(a.sort) || collection(b.sort)) =>
            {
                names.accept(a.sort, b.sort, b.span)?;
                let known = self.element(a.sort) != Sort::Unknown;
                if known || a.sort != Sort::Unknown && b.sort == Sort::Unknown {
                    a.sort
                } else {
                    b.sort
                }
            }
            _ => {
                names.accept(Sort::Int, a.sort, a.span)?;
                names.accept(Sort::Int, b.sort, b.span)?;
                let real = a.sort == Sort::Real || b.sort == Sort::Real;
                match op {
                    Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => Sort::Bool,
                    Binary::Quotient => Sort::Real,
                    _ if real => Sort::Real,
                    Binary::Subtract => Sort::Int,
                    _ if a.sort == Sort::Int || b.sort == Sort::Int => Sort::Int,
                    _ => Sort::Nat,
                }
            }
        };
        self.push(Instr::Binary(op), 2, result, span);
        Ok(())
    }

    /// A closing bracket was read.
    pub(crate) fn close(&mut self, end: Span) -> Result<(), SyntaxError> {
        let (pending, start) = self.pending.pop().expect("a bracket was seen");
        self.brackets -= 1;
        let span = start.to(end);
        match pending {
            Pending::Open => {}
            Pending::Builtin(builtin, before, marks) => {
                self.builtin(builtin, before + 1, marks, start)?;
            }
            Pending::Named(name, before) => self.named(&name, before + 1, span)?,
            Pending::Call(before) => {
                let count = before + 1;
                let function = self.operands[self.operands.len() - count - 1].sort;
                let range = match self.names.signature.as_composite(function).cloned() {
                    Some(Composite::Function(domain, range)) => {
                        let from = self.operands.len() - count;
                        if domain.len() != count {
                            let (name, expected) = ("a function".to_owned(), domain.len());
                            let kind = SyntaxErrorKind::Arguments { name, found: count, expected };
                            return Err(SyntaxError::new(kind, span));
                        }
                        for (&wanted, operand) in domain.iter().zip(&self.operands[from..]) {
                            self.names.accept(wanted, operand.sort, operand.span)?;
                        }
                        range
                    }
                    _ if function == Sort::Unknown => Sort::Unknown,
                    _ => {
                        let found = self.names.signature.sort_name(function);
                        let expected = "a function".to_owned();
                        let kind = SyntaxErrorKind::Sort { found, expected };
                        return Err(SyntaxError::new(kind, span));
                    }
                };
                self.push(Instr::Call(count as u32), count + 1, range, span);
            }
            Pending::List(before) | Pending::Set(before) => {
                let count = before + 1;
                let of = self.common(count, 1)?;
                let list = matches!(pending, Pending::List(_));
                let made = if list { Composite::List(of) } else { Composite::Set(of) };
                let sort = self.fresh_composite(made);
                let count = count as u32;
                let instr = if list { Instr::List(count) } else { Instr::Set(count) };
                self.push(instr, count as usize, sort, span);
            }
            Pending::Bag(before) => {
                let count = before.div_ceil(2);
                let of = self.common(2 * count, 2)?;
                let sort = self.fresh_composite(Composite::Bag(of));
                self.push(Instr::Bag(count as u32), 2 * count, sort, span);
            }
            Pending::Update(_) => {
                let at = self.operands.len();
                let function = self.operands[at - 3].sort;
                if let Some(Composite::Function(domain, range)) =
                    self.names.signature.as_composite(function).cloned()
                    && let [x] = domain[..]
                {
                    self.names.accept(x, self.operands[at - 2].sort, self.operands[at - 2].span)?;
                    let value = self.operands[at - 1];
                    self.names.accept(range, value.sort, value.span)?;
                }
                self.push(Instr::Update, 3, function, span);
            }
            Pending::Prefix(_) | Pending::Binary(..) => {}
        }
        if let Some(last) = self.operands.last_mut() {
            last.span = span;
        }
        Ok(())
    }

    /// The sort of elements: each `step`th of the last results.
    fn common(&self, count: usize, step: usize) -> Result<Sort, SyntaxError> {
        let from = self.operands.len() - count;
        let mut sort = Sort::Unknown;
        for operand in self.operands[from..].iter().step_by(step) {
            self.names.accept(sort, operand.sort, operand.span)?;
            sort = match (sort, operand.sort) {
                (Sort::Unknown, found) => found,
                (a, b) if a.is_number() && a != b => {
                    if a == Sort::Real || b == Sort::Real {
                        Sort::Real
                    } else if a == Sort::Int || b == Sort::Int {
                        Sort::Int
                    } else {
                        Sort::Nat
                    }
                }
                (a, _) => a,
            };
        }
        Ok(sort)
    }

    /// A declared name on the last results.
    fn named(&mut self, name: &str, count: usize, span: Span) -> Result<(), SyntaxError> {
        let from = self.operands.len() - count;
        let sorts: Vec<Sort> = self.operands[from..].iter().map(|o| o.sort).collect();
        let Some((callee, sort)) = self.names.signature.callee(name, &sorts) else {
            let shown: Vec<String> =
                sorts.iter().map(|&s| self.names.signature.sort_name(s)).collect();
            let what = format!("`{name}` takes no arguments of sorts {}", shown.join(", "));
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        };
        let instr = match callee {
            Callee::Function(number) => Instr::Apply(number, count as u32),
            Callee::Constructor(number) => Instr::Construct(number, count as u32),
            Callee::Projection(symbol) => Instr::Project(symbol),
            Callee::Recogniser(symbol) => Instr::Recognise(symbol),
        };
        self.push(instr, count, sort, span);
        Ok(())
    }

    /// A function that every text may use, on the last results.
    pub(crate) fn builtin(
        &mut self,
        builtin: Builtin,
        given: usize,
        marks: [usize; 2],
        start: Span,
    ) -> Result<(), SyntaxError> {
        let wanted = match builtin {
            Builtin::Unary(_) => 1,
            Builtin::Binary(_) => 2,
            Builtin::If => 3,
        };
        if given != wanted {
            let name = match builtin {
                Builtin::If => "if",
                Builtin::Binary(Binary::Min) => "min",
                Builtin::Binary(Binary::Max) => "max",
                Builtin::Unary(Unary::Abs) => "abs",
                Builtin::Unary(Unary::Succ) => "succ",
                Builtin::Unary(Unary::Pred) => "pred",
                Builtin::Unary(_) | Builtin::Binary(_) => "a function",
            };
            let name = name.to_owned();
            let kind = SyntaxErrorKind::Arguments { name, found: given, expected: wanted };
            return Err(SyntaxError::new(kind, start));
        }
        match builtin {
            Builtin::Unary(op) => self.unary(op, start)?,
            Builtin::Binary(op) => self.binary(op)?,
            Builtin::If => {
                let at = self.operands.len();
                let [condition, yes, no] = [0, 1, 2].map(|i| self.operands[at - 3 + i]);
                self.names.accept(Sort::Bool, condition.sort, condition.span)?;
                self.names.accept(yes.sort, no.sort, no.span)?;
                let sort = match (yes.sort, no.sort) {
                    (a, b) if a == b => a,
                    (Sort::Real, _) | (_, Sort::Real) if yes.sort.is_number() => Sort::Real,
                    (a, b) if a.is_number() && b.is_number() => Sort::Int,
                    (Sort::Unknown, b) => b,
                    (a, b) if self.element(a) == Sort::Unknown && a != b => b,
                    (a, _) => a,
                };
                self.push(Instr::If, 3, sort, start);
                let end = self.code.len();
                let [branch, jump] = marks;
                self.code[branch] =
                    Instr::Branch((jump - branch) as u32, (end - branch - 1) as u32);
                self.code[jump] = Instr::Jump((end - jump - 1) as u32);
            }
        }
        Ok(())
    }
}
