//! Program points and events, construct by construct.

use front_c::{Flow, Next, Options, Skeleton, Test, lower, parse, skeleton};

fn of(text: &str) -> Skeleton {
    let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    let skeleton = skeleton(&[unit]);
    let lowered = lower(&skeleton, &Options::default()).expect("a program");
    lowered.program.validate().expect("a valid program");
    let options = Options { feasibility: true, ..Options::default() };
    let lowered = lower(&skeleton, &options).expect("a program");
    lowered.program.validate().expect("a valid program");
    skeleton
}

fn next(n: Next) -> String {
    match n {
        Next::Point(p) => p.to_string(),
        Next::Stop => "stop".to_owned(),
        Next::Spin => "spin".to_owned(),
    }
}

/// The points of one function: `number: text {events} -> where`.
fn listing(s: &Skeleton, name: &str) -> String {
    let f = s.func_named(name).unwrap_or_else(|| panic!("no {name}"));
    let body = s.body(f).expect("a body");
    let mut out = String::new();
    if body.entry != Next::Point(0) {
        out += &format!("entry {}\n", next(body.entry));
    }
    for (i, p) in body.points.iter().enumerate() {
        let mut events: Vec<String> = p.events.iter().map(|&e| s.event_text(e)).collect();
        let mut targets = Vec::new();
        let flow = match &p.flow {
            Flow::Next(n) => format!("-> {}", next(*n)),
            Flow::Return => String::new(),
            Flow::Branch(arms) => {
                let arms: Vec<String> = arms
                    .iter()
                    .map(|a| {
                        let events: Vec<String> =
                            a.events.iter().map(|&e| s.event_text(e)).collect();
                        format!("{} {{{}}}", next(a.next), events.join(", "))
                    })
                    .collect();
                format!("-> {}", arms.join(" | "))
            }
            Flow::Call(call) => {
                for &t in &call.targets {
                    let (before, after) = s.call_events(call, Some(t));
                    events.extend(before.into_iter().filter(|e| !e.starts_with("arg(")));
                    targets.push(s.funcs[t.index()].name.clone());
                    if !after.is_empty() {
                        let after: Vec<String> =
                            after.into_iter().filter(|e| !e.starts_with("result(")).collect();
                        events.push(format!("after: {}", after.join(" ")));
                    }
                }
                format!("calls {} -> {}", targets.join("/"), next(call.next))
            }
        };
        let short = |e: &String| e.replace(&format!("{name}::"), "");
        let events: Vec<String> = events.iter().map(short).collect();
        let line = format!("{i}: {} {{{}}} {flow}", p.text, events.join(", "));
        out += &short(&line);
        out = out.trim_end().to_owned() + "\n";
    }
    out
}

fn check(text: &str, expected: &str) {
    let found = listing(&of(text), "f");
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found, expected, "\n{text}\nfound:\n{}", found.join("\n"));
}

#[test]
fn a_call_with_its_arguments_and_result_is_one_point() {
    // DESIGN: `v = save_bdd(g(p, q))`.
    check(
        "typedef struct bdd *bdd_ptr; bdd_ptr save_bdd(bdd_ptr); bdd_ptr g(bdd_ptr, bdd_ptr);
         bdd_ptr v; void f(bdd_ptr p, bdd_ptr q) { v = save_bdd(g(p, q)); }",
        "0: g(p, q) {use(p), use(q), call(g), call(g, p), call(g, q)} calls g -> 1
         1: v = save_bdd(g(p, q)) {call(save_bdd), after: assign(v) call(save_bdd, v)} calls save_bdd -> 2
         2: } {return}",
    );
    check(
        "int g(int), h(int, int, int); void f(int x, int y, int z) { h(x, g(y), z); }",
        "0: g(y) {use(y), call(g), call(g, y)} calls g -> 1
         1: h(x, g(y), z) {use(x), use(z), call(h), call(h, x), call(h, z)} calls h -> 2
         2: } {return}",
    );
    // Uses before the call are a point of their own; the sum is no result of the call.
    check(
        "int g(int); void f(int a, int x, int y) { a = y + g(x); }",
        "0: g(x) {use(y)} -> 1
         1: g(x) {use(x), call(g), call(g, x)} calls g -> 2
         2: a = y + g(x) {assign(a)} -> 3
         3: } {return}",
    );
}

