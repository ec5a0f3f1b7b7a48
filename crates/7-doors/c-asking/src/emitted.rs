//! Tests of runs that were found: the program, told where to speak up, and its inputs as C.
//!
//! The compiler and the processor judge then: the script `run` builds the test, runs it, and ends with 0 if and
//! only if the place was reached.

use crate::stubs;
use input::{CText, Model};
use property::{OperationKind, Property};
use render::{Inputs, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A file of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestFile {
    /// Its name in the folder.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// It can be executed.
    pub executable: bool,
}

/// What tells that the place is reached.
const MARK: &str = "__bop_reached";

/// The folder and the files of a test for an answer that shows a run; none for others. `number` counts assertions.
pub fn test(
    outcome: &Outcome,
    texts: &[CText],
    model: Model,
    number: usize,
) -> Option<(String, Vec<TestFile>)> {
    let inputs = outcome.inputs.as_ref()?;
    let (folder, wanted) = match &outcome.property {
        Property::Reach { label } => (folder(label), Wanted::of(label)),
        Property::Assert => (format!("assert-{number}"), Wanted::Assertion),
        Property::Operations { kind } => {
            let finding = outcome.finding.as_ref()?;
            let (line, leak) = (finding.line, finding.message.starts_with("memory of "));
            let name = finding.file.rsplit('/').next().unwrap_or_default();
            let place = format!("{}:{line}", pattern(name));
            let nowhere = finding.message == "a call through a null pointer";
            let wanted = Wanted::Failure { kind: *kind, place, leak, nowhere };
            (format!("{}-{number}", kind.word()), wanted)
        }
        _ => return None,
    };
    Some((folder, files_of(&wanted, inputs, texts, model)))
}

/// The files of a test that is a run, whatever it reaches.
pub fn test_of_run(inputs: &Inputs, texts: &[CText], model: Model) -> Vec<TestFile> {
    files_of(&Wanted::Run, inputs, texts, model)
}

fn files_of(wanted: &Wanted, inputs: &Inputs, texts: &[CText], model: Model) -> Vec<TestFile> {
    let mut files = Vec::new();
    let mut defined = BTreeSet::new();
    let (mut texts, mut copies) = (texts.to_vec(), false);
    // The units of an entry end with its call.
    for (text, unit) in texts.iter_mut().zip(inputs.caller.iter().flat_map(|c| c.units.iter())) {
        text.text.clone_from(unit);
    }
    // What is arbitrary has a stub.
    let stubs = tokens(&inputs.stubs);
    let stubbed = definitions(&stubs, &inputs.stubs).any(|(name, _)| name.starts_with("fopen"));
    let opens = !stubbed && by_hand(&mut texts, &["fopen", "fopen64"], OPEN);
    let fills = !inputs.memory.is_empty() && by_hand(&mut texts, &["malloc"], MALLOC);
    for (i, text) in texts.iter().enumerate() {
        let tokens = tokens(&text.text);
        defined.extend(definitions(&tokens, &text.text).map(|(name, _)| name.to_owned()));
        let mut marked = marked(&text.text, &tokens, wanted);
        if let Wanted::Failure { .. } = wanted {
            if takes_arguments(&tokens, &text.text) {
                marked = renamed(&text.text, &tokens, "main", MAIN);
                copies = true;
            }
            // A text without line markers is all of its file, whose name sanitizers are to say.
            let name: String = text.name.chars().filter(|c| !"\"\\\n".contains(*c)).collect();
            marked.insert_str(0, &format!("# 1 \"{name}\"\n"));
        }
        let text = escaped(marked);
        files.push(TestFile { name: format!("program{i}.i"), text, executable: false });
    }
    if !inputs.stubs.is_empty() {
        let text = format!("/* Functions that the program has no body for. */\n{}", inputs.stubs);
        files.push(TestFile { name: "stubs.c".to_owned(), text, executable: false });
    }
    let sources: Vec<String> = files.iter().map(|f| f.name.clone()).collect();
    let cleanup = matches!(wanted, Wanted::Failure { kind: OperationKind::MemoryCleanup, .. });
    let mut text = inputs_c(inputs, &defined, if cleanup { "abort" } else { "__bop_reached" });
    if cleanup {
        text += ABORTED;
    }
    if opens {
        text += &opening(inputs);
    }
    if fills {
        text += &filling(inputs);
    }
    if copies {
        text += COPIES;
    }
    files.push(TestFile { name: "inputs.c".to_owned(), text, executable: false });
    let text = match wanted {
        Wanted::Run => plain_script(&sources, inputs, model),
        Wanted::Failure { kind, place, leak, nowhere } => {
            watched_script(&sources, inputs, model, (*kind, place, *leak, *nowhere))
        }
        _ => script(&sources, inputs, model),
    };
    files.push(TestFile { name: "run".to_owned(), text, executable: true });
    files
}

/// A program that ends by `abort` is asked what it has not freed, too.
const ABORTED: &str = "extern void __lsan_do_leak_check(void);\n\
    extern void (*signal(int, void (*)(int)))(int);\n\
    static void aborted(int number) { __lsan_do_leak_check(); _exit(1); }\n\
    __attribute__((constructor)) static void watch_abort(void) { signal(6, aborted); }\n";

/// What opens files in a test.
const OPEN: &str = "__bop_fopen";

/// What asks for memory that is an input.
const MALLOC: &str = "__bop_malloc";

/// Gives functions of the library another name, that of one of the test. False if the program calls none, or has its own.
fn by_hand(texts: &mut [CText], names: &[&str], new: &str) -> bool {
    let is_open = |name: &str| names.contains(&name);
    let all: Vec<Vec<Token>> = texts.iter().map(|text| tokens(&text.text)).collect();
    let both = || texts.iter().zip(&all);
    let own = |(text, tokens): (&CText, &Vec<Token>)| {
        definitions(tokens, &text.text).any(|(name, _)| is_open(name))
    };
    let opens = both().any(|(t, tokens)| tokens.iter().any(|&(a, b)| is_open(&t.text[a..b])));
    if !opens || both().any(own) {
        return false;
    }
    for (text, tokens) in texts.iter_mut().zip(&all) {
        let (mut out, mut from) = (String::new(), 0);
        for &(a, b) in tokens.iter().filter(|&&(a, b)| is_open(&text.text[a..b])) {
            out += &text.text[from..a];
            out += new;
            from = b;
        }
        out += &text.text[from..];
        text.text = out;
    }
    true
}

/// The function that opens files: those of the run lie in the folder of the test, and what is written goes nowhere.
fn opening(inputs: &Inputs) -> String {
    let mut out = String::from(
        "extern void *fopen(const char *, const char *);\n\
         static int same(const char *a, const char *b) { while (*a && *a == *b) { a++; b++; } return *a == *b; }\n",
    );
    let _ = writeln!(out, "void *{OPEN}(const char *name, const char *mode) {{");
    out += "  if (mode[0] != 'r') return fopen(\"/dev/null\", mode);\n";
    for (i, (name, _)) in inputs.files.iter().enumerate() {
        let name: String = name.iter().map(|b| format!("\\{b:03o}")).collect();
        let _ =
            writeln!(out, "  if (same(name, \"{name}\")) return fopen(\"file-{}\", mode);", i + 1);
    }
    out + "  return 0;\n}\n"
}

/// The function that asks for memory, and puts there what the run found in it.
fn filling(inputs: &Inputs) -> String {
    let mut out = String::from("extern void *malloc(__SIZE_TYPE__);\n");
    for (i, content) in inputs.memory.iter().enumerate() {
        let bytes: String = content.iter().map(|b| format!("{b}, ")).collect();
        let _ = writeln!(out, "static const unsigned char memory{i}[] = {{ {bytes}0 }};");
    }
    let names: String = (0..inputs.memory.len()).map(|i| format!("memory{i}, ")).collect();
    let sizes: String = inputs.memory.iter().map(|m| format!("{}, ", m.len())).collect();
    let count = inputs.memory.len();
    let _ = write!(
        out,
        "static const unsigned char *const memories[] = {{ {names}0 }};\n\
         static const __SIZE_TYPE__ sizes[] = {{ {sizes}0 }};\n\
         void *{MALLOC}(__SIZE_TYPE__ size) {{\n\
         \x20 static unsigned long k;\n\
         \x20 unsigned char *p = malloc(size);\n\
         \x20 if (p) for (__SIZE_TYPE__ i = 0; i < size; i++) p[i] = k < {count} && i < sizes[k] ? memories[k][i] : 0;\n\
         \x20 k++;\n\
         \x20 return p;\n}}\n"
    );
    out
}

/// What `main` is called where its arguments are copied.
const MAIN: &str = "__bop_main";
/// Calls `main` with arguments that sanitizers know: they do not look at those that the system hands over.
const COPIES: &str = "\
extern void *malloc(__SIZE_TYPE__);
extern __SIZE_TYPE__ strlen(const char *);
extern char *strcpy(char *, const char *);
extern int __bop_main();
static char **copies;
int main(int argc, char **argv, char **environment) {
  copies = malloc((argc + 1) * sizeof *copies);
  for (int i = 0; i < argc; i++) copies[i] = strcpy(malloc(strlen(argv[i]) + 1), argv[i]);
  copies[argc] = 0;
  return __bop_main(argc, copies, environment);
}
";

/// Whether a text has a `main` that takes arguments.
fn takes_arguments(tokens: &[Token], text: &str) -> bool {
    let word = |i: usize| tokens.get(i).map_or("", |&(a, b)| &text[a..b]);
    let main = definitions(tokens, text).find(|(name, _)| *name == "main");
    let Some((_, brace)) = main else { return false };
    let parameters = (0..brace).rev().take_while(|&i| word(i) != "main");
    parameters.into_iter().any(|i| word(i) == ",")
}

/// The text with another name for a function.
fn renamed(text: &str, tokens: &[Token], name: &str, new: &str) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for &(a, b) in tokens.iter().filter(|&&(a, b)| &text[a..b] == name) {
        out += &text[from..a];
        out += new;
        from = b;
    }
    out + &text[from..]
}

