//! Which names there are in a text, what they mean, and where they are used.
//!
//! It reads tokens, not trees: while somebody types there is no tree. What is unusual may be taken for a variable;
//! nothing but what an editor shows depends on it.

use crate::text::Language;
use source::Span;
use std::collections::HashSet;

/// What a name is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A variable, a constant, a metavariable.
    Variable,
    /// A procedure, a module, a rule.
    Procedure,
    /// A label; a stack symbol.
    Label,
    /// An event of a rule.
    Event,
    /// A control location.
    Control,
}

impl Kind {
    /// The word for people.
    pub fn word(self, language: Language) -> &'static str {
        match (self, language) {
            (Kind::Variable, _) => "variable",
            (Kind::Procedure, Language::Rule) => "rule",
            (Kind::Procedure, Language::Remopla) => "module",
            (Kind::Procedure, _) => "procedure",
            (Kind::Label, Language::Pds) => "stack symbol",
            (Kind::Label, _) => "label",
            (Kind::Event, _) => "event",
            (Kind::Control, _) => "control location",
        }
    }
}

/// An occurrence of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
    /// The procedure that it stands in, by number; none for what is global.
    pub scope: Option<usize>,
    /// Whether it is declared here.
    pub defines: bool,
}

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// In the order of the text.
    pub all: Vec<Occurrence>,
    /// The procedures, by number.
    pub procedures: Vec<String>,
}

impl Names {
    /// The occurrence at an offset.
    pub fn at(&self, offset: usize) -> Option<&Occurrence> {
        let offset = offset as u32;
        self.all.iter().find(|o| o.span.start <= offset && offset <= o.span.end)
    }

    /// Where the name of an occurrence is declared.
    pub fn definition(&self, of: &Occurrence) -> Option<&Occurrence> {
        let named = || self.all.iter().filter(|o| o.defines && o.name == of.name);
        let same =
            |scope: Option<usize>| named().find(move |o| o.kind == of.kind && o.scope == scope);
        let any = |scope: Option<usize>| named().find(move |o| o.scope == scope);
        same(of.scope).or_else(|| same(None)).or_else(|| any(of.scope)).or_else(|| any(None))
    }

    /// All occurrences of what an occurrence means.
    pub fn references(&self, of: &Occurrence) -> Vec<&Occurrence> {
        let Some(definition) = self.definition(of) else { return Vec::new() };
        let same = |o: &&Occurrence| {
            o.name == of.name && self.definition(o).is_some_and(|d| d.span == definition.span)
        };
        self.all.iter().filter(same).collect()
    }

    /// The procedure whose text an offset is in.
    pub fn scope(&self, offset: usize) -> Option<usize> {
        let before = self.all.iter().filter(|o| (o.span.start as usize) <= offset);
        before
            .filter_map(|o| match (o.kind, o.defines) {
                (Kind::Procedure, true) => self.procedures.iter().position(|p| *p == o.name),
                _ => o.scope,
            })
            .next_back()
    }
}

/// The names of a text. C has a server of its own for that.
pub fn names(text: &str, language: Language) -> Names {
    let mut reader = Reader {
        text,
        language,
        tokens: tokens(text, language),
        at: 0,
        scope: None,
        declared: HashSet::new(),
        out: Names::default(),
    };
    match language {
        Language::Bp => reader.bp(),
        Language::Remopla => reader.remopla(),
        Language::Pds => reader.pds(),
        Language::Rule => reader.rules(),
        Language::C => {}
    }
    reader.out.all.sort_by_key(|o| o.span.start);
    reader.out
}

