//! Depth and size: no stack overflow, nothing quadratic.

use std::fmt::Write;
use std::time::Instant;

use front_bp::{Dialect, LowerOptions, lower, mistakes, parse, print};
use source::SourceFile;

/// Everything that the crate does with a program, on a thread whose stack is small.
fn run(text: String, accepted: bool) {
    let work = move || {
        let (tree, errors) = parse(&text, Dialect::Standard);
        assert_eq!(errors.is_empty(), accepted, "{:?}", errors.first());
        if !accepted {
            let file = SourceFile::new("f.bp", text).unwrap();
            for error in errors {
                assert!(source::render(&error.diagnostic(), &file).len() < 2000);
            }
            return;
        }
        let (again, errors) = parse(&print(&tree), Dialect::Satabs);
        assert!(errors.is_empty() && again == tree && again.clone() == tree);
        assert_eq!(mistakes(&tree), []);
        let file = SourceFile::new("f.bp", text).unwrap();
        let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
        program.validate().unwrap();
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deep_nesting() {
    const N: usize = 100_000;
    let main = |body: String| format!("decl g; void main() begin {body} end");
    let nest = |open: &str, middle: &str, close: &str| {
        main(format!("{}{middle}{}", open.repeat(N), close.repeat(N)))
    };
    let value =
        |open: &str, close: &str| main(format!("g := {}g{};", open.repeat(N), close.repeat(N)));
    run(value("(", ")"), true);
    run(value("!", ""), true);
    run(value("!(g & ", ")"), true);
    run(value("g => ", ""), true);
    run(value("", " = g"), true);
    run(value("schoose[", ", g]"), true);
    run(value("schoose[g, ", "]"), true);
    run(nest("if g then ", "skip;", " fi"), true);
    run(nest("if g then skip; else ", "skip;", " fi"), true);
    run(nest("while g do ", "skip;", " od;"), true);
    run(main(format!("if * then {} fi", "elsif g then skip; ".repeat(N))), true);
    run(main(format!("{} skip;", (0..N).fold(String::new(), |s, i| s + &format!("L{i}: ")))), true);
    run(value("(", ""), false);
    run(value("", ")"), false);
    run(nest("if g then ", "skip;", ""), false);
    run(nest("while g do if * then ", "skip;", " od"), false);
    run(nest("", "skip;", " fi"), false);
    run(format!("void main() begin {}", "if g then ".repeat(N)), false);
}

/// Time is measured against a bound that only a quadratic algorithm would break.
#[test]
fn fifty_megabytes() {
    let mut text = String::from("decl g, h;\n");
    let mut procs = 0;
    while text.len() < 50_000_000 {
        let _ = write!(text, "bool<2> procedure_{procs}(a, b) begin\n  decl x, y;\n");
        for i in 0..20 {
            let _ = write!(
                text,
                "  L{i}: x, y := (a & !g) | (b = h), *; // a comment\n  if (x ^ y => h) then\n    \
                 goto L{i};\n  elsif * then x, _ := procedure_{}(y, !g);\n  \
                 else assert(x | !h); fi\n",
                procs / 2
            );
        }
        text.push_str("  return x, y;\nend\n");
        procs += 1;
    }
    let start = Instant::now();
    let file = SourceFile::new("f.bp", text).unwrap();
    let (tree, errors) = parse(file.text(), Dialect::Standard);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(errors, []);
    assert_eq!(tree.procs().len(), procs);
    assert_eq!(mistakes(&tree), []);
    assert!(seconds < 20.0, "50 MB took {seconds:.1} s");
}

/// Long lines, many names, wide statements, and as many errors.
#[test]
fn wide() {
    const N: usize = 100_000;
    let names =
        |prefix: &str| (0..N).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
    let (g, stars) = (names("g"), vec!["*"; N].join(", "));
    run(format!("decl {g}; void main() begin {g} := {stars}; end"), true);
    let labelled = (0..N).fold(String::new(), |s, i| s + &format!("L{i}: skip;"));
    run(format!("void main() begin goto {}; {labelled} end", names("L")), true);
    run(format!("void main({g}) begin main({stars}); end"), true);
    run(format!("decl g; void main() begin {} end", "g := !g; ".repeat(N)), true);

    let unknown = (0..N).fold(String::new(), |s, i| s + &format!("unknown{i} := g{i};"));
    let text = format!("decl {g}; void main() begin {unknown} end");
    let (tree, errors) = parse(&text, Dialect::Standard);
    assert!(errors.is_empty());
    assert_eq!(mistakes(&tree).len(), N);
}
