//! What a handler gives. Each knows how it is answered and how it is described.
//!
//! What always holds: a resource has an entity tag, and nothing else has; a handler gives the answer to a change as
//! what the change's type says it shows ([`AnswerTo`]).

use std::borrow::Cow;
use std::marker::PhantomData;

use actors::business::{Answer, Ended, Gives, New, Removed, Shown};
use actors::view;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::error::ApiError;
use crate::http::body::JSON_LINES;
use crate::http::envelope;
use crate::http::etag::Condition;
use crate::http::idempotency::IDEMPOTENT_REPLAYED;
use crate::http::schemas::Schemas;

/// Something that a handler gives.
pub(crate) trait Output: Send {
    /// How it is answered.
    const KIND: Kind;

    /// What it shows, if anything.
    fn shows(schemas: &mut Schemas) -> Option<Described>;

    /// The answer to the request with this head.
    fn answer(self, head: &Parts) -> Result<Response, ApiError>;
}

/// What an answer shows, as the document tells of it.
#[derive(Debug)]
pub(crate) struct Described {
    /// The name of what it shows, or of which it shows a page.
    pub(crate) name: Cow<'static, str>,
    /// The whole body.
    pub(crate) body: Value,
}

impl Described {
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
    /// 200 with a resource and its tag, or 304 to a client that has this version.
    One,
    /// 200 with a resource as a change has left it, and its tag.
    Changed,
    /// 201 with a new resource and its tag.
    Created,
    /// 200 with a page of a list.
    Page,
    /// 200 with something that is no resource and has no tag.
    Plain,
    /// The same, of a change.
    Done,
    /// 202 with what will be done.
    Accepted,
    /// 202 with what was ended and will be gone.
    Ending,
    /// 204.
    Gone,
    /// 200 with lines of JSON, as many as there are.
    Lines,
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

    fn changed(answer: Answer) -> Self {
        Self { rendered: answer.body, alone: None, replayed: answer.replayed }
    }

    fn answer(&self, status: StatusCode) -> Response {
        let alone = self.alone.as_deref().unwrap_or(&self.rendered);
        with_replayed(envelope::resource(status, &self.rendered, alone), self.replayed)
    }
}

/// What is made of the answer to a change of which the type says that it gives `G`.
pub(crate) trait AnswerTo<G: Gives> {
    /// The answer as a handler gives it.
    fn answer_to(answer: Answer) -> Self;
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

impl<V: JsonSchema> Output for One<V> {
    const KIND: Kind = Kind::One;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, head: &Parts) -> Result<Response, ApiError> {
        let known = Condition::if_none_match(&head.headers)?;
        Ok(envelope::found(&self.resource.rendered, known.as_ref()))
    }
}

/// A resource as a change has left it, which was made only if it was as the request's `If-Match` says.
pub(crate) struct Changed<V> {
    resource: Resource,
    shows: PhantomData<fn() -> V>,
}

impl<V> Changed<V> {
    /// The same, tagged as the resource is alone where the answer shows more.
    pub(crate) fn tagged_as(mut self, alone: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        self.resource.alone = Some(alone(&self.resource.rendered));
        self
    }
}

impl<V: 'static> AnswerTo<Shown<V>> for Changed<V> {
    fn answer_to(answer: Answer) -> Self {
        Self { resource: Resource::changed(answer), shows: PhantomData }
    }
}

impl<V: JsonSchema> Output for Changed<V> {
    const KIND: Kind = Kind::Changed;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(self.resource.answer(StatusCode::OK))
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
}

impl<V> Created<V> {
    /// The same, tagged as the resource is alone where the answer shows more, this once.
    pub(crate) fn tagged_as(mut self, alone: impl Fn(&[u8]) -> Vec<u8>) -> Self {
        self.resource.alone = Some(alone(&self.resource.rendered));
        self
    }
}

impl<V: 'static> AnswerTo<New<V>> for Created<V> {
    fn answer_to(answer: Answer) -> Self {
        Self { resource: Resource::changed(answer), shows: PhantomData }
    }
}

impl<V: JsonSchema> Output for Created<V> {
    const KIND: Kind = Kind::Created;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
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

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::page::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        envelope::list(&self.items, self.next_cursor).map_err(ApiError::internal)
    }
}

/// What an action says of itself, which is no resource.
pub(crate) struct Plain<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Plain<V> {
    const KIND: Kind = Kind::Plain;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::OK, &view::render(&self.0)))
    }
}

/// What a change says of itself, which is no resource.
pub(crate) struct Done<V> {
    pub(crate) said: V,
    /// Whether the change was made earlier, by the same request.
    pub(crate) replayed: bool,
}

impl<V: Serialize + JsonSchema + Send> Output for Done<V> {
    const KIND: Kind = Kind::Done;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(envelope::plain(StatusCode::OK, &view::render(&self.said)), self.replayed))
    }
}

/// What a change says of itself, which is no resource, as the change has rendered it.
pub(crate) struct Told<V> {
    resource: Resource,
    shows: PhantomData<fn() -> V>,
}

impl<V: 'static> AnswerTo<Shown<V>> for Told<V> {
    fn answer_to(answer: Answer) -> Self {
        Self { resource: Resource::changed(answer), shows: PhantomData }
    }
}

impl<V: JsonSchema> Output for Told<V> {
    const KIND: Kind = Kind::Done;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        let Resource { rendered, replayed, .. } = self.resource;
        Ok(with_replayed(envelope::plain(StatusCode::OK, &rendered), replayed))
    }
}

/// What will be done.
pub(crate) struct Accepted<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Accepted<V> {
    const KIND: Kind = Kind::Accepted;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::ACCEPTED, &view::render(&self.0)))
    }
}

/// What was ended, and of which everything goes from now on.
pub(crate) struct Ending<V> {
    rendered: Bytes,
    replayed: bool,
    shows: PhantomData<fn() -> V>,
}

impl<V: 'static> AnswerTo<Ended> for Ending<V> {
    fn answer_to(answer: Answer) -> Self {
        Self { rendered: answer.body, replayed: answer.replayed, shows: PhantomData }
    }
}

impl<V: JsonSchema> Output for Ending<V> {
    const KIND: Kind = Kind::Ending;

    fn shows(schemas: &mut Schemas) -> Option<Described> {
        Some(Described::one::<V>(schemas))
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(envelope::plain(StatusCode::ACCEPTED, &self.rendered), self.replayed))
    }
}

/// Lines of JSON that are made while they are sent. Where they break off, so does the answer.
pub(crate) struct Lines(pub(crate) Body);

impl Output for Lines {
    const KIND: Kind = Kind::Lines;

    fn shows(_: &mut Schemas) -> Option<Described> {
        None
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(([(header::CONTENT_TYPE, JSON_LINES)], self.0).into_response())
    }
}

/// Nothing: what was there is no more.
pub(crate) struct Gone {
    replayed: bool,
}

impl AnswerTo<Removed> for Gone {
    fn answer_to(answer: Answer) -> Self {
        Self { replayed: answer.replayed }
    }
}

impl Output for Gone {
    const KIND: Kind = Kind::Gone;

    fn shows(_: &mut Schemas) -> Option<Described> {
        None
    }

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(StatusCode::NO_CONTENT.into_response(), self.replayed))
    }
}
