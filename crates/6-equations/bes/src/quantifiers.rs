//! Quantifiers of parameterised systems: which values are tried.
//!
//! QV1: a sort with few values: all of them.
//! QV2: the values outside of which the body is neutral ([`one_point`](crate::one_point)).
//! QV3: where it is decided outside of some values, and the sort has others: that.
//! QV4: where it does not depend on the value outside of some: these, and one more.
//! QV5: numbers, one after the other, until the body is the same for all that follow, by intervals.
//! QV6: before QV5, values that are compared with those of labels and with constants, and used for nothing else, in
//!     fixpoints below too, as whole parameters of theirs included: all values of the sort in labels, these constants, and
//!     one more value ([`another`](crate::another)), which stands for the others: exchanging two of these everywhere
//!     changes no answer. Variables that they are compared with are used like that, too: the values of those outside
//!     are such constants, and those that a quantifier below binds go through all values in turn.
//!
//! What no rule bounds is refused.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

use crate::Op;
use crate::another::another;
use crate::data::{Binary, Expr, Instr, Sort, Value, children, starts};
use crate::intervals::{Abstract, Known};
use crate::one_point::{Analysis, Outside};
use crate::param::{Instance, Model, Node, ParamError, Predicate, Vertex, Work};
use crate::rewrite::Effort;

/// The most values of a sort that QV1 takes without a look at the body.
const FEW: usize = 16;
/// How many nodes in states are looked at for one quantifier.
const MOST_FOLLOWED: usize = 1 << 12;

/// What a variable is compared with (QV6).
#[derive(Clone, Default, Debug)]
pub(crate) struct Compared {
    constants: Vec<Value>,
    /// Variables that are bound outside.
    with: Vec<u32>,
}

impl<M: Model> Instance<M> {
    /// Puts the body of a quantifier on the pile, for each value that can matter.
    pub(crate) fn quantify(&mut self, vertex: Vertex<M::State>) -> Result<(), ParamError> {
        let Node::Quantifier { op, slot, body, .. } = self.formulas.nodes[vertex.node as usize]
        else {
            return Ok(());
        };
        let sort = self.formulas.slots[slot as usize].sort;
        let listed = match sort {
            Sort::Var => {
                Some(self.formulas.variables.iter().map(|&s| Value::Symbol(s)).collect::<Vec<_>>())
            }
            _ => self.data.values(sort),
        };
        if let Some(values) = &listed
            && (values.len() <= FEW || sort == Sort::Var)
        {
            return self.each(vertex, slot, body, values);
        }
        let found = self.relevant(body, slot, vertex.state)?;
        self.load(&vertex);
        let (neutral, decided) = match op {
            Op::And => (&found.truth, &found.falsity),
            Op::Or => (&found.falsity, &found.truth),
        };
        let list =
            |candidates: &Option<crate::one_point::Candidates>| candidates.as_ref()?.list(sort);
        if let Some(mut values) = list(neutral) {
            values.retain(|&value| self.data.fits(value, sort));
            return self.each(vertex, slot, body, &values);
        }
        if let Some(values) = listed {
            return self.each(vertex, slot, body, &values);
        }
        let infinite = self.data.is_infinite(sort);
        if infinite && list(decided).is_some() {
            self.work.push(Work::Constant(!op.neutral()));
            return Ok(());
        }
        if sort.is_number()
            && let Some(mut values) = list(&found.same)
        {
            values.retain(|&value| self.data.fits(value, sort));
            let mut other = sort.least().unwrap_or(0);
            while values.contains(&Value::Int(other)) {
                other += 1;
            }
            values.push(Value::Int(other));
            return self.each(vertex, slot, body, &values);
        }
        if infinite && let Some(values) = self.in_labels(body, slot, sort) {
            return self.each(vertex, slot, body, &values);
        }
        if matches!(sort, Sort::Nat | Sort::Pos | Sort::Int) {
            self.work.push(Work::Numbers(vertex, 0));
            return Ok(());
        }
        let variable = self.formulas.slots[slot as usize].name.clone();
        Err(ParamError::Unbounded { variable, tried: 0 })
    }

