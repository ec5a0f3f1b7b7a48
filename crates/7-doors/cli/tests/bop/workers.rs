//! `--workers` and `--hosts`: threads, processes, and what becomes of them.

use crate::{Ran, TempFile, bop, command};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const COUNTING: &str = "pbes nu X(n: Nat) = val(n < 60) && Y(n) || val(n >= 60);\n\
                        mu Y(n: Nat) = X(n + 1) || val(n < 3) && Y(n + 1);\ninit X(0);\n";
const ENDLESS: &str = "pbes mu X(n: Nat) = X(2 * n + 1) || X(2 * n + 2); init X(0);";

/// A list of addresses of this machine that nobody listens at, and the addresses.
fn hosts(processes: usize) -> (TempFile, Vec<String>) {
    let listeners: Vec<TcpListener> = (0..processes)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("there are free ports"))
        .collect();
    let addresses: Vec<String> =
        listeners.iter().map(|l| l.local_addr().expect("it is bound").to_string()).collect();
    (TempFile::new("hosts", addresses.join("\n")), addresses)
}

fn start(args: &[&str]) -> Child {
    let mut command = command(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command was built")
}

fn ran(child: Child) -> Ran {
    let done = child.wait_with_output().expect("it runs");
    Ran {
        code: done.status.code().expect("no signal ended it"),
        out: String::from_utf8(done.stdout).expect("it writes UTF-8"),
        err: String::from_utf8(done.stderr).expect("it writes UTF-8"),
    }
}

#[test]
fn threads_give_the_same_answers() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let blocks =
        TempFile::new("s.bes", "block mu B0 is\n  X0 = X1 or X0\n  X1 = false\nend block\n");
    let model = TempFile::new("m.aut", "des (0, 3, 3)\n(0, \"a\", 1)\n(1, i, 2)\n(2, \"b\", 0)\n");
    let modal = TempFile::new(
        "m.blk",
        "block mu B is\n  X = Y or Z\n  Y = < true > X\n  Z = [ true ] FALSE\nend block\neval B:X\n",
    );
    let questions: [&[&str]; 4] = [
        &["solve", counting.path()],
        &["solve", blocks.path()],
        &["solve", modal.path(), "--model", model.path()],
        &["eval", "nu X. <true>X && mu Y. <b>true || [true]Y", model.path()],
    ];
    for question in questions {
        let alone = bop(question);
        for workers in ["1", "2", "3"] {
            let more = ["--workers", workers, "--self-check", "--format", "json"];
            let ran = bop(&[question, &more].concat()).exits(alone.code);
            let json = ran.json();
            assert_eq!(json["value"], alone.code == 0);
            assert_eq!(json["diagnostic"]["checked"], true);
            let algorithm = json["algorithm"].as_str().expect("it is text");
            let s = if workers == "1" { "" } else { "s" };
            // Threads do not divide a system that is in memory: they read it.
            let timely = format!("timely, {workers} worker{s}");
            let read = format!("global, read by {workers} worker{s}");
            assert_eq!(algorithm, if question[1] == blocks.path() { &read } else { &timely });
        }
    }
}

#[test]
fn two_processes_are_started() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let why = TempFile::new("why.txt", "");
    let (list, addresses) = hosts(2);
    let args =
        ["solve", counting.path(), "--hosts", list.path(), "--workers", "2", "--wait", "60s"];
    let more = ["--diagnostic", why.path(), "--format", "json"];
    let json = bop(&[&args[..], &more].concat()).exits(0).json();
    assert_eq!(json["algorithm"], "timely, 4 workers in 2 processes");
    assert_eq!(json["value"], true);
    let written = std::fs::read_to_string(why.path()).expect("it was written");
    assert!(written.starts_with("pbes\n"), "{written}");
    // Nobody is left behind who listens.
    for address in addresses {
        TcpListener::bind(address).expect("the process has ended");
    }
}

#[test]
fn two_processes_are_started_by_hand() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let (list, _) = hosts(2);
    let process = |number| {
        start(&[
            "solve",
            counting.path(),
            "--hosts",
            list.path(),
            "--process",
            number,
            "--wait",
            "60s",
        ])
    };
    let (second, first) = (process("1"), process("0"));
    for one in [ran(first).exits(0), ran(second).exits(0)] {
        assert!(one.out.starts_with("true\n"), "{}", one.out);
        assert!(one.out.contains("timely, 2 workers in 2 processes"), "{}", one.out);
    }
}

#[test]
fn a_process_that_is_killed_ends_the_run() {
    let endless = TempFile::new("e.pbes", ENDLESS);
    let why = std::env::temp_dir().join(format!("bop-test-{}-never.txt", std::process::id()));
    let why = why.to_str().expect("the temporary directory's name is UTF-8");
    let mut pause = Duration::from_millis(500);
    loop {
        let (list, addresses) = hosts(3);
        let process = |number| {
            let args = ["solve", endless.path(), "--hosts", list.path(), "--process", number];
            let more = ["--diagnostic", why, "--wait", "60s", "--timeout", "90s"];
            start(&[&args[..], &more].concat())
        };
        let (first, mut second, third) = (process("0"), process("1"), process("2"));
        std::thread::sleep(pause);
        let killed = Instant::now();
        second.kill().expect("it runs");
        second.wait().expect("it was killed");
        let (first, third) = (ran(first), ran(third));
        // On a busy machine, they may not have found each other yet.
        if [&first, &third].iter().any(|one| one.err.contains("was not there")) {
            pause *= 2;
            assert!(pause < Duration::from_secs(20), "{}", first.err);
            continue;
        }
        assert!(killed.elapsed() < Duration::from_secs(30));
        for one in [first.exits(3), third.exits(3)] {
            let lost = format!("unknown: process 1 ({}) is lost: ", addresses[1]);
            assert!(one.err.starts_with(&lost), "{}", one.err);
            assert!(!one.err.contains("internal"), "{}", one.err);
            assert_eq!(one.out, "");
        }
        assert!(!std::path::Path::new(why).exists());
        return;
    }
}

