//! An export of the running service, as the bytes of an answer: made while they are taken.

use actors::domain::Timestamp;
use actors::{Export, ExportError};
use bytes::Bytes;
use futures_util::stream::{Stream, try_unfold};

use super::write::{end, head, line, problem};

/// What comes next.
enum Next {
    Head(Timestamp),
    Records,
    Nothing,
}

/// Every line of an export, those of a step at once. An export that breaks off ends with the error, and has no last line;
/// one that is incomplete ends with a line for each problem in place of the last line.
pub(crate) fn stream(
    export: Export,
    exported_at: Timestamp,
) -> impl Stream<Item = Result<Bytes, ExportError>> + Send {
    try_unfold((export, Next::Head(exported_at)), |(mut export, next)| async move {
        let (text, next) = match next {
            Next::Head(at) => (head(at), Next::Records),
            Next::Nothing => return Ok(None),
            Next::Records => {
                let moved = export.next().await.inspect_err(|error| {
                    tracing::warn!(error = error as &dyn std::error::Error, "an export broke off");
                });
                match moved {
                    Ok(moved) if moved.is_empty() => (end(export.businesses()), Next::Nothing),
                    Ok(moved) => (moved.iter().map(line).collect(), Next::Records),
                    Err(ExportError::Incomplete(differences)) => {
                        // An error would cut off lines that are not sent yet.
                        (differences.listed.iter().map(problem).collect(), Next::Nothing)
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Some((Bytes::from(text), (export, next))))
    })
}
