//! An order of the slots in which bits that meet in a statement are near each other.
//!
//! FORCE (Aloul, Markov, Sakallah 2003): every statement pulls its bits towards their common
//! centre; a few rounds of sorting by the mean of the centres shorten the total span. Numbers that
//! are compared, added or assigned to each other meet bit by bit, so that their bits come to lie
//! interleaved ([moped §5]). Locals come before globals at the start: inputs are usually global,
//! and best placed last.

use ir::{EdgeKind, ExprId, Exprs, Layout, Program, Rel, VarId, VarKind};
use rustc_hash::FxHashSet;

/// Slot numbers from the top of the diagrams: results from 0, locals from `locals`, globals from
/// `globals`.
pub(crate) fn slot_order(
    program: &Program,
    layout: &Layout,
    locals: u32,
    globals: u32,
) -> Vec<u32> {
    let count = (globals + layout.global_bits) as usize;
    let mut groups = Groups { program, layout, locals, globals, seen: FxHashSet::default() };
    let mut found: Vec<Vec<u32>> = Vec::new();
    for edge in program.edges.iter() {
        match &edge.kind {
            EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => groups.rel(rel, &mut found),
            EdgeKind::Call(call) => {
                groups.rel(&call.enter, &mut found);
                groups.rel(&call.back, &mut found);
            }
        }
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut best = (span(&found, &order), order.clone());
    const ROUNDS: usize = 60;
    let mut place = vec![0f64; count];
    for _ in 0..ROUNDS {
        for (at, &slot) in order.iter().enumerate() {
            place[slot as usize] = at as f64;
        }
        let mut pull = vec![(0f64, 0f64); count];
        for group in &found {
            let centre = group.iter().map(|&s| place[s as usize]).sum::<f64>() / group.len() as f64;
            for &slot in group {
                pull[slot as usize].0 += centre;
                pull[slot as usize].1 += 1.0;
            }
        }
        let target = |slot: u32| match pull[slot as usize] {
            (_, 0.0) => place[slot as usize],
            (sum, weight) => sum / weight,
        };
        let mut next = order.clone();
        next.sort_by(|&a, &b| target(a).total_cmp(&target(b)).then(a.cmp(&b)));
        if next == order {
            break;
        }
        order = next;
        let total = span(&found, &order);
        if total < best.0 {
            best = (total, order.clone());
        }
    }
    best.1
}

/// The sets of slots that meet.
struct Groups<'a> {
    program: &'a Program,
    layout: &'a Layout,
    locals: u32,
    globals: u32,
    seen: FxHashSet<Vec<u32>>,
}

/// Larger meetings tell nothing about nearness.
const LARGEST: usize = 64;

impl Groups<'_> {
    fn rel(&mut self, rel: &Rel, out: &mut Vec<Vec<u32>>) {
        // Each assignment pulls on its own: parallel ones need not be near each other.
        for assign in &rel.assigns {
            let exprs = [assign.index, assign.value];
            self.meet(Some(assign.var), exprs.into_iter().flatten(), out);
        }
        for expr in [rel.guard, rel.constraint] {
            if expr != Exprs::TRUE {
                self.meet(None, [expr].into_iter(), out);
            }
        }
    }

    fn meet(
        &mut self,
        target: Option<VarId>,
        exprs: impl Iterator<Item = ExprId>,
        out: &mut Vec<Vec<u32>>,
    ) {
        let mut vars: Vec<VarId> = target.into_iter().collect();
        exprs.for_each(|e| self.program.exprs.reads(e, |_, v| vars.push(v)));
        vars.sort_unstable();
        vars.dedup();
        // Bits of one weight meet; the bits of a number hang together.
        let widest = vars.iter().map(|&v| self.layout.slot(v).width).max().unwrap_or(0);
        for weight in 0..widest {
            let group = vars.iter().flat_map(|&v| {
                let slot = self.layout.slot(v);
                let first = self.first(v);
                let cells = if weight < slot.width { slot.cells } else { 0 };
                (0..cells).map(move |c| first + c * slot.width + weight)
            });
            let group = group.collect();
            self.add(group, out);
        }
        for &v in &vars {
            let (slot, first) = (self.layout.slot(v), self.first(v));
            for cell in (0..slot.cells).filter(|_| slot.width > 1) {
                let start = first + cell * slot.width;
                self.add((start..start + slot.width).collect(), out);
            }
        }
    }

    fn add(&mut self, mut group: Vec<u32>, out: &mut Vec<Vec<u32>>) {
        group.sort_unstable();
        group.dedup();
        if group.len() > 1 && group.len() <= LARGEST && self.seen.insert(group.clone()) {
            out.push(group);
        }
    }

    fn first(&self, var: VarId) -> u32 {
        let offset = self.layout.slot(var).offset;
        match self.program.vars[var].kind {
            VarKind::Result(_) => offset,
            VarKind::Local(_) => self.locals + offset,
            VarKind::Global => self.globals + offset,
        }
    }
}

/// The total distance between the first and the last member of each group.
fn span(groups: &[Vec<u32>], order: &[u32]) -> u64 {
    let mut place = vec![0u64; order.len()];
    for (at, &slot) in order.iter().enumerate() {
        place[slot as usize] = at as u64;
    }
    let length = |group: &Vec<u32>| {
        let places = || group.iter().map(|&s| place[s as usize]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    groups.iter().map(length).sum()
}
