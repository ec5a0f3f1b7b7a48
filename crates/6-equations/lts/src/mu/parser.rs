//! From text to formulas, by operator precedence with explicit stacks.

use bes::Sign;
use bes::data::{Expr, Signature, Sort};
use bes::expr::Names;
use bes::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use rustc_hash::FxHashMap;
use source::Span;

use super::blocks::{Around, Block, Next, arm_ahead};
use super::gates::{arguments, gate, multi, plain_gate};
use super::{Action, Binder, Formula, Offer, Ranged, Regular, State, macros};
use crate::regexp::Regexp;

/// Reads a formula in one of the two syntaxes.
///
/// ```
/// use lts::mu::{Dialect, parse};
///
/// let formula = parse("[true*]<!tau>true && nu X. <a>X", Dialect::Mcrl2).unwrap();
/// assert_eq!(formula.to_string(), "[true*]<!tau>true && (nu X. <a>X)");
/// let formula = parse("mu Y (v:Var := x) . (<{ASSIGN ?z:Var !v}> Y (z))", Dialect::Cadp).unwrap();
/// assert_eq!(formula.to_string(), "mu Y (v:Var := x) . < {ASSIGN ?z:Var !v} > Y (z)");
/// ```
pub fn parse(text: &str, dialect: Dialect) -> Result<Formula, SyntaxError> {
    parse_with(text, dialect, None)
}

/// The same with the sorts and functions of a data specification, outside of which no name has a
/// meaning.
///
/// ```
/// use lts::mu::{Dialect, data, parse_with};
///
/// let model = "sort D = struct d1 | d2(Nat); map f: D -> Nat; var n: Nat; eqn f(d2(n)) = n;";
/// let data = data(model).unwrap();
/// let formula = "forall d: D. [a(d)]val(f(d) < 3)";
/// let formula = parse_with(formula, Dialect::Mcrl2, Some(&data)).unwrap();
/// let model = lts::aut::parse("des (0, 1, 2)\n(0, \"a(d2(1))\", 1)\n").unwrap();
/// let mut solver = bes::Solver::new(lts::question(&formula, model, &["tau"]).unwrap());
/// assert_eq!(solver.solve(bes::Method::Auto, &mut |_| true), Ok(true));
/// ```
pub fn parse_with(
    text: &str,
    dialect: Dialect,
    data: Option<&Signature>,
) -> Result<Formula, SyntaxError> {
    let expanded;
    let mut origin = None;
    let mut source = text;
    if dialect == Dialect::Cadp && text.contains("macro") {
        expanded = macros::expand(text)?;
        source = &expanded.text;
        origin = Some(&expanded);
    }
    let back = |error: SyntaxError| match origin {
        Some(origin) => SyntaxError { span: origin.place(error.span), ..error },
        None => error,
    };
    let lexer = Lexer::new(source, dialect).map_err(back)?;
    let names = match data {
        Some(data) => Names::of(data.clone(), false),
        None => Names::open(),
    };
    let mut parser = Parser {
        dialect,
        lexer,
        names,
        states: Vec::new(),
        regulars: Vec::new(),
        actions: Vec::new(),
        binders: Vec::new(),
        visible: FxHashMap::default(),
        loops: 0,
        around: Vec::new(),
        spans: Vec::new(),
    };
    let root = parser.whole().map_err(back)?;
    Ok(Formula {
        dialect,
        signature: parser.names.signature,
        slots: parser.names.slots,
        states: parser.states,
        regulars: parser.regulars,
        actions: parser.actions,
        binders: parser.binders,
        root,
        spans: parser
            .spans
            .into_iter()
            .map(|(n, s)| (n, origin.map_or(s, |o| o.place(s))))
            .collect(),
    })
}

/// Reads the data part of a specification in mCRL2's language; processes are passed over.
pub fn data(text: &str) -> Result<Signature, SyntaxError> {
    let mut lexer = Lexer::new(text, Dialect::Mcrl2)?;
    let mut names = Names::default();
    names.specification(&mut lexer, &["form", "pbes"])?;
    match lexer.token() {
        Token::End => Ok(names.signature),
        _ => Err(lexer.unexpected("`sort`, `cons`, `map`, `var`, `eqn`, `act`, `proc` or `init`")),
    }
}

