//! The formulas of a property, read and resolved in a program.

use crate::atoms::{Names, meaning};
use crate::{FormulaError, FormulaErrorKind, Hint, PropertyError, Which};
use automata::ltl::{Atom, Binary, Formula, FormulaId, Formulas, Node, Unary, parse_with};
use automata::sere::{Condition, Nfa};
use check::{Meaning, Op, OpId, Temporal};
use ir::{ExprId, Exprs, IndexVec, Program};
use source::{Span, suggest};

/// What is to hold, and on which runs.
pub(crate) struct Resolved {
    /// One store for all formulas.
    pub(crate) formulas: Formulas,
    pub(crate) root: FormulaId,
    pub(crate) fair: Vec<FormulaId>,
    /// What each atom of the store means.
    pub(crate) meanings: Vec<Meaning>,
    /// The program's expressions, and those of `meanings`.
    pub(crate) exprs: Exprs,
}

impl Resolved {
    /// No formula, and no atoms yet.
    pub(crate) fn new(program: &Program) -> Resolved {
        let mut formulas = Formulas::new();
        let root = formulas.constant(true);
        let (fair, meanings, exprs) = (Vec::new(), Vec::new(), program.exprs.clone());
        Resolved { formulas, root, fair, meanings, exprs }
    }
}

/// Reads the formulas; the first error is reported.
pub(crate) fn resolve(
    program: &Program,
    formula: &str,
    fair: &[String],
) -> Result<Resolved, PropertyError> {
    let names = Names::new(program);
    let mut out = Resolved {
        formulas: Formulas::new(),
        root: Formulas::new().constant(true),
        fair: Vec::new(),
        meanings: Vec::new(),
        exprs: program.exprs.clone(),
    };
    out.root = out.read(&names, Which::Property, formula)?;
    for (i, text) in fair.iter().enumerate() {
        let root = out.read(&names, Which::Fair(i), text)?;
        out.fair.push(root);
    }
    Ok(out)
}

impl Resolved {
    fn read(
        &mut self,
        names: &Names<'_>,
        which: Which,
        text: &str,
    ) -> Result<FormulaId, PropertyError> {
        let wrong = |kind, span| {
            let error = FormulaError { formula: which, text: text.to_owned(), kind, span };
            PropertyError::Formula(Box::new(error))
        };
        let parsed = parse_with(text, &|word| names.knows(word)).map_err(|error| {
            let span = error.span;
            wrong(FormulaErrorKind::Syntax(error), span)
        })?;
        let used = parsed.formulas.atoms_of(parsed.root);
        let mut images = vec![None; parsed.formulas.atoms().len()];
        for id in used {
            let atom = &parsed.formulas.atoms()[id.index()];
            let image = self.formulas.atom(atom.clone());
            images[id.index()] = Some(image);
            let span = parsed.formulas.atom_span(id).unwrap_or_default();
            self.atom(names, atom, which, text, span).map_err(|mut error| {
                blame_split_word(names, &parsed, &mut error);
                PropertyError::Formula(error)
            })?;
        }
        // Subformulas come operands first.
        let mut map: Vec<Option<FormulaId>> = vec![None; parsed.root.index() + 1];
        for f in parsed.formulas.subformulas(parsed.root) {
            let image = |g: FormulaId| map[g.index()].expect("operands come first");
            let node = match parsed.formulas.node(f) {
                Node::Atom(atom) => {
                    map[f.index()] = images[atom.index()];
                    continue;
                }
                Node::Unary(op, g) => Node::Unary(op, image(g)),
                Node::Binary(op, g, h) => Node::Binary(op, image(g), image(h)),
                node => node,
            };
            map[f.index()] = Some(self.formulas.add(node));
        }
        Ok(map[parsed.root.index()].expect("the root is a subformula"))
    }

    /// The position of an atom, which is looked up if it is new.
    pub(crate) fn atom(
        &mut self,
        names: &Names<'_>,
        atom: &Atom,
        which: Which,
        text: &str,
        span: Span,
    ) -> Result<usize, Box<FormulaError>> {
        let image = self.formulas.atom(atom.clone());
        let Node::Atom(id) = self.formulas.node(image) else {
            unreachable!("an atom is an atom");
        };
        if id.index() == self.meanings.len() {
            self.meanings.push(meaning(names, &mut self.exprs, atom, which, text, span)?);
        }
        Ok(id.index())
    }

