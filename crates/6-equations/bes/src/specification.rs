//! Reading data specifications: `sort`, `cons`, `map`, `var`, `eqn`, `act`.
//!
//! Everything may be used before it is declared: the sections are found first, then sorts are
//! read, then functions, then equations.

use source::Span;

use crate::data::{Enumeration, Instr, Sort, Value};
use crate::expr::Names;
use crate::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use crate::sorts::{Composite, Constructor, Equation, Function, Pattern};

/// How deep sorts nest in a text.
const MOST_SORTS: u32 = 60;

const SECTIONS: &[&str] = &["sort", "cons", "map", "glob", "var", "eqn", "act", "proc", "init"];

/// A structured sort whose constructors are still to be read: its number, and where.
type Open<'a> = (u32, Lexer<'a>);

/// A constructor as it is written: its name, fields, their projections, its recogniser.
type Alternative<'a> = ((&'a str, Span), Vec<Sort>, Vec<Option<u32>>, Option<u32>);

impl Names {
    /// The sort that stands here.
    pub fn sort(&mut self, lexer: &mut Lexer<'_>) -> Result<Sort, SyntaxError> {
        self.sort_within(lexer, MOST_SORTS)
    }

    fn sort_within(&mut self, lexer: &mut Lexer<'_>, depth: u32) -> Result<Sort, SyntaxError> {
        let span = lexer.span();
        let Some(depth) = depth.checked_sub(1) else {
            let what = "sorts are nested too deeply".to_owned();
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        };
        let mut domain = vec![self.simple_sort(lexer, depth)?];
        if lexer.dialect() == Dialect::Cadp {
            return Ok(domain[0]);
        }
        while lexer.take("#")? {
            domain.push(self.simple_sort(lexer, depth)?);
        }
        if lexer.take("->")? {
            let range = self.sort_within(lexer, depth)?;
            return Ok(self.signature.composite(Composite::Function(domain, range)));
        }
        match domain[..] {
            [sort] => Ok(sort),
            _ => Err(lexer.unexpected("`->`")),
        }
    }

    fn simple_sort(&mut self, lexer: &mut Lexer<'_>, depth: u32) -> Result<Sort, SyntaxError> {
        if lexer.take("(")? {
            let sort = self.sort_within(lexer, depth)?;
            lexer.expect(")", "`)`")?;
            return Ok(sort);
        }
        let (name, span) = lexer.name("a sort")?;
        if lexer.dialect() == Dialect::Mcrl2
            && matches!(name, "List" | "Set" | "FSet" | "Bag" | "FBag")
            && lexer.is("(")
        {
            lexer.advance()?;
            let of = self.sort_within(lexer, depth)?;
            lexer.expect(")", "`)`")?;
            let made = match name {
                "List" => Composite::List(of),
                "Set" | "FSet" => Composite::Set(of),
                _ => Composite::Bag(of),
            };
            return Ok(self.signature.composite(made));
        }
        if lexer.dialect() == Dialect::Mcrl2 && name == "struct" {
            return self.nameless(lexer, depth);
        }
        if lexer.dialect() == Dialect::Cadp && name == "String" {
            // Strings are names, with their quotes.
            return Ok(Sort::Var);
        }
        self.signature.sort(name).ok_or_else(|| {
            let kind = match name {
                "struct" | "string" | "natset" => {
                    SyntaxErrorKind::Unsupported(format!("the sort `{name}` here"))
                }
                _ => {
                    let known = self.signature.enumerations.iter().map(|e| e.name.as_str());
                    let known = known.chain(["Bool", "Nat", "Pos", "Int", "Real", "Var"]);
                    let near = source::suggest(name, known).map(str::to_owned);
                    SyntaxErrorKind::Unknown { what: "sort", name: name.to_owned(), near }
                }
            };
            SyntaxError::new(kind, span)
        })
    }

