//! Subsumption against expansion, two solvers against each other, and the text for other solvers.

use crate::support::{Rng, random_function};
use logic::{
    Aig, Batsat, Cadical, Decider, Lit, QbfStats, Relation, SatSolver, StopFlag, Stopped, Subsumed,
    never, qdimacs, reduce, run_solver, subsumed, subsumed_with,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A relation with its own vectors.
struct Owned {
    guard: Lit,
    outputs: Vec<Lit>,
}

impl Owned {
    fn relation(&self) -> Relation<'_> {
        Relation { guard: self.guard, outputs: &self.outputs }
    }
    /// Its values, by expansion.
    fn values(&self, aig: &Aig) -> BTreeSet<Vec<bool>> {
        let mut roots = self.outputs.clone();
        roots.push(self.guard);
        let support = aig.support(roots.iter().copied());
        assert!(support.len() <= 16);
        (0..1usize << support.len())
            .filter_map(|v| {
                let value = |i: Lit| {
                    let place = support.binary_search(&i).expect("in the support");
                    v >> place & 1 == 1
                };
                let mut values = aig.eval(&roots, value);
                values.pop().expect("the guard").then_some(values)
            })
            .collect()
    }
}

/// A random relation over some of the inputs: some outputs bare, guards often satisfiable.
fn random_relation(aig: &mut Aig, inputs: &[Lit], width: usize, rng: &mut Rng) -> Owned {
    let gates = 1 + rng.below(2 * inputs.len());
    let mut guard = random_function(aig, inputs, gates, rng);
    for _ in 0..rng.below(3) {
        let other = random_function(aig, inputs, gates, rng);
        guard = aig.or(guard, other);
    }
    let outputs = (0..width)
        .map(|_| match rng.below(4) {
            0 | 1 => inputs[rng.below(inputs.len())].xor_sign(rng.flip()),
            2 => random_function(aig, inputs, gates, rng),
            _ if rng.below(4) == 0 => Lit::constant(rng.flip()),
            _ => random_function(aig, inputs, 2, rng),
        })
        .collect();
    Owned { guard, outputs }
}