/// The words that a language begins statements and declarations with.
pub fn keywords(language: Language) -> &'static [&'static str] {
    match language {
        Language::Bp => &[
            "abortif",
            "assert",
            "assume",
            "begin",
            "bool",
            "constrain",
            "dead",
            "decl",
            "dfs",
            "do",
            "else",
            "elsif",
            "end",
            "enforce",
            "fi",
            "goto",
            "if",
            "od",
            "print",
            "return",
            "schoose",
            "skip",
            "then",
            "void",
            "while",
            "T",
            "F",
        ],
        Language::Remopla => &[
            "A", "E", "bool", "break", "define", "do", "else", "enum", "false", "fi", "goto", "if",
            "init", "int", "module", "od", "return", "shared", "skip", "struct", "true", "undef",
            "unsigned", "void",
        ],
        Language::Pds => &["bool", "false", "global", "int", "local", "true"],
        Language::Rule => &[
            "arg",
            "assign",
            "assume",
            "automaton",
            "borrows",
            "call",
            "count",
            "deref",
            "down",
            "error",
            "escape",
            "event",
            "exit",
            "fallible",
            "failed",
            "fails",
            "keeps",
            "lost",
            "message",
            "never",
            "new",
            "on",
            "result",
            "return",
            "returns",
            "rule",
            "scope",
            "start",
            "true",
            "up",
            "use",
            "value",
            "var",
            "when",
        ],
        Language::C => &[],
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Word,
    Mark(char),
    Other,
}

/// Words and marks, without comments.
fn tokens(text: &str, language: Language) -> Vec<(Token, Span)> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let to_end_of_line = |i: usize| text[i..].find('\n').map_or(text.len(), |n| i + n);
    let in_moped = matches!(language, Language::Remopla | Language::Pds);
    let mut i = 0;
    while let Some(c) = text[i..].chars().next() {
        let rest = &text[i..];
        let start = i;
        if rest.starts_with("//") || in_moped && (c == '#' || c == '%') {
            i = to_end_of_line(i);
            continue;
        }
        if rest.starts_with("/*") {
            i = rest.find("*/").map_or(text.len(), |n| i + n + 2);
            continue;
        }
        let token = match c {
            '{' if language == Language::Bp => {
                i = rest.find('}').map_or(text.len(), |n| i + n + 1);
                Token::Word
            }
            '"' if language == Language::Rule => {
                i = rest[1..].find('"').map_or(text.len(), |n| i + n + 2);
                Token::Other
            }
            c if c.is_ascii_digit() => {
                let end = |b: &u8| !b.is_ascii_alphanumeric() && *b != b'_';
                i = bytes[i..].iter().position(end).map_or(text.len(), |n| i + n);
                Token::Other
            }
            c if c.is_alphanumeric() || c == '_' || c == '$' => {
                let part = |c: char| {
                    c.is_alphanumeric()
                        || c == '_'
                        || c == '$'
                        || c == '.' && language == Language::Pds
                };
                i = rest.find(|c| !part(c)).map_or(text.len(), |n| i + n);
                Token::Word
            }
            c => {
                i += c.len_utf8();
                if c.is_whitespace() {
                    continue;
                }
                Token::Mark(c)
            }
        };
        out.push((token, Span::new(start as u32, i as u32)));
    }
    out
}

struct Reader<'t> {
    text: &'t str,
    language: Language,
    tokens: Vec<(Token, Span)>,
    at: usize,
    scope: Option<usize>,
    /// What is declared so far.
    declared: HashSet<(&'t str, Kind, Option<usize>)>,
    out: Names,
}

