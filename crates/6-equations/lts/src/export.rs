//! Formulas written down as equation systems: modal ones, and parameterised boolean ones on a
//! model. (Plain boolean ones: `bes::Bes::explore` of a [`question`](crate::question).)

use std::fmt::Write;

use bes::data::{Expr, Signature, Sort, Value};
use bes::lex::{Dialect, SyntaxError, SyntaxErrorKind};
use bes::param::{Formulas, Node, free_slots};
use bes::{Op, Sign};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::blk::{End, Equation, ModalSystem, Part};
use crate::mu::{Action, Formula, Offer};
use crate::{ExplicitLts, Lts, split};

fn unsupported(what: &str) -> SyntaxError {
    SyntaxError::new(SyntaxErrorKind::Unsupported(what.to_owned()), Span::new(0, 0))
}

type Slots = Vec<(u32, Value)>;

/// Refuses what only enumerations, numbers and names can be translated for.
fn plain_data(formula: &Formula) -> Result<(), SyntaxError> {
    if formula.signature.is_rich() {
        return Err(unsupported("a translation of structured sorts and functions"));
    }
    if formula.actions.iter().any(|action| matches!(action, Action::Multi(_))) {
        return Err(unsupported("a translation of actions of several parts"));
    }
    for action in &formula.actions {
        if let Action::Quantifier { slots, body, .. } = action {
            for &slot in slots {
                if formula.slots[slot as usize].sort.is_number() {
                    numbers_only_in_offers(&formula.actions, *body, slot, &formula.signature)?;
                }
            }
        }
    }
    Ok(())
}

/// Quantifiers in action formulas are expanded up to this nesting.
const DEEPEST: u32 = 16;

/// A formula as a modal equation system.
///
/// Data are instantiated, as [pbes §5.1] does by hand: parameters and quantifiers range over finite
/// sorts, `Var` being `names`: those of the labels of a model. Without a model nobody knows the values
/// of that sort, and a formula that needs them is no modal system. A modality that binds a data
/// variable becomes one for each value. `None` where `go_on`, which is asked now and then, says no.
pub fn to_modal_system(
    formula: &Formula,
    names: Option<&[&str]>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<ModalSystem>, SyntaxError> {
    plain_data(formula)?;
    let lowered = formula.lower()?;
    let mut formulas = lowered.formulas;
    for name in names.unwrap_or_default() {
        if let Value::Symbol(symbol) = formulas.signature.read(name)
            && !formulas.variables.contains(&symbol)
        {
            formulas.variables.push(symbol);
        }
    }
    let free = free_slots(&formulas).ok_or_else(|| unsupported("so many nested variables"))?;
    // Neighbouring predicates of one sign share a block.
    let mut blocks: Vec<(Sign, String)> = Vec::new();
    let mut block_of = Vec::new();
    for predicate in &formulas.predicates {
        if blocks.last().is_none_or(|(sign, _)| *sign != predicate.sign) {
            blocks.push((predicate.sign, format!("B{}", blocks.len())));
        }
        block_of.push(blocks.len() as u32 - 1);
    }
    let mut run = Modal {
        formula,
        formulas: &formulas,
        model: names.is_some(),
        sources: &lowered.sources,
        free: &free,
        block_of: &block_of,
        ids: FxHashMap::default(),
        pending: Vec::new(),
        equations: Vec::new(),
        names: FxHashSet::default(),
        actions: Formula {
            dialect: Dialect::Cadp,
            signature: formulas.signature.clone(),
            slots: formula.slots.clone(),
            states: Vec::new(),
            regulars: Vec::new(),
            actions: Vec::new(),
            binders: Vec::new(),
            root: 0,
            spans: Vec::new(),
        },
    };
    let main = formulas.predicates[formulas.initial as usize].body;
    run.equation(main, &Vec::new());
    while let Some((id, node, slots)) = run.pending.pop() {
        if !go_on() {
            return Ok(None);
        }
        let (op, parts) = run.parts(node, &slots)?;
        run.equations[id as usize].op = op;
        run.equations[id as usize].parts = parts;
        if run.equations.len() > 1_000_000 {
            return Err(unsupported("a system of more than a million equations"));
        }
    }
    // Blocks in order; numbers follow.
    let mut order: Vec<u32> = (0..run.equations.len() as u32).collect();
    order.sort_by_key(|&id| run.equations[id as usize].block);
    let mut number = vec![0u32; order.len()];
    for (at, &id) in order.iter().enumerate() {
        number[id as usize] = at as u32;
    }
    let mut equations: Vec<Equation> =
        order.iter().map(|&id| run.equations[id as usize].clone()).collect();
    for equation in &mut equations {
        for part in &mut equation.parts {
            if let End::Variable(id) = &mut part.end {
                *id = number[*id as usize];
            }
        }
    }
    let used: Vec<bool> = (0..blocks.len() as u32)
        .map(|block| equations.iter().any(|equation| equation.block == block))
        .collect();
    for equation in &mut equations {
        let empty = used[..equation.block as usize].iter().filter(|used| !**used).count();
        equation.block -= empty as u32;
    }
    let mut keep = used.iter();
    blocks.retain(|_| *keep.next().unwrap_or(&true));
    Ok(Some(ModalSystem {
        blocks,
        equations,
        initial: number[0],
        arguments: Vec::new(),
        actions: run.actions,
    }))
}

struct Modal<'a> {
    formula: &'a Formula,
    /// The values of sort `Var` are known.
    model: bool,
    formulas: &'a Formulas,
    sources: &'a [u32],
    free: &'a [Box<[u32]>],
    block_of: &'a [u32],
    ids: FxHashMap<(u32, Slots), u32>,
    pending: Vec<(u32, u32, Slots)>,
    equations: Vec<Equation>,
    /// The names that were given.
    names: FxHashSet<String>,
    actions: Formula,
}

