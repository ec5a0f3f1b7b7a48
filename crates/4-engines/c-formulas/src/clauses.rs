//! The data program as Horn clauses: what holds where, by the runs that lead there.
//!
//! Of a function `f` there are three kinds of predicates: `f_in` over what it is called with, `f_N` for each of its
//! blocks, over that and what its variables are now, and `f_out`, which relates what it was called with to what it
//! leaves. One clause is what happens from the start of a block to its end, or to a call:
//!
//! - HC1: what the program starts with is what its first function is called with; the others follow, each after the
//!   one before it came back.
//! - HC2: what a block leads to holds at the next block; what a function starts with holds at its first block.
//! - HC3: what is passed at a call holds at the entry of what is called.
//! - HC4: after a call holds what `f_out` says of it.
//! - HC5: a run that comes to a place that was asked about is bad; nothing bad happens.
//!
//! So the clauses have a solution if and only if no run is bad. Only variables that are still read are arguments, and
//! of the static ones only those that a function or what it calls touches.

use crate::execute::{Executor, Path, Refusal, Slot};
use crate::flow::{Effects, begun, effects, live, taken};
use crate::smt;
use crate::terms::{Cmp, Term};
use c_data::{
    BlockId, Call, Callee, End, ExprKind, FuncId, Function, Home, LocalId, Point, Program, Root,
    StmtKind,
};
use check::{Budget, StopReason};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A predicate with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) name: String,
    pub(crate) args: Vec<Term>,
}

/// What follows from what; without a head, it must not be.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) body: Vec<Atom>,
    pub(crate) conditions: Vec<Term>,
    pub(crate) head: Option<Atom>,
}

/// Why there are no clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NoClauses {
    /// Something has no words there: what, and where.
    Refused(String),
    /// A limit was reached.
    Stopped(StopReason),
}

/// A run so far: what holds, and from which predicates.
#[derive(Clone, Debug)]
struct Run {
    path: Path,
    body: Vec<Atom>,
}

struct Horn<'p> {
    x: Executor<'p>,
    goals: FxHashSet<Point>,
    effects: Vec<Effects>,
    /// Functions whose addresses are taken.
    taken: Vec<FuncId>,
    /// Functions that nobody needs to come back from.
    last: Option<FuncId>,
    clauses: Vec<Clause>,
    declared: Vec<(String, Vec<u32>, String)>,
}

/// The program's clauses for places that must not be reached, in SMT-LIB.
pub fn horn(program: &Program, points: &[Point], budget: &Budget) -> Result<String, NoClauses> {
    let script = script(program).map_err(NoClauses::Refused)?;
    let mut x = Executor::new(program, false);
    let taken = taken(program);
    let (script, reached) = begun(&mut x, script, &taken);
    let effects = effects(&x, &taken, &reached);
    let calls_main = reached.iter().any(|&f| {
        let stmts = program.functions[f.index()].blocks.iter().flat_map(|b| &b.stmts);
        let direct = |s: &c_data::Stmt| {
            matches!(&s.kind, StmtKind::Call(Call { callee: Callee::Direct(g), .. }) if Some(g) == script.last())
        };
        stmts.into_iter().any(direct)
    });
    let last = script.last().copied().filter(|f| !calls_main && !taken.contains(f));
    let goals = points.iter().copied().collect();
    let (clauses, declared) = (Vec::new(), Vec::new());
    let mut horn = Horn { x, goals, effects, taken, last, clauses, declared };
    for &f in &reached {
        budget.poll().map_err(NoClauses::Stopped)?;
        horn.function(f).map_err(NoClauses::Refused)?;
    }
    horn.begin(&script, &reached).map_err(NoClauses::Refused)?;
    let bad = Atom { name: "bad".to_owned(), args: Vec::new() };
    horn.clauses.push(Clause { body: vec![bad], conditions: Vec::new(), head: None });
    horn.written(budget)
}

