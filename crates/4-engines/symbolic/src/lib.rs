//! Programs as decision diagrams: what the engines that work with them share.
//!
//! - [`Slots`] number the diagram variables: copies of the bits of the widest scope.
//! - [`Context`] compiles edges to relations between copies; what becomes of a call is the engine's
//!   matter ([`CallRelation`]).
//! - [`System`] is a program with its compiled edges, and the summaries found so far.
//! - [`Worklist`] and [`saturate`] drive a fixpoint over nodes and procedures.
//! - [`Rings`] finds shortest hierarchical traces once summaries are known.
//! - [`Pairs`] are goals with each value of a variable there.
//! - [`Export`] turns diagrams into certificates and observed sets.
//!
//! ```
//! use analysis::{Live, ModRef, Order, Uses};
//! use bdd::{Bdd, Config, Manager};
//! use ir::{EdgeKind, Init, ProgramBuilder, Rel, Type};
//! use std::sync::Arc;
//! use symbolic::{Context, Copies, Copy};
//!
//! // decl g;  void main() begin  g := !g;  R: assume(g);  end
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let g = b.global("g", Type::BOOL, at);
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let n: Vec<_> = (0..3).map(|_| b.statement(at)).collect();
//! b.entry(main, n[0]);
//! let read = b.exprs.pre(g);
//! let negated = b.exprs.not(read);
//! b.step(n[0], n[1], Rel::assign([(g, Some(negated))], 0));
//! b.step(n[1], n[2], Rel::guarded(read, 0));
//! let program = Arc::new(b.finish(main, Init::default()));
//!
//! let uses = Uses::new([]);
//! let mod_ref = ModRef::new(&program, &uses);
//! let live = Live::new(&program, &mod_ref, &uses);
//! let context = Context::new(program.clone(), live, mod_ref, Copies::SIX, Order::Derived);
//! let mut m = Manager::new(Config::default());
//! let edge = program.edges.iter().next().unwrap();
//! let EdgeKind::Local { target, rel } = &edge.kind else { unreachable!() };
//! let step = context.step(&mut m, edge.source, *target, rel)?;
//! // Where g was false, it is true now.
//! let bit = context.slots.bits(Copy::Pre, g).next().unwrap();
//! let g = m.var(bit)?;
//! assert_eq!(m.image(g.not(), step.rel, step.image)?, g);
//! # Ok::<(), bdd::Stop>(())
//! ```
//!
//! Not for: deciding anything. The algorithms are in the engines (`engine-summary`, `engine-pds`).

mod each;
mod export;
mod halt;
mod parts;
mod relation;
mod rings;
mod slots;
mod states;
mod system;
mod worklist;

pub use each::Pairs;
pub use export::Export;
pub use halt::{BudgetGate, Halt, on_large_stack};
pub use relation::{CallParts, Context, ReturnRel, StepPart, StepRel};
pub use rings::{Entry, Frames, How, Library, Pair, Rings, Scope, Search, Traces, rename};
pub use slots::{Copies, Copy, Slots};
pub use states::{State, base};
pub use system::{
    Aim, CallRelation, Compiled, Part, Site, Summary, Switches, System, default_collect_at,
    partial_verdicts, verdicts,
};
pub use worklist::{Fixpoint, Item, Watch, Worklist, saturate};
