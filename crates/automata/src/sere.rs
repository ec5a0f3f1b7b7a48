//! Sugar's extended regular expressions (SERE), and properties that are made of them ([c2edl §3], PSL).
//!
//! | text | words |
//! |---|---|
//! | `b` | one letter at which the boolean `b` holds |
//! | `r ; s`, `r , s` | one after the other |
//! | `r : s` | the last letter of the one is the first of the other |
//! | `r \| s` | either |
//! | `r && s` | both, of the same length |
//! | `r & s` | both; the shorter one may end before |
//! | `r[*]`, `r[+]`, `r[*n]`, `r[*n:m]` | any number, at least one, so many times |
//! | `b[->n]`, `b[=n]` | up to the `n`th `b`; the same and then no `b` |
//!
//! A property is `never {r}`, `{r}(f)`, `{r} |-> f` or `{r} |=> f`. The empty word triggers none. If `f` is
//! a boolean, finite words violate the property ([`violations`]); it may be a formula of LTL, about the run
//! that begins with the last letter of the word ([`property`], [`crate::suffix`]).
//!
//! ```
//! use automata::sere::violations;
//!
//! let nfa = violations("{true[*]; request; !grant[*]}(!reset)").unwrap();
//! let atom = |name: &str| nfa.atoms.iter().position(|a| a == name).unwrap() as u32;
//! let (request, reset) = (atom("request"), atom("reset"));
//! assert!(nfa.accepts(&[vec![request], vec![], vec![reset]]));
//! assert!(!nfa.accepts(&[vec![reset], vec![request], vec![]]));
//! ```

use crate::ltl::{self, Binary, Formula, FormulaId, LtlError, Unary, parse_with};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Larger automata are refused.
pub const MAX_STATES: usize = 10_000;

/// Why a text is no property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SereError {
    /// Where, in bytes.
    pub at: usize,
    /// What.
    pub kind: SereErrorKind,
}

/// What is wrong with a property.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SereErrorKind {
    /// Something else should stand here.
    Expected(&'static str),
    /// `!`, `[->n]` and `[=n]` want a boolean.
    NotBoolean,
    /// A bracket that is not closed, or never was opened.
    Bracket,
    /// `[*n:m]` with `m < n`.
    Range,
    /// More than [`MAX_STATES`] states.
    TooLarge,
    /// The conclusion is neither a boolean nor a formula of LTL.
    Conclusion(Box<LtlError>),
}

impl fmt::Display for SereError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SereErrorKind::Expected(what) => write!(f, "expected {what}"),
            SereErrorKind::NotBoolean => write!(f, "expected a boolean, found a sequence"),
            SereErrorKind::Bracket => write!(f, "a bracket without its partner"),
            SereErrorKind::Range => write!(f, "an empty range"),
            SereErrorKind::TooLarge => write!(f, "an automaton of more than {MAX_STATES} states"),
            SereErrorKind::Conclusion(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SereError {}

/// The position of a boolean in [`Nfa::conditions`].
pub type ConditionId = u32;

/// A boolean over atoms; operands come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// `true`, `false`
    Constant(bool),
    /// An atom, by its position in [`Nfa::atoms`].
    Atom(u32),
    /// `!b`
    Not(ConditionId),
    /// `b && c`
    And(ConditionId, ConditionId),
    /// `b || c`
    Or(ConditionId, ConditionId),
}

/// A finite automaton over letters; its words violate a property. State 0 is initial.
#[derive(Clone, Debug)]
pub struct Nfa {
    /// The atoms, as they are written, in order of appearance.
    pub atoms: Vec<String>,
    /// The booleans on transitions.
    pub conditions: Vec<Condition>,
    /// From, letter, to; sorted.
    pub transitions: Vec<(u32, ConditionId, u32)>,
    /// For each state, whether it accepts.
    pub accepting: Vec<bool>,
}

impl Nfa {
    /// Whether a boolean holds of a letter, given by what it says of atoms.
    pub fn holds(&self, condition: ConditionId, letter: &dyn Fn(u32) -> bool) -> bool {
        let mut values = Vec::with_capacity(condition as usize + 1);
        for c in &self.conditions[..=condition as usize] {
            let get = |id: ConditionId| -> bool { values[id as usize] };
            let value = match *c {
                Condition::Constant(value) => value,
                Condition::Atom(atom) => letter(atom),
                Condition::Not(a) => !get(a),
                Condition::And(a, b) => get(a) && get(b),
                Condition::Or(a, b) => get(a) || get(b),
            };
            values.push(value);
        }
        values[condition as usize]
    }

    /// Whether it accepts a word; letters are given by the atoms that hold.
    pub fn accepts(&self, word: &[Vec<u32>]) -> bool {
        let mut states = vec![false; self.accepting.len()];
        states[0] = true;
        for letter in word {
            let mut next = vec![false; states.len()];
            for &(from, condition, to) in &self.transitions {
                if states[from as usize] && self.holds(condition, &|atom| letter.contains(&atom)) {
                    next[to as usize] = true;
                }
            }
            states = next;
        }
        states.iter().zip(&self.accepting).any(|(here, accepts)| *here && *accepts)
    }
}

