//! A JSON tree that keeps duplicate properties, so readers can refuse them.
//!
//! Invariant: a parsed tree has at most 128 levels (the limit of serde_json) and contains valid Unicode
//! only.

use std::fmt;

use domain::{Problem, ProblemCode};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// 2^53. Up to this number, an `f64` represents every whole number exactly.
const EXACT_FLOAT_MAX: f64 = 9_007_199_254_740_992.0;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Integer(i128),
    /// A number that is not a [`Json::Integer`]. It is finite.
    Float(f64),
    String(String),
    Array(Vec<Json>),
    /// The properties in their written order, with duplicates.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a JSON text. If the text is empty or only white space, the error is [`ProblemCode::EmptyBody`]. For any
    /// other invalid text, the error is [`ProblemCode::InvalidJson`] with the line and the column. A text is invalid if
    /// it contains a syntax error, invalid UTF-8, a lone surrogate, a number out of range, nesting that is too deep, or
    /// text after the value.
    pub fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Problem::new("", ProblemCode::EmptyBody));
        }
        let problem =
            |error: serde_json::Error| Problem::new("", ProblemCode::InvalidJson(error.to_string()));
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let json = Self::deserialize(&mut reader).map_err(problem)?;
        reader.end().map_err(problem)?;
        Ok(json)
    }

    pub fn property(&self, name: &str) -> Option<&Self> {
        let Self::Object(properties) = self else { return None };
        properties.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn property_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(properties) = self else { return None };
        properties.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The value as a whole number, in any notation (`30`, `30.0`, `3e1`), or `None`.
    pub fn as_whole(&self) -> Option<i128> {
        match *self {
            Self::Integer(number) => Some(number),
            Self::Float(number) if number.fract() == 0.0 && number.abs() <= EXACT_FLOAT_MAX => {
                Some(number as i128)
            }
            _ => None,
        }
    }

    /// The canonical form, for fingerprints. It does not depend on white space, escapes, the order of
    /// properties, or the notation of whole numbers up to 2^53.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_canonical(&mut out);
        out
    }

    fn write_canonical(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(true) => out.extend_from_slice(b"true"),
            Self::Bool(false) => out.extend_from_slice(b"false"),
            Self::Integer(_) | Self::Float(_) => match (self.as_whole(), self) {
                (Some(number), _) => out.extend_from_slice(number.to_string().as_bytes()),
                (None, Self::Float(number)) => out.extend_from_slice(format!("{number:e}").as_bytes()),
                (None, _) => unreachable!("an integer is whole"),
            },
            Self::String(text) => write_string(text, out),
            Self::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    out.push(if index == 0 { b'[' } else { b',' });
                    item.write_canonical(out);
                }
                out.extend_from_slice(if items.is_empty() { b"[]" } else { b"]" });
            }
            Self::Object(properties) => {
                let mut sorted: Vec<_> = properties.iter().collect();
                // The sort is stable, so duplicate properties keep their order.
                sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
                for (index, (name, value)) in sorted.into_iter().enumerate() {
                    out.push(if index == 0 { b'{' } else { b',' });
                    write_string(name, out);
                    out.push(b':');
                    value.write_canonical(out);
                }
                out.extend_from_slice(if properties.is_empty() { b"{}" } else { b"}" });
            }
        }
    }
}

/// Writes a string and escapes as few characters as possible.
fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree)
    }
}

struct Tree;

impl<'de> Visitor<'de> for Tree {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut properties = Vec::new();
        while let Some(property) = map.next_entry()? {
            properties.push(property);
        }
        Ok(Json::Object(properties))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        String::from_utf8(Json::parse(text.as_bytes()).unwrap().canonical()).unwrap()
    }

    #[test]
    fn duplicates_and_order_are_preserved() {
        let json = Json::parse(br#"{"b":1,"a":[null,true],"b":"x"}"#).unwrap();
        let expected = [
            ("b".to_owned(), Json::Integer(1)),
            ("a".to_owned(), Json::Array(vec![Json::Null, Json::Bool(true)])),
            ("b".to_owned(), Json::String("x".into())),
        ];
        assert_eq!(json, Json::Object(expected.into()));
    }

    #[test]
    fn integers_are_exact() {
        for number in [i128::from(u64::MAX), i128::from(i64::MIN), 9_007_199_254_740_993] {
            assert_eq!(Json::parse(number.to_string().as_bytes()).unwrap(), Json::Integer(number));
        }
    }

    #[test]
    fn an_invalid_text_is_one_problem_with_line_and_column() {
        let deep = [b"[".repeat(129), b"]".repeat(129)].concat();
        let bad: [&[u8]; 11] = [
            b"{",
            b"{} {}",
            b"{'a':1}",
            b"[1,]",
            b"1e999",
            b"\"\xff\"",
            br#""\ud800""#,
            br#"{"\udc00":1}"#,
            br#""\ud800\u0041""#,
            b"\xef\xbb\xbf{}",
            &deep,
        ];
        for bytes in bad {
            let problem = Json::parse(bytes).unwrap_err();
            assert_eq!(problem.path, "");
            let ProblemCode::InvalidJson(words) = problem.code else { panic!("{problem:?}") };
            assert!(words.contains("line 1 column"), "{words} for {}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(Json::parse(b" \n").unwrap_err().code, ProblemCode::EmptyBody);
    }

    #[test]
    fn the_maximum_nesting_is_accepted() {
        let deep = [b"[".repeat(127), b"]".repeat(127)].concat();
        assert!(Json::parse(&deep).is_ok());
    }

    #[test]
    fn equivalent_bodies_have_the_same_canonical_form() {
        assert_eq!(
            canonical(r#" {"b": [1, 2.5], "a": "\u00e9\/\n"} "#),
            "{\"a\":\"é/\\u000a\",\"b\":[1,2.5e0]}"
        );
        for one in ["1", "1.0", "1e0", "10e-1"] {
            assert_eq!(canonical(one), "1");
        }
        assert_eq!(canonical("-0"), "0");
        assert_eq!(canonical("9007199254740993"), "9007199254740993");
        assert_ne!(canonical("[1,[2]]"), canonical("[[1],2]"));
        assert_ne!(canonical(r#"{"a":"1"}"#), canonical(r#"{"a":1}"#));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Json::parse(&bytes).map(|json| json.canonical());
        }

        #[test]
        fn the_canonical_form_is_json_and_its_own_canonical_form(text in r#"[\[\]{},:"a-c\\0-9eE.+ -]{0,40}"#) {
            if let Ok(json) = Json::parse(text.as_bytes()) {
                let once = json.canonical();
                prop_assert_eq!(Json::parse(&once).unwrap().canonical(), once);
            }
        }
    }
}
