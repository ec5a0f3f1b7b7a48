//! Programs that are known to get to a place (`L`), changed so that they free twice, use after a free,
//! leak or stay there: none of this may be said to be impossible.
//!
//! The programs are those of the reference for C (`oracle/c/reached` beside the corpus); without them, or
//! without a compiler's preprocessor, nothing is checked. [`OWN`] are some of the kind.
#![allow(clippy::print_stderr)]

use crate::asking::findings;
use postbop::{
    CProgram, CText, Input, Options, Property, Search, SourceFile, Status, TraceMode, Watch, check,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `L` and `main` become: at the start of `main`, at `L`, before the end of `main`, and the rule.
const KINDS: [(&str, &str, &str, &str); 7] = [
    ("", "{ char *q_ = malloc(4); free(q_); free(q_); }", "", "double_free"),
    ("G_ = malloc(4); free(G_);", "free(G_);", "", "double_free"),
    ("G_ = malloc(4);", "free(G_);", "free(G_);", "double_free"),
    ("char *P_ = malloc(4);", "free(P_);", "free(P_);", "double_free"),
    ("G_ = malloc(4);", "{ free(G_); *G_ = 1; }", "", "use_after_free"),
    ("char *P_ = malloc(4);", "free(P_);", "*P_ = 1;", "use_after_free"),
    ("", "{ char *q_ = malloc(4); *q_ = 1; }", "", "memory_leak"),
];

/// What does not happen in the changed program, although the place is reached: names of programs and
/// kinds. `main` does not come to its end, or frees twice before.
const NEVER: [(&str, usize); 2] = [("atexit_exit", 2), ("least_decl2", 5)];

/// More programs, in the same form.
const OWN: [(&str, &str); 12] = [
    ("bits", "int main(void){struct{int b:1;}s; s.b=1; if(s.b<0){L: puts(\"L\");} return 0;}"),
    (
        "bits_unsigned",
        "int main(void){struct{unsigned b:2;}s; s.b=-1; if(s.b==3){L: puts(\"L\");} return 0;}",
    ),
    (
        "sign_of_char",
        "static int f(void){return 255;} int main(void){signed char c=f(); if(c<0){L: puts(\"L\");} return 0;}",
    ),
    (
        "sign_of_result",
        "static unsigned f(int x){return x;} int main(void){if(f(-1)>5){L: puts(\"L\");} return 0;}",
    ),
    ("sign_widened", "int main(void){unsigned u=-1; long l=u; if(l>0){L: puts(\"L\");} return 0;}"),
    (
        "sign_behind",
        "int main(void){int e=0,*p=&e; *p=0; e=-1; if(*p<0){L: puts(\"L\");} return 0;}",
    ),
    (
        "sign_in_union",
        "int main(void){union{int i;unsigned char c;}u; u.i=0; u.c=1; if(u.i){L: puts(\"L\");} return 0;}",
    ),
    (
        "sign_of_result_behind",
        "static int f(void){return -1;} int main(void){int e=0,*p=&e; *p=0; e=f(); if(*p<0){L: puts(\"L\");} return 0;}",
    ),
    ("sign_volatile", "volatile int v; int main(void){v=0; v=1; if(v){L: puts(\"L\");} return 0;}"),
    (
        "null_behind",
        "int main(void){int x=1; int*p=&x,**q=&p; *q=0; if(!p){L: puts(\"L\");} return 0;}",
    ),
    (
        "constructor",
        "static int n; __attribute__((constructor)) static void c(void){n=1;} int main(void){if(n){L: puts(\"L\");} return 0;}",
    ),
    (
        "callback",
        "void qsort(void*,unsigned long,unsigned long,int(*)(const void*,const void*)); static int n; static int cmp(const void*a,const void*b){n=-1; return 0;} int main(void){int a[2]={1,2}; n=0; qsort(a,2,4,cmp); if(n<0){L: puts(\"L\");} return 0;}",
    ),
];

const BEFORE: &str =
    "int puts(const char *); void free(void *); void *malloc(unsigned long); static char *G_;\n";

/// The program with `L` replaced; none where `main` has no such end.
fn changed(text: &str, (start, place, end): (&str, &str, &str)) -> Option<String> {
    let mut text = text.replace("L: puts(\"L\");", &format!("L: {place}"));
    let main = text.find("int main(")?;
    let body = main + text[main..].find('{')? + 1;
    if !end.is_empty() {
        let last = text.rfind("return 0;").filter(|last| *last > body)?;
        // A local of `main` is not seen elsewhere.
        if start.contains("P_") && text.find("L: ").is_none_or(|l| l < body) {
            return None;
        }
        text.insert_str(last, end);
    }
    text.insert_str(body, start);
    Some(format!("{BEFORE}{text}"))
}

fn programs() -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> =
        OWN.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = match std::env::var_os("POSTBOP_CORPUS") {
        Some(root) => PathBuf::from(root).join("../oracle"),
        None => here.join("../../../../shared/oracle"),
    };
    let Ok(list) = std::fs::read_dir(root.join("c/reached")) else {
        eprintln!("without the reference for C");
        return out;
    };
    let mut files: Vec<PathBuf> = list.filter_map(|e| Some(e.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "c")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        out.push((name, std::fs::read_to_string(file).expect("a program")));
    }
    out
}

