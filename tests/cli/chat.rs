//! Tests of `chat` with a running service.

use crate::model::{Model, Reply};
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
    assert_eq!(conversations[0]["status"], "ended", "the conversation must end with the input");
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

#[test]
fn a_chat_model_speaks_and_its_claims_are_dropped() {
    let says = "You are booked! Of course, I can help you with that.".to_owned();
    let model = Model::start(move |_| Reply { says: says.clone(), calls: Vec::new() });
    let settings = ["--llm-url", &model.url, "--llm-model", "small", "--llm-key", "sk-1"];
    let demo = Demo::start_in(tempfile::tempdir().unwrap(), &settings);
    let ran = demo.run_with(&["chat", "-v", "--locale", "en"], "Do you cut hair?\n");
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    for part in ["\nOf course, I can help you with that.\n", "  [dropped by claim: You are booked!]"] {
        assert!(ran.output.contains(part), "{part} is not in {}", ran.output);
    }
    let mut requests = model.requests();
    // After the end of the chat, the service requests a summary, without tools. The test checks only the other request.
    requests.retain(|(request, _)| request.body.get("tools").is_some());
    let [(request, _)] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(request.body["model"], "small");
    for part in ["POST /v1/chat/completions HTTP/1.1", "authorization: Bearer sk-1"] {
        assert!(request.head.contains(part), "{part} is not in {}", request.head);
    }
}
