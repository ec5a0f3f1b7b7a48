//! Remopla and pushdown systems: integers, arrays, assignments that block, relations of rules; on
//! these engines and on the reference.

#![allow(clippy::print_stderr)]

use check::{Answer, Budget, Engine, Goal, Limits, Observation, Target, Task, TraceMode, Verdict};
use engine_explicit::Explicit;
use engine_sat::{Qbf, Universal};
use engine_summary::Summary;
use ir::spds::Spds;
use source::SourceFile;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use testkit::judge::{differences, is_left_out, kind, problems};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_program;
use testkit::rng::Rng;

fn limited(seconds: u64) -> Budget {
    Budget::new(Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() })
}

fn remopla(text: &str) -> Result<Arc<ir::Program>, String> {
    let file = SourceFile::new("test.rem", text).map_err(|e| e.to_string())?;
    let (tree, errors) = front_remopla::parse(text);
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let lowered = front_remopla::lower(&tree, &file, &Default::default());
    lowered.map(Arc::new).map_err(|errors| format!("{:?}", errors[0].kind))
}

/// What is wrong with both engines' answers to everything one can ask of a program.
fn judge(program: &Arc<ir::Program>) -> Vec<String> {
    let goals = program.nodes.ids().map(|n| Goal::Reach(vec![Target::at(n)])).collect();
    let mut task = Task::new(program.clone(), goals);
    task.wants.trace = TraceMode::Any;
    task.wants.all_nodes = true;
    for node in program.nodes.ids() {
        let vars: Vec<ir::VarId> = program.scope(program.nodes[node].proc).collect();
        let layout = ir::Layout::new(program);
        let bits: usize = vars.iter().map(|&v| layout.slot(v).bits().len()).sum();
        if bits <= 12 {
            task.observe.push(Observation { node, vars });
        }
    }
    let reference = Explicit::default().run(&task, &limited(60));
    let mut out = Vec::new();
    for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
        let answer = engine.run(&task, &limited(60));
        let mut found = problems(&task, &answer);
        found.retain(|p| !is_left_out(p));
        found.extend(differences(&task, &answer, &reference));
        out.extend(found.into_iter().map(|p| format!("{}: {p}", engine.name())));
    }
    out
}

/// Writes Remopla at random: a few small integers, arrays and booleans, modules that call each
/// other, and themselves.
struct Writer {
    rng: Rng,
    text: String,
    labels: usize,
}

const INTS: [&str; 3] = ["x", "y", "i"];
const MODULES: [&str; 3] = ["f", "g", "h"];

