//! Tests of failed starts. A failed start prints a message and leaves the store unchanged.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use crate::client::{Call, Client, Shop, slot};
use crate::process::{Server, TOKEN, refused, serve, serve_from_shell};

/// The number of bytes by which a start extends a file of the store.
const SEGMENT_BYTES: u64 = 8 << 20;

/// Creates a shop and books an appointment. Returns the shop and the id of the appointment.
async fn booked(client: &Client) -> (Shop, String) {
    let shop = Shop::create(client, 1).await;
    let answer = client.call(&shop, &shop.booking(0, &slot(0), 1, "first".into())).await.unwrap();
    assert_eq!(answer.status, 201, "{answer:?}");
    (shop, answer.text("id"))
}

async fn still_there(client: &Client, shop: &Shop, id: &str) {
    let shown = client.get(shop, &format!("/appointments/{id}")).await;
    assert_eq!((shown.status, shown.text("status")), (200, "confirmed".into()));
}

#[tokio::test]
async fn a_second_process_on_the_directory_is_refused_and_the_first_continues() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    let client = Client::of(&server);
    let (shop, id) = booked(&client).await;
    for _ in 0..2 {
        let second = refused(serve(&data_dir));
        assert_eq!(second.code, Some(1), "{}", second.line);
        assert!(second.line.contains("RECEPTIONIST_DATA_DIR"), "{}", second.line);
        assert!(second.line.contains("in use by another process"), "{}", second.line);
    }
    still_there(&client, &shop, &id).await;
    server.kill();
    server.wait();
    let server = Server::on(&data_dir);
    still_there(&Client::of(&server), &shop, &id).await;
}

