//! What C says about conversions, constants and operators, and what gcc computes (`cc`, where there is
//! one, is asked about random expressions).

use c_types::{Binary, Int, Model, Scalar, Unary, Value, binary, literal, unary, usual};

const M: Model = Model::LP64;

fn ty(name: &str) -> Scalar {
    Scalar::named(name, &M).unwrap_or_else(|| panic!("`{name}` is no scalar"))
}

fn int(bits: u8, signed: bool) -> Scalar {
    Scalar::Int(Int::new(bits, signed))
}

#[test]
fn names_of_types() {
    for (name, expected) in [
        ("int", int(32, true)),
        ("unsigned", int(32, false)),
        ("long unsigned int", int(64, false)),
        ("long long", int(64, true)),
        ("char", int(8, true)),
        ("unsigned char", int(8, false)),
        ("short int", int(16, true)),
        ("__int128 unsigned", int(128, false)),
        ("_Bool", Scalar::Bool),
        ("long double", Scalar::Float(80)),
        ("double long", Scalar::Float(80)),
        ("double", Scalar::DOUBLE),
        ("float", Scalar::Float(32)),
    ] {
        assert_eq!(ty(name), expected, "{name}");
    }
    for name in ["", "float _Complex", "size_t", "struct s"] {
        assert_eq!(Scalar::named(name, &M), None, "{name}");
    }
    let arm = Model { signed_char: false, ..M };
    assert_eq!(Scalar::named("char", &arm), Some(int(8, false)));
    assert_eq!(Scalar::named("long", &Model::ILP32), Some(int(32, true)));
}

#[test]
fn literals_have_the_first_type_that_fits() {
    for (text, number, expected) in [
        ("0", 0, int(32, true)),
        ("5u", 5, int(32, false)),
        ("2147483647", 2_147_483_647, int(32, true)),
        ("2147483648", 2_147_483_648, int(64, true)),
        ("0x80000000", 2_147_483_648, int(32, false)),
        ("0xffffffffffffffff", 18_446_744_073_709_551_615, int(64, false)),
        ("017", 15, int(32, true)),
        ("0b101", 5, int(32, true)),
        ("1'000", 1000, int(32, true)),
        ("7LLU", 7, int(64, false)),
        ("'a'", 97, int(32, true)),
        ("'\\n'", 10, int(32, true)),
        ("'\\377'", -1, int(32, true)),
        ("'\\xff'", -1, int(32, true)),
        ("'\\0'", 0, int(32, true)),
    ] {
        let value = literal(text, &M).unwrap_or_else(|| panic!("`{text}` has a value"));
        assert_eq!((value.number(), value.ty()), (number, expected), "{text}");
    }
    for text in
        ["1.0", "1e3", "0x1p3", "1f", "L'a'", "'ab'", "99999999999999999999", "", "08", "1i"]
    {
        assert_eq!(literal(text, &M), None, "{text}");
    }
    let arm = Model { signed_char: false, ..M };
    assert_eq!(literal("'\\377'", &arm).map(Value::number), Some(255));
}

#[test]
fn conversions_wrap() {
    for (number, to, expected) in [
        (300, "unsigned char", 44),
        (-1, "unsigned", 4_294_967_295),
        (200, "signed char", -56),
        (2, "_Bool", 1),
        (0, "_Bool", 0),
        (-1, "unsigned long", 18_446_744_073_709_551_615),
        (-32_769, "short", 32_767),
    ] {
        let value = Value::int(number).convert(ty(to), &M).map(Value::number);
        assert_eq!(value, Some(expected), "({to}){number}");
    }
    assert_eq!(Value::int(1).convert(Scalar::DOUBLE, &M), None);
}

#[test]
fn operands_meet() {
    for (a, b, expected) in [
        ("char", "short", int(32, true)),
        ("unsigned short", "int", int(32, true)),
        ("int", "unsigned", int(32, false)),
        ("unsigned", "long", int(64, true)),
        ("unsigned long", "long long", int(64, false)),
        ("int", "double", Scalar::DOUBLE),
        ("float", "long", Scalar::Float(32)),
        ("float", "double", Scalar::DOUBLE),
        ("_Bool", "_Bool", int(32, true)),
    ] {
        assert_eq!(usual(ty(a), ty(b)), Some(expected), "{a}, {b}");
        assert_eq!(usual(ty(b), ty(a)), Some(expected), "{b}, {a}");
    }
    assert_eq!(usual(Scalar::Pointer, Scalar::INT), None);
    // A bit-field without a sign that `int` holds is an `int`.
    assert_eq!(int(5, false).promoted(), Scalar::INT);
    assert_eq!(int(32, false).promoted(), int(32, false));
}

