//! Rules over events, with metavariables, and their products with programs.
//!
//! A rule says what no run may do: a property of finite words ([`automata::sere`]) whose atoms are
//! events. A metavariable stands for one of many objects; the product chooses one at the start, so
//! that hundreds of instances are one program and one search, with a goal for each.
//!
//! ```
//! let rules = rules::parse(
//!     "rule double_free(p: var) {
//!        never { call(free, p); !assign(p)[*]; call(free, p) }
//!        message \"`$p` is freed twice\"
//!      }",
//! )
//! .unwrap();
//! assert_eq!(rules[0].name, "double_free");
//! assert_eq!(rules[0].message_for("f::data"), "`data` is freed twice");
//! let error = rules::parse("rule r {\n  never { a; }\n  message \"\" }").unwrap_err();
//! assert_eq!(error.to_string(), "2:14: expected a boolean or `{`");
//! ```
//!
//! Not for: finding violations (engines do), or which events there are (front ends tell).

/// How a value is called that no variable held: the result of a call.
pub const NAMELESS: &str = "the result";

mod dfa;
mod elements;
mod event;
mod explicit;
mod facts;
mod giving_up;
mod members;
mod mentions;
mod monitor;
mod needs;
mod ownership;
mod parts;
mod path_conditions;
mod path_index;
mod paths;
mod pattern;
mod product;
mod relevance;
mod returned;
mod rule;
mod stored;
mod value;
mod variables;
mod watched;
mod widths;
mod wrappers;

pub use event::{Event, Link};
pub use facts::{Common, Facts};
pub use giving_up::gives_up;
pub use mentions::Mentioned;
pub use monitor::Monitor;
pub use parts::{Part, beginnings};
pub use path_conditions::{Passed, PathConditions, path_conditions};
pub use paths::MAX_LENGTH;
pub use pattern::Pattern;
pub use product::{About, Product, Values, Variables};
pub use rule::{Comparison, Metavariable, Rule, RuleError, from_sere, parse};
pub use value::{
    Asked, At, Birth, Detail, Executes, Followed, Remembers, ValueError, Violation, value_product,
    value_product_again, value_product_within,
};
pub use variables::{Instance, ProductError, instances, product};
pub use watched::Seen;