#[test]
fn an_invalid_setting_gives_one_line_that_names_its_variable() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let missing = home.path().join("missing.pem").display().to_string();
    let bad = [
        ("RECEPTIONIST_LISTEN", "localhost"),
        ("RECEPTIONIST_LISTEN", "127.0.0.1:70000"),
        ("RECEPTIONIST_LISTEN", ""),
        ("RECEPTIONIST_ADMIN_LISTEN", "8081"),
        ("RECEPTIONIST_DATA_DIR", ""),
        ("RECEPTIONIST_ADMIN_TOKEN", "two words"),
        ("RECEPTIONIST_ADMIN_TOKEN", ""),
        ("RECEPTIONIST_ADMIN_TOKEN", "fifteen-letters"),
        ("RECEPTIONIST_ADMIN_TOKEN_FILE", &missing), // the token itself is also set
        ("RECEPTIONIST_ADMIN_LISTEN", "0.0.0.0:0"),
        ("RECEPTIONIST_I_KNOW", "maybe"),
        ("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "0"),
        ("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "-1"),
        ("PUBLIC_API_RATE_LIMIT_PER_MINUTE", "many"),
        ("RECEPTIONIST_CONNECTIONS_PER_ADDRESS", "0"),
        ("RECEPTIONIST_CONNECTIONS_PER_ADDRESS", "many"),
        ("RECEPTIONIST_TRUSTED_PROXIES", ""),
        ("RECEPTIONIST_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("RECEPTIONIST_TRUSTED_PROXIES", "proxy.example.com"),
        ("RECEPTIONIST_DISK_RESERVE", "5%"),
        ("RECEPTIONIST_LOG", "a=b=c"),
        ("RECEPTIONIST_LOG_FORMAT", "xml"),
    ];
    for (variable, value) in bad {
        let mut command = serve(&data_dir);
        command.env(variable, value);
        let ended = refused(command);
        assert_eq!(ended.code, Some(2), "{variable}={value}: {}", ended.line);
        assert!(ended.line.contains(variable), "{variable}={value}: {}", ended.line);
        assert!(!ended.line.contains(TOKEN));
    }
    for prefix in ["RECEPTIONIST_TLS_", "RECEPTIONIST_ADMIN_TLS_"] {
        for set in [&["CERT"][..], &["KEY"], &["CERT", "KEY"]] {
            let mut command = serve(&data_dir);
            for name in set {
                command.env(format!("{prefix}{name}"), &missing);
            }
            let ended = refused(command);
            assert_eq!(ended.code, Some(2), "{set:?}: {}", ended.line);
            assert!(ended.line.starts_with(prefix), "{}", ended.line);
        }
    }
    assert!(!data_dir.exists(), "a failed start must create nothing");
}

#[test]
fn a_port_in_use_is_refused_before_the_store_is_opened() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    for variable in ["RECEPTIONIST_LISTEN", "RECEPTIONIST_ADMIN_LISTEN"] {
        let mut command = serve(&data_dir);
        command.env(variable, taken.local_addr().unwrap().to_string());
        let ended = refused(command);
        assert_eq!(ended.code, Some(1), "{}", ended.line);
        assert!(ended.line.contains(variable), "{}", ended.line);
    }
    assert!(!data_dir.exists());
}

#[test]
fn a_data_directory_that_cannot_be_used_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "mine").unwrap();
    // Even root cannot create the last of these directories.
    for path in [&*file, &file.join("below"), Path::new("/proc/receptionist")] {
        let ended = refused(serve(path));
        assert!(matches!(ended.code, Some(1 | 2)), "{}", ended.line);
        assert!(ended.line.contains("RECEPTIONIST_DATA_DIR"), "{}", ended.line);
        assert!(ended.line.contains(&*path.display().to_string()), "{}", ended.line);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

/// The length of the longest file in a directory and its subdirectories.
fn longest_file(below: &Path) -> u64 {
    let entries = fs::read_dir(below).unwrap().map(|entry| entry.unwrap().path());
    let length = |path: std::path::PathBuf| {
        if path.is_dir() { longest_file(&path) } else { path.metadata().unwrap().len() }
    };
    entries.map(length).max().unwrap_or(0)
}

/// Simulates a full disk with a limit on the length of files.
#[tokio::test]
async fn a_full_disk_ends_the_service_without_loss_of_acknowledged_data() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    let (shop, id) = booked(&Client::of(&server)).await;
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));

    // The number of blocks is computed for shells whose `ulimit -f` counts blocks of 512 bytes. Other shells count
    // blocks of 1,024 bytes. In these shells, the limit is twice as high.
    let blocks = (longest_file(&data_dir.join("store")) + SEGMENT_BYTES).div_ceil(512) + 64;
    let server = Server::start(
        serve_from_shell(&format!("trap '' XFSZ; ulimit -f {blocks}"), &data_dir),
        &home.path().join("full"),
    );
    let client = Client::of(&server);
    let mut acknowledged = vec![id];
    for number in 1..20_000 {
        let call = shop.booking(0, &slot(2 * number), 1, format!("booking-{number}"));
        match client.call(&shop, &call).await {
            Some(answer) if answer.status == 201 => acknowledged.push(answer.text("id")),
            Some(answer) => assert!(answer.status >= 500, "{answer:?}"),
            None => break,
        }
    }
    assert_eq!(server.wait().code(), Some(1), "the service ended after {} bookings", acknowledged.len());
    let errors = server.errors();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("RECEPTIONIST_DATA_DIR"), "{errors}");

    let server = Server::on(&data_dir);
    let client = Client::of(&server);
    for id in &acknowledged {
        still_there(&client, &shop, id).await;
    }
    let more = client.call(&shop, &shop.booking(0, &slot(41_000), 1, "more".into())).await.unwrap();
    assert_eq!(more.status, 201, "{more:?}");
}

/// The value of a metric.
fn metric(server: &Server, name: &str) -> u64 {
    let address = server.admin.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("receptionist_{name} ")));
    line.unwrap_or_else(|| panic!("the metric {name} is missing in {text}")).parse().unwrap()
}

