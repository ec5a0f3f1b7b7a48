//! What the atoms of formulas mean in a program.
//!
//! The crate's page lists them. Constants of a variable ([`ir::Constant`]) are atoms, too, where no
//! global has their name.

use crate::expression::{Condition, Place, condition};
use crate::place::labelled_either;
use crate::{FormulaError, FormulaErrorKind, Hint, PropertyError, Which};
use automata::ltl::Atom;
use check::Meaning;
use ir::{
    BinaryOp, Constant, ExprId, Exprs, IndexVec, NodeId, ProcId, Program, Scalar, Type, VarId,
};
use rustc_hash::FxHashMap;
use source::{Span, suggest};

/// A variable that a formula may name.
#[derive(Clone, Copy)]
pub(crate) struct Variable {
    pub(crate) var: VarId,
    pub(crate) ty: Type,
    /// Its bits are those of a number with a sign.
    pub(crate) signed: bool,
    /// Whose local it is.
    pub(crate) proc: Option<ProcId>,
}

/// The names of a program that formulas may use.
pub(crate) struct Names<'a> {
    pub(crate) program: &'a Program,
    globals: FxHashMap<&'a str, VarId>,
    constants: FxHashMap<&'a str, Constant>,
    /// The frame that is spoken of: its procedure, and its variables, which need no `proc::`.
    frame: Option<(ProcId, &'a [VarId])>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(program: &'a Program) -> Names<'a> {
        let shown = program.globals.iter().filter(|&&g| !program.vars[g].hidden);
        let mut constants = FxHashMap::default();
        for &constant in &program.constants {
            constants.entry(program.text(constant.name)).or_insert(constant);
        }
        let globals = shown.map(|&g| (program.var_name(g), g)).collect();
        Names { program, globals, constants, frame: None }
    }

    /// The names of a frame of the procedure with these locals.
    pub(crate) fn of_frame(program: &'a Program, proc: ProcId, locals: &'a [VarId]) -> Names<'a> {
        Names { frame: Some((proc, locals)), ..Names::new(program) }
    }

    /// The variable that a name without `::` means: a local of the frame that is spoken of, or a global. `None`
    /// where there is neither.
    pub(crate) fn plain(&self, name: &str) -> Option<Result<Variable, FormulaErrorKind>> {
        let Some((proc, locals)) = self.frame else { return self.global(name).map(Ok) };
        let params = &self.program.procs[proc].locals[..self.program.procs[proc].params];
        let (mut param, mut local) = (Vec::new(), Vec::new());
        for &var in locals {
            let info = &self.program.vars[var];
            if info.hidden || self.program.var_name(var) != name {
                continue;
            }
            if params.contains(&var) { param.push(var) } else { local.push(var) }
        }
        let found = if local.is_empty() { param } else { local };
        match found[..] {
            [var] => {
                let ir::Var { ty, signed, .. } = self.program.vars[var];
                Some(Ok(Variable { var, ty, signed, proc: Some(proc) }))
            }
            [] => self.global(name).map(Ok),
            _ => Some(Err(FormulaErrorKind::Ambiguous {
                proc: self.program.proc_name(proc).to_owned(),
                name: name.to_owned(),
            })),
        }
    }

    /// Whether a word at which a formula begins is a name, and no operator before another one.
    /// `F`, `G` and `X` always are operators.
    pub(crate) fn knows(&self, word: &str) -> bool {
        !matches!(word, "F" | "G" | "X")
            && (self.globals.contains_key(word)
                || self.constants.contains_key(word)
                || self.program.proc_named(word).is_some())
    }

    pub(crate) fn global(&self, name: &str) -> Option<Variable> {
        let &var = self.globals.get(name)?;
        let ir::Var { ty, signed, .. } = self.program.vars[var];
        Some(Variable { var, ty, signed, proc: None })
    }

    pub(crate) fn constant(&self, name: &str) -> Option<Constant> {
        self.constants.get(name).copied()
    }

    fn proc(&self, name: &str) -> Result<ProcId, FormulaErrorKind> {
        let program = self.program;
        program.proc_named(name).ok_or_else(|| {
            let known = program.procs.ids().map(|id| program.proc_name(id));
            FormulaErrorKind::Place(PropertyError::UnknownProc {
                name: name.to_owned(),
                nearest: suggest(name, known).map(str::to_owned),
            })
        })
    }

    /// The locals of a procedure that have a name, parameters first.
    fn locals(&self, proc: ProcId) -> impl Iterator<Item = (usize, VarId, &'a str)> {
        let program = self.program;
        let locals = program.procs[proc].locals.iter().enumerate();
        locals
            .filter(|&(_, &var)| !program.vars[var].hidden)
            .map(|(i, &var)| (i, var, program.var_name(var)))
    }

    /// A local hides the parameter of the same name.
    pub(crate) fn local(&self, proc: &str, name: &str) -> Result<Variable, FormulaErrorKind> {
        let id = self.proc(proc)?;
        let params = self.program.procs[id].params;
        let (mut param, mut local) = (Vec::new(), Vec::new());
        for (i, var, _) in self.locals(id).filter(|&(_, _, n)| n == name) {
            if i < params { param.push(var) } else { local.push(var) }
        }
        let found = if local.is_empty() { param } else { local };
        match found[..] {
            [var] => {
                let ir::Var { ty, signed, .. } = self.program.vars[var];
                Ok(Variable { var, ty, signed, proc: Some(id) })
            }
            [] => Err(FormulaErrorKind::UnknownVariable {
                name: name.to_owned(),
                proc: Some(proc.to_owned()),
                hint: match self.globals.contains_key(name) {
                    true => Some(Hint::Write(name.to_owned())),
                    false => suggest(name, self.locals(id).map(|(_, _, known)| known))
                        .map(|near| Hint::Nearest(format!("{proc}::{near}"))),
                },
            }),
            _ => Err(FormulaErrorKind::Ambiguous { proc: proc.to_owned(), name: name.to_owned() }),
        }
    }

    /// Why there is no global of the name.
    pub(crate) fn unknown_global(&self, name: &str) -> FormulaErrorKind {
        let program = self.program;
        if let Some((proc, locals)) = self.frame {
            let known = locals.iter().chain(&program.globals).filter(|&&v| !program.vars[v].hidden);
            let near = suggest(name, known.map(|&v| program.var_name(v)));
            return FormulaErrorKind::UnknownVariable {
                name: name.to_owned(),
                proc: Some(program.proc_name(proc).to_owned()),
                hint: near.map(|near| Hint::Nearest(near.to_owned())),
            };
        }
        let owner = program.procs.ids().find(|&p| self.locals(p).any(|(_, _, n)| n == name));
        let hint = if let Some(owner) = owner {
            Some(Hint::Write(format!("{}::{name}", program.proc_name(owner))))
        } else if !program.labelled(None, name).is_empty() {
            Some(Hint::Write(format!("at({name})")))
        } else if program.proc_named(name).is_some() {
            Some(Hint::Write(format!("in({name})")))
        } else if self.constants.contains_key(name) {
            Some(Hint::Write(format!("\"x == {name}\"")))
        } else {
            let globals = program.globals.iter().filter(|&&g| !program.vars[g].hidden);
            let globals = globals.map(|&g| program.var_name(g));
            let constants = program.constants.iter().map(|c| program.text(c.name));
            let words = ["terminated", "error"];
            suggest(name, globals.chain(constants).chain(words))
                .map(|near| Hint::Nearest(near.to_owned()))
        };
        FormulaErrorKind::UnknownVariable { name: name.to_owned(), proc: None, hint }
    }
}

