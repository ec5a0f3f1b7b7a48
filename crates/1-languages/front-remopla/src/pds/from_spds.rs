//! Pushdown system → tree, for systems that are written down (`bop convert --to pds`).
//!
//! A stack symbol has one name, by which questions know it; a node of a program may have none, or
//! several, and nodes of several procedures may have one label. So
//!
//! - what comes to a symbol with several names comes to the first of a row of symbols, each of which
//!   steps to the next one; the last one has the rules;
//! - a label that several symbols have is a symbol of its own, which they push and which is popped at
//!   once, before they go on;
//! - a symbol where an assertion failed steps to one that says so ([`is_failure`]).

use ir::spds::{Head, Right, Spds, SymbolId};
use ir::{Assign, Exprs, Id, Rel, TextId, Time, Unwritten, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use super::tree::{Locals, Rule, Start, Tree};
use crate::raise::{Named, Raise, is_failure};
use crate::tree::{self as syntax, Decl, ExprId, ExprKind, Name, Symbol};

/// The system as a tree, with names that the language allows; labels keep theirs, or it is not
/// written. Marks and events are left out, and so is which rules are steps. `go_on` is asked now and
/// then.
pub fn from_spds(spds: &Spds, go_on: &mut dyn FnMut() -> bool) -> Result<Tree, Unwritten> {
    let needless = needless(spds);
    let mut writer = Writer {
        spds,
        needless: &needless,
        raise: Raise::new(&spds.exprs),
        tree: Tree::default(),
        controls: Vec::new(),
        rows: Vec::new(),
        visited: Vec::new(),
        in_frames: vec![Vec::new(); spds.frames.len()],
        used: FxHashSet::default(),
    };
    let locals = writer.declarations();
    writer.names()?;
    writer.start()?;
    for rule in spds.rules.iter() {
        if !go_on() {
            return Err(Unwritten::Stopped);
        }
        let right = [rule.right.top(), rule.right.below()].into_iter().flatten();
        let right: Vec<Name> = right.map(|symbol| writer.rows[symbol.index()].first).collect();
        let from = writer.rows[rule.from.symbol.index()].last();
        let formula = writer.formula(rule.from, rule.right, &rule.rel)?;
        let controls = [rule.from.control, rule.to].map(|id| writer.controls[id.index()]);
        writer.rule(controls, from, &right, formula);
    }
    let mut failed = None;
    for symbol in spds.symbols.ids().filter(|symbol| !needless.contains(symbol)) {
        if !go_on() {
            return Err(Unwritten::Stopped);
        }
        writer.row(symbol, &mut failed)?;
    }
    for label in std::mem::take(&mut writer.visited) {
        for control in writer.controls.clone() {
            let formula = writer.globals_kept()?;
            writer.rule([control; 2], label, &[], formula);
        }
    }
    writer.unused();
    writer.finish(locals);
    Ok(writer.tree)
}

/// Symbols without a name of their own at which assertions would fail, and to which nothing leads.
fn needless(spds: &Spds) -> FxHashSet<SymbolId> {
    let nameless = |&id: &SymbolId| spds.symbols[id].error && spds.symbols[id].labels.is_empty();
    let mut out: FxHashSet<SymbolId> = spds.symbols.ids().filter(nameless).collect();
    for symbol in &spds.start.stack {
        out.remove(symbol);
    }
    for rule in spds.rules.iter() {
        for symbol in [rule.right.top(), rule.right.below()].into_iter().flatten() {
            out.remove(&symbol);
        }
    }
    out
}

/// What a symbol is written as.
struct Row {
    /// Where one comes to it.
    first: Name,
    /// The symbols that follow, each with the label that is visited on the way.
    then: Vec<(Option<Name>, Name)>,
}

impl Row {
    /// The one with the rules.
    fn last(&self) -> Name {
        self.then.last().map_or(self.first, |&(_, name)| name)
    }
}

struct Writer<'s> {
    spds: &'s Spds,
    needless: &'s FxHashSet<SymbolId>,
    raise: Raise<'s>,
    tree: Tree,
    controls: Vec<Name>,
    /// By symbol.
    rows: Vec<Row>,
    /// The symbols of labels that several have.
    visited: Vec<Name>,
    /// By frame: the symbols that have its locals.
    in_frames: Vec<Vec<Name>>,
    /// The symbols of rules.
    used: FxHashSet<Symbol>,
}

