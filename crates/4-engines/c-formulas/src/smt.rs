//! Clauses in SMT-LIB: words are bit-vectors, words of one bit truth values, memory an array of bytes.

use crate::clauses::{Atom, Clause};
use crate::terms::{Cmp, Node, Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// What stands above the clauses.
pub(crate) const HEADER: &str = "\
; The data program of a C program as Horn clauses, for Spacer and others.
; sat: no run does what was asked about; unsat: some run does.
; Arithmetic wraps around; a run ends at a division without a result and at an access near the address 0. Memory is
; flat: an access beyond an object is not noticed. Each object has an address of its own for ever, allocations succeed
; as long as there is room, and what was never written is arbitrary.
(set-logic HORN)
";

pub(crate) fn sort(bits: u32, pointer: u32) -> String {
    match bits {
        0 => format!("(Array (_ BitVec {pointer}) (_ BitVec 8))"),
        1 => "Bool".to_owned(),
        n => format!("(_ BitVec {n})"),
    }
}

/// A name as SMT-LIB has them.
pub(crate) fn word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut out: String = name.chars().map(plain).take(40).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert(0, 'v');
    }
    out
}

/// Texts of terms. What is used more than once gets a name.
struct Texts<'t> {
    terms: &'t Terms,
    texts: FxHashMap<Term, String>,
    quantified: Vec<(String, u32)>,
    names: FxHashSet<String>,
    equations: Vec<String>,
}

pub(crate) fn clause(out: &mut String, terms: &Terms, clause: &Clause, pointer: u32) {
    let args = clause.body.iter().chain(&clause.head).flat_map(|a| a.args.iter().copied());
    let conditions: Vec<Term> = clause.conditions.clone();
    let roots: Vec<Term> = args.chain(conditions.iter().copied()).collect();
    let mut all = Texts {
        terms,
        texts: FxHashMap::default(),
        quantified: Vec::new(),
        names: FxHashSet::default(),
        equations: Vec::new(),
    };
    all.write(&roots);
    let mut body: Vec<String> = clause.body.iter().map(|atom| all.atom(atom)).collect();
    let head = clause.head.as_ref().map_or("false".to_owned(), |atom| all.atom(atom));
    body.append(&mut all.equations);
    let mut seen = FxHashSet::default();
    for condition in conditions {
        let text = &all.texts[&condition];
        if text != "true" && seen.insert(condition) {
            body.push(text.clone());
        }
    }
    let body = match &body[..] {
        [] => "true".to_owned(),
        [one] => one.clone(),
        more => format!("(and {})", more.join("\n       ")),
    };
    let _ = match all.quantified.is_empty() {
        true => writeln!(out, "(assert (=> {body}\n  {head}))"),
        false => {
            let vars = all.quantified.iter();
            let vars: Vec<String> =
                vars.map(|(name, bits)| format!("({name} {})", sort(*bits, pointer))).collect();
            writeln!(out, "(assert (forall ({})\n  (=> {body}\n  {head})))", vars.join(" "))
        }
    };
}

