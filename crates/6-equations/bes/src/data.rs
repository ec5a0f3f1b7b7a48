//! Data: values, sorts, and expressions over them.
//!
//! An expression is postfix code, so that neither reading, evaluating, printing nor dropping one
//! depends on how deep it is nested.

use rustc_hash::FxHashMap;

use crate::sorts::{Composite, Constructor, Function, Inner};

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// An element of an enumeration, or a name found in labels.
    Symbol(u32),
    /// A structured value, by its number among the [`Terms`](crate::terms::Terms) of a run.
    Term(u32),
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
    /// Rational numbers.
    Real,
    /// A declared enumeration or structured sort.
    Enum(u32),
    /// The names in the model.
    Var,
    /// Lists, sets, bags, functions: by number among [`Signature::composites`].
    Of(u32),
    /// Not known here: the elements of `[]`, and what follows from them.
    Unknown,
}

impl Sort {
    /// Whether it is one of the sorts of numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Sort::Nat | Sort::Pos | Sort::Int | Sort::Real)
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
}

/// A declared enumeration, or a structured sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its elements: the names of its constructors, in order.
    pub elements: Vec<u32>,
    /// Whether no constructor has arguments, so that the elements are all values.
    pub plain: bool,
}

impl Enumeration {
    /// Whether it is written where a sort stands, and declared nowhere.
    pub fn is_nameless(&self) -> bool {
        self.name.starts_with("struct ")
    }
}

