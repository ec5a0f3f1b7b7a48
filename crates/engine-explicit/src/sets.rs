//! Tables turned into [`StateSets`]: certificates and observed states.

use crate::machine::Machine;
use crate::meter::Meter;
use crate::tabulate::Tabulation;
use check::{Area, Certificate, Observation, ProcClaim, SetBit, SetId, StateSets, StopReason};
use ir::{Id, IndexVec, Layout, NodeId, ProcId, Program, VarKind};
use rustc_hash::FxHashMap;

/// Two words side by side; the second one is the lower half.
fn key(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
}

/// The bits of two areas that the masks select, with their places in a [`key`].
fn bits(high: (Area, u64), low: (Area, u64)) -> Vec<(SetBit, u32)> {
    let of = |(area, mask): (Area, u64), base: u32| {
        (0..64u32)
            .filter(move |i| mask >> i & 1 == 1)
            .map(move |index| (SetBit { area, index }, base + index))
    };
    of(high, 64).chain(of(low, 0)).collect()
}

/// A decision tree over `bits`, shared where equal: leads from each item's key to its set, and
/// from everything else to `otherwise`. Keys that agree on all of `bits` must be equal.
fn tree(
    sets: &mut StateSets,
    bits: &[(SetBit, u32)],
    items: &mut [(u128, SetId)],
    otherwise: SetId,
    meter: &mut Meter,
) -> Result<SetId, StopReason> {
    enum Job {
        Visit(std::ops::Range<usize>, usize),
        Join(usize),
    }
    let mut jobs = vec![Job::Visit(0..items.len(), 0)];
    let mut done: Vec<SetId> = Vec::new();
    while let Some(job) = jobs.pop() {
        meter.tick()?;
        match job {
            Job::Visit(range, _) if range.is_empty() => done.push(otherwise),
            Job::Visit(range, depth) if depth == bits.len() => done.push(items[range.start].1),
            Job::Visit(range, depth) => {
                // Those with a 0 first; the order among equals does not matter.
                let mut split = range.start;
                for i in range.clone() {
                    if items[i].0 >> bits[depth].1 & 1 == 0 {
                        items.swap(i, split);
                        split += 1;
                    }
                }
                jobs.push(Job::Join(depth));
                jobs.push(Job::Visit(split..range.end, depth + 1));
                jobs.push(Job::Visit(range.start..split, depth + 1));
            }
            Job::Join(depth) => {
                let (Some(hi), Some(lo)) = (done.pop(), done.pop()) else {
                    unreachable!("every visit leaves one result")
                };
                let before = sets.len();
                let set = sets.ite(bits[depth].0, lo, hi);
                if sets.len() > before {
                    // A node, its entry in the table of nodes, and room for that to grow.
                    meter.reserve(64)?;
                }
                done.push(set);
            }
        }
    }
    Ok(done.pop().unwrap_or(otherwise))
}

/// That everything is reachable: enough for a goal without targets, whatever was searched.
pub(crate) fn trivial(program: &Program) -> Certificate {
    let claim = ProcClaim { summary: SetId::full(), unchanged: Vec::new() };
    Certificate {
        sets: StateSets::new(),
        path: IndexVec::filled(SetId::full(), program.nodes.len()),
        procs: IndexVec::filled(claim, program.procs.len()),
    }
}

/// What the tabulation found, as a certificate: the path edges of each node, the exits of each
/// procedure.
pub(crate) fn certificate(
    machine: &Machine,
    table: &Tabulation,
    meter: &mut Meter,
) -> Result<Certificate, StopReason> {
    let program = machine.program;
    let places = &machine.places;
    let mut sets = StateSets::new();
    meter.reserve(table.paths.len() * size_of::<(NodeId, u32, u128)>())?;
    // Path edges by node and context, exits by context.
    let mut paths: Vec<(NodeId, u32, u128)> = Vec::with_capacity(table.paths.len());
    paths.extend(table.paths.items().iter().map(|p| (p.node, p.context, key(p.globals, p.frame))));
    paths.sort_unstable();
    let mut path = IndexVec::filled(SetId::empty(), program.nodes.len());
    for at_node in paths.chunk_by(|a, b| a.0 == b.0) {
        let node = at_node[0].0;
        let proc = program.nodes[node].proc;
        let now =
            bits((Area::Global, places.global_mask()), (Area::Local, places.frame_mask(proc)));
        let by_context = at_node.chunk_by(|a, b| a.1 == b.1);
        let groups: Vec<(u32, Vec<u128>)> =
            by_context.map(|c| (c[0].1, c.iter().map(|p| p.2).collect())).collect();
        path[node] = by_entry(
            table,
            &mut sets,
            places.global_mask(),
            places.frame_mask(proc),
            &now,
            groups,
            meter,
        )?;
    }
    let mut exits: Vec<(ProcId, u32, u128)> = Vec::with_capacity(table.exits.len());
    for e in table.exits.items() {
        exits.push((table.contexts.get(e.context).proc, e.context, key(e.globals, e.results)));
    }
    exits.sort_unstable();
    let mut summaries = IndexVec::filled(SetId::empty(), program.procs.len());
    for of_proc in exits.chunk_by(|a, b| a.0 == b.0) {
        let proc = of_proc[0].0;
        let out =
            bits((Area::Global, places.global_mask()), (Area::Result, places.result_mask(proc)));
        let by_context = of_proc.chunk_by(|a, b| a.1 == b.1);
        let groups: Vec<(u32, Vec<u128>)> =
            by_context.map(|c| (c[0].1, c.iter().map(|p| p.2).collect())).collect();
        summaries[proc] = by_entry(
            table,
            &mut sets,
            places.global_mask(),
            places.frame_mask(proc),
            &out,
            groups,
            meter,
        )?;
    }
    let procs =
        summaries.iter().map(|&summary| ProcClaim { summary, unchanged: Vec::new() }).collect();
    Ok(Certificate { sets, path, procs })
}

