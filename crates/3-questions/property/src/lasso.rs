//! A trace of the product as one of the program.

use crate::Product;
use check::{Frame, Lasso, Partial, Segment, SegmentId, Step, Trace};
use ir::{Id, IndexVec, Layout, Program};

impl Product {
    /// The trace of the original program that a lasso of the product shows: without the calling
    /// procedure and the automaton's state, and with [`Lasso::Terminated`] or [`Lasso::Failed`] where
    /// it loops after the end. An error says in which way the trace is none of the product.
    pub fn trace(&self, original: &Program, trace: &Trace) -> Result<Trace, String> {
        let Some(Lasso::Loop { frame, step }) = trace.lasso else {
            return Err("a counterexample to a temporal property is a loop".to_owned());
        };
        let down = Down::new(self, original);
        let segments: IndexVec<SegmentId, Segment> =
            trace.segments.iter().map(|s| down.segment(s)).collect::<Result<_, _>>()?;
        let bottom = trace.frames.first().filter(|f| f.proc == self.wrapper);
        let bottom = bottom.ok_or("a run of the product begins in its own procedure")?;
        let call = bottom.steps.first().ok_or("a run of the product calls the entry procedure")?;
        let (start, shortest) = (down.start(original, &call.state), trace.shortest);
        let Some(inside) = call.inside else {
            return down.unfinished(trace, segments, (frame, step), &start);
        };

        // The entry procedure has returned: what follows are steps of a finished run.
        if trace.frames.len() != 1 || frame != 0 || step == 0 || step >= bottom.steps.len() {
            return Err("a finished run loops after its end".to_owned());
        }
        let whole = segments.get(inside).ok_or("an unknown call")?;
        let mut frame = Frame { proc: whole.proc, steps: whole.steps.clone() };
        let last = frame.steps.last().ok_or("a completed call takes a step")?;
        let target = original.edges[last.edge].source;
        down.fill(&mut frame.steps, &start);
        let mut end = down.open(self.program.nodes[target].proc);
        end.merge(&down.only_globals(&whole.exit));
        end.merge(&down.globals(&bottom.steps[1].state));
        let segments = segments.iter().take(inside.index()).cloned().collect();
        let lasso = Some(Lasso::Terminated);
        Ok(Trace { segments, frames: vec![frame], target, end, shortest, lasso })
    }
}

/// States of the product as states of the program.
struct Down<'a> {
    product: &'a Product,
    layout: Layout,
    /// Of the product.
    whole: Layout,
    /// How many bits the added globals have; they stand behind the program's.
    state_bits: u32,
}

impl Down<'_> {
    fn new<'a>(product: &'a Product, original: &Program) -> Down<'a> {
        let layout = Layout::new(original);
        let added = product.state.iter().chain(&product.waiting);
        let state_bits = added.map(|&var| product.program.vars[var].ty.bits()).sum();
        Down { product, layout, whole: Layout::new(&product.program), state_bits }
    }

    fn open(&self, proc: ir::ProcId) -> Partial {
        let frame = self.layout.frame_bits.get(proc).copied().unwrap_or(0);
        Partial::unknown(self.layout.global_bits + frame)
    }

    /// Globals, then `rest` bits.
    fn state(&self, state: &Partial, rest: u32) -> Partial {
        let globals = self.layout.global_bits;
        let mut out = Partial::unknown(globals + rest);
        for bit in 0..globals {
            out.set(bit, state.get(bit));
        }
        for bit in 0..rest {
            out.set(globals + bit, state.get(globals + self.state_bits + bit));
        }
        out
    }

    /// What is known of the entry procedure's scope when it is called.
    fn start(&self, original: &Program, state: &Partial) -> Partial {
        let globals = self.layout.global_bits;
        let mut out = self.open(original.entry);
        out.merge(&self.globals(state));
        for &(own, local) in &self.product.handed_over {
            let (from, to) = (self.whole.slot(own).bits(), self.layout.slot(local).bits());
            for (from, to) in from.zip(to) {
                out.set(globals + to, state.get(globals + self.state_bits + from));
            }
        }
        out
    }

    fn globals(&self, state: &Partial) -> Partial {
        self.state(state, 0)
    }

    /// The globals of a state of the program.
    fn only_globals(&self, state: &Partial) -> Partial {
        let mut out = Partial::unknown(self.layout.global_bits);
        for bit in 0..self.layout.global_bits {
            out.set(bit, state.get(bit));
        }
        out
    }

    /// A step that executes one of the program.
    fn step(&self, step: &Step, proc: ir::ProcId) -> Result<Step, String> {
        let edge = self.product.edges.get(step.edge).copied().flatten();
        let edge = edge.ok_or("a step of a finished run inside of one")?;
        let frame = self.layout.frame_bits.get(proc).copied().unwrap_or(0);
        Ok(Step { edge, state: self.state(&step.state, frame), inside: step.inside })
    }

    fn segment(&self, segment: &Segment) -> Result<Segment, String> {
        let proc = segment.proc;
        let results = self.layout.result_bits.get(proc).copied().unwrap_or(0);
        Ok(Segment {
            proc,
            steps: segment.steps.iter().map(|s| self.step(s, proc)).collect::<Result<_, _>>()?,
            exit: self.state(&segment.exit, results),
        })
    }

    /// What is known when the entry procedure is called is known at its first step.
    fn fill(&self, steps: &mut [Step], start: &Partial) {
        if let Some(first) = steps.first_mut() {
            let known = first.state.clone();
            first.state.merge(start);
            first.state.merge(&known);
        }
    }

    /// A run that never ends, or fails.
    fn unfinished(
        &self,
        trace: &Trace,
        segments: IndexVec<SegmentId, Segment>,
        (frame, step): (usize, usize),
        start: &Partial,
    ) -> Result<Trace, String> {
        if trace.frames[0].steps.len() != 1 || frame == 0 {
            return Err("the entry procedure is called once".to_owned());
        }
        let mut frames: Vec<Frame> = Vec::new();
        // The first step of a failed run after its end, with its node.
        let mut failed = None;
        for (i, f) in trace.frames.iter().enumerate().skip(1) {
            let own = |s: &Step| self.product.edges.get(s.edge).is_some_and(Option::is_some);
            let count = f.steps.iter().take_while(|s| own(s)).count();
            if count < f.steps.len() {
                if i + 1 != trace.frames.len() || frame != i || step < count {
                    return Err("a failed run loops after its end".to_owned());
                }
                failed = Some(&f.steps[count]);
            }
            let steps = f.steps[..count].iter().map(|s| self.step(s, f.proc));
            frames.push(Frame { proc: f.proc, steps: steps.collect::<Result<_, _>>()? });
        }
        let Some(last) = frames.last() else {
            return Err("the entry procedure is called".to_owned());
        };
        let proc = last.proc;
        let frame_bits = self.layout.frame_bits.get(proc).copied().unwrap_or(0);
        let (end, lasso) = match failed {
            Some(step) => (&step.state, Lasso::Failed),
            None => (&trace.end, Lasso::Loop { frame: frame - 1, step }),
        };
        let mut end = self.state(end, frame_bits);
        let first_steps = &mut frames[0].steps;
        if first_steps.is_empty() {
            // It fails at once: there is no step that could tell.
            let known = end.clone();
            end.merge(start);
            end.merge(&known);
        }
        self.fill(first_steps, start);
        Ok(Trace {
            segments,
            frames,
            target: trace.target,
            end,
            shortest: trace.shortest,
            lasso: Some(lasso),
        })
    }
}
