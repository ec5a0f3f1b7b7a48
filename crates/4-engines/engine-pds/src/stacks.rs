//! Which stacks can be below a node: a language of words over the calls that wait, without data.
//!
//! The data of a P-automaton ties neighbouring frames together, so it cannot simply be forgotten:
//! the subset construction carries it along, as a set for each state. Diagrams are canonical, so
//! equal sets are equal handles, and the construction ends because there are finitely many.

use crate::automaton::{Macro, PAutomaton, add};
use crate::expression::SPECIAL;
use crate::regular::{Frames, Letter, Nodes, RegularSet, Waiting};
use bdd::Bdd;
use check::{Budget, StopReason};
use ir::{EdgeId, ExprId, Exprs, NodeId, ProcId, Program, TextId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::sync::Arc;
use symbolic::Halt;

/// A letter of a stack language: one frame below the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StackLetter {
    /// A frame that waits in the call.
    Call(EdgeId),
    /// A frame of the procedure, whichever call it waits in.
    Proc(ProcId),
    /// A frame that goes on at a label of the name: a stack symbol.
    Symbol(TextId),
}

/// A state of a [`StackLanguage`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackState {
    /// The stack may end here.
    pub accepting: bool,
    /// Letters with the states that they lead to, in the order of letters.
    pub edges: Vec<(StackLetter, u32)>,
}

/// The stacks that can be below a node: the minimal deterministic automaton of the words of frames,
/// the innermost first. State 0 is the initial one; from every state the end can be reached, and
/// equal languages have equal automata. No state at all: the node is not reached.
#[derive(Clone, Debug)]
pub struct StackLanguage {
    program: Arc<Program>,
    /// The node.
    pub node: NodeId,
    /// What frames are called by.
    pub waiting: Waiting,
    /// The states.
    pub states: Vec<StackState>,
}

impl PartialEq for StackLanguage {
    /// Whether the words are the same.
    fn eq(&self, other: &Self) -> bool {
        self.states == other.states
    }
}

impl PAutomaton {
    /// The stacks below `node` in configurations of the set: all of them, or those in which the
    /// topmost frame satisfies the condition (over globals and locals).
    ///
    /// The automaton can be exponentially larger than this one, and is built under the budget.
    pub fn stacks_at(
        &mut self,
        node: NodeId,
        condition: Option<ExprId>,
        budget: &Budget,
    ) -> Result<StackLanguage, StopReason> {
        self.ask(budget, |this| {
            this.find_alive()?;
            let condition = condition.unwrap_or(Exprs::TRUE);
            let nodes = Nodes::of(&this.s.program, [node]);
            this.check_condition(&Letter { nodes, condition, choices: 0 }, true)?;
            let condition = this.condition(condition)?;
            let start = this.read_top(node, condition)?;
            let program = this.s.program.clone();
            let waiting = Waiting::Call;
            if start.data.is_empty() {
                return Ok(StackLanguage { program, node, waiting, states: Vec::new() });
            }
            let mut ids: FxHashMap<Macro, u32> = FxHashMap::default();
            let mut found = vec![start.clone()];
            ids.insert(start, 0);
            let mut states = Vec::new();
            while states.len() < found.len() {
                let at = found[states.len()].clone();
                let accepting = this.accepts(&at)?;
                let mut edges = Vec::new();
                for i in 0..this.calls[at.proc].len() {
                    this.s.budget.work(1)?;
                    let e = this.calls[at.proc][i];
                    let next = this.read_below(&at, e, Bdd::TRUE)?;
                    if next.data.is_empty() {
                        continue;
                    }
                    let new = found.len() as u32;
                    let id = *ids.entry(next.clone()).or_insert(new);
                    if id == new {
                        found.push(next);
                    }
                    edges.push((StackLetter::Call(e), id));
                }
                states.push(StackState { accepting, edges });
                if this.s.m.want_gc() {
                    let used: Vec<Bdd> =
                        found.iter().flat_map(|m| m.data.iter().map(|&(_, data)| data)).collect();
                    this.collect(used);
                }
            }
            Ok(StackLanguage { program, node, waiting, states: minimal(&states) })
        })
    }
}

