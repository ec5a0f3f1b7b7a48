//! Generated programs in C, run on every input, and what `bop` says of them.
//!
//! Always wrong are `unreachable` for a label that some run passes, `holds` for a formula that some run
//! breaks, and `holds` for `--terminates` where a run goes on for ever. Other answers are right or
//! imprecise; how often is counted.

use super::{Claim, Compiler, Profile, Program, Run, claims, observe, random_c, shrink_c};
use crate::rng::Rng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The command that is asked.
    pub bop: PathBuf,
    /// A folder for files that do not stay.
    pub folder: PathBuf,
    /// How many programs.
    pub count: u64,
    /// The first one's seed.
    pub seed: u64,
    /// What they are made of; otherwise each profile in turn.
    pub profile: Option<Profile>,
    /// How many failing programs of each profile are made smaller.
    pub shrink: usize,
}

/// A program that is answered wrongly.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Profile and seed.
    pub name: String,
    /// What is wrong.
    pub reasons: Vec<String>,
    /// What the checker saw.
    pub texts: Vec<String>,
}

/// What came of a campaign.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    /// How many programs were written.
    pub programs: u64,
    /// How often each kind of answer was given.
    pub counts: BTreeMap<String, u64>,
    /// What is wrong.
    pub failures: Vec<Failure>,
    /// Programs that the compiler refuses or that crash: the generator's faults.
    pub refused: Vec<String>,
    /// Time to compile and run.
    pub native: Duration,
    /// Time to ask.
    pub asked: Duration,
}

/// Programs that are compiled together.
const BATCH: u64 = 90;

impl Failure {
    /// The files in one text, with the reasons on top.
    pub fn text(&self) -> String {
        let mut out: String = self.reasons.iter().map(|r| format!("// {r}\n")).collect();
        for (k, text) in self.texts.iter().enumerate() {
            if self.texts.len() > 1 {
                out += &format!("// ---- file {k}\n");
            }
            out += text;
        }
        out
    }
}

impl Outcome {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }
}

impl Campaign {
    /// Generates, compiles, runs and asks; `tell` hears of each failure. An error says why nothing was done.
    pub fn run(&self, tell: &mut dyn FnMut(&Failure)) -> Result<Outcome, String> {
        let compiler = Compiler::new(&self.folder)?;
        let mut outcome = Outcome::default();
        let mut failed: BTreeMap<Profile, usize> = BTreeMap::new();
        let mut at = self.seed;
        while at < self.seed + self.count {
            let end = (at + BATCH).min(self.seed + self.count);
            let turn = |seed: u64| Profile::ALL[(seed % Profile::ALL.len() as u64) as usize];
            let programs: Vec<Program> = (at..end)
                .map(|seed| random_c(seed, self.profile.unwrap_or_else(|| turn(seed))))
                .collect();
            let start = Instant::now();
            let optimise = if (at / BATCH).is_multiple_of(4) { "-O1" } else { "-O0" };
            let seen = observed(&compiler, programs, optimise, &mut outcome);
            outcome.native += start.elapsed();
            let start = Instant::now();
            for (program, runs) in seen {
                let claims = claims(&program, &runs);
                let reasons = self.judge(&program, &claims, &runs, &mut outcome)?;
                if reasons.is_empty() {
                    continue;
                }
                let name = format!("{:?}-{}", program.profile, program.seed).to_lowercase();
                let times = failed.entry(program.profile).or_default();
                *times += 1;
                let texts = program.texts(&claims);
                let mut failure = Failure { name, reasons, texts };
                if *times <= self.shrink {
                    self.smaller(&compiler, &program, &claims, optimise, &mut failure);
                }
                tell(&failure);
                outcome.failures.push(failure);
            }
            outcome.asked += start.elapsed();
            outcome.programs += end - at;
            at = end;
        }
        Ok(outcome)
    }

    /// What is wrong with the answers about a program.
    fn judge(
        &self,
        program: &Program,
        claims: &[Claim],
        runs: &[Run],
        outcome: &mut Outcome,
    ) -> Result<Vec<String>, String> {
        let mut reasons = Vec::new();
        let mut rng = Rng::new(program.seed ^ 0x15ed);
        let texts = program.texts(claims);
        let mut files = Vec::new();
        for (k, text) in texts.iter().enumerate() {
            let path = self.folder.join(format!("f{k}.i"));
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            files.push(path);
        }
        let questions = reach_questions(claims);
        self.ask(&files, &questions, &[], &mut reasons, outcome)?;
        let all = run_questions(program, claims, runs, &mut rng);
        if rng.chance(50) || runs.iter().any(|r| r.endless) {
            self.ask(&files, &all, &[], &mut reasons, outcome)?;
        }
        if !program.keep.is_empty() {
            let count = rng.between(1, 2);
            let keep = rng.sample(&program.keep, count);
            // Loops over wide variables take long to find.
            let narrow = keep.iter().all(|(_, bits)| *bits <= 8);
            let questions = if narrow && rng.chance(50) { all } else { reach_questions(claims) };
            self.ask(&files, &questions, &keep, &mut reasons, outcome)?;
        }
        Ok(reasons)
    }

