//! The monitor of a rule as C: calls of the functions that it names go through wrappers, which step its automaton.
//!
//! - MO1: one value is chosen, when it is first an argument or a result that the rule names, and never again.
//! - MO2: a call is a letter, if an event of the rule shows at it; the automaton steps on letters only, as VP9 says.
//! - MO3: files and locks are the surroundings: to open one may fail, and hands out what was never there before; locks do
//!   as they are told. A value that a function hands out which the rule does not name is another one: it is watched no more. A
//!   function that the rule names succeeds, unless the rule says that it may fail or its result is a new value:
//!   then it may fail. A new value was never there before. Others do what they do, or are not followed.
//! - MO4: a violation counts where a finding says: on its line.

use crate::emitted::{definitions, tokens};
use crate::entries::number;
use automata::sere::{Condition, Nfa};
use c_data::{FuncId, Program};
use c_types::Kind;
use input::CText;
use rules::{Rule, Seen};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What tells that a finding is met.
pub(crate) const BROKEN: &str = "__bop_broken_";

/// A program with a monitor.
pub(crate) struct Monitored {
    /// The units, in which calls go through wrappers.
    pub(crate) texts: Vec<CText>,
    /// The wrappers and the automaton.
    pub(crate) more: String,
    /// Functions whose wrappers do what they do.
    pub(crate) done: BTreeSet<String>,
}

/// Puts the monitor of a rule around a program; `places` are the findings. None if the rule has events that do not show
/// at calls, or functions that no wrapper can be written for.
pub(crate) fn monitored(
    (rule, lenient): (&Rule, bool),
    program: &Program,
    texts: &[CText],
    places: &[(String, u32)],
) -> Option<Monitored> {
    let atoms = rule.watched(lenient)?;
    if rule.nfa.accepting.len() > 60 || atoms.len() > 60 {
        return None;
    }
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    for text in texts {
        let tokens = tokens(&text.text);
        let names: Vec<&str> = definitions(&tokens, &text.text)
            .map(|(name, _)| {
                let at = name.as_ptr() as usize - text.text.as_ptr() as usize;
                &text.text[at..at + name.len()]
            })
            .collect();
        defined.extend(names);
    }
    let mut more = String::from(
        "void *calloc(unsigned long, unsigned long);\n_Bool __bop_result_bool__chosen(void);\n",
    );
    for k in 0..places.len() {
        let _ = writeln!(more, "void {BROKEN}{k}(void) {{ }}");
    }
    more += &automaton(&rule.nfa, places.len());
    let (mut wrapped, mut done): (BTreeSet<String>, BTreeSet<String>) = Default::default();
    let called = called(program);
    for (i, f) in program.functions.iter().enumerate() {
        let named = |s: &Seen| match s {
            Seen::Argument(p, _) | Seen::Result(p) | Seen::Call(p) => p.matches(&f.name),
            Seen::Passed | Seen::Failed => false,
        };
        let events = atoms.iter().flatten().any(named);
        let own = f.own && f.has_body() || defined.contains(f.name.as_str());
        if own && events && called.contains(&FuncId::new(i)) {
            return None;
        }
        let never = matches!(f.name.as_str(), "exit" | "abort" | "_exit" | "_Exit" | "longjmp")
            || f.name.starts_with("__")
            || f.name.contains("setjmp");
        if own || never || !called.contains(&FuncId::new(i)) {
            continue;
        }
        match wrapper(rule, &atoms, program, i) {
            Some(text) => {
                more += &text;
                wrapped.insert(f.name.clone());
                if events || is_outside(&f.name) {
                    done.insert(f.name.clone());
                }
            }
            // It may hand out the value that is watched.
            None => return None,
        }
    }
    if wrapped.is_empty() {
        return None;
    }
    let texts = texts.iter().map(|t| CText { text: redirected(t, &wrapped, places), ..t.clone() });
    Some(Monitored { texts: texts.collect(), more, done })
}

