//! Tests of real deliveries: their content, the addresses to which they are sent, and the reasons why they
//! fail.

use std::collections::BTreeSet;
use std::net::TcpListener;

use serde_json::json;

use crate::certificates::self_signed;
use crate::client::{Call, Client, Shop, slot};
use crate::hooks::{EVENTS, server, subscribe};
use crate::namespace::{Network, inside};
use crate::receiver::{OK, Receiver, Reply, Then, now};

const V6: &str = "2606:2800:220:1::10";
/// The maximum difference between the clocks of sender and receiver, in seconds. The Standard Webhooks specification
/// permits this difference.
const CLOCKS_APART_MAX_S: i64 = 300;

fn taking() -> Reply {
    Reply::now(OK, Then::GoesOn)
}

/// Makes changes that cause an event of every type. Returns the appointment.
async fn let_everything_happen(client: &Client, shop: &Shop) -> serde_json::Value {
    let booked = client.call(shop, &shop.booking(0, &slot(0), 1, "book".into())).await.unwrap();
    let path = format!("/appointments/{}", booked.text("id"));
    for (action, body) in [("reschedule", Some(json!({ "starts_at": slot(4) }))), ("cancel", None)] {
        let call = Call { path: format!("{path}/{action}"), body, idempotency_key: action.into() };
        assert_eq!(client.call(shop, &call).await.unwrap().status, 200);
    }
    let base = format!("/businesses/{}", shop.id);
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+14155550001",
        "started_at": "2026-01-01T10:00:00Z", "ended_at": "2026-01-01T10:01:00Z", "duration_seconds": 60,
    });
    client.operator("POST", &format!("{base}/calls"), Some(call)).await;
    client.operator("POST", &format!("{base}/messages"), Some(json!({ "body": "Zoé 🧑‍🎤 called" }))).await;
    client.get(shop, &path).await.body["data"].clone()
}

