//! Constructors that simplify: equivalences that make formulas smaller, or their automata.
//!
//! After Somenzi and Bloem (CAV 2000) and Etessami and Holzmann (CONCUR 2000); `e` is a pure eventuality, `u` is
//! purely universal, `q` is both, and `⇒` is an implication seen from the form.
//!
//! The rules of an operator stand above its constructor, with `L` for LTL before the operator's letter: LF1 is the
//! first one of F. LN1 to LN8 are those of conjunctions and disjunctions, of which there are `n` operands.
//!
//! Every rule is an equivalence of LTL; the order of rules matters for size only. A constructor
//! may use others on its way. How many are under way inside each other is bounded: beyond it,
//! nodes are made as they are.

use super::TranslateError;
use super::nnf::{Ctx, Id, Node};

/// How many constructors may be under way inside each other.
const DEPTH: u32 = 60;
/// How often the operands of one conjunction are merged again.
const ROUNDS: usize = 8;
/// Conjunctions with more operands are not compared pairwise.
const PAIRWISE: usize = 48;

type Made = Result<Id, TranslateError>;

impl Ctx {
    fn simplifies(&self) -> bool {
        self.rewrite && self.depth < DEPTH
    }

    /// Runs a constructor one level deeper.
    fn deeper(&mut self, make: impl FnOnce(&mut Ctx) -> Made) -> Made {
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        made
    }

    pub(super) fn and(&mut self, operands: &[Id]) -> Made {
        self.many(true, operands)
    }

    pub(super) fn or(&mut self, operands: &[Id]) -> Made {
        self.many(false, operands)
    }

    /// Splits operands by a test, each part in order.
    fn split(&self, operands: &[Id], test: impl Fn(&Ctx, Id) -> bool) -> (Vec<Id>, Vec<Id>) {
        operands.iter().partition(|&&f| test(self, f))
    }

    /// The conjunction (or disjunction) of the operands.
    ///
    /// - LN1: X a & X b = X (a & b); X a | X b = X (a | b).
    /// - LN2: G a & G b = G (a & b); F a | F b = F (a | b); unless suspendable.
    /// - LN3: FG a & FG b = FG (a & b); GF a | GF b = GF (a | b).
    /// - LN4: (a U b) & (c U b) = (a & c) U b, and one of them may be W; (a R b) & (a R c) =
    ///   a R (b & c), and one of them may be M; dually for |.
    /// - LN5: a & b = a if a ⇒ b; a | b = b if a ⇒ b.
    /// - LN6: a & b = false if a ⇒ !b; a | b = true if !a ⇒ b.
    /// - LN7: p & (p' | a) = p & a if p and p' exclude each other; dually.
    /// - LN8: G a | F (!a & e) = a W (!a & e); F a & G (!a | u) = a M (!a | u).
    pub(super) fn many(&mut self, and: bool, operands: &[Id]) -> Made {
        let mut operands = self.flatten(and, operands)?;
        if !self.simplifies() {
            return Ok(self.join(and, operands));
        }
        self.deeper(|ctx| {
            for _ in 0..ROUNDS {
                let merged = ctx.until_first(and, &operands)?;
                let merged = ctx.merge_operands(and, &merged)?;
                let merged = ctx.flatten(and, &merged)?;
                let merged = ctx.absorb(and, merged)?;
                let merged = ctx.flatten(and, &merged)?;
                if merged == operands {
                    break;
                }
                operands = merged;
            }
            Ok(ctx.join(and, operands))
        })
    }