/// Reads one action formula, for `.blk` systems: nothing but the action is taken from the text.
pub(crate) struct Parser<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) lexer: Lexer<'a>,
    pub(crate) names: Names,
    pub(crate) states: Vec<State>,
    pub(crate) regulars: Vec<Regular>,
    pub(crate) actions: Vec<Action>,
    pub(crate) binders: Vec<Binder>,
    /// Binders that a name means, innermost last.
    visible: FxHashMap<&'a str, Vec<u32>>,
    /// Loops so far, and those around what is read.
    pub(super) loops: u32,
    pub(super) around: Vec<Around>,
    pub(crate) spans: Vec<(u32, Span)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Binary {
    Choice,
    Then,
    Imply,
    Equal,
    Or,
    And,
}

impl Binary {
    /// Levels of regular and action formulas in one row; state formulas use the upper ones.
    fn level(self) -> u8 {
        match self {
            Binary::Choice => 1,
            Binary::Then => 2,
            Binary::Imply | Binary::Equal => 4,
            Binary::Or => 5,
            Binary::And => 6,
        }
    }
}

/// Quantifiers and fixpoints reach as far as they can.
const WIDEST: u8 = 0;
/// Quantifiers over actions reach to the end of the action formula.
const ACTION: u8 = 3;
/// The first level of action formulas.
const ACTIONS: u8 = 4;

