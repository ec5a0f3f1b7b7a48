//! `fuzz-c`: generated programs in C, run on every input, and what `bop` says of them.

use std::path::PathBuf;
use std::time::Instant;
use testkit::random_c::{Campaign, Profile, folder, random_c};

/// `cargo xtask fuzz-c`.
pub(crate) fn fuzz_c(args: &[&str]) -> Result<(), String> {
    let mut task = Campaign {
        bop: crate::root().join("target/debug/bop"),
        folder: folder(&std::env::temp_dir()),
        count: 1000,
        seed: 1,
        profile: None,
        shrink: 10,
    };
    let mut out = PathBuf::from("c-failures");
    let mut rest = args.iter();
    while let Some(&flag) = rest.next() {
        let value = *rest.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is no number"));
        match flag {
            "--n" => task.count = number()?,
            "--seed" => task.seed = number()?,
            "--shrink" => task.shrink = number()? as usize,
            "--out" => out = PathBuf::from(value),
            "--bop" => task.bop = PathBuf::from(value),
            "--profile" => task.profile = Some(profile(value)?),
            "--show" => {
                let program = random_c(number()?, task.profile.unwrap_or(Profile::All));
                println!("{}", program.files.join("// ---- another file\n"));
                return Ok(());
            }
            _ => return Err(format!("`{flag}` is no option")),
        }
    }
    let start = Instant::now();
    let mut written = Ok(());
    let outcome = task.run(&mut |failure| {
        println!("{}: {}", failure.name, failure.reasons.join("; "));
        let path = out.join(format!("{}.c", failure.name));
        if let Err(e) =
            std::fs::create_dir_all(&out).and_then(|()| std::fs::write(&path, failure.text()))
        {
            written = Err(format!("{}: {e}", path.display()));
        }
    });
    let _ = std::fs::remove_dir_all(&task.folder);
    let outcome = outcome?;
    written?;
    for refused in &outcome.refused {
        println!("refused: {refused}");
    }
    let counts: Vec<String> = outcome.counts.iter().map(|(k, v)| format!("{v} {k}")).collect();
    println!("{}", counts.join(", "));
    println!(
        "{} programs in {:.1} s ({:.1} s compiled and run, {:.1} s asked); {} refused by cc or crashed; {} fail",
        outcome.programs,
        start.elapsed().as_secs_f64(),
        outcome.native.as_secs_f64(),
        outcome.asked.as_secs_f64(),
        outcome.refused.len(),
        outcome.failures.len()
    );
    match (outcome.failures.is_empty(), outcome.refused.is_empty()) {
        (true, true) => Ok(()),
        (false, _) => Err(format!("wrong answers; the programs are in {}", out.display())),
        (true, false) => Err("the generator wrote what is no program".to_owned()),
    }
}

fn profile(name: &str) -> Result<Profile, String> {
    let found = Profile::ALL.iter().find(|p| format!("{p:?}").eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| format!("`{name}` is no profile"))
}
