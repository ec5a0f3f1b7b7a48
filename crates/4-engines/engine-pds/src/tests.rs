//! Collections at every opportunity change no answer: every handle in use is known.

use crate::automaton::{post_star_collecting, pre_star_collecting};
use crate::{PAutomaton, RegularSet};
use check::Budget;
use ir::Program;
use std::sync::Arc;
use testkit::random_ir::random_program;

type Star = fn(&Arc<Program>, &RegularSet, &Budget, usize) -> Result<PAutomaton, check::StopReason>;

#[test]
fn collections_change_nothing() {
    let budget = Budget::unlimited();
    for seed in 0..60 {
        let program = Arc::new(random_program(seed));
        let last = program.procs.ids().next_back().expect("a procedure");
        let sets = [
            RegularSet::initial(&program),
            RegularSet::parse(&program, ". .").expect("a good expression"),
            RegularSet::parse(&program, &format!("{} .*", program.proc_name(last)))
                .expect("a good expression"),
        ];
        for set in &sets {
            for star in [post_star_collecting as Star, pre_star_collecting] {
                let mut lazy = star(&program, set, &budget, 1 << 22).expect("no limits");
                let mut eager = star(&program, set, &budget, 1).expect("no limits");
                assert_eq!(lazy.transitions(), eager.transitions(), "seed {seed}");
                for other in &sets {
                    let found = lazy.intersection(other, &budget).expect("no limits");
                    assert_eq!(found, eager.intersection(other, &budget).expect("no limits"));
                }
                for node in program.nodes.ids() {
                    let stacks = lazy.stacks_at(node, None, &budget).expect("no limits");
                    assert_eq!(stacks, eager.stacks_at(node, None, &budget).expect("no limits"));
                    let (sets, states) = lazy.states_at(node, &budget).expect("no limits");
                    let (others, others_states) =
                        eager.states_at(node, &budget).expect("no limits");
                    let cubes: Vec<_> = sets.cubes(states).collect();
                    assert_eq!(cubes, others.cubes(others_states).collect::<Vec<_>>());
                    assert_eq!(cubes.is_empty(), stacks.is_empty());
                }
            }
        }
    }
}
