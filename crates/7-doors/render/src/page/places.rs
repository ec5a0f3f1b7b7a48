//! Pages about places of a program: what can hold there, which stacks are below, which variables matter.

use super::book::{Book, Head};
use super::picture::Picture;
use super::runs::Rows;
use crate::text::quoted;
use crate::values::Reader;
use crate::{Stack, StackAutomaton, Stacks, States, Status};
use ir::Program;
use source::SourceFile;
use std::io::{self, Write};
use std::sync::Arc;

/// A place of a program, and what is said of it.
#[derive(Clone, Debug)]
pub struct Point<'a> {
    /// The function.
    pub function: &'a str,
    /// The file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The statement.
    pub text: &'a str,
    /// What is said; none: it is never reached.
    pub said: Option<String>,
    /// Why, a line each.
    pub because: Vec<String>,
}

/// Writes a page that says something of each place of a program.
pub fn points_html(
    files: &[Arc<SourceFile>],
    title: &str,
    about: &str,
    points: &[Point<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut book = Book::new(files);
    let mut rows = Rows::default();
    let mut said = Vec::new();
    for (k, point) in points.iter().enumerate() {
        let spot = (point.line, point.column);
        rows.s.push(book.point(point.function, point.file, spot, point.text));
        match &point.said {
            Some(text) => {
                said.push((k, text.clone()));
                if !point.because.is_empty() {
                    rows.w.push((k, point.because.clone()));
                }
            }
            None => rows.x.push(k),
        }
    }
    rows.i = Some(said);
    let run = Some(book.run(&rows));
    let name = files.first().map_or("", |f| f.name());
    book.places = true;
    book.headline = format!("{name}: {title}");
    book.side = "What matters";
    about.clone_into(&mut book.about);
    book.results.push(Head {
        title: title.to_owned(),
        rule: title.to_owned(),
        verdict: "",
        level: "none",
        message: Some(match points.len() {
            1 => "1 point of the program".to_owned(),
            n => format!("{n} points of the program"),
        }),
        run,
        ..Head::default()
    });
    book.write(out)
}

/// Writes what can hold at a place as a page.
pub fn states_html(states: &States, out: &mut dyn Write) -> io::Result<()> {
    let program = &*states.program;
    let mut book = Book::new(&states.files);
    let at = quoted(&states.at);
    let name = states.files.first().map_or("", |f| f.name());
    book.headline = format!("{name}: what can hold at {at}");
    book.about = told(&states.engine);
    book.took(states.seconds);
    book.places = true;
    book.side = "What can hold";
    if let Some(reason) = &states.stop_reason {
        let title = format!("what holds at {at}? ({reason})");
        book.results.push(Head { title, verdict: "unknown", level: "none", ..Head::default() });
    }
    let reader = Reader::new(program);
    for place in &states.places {
        let mut rows = Rows::default();
        let number = book.statement(program, place.node);
        let mut said = Vec::new();
        for (name, text) in &place.formula.definitions {
            said.push(format!("where {name} is {text}"));
        }
        said.push(format!("as a formula: {}", place.formula.text));
        for cube in &place.cubes {
            let values = place.vars.iter().filter_map(|&var| {
                let value = reader.pattern(cube, var)?;
                Some(format!("{}={value}", program.var_name(var)))
            });
            let values = values.collect::<Vec<_>>().join(" ");
            said.push(format!("a case: {}", if values.is_empty() { "anything" } else { &values }));
        }
        if place.cut {
            said.push("… and more cubes (`--max-cubes` shows more)".to_owned());
        }
        rows.s = vec![number; if place.reachable { said.len() } else { 1 }];
        rows.i = Some(match place.reachable {
            true => said.into_iter().enumerate().collect(),
            false => {
                rows.x.push(0);
                Vec::new()
            }
        });
        let run = Some(book.run(&rows));
        let info = &program.nodes[place.node];
        let count = place.count.map(|n| format!("{n} valuation{}", if n == 1 { "" } else { "s" }));
        let mut head = Head {
            title: format!("{}: {}", crate::text::place(program, place.node), {
                program.text(info.origin.text)
            }),
            rule: at.clone(),
            verdict: if place.reachable { "reachable" } else { "unreachable" },
            level: "none",
            summary: count.filter(|_| place.reachable),
            run,
            ..Head::default()
        };
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        head.place(&mut book, file, info.origin.line);
        book.results.push(head);
    }
    book.write(out)
}

fn told(engine: &str) -> String {
    format!("bop {}, engine {engine}", env!("CARGO_PKG_VERSION"))
}

/// Writes what is known of stacks as a page, automata as pictures.
pub fn stacks_html(stacks: &Stacks, out: &mut dyn Write) -> io::Result<()> {
    let program = &*stacks.program;
    let mut book = Book::new(&stacks.files);
    let name = stacks.files.first().map_or("", |f| f.name());
    let question = match (&stacks.at, &stacks.to) {
        (Some(at), _) => format!("stacks below {}", quoted(at)),
        (None, Some(to)) => format!("a stack of {to}"),
        (None, None) => "stacks".to_owned(),
    };
    let from = stacks.from.as_ref().map(|from| format!(", from {from}")).unwrap_or_default();
    let asks = match (&stacks.at, &stacks.to) {
        (None, Some(_)) => format!("is {question} reached"),
        _ => format!("which {question} are there"),
    };
    book.headline = format!("{name}: {asks}{from}?");
    book.about = told(&stacks.engine);
    book.took(stacks.seconds);
    book.places = true;
    book.side = "Stacks";
    let verdict = match (&stacks.stop_reason, stacks.status) {
        (Some(_), _) => Some(Status::Unknown),
        (None, status) => status,
    };
    if let Some(verdict) = verdict {
        let mut head = Head {
            title: question.clone(),
            rule: question.clone(),
            verdict: verdict.word(),
            level: if verdict == Status::Reachable { "error" } else { "none" },
            warnings: stacks.stop_reason.iter().map(ToString::to_string).collect(),
            ..Head::default()
        };
        if let Some(stack) = &stacks.reached {
            head.summary =
                Some("A stack with the fewest frames, the topmost one first.".to_owned());
            let rows = frames(program, stack, &mut book);
            head.run = Some(book.run(&rows));
        }
        book.results.push(head);
    }
    for automaton in &stacks.automata {
        let info = &program.nodes[automaton.node];
        let place = crate::text::place(program, automaton.node);
        let mut head = Head {
            title: format!("stacks below {place}: {}", program.text(info.origin.text)),
            rule: question.clone(),
            verdict: if automaton.states.is_empty() { "unreachable" } else { "reachable" },
            level: "none",
            summary: automaton.expression.clone(),
            text_of_rule: None,
            ..Head::default()
        };
        let file = program.files.get(info.origin.file as usize).map_or("", String::as_str);
        head.place(&mut book, file, info.origin.line);
        head.picture(&mut book, "The stacks, the innermost frame first", &drawn(automaton));
        book.results.push(head);
    }
    book.write(out)
}

fn drawn(automaton: &StackAutomaton) -> Picture<'_> {
    let edges = automaton.states.iter().zip(0u32..).flat_map(|(state, from)| {
        state.edges.iter().map(move |(label, to)| (from, label.as_str(), *to))
    });
    Picture { states: automaton.states.iter().map(|s| s.end).collect(), edges: edges.collect() }
}

/// The frames of a stack with their values.
fn frames(program: &Program, stack: &Stack, book: &mut Book<'_>) -> Rows {
    let mut reader = Reader::new(program);
    let mut rows = Rows::default();
    let mut said = Vec::new();
    for (k, frame) in stack.frames.iter().enumerate() {
        rows.s.push(book.statement(program, frame.node));
        let proc = program.nodes[frame.node].proc;
        let values = reader.values(proc, &frame.state).into_iter();
        let values = values.map(|(var, value)| format!("{}={value}", program.var_name(var)));
        let values = values.collect::<Vec<_>>().join(" ");
        said.push((
            k,
            if values.is_empty() { "a frame without values".to_owned() } else { values },
        ));
    }
    rows.i = Some(said);
    rows
}
