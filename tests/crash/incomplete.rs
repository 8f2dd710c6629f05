//! Tests of a store from which rows of a business are missing, although the recorded usage of the business still counts
//! these rows. Backups and exports of the real program report the missing rows.

use std::path::Path;

use domain::BusinessId;
use store::{Batch, Key, Order, Store, keys};

use crate::backups::{back_up, filled, lines, path, receptionist};
use crate::client::Client;
use crate::process::Server;

/// Deletes `count` appointments from the store of a stopped service.
async fn lose(data_dir: &Path, of: BusinessId, count: usize) {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    let mut batch = Batch::default();
    let appointments = keys::of_kind(of, keys::kind::APPOINTMENT);
    for row in store.rows().scan(&appointments, Order::Ascending).take(count) {
        batch.delete(Key::new(&row.unwrap().0));
    }
    store.submit(of, batch, Box::new(|| ())).unwrap();
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_and_exports_that_lack_rows_exit_with_1_and_name_them() {
    let home = tempfile::tempdir().unwrap();
    let (data, to) = (home.path().join("data"), home.path().join("backup"));
    let (server, client, shop) = filled(&data, 40).await;
    let whole = tokio::task::block_in_place(|| back_up(&server, &home.path().join("whole")));
    assert_eq!(whole.status.code(), Some(0), "{}", lines(&whole));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    drop(client);
    let of: BusinessId = shop.id.parse().unwrap();
    lose(&data, of, 3).await;

    let lacks = format!("business {of}: appointments: 40 recorded, 37 found");
    let fails = |args: &[&str], words: &str| {
        let failed = receptionist(args);
        let said = lines(&failed);
        assert_eq!(failed.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains(words) && said.contains(&lacks), "{args:?}: {said}");
        said
    };
    let server = Server::on(&data);
    let made = tokio::task::block_in_place(|| back_up(&server, &to));
    let said = lines(&made);
    assert_eq!(made.status.code(), Some(1), "{said}");
    assert!(said.contains("is incomplete") && said.contains(&lacks), "{said}");
    let listen = server.admin.trim_start_matches("http://").trim_end_matches("/admin/v1").to_owned();
    let of_service = ["export", "--admin-listen", &listen, "--admin-token", crate::process::TOKEN];
    let running = tokio::task::block_in_place(|| fails(&of_service, "the export is incomplete"));
    assert!(!running.contains("\"kind\":\"end\"") && !running.contains("business_end"), "{running}");
    assert!(running.contains("\"kind\":\"problem\""), "{running}");
    let file = home.path().join("export.jsonl");
    let into_file = [&of_service[..], &["--to", path(&file)]].concat();
    tokio::task::block_in_place(|| fails(&into_file, "the export is incomplete"));
    assert!(!file.exists(), "an incomplete file must not be left");
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());

    let restored = home.path().join("restored");
    let restore = ["restore", "--from", path(&to), "--to", path(&restored)];
    fails(&restore, "--accept-incomplete");
    assert!(!restored.join("store").exists() || Store::open_disk(&restored, Box::new(|_| ())).is_err());
    let accepted = home.path().join("accepted");
    let accept = ["restore", "--from", path(&to), "--to", path(&accepted), "--accept-incomplete"];
    let accept = receptionist(&accept);
    assert_eq!(accept.status.code(), Some(0), "{}", lines(&accept));
    assert!(lines(&accept).contains(&lacks), "{}", lines(&accept));
    // The operator has accepted the missing rows, so the restored store counts as intact.
    let server = Server::on(&accepted);
    let client = Client::of(&server);
    assert_eq!(client.audit(&shop).await[1]["action"], "business.restored_incomplete");
    let again = tokio::task::block_in_place(|| back_up(&server, &home.path().join("again")));
    assert_eq!(again.status.code(), Some(0), "{}", lines(&again));
}
