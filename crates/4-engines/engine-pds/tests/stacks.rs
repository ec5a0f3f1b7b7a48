//! Languages of stacks of programs small enough to know the answer; expressions over frames.

use check::Budget;
use engine_pds::{
    ExpressionErrorKind, RegularSet, StackLanguage, Waiting, post_star, pre_star, reachable_stacks,
};
use front_bp::Dialect;
use ir::{Exprs, NodeId, Program};
use std::sync::Arc;
use testkit::corpus::lower;

fn program(text: &str) -> Arc<Program> {
    lower("test.bp", text, Dialect::Standard, None).unwrap()
}

fn label(program: &Program, name: &str) -> NodeId {
    let nodes = program.labelled(None, name);
    assert_eq!(nodes.len(), 1, "one statement is labelled {name}");
    nodes[0]
}

/// A lock that `work` needs: `write` may only run below `locked`. `audit` calls it directly where
/// `debug` is set, which never happens.
const LOCKS: &str = "\
decl debug;
void main() begin
  debug := 0;
  A: work(*);
  if (debug) then B: audit(); fi
end
void work(n) begin
  if (n) then
    C: locked();
  else
    D: work(*);
  fi
  if (*) then E: work(*); fi
end
void locked() begin
  K: write();
end
void audit() begin
  G: write();
end
void write() begin
  W: skip;
end
";

/// All ways to ask for the stacks below a label give the same language.
fn stacks(program: &Arc<Program>, name: &str) -> StackLanguage {
    let budget = Budget::unlimited();
    let node = label(program, name);
    let start = RegularSet::initial(program);
    let language =
        post_star(program, &start, &budget).unwrap().stacks_at(node, None, &budget).unwrap();
    let sliced = reachable_stacks(program, &[], &budget).unwrap();
    let mut sliced = sliced;
    assert_eq!(language, sliced.stacks_at(node, None, &budget).unwrap());
    language
}

#[test]
fn known_languages() {
    let program = program(LOCKS);
    let text = |name: &str| stacks(&program, name).expression();
    assert_eq!(text("A").as_deref(), Some("()"));
    assert_eq!(text("B"), None);
    assert_eq!(text("K").as_deref(), Some("work:C (work:D | work:E)* main:A"));
    assert_eq!(text("W").as_deref(), Some("locked:K work:C (work:D | work:E)* main:A"));
    let procs = |name: &str| stacks(&program, name).by_procedure().expression();
    assert_eq!(procs("W").as_deref(), Some("locked work+ main"));
    assert!(stacks(&program, "B").is_empty() && stacks(&program, "G").is_empty());
}

#[test]
fn security_questions() {
    let program = program(LOCKS);
    let budget = Budget::unlimited();
    let mut reached = post_star(&program, &RegularSet::initial(&program), &budget).unwrap();
    for (question, expected) in [
        ("write .*", true),
        ("write .* locked .*", true),
        ("write !locked* ", false),
        ("write .* audit .*", false),
        ("W K C A", true),
        ("W K C D E A", true),
        ("W K D A", false),
        ("write locked work work work work main:A", true),
        ("write locked main", false),
        ("work:C .* | audit", true),
        (". . .", true),
        ("main main", false),
        (":22", false),
        (":22 .+", true),
        ("write:22 locked:16 (work:9 | work:11 | work:13)+ main:4", true),
    ] {
        let set = RegularSet::parse(&program, question).unwrap();
        let found = reached.intersection(&set, &budget).unwrap();
        assert_eq!(found.is_some(), expected, "{question}");
        // From the other side.
        let mut before = pre_star(&program, &set, &budget).unwrap();
        let start = before.intersection(&RegularSet::initial(&program), &budget).unwrap();
        assert_eq!(start.is_some(), expected, "{question}");
    }
    // In a pushdown system a frame below is known by where it returns to.
    let mut set = RegularSet::parse(&program, "locked E .* | locked main").unwrap();
    set.waiting = Waiting::Return;
    assert!(reached.intersection(&set, &budget).unwrap().is_none());
    let mut set = RegularSet::parse(&program, "locked :13 .*").unwrap();
    set.waiting = Waiting::Return;
    assert!(reached.intersection(&set, &budget).unwrap().is_some());
}

