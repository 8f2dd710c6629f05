//! What a row of the public table says of its endpoint: who may come, and what the document tells of it.

use std::any::TypeId;
use std::future::Future;

use actors::domain::Scope;
use axum::http::Method;
use serde_json::Value;
use utoipa::ToSchema;

use crate::http::call::{Call, Described};
use crate::http::describe::{Describe, Schemas};
use crate::http::error::Code;
use crate::http::query::FromParameters;
use crate::http::read::FromJson;
use crate::http::routes::{Handled, Route, route};

/// Who may call an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any valid key, even of a suspended business.
    AnyKey,
    /// A key with this scope.
    Scope(Scope),
}

impl From<Scope> for Access {
    fn from(scope: Scope) -> Self {
        Self::Scope(scope)
    }
}

/// How an endpoint answers when all is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// 200 with a resource and its tag.
    One,
    /// 201 with a new resource and its tag.
    Created,
    /// 200 with a page of a list.
    List,
    /// 200 with something that is no resource and has no tag.
    Plain,
    /// 204.
    Gone,
}

/// A body as the document tells of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Takes {
    pub(crate) required: bool,
    pub(crate) describe: fn(&mut Schemas) -> Value,
}

/// One operation of the API.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) access: Access,
    /// The name by which generated clients call it; it never changes.
    pub(crate) id: &'static str,
    /// What it does, in a few words.
    pub(crate) summary: &'static str,
    /// What else there is to know, in sentences.
    pub(crate) details: &'static str,
    pub(crate) query: Option<fn(&mut Schemas) -> Vec<Value>>,
    pub(crate) body: Option<Takes>,
    pub(crate) answers: Answers,
    pub(crate) shows: Option<fn(&mut Schemas) -> Value>,
    /// The errors it can give beyond those that follow from its method and path.
    pub(crate) refuses: &'static [Code],
    described: Described,
}

impl Operation {
    /// The types it is described with.
    pub(crate) fn described(&self) -> Described {
        self.described
    }
}

/// The beginning of a row: where it is, who may come, who handles it. It still needs its name and its answer.
#[must_use]
pub(super) struct Place<F> {
    method: Method,
    path: &'static str,
    access: Access,
    handler: F,
}

/// A row that still needs its answer.
#[must_use]
pub(super) struct Draft<F> {
    place: Place<F>,
    operation: Operation,
}

macro_rules! methods {
    ($($name:ident $method:ident),* $(,)?) => {$(
        #[doc = concat!("A row for ", stringify!($method), ".")]
        #[allow(dead_code, reason = "part of the vocabulary of the table")]
        pub(super) fn $name<F>(path: &'static str, access: impl Into<Access>, handler: F) -> Place<F> {
            Place { method: Method::$method, path, access: access.into(), handler }
        }
    )*};
}

methods!(get GET, post POST, patch PATCH, delete DELETE);

impl<F> Place<F> {
    /// The operation's name, and what it does in a few words.
    pub(super) fn named(self, id: &'static str, summary: &'static str) -> Draft<F> {
        let operation = Operation {
            access: self.access,
            id,
            summary,
            details: "",
            query: None,
            body: None,
            answers: Answers::Gone,
            shows: None,
            refuses: &[],
            described: Described::default(),
        };
        Draft { place: self, operation }
    }
}

impl<F, Fut> Draft<F>
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Handled> + Send + 'static,
{
    /// What else there is to know.
    pub(super) fn details(mut self, details: &'static str) -> Self {
        self.operation.details = details;
        self
    }

    /// The query string it reads.
    pub(super) fn query<Q: FromParameters + 'static>(mut self) -> Self {
        self.operation.query = Some(Q::parameters);
        self.operation.described.query = Some(TypeId::of::<Q>());
        self
    }

    /// The body it reads.
    pub(super) fn body<B: FromJson + 'static>(mut self) -> Self {
        self.operation.body = Some(Takes { required: B::REQUIRED, describe: <B as Describe>::describe });
        self.operation.described.body = Some(TypeId::of::<B>());
        self
    }

    /// The errors it can give beyond those that follow from its method and path.
    pub(super) fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.operation.refuses = codes;
        self
    }

    /// Answers 200 with a resource.
    pub(super) fn one<V: ToSchema + 'static>(self) -> Route<Operation> {
        self.showing::<V>(Answers::One)
    }

    /// Answers 201 with a new resource.
    pub(super) fn created<V: ToSchema + 'static>(self) -> Route<Operation> {
        self.showing::<V>(Answers::Created)
    }

    /// Answers 200 with a page of a list.
    pub(super) fn list<V: ToSchema + 'static>(self) -> Route<Operation> {
        self.showing::<V>(Answers::List)
    }

    /// Answers 200 with something that is no resource.
    #[allow(dead_code, reason = "part of the vocabulary of the table")]
    pub(super) fn plain<V: ToSchema + 'static>(self) -> Route<Operation> {
        self.showing::<V>(Answers::Plain)
    }

    /// Answers 204.
    #[allow(dead_code, reason = "part of the vocabulary of the table")]
    pub(super) fn gone(self) -> Route<Operation> {
        self.answering(Answers::Gone)
    }

    fn showing<V: ToSchema + 'static>(mut self, answers: Answers) -> Route<Operation> {
        self.operation.shows = Some(Schemas::view::<V>);
        self.operation.described.shows = Some(TypeId::of::<V>());
        self.answering(answers)
    }

    fn answering(mut self, answers: Answers) -> Route<Operation> {
        self.operation.answers = answers;
        let Place { method, path, handler, .. } = self.place;
        route(method, path, self.operation, handler)
    }
}
