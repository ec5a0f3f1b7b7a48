//! Reports for programs: the schema `postbop.report/1`, written as it goes.
//!
//! A trace may have many steps, each with hundreds of variables: only one step at a time is held
//! as a document.

use crate::causes;
use crate::claims::{Checked, InputFile};
use crate::lines::{self, ALL, Layout, List};
use crate::parts::{Place, Question, Stats, Stop, Tool, bound, named, none};
use crate::values::{Reader, Value};
use crate::{
    CertificateNote, Confidence, Finding, Idle, Inputs, ListedStep, Listing, LookedAt, Outcome,
    Report, Status,
};
use indexmap::IndexMap;
use property::Property;
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// A line for each result and each step.
const LAYOUT: Layout = Layout {
    lists: &[
        List { depth: 1, name: "results", first: ALL },
        List { depth: 4, name: "steps", first: ALL },
    ],
    first: ALL,
    open: false,
};

/// Writes the report as one JSON object.
pub fn json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    lines::write(&Document::from(report), LAYOUT, out)?;
    out.write_all(b"\n")
}

/// The answers to all questions about a program (`bop check --format json`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Report")]
pub(crate) struct Document<'a> {
    /// The schema, and its version.
    schema: Schema,
    /// The (first) file of the program.
    file: &'a str,
    /// Who wrote this.
    tool: Tool,
    /// The files that were read, in the order of their names: sources, rules, databases.
    #[serde(skip_serializing_if = "none")]
    files: &'a [InputFile],
    /// One for each question, in order; a rule that is broken in several ways has one for each cause, and a
    /// question about operations one for each that fails.
    results: Vec<Answer<'a>>,
    /// What remarks in the source allow to break a rule, where rules were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<Vec<Suppressed<'a>>>,
    /// What the answers take for granted, one sentence each.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<&'a str>>,
    /// The part of the program that was read, where parts of it can be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<Checked<'a>>,
    /// What does nothing and was meant to: remarks in the source.
    #[serde(skip_serializing_if = "none")]
    warnings: &'a [String],
    /// Findings of rules that are less sure than wanted (`--confidence`), and not among the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    possible: Option<usize>,
    /// What of the program is not modelled, or not exactly: one line each.
    #[serde(skip_serializing_if = "none")]
    not_modelled: &'a [String],
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "postbop.report/1")]
    V1,
}

/// A violation that a remark allows.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Suppressed<'a> {
    /// The rule.
    rule: &'a str,
    /// What its metavariables stand for.
    bindings: IndexMap<&'a str, &'a str>,
    /// The file of the step that breaks it.
    file: &'a str,
    /// Its line, from 1.
    line: u32,
    /// Its column, from 1.
    column: u32,
    /// The rule's message.
    message: &'a str,
    /// The remark's reason.
    reason: Option<&'a str>,
}

/// The answer to one question.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Answer<'a> {
    /// What was asked.
    property: Question<'a>,
    /// The answer.
    verdict: Status,
    /// The engine that answered.
    engine: &'a str,
    /// Why this engine.
    why: &'a str,
    /// The effort of the run that answered; questions asked together share one.
    stats: Stats,
    /// What a rule was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    looked_at: Option<Counts>,
    /// Of a question about operations of C: how many were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<usize>,
    /// Of a broken rule: what it says. Of an operation that fails: what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    /// Of a broken rule: the step that breaks it. Of an operation that fails: where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Broken<'a>>,
    /// Of a broken rule, or of an operation that fails: where its object comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin<'a>>,
    /// Of a broken rule that was put to the program's data: how sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
    /// Of a broken rule that a run shows: what the run gets, and what it assumes.
    #[serde(skip_serializing_if = "none")]
    run: &'a [String],
    /// How the violation comes about.
    trace: Option<Trace<'a>>,
    /// What the run gets that shows the violation, where it was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Given<'a>>,
    /// Why the verdict is `unknown`.
    stop_reason: Option<Stop>,
    /// Of a broken rule, or of a run of C without data: conditions on data that are taken for granted.
    #[serde(skip_serializing_if = "none")]
    assumptions: &'a [String],
    /// For `reach-all`: every statement in order of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<Vec<Reached<'a>>>,
    /// For `reach-all`: the procedures that are entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    exits: Option<Vec<Left<'a>>>,
    /// The proof that nothing is violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateNote>,
    /// Of C with its data: what holds at its loops, by which the answer is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    invariants: Option<&'a [crate::Invariant]>,
    /// Of C with its data: all runs were followed to their end, with so many rounds of loops and recursions at most, by
    /// which the answer is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    /// Whether an answer that holds is about nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    vacuous: Option<bool>,
    /// Parts of a formula that do not matter to its truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    vacuous_parts: Option<Vec<Part<'a>>>,
    /// A part of the formula that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness_for: Option<Part<'a>>,
    /// A run that satisfies the formula, and would not do so with that part replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Trace<'a>>,
    /// The run is one of a C program without its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton: Option<bool>,
    /// Its `assumptions`, which no answer has twice: a rule says by itself what it assumes.
    #[serde(rename = "assumptions", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    assumes: Option<&'a [String]>,
    /// What else the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Of a violation: what it is recognised by in later runs. Of dead code, one for each statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fingerprints: Vec<String>,
    /// Of a violation, where there is a baseline: whether that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<bool>,
    /// Of a broken rule: the other findings that have the same cause, which are no answers of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Also<'a>>,
}

