//! `bench --auto`: is `--engine auto` nearly as fast as the engine that suits the program best?
//!
//! Each question of the suites is put to every engine alone and to `auto`. What is compared is the time
//! on the clock, because `auto` may have more threads than there are cores: the machine must have nothing
//! else to do. Differences of a few hundredths of a second are noise of starting and of measuring: what
//! takes less than [`FLOOR`] counts as that much, on both sides.

use crate::bench::{Program, Work, date, programs, revision, suites};
use crate::run::{Ran, build, machine, run_limited, verdicts};
use crate::suite_file::Series;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The words of the engines.
fn engines() -> impl Iterator<Item = &'static str> {
    postbop::ENGINES.iter().map(|row| row.word)
}

/// Less than this, in seconds, counts as this.
const FLOOR: f64 = 0.05;

/// What `auto` may take of the time of the best engine.
const NEAR: f64 = 1.5;

/// The part of the questions on which it must be near, in per cent.
const WANTED: usize = 90;

/// A run that takes so many times as long as the best one before it is stopped: it is out of the race.
const HOPELESS: f64 = 10.0;

/// How one engine did.
#[derive(Clone)]
struct Tried {
    engine: &'static str,
    seconds: f64,
    /// What it answered, or that it was stopped.
    answer: Option<Vec<String>>,
}

/// A question, and how all did.
struct Compared {
    suite: String,
    what: String,
    check: String,
    single: Vec<Tried>,
    auto: Tried,
    /// Who answered for `auto`, and why.
    by: String,
}

impl Compared {
    fn best(&self) -> Option<&Tried> {
        let answered = self.single.iter().filter(|t| t.answer.is_some());
        answered.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }
    /// The time of `auto` over that of the best engine; `None` if no engine answers.
    fn ratio(&self) -> Option<f64> {
        let best = self.best()?.seconds.max(FLOOR);
        Some(match self.auto.answer {
            Some(_) => self.auto.seconds.max(FLOOR) / best,
            None => f64::INFINITY,
        })
    }
}

/// Compares on the named suites, or all.
pub(crate) fn auto(args: &[&str]) -> Result<(), String> {
    let (limit, names) = match args {
        ["--limit", limit, names @ ..] => {
            let limit = limit.parse::<f64>().ok().filter(|limit| *limit > 0.0);
            (limit.ok_or("`--limit` takes seconds")?, names)
        }
        names => (10.0, names),
    };
    let root = crate::root();
    let suites = suites(names)?;
    let bop = build(&root)?;
    let work = Work::new()?;
    let machine = machine();
    println!("{machine}");
    let mut seen = BTreeSet::new();
    let mut all: Vec<Compared> = Vec::new();
    for (suite, list) in &suites {
        for series in list {
            let Some(check) = question(series) else { continue };
            // Programs of one series grow: who was too slow for one, and not all were, is not asked
            // about the next.
            let mut slow: Vec<&str> = Vec::new();
            for program in programs(&bop, &work.0, series)? {
                let title = series.source.title(&program.what);
                if !seen.insert(format!("{title} {check:?}")) {
                    continue;
                }
                let mut compared = compare(&bop, &work.0, &program, &check, limit, &mut slow)?;
                compared.suite = suite.clone();
                compared.what = title;
                println!("{}", line(&compared));
                all.push(compared);
            }
        }
    }
    let (verdict, enough) = summary(&all, limit);
    println!("\n{verdict}");
    let path = root.join(format!("bench/record/{}_{}_auto.csv", date(), revision(&root)));
    std::fs::write(&path, record(&machine, &verdict, &all))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    println!("recorded in {}", path.display());
    let wrong: Vec<String> = all.iter().filter_map(disagreement).collect();
    match (wrong.is_empty(), enough) {
        (false, _) => Err(wrong.join("\n")),
        (true, false) => Err(format!("wanted: {WANTED} % within {NEAR}")),
        (true, true) => Ok(()),
    }
}

/// The arguments of `bop check`, without those that name an engine; `None` for what not every engine
/// can be asked.
fn question(series: &Series) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut words = series.check.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--engine" => drop(words.next()),
            "--bound" => return None,
            _ => out.push(word.clone()),
        }
    }
    Some(out)
}

