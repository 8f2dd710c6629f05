//! Tables of routes, and the router that brings each request to the gate of its path.
//!
//! What always holds: a table is the one place that lists the routes of a surface, each with who may come; the gate of
//! the surface sees every request to one of its paths before a handler does.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::any;
use domain::{BusinessId, KeyId, PersonId};
use futures_util::FutureExt;

/// A part of the service with a table of routes and a gate of its own.
pub(crate) trait Surface: 'static {
    /// Who may come to a route.
    type Access: Send + Sync;
    /// A request that the gate has let in.
    type Incoming: Send;
    /// Why a request is refused.
    type Refused: Send;
    /// What else a row says.
    type About: Send + Sync;
}

/// The result of a handler.
pub(crate) type Handled<S> = Result<Response, <S as Surface>::Refused>;

type Handle<S> =
    dyn Fn(<S as Surface>::Incoming) -> Pin<Box<dyn Future<Output = Handled<S>> + Send>> + Send + Sync;

/// A function that handles requests of a surface; `Inputs` are its arguments.
pub(crate) trait Handler<S: Surface, Inputs>: Send + Sync + 'static {
    /// Reads the inputs, calls the function and answers.
    fn handle(&self, incoming: S::Incoming) -> impl Future<Output = Handled<S>> + Send;
}

/// One row of a table.
pub(crate) struct Route<S: Surface> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: S::Access,
    pub(crate) about: S::About,
    handle: Box<Handle<S>>,
}

impl<S: Surface> Route<S> {
    pub(crate) fn new<I: 'static>(
        method: Method,
        path: &'static str,
        access: S::Access,
        about: S::About,
        handler: impl Handler<S, I>,
    ) -> Self {
        let handler = Arc::new(handler);
        let handle = move |incoming| -> Pin<Box<dyn Future<Output = Handled<S>> + Send>> {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler.handle(incoming).await })
        };
        Self { method, path, access, about, handle: Box::new(handle) }
    }

    /// Calls the handler with a request that was let in.
    pub(crate) async fn answer(&self, incoming: S::Incoming) -> Handled<S> {
        (self.handle)(incoming).await
    }
}

/// A path with its rows.
pub(crate) struct Place<S: Surface> {
    pub(crate) path: &'static str,
    pub(crate) rows: Vec<Route<S>>,
}

impl<S: Surface> Place<S> {
    /// The paths of a table, in their order.
    pub(crate) fn all(table: Vec<Route<S>>) -> Vec<Self> {
        let mut paths: BTreeMap<&'static str, Vec<Route<S>>> = BTreeMap::new();
        for row in table {
            paths.entry(row.path).or_default().push(row);
        }
        paths.into_iter().map(|(path, rows)| Self { path, rows }).collect()
    }

    /// The row that answers a method: HEAD is answered as GET.
    pub(crate) fn row(&self, method: &Method) -> Option<&Route<S>> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.rows.iter().find(|row| row.method == *method)
    }

    /// The methods as `Allow` lists them (RFC 9110 §10.2.1).
    pub(crate) fn allow(&self) -> String {
        let mut methods: Vec<&str> = self.rows.iter().map(|row| row.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.join(", ")
    }
}

/// The router of some paths. `serve` is the gate: it answers every request to one of them, whatever its method.
pub(crate) fn router<S: Surface, F, Fut>(places: Vec<Place<S>>, serve: F) -> Router
where
    F: Fn(Arc<Place<S>>, Request) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    places.into_iter().fold(Router::new(), |router, place| {
        let (path, place, serve) = (place.path, Arc::new(place), serve.clone());
        router.merge(at(path, move |request| serve(Arc::clone(&place), request)))
    })
}

/// The router of one path; its answers name it to the log and to the counters.
pub(crate) fn at<F, Fut>(path: &'static str, serve: F) -> Router
where
    F: Fn(Request) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    let serve = move |request: Request| {
        let answer = serve(request);
        async move {
            let mut response = answer.await;
            response.extensions_mut().get_or_insert_default::<Noted>().route = Some(path);
            response
        }
    };
    Router::new().route(path, any(serve))
}

/// The parameters of a path, percent-decoded.
#[derive(Clone)]
pub(crate) struct PathParams(Arc<[(String, String)]>);

impl PathParams {
    /// Those of a request. A path whose percent-encoding is no UTF-8 has none, so it names nothing.
    pub(crate) async fn of(parts: &mut Parts) -> Self {
        let params = RawPathParams::from_request_parts(parts, &()).await;
        let params = params.iter().flatten();
        Self(params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(param, _)| param == name).map(|(_, value)| value.as_str())
    }
}

/// What the log and the counters are told of a request, in the extensions of its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noted {
    /// The path as the table of routes has it; `None` when no route has the path.
    pub(crate) route: Option<&'static str>,
    /// The key that it was authenticated with.
    pub(crate) key: Option<KeyId>,
    /// The business that it was about, once it was known that whoever asked belongs to it.
    pub(crate) business: Option<BusinessId>,
    /// The person who was signed in.
    pub(crate) person: Option<PersonId>,
}

/// Finding an answer panicked.
#[derive(Debug)]
pub(crate) struct Panicked;

/// The answer, or [`Panicked`] when finding it panicked. A handler keeps no state that a panic could leave half-changed:
/// state lives behind the engine's handles.
pub(crate) async fn caught<T, E: From<Panicked>>(answer: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| Err(Panicked.into()))
}
