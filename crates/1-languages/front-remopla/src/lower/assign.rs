//! Assignments: parallel ones, arguments, results.

use ir::{BinaryOp, Expr, Exprs, NodeId, Rel, Time, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lowering, cells, member, members};
use crate::error::LowerErrorKind;
use crate::tree::{Assign, ExprId, ExprKind, List, Name, Stmt};
use crate::types::{Cell, Entity};
use crate::values::{Part, Values, Whole, equivalence, read};

/// The relation of an edge while it is built; choices and what must be defined are with the
/// [`Values`] that go into it.
struct Draft {
    guard: ir::ExprId,
    assigns: Vec<ir::Assign>,
    constraint: ir::ExprId,
    /// Where in `assigns` a variable is assigned as a whole.
    whole: FxHashMap<(Time, VarId), usize>,
}

impl Draft {
    fn new() -> Draft {
        let whole = FxHashMap::default();
        Draft { guard: Exprs::TRUE, assigns: Vec::new(), constraint: Exprs::TRUE, whole }
    }

    fn rel(self, values: &mut Values<'_, '_>) -> Rel {
        Rel {
            guard: values.exprs.and(self.guard, values.defined),
            assigns: self.assigns.into(),
            constraint: self.constraint,
            choices: values.choices,
        }
    }

    fn constrain(&mut self, exprs: &mut Exprs, constraint: ir::ExprId) {
        self.constraint = exprs.and(self.constraint, constraint);
    }

    /// Assigns a cell. Two values for one variable must be equal; for cells of arrays the program
    /// model sees to that.
    fn assign(
        &mut self,
        exprs: &mut Exprs,
        (time, var, cell): (Time, VarId, Cell),
        index: Option<ir::ExprId>,
        value: Option<ir::ExprId>,
    ) {
        if index.is_none()
            && let Some(&first) = self.whole.get(&(time, var))
        {
            let first = &mut self.assigns[first];
            match (first.value, value) {
                (None, _) => first.value = value,
                (Some(_), None) => {}
                (Some(a), Some(b)) => {
                    let equal = match cell {
                        Cell::Bool => equivalence(exprs, a, b, true),
                        _ => exprs.binary(BinaryOp::Eq, a, b),
                    };
                    self.guard = exprs.and(self.guard, equal);
                }
            }
            return;
        }
        if index.is_none() {
            self.whole.insert((time, var), self.assigns.len());
        }
        self.assigns.push(ir::Assign { time, var, index, value });
    }
}

/// What is assigned.
enum Source<'s> {
    /// An expression, `undef`, or a whole array or struct.
    Expr(ExprId),
    /// What a module returned, or a parameter of its.
    Whole(Whole<'s>),
}

/// One cell as a whole.
fn whole(part: Part<'_>) -> Whole<'_> {
    match part {
        Part::Whole(whole) => whole,
        Part::Cell(time, leaf, index) => {
            Whole { time, leaves: vec![leaf], index, of: Ok(leaf.cell), dims: &[] }
        }
    }
}

fn all_of(entity: &Entity, time: Time) -> Whole<'_> {
    let leaves = entity.leaves.iter().collect();
    Whole { time, leaves, index: None, of: entity.shape.of, dims: &entity.shape.dims }
}

/// Integers of different widths can be copied, a boolean and an integer cannot as parts of more.
fn similar(a: Result<Cell, usize>, b: Result<Cell, usize>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => (a == Cell::Bool) == (b == Cell::Bool),
        (a, b) => a == b,
    }
}

