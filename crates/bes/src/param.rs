//! Parameterised systems: predicates over data, instantiated on demand, on a model or without one.
//!
//! A formula is a graph of nodes in positive form. A variable of the boolean system is a node with a
//! state of the model and the values of the data variables that the node depends on, and of no
//! others. Nodes of the same operator are merged into one equation, tests are evaluated on the
//! way, and a modality whose body is a constant is evaluated at once: `[true*]<true>true` has one
//! variable for each state.
//!
//! Every binder has a slot of its own, so predicates see the data variables around them without
//! passing them on.

use std::fmt;
use std::fmt::Write;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::data::{Abstract, Expr, Known, Signature, Sort, Value};
use crate::expr::SlotInfo;
use crate::zielonka::Rows;
use crate::{Op, Place, Shape, Sign, System};

/// A node of a formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A constant.
    Constant(bool),
    /// A boolean expression.
    Test(Expr),
    /// A conjunction or a disjunction.
    Many(Op, Vec<u32>),
    /// A predicate with its arguments.
    Call(u32, Vec<Expr>),
    /// For all values of a slot, or for one.
    Quantifier {
        /// All (∧) or one (∨).
        op: Op,
        /// The data variable.
        slot: u32,
        /// The values; of its sort, if nothing else is said.
        range: Option<(Expr, Expr)>,
        /// What is asked of them.
        body: u32,
    },
    /// After all steps that an action formula admits, or after one.
    Modality {
        /// All (∧) or one (∨).
        op: Op,
        /// The action formula, by the model's number.
        action: u32,
        /// The slots that it reads.
        reads: Vec<u32>,
        /// The slots that it binds.
        binds: Vec<u32>,
        /// What is asked of the states after.
        body: u32,
    },
}

/// A predicate.
#[derive(Clone, PartialEq, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// Least or greatest.
    pub sign: Sign,
    /// Its parameters.
    pub parameters: Vec<u32>,
    /// Its right-hand side.
    pub body: u32,
}

/// A parameterised system: predicates, most significant first.
///
/// Nodes may be shared between right-hand sides as long as they stand for the same formula there;
/// `owner` is the innermost predicate whose definition they belong to. A predicate's body belongs
/// to the predicate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Formulas {
    /// Names of values and sorts.
    pub signature: Signature,
    /// Data variables.
    pub slots: Vec<SlotInfo>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// The predicate that each node belongs to.
    pub owners: Vec<u32>,
    /// Predicates.
    pub predicates: Vec<Predicate>,
    /// The predicate asked for.
    pub initial: u32,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// Values of slots that no binder of a formula binds.
    pub globals: Vec<(u32, Value)>,
    /// The values of sort `Var`.
    pub variables: Vec<u32>,
}

impl Formulas {
    /// Adds a node.
    pub fn add(&mut self, owner: u32, node: Node) -> u32 {
        self.nodes.push(node);
        self.owners.push(owner);
        self.nodes.len() as u32 - 1
    }
}

/// What modalities are evaluated on.
pub trait Model {
    /// A state.
    type State: Copy + Eq + Hash;

    /// The first state.
    fn initial(&self) -> Self::State;

    /// The steps from a state that an action formula admits: states go to `states`, and the values
    /// of the slots that it binds to `bound`, in order, for each of them. `slots` may be written.
    fn steps(
        &mut self,
        state: Self::State,
        action: u32,
        slots: &mut [Value],
        states: &mut Vec<Self::State>,
        bound: &mut Vec<Value>,
    ) -> Result<(), ParamError>;

    /// The labels of the steps that the last call of [`Model::steps`] gave, where steps have some.
    fn labels(&self) -> &[u32] {
        &[]
    }

    /// A state's name, empty if there is but one.
    fn name(&self, state: Self::State) -> String;

    /// Bytes that it holds, as far as they grow.
    fn bytes(&self) -> u64 {
        0
    }
}

/// No model: systems without modalities.
#[derive(Clone, Copy, Debug)]
pub struct NoModel;

impl Model for NoModel {
    type State = ();

    fn initial(&self) {}

    fn steps(
        &mut self,
        (): (),
        _: u32,
        _: &mut [Value],
        _: &mut Vec<()>,
        _: &mut Vec<Value>,
    ) -> Result<(), ParamError> {
        Ok(())
    }

