//! The commands on the records of a business: the API operation of each command, and how the response is
//! shown. The flags are derived from the operation.
//!
//! Invariants: a new property of an API operation becomes a flag of the operation's commands without a change here. A
//! flag has the name of its property, without `_id`. If the property is a list, the flag is given once for each value,
//! and its name is in the singular.

mod commands;
mod flag;
mod operation;

use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
pub(super) use commands::RESOURCES;
pub(super) use flag::singular;
use flag::{Flag, Shape};
use hyper::Method;
use operation::{Operation, Property};
use serde_json::{Value, json};

use super::arguments::{InBusiness, Irreversible, Paging, business};
use super::options::OperatorOptions;
use super::request::{Path, Term, Terms};
use super::task::{ImportFile, Show, Task};
use super::typed::{Kind, Typed};
use crate::openapi::operator_document;

/// The commands for one kind of record.
pub(super) struct Resource {
    pub(super) name: &'static str,
    about: &'static str,
    /// The properties whose flags need more information than the API document contains.
    shapes: &'static [Shape],
    verbs: &'static [Verb],
}

#[derive(Clone, Copy)]
struct Verb {
    name: &'static str,
    alias: Option<&'static str>,
    about: &'static str,
    operation: &'static str,
    /// The command calls this operation, and not `operation`, if the command line requests no change. In a command with
    /// the flag `--kind`, only `--kind` requests a change. In any other command, every flag for the body requests a
    /// change.
    otherwise: Option<&'static str>,
    shown: Show,
    /// A property that the command itself sets, and its value.
    says: Option<(&'static str, &'static str)>,
    without: &'static [&'static str],
    /// A property whose default depends on other arguments.
    follows: Option<Follows>,
    confirms: Option<Irreversible>,
    /// The arguments, if they are not derived from the operation.
    own: Option<Own>,
}

