//! Reading data expressions, by operator precedence with an explicit stack.
//!
//! Binders inside data (`lambda`, quantifiers, comprehensions, `whr`) nest to a limit.

use rustc_hash::FxHashMap;
use source::Span;

use crate::data::{Binary, Bound, Expr, Instr, Signature, Sort, Unary, Value};
use crate::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use crate::show::level_of;
use crate::sorts::{Composite, Inner};

/// How deep binders inside data nest.
const MOST_BINDERS: u32 = 100;

/// A data variable: each binder has one of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// Its name in the text.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// Names in scope while a text is read.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// Values and sorts.
    pub signature: Signature,
    /// All data variables so far.
    pub slots: Vec<SlotInfo>,
    /// Whether names that nothing declares are symbols of sort `Var`.
    pub open: bool,
    pub(crate) visible: FxHashMap<String, Vec<u32>>,
    /// Whether `=` ends an expression, as between the sides of an equation.
    pub(crate) sides: bool,
    /// How deep binders are nested here.
    depth: u32,
}

impl Names {
    /// No names yet; those that nothing declares are symbols.
    pub fn open() -> Names {
        Names { open: true, ..Names::default() }
    }

    /// The names of a data specification, and symbols for others only if it is `open`.
    pub fn of(signature: Signature, open: bool) -> Names {
        Names { signature, open, ..Names::default() }
    }

    /// Declares a data variable and makes it visible.
    pub fn bind(&mut self, name: &str, sort: Sort) -> u32 {
        let slot = self.slots.len() as u32;
        self.slots.push(SlotInfo { name: name.to_owned(), sort });
        self.visible.entry(name.to_owned()).or_default().push(slot);
        slot
    }

    /// Makes a data variable visible again.
    pub fn show(&mut self, slot: u32) {
        let name = self.slots[slot as usize].name.clone();
        self.visible.entry(name).or_default().push(slot);
    }

    /// Makes a data variable invisible.
    pub fn hide(&mut self, slot: u32) {
        let name = &self.slots[slot as usize].name;
        if let Some(slots) = self.visible.get_mut(name)
            && let Some(at) = slots.iter().rposition(|&s| s == slot)
        {
            slots.remove(at);
        }
    }

    /// The data variable that a name means here.
    pub fn lookup(&self, name: &str) -> Option<u32> {
        self.visible.get(name)?.last().copied()
    }

    /// Whether a name is a variable here, or one of the specification's functions.
    fn is_declared(&self, name: &str) -> bool {
        let functions = &self.signature.functions;
        self.lookup(name).is_some()
            || self.signature.is_callable(name)
            || functions.iter().any(|f| f.name == name)
    }

    /// A name that is visible and near to one that is not.
    fn near(&self, name: &str) -> Option<String> {
        let mut known: Vec<&str> =
            self.visible.iter().filter(|(_, s)| !s.is_empty()).map(|(n, _)| n.as_str()).collect();
        for enumeration in &self.signature.enumerations {
            known.extend(enumeration.elements.iter().map(|&e| self.signature.symbol_name(e)));
        }
        known.extend(self.signature.functions.iter().map(|f| f.name.as_str()));
        known.sort_unstable();
        source::suggest(name, known).map(str::to_owned)
    }

    /// Reads an expression of a sort that `expected` accepts.
    pub fn expr_of(&mut self, lexer: &mut Lexer<'_>, expected: Sort) -> Result<Expr, SyntaxError> {
        let start = lexer.span();
        let expr = self.expr(lexer)?;
        self.accept(expected, expr.sort, Span::new(start.start, lexer.last_end()))?;
        Ok(expr)
    }

    /// Checks that an expression fits.
    pub fn accept(&self, expected: Sort, found: Sort, span: Span) -> Result<(), SyntaxError> {
        if self.signature.accepts(expected, found) {
            return Ok(());
        }
        let found = self.signature.sort_name(found);
        let expected = self.signature.sort_name(expected);
        Err(SyntaxError::new(SyntaxErrorKind::Sort { found, expected }, span))
    }