    /// QV6.
    fn in_labels(&mut self, body: u32, slot: u32, sort: Sort) -> Option<Vec<Value>> {
        let compared = match self.compared.get(&(body, slot)) {
            Some(known) => known.clone(),
            None => self.only_compared(body, slot),
        };
        self.compared.insert((body, slot), compared.clone());
        let compared = compared?;
        let mut values = self.model.label_values(&mut self.data)?;
        values.extend(compared.constants);
        values.extend(compared.with.iter().map(|&slot| self.slots[slot as usize]));
        values.retain(|&value| self.data.fits(value, sort));
        values.sort_unstable();
        values.dedup();
        // What may be equal to others and is written differently stands for nothing.
        if !values.iter().all(|&value| self.data.terms.is_exact(value)) {
            return None;
        }
        let other = another(&self.data.signature, &mut self.data.terms, sort, &values)?;
        values.push(other);
        Some(values)
    }

    /// With what a slot is compared, if all that a node can come to compares it with that and with labels, hands it on as
    /// a whole, and does nothing else with it; the same for what it is compared with and a quantifier below binds.
    fn only_compared(&mut self, root: u32, asked: u32) -> Option<Compared> {
        let mut out = Compared::default();
        let mut seen: FxHashSet<(u32, u32)> = [(root, asked)].into_iter().collect();
        let mut stack = vec![(root, asked)];
        let mut parameters: FxHashSet<u32> = FxHashSet::default();
        // What binds a slot on the way: the bodies of quantifiers, or labels.
        let mut binders: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        loop {
            let Some((node, slot)) = stack.pop() else {
                let Some((one, other)) = pairs.pop() else { break };
                // Two sorts have other values to exchange, and what else a parameter is given is not known.
                let sort = |slot: u32| self.formulas.slots[slot as usize].sort;
                if parameters.contains(&one)
                    || parameters.contains(&other)
                    || sort(one) != sort(other)
                {
                    return None;
                }
                // A slot may have a value outside, and be bound again in a fixpoint that begins anew.
                // That of the quantifier itself is none.
                let outside = self.free[root as usize].binary_search(&other).is_ok();
                let bodies = binders.get(&other);
                if other != asked && (outside || bodies.is_none()) {
                    out.with.push(other);
                }
                let bodies = bodies.into_iter().flatten().map(|&body| (body, other));
                stack.extend(bodies.filter(|&pair| seen.insert(pair)));
                continue;
            };
            if self.free[node as usize].binary_search(&slot).is_err() {
                continue;
            }
            let uses =
                |expr: &crate::data::Expr| expr.slots(&self.data.signature).any(|s| s == slot);
            let below: &[u32] = match &self.formulas.nodes[node as usize] {
                Node::Constant(_) => &[],
                Node::Test(expr) => {
                    if uses(expr) {
                        let expr = expr.clone();
                        self.comparisons(&expr, slot, &mut out.constants, &mut pairs)?;
                    }
                    &[]
                }
                Node::Call(predicate, arguments) => {
                    let predicate = &self.formulas.predicates[*predicate as usize];
                    parameters.extend(&predicate.parameters);
                    for (argument, &parameter) in arguments.iter().zip(&predicate.parameters) {
                        let sort = |slot: u32| self.formulas.slots[slot as usize].sort;
                        if argument.as_slot() == Some(slot) && sort(slot) == sort(parameter) {
                            if seen.insert((predicate.body, parameter)) {
                                stack.push((predicate.body, parameter));
                            }
                        } else if uses(argument) {
                            return None;
                        }
                    }
                    std::slice::from_ref(&predicate.body)
                }
                Node::Quantifier { range: Some(_), .. } => return None,
                Node::Quantifier { slot, body, .. } => {
                    binders.entry(*slot).or_default().push(*body);
                    std::slice::from_ref(body)
                }
                Node::Modality { action, binds, body, .. } => {
                    if !self.model.only_compares(*action, slot, &self.data) {
                        return None;
                    }
                    for &slot in binds {
                        binders.entry(slot).or_default();
                    }
                    std::slice::from_ref(body)
                }
                Node::Many(_, children) => children,
            };
            let more = below.iter().map(|&child| (child, slot));
            stack.extend(more.filter(|&pair| seen.insert(pair)));
        }
        Some(out)
    }

