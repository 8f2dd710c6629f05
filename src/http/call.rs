//! One request on its way through a handler: what both APIs read from it and how they answer it.
//!
//! What always holds: path, scope and syntax are settled before the engine is asked for anything; a change carries
//! the request's `If-Match` and `Idempotency-Key` with it, so that both are decided where the change is.

use std::any::TypeId;
use std::sync::Arc;

use actors::business::{Answer, AnswerStatus, Change, Idempotency, IfMatch, Page, PageRequest, Request};
use actors::domain::{Actor, BusinessId, KeyId, Refusal, ResourceId};
use actors::{BusinessHandle, Engine, EngineError, Principal, view};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::body;
use super::cursor::{Binding, CursorText, Cursors};
use super::describe::Schemas;
use super::envelope;
use super::error::ApiError;
use super::etag::Condition;
use super::json::Json;
use super::query::{self, FromParameters, Parameters};
use super::read::{FromJson, Problems};

/// The greatest length of an `Idempotency-Key`, in characters.
pub(crate) const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// The request header that makes a change happen once.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The answer header that says that the change happened earlier.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Who calls, as far as a request needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Whom the audit log names.
    pub(crate) actor: Actor,
    /// The business that the request acts on, if it is about one.
    pub(crate) business: Option<BusinessHandle>,
    /// The region in which national phone numbers are read.
    pub(crate) phone_region: String,
    /// The key that an `Idempotency-Key` is scoped to; without one the header means nothing.
    pub(crate) idempotency_scope: Option<KeyId>,
    /// The API key and its business, if it is one that calls.
    pub(crate) principal: Option<Arc<Principal>>,
}

/// The parameters of an endpoint that has none.
struct NoQuery;

impl FromParameters for NoQuery {
    const NAMES: &'static [&'static str] = &[];

    fn from_parameters(_: &Parameters, _: &mut Problems) -> Option<Self> {
        Some(Self)
    }

    fn parameters(_: &mut Schemas) -> Vec<Value> {
        Vec::new()
    }
}

/// A request that has passed the gate and been routed.
pub(crate) struct Call {
    pub(crate) engine: Engine,
    pub(crate) cursors: Cursors,
    pub(crate) caller: Caller,
    pub(crate) parts: Parts,
    /// The path's parameters, percent-decoded.
    pub(crate) params: Vec<(String, String)>,
    pub(crate) body: Body,
    /// The body's canonical JSON, once it was read, if the request is to happen once.
    pub(crate) canonical: Vec<u8>,
    /// What the document says that the handler reads and shows, if there is a document of it.
    pub(crate) described: Option<Described>,
}

/// The types that an operation is described with. While the tests run, a handler that reads or shows another one
/// panics, so that the document tells what is served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) query: Option<TypeId>,
    pub(crate) body: Option<TypeId>,
    pub(crate) shows: Option<TypeId>,
}

impl Call {
    /// The id in the path under this name. A malformed one names nothing, so it is not found.
    pub(crate) fn id<I: ResourceId + std::str::FromStr>(
        &self,
        name: &str,
        kind: &'static str,
    ) -> Result<I, ApiError> {
        let text = self.params.iter().find(|(param, _)| param == name).map_or("", |(_, value)| value);
        text.parse().map_err(|_| Refusal::NotFound(kind).into())
    }

    /// The business that the request acts on.
    pub(crate) fn business(&self) -> Result<&BusinessHandle, ApiError> {
        self.caller.business.as_ref().ok_or_else(|| Refusal::NotFound("business").into())
    }

