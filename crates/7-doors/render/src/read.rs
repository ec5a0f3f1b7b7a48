//! Reads reports back (`bop replay`).

use crate::Inputs;
use crate::values::Value;
use property::{OperationKind, Property};
use serde_json::Value as Json;
use std::fmt;

/// A result of a report that was read back: what it claims.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The question.
    pub property: Property,
    /// The verdict's word.
    pub verdict: String,
    /// Whether a reason is given why there is no answer.
    pub stopped: bool,
    /// The run that is claimed to show it.
    pub trace: Option<ClaimedTrace>,
    /// What the run is claimed to get, where it is one of a C program with its data.
    pub inputs: Option<Inputs>,
    /// What a rule is claimed to say of it.
    pub finding: Option<ClaimedFinding>,
}

/// What somebody claims of a violation of a rule.
#[derive(Clone, Debug)]
pub struct ClaimedFinding {
    /// The message.
    pub message: String,
    /// The file where the rule is broken, where it is not the report's.
    pub file: Option<String>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The function.
    pub proc: String,
    /// File and line where the object comes from.
    pub origin: Option<(String, u32)>,
}

/// A run that somebody claims to exist.
#[derive(Clone, Debug)]
pub struct ClaimedTrace {
    /// Where the part that repeats for ever begins.
    pub loop_start: Option<usize>,
    /// By how many frames the stack is higher after each turn of that part, if it is told.
    pub growth: Option<usize>,
    /// In the order of execution.
    pub steps: Vec<ClaimedStep>,
}

/// A step of a claimed run.
#[derive(Clone, Debug)]
pub struct ClaimedStep {
    /// The procedure's name.
    pub proc: String,
    /// The statement's file, where it is not the report's.
    pub file: Option<String>,
    /// The statement's line.
    pub line: u32,
    /// The statement's column, if it is told.
    pub column: Option<u32>,
    /// The statement, if it is told; on line 0, `(terminated)` or `(error)`.
    pub text: Option<String>,
    /// How many calls are active.
    pub depth: u32,
    /// What holds just before it.
    pub state: Vec<(String, Value)>,
    /// The number of steps inside a call that are not listed, in decimal.
    pub folded: Option<String>,
    /// The events that matter to a rule.
    pub events: Vec<String>,
    /// It lies on the way to the next step, and was not searched for.
    pub on_the_way: bool,
}

/// Why a text is no report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Where: `results[0].trace.steps[3].line`.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The claims of a report in the schema `postbop.report/1`.
pub fn read_report(text: &str) -> Result<Vec<Claim>, ReadError> {
    let json: Json = serde_json::from_str(text)
        .map_err(|e| ReadError { place: String::new(), message: format!("not JSON: {e}") })?;
    let root = At { json: &json, place: String::new() };
    let schema = root.get("schema")?;
    if schema.json.as_str() != Some("postbop.report/1") {
        return schema.wrong("\"postbop.report/1\"");
    }
    root.get("results")?.list()?.iter().map(claim).collect()
}

/// A question.
pub(crate) fn property(at: &At<'_>) -> Result<Property, ReadError> {
    let kind = at.get("kind")?;
    Ok(match kind.text()?.as_str() {
        "reach" => Property::reach(at.get("label")?.text()?),
        "reach-all" => Property::ReachAll,
        "assert" => Property::Assert,
        "ltl" => Property::Ltl { formula: at.get("formula")?.text()?, fair: fair(at)? },
        "sere" => Property::Sere { formula: at.get("formula")?.text()? },
        "automaton" => {
            let accepts = at.get("accepts")?;
            let good = match accepts.text()?.as_str() {
                "good" => true,
                "bad" => false,
                _ => return accepts.wrong("`good` or `bad`"),
            };
            Property::Automaton {
                name: at.get("file")?.text()?,
                text: at.get("text")?.text()?,
                good,
            }
        }
        "terminates" => Property::Terminates { fair: fair(at)? },
        "rule" => {
            let bindings = at.get("bindings")?;
            let Json::Object(map) = bindings.json else { return bindings.wrong("an object") };
            let bound = map.keys().map(|name| Ok((name.clone(), bindings.get(name)?.text()?)));
            Property::Rule {
                rule: at.get("rule")?.text()?,
                text: at.get("text")?.text()?,
                bindings: bound.collect::<Result<_, ReadError>>()?,
            }
        }
        word => {
            let operations = OperationKind::ALL.into_iter().find(|kind| kind.word() == word);
            let Some(operations) = operations else {
                let known = "`reach`, `reach-all`, `assert`, `ltl`, `sere`, `automaton`, `terminates`, `rule`, \
                             `memory-safety`, `memory-cleanup`, `overflow`, `division` or `uninitialised`";
                return kind.wrong(known);
            };
            Property::Operations { kind: operations }
        }
    })
}

