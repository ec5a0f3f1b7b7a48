//! Reachability by tabulation: path edges and summaries over explicit valuations [bebop §3.1].
//!
//! A *context* is what a callee sees of its call: the procedure, the globals, and the part of its
//! frame that calls determine; the other locals start arbitrary, so that all these entry states
//! belong to one context. A *path edge* `PE(k, n, x)` says that a frame entered in context
//! `k` can come to node `n` with valuation `x` (globals and locals). `Exit(k, o)` says that such a
//! frame can be left with `o` (globals and results): the summary of `k`. `Caller(k, c, e, s)` says
//! that a frame of context `c` can take the call edge `e` into context `k`, leaving behind the
//! saved locals `s`. All four are the least ones closed under
//!
//! - TAB1 (start): `x` initial ⟹ `PE(root, entry, x)`
//! - TAB2 (step):  `PE(k, n, x)`, a step `x → x'` from `n` to `m` ⟹ `PE(k, m, x')`
//! - TAB3 (enter): `PE(c, n, x)`, a call `e` from `n` that enters `k` and saves `s`
//!   ⟹ `Caller(k, c, e, s)` and `PE(k, entry, y)` for all entry states `y` of `k`
//! - TAB4 (leave): `PE(k, n, x)`, a return `x → o` from `n` ⟹ `Exit(k, o)`
//! - TAB5 (back):  `Caller(k, c, e, s)`, `Exit(k, o)`, the way back `(o, s) → x'` of `e` to `m`
//!   ⟹ `PE(c, m, x')`
//!
//! Every fact is numbered in the order in which it is found and remembers how: its premises have
//! smaller numbers. This is what keeps the expansion of recursive calls in traces finite.

use crate::intern::Interner;
use crate::machine::{Action, Machine};
use crate::meter::Meter;
use crate::relation::Pattern;
use check::{Goal, StopReason, Target, Task};
use ir::eval::Code;
use ir::{EdgeId, Exprs, Id, NodeId, ProcId};

/// Who leaves the initial states arbitrary.
pub(crate) const INITIAL: &str = "the start of the program";

/// No fact.
pub(crate) const NONE: u32 = u32::MAX;

/// What a callee sees of its call. Invariant: the bits that contexts of the procedure leave open
/// ([`Machine::open_at_entry`]) are 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Context {
    pub(crate) proc: ProcId,
    pub(crate) globals: u64,
    pub(crate) frame: u64,
}

impl Context {
    /// The context of an entry valuation.
    pub(crate) fn new(machine: &Machine, proc: ProcId, globals: u64, frame: u64) -> Context {
        let (open_globals, open_frame) = machine.open_at_entry(proc);
        Context { proc, globals: globals & !open_globals, frame: frame & !open_frame }
    }
    /// Its entry valuations, if it is the context of a call.
    pub(crate) fn entries(&self, machine: &Machine) -> Pattern {
        let (open_globals, open_frame) = machine.open_at_entry(self.proc);
        Pattern {
            globals: self.globals,
            frame: self.frame,
            saved: 0,
            open_globals,
            open_frame,
            open_saved: 0,
        }
    }
}

/// A path edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Path {
    pub(crate) context: u32,
    pub(crate) node: NodeId,
    pub(crate) globals: u64,
    pub(crate) frame: u64,
}

/// How a path edge was found first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Why {
    /// The path edge before; [`NONE`] at the entry.
    pub(crate) from: u32,
    /// The edge taken; of no meaning at the entry.
    pub(crate) edge: EdgeId,
    /// The exit by which a call came back; [`NONE`] for steps.
    pub(crate) exit: u32,
}

/// A frame that waits for a call to come back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Caller {
    pub(crate) callee: u32,
    pub(crate) context: u32,
    pub(crate) edge: EdgeId,
    pub(crate) saved: u64,
}

/// A way out of a context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Exit {
    pub(crate) context: u32,
    pub(crate) globals: u64,
    pub(crate) results: u64,
}

/// What is known of a context besides its key.
#[derive(Default)]
pub(crate) struct Activity {
    /// The program starts here.
    pub(crate) root: bool,
    /// In order of arrival.
    pub(crate) callers: Vec<u32>,
    /// In order of arrival.
    pub(crate) exits: Vec<u32>,
}