impl PAutomaton {
    /// The stacks below `node` in configurations that are in the other set, too, whose conditions on data
    /// count. The automaton can be exponentially larger than this one, and is built under the budget.
    pub fn stacks_within(
        &mut self,
        node: NodeId,
        set: &RegularSet,
        budget: &Budget,
    ) -> Result<StackLanguage, StopReason> {
        self.ask(budget, |this| {
            this.check_reads(set)?;
            this.find_alive()?;
            let frames = Frames::new(&mut this.s, set)?;
            let program = this.s.program.clone();
            let mut start: Within = BTreeMap::new();
            for (state, condition) in frames.top(node).collect::<Vec<_>>() {
                let here = this.read_top(node, condition)?;
                this.join(&mut start, state, here)?;
            }
            let mut ids: FxHashMap<Vec<(u32, Macro)>, u32> = FxHashMap::default();
            let mut found: Vec<Vec<(u32, Macro)>> = Vec::new();
            if !start.is_empty() {
                let start: Vec<(u32, Macro)> = start.into_iter().collect();
                ids.insert(start.clone(), 0);
                found.push(start);
            }
            let mut states: Vec<StackState> = Vec::new();
            while let Some(here) = found.get(states.len()).cloned() {
                let (mut accepting, mut edges) = (false, Vec::new());
                for (state, at) in &here {
                    accepting |= frames.accepting[*state as usize] && this.accepts(at)?;
                }
                let proc = here[0].1.proc;
                for e in this.calls[proc].clone() {
                    this.s.budget.work(1)?;
                    let mut next: Within = BTreeMap::new();
                    for (state, at) in &here {
                        for (to, condition) in frames.below(&program, *state, e) {
                            let there = this.read_below(at, e, condition)?;
                            this.join(&mut next, to, there)?;
                        }
                    }
                    if next.is_empty() {
                        continue;
                    }
                    let next: Vec<(u32, Macro)> = next.into_iter().collect();
                    let new = found.len() as u32;
                    let id = *ids.entry(next.clone()).or_insert(new);
                    if id == new {
                        found.push(next);
                    }
                    edges.push((StackLetter::Call(e), id));
                }
                states.push(StackState { accepting, edges });
                if this.s.m.want_gc() {
                    let data = found.iter().flatten().flat_map(|(_, at)| at.data.iter());
                    let used: Vec<Bdd> =
                        data.map(|&(_, data)| data).chain(frames.roots()).collect();
                    this.collect(used);
                }
            }
            let states = minimal(&useful(&states));
            Ok(StackLanguage { program, node, waiting: Waiting::Call, states })
        })
    }

    /// Adds what is known in a state of the set.
    fn join(&mut self, known: &mut Within, state: u32, more: Macro) -> Result<(), Halt> {
        if more.data.is_empty() {
            return Ok(());
        }
        match known.entry(state) {
            Entry::Vacant(entry) => _ = entry.insert(more),
            Entry::Occupied(mut entry) => {
                for (goal, data) in more.data {
                    add(&mut self.s, &mut entry.get_mut().data, goal, data)?;
                }
            }
        }
        Ok(())
    }
}

/// For each state of a set, what a run has read.
type Within = BTreeMap<u32, Macro>;

