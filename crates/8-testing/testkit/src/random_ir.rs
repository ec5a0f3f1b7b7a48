//! Random programs of the model itself, with what no front end writes yet: integers and arrays,
//! relations with a constraint, calls that change the saved frame, results of several types,
//! edges that are no steps, hidden variables, initial conditions, choices that guards and values
//! share.
//!
//! At most ten bits are in scope anywhere, so that the explicit engine answers at once.

use crate::rng::Rng;
use ir::{
    Assign, BinaryOp, Call, Edge, EdgeKind, Expr, ExprId, Exprs, Init, NodeId, ProcId, Program,
    ProgramBuilder, Rel, Scalar, Time, Type, VarId,
};

/// The program with the given seed; it is valid.
pub fn random_program(seed: u64) -> Program {
    Generator { rng: Rng::new(seed), b: ProgramBuilder::new(), procs: Vec::new() }.program()
}

/// A random boolean expression over the variables before a step, without choices: a condition of
/// a target.
pub fn random_condition(exprs: &mut Exprs, scope: &[(VarId, Type)], rng: &mut Rng) -> ExprId {
    let reads: Vec<Read> =
        scope.iter().map(|&(var, ty)| Read { time: Time::Pre, var, ty }).collect();
    Maker { rng, exprs, reads: &reads, choices: None }.boolean(2)
}

/// A variable that a relation may read or set.
#[derive(Clone, Copy)]
struct Read {
    time: Time,
    var: VarId,
    ty: Type,
}

struct ProcInfo {
    id: ProcId,
    locals: Vec<(VarId, Type)>,
    results: Vec<(VarId, Type)>,
}

struct Generator {
    rng: Rng,
    b: ProgramBuilder,
    procs: Vec<ProcInfo>,
}

/// What a relation may read and set.
struct Words {
    pre: Vec<Read>,
    /// What can be set and keeps its value otherwise.
    kept: Vec<Read>,
    /// What can be set and is arbitrary otherwise.
    open: Vec<Read>,
}

fn at(time: Time, vars: &[(VarId, Type)]) -> Vec<Read> {
    vars.iter().map(|&(var, ty)| Read { time, var, ty }).collect()
}

impl Generator {
    fn program(mut self) -> Program {
        self.b.file("random.ir");
        let origin = self.b.no_origin();
        let mut globals = Vec::new();
        for (i, ty) in self.types(5, 3).into_iter().enumerate() {
            let name = format!("g{i}");
            let var = if self.rng.chance(15) {
                self.b.hidden_global(&name, ty)
            } else {
                self.b.global(&name, ty, origin)
            };
            globals.push((var, ty));
        }
        for i in 0..self.rng.between(1, 4) {
            let id = self.b.proc(&format!("f{i}"), origin);
            let mut locals = Vec::new();
            let types = self.types(4, 2);
            let params = if i == 0 { 0 } else { self.rng.between(0, types.len()) };
            for (k, ty) in types.into_iter().enumerate() {
                let name = format!("x{k}");
                let var = if k < params {
                    self.b.param(id, &name, ty, origin)
                } else if self.rng.chance(15) {
                    self.b.hidden_local(id, &name, ty)
                } else {
                    self.b.local(id, &name, ty, origin)
                };
                locals.push((var, ty));
            }
            let mut results = Vec::new();
            if i > 0 || self.rng.chance(20) {
                for (k, ty) in self.types(3, 2).into_iter().enumerate() {
                    results.push((self.b.result(id, &format!("r{k}"), ty), ty));
                }
            }
            self.procs.push(ProcInfo { id, locals, results });
        }
        for i in 0..self.procs.len() {
            self.body(i, &globals);
        }
        let scope: Vec<Read> = at(Time::Pre, &globals)
            .into_iter()
            .chain(at(Time::Pre, &self.procs[0].locals))
            .collect();
        let init = if self.rng.chance(40) {
            let mut choices = 0;
            let condition = self.maker(&scope, Some(&mut choices)).boolean(2);
            Init { condition, choices }
        } else {
            Init::default()
        };
        let entry = self.procs[0].id;
        self.b.finish(entry, init)
    }

