//! Depth-first local resolution.
//!
//! One depth-first search with Tarjan's components, over all blocks at once; rules CL1 to CL3 of
//! `closed` apply as soon as they can. After the algorithms A1 (general), A3 (acyclic) and A4
//! (disjunctive and conjunctive) of [caesar-solve §4]; unlike there, blocks are no subroutines:
//! a component never leaves its group of blocks, so its completion is the moment at which a call
//! for another block would return.
//!
//! - A dependency is stored only while its target's component is unfinished: an acyclic part costs
//!   no memory for dependencies, whether it was declared acyclic or not. Where it was, the first
//!   dependency that closes a cycle makes the group a general one.
//! - A variable with a value is left at once; operands not looked at are not explored.
//! - Special groups store no dependencies at all. In a disjunctive one, conjunctions look at their
//!   operands outside of the group first, and pass the value of the one inside on. So what is left
//!   open is false (CL3), unless DJ1 or DJ2 says otherwise. Conjunctive groups dually.
//!
//! - DJ1: every variable of a component is true if one is.
//! - DJ2: a cycle of a greatest fixpoint is true.
//!
//! Invariant: a variable that was seen and has no value is on Tarjan's stack.

use crate::closed::Value;
use crate::game::{self, Game};
use crate::rows::Rows;
use crate::solver::{Interrupt, NONE, Solver};
use crate::{Op, Shape, Sign, System, Watch};

struct Frame {
    v: u32,
    /// Its operands in the arena, and the next one to look at.
    from: u32,
    to: u32,
    next: u32,
    /// The operand that the frame above explores.
    child: u32,
    /// Whether `v` was told the child's value.
    told: bool,
    /// Stored dependencies when the frame was opened.
    edges: u32,
}

struct Dfs {
    frames: Vec<Frame>,
    /// Operands of the frames, as in a stack.
    arena: Vec<u32>,
    /// Tarjan's stack.
    stack: Vec<u32>,
    count: u32,
}

pub(crate) fn run<S: System>(
    solver: &mut Solver<S>,
    main: u32,
    watch: &mut Watch<'_>,
) -> Result<(), Interrupt<S::Error>> {
    let stopped = || Interrupt::Error(crate::SolveError::Stopped);
    let mut dfs = Dfs { frames: Vec::new(), arena: Vec::new(), stack: Vec::new(), count: 0 };
    if !watch(&solver.progress()) {
        return Err(stopped());
    }
    dfs.open(solver, main)?;
    let mut work = 0u64;
    loop {
        dfs.propagate(solver);
        if solver.vertices[main as usize].value != Value::Open {
            return Ok(());
        }
        work += 1;
        if work.is_multiple_of(1 << 12) && !watch(&solver.progress()) {
            return Err(stopped());
        }
        let Some(frame) = dfs.frames.last_mut() else { return Ok(()) };
        let x = frame.v;
        if frame.child != NONE {
            let y = std::mem::replace(&mut frame.child, NONE);
            let told = frame.told;
            let child = solver.vertices[y as usize];
            if child.low != NONE {
                let vertex = &mut solver.vertices[x as usize];
                vertex.low = vertex.low.min(child.low);
            }
            if !told {
                match child.value.known() {
                    Some(value) => solver.tell(x, value),
                    None if solver.vertices[x as usize].special => {}
                    None => solver.wait(x, y),
                }
                continue;
            }
        }
        if solver.vertices[x as usize].value == Value::Open && frame.next < frame.to {
            let y = dfs.arena[frame.next as usize];
            frame.next += 1;
            let other = solver.vertices[y as usize];
            if let Some(value) = other.value.known() {
                solver.tell(x, value);
            } else if other.index == 0 {
                frame.child = y;
                frame.told = false;
                dfs.open(solver, y)?;
            } else {
                let vertex = &mut solver.vertices[x as usize];
                vertex.low = vertex.low.min(other.index);
                if vertex.special && solver.shape(solver.place(x).group) == Shape::Acyclic {
                    dfs.not_acyclic(solver, x);
                }
                if !solver.vertices[x as usize].special {
                    solver.wait(x, y);
                } else if other.frame != NONE {
                    // DJ2: all variables between `y` and `x` on the search stack pass values on.
                    let place = solver.place(x);
                    let default = place.sign.default_value();
                    if default == (solver.shape(place.group) == Shape::Disjunctive) {
                        solver.set(x, default);
                    }
                }
            }
            continue;
        }
        let frame = dfs.frames.pop().expect("the last frame was looked at");
        dfs.arena.truncate(frame.from as usize);
        let vertex = &mut solver.vertices[x as usize];
        vertex.frame = NONE;
        if vertex.low == vertex.index {
            dfs.complete(solver, &frame, watch)?;
        }
    }
}

impl Dfs {
    /// Starts to explore a variable.
    fn open<S: System>(
        &mut self,
        solver: &mut Solver<S>,
        v: u32,
    ) -> Result<(), Interrupt<S::Error>> {
        let from = self.arena.len();
        let op = solver.fetch(v, &mut self.arena)?;
        let place = solver.place(v);
        let shape = solver.shape(place.group);
        let special = shape != Shape::General;
        if shape == Shape::Acyclic {
            solver.stats.acyclic += 1;
        } else if special {
            solver.stats.special += 1;
            if (shape == Shape::Disjunctive) != (op == Op::Or) {
                // Operands outside of the group first; the stable order keeps runs reproducible.
                let operands = &mut self.arena[from..];
                operands.sort_by_key(|&y| solver.place(y).group == place.group);
                let inside =
                    operands.iter().filter(|&&y| solver.place(y).group == place.group).count();
                if inside > 1 {
                    return Err(Interrupt::Demote(place.group));
                }
            }
        }
        self.count += 1;
        let vertex = &mut solver.vertices[v as usize];
        vertex.index = self.count;
        vertex.low = self.count;
        vertex.open = (self.arena.len() - from) as u32;
        vertex.op = op;
        vertex.special = special;
        vertex.frame = self.frames.len() as u32;
        let empty = vertex.open == 0;
        solver.seen.push(v);
        self.stack.push(v);
        self.frames.push(Frame {
            v,
            from: from as u32,
            to: self.arena.len() as u32,
            next: from as u32,
            child: NONE,
            told: false,
            edges: solver.edges.len() as u32,
        });
        if empty {
            solver.set(v, op.neutral());
        }
        Ok(())
    }

