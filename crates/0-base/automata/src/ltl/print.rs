//! From formulas to text: parentheses around every operator with two operands, because tools
//! disagree about how `U` groups.

use std::fmt::{self, Write};

use super::{Binary, Formula, FormulaId, Formulas, Node, Unary};

/// The formula in a form that parses back to the same formula.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.formulas.text(self.root))
    }
}

enum Item {
    Text(&'static str),
    Formula(FormulaId),
}

impl Formulas {
    /// The formula in a form that parses back. Shared subformulas are written out each time.
    #[must_use]
    pub fn text(&self, root: FormulaId) -> String {
        let mut out = String::new();
        let mut todo = vec![Item::Formula(root)];
        while let Some(item) = todo.pop() {
            let f = match item {
                Item::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Formula(f) => f,
            };
            match self.node(f) {
                Node::Const(value) => out.push(if value { '1' } else { '0' }),
                Node::Atom(atom) => {
                    write!(out, "{}", self.atoms()[atom.index()]).expect("strings take all text");
                }
                Node::Unary(op, g) => {
                    out.push_str(match op {
                        Unary::Not => "!",
                        Unary::Next => "X ",
                        Unary::Finally => "F ",
                        Unary::Globally => "G ",
                    });
                    todo.push(Item::Formula(g));
                }
                Node::Binary(op, g, h) => {
                    out.push('(');
                    todo.push(Item::Text(")"));
                    todo.push(Item::Formula(h));
                    todo.push(Item::Text(match op {
                        Binary::And => " & ",
                        Binary::Or => " | ",
                        Binary::Xor => " ^ ",
                        Binary::Implies => " -> ",
                        Binary::Iff => " <-> ",
                        Binary::Until => " U ",
                        Binary::Release => " R ",
                        Binary::WeakUntil => " W ",
                        Binary::StrongRelease => " M ",
                    }));
                    todo.push(Item::Formula(g));
                }
            }
        }
        out
    }
}
