//! Which functions the cells of a program may hold: an inclusion analysis, flow-insensitive, after
//! [andersen §4], of nothing but functions.
//!
//! A cell holds function pointers: a variable, a parameter, a result, a member of a record type
//! (field-based, as in Heintze and Tardieu's analyses of large programs: one cell for the member of all
//! objects of the type), the elements of an array. Memory without a cell is one unknown, `⊤`: what is
//! stored there *escapes*, what is read from there may be anything that escaped, or a function that is
//! not in the program. `crate::function_pointers` makes the constraints; here they are solved:
//!
//! - AN1 (flow): `f ∈ x`, `x ⊆ y`  ⟹  `f ∈ y`; the same for `⊤`.
//! - AN2 (call): `f ∈ e` at `r = e(a…)`, `f` fits and has a body  ⟹  `aᵢ ⊆ paramᵢ(f)`,
//!   `result(f) ⊆ r`; arguments without a parameter escape.
//! - AN3 (store): `f ∈ x`, `x` escapes  ⟹  `f` escapes.
//! - AN4 (called from outside): `f` escapes  ⟹  `⊤ ∈ paramᵢ(f)`, `result(f)` escapes.
//! - AN5 (call of an unknown): `⊤ ∈ e` at `r = e(a…)`  ⟹  AN2 for all `f` that escape, `aᵢ` escapes,
//!   `⊤ ∈ r`. The same, without the first, if `f ∈ e` has no body, unless the library's `f` is known
//!   to keep nothing.
//! - AN6 (callback): a function that a caller from outside passes is as unknown as `⊤`, but does not keep
//!   its arguments.
//!
//! Every fact is propagated once. Sets are not shared between cells and cycles are not collapsed: of
//! the cells of libgit2 that can hold functions, nearly all hold few.

use crate::objects::FuncId;
use rustc_hash::FxHashSet;

/// A cell's position.
pub(crate) type Cell = u32;

/// What stands for a function that is not known.
const TOP: u32 = u32::MAX;

/// What stands for a function that a caller from outside passes.
const CALLER: u32 = u32::MAX - 1;

/// More facts than this are not gathered.
const MAX_FACTS: usize = 20_000_000;

/// Where a value comes from, or goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// It is no function.
    Nothing,
    /// A cell.
    Cell(Cell),
    /// Memory without a cell.
    Unknown,
}

/// What a function with a body takes and gives.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<Place>,
    pub(crate) result: Place,
}

/// A call through a pointer.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) callee: Place,
    pub(crate) args: Vec<Place>,
    pub(crate) result: Option<Cell>,
    /// Which list of functions fits it.
    pub(crate) fits: usize,
}

/// The functions that a call may reach.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// In order.
    pub(crate) funcs: Vec<FuncId>,
    /// Some of them only because they escaped, and where the pointer comes from is not known.
    pub(crate) unknown: bool,
}

/// Constraints.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    succ: Vec<Vec<Cell>>,
    escapes: Vec<bool>,
    /// Facts to begin with.
    start: Vec<(Cell, u32)>,
    sites: Vec<Site>,
}

impl Constraints {
    pub(crate) fn cell(&mut self) -> Cell {
        self.succ.push(Vec::new());
        self.escapes.push(false);
        self.succ.len() as Cell - 1
    }
    /// `from ⊆ to`
    pub(crate) fn flow(&mut self, from: Cell, to: Cell) {
        if from != to && self.succ[from as usize].last() != Some(&to) {
            self.succ[from as usize].push(to);
        }
    }
    pub(crate) fn holds(&mut self, cell: Cell, f: FuncId) {
        self.start.push((cell, f.0));
    }
    pub(crate) fn holds_unknown(&mut self, cell: Cell) {
        self.start.push((cell, TOP));
    }
    pub(crate) fn holds_callback(&mut self, cell: Cell) {
        self.start.push((cell, CALLER));
    }
    pub(crate) fn escape(&mut self, cell: Cell) {
        self.escapes[cell as usize] = true;
    }
    pub(crate) fn site(&mut self, site: Site) -> usize {
        self.sites.push(site);
        self.sites.len() - 1
    }

