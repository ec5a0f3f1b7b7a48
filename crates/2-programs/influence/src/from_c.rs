//! The transition system of a C program's data, from its control skeleton.
//!
//! Unlike the program that is checked, it knows all variables. A point is a state. What a value
//! depends on is told by the point's data where that is known; else it is all that the points of the
//! full expression read so far, results of calls included.
//!
//! Fields and cells are their variable, which is then assigned in part. All that pointers point to is
//! one variable, `*`. A variable whose address is taken, and an array, lives there, too: it is read
//! together with `*`, and `*` is assigned in part whenever it is.
//!
//! What an expression has read before it calls a function is kept in a variable of its own (`parts`), so that neither
//! what the call changes nor the result of another call takes its place.
//!
//! Tables of constants are no part of `*`: nobody writes to them.
//!
//! A function without a body changes what it is handed pointers to (that is, `*`), and nothing else;
//! its result depends on its arguments.

use front_c::{
    Body, Call, Data, DataId, Event, Flow, FuncId, Next, ObjectId, Reach, Skeleton, When,
    is_failed_assertion, is_longjmp, plain_name, writes_files,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Builder, Evaluated, Graph, Label, Point, Target, Terms, Variable};

/// The transition system of a C program that starts with `entry`: by default `main`, or, where there
/// is none, any function that other units or pointers can call, or that nobody calls. None if there
/// is no such function. With `terms`, labels speak of definitions and expressions, too.
pub fn of_c(skeleton: &Skeleton, entry: Option<&str>, terms: bool) -> Option<Graph> {
    let (graph, known) = build(skeleton, entry, None)?;
    if !terms {
        return Some(graph);
    }
    build(skeleton, entry, Some(known)).map(|(graph, _)| graph)
}

fn build(skeleton: &Skeleton, entry: Option<&str>, terms: Option<Terms>) -> Option<(Graph, Terms)> {
    let mut b = Builder::new(terms);
    b.files = skeleton.files.clone();
    let mut functions = FxHashMap::default();
    for body in &skeleton.bodies {
        let number = b.function(&skeleton.funcs[body.func.index()].unique);
        functions.insert(body.func, number);
    }
    let mut lowering = Lowering {
        s: skeleton,
        b,
        functions,
        variables: FxHashMap::default(),
        returns: Vec::new(),
        memory: None,
        exposed: FxHashSet::default(),
        constants: FxHashSet::default(),
        parts: FxHashMap::default(),
        states: Vec::new(),
        setjmps: Vec::new(),
    };
    let roots = lowering.roots(entry)?;
    lowering.declare();
    lowering.points();
    for (i, body) in skeleton.bodies.iter().enumerate() {
        lowering.body(i as u32, body);
    }
    let initial = lowering.b.state();
    for root in roots {
        let to = lowering.b.entries[root as usize];
        lowering.b.edge(initial, Label::Silent, to);
    }
    // Whoever is handed a function may call it.
    for body in &skeleton.bodies {
        let func = &skeleton.funcs[body.func.index()];
        if func.address_taken || func.by_itself {
            let entry = lowering.b.entries[lowering.functions[&body.func] as usize];
            lowering.b.outside.push(entry);
        }
    }
    let (graph, _, terms) = lowering.b.finish(initial);
    Some((graph, terms))
}

struct Lowering<'a> {
    s: &'a Skeleton,
    b: Builder,
    functions: FxHashMap<FuncId, u32>,
    variables: FxHashMap<ObjectId, u32>,
    /// By function, its result.
    returns: Vec<u32>,
    /// `*`, if there are pointers.
    memory: Option<u32>,
    exposed: FxHashSet<ObjectId>,
    /// What never changes.
    constants: FxHashSet<ObjectId>,
    /// What an expression has read when it calls, and the call's result: by function and point.
    parts: FxHashMap<(u32, u32), u32>,
    /// By function, the state of each point.
    states: Vec<Vec<u32>>,
    /// Where a `longjmp` may come to.
    setjmps: Vec<u32>,
}

