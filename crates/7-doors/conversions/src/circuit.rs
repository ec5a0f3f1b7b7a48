//! Programs without recursion as circuits, for hardware model checkers: AIGER 1.9 and BTOR2.
//!
//! Without recursion each procedure has at most one frame, so that no stack is needed and nothing is inlined: the
//! latches are globals, the frame and the results of every procedure, which call it was entered by, and where control
//! is. One step of the circuit takes one edge:
//!
//! - CC1: inputs choose the edge, the choices of its relation, and what the relation leaves arbitrary.
//! - CC2: an edge that does not start where control is, or whose relation does not hold, leads to a state where nothing
//!   happens any more: a blocked run is none.
//! - CC3: a call enters the callee and notes which call it was; a return keeps the results and goes to the callee's
//!   place of return; from there, the call that was noted is left.
//! - CC4: the first step chooses a valuation that the initial condition allows.
//! - CC5: a bad state is one where control is at an error node (the first one), or at a label (one for each).
//! - CC6: with a bounded stack, for models ([`crate::model`]), a call that a procedure may be entered by once more pushes
//!   the frame that the procedure has, and the return from that call pops it. Where the stack is full, nothing happens
//!   any more. The stack is a shift register: its top is always its first cell.
//! - CC7: models are about infinite runs, too: a run that has ended, or failed, stays where it is.

use check::Budget;
use input::Error;
use ir::blast::{Algebra, blast_bool, blast_rel};
use ir::{EdgeId, EdgeKind, Exprs, Id, NodeId, ProcId, Program, Rel, Time, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::fmt::Write;

/// A literal: twice the number of a variable, plus one if it is negated. 0 is false.
pub(crate) type Lit = u32;
pub(crate) const NO: Lit = 0;
pub(crate) const YES: Lit = 1;

/// What a variable of a circuit is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Input,
    Latch,
    And(Lit, Lit),
}

/// A circuit.
#[derive(Default)]
pub(crate) struct Circuit {
    /// Variable `i + 1`. Operands of a gate are older.
    pub(crate) gates: Vec<Gate>,
    ands: FxHashMap<(Lit, Lit), Lit>,
    /// Names of inputs and latches, by variable.
    pub(crate) names: Vec<(u32, String)>,
    /// Each latch and what it becomes. All start with 0.
    pub(crate) next: Vec<(Lit, Lit)>,
    pub(crate) bad: Vec<(Lit, String)>,
}

impl Circuit {
    fn fresh(&mut self, gate: Gate, name: Option<String>) -> Lit {
        self.gates.push(gate);
        let var = self.gates.len() as u32;
        self.names.extend(name.map(|name| (var, name)));
        var << 1
    }