#[test]
fn limits_hold_in_all_processes() {
    let endless = TempFile::new("e.pbes", ENDLESS);
    let (list, _) = hosts(2);
    let base = ["solve", endless.path(), "--hosts", list.path(), "--wait", "60s"];
    let ran = bop(&[&base[..], &["--timeout", "1500ms"]].concat()).exits(3);
    assert!(ran.err.contains("unknown: "), "{}", ran.err);
    let ran = bop(&["solve", endless.path(), "--workers", "2", "--memory", "20M"]).exits(3);
    assert!(ran.err.contains("memory"), "{}", ran.err);
}

#[test]
fn wrong_lists_are_refused() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let refused = |text: &str, more: &[&str], code: i32, message: &str| {
        let list = TempFile::new("hosts", text);
        let args = ["solve", counting.path(), "--hosts", list.path(), "--wait", "500ms"];
        let start = Instant::now();
        let ran = bop(&[&args[..], more].concat()).exits(code);
        assert!(ran.err.contains(message), "{text}: {}", ran.err);
        assert_eq!(ran.out, "");
        assert!(start.elapsed() < Duration::from_secs(20));
    };
    refused("", &[], 2, "there is no address");
    refused("localhost\n", &[], 2, "line 1: `localhost` is no address");
    refused("a:1\na:1\n", &[], 2, "line 2: `a:1` is listed twice");
    refused("127.0.0.1:4000\n", &["--process", "1"], 2, "there is no process 1");
    refused("192.0.2.1:4000\n", &[], 2, "no address is one of this machine");
    refused("192.0.2.1:4000\n", &["--process", "0"], 2, "cannot listen at 192.0.2.1:4000");
    let (_, addresses) = hosts(2);
    let absent = addresses.join("\n");
    refused(&absent, &["--process", "0"], 3, "process 1 (127.0.0.1:");
    refused(&absent, &["--process", "1"], 3, "was not there within 0.5 s");
    bop(&["solve", counting.path(), "--process", "1"]).exits(2);
    bop(&["solve", counting.path(), "--workers", "0"]).exits(2);
    bop(&["solve", counting.path(), "--workers", "2", "--method", "bfs"]).exits(2);
    let list = TempFile::new("hosts", "127.0.0.1:4000\n");
    let ran = bop(&["solve", "-", "--hosts", list.path()]).exits(2);
    assert!(ran.err.contains("standard input"), "{}", ran.err);
}

/// Callers that say nothing keep nobody out, and are told of; so is who does not know the secret.
#[test]
fn strangers_are_refused_and_told() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let (list, addresses) = hosts(2);
    let args = ["solve", counting.path(), "--hosts", list.path(), "--wait", "60s", "--process"];
    let begun = Instant::now();
    let first = start(&[&args[..], &["0"]].concat());
    let mut idle = Vec::new();
    while idle.len() < 140 {
        match std::net::TcpStream::connect(&addresses[0]) {
            Ok(socket) => idle.push(socket),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
    let second = start(&[&args[..], &["1"]].concat());
    let (first, second) = (ran(first).exits(0), ran(second).exits(0));
    assert!(first.out.starts_with("true\n") && second.out.starts_with("true\n"));
    assert!(first.err.contains("note: process 0: "), "{}", first.err);
    assert!(first.err.contains("connections refused: ") && first.err.contains("said nothing"));
    drop(idle);
}

#[test]
fn secrets_are_compared() {
    let counting = TempFile::new("p.pbes", COUNTING);
    let (long, other) = ("a secret of this test\n", "another secret of this test\n");
    let (key, other) = (TempFile::new("key", long), TempFile::new("other", other));
    let (list, _) = hosts(2);
    let args = ["solve", counting.path(), "--hosts", list.path(), "--process"];
    let with = |number: &str, key: &str, wait: &str| {
        start(&[&args[..], &[number, "--secret", key, "--wait", wait]].concat())
    };
    // The same secret from a file, and from the environment.
    let first = with("0", key.path(), "60s");
    let mut second = command(&[&args[..], &["1", "--wait", "60s"]].concat());
    second.env("BOP_SECRET", long.trim_end()).stdin(Stdio::null());
    second.stdout(Stdio::piped()).stderr(Stdio::piped());
    let second = second.spawn().expect("the command was built");
    assert!(ran(first).exits(0).out.starts_with("true\n"));
    ran(second).exits(0);
    // Different ones.
    let first = with("0", key.path(), "3s");
    let second = ran(with("1", other.path(), "2s")).exits(3);
    assert!(second.err.contains("does not know the secret"), "{}", second.err);
    let first = ran(first).exits(3);
    assert!(first.err.contains("did not prove to know the secret"), "{}", first.err);
    // None, too short, and none where it is needed.
    let short = TempFile::new("short", "short\n");
    let ran = ran(with("0", short.path(), "1s")).exits(2);
    assert!(ran.err.contains("is too short"), "{}", ran.err);
    let far = TempFile::new("hosts", "127.0.0.1:4000\n192.0.2.1:4000\n");
    let args = ["solve", counting.path(), "--hosts", far.path()];
    let ran = bop(&args).exits(2);
    assert!(ran.err.contains("know each other by a secret"), "{}", ran.err);
}
