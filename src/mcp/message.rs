//! One JSON-RPC message, checked before `rmcp` parses it.
//!
//! Invariants:
//! - Invalid JSON gets the error -32700, and JSON that is not a message gets -32600.
//! - The arguments of a tool call are taken out of the message without modification. The tool parses them
//!   with the readers of `/v1` and reports their problems.

use std::collections::HashSet;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Value, json};

use super::bounds::short;
use super::params;
use crate::english;
use crate::http::json::Json;

const CALL: &str = "tools/call";

const ARGUMENTS: &str = "arguments";

// Ids and method names have a maximum length, because responses repeat them.
const ID_CHARS_MAX: usize = 256;
const METHOD_CHARS_MAX: usize = 256;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

#[derive(Debug)]
pub(super) struct Message {
    /// The message without the tool arguments.
    pub(super) bytes: Bytes,
    /// The tool arguments; null if the message has none.
    pub(super) arguments: Json,
}

#[derive(Debug)]
pub(super) struct Unreadable {
    status: StatusCode,
    id: Value,
    code: i32,
    message: String,
}

impl Unreadable {
    pub(super) fn otherwise(status: StatusCode, message: impl Into<String>) -> Self {
        // `rmcp` always gets the correct media type, so the media type is not the cause of a 415 from `rmcp`. The
        // client gets a 400 instead.
        let status =
            if status == StatusCode::UNSUPPORTED_MEDIA_TYPE { StatusCode::BAD_REQUEST } else { status };
        Self { status, id: Value::Null, code: INVALID_REQUEST, message: message.into() }
    }

    fn no_message(message: impl Into<String>) -> Self {
        Self::otherwise(StatusCode::BAD_REQUEST, message)
    }
}

