//! A rule as a question: the product that it makes of a C program, and the way back from its traces.

use crate::listing::{of_values, of_variables};
use crate::remarks::Allow;
use crate::replay as rule_replay;
use asking::Judgement;
use asking::Options;
use asking::{Asked, Back, Explanation, With};
use check::{Budget, Goal, StopReason, Target, Task, Trace, TraceMode, Wants};
use front_c::Places;
use input::CProgram;
use input::Error;
use ir::{Exprs, Layout, NodeId};
use property::Property;
use render::{Claim, ClaimedTrace, LookedAt, Outcome};
use replay::TraceChecker;
use rules::{About, Product, Rule};
use std::sync::{Arc, OnceLock};

/// A rule, and what it makes of a program.
pub struct RuleQuestion {
    /// The rule.
    pub rule: Rule,
    /// The program with the rule's automaton, whose runs to a place break it.
    pub product: Product,
    /// What it is about.
    pub c: Arc<CProgram>,
    /// Where its points are.
    pub places: Arc<Places>,
    checker: OnceLock<TraceChecker>,
    layout: OnceLock<Layout>,
}

/// Why there is no question.
pub enum Trouble {
    /// It was given up.
    Stopped(StopReason),
    /// What the user says makes no sense.
    Wrong(Error),
}

impl From<StopReason> for Trouble {
    fn from(reason: StopReason) -> Trouble {
        Trouble::Stopped(reason)
    }
}

/// The rule of a property, read.
pub fn rule_of(property: &Property) -> Result<Rule, Error> {
    let Property::Rule { rule, text, .. } = property else {
        return Err(Error::Internal("no rule".to_owned()));
    };
    let read = rules::parse(text).map_err(|e| Error::Usage(format!("rule `{rule}`: {e}")))?;
    match <[Rule; 1]>::try_from(read) {
        Ok([read]) if read.name == *rule => Ok(read),
        _ => Err(Error::Usage(format!("the text of rule `{rule}` is not that rule"))),
    }
}

/// The name of the rule that an outcome is about.
pub fn rule_name(outcome: &Outcome) -> Option<&str> {
    match &outcome.property {
        Property::Rule { rule, .. } => Some(rule),
        _ => None,
    }
}

/// The property that a rule is.
pub fn property(rule: &Rule) -> Property {
    let (name, text) = (rule.name.clone(), rule.text.clone());
    Property::Rule { rule: name, text, bindings: Vec::new() }
}

impl RuleQuestion {
    /// The question, with so much detail.
    pub fn new(
        rule: &Rule,
        (c, places): (&Arc<CProgram>, &Arc<Places>),
        allow: &[Allow],
        options: &Options,
        detail: impl Into<rules::Detail>,
        budget: &Budget,
    ) -> Result<RuleQuestion, Trouble> {
        let whole = rules::Asked::default();
        let detail = (detail.into(), &whole);
        RuleQuestion::again(rule, (c, places), allow, options, detail, budget)
    }

    /// The same for a part, where that was asked before with more detail.
    pub(crate) fn again(
        rule: &Rule,
        (c, places): (&Arc<CProgram>, &Arc<Places>),
        allow: &[Allow],
        options: &Options,
        detail: (rules::Detail, &rules::Asked),
        budget: &Budget,
    ) -> Result<RuleQuestion, Trouble> {
        let product = match rule.is_about_values() {
            true => values(rule, c, options, detail, budget)?,
            false => variables(rule, c, allow, options)?,
        };
        debug_assert_eq!(product.program.validate().map_err(|e| e.to_string()), Ok(()));
        let (rule, c, places) = (rule.clone(), c.clone(), places.clone());
        Ok(RuleQuestion {
            rule,
            product,
            c,
            places,
            checker: OnceLock::new(),
            layout: OnceLock::new(),
        })
    }

    /// A run comes to the place; with a number, one that is about that.
    pub fn target(&self, place: usize, number: Option<usize>) -> Target {
        let condition = number.map_or(Exprs::TRUE, |k| self.product.conditions[k]);
        Target { node: self.product.places[place], condition }
    }

    /// A run comes to any place.
    pub fn anywhere(&self) -> Goal {
        Goal::Reach(self.product.places.iter().map(|&node| Target::at(node)).collect())
    }

    /// The question whether some goals are reached, each at a place, with what it is about.
    pub fn asked(self: &Arc<Self>, causes: Vec<(usize, Option<usize>)>) -> Asked {
        let goal = |&(place, number): &(_, _)| Goal::Reach(vec![self.target(place, number)]);
        let mut task = Task::new(self.product.program.clone(), causes.iter().map(goal).collect());
        task.wants = Wants { trace: TraceMode::Shortest, certificate: false, all_nodes: false };
        Asked { task, back: Box::new(OfRule { question: self.clone(), causes }) }
    }

    /// The question whether the rule is broken at all.
    pub fn asked_at_all(self: &Arc<Self>) -> Asked {
        let mut task = Task::new(self.product.program.clone(), vec![self.anywhere()]);
        task.wants = Wants { trace: TraceMode::None, certificate: true, all_nodes: false };
        Asked { task, back: Box::new(OfRule { question: self.clone(), causes: Vec::new() }) }
    }

    /// What the answer rests on.
    pub fn assumptions(&self) -> Vec<String> {
        match &self.product.about {
            About::Variables(_) if self.rule.variable.is_none() => Vec::new(),
            About::Variables(_) => vec![VARIABLES.to_owned()],
            About::Values(values) => {
                std::iter::once(VALUES.to_owned()).chain(values.limits.iter().cloned()).collect()
            }
        }
    }

