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
//! RF6: `<R> @` = νZ. `<R>` Z, `[R] -|` = μZ. `[R]` Z.
//! RF7: `<R{n ... m}> f` = Z(0) with μZ(k). (k ≥ n ∧ f) ∨ (k < m ∧ `<R>` Z(k + 1)); without m, k stays at n.
//! RF8: `<if c then R else S end if> f` = (c ∧ `<R> f`) ∨ (¬c ∧ `<S> f`).
//! RF9: `let` and `loop` are fixpoints with parameters, and so is what follows a loop with results;
//!     `<continue (e)> f` calls the loop, `<exit (e)> f` what follows it, whatever `f` is.
//! RF10: `while`, `repeat` and `for` are loops with RF8 inside; `choice` is a quantifier.
//!
//! A new fixpoint has no variable of its own in `f`: where it stands among the others matters only
//! in that it is less significant than those around it.

use bes::data::{Binary, Expr, Sort, Value};
use bes::expr::SlotInfo;
use bes::param::{Formulas, Node, Predicate};
use bes::{Op, Sign};
use rustc_hash::FxHashMap;
use source::Span;

use super::blocks::successor;
use super::{Formula, High, Ranged, Regular, State, SyntaxError, SyntaxErrorKind};
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

/// What is left to build of a regular formula.
struct Unfolding {
    steps: Vec<Step>,
    results: Vec<u32>,
    /// Of each loop: its predicate, that of what follows it, if it has results, and what follows.
    loops: FxHashMap<u32, (u32, Option<u32>, u32)>,
}

impl Unfolding {
    fn build(&mut self, regular: u32, target: u32, owner: u32) {
        self.steps.push(Step::Build { regular, target: Some(target), owner });
    }

    fn pop(&mut self) -> u32 {
        self.results.pop().expect("a result is there")
    }
}

enum Step {
    /// What follows is the last result, or a node.
    Build { regular: u32, target: Option<u32>, owner: u32 },
    /// One of the last two results, or both.
    Both { owner: u32 },
    /// The last result, or the target.
    Or { target: u32, owner: u32 },
    /// One of the last two results, by a condition.
    Branch { condition: Expr, owner: u32 },
    /// Closes a repetition.
    Close { predicate: u32, target: u32, plus: bool, owner: u32 },
    /// Closes one with a condition for another round.
    Rounds { predicate: u32, more: Option<Expr>, end: u32, first: Vec<Expr>, owner: u32 },
    /// The last result is a predicate's body, which is called.
    Enter { predicate: u32, first: Vec<Expr>, owner: u32 },
    /// The last result is for some values, or for all.
    Quantify { slots: Vec<Ranged>, owner: u32 },
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
    /// The predicate of each `let`, as it stands or negated.
    lets: FxHashMap<(u32, bool), u32>,
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
            lets: FxHashMap::default(),
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
            State::Constant(_) | State::Val(_) | State::Variable(..) | State::Forever { .. } => {}
            State::If(condition, then, other) => {
                tasks.extend([visit(*other, not), visit(*then, not)]);
                tasks.extend([visit(*condition, true), visit(*condition, false)]);
            }
            State::Let(bindings, body) => {
                // Not a fixpoint: nothing calls it but what stands around it.
                let sign = self.out.predicates[owner as usize].sign;
                let parameters = bindings.iter().map(|(slot, _)| *slot).collect();
                let number = self.out.predicates.len();
                let predicate = self.predicate(format!("L{number}"), sign, parameters);
                self.lets.insert((node, not), predicate);
                tasks.push(Task::Visit { node: *body, not, owner: predicate });
            }
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
            State::Forever { all, regular } => {
                let op = operator(*all, not);
                let sign = if op == Op::Or { Sign::Nu } else { Sign::Mu };
                let number = self.out.predicates.len();
                let predicate = self.predicate(format!("Z{number}"), sign, Vec::new());
                let again = self.out.add(predicate, Node::Call(predicate, Vec::new()));
                let body = self.regular(*regular, op, again, predicate)?;
                self.out.predicates[predicate as usize].body = self.own(predicate, body);
                Node::Call(predicate, Vec::new())
            }
            State::If(condition, then, other) => {
                // (¬c ∨ a) ∧ (c ∨ b).
                let sides = [(true, *then), (false, *other)].map(|(x, branch)| {
                    let both = vec![self.made(*condition, x), self.made(branch, not)];
                    self.out.add(owner, Node::Many(Op::Or, both))
                });
                Node::Many(Op::And, sides.to_vec())
            }
            State::Let(bindings, body) => {
                let predicate = self.lets[&(node, not)];
                let body = self.own(predicate, self.made(*body, not));
                self.out.predicates[predicate as usize].body = body;
                Node::Call(predicate, bindings.iter().map(|(_, expr)| expr.clone()).collect())
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

    /// `<R> body` or `[R] body`, by rules RF1 to RF10.
    fn regular(&mut self, root: u32, op: Op, body: u32, owner: u32) -> Result<u32, SyntaxError> {
        let mut run =
            Unfolding { steps: Vec::new(), results: Vec::new(), loops: FxHashMap::default() };
        run.build(root, body, owner);
        while let Some(step) = run.steps.pop() {
            match step {
                Step::Build { regular, target, owner } => {
                    let target = match target {
                        Some(target) => target,
                        None => run.pop(),
                    };
                    let formula = self.formula;
                    match &formula.regulars[regular as usize] {
                        Regular::Nil => run.results.push(target),
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
                            run.results.push(self.out.add(owner, node));
                        }
                        other => self.unfold(other, (op, target, owner), &mut run),
                    }
                }
                step => self.finish(step, op, &mut run),
            }
        }
        Ok(run.pop())
    }

