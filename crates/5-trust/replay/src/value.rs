//! Values of variables, for people and reports.

use check::Partial;
use ir::{Layout, ProcId, Program, Scalar, VarId, VarKind};

/// The value of a variable. Cells of an array may be open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a boolean.
    Bool(bool),
    /// Of an integer.
    Int(u64),
    /// Of an array of booleans.
    Bools(Vec<Option<bool>>),
    /// Of an array of integers.
    Ints(Vec<Option<u64>>),
}

/// The variables in scope in `proc` of which `state` knows something: globals, then locals, in
/// order of declaration, without hidden ones.
pub fn state_vars(
    program: &Program,
    layout: &Layout,
    proc: ProcId,
    state: &Partial,
) -> Vec<(VarId, Value)> {
    let mut out = Vec::new();
    for var in program.scope(proc).filter(|&v| !program.vars[v].hidden) {
        let info = &program.vars[var];
        let base = match info.kind {
            VarKind::Global => 0,
            _ => layout.global_bits,
        };
        let slot = layout.slot(var);
        let number = |cell: u32| {
            let bits = slot.cell(cell);
            state.number(base + bits.start..base + bits.end)
        };
        let value = match (info.ty.array, info.ty.scalar) {
            (None, Scalar::Bool) => number(0).map(|v| Value::Bool(v != 0)),
            (None, Scalar::Int { .. }) => number(0).map(Value::Int),
            (Some(dim), scalar) => {
                let cells: Vec<Option<u64>> = (0..dim.len).map(number).collect();
                if cells.iter().all(Option::is_none) {
                    None
                } else if scalar == Scalar::Bool {
                    Some(Value::Bools(cells.into_iter().map(|c| c.map(|v| v != 0)).collect()))
                } else {
                    Some(Value::Ints(cells))
                }
            }
        };
        out.extend(value.map(|v| (var, v)));
    }
    out
}