impl Texts<'_> {
    fn write(&mut self, roots: &[Term]) {
        let cone = self.terms.cone(roots.iter().copied());
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        for t in roots
            .iter()
            .copied()
            .chain(cone.iter().flat_map(|t| self.terms.node(*t).below().into_iter().flatten()))
        {
            *uses.entry(t).or_default() += 1;
        }
        for t in cone {
            let bits = self.terms.bits(t);
            let node = self.terms.node(t);
            let text = match node {
                Node::Var { var, .. } => {
                    let name = format!("{}_{var}", word(&self.terms.names[var as usize]));
                    self.quantify(&name, bits)
                }
                _ => self.text(node, bits),
            };
            let shared = uses[&t] > 1 && !matches!(node, Node::Var { .. } | Node::Number { .. });
            let text = if shared { self.named(&format!("t{}", t.0), bits, &text) } else { text };
            self.texts.insert(t, text);
        }
    }

    fn named(&mut self, name: &str, bits: u32, text: &str) -> String {
        self.equations.push(format!("(= {name} {text})"));
        self.quantify(name, bits)
    }

    fn quantify(&mut self, name: &str, bits: u32) -> String {
        self.quantified.push((name.to_owned(), bits));
        self.names.insert(name.to_owned());
        name.to_owned()
    }

    fn text(&self, node: Node, bits: u32) -> String {
        let of = |t: Term| self.texts[&t].as_str();
        let is_truth = |t: Term| self.terms.bits(t) == 1;
        match node {
            Node::Number { bits: 1, value } => {
                (if value == 1 { "true" } else { "false" }).to_owned()
            }
            Node::Number { bits, value } if bits % 4 == 0 => {
                format!("#x{value:0width$x}", width = bits as usize / 4)
            }
            Node::Number { bits, value } => format!("#b{value:0width$b}", width = bits as usize),
            Node::Var { .. } => String::new(),
            Node::Not(a) if is_truth(a) => format!("(not {})", of(a)),
            Node::Not(a) => format!("(bvnot {})", of(a)),
            Node::Op(op, a, b) => {
                let word = match (op, is_truth(a)) {
                    (Op::And, true) => "and",
                    (Op::Or, true) => "or",
                    (Op::Xor, true) => "xor",
                    (Op::Add, _) => "bvadd",
                    (Op::Sub, _) => "bvsub",
                    (Op::Mul, _) => "bvmul",
                    (Op::And, _) => "bvand",
                    (Op::Or, _) => "bvor",
                    (Op::Xor, _) => "bvxor",
                    (Op::DivU, _) => "bvudiv",
                    (Op::RemU, _) => "bvurem",
                    (Op::DivS, _) => "bvsdiv",
                    (Op::RemS, _) => "bvsrem",
                    (Op::Shl, _) => "bvshl",
                    (Op::ShrU, _) => "bvlshr",
                    (Op::ShrS, _) => "bvashr",
                };
                format!("({word} {} {})", of(a), of(b))
            }
            Node::Compare(cmp, a, b) => {
                let word = match cmp {
                    Cmp::Eq => "=",
                    Cmp::LtU => "bvult",
                    Cmp::LeU => "bvule",
                    Cmp::LtS => "bvslt",
                    Cmp::LeS => "bvsle",
                };
                format!("({word} {} {})", of(a), of(b))
            }
            Node::Slice(a, first, 1) => format!("(= ((_ extract {first} {first}) {}) #b1)", of(a)),
            Node::Slice(a, first, bits) => {
                format!("((_ extract {} {first}) {})", first + bits - 1, of(a))
            }
            Node::Extend(a, _, by_sign) if is_truth(a) => {
                let one = if by_sign { "1" } else { "0" }.repeat(bits as usize - 1) + "1";
                format!("(ite {} #b{one} #b{})", of(a), "0".repeat(bits as usize))
            }
            Node::Extend(a, bits, by_sign) => {
                let word = if by_sign { "sign_extend" } else { "zero_extend" };
                format!("((_ {word} {}) {})", bits - self.terms.bits(a), of(a))
            }
            Node::Concat(a, b) => {
                let part = |t: Term| match is_truth(t) {
                    true => format!("(ite {} #b1 #b0)", of(t)),
                    false => of(t).to_owned(),
                };
                format!("(concat {} {})", part(a), part(b))
            }
            Node::Select(memory, at) => format!("(select {} {})", of(memory), of(at)),
            Node::Store(memory, at, byte) => {
                format!("(store {} {} {})", of(memory), of(at), of(byte))
            }
        }
    }

    /// A predicate over variables that are all different.
    fn atom(&mut self, atom: &Atom) -> String {
        let mut out = atom.name.clone();
        if atom.args.is_empty() {
            return out;
        }
        let mut seen = FxHashSet::default();
        for &arg in &atom.args {
            let text = self.texts[&arg].clone();
            let text = match self.names.contains(&text) && seen.insert(arg) {
                true => text,
                false => {
                    let name = format!("a{}", self.quantified.len());
                    self.named(&name, self.terms.bits(arg), &text)
                }
            };
            let _ = write!(out, " {text}");
        }
        format!("({out})")
    }
}
