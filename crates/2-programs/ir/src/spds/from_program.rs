//! `Program` → `Spds` ([moped §3]): nodes are symbols, edges rules, and results travel in globals.

use super::{Head, Right, Rule, Spds, Symbol};
use crate::{
    Assign, BinaryOp, Call, Edge, EdgeKind, EventsId, Expr, ExprId, Exprs, Id, IndexVec, NodeId,
    Origin, Program, Rel, Scalar, TextId, Time, Type, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

impl Spds {
    /// The system of a program. Variables keep their ids, frames have the ids of procedures, and
    /// the symbols of its nodes come first, with the same numbers.
    ///
    /// A result becomes a hidden global, which is 0 but from a return to the way back; where a call
    /// does something on that way, a fresh symbol waits below the callee and does it. (It could
    /// have any value meanwhile; one of them makes fewer states.) Nobody needs two procedures'
    /// results at once: the first ones of a type share a global, the second ones, and so on. So
    /// the globals are as many as the program's and the longest list of results, whose number every
    /// rule of a written system is long.
    ///
    /// The symbol of a procedure's entry has the procedure's name and that of another labelled node
    /// its label, unless there is another one of that name; a label is nobody else's name.
    pub fn from_program(program: &Program) -> Spds {
        let mut out = Spds::new();
        out.files = program.files.clone();
        out.exprs = program.exprs.clone();
        for var in program.vars.iter() {
            let mut var = var.clone();
            var.name = out.texts.add(program.text(var.name));
            var.origin = out.origin_of(program, var.origin);
            if let VarKind::Result(_) = var.kind {
                var.kind = VarKind::Global;
            }
            out.vars.push(var);
        }
        out.globals = program.globals.clone();
        for (id, proc) in program.procs.enumerate() {
            let frame = out.frame(program.proc_name(id), proc.params);
            out.frames[frame].locals = proc.locals.clone();
        }
        let shared = Shared::new(program);
        out.globals.extend(&shared.globals);
        let control = out.control("q");
        let failing = failing(program);
        out.nodes(program, &failing);
        for edge in program.edges.iter().filter(|edge| !failing.contains(&edge.source)) {
            let from = Head { control, symbol: symbol(edge.source) };
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    out.edge(program, edge, from, Right::Step(symbol(*target)), rel.clone());
                }
                EdgeKind::Call(call) => {
                    let callee = &program.procs[call.callee];
                    let back = if call.back.is_identity() && callee.results.is_empty() {
                        symbol(call.ret)
                    } else {
                        let proc = program.nodes[edge.source].proc;
                        let waiting = out.fresh_symbol(symbol(call.ret), proc);
                        let call =
                            Call { back: shared.rel(&mut out, &call.back), ..(**call).clone() };
                        out.back(program, &shared, (control, waiting), &call);
                        waiting
                    };
                    let right = Right::Push(symbol(callee.entry), back);
                    out.edge(program, edge, from, right, call.enter.clone());
                }
                EdgeKind::Return { rel } => {
                    // Results that are not assigned are arbitrary, unlike globals.
                    let results = &program.procs[program.nodes[edge.source].proc].results;
                    let rel = with_arbitrary(rel, results);
                    let rel = shared.rel(&mut out, &rel);
                    out.edge(program, edge, from, Right::Pop, rel);
                }
            }
        }
        out.start.control = control;
        out.start.stack = vec![symbol(program.procs[program.entry].entry)];
        out.start.init = program.init;
        for &result in &shared.globals {
            let zero = out.is_zero(result);
            out.start.init.condition = out.exprs.and(out.start.init.condition, zero);
        }
        out
    }

    fn origin_of(&mut self, program: &Program, origin: Origin) -> Origin {
        Origin { text: self.texts.add(program.text(origin.text)), ..origin }
    }

    fn nodes(&mut self, program: &Program, failing: &FxHashSet<NodeId>) {
        let mut labels: IndexVec<NodeId, Vec<TextId>> =
            IndexVec::filled(Vec::new(), program.nodes.len());
        let mut carriers: FxHashMap<TextId, usize> = FxHashMap::default();
        for label in &program.labels {
            labels[label.node].push(label.name);
            *carriers.entry(label.name).or_default() += 1;
        }
        let mut procs: FxHashMap<TextId, usize> = FxHashMap::default();
        for proc in program.procs.iter() {
            *procs.entry(proc.name).or_default() += 1;
        }
        // What a question may name is for those who have the name.
        let labelled = program.labels.iter().map(|label| label.name);
        for name in labelled.chain(program.procs.iter().map(|proc| proc.name)) {
            let name = self.texts.add(program.text(name));
            self.meant.insert(name);
        }
        for (id, node) in program.nodes.enumerate() {
            let proc = &program.procs[node.proc];
            // A label wins against a procedure.
            let mine = match carriers.get(&proc.name) {
                None => true,
                Some(1) => labels[id].contains(&proc.name),
                Some(_) => false,
            };
            let own = match labels[id].iter().find(|label| carriers[label] == 1) {
                _ if proc.entry == id && procs[&proc.name] == 1 && mine => Some(proc.name),
                label => label.copied(),
            };
            let name = match own {
                Some(own) => self.texts.add(program.text(own)),
                None => {
                    let number = id.index() as u32 - proc.nodes.start;
                    self.fresh(&format!("{}_{number}", program.text(proc.name)))
                }
            };
            let symbol = Symbol {
                name,
                frame: node.proc,
                origin: self.origin_of(program, node.origin),
                statement: node.statement,
                error: proc.error == Some(id) || failing.contains(&id),
                labels: labels[id].iter().map(|&l| self.texts.add(program.text(l))).collect(),
            };
            self.add_symbol(symbol);
        }
    }

    fn edge(&mut self, program: &Program, edge: &Edge, from: Head, right: Right, rel: Rel) {
        let origin = self.symbols[from.symbol].origin;
        // Sets of events keep their numbers.
        while self.events.len() <= edge.events.index() {
            let next = program.events(EventsId::new(self.events.len()));
            let next = next.iter().map(|&event| self.texts.add(program.text(event))).collect();
            self.events.push(next);
        }
        let (to, step, events, marks) = (from.control, edge.step, edge.events, edge.marks);
        self.rules.push(Rule { from, to, right, rel, origin, step, events, marks });
    }

    /// What a call does on the way back; the callee's results are 0 after that.
    fn back(
        &mut self,
        program: &Program,
        shared: &Shared,
        (control, waiting): (super::ControlId, super::SymbolId),
        call: &Call,
    ) {
        let mut assigns = call.back.assigns.to_vec();
        for &result in &program.procs[call.callee].results {
            let var = shared.of(result);
            for (index, zero) in self.zeros(var) {
                let (time, value) = (Time::Post, Some(zero));
                assigns.push(Assign { time, var, index, value });
            }
        }
        let rel = Rel { assigns: assigns.into(), ..call.back.clone() };
        let origin = self.symbols[waiting].origin;
        let from = Head { control, symbol: waiting };
        let id = self.rule(from, control, Right::Step(symbol(call.ret)), rel, origin);
        self.rules[id].step = false;
    }

    /// The cells of a variable, each with a zero of its type.
    fn zeros(&mut self, var: VarId) -> Vec<(Option<ExprId>, ExprId)> {
        let ty = self.vars[var].ty;
        let zero = match ty.scalar {
            Scalar::Bool => Exprs::FALSE,
            Scalar::Int { .. } => self.exprs.int(0),
        };
        match ty.array {
            None => vec![(None, zero)],
            Some(dim) => {
                (dim.lo..dim.lo + dim.len as i64).map(|i| (Some(self.exprs.int(i)), zero)).collect()
            }
        }
    }

    fn is_zero(&mut self, var: VarId) -> ExprId {
        let mut all = Exprs::TRUE;
        for (index, zero) in self.zeros(var) {
            let value = self.exprs.add(match index {
                None => Expr::Read(Time::Pre, var),
                Some(index) => Expr::Index(Time::Pre, var, index),
            });
            let here = match zero {
                Exprs::FALSE => self.exprs.not(value),
                _ => self.exprs.binary(BinaryOp::Eq, value, zero),
            };
            all = self.exprs.and(all, here);
        }
        all
    }
}

