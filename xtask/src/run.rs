//! Runs `bop` and watches what it uses.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Builds `bop` and finds it.
pub(crate) fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--release", "--quiet", "--bin", "bop", "--message-format", "json"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let path = text.split("\"executable\":\"").nth(1).and_then(|rest| rest.split('"').next());
    match path {
        Some(path) if output.status.success() => Ok(PathBuf::from(path)),
        _ => Err("bop does not build".into()),
    }
}

/// A run of `bop`.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    /// Wall-clock time.
    pub(crate) seconds: f64,
    /// Processor time, where the system tells.
    pub(crate) cpu: Option<f64>,
    /// Peak of resident memory, where the system tells.
    pub(crate) mib: Option<f64>,
    /// What it wrote.
    pub(crate) text: String,
    /// What it complained about.
    pub(crate) said: String,
}

/// Runs `bop`; its output goes through files in `work`.
pub(crate) fn run_bop(bop: &Path, work: &Path, args: &[String]) -> Result<Ran, String> {
    run_limited(bop, work, args, f64::INFINITY)
}

/// Likewise, and ends it when it has worked for `limit` seconds (as [`Threads`] counts): a limit on
/// wall-clock time would say more about what else the machine does.
pub(crate) fn run_limited(
    bop: &Path,
    work: &Path,
    args: &[String],
    limit: f64,
) -> Result<Ran, String> {
    let (out, err) = (work.join("out.txt"), work.join("err.txt"));
    let file = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
    let start = Instant::now();
    let mut child = Command::new(bop)
        .args(args)
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(|e| format!("bop: {e}"))?;
    let Watched { code, cpu, mib } = wait(&mut child, limit)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let said = std::fs::read_to_string(&err).unwrap_or_default();
    Ok(Ran { code, seconds, cpu, mib, text, said })
}

/// How a child ended, and what it used.
struct Watched {
    code: Option<i32>,
    cpu: Option<f64>,
    mib: Option<f64>,
}

/// Waits for the child and watches its processor time and the peak of its resident memory, which
/// the system tells while the child lives.
fn wait(child: &mut Child, limit: f64) -> Result<Watched, String> {
    let folder = format!("/proc/{}", child.id());
    let (mut cpu, mut mib) = (None, None);
    let mut threads = Threads::default();
    loop {
        let status = child.try_wait().map_err(|e| format!("bop: {e}"))?;
        if let Some(status) = status {
            return Ok(Watched { code: status.code(), cpu, mib });
        }
        let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).ok();
        cpu = read("stat").and_then(|text| cpu_seconds(&text)).or(cpu);
        mib = read("status").and_then(|text| peak_mib(&text)).or(mib);
        threads.look(&folder);
        if threads.path().or(cpu).is_some_and(|path| path > limit) {
            let _ = child.kill(); // It may have ended just now.
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Reconstructs from the processor time of each thread how long a run would have taken with a core
/// for each: in every window, the thread that worked most counts. A window lasts until some thread
/// has worked for [`WINDOW`]: where threads have to take turns, each gets several in a window.
#[derive(Default)]
struct Threads {
    /// By thread: at the start of the window, and now, in nanoseconds.
    spent: BTreeMap<u64, (u64, u64)>,
    /// Of the windows that are over.
    done: u64,
}

/// In nanoseconds: several times what a scheduler gives one thread while another waits.
const WINDOW: u64 = 20_000_000;

impl Threads {
    fn look(&mut self, folder: &str) {
        for task in std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten() {
            let id = task.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok();
            let spent = text.and_then(|t| t.split_whitespace().next()?.parse::<u64>().ok());
            if let (Some(id), Some(spent)) = (id, spent) {
                self.spent.entry(id).or_default().1 = spent;
            }
        }
        if self.most() >= WINDOW {
            self.close();
        }
    }
    /// The most that a thread has worked since the window was opened.
    fn most(&self) -> u64 {
        self.spent.values().map(|(before, now)| now.saturating_sub(*before)).max().unwrap_or(0)
    }
    fn close(&mut self) {
        self.done += self.most();
        self.spent.values_mut().for_each(|(before, now)| *before = *now);
    }
    fn path(&self) -> Option<f64> {
        (!self.spent.is_empty()).then(|| (self.done + self.most()) as f64 / 1e9)
    }
}

/// Processor time of `/proc/PID/stat`: user and system time are fields 14 and 15, in ticks of
/// 10 ms; the name of the program, in parentheses, may hold blanks.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}

/// Peak of resident memory of `/proc/PID/status`.
fn peak_mib(status: &str) -> Option<f64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// The words that begin the lines of a text report.
pub(crate) fn verdicts(text: &str) -> Vec<String> {
    const WORDS: [&str; 5] = ["holds", "violated", "reachable", "unreachable", "unknown"];
    let firsts = text.lines().filter_map(|line| line.split_once(':')).map(|(word, _)| word);
    firsts.filter(|word| WORDS.contains(word)).map(str::to_owned).collect()
}

/// The counters of a text report: a name and a number on a line; a later one overrides.
pub(crate) fn counters(text: &str) -> Vec<(String, u64)> {
    let mut out: Vec<(String, u64)> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, number] = words[..] else { continue };
        let Ok(number) = number.parse() else { continue };
        match out.iter_mut().find(|(n, _)| n == name) {
            Some((_, value)) => *value = number,
            None => out.push((name.to_owned(), number)),
        }
    }
    out
}

/// The machine, without its name.
pub(crate) fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.starts_with(name))?.split_once(':')?.1.trim().to_owned();
        Some(line)
    };
    let cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    let cpu = field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown CPU".into());
    let memory = field(&read("/proc/meminfo"), "MemTotal")
        .and_then(|m| m.split_whitespace().next()?.parse::<f64>().ok())
        .map_or("unknown memory".into(), |kib| format!("{:.0} GiB", kib / 1024.0 / 1024.0));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let rustc = Command::new(rustc)
        .arg("--version")
        .output()
        .map_or("unknown rustc".into(), |o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    format!("{cores} cores, {cpu}, {memory}, {}\n{rustc}, release build", std::env::consts::OS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read() {
        let text = "reachable: reach at t.bp:7:12\n  engine summary, 0.002 s: why\n  \
            peak_nodes   90\n  visits       188\n\n  main:4  level1()  g=0\nholds: no assertion\n";
        assert_eq!(verdicts(text), ["reachable", "holds"]);
        assert_eq!(counters(text), [("peak_nodes".into(), 90), ("visits".into(), 188)]);
    }

    #[test]
    fn use_of_the_machine_is_read() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 1 0 99";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds("7 (x) S 1"), None);
        let mut threads =
            Threads { spent: [(1, (0, 5)), (2, (0, 9))].into(), ..Threads::default() };
        threads.close();
        threads.spent.insert(3, (0, 7));
        threads.spent.entry(1).or_default().1 += 4;
        assert_eq!((threads.done, threads.most()), (9, 7), "1 and 2, then 1 and 3, side by side");
        assert_eq!(peak_mib("Name: x\nVmHWM:\t  2048 kB\nVmRSS: 1 kB\n"), Some(2.0));
    }
}