fn claim(at: &At<'_>) -> Result<Claim, ReadError> {
    let property = property(&at.get("property")?)?;
    let trace = match at.json.get("trace") {
        None | Some(Json::Null) => None,
        Some(_) => Some(trace(&at.get("trace")?)?),
    };
    let stopped = !matches!(at.json.get("stop_reason"), None | Some(Json::Null));
    let finding = match at.json.get("place") {
        None | Some(Json::Null) => None,
        Some(_) => Some(finding(at)?),
    };
    let inputs = match at.json.get("inputs") {
        None | Some(Json::Null) => None,
        Some(_) => Some(inputs(&at.get("inputs")?)?),
    };
    Ok(Claim { property, verdict: at.get("verdict")?.text()?, stopped, trace, inputs, finding })
}

fn inputs(at: &At<'_>) -> Result<Inputs, ReadError> {
    let value = |at: &At<'_>| {
        let number = at.get("value")?;
        let value = source::fraction::read(&number.text()?);
        let value = value.map_or_else(|| number.wrong("a number"), Ok)?;
        Ok((at.get("from")?.text()?, value))
    };
    let values = at.get("values")?.list()?.iter().map(value).collect::<Result<_, _>>()?;
    let arguments = at.get("arguments")?.number()? as usize;
    let again = match at.json.get("again") {
        None | Some(Json::Null) => None,
        Some(_) => Some(at.get("again")?.number()? as usize),
    };
    let bytes = |at: &At<'_>| {
        let bytes: Result<Vec<u8>, _> =
            at.text()?.chars().map(|c| u8::try_from(u32::from(c))).collect();
        bytes.map_or_else(|_| at.wrong("a text of bytes"), Ok)
    };
    let args = match at.json.get("argv") {
        None | Some(Json::Null) => Vec::new(),
        Some(_) => at.get("argv")?.list()?.iter().map(bytes).collect::<Result<_, _>>()?,
    };
    let stdin = match at.json.get("stdin") {
        None | Some(Json::Null) => Vec::new(),
        Some(_) => bytes(&at.get("stdin")?)?,
    };
    let file = |at: &At<'_>| Ok((bytes(&at.get("name")?)?, bytes(&at.get("content")?)?));
    let files = match at.json.get("files") {
        None | Some(Json::Null) => Vec::new(),
        Some(_) => at.get("files")?.list()?.iter().map(file).collect::<Result<_, _>>()?,
    };
    let memory = match at.json.get("memory") {
        None | Some(Json::Null) => Vec::new(),
        Some(_) => at.get("memory")?.list()?.iter().map(bytes).collect::<Result<_, _>>()?,
    };
    Ok(Inputs { values, again, arguments, args, stdin, files, memory, ..Inputs::default() })
}

fn finding(at: &At<'_>) -> Result<ClaimedFinding, ReadError> {
    let place = at.get("place")?;
    let file = match place.json.get("file") {
        None | Some(Json::Null) => None,
        Some(_) => Some(place.get("file")?.text()?),
    };
    let origin = match at.json.get("origin") {
        None | Some(Json::Null) => None,
        Some(_) => {
            let origin = at.get("origin")?;
            Some((origin.get("file")?.text()?, origin.get("line")?.number()?))
        }
    };
    Ok(ClaimedFinding {
        message: at.get("message")?.text()?,
        file,
        line: place.get("line")?.number()?,
        column: place.get("column")?.number()?,
        proc: place.get("proc")?.text()?,
        origin,
    })
}

/// Assumptions of fairness, which may be left out.
fn fair(property: &At<'_>) -> Result<Vec<String>, ReadError> {
    match property.json.get("fair") {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(_) => property.get("fair")?.list()?.iter().map(At::text).collect(),
    }
}

fn trace(at: &At<'_>) -> Result<ClaimedTrace, ReadError> {
    let optional = |name: &str| match at.json.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(_) => at.get(name)?.number().map(|n| Some(n as usize)),
    };
    let (loop_start, growth) = (optional("loop_start")?, optional("stack_growth")?);
    let steps = at.get("steps")?.list()?.iter().map(step).collect::<Result<_, _>>()?;
    Ok(ClaimedTrace { loop_start, growth, steps })
}