/// What an atom means; its expressions are added to `exprs`, which extends the program's.
pub(crate) fn meaning(
    names: &Names<'_>,
    exprs: &mut Exprs,
    atom: &Atom,
    formula: Which,
    text: &str,
    span: Span,
) -> Result<Meaning, Box<FormulaError>> {
    let program = names.program;
    let error = |kind| Box::new(FormulaError { formula, text: text.to_owned(), kind, span });
    let nodes = program.nodes.len();
    let nowhere = || Meaning {
        at: IndexVec::filled(Exprs::FALSE, nodes),
        terminated: Exprs::FALSE,
        failed: Exprs::FALSE,
    };
    Ok(match atom {
        Atom::Terminated => Meaning { terminated: Exprs::TRUE, ..nowhere() },
        Atom::Error => Meaning { failed: Exprs::TRUE, ..nowhere() },
        Atom::In(proc) => {
            let proc = names.proc(proc).map_err(error)?;
            within(program, Exprs::TRUE, &[proc])
        }
        Atom::At { proc, label } => {
            let proc = proc.as_ref().map(|p| names.proc(p)).transpose().map_err(error)?;
            let places = labelled_either(program, proc, label);
            let places = places.map_err(|e| error(FormulaErrorKind::Place(e)))?;
            let mut meaning = nowhere();
            for node in places {
                meaning.at[node] = Exprs::TRUE;
            }
            meaning
        }
        Atom::Var(name) => {
            if let Some(found) = names.global(name) {
                within(program, truth(exprs, found, name).map_err(error)?, &[])
            } else if let Some(Constant { value, var: Some(var), .. }) = names.constant(name) {
                let (now, value) = (exprs.pre(var), exprs.int(value));
                within(program, exprs.binary(BinaryOp::Eq, now, value), &[])
            } else if occurs(program, name) {
                event(program, name)
            } else {
                return Err(error(names.unknown_global(name)));
            }
        }
        Atom::Local { proc, var } => {
            let found = names.local(proc, var).map_err(error)?;
            let shown = format!("{proc}::{var}");
            let owner: Vec<ProcId> = found.proc.into_iter().collect();
            within(program, truth(exprs, found, &shown).map_err(error)?, &owner)
        }
        Atom::Expr(_) => {
            // Between the quotes.
            let range = span.start as usize + 1..(span.end as usize).saturating_sub(1);
            let Condition { expr, procs } =
                condition(names, exprs, &Place { formula, text, range })?;
            within(program, expr, &procs)
        }
        Atom::Event(text) => event(program, text),
        // Whatever is added to the language of atoms has to be added here.
        other => {
            let name = other.to_string();
            let kind = FormulaErrorKind::UnknownVariable { name, proc: None, hint: None };
            return Err(error(kind));
        }
    })
}

