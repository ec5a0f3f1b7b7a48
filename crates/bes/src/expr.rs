//! Reading data expressions, by operator precedence with an explicit stack.

use rustc_hash::FxHashMap;
use source::Span;

use crate::data::{Binary, Expr, Instr, Signature, Sort, Unary, Value, level_of};
use crate::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};

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
    visible: FxHashMap<String, Vec<u32>>,
}

impl Names {
    /// No names yet; those that nothing declares are symbols.
    pub fn open() -> Names {
        Names { open: true, ..Names::default() }
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

    /// A name that is visible and near to one that is not.
    fn near(&self, name: &str) -> Option<String> {
        let mut known: Vec<&str> =
            self.visible.iter().filter(|(_, s)| !s.is_empty()).map(|(n, _)| n.as_str()).collect();
        for enumeration in &self.signature.enumerations {
            known.extend(enumeration.elements.iter().map(|&e| self.signature.symbol_name(e)));
        }
        known.sort_unstable();
        source::suggest(name, known).map(str::to_owned)
    }

    /// The sort of a name in the text; `lexer` stands at it, and goes past it.
    pub fn sort(&self, lexer: &mut Lexer<'_>) -> Result<Sort, SyntaxError> {
        let (name, span) = lexer.name("a sort")?;
        let Some(sort) = self.signature.sort(name) else {
            let kind = match name {
                "Real" | "List" | "Set" | "Bag" | "FSet" | "FBag" | "struct" | "real"
                | "string" | "natset" => SyntaxErrorKind::Unsupported(format!("the sort `{name}`")),
                _ => {
                    let known = self.signature.enumerations.iter().map(|e| e.name.as_str());
                    let known = known.chain(["Bool", "Nat", "Pos", "Int", "Var"]);
                    let near = source::suggest(name, known).map(str::to_owned);
                    SyntaxErrorKind::Unknown { what: "sort", name: name.to_owned(), near }
                }
            };
            return Err(SyntaxError::new(kind, span));
        };
        if lexer.is("->") || lexer.is("#") {
            let kind = SyntaxErrorKind::Unsupported("a sort of functions".to_owned());
            return Err(SyntaxError::new(kind, lexer.span()));
        }
        Ok(sort)
    }

    /// Declares enumerations, `E = struct a | b | c;` and so on, up to the next section.
    pub fn sorts(&mut self, lexer: &mut Lexer<'_>, sections: &[&str]) -> Result<(), SyntaxError> {
        while lexer.token() == Token::Name && !sections.contains(&lexer.text()) {
            let (name, span) = lexer.name("a sort")?;
            if self.signature.sort(name).is_some() {
                let kind = SyntaxErrorKind::Twice { what: "sort", name: name.to_owned() };
                return Err(SyntaxError::new(kind, span));
            }
            lexer.expect("=", "`=`")?;
            let span = lexer.span();
            if !lexer.take_word("struct")? {
                let kind = SyntaxErrorKind::Unsupported("a sort that is no enumeration".to_owned());
                return Err(SyntaxError::new(kind, span));
            }
            let mut elements = Vec::new();
            let mut spans = Vec::new();
            loop {
                let (element, span) = lexer.name("an element")?;
                elements.push(element);
                spans.push(span);
                if lexer.is("(") || lexer.is("?") {
                    let what = "a constructor with arguments or a recogniser".to_owned();
                    let kind = SyntaxErrorKind::Unsupported(what);
                    return Err(SyntaxError::new(kind, lexer.span()));
                }
                if !lexer.take("|")? {
                    break;
                }
            }
            lexer.expect(";", "`|` or `;`")?;
            if let Err(i) = self.signature.declare(name, &elements) {
                let (what, name) = ("element", elements[i].to_owned());
                return Err(SyntaxError::new(SyntaxErrorKind::Twice { what, name }, spans[i]));
            }
        }
        Ok(())
    }

    /// Declares data variables, `x, y: D, z: E`; they are visible from here on.
    pub fn declarations(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<u32>, SyntaxError> {
        let mut slots = Vec::new();
        loop {
            let mut list = vec![lexer.name("a data variable")?];
            while lexer.take(",")? {
                list.push(lexer.name("a data variable")?);
            }
            lexer.expect(":", "`,` or `:`")?;
            let sort = self.sort(lexer)?;
            slots.extend(list.into_iter().map(|(name, _)| self.bind(name, sort)));
            if !lexer.take(",")? {
                return Ok(slots);
            }
        }
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
        if expected.accepts(found) {
            return Ok(());
        }
        let found = self.signature.sort_name(found).to_owned();
        let expected = self.signature.sort_name(expected).to_owned();
        Err(SyntaxError::new(SyntaxErrorKind::Sort { found, expected }, span))
    }

    /// Reads an expression, up to the first token that cannot go on with it.
    pub fn expr(&mut self, lexer: &mut Lexer<'_>) -> Result<Expr, SyntaxError> {
        self.expr_within(lexer, false)
    }

    /// Reads an expression that ends at a `>` or a word that is no operator: in CADP's offers, a
    /// comparison needs parentheses.
    pub fn operand(&mut self, lexer: &mut Lexer<'_>) -> Result<Expr, SyntaxError> {
        self.expr_within(lexer, true)
    }

    fn expr_within(&mut self, lexer: &mut Lexer<'_>, single: bool) -> Result<Expr, SyntaxError> {
        let mut run = Run {
            names: self,
            code: Vec::new(),
            operands: Vec::new(),
            pending: Vec::new(),
            brackets: 0,
        };
        'operand: loop {
            let span = lexer.span();
            match lexer.token() {
                Token::Mark("(") => {
                    run.pending.push((Pending::Open, span));
                    run.brackets += 1;
                    lexer.advance()?;
                    continue;
                }
                Token::Mark("!") => {
                    run.pending.push((Pending::Prefix(Unary::Not), span));
                    lexer.advance()?;
                    continue;
                }
                Token::Mark("-") => {
                    run.pending.push((Pending::Prefix(Unary::Negate), span));
                    lexer.advance()?;
                    continue;
                }
                Token::Number => {
                    let number: i64 = lexer
                        .text()
                        .parse()
                        .map_err(|_| SyntaxError::new(SyntaxErrorKind::Number, span))?;
                    lexer.advance()?;
                    let sort = if number > 0 { Sort::Pos } else { Sort::Nat };
                    run.constant(Value::Int(number), sort, span);
                }
                Token::Name => {
                    let name = lexer.text();
                    match name {
                        "true" | "false" => {
                            lexer.advance()?;
                            run.constant(Value::Bool(name == "true"), Sort::Bool, span);
                        }
                        "not" => {
                            run.pending.push((Pending::Prefix(Unary::Not), span));
                            lexer.advance()?;
                            continue;
                        }
                        "forall" | "exists" | "lambda" => {
                            let what = format!("`{name}` inside data");
                            return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
                        }
                        _ => {
                            lexer.advance()?;
                            if lexer.is("(") {
                                let function = function(name).ok_or_else(|| {
                                    let what = format!("the function `{name}`");
                                    SyntaxError::new(SyntaxErrorKind::Unsupported(what), span)
                                })?;
                                lexer.advance()?;
                                run.pending.push((Pending::Call(function, 0), span));
                                run.brackets += 1;
                                continue;
                            }
                            run.name(name, span)?;
                        }
                    }
                }
                Token::Mark("{" | "[") => {
                    let what = "sets, bags and lists".to_owned();
                    return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
                }
                _ => return Err(lexer.unexpected("an expression")),
            }
            // After an operand.
            loop {
                let span = lexer.span();
                let nested = run.brackets > 0;
                if let Some(op) = operator(lexer)
                    && (!single || nested)
                {
                    let (level, right) = level_of(op).unwrap_or((0, false));
                    run.reduce(|l| l > level || (l == level && !right))?;
                    run.pending.push((Pending::Binary(op), span));
                    lexer.advance()?;
                    continue 'operand;
                }
                if nested && lexer.is(")") {
                    run.reduce(|_| true)?;
                    lexer.advance()?;
                    run.close(span)?;
                    continue;
                }
                if nested && lexer.is(",") {
                    run.reduce(|_| true)?;
                    if let Some((Pending::Call(_, count), _)) = run.pending.last_mut() {
                        *count += 1;
                        lexer.advance()?;
                        continue 'operand;
                    }
                    return Err(lexer.unexpected("`)`"));
                }
                if nested {
                    return Err(lexer.unexpected("an operator or `)`"));
                }
                if lexer.is("->") || lexer.is_word("in") || lexer.is_word("whr") {
                    let what = format!("`{}` in data", lexer.text());
                    return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
                }
                run.reduce(|_| true)?;
                let (sort, _) = run.operands.pop().expect("an operand was read last");
                return Ok(Expr { code: run.code, sort });
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Function {
    Unary(Unary),
    Binary(Binary),
    If,
}

fn function(name: &str) -> Option<Function> {
    Some(match name {
        "if" => Function::If,
        "min" => Function::Binary(Binary::Min),
        "max" => Function::Binary(Binary::Max),
        "abs" => Function::Unary(Unary::Abs),
        "succ" => Function::Unary(Unary::Succ),
        "pred" => Function::Unary(Unary::Pred),
        "Int2Nat" | "Pos2Nat" => Function::Unary(Unary::ToNat),
        "Int2Pos" | "Nat2Pos" => Function::Unary(Unary::ToPos),
        "Nat2Int" | "Pos2Int" => Function::Unary(Unary::ToInt),
        _ => return None,
    })
}

fn operator(lexer: &Lexer<'_>) -> Option<Binary> {
    Some(match lexer.token() {
        Token::Mark(mark) => match mark {
            "=>" => Binary::Imply,
            "||" => Binary::Or,
            "&&" => Binary::And,
            "==" | "=" => Binary::Equal,
            "!=" | "<>" => Binary::Unequal,
            "<" => Binary::Less,
            "<=" => Binary::AtMost,
            ">" => Binary::Greater,
            ">=" => Binary::AtLeast,
            "+" => Binary::Add,
            "-" => Binary::Subtract,
            "*" => Binary::Multiply,
            _ => return None,
        },
        Token::Name => match lexer.text() {
            "div" => Binary::Divide,
            "mod" => Binary::Modulo,
            "and" => Binary::And,
            "or" => Binary::Or,
            "implies" => Binary::Imply,
            _ => return None,
        },
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Pending {
    Open,
    Prefix(Unary),
    Binary(Binary),
    /// A function, and its arguments so far but the last.
    Call(Function, usize),
}

struct Run<'a> {
    names: &'a mut Names,
    code: Vec<Instr>,
    /// Sorts and places of the results that the code leaves.
    operands: Vec<(Sort, Span)>,
    pending: Vec<(Pending, Span)>,
    /// How many pending ones are brackets.
    brackets: usize,
}

impl Run<'_> {
    fn constant(&mut self, value: Value, sort: Sort, span: Span) {
        self.code.push(Instr::Value(value));
        self.operands.push((sort, span));
    }

    fn name(&mut self, name: &str, span: Span) -> Result<(), SyntaxError> {
        if let Some(slot) = self.names.lookup(name) {
            self.code.push(Instr::Slot(slot));
            self.operands.push((self.names.slots[slot as usize].sort, span));
            return Ok(());
        }
        let signature = &mut self.names.signature;
        let declared = signature.find(name).filter(|&s| signature.sort_of_symbol(s) != Sort::Var);
        let symbol = match declared {
            Some(symbol) => symbol,
            None if self.names.open => signature.symbol(name),
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

    /// Applies pending operators down to the next bracket, as long as their level fits.
    fn reduce(&mut self, fits: impl Fn(u8) -> bool) -> Result<(), SyntaxError> {
        while let Some(&(pending, span)) = self.pending.last() {
            match pending {
                Pending::Open | Pending::Call(..) => break,
                Pending::Prefix(op) => {
                    self.pending.pop();
                    self.unary(op, span)?;
                }
                Pending::Binary(op) => {
                    if !fits(level_of(op).map_or(0, |(level, _)| level)) {
                        break;
                    }
                    self.pending.pop();
                    self.binary(op)?;
                }
            }
        }
        Ok(())
    }

    fn unary(&mut self, op: Unary, span: Span) -> Result<(), SyntaxError> {
        let (sort, at) = self.operands.pop().expect("an operator has its operand");
        let span = span.to(at);
        let result = match op {
            Unary::Not => {
                self.names.accept(Sort::Bool, sort, at)?;
                Sort::Bool
            }
            Unary::Negate | Unary::Pred => {
                self.names.accept(Sort::Int, sort, at)?;
                Sort::Int
            }
            Unary::Abs | Unary::ToNat => {
                self.names.accept(Sort::Int, sort, at)?;
                Sort::Nat
            }
            Unary::Succ | Unary::ToInt => {
                self.names.accept(Sort::Int, sort, at)?;
                sort
            }
            Unary::ToPos => {
                self.names.accept(Sort::Int, sort, at)?;
                Sort::Pos
            }
        };
        self.operands.push((result, span));
        match (op, self.code.last_mut()) {
            // `-0` stays as it is: 0 would be read back with another sort.
            (Unary::Negate, Some(Instr::Value(Value::Int(n)))) if *n > 0 => *n = -*n,
            _ => self.code.push(Instr::Unary(op)),
        }
        Ok(())
    }

    fn binary(&mut self, op: Binary) -> Result<(), SyntaxError> {
        let (b, b_at) = self.operands.pop().expect("an operator has its operands");
        let (a, a_at) = self.operands.pop().expect("an operator has its operands");
        let span = a_at.to(b_at);
        let result = match op {
            Binary::Imply | Binary::Or | Binary::And => {
                self.names.accept(Sort::Bool, a, a_at)?;
                self.names.accept(Sort::Bool, b, b_at)?;
                Sort::Bool
            }
            Binary::Equal | Binary::Unequal => {
                self.names.accept(a, b, b_at)?;
                Sort::Bool
            }
            _ => {
                self.names.accept(Sort::Int, a, a_at)?;
                self.names.accept(Sort::Int, b, b_at)?;
                match op {
                    Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => Sort::Bool,
                    Binary::Subtract => Sort::Int,
                    _ if a == Sort::Int || b == Sort::Int => Sort::Int,
                    _ => Sort::Nat,
                }
            }
        };
        self.code.push(Instr::Binary(op));
        self.operands.push((result, span));
        Ok(())
    }

    /// A closing parenthesis was read.
    fn close(&mut self, end: Span) -> Result<(), SyntaxError> {
        let (pending, start) = self.pending.pop().expect("a bracket was seen");
        self.brackets -= 1;
        let Pending::Call(function, before) = pending else {
            return Ok(());
        };
        let given = before + 1;
        let wanted = match function {
            Function::Unary(_) => 1,
            Function::Binary(_) => 2,
            Function::If => 3,
        };
        if given != wanted {
            let name = match function {
                Function::If => "if",
                Function::Binary(Binary::Min) => "min",
                Function::Binary(_) => "max",
                Function::Unary(Unary::Abs) => "abs",
                Function::Unary(Unary::Succ) => "succ",
                Function::Unary(Unary::Pred) => "pred",
                Function::Unary(_) => "a conversion",
            };
            let name = name.to_owned();
            let kind = SyntaxErrorKind::Arguments { name, found: given, expected: wanted };
            return Err(SyntaxError::new(kind, start.to(end)));
        }
        match function {
            Function::Unary(op) => self.unary(op, start)?,
            Function::Binary(op) => self.binary(op)?,
            Function::If => {
                let (no, no_at) = self.operands.pop().expect("three operands");
                let (yes, _) = self.operands.pop().expect("three operands");
                let (condition, at) = self.operands.pop().expect("three operands");
                self.names.accept(Sort::Bool, condition, at)?;
                self.names.accept(yes, no, no_at)?;
                let sort = if yes == no || !yes.is_number() { yes } else { Sort::Int };
                self.code.push(Instr::If);
                self.operands.push((sort, start));
            }
        }
        if let Some(last) = self.operands.last_mut() {
            last.1 = start.to(end);
        }
        Ok(())
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
