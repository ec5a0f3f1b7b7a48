//! Sequences and formulas about calls, of C with its data: a monitor is put into the program, and what it notices is a
//! place that is reached, or an end that never comes.
//!
//! - EV1: the letters are calls of functions that are named, and the end of the program. The question must not depend on
//!   how many points without any of them lie between two letters; the smallest deterministic automaton says so.
//! - EV2: what no run may begin with is a place: the monitor comes there with the letter that breaks the property.
//! - EV3: what each run has to begin with some day is an end: the program is over when that has happened, and never where
//!   it ends before. An infinite run without it is a violation, and so is a run that is over too early.
//! - EV4: a function whose address is taken may be called where its name does not stand; of it nothing is said. Neither is
//!   of the end of a program that other functions may see (`atexit`), or that ends where that is not known.
//! - EV5: of runs that an assumption blocks, formulas say nothing: where there are any, what is broken is not said.

use crate::bounded::{Searched, how, proved, reached, reached_or_proved};
use crate::prover::How;
use crate::termination;
use asking::{EngineChoice, Options};
use automata::ltl::{Atom, parse_atom};
use automata::sere::{Nfa, Sere};
use automata::{StateId, Tgba};
use c_data::{Call, Callee, End, ExprKind, FuncId, Point, Program, Root, Stmt, StmtKind};
use check::{Budget, StopReason};
use engine_bounded::Goal;
use input::{DataProgram, LazyData};
use property::Property;
use render::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

/// The most states of a monitor.
const STATES: usize = 300;
/// The monitor's functions.
const EVENT: &str = "__bop_event_";
const BROKEN: &str = "__bop_broken_now";
const OVER: &str = "__bop_event_over";

/// What is asked of a program with a monitor.
pub(crate) enum Asked {
    /// Is a place reached?
    Place(Goal),
    /// Does every run end?
    End,
}

/// A program with a monitor.
pub(crate) struct Monitored {
    pub(crate) data: Arc<DataProgram>,
    pub(crate) asked: Asked,
    /// That the property is broken may be said.
    pub(crate) both_ways: bool,
}

/// A set of states of an automaton.
type States = BTreeSet<u32>;

/// Finite words, read by an automaton.
enum Words {
    /// Those that it accepts are wrong.
    Finite(Nfa),
    /// Those that it cannot read are.
    Infinite(Tgba),
}

/// What holds at a point: an atom's number; none, if nothing does that is spoken of.
type Letter = Option<u32>;

impl Words {
    fn first(&self) -> States {
        match self {
            Words::Finite(_) => [0].into(),
            Words::Infinite(automaton) => [automaton.initial.0].into(),
        }
    }

    /// The states after a letter; none if the word is wrong.
    fn next(&self, states: &States, letter: Letter) -> Option<States> {
        let holds = |atom: u32| letter == Some(atom);
        match self {
            Words::Finite(nfa) => {
                let reads = |t: &&(u32, u32, u32)| states.contains(&t.0) && nfa.holds(t.1, &holds);
                let next: States = nfa.transitions.iter().filter(reads).map(|t| t.2).collect();
                (!next.iter().any(|&s| nfa.accepting[s as usize])).then_some(next)
            }
            Words::Infinite(a) => {
                let here = a.transitions.iter().filter(|t| states.contains(&t.from.0));
                let next: States =
                    here.filter(|t| a.labels.holds(t.label, holds)).map(|t| t.to.0).collect();
                (!next.is_empty()).then_some(next)
            }
        }
    }
}

/// The automaton over letters, deterministic. State 0 is the first; `None` is where a word is wrong.
struct Monitor {
    next: Vec<BTreeMap<Letter, Option<usize>>>,
    /// The words that end there are wrong.
    wrong_at_end: Vec<bool>,
}

/// What stands for an atom in the program.
enum Meaning {
    Call(String),
    Terminated,
}

