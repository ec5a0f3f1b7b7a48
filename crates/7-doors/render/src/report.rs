//! What is known at the end of a run, as plain data.

use crate::{Claims, Value};
use check::{Certificate, Partial, StopReason};
use ir::{NodeId, ProcId, Program, VarId};
use property::Property;
use serde::Serialize;
use source::SourceFile;
use std::sync::Arc;

/// The answers to all questions about a program.
#[derive(Clone, Debug)]
pub struct Report {
    /// The sources. [`ir::Origin::file`] is an index into them; the first one names the report.
    pub files: Vec<Arc<SourceFile>>,
    /// The program that the answers are about.
    pub program: Arc<Program>,
    /// One for each question, in order.
    pub results: Vec<Outcome>,
    /// What remarks in the source allow to break a rule.
    pub suppressed: Vec<Outcome>,
    /// What the answers rest on, said once: one line each.
    pub assumptions: Vec<String>,
    /// What of the program is not modelled, or not exactly: one line each.
    pub not_modelled: Vec<String>,
    /// What was read, and what the answers take for granted.
    pub claims: Claims,
}

impl Report {
    /// The name of the (first) source file.
    pub fn file_name(&self) -> &str {
        self.files.first().map_or("", |f| f.name())
    }

    /// Whether something is violated (or reachable) that no baseline has.
    pub fn any_violated(&self) -> bool {
        self.results.iter().any(Outcome::is_new_violation)
    }

    /// Whether a check of our own failed.
    pub fn any_internal(&self) -> bool {
        let bug = |r: &Outcome| matches!(r.stop_reason, Some(StopReason::Internal { .. }));
        self.results.iter().any(bug)
    }

    /// Whether an answer is about nothing, or a remark allows nothing.
    pub fn any_vacuous(&self) -> bool {
        self.results.iter().any(Outcome::is_vacuous) || !self.claims.idle.is_empty()
    }

    /// Whether some answer is missing.
    pub fn any_unknown(&self) -> bool {
        self.results.iter().any(|r| r.status == Status::Unknown)
    }
}

/// The answer to one question. A rule that is broken in several ways has several.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The question.
    pub property: Property,
    /// The answer.
    pub status: Status,
    /// Why there is none.
    pub stop_reason: Option<StopReason>,
    /// The engine that answered.
    pub engine: String,
    /// Why this engine.
    pub why: String,
    /// Wall-clock time of the run that answered; questions asked together share one.
    pub seconds: f64,
    /// Counters of effort of that run.
    pub counters: Vec<(String, u64)>,
    /// How the violation comes about.
    pub trace: Option<Listing>,
    /// What the run gets that shows the violation, where it was executed.
    pub inputs: Option<Arc<Inputs>>,
    /// What a rule says of the violation, or what is wrong with an operation.
    pub finding: Option<Box<Finding>>,
    /// For [`Property::Operations`]: how many there are in the program.
    pub operations: Option<usize>,
    /// For [`Property::ReachAll`]: every statement in order of the source.
    pub statements: Option<Vec<Statement>>,
    /// For [`Property::ReachAll`]: the procedures that are entered, and whether some run leaves them.
    pub exits: Vec<Exit>,
    /// The proof that nothing is violated.
    pub certificate: Option<CertificateNote>,
    /// The proof itself.
    pub proof: Option<Arc<Certificate>>,
    /// Of C with its data: what holds at its loops, by which the answer is proved.
    pub invariants: Option<Arc<Vec<crate::Invariant>>>,
    /// Of C with its data: all runs were followed to their end, with so many rounds of loops and recursions at most; it was
    /// checked.
    pub rounds: Option<u32>,
    /// For a temporal property that holds: whether it holds for a good reason.
    pub vacuity: Option<Vacuity>,
    /// What a rule was about; the same for all its answers.
    pub looked_at: Option<Arc<LookedAt>>,
    /// Why the answer is about nothing.
    pub vacuous: Vec<String>,
    /// Of a run of a program without data: the conditions on data that it assumes. None: the run is one of
    /// the program.
    pub assumes: Option<Vec<String>>,
    /// What else the reader should know.
    pub warnings: Vec<String>,
    /// Of a violation: whether a baseline has it. None: there is no baseline.
    pub known: Option<bool>,
}

impl Outcome {
    /// Whether it is a violation that no baseline has.
    pub fn is_new_violation(&self) -> bool {
        self.status.is_violation() && self.known != Some(true)
    }

    /// Whether it holds, and that says nothing.
    pub fn is_vacuous(&self) -> bool {
        let holds = matches!(self.status, Status::Holds | Status::Unreachable);
        let idle = self.vacuity.as_ref().is_some_and(|v| !v.idle.is_empty());
        holds && (idle || !self.vacuous.is_empty())
    }

