//! From formulas to predicates in positive form.
//!
//! Negations move inwards: over a fixpoint they turn its sign and that of its variable. Regular
//! modalities become fixpoints of their own ([pbes §4.2] after [mateescu98]):
//!
//! RF1: `<R*> f` = μZ. f ∨ `<R>` Z, `[R*] f` = νZ. f ∧ `[R]` Z.
//! RF2: `<R+> f` = `<R>` Z with the same Z.
//! RF3: `<R.S> f` = `<R><S> f`.
//! RF4: `<R|S> f` = `<R> f` ∨ `<S> f`, where `f` is shared.
//! RF5: `<R?> f` = f ∨ `<R> f`; `<nil> f` = f.
//!
//! A new fixpoint has no variable of its own in `f`: where it stands among the others matters only
//! in that it is less significant than those around it.

use bes::param::{Formulas, Node, Predicate};
use bes::{Op, Sign};
use source::Span;

use super::{Formula, Regular, State, SyntaxError, SyntaxErrorKind};
use crate::action::Code;

/// A formula, ready to be put on a model.
pub(crate) struct Lowered {
    pub(crate) formulas: Formulas,
    pub(crate) actions: Vec<Code>,
    /// The action formula that each code was made from.
    pub(crate) sources: Vec<u32>,
}

const NONE: u32 = u32::MAX;

enum Task {
    Visit { node: u32, not: bool, owner: u32 },
    Make { node: u32, not: bool, owner: u32 },
}

struct Lowering<'a> {
    formula: &'a Formula,
    out: Formulas,
    actions: Vec<Code>,
    sources: Vec<u32>,
    /// The number of each action formula that was compiled.
    codes: Vec<u32>,
    /// What became of each node, as it stands and negated.
    made: Vec<[u32; 2]>,
    /// The predicate of each binder, as it stands and negated.
    predicates: Vec<[u32; 2]>,
}

impl Formula {
    pub(crate) fn lower(&self) -> Result<Lowered, SyntaxError> {
        let mut lowering = Lowering {
            formula: self,
            out: Formulas {
                signature: self.signature.clone(),
                slots: self.slots.clone(),
                ..Formulas::default()
            },
            actions: Vec::new(),
            sources: Vec::new(),
            codes: vec![NONE; self.actions.len()],
            made: vec![[NONE; 2]; self.states.len()],
            predicates: vec![[NONE; 2]; self.binders.len()],
        };
        // What stands outside of all fixpoints belongs to one that nothing calls.
        let main = lowering.predicate("main".to_owned(), Sign::Nu, Vec::new());
        lowering.run(main)?;
        let body = lowering.own(main, lowering.made[self.root as usize][0]);
        lowering.out.predicates[main as usize].body = body;
        lowering.out.initial = main;
        Ok(Lowered { formulas: lowering.out, actions: lowering.actions, sources: lowering.sources })
    }
}

fn operator(all: bool, not: bool) -> Op {
    if all != not { Op::And } else { Op::Or }
}