#[test]
fn plain_expressions_are_one_point() {
    check(
        "void f(int a, int b) { a = b = 0; a = b; a += b; a++; (void) a; b; }",
        "0: a = b = 0 {assign(b), assign(a), copy(a, b)} -> 1
         1: a = b {use(b), assign(a), copy(a, b)} -> 2
         2: a += b {use(a), use(b), assign(a)} -> 3
         3: a++ {use(a), assign(a)} -> 4
         4: b {use(b)} -> 5
         5: } {return}",
    );
    check(
        "struct s { int x; struct s *next; int a[3]; }; int g[4];
         void f(struct s *p, struct s t, int i) { p->x = i; t.x = p->next->x; g[i] = 1; p->a[i] = 2; *(&i) = 3; (&t)->x = 4; }",
        "0: p->x = i {deref(p), use(p), use(i), assign(p->x), store, copy(p->x, i)} -> 1
         1: t.x = p->next->x {use(p->next->x), deref(p->next), use(p->next), deref(p), use(p), assign(t.x), modify(t), copy(t.x, p->next->x)} -> 2
         2: g[i] = 1 {use(i), modify(g)} -> 3
         3: p->a[i] = 2 {use(i), deref(p), use(p), modify(p->a), store} -> 4
         4: *(&i) = 3 {assign(i)} -> 5
         5: (&t)->x = 4 {assign(t.x), modify(t)} -> 6
         6: } {return}",
    );
    check(
        "void lock(int *); void f(int m) { lock(&m); }",
        "0: lock(&m) {address(m), call(lock), call(lock, &m)} calls lock -> 1
         1: } {return}",
    );
}

#[test]
fn conditions_branch_and_tell_what_they_test() {
    check(
        "void f(int a, int b, int c) { if (a && (b || !c)) a = 1; else a = 2; }",
        "0: a {use(a)} -> 1 {test(a != 0)} | 4 {test(a == 0)}
         1: b {use(b)} -> 3 {test(b != 0)} | 2 {test(b == 0)}
         2: !c {use(c)} -> 3 {test(c == 0)} | 4 {test(c != 0)}
         3: a = 1 {assign(a)} -> 5
         4: a = 2 {assign(a)} -> 5
         5: } {return}",
    );
    check(
        "void *open(void); void f(void *p, int n) { if ((p = open()) == (void *) 0) return; if (0 > n) n = 1; while (n != 3) ; }",
        "0: p = open() {call(open), after: assign(p) call(open, p)} calls open -> 1
         1: if ((p = open()) == (void *) 0) {} -> 2 {test(p == 0)} | 3 {test(p != 0)}
         2: return {return}
         3: if (0 > n) {use(n)} -> 4 {test(n < 0)} | 5 {test(n >= 0)}
         4: n = 1 {assign(n)} -> 5
         5: while (n != 3) {use(n)} -> 5 {test(n != 3)} | 6 {test(n == 3)}
         6: } {return}",
    );
    check(
        "int g(void); int f(int a, int b, int x) { x = a ? b : g(); x = a && b; x = a ?: b; return a ? x : b; }",
        "0: a {use(a)} -> 1 {test(a != 0)} | 2 {test(a == 0)}
         1: b {use(b), assign(x), copy(x, b)} -> 3
         2: g() {call(g), after: assign(x) call(g, x)} calls g -> 3
         3: a {use(a)} -> 4 {test(a != 0)} | 5 {test(a == 0)}
         4: b {use(b)} -> 5
         5: x = a && b {assign(x)} -> 6
         6: a {use(a)} -> 8 {test(a != 0)} | 7 {test(a == 0)}
         7: b {use(b)} -> 8
         8: x = a ?: b {assign(x)} -> 9
         9: a {use(a)} -> 10 {test(a != 0)} | 11 {test(a == 0)}
         10: return a ? x : b {use(x), return(x), return}
         11: return a ? x : b {use(b), return(b), return}
         12: } {return}",
    );
    // Constants decide.
    check(
        "static int yes = 1; enum { NO }; void g(void); void f(void) { if (yes) g(); if (NO || 5 == 4) g(); while (1) ; }",
        "0: if (yes) {use(yes)} -> 1
         1: g() {call(g)} calls g -> spin
         2: g() {call(g)} calls g -> spin
         3: } {return}",
    );
    check(
        "int __builtin_expect(int, int); void f(int a) { if (__builtin_expect(!!(a), 0)) a = 1; }",
        "0: if (__builtin_expect(!!(a), 0)) {use(a)} -> 1 {test(a != 0)} | 2 {test(a == 0)}
         1: a = 1 {assign(a)} -> 2
         2: } {return}",
    );
}