impl<'t> Reader<'t> {
    fn text(&self, i: usize) -> &'t str {
        let slice = |span: Span| &self.text[span.start as usize..span.end as usize];
        self.tokens.get(i).map_or("", |(_, span)| slice(*span))
    }

    fn is(&self, i: usize, mark: char) -> bool {
        self.tokens.get(i).is_some_and(|(token, _)| *token == Token::Mark(mark))
    }

    /// Whether it is a word that can be a name.
    fn is_name(&self, i: usize) -> bool {
        let word = self.tokens.get(i).is_some_and(|(token, _)| *token == Token::Word);
        word && !keywords(self.language).contains(&self.text(i))
    }

    fn note(&mut self, i: usize, kind: Kind, defines: bool) {
        self.note_in(i, kind, defines, self.scope);
    }

    fn note_in(&mut self, i: usize, kind: Kind, defines: bool, scope: Option<usize>) {
        let text = self.text(i);
        // The first declaration counts; a procedure may be declared before.
        let first = defines && self.declared.insert((text, kind, scope));
        let defines = defines && (first || kind == Kind::Procedure);
        let name = text.to_owned();
        self.out.all.push(Occurrence { name, span: self.tokens[i].1, kind, scope, defines });
    }

    /// A procedure begins.
    fn enter(&mut self, i: usize) {
        self.note_in(i, Kind::Procedure, true, None);
        self.out.procedures.push(self.text(i).to_owned());
        self.scope = Some(self.out.procedures.len() - 1);
    }

    /// The number of the token behind the parenthesis that closes the one at `i`.
    fn behind_parenthesis(&self, i: usize) -> usize {
        let mut depth = 0;
        for j in i..self.tokens.len() {
            depth += i32::from(self.is(j, '(')) - i32::from(self.is(j, ')'));
            if depth == 0 {
                return j + 1;
            }
        }
        self.tokens.len()
    }

    /// Names up to a mark, all of them declared here.
    fn list(&mut self, mut i: usize, end: char, kind: Kind, defines: bool) -> usize {
        while i < self.tokens.len() && !self.is(i, end) {
            if self.is_name(i) {
                self.note(i, kind, defines);
            }
            i += 1;
        }
        i
    }

    /// A label, a jump, a call, a variable.
    fn statement(&mut self, i: usize) -> usize {
        if self.text(i) == "goto" {
            let mut j = i + 1;
            while self.is_name(j) {
                self.note(j, Kind::Label, false);
                j += 1 + usize::from(self.is(j + 1, ','));
            }
            return j.max(i + 1);
        }
        if self.is_name(i) {
            let second = if self.language == Language::Bp { '=' } else { ':' };
            let label = self.is(i + 1, ':') && !self.is(i + 2, second);
            match () {
                () if label => self.note(i, Kind::Label, true),
                () if self.is(i + 1, '(') => self.note(i, Kind::Procedure, false),
                () => self.note(i, Kind::Variable, false),
            }
        }
        i + 1
    }

    fn bp(&mut self) {
        while self.at < self.tokens.len() {
            let i = self.at;
            self.at = match self.text(i) {
                "decl" => self.list(i + 1, ';', Kind::Variable, true),
                "void" | "bool" => {
                    let mut name = i + 1;
                    while self.is(name, '<')
                        || self.is(name, '>')
                        || self.text(name).bytes().all(|b| b.is_ascii_digit())
                            && name < self.tokens.len()
                    {
                        name += 1;
                    }
                    match self.is_name(name) && self.is(name + 1, '(') {
                        true => {
                            self.enter(name);
                            self.list(name + 2, ')', Kind::Variable, true)
                        }
                        false => i + 1,
                    }
                }
                _ => self.statement(i),
            };
        }
    }

    /// `int x[3](2), y;` from its first word; where it ends.
    fn declaration(&mut self, i: usize, end: char) -> usize {
        let mut j = i;
        let mut fresh = true;
        let mut depth = 0;
        while j < self.tokens.len() && !(depth == 0 && self.is(j, end)) {
            if self.is(j, '{') || depth == 0 && self.is(j, '}') {
                return j;
            }
            depth += i32::from(self.is(j, '(') || self.is(j, '['));
            depth -= i32::from(self.is(j, ')') || self.is(j, ']'));
            match self.text(j) {
                "," if depth == 0 => fresh = true,
                "enum" | "struct" => j += 1,
                _ if self.is_name(j) && fresh && depth == 0 => {
                    self.note(j, Kind::Variable, true);
                    fresh = false;
                }
                _ if self.is_name(j) => self.note(j, Kind::Variable, false),
                _ => {}
            }
            j += 1;
        }
        j
    }

    fn remopla(&mut self) {
        let mut depth = 0;
        while self.at < self.tokens.len() {
            let i = self.at;
            depth += i32::from(self.is(i, '{')) - i32::from(self.is(i, '}'));
            if depth == 0 && self.is(i, '}') {
                self.scope = None;
            }
            self.at = match self.text(i) {
                "define" if self.is_name(i + 1) => {
                    self.note(i + 1, Kind::Variable, true);
                    i + 2
                }
                "init" => self.list(i + 1, ';', Kind::Procedure, false),
                "module" => {
                    let name = (i + 1..i + 5).find(|j| self.is(j + 1, '('));
                    match name.filter(|n| self.is_name(*n)) {
                        Some(name) => {
                            let close = self.behind_parenthesis(name + 1);
                            let body = self.is(close, '{');
                            match body {
                                true => self.enter(name),
                                false => self.note_in(name, Kind::Procedure, false, None),
                            }
                            let mut j = name + 2;
                            while j + 1 < close {
                                j = self.declaration(j, ',').min(close) + 1;
                            }
                            if !body {
                                self.scope = None;
                            }
                            close
                        }
                        None => i + 1,
                    }
                }
                "enum" | "struct" if self.is(i + 2, '{') => {
                    let constants = self.text(i) == "enum";
                    match constants {
                        true => self.list(i + 3, '}', Kind::Variable, true) + 1,
                        false => (i..self.tokens.len())
                            .find(|j| self.is(*j, '}'))
                            .map_or(self.tokens.len(), |j| j + 1),
                    }
                }
                "bool" | "int" | "unsigned" | "enum" | "struct" => self.declaration(i, ';'),
                "A" | "E" if self.is_name(i + 1) && self.is(i + 2, '(') => {
                    self.note(i + 1, Kind::Variable, true);
                    i + 2
                }
                _ => self.statement(i),
            };
        }
    }

    fn pds(&mut self) {
        // Whether this is between `<` and `>`, in a formula, behind the first rule's arrow, left of an arrow.
        let (mut inside, mut formula, mut rules, mut left) = (false, 0, false, true);
        while self.at < self.tokens.len() {
            let i = self.at;
            let mut next = i + 1;
            match self.text(i) {
                "local" if self.is(i + 1, '(') => next = self.list(i + 2, ')', Kind::Label, false),
                "bool" | "int" => next = self.declaration(i, ';'),
                "<" if formula == 0 || !rules => inside = true,
                ">" => inside = false,
                "-" if self.is(i + 1, '-') => (rules, next) = (true, i + 3),
                "(" => formula += 1,
                ")" => formula -= 1,
                _ if self.is_name(i) && inside => {
                    self.note_in(i, Kind::Label, left && formula == 0, None);
                }
                _ if self.is_name(i) && self.is(i + 1, '<') && (formula == 0 || !rules) => {
                    left = !(i > 1 && self.is(i - 1, '>') && self.is(i - 2, '-'));
                    self.note_in(i, Kind::Control, true, None);
                }
                _ if self.is_name(i) => self.note(i, Kind::Variable, false),
                _ => {}
            }
            self.at = next;
        }
    }

    fn rules(&mut self) {
        while self.at < self.tokens.len() {
            let i = self.at;
            self.at = match self.text(i) {
                "rule" if self.is_name(i + 1) => {
                    self.enter(i + 1);
                    let close = self.behind_parenthesis(i + 2);
                    for j in i + 2..close {
                        if self.is_name(j) && self.is(j + 1, ':') {
                            self.note(j, Kind::Variable, true);
                        }
                    }
                    close
                }
                "event" if self.is_name(i + 1) => {
                    self.note(i + 1, Kind::Event, true);
                    i + 2
                }
                word => {
                    let declared = |kind| self.declared.contains(&(word, kind, self.scope));
                    match () {
                        () if self.is_name(i) && declared(Kind::Event) => {
                            self.note(i, Kind::Event, false)
                        }
                        () if self.is_name(i) && declared(Kind::Variable) => {
                            self.note(i, Kind::Variable, false);
                        }
                        () => {}
                    }
                    i + 1
                }
            };
        }
    }
}
