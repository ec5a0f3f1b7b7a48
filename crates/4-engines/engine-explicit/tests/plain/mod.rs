//! Relations, initial states and runs by definition: every candidate is tried.

#![allow(dead_code)] // each suite uses its part

#[path = "../../../../2-programs/ir/tests/support/direct.rs"]
pub(crate) mod direct;

use direct::{Cells, Direct, Kind};
use ir::eval::{Code, TableEnv};
use ir::{EdgeKind, NodeId, ProcId, Program, VarId};

/// The relations of an edge.
pub(crate) enum Relations<'a> {
    Local(NodeId, Direct<'a>),
    Call { callee: ProcId, enter: Direct<'a>, ret: NodeId, back: Direct<'a> },
    Return(Direct<'a>),
}

/// Values of both.
pub(crate) fn join(a: &Cells, b: &Cells) -> Cells {
    a.iter().chain(b).map(|(&k, &v)| (k, v)).collect()
}

/// Those of all edges.
pub(crate) fn relations(program: &Program) -> Vec<Relations<'_>> {
    let relations = program.edges.iter().map(|edge| {
        let proc = program.nodes[edge.source].proc;
        match &edge.kind {
            EdgeKind::Local { target, rel } => {
                Relations::Local(*target, Direct::new(program, Kind::Local(proc), rel))
            }
            EdgeKind::Call(call) => {
                let (caller, callee) = (proc, call.callee);
                let enter = Direct::new(program, Kind::Enter { caller, callee }, &call.enter);
                let back = Direct::new(program, Kind::Back { caller, callee }, &call.back);
                Relations::Call { callee, enter, ret: call.ret, back }
            }
            EdgeKind::Return { rel } => {
                Relations::Return(Direct::new(program, Kind::Return(proc), rel))
            }
        }
    });
    relations.collect()
}

/// All valuations of the given variables.
pub(crate) fn valuations(program: &Program, vars: &[VarId]) -> Vec<Cells> {
    let mut out = vec![Cells::new()];
    for &var in vars {
        let ty = program.vars[var].ty;
        for cell in 0..ty.cells() {
            let values = 0..1u64 << ty.scalar.bits();
            out = out
                .iter()
                .flat_map(|cells| {
                    values.clone().map(|value| {
                        let mut cells = cells.clone();
                        cells.insert((var, cell), value);
                        cells
                    })
                })
                .collect();
        }
    }
    out
}

/// The valuations that a program starts with.
pub(crate) fn initial(program: &Program) -> Vec<Cells> {
    let vars: Vec<VarId> = program.scope(program.entry).collect();
    let code = Code::new(program, program.init.condition);
    let holds = |cells: &Cells| {
        (0..1u32 << program.init.choices).any(|bits| {
            let env = TableEnv {
                pre: cells.iter().map(|(&k, &v)| (k, v)).collect(),
                choices: (0..program.init.choices).map(|k| bits >> k & 1 == 1).collect(),
                ..TableEnv::default()
            };
            code.eval(&env, &mut Vec::new()).as_bool() == Some(true)
        })
    };
    valuations(program, &vars).into_iter().filter(holds).collect()
}
