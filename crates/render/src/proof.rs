//! Proofs that are kept: the schema `postbop.proof/1`.
//!
//! ```text
//! {"schema":"postbop.proof/1","file":"f.bp",
//!  "reading":{"lang":"bp","dialect":"standard","entry":null,"keep":[]},
//!  "asked":[{"kind":"reach","label":"R"}],
//!  "claims":[{"property":{"kind":"reach","label":"R"},"verdict":"unreachable","proof":0}],
//!  "proofs":[{"sets":[[2,0,0,1]],"path":[1,2,0],"procs":[[0,[]]],"repeat":null}],
//!  "checksum":"…"}
//! ```
//!
//! A proof is a [`Certificate`], with numbers for everything. A set is a number: 0 is the empty one, 1 the full
//! one, and `k + 2` stands for `sets[k] = [area, bit, lo, hi]`: what `lo` holds where the bit is 0, and `hi`
//! where it is 1. Areas: 0 globals at entry, 1 locals at entry, 2 globals, 3 locals, 4 results. `path` has a set
//! for each node, `procs` for each procedure its summary and the globals that it leaves unchanged; `repeat`, for
//! runs without end, the sets of each mark and the ranks.
//!
//! `asked` are all questions of the run: the program of C depends on them. The checksum is over everything
//! before it as [`write_proofs`] writes it. It guards against damage; that a proof proves something is for
//! `replay` to say.

use crate::json::property as property_json;
use crate::read::{At, ReadError, property};
use check::{
    Area, Certificate, MarkedClaim, ProcClaim, Rank, RepeatClaim, SetBit, SetId, StateSets,
};
use ir::{Id, IndexVec, NodeId, ProcId, VarId};
use property::Property;
use serde_json::{Value as Json, json};
use std::io::{self, Write};
use std::sync::Arc;

const SCHEMA: &str = "postbop.proof/1";

/// How a program was read, as far as a file's name does not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The language's name.
    pub lang: String,
    /// The dialect's name.
    pub dialect: String,
    /// Where the program starts.
    pub entry: Option<String>,
    /// Variables of C whose values are kept, with their bits.
    pub keep: Vec<(String, u32)>,
}

/// A claim with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedClaim {
    /// The question.
    pub property: Property,
    /// The verdict's word.
    pub verdict: String,
    /// Of [`Property::ReachAll`]: the statements that cannot be reached.
    pub unreachable: Vec<NodeId>,
    /// The number of its proof.
    pub proof: usize,
}

/// Claims with their proofs.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// The program's file.
    pub file: String,
    /// How it was read.
    pub reading: Reading,
    /// All questions of the run.
    pub asked: Vec<Property>,
    /// The claims.
    pub claims: Vec<ProvedClaim>,
    /// The proofs; several claims may share one.
    pub proofs: Vec<Arc<Certificate>>,
}

/// Writes proofs.
pub fn write_proofs(proofs: &Proofs, out: &mut dyn Write) -> io::Result<()> {
    let mut summed = Summed { out, sum: OFFSET };
    body(proofs, &mut summed)?;
    let sum = summed.sum;
    writeln!(out, ",\n\"checksum\":\"{sum:016x}\"}}")
}

/// FNV-1a.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Sums up what is written.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: u64,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        for byte in &bytes[..n] {
            self.sum = (self.sum ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// All but the checksum.
fn body(proofs: &Proofs, out: &mut dyn Write) -> io::Result<()> {
    let Reading { lang, dialect, entry, keep } = &proofs.reading;
    let reading = json!({"lang": lang, "dialect": dialect, "entry": entry, "keep": keep});
    let asked: Vec<Json> = proofs.asked.iter().map(property_json).collect();
    writeln!(out, "{{\"schema\":\"{SCHEMA}\",\"file\":{},", Json::from(proofs.file.as_str()))?;
    write!(out, "\"reading\":{reading},\n\"asked\":{},\n\"claims\":[", Json::from(asked))?;
    for (i, claim) in proofs.claims.iter().enumerate() {
        let mut json = json!({
            "property": property_json(&claim.property), "verdict": claim.verdict, "proof": claim.proof,
        });
        if claim.property == Property::ReachAll {
            let nodes = claim.unreachable.iter().map(|n| n.index());
            json["unreachable"] = nodes.collect::<Vec<_>>().into();
        }
        write!(out, "{}{json}", if i > 0 { ",\n" } else { "\n" })?;
    }
    out.write_all(b"],\n\"proofs\":[")?;
    for (i, proof) in proofs.proofs.iter().enumerate() {
        out.write_all(if i > 0 { b",\n" } else { b"\n" })?;
        certificate(proof, out)?;
    }
    out.write_all(b"]")
}

/// A list, item by item: proofs are long.
fn list<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    mut item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (i, one) in items.enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        item(out, one)?;
    }
    out.write_all(b"]")
}

