//! Random text: nothing crashes, and whatever is accepted prints as the same system. Depth and size.

use super::support;
use crate::random::{holds_of_text, mutants};
use front_remopla::LowerOptions;
use front_remopla::pds::{from_spds, lower, lower_spds, parse, print};
use source::SourceFile;

/// What holds of every text. Returns whether it was accepted, and whether it is a system.
fn property(text: &str) -> (bool, bool) {
    let lowering = |tree: &_, file: &_| lower_spds(tree, file, &LowerOptions::default());
    let (accepted, system) = holds_of_text("soup.pds", text, parse, print, lowering);
    if let Some(spds) = &system {
        spds.validate().unwrap_or_else(|invalid| panic!("{invalid} in {text:?}"));
        // What can be written down can be read again.
        if let Ok(tree) = from_spds(spds, &mut || true) {
            let written = print(&tree);
            let (again, errors) = parse(&written);
            assert!(errors.is_empty(), "{} in {written:?}", errors[0]);
            let file = SourceFile::new("soup.pds", &*written).unwrap();
            let read = lower_spds(&again, &file, &LowerOptions::default());
            let read = read.unwrap_or_else(|e| panic!("{} in {written:?} from {text:?}", e[0]));
            read.validate().unwrap();
        }
    }
    (accepted, system.is_some())
}

const SYSTEM: &str = "define N 2\ndefine DEFAULT_INT_BITS 2\nglobal\n  int x, a[N](2);\n  bool b;\n  \
    enum { u, v, w } e;\nlocal (y, z)\n  int l;\n  struct { bool c; int d; } s;\nlocal (f) bool m[2];\n\
    (p <y z>)\np <y> --> q <f y> (x' == x + 1 & l'' = l && m'[0] && A i (0, 1) a'[i] == a[i])\n\
    q <f> --> p <> (x' = x && e' == w)\np <y> --> p <z> \"t\" (s.c && s.d' > l' && b' <=> !b)\n\
    p <z> --> p <f f y> (E i (0, 1) a[i] = x -> b)\nq <z> --> r <z>\nr <z> --> p <> (a[x] == 1)\n";

#[test]
fn mutations() {
    support::program(SYSTEM);
    let (mut accepted, mut systems) = (0, 0);
    for text in mutants(SYSTEM, 3, 6_000) {
        let (ok, system) = property(&text);
        accepted += usize::from(ok);
        systems += usize::from(system);
    }
    assert!(accepted > 1_000 && systems > 100, "{accepted} accepted, {systems} systems");
}

#[test]
fn depth_and_size() {
    let start = std::time::Instant::now();
    let run = |text: String| {
        let work = move || {
            let (tree, errors) = parse(&text);
            assert!(errors.is_empty(), "{}", errors[0]);
            let (again, errors) = parse(&print(&tree));
            assert!(errors.is_empty() && again == tree);
            let file = SourceFile::new("f.pds", text).unwrap();
            let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
            program.validate().unwrap();
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
    };
    const N: usize = 50_000;
    let many = |line: &dyn Fn(usize) -> String| (0..N).map(line).collect::<String>();
    let deep = "(".repeat(N) + "b" + &")".repeat(N);
    run(format!("global bool b;\n(p <a>)\np <a> --> p <a> ({deep})\n"));
    run(format!("global bool b;\n(p <a>)\np <a> --> p <a> ({}b)\n", "b' = b & ".repeat(N)));
    run(format!("(p <a0>)\n{}", many(&|i| format!("p <a{i}> --> p <a{}>\n", i + 1))));
    run(format!("(p <a0>)\n{}", many(&|i| format!("p <a{i}> --> p <b a{}>\n", i + 1))));
    run(format!("(p <a>)\np <a> --> p <{}>\n", "a ".repeat(N)));
    run(format!("(p <a>)\n{}", many(&|i| format!("p <a> --> p <b c d a> # {i}\n"))));
    let seconds = start.elapsed().as_secs();
    assert!(seconds < 60, "{seconds} s");
}
