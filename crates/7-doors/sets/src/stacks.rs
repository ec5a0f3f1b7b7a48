//! Questions about whole stacks: which ones are reached, and what they look like at a statement.

use crate::automata;
use crate::configurations::{Configurations, can_start, waiting};
use asking::{EngineChoice, Options, Watch};
use check::{Budget, StopReason};
use engine_pds::{
    Configuration, PAutomaton, RegularSet, StackLanguage, StackLetter, Waiting, post_star,
    pre_star, reachable_stacks,
};
use input::{Error, caught, language, load_for_stacks};
use ir::{EdgeKind, NodeId, Program};
use render::{AutomatonKind, Stack, StackAutomaton, StackFrame, StackNode, Stacks, Status};
use source::SourceFile;
use std::sync::Arc;
use std::time::Instant;

/// A question about stacks. With `at`: which stacks can be below a statement? Without: is a
/// configuration of `to` reached from one of `from`?
#[derive(Clone, Debug, Default)]
pub struct StackQuestion {
    /// The statement: `L`, `proc:L` or `:N`.
    pub at: Option<String>,
    /// Where runs begin; by default, where the program begins.
    pub from: Option<Configurations>,
    /// Where runs shall come to. With `at`: the stacks at the statement from which they can.
    pub to: Option<Configurations>,
    /// Show the stacks as automata, over these letters.
    pub words: Option<Words>,
}

/// The letters of stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Words {
    /// The calls that frames wait in.
    #[default]
    Calls,
    /// The procedures that they belong to.
    Procs,
    /// The calls, with what holds of the variables of frames.
    Data,
}

/// The automaton of which configurations is wanted.
#[derive(Clone, Debug)]
pub enum Whole {
    /// Those that these lead to; without any, those that the program comes to.
    Post(Option<Configurations>),
    /// Those that lead to these.
    Pre(Configurations),
}

/// The P-automaton of post* or pre* itself [moped §4].
pub fn whole_automaton(
    files: &[Arc<SourceFile>],
    whole: &Whole,
    options: &Options,
    watch: &Watch,
) -> Result<Stacks, Error> {
    let (from, to) = match whole {
        Whole::Post(from) => (from.clone(), None),
        Whole::Pre(to) => (None, Some(to.clone())),
    };
    let question = StackQuestion { at: None, from, to, words: Some(Words::Data) };
    let direction = match whole {
        Whole::Post(_) => Direction::Forwards,
        Whole::Pre(_) => Direction::Backwards,
    };
    answered(files, &question, direction, true, options, watch)
}

/// Answers a question about stacks.
pub fn stacks(
    files: &[Arc<SourceFile>],
    question: &StackQuestion,
    options: &Options,
    watch: &Watch,
) -> Result<Stacks, Error> {
    let direction = direction(question, options)?;
    answered(files, question, direction, false, options, watch)
}

