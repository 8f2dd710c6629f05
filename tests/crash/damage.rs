//! Tests the program on store files that were altered. The program must do one of these: refuse to start, end
//! with a message on one line, or serve all acknowledged data unchanged. `DAMAGE_CASES` sets the number of random
//! cases, `DAMAGE_CHANGES` the number of changes in the store, and `CRASH_SEED` the seed.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed};
use crate::client::{Answer, Client, Shop, slot, text};
use crate::process::{Exited, Server, refused, serve};

const CASES: usize = 8;
const CHANGES: usize = 120;
/// The number of times that the service is started on the store before a file is altered. After several starts, the
/// store contains files of different kinds and ages.
const LIVES: usize = 3;
/// The number of contacts for whom appointments are booked.
const CONTACTS: usize = 25;
const MESSAGE_CHARS: usize = 1_900;
const SEGMENT_BYTES: usize = 8 << 20;

/// The lists whose items are compared. The list of contacts and the search by name read different rows, so
/// both are compared.
const LISTS: [&str; 8] = [
    "/appointments",
    "/appointments?updated_since=2000-01-01T00:00:00Z",
    "/contacts",
    "/contacts?q=contact",
    "/messages",
    "/services",
    "/staff",
    "/webhooks",
];

/// The lists whose records are also requested one by one, because a request for a single record reads other
/// rows than a list.
const SINGLE: [&str; 3] = ["/appointments", "/contacts", "/webhooks"];

/// The records of a business as the API shows them, by path.
type Shown = BTreeMap<String, Vec<Value>>;

/// An undamaged store, and its acknowledged data.
struct Good {
    data_dir: PathBuf,
    shop: Shop,
    shown: Shown,
}

impl Good {
    async fn make(home: &Path, changes: usize) -> Self {
        let data_dir = home.join("good");
        let (mut appointments, mut messages) = (BTreeMap::new(), BTreeMap::new());
        let mut made: Option<Shop> = None;
        let mut shown = Shown::new();
        for life in 0..LIVES {
            let server = Server::on(&data_dir);
            let client = Client::of(&server);
            if made.is_none() {
                made = Some(Shop::create(&client, 1).await);
            }
            let shop = made.as_ref().unwrap();
            for number in 0..changes / 2 / LIVES {
                let number = life * (changes / 2 / LIVES) + number;
                let start = slot(2 * i64::try_from(number).unwrap());
                let call = shop.booking(0, &start, number % CONTACTS, format!("booking-{number}"));
                let mut answer = client.call(shop, &call).await.unwrap();
                assert_eq!(answer.status, 201, "{answer:?}");
                appointments.insert(answer.text("id"), answer.body["data"].take());
                let message = json!({ "body": "m".repeat(MESSAGE_CHARS) });
                let path = format!("/businesses/{}/messages", shop.id);
                let mut answer = client.operator("POST", &path, Some(message)).await;
                let mut message = answer["data"].take();
                // The message will be compared with the response of the public API, which does not show
                // these fields.
                message
                    .as_object_mut()
                    .unwrap()
                    .retain(|name, _| !["notes", "snoozed_until"].contains(&name.as_str()));
                messages.insert(text(&message, "id"), message);
            }
            shown = everything(&client, shop).await.unwrap();
            server.signal("TERM");
            assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
        }
        let listed = |path: &str| -> BTreeMap<_, _> {
            shown[path].iter().map(|row| (text(row, "id"), row.clone())).collect()
        };
        assert_eq!(listed("/appointments"), appointments);
        assert_eq!(listed("/messages"), messages);
        assert_eq!(listed("/contacts").len(), CONTACTS.min(appointments.len()));
        Self { data_dir, shop: made.unwrap(), shown }
    }

    fn copy(&self) -> PathBuf {
        let copy = self.data_dir.with_file_name("damaged");
        let _ = fs::remove_dir_all(&copy);
        assert!(Command::new("cp").arg("-a").args([&self.data_dir, &copy]).status().unwrap().success());
        copy
    }

    /// Compares all data that the API shows. Returns `None` if the program has ended.
    async fn check(&self, server: &Server) -> Option<()> {
        let shown = everything(&Client::of(server), &self.shop).await?;
        for (path, before) in &self.shown {
            assert_eq!(&shown[path], before, "{path}");
        }
        assert_eq!(shown.len(), self.shown.len());
        Some(())
    }
}

/// Reads all data that the API shows. Returns `None` if the program has ended.
async fn everything(client: &Client, shop: &Shop) -> Option<Shown> {
    let mut shown = Shown::new();
    for path in LISTS {
        let rows = list(path, async |page| client.try_get(shop, page).await).await?;
        if SINGLE.contains(&path) {
            for row in &rows {
                let one = format!("{path}/{}", text(row, "id"));
                let mut answer = client.try_get(shop, &one).await?;
                assert_eq!(answer.status, 200, "{answer:?}");
                shown.insert(one, vec![answer.body["data"].take()]);
            }
        }
        shown.insert(path.into(), rows);
    }
    let audit = format!("/businesses/{}/audit", shop.id);
    shown.insert(
        audit.clone(),
        list(&audit, async |page| client.ask_operator("GET", page, None).await).await?,
    );
    Some(shown)
}

async fn list(path: &str, get: impl AsyncFn(&str) -> Option<Answer>) -> Option<Vec<Value>> {
    let join = if path.contains('?') { '&' } else { '?' };
    let (mut rows, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = get(&format!("{path}{join}limit=100{cursor}")).await?;
        assert_eq!(page.status, 200, "{page:?}");
        rows.extend(page.body["data"].as_array().unwrap().iter().cloned());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Some(rows),
        }
    }
}

