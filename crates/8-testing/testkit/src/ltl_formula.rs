//! Formulas of linear temporal logic over the atoms of a program: their type, their text and
//! random ones. Small by nature, and no part of the crate that translates them.

use crate::rng::Rng;
use ir::{NodeId, ProcId, Program, Scalar, VarId};
use std::collections::BTreeMap;
use std::fmt;

/// What a formula says of one position of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A global is true.
    Global {
        /// The variable.
        var: VarId,
        /// Its name.
        text: String,
    },
    /// A number in a global has this value.
    Equals {
        /// The variable.
        var: VarId,
        /// The value.
        value: u64,
        /// As it is written.
        text: String,
    },
    /// The procedure is on top of the stack, and its local is true.
    Local {
        /// The procedure.
        proc: ProcId,
        /// Its variable.
        var: VarId,
        /// As it is written.
        text: String,
    },
    /// One of the statements is about to be executed.
    At {
        /// Where they stand.
        nodes: Vec<NodeId>,
        /// As it is written.
        text: String,
    },
    /// A statement of the procedure is about to be executed.
    In {
        /// The procedure.
        proc: ProcId,
        /// As it is written.
        text: String,
    },
    /// The program has finished.
    Terminated,
    /// An assertion has failed.
    Error,
}

/// A formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// A constant.
    Const(bool),
    /// An atom.
    Atom(Atom),
    /// An operator before a formula.
    Unary(Unary, Box<Formula>),
    /// An operator between two.
    Binary(Binary, Box<Formula>, Box<Formula>),
}

/// Operators before a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: at the next position.
    Next,
    /// `F`: now or later.
    Finally,
    /// `G`: now and always.
    Globally,
}

/// Operators between two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`: the second now or later, the first until then.
    Until,
    /// `R`: the second up to and including where the first holds, or for ever.
    Release,
    /// `W`: as `U`, or the first for ever.
    Weak,
    /// `M`: as `R`, and the first now or later.
    Strong,
}

impl Formula {
    /// How many temporal operators it has.
    pub fn temporal(&self) -> usize {
        match self {
            Formula::Const(_) | Formula::Atom(_) => 0,
            Formula::Unary(op, a) => (*op != Unary::Not) as usize + a.temporal(),
            Formula::Binary(op, a, b) => {
                let own =
                    matches!(op, Binary::Until | Binary::Release | Binary::Weak | Binary::Strong);
                own as usize + a.temporal() + b.temporal()
            }
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Atom::Global { text, .. }
            | Atom::Equals { text, .. }
            | Atom::Local { text, .. }
            | Atom::At { text, .. }
            | Atom::In { text, .. } => text,
            Atom::Terminated => "terminated",
            Atom::Error => "error",
        })
    }
}

/// With parentheses around every operand that is no atom: precedences are tested elsewhere.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = |a: &Formula, f: &mut fmt::Formatter<'_>| match a {
            Formula::Const(_) | Formula::Atom(_) => write!(f, "{a}"),
            _ => write!(f, "({a})"),
        };
        match self {
            Formula::Const(value) => write!(f, "{value}"),
            Formula::Atom(atom) => write!(f, "{atom}"),
            Formula::Unary(op, a) => {
                f.write_str(match op {
                    Unary::Not => "!",
                    Unary::Next => "X ",
                    Unary::Finally => "F ",
                    Unary::Globally => "G ",
                })?;
                operand(a, f)
            }
            Formula::Binary(op, a, b) => {
                operand(a, f)?;
                f.write_str(match op {
                    Binary::And => " && ",
                    Binary::Or => " || ",
                    Binary::Implies => " -> ",
                    Binary::Iff => " <-> ",
                    Binary::Until => " U ",
                    Binary::Release => " R ",
                    Binary::Weak => " W ",
                    Binary::Strong => " M ",
                })?;
                operand(b, f)
            }
        }
    }
}

/// A random formula of about `size` operators, at most `temporal` of them temporal.
pub fn random_formula(rng: &mut Rng, program: &Program, size: usize, temporal: usize) -> Formula {
    let atoms = atoms(program);
    let mut maker = Maker { rng, atoms: &atoms, temporal };
    if temporal >= 2 && maker.rng.chance(35) { maker.pattern() } else { maker.tree(size) }
}

