use super::*;

/// Parses a response that arrives in pieces of `size` bytes. Returns all sentences, and the reply at the end.
fn parse(response: &str, size: usize) -> (Vec<String>, Reply) {
    let mut stream = Stream::new();
    for piece in response.as_bytes().chunks(size) {
        stream.push(piece);
    }
    let reply = stream.finish();
    (reply.sentences.clone(), reply)
}

/// Checks the result of a response. The result must not depend on the pieces in which the response arrives.
fn check(response: &str, sentences: &[&str], calls: &[(&str, &str, &str)]) -> Reply {
    for size in [1, 2, 3, 7, 64, 100_000] {
        let (said, reply) = parse(response, size);
        assert_eq!(said, sentences, "{response} in pieces of {size}");
        let called: Vec<(&str, &str, &str)> =
            reply.calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
        assert_eq!(called, calls, "{response} in pieces of {size}");
    }
    parse(response, 64).1
}

fn event(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n")
}

fn text(content: &str) -> String {
    event(&serde_json::json!({ "content": content }).to_string())
}

fn tool(call: &str) -> String {
    event(&format!("{{\"tool_calls\":[{call}]}}"))
}

const DONE: &str = "data: [DONE]\n\n";

#[test]
fn text_is_cut_into_sentences() {
    let response = text("Hello. We are op") + &text("en at 9.30 am! Really?\nYes… ok") + DONE;
    let reply = check(&response, &["Hello.", "We are open at 9.30 am!", "Really?", "Yes…", "ok"], &[]);
    assert!(!reply.is_torn && !reply.is_empty);
    let long = "a".repeat(301);
    check(&(text(&long) + DONE), &[&long[..300], "a"], &[]);
}

