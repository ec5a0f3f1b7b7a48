//! Formulas on transition systems: the boolean equation system of the question, on demand.

use bes::data::{Sort, Value};
use bes::lex::{SyntaxError, SyntaxErrorKind};
use bes::param::{Formulas, Instance, Model, Node, Outside, ParamError, Vertex};
use bes::rewrite::Data;
use bes::{Explanation, Op, System};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::action::{Code, NoAnswer, Parsed};
use crate::mu::Formula;
use crate::{ExplicitLts, Lts, parts, split};

/// How many answers of action formulas with data are kept.
const MOST_KNOWN: usize = 1 << 18;

/// A transition system with the action formulas that are asked of it.
pub struct OnLts<L: Lts> {
    lts: L,
    codes: Vec<Code>,
    sorts: Vec<Sort>,
    names: Vec<String>,
    variables: Vec<Value>,
    tau: Vec<String>,
    /// Labels, as far as they were met.
    labels: Vec<Option<Parsed>>,
    /// Answers that depend on the label alone, by action and label: 0 not known, 1 no, 2 yes.
    cache: Vec<Vec<u8>>,
    /// Answers that depend on data variables, too, by action and label and their values.
    open: FxHashMap<(u32, u32, Box<[Value]>), bool>,
    /// The values of all labels, once somebody has asked.
    all_values: Option<Vec<Value>>,
    successors: Vec<(u32, L::State)>,
    last: Vec<u32>,
}

impl<L: Lts> OnLts<L> {
    /// The transition system.
    pub fn lts(&self) -> &L {
        &self.lts
    }
}

/// Puts a formula on a transition system. `tau` are the names of the internal action.
///
/// ```
/// use bes::{Method, Solver};
/// use lts::mu::{Dialect, parse};
///
/// let model = lts::aut::parse("des (0, 2, 2)\n(0, \"a\", 1)\n(1, i, 0)\n").unwrap();
/// let formula = parse("[true*]<true>true", Dialect::Mcrl2).unwrap();
/// let question = lts::question(&formula, model, &["i", "tau"]).unwrap();
/// let mut solver = Solver::new(question);
/// assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(true));
/// ```
pub fn question<L: Lts>(
    formula: &Formula,
    lts: L,
    tau: &[&str],
) -> Result<Instance<OnLts<L>>, SyntaxError> {
    let lowered = formula.lower()?;
    instance(lowered.formulas, lowered.actions, lts, tau)
}

pub(crate) fn instance<L: Lts>(
    mut formulas: Formulas,
    codes: Vec<Code>,
    lts: L,
    tau: &[&str],
) -> Result<Instance<OnLts<L>>, SyntaxError> {
    // The names in the model are the values of sort `Var`, in the order of the labels.
    let mut variables = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for label in lts.all_labels() {
        for text in split(label).1 {
            if let Value::Symbol(symbol) = formulas.signature.read(text)
                && seen.insert(symbol)
            {
                variables.push(symbol);
            }
        }
    }
    formulas.variables = variables.clone();
    let model = OnLts {
        lts,
        cache: vec![Vec::new(); codes.len()],
        open: FxHashMap::default(),
        codes,
        sorts: formulas.slots.iter().map(|slot| slot.sort).collect(),
        names: formulas.slots.iter().map(|slot| slot.name.clone()).collect(),
        variables: variables.into_iter().map(Value::Symbol).collect(),
        tau: tau.iter().map(|&name| name.to_owned()).collect(),
        labels: Vec::new(),
        all_values: None,
        successors: Vec::new(),
        last: Vec::new(),
    };
    Instance::new(formulas, model).ok_or_else(|| {
        let what = "data variables are nested too deeply".to_owned();
        SyntaxError::new(SyntaxErrorKind::Other(what), Span::new(0, 0))
    })
}

impl<L: Lts> OnLts<L> {
    /// Takes a label apart when it is first met.
    fn learn(&mut self, label: u32, data: &mut Data) {
        if self.labels.len() <= label as usize {
            self.labels.resize_with(label as usize + 1, || None);
        }
        if self.labels[label as usize].is_none() {
            let text = self.lts.label(label).to_owned();
            let read = |text: &str, data: &mut Data| {
                let (gate, values) = split(text);
                let values = values.iter().map(|value| data.read(value)).collect();
                (gate.to_owned(), values)
            };
            let several = parts(&text);
            let several = match several.len() {
                1 => Vec::new(),
                _ => several.iter().map(|part| read(part, data)).collect(),
            };
            let (gate, values) = read(&text, data);
            let internal = self.tau.contains(&text);
            let parsed = Parsed { gate, values, several, internal, text };
            self.labels[label as usize] = Some(parsed);
        }
    }