    /// Reads an expression, up to the first token that cannot go on with it.
    pub fn expr(&mut self, lexer: &mut Lexer<'_>) -> Result<Expr, SyntaxError> {
        self.expr_within(lexer, Extent::Whole)
    }

    /// Reads an expression that ends at the first connective outside of brackets: in CADP's
    /// formulas, it may be one of formulas.
    pub fn condition(&mut self, lexer: &mut Lexer<'_>) -> Result<Expr, SyntaxError> {
        self.expr_within(lexer, Extent::Comparison)
    }

    /// Reads an expression that ends at a `>` or a word that is no operator: in CADP's offers, a
    /// comparison needs parentheses.
    pub fn operand(&mut self, lexer: &mut Lexer<'_>) -> Result<Expr, SyntaxError> {
        self.expr_within(lexer, Extent::Operand)
    }

    /// Reads an expression in a text of its own, such as a value in a label.
    pub fn whole(&mut self, text: &str) -> Result<Expr, SyntaxError> {
        parse_expr(text, Dialect::Mcrl2, self)
    }

    fn expr_within(&mut self, lexer: &mut Lexer<'_>, extent: Extent) -> Result<Expr, SyntaxError> {
        let single = extent == Extent::Operand;
        let mut run = Run {
            names: self,
            code: Vec::new(),
            operands: Vec::new(),
            pending: Vec::new(),
            brackets: 0,
            later: Vec::new(),
        };
        'operand: loop {
            if !run.begin(lexer)? {
                continue;
            }
            // After an operand.
            loop {
                let span = lexer.span();
                let nested = run.brackets > 0;
                if run.postfix(lexer, single)? {
                    continue 'operand;
                }
                if let Some((op, two)) = operator(lexer, run.names.sides && !nested)
                    && (nested || extent.admits(op))
                {
                    let cadp = lexer.dialect() == Dialect::Cadp;
                    let (level, right) = level_of(op, cadp).unwrap_or((0, false));
                    run.reduce(cadp, |l| l > level || (l == level && !right))?;
                    run.lazy(op);
                    run.pending.push((Pending::Binary(op, run.code.len()), span));
                    lexer.advance()?;
                    if two {
                        lexer.advance()?;
                    }
                    continue 'operand;
                }
                let cadp = lexer.dialect() == Dialect::Cadp;
                if lexer.is_word("whr") && !cadp {
                    run.reduce(cadp, |_| true)?;
                    run.whr(lexer)?;
                    continue;
                }
                if nested {
                    run.reduce(cadp, |_| true)?;
                    if run.between(lexer)? {
                        continue 'operand;
                    }
                    lexer.advance()?;
                    run.close(span)?;
                    continue;
                }
                run.reduce(cadp, |_| true)?;
                if let Some((name, _, at)) = run.later.first() {
                    let near = run.names.near(name);
                    let (what, name) = ("data variable", name.clone());
                    let kind = SyntaxErrorKind::Unknown { what, name, near };
                    return Err(SyntaxError::new(kind, *at));
                }
                let operand = run.operands.pop().expect("an operand was read last");
                return Ok(Expr { code: run.code, sort: operand.sort });
            }
        }
    }
}

/// How far an expression reaches.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// As far as it can.
    Whole,
    /// To a connective.
    Comparison,
    /// To any operator.
    Operand,
}

impl Extent {
    fn admits(self, op: Binary) -> bool {
        match self {
            Extent::Whole => true,
            Extent::Comparison => !matches!(op, Binary::And | Binary::Or | Binary::Imply),
            Extent::Operand => false,
        }
    }
}

/// Functions that every text may use.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Builtin {
    Unary(Unary),
    Binary(Binary),
    If,
}

