//! C on the command line: which files, with which flags; preprocessing; what to say about it.

use crate::args::Input;
use crate::cache::Cache;
use crate::seen::Here;
use crate::verbs::Failed;
use crate::{answer, bug, child, io};
use postbop::preprocess::{
    Invocation, Outcome, Source, compile_commands, cpp_sources, preprocess, shell_words,
};
use postbop::{CProgram, CText, Lang, LazyData, Model, Unread};
use source::SourceFile;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How many things that are not modelled are listed without `-v`.
const LISTED: usize = 10;

/// A C program, and its files to be shown.
pub(crate) struct Loaded {
    pub(crate) program: Arc<CProgram>,
    /// The same with its data, if that is wanted.
    pub(crate) data: Option<Arc<LazyData>>,
    pub(crate) files: Vec<Arc<SourceFile>>,
    /// Files of other programs.
    pub(crate) others: Vec<String>,
}

/// The units of a program, preprocessed.
pub(crate) struct Units {
    pub(crate) texts: Vec<CText>,
    /// Files that could not be.
    pub(crate) unread: Vec<Unread>,
    pub(crate) model: Model,
    /// Files of other programs: they have a `main`, and another one was named.
    pub(crate) others: Vec<String>,
}

/// Whether the input is C: by `--lang`, by the files' endings, or because a compilation database is
/// given. Files of two languages are an error.
pub(crate) fn is_c(input: &Input) -> Result<bool, Failed> {
    if input.files.is_empty() && input.c.compile_commands.is_none() {
        let what = "no FILE: which program is to be checked? (`bop init` writes a `bop.toml` that says so)";
        return Err(Failed::from(what.to_owned()));
    }
    let wants = |flag: &str| {
        let what = format!("{flag} is for C programs; this is none");
        Err(Failed::from(what))
    };
    if let Some(name) = input.files.iter().find(|f| input.lang.is_none() && is_cpp(f)) {
        return Err(Failed::from(format!(
            "`{name}` is C++, which is not read; if it is C all the same, say `--lang c`"
        )));
    }
    let by_name = |name: &String| Lang::of_file(name) == Some(Lang::C);
    let c = match input.lang {
        Some(lang) => lang == Lang::C,
        None => input.files.iter().any(by_name) || input.c.compile_commands.is_some(),
    };
    if !c {
        if input.c.compile_commands.is_some() {
            return wants("`--compile-commands`");
        }
        if !input.c.keep.is_empty() {
            return wants("`--keep`");
        }
        if !input.c.flags.is_empty() {
            return wants("what stands behind `--`");
        }
        if input.c.ilp32 {
            return wants("`--ilp32`");
        }
        if !input.c.contracts.is_empty() {
            return wants("`--contracts`");
        }
        if input.c.cache.is_some() {
            return wants("`--cache`");
        }
        return Ok(false);
    }
    let other = |name: &&String| {
        Lang::of_file(name).is_some_and(|lang| !matches!(lang, Lang::C | Lang::Circuit))
    };
    if let Some(name) = input.files.iter().find(other) {
        let what = format!("`{name}` is no C: the files of one program are in one language");
        return Err(Failed::from(what));
    }
    Ok(true)
}

/// Whether a file's name says that it is C++.
fn is_cpp(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|e| e.to_str());
    ending.is_some_and(postbop::preprocess::is_cpp)
}

