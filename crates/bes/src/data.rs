//! Data: values, sorts, and expressions over them.
//!
//! An expression is postfix code, so that neither reading, evaluating, printing nor dropping one
//! depends on how deep it is nested.

use std::fmt::Write;

use rustc_hash::FxHashMap;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// An element of an enumeration, or a name found in labels.
    Symbol(u32),
}

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Numbers from 0.
    Nat,
    /// Numbers from 1.
    Pos,
    /// Numbers.
    Int,
    /// A declared enumeration.
    Enum(u32),
    /// The names in the model.
    Var,
}

impl Sort {
    /// Whether it is one of the sorts of numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Sort::Nat | Sort::Pos | Sort::Int)
    }

    /// Whether its values are names.
    pub fn is_symbol(self) -> bool {
        matches!(self, Sort::Enum(_) | Sort::Var)
    }

    /// The least number of a sort of numbers, if there is one.
    pub fn least(self) -> Option<i64> {
        match self {
            Sort::Nat => Some(0),
            Sort::Pos => Some(1),
            _ => None,
        }
    }

    /// Whether values of `other` can stand where this sort is wanted. Numbers are checked again
    /// when they are known.
    pub fn accepts(self, other: Sort) -> bool {
        self == other
            || (self.is_number() && other.is_number())
            || (self.is_symbol() && other.is_symbol() && (self == Sort::Var || other == Sort::Var))
    }
}

/// A declared enumeration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its elements.
    pub elements: Vec<u32>,
}

/// Names of values and sorts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    names: Vec<String>,
    ids: FxHashMap<String, u32>,
    /// Declared enumerations.
    pub enumerations: Vec<Enumeration>,
    sorts: FxHashMap<u32, u32>,
}

impl Signature {
    /// The symbol of a name.
    pub fn symbol(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The number of symbols.
    pub fn symbols(&self) -> u32 {
        self.names.len() as u32
    }

    /// The symbol of a name, if it has one.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// The name of a symbol; a question mark if it is of another signature.
    pub fn symbol_name(&self, symbol: u32) -> &str {
        self.names.get(symbol as usize).map_or("?", String::as_str)
    }

    /// Declares an enumeration; the first element that another one has already, if there is one,
    /// refuses it.
    pub fn declare(&mut self, name: &str, elements: &[&str]) -> Result<Sort, usize> {
        let number = self.enumerations.len() as u32;
        let mut symbols = Vec::new();
        for (i, element) in elements.iter().enumerate() {
            let symbol = self.symbol(element);
            if self.sorts.insert(symbol, number).is_some() {
                return Err(i);
            }
            symbols.push(symbol);
        }
        self.enumerations.push(Enumeration { name: name.to_owned(), elements: symbols });
        Ok(Sort::Enum(number))
    }

    /// The enumeration that a symbol was declared in; names without one are of sort `Var`.
    pub fn sort_of_symbol(&self, symbol: u32) -> Sort {
        self.sorts.get(&symbol).map_or(Sort::Var, |&number| Sort::Enum(number))
    }

    /// A sort's name.
    pub fn sort_name(&self, sort: Sort) -> &str {
        match sort {
            Sort::Bool => "Bool",
            Sort::Nat => "Nat",
            Sort::Pos => "Pos",
            Sort::Int => "Int",
            Sort::Var => "Var",
            Sort::Enum(number) => &self.enumerations[number as usize].name,
        }
    }

    /// The sort of a name.
    pub fn sort(&self, name: &str) -> Option<Sort> {
        match name {
            "Bool" | "bool" => Some(Sort::Bool),
            "Nat" | "nat" => Some(Sort::Nat),
            "Pos" => Some(Sort::Pos),
            "Int" | "int" => Some(Sort::Int),
            "Var" => Some(Sort::Var),
            _ => {
                let number = self.enumerations.iter().position(|e| e.name == name)?;
                Some(Sort::Enum(number as u32))
            }
        }
    }

    /// A value as text.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Bool(b) => b.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Symbol(s) => self.symbol_name(s).to_owned(),
        }
    }

    /// The value that a text in a label denotes: `true`, `TRUE`, a number, or a name.
    pub fn read(&mut self, text: &str) -> Value {
        match text {
            "true" | "TRUE" => Value::Bool(true),
            "false" | "FALSE" => Value::Bool(false),
            _ => match text.parse::<i64>() {
                // Only the usual spelling: `007` and `+7` are names.
                Ok(n) if n.to_string() == text => Value::Int(n),
                _ => Value::Symbol(self.symbol(text)),
            },
        }
    }
}

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Not,
    Negate,
    Abs,
    Succ,
    Pred,
    /// Conversions between the sorts of numbers, which all change nothing.
    ToNat,
    ToPos,
    ToInt,
}

/// Operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Imply,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Min,
    Max,
}

/// One step of postfix code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instr {
    /// A value.
    Value(Value),
    /// A data variable.
    Slot(u32),
    /// Applied to the last result.
    Unary(Unary),
    /// Applied to the last two.
    Binary(Binary),
    /// Condition, then, else: the last three.
    If,
}

/// An expression. Invariant: `code` leaves one result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// Postfix code.
    pub(crate) code: Vec<Instr>,
    /// The sort of the result.
    pub sort: Sort,
}

impl Expr {
    /// A constant.
    pub fn value(value: Value, sort: Sort) -> Expr {
        Expr { code: vec![Instr::Value(value)], sort }
    }

    /// A data variable.
    pub fn slot(slot: u32, sort: Sort) -> Expr {
        Expr { code: vec![Instr::Slot(slot)], sort }
    }

    /// The negation of a boolean expression.
    #[must_use]
    pub fn negated(&self) -> Expr {
        let mut code = self.code.clone();
        code.push(Instr::Unary(Unary::Not));
        Expr { code, sort: Sort::Bool }
    }

    /// The expression with values in place of some data variables.
    #[must_use]
    pub fn substituted(&self, values: &dyn Fn(u32) -> Option<Value>) -> Expr {
        let code = self.code.iter().map(|instr| match instr {
            Instr::Slot(slot) => values(*slot).map_or(*instr, Instr::Value),
            _ => *instr,
        });
        Expr { code: code.collect(), sort: self.sort }
    }

