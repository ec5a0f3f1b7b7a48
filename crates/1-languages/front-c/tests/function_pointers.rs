//! What calls through pointers reach: rule by rule, fallback by fallback, and against executions of
//! generated programs.

use front_c::{Flow, Pointers, Skeleton, Unit, parse, skeleton, skeleton_by};
use std::collections::BTreeSet;

fn units(texts: &[&str]) -> Vec<Unit> {
    let read = |(i, text): (usize, &&str)| parse(&format!("# 1 \"u{i}.c\"\n{text}"));
    texts.iter().enumerate().map(read).collect()
}

/// The functions that each call through a pointer in a function reaches, in order of the source.
fn reached(s: &Skeleton, function: &str) -> Vec<String> {
    let f = s.func_named(function).unwrap_or_else(|| panic!("no {function}"));
    let body = s.body(f).expect("a body");
    let calls = body.points.iter().filter_map(|p| match &p.flow {
        Flow::Call(call) if call.indirect => Some(call),
        _ => None,
    });
    let names = |c: &front_c::Call| {
        let names: Vec<&str> = c.targets.iter().map(|t| &*s.funcs[t.index()].unique).collect();
        names.join(" ")
    };
    calls.map(|c| names(c)).collect()
}

#[track_caller]
fn check_units(texts: &[&str], expected: &[&str]) {
    let units = units(texts);
    let problems: Vec<_> = units.iter().flat_map(|u| &u.problems).collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(reached(&skeleton(&units), "f"), expected, "{texts:?}");
}

/// Programs with a `main`, so that nothing comes from outside unasked.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_units(&[&format!("{PRELUDE}{text} int main(void) {{ f(); return 0; }}")], expected);
}

const PRELUDE: &str = "typedef int (*fn)(int); \
    int a(int x) { return 1; } int b(int x) { return 2; } int c(int x) { return 3; } \
    int d(int x) { return 4; } static fn keep[] = { a, b, c, d }; ";

#[test]
fn members_tell_apart() {
    check(
        "struct ops { fn run, stop; }; struct ops one = { a, b }, two = { .stop = c };
         int f(void) { struct ops *p = &one; p->run(1); two.run(2); p->stop(3); return one.stop(4); }",
        &["a", "a", "b c", "b c"],
    );
    // Copies of records change nothing.
    check(
        "struct ops { fn run; void *data; }; struct ops global; void set(struct ops *p) { __builtin_memcpy(&global, p, sizeof global); }
         void set2(struct ops *p) { global = *p; }
         int f(void) { struct ops mine = { a, 0 }; fn other = b; set(&mine); other(1); return global.run(1); }",
        &["b", "a"],
    );
    // Members of unnamed records, and of records without a tag.
    check(
        "struct s { int n; struct { fn in; }; union { fn u; int (*v)(int); }; }; typedef struct { fn run; } tagless;
         static tagless t = { c };
         int f(void) { struct s x; x.in = a; x.u = b; x.in(1); x.v(2); return t.run(3); }",
        &["a", "b", "c"],
    );
}

