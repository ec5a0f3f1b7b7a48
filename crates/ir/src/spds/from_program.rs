//! `Program` → `Spds` ([moped §3]): nodes are symbols, edges rules, and results travel in globals.

use super::{Head, Right, Rule, Spds, Symbol};
use crate::{
    Assign, BinaryOp, Edge, EdgeKind, EventsId, Expr, ExprId, Exprs, Id, IndexVec, NodeId, Origin,
    Program, Rel, Scalar, TextId, Time, VarId, VarKind,
};
use rustc_hash::FxHashMap;

impl Spds {
    /// The system of a program. Variables keep their ids, frames have the ids of procedures, and
    /// the symbols of its nodes come first, with the same numbers.
    ///
    /// A result becomes a hidden global, which is 0 but from a return to the way back; where a call
    /// does something on that way, a fresh symbol waits below the callee and does it. (It could
    /// have any value meanwhile; one of them makes fewer states.)
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
            out.globals.extend(&proc.results);
        }
        let control = out.control("q");
        out.nodes(program);
        for edge in program.edges.iter() {
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
                        out.back(program, control, waiting, call);
                        waiting
                    };
                    let right = Right::Push(symbol(callee.entry), back);
                    out.edge(program, edge, from, right, call.enter.clone());
                }
                EdgeKind::Return { rel } => {
                    // Results that are not assigned are arbitrary, unlike globals.
                    let results = &program.procs[program.nodes[edge.source].proc].results;
                    let rel = with_arbitrary(rel, results);
                    out.edge(program, edge, from, Right::Pop, rel);
                }
            }
        }
        out.start.control = control;
        out.start.stack = vec![symbol(program.procs[program.entry].entry)];
        out.start.init = program.init;
        for proc in program.procs.iter() {
            for &result in &proc.results {
                let zero = out.is_zero(result);
                out.start.init.condition = out.exprs.and(out.start.init.condition, zero);
            }
        }
        out
    }

    fn origin_of(&mut self, program: &Program, origin: Origin) -> Origin {
        Origin { text: self.texts.add(program.text(origin.text)), ..origin }
    }

    fn nodes(&mut self, program: &Program) {
        let mut labels: IndexVec<NodeId, Vec<TextId>> =
            IndexVec::filled(Vec::new(), program.nodes.len());
        let mut carriers: FxHashMap<TextId, usize> = FxHashMap::default();
        for label in &program.labels {
            labels[label.node].push(label.name);
            *carriers.entry(label.name).or_default() += 1;
        }
        for (id, node) in program.nodes.enumerate() {
            let proc = &program.procs[node.proc];
            let wanted = match labels[id].first() {
                _ if proc.entry == id => program.text(proc.name).to_owned(),
                Some(label) if carriers[label] == 1 => program.text(*label).to_owned(),
                _ => {
                    let number = id.index() as u32 - proc.nodes.start;
                    format!("{}_{number}", program.text(proc.name))
                }
            };
            let symbol = Symbol {
                name: self.fresh(&wanted),
                frame: node.proc,
                origin: self.origin_of(program, node.origin),
                statement: node.statement,
                error: proc.error == Some(id),
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
        control: super::ControlId,
        waiting: super::SymbolId,
        call: &crate::Call,
    ) {
        let mut assigns = call.back.assigns.to_vec();
        for &result in &program.procs[call.callee].results {
            for (index, zero) in self.zeros(result) {
                let (time, value) = (Time::Post, Some(zero));
                assigns.push(Assign { time, var: result, index, value });
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