/// The union over contexts of: the entry valuation fits the context, and the rest is one of its
/// keys. Contexts that leave different bits open are taken one kind after the other, each kind
/// being what the previous one leads to otherwise.
fn by_entry(
    table: &Tabulation,
    sets: &mut StateSets,
    global_mask: u64,
    frame_mask: u64,
    bits_now: &[(SetBit, u32)],
    groups: Vec<(u32, Vec<u128>)>,
    meter: &mut Meter,
) -> Result<SetId, StopReason> {
    let open = |context: u32| {
        let c = table.contexts.get(context);
        (c.open_globals, c.open_frame)
    };
    let mut groups = groups;
    groups.sort_by_key(|(context, _)| open(*context));
    let mut out = SetId::empty();
    for kind in groups.chunk_by(|a, b| open(a.0) == open(b.0)) {
        let (open_globals, open_frame) = open(kind[0].0);
        let entry_bits = bits(
            (Area::EntryGlobal, global_mask & !open_globals),
            (Area::EntryLocal, frame_mask & !open_frame),
        );
        let otherwise = out;
        let mut items = Vec::with_capacity(kind.len());
        for (context, keys) in kind {
            let mut states: Vec<(u128, SetId)> = keys.iter().map(|&k| (k, SetId::full())).collect();
            let set = tree(sets, bits_now, &mut states, otherwise, meter)?;
            let c = table.contexts.get(*context);
            items.push((key(c.globals, c.frame), set));
        }
        out = tree(sets, &entry_bits, &mut items, otherwise, meter)?;
    }
    Ok(out)
}

/// For each observation, the set of valuations of its variables.
pub(crate) fn observed(
    machine: &Machine,
    table: &Tabulation,
    observations: &[Observation],
    sets: &mut StateSets,
    meter: &mut Meter,
) -> Result<Vec<SetId>, StopReason> {
    let layout = Layout::new(machine.program);
    let mut out = Vec::with_capacity(observations.len());
    let mut states = FxHashMap::<NodeId, Vec<(u64, u64)>>::default();
    for observation in observations {
        states.entry(observation.node).or_default();
    }
    for path in table.paths.items() {
        if let Some(states) = states.get_mut(&path.node) {
            meter.push(states, (path.globals, path.frame))?;
        }
    }
    for observation in observations {
        let (mut globals, mut locals) = (0u64, 0u64);
        for &var in &observation.vars {
            let word = match machine.program.vars[var].kind {
                VarKind::Global => &mut globals,
                VarKind::Local(_) => &mut locals,
                VarKind::Result(_) => continue,
            };
            for bit in layout.slot(var).bits() {
                *word |= 1 << bit;
            }
        }
        let mut keys: Vec<u128> =
            states[&observation.node].iter().map(|(g, l)| key(g & globals, l & locals)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut items: Vec<_> = keys.into_iter().map(|k| (k, SetId::full())).collect();
        let bits = bits((Area::Global, globals), (Area::Local, locals));
        out.push(tree(sets, &bits, &mut items, SetId::empty(), meter)?);
    }
    Ok(out)
}

/// For each node, whether it is reached.
pub(crate) fn reached(machine: &Machine, table: &Tabulation) -> Vec<bool> {
    let mut out = vec![false; machine.program.nodes.len()];
    for path in table.paths.items() {
        out[path.node.index()] = true;
    }
    out
}