impl IntoResponse for Unreadable {
    fn into_response(self) -> Response {
        let error = json!({"code": self.code, "message": self.message});
        let body = json!({"jsonrpc": "2.0", "id": self.id, "error": error}).to_string();
        (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}

impl Message {
    pub(super) fn read(bytes: &Bytes) -> Result<Self, Unreadable> {
        let mut json = Json::parse(bytes).map_err(|problem| Unreadable {
            code: PARSE_ERROR,
            ..Unreadable::no_message(english::problem(&problem.code))
        })?;
        if !matches!(json, Json::Object(_)) {
            return Err(Unreadable::no_message("a message must be one JSON object, not a batch"));
        }
        // The tool checks its arguments itself, so they are removed before the checks of the message.
        let arguments = take_arguments(&mut json);
        if let Some(name) = repeated_within(&json) {
            let name = short(name);
            return Err(Unreadable::no_message(format!("{name} is given twice")));
        }
        if !matches!(json.property("jsonrpc"), Some(Json::String(version)) if version == "2.0") {
            return Err(Unreadable::no_message("a message must contain \"jsonrpc\": \"2.0\""));
        }
        let id = match json.property("id") {
            None => Value::Null,
            Some(Json::String(id)) if id.chars().count() > ID_CHARS_MAX => {
                return Err(Unreadable::no_message(format!("an id has at most {ID_CHARS_MAX} characters")));
            }
            Some(Json::String(id)) => json!(id),
            Some(Json::Integer(id)) if i64::try_from(*id).is_ok() => json!(*id as i64),
            Some(_) => return Err(Unreadable::no_message("an id must be a string or an integer")),
        };
        match json.property("method") {
            Some(Json::String(method)) if method.chars().count() > METHOD_CHARS_MAX => {
                let message = format!("a method has at most {METHOD_CHARS_MAX} characters");
                return Err(Unreadable::no_message(message));
            }
            Some(Json::String(method)) => {
                // A notification gets no error.
                if let Some(message) =
                    params::problem(method, json.property("params")).filter(|_| !id.is_null())
                {
                    return Err(Unreadable { status: StatusCode::OK, id, code: INVALID_PARAMS, message });
                }
            }
            Some(_) => return Err(Unreadable::no_message("a method must be a string")),
            // The message is a response, although the service sent no request. `rmcp` refuses it.
            None => {}
        }
        Ok(match arguments {
            Some(arguments) => Self { bytes: json.canonical().into(), arguments },
            None => Self { bytes: bytes.clone(), arguments: Json::Null },
        })
    }
}

fn take_arguments(message: &mut Json) -> Option<Json> {
    message.property("method").and_then(Json::as_text).filter(|method| *method == CALL)?;
    let arguments = message.property_mut("params")?.property_mut(ARGUMENTS)?;
    Some(std::mem::replace(arguments, Json::Object(Vec::new())))
}

fn repeated_within(value: &Json) -> Option<&str> {
    match value {
        Json::Object(properties) => repeated(properties)
            .or_else(|| properties.iter().map(|(_, value)| value).find_map(repeated_within)),
        Json::Array(items) => items.iter().find_map(repeated_within),
        _ => None,
    }
}

fn repeated(properties: &[(String, Json)]) -> Option<&str> {
    let mut names = HashSet::new();
    properties.iter().map(|(name, _)| name.as_str()).find(|name| !names.insert(*name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Message, (u16, i32, Value)> {
        let read = Message::read(&Bytes::copy_from_slice(body.as_bytes()));
        read.map_err(|unreadable| (unreadable.status.as_u16(), unreadable.code, unreadable.id))
    }

    #[test]
    fn invalid_json_and_invalid_messages_get_different_errors() {
        for body in ["", "{", "{}{}", "\u{feff}{}", "nothing"] {
            assert_eq!(read(body).unwrap_err(), (400, -32700, Value::Null), "{body}");
        }
        for body in [
            "[]",
            "5",
            "null",
            "{}",
            r#"{"jsonrpc":"1.0","method":"ping","id":1}"#,
            r#"{"jsonrpc":"2.0","method":5,"id":1}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":null}"#,
            r#"{"jsonrpc":"2.0","method":"ping","id":1.5}"#,
            r#"{"jsonrpc":"2.0","method":"ping","method":"tools/list","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"prompts/get","id":1,"params":{"arguments":{"a":1,"a":2}}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","id":1,"params":{"name":"x","name":"y"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","id":1,"params":{"name":"x","_meta":{"a":[{"b":1,"b":1}]}}}"#,
            r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#,
        ] {
            assert_eq!(read(body).unwrap_err(), (400, -32600, Value::Null), "{body}");
        }
    }

    #[test]
    fn ids_and_methods_have_a_maximum_length() {
        let sent = |id: usize, method: usize| {
            let (id, method) = ("é".repeat(id), "m".repeat(method));
            read(&format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}"}}"#)).map(|_| ())
        };
        assert_eq!(sent(ID_CHARS_MAX, METHOD_CHARS_MAX), Ok(()));
        assert_eq!(sent(ID_CHARS_MAX + 1, 1).unwrap_err(), (400, -32600, Value::Null));
        assert_eq!(sent(1, METHOD_CHARS_MAX + 1).unwrap_err(), (400, -32600, Value::Null));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in r#"[\[\]{},:"a-z0-9 ]{0,60}|\{"jsonrpc":"2.0","method":"tools/call","params":[\[\]{},:"a-z0-9]{0,40}\}"#) {
            let _ = read(&text);
        }
    }

    #[test]
    fn a_call_without_a_tool_is_an_error_under_its_id() {
        for params in ["", r#","params":[]"#, r#","params":{}"#, r#","params":{"name":5}"#] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call"{params}}}"#);
            assert_eq!(read(&body).unwrap_err(), (200, -32602, json!("a")), "{params}");
        }
        // The parameters of methods other than `tools/call` are checked too. A notification with invalid parameters is
        // accepted, because a notification gets no response and so no error.
        let other = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#;
        assert_eq!(read(other).unwrap_err(), (200, -32602, json!(1)));
        assert!(read(&other.replace(r#""id":1,"#, "")).is_ok());
    }

    #[test]
    fn the_arguments_of_a_tool_are_removed_unchanged() {
        for (arguments, expected) in [
            (r#""text""#, Json::String("text".into())),
            (
                r#"{"a":1,"a":2}"#,
                Json::Object(vec![("a".into(), Json::Integer(1)), ("a".into(), Json::Integer(2))]),
            ),
            ("null", Json::Null),
        ] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#
            );
            let message = read(&body).unwrap();
            assert_eq!(message.arguments, expected);
            let left: Value = serde_json::from_slice(&message.bytes).unwrap();
            assert_eq!(left["params"], json!({"name": "x", "arguments": {}}));
        }
    }
}
