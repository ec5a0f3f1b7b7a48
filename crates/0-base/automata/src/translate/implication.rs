//! Implications that can be seen from the form of two formulas, after Somenzi and Bloem
//! (CAV 2000) and Etessami and Holzmann (CONCUR 2000), with the pairs of `W` and `M` added.

use super::TranslateError;
use super::nnf::{Ctx, Id, Node};

/// How deep formulas are compared. Deeper ones count as unrelated, which is always safe.
const DEPTH: u32 = 24;
/// How many pairs of formulas are compared. More count as unrelated.
const EFFORT: usize = 300_000;

impl Ctx {
    /// Whether `f ⇒ g` is seen to be valid. False says nothing.
    pub(super) fn implies(&mut self, f: Id, g: Id) -> Result<bool, TranslateError> {
        self.implies_to(f, g, DEPTH)
    }

    /// Whether `f` and `g` are seen never to hold together.
    pub(super) fn excludes(&mut self, f: Id, g: Id) -> Result<bool, TranslateError> {
        let not_g = self.negation(g)?;
        self.implies(f, not_g)
    }

    /// Whether one of `f` and `g` is seen to hold always.
    pub(super) fn covers(&mut self, f: Id, g: Id) -> Result<bool, TranslateError> {
        let not_f = self.negation(f)?;
        self.implies(not_f, g)
    }

    fn implies_to(&mut self, f: Id, g: Id, depth: u32) -> Result<bool, TranslateError> {
        if f == g || f == Ctx::FALSE || g == Ctx::TRUE {
            return Ok(true);
        }
        if let (Some(a), Some(b)) = (self.as_bool(f), self.as_bool(g)) {
            return Ok(self.bdd.leq(a, b)?);
        }
        if f == Ctx::TRUE || g == Ctx::FALSE || depth == 0 {
            return Ok(false);
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return Ok(known);
        }
        self.limits.poll()?;
        if self.implications.len() > EFFORT {
            return Ok(false);
        }
        let result = self.implication_rules(f, g, depth - 1)?;
        self.implications.insert((f, g), result);
        Ok(result)
    }

    /// I1–I6 look at both sides, I7 at the left one, I8 at the right one.
    ///
    /// - I1: a disjunction implies what all its parts imply; all parts of a conjunction follow.
    /// - I2: what is purely universal holds later; a pure eventuality held before.
    /// - I3: X is monotone.
    /// - I4: so are the others, and strong ones imply weak ones.
    /// - I5: a R b is b W (a & b), a M b is b U (a & b), and back.
    /// - I6: what holds for ever.
    /// - I7: what the left side implies now, or at the time it promises.
    /// - I8: what makes the right side true now, or keeps it true.
    fn implication_rules(&mut self, f: Id, g: Id, d: u32) -> Result<bool, TranslateError> {
        use Node::*;
        let (left, right) = (self.node(f).clone(), self.node(g).clone());

        // I1.
        if let Or(parts) = &left {
            return self.all(parts.iter().map(|&part| (part, g)), d);
        }
        if let And(parts) = &right {
            return self.all(parts.iter().map(|&part| (f, part)), d);
        }

        // I2.
        if let Next(b) = right
            && self.universal(f)
            && self.implies_to(f, b, d)?
        {
            return Ok(true);
        }
        if let Next(a) = left
            && self.eventual(g)
            && self.implies_to(a, g, d)?
        {
            return Ok(true);
        }
        if let Globally(b) = right
            && self.universal(f)
            && self.implies_to(f, b, d)?
        {
            return Ok(true);
        }
        if let Finally(a) = left
            && self.eventual(g)
            && self.implies_to(a, g, d)?
        {
            return Ok(true);
        }

        let both = match (&left, &right) {
            // I3.
            (Next(a), Next(b)) => self.implies_to(*a, *b, d)?,
            // I4.
            (Until(a, b), Until(c, e) | Weak(c, e))
            | (Weak(a, b), Weak(c, e))
            | (Release(a, b), Release(c, e))
            | (Strong(a, b), Strong(c, e) | Release(c, e)) => {
                self.all([(*a, *c), (*b, *e)].into_iter(), d)?
            }
            // I5.
            (Release(a, b), Weak(c, e)) | (Strong(a, b), Until(c, e) | Weak(c, e)) => {
                self.implies_to(*b, *c, d)?
                    && (self.implies_to(*a, *e, d)? || self.implies_to(*b, *e, d)?)
            }
            (Weak(a, b), Release(c, e)) | (Until(a, b), Release(c, e) | Strong(c, e)) => {
                self.all([(*a, *e), (*b, *c), (*b, *e)].into_iter(), d)?
            }
            // I6.
            (Globally(a), Weak(c, _)) | (Globally(a), Release(_, c)) => {
                self.implies_to(f, *c, d)? || self.implies_to(*a, *c, d)?
            }
            _ => false,
        };
        if both {
            return Ok(true);
        }

        // I7.
        let by_left = match &left {
            And(parts) => {
                let mut some = false;
                for &part in parts.iter() {
                    some = some || self.implies_to(part, g, d)?;
                }
                some
            }
            Globally(a) => self.implies_to(*a, g, d)?,
            Until(a, b) | Weak(a, b) => {
                self.all([(*a, g), (*b, g)].into_iter(), d)?
                    || (matches!(left, Until(..))
                        && self.eventual(g)
                        && self.implies_to(*b, g, d)?)
            }
            Release(a, b) | Strong(a, b) => {
                self.implies_to(*b, g, d)?
                    || (matches!(left, Strong(..))
                        && self.eventual(g)
                        && self.implies_to(*a, g, d)?)
            }
            _ => false,
        };
        if by_left {
            return Ok(true);
        }

        // I8.
        Ok(match &right {
            Or(parts) => {
                let mut some = false;
                for &part in parts.iter() {
                    some = some || self.implies_to(f, part, d)?;
                }
                some
            }
            Finally(b) => self.implies_to(f, *b, d)?,
            Until(a, b) | Weak(a, b) => {
                self.implies_to(f, *b, d)?
                    || (matches!(right, Weak(..))
                        && self.universal(f)
                        && self.implies_to(f, *a, d)?)
            }
            Release(a, b) | Strong(a, b) => {
                self.implies_to(f, *b, d)?
                    && (self.implies_to(f, *a, d)?
                        || (matches!(right, Release(..)) && self.universal(f)))
            }
            _ => false,
        })
    }

    fn all(
        &mut self,
        pairs: impl Iterator<Item = (Id, Id)>,
        depth: u32,
    ) -> Result<bool, TranslateError> {
        for (f, g) in pairs {
            if !self.implies_to(f, g, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
