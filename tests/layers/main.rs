//! The layers of the code, checked in its source: which module may name which, and which crate.
//!
//! The map is in `actors/README.md`. What is not allowed here is a broken rule, which names the file and the line; and
//! files form no circles.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

mod circles;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use self::circles::{Circle, circles};
use self::source::{Named, Source};

/// What the modules of `actors/src` may name of each other, from the bottom up. A module within another stands for what
/// is in it: so a kind of actor may know what another one is told, and not what that does with it.
const ENGINE: &[(&str, &[&str])] = &[
    // Rules, and what they are about.
    ("domain", &[]),
    ("measure", &[]),
    ("credentials", &[]),
    ("view", &["domain"]),
    ("quota", &["domain"]),
    // The world outside, and where everything is kept.
    ("ports", &["domain", "net::trust"]),
    ("net", &["ports"]),
    ("store", &["domain", "measure"]),
    ("error", &["domain", "store"]),
    ("clock", &["domain", "ports", "store"]),
    ("meta", &["domain", "ports", "store"]),
    ("principals", &["domain", "store"]),
    ("scans", &["domain", "error", "store"]),
    ("key_usage", &["domain", "scans", "store"]),
    ("repair", &["business::write", "delivery::schedule", "domain", "meta", "store"]),
    // The actors, and what they share.
    ("actor", &["error", "ports"]),
    ("limits", &["delivery::dispatch", "scans"]),
    (
        "shared",
        &[
            "actor",
            "business::message",
            "clock",
            "delivery::dispatch",
            "delivery::key",
            "delivery::message",
            "delivery::steady",
            "domain",
            "error",
            "key_usage",
            "limits",
            "net",
            "ports",
            "principals",
            "scans",
            "quota",
            "store",
        ],
    ),
    (
        "business",
        &[
            "actor",
            "clock",
            "credentials",
            "delivery::key",
            "delivery::schedule",
            "delivery::signature",
            "delivery::steady",
            "delivery::write",
            "domain",
            "error",
            "key_usage",
            "net::url",
            "ports",
            "scans",
            "shared",
            "store",
            "view",
        ],
    ),
    (
        "delivery",
        &[
            "actor",
            "business::commands",
            "business::handle",
            "business::queries",
            "business::request",
            "domain",
            "error",
            "net",
            "shared",
            "quota",
            "store",
            "view",
        ],
    ),
    ("supervisor", &["delivery::key", "domain", "shared", "store"]),
    (
        "engine",
        &[
            "actor",
            "business",
            "clock",
            "credentials",
            "delivery",
            "domain",
            "error",
            "key_usage",
            "limits",
            "meta",
            "net",
            "ports",
            "principals",
            "repair",
            "scans",
            "shared",
            "quota",
            "store",
            "supervisor",
        ],
    ),
];

/// The crates that the engine depends on, and the modules that may name them.
const ENGINE_CRATES: &[(&str, &[&str])] = &[
    ("base64", &["delivery", "view"]),
    ("bincode", &["store"]),
    ("bytes", &["business", "net"]),
    ("chrono", &["business", "clock", "delivery", "domain", "repair", "store"]),
    ("chrono_tz", &["business", "domain", "engine", "store"]),
    ("dashmap", &["actor", "key_usage", "principals"]),
    ("futures_util", &["net"]),
    ("getrandom", &["ports"]),
    ("hickory_resolver", &["net"]),
    ("hmac", &["delivery"]),
    ("http_body_util", &["net"]),
    ("hyper", &["net"]),
    ("hyper_util", &["net"]),
    ("ipnet", &["net"]),
    ("memchr", &["business", "view"]),
    ("parking_lot", &["actor", "clock", "delivery", "engine", "net", "scans", "shared", "quota", "store"]),
    ("ractor", &["actor", "business", "delivery", "engine", "shared", "supervisor"]),
    ("rustix", &["ports", "store"]),
    ("rustls", &["net"]),
    ("rustls_native_certs", &["net"]),
    ("serde", &["business", "domain", "store", "view"]),
    ("serde_json", &["business", "view"]),
    ("sha2", &["credentials", "delivery", "store", "view"]),
    ("sled", &["store"]),
    ("subtle", &["credentials"]),
    ("thiserror", &["business", "error", "net", "ports", "repair", "store"]),
    (
        "tokio",
        &[
            "actor",
            "business",
            "clock",
            "delivery",
            "engine",
            "meta",
            "net",
            "ports",
            "repair",
            "scans",
            "shared",
            "store",
            "supervisor",
        ],
    ),
    ("tokio_rustls", &["net"]),
    ("tracing", &["business", "clock", "delivery", "engine", "net", "shared", "store", "supervisor"]),
    ("url", &["net"]),
    ("utoipa", &["view"]),
    ("uuid", &["business", "delivery", "domain", "store", "view"]),
];