fn lookup(slots: &Slots, slot: u32) -> Option<Value> {
    slots.iter().find(|(s, _)| *s == slot).map(|&(_, value)| value)
}

fn set(slots: &Slots, slot: u32, value: Value) -> Slots {
    let mut slots = slots.clone();
    slots.retain(|(s, _)| *s != slot);
    slots.push((slot, value));
    slots
}

impl Modal<'_> {
    /// The equation of a node under values, which is made if there is none.
    fn equation(&mut self, node: u32, slots: &Slots) -> u32 {
        let mut mine: Slots = self.free[node as usize]
            .iter()
            .filter_map(|&slot| lookup(slots, slot).map(|value| (slot, value)))
            .collect();
        mine.sort_unstable();
        let key = (node, mine);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.equations.len() as u32;
        let owner = self.formulas.owners[node as usize];
        let predicate = &self.formulas.predicates[owner as usize];
        let mut name = predicate.name.clone();
        for (_, value) in &key.1 {
            name.push('_');
            let shown = self.formulas.signature.show(*value);
            name.extend(shown.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
        }
        if matches!(name.as_str(), "TRUE" | "FALSE" | "end" | "true" | "false" | "or" | "and") {
            name.push_str("_n");
        }
        let plain = name.clone();
        while !self.names.insert(name.clone()) {
            name = format!("{plain}_n{id}");
            if self.names.contains(&name) {
                name.push('_');
            }
        }
        let block = self.block_of[owner as usize];
        self.equations.push(Equation {
            block,
            name,
            parameters: Vec::new(),
            op: Op::Or,
            parts: Vec::new(),
        });
        self.pending.push((id, node, key.1.clone()));
        self.ids.insert(key, id);
        id
    }

    fn eval(&self, expr: &Expr, slots: &Slots) -> Result<Value, SyntaxError> {
        let closed = expr.substituted(&|slot| lookup(slots, slot));
        if closed.slots(&self.formulas.signature).next().is_some() {
            return Err(unsupported("a data variable without a value"));
        }
        closed.eval(&[]).ok_or_else(|| unsupported("an expression without a value"))
    }

    fn domain(&self, slot: u32) -> Result<Vec<Value>, SyntaxError> {
        match self.formulas.slots[slot as usize].sort {
            Sort::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Var if !self.model => {
                Err(unsupported("a value of sort `Var` without `--model`, whose labels have them,"))
            }
            Sort::Var => Ok(self.formulas.variables.iter().map(|&v| Value::Symbol(v)).collect()),
            Sort::Enum(e) => {
                let elements = &self.formulas.signature.enumerations[e as usize].elements;
                Ok(elements.iter().map(|&s| Value::Symbol(s)).collect())
            }
            _ => Err(unsupported("a modal system over infinitely many numbers")),
        }
    }

    /// All values of some slots.
    fn choices(&self, slots: &Slots, free: &[u32]) -> Result<Vec<Slots>, SyntaxError> {
        let mut choices: Vec<Slots> = vec![slots.clone()];
        for &slot in free {
            let values = self.domain(slot)?;
            choices = choices
                .iter()
                .flat_map(|slots| values.iter().map(|&value| set(slots, slot, value)))
                .collect();
        }
        Ok(choices)
    }

    /// The right-hand side of a node.
    fn parts(&mut self, node: u32, slots: &Slots) -> Result<(Op, Vec<Part>), SyntaxError> {
        let formulas = self.formulas;
        let (op, mut parts) = match &formulas.nodes[node as usize] {
            Node::Many(op, children) => {
                let mut parts = Vec::new();
                // What a test decides needs nothing else, which may have no end.
                let mut decided = None;
                for &child in children {
                    if let Node::Test(test) = &formulas.nodes[child as usize]
                        && self.eval(test, slots)? == Value::Bool(!op.neutral())
                    {
                        decided = Some(child);
                        break;
                    }
                }
                for &child in decided.as_ref().map_or(&children[..], std::slice::from_ref) {
                    parts.push(self.part(child, slots)?);
                }
                (*op, parts)
            }
            Node::Quantifier { op, slot, range, body } => {
                let values = match range {
                    None => self.domain(*slot)?,
                    Some((low, high)) => match (self.eval(low, slots)?, self.eval(high, slots)?) {
                        (Value::Int(low), Value::Int(high))
                            if high.saturating_sub(low) < 10_000 =>
                        {
                            (low..=high).map(Value::Int).collect()
                        }
                        _ => return Err(unsupported("a quantifier over more than 10,000 values")),
                    },
                };
                let mut parts = Vec::new();
                for value in values {
                    parts.push(self.part(*body, &set(slots, *slot, value))?);
                }
                (*op, parts)
            }
            Node::Modality { op, action, binds, body, .. } => {
                let carried: Vec<u32> = binds
                    .iter()
                    .copied()
                    .filter(|slot| self.free[*body as usize].binary_search(slot).is_ok())
                    .collect();
                let mut parts = Vec::new();
                for choice in self.choices(slots, &carried)? {
                    let action = self.action(self.sources[*action as usize], &choice, &carried)?;
                    let mut part = self.part(*body, &choice)?;
                    part.modalities.insert(0, (*op == Op::And, action));
                    parts.push(part);
                }
                (*op, parts)
            }
            _ => (Op::Or, vec![self.part(node, slots)?]),
        };
        match parts.len() {
            0 => {
                let end = End::Constant(op.neutral());
                parts.push(Part { modalities: Vec::new(), end, arguments: Vec::new() });
                Ok((Op::Or, parts))
            }
            1 => Ok((Op::Or, parts)),
            _ => Ok((op, parts)),
        }
    }

    /// A node as a part of a right-hand side: modalities with nothing to choose, then a variable.
    fn part(&mut self, mut node: u32, slots: &Slots) -> Result<Part, SyntaxError> {
        let mut modalities = Vec::new();
        let end = loop {
            match &self.formulas.nodes[node as usize] {
                Node::Constant(value) => break End::Constant(*value),
                Node::Test(expr) => {
                    break End::Constant(self.eval(expr, slots)? == Value::Bool(true));
                }
                Node::Call(predicate, arguments) => {
                    let predicate = &self.formulas.predicates[*predicate as usize];
                    let mut inner = slots.clone();
                    for (&slot, argument) in predicate.parameters.iter().zip(arguments) {
                        let value = self.eval(argument, slots)?;
                        if matches!((value, self.formulas.slots[slot as usize].sort.least()),
                            (Value::Int(n), Some(least)) if n < least)
                        {
                            return Err(unsupported("a number outside of its sort"));
                        }
                        inner = set(&inner, slot, value);
                    }
                    break End::Variable(self.equation(predicate.body, &inner));
                }
                Node::Modality { op, action, binds, body, .. }
                    if !binds.iter().any(|slot| self.free[*body as usize].contains(slot)) =>
                {
                    let action = self.action(self.sources[*action as usize], slots, &[])?;
                    modalities.push((*op == Op::And, action));
                    node = *body;
                }
                _ => break End::Variable(self.equation(node, slots)),
            }
        };
        Ok(Part { modalities, end, arguments: Vec::new() })
    }

    /// A copy of an action formula with values in place of data variables.
    fn action(&mut self, root: u32, slots: &Slots, carried: &[u32]) -> Result<u32, SyntaxError> {
        self.action_within(root, slots, carried, 0)
    }

    fn action_within(
        &mut self,
        root: u32,
        slots: &Slots,
        carried: &[u32],
        depth: u32,
    ) -> Result<u32, SyntaxError> {
        let value = |slot: u32| lookup(slots, slot);
        let formula = self.formula;
        let mut done: FxHashMap<u32, u32> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            let action = &formula.actions[node as usize];
            let children: Vec<u32> = match action {
                Action::Not(a) => vec![*a],
                Action::And(a, b)
                | Action::Or(a, b)
                | Action::Imply(a, b)
                | Action::Equal(a, b) => vec![*a, *b],
                _ => Vec::new(),
            };
            if let Some(&child) = children.iter().find(|child| !done.contains_key(child)) {
                stack.push(child);
                continue;
            }
            let new = match action {
                Action::Constant(_) | Action::Tau | Action::Label(_) | Action::Regexp(_) => {
                    action.clone()
                }
                Action::Multi(_) => return Err(unsupported("an action of several parts")),
                Action::Val(expr) => Action::Constant(self.eval(expr, slots)? == Value::Bool(true)),
                Action::Gate { gate, offers, more, guard } => {
                    if !gate.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                        return Err(unsupported("a gate that is no name"));
                    }
                    let offers = offers.iter().map(|offer| match offer {
                        Offer::Send(expr) => match self.eval(expr, slots) {
                            Ok(value) => Offer::Send(Expr::value(value, expr.sort)),
                            // It uses what another offer binds.
                            Err(_) => Offer::Send(expr.substituted(&value)),
                        },
                        Offer::Receive(slot) if carried.contains(slot) => {
                            let sort = self.formula.slots[*slot as usize].sort;
                            let fixed = value(*slot).unwrap_or(Value::Bool(false));
                            Offer::Send(Expr::value(fixed, sort))
                        }
                        Offer::Receive(slot) => Offer::Receive(*slot),
                        Offer::Any => Offer::Any,
                    });
                    Action::Gate {
                        gate: gate.clone(),
                        offers: offers.collect(),
                        more: *more,
                        guard: guard.as_ref().map(|guard| guard.substituted(&value)),
                    }
                }
                Action::Quantifier { all, slots: quantified, body } => {
                    if depth == DEEPEST {
                        return Err(unsupported("so many quantifiers in an action formula"));
                    }
                    let mut parts = Vec::new();
                    for choice in self.choices(slots, quantified)? {
                        parts.push(self.action_within(*body, &choice, carried, depth + 1)?);
                    }
                    let add = |actions: &mut Vec<Action>, action| {
                        actions.push(action);
                        actions.len() as u32 - 1
                    };
                    let actions = &mut self.actions.actions;
                    let joined = parts.into_iter().reduce(|a, b| {
                        add(actions, if *all { Action::And(a, b) } else { Action::Or(a, b) })
                    });
                    let joined = joined.unwrap_or_else(|| add(actions, Action::Constant(*all)));
                    done.insert(node, joined);
                    stack.pop();
                    continue;
                }
                Action::Not(a) => Action::Not(done[a]),
                Action::And(a, b) => Action::And(done[a], done[b]),
                Action::Or(a, b) => Action::Or(done[a], done[b]),
                Action::Imply(a, b) => Action::Imply(done[a], done[b]),
                Action::Equal(a, b) => Action::Equal(done[a], done[b]),
            };
            self.actions.actions.push(new);
            done.insert(node, self.actions.actions.len() as u32 - 1);
            stack.pop();
        }
        Ok(done[&root])
    }
}