    pub(crate) fn and2(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.max(b), a.min(b));
        match (a, b) {
            (_, NO) => NO,
            (a, YES) => a,
            (a, b) if a == b => a,
            (a, b) if a == b ^ 1 => NO,
            key => match self.ands.get(&key) {
                Some(&lit) => lit,
                None => {
                    let lit = self.fresh(Gate::And(key.0, key.1), None);
                    self.ands.insert(key, lit);
                    lit
                }
            },
        }
    }

    pub(crate) fn or2(&mut self, a: Lit, b: Lit) -> Lit {
        self.and2(a ^ 1, b ^ 1) ^ 1
    }

    fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        let (x, y) = (self.and2(c, a), self.and2(c ^ 1, b));
        self.or2(x, y)
    }

    /// Whether a number in binary is this one.
    pub(crate) fn is(&mut self, bits: &[Lit], value: usize) -> Lit {
        let mut out = YES;
        for (i, &bit) in bits.iter().enumerate() {
            out = self.and2(out, if value >> i & 1 == 1 { bit } else { bit ^ 1 });
        }
        out
    }

    /// Text of AIGER 1.9. Inputs come first, then latches, then gates, as the format wants it.
    pub(crate) fn aiger(&self) -> String {
        let kinds = |wanted: fn(&Gate) -> bool| {
            self.gates.iter().enumerate().filter(move |(_, g)| wanted(g)).map(|(i, _)| i as u32 + 1)
        };
        let inputs: Vec<u32> = kinds(|g| *g == Gate::Input).collect();
        let ands: Vec<u32> = kinds(|g| matches!(g, Gate::And(..))).collect();
        let latches: Vec<u32> = self.next.iter().map(|(lit, _)| lit >> 1).collect();
        let mut number = vec![0u32; self.gates.len() + 1];
        for (i, var) in inputs.iter().chain(&latches).chain(&ands).enumerate() {
            number[*var as usize] = i as u32 + 1;
        }
        let lit = |lit: Lit| number[(lit >> 1) as usize] << 1 | lit & 1;
        let (m, i, l, a, b) =
            (self.gates.len(), inputs.len(), latches.len(), ands.len(), self.bad.len());
        let mut out = format!("aag {m} {i} {l} 0 {a} {b}\n");
        for var in &inputs {
            let _ = writeln!(out, "{}", lit(var << 1));
        }
        for (latch, next) in &self.next {
            let _ = writeln!(out, "{} {}", lit(*latch), lit(*next));
        }
        for (bad, _) in &self.bad {
            let _ = writeln!(out, "{}", lit(*bad));
        }
        for var in &ands {
            if let Gate::And(x, y) = self.gates[*var as usize - 1] {
                let _ = writeln!(out, "{} {} {}", lit(var << 1), lit(x), lit(y));
            }
        }
        let named: FxHashMap<u32, &str> =
            self.names.iter().map(|(var, name)| (*var, name.as_str())).collect();
        for (letter, list) in [("i", &inputs), ("l", &latches)] {
            for (i, name) in list.iter().enumerate().filter_map(|(i, v)| Some((i, named.get(v)?))) {
                let _ = writeln!(out, "{letter}{i} {name}");
            }
        }
        for (i, (_, name)) in self.bad.iter().enumerate() {
            let _ = writeln!(out, "b{i} {name}");
        }
        out.push_str("c\nwritten by bop\n");
        out
    }

    /// Text of BTOR2: the same circuit, a bit each.
    pub(crate) fn btor2(&self) -> String {
        let mut out = String::from("; written by bop\n1 sort bitvec 1\n2 zero 1\n");
        let mut last = 2;
        let mut lines = vec![2u32; self.gates.len() + 1];
        let named: FxHashMap<u32, &str> =
            self.names.iter().map(|(var, name)| (*var, name.as_str())).collect();
        let mut put = |out: &mut String, text: String| -> u32 {
            last += 1;
            let _ = writeln!(out, "{last} {text}");
            last
        };
        // States first: their initial values may refer to nothing that is younger.
        for (i, gate) in self.gates.iter().enumerate().filter(|(_, g)| **g == Gate::Latch) {
            debug_assert!(*gate == Gate::Latch);
            let name = named.get(&(i as u32 + 1)).copied().unwrap_or("");
            let state = put(&mut out, format!("state 1 {name}").trim_end().to_owned());
            put(&mut out, format!("init 1 {state} 2"));
            lines[i + 1] = state;
        }
        let lit = |lines: &[u32], lit: Lit| {
            let line = i64::from(lines[(lit >> 1) as usize]);
            if lit & 1 == 1 { -line } else { line }
        };
        for (i, gate) in self.gates.iter().enumerate() {
            lines[i + 1] = match gate {
                Gate::Latch => continue,
                Gate::Input => {
                    let name = named.get(&(i as u32 + 1)).copied().unwrap_or("");
                    put(&mut out, format!("input 1 {name}").trim_end().to_owned())
                }
                Gate::And(a, b) => {
                    let text = format!("and 1 {} {}", lit(&lines, *a), lit(&lines, *b));
                    put(&mut out, text)
                }
            };
        }
        for (latch, next) in &self.next {
            let text = format!("next 1 {} {}", lit(&lines, *latch), lit(&lines, *next));
            put(&mut out, text);
        }
        for (bad, name) in &self.bad {
            let text = format!("bad {} {name}", lit(&lines, *bad));
            put(&mut out, text);
        }
        out
    }
}

/// The circuit of a program. One with recursion is refused, with the reason.
pub(crate) fn circuit(program: &Program, budget: &Budget) -> Result<Circuit, Error> {
    let procs = without_recursion(program)?;
    let mut builder = Builder::new(program, procs, None);
    builder.start();
    builder.steps(budget)?;
    Ok(builder.finish())
}

/// The procedures that a procedure calls.
fn callees(program: &Program, proc: ProcId) -> Vec<ProcId> {
    let nodes = program.procs[proc].node_ids();
    let edges = nodes.flat_map(|node| program.out_edges(node));
    let mut out: Vec<ProcId> = edges
        .filter_map(|edge| match &program.edges[edge].kind {
            EdgeKind::Call(call) => Some(call.callee),
            _ => None,
        })
        .collect();
    out.sort();
    out.dedup();
    out
}

