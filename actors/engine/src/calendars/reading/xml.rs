//! Parses the responses of WebDAV servers (RFC 4918) into the statuses and properties of resources.
//!
//! Invariant: a property counts only if its `propstat` has a successful status. The status of a resource is
//! the `status` in its `response`, never the `status` in a `propstat`.

use domain::CalendarFault;
use net::Share;
use roxmltree::{Document, Node, ParsingOptions};

use super::markup;

const DAV: &str = "DAV:";
const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
const CALENDARSERVER: &str = "http://calendarserver.org/ns/";
/// The maximum number of elements and texts, to bound the memory of a parsed response.
const NODES_MAX: u32 = 1_000_000;
/// The status of a collection whose list of changes is truncated.
pub(super) const TRUNCATED: u16 = 507;

/// Returns whether the resource of a `response` exists, by the status of the `response`.
///
/// # Errors
/// Fails for an error status other than 404 and 410, because such a status shows neither that the resource exists nor
/// that it was deleted.
pub(super) fn exists(status: Option<u16>) -> Result<bool, CalendarFault> {
    match status {
        None | Some(200..=299) => Ok(true),
        Some(404 | 410) => Ok(false),
        Some(TRUNCATED) => Err(CalendarFault::TooLarge),
        Some(_) => Err(CalendarFault::ServerError),
    }
}

#[derive(Debug, Default)]
pub(super) struct Multistatus {
    pub(super) resources: Vec<Resource>,
    pub(super) sync_token: Option<String>,
    /// The memory of the response, which is reserved until this value is dropped.
    pub(super) _reserved: Option<Share>,
}

#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) href: String,
    pub(super) status: Option<u16>,
    pub(super) etag: Option<String>,
    pub(super) ctag: Option<String>,
    pub(super) sync_token: Option<String>,
    pub(super) name: Option<String>,
    pub(super) data: Option<String>,
    pub(super) is_collection: bool,
    pub(super) is_calendar: bool,
    /// Whether the calendar may contain events. It is also true if the server lists no kinds of components.
    pub(super) has_events: bool,
    pub(super) can_sync: bool,
    pub(super) is_writable: bool,
    pub(super) principal: Option<String>,
    pub(super) homes: Vec<String>,
    pub(super) addresses: Vec<String>,
}

fn document(body: &[u8]) -> Result<Document<'_>, CalendarFault> {
    let text = std::str::from_utf8(body).map_err(|_| CalendarFault::NotACalendar)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(markup::checked(text)?, options).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => CalendarFault::TooLarge,
        _ => CalendarFault::NotACalendar,
    })
}

pub(super) fn parse(body: &[u8]) -> Result<Multistatus, CalendarFault> {
    let document = document(body)?;
    let root = document.root_element();
    if !root.has_tag_name((DAV, "multistatus")) {
        return Err(CalendarFault::NotACalendar);
    }
    let responses = root.children().filter(|node| node.has_tag_name((DAV, "response")));
    Ok(Multistatus {
        resources: responses.map(resource).collect(),
        sync_token: child(root, (DAV, "sync-token")).and_then(text_of),
        _reserved: None,
    })
}

