//! What a question reads, and what the relations of a program read and write.

use ir::{Assign, Expr, ExprId, NodeId, Program, Rel, Scalar, VarId};
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

/// Whether an assignment of the relation can have no successor because another one gives the same
/// cell a different value.
pub fn may_clash(program: &Program, rel: &Rel, assign: &Assign) -> bool {
    let apart = |i: ExprId, j: ExprId| match (program.exprs[i], program.exprs[j]) {
        (Expr::Int(i), Expr::Int(j)) => i != j,
        _ => false,
    };
    let meets = |other: &Assign| {
        other.time == assign.time
            && other.var == assign.var
            && !other.index.zip(assign.index).is_some_and(|(i, j)| apart(i, j))
            && other
                .value
                .zip(assign.value)
                .is_some_and(|(v, w)| v != w || other.index != assign.index)
    };
    rel.assigns.iter().any(meets)
}

#[cfg(test)]
mod tests {
    use crate::{Live, ModRef, Uses};
    use ir::{Assign, Dim, Exprs, Init, ProgramBuilder, Rel, Scalar, Time, Type};

    /// `a[0] := false; a[i] := g` blocks where the two differ, even if nobody reads `a`.
    #[test]
    fn what_a_clash_depends_on_is_live() {
        for (index, clashes) in [(0, true), (1, false)] {
            let mut b = ProgramBuilder::new();
            let at = b.no_origin();
            let g = b.global("g", Type::BOOL, at);
            let cells = Type { scalar: Scalar::Bool, array: Some(Dim { lo: 0, len: 2 }) };
            let a = b.global("a", cells, at);
            let main = b.proc("main", at);
            b.begin_proc(main);
            let (first, second) = (b.statement(at), b.statement(at));
            b.entry(main, first);
            let (zero, index) = (b.exprs.int(0), b.exprs.int(index));
            let value = b.exprs.pre(g);
            let to = |index, value| Assign {
                time: Time::Post,
                var: a,
                index: Some(index),
                value: Some(value),
            };
            let assigns = [to(zero, Exprs::FALSE), to(index, value)].into();
            b.step(first, second, Rel { assigns, ..Rel::identity() });
            let program = b.finish(main, Init::default());
            let mod_ref = ModRef::new(&program, &Uses::default());
            let live = Live::new(&program, &mod_ref, &Uses::default());
            assert_eq!(live.contains(first, g), clashes);
        }
    }
}
