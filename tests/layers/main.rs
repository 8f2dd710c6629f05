//! The layers of the code, checked in its source: which module may name which, and which crate.
//!
//! The map is in `actors/README.md`. What is not allowed here is a broken rule, which names the file and the line; and
//! files form no circles.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

mod allowed;
mod circles;
mod planted;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use self::allowed::{EDGES, EDGES_CRATES, ENGINE, ENGINE_CRATES, KINDS};
use self::circles::circles;
use self::source::{Named, Source};

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

/// The circles that files form, as they are told.
fn told(source: &Source) -> Vec<String> {
    circles(source).iter().map(|circle| circle.told(root())).collect()
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
fn the_files_of_an_actor_name_only_what_is_below_them() {
    let source = engine();
    let files = source.files();
    for (kind, rows) in KINDS {
        let row = |path: &[String]| {
            let [first, file, ..] = path else { return None };
            let row = rows.iter().position(|row| row.contains(&file.as_str()));
            (first == kind).then(|| row.unwrap_or_else(|| panic!("{kind}/{file} has no place in the list")))
        };
        for ((from, named), lines) in source.names() {
            let Named::Own(to) = named else { continue };
            let (from, to) = (row(files[from.as_path()]), row(files[to.as_path()]));
            let is_below = from.zip(to).is_none_or(|(from, to)| to <= from);
            assert!(is_below, "a file names one that stands above it: {:?}", lines.first());
        }
    }
}

/// `src/http` is without knowledge of the business: of the engine it names what a problem, its code and an entity tag are.
#[test]
fn http_knows_nothing_of_the_business() {
    let mut named = 0;
    for file in files("src/http") {
        let text = fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("actors::") {
            let what = &text[at + "actors::".len()..];
            let allowed = [
                "domain::Problem;",
                "domain::ProblemCode;",
                "domain::{Problem, ProblemCode};",
                "domain::{ProblemCode, TextError};",
                "view::etag(",
            ]
            .iter()
            .any(|allowed| what.starts_with(allowed));
            assert!(allowed, "{} names {}", file.display(), what.lines().next().unwrap_or_default());
            named += 1;
        }
    }
    assert!(named > 0, "nothing was looked at");
}

#[test]
fn files_form_no_circles() {
    let load = Source::read(&[root().join("benches/load/main.rs")], "load");
    for source in [engine(), edges(), load] {
        let circles = told(&source);
        assert!(circles.is_empty(), "files form circles:\n{}", circles.join("\n"));
    }
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
    only("actors/src", &["actors/src/net/", "actors/src/ports.rs"], &outgoing);
}

#[test]
fn actors_stay_behind_their_handles() {
    only("src", &[], &["tokio::sync::oneshot"]);
}

#[test]
fn time_and_randomness_come_through_ports() {
    let ambient = ["SystemTime", "Utc::now", "getrandom", "new_v4", "now_v7", "rand"];
    // The journal on a disk draws an id for its file, which nobody who stores values may guess; a simulated one does not.
    only("actors/src", &["actors/src/ports.rs", "actors/src/store/journal/mod.rs"], &ambient);
}

#[test]
fn one_place_maps_a_fault_to_a_status() {
    only("src/api", &[], &["StatusCode"]);
    only("src/admin", &[], &["StatusCode"]);
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