/// Preprocesses, parses and links.
pub(crate) fn load(input: &Input, data: bool) -> Result<Loaded, Failed> {
    let Units { texts, unread, model, others } = texts(input)?;
    let data = data.then(|| Arc::new(postbop::searchable(texts.clone(), model)));
    let mut program = CProgram::in_part(texts, unread, model)?;
    agree(&mut program, &input.c.contracts)?;
    let program = Arc::new(program);
    // Headers, and what is included in the middle of a function, count where there is code in them.
    let shown: HashSet<u32> = (program.skeleton().bodies.iter())
        .flat_map(|b| std::iter::once(b.at.file).chain(b.points.iter().map(|p| p.at.file)))
        .collect();
    let files = program.files().iter().enumerate().map(|(i, name)| {
        // Only what can be in a path is shown; a file may be gone, or never have been one.
        let bytes = match shown.contains(&(i as u32)) {
            true => io::shown(name),
            false => Vec::new(),
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        SourceFile::new(name, text).map(Arc::new).map_err(|e| e.to_string())
    });
    let files = files.collect::<Result<_, String>>()?;
    Ok(Loaded { program, data, files, others })
}

/// Adds what files of contracts say.
pub(crate) fn agree(program: &mut CProgram, contracts: &[String]) -> Result<(), Failed> {
    for name in contracts {
        let text = io::text(name)?;
        let file = SourceFile::new(name.as_str(), text.as_str()).map_err(|e| e.to_string())?;
        let contracts = postbop::Contracts::parse(&text).map_err(|e| {
            let error = postbop::RuleError { line: e.line, column: e.column, message: e.message };
            let what = postbop::rule_error(&file, &error);
            Failed::from(postbop::Error::Rejected { file: Arc::new(file), diagnostics: vec![what] })
        })?;
        program.contract(contracts);
    }
    Ok(())
}

/// Says on standard error what is not modelled: all of it, or the first of it.
pub(crate) fn say_warnings(program: &CProgram, verbose: bool) {
    let warnings = program.warnings();
    let listed = if verbose { warnings.len() } else { LISTED };
    for warning in warnings.iter().take(listed) {
        io::complain_in_full(&shown(warning));
    }
    if warnings.len() > listed {
        let more = warnings.len() - listed;
        io::complain(&format!("warning: {more} more like these (`-v` lists all)"));
    }
}

/// A warning: with its line of source where that is wrong, in one line where it is what we do not model.
fn shown(warning: &source::Placed) -> String {
    let text = || String::from_utf8(io::shown(&warning.file)).ok();
    let wrong = warning.line > 0 && warning.diagnostic.code != "c-not-modelled";
    let file = wrong.then(text).flatten().and_then(|t| SourceFile::new(&warning.file, t).ok());
    let placed = file.map(|file| (warning.in_file(&file), file));
    match placed.filter(|(diagnostic, _)| diagnostic.span.is_some()) {
        Some((diagnostic, file)) => source::render(&diagnostic, &file).trim_end().to_owned(),
        None => format!("warning: {}", source::one_line(&warning.to_string())),
    }
}

/// The rules that the words of `--rule` name: files, or ready-made ones.
pub(crate) fn rules(names: &[String]) -> Result<Vec<postbop::Rule>, Failed> {
    let mut out: Vec<postbop::Rule> = Vec::new();
    let every = |name: &String| is_every(name);
    let ready = postbop::built_in_rules().iter().map(|r| (r.name.to_owned(), true));
    // A ready-made rule that is named besides is among all of them; a folder is no file of rules.
    let is_file = |name: &str| Path::new(name).is_file() || io::is_special(name);
    let names: Vec<(String, bool)> = match names.iter().any(every) {
        true => {
            let others = names.iter().filter(|n| !every(n) && is_file(n));
            ready.chain(others.map(|n| (n.clone(), false))).collect()
        }
        false => names.iter().map(|n| (n.clone(), false)).collect(),
    };
    for (name, ready) in &names {
        let (shown, text) = match !ready && is_file(name) {
            true => (name.as_str(), io::text(name)?),
            false => match postbop::built_in_rules().iter().find(|r| r.is_called(name)) {
                Some(ready) => (ready.name, ready.text.to_owned()),
                None => return Err(unknown_rule(name)),
            },
        };
        let file = SourceFile::new(shown, text.as_str()).map_err(|e| e.to_string())?;
        let mut rules = postbop::parse_rules(&text).map_err(|error| {
            let what = postbop::rule_error(&file, &error);
            Failed::from(postbop::Error::Rejected { file: Arc::new(file), diagnostics: vec![what] })
        })?;
        // One rule of a file with several.
        if rules.len() > 1 && rules.iter().any(|r| r.name == *name) {
            rules.retain(|r| r.name == *name);
        }
        if rules.is_empty() {
            return Err(Failed::from(format!("{shown}: there is no rule in it")));
        }
        for rule in rules {
            match out.iter().any(|other| other.name == rule.name) {
                true => {
                    let what =
                        format!("there are two rules `{}`, the second in {shown}", rule.name);
                    return Err(Failed::from(what));
                }
                false => out.push(rule),
            }
        }
    }
    Ok(out)
}

/// Whether all ready-made rules are meant. A file of that name is what it says.
fn is_every(name: &str) -> bool {
    name == "all" && !Path::new(name).is_file()
}

/// With `--rule all`, rules about functions of which the program calls none are left out, and named, unless none is left.
pub(crate) fn keep_those_in_use(
    names: &[String],
    program: &CProgram,
    properties: &mut Vec<postbop::Property>,
    quiet: bool,
) {
    if !names.iter().any(|name| is_every(name)) {
        return;
    }
    let ready: Vec<&String> = postbop::built_in_rules().iter().flat_map(|r| &r.rules).collect();
    let mut left_out: Vec<String> = Vec::new();
    let (kept, idle): (Vec<_>, Vec<_>) =
        properties.drain(..).partition(|property| match property {
            postbop::Property::Rule { rule, .. }
                if ready.contains(&rule) && !postbop::concerns(program, property) =>
            {
                left_out.push(rule.clone());
                false
            }
            _ => true,
        });
    if kept.is_empty() {
        // Rules were asked for, and no other question: each says that it is about nothing here.
        *properties = idle;
        return;
    }
    *properties = kept;
    if !left_out.is_empty() && !quiet {
        let what = left_out.join(", ");
        io::complain(&format!(
            "note: the program calls nothing that these rules are about: {what}"
        ));
    }
}

fn unknown_rule(name: &str) -> Failed {
    let ready = postbop::built_in_rules();
    let known = ready
        .iter()
        .flat_map(|r| std::iter::once(r.name).chain(r.rules.iter().map(String::as_str)));
    Failed::from(match source::suggest(name, known) {
        Some(near) => format!(
            "there is no file `{name}`, and no ready-made rule of that name; did you mean `{near}`?"
        ),
        None => {
            let names: Vec<&str> = ready.iter().map(|r| r.name).collect();
            let names = names.join(", ");
            format!(
                "there is no file `{name}`, and no ready-made rule of that name; there are {names}"
            )
        }
    })
}

/// The ready-made rules, for people.
pub(crate) fn rule_list() -> String {
    let mut out = String::new();
    for ready in postbop::built_in_rules() {
        out += &format!("{:12}  {}\n", ready.name, ready.rules.join(", "));
    }
    out
}

/// A C program was given, and no question.
pub(crate) fn nothing_asked(files: &[Arc<SourceFile>]) -> Failed {
    let file = files.first().map_or("f.c", |f| f.name());
    Failed::from(format!(
        "say what is to be checked of the C program:
  bop check {file} --rule memory          a ready-made rule (`--rule list` lists them), or a file
  bop check {file} --sere 'never {{call(lock); !call(unlock)[*]; call(lock)}}'
  bop check {file} --ltl 'G (call(request) -> F call(reply))'
  bop check {file} --reach LABEL          or :LINE, or a function: can it be reached?
  bop check {file} --reach-all            dead code
  bop check {file} --assert               can an assertion fail? (`--keep VAR:BITS` keeps values)
  bop check {file} --terminates"
    ))
}

/// The preprocessed units, to compare them with what they were; nothing is said where that fails.
pub(crate) fn texts_quietly(input: &Input) -> Option<Units> {
    let readable = |file: &String| file != "-" && Path::new(file).is_file();
    // Whatever a database says of itself is said by the task that reads it.
    if input.c.compile_commands.is_some() || !input.files.iter().all(readable) {
        return None;
    }
    texts(input).ok()
}

/// The preprocessed units, and files that could not be.
pub(crate) fn texts(input: &Input) -> Result<Units, Failed> {
    let (sources, mut unread) = sources(input)?;
    let flags = sources.iter().flat_map(|s| &s.flags).map(String::as_str);
    let model = postbop::preprocess::model(flags);
    let cache = input.c.cache.as_deref().map(Cache::open).transpose()?;
    let here = Here::new();
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<CText, NoText>>>> =
        sources.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < done.len()) {
            let text = text(&sources[i], cache.as_ref(), &here);
            if let Ok(mut slot) = done[i].lock() {
                *slot = Some(text);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(sources.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut out = Vec::new();
    let (mut failed, mut errors) = (false, Vec::new());
    for (slot, source) in done.into_iter().zip(&sources) {
        match slot.into_inner().ok().flatten() {
            Some(Ok(text)) => out.push(text),
            Some(Err(NoText { why, missing })) => {
                // A name that was typed wrong is no part of the program.
                failed |= missing && input.c.compile_commands.is_none();
                let name = seen(source, &here);
                let first = why.lines().next().unwrap_or_default().to_owned();
                unread.push(Unread { name, why: first });
                errors.push(why);
            }
            None => return Err(Failed::from("preprocessing was given up".to_owned())),
        }
    }
    if failed || out.is_empty() {
        for why in errors {
            io::complain(&format!("error: {why}"));
            answer::wrong(None, &why);
        }
        return Err(Failed::bad());
    }
    let mut others = Vec::new();
    if let Some(entry) = input.entry.as_deref().filter(|e| e.starts_with("main@")) {
        let all = CProgram::for_machine(out.clone(), model)?;
        // Files that were named one by one are one program if they can be.
        let several = input.c.compile_commands.is_some() || !all.extent(false).is_complete();
        let beside = if several { all.other_programs(entry) } else { Vec::new() };
        let mut beside = beside.into_iter().collect::<HashSet<usize>>();
        let mut number = 0..;
        out.retain(|unit| {
            let other = number.next().is_some_and(|i| beside.remove(&i));
            others.extend(other.then(|| unit.name.clone()));
            !other
        });
    }
    if input.c.compile_commands.is_some() && input.files.is_empty() && input.entry.is_none() {
        others.extend(one_of_several(&mut out, &mut unread, model)?);
    }
    Ok(Units { texts: out, unread, model, others })
}

/// A database of several programs, and none was named: the first one is read. What has another `main` is left out, as
/// what cannot be preprocessed is: nothing is said to hold then.
fn one_of_several(
    units: &mut Vec<CText>,
    unread: &mut Vec<Unread>,
    model: Model,
) -> Result<Vec<String>, Failed> {
    if units.iter().filter(|unit| calls_or_defines_main(&unit.text)).count() < 2 {
        return Ok(Vec::new());
    }
    let all = CProgram::for_machine(units.clone(), model)?;
    let starts = all.starts();
    let Some(first) = starts.first() else { return Ok(Vec::new()) };
    let beside: HashSet<usize> = all.other_programs(first).into_iter().collect();
    let (mut others, mut number) = (Vec::new(), 0..);
    units.retain(|unit| {
        let other = number.next().is_some_and(|i| beside.contains(&i));
        others.extend(other.then(|| unit.name.clone()));
        !other
    });
    let why = "it is another program: `--entry` says which `main` is meant".to_owned();
    unread.extend(others.iter().map(|name| Unread { name: name.clone(), why: why.clone() }));
    Ok(others)
}

/// Whether a text has the word `main` before a bracket. It is asked before anything is read: reading costs seconds in a
/// large program, most of which have such words as `http_main(` or one `main` alone.
fn calls_or_defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].chars().next_back();
        let is_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
        is_word && text[at + word.len()..].trim_start().starts_with('(')
    })
}