/// A property.
#[derive(Clone, Debug)]
pub enum Sere {
    /// Its conclusion is a boolean: the finite words that violate it.
    Words(Nfa),
    /// `{r}(f)` with a temporal `f`, which is to hold at the last letter of every word of `r`.
    Suffix {
        /// The words of `r`.
        trigger: Nfa,
        /// Where `f` is in the text.
        conclusion: Range<usize>,
    },
}

/// Reads a property. Its conclusion is a formula of LTL; `known` tells, as for
/// [`parse_with`], which words are names.
pub fn property(text: &str, known: &dyn Fn(&str) -> bool) -> Result<Sere, SereError> {
    let mut parser = Parser::new(text);
    let (root, conclusion) = parser.sides()?;
    let Some(conclusion) = conclusion else { return parser.never(root).map(Sere::Words) };
    let boolean = match parse_with(&text[conclusion.clone()], known) {
        Ok(f) if is_temporal(&f) => {
            return Ok(Sere::Suffix { trigger: parser.automaton(root)?, conclusion });
        }
        // Sugar's own booleans come first, then what LTL has besides.
        Ok(f) => match parser.boolean(conclusion) {
            Ok(b) => b,
            Err(_) => parser.lowered(&f),
        },
        Err(ltl) => parser.boolean(conclusion.clone()).map_err(|sere| {
            let at = conclusion.start + ltl.span.start as usize;
            match at > sere.at {
                true => SereError { at, kind: SereErrorKind::Conclusion(Box::new(ltl)) },
                false => sere,
            }
        })?,
    };
    parser.violating(root, boolean).map(Sere::Words)
}

/// The words that violate a property whose conclusion is a boolean.
pub fn violations(text: &str) -> Result<Nfa, SereError> {
    let mut parser = Parser::new(text);
    let (root, conclusion) = parser.sides()?;
    match conclusion {
        None => parser.never(root),
        Some(conclusion) => {
            let boolean = parser.boolean(conclusion)?;
            parser.violating(root, boolean)
        }
    }
}

/// Whether a formula speaks of more than the present.
fn is_temporal(f: &Formula) -> bool {
    f.formulas.subformulas(f.root).into_iter().any(|g| match f.formulas.node(g) {
        ltl::Node::Unary(op, _) => op != Unary::Not,
        ltl::Node::Binary(op, ..) => matches!(
            op,
            Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease
        ),
        _ => false,
    })
}

type NodeId = u32;

#[derive(Clone, Copy, Debug)]
enum Node {
    Bool(ConditionId),
    Concat(NodeId, NodeId),
    Fusion(NodeId, NodeId),
    Or(NodeId, NodeId),
    /// Length-matching.
    Both(NodeId, NodeId),
    /// So many times; without a bound.
    Repeat(NodeId, u32, Option<u32>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Open(usize, char),
    Not(usize),
    Concat,
    Fusion,
    Or,
    And,
    Both,
}

impl Op {
    fn level(self) -> u8 {
        match self {
            Op::Open(..) => 0,
            Op::Concat => 1,
            Op::Fusion => 2,
            Op::Or => 3,
            Op::And | Op::Both => 4,
            Op::Not(_) => 5,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    nodes: Vec<Node>,
    atoms: Vec<String>,
    conditions: Vec<Condition>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser { text, pos: 0, nodes: Vec::new(), atoms: Vec::new(), conditions: Vec::new() }
    }
    fn expected(&self, what: &'static str) -> SereError {
        SereError { at: self.pos, kind: SereErrorKind::Expected(what) }
    }
    fn peek(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }
    fn space(&mut self) {
        let rest = &self.text[self.pos..];
        self.pos += rest.len() - rest.trim_start().len();
    }
    fn word(&mut self, word: &str) -> bool {
        self.space();
        let rest = &self.text[self.pos..];
        let found = rest.starts_with(word)
            && !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if found {
            self.pos += word.len();
        }
        found
    }
    /// The bracket that closes the one here; the position stays.
    fn matching(&self) -> Result<usize, SereError> {
        let mut open = Vec::new();
        let mut quoted = false;
        for (i, c) in self.text[self.pos..].char_indices() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' | '{' => open.push(c),
                ')' | '}' => {
                    let partner = if c == ')' { '(' } else { '{' };
                    if open.pop() != Some(partner) {
                        return Err(SereError { at: self.pos + i, kind: SereErrorKind::Bracket });
                    }
                    if open.is_empty() {
                        return Ok(self.pos + i);
                    }
                }
                _ => {}
            }
        }
        Err(SereError { at: self.pos, kind: SereErrorKind::Bracket })
    }

