//! Configurations one by one: a node, its valuation, and the stack of waiting frames.
//!
//! The tabulation never builds stacks; this does. It is for programs whose stacks are bounded, or
//! for looking no deeper than a bound.

use crate::intern::Interner;
use crate::machine::{Action, Machine};
use crate::meter::Meter;
use crate::relation::Pattern;
use crate::tabulate::INITIAL;
use crate::words::completions;
use check::{Budget, Partial, StopReason};
use ir::{EdgeId, EdgeKind, Id, NodeId, ProcId, Program, VarId, VarKind};

/// What is kept of a configuration: the rest is 0 in all of them, and not told apart.
///
/// Sound if a variable that is not kept at a node decides nothing that comes later.
struct Kept {
    /// By node: globals and locals of the top frame.
    nodes: Vec<(u64, u64)>,
    /// By call edge: locals of the frame that waits.
    waiting: Vec<u64>,
    /// By procedure: globals and results where it has returned.
    exits: Vec<(u64, u64)>,
}

/// Which variables matter where.
pub trait Matter: Send + Sync {
    /// Whether a variable matters at a node.
    fn at(&self, node: NodeId, var: VarId) -> bool;
    /// Whether a global, or a result, matters where a procedure has returned.
    fn at_exit(&self, proc: ProcId, var: VarId) -> bool;
}

/// The bits of a variable, where it lies in a frame or among the globals.
fn bits(machine: &Machine, var: VarId) -> u64 {
    let cells = machine.program.vars[var].ty.cells();
    (0..cells).map(|i| machine.places.cell(ir::Time::Pre, var, i).mask()).fold(0, |a, b| a | b)
}

impl Kept {
    fn everything(machine: &Machine) -> Kept {
        let program = machine.program;
        let all =
            |node: &ir::Node| (machine.places.global_mask(), machine.places.frame_mask(node.proc));
        let frame = |e: &ir::Edge| machine.places.frame_mask(program.nodes[e.source].proc);
        let places = &machine.places;
        let exit = |p: ProcId| (places.global_mask(), places.result_mask(p));
        Kept {
            nodes: program.nodes.iter().map(all).collect(),
            waiting: program.edges.iter().map(frame).collect(),
            exits: program.procs.ids().map(exit).collect(),
        }
    }

    /// The variables that matter. A waiting frame keeps those of its return point, and those
    /// that coming back reads.
    fn of(machine: &Machine, matter: &dyn Matter) -> Kept {
        let program = machine.program;
        let at = |node: NodeId| {
            let mut kept = (0, 0);
            for var in program.scope(program.nodes[node].proc) {
                if matter.at(node, var) {
                    match program.vars[var].kind {
                        VarKind::Global => kept.0 |= bits(machine, var),
                        _ => kept.1 |= bits(machine, var),
                    }
                }
            }
            kept
        };
        let nodes: Vec<(u64, u64)> = program.nodes.ids().map(at).collect();
        let waiting = program.edges.iter().map(|edge| {
            let EdgeKind::Call(call) = &edge.kind else { return 0 };
            let mut kept = nodes[call.ret.index()].1;
            for expr in call.back.pre_exprs() {
                program.exprs.reads(expr, |_, var| {
                    if matches!(program.vars[var].kind, VarKind::Local(_)) {
                        kept |= bits(machine, var);
                    }
                });
            }
            kept
        });
        let waiting = waiting.collect();
        let exit = |proc: ProcId| {
            let mut kept = (0, 0);
            for &var in program.globals.iter().chain(&program.procs[proc].results) {
                if matter.at_exit(proc, var) {
                    match program.vars[var].kind {
                        VarKind::Global => kept.0 |= bits(machine, var),
                        _ => kept.1 |= bits(machine, var),
                    }
                }
            }
            kept
        };
        let exits = program.procs.ids().map(exit).collect();
        Kept { nodes, waiting, exits }
    }
}

/// A configuration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Configuration {
    /// The waiting frames; 0: none, else a number in the table of stacks and 1.
    stack: u32,
    node: NodeId,
    globals: u64,
    frame: u64,
}

/// A waiting frame above others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Waiting {
    below: u32,
    edge: EdgeId,
    saved: u64,
}

/// The configurations of a program, numbered as they are met.
pub struct Space<'a> {
    machine: Machine<'a>,
    pub(crate) meter: Meter<'a>,
    kept: Kept,
    stacks: Interner<Waiting>,
    depths: Vec<u32>,
    configurations: Interner<Configuration>,
    /// A call that would make more frames than this is not taken.
    max_depth: Option<u32>,
}

/// A step to another configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// An edge, to a configuration.
    To(EdgeId, u32),
    /// An edge by which the entry procedure returns.
    End(EdgeId),
    /// A call that is not taken because the stack is as high as it may be.
    TooDeep(EdgeId),
}

