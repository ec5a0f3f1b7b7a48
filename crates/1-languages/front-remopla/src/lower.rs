//! Tree → program model.
//!
//! One node for each statement, numbered in the order of the text; an `if` or `do` is one node with
//! an edge for each branch, so that a run takes one step to choose. A silent node ends each module;
//! a module that returns a value and comes to its end without `return` has no successor, as in
//! Moped. A module's name is a label of its first statement, unless some statement has that label.
//!
//! **Modules alone** become procedures directly. **Rules**, statements outside modules, and a start
//! with several stack symbols speak of the stack itself (`lower/rules.rs`): the modules are turned
//! into a pushdown system, with `q` as its control location and labels as its symbols, the rules are
//! added, and the whole becomes a program again.
//!
//! **Assertions.** The language has none; but a statement `skip(false)` with a label
//! `assertion_failed`, which may have a number behind it, is one that fails. So programs with
//! assertions can be written in it (`from_program.rs`).
//!
//! **Enumerations.** An arbitrary value of one (uninitialised, or `undef`) is one of its members.

mod assign;
mod rules;

use ir::{BinaryOp, Exprs, Init, NodeId, Origin, ProcId, ProgramBuilder, Rel, Time, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{SourceFile, Span, suggest};
use std::rc::Rc;
use syntax::{Language, LowerOptions};

use crate::error::{LowerError, LowerErrorKind};
use crate::print::stmt_text;
use crate::raise::is_failure;
use crate::tree::{
    Branch, ExprKind, Item, List, Module, Name, Stmt, StmtId, StmtKind, Symbol, Tree, TypeName,
};
use crate::types::{Entity, Leaf, Shape, Types};
use crate::values::{Found, Scope, Values, read};

/// The program that a tree, read from `file`, describes; or everything that is wrong with it. If no
/// entry is given, it starts at what `init` says, else at the module `main`, else at the first one.
pub fn lower(
    tree: &Tree,
    file: &SourceFile,
    options: &LowerOptions,
) -> Result<ir::Program, Vec<LowerError>> {
    let outside: Vec<StmtId> = tree
        .items()
        .iter()
        .filter_map(|item| match item {
            Item::Stmt(stmt) => Some(*stmt),
            _ => None,
        })
        .collect();
    let mut lowering = Lowering::new(tree, file);
    lowering.declarations();
    lowering.outside(&outside);
    let start = lowering.start(options);
    lowering.labels();
    for number in 0..lowering.modules.len() {
        lowering.nodes(number);
    }
    for number in 0..lowering.modules.len() {
        lowering.edges(number);
    }
    lowering.detours();
    lowering.unique_labels();
    lowering.check_areas();
    let start = match start {
        Ok(start) => start,
        Err(error) => {
            lowering.types.errors.push(error);
            Start { entry: 0, stack: Vec::new(), named: false }
        }
    };
    lowering.program(start)
}

/// Where a program starts.
struct Start {
    /// The module, if the start is one.
    entry: usize,
    /// Labels, topmost first.
    stack: Vec<Name>,
    /// The stack is a single module.
    named: bool,
}

/// A module while it is lowered. Statements outside modules are those of a module of their own.
struct Scoped<'t> {
    module: Option<&'t Module>,
    text: &'t str,
    span: Span,
    body: &'t [StmtId],
    proc: ProcId,
    /// Parameters, then locals.
    entities: Rc<[Entity]>,
    params: usize,
    /// Parts of locals whose arbitrary values their bits do not tell.
    limited: Rc<[Leaf]>,
    result: Option<Rc<Entity>>,
    by_name: FxHashMap<Symbol, usize>,
    /// Labels with the statements that carry them.
    labels: FxHashMap<Symbol, (StmtId, Span)>,
    exit: Option<NodeId>,
    entry: Option<NodeId>,
}

/// The variables that a statement sees.
struct Statement<'s> {
    globals: &'s [Entity],
    global_names: &'s FxHashMap<Symbol, usize>,
    entities: &'s [Entity],
    by_name: &'s FxHashMap<Symbol, usize>,
    /// `x'` is the value after the step.
    primes: bool,
}

