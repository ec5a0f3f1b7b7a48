//! Values of variables as people know them: by name and type.

use crate::ListedStep;
use check::Partial;
use indexmap::IndexMap;
use ir::{Layout, ProcId, Program, Scalar, TextId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The value of a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// Of a boolean.
    Bool(bool),
    /// Of an integer.
    Int(u64),
    /// Of an integer with a sign that is less than zero.
    Negative(i64),
    /// Of an array, cell by cell; some may be open.
    Array(Vec<Option<Value>>),
    /// Of C, as it is written there: pointers, strings, numbers with fractions.
    Text(String),
    /// Of an array of C; what was never written is open. Of a long one the end is a text that says how many are left out.
    Elements(Vec<Option<Value>>),
    /// Of a struct or union of C, by member.
    Members(IndexMap<String, Option<Value>>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{}", u8::from(*b)),
            Value::Int(v) => write!(f, "{v}"),
            Value::Negative(v) => write!(f, "{v}"),
            Value::Array(cells) => {
                f.write_str("[")?;
                for (i, cell) in cells.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    match cell {
                        Some(value) => value.fmt(f)?,
                        None => f.write_str("?")?,
                    }
                }
                f.write_str("]")
            }
            Value::Text(text) => f.write_str(text),
            Value::Elements(elements) => {
                f.write_str("{")?;
                let mut shown = 0;
                let mut i = 0;
                while let Some(element) = elements.get(i) {
                    if shown == SHOWN {
                        return write!(f, ", … {} more}}", elements.len() - i);
                    }
                    let alike = elements[i..].iter().take_while(|e| *e == element).count();
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    optional(element.as_ref(), f)?;
                    match alike {
                        0..4 => i += 1,
                        n => {
                            write!(f, " <repeats {n} times>")?;
                            i += n;
                        }
                    }
                    shown += 1;
                }
                f.write_str("}")
            }
            Value::Members(members) => {
                f.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    write!(f, "{name}=")?;
                    optional(value.as_ref(), f)?;
                }
                f.write_str("}")
            }
        }
    }
}

/// So many elements of an array of C are shown on a line.
const SHOWN: usize = 16;
/// So many parts of a value are told one by one, if the rest is as it was.
const PARTS: usize = 3;

fn optional(value: Option<&Value>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Some(value) => write!(f, "{value}"),
        None => f.write_str("?"),
    }
}

impl Value {
    /// Whether a value that was read from a report is this one.
    pub fn is_told_by(&self, read: &Value) -> bool {
        let same = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
            (Some(a), Some(b)) => a.is_told_by(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        match (self, read) {
            (Value::Elements(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Members(a), Value::Members(b)) => {
                a.len() == b.len()
                    && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
            }
            (a, b) => a == b,
        }
    }

    /// What differs from an earlier value of the same variable, by the names of the parts; nothing, if these are many.
    fn parts(&self, before: &Value, name: &str) -> Option<Vec<(String, Option<Value>)>> {
        let mut out = Vec::new();
        let mut todo = vec![(name.to_owned(), Some(self), Some(before))];
        while let Some((name, now, before)) = todo.pop() {
            match (now, before) {
                _ if now == before => {}
                (Some(Value::Members(now)), Some(Value::Members(before))) => {
                    let both = now.iter().zip(before.values());
                    let inner = both.map(|((part, now), before)| {
                        // A member of what a pointer leads to.
                        let name = match name.strip_prefix('*') {
                            Some(pointer) => format!("{pointer}->{part}"),
                            None => format!("{name}.{part}"),
                        };
                        (name, now.as_ref(), before.as_ref())
                    });
                    todo.extend(inner.rev());
                }
                (Some(Value::Elements(now)), Some(Value::Elements(before)))
                    if now.len() == before.len() =>
                {
                    let both = now.iter().zip(before).enumerate();
                    let inner = both.map(|(i, (now, before))| {
                        (format!("{name}[{i}]"), now.as_ref(), before.as_ref())
                    });
                    todo.extend(inner.rev());
                }
                (now, _) => out.push((name, now.cloned())),
            }
            if out.len() > PARTS {
                return None;
            }
        }
        Some(out)
    }
}

/// Reads values out of states.
pub struct Reader<'p> {
    program: &'p Program,
    layout: Layout,
    scopes: FxHashMap<ProcId, Rc<[VarId]>>,
}

impl<'p> Reader<'p> {
    /// For states of `program`.
    pub fn new(program: &'p Program) -> Reader<'p> {
        Reader { program, layout: Layout::new(program), scopes: FxHashMap::default() }
    }

    /// The variables that a person can name in `proc`: globals, parameters, other locals, each in
    /// order of declaration, without those that are hidden or shadowed.
    pub fn scope(&mut self, proc: ProcId) -> Rc<[VarId]> {
        let program = self.program;
        self.scopes
            .entry(proc)
            .or_insert_with(|| {
                let all: Vec<VarId> =
                    program.scope(proc).filter(|&v| !program.vars[v].hidden).collect();
                // The innermost declaration of a name comes last.
                let mut seen: FxHashSet<TextId> = FxHashSet::default();
                let mut out: Vec<VarId> =
                    all.into_iter().rev().filter(|&v| seen.insert(program.vars[v].name)).collect();
                out.reverse();
                out.into()
            })
            .clone()
    }

    /// Where the variable's area begins in a state.
    fn base(&self, var: VarId) -> u32 {
        if self.is_global(var) { 0 } else { self.layout.global_bits }
    }

    /// The value of a variable in a state of a frame in whose scope it is; `None` if it is open.
    pub fn value(&self, state: &Partial, var: VarId) -> Option<Value> {
        let info = &self.program.vars[var];
        let base = self.base(var);
        let slot = self.layout.slot(var);
        let cell = |cell: u32| {
            let bits = slot.cell(cell);
            let number = state.number(base + bits.start..base + bits.end)?;
            Some(match info.ty.scalar {
                Scalar::Bool => Value::Bool(number != 0),
                Scalar::Int { bits } if info.signed && number >> (bits - 1) & 1 == 1 => {
                    Value::Negative(number as i64 - (1i64 << bits))
                }
                Scalar::Int { .. } => Value::Int(number),
            })
        };
        if info.ty.array.is_none() {
            return cell(0);
        }
        let cells: Vec<Option<Value>> = (0..slot.cells).map(cell).collect();
        cells.iter().any(Option::is_some).then_some(Value::Array(cells))
    }

    /// Like [`value`](Self::value) as text, but an integer that is known in part is shown bit by
    /// bit: `0b1-0`.
    pub fn pattern(&self, state: &Partial, var: VarId) -> Option<String> {
        let slot = self.layout.slot(var);
        let base = self.base(var);
        let cell = |cell: u32| {
            let bits = base + slot.cell(cell).start..base + slot.cell(cell).end;
            if let Some(number) = state.number(bits.clone()) {
                let width = bits.end - bits.start;
                let negative = self.program.vars[var].signed && number >> (width - 1) & 1 == 1;
                return Some(match negative {
                    true => (number as i64 - (1i64 << width)).to_string(),
                    false => number.to_string(),
                });
            }
            let digits = bits.clone().rev().map(|b| match state.get(b) {
                Some(true) => '1',
                Some(false) => '0',
                None => '-',
            });
            bits.clone()
                .any(|b| state.get(b).is_some())
                .then(|| format!("0b{}", digits.collect::<String>()))
        };
        let cells: Vec<Option<String>> = (0..slot.cells).map(cell).collect();
        if cells.iter().all(Option::is_none) {
            return None;
        }
        if self.program.vars[var].ty.array.is_none() {
            return cells.into_iter().next().flatten();
        }
        let cells: Vec<String> =
            cells.into_iter().map(|c| c.unwrap_or_else(|| "?".to_owned())).collect();
        Some(format!("[{}]", cells.join(",")))
    }

    /// The known values in a state of `proc`, by name.
    pub fn values(&mut self, proc: ProcId, state: &Partial) -> Vec<(VarId, Value)> {
        let scope = self.scope(proc);
        scope.iter().filter_map(|&v| Some((v, self.value(state, v)?))).collect()
    }

    /// Whether a variable is a global.
    pub fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].kind == VarKind::Global
    }
}

