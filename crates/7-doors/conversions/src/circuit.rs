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

use check::Budget;
use input::Error;
use ir::blast::{Algebra, blast_bool, blast_rel};
use ir::{EdgeId, EdgeKind, Exprs, Id, NodeId, ProcId, Program, Rel, Time, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::fmt::Write;

/// A literal: twice the number of a variable, plus one if it is negated. 0 is false.
type Lit = u32;
const NO: Lit = 0;
const YES: Lit = 1;

/// What a variable of a circuit is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Input,
    Latch,
    And(Lit, Lit),
}

/// A circuit.
#[derive(Default)]
pub(crate) struct Circuit {
    /// Variable `i + 1`. Operands of a gate are older.
    gates: Vec<Gate>,
    ands: FxHashMap<(Lit, Lit), Lit>,
    /// Names of inputs and latches, by variable.
    names: Vec<(u32, String)>,
    /// Each latch and what it becomes. All start with 0.
    next: Vec<(Lit, Lit)>,
    bad: Vec<(Lit, String)>,
}

impl Circuit {
    fn fresh(&mut self, gate: Gate, name: Option<String>) -> Lit {
        self.gates.push(gate);
        let var = self.gates.len() as u32;
        self.names.extend(name.map(|name| (var, name)));
        var << 1
    }

    fn and2(&mut self, a: Lit, b: Lit) -> Lit {
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

    fn or2(&mut self, a: Lit, b: Lit) -> Lit {
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
    fn is(&mut self, bits: &[Lit], value: usize) -> Lit {
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
    let mut builder = Builder::new(program, procs);
    builder.start();
    builder.steps(budget)?;
    Ok(builder.finish())
}

/// The procedures that can be entered, if none can be entered twice.
fn without_recursion(program: &Program) -> Result<Vec<ProcId>, Error> {
    let callees = |proc: ProcId| -> Vec<ProcId> {
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
    };
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

struct Builder<'p> {
    program: &'p Program,
    circuit: Circuit,
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
}

fn bits(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program, procs: Vec<ProcId>) -> Builder<'p> {
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
        out
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
        self.take(here, allowed, target, &after, None);
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
        match &program.edges[edge].kind {
            EdgeKind::Local { target, rel } => {
                let scope = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
                let (holds, after) = self.related(rel, &scope, &scope, &|_| false);
                self.step(here, holds, self.at_node(*target), &after, None);
            }
            EdgeKind::Return { rel } => {
                let before = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
                let then = |kind| kind == VarKind::Global || kind == VarKind::Result(proc);
                let (holds, after) = self.related(rel, &before, &then, &|_| false);
                self.step(here, holds, self.returned(proc), &after, None);
            }
            EdgeKind::Call(call) => {
                let callee = call.callee;
                let before = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
                let then = |kind| kind == VarKind::Global || kind == VarKind::Local(callee);
                let saved = |kind| kind == VarKind::Local(proc);
                let (holds, after) = self.related(&call.enter, &before, &then, &saved);
                let number = self.calls[&callee].iter().position(|e| *e == edge).unwrap_or(0);
                let entry = self.at_node(program.procs[callee].entry);
                self.step(here, holds, entry, &after, Some((callee, number)));

                let before = |kind| {
                    kind == VarKind::Global
                        || kind == VarKind::Local(proc)
                        || kind == VarKind::Result(callee)
                };
                let then = |kind| kind == VarKind::Global || kind == VarKind::Local(proc);
                let (holds, after) = self.related(&call.back, &before, &then, &|_| false);
                let by = self.entered_by[&callee].clone();
                let this = self.circuit.is(&by, number);
                let holds = self.circuit.and2(holds, this);
                self.step(self.returned(callee), holds, self.at_node(call.ret), &after, None);
            }
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
    ) -> (Lit, FxHashMap<Place, Lit>) {
        let program = self.program;
        let kind = |place: &Place| program.vars[place.0].kind;
        let mut pre = FxHashMap::default();
        for place in self.places.clone() {
            if before(kind(&place)) {
                pre.insert(place, self.latches[&place]);
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
        post.extend(saved);
        (holds, post)
    }

    /// CC1: an edge that is wanted, and starts here.
    fn step(
        &mut self,
        here: usize,
        holds: Lit,
        target: usize,
        after: &FxHashMap<Place, Lit>,
        call: Option<(ProcId, usize)>,
    ) {
        let (pc, wanted) = (self.pc.clone(), self.wanted.clone());
        let at = self.circuit.is(&pc, here);
        let chosen = self.circuit.is(&wanted, self.edges);
        self.edges += 1;
        let both = self.circuit.and2(at, chosen);
        self.take(both, holds, target, after, call);
    }

    /// Where `taken`, and if it holds, control goes to the target with these values.
    fn take(
        &mut self,
        taken: Lit,
        holds: Lit,
        target: usize,
        after: &FxHashMap<Place, Lit>,
        call: Option<(ProcId, usize)>,
    ) {
        let taken = self.circuit.and2(taken, holds);
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
            for (i, latch) in self.entered_by[&proc].clone().into_iter().enumerate() {
                let value = match call {
                    Some((callee, number)) if callee == proc => {
                        if number >> i & 1 == 1 {
                            YES
                        } else {
                            NO
                        }
                    }
                    _ => latch,
                };
                set(self, latch, value);
            }
        }
    }

    fn finish(mut self) -> Circuit {
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
