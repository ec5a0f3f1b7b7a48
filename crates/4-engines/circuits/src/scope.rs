//! Which bits a symbolic state consists of.
//!
//! At a node: those of the live variables. At an entry, for the left side of path edges: those that
//! calls determine and that are live there. At an exit: the globals that the procedure may modify,
//! and its results, as far as they are live there. The same choice as the diagrams of
//! `engine-summary` make ([bebop §3.3]).

use analysis::{Live, ModRef, Uses};
use check::{Partial, Task};
use ir::{EdgeKind, IndexVec, Layout, NodeId, ProcId, Program, Time, VarId, VarKind};

/// The bits of some variables, one variable after the other; bits of a variable in the order of
/// its slot.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// With the place of the first bit, by variable.
    vars: Box<[(VarId, u32)]>,
    /// How many bits.
    pub len: u32,
}

impl Bits {
    fn new(layout: &Layout, vars: impl Iterator<Item = VarId>) -> Bits {
        let mut vars: Vec<(VarId, u32)> = vars.map(|v| (v, 0)).collect();
        vars.sort_unstable();
        let mut len = 0;
        for (var, offset) in &mut vars {
            *offset = len;
            len += layout.slot(*var).bits().len() as u32;
        }
        Bits { vars: vars.into(), len }
    }
    /// The place of the variable's first bit.
    pub fn place(&self, var: VarId) -> Option<usize> {
        let i = self.vars.binary_search_by_key(&var, |&(v, _)| v).ok()?;
        Some(self.vars[i].1 as usize)
    }
    /// The variables, in order of places.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.iter().map(|&(v, _)| v)
    }
    /// Whether both have the same bits.
    pub fn same(&self, other: &Bits) -> bool {
        self.vars == other.vars
    }
}

/// What the engines look at.
#[derive(Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where its bits lie.
    pub layout: Layout,
    /// Which globals procedures modify.
    pub mod_ref: ModRef,
    /// The bits at each node.
    pub at: IndexVec<NodeId, Bits>,
    /// The bits of the values at entry that path edges keep.
    pub entry: IndexVec<ProcId, Bits>,
    /// The bits behind the returns.
    pub exit: IndexVec<ProcId, Bits>,
}

impl<'a> Context<'a> {
    /// What matters to the task, by node and procedure.
    pub fn new(task: &'a Task) -> Context<'a> {
        let program: &Program = &task.program;
        // A trace starts in an initial valuation: it must tell what the initial condition reads.
        let mut reads = task.reads();
        let start = program.procs[program.entry].entry;
        program.exprs.reads(program.init.condition, |_, var| reads.push((start, var)));
        let uses = Uses::new(reads);
        let mod_ref = ModRef::new(program, &uses);
        let live = Live::new(program, &mod_ref, &uses);
        let layout = Layout::new(program);

        let mut determined: IndexVec<VarId, bool> = IndexVec::filled(false, program.vars.len());
        let mut called: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
        for edge in program.edges.iter() {
            let EdgeKind::Call(call) = &edge.kind else { continue };
            called[call.callee] = true;
            for assign in &call.enter.assigns {
                determined[assign.var] = true;
            }
            program.exprs.reads(call.enter.constraint, |time, var| {
                determined[var] |= time == Time::Post;
            });
        }
        let is_global = |v: VarId| program.vars[v].kind == VarKind::Global;
        let at = program
            .nodes
            .ids()
            .map(|n| Bits::new(&layout, live.vars(program, n)))
            .collect::<IndexVec<_, _>>();
        let mut entry = IndexVec::new();
        let mut exit = IndexVec::new();
        for (p, proc) in program.procs.enumerate() {
            let vars = live.vars(program, proc.entry);
            let vars = vars.filter(|&v| called[p] && (is_global(v) || determined[v]));
            entry.push(Bits::new(&layout, vars));
            let globals = mod_ref.modified[p].iter().map(|g| program.globals[g]);
            let vars = globals.chain(proc.results.iter().copied());
            let vars = vars.filter(|&v| called[p] && live.at_exit(p, v));
            exit.push(Bits::new(&layout, vars));
        }
        Context { program, layout, mod_ref, at, entry, exit }
    }

    /// How many bits the variable has.
    pub fn width(&self, var: VarId) -> usize {
        self.layout.slot(var).bits().len()
    }

    /// The values at a node, of the bits that are kept there: `value(i)` for bit `i` of [`at`].
    ///
    /// [`at`]: Self::at
    pub fn node_state(&self, node: NodeId, value: impl FnMut(usize) -> bool) -> Partial {
        let frame = self.layout.frame_bits[self.program.nodes[node].proc];
        self.partial(&self.at[node], frame, value)
    }

    /// The values behind the return of a procedure.
    pub fn exit_state(&self, proc: ProcId, values: &[bool]) -> Partial {
        self.partial(&self.exit[proc], self.layout.result_bits[proc], |i| values[i])
    }

    fn partial(
        &self,
        bits: &Bits,
        behind_globals: u32,
        mut value: impl FnMut(usize) -> bool,
    ) -> Partial {
        let mut out = Partial::unknown(self.layout.global_bits + behind_globals);
        let mut place = 0;
        for var in bits.vars() {
            let base = match self.program.vars[var].kind {
                VarKind::Global => 0,
                _ => self.layout.global_bits,
            };
            for bit in self.layout.slot(var).bits() {
                out.set(base + bit, Some(value(place)));
                place += 1;
            }
        }
        out
    }
}