impl Writer {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.rng.below(of.len())]
    }
    fn int(&mut self, depth: u32, local: bool) -> String {
        let kinds = if depth == 0 { 4 } else { 9 };
        match self.rng.below(kinds) {
            0 | 1 => self.pick(&INTS).to_owned(),
            2 if local => "p".to_owned(),
            2 | 3 => self.rng.below(4).to_string(),
            4 => format!("a[{}]", self.int(depth - 1, local)),
            n => {
                let operator = match n {
                    5 => "+",
                    6 => "-",
                    7 => self.pick(&["*", "/", "<<", ">>"]),
                    _ => self.pick(&["&", "|", "^"]),
                };
                let (a, b) = (self.int(depth - 1, local), self.int(depth - 1, local));
                format!("({a} {operator} {b})")
            }
        }
    }
    fn condition(&mut self, depth: u32, local: bool) -> String {
        match self.rng.below(if depth == 0 { 4 } else { 7 }) {
            0 => "b".to_owned(),
            1 => "c[i]".to_owned(),
            2 | 3 => {
                let operator = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("{} {operator} {}", self.int(2, local), self.int(1, local))
            }
            4 => format!("!({})", self.condition(depth - 1, local)),
            _ => {
                let operator = self.pick(&["&&", "||", "^^", "<=>"]);
                let (a, b) = (self.condition(depth - 1, local), self.condition(depth - 1, local));
                format!("({a}) {operator} ({b})")
            }
        }
    }
    fn assignment(&mut self, local: bool) -> String {
        match self.rng.below(8) {
            0 => format!("a[{}] = {}", self.int(1, local), self.int(2, local)),
            1 => format!("c[{}] = {}", self.int(1, local), self.condition(1, local)),
            2 => format!("b = {}", self.condition(1, local)),
            3 => format!("{} = undef", self.pick(&INTS)),
            _ => format!("{} = {}", self.pick(&INTS), self.int(2, local)),
        }
    }
    fn statements(&mut self, count: usize, depth: u32, local: bool) {
        for _ in 0..count {
            if self.rng.chance(25) {
                self.labels += 1;
                let _ = write!(self.text, "L{}: ", self.labels);
            }
            match self.rng.below(if depth == 0 { 8 } else { 11 }) {
                0..=3 => {
                    let text = self.assignment(local);
                    let _ = writeln!(self.text, "{text};");
                }
                4 => {
                    let (one, other) = (self.int(2, local), self.int(1, local));
                    let _ = writeln!(self.text, "x = {one}, y = {other};");
                }
                5 => {
                    let condition = self.condition(2, local);
                    let _ = writeln!(self.text, "skip({condition});");
                }
                6 => {
                    let (name, argument) = (self.pick(&MODULES), self.int(1, local));
                    let target = self.pick(&INTS);
                    let _ = writeln!(self.text, "{target} = {name}({argument});");
                }
                7 => {
                    let value = self.int(1, local);
                    let every = self.pick(&["A", "E"]);
                    let _ = writeln!(self.text, "{every} k (0, 2) a[k] = {value};");
                }
                n => {
                    let (open, close) = if n == 10 { ("do", "od") } else { ("if", "fi") };
                    let _ = writeln!(self.text, "{open}");
                    for _ in 0..self.rng.between(1, 2) {
                        let condition = self.condition(1, local);
                        let _ = writeln!(self.text, ":: {condition} ->");
                        let count = self.rng.between(1, 2);
                        self.statements(count, depth - 1, local);
                    }
                    if n == 10 {
                        self.text.push_str(":: true -> break;\n");
                    } else if self.rng.chance(60) {
                        self.text.push_str(":: else ->\n");
                        self.statements(1, depth - 1, local);
                    }
                    let _ = writeln!(self.text, "{close}");
                }
            }
        }
    }
}

fn random_remopla(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed), text: String::new(), labels: 0 };
    writer.text.push_str("int x(2), y(2), i(2);\nint a[3](2);\nbool b, c[2];\ninit main;\n");
    for name in MODULES {
        let _ = writeln!(writer.text, "module int(2) {name}(int p(2)) {{");
        let count = writer.rng.between(1, 3);
        writer.statements(count, 1, true);
        let value = writer.int(1, true);
        let _ = writeln!(writer.text, "return {value};\n}}");
    }
    writer.text.push_str("module void main() {\nA k (0, 2) a[k] = 0;\nb = false, c[0] = b;\n");
    let count = writer.rng.between(3, 6);
    writer.statements(count, 2, false);
    writer.text.push_str("LAST: skip;\n}\n");
    writer.text
}

#[test]
fn generated_remopla() {
    let (mut compared, mut refused) = (0, 0);
    for seed in 0..120 {
        let text = random_remopla(seed);
        let program = match remopla(&text) {
            Ok(program) => program,
            // An index or a value that never fits is an error of the text.
            Err(error) => {
                assert!(error.contains("NeverFits"), "seed {seed}: {error}\n{text}");
                refused += 1;
                continue;
            }
        };
        compared += 1;
        let found = judge(&program);
        assert!(found.is_empty(), "seed {seed}: {}\n{text}", found.join("\n"));
    }
    assert!(compared >= 60, "{compared} compared, {refused} refused");
}

