//! The table of routes, from which the router follows: one row is a method, a path, who may come, and the handler.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::call::Call;
use super::error::ApiError;
use super::request_id::{Noted, caught};

/// What a handler comes to.
pub(crate) type Handled = Result<Response, ApiError>;

type Handler = Arc<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Handled> + Send>> + Send + Sync>;

/// One row of the table; `A` says who may come.
pub(crate) struct Route<A> {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: A,
    handler: Handler,
}

/// A row of the table.
pub(crate) fn route<A, F, Fut>(method: Method, path: &'static str, access: A, handler: F) -> Route<A>
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Handled> + Send + 'static,
{
    Route { method, path, access, handler: Arc::new(move |call| Box::pin(handler(call))) }
}

/// Stands before the handlers: first looks who asks, whatever for, then lets them in by the row that they ask for and
/// makes the request a [`Call`].
pub(crate) trait Door<A>: Clone + Send + Sync + 'static {
    /// Who asks.
    type Guest: Send;

    /// Has `next` answer whoever may ask at all, and refuses anybody else.
    fn gate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Self::Guest) -> F + Send,
    ) -> impl Future<Output = Response> + Send;

    /// Lets the guest in, or says why not.
    fn admit(
        &self,
        guest: Self::Guest,
        request: (Parts, Body),
        route: &Route<A>,
        params: Vec<(String, String)>,
    ) -> impl Future<Output = Result<Call, ApiError>> + Send;
}

/// The router of a table, with `door` before every handler. A method that a path does not have is answered in the
/// error envelope, with `Allow`.
pub(crate) fn router<A: Send + Sync + 'static>(table: Vec<Route<A>>, door: &impl Door<A>) -> Router {
    let mut paths: BTreeMap<&'static str, Vec<Route<A>>> = BTreeMap::new();
    for row in table {
        paths.entry(row.path).or_default().push(row);
    }
    paths.into_iter().fold(Router::new(), |router, (path, rows)| {
        // The table is made once in the life of the process, so this text may live as long.
        let allow: &'static str = allowed(&rows).leak();
        let (rows, door) = (Arc::new(rows), door.clone());
        let serve = move |request: Request| {
            let (rows, door) = (Arc::clone(&rows), door.clone());
            async move {
                let next = |request, guest| {
                    let handled = dispatch(request, guest, &rows, allow, &door);
                    caught(async { handled.await.unwrap_or_else(IntoResponse::into_response) })
                };
                let mut response = door.gate(request, next).await;
                response.extensions_mut().get_or_insert_default::<Noted>().route = Some(path);
                response
            }
        };
        router.route(path, any(serve))
    })
}

/// The router of a path of no table, which anybody may get.
pub(crate) fn open<F, Fut>(path: &'static str, answer: F) -> Router
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    let serve = move |request: Request| {
        let answer = answer.clone();
        async move {
            let mut response = match *request.method() {
                Method::GET | Method::HEAD => caught(async { answer().await }).await,
                _ => ApiError::MethodNotAllowed("GET, HEAD").into_response(),
            };
            response.extensions_mut().get_or_insert_default::<Noted>().route = Some(path);
            response
        }
    };
    Router::new().route(path, any(serve))
}

async fn dispatch<A, D: Door<A>>(
    request: Request,
    guest: D::Guest,
    rows: &[Route<A>],
    allow: &'static str,
    door: &D,
) -> Handled {
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let row = rows.iter().find(|row| row.method == *method).ok_or(ApiError::MethodNotAllowed(allow))?;
    let (mut parts, body) = request.into_parts();
    // A path whose percent-encoding is no UTF-8 names nothing, which is told after scope and syntax.
    let params = RawPathParams::from_request_parts(&mut parts, &()).await;
    let params = params.iter().flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let call = door.admit(guest, (parts, body), row, params).await?;
    (row.handler)(call).await
}

/// The methods of a path as `Allow` lists them (RFC 9110 §10.2.1).
fn allowed<A>(rows: &[Route<A>]) -> String {
    let mut methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.join(", ")
}
