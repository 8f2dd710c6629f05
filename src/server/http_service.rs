use std::convert::Infallible;

use axum::body::Body;
use hyper::{Request, Response};
use tower::Service;

/// The interface between the server and the application: infallible, always ready, and cheap to clone.
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
