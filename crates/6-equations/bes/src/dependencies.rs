//! What the nodes of a parameterised system depend on: data variables, and each other.

use crate::param::{Formulas, Node, Predicate};
use crate::rows::Rows;
use crate::{Op, Shape, Sign};

/// The slots that each node depends on, ascending: the least solution over calls. `None` if there
/// are too many to list.
pub fn free_slots(formulas: &Formulas) -> Option<Vec<Box<[u32]>>> {
    const MOST: usize = 50_000_000;
    let n = formulas.nodes.len();
    let mut is_global = vec![false; formulas.slots.len()];
    for &(slot, _) in &formulas.globals {
        is_global[slot as usize] = true;
    }
    let mut free: Vec<Box<[u32]>> = vec![Box::default(); n];
    // Who depends on a node's set.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, node) in formulas.nodes.iter().enumerate() {
        match node {
            Node::Many(_, children) => {
                children.iter().for_each(|&c| users[c as usize].push(i as u32));
            }
            Node::Quantifier { body, .. } | Node::Modality { body, .. } => {
                users[*body as usize].push(i as u32);
            }
            Node::Call(p, _) => {
                users[formulas.predicates[*p as usize].body as usize].push(i as u32);
            }
            Node::Constant(_) | Node::Test(_) => {}
        }
    }
    let mut queued = vec![true; n];
    let mut queue: std::collections::VecDeque<u32> = (0..n as u32).collect();
    let mut total = 0usize;
    let mut slots: Vec<u32> = Vec::new();
    while let Some(i) = queue.pop_front() {
        queued[i as usize] = false;
        slots.clear();
        match &formulas.nodes[i as usize] {
            Node::Constant(_) => {}
            Node::Test(expr) => slots.extend(expr.slots(&formulas.signature)),
            Node::Many(_, children) => {
                children.iter().for_each(|&c| slots.extend_from_slice(&free[c as usize]));
            }
            Node::Call(p, arguments) => {
                let Predicate { parameters, body, .. } = &formulas.predicates[*p as usize];
                slots.extend_from_slice(&free[*body as usize]);
                slots.retain(|slot| !parameters.contains(slot));
                arguments.iter().for_each(|e| slots.extend(e.slots(&formulas.signature)));
            }
            Node::Quantifier { slot, range, body, .. } => {
                slots.extend(free[*body as usize].iter().filter(|s| *s != slot));
                if let Some((low, high)) = range {
                    slots.extend(low.slots(&formulas.signature));
                    slots.extend(high.slots(&formulas.signature));
                }
            }
            Node::Modality { reads, binds, body, .. } => {
                slots.extend(free[*body as usize].iter().filter(|s| !binds.contains(s)));
                slots.extend(reads.iter().filter(|s| !binds.contains(s)));
            }
        }
        slots.retain(|&slot| !is_global[slot as usize]);
        slots.sort_unstable();
        slots.dedup();
        if slots[..] != free[i as usize][..] {
            total += slots.len() - free[i as usize].len();
            if total > MOST {
                return None;
            }
            free[i as usize] = slots.as_slice().into();
            for &user in &users[i as usize] {
                if !std::mem::replace(&mut queued[user as usize], true) {
                    queue.push_back(user);
                }
            }
        }
    }
    Some(free)
}

/// Components of the graph of nodes, and their shapes.
pub(crate) fn groups(formulas: &Formulas) -> (Vec<u32>, Vec<Shape>) {
    let n = formulas.nodes.len();
    // What becomes a variable where a node is used.
    let target = |child: u32| match &formulas.nodes[child as usize] {
        Node::Call(p, _) => formulas.predicates[*p as usize].body,
        _ => child,
    };
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, node) in formulas.nodes.iter().enumerate() {
        match node {
            Node::Many(_, children) => {
                edges.extend(children.iter().map(|&child| (i as u32, target(child))));
            }
            Node::Quantifier { body, .. } | Node::Modality { body, .. } => {
                edges.push((i as u32, target(*body)));
            }
            Node::Call(..) => edges.push((i as u32, target(i as u32))),
            Node::Constant(_) | Node::Test(_) => {}
        }
    }
    let groups = crate::scc::components(&Rows::from_edges(n, &edges));
    let count = groups.iter().max().map_or(0, |&g| g as usize + 1);
    let mut signs: Vec<Option<Sign>> = vec![None; count];
    let mut may = vec![(true, true); count];
    let mut cyclic = vec![false; count];
    for &(x, y) in &edges {
        if groups[x as usize] == groups[y as usize] {
            cyclic[groups[x as usize] as usize] = true;
        }
    }
    for (i, node) in formulas.nodes.iter().enumerate() {
        let group = groups[i];
        let sign = formulas.predicates[formulas.owners[i] as usize].sign;
        let flags = &mut may[group as usize];
        if *signs[group as usize].get_or_insert(sign) != sign {
            *flags = (false, false);
        }
        let inside = |child: &&u32| groups[target(**child) as usize] == group;
        let (op, fits) = match node {
            Node::Many(op, children) => (*op, children.iter().filter(inside).take(2).count() <= 1),
            Node::Quantifier { op, body, .. } | Node::Modality { op, body, .. } => {
                (*op, !inside(&body))
            }
            _ => continue,
        };
        if !fits {
            match op {
                Op::And => flags.0 = false,
                Op::Or => flags.1 = false,
            }
        }
    }
    let shapes = may.iter().zip(&cyclic).map(|(may, cyclic)| match may {
        _ if !cyclic => Shape::Acyclic,
        (true, _) => Shape::Disjunctive,
        (_, true) => Shape::Conjunctive,
        _ => Shape::General,
    });
    let shapes = shapes.collect();
    (groups, shapes)
}
