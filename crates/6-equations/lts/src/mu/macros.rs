//! `macro NAME (P, …) = … end_macro`: text, replaced before anything is read.
//!
//! A macro sees the macros before it. Errors in expanded text are shown where the macro is used.

use bes::lex::{Dialect, Lexer, SyntaxError, SyntaxErrorKind, Token};
use rustc_hash::FxHashMap;
use source::Span;

/// A text after expansion, and where its parts come from.
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Start in `text`, start in the original, and whether it was copied (or stands for a use).
    parts: Vec<(u32, Span, bool)>,
}

impl Expanded {
    /// The place in the original text.
    pub(crate) fn place(&self, span: Span) -> Span {
        let at = self.parts.partition_point(|&(start, ..)| start <= span.start);
        match at.checked_sub(1).map(|at| self.parts[at]) {
            None => Span::new(0, 0),
            Some((_, origin, false)) => origin,
            Some((start, origin, true)) => {
                let from = origin.start + (span.start - start);
                Span::new(from, from + span.end.saturating_sub(span.start))
            }
        }
    }
}

struct Macro {
    parameters: Vec<String>,
    body: String,
}

/// Text that is left to read, and the use that it stands for.
struct Input {
    text: String,
    at: usize,
    origin: Option<Span>,
    /// Where `text` begins in the original, if it is part of it.
    base: u32,
}

const MOST: usize = 1 << 24;

/// Expands all macros.
pub(crate) fn expand(text: &str) -> Result<Expanded, SyntaxError> {
    let mut macros: FxHashMap<String, Macro> = FxHashMap::default();
    let mut lexer = Lexer::new(text, Dialect::Cadp)?;
    let mut from = 0usize;
    let mut out = Expanded { text: String::new(), parts: Vec::new() };
    // Definitions come at any place before their uses; what is between them is the formula.
    loop {
        let span = lexer.span();
        if lexer.token() == Token::End {
            break;
        }
        if !lexer.is_word("macro") {
            lexer.advance()?;
            continue;
        }
        substitute(&mut out, &macros, &text[from..span.start as usize], from as u32)?;
        lexer.advance()?;
        let (name, at) = lexer.name("a macro's name")?;
        let mut parameters = Vec::new();
        if lexer.take("(")? && !lexer.take(")")? {
            loop {
                parameters.push(lexer.name("a parameter")?.0.to_owned());
                if !lexer.take(",")? {
                    break;
                }
            }
            lexer.expect(")", "`,` or `)`")?;
        }
        if !lexer.is("=") {
            return Err(lexer.unexpected("`=`"));
        }
        let start = lexer.span().end as usize;
        lexer.advance()?;
        while !lexer.is_word("end_macro") {
            if lexer.token() == Token::End {
                return Err(SyntaxError::new(SyntaxErrorKind::Unclosed("the macro"), at));
            }
            lexer.advance()?;
        }
        let body = &text[start..lexer.span().start as usize];
        let mut expanded = Expanded { text: String::new(), parts: Vec::new() };
        substitute(&mut expanded, &macros, body, start as u32)?;
        if macros.contains_key(name) {
            let kind = SyntaxErrorKind::Twice { what: "macro", name: name.to_owned() };
            return Err(SyntaxError::new(kind, at));
        }
        macros.insert(name.to_owned(), Macro { parameters, body: expanded.text });
        from = lexer.span().end as usize;
        lexer.advance()?;
    }
    substitute(&mut out, &macros, &text[from..], from as u32)?;
    Ok(out)
}