    /// What each site may call, and what escapes; none if that is too much work. `fits` has the lists that sites speak
    /// of, in order, `signatures` the functions with a body, and `keeps` tells whether a function without one may keep
    /// its arguments.
    pub(crate) fn solve(
        mut self,
        fits: &[Vec<FuncId>],
        signatures: &[Option<Signature>],
        keeps: impl Fn(FuncId) -> bool,
    ) -> Option<(Vec<Targets>, Vec<FuncId>)> {
        let cells = self.succ.len();
        let mut at_cell: Vec<Vec<u32>> = vec![Vec::new(); cells];
        let mut open_at_start = Vec::new();
        for (i, site) in self.sites.iter().enumerate() {
            match site.callee {
                Place::Cell(c) => at_cell[c as usize].push(i as u32),
                Place::Unknown => open_at_start.push(i as u32),
                Place::Nothing => {}
            }
        }
        let sites = std::mem::take(&mut self.sites);
        let start = std::mem::take(&mut self.start);
        let mut s = Solver {
            fits,
            signatures,
            keeps,
            succ: self.succ,
            escapes: self.escapes,
            facts: vec![Vec::new(); cells],
            seen: FxHashSet::default(),
            dynamic: FxHashSet::default(),
            work: Vec::new(),
            escaped: vec![false; signatures.len()],
            escaped_list: Vec::new(),
            open: vec![false; sites.len()],
            open_list: Vec::new(),
            called: FxHashSet::default(),
            by_escape: vec![false; sites.len()],
            targets: vec![Vec::new(); sites.len()],
            sites: &sites,
        };
        for (cell, fact) in start {
            s.add(cell, fact);
        }
        for site in open_at_start {
            s.call_unknown(site, TOP);
        }
        while let Some((cell, fact)) = s.work.pop() {
            if s.seen.len() > MAX_FACTS {
                return None;
            }
            // AN1; edges that are added on the way carry the facts that are there.
            for i in 0..s.succ[cell as usize].len() {
                let to = s.succ[cell as usize][i];
                s.add(to, fact);
            }
            if s.escapes[cell as usize] && fact < CALLER {
                s.escape(FuncId(fact));
            }
            for &site in &at_cell[cell as usize] {
                match fact {
                    TOP | CALLER => s.call_unknown(site, fact),
                    f => s.call(site, FuncId(f), false),
                }
            }
        }
        let (targets, by_escape, mut escaped) = (s.targets, s.by_escape, s.escaped_list);
        escaped.sort_unstable();
        let out = targets.into_iter().zip(by_escape).map(|(mut funcs, unknown)| {
            funcs.sort_unstable();
            Targets { funcs, unknown }
        });
        Some((out.collect(), escaped))
    }
}

struct Solver<'s, K> {
    fits: &'s [Vec<FuncId>],
    signatures: &'s [Option<Signature>],
    keeps: K,
    sites: &'s [Site],
    succ: Vec<Vec<Cell>>,
    escapes: Vec<bool>,
    facts: Vec<Vec<u32>>,
    seen: FxHashSet<(Cell, u32)>,
    dynamic: FxHashSet<(Cell, Cell)>,
    /// Facts that have not been propagated.
    work: Vec<(Cell, u32)>,
    escaped: Vec<bool>,
    escaped_list: Vec<FuncId>,
    /// Sites with `⊤`.
    open: Vec<bool>,
    open_list: Vec<u32>,
    called: FxHashSet<(u32, FuncId)>,
    by_escape: Vec<bool>,
    targets: Vec<Vec<FuncId>>,
}

