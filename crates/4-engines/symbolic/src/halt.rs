//! Running out: of diagrams, of the budget, of stack.

use crate::slots::Copies;
use bdd::{Gate, Stop};
use check::{Budget, StopReason};
use ir::Program;

/// Why an engine had to stop.
#[derive(Debug)]
pub enum Halt {
    /// The diagrams outgrew their limits, or their gate was closed.
    Diagrams(Stop),
    /// The budget is spent, or something else is known to stand in the way.
    Budget(StopReason),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Diagrams(stop)
    }
}

impl From<StopReason> for Halt {
    fn from(reason: StopReason) -> Halt {
        Halt::Budget(reason)
    }
}

impl Halt {
    /// What cannot be, was.
    pub fn internal(what: &str) -> Halt {
        Halt::Budget(StopReason::Internal { what: what.to_owned() })
    }

    /// Whether it is a bug.
    pub fn is_internal(&self) -> bool {
        matches!(self, Halt::Budget(StopReason::Internal { .. }))
    }

    /// The reason as the answer gives it.
    pub fn reason(self, budget: &Budget) -> StopReason {
        match self {
            Halt::Budget(reason) => reason,
            Halt::Diagrams(Stop::Interrupted) => {
                budget.poll().err().unwrap_or(StopReason::Cancelled)
            }
            Halt::Diagrams(Stop::Nodes) => {
                // The limit given, or the 2^27 nodes of 16 bytes that a manager can hold.
                let limit = budget.own_memory().or(budget.limits().memory);
                StopReason::Memory { limit: limit.unwrap_or(1 << 31) }
            }
        }
    }
}

/// Closes the diagrams' gate when the budget is spent.
pub struct BudgetGate(pub Budget);

impl Gate for BudgetGate {
    fn poll(&mut self) -> bool {
        self.0.poll().is_ok()
    }
    fn may_grow(&mut self, bytes: usize) -> bool {
        self.0.reserve(bytes as u64).is_ok()
    }
}

/// Diagram operations recurse over levels: `body` gets a stack to match.
pub fn on_large_stack<T: Send>(
    program: &Program,
    copies: Copies,
    body: impl FnOnce() -> Result<T, StopReason> + Send,
) -> Result<T, StopReason> {
    let stack = bdd::stack_bytes(copies.levels(program) + 64) + (1 << 20);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, body);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let what = format!("no thread for the diagrams: {error}");
                Err(StopReason::Unsupported { what })
            }
        }
    })
}