impl Writer<'_> {
    /// Declares the variables; returns those of each frame.
    fn declarations(&mut self) -> Vec<Vec<Decl>> {
        let spds = self.spds;
        let info = |&var: &VarId| (var, spds.var_name(var), spds.vars[var].ty);
        let globals: Vec<_> = spds.globals.iter().map(info).collect();
        self.tree.globals = self.raise.vars(&globals);
        self.raise.keep_scope();
        let mut out = Vec::new();
        for frame in spds.frames.iter() {
            let locals: Vec<_> = frame.locals.iter().map(info).collect();
            out.push(self.raise.vars(&locals));
            self.raise.end_scope();
        }
        let names = spds.controls.ids().map(|control| spds.control_name(control));
        self.controls = self.raise.names(Named::Module, names);
        out
    }

    fn names(&mut self) -> Result<(), Unwritten> {
        let spds = self.spds;
        let mut carriers: FxHashMap<TextId, (usize, Name)> = FxHashMap::default();
        for symbol in spds.symbols.iter() {
            for &label in &symbol.labels {
                match carriers.get_mut(&label) {
                    Some((count, name)) => {
                        if *count == 1 {
                            // It becomes a procedure of its own when it is read.
                            if spds.frames.iter().any(|f| spds.text(f.name) == spds.text(label)) {
                                let text = spds.text(label);
                                return Err(Unwritten::NoWords(format!(
                                    "`{text}` as a procedure and as a label of several statements"
                                )));
                            }
                            self.visited.push(*name);
                        }
                        *count += 1;
                    }
                    None => {
                        let name = self.raise.label(spds.text(label))?;
                        carriers.insert(label, (1, name));
                    }
                }
            }
        }
        // What is no label has a name of its own.
        let unlabelled = |&id: &SymbolId| !carriers.contains_key(&spds.symbols[id].name);
        let others: Vec<SymbolId> = spds.symbols.ids().filter(unlabelled).collect();
        let names = others.iter().map(|&id| spds.symbol_name(id));
        let names = self.raise.names(Named::Place, names);
        let own: FxHashMap<SymbolId, Name> = others.into_iter().zip(names).collect();
        for (id, symbol) in spds.symbols.enumerate() {
            let mut all: Vec<(Option<Name>, Name)> = Vec::new();
            all.extend(own.get(&id).map(|&name| (None, name)));
            let labels = symbol.labels.iter().map(|label| carriers[label]);
            all.extend(labels.clone().filter(|&(n, _)| n == 1).map(|(_, name)| (None, name)));
            for (_, label) in labels.filter(|&(n, _)| n > 1) {
                // One goes on at another symbol than the one that made the visit.
                let fresh = |raise: &mut Raise<'_>| raise.name(Named::Place, spds.symbol_name(id));
                if all.is_empty() {
                    all.push((None, fresh(&mut self.raise)));
                }
                all.push((Some(label), fresh(&mut self.raise)));
            }
            if !self.needless.contains(&id) {
                self.in_frames[symbol.frame.index()].extend(all.iter().map(|&(_, name)| name));
            }
            let first = all.first().map(|&(_, name)| name);
            let first = first.unwrap_or_else(|| self.raise.name(Named::Place, "symbol"));
            self.rows.push(Row { first, then: all.into_iter().skip(1).collect() });
        }
        Ok(())
    }

    /// A rule of the text, from and to control locations.
    fn rule(
        &mut self,
        [from, to]: [Name; 2],
        symbol: Name,
        right: &[Name],
        formula: Option<ExprId>,
    ) {
        self.used.extend(right.iter().chain([&symbol]).map(|name| name.symbol));
        let stack = self.raise.tree.add_names(right.iter().copied());
        let rule = syntax::Rule { from, symbol, to, stack, label: None, formula };
        self.tree.rules.push(Rule { rule, span: Span::default() });
    }

    /// The start. Where there is an initial condition, a symbol of its own pushes the first one
    /// under it, as a procedure that calls it.
    fn start(&mut self) -> Result<(), Unwritten> {
        let start = &self.spds.start;
        let mut stack: Vec<Name> = start.stack.iter().map(|s| self.rows[s.index()].first).collect();
        let control = self.controls[start.control.index()];
        if start.init.condition != Exprs::TRUE {
            let frame = self.spds.symbols[start.stack[0]].frame;
            let name = self.raise.name(Named::Place, "start");
            let bottom = self.raise.name(Named::Place, "bottom");
            for &var in &self.spds.frames[frame].locals {
                let local = self.raise.name_of(var);
                self.raise.rename(Time::Pre, var, local, 1);
            }
            self.raise.open_choices(start.init.choices);
            let mut conjuncts = vec![self.raise.expr(start.init.condition)?];
            self.raise.restore();
            conjuncts.extend(self.globals_kept()?);
            let formula = self.raise.all(conjuncts).map(|all| self.raise.close_choices(all));
            self.rule([control; 2], name, &[stack[0], bottom], formula);
            stack[0] = name;
            for control in self.controls.clone() {
                let formula = self.globals_kept()?;
                self.rule([control; 2], bottom, &[], formula);
            }
        }
        let stack = self.raise.tree.add_names(stack);
        self.tree.starts.push(Start { control, stack, span: Span::default() });
        Ok(())
    }

    /// Steps from each symbol of a row to the next one, and what becomes of the last one.
    fn row(&mut self, symbol: SymbolId, failed: &mut Option<Name>) -> Result<(), Unwritten> {
        let spds = self.spds;
        let (mut from, last) = (self.rows[symbol.index()].first, self.rows[symbol.index()].last());
        for (visited, to) in std::mem::take(&mut self.rows[symbol.index()].then) {
            for control in spds.controls.ids() {
                let names = [self.controls[control.index()]; 2];
                match visited {
                    None => {
                        let head = Head { control, symbol };
                        let formula = self.formula(head, Right::Step(symbol), &Rel::identity())?;
                        self.rule(names, from, &[to], formula);
                    }
                    Some(label) => {
                        let mut conjuncts = Vec::new();
                        let globals = spds.globals.iter().map(|&var| (Time::Post, var));
                        let locals = spds.frames[spds.symbols[symbol].frame].locals.iter();
                        for target in globals.chain(locals.map(|&var| (Time::Saved, var))) {
                            self.raise.becomes(target, (true, false), &[], &mut conjuncts)?;
                        }
                        let formula = self.raise.all(conjuncts);
                        self.rule(names, from, &[label, to], formula);
                    }
                }
            }
            from = to;
        }
        let tells = is_failure(self.raise.tree.text(last.symbol));
        if spds.symbols[symbol].error && !tells {
            let failed = *failed.get_or_insert_with(|| self.raise.failure());
            for control in self.controls.clone() {
                let formula = self.globals_kept()?;
                self.rule([control; 2], last, &[failed], formula);
            }
        } else if !spds.symbols[symbol].error && tells {
            // It must have a rule, or it would tell that an assertion failed.
            let never = self.raise.tree.add_expr(ExprKind::Bool(false), Span::default());
            self.rule([self.controls[0]; 2], last, &[last], Some(never));
        }
        Ok(())
    }

    /// A symbol is known by the rules that it is in: one that is in none has one that never applies.
    fn unused(&mut self) {
        for name in self.in_frames.concat() {
            if !self.used.contains(&name.symbol) {
                let never = self.raise.tree.add_expr(ExprKind::Bool(false), Span::default());
                self.rule([self.controls[0]; 2], name, &[name], Some(never));
            }
        }
    }

    /// A formula that keeps the values of globals.
    fn globals_kept(&mut self) -> Result<Option<ExprId>, Unwritten> {
        let mut conjuncts = Vec::new();
        for &var in &self.spds.globals {
            self.raise.becomes((Time::Post, var), (true, false), &[], &mut conjuncts)?;
        }
        Ok(self.raise.all(conjuncts))
    }

    /// The relation of a rule as a formula; `None` if it says nothing.
    fn formula(
        &mut self,
        from: Head,
        right: Right,
        rel: &Rel,
    ) -> Result<Option<ExprId>, Unwritten> {
        self.raise.open_choices(rel.choices);
        let mut conjuncts = Vec::new();
        for condition in [rel.guard, rel.constraint] {
            if condition != Exprs::TRUE {
                conjuncts.push(self.raise.expr(condition)?);
            }
        }
        let mut assigns: FxHashMap<(Time, VarId), Vec<Assign>> = FxHashMap::default();
        for assign in &rel.assigns {
            assigns.entry((assign.time, assign.var)).or_default().push(*assign);
        }
        for (time, var, keeps) in self.spds.targets(from, right) {
            let assigns = assigns.get(&(time, var)).map_or(&[][..], Vec::as_slice);
            self.raise.becomes((time, var), (keeps, false), assigns, &mut conjuncts)?;
        }
        Ok(self.raise.all(conjuncts).map(|all| self.raise.close_choices(all)))
    }

    /// Says which symbols have which locals.
    fn finish(&mut self, locals: Vec<Vec<Decl>>) {
        for (names, decls) in std::mem::take(&mut self.in_frames).into_iter().zip(locals) {
            if !decls.is_empty() && !names.is_empty() {
                let symbols = self.raise.tree.add_names(names);
                self.tree.locals.push(Locals { symbols, decls });
            }
        }
        self.tree.syntax = std::mem::take(&mut self.raise.tree);
    }
}
