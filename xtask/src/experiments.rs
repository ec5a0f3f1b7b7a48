//! `experiments`: the figures of [moped §5, §6] with the paper's values beside ours.
//!
//! The paper's times are those of an Ultrasparc 60 in 2001: compare how they grow, not the seconds.
//! Our memory is that of the whole process.

use crate::bench::ending;
use crate::run::{Ran, build, counters, machine, run_bop, verdicts};
use std::path::{Path, PathBuf};

/// A line of a figure.
struct Line {
    /// What is varied.
    what: String,
    /// Time and memory in the paper.
    paper: &'static str,
    /// Arguments of `bop gen`.
    program: Vec<String>,
    /// One list of arguments of `bop check` for each column of ours.
    runs: Vec<Vec<&'static str>>,
    /// The verdict that all of them must give.
    expect: &'static str,
}

/// A figure of the paper.
struct Figure {
    number: &'static str,
    title: &'static str,
    /// Names of our columns.
    columns: &'static [&'static str],
    lines: Vec<Line>,
}

fn quicksort(bits: u32, len: u32, more: &[&str]) -> Vec<String> {
    let mut out = vec!["quicksort".to_owned()];
    out.extend(["--bits".to_owned(), bits.to_string(), "--len".to_owned(), len.to_string()]);
    out.extend(more.iter().map(|&m| m.to_owned()));
    out
}

fn figures() -> Vec<Figure> {
    vec![termination(), correctness(), improvements(), comparison()]
}

/// Fig. 2: does Quicksort end? The array is abstracted away.
fn termination() -> Figure {
    const POST: &[&str] = &["--terminates", "--engine", "post"];
    let line = |bits: u32, paper, faulty: bool| Line {
        what: format!("{} n={bits}", if faulty { "faulty" } else { "corrected" }),
        paper,
        program: match faulty {
            true => quicksort(bits, 4, &["--no-array", "--faulty"]),
            false => quicksort(bits, 4, &["--no-array"]),
        },
        runs: vec![POST.to_vec()],
        expect: if faulty { "violated" } else { "holds" },
    };
    let faulty = ["0.14 s", "0.39 s", "1.37 s", "6.86 s", "53 s", "592 s", "> 3600 s"];
    let corrected = ["0.22 s", "0.67 s", "3.63 s", "48.67 s", "1238 s", "> 3600 s", ""];
    let lines = (3..).zip(faulty).map(|(bits, paper)| line(bits, paper, true));
    let lines = lines.chain((3..).zip(corrected).map(|(bits, paper)| line(bits, paper, false)));
    Figure {
        number: "2",
        title: "termination of Quicksort",
        columns: &["post"],
        lines: lines.collect(),
    }
}

/// Fig. 3: does Quicksort sort?
fn correctness() -> Figure {
    const RUNS: [&[&str]; 2] =
        [&["--reach", "BAD", "--engine", "summary"], &["--reach", "BAD", "--engine", "post"]];
    // The last three are beyond the paper's.
    let sizes = [(3, 4), (3, 5), (3, 6), (4, 4), (4, 5), (4, 6), (4, 7), (4, 8), (5, 6), (5, 7)];
    let normal = ["1 s", "4 s", "38 s", "3 s", "24 s", "193 s", "1742 s", "", "", ""];
    let random = ["1 s", "8 s", "82 s", "6 s", "48 s", "531 s", "> 3600 s", "", "", ""];
    let mut lines = Vec::new();
    for (pivot, papers, more) in
        [("", normal, &[][..]), (", random pivot", random, &["--random-pivot"][..])]
    {
        for ((bits, len), paper) in sizes.into_iter().zip(papers) {
            lines.push(Line {
                what: format!("n={bits} m={len}{pivot}"),
                paper,
                program: quicksort(bits, len, more),
                runs: RUNS.iter().map(|r| r.to_vec()).collect(),
                expect: "unreachable",
            });
        }
    }
    Figure { number: "3", title: "correctness of sorting", columns: &["summary", "post"], lines }
}

/// Fig. 4: what each improvement is worth.
fn improvements() -> Figure {
    const BASE: [&str; 4] = ["--ltl", "G !at(BAD)", "--engine", "post"];
    let line = |what: &str, paper, (bits, len), more: &[&'static str]| {
        let mut run = BASE.to_vec();
        match more {
            ["--engine", engine] => run[3] = engine,
            _ => run.extend(more),
        }
        let program = quicksort(bits, len, &[]);
        Line { what: what.to_owned(), paper, program, runs: vec![run], expect: "holds" }
    };
    Figure {
        number: "4",
        title: "impact of the improvements (`G !at(BAD)`; n=3 m=4, and n=3 m=6)",
        columns: &["ours"],
        lines: vec![
            line("NONE: all of them", "1.02 s", (3, 4), &[]),
            line("VORD: --no-order", "49 s", (3, 4), &["--no-order"]),
            line("PROC: --engine pre", "624 s", (3, 4), &["--engine", "pre"]),
            line("REPH: --no-rough-components", "", (3, 4), &["--no-rough-components"]),
            line("REPH, quadratic: --heads saturation", "", (3, 4), &["--heads", "saturation"]),
            line(
                "… and --no-rough-components",
                "1.39 s",
                (3, 4),
                &["--heads", "saturation", "--no-rough-components"],
            ),
            line("NONE36", "38 s", (3, 6), &[]),
            line("REPH36: --no-rough-components", "", (3, 6), &["--no-rough-components"]),
            line(
                "… quadratic",
                "66 s",
                (3, 6),
                &["--heads", "saturation", "--no-rough-components"],
            ),
        ],
    }
}

