//! What each verb does.

use crate::args::{
    AutomatonFormat, Check, CheckFormat, Cli, ConfidenceArg, DialectArg, Dump, DumpFormat,
    FamilyArg, GameArg, Gen, HeadsArg, Input, LimitArgs, Ltl, MatchingArg, Properties, Replay,
    Search, StacksBy, StageArg, States, StatesFormat, TraceArg, Verb,
};
use crate::cache::Answers;
use crate::exit::Exit;
use crate::io::Page;
use crate::{answer, bug, c, capture, exporting, guard, influence, io, solving, watch};
use check::{Limits, StopReason, TraceMode};
use clap::CommandFactory;
use families::{AndOr, Collector, Family, GameKind, ParityGame, Quicksort, Wide};
use postbop::{
    Configurations, Dialect, EngineChoice, Error, Heads, Judgement, Lang, Options, Runs,
    StackQuestion, Stage, Status, Words,
};
use property::{OperationKind, Property};
use render::{Confidence, FactsKind, TextOptions};
use source::SourceFile;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

/// Why a verb did not do its work: what was said on standard error, and the exit code.
pub(crate) struct Failed(Exit);

impl Failed {
    /// Bad input, of which was told already.
    pub(crate) fn bad() -> Failed {
        Failed(Exit::Bad)
    }
}

impl From<String> for Failed {
    fn from(message: String) -> Failed {
        io::complain(&format!("error: {message}"));
        answer::wrong(None, &message);
        Failed(Exit::Bad)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        match error {
            Error::Rejected { file, diagnostics } => {
                for diagnostic in diagnostics {
                    io::complain_in_full(&source::render(&diagnostic, &file));
                    answer::wrong_in(&diagnostic, &file);
                }
                Failed(Exit::Bad)
            }
            Error::Internal(_) | Error::Stopped(_) | Error::Workers(_) => {
                if matches!(error, Error::Internal(_) | Error::Stopped(StopReason::Internal { .. }))
                {
                    bug::seen();
                }
                let code = match &error {
                    Error::Stopped(reason) => reason.code(),
                    Error::Workers(_) => "workers",
                    _ => "internal",
                };
                answer::wrong(Some(code), &error.to_string());
                io::complain(&format!("unknown: {error}"));
                Failed(Exit::Unknown)
            }
            error => Failed::from(error.to_string()),
        }
    }
}

/// Runs the verb.
pub(crate) fn run(verb: Verb) -> ExitCode {
    let done = match verb {
        Verb::Check(args) => check(&args),
        Verb::States(args) => states(&args),
        Verb::Post(args) => crate::automata::post(&args),
        Verb::Pre(args) => crate::automata::pre(&args),
        Verb::Convert(args) => exporting::convert(&args),
        Verb::Dump(args) => dump(&args),
        Verb::Replay(args) => replay(&args),
        Verb::Gen(args) => generate(&args),
        Verb::Ltl(args) => ltl(&args),
        Verb::Capture(args) => {
            return match capture::capture(&args) {
                Ok(code) => ExitCode::from(code as u8),
                Err(Failed(exit)) => exit.into(),
            };
        }
        Verb::Run(args) => {
            return match crate::run::run(&args) {
                Ok(code) => ExitCode::from(code),
                Err(Failed(exit)) => exit.into(),
            };
        }
        Verb::Test(args) => crate::testing::test(&args),
        Verb::Eval(args) => solving::eval(&args),
        Verb::Solve(args) => solving::solve(&args),
        Verb::Lts(args) => influence::lts(&args),
        Verb::Influence(args) => influence::influence(&args),
        Verb::Annotate(args) => influence::annotate(&args),
        Verb::Init(args) => crate::config::init::init(&args),
        Verb::Batch(args) => crate::batch::batch(&args),
        Verb::Lsp => crate::lsp::serve(),
        Verb::Man { folder } => crate::man::pages(&folder),
        Verb::Completions { shell } => completions(shell),
    };
    let exit = done.unwrap_or_else(|Failed(exit)| {
        answer::failed(exit);
        exit
    });
    exit.into()
}

/// The program: its files, and the program itself in the options where it is one in C. What of it
/// is not modelled is said, unless nobody wants to hear.
pub(crate) fn program(
    input: &Input,
    options: &mut Options,
    loud: (bool, bool),
) -> Result<Vec<Arc<SourceFile>>, Failed> {
    let data = options.search.engine.is_of_data();
    program_with(input, data, options, loud)
}

/// The same; of a program in C, the data is at hand if that is wanted.
pub(crate) fn program_with(
    input: &Input,
    data: bool,
    options: &mut Options,
    (quiet, verbose): (bool, bool),
) -> Result<Vec<Arc<SourceFile>>, Failed> {
    if !c::is_c(input)? {
        return read(&input.files);
    }
    let loaded = c::load(input, data)?;
    options.input.data = loaded.data;
    if !quiet {
        c::say_warnings(&loaded.program, verbose);
        c::say_others(&loaded.others);
    }
    if !loaded.others.is_empty() {
        // The one that is left.
        options.input.entry = Some("main".to_owned());
    }
    options.input.keep.clone_from(&input.c.keep);
    loaded.program.one_start(options.input.entry.as_deref())?;
    options.input.c = Some(loaded.program);
    Ok(loaded.files)
}