/// A formula on a model as a parameterised boolean equation system, in mCRL2's text format.
///
/// Every predicate gets the state as its first parameter, `s`, and the data variables around it as
/// further ones. A modality becomes an equation that lists the transitions its action admits.
/// `None` where `go_on`, which is asked now and then, says no.
pub fn to_pbes(
    formula: &Formula,
    lts: &ExplicitLts,
    tau: &[&str],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<String>, SyntaxError> {
    plain_data(formula)?;
    let lowered = formula.lower()?;
    let mut formulas = lowered.formulas;
    let labels: Vec<(String, String, Vec<Value>)> = lts
        .all_labels()
        .iter()
        .map(|label| {
            let (gate, values) = split(label);
            let values = values.iter().map(|value| formulas.signature.read(value)).collect();
            ((*label).to_owned(), gate.to_owned(), values)
        })
        .collect();
    let mut names: Vec<u32> = Vec::new();
    for (_, _, values) in &labels {
        for value in values {
            if let Value::Symbol(symbol) = value
                && !names.contains(symbol)
            {
                names.push(*symbol);
            }
        }
    }
    let free = free_slots(&formulas).ok_or_else(|| unsupported("so many nested variables"))?;
    // The same symbols under names that the format allows.
    let mut signature = Signature::default();
    for symbol in 0..formulas.signature.symbols() {
        signature.symbol(&format!("v{symbol}_{}", plain(formulas.signature.symbol_name(symbol))));
    }
    let run =
        Text { formulas: &formulas, formula, free: &free, signature: &signature, names: &names };
    let mut out = String::new();
    let uses_names = formulas.slots.iter().any(|slot| slot.sort.is_symbol());
    if signature.symbols() > 0 || uses_names {
        let elements: Vec<&str> =
            (0..signature.symbols()).map(|symbol| signature.symbol_name(symbol)).collect();
        // Nothing ranges over a sort without values, but it must be there.
        let elements = if elements.is_empty() { vec!["none"] } else { elements };
        _ = writeln!(out, "sort Name = struct {};", elements.join(" | "));
    }
    out.push_str("pbes\n");
    for (number, predicate) in formulas.predicates.iter().enumerate() {
        let sign = predicate.sign.word();
        let head = run.parameters(predicate.body, &predicate.parameters);
        let body = run.show(predicate.body)?;
        _ = writeln!(out, "{sign} P{number}({head}) = {body};");
        for node in 0..formulas.nodes.len() as u32 {
            if formulas.owners[node as usize] != number as u32 {
                continue;
            }
            let Node::Modality { op, action, binds, body, .. } = &formulas.nodes[node as usize]
            else {
                continue;
            };
            let source = lowered.sources[*action as usize];
            let mut terms = Vec::new();
            for from in 0..lts.states() {
                if !go_on() {
                    return Ok(None);
                }
                for &(label, to) in lts.from(from) {
                    let label = &labels[label as usize];
                    let internal = tau.contains(&label.0.as_str());
                    let mut bound: Slots = Vec::new();
                    let admits = run.admits(source, label, internal, &mut bound)?;
                    if admits == "false" {
                        continue;
                    }
                    let mut arguments = vec![to.to_string()];
                    for &slot in run.free[*body as usize].iter() {
                        arguments.push(
                            match lookup(&bound, slot).filter(|_| binds.contains(&slot)) {
                                Some(value) => run.value(value),
                                None => run.slot(slot),
                            },
                        );
                    }
                    let target = format!("T{node}({})", arguments.join(", "));
                    let term = match op {
                        Op::Or => format!("(val(s == {from} && {admits}) && {target})"),
                        Op::And => format!("(val(s == {from} && {admits}) => {target})"),
                    };
                    terms.push((from, term));
                }
            }
            let rows = by_state(terms, *op);
            let head = run.parameters(node, &[]);
            _ = writeln!(out, "{sign} M{node}({head}) = {rows};");
            let head = run.parameters(*body, &[]);
            _ = writeln!(out, "{sign} T{node}({head}) = {};", run.show(*body)?);
        }
    }
    _ = writeln!(out, "\ninit P{}({});", formulas.initial, lts.initial_state());
    Ok(Some(out))
}

/// Terms for single states, in the order of these, as one formula. Where there are many, conditions on
/// the state find the few of one state: to look at all of them in every state would be quadratic.
fn by_state(terms: Vec<(u32, String)>, op: Op) -> String {
    const FEW: usize = 16;
    let joint = if op == Op::Or { " || " } else { " && " };
    // The first state of each part, and its text; no state is in two parts.
    let mut parts: Vec<(u32, String)> = Vec::new();
    let few = terms.len() <= FEW;
    let mut last = None;
    let mut count = 0;
    for (state, term) in terms {
        match parts.last_mut() {
            Some((_, text)) if few || count < FEW || last == Some(state) => {
                text.push_str(joint);
                text.push_str(&term);
            }
            _ => {
                parts.push((state, term));
                count = 0;
            }
        }
        last = Some(state);
        count += 1;
    }
    while parts.len() > 1 {
        let mut pairs = parts.into_iter();
        let mut joined = Vec::with_capacity(pairs.len().div_ceil(2));
        while let Some((first, low)) = pairs.next() {
            let Some((from, high)) = pairs.next() else {
                joined.push((first, low));
                break;
            };
            let then = if op == Op::Or { "&&" } else { "=>" };
            let text = format!(
                "(val(s < {from}) {then} ({low})){joint}(val(s >= {from}) {then} ({high}))"
            );
            joined.push((first, text));
        }
        parts = joined;
    }
    parts.pop().map_or(op.neutral().to_string(), |(_, text)| text)
}

/// A name's characters as far as they may stand in names.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

struct Text<'a> {
    formulas: &'a Formulas,
    formula: &'a Formula,
    free: &'a [Box<[u32]>],
    signature: &'a Signature,
    /// The values of sort `Var`.
    names: &'a [u32],
}