/// The functions that are called one after the other: what runs before `main`, `main`, what `exit` does.
pub(crate) fn script(program: &Program) -> Result<Vec<FuncId>, Refusal> {
    let has_body = |f: &FuncId| program.functions[f.index()].has_body();
    let none = || "there is no function `main`".to_owned();
    let main = program.function("main").filter(has_body).ok_or_else(none)?;
    if let Some(gap) = &program.unfollowed {
        return Err(gap.what.clone());
    }
    let after = program.function("exit").filter(has_body);
    Ok(program.before.iter().copied().chain([main]).chain(after).collect())
}

impl Horn<'_> {
    fn name(&self, f: FuncId, what: &str) -> String {
        format!("{}_{}_{what}", smt::word(&self.x.function(f).name), f.index())
    }

    /// What a function hands back, if that is a number.
    fn result_bits(&self, f: FuncId) -> Result<Option<u32>, Refusal> {
        let types = &self.x.program.types;
        let function = self.x.function(f);
        let Some(signature) = types.signature(function.ty) else { return Ok(None) };
        if types.is_void(signature.result) {
            return Ok(None);
        }
        let class = self.x.class(signature.result);
        match class.aggregate {
            true => Err(format!("`{}` gives back a structure", function.name)),
            false => Ok(Some(class.bits)),
        }
    }

    fn touched(&self, f: FuncId) -> Vec<usize> {
        let effects = &self.effects[f.index()];
        (0..self.x.globals.len()).filter(|&g| effects.touches(g)).collect()
    }
    /// What is an argument of the predicates of blocks beside what a function was called with.
    fn changed(&self, f: FuncId) -> Vec<usize> {
        let effects = &self.effects[f.index()];
        let whole = self.last == Some(f);
        self.touched(f).into_iter().filter(|&g| whole || effects.writes[g]).collect()
    }
    fn param_slots(&self, f: FuncId) -> Vec<Slot> {
        let function = self.x.function(f);
        let slot = |&l: &LocalId| {
            let local = &function.locals[l.index()];
            let bits = match local.home {
                Home::ByAddress => self.x.program.types.model().pointer.into(),
                _ => self.x.class(local.ty).bits,
            };
            Slot { name: local.name.clone(), bits }
        };
        function.params.iter().map(slot).collect()
    }
    /// What a function is called with: its parameters, and static variables.
    fn input_slots(&self, f: FuncId) -> Vec<Slot> {
        let globals = self.touched(f).into_iter().map(|g| self.x.globals[g].clone());
        self.param_slots(f).into_iter().chain(globals).collect()
    }

    fn declare(&mut self, name: String, slots: &[Slot], comment: String) {
        self.declared.push((name, slots.iter().map(|s| s.bits).collect(), comment));
    }

    fn add(&mut self, run: &Run, head: Option<Atom>) {
        let never = |t: &Term| self.x.terms.value(*t) == Some(0);
        if run.path.conditions.iter().any(never) {
            return;
        }
        let (body, conditions) = (run.body.clone(), run.path.conditions.clone());
        self.clauses.push(Clause { body, conditions, head });
    }

    fn bad(&mut self, run: &Run) {
        self.add(run, Some(Atom { name: "bad".to_owned(), args: Vec::new() }));
    }

    /// HC2 to HC5 of a function.
    fn function(&mut self, f: FuncId) -> Result<(), Refusal> {
        let function = self.x.function(f);
        let place = |at| self.x.program.place(at);
        let inputs = self.input_slots(f);
        let carried: Vec<Slot> = if self.last == Some(f) { Vec::new() } else { inputs.clone() };
        let entry = self.name(f, "in");
        self.declare(entry.clone(), &inputs, format!("{} is called", function.name));
        if self.last != Some(f) {
            let changed = self.changed(f).into_iter().map(|g| self.x.globals[g].clone());
            let mut out: Vec<Slot> = inputs.iter().cloned().chain(changed).collect();
            let result = self.result_bits(f)?;
            out.extend(result.map(|bits| Slot { name: "result".to_owned(), bits }));
            self.declare(self.name(f, "out"), &out, format!("{} comes back", function.name));
        }
        let live = live(&self.x, f);
        let blocks = crate::flow::blocks(function);
        for &b in &blocks {
            let own = self.x.own[f.index()].slots.iter().enumerate();
            let own = own.filter(|(i, _)| live[b][*i]).map(|(_, s)| s.clone());
            let now = self.changed(f).into_iter().map(|g| self.x.globals[g].clone());
            let slots: Vec<Slot> = carried.iter().cloned().chain(own).chain(now).collect();
            let at = function.blocks[b].stmts.first().map_or(function.blocks[b].end_at, |s| s.at);
            let comment = format!("{}, {}", function.name, place(at));
            self.declare(self.name(f, &b.to_string()), &slots, comment);
        }
        // The entry.
        let args = self.x.arbitrary(&inputs);
        let mut run = self.entered(f, &args);
        run.body.push(Atom { name: entry, args: args.clone() });
        let head = self.block_atom(f, 0, &live, &args, &run.path);
        self.add(&run, Some(head));
        for &b in &blocks {
            self.block(f, b, &live)
                .map_err(|(at, what)| format!("{}: {what}", self.x.program.place(at)))?;
        }
        Ok(())
    }

    /// A function that has been called: its parameters are what it was given, its other locals anything.
    fn entered(&mut self, f: FuncId, inputs: &[Term]) -> Run {
        let function = self.x.function(f);
        let slots = self.x.own[f.index()].slots.clone();
        let own = self.x.arbitrary(&slots);
        let global = self.globals(f, inputs);
        let mut path = Path { function: f, own, global, conditions: Vec::new() };
        for (i, local) in function.locals.iter().enumerate() {
            let l = LocalId::new(i);
            let given = function.params.iter().position(|&p| p == l).map(|p| inputs[p]);
            match (local.home, self.x.own[f.index()].local(l)) {
                (Home::Memory, Some(slot)) => {
                    let bits = self.x.program.types.model().pointer.into();
                    let size = self.x.program.types.size(local.ty).unwrap_or(0);
                    let size = self.x.terms.number(bits, size.into());
                    path.own[slot] = self.x.allocate(&mut path, size);
                    if let Some(value) = given {
                        let address = path.own[slot];
                        self.x.keep(&mut path, address, value, local.ty);
                    }
                }
                (Home::Memory, None) => {
                    let cell = self.x.own[f.index()].cell(l, 0);
                    if let (Some(value), Some(slot)) = (given, cell) {
                        let (bits, signed) = (slots[slot].bits, self.x.class(local.ty).signed);
                        path.own[slot] = self.x.terms.resized(value, bits, signed);
                    }
                }
                (_, Some(slot)) => {
                    if let Some(value) = given {
                        path.own[slot] = value;
                    }
                }
                (_, None) => {}
            }
        }
        Run { path, body: Vec::new() }
    }

    /// Static variables as a function was called with them; what it does not touch is nobody's.
    fn globals(&mut self, f: FuncId, inputs: &[Term]) -> Vec<Term> {
        let params = self.x.function(f).params.len();
        let touched = self.touched(f);
        let mut all = Vec::new();
        for g in 0..self.x.globals.len() {
            all.push(match touched.iter().position(|&t| t == g) {
                Some(i) => inputs[params + i],
                None => {
                    let Slot { name, bits } = self.x.globals[g].clone();
                    self.x.terms.fresh(&name, bits)
                }
            });
        }
        all
    }

    fn block_atom(
        &self,
        f: FuncId,
        b: usize,
        live: &[Vec<bool>],
        inputs: &[Term],
        path: &Path,
    ) -> Atom {
        let mut args: Vec<Term> = Vec::new();
        if self.last != Some(f) {
            args.extend(inputs);
        }
        let own = path.own.iter().enumerate().filter(|(i, _)| live[b][*i]);
        args.extend(own.map(|(_, t)| *t));
        args.extend(self.changed(f).into_iter().map(|g| path.global[g]));
        Atom { name: self.name(f, &b.to_string()), args }
    }

    fn block(
        &mut self,
        f: FuncId,
        b: usize,
        live: &[Vec<bool>],
    ) -> Result<(), (c_data::At, Refusal)> {
        let function = self.x.function(f);
        let block = &function.blocks[b];
        let slots = self.input_slots(f);
        let inputs = self.x.arbitrary(&slots);
        let own = self.x.own[f.index()].slots.clone();
        let own = self.x.arbitrary(&own);
        let mut global = self.globals(f, &inputs);
        for g in self.changed(f) {
            let Slot { name, bits } = self.x.globals[g].clone();
            global[g] = self.x.terms.fresh(&name, bits);
        }
        let path = Path { function: f, own, global, conditions: Vec::new() };
        let here = self.block_atom(f, b, live, &inputs, &path);
        let mut todo = vec![(Run { path, body: vec![here] }, 0)];
        while let Some((mut run, first)) = todo.pop() {
            let mut goes_on = true;
            for (k, stmt) in block.stmts.iter().enumerate().skip(first) {
                let point = Point::Before(f, BlockId::new(b), k as u32);
                if self.goals.contains(&point) {
                    self.bad(&run);
                }
                let wrong = |what| (stmt.at, what);
                match &stmt.kind {
                    StmtKind::Call(call) => {
                        let next = self.call(run.clone(), call).map_err(wrong)?;
                        todo.extend(next.into_iter().map(|run| (run, k + 1)));
                        goes_on = false;
                        break;
                    }
                    other => self.x.statement(&mut run.path, other).map_err(wrong)?,
                }
            }
            if goes_on {
                let end = Point::Before(f, BlockId::new(b), block.stmts.len() as u32);
                if self.goals.contains(&end) {
                    self.bad(&run);
                }
                self.end(f, &block.end, run, live, &inputs).map_err(|what| (block.end_at, what))?;
            }
        }
        Ok(())
    }

    fn end(
        &mut self,
        f: FuncId,
        end: &End,
        mut run: Run,
        live: &[Vec<bool>],
        inputs: &[Term],
    ) -> Result<(), Refusal> {
        let to = |horn: &mut Self, run: &Run, b: BlockId| {
            let head = horn.block_atom(f, b.index(), live, inputs, &run.path);
            horn.add(run, Some(head));
        };
        match end {
            End::Jump(b) => to(self, &run, *b),
            End::Branch(e, yes, no) => {
                let value = self.x.eval(&mut run.path, *e)?;
                let holds = self.x.terms.is_true(value);
                let not = self.x.terms.not(holds);
                for (condition, b) in [(holds, yes), (not, no)] {
                    let mut taken = run.clone();
                    taken.path.conditions.push(condition);
                    to(self, &taken, *b);
                }
            }
            End::Switch(e, cases, other) => {
                let signed = self.x.class(self.x.function(f).expr(*e).ty).signed;
                let value = self.x.eval(&mut run.path, *e)?;
                let bits = self.x.terms.bits(value);
                for (low, high, b) in cases {
                    let t = &mut self.x.terms;
                    let (low, high) = (t.number(bits, *low as u128), t.number(bits, *high as u128));
                    let cmp = if signed { Cmp::LeS } else { Cmp::LeU };
                    let inside = match low == high {
                        true => t.equal(value, low),
                        false => {
                            let (a, b) = (t.compare(cmp, low, value), t.compare(cmp, value, high));
                            t.and(a, b)
                        }
                    };
                    let outside = t.not(inside);
                    let mut taken = run.clone();
                    taken.path.conditions.push(inside);
                    to(self, &taken, *b);
                    run.path.conditions.push(outside);
                }
                to(self, &run, *other);
            }
            End::JumpTo(_) => return Err("control goes to the address of a label".to_owned()),
            End::Unreachable => {}
            End::Return(value) => {
                let value = match value {
                    Some(e) => Some(self.x.eval(&mut run.path, *e)?),
                    None => None,
                };
                self.returned(f, run, value, inputs)?;
            }
            End::FellOff => self.returned(f, run, None, inputs)?,
        }
        Ok(())
    }

    fn returned(
        &mut self,
        f: FuncId,
        run: Run,
        value: Option<Term>,
        inputs: &[Term],
    ) -> Result<(), Refusal> {
        if self.last == Some(f) {
            return Ok(());
        }
        let mut args = inputs.to_vec();
        args.extend(self.changed(f).into_iter().map(|g| run.path.global[g]));
        if let Some(bits) = self.result_bits(f)? {
            let value = match value {
                Some(value) => self.x.terms.resized(value, bits, false),
                None => self.x.terms.fresh("result", bits),
            };
            args.push(value);
        }
        let name = self.name(f, "out");
        self.add(&run, Some(Atom { name, args }));
        Ok(())
    }

    /// HC3, HC4: what a call does, for each function that it may be of.
    fn call(&mut self, mut run: Run, call: &Call) -> Result<Vec<Run>, Refusal> {
        if call.result_at.is_some() {
            return Err("a function gives back a structure".to_owned());
        }
        let caller = self.x.function(run.path.function);
        let target = match call.callee {
            Callee::Direct(_) => None,
            Callee::Indirect(e) => Some(self.x.eval(&mut run.path, e)?),
        };
        let mut args = Vec::new();
        for &e in &call.args {
            let class = self.x.class(caller.expr(e).ty);
            args.push((self.x.eval(&mut run.path, e)?, class.signed));
        }
        let Some(target) = target else {
            let Callee::Direct(f) = call.callee else { return Ok(Vec::new()) };
            return self.call_one(run, f, &args, call.result);
        };
        let mut out = Vec::new();
        for f in self.taken.clone() {
            let at = self.x.address_of_function(f);
            let there = self.x.terms.number(self.x.terms.bits(target), at.into());
            let there = self.x.terms.equal(target, there);
            if self.x.terms.value(there) == Some(0) {
                continue;
            }
            let mut taken = run.clone();
            taken.path.conditions.push(there);
            out.extend(self.call_one(taken, f, &args, call.result)?);
        }
        Ok(out)
    }

    fn call_one(
        &mut self,
        mut run: Run,
        f: FuncId,
        args: &[(Term, bool)],
        result: Option<LocalId>,
    ) -> Result<Vec<Run>, Refusal> {
        if self.goals.contains(&Point::Call(f)) {
            self.bad(&run);
        }
        if self.x.ends(f) {
            return Ok(Vec::new());
        }
        if !self.x.function(f).has_body() {
            let goes_on = self.x.native(&mut run.path, f, args, result)?;
            if let Some(model) = goes_on.model {
                return self.call_one(run, model, args, result);
            }
            return Ok(if goes_on.on { vec![run] } else { Vec::new() });
        }
        let result_bits = self.result_bits(f)?;
        let mut inputs = Vec::new();
        for (i, slot) in self.param_slots(f).into_iter().enumerate() {
            inputs.push(match args.get(i) {
                Some(&(value, signed)) => self.x.terms.resized(value, slot.bits, signed),
                None => self.x.terms.fresh(&slot.name, slot.bits),
            });
        }
        inputs.extend(self.touched(f).into_iter().map(|g| run.path.global[g]));
        let name = self.name(f, "in");
        self.add(&run, Some(Atom { name, args: inputs.clone() }));
        for g in self.changed(f) {
            let Slot { name, bits } = self.x.globals[g].clone();
            let after = self.x.terms.fresh(&name, bits);
            run.path.global[g] = after;
            inputs.push(after);
        }
        if let Some(bits) = result_bits {
            let value = self.x.terms.fresh("result", bits);
            inputs.push(value);
            if let Some(local) = result {
                self.x.set(&mut run.path, local, value);
            }
        }
        run.body.push(Atom { name: self.name(f, "out"), args: inputs });
        Ok(vec![run])
    }

    /// HC1: the start.
    fn begin(&mut self, script: &[FuncId], reached: &[FuncId]) -> Result<(), Refusal> {
        let used = used_objects(&self.x, reached);
        let global = self.x.start(&used)?;
        let function = script[0];
        let path = Path { function, own: Vec::new(), global, conditions: Vec::new() };
        let mut run = Run { path, body: Vec::new() };
        for &f in script {
            let args = self.arguments(&mut run, f)?;
            if self.last == Some(f) {
                let mut inputs: Vec<Term> = args.iter().map(|a| a.0).collect();
                inputs.extend(self.touched(f).into_iter().map(|g| run.path.global[g]));
                let name = self.name(f, "in");
                self.add(&run, Some(Atom { name, args: inputs }));
                return Ok(());
            }
            match self.call_one(run, f, &args, None)?.pop() {
                Some(after) => run = after,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// What a function of the outermost level is called with.
    fn arguments(&mut self, run: &mut Run, f: FuncId) -> Result<Vec<(Term, bool)>, Refusal> {
        let function = self.x.function(f);
        let mut out = Vec::new();
        for (i, slot) in self.param_slots(f).into_iter().enumerate() {
            let value = self.x.terms.fresh(&slot.name, slot.bits);
            if i == 0 {
                // There is always the name of the program.
                let one = self.x.terms.number(slot.bits, 1);
                let some = self.x.terms.compare(Cmp::LeS, one, value);
                run.path.conditions.push(some);
            } else if reads(function, function.params[i]) {
                return Err(format!("`{}` looks at its arguments", function.name));
            }
            out.push((value, true));
        }
        Ok(out)
    }

    /// The clauses as text.
    fn written(mut self, budget: &Budget) -> Result<String, NoClauses> {
        let pointer = u32::from(self.x.program.types.model().pointer);
        let mut out = String::from(smt::HEADER);
        for (name, bits, comment) in &self.declared {
            let sorts: Vec<String> = bits.iter().map(|&b| smt::sort(b, pointer)).collect();
            let comment = comment.replace(['\n', '\r'], " ");
            let _ = writeln!(out, "; {comment}\n(declare-fun {name} ({}) Bool)", sorts.join(" "));
        }
        out.push_str("(declare-fun bad () Bool)\n\n");
        for clause in std::mem::take(&mut self.clauses) {
            budget.poll().map_err(NoClauses::Stopped)?;
            smt::clause(&mut out, &self.x.terms, &clause, pointer);
        }
        out.push_str("\n(check-sat)\n");
        Ok(out)
    }
}

/// Whether a function looks at a local.
fn reads(f: &Function, l: LocalId) -> bool {
    f.exprs
        .iter()
        .any(|e| matches!(e.kind, ExprKind::Local(read) | ExprKind::AddressOf(read) if read == l))
}

/// The static objects whose addresses functions have, directly or in other objects.
fn used_objects(x: &Executor<'_>, reached: &[FuncId]) -> Vec<bool> {
    let mut used = vec![false; x.program.objects.len()];
    let mut todo: Vec<usize> = Vec::new();
    for f in reached {
        let exprs = &x.function(*f).exprs;
        todo.extend(exprs.iter().filter_map(|e| match e.kind {
            ExprKind::Root(Root::Object(o)) => Some(o.index()),
            _ => None,
        }));
    }
    while let Some(o) = todo.pop() {
        if !std::mem::replace(&mut used[o], true) {
            let roots = x.program.objects[o].addresses.iter();
            todo.extend(roots.filter_map(|(_, root, _)| match root {
                Root::Object(o) => Some(o.index()),
                _ => None,
            }));
        }
    }
    used
}
