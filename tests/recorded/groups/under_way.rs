//! Sends requests while other requests are in progress: an import, and DNS lookups that never end.

use std::future::IntoFuture as _;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::harness::TOKEN;
use crate::scene::{Scene, until};

/// The maximum number of concurrent DNS lookups of a business.
const LOOK_UPS: usize = 8;

pub(crate) async fn play(scene: &mut Scene) {
    import(scene).await;
    look_ups(scene).await;
}

/// Begins an import whose body never ends.
async fn import(scene: &mut Scene) {
    let mut open = TcpStream::connect(scene.server.operator.address).await.unwrap();
    let head = format!(
        "POST /admin/v1/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Idempotency-Key: import\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    open.write_all(head.as_bytes()).await.unwrap();
    let operator = scene.server.operator.clone();
    let has_begun = async || operator.call("POST", "/import").bytes("{}").await.status == 409;
    until("the beginning of the import", has_begun).await;
    scene.play("POST /admin/v1/import raw:{}\nPOST /admin/v1/import Idempotency-Key:import raw:{}").await;
}

async fn look_ups(scene: &mut Scene) {
    let body = json!({ "url": "https://a.silent.example.org/", "events": ["contact.created"] });
    let calls = (0..LOOK_UPS).map(|_| scene.salon.api.call("POST", "/webhooks").json(&body));
    let hang: Vec<_> = calls.map(|call| tokio::spawn(call.into_future())).collect();
    scene.server.network.wait_for_silent(LOOK_UPS).await;
    scene.play(r#"POST /v1/webhooks {"url":"https://a.example.com/","events":["contact.created"]}"#).await;
    hang.iter().for_each(tokio::task::JoinHandle::abort);
}
