//! The search in the knowledge entries, which the receptionist uses to answer questions.

use domain::{Channel, KnowledgeDetails, KnowledgeId};
use engine::BusinessHandle;
use engine::business::commands::knowledge::{AddKnowledge, DeleteKnowledge};
use engine::business::commands::receptionist::PatchReceptionist;

use crate::harness::{by_operator, id_of, text};
use crate::receptionist::{said, start, started, world};

async fn added(handle: &BusinessHandle, title: &str, content: &str) -> KnowledgeId {
    let details =
        KnowledgeDetails { title: text(title), content: text(content), source_url: None, locale: None };
    id_of(&handle.change(by_operator(), AddKnowledge { details }).await.unwrap())
}

async fn found(handle: &BusinessHandle, query: &str) -> Vec<String> {
    let passages = handle.search_knowledge(query.into()).await.unwrap();
    passages.into_iter().map(|passage| passage.title).collect()
}

#[tokio::test(start_paused = true)]
async fn the_receptionist_answers_from_the_newest_state_of_the_entries() {
    let (mut world, shop) = world().await;
    let handle = world.at(&shop);
    let patch = PatchReceptionist { knowledge_public: Some(true), ..PatchReceptionist::default() };
    handle.change(by_operator(), patch).await.unwrap();
    assert!(found(&handle, "Where can I park my car?").await.is_empty());
    let id = added(&handle, "Parking", "You can park your car in the yard.").await;
    assert_eq!(found(&handle, "Where can I park my car?").await, ["Parking"]);
    world.restart().await;
    let handle = world.at(&shop);
    let chat = started(&handle, start(Channel::Website)).await;
    let answer = said(&handle, chat, "Where can I park my car?").await.turns.last().unwrap().text.clone();
    assert!(answer.contains("You can park your car in the yard."), "{answer}");
    handle.change(by_operator(), DeleteKnowledge { id }).await.unwrap();
    assert!(found(&handle, "Where can I park my car?").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_oldest_four_mib_of_the_entries_are_searched() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let patch = PatchReceptionist { knowledge_public: Some(true), ..PatchReceptionist::default() };
    handle.change(by_operator(), patch).await.unwrap();
    let filling = "filler ".repeat(7_000);
    let mut oldest = Vec::new();
    for number in 0..90 {
        oldest.push(added(&handle, &format!("Filler {number}"), &filling).await);
    }
    added(&handle, "Parking", "You can park your car in the yard.").await;
    assert!(found(&handle, "Where can I park my car?").await.is_empty());
    for id in oldest.drain(..10) {
        handle.change(by_operator(), DeleteKnowledge { id }).await.unwrap();
    }
    assert_eq!(found(&handle, "Where can I park my car?").await, ["Parking"]);
}