impl Scope for Statement<'_> {
    fn find(&self, types: &Types<'_>, name: Symbol, primes: u8) -> Found<'_> {
        let time = match primes {
            0 => Time::Pre,
            1 if self.primes => Time::Post,
            _ => return Found::Wrong(LowerErrorKind::Prime { name: types.text(name) }),
        };
        if let Some(&i) = self.by_name.get(&name) {
            Found::Entity(time, &self.entities[i])
        } else if let Some(&i) = self.global_names.get(&name) {
            Found::Entity(time, &self.globals[i])
        } else {
            Found::Nothing
        }
    }

    fn known(&self) -> Vec<Symbol> {
        self.by_name.keys().chain(self.global_names.keys()).copied().collect()
    }
}

struct Lowering<'t> {
    tree: &'t Tree,
    file: &'t SourceFile,
    types: Types<'t>,
    builder: ProgramBuilder,
    globals: Vec<Entity>,
    global_names: FxHashMap<Symbol, usize>,
    modules: Vec<Scoped<'t>>,
    module_names: FxHashMap<Symbol, usize>,
    /// By statement: its first node.
    stmt_nodes: Vec<Option<NodeId>>,
    init: Option<(List<Name>, Span)>,
    /// By label: the module that has it.
    label_owners: FxHashMap<Symbol, usize>,
    /// The rules with the module that they stand in.
    rules: Vec<(usize, StmtId)>,
    /// By symbol: the node that a rule's left side made.
    rule_nodes: FxHashMap<Symbol, NodeId>,
    /// Places of rules whose symbols stand elsewhere, with their modules.
    detours: Vec<(NodeId, Name, usize)>,
    /// There are statements outside modules.
    outside: bool,
}

