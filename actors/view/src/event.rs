//! Events as webhooks deliver them.

use domain::{BusinessId, EventId, EventType, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::render;

/// The version of the format of the resources in events.
pub const API_VERSION: &str = "v1";

/// An event about a resource. The resource is in `data`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Event<V> {
    /// The event's id. It is the same in every delivery.
    pub id: EventId,
    /// The type of the event.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The version of the format of `data`.
    #[schemars(extend("const" = "v1"))]
    pub api_version: &'static str,
    /// The time of the event.
    pub created_at: Timestamp,
    /// The business in which the event happened.
    pub business_id: BusinessId,
    /// The resource at the time of the event.
    pub data: V,
}

/// Returns the JSON of an event. `resource` is the rendered JSON of the resource.
pub fn event(id: EventId, event: EventType, at: Timestamp, business: BusinessId, resource: &[u8]) -> Vec<u8> {
    let (api_version, business_id) = (API_VERSION, business);
    let head = Event { id, kind: event, api_version, created_at: at, business_id, data: Absent };
    let head = render(&head);
    [&head[..head.len() - ABSENT.len()], resource, b"}"].concat()
}

/// A placeholder for the resource, rendered as `null`. An event with this placeholder ends with `null}`. [`event`]
/// replaces `null}` with the resource and a brace.
#[derive(Serialize)]
struct Absent;

const ABSENT: &[u8] = b"null}";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_contains_its_resource_as_rendered() {
        let id = |n: u8| format!("01900000-0000-7000-8000-00000000000{n}");
        let (event_id, business_id) = (id(1).parse().unwrap(), id(2).parse().unwrap());
        let (kind, at) = (EventType::ContactCreated, Timestamp::from_millis(0));
        let data = json!({"name": "null}"});
        let rendered = event(event_id, kind, at, business_id, &render(&data));
        let whole = Event { id: event_id, kind, api_version: "v1", created_at: at, business_id, data };
        assert_eq!(rendered, render(&whole));
        let expected = concat!(
            r#"{"id":"01900000-0000-7000-8000-000000000001","type":"contact.created","api_version":"v1","#,
            r#""created_at":"1970-01-01T00:00:00.000Z","business_id":"01900000-0000-7000-8000-000000000002","#,
            r#""data":{"name":"null}"}}"#
        );
        assert_eq!(String::from_utf8(rendered).unwrap(), expected);
    }
}
