//! Programs in other forms, and what the stages produce.

use crate::model::{Wanted, model};
use crate::{Encoding, c, circuit, dot, tree};
use asking::{Asks, Options, Questions, Watch};
use check::{Budget, Goal, StopReason};
use findings::{RuleQuestion, Trouble, rule_of};
use input::{Error, Tree, guarded, load, load_for, lower, parse, rejected, system};
use ir::spds::Spds;
use ir::{EdgeKind, Exprs, Id, ProcId, Program, Time, Unwritten, VarId};
use property::{Property, Question};
use rustc_hash::FxHashSet;
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;

/// A form to convert to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Target {
    /// A boolean program in the common subset of all dialects.
    Bp,
    /// A program in the language of Moped.
    Remopla,
    /// A pushdown system: symbolic where the program has variables.
    Pds,
    /// The control-flow graph, for Graphviz.
    Dot,
    /// Of C: a model over a program counter and a bounded stack, in EDL ([c2edl Appendix A]).
    Edl {
        /// The depth of the stack.
        depth: u32,
        /// How counters are written.
        encoding: Encoding,
    },
    /// Of C: the same in SMV, as NuSMV reads it.
    Smv {
        /// The depth of the stack.
        depth: u32,
        /// How counters are written.
        encoding: Encoding,
    },
    /// Of C: the source annotated with program counters.
    Cout,
    /// A circuit in AIGER's text format, of a program without recursion.
    Aiger,
    /// The same in BTOR2.
    Btor2,
}

/// The program in another form. What is wrong with it is reported first: only programs that can be
/// checked are converted. What is written in its own language is written down as it was, in other
/// languages, or to start somewhere else, from what it means.
pub fn convert(
    files: &[Arc<SourceFile>],
    target: Target,
    options: &Options,
    watch: &Watch,
) -> Result<String, Error> {
    convert_with(files, target, &[], &[], options, watch)
}

/// The same, with temporal formulas and a rule as specifications, which SMV and EDL have.
pub fn convert_with(
    files: &[Arc<SourceFile>],
    target: Target,
    formulas: &[Arc<SourceFile>],
    rules: &[Property],
    options: &Options,
    watch: &Watch,
) -> Result<String, Error> {
    let specified = match target {
        Target::Smv { depth, .. } => Some((depth, true)),
        Target::Edl { depth, .. } => Some((depth, false)),
        _ => None,
    };
    if specified.is_none() && !(formulas.is_empty() && rules.is_empty()) {
        let what = "`--ltl` and `--rule` go with `--to smv` and `--to edl`";
        return Err(Error::Usage(what.to_owned()));
    }
    guarded("converting", || {
        let budget = watch.budget(options.search.limits);
        if let Some(c) = &options.input.c
            && let Some(exported) = c::export(c, files, target, formulas, rules, options)
        {
            return exported;
        }
        if let Some((depth, smv)) = specified {
            return specified_model(files, (depth, smv), formulas, rules, options, &budget);
        }
        if options.input.c.is_some() && target == Target::Cout {
            let program = load_for(files, &options.input, &[])?;
            return Ok(c::annotated_with_values(&program, files));
        }
        if let Some(c) = &options.input.c {
            return converted(c.program(&options.input, &[])?, target, &budget);
        }
        let (file, tree) = parse(files, &options.input)?;
        goes_on(&budget)?;
        if let (Tree::Pds(tree), Target::Pds, Some(_)) = (&tree, target, &options.input.entry) {
            return pushdown(&system(file, tree, &options.input)?, &budget);
        }
        if options.input.entry.is_some() {
            return converted(lower(file, &tree, &options.input)?, target, &budget);
        }
        // A boolean program without a start can be written down.
        if let (Tree::Bp(tree), Target::Bp) = (&tree, target) {
            let errors = front_bp::mistakes(tree);
            return match errors.is_empty() {
                true => Ok(front_bp::print(tree)),
                false => Err(rejected(file, errors.iter().map(|e| e.diagnostic()))),
            };
        }
        let program = lower(file, &tree, &options.input)?;
        match (&tree, target) {
            (Tree::Remopla(tree), Target::Remopla) => Ok(front_remopla::print(tree)),
            (Tree::Pds(tree), Target::Pds) => Ok(front_remopla::pds::print(tree)),
            (_, target) => converted(program, target, &budget),
        }
    })
}

