//! Route tables, and the router that passes each request to the gate of its path.
//!
//! Invariants:
//! - The table of a surface lists all of its routes with their access rules.
//! - The gate receives every request before a handler does.

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

pub(crate) trait Surface: 'static {
    type Access: Send + Sync;
    type Incoming: Send;
    type Refused: Send;
    type About: Send + Sync;
}

pub(crate) type Handled<S> = Result<Response, <S as Surface>::Refused>;

type Handle<S> =
    dyn Fn(<S as Surface>::Incoming) -> Pin<Box<dyn Future<Output = Handled<S>> + Send>> + Send + Sync;

/// An async function for the requests of a surface. `Inputs` are its arguments.
pub(crate) trait Handler<S: Surface, Inputs>: Send + Sync + 'static {
    fn handle(&self, incoming: S::Incoming) -> impl Future<Output = Handled<S>> + Send;
}

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

    pub(crate) async fn answer(&self, incoming: S::Incoming) -> Handled<S> {
        (self.handle)(incoming).await
    }
}

pub(crate) struct PathRoutes<S: Surface> {
    pub(crate) path: &'static str,
    pub(crate) rows: Vec<Route<S>>,
}

impl<S: Surface> PathRoutes<S> {
    pub(crate) fn all(table: Vec<Route<S>>) -> Vec<Self> {
        let mut paths: BTreeMap<&'static str, Vec<Route<S>>> = BTreeMap::new();
        for row in table {
            paths.entry(row.path).or_default().push(row);
        }
        paths.into_iter().map(|(path, rows)| Self { path, rows }).collect()
    }

    pub(crate) fn row(&self, method: &Method) -> Option<&Route<S>> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.rows.iter().find(|row| row.method == *method)
    }

    /// The value of `Allow` (RFC 9110 §10.2.1).
    pub(crate) fn allow(&self) -> String {
        let mut methods: Vec<&str> = self.rows.iter().map(|row| row.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.join(", ")
    }
}

/// Builds the router of these paths. `serve` is the gate and gets requests of every method.
pub(crate) fn router<S: Surface, F, Fut>(places: Vec<PathRoutes<S>>, serve: F) -> Router
where
    F: Fn(Arc<PathRoutes<S>>, Request) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    places.into_iter().fold(Router::new(), |router, place| {
        let (path, place, serve) = (place.path, Arc::new(place), serve.clone());
        router.merge(at(path, move |request| serve(Arc::clone(&place), request)))
    })
}

/// Builds the router of one path. The path names the route in logs and counters.
pub(crate) fn at<F, Fut>(path: &'static str, serve: F) -> Router
where
    F: Fn(Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    named(path, path, serve)
}

/// Like [`at`], but logs and counters contain `name` instead of the path.
pub(crate) fn named<F, Fut>(path: &'static str, name: &'static str, serve: F) -> Router
where
    F: Fn(Request) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    // axum clones the handler several times for each request, so the function is in an `Arc`.
    // `FutureExt::map` holds the future once. An async block would hold it twice while awaiting it, which
    // would double the memory of every request.
    let serve = Arc::new(serve);
    let serve = move |request: Request| {
        serve(request).map(|mut response: Response| {
            response.extensions_mut().get_or_insert_default::<Noted>().route = Some(name);
            response
        })
    };
    Router::new().route(path, any(serve))
}

/// The percent-decoded parameters of a path.
#[derive(Clone)]
pub(crate) struct PathParams(Arc<[(String, String)]>);

impl PathParams {
    /// Reads the parameters. A path with invalid UTF-8 has no parameters, so it names no record.
    pub(crate) async fn of(parts: &mut Parts) -> Self {
        let params = RawPathParams::from_request_parts(parts, &()).await;
        let params = params.iter().flatten();
        Self(params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(param, _)| param == name).map(|(_, value)| value.as_str())
    }
}

/// Facts for logs and counters, in the extensions of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) route: Option<&'static str>,
    pub(crate) key: Option<KeyId>,
    /// The business. It is set only after the caller was authorized for it.
    pub(crate) business: Option<BusinessId>,
    pub(crate) person: Option<PersonId>,
}

#[derive(Debug)]
pub(crate) struct Panicked;

/// Turns a panic into [`Panicked`]. A panic leaves no half-changed state, since all state is in the engine.
pub(crate) fn caught<T, E: From<Panicked>>(
    answer: impl Future<Output = Result<T, E>>,
) -> impl Future<Output = Result<T, E>> {
    AssertUnwindSafe(answer).catch_unwind().map(|answer| answer.unwrap_or_else(|_| Err(Panicked.into())))
}
