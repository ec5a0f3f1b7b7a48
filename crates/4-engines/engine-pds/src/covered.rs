//! Edges that do nothing which another edge does not do as well.
//!
//! The product with an automaton has a step once more for each mark that it may carry, where the mark is
//! carried (P6 in `property`): what matters to reachability is the plain step alone. This is not taken from
//! the product, but seen in the relations:
//!
//! - CV1. An edge is covered by an earlier one from the same node to the same place, with fewer marks, if it
//!   changes the same variables and its relation is a part of the other's.
//! - CV2. A covered edge is passed over where marks do not matter.

use crate::system::System;
use ir::{EdgeId, EdgeKind};
use symbolic::{Compiled, Halt};

/// So many earlier edges are compared.
const CANDIDATES: usize = 4;

impl System {
    /// CV1.
    pub(crate) fn covered(&mut self, e: EdgeId) -> Result<bool, Halt> {
        let program = self.program.clone();
        let (edge, marks) = (&program.edges[e], program.edges[e].marks);
        if marks == 0 || matches!(edge.kind, EdgeKind::Return { .. }) {
            return Ok(false);
        }
        if let Some(&known) = self.covered.get(&e) {
            return Ok(known);
        }
        let candidates = program.out_edges(edge.source).filter(|&other| {
            let fewer = program.edges[other].marks;
            other < e && fewer != marks && fewer & !marks == 0
        });
        let mut covered = false;
        for other in candidates.take(CANDIDATES) {
            if program.edges[other].target() == edge.target() && self.contains(other, e)? {
                covered = true;
                break;
            }
        }
        self.covered.insert(e, covered);
        Ok(covered)
    }

    /// Whether the relation of one edge contains that of another with the same source and target.
    fn contains(&mut self, one: EdgeId, other: EdgeId) -> Result<bool, Halt> {
        match (self.compile(one)?, self.compile(other)?) {
            (Compiled::Local(one), Compiled::Local(other)) => {
                let whole = one.more.is_none() && other.more.is_none();
                let alike = one.image == other.image
                    && one.prime == other.prime
                    && one.pre_image == other.pre_image;
                Ok(whole && alike && self.m.leq(other.rel, one.rel)?)
            }
            (Compiled::Call(one), Compiled::Call(other)) => {
                let (one, other) = (self.sites[one as usize], self.sites[other as usize]);
                let alike = one.callee == other.callee
                    && one.rel.back == other.rel.back
                    && one.rel.back_image == other.rel.back_image
                    && one.rel.jump == other.rel.jump
                    && one.rel.call == other.rel.call
                    && one.rel.entries == other.rel.entries;
                Ok(alike && self.m.leq(other.rel.enter, one.rel.enter)?)
            }
            _ => Ok(false),
        }
    }
}
