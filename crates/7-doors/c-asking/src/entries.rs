//! Entries without callers: a function that is called with anything, as C.
//!
//! `--entry f` starts where nobody calls. What callers could hand over is made by a harness, which is C: search,
//! execution and emitted tests share one text, and no engine knows of it. The function is called at the end of its
//! own unit, so that it may be `static`.
//!
//! - EM1: a number is an input of the run.
//! - EM2: a pointer is null, or an object of what it points to that is made for it, or one that was made before for a
//!   pointer of the same type. What is in an object is made in the same way, down to [`MAX_DEPTH`] objects and for at
//!   most [`MAX_SITES`] pointers; a pointer beyond that is null, or to something that is not followed.
//! - EM3: characters are a string of fewer than [`STRING`] characters, or something that is not followed; what has no
//!   type is [`BLOCK`] bytes, or something that is not followed; a function is one that returns anything.
//! - EM4: a variable of the program that the function may look at is arbitrary as well, unless it is constant. Variables
//!   inside of functions, and those of which several have one name, keep the values that they start with.
//! - EM5: where EM2, EM3 or EM4 leave something out that a caller could do, the run passes `__bop_beyond`: a run that
//!   was found is a run, but what was not found is not said to be impossible.
//! - EM6: what was made is freed by nobody and is not lost; what the function returns is not lost either.
//! - EM7: where findings are judged, a pointer to a function is to one whose address the program takes, of the same shape,
//!   those on the path of the finding first, and a variable that starts with a function keeps it. Only where there is none
//!   it is one that returns anything. Along a path, two pointers are never to one object.

use crate::emitted::{definitions, tokens};
use c_data::{Callee, ExprKind, FuncId, Function, ObjectId, Program, Root, StmtKind};
use c_types::{FloatKind, IntKind, Kind, Length, Ty, Types};
use input::CText;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// Objects behind each other that are made.
const MAX_DEPTH: usize = 3;
/// Pointers that something is made for.
const MAX_SITES: usize = 40;
/// Bytes of what `char *` points to, the last of which is 0.
const STRING: u64 = 8;
/// Bytes of what `void *` points to.
const BLOCK: u64 = 16;
/// Numbers and pointers of one object.
const MAX_LEAVES: usize = 128;
/// Objects that a pointer may share.
const MAX_SHARED: usize = 7;
/// Functions of the program that a pointer may be to.
const MAX_FUNCTIONS: usize = 4;
/// The choice of the first of them.
const FIRST_FUNCTION: usize = 101;
/// What is longer than what is made is not followed.
const LONG: &str = " if (c == 255) return __bop_unmade;";
/// The file that the harness is said to be.
pub(crate) const FILE: &str = "(entry)";
/// What the `main` of the program is called where the program does not start there.
const OTHER_MAIN: &str = "__bop_main";

/// What an input of the harness is.
#[derive(Clone, Debug)]
enum Given {
    /// A number, and its name in C.
    Number(String),
    /// A character of a string.
    Char(String),
    /// A choice for a pointer: its number, its name, the pointers that it may share with, and functions that it may be to.
    Pointer(usize, String, Vec<usize>, Vec<String>),
    /// A choice for a pointer that is not followed.
    Far(String),
}

/// A function with callers that do anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Harness {
    /// What makes objects, to be linked behind the program.
    pub(crate) makers: String,
    /// The units, with the function's call at the end of its own.
    pub(crate) texts: Vec<CText>,
    /// What is in them.
    pub(crate) units: Arc<Vec<String>>,
    /// The function.
    pub(crate) entry: String,
    given: BTreeMap<String, Given>,
    names: Vec<String>,
    globals: Vec<String>,
}

/// What a harness makes for pointers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner<'a> {
    /// Two pointers may be to one object.
    pub(crate) shares: bool,
    /// Functions that a pointer may be to, the best ones first.
    pub(crate) functions: &'a [FuncId],
}

/// Something that is made for a pointer.
struct Site {
    name: String,
    to: Ty,
    depth: usize,
}

