//! The transition system of a program's data: what is tested, assigned and asserted where
//! ([pbes §3.1]).

use lts::ExplicitLts;
use rustc_hash::{FxHashMap, FxHashSet};

/// The action of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// `i`: nothing that matters.
    Silent,
    /// `BOOL !v`: a condition reads `v`.
    Bool(u32),
    /// `ASSERT !v`: an assertion reads `v`.
    Assert(u32),
    /// `ASSIGN !v !w`: `v` is assigned from `w`; `ASSIGN !v`: from nothing.
    Assign(u32, Option<u32>),
    /// `DEF !d`: the definition `d` has been made.
    Define(u32),
    /// `KILL !t`: the definition `t`, or the value of the expression `t`, is gone.
    Kill(u32),
    /// `EVAL !e`: the expression `e` is evaluated.
    Evaluate(u32),
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in labels, which no other variable has.
    pub name: String,
    /// Its name in the source.
    pub plain: String,
    /// The function that it is local to.
    pub function: Option<u32>,
    /// It stands for something that has no name in the source: a result, memory.
    pub hidden: bool,
    /// It lives in a frame of its function, and is gone when that returns.
    pub automatic: bool,
    /// It never changes: a table, say. It is not shown.
    pub constant: bool,
}

/// A place at which a function is called.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The function that is called.
    pub(crate) callee: u32,
    /// The function that calls.
    pub(crate) caller: u32,
    /// The state in which arguments are assigned.
    pub(crate) from: u32,
    /// The assignments to the callee's parameters, one stage after the other.
    pub(crate) enter: Vec<Vec<Label>>,
    /// What the call does to the frame that waits.
    pub(crate) saved: Vec<Vec<Label>>,
    /// The state in which the callee has returned.
    pub(crate) after: u32,
}

/// A statement of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The state before it; none if no run comes there.
    pub state: Option<u32>,
    /// The function that it is in.
    pub function: u32,
    /// Index into [`Graph::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Its text.
    pub text: String,
    /// Its labels in the source.
    pub labels: Vec<String>,
}

/// A transition system with what its states are in the program. Only states that can be reached
/// from the first one are in it.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The variables: globals first.
    pub variables: Vec<Variable>,
    /// Names of functions.
    pub functions: Vec<String>,
    /// Names of files.
    pub files: Vec<String>,
    /// The statements.
    pub points: Vec<Point>,
    /// What `*` stands for: the variables that pointers may lead to, by name.
    pub pointed: Vec<String>,
    /// The places of calls that come back.
    pub(crate) sites: Vec<Site>,
    /// By function: the state in which a call arrives, and the one from which it comes back, if that is reached.
    pub(crate) entries: Vec<Option<u32>>,
    pub(crate) exits: Vec<Option<u32>>,
    /// By function: the variables that come back from it.
    pub(crate) results: Vec<Vec<u32>>,
    /// Some transition leaves a function other than by its end.
    pub(crate) jumps: bool,
    terms: Vec<String>,
    /// Invariant: ascends from 0 to the number of transitions, one entry more than states.
    offsets: Vec<u32>,
    transitions: Vec<(Label, u32)>,
}

/// What variables are called in a written transition system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// As in the source, with their function where that is needed to tell them apart.
    Source,
    /// `v0`, `v1`, …: names that every formula can mention.
    Numbers,
}

impl Graph {
    /// A graph of transitions that are given; state 0 is the first, and all others can be reached from it.
    pub(crate) fn of(
        variables: Vec<Variable>,
        functions: Vec<String>,
        files: Vec<String>,
        points: Vec<Point>,
        states: u32,
        given: &[(u32, Label, u32)],
    ) -> Graph {
        let mut offsets = vec![0u32; states as usize + 1];
        for &(from, ..) in given {
            offsets[from as usize + 1] += 1;
        }
        for i in 0..states as usize {
            offsets[i + 1] += offsets[i];
        }
        let mut sorted = given.to_vec();
        sorted.sort_by_key(|&(from, ..)| from);
        let transitions = sorted.into_iter().map(|(_, label, to)| (label, to)).collect();
        Graph {
            variables,
            functions,
            files,
            points,
            pointed: Vec::new(),
            sites: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            results: Vec::new(),
            jumps: false,
            terms: Vec::new(),
            offsets,
            transitions,
        }
    }

    /// The number of states; 0 is the first.
    pub fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The transitions of a state.
    pub fn from(&self, state: u32) -> &[(Label, u32)] {
        let (from, to) = (self.offsets[state as usize], self.offsets[state as usize + 1]);
        &self.transitions[from as usize..to as usize]
    }