/// A name for a folder.
fn folder(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '-' };
    let name: String = label.chars().map(plain).collect();
    if name.starts_with('.') { format!("-{name}") } else { name }
}

/// Where the program is to speak up.
enum Wanted {
    Label {
        function: Option<String>,
        label: String,
    },
    Line(Option<String>, u32),
    Assertion,
    /// Nowhere.
    Run,
    /// A sanitizer is to speak up.
    Failure {
        kind: OperationKind,
        place: String,
        leak: bool,
        /// A call that goes nowhere: then no line is known to the sanitizers.
        nowhere: bool,
    },
}

impl Wanted {
    fn of(place: &str) -> Wanted {
        match place.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => {
                let file = Some(file.to_owned()).filter(|f| !f.is_empty());
                Wanted::Line(file, line.parse().unwrap_or(0))
            }
            Some((function, label)) => {
                Wanted::Label { function: Some(function.to_owned()), label: label.to_owned() }
            }
            None => Wanted::Label { function: None, label: place.to_owned() },
        }
    }
}

/// A token of preprocessed text: from where to where.
pub(crate) type Token = (usize, usize);

/// The tokens of C that matter here: words, strings as one, other characters one by one.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if line_start => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            b if b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 128 => {
                let word = |b: u8| b.is_ascii_alphanumeric() || b"_$.".contains(&b) || b >= 128;
                let number = b.is_ascii_digit();
                while at < bytes.len() && word(bytes[at]) && (number || bytes[at] != b'.') {
                    at += 1;
                }
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            _ => at += 1,
        }
        line_start = false;
        out.push((start, at.min(bytes.len())));
    }
    out
}