    /// What a counterexample satisfies: the assumptions again and again, and not the formula.
    /// Assumptions are left out for which `outside` says so.
    pub(crate) fn negated(&mut self, outside: impl Fn(FormulaId) -> bool) -> FormulaId {
        let mut all = self.formulas.not(self.root);
        for i in 0..self.fair.len() {
            if outside(self.fair[i]) {
                continue;
            }
            let again = self.formulas.unary(Unary::Finally, self.fair[i]);
            let again = self.formulas.unary(Unary::Globally, again);
            all = self.formulas.binary(Binary::And, all, again);
        }
        all
    }

    /// The assumptions that speak of the present only.
    pub(crate) fn present(&self) -> Vec<FormulaId> {
        let temporal = |f: FormulaId| match self.formulas.node(f) {
            Node::Unary(op, _) => op != Unary::Not,
            Node::Binary(op, ..) => !matches!(
                op,
                Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff
            ),
            _ => false,
        };
        let present = |&f: &FormulaId| !self.formulas.subformulas(f).into_iter().any(temporal);
        self.fair.iter().copied().filter(present).collect()
    }

    /// A formula about the present as a condition, where `pick` says what each atom is there.
    pub(crate) fn condition(
        &self,
        exprs: &mut Exprs,
        f: FormulaId,
        pick: &dyn Fn(&Meaning) -> ExprId,
    ) -> ExprId {
        let mut map: Vec<ExprId> = vec![Exprs::TRUE; f.index() + 1];
        for g in self.formulas.subformulas(f) {
            let of = |h: FormulaId| map[h.index()];
            map[g.index()] = match self.formulas.node(g) {
                Node::Const(value) => {
                    if value {
                        Exprs::TRUE
                    } else {
                        Exprs::FALSE
                    }
                }
                Node::Atom(atom) => pick(&self.meanings[atom.index()]),
                Node::Unary(_, h) => exprs.not(of(h)),
                Node::Binary(op, h, k) => {
                    let (h, k) = (of(h), of(k));
                    match op {
                        Binary::And => exprs.and(h, k),
                        Binary::Or => exprs.or(h, k),
                        Binary::Implies => {
                            let not = exprs.not(h);
                            exprs.or(not, k)
                        }
                        _ => {
                            // Equal or different.
                            let (not_h, not_k) = (exprs.not(h), exprs.not(k));
                            let (k, not_k) = match op {
                                Binary::Iff => (k, not_k),
                                _ => (not_k, k),
                            };
                            let (both, none) = (exprs.and(h, k), exprs.and(not_h, not_k));
                            exprs.or(both, none)
                        }
                    }
                }
                _ => Exprs::TRUE,
            };
        }
        map[f.index()]
    }

