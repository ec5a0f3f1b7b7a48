//! The engines: reach goals by post* from the start, or by pre* to the goals; repeat goals by the head
//! graph, of what post* reaches or of everything.

use crate::call::CallRel;
use crate::post_star::{PostStar, lookup};
use crate::pre_star::PreStar;
use crate::regular::Frames;
use crate::repeat::{Heads, Paths, Repeat};
use crate::system::System;
use analysis::Order;
use bdd::{Bdd, Config, Stop};
use check::{
    Answer, Budget, Certificate, Engine, Goal, Stats, StopReason, Task, TraceMode, Verdict, Wants,
};
use ir::{EdgeKind, IndexVec, NodeId, ProcId, Program};
use std::sync::Arc;
use symbolic::{
    CallRelation, Halt, Rings, Watch, default_collect_at, on_large_stack, partial_verdicts,
    verdicts,
};

/// Forwards: the configurations reachable from the start. Its switches exist so that the effect of
/// what they switch off can be measured.
#[derive(Clone, Copy, Debug)]
pub struct Post {
    /// Drop variables where they are dead ([bebop §3.3]).
    pub live_ranges: bool,
    /// Leave globals that a procedure does not touch with its callers ([bebop §3.3]).
    pub mod_ref: bool,
    /// How many nodes of diagrams there may be before the first collection.
    pub collect_at: usize,
    /// The order of the diagrams' variables.
    pub order: Order,
    /// Look for a better order whenever the diagrams have doubled.
    pub sifting: bool,
    /// Search for repeating heads inside rough components only ([moped §5]).
    pub rough_components: bool,
    /// How repeating heads are found there.
    pub heads: Heads,
    /// How many ranks the certificate of a repeat goal may have; beyond that, there is none.
    pub certificate_ranks: usize,
    /// The nodes of diagrams up to which there is a certificate for goals that are not reached. A larger one is only for
    /// those who ask for it: it takes more memory than the search.
    pub largest_proof: usize,
}

impl Default for Post {
    fn default() -> Self {
        Post {
            live_ranges: true,
            mod_ref: true,
            collect_at: default_collect_at(),
            order: Order::default(),
            sifting: false,
            rough_components: true,
            heads: Heads::default(),
            certificate_ranks: 256,
            largest_proof: usize::MAX,
        }
    }
}

impl Engine for Post {
    fn name(&self) -> &'static str {
        "post"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let base = symbolic::Switches {
            live_ranges: self.live_ranges,
            mod_ref: self.mod_ref,
            collect_at: self.collect_at,
            order: self.order,
            sifting: self.sifting,
        };
        let switches = Switches {
            base,
            rough: self.rough_components,
            heads: self.heads,
            ranks: self.certificate_ranks,
        };
        run(task, budget, || forwards(task, budget, switches, self.largest_proof))
    }
}

/// Backwards: the configurations from which a goal can be reached. Traces and sets of states come
/// from a pass forwards over the summaries that it finds on the way.
#[derive(Clone, Copy, Debug)]
pub struct Pre {
    /// Drop variables where they are dead ([bebop §3.3]).
    pub live_ranges: bool,
    /// Leave globals that a procedure does not touch with its callers ([bebop §3.3]).
    pub mod_ref: bool,
    /// How many nodes of diagrams there may be before the first collection.
    pub collect_at: usize,
    /// The order of the diagrams' variables.
    pub order: Order,
    /// Look for a better order whenever the diagrams have doubled.
    pub sifting: bool,
    /// How many nodes of diagrams a certificate made of what pre* found may take; beyond that, one
    /// is made by a search forwards.
    pub certificate_nodes: usize,
    /// Search for repeating heads inside rough components only ([moped §5]).
    pub rough_components: bool,
    /// How repeating heads are found there.
    pub heads: Heads,
    /// How many ranks the certificate of a repeat goal may have; beyond that, there is none.
    pub certificate_ranks: usize,
}

impl Default for Pre {
    fn default() -> Self {
        Pre {
            live_ranges: true,
            mod_ref: true,
            collect_at: default_collect_at(),
            order: Order::default(),
            sifting: false,
            certificate_nodes: 1 << 20,
            rough_components: true,
            heads: Heads::default(),
            certificate_ranks: 256,
        }
    }
}