#[test]
fn initialisers_find_their_members() {
    check(
        "struct in { int n[2]; fn g; }; struct s { const char *name; struct in i; fn h; };
         struct s flat[] = { \"x\", 1, 2, a, b, \"y\", 3, 4, c, d };
         int f(void) { flat[0].i.g(1); return flat[1].h(2); }",
        &["a c", "b d"],
    );
    check(
        "struct in { char n[4]; fn g; }; struct s { struct in i; fn h; unsigned : 3; fn k; };
         struct s deep = { .i.g = a, b, .k = c }; struct s more = { { \"abc\", d }, .h = 0 };
         int f(void) { deep.i.g(1); deep.h(1); return deep.k(2); }",
        &["a d", "b", "c"],
    );
    check(
        "struct s { fn g, h; }; struct s t[4] = { [2] = { a, b }, [3].h = c };
         fn two[2][2] = { { a, b }, { c, 0 } };
         int f(void) { t[0].g(1); t[1].h(2); two[1][0](3); return (*two[0])(4); }",
        &["a", "b c", "a b c", "a b c"],
    );
    check(
        "struct s { struct { fn g, h; } in[2]; fn k; }; struct s t = { .in[1].h = a, .k = b };
         int f(void) { return t.in[1].h(1) + t.k(2) + t.in[0].g(3); }",
        &["a", "b", ""],
    );
    // What cannot be placed may be anywhere.
    check(
        "struct s { struct { fn g, h; } in[2]; fn k; }; struct s t = { .in[1] = { a } };
         int f(void) { return t.in[1].h(1) + t.k(2); }",
        &["a", "a"],
    );
    check(
        "struct s { fn g, h; }; int f(void) { fn local[] = { a, 0 }; struct s *p = &(struct s) { b, c };
           local[0](1); p->h(1); return ((fn[]) { d })[0](2); }",
        &["a", "c", "d"],
    );
}

#[test]
fn values_flow_through_expressions() {
    check(
        "int f(void) { fn x = 0, y, z; x = a; y = (0, x); z = x ? b : (fn) 0; x(1); (*y)(2); (**z)(3);
           return ({ fn w = c; w; })(4) + (x ?: d)(5); }",
        &["a", "a", "b", "c", "a d"],
    );
    check(
        "int f(void) { void *p = (void *) a; fn g = p; __typeof__(g) h = b; fn i = &c;
           g(1); h(2); return ((fn) i)(3); }",
        &["a", "b", "c"],
    );
    // A table of the function's own; no function is called by itself in it.
    check(
        "int f(void) { static const fn t[] = { a, b }; int i; for (i = 0; i < 2; i++) t[i](1); return (*(t + 1))(2); }",
        &["a b", "a b"],
    );
    check("int f(void) { fn never = 0; return never(1); }", &[""]);
}

#[test]
fn parameters_and_results_are_followed_on_the_fly() {
    check(
        "static int call(fn g, int x) { return g(x); } static fn pick(int i) { return i ? a : b; }
         typedef int (*caller)(fn, int); caller how = call;
         int f(void) { pick(1)(2); call(c, 1); return how(d, 3); } int main2(void) { return 0; }",
        &["a b", "call"],
    );
    let text = format!(
        "{PRELUDE} static int f(fn g, int x) {{ return g(x); }} typedef int (*caller)(fn, int);
         int main(void) {{ caller how = f; f(c, 1); return how(d, 3); }}"
    );
    check_units(&[&text], &["c d"]);
    // K&R, and functions as parameters.
    let text = format!(
        "{PRELUDE} int f(g, x) int (*g)(); int x; {{ return g(x); }} int h(int k(int)) {{ return f(k, 1); }}
         int main(void) {{ return h(b); }}"
    );
    check_units(&[&text], &["b"]);
}

#[test]
fn units_share_what_has_linkage() {
    let head = "typedef int (*fn)(int); struct ops { fn run; }; extern fn shared; typedef struct { fn g; } tagless; extern tagless t; ";
    let one = format!(
        "{head} static int a(int x) {{ return 1; }} static int b(int x) {{ return 2; }} static fn mine; fn shared;
         void set(struct ops *p) {{ p->run = a; mine = b; shared = a; t.g = b; }}"
    );
    let two = format!(
        "{head} static int a(int x) {{ return 3; }} static fn mine = a; tagless t;
         int f(struct ops *p) {{ p->run(1); mine(2); shared(3); return t.g(4); }} int main(void) {{ return 0; }}"
    );
    check_units(&[&one, &two], &["a@u0.c", "a@u1.c", "a@u0.c", "b"]);
    // Two types of one name.
    let one = format!("{head} struct mine {{ int n; }}; struct mine m;");
    let two = format!(
        "{head} struct mine {{ fn g; }}; void give(struct mine *); fn get(void); static int a(int x) {{ return 3; }}
         int f(void) {{ struct mine x = {{ a }}; give(&x); return get()(1); }} int main(void) {{ return 0; }}"
    );
    check_units(&[&one, &two], &["a"]);
}