    fn node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }
    fn condition(&mut self, condition: Condition) -> ConditionId {
        if let Some(found) = self.conditions.iter().position(|c| *c == condition) {
            return found as ConditionId;
        }
        self.conditions.push(condition);
        self.conditions.len() as ConditionId - 1
    }
    fn constant(&mut self, value: bool) -> NodeId {
        let b = self.condition(Condition::Constant(value));
        self.node(Node::Bool(b))
    }
    fn anything(&mut self) -> NodeId {
        let any = self.constant(true);
        self.node(Node::Repeat(any, 0, None))
    }

    /// `{r}`, and where its conclusion is; `never {r}` has none.
    fn sides(&mut self) -> Result<(NodeId, Option<Range<usize>>), SereError> {
        let text = self.text;
        let never = self.word("never");
        self.space();
        if self.peek() != Some('{') {
            return Err(self.expected("`{`"));
        }
        let open = self.pos;
        let close = self.matching()?;
        let mut root = self.part(open + 1, close)?;
        self.pos = close + 1;
        self.space();
        let mut conclusion = None;
        if !never {
            let rest = &text[self.pos..];
            if rest.starts_with('(') {
                let (open, close) = (self.pos, self.matching()?);
                conclusion = Some(open + 1..close);
                self.pos = close + 1;
            } else if rest.starts_with("|->") || rest.starts_with("|=>") {
                if rest.starts_with("|=>") {
                    let one = self.constant(true);
                    root = self.node(Node::Concat(root, one));
                }
                conclusion = Some(self.pos + 3..text.len());
                self.pos = text.len();
            } else {
                return Err(self.expected("`(`, `|->` or `|=>`"));
            }
        }
        self.space();
        match self.pos < text.len() {
            true => Err(self.expected("the end")),
            false => Ok((root, conclusion)),
        }
    }

    /// The conclusion as a boolean.
    fn boolean(&mut self, conclusion: Range<usize>) -> Result<ConditionId, SereError> {
        let node = self.part(conclusion.start, conclusion.end)?;
        match self.nodes[node as usize] {
            Node::Bool(b) => Ok(b),
            _ => Err(SereError { at: conclusion.start, kind: SereErrorKind::NotBoolean }),
        }
    }

    /// A formula about the present as a boolean.
    fn lowered(&mut self, f: &Formula) -> ConditionId {
        let mut map: Vec<ConditionId> = vec![0; f.root.index() + 1];
        for g in f.formulas.subformulas(f.root) {
            let get = |h: FormulaId| map[h.index()];
            let not = |parser: &mut Self, b| parser.condition(Condition::Not(b));
            map[g.index()] = match f.formulas.node(g) {
                ltl::Node::Const(value) => self.condition(Condition::Constant(value)),
                ltl::Node::Atom(atom) => {
                    let node = self.named(f.formulas.atoms()[atom.index()].to_string());
                    match self.nodes[node as usize] {
                        Node::Bool(b) => b,
                        _ => unreachable!("atoms are booleans"),
                    }
                }
                ltl::Node::Unary(_, h) => not(self, get(h)),
                ltl::Node::Binary(op, h, k) => {
                    let (h, k) = (get(h), get(k));
                    match op {
                        Binary::And => self.condition(Condition::And(h, k)),
                        Binary::Or => self.condition(Condition::Or(h, k)),
                        Binary::Implies => {
                            let h = not(self, h);
                            self.condition(Condition::Or(h, k))
                        }
                        _ => {
                            let both = self.condition(Condition::And(h, k));
                            let any = self.condition(Condition::Or(h, k));
                            let none = not(self, any);
                            let same = self.condition(Condition::Or(both, none));
                            if op == Binary::Iff { same } else { not(self, same) }
                        }
                    }
                }
            };
        }
        map[f.root.index()]
    }

    /// The words of `never {r}`.
    fn never(mut self, root: NodeId) -> Result<Nfa, SereError> {
        let anything = self.anything();
        let root = self.node(Node::Concat(anything, root));
        self.automaton(root)
    }

    /// The words of `r` at whose last letter the conclusion is false.
    fn violating(mut self, root: NodeId, conclusion: ConditionId) -> Result<Nfa, SereError> {
        let not = self.condition(Condition::Not(conclusion));
        let not = self.node(Node::Bool(not));
        let root = self.node(Node::Fusion(root, not));
        self.automaton(root)
    }