impl<'t> Lowering<'t> {
    fn new(tree: &'t Tree, file: &'t SourceFile) -> Lowering<'t> {
        Lowering {
            tree,
            file,
            types: Types::new(tree, Language::Remopla),
            builder: ProgramBuilder::new(),
            globals: Vec::new(),
            global_names: FxHashMap::default(),
            modules: Vec::new(),
            module_names: FxHashMap::default(),
            stmt_nodes: vec![None; tree.stmt_count()],
            init: None,
            label_owners: FxHashMap::default(),
            rules: Vec::new(),
            rule_nodes: FxHashMap::default(),
            detours: Vec::new(),
            outside: false,
        }
    }

    fn origin(&mut self, span: Span, text: &str) -> Origin {
        let at = self.file.position(span.start);
        self.builder.origin(0, at.line, at.column, text)
    }

    // Declarations.

    fn declarations(&mut self) {
        self.builder.file(self.file.name());
        let tree = self.tree;
        let mut announced: Vec<&Module> = Vec::new();
        for item in tree.items() {
            match item {
                Item::Define(name, value) => {
                    if let Some(name) = name
                        && let Some(&i) = self.global_names.get(&name.symbol)
                    {
                        self.types.twice("constant", *name, self.globals[i].name.span);
                    }
                    self.types.define(*name, *value);
                }
                Item::Decl(decl) => {
                    for (name, shape) in self.types.declared(decl) {
                        self.global(name, shape);
                    }
                }
                Item::Init(names) => {
                    let span = tree.names(*names).first().map_or(Span::default(), |n| n.span);
                    match self.init {
                        Some((_, first)) => {
                            self.types.error(LowerErrorKind::SecondStart { first }, span);
                        }
                        None => self.init = Some((*names, span)),
                    }
                }
                Item::Module(module) if module.body.is_none() => announced.push(module),
                Item::Module(module) => self.module(module),
                Item::Stmt(_) => {}
            }
        }
        for module in announced {
            self.announcement(module);
        }
    }

    fn global(&mut self, name: Name, shape: Shape) {
        if let Some(&i) = self.global_names.get(&name.symbol) {
            self.types.twice("global variable", name, self.globals[i].name.span);
            return;
        }
        if let Some(first) = self.types.constant_span(name.symbol) {
            self.types.twice("global variable", name, first);
        }
        let origin = self.origin(name.span, self.tree.text(name.symbol));
        let builder = &mut self.builder;
        let entity = self.types.entity(name, shape, |text, ty| builder.global(text, ty, origin));
        self.global_names.insert(name.symbol, self.globals.len());
        self.globals.push(entity);
    }

    fn module(&mut self, module: &'t Module) {
        let tree = self.tree;
        let name = module.name;
        if let Some(&first) = self.module_names.get(&name.symbol) {
            self.types.twice("module", name, self.modules[first].span);
        } else {
            self.module_names.insert(name.symbol, self.modules.len());
        }
        let origin = self.origin(module.span, tree.text(name.symbol));
        let proc = self.builder.proc(tree.text(name.symbol), origin);
        let mut entities: Vec<Entity> = Vec::new();
        let mut by_name: FxHashMap<Symbol, usize> = FxHashMap::default();
        let mut params = 0;
        for (list, is_param) in [(module.params, true), (module.locals, false)] {
            for decl in tree.list(list) {
                for (name, shape) in self.types.declared(decl) {
                    if let Some(&i) = by_name.get(&name.symbol) {
                        let what = if is_param { "parameter" } else { "local variable" };
                        self.types.twice(what, name, entities[i].name.span);
                        continue;
                    }
                    let origin = self.origin(name.span, tree.text(name.symbol));
                    let builder = &mut self.builder;
                    let entity = self.types.entity(name, shape, |text, ty| match is_param {
                        true => builder.param(proc, text, ty, origin),
                        false => builder.local(proc, text, ty, origin),
                    });
                    by_name.insert(name.symbol, entities.len());
                    entities.push(entity);
                }
            }
            if is_param {
                params = entities.len();
                // A parameter whose type is wrong would shift the others: one error is enough.
                debug_assert!(params == module.params.len() || !self.types.errors.is_empty());
            }
        }
        let returned = self.types.returned(module.returns, module.dims, module.bits, name);
        let result = returned.flatten().map(|shape| {
            let builder = &mut self.builder;
            let mut part = 0;
            self.types.entity(name, shape, |_, ty| {
                part += 1;
                let text = if part == 1 { "return".into() } else { format!("return.{part}") };
                builder.result(proc, &text, ty)
            })
        });
        self.modules.push(Scoped {
            module: Some(module),
            text: tree.text(name.symbol),
            span: module.span,
            body: tree.block(module.body.unwrap_or(List::EMPTY)),
            proc,
            limited: entities[params..]
                .iter()
                .flat_map(|entity| &entity.leaves)
                .filter(|leaf| leaf.cell.limit().is_some())
                .cloned()
                .collect(),
            entities: entities.into(),
            params,
            result: result.map(Rc::new),
            by_name,
            labels: FxHashMap::default(),
            exit: None,
            entry: None,
        });
    }

    /// An announcement must have a module of the same type.
    fn announcement(&mut self, announced: &'t Module) {
        let tree = self.tree;
        let mut shapes = Vec::new();
        for decl in tree.list(announced.params) {
            shapes.extend(self.types.declared(decl).into_iter().map(|(_, shape)| shape));
        }
        let name = announced.name;
        let (ty, dims, bits) = (announced.returns, announced.dims, announced.bits);
        let result = self.types.returned(ty, dims, bits, name);
        let Some(&number) = self.module_names.get(&name.symbol) else {
            let text = self.types.text(name.symbol);
            self.types.error(LowerErrorKind::NoBody(text), name.span);
            return;
        };
        let module = &self.modules[number];
        let params = module.entities[..module.params].iter().map(|entity| &entity.shape);
        let same = result.is_some_and(|shape| {
            shape.as_ref() == module.result.as_ref().map(|entity| &entity.shape)
        });
        if !same || !params.eq(&shapes) {
            let (text, place) = (self.types.text(name.symbol), module.span);
            let kind = LowerErrorKind::Announcement { name: text, first: name.span };
            self.types.error(kind, place);
        }
    }

    /// Statements outside modules are those of a module without variables, which no one calls.
    fn outside(&mut self, stmts: &'t [StmtId]) {
        let tree = self.tree;
        let Some(&first) = stmts.first() else { return };
        let first = tree.stmt(first);
        let name = match (tree.names(first.labels).first(), first.kind) {
            (Some(label), _) => Some(label.symbol),
            (None, StmtKind::Rule(rule)) => Some(rule.symbol.symbol),
            (None, _) => None,
        };
        let text = name.map_or("outside", |name| tree.text(name));
        let origin = self.origin(first.span, text);
        let proc = self.builder.proc(text, origin);
        self.outside = true;
        self.modules.push(Scoped {
            module: None,
            text,
            span: first.span,
            body: stmts,
            proc,
            entities: Rc::default(),
            params: 0,
            limited: Rc::default(),
            result: None,
            by_name: FxHashMap::default(),
            labels: FxHashMap::default(),
            exit: None,
            entry: None,
        });
    }

    /// Bits are numbered with 24 bits, in each procedure and, where rules mix them, in all.
    fn check_areas(&mut self) {
        let bits = |entities: &[Entity]| -> u64 {
            let leaves = entities.iter().flat_map(|entity| &entity.leaves);
            leaves.map(|leaf| leaf.ty().cells() as u64 * leaf.ty().scalar.bits() as u64).sum()
        };
        let mut areas = vec![("global variables", None, bits(&self.globals))];
        let mut all = areas[0].2;
        for module in &self.modules {
            let span = Some(module.span);
            let result = module.result.as_ref().map_or(0, |r| bits(std::slice::from_ref(&**r)));
            areas.push(("the variables of a module", span, bits(&module.entities)));
            areas.push(("the results of a module", span, result));
            all += areas[areas.len() - 2].2 + result;
        }
        if self.is_mixed() {
            areas.push(("all variables", None, all));
        }
        for (what, span, bits) in areas {
            if bits > ir::MAX_AREA {
                let (kind, language) = (LowerErrorKind::TooManyBits { what }, Language::Remopla);
                self.types.errors.push(LowerError { kind, span, language });
            }
        }
    }

    /// The program speaks of the stack.
    fn is_mixed(&self) -> bool {
        self.outside || !self.rules.is_empty()
    }

    // The start.

    fn start(&mut self, options: &LowerOptions) -> Result<Start, LowerError> {
        /// Names that an error lists.
        const SHOWN: usize = 10;
        let tree = self.tree;
        let stack: Vec<Name> = match (&options.entry, self.init) {
            (None, Some((names, _))) if !self.modules.is_empty() => tree.names(names).to_vec(),
            (entry, _) => {
                let wanted = match entry {
                    Some(entry) => entry.as_str(),
                    None => "main",
                };
                let modules = || self.modules.iter().filter_map(|m| m.module.map(|m| m.name));
                let found = modules().find(|name| tree.text(name.symbol) == wanted);
                let first = if entry.is_none() { modules().next() } else { None };
                match found.or(first) {
                    Some(name) => vec![name],
                    None => {
                        let names = || modules().map(|name| tree.text(name.symbol));
                        let mut known: Vec<String> =
                            names().take(SHOWN).map(str::to_string).collect();
                        if names().count() > SHOWN {
                            known.push("…".into());
                        }
                        let nearest = suggest(wanted, names()).map(str::to_string);
                        let name = wanted.to_string();
                        let kind = LowerErrorKind::NoEntry { what: "module", name, nearest, known };
                        return Err(LowerError { kind, span: None, language: Language::Remopla });
                    }
                }
            }
        };
        let entry = match stack[..] {
            [only] => self.module_names.get(&only.symbol).copied(),
            _ => None,
        };
        Ok(Start { entry: entry.unwrap_or(0), stack, named: entry.is_some() })
    }

    // Labels and nodes.

    /// Finds the labels of each module, and the rules.
    fn labels(&mut self) {
        let tree = self.tree;
        for number in 0..self.modules.len() {
            let mut work: Vec<StmtId> = Vec::new();
            work.extend(self.modules[number].body.iter().rev());
            while let Some(id) = work.pop() {
                let stmt = tree.stmt(id);
                for label in tree.names(stmt.labels) {
                    match self.modules[number].labels.get(&label.symbol) {
                        Some(&(other, first)) if other != id => {
                            let name = self.types.text(label.symbol);
                            let kind = LowerErrorKind::LabelTwice { name, first };
                            self.types.error(kind, label.span);
                        }
                        _ => {
                            self.modules[number].labels.insert(label.symbol, (id, label.span));
                            self.label_owners.entry(label.symbol).or_insert(number);
                        }
                    }
                }
                match stmt.kind {
                    StmtKind::Rule(_) => self.rules.push((number, id)),
                    StmtKind::If(branches) | StmtKind::Do(branches) => {
                        for branch in tree.list(branches).iter().rev() {
                            work.extend(tree.block(branch.body).iter().rev());
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A node for each statement of a module, in the order of the text.
    fn nodes(&mut self, number: usize) {
        let tree = self.tree;
        self.builder.begin_proc(self.modules[number].proc);
        let body = self.modules[number].body;
        let mut work: Vec<StmtId> = body.iter().rev().copied().collect();
        let mut failures = Vec::new();
        while let Some(id) = work.pop() {
            let stmt = tree.stmt(id);
            match stmt.kind {
                StmtKind::Rule(rule) => {
                    self.stmt_nodes[id.index()] = Some(self.rule_node(number, stmt, rule.symbol));
                }
                _ => {
                    let origin = self.origin(stmt.span, &stmt_text(tree, stmt));
                    let node = self.builder.statement(origin);
                    self.stmt_nodes[id.index()] = Some(node);
                    self.put_labels(stmt, node);
                    if self.is_failure(stmt) {
                        failures.push(node);
                    }
                }
            }
            if let StmtKind::If(branches) | StmtKind::Do(branches) = stmt.kind {
                for branch in tree.list(branches).iter().rev() {
                    work.extend(tree.block(branch.body).iter().rev());
                }
            }
        }
        for node in failures {
            let error = self.builder.error_node();
            self.builder.step(node, error, Rel::identity());
        }
        let exit = self.builder.silent();
        let entry = self.head(body, exit);
        self.builder.entry(self.modules[number].proc, entry);
        if let Some(name) = self.modules[number].module.map(|module| module.name.symbol)
            && entry != exit
            && !self.label_owners.contains_key(&name)
            && !self.rule_nodes.contains_key(&name)
        {
            self.builder.label(tree.text(name), entry);
        }
        (self.modules[number].exit, self.modules[number].entry) = (Some(exit), Some(entry));
    }

    /// Whether this is where an assertion fails: `assertion_failed: skip(false);`.
    fn is_failure(&self, stmt: &Stmt) -> bool {
        let tree = self.tree;
        let StmtKind::Skip(Some(condition)) = stmt.kind else { return false };
        matches!(tree.expr(condition).kind, ExprKind::Bool(false))
            && tree.names(stmt.labels).iter().any(|label| is_failure(tree.text(label.symbol)))
    }

    fn put_labels(&mut self, stmt: &Stmt, node: NodeId) {
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        for label in self.tree.names(stmt.labels) {
            // One label may stand twice before a statement.
            if seen.insert(label.symbol) {
                self.builder.label(self.tree.text(label.symbol), node);
            }
        }
    }

    fn node(&self, stmt: StmtId) -> NodeId {
        self.stmt_nodes[stmt.index()].expect("`nodes` has visited every statement")
    }

    /// Where a block begins; `after` if it is empty.
    fn head(&self, block: &[StmtId], after: NodeId) -> NodeId {
        block.first().map_or(after, |&stmt| self.node(stmt))
    }

    // Edges.

    fn edges(&mut self, number: usize) {
        let tree = self.tree;
        let exit = self.modules[number].exit.expect("`nodes` has visited every module");
        let is_void = |module: &Module| matches!(module.returns, TypeName::Void);
        if self.modules[number].module.is_some_and(is_void) {
            self.builder.ret(exit, Rel::identity(), false);
        }
        // Block, what follows it, and what follows the innermost `do` around it.
        let mut blocks = vec![(self.modules[number].body, exit, None)];
        while let Some((stmts, after, end)) = blocks.pop() {
            for (i, &id) in stmts.iter().enumerate() {
                let next = stmts.get(i + 1).map_or(after, |&stmt| self.node(stmt));
                let node = self.node(id);
                let stmt = tree.stmt(id);
                match stmt.kind {
                    StmtKind::If(branches) => {
                        self.branches(number, node, branches, next);
                        let bodies = tree.list(branches).iter();
                        blocks.extend(bodies.map(|branch| (tree.block(branch.body), next, end)));
                    }
                    StmtKind::Do(branches) => {
                        self.branches(number, node, branches, node);
                        let bodies = tree.list(branches).iter();
                        blocks.extend(
                            bodies.map(|branch| (tree.block(branch.body), node, Some(next))),
                        );
                    }
                    StmtKind::Break => match end {
                        Some(end) => self.step(node, end, Rel::identity()),
                        None => self.types.error(LowerErrorKind::BreakOutside, stmt.span),
                    },
                    _ => self.simple(number, stmt, node, next),
                }
            }
        }
    }

    fn step(&mut self, from: NodeId, to: NodeId, rel: Rel) {
        if rel.guard != Exprs::FALSE && rel.constraint != Exprs::FALSE {
            self.builder.step(from, to, rel);
        }
    }

    /// A step for each branch; `else` where no other guard holds.
    fn branches(&mut self, number: usize, node: NodeId, list: List<Branch>, after: NodeId) {
        let tree = self.tree;
        let mut none = Exprs::TRUE;
        let mut otherwise = None;
        for branch in tree.list(list) {
            let body = self.head(tree.block(branch.body), after);
            let Some(guard) = branch.guard else {
                otherwise = Some(body);
                continue;
            };
            let guard = self.values(number, false, |values| values.condition(guard));
            let not = self.builder.exprs.not(guard);
            none = self.builder.exprs.and(none, not);
            self.step(node, body, Rel::guarded(guard, 0));
        }
        if let Some(body) = otherwise {
            self.step(node, body, Rel::guarded(none, 0));
        }
    }

    /// What `run` makes of expressions in the scope of a module.
    fn values<R>(
        &mut self,
        number: usize,
        primes: bool,
        run: impl FnOnce(&mut Values<'_, 't>) -> R,
    ) -> R {
        let module = &self.modules[number];
        let scope = Statement {
            globals: &self.globals,
            global_names: &self.global_names,
            entities: &module.entities,
            by_name: &module.by_name,
            primes,
        };
        run(&mut Values::new(&mut self.types, &mut self.builder.exprs, &scope))
    }

    fn simple(&mut self, number: usize, stmt: &'t Stmt, node: NodeId, next: NodeId) {
        match stmt.kind {
            StmtKind::Assign(list) => {
                let rel = self.parallel(number, list);
                self.step(node, next, rel);
            }
            StmtKind::Goto(label, list) => {
                let rel = self.parallel(number, list);
                if let Some(target) = self.target(number, label) {
                    self.step(node, target, rel);
                }
            }
            StmtKind::Skip(condition) => {
                let rel = match condition {
                    Some(condition) => self.constrained(number, condition),
                    None => Rel::identity(),
                };
                self.step(node, next, rel);
            }
            StmtKind::Return(value) => self.ret(number, stmt, node, value),
            StmtKind::Call { target, callee, args, assigns } => {
                self.call(number, stmt, node, next, (target, callee, args, assigns));
            }
            // Rules are added when all symbols are known.
            StmtKind::Rule(_) => {}
            StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Break => {
                unreachable!("`edges` sees to these")
            }
        }
    }

    /// The node of a label of the module, or of its name.
    fn target(&mut self, number: usize, label: Name) -> Option<NodeId> {
        let module = &self.modules[number];
        if let Some(&(stmt, _)) = module.labels.get(&label.symbol) {
            return Some(self.node(stmt));
        }
        if module.module.is_some_and(|module| module.name.symbol == label.symbol) {
            return module.entry;
        }
        let nearest = self.types.nearest(label.symbol, module.labels.keys().copied());
        let name = self.types.text(label.symbol);
        let kind = LowerErrorKind::UnknownLabel { name, module: module.text.to_string(), nearest };
        self.types.error(kind, label.span);
        None
    }

    // The whole.

    /// What holds of arbitrary values of enumerations: they are members.
    fn members(&mut self, leaves: &[Leaf], time: Time) -> ir::ExprId {
        members(&mut self.builder.exprs, leaves.iter(), time)
    }

    fn program(mut self, start: Start) -> Result<ir::Program, Vec<LowerError>> {
        let mixed = self.is_mixed() || !start.named;
        let mut condition = Exprs::TRUE;
        let leaves: Vec<Leaf> = self.globals.iter().flat_map(|e| e.leaves.clone()).collect();
        let of_globals = self.members(&leaves, Time::Pre);
        condition = self.builder.exprs.and(condition, of_globals);
        if start.named {
            let entities = self.modules[start.entry].entities.iter();
            let leaves: Vec<Leaf> = entities.flat_map(|e| e.leaves.clone()).collect();
            let of_locals = self.members(&leaves, Time::Pre);
            condition = self.builder.exprs.and(condition, of_locals);
        }
        let init = Init { condition, choices: 0 };
        if self.modules.is_empty() {
            return Err(self.types.errors);
        }
        let entry = self.modules[start.entry].proc;
        if !self.types.errors.is_empty() {
            return Err(sorted(self.types.errors));
        }
        if !mixed {
            // Conditions about the program may use its names for numbers.
            let mut constants: Vec<Symbol> = self.types.constants().collect();
            constants.sort_unstable_by_key(|&symbol| self.types.constant_span(symbol));
            for symbol in constants {
                if let Some(value) = self.types.constant_named(symbol) {
                    self.builder.constant(self.tree.text(symbol), value, None);
                }
            }
            return Ok(self.builder.finish(entry, init));
        }
        let program = std::mem::take(&mut self.builder).finish(entry, init);
        self.with_rules(&program, &start.stack)
    }
}

fn sorted(mut errors: Vec<LowerError>) -> Vec<LowerError> {
    errors.sort_by_key(|error| error.span);
    errors
}

/// What holds of arbitrary values of enumerations: they are members.
pub(crate) fn members<'l>(
    exprs: &mut Exprs,
    leaves: impl Iterator<Item = &'l Leaf>,
    time: Time,
) -> ir::ExprId {
    let mut all = Exprs::TRUE;
    for leaf in leaves {
        let Some(limit) = leaf.cell.limit() else { continue };
        for index in cells(exprs, leaf) {
            let member = member(exprs, time, leaf.var, index, limit);
            all = exprs.and(all, member);
        }
    }
    all
}

fn member(
    exprs: &mut Exprs,
    time: Time,
    var: VarId,
    index: Option<ir::ExprId>,
    limit: u32,
) -> ir::ExprId {
    let value = read(exprs, time, var, index);
    let limit = exprs.int(limit as i64);
    exprs.binary(BinaryOp::Lt, value, limit)
}

/// The indices of all cells; one `None` if it is no array.
pub(crate) fn cells(exprs: &mut Exprs, leaf: &Leaf) -> Vec<Option<ir::ExprId>> {
    match leaf.cells() {
        None => vec![None],
        Some(cells) => (0..cells).map(|i| Some(exprs.int(leaf.base() + i))).collect(),
    }
}
