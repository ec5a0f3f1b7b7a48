//! The control skeleton of C functions: program points with sets of events ([c2edl §4, §5]).
//!
//! A *point* is one step. Its *letter* is the set of its events, and it makes at most one call: the
//! uses of the call's arguments, the call, and the assignment of its result are events of one point,
//! other uses and assignments of the same expression are points of their own, before it. Expressions
//! are walked from left to right; the operands that `&&`, `||`, `?:` and `,` separate are different
//! points. A condition is a point, and what is learnt on its way out are events of the way.
//!
//! Events are written, and found in [`ir::Program`], as follows. `o` is an object: a variable `g`, a
//! local `f::x` (`f::x#2` if `x` is declared once more in `f`), or a part `f::p->lock`, `f::s.lock`,
//! `f::*p`, `f::a[]`, `f::&v`; at most [`MAX_LINKS`] links from its variable.
//!
//! | event | meaning |
//! |---|---|
//! | `use(o)` | the value of `o` is read; reading a part reads the whole |
//! | `deref(o)` | the pointer `o` is followed |
//! | `address(o)` | the address of `o` is taken |
//! | `assign(o)` | `o` gets a new value |
//! | `modify(o)` | a field or cell of `o` gets a new value: `o` is assigned, weakly |
//! | `store` | something is written through a pointer: whatever has its address taken is assigned, weakly |
//! | `copy(o, q)` | the new value of `o` is that of `q`, unchanged |
//! | `call(f)` | `f` is called; `call(*)` as well if that happens through a pointer |
//! | `call(f, o)` | with `o` as an argument, or as the target of its result ([c2edl §6.1]) |
//! | `arg(f, n, o)` | with `o` as argument `n`, counted from 1 |
//! | `result(f, o)` | its result is assigned to `o` |
//! | `bind(f::p, o)` | the parameter `p` of `f` gets the value of `o` by this call |
//! | `return`, `return(o)` | the function is left, with the value of `o` |
//! | `exit` | the program ends: `exit`, `abort` and their kind, and a return from `main` |
//! | `test(o == c)` | on this way out, `o` compares so with the constant `c` (`!=`, `<`, …) |
//!
//! A call of a function with a body reads its letter before the callee runs; the assignment of its
//! result is a point of its own, after it, with `assign(o)`, `call(f, o)` and `result(f, o)`.

use crate::contracts::Contracts;
use crate::library::{Library, library};
use crate::objects::{Func, FuncId, Object, ObjectId};
use crate::typing::Ty;
use c_types::{Binary, Model, Scalar};
use source::Placed;
use std::collections::BTreeSet;
use std::ops::Range;

/// How many links a part may be away from its variable to be an object.
pub const MAX_LINKS: u32 = 6;

/// The skeletons of all functions with a body.
#[derive(Debug)]
pub struct Skeleton {
    /// The functions, those without a body included.
    pub funcs: Vec<Func>,
    /// The objects.
    pub objects: Vec<Object>,
    /// What the functions do, in order of their definitions.
    pub bodies: Vec<Body>,
    /// Names of the source files.
    pub files: Vec<String>,
    /// What is not modelled.
    pub warnings: Vec<Placed>,
    /// Variables that are not automatic and have an initialiser, with its value if that is certain.
    pub initial: Vec<(ObjectId, Option<i64>)>,
    /// Names that stand for something else, and what they stand for: by `alias`, `ifunc`, or as the linker sees it.
    pub renamed: BTreeSet<String>,
    /// Assembler stands outside of functions: it may define any of those without a body.
    pub assembler: bool,
    /// Some text counts what is printed (`%n`): what prints may write through its arguments.
    pub counts: bool,
    /// Functions with a body that code which is not read may call: their addresses were given away.
    pub given_away: Vec<FuncId>,
    /// The widths of types.
    pub model: Model,
    /// The names of types: as declared, and what their `typedef`s stand for. The first has none.
    pub types: Vec<Vec<String>>,
    /// What functions without a body do.
    pub contracts: Contracts,
}

