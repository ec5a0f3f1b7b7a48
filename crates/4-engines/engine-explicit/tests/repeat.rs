//! Repeated goals against two plain methods, and lassos against the definition of a run.
//!
//! The first method tabulates with full entry valuations and *sets* of marks, so that nothing is
//! assumed about how marks may be told apart, and looks for components of heads. The second one
//! writes out configurations with their whole stacks: exact where stacks are bounded.

use crate::common;
use crate::plain::direct::Cells;
use crate::plain::{Relations, initial, join, relations};
use check::{Budget, Engine, Goal, Lasso, Partial, Segment, Step, Task, Trace, TraceMode, Verdict};
use engine_explicit::Explicit;
use front_bp::Dialect;
use ir::{EdgeId, EdgeKind, Id, Layout, NodeId, ProcId, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::rng::Rng;

/// Facts beyond which a program is left out.
const LIMIT: usize = 12_000;

/// The relations of a program, each successor computed once. Valuations are numbers.
struct World<'a> {
    program: &'a Program,
    relations: Vec<Relations<'a>>,
    cells: Vec<Cells>,
    numbers: BTreeMap<Cells, u32>,
    forward: BTreeMap<(EdgeId, u32), Vec<(u32, u32)>>,
    back: BTreeMap<(EdgeId, u32, u32), Vec<u32>>,
}