    /// Asks, and notes wrong answers.
    fn ask(
        &self,
        files: &[PathBuf],
        questions: &[Question],
        keep: &[(String, u32)],
        reasons: &mut Vec<String>,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let kept: String =
            keep.iter().map(|(name, bits)| format!(" --keep {name}:{bits}")).collect();
        let mut command = Command::new(&self.bop);
        command.arg("check").args(files).args(["-q", "--timeout", "5s"]);
        for (name, bits) in keep {
            command.arg("--keep").arg(format!("{name}:{bits}"));
        }
        for question in questions {
            command.args(&question.flags);
        }
        let out = command
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("{}: {e}", self.bop.display()))?;
        let said = String::from_utf8_lossy(&out.stderr);
        let text = String::from_utf8_lossy(&out.stdout);
        if !matches!(out.status.code(), Some(0 | 1 | 3)) {
            let why = said.lines().find(|l| l.contains("error")).unwrap_or("no word");
            match (out.status.code(), keep.is_empty()) {
                // The variable cannot be kept.
                (Some(2), false) => outcome.count("refused with --keep"),
                // The function could not be read, and its labels with it.
                (Some(2), true) if why.contains("no statement is labelled") => {
                    outcome.count("programs with a function that is not read");
                    let not: Vec<&str> = said.lines().filter(|l| l.contains("error")).collect();
                    let rest: Vec<Question> = questions
                        .iter()
                        .filter(|q| !not.iter().any(|n| n.contains(&format!("`{}`", q.label))))
                        .cloned()
                        .collect();
                    if !rest.is_empty() && rest.len() < questions.len() {
                        return self.ask(files, &rest, keep, reasons, outcome);
                    }
                }
                // Nothing could be read, which is told.
                (Some(2), true)
                    if why.contains("no function has a body")
                        || why.contains("nothing could be read") =>
                {
                    outcome.count("programs that are not read");
                }
                _ => {
                    let asked = questions[0].flags.join(" ");
                    reasons.push(format!("{asked}{kept}: {}: {why}", out.status));
                }
            }
            return Ok(());
        }
        let mut answers = text.lines().filter_map(|line| {
            let (word, _) = line.split_once(':')?;
            let known = ["reachable", "unreachable", "holds", "violated", "unknown"];
            known.contains(&word).then_some(word)
        });
        for question in questions {
            let asked = question.flags.join(" ");
            let entry = match (answers.next(), &question.wrong) {
                (None, _) => {
                    reasons.push(format!("{asked}{kept}: no answer"));
                    "no answer"
                }
                (Some("unknown"), _) => {
                    if text.contains("internal") || text.contains("panic") {
                        reasons.push(format!("{asked}{kept}: internal error"));
                    }
                    "unknown"
                }
                (Some(word @ ("unreachable" | "holds")), Some(why)) => {
                    reasons.push(format!("{asked}{kept}: {word}, but {why}"));
                    "wrong"
                }
                (Some("unreachable" | "holds"), None) => "rightly refused",
                (Some(_), Some(_)) => "rightly found",
                (Some(_), None) => "not excluded",
            };
            outcome.count(entry);
        }
        Ok(())
    }

    /// Makes the program smaller that is answered wrongly in the same place.
    fn smaller(
        &self,
        compiler: &Compiler,
        program: &Program,
        all: &[Claim],
        optimise: &str,
        failure: &mut Failure,
    ) {
        let wrong = failure.reasons.iter().find(|r| r.contains(", but "));
        let first = wrong.unwrap_or(&failure.reasons[0]).clone();
        // The claims that the first reason is about, or all of them.
        let named = |c: &&Claim| {
            ["", ":", " ", ")"]
                .iter()
                .any(|end| !end.is_empty() && first.contains(&format!("{}{end}", c.label)))
        };
        let of: Vec<Claim> = all.iter().filter(named).cloned().collect();
        let of = if of.is_empty() { all.to_vec() } else { of };
        let question = |reason: &str| {
            let asked = reason.split(':').next().unwrap_or("").to_owned();
            let kept = asked.contains("--keep");
            (asked.split(" --keep").next().unwrap_or("").to_owned(), kept)
        };
        let kind = question(&first);
        // What is kept must stay in the program: no more than is needed.
        let mut program = program.clone();
        program.keep.retain(|(name, bits)| first.contains(&format!(" {name}:{bits}")));
        let mut scratch = Outcome::default();
        shrink_c(&program, |candidate| {
            let Ok(mut seen) = observe(compiler, &[candidate], optimise) else { return false };
            let runs = seen.pop().unwrap_or_default();
            if runs.iter().any(|r| r.crashed.is_some()) {
                return false;
            }
            let mut claims = of.clone();
            for claim in &mut claims {
                claim.reached = runs.iter().any(|r| claim.in_run(candidate, &r.events));
            }
            let found = self.judge(candidate, &claims, &runs, &mut scratch).unwrap_or_default();
            let same = found.iter().any(|r| question(r) == kind);
            if same {
                failure.texts = candidate.texts(&claims);
                failure.reasons = found;
            }
            same
        });
    }
}

