//! The program `receptionist`: the command line, and nothing behind it.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mimalloc::MiMalloc;
use receptionist::cli::{self, OperatorCommand};
use receptionist::config::ServeArgs;

/// A request allocates some dozens of times; see `benches/`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// An automated receptionist for businesses: a REST API on an embedded store.
#[derive(Parser)]
#[command(name = "receptionist", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in the life of the process")]
enum Command {
    /// Run the service on its embedded store
    Serve(ServeArgs),
    /// Run the service on a store of its own with a sample business, and print how to book there
    Demo(ServeArgs),
    /// Look whether the service could run here with these settings, and say what to do where it could not
    Doctor(cli::DoctorArgs),
    /// Copy the store of the running service to a directory, as it is between two commits
    Backup(cli::BackupArgs),
    /// Mails: test whether they are sent
    #[command(subcommand)]
    Mail(cli::MailCommand),
    /// Make a data directory of a backup
    Restore(cli::RestoreArgs),
    /// Write the readable rows of a damaged store into a new one; the service must be stopped
    Salvage(cli::SalvageArgs),
    /// Prove a backup, or the data directory of a stopped service, whole, and name what is not
    Verify(cli::VerifyArgs),
    /// Bring stamps that a wrong clock has set in the future back to the present; the service must be stopped
    RepairStamps(cli::RepairArgs),
    /// Write a business, or all of them, as JSON Lines, of the running service or of the store of a stopped one
    Export(cli::ExportArgs),
    /// Read businesses that `export` has written, into a running service or a stopped one
    Import(cli::ImportArgs),
    /// Speak the Model Context Protocol on standard input and output, for the assistant that starts this program
    Mcp(cli::McpArgs),
    /// Print the OpenAPI document of the public or of the operator API
    Openapi(cli::OpenapiArgs),
    /// Print what a shell reads to complete these commands
    Completions(cli::CompletionsArgs),
    /// Print the manual, or write a page of each command
    Man(cli::ManArgs),
    #[command(flatten)]
    Operator(OperatorCommand),
}

fn main() -> ExitCode {
    let mut program = Cli::command();
    let matches = match program.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => return cli::unusable(&error),
    };
    let command = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli.command,
        Err(error) => return cli::unusable(&error.format(&mut program)),
    };
    // The service says so in its log.
    if !matches!(command, Command::Serve(_) | Command::Demo(_)) {
        cli::warn_of_misspelt_variables();
    }
    match command {
        Command::Serve(args) => cli::serve(args),
        Command::Demo(args) => cli::demo(args),
        Command::Doctor(args) => cli::doctor(args),
        Command::Backup(args) => cli::backup(args),
        Command::Mail(command) => cli::mail(command),
        Command::Restore(args) => cli::restored(args),
        Command::Salvage(args) => cli::salvage(args),
        Command::Verify(args) => cli::verified(args),
        Command::RepairStamps(args) => cli::repair(args),
        Command::Export(args) => cli::export(args),
        Command::Import(args) => cli::import(args),
        Command::Mcp(args) => cli::mcp(args),
        Command::Openapi(args) => cli::openapi(args),
        Command::Completions(args) => cli::completions(args, &mut program),
        Command::Man(args) => cli::man(args, program),
        Command::Operator(command) => cli::operate(command, &cli::Flags::of(&program, &matches)),
    }
}
