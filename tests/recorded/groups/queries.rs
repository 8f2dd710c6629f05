//! Sends every query parameter with invalid values, and reads every list page by page.

use serde_json::Value;

use crate::groups::FOUNDING;
use crate::harness::encoded;
use crate::operations::{Document, Operation};
use crate::scene::{Ask, Scene, Who};

/// The required query parameters, with valid values.
const NEEDED: [(&str, &str); 6] = [
    ("service_id", "{cut}"),
    ("start_date", "2026-03-03"),
    ("q", "ada"),
    ("from", "2026-03-02"),
    ("to", "2026-03-08"),
    ("by", "week"),
];

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    scene.play(include_str!("../scripts/pages.txt")).await;
    for document in [Document::public(), Document::operator()] {
        for operation in document.operations.iter().filter(|operation| operation.method == "GET") {
            for parameter in operation.query() {
                let wrong = document.schemas.wrong(&parameter["schema"], None, 0);
                wrong_values(scene, operation, parameter["name"].as_str().unwrap(), &wrong).await;
            }
            if operation.query().any(|parameter| parameter["name"] == "cursor") {
                pages(scene, operation).await;
            }
        }
    }
}

/// The path with all required parameters except `but_for`.
fn path(scene: &Scene, operation: &Operation, but_for: &str) -> String {
    let needed = operation.query().filter(|parameter| parameter["required"] == true);
    let names = needed.filter_map(|parameter| parameter["name"].as_str()).filter(|name| *name != but_for);
    let given = names.map(|name| NEEDED.iter().find(|(needed, _)| *needed == name).unwrap());
    let query: String = given.map(|(name, value)| format!("{name}={value}&")).collect();
    scene.fill(&format!("{}?{query}", operation.path))
}

async fn wrong_values(scene: &mut Scene, operation: &Operation, name: &str, wrong: &[Value]) {
    let path = path(scene, operation, name);
    let mut texts: Vec<String> =
        wrong.iter().map(|value| value.as_str().map_or(value.to_string(), str::to_owned)).collect();
    texts.extend(["".to_owned(), "%".to_owned()]);
    texts.dedup();
    for text in texts {
        let value = if text == "%" { text } else { encoded(&text) };
        scene.send(Ask::new("GET", &format!("{path}{name}={value}")), Who::Own).await;
    }
    scene.send(Ask::new("GET", &format!("{path}{name}=1&{name}=2")), Who::Own).await;
}

async fn pages(scene: &mut Scene, operation: &Operation) {
    let path = path(scene, operation, "");
    scene.send(Ask::new("GET", path.trim_end_matches(['?', '&'])), Who::Own).await;
    let page = scene.send(Ask::new("GET", &format!("{path}limit=1")), Who::Own).await;
    let Some(cursor) = page.body["next_cursor"].as_str().map(str::to_owned) else { return };
    let altered = format!("A{}", &cursor[1..]);
    let foreign = scene.kept("foreign.cursor").unwrap().to_owned();
    for cursor in [&cursor, &altered, &foreign, &cursor[2..]] {
        scene.send(Ask::new("GET", &format!("{path}limit=1&cursor={cursor}")), Who::Own).await;
    }
}
