//! From a program to a run.

use crate::compile::{Layout, WatchList, compile};
use crate::failing::Failure;
use crate::machine::{ABORTED, Host, Machine, Report, Stop};
use crate::memory::{Kind, Memory};
use crate::passes::Passes;
use crate::regions::Regions;
use crate::values::Shown;
use c_data::{At, Callee, Check, ExprKind, FuncId, ObjectId, Point, Program, Root, StmtKind};
use c_types::Model;
use front_c::Unit;
use rustc_hash::FxHashMap;

/// The models of the library that are written in C.
const LIBRARY: &str = concat!(
    include_str!("library.c"),
    include_str!("models/text.c"),
    include_str!("models/errors.c"),
    include_str!("models/time.c"),
    include_str!("models/wide.c"),
    include_str!("models/signals.c"),
);

/// More of it for runs alone: a search through it takes longer than it tells.
const FOR_RUNS: &str = include_str!("models/options.c");

/// What a run gets.
#[derive(Clone, Debug)]
pub struct Options {
    /// `argv`, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// The files that are there: their names, and what they have.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    /// What memory has that the program itself asks for by `malloc`, one call after the other; the rest is 0.
    pub heap: Vec<Vec<u8>>,
    /// What `__VERIFIER_nondet_*` return, in order.
    pub inputs: Vec<i128>,
    /// The most steps.
    pub max_steps: Option<u64>,
    /// The most bytes of memory.
    pub memory: u64,
    /// Places at which the run ends.
    pub stop_at: Vec<Point>,
    /// How many lines of the run are told, of its beginning and of its end.
    pub lines: usize,
    /// What variables hold is told before each of them: how many lines the whole run has.
    pub values: Option<u64>,
    /// Where an operation fails that this question is about, the run ends.
    pub check: Option<Check>,
    /// Accesses are compared with the regions that the points-to analysis gives them.
    pub regions: bool,
    /// An access of a local behind its block ends the run, as everywhere behind its function.
    pub scopes: bool,
    /// It is looked whether the run repeats itself, and what is handed out in turns when the inputs are used up.
    pub repeats: Option<Vec<i128>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            args: vec![b"program".to_vec()],
            files: Vec::new(),
            heap: Vec::new(),
            inputs: Vec::new(),
            max_steps: None,
            memory: 2 << 30,
            stop_at: Vec::new(),
            lines: 0,
            values: None,
            check: None,
            regions: false,
            scopes: false,
            repeats: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With this code.
    Exit(u8),
    /// By a signal that the program sent itself: `abort`, `raise`.
    Signal(i32),
    /// It met undefined behaviour that has no meaning.
    Undefined(String),
    /// It met something that is not covered.
    NotCovered(String),
    /// It ran out of steps or time.
    Limit(String),
    /// It came to one of [`Options::stop_at`].
    Reached,
    /// It is somewhere again in the same state: with these inputs it goes on for ever.
    Repeated(crate::Repeated),
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Where, if it did not end by itself.
    pub at: At,
    /// The functions that were active then, innermost first, each with where it was.
    pub active: Vec<(String, At)>,
    /// Undefined behaviour that was met and survived, in order.
    pub undefined: Vec<Report>,
    /// Instructions executed.
    pub steps: u64,
    /// The lines that it came to, if they were wanted.
    pub passed: Passes,
    /// The operation that failed; several where it turns out when the program has ended.
    pub failed: Vec<Failure>,
    /// How many of the inputs were taken.
    pub taken: usize,
    /// The functions that handed out the first ones of them.
    pub takers: Vec<FuncId>,
}

/// The data program of units, with the models of the library.
pub fn load(units: Vec<Unit>, model: Model) -> Program {
    load_with(units, model, FOR_RUNS)
}

/// The same with other models, in C, beside those of the library that runs and searches share.
pub fn load_with(mut units: Vec<Unit>, model: Model, more: &str) -> Program {
    let own = units.len();
    let mut library = front_c::parse(&format!("# 1 \"(library)\"\n{LIBRARY}\n{more}"));
    library.model = model;
    units.push(library);
    c_data::lower(&units, own, model)
}

