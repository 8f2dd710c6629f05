//! A server on the loopback interface that imitates a chat model. A function computes the response to each
//! request.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of characters in each server-sent event of a streamed response.
const PIECE: usize = 7;

/// A response of the model: its text, then its function calls with their arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) says: String,
    pub(crate) calls: Vec<(String, String)>,
}

/// A request: its head, and its body as JSON.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Value,
}

pub(crate) struct Model {
    /// The address for the setting `RECEPTIONIST_LLM_URL`.
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<(Request, Reply)>>>,
}

impl Model {
    pub(crate) fn start(answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, answer) = (Arc::<Mutex<Vec<_>>>::default(), Arc::new(answer));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                // A connection may stay unused, so each connection has its own thread.
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream.unwrap());
                    let Some(request) = read(&mut stream) else { return };
                    let reply = answer(&request.body);
                    let response = streamed(&reply);
                    seen.lock().unwrap().push((request, reply));
                    // The service may have closed the connection, so a failed write is ignored.
                    let _ = stream.get_mut().write_all(response.as_bytes());
                });
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<(Request, Reply)> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let (mut head, mut length) = (String::new(), 0);
    while stream.read_line(&mut head).ok()? > 2 {
        let line = head.lines().last()?.to_lowercase();
        length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Request { head, body: serde_json::from_slice(&body).ok()? })
}

/// The response in the form of OpenAI, with each text in several events.
fn streamed(reply: &Reply) -> String {
    let mut response =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned();
    let mut add = |delta: Value| {
        let event = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
        response.push_str(&format!("data: {event}\n\n"));
    };
    let says: Vec<char> = reply.says.chars().collect();
    for piece in says.chunks(PIECE) {
        add(json!({ "content": piece.iter().collect::<String>() }));
    }
    for (index, (name, arguments)) in reply.calls.iter().enumerate() {
        let (first, rest) = arguments.split_at(arguments.len() / 2);
        let is_split = arguments.is_ascii();
        let first = if is_split { first } else { arguments };
        let function = json!({ "name": name, "arguments": first });
        add(json!({ "tool_calls": [
            { "index": index, "id": format!("call_{index}"), "type": "function", "function": function },
        ] }));
        if is_split {
            add(json!({ "tool_calls": [{ "index": index, "function": { "arguments": rest } }] }));
        }
    }
    response.push_str("data: [DONE]\n\n");
    response
}

/// An entry of a script; see the file `model.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    words: String,
    after: Option<String>,
    #[serde(default)]
    says: String,
    #[serde(default)]
    calls: BTreeMap<String, Value>,
}

/// Reads a script. Returns the function that computes the responses of the model from the script.
pub(crate) fn script(yaml: &str) -> impl Fn(&Value) -> Reply + Send + Sync + use<> {
    let entries: Vec<Entry> = serde_saphyr::from_str(yaml).unwrap();
    let compiled = entries.into_iter().map(|entry| {
        let after = entry.after.as_deref().map(|after| Regex::new(after).unwrap());
        (Regex::new(&entry.words).unwrap(), after, entry)
    });
    let entries: Vec<(Regex, Option<Regex>, Entry)> = compiled.collect();
    // For each conversation, the handle of the time that the caller wants. The caller's first words identify
    // the conversation.
    let wished = Mutex::<BTreeMap<String, String>>::default();
    move |body| {
        let (words, answer) = turn(body);
        let found = |answer: Option<&String>| {
            let fits = |(of_words, after, _): &&(Regex, Option<Regex>, Entry)| {
                let is_after = match (after, answer) {
                    (None, None) => true,
                    (Some(after), Some(answer)) => after.is_match(answer),
                    _ => false,
                };
                is_after && of_words.is_match(&words)
            };
            entries.iter().find(fits).map(|(_, _, entry)| entry)
        };
        let mut wished = wished.lock().unwrap();
        let first = first_words(body);
        let time = found(None).and_then(|entry| entry.calls.get("find_openings")?["time"].as_str());
        if let (Some(time), Some(answer)) = (time, &answer)
            && let Some(line) = answer.lines().find(|line| line.ends_with(time))
        {
            wished.insert(first.clone(), line.split(' ').next().unwrap().to_owned());
        }
        let Some(entry) = found(answer.as_ref()) else { return Reply::default() };
        let handle = wished.get(&first).map_or("t1", String::as_str);
        let calls = entry.calls.iter().map(|(name, arguments)| {
            (name.clone(), arguments.to_string().replace("\"wished\"", &format!("\"{handle}\"")))
        });
        Reply { says: entry.says.clone(), calls: calls.collect() }
    }
}

fn content(message: &Value) -> String {
    message["content"].as_str().unwrap_or_default().to_owned()
}

/// The caller's first words in a request.
fn first_words(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().find(|message| message["role"] == "user").map(content).unwrap_or_default()
}

/// The caller's last words in a request, and the result of the last function call after them.
pub(crate) fn turn(body: &Value) -> (String, Option<String>) {
    let messages = body["messages"].as_array().unwrap();
    let last = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    let answer = messages[last..].iter().rev().find(|message| message["role"] == "tool").map(content);
    (content(&messages[last]), answer)
}
