//! The listing of [bebop Fig. 1], from the figure's program.

use super::naive::Reached;
use check::{Budget, Goal, Target};
use ir::Exprs;
use replay::space::Space;
use replay::{Value, check_trace, state_vars};
use reports::{Listed, ListedStep, Outcome, replay_listed};
use std::sync::Arc;

/// Statements stand on the figure's lines.
const PROGRAM: &str = "decl g;

void main()
begin
  decl h;
  h := !g;
  A(g,h);
  skip;
  A(g,h);
  skip;
  if (g) then
    R: skip;
  else
    skip;
  fi
end

void A(a1,a2)
begin if (a1) then
    A(a2,a1);
    skip;
  else
    g := a2;
  fi
end
";

/// The figure, in execution order: line, depth, values.
const FIGURE: &str = "\
6 0 g=1
7 0 g=1 h=0
19 1 g=1 a1=1 a2=0
20 1 g=1 a1=1 a2=0
19 2 g=1 a1=0 a2=1
23 2 g=1 a1=0 a2=1
21 1 g=1 a1=1 a2=0
8 0 g=1 h=0
9 0 g=1 h=0
19 1 g=1 a1=1 a2=0
20 1 g=1 a1=1 a2=0
19 2 g=1 a1=0 a2=1
23 2 g=1 a1=0 a2=1
21 1 g=1 a1=1 a2=0
10 0 g=1 h=0
11 0 g=1 h=0
12 0 g=1 h=0
";

#[test]
fn the_figure_is_listed_and_replayed() {
    let file = source::SourceFile::new("fig1.bp", PROGRAM).unwrap();
    let (tree, errors) = front_bp::parse(PROGRAM, front_bp::Dialect::Standard);
    assert!(errors.is_empty());
    let options = front_bp::LowerOptions::default();
    let program = Arc::new(front_bp::lower(&tree, &file, &options).unwrap());
    let space = Space::new(&program);
    let reached = Reached::new(&program);
    let node = program.labelled(None, "R")[0];
    let item = reached.find(node, Exprs::TRUE).expect("R is reachable");
    let goal = Goal::Reach(vec![Target::at(node)]);
    let accepted = check_trace(&program, &goal, &reached.trace(&space, item)).unwrap();
    let mut text = String::new();
    let mut steps = Vec::new();
    for shown in accepted.shown(100) {
        let node = &program.nodes[shown.node];
        let state = state_vars(&program, &space.layout, node.proc, &shown.state);
        text += &format!("{} {}", node.origin.line, shown.depth);
        for (var, value) in &state {
            let Value::Bool(value) = value else { panic!("all variables are boolean") };
            text += &format!(" {}={}", program.var_name(*var), *value as u8);
        }
        text += "\n";
        let (proc, line, depth) = (node.proc, node.origin.line, shown.depth);
        steps.push(ListedStep {
            proc,
            line,
            depth,
            state,
            folded: false,
            column: None,
            text: None,
        });
    }
    assert_eq!(text, FIGURE);
    // A completed call counts as one: 6 transitions from line 6 to line 12.
    assert_eq!(accepted.hier_steps(), 6);
    assert_eq!(accepted.shown(7).filter_map(|s| s.folded).count(), 2);

    // The listing is accepted; with `g` wrong anywhere, or a step missing, it is not.
    let replay = |steps: &[ListedStep]| {
        let listed = Listed { steps: steps.to_vec(), goal: goal.clone() };
        replay_listed(&program, &listed, &Budget::unlimited(), &mut |_| None)
    };
    assert_eq!(replay(&steps), Outcome::Accepted { assumed: None });
    for i in 0..steps.len() {
        let mut bad = steps.clone();
        bad[i].state[0].1 = Value::Bool(false);
        assert!(matches!(replay(&bad), Outcome::Refuted { step, .. } if step <= i + 1), "{i}");
        let mut bad = steps.clone();
        bad.remove(i);
        assert!(matches!(replay(&bad), Outcome::Refuted { step, .. } if step <= i), "{i}");
        // What is not listed may have any value.
        let mut fewer = steps.clone();
        fewer[i].state.clear();
        assert_eq!(replay(&fewer), Outcome::Accepted { assumed: None });
    }
    let bare: Vec<ListedStep> =
        steps.iter().map(|s| ListedStep { state: Vec::new(), ..s.clone() }).collect();
    assert_eq!(replay(&bare), Outcome::Accepted { assumed: None });
}
