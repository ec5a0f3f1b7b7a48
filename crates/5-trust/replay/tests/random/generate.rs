//! Random programs, small enough to know everything about them.

use ir::{
    Assign, BinaryOp, Expr, ExprId, Exprs, Init, NodeId, ProcId, Program, ProgramBuilder, Rel,
    Scalar, Time, Type, VarId,
};

/// A plain generator: the same seed gives the same numbers everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// What an expression may read.
struct Scope {
    /// Booleans, integers and boolean arrays, with their times.
    reads: Vec<(Time, VarId, Type)>,
    choices: u32,
    max_choices: u32,
}

/// A program with a few procedures that call each other, of about five bits in scope.
pub(crate) fn program(rng: &mut Rng) -> Program {
    let mut b = ProgramBuilder::new();
    b.file("random");
    let o = b.origin(0, 1, 1, "");
    b.global("g", Type::BOOL, o);
    match rng.below(3) {
        0 => b.global("h", Type::BOOL, o),
        1 => b.global("i", Type::int(2), o),
        _ => b.global("a", Type::array(Scalar::Bool, 1, 2), o),
    };
    let count = 1 + rng.below(3);
    let procs: Vec<ProcId> = (0..count).map(|i| b.proc(&format!("p{i}"), o)).collect();
    for &p in &procs {
        match rng.below(4) {
            0 => {}
            1 => {
                b.param(p, "x", Type::BOOL, o);
            }
            2 => {
                b.param(p, "n", Type::int(2), o);
            }
            _ => {
                b.param(p, "x", Type::BOOL, o);
                b.local(p, "y", Type::BOOL, o);
            }
        }
        if rng.chance(40) {
            let ty = if rng.chance(50) { Type::BOOL } else { Type::int(1) };
            b.result(p, "r", ty);
        }
    }
    let globals: Vec<VarId> = (0..2).map(ir::Id::new).collect();
    let tidy = rng.chance(90);
    for &p in &procs {
        b.begin_proc(p);
        let nodes: Vec<(NodeId, bool)> = (0..3 + rng.below(3))
            .map(|i| {
                let at = b.origin(0, 10 + i as u32, 1, "");
                let statement = rng.chance(85);
                (if statement { b.statement(at) } else { b.silent() }, statement)
            })
            .collect();
        let statements: Vec<bool> = nodes.iter().map(|n| n.1).collect();
        let nodes: Vec<NodeId> = nodes.into_iter().map(|n| n.0).collect();
        b.entry(p, nodes[0]);
        let locals = b.proc_info(p).locals.clone();
        let own: Vec<VarId> = globals.iter().chain(&locals).copied().collect();
        for (i, &node) in nodes.iter().enumerate() {
            for _ in 0..1 + rng.below(2) {
                let target = nodes[(i + 1 + rng.below(2)).min(nodes.len() - 1)];
                let target = if rng.chance(15) { nodes[rng.below(nodes.len())] } else { target };
                // Calls are statements, but for a few programs.
                let kind = match (rng.below(10), statements[i]) {
                    (0..=2, false) if tidy => 9,
                    (kind, _) => kind,
                };
                match kind {
                    0..=2 => {
                        let f = procs[rng.below(procs.len())];
                        let params = b.proc_info(f).locals.clone();
                        let results = b.proc_info(f).results.clone();
                        let mut targets: Vec<(Time, VarId)> =
                            params.iter().map(|&v| (Time::Post, v)).collect();
                        if rng.chance(30) {
                            targets.push((Time::Post, globals[rng.below(2)]));
                        }
                        if rng.chance(30) {
                            targets.extend(locals.first().map(|&v| (Time::Saved, v)));
                        }
                        let post: Vec<_> = globals.iter().chain(&params).copied().collect();
                        let mut after = reads(&b, Time::Post, &post);
                        after.extend(reads(&b, Time::Saved, &locals));
                        let enter = relation(rng, &mut b, &own, after, &targets);
                        let before: Vec<VarId> = own.iter().chain(&results).copied().collect();
                        let mut targets: Vec<(Time, VarId)> = Vec::new();
                        if !own.is_empty() && rng.chance(70) {
                            targets.push((Time::Post, own[rng.below(own.len())]));
                        }
                        let after = reads(&b, Time::Post, &own);
                        let back = relation(rng, &mut b, &before, after, &targets);
                        b.call(node, f, enter, target, back);
                    }
                    3 => {
                        let results = b.proc_info(p).results.clone();
                        let mut targets: Vec<(Time, VarId)> =
                            results.iter().map(|&v| (Time::Post, v)).collect();
                        if rng.chance(30) {
                            targets.push((Time::Post, globals[rng.below(2)]));
                        }
                        let post: Vec<_> = globals.iter().chain(&results).copied().collect();
                        let after = reads(&b, Time::Post, &post);
                        let rel = relation(rng, &mut b, &own, after, &targets);
                        b.ret(node, rel, rng.chance(50));
                    }
                    _ => {
                        let mut targets: Vec<(Time, VarId)> = Vec::new();
                        for &v in &own {
                            if rng.chance(40) {
                                targets.push((Time::Post, v));
                            }
                        }
                        let after = reads(&b, Time::Post, &own);
                        let rel = relation(rng, &mut b, &own, after, &targets);
                        b.step(node, target, rel);
                    }
                }
            }
        }
        b.ret(nodes[nodes.len() - 1], Rel::identity(), false);
    }
    let main = procs[0];
    let mut scope = Scope { reads: Vec::new(), choices: 0, max_choices: 1 };
    let own: Vec<VarId> = globals.iter().chain(&b.proc_info(main).locals).copied().collect();
    scope.reads = reads(&b, Time::Pre, &own);
    let condition = if rng.chance(50) { Exprs::TRUE } else { boolean(rng, &mut b, &mut scope, 2) };
    let init = Init { condition, choices: scope.choices };
    let program = b.finish(main, init);
    program.validate().expect("a valid program");
    program
}