    fn fits(
        &mut self,
        action: u32,
        label: u32,
        slots: &mut [Value],
        data: &mut Data,
    ) -> Result<bool, ParamError> {
        self.learn(label, data);
        let code = &self.codes[action as usize];
        let closed = code.is_closed();
        if closed && let Some(known @ 1..) = self.cache[action as usize].get(label as usize) {
            return Ok(*known == 2);
        }
        let mut read = None;
        if !closed && code.binds.is_empty() && code.is_costly() {
            let values = code.reads.iter().map(|&slot| slots[slot as usize]).collect();
            let key = (action, label, values);
            if let Some(&known) = self.open.get(&key) {
                return Ok(known);
            }
            read = Some(key);
        }
        let Some(parsed) = &self.labels[label as usize] else { return Ok(false) };
        let sort = |slot: u32| self.sorts[slot as usize];
        let fits = code.matches(parsed, slots, &sort, data, &self.variables);
        let fits = fits.map_err(|why| match why {
            NoAnswer::Undefined => {
                let text = &parsed.text;
                let expression = format!("a test of the action formula, at the label {text}");
                ParamError::Undefined { expression }
            }
            NoAnswer::Unbounded(slot) => {
                let variable = self.names[slot as usize].clone();
                ParamError::Unbounded { variable, tried: 0 }
            }
        })?;
        if let Some(key) = read {
            if self.open.len() >= MOST_KNOWN {
                self.open.clear();
            }
            self.open.insert(key, fits);
        }
        if closed {
            let cache = &mut self.cache[action as usize];
            if cache.len() <= label as usize {
                cache.resize(label as usize + 1, 0);
            }
            cache[label as usize] = 1 + u8::from(fits);
        }
        Ok(fits)
    }
}

impl<L: Lts> Model for OnLts<L> {
    type State = L::State;

    fn initial(&self) -> L::State {
        self.lts.initial()
    }

    fn steps(
        &mut self,
        state: L::State,
        action: u32,
        slots: &mut [Value],
        data: &mut Data,
        states: &mut Vec<L::State>,
        bound: &mut Vec<Value>,
    ) -> Result<(), ParamError> {
        let mut successors = std::mem::take(&mut self.successors);
        successors.clear();
        self.last.clear();
        self.lts.successors(state, &mut successors).map_err(ParamError::Model)?;
        for &(label, to) in &successors {
            if self.fits(action, label, slots, data)? {
                states.push(to);
                self.last.push(label);
                let binds = &self.codes[action as usize].binds;
                bound.extend(binds.iter().map(|&slot| slots[slot as usize]));
            }
        }
        self.successors = successors;
        Ok(())
    }

    fn only_compares(&self, action: u32, slot: u32, data: &Data) -> bool {
        self.codes[action as usize].only_compares(slot, &data.signature)
    }

    fn label_values(&mut self, data: &mut Data) -> Option<Vec<Value>> {
        if !self.lts.knows_labels() {
            return None;
        }
        if self.all_values.is_none() {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut values = Vec::new();
            for label in self.lts.all_labels() {
                for part in parts(label) {
                    for text in split(part).1 {
                        let value = data.read(text);
                        if seen.insert(value) {
                            values.push(value);
                        }
                    }
                }
            }
            self.all_values = Some(values);
        }
        self.all_values.clone()
    }

