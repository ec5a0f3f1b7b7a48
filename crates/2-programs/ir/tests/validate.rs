//! Every kind of broken program is refused, and says why.

use ir::{
    Assign, BinaryOp, Edge, EdgeKind, Expr, ExprId, Exprs, Id, Init, NodeId, ProcId, Program,
    ProgramBuilder, Rel, Scalar, Time, Type, VarId,
};

/// ```text
/// bool g; int(2) n; int(2) a[-1..1];
/// main:  bool x;   first -> second -> return;  first calls f
/// f:     bool y, results r, s;   inner -> return
/// ```
struct Parts {
    b: ProgramBuilder,
    g: VarId,
    n: VarId,
    a: VarId,
    x: VarId,
    y: VarId,
    r: VarId,
    s: VarId,
    main: ProcId,
    f: ProcId,
    first: NodeId,
    second: NodeId,
    inner: NodeId,
}

fn parts() -> Parts {
    let mut b = ProgramBuilder::new();
    b.file("test");
    let at = b.no_origin();
    let g = b.global("g", Type::BOOL, at);
    let n = b.global("n", Type::int(2), at);
    let a = b.global("a", Type::array(Scalar::Int { bits: 2 }, -1, 3), at);
    let (main, f) = (b.proc("main", at), b.proc("f", at));
    let x = b.local(main, "x", Type::BOOL, at);
    let y = b.param(f, "y", Type::BOOL, at);
    let r = b.result(f, "r", Type::BOOL);
    let s = b.result(f, "s", Type::array(Scalar::Bool, 0, 2));
    b.begin_proc(main);
    let (first, second) = (b.statement(at), b.statement(at));
    b.entry(main, first);
    b.step(first, second, Rel::identity());
    b.ret(second, Rel::identity(), true);
    b.begin_proc(f);
    let inner = b.statement(at);
    b.entry(f, inner);
    b.ret(inner, Rel::identity(), true);
    b.call(first, f, Rel::identity(), second, Rel::identity());
    Parts { b, g, n, a, x, y, r, s, main, f, first, second, inner }
}

fn finish(p: Parts) -> Program {
    let main = p.main;
    p.b.finish(main, Init::default())
}

#[track_caller]
fn refused(program: Program, why: &str) {
    let error = program.validate().expect_err(why).to_string();
    assert!(error.contains(why), "{error:?} does not say {why:?}");
}

/// A program that differs from a good one by a step from `first` to `second`.
#[track_caller]
fn refused_step(why: &str, rel: impl FnOnce(&mut Parts) -> Rel) {
    let mut p = parts();
    let rel = rel(&mut p);
    let (first, second) = (p.first, p.second);
    p.b.step(first, second, rel);
    refused(finish(p), why);
}

#[track_caller]
fn refused_enter(why: &str, rel: impl FnOnce(&mut Parts) -> Rel) {
    let mut p = parts();
    let rel = rel(&mut p);
    let (first, f, second) = (p.first, p.f, p.second);
    p.b.call(first, f, rel, second, Rel::identity());
    refused(finish(p), why);
}

#[track_caller]
fn refused_back(why: &str, rel: impl FnOnce(&mut Parts) -> Rel) {
    let mut p = parts();
    let rel = rel(&mut p);
    let (first, f, second) = (p.first, p.f, p.second);
    p.b.call(first, f, Rel::identity(), second, rel);
    refused(finish(p), why);
}

#[track_caller]
fn refused_return(why: &str, rel: impl FnOnce(&mut Parts) -> Rel) {
    let mut p = parts();
    let rel = rel(&mut p);
    let inner = p.inner;
    p.b.ret(inner, rel, true);
    refused(finish(p), why);
}

fn assign(time: Time, var: VarId, index: Option<ExprId>, value: Option<ExprId>) -> Rel {
    Rel { assigns: [Assign { time, var, index, value }].into(), ..Rel::identity() }
}

fn constrain(constraint: ExprId) -> Rel {
    Rel { constraint, ..Rel::identity() }
}

#[test]
fn the_good_one_is_good() {
    let mut p = parts();
    // Everything that is legal on each kind of edge.
    let (first, second, f, inner) = (p.first, p.second, p.f, p.inner);
    let zero = p.b.exprs.int(0);
    let mut rel = Rel::assign([(p.g, None), (p.n, Some(zero))], 1);
    rel.guard = p.b.exprs.choice(0);
    rel.constraint = p.b.exprs.post(p.x);
    p.b.step(first, second, rel);
    let saved = p.b.exprs.add(Expr::Read(Time::Saved, p.x));
    let param = p.b.exprs.post(p.y);
    let enter = Rel {
        constraint: p.b.exprs.binary(BinaryOp::Xor, saved, param),
        ..assign(Time::Saved, p.x, None, None)
    };
    let result = p.b.exprs.pre(p.r);
    let back = Rel::assign([(p.x, Some(result))], 0);
    p.b.call(first, f, enter, second, back);
    p.b.ret(inner, assign(Time::Post, p.s, Some(zero), Some(Exprs::TRUE)), true);
    finish(p).validate().unwrap();
}

