//! Values of a variable at goals, each with a trace of its own ([`check::Task::each`]): read off the tables.

use crate::machine::Machine;
use crate::meter::Meter;
use crate::shortest::{Search, State};
use crate::tabulate::Tabulation;
use crate::{trace, violated};
use check::{StopReason, Task, TraceMode, Verdict};
use ir::{Layout, VarId, VarKind};
use std::collections::BTreeMap;

/// By goal, the values with which it is reached. Of a search that had to stop, those that it has found, and no
/// shortest traces.
pub(crate) fn verdicts(
    task: &Task,
    machine: &Machine,
    table: &Tabulation,
    stopped: bool,
    meter: &mut Meter,
) -> Vec<Vec<(u64, Verdict)>> {
    let Some(var) = task.each else { return Vec::new() };
    let value = Value::new(machine, var);
    // The first path edge to each.
    let mut first: BTreeMap<(usize, u64), u32> = BTreeMap::new();
    for (index, path) in table.paths.items().iter().enumerate() {
        let state = State { node: path.node, globals: path.globals, frame: path.frame };
        for goal in table.goals.at(machine, state, meter) {
            first.entry((goal, value.at(state))).or_insert(index as u32);
        }
    }
    let wants_shortest = task.wants.trace == TraceMode::Shortest && !stopped && !first.is_empty();
    let search = wants_shortest.then(|| nearest(machine, table, &value, first.len(), meter));
    let mut out = vec![Vec::new(); task.goals.len()];
    for (&(goal, value), &path) in &first {
        let shortest = search.as_ref().map(|search| {
            let (search, nearest) = search.as_ref().map_err(StopReason::clone)?;
            let state = nearest.get(&(goal, value)).copied();
            trace::shortest(machine, table, search, state, meter)
        });
        out[goal].push((
            value,
            match shortest {
                Some(Ok(trace)) => Verdict::Violated(Some(Box::new(trace))),
                Some(Err(reason @ StopReason::Internal { .. })) => Verdict::Unknown(reason),
                // Out of time or memory: it is reached all the same.
                Some(Err(_)) | None => violated(task, machine, table, path),
            },
        ));
    }
    out
}

/// States by goal and value.
type Nearest = BTreeMap<(usize, u64), u32>;

/// For each goal and value, a nearest state.
fn nearest<'a>(
    machine: &'a Machine<'a>,
    table: &'a Tabulation<'a>,
    value: &Value,
    wanted: usize,
    meter: &mut Meter,
) -> Result<(Search<'a>, Nearest), StopReason> {
    let mut nearest = Nearest::new();
    let search = Search::breadth_first(machine, table, meter, |index, state, meter| {
        for goal in table.goals.at(machine, state, meter) {
            nearest.entry((goal, value.at(state))).or_insert(index);
        }
        nearest.len() < wanted
    })?;
    Ok((search, nearest))
}

/// Where a variable has its value.
struct Value {
    global: bool,
    offset: u32,
    mask: u64,
}

impl Value {
    fn new(machine: &Machine, var: VarId) -> Value {
        let bits = Layout::new(machine.program).slot(var).bits();
        let mask = 1u64.checked_shl(bits.len() as u32).map_or(u64::MAX, |above| above - 1);
        let global = machine.program.vars[var].kind == VarKind::Global;
        Value { global, offset: bits.start, mask }
    }

    fn at(&self, state: State) -> u64 {
        let word = if self.global { state.globals } else { state.frame };
        word.checked_shr(self.offset).unwrap_or(0) & self.mask
    }
}
