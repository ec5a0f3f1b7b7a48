//! Functions without a body, as C: each hands out anything.
//!
//! A C program calls functions that it does not define, and its runs depend on what they return. The search gets
//! them as stubs, which are linked behind the program, and tests of runs get the same text:
//!
//! - ST1: a result that is a number is an input of the run (`__bop_result_int__f` hands out the next one).
//! - ST2: a result that is a pointer is null. That is one of the things it can be.
//! - ST3: what a stub could change and does not is told (`__bop_outside`): a run that was found is a run, but what
//!   was not found is not said to be impossible. It could change what it gets the address of, and variables that
//!   other files see; a pointer as its result is anything; what never returns may still call what was registered
//!   to be called at the end, or jump to where `setjmp` was called, where the program does either.
//!
//! Where a contract says what a function does (`--contracts`, and those that ship), its stub does that:
//!
//! - ST4: `pure` and `assigns` change nothing that is not said, so that nothing is told of it. What is assigned is an
//!   input, where its size is known: a number, a structure, or as many bytes as `size` says.
//! - ST5: `frees` frees, `returns` gives back its argument, `allocates` gives a structure of its own or null, `noreturn`
//!   ends the run. A function that is not said to be pure or to assign does all that it could without a contract.
//!   Those of the library that fill arrays ([`ARRAYS`]) do more than assign one thing.
//! - ST6: `nonnull` and `string` follow their arguments, so that a call with something else fails there.
//!
//! - ST7: `errno` is an input behind each call, where the program looks at it: functions of the library leave it or make
//!   it positive, others give it any value.
//!
//! - ST8: without a contract, what an argument points to is an input behind the call, where all calls hand over the address of
//!   a whole variable: of a number that is no character, of a few of them, or of a structure of such. It is told as in
//!   ST3 what else could be changed.
//!
//! Results that are structures, complex or vectors have no stub, nor have functions of the library, which do not
//! return anything whatever, nor what may be another function under another name, nor one whose address is taken, which may be null. That a stub calls nothing of the program is taken
//! for granted, and said.

use c_data::{Callee, ExprId, ExprKind, FuncId, ObjectId, Program, Root, StmtKind};
use c_types::{FloatKind, IntKind, Kind, Model, Ty};
use input::{CProgram, CText, DataProgram, Error};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What stubs call for a number: this, its type in a word, `__`, and the function.
const RESULT: &str = "__bop_result_";

/// Functions of the library with contracts that assign more than one thing through a pointer.
const ARRAYS: [&str; 6] = ["epoll_pwait", "epoll_wait", "pipe2", "ppoll", "regexec", "socketpair"];

/// Gives `errno` what a call may leave there. ST7.
const FAILS: &str = "__bop_fails";

/// The declarations for ST7, and the function's two forms; empty if the program does not look at `errno`.
fn failing(program: &Program) -> String {
    if program.errno().is_none() {
        return String::new();
    }
    let from = format!("{RESULT}int__errno");
    format!(
        "int *__errno_location(void);\nint {from}(void);\n\
         static void {FAILS}(int all) {{ int e = {from}(); if (all || e > 0) *__errno_location() = e; }}\n"
    )
}

