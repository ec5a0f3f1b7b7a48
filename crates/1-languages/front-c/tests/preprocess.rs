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

/// What a preprocessor needs passes, in all its forms; nothing else does.
#[test]
fn untrusted_flags() {
    use front_c::flags::harmless;
    let passes = "-Iinc -I inc -DX -D X=1 -UX -U X -include a.h -includea.h -imacros m.h -isystem s \
                  -isystems -iquote q -idirafter d -isysroot r --sysroot=r --sysroot r -std=gnu11 -ansi \
                  -x c -xc -m32 -m64 -march=x86-64-v3 -mtune=native -mcpu=cortex-m4+nodsp -mthumb \
                  -mno-red-zone -msse4.2 -mavx512f -mlong-double-64 -mfloat-abi=hard -funsigned-char \
                  -fshort-enums -fPIC -pthread -fopenmp -fsanitize=address,undefined -target \
                  x86_64-linux-gnu --target=armv7-none-eabi -nostdinc -undef -ffreestanding";
    let judged = harmless(&words(&passes.split_whitespace().collect::<Vec<_>>().join(" ")));
    assert_eq!(judged.left_out, [""; 0]);
    assert_eq!(judged.kept.join(" "), passes.split_whitespace().collect::<Vec<_>>().join(" "));

    let silent = "-c -O2 -g3 -Wall -Wl,-plugin,x -Wa,-x -o a.o -MD -MF a.d -MT t -lm -L/x -L x -shared \
                  -Xlinker -plugin -pipe -fvisibility=hidden -fno-strict-aliasing -flto -D_FORTIFY_SOURCE=2 \
                  -w a.c b.o";
    let judged = harmless(&words(&silent.split_whitespace().collect::<Vec<_>>().join(" ")));
    assert_eq!((judged.kept.len(), judged.left_out.len()), (0, 0), "{judged:?}");

    for (flags, told) in [
        ("-B/x", "-B/x"),
        ("-B /x", "-B /x"),
        ("-fplugin=x.so", "-fplugin=x.so"),
        ("-fplugin-arg-x-y=z", "-fplugin-arg-x-y=z"),
        ("-specs=x", "-specs=x"),
        ("--specs=x", "--specs=x"),
        ("-specs x", "-specs x"),
        ("-wrapper x,y", "-wrapper x,y"),
        ("-Xclang -load", "-Xclang -load"),
        ("-mllvm -load=x", "-mllvm -load=x"),
        ("-mllvm=-load=x", "-mllvm=-load=x"),
        ("-mmcu=x", "-mmcu=x"),
        ("@x", "@x"),
        ("-I @x", "-I @x"),
        ("-I@x", "-I@x"),
        ("-D@x", "-D@x"),
        ("-include@x", "-include@x"),
        ("-isystem @x", "-isystem @x"),
        ("--sysroot=@x", "--sysroot=@x"),
        ("-I -fplugin=x", "-I -fplugin=x"),
        ("-include -fplugin=x", "-include -fplugin=x"),
        ("-Wp,-fplugin=x", "-fplugin=x"),
        ("-Wp,@x", "@x"),
        ("-Wp,-I,@x", "-I @x"),
        ("-Xpreprocessor -fplugin=x", "-fplugin=x"),
        ("-iplugindir=x", "-iplugindir=x"),
        ("-include-pch x", "-include-pch"),
        ("-fpch-preprocess", "-fpch-preprocess"),
        ("-x assembler", "-x assembler"),
        ("-xada", "-xada"),
        ("-std=../x", "-std=../x"),
        ("-march=@x", "-march=@x"),
        ("-march=/x", "-march=/x"),
        ("--target=../x", "--target=../x"),
        ("-target ../x", "-target ../x"),
        ("-finput-charset=x", "-finput-charset=x"),
        ("--gcc-toolchain=x", "--gcc-toolchain=x"),
        ("-resource-dir x", "-resource-dir"),
        ("-dM", "-dM"),
        ("-I", "-I"),
        ("-wrapper", "-wrapper"),
    ] {
        let judged = harmless(&words(&format!("-DA {flags} -DB")));
        let swallowed = flags == "-I" || flags == "-wrapper";
        let kept: &[&str] = if swallowed { &["-DA"] } else { &["-DA", "-DB"] };
        assert_eq!(judged.kept, kept, "{flags}");
        let told = if swallowed { format!("{told} -DB") } else { told.to_owned() };
        assert_eq!(judged.left_out, [told], "{flags}");
    }
}

#[test]
fn untrusted_sources_have_our_compiler() {
    let words = words("-B/x -Iinc -c a.c");
    let source = &sources("theirs", &words, Some("/d"))[0];
    let (safe, left_out) = source.untrusted();
    assert_eq!((safe.compiler, safe.flags), (None, vec!["-Iinc".to_owned()]));
    assert_eq!((safe.directory.as_deref(), left_out), (Some("/d"), vec!["-B/x".to_owned()]));
    for file in ["@a.c", "d/@a.c", "./@a.c"] {
        let source = Source { file: file.into(), ..Source::default() };
        let error = preprocess(&source, &mut |_| panic!("it is run")).expect_err("refused");
        assert!(matches!(&error, PreprocessError::Name { .. }), "{error}");
    }
    let source = Source { file: "@d/a.c".into(), ..Source::default() };
    assert_eq!(invocation(&source).arguments.last().map(String::as_str), Some("./@d/a.c"));
}
