//! A set of states as a formula.

use check::{SetBit, SetId, StateSets};
use render::Formula;
use rustc_hash::FxHashMap;

/// Longer parts get a name.
const LONG: usize = 200;
/// Parts that occur several times get a name from this length on.
const SHARED: usize = 24;
/// Larger graphs are not written out.
const MAX_DECISIONS: usize = 5_000;

/// How tightly the outermost operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Equal,
    Atom,
}

#[derive(Clone)]
struct Part {
    text: String,
    level: Level,
}

impl Part {
    fn within(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// The formula of `set`, with `name` for the bits. In the syntax of boolean programs.
pub(crate) fn formula(
    sets: &StateSets,
    set: SetId,
    name: &mut dyn FnMut(SetBit) -> String,
) -> Formula {
    let order = postorder(sets, set);
    if order.len() > MAX_DECISIONS {
        let text = format!("(too large to write out: {} decisions)", order.len());
        return Formula { definitions: Vec::new(), text };
    }
    let mut uses: FxHashMap<SetId, u32> = FxHashMap::default();
    for node in order.iter().filter_map(|&id| sets.node(id)) {
        for child in [node.lo, node.hi] {
            *uses.entry(child).or_default() += 1;
        }
    }
    let mut out = Formula::default();
    let mut parts: FxHashMap<SetId, Part> = FxHashMap::default();
    let constant = |text: &str| Part { text: text.to_owned(), level: Level::Atom };
    parts.insert(SetId::empty(), constant("0"));
    parts.insert(SetId::full(), constant("1"));
    for id in order {
        let Some(node) = sets.node(id) else { continue };
        let mut part = decision(&name(node.bit), node.lo, node.hi, &parts);
        let limit = if uses.get(&id).is_some_and(|&n| n > 1) { SHARED } else { LONG };
        if part.text.len() > limit && id != set {
            let name = format!("#{}", out.definitions.len() + 1);
            out.definitions.push((name.clone(), part.text));
            part = Part { text: name, level: Level::Atom };
        }
        parts.insert(id, part);
    }
    out.text = parts.remove(&set).map_or_else(String::new, |part| part.text);
    out
}

/// `if x then hi else lo`, as short as it can be said.
fn decision(x: &str, lo: SetId, hi: SetId, parts: &FxHashMap<SetId, Part>) -> Part {
    let (low, high) = (&parts[&lo], &parts[&hi]);
    let (empty, full) = (SetId::empty(), SetId::full());
    let binary = |text: String, level| Part { text, level };
    if lo == empty && hi == full {
        Part { text: x.to_owned(), level: Level::Atom }
    } else if lo == full && hi == empty {
        Part { text: format!("!{x}"), level: Level::Atom }
    } else if lo == empty {
        binary(format!("{x} & {}", high.within(Level::And)), Level::And)
    } else if hi == empty {
        binary(format!("!{x} & {}", low.within(Level::And)), Level::And)
    } else if lo == full {
        binary(format!("!{x} | {}", high.text), Level::Or)
    } else if hi == full {
        binary(format!("{x} | {}", low.text), Level::Or)
    } else if low.text.strip_prefix('!') == Some(&high.text) && high.level == Level::Atom {
        binary(format!("{x} = {}", high.text), Level::Equal)
    } else if high.text.strip_prefix('!') == Some(&low.text) && low.level == Level::Atom {
        binary(format!("{x} != {}", low.text), Level::Equal)
    } else {
        let (low, high) = (low.within(Level::And), high.within(Level::And));
        binary(format!("{x} & {high} | !{x} & {low}"), Level::Or)
    }
}

/// The decisions below `root`, children first.
fn postorder(sets: &StateSets, root: SetId) -> Vec<SetId> {
    let mut out = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![(root, false)];
    while let Some((id, expanded)) = stack.pop() {
        let Some(node) = sets.node(id) else { continue };
        if expanded {
            out.push(id);
        } else if seen.insert(id) {
            stack.extend([(id, true), (node.hi, false), (node.lo, false)]);
        }
    }
    out
}

/// How many valuations of `bits` bits are in the set, if no way through the graph decides a bit
/// twice and the number fits.
pub(crate) fn count(sets: &StateSets, set: SetId, bits: u32) -> Option<u128> {
    let all = 1u128.checked_shl(bits).filter(|_| bits < 127)?;
    let mut counts: FxHashMap<SetId, u128> = FxHashMap::default();
    counts.insert(SetId::empty(), 0);
    counts.insert(SetId::full(), all);
    for id in postorder(sets, set) {
        if let Some(node) = sets.node(id) {
            // Each child leaves the bit open, so both counts are even.
            counts.insert(id, (counts[&node.lo] + counts[&node.hi]) / 2);
        }
    }
    counts.get(&set).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::Area;

    fn bit(index: u32) -> SetBit {
        SetBit { area: Area::Global, index }
    }

    #[track_caller]
    fn check(bits: u32, valuations: &[u32], expected: &str) {
        let mut sets = StateSets::new();
        let all: Vec<SetBit> = (0..bits).map(bit).collect();
        let mut rows: Vec<Vec<bool>> =
            valuations.iter().map(|v| (0..bits).map(|i| v >> i & 1 == 1).collect()).collect();
        rows.sort();
        let set = sets.from_sorted(&all, &rows);
        let names = ["a", "b", "c", "d"];
        let found = formula(&sets, set, &mut |b| names[b.index as usize].to_owned());
        assert_eq!(found.text, expected);
        assert_eq!(count(&sets, set, bits), Some(valuations.len() as u128));
    }

    #[test]
    fn short_forms() {
        check(2, &[], "0");
        check(2, &[0, 1, 2, 3], "1");
        check(2, &[1, 3], "a");
        check(2, &[0, 2], "!a");
        check(2, &[1], "a & !b");
        check(2, &[0, 3], "a = b");
        check(2, &[1, 2], "a != b");
        check(2, &[1, 2, 3], "a | b");
        check(2, &[0, 1, 2], "!a | !b");
        check(3, &[3, 4, 6], "a & b & !c | !a & c");
    }
}
