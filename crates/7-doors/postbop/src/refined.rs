//! Places that the control skeleton leaves open, asked again with the values of variables that their runs depend on.
//!
//! A driver of ten thousand lines is right because of one counter and a few results that are tested. The skeleton with
//! these kept answers in a moment where the program with all its data does not.
//!
//! - KP1: Only questions about places are asked again, of a program that may be asked about with its data, and only if
//!   nobody said which variables are to be kept. What is found is the answer if it says of all places that none is reached;
//!   otherwise nothing has happened.
//! - KP2: What is kept are the integers that the conditions on the way of a run speak of; if all of those are kept, what
//!   flows into those that are: by assignments, parameters and results.
//! - KP3: A variable that is computed with has the bits of the numbers that it meets and one more, at least three, so that a
//!   counter has few values; any other one, and one that meets negative numbers, has all of its bits.
//! - KP4: Of a large program this comes before its data is looked at, of a small one behind that, if something is still
//!   open. The search ends when nothing is new, when too much is kept, or when its share of the time is spent.

use crate::by_engines;
use crate::granted::tested;
use asking::{EngineChoice, Options, Watch};
use front_c::{Data, DataId, Flow, ObjectId, Reach, Skeleton};
use property::Property;
use render::{Outcome, Report, Status};
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The most variables that are kept, and the most searches.
const MOST: usize = 40;
const ROUNDS: usize = 14;
/// What the searches may take together: at most this, and this part of the limit.
const LONGEST: Duration = Duration::from_secs(4);
const PART: u32 = 5;
/// Numbers of so many bits are counted to.
const COUNTED: u32 = 10;

/// So many points make a program large.
const LARGE: usize = 400;

/// Whether it is asked before a program's data is looked at. KP4.
pub(crate) fn is_large(options: &Options) -> bool {
    options.input.c.as_ref().is_some_and(|c| c.points() >= LARGE)
}

/// The answers with variables kept, if they say of all places that none is reached. KP1.
pub(crate) fn refined(
    report: &Report,
    files: &[Arc<SourceFile>],
    properties: &[Property],
    options: &Options,
    watch: &Watch,
) -> Option<Report> {
    let c = options.input.c.as_deref()?;
    let places = |o: &Outcome| matches!(o.property, Property::Assert | Property::Reach { .. });
    let open = |o: &Outcome| matches!(o.status, Status::Violated | Status::Reachable);
    let asked = options.search.engine == EngineChoice::Auto
        && options.input.data.is_some()
        && options.input.keep.is_empty()
        && options.search.bound.is_none()
        && !c.extent(options.input.allow_incomplete).forbids_claims();
    if !asked || !report.results.iter().all(places) || !report.results.iter().any(open) {
        return None;
    }
    let s = c.skeleton();
    let mut with = options.clone();
    with.search.trace = check::TraceMode::Any;
    let spent = watch.start.map_or(Duration::ZERO, |start| start.elapsed());
    let left = options.search.limits.time.map(|time| time.saturating_sub(spent) / PART);
    let end = spent + left.map_or(LONGEST, |left| left.min(LONGEST));
    with.search.limits.time = Some(end);
    // Who listens hears of answers that count.
    let quiet = Watch { so_far: Arc::default(), ..watch.clone() };
    let facts = Facts::of(s);
    let mut kept: BTreeSet<ObjectId> = BTreeSet::new();
    let mut last: Option<Report> = None;
    for _ in 0..ROUNDS {
        let now = last.as_ref().unwrap_or(report);
        let mut new: BTreeSet<ObjectId> = BTreeSet::new();
        for trace in now.results.iter().filter(|o| open(o)).filter_map(|o| o.trace.as_ref()) {
            new.extend(tested(s, trace));
        }
        let fits = |o: &ObjectId| can_be_kept(s, *o);
        new.retain(|o| fits(o) && !kept.contains(o));
        if new.is_empty() {
            // KP2.
            let feeding = kept.iter().filter_map(|o| facts.from.get(o)).flatten();
            new = feeding.copied().filter(|o| fits(o) && !kept.contains(o)).collect();
        }
        if new.is_empty() || kept.len() + new.len() > MOST {
            break;
        }
        kept.append(&mut new);
        let list = kept.iter().map(|&o| (s.object_name(o), facts.bits(s, o)));
        with.input.keep = list.collect();
        let Ok(found) = by_engines::answer(files, properties, &with, &quiet) else { break };
        let holds = |o: &Outcome| matches!(o.status, Status::Holds | Status::Unreachable);
        if found.results.iter().all(holds) {
            return Some(told(found, with.input.keep));
        }
        // What was not decided says nothing about what to keep.
        if !found.results.iter().any(open) {
            break;
        }
        last = Some(found);
    }
    None
}

/// A report that says what was kept.
fn told(mut report: Report, kept: Vec<(String, u32)>) -> Report {
    for outcome in &mut report.results {
        outcome.why += "; with values that runs depend on kept";
    }
    report.claims.kept = kept;
    report
}

