//! What a handler takes beside its [`Context`](super::context::Context): its query, its body, the business, the ids
//! in its path. Each knows how it is read and how it is described.
//!
//! What always holds: inputs are read in the order of a handler's arguments, and syntax is told before what is named; a
//! handler with its arguments in another order, with two queries or with two bodies does not compile. What a handler
//! does not take may not be there: a query where it takes none is refused, and so is the body of a change that takes
//! none.

use std::ops::Deref;

use chrono::{Datelike, NaiveDate};
use domain::availability::BOOKABLE_YEARS;
use domain::{ProblemCode, ResourceId};
use engine::BusinessHandle;
use schemars::JsonSchema;
use serde_json::{Value, json};

use super::context::Incoming;
use super::error::ApiError;
use super::values::RecordId;
use crate::http::body::{self, JSON_LINES, Pieces};
use crate::http::cursor::Binding;
use crate::http::idempotency::IDEMPOTENCY_KEY;
use crate::http::json::Json;
use crate::http::problems::Problems;
use crate::http::query::{self, FromParameters, Parameters};
use crate::http::read::{self, FromJson, FromText};
use crate::http::schemas::Schemas;

/// When an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// First what can be told from the request alone.
    Syntax,
    /// Then what it names.
    Named,
}

/// Which part of a request an input is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The query string, whole.
    Query,
    /// The body, whole.
    Body,
    /// The path, or who asks.
    Path,
}

impl Part {
    /// When it is read.
    const fn stage(self) -> Stage {
        match self {
            Self::Query | Self::Body => Stage::Syntax,
            Self::Path => Stage::Named,
        }
    }
}

/// Something that a handler takes.
pub(crate) trait Input: Sized + Send {
    /// What it is read from.
    const PART: Part;

    /// Reads it.
    fn read(incoming: &mut Incoming) -> impl Future<Output = Result<Self, ApiError>> + Send;

    /// Tells the document of it.
    fn describe(taken: &mut Taken, schemas: &mut Schemas);
}

/// What a handler takes, as the document tells of it.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// The parameters of the query.
    pub(crate) query: Vec<Value>,
    /// The body.
    pub(crate) body: Option<TakenBody>,
    /// The ids in the path.
    pub(crate) path: Vec<PathId>,
}

/// A body as the document tells of it.
#[derive(Debug)]
pub(crate) struct TakenBody {
    pub(crate) required: bool,
    pub(crate) media_type: &'static str,
    pub(crate) schema: Value,
}

/// An id in a path as the document tells of it.
#[derive(Debug)]
pub(crate) struct PathId {
    /// The parameter of the path.
    pub(crate) name: &'static str,
    /// What it is an id of, in words.
    pub(crate) kind: &'static str,
    /// What the parameter is of that.
    pub(crate) form: PathForm,
}

/// What names a record in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathForm {
    /// Its id, a UUID.
    Id,
    /// Its local date.
    Date,
}

/// The query string, read whole.
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

/// The JSON body, read whole; where none is required, an absent one is read as `null`.
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

/// A body of lines of JSON, which the handler reads as they come, however many they are.
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

/// The business that the request acts on.
pub(crate) struct Business(BusinessHandle);

impl Business {
    /// What a cursor of this list of the business is tied to, its filters to be added.
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

    fn describe(_: &mut Taken, _: &mut Schemas) {}
}

/// The id in the path under the name that ids of this type have. A malformed one names nothing, so it is not found.
pub(crate) struct Path<I>(pub(crate) I);

impl<I: RecordId> Input for Path<I> {
    const PART: Part = Part::Path;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let text = incoming.params.get(I::PARAMETER).unwrap_or_default();
        text.parse().map(Self).map_err(|_| I::NOT_FOUND.into())
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        taken.path.push(PathId { name: I::PARAMETER, kind: I::KIND, form: PathForm::Id });
    }
}

/// The local date in the path that names a special day. People write dates themselves, so a malformed one is told.
pub(crate) struct PathDate(pub(crate) NaiveDate);

impl Input for PathDate {
    const PART: Part = Part::Path;

    async fn read(incoming: &mut Incoming) -> Result<Self, ApiError> {
        let date = NaiveDate::from_text(incoming.params.get("date").unwrap_or_default());
        let date = date.map_err(|message| ApiError::invalid("date", message))?;
        if !BOOKABLE_YEARS.contains(&date.year()) {
            let (first, last) = (BOOKABLE_YEARS.start(), BOOKABLE_YEARS.end());
            return Err(ApiError::invalid("date", ProblemCode::Years(*first, *last)));
        }
        Ok(Self(date))
    }

    fn describe(taken: &mut Taken, _: &mut Schemas) {
        taken.path.push(PathId { name: "date", kind: "special day", form: PathForm::Date });
    }
}

/// Makes sure that a request has no query, or no body, where its handler takes none, and that the headers of a change
/// are well-formed: that is told before what a path names.
pub(super) async fn check_rest(incoming: &mut Incoming, parts: &[Part]) -> Result<(), ApiError> {
    if !parts.contains(&Part::Query) {
        let NoQuery = parse_query(incoming)?;
    }
    if incoming.context.only_reads() {
        return Ok(());
    }
    incoming.context.check_headers()?;
    if !parts.contains(&Part::Body) {
        let bytes = read_body(incoming).await?;
        body::parse_none(&bytes)?;
    }
    Ok(())
}

/// The parameters of a handler that takes none.
struct NoQuery;

impl FromParameters for NoQuery {
    const NAMES: &'static [&'static str] = &[];

    fn from_parameters(_: &Parameters, _: &mut Problems) -> Option<Self> {
        Some(Self)
    }
}

/// Whether a handler can take these, in this order: each in its stage, and what is read whole only once.
pub(super) const fn in_order(parts: &[Part]) -> bool {
    let (mut at, mut queries, mut bodies) = (0, 0, 0);
    while at < parts.len() {
        if at > 0 && (parts[at].stage() as u8) < (parts[at - 1].stage() as u8) {
            return false;
        }
        match parts[at] {
            Part::Query => queries += 1,
            Part::Body => bodies += 1,
            Part::Path => {}
        }
        at += 1;
    }
    queries <= 1 && bodies <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_is_told_before_what_is_named_and_nothing_is_read_twice() {
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