/// Whether a name can stand in a formula as it is.
fn plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "terminated", "error", "at", "in", "xor"].contains(&name)
}

/// All atoms about a program, by kind; those with names that would need quotes are left out.
pub fn atoms(program: &Program) -> Vec<Vec<Atom>> {
    let shown = |var: VarId| {
        !program.vars[var].hidden
            && plain(program.var_name(var))
            && program.vars[var].ty.array.is_none()
    };
    let mut globals = Vec::new();
    for &var in program.globals.iter().filter(|&&var| shown(var)) {
        let name = program.var_name(var);
        match program.vars[var].ty.scalar {
            Scalar::Bool => globals.push(Atom::Global { var, text: name.to_owned() }),
            Scalar::Int { bits } => globals.extend((0..1u64 << bits).map(|value| {
                let text = format!("\"{name} == {value}\"");
                Atom::Equals { var, value, text }
            })),
        }
    }
    let (mut locals, mut procs) = (Vec::new(), Vec::new());
    for (proc, info) in program.procs.enumerate() {
        let name = program.proc_name(proc);
        if !plain(name) {
            continue;
        }
        procs.push(Atom::In { proc, text: format!("in({name})") });
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for &var in &info.locals {
            *names.entry(program.var_name(var)).or_default() += 1;
        }
        for &var in info.locals.iter().filter(|&&var| shown(var)) {
            let local = program.var_name(var);
            if names[local] == 1 && program.vars[var].ty.scalar == Scalar::Bool {
                locals.push(Atom::Local { proc, var, text: format!("{name}::{local}") });
            }
        }
    }
    let mut places = Vec::new();
    for label in &program.labels {
        let (name, proc) = (program.text(label.name), program.nodes[label.node].proc);
        let owner = program.proc_name(proc);
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && plain(owner) {
            let nodes = program.labelled(Some(proc), name);
            places.push(Atom::At { nodes, text: format!("at({owner}:{name})") });
            let nodes = program.labelled(None, name);
            places.push(Atom::At { nodes, text: format!("at({name})") });
        }
    }
    let ends = vec![Atom::Terminated, Atom::Error];
    [globals, locals, procs, places, ends].into_iter().filter(|kind| !kind.is_empty()).collect()
}

struct Maker<'a> {
    rng: &'a mut Rng,
    atoms: &'a [Vec<Atom>],
    /// Temporal operators left.
    temporal: usize,
}

