//! The tables between `<!-- generated: NAME -->` and `<!-- end -->` are generated from the code.
//! `UPDATE_DOCS=1` makes the test rewrite the files:
//!
//! ```console
//! $ UPDATE_DOCS=1 cargo test --test docs
//! ```
//!
//! Other tables are written by hand, because they contain sentences that are not in the code. The test
//! compares only the names in these tables with the code.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use domain::{AlertKind, BudgetKind, EventType, Scope};
use receptionist::config::{ServeArgs, variables};
use receptionist::{docs, openapi};
use serde_json::Value;

use crate::files::{Served, files, get, path, printed, read};

const END: &str = "<!-- end -->";

fn marker(name: &str) -> String {
    format!("<!-- generated: {name} -->\n")
}

/// The text of every generated table, by its name.
fn generated() -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("topics", topics()),
        ("routes", routes(&openapi::document(), true)),
        ("operator-routes", routes(&openapi::operator_document(), false)),
        ("commands", commands()),
    ])
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")).replace("|  |", "| |"));
    }
    text
}

fn topics() -> String {
    let row = |topic: &docs::Topic| {
        [format!("[{name}](src/docs/topics/{name}.md)", name = topic.name), topic.about.to_owned()]
    };
    table(["Topic", "Content"], docs::topics().map(row))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The operations of an API document, each with its method and path, in the order of the document's tags.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let base = document["servers"][0]["url"].as_str().unwrap();
    let mut all = Vec::new();
    for tag in array(&document["tags"]) {
        for (path, item) in document["paths"].as_object().unwrap() {
            for method in ["get", "post", "patch", "put", "delete"] {
                if item[method]["tags"][0] == tag["name"] {
                    all.push((format!("`{} {base}{path}`", method.to_uppercase()), &item[method]));
                }
            }
        }
    }
    all
}

/// The table of operations with their parameters. If `scoped` is true, the table also contains the scopes
/// of the operations.
fn routes(document: &Value, scoped: bool) -> String {
    let rows = operations(document).into_iter().map(|(request, operation)| {
        let parameters = parameters(document, operation);
        let summary = operation["summary"].as_str().unwrap();
        let purpose = if parameters.is_empty() {
            format!("{summary}.")
        } else {
            format!("{summary}: {}", parameters.join(", "))
        };
        let scope =
            operation["x-required-scope"].as_str().map_or("any key".into(), |scope| format!("`{scope}`"));
        (request, scope, purpose)
    });
    if scoped {
        let head = ["Request", "Scope", "Purpose and parameters"];
        table(head, rows.map(|(request, scope, purpose)| [request, scope, purpose]))
    } else {
        table(["Request", "Purpose and parameters"], rows.map(|(request, _, purpose)| [request, purpose]))
    }
}

/// The parameters of the query and the properties of the body. The name of an optional parameter or property
/// ends in `?`.
fn parameters(document: &Value, operation: &Value) -> Vec<String> {
    let shown = |name: &str, required: bool| format!("`{name}{}`", if required { "" } else { "?" });
    let query = array(&operation["parameters"]).iter().filter(|one| one["in"] == "query");
    let query = query.filter(|one| one["name"] != "limit" && one["name"] != "cursor");
    let query = query.map(|one| shown(one["name"].as_str().unwrap(), one["required"] == true));
    let mut all: Vec<String> = query.collect();
    let mut objects = Vec::new();
    forms(document, &operation["requestBody"]["content"]["application/json"]["schema"], &mut objects);
    let names = objects.iter().flat_map(|object| object["properties"].as_object().unwrap().keys());
    for name in names.collect::<BTreeSet<_>>() {
        let required = objects.iter().all(|object| array(&object["required"]).iter().any(|one| one == name));
        all.push(shown(name, required));
    }
    all
}

/// Collects the object schemas of a body: the schema itself, or each alternative of `oneOf`.
fn forms<'a>(document: &'a Value, schema: &'a Value, into: &mut Vec<&'a Value>) {
    let name = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    let schema = name.map_or(schema, |name| document.pointer(name).unwrap());
    if schema["properties"].is_object() {
        into.push(schema);
    }
    array(&schema["oneOf"]).iter().for_each(|one| forms(document, one, into));
}

/// The names below `Commands:` in a help text, each with the rest of its line.
fn listed(help: &str) -> Vec<(String, String)> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let named = lines.filter_map(|line| line.trim_start().split_once(' '));
    let named = named.map(|(name, about)| (name.to_owned(), about.trim().to_owned()));
    named.filter(|(name, _)| name != "help").collect()
}

/// The generated table of commands. It contains the commands that are not in the first table of the topic,
/// with their subcommands.
fn commands() -> String {
    let first = names("commands", "Command", 1);
    let others = listed(&printed(&["help"])).into_iter().filter(|(name, _)| !first.contains(name));
    let row = |(command, _): (String, String)| {
        let subcommands = listed(&printed(&["help", &command])).into_iter().map(|(name, about)| {
            let alias = about.split_once("[alias: ").map(|(_, alias)| alias.trim_end_matches(']').to_owned());
            alias.map_or(format!("`{name}`"), |alias| format!("`{name}` (also `{alias}`)"))
        });
        let subcommands: Vec<String> = subcommands.collect();
        let none = vec!["none".to_owned()];
        [format!("`{command}`"), if subcommands.is_empty() { none } else { subcommands }.join(", ")]
    };
    table(["Command", "Subcommands"], others.map(row))
}