/// Fig. 5: T(N) of [bebop Fig. 4].
fn comparison() -> Figure {
    const RUNS: [&[&str]; 2] =
        [&["--reach", "reach", "--engine", "post"], &["--reach", "reach", "--engine", "summary"]];
    let papers = ["0.50 s", "0.94 s", "1.46 s", "1.99 s", "2.41 s", "4.85 s", "13.63 s"];
    let sizes = [200, 400, 600, 800, 1000, 2000, 5000];
    let lines = sizes.into_iter().zip(papers).map(|(n, paper)| Line {
        what: format!("N={n}"),
        paper,
        program: vec!["bebop-t".to_owned(), n.to_string()],
        runs: RUNS
            .iter()
            .map(|r| r.iter().copied().chain(["--max-steps", "1000"]).collect())
            .collect(),
        expect: "reachable",
    });
    Figure {
        number: "5",
        title: "T(N); the paper has 155 nodes for every N",
        columns: &["post", "summary"],
        lines: lines.collect(),
    }
}

/// Runs the figures, or the one that is named.
pub(crate) fn experiments(args: &[&str]) -> Result<(), String> {
    let (limit, rest) = match args {
        ["--limit", seconds, rest @ ..] => {
            (seconds.parse::<u32>().map_err(|_| format!("`{seconds}` is no number"))?, rest)
        }
        rest => (60, rest),
    };
    let wanted = match rest {
        [] => None,
        [figure] if figures().iter().any(|f| f.number == *figure) => Some(*figure),
        other => return Err(format!("figures are 2, 3, 4 and 5, not `{}`", other.join(" "))),
    };
    let bop = build(&crate::root())?;
    let work = std::env::temp_dir().join(format!("postbop-experiments-{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
    println!(
        "{}\neach run at most {limit} s; processor time, peak memory, diagram nodes",
        machine()
    );
    let mut problems = Vec::new();
    for figure in figures().iter().filter(|f| wanted.is_none_or(|w| w == f.number)) {
        print_figure(figure, limit, &bop, &work, &mut problems)?;
    }
    let _ = std::fs::remove_dir_all(&work);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn print_figure(
    figure: &Figure,
    limit: u32,
    bop: &Path,
    work: &Path,
    problems: &mut Vec<String>,
) -> Result<(), String> {
    println!("\nFig. {}: {}\n", figure.number, figure.title);
    print!("  {:<36} {:>10}", "", "paper");
    figure.columns.iter().for_each(|column| print!("   {column:<34}"));
    println!();
    for line in &figure.lines {
        let file = generated(line, bop, work)?;
        print!("  {:<36} {:>10}", line.what, line.paper);
        for run in &line.runs {
            let mut args = vec!["check".to_owned(), file.display().to_string()];
            args.extend(run.iter().map(|&a| a.to_owned()));
            args.extend(["--stats", "--timeout"].map(str::to_owned));
            args.push(format!("{limit}s"));
            let ran = run_bop(bop, work, &args)?;
            print!("   {:<34}", cell(&ran));
            let got = verdicts(&ran.text);
            if got != [line.expect] && got != ["unknown"] {
                let said = ran.said.lines().next().unwrap_or_default();
                problems.push(format!("{}: {got:?}, expected {}: {said}", line.what, line.expect));
            }
        }
        println!();
    }
    Ok(())
}

fn generated(line: &Line, bop: &Path, work: &Path) -> Result<PathBuf, String> {
    let file = work.join(format!("program.{}", ending(&line.program)));
    let mut args = vec!["gen".to_owned()];
    args.extend(line.program.iter().cloned());
    args.extend(["-o".to_owned(), file.display().to_string()]);
    let ran = run_bop(bop, work, &args)?;
    match ran.code {
        Some(0) => Ok(file),
        _ => Err(format!("bop {}: {}", args.join(" "), ran.said)),
    }
}

/// Processor time, memory, nodes and verdict of a run.
fn cell(ran: &Ran) -> String {
    let time = ran.cpu.unwrap_or(ran.seconds);
    let memory = ran.mib.map_or("?".into(), |mib| format!("{mib:.0}"));
    let nodes = counters(&ran.text).into_iter().find(|(name, _)| name == "peak_nodes");
    let nodes = nodes.map_or(String::new(), |(_, n)| format!(" {n} nodes"));
    let word = verdicts(&ran.text).join(" ");
    match word.as_str() {
        "unknown" => format!("gave up, {time:.2} s {memory} MiB{nodes}"),
        _ => format!("{time:.2} s {memory} MiB{nodes}"),
    }
}