impl Engine for Pre {
    fn name(&self) -> &'static str {
        "pre"
    }
    fn run(&self, task: &Task, budget: &Budget) -> Answer {
        let base = symbolic::Switches {
            live_ranges: self.live_ranges,
            mod_ref: self.mod_ref,
            collect_at: self.collect_at,
            order: self.order,
            sifting: self.sifting,
        };
        let switches = Switches {
            base,
            rough: self.rough_components,
            heads: self.heads,
            ranks: self.certificate_ranks,
        };
        run(task, budget, || backwards(task, budget, switches, self.certificate_nodes))
    }
}

fn run(task: &Task, budget: &Budget, body: impl FnOnce() -> Result<Answer, Halt> + Send) -> Answer {
    let body = || body().map_err(|halt| halt.reason(budget));
    match on_large_stack(&task.program, CallRel::COPIES, body) {
        Ok(answer) => answer,
        Err(reason) => Answer::unknown(task, reason),
    }
}

/// The switches of both engines.
#[derive(Clone, Copy)]
struct Switches {
    base: symbolic::Switches,
    rough: bool,
    heads: Heads,
    ranks: usize,
}

/// The number of marks, for a repeat goal.
fn marks_of(goal: &Goal) -> Option<u32> {
    match goal {
        Goal::Repeat { marks } => Some(*marks),
        _ => None,
    }
}

/// The program of a task, ready for either direction.
fn system(task: &Task, budget: &Budget, switches: Switches) -> Result<System, Halt> {
    Ok(symbolic::System::of_task(task, budget, switches.base)?.into())
}

fn forwards(
    task: &Task,
    budget: &Budget,
    switches: Switches,
    largest_proof: usize,
) -> Result<Answer, Halt> {
    let mut s = system(task, budget, switches)?;
    let aims = s.aims(task)?;
    // Without shortest traces the search may end at the first sight of every goal.
    let wants_all = task.wants.all_nodes || !task.observe.is_empty();
    let repeats = task.goals.iter().any(|g| marks_of(g).is_some());
    let early = !wants_all && !repeats && task.wants.trace != TraceMode::Shortest;
    let mut post = PostStar::new(s, None);
    // Conditions must survive collections in any case.
    post.watch = Watch::new(aims.iter().copied(), if early { task.goals.len() } else { 0 });
    let stopped = match post.run() {
        Ok(()) => None,
        // What was reached before it had to stop is reached all the same.
        Err(halt) if halt.is_internal() || repeats => return Err(halt),
        Err(halt) => {
            let reason = halt.reason(budget);
            if !budget.grant(check::MOMENT) {
                return Err(reason.into());
            }
            Some(reason)
        }
    };

    let mut reached = vec![false; task.goals.len()];
    for &(goal, node, condition) in &aims {
        reached[goal] |= !post.s.m.disjoint(lookup(&post.top[node], 0), condition)?;
    }
    if let Some(reason) = stopped {
        let mut answer = Answer::unknown(task, reason.clone());
        if reached.contains(&true) {
            post.s.pinned.extend(aims.iter().map(|aim| aim.2));
            let traces = post.s.traces(task, &aims, &reached, None);
            answer.verdicts = partial_verdicts(task, &reached, traces, &reason);
        }
        answer.stats = stats(&post.s, post.work.visits);
        return Ok(answer);
    }
    let mut answer = Answer::unknown(task, StopReason::Cancelled);
    let complete = !early || reached.contains(&false) || task.goals.is_empty();
    if complete {
        for (i, observation) in task.observe.iter().enumerate() {
            let node = observation.node;
            let proc = task.program.nodes[node].proc;
            let states = post.s.forget_entry(proc, lookup(&post.top[node], 0))?;
            answer.observed[i] = Some(post.s.observe(observation, states, &mut answer.sets)?);
        }
        if task.wants.all_nodes {
            answer.reached = Some(post.top.iter().map(|list| !list.is_empty()).collect());
        }
    }
    let unreached = |(goal, reached): (&Goal, &bool)| marks_of(goal).is_none() && !reached;
    let wants_certificate = task.wants.certificate
        && post.s.m.live_nodes() <= largest_proof
        && task.goals.iter().zip(&reached).any(unreached);
    let certificate = wants_certificate.then(|| Arc::new(forward_certificate(&post)));
    post.s.pinned.extend(aims.iter().map(|aim| aim.2));
    let repeated = repeated(&mut post, task, switches).map_err(|h| h.reason(budget));
    let traces = post.s.traces(task, &aims, &reached, None);
    answer.verdicts = verdicts(task, &reached, certificate, traces, budget);
    for (goal, verdict) in answer.verdicts.iter_mut().enumerate() {
        match &repeated {
            _ if marks_of(&task.goals[goal]).is_none() => {}
            Ok(repeated) => *verdict = repeated[goal].clone(),
            Err(reason) => *verdict = Verdict::Unknown(reason.clone()),
        }
    }
    answer.stats = stats(&post.s, post.work.visits);
    Ok(answer)
}

