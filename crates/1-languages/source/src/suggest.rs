//! The nearest known name to one that is unknown.

/// Names longer than this are compared without their case only.
const LONGEST: usize = 100;

/// The candidate nearest to `name`, if one is near enough to be what was meant.
///
/// Near enough: at most a third of the longer name's characters inserted, deleted, replaced or
/// swapped with their neighbour, or equal but for the case. Among equally near ones the first.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    let mut best: Option<(usize, &'a str)> = None;
    let mut scratch = Scratch::default();
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        let length = wanted.len().max(candidate.chars().take(LONGEST + 1).count());
        let limit = match best {
            Some((distance, _)) => (length / 3).min(distance - 1),
            None => length / 3,
        };
        let distance = if best.is_none_or(|(d, _)| d > 1) && equal_but_for_case(name, candidate) {
            Some(1)
        } else if length > LONGEST {
            None
        } else {
            scratch.distance(&wanted, candidate, limit)
        };
        if let Some(distance) = distance {
            best = Some((distance, candidate));
            if distance == 1 {
                // Nothing is nearer, for equal names were left out.
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn equal_but_for_case(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// Rows of the table of prefix distances, kept between calls.
#[derive(Default)]
struct Scratch {
    candidate: Vec<char>,
    before_last: Vec<usize>,
    last: Vec<usize>,
    current: Vec<usize>,
}

impl Scratch {
    /// Optimal string alignment distance, or `None` when it exceeds `limit`.
    fn distance(&mut self, a: &[char], b: &str, limit: usize) -> Option<usize> {
        self.candidate.clear();
        self.candidate.extend(b.chars());
        let b = &self.candidate;
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        self.last = (0..=b.len()).collect();
        self.before_last = self.last.clone();
        self.current = self.last.clone();
        for i in 1..=a.len() {
            self.current[0] = i;
            for j in 1..=b.len() {
                let replaced = self.last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(self.last[j] + 1).min(self.current[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(self.before_last[j - 2] + 1);
                }
                self.current[j] = least;
            }
            if self.current.iter().all(|&d| d > limit) {
                return None;
            }
            std::mem::swap(&mut self.before_last, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.current);
        }
        Some(self.last[b.len()]).filter(|&d| d <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, candidates: &str, expected: Option<&str>) {
        assert_eq!(suggest(name, candidates.split(' ')), expected, "{name} in {candidates}");
    }

    #[test]
    fn nearest() {
        check("cuont", "amount count counter", Some("count"));
        check("mian", "man main", Some("man"));
        check("mian", "main man", Some("main"));
        check("MAIN", "mean main", Some("main"));
        check("lock", "block unlock", Some("block"));
        check("x", "y z", None);
        check("ab", "ac", None);
        check("abc", "abd", Some("abd"));
        check("nosuch", "a b c", None);
        check("same", "same", None);
        check("", "a", None);
    }

    #[test]
    fn long_names_cost_little() {
        let long = "x".repeat(1_000_000);
        assert_eq!(
            suggest(&long, [long.to_uppercase().as_str()]),
            Some(long.to_uppercase().as_str())
        );
        assert_eq!(suggest(&long, ["x", "y"]), None);
    }
}