    /// The number of transitions.
    pub fn transitions(&self) -> usize {
        self.transitions.len()
    }

    /// The variable with a name: as in labels, or `f::x`, or a name that only one variable has in
    /// the source.
    pub fn variable(&self, name: &str) -> Option<u32> {
        let find = |fits: &dyn Fn(&Variable) -> bool| {
            let mut found = self.variables.iter().enumerate().filter(|(_, v)| fits(v));
            match (found.next(), found.next()) {
                (Some((i, _)), None) => Some(i as u32),
                _ => None,
            }
        };
        find(&|v| v.name == name)
            .or_else(|| {
                find(&|v| {
                    v.function.is_some_and(|f| {
                        name.strip_prefix(self.functions[f as usize].as_str())
                            .and_then(|rest| rest.strip_prefix("::"))
                            == Some(v.plain.as_str())
                    })
                })
            })
            .or_else(|| find(&|v| v.plain == name))
    }

    /// Whether a variable is shown at a point: globals and the locals of its function, but no constants.
    pub fn in_scope(&self, variable: u32, point: &Point) -> bool {
        let variable = &self.variables[variable as usize];
        !variable.hidden
            && !variable.constant
            && variable.function.is_none_or(|f| f == point.function)
    }

    /// The text of a label.
    pub fn label(&self, label: Label, names: Names) -> String {
        let v = |v: u32| match names {
            Names::Source => self.variables[v as usize].name.clone(),
            Names::Numbers => format!("v{v}"),
        };
        let t = |t: u32| &self.terms[t as usize];
        match label {
            Label::Silent => "i".to_owned(),
            Label::Bool(x) => format!("BOOL !{}", v(x)),
            Label::Assert(x) => format!("ASSERT !{}", v(x)),
            Label::Assign(x, None) => format!("ASSIGN !{}", v(x)),
            Label::Assign(x, Some(y)) => format!("ASSIGN !{} !{}", v(x), v(y)),
            Label::Define(x) => format!("DEF !{}", t(x)),
            Label::Kill(x) => format!("KILL !{}", t(x)),
            Label::Evaluate(x) => format!("EVAL !{}", t(x)),
        }
    }

    /// The plain transition system.
    pub fn lts(&self, names: Names) -> ExplicitLts {
        self.written(names, |from, label, to| (from, label, to))
    }

    /// With every transition turned round, for questions about the past.
    pub fn past(&self) -> ExplicitLts {
        self.written(Names::Source, |from, label, to| (to, label, from))
    }

    fn written(
        &self,
        names: Names,
        turn: impl Fn(u32, u32, u32) -> (u32, u32, u32),
    ) -> ExplicitLts {
        let mut labels = Vec::new();
        let mut numbers: FxHashMap<Label, u32> = FxHashMap::default();
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for from in 0..self.states() {
            for &(label, to) in self.from(from) {
                let label = *numbers.entry(label).or_insert_with(|| {
                    labels.push(self.label(label, names));
                    labels.len() as u32 - 1
                });
                transitions.push(turn(from, label, to));
            }
        }
        ExplicitLts::new(0, self.states(), labels, &transitions)
    }
}

/// A target of a parallel assignment.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) variable: u32,
    /// The old value is gone.
    pub(crate) kills: bool,
    pub(crate) sources: Vec<u32>,
}

/// A call, to be completed when it is known who calls whom.
#[derive(Clone)]
struct Call {
    caller: u32,
    callee: u32,
    from: u32,
    enter: Vec<Vec<Label>>,
    /// What it does to the caller's frame.
    saved: Vec<Vec<Label>>,
    after: u32,
}

/// Definitions and expressions that exist; found by building a graph once without them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) names: Vec<String>,
    ids: FxHashMap<String, u32>,
    /// By variable: its definitions, the expressions that read it.
    definitions: FxHashMap<u32, Vec<u32>>,
    readers: FxHashMap<u32, Vec<u32>>,
    /// Variables that are assigned in part somewhere: arrays, structures, memory.
    weak: FxHashSet<u32>,
}

impl Terms {
    fn id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    fn add(map: &mut FxHashMap<u32, Vec<u32>>, variable: u32, term: u32) {
        let list = map.entry(variable).or_default();
        if !list.contains(&term) {
            list.push(term);
        }
    }
}

/// An expression that is evaluated: its text and the variables it reads.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub(crate) text: String,
    pub(crate) reads: Vec<u32>,
}

