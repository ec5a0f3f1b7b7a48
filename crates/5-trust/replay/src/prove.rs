//! Deciding a rule instance by the SAT solver: the hypothesis, the relations and the negated
//! conclusion, as clauses, must not hold together.

use crate::certificate::Instance;
use crate::cnf::{Cnf, Effort, Lit};
use crate::machine::Role;
use check::{Area, Budget, SetBit, SetId, StateSets, StopReason};
use ir::blast::{Algebra, blast_rel};
use ir::{Program, Rel, Time, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Whether the instance holds.
pub(crate) fn prove(instance: &Instance, budget: &Budget) -> Result<bool, StopReason> {
    let space = instance.space;
    let (locals, results) = (space.locals().start, space.results().start);
    let mut cnf = Cnf::new(Effort::Budget(budget.clone()));

    // At entry and now.
    let mut entry = Valuation::default();
    let mut now = Valuation::default();
    for hypothesis in instance.hypotheses {
        let holds = member(&mut cnf, instance.sets, hypothesis, |cnf, bit| match bit.area {
            Area::EntryGlobal if instance.unchanged.get(bit.index).is_some() => {
                now.bit(cnf, bit.index)
            }
            Area::EntryGlobal => entry.bit(cnf, bit.index),
            Area::EntryLocal => entry.bit(cnf, locals + bit.index),
            Area::Global => now.bit(cnf, bit.index),
            Area::Local | Area::Result => now.bit(cnf, locals + bit.index),
        });
        cnf.clause(&[holds]);
    }

    // Through the first relation, the summary and the second relation.
    let mut out = relate(&mut cnf, instance, instance.first, instance.role, &mut now);
    if let Some((summary, back)) = instance.second {
        let mut exit = Valuation::default();
        let mut at_exit =
            |cnf: &mut Cnf, out: &mut Outputs, now: &mut Valuation, bit: u32| match instance
                .around
                .get(bit)
            {
                Some(_) => out.bit(cnf, now, Time::Post, bit),
                None => exit.bit(cnf, bit),
            };
        let summary = member(&mut cnf, instance.sets, summary, |cnf, bit| match bit.area {
            Area::EntryGlobal => out.bit(cnf, &mut now, Time::Post, bit.index),
            Area::EntryLocal => out.bit(cnf, &mut now, Time::Post, locals + bit.index),
            Area::Global | Area::Local => at_exit(cnf, &mut out, &mut now, bit.index),
            Area::Result => at_exit(cnf, &mut out, &mut now, results + bit.index),
        });
        cnf.clause(&[summary]);
        let mut before = Valuation::default();
        for bit in space.globals().chain(space.results()) {
            let lit = at_exit(&mut cnf, &mut out, &mut now, bit);
            before.bits.insert(bit, lit);
        }
        for bit in space.locals() {
            let lit = out.bit(&mut cnf, &mut now, Time::Saved, bit);
            before.bits.insert(bit, lit);
        }
        out = relate(&mut cnf, instance, back, Role::Back, &mut before);
        return refute(cnf, instance, entry, now, out, Some(before));
    }
    refute(cnf, instance, entry, now, out, None)
}

/// Asks for a valuation that breaks the conclusion. `before`: what the last relation keeps, if
/// that is not `now`.
fn refute(
    mut cnf: Cnf,
    instance: &Instance,
    mut entry: Valuation,
    mut now: Valuation,
    mut out: Outputs,
    mut before: Option<Valuation>,
) -> Result<bool, StopReason> {
    let space = instance.space;
    let (locals, results) = (space.locals().start, space.results().start);
    let mut holds = Lit::FALSE;
    for &conclusion in instance.conclusion {
        let inside = member(&mut cnf, instance.sets, conclusion, |cnf, bit| {
            let place = match bit.area {
                Area::EntryGlobal | Area::Global => bit.index,
                Area::EntryLocal | Area::Local => locals + bit.index,
                Area::Result => results + bit.index,
            };
            match bit.area {
                Area::EntryGlobal | Area::EntryLocal if !instance.starts_frame() => {
                    match instance.unchanged.get(place) {
                        Some(_) => now.bit(cnf, place),
                        None => entry.bit(cnf, place),
                    }
                }
                _ => out.bit(cnf, before.as_mut().unwrap_or(&mut now), Time::Post, place),
            }
        });
        holds = cnf.or(holds, inside);
    }
    for &var in instance.equal {
        for bit in space.var(instance.program, var) {
            let kept = before.as_mut().unwrap_or(&mut now);
            let after = out.bit(&mut cnf, kept, Time::Post, bit);
            let start = now.bit(&mut cnf, bit);
            let same = cnf.iff(after, start);
            holds = cnf.and(holds, same);
        }
    }
    cnf.clause(&[!holds]);
    Ok(!cnf.solve()?)
}

/// A literal for each bit, made when first asked for.
#[derive(Default)]
struct Valuation {
    bits: FxHashMap<u32, Lit>,
}

impl Valuation {
    fn bit(&mut self, cnf: &mut Cnf, bit: u32) -> Lit {
        *self.bits.entry(bit).or_insert_with(|| cnf.fresh())
    }
}

/// What comes out of a relation.
struct Outputs {
    role: Role,
    /// Bits that the relation changes or leaves arbitrary.
    bits: FxHashMap<(Time, u32), Lit>,
    /// Bits that it keeps.
    globals: std::ops::Range<u32>,
    locals: std::ops::Range<u32>,
}

impl Outputs {
    fn bit(&mut self, cnf: &mut Cnf, before: &mut Valuation, time: Time, bit: u32) -> Lit {
        if let Some(&lit) = self.bits.get(&(time, bit)) {
            return lit;
        }
        let local = self.locals.contains(&bit);
        let keeps = match (self.role, time) {
            (Role::Enter, Time::Saved) => local,
            (Role::Local | Role::Back, Time::Post) => local || self.globals.contains(&bit),
            _ => self.globals.contains(&bit),
        };
        if keeps {
            return before.bit(cnf, bit);
        }
        let lit = cnf.fresh();
        self.bits.insert((time, bit), lit);
        lit
    }
}

/// Requires the relation to hold.
fn relate(
    cnf: &mut Cnf,
    instance: &Instance,
    rel: &Rel,
    role: Role,
    before: &mut Valuation,
) -> Outputs {
    let space = instance.space;
    let outputs = Outputs {
        role,
        bits: FxHashMap::default(),
        globals: space.globals(),
        locals: space.locals(),
    };
    let mut alg = Blast {
        cnf,
        instance,
        rel,
        before,
        outputs,
        read: BTreeMap::new(),
        choices: FxHashMap::default(),
    };
    let Ok(blasted) = blast_rel(instance.program, rel, &mut alg, |_, _| true);
    let Blast { cnf, before, mut outputs, mut read, .. } = alg;
    cnf.clause(&[blasted.enabled]);
    cnf.clause(&[blasted.constraint]);
    for update in &blasted.updates {
        let cell = space.cell(instance.program, update.var, update.cell);
        let key = (update.time, cell.start + update.bit);
        let lit = match read.remove(&key) {
            Some(lit) => {
                let same = cnf.iff(lit, update.value);
                cnf.clause(&[update.free, same]);
                lit
            }
            None if update.free == Lit::FALSE => update.value,
            None => {
                let any = cnf.fresh();
                cnf.ite(update.free, any, update.value)
            }
        };
        outputs.bits.insert(key, lit);
    }
    // Cells of an assigned array that no assignment can touch are as the frame rule says.
    for (key, lit) in read {
        let kept = outputs.bit(cnf, before, key.0, key.1);
        let same = cnf.iff(lit, kept);
        cnf.clause(&[same]);
    }
    outputs
}

struct Blast<'a> {
    cnf: &'a mut Cnf,
    instance: &'a Instance<'a>,
    rel: &'a Rel,
    before: &'a mut Valuation,
    outputs: Outputs,
    /// Bits of assigned variables that the constraint reads, to be tied to their values.
    read: BTreeMap<(Time, u32), Lit>,
    choices: FxHashMap<u32, Lit>,
}