    /// The data variables in it, with repetitions.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.code.iter().filter_map(|instr| match instr {
            Instr::Slot(slot) => Some(*slot),
            _ => None,
        })
    }

    /// The value if it is a constant.
    pub fn constant(&self) -> Option<Value> {
        match self.code[..] {
            [Instr::Value(value)] => Some(value),
            _ => None,
        }
    }

    /// The variable if it is nothing else.
    pub fn as_slot(&self) -> Option<u32> {
        match self.code[..] {
            [Instr::Slot(slot)] => Some(slot),
            _ => None,
        }
    }

    /// The value, where it is defined (divisors are positive, numbers fit 64 bits).
    pub fn eval(&self, slots: &[Value]) -> Option<Value> {
        if let [one] = self.code[..] {
            return match one {
                Instr::Value(value) => Some(value),
                Instr::Slot(slot) => Some(slots[slot as usize]),
                _ => None,
            };
        }
        let mut stack: Vec<Option<Value>> = Vec::with_capacity(8);
        for instr in &self.code {
            let result = match *instr {
                Instr::Value(value) => Some(value),
                Instr::Slot(slot) => Some(slots[slot as usize]),
                Instr::Unary(op) => {
                    let a = stack.pop()?;
                    a.and_then(|a| unary(op, a))
                }
                Instr::Binary(op) => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    binary(op, a, b)
                }
                Instr::If => {
                    let (no, yes, condition) = (stack.pop()?, stack.pop()?, stack.pop()?);
                    match condition {
                        Some(Value::Bool(true)) => yes,
                        Some(Value::Bool(false)) => no,
                        _ => None,
                    }
                }
            };
            stack.push(result);
        }
        stack.pop()?
    }

    /// The text, in mCRL2's syntax; `names` are those of the slots.
    pub fn show(&self, signature: &Signature, names: &dyn Fn(u32) -> String) -> String {
        self.print(signature, names, &MCRL2)
    }

    /// The text, in CADP's syntax.
    pub fn show_cadp(&self, signature: &Signature, names: &dyn Fn(u32) -> String) -> String {
        self.print(signature, names, &CADP)
    }

    fn print(&self, signature: &Signature, names: &dyn Fn(u32) -> String, words: &Words) -> String {
        // Where the code of each step's operands begins.
        let mut starts = Vec::with_capacity(self.code.len());
        let mut open: Vec<usize> = Vec::new();
        for (i, instr) in self.code.iter().enumerate() {
            let operands = match instr {
                Instr::Value(_) | Instr::Slot(_) => 0,
                Instr::Unary(_) => 1,
                Instr::Binary(_) => 2,
                Instr::If => 3,
            };
            let start = if operands == 0 { i } else { open[open.len() - operands] };
            open.truncate(open.len() - operands);
            open.push(start);
            starts.push(start);
        }
        enum Task {
            /// The step, and the level below which it needs parentheses.
            Step(usize, u8),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut tasks = vec![Task::Step(self.code.len() - 1, 0)];
        while let Some(task) = tasks.pop() {
            let (at, level) = match task {
                Task::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Task::Step(at, level) => (at, level),
            };
            let call = |tasks: &mut Vec<Task>, out: &mut String, name: &str, args: &[usize]| {
                _ = write!(out, "{name}(");
                tasks.push(Task::Text(")"));
                for (i, &arg) in args.iter().enumerate().rev() {
                    tasks.push(Task::Step(arg, 0));
                    if i > 0 {
                        tasks.push(Task::Text(", "));
                    }
                }
            };
            match self.code[at] {
                Instr::Value(value @ Value::Int(n)) if n < 0 => {
                    _ = write!(out, "({})", signature.show(value));
                }
                Instr::Value(value) => out.push_str(&signature.show(value)),
                Instr::Slot(slot) => out.push_str(&names(slot)),
                Instr::Unary(op) => match op {
                    Unary::Not | Unary::Negate => {
                        if level > UNARY {
                            out.push('(');
                            tasks.push(Task::Text(")"));
                        }
                        out.push_str(if op == Unary::Not { words.not } else { "-" });
                        tasks.push(Task::Step(at - 1, UNARY));
                    }
                    Unary::Abs => call(&mut tasks, &mut out, "abs", &[at - 1]),
                    Unary::Succ => call(&mut tasks, &mut out, "succ", &[at - 1]),
                    Unary::Pred => call(&mut tasks, &mut out, "pred", &[at - 1]),
                    Unary::ToNat => call(&mut tasks, &mut out, "Int2Nat", &[at - 1]),
                    Unary::ToPos => call(&mut tasks, &mut out, "Int2Pos", &[at - 1]),
                    Unary::ToInt => call(&mut tasks, &mut out, "Nat2Int", &[at - 1]),
                },
                Instr::Binary(op) => {
                    let second = at - 1;
                    let first = starts[second] - 1;
                    match level_of(op) {
                        None => {
                            let name = if op == Binary::Min { "min" } else { "max" };
                            call(&mut tasks, &mut out, name, &[first, second]);
                        }
                        Some((mine, right)) => {
                            if level > mine {
                                out.push('(');
                                tasks.push(Task::Text(")"));
                            }
                            tasks.push(Task::Step(second, mine + u8::from(!right)));
                            tasks.push(Task::Text((words.binary)(op)));
                            tasks.push(Task::Step(first, mine + u8::from(right)));
                        }
                    }
                }
                Instr::If => {
                    let third = at - 1;
                    let second = starts[third] - 1;
                    let first = starts[second] - 1;
                    call(&mut tasks, &mut out, "if", &[first, second, third]);
                }
            }
        }
        out
    }
}

struct Words {
    not: &'static str,
    binary: fn(Binary) -> &'static str,
}

const MCRL2: Words = Words {
    not: "!",
    binary: |op| match op {
        Binary::Imply => " => ",
        Binary::Or => " || ",
        Binary::And => " && ",
        Binary::Equal => " == ",
        Binary::Unequal => " != ",
        Binary::Less => " < ",
        Binary::AtMost => " <= ",
        Binary::Greater => " > ",
        Binary::AtLeast => " >= ",
        Binary::Add => " + ",
        Binary::Subtract => " - ",
        Binary::Multiply => " * ",
        Binary::Divide => " div ",
        Binary::Modulo => " mod ",
        Binary::Min | Binary::Max => ", ",
    },
};

const CADP: Words = Words {
    not: "not ",
    binary: |op| match op {
        Binary::Imply => " implies ",
        Binary::Or => " or ",
        Binary::And => " and ",
        Binary::Equal => " = ",
        Binary::Unequal => " <> ",
        other => (MCRL2.binary)(other),
    },
};

const UNARY: u8 = 9;

/// The level of an operator between its operands, and whether it groups to the right.
pub(crate) fn level_of(op: Binary) -> Option<(u8, bool)> {
    Some(match op {
        Binary::Imply => (1, true),
        Binary::Or => (2, true),
        Binary::And => (3, true),
        Binary::Equal | Binary::Unequal => (4, false),
        Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => (5, false),
        Binary::Add | Binary::Subtract => (6, false),
        Binary::Multiply | Binary::Divide | Binary::Modulo => (7, false),
        Binary::Min | Binary::Max => return None,
    })
}

