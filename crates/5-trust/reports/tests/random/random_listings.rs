use super::generate::{Rng, program};
use super::naive::{Reached, Values, all, holds, join, partial, successors};
use check::{Budget, Goal, Target};
use ir::{EdgeId, EdgeKind, NodeId, Program};
use replay::machine::Role;
use replay::space::Space;
use replay::{Value, check_trace, state_vars};
use reports::{Listed, ListedStep, Outcome, UnlistedCall, replay_listed};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A whole stack: the calls below with their saved frames, and the top.
type Config = (Vec<(EdgeId, Values)>, NodeId, Values);

fn listed(program: &Program, edge: EdgeId) -> bool {
    let edge = &program.edges[edge];
    edge.step && program.nodes[edge.source].statement
}

/// The configurations one edge away.
fn step(program: &Program, (stack, node, state): &Config, edge: EdgeId) -> Vec<Config> {
    let proc = program.nodes[*node].proc;
    match &program.edges[edge].kind {
        EdgeKind::Local { target, rel } => successors(program, rel, Role::Local, proc, None, state)
            .into_iter()
            .map(|(post, _)| (stack.clone(), *target, post))
            .collect(),
        EdgeKind::Call(call) => {
            successors(program, &call.enter, Role::Enter, proc, Some(call.callee), state)
                .into_iter()
                .map(|(post, saved)| {
                    let mut stack = stack.clone();
                    stack.push((edge, saved));
                    (stack, program.procs[call.callee].entry, post)
                })
                .collect()
        }
        EdgeKind::Return { rel } => {
            let mut stack = stack.clone();
            let Some((edge, saved)) = stack.pop() else { return Vec::new() };
            let EdgeKind::Call(call) = &program.edges[edge].kind else { unreachable!() };
            let caller = program.nodes[program.edges[edge].source].proc;
            let mut out = Vec::new();
            for (exit, _) in successors(program, rel, Role::Return, proc, None, state) {
                let pre = join(&exit, &saved);
                for (post, _) in
                    successors(program, &call.back, Role::Back, caller, Some(proc), &pre)
                {
                    out.push((stack.clone(), call.ret, post));
                }
            }
            out
        }
    }
}

/// Follows unlisted edges.
fn settle(program: &Program, configs: Vec<Config>) -> Option<BTreeSet<Config>> {
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    let mut work = configs;
    while let Some(config) = work.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        for edge in program.out_edges(config.1).filter(|&e| !listed(program, e)) {
            work.extend(step(program, &config, edge));
        }
        if seen.len() > 20_000 || config.0.len() > 12 {
            return None;
        }
    }
    Some(seen)
}

/// Whether the program has a run that agrees with the listing; `None` if that takes too long.
fn exact(program: &Program, listing: &Listed) -> Option<bool> {
    let main = program.entry;
    let start = all(program, program.scope(main))
        .into_iter()
        .filter(|x| holds(program, program.init.condition, program.init.choices, x))
        .map(|x| (Vec::new(), program.procs[main].entry, x))
        .collect();
    let mut configs = settle(program, start)?;
    let Goal::Reach(targets) = &listing.goal else { return None };
    for (i, s) in listing.steps.iter().enumerate() {
        configs.retain(|(stack, node, state)| {
            let n = &program.nodes[*node];
            n.statement
                && n.proc == s.proc
                && n.origin.line == s.line
                && stack.len() == s.depth
                && s.state.iter().all(|(var, value)| match value {
                    Value::Bool(b) => state[&(*var, 0)] == *b as u64,
                    Value::Int(v) => state[&(*var, 0)] == *v,
                    Value::Bools(cells) => cells
                        .iter()
                        .enumerate()
                        .all(|(c, b)| b.is_none_or(|b| state[&(*var, c as u32)] == b as u64)),
                    Value::Ints(cells) => cells
                        .iter()
                        .enumerate()
                        .all(|(c, v)| v.is_none_or(|v| state[&(*var, c as u32)] == v)),
                })
        });
        let last = i + 1 == listing.steps.len();
        let at_target = |configs: &BTreeSet<Config>, statement: bool| {
            configs.iter().any(|(_, node, state)| {
                targets.iter().any(|t| {
                    program.nodes[t.node].statement == statement
                        && t.node == *node
                        && holds(program, t.condition, 0, state)
                })
            })
        };
        if last && at_target(&configs, true) {
            return Some(true);
        }
        let mut next = Vec::new();
        for config in &configs {
            for edge in program.out_edges(config.1).filter(|&e| listed(program, e)) {
                match &program.edges[edge].kind {
                    EdgeKind::Call(call) if s.folded => {
                        next.extend(through(program, config, edge, call.ret)?);
                    }
                    _ if s.folded => {}
                    _ => next.extend(step(program, config, edge)),
                }
            }
        }
        configs = settle(program, next)?;
        if last {
            return Some(at_target(&configs, false));
        }
    }
    Some(false)
}