impl<'a> Lowering<'a> {
    fn roots(&self, entry: Option<&str>) -> Option<Vec<u32>> {
        let s = self.s;
        let named = |name: &str| s.func_named(name).and_then(|f| self.functions.get(&f).copied());
        if let Some(name) = entry {
            return named(name).map(|f| vec![f]);
        }
        if let Some(main) = named("main") {
            return Some(vec![main]);
        }
        let mut called: FxHashSet<FuncId> = FxHashSet::default();
        for body in &s.bodies {
            for point in &body.points {
                if let Flow::Call(call) = &point.flow {
                    called.extend(call.targets.iter().filter(|f| **f != body.func));
                }
            }
        }
        let is_root = |body: &&Body| {
            let func = &s.funcs[body.func.index()];
            !func.is_static || func.address_taken || !called.contains(&body.func)
        };
        let roots: Vec<u32> =
            s.bodies.iter().filter(is_root).map(|b| self.functions[&b.func]).collect();
        (!roots.is_empty()).then_some(roots)
    }

    /// The variable that an object is part of, and whether pointers lead from one to the other.
    fn root(&self, o: ObjectId) -> (ObjectId, bool) {
        let (mut o, mut through) = (o, false);
        loop {
            match self.s.objects[o.index()].reach {
                Reach::Var => return (o, through),
                Reach::Field(base) | Reach::Cell(base) | Reach::Address(base) => o = base,
                Reach::Arrow(base) | Reach::Deref(base) => {
                    through = true;
                    o = base;
                }
            }
        }
    }

    /// The variables that occur: globals first, then those of each function.
    fn declare(&mut self) {
        let s = self.s;
        let mut used: FxHashSet<ObjectId> = FxHashSet::default();
        let mut written: FxHashSet<ObjectId> = FxHashSet::default();
        let mut pointers = false;
        for body in &s.bodies {
            used.extend(body.params.iter().flatten().copied());
            let mut objects: Vec<ObjectId> = Vec::new();
            for data in &body.data {
                if let Data::Object(o) | Data::As(o, _) = *data {
                    objects.push(o);
                }
            }
            for point in &body.points {
                objects.extend(point.values.iter().map(|(o, _)| *o));
                written.extend(point.values.iter().map(|(o, _)| self.root(*o).0));
                let results = match &point.flow {
                    Flow::Call(call) => &call.result_events[..],
                    _ => &[],
                };
                for &event in point.events.iter().chain(results) {
                    if let Event::Assign(o) | Event::Modify(o) = event {
                        written.insert(self.root(o).0);
                    }
                }
                for &event in &point.events {
                    match event {
                        Event::Use(o)
                        | Event::Deref(o)
                        | Event::Address(o)
                        | Event::Assign(o)
                        | Event::Modify(o)
                        | Event::ReturnOf(o) => objects.push(o),
                        Event::Copy(o, q) => objects.extend([o, q]),
                        Event::Store => pointers = true,
                        _ => {}
                    }
                }
            }
            for o in objects {
                let (root, through) = self.root(o);
                let reach = s.objects[o.index()].reach;
                pointers |= through || matches!(reach, Reach::Address(_));
                used.insert(root);
            }
        }
        for object in &s.objects {
            if let Reach::Cell(base) = object.reach {
                self.exposed.insert(self.root(base).0);
            }
        }
        let is_taken = |o: &ObjectId| s.objects[o.index()].address_taken;
        self.exposed.extend(used.iter().filter(|o| is_taken(o)));
        // What nobody writes, and nobody else can, keeps its first value.
        let whole = s.func_named("main").is_some_and(|f| s.body(f).is_some());
        let never_written = |o: &ObjectId| {
            let object = &s.objects[o.index()];
            let closed = !object.external || whole;
            closed && !object.address_taken && !written.contains(o)
        };
        self.constants.extend(used.iter().filter(|o| {
            let object = &s.objects[o.index()];
            let still = !object.automatic && object.defined && !object.volatile;
            still && (object.constant && !written.contains(o) || never_written(o))
        }));
        let constants = &self.constants;
        self.exposed.retain(|o| !constants.contains(o));
        // An array that is handed to a function is a pointer there.
        pointers |= self.exposed.iter().any(is_taken);
        let mut used: Vec<(Option<u32>, ObjectId)> = used
            .into_iter()
            .map(|o| {
                let owner = s.objects[o.index()].owner;
                (owner.and_then(|f| self.functions.get(&f).copied()), o)
            })
            .collect();
        used.sort_unstable();
        for (function, o) in used {
            self.variables.insert(o, self.b.variables.len() as u32);
            let object = &s.objects[o.index()];
            self.b.variables.push(Variable {
                name: String::new(),
                plain: object.name.clone(),
                function,
                hidden: false,
                automatic: object.automatic,
                constant: self.constants.contains(&o),
            });
        }
        for function in 0..self.b.functions.len() as u32 {
            let variable = self.b.variables.len() as u32;
            self.returns.push(variable);
            self.b.results[function as usize].push(variable);
            self.b.variables.push(Variable {
                name: String::new(),
                plain: "return".to_owned(),
                function: Some(function),
                hidden: true,
                automatic: true,
                constant: false,
            });
        }
        self.declare_parts();
        if pointers {
            self.memory = Some(self.b.variables.len() as u32);
            self.b.variables.push(Variable {
                name: String::new(),
                plain: "*".to_owned(),
                function: None,
                hidden: false,
                automatic: false,
                constant: false,
            });
        }
        self.b.name_variables();
        let mut pointed: Vec<u32> =
            self.exposed.iter().filter_map(|o| self.variables.get(o).copied()).collect();
        pointed.sort_unstable();
        let name = |&v: &u32| match &self.b.variables[v as usize] {
            Variable { plain, function: Some(f), .. } => {
                format!("{}::{plain}", self.b.functions[*f as usize])
            }
            variable => variable.plain.clone(),
        };
        self.b.pointed = pointed.iter().map(name).collect();
    }