/// The stubs for functions without a body that runs may come to.
pub(crate) fn stubs(program: &Program, c: &CProgram) -> String {
    let s = c.skeleton();
    if s.assembler {
        return String::new();
    }
    let shared = s.objects.iter().any(|o| o.external && !o.constant && !o.temporary);
    let uses = uses(program);
    let after = goes_on(program, &uses);
    let failing = failing(program);
    let fails = |library: bool| match failing.is_empty() {
        true => String::new(),
        false => format!("{FAILS}({}); ", u8::from(!library)),
    };
    let mut out = String::new();
    for (i, f) in program.functions.iter().enumerate() {
        let known = f.has_body()
            || !uses[i].called
            || uses[i].taken
            || c_run::knows(&f.name)
            || front_c::is_library(&f.name)
            || s.renamed.contains(&f.name);
        // What begins so is the compiler's, verifiers' and models' own.
        let own = ["__VERIFIER_", "__builtin_", "__bop_"];
        if known || own.iter().any(|start| f.name.starts_with(start)) {
            continue;
        }
        let Kind::Function(signature) = program.types.kind(f.ty) else { continue };
        let never = s.funcs.iter().any(|g| g.name == f.name && g.noreturn);
        let Some((ty, kind)) = result(program, signature.result) else { continue };
        let contract = s.contracts.get(&f.name);
        if let Some(contract) = contract.filter(|_| !never)
            && let Some(text) =
                agreed(program, f, (ty, kind), contract, (shared, uses[i], fails(true)))
        {
            out += &text;
            continue;
        }
        let outside = match never {
            true => after,
            false => shared || uses[i].given || kind == Some("pointer"),
        };
        let mut effect = fails(false);
        if outside {
            effect += "__bop_outside(); ";
        }
        let name = &f.name;
        let mut sources: Vec<String> = Vec::new();
        let mut params = None;
        if !never && let Some(written) = Written::by(program, FuncId::new(i)) {
            effect += &written.text;
            sources = written.sources;
            params = Some(written.params);
        }
        let end = match kind {
            _ if never => "__bop_exit(1);".to_owned(),
            None => String::new(),
            Some("pointer") => "return 0;".to_owned(),
            Some(kind) => {
                let from = format!("{RESULT}{kind}__{name}");
                sources.push(format!("{ty} {from}(void);"));
                format!("return {from}();")
            }
        };
        sources.dedup();
        sources.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        let params = params.map_or(String::new(), |params| format!("{params}{ANY}"));
        let _ = writeln!(out, "{ty} {name}({params}) {{ {effect}{end} }}");
    }
    match out.is_empty() {
        true => out,
        false => format!("void __bop_outside(void);\nvoid __bop_exit(int);\n{failing}{out}"),
    }
}

/// Stands behind the parameters of a stub that does anything, though it has them.
const ANY: &str = "/* anything */";

/// What a stub writes through its arguments. ST8.
struct Written {
    params: String,
    text: String,
    /// The declarations that it takes numbers from.
    sources: Vec<String>,
}

/// So many numbers, or bytes of a structure, are written.
const MOST_WRITTEN: u64 = 64;

impl Written {
    /// By a function without a body; none if nothing can be said of its arguments.
    fn by(program: &Program, f: FuncId) -> Option<Written> {
        let types = &program.types;
        let function = &program.functions[f.index()];
        let Kind::Function(signature) = types.kind(function.ty) else { return None };
        if signature.unprototyped {
            return None;
        }
        let (mut params, mut text, mut sources) = (Vec::new(), String::new(), Vec::new());
        for (i, &param) in signature.params.iter().enumerate() {
            let n = i + 1;
            let Some(to) = types.pointee(param) else {
                params.push(format!("{} a{n}", crate::entries::number(types, param)?.0));
                continue;
            };
            params.push(format!("void *a{n}"));
            if types.is_const(to) {
                continue;
            }
            let Some(count) = handed_over(program, f, i, to) else { continue };
            let (ty, word, count) = match crate::entries::number(types, to) {
                // One character is seldom what a pointer to characters is about.
                Some((ty, word)) if !word.ends_with("char") => (ty, word, count),
                None if plain(program, to) => ("unsigned char", "uchar", types.size(to)?),
                _ => continue,
            };
            if count > MOST_WRITTEN {
                continue;
            }
            let from = format!("{RESULT}{word}__{}", function.name);
            let _ =
                write!(text, "for (int i = 0; i < {count}; i++) (({ty} *)a{n})[i] = {from}(); ");
            let line = format!("{ty} {from}(void);");
            if !sources.contains(&line) {
                sources.push(line);
            }
        }
        if text.is_empty() {
            return None;
        }
        let more = if signature.variadic { ", ..." } else { "" };
        Some(Written { params: params.join(", ") + more, text, sources })
    }
}

/// Whether a type is a structure of numbers, all bits of which are values.
fn plain(program: &Program, ty: Ty) -> bool {
    let types = &program.types;
    let Kind::Record(_) = types.kind(ty) else { return false };
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match types.kind(ty) {
            Kind::Record(no) => {
                let record = types.record(*no);
                if record.members.iter().any(|m| types.is_const(m.ty)) {
                    return false;
                }
                todo.extend(record.members.iter().map(|m| m.ty));
            }
            Kind::Array(element, _) => todo.push(*element),
            Kind::Int(_) => {}
            _ => return false,
        }
    }
    true
}