    /// The group of `x`, on top of the stack, was declared acyclic and is not. Nothing is lost: what
    /// is open in it is on the stack, all operands before the current one have values, and who waits
    /// for that one is noted when it returns. The group's frames are the topmost ones.
    fn not_acyclic<S: System>(&mut self, solver: &mut Solver<S>, x: u32) {
        let group = solver.place(x).group;
        solver.demote(group);
        for frame in self.frames.iter().rev() {
            if solver.place(frame.v).group != group {
                break;
            }
            solver.vertices[frame.v as usize].special = false;
        }
    }

    /// Tells new values to those who wait for them, the frames below on the stack included.
    fn propagate<S: System>(&mut self, solver: &mut Solver<S>) {
        while let Some(y) = solver.news.pop() {
            let vertex = solver.vertices[y as usize];
            let value = vertex.value == Value::True;
            let mut at = vertex.waiting;
            while at != NONE {
                let (x, next) = solver.edges[at as usize];
                solver.tell(x, value);
                at = next;
            }
            if vertex.frame != NONE && vertex.frame > 0 {
                let below = &mut self.frames[vertex.frame as usize - 1];
                if below.child == y && !below.told {
                    below.told = true;
                    solver.tell(below.v, value);
                }
            }
        }
    }

    /// The component of `frame.v` is complete: its open variables get their values (DJ1, CL3).
    fn complete<S: System>(
        &mut self,
        solver: &mut Solver<S>,
        frame: &Frame,
        watch: &mut Watch<'_>,
    ) -> Result<(), Interrupt<S::Error>> {
        let root = frame.v;
        let mut from = self.stack.len() - 1;
        while self.stack[from] != root {
            from -= 1;
        }
        let open: Vec<u32> = self.stack[from..]
            .iter()
            .copied()
            .filter(|&v| solver.vertices[v as usize].value == Value::Open)
            .collect();
        if let Some(&first) = open.first() {
            let place = solver.place(first);
            let value = match solver.shape(place.group) {
                Shape::General | Shape::Acyclic => None,
                shape => {
                    let decisive = Value::of(shape == Shape::Disjunctive);
                    let any = self.stack[from..].iter().any(|&v| {
                        solver.vertices[v as usize].value == decisive
                            && solver.place(v).group == place.group
                    });
                    any.then_some(decisive == Value::True)
                }
            };
            let places: Vec<(u32, Sign)> = open
                .iter()
                .map(|&v| {
                    let place = solver.place(v);
                    (place.rank, place.sign)
                })
                .collect();
            let one_sign = places.iter().all(|p| p.1 == place.sign);
            if let Some(value) = value {
                open.iter().for_each(|&v| solver.set(v, value));
            } else if one_sign {
                open.iter().for_each(|&v| solver.set(v, place.sign.default_value()));
            } else if solver.shape(place.group) != Shape::General {
                return Err(Interrupt::Demote(place.group));
            } else {
                self.game(solver, &open, &places, watch)?;
            }
        }
        for &v in &self.stack[from..] {
            solver.vertices[v as usize].low = NONE;
        }
        self.stack.truncate(from);
        // Everything that was stored since the root was opened lies inside the component: a
        // dependency on a variable below it would have made that one the root. News are told
        // before the list is cut.
        self.propagate(solver);
        solver.edges.truncate(frame.edges as usize);
        Ok(())
    }

    /// A component of both signs.
    fn game<S: System>(
        &mut self,
        solver: &mut Solver<S>,
        open: &[u32],
        places: &[(u32, Sign)],
        watch: &mut Watch<'_>,
    ) -> Result<(), Interrupt<S::Error>> {
        solver.stats.games += 1;
        solver.stats.game_vertices += open.len() as u64;
        let values = game(solver, open, places, watch)
            .ok_or(Interrupt::Error(crate::SolveError::Stopped))?;
        for (&v, value) in open.iter().zip(values) {
            solver.set(v, value);
        }
        Ok(())
    }
}

/// The parity game of the open variables, from the dependencies that wait.
fn game<S: System>(
    solver: &mut Solver<S>,
    open: &[u32],
    places: &[(u32, Sign)],
    watch: &mut Watch<'_>,
) -> Option<Vec<bool>> {
    // `frame` is free once a variable has left the search stack.
    for (i, &v) in open.iter().enumerate() {
        solver.vertices[v as usize].frame = i as u32;
    }
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, &y) in open.iter().enumerate() {
        let mut at = solver.vertices[y as usize].waiting;
        while at != NONE {
            let (x, next) = solver.edges[at as usize];
            let vertex = &solver.vertices[x as usize];
            if vertex.value == Value::Open {
                edges.push((vertex.frame, i as u32));
            }
            at = next;
        }
    }
    for &v in open {
        solver.vertices[v as usize].frame = NONE;
    }
    let game = Game {
        op: open.iter().map(|&v| solver.vertices[v as usize].op).collect(),
        priority: game::priorities(places),
        succ: Rows::from_edges(open.len(), &edges),
    };
    let progress = solver.progress();
    Some(game::solve(&game, &mut || watch(&progress))?.value)
}
