//! Programs run by the definition of their model, one configuration after the other: the stack
//! whole, every valuation tried. Only for programs with few configurations.
#![allow(unreachable_pub, reason = "a module of several tests")]

use ir::eval::{Code, Env, Val, cell_of};
use ir::{EdgeId, EdgeKind, ExprId, NodeId, Program, Rel, Time, VarId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Cells by variable.
pub type State = BTreeMap<VarId, Vec<u64>>;

/// A configuration. Without frames, the run has ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Config {
    pub globals: State,
    /// The bottom first; those below the top with the call that they wait for.
    pub frames: Vec<(NodeId, Option<EdgeId>, State)>,
}

pub struct Machine<'a> {
    pub program: &'a Program,
    codes: RefCell<HashMap<ExprId, Code>>,
}

struct Values<'a> {
    pre: &'a State,
    post: &'a State,
    saved: &'a State,
    choices: u64,
}

impl Env for Values<'_> {
    fn read(&self, time: Time, var: VarId, cell: u32) -> Option<u64> {
        let state = match time {
            Time::Pre => self.pre,
            Time::Post => self.post,
            Time::Saved => self.saved,
        };
        state.get(&var).map(|cells| cells[cell as usize])
    }
    fn choice(&self, number: u32) -> Option<bool> {
        Some(self.choices >> number & 1 == 1)
    }
}

