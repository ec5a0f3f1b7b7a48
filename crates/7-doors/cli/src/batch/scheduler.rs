//! Tasks for a scheduler that exists already.

use crate::args::EmitTasks;
use std::fmt::Write;
use std::path::Path;

/// A script that asks each question as a task of its own. Any answer is a success; a refusal is none. When all are
/// done, `bop batch FILE` finds the results, and sums them up.
pub(super) fn script(
    target: EmitTasks,
    file: &Path,
    results: Option<&Path>,
    tasks: usize,
) -> String {
    let name = file.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    let mut command = format!("bop batch {}", quoted(&file.to_string_lossy()));
    if let Some(results) = results {
        let _ = write!(command, " --results {}", quoted(&results.to_string_lossy()));
    }
    let last = tasks.saturating_sub(1);
    match target {
        EmitTasks::Lines => {
            (0..tasks).map(|n| format!("{command} --quiet --jobs 1 --task {n}\n")).collect()
        }
        EmitTasks::Slurm => format!(
            "#!/bin/sh\n\
             #SBATCH --job-name={name}\n\
             #SBATCH --array=0-{last}\n\
             #SBATCH --cpus-per-task=1\n\
             # sbatch THIS; when all tasks are done: {command}\n\
             {command} --quiet --jobs 1 --task \"$SLURM_ARRAY_TASK_ID\"\n\
             [ $? -ne 2 ]\n"
        ),
        EmitTasks::Hq => {
            let task = format!("{command} --quiet --jobs 1 --task \"$HQ_TASK_ID\"; [ $? -ne 2 ]");
            format!(
                "#!/bin/sh\n\
                 # when all tasks are done: {command}\n\
                 exec hq submit --name {name} --array 0-{last} --cpus 1 \"$@\" -- sh -c {}\n",
                quoted(&task)
            )
        }
    }
}

/// One word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
