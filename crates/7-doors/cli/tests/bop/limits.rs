//! Limits and signals hold in every phase of every verb, and what was found before is shown.

use crate::{Ran, TempFile, bop, command};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a run may take beyond its limit on a busy machine: half a second is what it shall take.
const LATE: Duration = Duration::from_millis(1500);

/// Runs `bop`, and tells how long it took and the most memory that it had, in bytes.
fn measured(args: &[&str]) -> (Ran, Duration, u64) {
    let start = Instant::now();
    let mut child = command(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0;
    let reader = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = pipe.map(|mut pipe| pipe.read_to_string(&mut text));
            text
        })
    };
    let out = reader(child.stdout.take().map(|p| Box::new(p) as _));
    let err = reader(child.stderr.take().map(|p| Box::new(p) as _));
    let status = loop {
        let text = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = text.unwrap_or_default();
        let line = line.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        most = most.max(line.and_then(|l| l.trim().parse::<u64>().ok()).unwrap_or(0) * 1024);
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let ran = Ran {
        code: status.code().expect("no signal ended it"),
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    };
    (ran, start.elapsed(), most)
}

/// The run ends in time, with exit code 3 and the limit as the reason.
#[track_caller]
fn in_time(args: &[&str], limit: Duration) -> Ran {
    let text = format!("{}ms", limit.as_millis());
    let (ran, took, _) = measured(&[args, &["--timeout", &text]].concat());
    let ran = ran.exits(3);
    assert!(took < limit + LATE, "{args:?} took {took:?}");
    let said = format!("the time limit of {} s was reached", limit.as_secs_f64());
    assert!(format!("{}{}", ran.out, ran.err).contains(&said), "{args:?}: {}{}", ran.out, ran.err);
    ran
}

/// A pipe that nobody writes to.
#[cfg(unix)]
struct Fifo(TempFile);

#[cfg(unix)]
impl Fifo {
    fn new(name: &str) -> Fifo {
        let file = TempFile::new(name, "");
        std::fs::remove_file(file.path()).unwrap();
        assert!(Command::new("mkfifo").arg(file.path()).status().unwrap().success());
        Fifo(file)
    }
}

#[test]
#[cfg(unix)]
fn an_input_that_never_comes_is_not_waited_for() {
    let limit = Duration::from_millis(300);
    let (bp, c, aut) = (Fifo::new("f.bp"), Fifo::new("f.c"), Fifo::new("f.aut"));
    let (bp, c, aut) = (bp.0.path(), c.0.path(), aut.0.path());
    let fig1 = "examples/fig1.bp";
    for args in [
        &["check", bp][..],
        &["check", c, "--reach", "L"],
        &["states", bp, "--at", "R"],
        &["convert", bp, "--to", "pds"],
        &["convert", c, "--to", "smv"],
        &["dump", bp],
        &["replay", bp, bp],
        &["replay", fig1, bp],
        &["check", fig1, "--config", bp],
        &["eval", "<true>true", aut],
        &["solve", aut],
        &["lts", bp],
        &["influence", c],
        &["annotate", bp, "--formula", "mu Y (v:Var := x) . < true > Y (v)"],
    ] {
        let ran = in_time(args, limit);
        // What was not read may well have assertions.
        assert!(!ran.out.contains("has no assertion"), "{args:?}: {}", ran.out);
    }
    // The report is one all the same.
    let report = in_time(&["check", bp, "--format", "json", "--reach", "R"], limit).json();
    let result = &report["results"][0];
    assert_eq!((&result["verdict"], &result["stop_reason"]), (&"unknown".into(), &"time".into()));
    assert_eq!(result["property"]["label"], "R");
}

#[test]
#[cfg(unix)]
fn an_output_that_nobody_reads_is_not_waited_for() {
    let pipe = Fifo::new("out");
    let pipe = pipe.0.path();
    let fig1 = "examples/fig1.bp";
    for args in [
        &["check", fig1, "--reach", "R", "-o", pipe][..],
        &["check", fig1, "--reach", "R", "--format", "html", "-o", pipe],
        &["check", fig1, "--reach", "R", "--proof", pipe],
        &["check", fig1, "--reach", "R", "--write-baseline", pipe],
        &["states", fig1, "--at", "R", "-o", pipe],
        &["convert", fig1, "--to", "pds", "-o", pipe],
        &["dump", fig1, "-o", pipe],
        &["lts", fig1, "-o", pipe],
    ] {
        let (ran, took, _) = measured(&[args, &["--timeout", "400ms"]].concat());
        let ran = ran.exits(2);
        assert!(ran.err.contains("nobody reads this pipe"), "{args:?}: {}", ran.err);
        assert!(took < Duration::from_millis(1500), "{args:?}: {took:?}");
    }
    // Somebody comes later.
    let mut reader = Command::new("sh");
    reader.args(["-c", "sleep 0.2; cat \"$0\"", pipe]).stdout(std::process::Stdio::piped());
    let reader = reader.spawn().unwrap();
    bop(&["check", fig1, "--reach", "R", "-o", pipe, "--timeout", "20s"]).exits(1);
    let read = reader.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&read.stdout).contains("reachable: R"));
}