/// Says on standard error that something was left out, whoever wants to hear; the exit code is then that of
/// an answer which is none.
pub(crate) fn whole(options: &Options) -> Exit {
    let extent = options.input.c.as_ref().map(|c| c.extent(options.input.allow_incomplete));
    let Some(extent) = extent.filter(|e| !e.is_complete()) else { return Exit::Holds };
    io::complain(&format!("incomplete: {}", source::one_line(&extent.told())));
    if extent.forbids_claims() { Exit::Unknown } else { Exit::Holds }
}

fn check(args: &Check) -> Result<Exit, Failed> {
    io::set_color(args.output.color);
    if args.properties.rule.iter().any(|r| r == "list") {
        io::write_to(args.output.output.as_deref(), |out| {
            out.write_all(c::rule_list().as_bytes())
        })?;
        return Ok(Exit::Holds);
    }
    let mut properties = properties(&args.properties)?;
    // Questions about operations are asked of C's data.
    let mut options = options_with(&args.input, Some(&args.search), args.search.engine)?;
    options.search.trace = match args.trace {
        None | Some(TraceArg::Shortest) => TraceMode::Shortest,
        Some(TraceArg::Any) => TraceMode::Any,
        Some(TraceArg::None) => TraceMode::None,
    };
    options.search.insist = args.trace == Some(TraceArg::Shortest);
    if options.search.insist && options.search.engine.gives_any_trace() {
        let what = "the engines qbf, universal and pdr give any trace, not a shortest one; leave \
                    out `--trace shortest`, or ask summary, post, pre or explicit";
        return Err(Failed::from(what.to_owned()));
    }
    options.search.engine = of_data(args, &properties, &options)?;
    if options.search.engine == EngineChoice::Bounded {
        let asked = [
            (args.self_check, "--self-check", "there is no proof to check"),
            (args.proof.is_some(), "--proof", "there is no proof to save"),
            (args.search.steps.is_some(), "--steps", "`--bound` and `--timeout` end it"),
            (options.search.insist, "--trace shortest", "it gives the run that was executed"),
        ];
        if let Some((_, flag, why)) = asked.iter().find(|(asked, ..)| *asked) {
            let what = format!("`{flag}` does not go with `--engine bounded`: {why}");
            return Err(Failed::from(what));
        }
    }
    if args.emit_test.is_some() && args.properties.uninitialised {
        let what = "`--emit-test` does not go with `--uninitialised`: no sanitizer of the compiler sees reads of \
                    what was never written; `bop replay` executes them";
        return Err(Failed::from(what.to_owned()));
    }
    let data = with_data(args, &properties, &options)?;
    if args.emit_test.is_some() && !data {
        let what = "`--emit-test` goes with `--engine bounded`, or with `--reach` and `--assert` of C without \
                    `--skeleton` and `--keep`: tests are of runs that were executed";
        return Err(Failed::from(what.to_owned()));
    }
    options.search.confidence = confidence(args, data)?;
    options.shown.max_steps = match args.format {
        CheckFormat::Sarif => args.max_steps.min(render::MAX_SARIF_LOCATIONS),
        _ => args.max_steps,
    };
    // What is kept has been checked.
    options.search.self_check = args.self_check || args.proof.is_some();
    options.search.vacuity = !args.no_vacuity && !args.output.quiet;
    options.shown.witness = args.output.verbose || args.format != CheckFormat::Text;
    let (mut watch, line) = watch::watch(args.output.quiet);
    let kept = args.input.c.cache.as_deref().map(Answers::open).transpose()?;
    watch.kept = kept.map(|kept| Arc::new(kept) as Arc<dyn postbop::Kept>);
    let page = Written {
        format: args.format,
        output: args.output.output.clone(),
        text: TextOptions { proofs: args.self_check, ..text_options(&args.output) },
        proof: args.proof.clone(),
        strict: args.strict,
        base: std::env::current_dir().ok().and_then(|d| Some(d.to_str()?.to_owned())),
        baseline: args.baseline.as_deref().map(baseline).transpose()?.map(Arc::new),
        write_baseline: args.write_baseline.clone(),
    };
    last_word(args, page.clone(), &properties, &options, &watch, &[]);
    let (loud, given) = ((args.output.quiet, args.output.verbose), options.clone());
    let files = program_with(&args.input, data, &mut options, loud)?;
    if let Some(c) = &options.input.c {
        c::keep_those_in_use(&args.properties.rule, c, &mut properties, args.output.quiet);
    }
    // From here on, what is said then has its sources.
    last_word(args, page.clone(), &properties, &given, &watch, &files);
    if let (true, Some(c)) = (properties.is_empty(), &options.input.c) {
        properties = postbop::c_defaults(c);
        if properties.is_empty() {
            return Err(c::nothing_asked(&files));
        }
    }
    let mut report = postbop::check(&files, &properties, &options, &watch)?;
    report.claims.inputs = answer::inputs();
    drop(line);
    if let Some(folder) = &args.emit_test {
        crate::emit::tests(folder, &report, &args.input)?;
    }
    let exit = page.write(&mut report, &options)?;
    if let Some(file) = &args.witness {
        let bits = options.input.data.as_ref().map_or(64, |data| data.pointer_bits());
        match postbop::witness(&report, &now(), bits) {
            Some(text) => io::write_to(Some(file), |out| out.write_all(text.as_bytes()))?,
            None => {
                io::complain("note: there is no witness to write: no answer about C's data has one")
            }
        }
    }
    about_memory(&args.output);
    Ok(exit)
}

