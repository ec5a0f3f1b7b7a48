//! Quantifiers that move inward, past steps and fixpoints that do not depend on their value: behind these, labels may bound
//! them. What is said of ∀ holds of ∃ with all operators and signs exchanged.
//!
//! QI1: a node that does not depend on the value stays as it is.
//! QI2: ∀ moves past ∧, past a modality `[R]` and past another ∀, neither of which depends on the value; and past ∨ if all of its
//!     operands but one do not depend on it.
//! QI3: ∀ moves into a greatest fixpoint that is called with arguments that do not depend on the value. All that comes back to
//!     the fixpoint does so by nodes of QI2 and QI3 alone: they turn every intersection into one, so that the greatest solution
//!     for all values is the intersection of those for each.
//! QI4: elsewhere it stops, and stands there. What it stops at calls none of the fixpoints that it moved into; those that are
//!     called from there, it does not move into.
//! QI5: where no modality and no fixpoint lies on its way, it does not move: what bounds it may stand in several operands.
//!
//! The sort has a value; names (`Var`), truth values and enumerations are few, and their quantifiers stay where they are.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::another::another;
use crate::data::Sort;
use crate::dependencies::free_slots;
use crate::param::{Formulas, Node};
use crate::terms::Terms;
use crate::{Op, Sign};

/// The most nodes that are looked at for all quantifiers together.
const MOST_LOOKED_AT: usize = 1 << 20;
/// The most quantifiers that are moved.
const MOST_MOVED: usize = 64;

/// Moves quantifiers inward; `free` are the slots that each node depends on. What they are then.
pub(crate) fn inward(formulas: &mut Formulas, free: Vec<Box<[u32]>>) -> Option<Vec<Box<[u32]>>> {
    let mut free = free;
    let (mut looked_at, mut moved, mut at) = (0, 0, 0);
    while at < formulas.nodes.len() && looked_at < MOST_LOOKED_AT && moved < MOST_MOVED {
        let root = at as u32;
        at += 1;
        let Node::Quantifier { op, slot, range: None, body } = formulas.nodes[root as usize] else {
            continue;
        };
        if !has_values(formulas, slot) {
            continue;
        }
        let way = Way::find(formulas, &free, (op, slot), body, &mut looked_at);
        if way.useful.contains(&body) {
            way.rebuild(formulas, &free, root, body);
            free = free_slots(formulas)?;
            moved += 1;
        }
    }
    Some(free)
}

/// Whether a slot's sort has values, and may have more than are named one by one.
fn has_values(formulas: &Formulas, slot: u32) -> bool {
    let sort = formulas.slots[slot as usize].sort;
    let signature = &formulas.signature;
    let plain =
        |e: u32| signature.constructors.iter().filter(|c| c.sort == e).all(|c| c.fields.is_empty());
    match sort {
        Sort::Var | Sort::Bool | Sort::Unknown => false,
        Sort::Enum(e) if plain(e) => false,
        _ => another(signature, &mut Terms::default(), sort, &[]).is_some(),
    }
}

/// How a quantifier meets a node.
enum Meets {
    /// QI1.
    Free,
    /// QI2, QI3: it goes on to these.
    Passes(Vec<u32>),
    /// QI4.
    Stops,
}

/// Where a quantifier can move.
struct Way {
    op: Op,
    slot: u32,
    /// The nodes that it passes, in the order in which they were met.
    passed: Vec<u32>,
    /// Those of them with a modality or a fixpoint on the way (QI5).
    useful: FxHashSet<u32>,
    /// The predicates that it moves into.
    entered: FxHashSet<u32>,
}

impl Way {
    fn find(
        formulas: &Formulas,
        free: &[Box<[u32]>],
        (op, slot): (Op, u32),
        body: u32,
        looked_at: &mut usize,
    ) -> Way {
        let mut banned: FxHashSet<u32> = FxHashSet::default();
        loop {
            let way = Way::along(formulas, free, (op, slot), body, &banned);
            *looked_at += way.passed.len() + 1;
            let called = way.called_again(formulas, free, body, looked_at);
            if called.is_empty() {
                return way;
            }
            if *looked_at > MOST_LOOKED_AT {
                return Way { useful: FxHashSet::default(), ..way };
            }
            banned.extend(called);
        }
    }

