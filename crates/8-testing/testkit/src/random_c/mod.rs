//! Random programs in C whose answers are known, because they were run on every input.
//!
//! [`random_c`] writes a program from a seed: 10 to 40 lines of sequential C (LP64, `-fwrapv`), without
//! undefined behaviour, a few bits of input. Its text has *marks* where the compiler and the checker see
//! different things; [`observe`] compiles many programs at once and tells what happened at their check
//! points, and [`claims`] makes labels of the points: `if (x == 44) { E3: ; }` where 44 was seen, or was not.
//!
//! | mark | the compiler sees | the checker sees |
//! |---|---|---|
//! | `@name` | a name of the program's own | `name` |
//! | `$3;` | the values of point 3 are noted | the claims about it |
//! | `$[uchar:4]` | one of 0 … 3 | a call of `in_uchar`, which has no body |
//! | `$t;` | counts rounds, to know a run that does not end | nothing |
//! | `$g;` | leaves a constructor of another program | nothing |
//!
//! Nothing in expressions is unsequenced, and expressions of points have no effects.

mod aliases;
mod callbacks;
mod campaign;
mod claims;
mod control;
mod expressions;
mod files;
mod floats;
mod integers;
mod jumps;
mod library;
mod misc;
mod native;
mod shrink;

pub use campaign::{Campaign, Failure, Outcome, compiler_is_there, folder};
pub use claims::{Claim, claims};
pub use expressions::{Scope, Ty, Var};
pub use native::{Compiler, Event, Run, observe};
pub use shrink::shrink_c;

use crate::rng::Rng;
use std::fmt::Write;

/// What a program is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Profile {
    /// All integer types, constants of one type in variables of another, enumerators.
    Integers,
    /// Several names for one object.
    Aliases,
    /// Functions that a library, the loader or a pointer calls.
    Callbacks,
    /// `setjmp`, `longjmp` and labels as values.
    Jumps,
    /// Several files, linkage, names of the assembler.
    Files,
    /// Floating point.
    Floats,
    /// `switch`, `goto`, loops, recursion.
    Control,
    /// What else GNU C has: assembler, arrays of variable length, statement expressions.
    Misc,
    /// Everything.
    All,
}

impl Profile {
    /// Each of them.
    pub const ALL: [Profile; 9] = [
        Profile::Integers,
        Profile::Aliases,
        Profile::Callbacks,
        Profile::Jumps,
        Profile::Files,
        Profile::Floats,
        Profile::Control,
        Profile::Misc,
        Profile::All,
    ];
}

/// An expression whose values are noted at a check point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotedExpr {
    /// Its text, with marks.
    pub text: String,
    /// Whether it is floating.
    pub float: bool,
}

/// A program with marks.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed that it comes from.
    pub seed: u64,
    /// What it is made of.
    pub profile: Profile,
    /// Its files.
    pub files: Vec<String>,
    /// The check points, one to three expressions each.
    pub points: Vec<Vec<NotedExpr>>,
    /// Integer variables and how many bits they have.
    pub keep: Vec<(String, u32)>,
}

/// A kind of statement: its text, given what is in scope. It may declare variables, and write
/// functions before `main`.
pub(crate) type Kind = fn(&mut Gen, &mut Scope) -> String;

/// A generator at work.
pub(crate) struct Gen {
    pub(crate) rng: Rng,
    profile: Profile,
    kinds: Vec<Kind>,
    points: Vec<Vec<NotedExpr>>,
    /// What stands before `main`.
    pub(crate) top: String,
    /// The other files.
    pub(crate) others: Vec<String>,
    /// Variables at file scope.
    pub(crate) globals: Vec<Var>,
    keep: Vec<(String, u32)>,
    names: usize,
    depth: usize,
}

/// Replaces `<name>` by its value, for each of the names.
pub(crate) fn fill(text: &str, values: &[(&str, String)]) -> String {
    let mut out = text.to_owned();
    for (name, value) in values {
        out = out.replace(&format!("<{name}>"), value);
    }
    out
}

/// C text with `<x>` for the value of the variable `x`.
macro_rules! c {
    ($text:expr $(, $name:ident)* $(,)?) => {
        crate::random_c::fill($text, &[$((stringify!($name), $name.to_string())),*])
    };
}
pub(crate) use c;

