//! Tests of the operator API's route that sends a test mail.

use std::sync::Arc;

use parking_lot::Mutex;
use receptionist::mail::MailSettings;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use crate::harness::Server;

/// Starts a relay on the loopback interface. The relay gives this response to each `RCPT` command. Returns
/// the mail settings for the relay, and the lines that the relay has received.
pub(crate) async fn relay(to_recipients: &'static str) -> (MailSettings, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let relay = format!("smtp+plain://{}", listener.local_addr().unwrap()).parse().unwrap();
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let hearing = Arc::clone(&heard);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = BufReader::new(stream);
            let (mut says, mut in_mail) = ("220 relay", false);
            loop {
                if !in_mail && stream.get_mut().write_all(format!("{says}\r\n").as_bytes()).await.is_err() {
                    break;
                }
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                    break;
                }
                let line = line.trim_end().to_owned();
                let was_in_mail = in_mail;
                in_mail = (was_in_mail || line == "DATA") && line != ".";
                says = match line.split([' ', ':']).next().unwrap_or_default() {
                    _ if was_in_mail && !in_mail => "250 2.0.0 queued as 4711",
                    "RCPT" => to_recipients,
                    "DATA" => "354 go on",
                    _ => "250 ok",
                };
                hearing.lock().push(line.clone());
                if line == "DATA" {
                    stream.get_mut().write_all(b"354 go on\r\n").await.unwrap();
                }
            }
        }
    });
    (MailSettings { relay, from: "Desk <desk@example.com>".parse().unwrap() }, heard)
}

#[tokio::test]
async fn a_test_mail_reports_the_relays_response() {
    let mut server = Server::open().await;
    let (mail, heard) = relay("250 ok").await;
    server.restart_with_mail(mail).await;
    let answer = server.operator.post("/mail/test", &json!({"to": "Ada@Example.org", "locale": "fr"})).await;
    let data = answer.is(200).data();
    assert_eq!((&data["sent"], &data["error"]), (&json!(true), &Value::Null), "{data}");
    assert_eq!(data["answer"], "250 2.0.0 queued as 4711");
    let heard = heard.lock();
    assert!(heard.contains(&"RCPT TO:<ada@example.org>".to_owned()), "{heard:?}");
    assert!(heard.iter().any(|line| line.starts_with("Subject: Test des")), "{heard:?}");
}

#[tokio::test]
async fn a_refusal_of_the_relay_is_returned_in_its_words() {
    let mut server = Server::open().await;
    let (mail, _) = relay("550 5.1.1 no such user").await;
    server.restart_with_mail(mail).await;
    let data = server.operator.post("/mail/test", &json!({"to": "ada@example.org"})).await.is(200).data();
    assert_eq!((&data["sent"], &data["answer"]), (&json!(false), &Value::Null), "{data}");
    assert!(data["error"].as_str().unwrap().contains("no such user"), "{data}");
}

#[tokio::test]
async fn a_test_mail_without_a_relay_or_a_valid_address_is_refused() {
    let mut server = Server::open().await;
    let answer = server.operator.post("/mail/test", &json!({"to": "ada@example.org"})).await;
    answer.fails(409, "conflict");
    assert!(answer.message().contains("RECEPTIONIST_SMTP_URL"), "{answer}");
    let (mail, heard) = relay("250 ok").await;
    server.restart_with_mail(mail).await;
    for body in
        [json!({}), json!({"to": "ada"}), json!({"to": "a@b.example", "locale": "de"}), json!({"to": 1})]
    {
        server.operator.post("/mail/test", &body).await.fails(400, "invalid_request");
    }
    let hostile = json!({"to": "ada@example.org>\r\nRCPT TO:<eve@example.net"});
    server.operator.post("/mail/test", &hostile).await.fails(400, "invalid_request");
    assert!(heard.lock().is_empty());
    server
        .operator_root()
        .post("/admin/v1/mail/test", &json!({"to": "a@b.example"}))
        .await
        .fails(401, "unauthorized");
}