#[test]
fn unknown_memory_has_what_escapes() {
    // Pointers to pointers: what is stored anywhere is read anywhere, and nothing else.
    check(
        "void put(fn *to) { *to = a; } int f(void) { fn x; put(&x); fn y = b; y(1); return x(2); }",
        &["b", "a"],
    );
    check(
        "void **slots; void add(int i, void *p) { slots[i] = p; }
         int f(void) { add(0, (void *) a); fn got = (fn) slots[0]; fn other = c; other(1); return got(2); }",
        &["c", "a"],
    );
    check(
        "int f(void) { long n = (long) a; fn x = (fn) n; fn y = b; y(1); return x(2); }",
        &["b", "a"],
    );
    check(
        "void g(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); fn x = __builtin_va_arg(l, fn); x(1); }
         int f(void) { g(1, a); fn y = b; return y(1); } ",
        &["b"],
    );
    // Given to a function without a body.
    check(
        "void on(fn); fn lookup(const char *); fn later; void *find(void); extern fn elsewhere;
         int f(void) { on(a); later = b; lookup(\"x\")(1); later(2); elsewhere(3); return ((fn) find())(4); }",
        &["a", "b", "a", "a"],
    );
    // With a record, and what that one points to.
    check(
        "struct inner { fn g; }; struct outer { struct inner *i; int n; }; void use(struct outer *); fn lookup(const char *);
         struct hidden { fn g; };
         int f(void) { struct inner i = { a }; struct outer o = { &i }; struct hidden h = { b }; use(&o); return lookup(\"x\")(1); }",
        &["a"],
    );
    check(
        "struct inner { fn g; }; struct outer { struct inner *i; }; fn lookup(const char *); fn slot; struct outer *o;
         int f(void) { struct inner i = { a }; struct outer x = { &i }; __atomic_store_n(&o, &x, 5); __sync_lock_test_and_set(&slot, b);
           o->i->g(1); slot(2); return lookup(\"x\")(3); }",
        &["a", "b", "b"],
    );
    // A thread's function is called from outside; what is in its record stays.
    check(
        "struct work { fn g; }; int pthread_create(void *, void *, void *(*)(void *), void *); fn lookup(const char *);
         void *run(void *p) { struct work *w = p; w->g(1); return 0; } void *(*other(void))(void *);
         int f(void) { struct work w = { a }; pthread_create(0, 0, run, &w); w.g(1); other()(0); return lookup(\"x\")(2); }",
        &["a", "run", ""],
    );
    // The library keeps nothing but what it is known to keep.
    check(
        "void free(void *); void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
         int cmp(const void *x, const void *y) { return 0; } fn lookup(const char *);
         int f(void) { int v[2]; qsort(v, 2, 4, cmp); free((void *) a); int (*g)(const void *, const void *) = (int (*)(const void *, const void *)) lookup(\"x\"); return g(v, v) + lookup(\"y\")(1); }",
        &["cmp", ""],
    );
    // Called from outside, with what is given to the outside.
    let text = format!(
        "{PRELUDE} void start(void (*)(void *), void *); void f(void *p) {{ ((fn) p)(1); }}
         int main(void) {{ start(f, (void *) a); fn x = b; return x(1); }}"
    );
    check_units(&[&text], &["a"]);
}

#[test]
fn types_that_pass_for_others() {
    check(
        "union u { fn g; void *p; struct { fn h; } in; }; int f(void) { union u x; x.p = (void *) a; x.in.h = b; fn y = c; y(1); return x.g(1); }",
        &["c", "a b"],
    );
    check(
        "union u { fn g; long n; }; int f(void) { union u x; x.n = (long) a; fn y = b; y(1); return x.g(1); }",
        &["b", "a"],
    );
    check(
        "struct s { int n; fn g; }; struct t { int n; fn h; }; struct other { fn k; };
         int f(void) { struct s x = { 1, a }; struct other o = { c }; struct t *p = (struct t *) (void *) &x; o.k(1); return p->h(2); }",
        &["c", "a"],
    );
    check(
        "struct s { fn g; }; struct t { fn h; }; void *memcpy(void *, const void *, unsigned long);
         int f(void) { struct s x = { a }; struct t y; memcpy(&y, (const void *) &x, sizeof y); return y.h(2); }",
        &["a"],
    );
    // A part passes for the whole without that.
    check(
        "struct base { fn g; }; struct derived { struct base b; fn h; };
         int f(void) { struct derived d = { { a }, b }; struct base *p = (struct base *) &d; p->g(1); return ((struct derived *) p)->h(1); }",
        &["a", "b"],
    );
    // A function in a `void *` is no record; in one expression, it may be anything.
    check(
        "struct s { int n; }; fn lookup(const char *); int call(void *p) { struct s *x = p; return x->n; }
         int f(void) { struct s *x = (struct s *) b; call((void *) a); void *v = (void *) x; fn g = v; g(1);
           ((fn) x)(2); ((fn) (void *) x)(3); return lookup(\"x\")(4); }",
        &["", "b", "b", "b"],
    );
    check(
        "int f(void) { void *v = (void *) a; char *c = v; fn g = (fn) c, h = b; h(1); return g(2); }",
        &["b", "a"],
    );
    // What has no known type has any member of the name.
    check(
        "struct s { fn g, h; }; struct s x = { a, b }; int f(void) { __auto_type p = &x; p->g(1); p->h = c; return x.h(2); }",
        &["a", "b c"],
    );
}

#[test]
fn a_library_is_called_from_outside() {
    let text = format!(
        "{PRELUDE} void on(fn); static fn hidden = b; fn seen; static int in(fn g) {{ return g(0); }}
         void give(void) {{ on(a); in(c); }} int f(fn g) {{ g(1); hidden(2); seen(3); return 0; }}"
    );
    check_units(&[&text], &["a", "b", "a"]);
    let s = skeleton(&units(&[&text]));
    let said: Vec<String> = s.warnings.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|w| w.contains("where this pointer comes from is not followed")));
    // Callbacks keep nothing.
    let sorts = format!(
        "{PRELUDE} int sort(int (*cmp)(void *), void *data) {{ return cmp(data); }} static int by(void *data) {{ return ((fn) data)(1); }}
         int f(fn g, int (*h)(void *)) {{ sort(by, (void *) b); return g(1) + h(0); }}"
    );
    check_units(&[&sorts], &["", ""]);
    // With a `main`, the program is what is given.
    let text = format!("{text} int main(void) {{ give(); return f(d); }}");
    check_units(&[&text], &["d", "b", ""]);
}

#[test]
fn what_is_not_read_may_store_anything() {
    let text = "typedef int (*fn)(int); int a(int x) { return 1; } int b(int x) { return 2; } fn x = a, y = b;
        void broken(void) { x = b; @ } int f(void) { return x(1); } int main(void) { return f(); }";
    let s = skeleton(&units(&[text]));
    assert_eq!(reached(&s, "f"), ["a b"]);
    let said: Vec<String> = s.warnings.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|w| w.contains("not all of the program could be read")), "{said:?}");
}

#[test]
fn depth_does_not_matter() {
    let n = 100_000;
    let text = format!(
        "typedef int (*fn)(int); int a(int x) {{ return 1; }} int f(fn g) {{ {} return g({}1{}); }} int main(void) {{ return f(a); }}",
        "if (g) ; else ".repeat(0),
        "1 + ".repeat(n),
        " + g(2)".repeat(2000),
    );
    check_units(&[&text], &vec!["a"; 2001]);
    let chain = (1..2000).map(|i| format!("x{i} = x{};", i - 1)).collect::<String>();
    let names = (1..2000).map(|i| format!(", x{i}")).collect::<String>();
    let text = format!(
        "typedef int (*fn)(int); int a(int x) {{ return 1; }} int f(void) {{ fn x0 = a{names}; {chain} return x1999(1); }} int main(void) {{ return f(); }}"
    );
    check_units(&[&text], &["a"]);
}

/// Every call reaches a part of what its type allows.
fn within_types(units: &[Unit]) {
    let (followed, types) = (skeleton(units), skeleton_by(units, Pointers::Types));
    assert_eq!(followed.bodies.len(), types.bodies.len());
    for (x, y) in followed.bodies.iter().zip(&types.bodies) {
        assert_eq!(x.points.len(), y.points.len());
        for (p, q) in x.points.iter().zip(&y.points) {
            if let (Flow::Call(c), Flow::Call(d)) = (&p.flow, &q.flow) {
                assert!(c.targets.iter().all(|t| d.targets.contains(t)));
            }
        }
    }
}

mod generated {
    //! Programs over slots of one function type, executed here. A slot is anything that can hold a
    //! function; a statement copies, calls or hands on.

    use super::{reached, within_types};
    use front_c::{parse, skeleton};
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write;
    use testkit::rng::Rng;

    /// Something that can be read.
    #[derive(Clone, Debug)]
    enum Get {
        /// The function of a number.
        Func(usize),
        Slot(Slot),
        /// `pick_n(…)`, whose result is that of its slot.
        Result(usize),
        Either(bool, Box<(Get, Get)>),
        /// Through `void *`, or through an integer.
        Cast(&'static str, Box<Get>),
    }

    /// Something that can be written; each is one cell of the execution.
    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
    enum Slot {
        Global(usize),
        Element(usize, usize),
        /// A member of one of two objects of a type, by name or through a pointer to it.
        Member(usize, usize, usize, bool),
        /// `*pointer(&slot)`
        Behind(Box<Slot>),
        /// A member of an object behind a pointer to another type with the same members.
        Punned(usize, usize),
        Void(usize),
        Union(usize, usize),
        Param,
    }

    #[derive(Clone, Debug)]
    enum Do {
        Set(Slot, Get),
        /// A call through a pointer, of a function that takes another one.
        Call(Get, Get),
        /// `store_n(&slot, x)`
        Out(Slot, Get),
        /// A table, made anew.
        Table(usize, Vec<usize>),
        Copy(usize),
    }

    struct Program {
        /// What each function does with its parameter.
        bodies: Vec<Vec<Do>>,
        picks: Vec<Slot>,
    }

    const FUNCS: usize = 6;

    fn slot(rng: &mut Rng, param: bool) -> Slot {
        match rng.below(if param { 9 } else { 8 }) {
            0 => Slot::Global(rng.below(3)),
            1 => Slot::Element(rng.below(2), rng.below(3)),
            2 | 3 => Slot::Member(rng.below(2), rng.below(2), rng.below(2), rng.coin()),
            4 => {
                let inner = match rng.below(3) {
                    0 => Slot::Global(rng.below(3)),
                    1 => Slot::Element(0, rng.below(3)),
                    _ => Slot::Member(1, rng.below(2), 0, rng.coin()),
                };
                Slot::Behind(Box::new(inner))
            }
            5 => Slot::Punned(rng.below(2), rng.below(2)),
            6 => Slot::Void(rng.below(2)),
            7 => Slot::Union(rng.below(2), rng.below(2)),
            _ => Slot::Param,
        }
    }

    fn get(rng: &mut Rng, param: bool, depth: usize) -> Get {
        match rng.below(if depth == 0 { 3 } else { 6 }) {
            0 => Get::Func(rng.below(FUNCS)),
            1 | 2 => Get::Slot(slot(rng, param)),
            3 => Get::Result(rng.below(2)),
            4 => {
                let parts = (get(rng, param, depth - 1), get(rng, param, depth - 1));
                Get::Either(rng.coin(), Box::new(parts))
            }
            _ => {
                let how = if rng.coin() { "void *" } else { "unsigned long" };
                Get::Cast(how, Box::new(get(rng, param, depth - 1)))
            }
        }
    }

    fn program(rng: &mut Rng) -> Program {
        let body = |rng: &mut Rng, param: bool| {
            let count = rng.between(1, if param { 3 } else { 12 });
            let act = |rng: &mut Rng| match rng.below(10) {
                0..=4 => Do::Set(slot(rng, param), get(rng, param, 2)),
                5..=7 => Do::Call(get(rng, param, 1), get(rng, param, 1)),
                8 => {
                    let slot = loop {
                        let slot = slot(rng, false);
                        if !matches!(slot, Slot::Void(_) | Slot::Union(_, 1)) {
                            break slot;
                        }
                    };
                    Do::Out(slot, get(rng, param, 1))
                }
                _ if rng.coin() => {
                    Do::Table(rng.below(2), (0..2).map(|_| rng.below(FUNCS)).collect())
                }
                _ => Do::Copy(rng.below(2)),
            };
            // Something to call, to begin with.
            let first = if param { 0 } else { 6 };
            let mut acts: Vec<Do> = (0..first)
                .map(|_| Do::Set(slot(rng, false), Get::Func(rng.below(FUNCS))))
                .collect();
            acts.extend((0..count).map(|_| act(rng)));
            acts
        };
        let mut bodies: Vec<Vec<Do>> = (0..FUNCS).map(|_| body(rng, true)).collect();
        bodies.push(body(rng, false));
        Program { bodies, picks: (0..2).map(|_| slot(rng, false)).collect() }
    }

    fn slot_text(s: &Slot) -> String {
        match s {
            Slot::Global(i) => format!("g{i}"),
            Slot::Element(a, i) => format!("t{a}[{i}]"),
            Slot::Member(ty, o, m, false) => format!("s{ty}_{o}.m{m}"),
            Slot::Member(ty, o, m, true) => format!("ps{ty}_{o}->m{m}"),
            Slot::Behind(inner) => format!("*same(&{})", slot_text(inner)),
            Slot::Punned(o, m) => format!("((struct twin *) &s0_{o})->w{m}"),
            Slot::Void(i) => format!("v{i}"),
            Slot::Union(o, 0) => format!("u{o}.f"),
            Slot::Union(o, _) => format!("u{o}.p"),
            Slot::Param => "g".to_owned(),
        }
    }

    fn get_text(g: &Get) -> String {
        match g {
            Get::Func(i) => format!("f{i}"),
            Get::Slot(s) => format!("(fn) {}", slot_text(s)),
            Get::Result(i) => format!("pick{i}(1)"),
            Get::Either(c, parts) => {
                format!("({} ? {} : {})", u8::from(*c), get_text(&parts.0), get_text(&parts.1))
            }
            Get::Cast(ty, inner) => format!("(fn) ({ty}) ({})", get_text(inner)),
        }
    }

    fn text(p: &Program) -> String {
        let mut out = String::from(
            "typedef struct tag *box; typedef void (*fn)(void *); \
             struct s0 { int n; fn m0; fn m1; }; struct s1 { fn m0; fn m1; }; struct twin { int n; fn w0; fn w1; };\
             union u { fn f; void *p; }; fn g0, g1, g2, t0[3], t1[3]; void *v0, *v1; union u u0, u1;\
             struct s0 s0_0, s0_1, *ps0_0 = &s0_0, *ps0_1 = &s0_1; struct s1 s1_0, s1_1, *ps1_0 = &s1_0, *ps1_1 = &s1_1;\n",
        );
        for i in 0..FUNCS {
            let _ = writeln!(out, "void f{i}(void *g);");
        }
        out += "static fn *same(fn *p) { return p; } static void store(fn *p, fn x) { *p = x; } static int limit;\n";
        for (i, s) in p.picks.iter().enumerate() {
            let _ = writeln!(out, "fn pick{i}(int n) {{ return (fn) {}; }}", slot_text(s));
        }
        for (i, body) in p.bodies.iter().enumerate() {
            let head =
                if i < FUNCS { format!("void f{i}(void *g)") } else { "int main(void)".into() };
            let _ = writeln!(out, "{head} {{\n  if (limit++ > 200) exit(0);");
            for act in body {
                let _ = match act {
                    Do::Set(s, g) => {
                        writeln!(out, "  {} = (void *) ({});", slot_text(s), get_text(g))
                    }
                    // What is null is not called.
                    Do::Call(g, x) => {
                        let (g, x) = (get_text(g), get_text(x));
                        writeln!(out, "  if ({g}) ((fn) ({g}))((void *) ({x}));")
                    }
                    Do::Out(s, g) => {
                        writeln!(out, "  store(&({}), {});", slot_text(s), get_text(g))
                    }
                    Do::Table(o, fs) => writeln!(
                        out,
                        "  s0_{o} = (struct s0) {{ .m1 = f{}, .m0 = f{} }};",
                        fs[0], fs[1]
                    ),
                    Do::Copy(o) => writeln!(out, "  s1_{o} = s1_{};", 1 - o),
                };
            }
            out += "}\n";
        }
        out
    }

    /// The memory of an execution, and which functions every call has reached.
    #[derive(Default)]
    struct Run {
        memory: BTreeMap<Slot, Option<usize>>,
        calls: BTreeMap<(usize, usize), BTreeSet<usize>>,
        entered: usize,
    }

    impl Run {
        /// Slots that are the same memory have the same name here.
        fn address(s: &Slot) -> Slot {
            match s {
                Slot::Behind(inner) => Run::address(inner),
                Slot::Punned(o, m) => Slot::Member(0, *o, *m, false),
                Slot::Member(ty, o, m, _) => Slot::Member(*ty, *o, *m, false),
                Slot::Union(o, _) => Slot::Union(*o, 0),
                other => other.clone(),
            }
        }
        fn read(&self, s: &Slot, param: Option<usize>) -> Option<usize> {
            match s {
                Slot::Param => param,
                s => self.memory.get(&Run::address(s)).copied().flatten(),
            }
        }
        fn get(&self, p: &Program, g: &Get, param: Option<usize>) -> Option<usize> {
            match g {
                Get::Func(i) => Some(*i),
                Get::Slot(s) => self.read(s, param),
                Get::Result(i) => self.read(&p.picks[*i], None),
                Get::Either(c, parts) => self.get(p, if *c { &parts.0 } else { &parts.1 }, param),
                Get::Cast(_, inner) => self.get(p, inner, param),
            }
        }
        /// Executes a function; false once the program has ended.
        fn run(&mut self, p: &Program, f: usize, param: Option<usize>) -> bool {
            self.entered += 1;
            if self.entered > 200 {
                return false;
            }
            let mut param = param;
            for (i, act) in p.bodies[f].iter().enumerate() {
                match act {
                    Do::Set(s, g) | Do::Out(s, g) => {
                        let value = self.get(p, g, param);
                        match s {
                            Slot::Param => param = value,
                            s => {
                                self.memory.insert(Run::address(s), value);
                            }
                        }
                    }
                    Do::Call(g, x) => {
                        if let Some(to) = self.get(p, g, param) {
                            self.calls.entry((f, i)).or_default().insert(to);
                            let x = self.get(p, x, param);
                            if !self.run(p, to, x) {
                                return false;
                            }
                        }
                    }
                    Do::Table(o, fs) => {
                        self.memory.insert(Slot::Member(0, *o, 1, false), Some(fs[0]));
                        self.memory.insert(Slot::Member(0, *o, 0, false), Some(fs[1]));
                    }
                    Do::Copy(o) => {
                        for m in 0..2 {
                            let value = self.read(&Slot::Member(1, 1 - o, m, false), None);
                            self.memory.insert(Slot::Member(1, *o, m, false), value);
                        }
                    }
                }
            }
            true
        }
    }

    #[test]
    fn executions_call_what_is_reached() {
        let (mut called, mut reachable, mut all) = (0, 0, 0);
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let p = program(&mut rng);
            let text = text(&p);
            let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
            assert!(unit.problems.is_empty(), "{:?}\n{text}", unit.problems);
            let units = [unit];
            within_types(&units);
            let s = skeleton(&units);
            let mut run = Run::default();
            run.run(&p, FUNCS, None);
            for (f, body) in p.bodies.iter().enumerate() {
                let name = if f < FUNCS { format!("f{f}") } else { "main".to_owned() };
                let found = reached(&s, &name);
                let calls: Vec<usize> =
                    (0..body.len()).filter(|&i| matches!(body[i], Do::Call(..))).collect();
                assert_eq!(found.len(), calls.len(), "{text}");
                for (i, found) in calls.into_iter().zip(found) {
                    let found: BTreeSet<&str> =
                        found.split(' ').filter(|n| !n.is_empty()).collect();
                    reachable += found.len();
                    all += FUNCS;
                    for to in run.calls.get(&(f, i)).into_iter().flatten() {
                        called += 1;
                        assert!(
                            found.contains(&*format!("f{to}")),
                            "seed {seed}: {name} calls f{to} at {i}, not only {found:?}\n{text}"
                        );
                    }
                }
            }
        }
        assert!(called > 400, "{called} calls are too few");
        // It is of some use.
        assert!(reachable * 10 < all * 9, "{reachable} of {all}");
    }
}

#[test]
fn what_is_reached_is_of_a_fitting_type() {
    for text in [
        "void g(int x) {} int h(void) { return 1; } void (*p)(int) = g; int (*q)(void) = h; void f(void *v) { p(1); q(); ((void (*)(int)) v)(2); }",
        "struct s { void (*p)(int); int (*q)(void); }; void g(int x) {} int h(void) { return 1; } struct s t[] = { { g, h } };
         void f(struct s *x) { x->p(1); x->q(); t[0].p(2); }",
    ] {
        within_types(&units(&[text]));
    }
    let names: BTreeSet<String> = reached(
        &skeleton(&units(&["void g(int x) {} int h(int x) { return 1; } void *p = g, *q = h; \
            void f(void) { ((void (*)(int)) p)(1); ((int (*)(int)) p)(1); } int main(void) { f(); return 0; }"])),
        "f",
    )
    .into_iter()
    .collect();
    // What is in a pointer is called, through whatever type.
    assert_eq!(names, BTreeSet::from(["g".to_owned()]));
}
