//! Tests of backups that are requested through the operator API.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::Server;

/// Waits until a backup has finished.
async fn ended(server: &Server, id: &str) -> Value {
    loop {
        let state = server.operator.get(&format!("/backup/{id}")).await.data();
        if state["status"] != "running" {
            return state;
        }
    }
}

#[tokio::test]
async fn a_backup_shows_its_progress_and_its_contents() {
    let mut server = Server::open().await;
    server.salon().await;
    assert_eq!(server.engine().newest_backup(), None);
    let home = tempfile::tempdir().unwrap();
    let to = home.path().join("new/backup");
    let begun = server.operator.post("/backup", &json!({ "to": to })).await;
    let begun = begun.is(202).body["data"].clone();
    assert_eq!(begun.as_object().unwrap().len(), 1, "{begun}");
    let state = ended(&server, begun["id"].as_str().unwrap()).await;
    assert_eq!((&state["status"], &state["error"]), (&json!("done"), &Value::Null), "{state}");
    assert_eq!(state["to"], to.to_str().unwrap());
    let manifest: Value = serde_json::from_slice(&std::fs::read(to.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["sha256"], state["manifest"]["sha256"]);
    for field in ["format", "version", "sequence", "taken_at", "rows", "bytes"] {
        assert_eq!(manifest["manifest"][field], state["manifest"][field], "{field}");
    }
    assert_eq!(state["manifest"]["format"], 13);
    assert_eq!(state["rows"], state["manifest"]["rows"]);
    for _life in 0..2 {
        let noted = server.engine().newest_backup().unwrap().to_string();
        assert_eq!(state["manifest"]["taken_at"], noted);
        server.restart().await;
    }
    check_private(&to);
    let report = engine::verify::verify(&to).await.unwrap();
    assert!(report.is_whole() && report.businesses == 1, "{report:?}");
}

/// Checks that the files with personal data can be read only by their owner.
fn check_private(dir: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(dir), 0o700);
    let entries: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(entries.len(), 2, "{entries:?}");
    entries.iter().for_each(|path| assert_eq!(mode(path), 0o600));
}

#[tokio::test]
async fn a_directory_that_cannot_be_used_is_400_and_says_why() {
    let server = Server::open().await;
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let full = home.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("mine"), "x").unwrap();
    for (to, words) in [
        ("backup".into(), "must be an absolute path"),
        (full.display().to_string(), "is not empty"),
        (file.display().to_string(), "cannot be used"),
        (file.join("in-it").display().to_string(), "cannot be"),
        ("/proc/nothing/here".into(), "cannot be created"),
    ] {
        let answer = server.operator.post("/backup", &json!({ "to": to })).await;
        answer.fails(400, "invalid_request").invalid_at(&["to"]);
        let told = answer.body["error"]["details"][0]["message"].as_str().unwrap();
        assert!(told.contains(words), "{to}: {told}");
    }
    for body in [json!({}), json!({ "to": "" }), json!({ "to": 5 }), json!({ "to": "/x", "more": 1 })] {
        server.operator.post("/backup", &body).await.fails(400, "invalid_request");
    }
    assert_eq!(std::fs::read(full.join("mine")).unwrap(), b"x");
    assert_eq!(std::fs::read_dir(&full).unwrap().count(), 1);
    let taken = home.path().join("taken");
    let begun = server.operator.post("/backup", &json!({ "to": taken })).await;
    ended(&server, begun.body["data"]["id"].as_str().unwrap()).await;
    let again = server.operator.post("/backup", &json!({ "to": taken })).await;
    assert!(
        again.body["error"]["details"][0]["message"].as_str().unwrap().contains("holds a backup already")
    );
}

#[tokio::test]
async fn an_unknown_backup_is_not_found() {
    let server = Server::open().await;
    for id in ["none", "018f0000-0000-7000-8000-000000000000"] {
        server.operator.get(&format!("/backup/{id}")).await.fails(404, "not_found");
    }
}
