//! The source text that points show.

use super::Walker;
use crate::Place;
use crate::said::on_one_line;
use crate::skeleton::Asks;
use crate::tree::ExprId;

/// The statement that an expression is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    If,
    While,
    For,
    Switch,
    Return,
}

impl Around {
    /// What is shown before and behind the expression.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Around::If => ("if (", ")"),
            Around::While => ("while (", ")"),
            Around::For => ("for (…; ", "; …)"),
            Around::Switch => ("switch (", ")"),
            Around::Return => ("return ", ""),
        }
    }
}

/// The source text of a point.
#[derive(Clone, Copy)]
pub(super) struct Text {
    prefix: &'static str,
    pub(super) at: Place,
    pub(super) from: u32,
    pub(super) to: u32,
    suffix: &'static str,
    /// Who asks, if it is a condition.
    pub(super) asks: Asks,
    /// It is the opposite of the condition that is tested.
    pub(super) flip: bool,
}

impl Text {
    /// A word that stands somewhere.
    pub(super) fn word(word: &'static str, at: Place) -> Text {
        let (prefix, from, to, asks) = (word, at.offset, at.offset, Asks::Operator);
        Text { prefix, at, from, to, suffix: "", asks, flip: false }
    }
    /// What is written from a place on.
    pub(super) fn up_to(at: Place, to: u32) -> Text {
        let (from, asks) = (at.offset, Asks::Operator);
        Text { prefix: "", at, from, to, suffix: "", asks, flip: false }
    }
    /// The same, shown where its opposite is tested.
    pub(super) fn flipped(self) -> Text {
        Text { flip: !self.flip, ..self }
    }
    /// The same, with something behind it.
    pub(super) fn with(self, suffix: &'static str) -> Text {
        Text { suffix, ..self }
    }
}

impl Walker<'_, '_> {
    /// The text of an expression.
    pub(super) fn whole(&self, e: ExprId) -> Text {
        let expr = self.unit.expr(e);
        Text::up_to(expr.at, expr.end)
    }

    /// The same, with the statement around it.
    pub(super) fn around(&self, statement: Around, at: Place, e: ExprId) -> Text {
        let (prefix, suffix) = statement.words();
        let asks = match statement {
            Around::If => Asks::If,
            Around::While => Asks::While,
            Around::For => Asks::For,
            Around::Switch | Around::Return => Asks::Operator,
        };
        Text { prefix, at, suffix, asks, ..self.whole(e) }
    }

    pub(super) fn text(&self, text: Text) -> Box<str> {
        on_one_line(text.prefix, self.unit.slice(text.from, text.to), text.suffix)
    }
}