    /// The way, without the predicates that are `banned`.
    fn along(
        formulas: &Formulas,
        free: &[Box<[u32]>],
        (op, slot): (Op, u32),
        body: u32,
        banned: &FxHashSet<u32>,
    ) -> Way {
        let mut way = Way {
            op,
            slot,
            passed: Vec::new(),
            useful: FxHashSet::default(),
            entered: FxHashSet::default(),
        };
        let mut before: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut seen: FxHashSet<u32> = [body].into_iter().collect();
        let mut stack = vec![body];
        let mut useful = Vec::new();
        while let Some(node) = stack.pop() {
            let Meets::Passes(children) = way.meets(formulas, free, node, banned) else { continue };
            way.passed.push(node);
            match &formulas.nodes[node as usize] {
                Node::Call(predicate, _) => {
                    way.entered.insert(*predicate);
                    useful.push(node);
                }
                Node::Modality { .. } => useful.push(node),
                _ => {}
            }
            for child in children {
                before.entry(child).or_default().push(node);
                if seen.insert(child) {
                    stack.push(child);
                }
            }
        }
        while let Some(node) = useful.pop() {
            if way.useful.insert(node) {
                useful.extend(before.get(&node).into_iter().flatten());
            }
        }
        way
    }

    fn meets(
        &self,
        formulas: &Formulas,
        free: &[Box<[u32]>],
        node: u32,
        banned: &FxHashSet<u32>,
    ) -> Meets {
        let depends = |node: u32| free[node as usize].binary_search(&self.slot).is_ok();
        if !depends(node) {
            return Meets::Free;
        }
        let sign = match self.op {
            Op::And => Sign::Nu,
            Op::Or => Sign::Mu,
        };
        let uses = |e: &crate::data::Expr| e.slots(&formulas.signature).any(|s| s == self.slot);
        match &formulas.nodes[node as usize] {
            Node::Constant(_) | Node::Test(_) => Meets::Stops,
            Node::Many(op, children) => {
                let open: Vec<u32> = children.iter().copied().filter(|&c| depends(c)).collect();
                match *op == self.op || open.len() == 1 {
                    true => Meets::Passes(open),
                    false => Meets::Stops,
                }
            }
            Node::Call(predicate, arguments) => {
                let called = &formulas.predicates[*predicate as usize];
                match called.sign != sign
                    || banned.contains(predicate)
                    || called.parameters.contains(&self.slot)
                    || arguments.iter().any(uses)
                {
                    true => Meets::Stops,
                    false => Meets::Passes(vec![called.body]),
                }
            }
            Node::Quantifier { op, slot, range, body } => {
                let ranged = range.as_ref().is_some_and(|(low, high)| uses(low) || uses(high));
                match *op != self.op || *slot == self.slot || ranged {
                    true => Meets::Stops,
                    false => Meets::Passes(vec![*body]),
                }
            }
            Node::Modality { op, reads, binds, body, .. } => {
                match *op != self.op || reads.contains(&self.slot) || binds.contains(&self.slot) {
                    true => Meets::Stops,
                    false => Meets::Passes(vec![*body]),
                }
            }
        }
    }

    /// Whether the quantifier goes past a node: it passes it, and has a reason to (QI5).
    fn goes_past(&self, node: u32) -> bool {
        self.useful.contains(&node)
    }