/// A part of an object that is filled.
enum Leaf {
    Number(&'static str, &'static str),
    Pointer(Ty),
}

struct Making<'a> {
    program: &'a Program,
    types: &'a Types,
    sites: Vec<Site>,
    given: BTreeMap<String, Given>,
    /// Declarations of what hands out inputs.
    sources: BTreeSet<String>,
    /// Something is left out, whatever the run does.
    beyond: bool,
    manner: Manner<'a>,
    /// Those that pointers may be to.
    functions: Vec<FuncId>,
    /// By site.
    choices: BTreeMap<usize, Vec<String>>,
    /// Where functions are in the variable that is filled.
    keeps: BTreeSet<u64>,
}

impl Making<'_> {
    /// The functions that a pointer to one of such a type may be to.
    fn targets(&self, signature: &c_types::Signature) -> Vec<FuncId> {
        let types = self.types;
        let shape = |ty: Ty| match types.kind(ty) {
            Kind::Pointer(_) => Some(0),
            Kind::Void => Some(1),
            _ => types.size(ty).map(|size| 2 + size),
        };
        let alike = |f: &FuncId| {
            let Some(own) = types.signature(self.program.functions[f.index()].ty) else {
                return false;
            };
            own.params.len() == signature.params.len()
                && shape(own.result) == shape(signature.result)
                && own.params.iter().zip(&signature.params).all(|(a, b)| shape(*a) == shape(*b))
        };
        self.manner.functions.iter().copied().filter(alike).take(MAX_FUNCTIONS).collect()
    }

    /// A function that hands out an input.
    fn source(&mut self, (ty, kind): (&str, &str), name: &str, given: Given) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let word: String = name.chars().map(plain).collect();
        let name = format!("entry_{}_{}", self.given.len(), word.trim_matches('_'));
        let function = format!("__bop_result_{kind}__{name}");
        self.sources.insert(format!("{ty} {function}(void);"));
        self.given.insert(name, given);
        function
    }

    /// A number of a type, or what is made for a pointer: an expression of C.
    fn value(&mut self, leaf: &Leaf, name: String, depth: usize) -> String {
        match leaf {
            Leaf::Number(ty, kind) => {
                let source = self.source((ty, kind), &name, Given::Number(name.clone()));
                format!("{source}()")
            }
            Leaf::Pointer(to) => {
                if depth >= MAX_DEPTH || self.sites.len() >= MAX_SITES {
                    let given = Given::Far(name.clone());
                    let source = self.source(("_Bool", "bool"), &name, given);
                    return format!("{source}() ? (void *)__bop_unmade : (void *)0");
                }
                self.sites.push(Site { name, to: *to, depth });
                format!("__bop_entry_{}()", self.sites.len() - 1)
            }
        }
    }

    /// Statements that fill what lies at `o`.
    fn fill(&mut self, ty: Ty, (name, through): (&str, bool), depth: usize) -> String {
        let (mut out, mut count) = (String::new(), 0);
        // Those of bit-fields.
        let mut bytes: BTreeSet<u64> = BTreeSet::new();
        let start = if through { format!("(*{name})") } else { name.to_owned() };
        let mut todo = vec![(0u64, ty, start.clone())];
        while let Some((at, ty, name)) = todo.pop() {
            count += 1;
            if count > MAX_LEAVES {
                self.beyond = true;
                break;
            }
            match self.types.kind(ty) {
                Kind::Record(no) => {
                    let record = self.types.record(*no);
                    let mut members: Vec<_> = record.members.iter().collect();
                    if record.is_union {
                        // The largest one; the others read its bytes.
                        let plain = |m: &&c_types::Member| number(self.types, m.ty).is_some();
                        self.beyond |= members.len() > 1 && !members.iter().all(plain);
                        members.sort_by_key(|m| std::cmp::Reverse(self.types.size(m.ty)));
                        members.truncate(1);
                    }
                    for member in members.into_iter().rev() {
                        let field = member.name.clone().unwrap_or_default();
                        let name = match name.strip_prefix("(*").and_then(|n| n.strip_suffix(')')) {
                            Some(pointer) => format!("{pointer}->{field}"),
                            None => format!("{name}.{field}"),
                        };
                        let Some((first, width)) = member.bits else {
                            todo.push((at + member.offset, member.ty, name));
                            continue;
                        };
                        let last = (u64::from(first) + u64::from(width)).div_ceil(8);
                        for byte in (0..last).map(|k| at + member.offset + k) {
                            if bytes.insert(byte) {
                                let name = format!("byte {byte} of {start}");
                                let leaf = Leaf::Number("unsigned char", "uchar");
                                let value = self.value(&leaf, name, depth);
                                let _ = write!(out, " *(unsigned char *)(o + {byte}) = {value};");
                            }
                        }
                    }
                }
                Kind::Array(element, Length::Known(n)) => {
                    let size = self.types.size(*element).unwrap_or(0);
                    if *n as usize > MAX_LEAVES {
                        self.beyond = true;
                    }
                    for i in (0..(*n).min(MAX_LEAVES as u64)).rev() {
                        todo.push((at + i * size, *element, format!("{name}[{i}]")));
                    }
                }
                _ => match self.leaf(ty) {
                    Some(Leaf::Pointer(_)) if self.keeps.contains(&at) => self.beyond = true,
                    Some(leaf) => {
                        let shown = match name.strip_prefix("(*").and_then(|n| n.strip_suffix(')'))
                        {
                            Some(pointer) => format!("*{pointer}"),
                            None => name,
                        };
                        let of = match &leaf {
                            Leaf::Number(ty, _) => format!("{ty} *"),
                            Leaf::Pointer(_) => "void **".to_owned(),
                        };
                        let value = self.value(&leaf, shown, depth);
                        let _ = write!(out, " *({of})(o + {at}) = {value};");
                    }
                    None => self.beyond = true,
                },
            }
        }
        out
    }

    fn leaf(&self, ty: Ty) -> Option<Leaf> {
        Some(match self.types.kind(ty) {
            Kind::Pointer(to) => Leaf::Pointer(*to),
            _ => {
                let (ty, kind) = number(self.types, ty)?;
                Leaf::Number(ty, kind)
            }
        })
    }

    /// What makes the object of a site: what stands before, and what is done once it is known to be a new one.
    fn maker(&mut self, i: usize) -> (String, String) {
        let (name, to, depth) = (self.sites[i].name.clone(), self.sites[i].to, self.sites[i].depth);
        let before = std::mem::replace(&mut self.beyond, false);
        let kind = self.types.kind(to).clone();
        let (size, body) = match kind {
            Kind::Function(signature) => {
                self.beyond = before;
                let (ty, value) = match number(self.types, signature.result) {
                    Some((ty, kind)) => {
                        let name = format!("what {name} returns");
                        let from = self.source((ty, kind), &name, Given::Number(name.clone()));
                        (ty, format!("{from}()"))
                    }
                    None => ("void *", "0".to_owned()),
                };
                let own = format!(
                    "static {ty} __bop_callback_{i}() {{ __bop_beyond(); return {value}; }}\n"
                );
                let (mut out, mut names) = (String::new(), Vec::new());
                for (k, f) in self.targets(&signature).into_iter().enumerate() {
                    let at = self.functions.iter().position(|g| *g == f);
                    let at = at.unwrap_or_else(|| {
                        self.functions.push(f);
                        self.functions.len() - 1
                    });
                    let c = FIRST_FUNCTION + k;
                    let _ = write!(out, " if (c == {c}) return __bop_fn_{at}();");
                    names.push(self.program.functions[f.index()].name.clone());
                }
                let last = match names.len() {
                    0 => format!("(void *)__bop_callback_{i}"),
                    _ => out.split("return ").nth(1).unwrap_or_default().to_owned(),
                };
                let last = last.split(';').next().unwrap_or_default();
                out = format!("{out} return {last};");
                self.choices.insert(i, names);
                return (own, out);
            }
            Kind::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar) => {
                let mut body = LONG.to_owned();
                for at in 0..STRING - 1 {
                    let shown = format!("{name}[{at}]");
                    let from = self.source(("char", "char"), &shown, Given::Char(name.clone()));
                    let _ = write!(body, " o[{at}] = {from}();");
                }
                (STRING, body)
            }
            Kind::Void => (BLOCK, LONG.to_owned()),
            _ => match self.types.size(to) {
                Some(size) => (size.max(1), self.fill(to, (&name, true), depth + 1)),
                // What nobody has seen nobody looks into.
                None => (1, String::new()),
            },
        };
        let (long, body) = match body.strip_prefix(LONG) {
            Some(body) => (LONG, body),
            None => ("", body.as_str()),
        };
        let mut out = format!("{long} char *o = calloc(1, {size}); __bop_kept[{i}] = o;{body}");
        if std::mem::replace(&mut self.beyond, before) {
            out += " __bop_beyond();";
        }
        (String::new(), out + " return o;")
    }

    /// The pointers that one may share its object with, and whether there are more.
    fn shared(&self, i: usize) -> (Vec<usize>, bool) {
        let kind = |j: usize| self.types.kind(self.sites[j].to);
        let same = |&j: &usize| j != i && kind(j) == kind(i);
        if !self.manner.shares {
            return (Vec::new(), true);
        }
        let mut all: Vec<usize> = (0..self.sites.len()).filter(same).collect();
        let more = all.len() > MAX_SHARED;
        all.truncate(MAX_SHARED);
        (all, more)
    }

    /// The functions that make objects.
    fn makers(&mut self) -> String {
        let mut parts = Vec::new();
        while parts.len() < self.sites.len() {
            let part = self.maker(parts.len());
            parts.push(part);
        }
        let mut out = String::new();
        for (i, (before, new)) in parts.into_iter().enumerate() {
            let name = self.sites[i].name.clone();
            let (shared, more) = self.shared(i);
            let functions = self.choices.remove(&i).unwrap_or_default();
            let given = Given::Pointer(i, name.clone(), shared.clone(), functions);
            let choice = self.source(("unsigned char", "uchar"), &name, given);
            let _ = write!(
                out,
                "{before}void *__bop_entry_{i}(void) {{ unsigned char c = {choice}(); if (c == 0) return 0;"
            );
            for (k, j) in shared.iter().enumerate() {
                let c = k + 1;
                let _ = write!(out, " if (c == {c} && __bop_kept[{j}]) return __bop_kept[{j}];");
            }
            let more = if more { " __bop_beyond();" } else { "" };
            let _ = writeln!(out, "{more}{new} }}");
        }
        out
    }
}