/// How many values of a type there are where an argument points to, in all calls: none if it is not a variable of the
/// type, or an array of it, everywhere.
fn handed_over(program: &Program, callee: FuncId, argument: usize, ty: Ty) -> Option<u64> {
    let types = &program.types;
    let mut least = None;
    for f in &program.functions {
        for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
            let StmtKind::Call(call) = &stmt.kind else { continue };
            if !matches!(call.callee, Callee::Direct(g) if g == callee) {
                continue;
            }
            let mut e = *call.args.get(argument)?;
            while let ExprKind::Convert(inner) = f.expr(e).kind {
                e = inner;
            }
            let of = match f.expr(e).kind {
                ExprKind::AddressOf(local) => f.locals[local.index()].ty,
                ExprKind::Root(Root::Object(o)) => program.objects[o.index()].ty,
                _ => return None,
            };
            let (element, size) = match types.kind(of) {
                Kind::Array(element, _) => (*element, types.size(of)?),
                _ => (of, types.size(of)?),
            };
            if types.is_const(element) || types.kind(element) != types.kind(ty) {
                return None;
            }
            let count = size / types.size(ty)?.max(1);
            least = Some(least.map_or(count, |least: u64| least.min(count)));
        }
    }
    least.filter(|count| *count > 0)
}

/// The program in which functions without a body do what their contracts say, and which these are. Others stay without
/// a body.
pub fn contracted(
    c: &CProgram,
    texts: Vec<CText>,
    model: Model,
) -> Result<(DataProgram, Vec<String>), Error> {
    let plain = DataProgram::new(texts.clone(), model)?;
    let all = stubs(plain.program(), c);
    let names = stubbed(&all).filter(|(_, contract)| *contract).map(|(name, _)| name);
    let names: BTreeSet<&str> = names.filter(|name| !name.starts_with("__bop_")).collect();
    if names.is_empty() {
        return Ok((plain, Vec::new()));
    }
    let kept = |line: &&str| stubbed(line).all(|(_, contract)| contract);
    let text: Vec<&str> = all.lines().filter(kept).collect();
    let program = DataProgram::with_models(texts, model, &text.join("\n"))?;
    Ok((program, names.into_iter().map(str::to_owned).collect()))
}