#[test]
fn structure() {
    let mut p = parts();
    let elsewhere = p.inner;
    p.b.step(p.first, elsewhere, Rel::identity());
    refused(finish(p), "leaves its procedure");

    let mut p = parts();
    let (first, f, inner) = (p.first, p.f, p.inner);
    p.b.call(first, f, Rel::identity(), inner, Rel::identity());
    refused(finish(p), "returns into its caller");

    let mut p = parts();
    let elsewhere = p.inner;
    p.b.entry(p.main, elsewhere);
    refused(finish(p), "entry and error node belong to it");

    let mut p = parts();
    let at = p.b.no_origin();
    p.b.proc("without a body", at);
    refused(finish(p), "entry and error node belong to it");

    let mut p = parts();
    let error = p.b.error_node();
    p.b.step(error, p.inner, Rel::identity());
    refused(finish(p), "error node has no successors");

    let mut p = parts();
    p.b.begin_proc(p.main); // its nodes are no neighbours any more
    let node = p.b.silent();
    p.b.entry(p.main, node);
    refused(finish(p), "among those of its procedure");

    let p = parts();
    refused(p.b.finish(ProcId::new(7), Init::default()), "entry procedure exists");

    let mut p = parts();
    p.b.label("L", NodeId::new(99));
    refused(finish(p), "label stands at a node");

    let mut program = finish(parts());
    program.globals.push(program.procs[program.entry].locals[0]);
    refused(program, "a global that is none");

    let mut program = finish(parts());
    let main = program.entry;
    program.procs[main].params = 9;
    refused(program, "variables belong to it");
}

#[test]
fn types() {
    for ty in [Type::int(0), Type::int(33), Type::array(Scalar::Bool, 0, 0)] {
        let mut p = parts();
        let at = p.b.no_origin();
        p.b.global("bad", ty, at);
        refused(finish(p), "no bits, or more than 32");
    }
    let mut p = parts();
    let at = p.b.no_origin();
    p.b.global("bad", Type::array(Scalar::Bool, i64::MAX, 2), at);
    refused(finish(p), "indices beyond");
    for len in [1 << 24, u32::MAX] {
        let mut p = parts();
        let at = p.b.no_origin();
        p.b.local(p.f, "huge", Type::array(Scalar::Int { bits: 32 }, 0, len), at);
        refused(finish(p), "too many bits");
    }
}

#[test]
fn sorts() {
    refused_step("guards and constraints are boolean", |p| Rel::guarded(p.b.exprs.int(1), 0));
    refused_step("guards and constraints are boolean", |p| constrain(p.b.exprs.int(1)));
    refused_step("operand of wrong sort", |p| {
        let one = p.b.exprs.int(1);
        Rel::guarded(p.b.exprs.add(Expr::Not(one)), 0)
    });
    refused_step("operand of wrong sort", |p| {
        let one = p.b.exprs.int(1);
        Rel::guarded(p.b.exprs.binary(BinaryOp::Lt, Exprs::TRUE, one), 0)
    });
    refused_step("operand of wrong sort", |p| {
        let one = p.b.exprs.int(1);
        Rel::guarded(p.b.exprs.add(Expr::Ite(Exprs::TRUE, Exprs::TRUE, one)), 0)
    });
    refused_step("another sort", |p| {
        let one = p.b.exprs.int(1);
        Rel::assign([(p.g, Some(one))], 0)
    });
    refused_step("another sort", |p| Rel::assign([(p.n, Some(Exprs::TRUE))], 0));
    refused_step("read without an index", |p| {
        let all = p.b.exprs.pre(p.a);
        let one = p.b.exprs.int(1);
        Rel::guarded(p.b.exprs.binary(BinaryOp::Eq, all, one), 0)
    });
    refused_step("a scalar is indexed", |p| {
        let zero = p.b.exprs.int(0);
        Rel::guarded(p.b.exprs.add(Expr::Index(Time::Pre, p.g, zero)), 0)
    });
    refused_step("unknown variable", |p| Rel::guarded(p.b.exprs.pre(VarId::new(99)), 0));
    refused_step("bits, more than 100", |p| {
        let mut e = p.b.exprs.pre(p.n);
        for _ in 0..6 {
            e = p.b.exprs.binary(BinaryOp::Mul, e, e);
        }
        Rel::guarded(p.b.exprs.binary(BinaryOp::Eq, e, e), 0)
    });
    // The program's own expressions come with operands before users; a copy of another's may not.
    refused_step("an operand follows its expression", |p| {
        Rel::guarded(p.b.exprs.add(Expr::Not(ExprId::new(1000))), 0)
    });
}

