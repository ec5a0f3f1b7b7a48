//! Source text to `Program`, whatever the language.

use crate::{Lang, Options};
use front_bp::{LowerOptions, Tree};
use ir::Program;
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
    /// Postbop is wrong.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

/// The program that the files describe.
pub fn load(files: &[Arc<SourceFile>], options: &Options) -> Result<Program, Error> {
    guarded("reading the program", || {
        let (file, tree) = parse(files, options)?;
        let lower_options = LowerOptions { entry: options.entry.clone() };
        let program = front_bp::lower(&tree, file, &lower_options).map_err(|errors| {
            let diagnostics = errors.iter().map(|e| e.diagnostic()).collect();
            Error::Rejected { file: file.clone(), diagnostics }
        })?;
        program
            .validate()
            .map_err(|e| Error::Internal(format!("the front end built an invalid program: {e}")))?;
        Ok(program)
    })
}

/// The syntax tree of a boolean program.
pub(crate) fn parse<'f>(
    files: &'f [Arc<SourceFile>],
    options: &Options,
) -> Result<(&'f Arc<SourceFile>, Tree), Error> {
    let [file] = files else {
        return Err(Error::Usage(format!(
            "a boolean program is one file, {} were given",
            files.len()
        )));
    };
    match options.lang.or_else(|| Lang::of_file(file.name())) {
        Some(Lang::Bp) => {}
        None => {
            return Err(Error::Usage(format!(
                "cannot tell the language of `{}` from its name: say `--lang bp`",
                file.name()
            )));
        }
    }
    let (tree, errors) = front_bp::parse(file.text(), options.dialect);
    if errors.is_empty() {
        return Ok((file, tree));
    }
    let diagnostics = errors.iter().map(|e| e.diagnostic()).collect();
    Err(Error::Rejected { file: file.clone(), diagnostics })
}

/// Runs `work`; a panic becomes an internal error.
pub(crate) fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    caught(what, work).unwrap_or_else(|message| Err(Error::Internal(message)))
}

/// What `work` returns, or what it panicked with. What it worked on is not used again.
pub(crate) fn caught<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a message".to_owned());
        format!("{what}: {message}")
    })
}
