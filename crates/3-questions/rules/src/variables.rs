//! The product of a program with a rule over variables: a program again, with a place for each statement that
//! can break the rule.
//!
//! A hidden global `i` holds the number of the instance, chosen at the start and never changed; a
//! hidden global `s` holds the state of the rule's automaton, or *off*. The automaton is deterministic,
//! unless that makes it too large.
//!
//! - RV1. A step reads a letter, its events, and `s` takes a transition that reads it. A state without
//!   one, or from which none leads to a violation, ends the run: nothing is lost, since runs are looked
//!   for that violate the rule.
//! - RV2. A step on whose letter a transition leads to an accepting state has a second edge, a call of a
//!   procedure that is nothing but the place of the violation: one for each node from which steps violate
//!   the rule. So a run that violates it ends with the very step that does, and goes on only where that
//!   step is allowed. As in properties without objects, the letter counts even if the step then blocks; its
//!   guard must hold.
//! - RV3. An instance that is not local starts in state 0.
//! - RV4. An instance that is a local of `f` is one activation of `f`: `s` is *off* until some call
//!   of `f` is chosen, and a hidden local `mine` of that frame is set. Events about the object count
//!   in that frame only, others in every frame. `return` is that frame's return, with which the
//!   instance ends.
//!
//! The objects of two instances are different; copies, parameters and addresses are not followed.

use crate::dfa::Watcher;
use crate::product::{About, Product, Variables};
use crate::rule::Rule;
use front_c::{Object, ObjectId, Reach, Skeleton};
use ir::{
    Assign, BinaryOp, Call, Edge, EdgeId, EdgeKind, Expr, ExprId, Exprs, Init, NodeId, ProcId,
    Program, ProgramBuilder, Rel, Time, Type, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

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

/// The objects that a rule ranges over, as events of a program name them.
pub fn instances(s: &Skeleton, rule: &Rule, program: &Program) -> Vec<Instance> {
    let ranges = |o: &Object| {
        o.reach == Reach::Var && !o.temporary && rule.is_about_type(&s.types[o.type_names as usize])
    };
    let objects = s.objects.iter().enumerate().filter(|(_, o)| ranges(o));
    objects
        .map(|(i, o)| {
            let owner = o.owner.filter(|_| o.automatic);
            let owner = owner.and_then(|f| program.proc_named(&s.funcs[f.index()].unique));
            Instance { object: s.object_name(ObjectId::new(i)), owner }
        })
        .collect()
}

/// What the automaton does on one letter.
#[derive(Clone, PartialEq, Eq, Default)]
struct Moves {
    /// From a state to another one, neither accepting.
    goes: BTreeSet<(u32, u32)>,
    /// From a state to an accepting one.
    violates: BTreeSet<u32>,
}

/// The relation of states before and after a step, and when the step violates the rule.
#[derive(Clone, Copy)]
struct Letter {
    /// None if it is the identity.
    relation: Option<ExprId>,
    violates: ExprId,
}

/// The product of a program with a rule over some objects. A rule without a metavariable has one
/// instance, whatever is given. `allowed` tells the nodes whose steps may violate the rule: runs go on
/// there, since otherwise nothing that comes later would be seen.
pub fn product(
    original: &Arc<Program>,
    rule: &Rule,
    instances: &[Instance],
    allowed: &dyn Fn(NodeId) -> bool,
) -> Result<Product, ProductError> {
    let program = &**original;
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
    let bits = |n: u32| (u32::BITS - n.leading_zeros()).max(1);
    let state = b.hidden_global("(rule)", Type::int(1));
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
        automaton: Automaton::Choices,
        off: 0,
        moves: FxHashMap::default(),
        events,
        allowed,
    };
    maker.determine();
    maker.b.set_type(state, Type::int(bits(maker.off)));
    let mut made: Vec<(NodeId, Option<EdgeId>)> = Vec::new();
    let mut violations: BTreeMap<NodeId, Vec<(EdgeId, ExprId)>> = BTreeMap::new();
    for (id, edge) in program.edges.enumerate() {
        made.push((edge.source, Some(id)));
        let (edge, violates) = maker.edge(edge);
        if violates != Exprs::FALSE {
            violations.entry(edge.source).or_default().push((id, violates));
        }
        maker.b.edge(edge);
    }
    // A procedure that calls the entry procedure, so that RV4 holds for that, too.
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
    let (mut places, mut sources) = (Vec::new(), Vec::new());
    for (source, steps) in violations {
        let node = maker.violated(source, &steps);
        made.extend(steps.iter().map(|(id, _)| (source, Some(*id))));
        places.push(node);
        sources.push(source);
    }
    let init = maker.init();
    let conditions = (0..instances.len()).map(|k| maker.instance_in(k, k)).collect();
    made.sort_by_key(|&(source, _)| source);
    let edges = made.into_iter().map(|(_, edge)| edge).collect();
    let program = Arc::new(maker.b.finish(wrapper, init));
    let about = Variables { original: original.clone(), instances, sources, state, edges };
    Ok(Product { program, places, number: instance, conditions, about: About::Variables(about) })
}

