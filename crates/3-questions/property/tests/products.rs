//! Products against the definition: on programs with few configurations, a product has a wanted run
//! exactly if the program has a fair run that violates the formula, as far as runs tried at random
//! tell; its run violates the formula; and the lifted trace is a run of the program.

use crate::common::{Config, Graph, Machine, Run, State};
use automata::ltl::{AtomId, Formula, eval_lasso, parse_with};
use check::{Frame, Goal, Lasso, Op, Partial, Segment, SegmentId, Step, Temporal, Trace};
use ir::{EdgeId, EdgeKind, Id, IndexVec, Layout, Program, Scalar, Type, VarId};
use property::{Product, Property, Question};
use std::collections::{BTreeMap, BTreeSet};
use testkit::rng::Rng;

const MOST: usize = 300;
const HIGHEST: usize = 5;

/// Where a letter is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    At(ir::NodeId),
    Terminated,
    Failed,
}

type Holds = Box<dyn Fn(Where, &State) -> bool>;

/// An atom and what it means, said again.
struct KnownAtom {
    text: String,
    holds: Holds,
}

fn product(property: &Property, program: &Program) -> Product {
    product_within(property, program, &automata::Options::default())
}

fn product_within(property: &Property, program: &Program, options: &automata::Options) -> Product {
    match property.question_within(program, options) {
        Ok(Question::Product(product)) => *product,
        other => panic!("{property:?}: {other:?}"),
    }
}

/// No automaton is small enough for these.
fn promised() -> automata::Options {
    automata::Options { max_states: 0, ..automata::Options::plain() }
}

/// The atoms that a program offers.
fn atoms(program: &Program) -> Vec<KnownAtom> {
    let mut out: Vec<KnownAtom> = Vec::new();
    let mut add = |text: String, holds: Holds| {
        out.push(KnownAtom { text, holds });
    };
    add("terminated".into(), Box::new(|at, _| at == Where::Terminated));
    add("error".into(), Box::new(|at, _| at == Where::Failed));
    for p in program.procs.ids() {
        let nodes: Vec<_> = program.procs[p].node_ids().collect();
        let name = program.proc_name(p).to_owned();
        let inside = nodes.clone();
        add(
            format!("in({name})"),
            Box::new(move |at, _| matches!(at, Where::At(n) if inside.contains(&n))),
        );
        for &n in nodes.iter() {
            for label in program.labels.iter().filter(|l| l.node == n) {
                let text = format!("at({name}:{})", program.text(label.name));
                add(text, Box::new(move |at, _| at == Where::At(n)));
            }
        }
        for &var in program.procs[p].locals.iter().filter(|&&v| !program.vars[v].hidden) {
            let nodes = nodes.clone();
            let here = move |at: Where| matches!(at, Where::At(n) if nodes.contains(&n));
            let text = format!("{name}::{}", program.var_name(var));
            variable(text, var, program.vars[var].ty, here, &mut add);
        }
    }
    for &var in program.globals.iter().filter(|&&v| !program.vars[v].hidden) {
        let text = program.var_name(var).to_owned();
        variable(text, var, program.vars[var].ty, |_| true, &mut add);
    }
    out
}

fn variable(
    text: String,
    var: VarId,
    ty: Type,
    here: impl Fn(Where) -> bool + Clone + 'static,
    add: &mut impl FnMut(String, Holds),
) {
    let value = move |state: &State, cell: usize| state.get(&var).map_or(0, |cells| cells[cell]);
    match (ty.scalar, ty.array) {
        (Scalar::Bool, None) => {
            let also = here.clone();
            add(format!("\"!{text}\""), Box::new(move |at, s| also(at) && value(s, 0) == 0));
            add(text, Box::new(move |at, s| here(at) && value(s, 0) == 1));
        }
        (Scalar::Int { .. }, None) => {
            let also = here.clone();
            add(format!("\"{text} < 1\""), Box::new(move |at, s| also(at) && value(s, 0) < 1));
            let text = format!("\"{text} * 2 - 1 = 1 | 2 <= {text}\"");
            add(text, Box::new(move |at, s| here(at) && value(s, 0) >= 1));
        }
        (scalar, Some(dim)) => {
            let compare = if scalar == Scalar::Bool { "" } else { " == 1" };
            let text = format!("\"{text}[{} - 1]{compare}\"", dim.lo + 1);
            add(text, Box::new(move |at, s| here(at) && value(s, 0) == 1));
        }
    }
}

