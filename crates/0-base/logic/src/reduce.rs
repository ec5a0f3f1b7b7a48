//! The same set with fewer choices: relations of few bits are brought into a normal form.
//!
//! A *parametric* relation is the set of the values that some outputs take where a guard holds
//! ([sat §3], Definition 5). Its inputs can be many, and most are spent on choices that no longer
//! matter. [`reduce`] tabulates the set and writes it down anew, one output after the other: an
//! output is forced by those before it, or free, and then a new input.
//!
//! Some inputs may be *parameters*, that the result shall still be a function of: the values at the
//! entry of a procedure. Then the guard tells for which of them there is any value at all.

use crate::decide::{self, mask};
use crate::{Aig, Clauses, Decider, Lit, SatSolver, Stopped};
use rustc_hash::FxHashMap;

/// Bits of a table: parameters and outputs.
const TABLE_BITS: usize = 12;
/// Inputs all of whose valuations are simulated.
const SIMULATED_INPUTS: usize = 14;
/// Values of a relation with more inputs that are asked from the solver, one after the other.
const ASKED_VALUES: usize = 1_024;

/// A relation in normal form.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// Over parameters only.
    pub guard: Lit,
    /// Over parameters and new inputs, at most one for each output.
    pub outputs: Vec<Lit>,
}

/// Brings `{outputs(ξ) | guard(ξ)}` into normal form, for each valuation of the parameters (inputs
/// of the graph). `None` if the relation is too large to tabulate.
pub fn reduce<S: SatSolver>(
    aig: &mut Aig,
    decider: &mut Decider<S>,
    guard: Lit,
    parameters: &[Lit],
    outputs: &[Lit],
) -> Result<Option<Reduced>, Stopped> {
    // Outputs that others determine at a glance need no column.
    let mut columns: Vec<Lit> = Vec::new();
    for &lit in outputs {
        let plain = Lit::of_node(lit.node());
        if !lit.is_constant() && !columns.contains(&plain) && !parameters.contains(&plain) {
            columns.push(plain);
        }
    }
    if columns.len() > TABLE_BITS {
        return Ok(None);
    }
    let cone = aig.cone(columns.iter().copied().chain([guard]));
    let inputs: Vec<Lit> = aig.inputs_of(&cone).collect();
    let used: Vec<Lit> =
        parameters.iter().copied().filter(|p| inputs.binary_search(p).is_ok()).collect();
    let vars: Vec<Lit> = used.iter().chain(&columns).copied().collect();
    if vars.len() > TABLE_BITS {
        return Ok(None);
    }
    let mut set = Table::new(vars.len());
    if inputs.len() <= SIMULATED_INPUTS {
        let mut table = decide::Table::new(aig, &cone, &inputs);
        let places: Vec<Lit> = vars.iter().map(|&v| table.place(v)).collect();
        let guard = table.place(guard);
        for block in 0..table.blocks() {
            if block > 0 && (decider.stop_flag())() {
                return Err(Stopped);
            }
            table.simulate(block);
            let mut here = table.word(guard) & mask(inputs.len());
            let columns: Vec<u64> = places.iter().map(|&v| table.word(v)).collect();
            while here != 0 {
                let at = here.trailing_zeros();
                here &= here - 1;
                let index = columns.iter().enumerate().fold(0, |n, (i, c)| n | (c >> at & 1) << i);
                set.insert(index as usize);
            }
        }
    } else {
        let mut clauses: Clauses<S> = Clauses::new(decider.stop_flag().clone());
        clauses.require(aig, guard)?;
        for &v in &vars {
            clauses.literal(aig, v)?;
        }
        // What simulation shows need not be asked.
        let mut count = 0;
        for bit in (0..64).filter(|bit| aig.word(guard) >> bit & 1 == 1) {
            let index = index_of(&vars, |v| aig.word(v) >> bit & 1 == 1);
            if set.insert(index) {
                block(aig, &mut clauses, &vars, index)?;
                count += 1;
            }
        }
        loop {
            decider.stats.sat_calls += 1;
            if !clauses.solve(aig, &[])? {
                break;
            }
            count += 1;
            if count > ASKED_VALUES {
                return Ok(None);
            }
            let index = index_of(&vars, |v| clauses.value(v));
            set.insert(index);
            block(aig, &mut clauses, &vars, index)?;
        }
    }

    // `prefixes[k]`: what the parameters and the first `k` columns can be.
    let mut prefixes = vec![set];
    for _ in &columns {
        let (lo, hi) = prefixes.last().expect("never empty").halves();
        prefixes.push(lo.or(&hi));
    }
    prefixes.reverse();
    let mut build = Build { aig, lits: used.clone(), done: FxHashMap::default() };
    let guard = build.function(&prefixes[0], &Table::full(used.len()));
    for k in 0..columns.len() {
        let (can0, can1) = prefixes[k + 1].halves();
        let care = &prefixes[k];
        let free = can0.and(&can1);
        let lit = if free.is_empty() {
            build.function(&can1, care)
        } else {
            let choice = build.aig.input();
            let free = build.function(&free, care);
            let forced = build.function(&can1, care);
            build.aig.ite(free, choice, forced)
        };
        build.lits.push(lit);
    }
    let lits = build.lits;
    let outputs = outputs
        .iter()
        .map(|&lit| {
            let plain = Lit::of_node(lit.node());
            match columns.iter().position(|&c| c == plain) {
                Some(i) => lits[used.len() + i].xor_sign(lit.is_complement()),
                None => lit,
            }
        })
        .collect();
    Ok(Some(Reduced { guard, outputs }))
}