impl<K: Fn(FuncId) -> bool> Solver<'_, K> {
    fn add(&mut self, cell: Cell, fact: u32) {
        if self.seen.insert((cell, fact)) {
            self.facts[cell as usize].push(fact);
            self.work.push((cell, fact));
        }
    }

    fn flow(&mut self, from: Place, to: Place) {
        match (from, to) {
            (Place::Cell(from), Place::Cell(to)) => {
                if from == to || !self.dynamic.insert((from, to)) {
                    return;
                }
                self.succ[from as usize].push(to);
                for i in 0..self.facts[from as usize].len() {
                    let fact = self.facts[from as usize][i];
                    self.add(to, fact);
                }
            }
            (Place::Unknown, Place::Cell(to)) => self.add(to, TOP),
            (Place::Cell(from), Place::Unknown) => self.escape_cell(from),
            _ => {}
        }
    }

    // AN3
    fn escape_cell(&mut self, cell: Cell) {
        if std::mem::replace(&mut self.escapes[cell as usize], true) {
            return;
        }
        for i in 0..self.facts[cell as usize].len() {
            let fact = self.facts[cell as usize][i];
            if fact < CALLER {
                self.escape(FuncId(fact));
            }
        }
    }

    // AN4, and AN5 for the calls that wait for it. Results that escape may lead to further functions.
    fn escape(&mut self, f: FuncId) {
        let mut todo = vec![f];
        while let Some(f) = todo.pop() {
            if std::mem::replace(&mut self.escaped[f.index()], true) {
                continue;
            }
            self.escaped_list.push(f);
            let signatures = self.signatures;
            if let Some(signature) = &signatures[f.index()] {
                for &param in &signature.params {
                    self.flow(Place::Unknown, param);
                }
                if let Place::Cell(r) = signature.result
                    && !std::mem::replace(&mut self.escapes[r as usize], true)
                {
                    let facts = self.facts[r as usize].iter();
                    todo.extend(facts.filter(|&&f| f < CALLER).map(|&f| FuncId(f)));
                }
            }
            for i in 0..self.open_list.len() {
                let site = self.open_list[i];
                self.call(site, f, true);
            }
        }
    }

    // AN2, and AN5 for functions without a body.
    fn call(&mut self, at: u32, f: FuncId, by_escape: bool) {
        let sites = self.sites;
        let site = &sites[at as usize];
        // What is known to be in a pointer is called, whatever type the pointer has.
        let fits = !by_escape || self.fits[site.fits].binary_search(&f).is_ok();
        if !fits || !self.called.insert((at, f)) {
            return;
        }
        self.targets[at as usize].push(f);
        self.by_escape[at as usize] |= by_escape;
        let result = site.result.map_or(Place::Nothing, Place::Cell);
        let signatures = self.signatures;
        match &signatures[f.index()] {
            Some(signature) => {
                for (i, &arg) in site.args.iter().enumerate() {
                    let param = signature.params.get(i).copied().unwrap_or(Place::Unknown);
                    self.flow(arg, param);
                }
                self.flow(signature.result, result);
            }
            None if (self.keeps)(f) => self.outside(site, result),
            None => {}
        }
    }

    fn outside(&mut self, site: &Site, result: Place) {
        for &arg in &site.args {
            self.flow(arg, Place::Unknown);
        }
        self.flow(Place::Unknown, result);
    }

    // AN5, AN6
    fn call_unknown(&mut self, at: u32, what: u32) {
        let sites = self.sites;
        let site = &sites[at as usize];
        match (what, site.result) {
            (TOP, result) => self.outside(site, result.map_or(Place::Nothing, Place::Cell)),
            (_, Some(result)) => self.add(result, CALLER),
            _ => {}
        }
        if std::mem::replace(&mut self.open[at as usize], true) {
            return;
        }
        self.open_list.push(at);
        for i in 0..self.escaped_list.len() {
            let f = self.escaped_list[i];
            self.call(at, f, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(c: Constraints, signatures: &[Option<Signature>]) -> Vec<Vec<u32>> {
        let all: Vec<FuncId> = (0..signatures.len() as u32).map(FuncId).collect();
        let (targets, _) = c.solve(&[all], signatures, |_| true).expect("few facts");
        targets.iter().map(|t| t.funcs.iter().map(|f| f.0).collect()).collect()
    }

    fn site(callee: Place, args: Vec<Place>, result: Option<Cell>) -> Site {
        Site { callee, args, result, fits: 0 }
    }

    #[test]
    fn flows_are_followed_through_calls_that_they_make_possible() {
        // 0 calls its parameter; 1 returns 2.
        let mut c = Constraints::default();
        let (p, r, x, y, z) = (c.cell(), c.cell(), c.cell(), c.cell(), c.cell());
        c.holds(r, FuncId(2));
        c.holds(x, FuncId(0));
        c.holds(y, FuncId(1));
        let signatures = [
            Some(Signature { params: vec![Place::Cell(p)], result: Place::Nothing }),
            Some(Signature { params: vec![], result: Place::Cell(r) }),
            Some(Signature { params: vec![], result: Place::Nothing }),
        ];
        c.site(site(Place::Cell(p), vec![], None));
        c.site(site(Place::Cell(x), vec![Place::Cell(z)], None));
        c.site(site(Place::Cell(y), vec![], Some(z)));
        assert_eq!(solve(c, &signatures), [vec![2], vec![0], vec![1]]);
    }

    #[test]
    fn what_escapes_is_called_by_unknown_pointers_and_from_outside() {
        // 0 escapes, and returns 1, which calls its parameter.
        let mut c = Constraints::default();
        let (p, r, x) = (c.cell(), c.cell(), c.cell());
        c.holds(x, FuncId(0));
        c.holds(r, FuncId(1));
        let signatures = [
            Some(Signature { params: vec![], result: Place::Cell(r) }),
            Some(Signature { params: vec![Place::Cell(p)], result: Place::Nothing }),
            Some(Signature { params: vec![], result: Place::Nothing }),
        ];
        c.site(site(Place::Cell(p), vec![], None));
        c.site(site(Place::Unknown, vec![], None));
        assert_eq!(solve(c, &signatures), [vec![], vec![]]);

        let mut c = Constraints::default();
        let (p, r, x) = (c.cell(), c.cell(), c.cell());
        c.holds(x, FuncId(0));
        c.holds(r, FuncId(1));
        c.escape(x);
        let mut signatures = signatures;
        signatures[1] = Some(Signature { params: vec![Place::Cell(p)], result: Place::Nothing });
        c.site(site(Place::Cell(p), vec![], None));
        c.site(site(Place::Unknown, vec![], None));
        assert_eq!(solve(c, &signatures), [vec![0, 1], vec![0, 1]]);
    }
}
