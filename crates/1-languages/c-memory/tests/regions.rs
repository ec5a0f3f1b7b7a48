use c_memory::PointsTo;

fn of(text: &str) -> (c_data::Program, PointsTo) {
    let unit = front_c::parse(text);
    let program = c_data::lower(std::slice::from_ref(&unit), 1, c_types::Model::LP64);
    let memory = c_memory::points_to(&program, &|| false).expect("little work");
    (program, memory)
}

/// Each region as its cells.
fn regions(text: &str) -> Vec<String> {
    let (program, memory) = of(text);
    let shown = memory.describe(&program);
    let cells = |line: &str| {
        let (_, rest) = line.split_once(": ").expect("a region");
        rest.split("  ;").next().unwrap_or_default().to_owned()
    };
    let mut out: Vec<String> = shown.lines().map(cells).collect();
    out.sort();
    out
}

#[test]
fn members_are_apart_and_elements_are_not() {
    let text = "struct s { int n; char text[8]; struct s *next; } all[4];
        int main(void) { for (int i = 0; i < 4; i++) { all[i].n = i; all[i].text[i] = 0; all[2].next = all; } return all[1].n; }";
    assert_eq!(regions(text), ["all[].n", "all[].next", "all[].text[]"]);
}

#[test]
fn what_one_pointer_may_reach_is_one_region() {
    let text = "int a, b, c; int main(int argc, char **argv) { int *p = argc > 1 ? &a : &b; *p = 1; c = 2; return a + c; }";
    assert_eq!(regions(text), ["a, b", "c"]);
}

#[test]
fn allocated_objects_have_the_members_of_what_points_to_them() {
    let text = "void *malloc(unsigned long); struct n { int v; char name[12]; struct n *next; };
        static void *get(unsigned long n) { return malloc(n); }
        int main(void) { struct n *a = get(sizeof *a), *b = malloc(sizeof *b);
          a->v = 1; a->next = b; b->v = 2; b->next = a; for (int i = 0; i < 12; i++) a->name[i] = 0;
          return a->next->next->v; }";
    // Which of the two a pointer leads to is known, too.
    let found = regions(text);
    let members = |name: &str| found.iter().filter(|r| r.ends_with(name)).count();
    assert_eq!((members(".v"), members(".next"), members(".name[]"), found.len()), (2, 2, 1, 5));
}

#[test]
fn arrays_of_allocated_words_are_one_word() {
    let text = "void *malloc(unsigned long); int main(int c, char **v) { long *p = malloc(80); long **q = malloc(80);
          p[3] = 1; p[c] = 2; q[c] = p; q[1] = p; return *q[2]; }";
    let found = regions(text);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn copies_of_structs_keep_members_apart() {
    let text = "struct s { int *p; int *q; } a, b; int x, y;
        int main(void) { a.p = &x; a.q = &y; b = a; *b.p = 1; *b.q = 2; return x + y; }";
    let found = regions(text);
    assert!(found.contains(&"x".to_owned()) && found.contains(&"y".to_owned()), "{found:?}");
}

#[test]
fn calls_through_pointers_are_followed() {
    let text = "static int a, b; static int f(int *p) { return *p; } static int g(int *p) { return *p + 1; }
        static int (*table[2])(int *) = { f, g };
        int main(int c, char **v) { int (*h)(int *) = table[c & 1]; return h(&a) + g(&b); }";
    let (program, memory) = of(text);
    let main = program.function("main").expect("main");
    let calls = program.functions[main.index()].blocks.iter().enumerate().flat_map(|(b, block)| {
        let is_call = |s: &c_data::Stmt| {
            matches!(&s.kind, c_data::StmtKind::Call(c) if matches!(c.callee, c_data::Callee::Indirect(_)))
        };
        let at = block.stmts.iter().enumerate().filter(move |(_, s)| is_call(s));
        at.map(move |(s, _)| (c_data::BlockId::new(b), s as u32))
    });
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 1);
    let here =
        c_data::Operation { function: main, block: calls[0].0, stmt: calls[0].1, expr: None };
    let (targets, open) = memory.callees(&here).expect("a call");
    let names: Vec<&str> =
        targets.iter().map(|f| program.functions[f.index()].name.as_str()).collect();
    assert_eq!((names, open), (vec!["f", "g"], false));
}