fn compare(
    bop: &Path,
    work: &Path,
    program: &Program,
    check: &[String],
    limit: f64,
    slow: &mut Vec<&'static str>,
) -> Result<Compared, String> {
    let mut out = Compared {
        suite: String::new(),
        what: String::new(),
        check: check.join(" "),
        single: Vec::new(),
        auto: Tried { engine: "auto", seconds: 0.0, answer: None },
        by: String::new(),
    };
    for engine in engines() {
        if slow.contains(&engine) {
            continue;
        }
        let most = out.best().map_or(limit, |best| limit.min(best.seconds.max(FLOOR) * HOPELESS));
        let (tried, _) = ask(bop, work, program, check, engine, most)?;
        out.single.push(tried);
    }
    if out.best().is_some() {
        let late = out.single.iter().filter(|t| t.answer.is_none() && t.seconds >= limit);
        slow.extend(late.map(|t| t.engine));
    }
    let most = out.best().map_or(limit, |best| best.seconds.max(FLOOR) * HOPELESS);
    (out.auto, out.by) = ask(bop, work, program, check, "auto", most.max(limit))?;
    Ok(out)
}

fn ask(
    bop: &Path,
    work: &Path,
    program: &Program,
    check: &[String],
    engine: &'static str,
    limit: f64,
) -> Result<(Tried, String), String> {
    let mut args: Vec<String> = vec!["check".into(), program.file.display().to_string()];
    args.extend(check.iter().cloned());
    args.extend(["--engine", engine, "--memory", "4G", "-v"].map(str::to_owned));
    args.extend(program.entry.iter().flat_map(|entry| ["--entry".to_owned(), entry.clone()]));
    let mut best: Option<(Tried, String)> = None;
    // Short runs vary most: the least time counts, as in the suites.
    for _ in 0..3 {
        let Ran { code, seconds, text, said, .. } = run_limited(bop, work, &args, limit)?;
        if !matches!(code, None | Some(0 | 1 | 3)) {
            return Err(format!("bop {}: {code:?}\n{said}", args.join(" ")));
        }
        let words = verdicts(&text);
        let definite = !words.is_empty() && !words.iter().any(|w| w == "unknown");
        let answer = (code.is_some() && definite).then_some(words);
        let seconds = if code.is_none() { limit } else { seconds };
        let by = text.lines().find_map(|line| line.trim_start().strip_prefix("engine "));
        let again = answer.is_some() && seconds > FLOOR && seconds < 0.5;
        if best.as_ref().is_none_or(|(tried, _)| seconds < tried.seconds) {
            best = Some((Tried { engine, seconds, answer }, by.unwrap_or_default().to_owned()));
        }
        if !again {
            break;
        }
    }
    best.ok_or_else(|| "nothing was run".into())
}

fn shown(tried: &Tried) -> String {
    match tried.answer {
        Some(_) => format!("{} {:.2}", tried.engine, tried.seconds),
        None => format!("{} -", tried.engine),
    }
}

fn line(c: &Compared) -> String {
    let single: Vec<String> = c.single.iter().map(shown).collect();
    let ratio = match c.ratio() {
        None => "no engine answers".to_owned(),
        Some(ratio) => format!("x{ratio:.2}{}", if ratio > NEAR { " !!" } else { "" }),
    };
    let by = c.by.split(',').next().unwrap_or_default();
    let auto = format!("{} ({by})", shown(&c.auto));
    format!("  {:<12} {:<40} {:<75} {auto:<26} {ratio}", c.suite, c.what, single.join("  "))
}

/// Engines, `auto` included, that do not say the same.
fn disagreement(c: &Compared) -> Option<String> {
    let mut answers =
        c.single.iter().chain([&c.auto]).filter_map(|t| Some((t, t.answer.as_ref()?)));
    let (_, first) = answers.next()?;
    let other = answers.find(|(_, answer)| *answer != first)?;
    Some(format!("{} {}: {first:?}, and {} says {:?}", c.suite, c.what, other.0.engine, other.1))
}

