//! Regular sets of configurations, as people and programs give them: small automata over sets of
//! nodes that read a stack from its top.

use crate::system::System;
use analysis::BitSet;
use bdd::Bdd;
use check::StopReason;
use ir::{EdgeId, EdgeKind, ExprId, Exprs, Id, IndexVec, NodeId, ProcId, Program, VarId, VarKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symbolic::{Context, Halt};

/// What a frame below the top is known by. It waits for a call to come back, so it stands neither
/// at a statement before nor after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Waiting {
    /// The statement that calls, as in the stack that a debugger shows.
    #[default]
    Call,
    /// The node that control comes back to, as in a pushdown system, where it is the symbol that
    /// the rule pushes.
    Return,
}

impl Waiting {
    /// The node that a frame waiting in the call `e` is known by.
    pub(crate) fn node(self, program: &Program, e: EdgeId) -> NodeId {
        match (&program.edges[e].kind, self) {
            (EdgeKind::Call(call), Waiting::Return) => call.ret,
            _ => program.edges[e].source,
        }
    }
}

/// A set of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nodes {
    /// `None`: all of them. Shared, since the transitions of one letter are many.
    listed: Option<Arc<BitSet>>,
}

impl Nodes {
    /// All nodes.
    pub fn any() -> Nodes {
        Nodes { listed: None }
    }
    /// The given ones.
    pub fn of(program: &Program, nodes: impl IntoIterator<Item = NodeId>) -> Nodes {
        let mut set = BitSet::new(program.nodes.len());
        for node in nodes {
            set.insert(node.index());
        }
        Nodes { listed: Some(Arc::new(set)) }
    }
    /// Those of both.
    pub fn union(&self, program: &Program, other: &Nodes) -> Nodes {
        match (&self.listed, &other.listed) {
            (Some(a), Some(b)) => Nodes::of(program, a.iter().chain(b.iter()).map(NodeId::new)),
            _ => Nodes::any(),
        }
    }
    /// Those with a label: in a program made from a pushdown system the stack symbols, while other
    /// nodes are only passed between a rule and the next.
    pub fn labelled(program: &Program) -> Nodes {
        Nodes::of(program, program.labels.iter().map(|label| label.node))
    }
    /// Those that are in both.
    pub fn intersection(&self, program: &Program, other: &Nodes) -> Nodes {
        Nodes::of(program, program.nodes.ids().filter(|&n| self.contains(n) && other.contains(n)))
    }
    /// Whether there is one.
    pub fn any_of(&self, program: &Program) -> bool {
        program.nodes.ids().any(|n| self.contains(n))
    }
    /// All others.
    pub fn complement(&self, program: &Program) -> Nodes {
        Nodes::of(program, program.nodes.ids().filter(|&n| !self.contains(n)))
    }
    /// Whether it contains the node.
    pub fn contains(&self, node: NodeId) -> bool {
        self.listed.as_ref().is_none_or(|set| set.contains(node.index()))
    }
}

/// What a transition of a [`RegularSet`] reads: a frame at one of the nodes, whose variables
/// satisfy the condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    /// Where the frame stands.
    pub nodes: Nodes,
    /// Reads `Pre`. For the topmost frame, globals and locals; for the others the locals as the
    /// call left them behind.
    pub condition: ExprId,
    /// `Choice(k)` occurs only with `k < choices`.
    pub choices: u32,
}

impl Letter {
    /// A frame at one of the nodes, whatever its data.
    pub fn at(nodes: Nodes) -> Letter {
        Letter { nodes, condition: Exprs::TRUE, choices: 0 }
    }
}

/// A regular set of configurations: a finite automaton that reads the frames of a stack, the
/// topmost first.
///
/// The set contains the stacks that it accepts and that can be stacks: every frame above another is
/// one of the procedure that the lower one calls. At the bottom may be a frame of any procedure; a
/// run ends when that is left. State 0 is the initial one.
///
/// ```
/// use engine_pds::{Letter, Nodes, RegularSet};
/// # use ir::{Init, ProgramBuilder, Rel};
/// # let mut b = ProgramBuilder::new();
/// # let at = b.no_origin();
/// # let main = b.proc("main", at);
/// # b.begin_proc(main);
/// # let node = b.statement(at);
/// # b.entry(main, node);
/// # let program = b.finish(main, Init::default());
/// // `node` on top of any stack: what `RegularSet::at` makes.
/// let mut set = RegularSet::new();
/// let rest = set.state();
/// set.transition(0, Letter::at(Nodes::of(&program, [node])), rest);
/// set.transition(rest, Letter::at(Nodes::any()), rest);
/// set.accept(rest);
/// ```
#[derive(Clone, Debug)]
pub struct RegularSet {
    transitions: Vec<(u32, Letter, u32)>,
    accepting: Vec<bool>,
    /// What frames below the top are known by.
    pub waiting: Waiting,
    /// These are the initial configurations of the program.
    initial: bool,
}