#[test]
fn conditions_and_their_opposites_are_said_as_they_are_written() {
    let check = |condition: &str, said: [&str; 2]| {
        let s = of(&format!("void f(int a, int b, int *p) {{ if ({condition}) a = 1; }}"));
        let point = s.bodies[0].points.iter().find(|p| p.test.is_some()).expect("a condition");
        let Some(Test::Condition(ways, _)) = point.test.as_deref() else { panic!("{condition}") };
        assert_eq!(ways.each_ref().map(|way| &**way), said, "{condition}");
    };
    check("a>2", ["a>2", "a<=2"]);
    check("a <= b", ["a <= b", "a > b"]);
    check("(a | b) == 2", ["(a | b) == 2", "(a | b) != 2"]);
    check("((a)) < (b >> 1)", ["((a)) < (b >> 1)", "((a)) >= (b >> 1)"]);
    check("(a << 1)<b", ["(a << 1)<b", "(a << 1)>=b"]);
    check("!(a != (b))", ["!(a != (b))", "a != (b)"]);
    check("!a", ["!a", "a"]);
    check("*p", ["*p", "!*p"]);
    check("g(a)", ["g(a)", "!g(a)"]);
    check("a & b", ["a & b", "!(a & b)"]);
    check("(a = b)", ["a = b", "!(a = b)"]);
    let s = of("void f(int a) { switch (a + 1) { case 1: g(); } }");
    let subject = s.bodies[0].points[0].test.as_deref();
    assert_eq!(subject, Some(&Test::Subject("a + 1".into())));
}

#[test]
fn statements_keep_their_parentheses() {
    let s = of("void f(int a, char *s) {
        int x = (a | 3), y = ((a) + ')'), z = g((a));
        char *t = (s ? s : \"(\");
        if (x) __assert_fail(\"a == \\\"(\\\"\", \"f.c\", 1, \"f\");
    }");
    let texts: Vec<&str> = s.bodies[0].points.iter().map(|p| &*p.text).collect();
    for wanted in ["x = (a | 3)", "y = ((a) + ')')", "z = g((a))", "assert(a == \"(\")"] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:#?}");
    }
    assert!(!texts.iter().any(|t| t.starts_with("t = (s") && !t.ends_with(')')), "{texts:#?}");
}

#[test]
fn loops_and_jumps() {
    check(
        "void g(int); void f(int n) { for (int i = 0; i < n; i++) { if (i == 2) continue; if (i == 3) break; g(i); } do n--; while (n > 0); }",
        "0: i = 0 {assign(i)} -> 1
         1: for (…; i < n; …) {use(i), use(n)} -> 2 {} | 6 {}
         2: if (i == 2) {use(i)} -> 5 {test(i == 2)} | 3 {test(i != 2)}
         3: if (i == 3) {use(i)} -> 6 {test(i == 3)} | 4 {test(i != 3)}
         4: g(i) {use(i), call(g), call(g, i)} calls g -> 5
         5: i++ {use(i), assign(i)} -> 1
         6: n-- {use(n), assign(n)} -> 7
         7: while (n > 0) {use(n)} -> 6 {test(n > 0)} | 8 {test(n <= 0)}
         8: } {return}",
    );
    check(
        "void f(int n) { switch (n) { case 1: n = 1; case 2 ... 4: n = 2; break; default: n = 3; case 7: ; } n = 4; }",
        "0: switch (n) {use(n)} -> 1 {test(n == 1)} | 2 {} | 4 {test(n == 7)} | 3 {}
         1: n = 1 {assign(n)} -> 2
         2: n = 2 {assign(n)} -> 4
         3: n = 3 {assign(n)} -> 4
         4: n = 4 {assign(n)} -> 5
         5: } {return}",
    );
    check(
        "void f(int n) { static void *t[] = { &&a, &&b }; goto *t[n]; a: n = 1; goto end; b: n = 2; c: n = 3; end: ; }",
        "0: goto *t[n]; {use(n), use(t)} -> 1 {} | 2 {}
         1: n = 1 {assign(n)} -> 4
         2: n = 2 {assign(n)} -> 3
         3: n = 3 {assign(n)} -> 4
         4: end: {} -> 5
         5: } {return}",
    );
    check(
        "void f(int x, int y) { asm volatile (\"a\" : \"=r\"(x) : \"r\"(y)); asm goto (\"b\" : : \"r\"(y) : : out); x = 1; out: ; }",
        "0: asm volatile (\"a\" : \"=r\"(x) : \"r\"(y)); {use(y), assign(x)} -> 1
         1: asm goto (\"b\" : : \"r\"(y) : : out); {use(y)} -> 2 {} | 3 {}
         2: x = 1 {assign(x)} -> 3
         3: out: {} -> 4
         4: } {return}",
    );
    check("void f(void) { for (;;) ; }", "entry spin\n0: } {return}");
}