/// The target becomes the source; `None` after an error.
fn store(
    values: &mut Values<'_, '_>,
    draft: &mut Draft,
    target: Whole<'_>,
    source: Source<'_>,
) -> Option<()> {
    let tree = values.types.tree;
    let time = target.time;
    let source = match source {
        Source::Expr(expr) => match (tree.expr(expr).kind, target.of) {
            (ExprKind::Undef, _) => {
                forget(values, draft, &target);
                return Some(());
            }
            (_, Ok(cell)) if target.dims.is_empty() => {
                let value = values.assigned(expr, cell)?;
                let (leaf, index) = (target.leaves[0], target.index.map(|index| index.expr));
                draft.assign(values.exprs, (time, leaf.var, cell), index, Some(value));
                return Some(());
            }
            (ExprKind::Place(_), _) => whole(values.part(expr)?),
            _ => {
                let kind = if target.dims.is_empty() { "a struct" } else { "an array" };
                let kind = LowerErrorKind::Sort { expected: kind, found: "a value" };
                values.types.error(kind, tree.expr(expr).span);
                return None;
            }
        },
        Source::Whole(source) => source,
    };
    if !similar(target.of, source.of) || target.dims != source.dims {
        // One value to one value, a boolean to an integer or the other way round, is no shape.
        let single = target.of.is_ok() && source.of.is_ok();
        if !(single && target.dims.is_empty() && source.dims.is_empty()) {
            return None;
        }
    }
    for (to, from) in target.leaves.iter().zip(&source.leaves) {
        let to_cells = match target.index {
            Some(index) => vec![Some(index.expr)],
            None => cells(values.exprs, to),
        };
        for (k, to_index) in to_cells.into_iter().enumerate() {
            let from_index = source.index.or_else(|| {
                let expr = from.cells().map(|_| values.exprs.int(from.base() + k as i64))?;
                Some(crate::values::Index { expr, inside: Exprs::TRUE })
            });
            let value = values.read(source.time, from, from_index);
            let value = values.fit(value, to.cell);
            draft.assign(values.exprs, (time, to.var, to.cell), to_index, Some(value));
        }
    }
    Some(())
}

/// The target becomes arbitrary.
fn forget(values: &mut Values<'_, '_>, draft: &mut Draft, target: &Whole<'_>) {
    let time = target.time;
    for leaf in &target.leaves {
        let index = target.index.map(|index| index.expr);
        draft.assign(values.exprs, (time, leaf.var, leaf.cell), index, None);
        let Some(limit) = leaf.cell.limit() else { continue };
        let all = match index {
            Some(index) => vec![Some(index)],
            None => cells(values.exprs, leaf),
        };
        for index in all {
            let is_member = member(values.exprs, time, leaf.var, index, limit);
            draft.constrain(values.exprs, is_member);
        }
    }
}

/// One part of a parallel assignment, for each instance of its quantifiers. `A` means all of them,
/// `E` one that is chosen.
fn assign(
    values: &mut Values<'_, '_>,
    draft: &mut Draft,
    part: &Assign,
    time: &dyn Fn(VarId) -> Time,
) -> Option<()> {
    let tree = values.types.tree;
    let quantifiers = tree.list(part.quantifiers);
    let mut ranges = Vec::with_capacity(quantifiers.len());
    let mut instances = 1i128;
    for &quantifier in quantifiers {
        let (lo, hi) = values.range(quantifier)?;
        if quantifier.all {
            instances = instances.saturating_mul(hi as i128 - lo as i128 + 1);
        }
        ranges.push((lo, hi));
    }
    values.count(instances, tree.expr(part.target).span)?;
    // Like the figures of a counter: the last one runs fastest.
    let mut numbers: Vec<i64> = Vec::with_capacity(ranges.len());
    let mut result = Some(());
    loop {
        while numbers.len() < ranges.len() {
            let (quantifier, (lo, hi)) = (quantifiers[numbers.len()], ranges[numbers.len()]);
            match quantifier.all {
                true => values.bind(quantifier.var.symbol, lo),
                false => values.bind_some(quantifier.var.symbol, lo, hi),
            }
            numbers.push(lo);
        }
        if result.is_some() {
            result = single(values, draft, part, time);
        }
        loop {
            let Some(number) = numbers.pop() else { return result };
            values.unbind();
            let (quantifier, (_, hi)) = (quantifiers[numbers.len()], ranges[numbers.len()]);
            if quantifier.all && number < hi && result.is_some() {
                values.bind(quantifier.var.symbol, number + 1);
                numbers.push(number + 1);
                break;
            }
        }
    }
}