    fn name(&self, (): ()) -> String {
        String::new()
    }
}

/// Why an equation cannot be given.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParamError {
    /// An expression has no value: division by zero, or a number beyond 64 bits.
    Undefined {
        /// The expression.
        expression: String,
    },
    /// A number outside of its sort.
    Outside {
        /// The number.
        value: i64,
        /// The sort.
        sort: String,
        /// The parameter.
        parameter: String,
    },
    /// A quantifier over infinitely many values that nothing bounds.
    Unbounded {
        /// The data variable.
        variable: String,
        /// How many values were tried.
        tried: u64,
    },
    /// The model could not give the steps of a state.
    Model(String),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Undefined { expression } => write!(f, "`{expression}` has no value"),
            ParamError::Outside { value, sort, parameter } => {
                write!(f, "{value} is no value of sort {sort} for `{parameter}`")
            }
            ParamError::Unbounded { variable, tried } => {
                write!(f, "nothing bounds the quantifier over `{variable}` ({tried} values tried)")
            }
            ParamError::Model(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ParamError {}

/// A variable of the boolean system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vertex<State> {
    /// The state.
    pub state: State,
    /// The node.
    pub node: u32,
    /// The values of the slots that the node depends on.
    env: u32,
}

/// Values that were met before have a number.
#[derive(Default)]
struct Environments {
    ids: FxHashMap<Box<[Value]>, u32>,
    all: Vec<Box<[Value]>>,
    bytes: u64,
}

impl Environments {
    fn intern(&mut self, values: &[Value]) -> u32 {
        if let Some(&id) = self.ids.get(values) {
            return id;
        }
        let id = self.all.len() as u32;
        self.ids.insert(values.into(), id);
        self.all.push(values.into());
        self.bytes += 2 * size_of_val(values) as u64 + 64;
        id
    }
}

/// A parameterised system on a model, as a boolean one.
pub struct Instance<M: Model> {
    formulas: Formulas,
    model: M,
    /// The slots that each node depends on, ascending.
    free: Vec<Box<[u32]>>,
    groups: Vec<u32>,
    shapes: Vec<Shape>,
    environments: Environments,
    slots: Vec<Value>,
    work: Vec<Work<M::State>>,
    states: Vec<M::State>,
    bound: Vec<Value>,
    values: Vec<Value>,
    /// How many values of an infinite sort are tried before a quantifier counts as unbounded.
    pub most_values: u64,
}

enum Work<State> {
    /// A node below the one whose equation is made; merged into it, if that may be.
    Node(Vertex<State>, bool),
    /// The next numbers of a quantifier over an infinite sort, from this absolute value on.
    Numbers(Vertex<State>, i64),
}

const NO_SLOTS: u32 = 0;

impl<M: Model> Instance<M> {
    /// Prepares a system for exploration. `None` if data variables are nested beyond reason.
    pub fn new(formulas: Formulas, model: M) -> Option<Instance<M>> {
        debug_assert!(formulas.predicates.iter().enumerate().all(|(number, predicate)| {
            formulas.owners[predicate.body as usize] == number as u32
        }));
        let free = free_slots(&formulas)?;
        let (groups, shapes) = groups(&formulas);
        let mut environments = Environments::default();
        environments.intern(&[]);
        let mut slots = vec![Value::Bool(false); formulas.slots.len()];
        for &(slot, value) in &formulas.globals {
            slots[slot as usize] = value;
        }
        Some(Instance {
            formulas,
            model,
            free,
            groups,
            shapes,
            environments,
            slots,
            work: Vec::new(),
            states: Vec::new(),
            bound: Vec::new(),
            values: Vec::new(),
            most_values: 1 << 20,
        })
    }

    /// The formulas.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// The model.
    pub fn model(&mut self) -> &mut M {
        &mut self.model
    }

    /// The variable of a predicate with arguments, in a state.
    pub fn variable(
        &mut self,
        predicate: u32,
        arguments: &[Value],
        state: M::State,
    ) -> Result<Vertex<M::State>, ParamError> {
        let values = arguments.to_vec();
        self.enter(predicate, values, state)
    }

    /// The values that a variable has, in the order of the slots that its node depends on.
    pub fn values_of(&self, vertex: &Vertex<M::State>) -> &[Value] {
        &self.environments.all[vertex.env as usize]
    }

