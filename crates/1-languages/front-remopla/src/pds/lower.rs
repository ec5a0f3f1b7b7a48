//! Tree → pushdown system → program model.

use ir::Time;
use ir::spds::{FrameId, Head, Right, Spds, SymbolId};
use rustc_hash::FxHashMap;
use source::{SourceFile, Span, suggest};
use syntax::{Language, LowerOptions};

use super::tree::{Start, Tree};
use crate::error::{LowerError, LowerErrorKind};
use crate::lower::members;
use crate::print::rule_head_text;
use crate::raise::is_failure;
use crate::tree::{Decl, Item, Name, Symbol};
use crate::types::{Entity, Types};
use crate::values::RuleScope;

/// The program that runs as the system of a tree, read from `file`, does: see
/// [`ir::spds::Spds::to_program`]. Or everything that is wrong with it. An entry is the stack symbol
/// to start with, instead of the stack that the file names.
pub fn lower(
    tree: &Tree,
    file: &SourceFile,
    options: &LowerOptions,
) -> Result<ir::Program, Vec<LowerError>> {
    lower_spds(tree, file, options).map(|spds| spds.to_program())
}

/// The pushdown system that a tree, read from `file`, describes; or everything that is wrong with
/// it.
pub fn lower_spds(
    tree: &Tree,
    file: &SourceFile,
    options: &LowerOptions,
) -> Result<Spds, Vec<LowerError>> {
    lower_into(Lowering::new(tree, file), options)
}

/// Likewise, for questions about stacks, and only about which of them are reached: every symbol on
/// the right side of a rule and of the start has a place of its own on the stack, see
/// [`Spds::push_lowest_first`].
pub fn lower_for_stacks(
    tree: &Tree,
    file: &SourceFile,
    options: &LowerOptions,
) -> Result<Spds, Vec<LowerError>> {
    let mut lowering = Lowering::new(tree, file);
    lowering.spds.push_lowest_first();
    let mut spds = lower_into(lowering, options)?;
    spds.push_start();
    Ok(spds)
}

fn lower_into(mut lowering: Lowering<'_>, options: &LowerOptions) -> Result<Spds, Vec<LowerError>> {
    lowering.declarations();
    lowering.symbols();
    lowering.rules();
    lowering.start(options);
    if lowering.types.errors.is_empty() {
        return Ok(lowering.spds);
    }
    lowering.types.errors.sort_by_key(|error| error.span);
    Err(lowering.types.errors)
}

/// The variables of a section.
#[derive(Default)]
struct Scoped {
    entities: Vec<Entity>,
    by_name: FxHashMap<Symbol, usize>,
}

struct Lowering<'t> {
    tree: &'t Tree,
    file: &'t SourceFile,
    types: Types<'t>,
    spds: Spds,
    globals: Scoped,
    /// By frame.
    frames: Vec<Scoped>,
    /// By stack symbol: its section, and where it is named there.
    sections: FxHashMap<Symbol, (FrameId, Span)>,
    /// The frame of symbols without locals.
    nothing: FrameId,
    symbols: FxHashMap<Symbol, SymbolId>,
}

