//! Components against reachability, and orders that users rely on.

use graph::{Components, NONE, components};

fn of(edges: &[Vec<usize>], roots: &[usize]) -> Components {
    components(edges.len(), roots.iter().copied(), |v, i| edges[v].get(i).copied())
}

#[test]
fn what_is_led_to_comes_first_and_entries_lead_their_components() {
    let edges = [vec![3, 1], vec![2], vec![1, 1], vec![], vec![0]];
    let found = of(&edges, &[0]);
    assert_eq!(found.of, [2, 1, 1, 0, NONE]);
    assert_eq!(found.iter().collect::<Vec<_>>(), [&[3][..], &[1, 2], &[0]]);
    // From another root, the same component has another entry.
    let found = of(&edges, &[2, 4]);
    assert_eq!(found.iter().collect::<Vec<_>>(), [&[2, 1][..], &[3], &[0], &[4]]);
    assert_eq!(found.len(), 4);
    assert!(of(&edges, &[]).is_empty());
}

#[test]
fn nodes_are_together_if_they_reach_each_other() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..2_000 {
        let n = 1 + random(9);
        let mut edges = vec![Vec::new(); n];
        for _ in 0..random(2 * n + 1) {
            edges[random(n)].push(random(n));
        }
        let all: Vec<usize> = (0..n).collect();
        let found = of(&edges, &all);
        // What each vertex reaches, as bits.
        let mut reach: Vec<u32> = (0..n).map(|v| 1 << v).collect();
        for _ in 0..n {
            for (v, to) in edges.iter().enumerate() {
                reach[v] = to.iter().fold(reach[v], |all, &w| all | reach[w]);
            }
        }
        for (v, to) in edges.iter().enumerate() {
            for w in 0..n {
                let both = reach[v] >> w & reach[w] >> v & 1 == 1;
                assert_eq!(found.of[v] == found.of[w], both, "{edges:?}");
            }
            assert!(to.iter().all(|&w| found.of[w] <= found.of[v]), "{edges:?}");
        }
        let mut listed: Vec<usize> = found.iter().flatten().map(|&v| v as usize).collect();
        for (c, members) in found.iter().enumerate() {
            assert!(members.iter().all(|&v| found.of[v as usize] as usize == c));
        }
        listed.sort_unstable();
        assert_eq!(listed, all);
    }
}

#[test]
fn depth_costs_no_stack() {
    let n = 1_000_000;
    let found = components(n, 0..n, |v, i| (i == 0).then_some((v + 1) % n));
    assert_eq!(found.len(), 1);
    let found = components(n, 0..n, |v, i| (i == 0 && v + 1 < n).then_some(v + 1));
    assert_eq!(found.len(), n);
}

#[test]
fn each_successor_is_asked_for_once() {
    let edges = [vec![1, 2], vec![0, 2], vec![]];
    let mut asked = Vec::new();
    components(3, 0..3, |v, i| {
        asked.push((v, i));
        edges[v].get(i).copied()
    });
    let mut once = asked.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), asked.len());
    assert_eq!(asked.len(), 4 + 3);
}

#[test]
fn a_search_stops_where_it_is_told_to() {
    let mut asked = 0;
    let found = graph::try_components(1_000, 0..1_000, |v, i| {
        asked += 1;
        if asked > 50 { Err("enough") } else { Ok((i == 0).then_some((v + 1) % 1_000)) }
    });
    assert_eq!(found, Err("enough"));
    assert_eq!(asked, 51);
}
