//! Source text to `Program`, whatever the language.

use crate::{Input, LANGUAGES, Lang};
use check::StopReason;
use ir::spds::Spds;
use ir::{NodeId, Program, VarId};
use property::Property;
use rustc_hash::FxHashMap;
use source::{Diagnostic, SourceFile};
use std::sync::Arc;

/// Why there is no report.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input is wrong.
    #[error("{}: the program is not accepted", .file.name())]
    Rejected {
        /// The file that is at fault.
        file: Arc<SourceFile>,
        /// All that is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// The call is wrong.
    #[error("{0}")]
    Usage(String),
    /// A limit was reached.
    #[error("{0}")]
    Stopped(StopReason),
    /// The processes of a run did not find each other, or one was lost.
    #[error("{0}")]
    Workers(String),
    /// Postbop is wrong.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// A syntax tree.
pub enum Tree {
    /// Of a boolean program.
    Bp(front_bp::Tree),
    /// Of a Remopla program.
    Remopla(front_remopla::Tree),
    /// Of a pushdown system.
    Pds(front_remopla::pds::Tree),
    /// A circuit.
    Circuit(Box<front_circuit::Circuit>),
}

/// The program that the files describe.
pub fn load(files: &[Arc<SourceFile>], input: &Input) -> Result<Program, Error> {
    load_for(files, input, &[])
}

/// The program that the files describe, to be asked about some properties.
pub fn load_for(
    files: &[Arc<SourceFile>],
    input: &Input,
    properties: &[Property],
) -> Result<Program, Error> {
    guarded("reading the program", || {
        if let Some(c) = &input.c {
            return c.program(input, properties);
        }
        let (file, tree) = parse(files, input)?;
        lower(file, &tree, input)
    })
}

/// A program for questions about whole stacks.
pub struct ForStacks {
    /// The program.
    pub program: Program,
    /// For the nodes of a pushdown system, the locals of their symbols.
    pub locals: FxHashMap<NodeId, Vec<VarId>>,
    /// The control locations of a pushdown system.
    pub controls: Vec<String>,
}

impl From<Program> for ForStacks {
    fn from(program: Program) -> ForStacks {
        ForStacks { program, locals: FxHashMap::default(), controls: Vec::new() }
    }
}

/// The program that the files describe, for questions about whole stacks. With `any`, every word
/// over the symbols of a pushdown system is a stack of it.
pub fn load_for_stacks(
    files: &[Arc<SourceFile>],
    input: &Input,
    any: bool,
) -> Result<ForStacks, Error> {
    guarded("reading the program", || {
        if let Some(c) = &input.c {
            return Ok(c.program(input, &[])?.into());
        }
        let (file, tree) = parse(files, input)?;
        let Tree::Pds(tree) = &tree else { return Ok(lower(file, &tree, input)?.into()) };
        let entry = input.entry.clone();
        let lowered = front_remopla::pds::lower_for_stacks(
            tree,
            file,
            &front_remopla::LowerOptions { entry },
        );
        let spds =
            lowered.map_err(|errors| rejected(file, errors.iter().map(|e| e.diagnostic())))?;
        spds.validate()
            .map_err(|e| Error::Internal(format!("the front end built an invalid system: {e}")))?;
        let (program, locals) = spds.to_program_and_locals(any);
        program
            .validate()
            .map_err(|e| Error::Internal(format!("the front end built an invalid program: {e}")))?;
        let controls = spds.controls.ids().map(|id| spds.control_name(id).to_owned()).collect();
        Ok(ForStacks { program, locals, controls })
    })
}

/// The program of a tree.
pub fn lower(file: &Arc<SourceFile>, tree: &Tree, input: &Input) -> Result<Program, Error> {
    let entry = input.entry.clone();
    let program = match tree {
        Tree::Bp(tree) => front_bp::lower(tree, file, &front_bp::LowerOptions { entry })
            .map_err(|errors| rejected(file, errors.iter().map(|e| e.diagnostic())))?,
        Tree::Remopla(tree) => {
            front_remopla::lower(tree, file, &front_remopla::LowerOptions { entry })
                .map_err(|errors| rejected(file, errors.iter().map(|e| e.diagnostic())))?
        }
        Tree::Pds(tree) => system(file, tree, input)?.to_program(),
        Tree::Circuit(circuit) => match entry.filter(|name| name != "main") {
            Some(_) => {
                return Err(Error::Usage(
                    "a circuit has no procedures; leave out `--entry`".to_owned(),
                ));
            }
            None => front_circuit::lower(circuit, file.name()),
        },
    };
    program
        .validate()
        .map_err(|e| Error::Internal(format!("the front end built an invalid program: {e}")))?;
    Ok(program)
}

/// The pushdown system of a tree.
pub fn system(
    file: &Arc<SourceFile>,
    tree: &front_remopla::pds::Tree,
    input: &Input,
) -> Result<Spds, Error> {
    let spds = front_remopla::pds::lower_spds(
        tree,
        file,
        &front_remopla::LowerOptions { entry: input.entry.clone() },
    );
    let spds = spds.map_err(|errors| rejected(file, errors.iter().map(|e| e.diagnostic())))?;
    spds.validate()
        .map_err(|e| Error::Internal(format!("the front end built an invalid system: {e}")))?;
    Ok(spds)
}

/// The syntax tree of the one file.
pub fn parse<'f>(
    files: &'f [Arc<SourceFile>],
    input: &Input,
) -> Result<(&'f Arc<SourceFile>, Tree), Error> {
    let lang = language(files, input)?;
    if lang == Lang::C {
        let what = "a C program is preprocessed and loaded first (`CProgram`)";
        return Err(Error::Usage(what.to_owned()));
    }
    let [file] = files else {
        let (what, n) = (lang.about().program, files.len());
        return Err(Error::Usage(format!("a {what} is one file, {n} were given")));
    };
    let (tree, errors): (Tree, Vec<Diagnostic>) = match lang {
        Lang::Bp => {
            let (tree, errors) = front_bp::parse(file.text(), input.dialect);
            (Tree::Bp(tree), errors.iter().map(|e| e.diagnostic()).collect())
        }
        Lang::Remopla => {
            let (tree, errors) = front_remopla::parse(file.text());
            (Tree::Remopla(tree), errors.iter().map(|e| e.diagnostic()).collect())
        }
        Lang::Pds => {
            let (tree, errors) = front_remopla::pds::parse(file.text());
            (Tree::Pds(tree), errors.iter().map(|e| e.diagnostic()).collect())
        }
        Lang::Circuit => match front_circuit::parse(file.text()) {
            Ok(circuit) => (Tree::Circuit(Box::new(circuit)), Vec::new()),
            Err(error) => return Err(rejected(file, [error.diagnostic()])),
        },
        Lang::C => return Err(Error::Usage("a C program has no tree here".to_owned())),
    };
    if errors.is_empty() { Ok((file, tree)) } else { Err(rejected(file, errors)) }
}