/// A random formula over atoms.
fn formula(rng: &mut Rng, atoms: &[KnownAtom], depth: usize) -> String {
    if depth == 0 || rng.chance(15) {
        return rng.pick(atoms).text.clone();
    }
    let part = |rng: &mut Rng| formula(rng, atoms, depth - 1);
    match rng.below(7) {
        0..4 => format!("{} ({})", rng.pick(&["!", "X", "F", "G", "G", "F", "G F"]), part(rng)),
        _ => {
            let op = *rng.pick(&["&&", "||", "->", "<->", "U", "R", "W", "M", "^"]);
            format!("({}) {op} ({})", part(rng), part(rng))
        }
    }
}

/// The letters of a run: a truth value for each atom, and the length of the part before the cycle.
struct Word {
    letters: Vec<(Where, State)>,
    stem: usize,
}

fn parsed(program: &Program, text: &str) -> Formula {
    let known = |word: &str| program.globals.iter().any(|&g| program.var_name(g) == word);
    parse_with(text, &known).unwrap()
}

fn satisfies(word: &Word, formula: &Formula, told: &[KnownAtom]) -> bool {
    let cycle = word.letters.len() - word.stem;
    let holds = |i: usize, atom: AtomId| {
        let name = formula.formulas.atoms()[atom.index()].to_string();
        let told = told.iter().find(|t| t.text == name);
        let told = told.unwrap_or_else(|| panic!("no atom {name}"));
        (told.holds)(word.letters[i].0, &word.letters[i].1)
    };
    eval_lasso(&formula.formulas, formula.root, word.stem, cycle, holds)
}

/// The judge's formula, by the definition of its operators.
fn judged(word: &Word, temporal: &Temporal, machine: &Machine<'_>) -> bool {
    let mut later = vec![vec![true; word.letters.len()]; temporal.watch.len()];
    loop {
        let values = values(word, temporal, machine, &later);
        let next: Vec<Vec<bool>> =
            temporal.watch.iter().map(|body| values[body.index()].clone()).collect();
        if next == later {
            return values[temporal.root.index()][0];
        }
        later = next;
    }
}

/// The truth of every subformula at every position; `later` has that of what states demand.
fn values(
    word: &Word,
    temporal: &Temporal,
    machine: &Machine<'_>,
    later: &[Vec<bool>],
) -> Vec<Vec<bool>> {
    let n = word.letters.len();
    let next = |i: usize| if i + 1 < n { i + 1 } else { word.stem };
    let mut values: Vec<Vec<bool>> = Vec::new();
    for op in temporal.ops.iter() {
        let get = |f: check::OpId| &values[f.index()];
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut v = vec![start; n];
            for _ in 0..=n {
                v = (0..n).map(|i| step(i, v[next(i)])).collect();
            }
            v
        };
        let row = match *op {
            Op::True => vec![true; n],
            Op::Atom(a) => word
                .letters
                .iter()
                .map(|(at, state)| {
                    let meaning = &temporal.atoms[a as usize];
                    machine.holds(
                        match at {
                            Where::At(node) => meaning.at[*node],
                            Where::Terminated => meaning.terminated,
                            Where::Failed => meaning.failed,
                        },
                        state,
                    )
                })
                .collect(),
            Op::Not(f) => get(f).iter().map(|v| !v).collect(),
            Op::And(f, g) => (0..n).map(|i| get(f)[i] && get(g)[i]).collect(),
            Op::Or(f, g) => (0..n).map(|i| get(f)[i] || get(g)[i]).collect(),
            Op::Next(f) => (0..n).map(|i| get(f)[next(i)]).collect(),
            Op::Until(f, g) => fixpoint(false, &|i, later| get(g)[i] || (get(f)[i] && later)),
            Op::Release(f, g) => fixpoint(true, &|i, later| get(g)[i] && (get(f)[i] || later)),
            Op::Later(state) => (0..n).map(|i| later[state as usize][next(i)]).collect(),
        };
        values.push(row);
    }
    values
}

