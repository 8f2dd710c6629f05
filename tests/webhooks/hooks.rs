//! The program, a shop and the shop's webhook endpoints.

use std::fmt::Debug;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::chance::sleep_for;
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

/// The pause between two polls. The test polls because the program sends no signal when its work is done. The
/// pause keeps the load on the program low.
const PAUSE: Duration = Duration::from_millis(10);
/// The maximum number of polls. It is reached only if there is a fault.
const LOOKS_MAX: usize = 9_000;

/// An endpoint of the shop.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The command that serves the directory of this network.
pub(crate) fn command(network: &Network) -> Command {
    let mut command = serve(&network.home.path().join("data"));
    command.env("SSL_CERT_FILE", network.trusted());
    command
}

/// Starts the program on the directory of this network.
pub(crate) fn server(network: &Network) -> Server {
    Server::start(command(network), &network.home.path().join("log"))
}

/// Creates an endpoint that receives every event.
pub(crate) async fn subscribe(client: &Client, shop: &Shop, url: &str) -> Hook {
    let body = json!({ "url": url, "events": EVENTS });
    let call = Call { path: "/webhooks".into(), body: Some(body), idempotency_key: url.into() };
    let answer = client.call(shop, &call).await.unwrap();
    assert_eq!(answer.status, 201, "{url}: {answer:?}");
    Hook { id: answer.text("id"), secret: answer.text("secret") }
}

impl Hook {
    /// The path of the endpoint in the operator API.
    pub(crate) fn path(&self, shop: &Shop) -> String {
        format!("/businesses/{}/webhooks/{}", shop.id, self.id)
    }

    /// The whole delivery log, newest delivery first.
    pub(crate) async fn log(&self, client: &Client, shop: &Shop) -> Vec<Value> {
        client.operator_list(&format!("{}/deliveries", self.path(shop))).await
    }

    /// Waits until the log has `rows` rows and each has a finished attempt. Returns the log.
    pub(crate) async fn log_of(&self, client: &Client, shop: &Shop, rows: usize) -> Vec<Value> {
        until(&format!("{rows} rows that were attempted"), async || {
            let log = self.log(client, shop).await;
            let whole = log.len() == rows && log.iter().all(|row| row["attempts_made"] != json!(0));
            if whole { Ok(log) } else { Err(log) }
        })
        .await
    }
}

/// Polls until `look` succeeds. Returns its result.
pub(crate) async fn until<T, E: Debug>(what: &str, mut look: impl AsyncFnMut() -> Result<T, E>) -> T {
    let mut looks = 1;
    loop {
        match look().await {
            Ok(seen) => return seen,
            Err(seen) => assert!(looks < LOOKS_MAX, "this did not happen: {what}; the last state: {seen:?}"),
        }
        looks += 1;
        sleep_for(PAUSE).await;
    }
}
