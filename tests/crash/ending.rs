//! Tests that an orderly stop completes the requests in progress and exits with status 0.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::client::{Client, Shop, slot};
use crate::imports::{asking, lines, printed, wait_until_removed};
use crate::process::{Server, TOKEN};

#[tokio::test]
async fn a_request_in_progress_is_finished_when_the_service_is_stopped() {
    for signal in ["TERM", "INT"] {
        let home = tempfile::tempdir().unwrap();
        let data_dir = home.path().join("data");
        let server = Server::on(&data_dir);
        let shop = Shop::create(&Client::of(&server), 1).await;
        let call = shop.booking(0, &slot(0), 1, String::new());
        let body = call.body.unwrap().to_string();
        let mut stream = BufReader::new(TcpStream::connect(server.public_address()).await.unwrap());
        let head = format!(
            "POST /v1/appointments HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             content-length: {}\r\nexpect: 100-continue\r\n\r\n",
            shop.key,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // The service sends the status 100 when the handler waits for the body, so the request is
        // now in progress.
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        assert!(line.starts_with("HTTP/1.1 100"), "{line}");

        server.signal(signal);
        // A stopping service closes its listener first. Once connections fail, the stop has begun.
        while TcpStream::connect(server.public_address()).await.is_ok() {
            tokio::task::yield_now().await;
        }
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.trim_start().starts_with("HTTP/1.1 201"), "{answer}");
        assert_eq!(server.wait().code(), Some(0), "{}", server.errors());

        let server = Server::on(&data_dir);
        let all = Client::of(&server).appointments(&shop, "").await;
        assert_eq!(all.len(), 1);
        assert!(answer.contains(all[0]["id"].as_str().unwrap()));
    }
}

/// The client of an import stops sending in the middle of the lines.
#[tokio::test]
async fn an_import_without_further_lines_does_not_delay_the_stop_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    let address = server.admin.strip_prefix("http://").unwrap().strip_suffix("/admin/v1").unwrap().to_owned();
    let lines = lines();
    let mut stream = BufReader::new(TcpStream::connect(address).await.unwrap());
    let head = format!(
        "POST /admin/v1/import HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        lines.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    assert!(line.starts_with("HTTP/1.1 100"), "{line}");
    stream.write_all(&lines.as_bytes()[..lines.len() / 2]).await.unwrap();

    server.signal("TERM");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.trim_start().starts_with("HTTP/1.1 503"), "{answer}");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    assert!(!server.errors().contains("were cut off"), "{}", server.errors());

    // The import has left no rows, so the same businesses can be imported.
    let server = Server::on(&data_dir);
    let file = home.path().join("lines");
    std::fs::write(&file, lines).unwrap();
    let file = file.to_str().unwrap();
    wait_until_removed(&server, file);
    printed(asking(&server, &["import", "--from", file]));
}
