//! Checks the parameters of the protocol's methods before `rmcp` parses them, since `rmcp` reports
//! malformed parameters as an unknown method. The tools check their own arguments.

use Kind::{Object, Text};

use crate::http::json::Json;

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Object,
}

/// A property of a method's parameters: its path, such as `clientInfo.name`, its kind, and whether it is required.
pub(super) type Member = (&'static str, Kind, bool);

const META: Member = ("_meta", Object, false);
const NAME: Member = ("name", Text, true);
const ANSWERS: Member = ("inputResponses", Object, false);
const STATE: Member = ("requestState", Text, false);
const PAGE: &[Member] = &[("cursor", Text, false), META];

const METHODS: [(&str, &[Member]); 10] = [
    (
        "initialize",
        &[
            ("protocolVersion", Text, true),
            ("capabilities", Object, true),
            ("clientInfo", Object, true),
            ("clientInfo.name", Text, true),
            ("clientInfo.version", Text, true),
            META,
        ],
    ),
    ("ping", &[META]),
    ("server/discover", &[META]),
    ("tools/list", PAGE),
    ("tools/call", &[NAME, ANSWERS, STATE, META]),
    ("resources/list", PAGE),
    ("resources/templates/list", PAGE),
    ("resources/read", &[("uri", Text, true), ANSWERS, STATE, META]),
    ("prompts/list", PAGE),
    ("prompts/get", &[NAME, ("arguments", Object, false), ANSWERS, STATE, META]),
];

pub(super) fn members(method: &str) -> Option<&'static [Member]> {
    METHODS.iter().find(|(known, _)| *known == method).map(|(_, members)| *members)
}

pub(super) fn problem(method: &str, params: Option<&Json>) -> Option<String> {
    let (members, none) = (members(method)?, Json::Object(Vec::new()));
    let params = params.unwrap_or(&none);
    if !matches!(params, Json::Object(_)) {
        return Some(format!("{method}: params must be an object"));
    }
    members.iter().find_map(|(path, kind, is_required)| {
        let value = path.split('.').try_fold(params, |value, name| value.property(name));
        let wrong = match (value, kind) {
            (None, _) => is_required.then_some("is required"),
            // An optional parameter may be null.
            (Some(Json::Null), _) if !is_required => None,
            (Some(Json::String(_)), Text) | (Some(Json::Object(_)), Object) => None,
            (Some(_), Text) => Some("must be a string"),
            (Some(_), Object) => Some("must be an object"),
        };
        wrong.map(|wrong| format!("{method}: params.{path} {wrong}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_invalid_member_is_named() {
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
