//! Limits, refusals, and programs for which only a few clauses will do.

use check::{Answer, Budget, Engine, Goal, Limits, StopReason, Target, Task, TraceMode, Verdict};
use engine_pdr::Pdr;
use front_bp::Dialect;
use ir::Id;
use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use testkit::corpus::lower;
use testkit::judge::problems;

/// Whether an assertion can fail.
fn task(text: &str) -> Task {
    let program = lower("test.bp", text, Dialect::Standard, None).expect("a boolean program");
    let errors = program.procs.iter().filter_map(|p| p.error).map(Target::at).collect();
    let mut task = Task::new(program, vec![Goal::Reach(errors)]);
    task.wants.trace = TraceMode::Any;
    task
}

fn list(bits: usize, each: impl Fn(usize) -> String, separator: &str) -> String {
    (0..bits).map(each).collect::<Vec<_>>().join(separator)
}

/// One more, or one less, than what is in `c`.
fn count(bits: usize, up: bool) -> String {
    let mut out = String::new();
    let (not, here, below) = if up { ("!", "1", "0") } else { ("", "0", "1") };
    for i in 0..bits {
        let word = if i == 0 { "if" } else { "elsif" };
        let targets = list(i + 1, |j| format!("c{j}"), ", ");
        let values = list(i + 1, |j| if j == i { here } else { below }.to_owned(), ", ");
        let _ = writeln!(out, "{word} ({not}c{i}) then {targets} := {values};");
    }
    out + "fi\n"
}

/// Recursion as deep as a counter goes, which is 0 again in the end.
fn depth(bits: usize, forgets: bool) -> String {
    let all = list(bits, |i| format!("c{i}"), ", ");
    let zero = list(bits, |_| "0".to_owned(), ", ");
    let not_full = list(bits, |i| format!("!c{i}"), " | ");
    let is_zero = list(bits, |i| format!("!c{i}"), " & ");
    let saved = list(bits, |i| format!("l{i}"), ", ");
    let same = list(bits, |i| format!("(c{i} = l{i})"), " & ");
    let (up, down) = (count(bits, true), count(bits, false));
    let down = if forgets { format!("if (*) then\n{down}fi\n") } else { down };
    format!(
        "decl {all};
void main() begin {all} := {zero}; f(); assert({is_zero}); end
void f() begin
  decl {saved};
  if ({not_full}) then
    if (*) then
{saved} := {all};
{up} f(); {down}
assert({same});
    fi
  fi
end"
    )
}

fn run(task: &Task, limits: Limits) -> Answer {
    Pdr.run(task, &Budget::new(limits))
}

/// Hundreds of levels of recursion, and a proof that is checked.
#[test]
fn recursion_that_counts_in_many_bits() {
    let task = task(&depth(8, false));
    let answer = run(&task, Limits::default());
    assert!(matches!(answer.verdicts[0], Verdict::Holds(Some(_))), "{:?}", answer.verdicts);
    assert_eq!(problems(&task, &answer), Vec::<String>::new());
    let counter = |name| answer.stats.get(name).expect("a counter");
    assert!(counter("levels") < 20 && counter("lemmas") < 2_000, "{:?}", answer.stats);
    assert!(counter("obligations") > 0 && counter("sat_calls") > 0);
}

#[test]
fn a_call_that_forgets_is_found() {
    let task = task(&depth(6, true));
    let answer = run(&task, Limits::default());
    assert!(matches!(answer.verdicts[0], Verdict::Violated(Some(_))), "{:?}", answer.verdicts);
    assert_eq!(problems(&task, &answer), Vec::<String>::new());
    assert!(answer.stats.get("facts") > Some(0));
}

#[test]
fn limits_end_in_unknown() {
    let task = task(&depth(24, false));
    let time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let steps = Limits { steps: Some(20), ..Limits::default() };
    let memory = Limits { memory: Some(1 << 16), ..Limits::default() };
    for (limits, code) in [(time, "time"), (steps, "steps"), (memory, "memory")] {
        let answer = run(&task, limits);
        assert!(
            matches!(&answer.verdicts[0], Verdict::Unknown(reason) if reason.code() == code),
            "{code}: {:?}",
            answer.verdicts
        );
    }
}

#[test]
fn it_can_be_cancelled() {
    let task = task(&depth(200, false));
    let budget = Budget::unlimited();
    let cancel = budget.cancel_flag();
    let mut late = Duration::ZERO;
    std::thread::scope(|scope| {
        let running = scope.spawn(|| Pdr.run(&task, &budget));
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        cancel.store(true, Ordering::Relaxed);
        let answer = running.join().expect("no panic");
        late = start.elapsed();
        assert!(matches!(answer.verdicts[0], Verdict::Unknown(StopReason::Cancelled)));
    });
    // Half a second, on a machine that may be busy.
    assert!(late < Duration::from_secs(5), "{late:?}");
}

#[test]
fn runs_without_end_are_refused() {
    let mut task = task("void main() begin while (*) do skip; od end");
    task.goals = vec![Goal::Repeat { marks: 0 }];
    let answer = run(&task, Limits::default());
    assert!(matches!(answer.verdicts[0], Verdict::Unknown(StopReason::Unsupported { .. })));
}

/// The values of an arbitrary result are found one after the other; a node that is not reached is known.
#[test]
fn sets_and_nodes_are_exact() {
    let text = "decl g, h;
void main() begin g := any(); h := g; if (g != h) then skip; fi end
bool any() begin return *; end";
    let mut task = task(text);
    task.wants.all_nodes = true;
    let program = task.program.clone();
    let main = &program.procs[program.entry];
    let vars = program.globals.clone();
    task.observe =
        main.node_ids().map(|node| check::Observation { node, vars: vars.clone() }).collect();
    let answer = run(&task, Limits::default());
    let reference = engine_explicit::Explicit::default().run(&task, &Budget::unlimited());
    assert_eq!(testkit::judge::differences(&task, &answer, &reference), Vec::<String>::new());
    let reached = answer.reached.expect("it is wanted");
    assert!(main.node_ids().any(|node| !reached[node.index()]));
    assert!(answer.observed.iter().all(Option::is_some));
}
