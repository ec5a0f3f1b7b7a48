//! What points read, write and call, with the types that C gives it.

use front_c::{Access, Body, Doing, Flow, Skeleton, Ty, Unit, parse, skeleton, type_text};

struct C {
    units: Vec<Unit>,
    skeleton: Skeleton,
}

fn of(text: &str) -> C {
    let unit = parse(&format!("# 1 \"f.c\"\n{text}"));
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    let units = vec![unit];
    let skeleton = skeleton(&units);
    C { units, skeleton }
}

impl C {
    fn body(&self, name: &str) -> &Body {
        let f = self.skeleton.func_named(name).expect("a function");
        self.skeleton.body(f).expect("a body")
    }
    fn ty(&self, ty: Ty) -> String {
        type_text(&self.units, ty).unwrap_or_else(|| "?".to_owned())
    }
    fn access(&self, a: &Access) -> String {
        let doing = match a.doing {
            Doing::Read => "read",
            Doing::Write => "write",
            Doing::Address => "address",
        };
        let object = a.object.map_or("_", |o| &self.skeleton.objects[o.index()].name);
        format!("{doing} {object}: {}", self.ty(a.ty))
    }
    /// Of each point that does anything: its accesses, and its call.
    fn points(&self, name: &str) -> Vec<String> {
        let body = self.body(name);
        let mut out = Vec::new();
        for point in &body.points {
            let range = point.accesses.start as usize..point.accesses.end as usize;
            let mut all: Vec<String> =
                body.accesses[range].iter().map(|a| self.access(a)).collect();
            if let Flow::Call(call) = &point.flow {
                let args: Vec<String> = call.arg_types.iter().map(|&t| self.ty(t)).collect();
                let mut text = format!("call({})", args.join(", "));
                if let Some(o) = call.result {
                    let result = &self.skeleton.objects[o.index()].name;
                    text += &format!(" -> {result}: {}", self.ty(call.result_type));
                }
                all.push(text);
            }
            if !all.is_empty() {
                out.push(all.join(", "));
            }
        }
        out
    }
    fn silent(&self, name: &str) -> Vec<String> {
        let silent = &self.body(name).silent;
        silent.iter().map(|(p, a)| format!("{p} {}", self.access(a))).collect()
    }
}

/// The points of a function `f` with the given parameters and body.
fn points(params: &str, body: &str) -> Vec<String> {
    let types = "struct s { int n; struct s *next; char name[8]; unsigned bits : 3; };";
    let others = "int g(int, ...); int *where(void); struct s make(void); extern int x, y;";
    of(&format!("{types} {others} void f({params}) {{ {body} }}")).points("f")
}

#[test]
fn reads_and_writes_have_their_types_in_order() {
    assert_eq!(points("", "x = y;"), ["read y: int, write x: int"]);
    assert_eq!(points("char c", "x = c + y * 2;"), ["read c: char, read y: int, write x: int"]);
    // Twice is twice: events are a set, accesses are what happens.
    assert_eq!(points("", "x = y + y;"), ["read y: int, read y: int, write x: int"]);
    assert_eq!(points("", "x += y;"), ["read x: int, read y: int, write x: int"]);
    assert_eq!(points("long n", "n++;"), ["read n: long, write n: long"]);
    assert_eq!(points("", "if (x < y) ;"), ["read x: int, read y: int"]);
}

#[test]
fn pointers_on_the_way_are_read_first() {
    assert_eq!(
        points("struct s *p", "x = p->next->n;"),
        ["read p: struct s*, read p->next: struct s*, read p->next->n: int, write x: int"]
    );
    assert_eq!(
        points("struct s *p", "p->next->n = x;"),
        ["read p: struct s*, read p->next: struct s*, read x: int, write p->next->n: int"]
    );
    assert_eq!(points("int **q", "**q = 1;"), ["read q: int**, read *q: int*, write **q: int"]);
    // A field of a structure is read without the rest.
    assert_eq!(points("struct s v", "x = v.n;"), ["read v.n: int, write x: int"]);
    assert_eq!(points("struct s v", "x = v.bits;"), ["read v.bits: uint3, write x: int"]);
}

