//! The transition system of a program of the model.
//!
//! A node is a state. The relation of an edge is a sequence: what may block it (`BOOL`), its
//! assignments (`ASSIGN`), what its constraint reads afterwards (`BOOL`). The ways out of a node
//! from which an assertion can fail read it with `ASSERT`. A call goes on in the callee, whose exit
//! leads to every point that it may return to.

use analysis::{may_block, may_clash};
use ir::{
    EdgeKind, Expr, ExprId, Exprs, Id, IndexVec, NodeId, ProcId, Program, Rel, Time, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Builder, Evaluated, Graph, Label, Point, Target, Terms, Variable};

/// The transition system of a program, with the states of its nodes.
#[derive(Clone, Debug)]
pub struct OfProgram {
    /// The transition system.
    pub graph: Graph,
    /// The state of each node; none if no run comes there.
    pub states: IndexVec<NodeId, Option<u32>>,
    /// The state in which each procedure has returned; none if it never does.
    pub exits: IndexVec<ProcId, Option<u32>>,
    /// The variable of each variable.
    pub variables: IndexVec<VarId, u32>,
}

/// The transition system of a program. With `terms`, its labels speak of definitions and expressions,
/// too.
pub fn of_program(program: &Program, terms: bool) -> OfProgram {
    let (found, known) = build(program, None);
    if terms { build(program, Some(known)).0 } else { found }
}

fn build(program: &Program, terms: Option<Terms>) -> (OfProgram, Terms) {
    let mut b = Builder::new(terms);
    b.files = program.files.clone();
    for proc in program.procs.iter() {
        b.function(program.text(proc.name));
    }
    // Globals first, then those of each procedure.
    let mut variables = IndexVec::filled(0u32, program.vars.len());
    let locals = program.procs.iter().flat_map(|p| p.locals.iter().chain(&p.results));
    for &var in program.globals.iter().chain(locals) {
        let info = &program.vars[var];
        let name = program.text(info.name);
        variables[var] = b.variables.len() as u32;
        let (plain, function) = match info.kind {
            VarKind::Global => (name.to_owned(), None),
            VarKind::Local(p) => (name.to_owned(), Some(p.index() as u32)),
            VarKind::Result(p) => {
                let results = &program.procs[p].results;
                let number = results.iter().position(|&r| r == var).unwrap_or(0);
                let plain = match results.len() {
                    1 => "return".to_owned(),
                    _ => format!("return.{}", number + 1),
                };
                b.results[p.index()].push(variables[var]);
                (plain, Some(p.index() as u32))
            }
        };
        let hidden = info.hidden || matches!(info.kind, VarKind::Result(_));
        let automatic = !matches!(info.kind, VarKind::Global);
        let name = String::new();
        b.variables.push(Variable { name, plain, function, hidden, automatic, constant: false });
    }
    b.name_variables();
    let states: IndexVec<NodeId, u32> = program.nodes.iter().map(|_| b.state()).collect();
    let mut labels: Vec<Vec<String>> = vec![Vec::new(); program.nodes.len()];
    for label in &program.labels {
        labels[label.node.index()].push(program.text(label.name).to_owned());
    }
    for (node, info) in program.nodes.enumerate() {
        if info.statement {
            b.points.push(Point {
                state: Some(states[node]),
                function: info.proc.index() as u32,
                file: info.origin.file,
                line: info.origin.line,
                column: info.origin.column,
                text: program.text(info.origin.text).to_owned(),
                labels: std::mem::take(&mut labels[node.index()]),
            });
        }
    }
    let determined = determined(program);
    let mut lowering = Lowering { program, b, variables: &variables, states: &states, determined };
    for proc in program.procs.ids() {
        lowering.proc(proc);
    }
    let initial = lowering.start();
    let exits = lowering.b.exits.clone();
    let (graph, image, terms) = lowering.b.finish(initial);
    let exits = exits.iter().map(|&s| image[s as usize]).collect();
    let states = states.iter().map(|&s| image[s as usize]).collect();
    (OfProgram { graph, states, exits, variables }, terms)
}

struct Lowering<'a> {
    program: &'a Program,
    b: Builder,
    variables: &'a IndexVec<VarId, u32>,
    states: &'a IndexVec<NodeId, u32>,
    determined: FxHashSet<VarId>,
}

