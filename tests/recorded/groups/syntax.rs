//! Sends invalid bodies to each route. Most of them are a valid body with one error. Also sends a valid body with a
//! wrong media type.

use crate::groups::FOUNDING;
use crate::operations::Document;
use crate::scene::{Ask, Scene, Who};

pub(crate) async fn public(scene: &mut Scene) {
    play(scene, &Document::public()).await;
}

pub(crate) async fn operator(scene: &mut Scene) {
    play(scene, &Document::operator()).await;
}

async fn play(scene: &mut Scene, document: &Document) {
    scene.play(FOUNDING).await;
    for operation in &document.operations {
        let Some((schema, good)) = operation.body(scene) else { continue };
        let ask = || Ask::new(&operation.method, &operation.path);
        for body in document.schemas.broken(schema, &good) {
            scene.send(ask().json(body), Who::Own).await;
        }
        let plain = ask().header("content-type", "text/plain");
        scene.send(Ask { body: good.to_string().into(), ..plain }, Who::Own).await;
    }
}
