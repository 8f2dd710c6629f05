//! A service with a salon. Its responses are recorded.
//!
//! A scene runs scripts. Each line of a script is one request:
//!
//! ```text
//! PATCH B/services/{cut} If-Match:{cut.etag} {"name": "Trim"} => cut
//! ```
//!
//! - `B` at the start of a path means the path of the business in the operator API. `TOOL name {…}`
//!   calls a tool of the MCP server, and `RPC method {…}` sends any other message to this server.
//! - `{name}` is a value that an earlier line has stored. `{x*201}` repeats the character 201 times.
//! - `Name:value` is a header. `as:name` selects the stored token with this name as the credential.
//!   `as:nobody` sends no credential.
//! - The body is JSON, or the text after `raw:`, which is sent without a content type.
//! - `=> name` stores the id in the response as `name`, and other values as `name.etag` and so on.
//!
//! `CLOCK instant` moves the clock, and `KEEP name value` stores a value. `WAIT path text` repeats a request
//! until the response contains the text, and records nothing.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Api, SCOPES, Salon, Server, TOKEN, raw};
use crate::tape::{Line, Sent, line};

/// An id that belongs to no record.
pub(crate) const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

/// The time limit for a background job.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The credential of a request.
#[derive(Clone, Copy)]
pub(crate) enum Who<'a> {
    /// The salon's key or the operator's token, depending on the path.
    Own,
    /// No credential.
    Anonymous,
    /// This token.
    With(&'a str),
}

/// A request of a script.
#[derive(Clone, Default)]
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { method: method.into(), path: path.into(), ..Self::default() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets a JSON body.
    pub(crate) fn json(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self.header("content-type", "application/json") }
    }
}

pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) salon: Salon,
    public: Api,
    operator: Api,
    kept: Vec<(String, String)>,
    /// A directory for backups.
    pub(crate) directory: tempfile::TempDir,
    pub(crate) lines: Vec<Line>,
}

impl Scene {
    /// A salon in Paris, on a service that permits `limit` requests per key and minute.
    pub(crate) async fn with_limit(limit: u32) -> Self {
        let server = Server::seeded(limit).await;
        let salon = server.salon().await;
        let directory = tempfile::tempdir().unwrap();
        let kept = [
            ("business_id", &salon.id),
            ("key_id", &salon.key_id),
            ("service_id", &salon.cut),
            ("staff_id", &salon.anna),
            ("cut", &salon.cut),
            ("massage", &salon.massage),
            ("colour", &salon.colour),
            ("anna", &salon.anna),
            ("ben", &salon.ben),
            ("chloe", &salon.chloe),
            ("key", &salon.key),
            ("directory", &directory.path().display().to_string()),
            ("unknown", &UNKNOWN.to_owned()),
            ("backup_id", &UNKNOWN.to_owned()),
            ("feed_id", &UNKNOWN.to_owned()),
            ("operator", &TOKEN.to_owned()),
            ("scopes", &json!(SCOPES).to_string()),
        ];
        let kept = kept.map(|(name, value)| (name.to_owned(), value.clone())).to_vec();
        let (public, operator) = (server.root(), server.operator_root());
        Self { server, salon, public, operator, kept, directory, lines: Vec::new() }
    }

    /// Updates the addresses and tokens that a restart of the server has changed.
    pub(crate) fn restarted(&mut self) {
        (self.public, self.operator) = (self.server.root(), self.server.operator_root());
        self.salon = self.salon.again(&self.server);
    }

