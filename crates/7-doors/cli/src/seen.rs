//! Names of files as seen from where `bop` was called: what a database names whole is long, and nobody's habit.

use std::path::{Component, Path, PathBuf};

/// From where names are seen.
pub(crate) struct Here {
    /// This folder, without links, and as the shell calls it.
    folders: Vec<PathBuf>,
}

impl Here {
    /// The folder that the process is in.
    pub(crate) fn new() -> Here {
        let real = std::env::current_dir().ok();
        let called = std::env::var_os("PWD").map(PathBuf::from).filter(|called| {
            called.is_absolute() && real.is_some() && std::fs::canonicalize(called).ok() == real
        });
        let mut folders: Vec<PathBuf> = real.into_iter().chain(called).collect();
        folders.dedup();
        // Below the root is everything.
        folders.retain(|f| f.parent().is_some());
        Here { folders }
    }

    /// A folder in which a compiler ran, without links, so that `..` means what it seems to.
    pub(crate) fn folder(&self, directory: &str) -> PathBuf {
        let path = match directory {
            "" => Path::new("."),
            directory => Path::new(directory),
        };
        std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
    }

    /// A name as seen from the folder ([`Here::folder`]), as seen from here. A name that is beyond both stays whole.
    pub(crate) fn name(&self, folder: &Path, name: &str) -> String {
        let mut path = folder.to_owned();
        let mut parts = Path::new(name).components().peekable();
        // What is left out at the front leads through no link.
        while let Some(part @ (Component::ParentDir | Component::CurDir)) = parts.peek() {
            if *part == Component::ParentDir && !path.pop() {
                break;
            }
            parts.next();
        }
        path.extend(parts);
        let below = self.folders.iter().find_map(|f| path.strip_prefix(f).ok());
        let short = below.filter(|p| p.components().next().is_some()).unwrap_or(&path);
        short.to_str().map_or_else(|| name.to_owned(), str::to_owned)
    }

    /// The same for all names in line markers.
    pub(crate) fn markers(&self, folder: &Path, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let Some((before, name, after)) = marker(line) else {
                out += line;
                continue;
            };
            out += before;
            // The characters of a name that stand there in another way are none that separate folders.
            out += &self.name(folder, name);
            out += after;
        }
        out
    }
}

/// `# 1 "NAME" 2` in three parts; not of what is no file (`<built-in>`).
fn marker(line: &str) -> Option<(&str, &str, &str)> {
    let rest = line.strip_prefix('#')?;
    let digits = rest.trim_start().strip_prefix("line").unwrap_or(rest).trim_start();
    digits.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    let (open, close) = (line.find('"')?, line.rfind('"')?);
    let name = line.get(open + 1..close).filter(|n| !n.is_empty() && !n.starts_with('<'))?;
    Some((&line[..=open], name, &line[close..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_from_here() {
        let here = Here { folders: vec!["/home/me/p".into(), "/p".into()] };
        for (folder, name, seen) in [
            ("/home/me/p", "a.c", "a.c"),
            ("/home/me/p/build", "../src/a.c", "src/a.c"),
            ("/home/me/p/build", "./a.c", "build/a.c"),
            ("/home/me/p/build", "/home/me/p/src/a.c", "src/a.c"),
            ("/home/me/p/build", "/p/src/a.c", "src/a.c"),
            ("/home/me/p/build", "/usr/include/stdio.h", "/usr/include/stdio.h"),
            ("/home/me/p/build", "../../other/a.c", "/home/me/other/a.c"),
            // What may be a link on the way is not left out.
            ("/home/me/p/build", "x/../a.c", "build/x/../a.c"),
            ("/home/me/pp", "a.c", "/home/me/pp/a.c"),
        ] {
            assert_eq!(here.name(Path::new(folder), name), seen, "{name} in {folder}");
        }
        let text = "# 1 \"../a.c\"\n# 1 \"<built-in>\"\nchar *p = \"# 1 \\\"../a.c\\\"\";\n#line 4 \"/p/b\\\"x.h\" 2\n\
                    #pragma once \"../a.c\"\n";
        let seen = "# 1 \"a.c\"\n# 1 \"<built-in>\"\nchar *p = \"# 1 \\\"../a.c\\\"\";\n#line 4 \"b\\\"x.h\" 2\n\
                    #pragma once \"../a.c\"\n";
        assert_eq!(here.markers(Path::new("/p/build"), text), seen);
    }
}