/// What the modules of `src` may name of each other.
const EDGES: &[(&str, &[&str])] = &[
    ("telemetry", &[]),
    ("server", &[]),
    ("config", &["server", "telemetry"]),
    ("http", &["metrics", "server"]),
    ("metrics", &["http", "server", "telemetry"]),
    ("api", &["http", "metrics", "server"]),
    ("admin", &["config", "http"]),
    ("openapi", &["api", "http"]),
    ("service", &["admin", "api", "config", "http", "metrics", "openapi", "server"]),
    ("cli", &["config", "openapi", "server", "service", "telemetry"]),
];

/// The crates that only some modules of `src` may name, if any: the engine's own, and what is behind its handles.
const EDGES_CRATES: &[(&str, &[&str])] = &[
    ("actors", &["admin", "api", "cli", "config", "http", "metrics", "openapi", "service"]),
    ("bincode", &[]),
    ("phonenumber", &["http"]),
    ("prometheus_client", &["metrics"]),
    ("ractor", &[]),
    ("sled", &[]),
    ("tracing_subscriber", &["telemetry"]),
];

/// Circles in `src` that are known, and are being mended.
const KNOWN_CIRCLES: &[&[&str]] = &[
    &["src/cli/appointment.rs", "src/cli/mod.rs"],
    &["src/cli/audit.rs", "src/cli/mod.rs"],
    &["src/cli/budget.rs", "src/cli/mod.rs"],
    &["src/cli/business.rs", "src/cli/mod.rs"],
    &["src/cli/call.rs", "src/cli/mod.rs"],
    &["src/cli/key.rs", "src/cli/mod.rs"],
    &["src/cli/message.rs", "src/cli/mod.rs"],
    &["src/cli/mod.rs", "src/cli/service.rs"],
    &["src/cli/mod.rs", "src/cli/staff.rs"],
    &["src/cli/mod.rs", "src/cli/task.rs"],
    &["src/cli/mod.rs", "src/cli/webhook.rs"],
    &["src/http/describe.rs", "src/http/read.rs"],
    &["src/http/object.rs", "src/http/query.rs"],
    &["src/http/object.rs", "src/http/query.rs", "src/http/values.rs"],
    &["src/http/query.rs", "src/http/values.rs"],
    &["src/openapi.rs", "src/openapi/errors.rs"],
    &["src/server.rs", "src/server/connection.rs"],
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn engine() -> Source {
    Source::read(&[root().join("actors/src/lib.rs")], "actors")
}

fn edges() -> Source {
    Source::read(&[root().join("src/lib.rs"), root().join("src/main.rs")], "receptionist")
}

/// Every Rust file under a directory of the project.
fn files(under: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root().join(under)];
    while let Some(directory) = directories.pop() {
        for entry in
            fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "nothing under {under}");
    found
}

/// What a crate names that neither list allows: its own modules by the first, other crates by the second.
fn not_allowed(source: &Source, modules: &[(&str, &[&str])], crates: &[(&str, &[&str])]) -> Vec<String> {
    let modules: BTreeMap<_, _> = modules.iter().copied().collect();
    let crates: BTreeMap<_, _> = crates.iter().copied().collect();
    let files = source.files();
    let mut broken = Vec::new();
    for ((from, named), lines) in source.names() {
        // The root declares the modules and hands on what they have.
        let Some(from) = files[from.as_path()].first() else { continue };
        let (is_allowed, what) = match &named {
            Named::Own(to) => {
                let to = files[to.as_path()];
                let allowed = modules.get(from.as_str()).copied().unwrap_or_default();
                let is_within = |allowed: &&str| {
                    let allowed: Vec<_> = allowed.split("::").collect();
                    to.len() >= allowed.len() && to.iter().zip(&allowed).all(|(a, b)| a == b)
                };
                (to.first() == Some(from) || allowed.iter().any(is_within), to.join("::"))
            }
            Named::Other(name) => {
                let allowed = crates.get(name.as_str()).copied();
                (allowed.is_none_or(|allowed| allowed.contains(&from.as_str())), name.clone())
            }
        };
        if !is_allowed {
            let line = lines.first().unwrap();
            let (file, number) = (line.file.display(), line.number);
            broken.push(format!("{from} may not name {what}: {file}:{number}: {}", line.text));
        }
    }
    broken
}

