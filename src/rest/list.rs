//! Lists: what narrows them, and which part of them is asked for.
//!
//! What always holds: a filter is declared once ([`list_query!`](crate::list_query)), and what every list has is
//! declared here; the query that is read, what a cursor is tied to and what the engine is asked for follow from it. A
//! cursor is tied to every filter, in the order in which they are declared: another order, or another filter, and the
//! cursors of before are none of this list.

use chrono::NaiveDate;
use domain::{
    CallId, CallOutcome, ContactId, DeliveryStatus, Direction, Email, MessageStatus, Phone, ServiceId,
    StaffId, Text, Timestamp,
};
use engine::business::{Page, PageRequest};

use super::context::Context;
use super::error::ApiError;
use super::output::Listed;
use crate::http::cursor::{Binding, CursorText, Cursors};
use crate::http::lists::CommaList;
use crate::http::query::FromParameters;
use crate::list_query;

/// A query for part of a list; [`list_query!`](crate::list_query) declares them.
pub(crate) trait ListQuery: FromParameters {
    /// What narrows the list.
    type Filter: From<Self>;

    /// The query that is meant.
    ///
    /// # Errors
    /// When none can be.
    fn normalized(self) -> Result<Self, ApiError> {
        Ok(self)
    }

    /// Ties a cursor of this list to every filter.
    fn bind(&self, list: Binding) -> Binding;

    /// At most how many are asked for, and after which.
    fn part(&self) -> (usize, Option<&CursorText>);

    /// What is asked for of this list, its cursor opened.
    ///
    /// # Errors
    /// When the cursor is none of this list with these filters.
    fn open(self, context: &Context, list: Binding) -> Result<Asked<Self::Filter>, ApiError> {
        let query = self.normalized()?;
        let (binding, cursors) = (query.bind(list), context.cursors.clone());
        let (limit, cursor) = query.part();
        let after = cursor.map(|cursor| cursors.open(&binding, cursor.as_str())).transpose()?;
        Ok(Asked { page: PageRequest { limit, after }, filter: query.into(), binding, cursors })
    }
}

/// Which part of a list is asked for.
pub(crate) struct Asked<F> {
    /// What narrows the list.
    pub(crate) filter: F,
    /// The part of it.
    pub(crate) page: PageRequest,
    binding: Binding,
    cursors: Cursors,
}

impl<F> Asked<F> {
    /// The part that was found.
    pub(crate) fn listed<V>(&self, found: Page<V>) -> Listed<V> {
        self.listed_as(found, std::convert::identity)
    }

    /// The part that was found, as it is shown.
    pub(crate) fn listed_as<T, V>(&self, found: Page<T>, view: impl Fn(T) -> V) -> Listed<V> {
        let next = found.next.map(|position| self.cursors.seal(&self.binding, &position));
        Listed { items: found.items.into_iter().map(view).collect(), next_cursor: next }
    }
}

list_query! {
    /// Which part of a list is asked for that nothing narrows.
    pub(crate) struct PlainList {}
}

