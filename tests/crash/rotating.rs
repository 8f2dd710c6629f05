//! Tests of a directory of backups. `backup --in` deletes older backups, and copies the list of tombstones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::backups::{filled, lines, path, receptionist};
use crate::client::text;
use crate::process::{Server, TOKEN};

/// Runs `backup --in`. The command reads the list of tombstones in the data directory.
fn back_up_in(server: &Server, home: &Path, more: &[&str]) -> Output {
    let listen = server.admin.trim_start_matches("http://").trim_end_matches("/admin/v1");
    let (backups, data) = (home.join("backups"), home.join("data"));
    let args = ["backup", "--in", path(&backups), "--data-dir", path(&data)];
    receptionist(&[&args[..], &["--admin-listen", listen, "--admin-token", TOKEN], more].concat())
}

/// The names in a directory, sorted.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Copies the files of a backup to a new directory with this name beside it, to simulate another backup.
fn put(backup: &Path, name: &str) -> PathBuf {
    let to = backup.with_file_name(name);
    fs::create_dir(&to).unwrap();
    for file in ["rows", "manifest.json"] {
        fs::copy(backup.join(file), to.join(file)).unwrap();
    }
    to
}

#[tokio::test]
async fn only_older_complete_backups_are_deleted_after_a_new_one_is_complete() {
    let home = tempfile::tempdir().unwrap();
    let (server, _, _) = filled(&home.path().join("data"), 20).await;
    let output = back_up_in(&server, home.path(), &[]);
    assert!(output.status.success(), "{}", lines(&output));
    let backups = home.path().join("backups");
    let [made, list] = &names(&backups)[..] else { panic!("{:?}", names(&backups)) };
    assert_eq!((list.as_str(), &made[..7]), ("tombstones", "backup-"));
    let made = backups.join(made);
    for day in 1..=3 {
        put(&made, &format!("backup-2020-01-0{day}T00-00-00Z"));
    }
    // None of the following entries is a complete backup that the command has made, so the command must not
    // delete any of them.
    let without_manifest = put(&made, "backup-2020-01-04T00-00-00Z");
    fs::remove_file(without_manifest.join("manifest.json")).unwrap();
    let with_more = put(&made, "backup-2020-01-05T00-00-00Z");
    fs::write(with_more.join("notes"), "").unwrap();
    let damaged = put(&made, "backup-2020-01-06T00-00-00Z");
    let manifest = fs::read_to_string(damaged.join("manifest.json")).unwrap();
    fs::write(damaged.join("manifest.json"), manifest.replace("\"rows\": ", "\"rows\": 1")).unwrap();
    put(&made, "before-the-move");
    std::os::unix::fs::symlink(&made, backups.join("backup-2020-01-07T00-00-00Z")).unwrap();
    fs::write(backups.join("backup-2020-01-08T00-00-00Z"), "").unwrap();
    let before = names(&backups);

    // The last run of the command was interrupted while it deleted this backup. The next `backup --in`
    // completes the deletion.
    let left = put(&made, "deleted-backup-2019-12-31T00-00-00Z");
    fs::remove_file(left.join("manifest.json")).unwrap();
    let output = back_up_in(&server, home.path(), &["--keep", "3"]);
    assert!(output.status.success(), "{}", lines(&output));
    assert!(lines(&output).contains("2 older backups deleted"), "{}", lines(&output));
    let after = names(&backups);
    let gone: Vec<_> = before.iter().filter(|name| !after.contains(name)).collect();
    assert_eq!(gone, ["backup-2020-01-01T00-00-00Z", "backup-2020-01-02T00-00-00Z"]);
    assert_eq!(after.len(), before.len() - 2 + 1);
}

#[tokio::test]
async fn a_restore_applies_the_newest_copy_of_the_list_beside_the_backup() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let (server, client, shop) = filled(&data_dir, 20).await;
    assert!(back_up_in(&server, home.path(), &[]).status.success());
    let backups = home.path().join("backups");
    let made = backups.join(&names(&backups)[0]);
    let contacts = format!("/businesses/{}/contacts", shop.id);
    let contact = format!("{contacts}/{}", text(&client.operator_list(&contacts).await[0], "id"));
    assert_eq!(client.ask_operator("DELETE", &contact, None).await.unwrap().status, 204);
    drop(server);
    // Copying the list does not need a running service.
    let listed =
        receptionist(&["backup", "--in", path(&backups), "--data-dir", path(&data_dir), "--list-only"]);
    assert!(listed.status.success(), "{}", lines(&listed));
    assert_eq!(names(&backups).len(), 2, "no backup may be made");

    let to = home.path().join("restored");
    let output = receptionist(&["restore", "--from", path(&made), "--to", path(&to)]);
    assert!(lines(&output).contains("1 contact and 0 businesses that were erased"), "{}", lines(&output));
    assert!(
        lines(&output).contains("0 API keys that were revoked since the backup are revoked again"),
        "{}",
        lines(&output)
    );
    let server = Server::on(&to);
    let client = crate::client::Client::of(&server);
    assert_eq!(client.ask_operator("GET", &contact, None).await.unwrap().status, 404);
    // The command replaces the copy of the list of tombstones only if the new list begins with the lines of the copy.
    // The list of the restored store begins with these lines, so the command succeeds.
    drop(server);
    let again = receptionist(&["backup", "--in", path(&backups), "--data-dir", path(&to), "--list-only"]);
    assert!(again.status.success(), "{}", lines(&again));

    let list = backups.join("tombstones");
    let copy = fs::read_to_string(&list).unwrap();
    fs::write(&list, copy.replace("erased-contact", "revoked-key")).unwrap();
    let refused =
        receptionist(&["restore", "--from", path(&made), "--to", path(&home.path().join("refused"))]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(lines(&refused).contains("tombstones is damaged"), "{}", lines(&refused));
}

#[test]
fn options_for_a_backup_directory_are_refused_without_one() {
    for words in
        [&["--keep", "2", "--to", "x"][..], &["--list-only", "--to", "x"], &["--in", "x", "--keep", "0"], &[]]
    {
        let output = receptionist(&[&["backup"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", lines(&output));
    }
}
