//! `/admin/v1/backup` makes backups of the running store.

use domain::{BackupId, Named, Text};
use engine::backup::{BackupState, Manifest};
use engine::counting::Difference;
use view::{BackupBegunView, BackupManifestView, BackupProblemView, BackupView};

use crate::rest::prelude::*;
use crate::{english, json_object};

json_object! {
    /// The destination of a backup.
    pub(crate) struct BackupBody {
        /// The absolute path of a directory on the service's machine; if it exists, it must be empty.
        to: Text<1, 4096>,
    }
}

impl RecordId for BackupId {
    const PARAMETER: &'static str = "backup_id";
    const NAMED: Named = Named::Backup;
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<BackupBody>,
) -> Result<Accepted<BackupBegunView>, ApiError> {
    let id = context.engine.begin_backup(context.caller.actor, body.to.into_string().as_ref())?;
    Ok(Accepted::of(BackupBegunView { id }))
}

pub(super) async fn show(context: Context, Path(id): Path<BackupId>) -> Result<One<BackupView>, ApiError> {
    let state = context.engine.backup(id).ok_or(BackupId::NOT_FOUND)?;
    Ok(One::of(&shown(state)))
}

fn shown(state: BackupState) -> BackupView {
    let (status, error, manifest) = match state.outcome {
        None => ("running", None, None),
        Some(Ok(manifest)) if manifest.is_complete() => ("done", None, Some(manifest)),
        Some(Ok(manifest)) => ("incomplete", None, Some(manifest)),
        Some(Err(failure)) => ("failed", Some(english::backup_failure(failure)), None),
    };
    let problems = manifest.as_ref().map(Manifest::differences).filter(|problems| problems.count > 0);
    let problem = |Difference { business_id, kind, recorded, found }| BackupProblemView {
        business_id,
        kind,
        recorded,
        found,
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
        problem_count: problems.as_ref().map(|problems| problems.count),
        problems: problems.map(|problems| problems.listed.into_iter().map(problem).collect()),
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