/// The type of a number as C writes it, and the word for it.
pub(crate) fn number(types: &Types, ty: Ty) -> Option<(&'static str, &'static str)> {
    let integer = |kind: IntKind| match kind {
        IntKind::Char => Some(("char", "char")),
        IntKind::SignedChar => Some(("signed char", "char")),
        IntKind::UnsignedChar => Some(("unsigned char", "uchar")),
        IntKind::Short => Some(("short", "short")),
        IntKind::UnsignedShort => Some(("unsigned short", "ushort")),
        IntKind::Int => Some(("int", "int")),
        IntKind::Unsigned => Some(("unsigned", "uint")),
        IntKind::Long => Some(("long", "long")),
        IntKind::UnsignedLong => Some(("unsigned long", "ulong")),
        IntKind::LongLong => Some(("long long", "longlong")),
        IntKind::UnsignedLongLong => Some(("unsigned long long", "ulonglong")),
        _ => None,
    };
    match types.kind(ty) {
        Kind::Bool => Some(("_Bool", "bool")),
        Kind::Int(kind) => integer(*kind),
        Kind::Enum(no) => integer(types.enumeration(*no).int),
        Kind::Float(FloatKind::Float) => Some(("float", "float")),
        Kind::Float(FloatKind::Double) => Some(("double", "double")),
        _ => None,
    }
}

