//! What reports for programs say beyond the answers: which files were read, and what went wrong.
//!
//! With `--format json` an error is a document on standard output (schema `postbop.error/1`), too: whoever reads
//! that need not understand standard error. A page that was begun is not followed by another one.

use crate::exit::Exit;
use crate::io::{self, Page};
use render::{ErrorEntry, ErrorPage, ErrorSchema, InputFile, Tool};
use sha2::{Digest, Sha256};
use source::{Diagnostic, SourceFile};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether the answer is JSON.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Whether something was written to standard output.
static BEGUN: AtomicBool = AtomicBool::new(false);
static ERRORS: Mutex<Vec<ErrorEntry>> = Mutex::new(Vec::new());
/// By name, since files of C are read by several threads.
static READ: Mutex<BTreeMap<String, InputFile>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer is JSON.
pub(crate) fn in_json() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Something is written to standard output.
pub(crate) fn begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// A sentence about what is wrong.
pub(crate) fn wrong(code: Option<&str>, message: &str) {
    lock(&ERRORS).push(ErrorEntry::said(code, message));
}

/// What is wrong with a file.
pub(crate) fn wrong_in(diagnostic: &Diagnostic, file: &SourceFile) {
    lock(&ERRORS).push(ErrorEntry::new(diagnostic, file));
}

/// The command line is wrong: what its parser says, which is for people.
pub(crate) fn wrong_usage(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (what, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut entry = ErrorEntry::said(Some("usage"), what.trim_end());
    let tip = rest.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
    entry.help = tip.map(str::to_owned);
    lock(&ERRORS).push(entry);
}

/// There is no answer: says so as JSON, if that is wanted and nothing was said yet.
pub(crate) fn failed(exit: Exit) {
    if !WANTED.load(Ordering::Relaxed) || BEGUN.load(Ordering::Relaxed) {
        return;
    }
    let mut errors = std::mem::take(&mut *lock(&ERRORS));
    if errors.is_empty() {
        errors.push(ErrorEntry::said(None, "there is no answer; standard error says why"));
    }
    let (schema, tool, exit) = (ErrorSchema::V1, Tool::default(), exit as u8);
    let page = ErrorPage { schema, tool, exit, errors };
    // If that cannot be written either, the exit code is left.
    let _ = io::write_page(None, Page::Json, |out| render::error_json(&page, out));
}

/// This was read.
pub(crate) fn read(name: &str, bytes: &[u8]) {
    if WANTED.load(Ordering::Relaxed) {
        let file =
            InputFile { name: name.to_owned(), sha256: hash(bytes), preprocessed_sha256: None };
        lock(&READ).entry(name.to_owned()).or_insert(file);
    }
}

/// This is what a preprocessor made of a file that was read.
pub(crate) fn preprocessed(name: &str, text: &str) {
    if let Some(file) = lock(&READ).get_mut(name) {
        file.preprocessed_sha256 = Some(hash(text.as_bytes()));
    }
}

/// The files that were read.
pub(crate) fn inputs() -> Vec<InputFile> {
    lock(&READ).values().cloned().collect()
}

/// The SHA-256 in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
