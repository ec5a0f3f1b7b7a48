//! Labelled transition systems: what they are to algorithms, and one in memory.

use std::hash::Hash;

/// A transition system, explored on demand.
pub trait Lts {
    /// A state.
    type State: Copy + Eq + Hash;

    /// The first state.
    fn initial(&self) -> Self::State;

    /// Appends the transitions of a state, as labels and states, to `out`; always the same ones in
    /// the same order.
    fn successors(
        &mut self,
        state: Self::State,
        out: &mut Vec<(u32, Self::State)>,
    ) -> Result<(), String>;

    /// The text of a label that [`Lts::successors`] gave.
    fn label(&self, label: u32) -> &str;

    /// All labels, where they are known before the exploration: their names are the values of sort
    /// `Var`.
    fn all_labels(&self) -> Vec<&str>;

    /// Whether [`Lts::all_labels`] has every label that a step can have.
    fn knows_labels(&self) -> bool {
        false
    }

    /// A state's name.
    fn name(&self, state: Self::State) -> String;

    /// Bytes that it holds, as far as they grow with the exploration.
    fn bytes(&self) -> u64 {
        0
    }
}

/// A transition system in memory.
///
/// Invariant 1: `offsets` ascends from 0 to the number of transitions, one entry more than states.
/// Invariant 2: targets are states, and labels have a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExplicitLts {
    initial: u32,
    offsets: Vec<u32>,
    /// Label and target.
    transitions: Vec<(u32, u32)>,
    labels: Vec<String>,
}

impl ExplicitLts {
    /// Builds a system; transitions of one state keep their order.
    ///
    /// # Panics
    /// If a state or a label is out of range.
    pub fn new(
        initial: u32,
        states: u32,
        labels: Vec<String>,
        transitions: &[(u32, u32, u32)],
    ) -> ExplicitLts {
        assert!(initial < states, "the initial state is a state");
        let mut offsets = vec![0u32; states as usize + 1];
        for &(from, label, to) in transitions {
            assert!(to < states && (label as usize) < labels.len(), "a transition is in range");
            offsets[from as usize + 1] += 1;
        }
        for i in 0..states as usize {
            offsets[i + 1] += offsets[i];
        }
        let mut sorted = vec![(0, 0); transitions.len()];
        for &(from, label, to) in transitions {
            let at = &mut offsets[from as usize];
            sorted[*at as usize] = (label, to);
            *at += 1;
        }
        // Each offset has moved to the start of the next row.
        offsets.rotate_right(1);
        offsets[0] = 0;
        ExplicitLts { initial, offsets, transitions: sorted, labels }
    }

    /// The number of states.
    pub fn states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The number of transitions.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Whether there is no transition.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Labels, by number.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The transitions of a state, as labels and states.
    pub fn from(&self, state: u32) -> &[(u32, u32)] {
        let (from, to) = (self.offsets[state as usize], self.offsets[state as usize + 1]);
        &self.transitions[from as usize..to as usize]
    }

    /// The first state.
    pub fn initial_state(&self) -> u32 {
        self.initial
    }

    /// The same system with another first state.
    #[must_use]
    pub fn starting_at(mut self, state: u32) -> ExplicitLts {
        assert!(state < self.states(), "the initial state is a state");
        self.initial = state;
        self
    }

    /// The same system with every transition turned round.
    #[must_use]
    pub fn turned_round(&self) -> ExplicitLts {
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for from in 0..self.states() {
            transitions.extend(self.from(from).iter().map(|&(label, to)| (to, label, from)));
        }
        ExplicitLts::new(self.initial, self.states(), self.labels.clone(), &transitions)
    }

    /// All states and transitions of another system, breadth-first; `go_on` is asked now and then
    /// with the number of states.
    pub fn explore<L: Lts>(
        lts: &mut L,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<ExplicitLts>, String> {
        let mut ids: rustc_hash::FxHashMap<L::State, u32> = rustc_hash::FxHashMap::default();
        let first = lts.initial();
        ids.insert(first, 0);
        let mut states = vec![first];
        let mut offsets = vec![0u32];
        let mut transitions = Vec::new();
        let mut labels: Vec<String> = Vec::new();
        let mut numbers: rustc_hash::FxHashMap<String, u32> = rustc_hash::FxHashMap::default();
        let mut known: Vec<Option<u32>> = Vec::new();
        let mut out = Vec::new();
        let mut at = 0;
        while at < states.len() {
            if at.is_multiple_of(1 << 12) && !go_on(states.len() as u64) {
                return Ok(None);
            }
            out.clear();
            lts.successors(states[at], &mut out)?;
            for &(label, to) in &out {
                if known.len() <= label as usize {
                    known.resize(label as usize + 1, None);
                }
                let label = *known[label as usize].get_or_insert_with(|| {
                    let text = lts.label(label);
                    *numbers.entry(text.to_owned()).or_insert_with(|| {
                        labels.push(text.to_owned());
                        labels.len() as u32 - 1
                    })
                });
                let next = states.len() as u32;
                let id = *ids.entry(to).or_insert_with(|| {
                    states.push(to);
                    next
                });
                transitions.push((label, id));
            }
            if states.len() >= u32::MAX as usize - 300 || transitions.len() >= u32::MAX as usize {
                return Err("more than 4,294,967,000 states or transitions".to_owned());
            }
            offsets.push(transitions.len() as u32);
            at += 1;
        }
        Ok(Some(ExplicitLts { initial: 0, offsets, transitions, labels }))
    }
}

impl Lts for ExplicitLts {
    type State = u32;

    fn initial(&self) -> u32 {
        self.initial
    }

    fn successors(&mut self, state: u32, out: &mut Vec<(u32, u32)>) -> Result<(), String> {
        out.extend_from_slice(self.from(state));
        Ok(())
    }

    fn label(&self, label: u32) -> &str {
        &self.labels[label as usize]
    }

    fn all_labels(&self) -> Vec<&str> {
        self.labels.iter().map(String::as_str).collect()
    }

    fn knows_labels(&self) -> bool {
        true
    }

    fn name(&self, state: u32) -> String {
        state.to_string()
    }
}

/// Several threads may explore one.
impl Lts for std::sync::Arc<ExplicitLts> {
    type State = u32;

    fn initial(&self) -> u32 {
        self.initial
    }

    fn successors(&mut self, state: u32, out: &mut Vec<(u32, u32)>) -> Result<(), String> {
        out.extend_from_slice(self.from(state));
        Ok(())
    }

    fn label(&self, label: u32) -> &str {
        (**self).label(label)
    }

    fn all_labels(&self) -> Vec<&str> {
        (**self).all_labels()
    }

    fn knows_labels(&self) -> bool {
        (**self).knows_labels()
    }

    fn name(&self, state: u32) -> String {
        (**self).name(state)
    }
}

impl<L: Lts> Lts for &mut L {
    type State = L::State;

    fn initial(&self) -> L::State {
        (**self).initial()
    }

    fn successors(
        &mut self,
        state: L::State,
        out: &mut Vec<(u32, L::State)>,
    ) -> Result<(), String> {
        (**self).successors(state, out)
    }

    fn label(&self, label: u32) -> &str {
        (**self).label(label)
    }

    fn all_labels(&self) -> Vec<&str> {
        (**self).all_labels()
    }

    fn knows_labels(&self) -> bool {
        (**self).knows_labels()
    }

    fn name(&self, state: L::State) -> String {
        (**self).name(state)
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }
}
