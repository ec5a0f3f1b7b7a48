//! `--cache`, `--rule all`, and what large programs and failed builds need.

use super::c::{Folder, compiler};
use std::time::Duration;

const PROGRAM: &str = "#include <stdlib.h>\n#include \"part.h\"\n\
                       int main(void) { char *p = malloc(1); LAST(p); return 0; }\n";

/// A program whose leak depends on a header, and a compiler that counts how often it is called.
fn folder(name: &str) -> Folder {
    let count = "#!/bin/sh\necho . >> calls\nexec cc \"$@\"\n";
    let folder = Folder::new(
        name,
        &[
            ("a.c", PROGRAM),
            ("second/part.h", "#define LAST(p) free(p)\n"),
            ("first/other.h", ""),
            ("count.sh", count),
        ],
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path().join("count.sh"), mode).expect("it is ours");
    }
    settle();
    folder
}

/// What was changed just before is not kept.
fn settle() {
    std::thread::sleep(Duration::from_millis(300));
}

fn check(folder: &Folder) -> i32 {
    let args = "check a.c --rule memory_leak --skeleton -q --cache kept --cc ./count.sh -- -Ifirst -Isecond";
    folder.bop(&args.split(' ').collect::<Vec<_>>()).code
}

fn calls(folder: &Folder) -> usize {
    let log = std::fs::read_to_string(folder.path().join("calls")).unwrap_or_default();
    log.lines().count()
}

fn entries(folder: &Folder) -> Vec<std::path::PathBuf> {
    let read = std::fs::read_dir(folder.path().join("kept")).expect("the folder was made");
    let all = read.flatten().map(|e| e.path());
    all.filter(|path| path.extension().is_some_and(|e| e == "i")).collect()
}

/// Answers of searches that are kept.
fn answers(folder: &Folder) -> Vec<std::path::PathBuf> {
    let read = std::fs::read_dir(folder.path().join("kept/answers")).expect("the folder was made");
    let mut all: Vec<_> = read.flatten().map(|e| e.path()).collect();
    all.sort();
    all
}

fn write(folder: &Folder, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).expect("writable");
    settle();
}

#[test]
#[cfg(unix)]
fn what_was_made_is_used_until_a_file_or_a_header_changes() {
    if !compiler() {
        return;
    }
    let folder = folder("cache");
    assert_eq!((check(&folder), calls(&folder)), (0, 1));
    assert_eq!((check(&folder), calls(&folder)), (0, 1));
    write(&folder, "second/part.h", "#define LAST(p)\n");
    assert_eq!((check(&folder), calls(&folder)), (1, 2));
    assert_eq!((check(&folder), calls(&folder)), (1, 2));
    // Another header of that name comes first now.
    write(&folder, "first/part.h", "#define LAST(p) free(p)\n");
    assert_eq!((check(&folder), calls(&folder)), (0, 3));
    std::fs::remove_file(folder.path().join("first/part.h")).expect("it is there");
    settle();
    assert_eq!(check(&folder), 1);
    write(&folder, "a.c", &PROGRAM.replace("return 0", "free(p); return 0"));
    assert_eq!(check(&folder), 0);
    // A macro that is given counts, too.
    let all = calls(&folder);
    let args = "check a.c --rule memory_leak --skeleton -q --cache kept --cc ./count.sh -- -Ifirst -Isecond -DX";
    folder.bop(&args.split(' ').collect::<Vec<_>>()).exits(0);
    assert_eq!(calls(&folder), all + 1);
}

#[test]
#[cfg(unix)]
fn what_is_damaged_is_not_used() {
    if !compiler() {
        return;
    }
    let folder = folder("cache-damaged");
    assert_eq!(check(&folder), 0);
    let list = entries(&folder);
    assert_eq!(list.len(), 1, "{list:?}");
    let whole = std::fs::read_to_string(&list[0]).expect("it is there");
    let damaged = [
        String::new(),
        whole[..whole.len() / 2].to_owned(),
        whole.replace("free(p)", "(void)0"),
        "rubbish".repeat(1000),
    ];
    for (i, text) in damaged.iter().enumerate() {
        std::fs::write(&list[0], text).expect("writable");
        assert_eq!((check(&folder), calls(&folder)), (0, i + 2));
    }
    // A folder that cannot be one is an error.
    let args = ["check", "a.c", "--rule", "memory_leak", "--cache", "a.c"];
    assert!(folder.bop(&args).exits(2).err.contains("--cache"));
}