    /// The constants and the slots that a slot is compared with, if an expression does nothing else with it.
    fn comparisons(
        &mut self,
        expr: &Expr,
        slot: u32,
        constants: &mut Vec<Value>,
        pairs: &mut Vec<(u32, u32)>,
    ) -> Option<()> {
        let code = &expr.code;
        let places = (0..code.len()).filter(|&i| code[i] == Instr::Slot(slot)).count();
        let all = expr.slots(&self.data.signature).filter(|&s| s == slot).count();
        let starts = starts(code);
        let (mut found, mut slots, mut values) = (0, Vec::new(), Vec::new());
        for (i, instr) in code.iter().enumerate() {
            if !matches!(instr, Instr::Binary(Binary::Equal | Binary::Unequal)) {
                continue;
            }
            let operands = children(code, &starts, i);
            for (mine, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                if code[mine] != Instr::Slot(slot) {
                    continue;
                }
                match code[other] {
                    Instr::Slot(other) => slots.push((slot, other)),
                    Instr::Value(value) => values.push(value),
                    _ => continue,
                }
                found += 1;
            }
        }
        if found == all && places == all {
            constants.extend(values);
            pairs.extend(slots.into_iter().filter(|(one, other)| one != other));
            return Some(());
        }
        let unknown = expr.slots(&self.data.signature).filter(|&s| s != slot).collect();
        let data = &mut self.data;
        let mut effort = Effort::new();
        let out = Analysis::new(&data.signature, &mut data.terms, &mut effort, slot, unknown)
            .truth(&expr.code, &self.slots);
        constants.extend(out.same?.list(self.formulas.slots[slot as usize].sort)?);
        Some(())
    }

    /// The body for each of these values, the first one on top.
    pub(crate) fn each(
        &mut self,
        vertex: Vertex<M::State>,
        slot: u32,
        body: u32,
        values: &[Value],
    ) -> Result<(), ParamError> {
        self.tried += values.len() as u64;
        if self.tried > self.most_values {
            let variable = self.formulas.slots[slot as usize].name.clone();
            return Err(ParamError::Unbounded { variable, tried: self.most_values });
        }
        for &value in values.iter().rev() {
            self.slots[slot as usize] = value;
            let child = self.vertex(body, vertex.state);
            self.work.push(Work::Node(child, true));
        }
        Ok(())
    }