    /// A variable for each call in an expression that has read something before it, or calls again.
    fn declare_parts(&mut self) {
        for (function, body) in self.s.bodies.iter().enumerate() {
            let mut points: FxHashMap<u32, u32> = FxHashMap::default();
            for point in &body.points {
                *points.entry(point.statement).or_default() += 1;
            }
            for (i, point) in body.points.iter().enumerate() {
                if matches!(point.flow, Flow::Call(_)) && points[&point.statement] > 1 {
                    self.parts.insert((function as u32, i as u32), self.b.variables.len() as u32);
                    self.b.variables.push(Variable {
                        name: String::new(),
                        plain: "part".to_owned(),
                        function: Some(function as u32),
                        hidden: true,
                        automatic: true,
                        constant: false,
                    });
                }
            }
        }
    }

    fn points(&mut self) {
        let s = self.s;
        for (function, body) in s.bodies.iter().enumerate() {
            let mut labels: Vec<Vec<String>> = vec![Vec::new(); body.points.len()];
            for (name, point) in &body.labels {
                if let Some(list) = labels.get_mut(*point as usize) {
                    list.push(name.clone());
                }
            }
            let mut states = Vec::with_capacity(body.points.len());
            for (point, labels) in body.points.iter().zip(labels) {
                let state = self.b.state();
                states.push(state);
                self.b.points.push(Point {
                    state: Some(state),
                    function: function as u32,
                    file: point.at.file,
                    line: point.at.line,
                    column: point.at.column,
                    text: point.text.to_string(),
                    labels,
                });
            }
            self.states.push(states);
        }
        for (function, body) in s.bodies.iter().enumerate() {
            for &point in &body.setjmps {
                if let Flow::Call(call) = &body.points[point as usize].flow {
                    let to = self.next(function as u32, call.next);
                    self.setjmps.push(to);
                }
            }
        }
    }

    fn next(&mut self, function: u32, next: Next) -> u32 {
        match next {
            Next::Point(p) => self.states[function as usize][p as usize],
            Next::Stop => self.b.state(),
            Next::Spin => {
                let state = self.b.state();
                self.b.edge(state, Label::Silent, state);
                state
            }
        }
    }