/// Says which files are other programs.
pub(crate) fn say_others(others: &[String]) {
    let named: BTreeSet<String> = others.iter().cloned().collect();
    if !named.is_empty() {
        let what = some_of(&named);
        io::complain(&format!("note: {what} not read: a `main` of its own makes another program"));
    }
}

/// Why there is no text of a file.
struct NoText {
    why: String,
    /// The file cannot be read at all.
    missing: bool,
}

impl From<String> for NoText {
    fn from(why: String) -> NoText {
        NoText { why, missing: false }
    }
}

/// The compiler that the user chose, and its first flags: `--cc`, `$CC`, or `cc` from the path.
fn chosen(input: &Input) -> Result<(Option<String>, Vec<String>), Failed> {
    let told = |cc: &String| !cc.trim().is_empty();
    if input.c.cc.as_ref().is_some_and(|cc| !told(cc)) {
        return Err(Failed::from("`--cc` needs a command".to_owned()));
    }
    let command = input.c.cc.clone().or_else(|| std::env::var("CC").ok().filter(told));
    let mut words = command.map(|cc| shell_words(&cc)).unwrap_or_default().into_iter();
    Ok((words.next(), words.collect()))
}

/// The files with their flags, and those that are not read.
fn sources(input: &Input) -> Result<(Vec<Source>, Vec<Unread>), Failed> {
    let c = &input.c;
    let (program, first_flags) = chosen(input)?;
    // That it is C is said; a compiler goes by the name.
    let plain = ["-x".to_owned(), "c".to_owned()];
    let language = |file: &str| plain.iter().filter(|_| is_cpp(file)).cloned().collect::<Vec<_>>();
    let named = |file: &String| Source {
        file: file.clone(),
        flags: first_flags.iter().cloned().chain(c.all_flags()).chain(language(file)).collect(),
        compiler: program.clone(),
        ..Source::default()
    };
    let Some(database) = &c.compile_commands else {
        let mut seen = HashSet::new();
        if let Some(twice) = input.files.iter().find(|f| !seen.insert(f.as_str())) {
            return Err(Failed::from(format!("`{twice}` is named twice")));
        }
        return Ok((input.files.iter().map(named).collect(), Vec::new()));
    };
    let text = io::text(database)?;
    let mut all = compile_commands(&text).map_err(|e| format!("{database}: {e}"))?;
    let mut unread = cpp_sources(&text).map_err(|e| format!("{database}: {e}"))?;
    if all.is_empty() {
        return Err(Failed::from(match unread.first() {
            Some(cpp) => format!("{database}: it mentions no C file; `{cpp}` is C++"),
            None => format!("{database}: it mentions no C file"),
        }));
    }
    // Files that are named select some of it.
    unread.retain(|_| input.files.is_empty());
    let why = "it is C++".to_owned();
    let unread = unread.into_iter().map(|name| Unread { name, why: why.clone() }).collect();
    let mut left_out = LeftOut::default();
    for source in &mut all {
        match c.trust_compile_commands {
            true => source.compiler = c.cc.as_ref().and(program.clone()).or(source.compiler.take()),
            false => {
                let (safe, flags) = source.untrusted();
                left_out.note(source.compiler.as_deref(), program.as_deref(), flags);
                *source = Source { compiler: program.clone(), ..safe };
                source.flags.splice(..0, first_flags.iter().cloned());
            }
        }
    }
    left_out.tell(database, program.as_deref().unwrap_or("cc"));
    let folder = Path::new(database).parent().unwrap_or(Path::new(""));
    for source in &mut all {
        source.flags.extend(c.all_flags());
        // A relative folder is one beside the database; names are shown as seen from here.
        let directory = folder.join(source.directory.as_deref().unwrap_or(""));
        source.directory = directory.to_str().map(str::to_owned).filter(|d| !d.is_empty());
        // A compiler that is trusted is named as seen from where it runs.
        if c.trust_compile_commands && c.cc.is_none() {
            let path = |name: &String| std::path::absolute(directory.join(name)).ok();
            let named = source.compiler.take_if(|name| name.contains('/'));
            let path = named.as_ref().and_then(path).and_then(|p| p.to_str().map(str::to_owned));
            source.compiler = path.or(named).or(source.compiler.take());
        }
    }
    let path = |source: &Source| {
        let path = Path::new(source.directory.as_deref().unwrap_or("")).join(&source.file);
        std::fs::canonicalize(&path).unwrap_or(path)
    };
    let mut wanted = HashSet::new();
    for file in &input.files {
        let file = std::fs::canonicalize(file).map_err(|e| format!("cannot read `{file}`: {e}"))?;
        wanted.insert(file);
    }
    let mut seen = HashSet::new();
    let before = all.len();
    all.retain(|source| {
        let path = path(source);
        (wanted.is_empty() || wanted.contains(&path)) && seen.insert(path)
    });
    if let Some(missing) = wanted.difference(&seen).min() {
        return Err(Failed::from(format!("{database}: `{}` is not in it", missing.display())));
    }
    if wanted.is_empty() && all.len() < before {
        let (n, files) = (before - all.len(), all.len());
        io::complain(&format!(
            "note: {database} compiles some files more than once: {n} of {before} entries are left \
             out, {files} files are read"
        ));
    }
    Ok((all, unread))
}