/// The runs of each program that is one.
fn observed(
    compiler: &Compiler,
    programs: Vec<Program>,
    optimise: &str,
    outcome: &mut Outcome,
) -> Vec<(Program, Vec<Run>)> {
    let all: Vec<&Program> = programs.iter().collect();
    let runs: Vec<Option<Vec<Run>>> = match observe(compiler, &all, optimise) {
        Ok(runs) => runs.into_iter().map(Some).collect(),
        Err(_) => (programs.iter())
            .map(|p| match observe(compiler, &[p], optimise) {
                Ok(mut runs) => runs.pop(),
                Err(why) => {
                    outcome.refused.push(format!("{:?} {}: {why}", p.profile, p.seed));
                    None
                }
            })
            .collect(),
    };
    let mut out = Vec::new();
    for (program, runs) in programs.into_iter().zip(runs) {
        let Some(runs) = runs else { continue };
        if let Some(signal) = runs.iter().find_map(|r| r.crashed) {
            let Program { profile, seed, .. } = program;
            outcome.refused.push(format!("{profile:?} {seed}: killed by signal {signal}"));
            continue;
        }
        out.push((program, runs));
    }
    out
}

/// A question, and why it must not be answered with `unreachable` or `holds`, if so.
#[derive(Clone, Debug)]
struct Question {
    label: String,
    flags: Vec<String>,
    wrong: Option<String>,
}

/// Whether each label can be reached.
fn reach_questions(claims: &[Claim]) -> Vec<Question> {
    let question = |claim: &Claim| Question {
        label: claim.label.clone(),
        flags: vec!["--reach".to_owned(), claim.label.clone()],
        wrong: claim.reached.then(|| format!("{} is reached", claim.label)),
    };
    claims.iter().map(question).collect()
}

/// Formulas about labels and ends of runs.
fn run_questions(
    program: &Program,
    claims: &[Claim],
    runs: &[Run],
    rng: &mut Rng,
) -> Vec<Question> {
    let mut out = Vec::new();
    let formula = |label: &str, formula: String, wrong: String| Question {
        label: label.to_owned(),
        flags: vec!["--ltl".to_owned(), formula],
        wrong: Some(wrong),
    };
    let reached: Vec<&Claim> = claims.iter().filter(|c| c.reached).collect();
    for claim in rng.sample(&reached, 2) {
        let l = &claim.label;
        out.push(formula(l, format!("G !at({l})"), format!("{l} is reached")));
    }
    let missed: Vec<&Claim> = (claims.iter())
        .filter(|c| runs.iter().any(|r| r.complete && !c.in_run(program, &r.events)))
        .collect();
    for claim in rng.sample(&missed, 1) {
        let l = &claim.label;
        out.push(formula(l, format!("F at({l})"), format!("a run does not pass {l}")));
    }
    let endless = runs.iter().any(|r| r.endless);
    let wrong = endless.then(|| "a run goes on for ever".to_owned());
    out.push(Question { label: String::new(), flags: vec!["--terminates".to_owned()], wrong });
    out
}

/// Whether there is a compiler to run programs with.
pub fn compiler_is_there() -> bool {
    Command::new("cc")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// A folder for a campaign's files, below another.
pub fn folder(below: &Path) -> PathBuf {
    below.join(format!("random-c-{}", std::process::id()))
}
