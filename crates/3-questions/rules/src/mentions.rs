//! What a rule speaks of, for those who want to know whether a program has it.

use crate::event::Atom;
use crate::pattern::Pattern;
use crate::rule::Rule;

/// An event of a rule that is about functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mentioned {
    /// Its number among the rule's atoms.
    pub atom: u32,
    /// The functions, as the rule names them.
    pub names: Vec<String>,
}

impl Mentioned {
    /// Whether a function is one of those.
    pub fn is_about(&self, function: &str) -> bool {
        self.names.iter().any(|name| Pattern::new(name).matches(function))
    }
}

/// With more atoms, it is not tried which letters there are.
const MOST_ATOMS: usize = 16;

impl Rule {
    /// Its events that can only be about functions. One that can also be something else is not here.
    pub fn mentioned(&self) -> Vec<Mentioned> {
        let mut out = Vec::new();
        for (number, events) in self.atoms.iter().enumerate() {
            let functions: Option<Vec<&str>> = events.iter().map(Atom::functions).collect();
            let Some(functions) = functions.filter(|f| !f.is_empty()) else { continue };
            let names = functions.iter().flat_map(|f| f.split('|')).map(|n| n.trim().to_owned());
            out.push(Mentioned { atom: number as u32, names: names.collect() });
        }
        out
    }

    /// Whether some word breaks it in which these atoms never hold.
    pub fn can_break_without(&self, absent: &[u32]) -> bool {
        let atoms = self.nfa.atoms.len();
        if atoms > MOST_ATOMS {
            return true;
        }
        let gone: u32 = absent.iter().fold(0, |bits, atom| bits | 1 << atom);
        let mut reached = vec![false; self.nfa.accepting.len()];
        let Some(first) = reached.first_mut() else { return false };
        *first = true;
        let open = |condition| {
            let letters = (0..1u32 << atoms).filter(|letter| letter & gone == 0);
            letters.into_iter().any(|l| self.nfa.holds(condition, &|atom| l >> atom & 1 == 1))
        };
        let steps = self.nfa.transitions.iter().filter(|t| open(t.1));
        let steps: Vec<(u32, u32)> = steps.map(|t| (t.0, t.2)).collect();
        loop {
            let fresh = |t: &&(u32, u32)| reached[t.0 as usize] && !reached[t.1 as usize];
            let next: Vec<u32> = steps.iter().filter(fresh).map(|t| t.1).collect();
            if next.is_empty() {
                break;
            }
            for state in next {
                reached[state as usize] = true;
            }
        }
        reached.iter().zip(&self.nfa.accepting).any(|(reached, accepting)| *reached && *accepting)
    }
}
