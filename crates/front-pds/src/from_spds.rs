//! Pushdown system → tree, for systems that are written down (`bop convert --to pds`).

pub use front_remopla::raise::CannotSay;
use front_remopla::raise::Raise;
use front_remopla::tree::{self as syntax, BinOp, Decl, ExprId, Name};
use ir::spds::{Head, Right, Spds, SymbolId};
use ir::{Assign, Expr, Exprs, Id, IndexVec, Rel, Time, VarId};
use source::Span;

use crate::tree::{Locals, Rule, Start, Tree};

/// The system as a tree, with names that the language allows. Marks and events are left out, and so
/// is which rules are steps.
pub fn from_spds(spds: &Spds) -> Result<Tree, CannotSay> {
    let mut raise = Raise::new(&spds.exprs);
    let mut tree = Tree::default();
    let decl = |raise: &mut Raise<'_>, var: VarId| -> Decl {
        raise.var(var, spds.var_name(var), spds.vars[var].ty)
    };
    tree.globals = spds.globals.iter().map(|&var| decl(&mut raise, var)).collect();
    let locals: Vec<Vec<Decl>> = spds
        .frames
        .iter()
        .map(|frame| frame.locals.iter().map(|&var| decl(&mut raise, var)).collect())
        .collect();
    let controls: Vec<Name> =
        spds.controls.ids().map(|control| raise.name(spds.control_name(control))).collect();
    let symbols: IndexVec<SymbolId, Name> =
        spds.symbols.ids().map(|symbol| raise.name(spds.symbol_name(symbol))).collect();
    let span = Span::default();
    let rule = |raise: &mut Raise<'_>, from: Name, symbol, to: Name, stack: &[Name], formula| {
        let stack = raise.tree.add_list(stack.iter().copied());
        let rule = syntax::Rule { from, symbol, to, stack, label: None, formula };
        Rule { rule, span }
    };
    let mut stack: Vec<Name> = spds.start.stack.iter().map(|&symbol| symbols[symbol]).collect();
    let control = controls[spds.start.control.index()];
    let mut first_frame = None;
    if spds.start.init.condition != Exprs::TRUE {
        // A symbol of its own, with the locals of the topmost one, which lets the condition pass.
        let top = spds.start.stack[0];
        let start = raise.name("start");
        let init = spds.start.init;
        let rel = Rel::guarded(init.condition, init.choices);
        let from = Head { control: spds.start.control, symbol: top };
        let formula = formula(spds, &mut raise, from, Right::Step(top), &rel)?;
        tree.rules.push(rule(&mut raise, control, start, control, &[symbols[top]], formula));
        stack[0] = start;
        first_frame = Some((spds.symbols[top].frame, start));
    }
    for (frame, decls) in spds.frames.ids().zip(locals) {
        let mut names: Vec<Name> = spds
            .symbols
            .enumerate()
            .filter(|(_, symbol)| symbol.frame == frame)
            .map(|(id, _)| symbols[id])
            .collect();
        names.extend(first_frame.filter(|&(f, _)| f == frame).map(|(_, name)| name));
        if !decls.is_empty() && !names.is_empty() {
            let symbols = raise.tree.add_list(names);
            tree.locals.push(Locals { symbols, decls });
        }
    }
    let stack = raise.tree.add_list(stack);
    tree.starts.push(Start { control, stack, span });
    for this in spds.rules.iter() {
        let formula = formula(spds, &mut raise, this.from, this.right, &this.rel)?;
        let right = [this.right.top(), this.right.below()].into_iter().flatten();
        let right: Vec<Name> = right.map(|symbol| symbols[symbol]).collect();
        let (from, to) = (controls[this.from.control.index()], controls[this.to.index()]);
        let made = rule(&mut raise, from, symbols[this.from.symbol], to, &right, formula);
        tree.rules.push(made);
    }
    tree.syntax = raise.tree;
    Ok(tree)
}

