//! Tests of `chat` with a running service.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::program::Demo;

#[test]
fn a_chat_is_held_line_by_line() {
    let demo = Demo::start();
    let ran = demo.run_with(&["chat", "-v", "--locale", "en"], "4\n\nPlease call me about my invoice\n");
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    assert!(
        ran.output.starts_with("Hello, this is the automated assistant of Salon Lumière."),
        "{}",
        ran.output
    );
    for part in ["  4  ", "What is your message?", "Your message is with the team.", "  [message_taken "] {
        assert!(ran.output.contains(part), "{part} is not in {}", ran.output);
    }
    let conversations = demo.data(&["conversation", "list", "--channel", "website"]);
    assert_eq!(conversations[0]["status"], "ended", "the conversation ends with the input");
    assert_eq!(conversations[0]["outcome"], "message_taken");
    let quiet = demo.run_with(&["chat", "--locale", "fr"], "Bonjour\n");
    assert!(quiet.output.starts_with("Bonjour, ici l'assistant automatique"), "{}", quiet.output);
    assert!(!quiet.output.contains("  ["), "{}", quiet.output);
}

#[test]
fn a_chat_prints_one_json_response_per_turn() {
    let demo = Demo::start();
    let ran = demo.run_with(&["chat", "--json"], "Hello\nI want to speak to a person\n");
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let responses: Vec<serde_json::Value> =
        ran.output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(responses.len(), 3);
    assert_eq!(responses[1]["data"]["turns"][0]["text"], "Hello");
    let refused = demo.refused(&["chat", "--locale", "xx"], 1);
    assert!(refused.contains("locale"), "{refused}");
}

/// A server of a chat model, which gives each request the same answer. Returns its address and the requests.
fn model(answer: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut head, mut length) = (String::new(), 0);
            while stream.read_line(&mut head).unwrap() > 2 {
                let line = head.lines().last().unwrap();
                length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            seen.lock().unwrap().push(head + &String::from_utf8(body).unwrap());
            let event = serde_json::json!({ "choices": [{ "delta": { "content": answer } }] });
            let response = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
                 data: {event}\n\ndata: [DONE]\n\n"
            );
            stream.get_mut().write_all(response.as_bytes()).unwrap();
        }
    });
    (address, requests)
}

#[test]
fn a_chat_model_speaks_and_its_claims_are_dropped() {
    let (address, requests) = model("You are booked! Of course, I can help you with that.");
    let settings = ["--llm-url", &address, "--llm-model", "small", "--llm-key", "sk-1"];
    let demo = Demo::start_in(tempfile::tempdir().unwrap(), &settings);
    let ran = demo.run_with(&["chat", "-v", "--locale", "en"], "Do you cut hair?\n");
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    for part in ["\nOf course, I can help you with that.\n", "  [dropped by claim: You are booked!]"] {
        assert!(ran.output.contains(part), "{part} is not in {}", ran.output);
    }
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 1);
    for part in ["POST /v1/chat/completions HTTP/1.1", "authorization: Bearer sk-1", "\"model\":\"small\""] {
        assert!(requests[0].contains(part), "{part} is not in {}", requests[0]);
    }
}
