//! From text to automata.

use bdd::{Bdd, Config, Manager, Stop};
use rustc_hash::FxHashMap;
use source::Span;

use super::error::{HoaError, HoaErrorKind};
use super::lex::{Lexer, Token};
use crate::diagram::Diagrams;
use crate::ltl::{Atom, parse_atom};
use crate::marks::Marks;
use crate::tgba::{StateId, Tgba, Transition};

/// The largest number of atoms: diagrams recurse once for each.
const MAX_ATOMS: u32 = 1000;
/// The largest number of acceptance sets.
const MAX_SETS: u32 = 1 << 12;
/// The largest number of states.
const MAX_STATES: u32 = 1 << 20;
/// The largest number of atoms of an automaton whose edges have no labels: it has two to that
/// power of edges in each state.
const MAX_IMPLICIT: u32 = 16;

/// Reads one automaton.
pub fn parse(text: &str) -> Result<Tgba, HoaError> {
    if text.len() >= u32::MAX as usize {
        let kind = HoaErrorKind::TooLong { bytes: text.len() };
        return Err(HoaError { kind, span: Span::new(0, 0) });
    }
    let mut lexer = Lexer::new(text);
    let (token, span) = lexer.next()?;
    let config = Config { node_limit: 1 << 22, ..Config::default() };
    let parser = Parser {
        lexer,
        token,
        span,
        bdd: Manager::new(config),
        states: None,
        starts: Vec::new(),
        atoms: None,
        aliases: FxHashMap::default(),
        acceptance: None,
    };
    parser.automaton()
}

/// What `Acceptance:` says.
struct Acceptance {
    /// The number of sets.
    sets: u32,
    /// The mark of each set that counts.
    marks: Vec<Option<u32>>,
    /// The number of sets that count.
    count: u32,
    /// The condition is false.
    never: bool,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    span: Span,
    bdd: Manager,
    states: Option<u32>,
    starts: Vec<(u32, Span)>,
    atoms: Option<Vec<Atom>>,
    aliases: FxHashMap<String, Bdd>,
    acceptance: Option<Acceptance>,
}

/// An edge of the body, with the marks as they stand there.
struct Edge {
    label: Option<Bdd>,
    to: u32,
    marks: Marks,
}

