//! The rows of the JSON APIs: those of [`crate::http::router`], with what the document says beside what the handler's
//! signature says.
//!
//! Handlers are async functions of a [`Context`], then of up to three inputs, that give an output or an error. What
//! always holds: what a handler reads and answers is what its signature says, and nothing is read that is not described.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::http::Method;

use super::context::{Context, Incoming};
use super::error::{ApiError, Code};
use super::input::{Input, Taken, check_rest, in_order};
use super::output::{self, Kind, Output};
use crate::http::router::{self, Handled, Handler, Surface};
use crate::http::schemas::Schemas;

/// A surface whose requests and answers are JSON; `A` says who may come to a route.
#[allow(dead_code, reason = "it names a surface and has no value")]
pub(crate) struct Rest<A>(PhantomData<A>);

impl<A: Send + Sync + 'static> Surface for Rest<A> {
    type Access = A;
    type Incoming = Incoming;
    type Refused = ApiError;
    type About = Operation;
}

/// One row of a table.
pub(crate) type Route<A> = router::Route<Rest<A>>;

/// What the document says of a route.
pub(crate) struct Operation {
    /// The name by which generated clients call it; it never changes.
    pub(crate) id: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// What else there is to know, in sentences.
    pub(crate) details: &'static str,
    /// The errors it can give beyond those that follow from its method, its path and its handler.
    pub(crate) refuses: &'static [Code],
    /// Whether a deletion by it goes by `If-Match`, as every change of a record does.
    pub(crate) conditional: bool,
    /// What its handler takes and gives.
    pub(crate) describe: fn(&mut Schemas) -> Signature,
}

impl<A: Send + Sync + 'static> Route<A> {
    /// The same with what else there is to know.
    pub(crate) fn details(mut self, details: &'static str) -> Self {
        self.about.details = details;
        self
    }

    /// The same of a deletion that goes by `If-Match`.
    pub(crate) fn conditional(mut self) -> Self {
        self.about.conditional = true;
        self
    }

    /// The same with the errors it can give beyond those that follow from its method, its path and its handler.
    pub(crate) fn refuses(mut self, refuses: &'static [Code]) -> Self {
        self.about.refuses = refuses;
        self
    }
}

/// The beginning of a row: where it is, who may come, who handles it. It still needs its name.
#[must_use]
pub(crate) struct Unnamed<A: Send + Sync + 'static>(Route<A>);

impl<A: Send + Sync + 'static> Unnamed<A> {
    /// The operation's name, and what it does in a few words.
    pub(crate) fn named(mut self, id: &'static str, summary: &'static str) -> Route<A> {
        (self.0.about.id, self.0.about.summary) = (id, summary);
        self.0
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),* $(,)?) => {$(
        #[doc = concat!("A row for ", stringify!($method), ".")]
        pub(crate) fn $name<A: Send + Sync + 'static, H: Handler<Rest<A>, I> + Described<I>, I: 'static>(
            path: &'static str,
            access: impl Into<A>,
            handler: H,
        ) -> Unnamed<A> {
            let describe = H::describe;
            let about = Operation { id: "", summary: "", details: "", refuses: &[], conditional: false, describe };
            Unnamed(Route::new(Method::$method, path, access.into(), about, handler))
        }
    )*};
}

methods!(get GET, post POST, put PUT, patch PATCH, delete DELETE);

/// What the document tells of a handler.
#[derive(Debug)]
pub(crate) struct Signature {
    /// What it takes.
    pub(crate) takes: Taken,
    /// How it answers when all is well.
    pub(crate) answers: Kind,
    /// What the answer shows.
    pub(crate) shows: Option<output::Described>,
}

/// A handler that the document describes; `Inputs` are its arguments after the context.
pub(crate) trait Described<Inputs> {
    /// What the document tells of it.
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
                const { assert!(in_order(&[$($input::PART),*]), "syntax before what is named, nothing twice") };
                check_rest(&mut incoming, &[$($input::PART),*]).await?;
                $(
                    #[allow(non_snake_case, reason = "each input is named as its type is")]
                    let $input = $input::read(&mut incoming).await?;
                )*
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
                #[allow(unused_mut, reason = "there may be no input")]
                let mut takes = Taken::default();
                $($input::describe(&mut takes, schemas);)*
                Signature { takes, answers: O::KIND, shows: O::shows(schemas) }
            }
        }
    };
}

handlers!();
handlers!(First);
handlers!(First Second);
handlers!(First Second Third);
