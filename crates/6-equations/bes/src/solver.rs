//! Local resolution: the value of one variable from the equations it needs, and no others.
//!
//! [`Solver`] keeps what it learns: values persist between calls, nothing else does ([pbes §4.2]).

use rustc_hash::FxHashMap;

use crate::closed::Value;
use crate::{Op, Place, Progress, Shape, SolveError, System, Watch};

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Method {
    /// Depth-first; disjunctive and conjunctive groups keep no dependencies.
    #[default]
    Auto,
    /// Depth-first, every group as a general one.
    DepthFirst,
    /// Breadth-first: shallow answers are found in infinite systems, too.
    BreadthFirst,
    /// Depth-first, every group declared acyclic; groups that are not are treated as general ones
    /// from the first cycle on.
    Acyclic,
    /// All equations first, then their values: of every variable that the one asked for depends
    /// on.
    Global,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] =
        [Method::Auto, Method::DepthFirst, Method::BreadthFirst, Method::Acyclic, Method::Global];

    /// `auto`, `dfs`, `bfs`, `acyclic`, `global`.
    pub fn word(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::DepthFirst => "dfs",
            Method::BreadthFirst => "bfs",
            Method::Acyclic => "acyclic",
            Method::Global => "global",
        }
    }
}

/// What resolution has cost so far, over all calls.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Equations asked for.
    pub variables: u64,
    /// Operands of these.
    pub dependencies: u64,
    /// The most dependencies in memory at one time.
    pub stored: u64,
    /// Equations of disjunctive and conjunctive groups that were treated as such.
    pub special: u64,
    /// Equations of groups that were treated as acyclic ones.
    pub acyclic: u64,
    /// Parity games solved, and their vertices.
    pub games: u64,
    /// Vertices of these games.
    pub game_vertices: u64,
}

impl Stats {
    /// The algorithm in words: what was used, for reports.
    pub fn algorithm(&self, method: Method) -> String {
        let base = match method {
            Method::BreadthFirst => "breadth-first",
            Method::Global => "global",
            _ if self.special > 0 && self.special + self.acyclic == self.variables => {
                "depth-first, disjunctive or conjunctive"
            }
            _ if self.special > 0 => "depth-first, part disjunctive or conjunctive",
            _ if self.stored == 0 => "depth-first, acyclic",
            _ => "depth-first",
        };
        match self.games {
            0 => base.to_owned(),
            1 => format!("{base}, a parity game of {} vertices", self.game_vertices),
            n => format!("{base}, {n} parity games of {} vertices", self.game_vertices),
        }
    }
}

pub(crate) const NONE: u32 = u32::MAX;

/// What a run knows of a variable; all but `value` is forgotten after the call.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    /// Position in the order of discovery, from 1; 0: not seen in this call.
    pub(crate) index: u32,
    pub(crate) low: u32,
    /// Operands without a value, or with one that was not told yet.
    pub(crate) open: u32,
    /// The list of variables to tell the value to.
    pub(crate) waiting: u32,
    /// Its frame, while it is on the depth-first stack.
    pub(crate) frame: u32,
    pub(crate) op: Op,
    pub(crate) special: bool,
    pub(crate) value: Value,
}

const FRESH: Vertex = Vertex {
    index: 0,
    low: 0,
    open: 0,
    waiting: NONE,
    frame: NONE,
    op: Op::Or,
    special: false,
    value: Value::Open,
};

/// Solves variables of one system, on demand.
pub struct Solver<S: System> {
    pub(crate) system: S,
    ids: FxHashMap<S::Key, u32>,
    pub(crate) keys: Vec<S::Key>,
    pub(crate) vertices: Vec<Vertex>,
    /// Groups whose shape turned out wrong.
    pub(crate) demoted: Vec<u32>,
    pub(crate) stats: Stats,
    pub(crate) method: Method,
    /// Edges `(who waits, next)` of the lists `Vertex::waiting`.
    pub(crate) edges: Vec<(u32, u32)>,
    /// Variables whose value is news.
    pub(crate) news: Vec<u32>,
    /// Variables seen in this call.
    pub(crate) seen: Vec<u32>,
    scratch: Vec<S::Key>,
}