fn ids(out: &mut dyn Write, sets: impl Iterator<Item = SetId>) -> io::Result<()> {
    list(out, sets, |out, set| write!(out, "{}", set.index()))
}

fn certificate(certificate: &Certificate, out: &mut dyn Write) -> io::Result<()> {
    let sets = &certificate.sets;
    out.write_all(b"{\"sets\":")?;
    let nodes = (0..sets.len()).filter_map(|i| sets.node(SetId::new(i + 2)));
    list(out, nodes, |out, node| {
        let SetBit { area, index } = node.bit;
        write!(out, "[{},{index},{},{}]", area as u32, node.lo.index(), node.hi.index())
    })?;
    out.write_all(b",\n\"path\":")?;
    ids(out, certificate.path.iter().copied())?;
    out.write_all(b",\n\"procs\":")?;
    list(out, certificate.procs.iter(), |out, claim| {
        write!(out, "[{},", claim.summary.index())?;
        list(out, claim.unchanged.iter(), |out, var| write!(out, "{}", var.index()))?;
        out.write_all(b"]")
    })?;
    out.write_all(b",\n\"repeat\":")?;
    let Some(repeat) = &certificate.repeat else { return out.write_all(b"null}") };
    out.write_all(b"{\"marked\":")?;
    list(out, repeat.marked.iter(), |out, marked| {
        out.write_all(b"{\"path\":")?;
        ids(out, marked.path.iter().copied())?;
        out.write_all(b",\"summary\":")?;
        ids(out, marked.summary.iter().copied())?;
        out.write_all(b"}")
    })?;
    out.write_all(b",\"ranks\":")?;
    list(out, repeat.ranks.iter(), |out, rank| {
        write!(out, "{{\"mark\":{},\"heads\":", rank.mark)?;
        list(out, rank.heads.iter(), |out, (node, set)| {
            write!(out, "[{},{}]", node.index(), set.index())
        })?;
        out.write_all(b"}")
    })?;
    out.write_all(b"}}")
}

/// Whether a text claims to hold proofs.
pub fn holds_proofs(text: &str) -> bool {
    // The schema stands at the start, unless somebody has moved it.
    let start: String = text.chars().take(1000).collect();
    start.contains(SCHEMA)
}

/// Reads proofs back. Every field is expected, and no other.
pub fn read_proofs(text: &str) -> Result<Proofs, ReadError> {
    let json: Json = serde_json::from_str(text)
        .map_err(|e| ReadError { place: String::new(), message: format!("not JSON: {e}") })?;
    let root = At { json: &json, place: String::new() };
    root.only(&["schema", "file", "reading", "asked", "claims", "proofs", "checksum"])?;
    let schema = root.get("schema")?;
    if schema.json.as_str() != Some(SCHEMA) {
        return schema.wrong("\"postbop.proof/1\"");
    }
    let proofs: Vec<_> = root
        .get("proofs")?
        .list()?
        .iter()
        .map(|at| read(at).map(Arc::new))
        .collect::<Result<_, _>>()?;
    let claims = root
        .get("claims")?
        .list()?
        .iter()
        .map(|at| claim(at, proofs.len()))
        .collect::<Result<_, _>>()?;
    let asked = root.get("asked")?.list()?.iter().map(asked_property).collect::<Result<_, _>>()?;
    let out = Proofs {
        file: root.get("file")?.text()?,
        reading: reading(&root.get("reading")?)?,
        asked,
        claims,
        proofs,
    };
    let checksum = root.get("checksum")?;
    let mut nowhere = io::sink();
    let mut summed = Summed { out: &mut nowhere, sum: OFFSET };
    let written = body(&out, &mut summed);
    let sum = format!("{:016x}", summed.sum);
    if written.is_err() || checksum.json.as_str() != Some(&sum) {
        let message = "it does not fit the rest: something has been changed".to_owned();
        return Err(ReadError { place: checksum.place, message });
    }
    Ok(out)
}

fn reading(at: &At<'_>) -> Result<Reading, ReadError> {
    at.only(&["lang", "dialect", "entry", "keep"])?;
    let entry = at.get("entry")?;
    let keep = at.get("keep")?.list()?;
    let keep = keep.iter().map(|at| match &at.list()?[..] {
        [name, bits] => Ok((name.text()?, bits.number()?)),
        _ => at.wrong("a variable and its bits"),
    });
    Ok(Reading {
        lang: at.get("lang")?.text()?,
        dialect: at.get("dialect")?.text()?,
        entry: match entry.json {
            Json::Null => None,
            _ => Some(entry.text()?),
        },
        keep: keep.collect::<Result<_, _>>()?,
    })
}

