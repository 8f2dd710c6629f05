//! A CalDAV server with one calendar, for tests. It computes the response to each request, and has no network. Test
//! binaries include this file with `#[path]`.

use std::collections::BTreeMap;

pub(crate) const COLLECTION: &str = "/dav/ada/private/";

/// The behaviour of the server.
#[derive(Default)]
pub(crate) struct Server {
    /// For each event, by path: the number of its last change, and its calendar file.
    pub(crate) events: BTreeMap<String, (u32, String)>,
    /// The paths that were changed or deleted, in order. The sync token is the length of this list.
    pub(crate) log: Vec<String>,
    /// True if the server has a `getctag` and no sync token.
    pub(crate) has_no_tokens: bool,
    pub(crate) refuses_tokens: bool,
    /// The maximum number of changes in a response. If there are more changes, the response is truncated (status 507).
    pub(crate) page: Option<usize>,
    /// Whether a truncated response repeats the token of the request, so the client gets the same changes again.
    pub(crate) is_stuck: bool,
    /// The path of an existing event. If the server sends the changes in several pages, each page except the last
    /// reports this event as deleted.
    pub(crate) restored: Option<String>,
    /// If the field is set, the responses to requests of the given kind contain only the given status for the event
    /// `a`, and no data of it.
    pub(crate) status: Option<(u16, EventRequest)>,
    /// Whether the responses with data omit the event `a`.
    pub(crate) omits: bool,
    /// Whether the server reports the status 404 in the `propstat` of every event. This status means only that a
    /// property is missing. For a deleted event, the status 404 would be directly in the element `response`.
    pub(crate) is_phantom: bool,
    /// Whether the server refuses the credentials.
    pub(crate) is_locked: bool,
    /// The status of the responses to writes, and the value of their `Retry-After`.
    pub(crate) write_status: Option<(u16, Option<&'static str>)>,
    /// If a path is given, each write of an event to another path is refused, as if an event with the same UID existed
    /// at the given path.
    pub(crate) conflict: Option<String>,
    /// If the field is set, the server refuses a second event with the same UID. The field contains the status of
    /// the refusal, and whether the response has the precondition element `no-uid-conflict`.
    pub(crate) refuses_twins: Option<(&'static str, bool)>,
    /// The server may refuse a second event with the same UID. If this field is true, the precondition element of the
    /// refusal contains the path of the first event.
    pub(crate) names_twins: bool,
    /// The server calls this function once, when it next refuses an event because of `refuses_twins`.
    pub(crate) after_refusal: Option<fn(&mut Server)>,
    /// Whether the server stores a new event at a path that differs from the path of the request. The header `Location`
    /// of the response contains the path of the event.
    pub(crate) relocates: bool,
    pub(crate) search: Search,
    /// Whether the response to a write contains the right `ETag` of the event. If not, it contains a wrong
    /// `ETag`.
    pub(crate) names_etags: bool,
    /// Random failures of writes.
    pub(crate) chance: Option<Chance>,
}

/// How the server searches for events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Search {
    #[default]
    ByUid,
    /// The server ignores the filter and returns every event.
    Everything,
    /// The server sends this text instead of a response, and then closes the connection.
    Fails(&'static str),
    /// The response names the found events without their data.
    WithoutData,
}

/// A request whose response contains events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventRequest {
    List,
    Changes,
    Data,
}

impl Server {
    pub(crate) fn event(&self, path: &str, asked: EventRequest) -> String {
        let is_first = path.ends_with("/a.ics");
        if let Some((status, _)) = self.status.filter(|(_, at)| *at == asked && is_first) {
            return format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 {status} No</d:status></d:response>"
            );
        }
        if asked == EventRequest::Data && self.omits && is_first {
            return String::new();
        }
        let Some((etag, text)) = self.events.get(path).filter(|_| !self.is_phantom) else {
            if self.is_phantom {
                return format!(
                    "<d:response><d:href>{path}</d:href><d:propstat><d:prop><d:getetag/></d:prop>\
                     <d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>"
                );
            }
            return format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>"
            );
        };
        let data = if asked == EventRequest::Data {
            format!("<c:calendar-data>{text}</c:calendar-data>")
        } else {
            String::new()
        };
        properties(path, &format!("<d:getetag>\"{etag}\"</d:getetag>{data}"))
    }

    /// Returns the response to a request. `request` contains the head and the body.
    pub(crate) fn respond(&mut self, request: &str) -> Vec<u8> {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let path = head.split(' ').nth(1).unwrap();
        let depth = if head.contains("depth: 1") { 1 } else { 0 };
        if self.is_locked || !head.contains("authorization: Basic YWRhOnB3") {
            return response("401 Unauthorized", "").into_bytes();
        }
        if let method @ ("PUT" | "DELETE") = head.split(' ').next().unwrap() {
            return self.write(method, path, body);
        }
        let all = match (head.split(' ').next().unwrap(), path, depth) {
            ("PROPFIND", "/" | "/.well-known/caldav", _) => {
                let principal =
                    "<d:current-user-principal><d:href>/dav/ada/</d:href></d:current-user-principal>";
                properties(path, principal)
            }
            ("PROPFIND", "/dav/ada/", 0) => properties(
                path,
                "<c:calendar-home-set><d:href>/dav/ada/</d:href></c:calendar-home-set><c:calendar-user-address-set>\
                 <d:href>mailto:Ada@Example.com</d:href></c:calendar-user-address-set>",
            ),
            ("PROPFIND", "/dav/ada/", 1) => {
                let tasks = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>\
                             <c:supported-calendar-component-set><c:comp name=\"VTODO\"/></c:supported-calendar-component-set>";
                properties("/dav/ada/tasks/", tasks) + &self.collection()
            }
            ("PROPFIND", COLLECTION, 0) => self.collection(),
            ("PROPFIND", COLLECTION, 1) => {
                let events: String =
                    self.events.keys().map(|path| self.event(path, EventRequest::List)).collect();
                self.collection() + &events
            }
            ("REPORT", COLLECTION, _) if body.contains("sync-collection") => return self.changes(body),
            ("REPORT", COLLECTION, _) if body.contains("calendar-query") => return self.query(body),
            ("REPORT", COLLECTION, _) => {
                let hrefs = body.split("<d:href>").skip(1).map(|rest| rest.split('<').next().unwrap());
                hrefs.map(|path| self.event(path, EventRequest::Data)).collect()
            }
            _ => return response("404 Not Found", "").into_bytes(),
        };
        multistatus(&all)
    }

    fn collection(&self) -> String {
        let token = match self.has_no_tokens {
            true => format!("<s:getctag>{}</s:getctag>", self.log.len()),
            false => format!(
                "<d:sync-token>{}</d:sync-token><d:supported-report-set><d:supported-report><d:report>\
                 <d:sync-collection/></d:report></d:supported-report></d:supported-report-set>",
                self.log.len()
            ),
        };
        let kind = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Work</d:displayname>";
        properties(COLLECTION, &format!("{kind}{token}"))
    }

    fn changes(&self, body: &str) -> Vec<u8> {
        let token = body.split("<d:sync-token>").nth(1).unwrap().split('<').next().unwrap().trim();
        if self.refuses_tokens {
            return response("403 Forbidden", "").into_bytes();
        }
        let from: usize = token.parse().unwrap();
        let to = self.page.map_or(self.log.len(), |page| (from + page).min(self.log.len()));
        let mut all: String =
            self.log[from..to].iter().map(|path| self.event(path, EventRequest::Changes)).collect();
        let mut token = to;
        if let Some(path) = self.restored.as_ref().filter(|_| to < self.log.len()) {
            all = format!(
                "<d:response><d:href>{path}</d:href><d:status>HTTP/1.1 404 Gone</d:status></d:response>"
            );
        }
        if to < self.log.len() {
            all += &format!(
                "<d:response><d:href>{COLLECTION}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
            );
            token = if self.is_stuck { from } else { to };
        }
        multistatus(&format!("{all}<d:sync-token>{token}</d:sync-token>"))
    }

    /// Returns the response to a `calendar-query`.
    fn query(&self, body: &str) -> Vec<u8> {
        let wanted = body.split("<c:text-match").nth(1).unwrap().split(['>', '<']).nth(1);
        let is_found = |text: &str| self.search == Search::Everything || uid(text) == wanted;
        let found = self.events.iter().filter(|(_, (_, text))| is_found(text));
        let asked = if self.search == Search::WithoutData { EventRequest::List } else { EventRequest::Data };
        match self.search {
            Search::Fails(text) => text.into(),
            _ => multistatus(&found.map(|(path, _)| self.event(path, asked)).collect::<String>()),
        }
    }

    /// Returns another path with an event of the same UID.
    fn twin(&self, path: &str, text: &str) -> Option<&str> {
        let mut others = self.events.iter().filter(|(other, _)| *other != path);
        others.find(|(_, (_, known))| uid(known) == uid(text)).map(|(other, _)| other.as_str())
    }

    pub(crate) fn store(&mut self, path: &str, text: String) {
        self.log.push(path.to_owned());
        let number = u32::try_from(self.log.len()).unwrap();
        self.events.insert(path.to_owned(), (number, text));
    }

    pub(crate) fn remove(&mut self, path: &str) -> bool {
        self.log.push(path.to_owned());
        self.events.remove(path).is_some()
    }

    /// The response to a `PUT` or a `DELETE`.
    fn write(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        if let Some((status, retry_after)) = self.write_status {
            let retry_after =
                retry_after.map(|value| format!("retry-after: {value}\r\n")).unwrap_or_default();
            let head = format!(
                "HTTP/1.1 {status} No\r\nconnection: close\r\n{retry_after}content-length: 0\r\n\r\n"
            );
            return head.into_bytes();
        }
        let chance = self.chance.as_mut().map_or(3, |chance| chance.below(8));
        if chance == 0 {
            return response("500 Oops", "").into_bytes();
        }
        let is_named = |other: &str| path.ends_with(other);
        if method == "DELETE" {
            let status = if chance == 1 {
                self.remove(path);
                "500 Oops"
            } else if self.remove(path) {
                "204 No Content"
            } else {
                "404 Not Found"
            };
            return response(status, "").into_bytes();
        }
        if let Some(other) = self.conflict.as_ref().filter(|other| !is_named(other)) {
            let error = format!(
                "<d:error xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><c:no-uid-conflict><d:href>{other}\
                 </d:href></c:no-uid-conflict></d:error>"
            );
            return response("409 Conflict", &error).into_bytes();
        }
        if let Some((status, has_code)) = self.refuses_twins
            && let Some(twin) = self.twin(path, body)
        {
            let named = if self.names_twins { format!("<d:href>{twin}</d:href>") } else { String::new() };
            let code = match has_code {
                true => format!("<c:no-uid-conflict>{named}</c:no-uid-conflict>"),
                false => "The UID is in use.".to_owned(),
            };
            let error = format!(
                "<d:error xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\">{code}</d:error>"
            );
            if let Some(then) = self.after_refusal.take() {
                then(self);
            }
            return response(status, &error).into_bytes();
        }
        let mut stored = path.to_owned();
        if self.relocates && !self.events.contains_key(path) {
            stored = format!("{}-s{}.ics", path.trim_end_matches(".ics"), self.log.len());
        }
        self.store(&stored, body.to_owned());
        // The server may fail after it has stored the event.
        let status = if chance == 1 { "500 Oops" } else { "201 Created" };
        let etag = if self.names_etags { self.log.len() } else { 1 };
        let location = format!("\r\nlocation: {stored}\r\n");
        tagged(status, etag, "").replacen("\r\n", &location, 1).into_bytes()
    }
}

/// Returns the UID of the first event of a calendar file.
fn uid(text: &str) -> Option<&str> {
    text.split("UID:").nth(1)?.split("\r\n").next()
}

fn properties(path: &str, properties: &str) -> String {
    format!(
        "<d:response><d:href>{path}</d:href><d:propstat><d:prop>{properties}</d:prop>\
         <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )
}

pub(crate) fn multistatus(all: &str) -> Vec<u8> {
    let body = format!(
        "<d:multistatus xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\" \
         xmlns:s=\"http://calendarserver.org/ns/\">{all}</d:multistatus>"
    );
    response("207 Multi-Status", &body).into_bytes()
}

pub(crate) fn response(status: &str, body: &str) -> String {
    tagged(status, 1, body)
}

/// Returns a response with this `ETag`.
pub(crate) fn tagged(status: &str, etag: usize, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\netag: \"{etag}\"\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
