//! What a handler gives. Each knows how it is answered and how it is described.
//!
//! What always holds: a resource has an entity tag, and nothing else has; the answer to a change is of the kind that
//! the handler's signature says.

use std::borrow::Cow;
use std::marker::PhantomData;

use actors::business::{Answer, AnswerStatus};
use actors::view;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::error::ApiError;
use crate::http::envelope;
use crate::http::etag::Condition;
use crate::http::idempotency::IDEMPOTENT_REPLAYED;
use crate::http::schemas::Schemas;

/// Something that a handler gives.
pub(crate) trait Output: Send {
    /// How it is answered.
    const KIND: Kind;

    /// What it shows, if anything.
    fn shows(schemas: &mut Schemas) -> Option<Shown>;

    /// The answer to the request with this head.
    fn answer(self, head: &Parts) -> Result<Response, ApiError>;
}

/// What an answer shows, as the document tells of it.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The name of what it shows, or of which it shows a page.
    pub(crate) name: Cow<'static, str>,
    /// The whole body.
    pub(crate) body: Value,
}

impl Shown {
    fn one<V: JsonSchema>(schemas: &mut Schemas) -> Self {
        Self { name: V::schema_name(), body: schemas.of::<envelope::Answer<V>>() }
    }

    fn page<V: JsonSchema>(schemas: &mut Schemas) -> Self {
        Self { name: V::schema_name(), body: schemas.of::<envelope::Page<'_, V>>() }
    }
}

/// How a request is answered when all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// 200 with a resource and its tag.
    One,
    /// 201 with a new resource and its tag.
    Created,
    /// 200 with a page of a list.
    Page,
    /// 200 with something that is no resource and has no tag.
    Plain,
    /// 202 with what will be done.
    Accepted,
    /// 204.
    Gone,
}

/// A resource that is rendered.
struct Resource {
    rendered: Bytes,
    /// The resource alone, of which the tag is, where more is rendered.
    alone: Option<Vec<u8>>,
    replayed: bool,
}

impl Resource {
    fn rendered<V: Serialize>(resource: &V) -> Self {
        Self { rendered: view::render(resource).into(), alone: None, replayed: false }
    }

    fn changed(answer: Answer, expected: AnswerStatus) -> Result<Self, ApiError> {
        check(&answer, expected)?;
        Ok(Self { rendered: answer.body, alone: None, replayed: answer.replayed })
    }

    fn answer(&self, status: StatusCode) -> Response {
        let alone = self.alone.as_deref().unwrap_or(&self.rendered);
        with_replayed(envelope::resource(status, &self.rendered, alone), self.replayed)
    }
}

/// A change that is answered in another way than its handler says is a fault of ours.
fn check(answer: &Answer, expected: AnswerStatus) -> Result<(), ApiError> {
    if answer.status == expected {
        Ok(())
    } else {
        Err(ApiError::internal(format!("a change was answered as {:?}, not as {expected:?}", answer.status)))
    }
}

fn with_replayed(mut response: Response, replayed: bool) -> Response {
    if replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// One resource. Where it was asked for and the client has this version already, that is said instead.
pub(crate) struct One<V> {
    resource: Resource,
    shows: PhantomData<fn() -> V>,
}

impl<V: Serialize> One<V> {
    /// This resource.
    pub(crate) fn of(resource: &V) -> Self {
        Self { resource: Resource::rendered(resource), shows: PhantomData }
    }
}

/// The answer to a change.
impl<V> TryFrom<Answer> for One<V> {
    type Error = ApiError;

    fn try_from(answer: Answer) -> Result<Self, ApiError> {
        Ok(Self { resource: Resource::changed(answer, AnswerStatus::Done)?, shows: PhantomData })
    }
}

impl<V: JsonSchema> Output for One<V> {
    const KIND: Kind = Kind::One;

    fn shows(schemas: &mut Schemas) -> Option<Shown> {
        Some(Shown::one::<V>(schemas))
    }

    fn answer(self, head: &Parts) -> Result<Response, ApiError> {
        if !matches!(head.method, Method::GET | Method::HEAD) {
            return Ok(self.resource.answer(StatusCode::OK));
        }
        let known = Condition::if_none_match(&head.headers)?;
        Ok(envelope::found(&self.resource.rendered, known.as_ref()))
    }
}

/// A new resource.
pub(crate) struct Created<V> {
    resource: Resource,
    shows: PhantomData<fn() -> V>,
}

impl<V: Serialize> Created<V> {
    /// This resource.
    pub(crate) fn of(resource: &V) -> Self {
        Self { resource: Resource::rendered(resource), shows: PhantomData }
    }

    /// The same, tagged as the resource is alone where the answer shows more, this once.
    pub(crate) fn tagged_as(mut self, alone: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        self.resource.alone = Some(alone(&self.resource.rendered));
        self
    }
}

/// The answer to a change.
impl<V> TryFrom<Answer> for Created<V> {
    type Error = ApiError;

    fn try_from(answer: Answer) -> Result<Self, ApiError> {
        Ok(Self { resource: Resource::changed(answer, AnswerStatus::Created)?, shows: PhantomData })
    }
}

impl<V: JsonSchema> Output for Created<V> {
    const KIND: Kind = Kind::Created;

    fn shows(schemas: &mut Schemas) -> Option<Shown> {
        Some(Shown::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(self.resource.answer(StatusCode::CREATED))
    }
}

/// A page of a list.
pub(crate) struct Listed<V> {
    pub(super) items: Vec<V>,
    pub(super) next_cursor: Option<String>,
}

impl<V: Serialize + JsonSchema + Send> Output for Listed<V> {
    const KIND: Kind = Kind::Page;

    fn shows(schemas: &mut Schemas) -> Option<Shown> {
        Some(Shown::page::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        envelope::list(&self.items, self.next_cursor).map_err(ApiError::internal)
    }
}

/// What an action says of itself, which is no resource.
pub(crate) struct Plain<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Plain<V> {
    const KIND: Kind = Kind::Plain;

    fn shows(schemas: &mut Schemas) -> Option<Shown> {
        Some(Shown::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::OK, &view::render(&self.0)))
    }
}

/// What will be done.
pub(crate) struct Accepted<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Accepted<V> {
    const KIND: Kind = Kind::Accepted;

    fn shows(schemas: &mut Schemas) -> Option<Shown> {
        Some(Shown::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::ACCEPTED, &view::render(&self.0)))
    }
}

/// Nothing: what was there is no more.
pub(crate) struct Gone {
    replayed: bool,
}

/// The answer to a change.
impl TryFrom<Answer> for Gone {
    type Error = ApiError;

    fn try_from(answer: Answer) -> Result<Self, ApiError> {
        check(&answer, AnswerStatus::Gone)?;
        Ok(Self { replayed: answer.replayed })
    }
}

impl Output for Gone {
    const KIND: Kind = Kind::Gone;

    fn shows(_: &mut Schemas) -> Option<Shown> {
        None
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(StatusCode::NO_CONTENT.into_response(), self.replayed))
    }
}