fn builtin(name: &str) -> Option<Builtin> {
    Some(match name {
        "if" => Builtin::If,
        "min" => Builtin::Binary(Binary::Min),
        "max" => Builtin::Binary(Binary::Max),
        "exp" => Builtin::Binary(Binary::Power),
        "count" => Builtin::Binary(Binary::Count),
        "abs" => Builtin::Unary(Unary::Abs),
        "succ" => Builtin::Unary(Unary::Succ),
        "pred" => Builtin::Unary(Unary::Pred),
        "Int2Nat" | "Pos2Nat" | "Real2Nat" => Builtin::Unary(Unary::ToNat),
        "Int2Pos" | "Nat2Pos" | "Real2Pos" => Builtin::Unary(Unary::ToPos),
        "Nat2Int" | "Pos2Int" | "Real2Int" => Builtin::Unary(Unary::ToInt),
        "Nat2Real" | "Pos2Real" | "Int2Real" => Builtin::Unary(Unary::ToReal),
        "head" => Builtin::Unary(Unary::Head),
        "tail" => Builtin::Unary(Unary::Tail),
        "rhead" => Builtin::Unary(Unary::LastOf),
        "rtail" => Builtin::Unary(Unary::FrontOf),
        "floor" => Builtin::Unary(Unary::Floor),
        "ceil" => Builtin::Unary(Unary::Ceiling),
        "round" => Builtin::Unary(Unary::Round),
        "Set2Bag" => Builtin::Unary(Unary::SetToBag),
        "Bag2Set" => Builtin::Unary(Unary::BagToSet),
        _ => return None,
    })
}

/// The operator that stands here, and whether it is written as two tokens.
fn operator(lexer: &Lexer<'_>, sides: bool) -> Option<(Binary, bool)> {
    let mcrl2 = lexer.dialect() == Dialect::Mcrl2;
    let one = match lexer.token() {
        Token::Mark(mark) => match mark {
            "=>" => Binary::Imply,
            "||" => Binary::Or,
            "&&" => Binary::And,
            "=" if sides => return None,
            "==" | "=" => Binary::Equal,
            "!=" | "<>" => Binary::Unequal,
            "<" if mcrl2 && lexer.followed_by(b'|') => return Some((Binary::Append, true)),
            "<" => Binary::Less,
            "<=" => Binary::AtMost,
            ">" => Binary::Greater,
            ">=" => Binary::AtLeast,
            "|" if mcrl2 && lexer.followed_by(b'>') => return Some((Binary::Prepend, true)),
            "+" if mcrl2 && lexer.followed_by(b'+') => return Some((Binary::Concatenate, true)),
            "+" => Binary::Add,
            "-" => Binary::Subtract,
            "*" => Binary::Multiply,
            "/" => Binary::Quotient,
            "." if mcrl2 => Binary::At,
            _ => return None,
        },
        Token::Name => match lexer.text() {
            "div" => Binary::Divide,
            "mod" => Binary::Modulo,
            "in" if mcrl2 => Binary::In,
            "and" => Binary::And,
            "or" => Binary::Or,
            "implies" => Binary::Imply,
            _ => return None,
        },
        _ => return None,
    };
    Some((one, false))
}

pub(crate) enum Pending {
    Open,
    Prefix(Unary),
    /// An operator, and the code before its second operand.
    Binary(Binary, usize),
    /// A function that every text may use, its arguments so far but the last, and for `if` where
    /// the marks between them stand.
    Builtin(Builtin, usize, [usize; 2]),
    /// A declared name, and its arguments so far but the last.
    Named(String, usize),
    /// A function value, and its arguments so far but the last.
    Call(usize),
    /// A list, a set or a bag, and its elements so far but the last.
    List(usize),
    Set(usize),
    Bag(usize),
    /// `f[x -> y]`: before the arrow, and after.
    Update(bool),
}

/// A result of the code so far.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) sort: Sort,
    pub(crate) span: Span,
    /// Where its code begins.
    pub(crate) from: usize,
}

pub(crate) struct Run<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) code: Vec<Instr>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) pending: Vec<(Pending, Span)>,
    /// How many pending ones are brackets.
    pub(crate) brackets: usize,
    /// Names that a `whr` further on must declare, their slots and places.
    later: Vec<(String, u32, Span)>,
}

