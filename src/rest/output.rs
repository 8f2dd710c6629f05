//! The outputs of handlers. Each output type has a response and a description for the API document.
//!
//! Invariants:
//! - A response has an entity tag if and only if it shows a resource.
//! - The type of a change determines the output type of its handler ([`AnswerTo`]).

use std::borrow::Cow;
use std::marker::PhantomData;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::business::{Answer, Ended, Given, Gives, New, Removed, Shown};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use view::{EndedView, View};

use super::error::ApiError;
use crate::http::body::{CSV_UTF_8, JSON_LINES};
use crate::http::envelope;
use crate::http::idempotency::IDEMPOTENT_REPLAYED;
use crate::http::schemas::Schemas;

pub(crate) trait Output: Send {
    const KIND: Kind;
    /// The shown resource, or the items of a page.
    type Shows: JsonSchema;

    fn answer(self, head: &Parts) -> Result<Response, ApiError>;
}

/// The schema name of the shown resource and the schema of the response body. Returns `None` if the response has no
/// JSON body.
pub(super) fn described<O: Output>(schemas: &mut Schemas) -> Option<(Cow<'static, str>, Value)> {
    let body = match O::KIND {
        Kind::Gone | Kind::Lines | Kind::Table => return None,
        Kind::Page => schemas.of::<envelope::Page<'_, O::Shows>>(),
        _ => schemas.of::<envelope::Answer<O::Shows>>(),
    };
    Some((O::Shows::schema_name(), body))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A resource and its entity tag, or 304 if the client has this version.
    One,
    /// A resource after a change, and its entity tag.
    Changed,
    Created,
    Page,
    /// A resource and an entity tag that covers only the properties that requests can change. Other properties may
    /// change while the tag stays the same, so the status is never 304.
    Tagged,
    /// A value without an entity tag.
    Plain,
    /// The result of a change, without an entity tag.
    Done,
    Accepted,
    /// A record that is being deleted.
    Ending,
    Gone,
    /// The result of a deletion. With the status 204, the record is already deleted. With the status 202, the service
    /// deletes the record in the background.
    Removing,
    Lines,
    /// A CSV file.
    Table,
}

impl Kind {
    /// The kinds in the order of their discriminants.
    const ALL: [Self; 13] = [
        Self::One,
        Self::Changed,
        Self::Created,
        Self::Page,
        Self::Tagged,
        Self::Plain,
        Self::Done,
        Self::Accepted,
        Self::Ending,
        Self::Gone,
        Self::Removing,
        Self::Lines,
        Self::Table,
    ];

    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::One
            | Self::Changed
            | Self::Page
            | Self::Tagged
            | Self::Plain
            | Self::Done
            | Self::Lines
            | Self::Table => StatusCode::OK,
            Self::Created => StatusCode::CREATED,
            Self::Accepted | Self::Ending => StatusCode::ACCEPTED,
            Self::Gone | Self::Removing => StatusCode::NO_CONTENT,
        }
    }
}

const _: () = {
    let mut number = 0;
    while number < Kind::ALL.len() {
        assert!(Kind::ALL[number] as usize == number, "the kinds must be in discriminant order");
        number += 1;
    }
};

pub(crate) struct One<V> {
    rendered: Vec<u8>,
    tag: String,
    shows: PhantomData<fn() -> V>,
}

impl<V: Serialize> One<V> {
    pub(crate) fn of(resource: &V) -> Self {
        let rendered = view::render(resource);
        Self { tag: view::etag(&rendered), rendered, shows: PhantomData }
    }

    /// Computes the entity tag from these fields of the resource alone.
    pub(crate) fn tagged_as(self, fields: &impl Serialize) -> Self {
        Self { tag: view::etag(&view::render(fields)), ..self }
    }
}

impl<V: JsonSchema> Output for One<V> {
    const KIND: Kind = Kind::One;
    type Shows = V;

    fn answer(self, head: &Parts) -> Result<Response, ApiError> {
        Ok(envelope::found(&self.rendered, &self.tag, &head.headers)?)
    }
}

/// A value to send. The number `FORM` is the discriminant of the response's [`Kind`].
pub(crate) struct Sent<V, const FORM: u8> {
    value: V,
    /// The entity tag, if the tag covers only a part of the body.
    tag: Option<String>,
    /// Whether an earlier request with the same `Idempotency-Key` made the change.
    replayed: bool,
}

pub(crate) type Changed<V> = Sent<V, { Kind::Changed as u8 }>;
pub(crate) type Created<V> = Sent<V, { Kind::Created as u8 }>;
pub(crate) type Tagged<V> = Sent<V, { Kind::Tagged as u8 }>;
pub(crate) type Plain<V> = Sent<V, { Kind::Plain as u8 }>;
pub(crate) type Done<V> = Sent<V, { Kind::Done as u8 }>;
pub(crate) type Accepted<V> = Sent<V, { Kind::Accepted as u8 }>;
pub(crate) type Ending = Sent<EndedView, { Kind::Ending as u8 }>;
pub(crate) type Gone = Sent<(), { Kind::Gone as u8 }>;

