//! Tests of `mail test` with a running service and a relay on the loopback interface.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use crate::program::Demo;

/// A relay that accepts all mails except those to `unknown@`. Returns its address.
fn relay() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("smtp+plain://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(|stream| serve(stream.unwrap())));
    address
}

fn serve(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut is_mail = false;
    let _ = stream.write_all(b"220 relay\r\n");
    while let Some(Ok(line)) = lines.next() {
        let says = match line.as_str() {
            "." => "250 2.0.0 queued as 4711",
            _ if is_mail => continue,
            "DATA" => "354 go on",
            line if line.contains("unknown@") => "550 5.1.1 no such\x1b[2J user",
            _ => "250 ok",
        };
        is_mail = says.starts_with("354");
        if stream.write_all(format!("{says}\r\n").as_bytes()).is_err() {
            return;
        }
    }
}

#[test]
fn mail_test_prints_the_relays_response_and_fails_on_a_refusal() {
    let settings = ["--smtp-url", &relay(), "--mail-from", "Desk <desk@example.com>"];
    let demo = Demo::start_in(tempfile::tempdir().unwrap(), &settings);
    let taken = demo.printed(&["mail", "test", "--to", "ada@example.org"]);
    assert!(taken.starts_with("the relay accepted the mail after "), "{taken}");
    assert!(taken.ends_with(" ms: 250 2.0.0 queued as 4711\n"), "{taken}");
    let json = demo.printed(&["mail", "test", "--to", "ada@example.org", "--locale", "fr", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["data"]["sent"], &json["data"]["error"]), (&true.into(), &serde_json::Value::Null));
    let refused = demo.refused(&["mail", "test", "--to", "unknown@example.org"], 1);
    assert!(refused.contains("no such") && !refused.contains('\x1b'), "{refused:?}");
    let refused = demo.refused(&["mail", "test", "--to", "ada"], 1);
    assert!(refused.contains("to must be an email address"), "{refused}");
}

#[test]
fn mail_test_without_a_relay_names_the_missing_setting() {
    let demo = Demo::start();
    let refused = demo.refused(&["mail", "test", "--to", "ada@example.org"], 1);
    assert!(refused.contains("RECEPTIONIST_SMTP_URL is not set"), "{refused}");
}
