//! What a server serves, as its listener and its connections see it.

use std::convert::Infallible;

use axum::body::Body;
use hyper::{Request, Response};
use tower::Service;

/// What a server serves: it answers requests, is always ready for one more, and is cheap to clone.
pub trait HttpService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<S> HttpService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}
