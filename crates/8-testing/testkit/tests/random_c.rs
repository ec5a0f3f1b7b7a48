//! The generator of C programs: what it writes compiles, runs, and has labels of both kinds.

// What is skipped is said.
#![allow(clippy::print_stdout)]

use testkit::random_c::{Compiler, Profile, claims, compiler_is_there, folder, observe, random_c};

#[test]
fn programs_compile_and_run() {
    if !compiler_is_there() {
        println!("skipped: there is no `cc`, so no generated program was compiled");
        return;
    }
    let place = folder(&std::env::temp_dir().join("generator"));
    let compiler = Compiler::new(&place).expect("the shared part compiles");
    let programs: Vec<_> =
        (1..=5).flat_map(|seed| Profile::ALL.map(|profile| random_c(seed, profile))).collect();
    let all: Vec<_> = programs.iter().collect();
    let runs = observe(&compiler, &all, "-O0").expect("all programs compile");
    let _ = std::fs::remove_dir_all(&place);
    let (mut reached, mut not, mut several) = (0, 0, 0);
    for (program, runs) in programs.iter().zip(&runs) {
        let name = format!("{:?} {}", program.profile, program.seed);
        assert!(!runs.is_empty(), "{name}: no run");
        assert!(runs.iter().all(|r| r.crashed.is_none()), "{name}: {runs:?}");
        several += usize::from(runs.len() > 1);
        for claim in claims(program, runs) {
            let passed = runs.iter().any(|r| claim.in_run(program, &r.events));
            assert_eq!(claim.reached, passed, "{name}: {claim:?}");
            if passed { reached += 1 } else { not += 1 }
        }
    }
    assert!(several > 5 && reached > 100 && not > 20, "{several} {reached} {not}");
}

/// A seed means the same program for ever.
#[test]
fn programs_are_fixed() {
    for profile in Profile::ALL {
        let (a, b) = (random_c(7, profile), random_c(7, profile));
        assert_eq!(a.files, b.files);
        assert_eq!(a.points, b.points);
        let texts = a.texts(&[]);
        assert!(
            !texts.concat().contains(['@', '$']),
            "{profile:?}: a mark is left\n{}",
            texts.concat()
        );
    }
}
