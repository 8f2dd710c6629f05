//! The pace of an import.
//!
//! Invariant: after each turn, the import pauses for as long as the turn took.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::service::Moving;
use crate::error::EngineError;

/// The duration of a turn, after which an import pauses.
const TURN_MAX: Duration = Duration::from_millis(2);
/// The longest pause. A pause usually takes as long as the turn, so an import uses at most half of one core.
const REST_MAX: Duration = Duration::from_millis(100);

pub(super) struct Pace {
    moving: Arc<Moving>,
    turn_began: Instant,
}

impl Pace {
    pub(super) fn new(moving: Arc<Moving>) -> Self {
        Self { moving, turn_began: Instant::now() }
    }

    /// Pauses if the turn has lasted [`TURN_MAX`]. In a simulation, a pause takes no time.
    ///
    /// # Errors
    /// [`EngineError::Stopping`] when the engine is closing.
    pub(super) async fn rest(&mut self) -> Result<(), EngineError> {
        self.moving.check_imports()?;
        let took = self.turn_began.elapsed();
        if self.moving.shared.store.is_simulated() {
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