    /// The variable of a node with a state and such values; `None` if there is no such node, or it
    /// has another number of values.
    pub fn variable_of(
        &mut self,
        node: u32,
        state: M::State,
        values: &[Value],
    ) -> Option<Vertex<M::State>> {
        let fits = self.free.get(node as usize)?.len() == values.len();
        fits.then(|| Vertex { state, node, env: self.environments.intern(values) })
    }

    /// The state of a variable.
    pub fn state_of(&self, vertex: &Vertex<M::State>) -> M::State {
        vertex.state
    }

    /// Reads a node's environment into the slots.
    fn load(&mut self, vertex: &Vertex<M::State>) {
        let values = &self.environments.all[vertex.env as usize];
        for (&slot, &value) in self.free[vertex.node as usize].iter().zip(values) {
            self.slots[slot as usize] = value;
        }
    }

    /// The variable of a node under the current slots.
    fn vertex(&mut self, node: u32, state: M::State) -> Vertex<M::State> {
        let free = &self.free[node as usize];
        if free.is_empty() {
            return Vertex { state, node, env: NO_SLOTS };
        }
        self.values.clear();
        self.values.extend(free.iter().map(|&slot| self.slots[slot as usize]));
        let env = self.environments.intern(&self.values);
        Vertex { state, node, env }
    }

    fn eval(&self, expr: &Expr) -> Result<Value, ParamError> {
        expr.eval(&self.slots).ok_or_else(|| ParamError::Undefined {
            expression: expr.show(&self.formulas.signature, &|slot| {
                self.formulas.slots[slot as usize].name.clone()
            }),
        })
    }

    fn test(&self, expr: &Expr) -> Result<bool, ParamError> {
        Ok(self.eval(expr)? == Value::Bool(true))
    }

    /// A predicate's body under arguments; other slots stay as they are.
    fn enter(
        &mut self,
        predicate: u32,
        arguments: Vec<Value>,
        state: M::State,
    ) -> Result<Vertex<M::State>, ParamError> {
        let Predicate { parameters, body, .. } = &self.formulas.predicates[predicate as usize];
        let body = *body;
        let mut before = Vec::with_capacity(parameters.len());
        for (&slot, value) in parameters.iter().zip(arguments) {
            let sort = self.formulas.slots[slot as usize].sort;
            if let (Value::Int(n), Some(least)) = (value, sort.least())
                && n < least
            {
                return Err(ParamError::Outside {
                    value: n,
                    sort: self.formulas.signature.sort_name(sort).to_owned(),
                    parameter: self.formulas.slots[slot as usize].name.clone(),
                });
            }
            before.push((slot, std::mem::replace(&mut self.slots[slot as usize], value)));
        }
        let vertex = self.vertex(body, state);
        for (slot, value) in before.into_iter().rev() {
            self.slots[slot as usize] = value;
        }
        Ok(vertex)
    }

    /// The values of a finite quantifier, or `None`.
    fn domain(
        &self,
        slot: u32,
        range: &Option<(Expr, Expr)>,
    ) -> Result<Option<Vec<Value>>, ParamError> {
        let sort = self.formulas.slots[slot as usize].sort;
        if let Some((low, high)) = range {
            let (Value::Int(low), Value::Int(high)) = (self.eval(low)?, self.eval(high)?) else {
                return Ok(Some(Vec::new()));
            };
            let low = low.max(sort.least().unwrap_or(low));
            if i128::from(high) - i128::from(low) >= i128::from(self.most_values) {
                let variable = self.formulas.slots[slot as usize].name.clone();
                return Err(ParamError::Unbounded { variable, tried: 0 });
            }
            return Ok(Some((low..=high).map(Value::Int).collect()));
        }
        Ok(match sort {
            Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::Enum(e) => {
                let elements = &self.formulas.signature.enumerations[e as usize].elements;
                Some(elements.iter().map(|&s| Value::Symbol(s)).collect())
            }
            Sort::Var => Some(self.formulas.variables.iter().map(|&s| Value::Symbol(s)).collect()),
            Sort::Nat | Sort::Pos | Sort::Int => None,
        })
    }

