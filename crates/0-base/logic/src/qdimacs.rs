//! Questions of subsumption for other solvers: QDIMACS text, and a process that reads it.

use crate::{Aig, Lit, Relation, StopFlag, Stopped};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The question of [`crate::subsumed`] as a prenex formula in clauses: true iff the answer is yes.
///
/// Universal: the inputs of `left`. Existential: those of `right`, and a variable for each gate.
pub fn qdimacs(from: &Aig, left: Relation<'_>, right: &[Relation<'_>]) -> String {
    let mut aig = Aig::new();
    let mut universal: Vec<Lit> = Vec::new();
    let mut existential: Vec<Lit> = Vec::new();
    let read = |aig: &mut Aig, relation: Relation<'_>, inputs: &mut Vec<Lit>| {
        let mut roots: Vec<Lit> = relation.outputs.to_vec();
        roots.push(relation.guard);
        aig.import(from, &roots, |aig, _| {
            let input = aig.input();
            inputs.push(input);
            input
        })
    };
    let omega = read(&mut aig, left, &mut universal);
    let width = left.outputs.len();
    let mut holds = !omega[width];
    for &relation in right {
        let own = read(&mut aig, relation, &mut existential);
        let equal = aig.equal(&own[..width], &omega[..width]);
        let part = aig.and(own[width], equal);
        holds = aig.or(holds, part);
    }
    let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
    for input in universal.iter().chain(&existential) {
        let next = numbers.len() + 1;
        numbers.insert(input.node(), next);
    }
    let gates: Vec<u32> =
        aig.cone([holds]).into_iter().filter(|&n| aig.children(n).is_some()).collect();
    for &gate in &gates {
        let next = numbers.len() + 1;
        numbers.insert(gate, next);
    }
    let name = |lit: Lit| {
        let number = numbers[&lit.node()] as i64;
        if lit.is_complement() { -number } else { number }
    };
    let mut clauses = String::new();
    let mut count = 1;
    for &gate in &gates {
        let (a, b) = aig.children(gate).expect("a gate has children");
        let (v, a, b) = (name(Lit::of_node(gate)), name(a), name(b));
        let _ = writeln!(clauses, "{} {a} 0\n{} {b} 0\n{v} {} {} 0", -v, -v, -a, -b);
        count += 3;
    }
    let _ = match holds {
        Lit::TRUE => {
            count -= 1;
            Ok(())
        }
        Lit::FALSE => writeln!(clauses, "0"),
        holds => writeln!(clauses, "{} 0", name(holds)),
    };
    let mut out = format!("p cnf {} {count}\n", numbers.len());
    let mut block = |quantifier: char, first: usize, last: usize| {
        if first <= last {
            let _ = write!(out, "{quantifier}");
            (first..=last).for_each(|n| {
                let _ = write!(out, " {n}");
            });
            out.push_str(" 0\n");
        }
    };
    block('a', 1, universal.len());
    block('e', universal.len() + 1, numbers.len());
    out + &clauses
}

/// Runs a QBF solver on the text. `None` if it gives no answer.
///
/// The text goes to the standard input of `program`. Solvers tell their answer by exit codes 10
/// (true) and 20 (false), most print a line `s cnf 1` or `s cnf 0` as well. The process is ended
/// when `stop` says so.
pub fn run_solver(
    program: &str,
    args: &[String],
    text: &str,
    stop: &StopFlag,
) -> io::Result<Result<Option<bool>, Stopped>> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let stdin = child.stdin.take();
    let mut stdout = child.stdout.take();
    std::thread::scope(|scope| {
        // A solver may answer before it has read everything: a broken pipe is no error.
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(text.as_bytes())));
        let reader = scope.spawn(move || {
            let mut answer = Vec::new();
            if let Some(pipe) = &mut stdout {
                let _ = io::Read::read_to_end(pipe, &mut answer);
            }
            answer
        });
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if stop() {
                child.kill()?;
                child.wait()?;
                return Ok(Err(Stopped));
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        };
        let printed = reader.join().unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let line = |start: &str| printed.lines().any(|l| l.starts_with(start));
        Ok(Ok(match status.code() {
            Some(10) => Some(true),
            Some(20) => Some(false),
            _ if line("s cnf 1") || line("r SAT") => Some(true),
            _ if line("s cnf 0") || line("r UNSAT") => Some(false),
            _ => None,
        }))
    })
}