/// What a function does.
#[derive(Debug)]
pub struct Body {
    /// The function.
    pub func: FuncId,
    /// Its parameters; those without a name are `None`.
    pub params: Vec<Option<ObjectId>>,
    /// Its points, in the order of the source.
    pub points: Vec<Point>,
    /// Where control enters.
    pub entry: Next,
    /// Labels of the source.
    pub labels: Vec<(String, u32)>,
    /// Calls of `setjmp`: control may come out of them again.
    pub setjmps: Vec<u32>,
    /// The points before which the word `do` stands.
    pub dos: Vec<u32>,
    /// Where it is defined.
    pub at: Spot,
    /// Values that points compute.
    pub data: Vec<Data>,
    /// The scalar type of each of these values, if that is certain. Their numbers are those of this type:
    /// what an operator computes wraps, or is undefined, as the type says.
    pub scalars: Vec<Option<Scalar>>,
    /// What its points read and write ([`Point::accesses`]).
    pub accesses: Vec<Access>,
    /// Accesses that are no part of a point, with the point that they stand before: nothing that has a name
    /// takes part in them, and their values are not used (`*(volatile int *)4096;`).
    pub silent: Vec<(u32, Access)>,
}

/// A place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spot {
    /// Index into [`Skeleton::files`].
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A program point.
#[derive(Debug)]
pub struct Point {
    /// Where.
    pub at: Spot,
    /// The source text.
    pub text: Box<str>,
    /// Its events, those of the call and of the ways out excepted.
    pub events: Vec<Event>,
    /// Variables that get a value, in parallel; `None` where it is not known.
    pub values: Vec<(ObjectId, Option<DataId>)>,
    /// The value that a return returns, if that is known.
    pub returned: Option<DataId>,
    /// Points of one full expression have the same number here; those of others may have.
    pub statement: u32,
    /// Events about values that the source has no name for ([`Object::temporary`]), and escapes. They
    /// are no part of the letter.
    pub hidden: Vec<Event>,
    /// What it reads and writes, in order, in [`Body::accesses`]. The assignment of a call's result is told
    /// by the call.
    pub accesses: Range<u32>,
    /// What it tests, where it has several ways out.
    pub test: Option<Box<Test>>,
    /// How it goes on.
    pub flow: Flow,
}

/// What is done to a part of memory, with its type. Unlike events, which are about names, they are all
/// there: in the order in which the skeleton has them, as often as they happen, and those of what the source
/// has no name for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// What is done.
    pub doing: Doing,
    /// The object; none if there is none for it: `*f()`, a part that is too far away, or whatever an
    /// assembler's code may write.
    pub object: Option<ObjectId>,
    /// The type that the access has: in `*(char *)p`, `char`, whatever `p` points to. A pointer that is
    /// followed on the way to another object is read as it is declared.
    pub ty: Ty,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It takes the address, by `&` or because it is an array.
    Address,
}

/// What a point with several ways out tests, as the source says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// A condition: what holds on the first way out, and its opposite, which holds on the second.
    Condition([Box<str>; 2], Asks),
    /// The subject of a `switch`.
    Subject(Box<str>),
}

/// Who asks for a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// An `if`.
    If,
    /// A `while`, also that of a `do`.
    While,
    /// A `for`.
    For,
    /// An operator: `&&`, `||`, `?:`.
    Operator,
}

impl Point {
    /// What is assumed of the program's data when a way out of a branch is taken: a condition in words, with its
    /// line.
    pub fn assumed(&self, arm: usize) -> Option<String> {
        let (Flow::Branch(arms), Some(test)) = (&self.flow, self.test.as_deref()) else {
            return None;
        };
        let line = self.at.line;
        let when = arms.get(arm).and_then(|a| a.when.as_ref());
        Some(match (test, when) {
            _ if arms.len() < 2 => return None,
            (Test::Subject(subject), Some(When::Case(_, low, high))) if low == high => {
                format!("`{subject} == {low}` at line {line}")
            }
            (Test::Subject(subject), Some(When::Case(_, low, high))) => {
                format!("`{subject}` in {low} … {high} at line {line}")
            }
            (Test::Subject(subject), _) => format!("a case of `{subject}` at line {line}"),
            (Test::Condition(ways, _), _) => format!("`{}` at line {line}", ways.get(arm)?),
        })
    }
}

/// Where control goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// To a point.
    Point(u32),
    /// Nowhere: the program has ended, or a function that does not come back was called.
    Stop,
    /// Round and round, doing nothing.
    Spin,
}

/// How a point goes on.
#[derive(Debug)]
pub enum Flow {
    /// To another point.
    Next(Next),
    /// To one of several.
    Branch(Vec<Arm>),
    /// It calls.
    Call(Box<Call>),
    /// It returns.
    Return,
}

/// A way out of a branch.
#[derive(Debug)]
pub struct Arm {
    /// Where to.
    pub next: Next,
    /// What is learnt on the way.
    pub events: Vec<Event>,
    /// The same about values that the source has no name for.
    pub hidden: Vec<Event>,
    /// When it is taken, if that is known.
    pub when: Option<When>,
}