#[test]
#[cfg(unix)]
fn endless_devices_and_huge_files_are_refused() {
    for lang in ["bp", "remopla", "pds", "c"] {
        let ran = bop(&["check", "/dev/zero", "--lang", lang, "--reach", "L"]).exits(2);
        assert!(ran.err.contains("no text: byte 0x00"), "{}", ran.err);
    }
    // A hole takes no space on the disk.
    let huge = TempFile::new("huge", "");
    std::fs::File::options().write(true).open(huge.path()).unwrap().set_len((1 << 30) + 1).unwrap();
    for args in [
        &["check", huge.path(), "--lang", "bp"][..],
        &["check", huge.path(), "--lang", "c", "--reach", "L"],
        &["convert", huge.path(), "--lang", "bp", "--to", "pds"],
        &["replay", "examples/fig1.bp", huge.path()],
    ] {
        let (ran, _, most) = measured(args);
        let ran = ran.exits(2);
        assert!(ran.err.contains("larger than 1 GiB, and not read"), "{}", ran.err);
        assert!(most < 100 << 20, "{most} bytes to refuse a file");
    }
}

/// What a C front end needs long for.
fn long_c() -> TempFile {
    let mut text = String::new();
    for i in 0..150_000 {
        text += &format!("int f{i}(int x) {{ if (x) return {i}; return x; }}\n");
    }
    TempFile::new("many.c", text + "int main() { L: return f0(1); }\n")
}

#[test]
fn phases_that_cannot_look_at_a_clock_are_ended() {
    let limit = Duration::from_millis(700);
    let many = long_c();
    let n = 300_000;
    let nested = format!(
        "int f(int x) {{ return {}1{}; }} int main() {{ L: return f(1); }}",
        "x ? ".repeat(n),
        " : 0".repeat(n)
    );
    // It may be done before: what nests too deep is left out.
    let nested = TempFile::new("nested.c", nested);
    let text = format!("{}ms", limit.as_millis());
    for more in [&["check", "--reach", "L"][..], &["influence"], &["convert", "--to", "bp"]] {
        let args = [&more[..1], &[nested.path()], &more[1..], &["--timeout", &text]].concat();
        let (_, took, _) = measured(&args);
        assert!(took < limit + LATE, "{args:?} took {took:?}");
    }
    let c = many.path();
    in_time(&["check", c, "--reach", "L"], limit);
    in_time(&["influence", c], limit);
    in_time(&["convert", c, "--to", "bp"], limit);
    let ran = in_time(&["check", c, "--rule", "memory", "--format", "json"], limit);
    let report = ran.json();
    let rules: Vec<_> = report["results"].as_array().unwrap().iter().collect();
    assert_eq!(rules.len(), 3, "{report}");
    assert!(rules.iter().all(|r| r["stop_reason"] == "time"), "{report}");
    in_time(&["gen", "bebop-t", "50000000", "-o", "/dev/null"], limit);
}

#[test]
fn memory_is_what_the_process_has() {
    // Some hundred MB if nothing stops it.
    let gc = ["gen", "gc", "--vars", "300", "--points", "80000", "--faulty", "5"];
    let gc = TempFile::new("gc.c", bop(&gc).exits(0).out);
    let limit = 50u64 << 20;
    let args = ["check", gc.path(), "--rule", "gc-variables", "-q", "--memory", "50M"];
    let (ran, _, most) = measured(&args);
    assert!(ran.err.is_empty(), "{}", ran.err);
    assert!(ran.out.contains("the memory limit of 50 MiB was reached"), "{}", ran.out);
    assert!(most < limit + limit / 10, "{} MiB", most >> 20);
}

#[cfg(unix)]
fn kill(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
}

#[test]
#[cfg(unix)]
fn sigterm_is_like_sigint_in_every_phase() {
    let (many, counter) =
        (long_c(), TempFile::new("c.bp", bop(&["gen", "counter", "24"]).exits(0).out));
    let fifo = Fifo::new("f.c");
    let (many, counter, fifo) = (many.path(), counter.path(), fifo.0.path());
    for args in [
        &["check", many, "--reach", "L"][..],
        &["convert", many, "--to", "bp"],
        &["check", fifo, "--reach", "L"],
        &["check", counter, "--engine", "summary"],
        &["gen", "bebop-t", "50000000", "-o", "/dev/null"],
    ] {
        for signal in ["-TERM", "-INT"] {
            let mut child =
                command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            let start = Instant::now();
            kill(&child, signal);
            let code = child.wait().unwrap().code();
            assert!(start.elapsed() < LATE, "{args:?} {signal}: {:?}", start.elapsed());
            assert_eq!(code, Some(3), "{args:?} {signal}");
            let (mut out, mut err) = (String::new(), String::new());
            child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            assert!(format!("{out}{err}").contains("cancelled"), "{args:?} {signal}: {out}{err}");
        }
    }
}

