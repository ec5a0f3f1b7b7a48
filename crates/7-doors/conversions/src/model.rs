//! Programs with their values as models for NuSMV and RuleBase, with a bounded stack and specifications.
//!
//! What [c2edl §5] writes of a skeleton is a function of the program counter. With values it is a circuit
//! ([`crate::circuit`]), a boolean for each bit: which edge is taken is arbitrary, and one that cannot be taken leads to
//! where nothing happens any more.
//!
//! - VM1. Formulas are about the steps of infinite runs: `step` says that one is taken, and each operator speaks of
//!   the states where it holds. A run that blocks, or whose stack is full, takes finitely many, and does not count.
//! - VM2. Assertions, and places that break a rule, are invariants: whoever comes there may block afterwards.

use crate::circuit::{Builder, Circuit, Gate, Lit, NO, YES};
use check::{Budget, Meaning, Op, Temporal};
use input::Error;
use ir::{ExprId, Id, NodeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What is asked of a model.
#[derive(Default)]
pub(crate) struct Wanted {
    /// Formulas as they were typed, and what they mean.
    pub(crate) formulas: Vec<(String, Temporal)>,
    /// Names of what must not happen, and where that would be.
    pub(crate) never: Vec<(String, Vec<NodeId>)>,
}

/// A model of the program.
pub(crate) fn model(
    program: &Program,
    depth: u32,
    smv: bool,
    wanted: &Wanted,
    budget: &Budget,
) -> Result<String, Error> {
    let mut builder = Builder::with_stack(program, depth, budget)?;
    let mut defines: Vec<(String, Lit)> = Vec::new();
    let mut specifications = String::new();
    for (name, nodes) in &wanted.never {
        let mut there = NO;
        for &node in nodes {
            let here = builder.is_at(node);
            there = builder.circuit.or2(there, here);
        }
        let name = format!("broken_{}", clean(name));
        specifications += &match smv {
            true => format!("INVARSPEC !{name};\n"),
            false => format!("formula {{ AG !{name} }}\n"),
        };
        defines.push((name, there));
    }
    for (i, (text, temporal)) in wanted.formulas.iter().enumerate() {
        budget.poll().map_err(Error::Stopped)?;
        let names: Vec<String> =
            (0..temporal.atoms.len()).map(|a| format!("atom_{i}_{a}")).collect();
        let mut with_exprs = program.clone();
        with_exprs.exprs = temporal.exprs.clone();
        for (name, meaning) in names.iter().zip(&temporal.atoms) {
            defines.push((name.clone(), atom(&mut builder, &with_exprs, meaning)));
        }
        let written = formula(temporal, &names, smv)
            .map_err(|what| Error::Usage(format!("`{}`: {what}", text.trim())))?;
        let comment: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(specifications, "-- {}", comment.replace(|c: char| c.is_control(), " "));
        specifications += &match smv {
            true => format!("LTLSPEC {written};\n"),
            false => format!("formula {{ {written} }}\n"),
        };
    }
    defines.push(("step".to_owned(), builder.stepped));
    let numbers = builder.numbers();
    let has_errors = builder.entered().iter().any(|&proc| program.procs[proc].error.is_some());
    let circuit = builder.finish();
    for (lit, name) in &circuit.bad {
        if name != "assert" {
            defines.push((format!("at_{}", clean(name)), *lit));
        } else if has_errors && wanted.never.is_empty() {
            defines.push(("failed".to_owned(), *lit));
            specifications += match smv {
                true => "INVARSPEC !failed;\n",
                false => "formula { AG !failed }\n",
            };
        }
    }
    let mut out = String::new();
    if smv {
        out += "MODULE main\n";
    }
    out += &places(program);
    Writer::new(&circuit, smv).write(&mut out, &defines, &numbers, budget)?;
    Ok(out + &specifications)
}

/// What `pc` is at a node.
pub(crate) fn counter(node: NodeId) -> usize {
    node.index() + 1
}

/// Where the counters stand.
pub(crate) fn places(program: &Program) -> String {
    let mut out = String::from("-- pc 0: before the start\n");
    for (id, node) in program.nodes.enumerate() {
        let origin = node.origin;
        if origin.line == 0 {
            continue;
        }
        let text: String = program.text(origin.text).chars().filter(|c| !c.is_control()).collect();
        let file = program.files.get(origin.file as usize).map_or("", |file| &**file);
        let proc = program.proc_name(node.proc);
        let _ = writeln!(out, "-- pc {}: {file}:{} {proc}: {text}", counter(id), origin.line);
    }
    out
}

/// Where an atom holds.
fn atom(builder: &mut Builder<'_>, program: &Program, meaning: &Meaning) -> Lit {
    let mut by_condition: BTreeMap<ExprId, Lit> = BTreeMap::new();
    let mut at = |builder: &mut Builder<'_>, condition: ExprId, here: Lit| {
        let places = by_condition.entry(condition).or_insert(NO);
        *places = builder.circuit.or2(*places, here);
    };
    for proc in builder.entered().to_vec() {
        for node in program.procs[proc].node_ids() {
            let failed = program.procs[proc].error == Some(node);
            let here = builder.is_at(node);
            at(builder, if failed { meaning.failed } else { meaning.at[node] }, here);
        }
    }
    let ended = builder.has_ended();
    at(builder, meaning.terminated, ended);
    let mut out = NO;
    for (condition, places) in by_condition {
        let holds = builder.condition(program, condition);
        let both = builder.circuit.and2(holds, places);
        out = builder.circuit.or2(out, both);
    }
    out
}

