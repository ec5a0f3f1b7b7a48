//! Mark and sweep, at points that the caller chooses.
//!
//! There are no reference counts: they would cost every operation, and forgetting a root is
//! the caller's mistake under either scheme. In exchange, all handles in use must be known.

use crate::edge::Bdd;
use crate::manager::Manager;

impl Manager {
    /// Whether a collection is due. Ask at safe points.
    ///
    /// Due when the nodes have grown by half since the last collection and passed
    /// [`Config::collect_at`](crate::Config::collect_at), or have taken half of what the last
    /// collection left below the node limit, or an operation has run out of room.
    #[must_use]
    pub fn want_gc(&self) -> bool {
        let nodes = self.table.len();
        let grown = nodes > (self.survivors + self.survivors / 2).max(self.collect_at);
        let near_limit =
            nodes > self.survivors + self.table.limit().saturating_sub(self.survivors) / 2;
        grown || near_limit || self.starved
    }

    /// Frees every node that no root contains. Handles that are neither roots nor parts of
    /// one are stale afterwards. What the computed table knows about surviving nodes survives.
    pub fn gc(&mut self, roots: impl IntoIterator<Item = Bdd>) {
        self.peak = self.peak_nodes();
        let alive = self.table.mark(roots);
        self.table.sweep(&alive);
        self.computed.retain(&alive);
        self.survivors = self.table.len();
        self.starved = false;
        self.collections += 1;
    }
}
