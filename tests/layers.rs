//! The rules of the house, checked in the source: which module may name which crate.
//!
//! The map is in `actors/README.md`. A rule that is broken names the file and the line.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file under a directory of the project.
fn sources(under: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(under);
    let mut found = Vec::new();
    let mut directories = vec![root];
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

/// The lines of code, without comments, that hold the word as a path of its own (`sled::`, `use sled`, `std::fs`).
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

/// Checks that of the files under a directory only those in `except` name any of the words.
fn only(under: &str, except: &[&str], words: &[&str]) {
    let allowed = |path: &Path| except.iter().any(|part| path.to_string_lossy().contains(part));
    let broken: Vec<String> = sources(under)
        .iter()
        .filter(|path| !allowed(path))
        .flat_map(|path| words.iter().flat_map(|word| naming(path, word)))
        .collect();
    assert!(broken.is_empty(), "{words:?} may stand only in {except:?}:\n{}", broken.join("\n"));
}

#[test]
fn the_rules_of_the_domain_are_pure() {
    let outside = [
        "tokio",
        "ractor",
        "sled",
        "bincode",
        "serde_json",
        "axum",
        "hyper",
        "tracing",
        "getrandom",
        "sha2",
        "dashmap",
        "url::Url",
        "rustls",
        "utoipa",
    ];
    only("actors/src/domain", &[], &outside);
    only(
        "actors/src/domain",
        &[],
        &["async fn", "std::fs", "std::net", "std::thread", "std::time", "SystemTime"],
    );
    // It knows nothing of the rest of the engine either.
    only(
        "actors/src/domain",
        &[],
        &["crate::store", "crate::business", "crate::engine", "crate::ports", "crate::net", "crate::view"],
    );
}

#[test]
fn only_the_store_names_the_storage_engine_and_the_encoding() {
    only("actors/src", &["actors/src/store/"], &["sled", "bincode"]);
    only("src", &[], &["sled", "bincode"]);
}

#[test]
fn the_engine_serves_no_http_and_only_net_sends_it() {
    only("actors/src", &[], &["axum", "tower", "clap", "receptionist::"]);
    let outgoing = [
        "hyper",
        "hyper_util",
        "http_body_util",
        "rustls",
        "tokio_rustls",
        "rustls_native_certs",
        "url::Url",
        "ipnet",
        "hickory_resolver",
    ];
    only("actors/src", &["actors/src/net/"], &outgoing);
    only(
        "actors/src",
        &["actors/src/net/"],
        &["TcpStream", "to_socket_addrs", "ToSocketAddrs", "lookup_host"],
    );
}

#[test]
fn only_views_are_described_in_the_engine() {
    only("actors/src", &["actors/src/view"], &["utoipa"]);
}

#[test]
fn actors_stay_behind_their_handles() {
    only("src", &[], &["ractor", "tokio::sync::oneshot"]);
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