    /// No answer.
    pub fn unknown(property: Property, reason: StopReason) -> Outcome {
        Outcome {
            property,
            status: Status::Unknown,
            stop_reason: Some(reason),
            engine: String::new(),
            why: String::new(),
            seconds: 0.0,
            counters: Vec::new(),
            trace: None,
            inputs: None,
            finding: None,
            operations: None,
            statements: None,
            exits: Vec::new(),
            certificate: None,
            proof: None,
            invariants: None,
            rounds: None,
            vacuity: None,
            looked_at: None,
            vacuous: Vec::new(),
            assumes: None,
            warnings: Vec::new(),
            known: None,
        }
    }
}

/// What a run of a C program gets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// What functions hand out, in order: their names, and the numbers.
    pub values: Vec<(String, i128)>,
    /// Of a run without end: how many of them, the last ones, are handed out again and again.
    pub again: Option<usize>,
    /// How many arguments the program gets, its name not counted.
    pub arguments: usize,
    /// What they are, as far as the run looks at them; the others are numbers.
    pub args: Vec<Vec<u8>>,
    /// What standard input has.
    pub stdin: Vec<u8>,
    /// The files that are there: their names, and what they have.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    /// What memory has that the program asks for and reads before it writes it, one allocation after the other.
    pub memory: Vec<Vec<u8>>,
    /// What functions without a body do in the run, and what makes the memory of an entry, as C.
    pub stubs: String,
    /// Of a run from an entry without callers: what it assumes of its caller, one phrase each.
    pub caller: Option<Caller>,
}

/// A caller that does anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Caller {
    /// The function that is called.
    pub entry: String,
    /// What it is called with, one phrase each.
    pub assumed: Vec<String>,
    /// The units of the program as they are run: the function is called at the end of its own.
    pub units: Arc<Vec<String>>,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Verdict", rename_all = "lowercase")]
pub enum Status {
    /// Some run comes there.
    Reachable,
    /// No run comes there.
    Unreachable,
    /// The property holds of all runs.
    Holds,
    /// Some run breaks it.
    Violated,
    /// There is none: see `stop_reason`.
    Unknown,
}

impl Status {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Status::Reachable => "reachable",
            Status::Unreachable => "unreachable",
            Status::Holds => "holds",
            Status::Violated => "violated",
            Status::Unknown => "unknown",
        }
    }

    /// Whether a run was found that the question asks for.
    pub fn is_violation(self) -> bool {
        matches!(self, Status::Reachable | Status::Violated)
    }
}

/// What is said of a violation: by a rule, or of an operation of C that fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule's message.
    pub message: String,
    /// The file of the step that breaks it.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// Its function.
    pub function: String,
    /// The object that it is about; empty for rules without one.
    pub object: String,
    /// Where the object comes from: file and line.
    pub origin: Option<(String, u32)>,
    /// What was taken for granted on the way: conditions on data that is not followed.
    pub assumptions: Vec<String>,
    /// The reason of the remark that allows it.
    pub suppressed: Option<String>,
    /// How sure it is; none if nobody has asked the program's data.
    pub confidence: Option<Confidence>,
    /// Of a finding that a run shows: what the run gets, and what it assumes; one phrase each.
    pub run: Vec<String>,
    /// A run was executed that shows it.
    pub executed: bool,
    /// The conditions along its path were followed, and agree with each other.
    pub agrees: bool,
    /// They were followed, and no run takes the path.
    pub contradicts: bool,
    /// Behind the call that breaks the rule by failing, every way ends the program.
    pub gives_up: bool,
    /// Which findings of its rule are one with it.
    pub alike: Alike,
    /// What it is about was allocated before its path begins: no run along that shows it.
    pub inherited: bool,
}

/// Which findings of a rule are one mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alike {
    /// Those that say the same of what comes from one place, if there are several.
    Cause,
    /// Those that say the same of what comes from one place, however few.
    Origin,
    /// Those that say the same.
    Message,
}

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It is not decided.
    Possible,
    /// A run from an entry with arbitrary memory was executed, or the conditions along its path agree with each other.
    Likely,
    /// A run from the start of the program was executed.
    Confirmed,
}

impl Confidence {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Confirmed => "confirmed",
        }
    }
}

/// What was looked at for the answer to a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LookedAt {
    /// The variables, for a rule about variables.
    pub variables: Option<Vec<String>>,
    /// The places where values come into being, for a rule about values.
    pub values: Option<usize>,
    /// Calls of functions that the rule names.
    pub call_sites: usize,
}

