//! Facts about a program, computed before any engine looks at it: in which order to visit it
//! ([`call_order`], [`weak_topological_order`]), in which order its bits make small diagrams
//! ([`variable_order()`]), which globals a procedure touches ([`ModRef`]),
//! which variables matter at a point ([`Live`]), which can matter at all
//! ([`cone_of_influence`]).
//!
//! ```
//! use analysis::{Live, ModRef, Uses};
//! use ir::{Init, ProgramBuilder, Rel, Type};
//!
//! // decl g, h;  void main() begin  g := h;  assume(g);  end
//! let mut b = ProgramBuilder::new();
//! let at = b.no_origin();
//! let (g, h) = (b.global("g", Type::BOOL, at), b.global("h", Type::BOOL, at));
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let (n0, n1, n2) = (b.statement(at), b.statement(at), b.silent());
//! b.entry(main, n0);
//! let (read_g, read_h) = (b.exprs.pre(g), b.exprs.pre(h));
//! b.step(n0, n1, Rel::assign([(g, Some(read_h))], 0));
//! b.step(n1, n2, Rel::guarded(read_g, 0));
//! b.ret(n2, Rel::identity(), false);
//! let program = b.finish(main, Init::default());
//!
//! let uses = Uses::default();
//! let mod_ref = ModRef::new(&program, &uses);
//! let live = Live::new(&program, &mod_ref, &uses);
//! assert!(live.contains(n0, h) && !live.contains(n0, g));
//! assert!(live.contains(n1, g) && !live.contains(n1, h));
//! ```
//!
//! Not for: answering questions (engines). Facts over-approximate: a variable that is said not to
//! be live, or not to be touched, certainly is not.

mod bits;
mod cone_of_influence;
mod live;
mod mod_ref;
mod order;
mod uses;
mod variable_order;

pub use bits::BitSet;
pub use cone_of_influence::{Cone, cone_of_influence, cone_of_influence_within};
pub use live::Live;
pub use mod_ref::ModRef;
pub use order::{call_order, weak_topological_order};
pub use uses::{Uses, may_block, may_clash};
pub use variable_order::{Order, Place, SlotOrder, variable_order};