/// The minimal automaton, states numbered breadth first. All states must be reachable and lead to
/// an end.
fn minimal(states: &[StackState]) -> Vec<StackState> {
    // Moore: split classes by where their members lead until nothing changes.
    let mut class: Vec<u32> = states.iter().map(|s| u32::from(s.accepting)).collect();
    let mut count = 0;
    loop {
        let mut ids: FxHashMap<(u32, Vec<(StackLetter, u32)>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(states.len());
        for (state, &own) in states.iter().zip(&class) {
            let leads = state.edges.iter().map(|&(l, to)| (l, class[to as usize])).collect();
            let new = ids.len() as u32;
            next.push(*ids.entry((own, leads)).or_insert(new));
        }
        class = next;
        if ids.len() == count {
            break;
        }
        count = ids.len();
    }
    // Number the classes as a search from the start meets them.
    let mut number: FxHashMap<u32, u32> = FxHashMap::default();
    let mut order = Vec::new();
    if !states.is_empty() {
        number.insert(class[0], 0);
        order.push(0usize);
    }
    let mut out: Vec<StackState> = Vec::new();
    while out.len() < order.len() {
        let state = &states[order[out.len()]];
        let mut edges = Vec::with_capacity(state.edges.len());
        for &(letter, to) in &state.edges {
            let new = order.len() as u32;
            let id = *number.entry(class[to as usize]).or_insert(new);
            if id == new {
                order.push(to as usize);
            }
            edges.push((letter, id));
        }
        out.push(StackState { accepting: state.accepting, edges });
    }
    out
}

/// The states from which an end can be reached; all must be reachable. None if that is not so of the
/// first.
fn useful(states: &[StackState]) -> Vec<StackState> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    for (from, state) in states.iter().enumerate() {
        for &(_, to) in &state.edges {
            before[to as usize].push(from as u32);
        }
    }
    let mut ends: Vec<bool> = states.iter().map(|s| s.accepting).collect();
    let mut work: Vec<u32> = (0..states.len() as u32).filter(|&s| ends[s as usize]).collect();
    while let Some(state) = work.pop() {
        for &from in &before[state as usize] {
            if !std::mem::replace(&mut ends[from as usize], true) {
                work.push(from);
            }
        }
    }
    if ends.first() != Some(&true) {
        return Vec::new();
    }
    // Numbers without gaps.
    let mut number = vec![0; states.len()];
    for (next, old) in (0..states.len()).filter(|&s| ends[s]).enumerate() {
        number[old] = next as u32;
    }
    let kept = states.iter().zip(&ends).filter(|(_, ends)| **ends);
    kept.map(|(state, _)| {
        let edges = state.edges.iter().filter(|(_, to)| ends[*to as usize]);
        let edges = edges.map(|&(letter, to)| (letter, number[to as usize])).collect();
        StackState { accepting: state.accepting, edges }
    })
    .collect()
}

impl StackLanguage {
    /// Whether no stack is possible: the node is not reached.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether the word is in the language.
    pub fn accepts(&self, word: &[StackLetter]) -> bool {
        let mut at = 0u32;
        for letter in word {
            let Some(state) = self.states.get(at as usize) else { return false };
            match state.edges.binary_search_by_key(letter, |e| e.0) {
                Ok(i) => at = state.edges[i].1,
                Err(_) => return false,
            }
        }
        self.states.get(at as usize).is_some_and(|s| s.accepting)
    }

    /// The same language with procedures for calls.
    #[must_use]
    pub fn by_procedure(&self) -> StackLanguage {
        self.by(&|letter| match letter {
            StackLetter::Call(e) => {
                StackLetter::Proc(self.program.nodes[self.program.edges[e].source].proc)
            }
            other => other,
        })
    }

    /// The same language with the stack symbols of a pushdown system for calls: the labels that
    /// control comes back to.
    #[must_use]
    pub fn by_symbol(&self) -> StackLanguage {
        let mut labels: FxHashMap<NodeId, TextId> = FxHashMap::default();
        for label in &self.program.labels {
            labels.entry(label.node).or_insert(label.name);
        }
        self.by(&|letter| match letter {
            StackLetter::Call(e) => {
                let back = Waiting::Return.node(&self.program, e);
                labels.get(&back).map_or(letter, |&name| StackLetter::Symbol(name))
            }
            other => other,
        })
    }