/// The automaton of a property, and what its atoms mean; whether it says what must not be, or what must come.
fn parsed(property: &Property) -> Option<(Words, Vec<Meaning>, bool)> {
    match property {
        Property::Sere { formula } => {
            let Ok(Sere::Words(nfa)) = automata::sere::property(formula, &|_| false) else {
                return None;
            };
            let atoms: Option<Vec<Meaning>> =
                nfa.atoms.iter().map(|atom| meaning(&parse_atom(atom)?)).collect();
            Some((Words::Finite(nfa), atoms?, false))
        }
        Property::Ltl { formula, fair } if fair.is_empty() => {
            let mut parsed = automata::ltl::parse(formula).ok()?;
            let (root, options) = (parsed.root, automata::Options::default());
            let negated = parsed.formulas.not(root);
            let right = automata::translate(&parsed.formulas, root, &options).ok()?;
            let wrong = automata::translate(&parsed.formulas, negated, &options).ok()?;
            let atoms = |a: &Tgba| a.atoms.iter().map(meaning).collect::<Option<Vec<_>>>();
            let (closed_right, closed_wrong) = (closure(&right), closure(&wrong));
            if closed_right.is_disjoint(&wrong) {
                let atoms = atoms(&right)?;
                Some((Words::Infinite(closed_right), atoms, false))
            } else if closed_wrong.is_disjoint(&right) {
                let atoms = atoms(&wrong)?;
                Some((Words::Infinite(closed_wrong), atoms, true))
            } else {
                None
            }
        }
        _ => None,
    }
}

fn meaning(atom: &Atom) -> Option<Meaning> {
    match atom {
        Atom::Terminated => Some(Meaning::Terminated),
        Atom::Event(text) => {
            let name = text.strip_prefix("call(")?.strip_suffix(')')?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (!name.is_empty() && name.chars().all(plain)).then(|| Meaning::Call(name.to_owned()))
        }
        _ => None,
    }
}

/// The words all of whose beginnings are beginnings of accepted ones.
fn closure(automaton: &Tgba) -> Tgba {
    let mut out = automaton.clone();
    let useful = |state: u32| {
        let mut from = automaton.clone();
        from.initial = StateId(state);
        !from.is_empty()
    };
    let useful: Vec<bool> = (0..automaton.states).map(useful).collect();
    out.transitions.retain(|t| useful[t.from.index()] && useful[t.to.index()]);
    out.marks = 0;
    out.transitions.iter_mut().for_each(|t| t.marks = automata::Marks::none());
    out
}

/// The smallest deterministic automaton. EV1: none where points without letters count.
fn monitor(words: &Words, meanings: &[Meaning]) -> Option<Monitor> {
    let letters: Vec<Letter> =
        std::iter::once(None).chain((0..meanings.len() as u32).map(Some)).collect();
    let end = meanings.iter().position(|m| matches!(m, Meaning::Terminated)).map(|i| i as u32);
    let mut all: Vec<States> = vec![words.first()];
    let mut next: Vec<BTreeMap<Letter, Option<usize>>> = Vec::new();
    while next.len() < all.len() {
        if all.len() > STATES {
            return None;
        }
        let states = all[next.len()].clone();
        let mut row = BTreeMap::new();
        for &letter in &letters {
            let to = words.next(&states, letter).map(|to| {
                all.iter().position(|s| *s == to).unwrap_or_else(|| {
                    all.push(to);
                    all.len() - 1
                })
            });
            row.insert(letter, to);
        }
        next.push(row);
    }
    let ends_wrong = |start: usize| {
        // The last letter is read again and again.
        let mut at = start;
        for _ in 0..=next.len() {
            match next[at][&end] {
                Some(to) => at = to,
                None => return true,
            }
        }
        false
    };
    let wrong_at_end: Vec<bool> = (0..next.len()).map(ends_wrong).collect();
    // Which states cannot be told apart.
    let mut class: Vec<usize> = wrong_at_end.iter().map(|&w| usize::from(w)).collect();
    loop {
        let mut known: BTreeMap<Vec<Option<usize>>, usize> = BTreeMap::new();
        let mut finer = Vec::new();
        for (s, row) in next.iter().enumerate() {
            let mut key = vec![Some(class[s])];
            key.extend(row.values().map(|to| to.map(|to| class[to])));
            let count = known.len();
            finer.push(*known.entry(key).or_insert(count));
        }
        let done = finer == class || known.len() == class.iter().collect::<BTreeSet<_>>().len();
        class = finer;
        if done {
            break;
        }
    }
    let stays = |s: usize| next[s][&None].is_some_and(|to| class[to] == class[s]);
    (0..next.len()).all(stays).then_some(Monitor { next, wrong_at_end })
}

