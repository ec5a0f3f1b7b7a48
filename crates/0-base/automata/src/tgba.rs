//! Generalised Büchi automata with marks on transitions.

use bdd::{Bdd, Config, Manager};
use rustc_hash::FxHashMap;

use crate::components::components;
use crate::cover::{Cubes, cover};
use crate::diagram::{Diagrams, Label};
use crate::ltl::Atom;
use crate::marks::Marks;

/// A state of one [`Tgba`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The position among the states.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of a [`Tgba`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// Where it starts.
    pub from: StateId,
    /// The letters that it reads, in [`Tgba::labels`]; not empty.
    pub label: Label,
    /// Where it ends.
    pub to: StateId,
    /// The marks that it carries.
    pub marks: Marks,
}

/// A generalised Büchi automaton with marks on transitions. It accepts a word if some run over
/// it, from the initial state, meets each of the marks infinitely often.
///
/// Invariant 1: `initial` and the ends of transitions are below `states`.
/// Invariant 2: labels speak of positions in `atoms`, and transitions' marks are below `marks`.
/// Invariant 3: `transitions` is sorted by `from`.
/// [`validate`](Tgba::validate) checks them; what this crate builds satisfies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tgba {
    /// What labels speak of.
    pub atoms: Vec<Atom>,
    /// The labels' diagrams.
    pub labels: Diagrams,
    /// The number of states.
    pub states: u32,
    /// Where runs start.
    pub initial: StateId,
    /// The steps.
    pub transitions: Vec<Transition>,
    /// The number of marks.
    pub marks: u32,
}

/// What is known of an atom at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Its value.
    Value(bool),
    /// It is what this atom of another alphabet is.
    Atom(u32),
}

impl Tgba {
    /// Checks the invariants; an error says which one is broken.
    pub fn validate(&self) -> Result<(), String> {
        if self.initial.0 >= self.states {
            return Err(format!("initial state {} of {}", self.initial.0, self.states));
        }
        for (i, t) in self.transitions.iter().enumerate() {
            if t.from.0 >= self.states || t.to.0 >= self.states {
                return Err(format!("transition {i} leaves the states"));
            }
            if t.marks.iter().any(|mark| mark >= self.marks) {
                return Err(format!("transition {i} has a mark too many"));
            }
            if t.label == Label::NONE {
                return Err(format!("transition {i} reads nothing"));
            }
        }
        let labels: Vec<Label> = self.transitions.iter().map(|t| t.label).collect();
        let mut nodes = self.labels.below(&labels).into_iter().filter_map(|l| self.labels.node(l));
        if nodes.any(|node| node.atom as usize >= self.atoms.len()) {
            return Err("a label speaks of an unknown atom".to_owned());
        }
        if self.transitions.windows(2).any(|pair| pair[0].from > pair[1].from) {
            return Err("transitions are not sorted".to_owned());
        }
        Ok(())
    }

