//! Compilers' command lines, compilation databases, and a preprocessor where there is one.
#![allow(clippy::print_stderr)]

use front_c::preprocess::{
    Invocation, Outcome, PreprocessError, Source, compile_commands, database, invocation,
    preprocess, real_compiler, record, run, shell_words, sources,
};
use std::io;
use std::path::{Path, PathBuf};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn flags_that_matter_are_kept() {
    let line = words(
        "-c -O2 -g -Wall -Werror -Iinc -I other -DX=1 -D Y -include a.h -std=gnu11 -MD -MF d -o x.o a.c b.c c.cpp d.S -lm -pthread",
    );
    let found = sources("gcc", &line, Some("/d"));
    assert_eq!(found.iter().map(|s| s.file.as_str()).collect::<Vec<_>>(), ["a.c", "b.c"]);
    assert_eq!(found[0].flags, words("-Iinc -I other -DX=1 -D Y -include a.h -std=gnu11 -pthread"));
    assert_eq!(
        invocation(&found[1]),
        Invocation {
            program: "gcc".into(),
            arguments: words(
                "-E -w -Iinc -I other -DX=1 -D Y -include a.h -std=gnu11 -pthread b.c"
            ),
            directory: Some("/d".into()),
        }
    );
}

#[test]
fn shells_split_words() {
    assert_eq!(
        shell_words(r#"cc  -DA='"x y"' "-DB=\"q\"" a\ b.c '' -DC=\\"#),
        ["cc", "-DA=\"x y\"", "-DB=\"q\"", "a b.c", "", "-DC=\\"]
    );
}

#[test]
fn databases_are_read() {
    let text = r#"[
  { "directory": "/b", "command": "cc -DN=\"a b\" -c ../x.c -o x.o", "file": "../x.c", "extra": [1, {"a": null}] },
  { "file": "y.c", "arguments": ["clang", "-DM=\u0041", "-c", "y.c"], "directory": "/b\\c" },
  { "directory": "/b", "command": "cc -c z.cc", "file": "z.cc" }
]"#;
    let found = compile_commands(text).expect("a database");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].flags, ["-DN=a b"]);
    assert_eq!(found[1].flags, ["-DM=A"]);
    assert_eq!(found[1].directory.as_deref(), Some("/b\\c"));
    assert_eq!(found[1].compiler.as_deref(), Some("clang"));
    assert_eq!(compile_commands("[]"), Ok(Vec::new()));
    let error = compile_commands("[\n{ \"directory\": 3 }]").expect_err("no string");
    assert_eq!(error.to_string(), "line 2: expected a string");
    assert!(compile_commands("").is_err());
    assert!(compile_commands("[{").is_err());
}

#[test]
fn records_make_a_database() {
    let call = words("cc -DX=\"1\" -c a.c");
    let log =
        record(&call, "/here", "a.c") + "\n" + &record(&words("cc b.c"), "/here", "b.c") + "\n";
    let found = compile_commands(&database(&log)).expect("a database");
    assert_eq!(found.iter().map(|s| s.file.as_str()).collect::<Vec<_>>(), ["a.c", "b.c"]);
    assert_eq!(found[0].flags, ["-DX=\"1\""]);
    let folders = [PathBuf::from("/wrap"), PathBuf::from("/usr/bin")];
    let real = real_compiler("/wrap/cc", &folders, Path::new("/wrap"), &|_| true);
    assert_eq!(real, Some(PathBuf::from("/usr/bin/cc")));
}

#[test]
fn failures_are_told() {
    let source = Source { file: "a.c".into(), ..Source::default() };
    let error = preprocess(&source, &mut |_| Err(io::ErrorKind::NotFound.into()));
    let error = error.expect_err("no compiler");
    assert_eq!(error.to_string(), "there is no C compiler `cc` to preprocess with");
    let error = preprocess(&source, &mut |_| {
        Ok(Outcome { success: false, stdout: Vec::new(), stderr: b"a.c:1: no x.h\nmore".to_vec() })
    });
    let error = error.expect_err("it failed");
    assert!(matches!(error, PreprocessError::Failed { .. }));
    assert_eq!(error.to_string(), "`cc` could not preprocess `a.c`: a.c:1: no x.h");
}

#[test]
fn a_real_preprocessor_is_understood() {
    let folder = std::env::temp_dir().join(format!("front-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("a b.c");
    std::fs::write(
        &file,
        "#define TWICE(x) ((x) + (x))\n#ifdef N\nint f(int x)\n{ return TWICE(x); }\n#endif\n",
    )
    .expect("a file");
    let source = Source {
        file: file.to_string_lossy().into_owned(),
        flags: vec!["-DN".into()],
        ..Source::default()
    };
    match preprocess(&source, &mut run) {
        Ok(text) => {
            let unit = front_c::parse(&text);
            let f = unit.functions().next().expect("f");
            assert_eq!(unit.place(f.at), (source.file.as_str(), 3));
        }
        Err(PreprocessError::Start { .. }) => eprintln!("skipped: there is no C compiler"),
        Err(error) => panic!("{error}"),
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}