#[test]
fn a_call_arrives_in_pieces() {
    let response =
        tool(r#"{"index":0,"id":"c1","type":"function","function":{"name":"book","arguments":""}}"#)
            + &tool(r#"{"index":0,"function":{"arguments":"{\"time\""}}"#)
            + &tool(r#"{"index":0,"function":{"arguments":":\"t1\"}"}}"#)
            + &tool(r#"{"index":1,"id":"c2","function":{"name":"end","arguments":"{}"}}"#)
            + DONE;
    check(&response, &[], &[("c1", "book", r#"{"time":"t1"}"#), ("c2", "end", "{}")]);
}

#[test]
fn calls_without_index_or_with_index_0_begin_with_another_id_or_a_name() {
    for index in ["", "\"index\":0,"] {
        let response =
            tool(&format!(r#"{{{index}"id":"c1","function":{{"name":"book","arguments":"{{\"a\":"}}}}"#))
                + &tool(&format!(r#"{{{index}"id":"c1","function":{{"name":"book","arguments":"1}}"}}}}"#))
                + &tool(&format!(r#"{{{index}"id":"c2","function":{{"name":"book","arguments":"{{}}"}}}}"#))
                + DONE;
        check(&response, &[], &[("c1", "book", r#"{"a":1}"#), ("c2", "book", "{}")]);
        let response = tool(&format!(r#"{{{index}"function":{{"name":"book","arguments":"{{\"a\":"}}}}"#))
            + &tool(&format!(r#"{{{index}"function":{{"arguments":"1}}"}}}}"#))
            + &tool(&format!(r#"{{{index}"function":{{"name":"end"}}}}"#))
            + DONE;
        check(&response, &[], &[("call_0", "book", r#"{"a":1}"#), ("call_1", "end", "")]);
    }
}

#[test]
fn arguments_may_be_an_object_or_empty() {
    let response = tool(r#"{"index":0,"id":"c1","function":{"name":"book","arguments":{"time":"t1"}}}"#)
        + &tool(r#"{"index":1,"id":"c2","function":{"name":"end","arguments":null}}"#)
        + DONE;
    check(&response, &[], &[("c1", "book", r#"{"time":"t1"}"#), ("c2", "end", "")]);
}

#[test]
fn the_finish_reason_does_not_decide() {
    let response = tool(r#"{"index":0,"id":"c1","function":{"name":"end","arguments":"{}"}}"#)
        + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let reply = check(&response, &[], &[("c1", "end", "{}")]);
    assert!(!reply.is_torn, "a finish reason without [DONE] is a whole answer");
}

#[test]
fn comments_and_other_line_ends_are_accepted() {
    let response =
        ": keep-alive\r\n\r\nevent: message\r\n".to_owned() + &(text("Hello. ") + DONE).replace('\n', "\r\n");
    check(&response, &["Hello."], &[]);
    check(&(text("Hello.").replace("\n\n", "\n") + "data:[DONE]\n"), &["Hello."], &[]);
    check(&(text("Hello. ") + DONE).replace('\n', "\r"), &["Hello."], &[]);
}

#[test]
fn of_a_torn_answer_whole_sentences_and_calls_count() {
    let start =
        text("Hello. How are") + &tool(r#"{"index":0,"id":"c1","function":{"name":"end","arguments":"{}"}}"#);
    let half = tool(r#"{"index":1,"id":"c2","function":{"name":"book","arguments":"{\"time"}}"#);
    let reply = check(&(start.clone() + &half), &["Hello."], &[("c1", "end", "{}")]);
    assert!(reply.is_torn && !reply.is_empty);
    let broken = start + "data: {\"error\":{\"message\":\"overloaded\"}}\n\n" + &text(" you? Fine.");
    let reply = check(&broken, &["Hello."], &[("c1", "end", "{}")]);
    assert!(reply.is_torn);
    let reply = check("data: {\"error\":\"x\"}\n\n", &[], &[]);
    assert!(reply.is_torn && reply.is_empty);
    let reply = check("", &[], &[]);
    assert!(reply.is_torn && reply.is_empty);
}

#[test]
fn reasoning_and_calls_written_as_text_are_neither_said_nor_executed() {
    let response = event(r#"{"reasoning_content":"The user wants"}"#)
        + &event(r#"{"reasoning":"Hm.","content":null}"#)
        + &text("<think>I should boo")
        + &text("k it. Yes.</thi")
        + &text("nk>Hello. <tool_call>{\"name\":\"book\"}</tool_call>Bye. 1 < 2.")
        + DONE;
    check(&response, &["Hello.", "Bye.", "1 < 2."], &[]);
    check(&(text("<think>never closed. ") + DONE), &[], &[]);
}

#[test]
fn text_before_a_lone_end_tag_is_reasoning() {
    let response = text("Okay, the customer wants a haircut. ")
        + &text("I offer a time.</thi")
        + &text("nk>Which day suits you?")
        + DONE;
    check(&response, &["Which day suits you?"], &[]);
    for (start, end) in [
        ("<Think>", "</THINK>"),
        ("<think >", "</think >"),
        ("<thought>", "</thought>"),
        ("<thinking x=\"1\">", "</thinking>"),
    ] {
        let response = text(&format!("Hello. {start}He. Is <b>rude</b>.{end}Bye.")) + DONE;
        check(&response, &["Hello.", "Bye."], &[]);
    }
    check(&(text("1 <2. <thinker> x.") + DONE), &["1 <2.", "<thinker> x."], &[]);
}

#[test]
fn a_long_sentence_is_cut_between_two_words() {
    let long = "I am very happy to help ".repeat(13);
    let (said, _) = parse(&(text(&long) + DONE), 64);
    assert_eq!(said.join(" "), long.trim());
    assert!(
        said.iter().all(|part| part.chars().count() <= SENTENCE_CHARS_MAX && !part.ends_with("hap")),
        "{said:?}"
    );
    assert_eq!(said.len(), 2);
}

#[test]
fn usage_counts_tokens() {
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,\"total_tokens\":12}}\n\n";
    assert_eq!(check(&(text("Hello.") + usage + DONE), &["Hello."], &[]).tokens, Some(12));
    let reply = check(&(text("Hello.") + DONE), &["Hello."], &[]);
    assert_eq!((reply.tokens, reply.chars), (None, 6));
}

#[test]
fn the_first_token_is_a_text_a_call_or_reasoning() {
    let begun = |response: &str| {
        let mut stream = Stream::new();
        stream.push(response.as_bytes());
        stream.has_begun()
    };
    assert!(!begun(&(": ping\n\n".to_owned() + &event(r#"{"role":"assistant","content":""}"#))));
    let call = tool(r#"{"id":"c","function":{"name":"end"}}"#);
    for begins in [text("Hi"), event(r#"{"reasoning_content":"Hm"}"#), event(r#"{"reasoning":"Hm"}"#), call] {
        assert!(begun(&begins), "{begins}");
    }
}

#[test]
fn a_response_has_at_most_64_kib() {
    let response = (0..2_000).map(|_| text("Hello there, dear caller. ")).collect::<String>() + DONE;
    assert!(response.len() > RESPONSE_BYTES_MAX);
    let mut stream = Stream::new();
    stream.push(response.as_bytes());
    assert!(stream.is_done());
    let reply = stream.finish();
    let count = reply.sentences.len();
    assert!(reply.is_torn && count > 100 && count < 2_000, "{count}");
}

#[test]
fn an_answer_that_is_not_streamed_counts() {
    let response =
        r#"{"choices":[{"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}"#;
    check(response, &["Hello."], &[]);
}

#[test]
fn no_bytes_make_the_parser_panic() {
    use proptest::prelude::*;
    proptest!(|(bytes in proptest::collection::vec(any::<u8>(), 0..300))| {
        let mut stream = Stream::new();
        stream.push(&bytes);
        stream.finish();
    });
    let piece = "(data: |\\{\"choices\":\\[\\{\"delta\":|\\{\"content\":\"a. <think>\"\\}|\\{\"tool_calls\":\\[\\{\\}\\]\\}|\\}\\]\\}|\n|\\[DONE\\]|é)";
    proptest!(|(pieces in proptest::collection::vec(piece, 0..20))| {
        let mut stream = Stream::new();
        stream.push(pieces.concat().as_bytes());
        stream.finish();
    });
}