impl Lowering<'_> {
    fn predicate(&mut self, name: String, sign: Sign, parameters: Vec<u32>) -> u32 {
        self.out.predicates.push(Predicate { name, sign, parameters, body: NONE });
        self.out.predicates.len() as u32 - 1
    }

    fn run(&mut self, main: u32) -> Result<(), SyntaxError> {
        let mut tasks = vec![Task::Visit { node: self.formula.root, not: false, owner: main }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit { node, not, owner } => {
                    if self.made[node as usize][usize::from(not)] != NONE {
                        continue;
                    }
                    self.visit(node, not, owner, &mut tasks)?;
                }
                Task::Make { node, not, owner } => {
                    let made = self.make(node, not, owner)?;
                    self.made[node as usize][usize::from(not)] = made;
                }
            }
        }
        Ok(())
    }

    fn visit(
        &mut self,
        node: u32,
        not: bool,
        owner: u32,
        tasks: &mut Vec<Task>,
    ) -> Result<(), SyntaxError> {
        tasks.push(Task::Make { node, not, owner });
        let visit = |node: u32, not: bool| Task::Visit { node, not, owner };
        match &self.formula.states[node as usize] {
            State::Constant(_) | State::Val(_) | State::Variable(..) => {}
            State::Not(a) => tasks.push(visit(*a, !not)),
            State::And(a, b) | State::Or(a, b) => {
                tasks.extend([visit(*b, not), visit(*a, not)]);
            }
            State::Imply(a, b) => tasks.extend([visit(*b, not), visit(*a, !not)]),
            State::Equal(a, b) => {
                for side in [*b, *a] {
                    tasks.extend([visit(side, true), visit(side, false)]);
                }
            }
            State::Modality { body, .. } | State::Quantifier { body, .. } => {
                tasks.push(visit(*body, not));
            }
            State::Fixpoint(binder, body) => {
                let head = &self.formula.binders[*binder as usize];
                let sign = if not { head.sign.dual() } else { head.sign };
                let parameters = head.parameters.iter().map(|(slot, _)| *slot).collect();
                let predicate = self.predicate(head.name.clone(), sign, parameters);
                self.predicates[*binder as usize][usize::from(not)] = predicate;
                tasks.push(Task::Visit { node: *body, not, owner: predicate });
            }
        }
        Ok(())
    }

    /// A predicate's body belongs to the predicate: what `<R+> f` begins with belongs to RF2's `Z`.
    fn own(&mut self, predicate: u32, body: u32) -> u32 {
        if self.out.owners[body as usize] == predicate {
            return body;
        }
        self.out.add(predicate, Node::Many(Op::Or, vec![body]))
    }

    fn made(&self, node: u32, not: bool) -> u32 {
        self.made[node as usize][usize::from(not)]
    }

    fn make(&mut self, node: u32, not: bool, owner: u32) -> Result<u32, SyntaxError> {
        let formula = self.formula;
        let made = match &formula.states[node as usize] {
            State::Constant(value) => Node::Constant(*value != not),
            State::Val(expr) => Node::Test(if not { expr.negated() } else { expr.clone() }),
            State::Variable(binder, arguments) => {
                let predicate = self.predicates[*binder as usize][usize::from(not)];
                if predicate == NONE {
                    let at = formula.spans.binary_search_by_key(&node, |&(n, _)| n);
                    let span = at.map_or(Span::new(0, 0), |at| formula.spans[at].1);
                    let name = formula.binders[*binder as usize].name.clone();
                    return Err(SyntaxError::new(SyntaxErrorKind::Negative(name), span));
                }
                Node::Call(predicate, arguments.clone())
            }
            State::Not(a) => return Ok(self.made(*a, !not)),
            State::And(a, b) => {
                Node::Many(operator(true, not), vec![self.made(*a, not), self.made(*b, not)])
            }
            State::Or(a, b) => {
                Node::Many(operator(false, not), vec![self.made(*a, not), self.made(*b, not)])
            }
            State::Imply(a, b) => {
                Node::Many(operator(false, not), vec![self.made(*a, !not), self.made(*b, not)])
            }
            State::Equal(a, b) => {
                // (¬a ∨ b) ∧ (a ∨ ¬b), and (a ∨ b) ∧ (¬a ∨ ¬b) for its negation.
                let sides = [(true, not), (false, !not)].map(|(x, y)| {
                    let both = vec![self.made(*a, x), self.made(*b, y)];
                    self.out.add(owner, Node::Many(Op::Or, both))
                });
                Node::Many(Op::And, sides.to_vec())
            }
            State::Modality { all, regular, body } => {
                let body = self.made(*body, not);
                return self.regular(*regular, operator(*all, not), body, owner);
            }
            State::Fixpoint(binder, body) => {
                let predicate = self.predicates[*binder as usize][usize::from(not)];
                let body = self.own(predicate, self.made(*body, not));
                self.out.predicates[predicate as usize].body = body;
                let first = formula.binders[*binder as usize].parameters.iter();
                Node::Call(predicate, first.map(|(_, expr)| expr.clone()).collect())
            }
            State::Quantifier { all, slots, body } => {
                let op = operator(*all, not);
                let mut body = self.made(*body, not);
                for (slot, range) in slots.iter().rev() {
                    let node = Node::Quantifier { op, slot: *slot, range: range.clone(), body };
                    body = self.out.add(owner, node);
                }
                return Ok(body);
            }
        };
        Ok(self.out.add(owner, made))
    }

    /// `<R> body` or `[R] body`, by rules RF1 to RF5.
    fn regular(&mut self, root: u32, op: Op, body: u32, owner: u32) -> Result<u32, SyntaxError> {
        enum Step {
            /// What follows is the last result, or a node.
            Build {
                regular: u32,
                target: Option<u32>,
                owner: u32,
            },
            /// Keeps the last result for later.
            Both {
                owner: u32,
            },
            /// Closes a repetition.
            Close {
                predicate: u32,
                target: u32,
                plus: bool,
                owner: u32,
            },
            Or {
                target: u32,
                owner: u32,
            },
        }
        let mut results: Vec<u32> = Vec::new();
        let mut steps = vec![Step::Build { regular: root, target: Some(body), owner }];
        while let Some(step) = steps.pop() {
            match step {
                Step::Build { regular, target, owner } => {
                    let target = match target {
                        Some(target) => target,
                        None => results.pop().expect("a result is what follows"),
                    };
                    match &self.formula.regulars[regular as usize] {
                        Regular::Nil => results.push(target),
                        Regular::Action(action) => {
                            let code = self.code(*action)?;
                            let Code { reads, binds, .. } = &self.actions[code as usize];
                            let node = Node::Modality {
                                op,
                                action: code,
                                reads: reads.clone(),
                                binds: binds.clone(),
                                body: target,
                            };
                            results.push(self.out.add(owner, node));
                        }
                        Regular::Then(a, b) => {
                            steps.push(Step::Build { regular: *a, target: None, owner });
                            steps.push(Step::Build { regular: *b, target: Some(target), owner });
                        }
                        Regular::Choice(a, b) => {
                            steps.push(Step::Both { owner });
                            steps.push(Step::Build { regular: *b, target: Some(target), owner });
                            steps.push(Step::Build { regular: *a, target: Some(target), owner });
                        }
                        Regular::Option(a) => {
                            steps.push(Step::Or { target, owner });
                            steps.push(Step::Build { regular: *a, target: Some(target), owner });
                        }
                        Regular::Star(a) | Regular::Plus(a) => {
                            let plus =
                                matches!(self.formula.regulars[regular as usize], Regular::Plus(_));
                            let sign = if op == Op::Or { Sign::Mu } else { Sign::Nu };
                            let number = self.out.predicates.len();
                            let predicate = self.predicate(format!("Z{number}"), sign, Vec::new());
                            let again = self.out.add(predicate, Node::Call(predicate, Vec::new()));
                            steps.push(Step::Close { predicate, target, plus, owner });
                            steps.push(Step::Build {
                                regular: *a,
                                target: Some(again),
                                owner: predicate,
                            });
                        }
                    }
                }
                Step::Both { owner } => {
                    let b = results.pop().expect("two results");
                    let a = results.pop().expect("two results");
                    results.push(self.out.add(owner, Node::Many(op, vec![a, b])));
                }
                Step::Or { target, owner } => {
                    let a = results.pop().expect("a result");
                    results.push(self.out.add(owner, Node::Many(op, vec![target, a])));
                }
                Step::Close { predicate, target, plus, owner } => {
                    let step = results.pop().expect("a result");
                    let body = self.out.add(predicate, Node::Many(op, vec![target, step]));
                    self.out.predicates[predicate as usize].body = body;
                    results.push(match plus {
                        true => step,
                        false => self.out.add(owner, Node::Call(predicate, Vec::new())),
                    });
                }
            }
        }
        Ok(results.pop().expect("one result is left"))
    }

    fn code(&mut self, action: u32) -> Result<u32, SyntaxError> {
        let known = self.codes[action as usize];
        if known != NONE {
            return Ok(known);
        }
        let code = Code::new(&self.formula.actions, action, &self.formula.signature);
        let number = self.actions.len() as u32;
        self.actions.push(code);
        self.sources.push(action);
        self.codes[action as usize] = number;
        Ok(number)
    }
}
