//! `.rule` files.
//!
//! ```text
//! rule NAME(p: value TYPE) {
//!   scope function                      // or program, which is what holds without it
//!   assume p != 0                       // what is so of every value that is followed
//!   returns save_bdd 1                  // the result is the first argument
//!   borrows PyList_Append|Py*_Check     // arguments are not kept
//!   keeps list_add                      // arguments are kept
//!   fallible realloc fails == 0         // `failed` holds where it does
//!   event close = arg(fclose, 1, p) || arg(pclose, 1, p)
//!   PROPERTY                            // never { … }, { … }(b), …, or an automaton
//!   message "TEXT"
//! }
//! ```
//!
//! The parameter is `p: value` for one value, wherever it goes, or `v: var` for one variable; it, and
//! its type, may be missing. In the message, `$p` stands for it. `//` and `/* */` are comments.

use crate::event::{Atom, Event};
use crate::explicit;
use crate::pattern::Pattern;
use automata::sere::{Nfa, violations, violations_to};
use std::collections::BTreeSet;
use std::fmt;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The rule as it is written, without comments.
    pub text: String,
    /// What it ranges over.
    pub variable: Option<Metavariable>,
    /// The words that violate it.
    pub nfa: Nfa,
    /// What to say of a violation.
    pub message: String,
    /// Each function is looked at by itself, and calls of others are events only.
    pub by_function: bool,
    /// What holds of every value that is followed: it compares so with a constant.
    pub assume: Option<(Comparison, i64)>,
    /// Functions whose result is one of their arguments, counted from 1.
    pub returns: Vec<(Pattern, usize)>,
    /// Functions that keep none of their arguments.
    pub borrows: Vec<Pattern>,
    /// Functions that keep arguments, whatever else is known about them.
    pub keeps: Vec<Pattern>,
    /// Functions that may fail, with what their result is then.
    pub fallible: Vec<(Pattern, Comparison, i64)>,
    /// What each atom of the automaton stands for: any of these events.
    pub(crate) atoms: Vec<Vec<Atom>>,
    /// The same for rules over values.
    pub(crate) events: Vec<Vec<Event>>,
}

/// How a value compares with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparison {
    pub(crate) fn parse(text: &str) -> Option<(Comparison, usize)> {
        Some(match text.as_bytes() {
            [b'=', b'=', ..] => (Comparison::Eq, 2),
            [b'!', b'=', ..] => (Comparison::Ne, 2),
            [b'<', b'=', ..] => (Comparison::Le, 2),
            [b'>', b'=', ..] => (Comparison::Ge, 2),
            [b'<', ..] => (Comparison::Lt, 1),
            [b'>', ..] => (Comparison::Gt, 1),
            _ => return None,
        })
    }

    /// The opposite.
    pub(crate) fn negated(self) -> Comparison {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Lt => Comparison::Ge,
            Comparison::Ge => Comparison::Lt,
            Comparison::Gt => Comparison::Le,
            Comparison::Le => Comparison::Gt,
        }
    }

    /// Whether an integer compares with `k` in this way.
    pub(crate) fn holds(self, x: i128, k: i64) -> bool {
        match self {
            Comparison::Eq => x == i128::from(k),
            Comparison::Ne => x != i128::from(k),
            Comparison::Lt => x < i128::from(k),
            Comparison::Le => x <= i128::from(k),
            Comparison::Gt => x > i128::from(k),
            Comparison::Ge => x >= i128::from(k),
        }
    }

    /// Whether some integer compares with `a` in this way and with `b` in another.
    pub(crate) fn meets(self, a: i64, other: Comparison, b: i64) -> bool {
        // Where the comparisons change their mind, and around it.
        let candidates = [a, b].into_iter().flat_map(|k| (-2..=2).map(move |d| i128::from(k) + d));
        candidates.into_iter().any(|x| self.holds(x, a) && other.holds(x, b))
    }
}

/// What stands for one of many objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metavariable {
    /// Its name.
    pub name: String,
    /// It is a value, and no variable.
    pub value: bool,
    /// The type of the objects; none: any.
    pub ty: Option<String>,
}

/// Why a text is no list of rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// One phrase.
    pub message: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for RuleError {}

impl Rule {
    /// Whether it is about results that nobody takes.
    pub fn is_about_ignored(&self) -> bool {
        self.events.iter().flatten().any(|e| *e == Event::Ignored)
    }

