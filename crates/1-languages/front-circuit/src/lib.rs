//! Circuits in AIGER's formats and in BTOR2, as programs: a loop whose rounds are the steps of the circuit.
//!
//! ```
//! // A latch that flips, and is bad when it is on.
//! let circuit = front_circuit::parse("aag 1 0 1 0 0 1\n2 3\n2\n").unwrap();
//! let program = front_circuit::lower(&circuit, "flip.aag");
//! assert_eq!(program.labelled(None, "bad0").len(), 1);
//! ```
//!
//! States are globals, a bit each, and so are the inputs of a round. The statement labelled `badN` is reached if the
//! circuit's bad state N is; there an assertion fails, so that `--assert` asks about all of them. Where a file of AIGER
//! names none, its outputs are meant. Words of BTOR2 have up to 64 bits; arrays, and what is about infinite runs, are
//! refused.

mod aiger;
mod binary;
mod btor2;
mod words;

pub use binary::text_of_binary;
use ir::{Exprs, Init, Program, ProgramBuilder, Rel, Type};
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

/// A function of states and inputs: twice the number of a gate, plus one if it is negated.
pub(crate) type Lit = u32;
pub(crate) const NO: Lit = 0;
pub(crate) const YES: Lit = 1;

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    No,
    Input,
    Latch,
    And(Lit, Lit),
}

/// A state bit: what it is at first, if anything, and what it becomes; what becomes of it may be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latch {
    pub(crate) gate: u32,
    pub(crate) first: Option<Lit>,
    pub(crate) next: Option<Lit>,
}

/// A circuit.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// Operands are older, but for AIGER's gates, which are in order of definition (`order`).
    pub(crate) gates: Vec<Gate>,
    pub(crate) order: Vec<u32>,
    pub(crate) names: Vec<(u32, String)>,
    pub(crate) inputs: Vec<u32>,
    pub(crate) latches: Vec<Latch>,
    pub(crate) bad: Vec<(Lit, u32)>,
    /// Names of bad states, by their number.
    pub(crate) bad_names: FxHashMap<usize, String>,
    pub(crate) constraints: Vec<Lit>,
}

/// What is wrong, and on which line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircuitError {
    /// One phrase.
    pub message: String,
    /// The place.
    pub span: Span,
}

impl CircuitError {
    /// The error for people.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error("circuit", self.message.clone()).at(self.span)
    }
}

/// Lines with their places.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (&str, Span)> {
    let mut start = 0u32;
    text.split_inclusive('\n').map(move |line| {
        let plain = line.trim_end();
        let span = Span::new(start, start + plain.len() as u32);
        start += line.len() as u32;
        (plain, span)
    })
}

pub(crate) fn wrong<T>(message: impl Into<String>, span: Span) -> Result<T, CircuitError> {
    Err(CircuitError { message: message.into(), span })
}

/// Reads a circuit: AIGER if it begins with `aag`, else BTOR2.
pub fn parse(text: &str) -> Result<Circuit, CircuitError> {
    let first = text.split_whitespace().next().unwrap_or("");
    match first {
        "aag" => aiger::parse(text),
        "aig" => wrong(
            "this is AIGER's binary format, which is read from files whose names end in `.aig`",
            Span::new(0, 3),
        ),
        // A circuit of which nothing is there would hold whatever is asked.
        _ if lines(text)
            .all(|(line, _)| line.split(';').next().unwrap_or("").trim().is_empty()) =>
        {
            wrong(
                "there is no circuit: AIGER begins with `aag`, BTOR2 with a line `1 sort …`",
                Span::new(0, 0),
            )
        }
        _ => btor2::parse(text),
    }
}

/// The program of a circuit.
#[must_use]
pub fn lower(circuit: &Circuit, file: &str) -> Program {
    let mut b = ProgramBuilder::new();
    let file = b.file(file);
    let names: FxHashMap<u32, &str> =
        circuit.names.iter().map(|(gate, name)| (*gate, name.as_str())).collect();
    let name = |gate: u32| names.get(&gate).map_or_else(|| format!("x{gate}"), |n| (*n).to_owned());
    let at = |b: &mut ProgramBuilder, line: u32, text: &str| b.origin(file, line, 1, text);
    let top = at(&mut b, 1, "");
    let mut vars = vec![None; circuit.gates.len()];
    let latches = circuit.latches.iter().map(|l| l.gate);
    for gate in latches.chain(circuit.inputs.iter().copied()) {
        vars[gate as usize] = Some(b.global(&name(gate), Type::BOOL, top));
    }
    // Functions of states and inputs.
    let mut exprs = vec![Exprs::FALSE; circuit.gates.len()];
    let of = |b: &mut ProgramBuilder, exprs: &[ir::ExprId], lit: Lit| {
        let e = exprs[(lit >> 1) as usize];
        if lit & 1 == 1 { b.exprs.not(e) } else { e }
    };
    for &gate in &circuit.order {
        exprs[gate as usize] = match (circuit.gates[gate as usize], vars[gate as usize]) {
            (Gate::And(x, y), _) => {
                let (x, y) = (of(&mut b, &exprs, x), of(&mut b, &exprs, y));
                b.exprs.and(x, y)
            }
            (_, Some(var)) => b.exprs.pre(var),
            (_, None) => Exprs::FALSE,
        };
    }
    let mut allowed = Exprs::TRUE;
    for &lit in &circuit.constraints {
        let holds = of(&mut b, &exprs, lit);
        allowed = b.exprs.and(allowed, holds);
    }
    let main = b.proc("main", top);
    b.begin_proc(main);
    let (begin, read, step) =
        (at(&mut b, 1, "the first state"), at(&mut b, 1, "inputs"), at(&mut b, 1, "a step"));
    let (begin, read, step) = (b.statement(begin), b.statement(read), b.statement(step));
    let exit = b.silent();
    b.entry(main, begin);
    let mut first = Vec::new();
    let mut next = Vec::new();
    for latch in &circuit.latches {
        let Some(var) = vars[latch.gate as usize] else { continue };
        if let Some(lit) = latch.first {
            first.push((var, Some(of(&mut b, &exprs, lit))));
        }
        let value = latch.next.map(|lit| of(&mut b, &exprs, lit));
        next.push((var, value));
    }
    b.step(begin, read, Rel::assign(first, 0));
    let inputs: Vec<_> =
        circuit.inputs.iter().filter_map(|&i| vars[i as usize]).map(|v| (v, None)).collect();
    b.step(read, step, Rel::assign(inputs, 0));
    let rel = Rel { guard: allowed, ..Rel::assign(next, 0) };
    b.step(step, read, rel);
    for (i, &(lit, line)) in circuit.bad.iter().enumerate() {
        let label = format!("bad{i}");
        let named = circuit.bad_names.get(&i).map(|name| format!("{label} ({name})"));
        let origin = at(&mut b, line, named.as_ref().unwrap_or(&label));
        let here = b.statement(origin);
        b.label(&label, here);
        let is = of(&mut b, &exprs, lit);
        let when = b.exprs.and(allowed, is);
        b.step(step, here, Rel::guarded(when, 0));
        let error = b.error_node();
        b.step(here, error, Rel::identity());
    }
    b.ret(exit, Rel::identity(), false);
    b.finish(main, Init::default())
}
