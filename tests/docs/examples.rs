//! Tests that the examples in the documentation are valid programs.

#![allow(clippy::print_stderr, reason = "prints which tests are skipped")]

use std::io::Write;
use std::process::{Command, Stdio};

use crate::files::{Served, get};

/// The examples in this language on a page.
fn examples(page: &str, language: &str) -> Vec<String> {
    let summary = format!("<summary>{language}</summary>");
    let parts = page.split(&summary).skip(1);
    let code = parts.filter_map(|part| part.split_once("<code>")?.1.split_once("</code>"));
    let plain = |code: &str| {
        let code =
            code.replace("&quot;", "\"").replace("&#34;", "\"").replace("&#39;", "'").replace("&#x27;", "'");
        code.replace("&lt;", "<")
            .replace("&#60;", "<")
            .replace("&gt;", ">")
            .replace("&#62;", ">")
            .replace("&#38;", "&")
            .replace("&amp;", "&")
    };
    code.map(|(code, _)| plain(code)).collect()
}

/// Checks a program with an interpreter that reads it from standard input. If the interpreter is not
/// installed, nothing is checked.
fn check(program: &str, arguments: &[&str], code: &str) {
    let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: {program} is not installed");
        return;
    };
    child.stdin.take().unwrap().write_all(code.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{code}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn every_example_is_a_valid_program_of_its_language() {
    let (_, page) = get(&Served::open().await.public, "/docs/reference").await;
    let operations: usize = receptionist::openapi::document()["paths"]
        .as_object()
        .unwrap()
        .values()
        .map(|item| item.as_object().unwrap().len())
        .sum();
    for (language, program, arguments) in [
        ("curl", "bash", &["-n"][..]),
        ("Python", "python3", &["-c", "import sys; compile(sys.stdin.read(), 'example', 'exec')"]),
        ("JavaScript", "node", &["--check", "--input-type=module", "-"]),
    ] {
        let all = examples(&page, language);
        assert_eq!(all.len(), operations, "{language}");
        // Starting the interpreter for each example would be slow, so a single start checks all examples.
        // Each JavaScript example is in its own block.
        let all = match language {
            "JavaScript" => all.iter().map(|code| format!("{{\n{code}}}\n")).collect::<String>(),
            _ => all.join("\n"),
        };
        check(program, arguments, &all);
    }
}