#[test]
fn what_does_not_come_back() {
    check(
        "void exit(int); void die(void) __attribute__((noreturn)); void f(int x) { if (x) exit(1); die(); x = 1; }",
        "0: if (x) {use(x)} -> 1 {test(x != 0)} | 2 {test(x == 0)}
         1: exit(1) {exit, call(exit)} calls exit -> stop
         2: die() {call(die)} calls die -> stop
         3: x = 1 {assign(x)} -> 4
         4: } {return}",
    );
}

#[test]
fn cleanups_run_at_every_way_out() {
    check(
        "void g(int *); void f(int n) { { int a __attribute__((cleanup(g))) = 1; if (n) goto out; while (n) { int b __attribute__((cleanup(g))); break; } } n = 3; out: ; }",
        "0: a __attribute__((cleanup(g))) = 1 {assign(a)} -> 1
         1: if (n) {use(n)} -> 9 {test(n != 0)} | 2 {test(n == 0)}
         2: while (n) {use(n)} -> 3 {test(n != 0)} | 5 {test(n == 0)}
         3: break; {address(b), call(g), call(g, &b)} calls g -> 5
         4: } {address(b), call(g), call(g, &b)} calls g -> 2
         5: } {address(a), call(g), call(g, &a)} calls g -> 6
         6: n = 3 {assign(n)} -> 7
         7: out: {} -> 8
         8: } {return}
         9: goto out; {address(a), call(g), call(g, &a)} calls g -> 7",
    );
    check(
        "void g(int *); int h(void); int f(void) { int a __attribute__((cleanup(g))) = h(); return a; }",
        "0: a __attribute__((cleanup(g))) = h() {call(h), after: assign(a) call(h, a)} calls h -> 1
         1: return a {use(a)} -> 2
         2: return a {address(a), call(g), call(g, &a)} calls g -> 3
         3: return a {return(a), return}
         4: } {address(a), call(g), call(g, &a)} calls g -> 5
         5: } {return}",
    );
}

#[test]
fn calls_through_pointers_reach_what_is_in_them() {
    let text = "struct ops { int (*run)(int *); void (*stop)(void); };
        int one(int *p) { return *p; } int two(int *p) { return 2; } int three(void) { return 3; } void four(void) {}
        int ext(int *);
        struct ops o = { one, four }, e = { ext }; int (*other)(int *) = ext; int (*third)(void) = three;
        int f(struct ops *p, int x) { x = p->run(&x); (*p->stop)(); return other(&x); }";
    check(
        text,
        "0: x = p->run(&x) {use(p->run), deref(p), use(p), address(x), call(*), call(one), call(one, &x), bind(one::p, &x), after: assign(x) call(one, x), call(*), call(ext), call(ext, &x), after: assign(x) call(ext, x)} calls one/ext -> 1
         1: (*p->stop)() {use(p->stop), deref(p), use(p), call(*), call(four)} calls four -> 2
         2: other(&x) {use(other), address(x), call(*), call(ext), call(ext, &x)} calls ext -> 3
         3: return other(&x) {return}
         4: } {return}",
    );
    let s = of("void f(void (*g)(int)) { g(1); }");
    assert_eq!(
        s.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["f.c:1:26: no function fits this call through a pointer; it is an event only"]
    );
}