    /// The expression between two positions.
    fn part(&mut self, from: usize, to: usize) -> Result<NodeId, SereError> {
        self.pos = from;
        let mut operands: Vec<NodeId> = Vec::new();
        let mut ops: Vec<Op> = Vec::new();
        'operand: loop {
            self.space_to(to);
            let at = self.pos;
            let c = if at < to { self.peek() } else { None };
            match c {
                Some('!') => {
                    self.pos += 1;
                    ops.push(Op::Not(at));
                    continue;
                }
                Some(c @ ('(' | '{')) => {
                    self.pos += 1;
                    ops.push(Op::Open(at, c));
                    continue;
                }
                Some(c) if c.is_alphanumeric() || matches!(c, '_' | '"' | '$') => {
                    let operand = self.atom(to)?;
                    operands.push(operand);
                }
                _ => return Err(self.expected("a boolean or `{`")),
            }
            // After an operand: negations, repetitions, closing brackets, then an operator.
            loop {
                self.negate(&mut operands, &mut ops)?;
                self.space_to(to);
                let rest = if self.pos < to { &self.text[self.pos..to] } else { "" };
                if rest.starts_with('[') {
                    let top = operands.pop().expect("an operand was read");
                    let repeated = self.repetition(top, to)?;
                    operands.push(repeated);
                    continue;
                }
                if let Some(c) = rest.chars().next().filter(|c| matches!(c, ')' | '}')) {
                    self.reduce(&mut operands, &mut ops, 1);
                    match ops.pop() {
                        Some(Op::Open(_, open)) if (open == '(') == (c == ')') => self.pos += 1,
                        _ => {
                            return Err(SereError { at: self.pos, kind: SereErrorKind::Bracket });
                        }
                    }
                    continue;
                }
                let (op, length) = match rest {
                    "" => {
                        self.reduce(&mut operands, &mut ops, 1);
                        if let Some(Op::Open(at, _)) = ops.last() {
                            return Err(SereError { at: *at, kind: SereErrorKind::Bracket });
                        }
                        return Ok(operands.pop().expect("an operand was read"));
                    }
                    r if r.starts_with("&&") => (Op::Both, 2),
                    r if r.starts_with('&') => (Op::And, 1),
                    r if r.starts_with("||") => (Op::Or, 2),
                    r if r.starts_with('|') => (Op::Or, 1),
                    r if r.starts_with([';', ',']) => (Op::Concat, 1),
                    r if r.starts_with(':') => (Op::Fusion, 1),
                    _ => return Err(self.expected("an operator")),
                };
                self.reduce(&mut operands, &mut ops, op.level());
                ops.push(op);
                self.pos += length;
                continue 'operand;
            }
        }
    }

    fn space_to(&mut self, to: usize) {
        self.space();
        self.pos = self.pos.min(to);
    }

    /// `!` binds tighter than anything.
    fn negate(&mut self, operands: &mut Vec<NodeId>, ops: &mut Vec<Op>) -> Result<(), SereError> {
        while let Some(Op::Not(at)) = ops.last().copied() {
            ops.pop();
            let top = operands.pop().expect("an operand was read");
            let Node::Bool(b) = self.nodes[top as usize] else {
                return Err(SereError { at, kind: SereErrorKind::NotBoolean });
            };
            let b = self.condition(Condition::Not(b));
            let node = self.node(Node::Bool(b));
            operands.push(node);
        }
        Ok(())
    }

    /// Does the operators that bind at least as tight.
    fn reduce(&mut self, operands: &mut Vec<NodeId>, ops: &mut Vec<Op>, level: u8) {
        while let Some(&op) = ops.last()
            && op.level() >= level
        {
            ops.pop();
            let b = operands.pop().expect("two operands");
            let a = operands.pop().expect("two operands");
            let booleans = match (self.nodes[a as usize], self.nodes[b as usize]) {
                (Node::Bool(x), Node::Bool(y)) => Some((x, y)),
                _ => None,
            };
            let node = match (op, booleans) {
                (Op::Concat, _) => Node::Concat(a, b),
                (Op::Fusion, _) => Node::Fusion(a, b),
                (Op::Or, Some((x, y))) => Node::Bool(self.condition(Condition::Or(x, y))),
                (Op::Or, None) => Node::Or(a, b),
                (_, Some((x, y))) => Node::Bool(self.condition(Condition::And(x, y))),
                (Op::Both, None) => Node::Both(a, b),
                _ => {
                    // The shorter one is followed by anything.
                    let any = self.anything();
                    let longer_a = self.node(Node::Concat(a, any));
                    let longer_b = self.node(Node::Concat(b, any));
                    let left = self.node(Node::Both(a, longer_b));
                    let right = self.node(Node::Both(longer_a, b));
                    Node::Or(left, right)
                }
            };
            let node = self.node(node);
            operands.push(node);
        }
    }

    /// A name, perhaps with arguments; a constant; a quoted text.
    fn atom(&mut self, to: usize) -> Result<NodeId, SereError> {
        let start = self.pos;
        if self.peek() == Some('"') {
            let rest = &self.text[start + 1..to];
            let Some(end) = rest.find('"') else {
                return Err(self.expected("a closing quote"));
            };
            self.pos = start + end + 2;
            let name = self.text[start..self.pos].to_owned();
            return Ok(self.named(name));
        }
        let rest = &self.text[start..to];
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.')))
            .unwrap_or(rest.len());
        // `f::x` is one name.
        let length = match rest[length..].strip_prefix("::") {
            Some(name) => {
                let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
                length + 2 + end.unwrap_or(name.len())
            }
            None => length,
        };
        let word = &rest[..length];
        self.pos = start + length;
        if self.pos < to && self.peek() == Some('(') {
            let close = self.matching()?;
            let inside = &self.text[self.pos + 1..close];
            let arguments: Vec<&str> = inside.split(',').map(str::trim).collect();
            self.pos = close + 1;
            let name = format!("{word}({})", arguments.join(", "));
            return Ok(self.named(name));
        }
        match word {
            "true" | "1" => Ok(self.constant(true)),
            "false" | "0" => Ok(self.constant(false)),
            _ => Ok(self.named(word.to_owned())),
        }
    }

    fn named(&mut self, name: String) -> NodeId {
        let atom = match self.atoms.iter().position(|a| *a == name) {
            Some(found) => found,
            None => {
                self.atoms.push(name);
                self.atoms.len() - 1
            }
        };
        let b = self.condition(Condition::Atom(atom as u32));
        self.node(Node::Bool(b))
    }

    /// `[*]` and its kind.
    fn repetition(&mut self, a: NodeId, to: usize) -> Result<NodeId, SereError> {
        let at = self.pos;
        let rest = &self.text[at..to];
        let Some(end) = rest.find(']') else {
            return Err(SereError { at, kind: SereErrorKind::Bracket });
        };
        let inside = rest[1..end].trim();
        self.pos = at + end + 1;
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|n| *n <= 1_000);
        let bad = SereError { at, kind: SereErrorKind::Expected("a number up to 1000") };
        let boolean = match self.nodes[a as usize] {
            Node::Bool(b) => Some(b),
            _ => None,
        };
        let not_boolean = SereError { at, kind: SereErrorKind::NotBoolean };
        if inside == "+" {
            return Ok(self.node(Node::Repeat(a, 1, None)));
        }
        if let Some(range) = inside.strip_prefix('*') {
            let (low, high) = match range.split_once([':', '.']) {
                None if range.trim().is_empty() => (0, None),
                None => {
                    let n = number(range).ok_or(bad)?;
                    (n, Some(n))
                }
                Some((low, high)) => {
                    let high = high.trim_start_matches('.').trim();
                    let low = number(low).ok_or_else(|| bad.clone())?;
                    match high {
                        "$" | "inf" | "" => (low, None),
                        _ => (low, Some(number(high).ok_or(bad)?)),
                    }
                }
            };
            if high.is_some_and(|h| h < low) {
                return Err(SereError { at, kind: SereErrorKind::Range });
            }
            return Ok(self.node(Node::Repeat(a, low, high)));
        }
        let (text, then) = match (inside.strip_prefix("->"), inside.strip_prefix('=')) {
            (Some(text), _) => (text, false),
            (_, Some(text)) => (text, true),
            _ => {
                return Err(SereError {
                    at,
                    kind: SereErrorKind::Expected("`*`, `+`, `->` or `=`"),
                });
            }
        };
        let n = if text.trim().is_empty() { 1 } else { number(text).ok_or(bad)? };
        let b = boolean.ok_or(not_boolean)?;
        let not = self.condition(Condition::Not(b));
        let not = self.node(Node::Bool(not));
        let none = self.node(Node::Repeat(not, 0, None));
        let one = self.node(Node::Concat(none, a));
        let all = self.node(Node::Repeat(one, n, Some(n)));
        if !then {
            return Ok(all);
        }
        let none = self.node(Node::Repeat(not, 0, None));
        Ok(self.node(Node::Concat(all, none)))
    }

    /// One automaton after the other, parts first.
    fn automaton(mut self, root: NodeId) -> Result<Nfa, SereError> {
        let nodes = std::mem::take(&mut self.nodes);
        let mut needed = vec![false; nodes.len()];
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut needed[id as usize], true) {
                continue;
            }
            match nodes[id as usize] {
                Node::Bool(_) => {}
                Node::Concat(a, b) | Node::Fusion(a, b) | Node::Or(a, b) | Node::Both(a, b) => {
                    todo.extend([a, b]);
                }
                Node::Repeat(a, ..) => todo.push(a),
            }
        }
        let mut parts: Vec<Option<Part>> = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            if !needed[i] {
                parts.push(None);
                continue;
            }
            let get = |id: NodeId| parts[id as usize].as_ref().expect("parts come first");
            let part = match *node {
                Node::Bool(b) => {
                    Part { transitions: vec![(0, b, 1)], accepting: vec![false, true] }
                }
                Node::Concat(a, b) => get(a).then(get(b)),
                Node::Or(a, b) => get(a).or(get(b)),
                Node::Fusion(a, b) => {
                    let (a, b) = (get(a), get(b));
                    fusion(a, b, &mut self.conditions)
                }
                Node::Both(a, b) => {
                    let (a, b) = (get(a), get(b));
                    both(a, b, &mut self.conditions)
                }
                Node::Repeat(a, low, high) => get(a).repeat(low, high)?,
            };
            if part.accepting.len() > MAX_STATES || part.transitions.len() > 50 * MAX_STATES {
                return Err(SereError { at: 0, kind: SereErrorKind::TooLarge });
            }
            parts.push(Some(part));
        }
        let part = parts.swap_remove(root as usize).expect("the root is needed").trimmed();
        let Part { mut transitions, mut accepting } = part;
        // The empty word triggers nothing.
        accepting[0] = false;
        merge(&mut transitions, &mut accepting);
        Ok(Nfa { atoms: self.atoms, conditions: self.conditions, transitions, accepting })
    }
}