    /// Types of up to `count` variables with at most `bits` bits together.
    fn types(&mut self, mut bits: u32, count: usize) -> Vec<Type> {
        let mut out = Vec::new();
        for _ in 0..self.rng.between(0, count) {
            let scalar = match self.rng.below(3) {
                0 => Scalar::Bool,
                1 => Scalar::Int { bits: 1 },
                _ => Scalar::Int { bits: 2 },
            };
            let ty = if self.rng.chance(25) {
                let lo = self.rng.between(0, 2) as i64 - 1;
                Type::array(scalar, lo, self.rng.between(1, 3) as u32)
            } else {
                Type { scalar, array: None }
            };
            let ty = if ty.bits() <= bits { ty } else { Type::BOOL };
            if ty.bits() <= bits {
                bits -= ty.bits();
                out.push(ty);
            }
        }
        out
    }

    fn maker<'a>(&'a mut self, reads: &'a [Read], choices: Option<&'a mut u32>) -> Maker<'a> {
        Maker { rng: &mut self.rng, exprs: &mut self.b.exprs, reads, choices }
    }

    fn body(&mut self, index: usize, globals: &[(VarId, Type)]) {
        let proc = self.procs[index].id;
        self.b.begin_proc(proc);
        let mut nodes: Vec<NodeId> = Vec::new();
        for i in 0..self.rng.between(3, 7) {
            let node = if self.rng.chance(75) {
                let text = format!("f{index}.{i}");
                let origin = self.b.origin(0, (index * 100 + i + 1) as u32, 1, &text);
                let node = self.b.statement(origin);
                self.b.label(&format!("N{i}"), node);
                node
            } else {
                self.b.silent()
            };
            nodes.push(node);
        }
        let error = self.rng.chance(60).then(|| self.b.error_node());
        self.b.entry(proc, nodes[0]);
        let last = nodes.len() - 1;
        for i in 0..last {
            self.edge(index, globals, nodes[i], nodes[i + 1]);
            // A way on where that one blocks, or the far end would hardly ever be reached.
            if self.rng.chance(40) {
                let rel = Rel::identity();
                self.push(nodes[i], EdgeKind::Local { target: nodes[i + 1], rel });
            }
        }
        for _ in 0..self.rng.between(1, nodes.len()) {
            let (from, to) = (self.rng.below(nodes.len()), self.rng.below(nodes.len()));
            self.edge(index, globals, nodes[from], nodes[to]);
        }
        if let Some(error) = error {
            let from = *self.rng.pick(&nodes);
            let rel = self.local_rel(index, globals);
            self.push(from, EdgeKind::Local { target: error, rel });
        }
        for i in 0..self.rng.between(1, 2) {
            let from = if i == 0 { nodes[last] } else { *self.rng.pick(&nodes) };
            let words = Words {
                pre: self.scope(index, globals),
                kept: at(Time::Post, globals),
                open: at(Time::Post, &self.procs[index].results),
            };
            let rel = self.rel(&words);
            self.push(from, EdgeKind::Return { rel });
        }
    }

    fn scope(&self, index: usize, globals: &[(VarId, Type)]) -> Vec<Read> {
        let mut out = at(Time::Pre, globals);
        out.extend(at(Time::Pre, &self.procs[index].locals));
        out
    }

    fn local_rel(&mut self, index: usize, globals: &[(VarId, Type)]) -> Rel {
        let mut kept = at(Time::Post, globals);
        kept.extend(at(Time::Post, &self.procs[index].locals));
        let words = Words { pre: self.scope(index, globals), kept, open: Vec::new() };
        self.rel(&words)
    }

    fn edge(&mut self, index: usize, globals: &[(VarId, Type)], from: NodeId, to: NodeId) {
        // Mostly a procedure further down; recursion that nothing ends would leave little to reach.
        let last = self.procs.len() - 1;
        let callee = match self.rng.below(20) {
            0..7 if index < last => self.rng.between(index + 1, last),
            7 => self.rng.between(index.min(1), last),
            8 if self.rng.coin() => 0,
            _ => {
                let rel = self.local_rel(index, globals);
                self.push(from, EdgeKind::Local { target: to, rel });
                return;
            }
        };
        let (own, other) = (&self.procs[index], &self.procs[callee]);
        let mut kept = at(Time::Post, globals);
        kept.extend(at(Time::Saved, &own.locals));
        let enter =
            Words { pre: self.scope(index, globals), kept, open: at(Time::Post, &other.locals) };
        let mut pre = self.scope(index, globals);
        pre.extend(at(Time::Pre, &other.results));
        let mut kept = at(Time::Post, globals);
        kept.extend(at(Time::Post, &own.locals));
        let back = Words { pre, kept, open: Vec::new() };
        let callee = other.id;
        let (enter, back) = (self.rel(&enter), self.rel(&back));
        self.push(from, EdgeKind::Call(Box::new(Call { callee, enter, ret: to, back })));
    }

    fn push(&mut self, source: NodeId, kind: EdgeKind) {
        let step = self.rng.chance(80);
        let events = if self.rng.chance(10) { self.b.events(&["e"]) } else { self.b.no_events() };
        let marks = if self.rng.chance(10) { 1 } else { 0 };
        self.b.edge(Edge { source, kind, step, events, marks });
    }

    fn rel(&mut self, words: &Words) -> Rel {
        let mut choices = 0;
        let guard = if self.rng.chance(28) {
            self.maker(&words.pre, Some(&mut choices)).boolean(2)
        } else {
            Exprs::TRUE
        };
        let mut assigns: Vec<Assign> = Vec::new();
        for (targets, likely, open) in [(&words.kept, 30, false), (&words.open, 75, true)] {
            for &target in targets {
                if self.rng.chance(likely) {
                    self.assign(words, target, open, &mut choices, &mut assigns);
                }
            }
        }
        let constraint = if self.rng.chance(18) {
            let mut all = words.pre.clone();
            all.extend(&words.kept);
            all.extend(&words.open);
            self.maker(&all, Some(&mut choices)).boolean(2)
        } else {
            Exprs::TRUE
        };
        Rel { guard, assigns: assigns.into(), constraint, choices }
    }

    /// Sets a variable, or one or two of its cells. Indices of `open` targets must be constant.
    fn assign(
        &mut self,
        words: &Words,
        target: Read,
        open: bool,
        choices: &mut u32,
        out: &mut Vec<Assign>,
    ) {
        let Read { time, var, ty } = target;
        let Some(dim) = ty.array else {
            let value = if self.rng.chance(12) {
                None
            } else {
                Some(self.maker(&words.pre, Some(choices)).fitting(ty.scalar))
            };
            out.push(Assign { time, var, index: None, value });
            return;
        };
        if self.rng.chance(15) {
            out.push(Assign { time, var, index: None, value: None });
            return;
        }
        for _ in 0..self.rng.between(1, 2) {
            let mut maker = self.maker(&words.pre, Some(choices));
            let index = if open || maker.rng.coin() {
                let cell = dim.lo + maker.rng.below(dim.len as usize) as i64;
                maker.exprs.int(cell)
            } else {
                maker.integer(1)
            };
            let value = if maker.rng.chance(12) { None } else { Some(maker.fitting(ty.scalar)) };
            out.push(Assign { time, var, index: Some(index), value });
        }
    }
}

