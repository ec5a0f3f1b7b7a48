//! Places that the control skeleton leaves open, asked again with variables kept: what then holds, and what must not.

use crate::c::Folder;

/// A driver that counts references; `{…}` are parts that twins replace. The assembler keeps the program with its data out.
const DRIVER: &str = "extern int __VERIFIER_nondet_int(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
struct part { int is; struct part *next; };
int refs = 1;
int busy;
DECLARED
int get(void) {
    if (__VERIFIER_nondet_int()) { refs = refs + 1; return GIVEN; }
    return 0;
}
void put(void) { refs--; }
int main(void) {
    struct part *p = __VERIFIER_nondet_pointer();
    long flags = 0;
    int got;
    __asm__ volatile (\"pushf ; pop %0\" : \"=rm\" (flags));
    while (__VERIFIER_nondet_int()) {
        got = get();
        if (p) p->is = 3;
        EXTRA
        if (got) put();
    }
    if (refs != 1) reach_error();
    return 0;
}
";

fn driver(declared: &str, given: &str, extra: &str) -> String {
    DRIVER.replace("DECLARED", declared).replace("GIVEN", given).replace("EXTRA", extra)
}

#[test]
fn counters_and_results_are_kept_where_the_data_is_not_read() {
    let folder = Folder::new("kept", &[("driver.c", &driver("", "1", ""))]);
    let asked = ["check", "driver.c", "--assert", "--self-check", "--proof", "proof.json"];
    let out = folder.bop(&asked).exits(0).out;
    assert!(out.contains("holds: no assertion can fail"), "{out}");
    assert!(out.contains("it is about values that are kept"), "{out}");
    // The proof says what was kept.
    let out = folder.bop(&["replay", "driver.c", "proof.json"]).exits(0).out;
    assert!(out.contains("accepted"), "{out}");
    // Who asks for the skeleton gets the skeleton.
    folder.bop(&["check", "driver.c", "--assert", "--skeleton", "-q"]).exits(1);
}

#[test]
fn what_others_may_change_is_not_kept() {
    let twins = [
        ("never counted", driver("", "1", "if (got) put();")),
        ("another value", driver("", "0", "")),
        ("cut off", driver("", "256", "got = (unsigned char)got;")),
        ("code that is not read", driver("void other(void);", "1", "other();")),
        ("code behind a pointer", driver("void other(void (*f)(void));", "1", "other(put);")),
        ("an address", driver("int *at = &refs;", "1", "*at = __VERIFIER_nondet_int();")),
        ("assembler", driver("", "1", "__asm__ volatile (\"incl refs\" : : : \"memory\");")),
        ("volatile", driver("", "1", "").replace("int refs", "volatile int refs")),
        ("elsewhere", driver("", "1", "").replace("int refs = 1;", "extern int refs;")),
        ("a cast of a result", driver("", "256", "").replace("= get()", "= (char)get()")),
    ];
    for (what, text) in twins {
        let folder = Folder::new("kept_twins", &[("twin.c", &text)]);
        let out = folder.bop(&["check", "twin.c", "--assert", "--timeout", "20s"]);
        let out = out.out;
        assert!(!out.contains("holds"), "{what}: {out}");
    }
}

#[test]
fn results_come_back_from_where_they_were_given() {
    // What a function gives back is its own type's number, from whichever `return`, at any depth.
    let all = [
        ("int f(int n) { if (n > 303) return 7; n = f(n + 1); return n; }", "x == 7", true),
        ("int f(int n) { if (n > 303) return 7; n = f(n + 1); return n + 1; }", "x == 7", false),
        ("char f(int n) { return n; }", "x == 44", true),
        ("unsigned char f(int n) { return n - 301; }", "x == 255", true),
        ("int f(int n) { if (n == 300) return 5; }", "x == 5", true),
        ("int f(int n) { if (n == 299) return 5; }", "x == 5", false),
        ("_Bool f(int n) { return n; }", "x == 1", true),
        ("int g; int f(int n) { g = 4; return g; }", "x == 4 && g == 4", true),
        ("int g; int f(int n) { int y = g; g = 4; return y; }", "x == 4", false),
    ];
    for (text, condition, holds) in all {
        let text = format!(
            "extern void reach_error(void);\n{text}\nint main(void) {{ long flags; \
             __asm__ volatile (\"pushf ; pop %0\" : \"=rm\" (flags)); int x; x = f(300); \
             if (!({condition})) reach_error(); return 0; }}\n"
        );
        let folder = Folder::new("kept_results", &[("result.c", &text)]);
        let out = folder.bop(&["check", "result.c", "--assert", "--self-check"]).out;
        assert_eq!(out.contains("holds: no assertion can fail"), holds, "{text}{out}");
    }
}