/// The program with the judge's expressions, so that they can be evaluated.
fn with_exprs(program: &Program, temporal: &Temporal) -> Program {
    let mut out = program.clone();
    out.exprs = temporal.exprs.clone();
    out
}

/// The letter that is read in a configuration of the program.
fn place(program: &Program, config: &Config) -> (Where, State) {
    let Some((node, _, locals)) = config.frames.last() else {
        return (Where::Terminated, config.globals.clone());
    };
    let mut state = config.globals.clone();
    state.extend(locals.clone());
    let failed = program.procs.iter().any(|p| p.error == Some(*node));
    (if failed { Where::Failed } else { Where::At(*node) }, state)
}

/// The letters of a run of the product.
fn word_of_product(program: &Program, product: &Product, graph: &Graph, run: &Run) -> Word {
    let mut word = Word { letters: Vec::new(), stem: 0 };
    for (i, &(config, edge)) in run.steps.iter().enumerate() {
        if i == run.cycle {
            word.stem = word.letters.len();
        }
        if !product.program.edges[edge].step {
            continue;
        }
        let mut config = graph.configs[config].clone();
        for state in product.state.iter().chain(&product.waiting) {
            config.globals.remove(state);
        }
        // The bottom frame is the caller of the entry procedure.
        config.frames.remove(0);
        word.letters.push(place(program, &config));
    }
    word
}

/// A run of the program at random, if it comes to a cycle with a step in it.
fn random_word(program: &Program, graph: &Graph, rng: &mut Rng) -> Option<Word> {
    let mut at = *rng.pick(&graph.initial);
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    let mut letters = Vec::new();
    loop {
        if let Some(&stem) = seen.get(&at)
            && rng.chance(60)
        {
            return (stem < letters.len()).then_some(Word { letters, stem });
        }
        seen.insert(at, letters.len());
        let (here, state) = place(program, &graph.configs[at]);
        if !matches!(here, Where::At(_)) {
            letters.push((here, state));
            let stem = letters.len() - 1;
            return Some(Word { letters, stem });
        }
        if graph.out[at].is_empty() || letters.len() > 200 {
            return None;
        }
        let &(edge, to) = rng.pick(&graph.out[at]);
        if program.edges[edge].step {
            letters.push((here, state));
        }
        at = to;
    }
}

/// A run of the product as a trace.
fn trace(product: &Product, graph: &Graph, run: &Run) -> Trace {
    let program = &*product.program;
    let layout = Layout::new(program);
    let partial = |config: &Config, proc: ir::ProcId| {
        let mut out = Partial::unknown(layout.global_bits + layout.frame_bits[proc]);
        let locals = config.frames.last().map(|f| &f.2);
        for (base, state) in [(0, Some(&config.globals)), (layout.global_bits, locals)] {
            for (&var, cells) in state.into_iter().flatten() {
                for (i, &value) in cells.iter().enumerate() {
                    let bits = layout.slot(var).cell(i as u32);
                    out.set_number(base + bits.start..base + bits.end, Some(value));
                }
            }
        }
        out
    };
    let mut segments: IndexVec<SegmentId, Segment> = IndexVec::new();
    let mut frames = vec![Frame { proc: program.entry, steps: Vec::new() }];
    let mut lasso = None;
    for (i, &(at, edge)) in run.steps.iter().enumerate() {
        let config = &graph.configs[at];
        let top = frames.len() - 1;
        if i == run.cycle {
            lasso = Some(Lasso::Loop { frame: top, step: frames[top].steps.len() });
        }
        let proc = frames[top].proc;
        frames[top].steps.push(Step { edge, state: partial(config, proc), inside: None });
        match &program.edges[edge].kind {
            EdgeKind::Local { .. } => {}
            EdgeKind::Call(call) => frames.push(Frame { proc: call.callee, steps: Vec::new() }),
            EdgeKind::Return { .. } => {
                let frame = frames.pop().unwrap();
                let exit = Partial::unknown(layout.global_bits + layout.result_bits[proc]);
                let id = segments.push(Segment { proc, steps: frame.steps, exit });
                let caller = frames.last_mut().unwrap().steps.last_mut().unwrap();
                caller.inside = Some(id);
            }
        }
    }
    let first = &graph.configs[run.steps[run.cycle].0];
    let last = frames.last().unwrap().proc;
    Trace {
        segments,
        target: first.frames.last().unwrap().0,
        end: partial(first, last),
        frames,
        shortest: false,
        lasso,
    }
}

