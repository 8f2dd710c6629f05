//! Export and import of businesses by the running service.

use axum::body::Body;
use bytes::Bytes;
use domain::{BusinessId, Problem, Refusal, ResourceId};
use engine::Engine;
use engine::moving::{Import, ImportOptions, Wrong};
use sha2::{Digest, Sha256};
use view::ImportedView;

use crate::http::body::Pieces;
use crate::moving::{Taking, place, stream};
use crate::query_object;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::*;

query_object! {
    /// The options of an export.
    pub(crate) struct ExportQuery {
        /// Whether the export contains the webhook endpoints with their signing secrets. The default is false.
        with_secrets: Option<bool> = false,
    }
}

pub(super) async fn export_all(
    context: Context,
    Query(query): Query<ExportQuery>,
) -> Result<Lines, ApiError> {
    lines(&context, None, &query)
}

pub(super) async fn export(
    context: Context,
    Query(query): Query<ExportQuery>,
    business: Business,
) -> Result<Lines, ApiError> {
    lines(&context, Some(business.id()), &query)
}

fn lines(context: &Context, one: Option<BusinessId>, query: &ExportQuery) -> Result<Lines, ApiError> {
    let export = context.engine.export(context.caller.actor, one, query.with_secrets.unwrap_or_default())?;
    tracing::info!(business.id = one.map(|id| tracing::field::display(id.uuid())), "an export begins");
    Ok(Lines(Body::from_stream(stream(export, context.engine.now()))))
}

query_object! {
    /// The options of an import.
    pub(crate) struct ImportQuery {
        /// Whether the service only checks the lines and changes nothing. The default is false.
        dry_run: Option<bool> = false,
        /// Whether to skip the contacts that were erased in this service, and to remove their data from the
        /// other records. The default is false.
        erase_again: Option<bool> = false,
    }
}

pub(super) async fn import(
    context: Context,
    Query(query): Query<ImportQuery>,
    Streamed(mut body): Streamed,
) -> Result<Done<ImportedView>, ApiError> {
    let engine = &context.engine;
    let once = context.idempotency_key()?.map(|key| engine.import_once(key)).transpose()?;
    if once.as_ref().is_some_and(engine::Once::is_known) {
        let mut digest = Sha256::new();
        while let Some(piece) = next(engine, &mut body).await? {
            digest.update(&piece);
        }
        if let Some(asked) = context.idempotency_by(&digest.finalize())?
            && let Some(answer) = engine.imported_before(asked).await?
        {
            return Ok(Done::answer_to(answer));
        }
        // The stored response expired while the body was read. The service has kept only the hash of the body, so it
        // cannot import the body now. The client must send the request again.
        return Err(ApiError::Unavailable);
    }
    let dry_run = query.dry_run.unwrap_or_default();
    let options = ImportOptions { erase_again: query.erase_again.unwrap_or_default() };
    let mut import = engine.import(options)?;
    tracing::info!(dry_run, "an import begins");
    let (mut taking, mut digest) = (Taking::default(), Sha256::new());
    let taken = take(engine, &mut import, &mut taking, &mut body, &mut digest).await;
    if matches!(taken, Err(ApiError::Unavailable)) {
        // The service is stopping, so the response does not wait until the imported rows are removed.
        drop(import);
        return Err(ApiError::Unavailable);
    }
    let exported_at = taking.exported_at.filter(|_| taken.is_ok() && taking.wrong.is_empty());
    let Some(exported_at) = exported_at else {
        import.take_back().await?;
        taken?;
        tracing::info!(problems = taking.wrong.len(), "an import was refused");
        let problem = |wrong: &Wrong| Problem::new(place(wrong), wrong.problem.code.clone());
        return Err(Refusal::Invalid(taking.wrong.iter().map(problem).collect()).into());
    };
    let (businesses, records) = import.count();
    let mut imported = ImportedView { businesses, records, exported_at, dry_run, lost_slugs: Vec::new() };
    if dry_run {
        imported.lost_slugs = import.lost_slugs().await?;
        import.take_back().await?;
        return Ok(Done::of(imported));
    }
    let asked = context.idempotency_by(&digest.finalize())?;
    Ok(Done::answer_to(import.finish(imported, context.caller.actor, asked).await?))
}

async fn next(engine: &Engine, body: &mut Pieces) -> Result<Option<Bytes>, ApiError> {
    tokio::select! {
        biased;
        () = engine.imports_end() => Err(ApiError::Unavailable),
        piece = body.next() => Ok(piece?),
    }
}

/// Imports the lines of the body. Stops early after a problem that makes the following lines useless.
async fn take(
    engine: &Engine,
    import: &mut Import,
    taking: &mut Taking,
    body: &mut Pieces,
    digest: &mut Sha256,
) -> Result<(), ApiError> {
    let mut lines = crate::moving::Lines::default();
    while let Some(piece) = next(engine, body).await? {
        digest.update(&piece);
        lines.push(&piece);
        while let Some(line) = lines.next() {
            if !taking.line(import, &line).await? {
                return Ok(());
            }
            import.rest().await?;
        }
    }
    if let Some(line) = lines.rest()
        && !taking.line(import, &line).await?
    {
        return Ok(());
    }
    taking.end();
    Ok(())
}