impl<'a> World<'a> {
    fn new(program: &'a Program) -> World<'a> {
        World {
            program,
            relations: relations(program),
            cells: Vec::new(),
            numbers: BTreeMap::new(),
            forward: BTreeMap::new(),
            back: BTreeMap::new(),
        }
    }
    fn number(&mut self, cells: Cells) -> u32 {
        let next = self.cells.len() as u32;
        let number = *self.numbers.entry(cells.clone()).or_insert(next);
        if number == next {
            self.cells.push(cells);
        }
        number
    }
    fn initial(&mut self) -> Vec<u32> {
        initial(self.program).into_iter().map(|cells| self.number(cells)).collect()
    }
    /// What a step, a call or a return leads to, with the saved frame of a call.
    fn forward(&mut self, edge: EdgeId, now: u32) -> Vec<(u32, u32)> {
        if let Some(known) = self.forward.get(&(edge, now)) {
            return known.clone();
        }
        let rel = match &self.relations[edge.index()] {
            Relations::Local(_, rel) | Relations::Return(rel) => rel,
            Relations::Call { enter, .. } => enter,
        };
        let found = rel.successors(&self.cells[now as usize]);
        let found: Vec<(u32, u32)> =
            found.into_iter().map(|(p, s)| (self.number(p), self.number(s))).collect();
        self.forward.insert((edge, now), found.clone());
        found
    }
    /// What the way back from a call leads to.
    fn back(&mut self, edge: EdgeId, out: u32, saved: u32) -> Vec<u32> {
        if let Some(known) = self.back.get(&(edge, out, saved)) {
            return known.clone();
        }
        let Relations::Call { back, .. } = &self.relations[edge.index()] else { panic!("a call") };
        let found = back.successors(&join(&self.cells[out as usize], &self.cells[saved as usize]));
        let found: Vec<u32> = found.into_iter().map(|(p, _)| self.number(p)).collect();
        self.back.insert((edge, out, saved), found.clone());
        found
    }
}

/// A way through vertices with the marks it carries.
type Arc3<V> = (V, V, ir::MarkSet);

/// Whether some component has for each mark of the mask an arc inside it: all vertices that reach
/// each other, by two passes over the graph.
fn accepting<V: Ord + Clone>(arcs: &BTreeSet<Arc3<V>>, mask: ir::MarkSet) -> bool {
    let mut ids: BTreeMap<&V, usize> = BTreeMap::new();
    for (from, to, _) in arcs {
        for v in [from, to] {
            let next = ids.len();
            ids.entry(v).or_insert(next);
        }
    }
    let (mut out, mut into) = (vec![Vec::new(); ids.len()], vec![Vec::new(); ids.len()]);
    for (from, to, _) in arcs {
        out[ids[from]].push(ids[to]);
        into[ids[to]].push(ids[from]);
    }
    // Vertices in the order in which they are finished.
    let mut seen = vec![false; ids.len()];
    let mut finished = Vec::new();
    for root in 0..ids.len() {
        let mut stack = vec![(root, 0)];
        while let Some((v, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[v], true) {
                continue;
            }
            match out[v].get(next) {
                Some(&w) => {
                    stack.push((v, next + 1));
                    if !seen[w] {
                        stack.push((w, 0));
                    }
                }
                None => finished.push(v),
            }
        }
    }
    let mut component = vec![usize::MAX; ids.len()];
    for (number, &root) in finished.iter().rev().enumerate() {
        let mut stack = vec![root];
        while let Some(v) = stack.pop() {
            if component[v] == usize::MAX {
                component[v] = number;
                stack.extend(&into[v]);
            }
        }
    }
    let mut inside: BTreeMap<usize, ir::MarkSet> = BTreeMap::new();
    for (from, to, marks) in arcs {
        if component[ids[from]] == component[ids[to]] {
            *inside.entry(component[ids[from]]).or_default() |= marks;
        }
    }
    inside.values().any(|marks| marks & mask == mask)
}

/// By tabulation with sets of marks. `None`: too large.
fn by_heads(world: &mut World, mask: ir::MarkSet) -> Option<bool> {
    type Key = (ProcId, u32);
    let program = world.program;
    let entry = program.procs[program.entry].entry;
    let mut work: Vec<(NodeId, u32, u32, ir::MarkSet)> =
        world.initial().into_iter().map(|x| (entry, x, x, 0)).collect();
    let mut paths: BTreeSet<(NodeId, u32, u32, ir::MarkSet)> = BTreeSet::new();
    let mut exits: BTreeMap<Key, BTreeSet<(u32, ir::MarkSet)>> = BTreeMap::new();
    let mut callers: BTreeMap<Key, BTreeSet<(u32, EdgeId, u32, ir::MarkSet)>> = BTreeMap::new();
    while let Some(path) = work.pop() {
        if !paths.insert(path) {
            continue;
        }
        if paths.len() > LIMIT {
            return None;
        }
        let (node, start, now, set) = path;
        let proc = program.nodes[node].proc;
        for edge in program.out_edges(node) {
            let set = set | program.edges[edge].marks & mask;
            match &program.edges[edge].kind {
                EdgeKind::Local { target, .. } => {
                    work.extend(
                        world.forward(edge, now).iter().map(|&(x, _)| (*target, start, x, set)),
                    );
                }
                EdgeKind::Call(call) => {
                    for (inner, saved) in world.forward(edge, now) {
                        let key = (call.callee, inner);
                        callers.entry(key).or_default().insert((start, edge, saved, set));
                        work.push((program.procs[call.callee].entry, inner, inner, 0));
                        for &(out, more) in exits.get(&key).into_iter().flatten() {
                            let after = world.back(edge, out, saved);
                            work.extend(after.iter().map(|&x| (call.ret, start, x, set | more)));
                        }
                    }
                }
                EdgeKind::Return { .. } => {
                    for (out, _) in world.forward(edge, now) {
                        if !exits.entry((proc, start)).or_default().insert((out, set)) {
                            continue;
                        }
                        let waiting = callers.get(&(proc, start)).into_iter().flatten();
                        for &(from, edge, saved, before) in waiting {
                            let ret = program.edges[edge].target().unwrap();
                            let after = world.back(edge, out, saved);
                            work.extend(after.iter().map(|&x| (ret, from, x, before | set)));
                        }
                    }
                }
            }
        }
    }
    let heads: BTreeSet<(NodeId, u32)> = paths.iter().map(|&(n, _, x, _)| (n, x)).collect();
    let mut arcs: BTreeSet<Arc3<(NodeId, u32)>> = BTreeSet::new();
    for &(node, now) in &heads {
        for edge in program.out_edges(node) {
            let marks = program.edges[edge].marks & mask;
            for (x, saved) in world.forward(edge, now) {
                match &program.edges[edge].kind {
                    EdgeKind::Local { target, .. } => {
                        arcs.insert(((node, now), (*target, x), marks));
                    }
                    EdgeKind::Call(call) => {
                        let start = program.procs[call.callee].entry;
                        arcs.insert(((node, now), (start, x), marks));
                        for &(out, more) in exits.get(&(call.callee, x)).into_iter().flatten() {
                            for after in world.back(edge, out, saved) {
                                arcs.insert(((node, now), (call.ret, after), marks | more));
                            }
                        }
                    }
                    EdgeKind::Return { .. } => {}
                }
            }
        }
    }
    Some(accepting(&arcs, mask))
}

/// The stack below, the node and the valuation there.
type Config = (Vec<(EdgeId, u32)>, NodeId, u32);

/// By configurations of at most `depth` open calls, and whether that is all of them. `None`: too
/// many.
fn by_configurations(world: &mut World, mask: ir::MarkSet, depth: usize) -> Option<(bool, bool)> {
    let program = world.program;
    let entry = program.procs[program.entry].entry;
    let mut work: Vec<Config> =
        world.initial().into_iter().map(|x| (Vec::new(), entry, x)).collect();
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    let mut arcs: BTreeSet<Arc3<Config>> = BTreeSet::new();
    let mut all = true;
    while let Some(config) = work.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        if arcs.len() > LIMIT {
            return None;
        }
        let (stack, node, now) = &config;
        for edge in program.out_edges(*node) {
            for (x, saved) in world.forward(edge, *now) {
                let mut next: Vec<Config> = Vec::new();
                match &program.edges[edge].kind {
                    EdgeKind::Local { target, .. } => next.push((stack.clone(), *target, x)),
                    EdgeKind::Call(_) if stack.len() == depth => all = false,
                    EdgeKind::Call(call) => {
                        let mut stack = stack.clone();
                        stack.push((edge, saved));
                        next.push((stack, program.procs[call.callee].entry, x));
                    }
                    EdgeKind::Return { .. } => {
                        let mut stack = stack.clone();
                        if let Some((call, saved)) = stack.pop() {
                            let ret = program.edges[call].target().unwrap();
                            for after in world.back(call, x, saved) {
                                next.push((stack.clone(), ret, after));
                            }
                        }
                    }
                }
                for to in next {
                    arcs.insert((config.clone(), to.clone(), program.edges[edge].marks & mask));
                    work.push(to);
                }
            }
        }
    }
    Some((accepting(&arcs, mask), all))
}

