//! `mutants`: are the tests able to fail? Small changes of the sources, drawn by a seed, which they must notice.
//!
//! All changes are built into one copy of the tree at once, each behind a switch that the environment sets
//! (`POSTBOP_MUTANT=17`), so that the tests are built once and not once per change. A first run without any
//! change notes which tests come by which switch, by program and module; each change is then judged by those
//! alone, the quickest first, until one fails. What does not compile is found by the compiler's errors and taken
//! out again. A change is *caught* if a test fails, or does not end in time; else it is *missed*. With
//! `--budget S` a change that lived for S seconds is left *undecided* and the next one is tried; a later run
//! without a budget asks the tests that are left.
//!
//! `prepare` writes `mutants.csv` (what was drawn) and `tests.csv` (the tests); `run` appends to
//! `results.csv` and goes on where it stopped.

mod scan;

use scan::Change;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testkit::rng::Rng;

/// The crates whose sources are changed.
const CRATES: [&str; 9] = [
    "ir",
    "check",
    "replay",
    "engine-explicit",
    "engine-summary",
    "engine-pds",
    "engine-sat",
    "engine-bounded",
    "front-c",
];

/// The crates whose tests judge beside those that are changed: they compare engines, and ask what users ask.
const JUDGES: [&str; 10] = [
    "testkit",
    "xtask",
    "property",
    "rules",
    "reports",
    "findings",
    "conversions",
    "postbop",
    "equations",
    "cli",
];

/// The switch, in each changed crate.
const SWITCH: &str = r#"
pub(crate) mod mutant_switch {
    //! Which change is made, and which switches are passed.
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    static CHOSEN: OnceLock<(u32, Option<std::ffi::OsString>)> = OnceLock::new();
    static PASSED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

    pub(crate) fn on(number: u32) -> bool {
        let (chosen, cover) = CHOSEN.get_or_init(|| {
            let chosen = std::env::var("POSTBOP_MUTANT").ok().and_then(|n| n.parse().ok());
            (chosen.unwrap_or(0), std::env::var_os("POSTBOP_MUTANT_COVER"))
        });
        if let Some(path) = cover {
            if !PASSED[number as usize].swap(true, Ordering::Relaxed) {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                if let Ok(mut file) = file {
                    let _ = file.write_all(format!("{number}\n").as_bytes());
                }
            }
        }
        *chosen == number
    }
}
"#;

/// What `mutants` is told.
struct Task {
    seed: u64,
    count: usize,
    from: usize,
    to: usize,
    /// Seconds for a change, after which it stays undecided.
    budget: Option<usize>,
    folder: PathBuf,
    /// The tree that is changed.
    root: PathBuf,
    crates: Vec<String>,
    judges: Vec<String>,
}

/// `cargo xtask mutants prepare|run|table …`.
pub(crate) fn mutants(args: &[&str]) -> Result<(), String> {
    let Some((&verb, rest)) = args.split_first() else {
        return Err("mutants prepare|run|table [--seed S] [--n N] [--from K] [--to L] [--budget S] [--dir DIR] [--root TREE] [--crates A,B] [--judges A,B]".into());
    };
    let mut task = Task {
        seed: 13,
        count: 400,
        from: 1,
        to: usize::MAX,
        budget: None,
        folder: std::env::temp_dir().join("postbop-mutants"),
        root: crate::root(),
        crates: CRATES.iter().map(|c| (*c).to_owned()).collect(),
        judges: JUDGES.iter().map(|c| (*c).to_owned()).collect(),
    };
    let mut rest = rest.iter();
    while let Some(&flag) = rest.next() {
        let value = *rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || value.parse::<usize>().map_err(|_| format!("`{value}` is no number"));
        match flag {
            "--seed" => task.seed = number()? as u64,
            "--n" => task.count = number()?,
            "--from" => task.from = number()?,
            "--to" => task.to = number()?,
            "--budget" => task.budget = Some(number()?),
            "--dir" => task.folder = PathBuf::from(value),
            "--root" => task.root = PathBuf::from(value),
            "--crates" => task.crates = value.split(',').map(str::to_owned).collect(),
            "--judges" => task.judges = value.split(',').map(str::to_owned).collect(),
            _ => return Err(format!("`{flag}` is no option")),
        }
    }
    match verb {
        "prepare" => prepare(&task),
        "run" => run(&task),
        "table" => table(&task),
        _ => Err(format!("`{verb}` is none of prepare, run, table")),
    }
}