/// The functions that may run once a function is called, and the objects that they name.
pub(crate) fn reached(program: &Program, entry: FuncId) -> (BTreeSet<FuncId>, BTreeSet<ObjectId>) {
    let (mut functions, mut objects) = (BTreeSet::new(), BTreeSet::new());
    let mut todo = vec![Root::Function(entry)];
    while let Some(root) = todo.pop() {
        match root {
            Root::Object(o) => {
                if objects.insert(o) {
                    todo.extend(program.objects[o.index()].addresses.iter().map(|(_, r, _)| *r));
                }
            }
            Root::Function(id) => {
                if !functions.insert(id) {
                    continue;
                }
                let f = &program.functions[id.index()];
                todo.extend(f.exprs.iter().filter_map(|e| match e.kind {
                    ExprKind::Root(root) => Some(root),
                    _ => None,
                }));
                todo.extend(f.blocks.iter().flat_map(|b| &b.stmts).filter_map(|s| match &s.kind {
                    StmtKind::Call(call) => match call.callee {
                        Callee::Direct(f) => Some(Root::Function(f)),
                        Callee::Indirect(_) => None,
                    },
                    _ => None,
                }));
            }
            Root::Label(..) => {}
        }
    }
    (functions, objects)
}

/// Whether a function looks at a local.
fn uses(f: &Function, local: c_data::LocalId) -> bool {
    f.exprs.iter().any(|e| match e.kind {
        ExprKind::Local(l) | ExprKind::AddressOf(l) => l == local,
        _ => false,
    })
}