/// When a way is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum When {
    /// The value is not zero.
    True(DataId),
    /// The value is zero.
    False(DataId),
    /// The value is in the range.
    Case(DataId, i64, i64),
    /// The value is in none of the ranges.
    Default(DataId, Vec<(i64, i64)>),
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The functions that may be called: one, unless it is a call through a pointer.
    pub targets: Vec<FuncId>,
    /// It is a call through a pointer.
    pub indirect: bool,
    /// It may reach functions that are not among the targets, and not read.
    pub open: bool,
    /// The object that holds that pointer.
    pub through: Option<ObjectId>,
    /// The arguments that are objects.
    pub args: Vec<Option<ObjectId>>,
    /// The values of the arguments.
    pub arg_data: Vec<Option<DataId>>,
    /// The arguments that are objects, or results of calls.
    pub arg_values: Vec<Option<ObjectId>>,
    /// The types of the arguments, before they are converted to those of the parameters.
    pub arg_types: Vec<Ty>,
    /// The type of what is called: of a function, or of a pointer to one.
    pub callee: Ty,
    /// The target of the result.
    pub result: Option<ObjectId>,
    /// The type of that target.
    pub result_type: Ty,
    /// The scalar type of the result, if the target is assigned nothing else than that, converted to its own type.
    pub gives: Option<Scalar>,
    /// What holds the result if it has no target, and is used.
    pub temporary: Option<ObjectId>,
    /// The events of assigning the result.
    pub result_events: Vec<Event>,
    /// Where it goes on when it comes back.
    pub next: Next,
}

/// An event; calls have theirs in [`Skeleton::call_events`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// `use(o)`
    Use(ObjectId),
    /// `deref(o)`
    Deref(ObjectId),
    /// `address(o)`
    Address(ObjectId),
    /// `assign(o)`
    Assign(ObjectId),
    /// `modify(o)`
    Modify(ObjectId),
    /// `store`
    Store,
    /// `copy(o, q)`
    Copy(ObjectId, ObjectId),
    /// `return`
    Return,
    /// `return(o)`
    ReturnOf(ObjectId),
    /// `exit`
    Exit,
    /// `test(o == c)`
    Test(ObjectId, Relation, i64),
    /// The value of `o` goes somewhere that is not followed; never in letters.
    Escape(ObjectId),
    /// Its value goes into arithmetic whose result goes nowhere: into a comparison, through `*`, or to a function of the
    /// library that does not keep it.
    Lent(ObjectId),
    /// A cell is chosen by an index that is no constant: by this variable or member, if it is one.
    Index(ObjectId, Option<ObjectId>),
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Relation {
    /// The opposite.
    pub fn negated(self) -> Relation {
        match self {
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
            Relation::Lt => Relation::Ge,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
            Relation::Le => Relation::Gt,
        }
    }
    /// With the operands exchanged.
    pub(crate) fn mirrored(self) -> Relation {
        match self {
            Relation::Lt => Relation::Gt,
            Relation::Gt => Relation::Lt,
            Relation::Le => Relation::Ge,
            Relation::Ge => Relation::Le,
            other => other,
        }
    }
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Eq => "==",
            Relation::Ne => "!=",
            Relation::Lt => "<",
            Relation::Le => "<=",
            Relation::Gt => ">",
            Relation::Ge => ">=",
        }
    }
    /// The operator that it is.
    pub(crate) fn operator(self) -> Binary {
        match self {
            Relation::Eq => Binary::Eq,
            Relation::Ne => Binary::Ne,
            Relation::Lt => Binary::Lt,
            Relation::Le => Binary::Le,
            Relation::Gt => Binary::Gt,
            Relation::Ge => Binary::Ge,
        }
    }
}

/// The position of a value in [`Body::data`].
pub type DataId = u32;

/// A value, as a function of the values of objects before the point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Data {
    /// A constant.
    Int(i64),
    /// The value of an object.
    Object(ObjectId),
    /// `-a`
    Minus(DataId),
    /// `~a`
    Complement(DataId),
    /// `!a`
    Not(DataId),
    /// Two operands.
    Binary(crate::Binary, DataId, DataId),
    /// `c ? a : b`
    Conditional(DataId, DataId, DataId),
    /// What the object holds once it is assigned the value.
    As(ObjectId, DataId),
    /// A conversion that may change the number.
    Convert(Scalar, DataId),
}

