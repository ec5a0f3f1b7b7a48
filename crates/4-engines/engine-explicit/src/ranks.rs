//! Ranks of heads: why no run carries every mark again and again (rules C8 and C9 of
//! [`check::RepeatClaim`]).
//!
//! Rank `r` stands for mark `r` modulo the number of marks. A component of the head graph gets the
//! least rank that is not below any it leads to, and whose mark is carried neither inside it nor
//! on the way to a component of the same rank. Components in reverse topological order, one after
//! the other: so many components share a rank, and there are few ranks.

use crate::components::Components;
use crate::heads::HeadGraph;
use crate::meter::Meter;
use check::StopReason;
use ir::MarkSet;

/// By vertex, its rank. No component may be accepting, and there must be a mark.
pub(crate) fn ranks(
    graph: &HeadGraph,
    components: &Components,
    marks: u32,
    meter: &mut Meter,
) -> Result<Vec<u64>, StopReason> {
    let (size, count) = (graph.len(), components.inside.len());
    meter.reserve(size * (size_of::<u32>() + size_of::<u64>()) + count * size_of::<u64>())?;
    let mut order: Vec<u32> = (0..size as u32).collect();
    order.sort_unstable_by_key(|&v| (components.of[v as usize], v));
    let mut rank = vec![0u64; count];
    for members in order.chunk_by(|&v, &w| components.of[v as usize] == components.of[w as usize]) {
        let component = components.of[members[0] as usize];
        // The highest rank below, and the marks on the way there.
        let (mut highest, mut carried) = (0, 0);
        for &vertex in members {
            for link in &graph.links[graph.leaving(vertex)] {
                meter.tick()?;
                let below = components.of[link.to as usize];
                if below == component {
                    continue;
                }
                let below = rank[below as usize];
                if below > highest {
                    (highest, carried) = (below, 0);
                }
                if below == highest {
                    carried |= link.marks;
                }
            }
        }
        let inside = components.inside[component as usize].marks;
        let free = |rank: u64, carried: MarkSet| carried >> (rank % marks as u64) & 1 == 0;
        rank[component as usize] = if free(highest, inside | carried) {
            highest
        } else {
            let above = (highest + 1..=highest + marks as u64).find(|&r| free(r, inside));
            above.ok_or_else(|| StopReason::Internal {
                what: "explicit engine: an accepting component has no rank".to_owned(),
            })?
        };
    }
    Ok(components.of.iter().map(|&c| rank[c as usize]).collect())
}