/// The verdicts of repeat goals, after post* is complete; those of others are of no account.
fn repeated(post: &mut PostStar, task: &Task, switches: Switches) -> Result<Vec<Verdict>, Halt> {
    let mut out = vec![Verdict::Holds(None); task.goals.len()];
    for (goal, what) in task.goals.iter().enumerate() {
        if let Some(marks) = marks_of(what) {
            out[goal] = repeated_forwards(post, marks, task.wants, switches)?;
        }
    }
    Ok(out)
}

fn repeated_forwards(
    post: &mut PostStar,
    marks: u32,
    wants: Wants,
    switches: Switches,
) -> Result<Verdict, Halt> {
    let s = &mut post.s;
    let program = s.program.clone();
    let path: IndexVec<NodeId, Bdd> = post.top.iter().map(|list| lookup(list, 0)).collect();
    let mut heads = IndexVec::new();
    for (node, &path) in path.enumerate() {
        heads.push(s.forget_entry(program.nodes[node].proc, path)?);
    }
    let paths = Paths::reachable(&program, path);
    let mut repeat = Repeat::new(s, marks, heads, paths, switches.rough, switches.heads)?;
    let rounds = s.effort.rounds;
    let mut hulls = repeat.hulls(s, false)?;
    if !hulls.is_empty() {
        return match wants.trace {
            TraceMode::None => Ok(Verdict::Violated(None)),
            _ => Ok(Verdict::Violated(Some(Box::new(s.lasso(&mut hulls, repeat.marks)?)))),
        };
    }
    // Ranks take at least as many rounds as the longest chain that was removed.
    let long = s.effort.rounds - rounds > 16 * switches.ranks as u64;
    if !wants.certificate || marks == 0 || switches.ranks == 0 || long {
        return Ok(Verdict::Holds(None));
    }
    // A verdict without its proof is still one, should this run into a limit.
    Ok(Verdict::Holds(match repeat.ranks(s, switches.ranks) {
        Ok(Some(ranks)) => {
            let summaries = s.summaries.iter().map(|summary| summary.all).collect();
            let marked = repeat.marked_claims(s);
            let claims = s.repeat_certificate(&repeat.paths.of, &summaries, &marked, &ranks);
            Some(Arc::new(claims))
        }
        Ok(None) => None,
        Err(halt @ Halt::Budget(StopReason::Internal { .. })) => return Err(halt),
        Err(_) => None,
    }))
}