    /// The same language with other letters.
    fn by(&self, new: &dyn Fn(StackLetter) -> StackLetter) -> StackLanguage {
        let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut found: Vec<Vec<u32>> = Vec::new();
        if !self.states.is_empty() {
            found.push(vec![0]);
            ids.insert(vec![0], 0);
        }
        let mut states = Vec::new();
        while states.len() < found.len() {
            let members = &found[states.len()];
            let accepting = members.iter().any(|&s| self.states[s as usize].accepting);
            let mut targets: BTreeMap<StackLetter, Vec<u32>> = BTreeMap::new();
            for &(letter, to) in members.iter().flat_map(|&s| &self.states[s as usize].edges) {
                targets.entry(new(letter)).or_default().push(to);
            }
            let mut edges = Vec::new();
            for (letter, mut to) in targets {
                to.sort_unstable();
                to.dedup();
                let new = found.len() as u32;
                let id = *ids.entry(to.clone()).or_insert(new);
                if id == new {
                    found.push(to);
                }
                edges.push((letter, id));
            }
            states.push(StackState { accepting, edges });
        }
        StackLanguage { states: minimal(&states), ..self.clone() }
    }

    /// The stacks of the language that, with the node on top, are in the set. `None` if the set has
    /// conditions on data, which a language without data cannot decide, or if this is a language of
    /// procedures.
    #[must_use]
    pub fn within(&self, set: &RegularSet) -> Option<StackLanguage> {
        if set.letters().any(|(_, letter)| letter.condition != Exprs::TRUE) {
            return None;
        }
        // Pairs of a state here and the states there; only those from which both can end matter.
        let mut ids: BTreeMap<(u32, Vec<u32>), u32> = BTreeMap::new();
        let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
        let first = set.read([0], self.node);
        if !self.states.is_empty() && !first.is_empty() {
            ids.insert((0, first.clone()), 0);
            found.push((0, first));
        }
        let mut states: Vec<StackState> = Vec::new();
        while states.len() < found.len() {
            let (here, there) = found[states.len()].clone();
            let state = &self.states[here as usize];
            let mut edges = Vec::new();
            for &(letter, to) in &state.edges {
                let StackLetter::Call(e) = letter else { return None };
                let next = set.read(there.iter().copied(), set.waiting.node(&self.program, e));
                if next.is_empty() {
                    continue;
                }
                let new = found.len() as u32;
                let id = *ids.entry((to, next.clone())).or_insert(new);
                if id == new {
                    found.push((to, next));
                }
                edges.push((letter, id));
            }
            let accepting = state.accepting && set.accepts(&there);
            states.push(StackState { accepting, edges });
        }
        Some(StackLanguage { states: minimal(&useful(&states)), ..self.clone() })
    }

    /// How a letter is written: a procedure's name, or `proc:label` or `proc:line` of the call.
    pub fn name(&self, letter: StackLetter) -> String {
        match letter {
            StackLetter::Proc(p) => quoted(self.program.proc_name(p)),
            StackLetter::Symbol(name) => quoted(self.program.text(name)),
            StackLetter::Call(e) => self.node_name(self.waiting.node(&self.program, e)),
        }
    }

    fn node_name(&self, node: NodeId) -> String {
        let labelled = |l: &&ir::Label| l.node == node && self.waiting == Waiting::Return;
        match self.program.labels.iter().find(labelled) {
            Some(label) => quoted(self.program.text(label.name)),
            None => node_name(&self.program, node),
        }
    }

    /// A regular expression for the language, innermost frame first; `None` where it would be too
    /// long to read, or the language is empty. The empty word is written `()`.
    pub fn expression(&self) -> Option<String> {
        expression(&self.states, &|letter| self.name(letter))
    }

    /// The automaton as text: an expression where there is a short one, then the states.
    pub fn to_text(&self) -> String {
        let mut out = format!("stacks below {}: ", self.node_name(self.node));
        if self.states.is_empty() {
            out.push_str("none, it is not reached\n");
            return out;
        }
        out.push_str(self.expression().as_deref().unwrap_or("see the states"));
        out.push('\n');
        for (i, state) in self.states.iter().enumerate() {
            let mark = match (i, state.accepting) {
                (0, true) => " (start, end)",
                (0, false) => " (start)",
                (_, true) => " (end)",
                (_, false) => "",
            };
            let _ = writeln!(out, "  state {i}{mark}");
            for &(letter, to) in &state.edges {
                let text = match letter {
                    StackLetter::Call(e) if self.waiting == Waiting::Call => {
                        let node = &self.program.nodes[self.program.edges[e].source];
                        format!("  {}", self.program.text(node.origin.text))
                    }
                    _ => String::new(),
                };
                let line = format!("    {} -> {to}{text}", self.name(letter));
                out.push_str(line.trim_end());
                out.push('\n');
            }
        }
        out
    }

