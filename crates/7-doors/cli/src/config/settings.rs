//! The keys and values of a settings file, with their places.

use crate::args::Cli;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, CommandFactory, Parser};
use source::{Diagnostic, SourceFile, Span};
use toml::de::{DeTable, DeValue};

/// A key with its values.
pub(crate) struct Setting {
    pub(crate) key: String,
    /// Where the key stands.
    pub(crate) at: Span,
    /// The values; a single one is not in a list.
    values: Vec<Value>,
    is_list: bool,
}

/// A value, as a word of a command line.
#[derive(Clone)]
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) at: Span,
    kind: Kind,
}

impl Value {
    pub(crate) fn text(text: &str, at: Span) -> Value {
        Value { text: text.to_owned(), at, kind: Kind::Text }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Truth,
}

pub(crate) fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

/// What is wrong with the form of the file.
pub(crate) fn not_toml(error: &toml::de::Error) -> Diagnostic {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let diagnostic = Diagnostic::error("toml", message);
    match error.span() {
        Some(range) => diagnostic.at(span(range)),
        None => diagnostic,
    }
}

/// All keys of a file, in the order of the text.
pub(crate) fn parse(file: &SourceFile) -> Result<Vec<Setting>, Vec<Diagnostic>> {
    let table = DeTable::parse(file.text()).map_err(|e| vec![not_toml(&e)])?;
    let mut wrong = Vec::new();
    let mut out = Vec::new();
    for (key, value) in table.get_ref() {
        let (key, at) = (key.get_ref().as_ref().to_owned(), span(key.span()));
        let (list, is_list) = match value.get_ref() {
            DeValue::Array(list) => (list.iter().collect(), true),
            _ => (vec![value], false),
        };
        let mut values = Vec::new();
        for value in list {
            let (text, kind) = match value.get_ref() {
                DeValue::String(text) => (text.as_ref().to_owned(), Kind::Text),
                DeValue::Integer(number) => (number.to_string(), Kind::Number),
                DeValue::Boolean(truth) => (truth.to_string(), Kind::Truth),
                DeValue::Table(_) => {
                    let what = format!("`{key}` is no table: all keys stand at the top");
                    wrong.push(Diagnostic::error("config-value", what).at(at));
                    break;
                }
                other => {
                    let kind = other.type_str();
                    let what = format!("`{key}` is no {kind}: write it between quotes");
                    wrong.push(Diagnostic::error("config-value", what).at(span(value.span())));
                    continue;
                }
            };
            values.push(Value { text, at: span(value.span()), kind });
        }
        out.push(Setting { key, at, values, is_list });
    }
    out.sort_by_key(|setting: &Setting| setting.at.start);
    if wrong.is_empty() { Ok(out) } else { Err(wrong) }
}

/// `bop check` with its flags.
pub(crate) fn command() -> clap::Command {
    let all = Cli::command();
    all.find_subcommand("check").cloned().unwrap_or_default()
}

/// The flag that a key is.
pub(crate) fn argument<'c>(
    command: &'c clap::Command,
    setting: &Setting,
) -> Result<&'c Arg, Diagnostic> {
    let key = setting.key.as_str();
    let no_key = |long: &str| matches!(long, "help" | "config" | "no-config");
    let longs = || command.get_arguments().filter_map(|a| a.get_long()).filter(|l| !no_key(l));
    let found = command.get_arguments().find(|a| a.get_long() == Some(key) && !no_key(key));
    found.ok_or_else(|| {
        let what = format!("there is no setting `{key}`");
        let wrong = Diagnostic::error("config-unknown-key", what).at(setting.at);
        let near = source::suggest(key, longs().chain(["files", "exclude", "flags"]));
        wrong.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "settings are `files`, `exclude`, `flags`, and the long flags of `bop check`, \
                     without `--`"
                .to_owned(),
        })
    })
}

impl Setting {
    /// A list of texts; a single one is a list, too.
    pub(crate) fn texts(&self) -> Result<Vec<Value>, Diagnostic> {
        match self.values.iter().find(|v| v.kind != Kind::Text) {
            Some(value) => Err(self.wrong(value.at, "texts between quotes")),
            None => Ok(self.values.clone()),
        }
    }

    fn wrong(&self, at: Span, wanted: &str) -> Diagnostic {
        let what = format!("`{}` needs {wanted}", self.key);
        Diagnostic::error("config-value", what).at(at)
    }

    /// Words of a command line; `shown` makes each value a word.
    pub(crate) fn words(
        &self,
        arg: &Arg,
        shown: impl Fn(&str) -> String,
    ) -> Result<Vec<String>, Diagnostic> {
        let flag = format!("--{}", self.key);
        let value = |v: &Value| format!("{flag}={}", shown(&v.text));
        match arg.get_action() {
            ArgAction::SetTrue => match &self.values[..] {
                [v] if !self.is_list && v.kind == Kind::Truth => {
                    Ok(if v.text == "true" { vec![flag] } else { Vec::new() })
                }
                _ => Err(self.wrong(self.at, "`true` or `false`")),
            },
            action => {
                if let Some(v) = self.values.iter().find(|v| v.kind == Kind::Truth) {
                    return Err(self.wrong(v.at, "a value, not a truth value"));
                }
                match (action, self.is_list) {
                    (ArgAction::Append, _) | (_, false) => {
                        Ok(self.values.iter().map(value).collect())
                    }
                    _ => Err(self.wrong(self.at, "one value, not a list")),
                }
            }
        }
    }
}

/// What the command line says of the words of a key, one by one.
pub(crate) fn judged(setting: &Setting, words: &[String]) -> Result<(), Diagnostic> {
    for (i, word) in words.iter().enumerate() {
        let Err(error) = Cli::try_parse_from(["bop", "check", word.as_str()]) else { continue };
        // What it needs besides is seen when all words are together.
        if error.kind() == ErrorKind::MissingRequiredArgument {
            continue;
        }
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (what, rest) = text.split_once("\n\n").unwrap_or((text, ""));
        let mut lines = what.lines().map(str::trim);
        let first = lines.next().unwrap_or_default();
        let at = setting.values.get(i).map_or(setting.at, |v| v.at);
        let mut wrong = Diagnostic::error("config-value", source::one_line(first)).at(at);
        wrong.notes.extend(lines.map(|line| source::Note { message: line.to_owned(), span: None }));
        let tip = rest.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
        wrong.help = tip.map(str::to_owned);
        return Err(wrong);
    }
    Ok(())
}