/// A change with its file and number.
struct Mutant {
    number: u32,
    room: String,
    file: PathBuf,
    line: usize,
    change: Change,
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The files of a crate that are no tests, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let test = |part: &std::ffi::OsStr| part == "tests" || part == "tests.rs";
    let mut files = crate::files::below(folder, "rs");
    files.retain(|path| !path.strip_prefix(folder).is_ok_and(|below| below.iter().any(test)));
    files
}

/// Draws the mutants: the same of all seeds, crates and sources that are the same.
fn drawn(root: &Path, task: &Task) -> Result<Vec<Mutant>, String> {
    let mut all = Vec::new();
    for room in &task.crates {
        for path in sources(&root.join(crate::files::room(root, room)?).join("src")) {
            let text = read(&path)?;
            let file = path.strip_prefix(root).unwrap_or(&path).to_owned();
            for change in scan::changes(&text) {
                let line = text[..change.at.start].matches('\n').count() + 1;
                all.push(Mutant {
                    number: 0,
                    room: room.clone(),
                    file: file.clone(),
                    line,
                    change,
                });
            }
        }
    }
    let total = all.len();
    let mut rng = Rng::new(task.seed);
    rng.shuffle(&mut all);
    let mut out: Vec<Mutant> = Vec::new();
    for mutant in all {
        let overlaps = |other: &Mutant| {
            let (a, b) = (&mutant.change.at, &other.change.at);
            let apart = a.end <= b.start || b.end <= a.start;
            let nested =
                a.start >= b.start && a.end <= b.end || b.start >= a.start && b.end <= a.end;
            mutant.file == other.file && (!apart && !nested || a == b)
        };
        if !out.iter().any(overlaps) {
            out.push(Mutant { number: out.len() as u32 + 1, ..mutant });
        }
        if out.len() == task.count {
            break;
        }
    }
    println!("{} of {total} places drawn with seed {}", out.len(), task.seed);
    Ok(out)
}

/// Copies the tree without what is built.
fn copy(root: &Path, to: &Path) -> Result<(), String> {
    let mut todo = vec![PathBuf::new()];
    while let Some(below) = todo.pop() {
        let from = root.join(&below);
        std::fs::create_dir_all(to.join(&below)).map_err(|e| format!("{}: {e}", to.display()))?;
        for entry in std::fs::read_dir(&from).map_err(|e| format!("{}: {e}", from.display()))? {
            let entry = entry.map_err(|e| e.to_string())?;
            let name = below.join(entry.file_name());
            let skipped = below.as_os_str().is_empty()
                && matches!(entry.file_name().to_str(), Some("target" | ".git"));
            if skipped {
                continue;
            }
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                todo.push(name);
            } else {
                // What is the same keeps its time, and what is built from it stays.
                let (from, to) = (entry.path(), to.join(&name));
                let (new, old) = (std::fs::read(&from).ok(), std::fs::read(&to).ok());
                if new.is_none() || new != old {
                    std::fs::copy(&from, &to).map_err(|e| format!("{}: {e}", name.display()))?;
                }
            }
        }
    }
    Ok(())
}

/// Writes the changed sources: all mutants but those that do not compile.
fn build_in(
    task: &Task,
    (root, to): (&Path, &Path),
    mutants: &[Mutant],
    out: &BTreeSet<u32>,
) -> Result<(), String> {
    let mut files: BTreeMap<&Path, Vec<(u32, &Change)>> = BTreeMap::new();
    for mutant in mutants {
        let changes = files.entry(&mutant.file).or_default();
        if !out.contains(&mutant.number) {
            changes.push((mutant.number, &mutant.change));
        }
    }
    for room in &task.crates {
        files.entry(Path::new("crates")).or_default();
        let lib = crate::files::room(root, room)?.join("src/lib.rs");
        let text = read(&root.join(&lib))?;
        if !files.contains_key(lib.as_path()) {
            put(&to.join(&lib), &(text + SWITCH))?;
        }
    }
    files.remove(Path::new("crates"));
    for (file, mut changes) in files {
        changes.sort_by_key(|(n, c)| (c.at.start, std::cmp::Reverse(c.at.end), *n));
        let text = read(&root.join(file))?;
        let switch = if file.ends_with("src/lib.rs") { SWITCH } else { "" };
        put(&to.join(file), &(scan::built_in(&text, &changes) + switch))?;
    }
    Ok(())
}

