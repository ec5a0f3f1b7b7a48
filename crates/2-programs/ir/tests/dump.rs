//! The dump of a small program that uses everything an edge can carry.

use ir::{
    Assign, BinaryOp, Call, Edge, EdgeKind, Expr, Exprs, Init, ProgramBuilder, Rel, Scalar, Time,
    Type, dump,
};

#[test]
fn snapshot() {
    let mut b = ProgramBuilder::new();
    let file = b.file("small.bp");
    let at = b.origin(file, 1, 1, "");
    let g = b.global("g", Type::BOOL, at);
    let a = b.global("a", Type::array(Scalar::Int { bits: 2 }, -1, 3), at);
    b.hidden_global("monitor", Type::int(2));
    let (main, f) = (b.proc("main", at), b.proc("f", at));
    let x = b.local(main, "x", Type::int(3), at);
    let p = b.param(f, "p", Type::BOOL, at);
    b.local(f, "tmp", Type::array(Scalar::Bool, 0, 2), at);
    let r = b.result(f, "r", Type::int(3));

    b.begin_proc(main);
    let assign_at = b.origin(file, 3, 3, "a[x] := a[0] + 1");
    let call_at = b.origin(file, 4, 3, "x := f(!g)");
    let (first, second, exit) = (b.statement(assign_at), b.statement(call_at), b.silent());
    let error = b.error_node();
    b.entry(main, first);
    b.label("L", first);
    b.label("M", first);
    let (x0, zero, one) = (b.exprs.pre(x), b.exprs.int(0), b.exprs.int(1));
    let cell = b.exprs.add(Expr::Index(Time::Pre, a, zero));
    let sum = b.exprs.binary(BinaryOp::Add, cell, one);
    let (star, g0, g1) = (b.exprs.choice(0), b.exprs.pre(g), b.exprs.post(g));
    let events = b.events(&["use x", "assign a"]);
    let guard = b.exprs.and(star, g0);
    b.edge(Edge {
        source: first,
        kind: EdgeKind::Local {
            target: second,
            rel: Rel {
                guard,
                assigns: [
                    Assign { time: Time::Post, var: a, index: Some(x0), value: Some(sum) },
                    Assign { time: Time::Post, var: g, index: None, value: None },
                ]
                .into(),
                constraint: g1,
                choices: 1,
            },
        },
        step: true,
        events,
        marks: 0b101,
    });
    let not_g = b.exprs.not(g0);
    b.step(first, error, Rel::guarded(not_g, 0));
    let saved = b.exprs.add(Expr::Read(Time::Saved, x));
    let same = b.exprs.binary(BinaryOp::Ne, saved, x0);
    let result = b.exprs.pre(r);
    let enter = Rel {
        guard: Exprs::TRUE,
        assigns: [
            Assign { time: Time::Post, var: p, index: None, value: Some(not_g) },
            Assign { time: Time::Saved, var: x, index: None, value: None },
        ]
        .into(),
        constraint: same,
        choices: 0,
    };
    let back = Rel::assign([(x, Some(result))], 0);
    b.edge(Edge {
        source: second,
        kind: EdgeKind::Call(Box::new(Call { callee: f, enter, ret: exit, back })),
        step: true,
        events: b.no_events(),
        marks: 0,
    });
    b.ret(exit, Rel::identity(), false);

    b.begin_proc(f);
    let return_at = b.origin(file, 9, 3, "return p ? 1 : 0");
    let only = b.statement(return_at);
    b.entry(f, only);
    let p0 = b.exprs.pre(p);
    let value = b.exprs.add(Expr::Ite(p0, one, zero));
    b.ret(only, Rel::assign([(r, Some(value))], 0), true);
    let program = b.finish(main, Init { condition: not_g, choices: 0 });
    program.validate().unwrap();

    let expected = "\
global g: bool
global a: int(2)[-1..1]
global monitor: int(2)
init !g
entry main

proc main() -> ()
  local x: int(3)
  n0 entry L: M: 3:3 `a[x] := a[0] + 1`
    -> n1 [(*0 & g)] a'[x] := (a[0] + 1); g' := any; constrain g' {use x, assign a} marks 0b101
    -> n3 [!g]
  n1 4:3 `x := f(!g)`
    -> call f p' := !g; x'' := any; constrain (x'' != x), back to n2 x' := r;
  n2
    ~> return
  n3 error

proc f(p: bool) -> (r: int(3))
  local tmp: bool[0..1]
  n4 entry 9:3 `return p ? 1 : 0`
    -> return r' := (p ? 1 : 0);
";
    assert_eq!(dump(&program), expected);
}
