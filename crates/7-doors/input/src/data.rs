//! C with its data: the data program, to be shown and to be run.

use crate::c::{CText, Model, parsed};
use crate::load::{Error, guarded};
use std::sync::{Arc, OnceLock};

pub use c_run::{
    Ending, Host, Options as RunOptions, Outcome as RunOutcome, Report as UndefinedReport,
};

/// A linked C program with all its data, and the models of the library.
#[derive(Debug)]
pub struct DataProgram(c_data::Program);

/// A C program whose data is read when somebody asks: many questions are answered without.
#[derive(Debug)]
pub struct LazyData {
    texts: Vec<CText>,
    model: Model,
    models: &'static str,
    read: OnceLock<Result<Read, String>>,
}

/// What was read: the program, and the stubs that it was given.
type Read = (Arc<DataProgram>, String);

impl LazyData {
    /// The program of these units, with further models of the library, in C.
    pub fn new(texts: Vec<CText>, model: Model, models: &'static str) -> LazyData {
        LazyData { texts, model, models, read: OnceLock::new() }
    }

    /// Bits of a pointer.
    pub fn pointer_bits(&self) -> u32 {
        self.model.pointer.into()
    }

    /// The program, which is read the first time, and the text of its stubs. `stubs` says what functions without a
    /// body do, in C.
    pub fn program(
        &self,
        stubs: impl FnOnce(&DataProgram) -> String,
    ) -> Result<(Arc<DataProgram>, &str), Error> {
        let read = || {
            let with = |models: &str| {
                let texts = self.texts.clone();
                let read = DataProgram::with_models(texts, self.model, models);
                read.map(Arc::new).map_err(|e| e.to_string())
            };
            let plain = with(self.models)?;
            let stubs = stubs(&plain);
            Ok(match stubs.is_empty() {
                true => (plain, stubs),
                false => (with(&format!("{}\n{stubs}", self.models))?, stubs),
            })
        };
        match self.read.get_or_init(read) {
            Ok((program, stubs)) => Ok((program.clone(), stubs)),
            Err(what) => Err(Error::Usage(what.clone())),
        }
    }

    /// The units, as they were preprocessed.
    pub fn texts(&self) -> &[CText] {
        &self.texts
    }

    /// The program of other units, with the same models of the library and these.
    pub fn variant(&self, texts: Vec<CText>, more: &str) -> Result<Arc<DataProgram>, Error> {
        let models = format!("{}\n{more}", self.models);
        DataProgram::with_models(texts, self.model, &models).map(Arc::new)
    }
}

impl DataProgram {
    /// Parses, links and lowers the units. What is not covered is listed ([`DataProgram::gaps`]).
    pub fn new(texts: Vec<CText>, model: Model) -> Result<DataProgram, Error> {
        guarded("reading C", || Ok(DataProgram(c_run::load(parsed(texts, model)?, model))))
    }

    /// The same with further models of the library, in C.
    pub fn with_models(
        texts: Vec<CText>,
        model: Model,
        models: &str,
    ) -> Result<DataProgram, Error> {
        guarded("reading C", || {
            let units = parsed(texts, model)?;
            Ok(DataProgram(c_run::load_with(units, model, models)))
        })
    }

    /// A program that was made of another one.
    pub fn of(program: c_data::Program) -> DataProgram {
        DataProgram(program)
    }

    /// The program itself.
    pub fn program(&self) -> &c_data::Program {
        &self.0
    }

    /// What is not covered, one line each: a run that gets there ends.
    pub fn gaps(&self) -> Vec<String> {
        self.lines(&self.0.gaps)
    }

    /// Where the types of files disagree, and what is defined twice; one line each.
    pub fn warnings(&self) -> Vec<String> {
        self.lines(&self.0.warnings)
    }

    fn lines(&self, gaps: &[c_data::Gap]) -> Vec<String> {
        gaps.iter().map(|gap| format!("{}: {}", self.0.place(gap.at), gap.what)).collect()
    }

    /// The program for people, with the regions of its memory.
    pub fn dump(&self) -> String {
        format!("{}\n{}", c_data::dump(&self.0), self.regions())
    }

    /// The regions of its memory for people, and how many there are.
    pub fn regions(&self) -> String {
        let Some(memory) = c_memory::points_to(&self.0, &|| false) else {
            return "there are too many pointers to follow: the regions are not known\n".to_owned();
        };
        let counts = memory.counts(&self.0).map(|(name, n)| format!("{name}: {n}")).join(", ");
        format!("{}{counts}\n", memory.describe(&self.0))
    }

    /// Whether the program has a function `main`.
    pub fn has_main(&self) -> bool {
        self.0.function("main").is_some_and(|f| self.0.functions[f.index()].has_body())
    }

    /// Runs the program from `main`.
    pub fn run(&self, options: &RunOptions, host: &mut dyn Host) -> Result<RunOutcome, Error> {
        guarded("running C", || Ok(c_run::run(&self.0, options, host)))
    }

    /// File and line in words.
    pub fn place(&self, at: c_data::At) -> String {
        self.0.place(at)
    }
}
