//! The macros that declare request types. One declaration says what a body or a query may hold; reading follows from
//! it, and its doc comments are the descriptions of the published document.

/// Declares the struct of a JSON body and its [`FromJson`](crate::http::read::FromJson).
///
/// Every property is read even when others are wrong; unknown and duplicate ones are problems. A property that is
/// no Rust name is declared `kind as "type": …`. What must hold between properties is a function after `check`.
#[macro_export]
macro_rules! json_object {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $json:literal)? : $type:ty),* $(,)?
        }
        $(check $check:path $(, described $described:path)?)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub(crate) $field: $type,)*
        }

        impl $crate::http::read::FromJson for $name {
            fn from_json(
                json: &$crate::http::json::Json,
                at: &$crate::http::problems::Path<'_>,
                problems: &mut $crate::http::problems::Problems,
            ) -> Option<Self> {
                const NAMES: &[&str] = &[$($crate::name_of!($field $($json)?)),*];
                let properties = $crate::http::read::Properties::sort(json, NAMES, at, problems)?;
                $($check(&properties, at, problems);)?
                $(let $field: Option<$type> =
                    properties.read($crate::name_of!($field $($json)?), at, problems);)*
                Some(Self { $($field: $field?,)* })
            }
        }

        impl $crate::http::describe::Describe for $name {
            fn describe(schemas: &mut $crate::http::schemas::Schemas) -> ::serde_json::Value {
                use $crate::http::describe::Declared;
                let properties = vec![$(Declared::property::<$type>(
                    $crate::name_of!($field $($json)?), &[$($field_doc),*], schemas)),*];
                $crate::http::describe::object(stringify!($name), &[$($doc),*], properties, |_object| { $($($described(_object);)?)? }, schemas)
            }
        }
    };
}

/// Declares the struct of a query string and its [`FromParameters`](crate::http::query::FromParameters), as
/// [`json_object!`](crate::json_object) does for a body.
#[macro_export]
macro_rules! query_object {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $parameter:literal)? : $type:ty),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub(crate) $field: $type,)*
        }

        impl $crate::http::query::FromParameters for $name {
            const NAMES: &'static [&'static str] = &[$($crate::name_of!($field $($parameter)?)),*];

            fn from_parameters(
                parameters: &$crate::http::query::Parameters,
                problems: &mut $crate::http::problems::Problems,
            ) -> Option<Self> {
                $(let $field: Option<$type> =
                    parameters.read($crate::name_of!($field $($parameter)?), problems);)*
                Some(Self { $($field: $field?,)* })
            }

            fn parameters(schemas: &mut $crate::http::schemas::Schemas) -> Vec<::serde_json::Value> {
                use $crate::http::describe::Declared;
                vec![$(Declared::parameter::<$type>(
                    $crate::name_of!($field $($parameter)?), &[$($field_doc),*], schemas).into_parameter()),*]
            }
        }
    };
}

/// The name of a declared property: as written, or as the field is called.
#[doc(hidden)]
#[macro_export]
macro_rules! name_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}
