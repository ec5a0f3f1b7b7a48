//! Compiled relations against their definition, on every kind of edge.

#[path = "../../../2-programs/ir/tests/support/mod.rs"]
mod support;

use crate::meter::Meter;
use crate::relation::{Relation, Rule};
use crate::words::{Places, View, completions};
use check::Budget;
use ir::{Program, Time, VarId};
use std::collections::BTreeSet;
use support::direct::{Cells, Direct, Kind};
use support::relations::random_relation;
use support::{Bit, Universe};

/// The values of some variables, read off packed words.
fn unpack(
    program: &Program,
    places: &Places,
    words: [u64; 6],
    time: Time,
    vars: &[VarId],
) -> Cells {
    let mut out = Cells::new();
    for &var in vars {
        for number in 0..program.vars[var].ty.cells() {
            let cell = places.cell(time, var, number);
            let value = (words[cell.word as usize] & cell.mask()) >> cell.offset;
            out.insert((var, number), value);
        }
    }
    out
}

#[test]
fn relations_by_definition() {
    let budget = Budget::unlimited();
    let mut meter = Meter::new(&budget, 20);
    let (mut checked, mut nonempty, mut open) = (0, 0, 0);
    for seed in 0..8000 {
        let Some((program, kind, rel)) = random_relation(seed) else { continue };
        let places = Places::new(&program).unwrap();
        let rule = match kind {
            Kind::Local(_) | Kind::Back { .. } => Rule::Keep,
            Kind::Enter { callee, .. } => Rule::Enter(callee),
            Kind::Return(proc) => Rule::Return(proc),
        };
        let relation = Relation::new(&program, &places, &rel, rule).unwrap();
        let direct = Direct::new(&program, kind, &rel);
        let targets = kind.targets(&program);
        let of = |wanted: Time| -> Vec<VarId> {
            targets.iter().filter(|(t, ..)| *t == wanted).map(|&(_, v, _)| v).collect()
        };
        let (post, saved) = (of(Time::Post), of(Time::Saved));
        let mut universe = Universe::default();
        for var in kind.pre(&program) {
            universe.add_var(&program, Time::Pre, var);
        }
        for valuation in universe.valuations() {
            let mut view = View::new(&places);
            for (i, bit) in universe.bits.iter().enumerate() {
                let Bit::Var { time, var, cell, bit } = *bit else { continue };
                let cell = places.cell(time, var, cell);
                view.words[cell.word as usize] |=
                    ((valuation >> i & 1) as u64) << (cell.offset as u32 + bit);
            }
            let pre = universe.env(valuation).pre.into_iter().collect();
            let expected = direct.successors(&pre);
            let mut patterns = Vec::new();
            relation.successors(view, &mut meter, &mut patterns).unwrap();
            let mut found = BTreeSet::new();
            for p in &patterns {
                open += (p.open_globals | p.open_frame | p.open_saved != 0) as usize;
                for globals in completions(p.globals, p.open_globals) {
                    for frame in completions(p.frame, p.open_frame) {
                        for kept in completions(p.saved, p.open_saved) {
                            let words = [0, 0, 0, globals, frame, kept];
                            found.insert((
                                unpack(&program, &places, words, Time::Post, &post),
                                unpack(&program, &places, words, Time::Saved, &saved),
                            ));
                        }
                    }
                }
            }
            assert_eq!(found, expected, "seed {seed}, {kind:?} from {pre:?}: {rel:?}");
            nonempty += !expected.is_empty() as usize;
        }
        checked += 1;
    }
    assert!(checked > 7000 && nonempty > 10_000 && open > 5_000, "{checked} {nonempty} {open}");
}
