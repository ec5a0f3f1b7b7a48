//! Initialisers.

use super::Parser;
use super::cursor::Parsed;
use crate::lex::Tok;
use crate::tree::{Init, InitId};

impl Parser {
    pub(super) fn initialiser(&mut self) -> Parsed<InitId> {
        if !self.is("{") {
            let e = self.assignment()?;
            return Ok(self.init_node(Init::Expr(e)));
        }
        self.deeper(|p| {
            p.advance();
            let mut list = Vec::new();
            while !p.eat("}") {
                let (mut designators, mut members) = (Vec::new(), Vec::new());
                loop {
                    if p.is("[") {
                        p.advance();
                        designators.push(p.conditional()?);
                        if p.eat("...") {
                            designators.push(p.conditional()?);
                        }
                        p.expect("]")?;
                    } else if p.is(".") {
                        p.advance();
                        let Tok::Word(sym) = p.tok() else { return Err(p.wanted("a member")) };
                        members.push(sym);
                        p.advance();
                    } else {
                        break;
                    }
                }
                // `x: value` is the old spelling of `.x = value`.
                if let Some(sym) = p.word()
                    && p.ahead_is(1, ":")
                {
                    members.push(sym);
                    p.advance();
                    p.advance();
                } else {
                    p.eat("=");
                }
                let value = p.initialiser()?;
                list.push((designators, members, value));
                if !p.eat(",") {
                    p.expect("}")?;
                    break;
                }
            }
            Ok(p.init_node(Init::List(list)))
        })
    }
}