    fn some_step(
        &mut self,
        state: L::State,
        action: u32,
        about: (u32, &[u32]),
        slots: &mut [Value],
        data: &mut Data,
    ) -> Result<Outside, ParamError> {
        let mut successors = std::mem::take(&mut self.successors);
        successors.clear();
        self.lts.successors(state, &mut successors).map_err(ParamError::Model)?;
        let mut labels: Vec<u32> = successors.iter().map(|(label, _)| *label).collect();
        self.successors = successors;
        labels.sort_unstable();
        labels.dedup();
        // Joined in pairs of one size: one after the other would be quadratic.
        let mut joined: Vec<(u32, Outside)> = Vec::new();
        for label in labels {
            self.learn(label, data);
            let Some(parsed) = &self.labels[label as usize] else { continue };
            let sort = |slot: u32| self.sorts[slot as usize];
            let code = &self.codes[action as usize];
            let mut last = (0, code.whole_outside(parsed, about, slots, &sort, data));
            while let Some((_, before)) = joined.pop_if(|(size, _)| *size == last.0) {
                last = (last.0 + 1, before.or(&last.1));
            }
            if last.1.is_unknown() {
                return Ok(last.1);
            }
            joined.push(last);
        }
        let none = Outside::constant(false);
        Ok(joined.iter().rev().fold(none, |out, (_, one)| out.or(one)))
    }

    fn labels(&self) -> &[u32] {
        &self.last
    }

    fn name(&self, state: L::State) -> String {
        self.lts.name(state)
    }

    fn bytes(&self) -> u64 {
        self.lts.bytes()
    }
}

/// A variable with the operands that an explanation keeps of its equation.
type Kept<State> = (Vertex<State>, Vec<Vertex<State>>);

/// The part of a transition system that an explanation speaks of, and the original of each state.
///
/// The first state is that of the explanation. Steps that a modality with a constant body is
/// decided by count, one for each.
pub fn explained_part<L: Lts>(
    instance: &mut Instance<OnLts<L>>,
    explanation: &Explanation<Vertex<L::State>>,
) -> Result<(ExplicitLts, Vec<L::State>), ParamError> {
    let mut ids: FxHashMap<L::State, u32> = FxHashMap::default();
    let mut states: Vec<L::State> = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut transitions: Vec<(u32, u32, u32)> = Vec::new();
    let mut id = |state: L::State, states: &mut Vec<L::State>| {
        let next = states.len() as u32;
        *ids.entry(state).or_insert_with(|| {
            states.push(state);
            next
        })
    };
    // Variables with the operands that the explanation keeps; then what was evaluated at once and
    // decides one of them, which has none.
    let mut work: Vec<Kept<L::State>> = explanation
        .variables
        .iter()
        .map(|v| {
            let kept = v.operands.iter().map(|&y| explanation.variables[y as usize].key);
            (v.key, kept.collect())
        })
        .collect();
    let mut seen: FxHashSet<Vertex<L::State>> = work.iter().map(|(key, _)| *key).collect();
    let mut next = 0;
    while next < work.len() {
        let (key, kept) = work[next].clone();
        next += 1;
        id(key.state, &mut states);
        let steps = instance.steps_of(&key)?;
        let decides = decisive(instance, &key, explanation.value);
        let mut decided = false;
        for step in steps {
            let wanted = match step.operand {
                Some(operand) if kept.is_empty() => {
                    // Nothing is kept: the body was known at once in the state after some step.
                    let wanted = decides
                        && !decided
                        && constant(instance, &operand)? == Some(explanation.value);
                    if wanted && seen.insert(operand) {
                        work.push((operand, Vec::new()));
                    }
                    wanted
                }
                Some(operand) => kept.contains(&operand),
                // One is enough, and matters only where no operand does.
                None => kept.is_empty() && !decided,
            };
            if !wanted {
                continue;
            }
            decided |= kept.is_empty();
            let label = *numbers.entry(step.label).or_insert_with(|| {
                labels.push(instance.model().lts.label(step.label).to_owned());
                labels.len() as u32 - 1
            });
            let from = id(step.from, &mut states);
            let to = id(step.to, &mut states);
            transitions.push((from, label, to));
        }
    }
    transitions.sort_unstable();
    transitions.dedup();
    let count = states.len().max(1) as u32;
    Ok((ExplicitLts::new(0, count, labels, &transitions), states))
}

/// Whether one step is enough for the value: a possibility that is true, or a necessity that is
/// false.
fn decisive<L: Lts>(instance: &Instance<OnLts<L>>, vertex: &Vertex<L::State>, value: bool) -> bool {
    match &instance.formulas().nodes[vertex.node as usize] {
        Node::Many(op, _) | Node::Quantifier { op, .. } | Node::Modality { op, .. } => {
            (*op == Op::Or) == value
        }
        _ => false,
    }
}