impl Default for RegularSet {
    fn default() -> Self {
        RegularSet::new()
    }
}

impl RegularSet {
    /// The empty set: an automaton with one state and no transitions.
    pub fn new() -> RegularSet {
        let waiting = Waiting::default();
        RegularSet { transitions: Vec::new(), accepting: vec![false], waiting, initial: false }
    }
    /// The initial configurations of a program.
    pub fn initial(program: &Program) -> RegularSet {
        let mut set = RegularSet::new();
        let end = set.state();
        let nodes = Nodes::of(program, [program.procs[program.entry].entry]);
        let ir::Init { condition, choices } = program.init;
        set.transition(0, Letter { nodes, condition, choices }, end);
        set.accept(end);
        set.initial = true;
        set
    }
    /// Every stack with a frame that the letter describes on top.
    pub fn at(letter: Letter) -> RegularSet {
        let mut set = RegularSet::new();
        let rest = set.state();
        set.transition(0, letter, rest);
        set.transition(rest, Letter::at(Nodes::any()), rest);
        set.accept(rest);
        set
    }
    /// Adds a state.
    pub fn state(&mut self) -> u32 {
        self.accepting.push(false);
        self.accepting.len() as u32 - 1
    }
    /// Adds a transition.
    ///
    /// # Panics
    /// If one of the states is none of this automaton.
    pub fn transition(&mut self, from: u32, letter: Letter, to: u32) {
        assert!(from.max(to) < self.accepting.len() as u32, "states are made before they are used");
        self.transitions.push((from, letter, to));
        self.initial = false;
    }
    /// Makes a state accepting.
    ///
    /// # Panics
    /// If it is no state of this automaton.
    pub fn accept(&mut self, state: u32) {
        self.accepting[state as usize] = true;
        self.initial = false;
    }
    /// How many states it has.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }
    /// The states, in order, that a frame at the node leads to from one of the given ones.
    pub(crate) fn read(&self, from: impl IntoIterator<Item = u32>, node: NodeId) -> Vec<u32> {
        let from: Vec<u32> = from.into_iter().collect();
        let reads = |(source, letter, _): &&(u32, Letter, u32)| {
            from.contains(source) && letter.nodes.contains(node)
        };
        let mut out: Vec<u32> = self.transitions.iter().filter(reads).map(|t| t.2).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
    /// Whether one of the states is accepting.
    pub(crate) fn accepts(&self, states: &[u32]) -> bool {
        states.iter().any(|&s| self.accepting[s as usize])
    }
    /// Whether a frame at the node can be on top.
    pub fn can_top(&self, node: NodeId) -> bool {
        !self.read([0], node).is_empty()
    }
    /// Whether some word that the automaton accepts is a stack, whatever the data.
    pub fn has_stacks(&self, program: &Program) -> bool {
        let mut calls: IndexVec<ProcId, Vec<EdgeId>> =
            IndexVec::filled(Vec::new(), program.procs.len());
        for (e, edge) in program.edges.enumerate() {
            if let EdgeKind::Call(call) = &edge.kind {
                calls[call.callee].push(e);
            }
        }
        let mut seen: FxHashSet<(ProcId, u32)> = FxHashSet::default();
        let mut work: Vec<(ProcId, u32)> = Vec::new();
        for (node, info) in program.nodes.enumerate() {
            for state in self.read([0], node) {
                if seen.insert((info.proc, state)) {
                    work.push((info.proc, state));
                }
            }
        }
        while let Some((proc, state)) = work.pop() {
            if self.accepting[state as usize] {
                return true;
            }
            for &e in &calls[proc] {
                let caller = program.nodes[program.edges[e].source].proc;
                for to in self.read([state], self.waiting.node(program, e)) {
                    if seen.insert((caller, to)) {
                        work.push((caller, to));
                    }
                }
            }
        }
        false
    }
    /// The variables that conditions on the topmost frame read, and where; `None` if conditions on frames below
    /// it read any.
    pub fn reads_on_top(&self, program: &Program) -> Option<Vec<(NodeId, VarId)>> {
        let mut out = Vec::new();
        for (top, letter) in self.letters() {
            let mut vars = Vec::new();
            program.exprs.reads(letter.condition, |_, var| vars.push(var));
            if !vars.is_empty() && !top {
                return None;
            }
            if !vars.is_empty() {
                let nodes = program.nodes.ids().filter(|&n| letter.nodes.contains(n));
                out.extend(nodes.flat_map(|n| vars.iter().map(move |&v| (n, v))));
            }
        }
        Some(out)
    }
    /// Every letter, and whether it can only be read on top.
    pub fn letters(&self) -> impl Iterator<Item = (bool, &Letter)> {
        let returns = self.transitions.iter().any(|t| t.2 == 0);
        self.transitions.iter().map(move |(from, letter, _)| (*from == 0 && !returns, letter))
    }
    pub(crate) fn is_initial(&self) -> bool {
        self.initial
    }
}

/// A transition of [`Frames`]: letter and target.
type Arrow = (u32, u32);

/// A regular set with its conditions as diagrams. No transition leads to the initial state.
pub(crate) struct Frames {
    letters: Vec<(Nodes, Bdd)>,
    tops: Vec<Arrow>,
    below: Vec<Vec<Arrow>>,
    pub(crate) accepting: Vec<bool>,
    waiting: Waiting,
}

impl Frames {
    pub(crate) fn new(s: &mut System, set: &RegularSet) -> Result<Frames, Halt> {
        reads_its_frames(&s.context, set)?;
        let states = set.accepting.len();
        let mut frames = Frames {
            letters: Vec::new(),
            tops: Vec::new(),
            // One more: what returns to the initial state goes to a copy of it.
            below: vec![Vec::new(); states + 1],
            accepting: set.accepting.clone(),
            waiting: set.waiting,
        };
        frames.accepting.push(set.accepting[0]);
        for (from, letter, to) in &set.transitions {
            let condition = s.condition(letter.condition, letter.choices)?;
            if condition.is_false() {
                continue;
            }
            let arrow = (frames.letters.len() as u32, if *to == 0 { states as u32 } else { *to });
            frames.letters.push((letter.nodes.clone(), condition));
            if *from == 0 {
                frames.tops.push(arrow);
                frames.below[states].push(arrow);
            } else {
                frames.below[*from as usize].push(arrow);
            }
        }
        Ok(frames)
    }

