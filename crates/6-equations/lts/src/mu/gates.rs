//! Actions with data: gates and what they offer, in the syntaxes of CADP, mCRL2 and [pbes §3.2].

use bes::data::{Expr, Sort};
use bes::lex::{SyntaxError, Token};

use super::parser::{Parser, is_keyword};
use super::{Action, Offer};

/// The arguments of an action in mCRL2's syntax, if it has some.
pub(super) fn arguments(parser: &mut Parser<'_>) -> Result<Vec<Expr>, SyntaxError> {
    let mut values = Vec::new();
    if parser.lexer.take("(")? {
        loop {
            values.push(parser.names.expr(&mut parser.lexer)?);
            if !parser.lexer.take(",")? {
                break;
            }
        }
        parser.lexer.expect(")", "`,` or `)`")?;
    }
    Ok(values)
}

/// At `|`: further actions that happen at once with the first one.
pub(super) fn multi(
    parser: &mut Parser<'_>,
    gate: String,
    offers: Vec<Offer>,
) -> Result<Action, SyntaxError> {
    let value = |offer: Offer| match offer {
        Offer::Send(expr) => Some(expr),
        Offer::Receive(_) | Offer::Any => None,
    };
    let mut parts = vec![(gate, offers.into_iter().filter_map(value).collect::<Vec<Expr>>())];
    while parser.lexer.take("|")? {
        let (gate, _) = parser.lexer.name("an action")?;
        let values = arguments(parser)?;
        // The internal action adds nothing to what happens with it.
        if gate != "tau" || !values.is_empty() {
            parts.push((gate.to_owned(), values));
        }
    }
    if parts.len() > 1 && parts[0].0 == "tau" && parts[0].1.is_empty() {
        parts.remove(0);
    }
    if parts.len() == 1 {
        let (gate, values) = parts.remove(0);
        let offers = values.into_iter().map(Offer::Send).collect();
        return Ok(Action::Gate { gate, offers, more: false, guard: None });
    }
    Ok(Action::Multi(parts))
}

/// An action as [pbes §3.2] prints it: a gate and names, `ASSIGN z:Var v` for `{ASSIGN ?z:Var !v}`.
pub(super) fn plain_gate(
    parser: &mut Parser<'_>,
    exports: &mut Vec<u32>,
) -> Result<Action, SyntaxError> {
    let gate = parser.lexer.name("a gate")?.0.to_owned();
    let mut offers = Vec::new();
    while parser.lexer.token() == Token::Name && !is_keyword(parser.lexer.text()) {
        if parser.lexer.has_sort() {
            let (name, _) = parser.lexer.name("a data variable")?;
            parser.lexer.expect(":", "`:`")?;
            let sort = parser.names.sort(&mut parser.lexer)?;
            let slot = parser.names.bind(name, sort);
            exports.push(slot);
            offers.push(Offer::Receive(slot));
        } else {
            offers.push(Offer::Send(parser.names.operand(&mut parser.lexer)?));
        }
    }
    Ok(Action::Gate { gate, offers, more: false, guard: None })
}

/// After `{`: a gate, its offers, and a condition.
pub(super) fn gate(parser: &mut Parser<'_>, exports: &mut Vec<u32>) -> Result<Action, SyntaxError> {
    let (gate, _) = parser.lexer.name("a gate")?;
    let gate = gate.to_owned();
    let mut offers = Vec::new();
    let mut more = false;
    loop {
        if parser.lexer.take("!")? {
            offers.push(Offer::Send(parser.names.operand(&mut parser.lexer)?));
        } else if parser.lexer.take("?")? {
            if parser.lexer.take_word("any")? {
                // Its sort may be named, and says nothing.
                if parser.lexer.token() == Token::Name && !parser.lexer.is_word("where") {
                    parser.names.sort(&mut parser.lexer)?;
                }
                offers.push(Offer::Any);
                continue;
            }
            let (name, _) = parser.lexer.name("a data variable")?;
            parser.lexer.expect(":", "`:`")?;
            let sort = parser.names.sort(&mut parser.lexer)?;
            let slot = parser.names.bind(name, sort);
            exports.push(slot);
            offers.push(Offer::Receive(slot));
        } else {
            break;
        }
    }
    if parser.lexer.take("...")? {
        more = true;
    }
    let mut guard = None;
    if parser.lexer.take_word("where")? {
        guard = Some(parser.names.expr_of(&mut parser.lexer, Sort::Bool)?);
    }
    Ok(Action::Gate { gate, offers, more, guard })
}
