//! `bop run`: a C program is executed, and what undefined behaviour it meets is named.

use crate::args::{CInput, DialectArg, Input, LimitArgs};
use crate::exit::Exit;
use crate::verbs::Failed;
use crate::{c, guard, io};
use clap::Args;
use postbop::{CProgram, DataProgram, Ending, Host, Lang, RunOptions};
use source::{Escapes, Shown};
use std::io::{IsTerminal, Read, Write};

pub(crate) const EXAMPLES: &str = "\
Output and exit code are those of the program; 128 and the signal's number if it aborts. A run that meets
what has no meaning (an access outside of objects, a division by zero) ends with exit code 1, one that gets
to what is not covered with 3; both are told on standard error, and so is other undefined behaviour.

The program sees no files: what it writes to a file is kept for the time of the run.

Examples:
  bop run f.c                           as `cc -O0 -fwrapv f.c && ./a.out`
  bop run a.c b.c --cpp=-Iinclude -- one two
  bop run f.c --inputs values.txt       what __VERIFIER_nondet_int and its kind return
  bop run f.c --contracts io.contracts  functions without a body do what is said there";

/// What to run.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The C files of the program
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// What `__VERIFIER_nondet_*` return, one after the other: a file with numbers
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<String>,
    /// What functions without a body do, as for `bop check`; what that leaves open is an input
    /// (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) contracts: Vec<String>,
    /// The compiler to preprocess with [default: $CC, or cc]
    #[arg(long, value_name = "CMD")]
    pub(crate) cc: Option<String>,
    /// A flag for the preprocessor, as `--cpp=-DX=1` (repeatable)
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub(crate) cpp: Vec<String>,
    /// `int`, `long` and pointers have 32 bits
    #[arg(long)]
    pub(crate) ilp32: bool,
    /// Stop after this many instructions and answer `unknown`
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// Say how many instructions were executed
    #[arg(long)]
    pub(crate) stats: bool,
    /// Compare each access with the region of memory that the points-to analysis gives it (slower)
    #[arg(long)]
    pub(crate) regions: bool,
    /// List what of the program is not covered, reached or not
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The program's arguments
    #[arg(last = true, value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
}

/// The data program of the input.
pub(crate) fn data(input: &Input) -> Result<DataProgram, Failed> {
    if !c::is_c(input)? {
        return Err(Failed::from("the stage `data` is one of C programs; this is none".to_owned()));
    }
    let c::Units { texts, unread, model, .. } = c::texts(input)?;
    // What is executed is the whole program.
    if let Some(file) = unread.first() {
        return Err(Failed::from(format!("{}: {}", file.name, file.why)));
    }
    if input.c.contracts.is_empty() {
        return Ok(DataProgram::new(texts, model)?);
    }
    let mut skeleton = CProgram::in_part(texts.clone(), Vec::new(), model)?;
    c::agree(&mut skeleton, &input.c.contracts)?;
    let (program, names) = postbop::contracted(&skeleton, texts, model)?;
    for name in names {
        io::complain(&format!("note: `{name}` has no body here: it does what its contract says"));
    }
    Ok(program)
}

/// Standard input, output and error.
struct Console {
    /// Somebody is looking at standard output, at standard error.
    looked_at: (bool, bool),
    /// Nobody reads any more.
    closed: bool,
}

impl Console {
    fn write(&mut self, out: &mut dyn Write, looked_at: bool, bytes: &[u8]) -> std::io::Result<()> {
        match looked_at {
            // What a terminal would obey is shown.
            true => {
                let mut shown = Shown::new(&mut *out, Escapes::Text);
                shown.write_all(bytes)?;
                shown.flush()
            }
            false => out.write_all(bytes),
        }?;
        out.flush()
    }
}

