//! Offenders: tasks that go on beside the measurement of a victim.

use tokio::task::JoinSet;

use crate::error::Result;

/// Tasks that never end by themselves.
#[derive(Default)]
pub(super) struct Offenders(JoinSet<Result<()>>);

impl Offenders {
    /// Lets another one begin.
    pub(super) fn add(&mut self, offender: impl Future<Output = Result<()>> + Send + 'static) {
        self.0.spawn(offender);
    }

    /// Measures the victim while they go on; they end with it. One that ends before has failed.
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