/// The tables.
pub(crate) struct Tabulation<'a> {
    machine: &'a Machine<'a>,
    pub(crate) contexts: Interner<Context>,
    pub(crate) activities: Vec<Activity>,
    pub(crate) paths: Interner<Path>,
    pub(crate) whys: Vec<Why>,
    pub(crate) callers: Interner<Caller>,
    /// The path edge from which each call was found first.
    pub(crate) caller_paths: Vec<u32>,
    pub(crate) exits: Interner<Exit>,
    /// The path edge and return edge by which each exit was found first.
    pub(crate) exit_whys: Vec<(u32, EdgeId)>,
    pub(crate) goals: Goals,
    /// The first path edge that is not processed yet.
    next: usize,
}

impl<'a> Tabulation<'a> {
    pub(crate) fn new(machine: &'a Machine<'a>, task: &Task) -> Self {
        Tabulation {
            machine,
            contexts: Interner::new(),
            activities: Vec::new(),
            paths: Interner::new(),
            whys: Vec::new(),
            callers: Interner::new(),
            caller_paths: Vec::new(),
            exits: Interner::new(),
            exit_whys: Vec::new(),
            goals: Goals::new(task),
            next: 0,
        }
    }

    /// Applies the rules until nothing is new, or (if `stop_early`) all goals are reached.
    pub(crate) fn run(&mut self, stop_early: bool, meter: &mut Meter) -> Result<(), StopReason> {
        if stop_early && self.goals.all_reached() {
            return Ok(());
        }
        self.start(meter)?;
        // Path edges are processed in the order in which they were found.
        while self.next < self.paths.len() && !(stop_early && self.goals.all_reached()) {
            let index = self.next as u32;
            self.next += 1;
            self.process(index, meter)?;
        }
        meter.flush()
    }

    /// TAB1.
    fn start(&mut self, meter: &mut Meter) -> Result<(), StopReason> {
        let machine = self.machine;
        let proc = machine.program.entry;
        let node = machine.program.procs[proc].entry;
        for pattern in machine.initial(meter)? {
            pattern.each_state(INITIAL, meter, |globals, frame, meter| {
                let key = Context::new(machine, proc, globals, frame);
                let (context, _) = self.context(key, meter)?;
                self.activities[context as usize].root = true;
                self.path(Path { context, node, globals, frame }, entered(), meter)
            })?;
        }
        Ok(())
    }

