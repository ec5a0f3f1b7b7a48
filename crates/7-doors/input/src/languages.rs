//! The input languages: one table, which command lines, help and errors read.

/// An input language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lang {
    /// Boolean programs.
    Bp,
    /// Remopla, the language of Moped.
    Remopla,
    /// Pushdown systems, explicit and symbolic.
    Pds,
    /// C.
    C,
    /// Circuits: AIGER's text format, and BTOR2.
    Circuit,
}

/// What is to be known of an input language. Command lines, help and errors read it here.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Which one.
    pub lang: Lang,
    /// The word by which command lines name it.
    pub word: &'static str,
    /// What one of its programs is called.
    pub program: &'static str,
    /// How files in it end.
    pub endings: &'static [&'static str],
    /// One line for people.
    pub help: &'static str,
}

/// The input languages.
pub const LANGUAGES: [Language; 5] = [
    Language {
        lang: Lang::Bp,
        word: "bp",
        program: "boolean program",
        endings: &["bp"],
        help: "Boolean programs (.bp)",
    },
    Language {
        lang: Lang::Remopla,
        word: "remopla",
        program: "Remopla program",
        endings: &["rem", "rmpl"],
        help: "The language of Moped (.rem, .rmpl)",
    },
    Language {
        lang: Lang::Pds,
        word: "pds",
        program: "pushdown system",
        endings: &["pds"],
        help: "Pushdown systems, explicit and symbolic (.pds)",
    },
    Language {
        lang: Lang::C,
        word: "c",
        program: "C program",
        endings: &["c", "h", "i"],
        help: "C (.c, .h; .i for what is preprocessed)",
    },
    Language {
        lang: Lang::Circuit,
        word: "circuit",
        program: "circuit",
        endings: &["aag", "aig", "btor2", "btor"],
        help: "Circuits: AIGER (.aag, .aig), BTOR2 (.btor2)",
    },
];

impl Lang {
    /// What is to be known of it.
    pub fn about(self) -> &'static Language {
        let i = LANGUAGES.iter().position(|row| row.lang == self);
        &LANGUAGES[i.expect("every language has a row")]
    }

    /// The language that a file's name tells; one that is packed (`.gz`) has two endings.
    pub fn of_file(name: &str) -> Option<Lang> {
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        let row = LANGUAGES.iter().find(|row| row.endings.contains(&ending.as_str()))?;
        Some(row.lang)
    }

    /// The language with this word.
    pub fn named(word: &str) -> Option<Lang> {
        LANGUAGES.iter().find(|row| row.word == word).map(|row| row.lang)
    }
}