/// The language that the input name, or the first file's name.
pub fn language(files: &[Arc<SourceFile>], input: &Input) -> Result<Lang, Error> {
    if input.c.is_some() {
        return Ok(Lang::C);
    }
    let Some(file) = files.first() else { return Err(Error::Usage("no file".to_owned())) };
    input.lang.or_else(|| Lang::of_file(file.name())).ok_or_else(|| {
        let words: Vec<String> =
            LANGUAGES.iter().map(|row| format!("`--lang {}`", row.word)).collect();
        let (last, most) = words.split_last().expect("there are languages");
        let (most, name) = (most.join(", "), file.name());
        Error::Usage(format!(
            "cannot tell the language of `{name}` from its name: say {most} or {last}"
        ))
    })
}

/// What is wrong with a file.
pub fn rejected(
    file: &Arc<SourceFile>,
    diagnostics: impl IntoIterator<Item = Diagnostic>,
) -> Error {
    Error::Rejected { file: file.clone(), diagnostics: diagnostics.into_iter().collect() }
}

/// Runs `work`; a panic becomes an internal error.
pub fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    caught(what, work).unwrap_or_else(|message| Err(Error::Internal(message)))
}

/// What `work` returns, or what it panicked with. What it worked on is not used again.
pub fn caught<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a message".to_owned());
        format!("{what}: {message}")
    })
}