fn asked_property(at: &At<'_>) -> Result<Property, ReadError> {
    at.only(&["kind", "label", "formula", "fair", "rule", "text", "bindings"])?;
    property(at)
}

fn claim(at: &At<'_>, proofs: usize) -> Result<ProvedClaim, ReadError> {
    let property = asked_property(&at.get("property")?)?;
    let mut unreachable = Vec::new();
    match property {
        Property::ReachAll => {
            at.only(&["property", "verdict", "proof", "unreachable"])?;
            for node in at.get("unreachable")?.list()? {
                unreachable.push(NodeId::new(node.number()? as usize));
            }
        }
        _ => at.only(&["property", "verdict", "proof"])?,
    }
    let proof = at.get("proof")?;
    let number = proof.number()? as usize;
    if number >= proofs {
        return proof.wrong("the number of a proof");
    }
    Ok(ProvedClaim { property, verdict: at.get("verdict")?.text()?, unreachable, proof: number })
}

/// A certificate. That it fits a program is not looked at here.
fn read(at: &At<'_>) -> Result<Certificate, ReadError> {
    at.only(&["sets", "path", "procs", "repeat"])?;
    let mut sets = Sets::default();
    for node in at.get("sets")?.list()? {
        sets.read(&node)?;
    }
    let path = sets.list(&at.get("path")?)?;
    let procs = at.get("procs")?.list()?;
    let procs = procs.iter().map(|at| match &at.list()?[..] {
        [summary, unchanged] => {
            let unchanged = unchanged
                .list()?
                .iter()
                .map(|v| Ok(VarId::new(v.number()? as usize)))
                .collect::<Result<_, ReadError>>()?;
            Ok(ProcClaim { summary: sets.id(summary)?, unchanged })
        }
        _ => at.wrong("a set and a list"),
    });
    let procs = procs.collect::<Result<IndexVec<ProcId, _>, _>>()?;
    let repeat = at.get("repeat")?;
    let repeat = match repeat.json {
        Json::Null => None,
        _ => Some(sets.repeat(&repeat)?),
    };
    Ok(Certificate { sets: sets.graph, path, procs, repeat })
}

/// Sets by the numbers that they have in a file.
#[derive(Default)]
struct Sets {
    graph: StateSets,
    ids: Vec<SetId>,
}

impl Sets {
    fn read(&mut self, at: &At<'_>) -> Result<(), ReadError> {
        const AREAS: [Area; 5] =
            [Area::EntryGlobal, Area::EntryLocal, Area::Global, Area::Local, Area::Result];
        let [area, bit, lo, hi] = &at.list()?[..] else {
            return at.wrong("an area, a bit and two sets");
        };
        let Some(&kind) = AREAS.get(area.number()? as usize) else {
            return area.wrong("an area, 0 to 4");
        };
        let bit = SetBit { area: kind, index: bit.number()? };
        let (lo, hi) = (self.id(lo)?, self.id(hi)?);
        let id = self.graph.ite(bit, lo, hi);
        self.ids.push(id);
        Ok(())
    }

    /// A set that has been read.
    fn id(&self, at: &At<'_>) -> Result<SetId, ReadError> {
        let number = at.number()? as usize;
        match number.checked_sub(2).map(|i| self.ids.get(i)) {
            None => Ok(SetId::new(number)),
            Some(Some(&id)) => Ok(id),
            Some(None) => at.wrong("the number of a set before it"),
        }
    }

    fn list<I: Id>(&self, at: &At<'_>) -> Result<IndexVec<I, SetId>, ReadError> {
        at.list()?.iter().map(|at| self.id(at)).collect()
    }

    fn repeat(&self, at: &At<'_>) -> Result<RepeatClaim, ReadError> {
        at.only(&["marked", "ranks"])?;
        let marked = at
            .get("marked")?
            .list()?
            .iter()
            .map(|at| {
                at.only(&["path", "summary"])?;
                let (path, summary) =
                    (self.list(&at.get("path")?)?, self.list(&at.get("summary")?)?);
                Ok(MarkedClaim { path, summary })
            })
            .collect::<Result<_, ReadError>>()?;
        let ranks = at
            .get("ranks")?
            .list()?
            .iter()
            .map(|at| {
                at.only(&["mark", "heads"])?;
                let heads = at
                    .get("heads")?
                    .list()?
                    .iter()
                    .map(|at| match &at.list()?[..] {
                        [node, set] => Ok((NodeId::new(node.number()? as usize), self.id(set)?)),
                        _ => at.wrong("a node and a set"),
                    })
                    .collect::<Result<_, ReadError>>()?;
                Ok(Rank { mark: at.get("mark")?.number()?, heads })
            })
            .collect::<Result<_, ReadError>>()?;
        Ok(RepeatClaim { marked, ranks })
    }
}