impl Host for Console {
    fn output(&mut self, error: bool, bytes: &[u8]) {
        let (out, err) = self.looked_at;
        let written = match error {
            true => self.write(&mut std::io::stderr().lock(), err, bytes),
            false => self.write(&mut std::io::stdout().lock(), out, bytes),
        };
        self.closed |= written.is_err();
    }
    fn input(&mut self, buffer: &mut [u8]) -> usize {
        std::io::stdin().lock().read(buffer).unwrap_or(0)
    }
    fn stopped(&mut self) -> bool {
        self.closed
    }
}

/// Runs the program. Its exit code, or what stands for one.
pub(crate) fn run(args: &Run) -> Result<u8, Failed> {
    let (cc, flags) = (args.cc.clone(), args.cpp.clone());
    let contracts = args.contracts.clone();
    let c = CInput { cc, flags, ilp32: args.ilp32, contracts, ..CInput::default() };
    let input = Input {
        files: args.files.clone(),
        c,
        lang: Some(Lang::C),
        dialect: DialectArg::Standard,
        entry: None,
    };
    let inputs = match &args.inputs {
        Some(file) => numbers(&io::text(file)?).map_err(|e| format!("{file}: {e}"))?,
        None => Vec::new(),
    };
    let program = data(&input)?;
    for warning in program.warnings() {
        io::complain(&format!("warning: {}", source::one_line(&warning)));
    }
    if args.verbose {
        for gap in program.gaps() {
            io::complain(&format!("not covered: {}", source::one_line(&gap)));
        }
    }
    if !program.has_main() {
        let why = program.gaps().first().map_or(String::new(), |gap| format!(" ({gap})"));
        return Err(Failed::from(format!("there is no function `main` to run{why}")));
    }
    let mut argv = vec![args.files[0].clone().into_bytes()];
    argv.extend(args.args.iter().map(|arg| arg.clone().into_bytes()));
    let options = RunOptions {
        args: argv,
        inputs,
        max_steps: args.steps,
        regions: args.regions,
        scopes: true,
        memory: args.limits.memory.map_or(RunOptions::default().memory, |m| m / 2),
        ..RunOptions::default()
    };
    let looked_at = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
    let mut console = Console { looked_at, closed: false };
    let start = std::time::Instant::now();
    let outcome = program.run(&options, &mut console)?;
    guard::answering();
    for report in &outcome.undefined {
        let place = program.place(report.at);
        io::complain(&format!("{place}: undefined behaviour: {}", source::one_line(&report.what)));
    }
    if args.stats {
        let seconds = start.elapsed().as_secs_f64();
        io::complain(&format!("{} instructions in {seconds:.2} s", outcome.steps));
    }
    let place = program.place(outcome.at);
    let told = |kind: &str, what: &str| {
        let mut text = format!("{place}: {kind}: {}", source::one_line(what));
        for (name, at) in outcome.active.iter().filter(|(_, at)| at.line > 0) {
            text += &format!("\n  in {} at {}", source::one_line(name), program.place(*at));
        }
        io::complain(&text);
    };
    Ok(match &outcome.ending {
        Ending::Exit(code) => *code,
        Ending::Signal(number) => 128u8.saturating_add(*number as u8),
        Ending::Undefined(what) => {
            told("undefined behaviour", what);
            Exit::Violated as u8
        }
        Ending::NotCovered(what) => {
            told("not covered", what);
            Exit::Unknown as u8
        }
        // It is not asked to end anywhere.
        Ending::Reached | Ending::Repeated(_) => 0,
        Ending::Limit(what) => {
            told("unknown", what);
            Exit::Unknown as u8
        }
    })
}

/// Numbers in C's notation, with anything between them that is none.
fn numbers(text: &str) -> Result<Vec<i128>, String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("");
        for word in line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
            let (sign, digits) = match word.strip_prefix('-') {
                Some(digits) => (-1, digits),
                None => (1, word),
            };
            let value = match digits.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16).ok().map(|value| sign * value),
                None => source::fraction::read(word),
            };
            match value {
                Some(value) => out.push(value),
                None => return Err(format!("`{}` is no number", source::one_line(word))),
            }
        }
    }
    Ok(out)
}
