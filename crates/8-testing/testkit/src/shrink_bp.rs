//! Makes a failing boolean program small.
//!
//! Greedy: tries one cut after the other and keeps each after which the program still fails, until
//! none is left. Cuts: a procedure, a statement (or its blocks put in its place), a branch, a
//! label, a variable, a part of a statement, an expression replaced by a constant or by one of its
//! operands. A cut may make the program ill-formed; the predicate must answer false then.

use crate::bp::{Bp, Expr, Kind, Proc, Stmt};

/// The smallest program found for which `fails` still holds. It must hold of `program`.
pub fn shrink_bp(program: &Bp, mut fails: impl FnMut(&Bp) -> bool) -> Bp {
    let mut best = program.clone();
    loop {
        let mut changed = false;
        // Coarse cuts first: they make the fine ones few.
        for level in [Level::Procs, Level::Stmts, Level::Parts, Level::Exprs] {
            let mut number = 0;
            loop {
                let mut candidate = best.clone();
                let mut cutter = Cutter { left: number, level };
                if !cutter.program(&mut candidate) {
                    break;
                }
                if candidate != best && fails(&candidate) {
                    best = candidate;
                    changed = true;
                } else {
                    number += 1;
                }
            }
        }
        if !changed {
            return best;
        }
    }
}

/// How coarse a cut is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Procs,
    Stmts,
    Parts,
    Exprs,
}

/// Counts the possible cuts of one level and makes the one with the given number.
struct Cutter {
    left: usize,
    level: Level,
}

impl Cutter {
    /// Whether the cut that comes now is the one to make.
    fn now(&mut self, level: Level) -> bool {
        if self.level != level {
            return false;
        }
        let now = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        now
    }

    /// Makes the cut; false if there are fewer.
    fn program(&mut self, program: &mut Bp) -> bool {
        for i in 0..program.procs.len() {
            if self.now(Level::Procs) {
                let name = program.procs.remove(i).name;
                for proc in &mut program.procs {
                    drop_calls(&mut proc.body, &name);
                }
                return true;
            }
            if self.now(Level::Procs) {
                program.procs[i].body.clear();
                return true;
            }
        }
        for i in 0..program.globals.len() {
            if self.now(Level::Parts) {
                let name = program.globals.remove(i);
                for proc in &mut program.procs {
                    if !proc.locals.contains(&name) && !proc.params.contains(&name) {
                        drop_variable(proc, &name);
                    }
                }
                return true;
            }
        }
        for i in 0..program.procs.len() {
            if self.signature(program, i) || self.procedure(&mut program.procs[i]) {
                return true;
            }
        }
        false
    }

    /// Cuts a parameter or a result, at the calls too.
    fn signature(&mut self, program: &mut Bp, index: usize) -> bool {
        let name = program.procs[index].name.clone();
        for k in 0..program.procs[index].params.len() {
            if self.now(Level::Parts) {
                let param = program.procs[index].params.remove(k);
                drop_variable(&mut program.procs[index], &param);
                for proc in &mut program.procs {
                    each_stmt(&mut proc.body, &mut |stmt| {
                        if let Kind::Call(_, callee, args) = &mut stmt.kind
                            && *callee == name
                        {
                            args.remove(k);
                        }
                    });
                }
                return true;
            }
        }
        for k in 0..program.procs[index].returns {
            if self.now(Level::Parts) {
                program.procs[index].returns -= 1;
                each_stmt(&mut program.procs[index].body, &mut |stmt| {
                    if let Kind::Return(values) = &mut stmt.kind {
                        values.remove(k);
                    }
                });
                for proc in &mut program.procs {
                    each_stmt(&mut proc.body, &mut |stmt| {
                        if let Kind::Call(targets, callee, _) = &mut stmt.kind
                            && *callee == name
                            && !targets.is_empty()
                        {
                            targets.remove(k);
                        }
                    });
                }
                return true;
            }
        }
        false
    }

    fn procedure(&mut self, proc: &mut Proc) -> bool {
        for i in 0..proc.locals.len() {
            if self.now(Level::Parts) {
                let name = proc.locals.remove(i);
                drop_variable(proc, &name);
                return true;
            }
        }
        for part in [&mut proc.enforce, &mut proc.abortif] {
            if part.is_some() && self.now(Level::Parts) {
                *part = None;
                return true;
            }
            if part.as_mut().is_some_and(|e| self.expr(e)) {
                return true;
            }
        }
        self.block(&mut proc.body)
    }

