//! Trees → skeletons, by a stack of tasks that writes linear code with labels.
//!
//! Nothing here recurses: chains of operators and statements can be as long as memory allows. A task
//! that evaluates an expression leaves a [`Val`] on the stack of values; events gather in `pending`
//! until the point they belong to is complete.

use crate::Place;
use crate::function_pointers::{Resolved, resolve};
use crate::link::{
    EXITS, Entity, Func, FuncId, Linked, Object, ObjectId, Reach, TypeRef, link,
    scalar_initialiser, strip,
};
use crate::said::{assertion, closed, on_one_line, opposite};
use crate::skeleton::{
    Arm, Body, Call, Data, DataId, Event, Flow, MAX_LINKS, Next, Point, Relation, Skeleton, Spot,
    Test, Warning, When,
};
use crate::tree::{
    Assign, Binary, Declaration, ExprId, ExprKind, ForInit, Function, Init, InitId, Item, StmtId,
    StmtKind, Storage, Sym, TypeId, TypeKind, Unary, Unit,
};
use crate::typing::{Ty, Typing};
use c_types::{Scalar, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger values are not followed.
const MAX_DATA: usize = 64;

/// How calls through pointers are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pointers {
    /// By the functions that may be in the pointer, where that can be followed.
    #[default]
    Followed,
    /// By type alone: any function of a fitting type whose address is taken. What is followed is a
    /// part of this.
    Types,
}

/// The skeletons of all functions of the units.
pub fn skeleton(units: &[Unit]) -> Skeleton {
    skeleton_by(units, Pointers::Followed)
}

/// The skeletons of all functions of the units, with a choice of how calls through pointers are
/// resolved.
pub fn skeleton_by(units: &[Unit], pointers: Pointers) -> Skeleton {
    let mut linked = link(units);
    // What was not read may store any function anywhere.
    let whole = (0..units.len()).all(|u| linked.is_whole(u));
    let resolved = match pointers {
        Pointers::Followed if whole => resolve(&mut linked),
        _ => None,
    };
    let by_type = (pointers == Pointers::Followed && resolved.is_none()).then_some(match whole {
        true => "there are too many of them",
        false => "not all of the program could be read",
    });
    // Who tells at the start what a name is gives it away.
    let told = units.iter().flat_map(|u| &u.items).any(|item| match item {
        Item::Function(f) => f.attributes.ifunc.is_some(),
        Item::Declaration(d) => d.attributes.ifunc.is_some(),
    });
    let escaped = resolved.as_ref().filter(|_| !told).map(|r| r.escaped.clone());
    let resolved = resolved.unwrap_or_default();
    let mut by_type_said = pointers == Pointers::Types;
    let mut files = Files::default();
    let mut bodies = Vec::new();
    let mut paths: FxHashMap<(Reach, String), ObjectId> = FxHashMap::default();
    let mut initial = Vec::new();
    for (u, unit) in units.iter().enumerate() {
        let file_map: Vec<u32> = unit.files().iter().map(|f| files.add(f)).collect();
        for item in &unit.items {
            if let Item::Declaration(d) = item
                && let Some(Entity::Object(o)) = linked.scopes[u].get(&d.name).copied()
            {
                let to = linked.objects[o.index()].scalar;
                initial.extend(d.init.map(|init| (o, linked.initial(u, init, to))));
            }
        }
        let mut walker = Walker {
            linked: &mut linked,
            resolved: &resolved,
            by_type,
            by_type_said: &mut by_type_said,
            u,
            unit,
            func: FuncId(0),
            file_map,
            shared_paths: &mut paths,
            paths: FxHashMap::default(),
            initial: &mut initial,
            env: FxHashMap::default(),
            undo: Vec::new(),
            tasks: Vec::new(),
            vals: Vec::new(),
            code: Vec::new(),
            label_pos: Vec::new(),
            pending: Vec::new(),
            hidden: Vec::new(),
            values: Vec::new(),
            returned: None,
            open: None,
            calls: 0,
            loops: Vec::new(),
            switches: Vec::new(),
            cleanups: Vec::new(),
            named: FxHashMap::default(),
            named_order: Vec::new(),
            label_cleanups: FxHashMap::default(),
            gotos: Vec::new(),
            computed: Vec::new(),
            dos: Vec::new(),
            address_labels: Vec::new(),
            data: Vec::new(),
            scalars: Vec::new(),
            names: FxHashMap::default(),
            undeclared: FxHashSet::default(),
            statement: 0,
            inside: 0,
        };
        for (i, item) in unit.items.iter().enumerate() {
            let Item::Function(f) = item else { continue };
            let Some(Entity::Func(id)) = walker.linked.scopes[u].get(&f.name).copied() else {
                continue;
            };
            if walker.linked.funcs[id.index()].body == Some((u, i)) {
                bodies.push(walker.function(id, f));
            }
        }
    }
    bodies.sort_by_key(|b: &Body| b.func);
    let Linked { mut funcs, mut objects, warnings, .. } = linked;
    let types = type_names(units, &mut objects, &mut funcs);
    for func in &mut funcs {
        func.const_params = const_params(units, func.ty);
    }
    let model = units.first().map(|u| u.model).unwrap_or_default();
    let given_away = bodies.iter().map(|b| b.func).filter(|f| match &escaped {
        Some(escaped) => escaped.binary_search(f).is_ok(),
        None => funcs[f.index()].address_taken,
    });
    let given_away = given_away.collect();
    let files = files.names;
    Skeleton { funcs, objects, bodies, files, warnings, initial, given_away, model, types }
}

/// Gives every object, and every function's result, the names of its type: without qualifiers and blanks,
/// as declared, and with one `typedef` after the other resolved.
fn type_names(units: &[Unit], objects: &mut [Object], funcs: &mut [Func]) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = vec![Vec::new()];
    let mut known: FxHashMap<TypeRef, u32> = FxHashMap::default();
    let mut same: FxHashMap<Vec<String>, u32> = FxHashMap::default();
    let mut number = |ty: TypeRef| {
        *known.entry(ty).or_insert_with(|| {
            let names = names_of(&units[ty.unit as usize], ty.ty);
            let next = out.len() as u32;
            *same.entry(names).or_insert_with_key(|names| {
                out.push(names.clone());
                next
            })
        })
    };
    for object in objects.iter_mut() {
        let Some(ty) = object.ty else { continue };
        let unit = &units[ty.unit as usize];
        let stripped = unit.ty(strip(unit, ty.ty));
        object.constant =
            object.reach == Reach::Var && (unit.ty(ty.ty).is_const || stripped.is_const);
        object.array = matches!(stripped.kind, TypeKind::Array(..));
        object.type_names = number(ty);
    }
    for i in 0..objects.len() {
        let first = match objects[i].reach {
            Reach::Field(b) => objects[b.index()].ty.and_then(|ty| first_member(units, ty, false)),
            Reach::Arrow(b) => objects[b.index()].ty.and_then(|ty| first_member(units, ty, true)),
            _ => None,
        };
        let name = objects[i].name.rsplit(['.', '>']).next();
        objects[i].first = first.is_some() && first == name;
    }
    for func in funcs {
        let Some(ty) = func.ty else { continue };
        let unit = &units[ty.unit as usize];
        if let TypeKind::Function { result, .. } = unit.ty(strip(unit, ty.ty)).kind {
            func.result_names = number(TypeRef { unit: ty.unit, ty: result });
        }
    }
    out
}

/// The name of the first member of a record, or of the one that a pointer points to.
fn first_member(units: &[Unit], ty: TypeRef, behind: bool) -> Option<&str> {
    let unit = &units[ty.unit as usize];
    let mut kind = &unit.ty(strip(unit, ty.ty)).kind;
    if behind {
        let (TypeKind::Pointer(inner) | TypeKind::Array(inner, _)) = kind else { return None };
        kind = &unit.ty(strip(unit, *inner)).kind;
    }
    let TypeKind::Record(r) = kind else { return None };
    let first = unit.records[r.index()].fields.iter().flatten().next()?;
    first.name.map(|sym| unit.name(sym))
}

fn names_of(unit: &Unit, ty: TypeId) -> Vec<String> {
    let (mut ty, mut stars) = (ty, String::new());
    let mut names = Vec::new();
    loop {
        match &unit.ty(ty).kind {
            TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
                stars.push('*');
                ty = *inner;
            }
            TypeKind::Named(sym, inner) => {
                names.push(format!("{}{stars}", unit.name(*sym)));
                ty = *inner;
            }
            TypeKind::Void => {
                names.push(format!("void{stars}"));
                return names;
            }
            TypeKind::Base(sym) => {
                names.push(format!("{}{stars}", unit.name(*sym)));
                return names;
            }
            TypeKind::Record(r) => {
                let record = &unit.records[r.index()];
                if let Some(name) = record.name {
                    let tag =
                        if record.tag == crate::tree::Tag::Union { "union" } else { "struct" };
                    names.push(format!("{tag} {}{stars}", unit.name(name)));
                }
                return names;
            }
            _ => return names,
        }
    }
}

/// Which parameters of a function are pointers to what is constant.
fn const_params(units: &[Unit], ty: Option<TypeRef>) -> Vec<bool> {
    let Some(ty) = ty else { return Vec::new() };
    let unit = &units[ty.unit as usize];
    let TypeKind::Function { params, unprototyped: false, .. } = &unit.ty(strip(unit, ty.ty)).kind
    else {
        return Vec::new();
    };
    let constant = |ty: TypeId| match unit.ty(strip(unit, ty)).kind {
        TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
            // The qualifier may stand with any of the names.
            let mut inner = inner;
            loop {
                let ty = unit.ty(inner);
                match ty.kind {
                    _ if ty.is_const => break true,
                    TypeKind::Named(_, next) => inner = next,
                    _ => break false,
                }
            }
        }
        _ => false,
    };
    params.iter().map(|p| constant(p.ty)).collect()
}

#[derive(Default)]
struct Files {
    names: Vec<String>,
    ids: FxHashMap<String, u32>,
}

