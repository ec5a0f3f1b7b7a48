//! What an automaton, or promises, do on a letter, given as what is known of its atoms at a place.

use crate::product::state_is;
use crate::promises::Promises;
use automata::ltl::Atom;
use automata::{Cubes, Diagrams, Known, Label, Tgba};
use ir::{Assign, Expr, ExprId, Exprs, MarkSet, Rel, Time, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What accepts the runs that are wanted.
#[derive(Clone, Copy)]
pub(crate) enum Accepting<'a> {
    Automaton(&'a Tgba),
    Promises(&'a Promises),
}

impl Accepting<'_> {
    /// How many marks it has.
    pub(crate) fn marks(self) -> u32 {
        match self {
            Accepting::Automaton(automaton) => automaton.marks,
            Accepting::Promises(promises) => promises.marks(),
        }
    }
}

/// What accepts, and what it does at the places that were asked for.
pub(crate) struct Reader<'a> {
    accepting: Accepting<'a>,
    /// The automaton's state, if there are several; or the promises.
    state: Vec<VarId>,
    /// There is a mark besides those of the automaton.
    assumed: bool,
    /// Marks are waited for one after the other.
    counted: bool,
    groups: FxHashMap<Vec<ExprId>, Rc<[Group]>>,
}

/// Some transitions with the same marks, or any marks if they are counted, as one edge of the product.
pub(crate) struct Group {
    pub(crate) marks: MarkSet,
    guard: ExprId,
    next: Next,
    /// If marks are counted: when each of them is carried.
    pub(crate) came: Vec<ExprId>,
    /// Whether these conditions speak of the state after the step.
    pub(crate) later: bool,
}

/// The state after the transition.
enum Next {
    Same,
    Value(ExprId),
    /// Arbitrary under a constraint on the states before and after, and the letter.
    Constraint(ExprId),
}

impl Group {
    /// Adds it to a relation that keeps the automaton's state.
    pub(crate) fn apply(&self, exprs: &mut Exprs, state: &[VarId], rel: &mut Rel) {
        rel.guard = exprs.and(self.guard, rel.guard);
        let value = match self.next {
            Next::Same => return,
            Next::Value(value) => Some(value),
            Next::Constraint(constraint) => {
                rel.constraint = exprs.and(constraint, rel.constraint);
                None
            }
        };
        let mut assigns = std::mem::take(&mut rel.assigns).into_vec();
        let open = |&var: &VarId| Assign { time: Time::Post, var, index: None, value };
        assigns.extend(state.iter().map(open));
        rel.assigns = assigns.into();
    }
}

/// Labels with more cubes become expressions node by node.
const MAX_CUBES: usize = 64;

/// The automaton at one place: labels are over the conditions that its atoms are there.
struct Place {
    automaton: Tgba,
    conditions: Vec<ExprId>,
    covers: Vec<Option<Cubes>>,
    nodes: FxHashMap<Label, ExprId>,
}

impl Place {
    fn new(automaton: &Tgba, letter: &[ExprId]) -> Place {
        let mut conditions: Vec<ExprId> = letter.to_vec();
        conditions.retain(|&c| c != Exprs::TRUE && c != Exprs::FALSE);
        conditions.sort_unstable();
        conditions.dedup();
        let known: Vec<Known> = letter
            .iter()
            .map(|&condition| match condition {
                Exprs::TRUE => Known::Value(true),
                Exprs::FALSE => Known::Value(false),
                _ => {
                    let at = conditions.binary_search(&condition).expect("it is one of them");
                    Known::Atom(at as u32)
                }
            })
            .collect();
        let names = (0..conditions.len()).map(|i| Atom::Var(format!("c{i}"))).collect();
        let automaton = automaton.at(&known, names);
        let covers = automaton.covers(MAX_CUBES);
        Place { automaton, conditions, covers, nodes: FxHashMap::default() }
    }

    /// The label of a transition as an expression.
    fn label(&mut self, exprs: &mut Exprs, transition: usize) -> ExprId {
        match &self.covers[transition] {
            Some(cubes) => sum(exprs, cubes, &self.conditions),
            None => {
                let label = self.automaton.transitions[transition].label;
                let diagrams = &self.automaton.labels;
                diagram(exprs, diagrams, label, &self.conditions, &mut self.nodes)
            }
        }
    }