#[test]
fn subsumption_is_inclusion_of_the_expanded_sets() {
    let mut rng = Rng(3);
    let mut stats = QbfStats::default();
    let mut seen = [0; 2];
    for round in 0..4_000u64 {
        let mut aig = Aig::new();
        // Many inputs of the right side that no output shows keep the solvers busy.
        let many = round % 5 == 0;
        let inputs: Vec<Lit> = (0..if many { 12 } else { 8 }).map(|_| aig.input()).collect();
        let width = if many { 2 } else { 1 + rng.below(5) };
        // Sides share some of their inputs, or none, or all.
        let (from, to) = (rng.below(6), 3 + rng.below(6));
        let left = random_relation(&mut aig, &inputs[..to], width, &mut rng);
        let right: Vec<Owned> = (0..1 + rng.below(3))
            .map(|_| random_relation(&mut aig, &inputs[from..], width, &mut rng))
            .collect();
        let relations: Vec<Relation<'_>> = right.iter().map(Owned::relation).collect();
        let all: BTreeSet<Vec<bool>> = right.iter().flat_map(|r| r.values(&aig)).collect();
        let wanted = left.values(&aig).is_subset(&all);
        seen[wanted as usize] += 1;
        let wanted = if wanted { Subsumed::Yes } else { Subsumed::No };
        let answer =
            subsumed(&aig, left.relation(), &relations, u64::MAX, &never(), &mut stats).unwrap();
        assert_eq!(answer, wanted, "round {round}");
        if round % 4 == 0 {
            let mut other = QbfStats::default();
            let left = left.relation();
            let answer =
                subsumed_with::<Batsat>(&aig, left, &relations, u64::MAX, &never(), &mut other);
            assert_eq!(answer, Ok(wanted), "round {round}");
        }
        if round % 8 == 0 {
            assert_eq!(
                expand(&qdimacs(&aig, left.relation(), &relations)),
                Some(wanted == Subsumed::Yes),
                "round {round}"
            );
        }
        // A limit may leave a question open, but never answers it wrongly.
        let limited = subsumed(&aig, left.relation(), &relations, 0, &never(), &mut stats).unwrap();
        assert!(limited == wanted || limited == Subsumed::Undecided, "round {round}");
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    assert!(stats.refinements > 100 && stats.undecided > 50, "{stats:?}");
}

/// Decides QDIMACS text with one alternation by expansion. `None` if there is too much to expand.
fn expand(text: &str) -> Option<bool> {
    let mut universal: Vec<usize> = Vec::new();
    let mut clauses: Vec<Vec<i64>> = Vec::new();
    let mut counts = (0, 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers = |from: usize| {
            words[from..words.len() - 1].iter().map(|w| w.parse::<i64>().expect("a number"))
        };
        match words[0] {
            "p" => counts = (words[2].parse().expect("vars"), words[3].parse().expect("clauses")),
            "a" => universal = numbers(1).map(|n| n as usize).collect(),
            "e" => {}
            _ => clauses.push(numbers(0).collect()),
        }
    }
    assert_eq!(clauses.len(), counts.1, "{text}");
    let largest = clauses.iter().flatten().map(|l| l.unsigned_abs() as usize).max().unwrap_or(0);
    assert!(largest <= counts.0);
    if universal.len() > 8 {
        return None;
    }
    let holds = |v: usize| {
        let mut solver = Batsat::new(never());
        for clause in &clauses {
            solver.add(&clause.iter().map(|&l| l as i32).collect::<Vec<_>>());
        }
        let fixed: Vec<i32> = universal
            .iter()
            .enumerate()
            .map(|(i, &n)| if v >> i & 1 == 1 { n as i32 } else { -(n as i32) })
            .collect();
        solver.solve(&fixed).expect("not stopped")
    };
    Some((0..1usize << universal.len()).all(holds))
}

#[test]
fn the_text_for_other_solvers() {
    let mut aig = Aig::new();
    let [a, b, c] = [0; 3].map(|_| aig.input());
    let both = aig.and(a, b);
    let left = Relation { guard: Lit::TRUE, outputs: &[both] };
    let right = Relation { guard: Lit::TRUE, outputs: &[c] };
    let text = qdimacs(&aig, left, &[right]);
    assert!(text.starts_with("p cnf "), "{text}");
    assert!(text.contains("\na 1 2 0\ne 3 "), "{text}");
    assert_eq!(expand(&text), Some(true));
    assert_eq!(expand(&qdimacs(&aig, right, &[left])), Some(true));
    let narrow = Relation { guard: a, outputs: &[a] };
    assert_eq!(expand(&qdimacs(&aig, right, &[narrow])), Some(false));
    assert_eq!(qdimacs(&aig, right, &[]), "p cnf 1 1\na 1 0\n0\n");
}

#[test]
fn relations_in_normal_form_are_the_same_sets() {
    let mut rng = Rng(11);
    let mut decider: Decider<Cadical> = Decider::new(never());
    for round in 0..800 {
        let mut aig = Aig::new();
        decider.forget();
        // More inputs than are simulated: values are asked from the solver.
        let many = round % 100 == 0;
        let inputs: Vec<Lit> = (0..if many { 15 } else { 9 }).map(|_| aig.input()).collect();
        let width = 1 + rng.below(5);
        let parameters: Vec<Lit> = inputs[..rng.below(4)].to_vec();
        let relation = random_relation(&mut aig, &inputs, width, &mut rng);
        let reduced =
            reduce(&mut aig, &mut decider, relation.guard, &parameters, &relation.outputs)
                .unwrap()
                .expect("small enough");
        // With the parameters as outputs, both are plain sets.
        let with = |guard: Lit, outputs: &[Lit]| Owned {
            guard,
            outputs: parameters.iter().chain(outputs).copied().collect(),
        };
        let before = with(relation.guard, &relation.outputs);
        let after = with(reduced.guard, &reduced.outputs);
        assert_eq!(before.values(&aig), after.values(&aig), "round {round}");
        // Every choice matters: at most one new input for each output.
        let support = aig.support(after.outputs.iter().copied().chain([after.guard]));
        assert!(support.len() <= parameters.len() + width);
        assert!(aig.support([reduced.guard]).iter().all(|i| parameters.contains(i)));
    }
}

/// Subsumption questions as they come up in path edges: a random straight-line program over
/// `bits` state bits is run symbolically from a common start in two ways.
fn path_edges(bits: usize, seed: u64) -> (Aig, Owned, Vec<Owned>) {
    let mut rng = Rng(seed);
    let mut aig = Aig::new();
    let start: Vec<Lit> = (0..bits).map(|_| aig.input()).collect();
    let run = |aig: &mut Aig, steps: &[[usize; 5]], choices: bool| {
        let mut state = start.clone();
        let mut guard = Lit::TRUE;
        for &[kind, x, y, z, t] in steps {
            let (a, b, c) = (state[x], state[y], state[z]);
            match kind {
                0 => state[t] = aig.and(a, !b),
                1 => state[t] = aig.xor(a, b),
                2 => state[t] = aig.input(),
                3 if choices => {
                    let s = aig.input();
                    state[t] = aig.ite(s, a, c);
                }
                3 => state[t] = a,
                4 => {
                    let test = aig.or(a, !b);
                    let test = aig.or(test, c);
                    guard = aig.and(guard, test);
                }
                _ => state.swap(t, x),
            }
        }
        let mut outputs = start.clone();
        outputs.extend(&state);
        Owned { guard, outputs }
    };
    let steps: Vec<[usize; 5]> = (0..bits)
        .map(|_| [rng.below(6), rng.below(bits), rng.below(bits), rng.below(bits), rng.below(bits)])
        .collect();
    // The left side resolves choices that the right side leaves open; or one test is dropped on
    // the left, and then it should say no.
    let left_steps: Vec<[usize; 5]> = match seed % 3 {
        0 => {
            let drop = steps.iter().position(|s| s[0] == 4);
            steps.iter().enumerate().filter(|&(i, _)| Some(i) != drop).map(|(_, s)| *s).collect()
        }
        _ => steps.clone(),
    };
    let left = run(&mut aig, &left_steps, seed % 3 == 2);
    let right = vec![run(&mut aig, &steps, true)];
    (aig, left, right)
}

/// All of a generated suite are decided, in little time.
#[test]
#[allow(clippy::print_stderr)]
fn questions_about_many_bits_are_decided() {
    let start = Instant::now();
    let mut answers = BTreeMap::new();
    let mut stats = QbfStats::default();
    for i in 0..100 {
        let bits = 20 + (i as usize * 60) / 99;
        let (aig, left, right) = path_edges(bits, i);
        let right: Vec<Relation<'_>> = right.iter().map(Owned::relation).collect();
        let answer = subsumed(&aig, left.relation(), &right, 1_000, &never(), &mut stats).unwrap();
        *answers.entry(format!("{answer:?}")).or_insert(0) += 1;
        if i % 3 != 0 {
            assert_eq!(answer, Subsumed::Yes, "instance {i}: the left side is one of the choices");
        }
    }
    assert!(!answers.contains_key("Undecided"), "{answers:?}");
    assert!(answers.get("No").is_some_and(|&n| n >= 20), "{answers:?} {stats:?}");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?} {stats:?}", start.elapsed());
    eprintln!("100 questions in {:?}: {answers:?}, {stats:?}", start.elapsed());
}