/// The program in a form, from what it means.
fn converted(program: Program, target: Target, budget: &Budget) -> Result<String, Error> {
    goes_on(budget)?;
    let go_on = &mut || budget.poll().is_ok();
    match target {
        Target::Dot => text(budget, |out| dot::dot(&program, out)),
        Target::Bp => {
            let tree = front_bp::from_program(&program, go_on);
            Ok(front_bp::print(&tree.map_err(|e| unwritten("a boolean program", e, budget))?))
        }
        Target::Remopla => {
            let tree = front_remopla::from_program(&with_parameters(program), go_on);
            Ok(front_remopla::print(&tree.map_err(|e| unwritten("a Remopla program", e, budget))?))
        }
        Target::Pds => pushdown(&Spds::from_program(&program), budget),
        Target::Aiger => Ok(circuit::circuit(&program, budget)?.aiger()),
        Target::Btor2 => Ok(circuit::circuit(&program, budget)?.btor2()),
        Target::Edl { .. } | Target::Smv { .. } | Target::Cout => {
            let what = "cout is a form of C programs; other programs have bp, remopla, pds, smv, edl and dot";
            Err(Error::Usage(what.to_owned()))
        }
    }
}

/// The program with its values as a model, with what is asked of it.
fn specified_model(
    files: &[Arc<SourceFile>],
    (depth, smv): (u32, bool),
    formulas: &[Arc<SourceFile>],
    rules: &[Property],
    options: &Options,
    budget: &Budget,
) -> Result<String, Error> {
    let mut wanted = Wanted::default();
    if let [rule] = rules {
        if !formulas.is_empty() {
            let what =
                "a rule is checked on a program of its own: ask for the formulas without `--rule`";
            return Err(Error::Usage(what.to_owned()));
        }
        let (rule, product) = rule_product(rule, files, options, budget)?;
        wanted.never.push((rule.name, product.places.clone()));
        return model(&product.program, depth, smv, &wanted, budget);
    }
    if rules.len() > 1 {
        let names: Vec<&str> = rules
            .iter()
            .filter_map(|p| match p {
                Property::Rule { rule, .. } => Some(rule.as_str()),
                _ => None,
            })
            .collect();
        return Err(Error::Usage(format!(
            "a model is about one rule, and there are {}: take a file with one of them",
            names.join(", ")
        )));
    }
    let asked: Vec<Property> = formulas.iter().map(|file| Property::ltl(file.text())).collect();
    let program = load_for(files, &options.input, &asked)?;
    goes_on(budget)?;
    for (file, property) in formulas.iter().zip(&asked) {
        let question = asking::question(property, &program, budget);
        let question = question.map_err(|error| rejected(file, [error.diagnostic()]))?;
        let Question::Product(product) = question.map_err(Error::Stopped)? else { continue };
        let Some(temporal) = product.temporal else { continue };
        wanted.formulas.push((file.text().to_owned(), temporal));
    }
    model(&program, depth, smv, &wanted, budget)
}

/// The system as text.
fn pushdown(spds: &Spds, budget: &Budget) -> Result<String, Error> {
    let tree = front_remopla::pds::from_spds(spds, &mut || budget.poll().is_ok());
    Ok(front_remopla::pds::print(&tree.map_err(|e| unwritten("a pushdown system", e, budget))?))
}

/// Whether the limits allow to go on.
fn goes_on(budget: &Budget) -> Result<(), Error> {
    budget.poll().map_err(Error::Stopped)
}

/// A program of the target language has no words for something, or a limit was reached.
fn unwritten(language: &str, error: Unwritten, budget: &Budget) -> Error {
    match error {
        Unwritten::NoWords(what) => Error::Usage(format!("{language} has no words for {what}")),
        _ => Error::Stopped(budget.poll().err().unwrap_or(StopReason::Cancelled)),
    }
}