/// After the preprocessor; none if there is none.
fn preprocessed(text: &str) -> Option<Arc<CProgram>> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("postbop-reached-{}-{number}.c", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).ok()?;
    let output = Command::new("cc").arg("-E").arg(&file).output();
    let _ = std::fs::remove_file(&file);
    let output = output.ok()?;
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let unit = CText { name: "f.c".to_owned(), text, directory: None };
    Some(Arc::new(CProgram::new(vec![unit]).expect("a program")))
}

#[test]
fn what_rules_forbid_is_found_where_it_happens() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rules/memory.rule");
    let text = std::fs::read_to_string(file).expect("the rules");
    let all = rules::parse(&text).expect("rules");
    let (mut missed, mut asked) = (Vec::new(), 0);
    let every = std::env::var_os("POSTBOP_EVERY").is_some();
    for (i, (name, text)) in programs().into_iter().enumerate() {
        for (k, (start, place, end, rule)) in KINDS.into_iter().enumerate() {
            // Two of each program, and all of our own; all of all, if that is asked for.
            let wanted = i < OWN.len() || k == 1 || k == i % KINDS.len();
            if NEVER.contains(&(&name, k)) || !(wanted || every) {
                continue;
            }
            let Some(text) = changed(&text, (start, place, end)) else { continue };
            let Some(program) = preprocessed(&text) else {
                eprintln!("skipped: there is no preprocessor");
                return;
            };
            let rules: Vec<rules::Rule> = all.iter().filter(|r| r.name == rule).cloned().collect();
            let options = Options::from(Search { trace: TraceMode::Any, ..Search::default() });
            let found = findings(&program, &rules, &[], &options, &Watch::default());
            asked += 1;
            if found.findings.is_empty() {
                missed.push(format!("{name} {k} ({rule}): {:?}", found.unknown));
            }
        }
    }
    eprintln!("{asked} programs");
    assert!(missed.is_empty(), "{} of {asked} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn runs_that_get_there_and_stay_there_are_found() {
    let mut missed = Vec::new();
    for (name, text) in programs() {
        let questions = [
            (Property::ltl("G !at(L)"), changed(&text, ("", "puts(\"L\");", ""))),
            (Property::Terminates { fair: Vec::new() }, changed(&text, ("", "for (;;) ;", ""))),
        ];
        for (property, text) in questions {
            let text = text.expect("a program with `main`");
            let Some(program) = preprocessed(&text) else { return };
            let options = Options {
                input: Input { c: Some(program), ..Input::default() },
                search: Search { vacuity: false, ..Search::default() },
                ..Options::default()
            };
            let file = Arc::new(SourceFile::new("f.c", text.as_str()).expect("text"));
            let report = check(&[file], &[property], &options, &Watch::default());
            let report = report.unwrap_or_else(|e| panic!("{name}: {e:?}"));
            let result = &report.results[0];
            if !matches!(result.status, Status::Violated) {
                missed.push(format!("{name}: {:?} {:?}", result.status, result.stop_reason));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}