/// How many flags that are left out are named.
const NAMED: usize = 8;

/// What of a compilation database is not used, told once.
#[derive(Default)]
struct LeftOut {
    flags: BTreeSet<String>,
    compilers: BTreeSet<String>,
}

impl LeftOut {
    /// Of one file: its compiler, where another one is run, and flags.
    fn note(&mut self, theirs: Option<&str>, ours: Option<&str>, flags: Vec<String>) {
        // Two names of one program are the same.
        let file = |program: &str| std::fs::canonicalize(found(program)?).ok();
        let same = |theirs: &str| {
            let ours = ours.unwrap_or("cc");
            theirs == ours || file(theirs).is_some_and(|f| Some(f) == file(ours))
        };
        if let Some(theirs) = theirs.filter(|t| !self.compilers.contains(*t) && !same(t)) {
            self.compilers.insert(theirs.to_owned());
        }
        self.flags.extend(flags);
    }

    fn tell(&self, database: &str, ours: &str) {
        let mut parts = Vec::new();
        if !self.compilers.is_empty() {
            let theirs = some_of(&self.compilers);
            parts.push(format!("{theirs} not run, {ours} is (`--cc CMD` names another one)"));
        }
        if !self.flags.is_empty() {
            let flags = some_of(&self.flags);
            parts.push(format!("{flags} not passed to it: no preprocessor needs that"));
        }
        if !parts.is_empty() {
            let what = parts.join("; ");
            io::complain(&format!(
                "note: {database} is not trusted: {what} (`--trust-compile-commands` does as it says)"
            ));
        }
    }
}

