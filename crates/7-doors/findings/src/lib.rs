//! Rules on C as questions, and what their answers tell.
//!
//! ```
//! use findings::{built_in_rules, rule_of, rule_property};
//!
//! let memory = built_in_rules().iter().find(|file| file.is_called("memory")).unwrap();
//! let rules = rules::parse(memory.text).unwrap();
//! let property = rule_property(&rules[0]);
//! assert_eq!(rule_of(&property).unwrap().name, rules[0].name);
//! ```
//!
//! A rule becomes a [`RuleQuestion`], which is asked as every other property is (`asking`); its answers are told in
//! terms of C, and judged again where somebody else tells them. Not for the rules themselves: what they mean is the
//! crate `rules`.

mod agreeing_runs;
mod answers;
mod built_in_rules;
mod cores;
mod listing;
mod pieces;
mod question;
mod remarks;
mod replay;

pub use answers::rule_answers;
pub use built_in_rules::{BuiltInRules, built_in_rules, is_ready_made, rule_error};
pub use question::{RuleQuestion, Trouble, property as rule_property, rule_name, rule_of};
pub use remarks::{Allow, allowances, in_files};
pub use replay::asked;
