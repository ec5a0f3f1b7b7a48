//! Regular expressions over labels, as CADP's `'…'` has them: the basic ones of UNIX.
//!
//! `.` any character, `[…]` and `[^…]` sets, postfix `*`, and with a backslash `\(` `\)` groups,
//! `\|` choice, `\+` and `\?` postfix; any other character after a backslash stands for itself. The
//! whole label must match. Matching follows all ways at once: linear in the label.

/// A compiled regular expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regexp {
    text: String,
    states: Vec<State>,
    start: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum State {
    Any(u32),
    One(char, u32),
    Set(Vec<(char, char)>, bool, u32),
    Split(u32, u32),
    Accept,
}

const OPEN: u32 = u32::MAX;

/// A piece under construction: its start, and the places to fill with what follows.
struct Piece {
    start: u32,
    /// State and which of its exits.
    ends: Vec<(u32, bool)>,
}

impl Regexp {
    /// Compiles; the error is an offset and a reason.
    pub fn new(text: &str) -> Result<Regexp, (usize, &'static str)> {
        let mut states: Vec<State> = Vec::new();
        // Alternatives and sequences of the groups that are open.
        let mut groups: Vec<(Vec<Piece>, Vec<Piece>, usize)> = vec![(Vec::new(), Vec::new(), 0)];
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let (_, sequence, _) = groups.last_mut().expect("the outermost group stays");
            let mut single = |states: &mut Vec<State>, state: State| {
                let id = states.len() as u32;
                states.push(state);
                sequence.push(Piece { start: id, ends: vec![(id, false)] });
            };
            match c {
                '.' => single(&mut states, State::Any(OPEN)),
                '[' => {
                    let negated = chars.next_if(|&(_, c)| c == '^').is_some();
                    let mut ranges = Vec::new();
                    loop {
                        let Some((_, from)) = chars.next() else {
                            return Err((at, "the set does not end"));
                        };
                        if from == ']' && !ranges.is_empty() {
                            break;
                        }
                        let mut to = from;
                        let mut ahead = chars.clone();
                        if ahead.next().is_some_and(|(_, c)| c == '-')
                            && let Some((_, end)) = ahead.next()
                            && end != ']'
                        {
                            to = end;
                            chars = ahead;
                        }
                        ranges.push((from, to));
                    }
                    single(&mut states, State::Set(ranges, negated, OPEN));
                }
                '*' => repeat(&mut states, sequence, '*').ok_or((at, "nothing to repeat"))?,
                '\\' => match chars.next() {
                    None => return Err((at, "a backslash at the end")),
                    Some((_, '(')) => groups.push((Vec::new(), Vec::new(), at)),
                    Some((_, ')')) => {
                        if groups.len() == 1 {
                            return Err((at, "`\\)` without `\\(`"));
                        }
                        let (alternatives, sequence, _) = groups.pop().expect("there are two");
                        let piece = join(&mut states, alternatives, sequence);
                        groups.last_mut().expect("there was another").1.push(piece);
                    }
                    Some((_, '|')) => {
                        let sequence = std::mem::take(sequence);
                        let piece = chain(&mut states, sequence);
                        groups.last_mut().expect("the outermost group stays").0.push(piece);
                    }
                    Some((_, c @ ('+' | '?'))) => {
                        repeat(&mut states, sequence, c).ok_or((at, "nothing to repeat"))?;
                    }
                    Some((_, c)) => single(&mut states, State::One(c, OPEN)),
                },
                '^' if at == 0 => {}
                '$' if at + 1 == text.len() => {}
                c => single(&mut states, State::One(c, OPEN)),
            }
        }
        if groups.len() > 1 {
            return Err((groups[groups.len() - 1].2, "`\\(` without `\\)`"));
        }
        let (alternatives, sequence, _) = groups.pop().expect("one is left");
        let piece = join(&mut states, alternatives, sequence);
        let accept = states.len() as u32;
        states.push(State::Accept);
        fill(&mut states, &piece.ends, accept);
        Ok(Regexp { text: text.to_owned(), states, start: piece.start })
    }

    /// The text it was compiled from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the whole label matches.
    pub fn matches(&self, label: &str) -> bool {
        let mut current: Vec<u32> = Vec::new();
        let mut marks = vec![0usize; self.states.len()];
        let mut round = 1;
        self.follow(self.start, &mut current, &mut marks, round);
        for c in label.chars() {
            round += 1;
            let mut next = Vec::new();
            for &state in &current {
                let to = match &self.states[state as usize] {
                    State::Any(to) => *to,
                    State::One(one, to) if *one == c => *to,
                    State::Set(ranges, negated, to)
                        if ranges.iter().any(|r| r.0 <= c && c <= r.1) != *negated =>
                    {
                        *to
                    }
                    _ => continue,
                };
                self.follow(to, &mut next, &mut marks, round);
            }
            current = next;
        }
        current.iter().any(|&state| self.states[state as usize] == State::Accept)
    }

    fn follow(&self, state: u32, out: &mut Vec<u32>, marks: &mut [usize], round: usize) {
        let mut stack = vec![state];
        while let Some(state) = stack.pop() {
            if std::mem::replace(&mut marks[state as usize], round) == round {
                continue;
            }
            match self.states[state as usize] {
                State::Split(a, b) => stack.extend([a, b]),
                _ => out.push(state),
            }
        }
    }
}

