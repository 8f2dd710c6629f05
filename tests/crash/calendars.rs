//! Kills the program with `kill -9` while appointments wait to be written to a calendar. After the restarts, the
//! calendar server has exactly one event for each active appointment, and no event for an appointment whose
//! cancellation was acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::verify::verify;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::client::{Client, Shop, slot, text};
use crate::process::{Server, serve};
use crate::tls;

const APPOINTMENTS: i64 = 100;
/// The number of times that the program is killed.
const ROUNDS: usize = 4;
/// The time that the calendar server takes for each write. All writes together take so long that every kill comes
/// before the last write.
const WRITE_TIME: Duration = Duration::from_millis(5);
const COLLECTION: &str = "/dav/private/";

/// A CalDAV server on loopback with one calendar.
#[derive(Default)]
struct Calendar {
    /// For each path of an event, the value of `changes` after the event's last change, and the calendar file.
    events: BTreeMap<String, (usize, String)>,
    changes: usize,
}

impl Calendar {
    fn respond(&mut self, method: &str, path: &str, depth: &str, body: &str) -> (u16, String) {
        let all: String = match (method, depth) {
            ("PUT", _) => {
                self.changes += 1;
                self.events.insert(path.to_owned(), (self.changes, body.to_owned()));
                return (201, String::new());
            }
            ("DELETE", _) => {
                return (if self.events.remove(path).is_some() { 204 } else { 404 }, String::new());
            }
            ("PROPFIND", "0") => collection(),
            ("PROPFIND", _) => {
                let events = self.events.iter().map(|(path, (tag, _))| event(path, *tag, ""));
                collection() + &events.collect::<String>()
            }
            ("REPORT", _) => {
                let events = self.events.iter().filter(|(path, _)| body.contains(path.as_str()));
                events.map(|(path, (tag, text))| event(path, *tag, text)).collect()
            }
            _ => return (405, String::new()),
        };
        let body = format!(
            "<d:multistatus xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\">{all}</d:multistatus>"
        );
        (207, body)
    }
}

fn properties(path: &str, properties: &str) -> String {
    format!(
        "<d:response><d:href>{path}</d:href><d:propstat><d:prop>{properties}</d:prop>\
         <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    )
}

fn collection() -> String {
    properties(COLLECTION, "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>")
}

fn event(path: &str, tag: usize, text: &str) -> String {
    let data =
        if text.is_empty() { String::new() } else { format!("<c:calendar-data>{text}</c:calendar-data>") };
    properties(path, &format!("<d:getetag>\"{tag}\"</d:getetag>{data}"))
}

/// Starts the server. Returns its port, and writes the certificate of its CA to a file.
async fn start(calendar: Arc<Mutex<Calendar>>, authority_file: &Path) -> u16 {
    let (key, own) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    std::fs::write(authority_file, params.self_signed(&key).unwrap().pem()).unwrap();
    let signed = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let signed = signed.signed_by(&own, &Issuer::new(params, key)).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(tls::server(&signed, &own)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, calendar) = (acceptor.clone(), Arc::clone(&calendar));
            tokio::spawn(async move {
                // The connection fails when the program is killed, so its error is ignored.
                let _ = converse(acceptor, stream, calendar).await;
            });
        }
    });
    port
}

async fn converse(
    acceptor: TlsAcceptor,
    stream: tokio::net::TcpStream,
    calendar: Arc<Mutex<Calendar>>,
) -> std::io::Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut read = Vec::new();
    let (head, body) = loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await?;
        if count == 0 {
            return Ok(());
        }
        read.extend_from_slice(&part[..count]);
        let so_far = String::from_utf8_lossy(&read).into_owned();
        let Some((head, body)) = so_far.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let depth = head.lines().find_map(|line| line.strip_prefix("depth: ")).unwrap_or("0");
    if matches!(method, "PUT" | "DELETE") {
        tokio::time::sleep(WRITE_TIME).await;
    }
    let (status, body) = calendar.lock().respond(method, path, depth, &body);
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).await?;
    stream.shutdown().await
}

fn serve_on(data_dir: &Path, port: u16, authority: &Path) -> Server {
    let mut command = serve(data_dir);
    command.env("RECEPTIONIST_CALENDAR_HOSTS", format!("127.0.0.1:{port}"));
    command.env("SSL_CERT_FILE", authority);
    Server::start(command, &data_dir.with_extension("log"))
}

async fn statuses(client: &Client, shop: &Shop) -> BTreeMap<String, String> {
    let all = client.appointments(shop, "").await;
    let of = |it: &Value| (text(it, "id"), text(it, "calendar_sync_status"));
    all.iter().map(of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_writes_every_appointment_to_the_calendar_once() {
    let home = tempfile::tempdir().unwrap();
    let (data_dir, authority) = (home.path().join("data"), home.path().join("authority.pem"));
    let calendar = Arc::new(Mutex::new(Calendar::default()));
    let port = start(Arc::clone(&calendar), &authority).await;
    let mut server = serve_on(&data_dir, port, &authority);
    let client = Client::of(&server);
    let shop = Shop::create(&client, 1).await;
    let mut booked = Vec::new();
    for number in 0..APPOINTMENTS {
        let call = shop.booking(0, &slot(2 * number), 1, format!("booking-{number}"));
        booked.push(client.call(&shop, &call).await.unwrap().text("id"));
    }
    let url = format!("https://127.0.0.1:{port}{COLLECTION}");
    let body = json!({
        "staff_id": shop.staff[0], "kind": "caldav", "url": url, "username": "ada", "password": "pw",
        "calendar": url, "write": true,
    });
    let calendars = format!("/businesses/{}/calendars", shop.id);
    let connected = client.operator("POST", &calendars, Some(body)).await;
    let id = text(&connected["data"], "id");
    let mut cancelled = BTreeSet::new();
    for round in 0..ROUNDS {
        tokio::time::sleep(Duration::from_millis(60)).await;
        let client = Client::of(&server);
        let one = &booked[round * 7];
        client.operator("POST", &format!("/businesses/{}/appointments/{one}/cancel", shop.id), None).await;
        cancelled.insert(one.clone());
        server.kill();
        server.wait();
        // Each appointment that is `synced` after the restart must be on the calendar server.
        server = serve_on(&data_dir, port, &authority);
        let client = Client::of(&server);
        let statuses = statuses(&client, &shop).await;
        let events: BTreeSet<_> = calendar.lock().events.keys().cloned().collect();
        for (id, status) in statuses {
            let is_there = events.contains(&format!("{COLLECTION}{id}.ics"));
            if status == "synced" && !cancelled.contains(&id) {
                assert!(is_there, "the appointment {id} is synced in round {round}, but has no event");
            }
        }
    }
    let client = Client::of(&server);
    let mut left = statuses(&client, &shop).await;
    for _ in 0..1_200 {
        if left.values().all(|status| status == "synced" || status == "not_connected") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        left = statuses(&client, &shop).await;
    }
    let expected: BTreeSet<_> = booked
        .iter()
        .filter(|id| !cancelled.contains(*id))
        .map(|id| format!("{COLLECTION}{id}.ics"))
        .collect();
    let events: BTreeSet<_> = calendar.lock().events.keys().cloned().collect();
    assert_eq!(events, expected, "{left:?}");
    assert!(expected.iter().all(|path| left[&path[COLLECTION.len()..path.len() - 4]] == "synced"));
    let pending = client.operator_list(&format!("{calendars}/{id}/appointments?status=pending")).await;
    assert!(pending.is_empty(), "{pending:?}");
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