#[test]
fn what_is_undefined_has_no_value() {
    let max = Value::int(i32::MAX);
    let min = Value::int(i32::MIN);
    let (one, minus) = (Value::int(1), Value::int(-1));
    for (op, a, b) in [
        (Binary::Add, max, one),
        (Binary::Sub, min, one),
        (Binary::Mul, max, max),
        (Binary::Div, one, Value::int(0)),
        (Binary::Rem, one, Value::int(0)),
        (Binary::Div, min, minus),
        (Binary::Rem, min, minus),
        (Binary::Shl, one, Value::int(32)),
        (Binary::Shl, one, minus),
        (Binary::Shl, minus, one),
        (Binary::Shl, one, Value::int(31)),
        (Binary::Shr, one, Value::int(32)),
    ] {
        assert_eq!(binary(op, a, b, &M), None, "{op:?} {a:?} {b:?}");
    }
    assert_eq!(unary(Unary::Minus, min, &M), None);
    let null = Value::int(0).convert(Scalar::Pointer, &M).unwrap();
    assert_eq!(binary(Binary::Lt, null, null, &M), None);
    assert_eq!(binary(Binary::Eq, null, Value::int(0), &M), Some(Value::int(1)));
}

#[test]
fn conversions_that_change_nothing() {
    for (a, b, fits) in [
        ("int", "long", true),
        ("unsigned", "long", true),
        ("unsigned", "int", false),
        ("int", "unsigned long", false),
        ("char", "unsigned char", false),
        ("_Bool", "char", true),
        ("int", "_Bool", false),
        ("int", "double", false),
    ] {
        assert_eq!(ty(a).fits(ty(b), &M), fits, "{a} to {b}");
    }
}

/// Random expressions over typed constants: what we compute is what the compiler computes.
#[test]
#[allow(clippy::print_stderr)]
fn a_compiler_agrees() {
    use std::fmt::Write as _;
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 16) as usize % n
    };
    let types = [
        "_Bool",
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
        "char",
    ];
    let literals = [
        "0",
        "1",
        "2",
        "5u",
        "127",
        "128",
        "255",
        "300",
        "65535",
        "2147483647",
        "0x80000000",
        "4294967295",
        "1L",
        "7ul",
        "0x7fffffffffffffff",
        "0xffffffffffffffffu",
        "'a'",
        "'\\377'",
    ];
    use Binary::*;
    let operators = [
        (Mul, "*"),
        (Div, "/"),
        (Rem, "%"),
        (Add, "+"),
        (Sub, "-"),
        (Shl, "<<"),
        (Shr, ">>"),
        (Lt, "<"),
        (Gt, ">"),
        (Le, "<="),
        (Ge, ">="),
        (Eq, "=="),
        (Ne, "!="),
        (BitAnd, "&"),
        (BitXor, "^"),
        (BitOr, "|"),
        (And, "&&"),
        (Or, "||"),
    ];
    let mut program = String::from("#include <stdio.h>\nint main(void) {\n");
    let mut expected = Vec::new();
    while expected.len() < 3000 {
        let mut operand = || {
            let text = literals[random(literals.len())];
            let mut value = literal(text, &M).expect("a literal");
            let mut text = text.to_owned();
            if random(2) == 0 {
                let minus = unary(Unary::Minus, value, &M);
                if let Some(minus) = minus {
                    (value, text) = (minus, format!("(-{text})"));
                }
            }
            if random(2) == 0 {
                let to = types[random(types.len())];
                value = value.convert(ty(to), &M).expect("an integer type");
                text = format!("(({to}){text})");
            }
            (value, text)
        };
        let ((a, left), (b, right)) = (operand(), operand());
        let (op, symbol) = operators[random(operators.len())];
        let Some(value) = binary(op, a, b, &M) else { continue };
        let text = format!("({left} {symbol} {right})");
        // The type shows in the size, and in the sign of -1 converted to it.
        let _ = writeln!(
            program,
            "  printf(\"%llu %d %d\\n\", (unsigned long long){text}, (int)sizeof {text}, \
             (__typeof__{text})-1 < (__typeof__{text})1);"
        );
        let Scalar::Int(int) = value.ty() else { panic!("an integer") };
        expected.push((text, value.number() as u64, int.bits / 8, int.signed));
    }
    program.push_str("}\n");
    let dir = std::env::temp_dir().join(format!("c-types-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let (source, binary) = (dir.join("t.c"), dir.join("t"));
    std::fs::write(&source, program).expect("a file");
    let compiled = std::process::Command::new("cc")
        .args(["-w", "-O0", "-fsigned-char", "-o"])
        .arg(&binary)
        .arg(&source)
        .status();
    if !compiled.is_ok_and(|s| s.success()) || cfg!(not(target_pointer_width = "64")) {
        eprintln!("skipped: there is no `cc` for 64 bits to compare with");
        return;
    }
    let out = std::process::Command::new(&binary).output().expect("the program runs").stdout;
    let out = String::from_utf8(out).expect("numbers");
    assert_eq!(out.lines().count(), expected.len());
    for (line, (text, number, size, signed)) in out.lines().zip(&expected) {
        assert_eq!(line, format!("{number} {size} {}", i32::from(*signed)), "{text}");
    }
    std::fs::remove_dir_all(&dir).ok();
}
