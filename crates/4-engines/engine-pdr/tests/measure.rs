//! What files take: `POSTBOP_FILES="a.bp b.bp" … -- --ignored --nocapture files`.

use check::{Budget, Engine, Goal, Limits, Target, Task, TraceMode, Verdict};
use engine_pdr::Pdr;
use front_bp::Dialect;
use std::time::{Duration, Instant};
use testkit::corpus::lower;
use testkit::judge::{kind, problems};

#[test]
#[ignore = "for measuring"]
#[allow(clippy::print_stderr)]
fn files() {
    let files = std::env::var("POSTBOP_FILES").unwrap_or_default();
    for file in files.split_whitespace() {
        let text = std::fs::read_to_string(file).expect("a file that can be read");
        let program = lower(file, &text, Dialect::Standard, None).expect("a boolean program");
        let errors = program.procs.iter().filter_map(|p| p.error).map(Target::at).collect();
        let mut task = Task::new(program, vec![Goal::Reach(errors)]);
        task.wants.trace = TraceMode::Any;
        let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
        let clock = Instant::now();
        let answer = Pdr.run(&task, &Budget::new(limits));
        let (time, verdict) = (clock.elapsed(), kind(&answer.verdicts[0]));
        let size = match &answer.verdicts[0] {
            Verdict::Holds(Some(proof)) => proof.len(),
            _ => 0,
        };
        let found = problems(&task, &answer);
        let (all, counters) = (clock.elapsed(), &answer.stats.counters);
        eprintln!(
            "{file}: {verdict} {time:?}, checked {all:?}, proof {size} {counters:?} {found:?}"
        );
    }
}
