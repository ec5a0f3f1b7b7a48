//! Proofs, kept and checked again.

use asking::{Judgement, Options, Watch, nothing, question};
use check::{Budget, Certificate, Goal, Target};
use findings::{Allow, RuleQuestion, Trouble, rule_of};
use front_bp::Dialect;
use front_c::Places;
use input::{Error, Lang, caught, load_for};
use ir::Program;
use property::{Property, Question};
use render::{Proofs, ProvedByInvariants, ProvedClaim, Reading, Report, Status};
use replay::CertRefusal;
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::sync::Arc;

/// The proofs of a report, to be kept.
pub fn proofs(report: &Report, options: &Options) -> Proofs {
    let mut out = Proofs {
        file: report.file_name().to_owned(),
        reading: reading(report, options),
        asked: report.results.iter().map(|r| r.property.clone()).collect(),
        ..Proofs::default()
    };
    let mut numbers: FxHashMap<*const Certificate, usize> = FxHashMap::default();
    for outcome in &report.results {
        if (outcome.invariants.is_some() || outcome.rounds.is_some())
            && outcome.status != Status::Unknown
        {
            out.by_invariants.push(ProvedByInvariants {
                property: outcome.property.clone(),
                verdict: outcome.status.word().to_owned(),
                invariants: outcome.invariants.clone().unwrap_or_default(),
                rounds: outcome.rounds,
            });
        }
        let Some(proof) = &outcome.proof else { continue };
        // What was refused proves nothing.
        if outcome.status == Status::Unknown {
            continue;
        }
        let number = *numbers.entry(Arc::as_ptr(proof)).or_insert_with(|| {
            out.proofs.push(proof.clone());
            out.proofs.len() - 1
        });
        let statements = outcome.statements.iter().flatten();
        out.claims.push(ProvedClaim {
            property: outcome.property.clone(),
            verdict: outcome.status.word().to_owned(),
            unreachable: statements.filter(|s| !s.reachable).map(|s| s.node).collect(),
            proof: number,
        });
    }
    out
}

fn reading(report: &Report, options: &Options) -> Reading {
    let lang = match options.input.c {
        Some(_) => Some(Lang::C),
        None => options.input.lang.or_else(|| Lang::of_file(report.file_name())),
    };
    Reading {
        lang: lang.map_or("", |lang| lang.about().word).to_owned(),
        dialect: dialect_word(options.input.dialect).to_owned(),
        entry: options.input.entry.clone(),
        keep: match options.input.keep.is_empty() {
            true => report.claims.kept.clone(),
            false => options.input.keep.clone(),
        },
    }
}

fn dialect_word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Standard => "standard",
        Dialect::Satabs => "satabs",
    }
}

/// The options with which a program is read as it was when its proofs were made, unless they say otherwise.
pub fn read_as(reading: &Reading, options: &Options) -> Result<Options, Error> {
    let mut out = options.clone();
    let wrong = |what: &str, word: &str| {
        Error::Usage(format!("the proof is about a program in no {what} that is known: `{word}`"))
    };
    let lang = Lang::named(&reading.lang).ok_or_else(|| wrong("language", &reading.lang))?;
    out.input.lang = out.input.lang.or(Some(lang));
    if out.input.dialect == Dialect::default() {
        let all = [Dialect::Standard, Dialect::Satabs];
        let named = all.into_iter().find(|d| dialect_word(*d) == reading.dialect);
        out.input.dialect = named.ok_or_else(|| wrong("dialect", &reading.dialect))?;
    }
    out.input.entry = out.input.entry.or_else(|| reading.entry.clone());
    if out.input.keep.is_empty() {
        out.input.keep.clone_from(&reading.keep);
    }
    Ok(out)
}

