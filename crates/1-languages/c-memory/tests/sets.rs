//! Sets in blocks against ordered sets.

#[path = "../src/sets.rs"]
mod set;

use set::Set;
use std::collections::BTreeSet;

#[test]
fn unions_tell_what_is_new() {
    let mut seed = 7u64;
    let mut draw = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) % n) as u32
    };
    let mut sets: Vec<(Set, BTreeSet<u32>)> = (0..8).map(|_| Default::default()).collect();
    for round in 0..4_000u64 {
        let (a, b) = (draw(8) as usize, draw(8) as usize);
        if round % 500 == 0 {
            sets[a] = Default::default();
        }
        let wide = 1 + draw(14);
        let n = draw(1 << wide);
        match draw(5) {
            4 => {
                let before = sets[a].1.len();
                sets[a].1.retain(|n| n % 3 != 1);
                assert_eq!(sets[a].0.retain(|n| n % 3 != 1), before - sets[a].1.len());
            }
            0 if a != b => {
                let other = sets[b].clone();
                let new = sets[a].0.union(&other.0);
                let wanted: Vec<u32> = other.1.difference(&sets[a].1).copied().collect();
                assert_eq!(new.iter().collect::<Vec<u32>>(), wanted);
                assert_eq!(new.len(), wanted.len());
                sets[a].1.extend(wanted);
            }
            _ => assert_eq!(sets[a].0.insert(n), sets[a].1.insert(n)),
        }
        assert_eq!(sets[a].0.len(), sets[a].1.len());
        if round % 16 == 0 {
            assert!(sets[a].0.iter().eq(sets[a].1.iter().copied()));
        }
    }
}