/// Runs a program from `main`.
pub fn run(program: &Program, options: &Options, host: &mut dyn Host) -> Outcome {
    let pointer = program.types.model().pointer;
    let mut memory = Memory::new(pointer, options.memory);
    memory.careful = options.check.is_some();
    memory.watchful = options.check == Some(Check::Uninitialised) || options.values.is_some();
    let ended = |ending: Ending| Outcome {
        ending,
        at: At::default(),
        active: Vec::new(),
        undefined: Vec::new(),
        steps: 0,
        passed: Passes::default(),
        failed: Vec::new(),
        taken: 0,
        takers: Vec::new(),
    };
    let main = program.function("main");
    let Some(main) = main.filter(|main| program.functions[main.index()].has_body()) else {
        return ended(Ending::NotCovered("there is no function `main`".to_owned()));
    };
    let objects = (0..program.objects.len()).map(|i| Root::Object(ObjectId::new(i)));
    let functions = (0..program.functions.len()).map(|i| Root::Function(FuncId::new(i)));
    let absent = objects.chain(functions).filter(|root| program.may_be_absent(*root)).collect();
    let mut layout = Layout { objects: Vec::new(), labels: FxHashMap::default(), absent };
    for (i, object) in program.objects.iter().enumerate() {
        match memory.make(object.size, object.align, Kind::Static, i as u32) {
            Some(address) => layout.objects.push(address),
            None => {
                return ended(Ending::Limit("the program's objects need too much memory".into()));
            }
        }
    }
    let watched = WatchList {
        scopes: options.scopes,
        points: options.stop_at.iter().copied().collect(),
        lines: options.lines > 0,
        check: options.check,
        heads: options.repeats.is_some(),
        values: options.values.is_some(),
    };
    // Labels in tables count, too.
    for object in &program.objects {
        for (_, root, _) in &object.addresses {
            layout.address(*root);
        }
    }
    let Some(code) = compile(program, &mut layout, &watched) else {
        return ended(Ending::Limit("there is no thread to compile on".to_owned()));
    };
    let regions = match options.regions {
        true => match c_memory::points_to(program, &|| false) {
            Some(found) => Some(found),
            None => {
                return ended(Ending::Limit("there are too many pointers to follow".to_owned()));
            }
        },
        false => None,
    };
    memory.names.clone_from(&code.names);
    memory.declared.clone_from(&code.declared);
    let objects = layout.objects.clone();
    let mut machine = Machine::new(&code, memory, host, u64::from(pointer / 8));
    machine.shown = options.values.map(|lines| {
        let most = options.lines.div_ceil(2) as u64;
        Shown::new(program, &objects, (lines, most))
    });
    machine.check = options.check;
    machine.regions = regions.as_ref().map(|memory| Regions::new(program, memory, &code));
    machine.max_steps = options.max_steps.unwrap_or(u64::MAX);
    machine.passed.most = options.lines.div_ceil(2);
    let calls = options.stop_at.iter().filter_map(|point| match point {
        Point::Call(f) => Some(f.index() as u32),
        Point::Before(..) => None,
    });
    machine.stop_calls = calls.collect();
    machine.inputs = options.inputs.iter().copied().collect();
    machine.files.there(&options.files);
    machine.heap = options.heap.iter().cloned().collect();
    machine.repeats = options.repeats.clone().map(crate::repeats::Repeats::new);
    let result = machine.prepare(program, &mut layout, options).and_then(|args| {
        if let Some(shown) = &mut machine.shown {
            shown.begin(&machine.memory);
        }
        if let Some(gap) = &program.unfollowed {
            return Err(Stop::NotCovered(gap.what.clone()));
        }
        for f in &program.before {
            machine.start(f.index() as u32, &[])?;
        }
        let code = machine.start(main.index() as u32, &args)?;
        // What `exit` does: the handlers, last ones first.
        if let Some(exit) = program.function("exit") {
            machine.start(exit.index() as u32, &[code])?;
        }
        Ok(code)
    });
    machine.flush();
    let failed = match &result {
        Err(Stop::Failed(check, what, origin)) => {
            machine.note_failing();
            let (check, operation, what) = (*check, machine.failing(), what.clone());
            let origin = Some(*origin).filter(|at| at.line > 0);
            vec![Failure { check, operation, what, origin, made_in: Vec::new() }]
        }
        Ok(_) | Err(Stop::Exit(_)) if !machine.at_once => machine.left(),
        // Nothing is lost yet where a failure ends a run, but it is not freed either.
        Err(Stop::Signal(ABORTED))
            if machine.check == Some(Check::Cleanup) && !handles(program) =>
        {
            machine.left()
        }
        _ => Vec::new(),
    };
    let ending = match result {
        Ok(code) => Ending::Exit(code as u8),
        Err(Stop::Exit(code)) => Ending::Exit(code as u8),
        Err(Stop::Signal(number)) => Ending::Signal(number),
        Err(Stop::Undefined(what) | Stop::Failed(_, what, _)) => Ending::Undefined(what),
        Err(Stop::NotCovered(what)) => Ending::NotCovered(what),
        Err(Stop::Limit(what)) => Ending::Limit(what),
        Err(Stop::Reached) => Ending::Reached,
        Err(Stop::Repeated(found)) => Ending::Repeated(found),
        Err(Stop::Jumped) => Ending::Undefined("a jump out of the program".to_owned()),
    };
    let at = machine.stopped_at;
    let active = match ending {
        Ending::Exit(_) => Vec::new(),
        _ => machine.trace(),
    };
    let mut passed = std::mem::take(&mut machine.passed);
    passed.held = machine.shown.take().map(|shown| shown.found).unwrap_or_default();
    let taken = options.inputs.len() - machine.inputs.len();
    let takers = machine.takers.iter().map(|&f| FuncId::new(f as usize)).collect();
    let (undefined, steps) = (machine.reports, machine.steps);
    Outcome { ending, at, active, undefined, steps, passed, failed, taken, takers }
}