#[test]
#[cfg(unix)]
fn two_at_once_do_not_disturb_each_other() {
    if !compiler() {
        return;
    }
    let folder = folder("cache-two");
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| check(&folder))).collect();
        for one in all {
            assert_eq!(one.join().expect("it ends"), 0);
        }
    });
    let before = calls(&folder);
    assert_eq!((check(&folder), calls(&folder)), (0, before));
    let parts = entries(&folder);
    assert_eq!(parts.len(), 1, "{parts:?}");
}

/// A function that frees what it gets, in another file, by way of a macro of a header.
const CALLER: &str = "#include <stdlib.h>\n#include \"h.h\"\nint main(void) { char *p = malloc(1); GIVE(p); return 0; }\n";
const CALLEE: &str = "#include <stdlib.h>\nvoid give(char *p) { free(p); }\n";
const HEADER: &str = "void give(char *p);\nvoid take(char *p);\n#define GIVE(p) give(p)\n";

#[test]
fn answers_are_those_of_the_program_as_it_is_now() {
    if !compiler() {
        return;
    }
    let files = [("a.c", CALLER), ("b.c", CALLEE), ("h.h", HEADER)];
    let folder = Folder::new("cache-answers", &files);
    let fresh = |more: &str| {
        let args = format!("check a.c b.c --rule memory_leak --skeleton -q {more}");
        let ran = folder.bop(&args.split_whitespace().collect::<Vec<_>>());
        (ran.code, ran.out)
    };
    settle();
    let same = |code: i32, more: &str| {
        let without = fresh(more);
        assert_eq!(without.0, code, "{}", without.1);
        // What is made, and what is found again.
        assert_eq!(fresh(&format!("--cache kept {more}")), without);
        let known = answers(&folder);
        assert_eq!(fresh(&format!("--cache kept {more}")), without);
        assert_eq!(answers(&folder), known, "the second time nothing is searched");
    };
    same(0, "");
    // The callee is another one, in the other file.
    write(&folder, "b.c", &CALLEE.replace("free(p)", "if (p[0]) free(p)"));
    same(1, "");
    write(&folder, "b.c", CALLEE);
    same(0, "");
    // The header sends it elsewhere, to where nothing is known of it, and then it is said what that does.
    write(&folder, "h.h", &HEADER.replace("GIVE(p) give", "GIVE(p) take"));
    same(0, "");
    write(&folder, "c.contracts", "borrows take 1\n");
    same(1, "--contracts c.contracts");
    write(&folder, "c.contracts", "keeps take 1\n");
    same(0, "--contracts c.contracts");
    write(&folder, "h.h", &HEADER.replace("GIVE(p) give(p)", "GIVE(p)"));
    same(1, "");
    // Lines that move change what is told, and nothing that is searched for.
    let known = answers(&folder);
    write(&folder, "a.c", &format!("\n\n{CALLER}"));
    assert!(fresh("--cache kept").1.contains("a.c:5:"), "{}", fresh("").1);
    assert_eq!(answers(&folder), known);
}

#[test]
fn an_answer_that_is_kept_is_used_and_a_damaged_one_is_not() {
    if !compiler() {
        return;
    }
    let leaks = CALLER.replace("GIVE(p);", "");
    let folder = Folder::new("cache-used", &[("a.c", leaks.as_str()), ("h.h", HEADER)]);
    let check = || {
        let args = "check a.c --rule memory_leak --skeleton -q --cache kept --trace any";
        folder.bop(&args.split(' ').collect::<Vec<_>>()).code
    };
    settle();
    assert_eq!(check(), 1);
    let list = answers(&folder);
    assert!(!list.is_empty());
    let whole: Vec<Vec<u8>> = list.iter().map(|f| std::fs::read(f).expect("it is there")).collect();
    let put = |make: &dyn Fn(&[u8]) -> Vec<u8>| {
        for (file, bytes) in list.iter().zip(&whole) {
            std::fs::write(file, make(bytes)).expect("writable");
        }
    };
    // Not what was written, by its own hash: it is searched again.
    let flipped = |bytes: &[u8]| {
        let mut out = bytes.to_vec();
        if let Some(last) = out.last_mut() {
            *last ^= 1;
        }
        out
    };
    for damage in
        [&flipped as &dyn Fn(&[u8]) -> Vec<u8>, &|_| Vec::new(), &|b| b[..b.len() / 2].to_vec()]
    {
        put(damage);
        assert_eq!(check(), 1);
        for (file, bytes) in list.iter().zip(&whole) {
            assert_eq!(&std::fs::read(file).expect("it is there"), bytes);
        }
    }
    // An entry that is whole is believed: nothing was searched.
    let other = Folder::new("cache-used-other", &[("a.c", leaks.as_str()), ("h.h", HEADER)]);
    std::fs::create_dir_all(other.path().join("kept")).expect("it is ours");
    std::fs::rename(folder.path().join("kept/answers"), other.path().join("kept/answers"))
        .expect("it is ours");
    let args = "check a.c --rule memory_leak --skeleton -q --cache kept --trace any --format json";
    let ran = other.bop(&args.split(' ').collect::<Vec<_>>()).exits(1);
    assert_eq!(answers(&other).len(), list.len(), "{}", ran.out);
}