/// Writes a file if that changes it, so that what is built from it stays.
fn put(path: &Path, text: &str) -> Result<(), String> {
    if read(path).is_ok_and(|old| old == text) { Ok(()) } else { write(path, text) }
}

/// Makes the copy, builds the tests and notes which come by which switch.
fn prepare(task: &Task) -> Result<(), String> {
    // What is drawn from stays as it is while this runs, whatever happens to the sources.
    let (root, tree) = (task.folder.join("plain"), task.folder.join("tree"));
    copy(&task.root, &root)?;
    copy(&root, &tree)?;
    let mutants = drawn(&root, task)?;
    let mut out: BTreeSet<u32> = BTreeSet::new();
    let tests = loop {
        build_in(task, (&root, &tree), &mutants, &out)?;
        let start = Instant::now();
        let (tests, errors) = built(&tree, task)?;
        println!(
            "built in {:.0} s, {} places with errors",
            start.elapsed().as_secs_f64(),
            errors.len()
        );
        if errors.is_empty() {
            break tests;
        }
        let before = out.len();
        for (file, line) in &errors {
            out.extend(blamed(&tree, file, *line)?);
        }
        if out.len() == before {
            return Err(format!("the tree does not compile: {errors:?}"));
        }
    };
    let mut text = String::from("number,crate,file,line,kind,compiles,what\n");
    for m in &mutants {
        let compiles = if out.contains(&m.number) { "no" } else { "yes" };
        let (file, what) = (m.file.display(), m.change.what.replace('"', "'"));
        let _ = writeln!(
            text,
            "{},{},{file},{},{},{compiles},\"{what}\"",
            m.number, m.room, m.line, m.change.kind
        );
    }
    write(&task.folder.join("mutants.csv"), &text)?;
    cover(task, &tests)
}

