//! Pages of reports made by hand: integers, arrays, deep calls, open values, statuses.

use check::{Partial, StopReason};
use ir::{Init, NodeId, Program, ProgramBuilder, Rel, Scalar, Type};
use property::Property;
use render::{
    CertificateNote, Formula, ListedStep, Listing, Outcome, Report, Statement, States, StatesAt,
    Status, TextOptions,
};
use source::SourceFile;
use std::sync::Arc;

/// `int x (3 bits); bool a[2..3];` and `main` with statements on lines 3 and 4 of another file.
fn program() -> (Arc<Program>, [NodeId; 2]) {
    let mut b = ProgramBuilder::new();
    let (one, two) = (b.file("one.x"), b.file("two.x"));
    let at = b.origin(one, 1, 1, "");
    b.global("x", Type::int(3), at);
    b.global("a", Type::array(Scalar::Bool, 2, 2), at);
    b.hidden_global("monitor", Type::BOOL);
    let main = b.proc("main", at);
    b.local(main, "l", Type::BOOL, at);
    b.begin_proc(main);
    let (first, second) = (b.origin(one, 3, 5, "x = 5"), b.origin(two, 4, 1, "f(x)"));
    let (first, second, exit) = (b.statement(first), b.statement(second), b.silent());
    b.entry(main, first);
    b.step(first, second, Rel::identity());
    b.step(second, exit, Rel::identity());
    b.ret(exit, Rel::identity(), false);
    (Arc::new(b.finish(main, Init::default())), [first, second])
}

/// Bits: x in 0..3, a[2] and a[3] in 3 and 4, the monitor in 5, l in 6.
fn state(known: &[(u32, bool)]) -> Partial {
    let mut out = Partial::unknown(7);
    for &(bit, value) in known {
        out.set(bit, Some(value));
    }
    out
}

fn report(outcome: impl FnOnce(&Program, [NodeId; 2]) -> Outcome) -> Report {
    let (program, nodes) = program();
    let file = |name: &str| Arc::new(SourceFile::new(name, "a\nb\nc\nd\n").unwrap());
    let results = vec![outcome(&program, nodes)];
    let files = vec![file("one.x"), file("two.x")];
    let (suppressed, assumptions, not_modelled) = (Vec::new(), Vec::new(), Vec::new());
    let claims = render::Claims::default();
    Report { files, program, results, suppressed, assumptions, not_modelled, claims }
}

fn traced(steps: Vec<ListedStep>, loop_start: Option<usize>) -> Outcome {
    Outcome {
        status: Status::Reachable,
        stop_reason: None,
        trace: Some(Listing {
            program: program().0,
            shortest: false,
            loop_start,
            growth: 0,
            hier_steps: steps.len(),
            steps,
            monitor: None,
        }),
        ..Outcome::unknown(Property::reach(":4"), StopReason::Cancelled)
    }
}

fn step(node: NodeId, depth: u32, known: &[(u32, bool)]) -> ListedStep {
    ListedStep::new(node, depth, state(known))
}

fn page(report: &Report, write: impl Fn(&Report, &mut dyn std::io::Write)) -> String {
    let mut out = Vec::new();
    write(report, &mut out);
    String::from_utf8(out).unwrap()
}

fn text(report: &Report) -> String {
    page(report, |r, out| render::text(r, &TextOptions::default(), out).unwrap())
}