/// The circles that are not known, as they are told.
fn unknown(circles: &[Circle], known: &[&[&str]]) -> Vec<String> {
    let is_known = |circle: &&Circle| {
        known.iter().any(|known| circle.files() == known.iter().map(|file| root().join(file)).collect())
    };
    circles.iter().filter(|circle| !is_known(circle)).map(|circle| circle.told(root())).collect()
}

/// The lines of code, without comments, that hold the word as a path of its own (`std::fs`, `async fn`).
fn naming(path: &Path, word: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let names = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        code.match_indices(word).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            let of_a_word = |c: char| c.is_alphanumeric() || c == '_';
            !before.is_some_and(|c| of_a_word(c) || c == ':') && !after.is_some_and(of_a_word)
        })
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| names(line))
        .map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim()))
        .collect()
}

/// Checks that of the files under a directory only those in `except` hold any of the words.
fn only(under: &str, except: &[&str], words: &[&str]) {
    let allowed = |path: &Path| except.iter().any(|part| path.to_string_lossy().contains(part));
    let broken: Vec<String> = files(under)
        .iter()
        .filter(|path| !allowed(path))
        .flat_map(|path| words.iter().flat_map(|word| naming(path, word)))
        .collect();
    assert!(broken.is_empty(), "{words:?} may stand only in {except:?}:\n{}", broken.join("\n"));
}

#[test]
fn modules_name_what_they_may() {
    let broken = not_allowed(&engine(), ENGINE, ENGINE_CRATES);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let broken = not_allowed(&edges(), EDGES, EDGES_CRATES);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_form_no_circles() {
    let load = Source::read(&[root().join("benches/load/main.rs")], "load");
    for source in [engine(), load] {
        let circles = unknown(&circles(&source), &[]);
        assert!(circles.is_empty(), "files form circles:\n{}", circles.join("\n"));
    }
    let circles = unknown(&circles(&edges()), KNOWN_CIRCLES);
    assert!(circles.is_empty(), "files form circles:\n{}", circles.join("\n"));
}

#[test]
fn every_module_and_crate_has_its_place_in_the_lists() {
    for (source, list) in [(engine(), ENGINE), (edges(), EDGES)] {
        let modules: BTreeSet<_> = source.files().values().filter_map(|path| path.first().cloned()).collect();
        let listed: BTreeSet<_> = list.iter().map(|(module, _)| (*module).to_owned()).collect();
        assert_eq!(modules, listed);
    }
    let manifest = fs::read_to_string(root().join("actors/Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("[dependencies]\n").unwrap();
    let dependencies = dependencies.lines().take_while(|line| !line.starts_with('['));
    let names = dependencies.filter_map(|line| line.split(['.', ' ']).next().filter(|name| !name.is_empty()));
    let names: BTreeSet<_> = names.map(|name| name.replace('-', "_")).collect();
    let listed: BTreeSet<_> = ENGINE_CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, listed);
}

#[test]
fn every_file_is_read_that_is_not_for_tests_alone() {
    for (source, under) in [(engine(), "actors/src"), (edges(), "src")] {
        let read = source.files();
        for file in files(under) {
            let inside = file.strip_prefix(root().join(under)).unwrap();
            let is_for_tests = inside.iter().any(|part| part.to_string_lossy().contains("test"));
            assert!(read.contains_key(file.as_path()) || is_for_tests, "{} is of no module", file.display());
        }
    }
}

#[test]
fn the_rules_of_the_domain_are_pure() {
    let ambient = ["async fn", "std::fs", "std::net", "std::thread", "std::time", "SystemTime"];
    only("actors/src/domain", &[], &ambient);
}

#[test]
fn only_net_opens_connections() {
    let outgoing = ["TcpStream", "to_socket_addrs", "ToSocketAddrs", "lookup_host"];
    only("actors/src", &["actors/src/net/"], &outgoing);
}

#[test]
fn actors_stay_behind_their_handles() {
    only("src", &[], &["tokio::sync::oneshot"]);
}

#[test]
fn time_and_randomness_come_through_ports() {
    let ambient = ["SystemTime", "Utc::now", "getrandom", "new_v4", "now_v7", "rand"];
    only("actors/src", &["actors/src/ports.rs"], &ambient);
}

#[test]
fn one_place_maps_a_fault_to_a_status() {
    only("src/api", &[], &["StatusCode"]);
    // Creating a business is no change of one, so its handler answers 201 itself.
    only("src/admin", &["businesses.rs"], &["StatusCode"]);
}

#[test]
fn a_broken_rule_is_found() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(
        file.path(),
        "use sled::Db; // sled\n// sled\nlet x = my_sled + sledge;\nlet y = crate::sled();\n",
    )
    .unwrap();
    assert_eq!(naming(file.path(), "sled").len(), 1);
}

/// A crate of these files in a directory of its own.
fn planted(files: &[(&str, &str)]) -> (tempfile::TempDir, Source) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let source = Source::read(&[directory.path().join("lib.rs")], "planted");
    (directory, source)
}

