//! The dataflow: one operator in each worker, whose output is exchanged and fed back to it.
//!
//! Times are numbers: the phase in the high bits, the number of hops in the low ones. Feedback adds
//! one. Each worker holds a capability for the next phase; when nothing before that can arrive any
//! more, all workers have been quiet at once, and the phase is over. That is all that is asked of
//! progress tracking: nobody waits for hops.

use crate::board::Batch;
use crate::member::{Ended, Member};
use crate::run::Shared;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::worker::Worker;

/// From one phase to the next: more hops than a run can make.
const PHASE: u64 = 1 << 40;

/// Work before others are given their messages, and limits are looked at: some milliseconds.
const PORTION: usize = 1 << 16;

/// How a worker's part of the run ended, once the dataflow has: equations and operands are those of
/// all workers.
pub(crate) type Result = Rc<RefCell<Option<(Ended, u64, u64)>>>;

/// Puts the operator of a worker in place.
pub(crate) fn build(worker: &mut Worker, mut member: Member, shared: Arc<Shared>) -> Result {
    let result = Result::default();
    let out = result.clone();
    let me = member.board.partition.me;
    worker.dataflow::<u64, _, _>(|scope| {
        let (handle, stream) = scope.feedback::<Vec<Batch>>(1);
        let owner = Exchange::new(|batch: &Batch| u64::from(batch.0));
        let flow = stream.unary_frontier(owner, "member", move |capability, info| {
            let activator = scope.activator_for(info.address);
            activator.activate();
            let mut boundary = PHASE;
            let mut next = Some(capability.delayed(&boundary));
            let mut now: Option<Capability<u64>> = Some(capability);
            let mut begun = false;
            move |(input, frontier), output| {
                if !std::mem::replace(&mut begun, true) {
                    member.begin();
                }
                input.for_each(|time, batches| {
                    for (_, kind, words) in batches.drain(..) {
                        member.receive(kind, &words);
                    }
                    // The latest time serves for all answers: fewer times, less to keep track of.
                    if next.is_some() && now.as_ref().is_none_or(|now| now.time() < time.time()) {
                        now = Some(time.retain(0));
                    }
                });
                // Nothing left to do, here or elsewhere.
                if now.is_none()
                    && !frontier.less_than(&boundary)
                    && let Some(next) = &mut next
                {
                    now = Some(next.clone());
                    boundary += PHASE;
                    next.downgrade(&boundary);
                    member.quiet();
                }
                let more = member.work(PORTION);
                if let Some(now) = &now {
                    let mut session = output.session(now);
                    for batch in member.outgoing() {
                        session.give(batch);
                    }
                }
                shared.note(me, member.board.variables, member.board.dependencies, member.bytes());
                if !shared.go_on() {
                    // The run is torn down by the worker's loop.
                    return;
                }
                if let Some(ended) = &member.ended {
                    (now, next) = (None, None);
                    let ended = (ended.clone(), member.variables, member.dependencies);
                    *out.borrow_mut() = Some(ended);
                } else if more {
                    activator.activate();
                } else {
                    now = None;
                    // With one worker and nothing sent, no news of progress wakes this up.
                    if !frontier.less_than(&boundary) {
                        activator.activate();
                    }
                }
            }
        });
        flow.connect_loop(handle);
    });
    result
}
