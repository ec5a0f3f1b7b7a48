//! The points of a skeleton as nodes of a program: what listings show of runs that know points only.

use crate::skeleton::Skeleton;
use ir::{Init, NodeId, Program, ProgramBuilder};
use std::sync::Arc;

/// A program whose statements are the points of a skeleton. It has no steps: it is there to be shown.
#[derive(Clone, Debug)]
pub struct Places {
    /// The program.
    pub program: Arc<Program>,
    /// Of each point of each body, its node.
    nodes: Vec<Vec<NodeId>>,
}

impl Places {
    /// The places of a skeleton.
    pub fn new(s: &Skeleton) -> Places {
        let mut b = ProgramBuilder::new();
        if s.files.is_empty() {
            b.file("");
        }
        for file in &s.files {
            b.file(file);
        }
        let mut procs = Vec::with_capacity(s.bodies.len());
        for body in &s.bodies {
            let name = &s.funcs[body.func.index()].unique;
            let at = b.origin(body.at.file, body.at.line, body.at.column, name);
            procs.push(b.proc(name, at));
        }
        let mut nodes = Vec::with_capacity(s.bodies.len());
        for (body, &proc) in s.bodies.iter().zip(&procs) {
            b.begin_proc(proc);
            let end = b.silent();
            b.entry(proc, end);
            let mut own = Vec::with_capacity(body.points.len());
            for point in &body.points {
                let at = b.origin(point.at.file, point.at.line, point.at.column, &point.text);
                own.push(b.statement(at));
            }
            nodes.push(own);
        }
        let entry = match procs.first() {
            Some(&first) => first,
            None => {
                let at = b.no_origin();
                let none = b.proc("(none)", at);
                b.begin_proc(none);
                let end = b.silent();
                b.entry(none, end);
                none
            }
        };
        Places { program: Arc::new(b.finish(entry, Init::default())), nodes }
    }

    /// The node of a point.
    pub fn node(&self, body: usize, point: usize) -> NodeId {
        self.nodes[body][point]
    }
}