    /// Declares data variables, `x, y: D, z: E`; they are visible from here on.
    pub fn declarations(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<u32>, SyntaxError> {
        let groups = self.groups(lexer)?;
        Ok(groups.into_iter().map(|(name, sort)| self.bind(&name, sort)).collect())
    }

    /// `x, y: D, z: E`, without declaring anything.
    fn groups(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<(String, Sort)>, SyntaxError> {
        let mut all = Vec::new();
        loop {
            let mut list = vec![lexer.name("a data variable")?];
            while lexer.take(",")? {
                list.push(lexer.name("a data variable")?);
            }
            lexer.expect(":", "`,` or `:`")?;
            let sort = self.sort(lexer)?;
            all.extend(list.into_iter().map(|(name, _)| (name.to_owned(), sort)));
            if !lexer.take(",")? {
                return Ok(all);
            }
        }
    }

    /// Reads a data specification, up to one of the words `stops` or the end; processes are passed
    /// over. Whether there was a section at all.
    pub fn specification<'a>(
        &mut self,
        lexer: &mut Lexer<'a>,
        stops: &[&str],
    ) -> Result<bool, SyntaxError> {
        let start = lexer.span().start;
        let mut sections: Vec<(&'a str, Lexer<'a>)> = Vec::new();
        loop {
            match lexer.token() {
                Token::End => break,
                Token::Name if stops.contains(&lexer.text()) => break,
                Token::Name if SECTIONS.contains(&lexer.text()) => {
                    let word = lexer.text();
                    lexer.advance()?;
                    sections.push((word, lexer.clone()));
                }
                _ if sections.is_empty() => break,
                _ => lexer.advance()?,
            }
        }
        let of = |words: &'static [&'static str]| {
            sections.iter().filter(move |(word, _)| words.contains(word)).cloned()
        };
        let (plain, before) = (self.signature.is_rich(), self.signature.declared.len());
        let mut open = Vec::new();
        let mut aliases = Vec::new();
        let mut written = Vec::new();
        for (_, mut at) in of(&["sort"]) {
            self.sort_names(&mut at, stops, &mut open, &mut aliases, &mut written)?;
        }
        self.resolve(aliases)?;
        for (number, mut at) in open {
            self.constructors(number, &mut at)?;
        }
        for (word, mut at) in of(&["cons", "map"]) {
            while more(&at, stops) {
                self.function(&mut at, word == "cons")?;
            }
        }
        let mut variables: Vec<(String, Sort)> = Vec::new();
        for (word, mut at) in of(&["var", "eqn", "act"]) {
            if word == "var" {
                variables.clear();
            }
            while more(&at, stops) {
                match word {
                    "var" => {
                        variables.extend(self.groups(&mut at)?);
                        at.expect(";", "`;`")?;
                    }
                    "eqn" => self.equation(&mut at, &variables)?,
                    _ => self.action(&mut at)?,
                }
            }
        }
        let rich = self.signature.is_rich() || of(&["cons", "map", "eqn"]).next().is_some();
        if rich || plain || before > 0 {
            self.signature.declared.push_str(lexer.since(start).trim_end());
            self.signature.declared.push('\n');
        }
        Ok(!sections.is_empty())
    }