impl Text<'_> {
    fn slot(&self, slot: u32) -> String {
        format!("{}_{slot}", plain(&self.formulas.slots[slot as usize].name))
    }

    fn value(&self, value: Value) -> String {
        match value {
            Value::Int(n) if n < 0 => format!("({n})"),
            _ => self.signature.show(value),
        }
    }

    /// The values of a sort of names.
    fn symbols(&self, sort: Sort) -> Option<Vec<u32>> {
        match sort {
            Sort::Var => Some(self.names.to_vec()),
            Sort::Enum(e) => {
                Some(self.formulas.signature.enumerations[e as usize].elements.clone())
            }
            _ => None,
        }
    }

    fn expr(&self, expr: &Expr, bound: &Slots) -> String {
        let expr = expr.substituted(&|slot| lookup(bound, slot));
        expr.show(self.signature, &|slot| self.slot(slot))
    }

    fn declaration(&self, slot: u32) -> String {
        let sort = match self.formulas.slots[slot as usize].sort {
            // All names are in one sort; quantifiers say which of them they mean.
            Sort::Var | Sort::Enum(_) => "Name".to_owned(),
            sort => self.signature.sort_name(sort),
        };
        format!("{}: {sort}", self.slot(slot))
    }

    /// The state, the parameters of a predicate, and what else its body depends on.
    fn parameters(&self, body: u32, parameters: &[u32]) -> String {
        let mut all = vec!["s: Nat".to_owned()];
        all.extend(parameters.iter().map(|&slot| self.declaration(slot)));
        let around = self.free[body as usize].iter().filter(|slot| !parameters.contains(slot));
        all.extend(around.map(|&slot| self.declaration(slot)));
        all.join(", ")
    }

    /// A formula, in the state `s`.
    fn show(&self, root: u32) -> Result<String, SyntaxError> {
        enum Task {
            Node(u32),
            Text(String),
        }
        let mut out = String::new();
        let mut tasks = vec![Task::Node(root)];
        while let Some(task) = tasks.pop() {
            let node = match task {
                Task::Text(text) => {
                    out.push_str(&text);
                    continue;
                }
                Task::Node(node) => node,
            };
            match &self.formulas.nodes[node as usize] {
                Node::Constant(value) => _ = write!(out, "{value}"),
                Node::Test(expr) => _ = write!(out, "val({})", self.expr(expr, &Vec::new())),
                Node::Call(predicate, arguments) => {
                    let target = &self.formulas.predicates[*predicate as usize];
                    let mut all = vec!["s".to_owned()];
                    all.extend(arguments.iter().map(|e| self.expr(e, &Vec::new())));
                    let around = self.free[target.body as usize].iter();
                    let around = around.filter(|slot| !target.parameters.contains(slot));
                    all.extend(around.map(|&slot| self.slot(slot)));
                    _ = write!(out, "P{predicate}({})", all.join(", "));
                }
                Node::Modality { .. } => {
                    let mut all = vec!["s".to_owned()];
                    all.extend(self.free[node as usize].iter().map(|&slot| self.slot(slot)));
                    _ = write!(out, "M{node}({})", all.join(", "));
                }
                Node::Quantifier { op, slot, range, body } => {
                    let word = if *op == Op::And { "forall" } else { "exists" };
                    let symbols = self.symbols(self.formulas.slots[*slot as usize].sort);
                    if symbols.as_ref().is_some_and(Vec::is_empty) {
                        _ = write!(out, "{}", op.neutral());
                        continue;
                    }
                    _ = write!(out, "({word} {}. ", self.declaration(*slot));
                    if let Some(symbols) = symbols {
                        let x = self.slot(*slot);
                        let one = |&v: &u32| format!("{x} == {}", self.value(Value::Symbol(v)));
                        let any: Vec<String> = symbols.iter().map(one).collect();
                        let joint = if *op == Op::And { "=>" } else { "&&" };
                        _ = write!(out, "val({}) {joint} ", any.join(" || "));
                    }
                    if let Some((low, high)) = range {
                        let x = self.slot(*slot);
                        let (low, high) =
                            (self.expr(low, &Vec::new()), self.expr(high, &Vec::new()));
                        let joint = if *op == Op::And { "=>" } else { "&&" };
                        _ = write!(out, "val({x} >= {low} && {x} <= {high}) {joint} ");
                    }
                    tasks.push(Task::Text(")".to_owned()));
                    tasks.push(Task::Node(*body));
                }
                Node::Many(op, children) => {
                    if children.is_empty() {
                        _ = write!(out, "{}", op.neutral());
                        continue;
                    }
                    out.push('(');
                    tasks.push(Task::Text(")".to_owned()));
                    let joint = if *op == Op::Or { " || " } else { " && " };
                    for (i, &child) in children.iter().enumerate().rev() {
                        tasks.push(Task::Node(child));
                        if i > 0 {
                            tasks.push(Task::Text(joint.to_owned()));
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// The condition under which an action formula admits a label.
    fn admits(
        &self,
        root: u32,
        label: &(String, String, Vec<Value>),
        internal: bool,
        bound: &mut Slots,
    ) -> Result<String, SyntaxError> {
        self.admits_within(root, label, internal, bound, 0)
    }

    fn admits_within(
        &self,
        root: u32,
        label: &(String, String, Vec<Value>),
        internal: bool,
        bound: &mut Slots,
        depth: u32,
    ) -> Result<String, SyntaxError> {
        let mut done: FxHashMap<u32, String> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            let action = &self.formula.actions[node as usize];
            let children: Vec<u32> = match action {
                Action::Not(a) => vec![*a],
                Action::And(a, b)
                | Action::Or(a, b)
                | Action::Imply(a, b)
                | Action::Equal(a, b) => vec![*a, *b],
                _ => Vec::new(),
            };
            if let Some(&child) = children.iter().find(|child| !done.contains_key(child)) {
                stack.push(child);
                continue;
            }
            let text = match action {
                Action::Constant(value) => value.to_string(),
                Action::Tau => internal.to_string(),
                Action::Label(text) => (*text == label.0).to_string(),
                Action::Regexp(regexp) => regexp.matches(&label.0).to_string(),
                Action::Multi(_) => return Err(unsupported("an action of several parts")),
                Action::Val(expr) => format!("({})", self.expr(expr, bound)),
                Action::Gate { gate, offers, more, guard } => {
                    self.gate(gate, offers, *more, guard.as_ref(), label, bound)
                }
                Action::Quantifier { all, slots, body } => {
                    if depth == DEEPEST {
                        return Err(unsupported("so many quantifiers in an action formula"));
                    }
                    let mut choices: Vec<Slots> = vec![bound.clone()];
                    for &slot in slots {
                        let sort = self.formulas.slots[slot as usize].sort;
                        let values = match (self.symbols(sort), sort) {
                            (Some(symbols), _) => symbols.into_iter().map(Value::Symbol).collect(),
                            (None, Sort::Bool) => vec![Value::Bool(false), Value::Bool(true)],
                            // As where action formulas are evaluated: these stand for all.
                            _ => numbers(&label.2, sort),
                        };
                        choices = choices
                            .iter()
                            .flat_map(|bound| values.iter().map(|&value| set(bound, slot, value)))
                            .collect();
                    }
                    let mut parts = Vec::new();
                    for mut choice in choices {
                        let part =
                            self.admits_within(*body, label, internal, &mut choice, depth + 1)?;
                        if part != all.to_string() {
                            parts.push(part);
                        }
                    }
                    let decided = (!all).to_string();
                    match parts.len() {
                        0 => all.to_string(),
                        _ if parts.contains(&decided) => decided,
                        _ => format!("({})", parts.join(if *all { " && " } else { " || " })),
                    }
                }
                Action::Not(a) => match done[a].as_str() {
                    "true" => "false".to_owned(),
                    "false" => "true".to_owned(),
                    text => format!("!({text})"),
                },
                Action::And(a, b) => match (done[a].as_str(), done[b].as_str()) {
                    ("false", _) | (_, "false") => "false".to_owned(),
                    ("true", x) | (x, "true") => x.to_owned(),
                    (x, y) => format!("({x} && {y})"),
                },
                Action::Or(a, b) => match (done[a].as_str(), done[b].as_str()) {
                    ("true", _) | (_, "true") => "true".to_owned(),
                    ("false", x) | (x, "false") => x.to_owned(),
                    (x, y) => format!("({x} || {y})"),
                },
                Action::Imply(a, b) => format!("({} => {})", done[a], done[b]),
                Action::Equal(a, b) => format!("({} == {})", done[a], done[b]),
            };
            done.insert(node, text);
            stack.pop();
        }
        Ok(done.remove(&root).unwrap_or_default())
    }

    fn gate(
        &self,
        gate: &str,
        offers: &[Offer],
        more: bool,
        guard: Option<&Expr>,
        label: &(String, String, Vec<Value>),
        bound: &mut Slots,
    ) -> String {
        let values = &label.2;
        let fits = offers.len() == values.len() || (more && offers.len() < values.len());
        if label.1 != gate || !fits {
            return "false".to_owned();
        }
        let mut conditions = Vec::new();
        for (offer, &value) in offers.iter().zip(values) {
            match offer {
                Offer::Any => {}
                Offer::Receive(slot) => {
                    let fits = match (value, self.formulas.slots[*slot as usize].sort) {
                        (Value::Bool(_), Sort::Bool) | (Value::Int(_), Sort::Int) => true,
                        (Value::Int(n), sort @ (Sort::Nat | Sort::Pos)) => {
                            n >= sort.least().unwrap_or(0)
                        }
                        (Value::Symbol(_), Sort::Var) => true,
                        (Value::Symbol(v), sort) => {
                            self.symbols(sort).is_some_and(|symbols| symbols.contains(&v))
                        }
                        _ => false,
                    };
                    if !fits {
                        return "false".to_owned();
                    }
                    *bound = set(bound, *slot, value);
                }
                Offer::Send(expr) => {
                    let expr = expr.substituted(&|slot| lookup(bound, slot));
                    if expr.slots(&self.formulas.signature).next().is_none() {
                        if expr.eval(&[]) != Some(value) {
                            return "false".to_owned();
                        }
                        continue;
                    }
                    let comparable = match value {
                        Value::Bool(_) => expr.sort == Sort::Bool,
                        Value::Int(_) => expr.sort.is_number(),
                        Value::Symbol(_) => expr.sort.is_symbol(),
                        Value::Term(_) => false,
                    };
                    if !comparable {
                        return "false".to_owned();
                    }
                    conditions.push(format!(
                        "({}) == {}",
                        self.expr(&expr, &Vec::new()),
                        self.value(value)
                    ));
                }
            }
        }
        if let Some(guard) = guard {
            let guard = guard.substituted(&|slot| lookup(bound, slot));
            if guard.slots(&self.formulas.signature).next().is_some() {
                conditions.push(format!("({})", self.expr(&guard, &Vec::new())));
            } else if guard.eval(&[]) != Some(Value::Bool(true)) {
                return "false".to_owned();
            }
        }
        match conditions.len() {
            0 => "true".to_owned(),
            _ => format!("({})", conditions.join(" && ")),
        }
    }
}

/// The numbers of a label, and one that is none of them and stands for all others.
///
/// Exact where a quantified number is only compared with a label's values.
fn numbers(label: &[Value], sort: Sort) -> Vec<Value> {
    let least = sort.least().unwrap_or(i64::MIN);
    let mut values: Vec<i64> = label
        .iter()
        .filter_map(|value| match value {
            Value::Int(n) if *n >= least => Some(*n),
            _ => None,
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    let mut other = sort.least().unwrap_or(0);
    while values.binary_search(&other).is_ok() {
        other += 1;
    }
    values.push(other);
    values.into_iter().map(Value::Int).collect()
}

/// Refuses what `numbers` is not exact for.
fn numbers_only_in_offers(
    actions: &[Action],
    root: u32,
    slot: u32,
    signature: &Signature,
) -> Result<(), SyntaxError> {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let uses = |expr: &Expr| expr.slots(signature).any(|s| s == slot);
        let bad = match &actions[node as usize] {
            Action::Val(expr) => uses(expr),
            Action::Gate { offers, guard, .. } => guard.as_ref().is_some_and(uses)
                || offers.iter().any(
                    |offer| matches!(offer, Offer::Send(e) if uses(e) && e.as_slot() != Some(slot)),
                ),
            Action::Not(a) | Action::Quantifier { body: a, .. } => {
                stack.push(*a);
                false
            }
            Action::And(a, b) | Action::Or(a, b) | Action::Imply(a, b) | Action::Equal(a, b) => {
                stack.extend([*a, *b]);
                false
            }
            _ => false,
        };
        if bad {
            let what = "a number that an action formula quantifies over and calculates with";
            let kind = SyntaxErrorKind::Unsupported(what.to_owned());
            return Err(SyntaxError::new(kind, Span::new(0, 0)));
        }
    }
    Ok(())
}