/// Names of values and sorts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    names: Vec<String>,
    ids: FxHashMap<String, u32>,
    /// Declared enumerations and structured sorts.
    pub enumerations: Vec<Enumeration>,
    pub(crate) sorts: FxHashMap<u32, u32>,
    /// Lists, sets, bags, functions.
    pub(crate) composites: Vec<Composite>,
    pub(crate) depths: Vec<u32>,
    pub(crate) aliases: FxHashMap<String, Sort>,
    /// Constructors, with their fields; those of enumerations, too.
    pub(crate) constructors: Vec<Constructor>,
    /// Functions that equations define.
    pub(crate) functions: Vec<Function>,
    /// Bodies of `lambda`, quantifiers inside data, comprehensions and `whr`.
    pub(crate) inner: Vec<Inner>,
    /// The sorts of the arguments of declared actions.
    pub(crate) actions: FxHashMap<String, Vec<Vec<Sort>>>,
    /// The declarations beyond enumerations, as they were written.
    pub(crate) declared: String,
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

    /// Another symbol of a name that one has already; the name means it from now on if `meant`.
    pub(crate) fn another(&mut self, name: &str, meant: bool) -> u32 {
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        if meant {
            self.ids.insert(name.to_owned(), id);
        }
        id
    }

    /// The declarations beyond enumerations, as they were written.
    pub fn declared(&self) -> &str {
        &self.declared
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
            self.constructors.push(Constructor {
                symbol,
                sort: number,
                position: i as u32,
                fields: Vec::new(),
                projections: Vec::new(),
                recogniser: None,
            });
            symbols.push(symbol);
        }
        let name = name.to_owned();
        self.enumerations.push(Enumeration { name, elements: symbols, plain: true });
        Ok(Sort::Enum(number))
    }

    /// The enumeration that a symbol was declared in; names without one are of sort `Var`.
    pub fn sort_of_symbol(&self, symbol: u32) -> Sort {
        self.sorts.get(&symbol).map_or(Sort::Var, |&number| Sort::Enum(number))
    }

    /// A sort's name.
    pub fn sort_name(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::Nat => "Nat".to_owned(),
            Sort::Pos => "Pos".to_owned(),
            Sort::Int => "Int".to_owned(),
            Sort::Real => "Real".to_owned(),
            Sort::Var => "Var".to_owned(),
            Sort::Unknown => "?".to_owned(),
            Sort::Enum(number) => self.enumerations[number as usize].name.clone(),
            Sort::Of(_) => self.composite_name(sort),
        }
    }

    /// The sort of a name.
    pub fn sort(&self, name: &str) -> Option<Sort> {
        match name {
            "Bool" | "bool" => Some(Sort::Bool),
            "Nat" | "nat" => Some(Sort::Nat),
            "Pos" => Some(Sort::Pos),
            "Int" | "int" => Some(Sort::Int),
            "Real" | "real" => Some(Sort::Real),
            "Var" => Some(Sort::Var),
            _ if self.aliases.contains_key(name) => Some(self.aliases[name]),
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
            Value::Term(n) => format!("#{n}"),
        }
    }

    /// The value that a text in a label denotes: `true`, `TRUE`, a number, or a name.
    pub fn read(&mut self, text: &str) -> Value {
        match text {
            "true" | "TRUE" => Value::Bool(true),
            "false" | "FALSE" => Value::Bool(false),
            _ => match text.parse::<i64>() {
                // Only the usual spelling, and CADP's `+7`: `007` is a name.
                Ok(n) if n.to_string() == text.strip_prefix('+').unwrap_or(text) => Value::Int(n),
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
    ToReal,
    /// `#l`: the length of a list, the number of elements of a set.
    Size,
    Head,
    Tail,
    /// The last element.
    LastOf,
    /// All but the last element.
    FrontOf,
    Floor,
    Ceiling,
    Round,
    SetToBag,
    BagToSet,
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
    /// `/`.
    Quotient,
    /// `exp`.
    Power,
    /// `x |> l`.
    Prepend,
    /// `l <| x`.
    Append,
    /// `l ++ m`.
    Concatenate,
    /// `l . n`.
    At,
    /// `x in s`.
    In,
    /// `count(x, b)`.
    Count,
}

/// What a binder inside data makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Bound {
    Forall,
    Exists,
    Lambda,
    /// `{ x: S | b }`.
    SetOf,
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
    /// After the first operand of a connective: goes on this far where it decides.
    Lazy(Binary, u32),
    /// After the condition of `if`: how far to the other case, and to the end.
    Branch(u32, u32),
    /// After the first case of `if`: how far to the end.
    Jump(u32),
    /// A function that equations define, on so many arguments.
    Apply(u32, u32),
    /// A constructor, by number, on its arguments.
    Construct(u32, u32),
    /// A field, by the projection's name.
    Project(u32),
    /// Whether a constructor made it, by the recogniser's name.
    Recognise(u32),
    /// A list of so many.
    List(u32),
    /// A set of so many.
    Set(u32),
    /// A bag of so many pairs of an element and its number.
    Bag(u32),
    /// A function and so many arguments.
    Call(u32),
    /// A function, an argument, and its new value.
    Update,
    /// A binder, by the number of its body.
    Bind(Bound, u32),
    /// Values for the variables of a body: `e whr x = … end`.
    Where(u32, u32),
}

impl Instr {
    /// How many results it takes; `None`: it is no operator, and leaves no result.
    pub(crate) fn operands(&self) -> Option<usize> {
        Some(match *self {
            Instr::Lazy(..) | Instr::Branch(..) | Instr::Jump(_) => return None,
            Instr::Value(_) | Instr::Slot(_) | Instr::Bind(..) => 0,
            Instr::Unary(_) | Instr::Project(_) | Instr::Recognise(_) => 1,
            Instr::Binary(_) => 2,
            Instr::If | Instr::Update => 3,
            Instr::Apply(_, n) | Instr::Construct(_, n) | Instr::Where(_, n) => n as usize,
            Instr::List(n) | Instr::Set(n) => n as usize,
            Instr::Bag(n) => 2 * n as usize,
            Instr::Call(n) => n as usize + 1,
        })
    }
}

impl Instr {
    fn is_rich(&self) -> bool {
        match self {
            Instr::Value(value) => matches!(value, Value::Term(_)),
            Instr::Slot(_) | Instr::If | Instr::Lazy(..) | Instr::Branch(..) | Instr::Jump(_) => {
                false
            }
            Instr::Unary(op) => !matches!(
                op,
                Unary::Not
                    | Unary::Negate
                    | Unary::Abs
                    | Unary::Succ
                    | Unary::Pred
                    | Unary::ToNat
                    | Unary::ToPos
                    | Unary::ToInt
            ),
            Instr::Binary(op) => matches!(
                op,
                Binary::Quotient
                    | Binary::Power
                    | Binary::Prepend
                    | Binary::Append
                    | Binary::Concatenate
                    | Binary::At
                    | Binary::In
                    | Binary::Count
            ),
            _ => true,
        }
    }
}

/// Where the code of each step's result begins; steps without one have that of what follows.
pub(crate) fn starts(code: &[Instr]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(code.len());
    let mut open: Vec<usize> = Vec::new();
    for (i, instr) in code.iter().enumerate() {
        let Some(operands) = instr.operands() else {
            starts.push(i);
            continue;
        };
        let start = if operands == 0 { i } else { open[open.len() - operands] };
        open.truncate(open.len() - operands);
        open.push(start);
        starts.push(start);
    }
    starts
}

/// The last steps of the operands of the step at `at`, in order.
pub(crate) fn children(code: &[Instr], starts: &[usize], at: usize) -> Vec<usize> {
    let count = code[at].operands().unwrap_or(0);
    let mut out = vec![0; count];
    let mut end = at;
    for place in out.iter_mut().rev() {
        end -= 1;
        while code[end].operands().is_none() {
            end -= 1;
        }
        *place = end;
        end = starts[end];
    }
    out
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

    /// An operator on two expressions.
    #[must_use]
    pub fn binary(op: Binary, a: &Expr, b: &Expr, sort: Sort) -> Expr {
        let code = a.code.iter().chain(&b.code).copied().chain([Instr::Binary(op)]).collect();
        Expr { code, sort }
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

    /// The data variables in it that nothing in it binds, with repetitions.
    pub fn slots<'a>(&'a self, signature: &'a Signature) -> impl Iterator<Item = u32> + 'a {
        self.code.iter().flat_map(move |instr| {
            let (one, more): (Option<u32>, &[u32]) = match instr {
                Instr::Slot(slot) => (Some(*slot), &[]),
                Instr::Bind(_, inner) | Instr::Where(inner, _) => {
                    (None, &signature.inner[*inner as usize].free)
                }
                _ => (None, &[]),
            };
            one.into_iter().chain(more.iter().copied())
        })
    }

    /// Whether evaluation needs more than numbers, truth values and names.
    pub fn is_rich(&self) -> bool {
        self.code.iter().any(|instr| instr.is_rich())
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

    /// The value, where it is defined (divisors are positive, numbers fit 64 bits), of an
    /// expression that is not rich over values that are not; see [`Data::eval`](crate::terms::Data)
    /// for all others.
    pub fn eval(&self, slots: &[Value]) -> Option<Value> {
        if let [one] = self.code[..] {
            return match one {
                Instr::Value(value) => Some(value),
                Instr::Slot(slot) => Some(slots[slot as usize]),
                _ => None,
            };
        }
        let mut stack: Vec<Option<Value>> = Vec::with_capacity(8);
        let mut at = 0;
        while let Some(instr) = self.code.get(at) {
            at += 1;
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
                Instr::Lazy(op, skip) => {
                    if let Some(decided) = decides(op, *stack.last()?) {
                        *stack.last_mut()? = Some(decided);
                        at += skip as usize;
                    }
                    continue;
                }
                Instr::Branch(other, end) => match stack.pop()? {
                    Some(Value::Bool(true)) => continue,
                    Some(Value::Bool(false)) => {
                        at += other as usize;
                        continue;
                    }
                    _ => {
                        at += end as usize;
                        None
                    }
                },
                Instr::Jump(skip) => {
                    at += skip as usize;
                    continue;
                }
                Instr::If => continue,
                _ => return None,
            };
            stack.push(result);
        }
        stack.pop()?
    }
}

/// What the first operand of a connective decides.
pub(crate) fn decides(op: Binary, first: Option<Value>) -> Option<Value> {
    match (op, first) {
        (Binary::And, Some(Value::Bool(false))) => first,
        (Binary::Or, Some(Value::Bool(true))) => first,
        (Binary::Imply, Some(Value::Bool(false))) => Some(Value::Bool(true)),
        _ => None,
    }
}

pub(crate) fn unary(op: Unary, a: Value) -> Option<Value> {
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
pub(crate) fn binary(op: Binary, a: Option<Value>, b: Option<Value>) -> Option<Value> {
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
        // Two terms may be equal without being the same: functions, sets by a condition.
        (Binary::Equal | Binary::Unequal, Value::Term(a), Value::Term(b)) if a != b => return None,
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