impl<'a> Space<'a> {
    /// The configurations of a program. `matter` says which variables are kept; without it, all are.
    pub fn new(
        program: &'a Program,
        matter: Option<&dyn Matter>,
        max_depth: Option<u32>,
        budget: &'a Budget,
        max_open_bits: u32,
    ) -> Result<Space<'a>, StopReason> {
        let mut meter = Meter::new(budget, max_open_bits.min(62));
        meter.phase = "exploration";
        let machine = Machine::new(program, &mut meter)?;
        let kept = match matter {
            Some(matter) => Kept::of(&machine, matter),
            None => Kept::everything(&machine),
        };
        Ok(Space {
            machine,
            meter,
            kept,
            stacks: Interner::new(),
            depths: vec![0],
            configurations: Interner::new(),
            max_depth,
        })
    }

    /// How many configurations were met.
    pub fn len(&self) -> usize {
        self.configurations.len()
    }

    /// Whether none was met yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The node of a configuration.
    pub fn node(&self, configuration: u32) -> NodeId {
        self.configurations.get(configuration).node
    }

    /// How many frames wait in a configuration.
    pub fn depth(&self, configuration: u32) -> u32 {
        self.depths[self.configurations.get(configuration).stack as usize]
    }

    /// Globals and locals of the top frame, as far as they are kept.
    pub fn valuation(&self, configuration: u32) -> Partial {
        let c = self.configurations.get(configuration);
        let (globals, frame) = self.kept.nodes[c.node.index()];
        let low = self.machine.places.global_bits;
        let high = self.machine.places.frame_bits(self.machine.program.nodes[c.node].proc);
        partial((low, globals, c.globals), (high, frame, c.frame))
    }

    /// Globals and results, as far as they are kept, between a return and what comes after it.
    pub(crate) fn exit(&mut self, from: u32, edge: EdgeId, to: u32) -> Result<Partial, StopReason> {
        let internal = || {
            let what = "explicit engine: a return leads nowhere".to_owned();
            StopReason::Internal { what }
        };
        let (c, next) = (self.configurations.get(from), self.configurations.get(to));
        let waiting = self.stacks.get(c.stack.checked_sub(1).ok_or_else(internal)?);
        let Action::Return { rel } = self.machine.action(edge, &mut self.meter)? else {
            return Err(internal());
        };
        let mut patterns = Vec::new();
        rel.successors(self.machine.at(c.globals, c.frame), &mut self.meter, &mut patterns)?;
        let Action::Call { back, .. } = self.machine.action(waiting.edge, &mut self.meter)? else {
            return Err(internal());
        };
        let (globals, frame) = self.kept.nodes[next.node.index()];
        let leads = |p: &Pattern| {
            (p.globals ^ next.globals) & globals & !p.open_globals == 0
                && (p.frame ^ next.frame) & frame & !p.open_frame == 0
        };
        let mut found = None;
        let mut came = Vec::new();
        for pattern in &patterns {
            pattern.each_state("a return", &mut self.meter, |globals, results, meter| {
                came.clear();
                let view = self.machine.coming_back(globals, results, waiting.saved);
                back.successors(view, meter, &mut came)?;
                if found.is_none() && came.iter().any(leads) {
                    found = Some((globals, results));
                }
                Ok(())
            })?;
        }
        let (globals, results) = found.ok_or_else(internal)?;
        let proc = self.machine.program.nodes[c.node].proc;
        let kept = self.kept.exits[proc.index()];
        let places = &self.machine.places;
        let (low, high) = (places.global_bits, places.result_bits(proc));
        Ok(partial((low, kept.0, globals), (high, kept.1, results)))
    }

    /// Whether a condition without choices holds in a configuration.
    pub(crate) fn satisfies(&mut self, configuration: u32, condition: &ir::eval::Code) -> bool {
        let c = self.configurations.get(configuration);
        let view = self.machine.at(c.globals, c.frame);
        view.satisfies(condition, &mut self.meter.registers)
    }

    /// The configurations in which runs start.
    pub fn initial(&mut self) -> Result<Vec<u32>, StopReason> {
        let program = self.machine.program;
        let node = program.procs[program.entry].entry;
        let mut out = Vec::new();
        for pattern in self.machine.initial(&mut self.meter)? {
            self.reach(node, 0, &pattern, INITIAL, &mut out)?;
        }
        Ok(out)
    }

    /// Every configuration of a pattern; bits that are open and not kept are 0.
    fn reach(
        &mut self,
        node: NodeId,
        stack: u32,
        pattern: &Pattern,
        who: &str,
        out: &mut Vec<u32>,
    ) -> Result<(), StopReason> {
        let (globals, frame) = self.kept.nodes[node.index()];
        let kept = Pattern {
            globals: pattern.globals & globals,
            frame: pattern.frame & frame,
            open_globals: pattern.open_globals & globals,
            open_frame: pattern.open_frame & frame,
            ..*pattern
        };
        let configurations = &mut self.configurations;
        kept.each_state(who, &mut self.meter, |globals, frame, meter| {
            let next = Configuration { stack, node, globals, frame };
            let (id, _) = configurations.insert(next, meter)?;
            // A state is met by several choices at once.
            if !out.contains(&id) || out.len() > 64 {
                out.push(id);
            }
            Ok(())
        })
    }

    /// Appends the steps of a configuration.
    pub fn successors(
        &mut self,
        configuration: u32,
        out: &mut Vec<Move>,
    ) -> Result<(), StopReason> {
        let c = self.configurations.get(configuration);
        let program = self.machine.program;
        let mut found = Vec::new();
        let mut patterns = Vec::new();
        for edge in program.out_edges(c.node) {
            patterns.clear();
            found.clear();
            // The action is borrowed while configurations are added: take what it says first.
            enum Next {
                Step(NodeId),
                Enter(NodeId),
                Leave,
            }
            let next = match self.machine.action(edge, &mut self.meter)? {
                Action::Local { target, rel } => {
                    rel.successors(
                        self.machine.at(c.globals, c.frame),
                        &mut self.meter,
                        &mut patterns,
                    )?;
                    Next::Step(*target)
                }
                Action::Call { callee, enter, .. } => {
                    enter.successors(
                        self.machine.at(c.globals, c.frame),
                        &mut self.meter,
                        &mut patterns,
                    )?;
                    Next::Enter(program.procs[*callee].entry)
                }
                Action::Return { rel } => {
                    rel.successors(
                        self.machine.at(c.globals, c.frame),
                        &mut self.meter,
                        &mut patterns,
                    )?;
                    Next::Leave
                }
            };
            match next {
                Next::Step(target) => {
                    for pattern in &patterns {
                        self.reach(target, c.stack, pattern, "an edge", &mut found)?;
                    }
                }
                Next::Enter(entry) => {
                    let too_deep =
                        self.max_depth.is_some_and(|most| self.depths[c.stack as usize] >= most);
                    if too_deep && !patterns.is_empty() {
                        out.push(Move::TooDeep(edge));
                        continue;
                    }
                    let waiting = self.kept.waiting[edge.index()];
                    for pattern in &patterns {
                        let open = pattern.open_saved & waiting;
                        self.meter.admit_open_bits(open.count_ones(), "a call")?;
                        for saved in completions(pattern.saved & waiting, open) {
                            let frame = Waiting { below: c.stack, edge, saved };
                            let (stack, new) = self.stacks.insert(frame, &mut self.meter)?;
                            if new {
                                let depth = self.depths[c.stack as usize] + 1;
                                self.meter.push(&mut self.depths, depth)?;
                            }
                            self.reach(entry, stack + 1, pattern, "a call", &mut found)?;
                        }
                    }
                }
                Next::Leave if c.stack == 0 => {
                    if !patterns.is_empty() {
                        out.push(Move::End(edge));
                    }
                }
                Next::Leave => {
                    let waiting = self.stacks.get(c.stack - 1);
                    let Action::Call { ret, back, .. } =
                        self.machine.action(waiting.edge, &mut self.meter)?
                    else {
                        let what = "explicit engine: a frame waits for no call".to_owned();
                        return Err(StopReason::Internal { what });
                    };
                    let (ret, mut came) = (*ret, Vec::new());
                    // Results that nobody waits for need not be told apart, but are few.
                    for pattern in &patterns {
                        pattern.each_state(
                            "a return",
                            &mut self.meter,
                            |globals, results, meter| {
                                let view =
                                    self.machine.coming_back(globals, results, waiting.saved);
                                back.successors(view, meter, &mut came)
                            },
                        )?;
                    }
                    for pattern in &came {
                        self.reach(ret, waiting.below, pattern, "a return", &mut found)?;
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            out.extend(found.iter().map(|&to| Move::To(edge, to)));
        }
        Ok(())
    }
}

/// Two words one behind the other: how many bits each has, which of them are known, and their values.
fn partial(low: (u32, u64, u64), high: (u32, u64, u64)) -> Partial {
    let mut out = Partial::unknown(low.0 + high.0);
    for (from, (bits, mask, word)) in [(0, low), (low.0, high)] {
        for bit in (0..bits).filter(|b| mask >> b & 1 == 1) {
            out.set(from + bit, Some(word >> bit & 1 == 1));
        }
    }
    out
}
