//! What a user asks, and the goals that it becomes.
//!
//! A [`Property`] is a question as it was typed. [`Property::question`] looks it up in a program and
//! gives what engines understand: a goal, or the wish to know the status of every node.
//!
//! ```
//! use check::Goal;
//! use ir::{Init, ProgramBuilder, Rel};
//! use property::{Property, Question};
//!
//! // void main() begin  R: skip;  end
//! let mut b = ProgramBuilder::new();
//! let file = b.file("example.bp");
//! let at = b.origin(file, 1, 22, "skip");
//! let main = b.proc("main", at);
//! b.begin_proc(main);
//! let (first, exit) = (b.statement(at), b.silent());
//! b.entry(main, first);
//! b.label("R", first);
//! b.step(first, exit, Rel::identity());
//! b.ret(exit, Rel::identity(), false);
//! let program = b.finish(main, Init::default());
//!
//! let reach = Property::reach("R");
//! assert!(matches!(reach.question(&program), Ok(Question::Goal(Goal::Reach(_)))));
//! let error = Property::reach("main:Q").question(&program).unwrap_err();
//! assert_eq!(error.to_string(), "no statement of `main` is labelled `Q`");
//! ```
//!
//! A temporal formula becomes a [`Product`]: another program, whose infinite runs that carry all
//! marks again and again (in Sugar: runs that come to a place) are the violations, and the way back from its traces. Atoms are
//!
//! | atom | holds when |
//! |---|---|
//! | `g`, `{*p == 1}` | the global is true |
//! | `proc::x` | `proc` is on top of the stack, and its variable is true |
//! | `"expr"` | the expression over globals and `proc::x` holds; if it names a variable of `proc`, `proc` is on top |
//! | `at(L)`, `at(proc:L)` | a statement labelled `L` is about to be executed |
//! | `in(proc)` | a statement of `proc` is about to be executed |
//! | `terminated` | the entry procedure has returned |
//! | `error` | an assertion has failed |
//! | `p` | the control location of a pushdown system is `p` |
//! | `call(f)`, `assign(f::x)`, … | the statement that is about to be executed does that (C) |
//!
//! When a run has ended, there is no frame: `at`, `in` and what names a local are false. A name
//! that begins with an operator's letter, as `Flag` does, is a name if the program has it; `F`, `G`
//! and `X` alone always are operators, and `"F"` is the variable.
//!
//! ```
//! # use ir::{Init, ProgramBuilder, Rel, Type};
//! # use property::{Property, Question};
//! // decl done;  void main() begin  done := 1;  end
//! # let mut b = ProgramBuilder::new();
//! # let file = b.file("example.bp");
//! # let at = b.origin(file, 1, 34, "done := 1");
//! # let done = b.global("done", Type::BOOL, at);
//! # let main = b.proc("main", at);
//! # b.begin_proc(main);
//! # let (first, exit) = (b.statement(at), b.silent());
//! # b.entry(main, first);
//! # let yes = b.exprs.bool(true);
//! # b.step(first, exit, Rel::assign([(done, Some(yes))], 0));
//! # b.ret(exit, Rel::identity(), false);
//! # let program = b.finish(main, Init::default());
//! let Ok(Question::Product(product)) = Property::ltl("F G done").question(&program) else {
//!     panic!("a temporal property becomes a product");
//! };
//! assert!(product.program.validate().is_ok());
//! assert_eq!(product.program.nodes.len(), program.nodes.len() + 2);
//! let error = Property::ltl("F G dnoe").question(&program).unwrap_err();
//! assert_eq!(error.diagnostic().help.as_deref(), Some("did you mean `done`?"));
//! ```
//!
//! Not for answering: that is what engines do. This crate knows none of them.

mod atoms;
mod automaton;
mod error;
mod expression;
mod formula;
mod formula_error;
mod lasso;
mod place;
mod product;
mod promises;
mod reader;
mod sere;
mod vacuity;

pub use automata::{KeepGoing, TranslateError};
pub use error::PropertyError;
pub use expression::frame_condition;
pub use formula_error::{FormulaError, FormulaErrorKind, Hint, Which};
pub use place::{exits, places, targets};
pub use product::{Product, Size};
pub use vacuity::Mutant;