/// What DepQBF says within the time, and how long it took; `None` if it does not run here.
fn depqbf(text: &str, limit: Duration) -> Option<(Option<bool>, Duration)> {
    let clock = Instant::now();
    let stop: StopFlag = Arc::new(move || clock.elapsed() > limit);
    let answer = run_solver("depqbf", &[], text, &stop).ok()?;
    Some((answer.unwrap_or(None), clock.elapsed()))
}

/// Another solver, by other people, on the text of small questions and of some from path edges.
#[test]
#[allow(clippy::print_stderr)]
fn depqbf_agrees() {
    let mut rng = Rng(17);
    let (mut compared, mut seen) = (0, [0; 2]);
    for round in 0..60 {
        let (aig, left, right) = match round % 3 {
            0 => path_edges(6 + round as usize / 6, round),
            _ => {
                let mut aig = Aig::new();
                let inputs: Vec<Lit> = (0..10).map(|_| aig.input()).collect();
                let width = 1 + rng.below(4);
                let left = random_relation(&mut aig, &inputs[..6], width, &mut rng);
                let right = (0..1 + rng.below(2))
                    .map(|_| random_relation(&mut aig, &inputs[3..], width, &mut rng))
                    .collect();
                (aig, left, right)
            }
        };
        let right: Vec<Relation<'_>> = right.iter().map(Owned::relation).collect();
        let text = qdimacs(&aig, left.relation(), &right);
        let Some((theirs, _)) = depqbf(&text, Duration::from_millis(500)) else {
            eprintln!("skipped: there is no depqbf (Debian has a package of that name)");
            return;
        };
        let Some(theirs) = theirs else { continue };
        let mut stats = QbfStats::default();
        let ours = subsumed(&aig, left.relation(), &right, u64::MAX, &never(), &mut stats).unwrap();
        assert_eq!(ours == Subsumed::Yes, theirs, "round {round}");
        compared += 1;
        seen[theirs as usize] += 1;
    }
    assert!(compared > 40 && seen[0] > 5 && seen[1] > 5, "{compared} compared: {seen:?}");
}

