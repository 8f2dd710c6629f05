//! The inputs of a handler in addition to its [`Context`](super::context::Context): query, body, business and
//! path ids. Each input type has a reader and a description for the API document.
//!
//! Invariants:
//! - A handler reads its inputs in the order of its arguments: first the inputs that are only parsed, then
//!   those that look up a record. Another order, two queries or two bodies do not compile.
//! - A request with a query that the handler does not take is refused. A change with a body that the handler
//!   does not take is refused too.

use std::ops::Deref;

use chrono::{Datelike, NaiveDate};
use domain::availability::BOOKABLE_YEARS;
use domain::{Named, ProblemCode, ResourceId};
use engine::BusinessHandle;
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::context::Incoming;
use super::error::ApiError;
use super::values::RecordId;
use crate::http::body::{self, CSV, JSON_LINES, Pieces};
use crate::http::cursor::Binding;
use crate::http::idempotency::IDEMPOTENCY_KEY;
use crate::http::json::Json;
use crate::http::problems::Problems;
use crate::http::query::{self, FromParameters, Parameters};
use crate::http::read::{self, FromJson, FromText};
use crate::http::schemas::Schemas;
use crate::tables::{self, FILE_BYTES_MAX, FilePermit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Query,
    Body,
    /// A part of the path, or the caller's business. Reading it can fail with a 404. It is read last, so that problems
    /// of the query and the body are reported before a 404.
    Path,
}

pub(crate) trait Input: Sized + Send {
    const PART: Part;

    fn read(incoming: &mut Incoming) -> impl Future<Output = Result<Self, ApiError>> + Send;

    /// Adds the input to the API document, if the document has a part for it.
    fn describe(_: &mut Taken, _: &mut Schemas) {}
}

#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) query: Vec<Value>,
    pub(crate) body: Option<TakenBody>,
    pub(crate) path: Vec<PathId>,
}

#[derive(Debug)]
pub(crate) struct TakenBody {
    pub(crate) required: bool,
    pub(crate) media_type: &'static str,
    pub(crate) schema: Value,
}

#[derive(Debug)]
pub(crate) struct PathId {
    pub(crate) name: &'static str,
    pub(crate) named: Named,
    /// Whether the parameter is a date instead of an id.
    pub(crate) is_date: bool,
}

pub(crate) struct Query<T>(pub(crate) T);

impl<T: FromParameters + JsonSchema + Send> Input for Query<T> {
    const PART: Part = Part::Query;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        parse_query(incoming).map(Self)
    }

    fn describe(taken: &mut Taken, schemas: &mut Schemas) {
        taken.query = schemas.parameters::<T>(T::NAMES);
    }
}

fn parse_query<T: FromParameters>(incoming: &Incoming) -> Result<T, ApiError> {
    let context = &incoming.context;
    Ok(query::parse(context.head.uri.query(), context.caller.reading.clone())?)
}

/// The parsed JSON body. An absent optional body is parsed as `null`.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: FromJson + Send> Input for Body<T> {
    const PART: Part = Part::Body;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let bytes = read_body(incoming).await?;
        let json = if bytes.is_empty() && !T::REQUIRED { Json::Null } else { Json::parse(&bytes)? };
        if incoming.context.headers().contains_key(IDEMPOTENCY_KEY) {
            incoming.context.canonical = json.canonical();
        }
        Ok(Self(read::from_json(&json, incoming.context.caller.reading.clone())?))
    }

    fn describe(taken: &mut Taken, schemas: &mut Schemas) {
        taken.body =
            Some(TakenBody { required: T::REQUIRED, media_type: body::JSON, schema: schemas.of::<T>() });
    }
}

pub(crate) async fn read_body(incoming: &mut Incoming) -> Result<bytes::Bytes, ApiError> {
    let body = std::mem::take(&mut incoming.body);
    Ok(body::read(incoming.context.headers(), body).await?)
}

/// A body of JSON lines. The handler reads it in pieces, so it has no size limit here.
pub(crate) struct Streamed(pub(crate) Pieces);

impl Input for Streamed {
    const PART: Part = Part::Body;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let body = std::mem::take(&mut incoming.body);
        Ok(Self(Pieces::of(incoming.context.headers(), body, JSON_LINES)?))
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        let schema = json!({"type": "string"});
        taken.body = Some(TakenBody { required: true, media_type: JSON_LINES, schema });
    }
}