impl Files {
    fn add(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

type Label = u32;

/// The source text of a point.
#[derive(Clone, Copy)]
struct Text {
    prefix: &'static str,
    at: Place,
    from: u32,
    to: u32,
    suffix: &'static str,
    /// It is the opposite of the condition that is tested.
    flip: bool,
}

/// What an expression's value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Other,
    /// Nothing: a cast to `void`.
    Nothing,
    /// An object, not read yet.
    Object(ObjectId),
    /// The address of an object, as an object.
    Address(ObjectId),
    /// What was just assigned to the object.
    Assigned(ObjectId),
    /// The result of a call.
    Call(u32),
    /// A function.
    Func,
}

#[derive(Clone, Copy)]
struct Val {
    what: What,
    ty: Option<TypeRef>,
    constant: Option<Value>,
    /// It is what the object holds, and no conversion made another number of it.
    faithful: bool,
}

impl Val {
    fn new(what: What, ty: Option<TypeRef>) -> Val {
        Val { what, ty, constant: None, faithful: true }
    }
    fn other(ty: Option<TypeRef>) -> Val {
        Val::new(What::Other, ty)
    }
    fn object(&self) -> Option<ObjectId> {
        match self.what {
            What::Object(o) | What::Address(o) | What::Assigned(o) => Some(o),
            _ => None,
        }
    }
}

/// Who is called.
#[derive(Clone, Copy)]
enum Callee {
    Direct(FuncId),
    Pointer,
}

#[derive(Clone, Copy)]
enum Task<'a> {
    Stmt(StmtId),
    Eval(ExprId),
    /// Evaluates and assigns; the text is that of the assignment.
    Into(ExprId, ObjectId, Option<Text>),
    Cond(ExprId, Label, Label, Option<Text>),
    Declare(&'a Declaration),
    Init(InitId),
    /// Pops a value, which is read.
    Consume,
    /// Replaces the value by what was read of it.
    Rvalue,
    /// The same, where the value goes on in a way that is not followed.
    Derive,
    Push(What),
    Pop,
    Flush(Text),
    Mark(Label),
    Jump(Label),
    Deref,
    Address,
    Step(ExprId),
    BinaryEnd,
    Index,
    Field(Sym),
    Arrow(Sym),
    Cast(TypeId),
    AssignTarget(ExprId),
    AssignWith(ExprId),
    AssignWithEnd(ExprId),
    /// Writes to what the value under the top is, if it is no object.
    StoreEnd,
    IntoEnd(ExprId, ObjectId, Option<Text>),
    /// Writes to the object, value unknown.
    Write(ObjectId),
    /// Writes to the top value.
    WriteTop,
    CallEnd(ExprId, Callee),
    /// Of a comparison with a constant: the operand that is none, how it compares, with what.
    Test(ExprId, ExprId, Relation, Value, Label, Label, Text),
    Branch(ExprId, Label, Label, Text),
    Known(Label, Text),
    Choose(ExprId),
    Return(Option<ExprId>, Text),
    ReturnEnd(ExprId, Text),
    Dispatch(ExprId, Text, Label),
    EndSwitch(Label),
    PopLoop,
    EndScope(usize, usize, Text),
    Cleanup(ObjectId, FuncId),
    AsmEnd(StmtId),
    /// Another full expression begins.
    Fresh,
    /// The end of a statement expression.
    Leave,
}

enum Ins {
    Point(Draft),
    Branch(Draft, Vec<(Label, Vec<Event>, Option<When>)>),
    Call(Draft, Box<Open>),
    Return(Draft),
    Jump(Label),
    Stop,
}

struct Draft {
    at: Spot,
    text: Box<str>,
    events: Vec<Event>,
    hidden: Vec<Event>,
    values: Vec<(ObjectId, Option<DataId>)>,
    returned: Option<DataId>,
    statement: u32,
    test: Option<Box<Test>>,
}

/// A call whose point is not complete yet.
struct Open {
    id: u32,
    text: Text,
    /// What is shown instead of the text.
    said: Option<Box<str>>,
    targets: Vec<FuncId>,
    indirect: bool,
    /// It may reach what is not among the targets.
    open: bool,
    through: Option<ObjectId>,
    args: Vec<Option<ObjectId>>,
    arg_data: Vec<Option<DataId>>,
    arg_values: Vec<Option<ObjectId>>,
    result: Option<ObjectId>,
    temporary: Option<ObjectId>,
    ty: Option<TypeRef>,
    scalar: Option<Scalar>,
    result_events: Vec<Event>,
    stops: bool,
    setjmp: bool,
}

struct Loop {
    break_to: Label,
    continue_to: Option<Label>,
    cleanups: usize,
}

/// A `goto` that runs cleanups on its way.
struct Goto {
    from: Label,
    to: Sym,
    active: Vec<(ObjectId, FuncId)>,
    text: Text,
}

struct Switch {
    code: usize,
    object: Option<ObjectId>,
    data: Option<DataId>,
    /// The promoted type of the value.
    ty: Option<Scalar>,
    constant: Option<Value>,
    cases: Vec<(Label, Option<(i64, i64)>)>,
    default: Option<Label>,
}

struct Walker<'l, 'a> {
    linked: &'l mut Linked<'a>,
    resolved: &'l Resolved,
    /// Why function pointers were not followed, and whether that was said.
    by_type: Option<&'static str>,
    by_type_said: &'l mut bool,
    u: usize,
    unit: &'a Unit,
    func: FuncId,
    file_map: Vec<u32>,
    shared_paths: &'l mut FxHashMap<(Reach, String), ObjectId>,
    paths: FxHashMap<(Reach, Option<Sym>), ObjectId>,
    initial: &'l mut Vec<(ObjectId, Option<i64>)>,
    env: FxHashMap<Sym, Entity>,
    undo: Vec<(Sym, Option<Entity>)>,
    tasks: Vec<Task<'a>>,
    vals: Vec<Val>,
    code: Vec<Ins>,
    /// Where each label is; `u32::MAX` until it is marked.
    label_pos: Vec<u32>,
    pending: Vec<Event>,
    hidden: Vec<Event>,
    values: Vec<(ObjectId, Option<DataId>)>,
    /// What the return under way returns.
    returned: Option<DataId>,
    open: Option<Open>,
    calls: u32,
    loops: Vec<Loop>,
    switches: Vec<Switch>,
    cleanups: Vec<(ObjectId, FuncId)>,
    named: FxHashMap<Sym, Label>,
    named_order: Vec<Sym>,
    label_cleanups: FxHashMap<Sym, Vec<(ObjectId, FuncId)>>,
    /// Gotos out of scopes with cleanups, done at the end.
    gotos: Vec<Goto>,
    /// Computed gotos in the code.
    computed: Vec<(usize, Place)>,
    /// Where the word `do` stands in the code.
    dos: Vec<usize>,
    address_labels: Vec<Sym>,
    data: Vec<Data>,
    /// The scalar type of each of these.
    scalars: Vec<Option<Scalar>>,
    /// How often a local of the name was declared in the function.
    names: FxHashMap<Sym, u32>,
    undeclared: FxHashSet<Sym>,
    /// Counts full expressions ([`Point::statement`]).
    statement: u32,
    /// How many statement expressions are around.
    inside: u32,
}

impl<'a> Walker<'_, 'a> {
    fn function(&mut self, id: FuncId, f: &'a Function) -> Body {
        self.func = id;
        self.env.clear();
        self.undo.clear();
        self.paths.clear();
        self.names.clear();
        self.named.clear();
        self.named_order.clear();
        self.label_cleanups.clear();
        self.address_labels.clear();
        self.computed.clear();
        self.label_pos.clear();
        self.cleanups.clear();
        self.hidden.clear();
        self.vals.clear();
        self.loops.clear();
        self.switches.clear();
        let params: Vec<Option<ObjectId>> = f
            .params
            .iter()
            .map(|p| {
                let name = p.name?;
                let o = self.local(name, p.ty, f.at, true);
                self.bind(name, Entity::Object(o));
                Some(o)
            })
            .collect();
        self.tasks.push(Task::Stmt(f.body));
        while let Some(task) = self.tasks.pop() {
            self.task(task);
        }
        let end = Text {
            prefix: "}",
            at: f.end,
            from: f.end.offset,
            to: f.end.offset,
            suffix: "",
            flip: false,
        };
        self.flush(end);
        self.finish_return(None, end);
        for Goto { from, to: label, active, text } in std::mem::take(&mut self.gotos) {
            self.mark(from);
            let kept = self.label_cleanups.get(&label).cloned().unwrap_or_default();
            let common = active.iter().zip(&kept).take_while(|(a, b)| a == b).count();
            for &(o, f) in active[common..].iter().rev() {
                self.cleanup_call(o, f, text);
            }
            let to = self.named_label(label);
            self.code.push(Ins::Jump(to));
        }
        self.undefined_labels(f);
        let targets: Vec<Label> = {
            let mut syms = self.address_labels.clone();
            if syms.is_empty() {
                syms.clone_from(&self.named_order);
            }
            let mut seen = FxHashSet::default();
            syms.retain(|s| seen.insert(*s));
            syms.iter().filter_map(|s| self.named.get(s).copied()).collect()
        };
        for (i, at) in std::mem::take(&mut self.computed) {
            if let Ins::Branch(_, arms) = &mut self.code[i] {
                *arms = targets.iter().map(|&l| (l, Vec::new(), None)).collect();
            }
            if self.address_labels.is_empty() {
                let where_to = match targets[..] {
                    [] => "it goes nowhere",
                    _ => "it may go to any label",
                };
                let message = format!(
                    "no label of this function has its address taken, for a computed `goto`; {where_to}"
                );
                self.warn(at, message);
            }
        }
        let at = self.spot(f.at);
        self.assemble(id, params, at)
    }

    fn undefined_labels(&mut self, f: &Function) {
        for sym in self.named_order.clone() {
            let label = self.named[&sym];
            if self.label_pos[label as usize] == u32::MAX {
                let message =
                    format!("`goto` to the label `{}`, which is not there", self.unit.name(sym));
                self.warn(f.at, message);
                self.mark(label);
                self.code.push(Ins::Stop);
            }
        }
    }

    /// Code with labels → points.
    fn assemble(&mut self, func: FuncId, params: Vec<Option<ObjectId>>, at: Spot) -> Body {
        let code = std::mem::take(&mut self.code);
        // The number of the point that each instruction is.
        let mut number = Vec::with_capacity(code.len());
        let mut count = 0u32;
        for ins in &code {
            number.push(count);
            count += u32::from(!matches!(ins, Ins::Jump(_) | Ins::Stop));
        }
        // Where control goes from each position; jumps are followed once.
        let mut ends: Vec<Option<Next>> = vec![None; code.len() + 1];
        ends[code.len()] = Some(Next::Stop);
        let mut trail: Vec<usize> = Vec::new();
        for start in 0..code.len() {
            let mut i = start;
            let end = loop {
                if let Some(end) = ends[i] {
                    break end;
                }
                trail.push(i);
                match code[i] {
                    Ins::Jump(label) => {
                        // On its own trail: round and round.
                        ends[i] = Some(Next::Spin);
                        i = self.label_pos[label as usize] as usize;
                    }
                    Ins::Stop => break Next::Stop,
                    _ => break Next::Point(number[i]),
                }
            };
            for i in trail.drain(..) {
                ends[i] = Some(end);
            }
        }
        let to = |i: usize| ends[i].expect("every position has its end");
        let at_label = |l: Label| to(self.label_pos[l as usize] as usize);
        let mut points = Vec::with_capacity(count as usize);
        let mut setjmps = Vec::new();
        for (i, ins) in code.into_iter().enumerate() {
            let (draft, flow) = match ins {
                Ins::Jump(_) | Ins::Stop => continue,
                Ins::Point(draft) => (draft, Flow::Next(to(i + 1))),
                Ins::Branch(draft, arms) => {
                    let arms = arms.into_iter().map(|(label, mut events, when)| {
                        let temporary = |e: &Event| match e {
                            Event::Test(o, ..) => self.linked.objects[o.index()].temporary,
                            _ => false,
                        };
                        let hidden = events.iter().copied().filter(temporary).collect();
                        events.retain(|e| !temporary(e));
                        Arm { next: at_label(label), events, hidden, when }
                    });
                    (draft, Flow::Branch(arms.collect()))
                }
                Ins::Call(draft, open) => {
                    let open = *open;
                    if open.setjmp {
                        setjmps.push(points.len() as u32);
                    }
                    let next = if open.stops { Next::Stop } else { to(i + 1) };
                    let Open { targets, indirect, through, args, arg_data, arg_values, .. } = open;
                    let reaches_more = open.open;
                    let Open { result, temporary, result_events, .. } = open;
                    let call = Call {
                        targets,
                        indirect,
                        open: reaches_more,
                        through,
                        args,
                        arg_data,
                        arg_values,
                        result,
                        temporary,
                        result_events,
                        next,
                    };
                    (draft, Flow::Call(Box::new(call)))
                }
                Ins::Return(draft) => (draft, Flow::Return),
            };
            let Draft { at, text, events, hidden, values, returned, statement, test } = draft;
            points.push(Point {
                at,
                text,
                events,
                values,
                returned,
                statement,
                hidden,
                test,
                flow,
            });
        }
        let entry = to(0);
        let dos = self.dos.drain(..).filter_map(|i| number.get(i).copied()).collect();
        let labels = self
            .named_order
            .iter()
            .filter_map(|sym| match at_label(self.named[sym]) {
                // A label of a block (`__label__`) has a number behind its name.
                Next::Point(p) => {
                    let name = self.unit.name(*sym).split('#').next().unwrap_or_default();
                    Some((name.to_owned(), p))
                }
                _ => None,
            })
            .collect();
        let data = std::mem::take(&mut self.data);
        let scalars = std::mem::take(&mut self.scalars);
        Body { func, params, points, entry, labels, setjmps, dos, at, data, scalars }
    }

    // Small things.

    fn warn(&mut self, at: Place, message: String) {
        let (file, line) = self.unit.place(at);
        let file = file.to_owned();
        self.linked.warnings.push(Warning { file, line, column: at.column, message });
    }
    fn spot(&self, at: Place) -> Spot {
        Spot { file: self.file_map[at.file as usize], line: at.line, column: at.column }
    }
    fn whole(&self, e: ExprId) -> Text {
        let expr = self.unit.expr(e);
        Text {
            prefix: "",
            at: expr.at,
            from: expr.at.offset,
            to: expr.end,
            suffix: "",
            flip: false,
        }
    }
    fn around(&self, prefix: &'static str, at: Place, e: ExprId, suffix: &'static str) -> Text {
        let expr = self.unit.expr(e);
        Text { prefix, at, from: expr.at.offset, to: expr.end, suffix, flip: false }
    }
    fn text(&self, text: Text) -> Box<str> {
        on_one_line(text.prefix, self.unit.slice(text.from, text.to), text.suffix)
    }
    fn label(&mut self) -> Label {
        self.label_pos.push(u32::MAX);
        self.label_pos.len() as Label - 1
    }
    fn mark(&mut self, label: Label) {
        self.label_pos[label as usize] = self.code.len() as u32;
    }
    fn named_label(&mut self, sym: Sym) -> Label {
        if let Some(&label) = self.named.get(&sym) {
            return label;
        }
        let label = self.label();
        self.named.insert(sym, label);
        self.named_order.push(sym);
        label
    }
    fn bind(&mut self, sym: Sym, entity: Entity) {
        let old = self.env.insert(sym, entity);
        self.undo.push((sym, old));
    }
    fn lookup(&self, sym: Sym) -> Option<Entity> {
        self.env.get(&sym).or_else(|| self.linked.scopes[self.u].get(&sym)).copied()
    }
    fn constant(&self, e: ExprId) -> Option<Value> {
        Typing { linked: self.linked, u: self.u, name: &|sym| self.lookup(sym) }.constant(e)
    }
    /// The scalar type of an expression's value.
    fn scalar(&self, e: ExprId) -> Option<Scalar> {
        Typing { linked: self.linked, u: self.u, name: &|sym| self.lookup(sym) }.scalar(e)
    }
    fn scalar_at(&self, ty: Option<TypeRef>) -> Option<Scalar> {
        self.linked.scalar(ty.map_or(Ty::Unknown, Ty::At))
    }
    fn push(&mut self, val: Val) {
        self.vals.push(val);
    }
    fn pop(&mut self) -> Val {
        self.vals.pop().expect("every evaluation leaves a value")
    }
    fn type_ref(&self, ty: TypeId) -> Option<TypeRef> {
        Some(TypeRef { unit: self.u as u32, ty })
    }