/// The labelled statements that do nothing but fail: a symbol that tells so needs no rule for it.
fn failing(program: &Program) -> FxHashSet<NodeId> {
    let fails = |&node: &NodeId| {
        let error = program.procs[program.nodes[node].proc].error;
        let mut ways = program.out_edges(node).map(|way| &program.edges[way]);
        let (Some(way), None) = (ways.next(), ways.next()) else { return false };
        let EdgeKind::Local { target, rel } = &way.kind else { return false };
        let plain = way.step && way.marks == 0 && program.events(way.events).is_empty();
        plain && error == Some(*target) && rel.is_identity()
    };
    let labelled = program.labels.iter().map(|label| label.node);
    labelled.filter(|node| program.nodes[*node].statement).filter(fails).collect()
}

fn symbol(node: NodeId) -> super::SymbolId {
    Id::new(node.index())
}

/// The relation with those of the variables made arbitrary that it does not assign.
fn with_arbitrary(rel: &Rel, vars: &[VarId]) -> Rel {
    let assigned = |var| rel.assigns.iter().any(|a| a.var == var && a.index.is_none());
    let arbitrary = vars.iter().filter(|&&var| !assigned(var)).map(|&var| Assign {
        time: Time::Post,
        var,
        index: None,
        value: None,
    });
    let assigns = rel.assigns.iter().copied().chain(arbitrary).collect();
    Rel { assigns, ..rel.clone() }
}