    /// Appends what reading an object reads.
    fn read(&self, o: ObjectId, out: &mut Vec<u32>) {
        if let Reach::Address(_) = self.s.objects[o.index()].reach {
            return;
        }
        let (root, through) = self.root(o);
        out.extend(self.variables.get(&root));
        if through || self.exposed.contains(&root) {
            out.extend(self.memory);
        }
    }

    /// What a point reads.
    fn uses(&self, events: &[Event]) -> Vec<u32> {
        let mut out = Vec::new();
        for &event in events {
            if let Event::Use(o) = event {
                self.read(o, &mut out);
            }
        }
        sorted(out)
    }

    /// What a value reads.
    fn value(&self, body: &Body, root: DataId) -> Vec<u32> {
        let mut out = Vec::new();
        let mut todo = vec![root];
        while let Some(d) = todo.pop() {
            match body.data[d as usize] {
                Data::Int(_) => {}
                Data::Object(o) => self.read(o, &mut out),
                Data::Minus(a)
                | Data::Complement(a)
                | Data::Not(a)
                | Data::As(_, a)
                | Data::Convert(_, a) => todo.push(a),
                Data::Binary(_, a, b) => todo.extend([a, b]),
                Data::Conditional(c, a, b) => todo.extend([c, a, b]),
            }
        }
        sorted(out)
    }

    /// The expressions inside of a value that compute something from variables.
    fn evaluated(&self, body: &Body, root: DataId, out: &mut Vec<Evaluated>) {
        // Operands come before what uses them.
        let mut inside = vec![root];
        let mut at = 0;
        while at < inside.len() && inside.len() < 200 {
            match body.data[inside[at] as usize] {
                Data::Int(_) | Data::Object(_) => {}
                Data::Minus(a)
                | Data::Complement(a)
                | Data::Not(a)
                | Data::As(_, a)
                | Data::Convert(_, a) => inside.push(a),
                Data::Binary(_, a, b) => inside.extend([a, b]),
                Data::Conditional(c, a, b) => inside.extend([c, a, b]),
            }
            at += 1;
        }
        inside.sort_unstable();
        inside.dedup();
        let mut texts: FxHashMap<DataId, String> = FxHashMap::default();
        for d in inside {
            let get = |d: DataId| texts.get(&d).cloned();
            let inner = |d: DataId| {
                let text = get(d)?;
                let simple =
                    !matches!(body.data[d as usize], Data::Binary(..) | Data::Conditional(..));
                Some(if simple { text } else { format!("({text})") })
            };
            let mut computes = false;
            let text = match body.data[d as usize] {
                Data::Int(value) => Some(value.to_string()),
                Data::Object(o) => {
                    let (root, _) = self.root(o);
                    let name = self.variables.get(&root);
                    let name = name.map(|&v| self.b.variables[v as usize].name.as_str());
                    let object = &self.s.objects[o.index()].name;
                    let plain = &self.s.objects[root.index()].name;
                    name.map(|name| match object.strip_prefix(plain.as_str()) {
                        Some(rest) => format!("{name}{rest}"),
                        None => object.clone(),
                    })
                }
                Data::Minus(a) => inner(a).map(|a| format!("-{a}")),
                Data::Complement(a) => inner(a).map(|a| format!("~{a}")),
                Data::Not(a) => inner(a).map(|a| format!("!{a}")),
                Data::As(_, a) | Data::Convert(_, a) => get(a),
                Data::Binary(op, a, b) => {
                    computes = true;
                    let ab = inner(a).zip(inner(b));
                    ab.map(|(a, b)| format!("{a}{}{b}", symbol(op)))
                }
                Data::Conditional(c, a, b) => {
                    computes = true;
                    let ab = inner(a).zip(inner(b)).zip(inner(c));
                    ab.map(|((a, b), c)| format!("{c}?{a}:{b}"))
                }
            };
            let Some(text) = text.filter(|t| t.len() <= 80) else { continue };
            let reads = self.value(body, d);
            if computes && !reads.is_empty() {
                out.push(Evaluated { text: text.clone(), reads });
            }
            texts.insert(d, text);
        }
    }

