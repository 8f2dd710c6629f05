//! `completions`, `man`, `openapi` and `help TOPIC` print shell completions, manual pages, the OpenAPI
//! documents and the topics of the documentation. The library clap prints the help about commands.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Command};
use clap_complete::Shell;

use super::typed::near::{near, question};
use super::{print, unusable};
use crate::config::EXIT_CODE;
use crate::docs;
use crate::openapi::{document, operator_document, without_webhooks};

#[derive(Clone, Copy, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The directory for one page per command [default: print only the first page]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// Prints a completion script. The exit code is 1 if writing fails.
pub fn completions(args: CompletionsArgs, command: &mut Command) -> ExitCode {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, name, &mut script);
    exit(print::output(&String::from_utf8_lossy(&script)))
}

/// Prints the first page of the manual, or writes one page per command. The exit code is 1 if writing fails.
pub fn man(args: ManArgs, command: Command) -> ExitCode {
    exit(match args.to {
        Some(dir) => std::fs::create_dir_all(&dir).and_then(|()| clap_mangen::generate_to(command, &dir)),
        None => {
            let mut page = Vec::new();
            let made = clap_mangen::Man::new(command).render(&mut page);
            made.and_then(|()| print::output(&String::from_utf8_lossy(&page)))
        }
    })
}

fn exit(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&format!("cannot write the output: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub struct OpenapiArgs {
    /// Print the document of the operator API instead
    #[arg(long)]
    operator: bool,
    /// Omit the section `webhooks`, since some client generators treat webhooks as operations of the API
    #[arg(long, conflicts_with = "operator")]
    without_webhooks: bool,
}

/// Prints the document. The exit code is 1 if writing fails.
pub fn openapi(args: OpenapiArgs) -> ExitCode {
    let mut document = if args.operator { operator_document() } else { document() };
    if args.without_webhooks {
        without_webhooks(&mut document);
    }
    let written = print::written(&format!("{document:#}\n"));
    written.map_or_else(|failure| failure.exit(false), |()| ExitCode::SUCCESS)
}

/// The width of the text in columns. Terminals usually have at least this width.
const WIDTH: usize = 80;

/// The list of topics that the help prints after the list of commands.
pub fn topics() -> String {
    let lines = docs::topics().map(|topic| format!("\n  {:<13}  {}", topic.name, topic.about));
    format!("Topics (receptionist help TOPIC):{}", lines.collect::<String>())
}

/// If the command line was `help TOPIC`, prints the topic. For any other command line, calls [`unusable`].
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
        // A command has the same name as the topic, so the help of the command is printed first.
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
