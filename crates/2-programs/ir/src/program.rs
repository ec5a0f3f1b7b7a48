//! `Program`: procedures as control-flow graphs, every edge with a relation.

use crate::{ExprId, Exprs, Id, IndexVec, Time, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A procedure.
    ProcId
);
define_id!(
    /// A point of control in a procedure.
    NodeId
);
define_id!(
    /// An edge between points of control: a step, a call or a return.
    EdgeId
);
define_id!(
    /// A variable: global, local to one procedure, or a result of one.
    VarId
);
define_id!(
    /// A piece of text kept once ([`Program::text`]).
    TextId
);
define_id!(
    /// A set of events kept once ([`Program::events`]).
    EventsId
);

/// A scalar type. Engines see its bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// One bit.
    Bool,
    /// An unsigned integer of 1 to 32 bits.
    Int {
        /// How many bits.
        bits: u32,
    },
}

impl Scalar {
    /// Its width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bits } => bits,
        }
    }
}

/// The type of a variable: a scalar, or an array of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The type of the variable or of each cell.
    pub scalar: Scalar,
    /// `None` for a scalar.
    pub array: Option<Dim>,
}

/// The index range `lo .. lo + len` of an array. Two-dimensional arrays are flattened by the
/// front end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dim {
    /// Smallest index.
    pub lo: i64,
    /// Number of cells.
    pub len: u32,
}

impl Type {
    /// One bit.
    pub const BOOL: Type = Type { scalar: Scalar::Bool, array: None };
    /// An unsigned integer.
    pub fn int(bits: u32) -> Type {
        Type { scalar: Scalar::Int { bits }, array: None }
    }
    /// An array with indices from `lo`.
    pub fn array(scalar: Scalar, lo: i64, len: u32) -> Type {
        Type { scalar, array: Some(Dim { lo, len }) }
    }
    /// How many scalars it consists of.
    pub fn cells(self) -> u32 {
        self.array.map_or(1, |dim| dim.len)
    }
    /// How many bits in all.
    pub fn bits(self) -> u32 {
        self.cells() * self.scalar.bits()
    }
}

/// Where a node or variable comes from. Line 0: added by lowering, has no place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Index into [`Program::files`].
    pub file: u32,
    /// Line of the first token, from 1.
    pub line: u32,
    /// Column of the first token in characters, from 1.
    pub column: u32,
    /// The statement as people write it.
    pub text: TextId,
}

/// Who owns a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VarKind {
    /// Visible everywhere.
    Global,
    /// In every frame of the procedure (parameters included).
    Local(ProcId),
    /// A value that the procedure returns: exists from a [`EdgeKind::Return`] to the `back`
    /// relation of the call.
    Result(ProcId),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the source, braces included.
    pub name: TextId,
    /// Its type.
    pub ty: Type,
    /// Its owner.
    pub kind: VarKind,
    /// Where it is declared.
    pub origin: Origin,
    /// Not shown in traces: monitors, and what else lowering adds.
    pub hidden: bool,
    /// The bits of an integer are those of a number with a sign: formulas and traces read them so. The
    /// program's own expressions do not.
    pub signed: bool,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name.
    pub name: TextId,
    /// The leading `params` locals are parameters.
    pub locals: Vec<VarId>,
    /// How many of the locals are parameters: those that calls assign.
    pub params: usize,
    /// What it returns.
    pub results: Vec<VarId>,
    /// Where control enters.
    pub entry: NodeId,
    /// Where a failed assertion goes; has no outgoing edges.
    pub error: Option<NodeId>,
    /// Where it is defined.
    pub origin: Origin,
    /// Its nodes: a contiguous range of ids.
    pub nodes: std::ops::Range<u32>,
}

impl Proc {
    /// The nodes of the procedure in order of creation.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (self.nodes.start as usize..self.nodes.end as usize).map(NodeId::new)
    }
}