impl<S: System> Solver<S> {
    /// A solver that knows nothing yet.
    pub fn new(system: S) -> Solver<S> {
        Solver {
            system,
            ids: FxHashMap::default(),
            keys: Vec::new(),
            vertices: Vec::new(),
            demoted: Vec::new(),
            stats: Stats::default(),
            method: Method::Auto,
            edges: Vec::new(),
            news: Vec::new(),
            seen: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The value of the system's initial variable.
    pub fn solve(
        &mut self,
        method: Method,
        watch: &mut Watch<'_>,
    ) -> Result<bool, SolveError<S::Error>> {
        let key = self.system.initial().map_err(SolveError::System)?;
        self.solve_for(&key, method, watch)
    }

    /// The value of a variable. Values that earlier calls found are used.
    pub fn solve_for(
        &mut self,
        key: &S::Key,
        method: Method,
        watch: &mut Watch<'_>,
    ) -> Result<bool, SolveError<S::Error>> {
        self.method = method;
        let main = self.intern(key)?;
        if let Some(value) = self.vertices[main as usize].value.known() {
            return Ok(value);
        }
        loop {
            let outcome = match method {
                Method::BreadthFirst => crate::bfs::run(self, main, watch),
                Method::Global => crate::global::run(self, main, watch),
                _ => crate::dfs::run(self, main, watch),
            };
            self.forget();
            match outcome {
                Ok(()) => break,
                Err(Interrupt::Demote(group)) => self.demote(group),
                Err(Interrupt::Error(error)) => return Err(error),
            }
        }
        let value = self.vertices[main as usize].value.known();
        value.ok_or(SolveError::Internal("a run ended without a value"))
    }

    /// The value of a variable, if a call has found it.
    pub fn value(&self, key: &S::Key) -> Option<bool> {
        self.vertices[*self.ids.get(key)? as usize].value.known()
    }

    /// Takes the value of a variable on trust: later calls use it, and explanations are sought for
    /// it.
    pub fn assume(&mut self, key: &S::Key, value: bool) -> Result<(), SolveError<S::Error>> {
        let id = self.intern(key)?;
        self.vertices[id as usize].value = Value::of(value);
        Ok(())
    }

    /// What it has cost so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The system.
    pub fn system(&mut self) -> &mut S {
        &mut self.system
    }

    /// Gives the system back.
    pub fn into_system(self) -> S {
        self.system
    }

    pub(crate) fn progress(&self) -> Progress {
        let per_variable =
            size_of::<Vertex>() as u64 + 2 * size_of::<S::Key>() as u64 + size_of::<u32>() as u64;
        Progress {
            variables: self.stats.variables,
            dependencies: self.stats.dependencies,
            // Vectors and tables double: count a half more than what is used.
            bytes: (self.keys.len() as u64 * per_variable + self.edges.len() as u64 * 8) * 3 / 2
                + self.system.bytes(),
        }
    }

    pub(crate) fn intern(&mut self, key: &S::Key) -> Result<u32, SolveError<S::Error>> {
        if let Some(&id) = self.ids.get(key) {
            return Ok(id);
        }
        let id = self.keys.len() as u32;
        if id >= NONE - 300 {
            return Err(SolveError::TooLarge);
        }
        self.ids.insert(key.clone(), id);
        self.keys.push(key.clone());
        self.vertices.push(FRESH);
        Ok(id)
    }

    /// Fetches an equation: the operands go to `out`.
    pub(crate) fn fetch(&mut self, v: u32, out: &mut Vec<u32>) -> Result<Op, Interrupt<S::Error>> {
        let mut operands = std::mem::take(&mut self.scratch);
        operands.clear();
        let op = self
            .system
            .equation(&self.keys[v as usize], &mut operands)
            .map_err(|e| Interrupt::Error(SolveError::System(e)))?;
        for key in &operands {
            let id = self.intern(key).map_err(Interrupt::Error)?;
            out.push(id);
        }
        self.stats.variables += 1;
        self.stats.dependencies += operands.len() as u64;
        self.scratch = operands;
        Ok(op)
    }

    pub(crate) fn place(&self, v: u32) -> Place {
        self.system.place(&self.keys[v as usize])
    }

    /// The group is a general one from now on.
    pub(crate) fn demote(&mut self, group: u32) {
        if let Err(at) = self.demoted.binary_search(&group) {
            self.demoted.insert(at, group);
        }
    }

    pub(crate) fn shape(&self, group: u32) -> Shape {
        if self.demoted.binary_search(&group).is_ok() {
            return Shape::General;
        }
        match self.method {
            Method::Auto => self.system.shape(group),
            Method::Acyclic => Shape::Acyclic,
            Method::DepthFirst | Method::BreadthFirst | Method::Global => Shape::General,
        }
    }

    /// `x` is to be told the value of `y`.
    pub(crate) fn wait(&mut self, x: u32, y: u32) {
        let list = &mut self.vertices[y as usize].waiting;
        self.edges.push((x, *list));
        *list = self.edges.len() as u32 - 1;
        self.stats.stored = self.stats.stored.max(self.edges.len() as u64);
    }

    pub(crate) fn set(&mut self, v: u32, value: bool) {
        debug_assert_eq!(self.vertices[v as usize].value, Value::Open);
        self.vertices[v as usize].value = Value::of(value);
        self.news.push(v);
    }

    /// An operand of `x` has this value: CL1 and CL2 of `closed`.
    pub(crate) fn tell(&mut self, x: u32, value: bool) {
        let vertex = &mut self.vertices[x as usize];
        if vertex.value != Value::Open {
            return;
        }
        if value == vertex.op.neutral() {
            vertex.open -= 1;
            if vertex.open > 0 {
                return;
            }
        }
        self.set(x, value);
    }

    /// Forgets everything of the call but values.
    fn forget(&mut self) {
        for v in self.seen.drain(..) {
            let vertex = &mut self.vertices[v as usize];
            *vertex = Vertex { value: vertex.value, ..FRESH };
        }
        self.edges.clear();
        self.news.clear();
    }
}

/// Why a run ended early.
pub(crate) enum Interrupt<E> {
    /// The group does not have the shape that it should have: treat it as a general one.
    Demote(u32),
    Error(SolveError<E>),
}
