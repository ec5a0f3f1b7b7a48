//! Layouts and initial values against a compiler: generated declarations, LP64 and ILP32.
//!
//! One table of sizes, alignments and offsets and one object of all generated types are put into sections of
//! their own; what the compiler puts there is what the data program has.

use c_types::Model;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A generated struct or union: what the table asks about it, and a value.
struct Generated {
    questions: Vec<String>,
    value: String,
}

fn generate(text: &mut String, r: &mut Random, number: usize, before: &[Generated]) -> Generated {
    let is_union = r.one_in(6);
    let tag = if is_union { "union" } else { "struct" };
    let pack = if r.one_in(5) { Some(1 << r.below(5)) } else { None };
    if let Some(pack) = pack {
        let _ = writeln!(text, "#pragma pack(push, {pack})");
    }
    let _ = writeln!(text, "typedef {tag} S{number} {{");
    let (mut questions, mut values) = (Vec::new(), Vec::new());
    let name = format!("S{number}");
    questions.push(format!("sizeof({name})"));
    questions.push(format!("_Alignof({name})"));
    for field in 0..1 + r.below(7) {
        let integers = [
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "_Bool",
            "enum E",
        ];
        let widths = [8, 8, 8, 16, 16, 32, 32, 32, 32, 64, 64, 1, 32];
        let attribute = match r.below(14) {
            0 => " __attribute__((packed))".to_owned(),
            1 => format!(" __attribute__((aligned({})))", 1 << r.below(6)),
            2 => " __attribute__((aligned))".to_owned(),
            _ => String::new(),
        };
        if r.one_in(2) {
            let i = r.below(integers.len() as u64) as usize;
            let width = 1 + r.below(widths[i]);
            match r.below(8) {
                0 => {
                    let _ = writeln!(
                        text,
                        "  {} : {};",
                        integers[i],
                        if r.one_in(2) { 0 } else { width }
                    );
                    continue;
                }
                1..=5 => {
                    let _ = writeln!(text, "  {} f{field} : {width}{attribute};", integers[i]);
                }
                _ => {
                    let _ = writeln!(text, "  {} f{field}{attribute};", integers[i]);
                    questions.push(format!("__builtin_offsetof({name}, f{field})"));
                }
            }
            values.push(r.below(1 << 20).to_string());
            continue;
        }
        questions.push(format!("__builtin_offsetof({name}, f{field})"));
        match r.below(9) {
            0 => {
                let _ = writeln!(text, "  double f{field}{attribute};");
                values.push(format!("{}.25", r.below(1000)));
            }
            1 => {
                let _ = writeln!(text, "  float f{field}{attribute};");
                values.push(format!("-{}.5f", r.below(1000)));
            }
            2 => {
                let _ = writeln!(text, "  long double f{field}{attribute};");
                values.push(format!("{}.125L", r.below(1000)));
            }
            3 => {
                let _ = writeln!(text, "  void *f{field}{attribute};");
                values.push("0".to_owned());
            }
            4 => {
                let _ = writeln!(text, "  char f{field}[{}]{attribute};", 1 + r.below(9));
                values.push("\"a\"".to_owned());
            }
            5 => {
                let _ = writeln!(text, "  short f{field}[2][3]{attribute};");
                values.push("{ { 1, 2, 3 }, { 4 } }".to_owned());
            }
            6 if number > 0 => {
                let other = r.below(number as u64) as usize;
                let _ = writeln!(text, "  S{other} f{field}{attribute};");
                values.push(before[other].value.clone());
            }
            _ => {
                let _ = writeln!(text, "  int (*f{field}[2])(void){attribute};");
                values.push("{ 0, 0 }".to_owned());
            }
        }
    }
    let attribute = match r.below(8) {
        0 => " __attribute__((packed))".to_owned(),
        1 => format!(" __attribute__((aligned({})))", 1 << r.below(6)),
        2 => " __attribute__((packed, aligned(2)))".to_owned(),
        _ => String::new(),
    };
    let _ = writeln!(text, "}}{attribute} S{number};");
    if pack.is_some() {
        let _ = writeln!(text, "#pragma pack(pop)");
    }
    let kept = if is_union { values.len().min(1) } else { values.len() };
    Generated { questions, value: format!("{{ {} }}", values[..kept].join(", ")) }
}

fn section(object: &Path, name: &str) -> Vec<u8> {
    let out = object.with_extension(name.trim_start_matches('.'));
    let done = Command::new("objcopy")
        .args(["-O", "binary", "-j", name])
        .args([object, out.as_path()])
        .status()
        .expect("objcopy starts");
    assert!(done.success());
    std::fs::read(out).expect("a section")
}

fn compare(seed: u64, model: Model, flag: &str) {
    let mut r = Random(seed);
    let mut text = String::from("enum E { A, B = 7 };\n");
    let mut all = Vec::new();
    for number in 0..12 {
        let generated = generate(&mut text, &mut r, number, &all);
        all.push(generated);
    }
    let questions: Vec<&str> =
        all.iter().flat_map(|g| g.questions.iter().map(String::as_str)).collect();
    let mut tail = String::new();
    let _ = writeln!(tail, "struct All {{");
    for number in 0..all.len() {
        let _ = writeln!(tail, "  S{number} o{number};");
    }
    let _ = writeln!(tail, "}};");
    let attribute = |name: &str| format!("__attribute__((section(\"{name}\"))) ");
    let values: Vec<&str> = all.iter().map(|g| g.value.as_str()).collect();
    for (name, rest) in [
        (".table", format!("unsigned table[] = {{ {} }};", questions.join(",\n  "))),
        (".all", format!("struct All all = {{ {} }};", values.join(",\n  "))),
    ] {
        let _ = writeln!(tail, "{}{rest}", attribute(name));
    }
    text += &tail;
    let folder = std::env::temp_dir().join(format!("layouts-{}-{seed}-{flag}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, object) = (folder.join("t.c"), folder.join("t.o"));
    std::fs::write(&source, &text).expect("a file");
    let done = Command::new("cc")
        .args([flag, "-w", "-c", "-o"])
        .args([object.as_path(), source.as_path()])
        .status()
        .expect("cc starts");
    assert!(done.success(), "seed {seed}: the compiler refuses {}", source.display());
    let mut unit = front_c::parse(&text);
    unit.model = model;
    let program = c_data::lower(std::slice::from_ref(&unit), 1, model);
    assert!(program.gaps.is_empty(), "seed {seed}: {:?}", program.gaps);
    let bytes = |name: &str| {
        let object = program.objects.iter().find(|o| o.name == name).expect("an object");
        let mut bytes = object.bytes.clone();
        bytes.resize(object.size as usize, 0);
        bytes
    };
    let table = bytes("table");
    let theirs = section(&object, ".table");
    for (i, question) in questions.iter().enumerate() {
        let word = |b: &[u8]| u32::from_le_bytes(b[4 * i..4 * i + 4].try_into().expect("4 bytes"));
        assert_eq!(word(&table), word(&theirs), "seed {seed} {flag}: {question}\n{text}");
    }
    let (ours, theirs) = (bytes("all"), section(&object, ".all"));
    let differing = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    assert_eq!(differing, None, "seed {seed} {flag}: a byte of `all` differs\n{text}");
    assert_eq!(ours.len(), theirs.len(), "seed {seed} {flag}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn generated_declarations_with_64_bits() {
    for seed in 0..60 {
        compare(seed, Model::LP64, "-m64");
    }
}

#[test]
fn generated_declarations_with_32_bits() {
    for seed in 1000..1060 {
        compare(seed, Model::ILP32, "-m32");
    }
}
