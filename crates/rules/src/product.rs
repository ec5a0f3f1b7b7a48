//! The product of a program with a rule: a program again, with a goal for each instance.
//!
//! A hidden global `i` holds the number of the instance, chosen at the start and never changed; a
//! hidden global `s` holds the state of the rule's automaton, or *off*, or *violated*.
//!
//! - R1. A step reads a letter, its events, and `s` takes a transition that reads it. A state without
//!   one ends the run: nothing is lost, since runs are looked for that violate the rule.
//! - R2. A transition to an accepting state goes to *violated*, where `s` stays.
//! - R3. An instance that is not local starts in state 0.
//! - R4. An instance that is a local of `f` is one activation of `f`: `s` is *off* until some call
//!   of `f` is chosen, and a hidden local `mine` of that frame is set. Events about the object count
//!   in that frame only, others in every frame. `return` is that frame's return, with which the
//!   instance ends.
//!
//! The objects of two instances are different; copies, parameters and addresses are not followed.

use crate::rule::Rule;
use ir::{
    Assign, BinaryOp, Call, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, Id, IndexVec, Init,
    NodeId, ProcId, Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An object that a rule is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// As events name it: `g`, `f::x`.
    pub object: String,
    /// The procedure in whose frames it lives; none for what is there once.
    pub owner: Option<ProcId>,
}

/// Why there is no product.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProductError {
    /// The program's initial condition speaks of locals.
    LocalInit,
}

impl fmt::Display for ProductError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProductError::LocalInit => write!(f, "the initial condition speaks of locals"),
        }
    }
}

impl std::error::Error for ProductError {}

/// A product.
#[derive(Clone, Debug)]
pub struct RuleProduct {
    /// The program. What the original has keeps its ids.
    pub program: Program,
    /// The instances, in the order of their numbers.
    pub instances: Vec<Instance>,
    /// For each instance, where a run that violates the rule comes to: a node, and a condition.
    pub goals: Vec<Vec<(NodeId, ExprId)>>,
    /// The variable with the instance's number; none if there is only one.
    pub instance: Option<VarId>,
    /// The variable with the automaton's state.
    pub state: VarId,
    /// Of each edge, the one of the original that it executes.
    pub edges: IndexVec<EdgeId, Option<EdgeId>>,
}

/// Moves of the automaton on one letter.
type Moves = BTreeSet<(u32, u32)>;

/// The product of a program with a rule over some objects. A rule without a metavariable has one
/// instance, whatever is given.
pub fn product(
    program: &Program,
    rule: &Rule,
    instances: &[Instance],
) -> Result<RuleProduct, ProductError> {
    let mut instances: Vec<Instance> = match rule.variable {
        Some(_) => instances.to_vec(),
        None => vec![Instance { object: String::new(), owner: None }],
    };
    // Those of one owner are neighbours.
    instances.sort_by(|a, b| (a.owner, &a.object).cmp(&(b.owner, &b.object)));
    instances.dedup();
    let mut local_init = false;
    program.exprs.reads(program.init.condition, |_, var| {
        local_init |= program.vars[var].kind != VarKind::Global;
    });
    if local_init {
        return Err(ProductError::LocalInit);
    }
    let mut b = ProgramBuilder::extending(program);
    let states = rule.nfa.accepting.len() as u32;
    let bits = |n: u32| (u32::BITS - n.leading_zeros()).max(1);
    let state = b.hidden_global("(rule)", Type::int(bits(states + 1)));
    let instance = (instances.len() > 1)
        .then(|| b.hidden_global("(instance)", Type::int(bits(instances.len() as u32 - 1))));
    let mut ranges: BTreeMap<ProcId, (usize, usize)> = BTreeMap::new();
    for (k, one) in instances.iter().enumerate() {
        if let Some(owner) = one.owner {
            ranges.entry(owner).or_insert((k, k)).1 = k;
        }
    }
    let mine: BTreeMap<ProcId, VarId> =
        ranges.keys().map(|&owner| (owner, b.hidden_local(owner, "(mine)", Type::BOOL))).collect();
    let mut events: FxHashMap<String, Vec<(u32, Option<usize>)>> = FxHashMap::default();
    for (k, one) in instances.iter().enumerate() {
        for (atom, text, depends) in rule.atoms_for(&one.object) {
            if depends {
                events.entry(text).or_default().push((atom, Some(k)));
            } else if k == 0 {
                events.entry(text).or_default().push((atom, None));
            }
        }
    }
    let mut maker = Maker {
        rule,
        b,
        program,
        instances: &instances,
        ranges,
        mine,
        state,
        instance,
        off: states,
        violated: states + 1,
        moves: FxHashMap::default(),
        events,
        goals: vec![BTreeSet::new(); instances.len()],
    };
    let mut made: Vec<(NodeId, Option<EdgeId>)> = Vec::new();
    for (id, edge) in program.edges.enumerate() {
        made.push((edge.source, Some(id)));
        let edge = maker.edge(edge);
        maker.b.edge(edge);
    }
    // A procedure that calls the entry procedure, so that R4 holds for that, too.
    let at = maker.b.no_origin();
    let wrapper = maker.b.proc("(run)", at);
    maker.b.begin_proc(wrapper);
    let (start, finished) = (maker.b.silent(), maker.b.silent());
    maker.b.entry(wrapper, start);
    let callee = program.entry;
    let mut call = Call { callee, enter: Rel::identity(), ret: finished, back: Rel::identity() };
    maker.activate(&mut call.enter, callee, None);
    let kind = EdgeKind::Call(Box::new(call));
    let no_events = maker.b.no_events();
    maker.b.edge(Edge { source: start, kind, step: false, events: no_events, marks: 0 });
    made.push((start, None));
    debug_assert_eq!(finished.index(), program.nodes.len() + 1, "where `mark` expects it");
    let init = maker.init();
    let goals = maker.conditions();
    made.sort_by_key(|&(source, _)| source);
    let edges = made.into_iter().map(|(_, edge)| edge).collect();
    let program = maker.b.finish(wrapper, init);
    Ok(RuleProduct { program, instances, goals, instance, state, edges })
}

