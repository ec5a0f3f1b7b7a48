//! Tables of functions: members of a global structure that are called, and change together.
//!
//! - TF1. The members of a global through which functions are called make a table if each of the files that
//!   define their targets has one for every such member: `allocator.get` and `allocator.put`, with one
//!   pair of functions in `plain.c` and another in `failing.c`. The functions of one file belong together.
//! - TF2. A call through a member reaches the function of the file whose table is in force.
//! - TF3. Any table may be in force at the start; after an assignment to the global, or to a member of such
//!   a name, whatever it is a member of; after a call of what is not entered and gets the global's
//!   address; and after a call of a function that may do one of these, and is not followed.

use super::{Act, Maker};
use front_c::{Call, Event, Flow, FuncId, ObjectId, Point, Reach};
use ir::{BinaryOp, ExprId, Exprs, Type, VarId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// More tables are not told apart.
const MAX_TABLES: usize = 4;

/// A table.
#[derive(Debug)]
pub(super) struct Table {
    /// Which one is in force, by its file's position in `files`.
    var: VarId,
    files: Vec<u32>,
    global: ObjectId,
    /// The names of its members.
    members: BTreeSet<String>,
}

impl Table {
    pub(super) fn var(&self) -> VarId {
        self.var
    }
}

impl Maker<'_> {
    /// The global and the name of the member that a pointer is read from.
    fn member(&self, o: ObjectId) -> Option<(ObjectId, &str)> {
        let object = &self.s.objects[o.index()];
        let Reach::Field(mut base) = object.reach else { return None };
        while let Reach::Field(b) = self.s.objects[base.index()].reach {
            base = b;
        }
        let root = &self.s.objects[base.index()];
        (root.reach == Reach::Var && !root.automatic).then(|| (base, last_name(&object.name)))
    }

    /// Finds the tables (TF1).
    pub(super) fn find_tables(&mut self) {
        let found = self.f.facts.tables.get_or_init(|| self.all_tables().into()).clone();
        for (global, files, members) in found.iter().cloned() {
            let bits = usize::BITS - (files.len() - 1).leading_zeros();
            let var = self.b.hidden_global("(table)", Type::int(bits));
            let name = &self.s.objects[global.index()].name;
            self.limits.insert(format!(
                "functions that are called through members of `{name}` are taken to be those of \
                 one file at a time"
            ));
            self.tables.push(Table { var, files, global, members });
        }
    }

    /// Globals, the files that have a function for each of some members, and these members.
    fn all_tables(&self) -> Vec<(ObjectId, Vec<u32>, BTreeSet<String>)> {
        let s = self.s;
        let mut calls: BTreeMap<ObjectId, BTreeMap<String, BTreeSet<FuncId>>> = BTreeMap::new();
        for body in &s.bodies {
            for point in &body.points {
                let Flow::Call(call) = &point.flow else { continue };
                if let Some((global, name)) = call.through.and_then(|o| self.member(o)) {
                    let members = calls.entry(global).or_default();
                    members.entry(name.to_owned()).or_default().extend(&call.targets);
                }
            }
        }
        let mut out = Vec::new();
        let mut number: FxHashMap<FuncId, u32> = FxHashMap::default();
        for body in &s.bodies {
            number.insert(body.func, body.at.file);
        }
        for (global, members) in calls {
            // By the files: one function in each.
            let mut same: BTreeMap<Vec<u32>, BTreeSet<String>> = BTreeMap::new();
            for (name, targets) in members {
                let files: Option<BTreeSet<u32>> =
                    targets.iter().map(|g| number.get(g).copied()).collect();
                if let Some(files) = files.filter(|f| f.len() == targets.len() && f.len() > 1) {
                    same.entry(files.into_iter().collect()).or_default().insert(name);
                }
            }
            for (files, members) in same {
                if members.len() >= 2 && out.len() < MAX_TABLES {
                    out.push((global, files, members));
                }
            }
        }
        out
    }

    /// When a call reaches a target (TF2).
    pub(super) fn in_force(&mut self, act: &mut Act, call: &Call, target: Option<FuncId>) {
        let Some((global, name)) = call.through.and_then(|o| self.member(o)) else { return };
        let table = self.tables.iter().find(|t| t.global == global && t.members.contains(name));
        let file = target.and_then(|g| self.s.body(g)).map(|b| b.at.file);
        let (Some(table), Some(file)) = (table, file) else { return };
        let Some(k) = table.files.iter().position(|f| *f == file) else { return };
        let exprs = &mut self.b.exprs;
        let (now, k) = (exprs.pre(table.var), exprs.int(k as i64));
        let here = exprs.binary(BinaryOp::Eq, now, k);
        let old = act.guard.unwrap_or(Exprs::TRUE);
        act.guard = Some(exprs.and(old, here));
    }

    /// The tables that a point may change (TF3).
    pub(super) fn changed_tables(&self, point: &Point) -> Vec<(VarId, Option<ExprId>)> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        let (mut objects, mut given) = (Vec::new(), Vec::new());
        for event in &point.events {
            if let Event::Assign(o) | Event::Modify(o) = *event {
                objects.push(o);
            }
        }
        if let Flow::Call(call) = &point.flow {
            objects.extend(call.result);
            if !call.targets.iter().any(|g| self.f.is_entered(*g)) {
                given.extend(call.arg_values.iter().flatten().copied());
            }
        }
        let changes = |t: &&Table| {
            let assigned = |o: &ObjectId| {
                let object = &self.s.objects[o.index()];
                *o == t.global
                    || matches!(object.reach, Reach::Field(_) | Reach::Arrow(_))
                        && t.members.contains(last_name(&object.name))
            };
            let address =
                |o: &ObjectId| self.s.objects[o.index()].reach == Reach::Address(t.global);
            objects.iter().any(assigned) || given.iter().any(address)
        };
        self.tables.iter().filter(changes).map(|t| (t.var, None)).collect()
    }
}

/// `f` of `a.b->f`.
fn last_name(name: &str) -> &str {
    name.rsplit(['.', '>']).next().unwrap_or("")
}