/// The switches in a line of the built tree, or in the statement around it.
fn blamed(tree: &Path, file: &str, line: usize) -> Result<Vec<u32>, String> {
    let text = read(&tree.join(file))?;
    let lines: Vec<&str> = text.lines().collect();
    for reach in 0..40 {
        let from = line.saturating_sub(1 + reach);
        let part = lines[from..lines.len().min(line + reach)].join("\n");
        let found: Vec<u32> = (part.split("mutant_switch::on(").skip(1))
            .filter_map(|rest| rest.split(')').next()?.parse().ok())
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// A file and a line.
type Place = (String, usize);

/// The tests of one module of a test program, and the folder that they run in.
struct Test {
    name: String,
    program: PathBuf,
    folder: PathBuf,
    /// Which tests: a prefix of their names, which no other test has.
    module: String,
}

/// Builds the tests: the programs, or where errors are.
fn built(tree: &Path, task: &Task) -> Result<(Vec<Test>, Vec<Place>), String> {
    let mut command = Command::new("cargo");
    command.args(["build", "--tests", "--message-format=json", "--keep-going"]);
    let mut packages: BTreeSet<&str> = task.crates.iter().map(String::as_str).collect();
    packages.extend(task.judges.iter().map(String::as_str));
    for package in packages {
        command.args(["-p", package]);
    }
    command.current_dir(tree).env("CARGO_TARGET_DIR", task.folder.join("target"));
    let out = command.stderr(Stdio::null()).output().map_err(|e| format!("cargo: {e}"))?;
    let (mut tests, mut errors) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&out.stdout).lines() {
        if line.contains("\"reason\":\"compiler-message\"") && line.contains("\"level\":\"error\"")
        {
            errors.extend(error_place(line));
        }
        if line.contains("\"reason\":\"compiler-artifact\"") && line.contains("\"test\":true}") {
            let Some(program) = string_after(line, "\"executable\":\"") else { continue };
            let manifest = string_after(line, "\"manifest_path\":\"").unwrap_or_default();
            let folder = Path::new(&manifest).parent().unwrap_or(tree).to_owned();
            let name = Path::new(&program).file_name().map(|n| n.to_string_lossy().into_owned());
            let (name, program) = (name.unwrap_or_default(), PathBuf::from(program));
            for module in modules(&program)? {
                let name = format!("{name} {module}");
                tests.push(Test { name, program: program.clone(), folder: folder.clone(), module });
            }
        }
    }
    errors.sort();
    errors.dedup();
    if errors.is_empty() && !out.status.success() {
        return Err("cargo build --tests fails, and names no place".to_owned());
    }
    Ok((tests, errors))
}

/// The outermost modules of a test program's tests; a test outside of all is one.
fn modules(program: &Path) -> Result<BTreeSet<String>, String> {
    let out = Command::new(program).args(["--list", "--format=terse"]).output();
    let out = out.map_err(|e| format!("{}: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let names = text.lines().filter_map(|l| l.strip_suffix(": test"));
    Ok(names
        .map(|n| n.split_once("::").map_or_else(|| n.to_owned(), |(m, _)| format!("{m}::")))
        .collect())
}

/// The text between `key` and the next quote.
fn string_after(line: &str, key: &str) -> Option<String> {
    let rest = line.split_once(key)?.1;
    Some(rest.split('"').next()?.to_owned())
}

/// File and line of the primary place of an error of the compiler, as it shows them to people.
fn error_place(line: &str) -> Option<Place> {
    let shown = line.split_once("--> ")?.1;
    let mut words = shown.split(':');
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

/// How a run of a test program ended.
#[derive(PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    TimedOut,
}

fn run_test(test: &Test, set: &[(&str, String)], limit: Duration) -> Result<End, String> {
    let mut command = Command::new("bash");
    // What runs away must not take the machine with it. The names of tests hold no quotes.
    let exact = if test.module.ends_with("::") { "" } else { "--exact" };
    let line = format!("ulimit -v 8000000; exec \"$0\" '{}' {exact} --test-threads=2", test.module);
    command.args(["-c", &line]).arg(&test.program);
    command.current_dir(&test.folder).env("CARGO_MANIFEST_DIR", &test.folder);
    command.env("CARGO", "cargo");
    command.envs(set.iter().map(|(k, v)| (*k, v.as_str())));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", test.program.display()))?;
    let failed = Arc::new(AtomicBool::new(false));
    let reader = child.stdout.take().map(|out| {
        let failed = Arc::clone(&failed);
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if line.starts_with("test ") && line.ends_with("... FAILED") {
                    failed.store(true, Ordering::Relaxed);
                }
            }
        })
    });
    let start = Instant::now();
    let end = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break if status.success() { End::Passed } else { End::Failed };
        }
        // One failure is enough.
        let (failed, late) = (failed.load(Ordering::Relaxed), start.elapsed() > limit);
        if failed || late {
            let _ = child.kill();
            let _ = child.wait();
            break if failed { End::Failed } else { End::TimedOut };
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if let Some(reader) = reader.filter(|_| end == End::Passed) {
        let _ = reader.join();
    }
    Ok(end)
}