    /// Puts the operands of a node on the pile, last ones first. `merge`: whether they may become
    /// part of the same equation.
    fn expand(&mut self, vertex: Vertex<M::State>) -> Result<(), ParamError> {
        self.load(&vertex);
        let state = vertex.state;
        // Children are copied out: `vertex` needs the whole of `self`.
        match &self.formulas.nodes[vertex.node as usize] {
            Node::Many(_, children) => {
                for i in (0..children.len()).rev() {
                    let Node::Many(_, children) = &self.formulas.nodes[vertex.node as usize] else {
                        break;
                    };
                    let child = children[i];
                    let child = self.vertex(child, state);
                    self.work.push(Work::Node(child, true));
                }
            }
            Node::Quantifier { slot, range, body, .. } => {
                let (slot, body) = (*slot, *body);
                if self.free[body as usize].binary_search(&slot).is_err() && range.is_none() {
                    // It does not matter which value, and every sort but `Var` has one.
                    let sort = self.formulas.slots[slot as usize].sort;
                    if sort != Sort::Var || !self.formulas.variables.is_empty() {
                        let child = self.vertex(body, state);
                        self.work.push(Work::Node(child, true));
                    }
                    return Ok(());
                }
                match self.domain(slot, range)? {
                    Some(values) => {
                        for &value in values.iter().rev() {
                            self.slots[slot as usize] = value;
                            let child = self.vertex(body, state);
                            self.work.push(Work::Node(child, true));
                        }
                    }
                    None => self.work.push(Work::Numbers(vertex, 0)),
                }
            }
            Node::Modality { action, binds, body, .. } => {
                let (action, body) = (*action, *body);
                let binds = binds.clone();
                let (mut states, mut bound) =
                    (std::mem::take(&mut self.states), std::mem::take(&mut self.bound));
                states.clear();
                bound.clear();
                self.model.steps(state, action, &mut self.slots, &mut states, &mut bound)?;
                for (i, &next) in states.iter().enumerate().rev() {
                    let values = &bound[i * binds.len()..(i + 1) * binds.len()];
                    for (&slot, &value) in binds.iter().zip(values) {
                        self.slots[slot as usize] = value;
                    }
                    let child = self.vertex(body, next);
                    self.work.push(Work::Node(child, false));
                }
                (self.states, self.bound) = (states, bound);
            }
            Node::Constant(_) | Node::Test(_) | Node::Call(..) => {
                self.work.push(Work::Node(vertex, true));
            }
        }
        Ok(())
    }

    /// The next number of a quantifier, or what all further ones amount to.
    ///
    /// With all numbers from a bound on taken at once, the body is evaluated abstractly: if it is a
    /// constant, or does not depend on the number any more, one term stands for all of them.
    fn numbers(&mut self, vertex: Vertex<M::State>, from: i64, op: Op) -> Result<(), ParamError> {
        let Node::Quantifier { slot, body, .. } = self.formulas.nodes[vertex.node as usize] else {
            return Ok(());
        };
        self.load(&vertex);
        let sort = self.formulas.slots[slot as usize].sort;
        let first = sort.least().unwrap_or(0);
        let at = from.max(first);
        if (at - first) as u64 >= self.most_values {
            let variable = self.formulas.slots[slot as usize].name.clone();
            return Err(ParamError::Unbounded { variable, tried: self.most_values });
        }
        // Later bounds are tried less often: the body may be large.
        if at <= 64 || at % (at / 16) == 0 {
            let mut tails = vec![(Some(at), None, at)];
            if sort == Sort::Int {
                tails.push((None, Some(-at), -at));
            }
            let known: Vec<Tail> = tails
                .iter()
                .map(|&(low, high, _)| self.tail(body, slot, Known::Range(low, high)))
                .collect();
            if known.iter().all(|tail| *tail != Tail::Depends) {
                for (tail, &(_, _, number)) in known.iter().zip(&tails) {
                    match tail {
                        Tail::Is(value) if *value == op.neutral() => {}
                        _ => {
                            self.slots[slot as usize] = Value::Int(number);
                            let child = self.vertex(body, vertex.state);
                            self.work.push(Work::Node(child, true));
                        }
                    }
                }
                return Ok(());
            }
        }
        self.work.push(Work::Numbers(vertex, at + 1));
        if sort == Sort::Int && at > 0 {
            self.slots[slot as usize] = Value::Int(-at);
            let child = self.vertex(body, vertex.state);
            self.work.push(Work::Node(child, true));
        }
        self.slots[slot as usize] = Value::Int(at);
        let child = self.vertex(body, vertex.state);
        self.work.push(Work::Node(child, true));
        Ok(())
    }