/// How the rule's automaton is followed.
enum Automaton {
    /// Made deterministic.
    Subsets(Watcher),
    /// As it is: a run chooses.
    Choices,
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
    automaton: Automaton,
    off: u32,
    moves: FxHashMap<(u64, bool), Moves>,
    /// Of an event, the atoms that it is: for one instance or for all.
    events: FxHashMap<String, Vec<(u32, Option<usize>)>>,
    allowed: &'a dyn Fn(NodeId) -> bool,
}

/// The atoms that hold on a step.
#[derive(Default)]
struct Atoms {
    /// For all instances.
    common: u64,
    /// More of them, for some.
    own: BTreeMap<usize, u64>,
    /// Those that are the return of the frame.
    returns: u64,
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

    /// Makes the automaton deterministic over the letters that occur, if it does not grow too large.
    fn determine(&mut self) {
        let mut letters = BTreeSet::from([0]);
        for edge in self.program.edges.iter().filter(|e| e.step) {
            let Atoms { common, own, returns } = self.atoms(edge);
            for letter in own.values().map(|own| own | common).chain([common]) {
                letters.extend([letter, letter | returns]);
            }
        }
        self.off = self.rule.nfa.accepting.len() as u32;
        if let Some(watcher) = Watcher::new(&self.rule.nfa, &letters) {
            self.off = watcher.len();
            self.automaton = Automaton::Subsets(watcher);
        }
    }

    /// What the automaton does on a letter. `allowed`: it goes on after a violation.
    fn moves(&mut self, atoms: u64, allowed: bool) -> Moves {
        if let Some(moves) = self.moves.get(&(atoms, allowed)) {
            return moves.clone();
        }
        let nfa = &self.rule.nfa;
        let mut out = Moves::default();
        match &self.automaton {
            Automaton::Subsets(watcher) => {
                for from in watcher.live() {
                    let (violates, to) = watcher.step(from, atoms);
                    if violates {
                        out.violates.insert(from);
                    }
                    if watcher.is_live(to) && (!violates || allowed) {
                        out.goes.insert((from, to));
                    }
                }
            }
            Automaton::Choices => {
                for &(from, condition, to) in &nfa.transitions {
                    if nfa.accepting[from as usize]
                        || !nfa.holds(condition, &|atom| atoms >> atom & 1 == 1)
                    {
                        continue;
                    }
                    match nfa.accepting[to as usize] {
                        true => out.violates.insert(from),
                        false => out.goes.insert((from, to)),
                    };
                }
            }
        }
        self.moves.insert((atoms, allowed), out.clone());
        out
    }

    /// The states that are entered, each as it stays.
    fn still(&self) -> Moves {
        let goes = match &self.automaton {
            Automaton::Subsets(watcher) => watcher.live().map(|s| (s, s)).collect(),
            Automaton::Choices => {
                let accepting = &self.rule.nfa.accepting;
                (0..self.off).filter(|s| !accepting[*s as usize]).map(|s| (s, s)).collect()
            }
        };
        Moves { goes, violates: BTreeSet::new() }
    }

    fn relation(&mut self, moves: &Moves) -> ExprId {
        let mut out = Exprs::FALSE;
        for &(from, to) in &moves.goes {
            let (before, after) = (self.state_is(Time::Pre, from), self.state_is(Time::Post, to));
            let step = self.b.exprs.and(before, after);
            out = self.b.exprs.or(out, step);
        }
        out
    }

    fn violating(&mut self, moves: &Moves) -> ExprId {
        let mut out = Exprs::FALSE;
        for &from in &moves.violates {
            let before = self.state_is(Time::Pre, from);
            out = self.b.exprs.or(out, before);
        }
        out
    }

    /// The edge with the automaton's step on it, and when it violates the rule.
    fn edge(&mut self, edge: &Edge) -> (Edge, ExprId) {
        let mut edge = edge.clone();
        let owner = self.program.nodes[edge.source].proc;
        let nothing = Letter { relation: None, violates: Exprs::FALSE };
        let letter = if edge.step { self.letter(&edge, owner) } else { nothing };
        let constraint = letter.relation;
        match &mut edge.kind {
            EdgeKind::Local { rel, .. } => self.constrain(rel, constraint),
            EdgeKind::Return { rel } => self.constrain(rel, constraint),
            EdgeKind::Call(call) => {
                let callee = call.callee;
                self.activate(&mut call.enter, callee, constraint);
            }
        }
        (edge, letter.violates)
    }

