//! What holds of any bytes, for every reader, every verb and every output: nothing panics, nothing
//! takes long, nothing is called an internal error, and machines can read what is written for them.
//! Shared by the fuzz targets (`fuzz/fuzz_targets`) and by the tests of their seeds.
#![allow(dead_code)]

use equations::{
    EquationForm, Hosts, InfluenceAnalysis, InfluenceMethod, Method, MuSyntax, Resolution, Stream,
    View,
};
use postbop::preprocess::{Source, compile_commands, shell_words};
use postbop::{
    CProgram, CText, Configurations, Encoding, EngineChoice, Error, Input, Judgement, Limits,
    Matched, Options, Property, Runs, Search, Shown, SourceFile, StackQuestion, Stage, StopReason,
    Target, TraceMode, Watch, Words,
};
use std::sync::Arc;
use std::time::Duration;

/// A target by its name, for seeds and reproducers.
pub(crate) type Fuzzed = fn(&[u8]);

/// All targets that are defined here.
pub(crate) const TARGETS: [(&str, Fuzzed); 18] = [
    ("remopla", remopla),
    ("pds", pds),
    ("rule_files", rule_files),
    ("ltl", ltl),
    ("sere", sere),
    ("mu", mu),
    ("aut", aut),
    ("bes", bes),
    ("blk", blk),
    ("pbes", pbes),
    ("hoa", hoa),
    ("report", report),
    ("commands", commands),
    ("hosts", hosts),
    ("expressions", expressions),
    ("verbs", verbs),
    ("c_verbs", c_verbs),
    ("equations", equations),
];

/// Small limits: whatever a text asks for, a run ends soon.
fn options() -> Options {
    let limits = Limits {
        time: Some(Duration::from_millis(300)),
        memory: Some(256 << 20),
        steps: Some(5_000),
    };
    Options {
        search: Search { limits, ..Search::default() },
        shown: Shown { max_steps: 2_000, max_cubes: 50, ..Shown::default() },
        ..Options::default()
    }
}

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

fn file(name: &str, text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new(name, text).expect("it is short"))
}

/// Errors are errors of the input, with places that are in it, and can be shown.
fn fair<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Internal(what)) => panic!("internal error: {what}"),
        Err(Error::Rejected { file, diagnostics }) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                let shown = source::render(diagnostic, &file);
                let calm = |c: char| !source::is_active(c) || c == '\n' || c == '\t';
                assert!(shown.chars().all(calm), "{shown:?}");
            }
            None
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn fair_stop(reason: Option<&StopReason>) {
    if let Some(StopReason::Internal { what }) = reason {
        panic!("internal error: {what}");
    }
}

/// Bytes that choose, and the rest.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[usize::from(self.next()) % all.len()].clone()
    }

    /// The text that is left, in two parts if a line `---` is in it: a question, and what it is about.
    fn parts(&self) -> (String, String) {
        let all = text(self.0);
        match all.split_once("\n---\n") {
            Some((question, rest)) => (question.to_owned(), rest.to_owned()),
            None => (String::new(), all),
        }
    }
}

/// Remopla: what is accepted is a valid program.
pub(crate) fn remopla(data: &[u8]) {
    program("f.rem", &text(data));
}

/// Pushdown systems, likewise.
pub(crate) fn pds(data: &[u8]) {
    program("f.pds", &text(data));
}

fn program(name: &str, text: &str) {
    let files = [file(name, text)];
    if let Some(program) = fair(postbop::load(&files, &options().input)) {
        program.validate().unwrap_or_else(|invalid| panic!("{invalid}"));
    }
    fair(postbop::dump(&files, &Stage::Tree, &options(), &Watch::default()));
}

/// Files of rules.
pub(crate) fn rule_files(data: &[u8]) {
    let text = text(data);
    let file = file("f.rule", &text);
    if let Err(error) = postbop::parse_rules(&text) {
        let shown = source::render(&postbop::rule_error(&file, &error), &file);
        assert!(shown.contains("f.rule"));
    }
}

