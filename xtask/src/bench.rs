//! `bench`: runs the suites with the release build of `bop`, prints a table, writes a record.

use crate::run::{Ran, build, counters, machine, run_bop, verdicts};
use crate::suite_file::{Series, Source, read};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// One run of `bop`.
#[derive(Clone, Debug)]
struct Measured {
    suite: String,
    series: String,
    /// The size, or the file and its entry.
    what: String,
    size: Option<u64>,
    verdicts: Vec<String>,
    /// Wall-clock time.
    seconds: f64,
    /// Processor time, where the system tells: what ratios are made of, for it does not depend on
    /// what else the machine does.
    cpu: Option<f64>,
    /// Peak of resident memory, where the system tells.
    mib: Option<f64>,
    counters: Vec<(String, u64)>,
    /// Time for this size over time for half of it.
    ratio: Option<f64>,
    /// What is not as the suite wants it.
    problems: Vec<String>,
}

impl Measured {
    /// Processor time if it is known, wall-clock time otherwise.
    fn cost(&self) -> f64 {
        self.cpu.filter(|&cpu| cpu > 0.0).unwrap_or(self.seconds)
    }
}

/// The named suites, or all.
pub(crate) fn suites(names: &[&str]) -> Result<Vec<(String, Vec<Series>)>, String> {
    let folder = crate::root().join("bench/suites");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let known: Vec<String> = files.iter().map(|s| name(s)).collect();
    if let Some(wrong) = names.iter().find(|arg| !known.iter().any(|k| k == *arg)) {
        return Err(format!("there is no suite `{wrong}`; there are {}", known.join(", ")));
    }
    let wanted = known.iter().zip(&files);
    let wanted = wanted.filter(|(name, _)| names.is_empty() || names.contains(&name.as_str()));
    wanted.map(|(name, file)| Ok((name.clone(), read(file)?))).collect()
}

/// A folder for programs and outputs, removed at the end.
pub(crate) struct Work(pub(crate) PathBuf);