use automata::Options;
use automata::ltl::{Atom, parse_atom};
use automata::sere::Sere;
use check::{Goal, Target};
use ir::Program;

/// The label that SLAM, Moped and Getafix look for.
pub const DEFAULT_LABEL: &str = "SLIC_ERROR";

/// A question, as it was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Property {
    /// Is a statement reachable? (`--reach L`)
    Reach {
        /// `L`, `proc:L`, `proc:exit` where a procedure is left, or `:N` for the statements on line N.
        label: String,
    },
    /// Which statements are reachable? (`--reach-all`)
    ReachAll,
    /// Can an assertion fail? (`--assert`)
    Assert,
    /// Does every infinite run satisfy a formula? (`--ltl F`)
    Ltl {
        /// The formula, over the atoms listed above.
        formula: String,
        /// Only runs on which each of these holds infinitely often count. (`--fair F`)
        fair: Vec<String>,
    },
    /// Is there no run that a property in Sugar forbids? (`--sere S`) With a temporal conclusion it is
    /// about infinite runs.
    Sere {
        /// The property, over the same atoms.
        formula: String,
    },
    /// Does an automaton accept no run, or all of them? (`--automaton FILE`)
    Automaton {
        /// What the file is called.
        name: String,
        /// The automaton, in the format HOA, over the same atoms.
        text: String,
        /// It accepts the runs that are right, and not those that are wrong.
        good: bool,
    },
    /// Does every run end? (`--terminates`)
    Terminates {
        /// As in [`Property::Ltl`].
        fair: Vec<String>,
    },
    /// Can an operation of a C program fail? (`--memory-safety`, `--overflow`, …) The program is asked with its
    /// data: the crate `postbop` makes the question.
    Operations {
        /// Which operations.
        kind: OperationKind,
    },
    /// Does a C program keep a rule? (`--rule FILE`) The crate `rules` makes the question.
    Rule {
        /// The rule's name.
        rule: String,
        /// The rule, as it is written.
        text: String,
        /// In an answer about one object: the metavariable, and what it stands for.
        bindings: Vec<(String, String)>,
    },
}

/// Operations of C, by what is asked about them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OperationKind {
    /// Accesses to memory, and memory that is lost.
    MemorySafety,
    /// Memory that is not freed when the program ends.
    MemoryCleanup,
    /// Results of signed operators that do not fit.
    Overflow,
    /// Divisors that are 0.
    Division,
    /// Reads of what was never written.
    Uninitialised,
}

impl OperationKind {
    /// All of them.
    pub const ALL: [OperationKind; 5] = [
        OperationKind::MemorySafety,
        OperationKind::MemoryCleanup,
        OperationKind::Overflow,
        OperationKind::Division,
        OperationKind::Uninitialised,
    ];

    /// The word of its flag and of its kind in reports.
    pub fn word(self) -> &'static str {
        match self {
            OperationKind::MemorySafety => "memory-safety",
            OperationKind::MemoryCleanup => "memory-cleanup",
            OperationKind::Overflow => "overflow",
            OperationKind::Division => "division",
            OperationKind::Uninitialised => "uninitialised",
        }
    }
}

/// What [`Property::Terminates`] asks.
pub const TERMINATES: &str = "F (terminated || error)";

/// What engines are asked.
#[derive(Clone, Debug)]
pub enum Question {
    /// Is the goal reached?
    Goal(Goal),
    /// Is each node reached? ([`check::Wants::all_nodes`])
    AllNodes,
    /// Has the product a run to its goal? Then the property is violated.
    Product(Box<Product>),
}

impl Property {
    /// Is the statement reachable?
    pub fn reach(label: impl Into<String>) -> Property {
        Property::Reach { label: label.into() }
    }

    /// What is asked when nothing is: assertions, and [`DEFAULT_LABEL`] where it exists.
    pub fn defaults(program: &Program) -> Vec<Property> {
        let mut out = vec![Property::Assert];
        if !program.labelled(None, DEFAULT_LABEL).is_empty() {
            out.push(Property::reach(DEFAULT_LABEL));
        }
        out
    }