    /// Which values of a slot can matter to a node, in a state. Steps whose labels do not depend on
    /// the slot are followed, to a limit.
    fn relevant(&mut self, root: u32, slot: u32, state: M::State) -> Result<Outside, ParamError> {
        let unknown = self.inner_slots(root);
        let mut known: FxHashMap<(u32, M::State), Outside> = FxHashMap::default();
        let mut after: FxHashMap<(u32, M::State), Vec<M::State>> = FxHashMap::default();
        let mut stack = vec![(root, state)];
        let mut effort = Effort::new();
        while let Some(&key) = stack.last() {
            let (node, state) = key;
            if known.contains_key(&key) {
                stack.pop();
                continue;
            }
            let depends = self.free[node as usize].binary_search(&slot).is_ok();
            // What a node is combined from: nodes and states.
            let mut parts: Vec<(u32, M::State)> = Vec::new();
            let mut op = Op::And;
            let out = match &self.formulas.nodes[node as usize] {
                Node::Constant(value) => Some(Outside::constant(*value)),
                Node::Test(expr) => {
                    let data = &mut self.data;
                    let unknown = unknown.clone();
                    let mut analysis =
                        Analysis::new(&data.signature, &mut data.terms, &mut effort, slot, unknown);
                    Some(analysis.truth(&expr.code, &self.slots))
                }
                _ if !depends => Some(Outside::independent()),
                _ if known.len() + after.len() > MOST_FOLLOWED => Some(Outside::depends()),
                Node::Call(..) => Some(Outside::depends()),
                Node::Modality { reads, .. } if reads.contains(&slot) => {
                    Some(self.modality(node, (slot, &unknown), state)?)
                }
                Node::Modality { reads, binds, .. }
                    if !binds.is_empty() || reads.iter().any(|s| unknown.contains(s)) =>
                {
                    Some(Outside::depends())
                }
                Node::Modality { op: mine, action, body, .. } => {
                    let (action, body) = (*action, *body);
                    op = *mine;
                    let states = match after.entry(key) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => {
                            let (mut states, mut bound) = (Vec::new(), Vec::new());
                            let (slots, data) = (&mut self.slots, &mut self.data);
                            self.model.steps(
                                state,
                                action,
                                slots,
                                data,
                                &mut states,
                                &mut bound,
                            )?;
                            new.insert(states)
                        }
                    };
                    parts.extend(states.iter().map(|&to| (body, to)));
                    None
                }
                // A range may be empty, and may depend on the slot.
                Node::Quantifier { range: Some(_), .. } => Some(Outside::depends()),
                Node::Quantifier { .. } if self.some_sort_is_empty(&unknown) => {
                    Some(Outside::depends())
                }
                Node::Quantifier { body, .. } => {
                    parts.push((*body, state));
                    None
                }
                Node::Many(mine, children) => {
                    op = *mine;
                    parts.extend(children.iter().map(|&child| (child, state)));
                    None
                }
            };
            let out = match out {
                Some(out) => out,
                None => {
                    if let Some(&part) = parts.iter().find(|part| !known.contains_key(*part)) {
                        stack.push(part);
                        continue;
                    }
                    parts.iter().fold(Outside::constant(op.neutral()), |out, part| match op {
                        Op::And => out.and(&known[part]),
                        Op::Or => out.or(&known[part]),
                    })
                }
            };
            known.insert(key, out);
            stack.pop();
        }
        Ok(known.remove(&(root, state)).unwrap_or_default())
    }

    /// OP6, for a modality whose action depends on the slot.
    fn modality(
        &mut self,
        node: u32,
        about: (u32, &[u32]),
        state: M::State,
    ) -> Result<Outside, ParamError> {
        let Node::Modality { op, action, .. } = self.formulas.nodes[node as usize] else {
            return Ok(Outside::depends());
        };
        let step = self.model.some_step(state, action, about, &mut self.slots, &mut self.data)?;
        Ok(match step.no_step() {
            Some(values) => Outside::only_at(values.clone(), op.neutral()),
            None => Outside::depends(),
        })
    }

    /// Whether one of these slots is of the sort of names, and there are none.
    fn some_sort_is_empty(&self, slots: &[u32]) -> bool {
        self.formulas.variables.is_empty()
            && slots.iter().any(|&s| self.formulas.slots[s as usize].sort == Sort::Var)
    }

    /// The slots of the quantifiers below a node that belong to the same equation.
    fn inner_slots(&self, root: u32) -> Vec<u32> {
        let mut inner: Vec<u32> = Vec::new();
        let mut order = vec![root];
        let mut at = 0;
        let mut seen: rustc_hash::FxHashSet<u32> = [root].into_iter().collect();
        while at < order.len() {
            let children: &[u32] = match &self.formulas.nodes[order[at] as usize] {
                Node::Many(_, children) => children,
                Node::Quantifier { body, slot, .. } => {
                    inner.push(*slot);
                    std::slice::from_ref(body)
                }
                Node::Modality { body, .. } => std::slice::from_ref(body),
                _ => &[],
            };
            at += 1;
            order.extend(children.iter().copied().filter(|&child| seen.insert(child)));
        }
        inner.sort_unstable();
        inner
    }

    /// The next number of a quantifier, or what all further ones amount to.
    ///
    /// With all numbers from a bound on taken at once, the body is evaluated abstractly: if it is a
    /// constant, or does not depend on the number any more, one term stands for all of them.
    pub(crate) fn numbers(
        &mut self,
        vertex: Vertex<M::State>,
        from: i64,
        op: Op,
    ) -> Result<(), ParamError> {
        let Node::Quantifier { slot, body, .. } = self.formulas.nodes[vertex.node as usize] else {
            return Ok(());
        };
        self.load(&vertex);
        let sort = self.formulas.slots[slot as usize].sort;
        let first = sort.least().unwrap_or(0);
        let at = from.max(first);
        self.tried += 1;
        if self.tried > self.most_values {
            let variable = self.formulas.slots[slot as usize].name.clone();
            return Err(ParamError::Unbounded { variable, tried: self.most_values });
        }
        // Later bounds are tried less often: the body may be large.
        if at <= 64 || at % (at / 16) == 0 {
            let mut tails = vec![(Some(at), None, at)];
            if sort == Sort::Int {
                tails.push((None, Some(-at), -at));
            }
            let known: Vec<Tail> = tails
                .iter()
                .map(|&(low, high, _)| self.tail(body, slot, Known::Range(low, high)))
                .collect();
            if known.iter().all(|tail| *tail != Tail::Depends) {
                for (tail, &(_, _, number)) in known.iter().zip(&tails) {
                    match tail {
                        Tail::Is(value) if *value == op.neutral() => {}
                        _ => {
                            self.slots[slot as usize] = Value::Int(number);
                            let child = self.vertex(body, vertex.state);
                            self.work.push(Work::Node(child, true));
                        }
                    }
                }
                return Ok(());
            }
        }
        self.work.push(Work::Numbers(vertex, at + 1));
        if sort == Sort::Int && at > 0 {
            self.slots[slot as usize] = Value::Int(-at);
            let child = self.vertex(body, vertex.state);
            self.work.push(Work::Node(child, true));
        }
        self.slots[slot as usize] = Value::Int(at);
        let child = self.vertex(body, vertex.state);
        self.work.push(Work::Node(child, true));
        Ok(())
    }

    /// What a node amounts to when a slot ranges over many numbers at once.
    fn tail(&self, root: u32, slot: u32, range: Known) -> Tail {
        let mut known: FxHashMap<u32, Tail> = FxHashMap::default();
        // Inner quantifiers' slots may have any value of their sorts.
        let inner = self.inner_slots(root);
        let value = |s: u32| {
            if s == slot {
                Abstract { known: range, varies: true }
            } else if inner.binary_search(&s).is_ok() {
                let sort = self.formulas.slots[s as usize].sort;
                let known = match sort.is_number() {
                    true => Known::Range(sort.least(), None),
                    false => Known::Nothing,
                };
                Abstract { known, varies: false }
            } else {
                Abstract::of(self.slots[s as usize])
            }
        };
        let depends = |node: u32| self.free[node as usize].binary_search(&slot).is_ok();
        // Children may come before parents in `order` through sharing: visit until all are known.
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if known.contains_key(&node) {
                stack.pop();
                continue;
            }
            let result = match &self.formulas.nodes[node as usize] {
                Node::Constant(value) => Tail::Is(*value),
                Node::Test(expr) => {
                    let value = expr.eval_abstract(&value);
                    match value.as_bool() {
                        Some(b) => Tail::Is(b),
                        None if value.varies => Tail::Depends,
                        None => Tail::Same,
                    }
                }
                Node::Call(p, arguments) => {
                    // Slots that the predicate sees without being passed count, too.
                    let passed = arguments.iter().any(|e| {
                        let value = e.eval_abstract(&value);
                        value.varies && !matches!(value.known, Known::Value(_))
                    });
                    let Predicate { parameters, body, .. } = &self.formulas.predicates[*p as usize];
                    let seen = depends(*body) && !parameters.contains(&slot);
                    if passed || seen { Tail::Depends } else { Tail::Same }
                }
                Node::Modality { .. } if depends(node) => Tail::Depends,
                Node::Modality { .. } => Tail::Same,
                Node::Quantifier { body, range, .. } => match known.get(body) {
                    None => {
                        stack.push(*body);
                        continue;
                    }
                    // A range may be empty, and may depend on the slot.
                    Some(_) if range.is_some() => {
                        if depends(node) {
                            Tail::Depends
                        } else {
                            Tail::Same
                        }
                    }
                    Some(Tail::Is(_))
                        if self.formulas.variables.is_empty()
                            && inner
                                .iter()
                                .any(|&s| self.formulas.slots[s as usize].sort == Sort::Var) =>
                    {
                        Tail::Depends
                    }
                    Some(tail) => *tail,
                },
                Node::Many(op, children) => {
                    let open = |child: &&u32| !known.contains_key(*child);
                    if let Some(&child) = children.iter().find(open) {
                        stack.push(child);
                        continue;
                    }
                    let mut result = Tail::Is(op.neutral());
                    for child in children {
                        result = match (result, known[child]) {
                            (_, Tail::Is(b)) if b != op.neutral() => {
                                result = Tail::Is(b);
                                break;
                            }
                            (result, Tail::Is(_)) => result,
                            (Tail::Depends, _) | (_, Tail::Depends) => Tail::Depends,
                            _ => Tail::Same,
                        };
                    }
                    result
                }
            };
            known.insert(node, result);
            stack.pop();
        }
        known[&root]
    }
}

/// What a formula amounts to over a range of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tail {
    /// A constant.
    Is(bool),
    /// The same for all of them, and not known here.
    Same,
    /// It may depend on the number.
    Depends,
}