/// The words of a text outside of braces and parentheses.
fn outer_words(text: &str) -> BTreeSet<&str> {
    let (mut depth, mut out) = (0i64, BTreeSet::new());
    for (from, to) in tokens(text) {
        match &text[from..to] {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            word if depth == 0 => {
                out.insert(word);
            }
            _ => {}
        }
    }
    out
}

/// The text with other words for some of its words.
pub(crate) fn renamed(text: &str, other: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len() + 16), 0);
    for (start, end) in tokens(text) {
        if let Some(word) = other(&text[start..end]) {
            out += &text[from..start];
            out += &word;
            from = end;
        }
    }
    out + &text[from..]
}

/// The functions of the program with bodies that a name may mean: `f`, or `f@FILE`.
pub(crate) fn named(program: &Program, name: &str) -> Vec<FuncId> {
    let (base, file) = name.split_once('@').map_or((name, None), |(n, f)| (n, Some(f)));
    let functions = program.functions.iter().enumerate();
    let all: Vec<FuncId> = functions
        .filter(|(_, f)| f.name == base && f.has_body() && f.own)
        .map(|(i, _)| FuncId::new(i))
        .collect();
    let in_file = |f: &FuncId| {
        let at = program.functions[f.index()].at;
        let path = program.files.get(at.file as usize).map_or("", String::as_str);
        file.is_none_or(|file| path.rsplit('/').next() == file.rsplit('/').next())
    };
    if all.len() < 2 { all } else { all.into_iter().filter(in_file).collect() }
}

/// The functions whose address is taken.
pub(crate) fn addresses(program: &Program) -> Vec<FuncId> {
    let mut out = BTreeSet::new();
    let roots = program.objects.iter().flat_map(|o| o.addresses.iter().map(|(_, root, _)| *root));
    let exprs = program.functions.iter().filter(|f| f.own).flat_map(|f| &f.exprs);
    let more = exprs.filter_map(|e| match e.kind {
        ExprKind::Root(root) => Some(root),
        _ => None,
    });
    for root in roots.chain(more) {
        if let Root::Function(f) = root {
            out.insert(f);
        }
    }
    out.into_iter().collect()
}

/// What a unit calls a function, if it does: calls of the library may go through others.
fn called_in<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let other = format!("_{name}");
    let own = |w: &&str| *w == name || w.starts_with("__bop_") && w.ends_with(&other);
    tokens(text).into_iter().map(|(from, to)| &text[from..to]).find(own)
}

