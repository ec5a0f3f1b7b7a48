//! Whether an automaton accepts a word with a loop.
//!
//! A part of the word is a relation: from which state the automaton can come to which, and the marks that it meets on some
//! way. Relations of neighbours are composed, so that a call is looked at once however often it is made. The word is
//! accepted if a component of the relation of its loop that the stem leads to has an edge inside, and meets each mark: a
//! run may go around in it by all of these ways in turn.

use super::{Item, Truth, WORK, Word};
use check::{Acceptor, Op, Temporal};
use ir::Id;

/// By state and state: the marks that some way between them meets; none if there is no way.
type Relation = Vec<Vec<Option<Vec<bool>>>>;

/// Whether the property holds of the word.
pub(super) fn holds(
    formula: &Temporal,
    acceptor: &Acceptor,
    word: &Word,
) -> Result<Truth, &'static str> {
    let ends = acceptor.steps.iter().all(|s| s.0 < acceptor.states && s.2 < acceptor.states);
    let marks = acceptor.steps.iter().flat_map(|s| &s.3).all(|m| *m < acceptor.marks);
    if !ends || !marks || acceptor.initial >= acceptor.states {
        return Err("the automaton is not well formed");
    }
    let mut letters = Vec::with_capacity(word.letters.len());
    for letter in &word.letters {
        match read(formula, acceptor, letter)? {
            Some(relation) => letters.push(relation),
            None => return Ok(Truth::Open),
        }
    }
    let mut work = 0;
    // What is called stands before what calls it.
    let mut segments: Vec<Relation> = Vec::with_capacity(word.segments.len());
    for segment in &word.segments {
        let relation = along(acceptor, segment, &letters, &segments, &mut work)?;
        segments.push(relation);
    }
    let stem = along(acceptor, &word.stem, &letters, &segments, &mut work)?;
    let turn = along(acceptor, &word.turn, &letters, &segments, &mut work)?;
    let accepted = accepted(acceptor, &stem, &turn);
    Ok(Truth::of(Some(accepted == acceptor.good)))
}

/// What the automaton does when it reads a letter; none if that depends on what is open.
fn read(
    formula: &Temporal,
    acceptor: &Acceptor,
    letter: &[Truth],
) -> Result<Option<Relation>, &'static str> {
    let mut truth: Vec<Truth> = Vec::with_capacity(formula.ops.len());
    for &op in formula.ops.iter() {
        let of = |a: check::OpId| truth.get(a.index()).copied().unwrap_or(Truth::Open);
        let value = match op {
            Op::True => Truth::True,
            Op::Atom(atom) => *letter.get(atom as usize).ok_or("there is no such atom")?,
            Op::Not(a) => of(a).not(),
            Op::And(a, b) => of(a).and(of(b)),
            Op::Or(a, b) => of(a).or(of(b)),
            _ => return Err("a letter knows no time"),
        };
        truth.push(value);
    }
    let states = acceptor.states as usize;
    let mut relation: Relation = vec![vec![None; states]; states];
    for (from, when, to, marks) in &acceptor.steps {
        match truth.get(when.index()) {
            Some(Truth::True) => {}
            Some(Truth::False) => continue,
            Some(Truth::Open) => return Ok(None),
            None => return Err("the automaton is not well formed"),
        }
        let met = relation[*from as usize][*to as usize]
            .get_or_insert_with(|| vec![false; acceptor.marks as usize]);
        marks.iter().for_each(|m| met[*m as usize] = true);
    }
    Ok(Some(relation))
}

fn along(
    acceptor: &Acceptor,
    items: &[Item],
    letters: &[Relation],
    segments: &[Relation],
    work: &mut usize,
) -> Result<Relation, &'static str> {
    let states = acceptor.states as usize;
    let mut now: Relation = vec![vec![None; states]; states];
    for (i, row) in now.iter_mut().enumerate() {
        row[i] = Some(vec![false; acceptor.marks as usize]);
    }
    for item in items {
        let next = match *item {
            Item::Letter(letter) => letters.get(letter as usize),
            Item::Call(segment) => segments.get(segment as usize),
        };
        let next = next.ok_or("a call is told before what it calls")?;
        let mut out: Relation = vec![vec![None; states]; states];
        for (from, row) in now.iter().enumerate() {
            for (between, first) in row.iter().enumerate() {
                let Some(first) = first else { continue };
                for (to, second) in next[between].iter().enumerate() {
                    *work += 1;
                    let Some(second) = second else { continue };
                    let met = out[from][to].get_or_insert_with(|| vec![false; first.len()]);
                    for (m, (a, b)) in met.iter_mut().zip(first.iter().zip(second)) {
                        *m |= a | b;
                    }
                }
            }
        }
        now = out;
        if *work > WORK {
            return Err("the lasso is too long to be judged");
        }
    }
    Ok(now)
}

fn accepted(acceptor: &Acceptor, stem: &Relation, turn: &Relation) -> bool {
    let states = acceptor.states as usize;
    // Who comes to whom by whole turns of the loop.
    let mut comes: Vec<Vec<bool>> =
        turn.iter().map(|row| row.iter().map(Option::is_some).collect()).collect();
    for k in 0..states {
        for i in 0..states {
            for j in 0..states {
                comes[i][j] |= comes[i][k] && comes[k][j];
            }
        }
    }
    let start = &stem[acceptor.initial as usize];
    (0..states).any(|head| {
        let there = |s: usize| start[s].is_some() && (s == head || comes[s][head]);
        if !comes[head][head] || !(0..states).any(there) {
            return false;
        }
        let inside = |s: usize| s == head || (comes[head][s] && comes[s][head]);
        (0..acceptor.marks as usize).all(|mark| {
            let meets = |i: usize, j: usize| {
                inside(i) && inside(j) && turn[i][j].as_ref().is_some_and(|met| met[mark])
            };
            (0..states).any(|i| (0..states).any(|j| meets(i, j)))
        })
    })
}