/// A run that was replayed, as a list; completed calls are folded where it would be too long, or where
/// nothing in them matters.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The program whose statements are listed.
    pub program: Arc<Program>,
    /// No run has fewer steps, a completed call counted as one.
    pub shortest: bool,
    /// Where the part that repeats for ever begins.
    pub loop_start: Option<usize>,
    /// By how many frames the stack is higher after each turn of that part.
    pub growth: usize,
    /// Steps of the run, a completed call counted as one.
    pub hier_steps: usize,
    /// In the order of execution.
    pub steps: Vec<ListedStep>,
    /// Of a run that breaks a rule: the rule's automaton, and where it stands.
    pub monitor: Option<Arc<Monitor>>,
}

/// The automaton of a rule, as people read it, on the way through a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Monitor {
    /// Whether the rule is broken there, for each state; the first one is initial.
    pub states: Vec<bool>,
    /// From, what happens, to. What is not named changes nothing.
    pub edges: Vec<(u32, String, u32)>,
    /// The states before steps, from each on; the number of all steps stands for the end.
    pub at: Vec<(usize, u32)>,
}

impl Monitor {
    pub(crate) fn picture(&self) -> crate::Picture<'_> {
        let edges = self.edges.iter().map(|(from, label, to)| (*from, label.as_str(), *to));
        crate::Picture { states: self.states.clone(), edges: edges.collect() }
    }
}

/// A statement that is about to be executed.
#[derive(Clone, Debug)]
pub struct ListedStep {
    /// The statement.
    pub node: NodeId,
    /// How many calls are active, the program's start not counted.
    pub depth: u32,
    /// What holds just before it.
    pub state: Partial,
    /// For a call whose inside is not listed: the number of steps inside, in decimal.
    pub folded: Option<Arc<str>>,
    /// No statement: the run is over, and stays in this state for ever.
    pub stays: Option<Stays>,
    /// What happens here that matters to a rule.
    pub events: Vec<Happening>,
    /// The run was searched for without this statement, since nothing happens there that matters; it lies
    /// on the way to the next one.
    pub on_the_way: bool,
    /// What the run assumes of data here, in words.
    pub assumed: Option<String>,
    /// Of a rule about values: names that hold the value just before it.
    pub held: Vec<String>,
    /// Of C with its data: what variables hold just before it, by their numbers, instead of the state.
    pub values: Option<Vec<(VarId, Arc<Value>)>>,
}

impl ListedStep {
    /// A statement in a state.
    pub fn new(node: NodeId, depth: u32, state: Partial) -> ListedStep {
        let (folded, stays, events) = (None, None, Vec::new());
        let (on_the_way, assumed, held, values) = (false, None, Vec::new(), None);
        ListedStep { node, depth, state, folded, stays, events, on_the_way, assumed, held, values }
    }
}

/// An event of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happening {
    /// In full: `call(free, main::p)`.
    pub text: String,
    /// As people read it: `call(free, p)`.
    pub shown: String,
}

/// In which state a run that is over stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// It has ended.
    Terminated,
    /// An assertion has failed.
    Failed,
}

impl ListedStep {
    /// Line, column and text of the statement; line 0 if there is none.
    pub(crate) fn origin<'p>(&self, program: &'p Program) -> (u32, u32, &'p str) {
        match self.stays {
            Some(Stays::Terminated) => (0, 0, "(terminated)"),
            Some(Stays::Failed) => (0, 0, "(error)"),
            None => {
                let origin = program.nodes[self.node].origin;
                (origin.line, origin.column, program.text(origin.text))
            }
        }
    }
}

/// Whether the parts of a formula that holds matter to its truth.
#[derive(Clone, Debug)]
pub struct Vacuity {
    /// Parts that can be replaced without changing the answer, the largest ones. Empty: every part
    /// that was tried matters.
    pub idle: Vec<Idle>,
    /// How many parts were tried, and how many there are.
    pub tried: (usize, usize),
    /// A run that satisfies the formula, and would not do so with this part replaced.
    pub witness: Option<(Idle, Listing)>,
}

/// A part of a formula, and what it is replaced by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Idle {
    /// The part.
    pub part: String,
    /// What it is replaced by: that which makes the formula stronger.
    pub by: bool,
}

/// The status of a procedure's exit.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The procedure.
    pub proc: ProcId,
    /// Whether some run returns from it.
    pub reachable: bool,
}

/// The status of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The statement.
    pub node: NodeId,
    /// Whether some run comes there.
    pub reachable: bool,
}

/// What is said of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Certificate")]
pub struct CertificateNote {
    /// It was checked, and accepted.
    pub checked: bool,
    /// Decisions in its graph.
    pub size: usize,
}

