//! Sets of single frames: where they stand, and what holds of their variables.

use crate::regular::{Letter, Nodes};
use ir::{ExprId, Exprs, Id, NodeId, Program};
use std::collections::BTreeMap;

/// A set of frames: those at one of the nodes of a piece, whose variables satisfy its condition.
#[derive(Clone, Debug)]
pub(crate) struct Pieces(pub(crate) Vec<(Nodes, ExprId)>);

/// More conditions than this on the frames of one node are refused where all their combinations matter.
pub(crate) const MOST_CONDITIONS: usize = 8;

impl Pieces {
    /// The frames at the nodes, whatever their data.
    pub(crate) fn at(nodes: Nodes) -> Pieces {
        Pieces(vec![(nodes, Exprs::TRUE)])
    }

    /// The frames of either set.
    pub(crate) fn union(mut self, program: &Program, other: Pieces) -> Pieces {
        for (nodes, condition) in other.0 {
            match self.0.iter_mut().find(|(_, known)| *known == condition) {
                Some((known, _)) => *known = known.union(program, &nodes),
                None => self.0.push((nodes, condition)),
            }
        }
        self
    }

    /// The frames of both sets.
    pub(crate) fn intersection(
        &self,
        program: &Program,
        exprs: &mut Exprs,
        other: &Pieces,
    ) -> Pieces {
        let mut out = Vec::new();
        for (here, a) in &self.0 {
            for (there, b) in &other.0 {
                let nodes = here.intersection(program, there);
                let condition = exprs.and(*a, *b);
                if condition != Exprs::FALSE && nodes.any_of(program) {
                    out.push((nodes, condition));
                }
            }
        }
        Pieces(out)
    }

    /// The frames at one of `all` that are not in the set.
    pub(crate) fn complement(&self, program: &Program, exprs: &mut Exprs, all: &Nodes) -> Pieces {
        let mut out = Pieces(Vec::new());
        for (members, nodes) in classes(program, all, &[self]) {
            let mut some = Exprs::FALSE;
            for &(_, piece) in &members {
                some = exprs.or(some, self.0[piece].1);
            }
            let none = match some {
                Exprs::TRUE => Exprs::FALSE,
                Exprs::FALSE => Exprs::TRUE,
                some => exprs.not(some),
            };
            if none != Exprs::FALSE {
                out = out.union(program, Pieces(vec![(nodes, none)]));
            }
        }
        out
    }

    /// The frames that satisfy the condition, too.
    pub(crate) fn with(mut self, exprs: &mut Exprs, condition: ExprId) -> Pieces {
        for piece in &mut self.0 {
            piece.1 = exprs.and(piece.1, condition);
        }
        self
    }

    /// One letter for each piece.
    pub(crate) fn letters(&self) -> impl Iterator<Item = Letter> + '_ {
        let letter = |(nodes, condition): &(Nodes, ExprId)| Letter {
            nodes: nodes.clone(),
            condition: *condition,
            choices: 0,
        };
        self.0.iter().map(letter)
    }
}

/// A piece of one of several sets: which set, which piece.
pub(crate) type Member = (usize, usize);

/// The nodes of `all` by the pieces that they are in.
pub(crate) fn classes(
    program: &Program,
    all: &Nodes,
    sets: &[&Pieces],
) -> Vec<(Vec<Member>, Nodes)> {
    let mut found: BTreeMap<Vec<Member>, Vec<NodeId>> = BTreeMap::new();
    for node in program.nodes.ids().filter(|&n| all.contains(n)) {
        let mut members = Vec::new();
        for (i, set) in sets.iter().enumerate() {
            let inside = set.0.iter().enumerate().filter(|(_, piece)| piece.0.contains(node));
            members.extend(inside.map(|(k, _)| (i, k)));
        }
        found.entry(members).or_default().push(node);
    }
    let mut out: Vec<(Vec<Member>, Vec<NodeId>)> = found.into_iter().collect();
    out.sort_by_key(|(_, nodes)| nodes[0].index());
    out.into_iter().map(|(members, nodes)| (members, Nodes::of(program, nodes))).collect()
}

/// For frames of one class, what follows which of them: for each set of successors the condition under which
/// it is that one. `None`: too many combinations.
pub(crate) fn outcomes(
    exprs: &mut Exprs,
    members: &[Member],
    sets: &[(&Pieces, u32)],
) -> Option<Vec<(Vec<u32>, ExprId)>> {
    let mut conditions: Vec<ExprId> = Vec::new();
    for &(set, piece) in members {
        let condition = sets[set].0.0[piece].1;
        if condition != Exprs::TRUE && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    if conditions.len() > MOST_CONDITIONS {
        return None;
    }
    let mut out: BTreeMap<Vec<u32>, ExprId> = BTreeMap::new();
    for choice in 0u32..1 << conditions.len() {
        let holds = |condition: ExprId| {
            let at = conditions.iter().position(|&c| c == condition);
            at.is_none_or(|at| choice >> at & 1 == 1)
        };
        let mut to: Vec<u32> = Vec::new();
        for &(set, piece) in members {
            if holds(sets[set].0.0[piece].1) {
                to.push(sets[set].1);
            }
        }
        to.sort_unstable();
        to.dedup();
        let mut all = Exprs::TRUE;
        for (at, &condition) in conditions.iter().enumerate() {
            let literal = if choice >> at & 1 == 1 { condition } else { exprs.not(condition) };
            all = exprs.and(all, literal);
        }
        let known = out.get(&to).copied().unwrap_or(Exprs::FALSE);
        let joined = exprs.or(known, all);
        out.insert(to, joined);
    }
    Some(out.into_iter().collect())
}
