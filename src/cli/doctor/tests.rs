//! Tests which problems the checks of the `doctor` command find, and which advice they give.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::checks::{all, clock, name_servers};
use super::{Finding, Level};
use crate::config::{ServeArgs, Settings};

/// The settings of a service without problems, modified by `change`.
fn settings(dir: &Path, change: impl FnOnce(&mut ServeArgs)) -> Settings {
    let mut args = ServeArgs {
        listen: Some("127.0.0.1:0".into()),
        admin_listen: Some("127.0.0.1:0".into()),
        data_dir: Some(dir.join("data").into()),
        disk_reserve: Some("0".into()),
        ..ServeArgs::default()
    };
    change(&mut args);
    Settings::try_from(args).unwrap()
}

fn of<'a>(findings: &'a [Finding], what: &str) -> &'a Finding {
    findings.iter().find(|finding| finding.what == what).unwrap()
}

/// The level and text that a check reports after a change to the settings.
fn found(dir: &Path, change: impl FnOnce(&mut ServeArgs), what: &str) -> (Level, String) {
    let findings = all(&settings(dir, change), None);
    let finding = of(&findings, what);
    assert!(finding.level == Level::Ok || finding.advice.is_some(), "{finding}");
    (finding.level, finding.to_string())
}

#[test]
fn a_new_installation_has_no_problems() {
    let dir = tempfile::tempdir().unwrap();
    let findings = all(&settings(dir.path(), |_| {}), None);
    for what in ["data directory", "operator's token", "public listener", "operator listener", "disk"] {
        assert_eq!(of(&findings, what).level, Level::Ok, "{}", of(&findings, what));
    }
    assert!(!dir.path().join("data").exists(), "a check must not create the directory");
}

#[test]
fn a_port_in_use_is_reported_with_its_setting() {
    let dir = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (level, said) =
        found(dir.path(), |args| args.listen = Some(address.clone().into()), "public listener");
    assert_eq!(level, Level::Problem);
    assert!(said.contains(&address) && said.contains("RECEPTIONIST_LISTEN"), "{said}");
}

#[test]
fn files_that_others_can_read_are_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(found(dir.path(), |_| {}, "data directory").0, Level::Warning);
    std::fs::write(data.join("admin-token"), "0123456789abcdef0123").unwrap();
    std::fs::set_permissions(data.join("admin-token"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let (level, said) = found(dir.path(), |_| {}, "operator's token");
    assert_eq!(level, Level::Warning);
    assert!(said.contains("chmod 600"), "{said}");
}

#[test]
fn a_store_of_a_later_format_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("data")).unwrap();
    let data = dir.path().join("data");
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(data.join("format"), "format = 900\nread-by = 900\nwritten-by = 900\n").unwrap();
    let (level, said) = found(dir.path(), |_| {}, "data directory");
    assert_eq!(level, Level::Problem);
    assert!(said.contains("900"), "{said}");
}

#[test]
fn an_invalid_certificate_is_a_problem_and_a_public_address_without_one_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cert.pem");
    std::fs::write(&file, "nothing").unwrap();
    let with = |args: &mut ServeArgs| {
        args.tls_cert = Some(file.clone().into());
        args.tls_key = Some(file.clone().into());
    };
    assert_eq!(found(dir.path(), with, "certificate").0, Level::Problem);
    let everywhere = |args: &mut ServeArgs| args.listen = Some("0.0.0.0:0".into());
    assert_eq!(found(dir.path(), everywhere, "certificate").0, Level::Warning);
}

#[test]
fn a_disk_with_less_than_the_reserve_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    let all_of_it = |args: &mut ServeArgs| args.disk_reserve = Some("900000GiB".into());
    let (level, said) = found(dir.path(), all_of_it, "disk");
    assert_eq!(level, Level::Problem);
    assert!(said.contains("RECEPTIONIST_DISK_RESERVE"), "{said}");
}

#[test]
fn a_clock_earlier_than_a_written_file_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("committed"), "").unwrap();
    let now = SystemTime::now();
    assert_ne!(clock(dir.path(), now).level, Level::Problem);
    assert_eq!(clock(dir.path(), now - Duration::from_secs(3_600)).level, Level::Problem);
    assert_eq!(clock(dir.path(), SystemTime::UNIX_EPOCH).level, Level::Problem);
}

#[test]
fn a_clock_earlier_than_the_services_time_is_a_problem_with_two_remedies() {
    let dir = tempfile::tempdir().unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_442_000); // 2026-03-02T09:00:00Z
    let found = |kept: &str| {
        std::fs::write(dir.path().join("clock"), kept).unwrap();
        // The check also reports a file whose modification time is after `now`, so the file gets the modification time
        // `now`.
        let file = std::fs::File::options().write(true).open(dir.path().join("clock")).unwrap();
        file.set_modified(now).unwrap();
        clock(dir.path(), now)
    };
    for fits in ["2026-03-02T09:01:00.000Z\n", "2026-03-01T09:00:00.000Z\n", "", "?"] {
        assert_ne!(found(fits).level, Level::Problem, "{fits}");
    }
    for wrong in ["2026-03-02T09:01:00.001Z\n", "2029-03-02T09:00:00.000Z\n"] {
        let finding = found(wrong);
        assert_eq!(finding.level, Level::Problem);
        let said = finding.to_string();
        assert!(said.contains(wrong.trim_end()) && said.contains("2026-03-02 09:00:00 UTC"), "{said}");
        assert!(said.contains("set it") && said.contains("repair-stamps"), "{said}");
    }
}

#[test]
fn the_name_servers_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("resolv.conf");
    assert_eq!(name_servers(&file).level, Level::Warning);
    std::fs::write(&file, "search example.org\nnameserver 192.0.2.1\nnameserver 2001:db8::1\n").unwrap();
    let told = name_servers(&file);
    assert_eq!(told.level, Level::Ok);
    assert!(told.said.contains("192.0.2.1, 2001:db8::1"), "{told}");
}

#[test]
fn an_offline_business_is_listed_with_its_reason_and_advice() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let id = "01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c";
    let list = data.join("businesses-set-aside");
    std::fs::write(&list, format!("{id} 3 rows are missing\n")).unwrap();
    let (level, said) = found(dir.path(), |_| {}, "business set aside");
    assert_eq!(level, Level::Problem);
    for words in [id, "3 rows are missing", "receptionist salvage --data-dir", "restore a backup"] {
        assert!(said.contains(words), "the output does not contain {words}: {said}");
    }
    std::fs::write(&list, "nothing\n").unwrap();
    let (level, said) = found(dir.path(), |_| {}, "business set aside");
    assert!(
        level == Level::Problem && said.contains("line 1") && said.contains("businesses-set-aside"),
        "{said}"
    );
    std::fs::remove_file(&list).unwrap();
    let findings = all(&settings(dir.path(), |_| {}), None);
    assert!(findings.iter().all(|finding| finding.what != "business set aside"));
}