fn fill(states: &mut [State], ends: &[(u32, bool)], to: u32) {
    for &(state, second) in ends {
        match &mut states[state as usize] {
            State::Any(exit) | State::One(_, exit) | State::Set(_, _, exit) => *exit = to,
            State::Split(a, b) => *(if second { b } else { a }) = to,
            State::Accept => {}
        }
    }
}

fn chain(states: &mut Vec<State>, sequence: Vec<Piece>) -> Piece {
    let mut pieces = sequence.into_iter();
    let Some(mut whole) = pieces.next() else {
        // Nothing: a split with one exit.
        let id = states.len() as u32;
        states.push(State::Split(OPEN, OPEN));
        return Piece { start: id, ends: vec![(id, false), (id, true)] };
    };
    for piece in pieces {
        fill(states, &whole.ends, piece.start);
        whole.ends = piece.ends;
    }
    whole
}

fn join(states: &mut Vec<State>, alternatives: Vec<Piece>, sequence: Vec<Piece>) -> Piece {
    let mut whole = chain(states, sequence);
    for piece in alternatives.into_iter().rev() {
        let id = states.len() as u32;
        states.push(State::Split(piece.start, whole.start));
        whole.start = id;
        whole.ends.extend(piece.ends);
    }
    whole
}

fn repeat(states: &mut Vec<State>, sequence: &mut Vec<Piece>, kind: char) -> Option<()> {
    let piece = sequence.pop()?;
    let id = states.len() as u32;
    states.push(State::Split(piece.start, OPEN));
    let mut ends = vec![(id, true)];
    let start = match kind {
        '?' => {
            ends.extend(piece.ends);
            id
        }
        _ => {
            fill(states, &piece.ends, id);
            if kind == '*' { id } else { piece.start }
        }
    };
    sequence.push(Piece { start, ends });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(regexp: &str, yes: &[&str], no: &[&str]) {
        let compiled = Regexp::new(regexp).unwrap();
        for label in yes {
            assert!(compiled.matches(label), "{regexp} {label}");
        }
        for label in no {
            assert!(!compiled.matches(label), "{regexp} {label}");
        }
    }

    #[test]
    fn basic() {
        check("SEND.*", &["SEND", "SEND !1"], &["RESEND", "sEND"]);
        check("a\\|b*", &["a", "", "bbb"], &["ab", "ba"]);
        check("\\(ab\\)*c", &["c", "ababc"], &["abac", "ab"]);
        check("[a-c]\\+x\\?", &["a", "abcx"], &["", "x", "ad"]);
        check("[^0-9]*", &["", "ab"], &["a1"]);
        check("[]a]", &["]", "a"], &["b"]);
        check("a(1)", &["a(1)"], &["a1"]);
        check("\\.\\*", &[".*"], &["ab"]);
        check("\\(a*\\)*", &["", "aaa"], &["b"]);
        check("^ab$", &["ab"], &["^ab$"]);
        for wrong in ["\\(a", "a\\)", "[a", "*", "\\", "\\+"] {
            assert!(Regexp::new(wrong).is_err(), "{wrong}");
        }
        let deep = "\\(".repeat(100_000) + "a" + &"\\)".repeat(100_000);
        assert!(Regexp::new(&deep).unwrap().matches("a"));
    }
}
