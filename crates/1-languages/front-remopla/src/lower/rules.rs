//! Rules among modules: `p <y> --> q <y1 y2> (b)`.
//!
//! The statements of modules are rules themselves, all at the control location `q`; the symbol of a
//! statement is its label, that of a module's first statement also the module's name. A rule adds to
//! what can happen at its symbol. Symbols that are no labels are new, without local variables. Where
//! a rule stands matters in two ways: a new symbol has the locals of the module around it, and
//! control that comes to the place from the statement before it comes to the rule's symbol.
//! Variables that a rule's formula does not constrain are arbitrary afterwards.
//!
//! Control does not run from statements outside modules into a module, and a label of one module is
//! no target for the `goto` of another; rules can do both.

use ir::spds::{ControlId, FrameId, Head, Right, Spds, SymbolId};
use ir::{Id, NodeId, Program, Rel};
use rustc_hash::FxHashMap;
use source::suggest;
use syntax::Language;

use super::{Lowering, sorted};
use crate::error::{LowerError, LowerErrorKind};
use crate::print::rule_head_text;
use crate::tree::{Name, Stmt, StmtKind, Symbol};
use crate::values::RuleScope;

impl<'t> Lowering<'t> {
    /// The node of a rule: that of its symbol, new if it is no label.
    pub(super) fn rule_node(&mut self, number: usize, stmt: &Stmt, symbol: Name) -> NodeId {
        let known = self.label_owners.contains_key(&symbol.symbol)
            || self.module_names.contains_key(&symbol.symbol);
        if let Some(&node) = self.rule_nodes.get(&symbol.symbol) {
            let proc = self.modules[number].proc;
            if self.builder.proc_info(proc).nodes.contains(&(node.index() as u32)) {
                self.put_labels(stmt, node);
                return node;
            }
        } else if !known {
            let StmtKind::Rule(rule) = stmt.kind else { unreachable!("the caller has a rule") };
            let origin = self.origin(stmt.span, &rule_head_text(self.tree, &rule));
            let node = self.builder.statement(origin);
            self.builder.label(self.tree.text(symbol.symbol), node);
            self.put_labels(stmt, node);
            self.rule_nodes.insert(symbol.symbol, node);
            return node;
        }
        // The symbol has its place elsewhere. Whoever comes here is led there, if it is in the same
        // module: `with_rules` does that.
        let node = self.builder.silent();
        self.put_labels(stmt, node);
        self.detours.push((node, symbol, number));
        node
    }

    /// The node of a symbol that the modules have.
    fn symbol_node(&self, name: Symbol) -> Option<NodeId> {
        if let Some(&number) = self.label_owners.get(&name) {
            let (stmt, _) = self.modules[number].labels[&name];
            return Some(self.node(stmt));
        }
        if let Some(&number) = self.module_names.get(&name) {
            return self.modules[number].entry;
        }
        self.rule_nodes.get(&name).copied()
    }

    /// Adds edges from the places of rules to the symbols that they are about.
    pub(super) fn detours(&mut self) {
        for (from, symbol, number) in std::mem::take(&mut self.detours) {
            let proc = self.modules[number].proc;
            if let Some(to) = self.symbol_node(symbol.symbol)
                && self.builder.proc_info(proc).nodes.contains(&(to.index() as u32))
            {
                self.builder.silent_edge(from, to, Rel::identity());
            }
        }
    }