#[test]
fn a_circle_is_found_whichever_way_it_is_named() {
    let (directory, source) = planted(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::Below;\n"),
        ("a.rs", "use crate::{\n    b::{self, Below as Other},\n};\nfn f() -> Other { b::made() }\n"),
        // A face: what it hands on is defined by the file behind it.
        ("b/mod.rs", "mod d;\npub(crate) use d::{made, Below};\n"),
        (
            "b/d.rs",
            "pub struct Below;\npub(crate) fn made() -> Below { format!(\"{}\", super::super::c::VALUE); Below }\n",
        ),
        ("c.rs", "pub const VALUE: u8 = 1;\nfn g(_: &crate::a::Missing) {}\n"),
    ]);
    let circles = circles(&source);
    let told: Vec<_> = circles.iter().map(|circle| circle.told(directory.path())).collect();
    assert_eq!(circles.len(), 1, "{told:#?}");
    assert!(told[0].starts_with("a.rs -> b/d.rs -> c.rs -> a.rs\n"), "{}", told[0]);
    assert!(told[0].contains("b/d.rs:2: pub(crate) fn made() -> Below"), "{}", told[0]);
    assert!(told[0].contains("c.rs:2: fn g(_: &crate::a::Missing) {}"), "{}", told[0]);
}

#[test]
fn what_only_tests_name_and_what_a_face_hands_on_is_no_circle() {
    let (directory, source) = planted(&[
        ("lib.rs", "mod a;\nmod face;\n"),
        ("a.rs", "use crate::face::Two;\npub struct One(Two);\n#[cfg(test)]\nmod tests;\n"),
        ("a/tests.rs", "use crate::face::Three;\n"),
        ("face.rs", "mod two;\nmod three;\npub use three::Three;\npub use two::Two;\n"),
        ("face/two.rs", "pub struct Two;\n#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}\n"),
        ("face/three.rs", "// crate::face::two\n/// [`crate::a`]\npub struct Three(crate::a::One);\n"),
    ]);
    let told: Vec<_> = circles(&source).iter().map(|circle| circle.told(directory.path())).collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn a_module_that_may_not_be_named_is_found() {
    let (_directory, source) = planted(&[
        ("lib.rs", "mod low;\nmod high;\n"),
        ("low.rs", "fn f() { sled::open(); crate::high::part::g(); }\n"),
        ("high/mod.rs", "pub mod part;\n"),
        ("high/part.rs", "pub fn g() {}\n"),
    ]);
    let low = |modules: &'static [&'static str], crates| {
        not_allowed(&source, &[("low", modules), ("high", &[])], &[("sled", crates)])
    };
    assert!(low(&["high::part"], &["low"]).is_empty());
    let broken = low(&["high::other"], &["high"]);
    assert_eq!(broken.len(), 2, "{broken:#?}");
    assert!(broken.iter().any(|broken| broken.starts_with("low may not name high::part: ")), "{broken:#?}");
    assert!(broken.iter().any(|broken| broken.starts_with("low may not name sled: ")), "{broken:#?}");
}
