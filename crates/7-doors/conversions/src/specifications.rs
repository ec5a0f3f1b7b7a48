//! Temporal formulas beside a model in SMV or EDL, over its propositions ([c2edl §5, §6]).

use automata::ltl::{Atom, Binary, FormulaId, Formulas, Node, Unary, parse};
use front_c::export::Counters;
use input::{Error, rejected};
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::sync::Arc;

/// The formulas as specifications of a model: in SMV `LTLSPEC F;`, in EDL `formula { F }`. None if they have atoms of
/// kinds that these models have no words for.
pub(crate) fn specifications(
    formulas: &[Arc<SourceFile>],
    counters: &Counters,
    smv: bool,
) -> Result<Option<String>, Error> {
    let mut out = String::new();
    for file in formulas {
        let formula = parse(file.text()).map_err(|error| rejected(file, [error.diagnostic()]))?;
        let known = |atom: &Atom| matches!(atom, Atom::Terminated | Atom::Event(_));
        if !formula.formulas.atoms().iter().all(known) {
            return Ok(None);
        }
        let text = written(&formula.formulas, formula.root, counters, smv)
            .map_err(|what| Error::Usage(format!("`{}`: {what}", file.text().trim())))?;
        out += &match smv {
            true => format!("LTLSPEC {text};\n"),
            false => format!("formula {{ {text} }}\n"),
        };
    }
    Ok(Some(out))
}

/// Operands have smaller numbers, so that a loop over the numbers does the work of a recursion.
fn written(
    all: &Formulas,
    root: FormulaId,
    counters: &Counters,
    smv: bool,
) -> Result<String, String> {
    let mut parts = all.subformulas(root);
    parts.sort_unstable();
    let mut texts: FxHashMap<FormulaId, String> = FxHashMap::default();
    for id in parts {
        let text = match all.node(id) {
            Node::Const(true) => if smv { "TRUE" } else { "1" }.to_owned(),
            Node::Const(false) => if smv { "FALSE" } else { "0" }.to_owned(),
            Node::Atom(atom) => proposition(&all.atoms()[atom.index()], counters)?,
            Node::Unary(op, f) => {
                let f = &texts[&f];
                match op {
                    Unary::Not => format!("!({f})"),
                    Unary::Next => format!("X ({f})"),
                    Unary::Finally => format!("F ({f})"),
                    Unary::Globally => format!("G ({f})"),
                }
            }
            Node::Binary(op, f, g) => {
                let (f, g) = (&texts[&f], &texts[&g]);
                match op {
                    Binary::And => format!("(({f}) & ({g}))"),
                    Binary::Or => format!("(({f}) | ({g}))"),
                    Binary::Xor => format!("!(({f}) <-> ({g}))"),
                    Binary::Implies => format!("(({f}) -> ({g}))"),
                    Binary::Iff => format!("(({f}) <-> ({g}))"),
                    Binary::Until => format!("(({f}) U ({g}))"),
                    Binary::Release if smv => format!("(({f}) V ({g}))"),
                    // Said with what both languages have.
                    Binary::Release => format!("!((!({f})) U (!({g})))"),
                    Binary::WeakUntil => format!("((({f}) U ({g})) | G ({f}))"),
                    Binary::StrongRelease => format!("(({g}) U (({f}) & ({g})))"),
                }
            }
            _ => return Err("an operator that these languages do not have".to_owned()),
        };
        texts.insert(id, text);
    }
    Ok(texts.remove(&root).unwrap_or_default())
}

/// The proposition of the model that an atom is.
fn proposition(atom: &Atom, counters: &Counters) -> Result<String, String> {
    let clean = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    };
    let variable = |name: &str| match name.split_once("::") {
        Some((function, local)) => clean(&format!("{local}_{function}")),
        None => clean(name),
    };
    let name = match atom {
        Atom::Terminated => return Ok("pc = maxpc".to_owned()),
        Atom::Event(text) => {
            let inner = text.split_once('(').and_then(|(word, rest)| {
                Some((word, rest.strip_suffix(')')?)).filter(|(_, name)| !name.contains(','))
            });
            match inner {
                Some(("call", function)) => format!("callto_{}", clean(function)),
                Some(("use", name)) => format!("useof_{}", variable(name)),
                Some(("assign", name)) => format!("assignto_{}", variable(name)),
                _ => String::new(),
            }
        }
        _ => String::new(),
    };
    match counters.propositions.iter().any(|(known, _)| *known == name) {
        true => Ok(name),
        false if name.is_empty() => Err(format!(
            "the model has no word for `{atom}`: it knows `call(f)`, `use(x)`, `assign(x)` (`f::x` for a local) \
             and `terminated`"
        )),
        false => Err(format!("nothing in the program is `{atom}`")),
    }
}