/// The functions that a text defines: their names, and the tokens of their opening braces.
pub(crate) fn definitions<'t>(
    tokens: &'t [Token],
    text: &'t str,
) -> impl Iterator<Item = (&'t str, usize)> + 't {
    let word = |i: usize| tokens.get(i).map_or("", |&(a, b)| &text[a..b]);
    let mut depth = 0i64;
    let mut found = Vec::new();
    for i in 0..tokens.len() {
        match word(i) {
            "{" => {
                if depth == 0 && i > 0 && word(i - 1) == ")" {
                    // Back to the parenthesis that opens the parameters.
                    let (mut open, mut k) = (0i64, i - 1);
                    loop {
                        match word(k) {
                            ")" => open += 1,
                            "(" => open -= 1,
                            _ => {}
                        }
                        if open == 0 || k == 0 {
                            break;
                        }
                        k -= 1;
                    }
                    if k > 0 {
                        found.push((word(k - 1), i));
                    }
                }
                depth += 1;
            }
            "}" => depth -= 1,
            _ => {}
        }
    }
    found.into_iter()
}

/// The text with a call where the place is.
fn marked(text: &str, tokens: &[Token], wanted: &Wanted) -> String {
    let word = |i: usize| tokens.get(i).map_or("", |&(a, b)| &text[a..b]);
    let functions: Vec<(&str, usize)> = definitions(tokens, text).collect();
    // Where text is put in.
    let mut places: Vec<usize> = Vec::new();
    match wanted {
        Wanted::Assertion => {
            let errors =
                functions.iter().filter(|(n, _)| *n == "reach_error" || *n == "__VERIFIER_error");
            places.extend(errors.map(|&(_, brace)| tokens[brace].1));
        }
        Wanted::Label { function, label } => {
            let inside = |i: usize| functions.iter().rev().find(|(_, b)| *b < i).map(|(n, _)| *n);
            for i in 0..tokens.len() {
                let follows =
                    i > 0 && matches!(word(i - 1), ";" | "{" | "}" | ":" | ")" | "else" | "do");
                let is_label = word(i) == label && word(i + 1) == ":" && follows;
                let here = function.as_deref().is_none_or(|f| inside(i) == Some(f));
                if is_label && here {
                    places.push(tokens[i + 1].1);
                }
            }
            if places.is_empty() && function.is_none() {
                let called = functions.iter().filter(|(n, _)| n == label);
                places.extend(called.map(|&(_, brace)| tokens[brace].1));
            }
        }
        Wanted::Line(..) => places.extend(on_line(text, wanted)),
        Wanted::Failure { .. } | Wanted::Run => return text.to_owned(),
    }
    let mut out = format!("extern void {MARK}(void);\n");
    let mut from = 0;
    for at in places {
        out += &text[from..at];
        let _ = write!(out, " {MARK}();");
        from = at;
    }
    out + &text[from..]
}

/// The text with bytes that are no characters as strings of C have them.
fn escaped(text: String) -> String {
    if !text.contains(|c| front_c::stray_byte(c).is_some()) {
        return text;
    }
    let mut out = String::new();
    for c in text.chars() {
        match front_c::stray_byte(c) {
            Some(byte) => {
                let _ = write!(out, "\\{byte:03o}");
            }
            None => out.push(c),
        }
    }
    out
}

/// Where the statements of a line start: before its first token, where a statement can start there.
fn on_line(text: &str, wanted: &Wanted) -> Option<usize> {
    let Wanted::Line(file, line) = wanted else { return None };
    let (mut now, mut name) = (1u32, String::new());
    let mut main = String::new();
    let mut at = 0;
    for row in text.split_inclusive('\n') {
        if let Some(rest) = row.strip_prefix("# ") {
            let mut words = rest.split_whitespace();
            now = words.next().and_then(|w| w.parse().ok()).unwrap_or(now);
            let quoted = rest.split('"').nth(1).unwrap_or_default();
            name = quoted.to_owned();
            if main.is_empty() {
                main.clone_from(&name);
            }
        } else {
            let here = file.as_deref().map_or(name == main, |f| f == name);
            if here && now == *line && !row.trim().is_empty() {
                return Some(at + row.len() - row.trim_start().len());
            }
            now += 1;
        }
        at += row.len();
    }
    None
}

/// The inputs as C, and what a failed assertion calls.
fn inputs_c(inputs: &Inputs, defined: &BTreeSet<String>, failed: &str) -> String {
    let mut out = String::from(
        "/* The inputs of a run, handed out one after the other. */\n\
         extern int creat(const char *, unsigned);\n\
         extern void _exit(int);\n\
         extern void abort(void);\n\
         void __bop_reached(void) { creat(\"reached\", 0644); _exit(0); }\n",
    );
    let fractions = fractions(inputs);
    out += "static const unsigned long long values[] = { ";
    for (name, value) in &inputs.values {
        // Numbers with fractions are told by their bits.
        let bits = match fractions.contains(name.as_str()) {
            true => source::fraction::value(*value).to_bits(),
            false => *value as u64,
        };
        let _ = write!(out, "{bits}ull, ");
    }
    out += "0 };\nstatic unsigned long next;\n";
    let count = inputs.values.len();
    let _ = writeln!(
        out,
        "static unsigned long long input(void) {{ if (next == {count}) _exit(2); return values[next++]; }}"
    );
    if !fractions.is_empty() {
        out += "static double fraction(void) { unsigned long long bits = input(); double x; \
                __builtin_memcpy(&x, &bits, sizeof x); return x; }\n";
    }
    let names: BTreeSet<&str> = inputs.values.iter().map(|(name, _)| name.as_str()).collect();
    let verifiers = names.into_iter().filter(|n| n.starts_with("__VERIFIER_"));
    for name in verifiers.filter(|n| !defined.contains(*n)) {
        let kind = name.strip_prefix("__VERIFIER_nondet_").unwrap_or("int");
        let (ty, number) = handed_out(kind);
        let _ = writeln!(out, "{ty} {name}(void) {{ return {number}; }}");
    }
    for (name, kind) in stubs::sources(&inputs.stubs) {
        let (ty, number) = handed_out(kind);
        let _ = writeln!(out, "{ty} {name}(void) {{ return {number}; }}");
    }
    if !inputs.stubs.is_empty() {
        out += "void __bop_outside(void) { }\nchar __bop_unmade[64];\nvoid __bop_beyond(void) { }\n\
                void __bop_exit(int code) { _exit(code); }\n";
    }
    // What programs declare and nobody defines; what is asked for after the place is anything.
    let said = "(const char *a, const char *b, unsigned c, const char *d)";
    for (name, takes, body) in [
        ("__VERIFIER_assume", "(int holds)", "if (!holds) _exit(3)".to_owned()),
        ("__VERIFIER_error", "(void)", format!("{failed}()")),
        ("reach_error", "(void)", format!("{failed}()")),
        ("__assert_fail", said, format!("{failed}()")),
    ] {
        if !defined.contains(name) {
            let _ = writeln!(out, "__attribute__((weak)) void {name}{takes} {{ {body}; }}");
        }
    }
    const OTHERS: [(&str, &str); 12] = [
        ("bool", "_Bool"),
        ("char", "char"),
        ("uchar", "unsigned char"),
        ("short", "short"),
        ("ushort", "unsigned short"),
        ("int", "int"),
        ("uint", "unsigned"),
        ("long", "long"),
        ("ulong", "unsigned long"),
        ("longlong", "long long"),
        ("float", "float"),
        ("double", "double"),
    ];
    for (kind, ty) in OTHERS {
        let name = format!("__VERIFIER_nondet_{kind}");
        let used = inputs.values.iter().any(|(n, _)| *n == name);
        if !used && !defined.contains(&name) {
            let _ =
                writeln!(out, "__attribute__((weak)) {ty} {name}(void) {{ _exit(2); return 0; }}");
        }
    }
    out
}

/// The functions that hand out numbers with fractions.
fn fractions(inputs: &Inputs) -> BTreeSet<&str> {
    let is_one = |kind: &str| matches!(kind, "float" | "double");
    let verifiers = inputs.values.iter().filter_map(|(name, _)| {
        name.strip_prefix("__VERIFIER_nondet_").filter(|kind| is_one(kind)).map(|_| name.as_str())
    });
    let stubs = stubs::sources(&inputs.stubs).filter(|(_, kind)| is_one(kind));
    let named = stubs.filter_map(|(name, _)| stubs::handed_out_by(name));
    verifiers.chain(named).collect()
}

/// A type of C, and the next input as a value of it.
fn handed_out(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "bool" | "_Bool" => ("_Bool", "(_Bool)input()"),
        "char" => ("signed char", "(signed char)input()"),
        "uchar" | "unsigned_char" | "u8" => ("unsigned char", "(unsigned char)input()"),
        "short" => ("short", "(short)input()"),
        "ushort" | "unsigned_short" | "u16" => ("unsigned short", "(unsigned short)input()"),
        "uint" | "unsigned" | "unsigned_int" | "u32" => ("unsigned", "(unsigned)input()"),
        "long" => ("long", "(long)input()"),
        "ulong" | "unsigned_long" | "size_t" | "loff_t" => {
            ("unsigned long", "(unsigned long)input()")
        }
        "charp" => ("char *", "(char *)(unsigned long)input()"),
        "pointer" => ("void *", "(void *)(unsigned long)input()"),
        "longlong" | "S64" => ("long long", "(long long)input()"),
        "ulonglong" | "u64" | "U64" => ("unsigned long long", "input()"),
        "float" => ("float", "(float)fraction()"),
        "double" => ("double", "fraction()"),
        _ => ("int", "(int)input()"),
    }
}

