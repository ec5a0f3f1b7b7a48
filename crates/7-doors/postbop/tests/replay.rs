//! Reports read back and replayed, as they are and with something changed.

use postbop::{Input, Judgement, Lang, Options, Property, Shown, SourceFile, Watch, check, replay};
use std::sync::Arc;

struct Replayed {
    file: Arc<SourceFile>,
    options: Options,
    /// The report.
    json: String,
}

/// A report about one property, which is violated.
fn report(lang: Lang, text: &str, property: Property, max_steps: usize) -> Replayed {
    let file = Arc::new(SourceFile::new("example", text).unwrap());
    let options = Options {
        input: Input { lang: Some(lang), ..Input::default() },
        shown: Shown { max_steps, ..Shown::default() },
        ..Options::default()
    };
    let files = std::slice::from_ref(&file);
    let report = check(files, &[property], &options, &Watch::default()).unwrap();
    let mut json = Vec::new();
    render::json(&report, &mut json).unwrap();
    Replayed { file, options, json: String::from_utf8(json).unwrap() }
}

fn ltl(formula: &str) -> Property {
    Property::Ltl { formula: formula.to_owned(), fair: Vec::new() }
}

impl Replayed {
    fn judge(&self, json: &str) -> Judgement {
        let claims = render::read_report(json).unwrap();
        let files = std::slice::from_ref(&self.file);
        replay(files, &claims, &self.options, &Watch::default()).unwrap().remove(0)
    }

    #[track_caller]
    fn is_accepted(&self) {
        assert_eq!(self.judge(&self.json), Judgement::Accepted, "{}", self.json);
    }

    /// The report with one place changed, the last one that fits.
    #[track_caller]
    fn changed(&self, from: &str, to: &str) -> String {
        let (head, tail) = self.json.rsplit_once(from).unwrap_or_else(|| panic!("{}", self.json));
        format!("{head}{to}{tail}")
    }

    #[track_caller]
    fn is_refused(&self, from: &str, to: &str) {
        let json = self.changed(from, to);
        let judged = self.judge(&json);
        assert!(matches!(judged, Judgement::Refused(_)), "{judged:?}\n{json}");
    }
}

#[test]
fn a_run_that_is_over_stays_in_its_last_state() {
    let text = "decl g;\nvoid main() begin\n  g := 1;\n  assert(!g);\nend\n";
    let failed = report(Lang::Bp, text, ltl("G !g"), 100);
    failed.is_accepted();
    failed.is_refused("\"loop_start\":2", "\"loop_start\":0");
    failed.is_refused("\"loop_start\":2", "\"loop_start\":3");
    failed.is_refused("\"loop_start\":2", "\"stack_growth\":1,\"loop_start\":2");
    failed.is_refused("(error)", "(terminated)");
    failed.is_refused("(error)", "(over)");
    failed.is_refused(",\"text\":\"(error)\"", "");
    let text = "decl g;\nvoid main() begin\n  g := 1;\n  skip;\nend\n";
    let ended = report(Lang::Bp, text, ltl("G !g"), 100);
    ended.is_accepted();
    ended.is_refused("\"loop_start\":2", "\"loop_start\":1");
    ended.is_refused("(terminated)", "(error)");
    ended.is_refused("(terminated)", "");
}

#[test]
fn results_that_a_procedure_leaves_open_are_what_the_listing_says() {
    for text in [
        "decl g;\nvoid main() begin g := 0; g := f(); L: assert(!g); end\nbool f() begin skip; end\n",
        "decl g;\nvoid main() begin while (1) do g := f(); L: skip; od end\n\
         bool f() begin skip; end\n",
        "decl g;\nvoid main() begin decl l; g := 0; g, l := f(); assume(l); assume(g); end\n\
         bool<2> f() begin skip; end\n",
        "decl g;\nvoid main() begin g := 0; while (1) do g := f(); od end\n\
         bool f() begin decl l; l := h(); return !l; end\nbool h() begin skip; end\n",
    ] {
        report(Lang::Bp, text, ltl("G !g"), 100).is_accepted();
    }
}