/// Returns `Some` if a request was refused because another event has the same UID (RFC 4791, section 5.3.2.1; RFC 6638,
/// section 3.2.4.1). The inner value is the path of the other event, or `None` if the server does not name it.
pub(super) fn conflict(body: &[u8]) -> Option<Option<String>> {
    let document = document(body).ok()?;
    let error = document.root_element();
    let names = [(CALDAV, "no-uid-conflict"), (CALDAV, "unique-scheduling-object-resource")];
    let found = || names.into_iter().find_map(|name| child(error, name));
    let conflict = error.has_tag_name((DAV, "error")).then(found)??;
    Some(hrefs(conflict).into_iter().next())
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: (&'static str, &'static str)) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn text_of(node: Node<'_, '_>) -> Option<String> {
    let text: String = node.children().filter_map(|child| child.text()).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the code in a status line, for example 404 in `HTTP/1.1 404 Not Found`.
fn status(node: Node<'_, '_>) -> Option<u16> {
    text_of(child(node, (DAV, "status"))?)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn hrefs(node: Node<'_, '_>) -> Vec<String> {
    node.children().filter(|child| child.has_tag_name((DAV, "href"))).filter_map(text_of).collect()
}

fn resource(response: Node<'_, '_>) -> Resource {
    let mut found = Resource {
        href: hrefs(response).into_iter().next().unwrap_or_default(),
        status: status(response),
        has_events: true,
        ..Resource::default()
    };
    let propstats = response.children().filter(|node| node.has_tag_name((DAV, "propstat")));
    let successful = propstats.filter(|node| status(*node).is_none_or(|code| (200..300).contains(&code)));
    for prop in successful.filter_map(|node| child(node, (DAV, "prop"))) {
        for property in prop.children().filter(Node::is_element) {
            add(&mut found, property);
        }
    }
    found
}

fn add(found: &mut Resource, property: Node<'_, '_>) {
    let has = |name| child(property, name).is_some();
    let tag = property.tag_name();
    match (tag.namespace().unwrap_or_default(), tag.name()) {
        (DAV, "getetag") => found.etag = text_of(property),
        (DAV, "sync-token") => found.sync_token = text_of(property),
        (DAV, "displayname") => found.name = text_of(property),
        (CALENDARSERVER, "getctag") => found.ctag = text_of(property),
        (CALDAV, "calendar-data") => found.data = text_of(property),
        (DAV, "resourcetype") => {
            found.is_collection = has((DAV, "collection"));
            found.is_calendar = has((CALDAV, "calendar"));
        }
        (CALDAV, "supported-calendar-component-set") => {
            let mut kinds = property.children().filter_map(|node| node.attribute("name")).peekable();
            found.has_events =
                kinds.peek().is_none() || kinds.any(|kind| kind.eq_ignore_ascii_case("VEVENT"));
        }
        (DAV, "supported-report-set") => {
            found.can_sync = property.descendants().any(|node| node.has_tag_name((DAV, "sync-collection")));
        }
        (DAV, "current-user-privilege-set") => {
            let writes = ["write", "write-content", "all"];
            found.is_writable =
                property.descendants().any(|node| writes.iter().any(|name| node.has_tag_name((DAV, *name))));
        }
        (DAV, "current-user-principal") => found.principal = hrefs(property).into_iter().next(),
        (CALDAV, "calendar-home-set") => found.homes = hrefs(property),
        (CALDAV, "calendar-user-address-set") => found.addresses = hrefs(property),
        _ => {}
    }
}

/// Escapes a text for an XML document.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_successful_properties_count_and_a_status_in_a_propstat_is_not_that_of_the_resource() {
        let text = r#"<?xml version="1.0"?>
            <d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">
              <d:response><d:href>/a%20b</d:href>
                <d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>
                <d:propstat><d:prop><c:calendar-data/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>
              </d:response>
              <d:response><d:href>/gone</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>
              <d:sync-token>t</d:sync-token>
            </d:multistatus>"#;
        let found = parse(text.as_bytes()).unwrap();
        assert_eq!(found.sync_token.as_deref(), Some("t"));
        let [kept, gone] = &found.resources[..] else { panic!("{found:?}") };
        assert_eq!((kept.href.as_str(), kept.status, kept.etag.as_deref()), ("/a%20b", None, Some("\"1\"")));
        assert_eq!(kept.data, None);
        assert_eq!((gone.href.as_str(), gone.status), ("/gone", Some(404)));
    }

    #[test]
    fn a_response_that_is_no_multistatus_is_refused() {
        for text in
            ["", "<html/>", "<multistatus/>", "<!DOCTYPE x [<!ENTITY a \"b\">]><multistatus xmlns=\"DAV:\"/>"]
        {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), CalendarFault::NotACalendar, "{text}");
        }
        assert!(parse(&[0xff, 0xfe]).is_err());
    }

    #[test]
    fn a_response_that_would_occupy_the_parser_is_refused_at_once() {
        let attributes: String = (0..1 << 20).map(|number| format!("a{number:x}='' ")).collect();
        let declarations: String = (0..2_000).map(|number| format!("xmlns:n{number}='' ")).collect();
        let children = "<b xmlns:c='d'/>".repeat(900_000);
        let elements = "<".repeat(16 << 20);
        for text in [format!("<r {attributes}/>"), format!("<r {declarations}>{children}</r>"), elements] {
            let fault = parse(text.as_bytes()).unwrap_err();
            assert!(matches!(fault, CalendarFault::TooLarge | CalendarFault::NotACalendar), "{fault:?}");
            assert_eq!(conflict(text.as_bytes()), None);
        }
    }

    #[test]
    fn the_event_with_the_same_uid_is_named_in_an_error() {
        let error = |inner: &str| {
            format!(r#"<d:error xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{inner}</d:error>"#)
        };
        for name in ["no-uid-conflict", "unique-scheduling-object-resource"] {
            let named = error(&format!("<c:{name}><d:href>/a%20b.ics</d:href></c:{name}>"));
            assert_eq!(conflict(named.as_bytes()), Some(Some("/a%20b.ics".into())), "{name}");
        }
        assert_eq!(conflict(error("<c:no-uid-conflict/>").as_bytes()), Some(None));
        for other in [error("<d:href>/a</d:href>"), "<html/>".into(), String::new()] {
            assert_eq!(conflict(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_properties_of_a_calendar_are_read() {
        let text = r#"<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/">
            <response><href>/c/</href><propstat><prop>
              <resourcetype><collection/><C:calendar/></resourcetype>
              <displayname>Home &amp; work</displayname>
              <S:getctag>9</S:getctag>
              <C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set>
              <supported-report-set><supported-report><report><sync-collection/></report></supported-report></supported-report-set>
              <current-user-privilege-set><privilege><write/></privilege></current-user-privilege-set>
              <C:calendar-user-address-set><href>mailto:a@b.example</href><href>/p/</href></C:calendar-user-address-set>
              <C:calendar-data><![CDATA[BEGIN:VCALENDAR]]></C:calendar-data>
            </prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;
        let found = parse(text.as_bytes()).unwrap().resources.remove(0);
        assert!(found.is_calendar && found.is_collection && found.can_sync && found.is_writable);
        assert!(!found.has_events);
        assert_eq!(found.name.as_deref(), Some("Home & work"));
        assert_eq!((found.ctag.as_deref(), found.data.as_deref()), (Some("9"), Some("BEGIN:VCALENDAR")));
        assert_eq!(found.addresses, ["mailto:a@b.example", "/p/"]);
    }
}
