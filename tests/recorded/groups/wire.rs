//! Sends requests that violate HTTP, and requests to a business that is set aside because of damaged rows.
//! Every request to this business gets the status 500.

use std::fs;

use crate::harness::TOKEN;
use crate::scene::Scene;

const OF_OPERATOR: &str = "/admin/v1/businesses/{business_id}";

/// Invalid requests. Each consists of the method and of the text that follows the path.
const MALFORMED: [(&str, &str); 7] = [
    ("GET", " HTTP/1.1\r\n\r\n"),
    ("GET", " HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n"),
    ("GET", " HTTP/1.1\r\nhost: a b\r\n\r\n"),
    ("GET", " HTTP/1.1\r\nhost: localhost\r\na b: c\r\n\r\n"),
    ("GET", " HTTP/9.9\r\n\r\n"),
    ("PATCH", " HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}"),
    ("PATCH", " HTTP/1.1\r\nhost: localhost\r\n{auth}transfer-encoding: chunked\r\n\r\nzz\r\n"),
];

/// Requests to a business that is set aside because of damaged rows.
const SET_ASIDE: [(&str, &str, &str); 8] = [
    ("GET", "/v1/me", ""),
    ("GET", "/v1/services", ""),
    ("GET", "/v1/appointments", ""),
    ("POST", "/v1/contacts", r#"{"name":"Heidi"}"#),
    ("POST", "/mcp", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
    ("GET", OF_OPERATOR, ""),
    ("PATCH", OF_OPERATOR, r#"{"name":"New"}"#),
    ("DELETE", OF_OPERATOR, ""),
];

pub(crate) async fn play(scene: &mut Scene) {
    let auth = |token: &str| format!("authorization: Bearer {token}\r\n");
    let of_key = auth(scene.kept("key").unwrap());
    for (method, rest) in MALFORMED {
        for (path, auth) in [("/v1/business", &of_key), (&scene.fill(OF_OPERATOR), &auth(TOKEN))] {
            let bytes = format!("{method} {path}{}", rest.replace("{auth}", auth));
            scene.send_raw((method, path), &bytes).await;
        }
    }
    scene.server.stop().await;
    let list = scene.server.data_dir().join("businesses-set-aside");
    fs::write(list, format!("{} page 17 of store/db is damaged\n", scene.salon.id)).unwrap();
    scene.server.start().await;
    scene.restarted();
    for (method, path, body) in SET_ASIDE {
        let auth = if path == OF_OPERATOR { auth(TOKEN) } else { of_key.clone() };
        let path = scene.fill(path);
        let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{auth}connection: close\r\n");
        let length = body.len();
        let bytes = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
        scene.send_raw((method, &path), &bytes).await;
    }
}