    /// The whole property for the judge of lassos: the assumptions imply the formula.
    pub(crate) fn temporal(&mut self) -> Temporal {
        let negated = self.negated(|_| false);
        let mut ops: IndexVec<OpId, Op> = IndexVec::new();
        let yes = ops.push(Op::True);
        let no = ops.push(Op::Not(yes));
        let mut map: Vec<OpId> = vec![yes; negated.index() + 1];
        for f in self.formulas.subformulas(negated) {
            let image = |g: FormulaId| map[g.index()];
            map[f.index()] = match self.formulas.node(f) {
                Node::Const(value) => {
                    if value {
                        yes
                    } else {
                        no
                    }
                }
                Node::Atom(atom) => ops.push(Op::Atom(atom.index() as u32)),
                Node::Unary(op, g) => {
                    let g = image(g);
                    ops.push(match op {
                        Unary::Not => Op::Not(g),
                        Unary::Next => Op::Next(g),
                        Unary::Finally => Op::Until(yes, g),
                        Unary::Globally => Op::Release(no, g),
                    })
                }
                Node::Binary(op, g, h) => {
                    let (g, h) = (image(g), image(h));
                    match op {
                        Binary::And => ops.push(Op::And(g, h)),
                        Binary::Or => ops.push(Op::Or(g, h)),
                        Binary::Implies => {
                            let not = ops.push(Op::Not(g));
                            ops.push(Op::Or(not, h))
                        }
                        Binary::Iff | Binary::Xor => {
                            let both = ops.push(Op::And(g, h));
                            let any = ops.push(Op::Or(g, h));
                            let none = ops.push(Op::Not(any));
                            let same = ops.push(Op::Or(both, none));
                            if op == Binary::Iff { same } else { ops.push(Op::Not(same)) }
                        }
                        Binary::Until => ops.push(Op::Until(g, h)),
                        Binary::Release => ops.push(Op::Release(g, h)),
                        Binary::WeakUntil => {
                            let any = ops.push(Op::Or(g, h));
                            ops.push(Op::Release(h, any))
                        }
                        Binary::StrongRelease => {
                            let both = ops.push(Op::And(g, h));
                            ops.push(Op::Until(h, both))
                        }
                    }
                }
                // Formulas have no other kind of node; a new one must be added here.
                other => unreachable!("{other:?} has no meaning"),
            };
        }
        let root = ops.push(Op::Not(map[negated.index()]));
        let (watch, atoms, exprs) = (Vec::new(), self.meanings.clone(), self.exprs.clone());
        Temporal { ops, root, watch, acceptor: None, atoms, exprs }
    }

    /// The suffix implication for the judge of lassos: what each state of the automaton of the words
    /// demands is that, for every transition that reads the letter, the formula holds if the automaton
    /// then accepts, and later what the next state demands.
    pub(crate) fn suffix(&mut self, trigger: &Nfa, atoms: &[usize]) -> Temporal {
        let mut out = self.temporal();
        let (ops, formula) = (&mut out.ops, out.root);
        let yes = ops.push(Op::True);
        let mut conditions: Vec<OpId> = Vec::with_capacity(trigger.conditions.len());
        for condition in &trigger.conditions {
            let get = |id: u32| conditions[id as usize];
            let op = match *condition {
                Condition::Constant(true) => Op::True,
                Condition::Constant(false) => Op::Not(yes),
                Condition::Atom(atom) => Op::Atom(atoms[atom as usize] as u32),
                Condition::Not(a) => Op::Not(get(a)),
                Condition::And(a, b) => Op::And(get(a), get(b)),
                Condition::Or(a, b) => Op::Or(get(a), get(b)),
            };
            conditions.push(ops.push(op));
        }
        for state in 0..trigger.accepting.len() as u32 {
            let mut demand = yes;
            for &(_, condition, to) in trigger.transitions.iter().filter(|t| t.0 == state) {
                let mut then = ops.push(Op::Later(to));
                if trigger.accepting[to as usize] {
                    then = ops.push(Op::And(formula, then));
                }
                let not = ops.push(Op::Not(conditions[condition as usize]));
                let either = ops.push(Op::Or(not, then));
                demand = ops.push(Op::And(demand, either));
            }
            out.watch.push(ops.push(Op::And(demand, yes)));
        }
        out.root = out.watch[0];
        out
    }
}

/// An unknown name that is the rest of a word: `lag` of `Flag`, read as `F lag`.
fn blame_split_word(names: &Names<'_>, parsed: &Formula, error: &mut FormulaError) {
    let FormulaErrorKind::UnknownVariable { proc: None, hint, .. } = &mut error.kind else {
        return;
    };
    let inside = |word: &&Span| word.start < error.span.start && error.span.end == word.end;
    let Some(word) = parsed.split_words.iter().find(inside) else { return };
    let word = &error.text[word.range()];
    let program = names.program;
    let shown = program.globals.iter().filter(|&&g| !program.vars[g].hidden);
    let nearest = suggest(word, shown.map(|&g| program.var_name(g)));
    if matches!(hint, Some(Hint::Write(_))) || (nearest.is_none() && hint.is_some()) {
        return;
    }
    *hint = Some(Hint::Split { word: word.to_owned(), nearest: nearest.map(str::to_owned) });
    // The whole word is marked, from the letter that was taken for an operator.
    error.span.start = error.span.end - word.len() as u32;
}