/// Temporal formulas: their automata can be read back.
pub(crate) fn ltl(data: &[u8]) {
    let text = text(data);
    // Automata grow with formulas, and that much is known.
    if text.len() > 120 {
        return;
    }
    for plain in [false, true] {
        if let Some(automaton) =
            fair(postbop::ltl(&text, plain, options().search.limits, &Watch::default()))
        {
            let written = automaton.hoa();
            automata::hoa::parse(&written).unwrap_or_else(|e| panic!("{e} in {written}"));
            assert!(automaton.dot().starts_with("digraph"));
            assert!(!automaton.text().is_empty());
        }
    }
}

const PROGRAM: &str = "decl g, h;\nbool f(x) begin\n  decl y;\n  L: if (x) then return !x; fi\n  \
                       y := f(!x);\n  return y;\nend\nvoid main() begin\n  g := *; h := f(g);\n  R: assert(g | h);\n  \
                       while (*) do g := !g; od\nend\n";

/// Regular expressions of Sugar, about a program.
pub(crate) fn sere(data: &[u8]) {
    let property = Property::Sere { formula: text(data) };
    checked(&[file("f.bp", PROGRAM)], &[property], &options());
}

/// Formulas of the mu-calculus, in both syntaxes: on a model, and as equations.
pub(crate) fn mu(data: &[u8]) {
    let formula = file("f.mcf", &text(data));
    let model = file("m.aut", MODEL);
    for syntax in [MuSyntax::Mcrl2, MuSyntax::Cadp] {
        let how = Resolution { method: Method::Auto, diagnostic: true, ..Resolution::default() };
        fair(equations::eval(&formula, syntax, &model, &how, &options(), &Watch::default()));
    }
}

const MODEL: &str = "des (0, 6, 4)\n(0, \"SEND !x !1\", 1)\n(1, \"ASSIGN !y !x\", 2)\n(2, i, 0)\n\
                     (1, \"BOOL !y\", 3)\n(3, \"a\", 3)\n(2, \"b\", 1)\n";

/// Transition systems: what is read is read again from what is written.
pub(crate) fn aut(data: &[u8]) {
    let Ok(model) = lts::aut::read(data, &mut |_| true) else { return };
    if model.states() > 100_000 {
        return;
    }
    let mut out = Vec::new();
    match lts::aut::write(&model, &mut out) {
        // A label that no quotes can hold is refused.
        Err(lts::aut::AutError::Label(_)) => return,
        written => written.expect("a vector takes everything"),
    }
    let again = lts::aut::read(&out[..], &mut |_| true).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((model.states(), model.len()), (again.states(), again.len()));
    assert!((0..model.states()).all(|s| model.from(s).len() == again.from(s).len()));
    let formula = file("f", "[true*]<true>true");
    let model = file("m.aut", &text(data));
    let how = Resolution { method: Method::Auto, diagnostic: true, ..Resolution::default() };
    fair(equations::eval(&formula, MuSyntax::Either, &model, &how, &options(), &Watch::default()));
}

/// Blocks of boolean equations: all methods, and reading as a stream, agree.
pub(crate) fn bes(data: &[u8]) {
    solved("s.bes", data);
}

/// Parity games.
pub(crate) fn pg(data: &[u8]) {
    solved("s.pg", data);
}

/// Modal equations.
pub(crate) fn blk(data: &[u8]) {
    solved("s.blk", data);
}

/// Parameterised equations.
pub(crate) fn pbes(data: &[u8]) {
    solved("s.pbes", data);
}

fn solved(name: &str, data: &[u8]) {
    let system = file(name, &text(data));
    let model = name.ends_with("blk").then(|| file("m.aut", MODEL));
    let methods = [Method::Auto, Method::BreadthFirst, Method::Global];
    let values = methods.map(|method| {
        let how =
            Resolution { method, diagnostic: method == Method::Auto, ..Resolution::default() };
        let solution =
            equations::solve(&system, model.as_ref(), &how, &options(), &Watch::default());
        fair(solution).map(|s| s.value)
    });
    // A limit, and an equation without a value, stop some methods and not others.
    let known: Vec<bool> = values.into_iter().flatten().collect();
    assert!(known.windows(2).all(|two| two[0] == two[1]), "methods disagree");
    if name.ends_with(".bes") {
        let stream = Stream { name: "s", input: Box::new(data) };
        let how = Resolution { method: Method::Auto, diagnostic: false, ..Resolution::default() };
        let streamed = equations::solve_stream(stream, None, &how, &options(), &Watch::default());
        if let (Some(streamed), [Some(first), ..]) = (fair(streamed), values) {
            assert_eq!(streamed.value, first, "the stream disagrees");
        }
    }
}

