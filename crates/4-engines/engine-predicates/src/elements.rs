//! Guesses about the elements of large objects: what the element at an index holds, if the index is below or above
//! something else.

use crate::graph::Node;
use crate::guess::Clause;
use crate::predicates::{Literal, Pred, mask};

/// The most numbers of an element.
const NUMBERS: usize = 8;
/// The most guesses of a place.
const MOST: usize = 1_200;

/// Guesses about a place: where the index stands, and what the elements at it are then.
pub(crate) fn guesses(node: &Node, some: &[usize], facts: &[Clause]) -> Vec<Clause> {
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
        // What always holds is no case.
        let case = (Pred::Most { of: index, number, signed }, true);
        if !facts.contains(&vec![case]) {
            cases.push(case);
        }
    }
    for &b in scalars.iter().filter(|&&b| width(b) == width(index)) {
        let signed = variables[index].signed && variables[b].signed;
        for holds in [true, false] {
            cases.push((Pred::Below { a: index, b, signed }, holds));
            cases.push((Pred::Ordered { a: index, b, signed }, holds));
        }
    }
    // The most likely ones first.
    let (mut atoms, mut bounds, mut orders) = (Vec::new(), Vec::new(), Vec::new());
    for of in some.iter().copied().filter(|v| is_element(v)) {
        let signed = variables[of].signed;
        let numbers = variables[of].numbers.iter().copied().chain([0]);
        for number in numbers.filter(|n| n & !mask(width(of)) == 0).take(NUMBERS) {
            atoms.push((Pred::Equal { of, number }, true));
            bounds.push((Pred::Most { of, number, signed }, true));
            let below = number.wrapping_sub(1) & mask(width(of));
            bounds.push((Pred::Most { of, number: below, signed }, false));
        }
        bounds.push((Pred::Equal { of, number: 0 }, false));
        for b in some.iter().copied().filter(|&b| b != of && width(b) == width(of)) {
            let signed = signed && variables[b].signed;
            if b > of || !is_element(&b) {
                let (a, b) = (of.min(b), of.max(b));
                atoms.push((Pred::Apart { a, b, number: 0 }, true));
            }
            orders.push((Pred::Ordered { a: of, b, signed }, true));
            orders.push((Pred::Below { a: of, b, signed }, true));
            if !is_element(&b) {
                orders.push((Pred::Ordered { a: b, b: of, signed }, true));
                orders.push((Pred::Below { a: b, b: of, signed }, true));
            }
        }
    }
    let atoms = atoms.into_iter().chain(bounds).chain(orders);
    let clauses =
        |atom: Literal| cases.iter().map(move |&(case, holds)| vec![(case, !holds), atom]);
    let mut out: Vec<Clause> = atoms.flat_map(clauses).take(MOST).collect();
    out.sort_unstable();
    out.dedup();
    out
}
