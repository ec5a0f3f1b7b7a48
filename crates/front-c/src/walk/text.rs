//! The source text that points show.

use super::Walker;
use crate::Place;
use crate::said::on_one_line;
use crate::tree::ExprId;

/// The source text of a point.
#[derive(Clone, Copy)]
pub(super) struct Text {
    pub(super) prefix: &'static str,
    pub(super) at: Place,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) suffix: &'static str,
    /// It is the opposite of the condition that is tested.
    pub(super) flip: bool,
}

impl Text {
    /// A word that stands somewhere.
    pub(super) fn word(word: &'static str, at: Place) -> Text {
        Text { prefix: word, at, from: at.offset, to: at.offset, suffix: "", flip: false }
    }
    /// What is written from a place on.
    pub(super) fn up_to(at: Place, to: u32) -> Text {
        Text { prefix: "", at, from: at.offset, to, suffix: "", flip: false }
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

    /// The same, with something around it.
    pub(super) fn around(
        &self,
        prefix: &'static str,
        at: Place,
        e: ExprId,
        suffix: &'static str,
    ) -> Text {
        let expr = self.unit.expr(e);
        Text { prefix, at, from: expr.at.offset, to: expr.end, suffix, flip: false }
    }

    pub(super) fn text(&self, text: Text) -> Box<str> {
        on_one_line(text.prefix, self.unit.slice(text.from, text.to), text.suffix)
    }
}