#[test]
fn printed() {
    let program = program(LOCKS);
    let language = stacks(&program, "W");
    assert_eq!(
        language.to_text(),
        "stacks below write:W: locked:K work:C (work:D | work:E)* main:A
  state 0 (start)
    locked:K -> 1  write()
  state 1
    work:C -> 2  locked()
  state 2
    main:A -> 3  work(*)
    work:D -> 2  work(*)
    work:E -> 2  work(*)
  state 3 (end)
"
    );
    assert_eq!(
        language.by_procedure().to_dot(),
        "digraph stacks {
  label=\"stacks below write:W\";
  rankdir=LR;
  start [shape=point];
  start -> 0;
  0 [shape=circle];
  0 -> 1 [label=\"locked\"];
  1 [shape=circle];
  1 -> 2 [label=\"work\"];
  2 [shape=circle];
  2 -> 2 [label=\"work\"];
  2 -> 3 [label=\"main\"];
  3 [shape=doublecircle];
}
"
    );
    assert_eq!(stacks(&program, "B").to_text(), "stacks below main:B: none, it is not reached\n");
}

/// Data in frames decides which stacks are possible, and conditions narrow them.
#[test]
fn data_decides() {
    // f calls itself with the negation of its parameter, so frames alternate.
    let text = "\
void main() begin
  M: f(0);
end
void f(b) begin
  X: skip;
  if (b) then Y: f(!b); else Z: f(!b); fi
end
";
    let program = program(text);
    let budget = Budget::unlimited();
    let language = stacks(&program, "X");
    assert_eq!(language.states.len(), 4);
    let f = |name| {
        engine_pds::StackLetter::Call(program.out_edges(label(&program, name)).next().unwrap())
    };
    let (m, y, z) = (f("M"), f("Y"), f("Z"));
    for (word, expected) in [
        (vec![m], true),
        (vec![z, m], true),
        (vec![y, m], false),
        (vec![y, z, m], true),
        (vec![z, y, z, m], true),
        (vec![z, z, m], false),
        (vec![y, z], false),
        (vec![], false),
    ] {
        assert_eq!(language.accepts(&word), expected, "{word:?}");
    }
    // With b set, the innermost call came from Z.
    let mut owned = (*program).clone();
    let b = owned.procs[owned.proc_named("f").unwrap()].locals[0];
    let b = owned.exprs.pre(b);
    let program = Arc::new(owned);
    let node = label(&program, "X");
    let start = RegularSet::initial(&program);
    let mut reached = post_star(&program, &start, &budget).unwrap();
    let set = reached.stacks_at(node, Some(b), &budget).unwrap();
    assert!(set.accepts(&[z, m]) && !set.accepts(&[m]) && !set.accepts(&[y, z, m]));
    let none = reached.stacks_at(node, Some(Exprs::FALSE), &budget).unwrap();
    assert!(none.is_empty());
}

#[test]
fn expressions_that_make_no_sense() {
    use ExpressionErrorKind::*;
    let program = program(LOCKS);
    let unknown = |name: &str, nearest: Option<&str>| UnknownName {
        name: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    };
    for (text, kind, range) in [
        ("", ExpectedFrame, 0..0),
        ("write .* | ", ExpectedFrame, 11..11),
        ("* write", ExpectedFrame, 0..1),
        ("write (| main)", ExpectedFrame, 7..8),
        ("(write", Unclosed, 0..1),
        ("write)", Unopened, 5..6),
        ("((", Unclosed, 1..2),
        ("write ()", ExpectedFrame, 7..8),
        ("write: main", ExpectedLabel, 0..6),
        (":x", ExpectedLabel, 1..2),
        ("\"write", UnclosedName, 0..6),
        ("{a b", UnclosedName, 0..4),
        ("!(write main)", NotOneFrame, 0..1),
        ("!(write*) .", NotOneFrame, 0..1),
        ("wirte .*", unknown("wirte", Some("write")), 0..5),
        (". zzzzzz", unknown("zzzzzz", None), 2..8),
        ("wurk:C", UnknownProc { name: "wurk".into(), nearest: Some("work".into()) }, 0..4),
        ("work:F", UnknownLabel { proc: "work".into(), label: "F".into(), nearest: None }, 5..6),
        ("main:7", NoStatementOnLine { line: 7 }, 5..6),
        (":99", NoStatementOnLine { line: 99 }, 0..3),
    ] {
        let error = RegularSet::parse(&program, text).expect_err(text);
        assert_eq!(error.kind, kind, "{text}");
        assert_eq!(error.span.range(), range, "{text}");
        assert!(!error.diagnostic().message.is_empty());
    }
    let many = "main ".repeat(2000);
    let error = RegularSet::parse(&program, &many).unwrap_err();
    assert_eq!(error.kind, TooLarge { limit: 1000 });
    let deep = format!("{}main{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(RegularSet::parse(&program, &deep).is_ok());
    let deep = format!("{}main{}", "!(".repeat(100_000), ")".repeat(100_000));
    assert!(RegularSet::parse(&program, &deep).is_ok());
    assert!(RegularSet::parse(&program, &format!("main{}", "*".repeat(100_000))).is_ok());
}

/// Languages cut down to a set, and names as in pushdown systems.
#[test]
fn languages_within_sets() {
    let program = program(LOCKS);
    let language = stacks(&program, "W");
    let within = |text: &str| {
        let set = RegularSet::parse(&program, text).unwrap();
        language.within(&set).unwrap()
    };
    assert_eq!(within("write .*"), language);
    assert_eq!(
        within("W . . . main").expression().as_deref(),
        Some("locked:K work:C (work:D | work:E) main:A")
    );
    assert!(within("W K main").is_empty() && within("locked .*").is_empty());
    assert!(within("W .* audit .*").is_empty());
    let procs = language.by_procedure();
    assert!(procs.within(&RegularSet::parse(&program, "write .*").unwrap()).is_none());

    // `work` is known by its call above, by where it comes back to below; there `.` stands for
    // frames with a name only.
    let set = RegularSet::parse_as(&program, "K .*", Waiting::Return).unwrap();
    assert!(stacks(&program, "K").within(&set).unwrap().is_empty());
    let set = RegularSet::parse_as(&program, "K :13 :13* main:5", Waiting::Return).unwrap();
    let mut language = stacks(&program, "K").within(&set).unwrap();
    language.waiting = Waiting::Return;
    assert_eq!(language.expression().as_deref(), Some("work:13+ main:5"));
    let one = engine_pds::Nodes::parse(&program, "!(work | K)", Waiting::Call).unwrap();
    assert!(one.contains(label(&program, "W")) && !one.contains(label(&program, "K")));
    let error = engine_pds::Nodes::parse(&program, "work main", Waiting::Call).unwrap_err();
    assert_eq!(error.kind, ExpressionErrorKind::NotOneFrame);
}