/// The fingerprints of a baseline.
fn baseline(name: &str) -> Result<std::collections::BTreeSet<String>, Failed> {
    let text = io::text(name)?;
    render::read_baseline(&text).map_err(|e| Failed::from(format!("`--baseline {name}`: {e}")))
}

/// Whether a question is if all runs end, whatever they are.
fn all_end(property: &Property) -> bool {
    matches!(property, Property::Terminates { fair } if fair.is_empty())
}

/// The engine that is meant: of C, what `pdr` is asked about assertions, places, operations and the end of runs it is
/// asked about the data.
fn of_data(
    args: &Check,
    properties: &[Property],
    options: &Options,
) -> Result<EngineChoice, Failed> {
    let engine = options.search.engine;
    let about = |p: &Property| {
        matches!(p, Property::Assert | Property::Reach { .. } | Property::Operations { .. })
            || all_end(p)
    };
    let of_skeleton =
        args.skeleton || !args.input.c.keep.is_empty() || options.search.matching.is_some();
    if engine == EngineChoice::Pdr
        && !of_skeleton
        && properties.iter().all(about)
        && c::is_c(&args.input)?
    {
        return Ok(EngineChoice::Invariants);
    }
    Ok(engine)
}

/// Whether the program's data is looked at: by the engine that searches it, and by `auto` where the question is one
/// that it answers, unless what is asked for is about the control skeleton.
fn with_data(args: &Check, properties: &[Property], options: &Options) -> Result<bool, Failed> {
    let operations = |p: &Property| matches!(p, Property::Operations { .. });
    let bounded = options.search.engine.is_of_data() || properties.iter().any(operations);
    let in_c = c::is_c(&args.input)?;
    if args.skeleton && (!in_c || bounded) {
        let what = match in_c {
            true => "`--skeleton` does not go with questions and engines that look at C's data",
            false => "`--skeleton` goes with C programs",
        };
        return Err(Failed::from(what.to_owned()));
    }
    let about = |p: &Property| {
        matches!(p, Property::Assert | Property::Reach { .. } | Property::Rule { .. })
            || matches!(p, Property::Sere { .. } | Property::Ltl { .. })
            || all_end(p)
    };
    let asked = properties.is_empty() || properties.iter().any(about);
    let input = &args.input;
    let of_skeleton =
        args.skeleton || !input.c.keep.is_empty() || options.search.matching.is_some();
    let auto = options.search.engine == EngineChoice::Auto && in_c && asked && !of_skeleton;
    // Nothing is unrolled for the question whether runs end.
    if !auto || !properties.is_empty() && properties.iter().all(all_end) {
        bound_is_for_formulas(options)?;
    }
    Ok(bounded || auto)
}

/// How sure findings of rules have to be: none if the data is not looked at.
fn confidence(args: &Check, data: bool) -> Result<Option<Confidence>, Failed> {
    let wanted = match args.confidence {
        Some(ConfidenceArg::Confirmed) => Confidence::Confirmed,
        Some(ConfidenceArg::Possible) => Confidence::Possible,
        Some(ConfidenceArg::Likely) | None => Confidence::Likely,
    };
    if args.confidence.is_some() && !data {
        let what = "`--confidence` is about findings of rules on C that are put to the program's data; it goes without \
                    `--skeleton`, `--keep` and `--engine`";
        return Err(Failed::from(what.to_owned()));
    }
    Ok(data.then_some(wanted))
}

/// Whether a bound, if there is one, is for somebody.
fn bound_is_for_formulas(options: &Options) -> Result<(), Failed> {
    let engine = options.search.engine;
    let unrolls = engine.has_formulas() || engine == EngineChoice::Bounded;
    if options.search.bound.is_none() || unrolls {
        return Ok(());
    }
    let what = "`--bound` goes with `--engine qbf`, `--engine universal` or `--engine bounded`, and with \
                questions about C's data";
    Err(Failed::from(what.to_owned()))
}

/// If the run is ended from outside: the answers so far.
fn last_word(
    args: &Check,
    page: Written,
    properties: &[Property],
    options: &Options,
    watch: &postbop::Watch,
    read: &[Arc<SourceFile>],
) {
    let name = args.input.files.first().or(args.input.c.compile_commands.as_ref());
    let name = name.map_or("", |name| if name == "-" { "<stdin>" } else { name });
    let file = SourceFile::new(name, "").map(Arc::new);
    let (properties, options) = (properties.to_vec(), options.clone());
    let (so_far, read) = (watch.so_far.clone(), read.to_vec());
    guard::last_word(move |reason| {
        let files = match read.is_empty() {
            true => file.into_iter().collect::<Vec<_>>(),
            false => read,
        };
        let mut report = postbop::so_far(&so_far, &files, &properties, &options, &reason);
        report.claims.inputs = answer::inputs();
        page.write(&mut report, &options).unwrap_or_else(|what| Failed::from(what).0)
    });
}