fn single(
    values: &mut Values<'_, '_>,
    draft: &mut Draft,
    part: &Assign,
    time: &dyn Fn(VarId) -> Time,
) -> Option<()> {
    let tree = values.types.tree;
    let span = tree.expr(part.target).span;
    if let ExprKind::Place(place) = tree.expr(part.target).kind
        && let Some(name) = values.types.plain(place)
        && values.is_constant(name)
    {
        let text = values.types.text(name.symbol);
        values.types.error(LowerErrorKind::ConstantTarget(text), span);
        return None;
    }
    let mut target = whole(values.part(part.target)?);
    target.time = target.leaves.first().map_or(Time::Post, |leaf| time(leaf.var));
    if !part.other {
        let before = values.types.errors.len();
        let stored = store(values, draft, target, Source::Expr(part.value));
        if stored.is_none() && values.types.errors.len() == before {
            values.types.error(LowerErrorKind::Shape("arrays or structs"), span);
        }
        return stored;
    }
    // `x != e`: anything else.
    let (Ok(cell), []) = (target.of, target.dims) else {
        values.types.error(LowerErrorKind::Shape("arrays or structs"), span);
        return None;
    };
    let value = values.assigned(part.value, cell)?;
    let (leaf, index) = (target.leaves[0], target.index.map(|index| index.expr));
    let place = (target.time, leaf.var, cell);
    if cell == Cell::Bool {
        let value = values.exprs.not(value);
        draft.assign(values.exprs, place, index, Some(value));
        return Some(());
    }
    forget(values, draft, &target);
    let after = read(values.exprs, target.time, leaf.var, index);
    let differs = values.exprs.binary(BinaryOp::Ne, after, value);
    draft.constrain(values.exprs, differs);
    Some(())
}

impl<'t> Lowering<'t> {
    /// The relation of a parallel assignment.
    pub(super) fn parallel(&mut self, number: usize, list: List<Assign>) -> Rel {
        let tree = self.tree;
        self.values(number, false, |values| {
            let mut draft = Draft::new();
            for part in tree.list(list) {
                assign(values, &mut draft, part, &|_| Time::Post);
            }
            draft.rel(values)
        })
    }

    /// The relation of `skip(b)`. Variables with a prime become what the condition says.
    pub(super) fn constrained(&mut self, number: usize, condition: ExprId) -> Rel {
        self.values(number, true, |values| {
            let condition = values.condition(condition);
            let exprs = &mut *values.exprs;
            let mut primed: Vec<(VarId, Option<ir::ExprId>)> = Vec::new();
            let mut add = |target| {
                if !primed.contains(&target) {
                    primed.push(target);
                }
            };
            exprs.postorder(condition, |_, expr| match expr {
                Expr::Read(Time::Post, var) => add((var, None)),
                Expr::Index(Time::Post, var, index) => {
                    let mut before = true;
                    exprs.reads(index, |time, _| before &= time == Time::Pre);
                    add((var, before.then_some(index)));
                }
                _ => {}
            });
            if primed.is_empty() {
                return Rel::guarded(condition, 0);
            }
            // The whole of an array is arbitrary if an index is not known before the step.
            let whole: Vec<VarId> =
                primed.iter().filter(|(_, index)| index.is_none()).map(|&(var, _)| var).collect();
            primed.retain(|(var, index)| index.is_none() || !whole.contains(var));
            let assigns = primed
                .into_iter()
                .map(|(var, index)| ir::Assign { time: Time::Post, var, index, value: None })
                .collect();
            Rel { assigns, constraint: condition, ..Rel::identity() }
        })
    }

    pub(super) fn ret(&mut self, number: usize, stmt: &Stmt, node: NodeId, value: Option<ExprId>) {
        let Some(module) = self.modules[number].module else {
            self.types.error(LowerErrorKind::ReturnOutside, stmt.span);
            return;
        };
        let returns = !matches!(module.returns, crate::tree::TypeName::Void);
        if returns != value.is_some() {
            let (name, declared) = (self.types.text(module.name.symbol), module.span);
            let kind = LowerErrorKind::ReturnValue { name, returns, declared };
            self.types.error(kind, stmt.span);
            return;
        }
        let (Some(value), Some(result)) = (value, self.modules[number].result.clone()) else {
            self.builder.ret(node, Rel::identity(), true);
            return;
        };
        let rel = self.values(number, false, |values| {
            let mut draft = Draft::new();
            let before = values.types.errors.len();
            let target = all_of(&result, Time::Post);
            if store(values, &mut draft, target, Source::Expr(value)).is_none()
                && values.types.errors.len() == before
            {
                let kind = LowerErrorKind::Shape("the value and the result of the module are");
                values.types.error(kind, values.types.tree.expr(value).span);
            }
            draft.rel(values)
        });
        if rel.guard != Exprs::FALSE {
            self.builder.ret(node, rel, true);
        }
    }

