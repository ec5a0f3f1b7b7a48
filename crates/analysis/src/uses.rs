//! What a question reads, and what the relations of a program read and write.

use ir::{Assign, Expr, ExprId, NodeId, Program, Scalar, VarId};
use rustc_hash::FxHashMap;

/// Variables that count as used at a node because the question reads them there.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    at: FxHashMap<NodeId, Vec<VarId>>,
}

impl Uses {
    /// The given ones.
    pub fn new(pairs: impl IntoIterator<Item = (NodeId, VarId)>) -> Uses {
        let mut uses = Uses::default();
        for (node, var) in pairs {
            uses.add(node, var);
        }
        uses
    }
    /// Adds one.
    pub fn add(&mut self, node: NodeId, var: VarId) {
        let vars = self.at.entry(node).or_default();
        if !vars.contains(&var) {
            vars.push(var);
        }
    }
    /// Those at a node.
    pub fn at(&self, node: NodeId) -> &[VarId] {
        self.at.get(&node).map_or(&[], Vec::as_slice)
    }
    /// The nodes that have any, in no particular order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.at.keys().copied()
    }
}

/// Whether an assignment can have no successor: its value may be undefined or not fit, or its
/// index may be out of range.
pub fn may_block(program: &Program, assign: &Assign) -> bool {
    let info = &program.vars[assign.var];
    let index_may_fail = assign.index.is_some_and(|index| match program.exprs[index] {
        Expr::Int(v) => ir::eval::cell_of(program, assign.var, v as i128).is_none(),
        _ => true,
    });
    let fits = |value: ExprId| match (info.ty.scalar, program.exprs[value]) {
        (Scalar::Bool, _) => true,
        (Scalar::Int { bits }, Expr::Int(v)) => v >= 0 && (bits >= 63 || v < 1 << bits),
        (Scalar::Int { bits }, Expr::Read(_, from)) => program.vars[from].ty.scalar.bits() <= bits,
        _ => false,
    };
    index_may_fail || assign.value.is_some_and(|v| !fits(v))
}
