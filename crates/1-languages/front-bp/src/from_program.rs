//! Program → tree, for programs that are written down (`bop convert --to bp`).
//!
//! Numbers and arrays become bits, each a variable of its own. A node becomes labelled statements, one
//! run of them for each of its edges, which ends in a `goto`. What an edge does is blasted into a graph
//! of gates: choices that matter in several places, and gates that are large and shared, get variables;
//! then come an `assume` and one parallel assignment. Only the common subset of all dialects is used.

mod gates;

use std::convert::Infallible;
use std::rc::Rc;

use ir::blast::{BlastedRel, blast_bool, blast_rel};
use ir::{
    Call, Edge, EdgeKind, Exprs, Id, IndexVec, NodeId, ProcId, Program, Rel, Time, Unwritten, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use gates::{Bit, BitOf, FALSE, Gate, Gates, TRUE};

use crate::tree::{
    BinOp, ExprId, ExprKind, List, Name, Proc, Stmt, StmtId, StmtKind, Symbol, Tree,
};

/// The program as a tree, with names that the language allows; labels and procedures keep theirs, in
/// braces if need be, or it is not written. Marks and events are left out, and so is which edges are
/// steps. `go_on` is asked now and then.
///
/// ```
/// use front_bp::{from_program, print};
/// use ir::{Init, ProgramBuilder, Rel, Type};
///
/// let mut b = ProgramBuilder::new();
/// let at = b.no_origin();
/// let x = b.global("x", Type::int(2), at);
/// let main = b.proc("main", at);
/// b.begin_proc(main);
/// let (first, second) = (b.statement(at), b.statement(at));
/// b.entry(main, first);
/// let (three, read) = (b.exprs.int(3), b.exprs.pre(x));
/// b.step(first, second, Rel::assign([(x, Some(three))], 0));
/// let program = b.finish(main, Init::default());
/// let tree = from_program(&program, &mut || true).unwrap();
/// assert!(print(&tree).contains("x_0, x_1 := 1, 1;"));
/// # let _ = read;
/// ```
pub fn from_program(program: &Program, go_on: &mut dyn FnMut() -> bool) -> Result<Tree, Unwritten> {
    let mut writer = Writer::new(program)?;
    for proc in program.procs.ids() {
        writer.proc(proc, go_on)?;
    }
    writer.start();
    Ok(writer.tree)
}

/// What a relation does, as gates over values before it and choices.
struct Effect {
    gates: Gates,
    condition: Bit,
    /// In the order of bits.
    updates: Vec<((Time, BitOf), Bit)>,
}

/// Shared gates of at least this size get a variable.
const LARGE: u64 = 8;

/// Words that are no names, in this or another dialect.
const RESERVED: [&str; 34] = [
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "if",
    "then",
    "else",
    "elsif",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "skip",
    "return",
    "print",
    "assert",
    "assume",
    "constrain",
    "dead",
    "enforce",
    "abortif",
    "schoose",
    "true",
    "false",
    "T",
    "F",
    "dfs",
    "start_thread",
    "end_thread",
    "sync",
    "atomic_begin",
    "atomic_end",
];

/// Names that are taken: everywhere, and in one procedure.
#[derive(Clone, Default)]
struct Taken {
    everywhere: Rc<FxHashSet<String>>,
    here: FxHashSet<String>,
}

impl Taken {
    /// Takes the name, unless somebody has it.
    fn take(&mut self, text: &str) -> bool {
        !self.everywhere.contains(text) && self.here.insert(text.to_owned())
    }

    /// What is taken so far is taken everywhere.
    fn spread(self) -> Taken {
        let mut all = Rc::unwrap_or_clone(self.everywhere);
        all.extend(self.here);
        Taken { everywhere: Rc::new(all), here: FxHashSet::default() }
    }

    /// A name like the one wanted.
    fn name(&mut self, tree: &mut Tree, wanted: &str) -> Symbol {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut base: String = wanted.chars().map(plain).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || base == "_" {
            base.insert_str(0, "x_");
        }
        let mut text = base.clone();
        let mut number = 1;
        while RESERVED.contains(&text.as_str()) || !self.take(&text) {
            number += 1;
            text = format!("{base}_{number}");
        }
        tree.intern(&text)
    }
}

/// Whether a text is a name in all dialects.
fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text != "_"
        && !RESERVED.contains(&text)
}

