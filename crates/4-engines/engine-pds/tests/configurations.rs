//! P-automata against plain search: configurations with all their frames and data, one by one.
//!
//! Relations are asked by their definition. The search is bounded in the depth of stacks; a program
//! counts only if a higher bound finds no more of the configurations that are compared.

#[path = "../../../2-programs/ir/tests/support/direct.rs"]
mod direct;

use check::{Budget, Partial};
pub(crate) use direct::Cells;
use direct::{Direct, Kind};
use engine_pds::{
    Configuration, Letter, Nodes, PAutomaton, RegularSet, StackLetter, Waiting, automaton,
    post_star, pre_star, reachable_stacks,
};
use ir::eval::{Code, TableEnv};
use ir::{EdgeId, EdgeKind, Id, Layout, NodeId, ProcId, Program, Type, VarId, VarKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::random_ir::{random_condition, random_program};
use testkit::rng::Rng;

/// Node, globals and locals; and the frames below: calls and saved locals.
pub(crate) type Config = (NodeId, Cells, Vec<(EdgeId, Cells)>);

enum Relations<'a> {
    Local(NodeId, Direct<'a>),
    Call { callee: ProcId, enter: Direct<'a>, ret: NodeId, back: Direct<'a> },
    Return(Direct<'a>),
}

struct Machine<'a> {
    program: &'a Program,
    edges: Vec<Relations<'a>>,
}

fn join(a: &Cells, b: &Cells) -> Cells {
    a.iter().chain(b).map(|(&k, &v)| (k, v)).collect()
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program) -> Machine<'a> {
        let edges = program.edges.iter().map(|edge| {
            let proc = program.nodes[edge.source].proc;
            match &edge.kind {
                EdgeKind::Local { target, rel } => {
                    Relations::Local(*target, Direct::new(program, Kind::Local(proc), rel))
                }
                EdgeKind::Call(call) => {
                    let (caller, callee) = (proc, call.callee);
                    let enter = Direct::new(program, Kind::Enter { caller, callee }, &call.enter);
                    let back = Direct::new(program, Kind::Back { caller, callee }, &call.back);
                    Relations::Call { callee, enter, ret: call.ret, back }
                }
                EdgeKind::Return { rel } => {
                    Relations::Return(Direct::new(program, Kind::Return(proc), rel))
                }
            }
        });
        Machine { program, edges: edges.collect() }
    }

    fn successors(&self, (node, now, below): &Config) -> Vec<Config> {
        let mut out = Vec::new();
        for e in self.program.out_edges(*node) {
            match &self.edges[e.index()] {
                Relations::Local(target, rel) => {
                    out.extend(
                        rel.successors(now).into_iter().map(|(x, _)| (*target, x, below.clone())),
                    );
                }
                Relations::Call { callee, enter, .. } => {
                    for (inner, saved) in enter.successors(now) {
                        let mut frames = vec![(e, saved)];
                        frames.extend(below.iter().cloned());
                        out.push((self.program.procs[*callee].entry, inner, frames));
                    }
                }
                Relations::Return(rel) => {
                    let Some(((call, saved), rest)) = below.split_first() else { continue };
                    let Relations::Call { ret, back, .. } = &self.edges[call.index()] else {
                        panic!("a call waits")
                    };
                    for (left, _) in rel.successors(now) {
                        for (x, _) in back.successors(&join(&left, saved)) {
                            out.push((*ret, x, rest.to_vec()));
                        }
                    }
                }
            }
        }
        out
    }

    /// What can be reached through stacks of at most `depth` frames; `None`: too much.
    fn explore(&self, start: &[Config], depth: usize, limit: usize) -> Option<BTreeSet<Config>> {
        let mut seen: BTreeSet<Config> = start.iter().cloned().collect();
        let mut work: Vec<Config> = start.to_vec();
        while let Some(config) = work.pop() {
            for next in self.successors(&config) {
                if next.2.len() < depth && !seen.contains(&next) {
                    seen.insert(next.clone());
                    work.push(next);
                }
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some(seen)
    }

    /// The configurations of at most `frames` frames that can be reached, if two bounds agree.
    fn reach(&self, start: &[Config], frames: usize, limit: usize) -> Option<BTreeSet<Config>> {
        let small = |all: BTreeSet<Config>| -> BTreeSet<Config> {
            all.into_iter().filter(|c| c.2.len() < frames).collect()
        };
        let low = small(self.explore(start, frames + 2, limit)?);
        let high = small(self.explore(start, frames + 4, limit)?);
        (low == high).then_some(high)
    }
}

fn valuations(program: &Program, vars: &[VarId]) -> Vec<Cells> {
    let mut out = vec![Cells::new()];
    for &var in vars {
        let ty = program.vars[var].ty;
        for cell in 0..ty.cells() {
            let mut more = Vec::new();
            for cells in &out {
                for value in 0..1u64 << ty.scalar.bits() {
                    let mut cells = cells.clone();
                    cells.insert((var, cell), value);
                    more.push(cells);
                }
            }
            out = more;
        }
    }
    out
}

fn bits(program: &Program, vars: &[VarId]) -> u32 {
    vars.iter().map(|&v| program.vars[v].ty.bits()).sum()
}

fn scope(program: &Program, proc: ProcId) -> Vec<VarId> {
    program.scope(proc).collect()
}

/// Every configuration of at most two frames; `None`: too many.
pub(crate) fn small_configurations(program: &Program, limit: u64) -> Option<Vec<Config>> {
    let mut count = 0u64;
    let tops = |proc: ProcId| {
        program.procs[proc].nodes.len() as u64 * (1 << bits(program, &scope(program, proc)))
    };
    if program.procs.ids().any(|p| bits(program, &scope(program, p)) > 10) {
        return None;
    }
    count += tops(program.entry);
    let calls: Vec<(EdgeId, ProcId)> = program
        .edges
        .enumerate()
        .filter_map(|(e, edge)| match &edge.kind {
            EdgeKind::Call(call) if program.nodes[edge.source].proc == program.entry => {
                Some((e, call.callee))
            }
            _ => None,
        })
        .collect();
    let locals = &program.procs[program.entry].locals;
    for &(_, callee) in &calls {
        count += tops(callee) << bits(program, locals);
    }
    if count > limit {
        return None;
    }
    let mut out = Vec::new();
    let mut add = |proc: ProcId, below: Vec<(EdgeId, Cells)>| {
        for cells in valuations(program, &scope(program, proc)) {
            for node in program.procs[proc].node_ids() {
                out.push((node, cells.clone(), below.clone()));
            }
        }
    };
    add(program.entry, Vec::new());
    for &(e, callee) in &calls {
        for saved in valuations(program, locals) {
            add(callee, vec![(e, saved)]);
        }
    }
    Some(out)
}

fn holds(program: &Program, condition: ir::ExprId, choices: u32, cells: &Cells) -> bool {
    let code = Code::new(program, condition);
    (0..1u32 << choices).any(|bits| {
        let env = TableEnv {
            pre: cells.iter().map(|(&k, &v)| (k, v)).collect(),
            choices: (0..choices).map(|k| bits >> k & 1 == 1).collect(),
            ..TableEnv::default()
        };
        code.eval(&env, &mut Vec::new()).as_bool() == Some(true)
    })
}

fn initial(program: &Program) -> Vec<Config> {
    let entry = program.procs[program.entry].entry;
    valuations(program, &scope(program, program.entry))
        .into_iter()
        .filter(|cells| holds(program, program.init.condition, program.init.choices, cells))
        .map(|cells| (entry, cells, Vec::new()))
        .collect()
}

fn partial(program: &Program, layout: &Layout, proc: ProcId, cells: &Cells) -> Partial {
    let mut out = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
    for (&(var, cell), &value) in cells {
        let base = match program.vars[var].kind {
            VarKind::Global => 0,
            _ => layout.global_bits,
        };
        let bits = layout.slot(var).cell(cell);
        out.set_number(base + bits.start..base + bits.end, Some(value));
    }
    out
}

pub(crate) fn configuration(program: &Program, (node, cells, below): &Config) -> Configuration {
    let layout = Layout::new(program);
    let proc_of = |n: NodeId| program.nodes[n].proc;
    Configuration {
        node: *node,
        state: partial(program, &layout, proc_of(*node), cells),
        below: below
            .iter()
            .map(|(e, saved)| {
                let proc = proc_of(program.edges[*e].source);
                (*e, partial(program, &layout, proc, saved))
            })
            .collect(),
    }
}

/// The automaton contains exactly `expected` among the small configurations.
#[track_caller]
fn compare(
    what: &str,
    program: &Program,
    automaton: &mut PAutomaton,
    small: &[Config],
    expected: &BTreeSet<Config>,
) {
    let budget = Budget::unlimited();
    for config in small {
        let member = automaton.contains(&configuration(program, config), &budget).unwrap();
        assert_eq!(member, expected.contains(config), "{what}: {config:?}\n{}", ir::dump(program));
    }
}

fn words(configs: &BTreeSet<Config>, node: NodeId) -> BTreeSet<Vec<StackLetter>> {
    let here = configs.iter().filter(|c| c.0 == node);
    here.map(|c| c.2.iter().map(|f| StackLetter::Call(f.0)).collect()).collect()
}

/// The words of at most one letter: there are few calls.
fn short_words(program: &Program) -> Vec<Vec<StackLetter>> {
    let calls = program.edges.enumerate().filter(|(_, e)| matches!(e.kind, EdgeKind::Call(_)));
    std::iter::once(Vec::new()).chain(calls.map(|(e, _)| vec![StackLetter::Call(e)])).collect()
}

/// From the start: every configuration, and the languages of stacks, however they are computed.
#[test]
fn reachable_configurations() {
    let budget = Budget::unlimited();
    let (mut compared, mut recursive) = (0, 0);
    let mut printed = BTreeSet::new();
    for seed in 0..160 {
        let program = Arc::new(random_program(seed));
        let Some(small) = small_configurations(&program, 1500) else { continue };
        let machine = Machine::new(&program);
        let Some(expected) = machine.reach(&initial(&program), 2, 3000) else { continue };
        let from = RegularSet::initial(&program);
        let mut reached = post_star(&program, &from, &budget).unwrap();
        compare(&format!("seed {seed}"), &program, &mut reached, &small, &expected);
        // The same set, not known to be the initial one.
        let mut set = RegularSet::new();
        let end = set.state();
        let nodes = Nodes::of(&program, [program.procs[program.entry].entry]);
        let ir::Init { condition, choices } = program.init;
        set.transition(0, Letter { nodes, condition, choices }, end);
        set.accept(end);
        let mut by_set = post_star(&program, &set, &budget).unwrap();
        compare(&format!("seed {seed}, as a set"), &program, &mut by_set, &small, &expected);
        let mut sliced = reachable_stacks(&program, &[], &budget).unwrap();
        for node in program.nodes.ids() {
            let wanted = words(&expected, node);
            let language = reached.stacks_at(node, None, &budget).unwrap();
            assert_eq!(language, by_set.stacks_at(node, None, &budget).unwrap(), "seed {seed}");
            assert_eq!(language, sliced.stacks_at(node, None, &budget).unwrap(), "seed {seed}");
            for word in short_words(&program) {
                assert_eq!(
                    language.accepts(&word),
                    wanted.contains(&word),
                    "seed {seed}, {node:?}"
                );
            }
            recursive += usize::from(language.states.len() > 2);
            // What is printed means the same when it is read.
            let procs = language.by_procedure();
            if let Some(below) = procs.expression() {
                let top = program.proc_name(program.nodes[node].proc);
                let text = format!("{top} {}", below.trim_matches(['(', ')']));
                let text = if below == "()" { text } else { format!("{top} {below}") };
                let read = RegularSet::parse(&program, &text).unwrap();
                let mut read = automaton(&program, &read, &budget).unwrap();
                let read = read.stacks_at(node, None, &budget).unwrap().by_procedure();
                assert_eq!(procs, read, "seed {seed}: {below}");
                printed.insert(below);
            }
        }
        compared += 1;
    }
    assert!(compared > 80, "only {compared} programs were compared");
    assert!(recursive > 20, "only {recursive} languages are interesting");
    assert!(printed.len() > 10, "only {printed:?}");
}

/// A random set of configurations of at most two frames, with conditions; and its members.
fn random_set(program: &mut Program, rng: &mut Rng, small: &[Config]) -> (RegularSet, Vec<Config>) {
    let mut letters: Vec<Letter> = Vec::new();
    let mut pick = |program: &mut Program, rng: &mut Rng, proc: ProcId, top: bool| {
        let all: Vec<NodeId> = program.procs[proc].node_ids().collect();
        let count = rng.between(1, all.len());
        let nodes = Nodes::of(program, rng.sample(&all, count));
        let vars: Vec<(VarId, Type)> = program
            .scope(proc)
            .filter(|&v| top || program.vars[v].kind != VarKind::Global)
            .map(|v| (v, program.vars[v].ty))
            .collect();
        let condition = match rng.chance(60) && !vars.is_empty() {
            true => random_condition(&mut program.exprs, &vars, rng),
            false => ir::Exprs::TRUE,
        };
        letters.push(Letter { nodes, condition, choices: 0 });
        letters.len() - 1
    };
    let procs: Vec<ProcId> = program.procs.ids().collect();
    let entry = program.entry;
    let single = pick(program, rng, entry, true);
    let above = *rng.pick(&procs);
    let top = pick(program, rng, above, true);
    let bottom = pick(program, rng, entry, false);
    let mut set = RegularSet::new();
    set.waiting = if rng.coin() { Waiting::Call } else { Waiting::Return };
    let (middle, end) = (set.state(), set.state());
    let use_single = rng.chance(50);
    if use_single {
        set.transition(0, letters[single].clone(), end);
    }
    set.transition(0, letters[top].clone(), middle);
    set.transition(middle, letters[bottom].clone(), end);
    set.accept(end);
    let fits = |letter: &Letter, node: NodeId, cells: &Cells| {
        letter.nodes.contains(node) && holds(program, letter.condition, 0, cells)
    };
    let members = small.iter().filter(|(node, cells, below)| match &below[..] {
        [] => use_single && fits(&letters[single], *node, cells),
        [(e, saved)] => {
            let EdgeKind::Call(call) = &program.edges[*e].kind else { panic!("a call waits") };
            let place = match set.waiting {
                Waiting::Call => program.edges[*e].source,
                Waiting::Return => call.ret,
            };
            fits(&letters[top], *node, cells) && fits(&letters[bottom], place, saved)
        }
        _ => false,
    });
    (set.clone(), members.cloned().collect())
}

/// From random sets, to random sets, and between them.
#[test]
fn random_sets() {
    let budget = Budget::unlimited();
    let (mut sets, mut forwards, mut backwards, mut nonempty) = (0, 0, 0, 0);
    for seed in 1000..1200 {
        let mut rng = Rng::new(seed);
        let mut program = random_program(seed);
        let Some(small) = small_configurations(&program, 800) else { continue };
        let (from, members) = random_set(&mut program, &mut rng, &small);
        let (to, goals) = random_set(&mut program, &mut rng, &small);
        let program = Arc::new(program);
        let what = format!("seed {seed}");
        let expected: BTreeSet<Config> = members.iter().cloned().collect();
        let mut own = automaton(&program, &from, &budget).unwrap();
        compare(&format!("{what}, the set"), &program, &mut own, &small, &expected);
        sets += 1;
        let meets = own.intersection(&to, &budget).unwrap();
        let goals: BTreeSet<Config> = goals.into_iter().collect();
        assert_eq!(meets.is_some(), expected.iter().any(|c| goals.contains(c)), "{what}");

        let machine = Machine::new(&program);
        let mut post = post_star(&program, &from, &budget).unwrap();
        if let Some(reached) = machine.reach(&members, 2, 2000) {
            compare(&format!("{what}, post*"), &program, &mut post, &small, &reached);
            let witness = post.intersection(&to, &budget).unwrap();
            assert_eq!(witness.is_some(), reached.iter().any(|c| goals.contains(c)), "{what}");
            if let Some(witness) = witness {
                assert!(post.contains(&witness, &budget).unwrap(), "{what}: {witness:?}");
                let mut target = automaton(&program, &to, &budget).unwrap();
                assert!(target.contains(&witness, &budget).unwrap(), "{what}: {witness:?}");
                nonempty += 1;
            }
            forwards += 1;
        }
        let mut pre = pre_star(&program, &to, &budget).unwrap();
        for config in small.iter().step_by(small.len() / 12 + 1) {
            let Some(reached) = machine.reach(std::slice::from_ref(config), 2, 1000) else {
                continue;
            };
            let member = pre.contains(&configuration(&program, config), &budget).unwrap();
            let expected = reached.iter().any(|c| goals.contains(c));
            assert_eq!(member, expected, "{what}, pre* of {config:?}");
            backwards += 1;
        }
        // Both directions say the same about the two sets.
        let there = post.intersection(&to, &budget).unwrap().is_some();
        let back = pre.intersection(&from, &budget).unwrap();
        assert_eq!(there, back.is_some(), "{what}");
        if let Some(witness) = back {
            assert!(pre.contains(&witness, &budget).unwrap(), "{what}: {witness:?}");
            assert!(own.contains(&witness, &budget).unwrap(), "{what}: {witness:?}");
        }
    }
    assert!(
        sets > 80 && forwards > 80 && backwards > 300 && nonempty > 10,
        "{sets} sets, {forwards} forwards, {backwards} backwards, {nonempty} witnesses"
    );
}

/// Sets without a bound on stacks: what is said of short stacks agrees with what is said of long
/// ones (here only the two directions can be compared).
#[test]
fn directions_agree_on_long_stacks() {
    let budget = Budget::unlimited();
    let mut found = BTreeMap::new();
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let program = Arc::new(random_program(seed));
        let names: Vec<&str> = program.procs.ids().map(|p| program.proc_name(p)).collect();
        let mut expression = || {
            let (a, b) = (*rng.pick(&names), *rng.pick(&names));
            match rng.below(6) {
                0 => format!("{a} .*"),
                1 => format!("{a} .* {b} .*"),
                2 => format!(". {a}* ."),
                3 => format!("({a} | {b})+ ."),
                4 => format!("!{a} {b}? .*"),
                _ => format!(". . . {b} .*"),
            }
        };
        let (from, to) = (expression(), expression());
        let (a, b) = (
            RegularSet::parse(&program, &from).unwrap(),
            RegularSet::parse(&program, &to).unwrap(),
        );
        let mut post = post_star(&program, &a, &budget).unwrap();
        let mut pre = pre_star(&program, &b, &budget).unwrap();
        let there = post.intersection(&b, &budget).unwrap();
        let back = pre.intersection(&a, &budget).unwrap();
        assert_eq!(there.is_some(), back.is_some(), "seed {seed}: {from} to {to}");
        // From the start alone.
        let start = RegularSet::initial(&program);
        let mut reached = post_star(&program, &start, &budget).unwrap();
        let here = reached.intersection(&b, &budget).unwrap();
        assert_eq!(here.is_some(), pre.intersection(&start, &budget).unwrap().is_some(), "{seed}");
        *found.entry((there.is_some(), here.is_some())).or_insert(0) += 1;
    }
    assert!(found.values().all(|&count| count >= 5) && found.len() >= 3, "{found:?}");
}