/// The stub of a function that a contract speaks of; none if it needs arguments that have no stub.
fn agreed(
    program: &Program,
    f: &c_data::Function,
    (ty, kind): (&str, Option<&str>),
    contract: &front_c::Contract,
    (shared, uses, fails): (bool, Uses, String),
) -> Option<String> {
    let types = &program.types;
    let Kind::Function(signature) = types.kind(f.ty) else { return None };
    if signature.unprototyped {
        return None;
    }
    let name = &f.name;
    let (mut head, mut params, mut body) = (String::new(), Vec::new(), fails);
    let mut pointees = Vec::new();
    for (i, &param) in signature.params.iter().enumerate() {
        let pointee = types.pointee(param);
        let text = match pointee {
            Some(_) => "void *",
            None => crate::entries::number(types, param)?.0,
        };
        params.push(format!("{text} a{}", i + 1));
        pointees.push(pointee);
    }
    let pointer = |n: usize| pointees.get(n - 1).copied().flatten();
    let sized = |n: usize| contract.size.iter().find(|(p, _)| *p == n).map(|(_, bytes)| *bytes);
    let mut source = |word: &str, ty: &str| {
        let from = format!("{RESULT}{word}__{name}");
        let line = format!("{ty} {from}(void);\n");
        if !head.contains(&line) {
            head += &line;
        }
        from
    };
    // Who is not said to leave alone what it can reach may change it.
    let says = contract.pure || contract.assigns.is_some();
    let mut outside = !says && (shared || uses.given) || ARRAYS.contains(&name.as_str());
    for &n in &contract.nonnull {
        if pointer(n).is_some() {
            let _ = write!(body, "if (!a{n}) *(char *)a{n} = 0; ");
        }
    }
    for &n in &contract.string {
        if pointer(n).is_some() {
            let _ = write!(body, "{{ const char *s = a{n}; while (*s) s++; }} ");
        }
    }
    for &n in contract.assigns.iter().flatten() {
        let Some(to) = pointer(n) else { continue };
        match (crate::entries::number(types, to), sized(n), types.size(to)) {
            (_, Some(count), _) => {
                let from = source("uchar", "unsigned char");
                let _ = write!(
                    body,
                    "for (unsigned long i = 0; i < (unsigned long)a{count}; i++) ((unsigned char *)a{n})[i] = {from}(); "
                );
            }
            // One character is seldom what a pointer to characters is about.
            (Some((ty, word)), None, _) if !word.ends_with("char") => {
                let from = source(word, ty);
                let _ = write!(body, "if (a{n}) *({ty} *)a{n} = {from}(); ");
            }
            (None, None, Some(size)) if size > 0 && matches!(types.kind(to), Kind::Record(_)) => {
                let from = source("uchar", "unsigned char");
                let _ = write!(
                    body,
                    "if (a{n}) for (int i = 0; i < {size}; i++) ((unsigned char *)a{n})[i] = {from}(); "
                );
            }
            _ => outside = true,
        }
    }
    let mut frees = false;
    for &n in &contract.frees {
        if pointer(n).is_some() {
            let _ = write!(body, "free(a{n}); ");
            frees = true;
        }
    }
    let end = match (kind, contract.returns) {
        (Some("pointer"), Some(n)) if pointer(n).is_some() => format!("return a{n};"),
        (None, _) => String::new(),
        (Some("pointer"), _) => {
            let made = types.pointee(signature.result);
            let record = made.filter(|to| matches!(types.kind(*to), Kind::Record(_)));
            let size = record.and_then(|to| types.size(to)).filter(|size| *size > 0);
            match size.filter(|_| contract.allocates) {
                Some(size) => {
                    let from = source("bool", "_Bool");
                    head += "void *malloc(unsigned long);\n";
                    // There may be several of them.
                    outside = true;
                    format!("return {from}() ? malloc({size}) : 0;")
                }
                None => {
                    outside = true;
                    "return 0;".to_owned()
                }
            }
        }
        (Some(word), _) => format!("return {}();", source(word, ty)),
    };
    if frees {
        head += "void free(void *);\n";
    }
    if outside {
        body.insert_str(0, "__bop_outside(); ");
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let more = if signature.variadic { ", ..." } else { "" };
    Some(format!("{head}{ty} {name}({params}{more}) {{ {body}{end} }}\n"))
}

/// What a number that is not defined is the value of, with its name: the address of one.
pub(crate) const ANYTHING: &str = "__bop_anything_";

/// Stubs for functions of the library that runs may come to and the search does not know, and their names. They return
/// anything, a pointer null or to something, and change nothing.
pub(crate) fn library(
    program: &Program,
    c: &CProgram,
    (called, objects): &(BTreeSet<FuncId>, BTreeSet<ObjectId>),
) -> (String, Vec<String>) {
    let uses = uses(program);
    let (mut out, mut names) = (failing(program), Vec::new());
    let fails = match out.is_empty() {
        true => String::new(),
        false => format!("{FAILS}(0); "),
    };
    let pure = |name: &str| name.starts_with("__VERIFIER_") || name.starts_with("__b");
    for (i, f) in program.functions.iter().enumerate() {
        let unknown = called.contains(&FuncId::new(i)) && !f.has_body() && !uses[i].taken;
        // Which stream a caller hands over is not known, and only standard input is modelled.
        let known = engine_bounded::knows(&f.name) && !engine_bounded::reads_stream(&f.name);
        if !unknown || known || pure(&f.name) {
            continue;
        }
        let library = c_run::knows(&f.name) || front_c::is_library(&f.name);
        let s = c.skeleton();
        if !library || s.funcs.iter().any(|g| g.name == f.name && g.noreturn) {
            continue;
        }
        let Kind::Function(signature) = program.types.kind(f.ty) else { continue };
        let Some((ty, kind)) = result(program, signature.result) else { continue };
        let name = &f.name;
        let end = match kind {
            None => String::new(),
            Some("pointer") => {
                let from = format!("{RESULT}bool__{name}");
                let _ = writeln!(
                    out,
                    "_Bool {from}(void);\nvoid *calloc(unsigned long, unsigned long);"
                );
                format!("return {from}() ? calloc(1, 64) : 0;")
            }
            Some(kind) => {
                let from = format!("{RESULT}{kind}__{name}");
                let _ = writeln!(out, "{ty} {from}(void);");
                format!("return {from}();")
            }
        };
        let _ = writeln!(out, "{ty} {name}() {{ {fails}{end} }}");
        names.push(name.clone());
    }
    // Numbers that are declared and not defined are anything.
    for id in objects {
        let object = &program.objects[id.index()];
        if object.defined || object.weak {
            continue;
        }
        let Some((ty, kind)) = crate::entries::number(&program.types, object.ty) else { continue };
        let (name, from) = (&object.name, format!("{RESULT}{kind}__{}", object.name));
        let _ = writeln!(
            out,
            "{ty} {from}(void);\nstatic {ty} __bop_is_{name};\nstatic int __bop_has_{name};"
        );
        let _ = writeln!(
            out,
            "{ty} *{ANYTHING}{name}() {{ if (!__bop_has_{name}) {{ __bop_has_{name} = 1; __bop_is_{name} = {from}(); }} \
             return &__bop_is_{name}; }}"
        );
        names.push(name.clone());
    }
    (out, names)
}

/// How a function is used.
#[derive(Clone, Copy, Default)]
struct Uses {
    called: bool,
    /// Some call may give it an address.
    given: bool,
    /// Its own address is taken: it may be null, if nobody defines it, and it is not known what calls it.
    taken: bool,
}

/// Whether something of the program may run after a function that does not come back.
fn goes_on(program: &Program, uses: &[Uses]) -> bool {
    const REGISTER: [&str; 4] = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];
    let registers = program
        .functions
        .iter()
        .zip(uses)
        .any(|(f, uses)| REGISTER.contains(&f.name.as_str()) && (uses.called || uses.taken));
    let registers = registers || !program.after.is_empty() || program.unfollowed.is_some();
    let stmts = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.stmts);
    registers || stmts.into_iter().any(|s| matches!(s.kind, StmtKind::SetJump { .. }))
}