/// The first of the words, between quotes, and the verb that fits.
fn some_of(words: &BTreeSet<String>) -> String {
    let short = |word: &String| match word.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &word[..end]),
        None => format!("`{word}`"),
    };
    let named: Vec<String> = words.iter().take(NAMED).map(short).collect();
    let more = match words.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let verb = if words.len() == 1 { "is" } else { "are" };
    format!("{}{more} {verb}", named.join(", "))
}

/// Runs a preprocessor. Its name is looked up from here, not from the folder that it runs in, which
/// may be a stranger's.
fn run(invocation: &Invocation) -> std::io::Result<Outcome> {
    let program = found(&invocation.program).ok_or(std::io::ErrorKind::NotFound)?;
    child::run(&Invocation { program, ..invocation.clone() }, None)
}

/// The whole path of a program, as a shell in this folder would find it.
fn found(program: &str) -> Option<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates: Vec<PathBuf> = match program.contains('/') {
        true => vec![here.join(program)],
        false => std::env::split_paths(&path).map(|f| here.join(f).join(program)).collect(),
    };
    let first = candidates.into_iter().find(|p| crate::capture::is_executable(p))?;
    first.into_os_string().into_string().ok()
}

/// A file's name as seen from here.
fn seen(source: &Source, here: &Here) -> String {
    match &source.directory {
        Some(directory) => here.name(&here.folder(directory), &source.file),
        None => source.file.clone(),
    }
}