/// The procedures that can be entered from one, itself included.
fn reached_from(program: &Program, proc: ProcId) -> Vec<ProcId> {
    let mut out = vec![proc];
    let mut at = 0;
    while let Some(&proc) = out.get(at) {
        at += 1;
        for callee in callees(program, proc) {
            if !out.contains(&callee) {
                out.push(callee);
            }
        }
    }
    out.sort();
    out
}

/// The procedures that can be entered, if none can be entered twice.
fn without_recursion(program: &Program) -> Result<Vec<ProcId>, Error> {
    let callees = |proc: ProcId| callees(program, proc);
    // Depth first: a callee that is on the way already is entered a second time.
    let mut state = vec![0u8; program.procs.len()];
    let mut way = vec![(program.entry, callees(program.entry))];
    let mut out = vec![program.entry];
    state[program.entry.index()] = 1;
    while let Some((proc, left)) = way.last_mut() {
        let proc = *proc;
        let Some(callee) = left.pop() else {
            state[proc.index()] = 2;
            way.pop();
            continue;
        };
        match state[callee.index()] {
            0 => {
                state[callee.index()] = 1;
                out.push(callee);
                way.push((callee, callees(callee)));
            }
            1 => {
                let from = way.iter().position(|(p, _)| *p == callee).unwrap_or(0);
                let names: Vec<&str> =
                    way[from..].iter().map(|(p, _)| program.proc_name(*p)).collect();
                return Err(Error::Usage(format!(
                    "a circuit has no stack, and the program has recursion: {} → {}",
                    names.join(" → "),
                    program.proc_name(callee)
                )));
            }
            _ => {}
        }
    }
    out.sort();
    Ok(out)
}

/// The bits of a variable: its cell, and the bit of that.
type Place = (VarId, u32, u32);

pub(crate) struct Builder<'p> {
    program: &'p Program,
    pub(crate) circuit: Circuit,
    procs: Vec<ProcId>,
    /// The latch of each bit of each variable.
    latches: FxHashMap<Place, Lit>,
    places: Vec<Place>,
    /// What each latch becomes, edge by edge.
    next: FxHashMap<Lit, Lit>,
    /// Where control is; 0 before the first step.
    pc: Vec<Lit>,
    /// Which edge is wanted.
    wanted: Vec<Lit>,
    /// The call by which a procedure was entered.
    entered_by: FxHashMap<ProcId, Vec<Lit>>,
    calls: FxHashMap<ProcId, Vec<EdgeId>>,
    /// Arbitrary bits: for each place, and for each choice.
    arbitrary: FxHashMap<Place, Lit>,
    choices: Vec<Lit>,
    /// The number of each edge of the circuit.
    edges: usize,
    /// CC6.
    stack: Option<Stack>,
    /// Whether a step of the program is taken.
    pub(crate) stepped: Lit,
}

/// A bounded stack of frames that are to be had again.
struct Stack {
    /// Whether a cell is used.
    used: Vec<Lit>,
    cells: Vec<Vec<Lit>>,
    /// The calls that push.
    recursive: Vec<EdgeId>,
}

/// What becomes of the stack.
enum Effect {
    Keep,
    Push(Vec<Lit>),
    Pop,
}

/// What a relation does: whether it holds, what becomes of the values after it, and of the frame that is left behind.
struct Related {
    holds: Lit,
    after: FxHashMap<Place, Lit>,
    left: FxHashMap<Place, Lit>,
}

