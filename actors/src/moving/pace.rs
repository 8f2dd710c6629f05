//! How fast an import goes on beside everything else.
//!
//! What always holds: behind each turn others have theirs, for as long as it took; where nobody else is there it goes on at
//! once.

use std::time::Duration;

use tokio::time::Instant;

use super::record::MoveError;

/// For how long an import reads and checks before others have their turn.
const TURN_MAX: Duration = Duration::from_millis(2);
/// The longest rest behind a turn; usually as long as it took, so that an import takes half of one core at most.
const REST_MAX: Duration = Duration::from_millis(100);

/// What says whether an import goes on.
type GoesOn = Box<dyn Fn() -> Result<(), MoveError> + Send + Sync>;

/// The turns of an import and the rests between them.
pub(crate) struct Pace {
    /// Nothing where nobody else is there.
    beside: Option<GoesOn>,
    /// Whether a rest takes no time, only others' turns.
    is_simulated: bool,
    turn_began: Instant,
}

impl Pace {
    /// That of an import that nothing else goes on beside.
    pub(super) fn alone() -> Self {
        Self { beside: None, is_simulated: false, turn_began: Instant::now() }
    }

    /// That of one beside others, as long as somebody says that it goes on.
    pub(crate) fn beside(
        is_simulated: bool,
        goes_on: impl Fn() -> Result<(), MoveError> + Send + Sync + 'static,
    ) -> Self {
        Self { beside: Some(Box::new(goes_on)), is_simulated, turn_began: Instant::now() }
    }

    /// Gives others their turn, where this one has lasted long enough.
    pub(super) async fn rest(&mut self) -> Result<(), MoveError> {
        let Some(goes_on) = &self.beside else { return Ok(()) };
        goes_on()?;
        let took = self.turn_began.elapsed();
        if self.is_simulated {
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