/// One unit, preprocessed.
fn text(source: &Source, cache: Option<&Cache>, here: &Here) -> Result<CText, NoText> {
    let Source { file, directory, .. } = source;
    let packed = file.ends_with(".gz");
    let ending = Path::new(file.strip_suffix(".gz").unwrap_or(file));
    let ending = ending.extension().and_then(|e| e.to_str());
    let path = seen(source, here);
    let path = path.as_str();
    if file == "-" {
        let text = io::text("-")?;
        let text = match text.starts_with('#') && text.lines().next().is_some_and(is_marker) {
            true => text,
            false => preprocess(&stdin(source), &mut |i| run_with(i, &text)).map_err(explained)?,
        };
        answer::preprocessed("<stdin>", &text);
        return Ok(CText { name: "<stdin>".to_owned(), text, directory: None });
    }
    let bytes = io::contents(path).map_err(|why| NoText { why, missing: true })?;
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(format!("{path}: this is no C: byte 0x00 at offset {at}").into());
    }
    let text = match ending {
        Some("i") => postbop::preprocess::text_of(&bytes),
        _ if packed => {
            let text = format!("#line 1 {path:?}\n{}", String::from_utf8_lossy(&bytes));
            preprocess(&beside(source), &mut |i| run_with(i, &text)).map_err(explained)?
        }
        // What has been read may be gone.
        _ if io::is_special(path) => {
            let text = String::from_utf8_lossy(&bytes);
            preprocess(&stdin(source), &mut |i| run_with(i, &text)).map_err(explained)?
        }
        _ => {
            let make = || preprocess(source, &mut run).map_err(explained);
            match cache {
                Some(cache) => {
                    let compiler = found(source.compiler.as_deref().unwrap_or("cc"));
                    cache.text(source, compiler.as_deref().map(Path::new), make)?
                }
                None => make()?,
            }
        }
    };
    // Headers are not kept, and what comes of them is.
    bug::read(&format!("{path}.i"), text.as_bytes());
    answer::preprocessed(path, &text);
    let text = match directory {
        Some(directory) => here.markers(&here.folder(directory), &text),
        None => text,
    };
    Ok(CText { name: path.to_owned(), text, directory: None })
}

