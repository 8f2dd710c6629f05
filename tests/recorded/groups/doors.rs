//! Requests every route without a credential, with an invalid one, without its scope, with another method,
//! with an invalid query, and with unknown ids. Also requests every route of the public API for a suspended
//! business.

use std::collections::BTreeSet;

use receptionist::service::routes;

use crate::groups::FOUNDING;
use crate::operations::{Document, Operation};
use crate::scene::{Ask, Scene, UNKNOWN, Who};

/// A key that has a valid form but does not exist.
const WRONG_KEY: &str = "rcpt_aaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(FOUNDING).await;
    let public = Document::public().operations;
    for operation in public.iter().chain(&Document::operator().operations) {
        refused(scene, operation).await;
    }
    let paths: BTreeSet<_> = routes().into_iter().map(|(_, path)| path).collect();
    for path in paths {
        scene.send(Ask::new("BREW", path), Who::Own).await;
    }
    scene.play(r#"PATCH B {"suspended":true}"#).await;
    for operation in &public {
        scene.send(Ask::new(&operation.method, &operation.path), Who::Own).await;
    }
}

async fn refused(scene: &mut Scene, operation: &Operation) {
    let Operation { method, path, .. } = operation;
    let is_public = path.starts_with("/v1");
    let body = operation.body(scene).map(|(_, good)| good.to_string());
    let ask = |path: &str| match &body {
        Some(body) => Ask::new(method, path).json(body.clone()),
        None => Ask::new(method, path),
    };
    // The service limits the number of invalid operator tokens per minute, so each operation gets its own
    // minute.
    scene.server.clock.advance(60);
    scene.send(ask(path), Who::Anonymous).await;
    scene.send(ask(path), Who::With(WRONG_KEY)).await;
    if is_public {
        let weak = scene.kept(if path.contains("knowledge") { "hooks.key" } else { "weak.key" });
        let weak = weak.unwrap().to_owned();
        scene.send(ask(path), Who::With(&weak)).await;
    }
    scene.send(ask(&format!("{path}?odd=1")), Who::Own).await;
    for id in ["none", UNKNOWN] {
        if let Some(path) = operation.path_with(id) {
            scene.send(ask(&path), Who::Own).await;
        }
    }
}
