//! `chat` reads lines and sends each of them to the receptionist, like a customer in the website chat.
//!
//! Invariants: a line that equals the id of a shown choice selects this choice. Any other line is sent as text. The
//! conversation ends when the input ends. The changes that the receptionist makes are real.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use hyper::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::InBusiness;
use super::carry_out::{Failure, carry_out};
use super::client::{Answer, CALL_TIMEOUT, Client};
use super::options::OperatorOptions;
use super::print;
use super::record::{One, one_line};
use super::request::Terms;
use super::resolve::resolve;
use super::task::Task;

#[derive(Args)]
pub struct ChatArgs {
    #[command(flatten)]
    of: InBusiness,
    /// The language: en or fr [default: the language of the business]
    #[arg(long)]
    locale: Option<String>,
    /// Also print the effects of each turn, and the sentences of the chat model that were dropped
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    options: OperatorOptions,
}

#[derive(Deserialize)]
struct Taken {
    id: String,
    turns: Vec<Turn>,
    choices: Vec<Choice>,
    ended: bool,
}

#[derive(Deserialize)]
struct Turn {
    by: String,
    text: String,
    effects: Vec<Effect>,
    dropped: Vec<Dropped>,
}

#[derive(Deserialize)]
struct Effect {
    kind: String,
    resource_id: Option<String>,
}

#[derive(Deserialize)]
struct Dropped {
    rule: String,
    text: String,
}

#[derive(Deserialize)]
struct Choice {
    id: String,
    label: String,
}

/// Runs the command. The exit code is 0 at the end of the conversation or of the input.
pub fn chat(args: ChatArgs) -> ExitCode {
    let as_json = args.options.json;
    carry_out(as_json, Box::pin(converse(args)))
}

async fn converse(args: ChatArgs) -> Result<(), Failure> {
    let client = Client::admitted(args.options.access()?, CALL_TIMEOUT).await;
    let body = Terms::default().with("channel", "website").given("locale", args.locale);
    let mut start = Task::post(args.of.path(&["conversations"]), body);
    for note in resolve(&client, &mut start, SystemTime::now().into()).await? {
        print::note(&note);
    }
    let call = start.request.call();
    let shown = Shown { as_json: args.options.json, is_verbose: args.verbose };
    let answer = client.send(Method::POST, &call.target(&[]), call.body.as_ref()).await?;
    let mut taken = shown.print(&answer)?;
    let path = format!("{}/{}", call.path, taken.id);
    while !taken.ended {
        let Some(line) = next_line()? else {
            client.send(Method::POST, &format!("{path}/end"), None).await?;
            return Ok(());
        };
        let is_choice = taken.choices.iter().any(|choice| choice.id == line);
        let said = if is_choice { json!({ "choice": line }) } else { json!({ "text": line }) };
        let answer = client.send(Method::POST, &format!("{path}/turns"), Some(&said)).await?;
        taken = shown.print(&answer)?;
    }
    Ok(())
}

/// Returns the next non-empty line of the input, or `None` at the end of the input.
fn next_line() -> Result<Option<String>, Failure> {
    let stdin = io::stdin();
    loop {
        if stdin.is_terminal() {
            let mut stderr = io::stderr().lock();
            let _ = stderr.write_all(b"> ").and_then(|()| stderr.flush());
        }
        let mut line = String::new();
        let read = stdin.lock().read_line(&mut line);
        let read = read.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
        let line = line.trim();
        if read == 0 {
            return Ok(None);
        }
        if !line.is_empty() {
            return Ok(Some(line.to_owned()));
        }
    }
}

struct Shown {
    as_json: bool,
    is_verbose: bool,
}

impl Shown {
    fn print(&self, answer: &Answer) -> Result<Taken, Failure> {
        let One { data: taken } = answer.read::<One<Taken>>()?;
        let text = if self.as_json { whole(answer)? } else { self.text(&taken) };
        print::written(&text)?;
        Ok(taken)
    }

    fn text(&self, Taken { turns, choices, .. }: &Taken) -> String {
        let mut lines = Vec::new();
        for turn in turns.iter().filter(|turn| turn.by != "caller") {
            if !turn.text.is_empty() {
                lines.push(one_line(&turn.text));
            }
            if self.is_verbose {
                lines.extend(turn.effects.iter().map(|Effect { kind, resource_id }| match resource_id {
                    Some(id) => format!("  [{} {}]", one_line(kind), one_line(id)),
                    None => format!("  [{}]", one_line(kind)),
                }));
                let dropped = |it: &Dropped| format!("  [dropped by {}: {}]", it.rule, one_line(&it.text));
                lines.extend(turn.dropped.iter().map(dropped));
            }
        }
        lines.extend(choices.iter().map(|it| format!("  {}  {}", one_line(&it.id), one_line(&it.label))));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The response on one line.
fn whole(answer: &Answer) -> Result<String, Failure> {
    Ok(format!("{}\n", answer.read::<Value>()?))
}