/// The program with all locals that calls or the initial condition set as parameters. In a program
/// made from rules any local may be set where its symbol is pushed.
fn with_parameters(mut program: Program) -> Program {
    let mut set: FxHashSet<VarId> = FxHashSet::default();
    program.exprs.reads(program.init.condition, |_, var| {
        set.insert(var);
    });
    for edge in program.edges.iter() {
        let EdgeKind::Call(call) = &edge.kind else { continue };
        let assigns = call.enter.assigns.iter().filter(|a| a.time == Time::Post);
        set.extend(assigns.map(|a| a.var));
        program.exprs.reads(call.enter.constraint, |time, var| {
            if time == Time::Post {
                set.insert(var);
            }
        });
    }
    let ids: Vec<ProcId> = program.procs.ids().collect();
    for id in ids {
        let proc = &mut program.procs[id];
        let params = proc.params;
        let mut all: Vec<(bool, VarId)> = proc.locals.iter().map(|&v| (true, v)).collect();
        for (i, (local, var)) in all.iter_mut().enumerate() {
            *local = i >= params && !set.contains(var);
        }
        // Stable: parameters keep their order.
        all.sort_by_key(|&(local, _)| local);
        proc.params = all.iter().filter(|(local, _)| !local).count();
        proc.locals = all.into_iter().map(|(_, var)| var).collect();
    }
    program
}

/// A stage of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The syntax tree.
    Tree,
    /// The program model.
    Ir,
    /// The symbolic pushdown system.
    Spds,
    /// The goals that the properties become, and the program model.
    Task(Vec<Property>),
}

/// What a stage produces, readable.
pub fn dump(
    files: &[Arc<SourceFile>],
    stage: &Stage,
    options: &Options,
    watch: &Watch,
) -> Result<String, Error> {
    let budget = watch.budget(options.search.limits);
    let loaded = |program: Program| {
        goes_on(&budget)?;
        Ok(program)
    };
    match stage {
        Stage::Tree if options.input.c.is_some() => {
            Ok(options.input.c.iter().map(|c| c::listing(c)).collect())
        }
        Stage::Tree => {
            let (file, tree) = parse(files, &options.input)?;
            goes_on(&budget)?;
            if let Tree::Circuit(_) = &tree {
                let what =
                    "a circuit has no syntax tree; `--stage ir` shows the program that it is";
                return Err(Error::Usage(what.to_owned()));
            }
            text(&budget, |out| match &tree {
                Tree::Bp(tree) => tree::dump(tree, file, out),
                Tree::Remopla(tree) => tree::remopla::dump(tree, file, out),
                Tree::Pds(tree) => tree::pds::dump(tree, file, out),
                Tree::Circuit(_) => Ok(()),
            })
        }
        Stage::Spds => guarded("making a pushdown system", || {
            if let Some(c) = &options.input.c {
                let program = loaded(c.program(&options.input, &[])?)?;
                return Ok(ir::spds::dump(&Spds::from_program(&program)));
            }
            let (file, tree) = parse(files, &options.input)?;
            goes_on(&budget)?;
            Ok(ir::spds::dump(&match &tree {
                Tree::Pds(tree) => system(file, tree, &options.input)?,
                tree => Spds::from_program(&loaded(lower(file, tree, &options.input)?)?),
            }))
        }),
        Stage::Ir => Ok(ir::dump(&loaded(load(files, &options.input)?)?)),
        Stage::Task(properties) => {
            let is_rule = |p: &&Property| matches!(p, Property::Rule { .. });
            let others: Vec<Property> =
                properties.iter().filter(|p| !is_rule(p)).cloned().collect();
            let mut out = String::new();
            let mut products = String::new();
            for property in properties.iter().filter(is_rule) {
                let (goal, product) = rule_task(property, files, options, &budget)?;
                out.push_str(&goal);
                products.push_str(&product);
            }
            if others.is_empty() && !properties.is_empty() {
                return Ok(out + &products);
            }
            let program = Arc::new(loaded(load_for(files, &options.input, &others)?)?);
            let asked = Questions::new(&program, files, &others, options, &budget)?;
            for (property, asks) in &asked.each {
                let _ = write!(out, "{}:", render::title(property));
                let goal = match asks {
                    Asks::Goal(goal) => Some(&asked.shared.task.goals[*goal]),
                    Asks::Own(own) => {
                        let _ = write!(
                            products,
                            "\nproduct for {}:\n{}",
                            render::title(property),
                            ir::dump(&own.task.program)
                        );
                        match &own.task.goals[..] {
                            [Goal::Reach(_)] => {
                                out.push_str(" reach a goal of the product\n");
                                continue;
                            }
                            goals => goals.first(),
                        }
                    }
                    Asks::Nothing(reason) => {
                        let _ = writeln!(out, " {reason}");
                        continue;
                    }
                    Asks::AllNodes => None,
                };
                match goal {
                    None => out.push_str(" is each node reached?"),
                    Some(Goal::Reach(targets)) => {
                        out.push_str(" reach");
                        for target in targets {
                            let _ = write!(out, " n{}", target.node.index());
                            if target.condition != Exprs::TRUE {
                                let condition = ir::expr_text(&program, target.condition);
                                let _ = write!(out, " where {condition}");
                            }
                        }
                    }
                    Some(Goal::Repeat { marks }) => {
                        let _ = write!(out, " a run of the product with {marks} marks for ever");
                    }
                    Some(goal) => {
                        let _ = write!(out, " {goal:?}");
                    }
                }
                out.push('\n');
            }
            out.push('\n');
            out.push_str(&ir::dump(&program));
            out.push_str(&products);
            Ok(out)
        }
    }
}

