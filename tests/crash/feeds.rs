//! Kills the program with `kill -9`. After the restart, feeds whose creation was acknowledged work,
//! and feeds whose revocation was acknowledged do not.

use engine::verify::verify;
use serde_json::json;

use crate::client::{Client, Shop, text};
use crate::process::Server;

/// The number of times that the program is killed.
const ROUNDS: usize = 3;

#[tokio::test]
async fn a_killed_service_keeps_feeds_and_revocations() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let mut server = Server::on(&data_dir);
    let shop = Shop::create(&Client::of(&server), 1).await;
    let feeds = format!("/businesses/{}/feeds", shop.id);
    let (mut live, mut revoked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let client = Client::of(&server);
        for is_kept in [true, false] {
            let made = client.operator("POST", &feeds, Some(json!({ "detail": "times" }))).await;
            let url = text(&made["data"], "url");
            let path = url.split_once("/calendar/").unwrap().1.to_owned();
            if is_kept {
                live.push(path);
            } else {
                let one = format!("{feeds}/{}", text(&made["data"], "id"));
                client.operator("DELETE", &one, None).await;
                revoked.push(path);
            }
        }
        server.kill();
        server.wait();
        server = Server::on(&data_dir);
        for (paths, status) in [(&live, 200), (&revoked, 404)] {
            for path in paths {
                let page =
                    Client::of(&server).page("192.0.2.1", &format!("/calendar/{path}"), None).await.unwrap();
                assert_eq!(page.status, status, "{path}");
            }
        }
    }
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
