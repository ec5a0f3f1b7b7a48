//! Properties as automata: the automaton accepts the runs that are wrong, or those that are right.

use crate::atoms::Names;
use crate::formula::Resolved;
use crate::product::join;
use crate::reader::Accepting;
use crate::{FormulaError, FormulaErrorKind, PropertyError, Question, Which};
use automata::{Label, Tgba, complement, hoa};
use check::{Acceptor, Op, OpId, Temporal};
use ir::{IndexVec, Program};
use rustc_hash::FxHashMap;
use source::Span;

/// The product with an automaton in the format HOA. One that accepts what is right must be deterministic.
pub(crate) fn question(
    program: &Program,
    text: &str,
    good: bool,
) -> Result<Question, PropertyError> {
    let wrong = |kind, span| {
        let error = FormulaError { formula: Which::Automaton, text: text.to_owned(), kind, span };
        PropertyError::Formula(Box::new(error))
    };
    let automaton = hoa::parse(text).map_err(|error| {
        let span = error.span;
        wrong(FormulaErrorKind::Hoa(Box::new(error)), span)
    })?;
    let names = Names::new(program);
    let mut resolved = Resolved::new(program);
    let mut atoms = Vec::new();
    for (i, atom) in automaton.atoms.iter().enumerate() {
        let position = resolved.atom(&names, atom, Which::Automaton, text, place(text, i));
        atoms.push(position.map_err(PropertyError::Formula)?);
    }
    let bad = match good {
        false => automaton.clone(),
        true => complement(&automaton)
            .ok_or_else(|| wrong(FormulaErrorKind::NotDeterministic, Span::new(0, 0)))?,
    };
    let temporal = temporal(&resolved, &automaton, &atoms, good);
    let product = join(program, resolved, Accepting::Automaton(&bad), &atoms, temporal, &[]);
    Ok(Question::Product(Box::new(product)))
}

/// Where an atom stands: the string of that number behind `AP:`.
fn place(text: &str, atom: usize) -> Span {
    let Some(start) = text.find("AP:") else { return Span::new(0, 0) };
    let mut quotes = Vec::new();
    let mut escaped = false;
    for (i, c) in text[start..].char_indices() {
        match c {
            '"' if !escaped => quotes.push((start + i) as u32),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        if quotes.len() == 2 * atom + 2 {
            return Span::new(quotes[2 * atom], quotes[2 * atom + 1] + 1);
        }
    }
    Span::new(0, 0)
}

/// The automaton itself for the judge of lassos.
fn temporal(resolved: &Resolved, automaton: &Tgba, atoms: &[usize], good: bool) -> Temporal {
    let mut ops: IndexVec<OpId, Op> = IndexVec::new();
    let yes = ops.push(Op::True);
    let no = ops.push(Op::Not(yes));
    let mut known: FxHashMap<Label, OpId> = FxHashMap::default();
    known.insert(Label::ALL, yes);
    known.insert(Label::NONE, no);
    let roots: Vec<Label> = automaton.transitions.iter().map(|t| t.label).collect();
    // Branches before what has them.
    let mut stack: Vec<(Label, bool)> = roots.iter().map(|l| (*l, false)).collect();
    while let Some((label, ready)) = stack.pop() {
        let Some(node) = automaton.labels.node(label) else { continue };
        if known.contains_key(&label) {
            continue;
        }
        if !ready {
            stack.extend([(label, true), (node.low, false), (node.high, false)]);
            continue;
        }
        let atom = ops.push(Op::Atom(atoms[node.atom as usize] as u32));
        let not = ops.push(Op::Not(atom));
        let high = ops.push(Op::And(atom, known[&node.high]));
        let low = ops.push(Op::And(not, known[&node.low]));
        known.insert(label, ops.push(Op::Or(high, low)));
    }
    let step = |t: &automata::Transition| {
        (t.from.0, known[&t.label], t.to.0, t.marks.iter().collect::<Vec<u32>>())
    };
    let acceptor = Acceptor {
        states: automaton.states,
        initial: automaton.initial.0,
        marks: automaton.marks,
        steps: automaton.transitions.iter().map(step).collect(),
        good,
    };
    let (atoms, exprs) = (resolved.meanings.clone(), resolved.exprs.clone());
    Temporal { ops, root: yes, watch: Vec::new(), acceptor: Some(acceptor), atoms, exprs }
}
