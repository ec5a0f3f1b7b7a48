//! Initialisers.

use super::Parser;
use super::cursor::Parsed;
use crate::extra::Designator;
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
            let mut paths = Vec::new();
            while !p.eat("}") {
                let (mut designators, mut members) = (Vec::new(), Vec::new());
                let mut path = Vec::new();
                loop {
                    if p.is("[") {
                        p.advance();
                        let low = p.conditional()?;
                        designators.push(low);
                        if p.eat("...") {
                            let high = p.conditional()?;
                            designators.push(high);
                            path.push(Designator::Range(low, high));
                        } else {
                            path.push(Designator::Index(low));
                        }
                        p.expect("]")?;
                    } else if p.is(".") {
                        p.advance();
                        let Tok::Word(sym) = p.tok() else { return Err(p.wanted("a member")) };
                        members.push(sym);
                        path.push(Designator::Member(sym));
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
                    path.push(Designator::Member(sym));
                    p.advance();
                    p.advance();
                } else {
                    p.eat("=");
                }
                let value = p.initialiser()?;
                list.push((designators, members, value));
                paths.push(path);
                if !p.eat(",") {
                    p.expect("}")?;
                    break;
                }
            }
            let init = p.init_node(Init::List(list));
            if paths.iter().any(|path| !path.is_empty()) {
                p.unit.extra.designators.insert(init, paths);
            }
            Ok(init)
        })
    }
}