    /// Whether a state never has two of these transitions to different states on one letter.
    fn deterministic(&self, transitions: &[usize]) -> bool {
        let all = &self.automaton.transitions;
        transitions.iter().enumerate().all(|(i, &a)| {
            // Those of one source are neighbours.
            let same = |b: &&usize| all[**b].from == all[a].from;
            transitions[i + 1..].iter().take_while(same).all(|&b| {
                all[a].to == all[b].to
                    || !self.automaton.labels.intersect(all[a].label, all[b].label)
            })
        })
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        accepting: Accepting<'a>,
        state: Vec<VarId>,
        assumed: bool,
        counted: bool,
    ) -> Reader<'a> {
        Reader { accepting, state, assumed, counted, groups: FxHashMap::default() }
    }

    /// What can be done where the atoms are the given conditions.
    pub(crate) fn groups(&mut self, exprs: &mut Exprs, letter: Vec<ExprId>) -> Rc<[Group]> {
        if let Some(groups) = self.groups.get(&letter) {
            return groups.clone();
        }
        let groups = match self.accepting {
            Accepting::Automaton(automaton) => self.transitions(exprs, automaton, &letter),
            Accepting::Promises(promises) => {
                let keeping = promises.keep(exprs, &self.state, &letter);
                let marks = MarkSet::from(!self.assumed);
                let next = match self.state.is_empty() {
                    true => Next::Same,
                    false => Next::Constraint(keeping.constraint),
                };
                let guard = if self.state.is_empty() { keeping.constraint } else { Exprs::TRUE };
                let later = !self.state.is_empty();
                Rc::new([Group { marks, guard, next, came: keeping.came, later }])
            }
        };
        self.groups.insert(letter, groups.clone());
        groups
    }

    fn transitions(&self, exprs: &mut Exprs, automaton: &Tgba, letter: &[ExprId]) -> Rc<[Group]> {
        let mut place = Place::new(automaton, letter);
        let mut by_marks: BTreeMap<MarkSet, Vec<usize>> = BTreeMap::new();
        for (i, t) in place.automaton.transitions.iter().enumerate() {
            let marks = match automaton.marks {
                _ if self.counted => 0,
                0 if !self.assumed => 1,
                _ => t.marks.word().expect("many marks are counted").into(),
            };
            by_marks.entry(marks).or_default().push(i);
        }
        by_marks
            .into_iter()
            .map(|(marks, transitions)| self.group(exprs, &mut place, marks, transitions))
            .collect()
    }

    fn group(
        &self,
        exprs: &mut Exprs,
        place: &mut Place,
        marks: MarkSet,
        mut transitions: Vec<usize>,
    ) -> Group {
        transitions.sort_by_key(|&i| {
            let t = &place.automaton.transitions[i];
            (t.from, t.to)
        });
        let state = self.state.first().copied();
        let later = state.is_some() && !place.deterministic(&transitions);
        // By source: all its letters. By target, where a loop counts as one of its own.
        let mut sources: BTreeMap<u32, ExprId> = BTreeMap::new();
        let mut arms: BTreeMap<Option<u32>, ExprId> = BTreeMap::new();
        let mut constraint = Exprs::FALSE;
        let counted = if self.counted { place.automaton.marks as usize } else { 0 };
        let mut came = vec![Exprs::FALSE; counted];
        for i in transitions {
            let label = place.label(exprs, i);
            let t = &place.automaton.transitions[i];
            let (from, to) = (t.from.0, t.to.0);
            let here = match state {
                Some(state) => state_is(exprs, Time::Pre, state, from),
                None => Exprs::TRUE,
            };
            let letters = sources.entry(from).or_insert(Exprs::FALSE);
            *letters = exprs.or(*letters, label);
            let taken = exprs.and(here, label);
            let arm = arms.entry((from != to).then_some(to)).or_insert(Exprs::FALSE);
            *arm = exprs.or(*arm, taken);
            let mut step = taken;
            if let Some(state) = state
                && later
            {
                let there = state_is(exprs, Time::Post, state, to);
                step = exprs.and(taken, there);
                constraint = exprs.or(constraint, step);
            }
            for mark in t.marks.iter().filter(|_| self.counted) {
                came[mark as usize] = exprs.or(came[mark as usize], step);
            }
        }
        let everywhere = sources.len() == place.automaton.states as usize
            && sources.values().all(|&letters| letters == Exprs::TRUE);
        let mut guard = Exprs::FALSE;
        for (&from, &letters) in &sources {
            let here = match state {
                Some(state) => state_is(exprs, Time::Pre, state, from),
                None => Exprs::TRUE,
            };
            let letters = exprs.and(here, letters);
            guard = exprs.or(guard, letters);
        }
        if everywhere {
            guard = Exprs::TRUE;
        }
        let next = match state {
            None => Next::Same,
            Some(_) if later => Next::Constraint(constraint),
            Some(state) => next_state(exprs, state, arms),
        };
        Group { marks, guard, next, came, later }
    }
}

/// The state after a transition where the guard lets just one be taken.
fn next_state(exprs: &mut Exprs, state: VarId, arms: BTreeMap<Option<u32>, ExprId>) -> Next {
    if arms.keys().all(Option::is_none) {
        return Next::Same;
    }
    let mut value = None;
    for (to, taken) in arms {
        let to = match to {
            Some(to) => exprs.int(i64::from(to)),
            None => exprs.pre(state),
        };
        value = Some(match value {
            None => to,
            Some(other) => exprs.add(Expr::Ite(taken, to, other)),
        });
    }
    value.map_or(Next::Same, Next::Value)
}

/// A sum of cubes over conditions as an expression.
fn sum(exprs: &mut Exprs, cubes: &Cubes, conditions: &[ExprId]) -> ExprId {
    let mut sum = Exprs::FALSE;
    for cube in &cubes.cubes {
        let mut product = Exprs::TRUE;
        for &(condition, wanted) in &cube.0 {
            let condition = conditions[condition as usize];
            let literal = if wanted { condition } else { exprs.not(condition) };
            product = exprs.and(product, literal);
        }
        sum = exprs.or(sum, product);
    }
    sum
}

/// A diagram over conditions as an expression that shares what the diagram shares.
fn diagram(
    exprs: &mut Exprs,
    diagrams: &Diagrams,
    label: Label,
    conditions: &[ExprId],
    done: &mut FxHashMap<Label, ExprId>,
) -> ExprId {
    let get = |done: &FxHashMap<Label, ExprId>, label: Label| match label {
        Label::NONE => Exprs::FALSE,
        Label::ALL => Exprs::TRUE,
        node => done[&node],
    };
    for below in diagrams.below(&[label]) {
        let node = diagrams.node(below).expect("constants are below nothing");
        if !done.contains_key(&below) {
            let (low, high) = (get(done, node.low), get(done, node.high));
            let test = conditions[node.atom as usize];
            let expr = exprs.add(Expr::Ite(test, high, low));
            done.insert(below, expr);
        }
    }
    get(done, label)
}