/// Whether the call can lead from `before` to `after`.
fn folded(program: &Program, space: &Space, query: UnlistedCall) -> Option<bool> {
    let EdgeKind::Call(call) = &program.edges[query.edge].kind else { return Some(false) };
    let source = program.edges[query.edge].source;
    let bits = |v: &Values| partial(program, space, v);
    for x in all(program, program.scope(program.nodes[source].proc)) {
        if bits(&x).covers(query.before) {
            let back = through(program, &(Vec::new(), source, x), query.edge, call.ret)?;
            if back.iter().any(|(_, _, state)| bits(state).covers(query.after)) {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Where a call comes back to; `None` if that takes too long.
fn through(program: &Program, from: &Config, edge: EdgeId, ret: NodeId) -> Option<Vec<Config>> {
    let depth = from.0.len();
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    let mut work = step(program, from, edge);
    let mut out = Vec::new();
    while let Some(config) = work.pop() {
        if seen.len() > 1000 || config.0.len() > depth + 8 {
            return None;
        }
        if !seen.insert(config.clone()) {
            continue;
        }
        if config.0.len() == depth {
            assert_eq!(config.1, ret);
            out.push(config);
            continue;
        }
        for edge in program.out_edges(config.1) {
            work.extend(step(program, &config, edge));
        }
    }
    Some(out)
}

fn corrupt(rng: &mut Rng, listing: &mut Listed) {
    let i = rng.below(listing.steps.len());
    let count = listing.steps.len();
    let step = &mut listing.steps[i];
    match rng.below(5) {
        0 => step.line = 10 + rng.below(5) as u32,
        1 if !step.state.is_empty() => {
            step.state.remove(rng.below(step.state.len()));
        }
        2 if count > 1 => {
            listing.steps.remove(i);
        }
        _ => {
            let n = step.state.len();
            if n == 0 {
                step.depth = step.depth.saturating_sub(1);
                return;
            }
            match &mut step.state[rng.below(n)].1 {
                Value::Bool(b) => *b = !*b,
                Value::Int(v) => *v ^= 1,
                Value::Bools(cells) => {
                    let c = rng.below(cells.len());
                    cells[c] = Some(!cells[c].unwrap_or(false));
                }
                Value::Ints(cells) => {
                    let c = rng.below(cells.len());
                    cells[c] = Some(cells[c].unwrap_or(0) ^ 1);
                }
            }
        }
    }
}

#[test]
fn listings_are_replayed_as_the_plain_simulation_says() {
    let budget = Budget::unlimited();
    let (mut accepted_count, mut refuted, mut open) = (0, 0, 0);
    let (mut with_folds, mut refuted_folds) = (0, 0);
    let (mut hidden, mut unknown_hidden, mut refuted_hidden) = (0, 0, 0);
    for seed in 0..200 {
        let mut rng = Rng::new(5000 + seed);
        let program = Arc::new(program(&mut rng));
        let space = Space::new(&program);
        let hides = program.edges.ids().any(|edge| {
            matches!(program.edges[edge].kind, EdgeKind::Call(_)) && !replay::lists(&program, edge)
        });
        let reached = Reached::new(&program);
        for node in program.nodes.ids() {
            let target = Target::at(node);
            let Some(item) = reached.find(node, target.condition) else { continue };
            let goal = Goal::Reach(vec![target]);
            let trace = reached.trace(&space, item);
            let accepted = check_trace(&program, &goal, &trace).expect("a real run");
            if accepted.total_steps() > num_bigint::BigUint::from(60u32) {
                continue;
            }
            for max_steps in [usize::MAX, 2] {
                let steps: Vec<ListedStep> = accepted
                    .shown(max_steps)
                    .map(|shown| {
                        let node = &program.nodes[shown.node];
                        ListedStep {
                            proc: node.proc,
                            line: node.origin.line,
                            depth: shown.depth,
                            state: state_vars(&program, &space.layout, node.proc, &shown.state),
                            folded: shown.folded.is_some(),
                            column: Some(node.origin.column),
                            text: Some(program.text(node.origin.text).to_owned()),
                        }
                    })
                    .collect();
                if steps.is_empty() {
                    continue;
                }
                let folds = steps.iter().any(|s| s.folded);
                let listing = Listed { steps, goal: goal.clone() };
                let mut gave_up = false;
                let mut ask = |query: UnlistedCall| {
                    let answer = folded(&program, &space, query);
                    gave_up |= answer.is_none();
                    answer
                };
                let outcome = replay_listed(&program, &listing, &budget, &mut ask);
                match &outcome {
                    Outcome::Accepted { .. } => {
                        accepted_count += 1;
                        hidden += hides as usize;
                    }
                    Outcome::Refuted { .. } => panic!("seed {seed}, {node:?}: {outcome:?}"),
                    Outcome::Inconclusive { why } => {
                        unknown_hidden += hides as usize;
                        assert!(
                            gave_up || hides || why.is_empty(),
                            "seed {seed}, {node:?}: {outcome:?}\n{listing:?}\n{}",
                            ir::dump(&program)
                        );
                    }
                }
                with_folds += (folds && !gave_up) as usize;
                assert!(exact(&program, &listing) != Some(false), "seed {seed}");
                for _ in 0..3 {
                    let mut bad = listing.clone();
                    corrupt(&mut rng, &mut bad);
                    let Some(expected) = exact(&program, &bad) else { continue };
                    let mut ask = |query: UnlistedCall| folded(&program, &space, query);
                    match replay_listed(&program, &bad, &budget, &mut ask) {
                        Outcome::Accepted { assumed: Some(_) } => open += 1,
                        Outcome::Accepted { assumed: None } => {
                            assert!(expected, "seed {seed}: {bad:?}\n{}", ir::dump(&program));
                        }
                        Outcome::Refuted { step, why } => {
                            assert!(!expected, "seed {seed}, step {step}: {why}");
                            refuted += 1;
                            refuted_hidden += hides as usize;
                            refuted_folds += folds as usize;
                        }
                        Outcome::Inconclusive { .. } => open += 1,
                    }
                }
            }
        }
    }
    let counts = (accepted_count, refuted, open, with_folds, refuted_folds);
    let of_hidden = (hidden, refuted_hidden, unknown_hidden);
    assert!(hidden > 50 && refuted_hidden > 50 && unknown_hidden < hidden / 4, "{of_hidden:?}");
    assert!(
        accepted_count > 500 && refuted > 500 && open < refuted / 4 && with_folds > 5,
        "{counts:?}"
    );
}
