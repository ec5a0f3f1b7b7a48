//! Programs whose allocations may fail, and in which files are memory, as C: what findings are judged on.
//!
//! An allocation of the machine succeeds, and a file is nothing that it looks after. Where a rule is about a path on which
//! one fails, or about files, calls go through functions that hand out an input, or allocate.

use crate::entries;
use input::CText;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Functions that open files.
const OPEN: [&str; 8] =
    ["fopen", "fopen64", "fdopen", "popen", "tmpfile", "tmpfile64", "fmemopen", "open_memstream"];

/// The units in which files are memory: to open one allocates, and to close it frees. None where the program opens one
/// anew, or has such a function of its own.
pub(crate) fn files_as_memory(texts: &[CText]) -> Option<(Vec<CText>, String)> {
    let close = ["fclose", "pclose"];
    let mut more =
        String::from("void *calloc(unsigned long, unsigned long);\nvoid free(void *);\n");
    for name in OPEN {
        let _ = writeln!(
            more,
            "_Bool __bop_result_bool__{name}(void);\n\
             void *__bop_file_{name}() {{ return __bop_result_bool__{name}() ? calloc(1, 64) : 0; }}"
        );
    }
    for name in close {
        let _ = writeln!(more, "int __bop_file_{name}(void *f) {{ free(f); return 0; }}");
    }
    let mut texts = texts.to_vec();
    for text in &mut texts {
        let tokens = crate::emitted::tokens(&text.text);
        let known = |name: &str| OPEN.contains(&name) || close.contains(&name);
        let own = crate::emitted::definitions(&tokens, &text.text).any(|(name, _)| known(name));
        if own {
            return None;
        }
        text.text =
            entries::renamed(&text.text, |word| known(word).then(|| format!("__bop_file_{word}")));
    }
    Some((texts, more))
}

/// Functions that give memory, and may not.
const ALLOCATE: [(&str, &str); 5] = [
    ("malloc", "unsigned long a"),
    ("calloc", "unsigned long a, unsigned long b"),
    ("realloc", "void *a, unsigned long b"),
    ("strdup", "const char *a"),
    ("strndup", "const char *a, unsigned long b"),
];

/// The units with other names for functions that allocate, and those functions: each of them may fail.
pub(crate) fn fallible(texts: &[CText]) -> (Vec<CText>, String) {
    let mut defined: BTreeSet<String> = BTreeSet::new();
    for text in texts {
        let tokens = crate::emitted::tokens(&text.text);
        let names = crate::emitted::definitions(&tokens, &text.text);
        defined.extend(names.map(|(name, _)| name.to_owned()));
    }
    let renamed: Vec<_> = ALLOCATE.iter().filter(|(n, _)| !defined.contains(*n)).collect();
    let mut more = String::new();
    for (name, params) in &renamed {
        let args: Vec<&str> =
            params.split(", ").filter_map(|p| p.rsplit([' ', '*']).next()).collect();
        let args = args.join(", ");
        let _ = writeln!(more, "void *{name}({params});\n_Bool __bop_result_bool__{name}(void);");
        let _ = writeln!(
            more,
            "void *__bop_may_{name}({params}) {{ if (!__bop_result_bool__{name}()) return 0; return {name}({args}); }}"
        );
    }
    let mut texts = texts.to_vec();
    for text in &mut texts {
        text.text = entries::renamed(&text.text, |word| {
            renamed.iter().any(|(n, _)| *n == word).then(|| format!("__bop_may_{word}"))
        });
    }
    (texts, more)
}
