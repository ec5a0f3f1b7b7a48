//! Diagrams as Graphviz text.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::edge::Bdd;
use crate::manager::Manager;

impl Manager {
    /// The diagrams of the named roots in the DOT language of Graphviz, with `name` naming the
    /// variables. Dashed edges are taken if the variable is false; a round dot marks a
    /// complemented edge.
    #[must_use]
    pub fn dot(&self, roots: &[(&str, Bdd)], name: impl Fn(u32) -> String) -> String {
        let mut dot = String::from("digraph bdd {\n");
        let mut numbers: FxHashMap<Bdd, usize> = FxHashMap::default();
        let mut nodes = Vec::new();
        let mut number = |e: Bdd, nodes: &mut Vec<Bdd>| {
            *numbers.entry(e.regular()).or_insert_with(|| {
                nodes.push(e.regular());
                nodes.len() - 1
            })
        };
        // Writing to a `String` cannot fail.
        for (i, &(label, root)) in roots.iter().enumerate() {
            let to = number(root, &mut nodes);
            let _ = writeln!(dot, "  r{i} [shape=plaintext, label={}];", quoted(label));
            let _ = writeln!(dot, "  r{i} -> n{to} [{}];", style("solid", root));
        }
        let mut done = 0;
        while let Some(&e) = nodes.get(done) {
            match self.node(e) {
                None => {
                    let _ = writeln!(dot, "  n{done} [shape=box, label=\"1\"];");
                }
                Some((var, lo, hi)) => {
                    let (lo_number, hi_number) = (number(lo, &mut nodes), number(hi, &mut nodes));
                    let _ = writeln!(dot, "  n{done} [label={}];", quoted(&name(var)));
                    let _ = writeln!(dot, "  n{done} -> n{lo_number} [{}];", style("dashed", lo));
                    let _ = writeln!(dot, "  n{done} -> n{hi_number} [{}];", style("solid", hi));
                }
            }
            done += 1;
        }
        dot.push_str("}\n");
        dot
    }
}

fn style(line: &str, e: Bdd) -> String {
    let head = if e.complement() == 1 { "odot" } else { "normal" };
    format!("style={line}, arrowhead={head}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