    /// A fixpoint of its own for a repetition.
    fn repetition(&mut self, op: Op, parameters: Vec<u32>) -> u32 {
        let sign = if op == Op::Or { Sign::Mu } else { Sign::Nu };
        let number = self.out.predicates.len();
        self.predicate(format!("Z{number}"), sign, parameters)
    }

    /// What is built for a regular formula that is no action, with `target` after it.
    fn unfold(&mut self, regular: &Regular, place: (Op, u32, u32), run: &mut Unfolding) {
        let (op, target, owner) = place;
        match regular {
            Regular::Nil | Regular::Action(_) => run.results.push(target),
            Regular::Then(a, b) => {
                run.steps.push(Step::Build { regular: *a, target: None, owner });
                run.build(*b, target, owner);
            }
            Regular::Choice(a, b) => {
                run.steps.push(Step::Both { owner });
                run.build(*b, target, owner);
                run.build(*a, target, owner);
            }
            Regular::Option(a) => {
                run.steps.push(Step::Or { target, owner });
                run.build(*a, target, owner);
            }
            Regular::Star(a) | Regular::Plus(a) => {
                let plus = matches!(regular, Regular::Plus(_));
                let predicate = self.repetition(op, Vec::new());
                let again = self.out.add(predicate, Node::Call(predicate, Vec::new()));
                run.steps.push(Step::Close { predicate, target, plus, owner });
                run.build(*a, again, predicate);
            }
            Regular::Repeat { inner, low, high } => {
                let slot = self.out.slots.len() as u32;
                self.out.slots.push(SlotInfo { name: format!("k{slot}"), sort: Sort::Int });
                let count = Expr::slot(slot, Sort::Int);
                let mut next = successor(slot, Sort::Int);
                if *high == High::None {
                    next = Expr::binary(Binary::Min, &next, low, Sort::Int);
                }
                let most = match high {
                    High::None => None,
                    High::Same => Some(low),
                    High::Most(most) => Some(most),
                };
                let enough = Expr::binary(Binary::AtLeast, &count, low, Sort::Bool);
                let more = most.map(|most| Expr::binary(Binary::Less, &count, most, Sort::Bool));
                let predicate = self.repetition(op, vec![slot]);
                let again = self.out.add(predicate, Node::Call(predicate, vec![next]));
                let end = self.guarded(op, enough, target, predicate);
                let first = vec![Expr::value(Value::Int(0), Sort::Nat)];
                run.steps.push(Step::Rounds { predicate, more, end, first, owner });
                run.build(*inner, again, predicate);
            }
            Regular::While(condition, inner) => {
                let predicate = self.repetition(op, Vec::new());
                let again = self.out.add(predicate, Node::Call(predicate, Vec::new()));
                let end = self.guarded(op, condition.negated(), target, predicate);
                let more = Some(condition.clone());
                run.steps.push(Step::Rounds { predicate, more, end, first: Vec::new(), owner });
                run.build(*inner, again, predicate);
            }
            Regular::For { slot, from, to, step, body } => {
                let sort = self.out.slots[*slot as usize].sort;
                let number = Expr::slot(*slot, sort);
                let (next, inside) = match step {
                    None => {
                        let inside = Expr::binary(Binary::AtMost, &number, to, Sort::Bool);
                        (successor(*slot, sort), inside)
                    }
                    Some(step) => {
                        let zero = Expr::value(Value::Int(0), Sort::Nat);
                        let side = |a: Binary, b: Binary| {
                            let direction = Expr::binary(a, step, &zero, Sort::Bool);
                            let reached = Expr::binary(b, &number, to, Sort::Bool);
                            Expr::binary(Binary::And, &direction, &reached, Sort::Bool)
                        };
                        let up = side(Binary::Greater, Binary::AtMost);
                        let down = side(Binary::Less, Binary::AtLeast);
                        let inside = Expr::binary(Binary::Or, &up, &down, Sort::Bool);
                        (Expr::binary(Binary::Add, &number, step, Sort::Int), inside)
                    }
                };
                let predicate = self.repetition(op, vec![*slot]);
                let again = self.out.add(predicate, Node::Call(predicate, vec![next]));
                let end = self.guarded(op, inside.negated(), target, predicate);
                let first = vec![from.clone()];
                run.steps.push(Step::Rounds { predicate, more: Some(inside), end, first, owner });
                run.build(*body, again, predicate);
            }
            Regular::Until(inner, condition) => {
                let predicate = self.repetition(op, Vec::new());
                let again = self.out.add(predicate, Node::Call(predicate, Vec::new()));
                let sides = vec![
                    self.guarded(op, condition.clone(), target, predicate),
                    self.guarded(op, condition.negated(), again, predicate),
                ];
                let after = self.out.add(predicate, Node::Many(op, sides));
                run.steps.push(Step::Enter { predicate, first: Vec::new(), owner });
                run.build(*inner, after, predicate);
            }
            Regular::If(condition, then, other) => {
                run.steps.push(Step::Branch { condition: condition.clone(), owner });
                run.build(*other, target, owner);
                run.build(*then, target, owner);
            }
            Regular::Let(bindings, inner) => {
                let sign = self.out.predicates[owner as usize].sign;
                let number = self.out.predicates.len();
                let slots = bindings.iter().map(|(slot, _)| *slot).collect();
                let predicate = self.predicate(format!("L{number}"), sign, slots);
                let first = bindings.iter().map(|(_, expr)| expr.clone()).collect();
                run.steps.push(Step::Enter { predicate, first, owner });
                run.build(*inner, target, predicate);
            }
            Regular::Some(slots, inner) => {
                run.steps.push(Step::Quantify { slots: slots.clone(), owner });
                run.build(*inner, target, owner);
            }
            Regular::Loop { number, parameters, results, body } => {
                let slots = parameters.iter().map(|(slot, _)| *slot).collect();
                let predicate = self.repetition(op, slots);
                let mut after = None;
                let mut end = target;
                if !results.is_empty() {
                    let sign = self.out.predicates[owner as usize].sign;
                    let called = self.out.predicates.len();
                    let exit = self.predicate(format!("L{called}"), sign, results.clone());
                    self.out.predicates[exit as usize].body = self.own(exit, target);
                    after = Some(exit);
                    // Without `exit`, there is no result, and no end.
                    end = self.out.add(predicate, Node::Constant(op == Op::And));
                }
                run.loops.insert(*number, (predicate, after, target));
                let first = parameters.iter().map(|(_, expr)| expr.clone()).collect();
                run.steps.push(Step::Enter { predicate, first, owner });
                run.build(*body, end, predicate);
            }
            Regular::Continue(number, values) => {
                let (predicate, ..) = run.loops[number];
                run.results.push(self.out.add(owner, Node::Call(predicate, values.clone())));
            }
            Regular::Exit(number, values) => {
                let (_, after, target) = run.loops[number];
                run.results.push(match after {
                    Some(exit) => self.out.add(owner, Node::Call(exit, values.clone())),
                    None => target,
                });
            }
        }
    }

