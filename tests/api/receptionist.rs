//! Tests of the receptionist in the operator API: its settings, and conversations in which the operator speaks as a
//! caller.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, id, of_characters};

fn defaults() -> Value {
    json!({ "channels": { "voice": true, "sms": true, "website": false }, "greeting": { "en": null, "fr": null },
        "instructions": null, "handoff_number": null, "team_first_seconds": 0, "blocked_numbers": [],
        "knowledge_public": false, "tokens_per_day": 1_000_000 })
}

async fn change(salon: &Salon, body: Value) -> Answer {
    salon.operator.patch("/receptionist", &body).await
}

#[tokio::test]
async fn the_settings_have_defaults_and_null_restores_them() {
    let server = Server::seeded(1_000_001).await;
    let salon = server.salon().await;
    assert_eq!(salon.operator.get("/receptionist").await.data(), defaults());
    let all = json!({ "channels": { "voice": false, "website": true }, "greeting": { "fr": "Bienvenue" },
        "instructions": "Be kind", "handoff_number": "+33 1 42 68 53 00", "team_first_seconds": 20,
        "blocked_numbers": ["+33612345678"], "knowledge_public": true, "tokens_per_day": 0 });
    let changed = change(&salon, all).await;
    let expected = json!({ "channels": { "voice": false, "sms": true, "website": true },
        "greeting": { "en": null, "fr": "Bienvenue" }, "instructions": "Be kind",
        "handoff_number": "+33142685300", "team_first_seconds": 20, "blocked_numbers": ["+33612345678"],
        "knowledge_public": true, "tokens_per_day": 0 });
    assert_eq!(changed.data(), expected);
    let seen = salon.operator.get("/receptionist").await;
    assert_eq!((seen.data(), seen.etag()), (expected.clone(), changed.etag()));
    assert_eq!(change(&salon, json!({ "channels": { "sms": true } })).await.data(), expected);
    let reset = json!({ "channels": null, "greeting": null, "instructions": null, "handoff_number": null,
        "team_first_seconds": null, "blocked_numbers": null, "knowledge_public": null, "tokens_per_day": null });
    assert_eq!(change(&salon, reset).await.data(), defaults());
}

#[tokio::test]
async fn invalid_settings_are_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (body, at) in [
        (json!({ "greeting": { "en": of_characters(301) } }), "greeting.en"),
        (json!({ "greeting": { "fr": "a\nb" } }), "greeting.fr"),
        (json!({ "instructions": of_characters(2_001) }), "instructions"),
        (json!({ "handoff_number": "12" }), "handoff_number"),
        (json!({ "team_first_seconds": 4 }), "team_first_seconds"),
        (json!({ "team_first_seconds": 61 }), "team_first_seconds"),
        (json!({ "blocked_numbers": ["+33612345678", "+33612345678"] }), "blocked_numbers[1]"),
        (json!({ "tokens_per_day": -1 }), "tokens_per_day"),
    ] {
        change(&salon, body).await.invalid_at(&[at]);
    }
    let numbers: Vec<_> = (0..501).map(|number| format!("+3361234{number:04}")).collect();
    change(&salon, json!({ "blocked_numbers": numbers })).await.invalid_at(&["blocked_numbers"]);
    change(&salon, json!({ "blocked_numbers": numbers[..500] })).await.is(200);
}

#[tokio::test]
async fn a_conversation_is_listed_with_its_turns() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let started = json!({ "channel": "sms", "from": "+33612345678", "locale": "fr" });
    let started = salon.operator.post("/conversations", &started).await.created();
    let path = format!("/conversations/{}", id(&started));
    let taken = salon.operator.post(&format!("{path}/turns"), &json!({ "text": "Bonjour" })).await.data();
    assert_eq!((&taken["turns"][0]["by"], &taken["turns"][0]["text"]), (&json!("caller"), &json!("Bonjour")));
    let found = salon.operator.get(&path).await.data();
    assert_eq!(
        (&found["from"], &found["locale"], &found["verified"]),
        (&json!("+33612345678"), &json!("fr"), &json!(true))
    );
    assert_eq!(found["turns"].as_array().unwrap().len() as u64, found["turn_count"].as_u64().unwrap());
    for query in ["channel=sms", "status=open", "from=2020-01-01T00:00:00Z"] {
        assert_eq!(salon.operator.all(&format!("/conversations?{query}")).await.len(), 1, "{query}");
    }
    for query in ["channel=voice", "status=ended", "outcome=hangup", "to=2020-01-01T00:00:00Z"] {
        assert!(salon.operator.all(&format!("/conversations?{query}")).await.is_empty(), "{query}");
    }
    let replied = salon.operator.post(&format!("{path}/reply"), &json!({ "text": "Ici Anna" })).await.data();
    assert_eq!(replied["turns"].as_array().unwrap().last().unwrap()["by"], "team");
    let ended = salon.operator.call("POST", &format!("{path}/end")).await.data();
    assert_eq!((&ended["status"], &ended["ended_by"]), (&json!("ended"), &json!("team")));
    salon.operator.post(&format!("{path}/turns"), &json!({ "text": "?" })).await.fails(409, "conflict");
    salon.operator.delete(&path).await.is(204);
    salon.operator.get(&path).await.fails(404, "not_found");
}

#[tokio::test]
async fn a_turn_has_one_input() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let started = salon.operator.post("/conversations", &json!({ "channel": "website" })).await.created();
    let turns = format!("/conversations/{}/turns", id(&started));
    salon.operator.post(&turns, &json!({})).await.invalid_at(&[""]);
    salon.operator.post(&turns, &json!({ "text": "a", "keys": "1" })).await.invalid_at(&["keys"]);
    salon.operator.post(&turns, &json!({ "keys": "1", "choice": "1" })).await.invalid_at(&["choice"]);
    salon.operator.post(&turns, &json!({ "choice": "7" })).await.invalid_at(&["choice"]);
    salon.operator.post(&turns, &json!({ "choice": "1" })).await.is(200);
}

#[tokio::test]
async fn a_page_of_questions_continues_after_a_deleted_question() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let started = salon.operator.post("/conversations", &json!({ "channel": "website" })).await.created();
    let turns = format!("/conversations/{}/turns", id(&started));
    for thing in ["a pool", "a garden", "a library"] {
        salon.operator.post(&turns, &json!({ "text": format!("Do you have {thing}?") })).await.is(200);
    }
    let all: Vec<String> =
        salon.operator.all("/receptionist/gaps").await.iter().map(|gap| id(gap).to_owned()).collect();
    assert_eq!(all.len(), 3);
    let first = salon.operator.get("/receptionist/gaps?limit=1").await;
    assert_eq!(id(&first.body["data"][0]), all[0]);
    salon.operator.delete(&format!("/receptionist/gaps/{}", all[0])).await.is(204);
    let cursor = first.body["next_cursor"].as_str().unwrap();
    let second = salon.operator.get(&format!("/receptionist/gaps?limit=1&cursor={cursor}")).await;
    assert_eq!(id(&second.body["data"][0]), all[1]);
}
