//! Functions of `<math.h>` whose results are exact, as circuits. The others round as their library does, which nobody
//! knows: their results are arbitrary.

use crate::engine::Engine;
use crate::soft_float::{BINARY32, BINARY64, Format, Towards};
use crate::word::{Circuit, Word};
use logic::Lit;

/// The name without what tells the type, and the type; none for `long double`.
fn typed(name: &str) -> Option<(&str, Format)> {
    let base = name.strip_prefix("__").unwrap_or(name);
    if exact(base).is_some() {
        return Some((base, BINARY64));
    }
    let base = base.strip_suffix('f')?;
    exact(base).map(|_| (base, BINARY32))
}

#[derive(Clone, Copy)]
enum Exact {
    Whole(Towards),
    /// The same, as an integer.
    Integer(Towards),
    Absolute,
    Root,
    CopySign,
    Most,
    Least,
    IsNan,
    IsInfinite,
    IsFinite,
    SignBit,
}

fn exact(base: &str) -> Option<Exact> {
    Some(match base {
        "floor" => Exact::Whole(Towards::Down),
        "ceil" => Exact::Whole(Towards::Up),
        "trunc" => Exact::Whole(Towards::Zero),
        "round" => Exact::Whole(Towards::Away),
        "rint" | "nearbyint" => Exact::Whole(Towards::Even),
        "lround" | "llround" => Exact::Integer(Towards::Away),
        "lrint" | "llrint" => Exact::Integer(Towards::Even),
        "fabs" => Exact::Absolute,
        "sqrt" => Exact::Root,
        "copysign" => Exact::CopySign,
        "fmax" => Exact::Most,
        "fmin" => Exact::Least,
        "isnan" => Exact::IsNan,
        "isinf" => Exact::IsInfinite,
        "finite" => Exact::IsFinite,
        "signbit" => Exact::SignBit,
        _ => return None,
    })
}

impl Engine<'_> {
    /// What a function gives back in so many bits, if that is known.
    pub(crate) fn exactly(&mut self, name: &str, a: &Word, b: &Word, bits: u32) -> Option<Word> {
        let (base, f) = typed(name)?;
        let which = exact(base)?;
        if a.width() != f.bits() {
            return None;
        }
        let top = f.bits() - 1;
        let c = &mut self.c;
        let out = match which {
            Exact::Whole(towards) => c.float_whole(f, a, towards),
            Exact::Integer(towards) => {
                let whole = c.float_whole(f, a, towards);
                let (value, fits) = c.float_to_int(f, &whole, bits, true);
                let any = c.input(bits);
                c.ite(fits, &value, &any)
            }
            Exact::Absolute => with_sign(a, Lit::FALSE),
            Exact::Root => c.float_root(f, a),
            Exact::CopySign if b.width() == f.bits() => with_sign(a, b.bit(top)),
            Exact::Most if b.width() == f.bits() => further(c, f, a, b),
            Exact::Least if b.width() == f.bits() => {
                let minus = |w: &Word| with_sign(w, !w.bit(top));
                let least = further(c, f, &minus(a), &minus(b));
                minus(&least)
            }
            Exact::IsNan => {
                let nan = c.float_is_nan(f, a);
                c.flag(nan, bits)
            }
            Exact::IsFinite => {
                let (nan, infinite) = (c.float_is_nan(f, a), c.float_is_infinite(f, a));
                let finite = c.aig.and(!nan, !infinite);
                c.flag(finite, bits)
            }
            Exact::IsInfinite => {
                // 1, or -1 of what is below.
                let infinite = c.float_is_infinite(f, a);
                let below = c.aig.and(infinite, a.bit(top));
                let mut lits = vec![below; bits as usize];
                lits[0] = infinite;
                Word::of(lits)
            }
            Exact::SignBit => {
                // Some number that is not 0.
                let any = c.input(bits);
                let some = c.truth(&any);
                let one = Word::number(bits, 1);
                let any = c.ite(some, &any, &one);
                c.ite(a.bit(top), &any, &Word::number(bits, 0))
            }
            _ => return None,
        };
        Some(out)
    }
}

fn with_sign(word: &Word, sign: Lit) -> Word {
    let mut lits = word.lits();
    if let Some(top) = lits.last_mut() {
        *top = sign;
    }
    Word::of(lits)
}

/// `fmax`: a NaN counts as missing, unless it is a signaling one, of which libraries make what they like. Which zero is the larger
/// one is not said.
fn further(c: &mut Circuit, f: Format, a: &Word, b: &Word) -> Word {
    let (no_a, no_b) = (c.float_is_nan(f, a), c.float_is_nan(f, b));
    let (up, down) = (c.float_less(f, a, b, false), c.float_less(f, b, a, false));
    let any = c.aig.input();
    let equal = c.ite(any, a, b);
    let most = c.ite(down, a, &equal);
    let most = c.ite(up, b, &most);
    let most = c.ite(no_b, a, &most);
    let most = c.ite(no_a, b, &most);
    let quiet = f.fraction - 1;
    let loud_a = c.aig.and(no_a, !a.bit(quiet));
    let loud_b = c.aig.and(no_b, !b.bit(quiet));
    let loud = c.aig.or(loud_a, loud_b);
    let both = c.aig.and(no_a, no_b);
    let odd = c.aig.or(loud, both);
    if odd == Lit::FALSE {
        return most;
    }
    let none = c.some_nan(f);
    let pick = c.aig.input();
    let unsaid = c.ite(pick, &none, &most);
    let unsaid = c.ite(both, &none, &unsaid);
    c.ite(odd, &unsaid, &most)
}