    /// The goals of a search backwards: state `i` after a frame of the `i`-th list of targets, and
    /// whatever is below it.
    pub(crate) fn of_targets(targets: &[Vec<(NodeId, Bdd)>], program: &Program) -> Frames {
        let mut letters = vec![(Nodes::any(), Bdd::TRUE)];
        let mut tops = Vec::new();
        for (state, list) in targets.iter().enumerate() {
            for &(node, condition) in list {
                tops.push((letters.len() as u32, state as u32));
                letters.push((Nodes::of(program, [node]), condition));
            }
        }
        Frames {
            letters,
            tops,
            below: (0..targets.len() as u32).map(|state| vec![(0, state)]).collect(),
            accepting: vec![true; targets.len()],
            waiting: Waiting::Call,
        }
    }

    /// The frames that can be on top: node, state after it, and condition over `Pre`.
    pub(crate) fn tops<'a>(
        &'a self,
        program: &'a Program,
    ) -> impl Iterator<Item = (NodeId, u32, Bdd)> + 'a {
        self.tops.iter().flat_map(|&(letter, to)| {
            let (nodes, condition) = &self.letters[letter as usize];
            let all: Box<dyn Iterator<Item = NodeId>> = match &nodes.listed {
                None => Box::new(program.nodes.ids()),
                Some(set) => Box::new(set.iter().map(NodeId::new)),
            };
            all.map(move |node| (node, to, *condition))
        })
    }

    /// Where a frame on top leads: states with conditions over `Pre`.
    pub(crate) fn top(&self, node: NodeId) -> impl Iterator<Item = (u32, Bdd)> + '_ {
        self.arrows(&self.tops, node)
    }

    /// Where a frame that waits in the call `e` leads from a state.
    pub(crate) fn below(
        &self,
        program: &Program,
        state: u32,
        e: EdgeId,
    ) -> impl Iterator<Item = (u32, Bdd)> + '_ {
        self.arrows(&self.below[state as usize], self.waiting.node(program, e))
    }

    fn arrows<'a>(
        &'a self,
        arrows: &'a [Arrow],
        node: NodeId,
    ) -> impl Iterator<Item = (u32, Bdd)> + 'a {
        arrows.iter().filter_map(move |&(letter, to)| {
            let (nodes, condition) = &self.letters[letter as usize];
            nodes.contains(node).then_some((to, *condition))
        })
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = Bdd> + '_ {
        self.letters.iter().map(|&(_, condition)| condition)
    }
}

/// Conditions read only what the frames they are about have.
fn reads_its_frames(context: &Context, set: &RegularSet) -> Result<(), Halt> {
    let program = &context.program;
    let refuse = |what: &str| Err(Halt::Budget(StopReason::Unsupported { what: what.to_owned() }));
    for (top, letter) in set.letters() {
        let (mut locals, mut globals) = (Vec::new(), false);
        program.exprs.reads(letter.condition, |_, var| match program.vars[var].kind {
            VarKind::Global => globals = true,
            VarKind::Local(p) | VarKind::Result(p) => locals.push(p),
        });
        if globals && !top {
            return refuse("a condition on a frame below the top reads a global");
        }
        if !locals.is_empty() {
            let procs = program.nodes.enumerate().filter(|(n, _)| letter.nodes.contains(*n));
            if procs.map(|(_, node)| node.proc).any(|p| locals.iter().any(|&l| l != p)) {
                return refuse("a condition reads a variable that its frame does not have");
            }
        }
    }
    Ok(())
}
