//! The Quicksort programs: they sort, and they are those that others measured.

use crate::support::{program, reachable};
use front_remopla::quicksort::{Options, quicksort};
use std::sync::Arc;

const PLAIN: Options = Options { faulty: false, random_pivot: false, no_array: false };
const RANDOM: Options = Options { random_pivot: true, ..PLAIN };
const CORRECTED: Options = Options { no_array: true, ..PLAIN };
const FAULTY: Options = Options { faulty: true, ..CORRECTED };

#[test]
fn sorts_on_both_engines() {
    for options in [PLAIN, RANDOM] {
        let program = Arc::new(program(&quicksort(2, 3, options)));
        assert_eq!(reachable(&program, &["BAD", "END"]), [false, true]);
    }
}

#[test]
fn a_broken_version_does_not_sort() {
    // Forgets the right half.
    let text = quicksort(2, 3, PLAIN).replace("  quicksort(lo, right);\n", "");
    let program = Arc::new(program(&text));
    assert_eq!(reachable(&program, &["BAD", "END"]), [true, true]);
}

#[test]
fn the_end_is_reached() {
    for options in [FAULTY, CORRECTED] {
        let program = Arc::new(program(&quicksort(2, 0, options)));
        assert_eq!(reachable(&program, &["END"]), [true]);
    }
}

/// From a call with these bounds, can there be a call with the same bounds inside it?
fn calls_itself(options: Options) -> bool {
    // A first call whose bounds are remembered, and a second one that is compared with them.
    let text = quicksort(2, 0, options)
        .replace("init main;", "int l(2), r(2);\nbool on;\ninit main;")
        .replace(
            "  if\n    :: left >= right -> return;",
            "  if\n    :: on && left == l && right == r && left < right -> AGAIN: skip;\n    \
             :: !on -> on = true, l = left, r = right;\n    :: else -> skip;\n  fi\n  if\n    \
             :: left >= right -> return;",
        )
        .replace("  quicksort(undef", "  on = false;\n  quicksort(undef");
    let program = Arc::new(program(&text));
    reachable(&program, &["AGAIN"])[0]
}

#[test]
fn the_fault_and_its_correction() {
    assert!(calls_itself(FAULTY));
    assert!(!calls_itself(CORRECTED));
}

#[test]
#[allow(clippy::print_stderr)]
fn the_program_of_the_yardstick() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/bench/quicksort.py");
    let shared = std::env::var("POSTBOP_CORPUS").map(|corpus| corpus + "/../bench/quicksort.py");
    let script = shared.unwrap_or_else(|_| script.to_string());
    if !std::path::Path::new(&script).exists() {
        eprintln!("skipped: no {script}");
        return;
    }
    for (bits, len) in [(2, 2), (3, 4), (4, 7)] {
        let run = std::process::Command::new("python3")
            .args([script.as_str(), &bits.to_string(), &len.to_string()])
            .output();
        let Ok(run) = run else {
            eprintln!("skipped: no python3");
            return;
        };
        assert!(run.status.success());
        assert_eq!(
            String::from_utf8(run.stdout).unwrap(),
            quicksort(bits, len, Options { faulty: true, ..PLAIN })
        );
    }
}