fn can_be_kept(s: &Skeleton, o: ObjectId) -> bool {
    let object = &s.objects[o.index()];
    let int = object.scalar.and_then(|scalar| match scalar {
        c_types::Scalar::Float(_) | c_types::Scalar::Pointer => None,
        scalar => scalar.int(&s.model),
    });
    object.reach == Reach::Var
        && !object.temporary
        && !object.volatile
        && int.is_some_and(|int| int.bits <= 32)
}

/// What a program does with its variables.
#[derive(Default)]
struct Facts {
    /// What flows into a variable, whatever happens to it on the way.
    from: FxHashMap<ObjectId, BTreeSet<ObjectId>>,
    /// It is assigned what is computed.
    computed: BTreeSet<ObjectId>,
    /// The numbers that it is compared with, or assigned.
    numbers: FxHashMap<ObjectId, BTreeSet<i64>>,
}

impl Facts {
    fn of(s: &Skeleton) -> Facts {
        let mut out = Facts::default();
        let mut given: BTreeMap<u32, BTreeSet<ObjectId>> = BTreeMap::new();
        for body in &s.bodies {
            for data in &body.data {
                let Data::Binary(_, a, b) = *data else { continue };
                for (x, y) in [(a, b), (b, a)] {
                    if let (Some(o), Some(n)) = (object(&body.data, x), number(&body.data, y)) {
                        out.numbers.entry(o).or_default().insert(n);
                    }
                }
            }
            for point in &body.points {
                if let Some(d) = point.returned {
                    let from = given.entry(body.func.index() as u32).or_default();
                    objects(&body.data, d, from);
                }
                for (o, value) in &point.values {
                    let Some(d) = *value else { continue };
                    objects(&body.data, d, out.from.entry(*o).or_default());
                    out.assigned(*o, &body.data, d);
                }
            }
        }
        for point in s.bodies.iter().flat_map(|b| b.points.iter().map(move |p| (b, p))) {
            let (body, Flow::Call(call)) = (point.0, &point.1.flow) else { continue };
            for &f in &call.targets {
                if let (Some(o), Some(from)) = (call.result, given.get(&(f.index() as u32))) {
                    out.from.entry(o).or_default().extend(from);
                }
                let Some(callee) = s.body(f) else { continue };
                for (param, value) in callee.params.iter().zip(&call.arg_data) {
                    if let (Some(param), Some(d)) = (*param, *value) {
                        objects(&body.data, d, out.from.entry(param).or_default());
                        out.assigned(param, &body.data, d);
                    }
                }
            }
        }
        out
    }

    fn assigned(&mut self, o: ObjectId, data: &[Data], d: DataId) {
        if let Some(n) = number(data, d) {
            self.numbers.entry(o).or_default().insert(n);
        } else if object(data, d).is_none() {
            self.computed.insert(o);
        }
    }

    /// KP3.
    fn bits(&self, s: &Skeleton, o: ObjectId) -> u32 {
        let scalar = s.objects[o.index()].scalar;
        let all = scalar.and_then(|t| t.int(&s.model)).map_or(32, |int| u32::from(int.bits));
        let numbers = self.numbers.get(&o);
        let numbers = || numbers.into_iter().flatten().copied();
        let most = numbers().max().unwrap_or(0);
        let negative = numbers().min().unwrap_or(0) < 0;
        let needed = 65 - most.leading_zeros().min(64);
        match self.computed.contains(&o) && !negative && needed <= COUNTED {
            true => needed.max(3).min(all),
            false => all,
        }
    }
}

/// The variable that a value is, perhaps converted.
fn object(data: &[Data], mut d: DataId) -> Option<ObjectId> {
    loop {
        match data[d as usize] {
            Data::Object(o) => return Some(o),
            Data::As(_, a) | Data::Convert(_, a) => d = a,
            _ => return None,
        }
    }
}

/// The number that a value is.
fn number(data: &[Data], mut d: DataId) -> Option<i64> {
    loop {
        match data[d as usize] {
            Data::Int(n) => return Some(n),
            Data::As(_, a) | Data::Convert(_, a) => d = a,
            Data::Minus(a) => return number(data, a).and_then(i64::checked_neg),
            _ => return None,
        }
    }
}

/// The variables that a value is made of.
pub(crate) fn objects(data: &[Data], d: DataId, out: &mut BTreeSet<ObjectId>) {
    let mut todo = vec![d];
    while let Some(d) = todo.pop() {
        match data[d as usize] {
            Data::Object(o) => {
                out.insert(o);
            }
            Data::Int(_) => {}
            Data::Minus(a) | Data::Complement(a) | Data::Not(a) => todo.push(a),
            Data::As(_, a) | Data::Convert(_, a) => todo.push(a),
            Data::Binary(_, a, b) => todo.extend([a, b]),
            Data::Conditional(a, b, c) => todo.extend([a, b, c]),
        }
    }
}