/// Which global a result travels in.
struct Shared {
    globals: Vec<VarId>,
    /// For results that share the global of another one.
    of: FxHashMap<VarId, VarId>,
}

impl Shared {
    fn new(program: &Program) -> Shared {
        let mut out = Shared { globals: Vec::new(), of: FxHashMap::default() };
        let mut first: FxHashMap<(Type, usize), VarId> = FxHashMap::default();
        for proc in program.procs.iter() {
            let mut numbers: FxHashMap<Type, usize> = FxHashMap::default();
            for &result in &proc.results {
                let ty = program.vars[result].ty;
                let number = numbers.entry(ty).or_default();
                let global = *first.entry((ty, *number)).or_insert(result);
                *number += 1;
                if global == result {
                    out.globals.push(result);
                } else {
                    out.of.insert(result, global);
                }
            }
        }
        out
    }

    fn of(&self, result: VarId) -> VarId {
        self.of.get(&result).copied().unwrap_or(result)
    }

    /// A relation of a return, or of the way back.
    fn rel(&self, spds: &mut Spds, rel: &Rel) -> Rel {
        if self.of.is_empty() {
            return rel.clone();
        }
        let mut expr = |e: ExprId| {
            spds.exprs.map_leaves(e, |exprs, leaf| match leaf {
                Expr::Read(time, var) => {
                    let new = *self.of.get(&var)?;
                    Some(exprs.add(Expr::Read(time, new)))
                }
                Expr::Index(time, var, index) => {
                    let new = *self.of.get(&var)?;
                    Some(exprs.add(Expr::Index(time, new, index)))
                }
                _ => None,
            })
        };
        let mut assigns = Vec::with_capacity(rel.assigns.len());
        for assign in &rel.assigns {
            assigns.push(Assign {
                time: assign.time,
                var: self.of(assign.var),
                index: assign.index.map(&mut expr),
                value: assign.value.map(&mut expr),
            });
        }
        Rel {
            guard: expr(rel.guard),
            assigns: assigns.into(),
            constraint: expr(rel.constraint),
            choices: rel.choices,
        }
    }
}