impl Run<'_> {
    pub(crate) fn open(&mut self, pending: Pending, span: Span) {
        self.pending.push((pending, span));
        self.brackets += 1;
    }

    pub(crate) fn constant(&mut self, value: Value, sort: Sort, span: Span) {
        self.push(Instr::Value(value), 0, sort, span);
    }

    /// Adds a step that replaces the last `n` results.
    pub(crate) fn push(&mut self, instr: Instr, n: usize, sort: Sort, span: Span) {
        let at = self.operands.len() - n;
        let from = self.operands.get(at).map_or(self.code.len(), |first| first.from);
        self.operands.truncate(at);
        self.code.push(instr);
        self.operands.push(Operand { sort, span, from });
    }

    pub(crate) fn fresh_composite(&mut self, composite: Composite) -> Sort {
        self.names.signature.composite(composite)
    }

    /// Reads the beginning of an operand; whether it is whole.
    fn begin(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, SyntaxError> {
        let span = lexer.span();
        let mcrl2 = lexer.dialect() == Dialect::Mcrl2;
        match lexer.token() {
            Token::Mark("(") => {
                self.open(Pending::Open, span);
                lexer.advance()?;
                Ok(false)
            }
            Token::Mark(mark @ ("!" | "-" | "#")) if mark != "#" || mcrl2 => {
                let op = match mark {
                    "!" => Unary::Not,
                    "-" => Unary::Negate,
                    _ => Unary::Size,
                };
                self.pending.push((Pending::Prefix(op), span));
                lexer.advance()?;
                Ok(false)
            }
            Token::Number => {
                let number: i64 = lexer
                    .text()
                    .parse()
                    .map_err(|_| SyntaxError::new(SyntaxErrorKind::Number, span))?;
                lexer.advance()?;
                let sort = if number > 0 { Sort::Pos } else { Sort::Nat };
                self.constant(Value::Int(number), sort, span);
                Ok(true)
            }
            Token::Mark("[") if mcrl2 => {
                lexer.advance()?;
                if lexer.take("]")? {
                    let sort = self.fresh_composite(Composite::List(Sort::Unknown));
                    self.push(Instr::List(0), 0, sort, span);
                    return Ok(true);
                }
                self.open(Pending::List(0), span);
                Ok(false)
            }
            Token::Mark("{") if mcrl2 => self.braces(lexer),
            Token::Mark("{" | "[") => {
                let what = "sets, bags and lists".to_owned();
                Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span))
            }
            Token::Name => self.word(lexer),
            Token::Text if !mcrl2 => {
                // A string is a name, with its quotes.
                let symbol = self.names.signature.symbol(lexer.text());
                lexer.advance()?;
                self.constant(Value::Symbol(symbol), Sort::Var, span);
                Ok(true)
            }
            _ => Err(lexer.unexpected("an expression")),
        }
    }

    fn word(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, SyntaxError> {
        let (span, name) = (lexer.span(), lexer.text());
        let mcrl2 = lexer.dialect() == Dialect::Mcrl2;
        match name {
            "true" | "false" => {
                lexer.advance()?;
                self.constant(Value::Bool(name == "true"), Sort::Bool, span);
                return Ok(true);
            }
            // In mCRL2, where negation is a mark, it is a name like others.
            "not" if !(mcrl2 && self.names.is_declared(name)) => {
                self.pending.push((Pending::Prefix(Unary::Not), span));
                lexer.advance()?;
                return Ok(false);
            }
            "forall" | "exists" | "lambda" if lexer.dialect() == Dialect::Mcrl2 => {
                lexer.advance()?;
                self.binder(name, lexer, span)?;
                return Ok(true);
            }
            "forall" | "exists" | "lambda" => {
                let what = format!("`{name}` inside data");
                return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
            }
            _ => {}
        }
        lexer.advance()?;
        if lexer.is("(") && self.names.lookup(name).is_none() {
            let pending = if self.names.signature.is_callable(name) {
                Pending::Named(name.to_owned(), 0)
            } else if let Some(builtin) = builtin(name) {
                Pending::Builtin(builtin, 0, [0; 2])
            } else if self.names.signature.functions.iter().any(|f| f.name == name) {
                // A constant that is a function.
                self.name(name, span, lexer)?;
                return Ok(true);
            } else {
                let what = format!("the function `{name}`");
                return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
            };
            lexer.advance()?;
            self.open(pending, span);
            return Ok(false);
        }
        self.name(name, span, lexer)?;
        Ok(true)
    }

    /// A name without arguments.
    fn name(&mut self, name: &str, span: Span, lexer: &Lexer<'_>) -> Result<(), SyntaxError> {
        if let Some(slot) = self.names.lookup(name) {
            let sort = self.names.slots[slot as usize].sort;
            self.push(Instr::Slot(slot), 0, sort, span);
            return Ok(());
        }
        let signature = &mut self.names.signature;
        let declared = signature.find(name).filter(|&s| signature.sort_of_symbol(s) != Sort::Var);
        if declared.is_none()
            && let Some(number) = signature.functions.iter().position(|f| f.name == name)
        {
            let function = &signature.functions[number];
            let (domain, range) = (function.domain.clone(), function.range);
            let sort = match domain.is_empty() {
                true => range,
                false => self.fresh_composite(Composite::Function(domain, range)),
            };
            self.push(Instr::Apply(number as u32, 0), 0, sort, span);
            return Ok(());
        }
        let symbol = match declared {
            Some(symbol) => symbol,
            None if self.names.open => signature.symbol(name),
            None if lexer.dialect() == Dialect::Mcrl2 && lexer.ahead("whr") => {
                let slot = self.names.bind(name, Sort::Unknown);
                self.later.push((name.to_owned(), slot, span));
                self.push(Instr::Slot(slot), 0, Sort::Unknown, span);
                return Ok(());
            }
            None => {
                let near = self.names.near(name);
                let (what, name) = ("data variable", name.to_owned());
                let kind = SyntaxErrorKind::Unknown { what, name, near };
                return Err(SyntaxError::new(kind, span));
            }
        };
        let sort = self.names.signature.sort_of_symbol(symbol);
        self.constant(Value::Symbol(symbol), sort, span);
        Ok(())
    }

    /// After `lambda`, `forall` or `exists`.
    fn binder(&mut self, word: &str, lexer: &mut Lexer<'_>, span: Span) -> Result<(), SyntaxError> {
        let slots = self.names.declarations(lexer)?;
        lexer.expect(".", "`.`")?;
        let body = self.body(lexer, span)?;
        slots.iter().for_each(|&slot| self.names.hide(slot));
        let span = Span::new(span.start, lexer.last_end());
        if word == "lambda" {
            let sorts = slots.iter().map(|&s| self.names.slots[s as usize].sort).collect();
            let sort = self.fresh_composite(Composite::Function(sorts, body.sort));
            let inner = self.names.inner(slots, body);
            self.push(Instr::Bind(Bound::Lambda, inner), 0, sort, span);
            return Ok(());
        }
        self.names.accept(Sort::Bool, body.sort, span)?;
        let kind = if word == "forall" { Bound::Forall } else { Bound::Exists };
        let mut body = body;
        for &slot in slots.iter().rev() {
            let inner = self.names.inner(vec![slot], body);
            body = Expr { code: vec![Instr::Bind(kind, inner)], sort: Sort::Bool };
        }
        let instr = body.code[0];
        self.push(instr, 0, Sort::Bool, span);
        Ok(())
    }

    /// An expression of its own, for a binder.
    fn body(&mut self, lexer: &mut Lexer<'_>, span: Span) -> Result<Expr, SyntaxError> {
        self.names.depth += 1;
        if self.names.depth > MOST_BINDERS {
            let what = "binders inside data are nested too deeply".to_owned();
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        }
        let body = self.names.expr(lexer);
        self.names.depth -= 1;
        body
    }

    /// After an operand, at `{`: a set, a bag, or a comprehension.
    fn braces(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, SyntaxError> {
        let span = lexer.span();
        lexer.advance()?;
        if lexer.take("}")? {
            let sort = self.fresh_composite(Composite::Set(Sort::Unknown));
            self.push(Instr::Set(0), 0, sort, span);
            return Ok(true);
        }
        if lexer.is(":") {
            lexer.advance()?;
            lexer.expect("}", "`}`")?;
            let sort = self.fresh_composite(Composite::Bag(Sort::Unknown));
            self.push(Instr::Bag(0), 0, sort, span);
            return Ok(true);
        }
        if lexer.token() == Token::Name {
            // `{ x: S | b }`, or the first element of a bag: `{ x: 2 }`.
            let mut ahead = lexer.clone();
            let (name, _) = ahead.name("a name")?;
            if ahead.take(":")?
                && let Ok(sort) = self.names.sort(&mut ahead)
                && ahead.is("|")
            {
                *lexer = ahead;
                lexer.advance()?;
                let slot = self.names.bind(name, sort);
                let body = self.body(lexer, span)?;
                self.names.hide(slot);
                lexer.expect("}", "an operator or `}`")?;
                self.names.accept(Sort::Bool, body.sort, span)?;
                let inner = self.names.inner(vec![slot], body);
                let sort = self.fresh_composite(Composite::Set(sort));
                self.push(Instr::Bind(Bound::SetOf, inner), 0, sort, span);
                return Ok(true);
            }
        }
        self.open(Pending::Set(0), span);
        Ok(false)
    }

    /// After an operand: arguments, or a function's update; whether an operand must follow.
    fn postfix(&mut self, lexer: &mut Lexer<'_>, single: bool) -> Result<bool, SyntaxError> {
        if lexer.dialect() == Dialect::Cadp || single {
            return Ok(false);
        }
        let span = lexer.span();
        // Prefixes bind less: `!f(x)`, `#l[…]`.
        if lexer.is("(") {
            lexer.advance()?;
            self.open(Pending::Call(0), span);
            return Ok(true);
        }
        let sort = self.operands.last().map_or(Sort::Unknown, |o| o.sort);
        let function = sort == Sort::Unknown
            || matches!(self.names.signature.as_composite(sort), Some(Composite::Function(..)));
        if function && lexer.is("[") {
            lexer.advance()?;
            self.open(Pending::Update(false), span);
            return Ok(true);
        }
        Ok(false)
    }

    /// Between the elements of a bracket; whether an operand must follow. Otherwise the bracket
    /// ends here.
    fn between(&mut self, lexer: &mut Lexer<'_>) -> Result<bool, SyntaxError> {
        let at = self.code.len();
        let Some((pending, _)) = self.pending.last_mut() else {
            return Err(lexer.unexpected("an operator"));
        };
        let comma = lexer.is(",");
        let (end, found) = match pending {
            Pending::Open => (")", false),
            Pending::Builtin(builtin, count, marks) => {
                if comma && *builtin == Builtin::If && *count < 2 {
                    let mark = if *count == 0 { Instr::Branch(0, 0) } else { Instr::Jump(0) };
                    self.code.push(mark);
                    marks[*count] = at;
                }
                *count += usize::from(comma);
                (")", comma)
            }
            Pending::Named(_, count) | Pending::Call(count) => {
                *count += usize::from(comma);
                (")", comma)
            }
            Pending::List(count) => {
                *count += usize::from(comma);
                ("]", comma)
            }
            Pending::Set(count) => {
                if *count == 0 && lexer.is(":") {
                    *pending = Pending::Bag(1);
                    lexer.advance()?;
                    return Ok(true);
                }
                *count += usize::from(comma);
                ("}", comma)
            }
            Pending::Bag(count) => {
                // Elements and numbers in turn.
                let next = if *count % 2 == 0 { lexer.is(":") } else { comma };
                *count += usize::from(next);
                ("}", next)
            }
            Pending::Update(after) => {
                let arrow = !*after && lexer.is("->");
                *after |= arrow;
                ("]", arrow)
            }
            Pending::Prefix(_) | Pending::Binary(..) => (")", false),
        };
        if found {
            lexer.advance()?;
            return Ok(true);
        }
        let whole = match pending {
            Pending::Update(after) => *after,
            Pending::Bag(count) => *count % 2 == 1,
            _ => true,
        };
        if !lexer.is(end) || !whole {
            return Err(lexer.unexpected(match end {
                ")" => "an operator or `)`",
                "]" => "an operator or `]`",
                _ => "an operator or `}`",
            }));
        }
        Ok(false)
    }

    /// Before the second operand of a connective.
    fn lazy(&mut self, op: Binary) {
        if matches!(op, Binary::And | Binary::Or | Binary::Imply) {
            self.code.push(Instr::Lazy(op, 0));
        }
    }

    /// Applies pending operators down to the next bracket, as long as their level fits.
    fn reduce(&mut self, cadp: bool, fits: impl Fn(u8) -> bool) -> Result<(), SyntaxError> {
        while let Some((pending, span)) = self.pending.last() {
            match *pending {
                Pending::Prefix(op) => {
                    let span = *span;
                    self.pending.pop();
                    self.unary(op, span)?;
                }
                Pending::Binary(op, from) => {
                    if !fits(level_of(op, cadp).map_or(0, |(level, _)| level)) {
                        break;
                    }
                    self.pending.pop();
                    self.binary(op)?;
                    let end = self.code.len();
                    if let Some(Instr::Lazy(_, by)) = self.code.get_mut(from.wrapping_sub(1)) {
                        *by = (end - from) as u32;
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// At `whr`: the last operand is the body.
    fn whr(&mut self, lexer: &mut Lexer<'_>) -> Result<(), SyntaxError> {
        let span = lexer.span();
        let body = self.operands.pop().expect("an operand was read");
        let code = self.code.split_off(body.from);
        lexer.advance()?;
        let sides = std::mem::replace(&mut self.names.sides, true);
        let mut slots = Vec::new();
        loop {
            let (name, at) = lexer.name("a name")?;
            lexer.expect("=", "`=`")?;
            let value = self.body(lexer, span)?;
            let from = self.code.len();
            let slot = match self.later.iter().position(|(later, ..)| later == name) {
                Some(found) => {
                    let slot = self.later[found].1;
                    self.later.retain(|(later, ..)| later != name);
                    self.names.slots[slot as usize].sort = value.sort;
                    slot
                }
                // Not used, or it hides one from outside, which the body means.
                None => {
                    if self.names.lookup(name).is_some() {
                        let what = format!("`whr` for the name `{name}` that means something else");
                        return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), at));
                    }
                    self.names.bind(name, value.sort)
                }
            };
            self.names.hide(slot);
            slots.push(slot);
            self.operands.push(Operand { sort: value.sort, span: at, from });
            self.code.extend(value.code);
            if !lexer.take(",")? {
                break;
            }
        }
        self.names.sides = sides;
        if !lexer.take_word("end")? {
            return Err(lexer.unexpected("`,` or `end`"));
        }
        let count = slots.len();
        let inner = self.names.inner(slots, Expr { code, sort: body.sort });
        self.push(Instr::Where(inner, count as u32), count, body.sort, body.span.to(span));
        Ok(())
    }
}

impl Names {
    /// Adds the body of a binder.
    fn inner(&mut self, slots: Vec<u32>, body: Expr) -> u32 {
        let mut free: Vec<u32> = body.slots(&self.signature).collect();
        let mut size = slots.iter().chain(&free).max().map_or(0, |&slot| slot + 1);
        for instr in &body.code {
            if let Instr::Bind(_, inner) | Instr::Where(inner, _) = instr {
                size = size.max(self.signature.inner[*inner as usize].size);
            }
        }
        free.retain(|slot| !slots.contains(slot));
        free.sort_unstable();
        free.dedup();
        let info = |slot: &u32| &self.slots[*slot as usize];
        let (sorts, names) = (
            slots.iter().map(|s| info(s).sort).collect(),
            slots.iter().map(|s| info(s).name.clone()).collect(),
        );
        self.signature.inner.push(Inner { slots, sorts, names, free, size, body });
        self.signature.inner.len() as u32 - 1
    }
}

/// Reads one expression and nothing else.
pub fn parse_expr(text: &str, dialect: Dialect, names: &mut Names) -> Result<Expr, SyntaxError> {
    let mut lexer = Lexer::new(text, dialect)?;
    let expr = names.expr(&mut lexer)?;
    match lexer.token() {
        Token::End => Ok(expr),
        _ => Err(lexer.unexpected("an operator")),
    }
}