/// Appends `text`, in which macros are replaced until none is left.
fn substitute(
    out: &mut Expanded,
    macros: &FxHashMap<String, Macro>,
    text: &str,
    base: u32,
) -> Result<(), SyntaxError> {
    let mut inputs = vec![Input { text: text.to_owned(), at: 0, origin: None, base }];
    let mut uses = 0usize;
    while let Some(mut input) = inputs.pop() {
        let mut lexer =
            Lexer::new(&input.text[input.at..], Dialect::Cadp).map_err(|e| moved(e, &input))?;
        let mut next = None;
        loop {
            let span = lexer.span();
            if lexer.token() == Token::End {
                break;
            }
            if lexer.token() == Token::Name
                && let Some(definition) = macros.get(lexer.text())
            {
                let name = lexer.text();
                let offset = input.at;
                lexer.advance().map_err(|e| moved(e, &input))?;
                let (arguments, end) = arguments(&mut lexer, span).map_err(|e| moved(e, &input))?;
                let (found, expected) = (arguments.len(), definition.parameters.len());
                let whole = Span::new(span.start, end);
                if found != expected {
                    let name = name.to_owned();
                    let kind = SyntaxErrorKind::Arguments { name, found, expected };
                    return Err(moved(SyntaxError::new(kind, whole), &input));
                }
                let values: Vec<String> = arguments
                    .iter()
                    .map(|&(from, to)| input.text[offset + from..offset + to].to_owned())
                    .collect();
                next = Some((span, end, apply(definition, &values)?));
                break;
            }
            lexer.advance().map_err(|e| moved(e, &input))?;
        }
        let until = next.as_ref().map_or(input.text.len(), |(s, ..)| input.at + s.start as usize);
        let (origin, copied) = match input.origin {
            Some(origin) => (origin, false),
            None => (Span::new(input.base + input.at as u32, input.base + until as u32), true),
        };
        out.parts.push((out.text.len() as u32, origin, copied));
        out.text.push_str(&input.text[input.at..until]);
        let Some((span, end, body)) = next else { continue };
        // A macro that names itself never ends.
        uses += 1;
        if out.text.len() + body.len() > MOST || uses > 100_000 {
            let kind =
                SyntaxErrorKind::Other("macros grow beyond 16 MiB or 100,000 uses".to_owned());
            return Err(moved(SyntaxError::new(kind, span), &input));
        }
        let shift = input.base + input.at as u32;
        let mine = Span::new(shift + span.start, shift + end);
        let origin = Some(input.origin.unwrap_or(mine));
        input.at += end as usize;
        if input.at < input.text.len() {
            inputs.push(input);
        }
        inputs.push(Input { text: body, at: 0, origin, base: 0 });
    }
    Ok(())
}

fn moved(mut error: SyntaxError, input: &Input) -> SyntaxError {
    let shift = input.base + input.at as u32;
    error.span =
        input.origin.unwrap_or(Span::new(error.span.start + shift, error.span.end + shift));
    error
}

/// The texts between parentheses and commas, as ranges; where they end.
fn arguments(lexer: &mut Lexer<'_>, name: Span) -> Result<(Vec<(usize, usize)>, u32), SyntaxError> {
    let mut arguments = Vec::new();
    if !lexer.is("(") {
        return Ok((arguments, name.end));
    }
    let mut depth = 0usize;
    let mut from = lexer.span().end as usize;
    loop {
        let span = lexer.span();
        match lexer.token() {
            Token::Mark("(" | "[" | "{") => depth += 1,
            Token::Mark(")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    // `NAME ()` has no arguments.
                    if lexer.last_end() as usize != from || !arguments.is_empty() {
                        arguments.push((from, span.start as usize));
                    }
                    return Ok((arguments, span.end));
                }
            }
            Token::Mark(",") if depth == 1 => {
                arguments.push((from, span.start as usize));
                from = span.end as usize;
            }
            Token::End => {
                return Err(SyntaxError::new(SyntaxErrorKind::Unclosed("the macro's use"), name));
            }
            _ => {}
        }
        lexer.advance()?;
    }
}

/// The body with parameters replaced.
fn apply(definition: &Macro, values: &[String]) -> Result<String, SyntaxError> {
    let mut out = String::new();
    let mut from = 0;
    let mut lexer = Lexer::new(&definition.body, Dialect::Cadp)?;
    while lexer.token() != Token::End {
        if lexer.token() == Token::Name
            && let Some(i) = definition.parameters.iter().position(|p| p == lexer.text())
        {
            let span = lexer.span();
            out.push_str(&definition.body[from..span.start as usize]);
            out.push_str(values[i].trim());
            from = span.end as usize;
            if out.len() > MOST {
                let kind = SyntaxErrorKind::Other("macros grow beyond 16 MiB".to_owned());
                return Err(SyntaxError::new(kind, Span::new(0, 0)));
            }
        }
        lexer.advance()?;
    }
    out.push_str(&definition.body[from..]);
    Ok(out)
}