/// A lasso, held against the definition of a run.
struct Judge<'a> {
    program: &'a Program,
    relations: Vec<Relations<'a>>,
    layout: Layout,
    trace: &'a Trace,
}

impl Judge<'_> {
    fn cells(&self, state: &Partial, globals_then: &[VarId]) -> Cells {
        let mut out = Cells::new();
        let mut add = |vars: &[VarId], base: u32| {
            for &var in vars {
                for cell in 0..self.program.vars[var].ty.cells() {
                    let bits = self.layout.slot(var).cell(cell);
                    let value = state.number(base + bits.start..base + bits.end);
                    out.insert((var, cell), value.expect("every bit is vouched for"));
                }
            }
        };
        add(&self.program.globals, 0);
        add(globals_then, self.layout.global_bits);
        out
    }
    fn state(&self, step: &Step) -> (NodeId, Cells) {
        let node = self.program.edges[step.edge].source;
        let proc = self.program.nodes[node].proc;
        (node, self.cells(&step.state, &self.program.procs[proc].locals))
    }
    fn exit(&self, segment: &Segment) -> Cells {
        self.cells(&segment.exit, &self.program.procs[segment.proc].results)
    }
    /// The marks of a segment, whose steps must follow from each other.
    fn segment(&self, segment: &Segment, done: &[ir::MarkSet]) -> ir::MarkSet {
        let entry = self.program.procs[segment.proc].entry;
        assert_eq!(self.state(&segment.steps[0]).0, entry);
        let (last, before) = segment.steps.split_last().unwrap();
        let mut marks = self.program.edges[last.edge].marks;
        for (i, step) in before.iter().enumerate() {
            marks |= self.step(step, &self.state(&segment.steps[i + 1]), done);
        }
        let Relations::Return(rel) = &self.relations[last.edge.index()] else { panic!("a return") };
        let outs = rel.successors(&self.state(last).1);
        assert!(outs.iter().any(|(out, _)| *out == self.exit(segment)));
        marks
    }
    /// The marks of a step inside a frame, which must lead to `next`.
    fn step(&self, step: &Step, next: &(NodeId, Cells), done: &[ir::MarkSet]) -> ir::MarkSet {
        let marks = self.program.edges[step.edge].marks;
        let (_, now) = self.state(step);
        match &self.relations[step.edge.index()] {
            Relations::Local(target, rel) => {
                assert!(*target == next.0 && step.inside.is_none());
                assert!(rel.successors(&now).iter().any(|(post, _)| *post == next.1));
                marks
            }
            Relations::Call { callee, enter, ret, back } => {
                let inside = step.inside.expect("the call comes back");
                let segment = &self.trace.segments[inside];
                assert!(*ret == next.0 && *callee == segment.proc);
                let (start, out) = (self.state(&segment.steps[0]).1, self.exit(segment));
                let fits = enter.successors(&now).into_iter().any(|(inner, saved)| {
                    inner == start
                        && back.successors(&join(&out, &saved)).iter().any(|(p, _)| *p == next.1)
                });
                assert!(fits, "no such call");
                marks | done[inside.index()]
            }
            Relations::Return(_) => panic!("a return in the middle"),
        }
    }
    fn lasso(&self, mask: ir::MarkSet) {
        let trace = self.trace;
        let mut done: Vec<ir::MarkSet> = Vec::new();
        for segment in trace.segments.iter() {
            done.push(self.segment(segment, &done));
        }
        let Some(Lasso::Loop { frame, step }) = trace.lasso else { panic!("no loop") };
        let target = self.program.nodes[trace.target].proc;
        let end = (trace.target, self.cells(&trace.end, &self.program.procs[target].locals));
        let first = trace.frames[frame].steps.get(step).expect("the loop is not empty");
        assert_eq!(self.state(first), end, "the loop closes");
        let starts =
            |i: usize| trace.frames[i].steps.first().map_or(end.clone(), |s| self.state(s));
        let (node, start) = starts(0);
        assert_eq!(node, self.program.procs[self.program.entry].entry);
        assert!(initial(self.program).contains(&start));
        let mut marks = 0;
        for (i, f) in trace.frames.iter().enumerate() {
            let last_frame = i + 1 == trace.frames.len();
            for (k, s) in f.steps.iter().enumerate() {
                let mut carried = self.program.edges[s.edge].marks;
                if let Some(next) = f.steps.get(k + 1) {
                    carried |= self.step(s, &self.state(next), &done);
                } else if last_frame {
                    carried |= self.step(s, &end, &done);
                } else {
                    let Relations::Call { callee, enter, .. } = &self.relations[s.edge.index()]
                    else {
                        panic!("an open call")
                    };
                    assert!(s.inside.is_none());
                    let (node, start) = starts(i + 1);
                    assert_eq!(node, self.program.procs[*callee].entry);
                    let inner = enter.successors(&self.state(s).1);
                    assert!(inner.iter().any(|(inner, _)| *inner == start));
                }
                if (i, k) >= (frame, step) {
                    marks |= carried;
                }
            }
        }
        assert_eq!(marks & mask, mask, "the loop carries every mark");
    }
}