/// Processor time of this thread, and of processes that have ended.
fn processor_time() -> (Duration, Duration) {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, n: usize| -> u64 {
        text.split_whitespace().nth(n).and_then(|f| f.parse().ok()).unwrap_or(0)
    };
    let own = field(&read("/proc/thread-self/schedstat"), 0);
    let stat = read("/proc/self/stat");
    // Behind the name, which is in parentheses: user and system time of children, in 1/100 s.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let children = field(rest, 13) + field(rest, 14);
    (Duration::from_nanos(own), Duration::from_millis(10 * children))
}

/// The suite of 100 against DepQBF: processor time, so that a busy machine does not matter.
/// `-- --ignored --nocapture against_depqbf` prints what `bench/record` holds.
#[test]
#[ignore = "needs depqbf, and minutes"]
#[allow(clippy::print_stderr)]
fn against_depqbf() {
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    // For those that DepQBF decides.
    let (mut ours_there, mut theirs_there, mut decided) = (Duration::ZERO, Duration::ZERO, 0);
    eprintln!("instance,bits,answer,refinements,postbop_ms,depqbf,depqbf_ms");
    for i in 0..100 {
        let bits = 20 + (i as usize * 60) / 99;
        let (aig, left, right) = path_edges(bits, i);
        let right: Vec<Relation<'_>> = right.iter().map(Owned::relation).collect();
        let mut stats = QbfStats::default();
        let (start, _) = processor_time();
        // As in the engines: with their limit on refinements.
        let answer = subsumed(&aig, left.relation(), &right, 2_000, &never(), &mut stats).unwrap();
        let (end, before) = processor_time();
        let our_time = end - start;
        let text = qdimacs(&aig, left.relation(), &right);
        let three_seconds = ["-c".to_owned(), "ulimit -t 3; exec depqbf".to_owned()];
        let other = run_solver("sh", &three_seconds, &text, &never());
        let other = other.expect("a shell").expect("never stopped");
        let their_time = processor_time().1 - before;
        if i == 2 && decided == 0 {
            eprintln!("depqbf does not run here, or decides nothing");
            return;
        }
        ours += our_time;
        theirs += their_time;
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let said = match other {
            Some(true) => "Yes",
            Some(false) => "No",
            None => "",
        };
        eprintln!(
            "{i},{bits},{answer:?},{},{:.2},{said},{:.0}",
            stats.refinements,
            ms(our_time),
            ms(their_time)
        );
        assert_ne!(answer, Subsumed::Undecided, "instance {i}");
        if let Some(other) = other {
            decided += 1;
            ours_there += our_time;
            theirs_there += their_time;
            assert_eq!(answer == Subsumed::Yes, other, "instance {i}");
        }
    }
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    let there = theirs_there.as_secs_f64() / ours_there.as_secs_f64();
    eprintln!("postbop: 100 of 100 in {ours:.2?}; depqbf: {decided} within 3 s each, {theirs:.2?}");
    eprintln!("ratio {ratio:.0} in total, {there:.0} on those that both decide");
    assert!(ratio >= 20.0);
}

