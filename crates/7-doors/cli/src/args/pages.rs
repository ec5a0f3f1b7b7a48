//! Which command lines ask for an answer as JSON.

use super::{
    AnnotatedFormat, BatchFormat, CheckFormat, DumpFormat, SolutionFormat, StatesFormat, Verb,
};
use std::ffi::OsString;

impl Verb {
    /// Whether the answer is JSON: then errors are, too.
    pub(crate) fn in_json(&self) -> bool {
        match self {
            Verb::Check(args) => args.format == CheckFormat::Json,
            Verb::Batch(args) => args.format == BatchFormat::Json,
            Verb::States(args) => args.format == StatesFormat::Json,
            Verb::Dump(args) => args.format == DumpFormat::Json,
            Verb::Eval(args) => args.resolution.format == SolutionFormat::Json,
            Verb::Solve(args) => args.resolution.format == SolutionFormat::Json,
            Verb::Influence(args) => args.shown.format == AnnotatedFormat::Json,
            Verb::Annotate(args) => args.shown.format == AnnotatedFormat::Json,
            _ => false,
        }
    }
}

/// The same of words that could not be read as a whole.
pub(crate) fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.take_while(|word| word != "--").collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    pair || words.iter().any(|word| word == "--format=json")
}