/// The value of a variable whose equation needs no other.
fn constant<L: Lts>(
    instance: &mut Instance<OnLts<L>>,
    vertex: &Vertex<L::State>,
) -> Result<Option<bool>, ParamError> {
    let mut operands = Vec::new();
    let op = instance.equation(vertex, &mut operands)?;
    Ok(operands.is_empty().then(|| op.neutral()))
}

/// The answer for every state of a system in memory, by one solver that remembers ([pbes §4.2]).
pub fn everywhere(
    formula: &Formula,
    lts: &mut ExplicitLts,
    tau: &[&str],
    watch: &mut bes::Watch<'_>,
) -> Result<Result<Vec<bool>, bes::SolveError<ParamError>>, SyntaxError> {
    let states = lts.states();
    let mut solver = bes::Solver::new(question(formula, lts, tau)?);
    let mut out = Vec::with_capacity(states as usize);
    for state in 0..states {
        let system = solver.system();
        let initial = system.formulas().initial;
        let key = match system.variable(initial, &[], state) {
            Ok(key) => key,
            Err(error) => return Ok(Err(bes::SolveError::System(error))),
        };
        match solver.solve_for(&key, bes::Method::Auto, watch) {
            Ok(value) => out.push(value),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(out))
}

/// For every state, the names for which a formula holds there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// The names in the model.
    pub names: Vec<String>,
    /// For each state, which of them, ascending.
    pub states: Vec<Vec<u32>>,
    /// What it has cost.
    pub stats: bes::Stats,
}

/// Why there is no annotation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotateError {
    /// The formula is wrong.
    #[error("{0}")]
    Syntax(SyntaxError),
    /// The formula is no fixpoint with one parameter of sort `Var`.
    #[error("the formula is no fixpoint with one parameter of sort `Var`")]
    NoParameter,
    /// It cannot be solved.
    #[error("{0}")]
    Solve(bes::SolveError<ParamError>),
}

/// Evaluates a fixpoint with a parameter of sort `Var` for every name, in every state: one system,
/// whose values persist from one question to the next ([pbes Fig. 5]).
pub fn annotate(
    formula: &Formula,
    lts: &mut ExplicitLts,
    tau: &[&str],
    watch: &mut bes::Watch<'_>,
) -> Result<Annotation, AnnotateError> {
    let crate::mu::State::Fixpoint(binder, _) = formula.states[formula.root as usize] else {
        return Err(AnnotateError::NoParameter);
    };
    let parameters = &formula.binders[binder as usize].parameters;
    let [(slot, _)] = parameters[..] else { return Err(AnnotateError::NoParameter) };
    if formula.slots[slot as usize].sort != Sort::Var {
        return Err(AnnotateError::NoParameter);
    }
    let states = lts.states();
    let system = question(formula, lts, tau).map_err(AnnotateError::Syntax)?;
    let variables = system.formulas().variables.clone();
    let signature = &system.formulas().signature;
    let names = variables.iter().map(|&v| signature.symbol_name(v).to_owned()).collect();
    // The outermost fixpoint is the first predicate after `main`.
    let predicate = 1;
    let mut solver = bes::Solver::new(system);
    let mut table = Vec::with_capacity(states as usize);
    for state in 0..states {
        let mut here = Vec::new();
        for (i, &variable) in variables.iter().enumerate() {
            let key = solver.system().variable(predicate, &[Value::Symbol(variable)], state);
            let key = key.map_err(|e| AnnotateError::Solve(bes::SolveError::System(e)))?;
            let method = bes::Method::Auto;
            if solver.solve_for(&key, method, watch).map_err(AnnotateError::Solve)? {
                here.push(i as u32);
            }
        }
        table.push(here);
    }
    Ok(Annotation { names, states: table, stats: solver.stats() })
}

/// Whether an explanation is one, by the checker that uses nothing of the solvers.
pub fn check_explanation<L: Lts>(
    instance: &mut Instance<OnLts<L>>,
    explanation: &Explanation<Vertex<L::State>>,
) -> Result<Result<(), bes::Refutation>, ParamError> {
    let main = System::initial(instance)?;
    bes::check(instance, &main, explanation)
}
