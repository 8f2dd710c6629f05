//! Requests backups and exports, and imports an exported business.

use crate::scene::{Ask, Scene, Who, until};

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(include_str!("../scripts/moving.txt")).await;
    let lines = scene.send(Ask::new("GET", "B/export"), Who::Own).await.bytes;
    scene.send(Ask::new("DELETE", "B"), Who::Own).await;
    let operator = scene.server.operator.clone();
    let is_gone =
        async || operator.call("POST", "/import?dry_run=true").bytes(lines.clone()).await.status == 200;
    until("the end of the business", is_gone).await;
    let import = |query: &str, lines: &[u8]| {
        let ask = Ask::new("POST", &format!("/admin/v1/import{query}"));
        Ask { body: lines.to_vec(), ..ask.header("content-type", "application/x-ndjson") }
    };
    for (query, lines) in [
        ("", &lines[..lines.len() / 2]),
        ("?dry_run=true", &lines),
        ("?dry_run=false&erase_again=false", &lines),
        ("", &lines),
    ] {
        scene.send(import(query, lines), Who::Own).await;
    }
    for path in ["B", "B/services", "B/appointments", "B/audit", "/v1/me", "/admin/v1/audit"] {
        scene.send(Ask::new("GET", path), Who::Own).await;
    }
}