/// The edges of a trace in order, and where the loop begins.
fn flatten(trace: &Trace) -> (Vec<(EdgeId, Partial)>, Option<usize>) {
    fn steps(trace: &Trace, list: &[Step], out: &mut Vec<(EdgeId, Partial)>) {
        for step in list {
            out.push((step.edge, step.state.clone()));
            if let Some(id) = step.inside {
                steps(trace, &trace.segments[id].steps, out);
            }
        }
    }
    let mut out = Vec::new();
    let mut start = None;
    for (i, frame) in trace.frames.iter().enumerate() {
        match trace.lasso {
            Some(Lasso::Loop { frame: f, step }) if f == i => {
                steps(trace, &frame.steps[..step], &mut out);
                start = Some(out.len());
                steps(trace, &frame.steps[step..], &mut out);
            }
            _ => steps(trace, &frame.steps, &mut out),
        }
    }
    (out, start)
}

/// Runs the trace on the program: the letters it reads.
fn execute(program: &Program, graph: &Graph, trace: &Trace) -> Word {
    let layout = Layout::new(program);
    let agrees = |config: &Config, claim: &Partial| {
        let locals = config.frames.last().map(|f| &f.2);
        [(0, Some(&config.globals)), (layout.global_bits, locals)].into_iter().all(|(base, s)| {
            s.into_iter().flatten().all(|(&var, cells)| {
                cells.iter().enumerate().all(|(i, &value)| {
                    let bits = layout.slot(var).cell(i as u32);
                    let claimed = claim.number(base + bits.start..base + bits.end);
                    claimed.is_none_or(|c| c == value)
                })
            })
        })
    };
    let (edges, start) = flatten(trace);
    // Claims tell the top of the stack and the globals; frames below may differ. With each
    // configuration goes the one at the start of the loop.
    let mut now: BTreeSet<(usize, Option<usize>)> =
        graph.initial.iter().map(|&c| (c, None)).collect();
    let mut letters = Vec::new();
    let mut stem = 0;
    let letter = |now: &BTreeSet<(usize, Option<usize>)>| {
        let mut all: Vec<_> = now.iter().map(|&(c, _)| place(program, &graph.configs[c])).collect();
        all.dedup();
        assert_eq!(all.len(), 1, "a trace tells the top of the stack");
        all.remove(0)
    };
    for (i, (edge, claim)) in edges.iter().enumerate() {
        now.retain(|&(c, _)| agrees(&graph.configs[c], claim));
        let here = letter(&now);
        if start == Some(i) {
            stem = letters.len();
            now = now.into_iter().map(|(c, _)| (c, Some(c))).collect();
        }
        if program.edges[*edge].step {
            letters.push(here);
        }
        let out = now.iter().flat_map(|&(c, first)| {
            let out = graph.out[c].iter().filter(|(e, _)| e == edge);
            out.map(move |&(_, to)| (to, first))
        });
        now = out.collect();
    }
    now.retain(|&(c, _)| agrees(&graph.configs[c], &trace.end));
    match trace.lasso.unwrap() {
        Lasso::Loop { .. } => {
            now.retain(|&(c, first)| Some(c) == first);
            assert!(!now.is_empty(), "the loop closes");
            assert_eq!(letter(&now).0, Where::At(trace.target));
        }
        stutter => {
            let (at, state) = letter(&now);
            let expected = if stutter == Lasso::Failed { Where::Failed } else { Where::Terminated };
            assert_eq!(at, expected);
            stem = letters.len();
            letters.push((at, state));
        }
    }
    Word { letters, stem }
}