/// The harness of a function. `Err` says why there is none.
pub(crate) fn harness(
    program: &Program,
    texts: &[CText],
    entry: &str,
    manner: Manner<'_>,
) -> Result<Harness, String> {
    let (name, file) = entry.split_once('@').map_or((entry, None), |(n, f)| (n, Some(f)));
    if name == "main" {
        return Err("a program starts at `main` by itself".to_owned());
    }
    let defines = |t: &CText| definitions(&tokens(&t.text), &t.text).any(|(n, _)| n == name);
    let here = |t: &CText| file.is_none_or(|f| t.name.rsplit('/').next() == Some(f));
    let units: Vec<usize> =
        (0..texts.len()).filter(|&i| here(&texts[i]) && defines(&texts[i])).collect();
    let unit = match units[..] {
        [unit] => unit,
        [] => return Err(format!("`{name}` is not defined in a way that a harness could call it")),
        _ => return Err(format!("`{name}` is defined in several files: `--entry {name}@FILE`")),
    };
    let mut found = named(program, entry).into_iter();
    let id = match (found.next(), found.next()) {
        (Some(id), None) => id,
        (Some(_), Some(_)) => {
            return Err(format!(
                "there are several functions `{name}`, which a harness cannot tell apart"
            ));
        }
        _ => return Err(format!("`{name}` has no body")),
    };
    let f = &program.functions[id.index()];
    if f.variadic {
        return Err(format!("`{name}` takes any number of arguments, which no harness makes"));
    }
    let mut m = Making {
        program,
        types: &program.types,
        sites: Vec::new(),
        given: BTreeMap::new(),
        sources: BTreeSet::new(),
        beyond: false,
        manner,
        functions: Vec::new(),
        choices: BTreeMap::new(),
        keeps: BTreeSet::new(),
    };
    let globals = m.globals(id, texts);
    let named = program.objects.iter().map(|o| o.name.clone()).collect();
    let (call, locals) = m.call(f)?;
    let makers = m.makers();
    let Making { sites, given, sources, beyond, functions, .. } = m;
    let functions: Vec<String> =
        functions.iter().map(|f| program.functions[f.index()].name.clone()).collect();
    // Where each of them has a name.
    let mut named_in: BTreeMap<usize, String> = BTreeMap::new();
    let mut nowhere = String::new();
    for (k, name) in functions.iter().enumerate() {
        let define = |t: &CText| definitions(&tokens(&t.text), &t.text).any(|(n, _)| n == name);
        let own = texts.iter().position(define);
        let all = || own.into_iter().chain(0..texts.len());
        let found = all().find_map(|u| Some((u, called_in(&texts[u].text, name)?)));
        match found {
            Some((u, word)) => {
                let list = named_in.entry(u).or_default();
                let _ = writeln!(list, "void *__bop_fn_{k}(void) {{ return (void *){word}; }}");
            }
            None => {
                let _ = writeln!(nowhere, "void *__bop_fn_{k}(void) {{ return 0; }}");
            }
        }
    }
    let names: Vec<String> = sites.iter().map(|s| s.name.clone()).collect();
    let mut declared = String::from("void __bop_beyond(void);\nextern char __bop_unmade[];\n");
    for source in &sources {
        declared += source;
        declared.push('\n');
    }
    let mut out = declared.clone();
    let _ = writeln!(out, "void *calloc(unsigned long, unsigned long);");
    let _ = writeln!(out, "static void *__bop_kept[{}];", sites.len().max(1));
    for i in 0..sites.len() {
        let _ = writeln!(out, "void *__bop_entry_{i}(void);");
    }
    for k in 0..functions.len() {
        let _ = writeln!(out, "void *__bop_fn_{k}(void);");
    }
    out += &nowhere;
    out += &makers;
    let mut texts = texts.to_vec();
    for (i, text) in texts.iter_mut().enumerate() {
        text.text = renamed(&text.text, |w| (w == "main").then(|| OTHER_MAIN.to_owned()));
        if let Some(list) = named_in.get(&i) {
            let _ = write!(text.text, "\n# 1 \"{FILE}\"\n{list}");
        }
        if i != unit && !globals.contains_key(&i) {
            continue;
        }
        let t = &mut text.text;
        let _ = write!(t, "\n# 1 \"{FILE}\"\n{declared}");
        for k in 0..sites.len() {
            let _ = writeln!(t, "void *__bop_entry_{k}(void);");
        }
        if let Some(body) = globals.get(&i) {
            let _ = writeln!(t, "void __bop_globals_{i}(void) {{ char *o;{body} }}");
        }
        if i == unit {
            for k in globals.keys().filter(|k| **k != i) {
                let _ = writeln!(t, "void __bop_globals_{k}(void);");
            }
            let _ = write!(t, "int main(void) {{");
            if beyond {
                let _ = write!(t, " __bop_beyond();");
            }
            for k in globals.keys() {
                let _ = write!(t, " __bop_globals_{k}();");
            }
            let _ = writeln!(t, " {locals} {call} return 0; }}");
        }
    }
    let units = Arc::new(texts.iter().map(|t| t.text.clone()).collect());
    let (makers, entry, globals) = (out, entry.to_owned(), named);
    Ok(Harness { makers, texts, units, entry, given, names, globals })
}