impl Maker<'_> {
    fn atom(&mut self) -> Formula {
        // The first kinds are the most telling.
        let kind = self.rng.below(self.atoms.len() + 1) % self.atoms.len();
        Formula::Atom(self.rng.pick(&self.atoms[kind]).clone())
    }

    /// An atom, perhaps negated, or two of them.
    fn state(&mut self) -> Formula {
        let a = self.atom();
        match self.rng.below(8) {
            0 | 1 => Formula::Unary(Unary::Not, Box::new(a)),
            2 => Formula::Binary(Binary::And, Box::new(a), Box::new(self.atom())),
            3 => Formula::Binary(Binary::Or, Box::new(a), Box::new(self.atom())),
            _ => a,
        }
    }

    fn tree(&mut self, size: usize) -> Formula {
        if size == 0 {
            return match self.rng.below(20) {
                0 => Formula::Const(self.rng.coin()),
                _ => self.atom(),
            };
        }
        let kind = if self.temporal > 0 { self.rng.below(10) } else { 6 + self.rng.below(4) };
        self.temporal -= (kind < 6) as usize;
        let unary = |op, a| Formula::Unary(op, Box::new(a));
        match kind {
            0 => unary(Unary::Next, self.tree(size - 1)),
            1 => unary(Unary::Finally, self.tree(size - 1)),
            2 => unary(Unary::Globally, self.tree(size - 1)),
            6 => unary(Unary::Not, self.tree(size - 1)),
            kind => {
                let op = match kind {
                    3..6 => {
                        use Binary::{Release, Strong, Until, Weak};
                        *self.rng.pick(&[Until, Until, Release, Weak, Strong])
                    }
                    _ => {
                        use Binary::{And, Iff, Implies, Or};
                        *self.rng.pick(&[And, And, Or, Or, Implies, Iff])
                    }
                };
                let left = self.rng.below(size);
                let a = self.tree(left);
                let b = self.tree(size - 1 - left);
                Formula::Binary(op, Box::new(a), Box::new(b))
            }
        }
    }

    /// A formula of a kind that people write.
    fn pattern(&mut self) -> Formula {
        let not = |a: Formula| Formula::Unary(Unary::Not, Box::new(a));
        let always = |a: Formula| Formula::Unary(Unary::Globally, Box::new(a));
        let later = |a: Formula| Formula::Unary(Unary::Finally, Box::new(a));
        let (p, q) = (self.state(), self.state());
        let two = |op, a, b| Formula::Binary(op, Box::new(a), Box::new(b));
        match self.rng.below(10) {
            0 => always(two(Binary::Implies, p, later(q))),
            1 => always(later(p)),
            2 => later(always(p)),
            3 if self.temporal >= 4 => two(Binary::Implies, always(later(p)), always(later(q))),
            4 => always(two(Binary::Implies, p, Formula::Unary(Unary::Next, Box::new(q)))),
            5 => always(two(Binary::Implies, p, two(Binary::Weak, not(q), self.state()))),
            6 => later(two(Binary::And, p, Formula::Unary(Unary::Next, Box::new(q)))),
            7 if self.temporal >= 3 => {
                let until = two(Binary::Until, q, self.state());
                always(two(Binary::Implies, p, until))
            }
            8 => two(Binary::Or, later(p), always(q)),
            9 if self.temporal >= 3 => two(Binary::Implies, always(later(p)), later(q)),
            _ => always(two(Binary::Or, p, q)),
        }
    }
}

/// The value of an atom where a statement is about to be executed; `value` gives that of a scalar
/// in scope.
pub(crate) fn at_node(
    atom: &Atom,
    program: &Program,
    node: NodeId,
    value: impl Fn(VarId) -> u64,
) -> bool {
    let on_top = program.nodes[node].proc;
    match atom {
        Atom::Global { var, .. } => value(*var) == 1,
        Atom::Equals { var, value: wanted, .. } => value(*var) == *wanted,
        Atom::Local { proc, var, .. } => on_top == *proc && value(*var) == 1,
        Atom::At { nodes, .. } => nodes.contains(&node),
        Atom::In { proc, .. } => on_top == *proc,
        Atom::Terminated | Atom::Error => false,
    }
}

/// The value of an atom in a run that has failed, or finished.
pub(crate) fn at_end(atom: &Atom, failed: bool, value: impl Fn(VarId) -> u64) -> bool {
    match atom {
        Atom::Global { var, .. } => value(*var) == 1,
        Atom::Equals { var, value: wanted, .. } => value(*var) == *wanted,
        Atom::Local { .. } | Atom::At { .. } | Atom::In { .. } => false,
        Atom::Terminated => !failed,
        Atom::Error => failed,
    }
}

/// The atoms of a formula, each once.
pub(crate) fn collect(formula: &Formula) -> Vec<Atom> {
    let mut out: Vec<Atom> = Vec::new();
    let mut work = vec![formula];
    while let Some(part) = work.pop() {
        match part {
            Formula::Const(_) => {}
            Formula::Atom(atom) if out.contains(atom) => {}
            Formula::Atom(atom) => out.push(atom.clone()),
            Formula::Unary(_, a) => work.push(a),
            Formula::Binary(_, a, b) => work.extend([&**b, &**a]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_small_and_varied() {
        let program = crate::random_program(4);
        let mut rng = Rng::new(1);
        let texts: Vec<String> = (0..300)
            .map(|i| {
                let formula = random_formula(&mut rng, &program, 1 + i % 6, 4);
                assert!(formula.temporal() <= 4, "{formula}");
                formula.to_string()
            })
            .collect();
        let all = texts.join("\n");
        for word in ["G ", "F ", "X ", " U ", " R ", " W ", " M ", " <-> ", "!", "at(", "in("] {
            assert!(all.contains(word), "no `{word}`");
        }
    }
}