    /// The automaton in the language of Graphviz.
    pub fn to_dot(&self) -> String {
        let title = escaped(&format!("stacks below {}", self.node_name(self.node)));
        let mut out = format!("digraph stacks {{\n  label=\"{title}\";\n  rankdir=LR;\n");
        if !self.states.is_empty() {
            out.push_str("  start [shape=point];\n  start -> 0;\n");
        }
        for (i, state) in self.states.iter().enumerate() {
            let shape = if state.accepting { "doublecircle" } else { "circle" };
            let _ = writeln!(out, "  {i} [shape={shape}];");
            let mut joined: BTreeMap<u32, Vec<String>> = BTreeMap::new();
            for &(letter, to) in &state.edges {
                joined.entry(to).or_default().push(escaped(&self.name(letter)));
            }
            for (to, names) in joined {
                let _ = writeln!(out, "  {i} -> {to} [label=\"{}\"];", names.join("\\n"));
            }
        }
        out.push_str("}\n");
        out
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A name as [`crate::RegularSet::parse`] reads it.
fn quoted(name: &str) -> String {
    let braced = name.starts_with('{') && name.find('}') == Some(name.len() - 1);
    let plain = |c: char| !c.is_whitespace() && c != '{' && !SPECIAL.contains(c);
    match braced || name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}

/// How the frame that a symbol reads is written, as in the automata of stacks.
pub fn frame_name(program: &Program, symbol: crate::Symbol, waiting: Waiting) -> String {
    let node = match symbol {
        crate::Symbol::Top(node) => node,
        crate::Symbol::Waiting(e) => waiting.node(program, e),
    };
    let label = program.labels.iter().find(|l| l.node == node && waiting == Waiting::Return);
    match label {
        Some(label) => quoted(program.text(label.name)),
        None => node_name(program, node),
    }
}

/// `proc:label`, `proc:line`, or the node's number where there is neither.
fn node_name(program: &Program, node: NodeId) -> String {
    use ir::Id;
    let info = &program.nodes[node];
    let proc = quoted(program.proc_name(info.proc));
    if let Some(label) = program.labels.iter().find(|l| l.node == node) {
        return format!("{proc}:{}", quoted(program.text(label.name)));
    }
    match info.origin.line {
        0 => format!("{proc}:n{}", node.index()),
        line => format!("{proc}:{line}"),
    }
}

/// A regular expression: alternatives, each a sequence of things that need no parentheses.
#[derive(Clone, PartialEq, Eq)]
struct Piece {
    alternatives: Vec<Vec<String>>,
}

impl Piece {
    fn one(text: String) -> Piece {
        Piece { alternatives: vec![vec![text]] }
    }
    fn empty_word() -> Piece {
        Piece { alternatives: vec![Vec::new()] }
    }
    /// As one sequence.
    fn sequence(&self) -> Vec<String> {
        match &self.alternatives[..] {
            [only] => only.clone(),
            _ => vec![self.atom()],
        }
    }
    /// As one thing: alternatives and sequences in parentheses, the empty word as `?`.
    fn atom(&self) -> String {
        let full: Vec<&Vec<String>> = self.alternatives.iter().filter(|a| !a.is_empty()).collect();
        let inner = match &full[..] {
            [] => return "()".to_owned(),
            [only] if only.len() == 1 => only[0].clone(),
            _ => {
                let texts: Vec<String> = full.iter().map(|a| a.join(" ")).collect();
                format!("({})", texts.join(" | "))
            }
        };
        match full.len() < self.alternatives.len() {
            // What may be repeated no times contains the empty word already.
            true if inner.ends_with(['*', '?']) => inner,
            true if inner.ends_with('+') => format!("{}*", &inner[..inner.len() - 1]),
            true => format!("{inner}?"),
            false => inner,
        }
    }
    fn text(&self) -> String {
        if self.alternatives.iter().any(Vec::is_empty) {
            return self.atom();
        }
        let texts: Vec<String> = self.alternatives.iter().map(|a| a.join(" ")).collect();
        texts.join(" | ")
    }
    fn then(&self, next: &Piece) -> Piece {
        let mut out = self.sequence();
        for atom in next.sequence() {
            // `a a*`, `a* a` and `a+ a*` are `a+`.
            let bare = |text: &str| text.trim_end_matches(['*', '+']).to_owned();
            let starred = |text: &str| text.ends_with('*');
            match out.last_mut() {
                Some(last) if bare(last) == bare(&atom) && starred(last) != starred(&atom) => {
                    *last = format!("{}+", bare(last));
                }
                _ => out.push(atom),
            }
        }
        Piece { alternatives: vec![out] }
    }
    fn or(&self, other: &Piece) -> Piece {
        let mut out = self.clone();
        for alternative in &other.alternatives {
            if !out.alternatives.contains(alternative) {
                out.alternatives.push(alternative.clone());
            }
        }
        out
    }
    fn star(&self) -> Piece {
        let atom = self.atom();
        let bare = atom.strip_suffix(['*', '+', '?']).unwrap_or(&atom);
        match bare {
            "()" => Piece::empty_word(),
            bare => Piece::one(format!("{bare}*")),
        }
    }
    fn len(&self) -> usize {
        self.alternatives.iter().flatten().map(|atom| atom.len() + 1).sum()
    }
}

/// Larger automata have no readable expression; longer expressions are not readable.
const MOST_STATES: usize = 24;
const LONGEST: usize = 400;

/// State elimination, the state with the fewest ways through it first.
fn expression(states: &[StackState], name: &dyn Fn(StackLetter) -> String) -> Option<String> {
    let n = states.len();
    if n == 0 || n > MOST_STATES {
        return None;
    }
    // Two more states: a start without ways in, an end without ways out.
    let (start, end) = (n, n + 1);
    let mut ways: BTreeMap<(usize, usize), Piece> = BTreeMap::new();
    let join = |ways: &mut BTreeMap<(usize, usize), Piece>, key, piece: Piece| {
        let piece = match ways.get(&key) {
            Some(old) => old.or(&piece),
            None => piece,
        };
        let fits = piece.len() <= LONGEST;
        ways.insert(key, piece);
        fits
    };
    join(&mut ways, (start, 0), Piece::empty_word());
    for (i, state) in states.iter().enumerate() {
        if state.accepting {
            join(&mut ways, (i, end), Piece::empty_word());
        }
        for &(letter, to) in &state.edges {
            if !join(&mut ways, (i, to as usize), Piece::one(name(letter))) {
                return None;
            }
        }
    }
    let mut left: Vec<usize> = (0..n).collect();
    while !left.is_empty() {
        let through = |q: usize| {
            let into = ways.keys().filter(|k| k.1 == q && k.0 != q).count();
            let out = ways.keys().filter(|k| k.0 == q && k.1 != q).count();
            into * out
        };
        let at = (0..left.len()).min_by_key(|&i| (through(left[i]), left[i]))?;
        let q = left.remove(at);
        let again = ways.remove(&(q, q)).map(|loops| loops.star());
        let of = |ways: &BTreeMap<(usize, usize), Piece>,
                  pick: &dyn Fn(&(usize, usize)) -> bool| {
            ways.iter().filter(|(k, _)| pick(k)).map(|(k, p)| (*k, p.clone())).collect::<Vec<_>>()
        };
        let (into, out) = (of(&ways, &|k| k.1 == q), of(&ways, &|k| k.0 == q));
        ways.retain(|k, _| k.0 != q && k.1 != q);
        for ((from, _), first) in &into {
            let first = again.as_ref().map_or(first.clone(), |again| first.then(again));
            for ((_, to), second) in &out {
                if !join(&mut ways, (*from, *to), first.then(second)) {
                    return None;
                }
            }
        }
    }
    ways.remove(&(start, end)).map(|piece| piece.text())
}
