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

use crate::invariants::Invariant;
use crate::lines::{self, ALL, Layout, List};
use crate::parts::Question;
use crate::read::{At, ReadError, property};
use check::{
    Area, Certificate, MarkedClaim, ProcClaim, Rank, RepeatClaim, SetBit, SetId, StateSets,
};
use ir::{Id, IndexVec, NodeId, ProcId, VarId};
use property::Property;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use std::io::{self, Write};
use std::sync::Arc;

const SCHEMA: &str = "postbop.proof/1";

/// How a program was read, as far as a file's name does not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// A claim about C with its data, with the invariants that prove it, or with the number of rounds with which all runs are
/// followed to their end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvedByInvariants {
    /// The question.
    pub property: Property,
    /// The verdict's word.
    pub verdict: String,
    /// What holds at each loop.
    pub invariants: Arc<Vec<Invariant>>,
    /// The most rounds of a loop or recursion, where no loop has an invariant and all runs are followed.
    pub rounds: Option<u32>,
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
    /// Claims about C with its data, with their invariants.
    pub by_invariants: Vec<ProvedByInvariants>,
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

/// A line for each field, claim and proof, and for each part of a proof.
const LAYOUT: Layout = Layout {
    lists: &[
        List { depth: 1, name: "claims", first: ALL },
        List { depth: 1, name: "proofs", first: 1 },
        List { depth: 1, name: "by_invariants", first: 1 },
    ],
    first: 2,
    open: true,
};

/// All but the checksum.
fn body(proofs: &Proofs, out: &mut dyn Write) -> io::Result<()> {
    lines::write(&Body::from(proofs), LAYOUT, out)
}

/// Claims with their proofs (`bop check --proof FILE`).
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Proofs")]
#[expect(dead_code, reason = "the file is written in two parts: what is summed up, and the sum")]
pub(crate) struct Document {
    #[schemars(flatten)]
    body: Body<'static>,
    /// FNV-1a over everything before it, in 16 hexadecimal digits.
    checksum: String,
}

/// What the checksum is over.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The schema, and its version.
    schema: Schema,
    /// The (first) file of the program.
    file: &'a str,
    /// How it was read, as far as its name does not tell.
    reading: &'a Reading,
    /// All questions of the run: the program of C depends on them.
    asked: Vec<Question<'a>>,
    /// Claims; each names its proof.
    claims: Vec<ClaimDocument<'a>>,
    /// Proofs; several claims may share one.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Proof>"))]
    proofs: OneByOne<'a>,
    /// Claims about C with its data, each with what holds at its loops.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_invariants: Vec<InvariantsDocument<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Schema {
    #[serde(rename = "postbop.proof/1")]
    V1,
}

/// A claim with its proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Claim")]
struct ClaimDocument<'a> {
    /// The question.
    property: Question<'a>,
    /// The verdict.
    verdict: &'a str,
    /// The number of its proof.
    proof: usize,
    /// Of `reach-all`: the numbers of the statements that cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreachable: Option<Vec<usize>>,
}

/// A claim about C with its data.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ByInvariants")]
struct InvariantsDocument<'a> {
    /// The question.
    property: Question<'a>,
    /// The verdict.
    verdict: &'a str,
    /// What holds at its loops.
    invariants: &'a [Invariant],
    /// Where all runs are followed to their end: the most rounds of a loop or recursion.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
}

/// Proofs, which are written one by one: they are long.
struct OneByOne<'a>(&'a [Arc<Certificate>]);

impl Serialize for OneByOne<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|proof| Proof::from(&**proof)))
    }
}

/// An inductive set of states. A set is a number: 0 is the empty one, 1 the full one, and `k + 2` stands for
/// `sets[k]`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Proof {
    /// `[area, bit, lo, hi]`: what the set `lo` holds where the bit is 0, and `hi` where it is 1. Areas: 0 globals
    /// at entry, 1 locals at entry, 2 globals, 3 locals, 4 results.
    sets: Vec<[usize; 4]>,
    /// A set for each node.
    path: Vec<usize>,
    /// For each procedure its summary, and the numbers of the globals that it leaves unchanged.
    procs: Vec<(usize, Vec<usize>)>,
    /// For runs without end.
    repeat: Option<Repeat>,
}

