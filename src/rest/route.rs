//! The route tables of the JSON APIs. A row is a route of [`crate::http::router`] with its text for the API document.
//! A handler is an async function of a [`Context`] and up to three inputs, and reads only these inputs.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use axum::http::Method;
use serde_json::Value;

use super::context::{Context, Incoming};
use super::error::{ApiError, Code};
use super::input::{Input, Part, Taken, check_no_body, check_rest, in_order};
use super::output::{Kind, Output, described};
use crate::http::router::{self, Handled, Handler, Surface};
use crate::http::schemas::Schemas;

/// An API with JSON requests and responses. `A` is the access rule of a route.
pub(crate) type Rest<A> = PhantomData<A>;

impl<A: Send + Sync + 'static> Surface for Rest<A> {
    type Access = A;
    type Incoming = Incoming;
    type Refused = ApiError;
    type About = Operation;
}

pub(crate) type Route<A> = router::Route<Rest<A>>;

pub(crate) struct Operation {
    /// The `operationId`. It never changes, since generated clients use it as a name.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) details: &'static str,
    /// The error codes of this route, in addition to those that follow from method, path and handler.
    pub(crate) refuses: &'static [Code],
    /// Whether a deletion accepts `If-Match`. Changes to a record always accept it.
    pub(crate) conditional: bool,
    pub(crate) describe: fn(&mut Schemas) -> Signature,
}

impl<A: Send + Sync + 'static> Route<A> {
    pub(crate) fn named(mut self, id: &'static str, summary: &'static str) -> Self {
        (self.about.id, self.about.summary) = (id, summary);
        self
    }

    pub(crate) fn details(mut self, details: &'static str) -> Self {
        self.about.details = details;
        self
    }

    pub(crate) fn conditional(mut self) -> Self {
        self.about.conditional = true;
        self
    }

    pub(crate) fn refuses(mut self, refuses: &'static [Code]) -> Self {
        self.about.refuses = refuses;
        self
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),* $(,)?) => {$(
        pub(crate) fn $name<A: Send + Sync + 'static, H: Handler<Rest<A>, I> + Described<I>, I: 'static>(
            path: &'static str,
            access: impl Into<A>,
            handler: H,
        ) -> Route<A> {
            let describe = H::describe;
            let about = Operation { id: "", summary: "", details: "", refuses: &[], conditional: false, describe };
            Route::new(Method::$method, path, access.into(), about, handler)
        }
    )*};
}

methods!(get GET, post POST, put PUT, patch PATCH, delete DELETE);

/// The inputs and the output of a handler in the API document.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) takes: Taken,
    pub(crate) answers: Kind,
    pub(crate) shows: Option<(Cow<'static, str>, Value)>,
}

/// A handler with a description. `Inputs` are its arguments after the context.
pub(crate) trait Described<Inputs> {
    fn describe(schemas: &mut Schemas) -> Signature;
}

macro_rules! handlers {
    ($($input:ident)*) => {
        impl<A: Send + Sync + 'static, F, Fut, O, $($input),*> Handler<Rest<A>, ($($input,)*)> for F
        where
            F: Fn(Context, $($input),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<O, ApiError>> + Send,
            O: Output,
            $($input: Input,)*
        {
            async fn handle(&self, mut incoming: Incoming) -> Handled<Rest<A>> {
                const { assert!(in_order(&[$($input::PART),*]), "query and body must precede path inputs") };
                let parts: &[Part] = &[$($input::PART),*];
                check_rest(&incoming, parts)?;
                $(
                    if $input::PART == Part::Path {
                        check_no_body(&mut incoming, parts).await?;
                    }
                    #[allow(non_snake_case, reason = "each variable has the name of its type")]
                    let $input = $input::read(&mut incoming).await?;
                )*
                check_no_body(&mut incoming, parts).await?;
                let head = Arc::clone(&incoming.context.head);
                self(incoming.context, $($input),*).await?.answer(&head)
            }
        }

        impl<F, Fut, O, $($input),*> Described<($($input,)*)> for F
        where
            F: Fn(Context, $($input),*) -> Fut,
            Fut: Future<Output = Result<O, ApiError>>,
            O: Output,
            $($input: Input,)*
        {
            fn describe(schemas: &mut Schemas) -> Signature {
                #[allow(unused_mut, reason = "a handler may have no inputs")]
                let mut takes = Taken::default();
                $($input::describe(&mut takes, schemas);)*
                Signature { takes, answers: O::KIND, shows: described::<O>(schemas) }
            }
        }
    };
}

handlers!();
handlers!(First);
handlers!(First Second);
handlers!(First Second Third);