    /// LN1 to LN4.
    fn merge_operands(&mut self, and: bool, operands: &[Id]) -> Result<Vec<Id>, TranslateError> {
        // Operands of one kind, as (kind, fixed operand, varying operands, strong or weak).
        #[derive(PartialEq, Clone, Copy)]
        enum Kind {
            Next,
            Plain,
            Nested,
            UntilBy,
            ReleaseBy,
        }
        struct Group {
            kind: Kind,
            fixed: Option<Id>,
            varying: Vec<Id>,
            strong: bool,
            members: Vec<Id>,
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut out: Vec<Id> = Vec::new();
        for &f in operands {
            let found = match (and, self.node(f)) {
                (_, &Node::Next(a)) => Some((Kind::Next, None, a, false)),
                (true, &Node::Globally(a)) if !self.suspendable(f) => {
                    Some((Kind::Plain, None, a, false))
                }
                (false, &Node::Finally(a)) if !self.suspendable(f) => {
                    Some((Kind::Plain, None, a, false))
                }
                (true, &Node::Finally(a)) => match self.node(a) {
                    &Node::Globally(b) => Some((Kind::Nested, None, b, false)),
                    _ => None,
                },
                (false, &Node::Globally(a)) => match self.node(a) {
                    &Node::Finally(b) => Some((Kind::Nested, None, b, false)),
                    _ => None,
                },
                (true, &Node::Until(a, b)) => Some((Kind::UntilBy, Some(b), a, true)),
                (true, &Node::Weak(a, b)) => Some((Kind::UntilBy, Some(b), a, false)),
                (true, &Node::Release(a, b)) => Some((Kind::ReleaseBy, Some(a), b, false)),
                (true, &Node::Strong(a, b)) => Some((Kind::ReleaseBy, Some(a), b, true)),
                // Dually: a U b | a U c = a U (b | c), where one W makes it W; and
                // a R b | c R b = (a | c) R b, where one R makes it R.
                (false, &Node::Until(a, b)) => Some((Kind::UntilBy, Some(a), b, true)),
                (false, &Node::Weak(a, b)) => Some((Kind::UntilBy, Some(a), b, false)),
                (false, &Node::Release(a, b)) => Some((Kind::ReleaseBy, Some(b), a, false)),
                (false, &Node::Strong(a, b)) => Some((Kind::ReleaseBy, Some(b), a, true)),
                _ => None,
            };
            let Some((kind, fixed, varying, strong)) = found else {
                out.push(f);
                continue;
            };
            match groups.iter_mut().find(|group| group.kind == kind && group.fixed == fixed) {
                Some(group) => {
                    group.varying.push(varying);
                    // In a conjunction one strong member promises for all; in a disjunction one
                    // weak member excuses all.
                    group.strong =
                        if and { group.strong || strong } else { group.strong && strong };
                    group.members.push(f);
                }
                None => groups.push(Group {
                    kind,
                    fixed,
                    varying: vec![varying],
                    strong,
                    members: vec![f],
                }),
            }
        }
        for group in groups {
            if group.members.len() == 1 {
                out.push(group.members[0]);
                continue;
            }
            let together = self.many(and, &group.varying)?;
            out.push(match (group.kind, group.fixed) {
                (Kind::Next, _) => self.next(together)?,
                (Kind::Plain, _) if and => self.globally(together)?,
                (Kind::Plain, _) => self.finally(together)?,
                (Kind::Nested, _) if and => {
                    let always = self.globally(together)?;
                    self.finally(always)?
                }
                (Kind::Nested, _) => {
                    let sometimes = self.finally(together)?;
                    self.globally(sometimes)?
                }
                (Kind::UntilBy, Some(fixed)) => {
                    let (a, b) = if and { (together, fixed) } else { (fixed, together) };
                    if group.strong { self.until(a, b)? } else { self.weak(a, b)? }
                }
                (Kind::ReleaseBy, Some(fixed)) => {
                    let (a, b) = if and { (fixed, together) } else { (together, fixed) };
                    if group.strong { self.strong(a, b)? } else { self.release(a, b)? }
                }
                (Kind::UntilBy | Kind::ReleaseBy, None) => {
                    unreachable!("groups of binary operators have a fixed operand")
                }
            });
        }
        Ok(out)
    }

    /// LN8.
    fn until_first(&mut self, and: bool, operands: &[Id]) -> Result<Vec<Id>, TranslateError> {
        let mut out = operands.to_vec();
        for i in 0..out.len() {
            let a = match (and, self.node(out[i])) {
                (false, &Node::Globally(a)) | (true, &Node::Finally(a)) => a,
                _ => continue,
            };
            let not_a = self.negation(a)?;
            let other = out.iter().position(|&other| {
                let inner = match (and, self.node(other)) {
                    (false, &Node::Finally(inner)) | (true, &Node::Globally(inner)) => inner,
                    _ => return false,
                };
                let fits =
                    |&part: &Id| if and { self.universal(part) } else { self.eventual(part) };
                self.without(!and, inner, not_a).is_some_and(|rest| rest.iter().all(fits))
            });
            if let Some(j) = other {
                let inner = match *self.node(out[j]) {
                    Node::Finally(inner) | Node::Globally(inner) => inner,
                    _ => unreachable!("the operand was found as one of these"),
                };
                let first = if and { self.strong(a, inner)? } else { self.weak(a, inner)? };
                out[i] = first;
                out.remove(j);
                break;
            }
        }
        Ok(out)
    }

    /// LN5 to LN7.
    fn absorb(&mut self, and: bool, mut operands: Vec<Id>) -> Result<Vec<Id>, TranslateError> {
        if operands.len() < 2 || operands.len() > PAIRWISE {
            return Ok(operands);
        }
        let mut i = 0;
        while i < operands.len() {
            let mut j = 0;
            let mut drop = false;
            while j < operands.len() {
                let (f, g) = (operands[i], operands[j]);
                if i != j {
                    // In a conjunction f goes if g ⇒ f. Of two equivalent ones the first stays.
                    let (weak, strong) = if and { (f, g) } else { (g, f) };
                    if self.implies(strong, weak)? && !(i < j && self.implies(weak, strong)?) {
                        drop = true;
                        break;
                    }
                    if i < j {
                        let clash = if and { self.excludes(f, g)? } else { self.covers(f, g)? };
                        if clash {
                            return Ok(vec![if and { Ctx::FALSE } else { Ctx::TRUE }]);
                        }
                    }
                }
                j += 1;
            }
            if drop {
                operands.remove(i);
            } else {
                i += 1;
            }
        }
        let Some(condition) = operands.iter().find_map(|&f| self.as_bool(f)) else {
            return Ok(operands);
        };
        for operand in &mut operands {
            let parts = match (and, self.node(*operand)) {
                (true, Node::Or(parts)) | (false, Node::And(parts)) => parts.clone(),
                _ => continue,
            };
            let Some(inner) = parts.iter().find_map(|&part| self.as_bool(part)) else { continue };
            let useless = if and {
                self.bdd.disjoint(condition, inner)?
            } else {
                self.bdd.disjoint(condition.not(), inner.not())?
            };
            if useless {
                let (_, rest) = self.split(&parts, |ctx, part| ctx.as_bool(part).is_some());
                *operand = self.many(!and, &rest)?;
            }
        }
        Ok(operands)
    }

    /// Of a conjunction's operands, those that do not follow from another one.
    pub(super) fn without_implied(&mut self, operands: &[Id]) -> Result<Vec<Id>, TranslateError> {
        let mut kept = operands.to_vec();
        if operands.len() < 2 || operands.len() > PAIRWISE {
            return Ok(kept);
        }
        let mut i = 0;
        while i < kept.len() {
            let mut follows = false;
            for j in (0..kept.len()).filter(|&j| j != i) {
                let (f, g) = (kept[i], kept[j]);
                follows = follows || (self.implies(g, f)? && !(i < j && self.implies(f, g)?));
            }
            if follows {
                kept.remove(i);
            } else {
                i += 1;
            }
        }
        Ok(kept)
    }

    /// - LX1: X q = q.
    /// - LX2: X (a & q) = X a & q; X (a | q) = X a | q.
    pub(super) fn next(&mut self, f: Id) -> Made {
        if f == Ctx::TRUE || f == Ctx::FALSE {
            return Ok(f);
        }
        if self.simplifies() {
            if self.suspendable(f) {
                return Ok(f);
            }
            if let Node::And(parts) | Node::Or(parts) = self.node(f) {
                let parts = parts.clone();
                let and = matches!(self.node(f), Node::And(_));
                let (mut fixed, rest) = self.split(&parts, Ctx::suspendable);
                if !fixed.is_empty() {
                    return self.deeper(|ctx| {
                        let rest = ctx.many(and, &rest)?;
                        fixed.push(ctx.next(rest)?);
                        ctx.many(and, &fixed)
                    });
                }
            }
        }
        Ok(self.add(Node::Next(f)))
    }

    /// - LF1: F e = e.
    /// - LF2: F X a = X F a.
    /// - LF3: F (a U b) = F b.
    /// - LF4: F (a M b) = F (a & b).
    /// - LF5: F (a W b) = F b | FG a; F (a R b) = F (a & b) | FG b.
    /// - LF6: F (a | e) = F a | e; F (a | u) = F a | F u.
    /// - LF7: F (a & q) = F a & q.
    /// - LF8: FG (a & X b) = FG (a & b).
    /// - LF9: FG (a | e) = FG a | G e.
    /// - LF10: FG (a | u) = FG a | FG u.
    /// - LF11: FG ((p | X !p) & a) = (FG p | FG !p) & FG a.
    pub(super) fn finally(&mut self, f: Id) -> Made {
        if f == Ctx::TRUE || f == Ctx::FALSE {
            return Ok(f);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Finally(f)));
        }
        if self.eventual(f) {
            return Ok(f);
        }
        self.deeper(|ctx| match ctx.node(f).clone() {
            Node::Next(_) => {
                let (count, a) = ctx.strip_next(f);
                let inner = ctx.finally(a)?;
                ctx.add_next(count, inner)
            }
            Node::Until(_, b) => ctx.finally(b),
            Node::Strong(a, b) => {
                let both = ctx.and(&[a, b])?;
                ctx.finally(both)
            }
            Node::Weak(a, b) => {
                let (now, always) = (ctx.finally(b)?, ctx.globally(a)?);
                let always = ctx.finally(always)?;
                ctx.or(&[now, always])
            }
            Node::Release(a, b) => {
                let both = ctx.and(&[a, b])?;
                let (now, always) = (ctx.finally(both)?, ctx.globally(b)?);
                let always = ctx.finally(always)?;
                ctx.or(&[now, always])
            }
            Node::Or(parts) => {
                let special = |ctx: &Ctx, part| ctx.eventual(part) || ctx.universal(part);
                let (special, rest) = ctx.split(&parts, special);
                if special.is_empty() {
                    return Ok(ctx.add(Node::Finally(f)));
                }
                let mut out = Vec::new();
                for part in special {
                    out.push(ctx.finally(part)?);
                }
                let rest = ctx.or(&rest)?;
                out.push(ctx.finally(rest)?);
                ctx.or(&out)
            }
            Node::And(parts) => {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::suspendable);
                if fixed.is_empty() {
                    return Ok(ctx.add(Node::Finally(f)));
                }
                let rest = ctx.and(&rest)?;
                fixed.push(ctx.finally(rest)?);
                ctx.and(&fixed)
            }
            Node::Globally(body) => ctx.nested(false, f, body),
            _ => Ok(ctx.add(Node::Finally(f))),
        })
    }

    /// - LG1: G u = u.
    /// - LG2: G X a = X G a.
    /// - LG3: G (a R b) = G b.
    /// - LG4: G (a W b) = G (a | b).
    /// - LG5: G (a M b) = G b & GF a; G (a U b) = G (a | b) & GF b.
    /// - LG6: G (a & u) = G a & u; G (a & e) = G a & G e.
    /// - LG7: G (a | q) = G a | q.
    /// - LG8: GF (a | X b) = GF (a | b).
    /// - LG9: GF (a & u) = GF a & F u.
    /// - LG10: GF (a & e) = GF a & GF e.
    /// - LG11: GF ((p & X !p) | a) = (GF p & GF !p) | GF a.
    pub(super) fn globally(&mut self, f: Id) -> Made {
        if f == Ctx::TRUE || f == Ctx::FALSE {
            return Ok(f);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Globally(f)));
        }
        if self.universal(f) {
            return Ok(f);
        }
        self.deeper(|ctx| match ctx.node(f).clone() {
            Node::Next(_) => {
                let (count, a) = ctx.strip_next(f);
                let inner = ctx.globally(a)?;
                ctx.add_next(count, inner)
            }
            Node::Release(_, b) => ctx.globally(b),
            Node::Weak(a, b) => {
                let either = ctx.or(&[a, b])?;
                ctx.globally(either)
            }
            Node::Strong(a, b) => {
                let (always, often) = (ctx.globally(b)?, ctx.finally(a)?);
                let often = ctx.globally(often)?;
                ctx.and(&[always, often])
            }
            Node::Until(a, b) => {
                let either = ctx.or(&[a, b])?;
                let (always, often) = (ctx.globally(either)?, ctx.finally(b)?);
                let often = ctx.globally(often)?;
                ctx.and(&[always, often])
            }
            Node::And(parts) => {
                let special = |ctx: &Ctx, part| ctx.eventual(part) || ctx.universal(part);
                let (special, rest) = ctx.split(&parts, special);
                if special.is_empty() {
                    return Ok(ctx.add(Node::Globally(f)));
                }
                let mut out = Vec::new();
                for part in special {
                    out.push(ctx.globally(part)?);
                }
                let rest = ctx.and(&rest)?;
                out.push(ctx.globally(rest)?);
                ctx.and(&out)
            }
            Node::Or(parts) => {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::suspendable);
                if fixed.is_empty() {
                    return Ok(ctx.add(Node::Globally(f)));
                }
                let rest = ctx.or(&rest)?;
                fixed.push(ctx.globally(rest)?);
                ctx.or(&fixed)
            }
            Node::Finally(body) => ctx.nested(true, f, body),
            _ => Ok(ctx.add(Node::Globally(f))),
        })
    }

    /// GF `body` (or FG `body`), where `f` is F `body` (or G `body`): LF8–LF11, LG8–LG11.
    fn nested(&mut self, often: bool, f: Id, body: Id) -> Made {
        let outer = if often { Node::Globally(f) } else { Node::Finally(f) };
        let remake = |ctx: &mut Ctx, body: Id| {
            let inner = if often { ctx.finally(body)? } else { ctx.globally(body)? };
            if often { ctx.globally(inner) } else { ctx.finally(inner) }
        };
        let change = self.change(often, body);
        if let Some(p) = change {
            let not_p = self.negation(p)?;
            let (p, not_p) = (remake(self, p)?, remake(self, not_p)?);
            return self.many(often, &[p, not_p]);
        }
        match (often, self.node(body).clone()) {
            (true, Node::Or(parts)) | (false, Node::And(parts)) => {
                let changes = |ctx: &Ctx, part| ctx.change(often, part).is_some();
                let (changes, rest) = self.split(&parts, changes);
                if !changes.is_empty() {
                    let mut out = Vec::new();
                    for part in changes {
                        out.push(remake(self, part)?);
                    }
                    let rest = self.many(!often, &rest)?;
                    out.push(remake(self, rest)?);
                    return self.many(!often, &out);
                }
                let stripped: Vec<Id> = parts.iter().map(|&part| self.strip_next(part).1).collect();
                if stripped[..] == parts[..] {
                    return Ok(self.add(outer));
                }
                let body = self.many(!often, &stripped)?;
                remake(self, body)
            }
            (true, Node::And(parts)) | (false, Node::Or(parts)) => {
                let special = |ctx: &Ctx, part| ctx.eventual(part) || ctx.universal(part);
                let (special, rest) = self.split(&parts, special);
                if special.is_empty() {
                    return Ok(self.add(outer));
                }
                // GF (a & u) = GF a & F u, and F u is GF u; the eventual ones alike.
                let mut out = Vec::new();
                for part in special {
                    out.push(remake(self, part)?);
                }
                let rest = self.many(often, &rest)?;
                out.push(remake(self, rest)?);
                self.many(often, &out)
            }
            _ => Ok(self.add(outer)),
        }
    }

    /// The `p` of p & X !p (or of p | X !p), where it is a condition on one letter.
    fn change(&self, and: bool, f: Id) -> Option<Id> {
        let (Node::And(parts) | Node::Or(parts)) = self.node(f) else { return None };
        let &[a, b] = &parts[..] else { return None };
        let matching = matches!(self.node(f), Node::And(_)) == and;
        let complement = |p: Id, next: Id| match *self.node(next) {
            Node::Next(q) => self.as_bool(q) == self.as_bool(p).map(bdd::Bdd::not),
            _ => false,
        };
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(_), None) if matching && complement(a, b) => Some(a),
            (None, Some(_)) if matching && complement(b, a) => Some(b),
            _ => None,
        }
    }

    /// How many X stand before the formula, and what follows them.
    fn strip_next(&self, mut f: Id) -> (usize, Id) {
        let mut count = 0;
        while let Node::Next(a) = *self.node(f) {
            (count, f) = (count + 1, a);
        }
        (count, f)
    }

    fn add_next(&mut self, count: usize, mut f: Id) -> Made {
        for _ in 0..count {
            self.limits.poll()?;
            f = self.next(f)?;
        }
        Ok(f)
    }

    /// Strips as many X as both have in front.
    fn strip_common_next(&self, a: Id, b: Id) -> (usize, Id, Id) {
        let (mut a, mut b, mut count) = (a, b, 0);
        while let (&Node::Next(c), &Node::Next(d)) = (self.node(a), self.node(b)) {
            (a, b, count) = (c, d, count + 1);
        }
        (count, a, b)
    }

    /// The operands of a conjunction (or disjunction) without `f`, if it is one of them.
    fn without(&self, and: bool, whole: Id, f: Id) -> Option<Vec<Id>> {
        match (and, self.node(whole)) {
            (true, Node::And(parts)) | (false, Node::Or(parts)) if parts.contains(&f) => {
                Some(parts.iter().copied().filter(|&part| part != f).collect())
            }
            _ => None,
        }
    }

    /// - LU1: true U b = F b; false U b = b.
    /// - LU2: a U e = e.
    /// - LU3: a U b = b if a ⇒ b.
    /// - LU4: a U b = F b if !a ⇒ b.
    /// - LU5: X a U X b = X (a U b).
    /// - LU6: a U (b U c) = b U c if a ⇒ b.
    /// - LU7: a U (a & b) = b M a; a U (a | b) = a | b by LU3.
    /// - LU8: a U (b | e) = (a U b) | e.
    /// - LU9: a U (b & q) = (a U b) & q.
    /// - LU10: u U b = b | (u & F b).
    /// - LU11: (a U b) U c = (a U b) | c if b ⇒ c; = b U c if a ⇒ c.
    pub(super) fn until(&mut self, a: Id, b: Id) -> Made {
        if b == Ctx::TRUE || b == Ctx::FALSE || a == Ctx::FALSE || a == b {
            return Ok(b);
        }
        if a == Ctx::TRUE {
            return self.finally(b);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Until(a, b)));
        }
        if self.eventual(b) || self.implies(a, b)? {
            return Ok(b);
        }
        self.deeper(|ctx| {
            if ctx.covers(a, b)? {
                return ctx.finally(b);
            }
            let (count, c, d) = ctx.strip_common_next(a, b);
            if count > 0 {
                let inner = ctx.until(c, d)?;
                return ctx.add_next(count, inner);
            }
            if let Node::Until(c, _) = *ctx.node(b)
                && ctx.implies(a, c)?
            {
                return Ok(b);
            }
            if let Some(rest) = ctx.without(true, b, a) {
                let rest = ctx.and(&rest)?;
                return ctx.strong(rest, a);
            }
            if let Node::Or(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::eventual);
                if !fixed.is_empty() {
                    let rest = ctx.or(&rest)?;
                    fixed.push(ctx.until(a, rest)?);
                    return ctx.or(&fixed);
                }
            }
            if let Node::And(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::suspendable);
                if !fixed.is_empty() {
                    let rest = ctx.and(&rest)?;
                    fixed.push(ctx.until(a, rest)?);
                    return ctx.and(&fixed);
                }
            }
            if ctx.universal(a) {
                let later = ctx.finally(b)?;
                let both = ctx.and(&[a, later])?;
                return ctx.or(&[b, both]);
            }
            if let Node::Until(c, d) | Node::Weak(c, d) = *ctx.node(a) {
                if matches!(ctx.node(a), Node::Until(..)) && ctx.implies(d, b)? {
                    return ctx.or(&[a, b]);
                }
                if ctx.implies(c, b)? {
                    return ctx.until(d, b);
                }
            }
            Ok(ctx.add(Node::Until(a, b)))
        })
    }

    /// - LR1: false R b = G b; true R b = b.
    /// - LR2: a R u = u.
    /// - LR3: a R b = b if b ⇒ a.
    /// - LR4: a R b = G b if b ⇒ !a.
    /// - LR5: X a R X b = X (a R b).
    /// - LR6: a R (b R c) = b R c if b ⇒ a.
    /// - LR7: a R (a | b) = b W a.
    /// - LR8: a R (b & u) = (a R b) & u.
    /// - LR9: a R (b | q) = (a R b) | q.
    /// - LR10: e R b = b & (e | G b).
    /// - LR11: (a R b) R c = (a R b) & c if c ⇒ b; = b R c if c ⇒ a.
    pub(super) fn release(&mut self, a: Id, b: Id) -> Made {
        if b == Ctx::TRUE || b == Ctx::FALSE || a == Ctx::TRUE || a == b {
            return Ok(b);
        }
        if a == Ctx::FALSE {
            return self.globally(b);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Release(a, b)));
        }
        if self.universal(b) || self.implies(b, a)? {
            return Ok(b);
        }
        self.deeper(|ctx| {
            if ctx.excludes(b, a)? {
                return ctx.globally(b);
            }
            let (count, c, d) = ctx.strip_common_next(a, b);
            if count > 0 {
                let inner = ctx.release(c, d)?;
                return ctx.add_next(count, inner);
            }
            if let Node::Release(c, _) = *ctx.node(b)
                && ctx.implies(c, a)?
            {
                return Ok(b);
            }
            if let Some(rest) = ctx.without(false, b, a) {
                let rest = ctx.or(&rest)?;
                return ctx.weak(rest, a);
            }
            if let Node::And(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::universal);
                if !fixed.is_empty() {
                    let rest = ctx.and(&rest)?;
                    fixed.push(ctx.release(a, rest)?);
                    return ctx.and(&fixed);
                }
            }
            if let Node::Or(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::suspendable);
                if !fixed.is_empty() {
                    let rest = ctx.or(&rest)?;
                    fixed.push(ctx.release(a, rest)?);
                    return ctx.or(&fixed);
                }
            }
            if ctx.eventual(a) {
                let always = ctx.globally(b)?;
                let either = ctx.or(&[a, always])?;
                return ctx.and(&[b, either]);
            }
            if let Node::Release(c, d) | Node::Strong(c, d) = *ctx.node(a) {
                if matches!(ctx.node(a), Node::Release(..)) && ctx.implies(b, d)? {
                    return ctx.and(&[a, b]);
                }
                if ctx.implies(b, c)? {
                    return ctx.release(d, b);
                }
            }
            Ok(ctx.add(Node::Release(a, b)))
        })
    }

    /// - LW1: a W false = G a; false W b = b; true W b = true.
    /// - LW2: u W b = u | b.
    /// - LW3: a W b = b if a ⇒ b.
    /// - LW4: a W b = true if !a ⇒ b.
    /// - LW5: X a W X b = X (a W b).
    /// - LW6: a W (b W c) = b W c if a ⇒ b.
    /// - LW7: a W (a & b) = b R a.
    /// - LW8: a W (b | e) = (a W b) | e.
    /// - LW9: a W e = G a | e.
    /// - LW10: (a W b) W c = (a W b) | c if b ⇒ c; = b W c if a ⇒ c.
    pub(super) fn weak(&mut self, a: Id, b: Id) -> Made {
        if b == Ctx::TRUE || a == Ctx::FALSE || a == b {
            return Ok(b);
        }
        if a == Ctx::TRUE {
            return Ok(a);
        }
        if b == Ctx::FALSE {
            return self.globally(a);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Weak(a, b)));
        }
        if self.implies(a, b)? {
            return Ok(b);
        }
        if self.covers(a, b)? {
            return Ok(Ctx::TRUE);
        }
        self.deeper(|ctx| {
            if ctx.universal(a) {
                return ctx.or(&[a, b]);
            }
            if ctx.eventual(b) {
                let always = ctx.globally(a)?;
                return ctx.or(&[always, b]);
            }
            let (count, c, d) = ctx.strip_common_next(a, b);
            if count > 0 {
                let inner = ctx.weak(c, d)?;
                return ctx.add_next(count, inner);
            }
            if let Node::Weak(c, _) = *ctx.node(b)
                && ctx.implies(a, c)?
            {
                return Ok(b);
            }
            if let Some(rest) = ctx.without(true, b, a) {
                let rest = ctx.and(&rest)?;
                return ctx.release(rest, a);
            }
            if let Node::Or(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::eventual);
                if !fixed.is_empty() {
                    let rest = ctx.or(&rest)?;
                    fixed.push(ctx.weak(a, rest)?);
                    return ctx.or(&fixed);
                }
            }
            if let Node::Weak(c, d) = *ctx.node(a) {
                if ctx.implies(d, b)? {
                    return ctx.or(&[a, b]);
                }
                if ctx.implies(c, b)? {
                    return ctx.weak(d, b);
                }
            }
            Ok(ctx.add(Node::Weak(a, b)))
        })
    }

    /// - LM1: a M true = F a; true M b = b; false M b = false.
    /// - LM2: e M b = e & b.
    /// - LM3: a M b = b if b ⇒ a.
    /// - LM4: a M b = false if b ⇒ !a.
    /// - LM5: X a M X b = X (a M b).
    /// - LM6: a M (b M c) = b M c if b ⇒ a.
    /// - LM7: a M (a | b) = b U a.
    /// - LM8: a M (b & u) = (a M b) & u.
    /// - LM9: a M u = F a & u.
    /// - LM10: (a M b) M c = (a M b) & c if c ⇒ b; = b M c if c ⇒ a.
    pub(super) fn strong(&mut self, a: Id, b: Id) -> Made {
        if b == Ctx::FALSE || a == Ctx::TRUE || a == b {
            return Ok(b);
        }
        if a == Ctx::FALSE {
            return Ok(a);
        }
        if b == Ctx::TRUE {
            return self.finally(a);
        }
        if !self.simplifies() {
            return Ok(self.add(Node::Strong(a, b)));
        }
        if self.implies(b, a)? {
            return Ok(b);
        }
        if self.excludes(b, a)? {
            return Ok(Ctx::FALSE);
        }
        self.deeper(|ctx| {
            if ctx.eventual(a) {
                return ctx.and(&[a, b]);
            }
            if ctx.universal(b) {
                let later = ctx.finally(a)?;
                return ctx.and(&[later, b]);
            }
            let (count, c, d) = ctx.strip_common_next(a, b);
            if count > 0 {
                let inner = ctx.strong(c, d)?;
                return ctx.add_next(count, inner);
            }
            if let Node::Strong(c, _) = *ctx.node(b)
                && ctx.implies(c, a)?
            {
                return Ok(b);
            }
            if let Some(rest) = ctx.without(false, b, a) {
                let rest = ctx.or(&rest)?;
                return ctx.until(rest, a);
            }
            if let Node::And(parts) = ctx.node(b).clone() {
                let (mut fixed, rest) = ctx.split(&parts, Ctx::universal);
                if !fixed.is_empty() {
                    let rest = ctx.and(&rest)?;
                    fixed.push(ctx.strong(a, rest)?);
                    return ctx.and(&fixed);
                }
            }
            if let Node::Strong(c, d) = *ctx.node(a) {
                if ctx.implies(b, d)? {
                    return ctx.and(&[a, b]);
                }
                if ctx.implies(b, c)? {
                    return ctx.strong(d, b);
                }
            }
            Ok(ctx.add(Node::Strong(a, b)))
        })
    }
}
