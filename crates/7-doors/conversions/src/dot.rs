//! The control-flow graph in the language of Graphviz.

use ir::{EdgeKind, Id, Program};
use std::io::{self, Write};

/// Writes a graph with one cluster for each procedure. Dashed edges are no steps; a dotted edge
/// leads from a call to the procedure called.
pub(crate) fn dot(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph program {{\n  node [shape=box, fontname=monospace];")?;
    for (id, proc) in program.procs.enumerate() {
        writeln!(out, "  subgraph cluster_{} {{", id.index())?;
        writeln!(out, "    label={};", quoted(program.text(proc.name)))?;
        for node in proc.node_ids() {
            let info = &program.nodes[node];
            let entry = if node == proc.entry { ", penwidth=2" } else { "" };
            if info.statement {
                let text = program.text(info.origin.text);
                let label = quoted(&format!("{}: {text}", info.origin.line));
                writeln!(out, "    n{} [label={label}{entry}];", node.index())?;
            } else {
                let label = if proc.error == Some(node) { "error" } else { "" };
                let shape = if label.is_empty() { "point" } else { "octagon" };
                let label = quoted(label);
                writeln!(out, "    n{} [shape={shape}, label={label}{entry}];", node.index())?;
            }
        }
        writeln!(out, "  }}")?;
    }
    for edge in program.edges.iter() {
        let from = edge.source.index();
        let style = if edge.step { "" } else { "style=dashed" };
        match &edge.kind {
            EdgeKind::Local { target, .. } => {
                writeln!(out, "  n{from} -> n{} [{style}];", target.index())?;
            }
            EdgeKind::Call(call) => {
                let entry = program.procs[call.callee].entry;
                writeln!(out, "  n{from} -> n{} [{style}];", call.ret.index())?;
                writeln!(out, "  n{from} -> n{} [style=dotted, constraint=false];", entry.index())?;
            }
            EdgeKind::Return { .. } => {}
        }
    }
    writeln!(out, "}}")
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
