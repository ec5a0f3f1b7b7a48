//! Proofs of the search over large blocks as reports and files tell them, and back.

use engine_bounded::Blocks;
use engine_predicates::{Literal, Measure, Pred, Proof, Ranks, Term, Variable};
use render::{Comparison, Disjunction, Invariant, Multiple, Smaller};

/// A proof in C's terms.
pub(crate) fn told(blocks: &Blocks<'_>, proof: &Proof) -> Vec<Invariant> {
    let mut out = Vec::new();
    for (node, clauses) in proof.clauses.iter().enumerate().skip(1) {
        let variables = &blocks.graph.nodes[node].variables;
        let (file, line, proc) = blocks.place(node);
        let holds = clauses.iter().map(|clause| Disjunction {
            text: engine_predicates::text(clause, variables),
            any: clause.iter().map(|literal| comparison(*literal, variables)).collect(),
        });
        let (place, holds, smaller) = (node as u32, holds.collect(), Vec::new());
        let of = blocks.of_function(node).map(str::to_owned);
        out.push(Invariant { file, line, proc, place, of, holds, smaller });
    }
    out
}

/// The same with what gets smaller.
pub(crate) fn told_with(blocks: &Blocks<'_>, proof: &Proof, ranks: &Ranks) -> Vec<Invariant> {
    let mut out = told(blocks, proof);
    for (invariant, node) in out.iter_mut().zip(1..) {
        let variables = &blocks.graph.nodes[node].variables;
        invariant.smaller = ranks[node].iter().map(|m| smaller(m, variables)).collect();
    }
    out
}

fn smaller(measure: &Measure, variables: &[Variable]) -> Smaller {
    let multiple = |t: &Term| Multiple {
        of: variables[t.of].name.clone(),
        factor: t.factor.to_string(),
        signed: t.signed,
    };
    let (text, is) = (measure.text(variables), String::new());
    let mut out =
        Smaller { text, is, terms: Vec::new(), number: None, least: None, comparison: None };
    let is = match measure {
        Measure::Number(number) => {
            out.number = Some(number.to_string());
            "number"
        }
        Measure::Sum { terms, number, least } => {
            out.terms = terms.iter().map(multiple).collect();
            (out.number, out.least) = (Some(number.to_string()), least.map(|n| n.to_string()));
            "sum"
        }
        Measure::Around { terms, number } => {
            out.terms = terms.iter().map(multiple).collect();
            out.number = Some(number.to_string());
            "around"
        }
        Measure::Holds { pred, holds } => {
            out.comparison = Some(comparison((*pred, *holds), variables));
            "holds"
        }
    };
    out.is = is.to_owned();
    out
}

/// What gets smaller, if it is about this program.
pub(crate) fn read_ranks(blocks: &Blocks<'_>, told: &[Invariant]) -> Result<Ranks, String> {
    let nodes = &blocks.graph.nodes;
    let long = told.first().map_or(0, |i| i.smaller.len());
    let mut out = vec![vec![Measure::Number(0); long]];
    for (invariant, node) in told.iter().zip(nodes.iter().skip(1)) {
        let all = invariant.smaller.iter().map(|s| measure(s, &node.variables));
        out.push(all.collect::<Result<_, _>>()?);
    }
    Ok(out)
}

fn measure(told: &Smaller, variables: &[Variable]) -> Result<Measure, String> {
    let missing = || "a measure is not told in full".to_owned();
    let wrong = || "a number is none".to_owned();
    let mut terms = Vec::new();
    for term in &told.terms {
        let of = variables.iter().position(|v| v.name == term.of);
        let of = of.ok_or_else(|| format!("there is no `{}` that changes", term.of))?;
        let factor = term.factor.parse().map_err(|_| wrong())?;
        terms.push(Term { of, factor, signed: term.signed });
    }
    let number = || told.number.as_deref().ok_or_else(missing);
    Ok(match told.is.as_str() {
        "number" => Measure::Number(number()?.parse().map_err(|_| wrong())?),
        "sum" => {
            let least = told.least.as_deref().map(str::parse).transpose().map_err(|_| wrong())?;
            Measure::Sum { terms, number: number()?.parse().map_err(|_| wrong())?, least }
        }
        "around" => Measure::Around { terms, number: number()?.parse().map_err(|_| wrong())? },
        "holds" => {
            let told = told.comparison.as_ref().ok_or_else(missing)?;
            let (pred, holds) = literal(told, variables)?;
            Measure::Holds { pred, holds }
        }
        other => return Err(format!("`{other}` is no measure")),
    })
}