/// Automata in the Hanoi format: what is read prints as itself.
pub(crate) fn hoa(data: &[u8]) {
    let text = text(data);
    let Ok(automaton) = automata::hoa::parse(&text) else { return };
    let printed = automata::hoa::print(&automaton, None);
    let again = automata::hoa::parse(&printed).unwrap_or_else(|e| panic!("{e} in {printed}"));
    assert_eq!(automata::hoa::print(&again, None), printed);
}

/// Reports, judged by `replay`: whatever they claim, the answer is about them.
pub(crate) fn report(data: &[u8]) {
    let Ok(claims) = render::read_report(&text(data)) else { return };
    let files = [file("f.bp", PROGRAM)];
    if let Some(judged) = fair(postbop::replay(&files, &claims, &options(), &Watch::default())) {
        assert_eq!(judged.len(), claims.len());
        for claim in &claims {
            assert!(render::title(&claim.property).len() < usize::MAX);
        }
    }
}

/// Compilation databases: whatever they say, what is passed is harmless.
pub(crate) fn commands(data: &[u8]) {
    let text = text(data);
    let found = compile_commands(&text).unwrap_or_default();
    let line = postbop::preprocess::sources("cc", &shell_words(&text), None);
    for source in found.iter().chain(&line) {
        let (safe, _) = source.untrusted();
        assert_eq!(safe.compiler, None);
        harmless(&safe);
    }
}

/// No word of ours is a file of flags, and each flag is of a kind that runs nothing.
fn harmless(source: &Source) {
    let invocation = postbop::preprocess::invocation(source);
    assert_eq!(invocation.program, "cc");
    let mut flags = source.flags.iter();
    while let Some(flag) = flags.next() {
        assert!(flag.starts_with('-') && flag.len() > 1, "{flag}");
        for bad in
            ["-B", "-fplugin", "-specs", "--specs", "-wrapper", "-X", "-mllvm", "-load", "-o"]
        {
            assert!(!flag.starts_with(bad), "{flag}");
        }
        let alone = ["-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-x"];
        let rest =
            ["-imacros", "-iprefix", "-iwithprefix", "-isysroot", "--sysroot", "-arch", "-target"];
        if alone.contains(&flag.as_str()) || rest.contains(&flag.as_str()) {
            let value = flags.next().expect("it takes a word");
            assert!(!value.starts_with(['@', '-']), "{flag} {value}");
        }
        let named = ["--sysroot="].iter().chain(&alone).chain(&rest);
        let value = named.filter_map(|name| flag.strip_prefix(name)).min_by_key(|v| v.len());
        assert!(!value.unwrap_or("").starts_with('@'), "{flag}");
    }
    let last = invocation.arguments.last().expect("the file");
    assert!(!last.starts_with(['-', '@']), "{last}");
}

/// Lists of processes.
pub(crate) fn hosts(data: &[u8]) {
    if let Ok(hosts) = Hosts::parse(&text(data)) {
        assert!(!hosts.addresses().is_empty());
    }
}

/// Regular expressions and automata over stacks.
pub(crate) fn expressions(data: &[u8]) {
    let files = [file("f.bp", PROGRAM)];
    let set = file("--to", &text(data));
    for to in [Configurations::Expression(set.clone()), Configurations::Automaton(set)] {
        let question =
            StackQuestion { to: Some(to), words: Some(Words::Calls), ..StackQuestion::default() };
        shown_stacks(&files, &question, &options());
    }
}

