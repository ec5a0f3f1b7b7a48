//! Expressions that begin with no operator: names, numbers, parentheses, and what compilers build in.

use super::Parser;
use super::cursor::Parsed;
use super::keywords::Kw;
use super::scopes::Meaning;
use crate::extra::{About, Designator};
use crate::lex::{Place, Tok};
use crate::tree::{ExprId, ExprKind, Sym, TypeId};

/// What is kept beside an expression that compilers build in.
enum Beside {
    Nothing,
    Chosen,
    About(About),
    Types(Vec<Option<TypeId>>),
}

impl Parser {
    pub(super) fn primary(&mut self) -> Parsed<ExprId> {
        let at = self.at();
        let kind = match self.tok() {
            Tok::Number(sym)
                if matches!(self.unit.name(sym), "''" | "L''" | "u''" | "U''" | "u8''") =>
            {
                return Err(self.fail("a character constant without a character"));
            }
            Tok::Number(sym) => ExprKind::Number(sym),
            Tok::Text(sym) => {
                while matches!(self.ahead(1), Tok::Text(_)) {
                    self.advance();
                }
                ExprKind::Text(sym)
            }
            Tok::Punct("(") if self.ahead_is(1, "{") => {
                self.advance();
                let s = self.deeper(|p| p.block(true))?;
                self.expect(")")?;
                return Ok(self.expr_node(at, ExprKind::Block(s)));
            }
            Tok::Punct("(") => {
                self.advance();
                let e = self.deeper(Self::expression)?;
                self.expect(")")?;
                return Ok(e);
            }
            Tok::Word(sym) => match self.keywords.get(sym) {
                // Keywords of C23, unless the program has names of its own.
                None if self.meaning(sym).is_none()
                    && matches!(self.unit.name(sym), "true" | "false" | "nullptr") =>
                {
                    let value = if self.unit.name(sym) == "true" { "1" } else { "0" };
                    ExprKind::Number(self.unit.names.add(value))
                }
                None => match self.meaning(sym) {
                    Some(Meaning::Enumerator(id)) => ExprKind::Enumerator(id),
                    _ => ExprKind::Name(sym),
                },
                Some(kw) => return self.built_in(at, kw),
            },
            _ => return Err(self.wanted("an expression")),
        };
        self.advance();
        Ok(self.expr_node(at, kind))
    }

    /// What compilers build in, and looks like a call.
    fn built_in(&mut self, at: Place, kw: Kw) -> Parsed<ExprId> {
        if !matches!(
            kw,
            Kw::ChooseExpr
                | Kw::BitCast
                | Kw::Offsetof
                | Kw::TypesCompatible
                | Kw::VaArg
                | Kw::Generic
        ) {
            return Err(self.wanted("an expression"));
        }
        self.advance();
        self.expect("(")?;
        let mut beside = Beside::Nothing;
        let kind = match kw {
            // The first operand is a constant.
            Kw::ChooseExpr => {
                let condition = self.deeper(Self::assignment)?;
                self.expect(",")?;
                let then = self.deeper(Self::assignment)?;
                self.expect(",")?;
                let last = self.deeper(Self::assignment)?;
                beside = Beside::Chosen;
                ExprKind::Conditional(condition, Some(then), last)
            }
            Kw::BitCast => {
                let ty = self.type_name()?;
                self.expect(",")?;
                ExprKind::Cast(ty, self.deeper(Self::assignment)?)
            }
            Kw::Offsetof => {
                let ty = self.type_name()?;
                self.expect(",")?;
                let Some(member) = self.word() else { return Err(self.wanted("a member")) };
                let e = self.expr_node(at, ExprKind::Name(member));
                self.advance();
                let e = self.postfix(at, e)?;
                beside = Beside::About(About::Offset(self.path(member, e)));
                ExprKind::AboutType(ty)
            }
            Kw::TypesCompatible => {
                let ty = self.type_name()?;
                self.expect(",")?;
                beside = Beside::About(About::Compatible(self.type_name()?));
                ExprKind::AboutType(ty)
            }
            Kw::VaArg => {
                let e = self.deeper(Self::assignment)?;
                self.expect(",")?;
                ExprKind::VaArg(e, self.type_name()?)
            }
            _ => {
                let e = self.deeper(Self::assignment)?;
                let (mut arms, mut types) = (Vec::new(), Vec::new());
                while self.eat(",") {
                    types.push(match self.eat_kw(Kw::Default) {
                        true => None,
                        false => Some(self.type_name()?),
                    });
                    self.expect(":")?;
                    arms.push(self.deeper(Self::assignment)?);
                }
                beside = Beside::Types(types);
                ExprKind::Generic(e, arms)
            }
        };
        self.expect(")")?;
        let e = self.expr_node(at, kind);
        let extra = &mut self.unit.extra;
        match beside {
            Beside::Nothing => {}
            Beside::Chosen => {
                extra.chosen.insert(e);
            }
            Beside::About(about) => {
                extra.about.insert(e, about);
            }
            Beside::Types(types) => {
                extra.generic.insert(e, types);
            }
        }
        Ok(e)
    }

    /// The members and cells that an expression behind a member names, from the member on.
    fn path(&self, member: Sym, mut e: ExprId) -> Vec<Designator> {
        let mut path = Vec::new();
        loop {
            e = match self.unit.expr(e).kind {
                ExprKind::Index(inner, i) => {
                    path.push(Designator::Index(i));
                    inner
                }
                ExprKind::Field(inner, sym) => {
                    path.push(Designator::Member(sym));
                    inner
                }
                _ => break,
            };
        }
        path.push(Designator::Member(member));
        path.reverse();
        path
    }

    /// A constant about a type.
    pub(super) fn about(&mut self, at: Place, ty: TypeId, about: About) -> ExprId {
        let e = self.expr_node(at, ExprKind::AboutType(ty));
        self.unit.extra.about.insert(e, about);
        e
    }
}