/// What changed since the reader last saw a variable: globals since the last step, locals since the
/// last step of the same activation.
pub(crate) struct Changes {
    globals: FxHashMap<VarId, Arc<Value>>,
    frames: Vec<FxHashMap<VarId, Arc<Value>>>,
}

/// A variable whose value is another one than before.
pub(crate) struct Change {
    pub(crate) var: VarId,
    /// None: it is no longer known.
    pub(crate) now: Option<Arc<Value>>,
    before: Option<Arc<Value>>,
}

impl Change {
    /// In words: the variable and its value, or the parts of it that changed.
    pub(crate) fn told(&self, program: &Program) -> Vec<String> {
        let name = program.var_name(self.var);
        let Some(now) = &self.now else { return vec![format!("{name}=?")] };
        let parts = self.before.as_ref().and_then(|before| now.parts(before, name));
        let told = |(name, value): (String, Option<Value>)| match value {
            Some(value) => format!("{name}={value}"),
            None => format!("{name}=?"),
        };
        match parts {
            Some(parts) if !parts.is_empty() => parts.into_iter().map(told).collect(),
            _ => vec![format!("{name}={now}")],
        }
    }
}

impl Changes {
    /// Nothing was seen yet.
    pub(crate) fn new() -> Changes {
        Changes { globals: FxHashMap::default(), frames: Vec::new() }
    }

    /// What is new in a step's state.
    pub(crate) fn step(
        &mut self,
        reader: &mut Reader<'_>,
        proc: ProcId,
        step: &ListedStep,
    ) -> Vec<Change> {
        // A step at depth d ends all deeper activations; the next one at d + 1 begins a new one.
        let depth = step.depth as usize;
        self.frames.truncate(depth + 1);
        self.frames.resize_with(depth + 1, FxHashMap::default);
        let mut out = Vec::new();
        for &var in reader.scope(proc).iter() {
            let now = match &step.values {
                Some(held) => {
                    let found = held.binary_search_by_key(&var, |(held, _)| *held);
                    found.ok().map(|i| held[i].1.clone())
                }
                None => reader.value(&step.state, var).map(Arc::new),
            };
            // What is out of scope in C, or has no value yet.
            if step.values.is_some() && now.is_none() {
                continue;
            }
            let seen = match reader.is_global(var) {
                true => &mut self.globals,
                false => &mut self.frames[depth],
            };
            if seen.get(&var) != now.as_ref() {
                let before = match &now {
                    Some(value) => seen.insert(var, value.clone()),
                    None => seen.remove(&var),
                };
                out.push(Change { var, now, before });
            }
        }
        out
    }
}