#[test]
fn vocabulary_of_steps() {
    for time in [Time::Post, Time::Saved] {
        refused_step("cannot be read here", |p| {
            Rel::guarded(p.b.exprs.add(Expr::Read(time, p.g)), 0)
        });
    }
    refused_step("cannot be read here", |p| {
        let after = p.b.exprs.post(p.g);
        Rel::assign([(p.x, Some(after))], 0)
    });
    refused_step("cannot be read here", |p| Rel::guarded(p.b.exprs.pre(p.y), 0));
    refused_step("cannot be read here", |p| Rel::guarded(p.b.exprs.pre(p.r), 0));
    refused_step("cannot be read here", |p| constrain(p.b.exprs.add(Expr::Read(Time::Saved, p.x))));
    refused_step("choice 1 of 1", |p| Rel::guarded(p.b.exprs.choice(1), 1));
    refused_step("cannot be assigned here", |p| assign(Time::Pre, p.g, None, None));
    refused_step("cannot be assigned here", |p| assign(Time::Saved, p.x, None, None));
    refused_step("cannot be assigned here", |p| assign(Time::Post, p.y, None, None));
    refused_step("unknown target", |_| assign(Time::Post, VarId::new(99), None, None));
}

#[test]
fn vocabulary_of_calls() {
    refused_enter("cannot be read here", |p| Rel::guarded(p.b.exprs.pre(p.y), 0));
    refused_enter("cannot be read here", |p| constrain(p.b.exprs.post(p.x)));
    refused_enter("cannot be read here", |p| {
        constrain(p.b.exprs.add(Expr::Read(Time::Saved, p.y)))
    });
    refused_enter("cannot be read here", |p| constrain(p.b.exprs.post(p.r)));
    refused_enter("cannot be assigned here", |p| assign(Time::Post, p.x, None, None));
    refused_enter("cannot be assigned here", |p| assign(Time::Saved, p.g, None, None));
    refused_back("cannot be read here", |p| Rel::guarded(p.b.exprs.pre(p.y), 0));
    refused_back("cannot be read here", |p| constrain(p.b.exprs.post(p.r)));
    refused_back("cannot be assigned here", |p| assign(Time::Post, p.r, None, None));
    refused_return("cannot be read here", |p| constrain(p.b.exprs.post(p.y)));
    refused_return("cannot be read here", |p| Rel::guarded(p.b.exprs.pre(p.r), 0));
    refused_return("cannot be assigned here", |p| assign(Time::Post, p.y, None, None));
    // Cells that are arbitrary otherwise can only be named by a constant.
    refused_return("needs a constant index", |p| {
        let index = p.b.exprs.pre(p.n);
        assign(Time::Post, p.s, Some(index), Some(Exprs::TRUE))
    });
}

#[test]
fn targets() {
    refused_step("indexed iff it is an array", |p| {
        let zero = p.b.exprs.int(0);
        assign(Time::Post, p.g, Some(zero), None)
    });
    refused_step("indexed iff it is an array", |p| {
        let one = p.b.exprs.int(1);
        assign(Time::Post, p.a, None, Some(one))
    });
    refused_step("indexed iff it is an array", |p| {
        assign(Time::Post, p.a, Some(Exprs::TRUE), None)
    });
    refused_step("assigned twice", |p| Rel::assign([(p.g, None), (p.g, Some(Exprs::TRUE))], 0));
}

#[test]
fn initial_condition() {
    let mut p = parts();
    let condition = p.b.exprs.pre(p.y);
    let main = p.main;
    refused(p.b.finish(main, Init { condition, choices: 0 }), "cannot be read here");
    let mut p = parts();
    let condition = p.b.exprs.choice(0);
    refused(p.b.finish(main, Init { condition, choices: 0 }), "choice 0 of 0");
    let mut p = parts();
    let condition = p.b.exprs.int(0);
    refused(p.b.finish(main, Init { condition, choices: 0 }), "are boolean");
}

#[test]
fn errors_name_the_node() {
    let mut p = parts();
    let guard = p.b.exprs.pre(p.y);
    let (first, second) = (p.first, p.second);
    p.b.edge(Edge {
        source: second,
        kind: EdgeKind::Local { target: first, rel: Rel::guarded(guard, 0) },
        step: true,
        events: p.b.no_events(),
        marks: 0,
    });
    assert_eq!(finish(p).validate().unwrap_err().node, Some(second));
}
