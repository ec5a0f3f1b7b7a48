//! Columns of numbers in a page. Short ones are lists; long ones are texts, which browsers read many times as fast.
//!
//! A text is a sequence of numbers: how many there are, and then each of them. A number is its sign in the lowest bit
//! and its size in those above, five bits in each letter, the lowest first; all letters but the last have the sixth bit
//! set. Where numbers repeat what came before, there is `~` instead: how far back, and how many. Runs consist of the
//! same calls again and again, so that most of a long one is said so.
//!
//! `column` in `run.js` reads them.

use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

/// Longer columns are texts.
const LONGEST_LIST: usize = 2_000;
/// Fewer numbers are not said to be repeated.
const LEAST: usize = 8;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Writes a column.
pub(super) fn write<T, S>(column: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Serialize + TryInto<i64>,
    S: Serializer,
{
    if column.len() <= LONGEST_LIST {
        return column.serialize(serializer);
    }
    let numbers = column.iter().map(|n| (*n).try_into());
    match numbers.collect::<Result<Vec<i64>, _>>() {
        Ok(numbers) => serializer.serialize_str(&text(&numbers)),
        // What is too large is no number of a statement, and stays as it is.
        Err(_) => column.serialize(serializer),
    }
}

fn put(out: &mut String, number: i64) {
    let mut left = number.unsigned_abs() << 1 | u64::from(number < 0);
    loop {
        let five = (left & 31) as usize;
        left >>= 5;
        out.push(char::from(LETTERS[five | usize::from(left > 0) << 5]));
        if left == 0 {
            return;
        }
    }
}

fn text(numbers: &[i64]) -> String {
    let mut out = String::new();
    put(&mut out, numbers.len() as i64);
    // Where the numbers that are next were seen last.
    let mut seen: FxHashMap<&[i64], usize> = FxHashMap::default();
    let mut at = 0;
    while at < numbers.len() {
        let next = numbers.get(at..at + LEAST);
        let before = next.and_then(|next| seen.insert(next, at));
        let Some(before) = before else {
            put(&mut out, numbers[at]);
            at += 1;
            continue;
        };
        let same = numbers[at..].iter().zip(&numbers[before..]).take_while(|(a, b)| a == b).count();
        out.push('~');
        put(&mut out, (at - before) as i64);
        put(&mut out, same as i64);
        at += same;
    }
    out
}
