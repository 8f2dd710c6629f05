//! The response body of an export. It is produced while the client reads it.

use std::time::Duration;

use bytes::Bytes;
use domain::Timestamp;
use engine::counting::Difference;
use engine::moving::{Moved, MovedKind};
use engine::{Export, ExportError};
use futures_util::stream::{Stream, try_unfold};
use tokio::time::Instant;

use super::line::Written;
use super::records::written;
use super::{BUSINESS_END, END, FORMAT, PROBLEM, VERSION};

enum Next {
    Head(Timestamp),
    Records,
    Nothing,
}

/// An export fails if it has waited too long for its client. The limit on the total waiting time is `WAIT_MAX` plus one
/// second for every [`BYTES_A_SECOND`] bytes that were sent.
const WAIT_MAX: Duration = Duration::from_secs(60);
const BYTES_A_SECOND: u64 = 16 << 10;

struct Taken {
    export: Export,
    next: Next,
    bytes: u64,
    waited: Duration,
    /// The instant at which the connection took the last lines.
    handed: Instant,
}

/// The lines of an export. A complete export ends with the line from `end`. If the store lacks some records, the export
/// ends with lines that report the missing records instead. If the export fails or the client is too slow, the stream
/// ends with an error.
pub(crate) fn stream(
    export: Export,
    exported_at: Timestamp,
) -> impl Stream<Item = Result<Bytes, ExportError>> + Send {
    let next = Next::Head(exported_at);
    let taken = Taken { export, next, bytes: 0, waited: Duration::ZERO, handed: Instant::now() };
    try_unfold(taken, |mut taken| async move {
        let lines = taken.lines().await.inspect_err(|error| {
            tracing::warn!(error = error as &dyn std::error::Error, "an export was interrupted");
        });
        Ok(lines?.map(|lines| (lines, taken)))
    })
}

impl Taken {
    /// Returns the next lines, or `None` at the end.
    async fn lines(&mut self) -> Result<Option<Bytes>, ExportError> {
        self.waited += self.handed.elapsed();
        if self.waited > WAIT_MAX + Duration::from_secs(self.bytes / BYTES_A_SECOND) {
            return Err(ExportError::TooSlow);
        }
        let (text, next) = match &self.next {
            Next::Head(at) => (head(*at), Next::Records),
            Next::Nothing => return Ok(None),
            Next::Records => match self.export.next().await {
                Ok(moved) if moved.is_empty() => (end(self.export.businesses()), Next::Nothing),
                Ok(moved) => (moved.iter().map(line).collect(), Next::Records),
                // If records are missing, the last lines report them, and the stream ends without an error. If the
                // stream ended with an error, the connection would discard lines that are not sent yet.
                Err(ExportError::Incomplete(differences)) => {
                    (differences.listed.iter().map(problem).collect(), Next::Nothing)
                }
                Err(error) => return Err(error),
            },
        };
        self.next = next;
        self.bytes += text.len() as u64;
        self.handed = Instant::now();
        Ok(Some(Bytes::from(text)))
    }
}

pub(super) fn head(exported_at: Timestamp) -> String {
    Written::new("format", FORMAT).put("version", &VERSION).put("exported_at", &exported_at).end()
}

pub(super) fn end(businesses: u64) -> String {
    Written::new("kind", END).put("businesses", &businesses).end()
}

/// A line that reports missing records. An incomplete export ends with such lines instead of the usual last line.
fn problem(difference: &Difference) -> String {
    let Difference { business_id, kind, recorded, found } = difference;
    Written::new("kind", PROBLEM)
        .put("business_id", business_id)
        .put("records", kind)
        .put("recorded", recorded)
        .put("found", found)
        .end()
}

/// The line of a record, with the newline at its end.
pub(crate) fn line(moved: &Moved) -> String {
    let kind = moved.kind().map_or(BUSINESS_END, MovedKind::word);
    written(moved, Written::new("kind", kind)).end()
}

#[cfg(test)]
mod tests {
    use domain::Actor;
    use engine::Engine;
    use futures_util::StreamExt;
    use net::Ports;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_export_fails_if_the_client_reads_too_slowly() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(dir.path(), Ports::system().unwrap(), |_| {}).await.unwrap();
        for (pause, ends) in [(Duration::from_secs(50), true), (WAIT_MAX + Duration::from_secs(9), false)] {
            let export = engine.export(Actor::Operator, None, false).unwrap();
            let mut lines = std::pin::pin!(stream(export, engine.now()));
            lines.next().await.unwrap().unwrap();
            tokio::time::advance(pause).await;
            let next = lines.next().await.unwrap();
            assert_eq!(next.is_ok(), ends, "{next:?}");
        }
        engine.close().await.unwrap();
    }
}