    /// The names of a `sort` section, so that all sorts can use them.
    fn sort_names<'a>(
        &mut self,
        lexer: &mut Lexer<'a>,
        stops: &[&str],
        open: &mut Vec<Open<'a>>,
        aliases: &mut Vec<(&'a str, Lexer<'a>)>,
        written: &mut Vec<(&'a str, &'a str)>,
    ) -> Result<(), SyntaxError> {
        while more(lexer, stops) {
            let (name, span) = lexer.name("a sort")?;
            let twice = |name: &str, span| {
                let kind = SyntaxErrorKind::Twice { what: "sort", name: name.to_owned() };
                Err(SyntaxError::new(kind, span))
            };
            let known = |names: &Names, name: &str| {
                names.signature.sort(name).is_some() || aliases.iter().any(|(n, _)| *n == name)
            };
            let start = lexer.span().start;
            if known(self, name) {
                // Once more the same says nothing.
                pass_over(lexer)?;
                let text = lexer.since(start).trim_end();
                if text.is_empty() || !written.contains(&(name, text)) {
                    return twice(name, span);
                }
                lexer.advance()?;
                continue;
            }
            let declare = |names: &mut Names, name: &str| {
                let number = names.signature.enumerations.len() as u32;
                let (name, elements) = (name.to_owned(), Vec::new());
                names.signature.enumerations.push(Enumeration { name, elements, plain: true });
                number
            };
            if lexer.take("=")? {
                if lexer.is_word("struct") {
                    let number = declare(self, name);
                    lexer.advance()?;
                    open.push((number, lexer.clone()));
                } else {
                    aliases.push((name, lexer.clone()));
                }
                pass_over(lexer)?;
                written.push((name, lexer.since(start).trim_end()));
            } else {
                declare(self, name);
                while lexer.take(",")? {
                    let (name, span) = lexer.name("a sort")?;
                    if known(self, name) {
                        return twice(name, span);
                    }
                    declare(self, name);
                }
            }
            lexer.expect(";", "`|` or `;`")?;
        }
        Ok(())
    }

    /// Sorts that are names of others, in the order in which they can be known.
    fn resolve<'a>(&mut self, mut aliases: Vec<(&'a str, Lexer<'a>)>) -> Result<(), SyntaxError> {
        while !aliases.is_empty() {
            let mut later = Vec::new();
            let mut error = None;
            let count = aliases.len();
            for (name, at) in aliases {
                let mut here = at.clone();
                match self.sort(&mut here) {
                    Ok(sort) => {
                        if !here.is(";") {
                            return Err(here.unexpected("`;`"));
                        }
                        self.signature.aliases.insert(name.to_owned(), sort);
                    }
                    Err(wrong) => {
                        error.get_or_insert(wrong);
                        later.push((name, at));
                    }
                }
            }
            if later.len() == count
                && let Some(error) = error
            {
                return Err(error);
            }
            aliases = later;
        }
        Ok(())
    }

    /// Adds a constructor; its name must be new.
    fn constructor(
        &mut self,
        number: u32,
        (name, span): (&str, Span),
        fields: Vec<Sort>,
        projections: Vec<Option<u32>>,
        recogniser: Option<u32>,
    ) -> Result<(), SyntaxError> {
        let mut symbol = self.signature.symbol(name);
        if self.signature.sorts.contains_key(&symbol) {
            // Constructors of one name are told apart by their arguments; two without any are not, and neither
            // are two of one sort with the same.
            let known = &self.signature.constructors;
            let namesakes = known.iter().filter(|c| self.signature.symbol_name(c.symbol) == name);
            if namesakes.clone().any(|c| c.fields == fields) {
                let (what, name) = ("element", name.to_owned());
                return Err(SyntaxError::new(SyntaxErrorKind::Twice { what, name }, span));
            }
            symbol = self.signature.another(name, fields.is_empty());
        }
        self.signature.sorts.insert(symbol, number);
        let enumeration = &mut self.signature.enumerations[number as usize];
        let position = enumeration.elements.len() as u32;
        enumeration.elements.push(symbol);
        enumeration.plain &= fields.is_empty();
        let sort = number;
        let made = Constructor { symbol, sort, position, fields, projections, recogniser };
        self.signature.constructors.push(made);
        Ok(())
    }

    /// After `struct`: `a?is_a | b(p: S, T) | …`.
    fn constructors(&mut self, number: u32, lexer: &mut Lexer<'_>) -> Result<(), SyntaxError> {
        for (name, fields, projections, recogniser) in self.alternatives(lexer, MOST_SORTS)? {
            self.constructor(number, name, fields, projections, recogniser)?;
        }
        lexer.expect(";", "`|` or `;`")
    }

    /// The same, without declaring anything.
    fn alternatives<'a>(
        &mut self,
        lexer: &mut Lexer<'a>,
        depth: u32,
    ) -> Result<Vec<Alternative<'a>>, SyntaxError> {
        let mut all = Vec::new();
        loop {
            let name = lexer.name("an element")?;
            let (mut fields, mut projections) = (Vec::new(), Vec::new());
            if lexer.take("(")? {
                loop {
                    let mut projection = None;
                    let mut ahead = lexer.clone();
                    if let Ok((field, _)) = ahead.name("a field")
                        && ahead.take(":")?
                    {
                        projection = Some(self.signature.symbol(field));
                        *lexer = ahead;
                    }
                    fields.push(self.sort_within(lexer, depth)?);
                    projections.push(projection);
                    if !lexer.take(",")? {
                        break;
                    }
                }
                lexer.expect(")", "`,` or `)`")?;
            }
            let mut recogniser = None;
            if lexer.take("?")? {
                let (word, _) = lexer.name("a recogniser")?;
                recogniser = Some(self.signature.symbol(word));
            }
            all.push((name, fields, projections, recogniser));
            if !lexer.take("|")? {
                return Ok(all);
            }
        }
    }

    /// `struct …` where a sort stands: a sort without a name, which is the same wherever it is written.
    fn nameless(&mut self, lexer: &mut Lexer<'_>, depth: u32) -> Result<Sort, SyntaxError> {
        let start = lexer.span().start;
        let all = self.alternatives(lexer, depth)?;
        let text: String = lexer.since(start).split_whitespace().collect();
        let name = format!("struct {text}");
        if let Some(known) = self.signature.sort(&name) {
            return Ok(known);
        }
        let number = self.signature.enumerations.len() as u32;
        let elements = Vec::new();
        self.signature.enumerations.push(Enumeration { name, elements, plain: true });
        for (name, fields, projections, recogniser) in all {
            self.constructor(number, name, fields, projections, recogniser)?;
        }
        Ok(Sort::Enum(number))
    }

    /// `f, g: A # B -> C;`.
    fn function(&mut self, lexer: &mut Lexer<'_>, constructs: bool) -> Result<(), SyntaxError> {
        let mut list = vec![lexer.name("a function")?];
        while lexer.take(",")? {
            list.push(lexer.name("a function")?);
        }
        lexer.expect(":", "`,` or `:`")?;
        let sort = self.sort(lexer)?;
        lexer.expect(";", "`;`")?;
        let whole = match self.signature.as_composite(sort).cloned() {
            Some(Composite::Function(domain, range)) => Some((domain, range)),
            _ => None,
        };
        for (name, span) in list {
            let (domain, range) = whole.clone().unwrap_or((Vec::new(), sort));
            if constructs {
                let Sort::Enum(number) = range else {
                    let what = format!("a constructor of sort {}", self.signature.sort_name(range));
                    return Err(SyntaxError::new(SyntaxErrorKind::Unsupported(what), span));
                };
                let none = vec![None; domain.len()];
                self.constructor(number, (name, span), domain, none, None)?;
                continue;
            }
            let taken = |f: &&Function| f.name == name && f.domain == domain;
            if let Some(known) = self.signature.functions.iter().find(taken) {
                // Once more the same says nothing.
                if known.range == range {
                    continue;
                }
                let (what, name) = ("function", name.to_owned());
                return Err(SyntaxError::new(SyntaxErrorKind::Twice { what, name }, span));
            }
            let (name, equations) = (name.to_owned(), Vec::new());
            self.signature.functions.push(Function { name, domain, range, equations });
        }
        Ok(())
    }

    /// `a, b: A # B;` or `a;`.
    fn action(&mut self, lexer: &mut Lexer<'_>) -> Result<(), SyntaxError> {
        let mut list = vec![lexer.name("an action")?.0];
        while lexer.take(",")? {
            list.push(lexer.name("an action")?.0);
        }
        let mut sorts = Vec::new();
        if lexer.take(":")? {
            loop {
                sorts.push(self.simple_sort(lexer, MOST_SORTS)?);
                if !lexer.take("#")? {
                    break;
                }
            }
        }
        lexer.expect(";", "`#` or `;`")?;
        for name in list {
            self.signature.actions.entry(name.to_owned()).or_default().push(sorts.clone());
        }
        Ok(())
    }

    /// `condition -> left = right;`, with variables of its own. An equation with a construct that is
    /// not supported is passed over: the function then has no value where that one is needed.
    fn equation(
        &mut self,
        lexer: &mut Lexer<'_>,
        variables: &[(String, Sort)],
    ) -> Result<(), SyntaxError> {
        let slots = std::mem::take(&mut self.slots);
        let visible = std::mem::take(&mut self.visible);
        let (open, sides) = (self.open, self.sides);
        (self.open, self.sides) = (false, true);
        for (name, sort) in variables {
            self.bind(name, *sort);
        }
        let read = self.sides(lexer);
        let mine = std::mem::replace(&mut self.slots, slots);
        self.visible = visible;
        (self.open, self.sides) = (open, sides);
        match read {
            Ok(Some((function, mut equation))) => {
                equation.slots = mine;
                self.signature.functions[function as usize].equations.push(equation);
            }
            Ok(None) => {}
            Err(SyntaxError { kind: SyntaxErrorKind::Unsupported(_), .. }) => {
                while !lexer.is(";") && lexer.token() != Token::End {
                    lexer.advance()?;
                }
            }
            Err(error) => return Err(error),
        }
        lexer.expect(";", "an operator or `;`")
    }

    /// Both sides of an equation, with the function that it is of.
    fn sides(&mut self, lexer: &mut Lexer<'_>) -> Result<Option<(u32, Equation)>, SyntaxError> {
        let span = lexer.span();
        let mut left = self.expr(lexer)?;
        let mut condition = None;
        if lexer.take("->")? {
            self.accept(Sort::Bool, left.sort, span)?;
            condition = Some(std::mem::replace(&mut left, self.expr(lexer)?));
        }
        lexer.expect("=", "an operator or `=`")?;
        let right = lexer.span();
        let result = self.expr(lexer)?;
        self.accept(left.sort, result.sort, right)?;
        // Constructors are free here: values of theirs that are written differently are different.
        let of = match left.code.last() {
            Some(Instr::Construct(number, _)) => {
                Some(self.signature.constructors[*number as usize].symbol)
            }
            Some(Instr::Value(Value::Symbol(symbol))) => Some(*symbol),
            _ => None,
        };
        if let Some(symbol) = of {
            let name = self.signature.symbol_name(symbol);
            let what = format!("equations of constructors, as of `{name}`, are not supported");
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        }
        let Some((function, nodes, patterns)) = patterns(&left.code) else { return Ok(None) };
        let bound: Vec<u32> = nodes
            .iter()
            .filter_map(|node| match node {
                Pattern::Variable(slot) => Some(*slot),
                _ => None,
            })
            .collect();
        let mut used = result
            .slots(&self.signature)
            .chain(condition.iter().flat_map(|condition| condition.slots(&self.signature)));
        if let Some(free) = used.find(|slot| !bound.contains(slot)) {
            let name = &self.slots[free as usize].name;
            let what = format!("variable `{name}` does not occur on the left-hand side");
            return Err(SyntaxError::new(SyntaxErrorKind::Other(what), span));
        }
        drop(used);
        let slots = Vec::new();
        Ok(Some((function, Equation { nodes, patterns, condition, result, slots })))
    }
}