#[test]
fn what_is_given_away_is_touched_outside() {
    let text = "void unknown(int **); int x, y; int main(void) { int *p = &x; unknown(&p); *p = 3; y = 1; return x; }";
    let (program, memory) = of(text);
    let shown = memory.describe(&program);
    let line = |name: &str| shown.lines().find(|l| l.contains(name)).unwrap_or("").to_owned();
    assert!(line("x").contains("touched outside"), "{shown}");
    assert!(!line(": y ").contains("touched outside"), "{shown}");
}

#[test]
fn unions_and_casts_make_bytes() {
    let text = "union u { int i; char c[4]; } u; int main(void) { u.i = 1; return u.c[2]; }";
    let (program, memory) = of(text);
    assert!(memory.describe(&program).contains("bytes,"), "{}", memory.describe(&program));
    assert_eq!(memory.regions().len(), 1);
}

#[test]
fn containers_are_found_from_their_members() {
    let text = "struct link { struct link *next; }; struct item { int v; struct link in; };
        struct item a, b; int main(void) { a.in.next = &b.in; struct link *l = a.in.next;
          struct item *i = (struct item *)((char *)l - 8); i->v = 3; return b.v; }";
    let found = regions(text);
    assert!(found.contains(&"b.v".to_owned()), "{found:?}");
}

#[test]
fn a_record_may_be_walked_over_by_its_first_array() {
    let text = "struct t { unsigned char s[16]; unsigned char a; } x; static int sum(unsigned char *p, int n) {
          int s = 0; while (n--) s += *p++; return s; }
        int main(void) { x.a = 3; return sum((unsigned char *)&x, sizeof x); }";
    assert_eq!(regions(text), ["x"]);
}

#[test]
fn what_is_given_away_is_one_and_the_rest_is_not() {
    // A library: what its functions can be called with is given away, and so is what they leave there.
    let text = "void *malloc(unsigned long); struct n { int *at; struct n *next; }; struct n *list;
        void put(struct n *n, int *at) { struct n *m = malloc(sizeof *m); m->at = at; m->next = n; list = m; }
        int get(void) { return *list->next->at; }
        int apart(int k) { int own[4], *p = own; p[k] = 1; return own[1]; }";
    let (program, memory) = of(text);
    let shown = memory.describe(&program);
    let line = |name: &str| shown.lines().find(|l| l.contains(name)).unwrap_or("").to_owned();
    assert!(line("list").contains("allocated(") && line("list").contains("outside"), "{shown}");
    assert!(line("own").ends_with("4 bytes, 2 accesses"), "{shown}");
}

#[test]
fn copies_between_many_objects_lose_no_address() {
    // 12 times 12 pairs: more than are copied word by word.
    let n = 12;
    let each = |part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<String>();
    let objects = each(&|i| format!("static int x{i}; static struct s s{i}, t{i};\n"));
    let fill = each(&|i| format!("s{i}.q = &x{i};\n"));
    let copy = each(&|i| each(&|j| format!("copy(&t{j}, &s{i});\n")));
    let write = each(&|i| format!("*t{i}.q = 1;\n"));
    let text = format!(
        "void *memcpy(void *, const void *, unsigned long); struct s {{ long a; int *q; }};
         {objects} static int other;
         static void copy(void *to, void *from) {{ memcpy(to, from, sizeof(struct s)); }}
         int main(void) {{ {fill} {copy} {write} other = 1; return 0; }}"
    );
    let (program, memory) = of(&text);
    let x = |i: usize| {
        let found = program.objects.iter().position(|o| o.name == format!("x{i}"));
        let made = c_memory::Made::Static(c_data::ObjectId::new(found.expect("declared")));
        memory.region_at(&program, made, 0)
    };
    assert!(x(0).is_some() && (1..n).all(|i| x(i) == x(0)), "{}", memory.describe(&program));
}