/// Programs in all languages but C, through all verbs and formats.
pub(crate) fn verbs(data: &[u8]) {
    let mut choices = Choices(data);
    let name = choices.of(&["f.bp", "f.rem", "f.pds"]);
    let mut options = options();
    options.search.engine = engine(&mut choices);
    options.search.self_check = choices.next() % 2 == 0;
    options.search.trace = choices.of(&[TraceMode::Shortest, TraceMode::Any, TraceMode::None]);
    let matchings =
        [None, None, None, Some(Some(Matched::Ia1)), Some(Some(Matched::Ia4)), Some(None)];
    options.search.matching = choices.of(&matchings);
    if options.search.matching.is_some() {
        options.search.engine = EngineChoice::Explicit;
    }
    let verb = choices.next();
    let (question, text) = choices.parts();
    every_verb(&[file(name, &text)], verb, &question, &[], &options);
}

/// C, likewise, with rules.
pub(crate) fn c_verbs(data: &[u8]) {
    let mut choices = Choices(data);
    let mut options = options();
    options.search.engine = engine(&mut choices);
    options.search.self_check = choices.next() % 2 == 0;
    let verb = choices.next();
    let (question, text) = choices.parts();
    let unit = CText { name: "f.c".to_owned(), text: text.clone(), directory: None };
    let Some(program) = fair(CProgram::new(vec![unit])) else { return };
    assert!(program.warnings().len() < usize::MAX);
    options.input.c = Some(Arc::new(program));
    let ready: Vec<_> = postbop::built_in_rules().iter().collect();
    let mut rules = Vec::new();
    if verb % 2 == 0 {
        let asked = postbop::parse_rules(&question).ok().filter(|rules| !rules.is_empty());
        let asked = asked.unwrap_or_else(|| {
            let one = ready[usize::from(verb) % ready.len()].text;
            postbop::parse_rules(one).expect("ready-made rules are right")
        });
        rules = asked.iter().map(postbop::rule_property).collect();
    }
    every_verb(&[file("f.c", &text)], verb, &question, &rules, &options);
    for target in [
        Target::Smv { depth: 3, encoding: Encoding::Bits },
        Target::Edl { depth: 3, encoding: Encoding::Int },
        Target::Cout,
    ] {
        fair(postbop::convert(&[file("f.c", &text)], target, &options, &Watch::default()));
    }
}

fn engine(choices: &mut Choices<'_>) -> EngineChoice {
    use EngineChoice::{Auto, Compare, Explicit, Post, Pre, Qbf, Summary, Universal};
    choices.of(&[Explicit, Summary, Post, Pre, Qbf, Universal, Auto, Compare])
}

/// Checks, shows the report in every format, and replays what it says.
fn checked(files: &[Arc<SourceFile>], properties: &[Property], options: &Options) {
    let Some(report) = fair(postbop::check(files, properties, options, &Watch::default())) else {
        return;
    };
    for outcome in &report.results {
        fair_stop(outcome.stop_reason.as_ref());
    }
    let page = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("pages are UTF-8")
    };
    let text = render::TextOptions { quiet: false, verbose: true, stats: true, proofs: true };
    page(&|out| render::text(&report, &text, out));
    page(&|out| render::bebop(&report, out));
    let html = page(&|out| render::html(&report, 0.0, out));
    assert!(html.trim_end().ends_with("</html>"));
    let json = page(&|out| render::json(&report, out));
    let sarif = page(&|out| render::sarif(&report, None, out));
    for json in [&json, &sarif] {
        serde_json::from_str::<serde_json::Value>(json).unwrap_or_else(|e| panic!("{e}: {json}"));
    }
    let claims = render::read_report(&json).unwrap_or_else(|e| panic!("{e}: {json}"));
    if let Some(judged) = fair(postbop::replay(files, &claims, options, &Watch::default())) {
        for judgement in judged {
            assert!(!matches!(judgement, Judgement::Refused(_)), "{judgement:?}: {json}");
        }
    }
}

fn shown_stacks(files: &[Arc<SourceFile>], question: &StackQuestion, options: &Options) {
    if let Some(stacks) = fair(postbop::stacks(files, question, options, &Watch::default())) {
        fair_stop(stacks.stop_reason.as_ref());
        let mut out = Vec::new();
        let text = render::TextOptions { verbose: true, stats: true, ..Default::default() };
        render::stacks_text(&stacks, &text, &mut out).expect("a vector takes everything");
        render::stacks_dot(&stacks, &mut out).expect("likewise");
        let mut json = Vec::new();
        render::stacks_json(&stacks, &mut json).expect("likewise");
        serde_json::from_slice::<serde_json::Value>(&json).expect("it is JSON");
    }
}

