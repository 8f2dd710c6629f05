//! Reads and writes the recorded lines. Each group of requests has its own file in this directory.

use std::fs;
use std::path::PathBuf;

use crate::tape::Line;

/// The maximum number of differing lines that a failure shows per group.
const SHOWN: usize = 5;
/// The maximum number of characters that a failure shows per line.
const SHOWN_CHARS: usize = 2_000;

fn file(group: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recorded/{group}.jsonl"))
}

/// Whether this run records the responses instead of comparing them.
pub(crate) fn records() -> bool {
    std::env::var_os("RECORD").is_some_and(|what| what == "1")
}

pub(crate) fn write(group: &str, lines: &[Line]) {
    let text: String = lines.iter().map(|line| format!("{}\n", line.text)).collect();
    fs::write(file(group), text).unwrap();
}

/// Returns the first lines that differ from the recorded lines, as text. The text is empty if all lines are
/// equal.
pub(crate) fn differences(group: &str, lines: &[Line]) -> String {
    let recorded = fs::read_to_string(file(group)).unwrap_or_default();
    let recorded: Vec<_> = recorded.lines().collect();
    let cut = |text: &str| text.chars().take(SHOWN_CHARS).collect::<String>();
    let mut told = String::new();
    let differing = (0..lines.len().max(recorded.len()))
        .map(|at| (at, recorded.get(at).copied(), lines.get(at).map(|line| line.text.as_str())))
        .filter(|(_, before, now)| before != now);
    let (mut shown, mut more) = (0, 0);
    for (at, before, now) in differing {
        if shown < SHOWN {
            let (before, now) = (cut(before.unwrap_or("nothing")), cut(now.unwrap_or("nothing")));
            told.push_str(&format!(
                "{group}, request {}:\n  recorded: {before}\n  now:      {now}\n",
                at + 1
            ));
            shown += 1;
        } else {
            more += 1;
        }
    }
    if more > 0 {
        told.push_str(&format!("{group}: {more} more lines differ\n"));
    }
    told
}