impl Skeleton {
    /// What is known of a function without a body: what its contract says, or what its name does.
    pub fn library(&self, f: FuncId) -> Option<Library> {
        let name = plain_name(&self.funcs[f.index()].name);
        let contract = self.contracts.get(name);
        match contract {
            Some(c) if c.pure => Some(Library::Silent),
            Some(c) if c.keeps(usize::MAX) == Some(true) => None,
            Some(c) if c.assigns.is_some() || c.keeps(usize::MAX) == Some(false) => {
                Some(Library::Writes)
            }
            Some(c) if !c.frees.is_empty() => Some(Library::Silent),
            _ if self.counts && name.ends_with("printf") => Some(Library::Writes),
            _ => library(name),
        }
    }

    /// Adds contracts, which win over those that are known.
    pub fn contract(&mut self, more: Contracts) {
        let bodies: Vec<FuncId> = self.bodies.iter().map(|b| b.func).collect();
        for name in more.noreturn() {
            for (i, func) in self.funcs.iter_mut().enumerate() {
                let id = FuncId(i as u32);
                func.noreturn |= func.name == name && bodies.binary_search(&id).is_err();
            }
        }
        self.contracts.add(more);
    }

    /// An object's name, with its function.
    pub fn object_name(&self, o: ObjectId) -> String {
        let object = &self.objects[o.index()];
        match object.owner {
            Some(f) => format!("{}::{}", self.funcs[f.index()].unique, object.name),
            None => object.name.clone(),
        }
    }

    /// An event as text.
    pub fn event_text(&self, event: Event) -> String {
        let o = |id: ObjectId| self.object_name(id);
        match event {
            Event::Use(x) => format!("use({})", o(x)),
            Event::Deref(x) => format!("deref({})", o(x)),
            Event::Address(x) => format!("address({})", o(x)),
            Event::Assign(x) => format!("assign({})", o(x)),
            Event::Modify(x) => format!("modify({})", o(x)),
            Event::Store => "store".to_owned(),
            Event::Copy(x, y) => format!("copy({}, {})", o(x), o(y)),
            Event::Return => "return".to_owned(),
            Event::ReturnOf(x) => format!("return({})", o(x)),
            Event::Exit => "exit".to_owned(),
            Event::Test(x, relation, c) => format!("test({} {} {c})", o(x), relation.symbol()),
            Event::Escape(x) => format!("escape({})", o(x)),
            Event::Lent(x) => format!("lent({})", o(x)),
            Event::Index(x, by) => format!("index({}, {})", o(x), by.map_or("?".into(), o)),
        }
    }

    /// The events of calling one of the targets: before it runs, and when its result is assigned.
    pub fn call_events(&self, call: &Call, target: Option<FuncId>) -> (Vec<String>, Vec<String>) {
        let mut before = Vec::new();
        let mut after: Vec<String> =
            call.result_events.iter().map(|&e| self.event_text(e)).collect();
        if call.indirect {
            before.push("call(*)".to_owned());
        }
        let Some(target) = target else { return (before, after) };
        let func = &self.funcs[target.index()];
        let f = plain_name(&func.name);
        before.push(format!("call({f})"));
        let params = self.bodies.binary_search_by_key(&target, |b| b.func).ok();
        let params = params.map(|b| &self.bodies[b].params);
        for (i, arg) in call.args.iter().enumerate() {
            let Some(arg) = arg else { continue };
            let arg = self.object_name(*arg);
            before.push(format!("call({f}, {arg})"));
            before.push(format!("arg({f}, {}, {arg})", i + 1));
            if let Some(Some(Some(param))) = params.map(|p| p.get(i)) {
                before.push(format!("bind({}, {arg})", self.object_name(*param)));
            }
        }
        if let Some(result) = call.result {
            let result = self.object_name(result);
            after.push(format!("call({f}, {result})"));
            after.push(format!("result({f}, {result})"));
        }
        (before, after)
    }

    /// The body of a function, if it has one.
    pub fn body(&self, f: FuncId) -> Option<&Body> {
        self.bodies.binary_search_by_key(&f, |b| b.func).ok().map(|i| &self.bodies[i])
    }

    /// The function with the given name.
    pub fn func_named(&self, name: &str) -> Option<FuncId> {
        let found = self.funcs.iter().position(|f| f.unique == name)?;
        Some(FuncId(found as u32))
    }
}

/// A function's name without what compilers put around it: `__builtin___memcpy_chk` is `memcpy`.
pub fn plain_name(name: &str) -> &str {
    match name.strip_prefix("__builtin_") {
        Some(rest) => match rest.strip_prefix("__").and_then(|r| r.strip_suffix("_chk")) {
            Some(checked) => checked,
            None => rest,
        },
        None => name,
    }
}