/// What can hold at some statements (`bop states`).
#[derive(Clone, Debug)]
pub struct States {
    /// The sources.
    pub files: Vec<Arc<SourceFile>>,
    /// The program.
    pub program: Arc<Program>,
    /// The place, as it was typed.
    pub at: String,
    /// The engine that answered.
    pub engine: String,
    /// Why this engine.
    pub why: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Counters of effort.
    pub counters: Vec<(String, u64)>,
    /// Why there is no answer.
    pub stop_reason: Option<StopReason>,
    /// One for each statement that the place denotes; empty if there is no answer.
    pub places: Vec<StatesAt>,
}

/// What can hold at a statement.
#[derive(Clone, Debug)]
pub struct StatesAt {
    /// The statement.
    pub node: NodeId,
    /// The variables that were asked for.
    pub vars: Vec<VarId>,
    /// Whether some run comes there.
    pub reachable: bool,
    /// The set as a formula.
    pub formula: Formula,
    /// The set as disjoint cubes: the known bits of each.
    pub cubes: Vec<Partial>,
    /// Some cubes were left out.
    pub cut: bool,
    /// The number of valuations of the variables, if it fits.
    pub count: Option<u128>,
}

/// A formula; parts that occur often, and would be long, have names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Formula {
    /// Names and what they stand for; each may use those before it.
    pub definitions: Vec<(String, String)>,
    /// The formula.
    pub text: String,
}

/// What is known of whole stacks (`bop states --from`, `--to`, `--stacks`).
#[derive(Clone, Debug)]
pub struct Stacks {
    /// The sources.
    pub files: Vec<Arc<SourceFile>>,
    /// The program.
    pub program: Arc<Program>,
    /// The statement, as it was typed.
    pub at: Option<String>,
    /// Where runs begin, as it was typed; without it, where the program does.
    pub from: Option<String>,
    /// Where runs shall come to, as it was typed.
    pub to: Option<String>,
    /// The engine that answered.
    pub engine: String,
    /// Why this engine.
    pub why: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Counters of effort.
    pub counters: Vec<(String, u64)>,
    /// Why there is no answer.
    pub stop_reason: Option<StopReason>,
    /// Whether a stack of `to` is reached, where no statement was named.
    pub status: Option<Status>,
    /// Such a stack, with as few frames as possible.
    pub reached: Option<Stack>,
    /// A stack from which one is reached, where the search went backwards.
    pub origin: Option<Stack>,
    /// The stacks below each statement.
    pub automata: Vec<StackAutomaton>,
    /// Automata with data.
    pub data: Vec<DataAutomaton>,
}

/// A stack with data, the topmost frame first.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Never empty.
    pub frames: Vec<StackFrame>,
}

/// Which configurations a P-automaton accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomatonKind {
    /// Those that are reached.
    Post,
    /// Those that lead to a set.
    Pre,
}

impl AutomatonKind {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            AutomatonKind::Post => "post*",
            AutomatonKind::Pre => "pre*",
        }
    }
}

/// A P-automaton with its data: edges read frames, the topmost one first, and carry relations.
#[derive(Clone, Debug)]
pub struct DataAutomaton {
    /// What it accepts.
    pub kind: AutomatonKind,
    /// The first one is initial.
    pub states: Vec<DataState>,
    /// By the states that they leave.
    pub edges: Vec<DataEdge>,
}

/// A state of a [`DataAutomaton`].
#[derive(Clone, Debug)]
pub struct DataState {
    /// The procedure of the frame that was read last, and the state of the set that was given.
    pub name: String,
    /// With which data a stack may end here.
    pub end: Option<Formula>,
}

/// An edge of a [`DataAutomaton`].
#[derive(Clone, Debug)]
pub struct DataEdge {
    /// The state that it leaves.
    pub from: u32,
    /// The state that it leads to.
    pub to: u32,
    /// The frame that it reads.
    pub frame: String,
    /// The statement there.
    pub text: String,
    /// `x` is a variable of the frame, `'x` of the state before, `x'` of the state after.
    pub formula: Formula,
}

/// A frame of a stack.
#[derive(Clone, Debug)]
pub struct StackFrame {
    /// The statement: of the topmost frame the next one, of others the call that they wait in.
    pub node: NodeId,
    /// What is known of globals (in the topmost frame) and locals.
    pub state: Partial,
}

/// The stacks that can be below a statement: a finite automaton that reads their frames, the
/// innermost first.
#[derive(Clone, Debug)]
pub struct StackAutomaton {
    /// The statement.
    pub node: NodeId,
    /// The same as a regular expression, if there is a short one.
    pub expression: Option<String>,
    /// The first one is initial. None: the statement is not reached.
    pub states: Vec<StackNode>,
    /// All of it as text.
    pub text: String,
    /// All of it for Graphviz.
    pub dot: String,
}

/// A state of a [`StackAutomaton`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackNode {
    /// The stack may end here.
    pub end: bool,
    /// Frames, and the states that they lead to.
    pub edges: Vec<(String, u32)>,
}