/// Whether a program may handle signals: then `abort` may not be the end of what it does.
fn handles(program: &Program) -> bool {
    const HANDLERS: [&str; 6] =
        ["signal", "sigaction", "sigset", "bsd_signal", "sysv_signal", "__sysv_signal"];
    let is_one = |f: FuncId| HANDLERS.contains(&program.functions[f.index()].name.as_str());
    program.functions.iter().filter(|f| f.own).any(|f| {
        let calls = f.blocks.iter().flat_map(|b| &b.stmts).any(|stmt| match &stmt.kind {
            StmtKind::Call(call) => matches!(call.callee, Callee::Direct(g) if is_one(g)),
            _ => false,
        });
        let is_taken =
            |e: &c_data::Expr| matches!(e.kind, ExprKind::Root(Root::Function(g)) if is_one(g));
        calls || f.exprs.iter().any(is_taken)
    })
}

impl Machine<'_> {
    /// Puts initial values in place, and makes `argv`.
    fn prepare(
        &mut self,
        program: &Program,
        layout: &mut Layout,
        options: &Options,
    ) -> Result<Vec<u64>, Stop> {
        let pointer = self.pointer as usize;
        for (i, object) in program.objects.iter().enumerate() {
            let address = layout.objects[i];
            let size = object.bytes.len() as u64;
            self.memory.write(address, size)?.copy_from_slice(&object.bytes);
            for &(at, root, by) in &object.addresses {
                let value = layout.address(root).wrapping_add(by as u64).to_le_bytes();
                let target = self.memory.write(address + at, self.pointer)?;
                target.copy_from_slice(&value[..pointer]);
            }
            if object.read_only {
                self.memory.protect(address);
            }
        }
        let stream = |name: &str| {
            let found = program.objects.iter().position(|o| o.name == name);
            found.map_or(0, |i| layout.objects[i])
        };
        let mut standard = [0; 3];
        for (slot, name) in standard.iter_mut().zip(["stdin", "stdout", "stderr"]) {
            let variable = stream(name);
            *slot = if variable == 0 { 0 } else { self.read_pointer(variable)? };
        }
        self.standard = standard;
        self.error_at = stream("bop_errno");
        self.files.standard(standard[0], standard[1], standard[2]);
        let mut values = Vec::new();
        for arg in &options.args {
            let size = arg.len() as u64 + 1;
            let Some(address) = self.memory.make(size, 1, Kind::Static, u32::MAX) else {
                return Err(Stop::Limit("the arguments need too much memory".to_owned()));
            };
            self.memory.write(address, size - 1)?.copy_from_slice(arg);
            values.push(address);
        }
        let count = values.len() as u64;
        values.push(0);
        let size = values.len() as u64 * self.pointer;
        let Some(argv) = self.memory.make(size, 16, Kind::Static, u32::MAX) else {
            return Err(Stop::Limit("the arguments need too much memory".to_owned()));
        };
        for (i, value) in values.iter().enumerate() {
            self.write_pointer(argv + i as u64 * self.pointer, *value)?;
        }
        Ok(vec![count, argv, argv + (values.len() as u64 - 1) * self.pointer])
    }
}