fn comparison((pred, holds): Literal, variables: &[Variable]) -> Comparison {
    let [a, b, c, _] = pred.variables();
    let name = |v: usize| variables[v].name.clone();
    let mut out = Comparison {
        is: String::new(),
        a: name(a),
        b: None,
        c: None,
        d: None,
        by: None,
        number: None,
        bits: None,
        signed: None,
        holds,
    };
    let is = match pred {
        Pred::Bit { bit, .. } => {
            out.number = Some(bit.to_string());
            "bit"
        }
        Pred::Equal { number, .. } => {
            out.number = Some(number.to_string());
            "equal"
        }
        Pred::Most { number, signed, .. } => {
            (out.number, out.signed) = (Some(number.to_string()), Some(signed));
            "most"
        }
        Pred::Low { bits, number, .. } => {
            (out.number, out.bits) = (Some(number.to_string()), Some(bits));
            "low"
        }
        Pred::Apart { number, .. } => {
            (out.number, out.b) = (Some(number.to_string()), Some(name(b)));
            "apart"
        }
        Pred::Gap { number, signed, .. } => {
            (out.number, out.b) = (Some(number.to_string()), Some(name(b)));
            out.signed = Some(signed);
            "gap"
        }
        Pred::Linear { by, number, .. } => {
            (out.number, out.b) = (Some(number.to_string()), Some(name(b)));
            out.by = Some(by.to_string());
            "linear"
        }
        Pred::Plane { d: fourth, by, number, .. } => {
            (out.b, out.c) = (Some(name(b)), Some(name(c)));
            (out.d, out.by) = (fourth.map(name), Some(by.to_string()));
            out.number = Some(number.to_string());
            "plane"
        }
        Pred::Sum { .. } => {
            (out.b, out.c) = (Some(name(b)), Some(name(c)));
            "sum"
        }
        Pred::Ordered { signed, .. } => {
            (out.signed, out.b) = (Some(signed), Some(name(b)));
            "ordered"
        }
        Pred::Below { signed, .. } => {
            (out.signed, out.b) = (Some(signed), Some(name(b)));
            "below"
        }
    };
    out.is = is.to_owned();
    out
}

/// The proof that invariants are, if they are about this program.
pub(crate) fn read(blocks: &Blocks<'_>, told: &[Invariant]) -> Result<Proof, String> {
    let nodes = &blocks.graph.nodes;
    let mut clauses = vec![Vec::new(); nodes.len()];
    if told.len() + 1 != nodes.len() {
        return Err("it is about other loops than the program has".to_owned());
    }
    for (i, invariant) in told.iter().enumerate() {
        let node = i + 1;
        let (file, line, proc) = blocks.place(node);
        let same = invariant.place as usize == node && invariant.proc == proc;
        let same = same && invariant.of.as_deref() == blocks.of_function(node);
        if !same || invariant.line != line || invariant.file != file {
            return Err(format!("{}:{}: there is no such loop", invariant.file, invariant.line));
        }
        for disjunction in &invariant.holds {
            let literals = disjunction.any.iter().map(|c| literal(c, &nodes[node].variables));
            clauses[node].push(literals.collect::<Result<Vec<_>, _>>()?);
        }
    }
    Ok(Proof { clauses })
}

fn literal(told: &Comparison, variables: &[Variable]) -> Result<Literal, String> {
    let find = |name: &str| {
        let found = variables.iter().position(|v| v.name == name);
        found.ok_or_else(|| format!("there is no `{name}` that changes"))
    };
    let missing = || "a comparison is not told in full".to_owned();
    let a = find(&told.a)?;
    let b = told.b.as_deref().map(find).transpose()?;
    let c = told.c.as_deref().map(find).transpose()?;
    let parse = |text: &Option<String>| {
        let number = text.as_deref().map(str::parse::<u128>);
        number.transpose().map_err(|_| "a number is none".to_owned())
    };
    let (number, by) = (parse(&told.number)?, parse(&told.by)?);
    let pred = match told.is.as_str() {
        "bit" => {
            let bit = u32::try_from(number.ok_or_else(missing)?).map_err(|_| missing())?;
            Pred::Bit { of: a, bit }
        }
        "equal" => Pred::Equal { of: a, number: number.ok_or_else(missing)? },
        "most" => Pred::Most {
            of: a,
            number: number.ok_or_else(missing)?,
            signed: told.signed.ok_or_else(missing)?,
        },
        "low" => Pred::Low {
            of: a,
            bits: told.bits.ok_or_else(missing)?,
            number: number.ok_or_else(missing)?,
        },
        "apart" => {
            Pred::Apart { a, b: b.ok_or_else(missing)?, number: number.ok_or_else(missing)? }
        }
        "gap" => Pred::Gap {
            a,
            b: b.ok_or_else(missing)?,
            number: number.ok_or_else(missing)?,
            signed: told.signed.ok_or_else(missing)?,
        },
        "linear" => Pred::Linear {
            a,
            b: b.ok_or_else(missing)?,
            by: by.ok_or_else(missing)?,
            number: number.ok_or_else(missing)?,
        },
        "sum" => Pred::Sum { a, b: b.ok_or_else(missing)?, c: c.ok_or_else(missing)? },
        "plane" => Pred::Plane {
            a,
            b: b.ok_or_else(missing)?,
            c: c.ok_or_else(missing)?,
            d: told.d.as_deref().map(find).transpose()?,
            by: by.ok_or_else(missing)?,
            number: number.ok_or_else(missing)?,
        },
        "ordered" => {
            Pred::Ordered { a, b: b.ok_or_else(missing)?, signed: told.signed.ok_or_else(missing)? }
        }
        "below" => {
            Pred::Below { a, b: b.ok_or_else(missing)?, signed: told.signed.ok_or_else(missing)? }
        }
        other => return Err(format!("`{other}` is no comparison")),
    };
    Ok((pred, told.holds))
}