fn bits(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, procs: Vec<ProcId>, depth: Option<u32>) -> Builder<'p> {
        let mut calls: FxHashMap<ProcId, Vec<EdgeId>> = FxHashMap::default();
        let mut edges = 1;
        for &proc in &procs {
            for edge in program.procs[proc].node_ids().flat_map(|n| program.out_edges(n)) {
                edges += 1;
                if let EdgeKind::Call(call) = &program.edges[edge].kind {
                    calls.entry(call.callee).or_default().push(edge);
                    edges += 1;
                }
            }
        }
        if depth.is_some() {
            edges += 1 + procs.len();
        }
        let mut out = Builder {
            program,
            circuit: Circuit::default(),
            procs,
            latches: FxHashMap::default(),
            places: Vec::new(),
            next: FxHashMap::default(),
            pc: Vec::new(),
            wanted: Vec::new(),
            entered_by: FxHashMap::default(),
            calls,
            arbitrary: FxHashMap::default(),
            choices: Vec::new(),
            edges: 0,
            stack: None,
            stepped: NO,
        };
        // Nothing, the nodes, the places of return, and where nothing happens any more.
        let places = program.nodes.len() + program.procs.len() + 2;
        out.pc = (0..bits(places)).map(|i| out.latch(format!("pc.{i}"))).collect();
        for i in 0..bits(edges) {
            let lit = out.circuit.fresh(Gate::Input, Some(format!("edge.{i}")));
            out.wanted.push(lit);
        }
        for (var, info) in program.vars.enumerate() {
            let owner = match info.kind {
                VarKind::Global => None,
                VarKind::Local(proc) | VarKind::Result(proc) => Some(proc),
            };
            if owner.is_some_and(|proc| !out.procs.contains(&proc)) {
                continue;
            }
            let name = out.name(var);
            for cell in 0..info.ty.cells() {
                for bit in 0..info.ty.scalar.bits() {
                    let place = (var, cell, bit);
                    let lit = out.latch(format!("{name}.{cell}.{bit}"));
                    out.latches.insert(place, lit);
                    out.places.push(place);
                }
            }
        }
        for proc in out.procs.clone() {
            let count = out.calls.get(&proc).map_or(0, Vec::len);
            let name = word(out.program.proc_name(proc));
            let lits = (0..bits(count)).map(|i| out.latch(format!("{name}.caller.{i}"))).collect();
            out.entered_by.insert(proc, lits);
        }
        if let Some(depth) = depth {
            out.make_stack(depth as usize);
        }
        out
    }

    /// CC6.
    fn make_stack(&mut self, depth: usize) {
        let reached: FxHashMap<ProcId, Vec<ProcId>> =
            self.procs.iter().map(|&p| (p, reached_from(self.program, p))).collect();
        let mut recursive: Vec<EdgeId> = Vec::new();
        let mut width = 0;
        for (&callee, calls) in &self.calls {
            for &edge in calls {
                let caller = self.program.nodes[self.program.edges[edge].source].proc;
                if reached[&callee].binary_search(&caller).is_ok() {
                    recursive.push(edge);
                    width = width.max(self.frame(callee).len());
                }
            }
        }
        recursive.sort_unstable();
        let depth = if recursive.is_empty() { 0 } else { depth };
        let used = (0..depth).map(|i| self.latch(format!("stack.{i}.used"))).collect();
        let cells = (0..depth)
            .map(|i| (0..width).map(|bit| self.latch(format!("stack.{i}.{bit}"))).collect())
            .collect();
        self.stack = Some(Stack { used, cells, recursive });
    }

    /// The bits of a procedure's locals.
    fn locals(&self, proc: ProcId) -> Vec<Place> {
        let is_own = |place: &&Place| self.program.vars[place.0].kind == VarKind::Local(proc);
        self.places.iter().filter(is_own).copied().collect()
    }

    /// What is pushed of a procedure: its locals, and how it was entered.
    fn frame(&self, proc: ProcId) -> Vec<Lit> {
        let locals = self.locals(proc);
        let entered = self.entered_by[&proc].iter().copied();
        locals.iter().map(|place| self.latches[place]).chain(entered).collect()
    }

    fn latch(&mut self, name: String) -> Lit {
        let lit = self.circuit.fresh(Gate::Latch, Some(name));
        self.next.insert(lit, NO);
        lit
    }

    fn name(&self, var: VarId) -> String {
        let name = word(self.program.var_name(var));
        match self.program.vars[var].kind {
            VarKind::Global => name,
            VarKind::Local(p) | VarKind::Result(p) => {
                format!("{}::{name}", word(self.program.proc_name(p)))
            }
        }
    }

    fn at_node(&self, node: NodeId) -> usize {
        1 + node.index()
    }

    /// CC3: where a procedure has returned.
    fn returned(&self, proc: ProcId) -> usize {
        1 + self.program.nodes.len() + proc.index()
    }

    fn nowhere(&self) -> usize {
        1 + self.program.nodes.len() + self.program.procs.len()
    }

    fn input(&mut self, place: Place) -> Lit {
        if let Some(&lit) = self.arbitrary.get(&place) {
            return lit;
        }
        let name = format!("{}.{}.{}.any", self.name(place.0), place.1, place.2);
        let lit = self.circuit.fresh(Gate::Input, Some(name));
        self.arbitrary.insert(place, lit);
        lit
    }

    /// CC4.
    fn start(&mut self) {
        let pc = self.pc.clone();
        let here = self.circuit.is(&pc, 0);
        let mut after = FxHashMap::default();
        for place in self.places.clone() {
            let lit = self.input(place);
            after.insert(place, lit);
        }
        let mut algebra = Bits {
            builder: self,
            pre: after.clone(),
            post: FxHashMap::default(),
            saved: FxHashMap::default(),
        };
        let program = algebra.builder.program;
        let Ok(allowed) = blast_bool(program, program.init.condition, &mut algebra);
        let target = self.at_node(self.program.procs[self.program.entry].entry);
        self.take((here, allowed), target, &after, None, &Effect::Keep);
    }

    /// All edges.
    fn steps(&mut self, budget: &Budget) -> Result<(), Error> {
        for proc in self.procs.clone() {
            for node in self.program.procs[proc].node_ids() {
                for edge in self.program.out_edges(node) {
                    budget.poll().map_err(Error::Stopped)?;
                    self.edge(proc, node, edge);
                }
            }
        }
        Ok(())
    }

    fn edge(&mut self, proc: ProcId, node: NodeId, edge: EdgeId) {
        let program = self.program;
        let here = self.at_node(node);
        let is_step = program.edges[edge].step;
        let none = FxHashMap::default();
        let before = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
        let taken = match &program.edges[edge].kind {
            EdgeKind::Local { target, rel } => {
                let done = self.related(rel, &before, &before, &|_| false, &none);
                self.step(here, done.holds, self.at_node(*target), &done.after, None, &Effect::Keep)
            }
            EdgeKind::Return { rel } => {
                let then = |kind| kind == VarKind::Global || kind == VarKind::Result(proc);
                let done = self.related(rel, &before, &then, &|_| false, &none);
                self.step(here, done.holds, self.returned(proc), &done.after, None, &Effect::Keep)
            }
            EdgeKind::Call(call) => {
                let callee = call.callee;
                let then = |kind| kind == VarKind::Global || kind == VarKind::Local(callee);
                let saved = |kind| kind == VarKind::Local(proc);
                let mut done = self.related(&call.enter, &before, &then, &saved, &none);
                let number = self.calls[&callee].iter().position(|e| *e == edge).unwrap_or(0);
                let entry = self.at_node(program.procs[callee].entry);
                let pushes = self.stack.as_ref().is_some_and(|s| s.recursive.contains(&edge));
                let mut effect = Effect::Keep;
                if pushes {
                    let mut frame = self.frame(callee);
                    for (lit, place) in frame.iter_mut().zip(self.locals(callee)) {
                        *lit = done.left.get(&place).copied().unwrap_or(*lit);
                    }
                    effect = Effect::Push(frame);
                }
                if !pushes || callee != proc {
                    done.after.extend(done.left);
                }
                let numbers = self.number(callee, number);
                let entered = Some((callee, numbers));
                let taken = self.step(here, done.holds, entry, &done.after, entered, &effect);
                self.back(proc, call, number, pushes);
                taken
            }
        };
        if is_step {
            self.stepped = self.circuit.or2(self.stepped, taken);
        }
    }

    /// The bits of the number of a call.
    fn number(&self, callee: ProcId, number: usize) -> Vec<Lit> {
        let bit = |i: usize| if number >> i & 1 == 1 { YES } else { NO };
        (0..self.entered_by[&callee].len()).map(bit).collect()
    }

    /// CC3, CC6: the way back from a call.
    fn back(&mut self, proc: ProcId, call: &ir::Call, number: usize, pops: bool) {
        let callee = call.callee;
        let mut restored: FxHashMap<Place, Lit> = FxHashMap::default();
        let mut entered = None;
        let mut effect = Effect::Keep;
        if pops {
            let width = self.frame(callee).len();
            let top = self.stack.as_ref().and_then(|stack| stack.cells.first().cloned());
            let mut top = top.unwrap_or_else(|| vec![NO; width]);
            top.truncate(width);
            let locals = self.locals(callee);
            entered = Some((callee, top.split_off(locals.len())));
            restored.extend(locals.into_iter().zip(top));
            effect = Effect::Pop;
        }
        let before = |kind| {
            kind == VarKind::Global
                || kind == VarKind::Local(proc)
                || kind == VarKind::Result(callee)
        };
        let then = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
        let mut done = self.related(&call.back, &before, &then, &|_| false, &restored);
        if callee != proc {
            done.after.extend(restored);
        }
        let by = self.entered_by[&callee].clone();
        let this = self.circuit.is(&by, number);
        let holds = self.circuit.and2(done.holds, this);
        let (here, ret) = (self.returned(callee), self.at_node(call.ret));
        self.step(here, holds, ret, &done.after, entered, &effect);
    }

    /// CC7.
    fn stay(&mut self) {
        let mut ends = vec![self.returned(self.program.entry)];
        for proc in self.procs.clone() {
            ends.extend(self.program.procs[proc].error.map(|node| self.at_node(node)));
        }
        let none = FxHashMap::default();
        for end in ends {
            let taken = self.step(end, YES, end, &none, None, &Effect::Keep);
            self.stepped = self.circuit.or2(self.stepped, taken);
        }
    }

    /// Whether a relation holds, and what bits become: those of variables that exist before it, afterwards, and in
    /// the frame that is left behind.
    fn related(
        &mut self,
        rel: &Rel,
        before: &dyn Fn(VarKind) -> bool,
        then: &dyn Fn(VarKind) -> bool,
        left: &dyn Fn(VarKind) -> bool,
        restored: &FxHashMap<Place, Lit>,
    ) -> Related {
        let program = self.program;
        let kind = |place: &Place| program.vars[place.0].kind;
        let mut pre = FxHashMap::default();
        for place in self.places.clone() {
            if before(kind(&place)) {
                let latch = self.latches[&place];
                pre.insert(place, restored.get(&place).copied().unwrap_or(latch));
            }
        }
        let plain = Rel { constraint: Exprs::TRUE, ..rel.clone() };
        let none = FxHashMap::default;
        let mut algebra = Bits { builder: self, pre: pre.clone(), post: none(), saved: none() };
        let Ok(blasted) = blast_rel(program, &plain, &mut algebra, |_, _| true);
        // The frame rule: what exists before and afterwards stays, what comes into being is arbitrary.
        let (mut post, mut saved) = (none(), none());
        for place in self.places.clone() {
            if then(kind(&place)) {
                let old = pre.get(&place).copied().filter(|_| before(kind(&place)));
                let lit = old.unwrap_or_else(|| self.input(place));
                post.insert(place, lit);
            }
            if left(kind(&place)) {
                saved.insert(place, self.latches[&place]);
            }
        }
        for update in blasted.updates {
            let place = (update.var, update.cell, update.bit);
            let free = if update.free == NO { NO } else { self.input(place) };
            let lit = self.circuit.choose(update.free, free, update.value);
            match update.time {
                Time::Saved => saved.insert(place, lit),
                _ => post.insert(place, lit),
            };
        }
        let mut holds = blasted.enabled;
        if rel.constraint != Exprs::TRUE {
            let mut algebra = Bits { builder: self, pre, post: post.clone(), saved: saved.clone() };
            let Ok(constraint) = blast_bool(program, rel.constraint, &mut algebra);
            holds = self.circuit.and2(holds, constraint);
        }
        Related { holds, after: post, left: saved }
    }

    /// CC1: an edge that is wanted, and starts here. Says whether it is taken.
    fn step(
        &mut self,
        here: usize,
        holds: Lit,
        target: usize,
        after: &FxHashMap<Place, Lit>,
        entered: Option<(ProcId, Vec<Lit>)>,
        effect: &Effect,
    ) -> Lit {
        let (pc, wanted) = (self.pc.clone(), self.wanted.clone());
        let at = self.circuit.is(&pc, here);
        let chosen = self.circuit.is(&wanted, self.edges);
        self.edges += 1;
        let both = self.circuit.and2(at, chosen);
        self.take((both, holds), target, after, entered, effect)
    }

    /// Where something is taken, and if it holds, control goes to the target with these values.
    fn take(
        &mut self,
        (taken, holds): (Lit, Lit),
        target: usize,
        after: &FxHashMap<Place, Lit>,
        entered: Option<(ProcId, Vec<Lit>)>,
        effect: &Effect,
    ) -> Lit {
        let mut taken = self.circuit.and2(taken, holds);
        if let (Effect::Push(_), Some(stack)) = (effect, &self.stack) {
            let room = stack.used.last().map_or(NO, |last| last ^ 1);
            taken = self.circuit.and2(taken, room);
        }
        let set = |builder: &mut Self, latch: Lit, value: Lit| {
            let here = builder.circuit.and2(taken, value);
            let old = builder.next[&latch];
            let new = builder.circuit.or2(old, here);
            builder.next.insert(latch, new);
        };
        for (i, latch) in self.pc.clone().into_iter().enumerate() {
            // The number of nowhere is what is left where no edge is taken: all others are written relative to it.
            let bit = (target ^ self.nowhere()) >> i & 1 == 1;
            set(self, latch, if bit { YES } else { NO });
        }
        for place in self.places.clone() {
            let latch = self.latches[&place];
            // What does not exist in between keeps its value, too.
            set(self, latch, after.get(&place).copied().unwrap_or(latch));
        }
        for proc in self.procs.clone() {
            let latches = self.entered_by[&proc].clone();
            let values = match &entered {
                Some((callee, number)) if *callee == proc => number.clone(),
                _ => latches.clone(),
            };
            for (latch, value) in latches.into_iter().zip(values) {
                set(self, latch, value);
            }
        }
        let Some(stack) = &self.stack else { return taken };
        // From the top: whether a cell is used, and what it holds.
        let cells = stack.used.iter().zip(&stack.cells);
        let now: Vec<Vec<Lit>> =
            cells.map(|(&used, bits)| [&[used][..], &bits[..]].concat()).collect();
        let after: Vec<Vec<Lit>> = match effect {
            Effect::Keep => now.clone(),
            Effect::Push(frame) => {
                let new: Vec<Lit> = [YES].into_iter().chain(frame.iter().copied()).collect();
                [new].into_iter().chain(now.iter().cloned()).take(now.len()).collect()
            }
            Effect::Pop => now.iter().skip(1).cloned().chain([Vec::new()]).collect(),
        };
        for (now, after) in now.iter().zip(after) {
            for (i, &latch) in now.iter().enumerate() {
                set(self, latch, after.get(i).copied().unwrap_or(NO));
            }
        }
        taken
    }

    /// A program with a stack of this depth, and what it does as gates; [`Builder::finish`] makes the circuit.
    pub(crate) fn with_stack(
        program: &'p Program,
        depth: u32,
        budget: &Budget,
    ) -> Result<Builder<'p>, Error> {
        let procs = reached_from(program, program.entry);
        let mut builder = Builder::new(program, procs, Some(depth));
        builder.start();
        builder.steps(budget)?;
        builder.stay();
        Ok(builder)
    }

    /// Whether control is at a node.
    pub(crate) fn is_at(&mut self, node: NodeId) -> Lit {
        let pc = self.pc.clone();
        self.circuit.is(&pc, self.at_node(node))
    }

    /// Whether the run has ended.
    pub(crate) fn has_ended(&mut self) -> Lit {
        let pc = self.pc.clone();
        self.circuit.is(&pc, self.returned(self.program.entry))
    }

    /// The procedures that can be entered.
    pub(crate) fn entered(&self) -> &[ProcId] {
        &self.procs
    }

    /// A condition over the values now; `program` has the expression.
    pub(crate) fn condition(&mut self, program: &Program, condition: ir::ExprId) -> Lit {
        let none = FxHashMap::default;
        let mut algebra =
            Bits { pre: self.latches.clone(), post: none(), saved: none(), builder: self };
        let Ok(lit) = blast_bool(program, condition, &mut algebra);
        lit
    }

    /// The bits of a number that the program counter is, and of each variable that is one, by name.
    pub(crate) fn numbers(&self) -> Vec<(String, Vec<Lit>)> {
        let mut out = vec![("pc".to_owned(), self.pc.clone())];
        let program = self.program;
        for (var, info) in program.vars.enumerate() {
            let is_number = matches!(info.ty.scalar, ir::Scalar::Int { .. });
            if is_number && info.ty.array.is_none() && self.latches.contains_key(&(var, 0, 0)) {
                let bits = 0..info.ty.scalar.bits();
                out.push((self.name(var), bits.map(|b| self.latches[&(var, 0, b)]).collect()));
            }
        }
        out
    }

    pub(crate) fn finish(mut self) -> Circuit {
        let nowhere = self.nowhere();
        let pc = self.pc.clone();
        for (i, latch) in pc.iter().enumerate() {
            let next = self.next[latch];
            let flipped = nowhere >> i & 1 == 1;
            self.next.insert(*latch, next ^ u32::from(flipped));
        }
        let program = self.program;
        let mut bad = NO;
        for &proc in &self.procs {
            if let Some(node) = program.procs[proc].error {
                let here = self.circuit.is(&pc, 1 + node.index());
                bad = self.circuit.or2(bad, here);
            }
        }
        self.circuit.bad.push((bad, "assert".to_owned()));
        let mut names: Vec<(String, Lit)> = Vec::new();
        for label in &program.labels {
            let proc = program.nodes[label.node].proc;
            if !self.procs.contains(&proc) {
                continue;
            }
            let here = self.circuit.is(&pc, 1 + label.node.index());
            let name =
                format!("{}:{}", word(program.proc_name(proc)), word(program.text(label.name)));
            match names.iter_mut().find(|(n, _)| *n == name) {
                Some((_, lit)) => *lit = self.circuit.or2(*lit, here),
                None => names.push((name, here)),
            }
        }
        self.circuit.bad.extend(names.into_iter().map(|(name, lit)| (lit, name)));
        let mut latches: Vec<(Lit, Lit)> = self.next.iter().map(|(l, n)| (*l, *n)).collect();
        latches.sort_unstable();
        self.circuit.next = latches;
        self.circuit
    }
}

