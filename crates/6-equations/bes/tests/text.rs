//! Text formats: what is printed is read back as the same; errors name their place; nesting is
//! not limited by the call stack.

use bes::cadp::BlockSystem;
use bes::{Bes, BesBuilder, Method, Op, Sign, Solver};

/// Reproducible numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % n as u64) as usize
    }

    fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

fn number(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.one(&["0", "3", "n", "m", "17"]).to_owned();
    }
    match random.below(8) {
        0 => format!("({} + {})", number(random, depth - 1), number(random, depth - 1)),
        1 => format!("{} * {}", number(random, depth - 1), number(random, depth - 1)),
        2 => format!("({} - {})", number(random, depth - 1), number(random, depth - 1)),
        3 => format!("({} mod {})", number(random, depth - 1), number(random, depth - 1)),
        4 => format!("-{}", number(random, 0)),
        5 => format!("if({}, {}, n)", truth(random, depth - 1), number(random, depth - 1)),
        6 => format!("max(succ({}), 2)", number(random, depth - 1)),
        _ => number(random, 0),
    }
}

fn truth(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.one(&["true", "false", "b", "e == e1"]).to_owned();
    }
    match random.below(7) {
        0 => format!("({} && {})", truth(random, depth - 1), truth(random, depth - 1)),
        1 => format!("{} || {}", truth(random, depth - 1), truth(random, depth - 1)),
        2 => format!("({} => {})", truth(random, depth - 1), truth(random, depth - 1)),
        3 => format!("!({})", truth(random, depth - 1)),
        4 => {
            let op = random.one(&["<", "<=", ">", ">=", "==", "!="]);
            format!("{} {op} {}", number(random, depth - 1), number(random, depth - 1))
        }
        _ => truth(random, 0),
    }
}

fn formula(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(4) {
            0 => random.one(&["true", "false"]).to_owned(),
            1 => "Y".to_owned(),
            2 => format!("X({}, {}, e)", truth(random, 1), number(random, 1)),
            _ => format!("val({})", truth(random, 2)),
        };
    }
    match random.below(6) {
        0 => format!("({} && {})", formula(random, depth - 1), formula(random, depth - 1)),
        1 => format!("{} || {}", formula(random, depth - 1), formula(random, depth - 1)),
        2 => format!("({} => {})", formula(random, depth - 1), formula(random, depth - 1)),
        3 => format!("!({})", formula(random, depth - 1)),
        4 => {
            let word = random.one(&["forall", "exists"]);
            let list = random.one(&["n: Nat", "b, c: Bool", "e: E, m: Int", "m: Pos"]);
            format!("({word} {list}. {})", formula(random, depth - 1))
        }
        _ => formula(random, 0),
    }
}

#[test]
fn parameterised() {
    let mut random = Random(0x5eed_0101);
    for _ in 0..3_000 {
        let (x, y) = (formula(&mut random, 4), formula(&mut random, 3));
        let text = format!(
            "% a comment\nsort E = struct e1 | e2; glob g: E; m, n: Nat; b: Bool; e: E;\n\
             pbes mu X(b: Bool, n: Nat, e: E) = {x};\nnu Y = {y};\ninit X(true, 3, e2);"
        );
        let pbes = bes::pbes::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let shown = pbes.to_string();
        let again = bes::pbes::parse(&shown).unwrap_or_else(|e| panic!("{text}\n{shown}\n{e}"));
        assert_eq!(again, pbes, "{text}\n{shown}");
        assert_eq!(again.to_string(), shown);
    }
}

fn plain(random: &mut Random) -> Bes {
    let mut builder = BesBuilder::new();
    let blocks = 1 + random.below(3) as u32;
    for _ in 0..blocks {
        builder.block(if random.below(2) == 0 { Sign::Mu } else { Sign::Nu });
    }
    let n = 1 + random.below(8);
    for v in 0..n {
        let op = if random.below(2) == 0 { Op::Or } else { Op::And };
        let operands: Vec<u32> = (0..random.below(4)).map(|_| random.below(n) as u32).collect();
        builder.equation(v as u32 * blocks / n as u32, op, operands);
    }
    builder.build(0).unwrap()
}