    /// Makes sure that the document tells of the type.
    fn check_described<T: 'static>(&self, told: impl Fn(&Described) -> Option<TypeId>) {
        let same = |described| told(described) == Some(TypeId::of::<T>());
        let name = std::any::type_name::<T>();
        debug_assert!(
            self.described.as_ref().is_none_or(same),
            "the table of routes does not tell of {name}"
        );
    }

    /// The query string, read whole.
    pub(crate) fn query<T: FromParameters + 'static>(&self) -> Result<T, ApiError> {
        self.check_described::<T>(|described| described.query);
        query::parse(self.parts.uri.query(), &self.caller.phone_region)
    }

    /// Makes sure that there is no query parameter.
    pub(crate) fn no_query(&self) -> Result<(), ApiError> {
        query::parse(self.parts.uri.query(), &self.caller.phone_region).map(|NoQuery| ())
    }

    /// Makes sure that query and headers of a change are well-formed: that is told before what a path id names.
    fn check_head(&self) -> Result<(), ApiError> {
        self.no_query()?;
        Condition::if_match(&self.parts.headers)?;
        self.idempotency_key().map(|_| ())
    }

    /// The JSON body, read whole; where none is required, an absent one is read as `null`.
    pub(crate) async fn body<T: FromJson + 'static>(&mut self) -> Result<T, ApiError> {
        self.check_described::<T>(|described| described.body);
        self.check_head()?;
        let bytes = body::read(&self.parts.headers, std::mem::take(&mut self.body)).await?;
        let json = if bytes.is_empty() && !T::REQUIRED { Json::Null } else { Json::parse(&bytes)? };
        if self.parts.headers.contains_key(IDEMPOTENCY_KEY) {
            self.canonical = json.canonical();
        }
        body::from_json(&json, &self.caller.phone_region)
    }

    /// Makes sure that there is no body, or an empty object.
    pub(crate) async fn no_body(&mut self) -> Result<(), ApiError> {
        self.check_head()?;
        let bytes = body::read(&self.parts.headers, std::mem::take(&mut self.body)).await?;
        body::parse_none(&bytes)
    }

    /// Carries out a change of the request's business and answers it.
    pub(crate) async fn change<C: Change + 'static>(self, change: C) -> Result<Response, ApiError> {
        Ok(answer(&self.carry_out(change).await?))
    }

    /// Carries out a change of the request's business, for a handler that answers it in a way of its own.
    pub(crate) async fn carry_out<C: Change + 'static>(self, change: C) -> Result<Answer, ApiError> {
        Ok(self.business()?.change(self.request()?, change).await?)
    }

    /// The answer that was given to this request, if it is to happen once and did. For handlers that ask others before
    /// the change is made: the same request again gets the same answer, whatever they would say now.
    pub(crate) fn remembered(&self) -> impl Future<Output = Result<Option<Answer>, ApiError>> + Send + use<> {
        // The body cannot be shared between threads, so nothing of the call is held while waiting.
        let asked = self.request().and_then(|request| Ok((self.business()?.clone(), request)));
        async move {
            let (business, request) = asked?;
            Ok(business.remembered(&request).await?)
        }
    }

    /// Who asks for the change, and under which conditions.
    fn request(&self) -> Result<Request, ApiError> {
        let if_match = Condition::if_match(&self.parts.headers)?.map(|condition| match condition {
            Condition::Any => IfMatch::Any,
            Condition::Tags(tags) => IfMatch::Tags(tags),
        });
        Ok(Request { actor: self.caller.actor, if_match, idempotency: self.idempotency()? })
    }

    /// The `Idempotency-Key` and the API key that it is scoped to, if the request is to happen once.
    fn idempotency_key(&self) -> Result<Option<(KeyId, &[u8])>, ApiError> {
        let Some(scope) = self.caller.idempotency_scope else { return Ok(None) };
        let mut values = self.parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else { return Ok(None) };
        let bytes = value.as_bytes();
        let good = (1..=IDEMPOTENCY_KEY_CHARS_MAX).contains(&bytes.len())
            && bytes.iter().all(u8::is_ascii_graphic)
            && values.next().is_none();
        if !good {
            let message =
                format!("must be one value of 1 to {IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters");
            return Err(ApiError::invalid("Idempotency-Key", message));
        }
        Ok(Some((scope, bytes)))
    }

    /// What makes this request the same one again, if it says so.
    fn idempotency(&self) -> Result<Option<Idempotency>, ApiError> {
        let Some((scope, bytes)) = self.idempotency_key()? else { return Ok(None) };
        let mut fingerprint = Sha256::new();
        for part in [self.parts.method.as_str().as_bytes(), self.parts.uri.path().as_bytes(), &self.canonical]
        {
            fingerprint.update((part.len() as u64).to_be_bytes());
            fingerprint.update(part);
        }
        let key = Sha256::new().chain_update(scope.uuid().as_bytes()).chain_update(bytes);
        Ok(Some(Idempotency { key: key.finalize().into(), fingerprint: fingerprint.finalize().into() }))
    }

    /// Answers with one resource, or says that the client has it already.
    pub(crate) fn one<V: Serialize + 'static>(&self, resource: &V) -> Result<Response, ApiError> {
        self.check_described::<V>(|described| described.shows);
        let known = Condition::if_none_match(&self.parts.headers)?;
        Ok(envelope::found(&view::render(resource), known.as_ref()))
    }

    /// Answers with what an action says of itself, which is no resource and has no tag.
    pub(crate) fn said<V: Serialize + 'static>(&self, said: &V) -> Response {
        self.check_described::<V>(|described| described.shows);
        envelope::plain(StatusCode::OK, &view::render(said))
    }

    /// Answers that something will be done.
    pub(crate) fn accepted<V: Serialize>(said: &V) -> Response {
        envelope::plain(StatusCode::ACCEPTED, &view::render(said))
    }

    /// Answers with a part of a list, whose cursor is tied to the list and its filters.
    pub(crate) fn list<T, V: Serialize + 'static>(
        &self,
        page: Page<T>,
        binding: &Binding,
        view: impl Fn(T) -> V,
    ) -> Result<Response, ApiError> {
        self.check_described::<V>(|described| described.shows);
        let items: Vec<V> = page.items.into_iter().map(view).collect();
        let next = page.next.map(|position| self.cursors.seal(binding, &position));
        envelope::list(&items, next)
    }

    /// The part of a list that is asked for.
    pub(crate) fn page(
        &self,
        limit: usize,
        cursor: Option<&CursorText>,
        binding: &Binding,
    ) -> Result<PageRequest, ApiError> {
        let after = cursor.map(|cursor| self.cursors.open(binding, cursor.as_str())).transpose()?;
        Ok(PageRequest { limit, after })
    }

    /// What a cursor of this list of the business is tied to, its filters to be added.
    pub(crate) fn binding(&self, list: &str) -> Result<Binding, ApiError> {
        Ok(list_of(self.business()?.id(), list))
    }
}