fn unary(op: Unary, a: Value) -> Option<Value> {
    Some(match (op, a) {
        (Unary::Not, Value::Bool(b)) => Value::Bool(!b),
        (Unary::Negate, Value::Int(n)) => Value::Int(n.checked_neg()?),
        (Unary::Abs, Value::Int(n)) => Value::Int(n.checked_abs()?),
        (Unary::Succ, Value::Int(n)) => Value::Int(n.checked_add(1)?),
        (Unary::Pred, Value::Int(n)) => Value::Int(n.checked_sub(1)?),
        (Unary::ToNat, Value::Int(n)) if n >= 0 => a,
        (Unary::ToPos, Value::Int(n)) if n >= 1 => a,
        (Unary::ToInt, Value::Int(_)) => a,
        _ => return None,
    })
}

/// Connectives need only the operand that decides; everything else needs both.
fn binary(op: Binary, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    use Value::{Bool, Int};
    match (op, a, b) {
        (Binary::And, Some(Bool(false)), _) | (Binary::And, _, Some(Bool(false))) => {
            return Some(Bool(false));
        }
        (Binary::Or, Some(Bool(true)), _) | (Binary::Or, _, Some(Bool(true))) => {
            return Some(Bool(true));
        }
        (Binary::Imply, Some(Bool(false)), _) | (Binary::Imply, _, Some(Bool(true))) => {
            return Some(Bool(true));
        }
        _ => {}
    }
    Some(match (op, a?, b?) {
        (Binary::And, Bool(a), Bool(b)) => Bool(a && b),
        (Binary::Or, Bool(a), Bool(b)) => Bool(a || b),
        (Binary::Imply, Bool(a), Bool(b)) => Bool(!a || b),
        (Binary::Equal, a, b) => Bool(a == b),
        (Binary::Unequal, a, b) => Bool(a != b),
        (Binary::Less, Int(a), Int(b)) => Bool(a < b),
        (Binary::AtMost, Int(a), Int(b)) => Bool(a <= b),
        (Binary::Greater, Int(a), Int(b)) => Bool(a > b),
        (Binary::AtLeast, Int(a), Int(b)) => Bool(a >= b),
        (Binary::Add, Int(a), Int(b)) => Int(a.checked_add(b)?),
        (Binary::Subtract, Int(a), Int(b)) => Int(a.checked_sub(b)?),
        (Binary::Multiply, Int(a), Int(b)) => Int(a.checked_mul(b)?),
        // Euclidean for the positive divisors that mCRL2 admits.
        (Binary::Divide, Int(a), Int(b)) if b > 0 => Int(a.div_euclid(b)),
        (Binary::Modulo, Int(a), Int(b)) if b > 0 => Int(a.rem_euclid(b)),
        (Binary::Min, Int(a), Int(b)) => Int(a.min(b)),
        (Binary::Max, Int(a), Int(b)) => Int(a.max(b)),
        _ => return None,
    })
}

/// What is known of a value while a variable ranges over all numbers from some bound on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Abstract {
    pub(crate) known: Known,
    /// It may depend on that variable.
    pub(crate) varies: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    Value(Value),
    /// A number between bounds; `None` is no bound.
    Range(Option<i64>, Option<i64>),
    Nothing,
}

impl Abstract {
    pub(crate) fn of(value: Value) -> Abstract {
        Abstract { known: Known::Value(value), varies: false }
    }

    fn range(self) -> Option<(Option<i64>, Option<i64>)> {
        match self.known {
            Known::Value(Value::Int(n)) => Some((Some(n), Some(n))),
            Known::Range(low, high) => Some((low, high)),
            _ => None,
        }
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self.known {
            Known::Value(Value::Bool(b)) => Some(b),
            _ => None,
        }
    }
}