    /// `c ∧ node` where one step is enough, `¬c ∨ node` where all count.
    fn guarded(&mut self, op: Op, condition: Expr, node: u32, owner: u32) -> u32 {
        let test = if op == Op::Or { condition } else { condition.negated() };
        let test = self.out.add(owner, Node::Test(test));
        self.out.add(owner, Node::Many(op.dual(), vec![test, node]))
    }

    /// What follows when the parts of a regular formula are built.
    fn finish(&mut self, step: Step, op: Op, run: &mut Unfolding) {
        let last = run.pop();
        let result = match step {
            Step::Build { .. } => last,
            Step::Both { owner } => {
                let first = run.pop();
                self.out.add(owner, Node::Many(op, vec![first, last]))
            }
            Step::Or { target, owner } => self.out.add(owner, Node::Many(op, vec![target, last])),
            Step::Branch { condition, owner } => {
                let then = run.pop();
                let sides = vec![
                    self.guarded(op, condition.clone(), then, owner),
                    self.guarded(op, condition.negated(), last, owner),
                ];
                self.out.add(owner, Node::Many(op, sides))
            }
            Step::Close { predicate, target, plus, owner } => {
                let body = self.out.add(predicate, Node::Many(op, vec![target, last]));
                self.out.predicates[predicate as usize].body = body;
                match plus {
                    true => last,
                    false => self.out.add(owner, Node::Call(predicate, Vec::new())),
                }
            }
            Step::Rounds { predicate, more, end, first, owner } => {
                let round = match more {
                    Some(more) => self.guarded(op, more, last, predicate),
                    None => last,
                };
                let body = self.out.add(predicate, Node::Many(op, vec![end, round]));
                self.out.predicates[predicate as usize].body = body;
                self.out.add(owner, Node::Call(predicate, first))
            }
            Step::Enter { predicate, first, owner } => {
                self.out.predicates[predicate as usize].body = self.own(predicate, last);
                self.out.add(owner, Node::Call(predicate, first))
            }
            Step::Quantify { slots, owner } => {
                let mut body = last;
                for (slot, range) in slots.into_iter().rev() {
                    body = self.out.add(owner, Node::Quantifier { op, slot, range, body });
                }
                body
            }
        };
        run.results.push(result);
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