#[test]
fn an_access_has_the_type_of_its_expression() {
    // The object is that of `*p`, the access is one byte.
    assert_eq!(points("int *p", "*(char *) p = 1;"), ["read p: int*, write *p: char"]);
    assert_eq!(
        points("void *p", "x = ((struct s *) p)->n;"),
        ["read p: void*, read p->n: int, write x: int"]
    );
    assert_eq!(
        points("int *p", "x = *(short *) (p + 1);"),
        ["read p: int*, read _: short, write x: int"]
    );
}

#[test]
fn what_has_no_name_is_there_too() {
    // The call comes first, the read after it.
    assert_eq!(points("", "x = *where();"), ["call()", "read _: int, write x: int"]);
    assert_eq!(points("", "*where() = y;"), ["call()", "read y: int, write _: int"]);
    assert_eq!(points("", "*where() += y;"), ["call()", "read _: int, read y: int, write _: int"]);
    assert_eq!(points("", "++*where();"), ["call()", "read _: int, write _: int"]);
    // A field of what a call returns is no memory.
    assert_eq!(points("", "x = make().n;"), ["call()", "write x: int"]);
    assert_eq!(points("", "asm(\"\" : : : \"memory\");"), ["write _: ?"]);
}

#[test]
fn addresses_are_no_reads() {
    assert_eq!(points("int *p", "p = &x;"), ["address x: int, write p: int*"]);
    assert_eq!(points("int *p", "int a[3]; p = a;"), ["address a: int*, write p: int*"]);
    assert_eq!(
        points("int *p, struct s *q", "p = &q->n;"),
        ["read q: struct s*, address q->n: int, write p: int*"]
    );
    assert_eq!(
        points("char *p, struct s *q", "p = q->name;"),
        ["read q: struct s*, address q->name: char*, write p: char*"]
    );
    // Nothing is evaluated.
    assert_eq!(points("int *p", "x = sizeof *p;"), ["write x: int"]);
}

#[test]
fn calls_have_types() {
    assert_eq!(
        points("short h", "x = g(h, 1, 2L, &y);"),
        ["read h: short, address y: int, call(short, int32, int64, int*) -> x: int"]
    );
    assert_eq!(
        points("int *p", "*(char *) p = g(x);"),
        ["read p: int*", "read x: int, call(int) -> *p: char"]
    );
    assert_eq!(points("int (*h)(char)", "(*h)(1);"), ["read h: ?, call(int32)"]);
    // Arguments are converted where values meet.
    assert_eq!(
        points("char c", "g(c + c, c < 1, -c);"),
        ["read c: char, read c: char, read c: char, read c: char, call(int32, int32, int32)"]
    );
}

#[test]
fn what_no_point_has_is_kept() {
    let c = of("void f(void) { *(volatile int *) 4096; ; }");
    assert_eq!(c.silent("f"), ["0 read _: int"]);
    let c = of("int *where(void); void f(int x) { x = x && *where(); *where(); x = 1; }");
    let silent = c.silent("f");
    assert_eq!(silent.len(), 2, "{silent:?}");
    assert!(silent.iter().all(|s| s.ends_with("read _: int")));
}

#[test]
fn every_access_belongs_to_one_point_or_is_silent() {
    let text = "struct s { int n; struct s *p; }; int g(int); int x; int *w(void);\
        int f(struct s *s, int n) { switch (s->n) { case 1: x = s->p->n ? g(n) : *w(); break;\
        default: for (int i = 0; i < n && *w(); i++) { if (!s->p) goto out; s = s->p; } }\
        x = ({ int y = n; y + 1; }), n += g(x) + (*w())++; out: return n ? s->n : *w(); }";
    let c = of(text);
    let body = c.body("f");
    let mut times = vec![0; body.accesses.len()];
    for point in &body.points {
        for a in point.accesses.clone() {
            times[a as usize] += 1;
        }
    }
    let silent = body.silent.len();
    assert!(times.iter().all(|&n| n <= 1));
    assert_eq!(times.iter().filter(|&&n| n == 0).count(), silent);
    assert!(times.len() > 25, "{}", times.len());
}