#[derive(Default, Debug)]
struct Tally {
    pairs: usize,
    violated: usize,
    loops: usize,
    terminated: usize,
    failed: usize,
    words: usize,
}

/// Checks one pair; `None` if the product is too large.
fn check_pair(
    program: &Program,
    graph: &Graph,
    told: &[KnownAtom],
    property: &Property,
    rng: &mut Rng,
    tally: &mut Tally,
    options: &automata::Options,
) -> Option<()> {
    let Property::Ltl { formula, fair } = property else { panic!() };
    let context = || format!("{property:?}\n{}", ir::dump(program));
    let product = product_within(property, program, options);
    if let Err(problem) = product.program.validate() {
        panic!("{problem}: {}\n{}", context(), ir::dump(&product.program));
    }
    let Goal::Repeat { marks } = product.goal else { panic!() };
    assert!(marks >= 1 && marks == product.automaton.marks);
    let product_machine = Machine::new(&product.program);
    let product_graph = Graph::new(&product_machine, 20 * MOST, HIGHEST + 1)?;
    let run = product_graph.repeating(&product.program, marks);
    let root = parsed(program, formula);
    let fair: Vec<Formula> = fair.iter().map(|f| parsed(program, &format!("G F ({f})"))).collect();
    let is_fair = |word: &Word| fair.iter().all(|f| satisfies(word, f, told));
    let temporal = product.temporal.as_ref().unwrap();
    let extended = with_exprs(program, temporal);
    let judge = Machine::new(&extended);
    tally.pairs += 1;
    match run {
        Some(run) => {
            tally.violated += 1;
            let word = word_of_product(program, &product, &product_graph, &run);
            assert!(is_fair(&word), "unfair: {}", context());
            assert!(!satisfies(&word, &root, told), "no violation: {}", context());
            assert!(!judged(&word, temporal, &judge), "{}", context());
            let trace = trace(&product, &product_graph, &run);
            let lifted = product.trace(program, &trace).unwrap();
            match lifted.lasso.unwrap() {
                Lasso::Loop { .. } => tally.loops += 1,
                Lasso::Terminated => tally.terminated += 1,
                Lasso::Failed => tally.failed += 1,
            }
            let word = execute(program, graph, &lifted);
            assert!(!judged(&word, temporal, &judge), "lifted: {}", context());
        }
        None => {
            for _ in 0..30 {
                let Some(word) = random_word(program, graph, rng) else { continue };
                tally.words += 1;
                assert!(judged(&word, temporal, &judge), "missed: {}", context());
                assert!(!is_fair(&word) || satisfies(&word, &root, told), "missed: {}", context());
            }
        }
    }
    Some(())
}

#[test]
fn products_of_random_programs() {
    let mut tally = Tally::default();
    for seed in 0..400u64 {
        let program = testkit::random_program(seed);
        let machine = Machine::new(&program);
        let Some(graph) = Graph::new(&machine, MOST, HIGHEST) else { continue };
        if graph.initial.is_empty() {
            continue;
        }
        let told = atoms(&program);
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let formula = formula(&mut rng, &told, 3);
            let fair = match rng.below(4) {
                0 => vec![format!("!{}", rng.pick(&told).text)],
                1 => vec![rng.pick(&told).text.clone()],
                _ => Vec::new(),
            };
            let property = Property::Ltl { formula, fair };
            let options = automata::Options::default();
            let _ = check_pair(&program, &graph, &told, &property, &mut rng, &mut tally, &options);
        }
    }
    // The test says something only if all kinds of answers occur.
    assert!(tally.pairs > 300 && tally.words > 500, "{tally:?}");
    assert!(tally.loops > 30 && tally.terminated > 30 && tally.failed > 10, "{tally:?}");
}

