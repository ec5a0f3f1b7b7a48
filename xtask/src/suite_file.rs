//! The suites of the benchmarks: `bench/suites/*.toml` (the format is told in `bench/README.md`).

use std::path::Path;
use toml::{Table, Value};

/// Programs of one kind in several sizes, and what is wanted of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) source: Source,
    /// Arguments of `bop check`.
    pub(crate) check: Vec<String>,
    /// The verdicts, in order.
    pub(crate) expect: Option<Vec<String>>,
    /// Quick runs are repeated so often; the least time counts.
    pub(crate) repeat: u64,
    /// Seconds after which `bop` must give up.
    pub(crate) timeout: u64,
    /// Running out is an answer here.
    pub(crate) may_give_up: bool,
    /// Of the time for 2n and for n.
    pub(crate) max_ratio: Option<f64>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) max_memory_mib: Option<f64>,
    /// A counter that must be the same for all sizes.
    pub(crate) constant: Option<String>,
}

/// Where the programs come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// `bop gen …`, with `{n}` replaced by each size.
    Generated { arguments: Vec<String>, sizes: Vec<u64> },
    /// A family of `families.rs`.
    Own { family: String, sizes: Vec<u64> },
    /// The programs of a folder of the shared corpus, from each of the entries.
    Corpus { folder: String, entries: Vec<String> },
}

impl Source {
    /// What tells a program from those of all series.
    pub(crate) fn title(&self, what: &str) -> String {
        match self {
            Source::Generated { arguments, .. } => arguments.join(" ").replace("{n}", what),
            Source::Own { family, .. } => format!("{family} {what}"),
            Source::Corpus { .. } => what.to_owned(),
        }
    }
}

/// Reads a suite.
pub(crate) fn read(path: &Path) -> Result<Vec<Series>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn parse(text: &str) -> Result<Vec<Series>, String> {
    let table: Table = text.parse().map_err(|e| format!("{e}"))?;
    if table.get("about").and_then(Value::as_str).is_none() {
        return Err("a suite says what it is `about`".into());
    }
    let series =
        table.get("series").and_then(Value::as_array).ok_or("a suite has a `[[series]]`")?;
    series
        .iter()
        .map(|value| value.as_table().ok_or_else(|| "a series is a table".to_owned()))
        .map(|table| one(table?))
        .collect()
}

const KEYS: [&str; 16] = [
    "name",
    "gen",
    "own",
    "corpus",
    "entries",
    "n",
    "check",
    "expect",
    "repeat",
    "timeout",
    "may_give_up",
    "max_ratio",
    "max_seconds",
    "max_memory_mib",
    "constant",
    "about",
];

fn one(table: &Table) -> Result<Series, String> {
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}`"));
    }
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let texts = |key: &str| -> Option<Vec<String>> {
        let array = table.get(key)?.as_array()?;
        array.iter().map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let number = |key: &str| {
        let value = table.get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
    };
    let count = |key: &str, default: u64| number(key).map_or(default, |n| n as u64);
    let sizes = || -> Result<Vec<u64>, String> {
        let array = table.get("n").and_then(Value::as_array).ok_or("no sizes `n`")?;
        let sizes: Option<Vec<u64>> =
            array.iter().map(|v| v.as_integer()?.try_into().ok()).collect();
        sizes.ok_or_else(|| "sizes are numbers".into())
    };
    let source = match (texts("gen"), text("own"), text("corpus")) {
        (Some(arguments), None, None) => Source::Generated { arguments, sizes: sizes()? },
        (None, Some(family), None) => Source::Own { family, sizes: sizes()? },
        (None, None, Some(folder)) => {
            let entries = texts("entries").unwrap_or_else(|| vec!["main".into()]);
            Source::Corpus { folder, entries }
        }
        _ => return Err("a series has one of `gen`, `own` and `corpus`".into()),
    };
    Ok(Series {
        name: text("name").ok_or("a series has a name")?,
        source,
        check: texts("check").unwrap_or_default(),
        expect: texts("expect"),
        repeat: count("repeat", 3),
        timeout: count("timeout", 120),
        may_give_up: table.get("may_give_up").and_then(Value::as_bool).unwrap_or(false),
        max_ratio: number("max_ratio"),
        max_seconds: number("max_seconds"),
        max_memory_mib: number("max_memory_mib"),
        constant: text("constant"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_of_this_workspace() {
        let folder = crate::root().join("bench/suites");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            count += read(&entry.unwrap().path()).unwrap().len();
        }
        assert!(count > 0);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |text: &str| parse(text).unwrap_err();
        assert!(bad("").contains("about"));
        assert!(bad("about = 'x'").contains("[[series]]"));
        assert!(bad("about = 'x'\n[[series]]\nname = 'a'").contains("one of"));
        assert!(bad("about = 'x'\n[[series]]\nname = 'a'\nown = 'k'").contains("sizes"));
        assert!(bad("about = 'x'\n[[series]]\nnme = 'a'").contains("unknown key `nme`"));
    }
}