fn reads(b: &ProgramBuilder, time: Time, vars: &[VarId]) -> Vec<(Time, VarId, Type)> {
    vars.iter().map(|&v| (time, v, b.var_info(v).ty)).collect()
}

/// A relation that reads `before` and assigns the targets, or makes them arbitrary.
fn relation(
    rng: &mut Rng,
    b: &mut ProgramBuilder,
    before: &[VarId],
    after: Vec<(Time, VarId, Type)>,
    targets: &[(Time, VarId)],
) -> Rel {
    let mut scope = Scope { reads: reads(b, Time::Pre, before), choices: 0, max_choices: 2 };
    let guard = if rng.chance(40) { Exprs::TRUE } else { boolean(rng, b, &mut scope, 2) };
    let mut assigns: Vec<Assign> = Vec::new();
    for &(time, var) in targets {
        let ty = b.var_info(var).ty;
        if ty.array.is_some() {
            // One or two cells, by constant or computed index, or the whole array.
            if rng.chance(20) {
                assigns.push(Assign { time, var, index: None, value: None });
            }
            for _ in 0..1 + rng.below(2) {
                let index = match rng.chance(50) {
                    true => b.exprs.int(1 + rng.below(2) as i64),
                    false => integer(rng, b, &mut scope, 1),
                };
                let value = (rng.chance(80)).then(|| boolean(rng, b, &mut scope, 1));
                assigns.push(Assign { time, var, index: Some(index), value });
            }
            continue;
        }
        let value = (rng.chance(80)).then(|| match ty.scalar {
            Scalar::Bool => boolean(rng, b, &mut scope, 2),
            Scalar::Int { .. } => integer(rng, b, &mut scope, 2),
        });
        assigns.push(Assign { time, var, index: None, value });
    }
    let mut rel = Rel { guard, assigns: assigns.into(), ..Rel::identity() };
    if rng.chance(25) {
        scope.reads.extend(after);
        rel.constraint = boolean(rng, b, &mut scope, 2);
    }
    rel.choices = scope.choices;
    rel
}

fn boolean(rng: &mut Rng, b: &mut ProgramBuilder, scope: &mut Scope, depth: u32) -> ExprId {
    use BinaryOp::*;
    if depth == 0 || rng.chance(30) {
        if scope.choices < scope.max_choices && rng.chance(25) {
            scope.choices += 1;
            return b.exprs.choice(scope.choices - 1);
        }
        let readable: Vec<_> =
            scope.reads.iter().filter(|r| r.2.scalar == Scalar::Bool).copied().collect();
        if readable.is_empty() {
            return b.exprs.bool(rng.chance(50));
        }
        let (time, var, ty) = readable[rng.below(readable.len())];
        if ty.array.is_some() {
            let index = b.exprs.int(rng.below(4) as i64);
            return b.exprs.add(Expr::Index(time, var, index));
        }
        return b.exprs.add(Expr::Read(time, var));
    }
    match rng.below(8) {
        0 => {
            let a = boolean(rng, b, scope, depth - 1);
            b.exprs.not(a)
        }
        1 => {
            let [c, x, y] = [0; 3].map(|_| boolean(rng, b, scope, depth - 1));
            b.exprs.add(Expr::Ite(c, x, y))
        }
        2 | 3 => {
            let (x, y) = (integer(rng, b, scope, depth - 1), integer(rng, b, scope, depth - 1));
            let op = [Eq, Ne, Lt, Le, Gt, Ge][rng.below(6)];
            b.exprs.binary(op, x, y)
        }
        _ => {
            let (x, y) = (boolean(rng, b, scope, depth - 1), boolean(rng, b, scope, depth - 1));
            let op = [And, Or, Xor, Iff, Implies][rng.below(5)];
            b.exprs.binary(op, x, y)
        }
    }
}

fn integer(rng: &mut Rng, b: &mut ProgramBuilder, scope: &mut Scope, depth: u32) -> ExprId {
    use BinaryOp::*;
    if depth == 0 || rng.chance(50) {
        let readable: Vec<_> =
            scope.reads.iter().filter(|r| r.2.scalar != Scalar::Bool).copied().collect();
        if readable.is_empty() || rng.chance(30) {
            return b.exprs.int(rng.below(4) as i64);
        }
        let (time, var, _) = readable[rng.below(readable.len())];
        return b.exprs.add(Expr::Read(time, var));
    }
    if rng.chance(20) {
        let c = boolean(rng, b, scope, depth - 1);
        let x = integer(rng, b, scope, depth - 1);
        return b.exprs.binary(When, c, x);
    }
    let (x, y) = (integer(rng, b, scope, depth - 1), integer(rng, b, scope, depth - 1));
    let op = [Add, Sub, Mul, Div, Shl, Shr, BitAnd, BitOr, BitXor][rng.below(9)];
    b.exprs.binary(op, x, y)
}
