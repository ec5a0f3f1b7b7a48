//! What programs really do: compiled many at once, run on every input.
//!
//! Each run is a process of its own, forked from one that holds the whole batch, so a program may exit, be
//! killed, or leave handlers behind. Inputs are walked depth first, over what `choose` returned.
//! Programs with constructors are started anew for each run, as the loader must call those.

use super::{Program, library};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The most runs of one program.
const RUNS: usize = 72;

/// What happened at a check point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The point.
    pub point: usize,
    /// The values of its expressions; of floating ones, the bits as a double.
    pub values: [i64; 3],
}

/// How a run went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What happened at check points, in order.
    pub events: Vec<Event>,
    /// Whether these are all of them.
    pub complete: bool,
    /// Whether it goes on for ever.
    pub endless: bool,
    /// The signal that killed it, of those that say that the program is wrong.
    pub crashed: Option<i32>,
}

/// A folder to compile in, with the part that all batches share.
#[derive(Debug)]
pub struct Compiler {
    folder: PathBuf,
    flags: Vec<String>,
}

const HARNESS: &str = include_str!("harness.c");

impl Compiler {
    /// Compiles the shared part. An error says why there is no compiler.
    pub fn new(folder: &Path) -> Result<Compiler, String> {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let flags = ["-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-pipe"];
        let compiler = Compiler {
            folder: folder.to_owned(),
            flags: flags.iter().map(|f| (*f).to_owned()).collect(),
        };
        compiler.write("harness.c", HARNESS)?;
        compiler.cc(&["-c", "harness.c", "-o", "harness.o"])?;
        Ok(compiler)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn cc(&self, args: &[&str]) -> Result<(), String> {
        let out = Command::new("cc")
            .args(&self.flags)
            .args(args)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cc: {e}"))?;
        if out.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&out.stderr);
        Err(said.lines().take(20).collect::<Vec<_>>().join("\n"))
    }
}

/// The runs of each program. An error is what the compiler says of one of them.
pub fn observe(
    compiler: &Compiler,
    programs: &[&Program],
    optimise: &str,
) -> Result<Vec<Vec<Run>>, String> {
    let files = programs.iter().map(|p| p.files.len()).max().unwrap_or(0);
    let mut args = vec![optimise.to_owned(), "harness.o".to_owned()];
    for file in 0..files {
        let mut text = library::everything();
        for (number, program) in programs.iter().enumerate() {
            if file < program.files.len() {
                let _ = writeln!(text, "# 1 \"seed_{}_{}.c\"", program.seed, file);
                text += &program.native(file, number);
            }
        }
        if file == 0 {
            text += "struct entry { int (*main)(void); int again; };\n";
            text += "const struct entry entries[] = {\n";
            for (number, program) in programs.iter().enumerate() {
                let again = program.files.iter().any(|f| f.contains("constructor"));
                let _ = writeln!(text, "{{ main_{number}, {} }},", u8::from(again));
            }
            let _ = writeln!(text, "{{ 0, 0 }} }};\nconst int entry_count = {};", programs.len());
        }
        let name = format!("batch{file}.c");
        compiler.write(&name, &text)?;
        args.push(name);
    }
    args.extend(["-o", "batch", "-lm", "-lpthread"].map(str::to_owned));
    compiler.cc(&args.iter().map(String::as_str).collect::<Vec<_>>())?;
    let binary = compiler.folder.join("batch");
    let out = Command::new(&binary)
        .arg(RUNS.to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    if !out.status.success() {
        return Err(format!("the batch ended with {}", out.status));
    }
    read(&String::from_utf8_lossy(&out.stdout), programs.len())
}

/// Reads what the batch printed: a line `R program complete endless signal` for each run, then a line
/// `point value value value` for each event.
fn read(text: &str, programs: usize) -> Result<Vec<Vec<Run>>, String> {
    let mut out: Vec<Vec<Run>> = vec![Vec::new(); programs];
    let mut current = 0;
    for line in text.lines() {
        let wrong = || format!("the batch printed `{line}`");
        let number = |word: &str| word.parse::<i64>().map_err(|_| wrong());
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["R", program, complete, endless, signal] => {
                current = number(program)? as usize;
                let signal = number(signal)? as i32;
                out.get_mut(current).ok_or_else(wrong)?.push(Run {
                    events: Vec::new(),
                    complete: complete == "1",
                    endless: endless == "1",
                    crashed: (signal != 0).then_some(signal),
                });
            }
            [point, a, b, c] => {
                let values = [number(a)?, number(b)?, number(c)?];
                let run = out[current].last_mut().ok_or_else(wrong)?;
                run.events.push(Event { point: number(point)? as usize, values });
            }
            _ => return Err(wrong()),
        }
    }
    for runs in &mut out {
        let mut different: Vec<Run> = Vec::new();
        for run in runs.drain(..) {
            if !different.contains(&run) {
                different.push(run);
            }
        }
        *runs = different;
    }
    Ok(out)
}
