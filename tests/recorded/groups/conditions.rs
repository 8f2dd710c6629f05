//! Sends the headers `If-None-Match`, `If-Match` and `Idempotency-Key` with valid and invalid values to every
//! route that reads them.

use crate::groups::FOUNDING;
use crate::operations::{Document, Operation};
use crate::scene::{Ask, Scene, Who};

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    for document in [Document::public(), Document::operator()] {
        for operation in &document.operations {
            if operation.reads("If-None-Match") {
                reads(scene, operation).await;
            }
            if operation.reads("If-Match") {
                for tag in ["bare", "\"stale\"", ""] {
                    changes(scene, operation, "if-match", tag).await;
                }
            }
            if operation.reads("Idempotency-Key") {
                for key in ["two words", ""] {
                    changes(scene, operation, "idempotency-key", key).await;
                }
            }
        }
    }
    // This script contains conditional changes that succeed, because the resource has not changed.
    scene.play(include_str!("../scripts/conditions.txt")).await;
}

async fn reads(scene: &mut Scene, operation: &Operation) {
    let ask = || Ask::new("GET", &operation.path);
    let seen = scene.send(ask(), Who::Own).await;
    if !seen.has("etag") {
        return;
    }
    let seen = seen.etag();
    for tag in [seen.as_str(), &format!("W/{seen}"), "*", "\"other\"", "bare"] {
        scene.send(ask().header("if-none-match", tag), Who::Own).await;
    }
    scene.send(Ask::new("HEAD", &operation.path), Who::Own).await;
}

async fn changes(scene: &mut Scene, operation: &Operation, header: &str, value: &str) {
    let body = operation.body(scene).map(|(_, good)| good.to_string());
    let ask = Ask::new(&operation.method, &operation.path).header(header, value);
    let ask = if let Some(body) = body { ask.json(body) } else { ask };
    scene.send(ask, Who::Own).await;
}
