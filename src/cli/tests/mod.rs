//! The requests of each command, and the commands against a scripted service.

mod calls;
mod dealings;
mod exchanges;
mod meanings;
mod stub;
mod whole;

use clap::{CommandFactory, FromArgMatches, Parser};
use serde_json::Value;

use super::OperatorCommand;
use super::problems::Flags;

/// A program that has only the commands of this module.
#[derive(Parser)]
#[command(name = "receptionist")]
struct Cli {
    #[command(subcommand)]
    command: OperatorCommand,
}

/// Parses a command line. Words are separated by white space, except within single quotes.
fn parse(line: &str) -> Result<OperatorCommand, clap::Error> {
    parse_with_flags(line).map(|(command, _)| command)
}

/// Parses a command line. Also returns the flags of its command.
fn parse_with_flags(line: &str) -> Result<(OperatorCommand, Flags), clap::Error> {
    let words = line.split('\'').enumerate().flat_map(|(at, piece)| match at % 2 {
        0 => piece.split_whitespace().collect(),
        _ => vec![piece],
    });
    let words = std::iter::once("receptionist").chain(words);
    let mut program = Cli::command();
    let matches = program.try_get_matches_from_mut(words)?;
    let flags = Flags::of(&program, &matches);
    Ok((Cli::from_arg_matches(&matches)?.command, flags))
}

/// The path of business `b1`.
const B: &str = "/admin/v1/businesses/b1";

/// Checks that a command makes this call. The texts in the call have not been resolved yet.
fn check(line: &str, method: &str, path: &str, body: Value) {
    let (command, flags) = parse_with_flags(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let call = command.task.request.call();
    let body = (!body.is_null()).then_some(body);
    assert_eq!(
        (call.method.as_str(), call.target(&[]).as_str(), &call.body),
        (method, path, &body),
        "{line}"
    );
    // Each property of the call belongs to a flag, so that error messages can name the flag. The only exception is the
    // status that `webhook enable` and `webhook disable` set.
    let queried = call.query.iter().map(|(name, _)| (*name).to_owned());
    for property in queried.chain(body.iter().flat_map(leaves)) {
        let named = flags.flag(&property);
        let expected = !(line.starts_with("webhook") && property == "status" && method == "PATCH");
        assert_eq!(named.is_some(), expected, "{line}: {property}");
    }
}

/// The paths of all values in a body.
fn leaves(body: &Value) -> Vec<String> {
    let Value::Object(properties) = body else { return vec![String::new()] };
    let inner = |(name, value): (&String, &Value)| -> Vec<String> {
        let path = |leaf: String| if leaf.is_empty() { name.clone() } else { format!("{name}.{leaf}") };
        leaves(value).into_iter().map(path).collect()
    };
    properties.iter().flat_map(inner).collect()
}

/// Checks that a command is refused before it sends a request. The message must contain `part`.
fn check_usage(line: &str, part: &str) {
    let error = parse(line).err().unwrap();
    assert_eq!(error.exit_code(), 2, "{line}");
    assert!(error.to_string().contains(part), "{line}: {error}");
}