/// The uses of each function.
fn uses(program: &Program) -> Vec<Uses> {
    let mut out = vec![Uses::default(); program.functions.len()];
    let types = &program.types;
    let wide = u32::from(types.model().pointer);
    let may_be_address = |ty: Ty| match types.kind(ty) {
        Kind::Pointer(_) | Kind::Record(_) | Kind::Array(..) | Kind::Function(_) => true,
        _ => types.as_int(ty).is_some_and(|int| u32::from(int.bits) >= wide),
    };
    for f in &program.functions {
        for stmt in f.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Call(call) = &stmt.kind
                && let Callee::Direct(target) = call.callee
            {
                let address = |arg: &ExprId| may_be_address(f.exprs[arg.index()].ty);
                let uses = &mut out[target.index()];
                uses.called = true;
                uses.given |= call.args.iter().any(address);
            }
        }
        for expr in &f.exprs {
            if let ExprKind::Root(Root::Function(target)) = expr.kind {
                out[target.index()].taken = true;
            }
        }
    }
    for (_, root, _) in program.objects.iter().flat_map(|o| &o.addresses) {
        if let Root::Function(target) = root {
            out[target.index()].taken = true;
        }
    }
    out
}

/// The type of a result in C, and the word for it; none for a type without values, and nothing at all for what has
/// no stub.
fn result(program: &Program, ty: Ty) -> Option<(&'static str, Option<&'static str>)> {
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
    let (text, word) = match program.types.kind(ty) {
        Kind::Void => return Some(("void", None)),
        Kind::Bool => ("_Bool", "bool"),
        Kind::Int(kind) => integer(*kind)?,
        Kind::Enum(no) => integer(program.types.enumeration(*no).int)?,
        Kind::Float(FloatKind::Float) => ("float", "float"),
        Kind::Float(FloatKind::Double) => ("double", "double"),
        Kind::Pointer(_) => ("void *", "pointer"),
        _ => return None,
    };
    Some((text, Some(word)))
}

/// What a text of stubs takes its numbers from: names, each with the word for its type.
pub(crate) fn sources(stubs: &str) -> impl Iterator<Item = (&str, &str)> {
    stubs.lines().filter_map(|line| {
        let name = line.strip_suffix("(void);")?.rsplit(' ').next()?;
        Some((name, name.strip_prefix(RESULT)?.split_once("__")?.0))
    })
}

/// The function whose result such a name hands out.
pub(crate) fn handed_out_by(name: &str) -> Option<&str> {
    Some(name.strip_prefix(RESULT)?.split_once("__")?.1)
}

/// The functions that have a stub; with whether it does what a contract says.
pub(crate) fn stubbed(stubs: &str) -> impl Iterator<Item = (&str, bool)> {
    stubs.lines().filter(|line| line.ends_with('}')).filter_map(|line| {
        let (head, rest) = line.split_once('(')?;
        let name = head.rsplit([' ', '*']).next().filter(|name| !name.is_empty())?;
        Some((name, !rest.starts_with(") {") && !rest.contains(ANY)))
    })
}