impl Work {
    pub(crate) fn new() -> Result<Work, String> {
        let path = std::env::temp_dir().join(format!("postbop-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Work(path))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the named suites, or all.
pub(crate) fn bench(args: &[&str]) -> Result<(), String> {
    if let Some((&"--auto", rest)) = args.split_first() {
        return crate::auto::auto(rest);
    }
    let root = crate::root();
    let suites = suites(args)?;
    let bop = build(&root)?;
    let work = Work::new()?;
    let machine = machine();
    println!("{machine}");
    let mut all: Vec<Measured> = Vec::new();
    for (name, list) in &suites {
        for series in list {
            println!("\n{name}: {}", series.name);
            all.extend(run_series(&bop, &work.0, name, series)?);
        }
    }
    drop(work);
    let record = record(&root, &machine, &all)?;
    println!("\nrecorded in {}", record.display());
    let problems: Vec<String> = all
        .iter()
        .flat_map(|m| m.problems.iter().map(|p| format!("{} {}: {p}", m.series, m.what)))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn run_series(
    bop: &Path,
    work: &Path,
    suite: &str,
    series: &Series,
) -> Result<Vec<Measured>, String> {
    let mut done: Vec<Measured> = Vec::new();
    for program in programs(bop, work, series)? {
        let mut measured = measure(bop, work, series, &program)?;
        measured.suite = suite.to_owned();
        let half = program.size.filter(|n| n % 2 == 0 && series.max_ratio.is_some()).map(|n| n / 2);
        measured.ratio = done
            .iter()
            .find(|m| m.size.is_some() && m.size == half)
            .map(|m| measured.cost() / m.cost());
        judge(series, done.first(), &mut measured);
        println!("{}", line(&measured));
        done.push(measured);
    }
    Ok(done)
}

/// A program to run.
pub(crate) struct Program {
    pub(crate) what: String,
    size: Option<u64>,
    pub(crate) file: PathBuf,
    pub(crate) entry: Option<String>,
}

pub(crate) fn programs(bop: &Path, work: &Path, series: &Series) -> Result<Vec<Program>, String> {
    let of_size = |n: u64, ending: &str| Program {
        what: n.to_string(),
        size: Some(n),
        file: work.join(format!("{n}.{ending}")),
        entry: None,
    };
    let mut out = Vec::new();
    match &series.source {
        Source::Generated { arguments, sizes } => {
            for &n in sizes {
                let program = of_size(n, ending(arguments));
                let status = Command::new(bop)
                    .arg("gen")
                    .args(arguments.iter().map(|a| a.replace("{n}", &n.to_string())))
                    .arg("-o")
                    .arg(&program.file)
                    .status()
                    .map_err(|e| format!("bop gen: {e}"))?;
                if !status.success() {
                    return Err(format!("bop gen {arguments:?} fails for {n}"));
                }
                out.push(program);
            }
        }
        Source::Own { family, sizes } => {
            for &n in sizes {
                let program = of_size(n, "bp");
                let text = crate::families::member(family, n as usize)
                    .ok_or_else(|| format!("there is no family `{family}`"))?;
                std::fs::write(&program.file, text)
                    .map_err(|e| format!("{}: {e}", program.file.display()))?;
                out.push(program);
            }
        }
        Source::Corpus { folder, entries } => match testkit::corpus::shared_folder() {
            Err(why) => println!("  skipped: {why}"),
            Ok(corpus) => {
                let folder = corpus.join(folder);
                let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path())
                    .filter(|path| path.extension().is_some_and(|e| e == "bp"))
                    .collect();
                files.sort();
                if files.is_empty() {
                    println!("  skipped: no programs in {}", folder.display());
                }
                for file in files {
                    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    for entry in entries {
                        out.push(Program {
                            what: format!("{stem} {entry}"),
                            size: None,
                            file: file.clone(),
                            entry: Some(entry.clone()),
                        });
                    }
                }
            }
        },
    }
    Ok(out)
}

/// How the files of a family end.
pub(crate) fn ending(arguments: &[String]) -> &'static str {
    match arguments.first().map(String::as_str) {
        Some("quicksort") => "rem",
        Some("gc") => "c",
        _ => "bp",
    }
}

fn measure(
    bop: &Path,
    work: &Path,
    series: &Series,
    program: &Program,
) -> Result<Measured, String> {
    let mut best: Option<Measured> = None;
    for _ in 0..series.repeat.max(1) {
        let measured = run_once(bop, work, series, program)?;
        let long = measured.seconds > 20.0;
        if best.as_ref().is_none_or(|b| measured.cost() < b.cost()) {
            best = Some(measured);
        }
        if long {
            break;
        }
    }
    best.ok_or_else(|| "nothing was run".into())
}

fn run_once(
    bop: &Path,
    work: &Path,
    series: &Series,
    program: &Program,
) -> Result<Measured, String> {
    let mut args: Vec<String> = vec!["check".into(), program.file.display().to_string()];
    args.extend(series.check.iter().cloned());
    args.extend(["--stats".into(), "--timeout".into(), format!("{}s", series.timeout)]);
    args.extend(program.entry.iter().flat_map(|entry| ["--entry".to_owned(), entry.clone()]));
    let Ran { code, seconds, cpu, mib, text, said, .. } = run_bop(bop, work, &args)?;
    let mut problems = Vec::new();
    if !matches!(code, Some(0 | 1 | 3)) {
        problems.push(format!("exit code {code:?}: {}", said.lines().next().unwrap_or_default()));
    }
    Ok(Measured {
        suite: String::new(),
        series: series.name.clone(),
        what: program.what.clone(),
        size: program.size,
        verdicts: verdicts(&text),
        seconds,
        cpu,
        mib,
        counters: counters(&text),
        ratio: None,
        problems,
    })
}

fn judge(series: &Series, first: Option<&Measured>, m: &mut Measured) {
    let gave_up = m.verdicts.iter().any(|v| v == "unknown");
    if gave_up && !series.may_give_up {
        m.problems.push("unknown".into());
    }
    if let Some(expect) = &series.expect
        && !gave_up
        && m.verdicts != *expect
    {
        m.problems.push(format!("{:?}, expected {expect:?}", m.verdicts));
    }
    let mut limit = |what: &str, value: Option<f64>, most: Option<f64>| {
        if let (Some(value), Some(most)) = (value, most)
            && value > most
        {
            m.problems.push(format!("{what} {value:.2}, wanted at most {most}"));
        }
    };
    limit("seconds", Some(m.seconds), series.max_seconds);
    limit("MiB", m.mib, series.max_memory_mib);
    limit("ratio to half the size", m.ratio, series.max_ratio);
    if let (Some(name), Some(first)) = (&series.constant, first) {
        let get = |m: &Measured| m.counters.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
        if get(first) != get(m) {
            let (was, is) = (get(first), get(m));
            m.problems.push(format!("{name} is {is:?}, for the first size {was:?}"));
        }
    }
}

fn line(m: &Measured) -> String {
    let counter = |name: &str| m.counters.iter().find(|(n, _)| n == name).map(|(_, v)| *v);
    let nodes = match (counter("peak_nodes"), counter("path_edges")) {
        (Some(n), _) => format!("{n} nodes"),
        (None, Some(n)) => format!("{n} path edges"),
        (None, None) => String::new(),
    };
    let mut out = format!(
        "  {:<24} {:>9.3} s {:>9} s CPU {:>6} MiB  {:<20} {}",
        m.what,
        m.seconds,
        m.cpu.map_or("?".into(), |cpu| format!("{cpu:.2}")),
        m.mib.map_or("?".into(), |mib| format!("{mib:.0}")),
        nodes,
        m.verdicts.join(" ")
    );
    if let Some(ratio) = m.ratio {
        let _ = write!(out, "  x{ratio:.2}");
    }
    for problem in &m.problems {
        let _ = write!(out, "  !! {problem}");
    }
    out
}

/// Writes `bench/record/DATE_REV.csv`.
fn record(root: &Path, machine: &str, all: &[Measured]) -> Result<PathBuf, String> {
    let date = date();
    let revision = revision(root);
    let path = root.join(format!("bench/record/{date}_{revision}.csv"));
    let mut text = String::new();
    for line in machine.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "# revision {revision}, {date}");
    text.push_str("suite,series,what,verdicts,seconds,cpu,mib,ratio,counters,problems\n");
    let quoted = |s: &str| format!("\"{}\"", s.replace('"', "\"\""));
    for m in all {
        let counters: Vec<String> = m.counters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let _ = writeln!(
            text,
            "{},{},{},{},{:.3},{},{},{},{},{}",
            m.suite,
            quoted(&m.series),
            quoted(&m.what),
            quoted(&m.verdicts.join(" ")),
            m.seconds,
            m.cpu.map_or(String::new(), |cpu| format!("{cpu:.2}")),
            m.mib.map_or(String::new(), |mib| format!("{mib:.0}")),
            m.ratio.map_or(String::new(), |r| format!("{r:.2}")),
            quoted(&counters.join(" ")),
            quoted(&m.problems.join("; "))
        );
    }
    let folder = root.join("bench/record");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

pub(crate) fn revision(root: &Path) -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").current_dir(root).args(args).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match git(&["rev-parse", "--short", "HEAD"]) {
        Some(revision) => {
            let dirty = git(&["status", "--porcelain", "--", "crates", "Cargo.toml", "Cargo.lock"]);
            if dirty.is_some_and(|d| !d.is_empty()) {
                format!("{revision}-changed")
            } else {
                revision
            }
        }
        None => "unversioned".into(),
    }
}

/// Today's date (UTC), after Howard Hinnant's `civil_from_days`.
pub(crate) fn date() -> String {
    let seconds =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
    civil(seconds.div_euclid(86_400))
}

fn civil(days: i64) -> String {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), "1970-01-01");
        assert_eq!(civil(11_016), "2000-02-29");
        assert_eq!(civil(20_000), "2024-10-04");
    }
}
