//! Strongly connected components by Tarjan's algorithm, without recursion.

use crate::heads::HeadGraph;
use crate::meter::Meter;
use check::StopReason;

/// The components of a head graph, numbered such that no link leads to a higher number.
pub(crate) struct Components {
    /// By vertex.
    pub(crate) of: Vec<u32>,
    /// By component: whether some link stays inside it, and which marks those links can carry.
    pub(crate) inside: Vec<Inside>,
}

/// What the links inside a component are like.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Inside {
    pub(crate) cycle: bool,
    pub(crate) marks: u64,
}

impl Components {
    pub(crate) fn new(graph: &HeadGraph, meter: &mut Meter) -> Result<Components, StopReason> {
        const UNSEEN: u32 = u32::MAX;
        let size = graph.len();
        meter.reserve(3 * size * size_of::<u32>())?;
        // `low` is the least index known to be reachable among vertices that are still open.
        let (mut index, mut low) = (vec![UNSEEN; size], vec![0u32; size]);
        let mut of = vec![UNSEEN; size];
        let mut open: Vec<u32> = Vec::new();
        // The vertices on the way down, with the next link to look at.
        let mut way: Vec<(u32, usize)> = Vec::new();
        let (mut next, mut count) = (0u32, 0u32);
        for root in 0..size as u32 {
            if index[root as usize] != UNSEEN {
                continue;
            }
            meter.push(&mut way, (root, graph.leaving(root).start))?;
            while let Some(&mut (vertex, ref mut link)) = way.last_mut() {
                meter.tick()?;
                let v = vertex as usize;
                if index[v] == UNSEEN {
                    (index[v], low[v]) = (next, next);
                    next += 1;
                    meter.push(&mut open, vertex)?;
                }
                if *link < graph.leaving(vertex).end {
                    let to = graph.links[*link].to;
                    *link += 1;
                    if index[to as usize] == UNSEEN {
                        meter.push(&mut way, (to, graph.leaving(to).start))?;
                    } else if of[to as usize] == UNSEEN {
                        low[v] = low[v].min(index[to as usize]);
                    }
                    continue;
                }
                way.pop();
                if let Some(&(parent, _)) = way.last() {
                    low[parent as usize] = low[parent as usize].min(low[v]);
                }
                if low[v] == index[v] {
                    while let Some(member) = open.pop() {
                        of[member as usize] = count;
                        if member == vertex {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        meter.release(2 * size * size_of::<u32>());
        meter.release(open.capacity() * size_of::<u32>());
        meter.release(way.capacity() * size_of::<(u32, usize)>());
        meter.reserve(count as usize * size_of::<Inside>())?;
        let mut inside = vec![Inside::default(); count as usize];
        for vertex in 0..size as u32 {
            let component = of[vertex as usize];
            for link in &graph.links[graph.leaving(vertex)] {
                if of[link.to as usize] == component {
                    let inside = &mut inside[component as usize];
                    inside.cycle = true;
                    inside.marks |= link.marks;
                }
            }
        }
        Ok(Components { of, inside })
    }

    /// Whether a run can stay in the component for ever and carry each of the marks in `mask`
    /// again and again.
    pub(crate) fn accepting(&self, component: u32, mask: u64) -> bool {
        let inside = self.inside[component as usize];
        inside.cycle && inside.marks & mask == mask
    }
}