fn step(at: &At<'_>) -> Result<ClaimedStep, ReadError> {
    let optional = |name: &str| match at.json.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(_) => at.get(name).map(Some),
    };
    let state = at.get("state")?;
    let Json::Object(map) = state.json else { return state.wrong("an object") };
    let mut values = Vec::new();
    for name in map.keys() {
        values.push((name.clone(), value(&state.get(name)?)?));
    }
    Ok(ClaimedStep {
        proc: at.get("proc")?.text()?,
        file: optional("file")?.map(|f| f.text()).transpose()?,
        line: at.get("line")?.number()?,
        column: optional("column")?.map(|c| c.number()).transpose()?,
        text: optional("text")?.map(|t| t.text()).transpose()?,
        depth: at.get("depth")?.number()?,
        state: values,
        folded: optional("folded")?.map(|f| f.decimal()).transpose()?,
        events: match optional("events")? {
            None => Vec::new(),
            Some(events) => events.list()?.iter().map(At::text).collect::<Result<_, _>>()?,
        },
        on_the_way: match optional("on_the_way")? {
            None => false,
            Some(flag) => match flag.json.as_bool() {
                Some(flag) => flag,
                None => return flag.wrong("a boolean"),
            },
        },
    })
}

fn value(at: &At<'_>) -> Result<Value, ReadError> {
    match at.json {
        Json::Bool(b) => Ok(Value::Bool(*b)),
        Json::Number(n) => match (n.as_u64(), n.as_i64()) {
            (Some(n), _) => Ok(Value::Int(n)),
            (None, Some(n)) => Ok(Value::Negative(n)),
            (None, None) => at.wrong("an integer"),
        },
        Json::String(text) => Ok(Value::Text(text.clone())),
        Json::Array(_) => {
            let cells = at.list()?.into_iter().map(|cell| optional(&cell));
            Ok(Value::Array(cells.collect::<Result<_, _>>()?))
        }
        Json::Object(members) => {
            let read = |name: &String| Ok((name.clone(), optional(&at.get(name)?)?));
            Ok(Value::Members(members.keys().map(read).collect::<Result<_, _>>()?))
        }
        Json::Null => at.wrong("a value"),
    }
}

/// A value that need not be there. JSON is not nested deeper than its reader goes.
fn optional(at: &At<'_>) -> Result<Option<Value>, ReadError> {
    match at.json {
        Json::Null => Ok(None),
        _ => value(at).map(Some),
    }
}

/// A value and where it stands.
pub(crate) struct At<'j> {
    pub(crate) json: &'j Json,
    pub(crate) place: String,
}

impl<'j> At<'j> {
    pub(crate) fn wrong<T>(&self, expected: &str) -> Result<T, ReadError> {
        let message = format!("expected {expected}");
        Err(ReadError { place: self.place.clone(), message })
    }
    pub(crate) fn get(&self, name: &str) -> Result<At<'j>, ReadError> {
        let dot = if self.place.is_empty() { "" } else { "." };
        let place = format!("{}{dot}{name}", self.place);
        match self.json.get(name) {
            Some(json) => Ok(At { json, place }),
            None => Err(ReadError { place, message: "missing".to_owned() }),
        }
    }
    pub(crate) fn list(&self) -> Result<Vec<At<'j>>, ReadError> {
        let Json::Array(items) = self.json else { return self.wrong("a list") };
        let at = |(i, json)| At { json, place: format!("{}[{i}]", self.place) };
        Ok(items.iter().enumerate().map(at).collect())
    }
    pub(crate) fn text(&self) -> Result<String, ReadError> {
        self.json.as_str().map_or_else(|| self.wrong("a text"), |s| Ok(s.to_owned()))
    }
    /// Checks that it is an object with no other fields than these.
    pub(crate) fn only(&self, fields: &[&str]) -> Result<(), ReadError> {
        let Json::Object(map) = self.json else { return self.wrong("an object") };
        match map.keys().find(|key| !fields.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(ReadError {
                place: self.place.clone(),
                message: format!("there is no field `{key}`"),
            }),
        }
    }
    /// A number in decimal, as a text: it may be a long one.
    fn decimal(&self) -> Result<String, ReadError> {
        let text = self.text()?;
        match !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            true => Ok(text),
            false => self.wrong("a number in decimal"),
        }
    }
    pub(crate) fn number(&self) -> Result<u32, ReadError> {
        let number = self.json.as_u64().and_then(|n| u32::try_from(n).ok());
        number.map_or_else(|| self.wrong("a number"), Ok)
    }
}