fn answered(
    files: &[Arc<SourceFile>],
    question: &StackQuestion,
    direction: Direction,
    whole: bool,
    options: &Options,
    watch: &Watch,
) -> Result<Stacks, Error> {
    let start = Instant::now();
    let budget = watch.budget(options.search.limits);
    let lang = language(files, &options.input)?;
    let backwards = whole && direction == Direction::Backwards;
    let any =
        question.from.is_some() || backwards || (question.at.is_some() && question.to.is_some());
    let mut loaded = load_for_stacks(files, &options.input, any)?;
    let from = question.from.as_ref().map(|set| set.read(&mut loaded, lang)).transpose()?;
    let to = question.to.as_ref().map(|set| set.read(&mut loaded, lang)).transpose()?;
    let program = Arc::new(loaded.program);
    let asked = Asked {
        program: &program,
        from,
        to,
        budget: &budget,
        waiting: waiting(lang),
        words: question.words,
    };
    if let (Some(given), Some(set)) = (&question.from, &asked.from) {
        can_start(given, set, &program)?;
    }
    let at = question.at.as_deref().map(|at| property::places(&program, at)).transpose();
    let at = at.map_err(|e| match files.first() {
        Some(file) => input::rejected(file, [e.diagnostic()]),
        None => Error::Usage(e.to_string()),
    })?;
    let title = |set: &Option<Configurations>| set.as_ref().map(Configurations::title);
    let mut out = Stacks {
        files: files.to_vec(),
        program: program.clone(),
        at: question.at.clone(),
        from: title(&question.from),
        to: title(&question.to),
        engine: direction.word().to_owned(),
        why: match options.search.engine {
            EngineChoice::Auto => "it knows whole stacks".to_owned(),
            _ => "asked for by `--engine`".to_owned(),
        },
        seconds: 0.0,
        counters: Vec::new(),
        stop_reason: None,
        status: (at.is_none() && !whole).then_some(Status::Unknown),
        reached: None,
        origin: None,
        automata: Vec::new(),
        data: Vec::new(),
    };
    let done = caught("searching stacks", || match &at {
        Some(nodes) => asked.at(nodes, &mut out),
        None if whole => asked.whole(direction, &mut out),
        None => asked.meeting(direction, &mut out),
    });
    match done {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => out.stop_reason = Some(reason),
        Err(what) => out.stop_reason = Some(StopReason::Internal { what }),
    }
    if out.stop_reason.is_some() {
        out.status = out.status.map(|_| Status::Unknown);
        (out.reached, out.origin) = (None, None);
        out.automata.clear();
        out.data.clear();
    }
    out.seconds = start.elapsed().as_secs_f64();
    Ok(out)
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forwards,
    Backwards,
    Both,
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Direction::Forwards => "post",
            Direction::Backwards => "pre",
            Direction::Both => "compare",
        }
    }
}

fn direction(question: &StackQuestion, options: &Options) -> Result<Direction, Error> {
    let usage = |text: &str| Err(Error::Usage(text.to_owned()));
    if question.at.is_some() && question.from.is_some() && question.to.is_some() {
        return usage(
            "`--at` goes with `--from` (what comes there) or with `--to` (what leads from there), \
             not with both",
        );
    }
    if question.at.is_none() && question.words == Some(Words::Data) {
        return usage(
            "`--stacks=data` shows the stacks at a statement: say `--at`; `bop post` and `bop pre` show \
             whole automata",
        );
    }
    let by_at = match (&question.at, &question.to) {
        (Some(_), Some(_)) => Some(Direction::Backwards),
        (Some(_), None) => Some(Direction::Forwards),
        (None, None) => return usage("say which stacks: `--at L`, `--to E`, or both"),
        (None, Some(_)) => None,
    };
    let chosen = match options.search.engine {
        EngineChoice::Auto => by_at.unwrap_or(Direction::Forwards),
        EngineChoice::Post => Direction::Forwards,
        EngineChoice::Pre => Direction::Backwards,
        EngineChoice::Compare => by_at.unwrap_or(Direction::Both),
        _ => {
            return usage("only the engines post and pre know whole stacks");
        }
    };
    match by_at {
        Some(Direction::Backwards) if chosen != Direction::Backwards => {
            usage("what leads from `--at` to `--to` is found backwards, by the engine pre")
        }
        Some(Direction::Forwards) if chosen != Direction::Forwards => {
            usage("what comes to `--at` is found forwards, by the engine post")
        }
        _ if question.words.is_some() && chosen == Direction::Backwards && by_at.is_none() => {
            usage("the stacks that are reached are found forwards, by the engine post")
        }
        _ => Ok(chosen),
    }
}

struct Asked<'a> {
    program: &'a Arc<Program>,
    from: Option<RegularSet>,
    to: Option<RegularSet>,
    budget: &'a Budget,
    waiting: Waiting,
    words: Option<Words>,
}

