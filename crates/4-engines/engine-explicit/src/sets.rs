//! Tables turned into [`StateSets`]: certificates and observed states.

use crate::lasso::Ground;
use crate::machine::Machine;
use crate::meter::Meter;
use crate::tabulate::Tabulation;
use check::{
    Area, Certificate, MarkedClaim, Observation, ProcClaim, Rank, RepeatClaim, SetBit, SetId,
    StateSets, StopReason,
};
use ir::{Id, IndexVec, Layout, MarkSet, NodeId, ProcId, Program, VarKind};
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
/// from everything else to the empty set. Keys that agree on all of `bits` must be equal.
fn tree(
    sets: &mut StateSets,
    bits: &[(SetBit, u32)],
    items: &mut [(u128, SetId)],
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
            Job::Visit(range, _) if range.is_empty() => done.push(SetId::empty()),
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
    Ok(done.pop().unwrap_or(SetId::empty()))
}

/// That everything is reachable: enough for a goal without targets, whatever was searched.
pub(crate) fn trivial(program: &Program) -> Certificate {
    let claim = ProcClaim { summary: SetId::full(), unchanged: Vec::new() };
    Certificate {
        sets: StateSets::new(),
        path: IndexVec::filled(SetId::full(), program.nodes.len()),
        procs: IndexVec::filled(claim, program.procs.len()),
        repeat: None,
    }
}

/// What the tabulation found, as a certificate: the path edges of each node, the exits of each
/// procedure.
pub(crate) fn certificate(
    machine: &Machine,
    table: &Tabulation,
    meter: &mut Meter,
) -> Result<Certificate, StopReason> {
    let mut sets = StateSets::new();
    let all = |_: u32| true;
    let (path, summary) = claims(machine, table, all, all, &mut sets, meter)?;
    let claim = |&summary: &SetId| ProcClaim { summary, unchanged: Vec::new() };
    Ok(Certificate { sets, path, procs: summary.iter().map(claim).collect(), repeat: None })
}

/// The same for a repeated goal of so many marks, with the rank of each vertex of the head graph.
pub(crate) fn repeat_certificate(
    ground: &Ground,
    marks: u32,
    ranks: &[u64],
    meter: &mut Meter,
) -> Result<Certificate, StopReason> {
    let (machine, table) = (ground.machine, ground.table);
    let mut out = certificate(machine, table, meter)?;
    let sets = &mut out.sets;
    let mut marked = Vec::new();
    for mark in 0..marks {
        let has = |set: MarkSet| set >> mark & 1 == 1;
        let path_has = |path: u32| has(ground.marks.paths[path as usize]);
        let exit_has = |exit: u32| has(ground.marks.exits[exit as usize]);
        let (path, summary) = claims(machine, table, path_has, exit_has, sets, meter)?;
        marked.push(MarkedClaim { path, summary });
    }
    meter.reserve(ground.graph.heads.len() * size_of::<(u64, NodeId, u32)>())?;
    let mut heads: Vec<(u64, NodeId, u32)> = ground
        .graph
        .heads
        .items()
        .iter()
        .enumerate()
        .map(|(head, state)| (ranks[head], state.node, head as u32))
        .collect();
    heads.sort_unstable();
    let mut claimed: Vec<Rank> = Vec::new();
    for in_rank in heads.chunk_by(|a, b| a.0 == b.0) {
        let mut rank = Rank { mark: (in_rank[0].0 % marks as u64) as u32, heads: Vec::new() };
        for at_node in in_rank.chunk_by(|a, b| a.1 == b.1) {
            let node = at_node[0].1;
            let frame = machine.places.frame_mask(machine.program.nodes[node].proc);
            let now = bits((Area::Global, machine.places.global_mask()), (Area::Local, frame));
            let head = |&(_, _, head): &(u64, NodeId, u32)| {
                let state = ground.graph.heads.get(head);
                (key(state.globals, state.frame), SetId::full())
            };
            let mut items: Vec<(u128, SetId)> = at_node.iter().map(head).collect();
            rank.heads.push((node, tree(sets, &now, &mut items, meter)?));
        }
        claimed.push(rank);
    }
    out.repeat = Some(RepeatClaim { marked, ranks: claimed });
    Ok(out)
}