/// A point of control.
#[derive(Clone, Debug)]
pub struct Node {
    /// The procedure it belongs to.
    pub proc: ProcId,
    /// The statement that control stands at. Line 0 if lowering added the node.
    pub origin: Origin,
    /// A statement of the program stands here (false for exits, error nodes and what else
    /// lowering adds): it appears in traces, and `--reach-all` reports on it.
    pub statement: bool,
}

/// What a step does to the variables.
///
/// A pair of valuations is in the relation if some value of the choices makes the guard true,
/// every assigned value is defined and fits its target, assignments to one cell agree, and the
/// constraint holds of the valuations before and after. Targets that are not assigned follow the
/// frame rule of the edge's kind ([`EdgeKind`]).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rel {
    /// Reads `Pre` only.
    pub guard: ExprId,
    /// In parallel; reads `Pre` only.
    pub assigns: Box<[Assign]>,
    /// Reads `Pre`, `Post` and (calls) `Saved`.
    pub constraint: ExprId,
    /// `Choice(k)` occurs only with `k < choices`.
    pub choices: u32,
}

/// One target of a parallel assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assign {
    /// `Post` or, in the `enter` relation of a call, `Saved`.
    pub time: Time,
    /// The variable.
    pub var: VarId,
    /// The cell of an array. Without it an array can only be made arbitrary, as a whole.
    pub index: Option<ExprId>,
    /// The new value; `None`: arbitrary.
    pub value: Option<ExprId>,
}

impl Default for Rel {
    fn default() -> Rel {
        Rel::identity()
    }
}

impl Rel {
    /// Nothing changes.
    pub fn identity() -> Rel {
        Rel::guarded(Exprs::TRUE, 0)
    }
    /// Nothing changes, and `guard` must hold.
    pub fn guarded(guard: ExprId, choices: u32) -> Rel {
        Rel { guard, assigns: Box::default(), constraint: Exprs::TRUE, choices }
    }
    /// A parallel assignment to whole scalars after the step.
    pub fn assign(pairs: impl IntoIterator<Item = (VarId, Option<ExprId>)>, choices: u32) -> Rel {
        let assigns = pairs
            .into_iter()
            .map(|(var, value)| Assign { time: Time::Post, var, index: None, value })
            .collect();
        Rel { guard: Exprs::TRUE, assigns, constraint: Exprs::TRUE, choices }
    }
    /// Whether it does nothing at all.
    pub fn is_identity(&self) -> bool {
        self.guard == Exprs::TRUE && self.assigns.is_empty() && self.constraint == Exprs::TRUE
    }
    /// The expressions in it that read variables before the step, indices included.
    pub fn pre_exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        [self.guard, self.constraint]
            .into_iter()
            .chain(self.assigns.iter().flat_map(|a| [a.index, a.value].into_iter().flatten()))
    }
}

/// The three kinds of edges, with what `Pre`, `Post` and `Saved` mean on each.
#[derive(Clone, Debug)]
pub enum EdgeKind {
    /// A step inside the procedure. `Pre` and `Post`: globals and locals. What is not assigned
    /// keeps its value.
    Local {
        /// Where it goes.
        target: NodeId,
        /// What it does.
        rel: Rel,
    },
    /// A call.
    Call(Box<Call>),
    /// The frame is left. `Pre`: globals and locals; `Post`: globals and the procedure's results.
    /// Globals that are not assigned keep their value, results that are not assigned are
    /// arbitrary.
    Return {
        /// What it does.
        rel: Rel,
    },
}

/// A call edge.
#[derive(Clone, Debug)]
pub struct Call {
    /// The procedure called.
    pub callee: ProcId,
    /// `Pre`: globals and the caller's locals; `Post`: globals and the callee's locals at its
    /// entry; `Saved`: the caller's locals in the frame left behind. Globals and saved locals that
    /// are not assigned keep their value; the callee's locals that are not assigned are arbitrary.
    pub enter: Rel,
    /// Where control comes back to.
    pub ret: NodeId,
    /// `Pre`: globals as the callee left them, the callee's results, and the saved locals; `Post`:
    /// globals and the caller's locals. What is not assigned keeps its value.
    pub back: Rel,
}