/// The locals that some call assigns, or constrains.
fn determined(program: &Program) -> FxHashSet<VarId> {
    let mut out = FxHashSet::default();
    for edge in program.edges.iter() {
        let EdgeKind::Call(call) = &edge.kind else { continue };
        let mut add = |time: Time, var: VarId| {
            if time == Time::Post && program.vars[var].kind == VarKind::Local(call.callee) {
                out.insert(var);
            }
        };
        call.enter.assigns.iter().for_each(|a| add(a.time, a.var));
        program.exprs.reads(call.enter.constraint, add);
    }
    out
}

impl Lowering<'_> {
    /// What the initial condition reads decides how a run begins.
    fn start(&mut self) -> u32 {
        let program = self.program;
        let start = self.b.state();
        let reads = self.reads(program.init.condition, |_| true);
        let stage = reads.into_iter().map(Label::Bool).collect();
        let entry = self.states[program.procs[program.entry].entry];
        self.b.sequence(start, vec![stage], entry);
        start
    }

    fn proc(&mut self, proc: ProcId) {
        let program = self.program;
        let info = &program.procs[proc];
        // Locals that no call assigns are arbitrary at the entry.
        let kills: Vec<Target> = info
            .locals
            .iter()
            .filter(|v| !self.determined.contains(v))
            .map(|&v| Target { variable: self.variables[v], kills: true, sources: Vec::new() })
            .collect();
        self.b.place = (0, 0);
        let kills = self.b.assignments(kills);
        let entry = self.b.entries[proc.index()];
        self.b.sequence(entry, kills, self.states[info.entry]);
        for node in info.node_ids() {
            let origin = program.nodes[node].origin;
            self.b.place = (origin.line, origin.column);
            let asserts = info.error.is_some()
                && program.out_edges(node).any(|e| program.edges[e].target() == info.error);
            for e in program.out_edges(node) {
                self.edge(proc, self.states[node], &program.edges[e].kind, asserts);
            }
        }
    }

    fn edge(&mut self, proc: ProcId, from: u32, kind: &EdgeKind, asserts: bool) {
        match kind {
            EdgeKind::Local { target, rel } => {
                let stages = self.relation(rel, asserts);
                self.b.sequence(from, stages, self.states[*target]);
            }
            EdgeKind::Return { rel } => {
                let mut stages = self.relation(rel, asserts);
                let results = &self.program.procs[proc].results;
                let assigned = |v: &VarId| rel.assigns.iter().any(|a| a.var == *v);
                stages.extend(
                    results
                        .iter()
                        .filter(|v| !assigned(v))
                        .map(|&v| vec![Label::Assign(self.variables[v], None)]),
                );
                let exit = self.b.exits[proc.index()];
                self.b.sequence(from, stages, exit);
            }
            EdgeKind::Call(call) => {
                // The condition holds for the way round a recursive call, too.
                let mut enter = self.relation(&call.enter, asserts);
                let assigns = |stage: &Vec<Label>| matches!(stage[..], [Label::Assign(..), ..]);
                let before = enter.iter().position(assigns).unwrap_or(enter.len());
                let rest = enter.split_off(before);
                let middle = if enter.is_empty() { from } else { self.b.state() };
                if middle != from {
                    self.b.sequence(from, enter, middle);
                }
                let saved = call.enter.assigns.iter().filter(|a| a.time == Time::Saved);
                let saved: Vec<Target> = saved.map(|a| self.target(a)).collect();
                let saved = self.b.assignments(saved);
                let after = self.b.state();
                let (caller, callee) = (proc.index() as u32, call.callee.index() as u32);
                self.b.call(caller, callee, middle, (rest, saved), after);
                let back = self.relation(&call.back, false);
                self.b.sequence(after, back, self.states[call.ret]);
            }
        }
    }

    fn target(&self, assign: &ir::Assign) -> Target {
        let mut sources = Vec::new();
        for expr in [assign.index, assign.value].into_iter().flatten() {
            sources.extend(self.reads(expr, |_| true));
        }
        Target { variable: self.variables[assign.var], kills: assign.index.is_none(), sources }
    }

    /// The variables that an expression reads, at the given times.
    fn reads(&self, expr: ExprId, when: impl Fn(Time) -> bool) -> Vec<u32> {
        let mut out = Vec::new();
        if expr != Exprs::TRUE {
            self.program.exprs.reads(expr, |time, var| {
                if when(time) {
                    out.push(self.variables[var]);
                }
            });
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    fn relation(&mut self, rel: &Rel, asserts: bool) -> Vec<Vec<Label>> {
        let program = self.program;
        let pre = |time| time == Time::Pre;
        let mut tested = self.reads(rel.guard, pre);
        tested.extend(self.reads(rel.constraint, pre));
        for assign in &rel.assigns {
            if may_block(program, assign) || may_clash(program, rel, assign) {
                for expr in [assign.index, assign.value].into_iter().flatten() {
                    tested.extend(self.reads(expr, pre));
                }
            }
        }
        // The frame that waits may have variables of the same names as the one that is entered: what
        // it holds is tested before the names change their meaning.
        let saved = self.reads(rel.constraint, |time| time == Time::Saved);
        for assign in rel.assigns.iter().filter(|a| a.time == Time::Saved) {
            if saved.contains(&self.variables[assign.var]) {
                tested.extend(self.target(assign).sources);
            }
        }
        tested.extend(saved);
        tested.sort_unstable();
        tested.dedup();
        let label = if asserts { Label::Assert } else { Label::Bool };
        let evaluated = self.evaluated(rel);
        let mut stages = self.b.evaluations(&evaluated);
        stages.push(tested.into_iter().map(label).collect());
        let targets = rel.assigns.iter().map(|a| self.target(a)).collect();
        stages.extend(self.b.assignments(targets));
        let after = self.reads(rel.constraint, |time| time != Time::Pre);
        stages.push(after.into_iter().map(Label::Bool).collect());
        stages.retain(|stage| !stage.is_empty());
        stages
    }

    /// The expressions of a relation that compute something from variables.
    fn evaluated(&self, rel: &Rel) -> Vec<Evaluated> {
        let exprs = &self.program.exprs;
        let mut out = Vec::new();
        let mut texts: FxHashMap<ExprId, Option<String>> = FxHashMap::default();
        for root in rel.pre_exprs() {
            if root == Exprs::TRUE {
                continue;
            }
            let mut found = Vec::new();
            exprs.postorder(root, |id, expr| {
                let text = self.text(expr, &texts);
                if text.is_some() && matches!(expr, Expr::Binary(..) | Expr::Ite(..)) {
                    found.push(id);
                }
                texts.insert(id, text);
            });
            for id in found {
                let reads = self.reads(id, |time| time == Time::Pre);
                if let (Some(Some(text)), false) = (texts.get(&id), reads.is_empty()) {
                    out.push(Evaluated { text: text.clone(), reads });
                }
            }
        }
        out
    }

    /// An expression as people write it; none for choices, values after a step and what is long.
    fn text(&self, expr: Expr, texts: &FxHashMap<ExprId, Option<String>>) -> Option<String> {
        let of = |id: ExprId| texts.get(&id).cloned().flatten();
        let inner = |id: ExprId| {
            let text = of(id)?;
            let simple = !matches!(self.program.exprs[id], Expr::Binary(..) | Expr::Ite(..));
            Some(if simple { text } else { format!("({text})") })
        };
        let name = |var: VarId| &self.b.variables[self.variables[var] as usize].name;
        let text = match expr {
            Expr::Bool(value) => if value { "T" } else { "F" }.to_owned(),
            Expr::Int(value) => value.to_string(),
            Expr::Read(Time::Pre, var) => name(var).clone(),
            Expr::Index(Time::Pre, var, index) => format!("{}[{}]", name(var), of(index)?),
            Expr::Not(a) => format!("!{}", inner(a)?),
            Expr::Binary(op, a, b) => format!("{}{}{}", inner(a)?, op.symbol(), inner(b)?),
            Expr::Ite(c, a, b) => format!("{}?{}:{}", inner(c)?, inner(a)?, inner(b)?),
            Expr::Read(..) | Expr::Index(..) | Expr::Choice(_) => return None,
        };
        (text.len() <= 80).then_some(text)
    }
}