/// The path edges of each node and the exits of each procedure, those for which `path_in` and
/// `exit_in` hold.
#[allow(clippy::type_complexity)]
fn claims(
    machine: &Machine,
    table: &Tabulation,
    path_in: impl Fn(u32) -> bool,
    exit_in: impl Fn(u32) -> bool,
    sets: &mut StateSets,
    meter: &mut Meter,
) -> Result<(IndexVec<NodeId, SetId>, IndexVec<ProcId, SetId>), StopReason> {
    let program = machine.program;
    let fact = |i: u32| {
        let path = table.paths.get(i);
        (path.context, key(path.globals, path.frame))
    };
    let node_of = |i: u32| path_in(i).then(|| table.paths.get(i).node.index());
    let by_node = group(program.nodes.len(), table.paths.len(), node_of, meter)?;
    let mut path = IndexVec::filled(SetId::empty(), program.nodes.len());
    for (node, paths) in program.nodes.ids().zip(&by_node) {
        let proc = program.nodes[node].proc;
        let now = (Area::Local, machine.places.frame_mask(proc));
        path[node] = by_entry(machine, table, proc, now, paths, fact, sets, meter)?;
    }
    let fact = |i: u32| {
        let exit = table.exits.get(i);
        (exit.context, key(exit.globals, exit.results))
    };
    let proc_of =
        |i: u32| exit_in(i).then(|| table.contexts.get(table.exits.get(i).context).proc.index());
    let by_proc = group(program.procs.len(), table.exits.len(), proc_of, meter)?;
    let mut summary = IndexVec::new();
    for (proc, exits) in program.procs.ids().zip(&by_proc) {
        let out = (Area::Result, machine.places.result_mask(proc));
        summary.push(by_entry(machine, table, proc, out, exits, fact, sets, meter)?);
    }
    Ok((path, summary))
}

/// The numbers `0..len` that have a group, by group.
fn group(
    groups: usize,
    len: usize,
    group_of: impl Fn(u32) -> Option<usize>,
    meter: &mut Meter,
) -> Result<Vec<Vec<u32>>, StopReason> {
    meter.reserve(groups * size_of::<Vec<u32>>())?;
    let mut out = vec![Vec::new(); groups];
    for i in 0..len as u32 {
        meter.tick()?;
        if let Some(group) = group_of(i) {
            meter.push(&mut out[group], i)?;
        }
    }
    Ok(out)
}

/// The union over contexts of: the entry valuation fits the context, and globals and `other` bits
/// are those of one of its facts.
#[allow(clippy::too_many_arguments)]
fn by_entry(
    machine: &Machine,
    table: &Tabulation,
    proc: ProcId,
    other: (Area, u64),
    numbers: &[u32],
    fact: impl Fn(u32) -> (u32, u128),
    sets: &mut StateSets,
    meter: &mut Meter,
) -> Result<SetId, StopReason> {
    let places = &machine.places;
    let now = bits((Area::Global, places.global_mask()), other);
    let (open_globals, open_frame) = machine.open_at_entry(proc);
    let entry = bits(
        (Area::EntryGlobal, places.global_mask() & !open_globals),
        (Area::EntryLocal, places.frame_mask(proc) & !open_frame),
    );
    let mut facts: Vec<(u32, u128)> = numbers.iter().map(|&i| fact(i)).collect();
    facts.sort_unstable_by_key(|&(context, _)| context);
    let mut contexts = Vec::new();
    for facts in facts.chunk_by(|a, b| a.0 == b.0) {
        let mut states: Vec<_> = facts.iter().map(|&(_, key)| (key, SetId::full())).collect();
        let set = tree(sets, &now, &mut states, meter)?;
        let context = table.contexts.get(facts[0].0);
        contexts.push((key(context.globals, context.frame), set));
    }
    tree(sets, &entry, &mut contexts, meter)
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
        out.push(tree(sets, &bits, &mut items, meter)?);
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