    fn block(&mut self, block: &mut Vec<Stmt>) -> bool {
        // Halves, then quarters, then single statements.
        let mut size = block.len();
        while size > 1 {
            for start in (0..block.len()).step_by(size) {
                if self.now(Level::Stmts) {
                    block.drain(start..(start + size).min(block.len()));
                    return true;
                }
            }
            size = size.div_ceil(2);
        }
        for i in 0..block.len() {
            if self.now(Level::Stmts) {
                block.remove(i);
                return true;
            }
            if block[i].kind != Kind::Skip && self.now(Level::Stmts) {
                block[i].kind = Kind::Skip;
                return true;
            }
            if block[i].blocks().next().is_some() && self.now(Level::Stmts) {
                let stmt = block.remove(i);
                let inner: Vec<Stmt> = stmt.blocks().flatten().cloned().collect();
                block.splice(i..i, inner);
                return true;
            }
            if self.stmt(&mut block[i]) {
                return true;
            }
        }
        false
    }

    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        for i in 0..stmt.labels.len() {
            if self.now(Level::Parts) {
                stmt.labels.remove(i);
                return true;
            }
        }
        match &mut stmt.kind {
            Kind::Goto(targets) | Kind::Dead(targets) => {
                for i in 0..targets.len() {
                    if targets.len() > 1 && self.now(Level::Parts) {
                        targets.remove(i);
                        return true;
                    }
                }
            }
            Kind::Assign(targets, values, constraint) => {
                for i in 0..targets.len() {
                    if targets.len() > 1 && self.now(Level::Parts) {
                        targets.remove(i);
                        values.remove(i);
                        return true;
                    }
                }
                if constraint.is_some() && self.now(Level::Parts) {
                    *constraint = None;
                    return true;
                }
            }
            Kind::Call(targets, ..) if !targets.is_empty() && self.now(Level::Parts) => {
                targets.clear();
                return true;
            }
            Kind::If(branches, otherwise) => {
                for i in 0..branches.len() {
                    if branches.len() > 1 && self.now(Level::Stmts) {
                        branches.remove(i);
                        return true;
                    }
                }
                if otherwise.is_some() && self.now(Level::Stmts) {
                    *otherwise = None;
                    return true;
                }
            }
            _ => {}
        }
        stmt.blocks_mut().any(|block| self.block(block))
            || stmt.exprs_mut().into_iter().any(|e| self.expr(e))
    }

    fn expr(&mut self, expr: &mut Expr) -> bool {
        let candidates = match expr {
            Expr::Const(_) => Vec::new(),
            Expr::Var(_) | Expr::Next(_) | Expr::Choice => {
                vec![Expr::Const(true), Expr::Const(false)]
            }
            Expr::Not(a) => vec![Expr::Const(true), Expr::Const(false), (**a).clone()],
            Expr::Binary(_, a, b) | Expr::Schoose(a, b) => {
                vec![Expr::Const(true), Expr::Const(false), (**a).clone(), (**b).clone()]
            }
        };
        for candidate in candidates {
            if self.now(Level::Exprs) {
                *expr = candidate;
                return true;
            }
        }
        match expr {
            Expr::Not(a) => self.expr(a),
            Expr::Binary(_, a, b) | Expr::Schoose(a, b) => self.expr(a) || self.expr(b),
            _ => false,
        }
    }
}

fn each_stmt(block: &mut [Stmt], change: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        change(stmt);
        for inner in stmt.blocks_mut() {
            each_stmt(inner, change);
        }
    }
}

fn drop_calls(block: &mut [Stmt], name: &str) {
    each_stmt(block, &mut |stmt| {
        if matches!(&stmt.kind, Kind::Call(_, callee, _) if callee == name) {
            stmt.kind = Kind::Skip;
        }
    });
}

/// Reads of the variable become `F`; writes to it are thrown away.
fn drop_variable(proc: &mut Proc, name: &str) {
    fn constant(expr: &mut Expr, name: &str) {
        match expr {
            Expr::Var(v) | Expr::Next(v) if v == name => *expr = Expr::Const(false),
            Expr::Not(a) => constant(a, name),
            Expr::Binary(_, a, b) | Expr::Schoose(a, b) => {
                constant(a, name);
                constant(b, name);
            }
            _ => {}
        }
    }
    for expr in proc.enforce.iter_mut().chain(&mut proc.abortif) {
        constant(expr, name);
    }
    each_stmt(&mut proc.body, &mut |stmt| {
        for expr in stmt.exprs_mut() {
            constant(expr, name);
        }
        match &mut stmt.kind {
            Kind::Assign(targets, ..) | Kind::Call(targets, ..) => {
                for target in targets {
                    if target == name {
                        *target = "_".to_owned();
                    }
                }
            }
            Kind::Dead(variables) => {
                variables.retain(|v| v != name);
                if variables.is_empty() {
                    stmt.kind = Kind::Skip;
                }
            }
            _ => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::lower;
    use crate::random_bp::{Profile, generate};
    use crate::rng::Rng;
    use crate::walk::{End, walk};
    use front_bp::Dialect;

    /// Shrinks programs that can fail an assertion to (nearly) nothing but that.
    #[test]
    fn shrinks_to_the_point() {
        let mut tried = 0;
        for seed in 0..200 {
            let program = generate(seed, &Profile::Deterministic.knobs());
            let fails = |p: &Bp| {
                lower("f.bp", &p.text(), Dialect::Standard, None).is_ok()
                    && walk(p, &mut Rng::new(1), 300).end == End::Failed
            };
            if !fails(&program) {
                continue;
            }
            tried += 1;
            let small = shrink_bp(&program, fails);
            assert!(fails(&small));
            assert!(small.len() <= 4 && small.globals.is_empty(), "{}", small.text());
        }
        assert!(tried > 20, "only {tried} programs fail");
    }
}