/// Checks that the program ended by itself and printed a reason on one line.
fn check_end(ended: &Exited) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.line.lines().count(), 1, "{ended:?}");
    assert!(ended.line.contains("RECEPTIONIST_DATA_DIR: "), "{ended:?}");
}

/// The files of the store.
fn files(data_dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data_dir.join("store")).unwrap();
    let mut files: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.extend(["committed", "journal"].map(|name| data_dir.join(name)));
    files.sort();
    files
}

fn open(path: &Path) -> fs::File {
    OpenOptions::new().read(true).write(true).open(path).unwrap()
}

/// Changes a file at a random position, but not in the zero bytes at its end. Returns a description of the change.
fn alter(data_dir: &Path, rng: &mut Rng) -> String {
    let files = files(data_dir);
    let records = data_dir.join("store/db");
    let path = if rng.below(4) > 0 { &records } else { &files[rng.below(files.len())] };
    let bytes = fs::read(path).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let (at, file) = (rng.below(used), open(path));
    let place = u64::try_from(at).unwrap();
    let how = match rng.below(3) {
        0 => {
            file.write_all_at(&[bytes[at] ^ (1 << rng.below(8))], place).unwrap();
            "a bit is flipped"
        }
        1 => {
            file.write_all_at(&vec![0; 4096.min(used - at)], place).unwrap();
            "up to 4 KiB are zeroed"
        }
        _ => {
            file.set_len(place).unwrap();
            "the file is truncated"
        }
    };
    format!("{} of {used} bytes, at {at}: {how}", path.file_name().unwrap().to_string_lossy())
}

#[tokio::test]
#[allow(clippy::print_stdout, reason = "prints a summary when more cases than the default are run")]
async fn an_altered_store_is_refused_or_complete() {
    let (cases, seed) = (number_of("DAMAGE_CASES", CASES), seed());
    println!("the seed is {seed}");
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let good = Good::make(home.path(), number_of("DAMAGE_CHANGES", CHANGES)).await;
    let (mut kept_closed, mut ended, mut whole) = (0, 0, 0);
    for _ in 0..cases {
        let data_dir = good.copy();
        let how = alter(&data_dir, &mut rng);
        println!("{how}");
        match Server::try_start(serve(&data_dir), &data_dir.with_extension("log")) {
            Err(refused) => {
                check_end(&refused);
                kept_closed += 1;
            }
            Ok(server) if good.check(&server).await.is_none() => {
                check_end(&Exited { code: server.wait().code(), line: server.errors().trim_end().into() });
                ended += 1;
            }
            Ok(_) => whole += 1,
        }
    }
    println!(
        "{cases} alterations: {kept_closed} stores not opened, {ended} runs ended during reads, {whole} without loss"
    );
}

#[tokio::test]
async fn a_store_whose_newest_or_all_records_are_lost_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let good = Good::make(home.path(), LIVES * 2).await;
    let records = |data_dir: &Path| data_dir.join("store/db");
    let ways: [&dyn Fn(&Path); 4] = [
        // Changes the last synced byte and deletes the journal, so that one batch is lost.
        &|data_dir| {
            alter_last_byte(&records(data_dir));
            fs::remove_file(data_dir.join("journal")).unwrap();
        },
        &|data_dir| fs::remove_file(records(data_dir)).unwrap(),
        &|data_dir| fs::remove_dir_all(data_dir.join("store")).unwrap(),
        // Replaces the file by two copies of its first segment. Two segments then have the same position in the log, so
        // that sled panics.
        &|data_dir| {
            let mut bytes = fs::read(records(data_dir)).unwrap();
            bytes.resize(SEGMENT_BYTES, 0);
            fs::write(records(data_dir), bytes.repeat(2)).unwrap();
        },
    ];
    for (number, way) in ways.iter().enumerate() {
        let data_dir = good.copy();
        way(&data_dir);
        for _ in 0..2 {
            let ended = refused(serve(&data_dir));
            check_end(&ended);
            assert!(ended.line.contains("is damaged and stays closed"), "{number}: {ended:?}");
            assert!(ended.line.contains(&*data_dir.join("store").display().to_string()), "{ended:?}");
        }
    }
}

/// Changes the last non-zero byte.
fn alter_last_byte(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let last = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    open(path).write_all_at(&[!bytes[last]], u64::try_from(last).unwrap()).unwrap();
}

#[tokio::test]
async fn the_journal_repairs_the_end_of_the_store_file() {
    let home = tempfile::tempdir().unwrap();
    let good = Good::make(home.path(), LIVES * 2).await;
    let data_dir = good.copy();
    alter_last_byte(&data_dir.join("store/db"));
    good.check(&Server::on(&data_dir)).await.unwrap();
}

#[tokio::test]
async fn a_file_that_is_altered_while_the_service_runs_ends_it() {
    let home = tempfile::tempdir().unwrap();
    let good = Good::make(home.path(), CHANGES).await;
    let data_dir = good.copy();
    let server = Server::on(&data_dir);
    // At the start, the service has read only a small part of the file. It therefore finds the damage only when a
    // request reads another part.
    let path = data_dir.join("store/db");
    let length = usize::try_from(path.metadata().unwrap().len()).unwrap();
    open(&path).write_all_at(&vec![0; length], 0).unwrap();
    assert!(good.check(&server).await.is_none(), "the service must end when it reads the altered file");
    check_end(&Exited { code: server.wait().code(), line: server.errors().trim_end().into() });
}
