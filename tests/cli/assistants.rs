//! Tests of `receptionist mcp` with a running service. The command handles messages on standard input in
//! the same way as the service handles messages over HTTP.

use serde_json::{Value, json};

use crate::program::Demo;

/// Sends these lines. Returns the responses, whose order may differ from the order of the lines.
fn answers(demo: &Demo, lines: &[&str]) -> Vec<Value> {
    let told =
        |line: &str| demo.says.iter().find_map(|said| said.split_once(line).map(|(_, rest)| rest.to_owned()));
    let url = told("listening on ").unwrap();
    let key =
        demo.says.iter().flat_map(|said| said.split_whitespace()).find(|word| word.starts_with("rcpt_"));
    let key = key.unwrap().trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let ran = demo.run_with(&["mcp", "--url", &url, "--api-key", key], &format!("{}\n", lines.join("\n")));
    assert_eq!((ran.code, ran.errors.as_str()), (Some(0), ""));
    ran.output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_is_handled_like_an_http_request() {
    let demo = Demo::start();
    // A message with a repeated property is refused. Neither of the two values is used.
    let twice = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"find_contacts","arguments":{"query":"a","query":"b"}}}"#;
    let [answer] = &answers(&demo, &[twice])[..] else { panic!("there must be one response") };
    assert_eq!(answer["id"], 7);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("query is given twice"), "{text}");
    for (line, id) in [
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping","method":"tools/list"}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null),
        ("{}", Value::Null),
    ] {
        let [answer] = &answers(&demo, &[line])[..] else { panic!("{line} must have one response") };
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32600)), "{line}: {answer}");
    }
    // The service sends no response to these messages.
    let quiet = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ];
    assert!(answers(&demo, &quiet).is_empty());
    let call =
        r#"{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"get_business","arguments":{}}}"#;
    let [answer] = &answers(&demo, &[call])[..] else { panic!("there must be one response") };
    assert_eq!(
        (&answer["id"], &answer["result"]["structuredContent"]["name"]),
        (&json!("é"), &json!("Salon Lumière"))
    );
}