/// Runs the tests of each module without a change and notes what they come by.
fn cover(task: &Task, tests: &[Test]) -> Result<(), String> {
    let mut rows = Vec::new();
    for test in tests {
        let seen = task.folder.join("cover.txt");
        let _ = std::fs::remove_file(&seen);
        let start = Instant::now();
        let set = [("POSTBOP_MUTANT_COVER", seen.display().to_string())];
        let end = run_test(test, &set, Duration::from_secs(1200))?;
        let seconds = start.elapsed().as_secs_f64();
        if end != End::Passed {
            println!("{} fails without a change, and is left out", test.name);
            continue;
        }
        let text = std::fs::read_to_string(&seen).unwrap_or_default();
        let numbers: BTreeSet<u32> = text.lines().filter_map(|l| l.parse().ok()).collect();
        println!("{}: {seconds:.1} s, {} switches", test.name, numbers.len());
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        rows.push((seconds, test, numbers.join(" ")));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut text = String::from("name\tprogram\tfolder\tmodule\tseconds\tswitches\n");
    for (seconds, test, numbers) in rows {
        let (program, folder) = (test.program.display(), test.folder.display());
        let (name, module) = (&test.name, &test.module);
        let _ = writeln!(text, "{name}\t{program}\t{folder}\t{module}\t{seconds:.2}\t{numbers}");
    }
    write(&task.folder.join("tests.csv"), &text)
}

/// The rows of `mutants.csv`: number, crate, place, kind, whether it compiles, what.
fn drawn_rows(task: &Task) -> Result<Vec<(u32, String)>, String> {
    let text = read(&task.folder.join("mutants.csv"))?;
    let rows = text
        .lines()
        .skip(1)
        .filter_map(|l| Some((l.split(',').next()?.parse().ok()?, l.to_owned())));
    Ok(rows.collect())
}

/// The last result of each mutant: what, by which test, and how many tests were asked.
fn judged(task: &Task) -> BTreeMap<u32, (String, usize)> {
    let text = std::fs::read_to_string(task.folder.join("results.csv")).unwrap_or_default();
    (text.lines())
        .filter_map(|l| {
            let words: Vec<&str> = l.split(',').collect();
            let [number, verdict, _, asked] = words[..] else { return None };
            Some((number.parse().ok()?, (verdict.to_owned(), asked.parse().ok()?)))
        })
        .collect()
}

/// Judges the mutants from K to L that have no result yet.
fn run(task: &Task) -> Result<(), String> {
    let done = judged(task);
    let mut tests = Vec::new();
    for line in read(&task.folder.join("tests.csv"))?.lines().skip(1) {
        let words: Vec<&str> = line.split('\t').collect();
        let [name, program, folder, module, seconds, numbers] = words[..] else { continue };
        let numbers: BTreeSet<u32> = numbers.split(' ').filter_map(|n| n.parse().ok()).collect();
        let (name, module) = (name.to_owned(), module.to_owned());
        let test = Test { name, program: program.into(), folder: folder.into(), module };
        tests.push((test, seconds.parse::<f64>().unwrap_or(60.0), numbers));
    }
    let results = task.folder.join("results.csv");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&results);
    let mut file = file.map_err(|e| format!("{}: {e}", results.display()))?;
    for (number, row) in drawn_rows(task)? {
        let before = match done.get(&number) {
            Some((verdict, asked)) if verdict == "undecided" && task.budget.is_none() => *asked,
            Some(_) => continue,
            None => 0,
        };
        if !(task.from..=task.to).contains(&(number as usize)) || row.contains(",no,") {
            continue;
        }
        let (mut verdict, mut by, mut asked) = ("missed", "-", 0);
        let start = Instant::now();
        for (test, seconds, _) in tests.iter().filter(|(_, _, n)| n.contains(&number)) {
            if asked < before {
                asked += 1;
                continue;
            }
            let spent = start.elapsed().as_secs_f64() + seconds;
            if asked > 0 && task.budget.is_some_and(|budget| spent > budget as f64) {
                verdict = "undecided";
                break;
            }
            asked += 1;
            let limit = Duration::from_secs_f64(30.0 + 10.0 * seconds);
            let end = run_test(test, &[("POSTBOP_MUTANT", number.to_string())], limit)?;
            if end != End::Passed {
                verdict = if end == End::Failed { "caught" } else { "out of time" };
                by = &test.name;
                break;
            }
        }
        if asked == 0 {
            verdict = "not run";
        }
        println!("{number} {verdict} by {by} ({row})");
        writeln!(file, "{number},{verdict},{by},{asked}").map_err(|e| e.to_string())?;
    }
    table(task)
}

/// Counts, by crate.
fn table(task: &Task) -> Result<(), String> {
    let verdict = judged(task);
    let mut counts: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    for (number, row) in drawn_rows(task)? {
        let room = row.split(',').nth(1).unwrap_or("").to_owned();
        for name in [room, "all".to_owned()] {
            let count = counts.entry(name).or_default();
            let column = match verdict.get(&number).map(|(v, _)| v.as_str()) {
                _ if row.contains(",no,") => 1,
                Some("caught" | "out of time") => 2,
                Some("missed" | "not run") => 3,
                _ => 4,
            };
            count[0] += 1;
            count[column] += 1;
        }
    }
    println!(
        "| crate | drawn | do not compile | caught | missed | not judged yet |\n|---|---|---|---|---|---|"
    );
    for (room, [drawn, not, caught, missed, open]) in counts {
        println!("| `{room}` | {drawn} | {not} | {caught} | {missed} | {open} |");
    }
    Ok(())
}
