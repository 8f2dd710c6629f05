//! Lists: what narrows them, and which part of them is asked for.
//!
//! What always holds: a filter is declared once ([`list_query!`](crate::list_query)); the query that is read, what a
//! cursor is tied to and what the engine is asked for follow from it. A cursor is tied to every filter, in the order
//! in which they are declared: another order, or another filter, and the cursors of before are none of this list.

use actors::business::{Page, PageRequest};
use actors::domain::{
    CallId, CallOutcome, ContactId, DeliveryStatus, Direction, Email, MessageStatus, Phone, ServiceId,
    StaffId, Text, Timestamp,
};

use super::context::Context;
use super::error::ApiError;
use super::output::Listed;
use crate::http::cursor::{Binding, CursorText, Cursors};
use crate::http::lists::CommaList;
use crate::http::numbers::Limit;
use crate::http::query::FromParameters;
use crate::query_object;

/// A query for part of a list.
pub(crate) trait ListQuery: FromParameters {
    /// What narrows the list, as the engine takes it.
    type Filter;

    /// What is asked for of this list, its cursor opened.
    ///
    /// # Errors
    /// When the cursor is none of this list with these filters.
    fn open(self, context: &Context, list: Binding) -> Result<Asked<Self::Filter>, ApiError>;
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
    /// At most `limit` items after the cursor, which is tied to the binding.
    ///
    /// # Errors
    /// When the cursor is tied to another.
    pub(crate) fn new(
        context: &Context,
        filter: F,
        (limit, cursor): (usize, Option<&CursorText>),
        binding: Binding,
    ) -> Result<Self, ApiError> {
        let cursors = context.cursors.clone();
        let after = cursor.map(|cursor| cursors.open(&binding, cursor.as_str())).transpose()?;
        Ok(Self { filter, page: PageRequest { limit, after }, binding, cursors })
    }

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

query_object! {
    /// Which part of a list is asked for that nothing narrows.
    pub(crate) struct PlainList {
        /// At most so many.
        limit: Limit<50, 100>,
        /// Where an earlier page ended.
        cursor: Option<CursorText>,
    }
}

impl ListQuery for PlainList {
    type Filter = ();

    fn open(self, context: &Context, list: Binding) -> Result<Asked<()>, ApiError> {
        Asked::new(context, (), (self.limit.get(), self.cursor.as_ref()), list)
    }
}

/// Declares the query of a list that can be narrowed, as [`query_object!`](crate::query_object) does, and the filter
/// of the engine that it makes, whose fields have the same names. What every list has is added to it.
#[macro_export]
macro_rules! list_query {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident => $filter:ident {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $parameter:literal)? : $type:ty),* $(,)?
        }
    ) => {
        $crate::query_object! {
            $(#[doc = $doc])*
            $vis struct $name {
                $($(#[doc = $field_doc])* $field $(as $parameter)? : $type,)*
                /// At most so many.
                limit: $crate::http::numbers::Limit<50, 100>,
                /// Where an earlier page ended.
                cursor: Option<$crate::http::cursor::CursorText>,
            }
        }

        impl $crate::rest::list::ListQuery for $name {
            type Filter = $filter;

            fn open(
                self,
                context: &$crate::rest::context::Context,
                list: $crate::http::cursor::Binding,
            ) -> Result<$crate::rest::list::Asked<$filter>, $crate::rest::error::ApiError> {
                use $crate::rest::list::{Asked, Narrows};
                let Self { $($field,)* limit, cursor } = self;
                $(let list = $field.bind(list);)*
                let filter = $filter { $($field: $field.given(),)* };
                Asked::new(context, filter, (limit.get(), cursor.as_ref()), list)
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
        self.map(T::given)
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
    ContactId,
    DeliveryStatus,
    Direction,
    MessageStatus,
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
