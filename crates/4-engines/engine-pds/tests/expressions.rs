//! Expressions over frames with conditions, complements and intersections against their plain meaning: every
//! configuration of at most two frames, one by one.

use crate::configurations::{Cells, Config, configuration, small_configurations};
use check::Budget;
use engine_pds::{Conditions, Refused, RegularSet, Waiting, automaton, post_star};
use ir::{ExprId, Exprs, Id, NodeId, ProcId, Program, Scalar, VarId};
use std::ops::Range;
use std::sync::Arc;
use testkit::random_ir::random_program;
use testkit::rng::Rng;

/// An expression, written out and understood.
enum E {
    Frame(One),
    Then(Box<E>, Box<E>),
    Or(Box<E>, Box<E>),
    And(Box<E>, Box<E>),
    Star(Box<E>),
    Others(Box<E>),
}

enum One {
    Any,
    Proc(String),
    Node(String, String),
    Not(Box<One>),
    With(Box<One>, Test),
}

/// `x`, `!x`, `x == n` or `x < n`.
struct Test {
    var: String,
    form: usize,
    number: u64,
}

impl Test {
    fn text(&self) -> String {
        let Test { var, number, .. } = self;
        match self.form {
            0 => var.clone(),
            1 => format!("!{var}"),
            2 => format!("{var} == {number}"),
            _ => format!("{var} < {number}"),
        }
    }
    /// Whether a frame has the variable, and it is so.
    fn holds(&self, program: &Program, proc: ProcId, cells: &Cells) -> bool {
        let locals = program.procs[proc].locals.iter().chain(&program.globals);
        let Some(&var) = locals.into_iter().find(|&&v| program.var_name(v) == self.var) else {
            return false;
        };
        let value = cells[&(var, 0)];
        match self.form {
            0 => value == 1,
            1 => value == 0,
            2 => value == self.number,
            _ => value < self.number,
        }
    }
}

impl One {
    fn text(&self) -> String {
        match self {
            One::Any => ".".to_owned(),
            One::Proc(name) => name.clone(),
            One::Node(proc, label) => format!("{proc}:{label}"),
            One::Not(one) => format!("!{}", one.text()),
            One::With(one, test) => format!("{}[{}]", one.text(), test.text()),
        }
    }
    fn holds(&self, program: &Program, node: NodeId, cells: &Cells) -> bool {
        let proc = program.nodes[node].proc;
        match self {
            One::Any => true,
            One::Proc(name) => program.proc_name(proc) == name,
            One::Node(name, label) => {
                let labels = program.labels.iter().filter(|l| l.node == node);
                program.proc_name(proc) == name
                    && labels.into_iter().any(|l| program.text(l.name) == label)
            }
            One::Not(one) => !one.holds(program, node, cells),
            One::With(one, test) => {
                one.holds(program, node, cells) && test.holds(program, proc, cells)
            }
        }
    }
}

impl E {
    fn text(&self) -> String {
        match self {
            E::Frame(one) => one.text(),
            E::Then(a, b) => format!("({}) ({})", a.text(), b.text()),
            E::Or(a, b) => format!("({}) | {}", a.text(), b.text()),
            E::And(a, b) => format!("({}) & ({})", a.text(), b.text()),
            E::Star(a) => format!("({})*", a.text()),
            E::Others(a) => format!("~({})", a.text()),
        }
    }
    fn holds(&self, program: &Program, word: &[(NodeId, &Cells)]) -> bool {
        match self {
            E::Frame(one) => matches!(word, [(node, cells)] if one.holds(program, *node, cells)),
            E::Then(a, b) => (0..=word.len())
                .any(|i| a.holds(program, &word[..i]) && b.holds(program, &word[i..])),
            E::Or(a, b) => a.holds(program, word) || b.holds(program, word),
            E::And(a, b) => a.holds(program, word) && b.holds(program, word),
            E::Star(a) => {
                word.is_empty()
                    || (1..=word.len())
                        .any(|i| a.holds(program, &word[..i]) && self.holds(program, &word[i..]))
            }
            E::Others(a) => !a.holds(program, word),
        }
    }
}