/// Formulas whose text is longer are refused.
const LONGEST: usize = 1 << 20;

/// VM1.
fn formula(temporal: &Temporal, names: &[String], smv: bool) -> Result<String, &'static str> {
    if !temporal.watch.is_empty() || temporal.acceptor.is_some() {
        return Err("sequences have no words in these languages");
    }
    let yes = if smv { "TRUE" } else { "1" };
    let mut texts: Vec<String> = Vec::with_capacity(temporal.ops.len());
    for (id, &op) in temporal.ops.enumerate() {
        let is_true = |f: check::OpId| temporal.ops[f] == Op::True;
        let is_false = |f| matches!(temporal.ops[f], Op::Not(g) if is_true(g));
        let of = |f: check::OpId| &texts[f.index()];
        let text = match op {
            Op::True => yes.to_owned(),
            Op::Atom(a) => names[a as usize].clone(),
            Op::Not(f) => format!("!({})", of(f)),
            Op::And(f, g) => format!("(({}) & ({}))", of(f), of(g)),
            Op::Or(f, g) => format!("(({}) | ({}))", of(f), of(g)),
            Op::Next(f) => format!("X (!step U (step & ({})))", of(f)),
            Op::Until(f, g) if is_true(f) => format!("F (step & ({}))", of(g)),
            Op::Until(f, g) => format!("((step -> ({})) U (step & ({})))", of(f), of(g)),
            Op::Release(f, g) if is_false(f) => format!("G (step -> ({}))", of(g)),
            Op::Release(f, g) => {
                format!("!((step -> !({})) U (step & !({})))", of(f), of(g))
            }
            _ => return Err("sequences have no words in these languages"),
        };
        if text.len() > LONGEST {
            return Err("too long to be written");
        }
        debug_assert_eq!(id.index(), texts.len());
        texts.push(text);
    }
    Ok(format!("(G F step) -> (!step U (step & ({})))", texts[temporal.root.index()]))
}

/// As an identifier.
fn clean(name: &str) -> String {
    let parts: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let out = parts.join("_");
    if out.starts_with(|c: char| c.is_ascii_alphabetic()) { out } else { format!("v_{out}") }
}

/// Words of NuSMV and EDL that are no names.
const WORDS: &[&str] = &[
    "A", "E", "F", "G", "H", "O", "S", "T", "U", "V", "W", "X", "Y", "Z", "AF", "AG", "AX", "EF",
    "EG", "EX", "self", "mod", "union", "in", "xor", "xnor", "next", "init", "case", "esac",
    "array", "of", "boolean", "integer", "word", "word1", "bool", "signed", "unsigned", "extend",
    "resize", "sizeof", "toint", "swconst", "uwconst", "count", "process", "real", "step", "pc",
    "failed", "var", "assign", "define", "formula", "if", "then", "else", "endif", "TRUE", "FALSE",
    "MIN", "MAX", "abs", "max", "min",
];