/// The very name, in braces if it would not be one without.
fn spelled(text: &str) -> Option<String> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let plain = |text: &str| {
        !text.trim().is_empty() && !text.contains(['{', '}']) && !text.contains(char::is_control)
    };
    if is_name(text) || inner.is_some_and(plain) {
        return Some(text.to_owned());
    }
    (plain(text) && text.trim() == text).then(|| format!("{{{text}}}"))
}

/// Variables that a procedure is given, by what they are for and their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Spare {
    Choice,
    Shared,
    Argument,
    Result,
}

/// What is known of the procedure being written.
struct Body {
    id: ProcId,
    taken: Taken,
    locals: Vec<Symbol>,
    spares: FxHashMap<(Spare, usize), Symbol>,
    labels: FxHashMap<NodeId, Vec<Symbol>>,
    taken_labels: Taken,
    stmts: Vec<StmtId>,
    /// Labels of the next statement.
    pending: Vec<Symbol>,
}

struct Writer<'p> {
    program: &'p Program,
    tree: Tree,
    taken: Taken,
    vars: FxHashMap<BitOf, Symbol>,
    procs: IndexVec<ProcId, Symbol>,
    /// The locals that calls set: all parameters, and what else is given a value.
    params: IndexVec<ProcId, Vec<VarId>>,
    /// A procedure `main` of its own is needed.
    wrapped: bool,
    /// By node.
    labels: IndexVec<NodeId, Vec<Symbol>>,
    /// Names that only those have whom a question means by them.
    meant: Taken,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program) -> Result<Writer<'p>, Unwritten> {
        let mut writer = Writer {
            program,
            tree: Tree::new(),
            taken: Taken::default(),
            vars: FxHashMap::default(),
            procs: IndexVec::new(),
            params: IndexVec::new(),
            wrapped: program.init.condition != Exprs::TRUE
                || program.proc_name(program.entry) != "main",
            labels: IndexVec::filled(Vec::new(), program.nodes.len()),
            meant: Taken::default(),
        };
        if writer.wrapped {
            writer.taken.take("main");
        }
        writer.procs();
        writer.labels()?;
        let mut taken = std::mem::take(&mut writer.taken);
        for &global in &program.globals {
            for (_, symbol) in writer.declare(global, &mut taken) {
                writer.tree.add_global(name(symbol));
            }
        }
        writer.taken = taken.spread();
        writer.find_params();
        Ok(writer)
    }

    /// Names the procedures: with their own names where that is possible.
    fn procs(&mut self) {
        let program = self.program;
        let mut own = Vec::new();
        for proc in program.procs.ids() {
            let spelled = spelled(program.proc_name(proc)).filter(|text| self.taken.take(text));
            own.push(spelled.map(|text| self.tree.intern(&text)));
        }
        for (proc, own) in program.procs.ids().zip(own) {
            let name = program.proc_name(proc);
            let name = own.unwrap_or_else(|| self.taken.name(&mut self.tree, name));
            self.procs.push(name);
        }
    }

    /// The labels of the program.
    fn labels(&mut self) -> Result<(), Unwritten> {
        let program = self.program;
        let mut meant = Taken::default();
        for proc in program.procs.ids() {
            meant.take(program.proc_name(proc));
            meant.take(self.tree.text(self.procs[proc]));
        }
        let mut carriers: FxHashMap<(ProcId, &str), NodeId> = FxHashMap::default();
        for label in &program.labels {
            let text = program.text(label.name);
            let other = carriers.insert((program.nodes[label.node].proc, text), label.node);
            let spelled = match (spelled(text), other) {
                (_, Some(other)) if other == label.node => continue,
                (_, Some(_)) => {
                    let what = format!("the label `{text}` on two statements of a procedure");
                    return Err(Unwritten::NoWords(what));
                }
                // A number can be a label.
                (_, None) if text.bytes().all(|b| b.is_ascii_digit()) => text.to_owned(),
                (Some(spelled), None) => spelled,
                (None, None) => {
                    return Err(Unwritten::NoWords(format!("the label `{text}`")));
                }
            };
            meant.take(text);
            meant.take(&spelled);
            let symbol = self.tree.intern(&spelled);
            self.labels[label.node].push(symbol);
        }
        self.meant = meant.spread();
        Ok(())
    }

    fn find_params(&mut self) {
        let program = self.program;
        let mut set: IndexVec<ProcId, FxHashSet<VarId>> =
            program.procs.iter().map(|p| p.locals[..p.params].iter().copied().collect()).collect();
        for edge in program.edges.iter() {
            let EdgeKind::Call(call) = &edge.kind else { continue };
            let set = &mut set[call.callee];
            set.extend(call.enter.assigns.iter().filter(|a| a.time == Time::Post).map(|a| a.var));
            program.exprs.reads(call.enter.constraint, |time, var| {
                if time == Time::Post {
                    set.insert(var);
                }
            });
        }
        program.exprs.reads(program.init.condition, |_, var| {
            set[program.entry].insert(var);
        });
        for (id, proc) in program.procs.enumerate() {
            self.params.push(proc.locals.iter().copied().filter(|v| set[id].contains(v)).collect());
        }
    }

    /// Names for the bits of a variable.
    fn declare(&mut self, var: VarId, taken: &mut Taken) -> Vec<(BitOf, Symbol)> {
        let info = &self.program.vars[var];
        let mut out = Vec::new();
        for bit in bits(self.program, var) {
            let mut text = self.program.text(info.name).to_owned();
            if let Some(dim) = info.ty.array {
                text += &format!("_{}", dim.lo + i64::from(bit.1));
            }
            if info.ty.scalar != ir::Scalar::Bool {
                text += &format!("_{}", bit.2);
            }
            let symbol = taken.name(&mut self.tree, &text);
            self.vars.insert(bit, symbol);
            out.push((bit, symbol));
        }
        out
    }

    fn proc(&mut self, id: ProcId, go_on: &mut dyn FnMut() -> bool) -> Result<(), Unwritten> {
        let program = self.program;
        let proc = &program.procs[id];
        let mut body = Body {
            id,
            taken: self.taken.clone(),
            locals: Vec::new(),
            spares: FxHashMap::default(),
            labels: FxHashMap::default(),
            taken_labels: self.meant.clone(),
            stmts: Vec::new(),
            pending: Vec::new(),
        };
        let mut params = Vec::new();
        let is_param: FxHashSet<VarId> = self.params[id].iter().copied().collect();
        for &local in &proc.locals {
            let mut taken = std::mem::take(&mut body.taken);
            let symbols = self.declare(local, &mut taken).into_iter().map(|(_, symbol)| symbol);
            match is_param.contains(&local) {
                true => params.extend(symbols),
                false => body.locals.extend(symbols),
            }
            body.taken = taken;
        }
        for node in proc.node_ids() {
            let mut labels = std::mem::take(&mut self.labels[node]);
            if labels.is_empty() {
                let number = node.index() - proc.nodes.start as usize;
                labels.push(body.taken_labels.name(&mut self.tree, &format!("N{number}")));
            }
            body.labels.insert(node, labels);
        }
        if proc.node_ids().next() != Some(proc.entry) {
            self.goto(&mut body, &[proc.entry]);
        }
        for node in proc.node_ids() {
            if !go_on() {
                return Err(Unwritten::Stopped);
            }
            self.node(&mut body, node);
        }
        let result_bits: usize = proc.results.iter().map(|&v| bits(program, v).count()).sum();
        self.finish(self.procs[id], params, body, result_bits as u32);
        Ok(())
    }

    fn finish(&mut self, symbol: Symbol, params: Vec<Symbol>, body: Body, returns: u32) {
        let params = self.tree.add_names(params.into_iter().map(name));
        let locals = self.tree.add_names(body.locals.into_iter().map(name));
        let block = self.without_idle_jumps(body.stmts);
        let body = self.tree.add_block(block);
        let span = Span::default();
        let proc = Proc {
            name: name(symbol),
            returns,
            params,
            locals,
            enforce: None,
            abortif: None,
            body,
            span,
        };
        self.tree.add_proc(proc);
    }

    /// `goto L; L: …` without the `goto`.
    fn without_idle_jumps(&self, stmts: Vec<StmtId>) -> Vec<StmtId> {
        let idle = |i: usize| {
            let (stmt, Some(&next)) = (self.tree.stmt(stmts[i]), stmts.get(i + 1)) else {
                return false;
            };
            let StmtKind::Goto(targets) = stmt.kind else { return false };
            let [target] = self.tree.names(targets) else { return false };
            let labels = self.tree.names(self.tree.stmt(next).labels);
            stmt.labels.is_empty() && labels.iter().any(|l| l.symbol == target.symbol)
        };
        (0..stmts.len()).filter(|&i| !idle(i)).map(|i| stmts[i]).collect()
    }

    fn stmt(&mut self, body: &mut Body, kind: StmtKind) {
        let labels = std::mem::take(&mut body.pending);
        let labels = self.tree.add_names(labels.into_iter().map(name));
        let stmt = self.tree.add_stmt(Stmt { labels, kind, span: Span::default() });
        body.stmts.push(stmt);
    }

    fn goto(&mut self, body: &mut Body, nodes: &[NodeId]) {
        let names: Vec<Name> = nodes.iter().map(|node| name(body.labels[node][0])).collect();
        let targets = self.tree.add_names(names);
        self.stmt(body, StmtKind::Goto(targets));
    }

    fn assume(&mut self, body: &mut Body, condition: ExprId) {
        self.stmt(body, StmtKind::Assume(condition));
    }

    fn node(&mut self, body: &mut Body, node: NodeId) {
        let program = self.program;
        body.pending.extend(body.labels[&node].clone());
        let edges: Vec<&Edge> = program.out_edges(node).map(|e| &program.edges[e]).collect();
        let never = |tree: &mut Tree| tree.add_expr(ExprKind::Const(false), Span::default());
        match &edges[..] {
            [] => {
                let condition = never(&mut self.tree);
                let failed = program.procs[body.id].error == Some(node);
                match failed {
                    true => self.stmt(body, StmtKind::Assert(condition)),
                    false => self.assume(body, condition),
                }
                // Nothing goes on behind a failed assertion, as the language has it.
            }
            [only] => self.edge(body, only),
            several => {
                let first = self.tree.text(body.labels[&node][0]).to_owned();
                let labels: Vec<Symbol> = (1..=several.len())
                    .map(|i| body.taken_labels.name(&mut self.tree, &format!("{first}_{i}")))
                    .collect();
                let targets = self.tree.add_names(labels.iter().map(|&l| name(l)));
                self.stmt(body, StmtKind::Goto(targets));
                for (edge, label) in several.iter().zip(labels) {
                    body.pending.push(label);
                    self.edge(body, edge);
                }
            }
        }
    }

    fn edge(&mut self, body: &mut Body, edge: &Edge) {
        match &edge.kind {
            EdgeKind::Local { target, rel } => {
                let effect = self.effect(rel, |_, _| true);
                let values = self.effect_stmts(body, &effect, &|_, bit| Place::Var(bit));
                self.assign(body, values);
                self.goto(body, &[*target]);
            }
            EdgeKind::Return { rel } => self.returned(body, rel),
            EdgeKind::Call(call) => {
                self.called(body, call);
                self.goto(body, &[call.ret]);
            }
        }
    }

    fn returned(&mut self, body: &mut Body, rel: &Rel) {
        let program = self.program;
        let results: Vec<BitOf> =
            program.procs[body.id].results.iter().flat_map(|&v| bits(program, v)).collect();
        // Results that are not assigned are arbitrary.
        let own = program.procs[body.id].results.clone();
        let effect = self.effect(rel, |_, var| !own.contains(&var));
        let number = |bit: BitOf| results.iter().position(|&b| b == bit);
        let place = |_: Time, bit: BitOf| match number(bit) {
            Some(k) => Place::Spare(Spare::Result, k),
            None => Place::Var(bit),
        };
        let mut values = self.effect_stmts(body, &effect, &place);
        let only_results = values.iter().all(|(p, _)| matches!(p, Place::Spare(..)));
        let mut list = Vec::new();
        if only_results {
            for k in 0..results.len() {
                let found = values.iter().position(|(p, _)| *p == Place::Spare(Spare::Result, k));
                list.push(match found {
                    Some(at) => values[at].1,
                    None => self.tree.add_expr(ExprKind::Choice, Span::default()),
                });
            }
            values.clear();
        }
        self.assign(body, values);
        if !only_results {
            for (k, &bit) in results.iter().enumerate() {
                let assigned = effect.updates.iter().any(|((_, b), _)| *b == bit);
                let kind = match assigned {
                    true => ExprKind::Var(self.spare(body, Spare::Result, k)),
                    false => ExprKind::Choice,
                };
                list.push(self.tree.add_expr(kind, Span::default()));
            }
        }
        let list = self.tree.add_exprs(list);
        self.stmt(body, StmtKind::Return(list));
    }

    fn called(&mut self, body: &mut Body, call: &Call) {
        let program = self.program;
        let callee = call.callee;
        let params: Vec<BitOf> =
            self.params[callee].iter().flat_map(|&v| bits(program, v)).collect();
        let locals = &program.procs[callee].locals;
        // The callee's locals that are not assigned are arbitrary.
        let effect =
            self.effect(&call.enter, |time, var| time == Time::Saved || !locals.contains(&var));
        let number = |bit: BitOf| params.iter().position(|&b| b == bit);
        let place = |time: Time, bit: BitOf| match number(bit) {
            Some(k) if time == Time::Post => Place::Spare(Spare::Argument, k),
            _ => Place::Var(bit),
        };
        let mut values = self.effect_stmts(body, &effect, &place);
        let only_arguments = values.iter().all(|(p, _)| matches!(p, Place::Spare(..)));
        let mut args = Vec::new();
        for k in 0..params.len() {
            let found = values.iter().position(|(p, _)| *p == Place::Spare(Spare::Argument, k));
            args.push(match found {
                Some(at) if only_arguments => values[at].1,
                Some(_) => {
                    let symbol = self.spare(body, Spare::Argument, k);
                    self.tree.add_expr(ExprKind::Var(symbol), Span::default())
                }
                None => self.tree.add_expr(ExprKind::Choice, Span::default()),
            });
        }
        if only_arguments {
            values.clear();
        }
        self.assign(body, values);

        let results: Vec<BitOf> =
            program.procs[callee].results.iter().flat_map(|&v| bits(program, v)).collect();
        let back = self.effect(&call.back, |_, _| true);
        let targets = self.targets(&back, &results);
        let direct = targets.is_some();
        let targets = targets.unwrap_or_else(|| {
            (0..results.len()).map(|k| self.spare(body, Spare::Result, k)).collect()
        });
        let targets = self.tree.add_names(targets.into_iter().map(name));
        let args = self.tree.add_exprs(args);
        let callee = name(self.procs[callee]);
        self.stmt(body, StmtKind::Call { targets, callee, args });
        if !direct {
            for (k, &bit) in results.iter().enumerate() {
                let symbol = self.spare(body, Spare::Result, k);
                self.vars.insert(bit, symbol);
            }
            let values = self.effect_stmts(body, &back, &|_, bit| Place::Var(bit));
            self.assign(body, values);
        }
    }

    /// Where the results of a call go, if nothing else happens on the way back.
    fn targets(&mut self, back: &Effect, results: &[BitOf]) -> Option<Vec<Symbol>> {
        if back.condition != TRUE {
            return None;
        }
        let mut out: Vec<Option<Symbol>> = vec![None; results.len()];
        for &((_, bit), value) in &back.updates {
            let Gate::Read(Time::Pre, from) = back.gates.gates[value as usize] else { return None };
            let k = results.iter().position(|&r| r == from)?;
            if out[k].replace(self.vars[&bit]).is_some() {
                return None;
            }
        }
        if out.iter().all(Option::is_none) {
            return Some(Vec::new());
        }
        let nothing = self.tree.intern("_");
        Some(out.into_iter().map(|symbol| symbol.unwrap_or(nothing)).collect())
    }

    /// What a relation does; `keeps` says which targets have their old value unless assigned.
    fn effect(&self, rel: &Rel, keeps: impl Fn(Time, VarId) -> bool) -> Effect {
        let mut gates = Gates::new();
        let blasted: Result<BlastedRel<Bit>, Infallible> =
            blast_rel(self.program, rel, &mut gates, |_, _| true);
        let blasted = match blasted {
            Ok(blasted) => blasted,
            Err(never) => match never {},
        };
        let mut updates: Vec<((Time, BitOf), Bit)> = Vec::new();
        let mut after: FxHashMap<(Time, BitOf), Bit> = FxHashMap::default();
        for update in &blasted.updates {
            let value = match update.free {
                FALSE => update.value,
                free => {
                    let open = gates.fresh();
                    gates.if_else(free, open, update.value)
                }
            };
            let target = (update.time, (update.var, update.cell, update.bit));
            updates.push((target, value));
            after.insert(target, value);
        }
        let constraint = gates.substitute(blasted.constraint, |gates, leaf| {
            let Gate::Read(time @ (Time::Post | Time::Saved), bit) = leaf else { return None };
            if let Some(&value) = after.get(&(time, bit)) {
                return Some(value);
            }
            let value = match keeps(time, bit.0) {
                true => gates.add(Gate::Read(Time::Pre, bit)),
                false => {
                    let open = gates.fresh();
                    updates.push(((time, bit), open));
                    open
                }
            };
            after.insert((time, bit), value);
            Some(value)
        });
        let condition = gates.both(blasted.enabled, constraint);
        // A callee's variable that gets the value of the same one of the caller is another one.
        let same = |&((time, bit), value): &((Time, BitOf), Bit)| {
            keeps(time, bit.0) && gates.gates[value as usize] == Gate::Read(Time::Pre, bit)
        };
        let updates = updates.iter().filter(|u| !same(u)).copied().collect();
        Effect { gates, condition, updates }
    }

    /// Writes what comes before the assignment; returns what is assigned.
    fn effect_stmts(
        &mut self,
        body: &mut Body,
        effect: &Effect,
        place: &dyn Fn(Time, BitOf) -> Place,
    ) -> Vec<(Place, ExprId)> {
        let gates = &effect.gates;
        let roots: Vec<Bit> =
            effect.updates.iter().map(|&(_, v)| v).chain([effect.condition]).collect();
        let used = gates.used(roots.iter().copied());
        let n = gates.gates.len();
        // How often a gate would be written out; how often it is an operand; its size.
        let (mut ways, mut parents, mut size) = (vec![0u64; n], vec![0u32; n], vec![1u64; n]);
        for &root in &roots {
            ways[root as usize] += 1;
            parents[root as usize] += 1;
        }
        for &bit in used.iter().rev() {
            for operand in gates.operands(bit) {
                ways[operand as usize] = ways[operand as usize].saturating_add(ways[bit as usize]);
                parents[operand as usize] += 1;
            }
        }
        for &bit in &used {
            let inside: u64 =
                gates.operands(bit).fold(0, |n, x| n.saturating_add(size[x as usize]));
            size[bit as usize] = size[bit as usize].saturating_add(inside);
        }
        // Choices that occur more than once.
        let mut named: FxHashMap<Bit, Symbol> = FxHashMap::default();
        let mut choices = Vec::new();
        for &bit in &used {
            let is_choice = matches!(gates.gates[bit as usize], Gate::Choice(_) | Gate::Open(_));
            if is_choice && ways[bit as usize] > 1 {
                let symbol = self.spare(body, Spare::Choice, choices.len());
                named.insert(bit, symbol);
                choices.push(symbol);
            }
        }
        if !choices.is_empty() {
            let values: Vec<ExprId> = choices
                .iter()
                .map(|_| self.tree.add_expr(ExprKind::Choice, Span::default()))
                .collect();
            self.assign_symbols(body, choices, values);
        }
        let mut shared = 0;
        for &bit in &used {
            let leaf = gates.operands(bit).next().is_none();
            if !leaf && parents[bit as usize] > 1 && size[bit as usize] >= LARGE {
                let value = self.expr(gates, bit, &named);
                let symbol = self.spare(body, Spare::Shared, shared);
                shared += 1;
                named.insert(bit, symbol);
                self.assign_symbols(body, vec![symbol], vec![value]);
                // What is written out from here on is as small as a name.
                size[bit as usize] = 1;
            }
        }
        if effect.condition != TRUE {
            let condition = self.expr(gates, effect.condition, &named);
            self.assume(body, condition);
        }
        effect
            .updates
            .iter()
            .map(|&((time, bit), value)| (place(time, bit), self.expr(gates, value, &named)))
            .collect()
    }

    fn assign(&mut self, body: &mut Body, values: Vec<(Place, ExprId)>) {
        let mut targets = Vec::new();
        for (place, _) in &values {
            targets.push(match *place {
                Place::Var(bit) => self.vars[&bit],
                Place::Spare(spare, k) => self.spare(body, spare, k),
            });
        }
        let values = values.into_iter().map(|(_, value)| value).collect();
        self.assign_symbols(body, targets, values);
    }

    fn assign_symbols(&mut self, body: &mut Body, targets: Vec<Symbol>, values: Vec<ExprId>) {
        if targets.is_empty() {
            return;
        }
        let targets = self.tree.add_names(targets.into_iter().map(name));
        let values = self.tree.add_exprs(values);
        self.stmt(body, StmtKind::Assign { targets, values, constraint: None });
    }

    fn spare(&mut self, body: &mut Body, spare: Spare, number: usize) -> Symbol {
        if let Some(&symbol) = body.spares.get(&(spare, number)) {
            return symbol;
        }
        let text = match spare {
            Spare::Choice => "any",
            Spare::Shared => "part",
            Spare::Argument => "argument",
            Spare::Result => "result",
        };
        let symbol = body.taken.name(&mut self.tree, &format!("{text}{number}"));
        body.spares.insert((spare, number), symbol);
        body.locals.push(symbol);
        symbol
    }

    /// A gate as an expression, with names for some inside it.
    fn expr(&mut self, gates: &Gates, root: Bit, named: &FxHashMap<Bit, Symbol>) -> ExprId {
        let mut done: Vec<ExprId> = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((bit, expanded)) = work.pop() {
            let gate = gates.gates[bit as usize];
            if !expanded && !named.contains_key(&bit) && gates.operands(bit).next().is_some() {
                work.push((bit, true));
                let operands: Vec<Bit> = gates.operands(bit).collect();
                work.extend(operands.into_iter().rev().map(|x| (x, false)));
                continue;
            }
            let mut operand =
                || done.pop().expect("operands are done before what they are part of");
            let kind = match (named.get(&bit), gate) {
                (Some(&symbol), _) => ExprKind::Var(symbol),
                (_, Gate::Const(value)) => ExprKind::Const(value),
                (_, Gate::Read(_, of)) => ExprKind::Var(self.vars[&of]),
                (_, Gate::Choice(_) | Gate::Open(_)) => ExprKind::Choice,
                (_, Gate::Not(_)) => ExprKind::Not(operand()),
                (_, Gate::And(..) | Gate::Or(..) | Gate::Equal(..)) => {
                    let (b, a) = (operand(), operand());
                    let op = match gate {
                        Gate::And(..) => BinOp::And,
                        Gate::Or(..) => BinOp::Or,
                        _ => BinOp::Eq,
                    };
                    ExprKind::Binary(op, a, b)
                }
            };
            done.push(self.tree.add_expr(kind, Span::default()));
        }
        done.pop().expect("the root is done last")
    }

    /// `main`, where the initial condition holds.
    fn start(&mut self) {
        if !self.wrapped {
            return;
        }
        let program = self.program;
        let entry = program.entry;
        let mut body = Body {
            id: entry,
            taken: self.taken.clone(),
            locals: Vec::new(),
            spares: FxHashMap::default(),
            labels: FxHashMap::default(),
            taken_labels: Taken::default(),
            stmts: Vec::new(),
            pending: Vec::new(),
        };
        let params: Vec<BitOf> =
            self.params[entry].iter().flat_map(|&v| bits(program, v)).collect();
        let mut args = Vec::new();
        for (k, &bit) in params.iter().enumerate() {
            let symbol = self.spare(&mut body, Spare::Argument, k);
            self.vars.insert(bit, symbol);
            args.push(self.tree.add_expr(ExprKind::Var(symbol), Span::default()));
        }
        let mut gates = Gates::new();
        let condition = match blast_bool(program, program.init.condition, &mut gates) {
            Ok(condition) => condition,
            Err(never) => match never {},
        };
        let effect = Effect { gates, condition, updates: Vec::new() };
        self.effect_stmts(&mut body, &effect, &|_, bit| Place::Var(bit));
        let args = self.tree.add_exprs(args);
        let callee = name(self.procs[entry]);
        self.stmt(&mut body, StmtKind::Call { targets: List::EMPTY, callee, args });
        let main = self.tree.intern("main");
        self.finish(main, Vec::new(), body, 0);
    }
}

/// What is assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Var(BitOf),
    Spare(Spare, usize),
}

fn name(symbol: Symbol) -> Name {
    Name { symbol, span: Span::default() }
}

/// The bits of a variable: cell by cell, the least significant first.
fn bits(program: &Program, var: VarId) -> impl Iterator<Item = BitOf> + use<> {
    let ty = program.vars[var].ty;
    (0..ty.cells()).flat_map(move |cell| (0..ty.scalar.bits()).map(move |bit| (var, cell, bit)))
}