    /// The place of violations by some steps of a node, and the edges to it (RV2).
    fn violated(&mut self, source: NodeId, steps: &[(EdgeId, ExprId)]) -> NodeId {
        let at = self.b.no_origin();
        let callee = self.b.proc("(violated)", at);
        self.b.begin_proc(callee);
        let place = self.b.silent();
        self.b.entry(callee, place);
        for &(id, violates) in steps {
            let edge = &self.program.edges[id];
            let rel = match &edge.kind {
                EdgeKind::Local { rel, .. } | EdgeKind::Return { rel } => rel,
                EdgeKind::Call(call) => &call.enter,
            };
            let guard = self.b.exprs.and(rel.guard, violates);
            let enter = Rel::guarded(guard, rel.choices);
            let call = Call { callee, enter, ret: source, back: Rel::identity() };
            let kind = EdgeKind::Call(Box::new(call));
            self.b.edge(Edge { source, kind, step: true, events: edge.events, marks: 0 });
        }
        place
    }

    fn constrain(&mut self, rel: &mut Rel, constraint: Option<ExprId>) {
        let Some(constraint) = constraint else { return };
        rel.constraint = self.b.exprs.and(rel.constraint, constraint);
        push(rel, self.state, None);
    }

    /// RV4: the call of an owner may be the one that is chosen.
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

    /// The atoms that hold on a step.
    fn atoms(&self, edge: &Edge) -> Atoms {
        let mut out = Atoms::default();
        for &event in self.program.events(edge.events) {
            let text = self.program.text(event);
            for &(atom, instance) in self.events.get(text).into_iter().flatten() {
                match instance {
                    Some(k) => *out.own.entry(k).or_default() |= 1 << atom,
                    None if text == "return" => out.returns |= 1 << atom,
                    None => out.common |= 1 << atom,
                }
            }
        }
        out
    }

    /// What a step does to the automaton.
    fn letter(&mut self, edge: &Edge, proc: ProcId) -> Letter {
        let Atoms { common, own, returns } = self.atoms(edge);
        let is_return = matches!(edge.kind, EdgeKind::Return { .. });
        let range = self.ranges.get(&proc).copied().filter(|_| is_return);
        let mine = self.mine.get(&proc).copied();
        let allowed = (self.allowed)(edge.source);
        let default = self.moves(common, allowed);
        let globals = self.instances.iter().take_while(|i| i.owner.is_none()).count();
        let returning = returns != 0 && globals > 0;
        if own.is_empty() && range.is_none() && !returning && default == self.still() {
            return Letter { relation: None, violates: Exprs::FALSE };
        }
        // Which instances, and what happens to them; the first that fits counts.
        let mut cases: Vec<(ExprId, Moves)> = Vec::new();
        for (k, atoms) in own {
            let local = self.instances[k].owner;
            let mut when = self.instance_in(k, k);
            match local {
                // In other frames of the program, the object is another one.
                Some(owner) if owner != proc => continue,
                Some(_) => {
                    let mine = mine.expect("owners have the variable");
                    let mine = self.b.exprs.pre(mine);
                    when = self.b.exprs.and(when, mine);
                }
                None => {}
            }
            let mut moves = self.moves(atoms | common | returns, allowed);
            if is_return && local.is_some() {
                moves.goes.clear();
            }
            cases.push((when, moves));
        }
        if let (Some((low, high)), Some(mine)) = (range, mine) {
            let here = self.instance_in(low, high);
            let mine = self.b.exprs.pre(mine);
            let when = self.b.exprs.and(here, mine);
            let mut moves = self.moves(common | returns, allowed);
            moves.goes.clear();
            cases.push((when, moves));
        }
        if returning {
            let when = self.instance_in(0, globals - 1);
            cases.push((when, self.moves(common | returns, allowed)));
        }
        cases.push((Exprs::TRUE, default));
        let (mut relation, mut violates) = (Exprs::FALSE, Exprs::FALSE);
        let mut rest = Exprs::TRUE;
        for (when, moves) in cases {
            let here = self.b.exprs.and(rest, when);
            let (goes, wrong) = (self.relation(&moves), self.violating(&moves));
            let exprs = &mut self.b.exprs;
            let (goes, wrong) = (exprs.and(here, goes), exprs.and(here, wrong));
            relation = exprs.or(relation, goes);
            violates = exprs.or(violates, wrong);
            let not = exprs.not(when);
            rest = exprs.and(rest, not);
        }
        // Off stays as it is.
        let (before, after) =
            (self.state_is(Time::Pre, self.off), self.state_is(Time::Post, self.off));
        let stays = self.b.exprs.and(before, after);
        let relation = Some(self.b.exprs.or(relation, stays));
        Letter { relation, violates }
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