/// A finding with the same cause as another one: where the rule is broken, too.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Also<'a> {
    /// The step that breaks it.
    place: Broken<'a>,
    /// Where its object comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin<'a>>,
    /// How sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
    /// What it is recognised by in later runs.
    fingerprints: Vec<String>,
}

/// What a run of a C program gets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Given<'a> {
    /// What functions hand out, in order.
    values: Vec<GivenValue<'a>>,
    /// Of a run without end: how many of them, the last ones, are handed out again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<usize>,
    /// How many arguments the program gets, its name not counted.
    arguments: usize,
    /// What they are, as far as the run looks at them: one character for each byte.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    argv: Vec<String>,
    /// What standard input has, if the run reads it: one character for each byte.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    stdin: String,
    /// The files that the run opens and that are there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    files: Vec<GivenFile>,
    /// What memory has that the program asks for by `malloc` and reads before it writes it, one call after the other: one
    /// character for each byte.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    memory: Vec<String>,
    /// Of a run from an entry without callers: what it is called with.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a [String]>,
}

/// Bytes as characters.
fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// A file that a run reads.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct GivenFile {
    /// Its name: one character for each byte.
    name: String,
    /// What it has: one character for each byte.
    content: String,
}

/// A number that a function hands out.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct GivenValue<'a> {
    /// The function.
    from: &'a str,
    /// The number, in decimal: numbers of 64 bits do not fit those of all readers. Of `float` and `double` also as `1.5`,
    /// `1e-45`, `inf`, `nan`.
    value: String,
}

impl<'a> From<&'a Inputs> for Given<'a> {
    fn from(inputs: &'a Inputs) -> Given<'a> {
        let value =
            |(from, v): &'a (String, i128)| GivenValue { from, value: source::fraction::shown(*v) };
        Given {
            values: inputs.values.iter().map(value).collect(),
            again: inputs.again,
            arguments: inputs.arguments,
            argv: inputs.args.iter().map(|arg| characters(arg)).collect(),
            stdin: characters(&inputs.stdin),
            memory: inputs.memory.iter().map(|content| characters(content)).collect(),
            files: inputs
                .files
                .iter()
                .map(|(n, c)| GivenFile { name: characters(n), content: characters(c) })
                .collect(),
            caller: inputs.caller.as_ref().map(|c| &c.assumed[..]),
        }
    }
}

/// How much a rule was about.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Counts {
    /// Variables, for a rule about variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<usize>,
    /// Places where values come into being, for a rule about values.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<usize>,
    /// Calls of functions that the rule names.
    call_sites: usize,
}

/// Where a rule is broken.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Broken<'a> {
    /// The file, where it is not the report's.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The line, from 1.
    line: u32,
    /// The column, from 1.
    column: u32,
    /// The function.
    proc: &'a str,
}

/// Where an object comes from.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Origin<'a> {
    /// The file.
    file: &'a str,
    /// The line, from 1.
    line: u32,
}

/// Whether a statement is reached.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Reached<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    /// Whether some run comes there.
    reachable: bool,
}

/// Whether a procedure is left.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Left<'a> {
    /// The procedure.
    proc: &'a str,
    /// Whether some run returns from it.
    reachable: bool,
}

/// A part of a formula, and what it is replaced by.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Part<'a> {
    /// The part.
    part: &'a str,
    /// That which makes the formula stronger.
    replaced_by: bool,
}

