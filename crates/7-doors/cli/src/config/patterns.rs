//! Files by pattern: `src/*.c`, `**/*.bp`.

use super::settings::Value;
use source::Diagnostic;
use std::path::Path;

/// The files of the patterns, in the order of patterns and names, without those of `exclude`. All are as seen from
/// `folder`; what is returned is as seen from here.
pub(crate) fn files(
    folder: &Path,
    patterns: &[Value],
    exclude: &[Value],
) -> Result<Vec<String>, Diagnostic> {
    let parsed = exclude.iter().map(|value| glob::Pattern::new(&value.text).map_err(bad(value)));
    let exclude = parsed.collect::<Result<Vec<_>, _>>()?;
    let mut out: Vec<String> = Vec::new();
    for value in patterns {
        let base = glob::Pattern::escape(&folder.to_string_lossy());
        let whole = Path::new(&base).join(&value.text);
        let found = glob::glob_with(&whole.to_string_lossy(), MATCH).map_err(bad(value))?;
        let mut any = false;
        for path in found.flatten().filter(|path| path.is_file()) {
            any = true;
            let inside = path.strip_prefix(folder).unwrap_or(&path);
            let name = path.to_string_lossy().into_owned();
            let left_out = exclude.iter().any(|p| p.matches_path_with(inside, MATCH));
            if !left_out && !out.contains(&name) {
                out.push(name);
            }
        }
        if !any {
            let what = match value.text.contains(['*', '?', '[']) {
                true => "no file matches this pattern",
                false => "there is no such file",
            };
            let help = "names are as seen from the folder of this file; `**` is any folders";
            return Err(Diagnostic::error("config-no-file", what).at(value.at).help(help));
        }
    }
    Ok(out)
}

/// A `*` ends at a `/`, and hidden files are named in full.
const MATCH: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

fn bad(value: &Value) -> impl Fn(glob::PatternError) -> Diagnostic {
    let at = value.at;
    move |error| {
        let what = format!("this is no pattern: {}", error.msg);
        Diagnostic::error("config-pattern", what).at(at)
    }
}
