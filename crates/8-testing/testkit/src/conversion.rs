//! Programs written in other languages: the same answers, and the same text when they are written
//! once more.
//!
//! A [`Tool`] reads, converts and checks; this compares. For every label of the original, by itself
//! and within its procedure, for every procedure and for the assertions, the converted program has
//! to say the same; for some, also which formulas hold.

use check::{Budget, Engine, Limits, Task, TraceMode, Wants};
use ir::{Id, Program};
use property::{Property, places};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A language that programs are written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Boolean programs.
    Bp,
    /// Remopla.
    Remopla,
    /// Pushdown systems.
    Pds,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::Bp, Language::Remopla, Language::Pds];

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Bp => "bp",
            Language::Remopla => "rem",
            Language::Pds => "pds",
        }
    }
}

/// What became of a conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// The text.
    Text(String),
    /// The target has no words for it, for this reason.
    Refused(String),
    /// A limit was reached.
    Stopped,
}

/// What is tested.
pub trait Tool: Sync {
    /// The program that a text describes, or what is wrong with it.
    fn load(&self, language: Language, text: &str) -> Result<Program, String>;
    /// The text in another language.
    fn convert(&self, from: Language, text: &str, to: Language) -> Result<Written, String>;
    /// Whether the properties hold, where that is known. `engine` is any number.
    fn check(
        &self,
        language: Language,
        text: &str,
        properties: &[Property],
        engine: usize,
    ) -> Result<Vec<Option<bool>>, String>;
}

/// What was found on one program.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Labels, procedures and assertions that were compared and are reached.
    pub reached: u64,
    /// Those that are not.
    pub unreached: u64,
    /// Formulas that were compared.
    pub formulas: u64,
    /// Why there is no text.
    pub refused: Option<String>,
    /// An engine ran out of time.
    pub open: bool,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// What one engine may take for one program.
const LIMIT: Duration = Duration::from_secs(10);

/// Which nodes are reached; `None` if the engine does not say.
pub fn reached(program: &Arc<Program>, engine: &dyn Engine) -> Option<Vec<bool>> {
    let mut task = Task::new(program.clone(), Vec::new());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let limits = Limits { time: Some(LIMIT), memory: Some(2 << 30), steps: None };
    engine.run(&task, &Budget::new(limits)).reached
}

/// The answers to all questions about places, by what is asked.
fn answers(program: &Program, reached: &[bool]) -> BTreeMap<String, bool> {
    let mut out = BTreeMap::new();
    let mut ask = |question: String| {
        if let Ok(nodes) = places(program, &question) {
            let any = nodes.iter().any(|node| reached[node.index()]);
            out.insert(question, any);
        }
    };
    for label in &program.labels {
        let name = program.text(label.name);
        ask(name.to_owned());
        ask(format!("{}:{name}", program.proc_name(program.nodes[label.node].proc)));
    }
    for proc in program.procs.ids() {
        ask(program.proc_name(proc).to_owned());
    }
    out
}

fn fails(program: &Program, reached: &[bool]) -> bool {
    program.procs.iter().filter_map(|p| p.error).any(|node| reached[node.index()])
}

/// Compares a program with its text in another language. `source` is a text of its own, for
/// formulas; without it, only places are compared.
pub fn compare(
    tool: &dyn Tool,
    (original, before): (&Program, &[bool]),
    (to, text): (Language, &str),
    engine: (&str, &dyn Engine),
    out: &mut Compared,
) {
    let read = match tool.load(to, text) {
        Ok(read) => Arc::new(read),
        Err(error) => {
            return out.problems.push(format!("the text is not accepted: {error}\n{text}"));
        }
    };
    let Some(after) = reached(&read, engine.1) else {
        out.open = true;
        return;
    };
    for (question, was) in answers(original, before) {
        let qualified = question.rsplit_once(':');
        let nodes = match places(&read, &question) {
            Ok(nodes) => nodes,
            // A pushdown system has no procedures, and a procedure whose name is none has another.
            Err(_) if qualified.is_some() => continue,
            Err(_) if original.labelled(None, &question).is_empty() => continue,
            Err(_) => {
                out.problems.push(format!("`{question}` is lost\n{text}"));
                continue;
            }
        };
        let is = nodes.iter().any(|node| after[node.index()]);
        *if was { &mut out.reached } else { &mut out.unreached } += 1;
        if was != is {
            let what = format!("`{question}` was reached: {was}, is: {is} ({})", engine.0);
            out.problems.push(format!("{what}\n{text}"));
        }
    }
    let (was, is) = (fails(original, before), fails(&read, &after));
    *if was { &mut out.reached } else { &mut out.unreached } += 1;
    if was != is {
        out.problems
            .push(format!("an assertion failed: {was}, fails: {is} ({})\n{text}", engine.0));
    }
    match tool.convert(to, text, to) {
        Ok(Written::Text(again)) if again == text => {}
        Ok(Written::Text(again)) => {
            out.problems.push(format!("once more it is another text\n{text}\n{again}"));
        }
        other => out.problems.push(format!("once more it is no text: {other:?}\n{text}")),
    }
}

