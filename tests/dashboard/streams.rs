//! Tests of the stream of server-sent events, which tells an open page about changes that the person may see.
//! The stream ends with the session.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Browser, Person, Server};

/// The time limit for an event or a response.
const PATIENCE: Duration = Duration::from_secs(60);

struct Salon {
    server: Server,
    id: String,
    ada: Person,
    bob: Person,
    adas: Browser,
    bobs: Browser,
}

async fn salon() -> Salon {
    let server = Server::open().await;
    let id = server.business("Salon Zoé").await;
    let ada = server.person(&id, "ada@example.com", "owner").await;
    let bob = server.person(&id, "bob@example.com", "member").await;
    let (adas, bobs) = (server.signed_in(&id, &ada).await, server.signed_in(&id, &bob).await);
    Salon { server, id, ada, bob, adas, bobs }
}

impl Salon {
    fn stream(&self) -> String {
        format!("/dashboard/b/{}/stream", self.id)
    }

    /// Loads a page, and returns the path of its stream.
    async fn stream_of_page(&mut self) -> String {
        let page = self.adas.get(&format!("/dashboard/b/{}/contacts", self.id)).await;
        let (_, stream) = page.body.split_once("data-stream=\"").unwrap();
        stream.split_once('"').unwrap().0.to_owned()
    }

    async fn contact(&self, name: &str) -> Value {
        self.server
            .operator("POST", &format!("/businesses/{}/contacts", self.id), json!({ "name": name }))
            .await
    }

    async fn key(&self) -> Value {
        let key = json!({ "name": "A key", "scopes": ["contacts:read"] });
        self.server.operator("POST", &format!("/businesses/{}/keys", self.id), key).await
    }
}

#[tokio::test]
async fn a_stream_sends_the_kind_and_id_of_each_change_and_nothing_else() {
    let salon = salon().await;
    let mut events = salon.adas.listen(&salon.stream()).await;
    let other = salon.server.business("Barbier").await;
    salon.server.operator("POST", &format!("/businesses/{other}/contacts"), json!({ "name": "Eve" })).await;
    let contact = salon.contact("Nora").await;
    let heard = timeout(PATIENCE, events.next()).await.unwrap().unwrap();
    assert_eq!(heard, json!({ "kind": "contact", "id": contact["id"] }));
}

#[tokio::test]
async fn a_stream_sends_no_changes_that_its_person_may_not_see() {
    let salon = salon().await;
    let mut adas = salon.adas.listen(&salon.stream()).await;
    let mut bobs = salon.bobs.listen(&salon.stream()).await;
    let key = salon.key().await;
    assert_eq!(adas.next().await.unwrap(), json!({ "kind": "api_key", "id": key["id"] }));
    let contact = salon.contact("Nora").await;
    assert_eq!(bobs.next().await.unwrap(), json!({ "kind": "contact", "id": contact["id"] }));
}

#[tokio::test]
async fn a_stream_uses_the_role_at_the_time_of_the_change() {
    let salon = salon().await;
    let mut adas = salon.adas.listen(&salon.stream()).await;
    let path = format!("/businesses/{}/people/{}", salon.id, salon.ada.id);
    salon.server.operator("PATCH", &path, json!({ "role": "member" })).await;
    salon.key().await;
    let contact = salon.contact("Nora").await;
    assert_eq!(adas.next().await.unwrap(), json!({ "kind": "contact", "id": contact["id"] }));
}

#[tokio::test]
async fn a_stream_ends_with_the_membership_and_with_the_session() {
    let salon = salon().await;
    let mut bobs = salon.bobs.listen(&salon.stream()).await;
    let path = format!("/businesses/{}/people/{}", salon.id, salon.bob.id);
    salon.server.operator("PATCH", &path, json!({ "status": "disabled" })).await;
    let nora = salon.contact("Nora").await;
    while let Some(heard) = timeout(PATIENCE, bobs.next()).await.unwrap() {
        assert_ne!(heard["id"], nora["id"], "{heard}");
    }
    let mut events = salon.adas.listen(&salon.stream()).await;
    let mut adas = salon.adas.clone();
    let page = adas.get("/dashboard/account").await;
    adas.submit(&page, "/dashboard/sign-out", &[]).await.is(303);
    let paul = salon.contact("Paul").await;
    // The stream may still send changes that were made just before it was opened.
    while let Some(heard) = timeout(PATIENCE, events.next()).await.unwrap() {
        assert_ne!(heard["id"], paul["id"], "{heard}");
    }
}

#[tokio::test]
async fn a_stream_sends_an_alert_only_to_its_person() {
    let salon = salon().await;
    let mut adas = salon.adas.listen(&salon.stream()).await;
    let message = json!({ "body": "Call me", "urgency": "urgent" });
    let path = format!("/businesses/{}/messages", salon.id);
    let message = salon.server.operator("POST", &path, message).await;
    let (first, second) = (adas.next().await.unwrap(), adas.next().await.unwrap());
    assert_eq!(first, json!({ "kind": "alert", "id": message["id"] }));
    assert_eq!(second, json!({ "kind": "message", "id": message["id"] }));
}

#[tokio::test]
async fn open_streams_do_not_delay_the_stop_of_the_service() {
    let mut salon = salon().await;
    let mut events = salon.adas.listen(&salon.stream()).await;
    // `restart` waits until the service has stopped. If the stream stayed open, the service would stop only at the end
    // of a time limit.
    salon.server.restart().await;
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_new_stream_reports_changes_since_the_page_was_loaded() {
    let mut salon = salon().await;
    let stream = salon.stream_of_page().await;
    assert!(stream.starts_with(&salon.stream()), "{stream}");
    salon.contact("Nora").await;
    let heard = timeout(PATIENCE, salon.adas.listen(&stream).await.next()).await.unwrap().unwrap();
    assert_eq!(heard, json!({}), "the stream must first report that data of any kind may have changed");
    // If nothing has changed between the load of the page and the start of the stream, the first event is the next
    // change.
    let stream = salon.stream_of_page().await;
    let mut events = salon.adas.listen(&stream).await;
    let contact = salon.contact("Eve").await;
    let heard = timeout(PATIENCE, events.next()).await.unwrap().unwrap();
    assert_eq!(heard, json!({ "kind": "contact", "id": contact["id"] }));
}