    /// The message about an object, named without its function.
    pub fn message_for(&self, object: &str) -> String {
        match &self.variable {
            Some(v) => {
                // What has no name is not quoted as one.
                let quoted = format!("`${}`", v.name);
                let text = match object == crate::NAMELESS {
                    true => self.message.replace(&quoted, object),
                    false => self.message.clone(),
                };
                text.replace(&format!("${}", v.name), local_name(object))
            }
            None => self.message.clone(),
        }
    }

    /// Whether it follows a value.
    pub fn is_about_values(&self) -> bool {
        self.variable.as_ref().is_some_and(|v| v.value)
    }

    /// Whether an object with these names of its type is one of those that it ranges over. The names
    /// are without blanks around `*`; what has no known type is.
    pub fn is_about_type(&self, names: &[String]) -> bool {
        let Some(ty) = self.variable.as_ref().and_then(|v| v.ty.as_ref()) else { return true };
        let wanted = ty.replace(" *", "*").replace("* ", "*").replace("const ", "");
        names.is_empty() || names.contains(&wanted)
    }

    /// The functions that its events name.
    pub fn functions(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for pattern in self.atoms.iter().flatten().filter_map(Atom::functions) {
            for name in Pattern::new(pattern).names() {
                if !name.is_empty() && !out.iter().any(|f| f == name) {
                    out.push(name.to_owned());
                }
            }
        }
        out
    }

    /// The events that the atoms are for an object, as programs write them; each with what people read,
    /// where the object has no function before its name.
    pub fn events_for(&self, object: &str) -> Vec<(String, String)> {
        let shown = self.atoms_for(local_name(object));
        let events = self.atoms_for(object).into_iter().zip(shown);
        events.map(|((_, text, _), (_, shown, _))| (text, shown)).collect()
    }

    /// The atoms that some events are for an object, as bits; the events as programs write them.
    pub fn letter(&self, object: &str, events: &[&str]) -> u64 {
        let atoms = self.atoms_for(object).into_iter();
        let held = atoms.filter(|(_, text, _)| events.contains(&text.as_str()));
        held.fold(0, |letter, (number, ..)| letter | 1u64.checked_shl(number).unwrap_or(0))
    }

    /// The events that the atoms are for an object, each with the atom's number; the last is whether
    /// that depends on the object.
    pub(crate) fn atoms_for(&self, object: &str) -> Vec<(u32, String, bool)> {
        let local = local_name(object);
        let scope = &object[..object.len() - local.len()];
        let variable = self.variable.as_ref().map(|v| v.name.as_str());
        let mut out = Vec::new();
        let atoms = self.atoms.iter().zip(0..).flat_map(|(all, n)| all.iter().map(move |a| (n, a)));
        for (number, atom) in atoms {
            let mut depends = false;
            let arguments: Vec<String> = (atom.arguments.iter())
                .map(|argument| match variable.and_then(|v| substituted(argument, v, local)) {
                    Some(new) => {
                        depends = true;
                        format!("{scope}{new}")
                    }
                    None => argument.clone(),
                })
                .collect();
            // A name that stands for several functions is several events.
            let names: Vec<&str> = match atom.functions() {
                Some(names) => names.split('|').map(str::trim).collect(),
                None => vec![""],
            };
            for name in names {
                let mut event = Atom { word: atom.word.clone(), arguments: arguments.clone() };
                if !name.is_empty() {
                    name.clone_into(&mut event.arguments[0]);
                }
                out.push((number, event.to_string(), depends));
            }
        }
        out
    }

    /// Whether a word may break it with its last letter. A letter is the set of the atoms that may hold, as
    /// bits; those that do are some of them. `late`: there may be a letter before that nobody tells.
    pub fn may_be_broken_by(&self, word: &[u64], late: bool) -> bool {
        let nfa = &self.nfa;
        let mut states = BTreeSet::from([0u32]);
        if late {
            states.extend(nfa.transitions.iter().filter(|t| t.0 == 0).map(|t| t.2));
        }
        let mut broken = false;
        for letter in word {
            let mut next = BTreeSet::new();
            // All subsets, the letter itself first.
            let mut some = *letter;
            loop {
                let reads = |condition| nfa.holds(condition, &|atom| some >> atom & 1 == 1);
                let steps = nfa.transitions.iter().filter(|t| states.contains(&t.0) && reads(t.1));
                next.extend(steps.map(|t| t.2));
                if some == 0 || letter.count_ones() > MOST_SUBSETS {
                    break;
                }
                some = (some - 1) & letter;
            }
            broken = next.iter().any(|&state| nfa.accepting[state as usize]);
            states = next;
        }
        broken
    }

