//! One message of JSON-RPC, before the protocol's own reading.
//!
//! What always holds: what is no JSON is told as that (-32700), what is no message as that (-32600); the arguments of a
//! tool are taken out as they were written, so that the tool reads them by the readers of `/v1`, and tells whoever
//! wrote them what is wrong.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::http::json::Json;

/// The method by which a tool is called.
const CALL: &str = "tools/call";

/// What JSON-RPC calls what it cannot read.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// A message as the protocol is to read it.
#[derive(Debug)]
pub(super) struct Message {
    /// Its JSON, in which the arguments of a tool are an empty object.
    pub(super) bytes: Bytes,
    /// The arguments of the tool that it calls; null where it calls none, or says none.
    pub(super) arguments: Json,
}

/// Why a body is no message.
#[derive(Debug)]
pub(super) struct Unreadable {
    status: StatusCode,
    id: Value,
    code: i32,
    message: String,
}

impl Unreadable {
    /// What the protocol's own reading says of a message that it cannot read.
    pub(super) fn otherwise(status: StatusCode, message: impl Into<String>) -> Self {
        // There the media type was ours.
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

type Properties = [(String, Json)];

impl Message {
    /// Reads a body.
    pub(super) fn read(bytes: &Bytes) -> Result<Self, Unreadable> {
        let json = Json::parse(bytes)
            .map_err(|problem| Unreadable { code: PARSE_ERROR, ..Unreadable::no_message(problem.message) })?;
        let Json::Object(properties) = &json else {
            return Err(Unreadable::no_message("a message is one JSON object; batches are not taken"));
        };
        if !matches!(one(properties, "jsonrpc")?, Some(Json::String(version)) if version == "2.0") {
            return Err(Unreadable::no_message("a message says \"jsonrpc\": \"2.0\""));
        }
        let id = match one(properties, "id")? {
            None => Value::Null,
            Some(Json::String(id)) => json!(id),
            Some(Json::Integer(id)) if i64::try_from(*id).is_ok() => json!(*id as i64),
            Some(_) => return Err(Unreadable::no_message("an id is a string or a whole number")),
        };
        let params = one(properties, "params")?;
        match one(properties, "method")? {
            Some(Json::String(method)) if method == CALL => Self::call(bytes, params, &id),
            Some(Json::String(_)) => Ok(Self { bytes: bytes.clone(), arguments: Json::Null }),
            Some(_) => Err(Unreadable::no_message("a method is a string")),
            // An answer to a question that was never put: the protocol says so.
            None => Ok(Self { bytes: bytes.clone(), arguments: Json::Null }),
        }
    }

    fn call(bytes: &Bytes, params: Option<&Json>, id: &Value) -> Result<Self, Unreadable> {
        let invalid = |message: &str| Unreadable {
            status: StatusCode::OK,
            id: id.clone(),
            code: INVALID_PARAMS,
            message: message.to_owned(),
        };
        let Some(Json::Object(params)) = params else {
            return Err(invalid("tools/call has params, with the name of a tool and its arguments"));
        };
        if !matches!(one(params, "name")?, Some(Json::String(_))) {
            return Err(invalid("the name of a tool is a string"));
        }
        let Some(arguments) = one(params, "arguments")?.cloned() else {
            return Ok(Self { bytes: bytes.clone(), arguments: Json::Null });
        };
        // It was read above, and strictly.
        let mut message: Value =
            serde_json::from_slice(bytes).map_err(|error| Unreadable::no_message(error.to_string()))?;
        message["params"]["arguments"] = json!({});
        Ok(Self { bytes: message.to_string().into(), arguments })
    }
}

/// The property of this name; given twice, nobody could say which is meant.
fn one<'a>(properties: &'a Properties, name: &str) -> Result<Option<&'a Json>, Unreadable> {
    let mut named = properties.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
    match (named.next(), named.next()) {
        (_, Some(_)) => Err(Unreadable::no_message(format!("{name} is given twice"))),
        (value, None) => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Message, (u16, i32, Value)> {
        let read = Message::read(&Bytes::copy_from_slice(body.as_bytes()));
        read.map_err(|unreadable| (unreadable.status.as_u16(), unreadable.code, unreadable.id))
    }

    #[test]
    fn what_is_no_json_and_what_is_no_message_are_told_apart() {
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
            r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#,
        ] {
            assert_eq!(read(body).unwrap_err(), (400, -32600, Value::Null), "{body}");
        }
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
    }

    #[test]
    fn the_arguments_of_a_tool_are_taken_out_as_they_were_written() {
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