    /// The events that it names.
    pub fn events(&self) -> Vec<String> {
        let of = |atom: &Atom| match atom {
            Atom::Event(text) => Some(text.clone()),
            Atom::Var(word) if matches!(word.as_str(), "store" | "return" | "exit") => {
                Some(word.clone())
            }
            _ => None,
        };
        match self {
            Property::Ltl { formula, fair } => std::iter::once(formula)
                .chain(fair)
                .filter_map(|text| automata::ltl::parse(text).ok())
                .flat_map(|f| f.formulas.atoms().iter().filter_map(of).collect::<Vec<_>>())
                .collect(),
            Property::Sere { formula } => {
                let parsed = automata::sere::property(formula, &|_| false);
                let (nfa, conclusion) = match parsed {
                    Ok(Sere::Words(nfa)) => (nfa, None),
                    Ok(Sere::Suffix { trigger, conclusion }) => (trigger, Some(conclusion)),
                    Err(_) => return Vec::new(),
                };
                let conclusion = conclusion.and_then(|c| automata::ltl::parse(&formula[c]).ok());
                let conclusion = conclusion.iter().flat_map(|f| f.formulas.atoms());
                let trigger = nfa.atoms.iter().filter_map(|a| parse_atom(a));
                trigger.chain(conclusion.cloned()).filter_map(|atom| of(&atom)).collect()
            }
            Property::Automaton { text, .. } => match automata::hoa::parse(text) {
                Ok(automaton) => automaton.atoms.iter().filter_map(of).collect(),
                Err(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Does every infinite run satisfy the formula?
    pub fn ltl(formula: impl Into<String>) -> Property {
        Property::Ltl { formula: formula.into(), fair: Vec::new() }
    }

    /// Looks it up in the program.
    pub fn question(&self, program: &Program) -> Result<Question, PropertyError> {
        self.question_while(program, KeepGoing::default())
    }

    /// Looks it up in the program, as long as `keep_going` says so: the automaton of a formula can
    /// take a while, and [`TranslateError::Interrupted`] tells that it did.
    pub fn question_while(
        &self,
        program: &Program,
        keep_going: KeepGoing,
    ) -> Result<Question, PropertyError> {
        self.question_within(program, &Options { keep_going, ..Options::default() })
    }

    /// The same, with automata as large as the options allow.
    pub fn question_within(
        &self,
        program: &Program,
        options: &Options,
    ) -> Result<Question, PropertyError> {
        let ltl = |formula: &str, fair: &[String]| {
            let resolved = formula::resolve(program, formula, fair)?;
            let product = product::product(program, resolved, options)?;
            Ok::<_, PropertyError>(Question::Product(Box::new(product)))
        };
        Ok(match self {
            Property::Ltl { formula, fair } => ltl(formula, fair)?,
            Property::Terminates { fair } => ltl(TERMINATES, fair)?,
            Property::Sere { formula } => sere::question(program, formula, options)?,
            Property::Automaton { text, good, .. } => automaton::question(program, text, *good)?,
            Property::Reach { label } => Question::Goal(Goal::Reach(targets(program, label)?)),
            Property::ReachAll => Question::AllNodes,
            Property::Operations { kind } => {
                return Err(PropertyError::NoData { flag: kind.word() });
            }
            Property::Rule { rule, .. } => {
                return Err(PropertyError::NoEvents { rule: rule.clone() });
            }
            Property::Assert => {
                let errors = program.procs.iter().filter_map(|p| p.error);
                Question::Goal(Goal::Reach(errors.map(Target::at).collect()))
            }
        })
    }

    /// The word for its kind in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Property::Reach { .. } => "reach",
            Property::ReachAll => "reach-all",
            Property::Assert => "assert",
            Property::Ltl { .. } => "ltl",
            Property::Sere { .. } => "sere",
            Property::Automaton { .. } => "automaton",
            Property::Terminates { .. } => "terminates",
            Property::Operations { kind } => kind.word(),
            Property::Rule { .. } => "rule",
        }
    }
}