/// Where and how a report is written.
#[derive(Clone)]
struct Written {
    format: CheckFormat,
    output: Option<String>,
    text: TextOptions,
    /// Where proofs are saved.
    proof: Option<String>,
    /// Whether an answer about nothing is none.
    strict: bool,
    /// The folder that names in SARIF are relative to.
    base: Option<String>,
    /// What was known before.
    baseline: Option<Arc<std::collections::BTreeSet<String>>>,
    /// Where violations are saved.
    write_baseline: Option<String>,
}

impl Written {
    /// Writes the report, and the proofs if they are wanted; the exit code is its verdict.
    fn write(&self, report: &mut postbop::Report, options: &Options) -> Result<Exit, String> {
        let compared = self.baseline.as_ref().map(|known| render::mark_known(report, known));
        let report = &*report;
        if report.any_internal() {
            bug::seen();
        }
        let page = match self.format {
            CheckFormat::Text | CheckFormat::Bebop | CheckFormat::Gcc => Page::Text,
            CheckFormat::Json | CheckFormat::Sarif | CheckFormat::Html => Page::Json,
        };
        io::write_page(self.output.as_deref(), page, |out| match self.format {
            CheckFormat::Text => render::text(report, &self.text, out),
            CheckFormat::Bebop => render::bebop(report, out),
            CheckFormat::Gcc => render::gcc(report, self.text.quiet, out),
            CheckFormat::Json => render::json(report, out),
            CheckFormat::Sarif => render::sarif(report, self.base.as_deref(), out),
            CheckFormat::Html => render::html(report, guard::start().elapsed().as_secs_f64(), out),
        })?;
        if self.format == CheckFormat::Bebop {
            whole(options);
            let vacuous = report.results.iter().flat_map(|r| &r.vacuous);
            for why in vacuous {
                io::complain(&format!("warning: {why}"));
            }
        }
        if let Some(file) = &self.write_baseline {
            io::write_page(Some(file), Page::Json, |out| render::write_baseline(report, out))?;
        }
        self.last_line(report, compared);
        if let Some(file) = &self.proof {
            let proofs = postbop::proofs(report, options);
            io::write_page(Some(file), Page::Json, |out| render::write_proofs(&proofs, out))?;
            let proved = |s| matches!(s, Status::Holds | Status::Unreachable);
            let none = |r: &postbop::Outcome| {
                r.proof.is_none() && r.invariants.is_none() && r.rounds.is_none()
            };
            let missing = |r: &&postbop::Outcome| none(r) && proved(r.status);
            for outcome in report.results.iter().filter(missing) {
                let what = render::title(&outcome.property);
                io::complain(&format!("note: {what}: there is no proof to save"));
            }
        }
        Ok(if report.any_violated() {
            Exit::Violated
        } else if report.any_unknown() || (self.strict && report.any_vacuous()) {
            Exit::Unknown
        } else {
            Exit::Holds
        })
    }
}

impl Written {
    /// How it went, in one line: for people who look on, or who want to know more.
    fn last_line(&self, report: &postbop::Report, compared: Option<(usize, usize)>) {
        let people =
            matches!(self.format, CheckFormat::Text | CheckFormat::Gcc) && !self.text.quiet;
        if let Some((known, gone)) = compared.filter(|_| !self.text.quiet) {
            let are = |n: usize| if n == 1 { "is" } else { "are" };
            let left = match gone {
                0 => String::new(),
                n => format!("; {n} of its findings {} gone", are(n)),
            };
            let known = format!("{known} of the findings {} in the baseline", are(known));
            io::complain(&format!("note: {known}{left}"));
        }
        if people && (std::io::stderr().is_terminal() || self.text.verbose) {
            let seconds = guard::start().elapsed().as_secs_f64();
            io::complain(&format!("{}, {seconds:.1} s", render::closing(report)));
        }
    }
}

