//! A readable dump of a [`Spds`] (`bop dump --stage spds`).

use super::Spds;
use crate::dump::{Words, type_name};
use crate::{Exprs, Id, VarId};
use std::fmt::Write;

/// The whole system as text.
pub fn dump(spds: &Spds) -> String {
    let mut out = String::new();
    let words = Words { exprs: &spds.exprs, name: &|var: VarId| spds.var_name(var) };
    let typed = |var: &VarId| format!("{}: {}", spds.var_name(*var), type_name(spds.vars[*var].ty));
    for global in &spds.globals {
        let _ = writeln!(out, "global {}", typed(global));
    }
    let mut symbols: Vec<Vec<&str>> = vec![Vec::new(); spds.frames.len()];
    for (id, symbol) in spds.symbols.enumerate() {
        symbols[symbol.frame.index()].push(spds.symbol_name(id));
    }
    for (frame, names) in spds.frames.iter().zip(symbols) {
        if frame.locals.is_empty() || names.is_empty() {
            continue;
        }
        let locals: Vec<String> = frame.locals.iter().map(typed).collect();
        let _ = writeln!(out, "local {} of {}", locals.join(", "), names.join(" "));
    }
    let stack: Vec<&str> = spds.start.stack.iter().map(|&s| spds.symbol_name(s)).collect();
    let _ = write!(out, "start {} <{}>", spds.control_name(spds.start.control), stack.join(" "));
    if spds.start.init.condition != Exprs::TRUE {
        let _ = write!(out, " [{}]", words.expr(spds.start.init.condition));
    }
    out.push_str("\n\n");
    for rule in spds.rules.iter() {
        let right: Vec<&str> = [rule.right.top(), rule.right.below()]
            .into_iter()
            .flatten()
            .map(|symbol| spds.symbol_name(symbol))
            .collect();
        let _ = write!(
            out,
            "{} <{}> {} {} <{}>{}",
            spds.control_name(rule.from.control),
            spds.symbol_name(rule.from.symbol),
            if rule.step { "-->" } else { "~~>" },
            spds.control_name(rule.to),
            right.join(" "),
            words.rel(&rule.rel)
        );
        let events = spds.events(rule.events);
        if !events.is_empty() {
            let names: Vec<&str> = events.iter().map(|&event| spds.text(event)).collect();
            let _ = write!(out, " {{{}}}", names.join(", "));
        }
        if rule.marks != 0 {
            let _ = write!(out, " marks {:#b}", rule.marks);
        }
        out.push('\n');
    }
    out
}