/// A repeat goal by [moped §4.2] to the letter: the repeating heads of everything, reachable or not,
/// and pre* to them.
fn repeated_backwards(
    task: &Task,
    budget: &Budget,
    marks: u32,
    switches: Switches,
) -> Result<(Verdict, Stats), Halt> {
    let program = &task.program;
    let relevant = reachable_procs(program);
    let s = system(task, budget, switches)?;
    let mut pre = PreStar::new(s, Frames::of_targets(&[], program), Some(relevant.clone()));
    pre.want_all()?;
    pre.run()?;
    let mut visits = pre.work.visits;
    let mut s = pre.s;
    let heads = s.all_heads(&relevant);
    let paths = Paths::unrestricted(program);
    let mut repeat = Repeat::new(&mut s, marks, heads, paths, switches.rough, switches.heads)?;
    let mut hulls = repeat.hulls(&mut s, true)?;
    let mut reached = false;
    if !hulls.is_empty() {
        let mut targets = Vec::new();
        for hull in &hulls {
            targets.extend(s.ways_in(hull)?);
        }
        // The summaries that marked ones stand on are those of the first search.
        let summaries = s.summaries.clone();
        let rounds = s.rounds;
        for summary in summaries.iter() {
            s.pinned.extend(summary.roots());
        }
        s.forget_summaries();
        let frames = Frames::of_targets(&[targets], program);
        let mut pre = PreStar::new(s, frames, Some(relevant));
        pre.watch()?;
        pre.run()?;
        visits += pre.work.visits;
        reached = pre.starts_in(0)?;
        s = pre.s;
        s.summaries = summaries;
        s.rounds = rounds;
    }
    let verdict = match (reached, task.wants.trace) {
        (true, TraceMode::None) => Verdict::Violated(None),
        (true, _) => Verdict::Violated(Some(Box::new(s.lasso(&mut hulls, repeat.marks)?))),
        (false, _) if !task.wants.certificate => Verdict::Holds(None),
        (false, _) => {
            // Its proof speaks of what can be reached.
            s.forget_summaries();
            s.pinned.clear();
            s.marked.clear();
            let mut post = PostStar::new(s, None);
            let found = match post.run() {
                Ok(()) => {
                    let forwards = Switches { heads: Heads::Frames, rough: true, ..switches };
                    repeated_forwards(&mut post, marks, task.wants, forwards)
                }
                Err(halt) => Err(halt),
            };
            s = post.s;
            match found {
                Ok(Verdict::Holds(certificate)) => Verdict::Holds(certificate),
                Ok(_) => return Err(Halt::internal("pre* and post* disagree")),
                Err(halt @ Halt::Budget(StopReason::Internal { .. })) => return Err(halt),
                Err(_) => Verdict::Holds(None),
            }
        }
    };
    Ok((verdict, stats(&s, visits)))
}

fn backwards(
    task: &Task,
    budget: &Budget,
    switches: Switches,
    certificate_nodes: usize,
) -> Result<Answer, Halt> {
    let program = &task.program;
    let mut repeated: Vec<Option<(Verdict, Stats)>> = Vec::new();
    for goal in &task.goals {
        repeated.push(match marks_of(goal) {
            None => None,
            Some(marks) => match repeated_backwards(task, budget, marks, switches) {
                Ok(found) => Some(found),
                Err(halt) => Some((Verdict::Unknown(halt.reason(budget)), Stats::default())),
            },
        });
    }
    let mut s = system(task, budget, switches)?;
    let aims = s.aims(task)?;
    let mut targets = vec![Vec::new(); task.goals.len()];
    for &(goal, node, condition) in &aims {
        targets[goal].push((node, condition));
    }
    let wants_all = task.wants.all_nodes || !task.observe.is_empty();
    let early = !wants_all && task.wants.trace != TraceMode::Shortest;
    let relevant = reachable_procs(program);
    let mut pre = PreStar::new(s, Frames::of_targets(&targets, program), Some(relevant.clone()));
    if early {
        pre.watch()?;
    }
    if wants_all {
        pre.want_all()?;
    }
    pre.run()?;

    let mut reached = Vec::with_capacity(task.goals.len());
    for goal in 0..task.goals.len() {
        reached.push(pre.starts_in(goal)?);
    }
    let mut answer = Answer::unknown(task, StopReason::Cancelled);
    let unreached = |(goal, reached): (&Goal, &bool)| marks_of(goal).is_none() && !reached;
    let wants_certificate =
        task.wants.certificate && task.goals.iter().zip(&reached).any(unreached);
    let mut certificate = match wants_certificate {
        true => backward_certificate(&mut pre, &reached, &relevant, certificate_nodes)?,
        false => None,
    };
    // From here on, all that is needed of the automaton are the states on the way to the goals.
    let mut guide = IndexVec::filled(Bdd::FALSE, program.nodes.len());
    for (node, list) in pre.top.enumerate() {
        for (goal, _) in reached.iter().enumerate().filter(|(_, r)| **r) {
            let states = lookup(list, 1 + goal as u32);
            guide[node] = pre.s.m.or(guide[node], states)?;
        }
    }
    let visits = pre.work.visits;
    let mut s = pre.s;
    if wants_all {
        let keep: Vec<Bdd> = guide.iter().copied().chain(aims.iter().map(|a| a.2)).collect();
        let states = s.forward(&keep)?;
        for (i, observation) in task.observe.iter().enumerate() {
            let set = s.observe(observation, states[observation.node], &mut answer.sets)?;
            answer.observed[i] = Some(set);
        }
        if task.wants.all_nodes {
            answer.reached = Some(states.iter().map(|states| !states.is_false()).collect());
        }
    }
    let traces = s.traces(task, &aims, &reached, Some(&guide));
    answer.stats = stats(&s, visits);
    if wants_certificate && certificate.is_none() {
        // A verdict without its proof is still one, should this run into a limit.
        s.forget_summaries();
        let mut post = PostStar::new(s, None);
        certificate = post.run().ok().map(|()| Arc::new(forward_certificate(&post)));
    }
    answer.verdicts = verdicts(task, &reached, certificate, traces, budget);
    let only_repeats = repeated.iter().all(Option::is_some);
    for (goal, found) in repeated.into_iter().enumerate() {
        let Some((verdict, stats)) = found else { continue };
        answer.verdicts[goal] = verdict;
        if only_repeats {
            answer.stats = stats;
        }
    }
    Ok(answer)
}