#[test]
fn plain_systems() {
    let mut random = Random(0x5eed_0102);
    for _ in 0..2_000 {
        let bes = plain(&mut random);
        let value = bes.solve_globally(&mut |_| true).unwrap()[0];
        // mCRL2's format.
        let text = bes.to_mcrl2();
        let pbes = bes::pbes::parse(&text).unwrap();
        let mut solver = Solver::new(pbes.instance().unwrap());
        assert_eq!(solver.solve(Method::Auto, &mut |_| true), Ok(value), "{text}");
        // The whole instance, as a system in memory.
        let mut instance = pbes.instance().unwrap();
        let explored = Bes::explore(&mut instance, true, &mut |_| true).unwrap();
        assert_eq!(explored.solve_globally(&mut |_| true).unwrap()[0], value, "{text}");
        // CADP's format.
        let blocks = BlockSystem::from_bes(&bes);
        let shown = blocks.to_string();
        let again = bes::cadp::parse(&shown).unwrap_or_else(|e| panic!("{shown}\n{e}"));
        assert_eq!(again, blocks, "{shown}");
        let back = again.to_bes();
        let streamed = bes::cadp::read(shown.as_bytes(), &mut |_| true).unwrap();
        assert_eq!(streamed.to_mcrl2(), without_names(&back.to_mcrl2()), "{shown}");
        assert_eq!(streamed.solve_globally(&mut |_| true), back.solve_globally(&mut |_| true));
        for v in 0..back.len() as u32 {
            assert_eq!(streamed.name_of(v), back.name_of(v), "{shown}");
        }
        assert_eq!(back.solve_globally(&mut |_| true).unwrap()[0], value, "{text}{shown}");
        // An explanation is a system with the same answer.
        let mut solver = Solver::new(bes);
        solver.solve(Method::Auto, &mut |_| true).unwrap();
        let explanation = solver.explain(&0).unwrap().unwrap();
        let part = explanation.to_bes(&|v| format!("X{v}"));
        assert_eq!(part.solve_globally(&mut |_| true).unwrap()[0], value, "{text}");
    }
}

/// The text without comments.
fn without_names(text: &str) -> String {
    text.lines().map(|line| line.split(" %").next().unwrap_or("").to_owned() + "\n").collect()
}

/// A stream is read as a text is, whatever the numbers of variables and blocks are.
#[test]
fn streams() {
    let mut random = Random(0x5eed_0103);
    for round in 0..500 {
        let count = 1 + random.below(4);
        let far = [5, 50, 3_000_000_000][random.below(3)];
        let mut known: Vec<(usize, usize)> = Vec::new();
        for block in 0..count {
            for _ in 0..1 + random.below(6) {
                let name = (block * 7, random.below(far));
                if !known.contains(&name) {
                    known.push(name);
                }
            }
        }
        let mut text = String::new();
        for block in 0..count {
            text +=
                &format!("block {} B{} is (* * ) *)\n", ["mu", "nu"][random.below(2)], block * 7);
            for &(_, variable) in known.iter().filter(|name| name.0 == block * 7) {
                let op = random.one(&[" or ", " and\n"]);
                let operand = |random: &mut Random| match random.below(6) {
                    0 => random.one(&["true", "false"]).to_owned(),
                    _ => {
                        let (there, variable) = known[random.below(known.len())];
                        match there == block * 7 && random.below(2) == 0 {
                            true => format!("X{variable}"),
                            false => format!("X{variable}_{there}"),
                        }
                    }
                };
                let operands: Vec<String> =
                    (0..1 + random.below(4)).map(|_| operand(&mut random)).collect();
                text += &format!("X{variable} = {}{}\n", operands.join(op), random.one(&["", ";"]));
            }
            text += "end block\n";
        }
        let expected = bes::cadp::parse(&text).unwrap_or_else(|e| panic!("{text}{e}")).to_bes();
        let found = bes::cadp::read(text.as_bytes(), &mut |_| true).unwrap();
        assert_eq!(found.to_mcrl2(), without_names(&expected.to_mcrl2()), "{round}: {text}");
        for v in 0..found.len() as u32 {
            assert_eq!(found.name_of(v), expected.name_of(v), "{round}: {text}");
        }
    }
    for (text, message) in [
        ("", "1:1: the first block has no equation to ask for"),
        ("block mu B0 is\nend block", "2:10: the first block has no equation to ask for"),
        ("block my B0", "1:7: `mu` or `nu` expected, found `my`"),
        ("block mu C0 is", "1:10: a block `B<number>` expected, found `C0`"),
        (
            "block mu B0 is X0 = true",
            "1:25: a variable `X<number>` or `end` expected, found the end of the text",
        ),
        (
            "block mu B0 is X0 = X0 or X0 and X0 end block",
            "1:30: `or` and `and` in one equation is not supported",
        ),
        ("block mu B0 is\n X0 = X0\n X0 = true end block", "3:2: variable `X0` is declared twice"),
        ("block mu B0 is X0 = true end block block nu B0 is", "1:45: block `B0` is declared twice"),
        (
            "block mu B0 is X0 = X1_2 end block",
            "variable `X1_2`, which `X0_0` depends on, is not declared",
        ),
        (
            "block mu B0 is X0 = X1_ end block",
            "1:21: `true`, `false` or a variable `X<number>` expected, found `X1_`",
        ),
        (
            "block mu B0 is X99999999999 = true end block",
            "1:16: a variable `X<number>` or `end` expected, found `X99999999999`",
        ),
        ("block mu B0 (* is", "1:13: the comment does not end"),
        ("block mu B0 is X0 = \0", "1:21: a token expected, found `\\0`"),
    ] {
        let error = bes::cadp::read(text.as_bytes(), &mut |_| true).err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some(message), "{text}");
    }
}