#[test]
fn promises_of_random_programs() {
    let mut tally = Tally::default();
    let mut many = 0;
    for seed in 0..150u64 {
        let program = testkit::random_program(seed);
        let machine = Machine::new(&program);
        let Some(graph) = Graph::new(&machine, MOST / 5, HIGHEST) else { continue };
        if graph.initial.is_empty() {
            continue;
        }
        let told = atoms(&program);
        let mut rng = Rng::new(seed ^ 0x9e37);
        for _ in 0..3 {
            let formula = formula(&mut rng, &told, 2);
            let mut atom = || rng.pick(&told).text.clone();
            let fair = match seed % 3 {
                0 => vec![format!("G F {} -> G F {}", atom(), atom())],
                1 => (0..seed % 7).map(|_| atom()).collect(),
                _ => Vec::new(),
            };
            let property = Property::Ltl { formula, fair };
            let made = product_within(&property, &program, &promised());
            assert_eq!(made.state.len(), made.automaton.promises);
            many += usize::from(made.state.len() > 3);
            // What may become anything is listed here.
            if made.state.len() + made.waiting.len() > 5 {
                continue;
            }
            let _ =
                check_pair(&program, &graph, &told, &property, &mut rng, &mut tally, &promised());
        }
    }
    assert!(tally.pairs > 40 && tally.words > 40 && many > 10, "{tally:?} {many}");
    assert!(tally.loops > 2 && tally.terminated > 2 && tally.failed > 0, "{tally:?}");
}

#[test]
fn an_automaton_without_states_to_tell_apart_needs_no_variable() {
    let program = testkit::random_program(1);
    let product = product(&Property::ltl("false"), &program);
    assert_eq!((product.automaton.states, product.automaton.marks), (1, 1));
    assert!(product.state.is_empty());
    let steps = product.program.edges.iter().filter(|e| e.step);
    assert!(steps.into_iter().all(|e| e.marks == 1));
    assert_eq!(product.program.globals.len(), program.globals.len());
}

/// A small product, written out: transitions that cannot read a letter at a node are not there.
#[test]
fn a_product_in_full() {
    let text = "decl g; void main() begin while g do R: g := *; od end";
    let file = source::SourceFile::new("f.bp", text).unwrap();
    let (tree, _) = front_bp::parse(text, front_bp::Dialect::Standard);
    let program = front_bp::lower(&tree, &file, &front_bp::LowerOptions::default()).unwrap();
    let product = product(&Property::ltl("G (at(R) -> F !g)"), &program);
    assert_eq!(
        ir::dump(&product.program),
        "\
global g: bool
global (automaton): int(1)
init ((automaton) == 0)
entry (run)

proc main() -> ()
  n0 entry 1:27 `while (g)`
    -> n1 [(((automaton) == 0) & g)]
    -> n1 [((((automaton) == 1) & g) & g)] marks 0b1
    -> n2 [(((automaton) == 0) & !g)]
    -> n2 [((((automaton) == 1) & g) & !g)] marks 0b1
  n1 R: 1:41 `g := *`
    -> n0 [((automaton) == 0)] g' := any; (automaton)' := any; constrain \
((((automaton) == 0) & ((automaton)' == 0)) | ((((automaton) == 0) & g) & ((automaton)' == 1)))
    -> n0 [(((automaton) == 1) & g)] g' := any; marks 0b1
  n2
    ~> return

proc (run)() -> ()
  n3 entry
    ~> call main, back to n4
  n4
    -> n4 [((automaton) == 0)]
    -> n4 [(((automaton) == 1) & g)] marks 0b1
"
    );
}
