mod answers;
mod connections;
mod failing;

use std::io::ErrorKind;

use domain::Timestamp;
use ports::{Clock, Random};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::connection::{ADDRESSES_TRIED_MAX, CONNECT_TIME_MAX};
use super::super::pool::{IDLE_PER_HOST_MAX, IDLE_TIME_MAX, LIFE_TIME_MAX};
use super::super::testing::{
    Authority, FakeDns, FakeNet, PIPE_BYTES, Place, Receiver, Then, self_signed_server,
};
use super::*;

const HOST_NAME: &str = "hook.example.com";
const URL: &str = "https://hook.example.com/hook?a=b";
const ADDRESS: &str = "93.184.216.34:443";
const OTHER: &str = "93.184.216.35:443";
const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

/// A clock with a fixed time in 2026.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
    }

    fn steady(&self) -> Duration {
        Duration::ZERO
    }
}

struct Zeros;

impl Random for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

#[derive(Debug)]
struct Answered {
    attempt: Attempt,
    body: String,
}

impl std::ops::Deref for Answered {
    type Target = Attempt;

    fn deref(&self) -> &Attempt {
        &self.attempt
    }
}

impl AsRef<Attempt> for Answered {
    fn as_ref(&self) -> &Attempt {
        &self.attempt
    }
}

/// A client in its own simulated network, which has one host with one public address.
struct World {
    dns: Arc<FakeDns>,
    net: Arc<FakeNet>,
    authority: Authority,
    client: WebhookClient,
}

impl World {
    fn new() -> Self {
        let (dns, net) = (Arc::new(FakeDns::default()), Arc::new(FakeNet::default()));
        dns.set(HOST_NAME, &["93.184.216.34"]);
        let authority = Authority::new();
        let trust = Trust::none().and(authority.der()).unwrap();
        let ports = Ports {
            resolver: dns.clone(),
            dialer: net.clone(),
            ..Ports::with_clock_and_random(Arc::new(FixedClock), Arc::new(Zeros))
        };
        let client = WebhookClient::new(&ports, &trust);
        Self { dns, net, authority, client }
    }

    /// A receiver with a valid certificate.
    fn receiver(&self, address: &str, answer: impl Into<Vec<u8>>, then: Then) -> Arc<Receiver> {
        let receiver = Receiver::new(self.authority.server(HOST_NAME), answer, then);
        self.net.put(address, Place::Receiver(receiver.clone()));
        receiver
    }

    async fn post(&self) -> Answered {
        self.post_to(URL).await
    }

    async fn post_to(&self, url: &str) -> Answered {
        self.post_with_head(url).await.0
    }

    /// Makes an attempt. If there is a response, also returns whether it counts as a success, and when its head
    /// arrived.
    async fn post_with_head(&self, url: &str) -> (Answered, Option<(bool, Duration)>) {
        let url = WebhookUrl::parse(url).unwrap();
        let headers =
            vec![("webhook-id", "evt_1".to_owned()), ("content-type", "application/json".to_owned())];
        let post = Post { url, headers, body: Bytes::from_static(b"{\"x\":1}") };
        let start = Instant::now();
        let (attempt, rest) = self.client.post(post).await;
        let took = start.elapsed();
        assert!(took <= DELIVERY_TIME_MAX + READY_TIME_MAX, "it took {took:?}");
        assert_eq!(rest.is_some(), attempt.status.is_some(), "{attempt:?}");
        let head = attempt.status.map(|_| (attempt.outcome == Outcome::Delivered, took));
        let body = match rest {
            Some(rest) => self.client.body(rest).await,
            None => String::new(),
        };
        assert!(start.elapsed() <= took + BODY_TIME_MAX + READY_TIME_MAX, "it took {:?}", start.elapsed());
        (Answered { attempt, body }, head)
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

#[track_caller]
fn failed(attempt: &impl AsRef<Attempt>, error: &str) {
    let attempt = attempt.as_ref();
    let text = attempt.error.as_ref().map(ToString::to_string);
    assert_eq!((attempt.outcome, text.as_deref()), (Outcome::Failed, Some(error)), "{attempt:?}");
}

#[track_caller]
fn delivered(attempt: &impl AsRef<Attempt>, status: u16) {
    let attempt = attempt.as_ref();
    assert_eq!(
        (attempt.outcome, attempt.status, &attempt.error),
        (Outcome::Delivered, Some(status), &None),
        "{attempt:?}"
    );
}

/// Waits until aborted tasks have ended.
async fn wait_for_aborted_tasks() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