    /// What a node amounts to when a slot ranges over many numbers at once.
    fn tail(&self, root: u32, slot: u32, range: Known) -> Tail {
        let mut known: FxHashMap<u32, Tail> = FxHashMap::default();
        // Inner quantifiers' slots may have any value of their sorts.
        let mut inner: Vec<u32> = Vec::new();
        let mut order = vec![root];
        let mut at = 0;
        let mut seen: rustc_hash::FxHashSet<u32> = [root].into_iter().collect();
        while at < order.len() {
            let children: &[u32] = match &self.formulas.nodes[order[at] as usize] {
                Node::Many(_, children) => children,
                Node::Quantifier { body, slot, .. } => {
                    inner.push(*slot);
                    std::slice::from_ref(body)
                }
                _ => &[],
            };
            at += 1;
            order.extend(children.iter().copied().filter(|&child| seen.insert(child)));
        }
        inner.sort_unstable();
        let value = |s: u32| {
            if s == slot {
                Abstract { known: range, varies: true }
            } else if inner.binary_search(&s).is_ok() {
                let sort = self.formulas.slots[s as usize].sort;
                let known = match sort.is_number() {
                    true => Known::Range(sort.least(), None),
                    false => Known::Nothing,
                };
                Abstract { known, varies: false }
            } else {
                Abstract::of(self.slots[s as usize])
            }
        };
        let depends = |node: u32| self.free[node as usize].binary_search(&slot).is_ok();
        // Children may come before parents in `order` through sharing: visit until all are known.
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if known.contains_key(&node) {
                stack.pop();
                continue;
            }
            let result = match &self.formulas.nodes[node as usize] {
                Node::Constant(value) => Tail::Is(*value),
                Node::Test(expr) => {
                    let value = expr.eval_abstract(&value);
                    match value.as_bool() {
                        Some(b) => Tail::Is(b),
                        None if value.varies => Tail::Depends,
                        None => Tail::Same,
                    }
                }
                Node::Call(p, arguments) => {
                    // Slots that the predicate sees without being passed count, too.
                    let passed = arguments.iter().any(|e| {
                        let value = e.eval_abstract(&value);
                        value.varies && !matches!(value.known, Known::Value(_))
                    });
                    let Predicate { parameters, body, .. } = &self.formulas.predicates[*p as usize];
                    let seen = depends(*body) && !parameters.contains(&slot);
                    if passed || seen { Tail::Depends } else { Tail::Same }
                }
                Node::Modality { .. } if depends(node) => Tail::Depends,
                Node::Modality { .. } => Tail::Same,
                Node::Quantifier { body, range, .. } => match known.get(body) {
                    None => {
                        stack.push(*body);
                        continue;
                    }
                    // A range may be empty, and may depend on the slot.
                    Some(_) if range.is_some() => {
                        if depends(node) {
                            Tail::Depends
                        } else {
                            Tail::Same
                        }
                    }
                    Some(Tail::Is(_))
                        if self.formulas.variables.is_empty()
                            && inner
                                .iter()
                                .any(|&s| self.formulas.slots[s as usize].sort == Sort::Var) =>
                    {
                        Tail::Depends
                    }
                    Some(tail) => *tail,
                },
                Node::Many(op, children) => {
                    let open = |child: &&u32| !known.contains_key(*child);
                    if let Some(&child) = children.iter().find(open) {
                        stack.push(child);
                        continue;
                    }
                    let mut result = Tail::Is(op.neutral());
                    for child in children {
                        result = match (result, known[child]) {
                            (_, Tail::Is(b)) if b != op.neutral() => {
                                result = Tail::Is(b);
                                break;
                            }
                            (result, Tail::Is(_)) => result,
                            (Tail::Depends, _) | (_, Tail::Depends) => Tail::Depends,
                            _ => Tail::Same,
                        };
                    }
                    result
                }
            };
            known.insert(node, result);
            stack.pop();
        }
        known[&root]
    }
}

