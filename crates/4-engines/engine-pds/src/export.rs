//! Certificates of repeat goals: those of reach goals, with marked runs and ranks.

use crate::repeat::{MarkedRuns, RankOf};
use crate::system::System;
use bdd::Bdd;
use check::{Certificate, MarkedClaim, Rank, RepeatClaim, StateSets};
use ir::{IndexVec, NodeId, ProcId};
use symbolic::Export;

impl System {
    /// A certificate with marked path edges and summaries for each mark, and ranks.
    pub(crate) fn repeat_certificate(
        &self,
        path: &IndexVec<NodeId, Bdd>,
        summaries: &IndexVec<ProcId, Bdd>,
        marked: &[MarkedRuns],
        ranks: &[RankOf],
    ) -> Certificate {
        let mut sets = StateSets::new();
        let mut export = Export::new(self, &mut sets);
        let (path, procs) = self.claims(&mut export, path, summaries);
        let marked = marked
            .iter()
            .map(|(path, summary)| MarkedClaim {
                path: export.sets(path),
                summary: export.sets(summary),
            })
            .collect();
        let ranks = ranks
            .iter()
            .map(|(mark, heads)| Rank {
                mark: *mark,
                heads: heads.iter().map(|&(n, z)| (n, export.set(z))).collect(),
            })
            .collect();
        Certificate { sets, path, procs, repeat: Some(RepeatClaim { marked, ranks }) }
    }
}