/// A rule, and the program with its automaton.
fn rule_product(
    property: &Property,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &Budget,
) -> Result<(rules::Rule, rules::Product), Error> {
    let Some(c) = &options.input.c else {
        return Err(Error::Usage("rules are about the events of C programs".to_owned()));
    };
    let rule = rule_of(property)?;
    let places = Arc::new(front_c::Places::new(c.skeleton()));
    let (allow, most) = (findings::in_files(files), rules::MAX_LENGTH);
    match RuleQuestion::new(&rule, (c, &places), &allow, options, most, budget) {
        Ok(question) => Ok((rule, question.product)),
        Err(Trouble::Stopped(reason)) => Err(Error::Stopped(reason)),
        Err(Trouble::Wrong(error)) => Err(error),
    }
}

/// What a rule asks: its goal, and its product.
fn rule_task(
    property: &Property,
    files: &[Arc<SourceFile>],
    options: &Options,
    budget: &Budget,
) -> Result<(String, String), Error> {
    let (rule, product) = rule_product(property, files, options, budget)?;
    let mut goal = format!("{}: reach", rule.name);
    for place in &product.places {
        let _ = write!(goal, " n{}", place.index());
    }
    goal.push_str(" of the product\n");
    Ok((goal, format!("\nproduct for {}:\n{}", rule.name, ir::dump(&product.program))))
}

/// What `write` writes, as long as the limits allow.
fn text(
    budget: &Budget,
    write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<String, Error> {
    let mut out = Polled { out: Vec::new(), budget, next: 0 };
    if let Err(error) = write(&mut out) {
        goes_on(budget)?;
        return Err(Error::Internal(error.to_string()));
    }
    String::from_utf8(out.out).map_err(|e| Error::Internal(e.to_string()))
}

/// Text that grows as long as the limits allow.
struct Polled<'b> {
    out: Vec<u8>,
    budget: &'b Budget,
    /// The length at which it is asked next.
    next: usize,
}

impl std::io::Write for Polled<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.out.len() >= self.next {
            self.budget.poll().map_err(std::io::Error::other)?;
            self.next = self.out.len() + (1 << 16);
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