    /// The targets of writing to an object: `whole` if all of it gets a new value.
    fn write(&self, o: ObjectId, whole: bool, sources: &[u32], out: &mut Vec<Target>) {
        let (root, through) = self.root(o);
        let target =
            |variable: u32, kills: bool| Target { variable, kills, sources: sources.to_vec() };
        if !through && let Some(&variable) = self.variables.get(&root) {
            let kills = whole && self.s.objects[o.index()].reach == Reach::Var;
            out.push(target(variable, kills));
        }
        if (through || self.exposed.contains(&root))
            && let Some(memory) = self.memory
        {
            out.push(target(memory, false));
        }
    }

    fn body(&mut self, function: u32, body: &'a Body) {
        let s = self.s;
        // Automatic variables are arbitrary at the entry.
        let mut locals: Vec<u32> = self
            .variables
            .iter()
            .filter(|(o, _)| {
                let object = &s.objects[o.index()];
                object.owner == Some(body.func)
                    && object.automatic
                    && !body.params.contains(&Some(**o))
            })
            .map(|(_, &v)| v)
            .collect();
        locals.sort_unstable();
        let kills = locals.into_iter();
        let kills = kills.map(|variable| Target { variable, kills: true, sources: Vec::new() });
        self.b.place = (0, 0);
        let kills = self.b.assignments(kills.collect());
        let first = self.next(function, body.entry);
        self.b.sequence(self.b.entries[function as usize], kills, first);
        let pending = self.pending(function, body);
        let asserting = asserting(s, body);
        for (i, pending) in pending.iter().enumerate() {
            self.point(function, body, i, pending, &asserting);
        }
    }

    /// For each point, what the points of its full expression before it have read.
    fn pending(&self, function: u32, body: &Body) -> Vec<Vec<u32>> {
        let mut pending: Vec<Vec<u32>> = vec![Vec::new(); body.points.len()];
        let own: Vec<Vec<u32>> = body
            .points
            .iter()
            .enumerate()
            .map(|(i, point)| {
                let Flow::Call(call) = &point.flow else { return self.uses(&point.events) };
                if let Some(&part) = self.parts.get(&(function, i as u32)) {
                    return vec![part];
                }
                // Arguments have gone into the call, the result comes out of it.
                let mut out = Vec::new();
                for &f in &call.targets {
                    match self.functions.get(&f) {
                        Some(&f) => out.push(self.returns[f as usize]),
                        None => out.extend(self.outside(point.events.as_slice())),
                    }
                }
                sorted(out)
            })
            .collect();
        let mut work: Vec<usize> = (0..body.points.len()).rev().collect();
        while let Some(i) = work.pop() {
            let point = &body.points[i];
            let nexts: Vec<Next> = match &point.flow {
                Flow::Next(next) => vec![*next],
                Flow::Branch(arms) => arms.iter().map(|arm| arm.next).collect(),
                Flow::Call(call) => vec![call.next],
                Flow::Return => Vec::new(),
            };
            for next in nexts {
                let Next::Point(next) = next else { continue };
                let next = next as usize;
                if body.points[next].statement != point.statement {
                    continue;
                }
                // What was read before a call is in its part.
                let earlier = match self.parts.contains_key(&(function, i as u32)) {
                    true => &[][..],
                    false => &pending[i][..],
                };
                let joined = [&pending[next][..], earlier, &own[i]].concat();
                let joined = sorted(joined);
                if joined != pending[next] {
                    pending[next] = joined;
                    work.push(next);
                }
            }
        }
        pending
    }

    /// What the result of a function without a body depends on.
    fn outside(&self, events: &[Event]) -> Vec<u32> {
        let mut out = self.uses(events);
        if !out.is_empty() || events.iter().any(|e| matches!(e, Event::Address(_))) {
            out.extend(self.memory);
        }
        sorted(out)
    }

