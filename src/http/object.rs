//! The macros that declare request types. One declaration gives the reader and the schema. The doc
//! comments in the declaration become the descriptions in the schema.
//!
//! Request types do not use the derive macro of schemars. That macro describes what serde accepts, so its schemas would
//! allow `null` for optional query parameters. It also does not support PATCH.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::read::FromJson;

#[derive(Debug, Default)]
pub struct Declared {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    patches: Vec<bool>,
    last: &'static str,
}

impl Declared {
    pub fn property<T: FromJson>(
        &mut self,
        name: &'static str,
        doc: &[&str],
        generator: &mut SchemaGenerator,
    ) {
        self.patches.push(T::PATCH);
        self.add::<T>(name, doc, T::REQUIRED, generator);
    }

    pub fn add<T: JsonSchema>(
        &mut self,
        name: &'static str,
        doc: &[&str],
        required: bool,
        generator: &mut SchemaGenerator,
    ) {
        let mut schema = generator.subschema_for::<T>();
        schema.insert("description".into(), json!(doc.join("\n")));
        self.properties.insert(name.to_owned(), schema.to_value());
        self.last = name;
        self.required.extend(required.then_some(name));
    }

    /// Sets the default of the property that was added last.
    pub fn if_absent(&mut self, value: impl Into<Value>) {
        self.properties[self.last]["default"] = value.into();
    }

    /// Returns the schema of the object. `more` adds the rules between properties.
    pub fn object(self, doc: &[&str], more: &[fn(&mut Schema)]) -> Schema {
        let mut object =
            json_schema!({"type": "object", "description": doc.join("\n"), "properties": self.properties});
        if is_patch(&self.patches) {
            object.insert("minProperties".into(), json!(1));
        }
        if !self.required.is_empty() {
            object.insert("required".into(), json!(self.required));
        }
        more.iter().for_each(|more| more(&mut object));
        object
    }
}

/// Changes the schema so that an object must have all properties of exactly one of these lists. For each list, `oneOf`
/// gets a complete schema with a title. Client generators make a type of such a schema, but they ignore a schema that
/// consists only of required names. The listed properties are never null.
pub fn one_of(object: &mut Schema, choices: &[(&str, &[&str])]) {
    let whole = std::mem::take(object);
    if let Some(description) = whole.get("description") {
        object.insert("description".into(), description.clone());
    }
    let names = || choices.iter().flat_map(|(_, list)| list.iter().copied());
    let one = |(title, list): &(&str, &[&str])| {
        let mut one = whole.clone().to_value();
        one.as_object_mut().map(|one| one.remove("description"));
        one["title"] = json!(title);
        let required = one["required"].as_array().cloned().unwrap_or_default();
        one["required"] = required.into_iter().chain(list.iter().map(|name| json!(name))).collect();
        for name in names() {
            if list.contains(&name) {
                never_null(&mut one["properties"][name]);
            } else {
                one["properties"].as_object_mut().map(|properties| properties.remove(name));
            }
        }
        one
    };
    object.insert("oneOf".into(), choices.iter().map(one).collect());
}

fn never_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    let is_null = |of: &Value| *of == "null";
    if let Some(types) = property.get("type").and_then(Value::as_array)
        && let Some(only) = types.iter().find(|of| !is_null(of)).cloned()
    {
        property.insert("type".into(), only);
    }
    if let Some(Value::Array(choices)) = property.remove("anyOf") {
        let kept = choices.into_iter().filter(|choice| !is_null(&choice["type"]));
        property.extend(kept.filter_map(|choice| choice.as_object().cloned()).flatten());
    }
}

/// Whether an object type is the body of a PATCH request: the type has properties, and a request that leaves out a
/// property does not change the property. `properties` contains the [`FromJson::PATCH`] of each property.
pub fn is_patch(properties: &[bool]) -> bool {
    properties.contains(&true) && !properties.contains(&false)
}

/// Declares the struct of a JSON body, its [`FromJson`](crate::http::read::FromJson) and its schema. The reader reports
/// the problems of all properties, including unknown and duplicate ones. The field in `kind as "type": …` has the JSON
/// name `type`. With `= value`, the schema states this value as the default of the property. The function after `check`
/// checks rules between properties, and the function after `described` adds these rules to the schema.
#[macro_export]
macro_rules! json_object {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $json:literal)? : $type:ty $(= $default:literal)?),* $(,)?
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
                at: &$crate::http::problems::FieldPath<'_>,
                problems: &mut $crate::http::problems::Problems,
            ) -> Option<Self> {
                const NAMES: &[&str] = &[$($crate::name_of!($field $($json)?)),*];
                let properties = $crate::http::read::Properties::sort(json, NAMES, at, problems)?;
                if $crate::http::object::is_patch(&[$(<$type as $crate::http::read::FromJson>::PATCH),*]) {
                    properties.not_empty(at, problems);
                }
                $($check(&properties, at, problems);)?
                $(let $field: Option<$type> =
                    properties.read($crate::name_of!($field $($json)?), at, problems);)*
                Some(Self { $($field: $field?,)* })
            }
        }

        $crate::declared_schema!($name [$($doc),*] |generator, declared| {
            $(
                declared.property::<$type>($crate::name_of!($field $($json)?), &[$($field_doc),*], generator);
                $(declared.if_absent($default);)?
            )*
        } $($($described)?)?);
    };
}

/// Declares the struct of a query string, like [`json_object!`](crate::json_object).
#[macro_export]
macro_rules! query_object {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $parameter:literal)? : $type:ty
                $(= $default:literal)?),* $(,)?
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
        }

        $crate::declared_schema!($name [$($doc),*] |generator, declared| {
            use $crate::http::query::FromQuery;
            $(
                declared.add::<<$type as FromQuery>::Given>(
                    $crate::name_of!($field $($parameter)?),
                    &[$($field_doc),*],
                    <$type as FromQuery>::REQUIRED,
                    generator,
                );
                $(declared.if_absent($default);)?
            )*
        });
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! declared_schema {
    ($name:ident $doc:tt |$generator:ident, $declared:ident| $add:block $($more:path)?) => {
        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            #[allow(unused_mut, unused_variables, reason = "an object may have no properties")]
            fn json_schema($generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let mut $declared = $crate::http::object::Declared::default();
                $add
                $declared.object(&$doc, &[$($more)?])
            }
        }
    };
}

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
