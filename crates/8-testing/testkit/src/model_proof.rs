//! A program of the model built by hand, with what boolean programs do not have: an array, a push
//! relation over `x''`, events, and a monitor that watches them in a hidden global.
//!
//! Every engine answers it; it is the proof that the model bears what is to come.
//!
//! ```text
//! int(2) slot[1..3] = 0;                      hidden int(2) monitor = 0;
//! main:  int(3) i;
//!        i := 1;
//!  loop: if i > 3 goto done;
//!        work(p)            with p' = i and i'' = i + 1;     (a symbolic push rule)
//!                           comes back only with the result 1
//!        goto loop;
//!  done: skip;
//! work(int(3) p) returns int(2) r:
//!  lock:   slot[p] := slot[p] + 1;            event lock
//!  deeper: if * then work(0) fi;              there slot[0] is out of range: it never returns
//!  unlock: skip;                              event unlock; can be skipped if `buggy`
//!  leave:  return slot[p];
//! ```
//!
//! The monitor counts 0 = free, 1 = locked, 2 = locked twice or unlocked while free.

use check::{Goal, Target};
use ir::{
    Assign, BinaryOp, Edge, EdgeKind, Expr, ExprId, Exprs, Init, Program, ProgramBuilder, Rel,
    Scalar, Time, Type, VarId,
};
use std::sync::Arc;

/// The program, and questions with their answers.
#[derive(Clone, Debug)]
pub struct ModelProof {
    /// The program; it is valid.
    pub program: Arc<Program>,
    /// What is asked, the goal, and whether it is reached.
    pub questions: Vec<(&'static str, Goal, bool)>,
}

impl ModelProof {
    /// The goals alone.
    pub fn goals(&self) -> Vec<Goal> {
        self.questions.iter().map(|(_, goal, _)| goal.clone()).collect()
    }
}

/// `if monitor == from then to else 2`.
fn moved(exprs: &mut Exprs, monitor: VarId, from: i64, to: i64) -> ExprId {
    let (now, from) = (exprs.pre(monitor), exprs.int(from));
    let (to, wrong) = (exprs.int(to), exprs.int(2));
    let ok = exprs.binary(BinaryOp::Eq, now, from);
    exprs.add(Expr::Ite(ok, to, wrong))
}

/// The program. Only if it is `buggy` can the monitor see something wrong.
pub fn model_proof(buggy: bool) -> ModelProof {
    use BinaryOp::{Add, Eq, Gt, Le};
    let mut b = ProgramBuilder::new();
    let file = b.file("model-proof");
    let here = b.no_origin();
    let slot = b.global("slot", Type::array(Scalar::Int { bits: 2 }, 1, 3), here);
    let monitor = b.hidden_global("monitor", Type::int(2));
    let (main, work) = (b.proc("main", here), b.proc("work", here));
    let i = b.local(main, "i", Type::int(3), here);
    let p = b.param(work, "p", Type::int(3), here);
    let r = b.result(work, "r", Type::int(2));
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| b.exprs.int(n));
    let compare = |b: &mut ProgramBuilder, op, x, y| b.exprs.binary(op, x, y);
    let cell = |b: &mut ProgramBuilder, index| b.exprs.add(Expr::Index(Time::Pre, slot, index));

    b.begin_proc(main);
    let at = |b: &mut ProgramBuilder, line, text| {
        let origin = b.origin(file, line, 1, text);
        b.statement(origin)
    };
    let start = at(&mut b, 1, "i := 1");
    let head = at(&mut b, 2, "if i > 3");
    let call = at(&mut b, 3, "work(i), i := i + 1");
    let done = at(&mut b, 4, "skip");
    let end = b.silent();
    b.entry(main, start);
    b.label("done", done);
    let i0 = b.exprs.pre(i);
    b.step(start, head, Rel::assign([(i, Some(one))], 0));
    let over = compare(&mut b, Gt, i0, three);
    b.step(head, done, Rel::guarded(over, 0));
    let within = b.exprs.not(over);
    b.step(head, call, Rel::guarded(within, 0));
    // As a push rule says it: everything arbitrary, then (p' == i && i'' == i + 1).
    let (p1, i2) = (b.exprs.post(p), b.exprs.add(Expr::Read(Time::Saved, i)));
    let next = b.exprs.binary(Add, i0, one);
    let (passed, kept) = (compare(&mut b, Eq, p1, i0), compare(&mut b, Eq, i2, next));
    let push = Rel {
        guard: Exprs::TRUE,
        assigns: [Assign { time: Time::Saved, var: i, index: None, value: None }].into(),
        constraint: b.exprs.and(passed, kept),
        choices: 0,
    };
    // The way back is guarded by the result.
    let r0 = b.exprs.pre(r);
    let back = compare(&mut b, Eq, r0, one);
    b.call(call, work, push, head, Rel::guarded(back, 0));
    b.step(done, end, Rel::identity());
    b.ret(end, Rel::identity(), false);