/// Programs as pushdown systems in text, read again: rules with relations, results in globals.
#[test]
fn generated_pushdown_systems() {
    let mut compared = 0;
    // In the text of 99 the results of all procedures share a global; `universal` then takes more than a
    // minute for all observations of all nodes (`--reach-all` 0.3 s).
    for seed in (0..160).filter(|&seed| seed != 99) {
        let program = if seed % 2 == 0 {
            let text = random_bp(seed, Profile::Small);
            let lowered = testkit::corpus::lower("f.bp", &text, Default::default(), None);
            Arc::unwrap_or_clone(lowered.expect("a good program"))
        } else {
            random_program(seed)
        };
        let spds = Spds::from_program(&program);
        let Ok(tree) = front_remopla::pds::from_spds(&spds, &mut || true) else { continue };
        let text = front_remopla::pds::print(&tree);
        let (tree, errors) = front_remopla::pds::parse(&text);
        assert!(errors.is_empty(), "seed {seed}: {} in\n{text}", errors[0]);
        let file = SourceFile::new("f.pds", &*text).expect("a text");
        // Generated programs have indices that never fit, which no file may have.
        let Ok(read) = front_remopla::pds::lower(&tree, &file, &Default::default()) else {
            continue;
        };
        compared += 1;
        let found = judge(&Arc::new(read));
        assert!(found.is_empty(), "seed {seed}: {}\n{text}", found.join("\n"));
    }
    assert!(compared >= 60, "{compared} compared");
}

/// By label, whether it is reached; `None` if nobody knows.
fn verdicts(answer: &Answer) -> Vec<Option<bool>> {
    let verdict = |v: &Verdict| match v {
        Verdict::Unknown(_) => None,
        _ => Some(kind(v) == "reached"),
    };
    answer.verdicts.iter().map(verdict).collect()
}

/// Programs that others wrote, with integers of thirty bits: against decision diagrams, for
/// enumeration is hopeless.
#[test]
fn remopla_of_others() {
    let corpus = match testkit::corpus::shared_folder() {
        Ok(folder) => folder.join("remopla"),
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let Ok(files) = std::fs::read_dir(&corpus) else {
        return eprintln!("skipped: there is no {}", corpus.display());
    };
    let mut paths: Vec<_> = files.filter_map(|f| Some(f.ok()?.path())).collect();
    paths.sort();
    let (mut agreed, mut open) = (0, 0);
    for path in paths {
        let name = path.display();
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
        let program = match remopla(&text) {
            Ok(program) => program,
            Err(why) => {
                eprintln!("skipped {name}: {why}");
                continue;
            }
        };
        // The first node and the last ones, which only complete runs reach.
        let nodes: Vec<ir::NodeId> = program.nodes.ids().collect();
        let asked = nodes.iter().take(1).chain(nodes.iter().rev().take(3));
        let goals = asked.map(|&n| Goal::Reach(vec![Target::at(n)])).collect();
        let mut task = Task::new(program.clone(), goals);
        task.wants.trace = TraceMode::Any;
        task.wants.certificate = false;
        let reference = verdicts(&Summary::default().run(&task, &limited(5)));
        for engine in [&Qbf::default() as &dyn Engine, &Universal::default()] {
            let answer = engine.run(&task, &limited(5));
            for (i, (ours, theirs)) in verdicts(&answer).into_iter().zip(&reference).enumerate() {
                match (ours, theirs) {
                    (Some(x), Some(y)) => {
                        assert_eq!(x, *y, "{name}, goal {i}, {}", engine.name());
                        agreed += 1;
                    }
                    _ => open += 1,
                }
                if let Verdict::Violated(Some(trace)) = &answer.verdicts[i] {
                    replay::check_trace(&program, &task.goals[i], trace)
                        .unwrap_or_else(|r| panic!("{name}, goal {i}: {r}"));
                }
            }
        }
    }
    eprintln!("{agreed} goals agreed, {open} open");
    assert!(agreed > 30, "{agreed} goals agreed, {open} open");
}