impl Making<'_> {
    /// Variables that the function may look at, as statements of each unit.
    fn globals(&mut self, entry: FuncId, texts: &[CText]) -> BTreeMap<usize, String> {
        let (_, objects) = reached(self.program, entry);
        let words: Vec<BTreeSet<&str>> = texts.iter().map(|t| outer_words(&t.text)).collect();
        let mut out: BTreeMap<usize, String> = BTreeMap::new();
        for id in objects {
            let object = &self.program.objects[id.index()];
            if !object.own || !object.defined || object.read_only || object.size == 0 {
                continue;
            }
            let name = object.name.as_str();
            let several = self.program.objects.iter().filter(|o| o.name == name).count() > 1;
            let unit = words.iter().position(|w| w.contains(name));
            let large = object.size > 8 * MAX_LEAVES as u64;
            let Some(unit) = unit.filter(|_| !several && !large && !self.types.is_const(object.ty))
            else {
                self.beyond |= !self.types.is_const(object.ty);
                continue;
            };
            if !self.manner.functions.is_empty() {
                let functions = object.addresses.iter();
                let functions = functions.filter(|(_, root, _)| matches!(root, Root::Function(_)));
                self.keeps = functions.map(|(at, ..)| *at).collect();
            }
            let body = self.fill(object.ty, (name, false), 0);
            self.keeps.clear();
            let _ = write!(out.entry(unit).or_default(), " o = (char *)&{name};{body}");
        }
        out
    }

    /// The call of the function, and the arguments before it.
    fn call(&mut self, f: &Function) -> Result<(String, String), String> {
        let (mut locals, mut args) = (String::new(), Vec::new());
        for (i, &param) in f.params.iter().enumerate() {
            let local = &f.locals[param.index()];
            let name = match local.name.as_str() {
                "" => format!("argument {}", i + 1),
                name => name.to_owned(),
            };
            args.push(format!("__bop_a{i}"));
            match self.leaf(local.ty) {
                Some(Leaf::Pointer(_)) if !uses(f, param) => {
                    let _ = write!(locals, " void *__bop_a{i} = 0;");
                }
                Some(leaf) => {
                    let ty = match &leaf {
                        Leaf::Number(ty, _) => format!("{ty} "),
                        Leaf::Pointer(_) => "void *".to_owned(),
                    };
                    let value = self.value(&leaf, name, 0);
                    let _ = write!(locals, " {ty}__bop_a{i} = {value};");
                }
                None => {
                    let named = record(self.types, local.ty).ok_or_else(|| {
                        format!(
                            "parameter {} of `{}` has no type that a harness can make",
                            i + 1,
                            f.name
                        )
                    })?;
                    let body = self.fill(local.ty, (&name, false), 0);
                    let _ = write!(
                        locals,
                        " {named} __bop_a{i}; {{ char *o = (char *)&__bop_a{i};{body} }}"
                    );
                }
            }
        }
        let call = format!("{}({})", f.name, args.join(", "));
        let result = self.types.signature(f.ty).map(|s| s.result);
        let call = match result {
            Some(ty) if matches!(self.types.kind(ty), Kind::Pointer(_)) => {
                format!("static const volatile void *volatile __bop_back; __bop_back = {call};")
            }
            Some(ty) if matches!(self.types.kind(ty), Kind::Record(_)) => {
                let named = record(self.types, ty).ok_or_else(|| {
                    format!("what `{}` returns has no type that a harness can name", f.name)
                })?;
                format!("static {named} __bop_back; __bop_back = {call};")
            }
            _ => format!("{call};"),
        };
        Ok((call, locals))
    }
}