/// The binding of a business's list.
fn list_of(business: BusinessId, name: &str) -> Binding {
    Binding::list(name).with(business.uuid().as_bytes())
}

/// The answer to a change.
pub(crate) fn answer(answer: &Answer) -> Response {
    answer_with_more(answer, &answer.body)
}

/// The answer to a change that shows more than the resource, which is tagged as it is alone.
pub(crate) fn answer_with_more(answer: &Answer, alone: &[u8]) -> Response {
    let mut response = match answer.status {
        AnswerStatus::Done => envelope::resource_with_more(StatusCode::OK, &answer.body, alone),
        AnswerStatus::Created => envelope::resource_with_more(StatusCode::CREATED, &answer.body, alone),
        AnswerStatus::Gone => StatusCode::NO_CONTENT.into_response(),
    };
    if answer.replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// The token of an `Authorization: Bearer` header (RFC 6750 §2.1), when there is exactly one.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim_matches(' '))
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused(refusal) => Self::Refused(refusal),
            EngineError::NotFound => Refusal::NotFound("business").into(),
            EngineError::KeyRevoked => Self::Unauthorized,
            EngineError::Suspended => Self::Forbidden,
            EngineError::Overloaded | EngineError::Stopping => Self::Unavailable,
            EngineError::DiskFull(_) => Self::DiskFull,
            error @ (EngineError::Failed | EngineError::Store(_)) => Self::internal(error),
        }
    }
}