/// A step of the model that an equation speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepUse<State> {
    /// The label.
    pub label: u32,
    /// The state before.
    pub from: State,
    /// The state after.
    pub to: State,
    /// The operand that stands for the state after; `None` where that is a constant.
    pub operand: Option<Vertex<State>>,
}

impl<M: Model> Instance<M> {
    /// The steps that the equation of a variable speaks of, those of modalities that are evaluated
    /// at once included.
    pub fn steps_of(
        &mut self,
        vertex: &Vertex<M::State>,
    ) -> Result<Vec<StepUse<M::State>>, ParamError> {
        let op = match &self.formulas.nodes[vertex.node as usize] {
            Node::Many(op, _) | Node::Quantifier { op, .. } | Node::Modality { op, .. } => *op,
            _ => return Ok(Vec::new()),
        };
        let mut uses = Vec::new();
        self.work.clear();
        self.work.push(Work::Node(*vertex, true));
        while let Some(work) = self.work.pop() {
            let vertex = match work {
                Work::Node(vertex, _) => vertex,
                Work::Numbers(vertex, from) => {
                    self.numbers(vertex, from, op)?;
                    continue;
                }
            };
            match &self.formulas.nodes[vertex.node as usize] {
                Node::Many(other, _) | Node::Quantifier { op: other, .. } if *other == op => {
                    self.expand(vertex)?;
                }
                Node::Modality { op: other, action, binds, body, .. } => {
                    let (other, action, body, binds) = (*other, *action, *body, binds.clone());
                    let constant = matches!(self.formulas.nodes[body as usize], Node::Constant(_));
                    if other != op && !constant {
                        continue;
                    }
                    self.load(&vertex);
                    let (mut states, mut bound) = (Vec::new(), Vec::new());
                    self.model.steps(
                        vertex.state,
                        action,
                        &mut self.slots,
                        &mut states,
                        &mut bound,
                    )?;
                    let labels = self.model.labels().to_vec();
                    for (i, &to) in states.iter().enumerate() {
                        let values = &bound[i * binds.len()..(i + 1) * binds.len()];
                        for (&slot, &value) in binds.iter().zip(values) {
                            self.slots[slot as usize] = value;
                        }
                        let operand = match &self.formulas.nodes[body as usize] {
                            Node::Constant(_) | Node::Test(_) => None,
                            Node::Call(predicate, arguments) => {
                                let predicate = *predicate;
                                let values: Result<Vec<Value>, ParamError> =
                                    arguments.iter().map(|e| self.eval(e)).collect();
                                Some(self.enter(predicate, values?, to)?)
                            }
                            _ => Some(self.vertex(body, to)),
                        };
                        let label = labels.get(i).copied().unwrap_or(0);
                        uses.push(StepUse { label, from: vertex.state, to, operand });
                    }
                }
                _ => {}
            }
        }
        Ok(uses)
    }
}

/// What a formula amounts to over a range of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tail {
    /// A constant.
    Is(bool),
    /// The same for all of them, and not known here.
    Same,
    /// It may depend on the number.
    Depends,
}

impl<M: Model> System for Instance<M> {
    type Key = Vertex<M::State>;
    type Error = ParamError;

    fn initial(&mut self) -> Result<Self::Key, ParamError> {
        let arguments: Result<Vec<Value>, ParamError> =
            self.formulas.arguments.iter().map(|e| self.eval(e)).collect();
        let state = self.model.initial();
        self.enter(self.formulas.initial, arguments?, state)
    }

