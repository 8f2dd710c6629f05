//! The router of a route table of the JSON APIs, with its gate.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::context::{Incoming, Routed};
use super::error::ApiError;
use super::route::{Rest, Route};
use crate::http::router::{self, Handled, PathParams, PathRoutes, caught};

/// Authenticates the caller of every request and then authorizes the route.
pub(crate) trait Gate<A>: Clone + Send + Sync + 'static {
    type Identity: Send;

    fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Self::Identity) -> F + Send,
    ) -> impl Future<Output = Response> + Send;

    fn authorize(
        &self,
        identity: Self::Identity,
        access: &A,
        routed: Routed,
    ) -> impl Future<Output = Result<Incoming, ApiError>> + Send;
}

/// Builds the router of a table. A request with an unsupported method gets the error envelope with `Allow`.
pub(crate) fn router<A: Send + Sync + 'static>(table: Vec<Route<A>>, gate: &impl Gate<A>) -> Router {
    let (places, gate) = (PathRoutes::all(table), gate.clone());
    // The table is built once per process, so the texts may leak.
    let refused =
        |place: &PathRoutes<Rest<A>>| (&*place.allow().leak(), &*actions(&places, place.path).leak());
    let refused: BTreeMap<_, _> = places.iter().map(|place| (place.path, refused(place))).collect();
    router::router(places, move |place, request| {
        let (gate, refused) = (gate.clone(), refused.get(place.path).copied().unwrap_or_default());
        async move {
            let next = |request, identity| {
                caught(dispatch(request, identity, &place, refused, &gate))
                    .map(|answer| answer.unwrap_or_else(IntoResponse::into_response))
            };
            gate.authenticate(request, next).await
        }
    })
}

pub(crate) fn open<F, Fut>(path: &'static str, answer: F) -> Router
where
    F: Fn() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Response> + Send + 'static,
{
    router::at(path, move |request| {
        let answer = answer.clone();
        async move {
            match *request.method() {
                Method::GET | Method::HEAD => caught_open(async { answer().await }).await,
                _ => ApiError::MethodNotAllowed("GET, HEAD", "").into_response(),
            }
        }
    })
}

/// Runs the handler of a path without a gate. If the handler panics, returns a 500 with the error envelope.
pub(crate) fn caught_open(answer: impl Future<Output = Response>) -> impl Future<Output = Response> {
    caught(answer.map(Ok)).map(|answer| answer.unwrap_or_else(|fault: ApiError| fault.into_response()))
}

async fn dispatch<A: Send + Sync + 'static, G: Gate<A>>(
    request: Request,
    identity: G::Identity,
    place: &PathRoutes<Rest<A>>,
    (allow, actions): (&'static str, &'static str),
    gate: &G,
) -> Handled<Rest<A>> {
    let row = place.row(request.method()).ok_or(ApiError::MethodNotAllowed(allow, actions))?;
    let (mut parts, body) = request.into_parts();
    let params = PathParams::of(&mut parts).await;
    let incoming = gate.authorize(identity, &row.access, Routed { parts, params, body }).await?;
    row.answer(incoming).await
}

/// Lists the actions on the record of a path, for the 405 message.
fn actions<A: Send + Sync + 'static>(places: &[PathRoutes<Rest<A>>], record: &str) -> String {
    let is_action = |place: &&PathRoutes<Rest<A>>| {
        place.path.rsplit_once('/').is_some_and(|(above, _)| above == record)
            && record.ends_with('}')
            && place.rows.iter().all(|row| row.method == Method::POST)
    };
    let actions = places.iter().filter(is_action).map(|place| format!("POST {}", place.path));
    actions.collect::<Vec<_>>().join(", ")
}

/// The paths of the operations whose id begins with `list`.
pub(crate) fn lists<A: Send + Sync + 'static>(table: &[Route<A>]) -> Arc<[&'static str]> {
    table.iter().filter(|row| row.about.id.starts_with("list")).map(|row| row.path).collect()
}

/// Returns the path that the message of a 404 suggests: the longest beginning of the unknown `path` that is the path of
/// a list.
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
