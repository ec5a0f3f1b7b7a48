//! An order of the slots in which variables that meet in a statement are near each other.
//!
//! FORCE (Aloul, Markov, Sakallah 2003): every statement pulls its variables towards their common
//! centre; a few rounds of sorting by the mean of the centres shorten the total span. Measured on
//! wide programs, `bench/README.md` shows the effect.

use ir::{EdgeKind, Layout, Program, VarId, VarKind};

/// Larger groups say nothing about the order.
const LARGEST_GROUP: usize = 64;

/// Rounds after which the order is taken as it is.
const ROUNDS: usize = 60;

/// Slot numbers from the top of the diagrams: results from 0, locals from `locals`, globals from
/// `globals`. Bits of one number lie together, the most significant on top.
pub(crate) fn slot_order(
    program: &Program,
    layout: &Layout,
    locals: u32,
    globals: u32,
) -> Vec<u32> {
    let count = (globals + layout.global_bits) as usize;
    let first = |var: VarId| {
        let offset = layout.slot(var).offset;
        match program.vars[var].kind {
            VarKind::Result(_) => offset,
            VarKind::Local(_) => locals + offset,
            VarKind::Global => globals + offset,
        }
    };
    // Blocks: slots that stay together, the bits of a cell. Locals of different procedures
    // overlap, so a block starts wherever no cell continues.
    let mut continues = vec![false; count];
    for var in program.vars.ids() {
        let slot = layout.slot(var);
        for bit in (0..slot.width * slot.cells).filter(|bit| bit % slot.width != 0) {
            continues[(first(var) + bit) as usize] = true;
        }
    }
    let mut block_of = vec![0u32; count];
    let mut blocks: Vec<std::ops::Range<u32>> = Vec::new();
    for slot in 0..count {
        match blocks.last_mut() {
            Some(last) if continues[slot] => last.end += 1,
            _ => blocks.push(slot as u32..slot as u32 + 1),
        }
        block_of[slot] = blocks.len() as u32 - 1;
    }

    // Groups: the blocks that meet in an assignment, a guard or a constraint. Parallel assignments
    // need not be near each other.
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut add = |vars: &mut Vec<VarId>| {
        let cells = |var: VarId| {
            let (slot, start) = (layout.slot(var), first(var));
            let block_of = &block_of;
            (0..slot.cells).map(move |c| block_of[(start + c * slot.width) as usize])
        };
        let mut group: Vec<u32> = vars.drain(..).flat_map(cells).collect();
        group.sort_unstable();
        group.dedup();
        if (2..=LARGEST_GROUP).contains(&group.len()) && !seen.contains(&group) {
            seen.insert(group.clone());
            groups.push(group);
        }
    };
    let mut vars = Vec::new();
    for edge in program.edges.iter() {
        let rels = match &edge.kind {
            EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => [Some(rel), None],
            EdgeKind::Call(call) => [Some(&call.enter), Some(&call.back)],
        };
        for rel in rels.into_iter().flatten() {
            for assign in &rel.assigns {
                vars.push(assign.var);
                for e in [assign.index, assign.value].into_iter().flatten() {
                    program.exprs.reads(e, |_, v| vars.push(v));
                }
                add(&mut vars);
            }
            for e in [rel.guard, rel.constraint] {
                program.exprs.reads(e, |_, v| vars.push(v));
                add(&mut vars);
            }
        }
    }

    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    let mut best = (span(&groups, &order), order.clone());
    for _ in 0..ROUNDS {
        let mut place = vec![0f64; blocks.len()];
        for (at, &block) in order.iter().enumerate() {
            place[block as usize] = at as f64;
        }
        let mut sum = vec![0f64; blocks.len()];
        let mut weight = vec![0f64; blocks.len()];
        for group in &groups {
            let centre = group.iter().map(|&b| place[b as usize]).sum::<f64>() / group.len() as f64;
            for &b in group {
                sum[b as usize] += centre;
                weight[b as usize] += 1.0;
            }
        }
        let target: Vec<f64> = (0..blocks.len())
            .map(|b| if weight[b] > 0.0 { sum[b] / weight[b] } else { place[b] })
            .collect();
        let mut next = order.clone();
        next.sort_by(|&a, &b| target[a as usize].total_cmp(&target[b as usize]).then(a.cmp(&b)));
        if next == order {
            break;
        }
        order = next;
        let s = span(&groups, &order);
        if s < best.0 {
            best = (s, order.clone());
        }
    }
    best.1.iter().flat_map(|&b| blocks[b as usize].clone().rev()).collect()
}

/// The total distance between the first and the last member of each group.
fn span(groups: &[Vec<u32>], order: &[u32]) -> u64 {
    let mut place = vec![0u64; order.len()];
    for (at, &block) in order.iter().enumerate() {
        place[block as usize] = at as u64;
    }
    groups
        .iter()
        .map(|g| {
            let places = g.iter().map(|&b| place[b as usize]);
            places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
        })
        .sum()
}