    fn equation(
        &mut self,
        key: &Self::Key,
        operands: &mut Vec<Self::Key>,
    ) -> Result<Op, ParamError> {
        let op = match &self.formulas.nodes[key.node as usize] {
            Node::Many(op, _) | Node::Quantifier { op, .. } | Node::Modality { op, .. } => *op,
            Node::Constant(_) | Node::Test(_) | Node::Call(..) => Op::Or,
        };
        self.work.clear();
        self.expand(*key)?;
        while let Some(work) = self.work.pop() {
            let (vertex, merge) = match work {
                Work::Node(vertex, merge) => (vertex, merge),
                Work::Numbers(vertex, from) => {
                    self.numbers(vertex, from, op)?;
                    continue;
                }
            };
            let value = match &self.formulas.nodes[vertex.node as usize] {
                Node::Constant(value) => Some(*value),
                Node::Test(_) => {
                    self.load(&vertex);
                    let Node::Test(expr) = &self.formulas.nodes[vertex.node as usize] else {
                        continue;
                    };
                    Some(self.test(expr)?)
                }
                Node::Call(predicate, arguments) => {
                    let predicate = *predicate;
                    let plain = arguments.is_empty();
                    self.load(&vertex);
                    let mut values = Vec::new();
                    if !plain
                        && let Node::Call(_, arguments) = &self.formulas.nodes[vertex.node as usize]
                    {
                        for argument in arguments {
                            values.push(self.eval(argument)?);
                        }
                    }
                    operands.push(self.enter(predicate, values, vertex.state)?);
                    None
                }
                Node::Many(other, _) | Node::Quantifier { op: other, .. }
                    if merge && *other == op =>
                {
                    self.expand(vertex)?;
                    None
                }
                Node::Modality { op: other, .. } if merge && *other == op => {
                    self.expand(vertex)?;
                    None
                }
                Node::Modality { op: other, action, body, .. } => {
                    let (other, action) = (*other, *action);
                    match self.formulas.nodes[*body as usize] {
                        Node::Constant(value) if value == other.neutral() => Some(value),
                        Node::Constant(value) => {
                            // Decided by whether there is a step at all.
                            self.load(&vertex);
                            self.states.clear();
                            self.bound.clear();
                            self.model.steps(
                                vertex.state,
                                action,
                                &mut self.slots,
                                &mut self.states,
                                &mut self.bound,
                            )?;
                            Some(if self.states.is_empty() { other.neutral() } else { value })
                        }
                        _ => {
                            operands.push(vertex);
                            None
                        }
                    }
                }
                Node::Many(..) | Node::Quantifier { .. } => {
                    operands.push(vertex);
                    None
                }
            };
            if let Some(value) = value
                && value != op.neutral()
            {
                operands.clear();
                return Ok(op.dual());
            }
        }
        Ok(op)
    }

    fn place(&self, key: &Self::Key) -> Place {
        let rank = self.formulas.owners[key.node as usize];
        Place {
            rank,
            sign: self.formulas.predicates[rank as usize].sign,
            group: self.groups[key.node as usize],
        }
    }

    fn shape(&self, group: u32) -> Shape {
        self.shapes[group as usize]
    }

    fn name(&self, key: &Self::Key) -> String {
        let owner = &self.formulas.predicates[self.formulas.owners[key.node as usize] as usize];
        let mut name = owner.name.clone();
        if owner.body != key.node {
            _ = write!(name, "#{}", key.node);
        }
        let values = &self.environments.all[key.env as usize];
        if !values.is_empty() {
            let free = self.free[key.node as usize].iter();
            let shown: Vec<String> = free
                .zip(values)
                .map(|(&slot, &value)| {
                    let slot = &self.formulas.slots[slot as usize].name;
                    format!("{slot}={}", self.formulas.signature.show(value))
                })
                .collect();
            _ = write!(name, "({})", shown.join(","));
        }
        let state = self.model.name(key.state);
        if !state.is_empty() {
            _ = write!(name, "@{state}");
        }
        name
    }

    fn bytes(&self) -> u64 {
        self.environments.bytes + self.model.bytes()
    }
}