fn summary(all: &[Compared], limit: f64) -> (String, bool) {
    let ratios: Vec<f64> = all.iter().filter_map(Compared::ratio).collect();
    let near = ratios.iter().filter(|r| **r <= NEAR).count();
    let share = 100.0 * near as f64 / ratios.len().max(1) as f64;
    let mut out = format!(
        "auto is within {NEAR} times of the best single engine on {near} of {} questions \
         ({share:.1} %); less than {FLOOR} s counts as {FLOOR} s",
        ratios.len()
    );
    let long = all.iter().filter(|c| c.best().is_some_and(|b| b.seconds > FLOOR));
    let long: Vec<f64> = long.filter_map(Compared::ratio).collect();
    let near_long = long.iter().filter(|r| **r <= NEAR).count();
    let _ = write!(out, "; where the best takes longer, on {near_long} of {}", long.len());
    let unanswered = all.len() - ratios.len();
    if unanswered > 0 {
        let _ = write!(out, "; to {unanswered} more no engine has an answer in {limit} s");
    }
    for engine in engines() {
        let best = all.iter().filter(|c| c.best().is_some_and(|b| b.engine == engine)).count();
        let alone = all.iter().filter(|c| {
            let tried = c.single.iter().find(|t| t.engine == engine && t.answer.is_some());
            let best = c.best().map_or(FLOOR, |b| b.seconds.max(FLOOR));
            tried.is_some_and(|t| t.seconds.max(FLOOR) <= NEAR * best)
        });
        let alone = 100.0 * alone.count() as f64 / ratios.len().max(1) as f64;
        let _ =
            write!(out, "\n{engine}: best on {best}, alone within {NEAR} times on {alone:.1} %");
    }
    (out, near * 100 >= ratios.len() * WANTED)
}

fn record(machine: &str, verdict: &str, all: &[Compared]) -> String {
    let mut out = String::new();
    for line in machine.lines().chain(verdict.lines()) {
        let _ = writeln!(out, "# {line}");
    }
    let _ = writeln!(out, "# `-`: stopped at the limit, or {HOPELESS} times slower than the best");
    let _ =
        writeln!(out, "suite,what,check,{},auto,ratio,by", engines().collect::<Vec<_>>().join(","));
    let quoted = |s: &str| format!("\"{}\"", s.replace('"', "\"\""));
    for c in all {
        let _ = write!(out, "{},{},{}", c.suite, quoted(&c.what), quoted(&c.check));
        for engine in engines() {
            let tried = c.single.iter().find(|t| t.engine == engine && t.answer.is_some());
            let _ = write!(out, ",{}", tried.map_or("-".into(), |t| format!("{:.3}", t.seconds)));
        }
        let auto = c.auto.answer.as_ref().map_or("-".into(), |_| format!("{:.3}", c.auto.seconds));
        let ratio = c.ratio().map_or(String::new(), |r| format!("{r:.2}"));
        let _ = writeln!(out, ",{auto},{ratio},{}", quoted(&c.by));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(engine: &'static str, seconds: f64, answer: Option<&str>) -> Tried {
        Tried { engine, seconds, answer: answer.map(|a| vec![a.to_owned()]) }
    }

    fn compared(single: Vec<Tried>, auto: Tried) -> Compared {
        let (suite, what, check, by) = Default::default();
        Compared { suite, what, check, single, auto, by }
    }

    #[test]
    fn ratios() {
        let single = vec![tried("summary", 0.4, Some("holds")), tried("pre", 0.2, None)];
        let auto = |seconds| tried("auto", seconds, Some("holds"));
        assert_eq!(compared(single.clone(), auto(0.8)).ratio(), Some(2.0));
        assert_eq!(compared(single.clone(), tried("auto", 1.0, None)).ratio(), Some(f64::INFINITY));
        assert_eq!(compared(vec![], auto(0.8)).ratio(), None);
        let short = compared(vec![tried("summary", 0.001, Some("holds"))], auto(0.04));
        assert_eq!(short.ratio(), Some(1.0));
        let wrong = compared(single, tried("auto", 0.1, Some("violated")));
        assert!(disagreement(&wrong).is_some() && disagreement(&short).is_none());
    }
}
