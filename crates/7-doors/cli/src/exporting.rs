//! `bop convert`: programs in other forms.

use crate::args::{Convert, EncodingArg, Form};
use crate::exit::Exit;
use crate::io::{self, Page};
use crate::verbs::{Failed, limits, not_yet, options, program_with, whole};
use crate::{c, solving, watch};
use equations::EquationForm;
use postbop::{Encoding, Target};
use source::SourceFile;
use std::sync::Arc;

pub(crate) fn convert(args: &Convert) -> Result<Exit, Failed> {
    let target = match args.to {
        Form::Bp => Some(Target::Bp),
        Form::Remopla => Some(Target::Remopla),
        Form::Pds => Some(Target::Pds),
        Form::Dot => Some(Target::Dot),
        Form::Smv => Some(Target::Smv { depth: args.stack_depth, encoding: encoding(args) }),
        Form::Edl => Some(Target::Edl { depth: args.stack_depth, encoding: encoding(args) }),
        Form::Cout => Some(Target::Cout),
        Form::Aiger | Form::Aig => Some(Target::Aiger),
        Form::Btor2 => Some(Target::Btor2),
        Form::Chc => None,
        Form::Blk => return solving::convert(args, EquationForm::Modal),
        Form::Bes => return solving::convert(args, EquationForm::Boolean),
        Form::Pbes => return solving::convert(args, EquationForm::Parameterised),
        Form::Pg => return solving::convert(args, EquationForm::Game),
        Form::Aut => {
            let forms = "the forms are bp, remopla, pds, dot, and for C smv, edl, cout and chc";
            return Err(not_yet("this form", forms));
        }
    };
    if target.is_some() && !args.reach.is_empty() {
        return Err(Failed::from("`--reach` goes with `--to chc`".to_owned()));
    }
    if target != Some(Target::Bp) && args.predicates.is_some() {
        return Err(Failed::from("`--predicates` goes with `--to bp`".to_owned()));
    }
    if target.is_none() && !args.ltl.is_empty() {
        return Err(Failed::from("`--ltl` goes with `--to smv` and `--to edl`".to_owned()));
    }
    if target.is_none() && !args.rule.is_empty() {
        return Err(Failed::from("`--rule` goes with `--to smv` and `--to edl`".to_owned()));
    }
    let rules: Vec<_> = c::rules(&args.rule)?.iter().map(postbop::rule_property).collect();
    let mut options = options(&args.input, None)?;
    options.search.limits = limits(&args.limits);
    let data = target.is_none() || args.predicates.is_some();
    let files = program_with(&args.input, data, &mut options, (false, false))?;
    let (watch, line) = watch::watch(true);
    let formulas = args.ltl.iter().map(|text| SourceFile::new("formula", text.as_str()));
    let formulas = formulas.map(|file| file.map(Arc::new).map_err(|e| e.to_string()));
    let formulas: Vec<Arc<SourceFile>> = formulas.collect::<Result<_, String>>()?;
    let text = match (target, &args.predicates) {
        (None, _) => postbop::clauses(&files, &args.reach, &options, &watch)?,
        (Some(_), Some(path)) => {
            let predicates = io::source_file(path)?;
            postbop::abstraction(&files, &predicates, &options, &watch)?
        }
        (Some(target), None) => {
            postbop::convert_with(&files, target, &formulas, &rules, &options, &watch)?
        }
    };
    drop(line);
    let page = match args.to {
        Form::Dot | Form::Cout => Page::Text,
        Form::Aig => Page::Bytes,
        _ => Page::Language,
    };
    io::write_page(args.output.as_deref(), page, |out| match page {
        Page::Bytes => out.write_all(&postbop::binary_aiger(&text)),
        _ => out.write_all(text.as_bytes()),
    })?;
    Ok(whole(&options))
}

fn encoding(args: &Convert) -> Encoding {
    match args.encoding {
        EncodingArg::Int => Encoding::Int,
        EncodingArg::Bits => Encoding::Bits,
    }
}
