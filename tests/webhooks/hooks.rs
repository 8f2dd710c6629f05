//! The program with a shop in it, and the shop's webhook endpoints.

use std::fmt::Debug;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chance::come;
use crate::client::{Call, Client, Shop};
use crate::namespace::Network;
use crate::process::{Server, serve};

/// Every type of event.
pub(crate) const EVENTS: [&str; 6] = [
    "appointment.booked",
    "appointment.cancelled",
    "appointment.rescheduled",
    "call.completed",
    "contact.created",
    "message.taken",
];

/// Between two looks at something that is awaited: the program tells nobody when it is so, and is not to be busy with us.
const PAUSE: Duration = Duration::from_millis(10);
/// How often one looks before the test fails: only a fault lets it come to that.
const LOOKS_MAX: usize = 9_000;

/// An endpoint of the shop.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The command that serves the network's directory.
pub(crate) fn command(network: &Network) -> Command {
    let mut command = serve(&network.home.path().join("data"));
    command.env("SSL_CERT_FILE", network.trusted());
    command
}

/// Starts the program on the network's directory.
pub(crate) fn server(network: &Network) -> Server {
    Server::start(command(network), &network.home.path().join("log"))
}

/// Subscribes an address to every event.
pub(crate) async fn subscribe(client: &Client, shop: &Shop, url: &str) -> Hook {
    let body = json!({ "url": url, "events": EVENTS });
    let call = Call { path: "/webhooks".into(), body: Some(body), idempotency_key: url.into() };
    let answer = client.call(shop, &call).await.unwrap();
    assert_eq!(answer.status, 201, "{url}: {answer:?}");
    Hook { id: answer.text("id"), secret: answer.text("secret") }
}

impl Hook {
    /// Its path in the operator API.
    pub(crate) fn path(&self, shop: &Shop) -> String {
        format!("/businesses/{}/webhooks/{}", shop.id, self.id)
    }

    /// Its whole delivery log, newest first.
    pub(crate) async fn log(&self, client: &Client, shop: &Shop) -> Vec<Value> {
        client.operator_list(&format!("{}/deliveries", self.path(shop))).await
    }

    /// Its log, once it has so many rows and an attempt of each has ended.
    pub(crate) async fn log_of(&self, client: &Client, shop: &Shop, rows: usize) -> Vec<Value> {
        until(&format!("{rows} rows that were attempted"), async || {
            let log = self.log(client, shop).await;
            let whole = log.len() == rows && log.iter().all(|row| row["attempts"] != json!(0));
            if whole { Ok(log) } else { Err(log) }
        })
        .await
    }
}

/// Looks at what the program shows until that is what is awaited, and gives it.
pub(crate) async fn until<T, E: Debug>(what: &str, mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let mut looks = 1;
    loop {
        match look().await {
            Ok(seen) => return seen,
            Err(seen) => assert!(looks < LOOKS_MAX, "never came: {what}, but {seen:?}"),
        }
        looks += 1;
        come(PAUSE).await;
    }
}