#[test]
fn all_rules_are_those_about_what_the_program_calls() {
    if !compiler() {
        return;
    }
    let folder = Folder::new(
        "all-rules",
        &[("a.c", &PROGRAM.replace("#include \"part.h\"\n", "").replace("LAST(p);", ""))],
    );
    let ran = folder.bop(&["check", "a.c", "--rule", "all", "--skeleton"]).exits(1);
    assert!(ran.out.contains("violated: memory_leak"), "{}", ran.out);
    assert!(!ran.out.contains("gc_leak") && !ran.out.contains("double_lock"), "{}", ran.out);
    assert!(ran.err.contains("these rules are about: cudd_leak"), "{}", ran.err);
    // Of a program that calls nothing, the rules are still what is asked, and not its assertions.
    write(&folder, "nothing.c", "int main(void) { return 0; }\n");
    let ran = folder.bop(&["check", "nothing.c", "--rule", "all", "--strict"]).exits(3);
    assert!(ran.out.contains("memory_leak") && !ran.out.contains("assertion"), "{}", ran.out);
    // Folders and files with the names of ready-made rules are something else.
    std::fs::create_dir(folder.path().join("python")).expect("writable");
    write(&folder, "memory", "no rule");
    let ran = folder.bop(&["check", "a.c", "--rule", "all", "--skeleton"]).exits(1);
    assert!(ran.out.contains("violated: memory_leak"), "{}", ran.out);
    folder.bop(&["check", "a.c", "--rule", "python", "--skeleton"]).exits(0);
    // A file of that name is what it says.
    write(&folder, "all", "rule mine { never { call(malloc) } message \"no\" }\n");
    let ran = folder.bop(&["check", "a.c", "--rule", "all", "--skeleton"]).exits(1);
    assert!(ran.out.contains("mine") && !ran.out.contains("memory_leak"), "{}", ran.out);
}

#[test]
#[cfg(unix)]
fn a_compile_that_fails_is_not_captured() {
    if !compiler() {
        return;
    }
    let folder = Folder::new(
        "capture-failed",
        &[("good.c", "int f(void) { return 0; }\n"), ("bad.c", "int g(void) { return\n")],
    );
    let build = ["capture", "-o", "db.json", "--", "sh", "-c", "cc -c good.c; cc -c bad.c; true"];
    let ran = folder.bop(&build).exits(0);
    if ran.err.contains("could not be made and loaded") {
        eprintln!("skipped: compilers are seen by wrappers here");
        return;
    }
    let database = std::fs::read_to_string(folder.path().join("db.json")).expect("there");
    assert!(database.contains("good.c") && !database.contains("bad.c"), "{database}");
}

#[test]
fn what_is_wrong_with_a_header_is_said() {
    if !compiler() {
        return;
    }
    let files = [
        ("a.c", "#include \"b.h\"\n"),
        ("b.h", "#include \"gone.h\"\n"),
        ("c.c", "int main(void) { return 0; }\n"),
    ];
    let folder = Folder::new("header-gone", &files);
    let ran = folder.bop(&["check", "a.c", "c.c", "--rule", "memory_leak", "--skeleton"]);
    assert!(ran.err.contains("gone.h: No such file"), "{}", ran.err);
}
