//! Proofs that are saved: accepted as they are, from the program and the file alone; refused with something
//! changed, unless what is left is a proof of the same claim.

#![allow(clippy::print_stdout)]

use ::check::{Area, Certificate, SetBit, SetId, StateSets};
use ir::{Id, IndexVec, Layout, NodeId, Program, VarKind};
use postbop::{
    EngineChoice, Input, Judgement, Lang, Options, Property, Search, SourceFile, Watch, check,
    load, proofs, read_as, replay_proofs,
};
use render::{Proofs, read_proofs, write_proofs};
use std::sync::Arc;
use testkit::rng::Rng;

/// Without choices: what is arbitrary is not initialised.
const BP: &str = "decl g, h, k;
void main() begin
  decl x;
  g, h := 0, 0;
  x := k;
  f(x, h);
  if (g) then Q: skip; fi
  assert(!g | !h);
  while (!h) do h := !h; od
  D: skip;
  if (h & !h) then R: skip; fi
end
void f(a, b) begin
  if (a & b) then g := 1; fi
  if (a) then f(b, a); else k := !k; fi
end";

const REMOPLA: &str = "int n(3);
module void main() {
  n = 0;
  do :: (n < 3) -> n = n + 1; step();
     :: else -> break;
  od;
  if :: (n != 3) -> BAD: skip;
     :: else -> skip;
  fi;
  END: goto END;
}
module void step() { if :: (n > 3) -> WORSE: skip; :: else -> skip; fi; return; }
init main;";

fn ltl(formula: &str) -> Property {
    Property::Ltl { formula: formula.to_owned(), fair: Vec::new() }
}

fn file(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new("example", text).unwrap())
}

