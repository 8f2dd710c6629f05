//! Tests of the chat of a booking page.

use serde_json::{Value, json};

use crate::harness::Answer;
use crate::site::{Site, text};

async fn open() -> Site {
    let site = Site::open().await;
    let on = json!({ "channels": { "website": true } });
    site.salon.operator.patch("/receptionist", &on).await.is(200);
    site
}

struct Chat<'a> {
    site: &'a Site,
    path: String,
    token: String,
}

impl Chat<'_> {
    async fn start(site: &Site) -> Chat<'_> {
        let started = post(site, "", &json!({ "locale": "fr" }), "").await;
        let data = &started.is(201).body["data"];
        let fields: Vec<_> = data.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["choices", "id", "token", "turns"]);
        let path = format!("/{}", data["id"].as_str().unwrap());
        Chat { site, path, token: data["token"].as_str().unwrap().to_owned() }
    }

    async fn say(&self, turn: Value) -> Answer {
        post(self.site, &format!("{}/turns", self.path), &turn, &self.token).await
    }

    async fn get(&self, token: &str) -> Answer {
        let call = self.site.server.root().call("GET", &self.url());
        if token.is_empty() {
            call.await
        } else {
            call.header("authorization", &format!("Bearer {token}")).await
        }
    }

    fn url(&self) -> String {
        format!("{}/conversations{}", self.site.path, self.path)
    }
}

async fn post(site: &Site, path: &str, body: &Value, token: &str) -> Answer {
    let call = site.server.root().call("POST", &format!("{}/conversations{path}", site.path)).json(body);
    if token.is_empty() { call.await } else { call.header("authorization", &format!("Bearer {token}")).await }
}

#[tokio::test]
async fn the_chat_is_off_by_default() {
    let site = Site::open().await;
    post(&site, "", &json!({}), "").await.fails(404, "not_found");
    assert!(!text(&site.get("").await).contains("id=\"chat\""));
    let site = open().await;
    assert!(text(&site.get("").await).contains("id=\"chat\""));
    assert!(text(&site.get("").await).contains("/chat.js\""));
}

#[tokio::test]
async fn a_customer_reads_their_chat_with_its_token() {
    let site = open().await;
    let chat = Chat::start(&site).await;
    let turn = json!({ "text": "Bonjour", "turn_id": "t1" });
    let first = chat.say(turn.clone()).await;
    let data = &first.is(200).body["data"];
    assert_eq!(data["turns"][0]["text"], "Bonjour");
    let fields: Vec<_> = data["turns"][0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["at", "by", "seq", "text"]);
    assert_eq!(
        chat.say(turn).await.is(200).body["data"],
        *data,
        "a repeated turn must get the first response"
    );
    chat.say(json!({ "text": "Autre", "turn_id": "t1" })).await.fails(422, "idempotency_key_reused");
    let seen = chat.get(&chat.token).await;
    let turns = seen.is(200).body["data"]["turns"].as_array().unwrap();
    assert!(turns.iter().any(|turn| turn["text"] == "Bonjour"));
    let without = chat.get("").await;
    let said = &without.is(401).body["error"]["message"];
    assert!(said.as_str().unwrap().ends_with("Bearer <TOKEN_OF_THE_CONVERSATION>."), "{said}");
    chat.get("AAAAAAAAAAAAAAAAAAAAAA").await.fails(404, "not_found");
    let kept = site.salon.operator.all("/conversations?channel=website").await;
    assert_eq!((kept.len(), &kept[0]["locale"]), (1, &json!("fr")));
    assert!(seen.header("cache-control").contains("no-store"), "{seen}");
}

#[tokio::test]
async fn invalid_turns_are_refused() {
    let site = open().await;
    let chat = Chat::start(&site).await;
    chat.say(json!({ "turn_id": "a" })).await.is(400);
    chat.say(json!({ "text": "a", "choice": "1", "turn_id": "a" })).await.is(400);
    chat.say(json!({ "text": "a" })).await.is(400);
    chat.say(json!({ "text": "a", "turn_id": "" })).await.is(400);
    chat.say(json!({ "text": "x".repeat(20_000), "turn_id": "a" })).await.is(413);
    let url = format!("{}/turns", chat.url());
    site.server.root().call("POST", &url).bytes("text=a").header("content-type", "text/plain").await.is(415);
    let foreign =
        site.server.root().call("POST", &url).json(&json!({})).header("sec-fetch-site", "cross-site");
    foreign.await.is(403);
}