    pub(super) fn call(
        &mut self,
        number: usize,
        stmt: &Stmt,
        node: NodeId,
        next: NodeId,
        (target, callee, args, assigns): (Option<ExprId>, Name, List<ExprId>, List<Assign>),
    ) {
        let tree = self.tree;
        let Some(&called) = self.module_names.get(&callee.symbol) else {
            let nearest = self.types.nearest(callee.symbol, self.module_names.keys().copied());
            self.types.unknown("module", callee, nearest);
            return;
        };
        let Some(module) = self.modules[called].module else { return };
        let declared = module.span;
        let name = || tree.text(callee.symbol).to_string();
        if args.len() != module.params.len() {
            let (takes, given) = (module.params.len(), args.len());
            let kind = LowerErrorKind::ArgumentCount { name: name(), takes, given, declared };
            self.types.error(kind, stmt.span);
            return;
        }
        if target.is_some() && matches!(module.returns, crate::tree::TypeName::Void) {
            self.types.error(LowerErrorKind::NoResult { name: name(), declared }, stmt.span);
            return;
        }
        let there = &self.modules[called];
        let (entities, limited) = (there.entities.clone(), there.limited.clone());
        let (params, result) = (&entities[..there.params], there.result.clone());
        let here: FxHashSet<VarId> = match assigns.is_empty() {
            true => FxHashSet::default(),
            false => {
                let entities = self.modules[number].entities.iter();
                entities.flat_map(|entity| &entity.leaves).map(|leaf| leaf.var).collect()
            }
        };
        let enter = self.values(number, false, |values| {
            let mut draft = Draft::new();
            for (param, &arg) in params.iter().zip(tree.exprs(args)) {
                let before = values.types.errors.len();
                let target = all_of(param, Time::Post);
                if store(values, &mut draft, target, Source::Expr(arg)).is_none()
                    && values.types.errors.len() == before
                {
                    let kind = LowerErrorKind::Shape("the argument and the parameter are");
                    values.types.error(kind, tree.expr(arg).span);
                }
            }
            // Parallel assignments to locals are for when control comes back.
            let time = |var| if here.contains(&var) { Time::Saved } else { Time::Post };
            for part in tree.list(assigns) {
                assign(values, &mut draft, part, &time);
            }
            let uninitialised = members(values.exprs, limited.iter(), Time::Post);
            draft.constrain(values.exprs, uninitialised);
            // Arbitrary is what a parameter is by itself.
            draft.assigns.retain(|assign| assign.value.is_some() || !is_of(params, assign.var));
            draft.rel(values)
        });
        let back = self.values(number, false, |values| {
            let mut draft = Draft::new();
            if let (Some(target), Some(result)) = (target, &result) {
                let before = values.types.errors.len();
                let stored = values.part(target).and_then(|part| {
                    let mut target = whole(part);
                    target.time = Time::Post;
                    let source = Source::Whole(all_of(result, Time::Pre));
                    store(values, &mut draft, target, source)
                });
                if stored.is_none() && values.types.errors.len() == before {
                    let kind = LowerErrorKind::Shape("the target and the result of the module are");
                    values.types.error(kind, tree.expr(target).span);
                }
            }
            draft.rel(values)
        });
        if enter.guard != Exprs::FALSE {
            let proc = self.modules[called].proc;
            self.builder.call(node, proc, enter, next, back);
        }
    }
}

fn is_of(entities: &[Entity], var: VarId) -> bool {
    entities.iter().any(|entity| entity.leaves.iter().any(|leaf| leaf.var == var))
}