/// Judges the claims of a file of proofs about the program, each by its proof, with the checker of `replay`.
pub fn replay_proofs(
    files: &[Arc<SourceFile>],
    proofs: &Proofs,
    options: &Options,
    watch: &Watch,
) -> Result<Vec<Judgement>, Error> {
    let budget = watch.budget(options.search.limits);
    let is_rule = |property: &Property| matches!(property, Property::Rule { .. });
    let asked: Vec<Property> = proofs.asked.iter().filter(|p| !is_rule(p)).cloned().collect();
    let program = Arc::new(match asked.is_empty() && !proofs.asked.is_empty() {
        true => nothing(),
        false => load_for(files, &options.input, &asked)?,
    });
    let allow = findings::in_files(files);
    let judge = |claim: &ProvedClaim| {
        let asked = proofs.asked.contains(&claim.property);
        let Some(proof) = proofs.proofs.get(claim.proof).filter(|_| asked) else {
            return Ok(Judgement::Refused("it was not asked".to_owned()));
        };
        let right = match claim.property {
            Property::Reach { .. } => "unreachable",
            Property::ReachAll => "violated",
            _ => "holds",
        };
        if claim.verdict != right {
            return Ok(Judgement::Refused(format!("no proof shows `{}`", claim.verdict)));
        }
        let (program, goal) = match proved(claim, &program, (files, &allow), options, &budget)? {
            Ok(proved) => proved,
            Err(judgement) => return Ok(judgement),
        };
        let done = caught("checking a proof", || {
            replay::check_certificate(&program, &[goal], proof, &budget)
        });
        Ok(match done {
            Ok(Ok(_)) => Judgement::Accepted,
            Ok(Err(CertRefusal::Stopped(reason))) => Judgement::Unknown(reason.to_string()),
            Ok(Err(refusal)) => Judgement::Refused(format!("the proof is none: {refusal}")),
            Err(what) => Judgement::Unknown(format!("internal error, please report it: {what}")),
        })
    };
    let mut judged = match proofs.claims.is_empty() {
        true => Vec::new(),
        false => proofs.claims.iter().map(judge).collect::<Result<Vec<_>, Error>>()?,
    };
    for claim in &proofs.by_invariants {
        judged.push(match proofs.asked.contains(&claim.property) {
            true => c_asking::replayed_proof(claim, files, options, &budget)?,
            false => Judgement::Refused("it was not asked".to_owned()),
        });
    }
    Ok(judged)
}

/// What a claim says not to be reached: of the program, or of the product that the question is.
fn proved(
    claim: &ProvedClaim,
    program: &Arc<Program>,
    (files, allow): (&[Arc<SourceFile>], &[Allow]),
    options: &Options,
    budget: &Budget,
) -> Result<Result<(Arc<Program>, Goal), Judgement>, Error> {
    if matches!(claim.property, Property::Rule { .. }) {
        let Some(c) = &options.input.c else {
            let file = files.first().map_or("", |f| f.name());
            return Err(Error::Usage(format!("{file}: rules are about the events of C programs")));
        };
        let (rule, places) = (rule_of(&claim.property)?, Arc::new(Places::new(c.skeleton())));
        let most = rules::MAX_LENGTH;
        return match RuleQuestion::new(&rule, (c, &places), allow, options, most, budget) {
            Ok(q) => Ok(Ok((q.product.program.clone(), q.anywhere()))),
            Err(Trouble::Stopped(reason)) => Ok(Err(Judgement::Unknown(reason.to_string()))),
            Err(Trouble::Wrong(error)) => Err(error),
        };
    }
    Ok(match question(&claim.property, program, budget) {
        Ok(Ok(Question::Goal(goal))) => Ok((program.clone(), goal)),
        Ok(Ok(Question::Product(product))) => Ok((product.program, product.goal)),
        Ok(Ok(Question::AllNodes)) => match dead(program, claim) {
            Ok(goal) => Ok((program.clone(), goal)),
            Err(why) => Err(Judgement::Refused(why.to_owned())),
        },
        Ok(Err(reason)) => Err(Judgement::Unknown(reason.to_string())),
        Err(error) => Err(Judgement::Refused(error.to_string())),
    })
}

/// The statements that are claimed to be dead, as a goal.
fn dead(program: &Program, claim: &ProvedClaim) -> Result<Goal, &'static str> {
    if claim.unreachable.is_empty() {
        return Err("it names no statement that cannot be reached");
    }
    let is_statement = |&n: &ir::NodeId| program.nodes.get(n).is_some_and(|n| n.statement);
    match claim.unreachable.iter().all(is_statement) {
        true => Ok(Goal::Reach(claim.unreachable.iter().map(|&n| Target::at(n)).collect())),
        false => Err("it names a statement that does not exist"),
    }
}
