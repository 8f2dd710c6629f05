//! The router of a table of routes, behind its gate.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::context::{Incoming, Routed};
use super::error::ApiError;
use super::noted::Noted;
use super::panics::{caught, caught_open};
use super::route::{Handled, Route};

/// Stands before the handlers: authenticates whoever asks, whatever for, and then authorizes them for the route.
pub(crate) trait Gate<A>: Clone + Send + Sync + 'static {
    /// Who asks.
    type Identity: Send;

    /// Has `next` answer whoever may ask at all, and refuses anybody else.
    fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Self::Identity) -> F + Send,
    ) -> impl Future<Output = Response> + Send;

    /// Lets them in to the route, or says why not.
    fn authorize(
        &self,
        identity: Self::Identity,
        access: &A,
        routed: Routed,
    ) -> impl Future<Output = Result<Incoming, ApiError>> + Send;

    /// What whoever was let in is answered when a request fails: the error envelope, unless they read something else.
    fn refuse(&self, error: ApiError) -> Response {
        error.into_response()
    }
}

/// The router of a table, with `gate` before every handler. A method that a path does not have is answered in the
/// error envelope, with `Allow`.
pub(crate) fn router<A: Send + Sync + 'static>(table: Vec<Route<A>>, gate: &impl Gate<A>) -> Router {
    let mut paths: BTreeMap<&'static str, Vec<Route<A>>> = BTreeMap::new();
    for row in table {
        paths.entry(row.path).or_default().push(row);
    }
    let actions = actions(&paths);
    paths.into_iter().fold(Router::new(), |router, (path, rows)| {
        // The table is made once in the life of the process, so these texts may live as long.
        let refused = (&*allowed(&rows).leak(), actions.get(path).copied().unwrap_or_default());
        let (rows, gate) = (Arc::new(rows), gate.clone());
        let serve = move |request: Request| {
            let (rows, gate) = (Arc::clone(&rows), gate.clone());
            async move {
                let next = |request, identity| {
                    let handled = dispatch(request, identity, &rows, refused, &gate);
                    async { caught(handled).await.unwrap_or_else(|error| gate.refuse(error)) }
                };
                let mut response = gate.authenticate(request, next).await;
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
                Method::GET | Method::HEAD => caught_open(async { answer().await }).await,
                _ => ApiError::MethodNotAllowed("GET, HEAD", "").into_response(),
            };
            response.extensions_mut().get_or_insert_default::<Noted>().route = Some(path);
            response
        }
    };
    Router::new().route(path, any(serve))
}

async fn dispatch<A, G: Gate<A>>(
    request: Request,
    identity: G::Identity,
    rows: &[Route<A>],
    (allow, actions): (&'static str, &'static str),
    gate: &G,
) -> Handled {
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let row =
        rows.iter().find(|row| row.method == *method).ok_or(ApiError::MethodNotAllowed(allow, actions))?;
    let (mut parts, body) = request.into_parts();
    // A path whose percent-encoding is no UTF-8 names nothing, which is told after scope and syntax.
    let params = RawPathParams::from_request_parts(&mut parts, &()).await;
    let params = params.iter().flatten().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let incoming = gate.authorize(identity, &row.access, Routed { parts, params, body }).await?;
    (row.handle)(incoming).await
}

/// The actions on the record that a path names, by that path: a client that would change the record looks for them.
fn actions<A>(paths: &BTreeMap<&'static str, Vec<Route<A>>>) -> BTreeMap<&'static str, &'static str> {
    let mut actions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, rows) in paths {
        if let Some((record, _)) = path.rsplit_once('/').filter(|(record, _)| record.ends_with('}'))
            && rows.iter().all(|row| row.method == Method::POST)
        {
            actions.entry(record).or_default().push(format!("POST {path}"));
        }
    }
    actions.into_iter().map(|(record, actions)| (record, &*actions.join(", ").leak())).collect()
}

/// The paths of a table that list something.
pub(crate) fn lists<A>(table: &[Route<A>]) -> Arc<[&'static str]> {
    table.iter().filter(|row| row.id.starts_with("list")).map(|row| row.path).collect()
}

/// The nearest of these paths above an unknown one, whose reader may look for a record of the list.
pub(crate) fn list_above(lists: &[&'static str], path: &str) -> Option<&'static str> {
    let fits = |list: &str, path: &str| {
        let (list, path) = (list.split('/'), path.split('/'));
        list.clone().count() == path.clone().count()
            && list.zip(path).all(|(named, given)| named == given || named.starts_with('{'))
    };
    let above = |path: &str| path.rfind('/');
    let ancestors = std::iter::successors(above(path), |end| above(&path[..*end]));
    ancestors.map(|end| &path[..end]).find_map(|above| lists.iter().find(|list| fits(list, above)).copied())
}

/// The methods of a path as `Allow` lists them (RFC 9110 §10.2.1).
fn allowed<A>(rows: &[Route<A>]) -> String {
    let mut methods: Vec<&str> = rows.iter().map(|row| row.method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.join(", ")
}