fn states(args: &States) -> Result<Exit, Failed> {
    io::set_color(args.output.color);
    let mut options = options(&args.input, Some(&args.search))?;
    bound_is_for_formulas(&options)?;
    let loud = (args.output.quiet, args.output.verbose);
    let files = program(&args.input, &mut options, loud)?;
    options.shown.max_cubes = args.max_cubes;
    let from = args.from.as_deref().map(|e| configurations("--from", e)).transpose()?;
    let to = args.to.as_deref().map(|e| configurations("--to", e)).transpose()?;
    let at = match (&args.at, args.stacks) {
        (Some(at), None) => at,
        _ => return stacks(args, &files, from, to, &options),
    };
    let runs = match (from, to) {
        (None, None) => Runs::OfProgram,
        (Some(set), None) => Runs::From(set),
        (None, Some(set)) => Runs::To(set),
        (Some(_), Some(_)) => {
            let what = "`--at` goes with `--from` (what comes there) or with `--to` (what leads from \
                        there), not with both";
            return Err(Failed::from(what.to_owned()));
        }
    };
    if args.format == StatesFormat::Dot {
        return Err(Failed::from("`--format dot` shows stacks: say `--stacks`, too".to_owned()));
    }
    let (watch, line) = watch::watch(args.output.quiet);
    let states = postbop::states(&files, at, &args.vars, &runs, &options, &watch)?;
    drop(line);
    let text = text_options(&args.output);
    io::write_page(args.output.output.as_deref(), states_page(args.format), |out| {
        match args.format {
            StatesFormat::Json => render::states_json(&states, out),
            StatesFormat::Html => render::states_html(&states, out),
            StatesFormat::Text | StatesFormat::Dot => render::states_text(&states, &text, out),
        }
    })?;
    about_memory(&args.output);
    whole(&options);
    if matches!(states.stop_reason, Some(StopReason::Internal { .. })) {
        bug::seen();
    }
    Ok(if states.stop_reason.is_some() { Exit::Unknown } else { Exit::Holds })
}

fn stacks(
    args: &States,
    files: &[Arc<SourceFile>],
    from: Option<Configurations>,
    to: Option<Configurations>,
    options: &Options,
) -> Result<Exit, Failed> {
    let words = args.stacks.map(|by| match by {
        StacksBy::Calls => Words::Calls,
        StacksBy::Procs => Words::Procs,
        StacksBy::Data => Words::Data,
    });
    if args.format == StatesFormat::Dot && words.is_none() {
        return Err(Failed::from("`--format dot` shows stacks: say `--stacks`, too".to_owned()));
    }
    if !args.vars.is_empty() {
        return Err(Failed::from("`--vars` needs `--at`".to_owned()));
    }
    let question = StackQuestion { at: args.at.clone(), from, to, words };
    let (watch, line) = watch::watch(args.output.quiet);
    let stacks = postbop::stacks(files, &question, options, &watch)?;
    drop(line);
    let text = text_options(&args.output);
    io::write_page(args.output.output.as_deref(), states_page(args.format), |out| {
        match args.format {
            StatesFormat::Text => render::stacks_text(&stacks, &text, out),
            StatesFormat::Json => render::stacks_json(&stacks, out),
            StatesFormat::Dot => render::stacks_dot(&stacks, out),
            StatesFormat::Html => render::stacks_html(&stacks, out),
        }
    })?;
    about_memory(&args.output);
    whole(options);
    if matches!(stacks.stop_reason, Some(StopReason::Internal { .. })) {
        bug::seen();
    }
    Ok(match (stacks.status, &stacks.stop_reason) {
        (_, Some(_)) => Exit::Unknown,
        (Some(Status::Reachable), _) => Exit::Violated,
        _ => Exit::Holds,
    })
}

pub(crate) fn states_page(format: StatesFormat) -> Page {
    match format {
        StatesFormat::Json | StatesFormat::Html => Page::Json,
        StatesFormat::Text | StatesFormat::Dot => Page::Text,
    }
}

/// `@FILE` is an automaton in a file, anything else an expression.
pub(crate) fn configurations(flag: &str, text: &str) -> Result<Configurations, Failed> {
    Ok(match text.strip_prefix('@') {
        Some(name) => Configurations::Automaton(io::source_file(name)?),
        None => {
            let file = SourceFile::new(flag, text).map_err(|e| e.to_string())?;
            Configurations::Expression(Arc::new(file))
        }
    })
}

fn ltl(args: &Ltl) -> Result<Exit, Failed> {
    let (watch, line) = watch::watch(true);
    let automaton = postbop::ltl(&args.formula, args.ba, limits(&args.limits), &watch)?;
    drop(line);
    let text = match args.format {
        AutomatonFormat::Hoa => automaton.hoa(),
        AutomatonFormat::Dot => automaton.dot(),
        AutomatonFormat::Text => automaton.text(),
    };
    let page = match args.format {
        AutomatonFormat::Hoa => Page::Language,
        AutomatonFormat::Dot | AutomatonFormat::Text => Page::Text,
    };
    io::write_page(args.output.as_deref(), page, |out| out.write_all(text.as_bytes()))?;
    if args.stats {
        for (name, value) in automaton.stats() {
            io::complain(&format!("{name:13}  {value}"));
        }
    }
    Ok(Exit::Holds)
}

