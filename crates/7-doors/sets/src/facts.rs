//! What analyses and summaries say of each procedure.

use crate::formula;
use crate::states::bit_names;
use analysis::{Live, ModRef, Uses};
use asking::Options;
use asking::Questions;
use asking::never;
use check::{
    Area, Budget, Certificate, Engine, SetBit, StopReason, Task, TraceMode, Verdict, Wants,
};
use engine_summary::Summary;
use input::{Error, guarded, load_for};
use ir::{IndexVec, Layout, ProcId, Program, VarId};
use property::Property;
use render::{Facts, FactsKind, ProcFacts, StatementFacts};
use rustc_hash::FxHashMap;
use source::SourceFile;
use std::sync::Arc;

/// The facts of one kind. Live variables are those that matter for the properties: for which statements are
/// reached, if none is given.
pub fn facts(
    files: &[Arc<SourceFile>],
    kind: FactsKind,
    properties: &[Property],
    options: &Options,
) -> Result<Facts, Error> {
    guarded("computing facts", || {
        let program = Arc::new(load_for(files, &options.input, properties)?);
        let questions = Questions::new(&program, files, properties, options, &Budget::unlimited())?;
        let uses = Uses::new(questions.shared.task.reads());
        let mod_ref = ModRef::new(&program, &uses);
        let live = Live::new(&program, &mod_ref, &uses);
        let certificate = match kind {
            FactsKind::Summaries => Some(summaries(&program)?),
            FactsKind::ModRef | FactsKind::Live => None,
        };
        let layout = Layout::new(&program);
        let shown = program.procs.ids().filter(|&p| !program.proc_name(p).starts_with('('));
        let procs = shown.map(|proc| {
            let globals = |set: &IndexVec<ProcId, analysis::BitSet>| -> Vec<VarId> {
                let places = set[proc].iter().map(|place| program.globals[place]);
                places.filter(|&var| !program.vars[var].hidden).collect()
            };
            let names = names(&program, &layout, proc);
            let say = |cert: &Certificate, set| {
                let mut name = |bit: SetBit| {
                    names
                        .get(&bit)
                        .cloned()
                        .unwrap_or_else(|| format!("{:?}.{}", bit.area, bit.index))
                };
                formula::formula(&cert.sets, set, &mut name)
            };
            let statements = program.procs[proc].node_ids().filter(|&n| program.nodes[n].statement);
            let mut statements: Vec<StatementFacts> = statements
                .map(|node| StatementFacts {
                    node,
                    live: live.vars(&program, node).filter(|&v| !program.vars[v].hidden).collect(),
                    path: certificate.as_deref().map(|cert| say(cert, cert.path[node])),
                })
                .collect();
            statements.sort_by_key(|s| {
                let origin = program.nodes[s.node].origin;
                (origin.file, origin.line, origin.column)
            });
            let at_exit = program.globals.iter().chain(&program.procs[proc].results);
            let claim = certificate.as_deref().map(|cert| (cert, &cert.procs[proc]));
            ProcFacts {
                proc,
                modifies: globals(&mod_ref.modified),
                touches: globals(&mod_ref.touched),
                live_at_exit: at_exit.copied().filter(|&v| live.at_exit(proc, v)).collect(),
                summary: claim.map(|(cert, claim)| say(cert, claim.summary)),
                unchanged: claim.map(|(_, claim)| claim.unchanged.clone()).unwrap_or_default(),
                statements,
            }
        });
        let procs = procs.collect();
        Ok(Facts { program: program.clone(), kind, procs })
    })
}

/// Path edges and summaries of everything that is reachable.
fn summaries(program: &Arc<Program>) -> Result<Arc<Certificate>, Error> {
    let wants = Wants { trace: TraceMode::None, certificate: true, all_nodes: true };
    let goals = vec![never(program)];
    let task = Task { wants, ..Task::new(program.clone(), goals) };
    let answer = Summary::default().run(&task, &Budget::unlimited());
    match answer.verdicts.into_iter().next() {
        Some(Verdict::Holds(Some(certificate))) => Ok(certificate),
        Some(Verdict::Unknown(reason)) => Err(Error::Stopped(reason)),
        _ => {
            let what = "the summary engine gave no path edges".to_owned();
            Err(Error::Stopped(StopReason::Internal { what }))
        }
    }
}

/// What bits are called in a procedure: `x` now or at the exit, `x@entry` at its entry.
fn names(program: &Program, layout: &Layout, proc: ProcId) -> FxHashMap<SetBit, String> {
    let info = &program.procs[proc];
    let scope: Vec<VarId> = program.globals.iter().chain(&info.locals).copied().collect();
    let mut out = bit_names(program, layout, &scope);
    for (bit, name) in out.clone() {
        let area = match bit.area {
            Area::Global => Area::EntryGlobal,
            _ => Area::EntryLocal,
        };
        out.insert(SetBit { area, ..bit }, format!("{name}@entry"));
    }
    for (bit, name) in bit_names(program, layout, &info.results) {
        out.insert(SetBit { area: Area::Result, ..bit }, name);
    }
    out
}
