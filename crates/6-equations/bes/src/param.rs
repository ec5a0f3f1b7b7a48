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

use crate::data::{Expr, Signature, Value};
pub use crate::dependencies::free_slots;
use crate::dependencies::groups;
use crate::expr::SlotInfo;
use crate::inward::inward;
pub use crate::one_point::Outside;
use crate::quantifiers::Compared;
use crate::rewrite::Data;
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
        data: &mut Data,
        states: &mut Vec<Self::State>,
        bound: &mut Vec<Value>,
    ) -> Result<(), ParamError>;

    /// For which values of a slot there can be a step from a state that an action formula admits,
    /// whatever the values of the slots `unknown` are. `slots` may be written, the others than
    /// these keep their values.
    fn some_step(
        &mut self,
        _state: Self::State,
        _action: u32,
        (_slot, _unknown): (u32, &[u32]),
        _slots: &mut [Value],
        _data: &mut Data,
    ) -> Result<Outside, ParamError> {
        Ok(Outside::depends())
    }

    /// Whether an action formula compares a slot with values of labels, and does nothing else with it.
    fn only_compares(&self, _action: u32, _slot: u32, _data: &Data) -> bool {
        false
    }

    /// All values of labels, if all labels are known.
    fn label_values(&mut self, _data: &mut Data) -> Option<Vec<Value>> {
        None
    }

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
        _: &mut Data,
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
    /// An expression has no value: division by zero, a number beyond 64 bits, no equation matches.
    Undefined {
        /// The expression.
        expression: String,
    },
    /// The equations of a data specification were applied too many times for one value.
    Rewriting {
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
            ParamError::Rewriting { expression } => {
                write!(f, "`{expression}` takes too many steps to evaluate")
            }
            ParamError::Outside { value, sort, parameter } => {
                write!(f, "{value} is no value of sort {sort} for `{parameter}`")
            }
            ParamError::Unbounded { variable, tried: 0 } => {
                write!(f, "nothing bounds the quantifier over `{variable}`")
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

    /// With the empty one alone.
    fn clear(&mut self) {
        self.ids.clear();
        self.all.clear();
        self.bytes = 0;
        self.intern(&[]);
    }
}

/// A parameterised system on a model, as a boolean one.
pub struct Instance<M: Model> {
    pub(crate) formulas: Formulas,
    pub(crate) model: M,
    /// Structured values.
    pub(crate) data: Data,
    /// The slots that each node depends on, ascending.
    pub(crate) free: Vec<Box<[u32]>>,
    groups: Vec<u32>,
    shapes: Vec<Shape>,
    environments: Environments,
    pub(crate) slots: Vec<Value>,
    pub(crate) work: Vec<Work<M::State>>,
    states: Vec<M::State>,
    bound: Vec<Value>,
    values: Vec<Value>,
    /// Of bodies of quantifiers and their slots: with what these are compared, if they are used for nothing else (QV6).
    pub(crate) compared: FxHashMap<(u32, u32), Option<Compared>>,
    /// How many values the quantifiers of one equation have tried.
    pub(crate) tried: u64,
    /// How many values are tried for one equation before a quantifier counts as unbounded.
    pub most_values: u64,
    /// What tests and calls without a value are taken for; nothing, at first.
    supposed: Option<bool>,
}

pub(crate) enum Work<State> {
    /// A node below the one whose equation is made; merged into it, if that may be.
    Node(Vertex<State>, bool),
    /// The next numbers of a quantifier over an infinite sort, from this absolute value on.
    Numbers(Vertex<State>, i64),
    /// What a quantifier is decided by.
    Constant(bool),
}

const NO_SLOTS: u32 = 0;

impl<M: Model> Instance<M> {
    /// Prepares a system for exploration. `None` if data variables are nested beyond reason.
    pub fn new(mut formulas: Formulas, model: M) -> Option<Instance<M>> {
        debug_assert!(formulas.predicates.iter().enumerate().all(|(number, predicate)| {
            formulas.owners[predicate.body as usize] == number as u32
        }));
        let free = free_slots(&formulas)?;
        let free = inward(&mut formulas, free)?;
        let (groups, shapes) = groups(&formulas);
        let mut environments = Environments::default();
        environments.intern(&[]);
        let mut slots = vec![Value::Bool(false); formulas.slots.len()];
        for &(slot, value) in &formulas.globals {
            slots[slot as usize] = value;
        }
        let data = Data::new(formulas.signature.clone());
        Some(Instance {
            formulas,
            model,
            data,
            free,
            groups,
            shapes,
            environments,
            slots,
            work: Vec::new(),
            states: Vec::new(),
            bound: Vec::new(),
            values: Vec::new(),
            compared: FxHashMap::default(),
            tried: 0,
            most_values: 1 << 20,
            supposed: None,
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

    /// Structured values, and the names of all.
    pub fn data(&mut self) -> &mut Data {
        &mut self.data
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

    /// Forgets all variables that were given: none of them may be used any more. Workers, who know variables by their
    /// names, need no numbers for those of others.
    pub fn forget_variables(&mut self) {
        self.environments.clear();
    }

    /// Where the equations of a node's variables stand.
    pub fn place_of(&self, node: u32) -> Option<Place> {
        let &rank = self.formulas.owners.get(node as usize)?;
        let sign = self.formulas.predicates[rank as usize].sign;
        Some(Place { rank, sign, group: self.groups[node as usize] })
    }

    /// The state of a variable.
    pub fn state_of(&self, vertex: &Vertex<M::State>) -> M::State {
        vertex.state
    }

    /// Reads a node's environment into the slots.
    pub(crate) fn load(&mut self, vertex: &Vertex<M::State>) {
        let values = &self.environments.all[vertex.env as usize];
        for (&slot, &value) in self.free[vertex.node as usize].iter().zip(values) {
            self.slots[slot as usize] = value;
        }
    }

    /// The variable of a node under the current slots.
    pub(crate) fn vertex(&mut self, node: u32, state: M::State) -> Vertex<M::State> {
        let free = &self.free[node as usize];
        if free.is_empty() {
            return Vertex { state, node, env: NO_SLOTS };
        }
        self.values.clear();
        self.values.extend(free.iter().map(|&slot| self.slots[slot as usize]));
        let env = self.environments.intern(&self.values);
        Vertex { state, node, env }
    }

    fn eval(&mut self, expr: &Expr) -> Result<Value, ParamError> {
        let Some(value) = self.data.eval(expr, &self.slots) else {
            let expression = expr.show(&self.formulas.signature, &|slot| {
                self.formulas.slots[slot as usize].name.clone()
            });
            return Err(match self.data.exhausted {
                true => ParamError::Rewriting { expression },
                false => ParamError::Undefined { expression },
            });
        };
        Ok(value)
    }

    /// The value of a test under the current slots.
    fn test(&mut self, node: u32) -> Result<bool, ParamError> {
        let Node::Test(expr) = &mut self.formulas.nodes[node as usize] else { return Ok(false) };
        if let Some(value) = self.data.eval(expr, &self.slots) {
            return Ok(value == Value::Bool(true));
        }
        let expr = expr.clone();
        match (self.eval(&expr), self.supposed) {
            (Err(ParamError::Undefined { .. }), Some(value)) => Ok(value),
            (found, _) => Ok(found? == Value::Bool(true)),
        }
    }

    /// The arguments of a call under the current slots.
    fn arguments(&mut self, node: u32) -> Result<Vec<Value>, ParamError> {
        let Node::Call(_, arguments) = &self.formulas.nodes[node as usize] else {
            return Ok(Vec::new());
        };
        let mut values = Vec::with_capacity(arguments.len());
        for i in 0..arguments.len() {
            let Node::Call(_, arguments) = &self.formulas.nodes[node as usize] else { break };
            if let Some(value) = self.data.eval(&arguments[i], &self.slots) {
                values.push(value);
                continue;
            }
            let expr = arguments[i].clone();
            values.push(self.eval(&expr)?);
        }
        Ok(values)
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
                    sort: self.formulas.signature.sort_name(sort),
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

    /// The values of a quantifier with a range.
    fn within(&mut self, slot: u32, low: &Expr, high: &Expr) -> Result<Vec<Value>, ParamError> {
        let sort = self.formulas.slots[slot as usize].sort;
        let (Value::Int(low), Value::Int(high)) = (self.eval(low)?, self.eval(high)?) else {
            return Ok(Vec::new());
        };
        let low = low.max(sort.least().unwrap_or(low));
        if i128::from(high) - i128::from(low) >= i128::from(self.most_values) {
            let variable = self.formulas.slots[slot as usize].name.clone();
            return Err(ParamError::Unbounded { variable, tried: 0 });
        }
        Ok((low..=high).map(Value::Int).collect())
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
                    if sort != crate::data::Sort::Var || !self.formulas.variables.is_empty() {
                        let child = self.vertex(body, state);
                        self.work.push(Work::Node(child, true));
                    }
                    return Ok(());
                }
                match range.clone() {
                    Some((low, high)) => {
                        let values = self.within(slot, &low, &high)?;
                        self.each(vertex, slot, body, &values)?;
                    }
                    None => self.quantify(vertex)?,
                }
            }
            Node::Modality { action, binds, body, .. } => {
                let (action, body) = (*action, *body);
                let binds = binds.clone();
                let (mut states, mut bound) =
                    (std::mem::take(&mut self.states), std::mem::take(&mut self.bound));
                states.clear();
                bound.clear();
                self.model.steps(
                    state,
                    action,
                    &mut self.slots,
                    &mut self.data,
                    &mut states,
                    &mut bound,
                )?;
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
        self.tried = 0;
        self.work.push(Work::Node(*vertex, true));
        while let Some(work) = self.work.pop() {
            let vertex = match work {
                Work::Node(vertex, _) => vertex,
                Work::Constant(_) => continue,
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
                        &mut self.data,
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
                            Node::Call(predicate, _) => {
                                let predicate = *predicate;
                                match (self.arguments(body), self.supposed) {
                                    (Err(ParamError::Undefined { .. }), Some(_)) => None,
                                    (values, _) => Some(self.enter(predicate, values?, to)?),
                                }
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

impl<M: Model> System for Instance<M> {
    type Key = Vertex<M::State>;
    type Error = ParamError;

    fn initial(&mut self) -> Result<Self::Key, ParamError> {
        let expressions = std::mem::take(&mut self.formulas.arguments);
        let arguments: Result<Vec<Value>, ParamError> =
            expressions.iter().map(|e| self.eval(e)).collect();
        self.formulas.arguments = expressions;
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
        self.tried = 0;
        self.expand(*key)?;
        while let Some(work) = self.work.pop() {
            let (vertex, merge) = match work {
                Work::Node(vertex, merge) => (vertex, merge),
                Work::Constant(value) => {
                    if value != op.neutral() {
                        operands.clear();
                        return Ok(op.dual());
                    }
                    continue;
                }
                Work::Numbers(vertex, from) => {
                    self.numbers(vertex, from, op)?;
                    continue;
                }
            };
            let value = match &self.formulas.nodes[vertex.node as usize] {
                Node::Constant(value) => Some(*value),
                Node::Test(_) => {
                    self.load(&vertex);
                    Some(self.test(vertex.node)?)
                }
                Node::Call(predicate, arguments) => {
                    let predicate = *predicate;
                    let plain = arguments.is_empty();
                    self.load(&vertex);
                    let values = match plain {
                        true => Ok(Vec::new()),
                        false => self.arguments(vertex.node),
                    };
                    match (values, self.supposed) {
                        (Err(ParamError::Undefined { .. }), Some(value)) => Some(value),
                        (values, _) => {
                            operands.push(self.enter(predicate, values?, vertex.state)?);
                            None
                        }
                    }
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
                                &mut self.data,
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

    fn suppose(&mut self, error: &ParamError, value: bool) -> bool {
        let undefined = matches!(error, ParamError::Undefined { .. });
        if undefined {
            self.supposed = Some(value);
        }
        undefined
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
                    format!("{slot}={}", self.data.show(value))
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
        self.environments.bytes + self.data.terms.bytes + self.model.bytes()
    }
}