/// Makes expressions over some variables.
struct Maker<'a> {
    rng: &'a mut Rng,
    exprs: &'a mut Exprs,
    reads: &'a [Read],
    /// How many choices the relation has so far; `None`: it may have none.
    choices: Option<&'a mut u32>,
}

impl Maker<'_> {
    /// A value that mostly fits the type.
    fn fitting(&mut self, scalar: Scalar) -> ExprId {
        let Scalar::Int { bits } = scalar else { return self.boolean(2) };
        let constant = self.rng.below(1 << bits) as i64;
        match self.rng.below(7) {
            0 | 1 => self.exprs.int(constant),
            2 | 3 => {
                let (value, mask) = (self.integer(2), self.exprs.int((1 << bits) - 1));
                self.exprs.binary(BinaryOp::BitAnd, value, mask)
            }
            4 => {
                let (c, a, b) = (self.boolean(1), self.integer(1), self.exprs.int(constant));
                self.exprs.add(Expr::Ite(c, a, b))
            }
            _ => self.integer(2),
        }
    }

    fn choice(&mut self) -> Option<ExprId> {
        let count = self.choices.as_deref_mut()?;
        // An old one as often as a new one: choices that several parts share.
        let number = if *count > 0 && (*count >= 3 || self.rng.coin()) {
            self.rng.below(*count as usize) as u32
        } else {
            *count += 1;
            *count - 1
        };
        Some(self.exprs.choice(number))
    }

    /// A variable of the sort, if there is one.
    fn read(&mut self, boolean: bool, depth: usize) -> Option<ExprId> {
        let fitting: Vec<Read> = self
            .reads
            .iter()
            .copied()
            .filter(|r| (r.ty.scalar == Scalar::Bool) == boolean)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let Read { time, var, ty } = *self.rng.pick(&fitting);
        Some(match ty.array {
            None => self.exprs.add(Expr::Read(time, var)),
            Some(dim) => {
                let index = if depth == 0 || self.rng.chance(60) {
                    let cell = dim.lo + self.rng.below(dim.len as usize) as i64;
                    self.exprs.int(cell)
                } else {
                    self.integer(depth - 1)
                };
                self.exprs.add(Expr::Index(time, var, index))
            }
        })
    }

    fn boolean(&mut self, depth: usize) -> ExprId {
        use BinaryOp::*;
        if depth == 0 || self.rng.chance(20) {
            let leaf = match self.rng.below(8) {
                0 => self.choice(),
                1 => None,
                _ => self.read(true, depth),
            };
            return match leaf {
                Some(leaf) => leaf,
                None if depth > 0 => self.compare(depth),
                None => self.exprs.bool(self.rng.chance(70)),
            };
        }
        match self.rng.below(10) {
            0 | 1 => {
                let a = self.boolean(depth - 1);
                self.exprs.not(a)
            }
            2 => {
                let (c, a, b) =
                    (self.boolean(depth - 1), self.boolean(depth - 1), self.boolean(depth - 1));
                self.exprs.add(Expr::Ite(c, a, b))
            }
            3..=6 => {
                let op = *self.rng.pick(&[And, Or, Or, Xor, Iff, Implies]);
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                self.exprs.binary(op, a, b)
            }
            _ => self.compare(depth),
        }
    }

    fn compare(&mut self, depth: usize) -> ExprId {
        use BinaryOp::*;
        let op = *self.rng.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
        let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
        self.exprs.binary(op, a, b)
    }

    fn integer(&mut self, depth: usize) -> ExprId {
        use BinaryOp::*;
        if depth == 0 || self.rng.chance(30) {
            if self.rng.chance(70)
                && let Some(read) = self.read(false, depth)
            {
                return read;
            }
            let value = self.rng.between(0, 4) as i64 - 1;
            return self.exprs.int(value);
        }
        match self.rng.below(10) {
            0 => {
                let (c, a) = (self.boolean(depth - 1), self.integer(depth - 1));
                self.exprs.binary(When, c, a)
            }
            1 | 2 => {
                let (c, a, b) =
                    (self.boolean(depth - 1), self.integer(depth - 1), self.integer(depth - 1));
                self.exprs.add(Expr::Ite(c, a, b))
            }
            3 => {
                // The amount stays small: a wide one would need wide exact integers.
                let op = *self.rng.pick(&[Shl, Shr]);
                let amount = self.rng.between(0, 3) as i64 - 1;
                let (a, b) = (self.integer(depth - 1), self.exprs.int(amount));
                self.exprs.binary(op, a, b)
            }
            _ => {
                let op = *self.rng.pick(&[Add, Add, Sub, Mul, Div, BitAnd, BitOr, BitXor]);
                let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
                self.exprs.binary(op, a, b)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_valid_small_and_fixed() {
        for seed in 0..3000 {
            let program = random_program(seed);
            if let Err(problem) = program.validate() {
                panic!("seed {seed}: {problem}\n{}", ir::dump(&program));
            }
            let layout = ir::Layout::new(&program);
            assert!(layout.scope_bits() <= 10 && layout.max_result_bits() <= 3, "seed {seed}");
            if seed < 20 {
                assert_eq!(ir::dump(&program), ir::dump(&random_program(seed)));
            }
        }
    }

    #[test]
    fn programs_contain_what_they_should() {
        let all: String = (0..300).map(|seed| ir::dump(&random_program(seed))).collect();
        for word in ["init", "''", "when", "int", "error", "[", "*0", "bool"] {
            assert!(all.contains(word), "no `{word}` in 300 programs");
        }
    }
}