fn dump(args: &Dump) -> Result<Exit, Failed> {
    let facts = match args.stage {
        StageArg::Summaries => Some(FactsKind::Summaries),
        StageArg::Modref => Some(FactsKind::ModRef),
        StageArg::Live => Some(FactsKind::Live),
        StageArg::Tree | StageArg::Ir | StageArg::Spds | StageArg::Task => None,
        StageArg::Data | StageArg::Regions => None,
    };
    if let Some(kind) = facts {
        let mut options = options(&args.input, None)?;
        options.search.limits = limits(&args.limits);
        let files = program(&args.input, &mut options, (false, false))?;
        let asked = properties(&args.properties)?;
        let facts = postbop::facts(&files, kind, &asked, &options)?;
        let (page, text) = match args.format {
            DumpFormat::Text => (Page::Text, render::facts_text(&facts)),
            DumpFormat::Json => (Page::Json, render::facts_json(&facts)),
        };
        io::write_page(args.output.as_deref(), page, |out| out.write_all(text.as_bytes()))?;
        return Ok(Exit::Holds);
    }
    if args.format == DumpFormat::Json {
        let help = "`--format json` is for --stage summaries, modref and live";
        return Err(not_yet("this stage in JSON", help));
    }
    let stage = match args.stage {
        StageArg::Tree => Stage::Tree,
        StageArg::Ir => Stage::Ir,
        StageArg::Task => Stage::Task(properties(&args.properties)?),
        StageArg::Spds => Stage::Spds,
        StageArg::Data | StageArg::Regions => {
            let program = crate::run::data(&args.input)?;
            let text = match args.stage {
                StageArg::Data => program.dump(),
                _ => program.regions(),
            };
            io::write_to(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
            return Ok(Exit::Holds);
        }
        _ => Stage::Ir,
    };
    let mut options = options(&args.input, None)?;
    options.search.limits = limits(&args.limits);
    let files = program(&args.input, &mut options, (false, false))?;
    let (watch, line) = watch::watch(true);
    let text = postbop::dump(&files, &stage, &options, &watch)?;
    drop(line);
    io::write_to(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Holds)
}

fn replay(args: &Replay) -> Result<Exit, Failed> {
    let Some((name, files)) = args.files.split_last() else {
        return Err(Failed::from("no FILE: what is to be replayed?".to_owned()));
    };
    if files.is_empty() && args.c.compile_commands.is_none() {
        let what = "a program and a report, or a program and its proofs: FILE REPORT";
        return Err(Failed::from(what.to_owned()));
    }
    let text = io::text(name)?;
    let mut input = Input {
        files: files.to_vec(),
        c: args.c.clone(),
        lang: args.lang,
        dialect: args.dialect,
        entry: args.entry.clone(),
    };
    let wrong = |e: render::ReadError| Failed::from(format!("{name}: {e}"));
    let proofs = match render::holds_proofs(&text) {
        true => Some(render::read_proofs(&text).map_err(wrong)?),
        false => None,
    };
    let claims = match proofs {
        Some(_) => Vec::new(),
        None => render::read_report(&text).map_err(wrong)?,
    };
    let mut options = options(&input, None)?;
    if let Some(proofs) = &proofs {
        if proofs.claims.is_empty() && proofs.by_invariants.is_empty() {
            return Err(Failed::from(format!("{name}: it proves nothing")));
        }
        if input.lang.is_none() && proofs.reading.lang == "c" {
            input.lang = Some(Lang::C);
        }
        options = postbop::read_as(&proofs.reading, &options)?;
        input.c.keep.clone_from(&options.input.keep);
    }
    options.search.limits = limits(&args.limits);
    // Inputs are of a program with its data: it is read as for the engine that found them.
    let by_invariants = proofs.as_ref().is_some_and(|p| !p.by_invariants.is_empty());
    if by_invariants || claims.iter().any(|claim| claim.inputs.is_some()) {
        options.search.engine = EngineChoice::Bounded;
    }
    let loaded = program(&input, &mut options, (args.quiet, false))?;
    options.search.engine = EngineChoice::Auto;
    let (watch, line) = watch::watch(args.quiet);
    let judged = match &proofs {
        Some(proofs) => postbop::replay_proofs(&loaded, proofs, &options, &watch)?,
        None => postbop::replay(&loaded, &claims, &options, &watch)?,
    };
    drop(line);
    let judged = match (proofs.is_some(), whole(&options)) {
        // A proof is about all of a program.
        (true, Exit::Unknown) => {
            let why = "a part of the program was left out (`--allow-incomplete` is about the rest)";
            let open = |j: Judgement| match j {
                Judgement::Accepted => Judgement::Unknown(why.to_owned()),
                other => other,
            };
            judged.into_iter().map(open).collect()
        }
        _ => judged,
    };
    let entry = options.input.entry.filter(|_| proofs.is_some() && args.entry.is_none());
    let from = entry.map_or(String::new(), |entry| format!(", from `{entry}`"));
    let proved = proofs.iter().flat_map(|p| &p.claims).map(|c| {
        let n = c.unreachable.len();
        let dead = if n > 0 { format!(" ({n} dead)") } else { String::new() };
        (&c.property, format!("{}{dead}{from}", c.verdict))
    });
    let by_invariants = proofs.iter().flat_map(|p| &p.by_invariants);
    let by_invariants = by_invariants.map(|c| (&c.property, c.verdict.clone()));
    let claimed = claims.iter().map(|c| (&c.property, c.verdict.clone()));
    let claimed = claimed.chain(proved).chain(by_invariants);
    if !args.quiet {
        io::write_to(None, |out| {
            claimed.zip(&judged).try_for_each(|((property, verdict), judgement)| {
                let what = source::one_line(&render::title(property)).into_owned();
                let verdict = source::one_line(&verdict);
                match judgement {
                    Judgement::Accepted if proofs.is_some() => {
                        writeln!(out, "accepted: {what}: {verdict}, by its proof")
                    }
                    Judgement::Accepted => writeln!(out, "accepted: {what}"),
                    Judgement::Plausible { step } => writeln!(
                        out,
                        "accepted: {what} (what the call folded in step {} does is not told in full)",
                        step + 1
                    ),
                    Judgement::Refused(why) => {
                        writeln!(out, "refused: {what}: {}", source::one_line(&why.to_string()))
                    }
                    Judgement::Unknown(why) => {
                        writeln!(out, "unknown: {what}: {}", source::one_line(&why.to_string()))
                    }
                    _ => writeln!(out, "no trace: {what}: {verdict}"),
                }
            })
        })?;
    }
    if judged.iter().any(|j| matches!(j, Judgement::Unknown(why) if why.contains("internal error")))
    {
        bug::seen();
    }
    let any = |wanted: fn(&Judgement) -> bool| judged.iter().any(wanted);
    Ok(if any(|j| matches!(j, Judgement::Refused(_))) {
        Exit::Violated
    } else if any(|j| matches!(j, Judgement::Unknown(_))) {
        Exit::Unknown
    } else {
        Exit::Holds
    })
}

fn generate(args: &Gen) -> Result<Exit, Failed> {
    let family = match args.family {
        FamilyArg::BebopT { n } => Family::BebopT { levels: n },
        FamilyArg::Counter { bits } => Family::Counter { bits },
        FamilyArg::Parity { n } => Family::Parity { bits: n },
        FamilyArg::Lockstep { bits, bug } => Family::Lockstep { bits, bug },
        FamilyArg::Register { bits, bug } => Family::Register { bits, bug },
        FamilyArg::Depth { bits, bug } => Family::Depth { bits, bug },
        FamilyArg::Andor { vars, degree, seed } => Family::AndOr(AndOr { vars, degree, seed }),
        FamilyArg::Game { family, size, dual, seed } => {
            let (kind, most) = game_kind(family);
            if size > most {
                return Err(Failed::from(format!("of this family, at most {most} is written")));
            }
            Family::Game(ParityGame { kind, size, dual, seed })
        }
        FamilyArg::Wide { vars, procs, nondet, seed, bug } => {
            Family::Wide(Wide { vars, procs, nondet, seed, bug })
        }
        FamilyArg::Gc { vars, points, faulty, seed } => {
            Family::Collector(Collector { vars, points, faulty, seed })
        }
        FamilyArg::Quicksort { bits, len, faulty, random_pivot, no_array } => {
            if !no_array && u64::from(len) > 1 << bits {
                let most = 1u64 << bits;
                let what = format!("{bits} bits number at most {most} cells, not {len}");
                return Err(Failed::from(what));
            }
            Family::Quicksort(Quicksort { bits, len, faulty, random_pivot, no_array })
        }
    };
    io::stream_to(args.output.as_deref(), |out| family.write(out))?;
    Ok(Exit::Holds)
}

/// The family, and its largest member that is not too large to be written.
fn game_kind(family: GameArg) -> (GameKind, u32) {
    match family {
        GameArg::Core => (GameKind::Core, 1_000_000),
        GameArg::Robust => (GameKind::Robust, 1_000),
        GameArg::Delayed => (GameKind::Delayed, 1_000_000),
        GameArg::Promotion => (GameKind::Promotion, 1_000_000),
        GameArg::TwoCounters => (GameKind::TwoCounters, 1_000),
        GameArg::Measures => (GameKind::Measures, 1_000_000),
        GameArg::Recovery => (GameKind::Recovery, 1_000_000),
        GameArg::Distraction => (GameKind::Distraction, 1_000_000),
        GameArg::Clique => (GameKind::Clique, 10_000),
        GameArg::Ladder => (GameKind::Ladder, 1_000_000),
        GameArg::RecursiveLadder => (GameKind::RecursiveLadder, 1_000_000),
        GameArg::Jurdzinski => (GameKind::Jurdzinski, 1_000),
        GameArg::Random => (GameKind::Random, 10_000_000),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failed> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bop", &mut script);
    io::write_to(None, |out| out.write_all(&script))?;
    Ok(Exit::Holds)
}

pub(crate) fn read(names: &[String]) -> Result<Vec<Arc<SourceFile>>, Failed> {
    let mut files = Vec::new();
    for name in names {
        files.push(io::source_file(name)?);
    }
    Ok(files)
}

fn properties(args: &Properties) -> Result<Vec<Property>, Failed> {
    if !args.fair.is_empty() && args.ltl.is_empty() && !args.terminates {
        let what = "`--fair` is an assumption about infinite runs: it goes with `--ltl` or \
                    `--terminates`";
        return Err(Failed::from(what.to_owned()));
    }
    let mut out: Vec<Property> = args.reach.iter().map(Property::reach).collect();
    out.extend(args.reach_all.then_some(Property::ReachAll));
    out.extend(args.assert.then_some(Property::Assert));
    let fair = &args.fair;
    let ltl = |formula: &String| Property::Ltl { formula: formula.clone(), fair: fair.clone() };
    out.extend(args.ltl.iter().map(ltl));
    out.extend(args.sere.iter().map(|s| Property::Sere { formula: s.clone() }));
    for (names, good) in [(&args.automaton, false), (&args.good_automaton, true)] {
        for name in names {
            let text = io::source_file(name)?.text().to_owned();
            out.push(Property::Automaton { name: name.clone(), text, good });
        }
    }
    out.extend(args.terminates.then(|| Property::Terminates { fair: fair.clone() }));
    let kinds = [
        (args.memory_safety, OperationKind::MemorySafety),
        (args.memory_cleanup, OperationKind::MemoryCleanup),
        (args.overflow, OperationKind::Overflow),
        (args.division, OperationKind::Division),
        (args.uninitialised, OperationKind::Uninitialised),
    ];
    let asked = kinds.into_iter().filter(|(asked, _)| *asked);
    out.extend(asked.map(|(_, kind)| Property::Operations { kind }));
    out.extend(c::rules(&args.rule)?.iter().map(postbop::rule_property));
    Ok(out)
}

pub(crate) fn not_yet(what: &str, instead: &str) -> Failed {
    Failed::from(format!("{what} is not supported yet; {instead}"))
}

pub(crate) fn options(input: &Input, search: Option<&Search>) -> Result<Options, Failed> {
    options_with(input, search, search.map_or(EngineChoice::Auto, |s| s.engine))
}

/// The same with an engine that was chosen.
fn options_with(
    input: &Input,
    search: Option<&Search>,
    engine: EngineChoice,
) -> Result<Options, Failed> {
    let mut out = Options::from(postbop::Input {
        lang: input.lang,
        dialect: dialect(input.dialect),
        entry: input.entry.clone(),
        allow_incomplete: input.c.allow_incomplete,
        ..postbop::Input::default()
    });
    let Some(search) = search else { return Ok(out) };
    out.search.engine = engine;
    out.search.limits = Limits { steps: search.steps, ..limits(&search.limits) };
    out.search.matching = search.matching.map(|m| match m {
        MatchingArg::Ia1 => Some(postbop::Matched::Ia1),
        MatchingArg::Ia2 => Some(postbop::Matched::Ia2),
        MatchingArg::Ia3 => Some(postbop::Matched::Ia3),
        MatchingArg::Ia4 => Some(postbop::Matched::Ia4),
        MatchingArg::Off => None,
    });
    if out.search.matching.is_some()
        && !matches!(engine, EngineChoice::Auto | EngineChoice::Explicit)
    {
        let what =
            "`--matching` is an explicit search of its own: it goes with no other `--engine`";
        return Err(Failed::from(what.to_owned()));
    }
    out.search.no_live_ranges = search.no_live_ranges;
    out.search.no_mod_ref = search.no_mod_ref;
    out.search.no_order = search.no_order;
    out.search.sifting = search.sifting;
    out.search.no_rough_components = search.no_rough_components;
    out.search.bound = search.bound;
    out.search.summary_limit = search.summary_limit.unwrap_or(out.search.summary_limit);
    let words = |command: &String| command.split_whitespace().map(str::to_owned).collect();
    out.search.qbf_solver = search.qbf_solver.as_ref().map(words);
    let sat = engine.has_formulas();
    if !sat && out.search.qbf_solver.is_some() {
        let what = "`--qbf-solver` goes with `--engine qbf` or `--engine universal`";
        return Err(Failed::from(what.to_owned()));
    }
    if out.search.qbf_solver.as_ref().is_some_and(Vec::is_empty) {
        return Err(Failed::from("`--qbf-solver` needs a command".to_owned()));
    }
    if let Some(command) = &out.search.qbf_solver {
        postbop::try_qbf_solver(command).map_err(Failed::from)?;
    }
    out.search.heads = match search.heads {
        HeadsArg::Frames => Heads::Frames,
        HeadsArg::Elimination => Heads::Elimination,
        HeadsArg::Saturation => Heads::Saturation,
    };
    Ok(out)
}

/// The limits of the command line.
pub(crate) fn limits(args: &LimitArgs) -> Limits {
    let memory = args.memory.or_else(watch::default_memory);
    Limits { time: args.timeout, memory, steps: None }
}

fn dialect(dialect: DialectArg) -> Dialect {
    match dialect {
        DialectArg::Standard => Dialect::Standard,
        DialectArg::Satabs => Dialect::Satabs,
    }
}

pub(crate) fn text_options(output: &crate::args::Output) -> TextOptions {
    TextOptions { quiet: output.quiet, verbose: output.verbose, stats: output.stats, proofs: false }
}

/// What the clock says, as ISO 8601 has it.
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since.map_or(0, |d| d.as_secs());
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days since the first of March of the year 0, in which leap days come last.
    let z = days + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = match month < 10 {
        true => (month + 3, year + era * 400),
        false => (month - 9, year + era * 400 + 1),
    };
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

pub(crate) fn about_memory(output: &crate::args::Output) {
    if output.stats && !output.quiet {
        io::complain(&format!("peak memory: {} MiB", memory::peak() >> 20));
    }
}
