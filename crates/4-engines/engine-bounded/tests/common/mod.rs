//! Programs of C, searched for their labels, each run that is found executed.

use c_data::{FuncId, Point, Program};
use engine_bounded::{Answer, Goal, Inputs, Never, Options, Verdict, all_followed, search};

/// A host that shows nothing, and what is left of standard input.
#[derive(Default)]
pub(crate) struct Silent(pub(crate) Vec<u8>);

impl c_run::Host for Silent {
    fn output(&mut self, _: bool, _: &[u8]) {}
    fn input(&mut self, to: &mut [u8]) -> usize {
        let count = self.0.len().min(to.len());
        to[..count].copy_from_slice(&self.0[..count]);
        self.0.drain(..count);
        count
    }
    fn stopped(&mut self) -> bool {
        false
    }
}

/// The data program of a text in which inputs are declared.
pub(crate) fn load(text: &str) -> Program {
    let text = format!(
        "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void);
         signed char __VERIFIER_nondet_char(void); unsigned char __VERIFIER_nondet_uchar(void);
         _Bool __VERIFIER_nondet_bool(void); long __VERIFIER_nondet_long(void);
         {text}"
    );
    let unit = front_c::parse(&text);
    c_run::load_with(vec![unit], c_types::Model::LP64, engine_bounded::MODELS)
}

/// The points of a label.
pub(crate) fn points(program: &Program, label: &str) -> Vec<Point> {
    let mut out = Vec::new();
    for (i, f) in program.functions.iter().enumerate() {
        let here = f.labels.iter().filter(|(name, _)| name == label);
        out.extend(here.map(|(_, block)| Point::Before(FuncId::new(i), *block, 0)));
    }
    assert!(!out.is_empty(), "there is a label {label}");
    out
}

/// Whether a run comes to some points.
pub(crate) fn comes_to(program: &Program, points: &[Point], inputs: &Inputs) -> bool {
    let options = c_run::Options {
        args: inputs.argv(),
        inputs: inputs.values.iter().map(|(_, value)| *value).collect(),
        stop_at: points.to_vec(),
        ..c_run::Options::default()
    };
    let mut host = Silent(inputs.stdin.clone());
    c_run::run(program, &options, &mut host).ending == c_run::Ending::Reached
}

/// What no run reaches is proved by following them, with as many rounds; what one reaches is not, with however many.
fn proved(program: &Program, goal: &Goal, answer: &Answer) {
    let never = Never::Comes(goal.clone());
    // Products of fractions take the other solver minutes.
    let time = Some(std::time::Duration::from_secs(3));
    let limits = check::Limits { time, ..check::Limits::default() };
    let proof = |rounds: u32| all_followed(program, &never, rounds, &check::Budget::new(limits));
    match answer.verdict {
        Verdict::Unreached => assert_ne!(proof(answer.rounds).map(|p| p.is_err()), Ok(true)),
        Verdict::Reached(_) => (0..4).for_each(|rounds| assert_ne!(proof(rounds), Ok(Ok(())))),
        Verdict::Unknown(_) => {}
    }
}

/// What is said of labels.
pub(crate) fn answers(text: &str, labels: &[&str], bound: Option<u32>) -> Vec<String> {
    let program = load(text);
    let goals: Vec<Goal> =
        labels.iter().map(|label| Goal { points: points(&program, label) }).collect();
    let budget = check::Budget::unlimited();
    let mut confirm =
        |goal: usize, inputs: &Inputs| comes_to(&program, &goals[goal].points, inputs);
    let found = search(&program, &goals, Options { bound }, &budget, &mut confirm);
    let told = |verdict: &Verdict| match verdict {
        Verdict::Reached(_) => "reached".to_owned(),
        Verdict::Unreached => "unreached".to_owned(),
        Verdict::Unknown(reason) => format!("unknown {}", reason.code()),
    };
    for (goal, answer) in goals.iter().zip(&found.answers) {
        proved(&program, goal, answer);
    }
    found.answers.iter().map(|a| told(&a.verdict)).collect()
}