impl Asked<'_> {
    /// What is reached, or what leads to the set if there is one.
    fn forwards(&self) -> Result<PAutomaton, StopReason> {
        let reads = match &self.to {
            Some(to) => to.reads_on_top(self.program),
            None => Some(Vec::new()),
        };
        match (&self.from, reads) {
            (None, Some(reads)) if self.words != Some(Words::Data) => {
                reachable_stacks(self.program, &reads, self.budget)
            }
            (None, _) => post_star(self.program, &RegularSet::initial(self.program), self.budget),
            (Some(from), _) => post_star(self.program, from, self.budget),
        }
    }

    /// All edges.
    fn whole(&self, direction: Direction, out: &mut Stacks) -> Result<(), StopReason> {
        let (kind, mut automaton) = match (&self.to, direction) {
            (Some(to), Direction::Backwards) => {
                (AutomatonKind::Pre, pre_star(self.program, to, self.budget)?)
            }
            _ => (AutomatonKind::Post, self.forwards()?),
        };
        out.data.push(automata::shown(&mut automaton, kind, None, self.waiting, self.budget)?);
        Ok(())
    }

    fn at(&self, nodes: &[NodeId], out: &mut Stacks) -> Result<(), StopReason> {
        let mut automaton = match &self.to {
            Some(to) => pre_star(self.program, to, self.budget)?,
            None => self.forwards()?,
        };
        if self.words == Some(Words::Data) {
            let kind = match &self.to {
                Some(_) => AutomatonKind::Pre,
                None => AutomatonKind::Post,
            };
            let tops = Some(nodes);
            out.data.push(automata::shown(&mut automaton, kind, tops, self.waiting, self.budget)?);
            return Ok(());
        }
        for &node in nodes {
            let language = automaton.stacks_at(node, None, self.budget)?;
            out.automata.push(self.shown(language));
        }
        // A stack symbol has several nodes; those that are not reached say nothing about it.
        if self.waiting == Waiting::Return && out.automata.iter().any(|a| !a.states.is_empty()) {
            out.automata.retain(|a| !a.states.is_empty());
        }
        Ok(())
    }

    fn meeting(&self, direction: Direction, out: &mut Stacks) -> Result<(), StopReason> {
        let Some(to) = &self.to else { return Ok(()) };
        let mut found = Vec::new();
        if direction != Direction::Backwards {
            let mut automaton = self.forwards()?;
            let met = automaton.intersection(to, self.budget)?;
            found.push(met.is_some());
            out.reached = met.map(|configuration| self.stack(configuration));
            if self.words.is_some() {
                let statement = |&n: &NodeId| self.program.nodes[n].statement && to.can_top(n);
                for node in self.program.nodes.ids().filter(statement) {
                    let language = automaton.stacks_within(node, to, self.budget)?;
                    if !language.is_empty() {
                        out.automata.push(self.shown(language));
                    }
                }
            }
        }
        if direction != Direction::Forwards {
            let mut automaton = pre_star(self.program, to, self.budget)?;
            let initial = || RegularSet::initial(self.program);
            let from = self.from.clone().unwrap_or_else(initial);
            let met = automaton.intersection(&from, self.budget)?;
            found.push(met.is_some());
            out.origin = met.map(|configuration| self.stack(configuration));
        }
        if found.iter().any(|&f| f != found[0]) {
            let what = "post and pre disagree about the stacks".to_owned();
            return Err(StopReason::Internal { what });
        }
        out.status = Some(match found[0] {
            true => Status::Reachable,
            false => Status::Unreachable,
        });
        Ok(())
    }

    fn stack(&self, configuration: Configuration) -> Stack {
        let Configuration { node, state, below } = configuration;
        let mut frames = vec![StackFrame { node, state }];
        for (edge, state) in below {
            let edge = &self.program.edges[edge];
            let node = match (&edge.kind, self.waiting) {
                (EdgeKind::Call(call), Waiting::Return) => call.ret,
                _ => edge.source,
            };
            frames.push(StackFrame { node, state });
        }
        Stack { frames }
    }

    fn shown(&self, mut language: StackLanguage) -> StackAutomaton {
        language.waiting = self.waiting;
        if self.words == Some(Words::Procs) {
            language = language.by_procedure();
        } else if self.waiting == Waiting::Return {
            language = language.by_symbol();
        }
        let name = |letter: StackLetter| language.name(letter);
        let states = language.states.iter().map(|state| StackNode {
            end: state.accepting,
            edges: state.edges.iter().map(|&(letter, to)| (name(letter), to)).collect(),
        });
        StackAutomaton {
            node: language.node,
            expression: language.expression(),
            states: states.collect(),
            text: language.to_text(),
            dot: language.to_dot(),
        }
    }
}