    fn point(
        &mut self,
        function: u32,
        body: &Body,
        i: usize,
        pending: &[u32],
        asserting: &FxHashSet<u32>,
    ) {
        let point = &body.points[i];
        let from = self.states[function as usize][i];
        self.b.place = (point.at.line, point.at.column);
        let own = self.uses(&point.events);
        let all = sorted([&own[..], pending].concat());
        let mut evaluated = Vec::new();
        for &(_, value) in &point.values {
            value.iter().for_each(|&d| self.evaluated(body, d, &mut evaluated));
        }
        if let Flow::Call(call) = &point.flow {
            call.arg_data.iter().flatten().for_each(|&d| self.evaluated(body, d, &mut evaluated));
            let stages = self.b.evaluations(&evaluated);
            let mut middle = from;
            if !stages.is_empty() {
                middle = self.b.state();
                self.b.sequence(from, stages, middle);
            }
            if let Some(&part) = self.parts.get(&(function, i as u32)) {
                let sources = pending.to_vec();
                let before = Target { variable: part, kills: true, sources };
                let stages = self.b.assignments(vec![before]);
                let next = self.b.state();
                self.b.sequence(middle, stages, next);
                middle = next;
            }
            self.call(function, body, i, call, middle, (&own, &all));
            return;
        }
        match &point.flow {
            Flow::Branch(arms) => {
                let whens: Vec<&When> = arms.iter().filter_map(|arm| arm.when.as_ref()).collect();
                let data = |w: &When| match w {
                    When::True(d) | When::False(d) | When::Case(d, ..) | When::Default(d, _) => *d,
                };
                let reads = match whens.len() == arms.len() {
                    true => whens.iter().flat_map(|w| self.value(body, data(w))).collect(),
                    false => all,
                };
                whens.iter().for_each(|w| self.evaluated(body, data(w), &mut evaluated));
                let label = match asserting.contains(&point.statement) {
                    true => Label::Assert,
                    false => Label::Bool,
                };
                let mut stages = self.b.evaluations(&evaluated);
                stages.push(sorted(reads).into_iter().map(label).collect());
                for arm in arms {
                    let to = self.next(function, arm.next);
                    self.b.sequence(from, stages.clone(), to);
                }
            }
            Flow::Return => {
                let mut stages = self.b.evaluations(&evaluated);
                let targets = self.targets(body, i, &all);
                stages.extend(self.b.assignments(targets));
                let variable = self.returns[function as usize];
                let result = Target { variable, kills: true, sources: all };
                stages.extend(self.b.assignments(vec![result]));
                self.b.sequence(from, stages, self.b.exits[function as usize]);
            }
            Flow::Next(next) => {
                let mut stages = self.b.evaluations(&evaluated);
                let targets = self.targets(body, i, &all);
                stages.extend(self.b.assignments(targets));
                let to = self.next(function, *next);
                self.b.sequence(from, stages, to);
            }
            Flow::Call(_) => {}
        }
    }

    /// What a point assigns.
    fn targets(&self, body: &Body, i: usize, all: &[u32]) -> Vec<Target> {
        let point = &body.points[i];
        let mut out = Vec::new();
        let mut stored = false;
        for &(o, value) in &point.values {
            let whole = point.events.contains(&Event::Assign(o));
            let plain = whole && self.s.objects[o.index()].reach == Reach::Var;
            // Which cell is written is decided by all that is read.
            let sources = match value {
                Some(d) if plain => self.value(body, d),
                Some(d) => sorted([&self.value(body, d)[..], all].concat()),
                None => all.to_vec(),
            };
            self.write(o, whole, &sources, &mut out);
            stored |= self.root(o).1;
        }
        self.handed_out(&point.events, &mut out);
        if let (Some(memory), false) = (self.memory, stored)
            && point.events.contains(&Event::Store)
        {
            out.push(Target { variable: memory, kills: false, sources: all.to_vec() });
        }
        out
    }

    /// Pointers now lead to what has its address taken here.
    fn handed_out(&self, events: &[Event], out: &mut Vec<Target>) {
        let Some(memory) = self.memory else { return };
        for &event in events {
            if let Event::Address(o) = event
                && let Some(&variable) = self.variables.get(&self.root(o).0)
            {
                out.push(Target { variable: memory, kills: false, sources: vec![variable] });
            }
        }
    }