#[test]
fn events_arrive_signed_over_tls_by_both_families_of_addresses() {
    inside("deliveries::events_arrive_signed_over_tls_by_both_families_of_addresses", async |network| {
        let six = network.add_v6(V6);
        // The first address of the second name does not respond. The third name has only an IPv6 address.
        let mut names: Vec<(&str, &[&str])> = vec![
            ("four.example.com", &["93.184.216.10"]),
            ("both.example.com", &["93.184.216.250", "93.184.216.11"]),
        ];
        let mut places = vec!["93.184.216.10:443".to_owned(), "93.184.216.11:443".to_owned()];
        if six {
            names.push(("six.example.com", &[V6]));
            places.push(format!("[{V6}]:443"));
        }
        network.names(&names);
        let server = server(&network);
        let client = Client::of(&server);
        let shop = Shop::create(&client, 1).await;
        let mut hooks = Vec::new();
        for ((name, _), place) in names.iter().zip(&places) {
            let receiver = Receiver::answering(place, network.authority.server(name), taking());
            hooks.push((subscribe(&client, &shop, &format!("https://{name}/hook?x=1")).await, receiver));
        }
        let appointment = let_everything_happen(&client, &shop).await;
        for (hook, receiver) in hooks {
            for row in hook.log_of(&client, &shop, EVENTS.len()).await {
                assert_eq!(
                    (&row["status"], &row["attempts_made"]),
                    (&json!("delivered"), &json!(1)),
                    "{row}"
                );
                assert_eq!((&row["last_response_status"], &row["last_error"]), (&json!(204), &json!(null)));
            }
            let received = receiver.received();
            let mut seen = BTreeSet::new();
            for request in &received {
                assert!(request.is_signed_with(&hook.secret), "{request:?}");
                let at: i64 = request.header("webhook-timestamp").parse().unwrap();
                assert!((now().timestamp() - at).abs() <= CLOCKS_APART_MAX_S);
                assert!(request.head.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{}", request.head);
                assert_eq!(request.header("content-type"), "application/json");
                let agent = concat!("receptionist/", env!("CARGO_PKG_VERSION"));
                assert_eq!(request.header("user-agent"), agent);
                let event = request.event();
                assert_eq!(event["id"], request.id());
                assert_eq!(event["business_id"], shop.id);
                let keys: Vec<_> = event.as_object().unwrap().keys().collect();
                assert_eq!(keys, ["api_version", "business_id", "created_at", "data", "id", "type"]);
                if event["type"] == "appointment.cancelled" {
                    assert_eq!(event["data"], appointment);
                }
                seen.insert(event["type"].as_str().unwrap().to_owned());
            }
            assert_eq!(received.len(), EVENTS.len(), "each event must arrive exactly once");
            assert!(seen.iter().eq(EVENTS), "{seen:?}");
        }
    });
}

/// Causes a delivery to each receiver. Returns the errors in the delivery log.
async fn errors_of(network: &Network, names: &[(&str, &str)]) -> Vec<String> {
    let known: Vec<_> = names.iter().map(|(name, address)| (*name, std::slice::from_ref(address))).collect();
    network.names(&known);
    let server = server(network);
    let client = Client::of(&server);
    let shop = Shop::create(&client, 1).await;
    let mut hooks = Vec::new();
    for (name, _) in names {
        hooks.push(subscribe(&client, &shop, &format!("https://{name}/")).await);
    }
    client.call(&shop, &shop.booking(0, &slot(0), 1, "book".into())).await.unwrap();
    let mut errors = Vec::new();
    for hook in hooks {
        for row in hook.log_of(&client, &shop, 2).await {
            assert_eq!((&row["status"], &row["attempts_made"]), (&json!("pending"), &json!(1)), "{row}");
            errors.push(row["last_error"].as_str().unwrap().to_owned());
        }
    }
    errors.dedup();
    errors
}

#[test]
fn a_receiver_with_an_invalid_certificate_gets_no_request() {
    inside("deliveries::a_receiver_with_an_invalid_certificate_gets_no_request", async |network| {
        let authority = &network.authority;
        let receivers = [
            Receiver::answering("93.184.216.10:443", authority.server("else.example.com"), taking()),
            Receiver::answering("93.184.216.11:443", authority.expired("expired.example.com"), taking()),
            Receiver::answering("93.184.216.12:443", authority.early("early.example.com"), taking()),
            Receiver::answering("93.184.216.13:443", self_signed("self.example.com"), taking()),
        ];
        let names = [
            ("wrong.example.com", "93.184.216.10"),
            ("expired.example.com", "93.184.216.11"),
            ("early.example.com", "93.184.216.12"),
            ("self.example.com", "93.184.216.13"),
            ("nobody.example.com", "93.184.216.14"),
        ];
        let errors = [
            "tls: the certificate is for another name",
            "tls: the certificate has expired",
            "tls: the certificate is not valid yet",
            "tls: the certificate's issuer is not trusted",
            "connect: connection refused",
        ];
        assert_eq!(errors_of(&network, &names).await, errors);
        for receiver in receivers {
            assert_eq!((receiver.connections(), receiver.count()), (2, 0));
        }
    });
}

#[test]
fn neither_a_redirect_nor_a_moved_name_reaches_an_internal_address() {
    inside("deliveries::neither_a_redirect_nor_a_moved_name_reaches_an_internal_address", async |network| {
        let secret_places = ["127.0.0.1:443", "127.0.0.1:80"].map(|place| {
            let listener = TcpListener::bind(place).unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        });
        let mut names: Vec<(&str, &[&str])> = vec![
            ("plain.example.com", &["93.184.216.10"]),
            ("secure.example.com", &["93.184.216.11"]),
            ("moves.example.com", &["93.184.216.12"]),
            ("inside.example.com", &["127.0.0.1"]),
            ("mixed.example.com", &["93.184.216.12", "127.0.0.1"]),
        ];
        network.names(&names);
        let redirect = |to: &str| {
            let answer = format!("HTTP/1.1 307 Moved\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
            Reply::now(answer, Then::GoesOn)
        };
        let receiver = |place: &str, name: &str, reply: Reply| {
            Receiver::answering(place, network.authority.server(name), reply)
        };
        let _plain = receiver("93.184.216.10:443", "plain.example.com", redirect("http://127.0.0.1/"));
        let _secure = receiver("93.184.216.11:443", "secure.example.com", redirect("https://localhost/"));
        let moves = receiver("93.184.216.12:443", "moves.example.com", taking());
        let server = server(&network);
        let client = Client::of(&server);
        let shop = Shop::create(&client, 1).await;
        for name in ["inside.example.com", "mixed.example.com", "unknown.example.com"] {
            let body = json!({ "url": format!("https://{name}/"), "events": EVENTS });
            let call = Call { path: "/webhooks".into(), body: Some(body), idempotency_key: name.into() };
            let refused = client.call(&shop, &call).await.unwrap();
            assert_eq!(refused.status, 400, "{refused:?}");
            assert!(!refused.body.to_string().contains("127.0.0.1"), "{refused:?}");
        }
        let mut hooks = Vec::new();
        for name in ["plain", "secure", "moves"] {
            hooks.push(subscribe(&client, &shop, &format!("https://{name}.example.com/")).await);
        }
        client.call(&shop, &shop.booking(0, &slot(0), 1, "before".into())).await.unwrap();
        for hook in &hooks[..2] {
            for row in hook.log_of(&client, &shop, 2).await {
                assert_eq!(row["last_error"], "redirect: status 307, not followed", "{row}");
                assert_eq!((&row["last_response_status"], &row["status"]), (&json!(307), &json!("pending")));
            }
        }
        // A connection to the first address is still open. Once the name resolves to another address,
        // the service must not use this connection.
        moves.gets(2).await;
        hooks[2].log_of(&client, &shop, 2).await;
        for to in [&["127.0.0.1"][..], &["93.184.216.12", "127.0.0.1"], &["::1"]] {
            names[2].1 = to;
            network.names(&names);
            let rows = hooks[2].log(&client, &shop).await.len() + 1;
            let call = shop.booking(0, &slot(2 * i64::try_from(rows).unwrap()), 1, format!("moved-{rows}"));
            assert_eq!(client.call(&shop, &call).await.unwrap().status, 201);
            let row = &hooks[2].log_of(&client, &shop, rows).await[0];
            assert_eq!((&row["status"], &row["attempts_made"]), (&json!("pending"), &json!(1)), "{row}");
            assert!(row["last_error"].as_str().unwrap().starts_with("refused: the URL "), "{row}");
        }
        assert_eq!(moves.count(), 2);
        for place in secret_places {
            let seen = place.accept().map(|(_, peer)| peer);
            assert_eq!(
                seen.unwrap_err().kind(),
                std::io::ErrorKind::WouldBlock,
                "an internal address was contacted"
            );
        }
    });
}
