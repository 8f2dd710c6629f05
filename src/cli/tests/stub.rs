//! A scripted service. It sends fixed bytes as responses and records the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The method and the target, for example `GET /p?limit=1`.
    pub(super) line: String,
    /// The header lines. Their names are in lower case.
    pub(super) headers: Vec<String>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn has(&self, header: &str) -> bool {
        self.headers.iter().any(|line| line == header)
    }
}

/// A service that runs until this value or its runtime is dropped.
pub(super) struct Stub {
    pub(super) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Stub {
    /// Handles one request per connection. `script` gets the number of the request, from 0, and returns the response.
    pub(super) async fn start(mut script: impl FnMut(usize) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for number in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                // The client may close the connection before it has read the response.
                let _ = stream.write_all(script(number).as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, requests }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

/// A complete response with this body.
pub(super) fn response(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.unwrap();
        if line.trim_end().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let mut headers = lines.split_off(1);
    for header in &mut headers {
        let (name, value) = header.split_once(':').unwrap();
        *header = format!("{}:{value}", name.to_lowercase());
    }
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).await.unwrap();
    let line = lines[0].trim_end_matches(" HTTP/1.1").to_owned();
    Request { line, headers, body: String::from_utf8(body).unwrap() }
}