struct Maker<'a> {
    rule: &'a Rule,
    b: ProgramBuilder,
    program: &'a Program,
    instances: &'a [Instance],
    /// First and last instance of each owner.
    ranges: BTreeMap<ProcId, (usize, usize)>,
    mine: BTreeMap<ProcId, VarId>,
    state: VarId,
    instance: Option<VarId>,
    off: u32,
    violated: u32,
    moves: FxHashMap<u64, Moves>,
    /// Of an event, the atoms that it is: for one instance or for all.
    events: FxHashMap<String, Vec<(u32, Option<usize>)>>,
    goals: Vec<BTreeSet<NodeId>>,
}

impl Maker<'_> {
    fn state_is(&mut self, time: Time, number: u32) -> ExprId {
        let state = self.b.exprs.add(Expr::Read(time, self.state));
        let number = self.b.exprs.int(i64::from(number));
        self.b.exprs.binary(BinaryOp::Eq, state, number)
    }

    fn instance_in(&mut self, low: usize, high: usize) -> ExprId {
        let Some(var) = self.instance else { return Exprs::TRUE };
        let exprs = &mut self.b.exprs;
        let var = exprs.pre(var);
        let low_value = exprs.int(low as i64);
        if low == high {
            return exprs.binary(BinaryOp::Eq, var, low_value);
        }
        let high_value = exprs.int(high as i64);
        let (a, b) = (
            exprs.binary(BinaryOp::Ge, var, low_value),
            exprs.binary(BinaryOp::Le, var, high_value),
        );
        exprs.and(a, b)
    }

    /// What the automaton does on a letter; those that accept go to *violated*.
    fn moves(&mut self, atoms: u64) -> Moves {
        if let Some(moves) = self.moves.get(&atoms) {
            return moves.clone();
        }
        let nfa = &self.rule.nfa;
        let mut out = Moves::new();
        for &(from, condition, to) in &nfa.transitions {
            // An accepting state is never entered: it is *violated*.
            if !nfa.accepting[from as usize] && nfa.holds(condition, &|atom| atoms >> atom & 1 == 1)
            {
                let accepts = nfa.accepting[to as usize];
                out.insert((from, if accepts { self.violated } else { to }));
            }
        }
        self.moves.insert(atoms, out.clone());
        out
    }

    fn relation(&mut self, moves: &Moves) -> ExprId {
        let mut out = Exprs::FALSE;
        for &(from, to) in moves {
            let (before, after) = (self.state_is(Time::Pre, from), self.state_is(Time::Post, to));
            let step = self.b.exprs.and(before, after);
            out = self.b.exprs.or(out, step);
        }
        out
    }

    /// The edge with the automaton's step on it.
    fn edge(&mut self, edge: &Edge) -> Edge {
        let mut edge = edge.clone();
        let owner = self.program.nodes[edge.source].proc;
        let constraint = if edge.step { self.letter(&edge, owner) } else { None };
        match &mut edge.kind {
            EdgeKind::Local { rel, .. } => self.constrain(rel, constraint),
            EdgeKind::Return { rel } => self.constrain(rel, constraint),
            EdgeKind::Call(call) => {
                let callee = call.callee;
                self.activate(&mut call.enter, callee, constraint);
            }
        }
        edge
    }

    fn constrain(&mut self, rel: &mut Rel, constraint: Option<ExprId>) {
        let Some(constraint) = constraint else { return };
        rel.constraint = self.b.exprs.and(rel.constraint, constraint);
        push(rel, self.state, None);
    }

    /// R4: the call of an owner may be the one that is chosen.
    fn activate(&mut self, enter: &mut Rel, callee: ProcId, constraint: Option<ExprId>) {
        let Some(&mine) = self.mine.get(&callee) else {
            self.constrain(enter, constraint);
            return;
        };
        let plain = constraint.unwrap_or_else(|| {
            let (before, after) = (self.b.exprs.pre(self.state), self.b.exprs.post(self.state));
            self.b.exprs.binary(BinaryOp::Eq, before, after)
        });
        let (low, high) = self.ranges[&callee];
        let here = self.instance_in(low, high);
        let (off, zero) = (self.state_is(Time::Pre, self.off), self.state_is(Time::Post, 0));
        let chosen = self.b.exprs.post(mine);
        let not_chosen = self.b.exprs.not(chosen);
        let mut start = self.b.exprs.and(here, off);
        start = self.b.exprs.and(start, zero);
        start = self.b.exprs.and(start, chosen);
        let pass = self.b.exprs.and(plain, not_chosen);
        let either = self.b.exprs.or(start, pass);
        enter.constraint = self.b.exprs.and(enter.constraint, either);
        push(enter, self.state, None);
        push(enter, mine, None);
    }

    /// The relation of states before and after a step; none if it is the identity.
    fn letter(&mut self, edge: &Edge, proc: ProcId) -> Option<ExprId> {
        let (mut common, mut own) = (0u64, BTreeMap::<usize, u64>::new());
        let mut returns = 0u64;
        for &event in self.program.events(edge.events) {
            let text = self.program.text(event);
            for &(atom, instance) in self.events.get(text).into_iter().flatten() {
                match instance {
                    Some(k) => *own.entry(k).or_default() |= 1 << atom,
                    None if text == "return" => returns |= 1 << atom,
                    None => common |= 1 << atom,
                }
            }
        }
        let is_return = matches!(edge.kind, EdgeKind::Return { .. });
        let range = self.ranges.get(&proc).copied().filter(|_| is_return);
        let mine = self.mine.get(&proc).copied();
        let default = self.moves(common);
        let accepting = &self.rule.nfa.accepting;
        let still: Moves =
            (0..self.off).filter(|s| !accepting[*s as usize]).map(|s| (s, s)).collect();
        let globals = self.instances.iter().take_while(|i| i.owner.is_none()).count();
        let returning = returns != 0 && globals > 0;
        if own.is_empty() && range.is_none() && !returning && default == still {
            return None;
        }
        let mut out = Exprs::FALSE;
        let mut rest = Exprs::TRUE;
        for (k, atoms) in own {
            let local = self.instances[k].owner;
            let mut when = self.instance_in(k, k);
            let mut atoms = atoms | common;
            match local {
                // In other frames of the program, the object is another one.
                Some(owner) if owner != proc => continue,
                Some(_) => {
                    let mine = mine.expect("owners have the variable");
                    let mine = self.b.exprs.pre(mine);
                    when = self.b.exprs.and(when, mine);
                    atoms |= returns;
                }
                None => atoms |= returns,
            }
            let mut moves = self.moves(atoms);
            if is_return && local.is_some() {
                moves.retain(|m| m.1 == self.violated);
            }
            self.mark(edge, k, k, &moves);
            let relation = self.relation(&moves);
            let case = self.b.exprs.and(when, relation);
            out = self.b.exprs.or(out, case);
            let not = self.b.exprs.not(when);
            rest = self.b.exprs.and(rest, not);
        }
        if let (Some((low, high)), Some(mine)) = (range, mine) {
            let here = self.instance_in(low, high);
            let mine = self.b.exprs.pre(mine);
            let when = self.b.exprs.and(here, mine);
            let mut moves = self.moves(common | returns);
            moves.retain(|m| m.1 == self.violated);
            self.mark(edge, low, high, &moves);
            let relation = self.relation(&moves);
            let mut case = self.b.exprs.and(when, relation);
            case = self.b.exprs.and(case, rest);
            out = self.b.exprs.or(out, case);
            let not = self.b.exprs.not(when);
            rest = self.b.exprs.and(rest, not);
        }
        if returning {
            let when = self.instance_in(0, globals - 1);
            let moves = self.moves(common | returns);
            self.mark(edge, 0, globals - 1, &moves);
            let relation = self.relation(&moves);
            let mut case = self.b.exprs.and(when, relation);
            case = self.b.exprs.and(case, rest);
            out = self.b.exprs.or(out, case);
            let not = self.b.exprs.not(when);
            rest = self.b.exprs.and(rest, not);
        }
        if !self.instances.is_empty() {
            self.mark(edge, 0, self.instances.len() - 1, &default);
        }
        let relation = self.relation(&default);
        let case = self.b.exprs.and(rest, relation);
        out = self.b.exprs.or(out, case);
        // Off and violated stay as they are.
        for number in [self.off, self.violated] {
            let (before, after) =
                (self.state_is(Time::Pre, number), self.state_is(Time::Post, number));
            let stays = self.b.exprs.and(before, after);
            out = self.b.exprs.or(out, stays);
        }
        Some(out)
    }

    /// Notes where a violation by this edge is seen.
    fn mark(&mut self, edge: &Edge, low: usize, high: usize, moves: &Moves) {
        if !moves.iter().any(|m| m.1 == self.violated) {
            return;
        }
        let program = self.program;
        let mut places = Vec::new();
        match &edge.kind {
            EdgeKind::Local { target, .. } => places.push(*target),
            EdgeKind::Call(call) => places.push(program.procs[call.callee].entry),
            EdgeKind::Return { .. } => {
                let proc = program.nodes[edge.source].proc;
                places.extend(program.edges.iter().filter_map(|e| match &e.kind {
                    EdgeKind::Call(call) if call.callee == proc => Some(call.ret),
                    _ => None,
                }));
                // The node after the whole run is added when it is there.
                if proc == program.entry {
                    places.push(NodeId::new(program.nodes.len() + 1));
                }
            }
        }
        for goals in &mut self.goals[low..=high] {
            goals.extend(places.iter().copied());
        }
    }

    /// For each instance, the places with the condition that it is this instance's violation.
    fn conditions(&mut self) -> Vec<Vec<(NodeId, ExprId)>> {
        let violated = self.state_is(Time::Pre, self.violated);
        let goals = std::mem::take(&mut self.goals);
        let mut out = Vec::with_capacity(goals.len());
        for (k, places) in goals.into_iter().enumerate() {
            let here = self.instance_in(k, k);
            let condition = self.b.exprs.and(here, violated);
            out.push(places.into_iter().map(|node| (node, condition)).collect());
        }
        out
    }

    fn init(&mut self) -> Init {
        let Init { condition, choices } = self.program.init;
        let globals = self.instances.iter().take_while(|i| i.owner.is_none()).count();
        let (off, zero) = (self.state_is(Time::Pre, self.off), self.state_is(Time::Pre, 0));
        let mut start = Exprs::FALSE;
        if globals > 0 {
            let here = self.instance_in(0, globals - 1);
            start = self.b.exprs.and(here, zero);
        }
        if globals < self.instances.len() {
            let here = self.instance_in(globals, self.instances.len() - 1);
            let local = self.b.exprs.and(here, off);
            start = self.b.exprs.or(start, local);
        }
        let condition = self.b.exprs.and(condition, start);
        Init { condition, choices }
    }
}

fn push(rel: &mut Rel, var: VarId, value: Option<ExprId>) {
    let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
    assigns.push(Assign { time: Time::Post, var, index: None, value });
    rel.assigns = assigns.into();
}
