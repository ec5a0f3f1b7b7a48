//! Programs written down in other languages: the same statements are reached, the same assertions
//! fail.

use crate::tool;
use check::{Budget, Engine, Task, TraceMode, Wants};
use engine_summary::Summary;
use ir::{Id, Program};
use postbop::{
    Configurations, EngineChoice, Error, Input, Lang, Options, Property, Search, SourceFile,
    Status, Target, Watch, convert, load,
};
use std::sync::Arc;
use testkit::conversion::{Language, Tool, Written, converted};
use testkit::random_bp::{Profile, random_bp};
use testkit::random_ir::random_program;

fn reached(program: &Program) -> Vec<bool> {
    let mut task = Task::new(Arc::new(program.clone()), Vec::new());
    task.wants = Wants { trace: TraceMode::None, certificate: false, all_nodes: true };
    let answer = Summary::default().run(&task, &Budget::unlimited());
    answer.reached.expect("the search was complete")
}

fn fails(program: &Program, reached: &[bool]) -> bool {
    program.procs.iter().filter_map(|p| p.error).any(|node| reached[node.index()])
}

/// Compares labelled statements that have one counterpart, and assertions.
#[track_caller]
fn same(original: &Program, text: &str, lang: Lang, what: &str) {
    let file = Arc::new(SourceFile::new("converted", text).unwrap());
    let options = Options::from(Input { lang: Some(lang), ..Input::default() });
    let read = match load(std::slice::from_ref(&file), &options.input) {
        Ok(read) => read,
        Err(Error::Rejected { diagnostics, .. }) => {
            // An index that can never fit is refused where it is written, not where it is made.
            if diagnostics.iter().all(|d| d.code.ends_with("-index")) {
                return;
            }
            let shown: Vec<String> = diagnostics.iter().map(|d| source::render(d, &file)).collect();
            panic!("{what}: {}\n{text}", shown.join("\n"));
        }
        Err(error) => panic!("{what}: {error}"),
    };
    let (before, after) = (reached(original), reached(&read));
    for label in &original.labels {
        let name = original.text(label.name);
        let nodes = read.labelled(None, name);
        if nodes.len() == 1 && original.labelled(None, name).len() == 1 {
            let (was, is) = (before[label.node.index()], after[nodes[0].index()]);
            assert_eq!(was, is, "{what}: {name}\n{text}\n{}", ir::dump(original));
        }
    }
    assert_eq!(fails(original, &before), fails(&read, &after), "{what}\n{text}");
}

#[test]
fn programs_of_the_model_as_boolean_programs() {
    for seed in 0..400 {
        let program = random_program(seed);
        let Ok(tree) = front_bp::from_program(&program, &mut || true) else { continue };
        let text = front_bp::print(&tree);
        same(&program, &text, Lang::Bp, &format!("seed {seed}"));
    }
}

#[test]
fn boolean_programs_there_and_back() {
    for profile in [Profile::Small, Profile::Calls] {
        for seed in 0..25 {
            let text = random_bp(seed, profile);
            let what = format!("{profile:?} {seed}");
            let file = |name: &str, text: &str| [Arc::new(SourceFile::new(name, text).unwrap())];
            let options = Options::default();
            let first = file("f.bp", &text);
            let original = load(&first, &options.input).unwrap();
            for (target, lang, name) in [
                (Target::Bp, Lang::Bp, "f.bp"),
                (Target::Remopla, Lang::Remopla, "f.rem"),
                (Target::Pds, Lang::Pds, "f.pds"),
            ] {
                let there = convert(&first, target, &options, &Watch::default()).unwrap();
                same(&original, &there, lang, &what);
                let back =
                    convert(&file(name, &there), Target::Bp, &options, &Watch::default()).unwrap();
                same(&original, &back, Lang::Bp, &what);
            }
        }
    }
}