fn index_of(vars: &[Lit], mut value: impl FnMut(Lit) -> bool) -> usize {
    vars.iter().enumerate().fold(0, |n, (i, &v)| n | (value(v) as usize) << i)
}

/// Asks for other values from now on.
fn block<S: SatSolver>(
    aig: &Aig,
    clauses: &mut Clauses<S>,
    vars: &[Lit],
    index: usize,
) -> Result<(), Stopped> {
    let other: Vec<Lit> =
        vars.iter().enumerate().map(|(i, v)| v.xor_sign(index >> i & 1 == 1)).collect();
    clauses.require_any(aig, &other)
}

/// A truth table; bit `i` of an index is the value of variable `i`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Table {
    vars: usize,
    words: Vec<u64>,
}

impl Table {
    fn new(vars: usize) -> Table {
        Table { vars, words: vec![0; 1 << vars.saturating_sub(6)] }
    }
    fn full(vars: usize) -> Table {
        Table { vars, words: vec![mask(vars); 1 << vars.saturating_sub(6)] }
    }
    /// Whether it was new.
    fn insert(&mut self, index: usize) -> bool {
        let (word, bit) = (&mut self.words[index / 64], 1 << (index % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
    fn zip(&self, other: &Table, f: impl Fn(u64, u64) -> u64) -> Table {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| f(a, b)).collect();
        Table { vars: self.vars, words }
    }
    fn or(&self, other: &Table) -> Table {
        self.zip(other, |a, b| a | b)
    }
    fn and(&self, other: &Table) -> Table {
        self.zip(other, |a, b| a & b)
    }
    fn minus(&self, other: &Table) -> Table {
        self.zip(other, |a, b| a & !b)
    }
    fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }
    /// Where the last variable is 0, and where it is 1.
    fn halves(&self) -> (Table, Table) {
        let vars = self.vars - 1;
        if vars >= 6 {
            let (lo, hi) = self.words.split_at(self.words.len() / 2);
            return (Table { vars, words: lo.to_vec() }, Table { vars, words: hi.to_vec() });
        }
        let word = self.words[0];
        let (lo, hi) = (word & mask(vars), word >> (1 << vars) & mask(vars));
        (Table { vars, words: vec![lo] }, Table { vars, words: vec![hi] })
    }
}

/// Writes tables as functions of `lits`, one for each variable.
struct Build<'a> {
    aig: &'a mut Aig,
    lits: Vec<Lit>,
    done: FxHashMap<(Table, Table), Lit>,
}

impl Build<'_> {
    /// A function that is `on` wherever `care` holds. Recurses over variables, at most
    /// [`TABLE_BITS`] deep.
    fn function(&mut self, on: &Table, care: &Table) -> Lit {
        let on = on.and(care);
        if on.is_empty() {
            return Lit::FALSE;
        }
        if care.minus(&on).is_empty() {
            return Lit::TRUE;
        }
        let key = (on, care.clone());
        if let Some(&lit) = self.done.get(&key) {
            return lit;
        }
        let (on, care) = &key;
        let ((on0, on1), (care0, care1)) = (on.halves(), care.halves());
        // Does the last variable matter where both halves are cared for?
        let both = care0.and(&care1);
        let lit = if on0.and(&both) == on1.and(&both) {
            self.function(&on0.or(&on1), &care0.or(&care1))
        } else {
            let (lo, hi) = (self.function(&on0, &care0), self.function(&on1, &care1));
            let var = self.lits[care0.vars];
            self.aig.ite(var, hi, lo)
        };
        self.done.insert(key, lit);
        lit
    }
}