/// What a variable is before anything is assigned: its old cells, or arbitrary.
type Base = BTreeMap<(Time, VarId), Option<Vec<u64>>>;

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program) -> Machine<'a> {
        Machine { program, codes: RefCell::default() }
    }

    fn eval(&self, expr: ExprId, values: &Values<'_>) -> Val {
        let mut codes = self.codes.borrow_mut();
        let code = codes.entry(expr).or_insert_with(|| Code::new(self.program, expr));
        code.eval(values, &mut Vec::new())
    }

    /// Whether a condition on the given values holds.
    pub fn holds(&self, expr: ExprId, now: &State) -> bool {
        let values = Values { pre: now, post: &State::new(), saved: &State::new(), choices: 0 };
        self.eval(expr, &values).as_bool() == Some(true)
    }

    fn posts(&self, rel: &Rel, pre: &State, base: &Base) -> BTreeSet<(State, State)> {
        let mut out = BTreeSet::new();
        for choices in 0..1u64 << rel.choices {
            let empty = State::new();
            let before = Values { pre, post: &empty, saved: &empty, choices };
            if self.eval(rel.guard, &before).as_bool() != Some(true) {
                continue;
            }
            let Some(assigned) = self.assigned(rel, &before) else { continue };
            // Fixed cells, then those that are tried out.
            let (mut post, mut saved) = (State::new(), State::new());
            let mut open: Vec<(Time, VarId, usize)> = Vec::new();
            for (&(time, var), old) in base {
                let cells = self.program.vars[var].ty.cells() as usize;
                let mut values = vec![0; cells];
                for (i, value) in values.iter_mut().enumerate() {
                    match (assigned.get(&(time, var, i as u32)), old) {
                        (Some(Some(new)), _) => *value = *new,
                        (None, Some(old)) => *value = old[i],
                        (Some(None), _) | (None, None) => open.push((time, var, i)),
                    }
                }
                let state = if time == Time::Post { &mut post } else { &mut saved };
                state.insert(var, values);
            }
            let bits: Vec<u32> =
                open.iter().map(|&(_, var, _)| self.program.vars[var].ty.scalar.bits()).collect();
            assert!(bits.iter().sum::<u32>() <= 14, "too much to try");
            for mut number in 0..1u64 << bits.iter().sum::<u32>() {
                for (&(time, var, i), &bits) in open.iter().zip(&bits) {
                    let state = if time == Time::Post { &mut post } else { &mut saved };
                    state.get_mut(&var).unwrap()[i] = number & ((1 << bits) - 1);
                    number >>= bits;
                }
                let values = Values { pre, post: &post, saved: &saved, choices };
                if self.eval(rel.constraint, &values).as_bool() == Some(true) {
                    out.insert((post.clone(), saved.clone()));
                }
            }
        }
        out
    }

    fn assigned(
        &self,
        rel: &Rel,
        before: &Values<'_>,
    ) -> Option<BTreeMap<(Time, VarId, u32), Option<u64>>> {
        let mut out: BTreeMap<(Time, VarId, u32), Option<u64>> = BTreeMap::new();
        for assign in &rel.assigns {
            let ty = self.program.vars[assign.var].ty;
            let cells = match assign.index {
                None => 0..ty.cells(),
                Some(index) => {
                    let Val::Known(index) = self.eval(index, before) else { return None };
                    let cell = cell_of(self.program, assign.var, index)?;
                    cell..cell + 1
                }
            };
            let value = match assign.value {
                None => None,
                Some(value) => match self.eval(value, before) {
                    Val::Known(v) if (0..1i128 << ty.scalar.bits()).contains(&v) => Some(v as u64),
                    _ => return None,
                },
            };
            for cell in cells {
                let old = out.entry((assign.time, assign.var, cell)).or_insert(value);
                match (*old, value) {
                    (Some(a), Some(b)) if a != b => return None,
                    (None, Some(_)) => *old = value,
                    _ => {}
                }
            }
        }
        Some(out)
    }

    fn kept(time: Time, state: &State) -> Base {
        state.iter().map(|(&var, cells)| ((time, var), Some(cells.clone()))).collect()
    }

    fn open(time: Time, vars: &[VarId]) -> Base {
        vars.iter().map(|&var| ((time, var), None)).collect()
    }

    fn split(&self, mut state: State, rest: &[VarId]) -> (State, State) {
        let rest = rest.iter().filter_map(|&v| state.remove(&v).map(|cells| (v, cells))).collect();
        (state, rest)
    }

    pub fn initial(&self) -> Vec<Config> {
        let program = self.program;
        let proc = &program.procs[program.entry];
        let mut base = Self::open(Time::Post, &program.globals);
        base.extend(Self::open(Time::Post, &proc.locals));
        // The condition reads `Pre`: try every valuation, then ask it.
        let free = self.posts(&Rel::identity(), &State::new(), &base);
        let states = free.into_iter().map(|(state, _)| state).filter(|state| {
            (0..1u64 << program.init.choices).any(|choices| {
                let empty = State::new();
                let values = Values { pre: state, post: &empty, saved: &empty, choices };
                self.eval(program.init.condition, &values).as_bool() == Some(true)
            })
        });
        states
            .map(|state| {
                let (globals, locals) = self.split(state, &proc.locals);
                Config { globals, frames: vec![(proc.entry, None, locals)] }
            })
            .collect()
    }

    pub fn successors(&self, config: &Config) -> Vec<(EdgeId, Config)> {
        let program = self.program;
        let Some((node, _, locals)) = config.frames.last() else { return Vec::new() };
        let below = &config.frames[..config.frames.len() - 1];
        let mut now = config.globals.clone();
        now.extend(locals.clone());
        let own = &program.procs[program.nodes[*node].proc].locals;
        let mut out = Vec::new();
        for id in program.out_edges(*node) {
            match &program.edges[id].kind {
                EdgeKind::Local { target, rel } => {
                    for (post, _) in self.posts(rel, &now, &Self::kept(Time::Post, &now)) {
                        let (globals, locals) = self.split(post, own);
                        let mut frames = below.to_vec();
                        frames.push((*target, None, locals));
                        out.push((id, Config { globals, frames }));
                    }
                }
                EdgeKind::Call(call) => {
                    let callee = &program.procs[call.callee];
                    let mut base = Self::kept(Time::Post, &config.globals);
                    base.extend(Self::open(Time::Post, &callee.locals));
                    base.extend(Self::kept(Time::Saved, locals));
                    for (post, saved) in self.posts(&call.enter, &now, &base) {
                        let (globals, locals) = self.split(post, &callee.locals);
                        let mut frames = below.to_vec();
                        frames.push((*node, Some(id), saved));
                        frames.push((callee.entry, None, locals));
                        out.push((id, Config { globals, frames }));
                    }
                }
                EdgeKind::Return { rel } => {
                    let proc = &program.procs[program.nodes[*node].proc];
                    let mut base = Self::kept(Time::Post, &config.globals);
                    base.extend(Self::open(Time::Post, &proc.results));
                    for (post, _) in self.posts(rel, &now, &base) {
                        self.back(id, post, below, &proc.results, &mut out);
                    }
                }
            }
        }
        out
    }

    fn back(
        &self,
        id: EdgeId,
        mut now: State,
        below: &[(NodeId, Option<EdgeId>, State)],
        results: &[VarId],
        out: &mut Vec<(EdgeId, Config)>,
    ) {
        let Some((_, call, saved)) = below.last() else {
            let (globals, _) = self.split(now, results);
            out.push((id, Config { globals, frames: Vec::new() }));
            return;
        };
        let EdgeKind::Call(call) = &self.program.edges[call.unwrap()].kind else { panic!() };
        now.extend(saved.clone());
        let mut kept = now.clone();
        results.iter().for_each(|r| _ = kept.remove(r));
        let own: Vec<VarId> = saved.keys().copied().collect();
        for (post, _) in self.posts(&call.back, &now, &Self::kept(Time::Post, &kept)) {
            let (globals, locals) = self.split(post, &own);
            let mut frames = below[..below.len() - 1].to_vec();
            frames.push((call.ret, None, locals));
            out.push((id, Config { globals, frames }));
        }
    }
}