enum Pending {
    Open,
    Block(Block),
    Not,
    Binary(Binary),
    Modality { all: bool, regular: u32, exports: Vec<u32> },
    Fixpoint(u32),
    Quantifier { all: bool, slots: Vec<Ranged> },
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Result<Parser<'a>, SyntaxError> {
        Ok(Parser {
            dialect,
            lexer: Lexer::new(text, dialect)?,
            names: Names::open(),
            states: Vec::new(),
            regulars: Vec::new(),
            actions: Vec::new(),
            binders: Vec::new(),
            visible: FxHashMap::default(),
            loops: 0,
            around: Vec::new(),
            spans: Vec::new(),
        })
    }

    fn whole(&mut self) -> Result<u32, SyntaxError> {
        let mut specification = false;
        if self.dialect == Dialect::Mcrl2 {
            specification |= self.names.specification(&mut self.lexer, &["form"])?;
            if specification && !self.lexer.is_word("form") {
                return Err(self.lexer.unexpected("`form`"));
            }
            specification = self.lexer.take_word("form")?;
        }
        let root = self.state()?;
        if specification {
            self.lexer.take(";")?;
        }
        match self.lexer.token() {
            Token::End => Ok(root),
            _ => Err(self.lexer.unexpected("an operator or the end of the formula")),
        }
    }

    pub(super) fn cadp(&self) -> bool {
        self.dialect == Dialect::Cadp
    }

    /// Whether a name is a fixpoint variable here.
    pub(super) fn is_fixpoint(&self, name: &str) -> bool {
        self.visible.get(name).is_some_and(|binders| !binders.is_empty())
    }

    fn connective(&self) -> Option<Binary> {
        match (self.lexer.token(), self.cadp()) {
            (Token::Mark("=>"), false) => Some(Binary::Imply),
            (Token::Mark("||"), false) => Some(Binary::Or),
            (Token::Mark("&&"), false) => Some(Binary::And),
            (Token::Name, true) => match self.lexer.text() {
                "implies" => Some(Binary::Imply),
                "equ" => Some(Binary::Equal),
                "or" => Some(Binary::Or),
                "and" => Some(Binary::And),
                _ => None,
            },
            _ => None,
        }
    }

    fn negation(&self) -> bool {
        if self.cadp() { self.lexer.is_word("not") } else { self.lexer.is("!") }
    }

    pub(super) fn add(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    /// A state formula, up to the first token that cannot go on with it.
    fn state(&mut self) -> Result<u32, SyntaxError> {
        let mut operands: Vec<u32> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        let mut open = 0usize;
        'operand: loop {
            if self.negation() {
                pending.push(Pending::Not);
                self.lexer.advance()?;
                continue;
            }
            let span = self.lexer.span();
            if let Some(block) = self.state_block()? {
                pending.push(Pending::Block(block));
                open += 1;
                continue;
            }
            match self.lexer.token() {
                _ if self.condition_here()? => {
                    let condition = self.names.condition(&mut self.lexer)?;
                    let place = Span::new(span.start, self.lexer.last_end());
                    self.names.accept(Sort::Bool, condition.sort, place)?;
                    let node = self.add(State::Val(condition));
                    operands.push(node);
                }
                Token::Mark("(") => {
                    pending.push(Pending::Open);
                    open += 1;
                    self.lexer.advance()?;
                    continue;
                }
                Token::Mark(mark @ ("<" | "[")) => {
                    self.lexer.advance()?;
                    let (regular, exports) = self.regular()?;
                    let end = if mark == "<" { ">" } else { "]" };
                    // `<a>=> f` and `<a>= …` do not occur: a formula follows.
                    if !self.lexer.take(end)? {
                        let expected =
                            if mark == "<" { "an operator or `>`" } else { "an operator or `]`" };
                        return Err(self.lexer.unexpected(expected));
                    }
                    let all = mark == "[";
                    if self.forever(all)? {
                        self.hide(&exports);
                        let node = self.add(State::Forever { all, regular });
                        operands.push(node);
                    } else {
                        pending.push(Pending::Modality { all, regular, exports });
                        continue;
                    }
                }
                Token::Name => {
                    let name = self.lexer.text();
                    match name {
                        "true" | "false" => {
                            self.lexer.advance()?;
                            let node = self.add(State::Constant(name == "true"));
                            operands.push(node);
                        }
                        "val" => {
                            self.lexer.advance()?;
                            let expr = self.val()?;
                            let node = self.add(State::Val(expr));
                            operands.push(node);
                        }
                        "mu" | "nu" => {
                            self.lexer.advance()?;
                            let sign = if name == "mu" { Sign::Mu } else { Sign::Nu };
                            pending.push(Pending::Fixpoint(self.binder(sign)?));
                            continue;
                        }
                        "forall" | "exists" => {
                            self.lexer.advance()?;
                            let slots = self.quantified()?;
                            pending.push(Pending::Quantifier { all: name == "forall", slots });
                            continue;
                        }
                        _ => {
                            self.lexer.advance()?;
                            let node = self.variable(name, span)?;
                            operands.push(node);
                        }
                    }
                }
                _ => return Err(self.lexer.unexpected("a formula")),
            }
            loop {
                if let Some(op) = self.connective() {
                    self.reduce(&mut pending, &mut operands, op.level() + 1);
                    pending.push(Pending::Binary(op));
                    self.lexer.advance()?;
                    continue 'operand;
                }
                self.reduce(&mut pending, &mut operands, WIDEST);
                if open == 0 {
                    return Ok(operands.pop().expect("an operand was read last"));
                }
                let Some(Pending::Block(mut block)) = pending.pop() else {
                    self.lexer.expect(")", "an operator or `)`")?;
                    open -= 1;
                    continue;
                };
                let last = operands.pop().expect("an operand was read last");
                match self.state_next(&mut block, last)? {
                    Next::Formula => {
                        pending.push(Pending::Block(block));
                        continue 'operand;
                    }
                    Next::Done(node, _) => {
                        open -= 1;
                        operands.push(node);
                    }
                }
            }
        }
    }

    fn reduce(&mut self, pending: &mut Vec<Pending>, operands: &mut Vec<u32>, level: u8) {
        while let Some(top) = pending.last() {
            let mine = match top {
                Pending::Open | Pending::Block(_) => return,
                Pending::Fixpoint(_) | Pending::Quantifier { .. } => WIDEST,
                Pending::Binary(op) => op.level(),
                Pending::Not | Pending::Modality { .. } => u8::MAX,
            };
            if mine < level {
                return;
            }
            let last = operands.pop().expect("an operator has its operand");
            let node = match pending.pop().expect("it was looked at") {
                Pending::Open | Pending::Block(_) => return,
                Pending::Not => State::Not(last),
                Pending::Modality { all, regular, exports } => {
                    self.hide(&exports);
                    State::Modality { all, regular, body: last }
                }
                Pending::Fixpoint(binder) => {
                    let Binder { name, parameters, .. } = &self.binders[binder as usize];
                    if let Some(binders) = self.visible.get_mut(name.as_str()) {
                        binders.pop();
                    }
                    for (slot, _) in parameters {
                        self.names.hide(*slot);
                    }
                    State::Fixpoint(binder, last)
                }
                Pending::Quantifier { all, slots } => {
                    slots.iter().for_each(|(slot, _)| self.names.hide(*slot));
                    State::Quantifier { all, slots, body: last }
                }
                Pending::Binary(op) => {
                    let first = operands.pop().expect("an operator has its operands");
                    match op {
                        Binary::And => State::And(first, last),
                        Binary::Or => State::Or(first, last),
                        Binary::Equal => State::Equal(first, last),
                        _ => State::Imply(first, last),
                    }
                }
            };
            let node = self.add(node);
            operands.push(node);
        }
    }

    /// Parameters with their sorts, in parentheses, or none; they are seen until they are hidden.
    pub(crate) fn parameters(&mut self) -> Result<Vec<u32>, SyntaxError> {
        let mut out = Vec::new();
        if !self.lexer.take("(")? {
            return Ok(out);
        }
        loop {
            let (name, _) = self.lexer.name("a parameter")?;
            self.lexer.expect(":", "`:`")?;
            let sort = self.names.sort(&mut self.lexer)?;
            out.push(self.names.bind(name, sort));
            if !self.lexer.take(",")? {
                break;
            }
        }
        self.lexer.expect(")", "`,` or `)`")?;
        Ok(out)
    }

    /// Arguments in parentheses, or none, and their places.
    pub(crate) fn arguments(&mut self) -> Result<Arguments, SyntaxError> {
        let (mut arguments, mut places) = (Vec::new(), Vec::new());
        if self.lexer.take("(")? {
            loop {
                let start = self.lexer.span();
                arguments.push(self.names.expr(&mut self.lexer)?);
                places.push(Span::new(start.start, self.lexer.last_end()));
                if !self.lexer.take(",")? {
                    break;
                }
            }
            self.lexer.expect(")", "`,` or `)`")?;
        }
        Ok((arguments, places))
    }

    pub(crate) fn hide(&mut self, slots: &[u32]) {
        slots.iter().for_each(|&slot| self.names.hide(slot));
    }

    fn val(&mut self) -> Result<Expr, SyntaxError> {
        self.lexer.expect("(", "`(`")?;
        let expr = self.names.expr_of(&mut self.lexer, Sort::Bool)?;
        self.lexer.expect(")", "an operator or `)`")?;
        Ok(expr)
    }

    /// After `mu` or `nu`: a name, parameters, and the dot.
    fn binder(&mut self, sign: Sign) -> Result<u32, SyntaxError> {
        let (name, _) = self.lexer.name("a fixpoint variable")?;
        let mut heads = Vec::new();
        if self.lexer.take("(")? {
            loop {
                let (parameter, _) = self.lexer.name("a parameter")?;
                self.lexer.expect(":", "`:`")?;
                let sort = self.names.sort(&mut self.lexer)?;
                let mark = if self.cadp() { ":=" } else { "=" };
                self.lexer.expect(mark, if self.cadp() { "`:=`" } else { "`=`" })?;
                // The first values do not see the parameters.
                heads.push((parameter, sort, self.names.expr_of(&mut self.lexer, sort)?));
                if !self.lexer.take(",")? {
                    break;
                }
            }
            self.lexer.expect(")", "`,` or `)`")?;
        }
        self.lexer.expect(".", "`.`")?;
        let bind = |(name, sort, expr): (&str, Sort, Expr)| (self.names.bind(name, sort), expr);
        let parameters = heads.into_iter().map(bind).collect();
        let binder = self.binders.len() as u32;
        self.binders.push(Binder { name: name.to_owned(), sign, parameters });
        self.visible.entry(name).or_default().push(binder);
        Ok(binder)
    }

    /// After `forall` or `exists`: data variables, and the dot.
    fn quantified(&mut self) -> Result<Vec<Ranged>, SyntaxError> {
        if !self.cadp() {
            let slots = self.names.declarations(&mut self.lexer)?;
            self.lexer.expect(".", "`.`")?;
            return Ok(slots.into_iter().map(|slot| (slot, None)).collect());
        }
        let slots = self.ranged()?;
        self.lexer.expect(".", "`,`, `among` or `.`")?;
        Ok(slots)
    }

    /// Data variables in CADP's syntax, each with a range or without one.
    pub(super) fn ranged(&mut self) -> Result<Vec<Ranged>, SyntaxError> {
        let mut slots = Vec::new();
        loop {
            let mut list = vec![self.lexer.name("a data variable")?.0];
            while self.lexer.take(",")? {
                list.push(self.lexer.name("a data variable")?.0);
            }
            self.lexer.expect(":", "`,` or `:`")?;
            let sort = self.names.sort(&mut self.lexer)?;
            let mut range = None;
            if self.lexer.take_word("among")? {
                self.lexer.expect("{", "`{`")?;
                let low = self.names.expr_of(&mut self.lexer, Sort::Int)?;
                self.lexer.expect("...", "`...`")?;
                let high = self.names.expr_of(&mut self.lexer, Sort::Int)?;
                self.lexer.expect("}", "`}`")?;
                if !sort.is_number() {
                    let found = self.names.signature.sort_name(sort).to_owned();
                    let kind = SyntaxErrorKind::Sort { found, expected: "Int".to_owned() };
                    return Err(SyntaxError::new(kind, self.lexer.span()));
                }
                range = Some((low, high));
            }
            for name in list {
                slots.push((self.names.bind(name, sort), range.clone()));
            }
            if !self.lexer.take(",")? {
                return Ok(slots);
            }
        }
    }

    /// `@` behind `<R>`, `-|` behind `[R]`.
    fn forever(&mut self, all: bool) -> Result<bool, SyntaxError> {
        if !self.cadp() {
            return Ok(false);
        }
        if !all {
            return self.lexer.take("@");
        }
        let here = self.lexer.is("-") && self.lexer.followed_by(b'|');
        if here {
            self.lexer.advance()?;
            self.lexer.advance()?;
        }
        Ok(here)
    }

    fn variable(&mut self, name: &'a str, span: Span) -> Result<u32, SyntaxError> {
        let Some(&binder) = self.visible.get(name).and_then(|binders| binders.last()) else {
            let mut known: Vec<&str> =
                self.visible.iter().filter(|(_, b)| !b.is_empty()).map(|(n, _)| *n).collect();
            known.sort_unstable();
            let near = source::suggest(name, known).map(str::to_owned);
            let (what, name) = ("fixpoint variable", name.to_owned());
            return Err(SyntaxError::new(SyntaxErrorKind::Unknown { what, name, near }, span));
        };
        let (arguments, places) = self.arguments()?;
        let parameters = &self.binders[binder as usize].parameters;
        let (found, expected) = (arguments.len(), parameters.len());
        if found != expected {
            let kind = SyntaxErrorKind::Arguments { name: name.to_owned(), found, expected };
            return Err(SyntaxError::new(kind, span));
        }
        for (((slot, _), argument), &place) in parameters.iter().zip(&arguments).zip(&places) {
            self.names.accept(self.names.slots[*slot as usize].sort, argument.sort, place)?;
        }
        let node = self.add(State::Variable(binder, arguments));
        self.spans.push((node, span));
        Ok(node)
    }

    pub(super) fn add_regular(&mut self, regular: Regular) -> u32 {
        self.regulars.push(regular);
        self.regulars.len() as u32 - 1
    }

    pub(super) fn add_action(&mut self, action: Action) -> u32 {
        self.actions.push(action);
        self.actions.len() as u32 - 1
    }

    /// A regular formula, and the data variables that what follows it may use.
    fn regular(&mut self) -> Result<(u32, Vec<u32>), SyntaxError> {
        let mut run = Run { parser: self, operands: Vec::new(), pending: Vec::new() };
        run.all()?;
        let last = run.operands.pop().expect("an operand was read last");
        Ok((run.as_regular(last.kind), last.exports))
    }

    /// An action formula alone, and the data variables that what follows it may use.
    pub(crate) fn action_and_exports(&mut self) -> Result<(u32, Vec<u32>), SyntaxError> {
        let span = self.lexer.span();
        let mut run = Run { parser: self, operands: Vec::new(), pending: Vec::new() };
        run.all()?;
        let last = run.operands.pop().expect("an operand was read last");
        match last.kind {
            Kind::Action(action) => Ok((action, last.exports)),
            Kind::Regular(_) => {
                let (found, expected) = ("a regular formula".to_owned(), "an action formula");
                let kind = SyntaxErrorKind::Unexpected { found, expected };
                Err(SyntaxError::new(kind, span))
            }
        }
    }
}

