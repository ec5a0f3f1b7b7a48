//! MOD/REF ([bebop §3.3]): which globals a procedure, or one that it calls, modifies or touches.

use crate::{BitSet, Uses, call_order};
use ir::{EdgeKind, ExprId, IndexVec, ProcId, Program, Rel, VarId, VarKind};

/// For each procedure two sets of globals, closed under calls. The numbers in the sets are places
/// in [`Program::globals`].
#[derive(Clone, Debug)]
pub struct ModRef {
    /// Some edge may change it.
    pub modified: IndexVec<ProcId, BitSet>,
    /// Some edge may change or read it. Contains `modified`.
    pub touched: IndexVec<ProcId, BitSet>,
    place: IndexVec<VarId, u32>,
}

impl ModRef {
    /// Every procedure touches and modifies every global: what holds without analysis.
    pub fn everything(program: &Program) -> ModRef {
        let all = BitSet::all(program.globals.len());
        ModRef {
            modified: IndexVec::filled(all.clone(), program.procs.len()),
            touched: IndexVec::filled(all, program.procs.len()),
            place: places(program),
        }
    }

    /// The least sets such that, for each procedure `p`:
    ///
    /// - M1. `modified(p)` contains every global that an edge of `p` assigns, or that a call
    ///   assigns on entering `p`;
    /// - M2. `touched(p)` contains `modified(p)`, every global that an edge of `p` reads, and
    ///   those that the question reads at a node of `p`;
    /// - M3. both contain those of every procedure that `p` calls.
    pub fn new(program: &Program, uses: &Uses) -> ModRef {
        let globals = program.globals.len();
        let mut this = ModRef {
            modified: IndexVec::filled(BitSet::new(globals), program.procs.len()),
            touched: IndexVec::filled(BitSet::new(globals), program.procs.len()),
            place: places(program),
        };
        // M1, M2.
        for edge in program.edges.iter() {
            let proc = program.nodes[edge.source].proc;
            match &edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => {
                    this.add_rel(program, proc, rel);
                }
                EdgeKind::Call(call) => {
                    this.add_rel(program, proc, &call.enter);
                    this.add_rel(program, proc, &call.back);
                    this.add_targets(program, call.callee, &call.enter);
                }
            }
        }
        for node in uses.nodes() {
            for &var in uses.at(node) {
                if program.vars[var].kind == VarKind::Global {
                    let place = this.place(var);
                    this.touched[program.nodes[node].proc].insert(place);
                }
            }
        }
        // The initial condition is part of the entry procedure.
        this.add_reads(program, program.entry, program.init.condition);
        // M3: callees first; the members of a component share their sets.
        let mut callees: IndexVec<ProcId, Vec<ProcId>> =
            IndexVec::filled(Vec::new(), program.procs.len());
        for edge in program.edges.iter() {
            if let EdgeKind::Call(call) = &edge.kind {
                callees[program.nodes[edge.source].proc].push(call.callee);
            }
        }
        for component in call_order(program) {
            let mut modified = BitSet::new(globals);
            let mut touched = BitSet::new(globals);
            for &p in &component {
                for q in std::iter::once(p).chain(callees[p].iter().copied()) {
                    modified.union(&this.modified[q]);
                    touched.union(&this.touched[q]);
                }
            }
            for &p in &component {
                this.modified[p] = modified.clone();
                this.touched[p] = touched.clone();
            }
        }
        this
    }

    fn add_rel(&mut self, program: &Program, proc: ProcId, rel: &Rel) {
        self.add_targets(program, proc, rel);
        for expr in rel.pre_exprs() {
            self.add_reads(program, proc, expr);
        }
    }

    fn add_targets(&mut self, program: &Program, proc: ProcId, rel: &Rel) {
        for assign in &rel.assigns {
            if program.vars[assign.var].kind == VarKind::Global {
                let place = self.place(assign.var);
                self.modified[proc].insert(place);
                self.touched[proc].insert(place);
            }
        }
    }

    fn add_reads(&mut self, program: &Program, proc: ProcId, expr: ExprId) {
        let (place, touched) = (&self.place, &mut self.touched[proc]);
        program.exprs.reads(expr, |_, var| {
            if program.vars[var].kind == VarKind::Global {
                touched.insert(place[var] as usize);
            }
        });
    }

    /// The place of a global in [`Program::globals`], and so in the sets.
    pub fn place(&self, global: VarId) -> usize {
        self.place[global] as usize
    }
    /// Whether `proc` touches the global.
    pub fn touches(&self, proc: ProcId, global: VarId) -> bool {
        self.touched[proc].contains(self.place(global))
    }
    /// Whether `proc` may modify the global.
    pub fn modifies(&self, proc: ProcId, global: VarId) -> bool {
        self.modified[proc].contains(self.place(global))
    }
}

fn places(program: &Program) -> IndexVec<VarId, u32> {
    let mut place = IndexVec::filled(u32::MAX, program.vars.len());
    for (i, &g) in program.globals.iter().enumerate() {
        place[g] = i as u32;
    }
    place
}