/// An automaton; state 0 is initial, and nothing leads back to it.
#[derive(Clone, Debug)]
struct Part {
    transitions: Vec<(u32, ConditionId, u32)>,
    accepting: Vec<bool>,
}

impl Part {
    fn empty() -> Part {
        Part { transitions: Vec::new(), accepting: vec![true] }
    }
    fn accepted(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.accepting.len() as u32).filter(|s| self.accepting[*s as usize])
    }
    fn initial(&self) -> impl Iterator<Item = (ConditionId, u32)> + '_ {
        self.transitions.iter().filter(|t| t.0 == 0).map(|t| (t.1, t.2))
    }

    fn then(&self, other: &Part) -> Part {
        let shift = self.accepting.len() as u32 - 1;
        let mut transitions = self.transitions.clone();
        for &(from, b, to) in &other.transitions {
            if from != 0 {
                transitions.push((from + shift, b, to + shift));
            }
        }
        for end in self.accepted() {
            transitions.extend(other.initial().map(|(b, to)| (end, b, to + shift)));
        }
        let mut accepting = match other.accepting[0] {
            true => self.accepting.clone(),
            false => vec![false; self.accepting.len()],
        };
        accepting.extend_from_slice(&other.accepting[1..]);
        Part { transitions, accepting }
    }

    fn or(&self, other: &Part) -> Part {
        let shift = self.accepting.len() as u32 - 1;
        let mut transitions = self.transitions.clone();
        for &(from, b, to) in &other.transitions {
            let from = if from == 0 { 0 } else { from + shift };
            transitions.push((from, b, to + shift));
        }
        let mut accepting = self.accepting.clone();
        accepting[0] |= other.accepting[0];
        accepting.extend_from_slice(&other.accepting[1..]);
        Part { transitions, accepting }
    }

    /// At least once, any number of times.
    fn plus(&self) -> Part {
        let mut out = self.clone();
        for end in self.accepted().filter(|s| *s != 0) {
            out.transitions.extend(self.initial().map(|(b, to)| (end, b, to)));
        }
        out
    }

    fn repeat(&self, low: u32, high: Option<u32>) -> Result<Part, SereError> {
        let times = high.unwrap_or(low).max(1) as usize;
        if times * self.accepting.len() > MAX_STATES {
            return Err(SereError { at: 0, kind: SereErrorKind::TooLarge });
        }
        let mut optional = self.clone();
        optional.accepting[0] = true;
        let mut out = Part::empty();
        for _ in 1..low {
            out = out.then(self);
        }
        match high {
            None => {
                let mut rest = self.plus();
                rest.accepting[0] |= low == 0;
                Ok(out.then(&rest))
            }
            Some(high) => {
                if low > 0 {
                    out = out.then(self);
                }
                for _ in low..high {
                    out = out.then(&optional);
                }
                Ok(out)
            }
        }
    }

    /// Without states that lead nowhere or that nothing leads to.
    fn trimmed(&self) -> Part {
        let n = self.accepting.len();
        let closure = |start: Vec<bool>, forwards: bool| {
            let mut out: Vec<Vec<u32>> = vec![Vec::new(); n];
            for &(from, _, to) in &self.transitions {
                let (a, b) = if forwards { (from, to) } else { (to, from) };
                out[a as usize].push(b);
            }
            let mut seen = start.clone();
            let mut todo: Vec<usize> = (0..n).filter(|i| start[*i]).collect();
            while let Some(state) = todo.pop() {
                for &next in &out[state] {
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        todo.push(next as usize);
                    }
                }
            }
            seen
        };
        let mut first = vec![false; n];
        first[0] = true;
        let (reached, useful) = (closure(first, true), closure(self.accepting.clone(), false));
        let kept = |i: usize| i == 0 || (reached[i] && useful[i]);
        let mut count = 0;
        let number: Vec<Option<u32>> = (0..n)
            .map(|i| {
                kept(i).then(|| {
                    count += 1;
                    count - 1
                })
            })
            .collect();
        let accepting = (0..n).filter(|i| kept(*i)).map(|i| self.accepting[i]).collect();
        let transitions = self
            .transitions
            .iter()
            .filter_map(|&(from, b, to)| Some((number[from as usize]?, b, number[to as usize]?)));
        Part { transitions: transitions.collect(), accepting }
    }
}