/// A struct or union as C names it.
fn record(types: &Types, ty: Ty) -> Option<String> {
    let record = types.record(types.as_record(ty)?);
    let word = if record.is_union { "union" } else { "struct" };
    Some(format!("{word} {}", record.name.as_ref()?))
}

impl Harness {
    /// What a run assumes of its caller, one phrase each.
    pub(crate) fn told(&self, values: &[(String, i128)]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut made: BTreeSet<usize> = BTreeSet::new();
        let mut strings: Vec<(String, Vec<u8>)> = Vec::new();
        for (name, value) in values {
            match self.given.get(name) {
                Some(Given::Number(name)) => {
                    out.push(format!("{name} = {}", source::fraction::shown(*value)));
                }
                Some(Given::Char(of)) => match strings.iter_mut().find(|(n, _)| n == of) {
                    Some((_, text)) => text.push(*value as u8),
                    None => strings.push((of.clone(), vec![*value as u8])),
                },
                Some(Given::Pointer(_, name, ..)) if *value == 0 => {
                    out.push(format!("{name} is NULL"));
                }
                Some(Given::Pointer(i, name, shared, functions)) => {
                    let function = usize::try_from(*value).unwrap_or(0).checked_sub(FIRST_FUNCTION);
                    if let Some(function) = function.and_then(|k| functions.get(k)) {
                        out.push(format!("{name} is `{function}`"));
                        continue;
                    }
                    let other = usize::try_from(*value - 1).ok().and_then(|k| shared.get(k));
                    match other.filter(|j| made.contains(j)) {
                        None if *value == 255 => out.push(format!("{name} is not followed")),
                        Some(j) => out.push(format!("{name} is {}", self.names[*j])),
                        None => {
                            made.insert(*i);
                            out.push(format!("{name} is not NULL"));
                        }
                    }
                }
                Some(Given::Far(name)) => {
                    let not = if *value == 0 { "" } else { "not " };
                    out.push(format!("{name} is {not}NULL"));
                }
                None => {}
            }
        }
        for (name, bytes) in strings {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            let text: String = bytes[..end]
                .iter()
                .flat_map(|b| std::ascii::escape_default(*b))
                .map(char::from)
                .collect();
            out.retain(|o| *o != format!("{name} is not NULL"));
            out.push(format!("{name} is \"{text}\""));
        }
        // What the function is called with before what it may look at.
        let part = |c: char| !c.is_alphanumeric() && c != '_';
        out.sort_by_key(|said| {
            let first = said.trim_start_matches('*').split(part).next().unwrap_or_default();
            self.globals.iter().any(|g| g == first)
        });
        out
    }

    /// What answers take for granted of callers.
    pub(crate) fn granted(&self) -> String {
        format!(
            "callers of `{}` do anything: numbers are arbitrary, and so are the variables that it looks at; a pointer is \
             null, or to an object of its type, its own or that of another pointer of the same type",
            self.entry
        )
    }
}