/// What a script does before the program is started, and how it starts it.
fn started(inputs: &Inputs) -> (String, String) {
    let (mut before, mut call) = (String::new(), "./test".to_owned());
    let octal = |bytes: &[u8]| bytes.iter().map(|b| format!("\\{b:03o}")).collect::<String>();
    for i in 1..=inputs.arguments {
        let Some(arg) = inputs.args.get(i - 1) else {
            let _ = write!(call, " {i}");
            continue;
        };
        if arg.iter().all(|b| b.is_ascii_graphic() && *b != b'\'') {
            let _ = write!(call, " '{}'", String::from_utf8_lossy(arg));
            continue;
        }
        // The shell drops lines at the end of what is printed: there is a letter behind them.
        if before.is_empty() {
            before += "export LC_ALL=C\n";
        }
        let _ = writeln!(before, "a{i}=$(printf '{}x'); a{i}=${{a{i}%x}}", octal(arg));
        let _ = write!(call, " \"$a{i}\"");
    }
    for (i, (_, content)) in inputs.files.iter().enumerate() {
        let _ = writeln!(before, "printf '{}' >file-{}", octal(content), i + 1);
    }
    if inputs.stdin.is_empty() {
        call += " </dev/null";
    } else {
        let _ = writeln!(before, "printf '{}' >stdin", octal(&inputs.stdin));
        call += " <stdin";
    }
    (before, call)
}

