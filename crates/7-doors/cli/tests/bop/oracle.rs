//! The independent reference in Python, where it is at hand.

#![allow(clippy::print_stderr)] // reasons for skipping

use crate::root;
use std::process::Command;

/// Runs the reference's judge on `bop`; `None` if there is no reference or no Python.
fn difftest(args: &[&str]) -> Option<(bool, String)> {
    let judge = root().join("../shared/oracle/difftest.py");
    if !judge.exists() {
        eprintln!("skipped: the reference is not at hand");
        return None;
    }
    let out = std::env::temp_dir().join(format!("bop-difftest-{}", std::process::id()));
    let done = Command::new("python3")
        .arg(&judge)
        .args(["--bop", env!("CARGO_BIN_EXE_bop"), "--out"])
        .arg(&out)
        .args(args)
        .output();
    match done {
        Ok(done) => {
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            Some((done.status.success(), said + &String::from_utf8_lossy(&done.stderr)))
        }
        Err(e) => {
            eprintln!("skipped: python3 does not run: {e}");
            None
        }
    }
}

#[track_caller]
fn judged(args: &[&str]) {
    if let Some((passed, said)) = difftest(args) {
        assert!(passed, "{args:?}: {said}");
        assert!(said.contains(" 0 failed"), "{said}");
    }
}

#[test]
fn random_programs() {
    for engine in ["explicit", "summary", "post", "pre", "auto"] {
        judged(&["--n", "100", "--seed", "7", "--engine", engine, "--shortest", "hier"]);
    }
}

#[test]
fn families() {
    judged(&["--families", "--engine", "compare", "--shortest", "hier"]);
}

#[test]
fn bad_inputs() {
    judged(&["--bad"]);
}
