//! How a solver of the checker is ended.

use batsat::Callbacks;
use logic::StopFlag;

/// Ends a solver when a flag says so.
pub(crate) struct Watch(pub(crate) StopFlag);

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        (self.0)()
    }
}