/// The program of a seed.
pub fn random_c(seed: u64, profile: Profile) -> Program {
    let mut kinds = Vec::new();
    for (kind, of) in [
        (Profile::Integers, integers::KINDS),
        (Profile::Aliases, aliases::KINDS),
        (Profile::Callbacks, callbacks::KINDS),
        (Profile::Jumps, jumps::KINDS),
        (Profile::Files, files::KINDS),
        (Profile::Floats, floats::KINDS),
        (Profile::Control, control::KINDS),
        (Profile::Misc, misc::KINDS),
    ] {
        if profile == kind || profile == Profile::All {
            kinds.extend_from_slice(of);
        }
    }
    let salt = Profile::ALL.iter().position(|p| *p == profile).unwrap_or(0) as u64;
    let mut g = Gen {
        rng: Rng::new(seed.wrapping_mul(16).wrapping_add(salt)),
        profile,
        kinds,
        points: Vec::new(),
        top: String::new(),
        others: Vec::new(),
        globals: Vec::new(),
        keep: Vec::new(),
        names: 0,
        depth: 0,
    };
    let mut globals = String::new();
    for _ in 0..g.rng.between(1, 3) {
        let (name, ty) = (g.global("g"), g.some_type());
        let first =
            if g.rng.coin() { String::new() } else { format!(" = {}", g.static_constant()) };
        let storage = *g.rng.pick(&["", "static "]);
        let _ = writeln!(globals, "{storage}{} {name}{first};", ty.name());
        g.globals.push(Var::new(&name, ty));
        g.may_keep(&name[1..], ty);
    }
    let mut scope = Scope { vars: g.globals.clone() };
    let mut body = String::new();
    for _ in 0..g.rng.between(1, 2) {
        body += &g.declaration(&mut scope);
    }
    if g.rng.chance(70) {
        let name = g.name("in");
        let (ty, n) = (*g.rng.pick(&[Ty::UChar, Ty::Int, Ty::Char, Ty::Bool]), g.rng.between(2, 5));
        let n = if ty == Ty::Bool { 2 } else { n };
        body += &format!("{} {name} = {};\n", ty.name(), g.input(ty, n));
        scope.vars.push(Var::new(&name, ty));
    }
    for _ in 0..g.rng.between(2, 5) {
        body += &g.statement(&mut scope);
    }
    while g.points.len() < 2 {
        body += &g.point(&scope);
    }
    let main = format!("int @main(void) {{\n{body}return 0;\n}}\n");
    let mut files = vec![format!("{globals}{}{main}", g.top)];
    files.append(&mut g.others);
    Program { seed, profile: g.profile, files, points: g.points, keep: g.keep }
}

impl Gen {
    /// A fresh local name.
    pub(crate) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A fresh name at file scope.
    pub(crate) fn global(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("@{stem}{}", self.names)
    }

    /// Remembers that a variable's values can be kept.
    pub(crate) fn may_keep(&mut self, name: &str, ty: Ty) {
        if !ty.is_float() && ty.bits() <= 32 {
            self.keep.push((name.to_owned(), ty.bits()));
        }
    }

    /// One of `n` values that only an input decides.
    pub(crate) fn input(&mut self, ty: Ty, n: usize) -> String {
        format!("$[{}:{n}]", ty.short())
    }

    /// A check point about what is in scope, as a line.
    pub(crate) fn point(&mut self, scope: &Scope) -> String {
        let count = self.rng.weighted(&[0, 6, 3, 1]);
        let exprs = (0..count)
            .map(|_| match self.rng.chance(75) {
                true => self.watched_variable(scope),
                false => NotedExpr { text: self.expr(scope, 1), float: false },
            })
            .collect();
        self.point_of(exprs)
    }

    /// A check point about integer expressions.
    pub(crate) fn point_on(&mut self, exprs: &[&str]) -> String {
        self.point_of(
            exprs.iter().map(|e| NotedExpr { text: (*e).to_owned(), float: false }).collect(),
        )
    }

    /// A check point about floating expressions.
    pub(crate) fn point_on_floats(&mut self, exprs: &[&str]) -> String {
        self.point_of(
            exprs.iter().map(|e| NotedExpr { text: (*e).to_owned(), float: true }).collect(),
        )
    }

    fn point_of(&mut self, exprs: Vec<NotedExpr>) -> String {
        self.points.push(exprs);
        format!("${};\n", self.points.len() - 1)
    }

    fn watched_variable(&mut self, scope: &Scope) -> NotedExpr {
        let var = scope.newest(&mut self.rng);
        NotedExpr { text: var.text.clone(), float: var.ty.is_float() }
    }

    /// A declaration with a value, in scope from then on.
    pub(crate) fn declaration(&mut self, scope: &mut Scope) -> String {
        let (name, ty) = (self.name("x"), self.some_type());
        let value = if self.rng.chance(60) { self.constant() } else { self.expr(scope, 1) };
        let value = if self.profile == Profile::Floats { self.constant() } else { value };
        scope.vars.push(Var::new(&name, ty));
        self.may_keep(&name, ty);
        format!("{} {name} = {value};\n", ty.name())
    }