/// Builds a [`Graph`].
pub(crate) struct Builder {
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) points: Vec<Point>,
    /// By function: the state in which a call arrives, and the one from which it comes back.
    pub(crate) entries: Vec<u32>,
    pub(crate) exits: Vec<u32>,
    /// By function: the variables that come back from it.
    pub(crate) results: Vec<Vec<u32>>,
    /// Entries that the surroundings may call, if nobody else does.
    pub(crate) outside: Vec<u32>,
    /// What `*` stands for.
    pub(crate) pointed: Vec<String>,
    /// Some transition leaves a function other than by its end.
    pub(crate) jumps: bool,
    states: u32,
    transitions: Vec<(u32, Label, u32)>,
    calls: Vec<Call>,
    /// Gathers them; with `write`, labels mention them.
    pub(crate) terms: Terms,
    pub(crate) write: bool,
    /// The place of what is built now, for the names of definitions.
    pub(crate) place: (u32, u32),
}

impl Builder {
    /// With the terms that a first pass found, labels mention them.
    pub(crate) fn new(terms: Option<Terms>) -> Builder {
        Builder {
            variables: Vec::new(),
            functions: Vec::new(),
            files: Vec::new(),
            points: Vec::new(),
            entries: Vec::new(),
            exits: Vec::new(),
            results: Vec::new(),
            outside: Vec::new(),
            pointed: Vec::new(),
            jumps: false,
            states: 0,
            transitions: Vec::new(),
            calls: Vec::new(),
            write: terms.is_some(),
            terms: terms.unwrap_or_default(),
            place: (0, 0),
        }
    }

    pub(crate) fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    pub(crate) fn function(&mut self, name: &str) -> u32 {
        self.functions.push(name.to_owned());
        let (entry, exit) = (self.state(), self.state());
        self.entries.push(entry);
        self.exits.push(exit);
        self.results.push(Vec::new());
        self.functions.len() as u32 - 1
    }

    pub(crate) fn edge(&mut self, from: u32, label: Label, to: u32) {
        self.transitions.push((from, label, to));
    }

    /// Gives every variable a name of its own: the plain one if no other has it.
    pub(crate) fn name_variables(&mut self) {
        let mut times: FxHashMap<String, u32> = FxHashMap::default();
        let plain: Vec<String> = self.variables.iter().map(|v| written(&v.plain)).collect();
        for name in &plain {
            *times.entry(name.clone()).or_default() += 1;
        }
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for (variable, plain) in self.variables.iter_mut().zip(plain) {
            let mut name = match variable.function {
                Some(f) if times[&plain] > 1 => {
                    format!("{}::{plain}", written(&self.functions[f as usize]))
                }
                _ => plain,
            };
            // Constants and numbers are no names.
            if matches!(name.as_str(), "true" | "false" | "TRUE" | "FALSE" | "")
                || name.parse::<i64>().is_ok()
            {
                name = format!("::{name}");
            }
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            variable.name = name;
        }
    }

    /// Transitions one after the other; those of one stage are alternatives. Empty stages do not
    /// count.
    pub(crate) fn sequence(&mut self, from: u32, stages: Vec<Vec<Label>>, to: u32) {
        let mut stages: Vec<Vec<Label>> = stages.into_iter().filter(|s| !s.is_empty()).collect();
        if self.write {
            stages = stages.into_iter().flat_map(|stage| self.with_terms(stage)).collect();
        } else {
            for label in stages.iter().flatten() {
                if let Label::Assign(variable, _) = *label {
                    let name = self.definition(variable);
                    let id = self.terms.id(&name);
                    Terms::add(&mut self.terms.definitions, variable, id);
                }
            }
        }
        if stages.is_empty() {
            self.edge(from, Label::Silent, to);
            return;
        }
        let last = stages.len() - 1;
        let mut at = from;
        for (i, stage) in stages.into_iter().enumerate() {
            let next = if i == last { to } else { self.state() };
            for label in stage {
                self.edge(at, label, next);
            }
            at = next;
        }
    }

    /// The name of a definition made here.
    fn definition(&self, variable: u32) -> String {
        let name = &self.variables[variable as usize].name;
        match self.place {
            (0, _) => format!("{name}@start"),
            (line, column) => format!("{name}@{line}:{column}"),
        }
    }

