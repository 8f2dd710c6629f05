//! The outputs of handlers. Each output type has a response and a description for the API document.
//!
//! Invariants:
//! - A response has an entity tag exactly if it shows a resource.
//! - The type of a change determines the output type of its handler ([`AnswerTo`]).

use std::borrow::Cow;
use std::marker::PhantomData;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::business::{Answer, Ended, Gives, New, Removed, Shown};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use view::{EndedView, View};

use super::error::ApiError;
use crate::http::body::JSON_LINES;
use crate::http::envelope;
use crate::http::etag::{Condition, ETag};
use crate::http::idempotency::IDEMPOTENT_REPLAYED;
use crate::http::schemas::Schemas;

pub(crate) trait Output: Send {
    const KIND: Kind;
    /// The shown resource, or the items of a page.
    type Shows: JsonSchema;

    fn answer(self, head: &Parts) -> Result<Response, ApiError>;
}

/// The body of a response in the API document.
#[derive(Debug)]
pub(crate) struct Described {
    /// The name of the schema, or of the items of a page.
    pub(crate) name: Cow<'static, str>,
    pub(crate) body: Value,
}

impl Described {
    /// `None` for a response without a JSON body.
    pub(super) fn of<O: Output>(schemas: &mut Schemas) -> Option<Self> {
        let body = match O::KIND {
            Kind::Gone | Kind::Lines => return None,
            Kind::Page => schemas.of::<envelope::Page<'_, O::Shows>>(),
            _ => schemas.of::<envelope::Answer<O::Shows>>(),
        };
        Some(Self { name: O::Shows::schema_name(), body })
    }
}

/// The form of a successful response.
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
    /// 200 with a value that has no tag.
    Plain,
    /// The same as `Plain`, for a change.
    Done,
    /// 202 with a job that the service will do.
    Accepted,
    /// 202 with a record that is being deleted.
    Ending,
    /// 204.
    Gone,
    /// 200 with an unbounded stream of JSON lines.
    Lines,
}

/// Converts the result of a change with result type `G` into an output.
pub(crate) trait AnswerTo<G: Gives> {
    fn answer_to(answer: Answer<G::Value>) -> Self;
}

fn with_replayed(mut response: Response, replayed: bool) -> Response {
    if replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// One resource, or 304 if the client has this version.
pub(crate) struct One<V> {
    rendered: Vec<u8>,
    shows: PhantomData<fn() -> V>,
}

impl<V: Serialize> One<V> {
    pub(crate) fn of(resource: &V) -> Self {
        Self { rendered: view::render(resource), shows: PhantomData }
    }
}

impl<V: JsonSchema> Output for One<V> {
    const KIND: Kind = Kind::One;
    type Shows = V;

    fn answer(self, head: &Parts) -> Result<Response, ApiError> {
        let known = Condition::if_none_match(&head.headers)?;
        Ok(envelope::found(&self.rendered, known.as_ref()))
    }
}

/// A resource after a change. `NEW`: the change created it.
pub(crate) struct Written<V, const NEW: bool> {
    value: V,
    /// The tag of the resource, if the body shows more than the resource.
    tag: Option<ETag>,
    replayed: bool,
}

pub(crate) type Changed<V> = Written<V, false>;

pub(crate) type Created<V> = Written<V, true>;

impl<V, const NEW: bool> Written<V, NEW> {
    fn by(Answer { value, replayed }: Answer<V>) -> Self {
        Self { value, tag: None, replayed }
    }

    /// Computes the tag from a part of the body, if the body shows more than the resource, for example a secret
    /// that appears only once.
    pub(crate) fn tagged_as<T: Serialize>(self, alone: impl FnOnce(&V) -> &T) -> Self {
        let tag = ETag::of(&view::render(alone(&self.value)));
        Self { tag: Some(tag), ..self }
    }
}

impl<V> Created<V> {
    pub(crate) fn of(resource: V) -> Self {
        Self::by(Answer { value: resource, replayed: false })
    }
}

impl<V: View> AnswerTo<Shown<V>> for Changed<V> {
    fn answer_to(answer: Answer<V>) -> Self {
        Self::by(answer)
    }
}

impl<V: View> AnswerTo<New<V>> for Created<V> {
    fn answer_to(answer: Answer<V>) -> Self {
        Self::by(answer)
    }
}

impl<V: Serialize + JsonSchema + Send, const NEW: bool> Output for Written<V, NEW> {
    const KIND: Kind = if NEW { Kind::Created } else { Kind::Changed };
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        let rendered = view::render(&self.value);
        let tag = self.tag.unwrap_or_else(|| ETag::of(&rendered));
        let status = if NEW { StatusCode::CREATED } else { StatusCode::OK };
        Ok(with_replayed(envelope::tagged(status, &rendered, &tag), self.replayed))
    }
}

pub(crate) struct Listed<V> {
    pub(super) items: Vec<V>,
    pub(super) next_cursor: Option<String>,
}

impl<V: Serialize + JsonSchema + Send> Output for Listed<V> {
    const KIND: Kind = Kind::Page;
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        envelope::list(&self.items, self.next_cursor).map_err(ApiError::internal)
    }
}

/// The result of an action without a resource.
pub(crate) struct Plain<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Plain<V> {
    const KIND: Kind = Kind::Plain;
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::OK, &view::render(&self.0)))
    }
}

/// The result of a change without a resource.
pub(crate) struct Done<V> {
    pub(crate) said: V,
    /// Whether an earlier request with the same key made the change.
    pub(crate) replayed: bool,
}

impl<V: View> AnswerTo<Shown<V>> for Done<V> {
    fn answer_to(Answer { value, replayed }: Answer<V>) -> Self {
        Self { said: value, replayed }
    }
}

impl<V: Serialize + JsonSchema + Send> Output for Done<V> {
    const KIND: Kind = Kind::Done;
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(envelope::plain(StatusCode::OK, &view::render(&self.said)), self.replayed))
    }
}

/// A job that the service will do.
pub(crate) struct Accepted<V>(pub(crate) V);

impl<V: Serialize + JsonSchema + Send> Output for Accepted<V> {
    const KIND: Kind = Kind::Accepted;
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::plain(StatusCode::ACCEPTED, &view::render(&self.0)))
    }
}

/// A record that is being deleted with all its data.
pub(crate) struct Ending(Answer<EndedView>);

impl AnswerTo<Ended> for Ending {
    fn answer_to(answer: Answer<EndedView>) -> Self {
        Self(answer)
    }
}

impl Output for Ending {
    const KIND: Kind = Kind::Ending;
    type Shows = EndedView;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        let Answer { value, replayed } = self.0;
        Ok(with_replayed(envelope::plain(StatusCode::ACCEPTED, &view::render(&value)), replayed))
    }
}

/// A stream of JSON lines. If the source breaks off, the response breaks off too.
pub(crate) struct Lines(pub(crate) Body);

impl Output for Lines {
    const KIND: Kind = Kind::Lines;
    type Shows = ();

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(([(header::CONTENT_TYPE, JSON_LINES)], self.0).into_response())
    }
}

/// An empty response after a deletion.
pub(crate) struct Gone {
    replayed: bool,
}

impl AnswerTo<Removed> for Gone {
    fn answer_to(answer: Answer<()>) -> Self {
        Self { replayed: answer.replayed }
    }
}

impl Output for Gone {
    const KIND: Kind = Kind::Gone;
    type Shows = ();

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(with_replayed(StatusCode::NO_CONTENT.into_response(), self.replayed))
    }
}
