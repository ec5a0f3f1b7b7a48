//! Text → the automaton of what violates it, part by part.

use super::part::{Part, both, fusion, merge, missed};
use super::{Condition, ConditionId, MAX_STATES, Nfa, SereError, SereErrorKind};
use crate::ltl::{self, Binary, Formula, FormulaId};
use std::ops::Range;

pub(super) type NodeId = u32;

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Bool(ConditionId),
    /// The shortest words that cannot become one of these.
    Missed(NodeId),
    Concat(NodeId, NodeId),
    Fusion(NodeId, NodeId),
    Or(NodeId, NodeId),
    /// Length-matching.
    Both(NodeId, NodeId),
    /// So many times; without a bound.
    Repeat(NodeId, u32, Option<u32>),
}

/// What a property says behind its sequences.
pub(super) enum Conclusion {
    /// That there are none.
    Never,
    /// It ended with a sequence, which is a part of the expression.
    Sequence,
    /// Something, in the text.
    Formula(Range<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
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

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) atoms: Vec<String>,
    pub(super) conditions: Vec<Condition>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
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

    pub(super) fn node(&mut self, node: Node) -> NodeId {
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

    /// `{r}`, and its conclusion.
    pub(super) fn sides(&mut self) -> Result<(NodeId, Conclusion), SereError> {
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
        let mut end = text.len();
        let mut conclusion = never.then_some(Conclusion::Never);
        while conclusion.is_none() {
            let rest = &text[self.pos..end];
            let inner = if rest.starts_with('(') {
                let (open, close) = (self.pos, self.matching()?);
                self.pos = close + 1;
                self.space();
                if self.pos < end {
                    return Err(self.expected("the end"));
                }
                open + 1..close
            } else if rest.starts_with("|->") || rest.starts_with("|=>") {
                if rest.starts_with("|=>") {
                    let one = self.constant(true);
                    root = self.node(Node::Concat(root, one));
                }
                self.pos + 3..end
            } else {
                return Err(self.expected("`(`, `|->` or `|=>`"));
            };
            // `{r}({s}(f))` is about what `r` and `s` match together: the last letter of the one is the first of the
            // other.
            self.pos = inner.start;
            self.space();
            if self.peek() != Some('{') || self.pos >= inner.end {
                self.pos = text.len();
                conclusion = Some(Conclusion::Formula(inner));
                continue;
            }
            let (open, close) = (self.pos, self.matching()?);
            let next = self.part(open + 1, close)?;
            self.pos = close + 1;
            self.space();
            end = inner.end;
            if self.pos >= end {
                // `{r} |=> {s}`
                let missed = self.node(Node::Missed(next));
                root = self.node(Node::Fusion(root, missed));
                self.pos = text.len();
                conclusion = Some(Conclusion::Sequence);
                continue;
            }
            if !self.text[self.pos..].starts_with(['(', '|']) {
                return Err(self.expected("the end"));
            }
            root = self.node(Node::Fusion(root, next));
        }
        self.space();
        match conclusion {
            Some(conclusion) if self.pos >= text.len() => Ok((root, conclusion)),
            _ => Err(self.expected("the end")),
        }
    }

    /// Where a formula stands in brackets, what is in them.
    fn unwrapped(&mut self, range: Range<usize>) -> Result<Range<usize>, SereError> {
        let mut range = range;
        loop {
            self.pos = range.start;
            self.space();
            let inside = self.text[..range.end].trim_end().len();
            if self.pos >= inside || self.peek() != Some('(') {
                return Ok(self.pos..inside.max(self.pos));
            }
            let close = self.matching()?;
            if close + 1 != inside {
                return Ok(self.pos..inside);
            }
            range = self.pos + 1..close;
        }
    }

    /// The words that break `F b`, `G b`, `X b`, `b U c` or `b W c`, if runs end where `end` holds; none if it is none of
    /// these.
    pub(super) fn temporal(
        &mut self,
        range: Range<usize>,
        end: &str,
    ) -> Result<Option<NodeId>, SereError> {
        let range = self.unwrapped(range)?;
        for word in ["F", "G", "X"] {
            self.pos = range.start;
            if !self.word(word) {
                continue;
            }
            self.space();
            if self.pos >= range.end {
                break;
            }
            let b = self.boolean(self.pos..range.end)?;
            let not = self.condition(Condition::Not(b));
            let last = self.node(Node::Bool(not));
            let before = match word {
                "F" => return Ok(Some(self.never_up_to(not, not, end))),
                "G" => self.anything(),
                _ => self.constant(true),
            };
            return Ok(Some(self.node(Node::Concat(before, last))));
        }
        let Some(at) = self.between(&range) else { return Ok(None) };
        let strong = self.text[at..].starts_with('U');
        let (b, c) = (self.boolean(range.start..at)?, self.boolean(at + 1..range.end)?);
        let (not_b, not_c) = (self.condition(Condition::Not(b)), self.condition(Condition::Not(c)));
        let waits = self.condition(Condition::And(b, not_c));
        let fails = self.condition(Condition::And(not_b, not_c));
        let (wait, fail) = (self.node(Node::Bool(waits)), self.node(Node::Bool(fails)));
        let wait = self.node(Node::Repeat(wait, 0, None));
        let mut out = self.node(Node::Concat(wait, fail));
        if strong {
            let ended = self.never_up_to(waits, not_c, end);
            out = self.node(Node::Or(out, ended));
        }
        Ok(Some(out))
    }

    /// Some letters, and one with which the run ends.
    fn never_up_to(&mut self, before: ConditionId, last: ConditionId, end: &str) -> NodeId {
        let ends = self.named(end.to_owned());
        let Node::Bool(ends) = self.nodes[ends as usize] else {
            unreachable!("atoms are booleans")
        };
        let before = self.node(Node::Bool(before));
        let before = self.node(Node::Repeat(before, 0, None));
        let last = self.condition(Condition::And(ends, last));
        let last = self.node(Node::Bool(last));
        self.node(Node::Concat(before, last))
    }

    /// Where `U` or `W` stands outside of brackets.
    fn between(&self, range: &Range<usize>) -> Option<usize> {
        let text = &self.text[range.clone()];
        let inside = |c: char| c.is_alphanumeric() || c == '_';
        let mut depth = 0usize;
        for (i, c) in text.char_indices() {
            match c {
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                'U' | 'W'
                    if depth == 0
                        && i > 0
                        && !text[..i].ends_with(inside)
                        && !text[i + 1..].starts_with(inside) =>
                {
                    return Some(range.start + i);
                }
                _ => {}
            }
        }
        None
    }

    /// The words of `r` with words from their last letter on.
    pub(super) fn breaking(mut self, root: NodeId, broken: NodeId) -> Result<Nfa, SereError> {
        let root = self.node(Node::Fusion(root, broken));
        self.automaton(root)
    }

    /// The conclusion as a boolean.
    pub(super) fn boolean(&mut self, conclusion: Range<usize>) -> Result<ConditionId, SereError> {
        let node = self.part(conclusion.start, conclusion.end)?;
        match self.nodes[node as usize] {
            Node::Bool(b) => Ok(b),
            _ => Err(SereError { at: conclusion.start, kind: SereErrorKind::NotBoolean }),
        }
    }

    /// A formula about the present as a boolean.
    pub(super) fn lowered(&mut self, f: &Formula) -> ConditionId {
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
    pub(super) fn never(mut self, root: NodeId) -> Result<Nfa, SereError> {
        let anything = self.anything();
        let root = self.node(Node::Concat(anything, root));
        self.automaton(root)
    }

    /// The words of `r` at whose last letter the conclusion is false.
    pub(super) fn violating(
        mut self,
        root: NodeId,
        conclusion: ConditionId,
    ) -> Result<Nfa, SereError> {
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
                // `[*]` alone repeats whatever there is.
                Some('[')
                    if self.text[at..to].starts_with("[*")
                        || self.text[at..to].starts_with("[+") =>
                {
                    let any = self.constant(true);
                    operands.push(any);
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
    pub(super) fn atom(&mut self, to: usize) -> Result<NodeId, SereError> {
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
    pub(super) fn automaton(mut self, root: NodeId) -> Result<Nfa, SereError> {
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
                Node::Repeat(a, ..) | Node::Missed(a) => todo.push(a),
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
                Node::Missed(a) => missed(&get(a).trimmed(), &mut self.conditions)?,
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