    fn call(
        &mut self,
        function: u32,
        body: &Body,
        i: usize,
        call: &Call,
        from: u32,
        (own, all): (&[u32], &[u32]),
    ) {
        let s = self.s;
        let point = &body.points[i];
        let next = self.next(function, call.next);
        // Which function is called decides what is reached.
        let mut from = from;
        if call.indirect && call.targets.len() > 1 {
            let middle = self.b.state();
            self.b.sequence(from, vec![own.iter().map(|&v| Label::Bool(v)).collect()], middle);
            from = middle;
        }
        let with_result = |this: &Self, sources: &[u32]| {
            let mut out = Vec::new();
            for &(o, value) in &point.values {
                let whole = call.result_events.contains(&Event::Assign(o));
                let sources = match value {
                    Some(d) => this.value(body, d),
                    None => sources.to_vec(),
                };
                this.write(o, whole, &sources, &mut out);
            }
            out
        };
        let mut outside = call.targets.is_empty();
        for &target in &call.targets {
            let Some(&callee) = self.functions.get(&target) else {
                outside = true;
                continue;
            };
            let mut targets = Vec::new();
            self.handed_out(&point.events, &mut targets);
            let params = s.body(target).map_or(&[][..], |b| &b.params);
            for (n, param) in params.iter().enumerate() {
                let (Some(param), Some(data)) = (param, call.arg_data.get(n)) else { continue };
                let sources = match data {
                    Some(d) => self.value(body, *d),
                    None => all.to_vec(),
                };
                self.write(*param, true, &sources, &mut targets);
            }
            let enter = self.b.assignments(targets);
            let after = self.b.state();
            self.b.call(function, callee, from, (enter, Vec::new()), after);
            let result = self.returns[callee as usize];
            let mut targets = with_result(self, &[result]);
            targets.extend(self.part(function, i, vec![result]));
            let back = self.b.assignments(targets);
            self.b.sequence(after, back, next);
        }
        if !outside {
            return;
        }
        let names: Vec<&str> =
            call.targets.iter().map(|f| plain_name(&s.funcs[f.index()].name)).collect();
        if names.iter().any(|n| is_longjmp(n)) {
            for to in self.setjmps.clone() {
                self.b.jumps = true;
                self.b.edge(from, Label::Silent, to);
            }
        }
        let mut stages = Vec::new();
        if names == ["assert"] {
            // Its header is missing.
            stages.push(all.iter().map(|&v| Label::Assert(v)).collect());
        }
        let reads = self.outside(&point.events);
        let quiet =
            !names.is_empty() && names.iter().all(|n| writes_files(n) || is_failed_assertion(n));
        let mut targets = Vec::new();
        self.handed_out(&point.events, &mut targets);
        if let Some(memory) = self.memory
            && !quiet
            && !reads.is_empty()
        {
            targets.push(Target { variable: memory, kills: false, sources: reads.clone() });
        }
        stages.extend(self.b.assignments(targets));
        let mut targets = with_result(self, &reads);
        targets.extend(self.part(function, i, reads));
        stages.extend(self.b.assignments(targets));
        self.b.sequence(from, stages, next);
    }
}

impl Lowering<'_> {
    /// The result of a call joins what its expression has read.
    fn part(&self, function: u32, i: usize, sources: Vec<u32>) -> Option<Target> {
        let &variable = self.parts.get(&(function, i as u32))?;
        Some(Target { variable, kills: false, sources })
    }
}

/// The full expressions in which an assertion fails: `assert` is one.
fn asserting(s: &Skeleton, body: &Body) -> FxHashSet<u32> {
    let fails = |f: &FuncId| is_failed_assertion(&s.funcs[f.index()].name);
    let points = body.points.iter();
    points
        .filter(|p| matches!(&p.flow, Flow::Call(call) if call.targets.iter().any(fails)))
        .map(|p| p.statement)
        .collect()
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

fn symbol(op: front_c::Binary) -> &'static str {
    use front_c::Binary::*;
    match op {
        Mul => "*",
        Div => "/",
        Rem => "%",
        Add => "+",
        Sub => "-",
        Shl => "<<",
        Shr => ">>",
        Lt => "<",
        Gt => ">",
        Le => "<=",
        Ge => ">=",
        Eq => "==",
        Ne => "!=",
        BitAnd => "&",
        BitXor => "^",
        BitOr => "|",
        And => "&&",
        Or => "||",
    }
}