impl Parser<'_> {
    fn automaton(mut self) -> Result<Tgba, HoaError> {
        self.version()?;
        let mut seen: Vec<String> = Vec::new();
        loop {
            let span = self.span;
            match self.take()? {
                Token::Header(name) => {
                    let many = matches!(name.as_str(), "Start" | "Alias" | "properties");
                    if !many && seen.contains(&name) {
                        return Err(HoaError { kind: HoaErrorKind::Twice(name), span });
                    }
                    self.header(&name, span)?;
                    seen.push(name);
                }
                Token::Body => break,
                Token::Abort => return Err(HoaError { kind: HoaErrorKind::Aborted, span }),
                other => return Err(expected("a header or `--BODY--`", &other, span)),
            }
        }
        let Some(acceptance) = self.acceptance.take() else {
            return Err(HoaError { kind: HoaErrorKind::NoAcceptance, span: self.span });
        };
        let atoms = self.atoms.take().unwrap_or_default();
        let mut bodies: Vec<Option<Vec<Edge>>> = Vec::new();
        loop {
            let span = self.span;
            match self.take()? {
                Token::Header(name) if name == "State" => {
                    self.state(atoms.len() as u32, &acceptance, &mut bodies)?;
                }
                Token::End => break,
                Token::Abort => return Err(HoaError { kind: HoaErrorKind::Aborted, span }),
                other => return Err(expected("`State:`, an edge or `--END--`", &other, span)),
            }
        }
        if self.token != Token::Nothing {
            return Err(expected("nothing after the automaton", &self.token, self.span));
        }
        self.build(atoms, &acceptance, bodies)
    }

    /// Puts the parts together. The initial state becomes one, and false acceptance becomes an
    /// automaton without transitions.
    fn build(
        self,
        atoms: Vec<Atom>,
        acceptance: &Acceptance,
        bodies: Vec<Option<Vec<Edge>>>,
    ) -> Result<Tgba, HoaError> {
        for &(start, span) in &self.starts {
            self.in_range("state", start, self.states, span)?;
        }
        let mut starts: Vec<u32> = self.starts.iter().map(|&(start, _)| start).collect();
        starts.sort_unstable();
        starts.dedup();
        let targets = bodies.iter().flatten().flatten().map(|edge| edge.to);
        let named = targets.chain(starts.iter().copied()).max().map_or(0, |last| last + 1);
        let mut states = self.states.unwrap_or(named.max(bodies.len() as u32)).max(1);
        let mut transitions = Vec::new();
        let mut labels = Diagrams::new();
        let mut done = FxHashMap::default();
        let mut add = |from: u32, edges: &[Edge], bdd: &Manager| {
            for edge in edges {
                let label = edge.label.unwrap_or(Bdd::TRUE);
                if label.is_false() || acceptance.never {
                    continue;
                }
                let label = labels.import(bdd, &mut done, label, |var| var);
                let marks = edge.marks.iter().filter_map(|set| acceptance.marks[set as usize]);
                let marks = marks.collect();
                let (from, to) = (StateId(from), StateId(edge.to));
                transitions.push(Transition { from, label, to, marks });
            }
        };
        for (state, edges) in bodies.iter().enumerate() {
            if let Some(edges) = edges {
                add(state as u32, edges, &self.bdd);
            }
        }
        let initial = match starts[..] {
            [state] => state,
            _ => {
                // A new state, with the steps of all initial ones.
                for &start in &starts {
                    if let Some(Some(edges)) = bodies.get(start as usize) {
                        add(states, edges, &self.bdd);
                    }
                }
                states += 1;
                states - 1
            }
        };
        let (initial, marks) = (StateId(initial), acceptance.count);
        Ok(Tgba { atoms, labels, states, initial, transitions, marks })
    }

    fn version(&mut self) -> Result<(), HoaError> {
        let span = self.span;
        match self.take()? {
            Token::Header(name) if name == "HOA" => {}
            other => return Err(expected("`HOA: v1`", &other, span)),
        }
        let span = self.span;
        match self.take()? {
            Token::Word(version) if version == "v1" => Ok(()),
            Token::Word(version) => Err(HoaError { kind: HoaErrorKind::Version(version), span }),
            other => Err(expected("`v1`", &other, span)),
        }
    }

    fn header(&mut self, name: &str, span: Span) -> Result<(), HoaError> {
        match name {
            "States" => {
                let number = self.number("a number of states")?;
                at_most("states", u64::from(number), MAX_STATES, span)?;
                self.states = Some(number);
            }
            "Start" => {
                let start = self.number("a state")?;
                at_most("states", u64::from(start) + 1, MAX_STATES, span)?;
                if self.token == Token::Sign('&') {
                    return Err(HoaError { kind: HoaErrorKind::Alternation, span: self.span });
                }
                self.starts.push((start, span));
            }
            "AP" => {
                let announced = self.number("a number of atoms")?;
                at_most("atoms", u64::from(announced), MAX_ATOMS, span)?;
                let mut atoms = Vec::new();
                while let Token::Text(text) = &self.token {
                    atoms.push(parse_atom(text).unwrap_or_else(|| Atom::Expr(text.clone())));
                    self.take()?;
                }
                let given = atoms.len() as u32;
                if given != announced {
                    let kind = HoaErrorKind::AtomCount { announced, given };
                    return Err(HoaError { kind, span });
                }
                self.atoms = Some(atoms);
            }
            "Alias" => {
                let span = self.span;
                match self.take()? {
                    Token::Alias(name) => {
                        let atoms = self.atoms.as_ref().map_or(0, Vec::len) as u32;
                        let label = self.label(atoms)?;
                        self.aliases.insert(name, label);
                    }
                    other => return Err(expected("an alias", &other, span)),
                }
            }
            "Acceptance" => {
                let sets = self.number("a number of acceptance sets")?;
                at_most("acceptance sets", u64::from(sets), MAX_SETS, span)?;
                self.acceptance = Some(self.condition(sets)?);
            }
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let kind = HoaErrorKind::UnknownHeader(name.to_owned());
                return Err(HoaError { kind, span });
            }
            // Headers in lower case are for information.
            _ => {
                while !matches!(
                    self.token,
                    Token::Header(_) | Token::Body | Token::End | Token::Abort | Token::Nothing
                ) {
                    self.take()?;
                }
            }
        }
        Ok(())
    }

    /// A conjunction of `Inf(i)`, parentheses allowed; `t`; `f`.
    fn condition(&mut self, sets: u32) -> Result<Acceptance, HoaError> {
        let mut acceptance =
            Acceptance { sets, marks: vec![None; sets as usize], count: 0, never: false };
        let mut open = 0;
        loop {
            let span = self.span;
            let refuse = |why| Err(HoaError { kind: HoaErrorKind::NotBuchi(why), span });
            match self.take()? {
                Token::Sign('(') => {
                    open += 1;
                    continue;
                }
                Token::Word(word) if word == "t" => {}
                Token::Word(word) if word == "f" => acceptance.never = true,
                Token::Word(word) if word == "Fin" => return refuse("it asks for `Fin`"),
                Token::Word(word) if word == "Inf" => {
                    self.sign('(', "`(`")?;
                    if self.token == Token::Sign('!') {
                        return refuse("it asks for the complement of a set");
                    }
                    let span = self.span;
                    let set = self.number("an acceptance set")?;
                    self.in_range("acceptance set", set, Some(sets), span)?;
                    self.sign(')', "`)`")?;
                    if acceptance.marks[set as usize].is_none() {
                        acceptance.marks[set as usize] = Some(acceptance.count);
                        acceptance.count += 1;
                    }
                }
                other => return Err(expected("`Inf(i)`, `t` or `f`", &other, span)),
            }
            while open > 0 && self.token == Token::Sign(')') {
                self.take()?;
                open -= 1;
            }
            match self.token {
                Token::Sign('&') => {
                    self.take()?;
                }
                Token::Sign('|') => {
                    let kind = HoaErrorKind::NotBuchi("it has a disjunction");
                    return Err(HoaError { kind, span: self.span });
                }
                _ if open > 0 => return Err(expected("`)`", &self.token, self.span)),
                _ => return Ok(acceptance),
            }
        }
    }

    /// What follows `State:`, with the state's edges.
    fn state(
        &mut self,
        atoms: u32,
        acceptance: &Acceptance,
        bodies: &mut Vec<Option<Vec<Edge>>>,
    ) -> Result<(), HoaError> {
        let state_label = self.maybe_label(atoms)?;
        let span = self.span;
        let state = self.number("a state")?;
        at_most("states", u64::from(state) + 1, MAX_STATES, span)?;
        self.in_range("state", state, self.states, span)?;
        if let Token::Text(_) = self.token {
            self.take()?;
        }
        let state_marks = self.marks(acceptance.sets)?;
        if bodies.len() <= state as usize {
            bodies.resize_with(state as usize + 1, || None);
        }
        if bodies[state as usize].is_some() {
            return Err(HoaError { kind: HoaErrorKind::StateTwice(state), span });
        }
        let mut edges = Vec::new();
        while matches!(self.token, Token::Sign('[') | Token::Number(_)) {
            let label = self.maybe_label(atoms)?;
            let target = self.span;
            let to = self.number("a state")?;
            at_most("states", u64::from(to) + 1, MAX_STATES, target)?;
            self.in_range("state", to, self.states, target)?;
            if self.token == Token::Sign('&') {
                return Err(HoaError { kind: HoaErrorKind::Alternation, span: self.span });
            }
            let mut marks = self.marks(acceptance.sets)?;
            marks.unite(&state_marks);
            edges.push(Edge { label, to, marks });
        }
        let labelled = edges.iter().filter(|edge| edge.label.is_some()).count();
        if labelled != 0 && (labelled != edges.len() || state_label.is_some()) {
            return Err(HoaError { kind: HoaErrorKind::MixedLabels, span });
        }
        if let Some(label) = state_label {
            edges.iter_mut().for_each(|edge| edge.label = Some(label));
        } else if labelled == 0 && !edges.is_empty() {
            let letters = 1u64 << atoms.min(40);
            if edges.len() as u64 != letters || atoms > MAX_IMPLICIT {
                let kind = HoaErrorKind::ImplicitLabels { edges: edges.len(), letters };
                return Err(HoaError { kind, span });
            }
            for (letter, edge) in edges.iter_mut().enumerate() {
                let literals: Vec<(u32, bool)> =
                    (0..atoms).map(|atom| (atom, letter >> atom & 1 == 1)).collect();
                edge.label = Some(self.bdd.literals(&literals).map_err(|stop| full(stop, span))?);
            }
        }
        bodies[state as usize] = Some(edges);
        Ok(())
    }

    /// `{0 1}`, or nothing.
    fn marks(&mut self, sets: u32) -> Result<Marks, HoaError> {
        if self.token != Token::Sign('{') {
            return Ok(Marks::none());
        }
        self.take()?;
        let mut marks = Marks::none();
        while self.token != Token::Sign('}') {
            let span = self.span;
            let set = self.number("an acceptance set or `}`")?;
            self.in_range("acceptance set", set, Some(sets), span)?;
            marks.insert(set);
        }
        self.take()?;
        Ok(marks)
    }

    /// `[label]`, or nothing.
    fn maybe_label(&mut self, atoms: u32) -> Result<Option<Bdd>, HoaError> {
        if self.token != Token::Sign('[') {
            return Ok(None);
        }
        self.take()?;
        let label = self.label(atoms)?;
        self.sign(']', "`]` or an operator")?;
        Ok(Some(label))
    }

    /// A boolean expression over numbers of atoms; `!` binds tighter than `&`, `&` than `|`.
    /// With an explicit stack: nesting costs memory, never the call stack.
    fn label(&mut self, atoms: u32) -> Result<Bdd, HoaError> {
        // Each level of parentheses: the disjuncts so far, the conjuncts so far, and whether the
        // next operand is negated.
        let mut levels = vec![(Bdd::FALSE, Bdd::TRUE, false)];
        loop {
            // An operand.
            let span = self.span;
            let mut operand = match self.take()? {
                Token::Sign('!') => {
                    let level = levels.last_mut().expect("one level is always there");
                    level.2 = !level.2;
                    continue;
                }
                Token::Sign('(') => {
                    levels.push((Bdd::FALSE, Bdd::TRUE, false));
                    continue;
                }
                Token::Word(word) if word == "t" => Bdd::TRUE,
                Token::Word(word) if word == "f" => Bdd::FALSE,
                Token::Number(atom) => {
                    self.in_range("atom", atom, Some(atoms), span)?;
                    self.bdd.var(atom).map_err(|stop| full(stop, span))?
                }
                Token::Alias(name) => match self.aliases.get(&name) {
                    Some(&label) => label,
                    None => {
                        return Err(HoaError { kind: HoaErrorKind::UnknownAlias(name), span });
                    }
                },
                other => return Err(expected("a label", &other, span)),
            };
            // What follows it.
            loop {
                let level = levels.last_mut().expect("one level is always there");
                if std::mem::take(&mut level.2) {
                    operand = operand.not();
                }
                let stop = |stop| full(stop, span);
                level.1 = self.bdd.and(level.1, operand).map_err(stop)?;
                match self.token {
                    Token::Sign('&') => {
                        self.take()?;
                        break;
                    }
                    Token::Sign('|') => {
                        level.0 = self.bdd.or(level.0, level.1).map_err(stop)?;
                        level.1 = Bdd::TRUE;
                        self.take()?;
                        break;
                    }
                    _ => {
                        let result = self.bdd.or(level.0, level.1).map_err(stop)?;
                        if levels.len() == 1 {
                            return Ok(result);
                        }
                        self.sign(')', "`)` or an operator")?;
                        levels.pop();
                        operand = result;
                    }
                }
            }
        }
    }

    /// The current token; the next one becomes current.
    fn take(&mut self) -> Result<Token, HoaError> {
        let (token, span) = self.lexer.next()?;
        self.span = span;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn number(&mut self, what: &'static str) -> Result<u32, HoaError> {
        let span = self.span;
        match self.take()? {
            Token::Number(number) => Ok(number),
            other => Err(expected(what, &other, span)),
        }
    }

    fn sign(&mut self, sign: char, what: &'static str) -> Result<(), HoaError> {
        let span = self.span;
        match self.take()? {
            Token::Sign(found) if found == sign => Ok(()),
            other => Err(expected(what, &other, span)),
        }
    }

    fn in_range(
        &self,
        what: &'static str,
        number: u32,
        limit: Option<u32>,
        span: Span,
    ) -> Result<(), HoaError> {
        match limit {
            Some(limit) if number >= limit => {
                Err(HoaError { kind: HoaErrorKind::OutOfRange { what, number, limit }, span })
            }
            _ => Ok(()),
        }
    }
}

fn at_most(what: &'static str, number: u64, limit: u32, span: Span) -> Result<(), HoaError> {
    match number > u64::from(limit) {
        true => Err(HoaError { kind: HoaErrorKind::TooMany { what, number, limit }, span }),
        false => Ok(()),
    }
}

fn expected(what: &'static str, found: &Token, span: Span) -> HoaError {
    let kind = HoaErrorKind::Expected { expected: what, found: found.phrase() };
    HoaError { kind, span }
}

fn full(_: Stop, span: Span) -> HoaError {
    HoaError { kind: HoaErrorKind::Labels, span }
}