#[test]
fn statement_expressions_and_scopes() {
    check(
        "int g(int); int f(int x) { x = ({ int x = g(1); x++; x; }); return x; }",
        "0: x = g(1) {call(g), after: assign(x#2) call(g, x#2)} calls g -> 1
         1: x++ {use(x#2), assign(x#2)} -> 2
         2: x = ({ int x = g(1); x++; x; }) {use(x#2), assign(x), copy(x, x#2)} -> 3
         3: return x {use(x), return(x), return}
         4: } {return}",
    );
}

#[test]
fn long_chains_do_not_nest() {
    of(&format!("int f(int x) {{ return x{}; }}", " + x".repeat(50_000)));
    of(&format!("int f(int x) {{ return x{}; }}", " && x".repeat(20_000)));
    of(&format!("int g(int); int f(int x) {{ return 1{}; }}", " + g(x)".repeat(5_000)));
    of(&format!("void f(int x) {{ {} ; }}", "if (x) ; else ".repeat(20_000)));
    of(&format!("void f(int x) {{ x = {} 1; }}", "x = ".repeat(20_000)));
    of(&format!("int f(int x) {{ return {} 1; }}", "x ? 2 : ".repeat(20_000)));
    let cases: String = (0..20_000).map(|i| format!("case {i}: ")).collect();
    of(&format!("void f(int x) {{ switch (x) {{ {cases} ; }} }}"));
    of(&format!(
        "struct s {{ struct s *n; }}; void f(struct s *p) {{ p{} = p; }}",
        "->n".repeat(50_000)
    ));
}

#[test]
fn units_are_linked_and_statics_kept_apart() {
    let a = parse(
        "# 1 \"a.c\"\nstatic int s; int g; static void help(void) { s = 1; } extern void b(void); int main(void) { help(); b(); g = 1; return 0; }",
    );
    let b = parse(
        "# 1 \"b.c\"\nstatic int s; extern int g; static void help(void) { s = 2; g = 2; } void b(void) { help(); }",
    );
    let s = skeleton(&[a, b]);
    assert_eq!(
        listing(&s, "main"),
        "0: help() {call(help)} calls help -> 1\n1: b() {call(b)} calls b -> 2\n2: g = 1 {assign(g)} -> 3\n3: return 0 {return, exit}\n4: } {return, exit}\n"
    );
    assert!(listing(&s, "help@a.c").contains("assign(s)"));
    assert!(listing(&s, "help@b.c").contains("assign(s#2)"));
    let lowered = lower(&s, &Options::default()).expect("a program");
    assert_eq!(lowered.program.proc_name(lowered.program.entry), "main");
    assert_eq!(lowered.program.procs.len(), 4);
}

#[test]
fn operands_are_walked_from_left_to_right() {
    check(
        "int g(int), h(int); int a[9]; void f(int x, int y) { a[g(x)] = h(y); }",
        "0: g(x) {use(x), call(g), call(g, x)} calls g -> 1
         1: a[g(x)] = h(y) {use(y), call(h), call(h, y), after: modify(a) call(h, a[])} calls h -> 2
         2: } {return}",
    );
    check(
        "int g(int), h(int); int f(int x, int y) { return g(x), h(y); }",
        "0: g(x) {use(x), call(g), call(g, x)} calls g -> 1
         1: h(y) {use(y), call(h), call(h, y)} calls h -> 2
         2: return g(x), h(y) {return}
         3: } {return}",
    );
    // What is not evaluated has no events; the size of an array is.
    check(
        "int g(void), n(void); void f(int x) { x = sizeof(g()) + sizeof g(); __typeof__(g()) y; int a[n()]; (void) _Generic(g(), int: x, default: 2); }",
        "0: x = sizeof(g()) + sizeof g() {assign(x)} -> 1
         1: n() {call(n)} calls n -> 2
         2: _Generic(g(), int: x, default: 2) {} -> 3 {} | 4 {}
         3: x {use(x)} -> 4
         4: } {return}",
    );
}

