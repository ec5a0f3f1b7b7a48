//! `Spds` → `Program`: the control location as a global, a procedure for each symbol that can be
//! put on top of another, a copy of a symbol in each procedure that can come to it.

use super::{Right, RuleId, Spds, SymbolId, import};
use crate::{
    Assign, BinaryOp, Call, Edge, EdgeKind, Expr, ExprId, Exprs, Id, IndexVec, Init, NodeId,
    Origin, ProcId, Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A procedure to be: the symbol it starts with, and those that it can come to.
struct Part {
    proc: ProcId,
    symbols: Vec<SymbolId>,
    nodes: FxHashMap<SymbolId, NodeId>,
    vars: FxHashMap<VarId, VarId>,
}

impl Spds {
    /// The program that runs as the system does. Symbols that no rule leads to stand in procedures
    /// of their own, which nothing calls.
    pub fn to_program(&self) -> Program {
        self.converted(false).0
    }

    /// Likewise, with one procedure more that nothing calls: it has a copy of every symbol, and
    /// calls of itself that come back to each, but are never made. So every word over symbols is
    /// a stack of the program: one of frames of that procedure.
    pub fn to_program_with_stacks(&self) -> Program {
        self.converted(true).0
    }

    /// One of the two, and for each node of a symbol the locals of that symbol: those of its procedure can be
    /// locals of others.
    pub fn to_program_and_locals(&self, stacks: bool) -> (Program, FxHashMap<NodeId, Vec<VarId>>) {
        self.converted(stacks)
    }

    fn converted(&self, stacks: bool) -> (Program, FxHashMap<NodeId, Vec<VarId>>) {
        let mut conversion = Conversion::new(self);
        if stacks {
            let origin = conversion.builder.no_origin();
            conversion.stacks = Some((conversion.parts.len(), None));
            let proc = conversion.builder.proc("(stack)", origin);
            conversion.parts.push(Part {
                proc,
                symbols: self.symbols.ids().collect(),
                nodes: FxHashMap::default(),
                vars: FxHashMap::default(),
            });
        }
        conversion.parts();
        conversion.declare();
        conversion.bodies();
        let mut locals = FxHashMap::default();
        for part in &conversion.parts {
            for (&symbol, &node) in &part.nodes {
                let own = self.frames[self.symbols[symbol].frame].locals.iter();
                locals.insert(node, own.map(|local| part.vars[local]).collect());
            }
        }
        (conversion.finish(), locals)
    }
}

struct Conversion<'s> {
    spds: &'s Spds,
    builder: ProgramBuilder,
    by_symbol: IndexVec<SymbolId, Vec<RuleId>>,
    entries: FxHashMap<SymbolId, usize>,
    parts: Vec<Part>,
    globals: FxHashMap<VarId, VarId>,
    control: Option<VarId>,
    /// The part that makes every word a stack, and where its calls stand.
    stacks: Option<(usize, Option<NodeId>)>,
}

impl<'s> Conversion<'s> {
    fn new(spds: &'s Spds) -> Self {
        let mut by_symbol = IndexVec::filled(Vec::new(), spds.symbols.len());
        for (id, rule) in spds.rules.enumerate() {
            by_symbol[rule.from.symbol].push(id);
        }
        Conversion {
            spds,
            builder: ProgramBuilder::new(),
            by_symbol,
            entries: FxHashMap::default(),
            parts: Vec::new(),
            globals: FxHashMap::default(),
            control: None,
            stacks: None,
        }
    }

    fn origin(&mut self, origin: Origin) -> Origin {
        let text = self.builder.text(self.spds.text(origin.text));
        Origin { text, ..origin }
    }