/// What pre* itself can say; `None` if that takes more than so many nodes.
fn backward_certificate(
    pre: &mut PreStar,
    reached: &[bool],
    relevant: &IndexVec<ProcId, bool>,
    nodes: usize,
) -> Result<Option<Arc<Certificate>>, Halt> {
    let room = pre.s.m.live_nodes().saturating_add(nodes);
    pre.s.m.set_node_limit(room);
    let certificate = match nodes {
        0 => Err(Halt::Diagrams(Stop::Nodes)),
        _ => pre.certificate(reached, relevant),
    };
    pre.s.m.set_node_limit(Config::default().node_limit);
    match certificate {
        Ok(certificate) => Ok(Some(Arc::new(certificate))),
        Err(Halt::Diagrams(Stop::Nodes)) => Ok(None),
        Err(halt) => Err(halt),
    }
}

/// The path edges and summaries of a finished search: inductive by construction.
fn forward_certificate(post: &PostStar) -> Certificate {
    let path = post.top.iter().map(|list| lookup(list, 0)).collect();
    let summaries = post.s.summaries.iter().map(|summary| summary.all).collect();
    post.s.certificate(&path, &summaries)
}

/// The procedures that some chain of calls leads to from the entry.
fn reachable_procs(program: &Program) -> IndexVec<ProcId, bool> {
    let mut callees: IndexVec<ProcId, Vec<ProcId>> =
        IndexVec::filled(Vec::new(), program.procs.len());
    for edge in program.edges.iter() {
        if let EdgeKind::Call(call) = &edge.kind {
            callees[program.nodes[edge.source].proc].push(call.callee);
        }
    }
    let mut reached = IndexVec::filled(false, program.procs.len());
    reached[program.entry] = true;
    let mut work = vec![program.entry];
    while let Some(proc) = work.pop() {
        for &callee in &callees[proc] {
            if !std::mem::replace(&mut reached[callee], true) {
                work.push(callee);
            }
        }
    }
    reached
}

fn stats(s: &System, visits: u64) -> Stats {
    let mut stats = s.stats(visits);
    if !s.marked.is_empty() {
        stats.add("components", s.effort.components);
        stats.add("eliminations", s.effort.rounds);
        stats.add("head_images", s.effort.images);
        stats.add("marked_visits", s.effort.marked);
    }
    stats
}