impl<'t> Lowering<'t> {
    fn new(tree: &'t Tree, file: &'t SourceFile) -> Lowering<'t> {
        let mut spds = Spds::new();
        spds.files.push(file.name().to_owned());
        let nothing = spds.frame("", 0);
        Lowering {
            tree,
            file,
            types: Types::new(&tree.syntax, Language::Pds),
            spds,
            globals: Scoped::default(),
            frames: vec![Scoped::default()],
            sections: FxHashMap::default(),
            nothing,
            symbols: FxHashMap::default(),
        }
    }

    fn text(&self, name: Name) -> &'t str {
        self.tree.syntax.text(name.symbol)
    }

    fn declarations(&mut self) {
        let tree = self.tree;
        for item in tree.syntax.items() {
            if let Item::Define(name, value) = item {
                self.types.define(*name, *value);
            }
        }
        self.globals = self.section(&tree.globals, None);
        for locals in &tree.locals {
            let symbols = tree.syntax.names(locals.symbols);
            let name = symbols.first().map_or("", |&name| self.text(name));
            let frame = self.spds.frame(name, 0);
            let scoped = self.section(&locals.decls, Some(frame));
            self.frames.push(scoped);
            for &symbol in symbols {
                match self.sections.get(&symbol.symbol) {
                    Some(&(_, first)) => {
                        let name = self.types.text(symbol.symbol);
                        let kind = LowerErrorKind::SecondFrame { name, first };
                        self.types.error(kind, symbol.span);
                    }
                    None => _ = self.sections.insert(symbol.symbol, (frame, symbol.span)),
                }
            }
        }
        // All of them may come together in one procedure.
        let all = self.frames.iter().chain([&self.globals]).flat_map(|scoped| &scoped.entities);
        let leaves = all.flat_map(|entity| &entity.leaves);
        let bits: u64 =
            leaves.map(|leaf| leaf.ty().cells() as u64 * leaf.ty().scalar.bits() as u64).sum();
        if bits > ir::MAX_AREA {
            let kind = LowerErrorKind::TooManyBits { what: "all variables" };
            self.types.errors.push(LowerError { kind, span: None, language: Language::Pds });
        }
    }

    fn section(&mut self, decls: &'t [Decl], frame: Option<FrameId>) -> Scoped {
        let mut out = Scoped::default();
        for decl in decls {
            for (name, shape) in self.types.declared(decl) {
                if let Some(&i) = out.by_name.get(&name.symbol) {
                    self.types.twice("variable", name, out.entities[i].name.span);
                    continue;
                }
                if let Some(first) = self.types.constant_span(name.symbol) {
                    self.types.twice("variable", name, first);
                }
                let at = self.file.position(name.span.start);
                let origin = self.spds.origin(0, at.line, at.column, self.text(name));
                let spds = &mut self.spds;
                let entity = self.types.entity(name, shape, |text, ty| match frame {
                    None => spds.global(text, ty, origin),
                    Some(frame) => spds.local(frame, text, ty, origin),
                });
                out.by_name.insert(name.symbol, out.entities.len());
                out.entities.push(entity);
            }
        }
        out
    }

    /// Control locations and stack symbols in the order of the text. A symbol's place is that of
    /// its first rule, its text that rule if there is no other.
    fn symbols(&mut self) {
        let tree = self.tree;
        let mut rules: FxHashMap<Symbol, (usize, usize)> = FxHashMap::default();
        for (i, rule) in tree.rules.iter().enumerate() {
            rules.entry(rule.rule.symbol.symbol).or_insert((i, 0)).1 += 1;
        }
        for start in &tree.starts {
            self.spds.control(tree.syntax.text(start.control.symbol));
            for &name in tree.syntax.names(start.stack) {
                self.symbol(name, &rules);
            }
        }
        for rule in &tree.rules {
            for control in [rule.rule.from, rule.rule.to] {
                self.spds.control(tree.syntax.text(control.symbol));
            }
            self.symbol(rule.rule.symbol, &rules);
            for &name in tree.syntax.names(rule.rule.stack) {
                self.symbol(name, &rules);
            }
        }
    }

    fn symbol(&mut self, name: Name, rules: &FxHashMap<Symbol, (usize, usize)>) {
        if self.symbols.contains_key(&name.symbol) {
            return;
        }
        let syntax = &self.tree.syntax;
        let text = self.text(name);
        let (span, shown) = match rules.get(&name.symbol) {
            Some(&(first, count)) => {
                let rule = &self.tree.rules[first];
                // The rules of a symbol may be for different control locations.
                let shown = match count {
                    1 => rule_head_text(syntax, &rule.rule),
                    _ => format!("<{text}>"),
                };
                (rule.span, shown)
            }
            None => (name.span, text.to_string()),
        };
        let at = self.file.position(span.start);
        let origin = self.spds.origin(0, at.line, at.column, &shown);
        let frame = self.sections.get(&name.symbol).map_or(self.nothing, |&(frame, _)| frame);
        let id = self.spds.symbol(text, frame, origin);
        // Nothing goes on there, and its name tells why.
        self.spds.symbols[id].error = !rules.contains_key(&name.symbol) && is_failure(text);
        self.symbols.insert(name.symbol, id);
    }

    fn rules(&mut self) {
        let syntax = &self.tree.syntax;
        for rule in &self.tree.rules {
            let (place, rule) = (rule.span, rule.rule);
            let control = |spds: &mut Spds, name: Name| spds.control(syntax.text(name.symbol));
            let from = control(&mut self.spds, rule.from);
            let to = control(&mut self.spds, rule.to);
            let head = Head { control: from, symbol: self.symbols[&rule.symbol.symbol] };
            let names = syntax.names(rule.stack);
            let right: Vec<SymbolId> =
                names.iter().map(|name| self.symbols[&name.symbol]).collect();
            let shape = match right[..] {
                [] => Right::Pop,
                [top] => Right::Step(top),
                [top, below, ..] => Right::Push(top, below),
            };
            let sides = [Some(head.symbol), shape.top(), shape.below()].map(|symbol| {
                let scoped = &self.frames[ir::Id::index(self.spds.symbols[symbol?].frame)];
                Some((&scoped.entities[..], &scoped.by_name))
            });
            let symbols = [Some(rule.symbol), names.first().copied(), names.get(1).copied()];
            let globals = (&self.globals.entities[..], &self.globals.by_name);
            let scope = RuleScope { globals, sides, symbols };
            let formula = scope.formula(&mut self.types, &mut self.spds.exprs, rule.formula);
            let at = self.file.position(place.start);
            let text = rule_head_text(syntax, &rule);
            let origin = self.spds.origin(0, at.line, at.column, &text);
            let rel = self.spds.formula(head, shape, formula);
            self.spds.long_rule(head, to, &right, rel, origin);
        }
    }

    fn start(&mut self, options: &LowerOptions) {
        let tree = self.tree;
        if let [first, second, ..] = tree.starts[..] {
            self.types.error(LowerErrorKind::SecondStart { first: first.span }, second.span);
        }
        let given: Option<&Start> = tree.starts.first();
        let control = match (given, tree.rules.first()) {
            (Some(start), _) => Some(start.control),
            (None, Some(rule)) => Some(rule.rule.from),
            (None, None) => None,
        };
        let names: Vec<SymbolId> = match (&options.entry, given) {
            (Some(entry), _) => match self.spds.symbol_named(entry) {
                Some(symbol) => vec![symbol],
                None => {
                    self.no_entry(entry);
                    return;
                }
            },
            (None, Some(start)) => {
                let stack = tree.syntax.names(start.stack).iter();
                stack.map(|name| self.symbols[&name.symbol]).collect()
            }
            (None, None) => Vec::new(),
        };
        let (Some(control), Some(&top)) = (control, names.first()) else {
            let (kind, language) = (LowerErrorKind::NoStart, Language::Pds);
            let span = given.map(|start| start.span);
            self.types.errors.push(LowerError { kind, span, language });
            return;
        };
        self.spds.start.control = self.spds.control(tree.syntax.text(control.symbol));
        self.spds.start.stack = names;
        let locals = &self.frames[ir::Id::index(self.spds.symbols[top].frame)].entities;
        let entities = self.globals.entities.iter().chain(locals);
        let leaves = entities.flat_map(|entity| &entity.leaves);
        let condition = members(&mut self.spds.exprs, leaves, Time::Pre);
        self.spds.start.init.condition = condition;
    }

    fn no_entry(&mut self, entry: &str) {
        let mut known: Vec<&str> =
            self.symbols.keys().map(|&symbol| self.tree.syntax.text(symbol)).collect();
        known.sort_unstable();
        let kind = LowerErrorKind::NoEntry {
            what: "stack symbol",
            name: entry.to_string(),
            nearest: suggest(entry, known.iter().copied()).map(str::to_string),
            known: known.iter().take(10).map(|name| name.to_string()).collect(),
        };
        self.types.errors.push(LowerError { kind, span: None, language: Language::Pds });
    }
}