/// Whether a function opens a file or locks: what it does shows in its result alone.
fn is_outside(name: &str) -> bool {
    let locks = ["pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "mtx_"];
    let opens = ["fopen", "fopen64", "fdopen", "popen", "tmpfile", "tmpfile64", "fmemopen"];
    opens.contains(&name) || locks.iter().any(|lock| name.starts_with(lock))
}

/// The functions that the program calls by their names.
fn called(program: &Program) -> BTreeSet<FuncId> {
    let own = program.functions.iter().filter(|f| f.own);
    let stmts = own.flat_map(|f| &f.blocks).flat_map(|b| &b.stmts);
    let callee = |s: &c_data::Stmt| match &s.kind {
        c_data::StmtKind::Call(call) => match call.callee {
            c_data::Callee::Direct(f) => Some(f),
            c_data::Callee::Indirect(_) => None,
        },
        _ => None,
    };
    stmts.filter_map(callee).collect()
}

/// The automaton: a set of states, which steps on a letter.
fn automaton(nfa: &Nfa, places: usize) -> String {
    let mut out = String::from(
        "static int __bop_on;\nstatic long __bop_v1;\nstatic void *__bop_v2;\nstatic int __bop_at = -1;\nstatic unsigned long long __bop_s = 1;\n\
         void __bop_here(int at) { __bop_at = at; }\n\
         static void __bop_step(unsigned long long l) { unsigned long long n = 0; if (!l) return;\n",
    );
    for (i, condition) in nfa.conditions.iter().enumerate() {
        let value = match *condition {
            Condition::Constant(value) => u8::from(value).to_string(),
            Condition::Atom(a) => format!("(l >> {a}) & 1"),
            Condition::Not(a) => format!("!c{a}"),
            Condition::And(a, b) => format!("c{a} && c{b}"),
            Condition::Or(a, b) => format!("c{a} || c{b}"),
        };
        let _ = writeln!(out, "  int c{i} = {value};");
    }
    for &(from, condition, to) in &nfa.transitions {
        let _ = writeln!(out, "  if ((__bop_s >> {from} & 1) && c{condition}) n |= 1ull << {to};");
    }
    let accepting: Vec<String> = (nfa.accepting.iter().enumerate())
        .filter(|(_, accepts)| **accepts)
        .map(|(i, _)| format!("n >> {i} & 1"))
        .collect();
    let _ = writeln!(out, "  __bop_s = n;\n  if ({}) {{", accepting.join(" || "));
    for k in 0..places {
        let _ = writeln!(out, "    if (__bop_at == {k}) {BROKEN}{k}();");
    }
    out + "    __bop_s = 0; }\n}\n"
}

/// The wrapper of a function.
fn wrapper(rule: &Rule, atoms: &[Vec<Seen>], program: &Program, index: usize) -> Option<String> {
    let (f, types) = (&program.functions[index], &program.types);
    let name = f.name.as_str();
    let signature = types.signature(f.ty)?;
    let ty = |ty| match types.kind(ty) {
        Kind::Pointer(_) => Some("void *"),
        Kind::Void => Some("void"),
        _ => number(types, ty).map(|(text, _)| text),
    };
    let result = ty(signature.result)?;
    let params: Vec<&str> = signature.params.iter().map(|p| ty(*p)).collect::<Option<_>>()?;
    // Numbers and pointers are compared as what they are.
    let way = |ty: &str| if ty == "void *" { 2u8 } else { 1 };
    let same =
        |(value, way): &(String, u8)| format!("__bop_on == {way} && {value} == __bop_v{way}");
    let (mut seen, mut chosen) = (String::new(), Vec::new());
    let (mut by_result, mut fresh) = (false, false);
    for (bit, atom) in atoms.iter().enumerate() {
        for event in atom {
            let mut argument = |i: usize| {
                if i < params.len() {
                    let value = (format!("a{i}"), way(params[i]));
                    let _ = write!(seen, " if ({}) l |= 1ull << {bit};", same(&value));
                    if !chosen.contains(&value) {
                        chosen.push(value);
                    }
                }
            };
            match event {
                Seen::Argument(p, Some(n)) if p.matches(name) => argument(n - 1),
                Seen::Argument(p, None) if p.matches(name) => (0..params.len()).for_each(argument),
                Seen::Passed => (0..params.len()).for_each(argument),
                Seen::Result(p) if p.matches(name) && result != "void" => {
                    (by_result, fresh) = (true, true);
                    let value = ("r".to_owned(), way(result));
                    let _ = write!(seen, " if ({}) l |= 1ull << {bit};", same(&value));
                    if !chosen.contains(&value) {
                        chosen.push(value);
                    }
                }
                Seen::Call(p) if p.matches(name) => {
                    let _ = write!(seen, " l |= 1ull << {bit};");
                }
                Seen::Failed => {
                    for (p, how, k) in rule.fallible.iter().filter(|(p, ..)| p.matches(name)) {
                        let _ = p;
                        by_result = true;
                        let how = how.text();
                        let _ = write!(seen, " if (r {how} {k}) l |= 1ull << {bit};");
                    }
                }
                _ => {}
            }
        }
    }
    let named = atoms.iter().flatten().any(|s| match s {
        Seen::Argument(p, _) | Seen::Result(p) | Seen::Call(p) => p.matches(name),
        _ => false,
    });
    // The surroundings of a program, whose answers are inputs.
    let named = named || is_outside(name);
    let declared: Vec<String> =
        params.iter().enumerate().map(|(i, p)| format!("{p} a{i}")).collect();
    let declared = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
    let mut out = String::new();
    let any = |out: &mut String| {
        let kind = number(types, signature.result).map_or("bool", |(_, kind)| kind);
        let text = if kind == "bool" && result != "_Bool" { "_Bool" } else { result };
        let from = format!("__bop_result_{kind}__{name}");
        let _ = writeln!(out, "{text} {from}(void);");
        from
    };
    let value = if result == "void" {
        None
    } else if named && result == "void *" {
        let from = any(&mut out);
        Some(format!("{from}() ? calloc(1, 64) : (void *)0"))
    } else if fresh {
        let from = any(&mut out);
        let _ = writeln!(out, "static int __bop_next_{name} = 3;");
        Some(format!("{from}() >= 0 ? __bop_next_{name}++ : -1"))
    } else if by_result || signature.variadic && name.contains("print") {
        // What is printed matters to nobody.
        Some(format!("{}()", any(&mut out)))
    } else if named {
        Some("0".to_owned())
    } else {
        None
    };
    let args: Vec<String> = (0..params.len()).map(|i| format!("a{i}")).collect();
    // What is not about the result comes first: nobody may know how the call goes on.
    let steps = |out: &mut String| {
        let _ = write!(out, " unsigned long long l = 0;");
        for (value, way) in &chosen {
            let assumed = match rule.assume {
                Some((how, k)) => format!(" && {value} {} {k}", how.text()),
                None => String::new(),
            };
            let _ = write!(
                out,
                " if (!__bop_on{assumed} && __bop_result_bool__chosen()) {{ __bop_on = {way}; __bop_v{way} = {value}; }}"
            );
        }
        let _ = write!(out, " if (__bop_on) {{{seen} __bop_step(l); }} __bop_at = -1;");
    };
    let variadic = if signature.variadic { ", ..." } else { "" };
    if !named {
        let _ = writeln!(out, "{result} {name}({declared}{variadic});");
    }
    let _ = write!(out, "{result} __bop_on_{name}({declared}{variadic}) {{");
    match value {
        Some(value) => {
            let _ = write!(out, " {result} r = {value};");
            steps(&mut out);
            let _ = writeln!(out, " return r; }}");
        }
        None => {
            steps(&mut out);
            let call = if named { String::new() } else { format!("{name}({})", args.join(", ")) };
            if result == "void" || named {
                let _ = writeln!(out, " {call}; }}");
            } else {
                // A value that comes anew is another one.
                let again = same(&("r".to_owned(), way(result)));
                let _ =
                    writeln!(out, " {result} r = {call}; if ({again}) __bop_s = 0; return r; }}");
            }
        }
    }
    Some(out)
}

/// The text in which calls go through wrappers; those on the line of a finding say so.
fn redirected(unit: &CText, wrapped: &BTreeSet<String>, places: &[(String, u32)]) -> String {
    let text = unit.text.as_str();
    let tokens = tokens(text);
    let mut out = String::from("void __bop_here(int);\n");
    let (mut from, mut file, mut line, mut seen) = (0, unit.name.clone(), 1u32, 0);
    for (i, &(start, end)) in tokens.iter().enumerate() {
        // Line markers, and lines, between the last token and this one.
        for row in text[seen..start].split_inclusive('\n') {
            if let Some(rest) = row.strip_prefix("# ") {
                let number = rest.split_whitespace().next().and_then(|w| w.parse().ok());
                file = rest.split('"').nth(1).unwrap_or_default().to_owned();
                line = number.unwrap_or(line);
            } else if row.ends_with('\n') {
                line += 1;
            }
        }
        seen = start;
        let word = &text[start..end];
        if !wrapped.contains(word) {
            continue;
        }
        out += &text[from..start];
        from = end;
        let call = tokens.get(i + 1).is_some_and(|&(a, b)| &text[a..b] == "(");
        let place = places.iter().position(|(f, l)| *l == line && *f == file);
        match place.filter(|_| call) {
            Some(k) => {
                let _ = write!(out, "(__bop_here({k}), __bop_on_{word})");
            }
            None => {
                let _ = write!(out, "__bop_on_{word}");
            }
        }
    }
    // What was put before the text has a line of its own.
    let text = out + &text[from..];
    match text.contains("\n# ") {
        true => text,
        false => text.replacen('\n', " ", 1),
    }
}
