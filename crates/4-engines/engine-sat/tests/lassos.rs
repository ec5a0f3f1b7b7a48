//! Runs without end, against the explicit engine, on random programs with random marks: every lasso is judged.

use check::{Budget, Engine, Goal, Lasso, Limits, StopReason, Task, Verdict};
use engine_explicit::Explicit;
use engine_sat::{Options, Qbf, Universal};
use std::time::Duration;
use testkit::engines::marked_program;

#[test]
fn random_marks() {
    let (mut repeated, mut others, mut growing, mut bounded) = (0, 0, 0, 0);
    for seed in 0..60 {
        let (program, marks) = marked_program(seed, 0x00d1_5ea5_e000);
        let goal = Goal::Repeat { marks };
        let task = Task::new(program.clone(), vec![goal.clone()]);
        let verdict = &Explicit::default().run(&task, &Budget::unlimited()).verdicts[0];
        let expected = matches!(verdict, Verdict::Violated(_));
        let unrolled = Options { bound: Some(12), ..Options::default() };
        let engines: [(&str, Box<dyn Engine>); 3] = [
            ("qbf", Box::new(Qbf::default())),
            ("universal", Box::new(Universal::default())),
            ("bounded", Box::new(Qbf { options: unrolled })),
        ];
        for (name, engine) in engines {
            let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
            match &engine.run(&task, &Budget::new(limits)).verdicts[0] {
                Verdict::Violated(Some(trace)) => {
                    assert!(expected, "seed {seed}: {name} finds a loop");
                    if let Err(refusal) = replay::check_trace(&program, &goal, trace) {
                        panic!("seed {seed}: {name}: {refusal:?}\n{trace:#?}");
                    }
                    let Some(Lasso::Loop { frame, .. }) = trace.lasso else {
                        panic!("seed {seed}: {name}: no loop")
                    };
                    growing += usize::from(frame + 1 < trace.frames.len());
                    repeated += 1;
                    bounded += usize::from(name == "bounded");
                }
                Verdict::Violated(None) => panic!("seed {seed}: {name}: no lasso"),
                Verdict::Holds(_) => {
                    assert!(!expected, "seed {seed}: {name} finds no loop");
                    others += 1;
                }
                Verdict::Unknown(StopReason::Internal { what }) => panic!("seed {seed}: {what}"),
                // Limits, of steps or of time.
                Verdict::Unknown(_) => {}
            }
        }
    }
    assert!(
        repeated > 40 && others > 20 && growing > 2 && bounded > 10,
        "{repeated} repeated ({growing} with growing stacks, {bounded} unrolled), {others} not"
    );
}