/// A set of acceptance marks, a bit each.
pub type MarkSet = u128;

/// How many marks there can be.
pub const MAX_MARKS: u32 = MarkSet::BITS;

/// The set of the first marks.
pub fn all_marks(count: u32) -> MarkSet {
    MarkSet::MAX.checked_shr(MAX_MARKS.saturating_sub(count)).unwrap_or(0)
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: NodeId,
    /// What it does.
    pub kind: EdgeKind,
    /// It executes the statement of its source node. Automata read a letter on steps only, from
    /// the top frame before the step; traces and distances count steps only.
    pub step: bool,
    /// What a monitor sees on it.
    pub events: EventsId,
    /// Acceptance marks (products with automata).
    pub marks: MarkSet,
}

impl Edge {
    /// The node in the same procedure that control comes to, if any.
    pub fn target(&self) -> Option<NodeId> {
        match &self.kind {
            EdgeKind::Local { target, .. } => Some(*target),
            EdgeKind::Call(call) => Some(call.ret),
            EdgeKind::Return { .. } => None,
        }
    }
}

/// A label on a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name.
    pub name: TextId,
    /// The statement that carries it.
    pub node: NodeId,
}

/// A name that a program has for a number: a control location of a pushdown system, say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The name.
    pub name: TextId,
    /// The number.
    pub value: i64,
    /// The variable whose value it is, if the name belongs to one: by itself, the name then says
    /// that the variable has the value.
    pub var: Option<VarId>,
}

/// A condition on the initial valuation of the globals and the entry procedure's locals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Init {
    /// Reads `Pre`.
    pub condition: ExprId,
    /// `Choice(k)` occurs only with `k < choices`.
    pub choices: u32,
}

/// A program. Made by [`ProgramBuilder`], immutable afterwards.
#[derive(Clone, Debug)]
pub struct Program {
    /// Names of the source files, as the user gave them.
    pub files: Vec<String>,
    /// All expressions.
    pub exprs: Exprs,
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// The global variables in order of declaration.
    pub globals: Vec<VarId>,
    /// The procedures.
    pub procs: IndexVec<ProcId, Proc>,
    /// The nodes; those of one procedure are neighbours.
    pub nodes: IndexVec<NodeId, Node>,
    /// The edges; those of one source are neighbours.
    pub edges: IndexVec<EdgeId, Edge>,
    /// The labels in source order.
    pub labels: Vec<Label>,
    /// Names for numbers, for those who write conditions about the program.
    pub constants: Vec<Constant>,
    /// Where the program starts.
    pub entry: ProcId,
    /// What holds at the start.
    pub init: Init,
    texts: Texts,
    events: Vec<Vec<TextId>>,
    first_out: Vec<u32>,
}

impl Program {
    /// The edges that leave `node`, in order of creation.
    pub fn out_edges(
        &self,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = EdgeId> + ExactSizeIterator + use<> {
        let (start, end) = (self.first_out[node.index()], self.first_out[node.index() + 1]);
        (start as usize..end as usize).map(EdgeId::new)
    }
    /// A text.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }
    /// A procedure's name.
    pub fn proc_name(&self, id: ProcId) -> &str {
        self.text(self.procs[id].name)
    }
    /// A variable's name.
    pub fn var_name(&self, id: VarId) -> &str {
        self.text(self.vars[id].name)
    }
    /// A set of events, as texts.
    pub fn events(&self, id: EventsId) -> &[TextId] {
        &self.events[id.index()]
    }
    /// The procedure with the given name.
    pub fn proc_named(&self, name: &str) -> Option<ProcId> {
        let text = self.texts.find(name)?;
        self.procs.enumerate().find(|(_, p)| p.name == text).map(|(id, _)| id)
    }
    /// The nodes that carry the label, in any procedure or in the given one.
    pub fn labelled(&self, proc: Option<ProcId>, name: &str) -> Vec<NodeId> {
        let Some(text) = self.texts.find(name) else { return Vec::new() };
        self.labels
            .iter()
            .filter(|l| l.name == text && proc.is_none_or(|p| self.nodes[l.node].proc == p))
            .map(|l| l.node)
            .collect()
    }
    /// The variables in scope in `proc`: globals, then locals.
    pub fn scope(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        self.globals.iter().chain(&self.procs[proc].locals).copied()
    }
}

/// Texts, each kept once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    items: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, TextId>,
}