/// How a program with pointers of 32 bits is built. Numbers with fractions have the bits of their types, as in the run that
/// was found (FP4).
const MACHINE_32: &str = " -m32 -msse2 -mfpmath=sse";

/// The script that builds and runs.
fn script(sources: &[String], inputs: &Inputs, model: Model) -> String {
    let machine = if model.pointer == 32 { MACHINE_32 } else { "" };
    let (prepared, call) = started(inputs);
    format!(
        "#!/bin/sh\n\
         # Builds the test and runs it: 0 if and only if the place is reached.\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         rm -f reached\n\
         ${{CC:-cc}}{machine} -w -O0 -g -fwrapv -fno-strict-aliasing -o test {} inputs.c -lm || exit 2\n\
         {prepared}{call} >/dev/null 2>&1\n\
         test -e reached\n",
        sources.join(" ")
    )
}

/// The script that builds and runs, whatever comes of it.
fn plain_script(sources: &[String], inputs: &Inputs, model: Model) -> String {
    let machine = if model.pointer == 32 { MACHINE_32 } else { "" };
    let (prepared, call) = started(inputs);
    format!(
        "#!/bin/sh\n\
         # Builds the test and runs it: 0 if it was built. CFLAGS may ask for coverage.\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         ${{CC:-cc}}{machine} $CFLAGS -w -O0 -g -fwrapv -fno-strict-aliasing -o test {} inputs.c -lm || exit 2\n\
         {prepared}{call} >/dev/null 2>&1\n\
         exit 0\n",
        sources.join(" ")
    )
}

