//! What of a rule can be seen at calls, for those who watch a run.

use crate::event::Event;
use crate::pattern::Pattern;
use crate::rule::{Comparison, Rule};

/// An event that shows at a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// The value is an argument, counted from 1; without a number, any.
    Argument(Pattern, Option<usize>),
    /// The value is the result.
    Result(Pattern),
    /// The function is called.
    Call(Pattern),
    /// The value is an argument of a function without a body.
    Passed,
    /// A function that may fail does.
    Failed,
}

impl Rule {
    /// What its atoms are at calls. None if one of them is something else; `lenient` if values that are followed by the
    /// program itself are to be missed.
    pub fn watched(&self, lenient: bool) -> Option<Vec<Vec<Seen>>> {
        if !self.is_about_values() || !self.returns.is_empty() || self.by_function {
            return None;
        }
        let seen = |event: &Event| {
            let whole = event.is_about_whole();
            Some(match event {
                Event::Arg(f, n, _) if whole => vec![Seen::Argument(f.clone(), *n)],
                Event::Result(f) => vec![Seen::Result(f.clone())],
                Event::Call(f) => vec![Seen::Call(f.clone())],
                Event::CallOn(f, _) if whole => {
                    vec![Seen::Argument(f.clone(), None), Seen::Result(f.clone())]
                }
                Event::Pass(_) if whole => vec![Seen::Passed],
                Event::Failed => vec![Seen::Failed],
                Event::Deref(_) if lenient => Vec::new(),
                _ => return None,
            })
        };
        let atom = |events: &Vec<Event>| {
            let all: Option<Vec<Vec<Seen>>> = events.iter().map(seen).collect();
            all.map(|all| all.concat())
        };
        self.events.iter().map(atom).collect()
    }
}

impl Comparison {
    /// As C writes it.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }
}