/// That no run goes on for ever as it must not.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Repeat {
    /// The sets of each mark.
    marked: Vec<Marked>,
    /// Heads that cannot repeat, in the order in which that is seen.
    ranks: Vec<RankDocument>,
}

/// Steps that pass a mark.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Marked {
    /// A set for each node.
    path: Vec<usize>,
    /// A set for each procedure.
    summary: Vec<usize>,
}

/// Heads that cannot repeat.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Rank")]
struct RankDocument {
    /// The mark that they cannot pass again.
    mark: u32,
    /// Nodes, and a set at each.
    heads: Vec<(usize, usize)>,
}

impl<'a> From<&'a Proofs> for Body<'a> {
    fn from(proofs: &'a Proofs) -> Body<'a> {
        let claim = |claim: &'a ProvedClaim| {
            let dead = claim.unreachable.iter().map(|n| n.index());
            ClaimDocument {
                property: Question::from(&claim.property),
                verdict: &claim.verdict,
                proof: claim.proof,
                unreachable: (claim.property == Property::ReachAll).then(|| dead.collect()),
            }
        };
        Body {
            schema: Schema::V1,
            file: &proofs.file,
            reading: &proofs.reading,
            asked: proofs.asked.iter().map(Question::from).collect(),
            claims: proofs.claims.iter().map(claim).collect(),
            proofs: OneByOne(&proofs.proofs),
            by_invariants: proofs
                .by_invariants
                .iter()
                .map(|claim| InvariantsDocument {
                    property: Question::from(&claim.property),
                    verdict: &claim.verdict,
                    invariants: &claim.invariants,
                    rounds: claim.rounds,
                })
                .collect(),
        }
    }
}

impl From<&Certificate> for Proof {
    fn from(certificate: &Certificate) -> Proof {
        fn numbers<'a, I: Id + 'a>(ids: impl IntoIterator<Item = &'a I>) -> Vec<usize> {
            ids.into_iter().map(|id| id.index()).collect()
        }
        let sets = &certificate.sets;
        let nodes = (0..sets.len()).filter_map(|i| sets.node(SetId::new(i + 2)));
        let repeat = certificate.repeat.as_ref().map(|repeat| {
            let marked = repeat.marked.iter().map(|marked| Marked {
                path: numbers(marked.path.iter()),
                summary: numbers(marked.summary.iter()),
            });
            let ranks = repeat.ranks.iter().map(|rank| RankDocument {
                mark: rank.mark,
                heads: rank.heads.iter().map(|(n, set)| (n.index(), set.index())).collect(),
            });
            Repeat { marked: marked.collect(), ranks: ranks.collect() }
        });
        Proof {
            sets: nodes
                .map(|node| {
                    let SetBit { area, index } = node.bit;
                    [area as usize, index as usize, node.lo.index(), node.hi.index()]
                })
                .collect(),
            path: numbers(certificate.path.iter()),
            procs: certificate
                .procs
                .iter()
                .map(|claim| (claim.summary.index(), numbers(&claim.unchanged)))
                .collect(),
            repeat,
        }
    }
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
    root.only(&[
        "schema",
        "file",
        "reading",
        "asked",
        "claims",
        "proofs",
        "by_invariants",
        "checksum",
    ])?;
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
    let by_invariants = match root.json.get("by_invariants") {
        None => Vec::new(),
        Some(_) => {
            let all = root.get("by_invariants")?.list()?;
            all.iter().map(proved_by).collect::<Result<_, _>>()?
        }
    };
    let out = Proofs {
        by_invariants,
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

fn proved_by(at: &At<'_>) -> Result<ProvedByInvariants, ReadError> {
    at.only(&["property", "verdict", "invariants", "rounds"])?;
    let rounds = match at.json.get("rounds") {
        None => None,
        Some(_) => Some(at.get("rounds")?.number()?),
    };
    Ok(ProvedByInvariants {
        rounds,
        property: asked_property(&at.get("property")?)?,
        verdict: at.get("verdict")?.text()?,
        invariants: Arc::new(crate::invariants::read(&at.get("invariants")?)?),
    })
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
