//! `/admin/v1/backup`: copies of the store while the service runs.

use actors::backup::{BackupState, Manifest};
use actors::domain::{BackupId, Refusal, Text};
use actors::view::{BackupBegunView, BackupManifestView, BackupView};

use crate::json_object;
use crate::rest::prelude::{Accepted, ApiError, Body, Context, One, Path, RecordId};

json_object! {
    /// Where a backup goes.
    pub(crate) struct BackupBody {
        /// The absolute path of a directory on the service's machine that is not there or empty.
        to: Text<1, 4096>,
    }
}

impl RecordId for BackupId {
    const PARAMETER: &'static str = "backup_id";
    const KIND: &'static str = "backup";
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<BackupBody>,
) -> Result<Accepted<BackupBegunView>, ApiError> {
    let id = context.engine.begin_backup(context.caller.actor, body.to.into_string().as_ref())?;
    Ok(Accepted(BackupBegunView { id }))
}

pub(super) async fn show(context: Context, Path(id): Path<BackupId>) -> Result<One<BackupView>, ApiError> {
    let state = context.engine.backup(id).ok_or(Refusal::NotFound(BackupId::KIND))?;
    Ok(One::of(&shown(state)))
}

fn shown(state: BackupState) -> BackupView {
    let (status, error, manifest) = match state.outcome {
        None => ("running", None, None),
        Some(Ok(manifest)) => ("done", None, Some(manifest)),
        Some(Err(error)) => ("failed", Some(error), None),
    };
    BackupView {
        id: state.id,
        status,
        to: state.to.display().to_string(),
        rows: state.rows,
        bytes: state.bytes,
        started_at: state.started_at,
        ended_at: state.ended_at,
        error,
        manifest: manifest.map(|manifest| manifest_shown(&manifest)),
    }
}

fn manifest_shown(manifest: &Manifest) -> BackupManifestView {
    BackupManifestView {
        format: manifest.format,
        version: manifest.version.clone(),
        sequence: manifest.sequence,
        taken_at: manifest.taken_at.clone(),
        rows: manifest.rows,
        bytes: manifest.bytes,
        chunks: manifest.chunks.len(),
        sha256: manifest.sha256(),
    }
}
