//! Names of functions in rules: `free|g_free|*_unlock`.

/// Names with `|` between them; `*` stands for any letters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    alternatives: Vec<String>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        let alternatives = text.split('|').map(|a| a.trim().to_owned()).collect();
        Pattern { alternatives }
    }

    /// Whether it is a list of names without `*`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().map(String::as_str).filter(|a| !a.contains('*'))
    }

    /// Whether a name is one of these.
    pub fn matches(&self, name: &str) -> bool {
        self.alternatives.iter().any(|a| matches(a, name))
    }

    /// Whether a name is written out, and not only met by `*` alone.
    pub(crate) fn names_it(&self, name: &str) -> bool {
        self.alternatives.iter().any(|a| a != "*" && matches(a, name))
    }
}

/// `*` is tried with as few letters as possible, and with one more when the rest does not fit.
fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == name;
    }
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            back = Some((p + 1, n));
            p += 1;
        } else if p < pattern.len() && pattern[p] == name[n] {
            p += 1;
            n += 1;
        } else if let Some((after, at)) = back {
            back = Some((after, at + 1));
            (p, n) = (after, at + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn stars() {
        let p = Pattern::new("free|*_unlock|a*b*c");
        for yes in ["free", "x_unlock", "_unlock", "abc", "a_b_b_c"] {
            assert!(p.matches(yes), "{yes}");
        }
        for no in ["freed", "x_unlock_", "ab", "acb", ""] {
            assert!(!p.matches(no), "{no}");
        }
        assert!(Pattern::new("*").matches("f") && !Pattern::new("*").names_it("f"));
    }
}
