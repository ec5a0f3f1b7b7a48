//! Boolean graphs ([pbes §4.1, Fig. 4b]): variables with their operators, and what they depend on.

use bes::{Explanation, Op};
use std::fmt::Write;

/// The part of a boolean graph that explains a value, for Graphviz. Vertices are disjunctive or conjunctive
/// variables, white if they are true and black if they are false, as in the paper; the first one is asked for.
pub(crate) fn dot<K>(explanation: &Explanation<K>, name: &dyn Fn(&K) -> String) -> String {
    let mut out = String::from("digraph boolean_graph {\n");
    let colours = match explanation.value {
        true => "fillcolor=white,fontcolor=black",
        false => "fillcolor=black,fontcolor=white",
    };
    _ = writeln!(out, "  node [shape=circle,style=filled,{colours}];");
    out.push_str("  start [shape=point];\n  start -> 0;\n");
    for (i, variable) in explanation.variables.iter().enumerate() {
        let operator = match variable.op {
            Op::Or => "∨",
            Op::And => "∧",
        };
        let text = name(&variable.key).replace('\\', "\\\\").replace('"', "\\\"");
        _ = writeln!(out, "  {i} [label=\"{text}\\n{operator}\"];");
        for operand in &variable.operands {
            _ = writeln!(out, "  {i} -> {operand};");
        }
    }
    out.push_str("}\n");
    out
}
