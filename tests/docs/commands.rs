//! Runs the command lines of the documentation without a service. A command then fails, but it must accept its
//! arguments.

use std::process::{Command, Stdio};

use crate::files::{files, read};

/// The exit code of a command that refuses its arguments.
const REFUSED: i32 = 2;
/// The commands that the test does not run. `man` would write files outside of the test's directory. `serve` and `demo`
/// would run without end.
const SKIPPED: [&str; 3] = ["man", "serve", "demo"];

/// The lines of the code blocks that run the program, without the prompt. A line that ends in `\` is joined with
/// the next one.
fn lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let mut in_code = false;
    let mut found = Vec::new();
    for line in joined.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if in_code && let Some(line) = line.strip_prefix("$ ").or_else(|| line.strip_prefix("# ")) {
            found.extend(line.starts_with("receptionist ").then(|| line.to_owned()));
        }
    }
    found
}

/// The arguments of a command line, up to the first operator of the shell.
fn arguments(line: &str) -> Vec<String> {
    let words =
        shlex::split(line).unwrap_or_else(|| panic!("the quotes of this line are not closed: {line}"));
    words.into_iter().skip(1).take_while(|word| !["|", ">", "<", "&", "&&", ";"].contains(&&**word)).collect()
}

#[test]
fn the_program_accepts_the_documented_command_lines() {
    let dir = tempfile::tempdir().unwrap();
    let (mut ran, mut refused) = (0, Vec::new());
    for file in files() {
        for line in lines(&read(&file)) {
            let arguments = arguments(&line);
            if SKIPPED.contains(&&*arguments[0]) {
                continue;
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
            command.args(&arguments).env_clear().current_dir(dir.path()).stdin(Stdio::null());
            command.env("RECEPTIONIST_ADMIN_TOKEN", "x".repeat(32));
            // `backup --in` requires a data directory. `mcp` calls the service at `RECEPTIONIST_URL`, and the other
            // commands call it at `RECEPTIONIST_ADMIN_URL`. No service listens at these addresses.
            match arguments.iter().any(|argument| argument == "--in") {
                true => command.env("RECEPTIONIST_DATA_DIR", dir.path().join("data")),
                false => {
                    let nowhere = "http://127.0.0.1:1";
                    command.env("RECEPTIONIST_URL", nowhere).env("RECEPTIONIST_ADMIN_URL", nowhere)
                }
            };
            let output = command.output().unwrap();
            ran += 1;
            if output.status.code() == Some(REFUSED) {
                refused.push(format!("{file}: {line}\n{}", String::from_utf8_lossy(&output.stderr)));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(ran > 30, "only {ran} command lines were found");
}