    // Types.

    fn kind(&self, ty: TypeRef) -> &'a TypeKind {
        let unit = &self.linked.units[ty.unit as usize];
        &unit.ty(strip(unit, ty.ty)).kind
    }
    fn pointee(&self, ty: Option<TypeRef>) -> Option<TypeRef> {
        let t = ty?;
        match self.kind(t) {
            TypeKind::Pointer(inner) | TypeKind::Array(inner, _) => {
                Some(TypeRef { unit: t.unit, ty: *inner })
            }
            TypeKind::Function { .. } => ty,
            _ => None,
        }
    }
    fn is_array(&self, ty: Option<TypeRef>) -> bool {
        ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Array(..)))
    }
    fn is_function(&self, ty: Option<TypeRef>) -> bool {
        ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Function { .. }))
    }
    fn result_type(&self, ty: Option<TypeRef>) -> Option<TypeRef> {
        let mut t = ty?;
        loop {
            match self.kind(t) {
                TypeKind::Function { result, .. } => {
                    return Some(TypeRef { unit: t.unit, ty: *result });
                }
                TypeKind::Pointer(inner) => t = TypeRef { unit: t.unit, ty: *inner },
                _ => return None,
            }
        }
    }
    /// The declared type of a member.
    fn member(&self, ty: Option<TypeRef>, name: &str) -> Option<TypeRef> {
        self.linked.member(ty.map_or(Ty::Unknown, Ty::At), name).1
    }

    // Objects.

    fn local(&mut self, name: Sym, ty: TypeId, at: Place, automatic: bool) -> ObjectId {
        let times = self.names.entry(name).or_insert(0);
        *times += 1;
        let text = self.unit.name(name);
        let text = if *times == 1 { text.to_owned() } else { format!("{text}#{times}") };
        let id = ObjectId(self.linked.objects.len() as u32);
        let ty = self.type_ref(ty);
        let (scalar, volatile) = self.linked.value_of(ty);
        self.linked.objects.push(Object {
            name: text,
            owner: Some(self.func),
            automatic,
            reach: Reach::Var,
            ty,
            scalar,
            volatile,
            address_taken: false,
            external: false,
            defined: true,
            fixed: None,
            constant: false,
            indexed: false,
            temporary: false,
            loose: false,
            type_names: 0,
            array: false,
            first: false,
            depth: 0,
            at: Some((self.u as u32, at)),
        });
        id
    }

    /// A part of an object, or its address; none if it is too far away.
    fn part(&mut self, reach: Reach, member: Option<Sym>) -> Option<ObjectId> {
        if let Some(&id) = self.paths.get(&(reach, member)) {
            return Some(id);
        }
        let (Reach::Field(base)
        | Reach::Arrow(base)
        | Reach::Deref(base)
        | Reach::Cell(base)
        | Reach::Address(base)) = reach
        else {
            return None;
        };
        let b = &self.linked.objects[base.index()];
        if b.depth >= MAX_LINKS {
            return None;
        }
        let unit = self.unit;
        let field = member.map_or("", |m| unit.name(m));
        let shared = b.owner.is_none();
        if shared && let Some(&id) = self.shared_paths.get(&(reach, field.to_owned())) {
            self.paths.insert((reach, member), id);
            return Some(id);
        }
        let prefix = matches!(b.reach, Reach::Deref(_) | Reach::Address(_));
        let inner = if prefix { format!("({})", b.name) } else { b.name.clone() };
        let at = |ty: Option<TypeRef>| ty.map_or(Ty::Unknown, Ty::At);
        let of = |record: Option<TypeRef>| self.linked.member(at(record), field);
        let (name, (value, ty)) = match reach {
            Reach::Field(_) => (format!("{inner}.{field}"), of(b.ty)),
            Reach::Arrow(_) => (format!("{inner}->{field}"), of(self.pointee(b.ty))),
            Reach::Deref(_) | Reach::Cell(_) => {
                let ty = self.pointee(b.ty);
                let name = match reach {
                    Reach::Deref(_) => format!("*{}", b.name),
                    _ => format!("{inner}[]"),
                };
                (name, (at(ty), ty))
            }
            Reach::Address(_) | Reach::Var => {
                (format!("&{}", b.name), (Ty::Scalar(Scalar::Pointer), None))
            }
        };
        let within = match reach {
            Reach::Field(_) | Reach::Cell(_) => b.volatile,
            // What is behind a pointer is as its type says.
            Reach::Arrow(_) => self.pointee(b.ty).is_none_or(|t| self.linked.is_volatile(t)),
            Reach::Deref(_) | Reach::Address(_) | Reach::Var => false,
        };
        let volatile = within || self.linked.value_of(ty).1;
        let scalar = self.linked.scalar(value);
        let object = Object {
            volatile,
            scalar,
            name,
            owner: b.owner,
            automatic: b.automatic,
            reach,
            ty,
            address_taken: false,
            external: b.external,
            defined: b.defined,
            fixed: None,
            constant: false,
            indexed: false,
            temporary: false,
            loose: false,
            type_names: 0,
            array: false,
            first: false,
            depth: b.depth + 1,
            at: b.at,
        };
        let id = ObjectId(self.linked.objects.len() as u32);
        self.linked.objects.push(object);
        self.paths.insert((reach, member), id);
        if shared {
            self.shared_paths.insert((reach, field.to_owned()), id);
        }
        Some(id)
    }

    fn object_type(&self, o: ObjectId) -> Option<TypeRef> {
        self.linked.objects[o.index()].ty
    }

    // Events.

    fn emit(&mut self, event: Event) {
        if self.open.is_some() {
            self.close_call();
        }
        self.pending.push(event);
    }

    fn draft(&mut self, text: Text) -> Draft {
        let mut events = std::mem::take(&mut self.pending);
        if events.len() > 1 {
            let mut seen = FxHashSet::default();
            events.retain(|e| seen.insert(*e));
        }
        let mut values = std::mem::take(&mut self.values);
        if values.len() > 1 {
            // A variable that is written twice, as nobody should, has either value.
            let mut times: FxHashMap<ObjectId, u32> = FxHashMap::default();
            for (o, _) in &values {
                *times.entry(*o).or_default() += 1;
            }
            for (o, value) in &mut values {
                if times[o] > 1 {
                    *value = None;
                }
            }
            let mut seen = FxHashSet::default();
            values.retain(|(o, _)| seen.insert(*o));
        }
        let (at, text, statement) = (self.spot(text.at), self.text(text), self.statement);
        let hidden = std::mem::take(&mut self.hidden);
        let returned = self.returned.take();
        Draft { at, text, events, hidden, values, returned, statement, test: None }
    }

    fn close_call(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let mut draft = self.draft(open.text);
        if let Some(said) = open.said.take() {
            draft.text = said;
        }
        let stops = open.stops;
        self.code.push(Ins::Call(draft, Box::new(open)));
        if stops {
            self.code.push(Ins::Stop);
        }
    }

    /// Completes the point that is being gathered, if there is anything in it.
    fn flush(&mut self, text: Text) {
        self.close_call();
        if !self.pending.is_empty() || !self.values.is_empty() {
            let draft = self.draft(text);
            self.code.push(Ins::Point(draft));
        }
    }

    /// The events of reading an object: its parts and what it is reached through.
    fn read(&mut self, o: ObjectId) {
        let mut o = o;
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var => {
                    self.emit(Event::Use(o));
                    return;
                }
                Reach::Field(base) => {
                    self.emit(Event::Use(o));
                    o = base;
                }
                Reach::Arrow(base) | Reach::Deref(base) => {
                    self.emit(Event::Use(o));
                    self.emit(Event::Deref(base));
                    o = base;
                }
                Reach::Cell(base) => o = base,
                Reach::Address(base) => {
                    self.address_events(base);
                    return;
                }
            }
        }
    }

    /// The events of getting hold of an lvalue: pointers on the way are read.
    fn reach(&mut self, o: ObjectId) {
        let mut o = o;
        loop {
            match self.linked.objects[o.index()].reach {
                Reach::Var | Reach::Address(_) => return,
                Reach::Field(base) | Reach::Cell(base) => o = base,
                Reach::Arrow(base) | Reach::Deref(base) => {
                    self.emit(Event::Deref(base));
                    self.read(base);
                    return;
                }
            }
        }
    }

    /// The events of writing to an object that was reached before.
    fn write_events(&self, o: ObjectId) -> Vec<Event> {
        let mut out = Vec::new();
        let mut o = o;
        let mut whole = true;
        loop {
            let reach = self.linked.objects[o.index()].reach;
            match reach {
                Reach::Cell(base) => {
                    whole = false;
                    o = base;
                    continue;
                }
                _ if whole => out.push(Event::Assign(o)),
                _ => out.push(Event::Modify(o)),
            }
            match reach {
                Reach::Field(base) => {
                    whole = false;
                    o = base;
                }
                Reach::Arrow(_) | Reach::Deref(_) => {
                    out.push(Event::Store);
                    return out;
                }
                _ => return out,
            }
        }
    }

    /// Writes to an object, with the value if it is known.
    fn write(&mut self, o: ObjectId, value: Option<DataId>) {
        self.close_call();
        let events = self.write_events(o);
        self.pending.extend(events);
        // Values are functions of what was before the point: what it writes cannot be read.
        let value = value.filter(|&v| !self.reads_pending(v));
        let value = value.and_then(|v| self.stored(o, v));
        let (mut o, mut value) = (o, value);
        while let Reach::Field(base) | Reach::Cell(base) = self.linked.objects[o.index()].reach {
            self.values.push((o, value));
            value = None;
            o = base;
        }
        self.values.push((o, value));
    }

    fn address_events(&mut self, base: ObjectId) {
        self.reach(base);
        self.emit(Event::Address(base));
    }

    /// The scalar type of a value that is computed.
    fn val_scalar(&self, val: &Val) -> Option<Scalar> {
        match (val.faithful, val.object()) {
            (true, Some(o)) => self.linked.objects[o.index()].scalar,
            _ => self.scalar_at(val.ty),
        }
    }

    fn consume(&mut self, val: Val) {
        match val.what {
            What::Object(o) => {
                // An array stands for its address.
                if self.is_array(self.object_type(o)) {
                    self.linked.objects[o.index()].address_taken = true;
                    self.taken_root(o);
                }
                self.read(o);
            }
            What::Address(a) => {
                if let Reach::Address(base) = self.linked.objects[a.index()].reach {
                    self.address_events(base);
                }
            }
            _ => {}
        }
    }

    /// The object that holds the value: results of calls get one when they are asked for it.
    fn value_object(&mut self, val: Val) -> Option<ObjectId> {
        let What::Call(id) = val.what else { return val.object() };
        let open = match &mut self.open {
            Some(open) if open.id == id => Some(open),
            _ => self.code.iter_mut().rev().find_map(|ins| match ins {
                Ins::Call(_, open) if open.id == id => Some(&mut **open),
                _ => None,
            }),
        }?;
        if let Some(o) = open.result.or(open.temporary) {
            return Some(o);
        }
        let o = ObjectId(self.linked.objects.len() as u32);
        open.temporary = Some(o);
        self.linked.objects.push(Object {
            name: format!("({id})"),
            owner: Some(self.func),
            automatic: true,
            reach: Reach::Var,
            ty: open.ty,
            volatile: false,
            scalar: open.scalar,
            address_taken: false,
            external: false,
            defined: true,
            fixed: None,
            constant: false,
            indexed: false,
            temporary: true,
            loose: false,
            type_names: 0,
            array: false,
            first: false,
            depth: 0,
            at: None,
        });
        Some(o)
    }

    /// The value goes on in a way that is not followed.
    fn escape(&mut self, val: Val) {
        match val.what {
            What::Call(_) => {
                if let Some(o) = self.value_object(val) {
                    self.linked.objects[o.index()].loose = true;
                }
            }
            _ => self.hidden.extend(val.object().map(Event::Escape)),
        }
    }

    // Values.

    fn reads_pending(&self, value: DataId) -> bool {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match self.data[value as usize] {
                Data::Int(_) => {}
                Data::Object(o) => {
                    if self.values.iter().any(|(w, _)| *w == o) {
                        return true;
                    }
                }
                Data::Minus(a)
                | Data::Complement(a)
                | Data::Not(a)
                | Data::As(_, a)
                | Data::Convert(_, a) => todo.push(a),
                Data::Binary(_, a, b) => todo.extend([a, b]),
                Data::Conditional(c, a, b) => todo.extend([c, a, b]),
            }
        }
        false
    }

    fn datum(&mut self, data: Data, scalar: Option<Scalar>) -> DataId {
        self.data.push(data);
        self.scalars.push(scalar);
        self.data.len() as DataId - 1
    }

    fn scalar_of(&self, d: DataId) -> Option<Scalar> {
        self.scalars[d as usize]
    }

    /// A constant, if it can be told.
    fn number(&mut self, value: Value) -> Option<DataId> {
        let number = i64::try_from(value.number()).ok()?;
        Some(self.datum(Data::Int(number), Some(value.ty())))
    }

    /// What an object holds; none if that may change at any time.
    fn held(&mut self, o: ObjectId) -> Option<DataId> {
        let object = &self.linked.objects[o.index()];
        let (scalar, volatile) = (object.scalar, object.volatile);
        (!volatile).then(|| self.datum(Data::Object(o), scalar))
    }

    /// A value converted to a type.
    fn converted(&mut self, d: DataId, to: Option<Scalar>) -> DataId {
        let from = self.scalar_of(d);
        let fits = from.zip(to).is_some_and(|(from, to)| from.fits(to, &self.unit.model));
        match to {
            Some(to) if !fits => self.datum(Data::Convert(to, d), Some(to)),
            _ => d,
        }
    }

    /// What an object holds once it is assigned a value; none if that is not certain.
    fn stored(&mut self, o: ObjectId, d: DataId) -> Option<DataId> {
        let object = &self.linked.objects[o.index()];
        let (scalar, volatile) = (object.scalar, object.volatile);
        (scalar.is_some() && !volatile).then(|| self.converted(d, scalar))
    }

    /// The value of an operation.
    fn binary_datum(&mut self, op: Binary, a: DataId, b: DataId) -> DataId {
        let (left, right) = (self.scalar_of(a), self.scalar_of(b));
        let promoted = |s: Option<Scalar>| s.map(Scalar::promoted);
        if matches!(op, Binary::And | Binary::Or) {
            return self.datum(Data::Binary(op, a, b), Some(Scalar::INT));
        }
        if op.is_shift() {
            let (a, b) = (self.converted(a, promoted(left)), self.converted(b, promoted(right)));
            return self.datum(Data::Binary(op, a, b), promoted(left));
        }
        let common = match (left, right) {
            (Some(Scalar::Pointer), _) | (_, Some(Scalar::Pointer)) => None,
            (Some(left), Some(right)) => c_types::usual(left, right),
            _ => None,
        };
        let (a, b) = (self.converted(a, common), self.converted(b, common));
        let truth = op.is_truth().then_some(Scalar::INT);
        self.datum(Data::Binary(op, a, b), truth.or(common))
    }

    /// The object that an expression without side effects names.
    fn path(&mut self, e: ExprId) -> Option<ObjectId> {
        let mut links = Vec::new();
        let mut e = e;
        let mut o = loop {
            match self.unit.expr(e).kind {
                ExprKind::Name(sym) => match self.lookup(sym)? {
                    Entity::Object(o) => break o,
                    _ => return None,
                },
                ExprKind::Field(x, _)
                | ExprKind::Arrow(x, _)
                | ExprKind::Unary(Unary::Deref, x) => {
                    if links.len() as u32 > MAX_LINKS {
                        return None;
                    }
                    links.push(e);
                    e = x;
                }
                _ => return None,
            }
        };
        while let Some(link) = links.pop() {
            o = match self.unit.expr(link).kind {
                ExprKind::Field(_, sym) => self.part(Reach::Field(o), Some(sym))?,
                ExprKind::Arrow(_, sym) => self.part(Reach::Arrow(o), Some(sym))?,
                _ => self.part(Reach::Deref(o), None)?,
            };
        }
        Some(o)
    }

    /// The value of an expression without side effects, if it is small.
    fn value(&mut self, root: ExprId) -> Option<DataId> {
        // An assignment's value is what its target then holds.
        let mut targets = Vec::new();
        let mut root = root;
        while let ExprKind::Assign(Assign::Plain, left, right) = self.unit.expr(root).kind {
            if targets.len() > MAX_DATA {
                return None;
            }
            targets.push(self.path(left)?);
            root = right;
        }
        let mut stack = vec![(root, false)];
        let mut out: Vec<DataId> = Vec::new();
        let mut visited = 0;
        while let Some((e, ready)) = stack.pop() {
            visited += 1;
            if visited > 2 * MAX_DATA {
                return None;
            }
            let kind = &self.unit.expr(e).kind;
            if !ready {
                if let Some(value) = self.constant(e) {
                    let id = self.number(value)?;
                    out.push(id);
                    continue;
                }
                match kind {
                    ExprKind::Name(_)
                    | ExprKind::Field(..)
                    | ExprKind::Arrow(..)
                    | ExprKind::Unary(Unary::Deref, _) => {
                        let o = self.path(e)?;
                        let id = self.held(o)?;
                        out.push(id);
                    }
                    ExprKind::Unary(
                        Unary::Minus | Unary::Plus | Unary::Complement | Unary::Not,
                        a,
                    )
                    | ExprKind::Cast(_, a) => stack.extend([(e, true), (*a, false)]),
                    ExprKind::Binary(_, a, b) => {
                        stack.extend([(e, true), (*b, false), (*a, false)]);
                    }
                    ExprKind::Conditional(c, Some(a), b) => {
                        stack.extend([(e, true), (*b, false), (*a, false), (*c, false)]);
                    }
                    _ => return None,
                }
                continue;
            }
            let mut pop = || out.pop().expect("operands come first");
            let id = match kind {
                ExprKind::Unary(Unary::Not, _) => {
                    let a = pop();
                    self.datum(Data::Not(a), Some(Scalar::INT))
                }
                ExprKind::Unary(op, _) => {
                    let a = pop();
                    let to = self.scalar_of(a).map(Scalar::promoted);
                    let a = self.converted(a, to);
                    match op {
                        Unary::Minus => self.datum(Data::Minus(a), to),
                        Unary::Complement => self.datum(Data::Complement(a), to),
                        _ => a,
                    }
                }
                ExprKind::Cast(ty, _) => {
                    let (a, to) = (pop(), self.scalar_at(self.type_ref(*ty))?);
                    self.converted(a, Some(to))
                }
                ExprKind::Binary(op, ..) => {
                    let (b, a) = (pop(), pop());
                    self.binary_datum(*op, a, b)
                }
                _ => {
                    let (b, a, c) = (pop(), pop(), pop());
                    let to = self.scalar(e);
                    let (a, b) = (self.converted(a, to), self.converted(b, to));
                    self.datum(Data::Conditional(c, a, b), to)
                }
            };
            out.push(id);
        }
        let mut value = out.pop()?;
        for o in targets.into_iter().rev() {
            let object = &self.linked.objects[o.index()];
            let (scalar, volatile) = (object.scalar, object.volatile);
            if volatile {
                return None;
            }
            value = self.datum(Data::As(o, value), scalar);
        }
        Some(value)
    }

    // Tasks.

    /// Inside of a statement expression, all is part of the expression around it.
    fn fresh(&mut self) {
        self.statement += u32::from(self.inside == 0);
    }

    fn later<const N: usize>(&mut self, tasks: [Task<'a>; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn task(&mut self, task: Task<'a>) {
        match task {
            Task::Stmt(s) => {
                self.fresh();
                self.stmt(s);
            }
            Task::Fresh => self.fresh(),
            Task::Leave => self.inside -= 1,
            Task::Eval(e) => self.eval(e),
            Task::Into(e, o, text) => self.assign(e, o, text),
            Task::Cond(e, yes, no, text) => self.cond(e, yes, no, text),
            Task::Declare(d) => {
                self.fresh();
                self.declare(d);
            }
            Task::Init(init) => match &self.unit.inits[init.index()] {
                Init::Expr(e) => self.later([Task::Eval(*e), Task::Derive, Task::Pop]),
                Init::List(list) => {
                    self.tasks.extend(list.iter().rev().map(|(_, _, init)| Task::Init(*init)));
                }
            },
            Task::Consume => {
                let val = self.pop();
                self.consume(val);
            }
            Task::Rvalue => {
                let val = self.pop();
                self.consume(val);
                self.push(Val::other(val.ty));
            }
            Task::Derive => {
                let val = self.pop();
                self.consume(val);
                self.escape(val);
                self.push(Val::other(val.ty));
            }
            Task::Push(what) => {
                let ty = match what {
                    What::Assigned(o) => self.object_type(o),
                    _ => None,
                };
                self.push(Val::new(what, ty));
            }
            Task::Pop => {
                self.pop();
            }
            Task::Flush(text) => self.flush(text),
            Task::Mark(label) => self.mark(label),
            Task::Jump(label) => self.code.push(Ins::Jump(label)),
            Task::Deref => {
                let val = self.pop();
                let ty = self.pointee(val.ty);
                let val = match val.what {
                    What::Func => val,
                    // A function pointer is called, not followed.
                    What::Object(_) if self.is_function(ty) => Val { ty, ..val },
                    What::Object(o) | What::Assigned(o) => {
                        let array = self.is_array(val.ty);
                        let reach = if array { Reach::Cell(o) } else { Reach::Deref(o) };
                        self.part_or_read(reach, None, val, ty)
                    }
                    What::Address(a) => match self.linked.objects[a.index()].reach {
                        Reach::Address(base) => {
                            Val::new(What::Object(base), self.object_type(base))
                        }
                        _ => Val::other(ty),
                    },
                    _ => Val::other(ty),
                };
                self.push(val);
            }
            Task::Address => {
                let val = self.pop();
                let val = match val.what {
                    What::Object(o) => {
                        self.linked.objects[o.index()].address_taken = true;
                        self.taken_root(o);
                        match self.part(Reach::Address(o), None) {
                            Some(a) => Val::new(What::Address(a), None),
                            None => {
                                self.address_events(o);
                                Val::other(None)
                            }
                        }
                    }
                    What::Func => val,
                    _ => Val::other(None),
                };
                self.push(val);
            }
            Task::Step(e) => {
                let val = self.pop();
                let ExprKind::Unary(Unary::Step { up, after }, _) = self.unit.expr(e).kind else {
                    return;
                };
                match val.what {
                    What::Object(o) => {
                        self.reach(o);
                        self.read(o);
                        self.hidden.push(Event::Escape(o));
                        let value = self.held(o).map(|before| {
                            let one = self.datum(Data::Int(1), Some(Scalar::INT));
                            let op = if up { Binary::Add } else { Binary::Sub };
                            self.binary_datum(op, before, one)
                        });
                        self.write(o, value);
                        let what = if after { What::Other } else { What::Assigned(o) };
                        self.push(Val::new(what, val.ty));
                    }
                    _ => {
                        self.consume(val);
                        self.emit(Event::Store);
                        self.push(Val::other(val.ty));
                    }
                }
            }
            Task::BinaryEnd => {
                let (b, a) = (self.pop(), self.pop());
                let ty = if self.pointee(a.ty).is_some() { a.ty } else { b.ty.or(a.ty) };
                self.push(Val::other(ty));
            }
            Task::Index => {
                let (mut index, mut base) = (self.pop(), self.pop());
                // `i[a]`
                if self.pointee(base.ty).is_none() && self.pointee(index.ty).is_some() {
                    std::mem::swap(&mut index, &mut base);
                }
                self.consume(index);
                // A number with elements is a vector of GNU C.
                let vector = base.ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Base(_)));
                let ty = if vector { base.ty } else { self.pointee(base.ty) };
                let val = match base.what {
                    What::Object(o) | What::Assigned(o) => {
                        let array = vector || self.is_array(base.ty);
                        let reach = if array { Reach::Cell(o) } else { Reach::Deref(o) };
                        let val = self.part_or_read(reach, None, base, ty);
                        if let What::Object(cell) = val.what {
                            self.linked.objects[cell.index()].indexed = true;
                        }
                        val
                    }
                    _ => {
                        self.consume(base);
                        Val::other(ty)
                    }
                };
                self.push(val);
            }
            Task::Field(sym) => {
                let base = self.pop();
                let ty = self.member(base.ty, self.unit.name(sym));
                let val = match base.what {
                    What::Object(o) => self.part_or_read(Reach::Field(o), Some(sym), base, ty),
                    _ => Val::other(ty),
                };
                self.push(val);
            }
            Task::Arrow(sym) => {
                let base = self.pop();
                let ty = self.member(self.pointee(base.ty), self.unit.name(sym));
                let val = match base.what {
                    What::Object(o) | What::Assigned(o) => {
                        let mut reach = Reach::Arrow(o);
                        if self.is_array(base.ty)
                            && let Some(cell) = self.part(Reach::Cell(o), None)
                        {
                            reach = Reach::Field(cell);
                        }
                        self.part_or_read(reach, Some(sym), base, ty)
                    }
                    What::Address(a) => match self.linked.objects[a.index()].reach {
                        Reach::Address(o) => {
                            let ty = self.member(self.object_type(o), self.unit.name(sym));
                            self.part_or_read(Reach::Field(o), Some(sym), base, ty)
                        }
                        _ => Val::other(ty),
                    },
                    _ => {
                        self.consume(base);
                        Val::other(ty)
                    }
                };
                self.push(val);
            }
            Task::Cast(ty) => {
                let val = self.pop();
                let ty = self.type_ref(ty);
                let void = ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Void));
                let what = if void && matches!(val.what, What::Object(_) | What::Address(_)) {
                    What::Nothing
                } else {
                    val.what
                };
                let (from, to) = (self.val_scalar(&val), self.scalar_at(ty));
                let model = &self.unit.model;
                let constant =
                    val.constant.zip(to).and_then(|(value, to)| value.convert(to, model));
                let keeps = from.zip(to).is_some_and(|(from, to)| from.fits(to, model));
                self.push(Val { what, ty, constant, faithful: val.faithful && keeps });
            }
            Task::AssignTarget(e) => {
                let ExprKind::Assign(_, _, right) = self.unit.expr(e).kind else { return };
                let val = self.pop();
                match val.what {
                    What::Object(o) => {
                        self.reach(o);
                        let text = self.whole(e);
                        self.later([Task::Into(right, o, Some(text))]);
                    }
                    _ => {
                        self.push(val);
                        self.later([Task::Eval(right), Task::Derive, Task::StoreEnd]);
                    }
                }
            }
            Task::StoreEnd => {
                let (_, target) = (self.pop(), self.pop());
                self.emit(Event::Store);
                self.push(Val::other(target.ty));
            }
            Task::AssignWith(e) => {
                let ExprKind::Assign(_, _, right) = self.unit.expr(e).kind else { return };
                if let Some(Val { what: What::Object(o), .. }) = self.vals.last().copied() {
                    self.reach(o);
                    self.read(o);
                    self.hidden.push(Event::Escape(o));
                }
                self.later([Task::Eval(right), Task::Rvalue, Task::AssignWithEnd(e)]);
            }
            Task::AssignWithEnd(e) => {
                let (_, target) = (self.pop(), self.pop());
                let ExprKind::Assign(Assign::With(op), _, right) = self.unit.expr(e).kind else {
                    return;
                };
                match target.what {
                    What::Object(o) => {
                        let value = self.value(right).and_then(|right| {
                            let before = self.held(o)?;
                            Some(self.binary_datum(op, before, right))
                        });
                        self.write(o, value);
                        self.push(Val::new(What::Assigned(o), target.ty));
                    }
                    _ => {
                        self.emit(Event::Store);
                        self.push(Val::other(target.ty));
                    }
                }
            }
            Task::IntoEnd(e, o, text) => self.assign_end(e, o, text),
            Task::Write(o) => {
                self.write(o, None);
            }
            Task::WriteTop => {
                let val = self.pop();
                match val.what {
                    What::Object(o) => {
                        self.reach(o);
                        self.write(o, None);
                    }
                    _ => self.emit(Event::Store),
                }
            }
            Task::CallEnd(e, callee) => self.call_end(e, callee),
            Task::Test(e, x, relation, c, yes, no, text) => {
                let val = self.pop();
                let known = val.constant.and_then(|value| {
                    c_types::binary(relation.operator(), value, c, &self.unit.model)
                });
                self.consume(val);
                if let Some(known) = known {
                    self.flush(text);
                    self.code.push(Ins::Jump(if known.truth() { yes } else { no }));
                    return;
                }
                let (mut on_yes, mut on_no) = (Vec::new(), Vec::new());
                if let Some(c) = self.tested(x, val, relation, c)
                    && let Some(o) = self.value_object(val)
                {
                    on_yes.push(Event::Test(o, relation, c));
                    on_no.push(Event::Test(o, relation.negated(), c));
                }
                self.branch(e, yes, no, on_yes, on_no, text);
            }
            Task::Branch(e, yes, no, text) => self.branch(e, yes, no, Vec::new(), Vec::new(), text),
            Task::Known(to, text) => {
                let val = self.pop();
                self.consume(val);
                self.flush(text);
                self.code.push(Ins::Jump(to));
            }
            Task::Choose(e) => {
                // Any of the arms; the parser does not say which one the type selects.
                let ExprKind::Generic(_, arms) = &self.unit.expr(e).kind else { return };
                let text = self.whole(e);
                self.settle(text);
                let draft = self.draft(text);
                let end = self.label();
                let labels: Vec<Label> = arms.iter().map(|_| self.label()).collect();
                let ways = labels.iter().map(|&l| (l, Vec::new(), None)).collect();
                self.code.push(Ins::Branch(draft, ways));
                self.tasks.push(Task::Push(What::Other));
                self.tasks.push(Task::Mark(end));
                for (&arm, &label) in arms.iter().zip(&labels).rev() {
                    let text = self.whole(arm);
                    self.later([
                        Task::Mark(label),
                        Task::Eval(arm),
                        Task::Derive,
                        Task::Pop,
                        Task::Flush(text),
                        Task::Jump(end),
                    ]);
                }
            }
            Task::Return(e, text) => self.return_(e, text),
            Task::ReturnEnd(e, text) => {
                let val = self.pop();
                self.close_call();
                self.consume(val);
                let value = self.value(e);
                if let Some(o) = val.object() {
                    self.emit(Event::ReturnOf(o));
                } else if let Some(o) = self.value_object(val) {
                    self.hidden.push(Event::ReturnOf(o));
                }
                self.finish_return(value, text);
            }
            Task::Dispatch(e, text, end) => {
                let val = self.pop();
                self.consume(val);
                self.settle(text);
                let ty =
                    self.scalar(e).map(Scalar::promoted).filter(|t| matches!(t, Scalar::Int(_)));
                let data = match self.unit.expr(e).kind {
                    // What was assigned on the way is now in its target.
                    ExprKind::Assign(_, left, _) => self.path(left).and_then(|o| self.held(o)),
                    _ => self.value(e),
                };
                let data = data.filter(|_| ty.is_some());
                let object = val.object().filter(|&o| {
                    let from = self.linked.objects[o.index()].scalar;
                    let same = from.zip(ty);
                    val.faithful && same.is_some_and(|(a, b)| a.fits(b, &self.unit.model))
                });
                let constant = val.constant.or_else(|| self.constant(e));
                let promoted = constant.zip(ty);
                let mut draft = self.draft(text);
                let subject = on_one_line("", self.unit.slice(text.from, text.to), "");
                draft.test = Some(Box::new(Test::Subject(subject)));
                self.switches.push(Switch {
                    code: self.code.len(),
                    object,
                    data,
                    ty,
                    constant: promoted.and_then(|(v, ty)| v.convert(ty, &self.unit.model)),
                    cases: Vec::new(),
                    default: None,
                });
                self.code.push(Ins::Branch(draft, Vec::new()));
                let continue_to = self.loops.last().and_then(|l| l.continue_to);
                let cleanups = self.cleanups.len();
                self.loops.push(Loop { break_to: end, continue_to, cleanups });
            }
            Task::EndSwitch(end) => {
                self.loops.pop();
                let Some(switch) = self.switches.pop() else { return };
                let ranges: Option<Vec<(i64, i64)>> =
                    switch.cases.iter().map(|(_, range)| *range).collect();
                let mut arms = Vec::new();
                for (label, range) in &switch.cases {
                    let mut events = Vec::new();
                    if let (Some(o), Some((low, high))) = (switch.object, *range)
                        && low == high
                    {
                        events.push(Event::Test(o, Relation::Eq, low));
                    }
                    let when = match (switch.data, *range) {
                        (Some(data), Some((low, high))) => Some(When::Case(data, low, high)),
                        _ => None,
                    };
                    arms.push((*label, events, when));
                }
                let when = match (switch.data, ranges) {
                    (Some(data), Some(ranges)) => Some(When::Default(data, ranges)),
                    _ => None,
                };
                arms.push((switch.default.unwrap_or(end), Vec::new(), when));
                // The value is known: one way is taken.
                let known = switch.constant.and_then(|v| i64::try_from(v.number()).ok());
                if let (Some(value), true) =
                    (known, switch.cases.iter().all(|(_, range)| range.is_some()))
                {
                    let taken = switch.cases.iter().position(|(_, range)| {
                        range.is_some_and(|(low, high)| low <= value && value <= high)
                    });
                    let taken = taken.unwrap_or(switch.cases.len());
                    arms = arms.into_iter().skip(taken).take(1).collect();
                }
                if let Ins::Branch(_, ways) = &mut self.code[switch.code] {
                    *ways = arms;
                }
                self.mark(end);
            }
            Task::PopLoop => {
                self.loops.pop();
            }
            Task::EndScope(undo, cleanups, text) => {
                if self.cleanups.len() > cleanups {
                    self.flush(text);
                    self.run_cleanups(cleanups, text);
                    self.cleanups.truncate(cleanups);
                }
                while self.undo.len() > undo {
                    if let Some((sym, old)) = self.undo.pop() {
                        match old {
                            Some(entity) => self.env.insert(sym, entity),
                            None => self.env.remove(&sym),
                        };
                    }
                }
            }
            Task::Cleanup(o, f) => self.cleanups.push((o, f)),
            Task::AsmEnd(s) => self.asm_end(s),
        }
    }

    /// The number that this is the real or imaginary part of.
    fn part_of(&self, e: ExprId) -> Option<ExprId> {
        match self.unit.expr(e).kind {
            ExprKind::Unary(Unary::Part, whole) => Some(whole),
            _ => None,
        }
    }

    /// The part, or, where it is too far away, another value after reading the base.
    fn part_or_read(
        &mut self,
        reach: Reach,
        member: Option<Sym>,
        base: Val,
        ty: Option<TypeRef>,
    ) -> Val {
        match self.part(reach, member) {
            Some(o) => {
                let ty = self.object_type(o).or(ty);
                Val::new(What::Object(o), ty)
            }
            None => {
                self.consume(base);
                Val::other(ty)
            }
        }
    }

    /// The variable that the object is a part of has its address taken, too.
    fn taken_root(&mut self, o: ObjectId) {
        let mut o = o;
        while let Reach::Field(base) | Reach::Cell(base) = self.linked.objects[o.index()].reach {
            o = base;
            self.linked.objects[o.index()].address_taken = true;
        }
    }

    /// The number that an operand is compared with, if the comparison is one of the object's own value: no
    /// conversion changes it on the way, and its opposite is what its negation says.
    fn tested(&self, x: ExprId, val: Val, relation: Relation, c: Value) -> Option<i64> {
        let model = &self.unit.model;
        let equality = matches!(relation, Relation::Eq | Relation::Ne);
        if !val.faithful {
            return None;
        }
        let number = match self.val_scalar(&val).or_else(|| self.scalar(x)) {
            // Whatever it is, conversions of operands keep what is zero.
            None => return (equality && c.number() == 0).then_some(0),
            // NaN is neither less nor greater, nor equal.
            Some(Scalar::Float) => return None,
            Some(Scalar::Pointer) => c.convert(Scalar::Pointer, model)?.number(),
            Some(scalar) => {
                let common = c_types::usual(scalar, c.ty())?;
                let c = c.convert(common, model)?;
                scalar.fits(common, model).then_some(c.number())?
            }
        };
        // Compilers tell -1 as an address, too.
        let number = match number {
            n if n == (1 << model.pointer) - 1 && c.number() == -1 => -1,
            n => n,
        };
        i64::try_from(number).ok()
    }

    /// Before a branch: assignments, and calls, are points of their own.
    fn settle(&mut self, text: Text) {
        self.close_call();
        if !self.values.is_empty() {
            self.flush(text);
        }
    }

    fn branch(
        &mut self,
        e: ExprId,
        yes: Label,
        no: Label,
        on_yes: Vec<Event>,
        on_no: Vec<Event>,
        text: Text,
    ) {
        self.settle(text);
        let data = match self.unit.expr(e).kind {
            // What was assigned on the way is now in its target.
            ExprKind::Assign(_, left, _) => self.path(left).and_then(|o| self.held(o)),
            _ => self.value(e),
        };
        let mut draft = self.draft(text);
        let mut arms =
            vec![(yes, on_yes, data.map(When::True)), (no, on_no, data.map(When::False))];
        let unit = self.unit;
        let plain = on_one_line("", unit.slice(text.from, text.to), "");
        let mut against = opposite(unit, e);
        if text.flip {
            arms.reverse();
            let whole = self.whole(e);
            against = self.text(whole);
        }
        draft.test = Some(Box::new(Test::Condition([plain, against])));
        self.code.push(Ins::Branch(draft, arms));
    }

    // Expressions.

    fn eval(&mut self, e: ExprId) {
        let unit = self.unit;
        match &unit.expr(e).kind {
            ExprKind::Name(sym) => {
                let val = self.name(e, *sym);
                self.push(val);
            }
            ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::SizeOf(_)
            | ExprKind::Enumerator(_)
            | ExprKind::AboutType(_) => self.push(Val::other(None)),
            ExprKind::SizeOfType(ty) => {
                self.tasks.push(Task::Push(What::Other));
                self.sizes(*ty);
            }
            ExprKind::LabelAddress(sym) => {
                self.named_label(*sym);
                self.address_labels.push(*sym);
                self.push(Val::other(None));
            }
            ExprKind::Unary(op, x) => match op {
                Unary::Deref => self.later([Task::Eval(*x), Task::Deref]),
                Unary::Address => self.later([Task::Eval(*x), Task::Address]),
                Unary::Step { .. } => self.later([Task::Eval(*x), Task::Step(e)]),
                _ => self.later([Task::Eval(*x), Task::Rvalue]),
            },
            ExprKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let (middle, end) = (self.label(), self.label());
                let (yes, no) = if *op == Binary::And { (middle, end) } else { (end, middle) };
                let text = self.whole(*b);
                self.later([
                    Task::Cond(*a, yes, no, None),
                    Task::Mark(middle),
                    Task::Eval(*b),
                    Task::Consume,
                    Task::Flush(text),
                    Task::Mark(end),
                    Task::Push(What::Other),
                ]);
            }
            ExprKind::Binary(op, a, b) => {
                // Comparisons say nothing but yes or no.
                let read = match relation(*op) {
                    Some(_) => Task::Rvalue,
                    None => Task::Derive,
                };
                self.later([Task::Eval(*a), read, Task::Eval(*b), read, Task::BinaryEnd]);
            }
            // `__real__ z = 1`
            ExprKind::Assign(_, left, right) if self.part_of(*left).is_some() => {
                let whole = self.part_of(*left).unwrap_or(*left);
                self.later([
                    Task::Eval(*right),
                    Task::Derive,
                    Task::Pop,
                    Task::Eval(whole),
                    Task::WriteTop,
                    Task::Push(What::Other),
                ]);
            }
            ExprKind::Assign(Assign::Plain, left, _) => {
                self.later([Task::Eval(*left), Task::AssignTarget(e)]);
            }
            ExprKind::Assign(Assign::With(_), left, _) => {
                self.later([Task::Eval(*left), Task::AssignWith(e)]);
            }
            ExprKind::Conditional(c, Some(a), b) => {
                let (yes, no, end) = (self.label(), self.label(), self.label());
                let (on_yes, on_no) = (self.whole(*a), self.whole(*b));
                self.later([
                    Task::Cond(*c, yes, no, None),
                    Task::Mark(yes),
                    Task::Eval(*a),
                    Task::Derive,
                    Task::Pop,
                    Task::Flush(on_yes),
                    Task::Jump(end),
                    Task::Mark(no),
                    Task::Eval(*b),
                    Task::Derive,
                    Task::Flush(on_no),
                    Task::Mark(end),
                ]);
            }
            ExprKind::Conditional(c, None, b) => {
                let (no, end) = (self.label(), self.label());
                let text = self.whole(*b);
                self.later([
                    Task::Cond(*c, end, no, None),
                    Task::Mark(no),
                    Task::Eval(*b),
                    Task::Derive,
                    Task::Flush(text),
                    Task::Mark(end),
                ]);
            }
            ExprKind::Comma(a, b) => {
                let text = self.whole(*a);
                self.later([Task::Eval(*a), Task::Consume, Task::Flush(text), Task::Eval(*b)]);
            }
            ExprKind::Call(f, arguments) => self.call(e, *f, arguments),
            ExprKind::Index(a, i) => {
                self.later([Task::Eval(*a), Task::Eval(*i), Task::Index]);
            }
            ExprKind::Field(a, sym) => self.later([Task::Eval(*a), Task::Field(*sym)]),
            ExprKind::Arrow(a, sym) => self.later([Task::Eval(*a), Task::Arrow(*sym)]),
            ExprKind::Cast(ty, a) => {
                self.later([Task::Eval(*a), Task::Cast(*ty)]);
                self.sizes(*ty);
            }
            ExprKind::Compound(ty, init) => {
                self.later([Task::Init(*init), Task::Push(What::Other), Task::Cast(*ty)]);
            }
            ExprKind::Block(s) => {
                self.inside += 1;
                self.tasks.push(Task::Leave);
                let StmtKind::Block(body, end) = &unit.stmt(*s).kind else {
                    self.later([Task::Stmt(*s), Task::Push(What::Other)]);
                    return;
                };
                let text = Text {
                    prefix: "}",
                    at: *end,
                    from: end.offset,
                    to: end.offset,
                    suffix: "",
                    flip: false,
                };
                self.tasks.push(Task::EndScope(self.undo.len(), self.cleanups.len(), text));
                let (last, rest) = match body.split_last() {
                    Some((last, rest)) => (Some(*last), rest),
                    None => (None, &body[..]),
                };
                match last.map(|s| (&unit.stmt(s).kind, s)) {
                    Some((StmtKind::Expr(value), _)) => self.tasks.push(Task::Eval(*value)),
                    Some((_, s)) => self.later([Task::Stmt(s), Task::Push(What::Other)]),
                    None => self.tasks.push(Task::Push(What::Other)),
                }
                self.tasks.extend(rest.iter().rev().map(|&s| Task::Stmt(s)));
                // What stands before the block is evaluated before it.
                let text = self.whole(e);
                self.flush(text);
            }
            ExprKind::VaArg(list, ty) => {
                self.later([
                    Task::Eval(*list),
                    Task::WriteTop,
                    Task::Push(What::Other),
                    Task::Cast(*ty),
                ]);
            }
            ExprKind::Generic(..) => self.tasks.push(Task::Choose(e)),
        }
    }

    fn name(&mut self, e: ExprId, sym: Sym) -> Val {
        match self.lookup(sym) {
            Some(Entity::Object(o)) => {
                let object = &self.linked.objects[o.index()];
                Val { constant: object.fixed, ..Val::new(What::Object(o), object.ty) }
            }
            Some(Entity::Func(f)) => Val::new(What::Func, self.linked.funcs[f.index()].ty),
            None => {
                let name = self.unit.name(sym);
                if !name.starts_with("__") && self.undeclared.insert(sym) {
                    let message = format!("`{name}` is not declared; its uses are no events");
                    self.warn(self.unit.expr(e).at, message);
                }
                Val::other(None)
            }
        }
    }

    /// What an expression is behind casts of pointers to pointers, which change nothing.
    fn through_casts(&self, e: ExprId) -> ExprId {
        let mut e = e;
        while let ExprKind::Cast(ty, x) = self.unit.expr(e).kind
            && self.scalar_at(self.type_ref(ty)) == Some(Scalar::Pointer)
            && self.scalar(x) == Some(Scalar::Pointer)
        {
            e = x;
        }
        e
    }

    /// Whether `c ? a : b` is `a` or `b` as it is: where one has to be converted to the type of the other,
    /// that counts.
    fn keeps_arms(&self, a: ExprId, b: ExprId) -> bool {
        match (self.scalar(a), self.scalar(b)) {
            (Some(Scalar::Pointer), _) | (_, Some(Scalar::Pointer)) | (None, None) => true,
            (Some(a), Some(b)) => c_types::usual(a, b)
                .is_some_and(|to| a.fits(to, &self.unit.model) && b.fits(to, &self.unit.model)),
            _ => false,
        }
    }

    fn assign(&mut self, e: ExprId, o: ObjectId, text: Option<Text>) {
        let e = self.through_casts(e);
        match &self.unit.expr(e).kind {
            ExprKind::Conditional(c, Some(a), b) if self.keeps_arms(*a, *b) => {
                let (yes, no, end) = (self.label(), self.label(), self.label());
                let (on_yes, on_no) = (self.whole(*a), self.whole(*b));
                self.later([
                    Task::Cond(*c, yes, no, None),
                    Task::Mark(yes),
                    Task::Into(*a, o, None),
                    Task::Pop,
                    Task::Flush(on_yes),
                    Task::Jump(end),
                    Task::Mark(no),
                    Task::Into(*b, o, None),
                    Task::Pop,
                    Task::Flush(on_no),
                    Task::Mark(end),
                    Task::Push(What::Assigned(o)),
                ]);
            }
            ExprKind::Comma(a, b) => {
                let first = self.whole(*a);
                self.later([
                    Task::Eval(*a),
                    Task::Consume,
                    Task::Flush(first),
                    Task::Into(*b, o, text),
                ]);
            }
            _ => self.later([Task::Eval(e), Task::IntoEnd(e, o, text)]),
        }
    }

    fn assign_end(&mut self, e: ExprId, o: ObjectId, text: Option<Text>) {
        let val = self.pop();
        if let What::Call(id) = val.what
            && self.open.as_ref().is_some_and(|open| open.id == id)
        {
            let events = self.write_events(o);
            let value = val.constant.and_then(|c| self.number(c));
            let value = value.and_then(|v| self.stored(o, v));
            self.values.push((o, value));
            if let Some(open) = &mut self.open {
                open.result = Some(o);
                open.text = text.unwrap_or(open.text);
                open.result_events = events;
            }
            self.close_call();
            let assigned = self.assigned(o, val);
            self.push(assigned);
            return;
        }
        self.consume(val);
        let value = self.value(e);
        self.write(o, value);
        if let Some(source) = val.object() {
            self.emit(Event::Copy(o, source));
        } else if let Some(source) = self.value_object(val) {
            self.hidden.push(Event::Copy(o, source));
        }
        let assigned = self.assigned(o, val);
        self.push(assigned);
    }

    /// The value of an assignment: what its target then holds.
    fn assigned(&self, o: ObjectId, val: Val) -> Val {
        let object = &self.linked.objects[o.index()];
        let to = object.scalar.filter(|_| !object.volatile);
        let constant = val.constant.zip(to).and_then(|(v, to)| v.convert(to, &self.unit.model));
        Val { constant, ..Val::new(What::Assigned(o), object.ty) }
    }

    /// The function that is called by name, through any number of `*` and `&`.
    fn direct(&mut self, e: ExprId) -> Option<FuncId> {
        let mut e = e;
        loop {
            match self.unit.expr(e).kind {
                ExprKind::Unary(Unary::Deref | Unary::Address, x) => e = x,
                ExprKind::Name(sym) => {
                    return match self.lookup(sym) {
                        Some(Entity::Func(f)) => Some(f),
                        Some(_) => None,
                        None => {
                            let unit = self.unit;
                            let f = self.linked.extern_function(unit.name(sym));
                            self.linked.scopes[self.u].insert(sym, Entity::Func(f));
                            Some(f)
                        }
                    };
                }
                _ => return None,
            }
        }
    }

    fn call(&mut self, e: ExprId, f: ExprId, arguments: &'a [ExprId]) {
        let direct = self.direct(f);
        let name = direct.map_or("", |f| self.linked.funcs[f.index()].name.as_str());
        let first = arguments.first().copied();
        match (name, first) {
            (
                "__builtin_expect"
                | "__builtin_expect_with_probability"
                | "__builtin_assume_aligned",
                Some(first),
            ) => {
                self.later([Task::Eval(first), Task::Rvalue]);
                return;
            }
            ("__builtin_constant_p" | "__builtin_object_size", _) => {
                self.push(Val::other(None));
                return;
            }
            ("__builtin_unreachable", _) => {
                let text = self.whole(e);
                self.flush(text);
                self.code.push(Ins::Stop);
                self.push(Val::other(None));
                return;
            }
            ("__builtin_choose_expr", Some(first)) if arguments.len() == 3 => {
                let unit = self.unit;
                let void = |a: ExprId| {
                    matches!(unit.expr(a).kind, ExprKind::Cast(ty, _)
                        if matches!(unit.ty(strip(unit, ty)).kind, TypeKind::Void))
                };
                // What has no value is there to be an error if it is chosen.
                let chosen = match self.constant(first) {
                    Some(c) => Some(if c.truth() { 1 } else { 2 }),
                    None if void(arguments[2]) => Some(1),
                    None if void(arguments[1]) => Some(2),
                    None => None,
                };
                if let Some(chosen) = chosen {
                    self.tasks.push(Task::Eval(arguments[chosen]));
                    return;
                }
            }
            _ => {}
        }
        // What was evaluated so far is a point of its own.
        let text = self.whole(e);
        self.flush(text);
        let callee = match direct {
            Some(f) => Callee::Direct(f),
            None => Callee::Pointer,
        };
        self.tasks.push(Task::CallEnd(e, callee));
        self.tasks.extend(arguments.iter().rev().map(|&a| Task::Eval(a)));
        if direct.is_none() {
            self.tasks.push(Task::Eval(f));
        }
    }

    /// The functions that a call through a pointer may reach, and whether there may be others.
    fn targets(&mut self, e: ExprId, ty: Option<TypeRef>, arguments: usize) -> (Vec<FuncId>, bool) {
        let known = self.resolved.get(self.u, e);
        if !self.resolved.records
            && self.by_type.is_none()
            && !std::mem::replace(self.by_type_said, true)
        {
            let message = "records that pass through `void *` and come out as others are not followed, \
                           nor are the functions in them";
            self.warn(self.unit.expr(e).at, message.to_owned());
        }
        let fitting = self.linked.fitting(ty, arguments);
        let found: Vec<FuncId> = match known {
            Some(known) => known.funcs.clone(),
            None => fitting.to_vec(),
        };
        let message = if fitting.is_empty() && found.is_empty() {
            "no function fits this call through a pointer; it is an event only"
        } else if found.is_empty() {
            "no function of the program is known to be in this pointer; its call is an event only"
        } else if known.is_some_and(|k| k.unknown) {
            "where this pointer comes from is not followed; the call may reach any function of a \
             fitting type whose address is given away"
        } else {
            if let Some(why) = self.by_type
                && !std::mem::replace(self.by_type_said, true)
            {
                let message = format!(
                    "calls through pointers may reach any function of a fitting type: {why}"
                );
                self.warn(self.unit.expr(e).at, message);
            }
            return (found, self.by_type.is_some());
        };
        self.warn(self.unit.expr(e).at, message.to_owned());
        (found, true)
    }

    fn call_end(&mut self, e: ExprId, callee: Callee) {
        let unit = self.unit;
        let ExprKind::Call(_, arguments) = &unit.expr(e).kind else { return };
        let first = self.vals.len() - arguments.len();
        let vals: Vec<Val> = self.vals.drain(first..).collect();
        let pointer = matches!(callee, Callee::Pointer).then(|| self.pop());
        self.close_call();
        if !self.values.is_empty() {
            let text = self.whole(e);
            self.flush(text);
        }
        for val in pointer.iter().chain(&vals) {
            self.consume(*val);
        }
        let args: Vec<Option<ObjectId>> = vals.iter().map(Val::object).collect();
        let arg_values = vals.iter().map(|&v| self.value_object(v)).collect();
        let arg_data = arguments.iter().map(|&a| self.value(a)).collect();
        self.close_call();
        let (targets, open, ty) = match (callee, pointer) {
            (Callee::Direct(f), _) => {
                let func = &self.linked.funcs[f.index()];
                (vec![f], func.twice, func.ty)
            }
            (Callee::Pointer, pointer) => {
                let ty = pointer.and_then(|p| p.ty);
                let (targets, open) = self.targets(e, ty, arguments.len());
                (targets, open, ty)
            }
        };
        let funcs = &self.linked.funcs;
        let stops = !targets.is_empty() && targets.iter().all(|f| funcs[f.index()].noreturn);
        let ends = targets.iter().any(|f| {
            let func = &funcs[f.index()];
            func.body.is_none() && EXITS.contains(&func.name.as_str())
        });
        let setjmp = targets.iter().any(|f| {
            matches!(
                funcs[f.index()].name.as_str(),
                "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "__builtin_setjmp"
            )
        });
        let constant = match targets[..] {
            [f] => funcs[f.index()].constant,
            _ => None,
        };
        // Failed assertions are shown as they were written, not as the macro expands.
        let failed = matches!(targets[..], [f] if funcs[f.index()].name == "__assert_fail");
        let said = arguments.first().filter(|_| failed).and_then(|&a| assertion(unit, a));
        if ends {
            self.pending.push(Event::Exit);
        }
        self.calls += 1;
        self.open = Some(Open {
            id: self.calls,
            text: self.whole(e),
            said,
            indirect: pointer.is_some(),
            open,
            through: pointer.and_then(|p| p.object()),
            targets,
            args,
            arg_data,
            arg_values,
            result: None,
            temporary: None,
            ty: self.result_type(ty),
            scalar: self.scalar_at(self.result_type(ty)),
            result_events: Vec::new(),
            stops,
            setjmp,
        });
        if stops {
            self.close_call();
        }
        let ty = self.result_type(ty);
        self.push(Val { constant, ..Val::new(What::Call(self.calls), ty) });
    }

    fn cond(&mut self, e: ExprId, yes: Label, no: Label, text: Option<Text>) {
        let unit = self.unit;
        let shown = text.unwrap_or_else(|| self.whole(e));
        match &unit.expr(e).kind {
            ExprKind::Unary(Unary::Not, x) => {
                // The whole text stays with the whole condition.
                let shown = Text { flip: !shown.flip, ..shown };
                self.later([Task::Cond(*x, no, yes, Some(shown))]);
                return;
            }
            ExprKind::Binary(Binary::And, a, b) => {
                let middle = self.label();
                self.later([
                    Task::Cond(*a, middle, no, None),
                    Task::Mark(middle),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Binary(Binary::Or, a, b) => {
                let middle = self.label();
                self.later([
                    Task::Cond(*a, yes, middle, None),
                    Task::Mark(middle),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Comma(a, b) => {
                let first = self.whole(*a);
                self.later([
                    Task::Eval(*a),
                    Task::Consume,
                    Task::Flush(first),
                    Task::Cond(*b, yes, no, text),
                ]);
                return;
            }
            ExprKind::Conditional(c, Some(a), b) => {
                let (on_yes, on_no) = (self.label(), self.label());
                self.later([
                    Task::Cond(*c, on_yes, on_no, None),
                    Task::Mark(on_yes),
                    Task::Cond(*a, yes, no, None),
                    Task::Mark(on_no),
                    Task::Cond(*b, yes, no, None),
                ]);
                return;
            }
            ExprKind::Call(f, arguments) if !arguments.is_empty() => {
                if let ExprKind::Name(sym) = unit.expr(*f).kind
                    && unit.name(sym).starts_with("__builtin_expect")
                {
                    self.later([Task::Cond(arguments[0], yes, no, text)]);
                    return;
                }
            }
            _ => {}
        }
        if let Some(value) = self.constant(e) {
            let to = if value.truth() { yes } else { no };
            self.later([Task::Eval(e), Task::Known(to, shown)]);
            return;
        }
        if let ExprKind::Binary(op, a, b) = unit.expr(e).kind
            && let Some(relation) = relation(op)
        {
            // `!!x == 0` is not looked into any deeper than this.
            if let Some(c) = self.constant(b) {
                self.later([Task::Eval(a), Task::Test(e, a, relation, c, yes, no, shown)]);
            } else if let Some(c) = self.constant(a) {
                let relation = relation.mirrored();
                self.later([Task::Eval(b), Task::Test(e, b, relation, c, yes, no, shown)]);
            } else {
                self.later([
                    Task::Eval(a),
                    Task::Consume,
                    Task::Eval(b),
                    Task::Consume,
                    Task::Branch(e, yes, no, shown),
                ]);
            }
            return;
        }
        let zero = Value::int(0);
        self.later([Task::Eval(e), Task::Test(e, e, Relation::Ne, zero, yes, no, shown)]);
    }

    // Declarations and statements.

    fn declare(&mut self, d: &'a Declaration) {
        let unit = self.unit;
        let name = unit.name(d.name);
        let ty = self.type_ref(d.ty);
        if self.is_function(ty) {
            let f = match self.linked.scopes[self.u].get(&d.name) {
                Some(Entity::Func(f)) => *f,
                _ => self.linked.extern_function(name),
            };
            let func = &mut self.linked.funcs[f.index()];
            func.noreturn |= d.attributes.noreturn;
            func.ty = func.ty.or(ty);
            self.bind(d.name, Entity::Func(f));
            return;
        }
        match d.storage {
            Storage::Extern => {
                let o = match self.linked.scopes[self.u].get(&d.name) {
                    Some(Entity::Object(o)) => *o,
                    _ => self.linked.extern_object(self.u, d),
                };
                self.bind(d.name, Entity::Object(o));
                return;
            }
            Storage::Static => {
                let o = self.local(d.name, d.ty, d.at, false);
                self.bind(d.name, Entity::Object(o));
                if let Some(init) = d.init {
                    let value = scalar_initialiser(unit, init).and_then(|e| self.constant(e));
                    let to = self.linked.objects[o.index()].scalar;
                    let value = value.zip(to).and_then(|(v, to)| v.convert(to, &unit.model));
                    let number = value.and_then(|v| i64::try_from(v.number()).ok());
                    self.initial.push((o, number));
                    self.addresses_in(init);
                }
                return;
            }
            _ => {}
        }
        let o = self.local(d.name, d.ty, d.at, true);
        self.bind(d.name, Entity::Object(o));
        let cleanup = d.attributes.cleanup.map(|f| {
            let f = match self.lookup(f) {
                Some(Entity::Func(f)) => f,
                _ => self.linked.extern_function(unit.name(f)),
            };
            self.linked.objects[o.index()].address_taken = true;
            Task::Cleanup(o, f)
        });
        self.tasks.extend(cleanup);
        let from = d.at.offset;
        if let Some(init) = d.init {
            // `int x = { 5 };`
            let scalar = self.linked.objects[o.index()].scalar.filter(|_| !self.is_array(ty));
            let braced = scalar.and_then(|_| scalar_initialiser(unit, init));
            let only = match unit.inits[init.index()] {
                Init::Expr(e) => Some(e),
                Init::List(_) => braced,
            };
            match only {
                Some(e) => {
                    let to = closed(unit, from, unit.expr(e).end);
                    let text = Text { prefix: "", at: d.at, from, to, suffix: "", flip: false };
                    self.later([Task::Into(e, o, Some(text)), Task::Pop, Task::Flush(text)]);
                }
                None => {
                    let to = from + name.len() as u32;
                    let text =
                        Text { prefix: "", at: d.at, from, to, suffix: " = { … }", flip: false };
                    self.later([Task::Init(init), Task::Write(o), Task::Flush(text)]);
                }
            }
        }
        self.sizes(d.ty);
    }

    /// Sizes of arrays in a type are evaluated before what has the type.
    fn sizes(&mut self, ty: TypeId) {
        let unit = self.unit;
        let mut ty = ty;
        while let TypeKind::Array(inner, _) | TypeKind::Pointer(inner) = unit.ty(ty).kind {
            if let TypeKind::Array(_, Some(size)) = unit.ty(ty).kind
                && self.constant(size).is_none()
            {
                let text = self.whole(size);
                self.later([Task::Eval(size), Task::Consume, Task::Flush(text)]);
            }
            ty = inner;
        }
    }

    /// Initialisers of `static` variables hold addresses: of labels, and of whatever they name.
    fn addresses_in(&mut self, init: InitId) {
        let unit = self.unit;
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            let e = match &unit.inits[init.index()] {
                Init::List(list) => {
                    todo.extend(list.iter().rev().map(|(_, _, init)| *init));
                    continue;
                }
                Init::Expr(e) => *e,
            };
            let mut exprs = vec![e];
            while let Some(e) = exprs.pop() {
                match &unit.expr(e).kind {
                    ExprKind::LabelAddress(sym) => {
                        self.named_label(*sym);
                        self.address_labels.push(*sym);
                    }
                    ExprKind::Name(sym) => {
                        if let Some(Entity::Object(o)) = self.lookup(*sym) {
                            self.linked.objects[o.index()].address_taken = true;
                        }
                    }
                    ExprKind::Cast(_, x)
                    | ExprKind::Unary(_, x)
                    | ExprKind::Field(x, _)
                    | ExprKind::Arrow(x, _) => exprs.push(*x),
                    ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => exprs.extend([*b, *a]),
                    ExprKind::Conditional(c, a, b) => {
                        exprs.extend([*b, *c]);
                        exprs.extend(*a);
                    }
                    ExprKind::Compound(_, init) => todo.push(*init),
                    _ => {}
                }
            }
        }
    }

    fn stmt(&mut self, s: StmtId) {
        let unit = self.unit;
        let stmt = unit.stmt(s);
        let at = stmt.at;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                let text = self.whole(*e);
                self.later([Task::Eval(*e), Task::Consume, Task::Flush(text)]);
            }
            StmtKind::Block(body, end) => {
                let text = Text {
                    prefix: "}",
                    at: *end,
                    from: end.offset,
                    to: end.offset,
                    suffix: "",
                    flip: false,
                };
                self.tasks.push(Task::EndScope(self.undo.len(), self.cleanups.len(), text));
                self.tasks.extend(body.iter().rev().map(|&s| Task::Stmt(s)));
            }
            StmtKind::Declare(list) => self.tasks.extend(list.iter().rev().map(Task::Declare)),
            StmtKind::If(c, then, otherwise) => {
                let (yes, no) = (self.label(), self.label());
                let text = Some(self.around("if (", at, *c, ")"));
                match otherwise {
                    None => self.later([
                        Task::Cond(*c, yes, no, text),
                        Task::Mark(yes),
                        Task::Stmt(*then),
                        Task::Mark(no),
                    ]),
                    Some(otherwise) => {
                        let end = self.label();
                        self.later([
                            Task::Cond(*c, yes, no, text),
                            Task::Mark(yes),
                            Task::Stmt(*then),
                            Task::Jump(end),
                            Task::Mark(no),
                            Task::Stmt(*otherwise),
                            Task::Mark(end),
                        ]);
                    }
                }
            }
            StmtKind::While(c, body) => {
                let (top, yes, end) = (self.label(), self.label(), self.label());
                let text = Some(self.around("while (", at, *c, ")"));
                self.mark(top);
                let cleanups = self.cleanups.len();
                self.loops.push(Loop { break_to: end, continue_to: Some(top), cleanups });
                self.later([
                    Task::Cond(*c, yes, end, text),
                    Task::Mark(yes),
                    Task::Stmt(*body),
                    Task::PopLoop,
                    Task::Jump(top),
                    Task::Mark(end),
                ]);
            }
            StmtKind::DoWhile(body, c) => {
                let (top, test, end) = (self.label(), self.label(), self.label());
                let text = Some(self.around("while (", unit.expr(*c).at, *c, ")"));
                self.mark(top);
                self.dos.push(self.code.len());
                let cleanups = self.cleanups.len();
                self.loops.push(Loop { break_to: end, continue_to: Some(test), cleanups });
                self.later([
                    Task::Stmt(*body),
                    Task::PopLoop,
                    Task::Mark(test),
                    Task::Fresh,
                    Task::Cond(*c, top, end, text),
                    Task::Mark(end),
                ]);
            }
            StmtKind::For(init, condition, step, body) => {
                let (top, yes, next, end) =
                    (self.label(), self.label(), self.label(), self.label());
                let text = Text {
                    prefix: "}",
                    at,
                    from: at.offset,
                    to: at.offset,
                    suffix: "",
                    flip: false,
                };
                self.tasks.push(Task::EndScope(self.undo.len(), self.cleanups.len(), text));
                // What comes last is pushed first.
                self.tasks.push(Task::Mark(end));
                self.tasks.push(Task::Jump(top));
                if let Some(step) = step {
                    let text = self.whole(*step);
                    self.later([Task::Fresh, Task::Eval(*step), Task::Consume, Task::Flush(text)]);
                }
                self.later([Task::Stmt(*body), Task::PopLoop, Task::Mark(next)]);
                self.tasks.push(Task::Mark(yes));
                if let Some(c) = condition {
                    let text = Some(self.around("for (…; ", at, *c, "; …)"));
                    self.later([Task::Fresh, Task::Cond(*c, yes, end, text)]);
                }
                self.tasks.push(Task::Mark(top));
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => {
                        let text = self.whole(*e);
                        self.later([Task::Eval(*e), Task::Consume, Task::Flush(text)]);
                    }
                    ForInit::Declare(list) => {
                        self.tasks.extend(list.iter().rev().map(Task::Declare));
                    }
                }
                let cleanups = self.cleanups.len();
                self.loops.push(Loop { break_to: end, continue_to: Some(next), cleanups });
            }
            StmtKind::Switch(e, body) => {
                let end = self.label();
                let text = self.around("switch (", at, *e, ")");
                self.later([
                    Task::Eval(*e),
                    Task::Dispatch(*e, text, end),
                    Task::Stmt(*body),
                    Task::EndSwitch(end),
                ]);
            }
            StmtKind::Case(low, high, body) => {
                let label = self.label();
                self.mark(label);
                // Constants are converted to the type of the value.
                let to = self.switches.last().and_then(|s| s.ty);
                let number = |e: ExprId| {
                    let value = self.constant(e)?.convert(to?, &unit.model)?;
                    i64::try_from(value.number()).ok()
                };
                let range = number(*low).zip(number(high.unwrap_or(*low)));
                match self.switches.last_mut() {
                    Some(switch) => switch.cases.push((label, range)),
                    None => self.warn(at, "`case` outside `switch`".to_owned()),
                }
                self.tasks.push(Task::Stmt(*body));
            }
            StmtKind::Default(body) => {
                let label = self.label();
                self.mark(label);
                match self.switches.last_mut() {
                    Some(switch) => switch.default = Some(label),
                    None => self.warn(at, "`default` outside `switch`".to_owned()),
                }
                self.tasks.push(Task::Stmt(*body));
            }
            StmtKind::Label(sym, body) => {
                let label = self.named_label(*sym);
                if self.label_pos[label as usize] != u32::MAX {
                    let message = format!("the label `{}` is there twice", unit.name(*sym));
                    self.warn(at, message);
                }
                self.mark(label);
                // A label without a point of its own would be wherever control goes next.
                let own = match &unit.stmt(*body).kind {
                    StmtKind::Return(_) => true,
                    StmtKind::Expr(e) => {
                        matches!(unit.expr(*e).kind, ExprKind::Call(..) | ExprKind::Assign(..))
                    }
                    _ => false,
                };
                if !own {
                    let to = at.offset + unit.name(*sym).len() as u32;
                    let text =
                        Text { prefix: "", at, from: at.offset, to, suffix: ":", flip: false };
                    let draft = self.draft(text);
                    self.code.push(Ins::Point(draft));
                }
                if !self.cleanups.is_empty() {
                    self.label_cleanups.insert(*sym, self.cleanups.clone());
                }
                self.tasks.push(Task::Stmt(*body));
            }
            StmtKind::Goto(sym) => {
                let to = self.named_label(*sym);
                if self.cleanups.is_empty() {
                    self.code.push(Ins::Jump(to));
                } else {
                    let from = self.label();
                    let text = self.plain("goto", at, stmt.end);
                    let active = self.cleanups.clone();
                    self.gotos.push(Goto { from, to: *sym, active, text });
                    self.code.push(Ins::Jump(from));
                }
            }
            StmtKind::GotoComputed(e) => {
                if !self.cleanups.is_empty() {
                    let message = "a computed `goto` runs no cleanups here";
                    self.warn(at, message.to_owned());
                }
                self.later([Task::Eval(*e), Task::Consume, Task::AsmEnd(s)]);
            }
            StmtKind::Break | StmtKind::Continue => {
                let is_break = matches!(stmt.kind, StmtKind::Break);
                let target = self.loops.last().and_then(|l| {
                    let to = if is_break { Some(l.break_to) } else { l.continue_to };
                    to.map(|to| (to, l.cleanups))
                });
                match target {
                    Some((to, cleanups)) => {
                        // A `switch` in a loop: `continue` leaves both.
                        let cleanups = match is_break {
                            true => cleanups,
                            false => self
                                .loops
                                .iter()
                                .find(|l| l.continue_to == Some(to))
                                .map_or(cleanups, |l| l.cleanups),
                        };
                        let text = self.plain("", at, stmt.end);
                        self.run_cleanups(cleanups, text);
                        self.code.push(Ins::Jump(to));
                    }
                    None => self.warn(at, "`break` or `continue` outside a loop".to_owned()),
                }
            }
            StmtKind::Return(e) => {
                let text = match e {
                    Some(e) => self.around("return ", at, *e, ""),
                    None => self.plain("return", at, at.offset),
                };
                self.return_(*e, text);
            }
            StmtKind::Asm(asm) => {
                self.tasks.push(Task::AsmEnd(s));
                for &e in asm.outputs.iter().rev() {
                    self.later([Task::Eval(e), Task::WriteTop]);
                }
                for &e in asm.inputs.iter().rev() {
                    self.later([Task::Eval(e), Task::Derive, Task::Pop]);
                }
            }
        }
    }

    fn plain(&self, prefix: &'static str, at: Place, to: u32) -> Text {
        if prefix.is_empty() || prefix == "goto" {
            return Text { prefix: "", at, from: at.offset, to, suffix: "", flip: false };
        }
        Text { prefix, at, from: at.offset, to: at.offset, suffix: "", flip: false }
    }

    fn return_(&mut self, e: Option<ExprId>, text: Text) {
        let Some(e) = e else {
            self.finish_return(None, text);
            return;
        };
        let e = self.through_casts(e);
        if let ExprKind::Conditional(c, Some(a), b) = self.unit.expr(e).kind
            && self.keeps_arms(a, b)
        {
            let (yes, no) = (self.label(), self.label());
            self.later([
                Task::Cond(c, yes, no, None),
                Task::Mark(yes),
                Task::Return(Some(a), text),
                Task::Mark(no),
                Task::Return(Some(b), text),
            ]);
            return;
        }
        self.later([Task::Eval(e), Task::ReturnEnd(e, text)]);
    }

    /// Runs cleanups and returns, with what is pending.
    fn finish_return(&mut self, value: Option<DataId>, text: Text) {
        self.close_call();
        if !self.cleanups.is_empty() {
            // The value is computed before, the return comes after.
            let of: Vec<Event> =
                self.pending.iter().copied().filter(|e| matches!(e, Event::ReturnOf(_))).collect();
            self.pending.retain(|e| !matches!(e, Event::ReturnOf(_)));
            self.flush(text);
            self.run_cleanups(0, text);
            self.pending = of;
        }
        if !self.values.is_empty() {
            self.flush(text);
        }
        self.pending.push(Event::Return);
        if self.linked.funcs[self.func.index()].name == "main" {
            self.pending.push(Event::Exit);
        }
        self.returned = value;
        let draft = self.draft(text);
        self.code.push(Ins::Return(draft));
    }

    fn run_cleanups(&mut self, down_to: usize, text: Text) {
        for i in (down_to..self.cleanups.len()).rev() {
            let (o, f) = self.cleanups[i];
            self.cleanup_call(o, f, text);
        }
    }

    fn cleanup_call(&mut self, o: ObjectId, f: FuncId, text: Text) {
        let address = self.part(Reach::Address(o), None);
        self.emit(Event::Address(o));
        self.calls += 1;
        self.open = Some(Open {
            id: self.calls,
            text,
            said: None,
            targets: vec![f],
            indirect: false,
            open: false,
            through: None,
            args: vec![address],
            arg_data: vec![None],
            arg_values: vec![address],
            result: None,
            temporary: None,
            ty: None,
            scalar: None,
            result_events: Vec::new(),
            stops: self.linked.funcs[f.index()].noreturn,
            setjmp: false,
        });
        self.close_call();
    }

    /// The point of an `asm`, or of a computed `goto`.
    fn asm_end(&mut self, s: StmtId) {
        let unit = self.unit;
        let stmt = unit.stmt(s);
        let text = self.plain("", stmt.at, stmt.end);
        self.close_call();
        match &stmt.kind {
            StmtKind::Asm(asm) if !asm.labels.is_empty() => {
                if asm.memory {
                    self.emit(Event::Store);
                }
                self.settle(text);
                let next = self.label();
                let mut arms = vec![(next, Vec::new(), None)];
                for &sym in &asm.labels {
                    let label = self.named_label(sym);
                    arms.push((label, Vec::new(), None));
                }
                let draft = self.draft(text);
                self.code.push(Ins::Branch(draft, arms));
                self.mark(next);
            }
            StmtKind::GotoComputed(_) => {
                self.settle(text);
                let draft = self.draft(text);
                self.computed.push((self.code.len(), stmt.at));
                self.code.push(Ins::Branch(draft, Vec::new()));
            }
            StmtKind::Asm(asm) => {
                if asm.memory {
                    self.emit(Event::Store);
                }
                self.flush(text);
            }
            _ => self.flush(text),
        }
    }
}

fn relation(op: Binary) -> Option<Relation> {
    Some(match op {
        Binary::Eq => Relation::Eq,
        Binary::Ne => Relation::Ne,
        Binary::Lt => Relation::Lt,
        Binary::Le => Relation::Le,
        Binary::Gt => Relation::Gt,
        Binary::Ge => Relation::Ge,
        _ => return None,
    })
}
