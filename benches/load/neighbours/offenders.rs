//! Offenders: tasks that run while a victim is measured.

use tokio::task::JoinSet;

use crate::error::Result;

/// The running tasks. They never end on their own.
#[derive(Default)]
pub(super) struct Offenders(JoinSet<Result<()>>);

impl Offenders {
    pub(super) fn add(&mut self, offender: impl Future<Output = Result<()>> + Send + 'static) {
        self.0.spawn(offender);
    }

    /// Measures the victim while the tasks run, and stops the tasks afterwards. Returns an error if a task ends
    /// before the measurement.
    pub(super) async fn beside<T>(mut self, victim: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            measured = victim => measured,
            Some(ended) = self.0.join_next() => match ended? {
                Ok(()) => Err("an offender ended early".into()),
                Err(error) => Err(format!("an offender failed: {error}").into()),
            },
        }
    }
}