fn one(rng: &mut Rng, program: &Program, globals: bool) -> One {
    let procs: Vec<ProcId> = program.procs.ids().collect();
    let proc = *rng.pick(&procs);
    let name = program.proc_name(proc).to_owned();
    let labels: Vec<&str> = program
        .labels
        .iter()
        .filter(|l| program.nodes[l.node].proc == proc)
        .map(|l| program.text(l.name))
        .collect();
    let mut out = match rng.below(4) {
        0 => One::Any,
        1 if !labels.is_empty() => One::Node(name, (*rng.pick(&labels)).to_owned()),
        _ => One::Proc(name),
    };
    if rng.chance(60) {
        let mut vars: Vec<VarId> = program.procs[proc].locals.clone();
        if globals {
            vars.extend(&program.globals);
        }
        vars.retain(|&v| program.vars[v].ty.array.is_none() && !program.vars[v].hidden);
        if !vars.is_empty() {
            let var = *rng.pick(&vars);
            let form = match program.vars[var].ty.scalar {
                Scalar::Bool => rng.below(2),
                Scalar::Int { .. } => 2 + rng.below(2),
            };
            let number = rng.below(4) as u64;
            let var = program.var_name(var).to_owned();
            out = One::With(Box::new(out), Test { var, form, number });
        }
    }
    if rng.chance(20) { One::Not(Box::new(out)) } else { out }
}

fn expression(rng: &mut Rng, program: &Program, depth: usize, globals: bool) -> E {
    let inner = |rng: &mut Rng, globals| Box::new(expression(rng, program, depth - 1, globals));
    match if depth == 0 { 0 } else { rng.below(8) } {
        0 | 1 => E::Frame(one(rng, program, globals)),
        // What follows a frame that must be there is below the top.
        2 | 3 => {
            let first = E::Frame(one(rng, program, globals));
            let rest = inner(rng, false);
            E::Then(Box::new(first), rest)
        }
        4 => E::Or(inner(rng, globals), inner(rng, globals)),
        5 => E::And(inner(rng, globals), inner(rng, globals)),
        6 => E::Star(inner(rng, false)),
        _ => E::Others(inner(rng, globals)),
    }
}

/// Conditions as `property` reads them.
struct Frames<'a>(&'a Program);

impl Conditions for Frames<'_> {
    fn scope(&self, node: NodeId) -> usize {
        self.0.nodes[node].proc.index()
    }
    fn read(
        &self,
        exprs: &mut Exprs,
        text: &str,
        range: Range<usize>,
        scope: usize,
    ) -> Result<ExprId, Refused> {
        let proc = ProcId::new(scope);
        let locals = &self.0.procs[proc].locals;
        property::frame_condition(self.0, exprs, text, range, (proc, locals)).map_err(|error| {
            let missing = matches!(error.kind, property::FormulaErrorKind::UnknownVariable { .. });
            Refused { missing, diagnostic: error.diagnostic() }
        })
    }
    fn controls(&self) -> &[String] {
        &[]
    }
}

#[test]
fn expressions_mean_what_they_say() {
    let budget = Budget::unlimited();
    let (mut compared, mut mixed, mut reached_some, mut reached_none) = (0, 0, 0, 0);
    for seed in 0..220 {
        let mut rng = Rng::new(seed);
        let mut program = random_program(seed);
        let Some(small) = small_configurations(&program, 700) else { continue };
        let e = expression(&mut rng, &program, 3, true);
        let text = e.text();
        let mut exprs = program.exprs.clone();
        let read =
            RegularSet::parse_with(&program, &mut exprs, &text, Waiting::Call, &Frames(&program));
        // A name can be a number in one procedure and a truth value in another.
        let Ok(set) = read else { continue };
        program.exprs = exprs;
        let program = Arc::new(program);
        let within = |(node, cells, below): &Config| {
            let mut word = vec![(*node, cells)];
            word.extend(below.iter().map(|(e, saved)| (program.edges[*e].source, saved)));
            e.holds(&program, &word)
        };
        let mut own = automaton(&program, &set, &budget).unwrap();
        let mut inside = 0;
        for config in &small {
            let member = own.contains(&configuration(&program, config), &budget).unwrap();
            assert_eq!(member, within(config), "seed {seed}: {text}: {config:?}");
            inside += usize::from(member);
        }
        compared += 1;
        mixed += usize::from(inside > 0 && inside < small.len());
        // And the stacks of what is reached that are in the set are found, or none of them is.
        let start = RegularSet::initial(&program);
        let mut reached = post_star(&program, &start, &budget).unwrap();
        let there = small.iter().any(|config| {
            within(config) && reached.contains(&configuration(&program, config), &budget).unwrap()
        });
        let met = reached.intersection(&set, &budget).unwrap();
        assert!(met.is_some() || !there, "seed {seed}: {text}");
        let mut languages = false;
        for node in program.nodes.ids() {
            languages |= !reached.stacks_within(node, &set, &budget).unwrap().is_empty();
        }
        assert_eq!(languages, met.is_some(), "seed {seed}: {text}");
        if met.is_some() { reached_some += 1 } else { reached_none += 1 }
    }
    assert!(
        compared > 80 && mixed > 40 && reached_some > 20 && reached_none > 10,
        "{compared} {mixed} {reached_some} {reached_none}"
    );
}