    /// A stage of assignments, with what it kills before it and what it defines behind it.
    fn with_terms(&mut self, stage: Vec<Label>) -> Vec<Vec<Label>> {
        let mut targets: Vec<u32> = Vec::new();
        for label in &stage {
            if let Label::Assign(variable, _) = *label
                && !targets.contains(&variable)
            {
                targets.push(variable);
            }
        }
        if targets.is_empty() {
            return vec![stage];
        }
        let mut out = Vec::new();
        for &variable in &targets {
            let readers = self.terms.readers.get(&variable);
            out.extend(readers.into_iter().flatten().map(|&t| vec![Label::Kill(t)]));
            if !self.terms.weak.contains(&variable) {
                let definitions = self.terms.definitions.get(&variable);
                out.extend(definitions.into_iter().flatten().map(|&t| vec![Label::Kill(t)]));
            }
        }
        out.push(stage);
        for variable in targets {
            let name = self.definition(variable);
            let id = self.terms.id(&name);
            out.push(vec![Label::Define(id)]);
        }
        out
    }

    /// Stages in which the expressions are evaluated.
    pub(crate) fn evaluations(&mut self, found: &[Evaluated]) -> Vec<Vec<Label>> {
        let mut out: Vec<Vec<Label>> = Vec::new();
        for Evaluated { text, reads } in found {
            let id = self.terms.id(&written(text));
            for &variable in reads {
                Terms::add(&mut self.terms.readers, variable, id);
            }
            let stage = vec![Label::Evaluate(id)];
            if self.write && !out.contains(&stage) {
                out.push(stage);
            }
        }
        out
    }

    /// A call from `from`, whose arguments are assigned in `enter`, back to `after`.
    pub(crate) fn call(
        &mut self,
        caller: u32,
        callee: u32,
        from: u32,
        (enter, saved): (Vec<Vec<Label>>, Vec<Vec<Label>>),
        after: u32,
    ) {
        let entry = self.entries[callee as usize];
        self.sequence(from, enter.clone(), entry);
        self.edge(self.exits[callee as usize], Label::Silent, after);
        self.calls.push(Call { caller, callee, from, enter, saved, after });
    }