/// States that do the same become one, again and again.
fn merge(transitions: &mut Vec<(u32, ConditionId, u32)>, accepting: &mut Vec<bool>) {
    let mut class: Vec<u32> = accepting.iter().map(|a| u32::from(*a)).collect();
    let mut classes = 0;
    loop {
        let mut moves: Vec<Vec<(ConditionId, u32)>> = vec![Vec::new(); class.len()];
        for &(from, b, to) in transitions.iter() {
            moves[from as usize].push((b, class[to as usize]));
        }
        let mut number: BTreeMap<(u32, Vec<(ConditionId, u32)>), u32> = BTreeMap::new();
        let mut next = Vec::with_capacity(class.len());
        for (mut moves, &class) in moves.into_iter().zip(&class) {
            moves.sort_unstable();
            moves.dedup();
            let new = number.len() as u32;
            next.push(*number.entry((class, moves)).or_insert(new));
        }
        let count = number.len();
        class = next;
        // Classes are only ever split.
        if count == classes {
            break;
        }
        classes = count;
    }
    for (from, _, to) in transitions.iter_mut() {
        (*from, *to) = (class[*from as usize], class[*to as usize]);
    }
    transitions.sort_unstable();
    transitions.dedup();
    let mut merged = vec![false; classes];
    for (state, accepts) in accepting.iter().enumerate() {
        merged[class[state] as usize] = *accepts;
    }
    *accepting = merged;
}