/// Whether a property is one that a monitor can watch.
pub(crate) fn concerns(property: &Property) -> bool {
    parsed(property).is_some_and(|(words, meanings, _)| monitor(&words, &meanings).is_some())
}

/// The program with a monitor of the property; none where that is not possible.
pub(crate) fn monitored(
    of: &Searched<'_>,
    lazy: &LazyData,
    property: &Property,
) -> Option<Monitored> {
    if of.harness.is_some() {
        return None;
    }
    let (words, meanings, must_come) = parsed(property)?;
    let monitor = monitor(&words, &meanings)?;
    let program = of.data.program();
    let mut named: BTreeMap<&str, u32> = BTreeMap::new();
    for (i, meaning) in meanings.iter().enumerate() {
        if let Meaning::Call(name) = meaning {
            named.insert(name, i as u32);
        }
    }
    if named.keys().any(|name| !can_be_seen(program, name)) {
        return None;
    }
    let at_end = must_come || monitor.wrong_at_end.contains(&true);
    let ends = ["exit", "_exit", "_Exit", "abort"];
    if at_end && (!end_is_seen(program, of.stubs) || ends.iter().any(|e| named.contains_key(e))) {
        return None;
    }
    let text = text(&monitor, &named, must_come);
    let data = lazy.variant(lazy.texts().to_vec(), &format!("{}\n{text}", of.stubs)).ok()?;
    let mut changed = data.program().clone();
    put_in(&mut changed, &named, (at_end, must_come))?;
    let asked = match must_come {
        true => Asked::End,
        false => Asked::Place(Goal { points: vec![Point::Call(changed.function(BROKEN)?)] }),
    };
    // EV5. What is over or never ends is not blocked.
    let assumes = program.functions.iter().filter(|f| f.own).flat_map(|f| &f.blocks);
    let assumes = assumes.flat_map(|b| &b.stmts).any(|s| match &s.kind {
        StmtKind::Call(c) => match c.callee {
            Callee::Direct(f) => program.functions[f.index()].name.contains("assume"),
            Callee::Indirect(_) => true,
        },
        _ => false,
    });
    let both_ways = !assumes || must_come || matches!(property, Property::Sere { .. });
    Some(Monitored { data: Arc::new(DataProgram::of(changed)), asked, both_ways })
}

/// Whether all calls of a function are told by its name. EV4.
fn can_be_seen(program: &Program, name: &str) -> bool {
    let is = |f: FuncId| program.functions[f.index()].name == name;
    let taken = program.functions.iter().flat_map(|f| &f.exprs);
    let taken = taken.filter_map(|e| match e.kind {
        ExprKind::Root(Root::Function(f)) => Some(f),
        _ => None,
    });
    let given = program.objects.iter().flat_map(|o| &o.addresses);
    let given = given.filter_map(|(_, root, _)| match root {
        Root::Function(f) => Some(*f),
        _ => None,
    });
    let mut itself = program.before.iter().chain(&program.after);
    let by_itself = itself.any(|&f| is(f)) || program.unfollowed.is_some();
    name != "main" && !by_itself && !taken.chain(given).any(is)
}

/// Whether it is known where the program ends. EV4.
fn end_is_seen(program: &Program, stubs: &str) -> bool {
    let called = |f: FuncId| {
        let calls = |s: &Stmt| matches!(&s.kind, StmtKind::Call(c) if matches!(c.callee, Callee::Direct(g) if g == f));
        program.functions.iter().flat_map(|g| &g.blocks).flat_map(|b| &b.stmts).any(calls)
    };
    let odd =
        ["main", "atexit", "on_exit", "at_quick_exit", "quick_exit", "pthread_exit", "longjmp"];
    let is_odd = |(i, f): (usize, &c_data::Function)| {
        odd.contains(&f.name.as_str()) && called(FuncId::new(i))
    };
    let runs_on = !program.after.is_empty() || program.unfollowed.is_some();
    !runs_on
        && !stubs.contains("__bop_exit(1)")
        && !program.functions.iter().enumerate().any(is_odd)
}

