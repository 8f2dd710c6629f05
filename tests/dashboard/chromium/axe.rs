//! Checks a page in the browser with axe-core.

use std::path::PathBuf;

use serde_json::Value;

use super::window::Window;

/// The path at which `.ci/run` installs axe-core. The environment variable `AXE` can name another path.
const PLACE: &str = "target/tools/node_modules/axe-core/axe.min.js";

/// The source code of axe-core. Prints a line and returns `None` if the file is missing.
pub(super) fn axe() -> Option<String> {
    let place = std::env::var_os("AXE").map(PathBuf::from);
    let place = place.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(PLACE));
    match std::fs::read_to_string(&place) {
        Ok(source) => Some(source),
        Err(_) => {
            assert!(
                std::env::var_os("REQUIRE_AXE").is_none(),
                "REQUIRE_AXE is set, but axe-core is not installed"
            );
            eprintln!("skipped: pages are not checked against WCAG, because {} is missing", place.display());
            None
        }
    }
}

/// The violations of WCAG 2.2 A and AA and of axe's best practices on the current page, each with the markup
/// that causes it.
pub(super) async fn violations(window: &Window, axe: &str) -> Vec<String> {
    let script = format!(
        "{axe}; const done = arguments[arguments.length - 1]; \
         const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']; \
         axe.run(document, {{ runOnly: rules, resultTypes: ['violations'] }})\
         .then(found => done(found.violations), error => done([{{ id: String(error), nodes: [] }}]));"
    );
    let found = window.run_async(&script).await;
    let all = found.as_array().cloned().unwrap_or_default();
    all.iter().map(|one| format!("{}: {}", one["id"], first_node(one))).collect()
}

fn first_node(violation: &Value) -> String {
    let node = &violation["nodes"][0];
    format!(
        "{} {}",
        node["html"].as_str().unwrap_or_default(),
        node["failureSummary"].as_str().unwrap_or_default()
    )
}