/// A name as one word.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    name.chars().map(plain).collect()
}

/// Expressions as gates.
struct Bits<'b, 'p> {
    builder: &'b mut Builder<'p>,
    pre: FxHashMap<Place, Lit>,
    post: FxHashMap<Place, Lit>,
    saved: FxHashMap<Place, Lit>,
}

impl Algebra for Bits<'_, '_> {
    type Bit = Lit;
    type Error = Infallible;

    fn constant(&mut self, value: bool) -> Lit {
        Lit::from(value)
    }

    fn not(&mut self, a: Lit) -> Result<Lit, Infallible> {
        Ok(a ^ 1)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, Infallible> {
        Ok(self.builder.circuit.and2(a, b))
    }

    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Lit, Infallible> {
        let place = (var, cell, bit);
        let values = match time {
            Time::Pre => &self.pre,
            Time::Post => &self.post,
            Time::Saved => &self.saved,
        };
        // What does not exist at that time is arbitrary.
        Ok(values.get(&place).copied().unwrap_or_else(|| self.builder.input(place)))
    }

    fn choice(&mut self, number: u32) -> Result<Lit, Infallible> {
        while self.builder.choices.len() <= number as usize {
            let name = format!("choice.{}", self.builder.choices.len());
            let lit = self.builder.circuit.fresh(Gate::Input, Some(name));
            self.builder.choices.push(lit);
        }
        Ok(self.builder.choices[number as usize])
    }
}

/// A circuit in AIGER's text format, as it is written here, in the binary format: numbers of inputs, latches and gates are
/// left out, since they follow each other, and of a gate only differences are written, seven bits a byte.
pub fn binary_aiger(text: &str) -> Vec<u8> {
    let mut lines = text.lines();
    let header: Vec<usize> =
        lines.next().unwrap_or("").split(' ').filter_map(|word| word.parse().ok()).collect();
    let [most, inputs, latches, outputs, ands, bad] = header[..] else { return Vec::new() };
    let mut out = format!("aig {most} {inputs} {latches} {outputs} {ands} {bad}\n").into_bytes();
    let mut lines = lines.skip(inputs);
    let mut add = |line: &str| out.extend(line.bytes().chain([b'\n']));
    for line in lines.by_ref().take(latches) {
        add(line.split_once(' ').map_or("", |(_, next)| next));
    }
    lines.by_ref().take(bad).for_each(add);
    for line in lines.by_ref().take(ands) {
        let numbers: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [gate, x, y] = numbers[..] else { return Vec::new() };
        for mut difference in [gate - x.max(y), x.abs_diff(y)] {
            while difference > 127 {
                out.push((difference & 127 | 128) as u8);
                difference >>= 7;
            }
            out.push(difference as u8);
        }
    }
    for line in lines {
        out.extend(line.bytes().chain([b'\n']));
    }
    out
}