    /// Replaces placeholders in the text: `{name}` by the value that is stored under this name, and `{x*3}` by `xxx`.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut filled = self
            .kept
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value));
        while let Some((start, repeated, end)) = repeated(&filled) {
            filled = format!("{}{repeated}{}", &filled[..start], &filled[end..]);
        }
        filled
    }

    /// The complete path from the root of the listener.
    fn path(&self, path: &str) -> String {
        match path.strip_prefix('B') {
            Some(rest) => self.fill(&format!("/admin/v1/businesses/{{business_id}}{rest}")),
            None => self.fill(path),
        }
    }

    /// The value that is stored under this name.
    pub(crate) fn kept(&self, name: &str) -> Option<&str> {
        self.kept.iter().rev().find(|(kept, _)| kept == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn keep(&mut self, name: &str, value: &str) {
        self.kept.retain(|(kept, _)| kept != name);
        self.kept.push((name.to_owned(), value.to_owned()));
    }

    /// Sends a request and records it with its response.
    pub(crate) async fn send(&mut self, ask: Ask, who: Who<'_>) -> Answer {
        let Ask { method, path, headers, body } = ask;
        let path = self.path(&path);
        let is_operators = path.starts_with("/admin");
        let listener = if is_operators { &self.operator } else { &self.public };
        let own = if is_operators { TOKEN } else { self.kept("key").unwrap_or_default() };
        let token = match who {
            Who::Own => own,
            Who::Anonymous => "",
            Who::With(token) => token,
        };
        let api = if token.is_empty() { listener.anonymous() } else { listener.with_token(token) };
        let mut call = api.call(&method, &path);
        for (name, value) in &headers {
            call = call.header(name, value);
        }
        let answer = call.bytes(body.clone()).await;
        let credential: String =
            if token == TOKEN { "operator".into() } else { token.chars().take(13).collect() };
        let sent =
            Sent { credential: &credential, method: &method, path: &path, headers: &headers, body: &body };
        self.lines.push(line(&sent, &answer, &self.directory.path().display().to_string()));
        answer
    }

    /// Sends bytes that an HTTP client would not send, and records the response. The path is used only in the
    /// record.
    pub(crate) async fn send_raw(&mut self, (method, path): (&str, &str), bytes: &str) {
        let listener = if path.starts_with("/admin") { &self.operator } else { &self.public };
        let text = raw(listener.address, bytes.as_bytes()).await;
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status =
            lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let answer =
            Answer::new(path.to_owned(), status.unwrap_or_default(), headers, body.to_owned().into());
        let sent = Sent { credential: "", method, path, headers: &[], body: bytes.as_bytes() };
        self.lines.push(line(&sent, &answer, &self.directory.path().display().to_string()));
    }

    pub(crate) async fn play(&mut self, script: &str) {
        for text in script.lines().map(str::trim).filter(|text| !text.is_empty() && !text.starts_with('#')) {
            let text = self.fill(text);
            match text.split_once(' ').unwrap_or_else(|| panic!("not a request: {text}")) {
                ("CLOCK", instant) => self.server.clock.set(instant),
                ("KEEP", rest) => {
                    let (name, value) = rest.split_once(' ').unwrap();
                    self.keep(name, value);
                }
                ("WAIT", rest) => self.wait(rest).await,
                (method, rest) => self.play_request(method, rest).await,
            }
        }
    }

    async fn wait(&self, rest: &str) {
        let (path, held) = rest.split_once(' ').unwrap();
        let (operator, path) = (self.operator.with_token(TOKEN), self.path(path));
        let holds = async || String::from_utf8_lossy(&operator.get(&path).await.bytes).contains(held);
        until(&format!("{held} in {path}"), holds).await;
    }

    async fn play_request(&mut self, method: &str, rest: &str) {
        let (rest, name) = match rest.rsplit_once(" => ") {
            Some((rest, name)) => (rest, Some(name)),
            None => (rest, None),
        };
        let (path, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut ask = Ask::new(method, path);
        let mut who = None;
        while let Some((header, value)) = rest.split(' ').next().and_then(|option| option.split_once(':')) {
            if rest.starts_with(['{', '[', '"']) || header == "raw" {
                break;
            }
            match header {
                "as" => who = Some(value.to_owned()),
                _ => ask = ask.header(header, &value.replace('+', " ")),
            }
            rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
        }
        ask = match (method, rest.strip_prefix("raw:")) {
            ("TOOL", _) => tool(path, rest),
            ("RPC", _) => rpc(path, rest),
            (_, Some(raw)) => Ask { body: raw.into(), ..ask },
            _ if rest.is_empty() => ask,
            _ => ask.json(rest),
        };
        let answer = match who.as_deref() {
            None => self.send(ask, Who::Own).await,
            Some("nobody") => self.send(ask, Who::Anonymous).await,
            Some(token) => self.send(ask, Who::With(token)).await,
        };
        if let Some(name) = name {
            self.keep_answer(name, &answer);
        }
    }

    /// Stores the values of a response for later lines.
    fn keep_answer(&mut self, name: &str, answer: &Answer) {
        let data = answer.body["result"].get("structuredContent").unwrap_or(&answer.body["data"]);
        let one = if data.is_array() { &data[0] } else { data };
        let found = [
            ("", &one["id"]),
            (".key", &one["key"]),
            (".contact", &one["contact_id"]),
            (".starts", &one["starts_at"]),
            (".event", &one["event_id"]),
            (".cursor", &answer.body["next_cursor"]),
        ];
        let texts = found.map(|(end, value)| (end, value.as_str().map(str::to_owned)));
        let etag = answer.has("etag").then(|| answer.etag());
        for (end, text) in texts.into_iter().chain([(".etag", etag)]) {
            if let Some(text) = text {
                self.keep(&format!("{name}{end}"), &text);
            }
        }
        assert!(
            self.kept.iter().any(|(kept, _)| kept.starts_with(name)),
            "the response contains no value to store as {name}: {answer}"
        );
    }
}

/// Waits until a background job is finished.
///
/// # Panics
///
/// Panics if the job takes longer than [`WAIT_MAX`].
pub(crate) async fn until(what: &str, mut has_come: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !has_come().await {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(WAIT_MAX, waiting).await;
    waited.unwrap_or_else(|_| panic!("timeout while waiting for {what}"));
}

/// Finds the first part of a text with the form `{x*3}`. Returns its start, the text that replaces it, and
/// its end.
fn repeated(text: &str) -> Option<(usize, String, usize)> {
    text.match_indices('{').find_map(|(start, _)| {
        let inside = &text[start + 1..start + text[start..].find('}')?];
        let (character, count) = inside.split_once('*')?;
        let count = count.parse().ok()?;
        (character.chars().count() == 1).then(|| (start, character.repeat(count), start + inside.len() + 2))
    })
}

/// A call of a tool with these arguments.
pub(crate) fn tool(name: &str, arguments: &str) -> Ask {
    let arguments: Value =
        serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{error}: {arguments}"));
    rpc("tools/call", &json!({ "name": name, "arguments": arguments }).to_string())
}

fn rpc(method: &str, params: &str) -> Ask {
    let params = if params.is_empty() { "{}" } else { params };
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    Ask::new("POST", "/mcp").json(body)
}
