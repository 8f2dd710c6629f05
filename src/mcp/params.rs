//! The parameters of the protocol's methods, checked before `rmcp`. `rmcp` reports malformed parameters as
//! an unknown method.
//!
//! The tools read their own arguments.

use crate::http::json::Json;

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Object(&'static [Member]),
}

/// A property of the params or of an object in them.
#[derive(Clone, Copy)]
pub(super) struct Member {
    name: &'static str,
    kind: Kind,
    is_required: bool,
}

const fn required(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, is_required: true }
}

const fn optional(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, is_required: false }
}

const ANY: Kind = Kind::Object(&[]);
const META: Member = optional("_meta", ANY);
const ANSWERS: Member = optional("inputResponses", ANY);
const STATE: Member = optional("requestState", Kind::Text);
const PAGE: &[Member] = &[optional("cursor", Kind::Text), META];

/// The supported methods with their parameters.
const METHODS: [(&str, &[Member]); 10] = [
    (
        "initialize",
        &[
            required("protocolVersion", Kind::Text),
            required("capabilities", ANY),
            required(
                "clientInfo",
                Kind::Object(&[required("name", Kind::Text), required("version", Kind::Text)]),
            ),
            META,
        ],
    ),
    ("ping", &[META]),
    ("server/discover", &[META]),
    ("tools/list", PAGE),
    ("tools/call", &[required("name", Kind::Text), ANSWERS, STATE, META]),
    ("resources/list", PAGE),
    ("resources/templates/list", PAGE),
    ("resources/read", &[required("uri", Kind::Text), ANSWERS, STATE, META]),
    ("prompts/list", PAGE),
    ("prompts/get", &[required("name", Kind::Text), optional("arguments", ANY), ANSWERS, STATE, META]),
];

/// The parameters of a supported method.
pub(super) fn members(method: &str) -> Option<&'static [Member]> {
    METHODS.iter().find(|(known, _)| *known == method).map(|(_, members)| *members)
}

/// The problem of the first wrong parameter.
pub(super) fn problem(method: &str, params: Option<&Json>) -> Option<String> {
    let members = members(method)?;
    let none = Json::Object(Vec::new());
    wrong("params", params.unwrap_or(&none), Kind::Object(members)).map(|what| format!("{method}: {what}"))
}

fn wrong(path: &str, value: &Json, kind: Kind) -> Option<String> {
    match (kind, value) {
        (Kind::Text, Json::String(_)) => None,
        (Kind::Text, _) => Some(format!("{path} must be a string")),
        (Kind::Object(members), Json::Object(_)) => members.iter().find_map(|member| {
            let path = format!("{path}.{}", member.name);
            match value.property(member.name) {
                None => member.is_required.then(|| format!("{path} is required")),
                // An optional parameter may be null.
                Some(Json::Null) if !member.is_required => None,
                Some(value) => wrong(&path, value, member.kind),
            }
        }),
        (Kind::Object(_), _) => Some(format!("{path} must be an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_member_that_is_wrong_is_named() {
        let problem =
            |method: &str, params: &str| problem(method, Some(&Json::parse(params.as_bytes()).unwrap()));
        for (method, params, what) in [
            ("initialize", "{}", "params.protocolVersion is required"),
            (
                "initialize",
                r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":1}}"#,
                "params.clientInfo.version must be a string",
            ),
            ("prompts/get", "{}", "params.name is required"),
            ("prompts/get", r#"{"name":"x","arguments":[]}"#, "params.arguments must be an object"),
            ("resources/read", r#"{"uri":5}"#, "params.uri must be a string"),
            ("tools/call", r#"{"name":"x","inputResponses":5}"#, "params.inputResponses must be an object"),
            ("tools/list", r#"{"cursor":5}"#, "params.cursor must be a string"),
            ("ping", "[]", "params must be an object"),
        ] {
            assert_eq!(problem(method, params), Some(format!("{method}: {what}")));
        }
        assert_eq!(problem("tools/list", r#"{"cursor":null,"more":1}"#), None);
        assert_eq!(problem("nothing/such", "[]"), None);
        assert_eq!(super::problem("ping", None), None);
        assert!(super::problem("initialize", None).is_some());
    }
}
