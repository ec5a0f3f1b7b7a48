//! Abstract matching: verdicts are the same, fewer states are stored, traces replay.

use check::{Answer, Budget, Engine, Goal, Target, Task, TraceMode, Verdict, Wants};
use engine_explicit::{Explicit, Matching, Matter};
use front_bp::Dialect;
use influence::{Kept, Matched, kept};
use ir::{NodeId, ProcId, Program, VarId};
use std::sync::Arc;
use testkit::judge::problems;
use testkit::random_bp::{Knobs, Profile, generate};
use testkit::random_ir::random_condition;
use testkit::rng::Rng;

/// No trace of it is claimed to be shortest, and there are no proofs.
const WANTS: Wants = Wants { trace: TraceMode::Any, certificate: false, all_nodes: true };

const ALL: [Matched; 4] = [Matched::Ia1, Matched::Ia2, Matched::Ia3, Matched::Ia4];

fn matching(task: &Task, matched: Option<Matched>) -> Answer {
    let matter = matched.map(|matched| {
        let kept = kept(&task.program, matched, &task.reads(), &mut |_| true).expect("a result");
        Arc::new(Stored(kept)) as Arc<dyn Matter>
    });
    let engine = Matching { matter, max_open_bits: 20 };
    engine.run(task, &Budget::unlimited())
}

struct Stored(Kept);

impl Matter for Stored {
    fn at(&self, node: NodeId, var: VarId) -> bool {
        self.0.contains(node, var)
    }
    fn at_exit(&self, proc: ProcId, var: VarId) -> bool {
        self.0.at_exit(proc, var)
    }
}

fn bp(text: &str) -> Arc<Program> {
    let program = testkit::corpus::lower("f.bp", text, Dialect::default(), None);
    program.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Every node, assertions, and conditions at some nodes.
fn task(program: &Arc<Program>, rng: &mut Rng) -> Task {
    let mut owned = (**program).clone();
    let mut goals: Vec<Goal> = Vec::new();
    for node in program.nodes.ids().filter(|n| program.nodes[*n].statement) {
        goals.push(Goal::Reach(vec![Target::at(node)]));
        if rng.chance(25) {
            let proc = program.nodes[node].proc;
            let scope: Vec<_> = program.scope(proc).map(|v| (v, program.vars[v].ty)).collect();
            if !scope.is_empty() {
                let condition = random_condition(&mut owned.exprs, &scope, rng);
                goals.push(Goal::Reach(vec![Target { node, condition }]));
            }
        }
    }
    let errors = program.procs.iter().filter_map(|p| p.error).map(Target::at);
    goals.push(Goal::Reach(errors.collect()));
    let mut task = Task::new(Arc::new(owned), goals);
    task.wants = WANTS;
    task
}

fn violated(answer: &Answer) -> Vec<Option<bool>> {
    let verdicts = answer.verdicts.iter();
    verdicts
        .map(|v| match v {
            Verdict::Holds(_) => Some(false),
            Verdict::Violated(_) => Some(true),
            Verdict::Unknown(_) => None,
        })
        .collect()
}

#[test]
fn a_counter_that_decides_nothing_is_not_stored() {
    // `y` and `z` take all their values; only `x` matters.
    let program = bp("void main() begin decl x, y, z; x := F; y := F; z := F; \
         while (!x) do if (y) then skip; fi z := y ^ z; y := !y; x := *; od R: skip; end");
    let goal = Goal::Reach(vec![Target::at(program.labelled(None, "R")[0])]);
    let mut task = Task::new(program, vec![goal]);
    task.wants.all_nodes = true;
    let stored = |matched| matching(&task, matched).stats.get("states_stored");
    let (with, without) = (stored(Some(Matched::Ia1)), stored(None));
    assert!(with < without, "{with:?} and {without:?}");
}

#[test]
fn waiting_frames_keep_what_their_return_point_needs() {
    let program = bp("decl g; void f() begin g := !g; end \
         void main() begin decl x; x := *; f(); if (x) then R: skip; else S: skip; fi \
         if (x & !x) then U: skip; fi end");
    let at = |label: &str| Goal::Reach(vec![Target::at(program.labelled(None, label)[0])]);
    let mut task = Task::new(program.clone(), vec![at("R"), at("S"), at("U")]);
    task.wants = WANTS;
    for matched in ALL {
        let answer = matching(&task, Some(matched));
        assert_eq!(violated(&answer), [Some(true), Some(true), Some(false)]);
        assert_eq!(problems(&task, &answer), Vec::<String>::new());
    }
}

/// A failed assertion ends the run: what it reads must be stored even for IA1.
#[test]
fn failed_assertions_end_runs() {
    let program = bp("decl a; void main() begin assert(a); R: skip; end");
    let goal = Goal::Reach(vec![Target::at(program.labelled(None, "R")[0])]);
    let task = Task::new(program, vec![goal]);
    for matched in ALL {
        assert_eq!(violated(&matching(&task, Some(matched))), [Some(true)]);
    }
}

#[test]
fn recursion_is_refused() {
    let program = bp("void main() begin if (*) then main(); fi R: skip; end");
    let goal = Goal::Reach(vec![Target::at(program.labelled(None, "R")[0])]);
    let task = Task::new(program, vec![goal]);
    let answer = matching(&task, Some(Matched::Ia1));
    let Verdict::Unknown(reason) = &answer.verdicts[0] else { panic!("no verdict") };
    assert_eq!(reason.code(), "unsupported");
    assert!(reason.to_string().contains("`main` is recursive"), "{reason}");
}

fn generated(seeds: std::ops::Range<u64>) {
    let (mut with, mut without, mut fewer) = (0, 0, 0);
    for seed in seeds {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let knobs = Knobs { recursion: false, ..profile.knobs() };
        let text = generate(seed, &knobs).text();
        let program = bp(&text);
        let mut rng = Rng::new(seed);
        let task = task(&program, &mut rng);
        let reference = Explicit::default().run(&task, &Budget::unlimited());
        let expected = violated(&reference);
        let off = matching(&task, None);
        assert_eq!(violated(&off), expected, "off, seed {seed}\n{text}");
        let matched = ALL[seed as usize % ALL.len()];
        let answer = matching(&task, Some(matched));
        assert_eq!(violated(&answer), expected, "{matched:?}, seed {seed}\n{text}");
        assert_eq!(answer.reached, reference.reached, "{matched:?}, seed {seed}\n{text}");
        let wrong = problems(&task, &answer);
        assert!(wrong.is_empty(), "{matched:?}, seed {seed}: {wrong:?}\n{text}");
        let stored = |a: &Answer| a.stats.get("states_stored").unwrap_or(0);
        assert!(stored(&answer) <= stored(&off), "seed {seed}\n{text}");
        fewer += u32::from(stored(&answer) < stored(&off));
        with += stored(&answer);
        without += stored(&off);
    }
    assert!(fewer > 0 && with < without, "{with} of {without}");
}

#[test]
fn generated_programs() {
    generated(0..250);
}

#[test]
#[ignore = "thousands of programs; the same as those above"]
fn thousands_of_generated_programs() {
    generated(250..4_000);
}