/// All configurations of a program and the edges between them.
pub struct Graph {
    pub configs: Vec<Config>,
    pub initial: Vec<usize>,
    pub out: Vec<Vec<(EdgeId, usize)>>,
}

impl Graph {
    /// `None` if there are too many configurations, or the stack is too high.
    pub fn new(machine: &Machine<'_>, most: usize, highest: usize) -> Option<Graph> {
        let mut ids: BTreeMap<Config, usize> = BTreeMap::new();
        let mut graph = Graph { configs: Vec::new(), initial: Vec::new(), out: Vec::new() };
        let add = |graph: &mut Graph, ids: &mut BTreeMap<Config, usize>, config: Config| {
            *ids.entry(config).or_insert_with_key(|config| {
                graph.configs.push(config.clone());
                graph.configs.len() - 1
            })
        };
        for config in machine.initial() {
            let id = add(&mut graph, &mut ids, config);
            graph.initial.push(id);
        }
        let mut next = 0;
        while next < graph.configs.len() {
            if graph.configs.len() > most || graph.configs[next].frames.len() > highest {
                return None;
            }
            let config = graph.configs[next].clone();
            let successors = machine.successors(&config).into_iter();
            let out: Vec<(EdgeId, usize)> =
                successors.map(|(edge, to)| (edge, add(&mut graph, &mut ids, to))).collect();
            graph.out.push(out);
            next += 1;
        }
        Some(graph)
    }

    /// For each configuration the number of its strongly connected component.
    pub fn components(&self) -> Vec<usize> {
        let n = self.configs.len();
        let mut reversed = vec![Vec::new(); n];
        for (from, out) in self.out.iter().enumerate() {
            out.iter().for_each(|&(_, to)| reversed[to].push(from));
        }
        let mut order = Vec::new();
        let mut seen = vec![false; n];
        for root in 0..n {
            let mut stack = vec![(root, 0)];
            while let Some((v, i)) = stack.pop() {
                if i == 0 && std::mem::replace(&mut seen[v], true) {
                    continue;
                }
                match self.out[v].get(i) {
                    Some(&(_, to)) => {
                        stack.push((v, i + 1));
                        if !seen[to] {
                            stack.push((to, 0));
                        }
                    }
                    None => order.push(v),
                }
            }
        }
        let mut component = vec![usize::MAX; n];
        for &root in order.iter().rev() {
            let mut stack = vec![root];
            while let Some(v) = stack.pop() {
                if component[v] == usize::MAX {
                    component[v] = root;
                    stack.extend(&reversed[v]);
                }
            }
        }
        component
    }