    fn process(&mut self, index: u32, meter: &mut Meter) -> Result<(), StopReason> {
        let machine = self.machine;
        let Path { context, node, globals, frame } = self.paths.get(index);
        let mut patterns = Vec::new();
        for edge in machine.program.out_edges(node) {
            patterns.clear();
            match machine.action(edge, meter)? {
                // TAB2
                Action::Local { target, rel } => {
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    let why = Why { from: index, edge, exit: NONE };
                    for pattern in &patterns {
                        pattern.each_state("a step", meter, |globals, frame, meter| {
                            self.path(Path { context, node: *target, globals, frame }, why, meter)
                        })?;
                    }
                }
                // TAB3
                Action::Call { callee, enter, .. } => {
                    enter.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_entry(*callee, machine, meter, |key, saved, meter| {
                            self.call(
                                key,
                                Caller { callee: NONE, context, edge, saved },
                                index,
                                meter,
                            )
                        })?;
                    }
                }
                // TAB4
                Action::Return { rel } => {
                    rel.successors(machine.at(globals, frame), meter, &mut patterns)?;
                    for pattern in &patterns {
                        pattern.each_state("a step", meter, |globals, results, meter| {
                            self.exit(Exit { context, globals, results }, (index, edge), meter)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// TAB3 for one context.
    fn call(
        &mut self,
        key: Context,
        caller: Caller,
        from: u32,
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let (callee, new) = self.context(key, meter)?;
        let (number, new_caller) = self.callers.insert(Caller { callee, ..caller }, meter)?;
        if !new_caller {
            return Ok(());
        }
        meter.push(&mut self.caller_paths, from)?;
        meter.push(&mut self.activities[callee as usize].callers, number)?;
        if new {
            let node = self.machine.program.procs[key.proc].entry;
            key.entries(self.machine).each_state("a call", meter, |globals, frame, meter| {
                self.path(Path { context: callee, node, globals, frame }, entered(), meter)
            })?;
        }
        let mut i = 0;
        while let Some(&exit) = self.activities[callee as usize].exits.get(i) {
            self.back(number, exit, meter)?;
            i += 1;
        }
        Ok(())
    }

    /// TAB4 for one exit.
    fn exit(
        &mut self,
        exit: Exit,
        why: (u32, EdgeId),
        meter: &mut Meter,
    ) -> Result<(), StopReason> {
        let (number, new) = self.exits.insert(exit, meter)?;
        if !new {
            return Ok(());
        }
        meter.push(&mut self.exit_whys, why)?;
        meter.push(&mut self.activities[exit.context as usize].exits, number)?;
        let mut i = 0;
        while let Some(&caller) = self.activities[exit.context as usize].callers.get(i) {
            self.back(caller, number, meter)?;
            i += 1;
        }
        Ok(())
    }

    /// TAB5.
    fn back(&mut self, caller: u32, exit: u32, meter: &mut Meter) -> Result<(), StopReason> {
        let machine = self.machine;
        let Caller { context, edge, saved, .. } = self.callers.get(caller);
        let Exit { globals, results, .. } = self.exits.get(exit);
        let Action::Call { ret, back, .. } = machine.action(edge, meter)? else {
            unreachable!("callers hold call edges");
        };
        let mut patterns = Vec::new();
        back.successors(machine.coming_back(globals, results, saved), meter, &mut patterns)?;
        let why = Why { from: self.caller_paths[caller as usize], edge, exit };
        for pattern in &patterns {
            pattern.each_state("a step", meter, |globals, frame, meter| {
                self.path(Path { context, node: *ret, globals, frame }, why, meter)
            })?;
        }
        Ok(())
    }

    fn context(&mut self, key: Context, meter: &mut Meter) -> Result<(u32, bool), StopReason> {
        let (context, new) = self.contexts.insert(key, meter)?;
        if new {
            meter.push(&mut self.activities, Activity::default())?;
        }
        Ok((context, new))
    }

    /// Every path edge comes through here. (The place to give dead variables the value 0, should
    /// that ever be wanted; the reference engine keeps every bit.)
    fn path(&mut self, path: Path, why: Why, meter: &mut Meter) -> Result<(), StopReason> {
        let (index, new) = self.paths.insert(path, meter)?;
        if new {
            meter.push(&mut self.whys, why)?;
            self.goals.visit(self.machine, path, index, meter);
        }
        Ok(())
    }
}

/// How an entry state is found: by the first caller of its context, or as an initial state.
fn entered() -> Why {
    Why { from: NONE, edge: EdgeId::new(0), exit: NONE }
}

/// The reach goals, and which of them are reached.
pub(crate) struct Goals {
    /// By node: goal and condition.
    targets: rustc_hash::FxHashMap<NodeId, Vec<(usize, Option<Code>)>>,
    /// By goal: the first path edge that reaches it.
    pub(crate) reached: Vec<Option<u32>>,
    unreached: usize,
}

impl Goals {
    fn new(task: &Task) -> Goals {
        let mut targets = rustc_hash::FxHashMap::<_, Vec<_>>::default();
        let mut unreached = 0;
        for (goal, kind) in task.goals.iter().enumerate() {
            let Goal::Reach(places) = kind else { continue };
            unreached += !places.is_empty() as usize;
            for &Target { node, condition } in places {
                let code = (condition != Exprs::TRUE).then(|| Code::new(&task.program, condition));
                targets.entry(node).or_default().push((goal, code));
            }
        }
        Goals { targets, reached: vec![None; task.goals.len()], unreached }
    }
    /// Whether all are that have a target.
    pub(crate) fn all_reached(&self) -> bool {
        self.unreached == 0
    }
    fn visit(&mut self, machine: &Machine, path: Path, index: u32, meter: &mut Meter) {
        let Some(targets) = self.targets.get(&path.node) else { return };
        for (goal, condition) in targets {
            if self.reached[*goal].is_none()
                && holds(machine, condition, path.globals, path.frame, meter)
            {
                self.reached[*goal] = Some(index);
                self.unreached -= 1;
            }
        }
    }
    /// The goals that a valuation at a node reaches.
    pub(crate) fn at(
        &self,
        machine: &Machine,
        state: crate::shortest::State,
        meter: &mut Meter,
    ) -> impl Iterator<Item = usize> {
        let targets = self.targets.get(&state.node).map_or(&[][..], |t| t);
        targets
            .iter()
            .filter(move |(_, c)| holds(machine, c, state.globals, state.frame, meter))
            .map(|(goal, _)| *goal)
    }
}

fn holds(
    machine: &Machine,
    condition: &Option<Code>,
    globals: u64,
    frame: u64,
    meter: &mut Meter,
) -> bool {
    condition
        .as_ref()
        .is_none_or(|code| machine.at(globals, frame).satisfies(code, &mut meter.registers))
}
