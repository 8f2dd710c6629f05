//! Opens a downloaded file in LibreOffice, and checks that no cell is evaluated as a formula.

#![allow(clippy::print_stderr, reason = "prints which test is skipped")]

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::harness::Server;

/// The options with which LibreOffice reads CSV files. The separator is a comma, texts are in double quotation marks,
/// the encoding is UTF-8, reading starts at line 1, and formulas are evaluated.
const READS: &str = "CSV:44,34,76,1,,0,false,true,false,false,false,0,true";
const WRITES: &str = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false";
/// Names that begin with a character that can start a formula, or with the apostrophe that marks a text.
const NAMES: [&str; 7] = ["=1+1", "+2+3", "-4", "@SUM(A1)", "'quoted", "\tTab", "=HYPERLINK(\"x\")"];

/// Opens a file of comma-separated values in LibreOffice, and saves it again. Returns the saved text, or
/// `None` if LibreOffice is not installed.
fn through_libreoffice(dir: &Path, file: &str) -> Option<String> {
    std::fs::write(dir.join("in.csv"), file).unwrap();
    let mut command = Command::new("soffice");
    command.arg("--headless").arg(format!("-env:UserInstallation=file://{}", dir.join("profile").display()));
    command.args([&format!("--infilter={READS}"), "--convert-to", WRITES, "--outdir"]).arg(dir.join("out"));
    let done = command.arg(dir.join("in.csv")).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let Ok(status) = done else {
        assert!(
            std::env::var_os("REQUIRE_SOFFICE").is_none(),
            "REQUIRE_SOFFICE is set, but there is no soffice"
        );
        eprintln!("skipped: the file is not opened in LibreOffice, because there is no soffice on PATH");
        return None;
    };
    assert!(status.success(), "LibreOffice failed: {status}");
    Some(std::fs::read_to_string(dir.join("out/in.csv")).unwrap())
}

#[tokio::test]
async fn libreoffice_evaluates_no_cell_of_a_downloaded_file_and_the_file_comes_back_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    // LibreOffice evaluates a formula if there is no apostrophe before it.
    let Some(evaluated) = through_libreoffice(dir.path(), "name\r\n=1+1\r\n") else { return };
    assert_eq!(evaluated.trim_start_matches('\u{feff}'), "name\n2\n");

    let server = Server::open().await;
    let (salon, other) = (server.business("Salon Zoé").await, server.business("Salon Ada").await);
    for name in NAMES {
        let contact = json!({ "name": name, "phone": "+33612345678" });
        let made = server.operator("POST", &format!("/businesses/{salon}/contacts"), contact).await;
        let notes = json!({ "notes": "\r=2+2", "phone": null });
        let path = format!("/businesses/{salon}/contacts/{}", made["id"].as_str().unwrap());
        server.operator("PATCH", &path, notes).await;
    }
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let file =
        server.signed_in(&salon, &ada).await.get(&format!("/dashboard/b/{salon}/contacts/download")).await;
    let saved = through_libreoffice(dir.path(), &file.is(200).body).unwrap();
    assert_eq!(saved.matches("'\n=2+2").count(), NAMES.len(), "{saved}");

    let bea = server.person(&other, "bea@example.com", "owner").await;
    let mut browser = server.signed_in(&other, &bea).await;
    let import = format!("/dashboard/b/{other}/contacts/import");
    let page = browser.get(&import).await.is(200);
    let preview = browser.upload(&page, &import, Some(saved.as_bytes())).await.is(200);
    browser.upload(&preview, &import, None).await.is(303);
    let all = server.operator("GET", &format!("/businesses/{other}/contacts"), Value::Null).await;
    let names: Vec<_> =
        all.as_array().unwrap().iter().rev().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
}
