//! Handlers: async functions of a [`Context`], then of up to three inputs, that give an output or an error.
//!
//! What always holds: what a handler reads and answers is what its signature says, and nothing is read that is not
//! described.

use std::sync::Arc;

use axum::response::Response;

use super::context::{Context, Incoming};
use super::error::ApiError;
use super::input::{Input, Taken, check_rest, in_order};
use super::output::{Described, Kind, Output};
use crate::http::schemas::Schemas;

/// What the document tells of a handler.
#[derive(Debug)]
pub(crate) struct Signature {
    /// What it takes.
    pub(crate) takes: Taken,
    /// How it answers when all is well.
    pub(crate) answers: Kind,
    /// What the answer shows.
    pub(crate) shows: Option<Described>,
}

/// A function that handles requests; `Inputs` are its arguments after the context.
pub(crate) trait Handler<Inputs>: Send + Sync + 'static {
    /// Reads the inputs, calls the function and answers.
    fn handle(&self, incoming: Incoming) -> impl Future<Output = Result<Response, ApiError>> + Send;

    /// What the document tells of it.
    fn describe(schemas: &mut Schemas) -> Signature;
}

macro_rules! handlers {
    ($($input:ident)*) => {
        impl<F, Fut, O, $($input),*> Handler<($($input,)*)> for F
        where
            F: Fn(Context, $($input),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<O, ApiError>> + Send,
            O: Output,
            $($input: Input,)*
        {
            async fn handle(&self, mut incoming: Incoming) -> Result<Response, ApiError> {
                const { assert!(in_order(&[$($input::PART),*]), "syntax before what is named, nothing twice") };
                check_rest(&mut incoming, &[$($input::PART),*]).await?;
                $(
                    #[allow(non_snake_case, reason = "each input is named as its type is")]
                    let $input = $input::read(&mut incoming).await?;
                )*
                let head = Arc::clone(&incoming.context.head);
                self(incoming.context, $($input),*).await?.answer(&head)
            }

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
handlers!(A);
handlers!(A B);
handlers!(A B C);