#[test]
fn integers_and_arrays_come_back_as_numbers() {
    let five = [(0, true), (1, false), (2, true), (4, true), (5, true)];
    let part = [(0, true), (1, false), (6, true)];
    let report = report(|_, [first, second]| {
        traced(vec![step(first, 0, &five), step(second, 0, &part)], None)
    });
    let expected = "\
reachable: line 4 at two.x:4:1

  main:3  x = 5  x=5 a=[?,1]
  main:4  f(x)   x=? a=? l=1

  2 steps
";
    assert_eq!(text(&report), expected);
    let json = page(&report, |r, out| render::json(r, out).unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let steps = &json["results"][0]["trace"]["steps"];
    assert_eq!(steps[0]["state"].to_string(), r#"{"x":5,"a":[null,true]}"#);
    assert!(steps[0].get("file").is_none());
    assert_eq!(steps[1]["state"].to_string(), r#"{"l":true}"#);
    assert_eq!(steps[1]["file"], "two.x");
    let bebop = page(&report, |r, out| render::bebop(r, out).unwrap());
    let expected = "\
Line 4 reachable by following path:

Line 4       State l=1
Line 3       State x=5 a=[?,1]
";
    assert_eq!(bebop, expected);
}

#[test]
fn deep_calls_are_numbered_and_loops_marked() {
    let report = report(|_, [first, second]| {
        let mut call = step(second, 41, &[]);
        call.folded = Some("12345678901234567890".into());
        traced(vec![step(first, 40, &[]), call], Some(1))
    });
    let text = text(&report);
    let blanks = " ".repeat(80);
    assert!(text.contains(&format!("  main:3  {blanks}x = 5\n")), "{text}");
    assert!(text.contains("  from here on for ever:\n"), "{text}");
    let folded = format!("  main:4  {blanks}[41] f(x)  (about 10^19 steps inside)\n");
    assert!(text.contains(&folded), "{text}");
    assert!(text.contains("2 steps shown, the inside of 1 call folded"), "{text}");
    let bebop = page(&report, |r, out| render::bebop(r, out).unwrap());
    let blanks = " ".repeat(240);
    assert!(bebop.contains(&format!("\n{blanks}(41) Line 4 ")), "{bebop}");
    let json = page(&report, |r, out| render::json(r, out).unwrap());
    assert!(
        json.contains(r#""loop_start":1"#) && json.contains(r#""folded":"12345678901234567890""#)
    );
}

#[test]
fn values_are_told_again_when_an_activation_is_new() {
    // Two calls at depth 1, each with `l` true: both tell it, the caller's steps do not repeat it.
    let l = [(6, true)];
    let report = report(|_, [first, second]| {
        let steps = [(first, 0), (first, 1), (second, 0), (first, 1), (second, 1)];
        traced(steps.iter().map(|&(node, depth)| step(node, depth, &l)).collect(), None)
    });
    let lines: Vec<bool> =
        text(&report).lines().filter(|l| l.contains("main:")).map(|l| l.contains("l=1")).collect();
    assert_eq!(lines, [true, true, false, true, false]);
}

#[test]
fn every_status_is_told() {
    let tell = |property: Property, status: Status, stop: Option<StopReason>| {
        text(&report(|_, [first, second]| Outcome {
            status,
            stop_reason: stop,
            statements: (property == Property::ReachAll).then(|| {
                vec![
                    Statement { node: first, reachable: true },
                    Statement { node: second, reachable: status == Status::Holds },
                ]
            }),
            certificate: Some(CertificateNote { checked: true, size: 3 }),
            ..Outcome::unknown(property, StopReason::Cancelled)
        }))
    };
    let out_of_steps = || Some(StopReason::Steps { limit: 9 });
    for (property, status, stop, expected) in [
        (Property::Assert, Status::Holds, None, "holds: no assertion can fail\n"),
        (Property::Assert, Status::Violated, None, "violated: an assertion can fail\n"),
        (
            Property::Assert,
            Status::Unknown,
            out_of_steps(),
            "unknown: can an assertion fail? (the limit of 9 steps was reached)\n",
        ),
        (Property::reach("p:L"), Status::Reachable, None, "reachable: p:L\n"),
        (Property::reach("p:L"), Status::Unreachable, None, "unreachable: p:L\n"),
        (
            Property::reach(":7"),
            Status::Unknown,
            out_of_steps(),
            "unknown: is line 7 reachable? (the limit of 9 steps was reached)\n",
        ),
        (Property::ReachAll, Status::Holds, None, "holds: all 2 statements are reachable\n"),
        (
            Property::ReachAll,
            Status::Violated,
            None,
            "violated: 1 of 2 statements cannot be reached:\n  main:4                f(x)\n",
        ),
    ] {
        assert_eq!(tell(property, status, stop), expected);
    }
}

#[test]
fn states_show_integers_as_numbers_where_they_can() {
    let (program, [first, _]) = program();
    let file = Arc::new(SourceFile::new("one.x", "").unwrap());
    let vars: Vec<_> =
        program.vars.enumerate().filter(|(_, v)| !v.hidden).map(|(id, _)| id).collect();
    let states = States {
        files: vec![file],
        program,
        at: ":3".to_owned(),
        engine: "explicit".to_owned(),
        why: String::new(),
        seconds: 0.0,
        counters: Vec::new(),
        stop_reason: None,
        places: vec![StatesAt {
            node: first,
            vars,
            reachable: true,
            formula: Formula {
                definitions: vec![("#1".to_owned(), "x.0 & l".to_owned())],
                text: "x.1 | #1".to_owned(),
            },
            cubes: vec![
                state(&[(0, true), (1, true), (2, false)]),
                state(&[(2, true), (4, false)]),
                state(&[]),
            ],
            cut: true,
            count: Some(77),
        }],
    };
    let mut out = Vec::new();
    render::states_text(&states, &TextOptions::default(), &mut out).unwrap();
    let expected = "\
at main:3: x = 5
  where #1 is x.0 & l
  x.1 | #1
    x=3
    x=0b1-- a=[?,0]
    (anything)
    … and more cubes (`--max-cubes` shows more)
  77 valuations
";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let mut out = Vec::new();
    render::states_json(&states, &mut out).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let cubes = json["places"][0]["cubes"].to_string();
    assert_eq!(cubes, r#"[{"x":3},{"x":"0b1--","a":[null,false]},{}]"#);
    assert_eq!(json["places"][0]["definitions"]["#1"], "x.0 & l");
}

#[test]
fn reports_are_read_back() {
    let five = [(0, true), (1, false), (2, true), (4, true)];
    let report = report(|_, [first, second]| {
        let mut call = step(first, 0, &five);
        call.folded = Some("9".into());
        traced(vec![call, step(second, 3, &[])], None)
    });
    let json = page(&report, |r, out| render::json(r, out).unwrap());
    let claims = render::read_report(&json).unwrap();
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0].property, Property::reach(":4"));
    let steps = &claims[0].trace.as_ref().unwrap().steps;
    assert_eq!((steps[0].line, steps[0].column, steps[1].depth), (3, Some(5), 3));
    assert_eq!(steps[0].folded.as_deref(), Some("9"));
    assert_eq!(steps[0].state[0], ("x".to_owned(), render::Value::Int(5)));
    for (old, new, expected) in [
        (r#""line":3"#, r#""line":-3"#, "results[0].trace.steps[0].line: expected a number"),
        (r#""proc":"main","#, "", "results[0].trace.steps[0].proc: missing"),
        (r#""x":5"#, r#""x":1.5"#, "results[0].trace.steps[0].state.x: expected an integer"),
        ("reach\"", "reached\"", "results[0].property.kind: expected `reach`"),
        ("report/1", "report/2", "schema: expected \"postbop.report/1\""),
    ] {
        let error = render::read_report(&json.replacen(old, new, 1)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