#[tokio::test]
async fn a_repeated_turn_needs_the_token() {
    let site = open().await;
    let chat = Chat::start(&site).await;
    let turn = json!({ "text": "Bonjour", "turn_id": "t1" });
    chat.say(turn.clone()).await.is(200);
    let other = Chat { site: &site, path: chat.path.clone(), token: "AAAAAAAAAAAAAAAAAAAAAA".into() };
    other.say(turn).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_choice_of_an_earlier_turn_is_refused() {
    let site = open().await;
    let chat = Chat::start(&site).await;
    let choices = chat.get(&chat.token).await.is(200).body["data"]["choices"].clone();
    let id_of = |choices: &Value, label: &str| {
        let mut all = choices.as_array().unwrap().iter();
        all.find(|choice| choice["label"].as_str().unwrap().contains(label)).unwrap()["id"].clone()
    };
    let message = id_of(&choices, "message");
    for choice in [json!("1"), json!("link"), json!("1-9"), json!("x".repeat(40))] {
        let refused = chat.say(json!({ "choice": choice, "turn_id": format!("no {choice}") })).await;
        refused.invalid_at(&["choice"]);
    }
    let taken = chat.say(json!({ "choice": message, "turn_id": "a" })).await;
    let turns = taken.is(200).body["data"]["turns"].as_array().unwrap();
    assert_eq!(turns[0]["text"], "Laisser un message");
    assert_eq!(turns[1]["text"], "Quel est votre message ?");
    chat.say(json!({ "choice": message, "turn_id": "b" })).await.invalid_at(&["choice"]);
    let again = chat.say(json!({ "choice": message, "turn_id": "a" })).await;
    assert_eq!(again.is(200).body, taken.body, "a repeated turn must get the first response");
    // Buttons of different turns can have the same key, for example the buttons for yes and no. A choice from an
    // earlier turn is refused even if the newest turn has a button with the same key.
    for (number, text) in ["Rappelez-moi", "Je veux réserver"].into_iter().enumerate() {
        chat.say(json!({ "text": text, "turn_id": format!("c{number}") })).await.is(200);
    }
    let first = &chat.get(&chat.token).await.is(200).body["data"]["choices"][0]["id"].clone();
    chat.say(json!({ "choice": first, "turn_id": "d" })).await.is(200);
    chat.say(json!({ "choice": first, "turn_id": "e" })).await.invalid_at(&["choice"]);
}

/// Books the first offered time in a new chat, with this phone number. Returns the last answer of the receptionist.
async fn book(site: &Site, turn: &str, phone: &str) -> String {
    let chat = Chat::start(site).await;
    let mut said = String::new();
    for (number, text) in
        ["Je veux réserver", "1", "1", "1", "Ada Lovelace", phone, "oui"].into_iter().enumerate()
    {
        let turn = json!({ "text": text, "turn_id": format!("{turn}{number}") });
        let answer = chat.say(turn).await;
        let turns = answer.is(200).body["data"]["turns"].as_array().unwrap().clone();
        said = turns.last().unwrap()["text"].as_str().unwrap().to_owned();
        if said.contains("Réservé") || said.contains("Demandé") {
            break;
        }
    }
    said
}

#[tokio::test]
async fn a_chat_has_the_limit_of_the_page_on_bookings_of_a_person() {
    let site = open().await;
    for booking in ["a", "b", "c"] {
        let said = book(&site, booking, "06 12 34 56 78").await;
        assert!(said.contains("Réservé"), "{said}");
    }
    let fourth = book(&site, "d", "06 12 34 56 78").await;
    assert!(!fourth.contains("Réservé"), "{fourth}");
}

#[tokio::test]
async fn an_address_starts_ten_chats_an_hour() {
    let site = open().await;
    for _ in 0..10 {
        Chat::start(&site).await;
    }
    let refused = post(&site, "", &json!({}), "").await;
    assert!(refused.is(429).header("retry-after").parse::<u64>().unwrap() <= 3_600);
}
