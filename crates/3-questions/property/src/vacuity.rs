//! Vacuity: parts of a formula that do not matter to its truth.
//!
//! Replacing an occurrence of a part by false where it is under an even number of negations, and by
//! true elsewhere, strengthens the formula. If the stronger formula still holds, what the part says
//! has no effect. A property without such a part is not vacuous; testing the smallest parts suffices
//! to know that, because replacing a larger one is stronger (Kupferman and Vardi, "Vacuity detection
//! in temporal model checking", STTT 2003). The largest part is the one to show.
//!
//! Where the stronger formula fails, the counterexample is an interesting witness: a run that
//! satisfies the property thanks to the part.
//!
//! Left out are replacements that say the same as that of the next larger part (`F false` is false),
//! or as `false`, which holds if there is no run at all. Below `^` and `<->` an operand occurs in
//! both polarities, and no replacement is stronger: such a part is as small as parts get.

use crate::atoms::Names;
use crate::{FormulaError, FormulaErrorKind, Property, PropertyError, Which};
use automata::ltl::{Binary, FormulaId, Formulas, Node, Unary, parse_with};
use ir::Program;

/// Formulas with more occurrences of parts than this are not examined further.
const MOST: usize = 1000;

/// A property that is stronger than another one.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The part that is replaced in one place.
    pub replaced: String,
    /// What it is replaced by.
    pub by: bool,
    /// The stronger property; the assumptions of fairness are the same.
    pub property: Property,
    /// The mutant that replaces the next larger part, if there is one; it comes before this one.
    pub parent: Option<usize>,
    /// No mutant replaces a part of this part.
    pub smallest: bool,
}

/// An occurrence of a part.
struct Occurrence {
    formula: FormulaId,
    positive: bool,
    /// The occurrence that it is an operand of, and which operand.
    parent: Option<(usize, usize)>,
    /// The mutant that replaces it, or says the same.
    mutant: Option<usize>,
}

impl Property {
    /// The stronger properties that tell whether this one, which holds, holds vacuously. Only
    /// [`Property::Ltl`] has any.
    pub fn mutants(&self, program: &Program) -> Result<Vec<Mutant>, PropertyError> {
        let Property::Ltl { formula, fair } = self else { return Ok(Vec::new()) };
        let names = Names::new(program);
        let parsed = parse_with(formula, &|word| names.knows(word)).map_err(|error| {
            let (span, kind) = (error.span, FormulaErrorKind::Syntax(error));
            let text = formula.clone();
            let formula = Which::Property;
            PropertyError::Formula(Box::new(FormulaError { formula, text, kind, span }))
        })?;
        let mut formulas = parsed.formulas;
        let root = Occurrence { formula: parsed.root, positive: true, parent: None, mutant: None };
        let mut occurrences = vec![root];
        let mut mutants: Vec<Mutant> = Vec::new();
        let mut next = 0;
        while next < occurrences.len() && occurrences.len() <= MOST {
            let &Occurrence { formula, positive, mutant, .. } = &occurrences[next];
            for (i, (operand, flips, same)) in operands(&formulas, formula, positive) {
                let positive = positive != flips;
                let mut own = mutant;
                if !same && !matches!(formulas.node(operand), Node::Const(_)) {
                    let by = formulas.constant(!positive);
                    let whole = replaced(&mut formulas, &occurrences, next, i, by);
                    if let Some(parent) = mutant {
                        mutants[parent].smallest = false;
                    }
                    own = Some(mutants.len());
                    mutants.push(Mutant {
                        replaced: shown(&formulas, operand),
                        by: !positive,
                        property: Property::Ltl {
                            formula: formulas.text(whole),
                            fair: fair.clone(),
                        },
                        parent: mutant,
                        smallest: true,
                    });
                }
                let parent = Some((next, i));
                occurrences.push(Occurrence { formula: operand, positive, parent, mutant: own });
            }
            next += 1;
        }
        Ok(mutants)
    }
}

/// The operands of a formula with their positions: whether the polarity changes, and whether
/// replacing the operand says the same as replacing the formula.
fn operands(
    formulas: &Formulas,
    f: FormulaId,
    positive: bool,
) -> impl Iterator<Item = (usize, (FormulaId, bool, bool))> + use<> {
    let list = match formulas.node(f) {
        Node::Unary(op, g) => vec![(g, op == Unary::Not, true)],
        Node::Binary(op, g, h) => match op {
            Binary::And => vec![(g, false, positive), (h, false, positive)],
            Binary::Or => vec![(g, false, !positive), (h, false, !positive)],
            Binary::Implies => vec![(g, true, !positive), (h, false, !positive)],
            Binary::Until | Binary::Release => vec![(g, false, false), (h, false, true)],
            Binary::WeakUntil => vec![(g, false, !positive), (h, false, !positive)],
            Binary::StrongRelease => vec![(g, false, positive), (h, false, positive)],
            Binary::Xor | Binary::Iff => Vec::new(),
        },
        _ => Vec::new(),
    };
    list.into_iter().enumerate()
}

/// The whole formula with one operand of an occurrence replaced.
fn replaced(
    formulas: &mut Formulas,
    occurrences: &[Occurrence],
    mut at: usize,
    mut operand: usize,
    mut by: FormulaId,
) -> FormulaId {
    loop {
        let node = match formulas.node(occurrences[at].formula) {
            Node::Unary(op, _) => Node::Unary(op, by),
            Node::Binary(op, _, h) if operand == 0 => Node::Binary(op, by, h),
            Node::Binary(op, g, _) => Node::Binary(op, g, by),
            node => node,
        };
        by = formulas.add(node);
        match occurrences[at].parent {
            Some((parent, position)) => (at, operand) = (parent, position),
            None => return by,
        }
    }
}

/// The text of a part, without parentheses around the whole.
fn shown(formulas: &Formulas, f: FormulaId) -> String {
    let text = formulas.text(f);
    match formulas.node(f) {
        Node::Binary(..) => text[1..text.len() - 1].to_owned(),
        _ => text,
    }
}