    /// A shortest way from some configurations to one, inside what is allowed.
    pub fn path(
        &self,
        from: &[usize],
        to: usize,
        inside: impl Fn(usize) -> bool,
    ) -> Option<(usize, Vec<(EdgeId, usize)>)> {
        let mut previous: BTreeMap<usize, Option<(usize, EdgeId)>> =
            from.iter().map(|&v| (v, None)).collect();
        let mut queue = from.to_vec();
        let mut next = 0;
        while let Some(&v) = queue.get(next) {
            next += 1;
            if v == to {
                let (mut path, mut v) = (Vec::new(), v);
                while let Some((before, edge)) = previous[&v] {
                    path.push((edge, v));
                    v = before;
                }
                path.reverse();
                return Some((v, path));
            }
            for &(edge, w) in &self.out[v] {
                if inside(w) && !previous.contains_key(&w) {
                    previous.insert(w, Some((v, edge)));
                    queue.push(w);
                }
            }
        }
        None
    }
}

/// A run: configurations and the edges between them; from `cycle` on it repeats, its last edge
/// leads back there.
#[derive(Clone, Debug)]
pub struct Run {
    pub steps: Vec<(usize, EdgeId)>,
    pub cycle: usize,
}

impl Graph {
    /// A run that takes edges with all marks again and again.
    pub fn repeating(&self, program: &Program, marks: u32) -> Option<Run> {
        let component = self.components();
        let all: ir::MarkSet = (1 << marks) - 1;
        let component = &component;
        let inner = |from: usize| {
            let edges = self.out[from].iter();
            edges.filter(move |&&(_, to)| component[to] == component[from]).copied()
        };
        let mut found: BTreeMap<usize, ir::MarkSet> = BTreeMap::new();
        for (from, &number) in component.iter().enumerate() {
            for (edge, _) in inner(from) {
                *found.entry(number).or_default() |= program.edges[edge].marks;
            }
        }
        let (&good, _) = found.iter().find(|&(_, &seen)| seen & all == all)?;
        // From mark to mark, and back to where it began.
        let members: Vec<usize> =
            (0..self.configs.len()).filter(|&v| component[v] == good).collect();
        let with = |mark: u32| {
            members.iter().find_map(|&v| {
                let mut edges = inner(v);
                let found = edges.find(|&(e, _)| program.edges[e].marks >> mark & 1 == 1);
                found.map(|(edge, to)| (v, edge, to))
            })
        };
        let within = |v: usize| component[v] == good;
        let (first, edge, to) = with(0)?;
        let mut cycle = vec![(first, edge)];
        let mut at = to;
        let walk = |at: &mut usize, to: usize, cycle: &mut Vec<(usize, EdgeId)>| {
            let (mut v, path) = self.path(&[*at], to, within).expect("one component");
            for (edge, w) in path {
                cycle.push((v, edge));
                v = w;
            }
            *at = to;
        };
        for mark in 1..marks {
            let (v, edge, to) = with(mark)?;
            walk(&mut at, v, &mut cycle);
            cycle.push((v, edge));
            at = to;
        }
        walk(&mut at, first, &mut cycle);
        // The loop of a trace starts where the stack is lowest.
        let lowest = (0..cycle.len()).min_by_key(|&i| self.configs[cycle[i].0].frames.len())?;
        cycle.rotate_left(lowest);
        let (mut v, path) = self.path(&self.initial, cycle[0].0, |_| true)?;
        let mut steps = Vec::new();
        for (edge, w) in path {
            steps.push((v, edge));
            v = w;
        }
        let stem = steps.len();
        steps.extend(cycle);
        Some(Run { steps, cycle: stem })
    }
}