    /// The number of the atom that the rule calls so.
    pub fn atom(&self, name: &str) -> Option<u32> {
        self.nfa.atoms.iter().position(|a| a == name).map(|i| i as u32)
    }
}

/// Of letters with more atoms, subsets are not tried.
const MOST_SUBSETS: u32 = 12;

/// An object's name without its function.
fn local_name(object: &str) -> &str {
    object.rsplit("::").next().unwrap_or(object)
}

/// A property without objects as a rule: `never {r}`, `{r}(b)`, `{r} |-> b` or `{r} |=> b`.
pub fn from_sere(text: &str) -> Result<Rule, automata::sere::SereError> {
    let nfa = violations(text)?;
    Ok(Rule {
        name: text.to_owned(),
        text: text.to_owned(),
        variable: None,
        atoms: nfa.atoms.iter().map(|a| vec![Atom::parse(a)]).collect(),
        nfa,
        message: format!("`{text}` is violated"),
        by_function: false,
        assume: None,
        returns: Vec::new(),
        borrows: Vec::new(),
        keeps: Vec::new(),
        fallible: Vec::new(),
        events: Vec::new(),
    })
}

/// The text with each word `name` replaced; none if there is none.
fn substituted(text: &str, name: &str, by: &str) -> Option<String> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut found) = (String::new(), false);
    let mut rest = text;
    while let Some(start) = rest.find(in_word) {
        let end = rest[start..].find(|c| !in_word(c)).map_or(rest.len(), |n| start + n);
        // Members have names of their own.
        let member = rest[..start].ends_with("->") || rest[..start].ends_with('.');
        out.push_str(&rest[..start]);
        if &rest[start..end] == name && !member {
            out.push_str(by);
            found = true;
        } else {
            out.push_str(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    found.then_some(out)
}

/// Reads rules.
pub fn parse(text: &str) -> Result<Vec<Rule>, RuleError> {
    let blanked = without_comments(text);
    let mut parser = Parser { text: &blanked, pos: 0 };
    let mut rules: Vec<Rule> = Vec::new();
    loop {
        parser.space();
        if parser.rest().is_empty() {
            return Ok(rules);
        }
        let rule = parser.rule()?;
        if rules.iter().any(|other| other.name == rule.name) {
            return Err(parser.fail(format!("there are two rules `{}`", rule.name)));
        }
        rules.push(rule);
    }
}

/// The text with one blank for several, and for line breaks, outside of quotes.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        match c.is_whitespace() && !quoted {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out
}

/// The same text with blanks for comments, so that places stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        let comment = if quoted {
            0
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else {
            0
        };
        if comment > 0 {
            out.extend(rest[..comment].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = &rest[comment..];
            continue;
        }
        quoted ^= c == '"';
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// A name for events, with where they stand.
struct Named {
    name: String,
    atoms: Vec<Atom>,
    at: Vec<usize>,
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    pub(crate) pos: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }
    pub(crate) fn space(&mut self) {
        self.pos += self.rest().len() - self.rest().trim_start().len();
    }
    pub(crate) fn fail_at(&self, at: usize, message: impl Into<String>) -> RuleError {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        let column = before[start..].chars().count() as u32 + 1;
        RuleError { line, column, message: message.into() }
    }
    pub(crate) fn fail(&self, message: impl Into<String>) -> RuleError {
        self.fail_at(self.pos, message)
    }
    pub(crate) fn expect(&mut self, what: &str) -> Result<(), RuleError> {
        self.space();
        if !self.rest().starts_with(what) {
            return Err(self.fail(format!("expected `{what}`")));
        }
        self.pos += what.len();
        Ok(())
    }
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, RuleError> {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.fail(format!("expected {what}")));
        }
        self.pos += end;
        Ok(&rest[..end])
    }
    /// The word here, if it is this one; the position moves behind it.
    pub(crate) fn keyword(&mut self, word: &str) -> bool {
        self.space();
        let rest = self.rest();
        let found = rest.starts_with(word)
            && !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if found {
            self.pos += word.len();
        }
        found
    }
    fn pattern(&mut self) -> Result<Pattern, RuleError> {
        self.space();
        let rest = self.rest();
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | '|');
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.fail("expected names of functions"));
        }
        self.pos += end;
        Ok(Pattern::new(&rest[..end]))
    }
    pub(crate) fn number(&mut self) -> Result<i64, RuleError> {
        self.space();
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let end = rest.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[..end].parse() {
            Ok(number) => {
                self.pos += end;
                Ok(number)
            }
            Err(_) => Err(self.fail("expected a number")),
        }
    }
    pub(crate) fn comparison(&mut self) -> Result<Comparison, RuleError> {
        self.space();
        match Comparison::parse(self.rest()) {
            Some((comparison, length)) => {
                self.pos += length;
                Ok(comparison)
            }
            None => Err(self.fail("expected a comparison")),
        }
    }

    fn rule(&mut self) -> Result<Rule, RuleError> {
        self.space();
        let start = self.pos;
        if self.word("`rule`")? != "rule" {
            return Err(self.fail_at(start, "expected `rule`"));
        }
        let name = self.word("the name of a rule")?.to_owned();
        self.space();
        let mut variable = None;
        if self.rest().starts_with('(') {
            self.pos += 1;
            let name = self.word("a metavariable")?.to_owned();
            self.expect(":")?;
            self.space();
            let at = self.pos;
            let value = match self.word("`var` or `value`")? {
                "var" => false,
                "value" => true,
                _ => return Err(self.fail_at(at, "expected `var` or `value`")),
            };
            let Some(end) = self.rest().find(')') else {
                return Err(self.fail("expected `)`"));
            };
            if let Some(second) = self.rest()[..end].find(',') {
                let message = "a rule is about one object: write one rule for each";
                return Err(self.fail_at(self.pos + second, message));
            }
            let ty = self.rest()[..end].split_whitespace().collect::<Vec<_>>().join(" ");
            self.pos += end + 1;
            variable = Some(Metavariable { name, value, ty: Some(ty).filter(|t| !t.is_empty()) });
        }
        self.expect("{")?;
        let mut rule = Rule {
            name,
            text: String::new(),
            variable,
            nfa: Nfa {
                atoms: Vec::new(),
                conditions: Vec::new(),
                transitions: Vec::new(),
                accepting: Vec::new(),
            },
            message: String::new(),
            by_function: false,
            assume: None,
            returns: Vec::new(),
            borrows: Vec::new(),
            keeps: Vec::new(),
            fallible: Vec::new(),
            atoms: Vec::new(),
            events: Vec::new(),
        };
        let mut named: Vec<Named> = Vec::new();
        while self.declaration(&mut rule, &mut named)? {
            self.space();
            if self.rest().starts_with(';') {
                self.pos += 1;
            }
        }
        let from = self.pos;
        self.property(&mut rule)?;
        if rule.by_function && !rule.is_about_values() {
            return Err(self.fail_at(start, "only rules about values have `scope function`"));
        }
        let mut places: Vec<Vec<usize>> = Vec::new();
        for atom in &rule.nfa.atoms {
            let known = named.iter().find(|n| n.name == *atom);
            rule.atoms.push(known.map_or_else(|| vec![Atom::parse(atom)], |n| n.atoms.clone()));
            places.push(known.map_or_else(|| vec![self.place_of(from, atom)], |n| n.at.clone()));
        }
        if let Some(v) = rule.variable.as_ref().filter(|v| v.value) {
            for (atoms, at) in rule.atoms.iter().zip(&places) {
                let mut events = Vec::new();
                for (atom, at) in atoms.iter().zip(at) {
                    let event = Event::of(atom, &v.name);
                    events.push(event.map_err(|message| self.fail_at(*at, message))?);
                }
                rule.events.push(events);
            }
        }
        self.expect("message")?;
        self.expect("\"")?;
        let Some(end) = self.rest().find('"') else {
            return Err(self.fail("expected a closing quote"));
        };
        rule.message = self.rest()[..end].to_owned();
        self.pos += end + 1;
        self.expect("}")?;
        rule.text = squeezed(&self.text[start..self.pos]);
        Ok(rule)
    }

    /// Where an event of the property stands, which begins at `from`.
    fn place_of(&self, from: usize, atom: &str) -> usize {
        let text = &self.text[from..self.pos];
        let word = atom.split('(').next().unwrap_or(atom);
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        let whole = |i: &usize| {
            !text[..*i].ends_with(inside) && !text[i + word.len()..].starts_with(inside)
        };
        // The same event, whatever blanks there are; else the same word.
        let plain = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let same = |i: &usize| plain(&text[*i..]).starts_with(&plain(atom));
        let found: Vec<usize> = text.match_indices(word).map(|(i, _)| i).filter(whole).collect();
        from + found.iter().copied().find(same).or(found.first().copied()).unwrap_or(0)
    }

    /// Reads what may stand before the property; false if there is no more.
    fn declaration(&mut self, rule: &mut Rule, named: &mut Vec<Named>) -> Result<bool, RuleError> {
        if self.keyword("scope") {
            self.space();
            let at = self.pos;
            rule.by_function = match self.word("`function` or `program`")? {
                "function" => true,
                "program" => false,
                _ => return Err(self.fail_at(at, "expected `function` or `program`")),
            };
        } else if self.keyword("assume") {
            self.space();
            let at = self.pos;
            let name = self.word("the metavariable")?;
            if rule.variable.as_ref().is_none_or(|v| v.name != name || !v.value) {
                return Err(self.fail_at(at, "expected the value that the rule is about"));
            }
            rule.assume = Some((self.comparison()?, self.number()?));
        } else if self.keyword("returns") {
            let pattern = self.pattern()?;
            self.space();
            let at = self.pos;
            let number = usize::try_from(self.number()?).ok().filter(|n| *n > 0);
            let number = number.ok_or_else(|| self.fail_at(at, "arguments are counted from 1"))?;
            rule.returns.push((pattern, number));
        } else if self.keyword("borrows") {
            rule.borrows.push(self.pattern()?);
        } else if self.keyword("keeps") {
            rule.keeps.push(self.pattern()?);
        } else if self.keyword("fallible") {
            let pattern = self.pattern()?;
            self.expect("fails")?;
            rule.fallible.push((pattern, self.comparison()?, self.number()?));
        } else if self.keyword("event") {
            let name = self.word("the name of an event")?.to_owned();
            self.expect("=")?;
            let (mut atoms, mut at) = (Vec::new(), Vec::new());
            loop {
                self.space();
                let from = self.pos;
                let word = self.word("an event")?.to_owned();
                let mut arguments = Vec::new();
                if self.rest().starts_with('(') {
                    let Some(end) = self.rest().find(')') else {
                        return Err(self.fail_at(from, "expected `)`"));
                    };
                    let inside = self.rest()[1..end].split(',').map(str::trim);
                    arguments = inside.map(str::to_owned).collect();
                    self.pos += end + 1;
                }
                atoms.push(Atom { word, arguments });
                at.push(from);
                self.space();
                if !self.rest().starts_with("||") {
                    break;
                }
                self.pos += 2;
            }
            named.push(Named { name, atoms, at });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn property(&mut self, rule: &mut Rule) -> Result<(), RuleError> {
        let from = self.pos;
        if self.keyword("automaton") {
            rule.nfa = explicit::automaton(self)?;
        } else {
            // The property goes up to the word `message` outside all brackets.
            let mut depth = 0usize;
            let mut to = None;
            let mut quoted = false;
            for (i, c) in self.rest().char_indices() {
                match c {
                    '"' => quoted = !quoted,
                    _ if quoted => {}
                    '{' | '(' => depth += 1,
                    '}' | ')' if depth == 0 => break,
                    '}' | ')' => depth -= 1,
                    'm' if depth == 0 && self.rest()[i..].starts_with("message") => {
                        to = Some(from + i);
                        break;
                    }
                    _ => {}
                }
            }
            let Some(to) = to else {
                return Err(self.fail("expected a property and `message`"));
            };
            let property = self.text[from..to].trim_end();
            // A run ends where the program does; for a value, that is where nothing has it any more.
            let end = match rule.variable.as_ref().filter(|v| v.value) {
                Some(v) => format!("lost({})", v.name),
                None => "exit".to_owned(),
            };
            rule.nfa = violations_to(property, &end)
                .map_err(|error| self.fail_at(from + error.at, error.to_string()))?;
            self.pos = to;
        }
        if rule.nfa.atoms.len() > 64 {
            return Err(self.fail_at(from, "more than 64 different events"));
        }
        Ok(())
    }
}
