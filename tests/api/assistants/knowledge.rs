//! Tests of the tool `search_knowledge`, which only businesses with public knowledge offer.

use serde_json::{Value, json};

use super::Assistant;
use crate::harness::{Salon, Server};

async fn publish(salon: &Salon, is_public: bool) {
    salon.operator.patch("/receptionist", &json!({ "knowledge_public": is_public })).await.is(200);
}

async fn names(assistant: &Assistant) -> Vec<String> {
    let listed = assistant.ask("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn public_knowledge_is_searched_and_other_knowledge_is_not() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    for (title, content) in [
        ("Parking", "Customers can park their car behind the house, free of charge."),
        ("Dogs", "Dogs are welcome on a leash."),
    ] {
        let url = "https://salon.example/faq";
        let entry = json!({ "title": title, "content": content, "source_url": url });
        salon.api.post("/knowledge", &entry).await.created();
    }
    let ask = || {
        assistant.request(
            "tools/call",
            json!({ "name": "search_knowledge", "arguments": { "query": "Where can I park my car?" } }),
        )
    };
    assert!(!names(&assistant).await.contains(&"search_knowledge".to_owned()));
    let hidden = ask().await;
    let refused = hidden.body["error"]["message"].as_str().unwrap();
    assert!(refused.contains("there is no tool search_knowledge"), "{refused}");

    publish(&salon, true).await;
    assert_eq!(names(&assistant).await[2], "search_knowledge", "it follows update_business");
    let question = json!({ "query": "Where can I park my car?" });
    let found = assistant.call("search_knowledge", question.clone()).await.done();
    let passages = found["passages"].as_array().unwrap();
    assert_eq!((passages.len(), &passages[0]["title"]), (1, &json!("Parking")));
    assert!(passages[0]["text"].as_str().unwrap().contains("behind the house"));
    assert_eq!(passages[0]["source_url"], "https://salon.example/faq");
    let none =
        assistant.call("search_knowledge", json!({ "query": "Do you sell gift vouchers?" })).await.done();
    assert_eq!(none["passages"], json!([]));
    for wrong in
        [json!({}), json!({ "query": "" }), json!({ "query": "x".repeat(301) }), json!({ "query": 5 })]
    {
        assistant.call("search_knowledge", wrong).await.refuses(&["query"]);
    }
    let without = Assistant::with_scopes(&server, &salon, &["appointments:read"]).await;
    without.call("search_knowledge", question).await.refuses(&["business:read", "lacks the scope"]);

    publish(&salon, false).await;
    assert!(!names(&assistant).await.contains(&"search_knowledge".to_owned()));
}

#[tokio::test]
async fn knowledge_of_another_business_is_not_found() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let entry = json!({ "title": "Parking", "content": "Customers can park their car behind the house." });
    other.api.post("/knowledge", &entry).await.created();
    publish(&salon, true).await;
    publish(&other, true).await;
    let question = json!({ "query": "Where can I park my car?" });
    let found = Assistant::of(&server, &salon).call("search_knowledge", question.clone()).await.done();
    assert_eq!(found["passages"], json!([]));
    let own = Assistant::of(&server, &other).call("search_knowledge", question).await.done();
    assert_eq!(own["passages"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_tool_has_its_hints_and_a_schema_that_every_client_supports() {
    let server = Server::open().await;
    let salon = server.salon().await;
    publish(&salon, true).await;
    let listed = Assistant::of(&server, &salon).ask("tools/list", json!({})).await;
    let tool = &listed["tools"][2];
    assert_eq!(tool["name"], "search_knowledge");
    let hints: Value = json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false});
    assert_eq!(tool["annotations"], hints);
    for schema in ["inputSchema", "outputSchema"] {
        super::listed::lint(&tool[schema], "search_knowledge");
    }
}
