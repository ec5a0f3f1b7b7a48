//! Depth and size: no stack overflow, nothing quadratic.

use front_remopla::{LowerOptions, lower, parse, print};
use source::SourceFile;

/// Everything that the crate does with a program, on a thread whose stack is small.
fn run(text: String, accepted: bool) {
    let work = move || {
        let (tree, errors) = parse(&text);
        assert_eq!(errors.is_empty(), accepted, "{:?}", errors.first());
        let file = SourceFile::new("f.rem", text).unwrap();
        if !accepted {
            for error in errors {
                assert!(source::render(&error.diagnostic(), &file).len() < 2000);
            }
            _ = lower(&tree, &file, &LowerOptions::default());
            return;
        }
        let (again, errors) = parse(&print(&tree));
        assert!(errors.is_empty() && again == tree && again.clone() == tree);
        let program = lower(&tree, &file, &LowerOptions::default()).unwrap();
        program.validate().unwrap();
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

fn main(body: String) -> String {
    format!("bool b; int x(2), a[4](2); module void main() {{ {body} }}")
}

#[test]
fn deep_nesting() {
    const N: usize = 100_000;
    let nest = |open: &str, middle: &str, close: &str| {
        main(format!("{}{middle}{}", open.repeat(N), close.repeat(N)))
    };
    let value =
        |open: &str, close: &str| main(format!("b = {}b{};", open.repeat(N), close.repeat(N)));
    let number =
        |open: &str, close: &str| main(format!("x = {}x{};", open.repeat(N), close.repeat(N)));
    run(value("(", ")"), true);
    run(value("!", ""), true);
    run(value("!(b && ", ")"), true);
    run(value("", " || b"), true);
    run(value("b == (", ")"), true);
    // Quantifiers stand for at most 65,536 instances.
    let many = |open: &str, close: &str| {
        main(format!("b = {}b{};", open.repeat(N / 2), close.repeat(N / 2)))
    };
    run(many("A i (0, 0) ", ""), true);
    run(many("!E i (0, 0) (b ^^ ", ")"), true);
    run(number("a[", "]"), true);
    run(number("(", ")"), true);
    run(number("(x & ", ")"), true);
    run(main(format!("x = {}x;", "x / ".repeat(60))), true);
    run(nest("if :: b -> ", "skip;", " fi"), true);
    run(nest("if :: b -> skip; :: else -> ", "skip;", " fi"), true);
    run(nest("do :: b -> ", "break;", " od"), true);
    run(main(format!("if {} fi", ":: b -> skip; ".repeat(N))), true);
    run(main(format!("{} skip;", (0..N).fold(String::new(), |s, i| s + &format!("L{i}: ")))), true);
    run(main(format!("{}x = 1;", "A i (0, 0) ".repeat(N))), true);
    run(value("(", ""), false);
    run(value("", ")"), false);
    run(number("a[", ""), false);
    run(value("A i (", ""), false);
    run(nest("if :: b -> ", "skip;", ""), false);
    run(nest("do :: b -> if :: true -> ", "skip;", " od"), false);
    run(nest("", "skip;", " fi"), false);
    run(format!("module void main() {{ {}", "if :: b -> ".repeat(N)), false);
    run("pchoice :: 1 -> ".repeat(N), false);
}

/// Time is measured against a bound that only a quadratic algorithm would break.
#[test]
fn size() {
    const N: usize = 50_000;
    let start = std::time::Instant::now();
    let many = |line: &dyn Fn(usize) -> String| (0..N).map(line).collect::<String>();
    run(main(many(&|i| format!("L{i}: x = {};\n", i % 4))), true);
    run(
        main(many(&|i| {
            format!("if :: x == {} -> goto L{i}; :: else -> skip; fi L{i}: skip;\n", i % 4)
        })),
        true,
    );
    run(
        many(&|i| format!("int v{i}(3);\n"))
            + &main(many(&|i| format!("v{i} = v{};\n", (i + 1) % N))),
        true,
    );
    run(
        many(&|i| format!("module int(2) f{i}(int p(2)) {{ return p; }}\n"))
            + &main(many(&|i| format!("x = f{i}(x);\n"))),
        true,
    );
    run(
        format!(
            "enum T {{ {} }} t;\n{}",
            (0..N).map(|i| format!("m{i}")).collect::<Vec<_>>().join(", "),
            main("t = m9;".into())
        ),
        true,
    );
    let seconds = start.elapsed().as_secs();
    assert!(seconds < 60, "{seconds} s");
}
