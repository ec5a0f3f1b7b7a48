//! `bop init`: looks at a project, and writes settings for it. It runs nothing of the project.

use super::NAME;
use crate::args::Init;
use crate::exit::Exit;
use crate::io;
use crate::verbs::Failed;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// So many files are looked at.
const LOOKED_AT: usize = 20_000;
/// So much of a file is read.
const READ: u64 = 4 << 20;
/// So many names are listed.
const LISTED: usize = 40;
/// Folders that are not the program itself.
const ASIDE: [&str; 19] = [
    "test",
    "tests",
    "testing",
    "t",
    "example",
    "examples",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "contrib",
    "third_party",
    "third-party",
    "vendor",
    "node_modules",
    "target",
    "doc",
    "docs",
    "fuzz",
];
/// Where compilation databases are.
const BUILDS: [&str; 7] = ["", "build", "builddir", "out", "_build", "Debug", "Release"];

/// What there is in a folder.
#[derive(Default)]
struct Project {
    /// The compilation database.
    database: Option<String>,
    /// The tool that builds it, and the file that says so.
    builder: Option<(Builder, String)>,
    c: Vec<String>,
    /// Programs in our own languages.
    programs: Vec<String>,
    /// Files of C with a `main` of their own, beyond the first.
    other_mains: Vec<String>,
    /// The same of all that the compilation database names, and the first of them.
    built_mains: Vec<String>,
    /// Flags for the preprocessor.
    flags: BTreeSet<String>,
    rules: Vec<String>,
    /// Folders with C that are aside.
    aside: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Builder {
    CMake,
    Meson,
    Make,
}

pub(crate) fn init(args: &Init) -> Result<Exit, Failed> {
    let folder = Path::new(&args.folder);
    if !folder.is_dir() {
        let what = format!("`{}` is no folder", source::one_line(&args.folder));
        return Err(Failed::from(what));
    }
    let project = Project::look(folder);
    let text = project.written();
    if args.dry_run {
        io::write_to(None, |out| out.write_all(text.as_bytes()))?;
        return Ok(Exit::Holds);
    }
    let path = folder.join(NAME);
    let shown = path.strip_prefix(".").unwrap_or(&path).display().to_string();
    if path.exists() && !args.force {
        return Err(Failed::from(format!("there is a `{shown}`; `--force` writes it anew")));
    }
    fs::write(&path, &text).map_err(|e| format!("cannot write `{shown}`: {e}"))?;
    let said = format!("{shown}: {}\n", project.told());
    io::write_to(None, |out| out.write_all(said.as_bytes()))?;
    Ok(Exit::Holds)
}

impl Project {
    fn look(folder: &Path) -> Project {
        let database = BUILDS
            .iter()
            .map(|b| Path::new(b).join("compile_commands.json"))
            .find(|path| folder.join(path).is_file())
            .map(|path| path.to_string_lossy().into_owned());
        let mut project = Project { database, ..Project::default() };
        let builders = [
            ("CMakeLists.txt", Builder::CMake),
            ("meson.build", Builder::Meson),
            ("Makefile", Builder::Make),
            ("makefile", Builder::Make),
            ("GNUmakefile", Builder::Make),
            ("configure", Builder::Make),
        ];
        let there = builders.iter().find(|(name, _)| folder.join(name).is_file());
        project.builder = there.map(|(name, builder)| (*builder, (*name).to_owned()));
        let mut headers = BTreeSet::new();
        let mut all: Vec<(bool, String)> = Vec::new();
        for (path, aside) in files(folder) {
            let name = path.to_string_lossy().replace('\\', "/");
            let parent = path.parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if ending == "c" {
                all.push((aside, name.clone()));
            }
            match (ending, aside) {
                ("c", true) => _ = project.aside.insert(parent),
                ("c", false) => project.c.push(name),
                ("h", false) if is_include(&parent) => _ = headers.insert(parent),
                ("bp" | "rem" | "rmpl" | "pds", false) => project.programs.push(name),
                ("rule", _) => project.rules.push(name),
                _ => {}
            }
        }
        project.flags.extend(headers.iter().map(|folder| format!("-I{folder}")));
        if let Some((builder, file)) = &project.builder {
            let text = read(&folder.join(file));
            let flags = match builder {
                Builder::CMake => cmake_flags(&text),
                Builder::Meson => meson_flags(&text),
                Builder::Make => make_flags(&text),
            };
            let there =
                |flag: &String| flag.strip_prefix("-I").is_none_or(|dir| folder.join(dir).is_dir());
            project.flags.extend(flags.into_iter().filter(there));
        }
        // The main function that is least deep in folders is the program's.
        let mut mains: Vec<String> =
            project.c.iter().filter(|f| has_main(&read(&folder.join(f)))).cloned().collect();
        mains.sort_by_key(|name| (name.matches('/').count(), name.clone()));
        project.other_mains = mains.into_iter().skip(1).collect();
        if let Some(database) = &project.database {
            let built = read(&folder.join(database));
            all.retain(|(_, f)| is_built(&built, f) && has_main(&read(&folder.join(f))));
            all.sort_by_key(|(aside, f)| (*aside, f.matches('/').count(), f.clone()));
            project.built_mains = all.into_iter().map(|(_, name)| name).collect();
        }
        project
    }