/// A property and its value, computed from the arguments.
type Follows = fn(&ArgMatches) -> (&'static str, Term);

/// The declaration of a command's arguments, and their conversion to a task.
type Own = (fn(Command) -> Command, fn(&ArgMatches) -> Result<Task, clap::Error>);

impl Verb {
    const fn new(name: &'static str, operation: &'static str, about: &'static str) -> Self {
        Self {
            name,
            alias: None,
            about,
            operation,
            otherwise: None,
            shown: Show::Record,
            says: None,
            without: &[],
            follows: None,
            confirms: None,
            own: None,
        }
    }

    const fn shown(self, shown: Show) -> Self {
        Self { shown, ..self }
    }

    const fn says(self, property: &'static str, word: &'static str) -> Self {
        Self { says: Some((property, word)), ..self }
    }
}

/// A part of a path and its argument on the command line.
enum PathPart<'a> {
    /// A fixed segment.
    Word(&'a str),
    /// `--business`, or the only business.
    Business,
    /// `--staff`. Commands of earlier versions have the staff member as their first positional argument instead.
    Staff,
    /// A positional argument.
    Record { id: &'a str, kind: Option<Kind>, optional: bool },
}

/// The OpenAPI document of the operator API, generated on first use. Only the commands for records need it.
static DOCUMENT: LazyLock<Value> = LazyLock::new(operator_document);

/// The positional argument for a staff member, if `--staff` is not used.
const NAMED: &str = "named";
const FILE: &str = "file";
/// The argument that confirms a command.
const YES: &str = "yes";

impl Operation {
    fn parts(&self) -> Vec<PathPart<'_>> {
        let mut segments = self.path.split('/').skip(1).peekable();
        let mut parts = Vec::new();
        while let Some(segment) = segments.next() {
            let is_last = segments.peek().is_none();
            let id = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            parts.push(match id {
                None => PathPart::Word(segment),
                Some("business_id") if !is_last => PathPart::Business,
                Some("staff_id") if !is_last => PathPart::Staff,
                Some(id) => {
                    let kind = match id {
                        "business_id" => Some(Kind::Business),
                        "service_id" => Some(Kind::Service),
                        "staff_id" => Some(Kind::Staff),
                        "person_id" => Some(Kind::Person),
                        "date" => Some(Kind::Day { later_by: 0 }),
                        _ => None,
                    };
                    let optional = id == "business_id" && self.method != Method::DELETE;
                    PathPart::Record { id, kind, optional }
                }
            });
        }
        parts
    }

    /// The path with the values of the arguments.
    fn path(&self, parts: &[PathPart<'_>], matches: &ArgMatches) -> Result<Path, clap::Error> {
        let given = |id: &str| matches.try_get_one::<String>(id).ok().flatten().cloned();
        let (staff, named) = (given("staff"), given(NAMED));
        let takes_first = staff.is_none() && named.is_some();
        let ids = parts.iter().filter_map(|part| match part {
            PathPart::Record { id, .. } => given(id),
            _ => None,
        });
        // The positional arguments in their order. If `takes_first` is true, the first one is the staff member, and the
        // ids of the records follow.
        let mut words = ids.chain(named);
        parts.iter().try_fold(Path::default(), |path, part| {
            Ok(path.then(match part {
                PathPart::Word(word) => Term::from(*word),
                PathPart::Business => InBusiness::from_arg_matches(matches)?.typed().into(),
                PathPart::Staff if takes_first => {
                    Typed::new("STAFF", Kind::Staff, words.next().unwrap_or_default()).into()
                }
                PathPart::Staff => {
                    Typed::new("--staff", Kind::Staff, staff.clone().unwrap_or_default()).into()
                }
                PathPart::Record { kind, .. } => match (kind, words.next()) {
                    (Some(Kind::Business), word) => business("BUSINESS", word).into(),
                    (Some(kind), word) => {
                        Typed::new(part.value_name(), *kind, word.unwrap_or_default()).into()
                    }
                    (None, word) => word.unwrap_or_default().into(),
                },
            }))
        })
    }
}

impl PathPart<'_> {
    fn value_name(&self) -> String {
        match self {
            Self::Record { id, kind: Some(_), .. } => id.trim_end_matches("_id").to_uppercase(),
            Self::Record { id: "event_id", .. } => "EVENT".into(),
            _ => "ID".into(),
        }
    }

    fn add_to(&self, command: Command) -> Command {
        match self {
            Self::Word(_) => command,
            Self::Business => InBusiness::augment_args(command),
            Self::Staff => {
                let staff =
                    Arg::new("staff").long("staff").value_name("STAFF").required_unless_present(NAMED);
                command.arg(staff.help("The id or name of the staff member"))
            }
            Self::Record { id, kind, optional } => {
                let about = match kind {
                    Some(Kind::Business) if *optional => {
                        "The id or name of the business [default: the only business]"
                    }
                    Some(Kind::Business) => "The id or name of the business",
                    Some(Kind::Service) => "The id or name of the service",
                    Some(Kind::Staff) => "The id or name of the staff member",
                    Some(Kind::Person) => "The id or email address of the person",
                    Some(_) => "The date, such as 2026-12-24, today or tomorrow",
                    None if *id == "event_id" => "The id of the event",
                    None => "The id of the record",
                };
                let arg = Arg::new((*id).to_owned()).value_name(self.value_name()).help(about);
                command.arg(arg.required(!optional))
            }
        }
    }
}

impl Resource {
    /// The commands, with the common options.
    pub(super) fn command(&self) -> Command {
        let command = OperatorOptions::augment_args(Command::new(self.name)).about(self.about);
        command.subcommand_required(true).arg_required_else_help(true).defer(|command| {
            let resource = RESOURCES.iter().find(|resource| resource.name == command.get_name());
            let verbs = resource
                .into_iter()
                .flat_map(|resource| resource.verbs.iter().map(move |verb| (resource, verb)));
            verbs.fold(command, |command, (resource, verb)| {
                command.subcommand(verb.command(resource, &Operation::find(&DOCUMENT, verb.operation)))
            })
        })
    }

    /// Converts the arguments of one of the commands to a task.
    pub(super) fn task(&self, matches: &ArgMatches) -> Result<(Task, OperatorOptions), clap::Error> {
        let options = OperatorOptions::from_arg_matches(matches)?;
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let verb = self.verbs.iter().find(|verb| verb.name == name).ok_or_else(missing)?;
        Ok((verb.task(self, matches)?, options))
    }
}

impl Verb {
    /// The parts of the path. For an import of holidays, the path contains only the business.
    fn parts<'a>(&self, operation: &'a Operation) -> Vec<PathPart<'a>> {
        match self.shown {
            Show::Holidays => vec![PathPart::Word("businesses"), PathPart::Business],
            _ => operation.parts(),
        }
    }

    fn flags<'a>(&self, resource: &Resource, operation: &'a Operation) -> (Vec<Flag<'a>>, Vec<Flag<'a>>) {
        let has_flag = |property: &&Property| {
            let own = ["limit", "cursor"].contains(&property.name.as_str());
            let is_said = self.says.is_some_and(|(said, _)| said == property.name);
            !own && !is_said && !self.without.contains(&property.name.as_str())
        };
        let changes = operation.method == Method::PATCH;
        let flags = |properties: &'a [Property], in_query| {
            let with_flag = properties.iter().filter(has_flag);
            with_flag.map(|property| Flag::new(property, resource.shapes, in_query, changes)).collect()
        };
        let body = operation.body.as_ref().map(|body| match body.is_by_kind() {
            true => &body.properties[0].properties[..],
            false => &body.properties[..],
        });
        (flags(&operation.query, true), flags(body.unwrap_or_default(), false))
    }

    fn command(&self, resource: &Resource, operation: &Operation) -> Command {
        let mut command = Command::new(self.name);
        if let Some(alias) = self.alias {
            command = command.visible_alias(alias);
        }
        if let Some((arguments, _)) = self.own {
            return arguments(command).about(self.about);
        }
        let parts = self.parts(operation);
        command = parts.iter().fold(command, |command, part| part.add_to(command));
        if parts.iter().any(|part| matches!(part, PathPart::Staff)) {
            command = command.arg(Arg::new(NAMED).hide(true).conflicts_with("staff"));
        }
        if let Some(body) = operation.body.as_ref().filter(|body| body.is_by_kind()) {
            let kinds = body
                .properties
                .iter()
                .map(|kind| PossibleValue::new(kind.name.clone()).help(kind.about.clone()));
            let kind = Arg::new("kind").long("kind").value_name("KIND").required(self.otherwise.is_none());
            let kind = kind.value_parser(PossibleValuesParser::new(kinds));
            command = command.arg(kind.help("The kind to change"));
        }
        let (query, body) = self.flags(resource, operation);
        command = query.iter().chain(&body).fold(command, |command, flag| flag.add_to(command));
        if self.otherwise.is_some() && operation.is_by_kind() {
            let needs_kind = |command: Command, flag: &Flag<'_>| {
                command.mut_arg(flag.property(), |arg| arg.requires("kind"))
            };
            command = body.iter().fold(command, needs_kind);
        }
        command = one_form(command, operation.body.as_ref().map_or(&[], |body| &body.forms));
        let file = |flag, about| Arg::new(FILE).long(flag).value_name("FILE").required(true).help(about);
        let dry_run = |about| Arg::new("dry_run").long("dry-run").action(ArgAction::SetTrue).help(about);
        command = match self.shown {
            Show::List(_) | Show::TimeOff => Paging::augment_args(command),
            Show::Contacts => command
                .arg(file("from", "A CSV file whose header row names the columns name, phone, email, locale, timezone, notes and alert, in any order; - for standard input"))
                .arg(dry_run("Only report errors and existing contacts")),
            Show::Holidays => command
                .arg(file("ics", "An iCalendar file; its all-day events from today on are used; - for standard input"))
                .arg(dry_run("Report the days to close, their appointments and existing special days, but change nothing")),
            _ => command,
        };
        if self.confirms.is_some() {
            let yes = Arg::new(YES).long(YES).action(ArgAction::SetTrue);
            command = command.arg(yes.help("Do not ask for confirmation"));
        }
        // `augment_args` replaces the description of the command, so the description is set again.
        command.about(self.about)
    }

    fn task(&self, resource: &Resource, matches: &ArgMatches) -> Result<Task, clap::Error> {
        if let Some((_, task)) = self.own {
            return task(matches);
        }
        let mut operation = Operation::find(&DOCUMENT, self.operation);
        if let Some(otherwise) = self.otherwise {
            let is_given = match operation.is_by_kind() {
                true => matches.contains_id("kind"),
                false => self.flags(resource, &operation).1.iter().any(|flag| flag.read(matches).is_some()),
            };
            if !is_given {
                operation = Operation::find(&DOCUMENT, otherwise);
            }
        }
        let path = operation.path(&self.parts(&operation), matches)?;
        let body = self.body(resource, &operation, matches);
        let mut task = Task::new(operation.method.clone(), path, body).shown(self.shown);
        match self.shown {
            Show::List(_) | Show::TimeOff => task.part = Paging::from_arg_matches(matches)?.into(),
            Show::Contacts | Show::Holidays => {
                let name = matches.get_one::<String>(FILE).cloned().unwrap_or_default();
                task.import = ImportFile { name, dry_run: matches.get_flag("dry_run") };
            }
            _ => {}
        }
        task.confirms = self.confirms.filter(|_| !matches.get_flag(YES));
        let (query, _) = self.flags(resource, &operation);
        Ok(query.iter().fold(task, |task, flag| task.narrowed(flag.property(), flag.read(matches))))
    }

    fn body(&self, resource: &Resource, operation: &Operation, matches: &ArgMatches) -> Option<Terms> {
        let given = operation.body.as_ref()?;
        let kind = given.is_by_kind().then(|| matches.get_one::<String>("kind")).flatten();
        let mut body = Terms::default();
        if let Some(kind) = kind {
            body = body.with(kind, json!({}));
        }
        if let Some((property, word)) = self.says {
            body = body.with(property, word);
        }
        if let Some(follows) = self.follows {
            let (property, term) = follows(matches);
            body = body.with(property, term);
        }
        let (_, flags) = self.flags(resource, operation);
        Some(flags.iter().fold(body, |body, flag| {
            let name = flag.property();
            let name = kind.map_or_else(|| name.to_owned(), |kind| format!("{kind}.{name}"));
            body.given(&name, flag.read(matches))
        }))
    }
}

/// The body has alternative forms, each with its own flags. Requires the flags of exactly one of these forms.
fn one_form(command: Command, forms: &[Vec<String>]) -> Command {
    let firsts: Vec<&String> = forms.iter().filter_map(|form| form.first()).collect();
    if firsts.is_empty() {
        return command;
    }
    let mut command = command.group(ArgGroup::new("form").args(firsts).required(true));
    for form in forms {
        for one in form {
            let others = form.iter().filter(|other| *other != one);
            command = command.mut_arg(one, |arg| others.fold(arg, |arg, other| arg.requires(other.clone())));
        }
    }
    command
}
