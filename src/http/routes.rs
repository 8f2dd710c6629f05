//! The table of routes, from which the router follows: one row is a method, a path, who may come, and the handler.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::call::Call;
use super::error::ApiError;

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

/// Stands before the handlers: lets a request in by the row it was routed to, and makes it a [`Call`].
pub(crate) trait Door<A>: Clone + Send + Sync + 'static {
    /// Lets it in, or says why not.
    fn admit(
        &self,
        request: Request,
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
            async move { dispatch(request, &rows, allow, &door).await.unwrap_or_else(IntoResponse::into_response) }
        };
        router.route(path, any(serve))
    })
}

async fn dispatch<A>(
    request: Request,
    rows: &[Route<A>],
    allow: &'static str,
    door: &impl Door<A>,
) -> Handled {
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let row = rows.iter().find(|row| row.method == *method).ok_or(ApiError::MethodNotAllowed(allow))?;
    let (mut parts, body) = request.into_parts();
    // A path whose percent-encoding is no UTF-8 names nothing, which is told after scope and syntax.
    let params = RawPathParams::from_request_parts(&mut parts, &()).await;
    let params = params.iter().flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let call = door.admit(Request::from_parts(parts, body), row, params).await?;
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