    /// In one line.
    fn told(&self) -> String {
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match self {
            Project { database: Some(file), .. } => format!("C, as `{file}` says"),
            Project { c, builder, .. } if !c.is_empty() => {
                let better = match builder {
                    Some(_) => "; it says how to let the build tell more",
                    None => "",
                };
                format!("{} of C{better}", many(c.len() - self.other_mains.len(), "file"))
            }
            Project { programs, .. } if !programs.is_empty() => many(programs.len(), "program"),
            _ => "nothing to check was found: say in it what `files` are".to_owned(),
        }
    }

    /// The settings.
    fn written(&self) -> String {
        let mut out = String::from(
            "# What `bop check` does in this folder and below. Each key is a flag of `bop check`; flags on the command\n\
             # line win. Names are as seen from here.\n\n",
        );
        let in_c = self.database.is_some() || !self.c.is_empty();
        match &self.database {
            Some(file) => {
                out += "# How the compiler is called, file by file.\n";
                out += &format!("compile-commands = {}\n", quoted(file));
                self.write_entry(&mut out);
            }
            None if in_c => self.write_c(&mut out),
            None if !self.programs.is_empty() => {
                out += "# A program is one file; `bop batch` checks many.\n";
                out += &format!("files = [{}]\n", quoted(&self.programs[0]));
                for name in self.programs.iter().skip(1).take(LISTED) {
                    out += &format!("# files = [{}]\n", quoted(name));
                }
            }
            None => out += "# files = [\"src/*.c\"]\n",
        }
        out += "\n# What is asked. `bop check --rule list` lists the ready-made rules.\n";
        if in_c {
            let own = self.rules.iter().take(LISTED).map(|rule| quoted(rule));
            let rules: Vec<String> = std::iter::once(quoted("memory")).chain(own).collect();
            out += &format!("rule = [{}]\n", rules.join(", "));
            out += "# assert = true\n# memory-safety = true\n";
        } else {
            out += "assert = true\n# reach = [\"ERROR\"]\n# ltl = [\"G (p -> F q)\"]\n";
        }
        out += "\n# Limits: what is not found out within them is unknown.\ntimeout = \"60s\"\n# memory = \"4G\"\n";
        out
    }

    /// Which of several programs is checked.
    fn write_entry(&self, out: &mut String) {
        let [first, others @ ..] = &self.built_mains[..] else { return };
        if others.is_empty() {
            return;
        }
        let entry = |file: &String| {
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("entry = {}\n", quoted(&format!("main@{name}")))
        };
        *out += "\n# Several programs are built. This is one of them, with what it shares with the others:\n";
        *out += &entry(first);
        for other in others.iter().take(LISTED) {
            *out += &format!("# {}", entry(other));
        }
        *out +=
            "# To check a library without any of them, leave out `entry` and name its `files`.\n";
    }

    /// Which files of C there are, and with which flags.
    fn write_c(&self, out: &mut String) {
        if let Some((builder, file)) = &self.builder {
            let how = match builder {
                Builder::CMake => {
                    "cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and\n\
                     #   compile-commands = \"build/compile_commands.json\""
                }
                Builder::Meson => {
                    "meson setup builddir, and\n\
                     #   compile-commands = \"builddir/compile_commands.json\""
                }
                Builder::Make => {
                    "bop capture -- make, and\n\
                     #   compile-commands = \"compile_commands.json\""
                }
            };
            *out += &format!(
                "# Guessed. The build ({file}) knows better; to ask it:\n#   {how}\n\
                 # instead of the files and flags below.\n"
            );
        }
        let folders: BTreeSet<&str> =
            self.c.iter().map(|f| f.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
        let patterns: Vec<String> = folders
            .iter()
            .map(|f| if f.is_empty() { "*.c".to_owned() } else { format!("{f}/*.c") })
            .map(|pattern| quoted(&pattern))
            .collect();
        *out += &format!("files = [{}]\n", patterns.join(", "));
        if !self.other_mains.is_empty() {
            *out += "# These have a `main` of their own: they are other programs.\n";
            let names: Vec<String> = self.other_mains.iter().map(|name| quoted(name)).collect();
            *out += &format!("exclude = [{}]\n", names.join(", "));
        }
        if !self.aside.is_empty() {
            let names: Vec<&str> = self.aside.iter().take(8).map(String::as_str).collect();
            let names = source::one_line(&names.join(", ")).into_owned();
            *out += &format!("# There is C in {names}, too, which is not the program itself.\n");
        }
        let flags: Vec<String> = self.flags.iter().map(|flag| quoted(flag)).collect();
        match flags.is_empty() {
            true => *out += "# flags = [\"-Iinclude\", \"-DX=1\"]\n",
            false => *out += &format!("flags = [{}]\n", flags.join(", ")),
        }
    }
}

/// A text of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if source::is_active(c) || c.is_control() => out += &format!("\\U{:08x}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// All files below a folder, by name, and whether they are aside. Neither hidden ones nor links.
fn files(folder: &Path) -> Vec<(PathBuf, bool)> {
    let mut out = Vec::new();
    let mut work = vec![(PathBuf::new(), false)];
    while let Some((inside, aside)) = work.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&inside)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || out.len() >= LOOKED_AT {
                continue;
            }
            let path = inside.join(&name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    let build = BUILDS.contains(&name.as_str());
                    if !build {
                        work.push((path, aside || ASIDE.contains(&name.as_str())));
                    }
                }
                Ok(kind) if kind.is_file() => out.push((path, aside)),
                _ => {}
            }
        }
    }
    out.sort();
    out
}

