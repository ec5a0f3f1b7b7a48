//! The strongly connected components of a head graph, with what their links can carry.

use crate::heads::HeadGraph;
use crate::meter::Meter;
use check::StopReason;
use ir::MarkSet;

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
    pub(crate) marks: MarkSet,
}

impl Components {
    pub(crate) fn new(graph: &HeadGraph, meter: &mut Meter) -> Result<Components, StopReason> {
        let size = graph.len();
        meter.reserve(graph::BYTES * size)?;
        let found = graph::try_components(size, 0..size, |vertex, i| {
            meter.tick()?;
            let links = graph.leaving(vertex as u32);
            let link = links.start + i;
            Ok((link < links.end).then(|| graph.links[link].to as usize))
        })?;
        let (count, of) = (found.len(), found.of);
        meter.release((graph::BYTES - size_of::<u32>()) * size);
        meter.reserve(count * size_of::<Inside>())?;
        let mut inside = vec![Inside::default(); count];
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
    pub(crate) fn accepting(&self, component: u32, mask: MarkSet) -> bool {
        let inside = self.inside[component as usize];
        inside.cycle && inside.marks & mask == mask
    }
}
