//! How a program made from another one lies in it.

use crate::{EdgeId, ExprId, Id, IndexVec, NodeId, ProcId, Program, VarId};

/// Maps the parts of a transformed program to those of the program it was made from, so that what
/// an engine says of the one can be said of the other.
///
/// Every edge of the transformed program executes the edge that it is mapped to, and every
/// variable holds the value of the one it is mapped to; variables that the transformation dropped
/// or added are mapped to and from nothing.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// Of each node of the transformed program.
    pub nodes: IndexVec<NodeId, NodeId>,
    /// Of each edge.
    pub edges: IndexVec<EdgeId, EdgeId>,
    /// Of each procedure.
    pub procs: IndexVec<ProcId, ProcId>,
    /// Of each variable; `None` for one that was added.
    pub vars: IndexVec<VarId, Option<VarId>>,
    /// The other way round: what each expression of the original program became; `None` if it
    /// reads a variable that was dropped.
    pub exprs: IndexVec<ExprId, Option<ExprId>>,
}

impl Embedding {
    /// A program in itself.
    pub fn identity(program: &Program) -> Embedding {
        Embedding {
            nodes: program.nodes.ids().collect(),
            edges: program.edges.ids().collect(),
            procs: program.procs.ids().collect(),
            vars: program.vars.ids().map(Some).collect(),
            exprs: (0..program.exprs.len()).map(|i| Some(ExprId::new(i))).collect(),
        }
    }
    /// For each node of the original program the first one that is mapped to it.
    pub fn node_images(&self, original: &Program) -> IndexVec<NodeId, Option<NodeId>> {
        let mut out = IndexVec::filled(None, original.nodes.len());
        for (new, &old) in self.nodes.enumerate().rev() {
            out[old] = Some(new);
        }
        out
    }
    /// For each variable of the original program the one that is mapped to it.
    pub fn var_images(&self, original: &Program) -> IndexVec<VarId, Option<VarId>> {
        let mut out = IndexVec::filled(None, original.vars.len());
        for (new, old) in self.vars.enumerate() {
            if let Some(old) = old {
                out[*old] = Some(new);
            }
        }
        out
    }
    /// Whether nothing was dropped and nothing added.
    pub fn is_identity(&self, original: &Program) -> bool {
        self.nodes.len() == original.nodes.len()
            && self.vars.len() == original.vars.len()
            && self.nodes.enumerate().all(|(new, old)| new.index() == old.index())
    }
}