/// The monitor as C.
fn text(monitor: &Monitor, named: &BTreeMap<&str, u32>, must_come: bool) -> String {
    let mut out =
        format!("void __bop_exit(int);\nstatic int __bop_state = 0;\nvoid {BROKEN}(void) {{ }}\n");
    let happens = match must_come {
        true => "__bop_exit(0)".to_owned(),
        false => format!("{BROKEN}()"),
    };
    for letter in named.values() {
        let _ = writeln!(out, "void {EVENT}{letter}(void) {{ switch (__bop_state) {{");
        for (state, row) in monitor.next.iter().enumerate() {
            match row[&Some(*letter)] {
                Some(to) if to == state => {}
                Some(to) => {
                    let _ = writeln!(out, "case {state}: __bop_state = {to}; break;");
                }
                None => {
                    let _ = writeln!(out, "case {state}: {happens}; break;");
                }
            }
        }
        let _ = writeln!(out, "default: break; }} }}");
    }
    let _ = writeln!(out, "void {OVER}(void) {{ switch (__bop_state) {{");
    let wrong = monitor.wrong_at_end.iter().enumerate().filter(|(_, wrong)| **wrong);
    for (state, _) in wrong {
        let _ = writeln!(out, "case {state}: {happens}; break;");
    }
    let rest = if must_come { "for (;;) ;" } else { "break;" };
    let _ = writeln!(out, "default: {rest} }} }}");
    out
}

/// Puts calls of the monitor before what it watches.
fn put_in(
    program: &mut Program,
    named: &BTreeMap<&str, u32>,
    (at_end, must_come): (bool, bool),
) -> Option<()> {
    let mut events: BTreeMap<FuncId, FuncId> = BTreeMap::new();
    let over = program.function(OVER)?;
    for i in 0..program.functions.len() {
        let name = program.functions[i].name.as_str();
        let ends = matches!(name, "exit" | "_exit" | "_Exit");
        let fails = name == "abort" || front_c::is_failed_assertion(name);
        if let Some(letter) = named.get(name) {
            let event = program.function(&format!("{EVENT}{letter}"))?;
            events.insert(FuncId::new(i), event);
        } else if at_end && (ends || must_come && fails) {
            events.insert(FuncId::new(i), over);
        }
    }
    let types: BTreeMap<FuncId, c_types::Ty> =
        events.values().chain([&over]).map(|&f| (f, program.functions[f.index()].ty)).collect();
    let call = |f: FuncId, at| {
        let (callee, ty) = (Callee::Direct(f), types[&f]);
        let call = Call { callee, ty, args: Vec::new(), result: None, result_at: None };
        Stmt { kind: StmtKind::Call(call), at }
    };
    for function in program.functions.iter_mut().filter(|f| f.own) {
        let main = function.name == "main";
        for block in &mut function.blocks {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for stmt in block.stmts.drain(..) {
                if let StmtKind::Call(c) = &stmt.kind
                    && let Callee::Direct(f) = c.callee
                    && let Some(&event) = events.get(&f)
                {
                    stmts.push(call(event, stmt.at));
                }
                stmts.push(stmt);
            }
            if at_end && main && matches!(block.end, End::Return(_) | End::FellOff) {
                stmts.push(call(over, block.end_at));
            }
            block.stmts = stmts;
        }
    }
    Some(())
}

/// The answer about a program with a monitor, and whether memory is allocated.
pub(crate) fn answer(
    of: &Searched<'_>,
    property: &Property,
    watched: Monitored,
    options: &Options,
    budget: &Budget,
) -> (Outcome, bool) {
    let engine = options.search.engine;
    let with = of.with(watched.data);
    let (mut out, allocates) = match watched.asked {
        Asked::End => {
            let how = how(engine).unwrap_or(How::Directed);
            termination::answer(&with, property, how, options, budget)
        }
        Asked::Place(goal) => {
            let (properties, goals) = ([property], [goal]);
            let (mut found, made) = match (engine, how(engine)) {
                (_, Some(how)) => proved(&with, &properties, &goals, how, options, budget),
                (EngineChoice::Auto, _) => {
                    reached_or_proved(&with, &properties, &goals, options, budget)
                }
                _ => reached(&with, &properties, &goals, options, budget),
            };
            let none = || Outcome::unknown(property.clone(), StopReason::Cancelled);
            (found.pop().unwrap_or_else(none), made)
        }
    };
    if out.status.is_violation() && !watched.both_ways {
        let what = "a run breaks it, and an assumption may keep that run from going on";
        let reason = StopReason::Approximate { what: what.to_owned() };
        out = Outcome { engine: out.engine, ..Outcome::unknown(property.clone(), reason) };
    }
    (out, allocates)
}
