//! An order of the slots in which variables that meet in a statement are near each other.
//!
//! FORCE (Aloul, Markov, Sakallah 2003): every statement pulls its variables towards their common
//! centre; a few rounds of sorting by the mean of the centres shorten the total span. Measured on
//! wide programs, `bench/README.md` shows the effect.

use ir::{EdgeKind, Exprs, Layout, Program, Rel, VarId, VarKind};

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
    // Blocks: slots that must stay together (the bits of a cell). Locals of different procedures
    // overlap, so a block starts wherever some variable's cell does not continue.
    let mut starts = vec![true; count];
    let mut extends = vec![false; count];
    for (id, var) in program.vars.enumerate() {
        let slot = layout.slot(id);
        let _ = var;
        for cell in 0..slot.cells {
            let start = first(id) + cell * slot.width;
            for bit in 1..slot.width {
                extends[(start + bit) as usize] = true;
            }
        }
    }
    for (start, extend) in starts.iter_mut().zip(&extends) {
        *start = !extend;
    }
    let mut block_of = vec![0u32; count];
    let mut blocks: Vec<std::ops::Range<u32>> = Vec::new();
    for slot in 0..count {
        if starts[slot] {
            blocks.push(slot as u32..slot as u32);
        }
        let last = blocks.last_mut().expect("slot 0 starts a block");
        last.end = slot as u32 + 1;
        block_of[slot] = blocks.len() as u32 - 1;
    }

    // Hyperedges: the blocks of the variables of one relation. Few enough to count once each.
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut add = |vars: &mut Vec<VarId>| {
        let mut group: Vec<u32> = vars
            .drain(..)
            .flat_map(|v| {
                let slot = layout.slot(v);
                let start = first(v);
                let block_of = &block_of;
                (0..slot.cells).map(move |c| block_of[(start + c * slot.width) as usize])
            })
            .collect();
        group.sort_unstable();
        group.dedup();
        if group.len() > 1 && group.len() <= 64 && seen.insert(group.clone()) {
            groups.push(group);
        }
    };
    let mut vars = Vec::new();
    let collect = |rel: &Rel, vars: &mut Vec<VarId>| {
        for expr in rel.pre_exprs() {
            if expr != Exprs::TRUE {
                program.exprs.reads(expr, |_, v| vars.push(v));
            }
        }
        vars.extend(rel.assigns.iter().map(|a| a.var));
    };
    for edge in program.edges.iter() {
        match &edge.kind {
            EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => {
                // Each assignment pulls on its own: parallel ones need not be near each other.
                for assign in &rel.assigns {
                    vars.push(assign.var);
                    for e in [assign.index, assign.value].into_iter().flatten() {
                        program.exprs.reads(e, |_, v| vars.push(v));
                    }
                    add(&mut vars);
                }
                for e in [rel.guard, rel.constraint] {
                    if e != Exprs::TRUE {
                        program.exprs.reads(e, |_, v| vars.push(v));
                        add(&mut vars);
                    }
                }
            }
            EdgeKind::Call(call) => {
                for assign in &call.enter.assigns {
                    vars.push(assign.var);
                    for e in [assign.index, assign.value].into_iter().flatten() {
                        program.exprs.reads(e, |_, v| vars.push(v));
                    }
                    add(&mut vars);
                }
                collect(&call.back, &mut vars);
                add(&mut vars);
            }
        }
    }

    let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
    let mut best = (span(&groups, &order), order.clone());
    const ROUNDS: usize = 60;
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
