//! Guesses about the elements of large objects: what the element at an index holds, if the index is below or above
//! something else.

use crate::graph::Node;
use crate::guess::Clause;
use crate::predicates::{Literal, Pred, mask};

/// The most numbers of an element.
const NUMBERS: usize = 12;
/// The most guesses of a place.
const MOST: usize = 2_000;

/// Guesses about a place: where the index stands, and what the elements at it are then.
pub(crate) fn guesses(node: &Node, some: &[usize]) -> Vec<Clause> {
    let Some(elements) = &node.elements else { return Vec::new() };
    let index = elements.index;
    let is_element = |v: &usize| elements.all.contains(v);
    let scalars: Vec<usize> =
        some.iter().copied().filter(|v| *v != index && !is_element(v)).collect();
    let variables = &node.variables;
    let width = |v: usize| variables[v].bits.len();
    let mut cases: Vec<Literal> = Vec::new();
    for &number in &variables[index].numbers {
        let signed = variables[index].signed;
        cases.push((Pred::Most { of: index, number, signed }, true));
    }
    for &b in scalars.iter().filter(|&&b| width(b) == width(index)) {
        let signed = variables[index].signed && variables[b].signed;
        for holds in [true, false] {
            cases.push((Pred::Below { a: index, b, signed }, holds));
            cases.push((Pred::Ordered { a: index, b, signed }, holds));
        }
    }
    let mut atoms: Vec<Literal> = Vec::new();
    for &of in some.iter().filter(|v| is_element(v)) {
        let signed = variables[of].signed;
        let numbers = variables[of].numbers.iter().copied().chain([0]);
        for number in numbers.filter(|n| n & !mask(width(of)) == 0).take(NUMBERS) {
            atoms.push((Pred::Equal { of, number }, true));
            if number == 0 {
                atoms.push((Pred::Equal { of, number }, false));
            }
            atoms.push((Pred::Most { of, number, signed }, true));
            let below = number.wrapping_sub(1) & mask(width(of));
            atoms.push((Pred::Most { of, number: below, signed }, false));
        }
        for &b in some.iter().filter(|&&b| b != of && width(b) == width(of)) {
            let signed = signed && variables[b].signed;
            if b > of || !is_element(&b) {
                let (a, b) = (of.min(b), of.max(b));
                atoms.push((Pred::Apart { a, b, number: 0 }, true));
            }
            atoms.push((Pred::Ordered { a: of, b, signed }, true));
            atoms.push((Pred::Below { a: of, b, signed }, true));
            if !is_element(&b) {
                atoms.push((Pred::Ordered { a: b, b: of, signed }, true));
                atoms.push((Pred::Below { a: b, b: of, signed }, true));
            }
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    let clause = |&(case, holds): &Literal| {
        let atoms = atoms.clone();
        atoms.into_iter().map(move |atom| vec![(case, !holds), atom])
    };
    cases.iter().flat_map(clause).take(MOST).collect()
}
