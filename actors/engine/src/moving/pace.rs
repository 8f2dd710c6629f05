//! How fast an import goes on beside everything else.
//!
//! What always holds: behind each turn others have theirs, for as long as it took.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::EngineError;
use crate::shared::Shared;

/// For how long an import reads and checks before others have their turn.
const TURN_MAX: Duration = Duration::from_millis(2);
/// The longest rest behind a turn; usually as long as it took, so that an import takes half of one core at most.
const REST_MAX: Duration = Duration::from_millis(100);

/// The turns of an import and the rests between them.
pub(super) struct Pace {
    shared: Arc<Shared>,
    turn_began: Instant,
}

impl Pace {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, turn_began: Instant::now() }
    }

    /// Gives others their turn, where this one has lasted long enough. In a simulation a rest takes no time.
    ///
    /// # Errors
    /// [`EngineError::Stopping`] when the engine takes no more of the import.
    pub(super) async fn rest(&mut self) -> Result<(), EngineError> {
        self.shared.check_imports()?;
        let took = self.turn_began.elapsed();
        if self.shared.store.is_simulated() {
            tokio::task::yield_now().await;
        } else if took > TURN_MAX {
            tokio::time::sleep(took.min(REST_MAX)).await;
        } else {
            return Ok(());
        }
        self.turn_began = Instant::now();
        Ok(())
    }
}
