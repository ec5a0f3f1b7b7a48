//! The native part of the Python package: text in, JSON out. What Python sees of it are the objects of
//! `python/postbop/__init__.py`.

use postbop::{
    CProgram, CText, EngineChoice, Error, Lang, Limits, Options, Property, Runs, SourceFile, Watch,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use render::{ErrorEntry, ErrorPage, ErrorSchema, TextOptions, Tool};
use std::sync::Arc;
use std::time::Duration;

/// What is asked, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    reach: Vec<String>,
    reach_all: bool,
    asserts: bool,
    ltl: Vec<String>,
    fair: Vec<String>,
    sere: Vec<String>,
    terminates: bool,
    /// Texts of rules.
    rules: Vec<String>,
    engine: String,
    entry: Option<String>,
    timeout: Option<f64>,
    memory: Option<u64>,
    proofs: bool,
}

/// Errors as JSON, schema `postbop.error/1`.
fn refused(error: &Error) -> PyErr {
    let errors = match error {
        Error::Rejected { file, diagnostics } => {
            diagnostics.iter().map(|d| ErrorEntry::new(d, file)).collect()
        }
        error => vec![ErrorEntry::said(None, error.to_string())],
    };
    let page = ErrorPage { schema: ErrorSchema::V1, tool: Tool::default(), exit: 2, errors };
    let mut out = Vec::new();
    let _ = render::error_json(&page, &mut out);
    PyValueError::new_err(String::from_utf8_lossy(&out).into_owned())
}

fn usage(message: String) -> PyErr {
    refused(&Error::Usage(message))
}

/// The program's file, and the options that say how it is read.
fn read(
    name: &str,
    text: &str,
    lang: Option<&str>,
    entry: Option<String>,
) -> PyResult<(Arc<SourceFile>, Options)> {
    let file = SourceFile::new(name, text).map_err(|e| usage(e.to_string()))?;
    let mut options = Options::default();
    options.input.entry = entry;
    options.input.lang = match lang {
        Some(word) => {
            let lang = Lang::named(word);
            Some(lang.ok_or_else(|| usage(format!("there is no language `{word}`")))?)
        }
        None => Lang::of_file(name),
    };
    if options.input.lang == Some(Lang::C) {
        // The text is preprocessed already.
        let model = postbop::preprocess::model([]);
        let unit = CText { name: name.to_owned(), text: text.to_owned(), directory: None };
        let data = postbop::searchable(vec![unit.clone()], model);
        let program = CProgram::in_part(vec![unit], Vec::new(), model).map_err(|e| refused(&e))?;
        options.input.data = Some(Arc::new(data));
        options.input.c = Some(Arc::new(program));
    }
    Ok((Arc::new(file), options))
}

/// The files of a report: of C, those that the preprocessor named.
fn files(file: &Arc<SourceFile>, options: &Options) -> PyResult<Vec<Arc<SourceFile>>> {
    let Some(c) = &options.input.c else { return Ok(vec![file.clone()]) };
    let named = |name: &String| {
        let bytes = std::fs::read(name).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        SourceFile::new(name, text).map(Arc::new).map_err(|e| usage(e.to_string()))
    };
    c.files().iter().map(named).collect()
}

fn properties(asked: &Asked) -> PyResult<Vec<Property>> {
    let mut out: Vec<Property> = asked.reach.iter().map(Property::reach).collect();
    out.extend(asked.reach_all.then_some(Property::ReachAll));
    out.extend(asked.asserts.then_some(Property::Assert));
    let fair = &asked.fair;
    out.extend(asked.ltl.iter().map(|f| Property::Ltl { formula: f.clone(), fair: fair.clone() }));
    out.extend(asked.sere.iter().map(|f| Property::Sere { formula: f.clone() }));
    out.extend(asked.terminates.then(|| Property::Terminates { fair: fair.clone() }));
    for text in &asked.rules {
        // A ready-made one by name, or the text of rules.
        let ready = postbop::built_in_rules().iter().find(|r| r.is_called(text));
        let text = ready.map_or(text.as_str(), |r| r.text);
        let rules = postbop::parse_rules(text).map_err(|e| usage(format!("the rule: {e}")))?;
        out.extend(rules.iter().map(postbop::rule_property));
    }
    Ok(out)
}

/// Checks a program: the report as JSON, and the proofs, if they are wanted.
#[pyfunction]
fn check(
    py: Python<'_>,
    name: &str,
    text: &str,
    lang: Option<&str>,
    asked: Asked,
) -> PyResult<(String, Option<String>)> {
    let (file, mut options) = read(name, text, lang, asked.entry.clone())?;
    let word = &asked.engine;
    options.search.engine =
        EngineChoice::named(word).ok_or_else(|| usage(format!("there is no engine `{word}`")))?;
    let time = asked.timeout.map(Duration::try_from_secs_f64).transpose();
    let time = time.map_err(|e| usage(format!("the time limit: {e}")))?;
    options.search.limits = Limits { time, memory: asked.memory, steps: None };
    options.search.self_check = asked.proofs;
    let mut wanted = properties(&asked)?;
    if let (true, Some(c)) = (wanted.is_empty(), &options.input.c) {
        wanted = postbop::c_defaults(c);
    }
    let files = files(&file, &options)?;
    let answered = py.detach(|| {
        let report = postbop::check(&files, &wanted, &options, &Watch::default())?;
        let mut page = Vec::new();
        let _ = render::json(&report, &mut page);
        let proofs = asked.proofs.then(|| {
            let mut out = Vec::new();
            let _ = render::write_proofs(&postbop::proofs(&report, &options), &mut out);
            String::from_utf8_lossy(&out).into_owned()
        });
        Ok((String::from_utf8_lossy(&page).into_owned(), proofs))
    });
    answered.map_err(|e: Error| refused(&e))
}

/// What can hold at a statement, as JSON, and in words.
#[pyfunction]
fn states(
    py: Python<'_>,
    name: &str,
    text: &str,
    lang: Option<&str>,
    at: &str,
) -> PyResult<(String, String)> {
    let (file, options) = read(name, text, lang, None)?;
    let files = files(&file, &options)?;
    let answered = py.detach(|| {
        let runs = Runs::OfProgram;
        let states = postbop::states(&files, at, &[], &runs, &options, &Watch::default())?;
        let (mut json, mut words) = (Vec::new(), Vec::new());
        let _ = render::states_json(&states, &mut json);
        let _ = render::states_text(&states, &TextOptions::default(), &mut words);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((text(json), text(words)))
    });
    answered.map_err(|e: Error| refused(&e))
}

/// Whether the proofs of a program are proofs: for each, whether it was accepted.
#[pyfunction]
fn replay_proofs(
    py: Python<'_>,
    name: &str,
    text: &str,
    lang: Option<&str>,
    proofs: &str,
) -> PyResult<Vec<bool>> {
    let (file, options) = read(name, text, lang, None)?;
    let proofs = render::read_proofs(proofs).map_err(|e| usage(e.to_string()))?;
    let files = files(&file, &options)?;
    let answered = py.detach(|| {
        let options = postbop::read_as(&proofs.reading, &options)?;
        postbop::replay_proofs(&files, &proofs, &options, &Watch::default())
    });
    let judged = answered.map_err(|e| refused(&e))?;
    Ok(judged.iter().map(|j| matches!(j, postbop::Judgement::Accepted)).collect())
}

/// The module.
#[pymodule]
fn _postbop(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(states, module)?)?;
    module.add_function(wrap_pyfunction!(replay_proofs, module)?)
}