/// One verb on a program; a question where one is given.
fn every_verb(
    files: &[Arc<SourceFile>],
    verb: u8,
    question: &str,
    rules: &[Property],
    options: &Options,
) {
    let checked = |files: &[Arc<SourceFile>], properties: &[Property], options: &Options| {
        checked(files, &[properties, rules].concat(), options);
    };
    let watch = Watch::default();
    let formula =
        |other: &str| if question.is_empty() { other.to_owned() } else { question.to_owned() };
    let label = formula("R");
    match verb % 16 {
        0 => checked(files, &[], options),
        1 => checked(files, &[Property::reach(&label), Property::Assert], options),
        2 => checked(files, &[Property::ReachAll], options),
        3 => {
            let ltl = Property::Ltl { formula: formula("G F at(R)"), fair: Vec::new() };
            checked(files, &[ltl], options);
        }
        4 => {
            let fair = if question.is_empty() { Vec::new() } else { vec![question.to_owned()] };
            checked(files, &[Property::Terminates { fair }], options);
        }
        5 => {
            let formula = formula("never {true[*]; at(R); true[*]; at(R)}");
            checked(files, &[Property::Sere { formula }], options);
        }
        6 => {
            let states = postbop::states(files, &label, &[], &Runs::OfProgram, options, &watch);
            if let Some(states) = fair(states) {
                fair_stop(states.stop_reason.as_ref());
                let (mut out, mut json) = (Vec::new(), Vec::new());
                let text = render::TextOptions { verbose: true, stats: true, ..Default::default() };
                render::states_text(&states, &text, &mut out).expect("a vector takes everything");
                render::states_json(&states, &mut json).expect("likewise");
                serde_json::from_slice::<serde_json::Value>(&json).expect("it is JSON");
            }
        }
        7 => {
            let words = Some(Words::Procs);
            let at = StackQuestion { at: Some(label), words, ..StackQuestion::default() };
            shown_stacks(files, &at, options);
        }
        8 => {
            let set = Configurations::Expression(file("--to", &formula("main .*")));
            let to = StackQuestion { to: Some(set.clone()), ..StackQuestion::default() };
            shown_stacks(files, &to, options);
            let runs = Runs::From(set);
            if let Some(states) = fair(postbop::states(files, "R", &[], &runs, options, &watch)) {
                fair_stop(states.stop_reason.as_ref());
            }
        }
        9 => {
            for (target, ending) in
                [(Target::Bp, "bp"), (Target::Remopla, "rem"), (Target::Pds, "pds")]
            {
                let Some(text) = fair(postbop::convert(files, target, options, &Watch::default()))
                else {
                    continue;
                };
                let options = Options {
                    input: Input { c: None, entry: None, ..options.input.clone() },
                    ..options.clone()
                };
                let written = [file(&format!("g.{ending}"), &text)];
                match postbop::load(&written, &options.input) {
                    Ok(_) => {}
                    // A program that starts nowhere is written as it is.
                    Err(Error::Rejected { diagnostics, .. })
                        if diagnostics.iter().all(|d| d.code.contains("no-entry")) => {}
                    Err(Error::Rejected { file, diagnostics }) => {
                        panic!("{}{text}", source::render(&diagnostics[0], &file))
                    }
                    Err(error) => panic!("{error}: {text}"),
                }
            }
            fair(postbop::convert(files, Target::Dot, options, &Watch::default()));
        }
        10 => {
            let properties = vec![Property::reach(&label), Property::Assert];
            for stage in [Stage::Tree, Stage::Ir, Stage::Spds, Stage::Task(properties)] {
                fair(postbop::dump(files, &stage, options, &Watch::default()));
            }
        }
        11 => {
            for view in [
                View::Data { terms: false },
                View::Data { terms: true },
                View::States { depth: Some(3) },
            ] {
                let mut out = Vec::new();
                if fair(equations::write_lts(files, view, options, &watch, &mut out)).is_some() {
                    let read = lts::aut::read(&out[..], &mut |_| true);
                    read.unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out)));
                }
            }
        }
        12 => {
            use InfluenceAnalysis::{Ia1, Ia2, Ia3, Ia4};
            for analysis in [Ia1, Ia2, Ia3, Ia4] {
                let question = equations::InfluenceQuestion {
                    analysis,
                    property: &[],
                    criterion: None,
                    methods: &InfluenceMethod::ALL,
                    whys: &[],
                    reasons: true,
                };
                let model = equations::DataModel::Program(files);
                fair(equations::influence(model, &question, options, &watch));
            }
        }
        13 => {
            let live = "mu Y (v:Var := x) . (< {BOOL !v} > true or < true > Y (v))";
            let formula = file("formula", &formula(live));
            for past in [false, true] {
                fair(equations::annotate(
                    equations::DataModel::Program(files),
                    &formula,
                    MuSyntax::Either,
                    past,
                    options,
                    &watch,
                ));
            }
        }
        14 => {
            let how =
                Resolution { method: Method::Auto, diagnostic: true, ..Resolution::default() };
            let formula = file("formula", &formula("[true*]<true>true"));
            for view in [View::Data { terms: false }, View::States { depth: Some(3) }] {
                let model = (files, view);
                let either = MuSyntax::Either;
                fair(equations::eval_program(&formula, either, model, &how, options, &watch));
            }
        }
        _ => {
            let all = [Property::reach(&label), Property::Assert, Property::ReachAll];
            let options = Options {
                input: Input { entry: Some(label.clone()), ..options.input.clone() },
                ..options.clone()
            };
            checked(files, &all, &options);
        }
    }
}