impl Expr {
    /// Evaluates over what is known of the slots. A result that is a value is right for all values
    /// that the slots may have and for which it is defined.
    pub(crate) fn eval_abstract(&self, slots: &dyn Fn(u32) -> Abstract) -> Abstract {
        let nothing = Abstract { known: Known::Nothing, varies: true };
        let mut stack: Vec<Abstract> = Vec::new();
        for instr in &self.code {
            let result = match *instr {
                Instr::Value(value) => Abstract::of(value),
                Instr::Slot(slot) => slots(slot),
                Instr::Unary(op) => {
                    let a = stack.pop().unwrap_or(nothing);
                    let known = match (a.known, a.range(), op) {
                        (Known::Value(value), _, _) => {
                            unary(op, value).map_or(Known::Nothing, Known::Value)
                        }
                        (_, Some((low, high)), Unary::Succ) => Known::Range(
                            low.and_then(|n| n.checked_add(1)),
                            high.and_then(|n| n.checked_add(1)),
                        ),
                        (_, Some((low, high)), Unary::Pred) => Known::Range(
                            low.and_then(|n| n.checked_sub(1)),
                            high.and_then(|n| n.checked_sub(1)),
                        ),
                        (_, Some((low, high)), Unary::Negate) => Known::Range(
                            high.and_then(i64::checked_neg),
                            low.and_then(i64::checked_neg),
                        ),
                        (_, Some((low, high)), Unary::ToNat | Unary::ToPos | Unary::ToInt) => {
                            Known::Range(low, high)
                        }
                        _ => Known::Nothing,
                    };
                    Abstract { known, varies: a.varies && !matches!(known, Known::Value(_)) }
                }
                Instr::Binary(op) => {
                    let b = stack.pop().unwrap_or(nothing);
                    let a = stack.pop().unwrap_or(nothing);
                    let known = binary_abstract(op, a, b);
                    let varies = (a.varies || b.varies) && !matches!(known, Known::Value(_));
                    Abstract { known, varies }
                }
                Instr::If => {
                    let no = stack.pop().unwrap_or(nothing);
                    let yes = stack.pop().unwrap_or(nothing);
                    let condition = stack.pop().unwrap_or(nothing);
                    match condition.as_bool() {
                        Some(true) => yes,
                        Some(false) => no,
                        None if yes == no => yes,
                        None => Abstract {
                            known: Known::Nothing,
                            varies: condition.varies || yes.varies || no.varies,
                        },
                    }
                }
            };
            stack.push(result);
        }
        stack.pop().unwrap_or(nothing)
    }
}

fn binary_abstract(op: Binary, a: Abstract, b: Abstract) -> Known {
    let value = |x: Abstract| match x.known {
        Known::Value(value) => Some(value),
        _ => None,
    };
    let truth = |b: bool| Known::Value(Value::Bool(b));
    if let Some(result) = binary(op, value(a), value(b)) {
        return Known::Value(result);
    }
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.range(), b.range()) else {
        return Known::Nothing;
    };
    let below = |x: Option<i64>, y: Option<i64>| matches!((x, y), (Some(x), Some(y)) if x < y);
    let at_most = |x: Option<i64>, y: Option<i64>| matches!((x, y), (Some(x), Some(y)) if x <= y);
    let sum = |x: Option<i64>, y: Option<i64>| x?.checked_add(y?);
    let difference = |x: Option<i64>, y: Option<i64>| x?.checked_sub(y?);
    match op {
        Binary::Less if below(a_high, b_low) => truth(true),
        Binary::Less if at_most(b_high, a_low) => truth(false),
        Binary::AtMost if at_most(a_high, b_low) => truth(true),
        Binary::AtMost if below(b_high, a_low) => truth(false),
        Binary::Greater if below(b_high, a_low) => truth(true),
        Binary::Greater if at_most(a_high, b_low) => truth(false),
        Binary::AtLeast if at_most(b_high, a_low) => truth(true),
        Binary::AtLeast if below(a_high, b_low) => truth(false),
        Binary::Equal if below(a_high, b_low) || below(b_high, a_low) => truth(false),
        Binary::Unequal if below(a_high, b_low) || below(b_high, a_low) => truth(true),
        Binary::Add => Known::Range(sum(a_low, b_low), sum(a_high, b_high)),
        Binary::Subtract => Known::Range(difference(a_low, b_high), difference(a_high, b_low)),
        Binary::Min => Known::Range(
            a_low.zip(b_low).map(|(a, b)| a.min(b)),
            match (a_high, b_high) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        ),
        Binary::Max => Known::Range(
            match (a_low, b_low) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            a_high.zip(b_high).map(|(a, b)| a.max(b)),
        ),
        Binary::Multiply if at_most(Some(0), a_low) && at_most(Some(0), b_low) => Known::Range(
            a_low.zip(b_low).and_then(|(a, b)| a.checked_mul(b)),
            a_high.zip(b_high).and_then(|(a, b)| a.checked_mul(b)),
        ),
        _ => Known::Nothing,
    }
}
