//! Generalised Büchi automata with marks on transitions.

use crate::components::components;
use crate::ltl::Atom;

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

/// A conjunction of atoms and negated atoms: the position in [`Tgba::atoms`], and the value
/// wanted. Ascending, each atom at most once; empty is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube(pub Vec<(u32, bool)>);

impl Cube {
    /// Whether a letter is in the cube.
    pub fn holds(&self, mut letter: impl FnMut(u32) -> bool) -> bool {
        self.0.iter().all(|&(atom, value)| letter(atom) == value)
    }

    /// Whether some letter is in both.
    #[must_use]
    pub fn intersects(&self, other: &Cube) -> bool {
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a, x)), Some(&(b, y))) = (self.0.get(i), other.0.get(j)) {
            if a == b && x != y {
                return false;
            }
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        true
    }
}

/// A set of letters: the sum of some cubes. No cube is false, and `[Cube(vec![])]` is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The cubes; they may overlap.
    pub cubes: Vec<Cube>,
}

impl Label {
    /// Every letter.
    #[must_use]
    pub fn all() -> Label {
        Label { cubes: vec![Cube::default()] }
    }

    /// Whether a letter is in the set.
    pub fn holds(&self, letter: impl Fn(u32) -> bool) -> bool {
        self.cubes.iter().any(|cube| cube.holds(&letter))
    }

    /// Whether some letter is in both sets.
    #[must_use]
    pub fn intersects(&self, other: &Label) -> bool {
        self.cubes.iter().any(|a| other.cubes.iter().any(|b| a.intersects(b)))
    }
}

/// A step of a [`Tgba`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// Where it starts.
    pub from: StateId,
    /// The letters that it reads; not empty.
    pub label: Label,
    /// Where it ends.
    pub to: StateId,
    /// Its marks: bit `i` is set if it carries mark `i`.
    pub marks: u32,
}

/// A generalised Büchi automaton with marks on transitions. It accepts a word if some run over
/// it, from the initial state, meets each of the marks infinitely often.
///
/// Invariant 1: `initial` and the ends of transitions are below `states`.
/// Invariant 2: labels speak of positions in `atoms`, transitions' marks are among the first
/// `marks` bits, and `marks` is at most [`MAX_MARKS`].
/// Invariant 3: `transitions` is sorted by `from`.
/// [`validate`](Tgba::validate) checks them; what this crate builds satisfies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tgba {
    /// What labels speak of.
    pub atoms: Vec<Atom>,
    /// The number of states.
    pub states: u32,
    /// Where runs start.
    pub initial: StateId,
    /// The steps.
    pub transitions: Vec<Transition>,
    /// The number of marks.
    pub marks: u32,
}

/// The largest number of marks of a [`Tgba`].
pub const MAX_MARKS: u32 = 32;

/// The set of the first `count` marks.
pub(crate) fn all_marks(count: u32) -> u32 {
    debug_assert!(count <= MAX_MARKS);
    ((1u64 << count) - 1) as u32
}

impl Tgba {
    /// Checks the invariants; an error says which one is broken.
    pub fn validate(&self) -> Result<(), String> {
        if self.marks > MAX_MARKS {
            return Err(format!("{} marks", self.marks));
        }
        if self.initial.0 >= self.states {
            return Err(format!("initial state {} of {}", self.initial.0, self.states));
        }
        for (i, t) in self.transitions.iter().enumerate() {
            if t.from.0 >= self.states || t.to.0 >= self.states {
                return Err(format!("transition {i} leaves the states"));
            }
            if t.marks & !all_marks(self.marks) != 0 {
                return Err(format!("transition {i} has a mark too many"));
            }
            if t.label.cubes.is_empty() {
                return Err(format!("transition {i} reads nothing"));
            }
            for cube in &t.label.cubes {
                if cube.0.iter().any(|&(atom, _)| atom as usize >= self.atoms.len()) {
                    return Err(format!("transition {i} speaks of an unknown atom"));
                }
                if cube.0.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                    return Err(format!("a cube of transition {i} is not in order"));
                }
            }
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
            (0..out.len()).all(|i| (0..i).all(|j| !out[i].label.intersects(&out[j].label)))
        })
    }

    /// The marks of each state, if all transitions of a state have the same marks: then the
    /// automaton is one with marks on states. A state without transitions has none.
    #[must_use]
    pub fn state_marks(&self) -> Option<Vec<u32>> {
        let mut marks = vec![None; self.states as usize];
        for t in &self.transitions {
            if *marks[t.from.index()].get_or_insert(t.marks) != t.marks {
                return None;
            }
        }
        Some(marks.into_iter().map(|marks| marks.unwrap_or(0)).collect())
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
                if t.label.holds(|atom| holds(position, atom)) {
                    out.push((t.to.index() * length + next(position), t.marks));
                }
            }
        });
        found.accepts(all_marks(self.marks))
    }

    /// Whether the automaton accepts no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let offsets = self.offsets();
        let found = components(self.states as usize, self.initial.index(), |state, out| {
            let range = offsets[state]..offsets[state + 1];
            out.extend(self.transitions[range].iter().map(|t| (t.to.index(), t.marks)));
        });
        !found.accepts(all_marks(self.marks))
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
        let theirs: Vec<Label> = other
            .transitions
            .iter()
            .map(|t| Label {
                cubes: t
                    .label
                    .cubes
                    .iter()
                    .map(|cube| {
                        let mut literals: Vec<(u32, bool)> =
                            cube.0.iter().map(|&(a, v)| (renamed[a as usize], v)).collect();
                        literals.sort_unstable();
                        Cube(literals)
                    })
                    .collect(),
            })
            .collect();
        let (mine_at, theirs_at) = (self.offsets(), other.offsets());
        let width = other.states as usize;
        let start = self.initial.index() * width + other.initial.index();
        let all = u64::from(all_marks(self.marks)) | u64::from(all_marks(other.marks)) << 32;
        let found = components(self.states as usize * width, start, |node, out| {
            let (s, t) = (node / width, node % width);
            for mine in &self.transitions[mine_at[s]..mine_at[s + 1]] {
                let range = theirs_at[t]..theirs_at[t + 1];
                for (their, label) in other.transitions[range.clone()].iter().zip(&theirs[range]) {
                    if mine.label.intersects(label) {
                        let marks = u64::from(mine.marks) | u64::from(their.marks) << 32;
                        out.push((mine.to.index() * width + their.to.index(), marks));
                    }
                }
            }
        });
        !found.accepts(all)
    }
}