/// Where the steps that are about to be executed have an event. Front ends see to it that all steps
/// of a node agree on the events that formulas name.
fn event(program: &Program, text: &str) -> Meaning {
    let mut at = IndexVec::filled(Exprs::FALSE, program.nodes.len());
    for edge in program.edges.iter().filter(|e| e.step) {
        if program.events(edge.events).iter().any(|&e| program.text(e) == text) {
            at[edge.source] = Exprs::TRUE;
        }
    }
    Meaning { at, terminated: Exprs::FALSE, failed: Exprs::FALSE }
}

/// Whether some step has the event.
fn occurs(program: &Program, text: &str) -> bool {
    let has = |id| program.events(id).iter().any(|&e| program.text(e) == text);
    program.edges.iter().any(|e| e.step && has(e.events))
}

/// The condition where each of the procedures is on top: everywhere if there is none, nowhere if
/// there are two.
fn within(program: &Program, condition: ExprId, procs: &[ProcId]) -> Meaning {
    let here = |p: ProcId| procs.iter().all(|&q| p == q);
    let at = |node: NodeId| match here(program.nodes[node].proc) {
        true => condition,
        false => Exprs::FALSE,
    };
    let finished = if procs.is_empty() { condition } else { Exprs::FALSE };
    Meaning { at: program.nodes.ids().map(at).collect(), terminated: finished, failed: finished }
}

/// The value of a boolean variable.
fn truth(exprs: &mut Exprs, found: Variable, name: &str) -> Result<ExprId, FormulaErrorKind> {
    match (found.ty.array, found.ty.scalar) {
        (None, Scalar::Bool) => Ok(exprs.pre(found.var)),
        (None, Scalar::Int { .. }) => {
            Err(FormulaErrorKind::NotBoolean { what: format!("`{name}`") })
        }
        (Some(dim), scalar) => Err(FormulaErrorKind::Array {
            name: name.to_owned(),
            lo: dim.lo,
            boolean: scalar == Scalar::Bool,
        }),
    }
}