/// The slots that each node depends on, ascending: the least solution over calls. `None` if there
/// are too many to list.
pub fn free_slots(formulas: &Formulas) -> Option<Vec<Box<[u32]>>> {
    const MOST: usize = 50_000_000;
    let n = formulas.nodes.len();
    let mut is_global = vec![false; formulas.slots.len()];
    for &(slot, _) in &formulas.globals {
        is_global[slot as usize] = true;
    }
    let mut free: Vec<Box<[u32]>> = vec![Box::default(); n];
    // Who depends on a node's set.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, node) in formulas.nodes.iter().enumerate() {
        match node {
            Node::Many(_, children) => {
                children.iter().for_each(|&c| users[c as usize].push(i as u32));
            }
            Node::Quantifier { body, .. } | Node::Modality { body, .. } => {
                users[*body as usize].push(i as u32);
            }
            Node::Call(p, _) => {
                users[formulas.predicates[*p as usize].body as usize].push(i as u32);
            }
            Node::Constant(_) | Node::Test(_) => {}
        }
    }
    let mut queued = vec![true; n];
    let mut queue: std::collections::VecDeque<u32> = (0..n as u32).collect();
    let mut total = 0usize;
    let mut slots: Vec<u32> = Vec::new();
    while let Some(i) = queue.pop_front() {
        queued[i as usize] = false;
        slots.clear();
        match &formulas.nodes[i as usize] {
            Node::Constant(_) => {}
            Node::Test(expr) => slots.extend(expr.slots()),
            Node::Many(_, children) => {
                children.iter().for_each(|&c| slots.extend_from_slice(&free[c as usize]));
            }
            Node::Call(p, arguments) => {
                let Predicate { parameters, body, .. } = &formulas.predicates[*p as usize];
                slots.extend_from_slice(&free[*body as usize]);
                slots.retain(|slot| !parameters.contains(slot));
                arguments.iter().for_each(|e| slots.extend(e.slots()));
            }
            Node::Quantifier { slot, range, body, .. } => {
                slots.extend(free[*body as usize].iter().filter(|s| *s != slot));
                if let Some((low, high)) = range {
                    slots.extend(low.slots().chain(high.slots()));
                }
            }
            Node::Modality { reads, binds, body, .. } => {
                slots.extend(free[*body as usize].iter().filter(|s| !binds.contains(s)));
                slots.extend(reads.iter().filter(|s| !binds.contains(s)));
            }
        }
        slots.retain(|&slot| !is_global[slot as usize]);
        slots.sort_unstable();
        slots.dedup();
        if slots[..] != free[i as usize][..] {
            total += slots.len() - free[i as usize].len();
            if total > MOST {
                return None;
            }
            free[i as usize] = slots.as_slice().into();
            for &user in &users[i as usize] {
                if !std::mem::replace(&mut queued[user as usize], true) {
                    queue.push_back(user);
                }
            }
        }
    }
    Some(free)
}

/// Components of the graph of nodes, and their shapes.
fn groups(formulas: &Formulas) -> (Vec<u32>, Vec<Shape>) {
    let n = formulas.nodes.len();
    // What becomes a variable where a node is used.
    let target = |child: u32| match &formulas.nodes[child as usize] {
        Node::Call(p, _) => formulas.predicates[*p as usize].body,
        _ => child,
    };
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for (i, node) in formulas.nodes.iter().enumerate() {
        match node {
            Node::Many(_, children) => {
                edges.extend(children.iter().map(|&child| (i as u32, target(child))));
            }
            Node::Quantifier { body, .. } | Node::Modality { body, .. } => {
                edges.push((i as u32, target(*body)));
            }
            Node::Call(..) => edges.push((i as u32, target(i as u32))),
            Node::Constant(_) | Node::Test(_) => {}
        }
    }
    let groups = crate::scc::components(&Rows::from_edges(n, &edges));
    let count = groups.iter().max().map_or(0, |&g| g as usize + 1);
    let mut signs: Vec<Option<Sign>> = vec![None; count];
    let mut may = vec![(true, true); count];
    let mut cyclic = vec![false; count];
    for &(x, y) in &edges {
        if groups[x as usize] == groups[y as usize] {
            cyclic[groups[x as usize] as usize] = true;
        }
    }
    for (i, node) in formulas.nodes.iter().enumerate() {
        let group = groups[i];
        let sign = formulas.predicates[formulas.owners[i] as usize].sign;
        let flags = &mut may[group as usize];
        if *signs[group as usize].get_or_insert(sign) != sign {
            *flags = (false, false);
        }
        let inside = |child: &&u32| groups[target(**child) as usize] == group;
        let (op, fits) = match node {
            Node::Many(op, children) => (*op, children.iter().filter(inside).take(2).count() <= 1),
            Node::Quantifier { op, body, .. } | Node::Modality { op, body, .. } => {
                (*op, !inside(&body))
            }
            _ => continue,
        };
        if !fits {
            match op {
                Op::And => flags.0 = false,
                Op::Or => flags.1 = false,
            }
        }
    }
    let shapes = may.iter().zip(&cyclic).map(|(may, cyclic)| match may {
        _ if !cyclic => Shape::Acyclic,
        (true, _) => Shape::Disjunctive,
        (_, true) => Shape::Conjunctive,
        _ => Shape::General,
    });
    let shapes = shapes.collect();
    (groups, shapes)
}