/// A run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Trace<'a> {
    /// No run has fewer steps, a completed call counted as one.
    shortest: bool,
    /// The number of the step where the part begins that repeats for ever.
    loop_start: Option<usize>,
    /// By how many frames the stack is higher after each turn of that part.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_growth: Option<usize>,
    /// In the order of execution.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Step<'static>>"))]
    steps: Steps<'a>,
}

/// Steps, which are made one by one.
struct Steps<'a> {
    file: &'a str,
    trace: &'a Listing,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut reader = Reader::new(&self.trace.program);
        let steps = self.trace.steps.iter();
        serializer.collect_seq(steps.map(|s| Step::new(self.file, self.trace, s, &mut reader)))
    }
}

/// A statement that is about to be executed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Step<'a> {
    /// The procedure.
    proc: &'a str,
    /// The file, where it is not the report's.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// The line, from 1; 0 if the run is over.
    line: u32,
    /// The column, from 1; 0 if the run is over.
    column: u32,
    /// How many calls are active, the program's start not counted.
    depth: u32,
    /// The statement; `(terminated)` or `(error)` if the run is over.
    text: &'a str,
    /// What holds just before it. A variable that the run leaves open is absent.
    state: IndexMap<&'a str, Value>,
    /// Of a call whose inside is not listed: the number of steps inside, in decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    folded: Option<&'a str>,
    /// What happens here that matters to a rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<&'a str>,
    /// The run was searched for without this statement: it lies on the way to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_the_way: Option<bool>,
}

impl<'a> From<&'a Report> for Document<'a> {
    fn from(report: &'a Report) -> Document<'a> {
        let rules = report.results.iter().any(|r| matches!(r.property, Property::Rule { .. }));
        let granted = &report.claims.granted;
        let stated = if rules { &report.assumptions[..] } else { &[] };
        Document {
            schema: Schema::V1,
            file: report.file_name(),
            tool: Tool::default(),
            files: &report.claims.inputs,
            results: answers(report),
            suppressed: rules.then(|| report.suppressed.iter().filter_map(suppressed).collect()),
            assumptions: (rules || !granted.is_empty())
                .then(|| stated.iter().chain(granted).map(String::as_str).collect()),
            checked: report.claims.read.as_ref().map(Checked::from),
            warnings: &report.claims.idle,
            possible: Some(report.claims.hidden).filter(|n| *n > 0),
            not_modelled: &report.not_modelled,
        }
    }
}

/// One answer for each cause.
fn answers(report: &Report) -> Vec<Answer<'_>> {
    let prints = crate::fingerprints(report);
    let file = report.file_name();
    let answer = |(shown, others): (usize, Vec<usize>)| {
        let all = others.iter().filter_map(|i| Some((*i, report.results[*i].finding.as_deref()?)));
        let also = all.map(|(i, f)| Also {
            place: Broken::new(f, file),
            origin: Origin::of(f),
            confidence: f.confidence,
            fingerprints: prints[i].clone(),
        });
        let fingerprints = prints[shown].clone();
        let answer = Answer::new(report, &report.results[shown]);
        Answer { fingerprints, also: also.collect(), ..answer }
    };
    causes::each(report).into_iter().map(answer).collect()
}

fn suppressed(outcome: &Outcome) -> Option<Suppressed<'_>> {
    let finding = outcome.finding.as_ref()?;
    let Property::Rule { rule, bindings, .. } = &outcome.property else { return None };
    Some(Suppressed {
        rule,
        bindings: bound(bindings),
        file: &finding.file,
        line: finding.line,
        column: finding.column,
        message: &finding.message,
        reason: finding.suppressed.as_deref(),
    })
}