/// No preprocessor is left behind that waits for the pipe.
#[test]
#[cfg(target_os = "linux")]
fn preprocessors_end_with_us() {
    let fifo = Fifo::new("left.h");
    let name = fifo.0.path().to_owned();
    let c = TempFile::new("c.c", format!("#include \"{name}\"\nint main() {{ L: return 0; }}\n"));
    in_time(&["check", c.path(), "--reach", "L"], Duration::from_millis(400));
    let file = std::path::Path::new(c.path()).file_name().unwrap().to_str().unwrap().to_owned();
    let alive = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
        lines.filter(|l| String::from_utf8_lossy(l).contains(&file)).count()
    };
    let start = Instant::now();
    while alive() > 0 && start.elapsed() < LATE {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(alive(), 0);
}

/// Starts `bop` with pipes.
fn silent(args: &[&str]) -> Child {
    let mut command = command(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_panic() {
    let (f, c) = ("examples/fig1.bp", TempFile::new("f.c", "int main() { L: return 0; }"));
    let c = c.path();
    let proof = TempFile::new("p.json", "");
    let four = TempFile::new("four.bp", bop(&["gen", "counter", "4"]).exits(0).out);
    bop(&["check", four.path(), "--assert", "--proof", proof.path(), "-q"]).exits(0);
    for args in [
        &["check", f, "--reach", "R"][..],
        &["check", f, "--reach", "R", "--format", "html"],
        &["check", f, "--reach", "R", "--format", "json", "--stats"],
        &["check", c, "--rule", "memory"],
        &["check", "--rule", "list"],
        &["states", f, "--at", "R"],
        &["states", f, "--at", "R", "--stacks"],
        &["convert", f, "--to", "remopla"],
        &["dump", f],
        &["gen", "bebop-t", "20000"],
        &["ltl", "G F a"],
        &["lts", c],
        &["influence", c],
        &["replay", four.path(), proof.path()],
        &["completions", "bash"],
        &["--help"],
        &["check", "--help"],
        &["check"],
    ] {
        let mut child = silent(args);
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code().is_some_and(|code| code < 3),
            "{args:?}: {:?} {err}",
            done.status
        );
        assert!(!err.contains("panicked") && !err.contains("internal"), "{args:?}: {err}");
        // And nobody reads complaints.
        let mut child = silent(args);
        drop((child.stdout.take(), child.stderr.take()));
        assert!(child.wait().unwrap().code().is_some_and(|code| code < 3), "{args:?}");
    }
}

/// One label is reached at once, the other one takes for ever.
fn two_labels() -> TempFile {
    let counter = bop(&["gen", "counter", "22"]).exits(0).out;
    TempFile::new("two.bp", counter.replacen("begin", "begin\n  EARLY: skip;", 1))
}

#[test]
fn what_was_reached_before_the_limit_is_shown() {
    let program = two_labels();
    for engine in ["auto", "explicit", "summary", "post", "qbf"] {
        for limit in [&["--timeout", "2s"][..], &["--steps", "3000"]] {
            let args = [
                "check",
                program.path(),
                "--reach",
                "EARLY",
                "--reach",
                "DONE",
                "--engine",
                engine,
            ];
            let report = bop(&[&args[..], &["--format", "json"], limit].concat()).json();
            let [early, done] = [0, 1].map(|i| &report["results"][i]);
            assert_eq!(early["verdict"], "reachable", "{engine} {limit:?}: {report}");
            assert!(early["trace"]["steps"].is_array(), "{engine} {limit:?}");
            // Slow machines say nothing of the other.
            let word = &done["verdict"];
            assert!(*word == "unknown" || *word == "reachable", "{engine} {limit:?}: {report}");
        }
    }
}

#[test]
fn findings_before_the_limit_are_shown() {
    let gc = ["gen", "gc", "--vars", "90", "--points", "5000", "--faulty", "5"];
    let gc = TempFile::new("gc.c", bop(&gc).exits(0).out);
    let mut some_of_them = false;
    for doubled in 0..14 {
        let steps = (10_000u64 << doubled).to_string();
        let args =
            ["check", gc.path(), "--rule", "gc-variables", "--format", "json", "--steps", &steps];
        let ran = bop(&args);
        let report = ran.json();
        let results = report["results"].as_array().unwrap();
        let count = |word: &str| results.iter().filter(|r| r["verdict"] == word).count();
        let (violated, unknown) = (count("violated"), count("unknown"));
        let code = match (violated, unknown) {
            (0, 0) => 0,
            (0, _) => 3,
            _ => 1,
        };
        assert_eq!(ran.code, code, "{violated} violated, {unknown} unknown");
        some_of_them |= violated > 0 && unknown > 0;
        if unknown == 0 {
            break;
        }
    }
    assert!(some_of_them, "all of it is lost, or nothing");
}
