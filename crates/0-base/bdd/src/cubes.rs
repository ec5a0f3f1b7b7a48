//! Satisfying assignments: one, or all of them as disjoint cubes.

use crate::edge::Bdd;
use crate::manager::Manager;

/// A partial assignment: variables with their values, in the order of the diagram. It stands
/// for all assignments that agree with it.
pub type Cube = Vec<(u32, bool)>;

impl Manager {
    /// One cube of `f`, `None` if `f` is false. At every decision the false branch is taken
    /// if anything is left there.
    #[must_use]
    pub fn pick_cube(&self, f: Bdd) -> Option<Cube> {
        self.cubes(f).next()
    }

    /// A satisfying assignment of `f`, `None` if `f` is false: a value for each of `vars`, in
    /// their order. Variables that [`pick_cube`](Manager::pick_cube) leaves open are false;
    /// variables of `f` that are not among `vars` are chosen and left out.
    #[must_use]
    pub fn pick_minterm(&self, f: Bdd, vars: &[u32]) -> Option<Cube> {
        let cube = self.pick_cube(f)?;
        // A cube is in the order of the diagram.
        let value = |var: u32| {
            let level = self.level_of(var);
            cube.binary_search_by_key(&level, |&(v, _)| self.level_of(v)).is_ok_and(|i| cube[i].1)
        };
        Some(vars.iter().map(|&var| (var, value(var))).collect())
    }

    /// The cubes of `f`: disjoint, one for each path through the diagram, together all of `f`.
    /// In lexicographic order, false first.
    #[must_use]
    pub fn cubes(&self, f: Bdd) -> Cubes<'_> {
        Cubes { manager: self, next: Some(f), path: Vec::new() }
    }
}

/// The iterator of [`Manager::cubes`].
pub struct Cubes<'a> {
    manager: &'a Manager,
    /// What to descend into next, below `path`; `None` at the end.
    next: Option<Bdd>,
    /// The decisions above, each with what is left to do in its true branch.
    path: Vec<(u32, bool, Bdd)>,
}

impl Cubes<'_> {
    /// Moves on to the next true branch.
    fn backtrack(&mut self) {
        self.next = None;
        while let Some((var, value, hi)) = self.path.pop() {
            if !value {
                self.path.push((var, true, hi));
                self.next = Some(hi);
                return;
            }
        }
    }
}

impl Iterator for Cubes<'_> {
    type Item = Cube;

    fn next(&mut self) -> Option<Cube> {
        loop {
            let f = self.next?;
            if let Some((var, lo, hi)) = self.manager.node(f) {
                self.path.push((var, false, hi));
                self.next = Some(lo);
                continue;
            }
            let cube = f
                .is_true()
                .then(|| self.path.iter().map(|&(var, value, _)| (var, value)).collect());
            self.backtrack();
            if cube.is_some() {
                return cube;
            }
        }
    }
}
