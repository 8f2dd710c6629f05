//! The program `receptionist`. It only parses the command line and calls the library.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mimalloc::MiMalloc;
use receptionist::cli::{self, OperatorCommand};
use receptionist::config::ServeArgs;

/// A request makes dozens of allocations, so the speed of the allocator matters. See `benches/`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// An automated receptionist for businesses: a REST API with an embedded store.
#[derive(Parser)]
#[command(name = "receptionist", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "the process creates one value")]
enum Command {
    /// Run the service
    Serve(ServeArgs),
    /// Run the service with its own data directory and a sample business, and print example requests
    Demo(ServeArgs),
    /// Check whether the service can run here with these settings, and say how to fix each problem
    Doctor(cli::doctor::DoctorArgs),
    /// Copy the store of the running service to a directory
    Backup(cli::backup::BackupArgs),
    /// Test whether the service can send mails
    #[command(subcommand)]
    Mail(cli::mail::MailCommand),
    /// Create a data directory from a backup
    Restore(cli::restore::RestoreArgs),
    /// Copy the readable rows of a damaged store to a new one; stop the service first
    Salvage(cli::salvage::SalvageArgs),
    /// Check a backup, or the data directory of a stopped service, and list the damage
    Verify(cli::restore::VerifyArgs),
    /// Correct timestamps in the future, which a wrong clock has set; stop the service first
    RepairStamps(cli::repair::RepairArgs),
    /// Write one business or all businesses of the running service as JSON Lines
    Export(cli::transfer::ExportArgs),
    /// Import businesses into the running service from a file that `export` has written
    Import(cli::transfer::ImportArgs),
    /// Talk to the receptionist as a customer, line by line; the changes are real
    Chat(cli::chat::ChatArgs),
    /// Play scripted callers against the receptionist, on a store in memory, and judge the results
    Eval(cli::eval::EvalArgs),
    /// Serve the Model Context Protocol on standard input and output, for an assistant that starts this
    /// program
    Mcp(cli::mcp::McpArgs),
    /// Print the OpenAPI document of the public API or the operator API
    Openapi(cli::pages::OpenapiArgs),
    /// Print a completion script for a shell
    Completions(cli::pages::CompletionsArgs),
    /// Print the manual, or write one page per command to a directory
    Man(cli::pages::ManArgs),
    #[command(flatten)]
    Operator(OperatorCommand),
}

fn main() -> ExitCode {
    let mut program = Cli::command().after_help(cli::pages::topics());
    let matches = match program.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => return cli::pages::help(&error, &program),
    };
    let command = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli.command,
        Err(error) => return cli::unusable(&error.format(&mut program)),
    };
    // `serve` and `demo` write this warning to their log, so they are excluded here.
    if !matches!(command, Command::Serve(_) | Command::Demo(_)) {
        cli::warn_of_misspelt_variables();
    }
    match command {
        Command::Serve(args) => cli::serve::serve(args),
        Command::Demo(args) => cli::demo::demo(args),
        Command::Doctor(args) => cli::doctor::doctor(args),
        Command::Backup(args) => cli::backup::backup(args),
        Command::Mail(command) => cli::mail::mail(command),
        Command::Restore(args) => cli::restore::restored(args),
        Command::Salvage(args) => cli::salvage::salvage(args),
        Command::Verify(args) => cli::restore::verified(args),
        Command::RepairStamps(args) => cli::repair::repair(args),
        Command::Export(args) => cli::transfer::export(args),
        Command::Import(args) => cli::transfer::import(args),
        Command::Chat(args) => cli::chat::chat(args),
        Command::Eval(args) => cli::eval::eval(args),
        Command::Mcp(args) => cli::mcp::mcp(args),
        Command::Openapi(args) => cli::pages::openapi(args),
        Command::Completions(args) => cli::pages::completions(args, &mut program),
        Command::Man(args) => cli::pages::man(args, program),
        Command::Operator(command) => {
            cli::run::operate(command, &cli::problems::Flags::of(&program, &matches))
        }
    }
}
