//! `bop man`: the manual pages, made of the same table as help and command line.

use crate::args::Cli;
use crate::exit::Exit;
use crate::verbs::Failed;
use clap::CommandFactory;
use std::path::Path;

pub(crate) const EXAMPLES: &str = "\
Examples:
  bop man /usr/local/share/man/man1     bop.1, bop-check.1, and so on";

/// Writes a page for the command and for each verb.
pub(crate) fn pages(folder: &str) -> Result<Exit, Failed> {
    let wrong = |e: std::io::Error| Failed::from(format!("cannot write `{folder}`: {e}"));
    std::fs::create_dir_all(folder).map_err(wrong)?;
    let mut all = Cli::command();
    all.build();
    let verbs = all.get_subcommands().filter(|v| v.get_name() != "help" && !v.is_hide_set());
    let verbs: Vec<clap::Command> = verbs.cloned().collect();
    for command in std::iter::once(all).chain(verbs) {
        // `bop check` is `bop-check`.
        let name = match command.get_name() {
            "bop" => "bop".to_owned(),
            verb => format!("bop-{verb}"),
        };
        let page = command.display_name(name.clone()).disable_help_subcommand(true);
        let mut text = Vec::new();
        let man = clap_mangen::Man::new(page).title(name.clone()).manual("Postbop");
        man.render(&mut text).map_err(wrong)?;
        std::fs::write(Path::new(folder).join(format!("{name}.1")), text).map_err(wrong)?;
    }
    Ok(Exit::Holds)
}