/// A name as a pattern of `grep -E`.
fn pattern(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if plain(c) { c.to_string() } else { "[^/]".to_owned() }).collect()
}

/// The script that builds with sanitizers, and looks for what they say.
fn watched_script(
    sources: &[String],
    inputs: &Inputs,
    model: Model,
    (kind, place, leak, nowhere): (OperationKind, &str, bool, bool),
) -> String {
    let machine = if model.pointer == 32 { MACHINE_32 } else { "" };
    let (prepared, call) = started(inputs);
    // Arithmetic that wraps is not watched. If it may do anything, gcc reads `-n > 0` as `n < 0` before the sanitizer sees it.
    let wraps = if kind == OperationKind::Overflow { " -ftrapv" } else { " -fwrapv" };
    let said = match kind {
        OperationKind::Overflow => {
            "signed integer overflow|left shift of|shift exponent|negation of|division of"
        }
        OperationKind::Division => "division by zero",
        _ => {
            "index|load of|store to|member access|null pointer|insufficient space|applying|call to"
        }
    };
    let ours = format!("{place}:[0-9]+: runtime error: ({said})");
    let frame = format!("^ *#[0-9]+ .*[/ ]{place}(:|$)");
    // The first stack that is told is that of the access; of leaks, each one's is that of its allocation.
    let first = "sed -n '/ERROR: AddressSanitizer/,/^$/p' said | grep -E '^ *#' ";
    let judged = match kind {
        OperationKind::Overflow | OperationKind::Division => format!("grep -qE '{ours}' said"),
        _ if leak => format!("grep -q 'LeakSanitizer' said && grep -qE '{frame}' said"),
        _ if nowhere => "grep -q 'pc points to the zero page' said".to_owned(),
        _ => format!("grep -qE '{ours}' said || {first}| grep -qE '{frame}'"),
    };
    let globals = if kind == OperationKind::MemoryCleanup { ":use_globals=0" } else { "" };
    let leaks = u8::from(leak);
    format!(
        "#!/bin/sh\n\
         # Builds the test with sanitizers and runs it: 0 if and only if they speak up at that line.\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         ${{CC:-cc}}{machine} -std=gnu17 -w -O0 -g{wraps} -fno-strict-aliasing -fno-omit-frame-pointer \
         -fsanitize=address,undefined -o test {} inputs.c -lm || exit 2\n\
         export ASAN_OPTIONS=detect_leaks={leaks}:detect_stack_use_after_return=1:abort_on_error=0\n\
         export LSAN_OPTIONS=use_stacks=0:use_registers=0:use_tls=0{globals}\n\
         {prepared}{call} >/dev/null 2>said\n\
         {judged}\n",
        sources.join(" ")
    )
}