/// `# 1 "file"`
fn is_marker(line: &str) -> bool {
    let rest = line.trim_start_matches('#').trim_start();
    rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("line ")
}

fn stdin(source: &Source) -> Source {
    let mut source = source.clone();
    source.flags.extend(["-x".to_owned(), "c".to_owned()]);
    source
}

/// Likewise, where the text comes out of a file: what it includes is found beside that.
fn beside(source: &Source) -> Source {
    let mut source = stdin(source);
    let folder = Path::new(&source.file).parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_string_lossy().into_owned();
    source.flags.extend(["-iquote".to_owned(), folder]);
    source
}

/// Runs a command that reads the text.
fn run_with(invocation: &Invocation, text: &str) -> std::io::Result<Outcome> {
    let mut invocation = invocation.clone();
    if let Some(last) = invocation.arguments.last_mut() {
        *last = "-".to_owned();
    }
    invocation.program = found(&invocation.program).ok_or(std::io::ErrorKind::NotFound)?;
    child::run(&invocation, Some(text))
}

/// The error with what can be done about it.
fn explained(error: postbop::preprocess::PreprocessError) -> String {
    use postbop::preprocess::PreprocessError;
    match &error {
        PreprocessError::Start { .. } => format!(
            "{error}: install one, name one in the environment variable CC, or check files that are \
             preprocessed already (`.i`)"
        ),
        PreprocessError::Failed { stderr, .. } if stderr.contains("No such file") => format!(
            "{error}\n  include folders and macros go behind `--`, as in `bop check f.c -- -Iinclude \
             -DX`"
        ),
        _ => error.to_string(),
    }
}
