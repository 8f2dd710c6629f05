//! Broken rules, planted in a crate of their own: each is found.

use std::fs;

use crate::circles::circles;
use crate::not_allowed;
use crate::source::Source;

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