impl<'a> Answer<'a> {
    fn new(report: &'a Report, outcome: &'a Outcome) -> Answer<'a> {
        let (program, file) = (&*report.program, report.file_name());
        let finding = outcome.finding.as_deref();
        let statements = outcome.statements.as_ref();
        let vacuity = outcome.vacuity.as_ref();
        let witness = vacuity.and_then(|v| v.witness.as_ref());
        let idle = vacuity.map(|v| &v.idle[..]).unwrap_or_default();
        let ruled = outcome.status == Status::Holds && crate::findings::rule(outcome).is_some();
        let judged = vacuity.is_some() || ruled || outcome.is_vacuous();
        let why_not = outcome.stop_reason.iter().map(|r| r.to_string());
        let said = outcome.vacuous.iter().chain(&outcome.warnings).cloned();
        Answer {
            property: Question::from(&outcome.property),
            verdict: outcome.status,
            engine: &outcome.engine,
            why: &outcome.why,
            stats: Stats::new(outcome.seconds, &outcome.counters),
            looked_at: outcome.looked_at.as_deref().map(Counts::from),
            operations: outcome.operations,
            message: finding.map(|f| f.message.as_str()),
            place: finding.map(|f| Broken::new(f, file)),
            origin: finding.and_then(Origin::of),
            confidence: finding.and_then(|f| f.confidence),
            run: finding.map(|f| &f.run[..]).unwrap_or_default(),
            trace: outcome.trace.as_ref().map(|trace| Trace::new(file, trace)),
            inputs: outcome.inputs.as_deref().map(Given::from),
            stop_reason: outcome.stop_reason.as_ref().map(Stop::from),
            assumptions: finding.map(|f| &f.assumptions[..]).unwrap_or_default(),
            statements: statements.map(|list| {
                let reached = list.iter().map(|s| Reached {
                    place: Place::new(program, s.node, file),
                    reachable: s.reachable,
                });
                reached.collect()
            }),
            exits: statements.map(|_| {
                let left = outcome
                    .exits
                    .iter()
                    .map(|e| Left { proc: program.proc_name(e.proc), reachable: e.reachable });
                left.collect()
            }),
            certificate: outcome.certificate,
            invariants: outcome.invariants.as_ref().map(|list| list.as_slice()),
            rounds: outcome.rounds,
            vacuous: judged.then(|| outcome.is_vacuous()),
            vacuous_parts: (!idle.is_empty()).then(|| idle.iter().map(Part::from).collect()),
            witness_for: witness.map(|(part, _)| Part::from(part)),
            witness: witness.map(|(_, trace)| Trace::new(file, trace)),
            skeleton: outcome.assumes.as_ref().map(|_| true),
            assumes: outcome.assumes.as_deref(),
            warnings: why_not.chain(said).collect(),
            fingerprints: Vec::new(),
            known: outcome.known,
            also: Vec::new(),
        }
    }
}

impl From<&LookedAt> for Counts {
    fn from(looked_at: &LookedAt) -> Counts {
        Counts {
            variables: looked_at.variables.as_ref().map(Vec::len),
            values: looked_at.values,
            call_sites: looked_at.call_sites,
        }
    }
}

impl<'a> Broken<'a> {
    fn new(finding: &'a Finding, file: &str) -> Broken<'a> {
        Broken {
            file: Some(finding.file.as_str()).filter(|name| *name != file),
            line: finding.line,
            column: finding.column,
            proc: &finding.function,
        }
    }
}

impl<'a> Origin<'a> {
    fn of(finding: &'a Finding) -> Option<Origin<'a>> {
        finding.origin.as_ref().map(|(file, line)| Origin { file, line: *line })
    }
}

impl<'a> From<&'a Idle> for Part<'a> {
    fn from(idle: &'a Idle) -> Part<'a> {
        Part { part: &idle.part, replaced_by: idle.by }
    }
}

impl<'a> Trace<'a> {
    fn new(file: &'a str, trace: &'a Listing) -> Trace<'a> {
        Trace {
            shortest: trace.shortest,
            loop_start: trace.loop_start,
            stack_growth: Some(trace.growth).filter(|growth| *growth > 0),
            steps: Steps { file, trace },
        }
    }
}

impl<'a> Step<'a> {
    fn new(
        file: &str,
        trace: &'a Listing,
        step: &'a ListedStep,
        reader: &mut Reader<'a>,
    ) -> Step<'a> {
        let program = &*trace.program;
        let Place { proc, file, .. } = Place::new(program, step.node, file);
        let (line, column, text) = step.origin(program);
        Step {
            proc,
            file,
            line,
            column,
            depth: step.depth,
            text,
            state: match &step.values {
                Some(values) => {
                    let name = |var: ir::VarId| program.var_name(var);
                    values.iter().map(|(var, value)| (name(*var), Value::clone(value))).collect()
                }
                None => named(program, reader, program.nodes[step.node].proc, &step.state),
            },
            folded: step.folded.as_deref(),
            events: step.events.iter().map(|e| e.text.as_str()).collect(),
            on_the_way: step.on_the_way.then_some(true),
        }
    }
}