fn conjunction(conditions: &mut Vec<Condition>, a: ConditionId, b: ConditionId) -> ConditionId {
    if a == b || conditions[b as usize] == Condition::Constant(true) {
        return a;
    }
    if conditions[a as usize] == Condition::Constant(true) {
        return b;
    }
    let condition = Condition::And(a.min(b), a.max(b));
    if let Some(found) = conditions.iter().position(|c| *c == condition) {
        return found as ConditionId;
    }
    conditions.push(condition);
    conditions.len() as ConditionId - 1
}

/// The last letter of one is the first of the other.
fn fusion(a: &Part, b: &Part, conditions: &mut Vec<Condition>) -> Part {
    let shift = a.accepting.len() as u32 - 1;
    let mut transitions = a.transitions.clone();
    for &(from, x, to) in &b.transitions {
        if from != 0 {
            transitions.push((from + shift, x, to + shift));
        }
    }
    for &(from, x, to) in &a.transitions {
        if a.accepting[to as usize] {
            for (y, next) in b.initial() {
                transitions.push((from, conjunction(conditions, x, y), next + shift));
            }
        }
    }
    let mut accepting = vec![false; a.accepting.len()];
    accepting.extend_from_slice(&b.accepting[1..]);
    Part { transitions, accepting }.trimmed()
}

/// Both, letter by letter.
fn both(a: &Part, b: &Part, conditions: &mut Vec<Condition>) -> Part {
    let mut number: BTreeMap<(u32, u32), u32> = BTreeMap::from([((0, 0), 0)]);
    let mut order = vec![(0u32, 0u32)];
    let mut transitions = Vec::new();
    let mut i = 0;
    while i < order.len() && order.len() <= MAX_STATES {
        let (s, t) = order[i];
        for &(_, x, s2) in a.transitions.iter().filter(|e| e.0 == s) {
            for &(_, y, t2) in b.transitions.iter().filter(|e| e.0 == t) {
                let next = number.len() as u32;
                let to = *number.entry((s2, t2)).or_insert(next);
                if to == next {
                    order.push((s2, t2));
                }
                transitions.push((i as u32, conjunction(conditions, x, y), to));
            }
        }
        i += 1;
    }
    let accepting =
        order.iter().map(|&(s, t)| a.accepting[s as usize] && b.accepting[t as usize]).collect();
    Part { transitions, accepting }
}

#[cfg(test)]
mod tests {
    use super::{SereErrorKind, violations};

    /// Words over `a`, `b`, `c`, `.`; several letters at once in parentheses.
    fn check(property: &str, violating: &[&str], fine: &[&str]) {
        let nfa = violations(property).unwrap_or_else(|e| panic!("{property}: {e}"));
        let word = |text: &str| {
            let mut out: Vec<Vec<u32>> = Vec::new();
            let mut group: Option<Vec<u32>> = None;
            for c in text.chars() {
                let atom = nfa.atoms.iter().position(|a| *a == c.to_string()).map(|i| i as u32);
                match c {
                    '(' => group = Some(Vec::new()),
                    ')' => out.extend(group.take()),
                    '.' => out.push(Vec::new()),
                    _ => match &mut group {
                        Some(group) => group.extend(atom),
                        None => out.push(atom.into_iter().collect()),
                    },
                }
            }
            out
        };
        for text in violating {
            assert!(nfa.accepts(&word(text)), "{property}: {text}");
        }
        for text in fine {
            assert!(!nfa.accepts(&word(text)), "{property}: {text}");
        }
    }