/// Goes to the next semicolon.
fn pass_over(lexer: &mut Lexer<'_>) -> Result<(), SyntaxError> {
    while !lexer.is(";") {
        if lexer.token() == Token::End {
            return Err(lexer.unexpected("`;`"));
        }
        lexer.advance()?;
    }
    Ok(())
}

/// Whether a section goes on.
fn more(lexer: &Lexer<'_>, stops: &[&str]) -> bool {
    match lexer.token() {
        Token::End => false,
        Token::Name => !stops.contains(&lexer.text()) && !SECTIONS.contains(&lexer.text()),
        // An equation may begin with a bracket or an operator.
        _ => true,
    }
}

/// The function of a left-hand side, and the patterns of its arguments; `None` if it is of another
/// form.
fn patterns(code: &[Instr]) -> Option<(u32, Vec<Pattern>, Vec<u32>)> {
    enum Item {
        Node(u32),
        Function(u32, Vec<u32>),
    }
    let mut nodes: Vec<Pattern> = Vec::new();
    let mut stack: Vec<Item> = Vec::new();
    for instr in code {
        let count = instr.operands()?;
        let from = stack.len() - count;
        let mut function = None;
        let mut children = Vec::new();
        for (i, item) in stack.split_off(from).into_iter().enumerate() {
            match (item, instr) {
                (Item::Node(node), _) => children.push(node),
                (Item::Function(f, first), Instr::Call(_)) if i == 0 => {
                    function = Some(f);
                    children = first;
                }
                _ => return None,
            }
        }
        let pattern = match *instr {
            Instr::Slot(slot) => Pattern::Variable(slot),
            Instr::Value(value) => Pattern::Value(value),
            Instr::Construct(constructor, _) => Pattern::Construct(constructor, children),
            Instr::List(_) => Pattern::List(children),
            Instr::Binary(crate::data::Binary::Prepend) => {
                Pattern::Prepend(children[0], children[1])
            }
            Instr::Binary(crate::data::Binary::Append) => Pattern::Append(children[0], children[1]),
            Instr::Set(0) | Instr::Bag(0) => Pattern::Nothing,
            Instr::Apply(function, _) => {
                stack.push(Item::Function(function, children));
                continue;
            }
            Instr::Call(_) => {
                stack.push(Item::Function(function?, children));
                continue;
            }
            _ => return None,
        };
        nodes.push(pattern);
        stack.push(Item::Node(nodes.len() as u32 - 1));
    }
    match stack.pop()? {
        Item::Function(function, patterns) if stack.is_empty() => Some((function, nodes, patterns)),
        _ => None,
    }
}
