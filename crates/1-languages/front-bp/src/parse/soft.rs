//! Words that other dialects have added, as names.
//!
//! [bebop Fig. 2] knows no `T`, `F`, `dead`, `assume`, `bool` or `sync`: programs in its language may use them
//! as names. A first pass over the tokens finds where they are declared: as globals and procedures in the
//! whole file, as parameters and locals in their procedure. There they are names, and nothing else.

use crate::lex::{Kind, Lexer, Token};

/// Where words are names.
#[derive(Default)]
pub(crate) struct Soft<'t> {
    everywhere: Vec<&'t str>,
    /// From here to there, from left to right.
    inside: Vec<(u32, u32, Vec<&'t str>)>,
}

impl<'t> Soft<'t> {
    /// What is declared in a text.
    pub(crate) fn new(text: &'t str) -> Soft<'t> {
        let mut lexer = Lexer::new(text);
        let word = |token: Token| &text[token.span.range()];
        let mut out = Soft::default();
        // The procedure that is open: where it began, and its own names.
        let mut open: Option<(u32, Vec<&'t str>)> = None;
        let mut before: Option<Token> = None;
        loop {
            let token = lexer.next();
            match token.kind {
                Kind::Eof => break,
                Kind::Decl => {
                    let (names, last) = list(&mut lexer, &[Kind::Semi]);
                    let names = names.into_iter().map(word);
                    match &mut open {
                        Some((_, locals)) => locals.extend(names),
                        None => out.everywhere.extend(names),
                    }
                    before = Some(last);
                    continue;
                }
                Kind::LParen if open.is_none() => {
                    let (names, last) = list(&mut lexer, &[Kind::RParen, Kind::Begin]);
                    if last.kind == Kind::RParen && lexer.clone().next().kind == Kind::Begin {
                        let name = before.filter(|token| token.kind.is_soft());
                        out.everywhere.extend(name.map(word));
                        open = Some((token.span.start, names.into_iter().map(word).collect()));
                    }
                    before = Some(last);
                    continue;
                }
                Kind::End => out
                    .inside
                    .extend(open.take().map(|(from, names)| (from, token.span.end, names))),
                _ => {}
            }
            before = Some(token);
        }
        out.inside.extend(open.map(|(from, names)| (from, u32::MAX, names)));
        out.inside.retain(|(_, _, names)| !names.is_empty());
        out
    }

    /// The token, as a name if it is one where it stands.
    pub(crate) fn read(&self, text: &str, mut token: Token) -> Token {
        if token.kind.is_soft() {
            let (word, at) = (&text[token.span.range()], token.span.start);
            let later = self.inside.partition_point(|&(from, _, _)| from <= at);
            let around = later.checked_sub(1).map(|i| &self.inside[i]);
            let here = around.filter(|(_, to, _)| at < *to).map_or(&[][..], |(_, _, names)| names);
            if self.everywhere.contains(&word) || here.contains(&word) {
                token.kind = Kind::Ident;
            }
        }
        token
    }
}

/// The soft words of a list of names, and the token behind it: one of `ends`, or what no list has.
fn list(lexer: &mut Lexer<'_>, ends: &[Kind]) -> (Vec<Token>, Token) {
    let mut names = Vec::new();
    loop {
        let token = lexer.next();
        match token.kind {
            Kind::Ident | Kind::Comma => {}
            kind if kind.is_soft() => names.push(token),
            kind if ends.contains(&kind) => return (names, token),
            // A mistake: the parser tells.
            _ => return (Vec::new(), token),
        }
    }
}