#[test]
fn blocks() {
    let text = "(* two blocks *)\nblock mu B0 unique mode 2 is\n  X0 = X1 or X0_1\n  X1 = false\n\
                end block\nblock nu B1 is X0 = X0 and true end block";
    let system = bes::cadp::parse(text).unwrap();
    assert_eq!(
        system.to_string(),
        "block mu B0 unique mode 2 is\n  X0 = X1 or X0_1\n  X1 = false\nend block\n\n\
         block nu B1 is\n  X0 = X0 and true\nend block\n"
    );
    assert_eq!(system.to_bes().solve_globally(&mut |_| true).unwrap(), [true, false, true]);
}

#[track_caller]
fn refused(text: &str, message: &str, marked: &str) {
    let error = match bes::pbes::parse(text) {
        Err(error) => error,
        Ok(pbes) => pbes.lower().expect_err(text),
    };
    assert_eq!(error.to_string(), message);
    assert_eq!(&text[error.span.range()], marked);
    let file = source::SourceFile::new("f.pbes", text).unwrap();
    assert!(source::render(&error.diagnostic(), &file).contains(message));
}

#[test]
fn errors() {
    refused("pbes mu X = Z; init X;", "variable `Z` is not declared", "Z");
    refused("pbes mu X = !X; init X;", "variable `X` occurs under an odd number of negations", "X");
    refused("pbes mu X = X || ; init X;", "a formula expected, found `;`", ";");
    refused("pbes mu X = (X; init X;", "an operator or `)` expected, found `;`", ";");
    refused("pbes mu X(n: Nat) = X; init X(1);", "`X` takes 1 arguments, 0 are given", "X");
    refused("pbes mu X = val(y < 2); init X;", "data variable `y` is not declared", "y");
    refused(
        "pbes mu X(b: Bool) = val(b + 1 == 2); init X(true);",
        "an expression of sort Int expected, this one is of sort Bool",
        "b",
    );
    refused("pbes mu X = true; mu X = true; init X;", "variable `X` is declared twice", "X");
    refused("pbes mu X(l: Lost(Nat)) = true; init X;", "sort `Lost` is not declared", "Lost");
    refused("map f: Nat; pbes mu X = val(g(1)); init X;", "the function `g` is not supported", "g");
    refused("pbes mu X = true", "an operator or `;` expected, found the end of the text", "");
    refused(
        "pbes mu X(n: Nat) = true; init X(99999999999999999999);",
        "the number does not fit 64 bits",
        "99999999999999999999",
    );
    let wrong = "block mu B0 is X0 = X1 end block";
    assert_eq!(bes::cadp::parse(wrong).unwrap_err().to_string(), "variable `X1_0` is not declared");
    let wrong = "block mu B0 is X0 = X0 or X0 and X0 end block";
    let error = bes::cadp::parse(wrong).unwrap_err().to_string();
    assert_eq!(error, "`or` and `and` in one equation is not supported");
}

