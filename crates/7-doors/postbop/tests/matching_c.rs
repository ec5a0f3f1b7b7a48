//! Abstract matching on C that ends by `exit`, `abort`, a failed assertion or `longjmp`: the answers are
//! those of the other engines, and every trace is accepted.

use postbop::{
    CProgram, CText, EngineChoice, Input, Matched, Options, Property, Search, SourceFile, Status,
    Watch, check,
};
use std::sync::Arc;

const PROGRAMS: [&str; 5] = [
    "void exit(int) __attribute__((noreturn)); int c(void);
static void f(void) { if (c()) exit(1); }
static void g(void) { f(); }
int main(void) { int x = 0; f(); if (c()) g(); x = 1; L: return x; }",
    "void abort(void) __attribute__((noreturn)); int c(void);
static void f(void) { while (c()) ; abort(); }
static void g(void) { if (c()) f(); }
int main(void) { g(); L: g(); return 0; }",
    "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
int c(void);
static void f(int n) { n ? (void)0 : __assert_fail(\"n\", \"f.c\", 3, \"f\"); }
static void g(void) { f(c()); }
int main(void) { g(); L: f(1); return 0; }",
    "typedef long jmp_buf[8]; int setjmp(jmp_buf); void longjmp(jmp_buf, int) __attribute__((noreturn));
int c(void); static jmp_buf b;
static void f(void) { if (c()) longjmp(b, 1); }
static void g(void) { f(); }
int main(void) { if (setjmp(b) == 0) { f(); g(); } else { L: c(); } return 0; }",
    "typedef long jmp_buf[8]; int setjmp(jmp_buf); void longjmp(jmp_buf, int) __attribute__((noreturn));
void exit(int) __attribute__((noreturn)); void abort(void) __attribute__((noreturn)); int c(void);
static jmp_buf b;
static void f(void) { if (c()) longjmp(b, 1); if (c()) exit(1); }
static void g(void) { f(); if (c()) abort(); }
int main(void) { int x = 0; if (setjmp(b) == 0) { g(); } else { x = 1; L: g(); } return x; }",
];

const FORMULAS: [&str; 8] = [
    "G !at(L)",
    "F terminated",
    "F in(g)",
    "F in(f)",
    "G (in(f) -> F in(g))",
    "G F in(main)",
    "F (terminated || error)",
    "G !error",
];

#[test]
fn programs_that_end_early_have_answers() {
    let ways = [Matched::Ia1, Matched::Ia2, Matched::Ia3, Matched::Ia4];
    let mut violated = 0;
    for text in PROGRAMS {
        let unit = CText { name: "f.c".to_owned(), text: text.to_owned(), directory: None };
        let program = Arc::new(CProgram::new(vec![unit]).expect("a program"));
        let mut properties: Vec<Property> = FORMULAS.map(Property::ltl).into();
        properties.extend([Property::Assert, Property::Terminates { fair: Vec::new() }]);
        properties.push(Property::reach("L"));
        let answers = |options: Options| -> Vec<Status> {
            let options = Options {
                input: Input { c: Some(program.clone()), ..options.input.clone() },
                search: Search { vacuity: false, ..options.search.clone() },
                ..options
            };
            let file = Arc::new(SourceFile::new("f.c", text).expect("text"));
            let report = check(&[file], &properties, &options, &Watch::default());
            let report = report.unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            for (result, property) in report.results.iter().zip(&properties) {
                let told = format!("{property:?}: {:?}\n{text}", result.stop_reason);
                assert!(result.stop_reason.is_none(), "{told}");
            }
            report.results.iter().map(|r| r.status).collect()
        };
        let wanted =
            answers(Options::from(Search { engine: EngineChoice::Post, ..Search::default() }));
        violated += wanted.iter().filter(|s| **s == Status::Violated).count();
        for way in ways {
            let options = Options::from(Search { matching: Some(Some(way)), ..Search::default() });
            assert_eq!(answers(options), wanted, "{way:?}\n{text}");
        }
        assert_eq!(
            answers(Options::from(Search { matching: Some(None), ..Search::default() })),
            wanted
        );
    }
    assert!(violated > 15, "{violated}");
}
