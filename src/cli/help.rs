//! `help TOPIC`: a topic of the documentation. Help about commands is clap's.

use std::process::ExitCode;

use clap::Command;
use clap::error::ErrorKind;

use super::typed::near::{near, question};
use super::{print, unusable};
use crate::config::EXIT_CODE;
use crate::docs;

/// The columns of the text, which every terminal has.
const WIDTH: usize = 80;

/// The list of topics, as it follows the commands.
pub fn topics() -> String {
    let lines = docs::topics().map(|topic| format!("\n  {:<13}  {}", topic.name, topic.about));
    format!("Topics (receptionist help TOPIC):{}", lines.collect::<String>())
}

/// Prints the topic that `help` asks for. Any other error is printed like an error of [`unusable`].
pub fn help(error: &clap::Error, program: &Command) -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let [help, word] = &words[..] else { return unusable(error) };
    let is_help = error.kind() == ErrorKind::DisplayHelp;
    if help != "help" || !(is_help || error.kind() == ErrorKind::InvalidSubcommand) {
        return unusable(error);
    }
    let Some(topic) = docs::topic(word) else {
        return if is_help { unusable(error) } else { unknown(word, program) };
    };
    let mut text = docs::terminal_text(topic.text, WIDTH, print::look().colours);
    if is_help {
        // A command has the name of the topic.
        unusable(error);
        text.insert(0, '\n');
    }
    print::output(&text).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn unknown(word: &str, program: &Command) -> ExitCode {
    let commands = program.get_subcommands().map(Command::get_name);
    let nearest = question(&near(word, commands.chain(docs::topics().map(|topic| topic.name))));
    let nearest = nearest.map_or_else(String::new, |question| format!("; {question}"));
    print::error(&format!(
        "error: there is no command or topic {word:?}{nearest}\n`receptionist help` lists the commands and topics."
    ));
    ExitCode::from(EXIT_CODE)
}