    b.begin_proc(work);
    let lock = at(&mut b, 11, "slot[p] := slot[p] + 1");
    let deeper = at(&mut b, 12, "if *");
    let inner = at(&mut b, 13, "work(0)");
    let unlock = at(&mut b, 14, "unlock");
    let leave = at(&mut b, 15, "return slot[p]");
    b.entry(work, lock);
    for (label, node) in [("lock", lock), ("deeper", deeper), ("inner", inner)] {
        b.label(label, node);
    }
    b.label("leave", leave);
    let p0 = b.exprs.pre(p);
    let mine = cell(&mut b, p0);
    let more = b.exprs.binary(Add, mine, one);
    let write = |time, var, index, value| Assign { time, var, index, value: Some(value) };
    let locked = moved(&mut b.exprs, monitor, 0, 1);
    let events = b.events(&["lock"]);
    b.edge(Edge {
        source: lock,
        kind: EdgeKind::Local {
            target: deeper,
            rel: Rel {
                guard: Exprs::TRUE,
                assigns: [
                    write(Time::Post, slot, Some(p0), more),
                    write(Time::Post, monitor, None, locked),
                ]
                .into(),
                constraint: Exprs::TRUE,
                choices: 0,
            },
        },
        step: true,
        events,
        marks: 0,
    });
    let star = b.exprs.choice(0);
    let not_star = b.exprs.not(star);
    b.step(deeper, inner, Rel::guarded(star, 1));
    b.step(deeper, unlock, Rel::guarded(not_star, 1));
    b.call(inner, work, Rel::assign([(p, Some(zero))], 0), unlock, Rel::identity());
    let unlocked = moved(&mut b.exprs, monitor, 1, 0);
    let events = b.events(&["unlock"]);
    b.edge(Edge {
        source: unlock,
        kind: EdgeKind::Local { target: leave, rel: Rel::assign([(monitor, Some(unlocked))], 0) },
        step: true,
        events,
        marks: 0,
    });
    if buggy {
        b.step(unlock, leave, Rel::identity());
    }
    b.ret(leave, Rel::assign([(r, Some(mine))], 0), true);

    let m0 = b.exprs.pre(monitor);
    let (free, wrong) = (compare(&mut b, Eq, m0, zero), compare(&mut b, Eq, m0, two));
    let mut condition = free;
    let mut all_one = Exprs::TRUE;
    for index in [one, two, three] {
        let value = cell(&mut b, index);
        let (empty, once) = (compare(&mut b, Eq, value, zero), compare(&mut b, Eq, value, one));
        condition = b.exprs.and(condition, empty);
        all_one = b.exprs.and(all_one, once);
    }
    let not_all_one = b.exprs.not(all_one);
    let four = b.exprs.int(4);
    let (is_four, p_is_zero) = (compare(&mut b, Eq, i0, four), compare(&mut b, Eq, p0, zero));
    let finished = b.exprs.and(all_one, is_four);
    let small = compare(&mut b, Le, i0, three);
    let goal = |node, condition| Goal::Reach(vec![Target { node, condition }]);
    let questions = vec![
        ("the program ends, every slot filled once", goal(done, finished), true),
        ("a slot is not filled once at the end", goal(done, not_all_one), false),
        ("the end comes too soon", goal(done, small), false),
        ("the inner call is entered", goal(lock, p_is_zero), true),
        ("slot[0] is written", goal(deeper, p_is_zero), false),
        ("the monitor sees a double lock", goal(deeper, wrong), buggy),
        (
            "the monitor sees something wrong, anywhere",
            Goal::Reach(
                [head, done, lock, unlock, leave]
                    .into_iter()
                    .map(|node| Target { node, condition: wrong })
                    .collect(),
            ),
            buggy,
        ),
    ];
    let program = b.finish(main, Init { condition, choices: 0 });
    ModelProof { program: Arc::new(program), questions }
}