    /// The body of a block, in a scope of its own.
    pub(crate) fn block(&mut self, scope: &Scope, statements: usize) -> String {
        let mut inner = scope.clone();
        self.depth += 1;
        let mut out = String::new();
        for _ in 0..statements {
            out += &self.statement(&mut inner);
        }
        self.depth -= 1;
        out
    }

    /// A statement: of the profile's kinds mostly, plain ones, or a check point.
    pub(crate) fn statement(&mut self, scope: &mut Scope) -> String {
        if self.depth > 2 {
            return if self.rng.coin() { self.point(scope) } else { self.assignment(scope) };
        }
        match self.rng.weighted(&[10, 3, 2, 2, 3]) {
            0 => {
                let kind = *self.rng.pick(&self.kinds);
                let text = kind(self, scope);
                // What is in scope now was just changed: look at it.
                if self.rng.chance(40) { text + &self.point(scope) } else { text }
            }
            1 => self.assignment(scope),
            2 => control::branch(self, scope),
            3 => self.declaration(scope),
            _ => self.point(scope),
        }
    }

    /// Writes a function before `main`.
    pub(crate) fn function(&mut self, head: &str, body: &str) {
        let text = format!("{head} {{\n{body}}}\n");
        self.top += &text;
    }

    /// The scope of a function with these parameters.
    pub(crate) fn scope_of(&self, params: &[Var]) -> Scope {
        let mut vars = self.globals.clone();
        vars.extend_from_slice(params);
        Scope { vars }
    }
}

impl Program {
    /// What the compiler sees of a file, in a batch in which the program has this number.
    pub fn native(&self, file: usize, number: usize) -> String {
        self.render(
            &self.files[file],
            &|name| format!("{name}_{number}"),
            &|point| {
                let mut args: Vec<String> = (self.points[point].iter())
                    .map(|w| {
                        let text = self.names(&w.text, &|name| format!("{name}_{number}"));
                        let how = if w.float { "bits((double)(" } else { "((long long)(" };
                        format!("{how}{text}))")
                    })
                    .collect();
                args.resize(3, "0".to_owned());
                format!("see({point}, {});", args.join(", "))
            },
            &|ty, n| format!("(({})choose({n}))", ty.name()),
            "tick();",
            &format!("if (which != {number}) return;"),
        )
    }

    /// What the checker sees: each file with the declarations that it needs.
    pub fn texts(&self, claims: &[Claim]) -> Vec<String> {
        let plain = |name: &str| name.to_owned();
        let mut out = Vec::new();
        for file in &self.files {
            let body = self.render(
                file,
                &plain,
                &|point| {
                    let of = claims.iter().filter(|c| c.point == point);
                    let texts: Vec<String> =
                        of.map(|c| self.names(&c.statement(self), &plain)).collect();
                    texts.join("\n")
                },
                &|ty, _| format!("in_{}()", ty.short()),
                "",
                "",
            );
            let inputs: String = (Ty::ALL.iter())
                .filter(|ty| body.contains(&format!("in_{}()", ty.short())))
                .map(|ty| format!("extern {} in_{}(void);\n", ty.name(), ty.short()))
                .collect();
            out.push(format!("{}{inputs}{body}", library::needed(&body)));
        }
        out
    }

    /// The text with the names of the program's own replaced.
    fn names(&self, text: &str, name: &dyn Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text;
        while let Some(at) = rest.find('@') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            out.push_str(&name(word));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn render(
        &self,
        text: &str,
        name: &dyn Fn(&str) -> String,
        point: &dyn Fn(usize) -> String,
        input: &dyn Fn(Ty, usize) -> String,
        tick: &str,
        guard: &str,
    ) -> String {
        let text = self.names(text, name);
        let mut out = String::with_capacity(2 * text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('[') {
                let (mark, after) = after.split_once(']').unwrap_or((after, ""));
                let (ty, n) = mark.split_once(':').unwrap_or((mark, "2"));
                let ty = Ty::ALL.iter().find(|t| t.short() == ty).copied().unwrap_or(Ty::Int);
                out.push_str(&input(ty, n.parse().unwrap_or(2)));
                rest = after;
                continue;
            }
            let (mark, after) = rest.split_once(';').unwrap_or((rest, ""));
            match mark {
                "t" => out.push_str(tick),
                "g" => out.push_str(guard),
                number => match number.parse() {
                    Ok(k) => out.push_str(&point(k)),
                    // A register in a line of assembler.
                    Err(_) => {
                        out.push('$');
                        continue;
                    }
                },
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }
}