    /// For each state the range of its transitions, and one more entry for the end.
    #[must_use]
    pub fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0; self.states as usize + 1];
        for t in &self.transitions {
            offsets[t.from.index() + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        offsets
    }

    /// Whether no two transitions of a state read a common letter.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        let offsets = self.offsets();
        (0..self.states as usize).all(|s| {
            let out = &self.transitions[offsets[s]..offsets[s + 1]];
            let meet = |a: &Transition, b: &Transition| self.labels.intersect(a.label, b.label);
            (0..out.len()).all(|i| (0..i).all(|j| !meet(&out[i], &out[j])))
        })
    }

    /// The marks of each state, if all transitions of a state have the same marks: then the
    /// automaton is one with marks on states. A state without transitions has none.
    #[must_use]
    pub fn state_marks(&self) -> Option<Vec<Marks>> {
        let mut marks: Vec<Option<&Marks>> = vec![None; self.states as usize];
        for t in &self.transitions {
            if *marks[t.from.index()].get_or_insert(&t.marks) != &t.marks {
                return None;
            }
        }
        Some(marks.into_iter().map(|marks| marks.cloned().unwrap_or_default()).collect())
    }

    /// Whether the automaton accepts the word `stem cycle cycle …`, where `holds(i, a)` says
    /// whether the atom at position `a` holds in letter `i` of `stem cycle`.
    ///
    /// # Panics
    /// If `cycle` is 0.
    pub fn accepts_lasso(
        &self,
        stem: usize,
        cycle: usize,
        holds: impl Fn(usize, u32) -> bool,
    ) -> bool {
        assert!(cycle > 0, "the cycle of a lasso has a letter");
        let offsets = self.offsets();
        let length = stem + cycle;
        let next = |i: usize| if i + 1 < length { i + 1 } else { stem };
        // A node of the product is `state * length + position`.
        let nodes = self.states as usize * length;
        let found = components(nodes, self.initial.index() * length, |node, out| {
            let (state, position) = (node / length, node % length);
            for t in &self.transitions[offsets[state]..offsets[state + 1]] {
                if self.labels.holds(t.label, |atom| holds(position, atom)) {
                    out.push((t.to.index() * length + next(position), t.marks.clone()));
                }
            }
        });
        found.accepts(&Marks::below(self.marks))
    }

    /// Whether the automaton accepts no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let offsets = self.offsets();
        let found = components(self.states as usize, self.initial.index(), |state, out| {
            let range = offsets[state]..offsets[state + 1];
            out.extend(self.transitions[range].iter().map(|t| (t.to.index(), t.marks.clone())));
        });
        !found.accepts(&Marks::below(self.marks))
    }

    /// Whether no word is accepted by both automata. Atoms are compared by their names.
    #[must_use]
    pub fn is_disjoint(&self, other: &Tgba) -> bool {
        // The other's atoms in this automaton's numbering, with new numbers for new ones.
        let mut fresh = self.atoms.len() as u32;
        let renamed: Vec<u32> = other
            .atoms
            .iter()
            .map(|atom| match self.atoms.iter().position(|a| a == atom) {
                Some(i) => i as u32,
                None => {
                    fresh += 1;
                    fresh - 1
                }
            })
            .collect();
        let mut bdd = Manager::new(Config::default());
        let full = "without a limit operations do not stop";
        let mine = self.labels.export(&mut bdd, Manager::var).expect(full);
        let atom = |bdd: &mut Manager, atom: u32| bdd.var(renamed[atom as usize]);
        let theirs = other.labels.export(&mut bdd, atom).expect(full);
        let (mine_at, theirs_at) = (self.offsets(), other.offsets());
        let width = other.states as usize;
        let start = self.initial.index() * width + other.initial.index();
        let found = components(self.states as usize * width, start, |node, out| {
            let (s, t) = (node / width, node % width);
            for my in &self.transitions[mine_at[s]..mine_at[s + 1]] {
                for their in &other.transitions[theirs_at[t]..theirs_at[t + 1]] {
                    let labels = (mine[my.label.index()], theirs[their.label.index()]);
                    if !bdd.disjoint(labels.0, labels.1).expect(full) {
                        let mut marks = my.marks.clone();
                        marks.unite(&their.marks.iter().map(|mark| mark + self.marks).collect());
                        out.push((my.to.index() * width + their.to.index(), marks));
                    }
                }
            }
        });
        !found.accepts(&Marks::below(self.marks + other.marks))
    }

    /// Each transition's label as a sum of cubes, or `None` where it has more than `limit` of them.
    #[must_use]
    pub fn covers(&self, limit: usize) -> Vec<Option<Cubes>> {
        let mut bdd = Manager::new(Config::default());
        let Ok(labels) = self.labels.export(&mut bdd, Manager::var) else {
            return vec![None; self.transitions.len()];
        };
        let mut of = |t: &Transition| cover(&mut bdd, labels[t.label.index()], limit);
        self.transitions.iter().map(|t| of(t).ok().flatten()).collect()
    }

    /// What is left of the automaton at a place where something is known of each atom: labels are over
    /// the atoms of another alphabet, which has these names, and transitions that differ in
    /// their labels only are one. Transitions that read no letter there are gone.
    pub fn at(&self, known: &[Known], named: Vec<Atom>) -> Tgba {
        let mut bdd = Manager::new(Config::default());
        let value = |bdd: &mut Manager, atom: u32| match known[atom as usize] {
            Known::Value(value) => Ok(if value { Bdd::TRUE } else { Bdd::FALSE }),
            Known::Atom(atom) => bdd.var(atom),
        };
        let full = "without a limit operations do not stop";
        let labels = self.labels.export(&mut bdd, value).expect(full);
        let mut index: FxHashMap<(StateId, StateId, &Marks), usize> = FxHashMap::default();
        let mut kept: Vec<(&Transition, Bdd)> = Vec::new();
        for t in &self.transitions {
            let label = labels[t.label.index()];
            if label.is_false() {
                continue;
            }
            let i = *index.entry((t.from, t.to, &t.marks)).or_insert_with(|| {
                kept.push((t, Bdd::FALSE));
                kept.len() - 1
            });
            kept[i].1 = bdd.or(kept[i].1, label).expect(full);
        }
        let mut out = Tgba {
            atoms: named,
            labels: Diagrams::new(),
            states: self.states,
            initial: self.initial,
            transitions: Vec::with_capacity(kept.len()),
            marks: self.marks,
        };
        let mut done = FxHashMap::default();
        for (t, label) in kept {
            let label = out.labels.import(&bdd, &mut done, label, |var| var);
            out.transitions.push(Transition { label, ..t.clone() });
        }
        out
    }
}