#[test]
fn generated_tables_match_the_code() {
    let (tables, update) = (generated(), std::env::var_os("UPDATE_DOCS").is_some());
    let mut found = BTreeSet::new();
    let mut stale = Vec::new();
    for file in files() {
        let text = read(&file);
        let mut made = text.clone();
        for (name, table) in &tables {
            let Some(start) = made.find(&marker(name)).map(|at| at + marker(name).len()) else { continue };
            let end = start
                + made[start..].find(END).unwrap_or_else(|| panic!("{file}: the table {name} has no end"));
            made.replace_range(start..end, &format!("\n{table}\n"));
            found.insert(*name);
        }
        if update {
            std::fs::write(path(&file), made).unwrap();
        } else if made != text {
            stale.push(file);
        }
    }
    assert_eq!(
        found,
        tables.keys().copied().collect::<BTreeSet<_>>(),
        "each generated table must be in a file"
    );
    assert_eq!(stale, [""; 0], "run UPDATE_DOCS=1 cargo test --test docs");
}

/// The tables of a topic whose first column has this heading. Each table is a list of rows, and each row a
/// list of cells.
fn rows(topic: &str, heading: &str) -> Vec<Vec<Vec<String>>> {
    let text = read(&format!("src/docs/topics/{topic}.md"));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with('|') {
            inside = false;
        } else if !inside && cells(line)[0] == heading {
            inside = true;
            tables.push(Vec::new());
        } else if let Some(table) = tables.last_mut().filter(|_| inside && !line.starts_with("|---")) {
            table.push(cells(line));
        }
    }
    assert!(!tables.is_empty(), "{topic} has no table with the heading {heading:?}");
    tables
}

/// The code spans (texts in backticks) of a cell.
fn codes(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Reads the tables whose first column has this heading, at most `count` tables. Returns the names in this column. A
/// name is the first word of a code span.
fn names(topic: &str, heading: &str, count: usize) -> BTreeSet<String> {
    let rows = rows(topic, heading).into_iter().take(count).flatten();
    let first = |name: String| name.split(' ').next().unwrap_or_default().to_owned();
    rows.flat_map(|row| codes(&row[0]).map(first).collect::<Vec<_>>()).collect()
}

fn set<T: ToString>(all: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    all.into_iter().map(|one| one.to_string()).collect()
}

#[test]
fn the_documented_commands_match_the_program() {
    let program = listed(&printed(&["help"])).into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>();
    assert_eq!(names("commands", "Command", usize::MAX), program);
}

#[test]
fn the_documented_settings_and_defaults_match_the_code() {
    let ours = |name: &String| name.starts_with("RECEPTIONIST_") || name.starts_with("PUBLIC_API_");
    let all = names("settings", "Variable", usize::MAX).into_iter().filter(ours).collect::<BTreeSet<_>>();
    assert_eq!(all, set(variables::ALL));
    let command = ServeArgs::augment_args(clap::Command::new("serve"));
    for row in rows("settings", "Variable").into_iter().flatten() {
        for name in codes(&row[0]) {
            let argument = command.get_arguments().find(|one| one.get_env().is_some_and(|env| *env == *name));
            let help = argument.and_then(|one| one.get_help()).map(ToString::to_string).unwrap_or_default();
            let Some((_, default)) = help.split_once("[default: ") else { continue };
            let (default, _) = default.split_once(']').unwrap();
            if let Some(written) = row[1].strip_prefix('`').and_then(|cell| cell.strip_suffix('`')) {
                assert_eq!(written, default.replace('\n', " "), "{name}");
            }
        }
    }
}

#[tokio::test]
async fn the_documented_metrics_match_the_service() {
    let served = Served::open().await;
    let (_, text) = get(&served.operator, "/metrics").await;
    let names_served = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let mut served: BTreeSet<String> = set(names_served);
    // This metric exists only if a listener has a certificate.
    served.insert("receptionist_certificate_expiry_timestamp_seconds".into());
    assert_eq!(names("metrics", "Metric", usize::MAX), served);
}

#[test]
fn documented_scopes_events_budgets_and_alerts_match_the_code() {
    assert_eq!(names("api", "Scope", 1), set(Scope::ALL));
    assert_eq!(names("webhooks", "Event", 1), set(EventType::ALL));
    assert_eq!(names("settings", "Kind", 1), set(BudgetKind::ALL));
    assert_eq!(names("commands", "Kind", 1), set(AlertKind::ALL));
}

#[test]
fn the_documented_errors_match_the_api_documents() {
    let mut listed = BTreeSet::new();
    for document in [openapi::document(), openapi::operator_document()] {
        let shared = [("405", "MethodNotAllowed"), ("404", "NotFound")];
        let shared =
            shared.map(|(status, name)| (status.to_owned(), &document["components"]["responses"][name]));
        let own = operations(&document)
            .into_iter()
            .flat_map(|(_, operation)| operation["responses"].as_object().unwrap());
        for (status, response) in own.map(|(status, response)| (status.clone(), response)).chain(shared) {
            let name = response["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
            let response = name.map_or(response, |name| document.pointer(name).unwrap());
            let examples = response["content"]["application/json"]["examples"].as_object();
            listed.extend(
                examples.into_iter().flat_map(|all| all.keys()).map(|code| (status.clone(), code.clone())),
            );
        }
    }
    let mut written = BTreeSet::new();
    for row in rows("api", "Status").into_iter().flatten() {
        let code = codes(&row[1]).next().unwrap();
        written.extend(row[0].split(", ").map(|status| (status.to_owned(), code.clone())));
    }
    assert_eq!(written, listed);
}
