//! Checks that every event of an acknowledged change has reached every enabled endpoint, and that no endpoint
//! got any other event.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::Value;

use crate::client::{Client, Shop, text};
use crate::hooks::until;
use crate::ledger::{Endpoint, instant};
use crate::work::{Book, STEADY};

/// The events that the receivers got in all rounds.
#[derive(Default)]
pub(crate) struct Seen {
    /// The bytes of each event, by the event's id.
    events: BTreeMap<String, Vec<u8>>,
    /// The resources that the events contain.
    data: HashSet<String>,
    /// The changes to appointments that the events contain, each as an appointment and a timestamp.
    changes: BTreeSet<(String, String)>,
    /// The ids of the appointments and contacts that the events contain.
    appointments: BTreeSet<String>,
    contacts: BTreeSet<String>,
    /// The number of requests.
    pub(crate) requests: usize,
}

impl Seen {
    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    /// Records the new requests of a receiver. Checks that an event has the same bytes in every request, that
    /// each signature is valid, and that no request was sent while the endpoint was disabled.
    fn take_in(&mut self, endpoint: &Endpoint) {
        let mut checked = endpoint.checked.lock();
        for request in endpoint.receiver.received_from(*checked) {
            *checked += 1;
            self.requests += 1;
            endpoint.check_signature(&request);
            let event = request.event();
            assert_eq!(event["id"], request.id());
            if let Some(until) = endpoint.off_until(instant(&event, "created_at")) {
                assert!(
                    request.at >= until,
                    "a request was sent although the endpoint was disabled until {until}: {request:?}"
                );
            }
            let known = self.events.entry(request.id().to_owned()).or_insert_with(|| request.body.clone());
            assert!(*known == request.body, "an event has other bytes than before: {request:?}");
            let (kind, data) = (text(&event, "type"), &event["data"]);
            if kind.starts_with("appointment.") {
                self.changes.insert((text(data, "id"), text(data, "updated_at")));
                self.appointments.insert(text(data, "id"));
            } else {
                assert_eq!(kind, "contact.created");
                self.contacts.insert(text(data, "id"));
            }
            self.data.insert(data.to_string());
        }
    }
}

/// Waits until the endpoint has no pending delivery. Its receiver must accept every event.
pub(crate) async fn drain(client: &Client, shop: &Shop, endpoint: &Endpoint) {
    until("all deliveries are finished", async || {
        let path = format!("{}/deliveries?status=pending", endpoint.hook.path(shop));
        let left = client.operator("GET", &path, None).await["data"].take();
        if left.as_array().unwrap().is_empty() { Ok(()) } else { Err(left) }
    })
    .await;
}

/// Checks that the received events match the responses to the clients, the data in the API, and the delivery logs.
/// Before the check, the first endpoint must have received every event. During the check, no client may make changes.
pub(crate) async fn judge(
    client: &Client,
    shop: &Shop,
    endpoints: &[Arc<Endpoint>],
    (book, new): (&Book, usize),
    seen: &mut Seen,
) {
    let mut logs = Vec::new();
    for endpoint in endpoints {
        // The test first reads the delivery log, and then the requests that the receiver got. If the log shows a
        // delivery as successful, its request has therefore already arrived.
        logs.push(endpoint.hook.log(client, shop).await);
        seen.take_in(endpoint);
    }
    for answer in &book.acknowledged[new..] {
        let data = answer.body["data"].to_string();
        assert!(seen.data.contains(&data), "an acknowledged change caused no event: {data}");
    }
    let audit = client.audit(shop).await;
    let of_appointments = audit.iter().filter(|entry| entry["resource_type"] == "appointment");
    let kept: BTreeSet<_> =
        of_appointments.map(|entry| (text(entry, "resource_id"), text(entry, "at"))).collect();
    assert_same(&kept, &seen.changes, "the stored changes must equal those in the events");
    let ids = |list: Vec<Value>| list.iter().map(|one| text(one, "id")).collect::<BTreeSet<_>>();
    let appointments = ids(client.appointments(shop, "").await);
    assert_same(&appointments, &seen.appointments, "the stored appointments must equal those in the events");
    let contacts = ids(client.list(shop, "/contacts?limit=100").await);
    assert_same(&contacts, &seen.contacts, "the stored contacts must equal those in the events");

    let events: BTreeSet<_> = seen.events.keys().cloned().collect();
    for (number, (endpoint, log)) in endpoints.iter().zip(logs).enumerate() {
        let rows: BTreeSet<_> = log.iter().map(|row| text(row, "event_id")).collect();
        assert_same(&rows, &events, &format!("the log of endpoint {number} must contain every event"));
        assert_eq!(rows.len(), log.len(), "an event is in the log twice");
        let requests = endpoint.receiver.received();
        let taken: HashSet<_> =
            requests.iter().filter(|request| request.taken).map(|request| request.id()).collect();
        for row in &log {
            let id = text(row, "event_id");
            match row["status"].as_str().unwrap() {
                "delivered" => {
                    assert!(taken.contains(&*id), "recorded as delivered but never received: {row}");
                }
                "pending" => {}
                "missed" => {
                    let on = number < STEADY || endpoint.was_on_since(instant(row, "created_at"));
                    assert!(!on, "missed by endpoint {number}, although it was always enabled: {row}");
                }
                _ => panic!("{row}"),
            }
        }
    }
}

fn assert_same<T: Ord + std::fmt::Debug>(one: &BTreeSet<T>, other: &BTreeSet<T>, what: &str) {
    let differences: Vec<_> = one.symmetric_difference(other).collect();
    assert!(differences.is_empty(), "{what}: {differences:?}");
}

/// Enables each endpoint, requests its missed events, and checks that each missed event arrives exactly once. Returns
/// the number of missed events. Before the call, all endpoints must be disabled, and all receivers must accept events.
pub(crate) async fn deliver_the_rest(client: &Client, shop: &Shop, endpoints: &[Arc<Endpoint>]) -> usize {
    let mut resent = 0;
    for endpoint in endpoints {
        let log = endpoint.hook.log(client, shop).await;
        let (missed, rest): (Vec<_>, Vec<_>) = log.iter().partition(|row| row["status"] == "missed");
        assert!(rest.iter().all(|row| row["status"] == "delivered"), "{rest:?}");
        let before = endpoint.receiver.count();
        assert!(endpoint.switch(client, shop, true).await);
        let count = endpoint.resend_missed(client, shop).await.unwrap();
        assert_eq!(count, u64::try_from(missed.len()).unwrap());
        drain(client, shop, endpoint).await;
        let log = endpoint.hook.log(client, shop).await;
        assert!(log.iter().all(|row| row["status"] == "delivered"), "{log:?}");
        let mut came: Vec<_> =
            endpoint.receiver.received_from(before).iter().map(|request| request.id().to_owned()).collect();
        let mut missed: Vec<_> = missed.iter().map(|row| text(row, "event_id")).collect();
        came.sort();
        missed.sort();
        assert_eq!(came, missed, "exactly the requested events must arrive, each once");
        assert_eq!(endpoint.resend_missed(client, shop).await, Some(0));
        resent += missed.len();
    }
    resent
}