    /// A label on statements of two modules does not name one symbol.
    pub(super) fn unique_labels(&mut self) {
        if !self.is_mixed() {
            return;
        }
        let mut twice = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            for (&label, &(_, span)) in &module.labels {
                let owner = self.label_owners[&label];
                if owner != number {
                    let (_, first) = self.modules[owner].labels[&label];
                    twice.push((Name { symbol: label, span }, first));
                }
            }
        }
        twice.sort_by_key(|(name, _)| name.span);
        for (name, first) in twice {
            self.types.twice("stack symbol", name, first);
        }
    }

    /// The program with its rules, started with the stack.
    pub(super) fn with_rules(
        mut self,
        program: &Program,
        stack: &[Name],
    ) -> Result<Program, Vec<LowerError>> {
        let tree = self.tree;
        let mut spds = Spds::from_program(program);
        let nothing = spds.frame("", 0);
        let mut symbols = Symbols { made: FxHashMap::default(), nothing };
        let rules: Vec<_> = self
            .rules
            .iter()
            .filter_map(|&(_, id)| match tree.stmt(id).kind {
                StmtKind::Rule(rule) => Some((rule, tree.stmt(id).span)),
                _ => None,
            })
            .collect();
        // All control locations must be there before a long right side is split.
        let controls: Vec<(ControlId, ControlId)> = rules
            .iter()
            .map(|(rule, _)| {
                let mut control = |name: Name| spds.control(tree.text(name.symbol));
                (control(rule.from), control(rule.to))
            })
            .collect();
        for ((rule, span), (from, to)) in rules.into_iter().zip(controls) {
            let mut id = |name: Name| symbols.id(&self, &mut spds, name);
            let head = Head { control: from, symbol: id(rule.symbol) };
            let right: Vec<SymbolId> =
                tree.names(rule.stack).iter().map(|&name| id(name)).collect();
            let shape = match right[..] {
                [] => Right::Pop,
                [top] => Right::Step(top),
                [top, below, ..] => Right::Push(top, below),
            };
            let sides = [Some(head.symbol), shape.top(), shape.below()].map(|symbol| {
                let module = self.modules.get(spds.symbols[symbol?].frame.index())?;
                Some((&module.entities[..], &module.by_name))
            });
            let mut names = tree.names(rule.stack).iter().copied();
            let symbols = [Some(rule.symbol), names.next(), names.next()];
            let globals = (&self.globals[..], &self.global_names);
            let scope = RuleScope { globals, sides, symbols };
            let formula = scope.formula(&mut self.types, &mut spds.exprs, rule.formula);
            let at = self.file.position(span.start);
            let origin = spds.origin(0, at.line, at.column, &rule_head_text(tree, &rule));
            let rel = spds.formula(head, shape, formula);
            spds.long_rule(head, to, &right, rel, origin);
        }
        spds.start.stack.clear();
        for &name in stack {
            match self
                .symbol_node(name.symbol)
                .map(symbol_of)
                .or(symbols.made.get(&name.symbol).copied())
            {
                Some(symbol) => spds.start.stack.push(symbol),
                None => {
                    let error = self.no_start(name);
                    self.types.errors.push(error);
                }
            }
        }
        if !self.types.errors.is_empty() {
            return Err(sorted(self.types.errors));
        }
        Ok(spds.to_program())
    }

    fn no_start(&self, name: Name) -> LowerError {
        let tree = self.tree;
        let mut known: Vec<Symbol> =
            self.module_names.keys().chain(self.label_owners.keys()).copied().collect();
        known.sort_unstable();
        let texts = || known.iter().map(|&symbol| tree.text(symbol));
        let kind = LowerErrorKind::NoEntry {
            what: "label",
            name: self.types.text(name.symbol),
            nearest: suggest(tree.text(name.symbol), texts()).map(str::to_string),
            known: texts().take(10).map(str::to_string).collect(),
        };
        LowerError { kind, span: Some(name.span), language: Language::Remopla }
    }
}

/// The symbols of a system made from the modules: those of nodes, and those that only rules name.
struct Symbols {
    made: FxHashMap<Symbol, SymbolId>,
    nothing: FrameId,
}

fn symbol_of(node: NodeId) -> SymbolId {
    SymbolId::new(node.index())
}

impl Symbols {
    fn id(&mut self, lowering: &Lowering<'_>, spds: &mut Spds, name: Name) -> SymbolId {
        if let Some(node) = lowering.symbol_node(name.symbol) {
            return symbol_of(node);
        }
        let tree = lowering.tree;
        *self.made.entry(name.symbol).or_insert_with(|| {
            let at = lowering.file.position(name.span.start);
            let text = tree.text(name.symbol);
            let origin = spds.origin(0, at.line, at.column, text);
            spds.new_symbol(text, self.nothing, origin)
        })
    }
}
