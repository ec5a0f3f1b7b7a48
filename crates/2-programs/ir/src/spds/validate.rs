//! Internal invariants of a [`Spds`]. A violation is a bug of whoever built it.

use super::{Rule, Spds};
use crate::{Expr, ExprId, Invalid, Time, VarKind};

impl Spds {
    /// Checks every invariant that engines rely on; those that it shares with programs on the
    /// program it stands for.
    pub fn validate(&self) -> Result<(), Invalid> {
        let fail = |message: &str| Err(Invalid { node: None, message: message.to_owned() });
        for (id, frame) in self.frames.enumerate() {
            let owned = |var| self.vars.get(var).is_some_and(|v| v.kind == VarKind::Local(id));
            if !frame.locals.iter().all(|&var| owned(var)) || frame.params > frame.locals.len() {
                return fail("a frame's variables belong to it");
            }
        }
        let global = |&var| self.vars.get(var).is_some_and(|v| v.kind == VarKind::Global);
        if !self.globals.iter().all(global) {
            return fail("a global that is none");
        }
        if self.symbols.iter().any(|s| self.frames.get(s.frame).is_none()) {
            return fail("a symbol has a frame");
        }
        let known = |symbol| self.symbols.get(symbol).is_some();
        if self.start.stack.is_empty() || !self.start.stack.iter().all(|&s| known(s)) {
            return fail("the start puts known symbols on the stack");
        }
        if self.controls.get(self.start.control).is_none() {
            return fail("the start has a known control location");
        }
        for rule in self.rules.iter() {
            if !known(rule.from.symbol)
                || self.controls.get(rule.from.control).is_none()
                || self.controls.get(rule.to).is_none()
                || [rule.right.top(), rule.right.below()].into_iter().flatten().any(|s| !known(s))
            {
                return fail("a rule speaks of known control locations and symbols");
            }
            if self.symbols[rule.from.symbol].error {
                return fail("an error symbol has no rules");
            }
            self.words(rule)?;
        }
        self.to_program().validate()
    }

    /// A rule's relation reads and assigns what its two sides have.
    fn words(&self, rule: &Rule) -> Result<(), Invalid> {
        let mut problem = None;
        let mut check = |time: Time, var, what: &str| {
            if self.vars.get(var).is_none() || !self.in_vocabulary(rule.from, rule.right, time, var)
            {
                let symbol = self.symbol_name(rule.from.symbol);
                problem =
                    Some(format!("rule of `{symbol}`: a variable cannot be {what} at {time:?}"));
            }
        };
        let mut reads = |root: ExprId| {
            self.exprs.postorder(root, |_, expr| {
                if let Expr::Read(time, var) | Expr::Index(time, var, _) = expr {
                    check(time, var, "read");
                }
            });
        };
        rule.rel.pre_exprs().for_each(&mut reads);
        for assign in &rule.rel.assigns {
            check(assign.time, assign.var, "assigned");
        }
        match problem {
            Some(message) => Err(Invalid { node: None, message }),
            None => Ok(()),
        }
    }
}