impl<V, const FORM: u8> Sent<V, FORM> {
    pub(crate) fn of(value: V) -> Self {
        Self { value, tag: None, replayed: false }
    }

    pub(crate) fn replayed(self, replayed: bool) -> Self {
        Self { replayed, ..self }
    }

    /// Computes the entity tag from the part of the value that `alone` returns. The other parts, for example a secret
    /// that only this response contains, do not affect the tag.
    pub(crate) fn tagged_as<T: Serialize>(self, alone: impl FnOnce(&V) -> &T) -> Self {
        let tag = view::etag(&view::render(alone(&self.value)));
        Self { tag: Some(tag), ..self }
    }
}

impl<V: Serialize + JsonSchema + Send, const FORM: u8> Output for Sent<V, FORM> {
    const KIND: Kind = Kind::ALL[FORM as usize];
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        let status = Self::KIND.status();
        let mut response = match Self::KIND {
            Kind::Gone => status.into_response(),
            Kind::Changed | Kind::Created | Kind::Tagged => {
                let rendered = view::render(&self.value);
                let tag = self.tag.unwrap_or_else(|| view::etag(&rendered));
                envelope::tagged(status, &rendered, &tag)
            }
            _ => envelope::plain(status, &view::render(&self.value)),
        };
        if self.replayed {
            response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        Ok(response)
    }
}

/// The result of a deletion: either the record is already deleted, or the service deletes it in the background.
pub(crate) enum Removing<V> {
    Gone(Gone),
    Accepted(Accepted<V>),
}

impl<V: Serialize + JsonSchema + Send> Output for Removing<V> {
    const KIND: Kind = Kind::Removing;
    type Shows = V;

    fn answer(self, head: &Parts) -> Result<Response, ApiError> {
        match self {
            Self::Gone(gone) => gone.answer(head),
            Self::Accepted(accepted) => accepted.answer(head),
        }
    }
}

/// Implemented by the output of a handler. Converts the engine's answer to a change into this output. `G` is the type
/// that the change declares as its result.
pub(crate) trait AnswerTo<G: Gives>: Sized {
    fn answer_to(answer: Answer<G::Value>) -> Self;
}

macro_rules! answers {
    ($($gives:ty: $output:ty $(where $view:ident)?;)*) => {$(
        impl$(<$view: View>)? AnswerTo<$gives> for $output {
            fn answer_to(answer: Answer<<$gives as Gives>::Value>) -> Self {
                Self::of(answer.value).replayed(answer.replayed)
            }
        }
    )*};
}

answers! {
    Shown<V>: Changed<V> where V;
    Shown<V>: Done<V> where V;
    New<V>: Created<V> where V;
    Ended: Ending;
    Removed: Gone;
    Given<V, 202>: Accepted<V> where V;
}

impl<V> AnswerTo<Removed> for Removing<V> {
    fn answer_to(answer: Answer<()>) -> Self {
        Self::Gone(Gone::answer_to(answer))
    }
}

impl<V: View> AnswerTo<Given<V, 202>> for Removing<V> {
    fn answer_to(answer: Answer<V>) -> Self {
        Self::Accepted(Accepted::answer_to(answer))
    }
}

pub(crate) struct Listed<V> {
    pub(super) items: Vec<V>,
    pub(super) next_cursor: Option<String>,
}

impl<V> Listed<V> {
    /// A list without further pages.
    pub(crate) fn whole(items: Vec<V>) -> Self {
        Self { items, next_cursor: None }
    }
}

impl<V: Serialize + JsonSchema + Send> Output for Listed<V> {
    const KIND: Kind = Kind::Page;
    type Shows = V;

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        envelope::list(&self.items, self.next_cursor).map_err(ApiError::internal)
    }
}

/// A stream of JSON lines. If its source fails, the response ends without its last chunk, so the client sees
/// that the response is incomplete.
pub(crate) struct Lines(pub(crate) Body);

impl Output for Lines {
    const KIND: Kind = Kind::Lines;
    type Shows = ();

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        Ok(([(header::CONTENT_TYPE, JSON_LINES)], self.0).into_response())
    }
}

/// A CSV file. If its source fails, the response ends without its last chunk, so the client sees that the
/// file is incomplete.
pub(crate) struct Table {
    /// The name under which browsers store the file.
    pub(crate) name: &'static str,
    pub(crate) body: Body,
}

impl Output for Table {
    const KIND: Kind = Kind::Table;
    type Shows = ();

    fn answer(self, _: &Parts) -> Result<Response, ApiError> {
        let name = format!("attachment; filename=\"{}\"", self.name);
        let headers = [(header::CONTENT_TYPE, CSV_UTF_8.to_owned()), (header::CONTENT_DISPOSITION, name)];
        Ok((headers, self.body).into_response())
    }
}