/// Whether headers in the folder are found by a flag, as a rule.
fn is_include(folder: &str) -> bool {
    matches!(folder.rsplit('/').next(), Some("include" | "inc" | "includes" | "headers"))
}

fn read(path: &Path) -> String {
    let small = fs::metadata(path).is_ok_and(|d| d.is_file() && d.len() <= READ);
    let bytes = if small { fs::read(path).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a compilation database names a file, as far as one sees without parsing it.
fn is_built(database: &str, file: &str) -> bool {
    database.contains(&format!("/{file}\"")) || database.contains(&format!("\"{file}\""))
}

/// Whether a text of C defines `main`, as far as one sees without parsing it.
fn has_main(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices("main").any(|(i, _)| {
        let (before, after) = (&text[..i], text[i + 4..].trim_start());
        let line = before.rsplit('\n').next().unwrap_or("");
        // A call is indented, or follows something that is no type.
        let defined =
            !before.ends_with(word) && line.chars().all(|c| word(c) || c == ' ' || c == '*');
        let body =
            after.split_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('{'));
        defined && after.starts_with('(') && body
    })
}

/// Words that are `-I` or `-D` and depend on nothing else.
fn make_flags(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '"' || c == '\'');
    let flag = |w: &&str| w.len() > 2 && (w.starts_with("-I") || w.starts_with("-D"));
    words.filter(flag).filter(|w| !w.contains(['$', '`', '(', '\\'])).map(str::to_owned).collect()
}

/// The folders of `include_directories` and `target_include_directories`, and definitions.
fn cmake_flags(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (command, flag) in
        [("include_directories(", "-I"), ("add_definitions(", ""), ("compile_definitions(", "-D")]
    {
        for (i, _) in text.match_indices(command) {
            let inside = text[i + command.len()..].split(')').next().unwrap_or("");
            let target = text[..i].ends_with("target_");
            for word in inside.split_whitespace().skip(usize::from(target)) {
                let word = word.trim_matches('"');
                let word = ["CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR"]
                    .iter()
                    .fold(word.to_owned(), |w, name| w.replace(&format!("${{{name}}}/"), ""));
                let scope = matches!(
                    word.as_str(),
                    "PUBLIC" | "PRIVATE" | "INTERFACE" | "SYSTEM" | "BEFORE" | "AFTER"
                );
                let sure = !scope && !word.is_empty() && !word.contains(['$', '<', '#']);
                if sure && (!flag.is_empty() || word.starts_with("-D")) {
                    out.push(format!("{flag}{word}"));
                }
            }
        }
    }
    out
}

/// The folders of `include_directories`.
fn meson_flags(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, word) in text.match_indices("include_directories(") {
        let inside = text[i + word.len()..].split(')').next().unwrap_or("");
        let names = inside
            .split(',')
            .map(str::trim)
            .filter_map(|w| w.strip_prefix('\'').and_then(|w| w.strip_suffix('\'')));
        out.extend(names.map(|name| format!("-I{name}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mains_are_seen() {
        assert!(has_main("#include <a.h>\nint main(void)\n{ return 0; }"));
        assert!(has_main("int\nmain (int argc, char **argv) {"));
        assert!(!has_main("int domain(void) { return 0; }"));
        assert!(!has_main("int main(void);"));
        assert!(!has_main("void f(void) { main(0); }"));
        assert!(!has_main("// calls main() {"));
    }

    #[test]
    fn flags_of_builds() {
        let make = make_flags("CFLAGS = -O2 -Iinclude -DX=1 -I$(TOP)/a '-Iother'\n");
        assert_eq!(make, ["-Iinclude", "-DX=1", "-Iother"]);
        let cmake = "target_include_directories(app PRIVATE include ${PROJECT_SOURCE_DIR}/src ${X})\n\
                     target_compile_definitions(app PUBLIC A=1)\nadd_definitions(-DB -O2)";
        assert_eq!(cmake_flags(cmake), ["-Iinclude", "-Isrc", "-DB", "-DA=1"]);
        assert_eq!(meson_flags("inc = include_directories('inc', 'src')"), ["-Iinc", "-Isrc"]);
    }

    #[test]
    fn texts_of_toml() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\U0000000a\"");
    }
}