/// A random program with random marks, and how many there are.
fn marked(seed: u64) -> (Arc<Program>, u32) {
    let mut program = testkit::random_ir::random_program(seed);
    let mut rng = Rng::new(seed ^ 0x3a7c);
    let count = [0, 1, 1, 2, 2, 3, 3][rng.below(7)];
    let likely = *rng.pick(&[8, 15, 30]);
    for edge in program.edges.iter_mut() {
        edge.marks = (0..count).filter(|_| rng.chance(likely)).map(|i| 1 << i).sum();
    }
    (Arc::new(program), count as u32)
}

fn judge_lasso(program: &Program, trace: &Trace, mask: ir::MarkSet) {
    let judge =
        Judge { program, relations: relations(program), layout: Layout::new(program), trace };
    judge.lasso(mask);
}

#[test]
fn random_programs() {
    let (mut compared, mut exact) = (0, 0);
    let mut tally: BTreeMap<(bool, u32), usize> = BTreeMap::new();
    let (mut grows, mut segments, mut certified) = (0, 0, 0);
    for seed in 0..250 {
        let (program, marks) = marked(seed);
        let mask = (1 << marks) - 1;
        let mut world = World::new(&program);
        let Some(expected) = by_heads(&mut world, mask) else { continue };
        compared += 1;
        *tally.entry((expected, marks)).or_default() += 1;
        if let Some((found, all)) = by_configurations(&mut world, mask, 4) {
            assert!(expected || !found, "seed {seed}: the two plain methods differ");
            assert!(found || !expected || !all, "seed {seed}: the two plain methods differ");
            exact += all as usize;
        }
        for trace in [TraceMode::Shortest, TraceMode::Any] {
            let mut task = Task::new(program.clone(), vec![Goal::Repeat { marks }]);
            task.wants.trace = trace;
            let answer = common::run(&task);
            match &answer.verdicts[0] {
                Verdict::Violated(Some(trace)) => {
                    assert!(expected, "seed {seed}: no such run");
                    judge_lasso(&program, trace, mask);
                    let Some(Lasso::Loop { frame, .. }) = trace.lasso else { panic!("a loop") };
                    grows += (frame + 1 < trace.frames.len()) as usize;
                    segments += trace.segments.len();
                }
                Verdict::Holds(certificate) => {
                    assert!(!expected, "seed {seed}: there is such a run");
                    assert_eq!(certificate.is_some(), marks > 0);
                    certified += certificate.is_some() as usize;
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    assert!(grows > 30 && segments > 80, "{grows} stacks grow, {segments} completed calls");
    assert!(certified > 200, "{certified} certificates");
    assert!(compared > 200 && exact > 150, "{compared} compared, {exact} with all configurations");
    for marks in 1..=3 {
        for expected in [false, true] {
            let count = tally.get(&(expected, marks)).copied().unwrap_or(0);
            assert!(count > 8, "{count} programs of {marks} marks: {expected}");
        }
    }
}

/// A boolean program; steps from statements labelled `M0`, `M1`, … carry these marks.
fn text(text: &str) -> Arc<Program> {
    let mut program =
        Arc::unwrap_or_clone(common::program("test.bp", text, Dialect::Standard).unwrap());
    for mark in 0..3 {
        for node in program.labelled(None, &format!("M{mark}")) {
            for edge in program.out_edges(node) {
                program.edges[edge].marks |= 1 << mark;
            }
        }
    }
    Arc::new(program)
}

/// The lasso of a program, replayed; `None` if there is none, which is certified.
#[track_caller]
fn lasso(program: &Arc<Program>, marks: u32) -> Option<Trace> {
    let task = Task::new(program.clone(), vec![Goal::Repeat { marks }]);
    match common::run(&task).verdicts.remove(0) {
        Verdict::Violated(trace) => {
            let trace = *trace.expect("a lasso is wanted");
            judge_lasso(program, &trace, (1 << marks) - 1);
            Some(trace)
        }
        Verdict::Holds(certificate) => {
            assert!(certificate.is_some(), "no certificate");
            None
        }
        other => panic!("{other:?}"),
    }
}

/// One call carries either mark, and never both: the loop calls twice.
#[test]
fn marks_of_one_call() {
    let program = text(
        "
        void main() begin while T do f(); od end
        void f() begin if * then M0: skip; else M1: skip; fi end",
    );
    let trace = lasso(&program, 2).expect("a loop");
    assert_eq!(trace.segments.len(), 2);
    assert!(lasso(&program, 3).is_none());
}

/// A mark deep inside completed calls, behind recursion that could be expanded for ever.
#[test]
fn marks_inside_recursion() {
    let program = text(
        "
        decl g;
        void main() begin while T do f(); od end
        void f() begin
          if * then f(); f(); fi
          if * then f(); M0: skip; fi
          if * then h(); fi
        end
        void h() begin if * then f(); else M1: skip; fi end",
    );
    let trace = lasso(&program, 2).expect("a loop");
    assert!(trace.segments.len() <= 6, "{} segments", trace.segments.len());
}

/// The stack grows in each turn; what is carried before the recursion begins does not count.
#[test]
fn growing_stacks() {
    let program = text(
        "
        void main() begin M1: f(); end
        void f() begin M0: g(); end
        void g() begin if * then f(); fi end",
    );
    let trace = lasso(&program, 1).expect("f and g call each other");
    let Some(Lasso::Loop { frame, .. }) = trace.lasso else { panic!("a loop") };
    assert_eq!(trace.frames.len() - frame, 3, "two frames more");
    assert!(lasso(&program, 2).is_none(), "M1 is carried once");
}

/// Both marks are carried by every turn of some loop, never by the same one.
#[test]
fn marks_of_different_loops() {
    let program = text(
        "
        void main() begin
          if * then while T do M0: skip; od else while T do M1: skip; od fi
        end",
    );
    assert!(lasso(&program, 1).is_some());
    assert!(lasso(&program, 2).is_none());
}

/// 2^40 steps in each turn, and 100,000 frames below the loop.
#[test]
fn long_and_deep() {
    let levels = 40;
    let mut long = "void main() begin while T do f0(); od end\n".to_owned();
    for i in 0..levels {
        long += &format!("void f{i}() begin f{}(); f{}(); end\n", i + 1, i + 1);
    }
    long += &format!("void f{levels}() begin if * then M0: skip; fi end\n");
    let task = Task::new(text(&long), vec![Goal::Repeat { marks: 1 }]);
    let answer = common::run(&task);
    let trace = common::trace(&answer.verdicts[0]).expect("a loop");
    assert!(trace.segments.len() <= 3 * levels, "{} segments", trace.segments.len());

    let depth = 100_000;
    let mut deep = "void main() begin f0(); end\n".to_owned();
    for i in 0..depth {
        deep += &format!("void f{i}() begin f{}(); end\n", i + 1);
    }
    deep += &format!("void f{depth}() begin while T do M0: skip; od end\n");
    let mut task = Task::new(text(&deep), vec![Goal::Repeat { marks: 1 }]);
    task.wants.trace = TraceMode::Any;
    let answer = Explicit::default().run(&task, &Budget::unlimited());
    let trace = common::trace(&answer.verdicts[0]).expect("a loop");
    assert_eq!(trace.frames.len(), depth + 2);
}

#[test]
fn same_input_same_answer() {
    for seed in 0..20 {
        let (program, marks) = marked(seed);
        let task = Task::new(program, vec![Goal::Repeat { marks }]);
        let show = || format!("{:?}", common::run(&task).verdicts);
        assert_eq!(show(), show());
    }
}
