//! `--emit-test`: a folder for each answer that shows a run.

use crate::args::Input;
use crate::c;
use crate::verbs::Failed;
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the tests of a report below a folder.
pub(crate) fn tests(folder: &str, report: &postbop::Report, input: &Input) -> Result<(), Failed> {
    let shown: Vec<&postbop::Outcome> =
        report.results.iter().filter(|r| r.inputs.is_some()).collect();
    if shown.is_empty() {
        return Ok(());
    }
    // As the program was read.
    let c::Units { texts, model, .. } = c::texts(input)?;
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in shown {
        let number = numbers.entry(outcome.property.kind()).or_insert(0);
        *number += 1;
        let Some((name, files)) = postbop::test(outcome, &texts, model, *number) else { continue };
        write_files(&Path::new(folder).join(name), files)?;
    }
    Ok(())
}

/// Writes the files of a folder.
pub(crate) fn write_files(to: &Path, files: Vec<postbop::TestFile>) -> Result<(), Failed> {
    let wrong = |e: std::io::Error| Failed::from(format!("cannot write `{}`: {e}", to.display()));
    std::fs::create_dir_all(to).map_err(wrong)?;
    for file in files {
        let path = to.join(&file.name);
        std::fs::write(&path, &file.text).map_err(wrong)?;
        if file.executable {
            executable(&path).map_err(wrong)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