/// Simulates a nearly full disk: sets the reserve to more bytes than the disk has free.
#[tokio::test]
async fn a_nearly_full_disk_allows_cancelling_and_a_full_one_reading_and_starting() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    let (shop, id) = booked(&Client::of(&server)).await;
    let free = metric(&server, "disk_free_bytes");
    assert!(free > 0);
    server.kill();
    server.wait();

    // Other programs also use the disk, so the test chooses reserves far above or far below the free space.
    let reserving = |bytes: u64| {
        let mut command = serve(&data_dir);
        command.env("RECEPTIONIST_DISK_RESERVE", bytes.to_string());
        Server::start(command, &data_dir.with_extension("log"))
    };
    let levels =
        |server: &Server| ["disk_reserved", "disk_exhausted", "disk_full"].map(|name| metric(server, name));
    let server = reserving(free * 2);
    let client = Client::of(&server);
    assert_eq!(levels(&server), [1, 0, 0]);
    let refused = client.call(&shop, &shop.booking(0, &slot(2), 1, "second".into())).await.unwrap();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(
        refused.body["error"]["message"].as_str().unwrap().contains("disk is nearly full"),
        "{refused:?}"
    );
    let again = client.call(&shop, &shop.booking(0, &slot(0), 1, "first".into())).await.unwrap();
    assert!(again.status == 201 && again.replayed, "{again:?}");
    server.kill();
    server.wait();

    let server = reserving(free * 8);
    let client = Client::of(&server);
    assert_eq!(levels(&server), [1, 1, 0]);
    let refused = client.call(&shop, &shop.booking(0, &slot(2), 1, "second".into())).await.unwrap();
    assert_eq!(refused.status, 503, "{refused:?}");
    let cancel = |key: &str| Call {
        path: format!("/appointments/{id}/cancel"),
        body: None,
        idempotency_key: key.into(),
    };
    let cancelled = client.call(&shop, &cancel("cancel")).await.unwrap();
    assert_eq!((cancelled.status, cancelled.text("status")), (200, "cancelled".into()));
    server.kill();
    server.wait();

    for round in 0..3 {
        let server = reserving(free * 64);
        let client = Client::of(&server);
        assert_eq!(levels(&server), [1, 1, 1]);
        let shown = client.get(&shop, &format!("/appointments/{id}")).await;
        assert_eq!((shown.status, shown.text("status")), (200, "cancelled".into()));
        let refused = client.call(&shop, &cancel(&format!("again-{round}"))).await.unwrap();
        assert_eq!(refused.status, 503, "{refused:?}");
        if round == 1 {
            server.signal("TERM");
            assert_eq!(server.wait().code(), Some(0));
        } else {
            server.kill();
            server.wait();
        }
    }
    let server = reserving(0);
    let more = shop.booking(0, &slot(2), 1, "second".into());
    let booked = Client::of(&server).call(&shop, &more).await.unwrap();
    assert!(booked.status == 201 && !booked.replayed, "{booked:?}");
}

/// Reads the limits of a process from a file, which exists only on Linux.
#[cfg(target_os = "linux")]
#[test]
fn the_soft_limit_of_open_files_is_raised_to_the_hard_limit() {
    const LIMIT: &str = "3000";
    let home = tempfile::tempdir().unwrap();
    let shell = format!("ulimit -S -n 200 && ulimit -H -n {LIMIT}");
    let mut command = serve_from_shell(&shell, &home.path().join("data"));
    command.env("RECEPTIONIST_LOG", "info");
    let server = Server::start(command, &home.path().join("log"));
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().collect::<Vec<_>>(), [LIMIT, LIMIT, "files"]);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    let told = server.errors();
    let told = told.lines().find(|line| line.contains("the limit of open files")).unwrap_or_default();
    assert!(told.contains("WARN") && told.contains(LIMIT), "{}", server.errors());
}