/// Expressions, and where they stand.
pub(crate) type Arguments = (Vec<Expr>, Vec<Span>);

#[derive(Clone, Copy)]
enum Kind {
    Action(u32),
    Regular(u32),
}

struct Operand {
    kind: Kind,
    /// Data variables that it binds for what comes after.
    exports: Vec<u32>,
    span: Span,
}

enum Waiting {
    Open,
    Block(Block),
    Not,
    Quantifier(bool, Vec<u32>),
    Binary(Binary),
}

/// Reads one regular formula.
struct Run<'p, 'a> {
    parser: &'p mut Parser<'a>,
    operands: Vec<Operand>,
    pending: Vec<(Waiting, Span)>,
}

impl Run<'_, '_> {
    fn all(&mut self) -> Result<(), SyntaxError> {
        // Brackets that are open, and whether they are `case`.
        let mut arms: Vec<bool> = Vec::new();
        'operand: loop {
            let span = self.parser.lexer.span();
            if self.parser.negation() {
                self.pending.push((Waiting::Not, span));
                self.parser.lexer.advance()?;
                continue;
            }
            if self.parser.lexer.take("(")? {
                self.pending.push((Waiting::Open, span));
                arms.push(false);
                continue;
            }
            if let Some(block) = self.parser.regular_block()? {
                arms.push(matches!(block, Block::Case(_)));
                self.pending.push((Waiting::Block(block), span));
                continue;
            }
            if !self.parser.cadp()
                && (self.parser.lexer.is_word("forall") || self.parser.lexer.is_word("exists"))
            {
                let all = self.parser.lexer.is_word("forall");
                self.parser.lexer.advance()?;
                let slots = self.parser.names.declarations(&mut self.parser.lexer)?;
                self.parser.lexer.expect(".", "`.`")?;
                self.pending.push((Waiting::Quantifier(all, slots), span));
                continue;
            }
            self.atom()?;
            loop {
                let span = self.parser.lexer.span();
                if let Some(postfix) = self.postfix()? {
                    self.reduce(ACTION)?;
                    let operand = self.operands.pop().expect("an operand was read last");
                    self.parser.hide(&operand.exports);
                    let inner = self.as_regular(operand.kind);
                    let node = match postfix {
                        '{' => self.parser.times(inner)?,
                        '*' => Regular::Star(inner),
                        '+' => Regular::Plus(inner),
                        _ => Regular::Option(inner),
                    };
                    let kind = Kind::Regular(self.parser.add_regular(node));
                    let span = operand.span.to(span);
                    self.operands.push(Operand { kind, exports: Vec::new(), span });
                    self.parser.lexer.advance()?;
                    continue;
                }
                let operator = match self.parser.lexer.token() {
                    Token::Mark(".") => Some(Binary::Then),
                    Token::Mark("|")
                        if arms.last() == Some(&true) && arm_ahead(&self.parser.lexer)? =>
                    {
                        None
                    }
                    Token::Mark("|") if self.parser.cadp() => Some(Binary::Choice),
                    Token::Mark("+") if !self.parser.cadp() => Some(Binary::Choice),
                    _ => self.parser.connective(),
                };
                if let Some(op) = operator {
                    self.reduce(op.level() + 1)?;
                    if !matches!(op, Binary::Then | Binary::And) {
                        // What only one side binds is not bound after.
                        let operand = self.operands.last_mut().expect("an operand was read last");
                        let exports = std::mem::take(&mut operand.exports);
                        self.parser.hide(&exports);
                    }
                    self.pending.push((Waiting::Binary(op), span));
                    self.parser.lexer.advance()?;
                    continue 'operand;
                }
                self.reduce(WIDEST)?;
                if arms.is_empty() {
                    return Ok(());
                }
                let Some((Waiting::Block(mut block), span)) = self.pending.pop() else {
                    self.parser.lexer.expect(")", "an operator or `)`")?;
                    arms.pop();
                    continue;
                };
                let operand = self.operands.pop().expect("an operand was read last");
                self.parser.hide(&operand.exports);
                let last = self.as_regular(operand.kind);
                match self.parser.regular_next(&mut block, last)? {
                    Next::Formula => {
                        self.pending.push((Waiting::Block(block), span));
                        continue 'operand;
                    }
                    Next::Done(node, exports) => {
                        arms.pop();
                        let span = Span::new(span.start, self.parser.lexer.last_end());
                        self.operands.push(Operand { kind: Kind::Regular(node), exports, span });
                    }
                }
            }
        }
    }

    /// A postfix operator, if one stands here.
    fn postfix(&self) -> Result<Option<char>, SyntaxError> {
        let lexer = &self.parser.lexer;
        Ok(match lexer.token() {
            Token::Mark("*") => Some('*'),
            Token::Mark("?") if self.parser.cadp() => Some('?'),
            Token::Mark("{") if self.parser.cadp() => Some('{'),
            Token::Mark("+") if self.parser.cadp() => Some('+'),
            Token::Mark("+") => {
                // `+` between two regular formulas is a choice.
                let mut ahead = lexer.clone();
                ahead.advance()?;
                let last = matches!(
                    ahead.token(),
                    Token::Mark("]" | ">" | ")" | "." | "*" | "+") | Token::End
                );
                last.then_some('+')
            }
            _ => None,
        })
    }

    fn as_regular(&mut self, kind: Kind) -> u32 {
        match kind {
            Kind::Regular(regular) => regular,
            Kind::Action(action) => self.parser.add_regular(Regular::Action(action)),
        }
    }

    fn as_action(&self, operand: &Operand) -> Result<u32, SyntaxError> {
        match operand.kind {
            Kind::Action(action) => Ok(action),
            Kind::Regular(_) => {
                let (found, expected) = ("a regular formula".to_owned(), "an action formula");
                let kind = SyntaxErrorKind::Unexpected { found, expected };
                Err(SyntaxError::new(kind, operand.span))
            }
        }
    }

    fn reduce(&mut self, level: u8) -> Result<(), SyntaxError> {
        while let Some((top, span)) = self.pending.last() {
            let mine = match top {
                Waiting::Open | Waiting::Block(_) => break,
                Waiting::Not => u8::MAX,
                Waiting::Quantifier(..) => ACTION,
                Waiting::Binary(op) => op.level(),
            };
            if mine < level {
                break;
            }
            let span = *span;
            let mut last = self.operands.pop().expect("an operator has its operand");
            let (top, _) = self.pending.pop().expect("it was looked at");
            let operand = match top {
                Waiting::Open | Waiting::Block(_) => break,
                Waiting::Not => {
                    let action = Action::Not(self.as_action(&last)?);
                    self.parser.hide(&last.exports);
                    let kind = Kind::Action(self.parser.add_action(action));
                    Operand { kind, exports: Vec::new(), span: span.to(last.span) }
                }
                Waiting::Quantifier(all, slots) => {
                    let body = self.as_action(&last)?;
                    self.parser.hide(&last.exports);
                    self.parser.hide(&slots);
                    let action = Action::Quantifier { all, slots, body };
                    let kind = Kind::Action(self.parser.add_action(action));
                    Operand { kind, exports: Vec::new(), span: span.to(last.span) }
                }
                Waiting::Binary(op) => {
                    let mut first = self.operands.pop().expect("an operator has its operands");
                    if !matches!(op, Binary::Then | Binary::And) {
                        self.parser.hide(&std::mem::take(&mut last.exports));
                    }
                    first.exports.append(&mut last.exports);
                    let kind = if op.level() < ACTIONS {
                        let (a, b) = (self.as_regular(first.kind), self.as_regular(last.kind));
                        let regular = match op {
                            Binary::Choice => Regular::Choice(a, b),
                            _ => Regular::Then(a, b),
                        };
                        Kind::Regular(self.parser.add_regular(regular))
                    } else {
                        let (a, b) = (self.as_action(&first)?, self.as_action(&last)?);
                        let action = match op {
                            Binary::And => Action::And(a, b),
                            Binary::Or => Action::Or(a, b),
                            Binary::Equal => Action::Equal(a, b),
                            _ => Action::Imply(a, b),
                        };
                        Kind::Action(self.parser.add_action(action))
                    };
                    Operand { kind, exports: first.exports, span: first.span.to(last.span) }
                }
            };
            self.operands.push(operand);
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), SyntaxError> {
        let parser = &mut *self.parser;
        let cadp = parser.cadp();
        let span = parser.lexer.span();
        let mut exports = Vec::new();
        if let Some(jump) = parser.jump()? {
            let kind = Kind::Regular(parser.add_regular(jump));
            self.operands.push(Operand { kind, exports, span });
            return Ok(());
        }
        let action = match parser.lexer.token() {
            Token::Text if cadp => Action::Label(parser.lexer.inner().to_owned()),
            Token::Regexp if cadp => {
                let regexp = Regexp::new(parser.lexer.inner()).map_err(|(at, what)| {
                    let at = span.start + 1 + at as u32;
                    let kind = SyntaxErrorKind::Other(what.to_owned());
                    SyntaxError::new(kind, Span::new(at, at + 1))
                })?;
                Action::Regexp(regexp)
            }
            Token::Mark("{") if cadp => {
                parser.lexer.advance()?;
                let action = gate(parser, &mut exports)?;
                if !parser.lexer.is("}") {
                    return Err(parser.lexer.unexpected("`!`, `?`, `...`, `where` or `}`"));
                }
                action
            }
            Token::Name => match parser.lexer.text() {
                "true" | "any" if cadp => Action::Constant(true),
                "true" => Action::Constant(true),
                "false" => Action::Constant(false),
                "tau" => Action::Tau,
                "nil" if cadp => {
                    parser.lexer.advance()?;
                    let kind = Kind::Regular(parser.add_regular(Regular::Nil));
                    self.operands.push(Operand { kind, exports, span });
                    return Ok(());
                }
                "val" if !cadp => {
                    parser.lexer.advance()?;
                    parser.lexer.expect("(", "`(`")?;
                    let expr = parser.names.expr_of(&mut parser.lexer, Sort::Bool)?;
                    if !parser.lexer.is(")") {
                        return Err(parser.lexer.unexpected("an operator or `)`"));
                    }
                    Action::Val(expr)
                }
                name if !cadp => {
                    let gate = name.to_owned();
                    parser.lexer.advance()?;
                    let offers = arguments(parser)?.into_iter().map(Offer::Send).collect();
                    let action = match parser.lexer.is("|") {
                        true => multi(parser, gate, offers)?,
                        false => Action::Gate { gate, offers, more: false, guard: None },
                    };
                    if parser.lexer.is("@") {
                        let what = "an action with a time".to_owned();
                        let kind = SyntaxErrorKind::Unsupported(what);
                        return Err(SyntaxError::new(kind, parser.lexer.span()));
                    }
                    let kind = Kind::Action(parser.add_action(action));
                    self.operands.push(Operand { kind, exports, span });
                    return Ok(());
                }
                name if !is_keyword(name) => {
                    let action = plain_gate(parser, &mut exports)?;
                    let kind = Kind::Action(parser.add_action(action));
                    self.operands.push(Operand { kind, exports, span });
                    return Ok(());
                }
                _ => return Err(parser.lexer.unexpected("an action formula")),
            },
            _ => return Err(parser.lexer.unexpected("an action formula")),
        };
        let span = span.to(parser.lexer.span());
        parser.lexer.advance()?;
        let kind = Kind::Action(parser.add_action(action));
        self.operands.push(Operand { kind, exports, span });
        Ok(())
    }
}

/// Whether a word begins or continues a formula in CADP's syntax, and names no data.
pub(super) fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 22] = [
        "true", "false", "val", "mu", "nu", "forall", "exists", "not", "and", "or", "implies",
        "equ", "let", "if", "case", "then", "elsif", "else", "end", "in", "is", "xor",
    ];
    WORDS.contains(&word)
}