    /// In a recursive call, the locals of the waiting frame have the names of those that the callee
    /// assigns. What they are worth goes round the call; globals and results come out of it.
    fn recursion(&mut self) {
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); self.functions.len()];
        for call in &self.calls {
            calls[call.caller as usize].push(call.callee);
        }
        let next = |f: usize, i: usize| calls[f].get(i).map(|&callee| callee as usize);
        let component = ::graph::components(calls.len(), 0..calls.len(), next).of;
        let globals: Vec<u32> = (0..self.variables.len() as u32)
            .filter(|&v| self.variables[v as usize].function.is_none())
            .collect();
        for call in self.calls.clone() {
            if component[call.caller as usize] != component[call.callee as usize] {
                continue;
            }
            let mut stages = call.saved;
            let results = &self.results[call.callee as usize];
            stages.extend(globals.iter().chain(results).map(|&v| vec![Label::Assign(v, None)]));
            // These are no definitions.
            let write = std::mem::replace(&mut self.write, false);
            self.sequence(call.from, stages, call.after);
            self.write = write;
        }
    }

    /// The transitions by their states.
    fn sorted(&self) -> (Vec<u32>, Vec<(Label, u32)>) {
        let mut first = vec![0u32; self.states as usize + 1];
        for &(from, ..) in &self.transitions {
            first[from as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut place = first.clone();
        let mut sorted = vec![(Label::Silent, 0); self.transitions.len()];
        for &(from, label, to) in &self.transitions {
            sorted[place[from as usize] as usize] = (label, to);
            place[from as usize] += 1;
        }
        (first, sorted)
    }

    /// The states that a run comes to: behind a call if that is made and the callee returns.
    fn reached(&self, initial: u32, first: &[u32], sorted: &[(Label, u32)]) -> Vec<bool> {
        let mut calls: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (i, call) in self.calls.iter().enumerate() {
            calls.entry(call.from).or_default().push(i);
            calls.entry(self.exits[call.callee as usize]).or_default().push(i);
        }
        let ends: FxHashSet<u32> = self.exits.iter().copied().collect();
        let mut reached = vec![false; self.states as usize];
        reached[initial as usize] = true;
        let mut work = vec![initial];
        while let Some(state) = work.pop() {
            let mut found: Vec<u32> = Vec::new();
            if !ends.contains(&state) {
                let (from, to) = (first[state as usize], first[state as usize + 1]);
                found.extend(sorted[from as usize..to as usize].iter().map(|t| t.1));
            }
            for &i in calls.get(&state).into_iter().flatten() {
                let call = &self.calls[i];
                let end = self.exits[call.callee as usize];
                if reached[call.from as usize] && reached[end as usize] {
                    found.push(call.after);
                }
            }
            for to in found {
                if !std::mem::replace(&mut reached[to as usize], true) {
                    work.push(to);
                }
            }
        }
        reached
    }

    /// The part that is reached from `initial`, with the new number of each old state.
    pub(crate) fn finish(mut self, initial: u32) -> (Graph, Vec<Option<u32>>, Terms) {
        self.recursion();
        self.transitions.dedup();
        let (mut first, mut sorted) = self.sorted();
        let mut reached = self.reached(initial, &first, &sorted);
        let outside = std::mem::take(&mut self.outside);
        let more: Vec<u32> = outside.into_iter().filter(|&e| !reached[e as usize]).collect();
        if !more.is_empty() {
            more.into_iter().for_each(|entry| self.edge(initial, Label::Silent, entry));
            (first, sorted) = self.sorted();
            reached = self.reached(initial, &first, &sorted);
        }
        let mut image: Vec<Option<u32>> = vec![None; self.states as usize];
        image[initial as usize] = Some(0);
        let mut order = vec![initial];
        let (mut offsets, mut transitions) = (vec![0u32], Vec::new());
        let mut at = 0;
        while at < order.len() {
            let old = order[at] as usize;
            at += 1;
            let start = transitions.len();
            for &(label, to) in &sorted[first[old] as usize..first[old + 1] as usize] {
                if !reached[to as usize] {
                    continue;
                }
                let next = order.len() as u32;
                let new = *image[to as usize].get_or_insert_with(|| {
                    order.push(to);
                    next
                });
                if !transitions[start..].contains(&(label, new)) {
                    transitions.push((label, new));
                }
            }
            offsets.push(transitions.len() as u32);
        }
        for point in &mut self.points {
            point.state = point.state.and_then(|s| image[s as usize]);
        }
        let state = |s: &u32| image[*s as usize];
        let sites = self.calls.into_iter().filter_map(|call| {
            let Call { caller, callee, from, enter, saved, after } = call;
            let (from, after) = state(&from).zip(state(&after))?;
            Some(Site { callee, caller, from, enter, saved, after })
        });
        let graph = Graph {
            variables: self.variables,
            functions: self.functions,
            files: self.files,
            points: self.points,
            pointed: self.pointed,
            sites: sites.collect(),
            entries: self.entries.iter().map(state).collect(),
            exits: self.exits.iter().map(state).collect(),
            results: self.results,
            jumps: self.jumps,
            terms: self.terms.names.clone(),
            offsets,
            transitions,
        };
        (graph, image, self.terms)
    }

    /// A parallel assignment as stages.
    pub(crate) fn assignments(&mut self, targets: Vec<Target>) -> Vec<Vec<Label>> {
        self.terms.weak.extend(targets.iter().filter(|t| !t.kills).map(|t| t.variable));
        assignments(targets)
    }
}

/// A target comes behind every other one whose value reads it. Targets that read each other in a
/// circle are alternatives of one stage, in which nothing is killed.
fn assignments(targets: Vec<Target>) -> Vec<Vec<Label>> {
    let mut merged: Vec<Target> = Vec::new();
    for target in targets {
        match merged.iter_mut().find(|t| t.variable == target.variable) {
            Some(same) => {
                // Two cells of one array, say.
                same.kills &= target.kills;
                same.sources.extend(target.sources);
            }
            None => merged.push(target),
        }
    }
    for target in &mut merged {
        if !target.kills {
            target.sources.push(target.variable);
        }
        target.sources.sort_unstable();
        target.sources.dedup();
    }
    let labels = |t: &Target| -> Vec<Label> {
        match t.sources[..] {
            [] => vec![Label::Assign(t.variable, None)],
            _ => t.sources.iter().map(|&s| Label::Assign(t.variable, Some(s))).collect(),
        }
    };
    let reads = |t: &Target, other: &Target| {
        t.variable != other.variable && t.sources.contains(&other.variable)
    };
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    loop {
        // One that nobody else reads is assigned first, one that reads nobody else last.
        if let Some(i) = merged.iter().position(|t| !merged.iter().any(|o| reads(o, t))) {
            head.push(labels(&merged.remove(i)));
        } else if let Some(i) = merged.iter().position(|t| !merged.iter().any(|o| reads(t, o))) {
            tail.push(labels(&merged.remove(i)));
        } else {
            break;
        }
    }
    if !merged.is_empty() {
        head.push(merged.iter().flat_map(labels).collect());
    }
    tail.reverse();
    head.extend(tail);
    head
}

/// A name without what labels and files of labels give a meaning.
fn written(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' | '\t' | '\n' | '\r' | '"' | '%' => {
                out.push_str(&format!("%{:02X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}