    /// What the rule is about. Calls are counted by whoever knows the program (`crate::vacuous`).
    pub fn looked_at(&self) -> LookedAt {
        match &self.product.about {
            About::Variables(about) => {
                let objects = || about.instances.iter().map(|i| i.object.clone()).collect();
                let variables = self.rule.variable.as_ref().map(|_| objects());
                LookedAt { variables, ..LookedAt::default() }
            }
            About::Values(about) => {
                LookedAt { values: Some(about.births.len()), ..LookedAt::default() }
            }
        }
    }

    /// The most links of paths that are followed.
    pub fn longest(&self) -> usize {
        match &self.product.about {
            About::Variables(_) => 0,
            About::Values(values) => values.longest,
        }
    }

    fn counters(&self) -> Vec<(String, u64)> {
        let product = &self.product;
        let own = match &product.about {
            About::Variables(about) => ("variables", about.instances.len()),
            About::Values(about) => ("origins", about.births.len()),
        };
        let all = [("nodes", product.program.nodes.len()), ("places", product.places.len()), own];
        all.into_iter().map(|(name, n)| (name.to_owned(), n as u64)).collect()
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(&self.product.program))
    }

    pub(crate) fn checker(&self) -> &TraceChecker {
        self.checker.get_or_init(|| TraceChecker::new(self.product.program.clone()))
    }
}

/// The variables that are kept.
fn kept(options: &Options) -> Vec<front_c::Keep> {
    let keep = options.input.keep.iter();
    keep.map(|(var, bits)| front_c::Keep { var: var.clone(), bits: *bits, exact: false }).collect()
}

/// The product of a rule over variables, or over no object.
fn variables(
    rule: &Rule,
    c: &CProgram,
    allow: &[Allow],
    options: &Options,
) -> Result<Product, Trouble> {
    let lowering = front_c::Options {
        entry: options.input.entry.clone(),
        keep: kept(options),
        opaque: rule.functions(),
        feasibility: true,
        ..front_c::Options::default()
    };
    let s = c.skeleton();
    let lowered = front_c::lower(s, &lowering).map_err(|e| Trouble::Wrong(c.wrong(&e)))?;
    let program = Arc::new(lowered.program);
    let instances = rules::instances(s, rule, &program);
    let allowed = |node: NodeId| {
        let at = &program.nodes[node].origin;
        let file = program.files.get(at.file as usize);
        file.is_some_and(|file| allow.iter().any(|a| a.is_about(&rule.name, file, at.line)))
    };
    let product = rules::product(&program, rule, &instances, &allowed);
    let unsupported = |what: String| Trouble::Stopped(StopReason::Unsupported { what });
    product.map_err(|error| unsupported(error.to_string()))
}

/// The product of a rule about values.
fn values(
    rule: &Rule,
    c: &CProgram,
    options: &Options,
    (detail, asked): (rules::Detail, &rules::Asked),
    budget: &Budget,
) -> Result<Product, Trouble> {
    let stop = || budget.poll().is_err();
    let entry = options.input.entry.as_deref();
    let asked = rules::Asked { keep: kept(options), ..asked.clone() };
    let product = rules::value_product_again(c.skeleton(), rule, entry, detail, &asked, &stop);
    budget.poll()?;
    let unsupported = |what: String| Trouble::Stopped(StopReason::Unsupported { what });
    product.map_err(|error| match error {
        // As a limit that was reached: it is asked again.
        rules::ValueError::Divide => Trouble::Stopped(StopReason::Memory { limit: 0 }),
        rules::ValueError::Keep(error) => Trouble::Wrong(c.wrong(&error)),
        error => unsupported(error.to_string()),
    })
}

/// Answers are about a product with a rule.
pub(crate) struct OfRule {
    pub question: Arc<RuleQuestion>,
    /// For each goal, its place, and what it is about.
    pub causes: Vec<(usize, Option<usize>)>,
}

impl Back for OfRule {
    fn explain(
        &self,
        task: &Task,
        goal: usize,
        trace: &Trace,
        with: With<'_>,
    ) -> Result<Explanation, StopReason> {
        let q = &*self.question;
        let accepted = q
            .checker()
            .check(&task.goals[goal], trace)
            .map_err(|refusal| asking::refused("the trace is no run of the program", &refusal))?;
        let cause = self.causes[goal];
        match &q.product.about {
            About::Variables(about) => of_variables(q, about, cause, &accepted, with),
            About::Values(about) => of_values(q, about, cause, trace, with),
        }
    }

    fn judge_claim(
        &self,
        task: &Task,
        claim: &Claim,
        trace: &ClaimedTrace,
        with: With<'_>,
    ) -> Result<Judgement, String> {
        rule_replay::judged(&self.question, task, claim, trace, with)
    }

    fn counters(&self) -> Vec<(String, u64)> {
        self.question.counters()
    }
}

/// What a rule over values rests on.
const VALUES: &str = "a value is followed through variables, calls, and fields that are reached by names; \
not seen is what other memory keeps, what is written through one pointer and read through another (unless both \
point to a variable), memory that is used as two types, and a variable that is changed by a function that has no \
body and was not given its address";

/// What a rule over variables rests on.
const VARIABLES: &str = "a rule over a variable follows that variable only, and no copies of it";