/// Compares a text with what it becomes in another language.
pub fn converted(
    tool: &dyn Tool,
    (from, text): (Language, &str),
    to: Language,
    engines: [(&str, &dyn Engine); 2],
    formulas: bool,
) -> Compared {
    let mut out = Compared::default();
    let original = match tool.load(from, text) {
        Ok(original) => Arc::new(original),
        Err(error) => {
            out.problems.push(format!("the original is not accepted: {error}\n{text}"));
            return out;
        }
    };
    let written = match tool.convert(from, text, to) {
        Ok(Written::Text(written)) => written,
        Ok(Written::Refused(why)) => {
            out.refused = Some(why);
            return out;
        }
        Ok(Written::Stopped) => {
            out.open = true;
            return out;
        }
        Err(error) => {
            out.problems.push(format!("not converted: {error}"));
            return out;
        }
    };
    let Some(before) = reached(&original, engines[0].1) else {
        out.open = true;
        return out;
    };
    compare(tool, (&original, &before), (to, &written), engines[1], &mut out);
    if formulas {
        same_formulas(tool, &original, [(from, text), (to, &written)], &mut out);
    }
    if !out.problems.is_empty() {
        out.problems.push(format!("the original:\n{text}"));
    }
    out
}

/// Formulas that do not depend on how many steps things take.
fn same_formulas(
    tool: &dyn Tool,
    original: &Program,
    [(from, text), (to, written)]: [(Language, &str); 2],
    out: &mut Compared,
) {
    let mut properties = vec![Property::Terminates { fair: Vec::new() }, Property::ltl("F error")];
    let plain = |name: &str| {
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !["begin", "end", "T", "F", "skip", "A"].contains(&name)
    };
    // A stack symbol has one label: of those of one statement, which may become several, the first.
    let mut nodes = std::collections::BTreeSet::new();
    let labels = original.labels.iter().filter(|label| nodes.insert(label.node));
    let labels = labels.map(|label| original.text(label.name));
    let labels: Vec<&str> = labels.filter(|name| plain(name)).take(3).collect();
    for label in &labels {
        properties.push(Property::ltl(format!("G !at({label})")));
        properties.push(Property::ltl(format!("G F at({label})")));
        properties.push(Property::ltl(format!("F at({label}) || F terminated")));
    }
    if let [a, b, ..] = labels[..] {
        properties.push(Property::ltl(format!("G (at({a}) -> F at({b}))")));
    }
    let engine = text.len();
    let asked = [(from, text), (to, written)]
        .map(|(language, text)| tool.check(language, text, &properties, engine));
    let (was, is) = match asked {
        [Ok(was), Ok(is)] => (was, is),
        [was, is] => {
            let what = [was.err(), is.err()].into_iter().flatten().collect::<Vec<_>>().join("; ");
            out.problems.push(format!("formulas are not answered: {what}\n{written}"));
            return;
        }
    };
    for ((was, is), property) in was.into_iter().zip(is).zip(&properties) {
        let (Some(was), Some(is)) = (was, is) else {
            out.open = true;
            continue;
        };
        out.formulas += 1;
        if was != is {
            let what = format!("{property:?} held: {was}, holds: {is}");
            out.problems.push(format!("{what}\n{written}"));
        }
    }
}