#[test]
fn depth() {
    let deep = |open: &str, inner: &str, close: &str| {
        let n = 100_000;
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    for formula in [
        deep("(", "X", ")"),
        deep("!", "true", ""),
        deep("true && (", "X", ")"),
        deep("(false || ", "X", ")"),
        deep("(forall n: Nat. ", "X", ")"),
        format!("val({})", deep("(", "true", ")")),
        format!("val({})", deep("!(", "true", ")")),
        format!("val({} == 0)", deep("(1 + ", "0", ")")),
    ] {
        let text = format!("pbes nu X = {formula}; init X;");
        let pbes = bes::pbes::parse(&text).unwrap();
        assert_eq!(bes::pbes::parse(&pbes.to_string()).unwrap(), pbes);
        let mut solver = Solver::new(pbes.instance().unwrap());
        solver.solve(Method::Auto, &mut |_| true).unwrap();
    }
}

#[track_caller]
fn solves(text: &str, expected: bool) {
    let pbes = bes::pbes::parse(text).unwrap();
    for method in [Method::Auto, Method::BreadthFirst] {
        let mut solver = Solver::new(pbes.instance().unwrap());
        assert_eq!(solver.solve(method, &mut |_| true), Ok(expected), "{text}");
    }
}

#[test]
fn numbers() {
    solves("pbes mu X = exists n: Nat. val(n > 100) && Y(3); nu Y(n: Nat) = true; init X;", true);
    solves("pbes mu X = forall n: Pos. val(n >= 1); init X;", true);
    solves("pbes mu X = forall n: Int. val(n * 2 != 7 || n > 5 || n < 0 - 5); init X;", true);
    solves("pbes mu X = exists n: Int. val(n < 0 && n + 3 == 1); init X;", true);
    solves(
        "pbes mu X = forall n: Nat. val(n >= 4) || Y(n); mu Y(n: Nat) = val(n < 4); init X;",
        true,
    );
    solves("pbes nu X = forall n: Nat. val(n >= 3) => X; init X;", true);
    // Shallow answers are found in infinite systems, breadth-first.
    let text = "pbes mu X(n: Nat) = X(n + 1) || val(n == 7); init X(0);";
    solves(text, true);
    let text = "pbes mu X(n: Nat) = X(n + 1) || Y(n); mu Y(n: Nat) = val(n == 7); init X(0);";
    let pbes = bes::pbes::parse(text).unwrap();
    let mut solver = Solver::new(pbes.instance().unwrap());
    assert_eq!(solver.solve(Method::BreadthFirst, &mut |_| true), Ok(true));
    assert!(solver.stats().variables < 30);
    // Depth-first, that one has no end: the watch has.
    let mut solver = Solver::new(pbes.instance().unwrap());
    let result = solver.solve(Method::Auto, &mut |progress| progress.variables < 20_000);
    assert_eq!(result, Err(bes::SolveError::Stopped));
    // Nothing bounds this one.
    let text = "pbes mu X = exists n: Nat. Y(n); mu Y(n: Nat) = Y(n); init X;";
    let mut instance = bes::pbes::parse(text).unwrap().instance().unwrap();
    instance.most_values = 1000;
    let error = Solver::new(instance).solve(Method::Auto, &mut |_| true).unwrap_err();
    assert_eq!(error.to_string(), "nothing bounds the quantifier over `n` (1000 values tried)");
    let text = "pbes mu X(n: Nat) = val(3 div n == 1); init X(0);";
    let mut solver = Solver::new(bes::pbes::parse(text).unwrap().instance().unwrap());
    let error = solver.solve(Method::Auto, &mut |_| true).unwrap_err();
    assert_eq!(error.to_string(), "`3 div n == 1` has no value");
    let text = "pbes mu X(n: Nat) = X(n - 1); init X(0);";
    let mut solver = Solver::new(bes::pbes::parse(text).unwrap().instance().unwrap());
    let error = solver.solve(Method::Auto, &mut |_| true).unwrap_err();
    assert_eq!(error.to_string(), "-1 is no value of sort Nat for `n`");
}

#[test]
fn values_persist() {
    // A chain: each call finds what the one before has left.
    let mut builder = BesBuilder::new();
    let block = builder.block(Sign::Mu);
    for v in 0..1000u32 {
        builder.equation(
            block,
            if v == 999 { Op::And } else { Op::Or },
            (v < 999).then_some(v + 1),
        );
    }
    let mut solver = Solver::new(builder.build(0).unwrap());
    for v in (0..1000).rev() {
        assert_eq!(solver.solve_for(&v, Method::Auto, &mut |_| true), Ok(true));
    }
    assert_eq!(solver.stats().variables, 1000);
    assert_eq!(solver.stats().stored, 0);
}