/// A CSV file of a business. The permit bounds the number of files in memory.
pub(crate) struct CsvFile {
    pub(crate) bytes: bytes::Bytes,
    pub(crate) permit: FilePermit,
}

impl Input for CsvFile {
    const PART: Part = Part::Body;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let permit = tables::permit(incoming.context.business()?.id()).await?;
        let body = std::mem::take(&mut incoming.body);
        let headers = incoming.context.headers();
        Ok(Self { bytes: body::read_file(FILE_BYTES_MAX, CSV, headers, body).await?, permit })
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        let schema = json!({"type": "string"});
        taken.body = Some(TakenBody { required: true, media_type: CSV, schema });
    }
}

pub(crate) struct Business(BusinessHandle);

impl Business {
    /// The cursor binding of this list of the business, without filters.
    pub(crate) fn list(&self, name: &str) -> Binding {
        Binding::list(name).with(self.0.id().uuid().as_bytes())
    }
}

impl Deref for Business {
    type Target = BusinessHandle;

    fn deref(&self) -> &BusinessHandle {
        &self.0
    }
}

impl Input for Business {
    const PART: Part = Part::Path;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        incoming.context.business().cloned().map(Self)
    }
}

/// The id from the path. A malformed id gives 404, since no record has it.
pub(crate) struct Path<I>(pub(crate) I);

impl<I: RecordId> Input for Path<I> {
    const PART: Part = Part::Path;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let text = incoming.params.get(I::PARAMETER).unwrap_or_default();
        text.parse().map(Self).map_err(|_| I::NOT_FOUND.into())
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        taken.path.push(PathId { name: I::PARAMETER, named: I::NAMED, is_date: false });
    }
}

/// The local date in the path of a special day. A malformed date gives 400 and not 404, so that a person who mistyped
/// the date sees the reason.
pub(crate) struct PathDate(pub(crate) NaiveDate);

impl Input for PathDate {
    const PART: Part = Part::Path;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        match NaiveDate::from_text(incoming.params.get("date").unwrap_or_default()) {
            Ok(date) if BOOKABLE_YEARS.contains(&date.year()) => Ok(Self(date)),
            Ok(_) => {
                let years = ProblemCode::Years(*BOOKABLE_YEARS.start(), *BOOKABLE_YEARS.end());
                Err(ApiError::invalid("date", years))
            }
            Err(code) => Err(ApiError::invalid("date", code)),
        }
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        taken.path.push(PathId { name: "date", named: Named::SpecialDay, is_date: true });
    }
}

/// Refuses a query that the handler does not take, and malformed headers of a change.
pub(super) fn check_rest(incoming: &Incoming, parts: &[Part]) -> Result<(), ApiError> {
    if !parts.contains(&Part::Query) {
        let () = parse_query(incoming)?;
    }
    if incoming.context.only_reads() {
        return Ok(());
    }
    incoming.context.check_headers()
}

/// Refuses the body of a change if the handler does not take a body. The query is read first, so a request with a
/// wrong query is refused before its body arrives.
pub(super) async fn check_no_body(incoming: &mut Incoming, parts: &[Part]) -> Result<(), ApiError> {
    if incoming.context.only_reads() || parts.contains(&Part::Body) {
        return Ok(());
    }
    let bytes = read_body(incoming).await?;
    Ok(body::parse_none(&bytes)?)
}

impl FromParameters for () {
    const NAMES: &'static [&'static str] = &[];

    fn from_parameters(_: &Parameters, _: &mut Problems) -> Option<Self> {
        Some(())
    }
}

/// Whether the query and the body precede the path inputs, and there is at most one query and one body.
pub(super) const fn in_order(parts: &[Part]) -> bool {
    let (mut at, mut queries, mut bodies) = (0, 0, 0);
    while at < parts.len() {
        match parts[at] {
            Part::Path => {}
            _ if at > 0 && matches!(parts[at - 1], Part::Path) => return false,
            Part::Query => queries += 1,
            Part::Body => bodies += 1,
        }
        at += 1;
    }
    queries <= 1 && bodies <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_and_body_precede_the_path_and_occur_once() {
        use Part::{Body, Path, Query};
        for good in [&[][..], &[Path], &[Query, Path], &[Query, Body, Path, Path], &[Body, Query]] {
            assert!(in_order(good), "{good:?}");
        }
        for bad in
            [&[Path, Query][..], &[Query, Path, Body], &[Query, Query], &[Body, Path, Body], &[Body, Body]]
        {
            assert!(!in_order(bad), "{bad:?}");
        }
    }
}