impl Algebra for Blast<'_> {
    type Bit = Lit;
    type Error = std::convert::Infallible;

    fn constant(&mut self, value: bool) -> Lit {
        self.cnf.constant(value)
    }
    fn not(&mut self, a: Lit) -> Result<Lit, Self::Error> {
        Ok(!a)
    }
    fn and(&mut self, a: Lit, b: Lit) -> Result<Lit, Self::Error> {
        Ok(self.cnf.and(a, b))
    }
    fn read(&mut self, time: Time, var: VarId, cell: u32, bit: u32) -> Result<Lit, Self::Error> {
        let program: &Program = self.instance.program;
        let place = self.instance.space.cell(program, var, cell).start + bit;
        if time == Time::Pre {
            return Ok(self.before.bit(self.cnf, place));
        }
        if self.rel.assigns.iter().any(|a| a.time == time && a.var == var) {
            return Ok(*self.read.entry((time, place)).or_insert_with(|| self.cnf.fresh()));
        }
        Ok(self.outputs.bit(self.cnf, self.before, time, place))
    }
    fn choice(&mut self, number: u32) -> Result<Lit, Self::Error> {
        Ok(*self.choices.entry(number).or_insert_with(|| self.cnf.fresh()))
    }
}

/// Membership in a set. Shared decisions become shared gates.
///
/// Where one side of a decision lies inside the other, as in sets that are made of clauses one after the
/// other, membership in the larger side follows at once: it is a conjunct.
fn member(
    cnf: &mut Cnf,
    sets: &StateSets,
    set: SetId,
    mut bit: impl FnMut(&mut Cnf, SetBit) -> Lit,
) -> Lit {
    let mut known: FxHashMap<SetId, Lit> = FxHashMap::default();
    known.insert(SetId::empty(), Lit::FALSE);
    known.insert(SetId::full(), Lit::TRUE);
    // For some sets, one that they lie inside of.
    let mut inside: FxHashMap<SetId, SetId> = FxHashMap::default();
    let mut stack = vec![set];
    while let Some(&top) = stack.last() {
        if known.contains_key(&top) {
            stack.pop();
            continue;
        }
        let Some(node) = sets.node(top) else {
            unreachable!("only the empty and the full set have no decision")
        };
        match (known.get(&node.lo).copied(), known.get(&node.hi).copied()) {
            (Some(lo), Some(hi)) => {
                let decides = bit(cnf, node.bit);
                let lies = |small: SetId, large: SetId| {
                    small == SetId::empty()
                        || large == SetId::full()
                        || inside.get(&small) == Some(&large)
                };
                let lit = if lies(node.lo, node.hi) {
                    inside.insert(top, node.hi);
                    let either = cnf.or(decides, lo);
                    cnf.and(hi, either)
                } else if lies(node.hi, node.lo) {
                    inside.insert(top, node.lo);
                    let either = cnf.or(!decides, hi);
                    cnf.and(lo, either)
                } else {
                    cnf.ite(decides, hi, lo)
                };
                known.insert(top, lit);
                stack.pop();
            }
            (lo, hi) => {
                stack.extend(lo.is_none().then_some(node.lo));
                stack.extend(hi.is_none().then_some(node.hi));
            }
        }
    }
    known[&set]
}