/// How much memory solvers take, beside what is said of them: `--ignored --nocapture memory_of`.
#[test]
#[ignore = "for measuring, where there is /proc"]
#[allow(clippy::print_stderr)]
fn memory_of_solvers() {
    let resident = || -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 4096
    };
    for (inputs, gates) in [(1_000, 20_000), (1_000, 200_000), (100_000, 1_000_000)] {
        let mut rng = Rng(5);
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = (0..inputs).map(|_| aig.input()).collect();
        let root = random_function(&mut aig, &leaves, gates / 3, &mut rng);
        let clock = Instant::now();
        let stop: StopFlag = Arc::new(move || clock.elapsed() > Duration::from_secs(5));
        let before = resident();
        let mut clauses: logic::Clauses<Cadical> = logic::Clauses::new(stop);
        let loaded = clauses.literal(&aig, root).map(|_| resident() - before);
        let _ = clauses.solve(&aig, &[root]);
        let _ = clauses.solve(&aig, &[!root]);
        eprintln!(
            "{} variables: {loaded:?} loaded, {} solved, said to be {}",
            clauses.len(),
            resident() - before,
            clauses.bytes()
        );
    }
}

#[test]
fn a_stopped_question_ends_at_once() {
    // Has this prime two factors below 2^26? The solver is kept busy.
    let mut aig = Aig::new();
    let a: Vec<Lit> = (0..26).map(|_| aig.input()).collect();
    let b: Vec<Lit> = (0..26).map(|_| aig.input()).collect();
    let mut sum = vec![Lit::FALSE; 52];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = Lit::FALSE;
        for (j, &y) in b.iter().enumerate() {
            let bit = aig.and(x, y);
            let half = aig.xor(sum[i + j], bit);
            let generate = aig.and(sum[i + j], bit);
            sum[i + j] = aig.xor(half, carry);
            let propagate = aig.and(half, carry);
            carry = aig.or(generate, propagate);
        }
        sum[i + 26] = carry;
    }
    // A prime of 50 bits.
    let number = 1_125_899_906_842_597u64;
    let roots: Vec<Lit> =
        sum.iter().enumerate().map(|(i, s)| s.xor_sign(number >> i & 1 == 0)).collect();
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let mut decider: Decider<Cadical> =
        Decider::new(Arc::new(move || seen.load(Ordering::Relaxed)));
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let answer = decider.satisfiable(&aig, &roots);
    let since = killer.join().expect("the other thread ends").elapsed();
    assert_eq!(answer, Err(Stopped));
    assert!(since < Duration::from_millis(500), "stopped {since:?} after being told to");
}

#[test]
fn other_solvers_are_run() {
    let answer = |program: &str, args: &[&str]| {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        run_solver(program, &args, "p cnf 0 0\n", &never())
    };
    assert!(answer("/nonexistent/solver", &[]).is_err());
    if cfg!(unix) {
        let code = |n: &str| answer("sh", &["-c", &format!("cat >/dev/null; exit {n}")]);
        assert_eq!(code("10").unwrap(), Ok(Some(true)));
        assert_eq!(code("20").unwrap(), Ok(Some(false)));
        assert_eq!(code("0").unwrap(), Ok(None));
        let clock = Instant::now();
        let stop: StopFlag = Arc::new(move || clock.elapsed() > Duration::from_millis(100));
        let answer = run_solver("sleep", &["20".to_owned()], "", &stop);
        assert_eq!(answer.unwrap(), Err(Stopped));
        assert!(clock.elapsed() < Duration::from_secs(5));
    }
}