    /// The part that starts with `symbol`.
    fn entry(&mut self, symbol: SymbolId) -> usize {
        if let Some(&part) = self.entries.get(&symbol) {
            return part;
        }
        let origin = self.origin(self.spds.symbols[symbol].origin);
        let proc = self.builder.proc(self.spds.symbol_name(symbol), origin);
        self.parts.push(Part {
            proc,
            symbols: vec![symbol],
            nodes: FxHashMap::default(),
            vars: FxHashMap::default(),
        });
        self.entries.insert(symbol, self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// Finds the parts and their symbols.
    fn parts(&mut self) {
        for &symbol in &self.spds.start.stack {
            self.entry(symbol);
        }
        let mut covered = IndexVec::<SymbolId, bool>::filled(false, self.spds.symbols.len());
        let mut done = 0;
        let mut rest = self.spds.symbols.ids();
        loop {
            while done < self.parts.len() {
                self.closure(done);
                for &symbol in &self.parts[done].symbols {
                    covered[symbol] = true;
                }
                done += 1;
            }
            match rest.find(|&symbol| !covered[symbol]) {
                Some(symbol) => _ = self.entry(symbol),
                None => return,
            }
        }
    }

    fn closure(&mut self, part: usize) {
        let mut symbols = std::mem::take(&mut self.parts[part].symbols);
        let mut seen: FxHashSet<SymbolId> = symbols.iter().copied().collect();
        let mut next = 0;
        while let Some(&symbol) = symbols.get(next) {
            next += 1;
            for i in 0..self.by_symbol[symbol].len() {
                let id = self.by_symbol[symbol][i];
                let to = match self.spds.rules[id].right {
                    Right::Pop => continue,
                    Right::Step(to) => to,
                    Right::Push(callee, back) => {
                        self.entry(callee);
                        back
                    }
                };
                if seen.insert(to) {
                    symbols.push(to);
                }
            }
        }
        self.parts[part].symbols = symbols;
    }

    /// Declares variables and nodes.
    fn declare(&mut self) {
        let spds = self.spds;
        for file in &spds.files {
            self.builder.file(file);
        }
        for &global in &spds.globals {
            let new = self.declare_var(global, None, false);
            self.globals.insert(global, new);
        }
        if spds.controls.len() > 1 {
            let taken = |name: &str| spds.vars.iter().any(|var| spds.text(var.name) == name);
            let mut name = "control".to_owned();
            while taken(&name) {
                name.push('_');
            }
            let bits = usize::BITS - (spds.controls.len() - 1).leading_zeros();
            let origin = self.builder.no_origin();
            let control = self.builder.global(&name, Type::int(bits), origin);
            for (id, &name) in spds.controls.enumerate() {
                self.builder.constant(spds.text(name), id.index() as i64, Some(control));
            }
            self.control = Some(control);
        }
        for part in 0..self.parts.len() {
            let proc = self.parts[part].proc;
            let mut vars = FxHashMap::default();
            let mut frames = Vec::new();
            for &symbol in &self.parts[part].symbols {
                let frame = spds.symbols[symbol].frame;
                if !frames.contains(&frame) {
                    frames.push(frame);
                }
            }
            for (i, &frame) in frames.iter().enumerate() {
                let frame = &spds.frames[frame];
                for (k, &local) in frame.locals.iter().enumerate() {
                    let param = i == 0 && k < frame.params;
                    vars.insert(local, self.declare_var(local, Some(proc), param));
                }
            }
            self.parts[part].vars = vars;
            self.builder.begin_proc(proc);
            for k in 0..self.parts[part].symbols.len() {
                let id = self.parts[part].symbols[k];
                let symbol = &spds.symbols[id];
                // A place with a label is come to before the run has failed.
                let told = symbol.error && !symbol.labels.is_empty();
                let node = if symbol.error && !told {
                    self.builder.error_node()
                } else if symbol.statement || told {
                    let origin = self.origin(symbol.origin);
                    self.builder.statement(origin)
                } else {
                    self.builder.silent()
                };
                for &label in &symbol.labels {
                    self.builder.label(spds.text(label), node);
                }
                if k == 0 {
                    self.builder.entry(proc, node);
                }
                if told {
                    let error = self.builder.error_node();
                    self.builder.step(node, error, Rel::identity());
                }
                self.parts[part].nodes.insert(id, node);
            }
            if let Some((_, hub)) = self.stacks.as_mut().filter(|stacks| stacks.0 == part) {
                *hub = Some(self.builder.silent());
            }
        }
    }

    fn declare_var(&mut self, id: VarId, proc: Option<ProcId>, param: bool) -> VarId {
        let var = &self.spds.vars[id];
        let name = self.spds.text(var.name);
        let origin = self.origin(var.origin);
        match proc {
            None if var.hidden => self.builder.hidden_global(name, var.ty),
            None => self.builder.global(name, var.ty, origin),
            Some(proc) if param => self.builder.param(proc, name, var.ty, origin),
            Some(proc) if var.hidden => self.builder.hidden_local(proc, name, var.ty),
            Some(proc) => self.builder.local(proc, name, var.ty, origin),
        }
    }

    fn bodies(&mut self) {
        for part in 0..self.parts.len() {
            for k in 0..self.parts[part].symbols.len() {
                let symbol = self.parts[part].symbols[k];
                for i in 0..self.by_symbol[symbol].len() {
                    let id = self.by_symbol[symbol][i];
                    self.rule(part, id);
                }
            }
            let Some((_, Some(source))) = self.stacks.filter(|stacks| stacks.0 == part) else {
                continue;
            };
            for symbol in self.spds.symbols.ids() {
                let Part { proc: callee, ref nodes, .. } = self.parts[part];
                let (ret, back) = (nodes[&symbol], Rel::identity());
                let enter = Rel::guarded(Exprs::FALSE, 0);
                let kind = EdgeKind::Call(Box::new(Call { callee, enter, ret, back }));
                let events = self.builder.no_events();
                self.builder.edge(Edge { source, kind, step: false, events, marks: 0 });
            }
        }
    }

    fn rule(&mut self, part: usize, id: RuleId) {
        let rule = &self.spds.rules[id];
        let callee = match rule.right {
            Right::Push(top, _) => self.entry(top),
            _ => part,
        };
        let mut rel = self.rel(&rule.rel, part, callee);
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        // Locals of another frame do not keep their value, as the frame rule of edges would have
        // it. The callee's are arbitrary there, too.
        let taking_place = match rule.right {
            Right::Pop => None,
            Right::Step(top) => Some((top, Time::Post)),
            Right::Push(_, below) => Some((below, Time::Saved)),
        };
        if let Some((symbol, time)) = taking_place.filter(|&(s, _)| !self.spds.keeps(rule.from, s))
        {
            let whole = assigns.iter().filter(|a| a.time == time && a.index.is_none());
            let assigned: FxHashSet<VarId> = whole.map(|a| a.var).collect();
            for &local in &self.spds.frames[self.spds.symbols[symbol].frame].locals {
                let var = self.parts[part].vars[&local];
                if !assigned.contains(&var) {
                    assigns.push(Assign { time, var, index: None, value: None });
                }
            }
        }
        if let Some(control) = self.control {
            let exprs = &mut self.builder.exprs;
            let (now, here) = (exprs.pre(control), exprs.int(rule.from.control.index() as i64));
            let at = exprs.binary(BinaryOp::Eq, now, here);
            rel.guard = exprs.and(at, rel.guard);
            if rule.to != rule.from.control {
                let value = Some(exprs.int(rule.to.index() as i64));
                assigns.push(Assign { time: Time::Post, var: control, index: None, value });
            }
        }
        rel.assigns = assigns.into();
        let nodes = &self.parts[part].nodes;
        let source = nodes[&rule.from.symbol];
        let kind = match rule.right {
            Right::Pop => EdgeKind::Return { rel },
            Right::Step(top) => EdgeKind::Local { target: nodes[&top], rel },
            Right::Push(_, below) => EdgeKind::Call(Box::new(Call {
                callee: self.parts[callee].proc,
                enter: rel,
                ret: nodes[&below],
                back: Rel::identity(),
            })),
        };
        let events: Vec<&str> =
            self.spds.events(rule.events).iter().map(|&event| self.spds.text(event)).collect();
        let events = self.builder.events(&events);
        self.builder.edge(Edge { source, kind, step: rule.step, events, marks: rule.marks });
    }

    fn rel(&mut self, rel: &Rel, part: usize, callee: usize) -> Rel {
        let mut memo = FxHashMap::default();
        let assigns: Vec<Assign> = rel
            .assigns
            .iter()
            .map(|assign| Assign {
                time: assign.time,
                var: self.names(part, callee).var(assign.time, assign.var),
                index: assign.index.map(|e| self.expr(e, part, callee, &mut memo)),
                value: assign.value.map(|e| self.expr(e, part, callee, &mut memo)),
            })
            .collect();
        Rel {
            guard: self.expr(rel.guard, part, callee, &mut memo),
            assigns: assigns.into(),
            constraint: self.expr(rel.constraint, part, callee, &mut memo),
            choices: rel.choices,
        }
    }

    fn expr(
        &mut self,
        root: ExprId,
        part: usize,
        callee: usize,
        memo: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        let (spds, globals) = (self.spds, &self.globals);
        let names = Names { spds, globals, here: &self.parts[part], callee: &self.parts[callee] };
        import(&spds.exprs, root, &mut self.builder.exprs, memo, |leaf| match leaf {
            Expr::Read(time, var) => Expr::Read(time, names.var(time, var)),
            Expr::Index(time, var, index) => Expr::Index(time, names.var(time, var), index),
            other => other,
        })
    }

    fn names(&self, part: usize, callee: usize) -> Names<'_> {
        let (spds, globals) = (self.spds, &self.globals);
        Names { spds, globals, here: &self.parts[part], callee: &self.parts[callee] }
    }

    fn finish(mut self) -> Program {
        let start = &self.spds.start;
        let first = self.entries[&start.stack[0]];
        let mut memo = FxHashMap::default();
        let mut condition = self.expr(start.init.condition, first, first, &mut memo);
        let mut choices = start.init.choices;
        let entry = if start.stack.len() == 1 {
            self.parts[first].proc
        } else {
            // A procedure that calls one symbol of the stack after the other. The condition speaks
            // of the first one's locals, which exist when it is entered.
            let origin = self.builder.no_origin();
            let proc = self.builder.proc("(start)", origin);
            self.builder.begin_proc(proc);
            let mut node = self.builder.silent();
            self.builder.entry(proc, node);
            for (i, symbol) in start.stack.iter().enumerate() {
                let mut enter = Rel::identity();
                if i == 0 {
                    enter.choices = choices;
                    enter.constraint = self.builder.exprs.map_leaves(condition, |exprs, leaf| {
                        let local =
                            |var: VarId| self.parts[first].vars.values().any(|&known| known == var);
                        match leaf {
                            Expr::Read(_, v) if local(v) => Some(exprs.post(v)),
                            Expr::Index(_, v, i) if local(v) => {
                                Some(exprs.add(Expr::Index(Time::Post, v, i)))
                            }
                            _ => None,
                        }
                    });
                    (condition, choices) = (Exprs::TRUE, 0);
                }
                let ret = self.builder.silent();
                let callee = self.parts[self.entries[symbol]].proc;
                let kind =
                    EdgeKind::Call(Box::new(Call { callee, enter, ret, back: Rel::identity() }));
                let events = self.builder.no_events();
                self.builder.edge(Edge { source: node, kind, step: false, events, marks: 0 });
                node = ret;
            }
            self.builder.ret(node, Rel::identity(), false);
            proc
        };
        if let Some(control) = self.control {
            let exprs = &mut self.builder.exprs;
            let (now, here) = (exprs.pre(control), exprs.int(start.control.index() as i64));
            let at = exprs.binary(BinaryOp::Eq, now, here);
            condition = exprs.and(condition, at);
        }
        self.builder.finish(entry, Init { condition, choices })
    }
}

/// What the variables of the system are called in a rule of `here` that enters `callee`, or stays.
struct Names<'c> {
    spds: &'c Spds,
    globals: &'c FxHashMap<VarId, VarId>,
    here: &'c Part,
    callee: &'c Part,
}

impl Names<'_> {
    fn var(&self, time: Time, var: VarId) -> VarId {
        match self.spds.vars[var].kind {
            VarKind::Global | VarKind::Result(_) => self.globals[&var],
            VarKind::Local(_) if time == Time::Post => self.callee.vars[&var],
            VarKind::Local(_) => self.here.vars[&var],
        }
    }
}