#[test]
fn columns_texts_growth_and_verdicts_are_checked() {
    let text = "decl g;\nvoid main() begin g := 0; work(); end\nvoid work() begin work(); end\n";
    let grows = report(Lang::Bp, text, ltl("F g"), 100);
    grows.is_accepted();
    grows.is_refused("\"stack_growth\":1", "\"stack_growth\":2");
    grows.is_refused("\"stack_growth\":1", "\"stack_growth\":0");
    grows.is_refused("\"text\":\"work()\"", "\"text\":\"skip\"");
    grows.is_refused("\"line\":3,\"column\":19", "\"line\":3,\"column\":20");
    grows.is_refused("\"verdict\":\"violated\"", "\"verdict\":\"holds\"");
    let fewer = grows.json.replace("\"stack_growth\":1,", "").replace("\"column\":", "\"c\":");
    assert_eq!(grows.judge(&fewer.replace("\"text\":", "\"t\":")), Judgement::Accepted);
}

#[test]
fn the_size_of_a_folded_call_is_a_number() {
    let text = "decl g;\nvoid main() begin f(); L: skip; end\nvoid f() begin skip; skip; end\n";
    let folds = report(Lang::Bp, text, Property::reach("L"), 2);
    folds.is_accepted();
    for bad in ["\"x\"", "\"\"", "\"-1\"", "2"] {
        let json = folds.changed("\"folded\":\"2\"", &format!("\"folded\":{bad}"));
        let error = render::read_report(&json).unwrap_err();
        assert!(error.place.ends_with(".folded"), "{error}");
    }
}

#[test]
fn rules_with_long_right_sides_are_replayed() {
    // `d` and `e` are reached when `b` and `c` are gone; `z` is never reached.
    let system = "p <a> --> p <b c d>\np <b> --> p <b1>\np <b1> --> q <>\nq <c> --> p <>\n\
                  p <d> --> p <e>\np <e> --> p <e>\np <z> --> p <z a b c>\n";
    for start in ["(p <a>)\n", "(p <a z z>)\n"] {
        let text = format!("{start}{system}");
        let reach = report(Lang::Pds, &text, Property::reach("e"), 100);
        reach.is_accepted();
        reach.is_refused("\"line\":6", "\"line\":5");
        reach.is_refused("\"line\":5", "\"line\":4");
        let lasso = report(Lang::Pds, &text, ltl("F at(z)"), 100);
        lasso.is_accepted();
        lasso.is_refused("\"line\":5", "\"line\":4");
    }
    // The rule is not taken.
    let text = "(p <a>)\np <a> --> p <b c>\np <b> --> p <>\np <c> --> p <a>\n\
                q <a> --> p <z z z>\np <z> --> p <z>\n";
    let lasso = report(Lang::Pds, text, ltl("F at(z)"), 100);
    lasso.is_accepted();
    lasso.is_refused("\"line\":4", "\"line\":3");
    // Taken again and again, with the stack growing or not.
    for rule in ["p <a> --> p <b b a>", "p <a> --> p <b b a b b>", "p <a> --> p <a b b>"] {
        let text = format!("(p <a>)\n{rule}\np <b> --> p <>\np <z> --> p <z>\n");
        let lasso = report(Lang::Pds, &text, ltl("F at(z)"), 100);
        lasso.is_accepted();
    }
}

/// A verdict that was changed is noticed, whatever it was changed to.
#[test]
fn verdicts_that_were_changed() {
    let bp = "decl g; void main() begin g := !g; if (g) then R: skip; fi assert(!g); end";
    for (property, word) in [(Property::reach("R"), "reachable"), (Property::Assert, "violated")] {
        let report = report(Lang::Bp, bp, property, 100);
        report.is_accepted();
        let shown = format!("\"verdict\":\"{word}\"");
        let words =
            ["unknown", "holds", "unreachable", "violated", "reachable", "", "Reachable", "maybe"];
        for other in words.into_iter().filter(|other| *other != word) {
            let changed = report.json.replace(&shown, &format!("\"verdict\":\"{other}\""));
            assert_ne!(changed, report.json);
            let judged = report.judge(&changed);
            assert!(matches!(judged, Judgement::Refused(_)), "{word} as {other}: {judged:?}");
        }
        // Nor is there a reason why there is no answer, where there is one.
        let reason = report.json.replace("\"stop_reason\":null", "\"stop_reason\":\"time\"");
        assert_ne!(reason, report.json);
        assert!(matches!(report.judge(&reason), Judgement::Refused(_)));
    }
}