#[test]
fn numbers_there_and_back() {
    for options in [
        front_remopla::quicksort::Options::default(),
        front_remopla::quicksort::Options { random_pivot: true, ..Default::default() },
    ] {
        let text = front_remopla::quicksort::quicksort(2, 2, options);
        for text in [text.replace("  quicksort(lo, right);\n", ""), text] {
            let files = [Arc::new(SourceFile::new("f.rem", text).unwrap())];
            let original = load(&files, &Input::default()).unwrap();
            for (target, lang) in [(Target::Bp, Lang::Bp), (Target::Pds, Lang::Pds)] {
                let text = convert(&files, target, &Options::default(), &Watch::default()).unwrap();
                same(&original, &text, lang, "quicksort");
            }
        }
    }
}

/// Automata in files describe the same sets as expressions.
#[test]
fn automata_in_files() {
    let text = "decl g; void main() begin A: f(); B: g(); end void f() begin if (*) then C: f(); fi \
                D: skip; end void g() begin E: f(); end";
    let files = [Arc::new(SourceFile::new("f.bp", text).unwrap())];
    let automaton = "# f on top, g anywhere below\nstate 0 (start)\n  f -> 1\nstate 1\n  !g -> 1\n  \
                     g -> 2  any text\nstate 2 (end)\n  . -> 2\n";
    let ask = |set: Configurations| {
        let question = postbop::StackQuestion { to: Some(set), ..Default::default() };
        postbop::stacks(&files, &question, &Options::default(), &Default::default())
    };
    let file = |text: &str| Arc::new(SourceFile::new("set", text).unwrap());
    let found = ask(Configurations::Automaton(file(automaton))).unwrap();
    let expected = ask(Configurations::Expression(file("f .* g .*"))).unwrap();
    assert_eq!(found.status, Some(postbop::Status::Reachable));
    let nodes = |stacks: &render::Stacks| -> Vec<ir::NodeId> {
        stacks.reached.iter().flat_map(|s| s.frames.iter().map(|f| f.node)).collect()
    };
    assert_eq!(nodes(&found), nodes(&expected));
    for (text, code) in [
        ("", "automaton-empty"),
        ("f -> 1\n", "automaton-line"),
        ("state 0\n  f\n", "automaton-line"),
        ("state 0\n  f -> 1\n", "automaton-unknown"),
        ("state 0\nstate 0\n", "automaton-twice"),
        ("state 0 (start)\nstate 1 (start)\n", "automaton-twice"),
        ("state 0 (last)\n", "automaton-mark"),
        ("state 0\n  ff -> 0\n", "stack-unknown-name"),
        ("state 0\n  f g -> 0\n", "stack-not-one-frame"),
    ] {
        match ask(Configurations::Automaton(file(text))) {
            Err(Error::Rejected { diagnostics, .. }) => assert_eq!(diagnostics[0].code, code),
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// A text and what it becomes in the other languages: all of its labels and assertions.
#[track_caller]
fn kept(from: Language, text: &str) {
    let summary = Summary::default();
    for to in Language::ALL {
        let engines = [("summary", &summary as &dyn Engine); 2];
        let compared = converted(&tool::Postbop, (from, text), to, engines, true);
        assert!(compared.problems.is_empty(), "{to:?}: {}", compared.problems.join("\n"));
        assert_eq!(compared.refused, None, "{to:?}: {text}");
    }
}

/// The text in the language does not exist, and why.
#[track_caller]
fn refused(from: Language, text: &str, to: Language, why: &str) {
    match tool::Postbop.convert(from, text, to) {
        Ok(Written::Refused(reason)) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_generated_name_is_nobodys_label() {
    let text = "init main; module void main() { skip; skip; return; main_1: skip; }";
    kept(Language::Remopla, text);
    // Of labels in boolean programs, and of procedures.
    kept(Language::Pds, "(p <y>)\np <y> --> p <f z>\np <f> --> p <>\np <N0> --> p <N1>\n");
    let text = "void main() begin skip; skip; goto L; N1: skip; L: f(); end \
                void f() begin skip; skip; end void N0() begin skip; end void f_1() begin skip; end";
    kept(Language::Bp, text);
    // And of the module that a condition at the start needs.
    let text = "enum Kind {a, b, c}; enum Kind x; init main; \
                module void main() { skip(x == c); goto L; start: skip; L: skip; }";
    kept(Language::Remopla, text);
}

#[test]
fn labels_keep_their_names() {
    // The first one of a procedure, several on a statement, one in two procedures, words of other
    // languages, numbers, and the name of another procedure.
    let text = "decl g; void main() begin FIRST: A: E: g := *; if (g) then f(); fi L: skip; int: 7: \
                skip; g: assume(F); NEVER: skip; end void f() begin f: L: skip; if: skip; end \
                void g() begin M: skip; end";
    kept(Language::Bp, &text.replace("if: skip", "do_: skip"));
    let text = "init main; module void main() { T: if :: true -> goto end; fi; begin: skip; \
                end: f(); } module void f() { F: skip; L: skip(false); dead: skip; }";
    kept(Language::Remopla, text);
    kept(Language::Pds, "(p <T>)\np <T> --> q <end 7>\nq <end> --> q <>\np <decl> --> p <skip>\n");
    // What nobody comes to, and what nothing goes on from.
    kept(Language::Bp, "void main() begin skip; end void f() begin L: assume(F); end");
    kept(
        Language::Remopla,
        "init main; module void main() { skip; } module void f() { skip(false); }",
    );
    let text = "void main() begin {a b}: skip; end";
    refused(Language::Bp, text, Language::Pds, "the label `{a b}`");
    refused(Language::Bp, text, Language::Remopla, "the label `{a b}`");
    kept(Language::Bp, "void main() begin {end}: skip; assume(F); {fi}: skip; end");
}

#[test]
fn assertions_are_kept() {
    for condition in ["g", "g | !g", "*"] {
        let text = format!(
            "decl g; void main() begin f(); assertion_failed: assume(F); end \
             void f() begin L: assert({condition}); M: skip; end"
        );
        kept(Language::Bp, &text);
    }
    // What is not called so is no failed assertion.
    let text = "init main; module void main() { assertion_failed_x: skip(false); }";
    kept(Language::Remopla, text);
    let fails =
        |language, text: &str| fails(&tool::Postbop.load(language, text).unwrap(), &[true; 9]);
    assert!(!fails(Language::Remopla, text));
    assert!(fails(Language::Remopla, &text.replace("_x", "_3")));
    assert!(fails(Language::Pds, "(p <y>)\np <y> --> p <assertion_failed>\n"));
}

/// Initial conditions on parameters and locals, results, arrays, choices, and what happens at once.
#[test]
fn what_statements_do() {
    let text = "enum Kind {a, b, c}; enum Kind g; int n(2); bool v[1, 3]; init main; \
                module void main() { enum Kind x; bool w[0, 1]; int k(1); \
                  E j (1, 3) v[j] = true; A j (0, 1) w[j] = v[j + 1]; n = n + 1, k = n; \
                  if :: x == b && v[1] -> ONE: n = f(k, w), w = undef; :: g == c -> TWO: skip(n' > n); fi; \
                  if :: n == 3 && !w[1] -> THREE: skip; :: else -> FOUR: skip(v[n]); fi; FIVE: skip; } \
                module int(2) f(int p(1), bool q[0, 1]) { IN: if :: q[p] -> return p + 2; \
                  :: else -> skip(p' != p); fi; return p; }";
    kept(Language::Remopla, text);
    let text = "decl g, h; void main() begin enforce g | h; decl x, y; x, y, g := y, *, x constrain ('x | 'g); \
                A: x, _ := f(y, h); if (x = g) then B: skip; fi C: assert(x => h); end \
                bool<2> f(a, b) begin abortif a & b; if (schoose[a, b]) then D: return a, !b; fi \
                g := b; E: skip; end";
    kept(Language::Bp, text);
}

/// `--entry` is part of what is written.
#[test]
fn another_start() {
    let text = "decl g; void main() begin L: skip; end void f() begin M: skip; end";
    let files = [Arc::new(SourceFile::new("f.bp", text).unwrap())];
    let options = Options::from(Input { entry: Some("f".to_owned()), ..Input::default() });
    for (target, lang) in
        [(Target::Bp, Lang::Bp), (Target::Remopla, Lang::Remopla), (Target::Pds, Lang::Pds)]
    {
        let text = convert(&files, target, &options, &Watch::default()).unwrap();
        same(&load(&files, &options.input).unwrap(), &text, lang, "started at f");
    }
}

/// Twice as much to say takes twice the text: results share variables, which every rule speaks of.
#[test]
fn text_grows_with_the_program() {
    let program = |procs: usize| {
        let mut text = "decl g; void main() begin g := f0(); end\n".to_owned();
        for i in 0..procs {
            let next = (i + 1) % procs;
            text += &format!("bool f{i}() begin decl x; L{i}: x := f{next}(); return x; end\n");
        }
        text
    };
    for target in [Target::Bp, Target::Remopla, Target::Pds] {
        let [small, large] = [100, 200].map(|procs| {
            let files = [Arc::new(SourceFile::new("f.bp", program(procs)).unwrap())];
            convert(&files, target, &Options::default(), &Watch::default()).unwrap().len()
        });
        assert!(large < small * 5 / 2, "{target:?}: {small}, {large}");
    }
}

/// A formula about values that a model has is no modal system without one.
#[test]
fn modal_systems_without_a_model() {
    let model = "des (0, 1, 2)\n(0, \"G !x\", 1)\n";
    for (text, wants) in [
        ("< {G ?z:Var} > < true > true or < {G ?z:Var} > val(z = z)", true),
        ("exists z:Var . < {G !z} > true", true),
        ("< {G ?z:Var} > true", false),
        ("mu X (v:Var := x) . (< {G !v} > true or < true > X (v))", false),
    ] {
        let formula = tool::Equations { ending: "mcl", text: text.to_owned() };
        for told in [true, false] {
            match tool::converted(&formula, "blk", Some(model), told).unwrap() {
                tool::Outcome::Same(_) => assert!(told || !wants, "{text}"),
                tool::Outcome::Refused(why) => assert!(!told && wants, "{text}: {why}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}

/// Systems without end of which a few equations decide, and those whose first equation is in an inner
/// block.
#[test]
fn boolean_systems_of_endless_ones() {
    for text in [
        "pbes\nmu X(n: Nat) = val(n > 2) || X(n + 1);\ninit X(0);\n",
        "pbes\nnu X(n: Nat) = Y(n) && X(n + 1);\nmu Y(n: Nat) = val(n < 3) || Y(n);\ninit X(0);\n",
        "pbes\nnu X = Y;\nmu Y = X || Y;\ninit Y;\n",
        "pbes\nnu X = Y && X;\nmu Y = Y && X;\ninit Y;\n",
    ] {
        let system = tool::Equations { ending: "pbes", text: text.to_owned() };
        match tool::converted(&system, "bes", None, false).unwrap() {
            tool::Outcome::Same(_) => {}
            other => panic!("{text}: {other:?}"),
        }
    }
}

/// A run that fails is at the label that tells so before, and nowhere behind, in pushdown systems as in what they
/// are converted to: seeds 1920 and 6940 of `fuzz-convert` had other answers there.
#[test]
fn a_failed_assertion_is_at_its_label() {
    let text = "(p <a>)\np <a> --> p <a>\np <a> --> p <assertion_failed>\n";
    let files = [Arc::new(SourceFile::new("f.pds", text).unwrap())];
    let all = [EngineChoice::Explicit, EngineChoice::Post, EngineChoice::Pre];
    for (formula, status) in [
        ("G !at(assertion_failed)", Status::Violated),
        ("G (at(assertion_failed) -> !error & X error)", Status::Holds),
        ("G (error -> G !at(assertion_failed))", Status::Holds),
        ("F G at(assertion_failed)", Status::Violated),
        ("G (error -> !in(a))", Status::Holds),
    ] {
        for engine in all {
            let options = Options::from(Search { engine, ..Search::default() });
            let asked = [Property::ltl(formula)];
            let report = postbop::check(&files, &asked, &options, &Watch::default()).unwrap();
            let result = &report.results[0];
            assert_eq!(result.status, status, "{formula}, {engine:?}: {:?}", result.stop_reason);
        }
    }
}