fn written(proofs: &Proofs) -> String {
    let mut out = Vec::new();
    write_proofs(proofs, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Checks, and saves the proofs.
fn saved(lang: Lang, text: &str, asked: &[Property], engine: EngineChoice) -> Proofs {
    let options = Options {
        input: Input { lang: Some(lang), ..Input::default() },
        search: Search { engine, self_check: true, vacuity: false, ..Search::default() },
        ..Options::default()
    };
    let report = check(&[file(text)], asked, &options, &Watch::default()).unwrap();
    proofs(&report, &options)
}

/// What comes of the claims, from the program's text and the saved text.
fn replayed(text: &str, proof: &str) -> Result<Vec<Judgement>, String> {
    let proofs = read_proofs(proof).map_err(|e| e.to_string())?;
    let options = read_as(&proofs.reading, &Options::default()).map_err(|e| e.to_string())?;
    replay_proofs(&[file(text)], &proofs, &options, &Watch::default()).map_err(|e| e.to_string())
}

fn bp_questions() -> Vec<Property> {
    vec![
        Property::reach("Q"),
        Property::reach("R"),
        Property::reach("D"),
        Property::ReachAll,
        Property::Assert,
        ltl("G (at(D) -> h)"),
        ltl("F at(Q)"),
        Property::Sere { formula: "never {at(R)}".to_owned() },
    ]
}

fn remopla_questions() -> Vec<Property> {
    vec![
        Property::reach("BAD"),
        Property::reach("step:WORSE"),
        ltl("F G at(END)"),
        Property::Terminates { fair: Vec::new() },
    ]
}

#[test]
fn all_engines_and_questions() {
    use EngineChoice::{Auto, Explicit, Post, Pre, Qbf, Summary, Universal};
    for engine in [Auto, Explicit, Summary, Post, Pre, Qbf, Universal] {
        for (lang, text, asked, least) in
            [(Lang::Bp, BP, bp_questions(), 5), (Lang::Remopla, REMOPLA, remopla_questions(), 3)]
        {
            let proofs = saved(lang, text, &asked, engine);
            assert!(proofs.claims.len() >= least, "{engine:?} {lang:?}: {:?}", proofs.claims);
            let text_of = written(&proofs);
            assert_eq!(written(&read_proofs(&text_of).unwrap()), text_of);
            let judged = replayed(text, &text_of).unwrap();
            assert!(judged.iter().all(|j| *j == Judgement::Accepted), "{engine:?}: {judged:?}");
            // Another program is not proved by it.
            let other = match lang {
                Lang::Bp => BP.replace("g := 1", "skip").replace("h := !h", "g := 1; h := 1"),
                _ => REMOPLA.replace("n < 3", "n < 2"),
            };
            if let Ok(judged) = replayed(&other, &text_of) {
                assert!(judged.iter().any(|j| *j != Judgement::Accepted), "{engine:?} {lang:?}");
            }
        }
    }
}

/// Something else happens to the text.
fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = rng.below(bytes.len());
    let any = *rng.pick(b"0123456789,[]{}\":truefalsn ");
    match rng.below(8) {
        0 => bytes[at] = any,
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, any),
        3 => {
            let to = rng.below(bytes.len());
            bytes.swap(at, to);
        }
        4 => bytes.truncate(at),
        5 => {
            let end = (at + rng.between(1, 30)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            let to = rng.below(bytes.len());
            bytes.splice(to..to, part);
        }
        6 => {
            let end = (at + rng.between(1, 30)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => {
            // Another digit.
            let digits: Vec<usize> =
                (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
            bytes[*rng.pick(&digits)] = b'0' + rng.below(10) as u8;
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Whoever changes the claims or the proofs can make the checksum fit.
fn lied(proofs: &Proofs, rng: &mut Rng) -> Proofs {
    let mut out = proofs.clone();
    let claim = rng.below(out.claims.len());
    let sets = |c: &Certificate| c.sets.len() + 2;
    if rng.chance(15) {
        let claim = &mut out.claims[claim];
        match rng.below(3) {
            0 => {
                claim.verdict =
                    (*rng.pick(&["holds", "violated", "reachable", "unknown", "x"])).to_owned()
            }
            1 => claim.property = rng.pick(&bp_questions()).clone(),
            _ => claim.proof = rng.below(proofs.proofs.len()),
        }
        return out;
    }
    let proof = &mut out.proofs[proofs.claims[claim].proof];
    let mut new = Certificate::clone(proof);
    let any = |rng: &mut Rng| SetId::new(rng.below(sets(&new)));
    match rng.below(6) {
        0 | 1 => {
            let (n, set) = (NodeId::new(rng.below(new.path.len())), any(rng));
            new.path[n] = set;
        }
        2 => {
            let (p, set) = (ir::ProcId::new(rng.below(new.procs.len())), any(rng));
            new.procs[p].summary = set;
        }
        3 => {
            let p = ir::ProcId::new(rng.below(new.procs.len()));
            let unchanged = &mut new.procs[p].unchanged;
            match unchanged.pop() {
                Some(_) if rng.coin() => {}
                _ => unchanged.push(ir::VarId::new(rng.below(4))),
            }
        }
        4 if new.repeat.is_some() => {
            let set = any(rng);
            let repeat = new.repeat.as_mut().unwrap();
            match rng.below(3) {
                0 if !repeat.ranks.is_empty() => {
                    let rank = rng.below(repeat.ranks.len());
                    repeat.ranks[rank].heads.pop();
                }
                1 if !repeat.ranks.is_empty() => drop(repeat.ranks.remove(0)),
                _ => {
                    let mark = rng.below(repeat.marked.len());
                    let n = NodeId::new(rng.below(repeat.marked[mark].path.len()));
                    repeat.marked[mark].path[n] = set;
                }
            }
        }
        _ => new = redrawn(&new, rng),
    }
    *proof = Arc::new(new);
    out
}

/// One decision of the graph is another one.
fn redrawn(old: &Certificate, rng: &mut Rng) -> Certificate {
    if old.sets.is_empty() {
        return old.clone();
    }
    let changed = rng.below(old.sets.len());
    let mut sets = StateSets::new();
    let mut ids = vec![SetId::empty(), SetId::full()];
    for i in 0..old.sets.len() {
        let node = old.sets.node(SetId::new(i + 2)).unwrap();
        let (mut bit, mut lo, mut hi) = (node.bit, ids[node.lo.index()], ids[node.hi.index()]);
        if i == changed {
            match rng.below(4) {
                0 => (lo, hi) = (hi, lo),
                1 => hi = *rng.pick(&ids),
                2 => lo = *rng.pick(&ids),
                _ => bit = SetBit { index: bit.index ^ 1, ..bit },
            }
        }
        ids.push(sets.ite(bit, lo, hi));
    }
    let mut new = old.clone();
    let list = |list: &IndexVec<NodeId, SetId>| list.iter().map(|s| ids[s.index()]).collect();
    new.path = list(&old.path);
    new.procs.iter_mut().for_each(|p| p.summary = ids[p.summary.index()]);
    if let Some(repeat) = &mut new.repeat {
        for marked in &mut repeat.marked {
            marked.path = list(&marked.path);
            marked.summary.iter_mut().for_each(|s| *s = ids[s.index()]);
        }
        for rank in &mut repeat.ranks {
            rank.heads.iter_mut().for_each(|h| h.1 = ids[h.1.index()]);
        }
    }
    new.sets = sets;
    new
}

/// Whether every state that the program can be in, found by writing out its stacks, is in the certificate.
fn contains_all(program: &Program, certificate: &Certificate) -> bool {
    let layout = Layout::new(program);
    let states = testkit::explore::explore(program, 5, &|_, _| 0);
    states.iter().all(|state| {
        let Some(top) = state.stack.last() else { return true };
        let proc = program.nodes[top.node].proc;
        let value = |area: Area, index: u32| {
            let globals = matches!(area, Area::Global | Area::EntryGlobal);
            let values = if globals { &state.globals } else { &top.values };
            values.iter().any(|(&var, &value)| {
                let slot = layout.slot(var);
                let global = program.vars[var].kind == VarKind::Global;
                global == globals
                    && slot.bits().contains(&index)
                    && value >> (index - slot.offset) & 1 == 1
            })
        };
        let unchanged = |index: u32| {
            let vars = &certificate.procs[proc].unchanged;
            vars.iter().any(|&v| layout.slot(v).bits().contains(&index))
        };
        let (globals, locals) = (layout.global_bits, layout.frame_bits[proc]);
        (0..1u64 << (globals + locals)).any(|entry| {
            let same = (0..globals)
                .all(|i| !unchanged(i) || (entry >> i & 1 == 1) == value(Area::Global, i));
            same && certificate.sets.contains(certificate.path[top.node], |bit| match bit.area {
                Area::EntryGlobal => entry >> bit.index & 1 == 1,
                Area::EntryLocal => entry >> (globals + bit.index) & 1 == 1,
                area => value(area, bit.index),
            })
        })
    })
}

/// A thousand ways to damage a proof: the seed is `PROOF_SEED`, or 1.
#[test]
fn a_thousand_ways_to_damage_a_proof() {
    let seed = std::env::var("PROOF_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(seed);
    let cases = [
        (BP, saved(Lang::Bp, BP, &bp_questions(), EngineChoice::Summary)),
        (BP, saved(Lang::Bp, BP, &bp_questions(), EngineChoice::Explicit)),
        (REMOPLA, saved(Lang::Remopla, REMOPLA, &remopla_questions(), EngineChoice::Post)),
    ];
    let (mut refused, mut same, mut still_proofs) = (0, 0, 0);
    for i in 0..1200 {
        let (text, proofs) = &cases[i % cases.len()];
        let original = written(proofs);
        if i < 700 {
            let damaged = damaged(&original, &mut rng);
            match replayed(text, &damaged) {
                Err(_) => refused += 1,
                // Blanks, or the same digit: nothing is said that was not said before.
                Ok(judged) => {
                    assert_eq!(written(&read_proofs(&damaged).unwrap()), original, "{damaged}");
                    assert!(judged.iter().all(|j| *j == Judgement::Accepted));
                    same += 1;
                }
            }
            continue;
        }
        let lie = lied(proofs, &mut rng);
        let text_of = written(&lie);
        if text_of == original {
            same += 1;
            continue;
        }
        let judged = match replayed(text, &text_of) {
            Err(_) => {
                refused += 1;
                continue;
            }
            Ok(judged) => judged,
        };
        if judged.iter().any(|j| *j != Judgement::Accepted) {
            refused += 1;
        } else {
            still_proofs += 1;
        }
        // What is accepted was claimed and true before; its sets hold all states that there are.
        let read = read_proofs(&text_of).unwrap();
        for (claim, judgement) in read.claims.iter().zip(&judged) {
            if *judgement != Judgement::Accepted {
                continue;
            }
            let known = |c: &&render::ProvedClaim| {
                c.property == claim.property && c.verdict == claim.verdict
            };
            let before = proofs.claims.iter().find(known);
            assert!(before.is_some(), "accepted: {claim:?}");
            if matches!(claim.property, Property::Reach { .. } | Property::Assert) {
                let options = read_as(&read.reading, &Options::default()).unwrap();
                let program = load(&[file(text)], &options.input).unwrap();
                assert!(contains_all(&program, &read.proofs[claim.proof]), "{text_of}");
            }
        }
    }
    println!(
        "seed {seed}: {refused} refused, {same} the same, {still_proofs} other proofs of the same claims"
    );
    assert_eq!(refused + same + still_proofs, 1200);
    assert!(refused > 1000, "{refused} refused, {same} the same, {still_proofs} other proofs");
}