/// Declares the query of a list, as [`query_object!`](crate::query_object) does. What every list has is added to it.
///
/// What narrows the list is the query itself, or the filter of the engine that is named after `=>`, whose fields have
/// the names of the parameters. A list of another size than most says so in a `limit` of its own, and a function after
/// `normalize` makes of a query the one that is meant, before a cursor is tied to it.
#[macro_export]
macro_rules! list_query {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident $(=> $filter:ident)? {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $parameter:literal)? : $type:ty),* $(,)?
        }
        $(#[doc = $limit_doc:literal])*
        limit: $limit:ty,
        $(normalize $normalize:path)?
    ) => {
        $crate::query_object! {
            $(#[doc = $doc])*
            $vis struct $name {
                $($(#[doc = $field_doc])* $field $(as $parameter)? : $type,)*
                $(#[doc = $limit_doc])*
                limit: $limit,
                /// Where an earlier page ended.
                cursor: Option<$crate::http::cursor::CursorText>,
            }
        }

        impl $crate::rest::list::ListQuery for $name {
            type Filter = $crate::filter_of!($name $($filter)?);

            $(
                fn normalized(self) -> Result<Self, $crate::rest::error::ApiError> {
                    $normalize(self)
                }
            )?

            fn bind(&self, list: $crate::http::cursor::Binding) -> $crate::http::cursor::Binding {
                $(let list = $crate::rest::list::Narrows::bind(&self.$field, list);)*
                list
            }

            fn part(&self) -> (usize, Option<&$crate::http::cursor::CursorText>) {
                (self.limit.get(), self.cursor.as_ref())
            }
        }

        $crate::filter_of!($name $($filter)? { $($field)* });
    };
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident $(=> $filter:ident)? { $($fields:tt)* }
        $(normalize $normalize:path)?
    ) => {
        $crate::list_query! {
            $(#[doc = $doc])*
            $vis struct $name $(=> $filter)? { $($fields)* }
            /// At most so many.
            limit: $crate::http::numbers::Limit<50, 100>,
            $(normalize $normalize)?
        }
    };
}

/// What narrows the list of a query: the query itself or a filter of the engine, which is made from it field by field.
#[doc(hidden)]
#[macro_export]
macro_rules! filter_of {
    ($query:ident) => { $query };
    ($query:ident $filter:ident) => { $filter };
    ($query:ident { $($field:ident)* }) => {};
    ($query:ident $filter:ident { $($field:ident)* }) => {
        impl From<$query> for $filter {
            #[allow(clippy::needless_update, reason = "a filter may narrow by more than a query does")]
            fn from(query: $query) -> Self {
                use $crate::rest::list::Narrows;
                Self { $($field: query.$field.given(),)* ..Self::default() }
            }
        }
    };
}

/// A parameter that narrows a list.
pub(crate) trait Narrows {
    /// As the engine's filter has it.
    type Given;

    /// Ties a cursor to it.
    fn bind(&self, binding: Binding) -> Binding;

    /// As the engine's filter has it.
    fn given(self) -> Self::Given;
}

impl<T: Filter> Narrows for T {
    type Given = T::Given;

    fn bind(&self, binding: Binding) -> Binding {
        binding.with_filter(Some(self.text()))
    }

    fn given(self) -> T::Given {
        Filter::given(self)
    }
}

/// A value that a list can be narrowed to.
pub(crate) trait Filter {
    /// As the engine's filter has it.
    type Given;

    /// What a cursor is tied to.
    fn text(&self) -> String;

    /// As the engine's filter has it.
    fn given(self) -> Self::Given;
}

impl<T: Filter> Narrows for Option<T> {
    type Given = Option<T::Given>;

    fn bind(&self, binding: Binding) -> Binding {
        binding.with_filter(self.as_ref().map(T::text))
    }

    fn given(self) -> Option<T::Given> {
        self.map(Filter::given)
    }
}

impl<T: std::fmt::Display, const MAX: usize> Narrows for CommaList<T, MAX> {
    type Given = Vec<T>;

    fn bind(&self, binding: Binding) -> Binding {
        let words: Vec<String> = self.as_slice().iter().map(T::to_string).collect();
        binding.with(words.join(",").as_bytes())
    }

    fn given(self) -> Vec<T> {
        self.into_vec()
    }
}

macro_rules! filters {
    ($($type:ty),* $(,)?) => {$(
        impl Filter for $type {
            type Given = Self;

            fn text(&self) -> String {
                self.to_string()
            }

            fn given(self) -> Self {
                self
            }
        }
    )*};
}

filters!(
    CallId,
    CallOutcome,
    bool,
    ContactId,
    DeliveryStatus,
    Direction,
    MessageStatus,
    NaiveDate,
    ServiceId,
    StaffId,
    Timestamp,
);

macro_rules! text_filters {
    ($($type:ty),* $(,)?) => {$(
        impl Filter for $type {
            type Given = Self;

            fn text(&self) -> String {
                self.as_str().to_owned()
            }

            fn given(self) -> Self {
                self
            }
        }
    )*};
}

text_filters!(Email, Phone);

impl<const MIN: usize, const MAX: usize> Filter for Text<MIN, MAX> {
    type Given = String;

    fn text(&self) -> String {
        self.as_str().to_owned()
    }

    fn given(self) -> String {
        self.into_string()
    }
}