impl Texts {
    pub(crate) fn add(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = TextId::new(self.items.len());
        self.items.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }
    pub(crate) fn get(&self, id: TextId) -> &str {
        &self.items[id.index()]
    }
    pub(crate) fn find(&self, text: &str) -> Option<TextId> {
        self.ids.get(text).copied()
    }
}

/// Builds a [`Program`].
///
/// Declare procedures (their results can be declared at once), then give each one its body
/// between [`begin_proc`](Self::begin_proc) and the next; nodes of one procedure must be created
/// together. Edges may come in any order.
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    /// The expressions; add to them freely.
    pub exprs: Exprs,
    files: Vec<String>,
    vars: IndexVec<VarId, Var>,
    globals: Vec<VarId>,
    procs: IndexVec<ProcId, Proc>,
    nodes: IndexVec<NodeId, Node>,
    edges: Vec<Edge>,
    labels: Vec<Label>,
    constants: Vec<Constant>,
    texts: Texts,
    events: Vec<Vec<TextId>>,
    event_ids: FxHashMap<Vec<TextId>, EventsId>,
    current: Option<ProcId>,
}

impl ProgramBuilder {
    /// An empty program.
    pub fn new() -> Self {
        let mut builder = Self::default();
        builder.events(&[]);
        builder
    }
    /// All of a program but its edges: what is added extends it, with new ids behind the old ones.
    pub fn extending(program: &Program) -> Self {
        let event_ids = program.events.iter().enumerate();
        Self {
            exprs: program.exprs.clone(),
            files: program.files.clone(),
            vars: program.vars.clone(),
            globals: program.globals.clone(),
            procs: program.procs.clone(),
            nodes: program.nodes.clone(),
            edges: Vec::new(),
            labels: program.labels.clone(),
            constants: program.constants.clone(),
            texts: program.texts.clone(),
            event_ids: event_ids.map(|(i, set)| (set.clone(), EventsId::new(i))).collect(),
            events: program.events.clone(),
            current: None,
        }
    }
    /// Adds a source file; its index goes into origins.
    pub fn file(&mut self, name: &str) -> u32 {
        self.files.push(name.to_owned());
        (self.files.len() - 1) as u32
    }
    /// Interns a text.
    pub fn text(&mut self, text: &str) -> TextId {
        self.texts.add(text)
    }
    /// An origin. Line 0 for what has no place in the source.
    pub fn origin(&mut self, file: u32, line: u32, column: u32, text: &str) -> Origin {
        Origin { file, line, column, text: self.texts.add(text) }
    }
    /// The origin of what lowering adds.
    pub fn no_origin(&mut self) -> Origin {
        self.origin(0, 0, 0, "")
    }
    /// Interns a set of events.
    pub fn events(&mut self, names: &[&str]) -> EventsId {
        let mut set: Vec<TextId> = names.iter().map(|n| self.texts.add(n)).collect();
        set.sort_unstable();
        set.dedup();
        if let Some(&id) = self.event_ids.get(&set) {
            return id;
        }
        let id = EventsId::new(self.events.len());
        self.events.push(set.clone());
        self.event_ids.insert(set, id);
        id
    }
    /// The empty set of events.
    pub fn no_events(&self) -> EventsId {
        EventsId::new(0)
    }
    fn var(&mut self, name: &str, ty: Type, kind: VarKind, origin: Origin, hidden: bool) -> VarId {
        let name = self.texts.add(name);
        self.vars.push(Var { name, ty, kind, origin, hidden, signed: false })
    }
    /// Declares a global.
    pub fn global(&mut self, name: &str, ty: Type, origin: Origin) -> VarId {
        let id = self.var(name, ty, VarKind::Global, origin, false);
        self.globals.push(id);
        id
    }
    /// Declares a global that traces do not show.
    pub fn hidden_global(&mut self, name: &str, ty: Type) -> VarId {
        let origin = self.no_origin();
        let id = self.var(name, ty, VarKind::Global, origin, true);
        self.globals.push(id);
        id
    }
    /// Declares a procedure. Its entry is set by [`entry`](Self::entry).
    pub fn proc(&mut self, name: &str, origin: Origin) -> ProcId {
        let name = self.texts.add(name);
        self.procs.push(Proc {
            name,
            locals: Vec::new(),
            params: 0,
            results: Vec::new(),
            entry: NodeId(u32::MAX - 1),
            error: None,
            origin,
            nodes: 0..0,
        })
    }
    /// Declares a parameter. Parameters come before other locals.
    pub fn param(&mut self, proc: ProcId, name: &str, ty: Type, origin: Origin) -> VarId {
        debug_assert!(self.procs[proc].params == self.procs[proc].locals.len());
        let id = self.local(proc, name, ty, origin);
        self.procs[proc].params += 1;
        id
    }
    /// Declares a local.
    pub fn local(&mut self, proc: ProcId, name: &str, ty: Type, origin: Origin) -> VarId {
        let id = self.var(name, ty, VarKind::Local(proc), origin, false);
        self.procs[proc].locals.push(id);
        id
    }
    /// Declares a local that traces do not show.
    pub fn hidden_local(&mut self, proc: ProcId, name: &str, ty: Type) -> VarId {
        let origin = self.no_origin();
        let id = self.var(name, ty, VarKind::Local(proc), origin, true);
        self.procs[proc].locals.push(id);
        id
    }
    /// Declares a value that `proc` returns.
    pub fn result(&mut self, proc: ProcId, name: &str, ty: Type) -> VarId {
        let origin = self.no_origin();
        let id = self.var(name, ty, VarKind::Result(proc), origin, true);
        self.procs[proc].results.push(id);
        id
    }
    /// Says that the bits of an integer are those of a number with a sign ([`Var::signed`]).
    pub fn set_signed(&mut self, var: VarId) {
        self.vars[var].signed = true;
    }
    /// Changes the type of a declared variable; what was said about it must fit.
    pub fn set_type(&mut self, var: VarId, ty: Type) {
        self.vars[var].ty = ty;
    }
    /// The declared variable.
    pub fn var_info(&self, var: VarId) -> &Var {
        &self.vars[var]
    }
    /// The procedure as declared so far.
    pub fn proc_info(&self, proc: ProcId) -> &Proc {
        &self.procs[proc]
    }
    /// Nodes created from now on belong to `proc`.
    pub fn begin_proc(&mut self, proc: ProcId) {
        let start = self.nodes.len() as u32;
        self.procs[proc].nodes = start..start;
        self.current = Some(proc);
    }
    fn push_node(&mut self, origin: Origin, statement: bool) -> NodeId {
        let proc = self.current.expect("begin_proc comes before the first node");
        let id = self.nodes.push(Node { proc, origin, statement });
        self.procs[proc].nodes.end = self.nodes.len() as u32;
        id
    }
    /// A node at which a statement stands.
    pub fn statement(&mut self, origin: Origin) -> NodeId {
        self.push_node(origin, true)
    }
    /// A node that lowering adds.
    pub fn silent(&mut self) -> NodeId {
        let origin = self.no_origin();
        self.push_node(origin, false)
    }
    /// The error node of the procedure being built, made at the first call.
    pub fn error_node(&mut self) -> NodeId {
        let proc = self.current.expect("begin_proc comes before the first node");
        if let Some(node) = self.procs[proc].error {
            return node;
        }
        let node = self.silent();
        self.procs[proc].error = Some(node);
        node
    }
    /// Sets where control enters `proc`.
    pub fn entry(&mut self, proc: ProcId, node: NodeId) {
        self.procs[proc].entry = node;
    }
    /// Puts a label on a node.
    pub fn label(&mut self, name: &str, node: NodeId) {
        let name = self.texts.add(name);
        self.labels.push(Label { name, node });
    }
    /// Gives a number a name; see [`Constant`].
    pub fn constant(&mut self, name: &str, value: i64, var: Option<VarId>) {
        let name = self.texts.add(name);
        self.constants.push(Constant { name, value, var });
    }
    /// Makes the error node of `proc`, if it has one, an ordinary node.
    pub fn forget_error_node(&mut self, proc: ProcId) -> Option<NodeId> {
        self.procs[proc].error.take()
    }
    /// Adds an edge.
    pub fn edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }
    /// Adds a step inside a procedure.
    pub fn step(&mut self, source: NodeId, target: NodeId, rel: Rel) {
        self.local_edge(source, target, rel, true);
    }
    /// Adds an edge inside a procedure that is no step.
    pub fn silent_edge(&mut self, source: NodeId, target: NodeId, rel: Rel) {
        self.local_edge(source, target, rel, false);
    }
    fn local_edge(&mut self, source: NodeId, target: NodeId, rel: Rel, step: bool) {
        let kind = EdgeKind::Local { target, rel };
        self.edge(Edge { source, kind, step, events: EventsId::new(0), marks: 0 });
    }
    /// Adds a call, which is a step.
    pub fn call(&mut self, source: NodeId, callee: ProcId, enter: Rel, ret: NodeId, back: Rel) {
        let kind = EdgeKind::Call(Box::new(Call { callee, enter, ret, back }));
        self.edge(Edge { source, kind, step: true, events: EventsId::new(0), marks: 0 });
    }
    /// Adds a return. Running off the end is no step.
    pub fn ret(&mut self, source: NodeId, rel: Rel, step: bool) {
        let kind = EdgeKind::Return { rel };
        self.edge(Edge { source, kind, step, events: EventsId::new(0), marks: 0 });
    }
    /// The finished program, which starts at `entry`; see [`Program::validate`].
    pub fn finish(self, entry: ProcId, init: Init) -> Program {
        // Edges of one source become neighbours; their order is kept (counting sort).
        let mut first_out = vec![0u32; self.nodes.len() + 1];
        for edge in &self.edges {
            first_out[edge.source.index() + 1] += 1;
        }
        for i in 1..first_out.len() {
            first_out[i] += first_out[i - 1];
        }
        let mut place = first_out.clone();
        let mut slots: Vec<Option<Edge>> = Vec::new();
        slots.resize_with(self.edges.len(), || None);
        for edge in self.edges {
            let at = &mut place[edge.source.index()];
            slots[*at as usize] = Some(edge);
            *at += 1;
        }
        let edges = slots.into_iter().map(|e| e.expect("each place is filled once")).collect();
        Program {
            files: self.files,
            exprs: self.exprs,
            vars: self.vars,
            globals: self.globals,
            procs: self.procs,
            nodes: self.nodes,
            edges,
            labels: self.labels,
            constants: self.constants,
            entry,
            init,
            texts: self.texts,
            events: self.events,
            first_out,
        }
    }
}

impl Default for Init {
    fn default() -> Self {
        Init { condition: Exprs::TRUE, choices: 0 }
    }
}
