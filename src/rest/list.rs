//! The queries of lists contain filters, a limit and a cursor.
//!
//! Invariants:
//! - A filter is declared once, with [`list_query!`](crate::list_query). The query parser, the cursor
//!   binding and the engine's filter follow from it.
//! - A cursor is bound to the values of all filters, in the order of their declaration. It is invalid after
//!   a filter was added, removed or moved in the declaration.

use chrono::NaiveDate;
use domain::{
    AppointmentId, CalendarSyncStatus, CallId, CallOutcome, Channel, ContactId, ConversationStatus,
    DeliveryStatus, Direction, Email, MessageStatus, NoticeChannel, NoticeKind, NoticeStatus, Phone,
    ProblemCode, ServiceId, StaffId, Text, Timestamp,
};
use engine::business::{Page, PageRequest};

use super::context::Context;
use super::error::ApiError;
use super::output::Listed;
use crate::http::cursor::{Binding, CursorText, Cursors};
use crate::http::lists::CommaList;
use crate::http::query::FromParameters;
use crate::list_query;

/// A list query. [`list_query!`](crate::list_query) implements it.
pub(crate) trait ListQuery: FromParameters {
    type Filter: From<Self>;

    /// Adjusts the query before a cursor is bound to it.
    fn normalized(self) -> Result<Self, ApiError> {
        Ok(self)
    }

    fn bind(&self, list: Binding) -> Binding;

    fn part(&self) -> (usize, Option<&CursorText>);

    /// Returns the page request. Fails if the cursor belongs to another list or other filters.
    fn open(self, context: &Context, list: Binding) -> Result<ListRequest<Self::Filter>, ApiError> {
        let query = self.normalized()?;
        let (binding, cursors) = (query.bind(list), context.cursors.clone());
        let (limit, cursor) = query.part();
        let after =
            cursor.map(|cursor| cursors.open(&binding, cursor.as_str()).ok_or(ProblemCode::NotACursor));
        let after = after.transpose().map_err(|code| ApiError::invalid("cursor", code))?;
        Ok(ListRequest { page: PageRequest { limit, after }, filter: query.into(), binding, cursors })
    }
}

pub(crate) struct ListRequest<F> {
    pub(crate) filter: F,
    pub(crate) page: PageRequest,
    binding: Binding,
    cursors: Cursors,
}

impl<F> ListRequest<F> {
    pub(crate) fn listed<V>(&self, found: Page<V>) -> Listed<V> {
        self.listed_as(found, std::convert::identity)
    }

    pub(crate) fn listed_as<T, V>(&self, found: Page<T>, view: impl Fn(T) -> V) -> Listed<V> {
        let next = found.next.map(|position| self.cursors.seal(&self.binding, &position));
        Listed { items: found.items.into_iter().map(view).collect(), next_cursor: next }
    }
}

list_query! {
    /// The query of a list without filters.
    pub(crate) struct PlainList {}
}

/// Declares a list query like [`query_object!`](crate::query_object) and adds `limit` and `cursor`. By default the
/// filter of the list is the query itself. With `=> Filter`, the filter is the engine's type `Filter`. The fields of
/// this type must have the same names as the fields of the query.
#[macro_export]
macro_rules! list_query {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident $(=> $filter:ident)? {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $parameter:literal)? : $type:ty
                $(= $default:literal)?),* $(,)?
        }
        $(#[doc = $limit_doc:literal])*
        limit: $limit:ty,
        $(normalize $normalize:path)?
    ) => {
        $crate::query_object! {
            $(#[doc = $doc])*
            $vis struct $name {
                $($(#[doc = $field_doc])* $field $(as $parameter)? : $type $(= $default)?,)*
                $(#[doc = $limit_doc])*
                limit: $limit,
                /// The `next_cursor` of the previous page.
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
                list$(.with_filter($crate::rest::list::Narrows::text(&self.$field)))*
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
            /// The maximum number of items.
            limit: $crate::http::numbers::Limit<50, 100>,
            $(normalize $normalize)?
        }
    };
}

/// Is used by [`list_query!`](crate::list_query) for two purposes:
///
/// - If the input has no list of fields in braces, the macro expands to the filter type of the list query. This type is
///   `$filter`, or `$query` if the input has no `$filter`.
/// - If the input has a list of fields in braces, the macro expands to the conversion from `$query` to `$filter`, or to
///   nothing if the input has no `$filter`.
#[doc(hidden)]
#[macro_export]
macro_rules! filter_of {
    ($query:ident) => { $query };
    ($query:ident $filter:ident) => { $filter };
    ($query:ident { $($field:ident)* }) => {};
    ($query:ident $filter:ident { $($field:ident)* }) => {
        impl From<$query> for $filter {
            #[allow(clippy::needless_update, reason = "the engine's filter may have further fields")]
            fn from(query: $query) -> Self {
                use $crate::rest::list::Narrows;
                Self { $($field: query.$field.given(),)* ..Self::default() }
            }
        }
    };
}

pub(crate) trait Narrows {
    /// The type of the field in the engine's filter.
    type Given;

    /// The text for the cursor binding, if the parameter is present.
    fn text(&self) -> Option<String>;

    fn given(self) -> Self::Given;
}

impl<T: Narrows> Narrows for Option<T> {
    type Given = Option<T::Given>;

    fn text(&self) -> Option<String> {
        self.as_ref().and_then(T::text)
    }

    fn given(self) -> Option<T::Given> {
        self.map(T::given)
    }
}

impl<T: std::fmt::Display, const MAX: usize> Narrows for CommaList<T, MAX> {
    type Given = Vec<T>;

    fn text(&self) -> Option<String> {
        let words: Vec<String> = self.as_slice().iter().map(T::to_string).collect();
        Some(words.join(","))
    }

    fn given(self) -> Vec<T> {
        self.into_vec()
    }
}

impl<const MIN: usize, const MAX: usize> Narrows for Text<MIN, MAX> {
    type Given = String;

    fn text(&self) -> Option<String> {
        Some(self.as_str().to_owned())
    }

    fn given(self) -> String {
        self.into_string()
    }
}

macro_rules! filters {
    ($($type:ty),* $(,)?) => {$(
        impl Narrows for $type {
            type Given = Self;

            fn text(&self) -> Option<String> {
                Some(self.to_string())
            }

            fn given(self) -> Self {
                self
            }
        }
    )*};
}

filters!(
    Channel,
    ConversationStatus,
    AppointmentId,
    NoticeChannel,
    NoticeKind,
    NoticeStatus,
    CalendarSyncStatus,
    CallId,
    CallOutcome,
    bool,
    ContactId,
    DeliveryStatus,
    Direction,
    Email,
    MessageStatus,
    NaiveDate,
    Phone,
    ServiceId,
    StaffId,
    Timestamp,
);
