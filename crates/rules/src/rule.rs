//! `.rule` files.
//!
//! ```text
//! rule NAME(v: var TYPE) { PROPERTY message "TEXT" }
//! ```
//!
//! The parameter, and its type, may be missing. In atoms of the property, `v` stands for the object,
//! also within `&v`, `*v` and `v->lock`; in the message, `$v` does. `//` and `/* */` are comments.

use automata::sere::{Nfa, violations};
use std::fmt;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// What it ranges over.
    pub variable: Option<Metavariable>,
    /// The words that violate it.
    pub nfa: Nfa,
    /// What to say of a violation.
    pub message: String,
}

/// What stands for one of many objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metavariable {
    /// Its name.
    pub name: String,
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
    /// The message about an object, named without its function.
    pub fn message_for(&self, object: &str) -> String {
        let local = object.rsplit("::").next().unwrap_or(object);
        match &self.variable {
            Some(v) => self.message.replace(&format!("${}", v.name), local),
            None => self.message.clone(),
        }
    }

    /// The functions that its events name.
    pub fn functions(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for atom in &self.nfa.atoms {
            let Some((word, inside)) = atom.split_once('(') else { continue };
            if !matches!(word, "call" | "arg" | "result") {
                continue;
            }
            let first = inside.split([',', ')']).next().unwrap_or("").trim();
            if !first.is_empty() && !out.iter().any(|f| f == first) {
                out.push(first.to_owned());
            }
        }
        out
    }

    /// The events that the atoms are for an object.
    pub fn events_for(&self, object: &str) -> Vec<String> {
        self.atoms_for(object).into_iter().map(|(text, _)| text).collect()
    }

    /// The events that the atoms are for an object; the second is whether that depends on it.
    pub(crate) fn atoms_for(&self, object: &str) -> Vec<(String, bool)> {
        let (scope, local) = match object.rfind("::") {
            Some(i) => object.split_at(i + 2),
            None => ("", object),
        };
        let atom = |text: &String| {
            let (Some(v), Some((word, inside))) = (&self.variable, text.split_once('(')) else {
                return (text.clone(), false);
            };
            let inside = inside.strip_suffix(')').unwrap_or(inside);
            let mut depends = false;
            let arguments: Vec<String> = inside
                .split(", ")
                .map(|argument| match substituted(argument, &v.name, local) {
                    Some(new) => {
                        depends = true;
                        format!("{scope}{new}")
                    }
                    None => argument.to_owned(),
                })
                .collect();
            (format!("{word}({})", arguments.join(", ")), depends)
        };
        self.nfa.atoms.iter().map(atom).collect()
    }
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
            out.extend(rest[..comment].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
            rest = &rest[comment..];
            continue;
        }
        quoted ^= c == '"';
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }
    fn space(&mut self) {
        self.pos += self.rest().len() - self.rest().trim_start().len();
    }
    fn fail_at(&self, at: usize, message: impl Into<String>) -> RuleError {
        let before = &self.text[..at.min(self.text.len())];
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        let column = before[start..].chars().count() as u32 + 1;
        RuleError { line, column, message: message.into() }
    }
    fn fail(&self, message: impl Into<String>) -> RuleError {
        self.fail_at(self.pos, message)
    }
    fn expect(&mut self, what: &str) -> Result<(), RuleError> {
        self.space();
        if !self.rest().starts_with(what) {
            return Err(self.fail(format!("expected `{what}`")));
        }
        self.pos += what.len();
        Ok(())
    }
    fn word(&mut self, what: &str) -> Result<&'a str, RuleError> {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.fail(format!("expected {what}")));
        }
        self.pos += end;
        Ok(&rest[..end])
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
            if self.word("`var`")? != "var" {
                return Err(self.fail_at(at, "expected `var`"));
            }
            let Some(end) = self.rest().find(')') else {
                return Err(self.fail("expected `)`"));
            };
            let ty = self.rest()[..end].split_whitespace().collect::<Vec<_>>().join(" ");
            self.pos += end + 1;
            variable = Some(Metavariable { name, ty: Some(ty).filter(|t| !t.is_empty()) });
        }
        self.expect("{")?;
        // The property goes up to the word `message` outside all brackets.
        let from = self.pos;
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
        let nfa = violations(property)
            .map_err(|error| self.fail_at(from + error.at, error.to_string()))?;
        if nfa.atoms.len() > 64 {
            return Err(self.fail_at(from, "more than 64 different events"));
        }
        self.pos = to + "message".len();
        self.expect("\"")?;
        let Some(end) = self.rest().find('"') else {
            return Err(self.fail("expected a closing quote"));
        };
        let message = self.rest()[..end].to_owned();
        self.pos += end + 1;
        self.expect("}")?;
        Ok(Rule { name, variable, nfa, message })
    }
}
