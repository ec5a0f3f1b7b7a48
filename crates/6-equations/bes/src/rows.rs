//! Graphs in compressed rows.

/// No vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// A graph in compressed rows.
#[derive(Clone, Default)]
pub(crate) struct Rows {
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
}

impl Rows {
    pub(crate) fn row(&self, v: u32) -> &[u32] {
        let (from, to) = (self.offsets[v as usize], self.offsets[v as usize + 1]);
        &self.targets[from as usize..to as usize]
    }

    /// Rows from pairs `(row, target)`, kept in their order within a row.
    pub(crate) fn from_edges(n: usize, edges: &[(u32, u32)]) -> Rows {
        let mut offsets = vec![0u32; n + 1];
        for &(x, _) in edges {
            offsets[x as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; edges.len()];
        for &(x, y) in edges {
            targets[next[x as usize] as usize] = y;
            next[x as usize] += 1;
        }
        Rows { offsets, targets }
    }

    /// The same edges, the other way round.
    pub(crate) fn reversed(&self) -> Rows {
        let n = self.offsets.len() - 1;
        let mut offsets = vec![0u32; n + 1];
        for &y in &self.targets {
            offsets[y as usize + 1] += 1;
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut targets = vec![0u32; self.targets.len()];
        // `offsets[y]` serves as the cursor of row `y` and ends at the start of row `y + 1`.
        for x in 0..n {
            for &y in self.row(x as u32) {
                let at = &mut offsets[y as usize];
                targets[*at as usize] = x as u32;
                *at += 1;
            }
        }
        offsets.rotate_right(1);
        offsets[0] = 0;
        Rows { offsets, targets }
    }
}