    #[test]
    fn operators() {
        check("never { a ; b }", &["ab", "..ab", "aab", "(ab)(ab)"], &["", "a", "b", "a.b", "aba"]);
        check("never { a , b[*] , c }", &["ac", "abc", "abbc", ".abbc"], &["abb", "a.c"]);
        check("never { a : b }", &["(ab)", "a(ab)"], &["ab", "a", "b"]);
        check("never { {a;b} : {b;c} }", &["abc", "a(abc)c"], &["ab", "abbc"]);
        check("never { {a;a} | c }", &["aa", "c"], &["a", "ab"]);
        check("never { {a;a[*]} && {true;true;true} }", &["aaa"], &["aa", "a", "ab"]);
        check("never { {a} & {true;b} }", &["ab", "(ab)b"], &["a", "b", "a."]);
        check("never { a[*2] }", &["aa"], &["a", "a.a"]);
        check("never { b; a[*1:2]; b }", &["bab", "baab"], &["bb", "baaab"]);
        check("never { b; a[*0:1]; b }", &["bab", "bb"], &["baab"]);
        check("never { b; a[*2:$]; b }", &["baab", "baaab"], &["bab", "bb"]);
        check("never { b; a[+]; b }", &["bab", "baab"], &["bb"]);
        check("never { b; a[->2]; b }", &["baab", "b.a.ab"], &["bab", "baa.b"]);
        check("never { b; a[=1]; c }", &["bac", "b.a.c"], &["bc", "baac"]);
        check("never { !(a || b)[*2]; a && !b }", &["..a", "cca"], &["..(ab)", ".a"]);
        check("never { !a[*]; b }", &["b", "..b"], &["a"]);
    }

    #[test]
    fn implications() {
        check("{true[*]; a}(b)", &["a", ".a", "(ab)a"], &["", "(ab)", "b"]);
        // Without `true[*]`, from the beginning only.
        check("{a}(b)", &["a"], &[".a", "(ab)"]);
        check("{a} |-> b", &["a"], &[".a", "(ab)"]);
        check("{true[*]; a} |=> b", &["a.", "ba."], &["a", "ab"]);
        // The empty word triggers nothing.
        check("{a[*]}(b)", &["a", "(ab)a"], &["", ".", "(ab)"]);
        check("{true[*], a, b[*], c[+]}(d)", &["ac", "abc", "abbcc"], &["ab", "a(cd)"]);
    }

    #[test]
    fn garbage_collection() {
        // [c2edl §6.1]
        let nfa = violations(
            "never { true[*]; assign(v) && !call(save_bdd,v); !(assign(v) || call(save_bdd, v))[*];
                     call(mygarbage); !assign(v)[*]; use(v) }",
        )
        .expect("a property");
        assert_eq!(nfa.atoms, ["assign(v)", "call(save_bdd, v)", "call(mygarbage)", "use(v)"]);
        assert!(nfa.accepts(&[vec![0], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0, 1], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0], vec![1], vec![2], vec![3]]));
        assert!(!nfa.accepts(&[vec![0], vec![2], vec![0, 1], vec![3]]));
        assert_eq!(nfa.accepting.len(), 4, "{nfa:?}");
    }

    #[test]
    fn errors_have_places() {
        for (text, at, kind) in [
            ("never a", 6, SereErrorKind::Expected("`{`")),
            ("never {a; }", 10, SereErrorKind::Expected("a boolean or `{`")),
            ("never {a b}", 9, SereErrorKind::Expected("an operator")),
            ("never {!{a;b}}", 7, SereErrorKind::NotBoolean),
            ("never {a[*3:2]}", 8, SereErrorKind::Range),
            ("never {(a}", 9, SereErrorKind::Bracket),
            ("never {a", 6, SereErrorKind::Bracket),
            ("{a}(b;c)", 4, SereErrorKind::NotBoolean),
            ("{a}", 3, SereErrorKind::Expected("`(`, `|->` or `|=>`")),
            ("{a}(b) c", 7, SereErrorKind::Expected("the end")),
            ("never {a[*1000][*1000]}", 0, SereErrorKind::TooLarge),
        ] {
            let error = violations(text).expect_err(text);
            assert_eq!((error.at, error.kind), (at, kind), "{text}");
        }
        let deep = format!("never {}a{}", "{".repeat(100_000), "}".repeat(100_000));
        violations(&deep).expect("nesting is fine");
        let nots = format!("never {{{}a}}", "!".repeat(1_001));
        violations(&nots).expect("so are negations");
    }
}