/// The relation of a rule as a formula; `None` if it says nothing.
fn formula(
    spds: &Spds,
    raise: &mut Raise<'_>,
    from: Head,
    right: Right,
    rel: &Rel,
) -> Result<Option<ExprId>, CannotSay> {
    raise.open_choices(rel.choices);
    let mut conjuncts = Vec::new();
    for condition in [rel.guard, rel.constraint] {
        if condition != Exprs::TRUE {
            conjuncts.push(raise.expr(condition)?);
        }
    }
    for (time, var, keeps) in spds.targets(from, right) {
        let assigns: Vec<Assign> =
            rel.assigns.iter().filter(|a| (a.time, a.var) == (time, var)).copied().collect();
        target(spds, raise, time, var, keeps, &assigns, &mut conjuncts)?;
    }
    Ok(raise.all(conjuncts).map(|all| raise.close_choices(all)))
}

/// What a variable becomes.
fn target(
    spds: &Spds,
    raise: &mut Raise<'_>,
    time: Time,
    var: VarId,
    keeps: bool,
    assigns: &[Assign],
    conjuncts: &mut Vec<ExprId>,
) -> Result<(), CannotSay> {
    let Some(dim) = spds.vars[var].ty.array else {
        match assigns {
            [] if keeps => conjuncts.push(raise.kept(time, var)),
            [] => {}
            [only, ..] => {
                if let Some(value) = only.value {
                    let value = raise.expr(value)?;
                    let after = raise.place(time, var, None);
                    conjuncts.push(raise.binary(BinOp::Eq, after, value));
                }
            }
        }
        return Ok(());
    };
    let mut free = !keeps;
    let mut cells: Vec<&Assign> = Vec::new();
    for assign in assigns {
        match assign.index {
            None => free = true,
            Some(_) => cells.push(assign),
        }
    }
    if cells.is_empty() {
        if !free {
            conjuncts.push(raise.kept(time, var));
        }
        return Ok(());
    }
    let (lo, hi) = (dim.lo, dim.lo + dim.len as i64 - 1);
    let number = |cell: &&Assign| match spds.exprs[cell.index?] {
        Expr::Int(i) => Some(i),
        _ => None,
    };
    let numbers: Option<Vec<i64>> = cells.iter().map(number).collect();
    if let Some(numbers) = numbers.filter(|all| all.iter().all(|i| (lo..=hi).contains(i))) {
        for k in lo..=hi {
            let mut values = cells.iter().zip(&numbers).filter(|&(_, &i)| i == k).peekable();
            if values.peek().is_none() && !free {
                let (i, j) = (raise.int(k), raise.int(k));
                let after = raise.place(time, var, Some(i));
                let before = raise.place(Time::Pre, var, Some(j));
                conjuncts.push(raise.binary(BinOp::Eq, after, before));
            }
            for value in values.filter_map(|(cell, _)| cell.value) {
                let (value, index) = (raise.expr(value)?, raise.int(k));
                let after = raise.place(time, var, Some(index));
                conjuncts.push(raise.binary(BinOp::Eq, after, value));
            }
        }
        return Ok(());
    }
    for cell in &cells {
        let Some(index) = cell.index else { continue };
        for (op, bound) in [(BinOp::Ge, lo), (BinOp::Le, hi)] {
            let (index, bound) = (raise.expr(index)?, raise.int(bound));
            conjuncts.push(raise.binary(op, index, bound));
        }
    }
    for k in lo..=hi {
        // Where no index is `k`, the cell keeps its value; where one is, it has the one given.
        let mut elsewhere = Vec::new();
        for cell in &cells {
            let Some(index) = cell.index else { continue };
            let is_here = |raise: &mut Raise<'_>, op| -> Result<ExprId, CannotSay> {
                let (index, number) = (raise.expr(index)?, raise.int(k));
                Ok(raise.binary(op, index, number))
            };
            elsewhere.push(is_here(raise, BinOp::Eq)?);
            if let Some(value) = cell.value {
                let not_here = is_here(raise, BinOp::Ne)?;
                let (value, number) = (raise.expr(value)?, raise.int(k));
                let after = raise.place(time, var, Some(number));
                let becomes = raise.binary(BinOp::Eq, after, value);
                conjuncts.push(raise.binary(BinOp::Or, not_here, becomes));
            }
        }
        if !free {
            let (i, j) = (raise.int(k), raise.int(k));
            let (after, before) =
                (raise.place(time, var, Some(i)), raise.place(Time::Pre, var, Some(j)));
            let mut kept = raise.binary(BinOp::Eq, after, before);
            for here in elsewhere {
                kept = raise.binary(BinOp::Or, here, kept);
            }
            conjuncts.push(kept);
        }
    }
    Ok(())
}