    /// The predicates on the way that are called from where the quantifier stops, or from elsewhere (QI4).
    fn called_again(
        &self,
        formulas: &Formulas,
        free: &[Box<[u32]>],
        body: u32,
        looked_at: &mut usize,
    ) -> FxHashSet<u32> {
        let depends = |node: u32| free[node as usize].binary_search(&self.slot).is_ok();
        let past: FxHashSet<u32> =
            self.passed.iter().copied().filter(|&n| self.goes_past(n)).collect();
        let mut stack: Vec<u32> = Vec::new();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let below = |node: u32| -> Vec<u32> {
            match &formulas.nodes[node as usize] {
                Node::Constant(_) | Node::Test(_) => Vec::new(),
                Node::Many(_, children) => children.clone(),
                Node::Call(predicate, _) => vec![formulas.predicates[*predicate as usize].body],
                Node::Quantifier { body, .. } | Node::Modality { body, .. } => vec![*body],
            }
        };
        for node in past.iter().copied() {
            stack.extend(below(node).into_iter().filter(|n| depends(*n) && !past.contains(n)));
        }
        if !past.contains(&body) {
            return FxHashSet::default();
        }
        let mut called = FxHashSet::default();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            if let Node::Call(predicate, _) = &formulas.nodes[node as usize]
                && self.entered.contains(predicate)
            {
                called.insert(*predicate);
            }
            stack.extend(below(node).into_iter().filter(|&n| depends(n)));
        }
        *looked_at += seen.len();
        // Who calls them from elsewhere means what they are without the quantifier.
        for (i, node) in formulas.nodes.iter().enumerate() {
            if let Node::Call(predicate, _) = node
                && self.entered.contains(predicate)
                && !past.contains(&(i as u32))
            {
                called.insert(*predicate);
            }
        }
        called
    }

    /// Writes the nodes anew that the quantifier passes, and puts it where it stops.
    fn rebuild(&self, formulas: &mut Formulas, free: &[Box<[u32]>], root: u32, body: u32) {
        let mut made: FxHashMap<u32, u32> = FxHashMap::default();
        // Nodes that are met later may stand above: children first. Calls stay, so that there is no cycle.
        let mut stack: Vec<u32> = self.passed.clone();
        while let Some(&node) = stack.last() {
            if made.contains_key(&node) || !self.goes_past(node) {
                stack.pop();
                continue;
            }
            let children: Vec<u32> = match &formulas.nodes[node as usize] {
                Node::Many(_, children) => children.clone(),
                Node::Quantifier { body, .. } | Node::Modality { body, .. } => vec![*body],
                _ => Vec::new(),
            };
            let open = children.iter().find(|c| self.goes_past(**c) && !made.contains_key(*c));
            if let Some(&open) = open {
                stack.push(open);
                continue;
            }
            stack.pop();
            let new = self.past(formulas, free, node, &made);
            made.insert(node, new);
        }
        let mut entered: Vec<u32> = self.entered.iter().copied().collect();
        entered.sort_unstable();
        let called = |predicate: u32| {
            self.passed.iter().any(|&node| {
                matches!(&formulas.nodes[node as usize], Node::Call(p, _) if *p == predicate)
            })
        };
        entered.retain(|&predicate| called(predicate));
        for predicate in entered {
            let old = formulas.predicates[predicate as usize].body;
            let new = self.now(formulas, free, old, &made);
            formulas.predicates[predicate as usize].body = new;
        }
        let new = self.now(formulas, free, body, &made);
        formulas.nodes[root as usize] = Node::Many(self.op, vec![new]);
    }

    /// A node that the quantifier goes past, with it below.
    fn past(
        &self,
        formulas: &mut Formulas,
        free: &[Box<[u32]>],
        node: u32,
        made: &FxHashMap<u32, u32>,
    ) -> u32 {
        let owner = formulas.owners[node as usize];
        let mut new = formulas.nodes[node as usize].clone();
        match &mut new {
            Node::Many(op, children) if *op == self.op => {
                // What it stops at without a reason to go on stays together: one operand may bound another.
                let depends = |n: u32| free[n as usize].binary_search(&self.slot).is_ok();
                let (stay, go): (Vec<u32>, Vec<u32>) = std::mem::take(children)
                    .into_iter()
                    .partition(|&c| depends(c) && !self.goes_past(c));
                match stay[..] {
                    [] => {}
                    [one] => children.push(self.quantified(formulas, one)),
                    _ => {
                        let together = formulas.add(owner, Node::Many(self.op, stay));
                        children.push(self.quantified(formulas, together));
                    }
                }
                for child in go {
                    children.push(self.now(formulas, free, child, made));
                }
            }
            Node::Many(_, children) => {
                for child in children {
                    *child = self.now(formulas, free, *child, made);
                }
            }
            Node::Quantifier { body, .. } | Node::Modality { body, .. } => {
                *body = self.now(formulas, free, *body, made);
            }
            Node::Constant(_) | Node::Test(_) | Node::Call(..) => return node,
        }
        formulas.add(owner, new)
    }

    /// What stands for a node: itself (QI1), what was made of it, or the quantifier with it (QI4).
    fn now(
        &self,
        formulas: &mut Formulas,
        free: &[Box<[u32]>],
        node: u32,
        made: &FxHashMap<u32, u32>,
    ) -> u32 {
        if let Some(&new) = made.get(&node) {
            return new;
        }
        match free[node as usize].binary_search(&self.slot) {
            Ok(_) => self.quantified(formulas, node),
            Err(_) => node,
        }
    }

    fn quantified(&self, formulas: &mut Formulas, body: u32) -> u32 {
        let owner = formulas.owners[body as usize];
        let (op, slot) = (self.op, self.slot);
        formulas.add(owner, Node::Quantifier { op, slot, range: None, body })
    }
}