#[test]
fn cases_may_stand_anywhere_in_a_switch() {
    // Duff's device.
    check(
        "void g(int); void f(int n) { switch (n % 2) { case 0: do { g(0); case 1: g(1); } while (--n > 0); } }",
        "0: switch (n % 2) {use(n)} -> 1 {} | 2 {} | 5 {}
         1: g(0) {call(g)} calls g -> 2
         2: g(1) {call(g)} calls g -> 3
         3: while (--n > 0) {use(n), assign(n)} -> 4
         4: while (--n > 0) {} -> 1 {test(n > 0)} | 5 {test(n <= 0)}
         5: } {return}",
    );
    // Without braces, without a default, with a jump into a block.
    check(
        "void g(int); void f(int n) { switch (n) case 3: g(3); { goto in; { g(4); in: g(5); } } }",
        "0: switch (n) {use(n)} -> 1 {test(n == 3)} | 3 {}
         1: g(3) {call(g)} calls g -> 3
         2: g(4) {call(g)} calls g -> 3
         3: g(5) {call(g)} calls g -> 4
         4: } {return}",
    );
}

#[test]
fn old_and_new_c_have_the_same_points() {
    for text in [
        "int g(); f(a, b) int a; char *b; { return g(a, b); }",
        "int g(); int f(int a, char *b) { return g(a, b); }",
        "int g(); int f(int a, char *b) { __extension__ return ({ g(a, b); }); }",
    ] {
        let text = text.replace("__extension__ return", "return");
        let found = listing(&of(&text), "f");
        assert!(
            found.contains("{use(a), use(b), call(g), call(g, a), call(g, b)} calls g"),
            "{found}"
        );
    }
    check(
        "struct s { unsigned a : 3; int v __attribute__((vector_size(16))); }; typedef int v4 __attribute__((vector_size(16)));
         void f(struct s s, v4 x, v4 y, __int128 z) { s.a = 1; x = x + y; y = (v4) { 1, z }; }",
        "0: s.a = 1 {assign(s.a), modify(s)} -> 1
         1: x = x + y {use(x), use(y), assign(x)} -> 2
         2: y = (v4) { 1, z } {use(z), assign(y)} -> 3
         3: } {return}",
    );
}

#[test]
fn elements_of_vectors_are_parts_of_them() {
    check(
        "typedef int v4 __attribute__((vector_size(16))); struct s { v4 v; };
         void f(v4 v, struct s *p, int i, int *q) { v[i] = i; i = v[0] + p->v[1]; p->v[i] = 2; i[q] = 3; 1[q] = i; }",
        "0: v[i] = i {use(i), modify(v), copy(v[], i)} -> 1
         1: i = v[0] + p->v[1] {use(v), use(p->v), deref(p), use(p), assign(i)} -> 2
         2: p->v[i] = 2 {use(i), deref(p), use(p), modify(p->v), store} -> 3
         3: i[q] = 3 {use(i), deref(q), use(q), assign(*q), store} -> 4
         4: 1[q] = i {deref(q), use(q), use(i), assign(*q), store, copy(*q, i)} -> 5
         5: } {return}",
    );
}

#[test]
fn what_is_not_modelled_is_said() {
    // A computed goto whose labels are not known.
    let unit = parse(
        "# 1 \"f.c\"\nvoid f(void *p) { goto *p; a: ; b: ; }\nvoid g(void *p) { goto *p; }\nvoid h(void) { void *p = &&a; goto *p; a: ; }\n",
    );
    let said: Vec<String> = skeleton(&[unit]).warnings.iter().map(ToString::to_string).collect();
    let what = "no label of this function has its address taken, for a computed `goto`";
    assert_eq!(
        said,
        [
            format!("f.c:1:19: {what}; it may go to any label"),
            format!("f.c:2:19: {what}; it goes nowhere"),
        ]
    );
    // A function that was not read is an event only, and said to be left out.
    let unit = parse("# 1 \"f.c\"\nvoid g(void) { @ }\nvoid f(void) { g(); }\n");
    let s = skeleton(&[unit]);
    assert_eq!(listing(&s, "f"), "0: g() {call(g)} calls g -> 1\n1: } {return}\n");
    assert_eq!(
        s.warnings[0].to_string(),
        "f.c:1:16: `g` is left out: expected an expression, found `@`"
    );
}
