//! Reachability and repetition by symbolic P-automata: Moped's post* and pre*.
//!
//! A program with procedures is a symbolic pushdown system: the nodes of its flow graphs are stack
//! symbols, globals belong to the control location, locals to the symbols ([moped §2, §3]). A
//! P-automaton is a finite automaton that reads stacks; its transitions carry decision diagrams over
//! the data ([moped §4]). [`Post`] and [`Pre`] answer reach goals exactly, for any recursion depth,
//! with shortest hierarchical traces and inductive certificates; and repeat goals by the head graph
//! ([moped §4.2, §5]), with lassos whose stack may grow in the loop, and ranks.
//!
//! ```
//! use check::{Budget, Engine, Goal, Target, Task, Verdict};
//! use engine_pds::Post;
//! use ir::{Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//!
//! // decl g;  void main() begin  assume(g);  g := !g;  assume(g);  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let n: Vec<_> = (0..4).map(|_| b.statement(at)).collect();
//! b.entry(main, n[0]);
//! let read = b.exprs.pre(g);
//! let negated = b.exprs.not(read);
//! b.step(n[0], n[1], Rel::guarded(read, 0));
//! b.step(n[1], n[2], Rel::assign([(g, Some(negated))], 0));
//! b.step(n[2], n[3], Rel::guarded(read, 0));
//! let program = Arc::new(b.finish(main, Init::default()));
//!
//! let goals = vec![Goal::Reach(vec![Target::at(n[2])]), Goal::Reach(vec![Target::at(n[3])])];
//! let task = Task::new(program, goals);
//! let answer = Post::default().run(&task, &Budget::unlimited());
//! assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))));
//! assert!(matches!(answer.verdicts[1], Verdict::Holds(Some(_))));
//! ```
//!
//! Not for: programs with many correlated variables, whose diagrams grow too large (SAT engines),
//! nor for a handful of bits, where enumeration is faster (`engine-explicit`). Where only nodes
//! matter and no stacks, `engine-summary` does the same work with fewer copies of the variables.

mod automaton;
mod call;
mod covered;
mod data;
mod elimination;
mod engines;
mod export;
mod expression;
mod forward;
mod heads;
mod jump;
mod lasso;
mod marked;
mod nfa;
mod pieces;
mod post_star;
mod pre_star;
mod regular;
mod repeat;
mod saturation;
mod stacks;
mod system;
#[cfg(test)]
mod tests;

pub use analysis::Order;
pub use automaton::{
    Configuration, PAutomaton, State, Symbol, Transition, automaton, post_star, pre_star,
    reachable_stacks,
};
pub use data::{DataEdge, DataView, Relation, Whose};
pub use engines::{Post, Pre};
pub use expression::{Conditions, ExpressionError, ExpressionErrorKind, Refused, parse_frame};
pub use regular::{Letter, Nodes, RegularSet, Waiting};
pub use repeat::Heads;
pub use stacks::frame_name;
pub use stacks::{StackLanguage, StackLetter, StackState};