/// Formulas and systems on models that come with them, through all methods and forms.
pub(crate) fn equations(data: &[u8]) {
    let mut choices = Choices(data);
    let name = choices.of(&["s.mcf", "s.mcl", "s.blk", "s.bes", "s.pbes"]);
    let form = choices.of(&[
        EquationForm::Modal,
        EquationForm::Boolean,
        EquationForm::Parameterised,
        EquationForm::Game,
    ]);
    let method = choices.of(&[
        Method::Auto,
        Method::DepthFirst,
        Method::BreadthFirst,
        Method::Acyclic,
        Method::Global,
    ]);
    let (system, model) = choices.parts();
    // Without a separator all of it is the system.
    let (system, model) = match system.is_empty() {
        true => (model, MODEL.to_owned()),
        false => (system, model),
    };
    let system = file(name, &system);
    let with_model = !matches!(name, "s.bes" | "s.pbes");
    let stream = || {
        let input: Box<dyn std::io::BufRead> = Box::new(model.as_bytes());
        with_model.then_some(Stream { name: "m.aut", input })
    };
    let (options, watch) = (options(), Watch::default());
    let how = Resolution { method, diagnostic: true, ..Resolution::default() };
    let value = match name {
        "s.mcf" | "s.mcl" => {
            let model = file("m.aut", &model);
            fair(equations::eval(&system, MuSyntax::Either, &model, &how, &options, &watch))
        }
        _ => fair(equations::solve_on(&system, stream(), &how, &options, &watch)),
    };
    let syntax = (MuSyntax::Either, &[][..]);
    let text = equations::convert_equations(&system, form, stream(), syntax, &options, &watch);
    let (Some(value), Some(text)) = (value, fair(text)) else { return };
    let text = text.text;
    let written = match form {
        EquationForm::Modal => file("w.blk", &text),
        EquationForm::Boolean => file("w.bes", &text),
        EquationForm::Parameterised => file("w.pbes", &text),
        EquationForm::Game => file("w.pg", &text),
    };
    let model = stream().filter(|_| matches!(form, EquationForm::Modal));
    let again = equations::solve_on(&written, model, &how, &options, &watch);
    match again {
        Err(Error::Rejected { file, diagnostics }) => {
            panic!("{}{text}", source::render(&diagnostics[0], &file))
        }
        again => {
            if let Some(again) = fair(again) {
                assert_eq!(again.value, value.value, "{text}");
            }
        }
    }
}