struct Writer<'c> {
    circuit: &'c Circuit,
    smv: bool,
    /// By variable of the circuit.
    names: Vec<String>,
    taken: FxHashSet<String>,
}

impl<'c> Writer<'c> {
    fn new(circuit: &'c Circuit, smv: bool) -> Writer<'c> {
        let taken = WORDS.iter().map(|word| (*word).to_owned()).collect();
        let names = vec![String::new(); circuit.gates.len() + 1];
        let mut out = Writer { circuit, smv, names, taken };
        for (var, name) in &circuit.names {
            out.names[*var as usize] = out.fresh(&clean(name));
        }
        out
    }

    /// The name, or one with a number behind it.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }

    fn lit(&self, lit: Lit) -> String {
        match (lit, self.smv) {
            (NO, true) => "FALSE".to_owned(),
            (YES, true) => "TRUE".to_owned(),
            (NO, false) => "0".to_owned(),
            (YES, false) => "1".to_owned(),
            _ => {
                let name = &self.names[(lit >> 1) as usize];
                if lit & 1 == 1 { format!("!{name}") } else { name.clone() }
            }
        }
    }

    fn word(&self, word: &str) -> String {
        if self.smv { word.to_uppercase() } else { word.to_owned() }
    }

    fn write(
        mut self,
        out: &mut String,
        defines: &[(String, Lit)],
        numbers: &[(String, Vec<Lit>)],
        budget: &Budget,
    ) -> Result<(), Error> {
        let circuit = self.circuit;
        // Gates that something is made of.
        let mut used = vec![false; circuit.gates.len() + 1];
        for lit in circuit.next.iter().map(|(_, next)| next).chain(defines.iter().map(|(_, l)| l)) {
            used[(lit >> 1) as usize] = true;
        }
        for (i, gate) in circuit.gates.iter().enumerate().rev() {
            if let (true, Gate::And(a, b)) = (used[i + 1], *gate) {
                used[(a >> 1) as usize] = true;
                used[(b >> 1) as usize] = true;
            }
        }
        let (var, define, assign) = (self.word("var"), self.word("define"), self.word("assign"));
        let latches: FxHashMap<u32, Lit> =
            circuit.next.iter().map(|(latch, next)| (latch >> 1, *next)).collect();
        for (i, gate) in circuit.gates.iter().enumerate() {
            let number = i as u32 + 1;
            if *gate == Gate::Latch || *gate == Gate::Input && used[i + 1] {
                let _ = writeln!(out, "{var} {} : boolean;", self.names[number as usize]);
            }
        }
        for (i, gate) in circuit.gates.iter().enumerate() {
            if i.is_multiple_of(1 << 12) {
                budget.poll().map_err(Error::Stopped)?;
            }
            if let (true, Gate::And(a, b)) = (used[i + 1], *gate) {
                let name = self.fresh(&format!("g{}", i + 1));
                let _ = writeln!(out, "{define} {name} := {} & {};", self.lit(a), self.lit(b));
                self.names[i + 1] = name;
            }
        }
        let start = if self.smv { "FALSE" } else { "0" };
        for (i, gate) in circuit.gates.iter().enumerate() {
            if *gate == Gate::Latch {
                let (name, next) = (&self.names[i + 1], latches[&(i as u32 + 1)]);
                let _ = writeln!(out, "{assign} init({name}) := {start};");
                let _ = writeln!(out, "{assign} next({name}) := {};", self.lit(next));
            }
        }
        for (name, bits) in numbers {
            // The program counter has the name that everybody expects.
            let name = if name == "pc" { "pc".to_owned() } else { self.fresh(&clean(name)) };
            let value = |(i, lit): (usize, &Lit)| {
                let (lit, weight) = (self.lit(*lit), 1u64 << i);
                match self.smv {
                    true => format!("({lit} ? {weight} : 0)"),
                    false => format!("if {lit} then {weight} else 0 endif"),
                }
            };
            if bits.len() < 31 {
                let sum: Vec<String> = bits.iter().enumerate().map(value).collect();
                let sum = if sum.is_empty() { "0".to_owned() } else { sum.join(" + ") };
                let _ = writeln!(out, "{define} {name} := {sum};");
            }
        }
        for (name, lit) in defines {
            let _ = writeln!(out, "{define} {name} := {};", self.lit(*lit));
        }
        Ok(())
    }
}
