//! Resolves the texts of a command: names to ids, local times to instants, and file names to contents.
//!
//! Invariants: an id is used without a lookup. An ambiguous or unknown text ends the command before any
//! change. If the operator typed only the beginning of a name, or no business, a note shows the record that the
//! command uses. Commands that delete require an id or a full name.

use std::io;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hyper::Method;
use serde_json::Value;
use uuid::Uuid;

use super::carry_out::Failure;
use super::client::Client;
use super::record::{Record, one_line};
use super::request::{Path, Term};
use super::task::{Part, Show, Task};
use super::typed::near::{near, question};
use super::typed::time::{self, TimeError};
use super::typed::{Kind, Typed, zone};
use super::{files, record, secret};

const NAMED_MAX: u32 = 10;

/// The maximum size of a file in bytes. The service has the same limit for a request body.
const BODY_BYTES_MAX: u64 = 256 * 1024;

fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text))
}

/// A task contains texts that the user has typed. Replaces each of these texts by its value, such as an id or a time.
/// Returns notes for the user.
pub(super) async fn resolve(
    client: &Client,
    task: &mut Task,
    now: DateTime<Utc>,
) -> Result<Vec<String>, Failure> {
    let whole = task.request.method == Method::DELETE;
    let mut meaning = Meaning { client, now, whole, business: None, zone: None, notes: Vec::new() };
    for term in task.request.typed() {
        if let Term::Typed(typed) = term {
            *term = Term::Plain(meaning.value_of(typed).await?);
        }
    }
    if matches!(task.show, Show::Times | Show::TimeOff) {
        task.zone = meaning.zone().await?;
    }
    Ok(meaning.notes)
}

struct Meaning<'a> {
    client: &'a Client,
    now: DateTime<Utc>,
    /// Whether only full names are accepted.
    whole: bool,
    business: Option<String>,
    zone: Option<Tz>,
    notes: Vec<String>,
}

impl Meaning<'_> {
    async fn value_of(&mut self, typed: &Typed) -> Result<Value, Failure> {
        let (argument, text) = (&typed.argument, typed.text.as_str());
        let of_time = |error: TimeError| Failure::usage(format!("{argument}: {error}"));
        let id = match typed.kind {
            Kind::Business => {
                let id = self.named(typed, "business", "business", &Path::businesses()).await?;
                self.business.insert(id).clone()
            }
            Kind::OnlyBusiness => {
                let id = self.only_business(argument).await?;
                self.business.insert(id).clone()
            }
            Kind::Service => self.named(typed, "service", "service", &self.within("services")).await?,
            Kind::Staff => self.named(typed, "staff member", "staff", &self.within("staff")).await?,
            Kind::Person => self.named(typed, "person", "person", &self.within("people")).await?,
            Kind::Instant | Kind::InstantOrDay if time::is_exact(text) => text.to_owned(),
            Kind::Instant => time::instant(text, self.zone().await?, self.now).map_err(of_time)?,
            Kind::InstantOrDay => {
                time::instant_or_day(text, self.zone().await?, self.now).map_err(of_time)?
            }
            Kind::Day { later_by } => {
                time::day(text, later_by, self.zone().await?, self.now).map_err(of_time)?
            }
            Kind::File => read_text(text).map_err(|error| {
                Failure::usage(format!("{argument}: cannot read {}: {}", quoted(text), error.kind()))
            })?,
            Kind::SecretFile => secret::from_file(text).map_err(|error| {
                Failure::usage(format!("{argument}: cannot read {}: {}", quoted(text), error.kind()))
            })?,
            Kind::Secret => secret::ask(&format!("{text}: ")).map_err(|error| match error.kind() {
                io::ErrorKind::Unsupported => Failure::usage(format!(
                    "{argument}: there is no terminal to ask for the {text}; read it from a file with {argument}"
                )),
                kind => Failure::usage(format!("cannot ask for the {text}: {kind}")),
            })?,
            Kind::RegionOfZone => return self.region(text),
        };
        Ok(id.into())
    }

    fn within(&self, kind: &str) -> Path {
        let business = self.business.as_deref().unwrap_or_default();
        Path::businesses().then(business).then(kind)
    }

    async fn only_business(&mut self, argument: &str) -> Result<String, Failure> {
        let part = Part::first(NAMED_MAX + 1);
        let records = record::records(self.client, &Path::businesses(), &part).await?.unwrap_or_default();
        match &records[..] {
            [] => Err(Failure::usage(
                "there is no business yet: create one with `receptionist business create`",
            )),
            [only] => {
                self.notes.push(format!("{argument}: {}", described(only)));
                Ok(word(only, "id").to_owned())
            }
            all => Err(several(argument, "there are several businesses", all.iter())),
        }
    }

    /// Returns the id of the record that `typed` names. `receptionist {command} list` lists the possible records.
    async fn named(
        &mut self,
        typed: &Typed,
        noun: &str,
        command: &str,
        path: &Path,
    ) -> Result<String, Failure> {
        let (argument, text) = (&typed.argument, typed.text.as_str());
        let called = if typed.kind == Kind::Person { "email" } else { "name" };
        let usage = |message: String| Failure::usage(format!("{argument}: {message}"));
        if Uuid::try_parse(text).is_ok() {
            return Ok(text.to_owned());
        }
        let records = record::records(self.client, path, &Part::whole()).await?.ok_or_else(|| {
            usage(format!("there are too many records to find a {noun} by name; use the id"))
        })?;
        let wanted = text.trim().to_lowercase();
        let of = |fits: &dyn Fn(&str) -> bool| -> Vec<&Record> {
            records.iter().filter(|record| fits(&word(record, called).to_lowercase())).collect()
        };
        let same = of(&|name| name == wanted);
        // An unset shell variable gives an empty text. Every name begins with the empty text, so an empty text must not
        // select a name by its beginning.
        let begins = same.is_empty() && !wanted.is_empty();
        let begun = if begins { of(&|name| name.starts_with(&wanted)) } else { Vec::new() };
        match (&same[..], &begun[..]) {
            ([one], _) => Ok(word(one, "id").to_owned()),
            ([], [one]) if !self.whole => {
                self.notes.push(format!("{argument}: {}", described(one)));
                Ok(word(one, "id").to_owned())
            }
            ([], []) => {
                let names: Vec<String> =
                    records.iter().map(|record| one_line(word(record, called))).collect();
                let proposals = near(text, names.iter().map(String::as_str));
                let proposals: Vec<String> = proposals.into_iter().map(quoted).collect();
                let listed = || format!("list them with `receptionist {command} list`");
                let proposal = question(&proposals).unwrap_or_else(listed);
                Err(usage(format!("there is no {noun} {}; {proposal}", quoted(text))))
            }
            ([], [one]) => Err(usage(format!(
                "{} is not a full name, and this command needs the full name or the id: {}",
                quoted(text),
                described(one)
            ))),
            ([], begun) => {
                let said = format!("{} names begin with {}", begun.len(), quoted(text));
                Err(several(argument, &said, begun.iter().copied()))
            }
            (same, _) => {
                let said = format!("{} records have the name {}", same.len(), quoted(text));
                Err(several(argument, &said, same.iter().copied()))
            }
        }
    }

    /// The time zone of the business. The business is looked up only once.
    async fn zone(&mut self) -> Result<Tz, Failure> {
        if let Some(zone) = self.zone {
            return Ok(zone);
        }
        let path = Path::businesses().then(self.business.as_deref().unwrap_or_default());
        let business = record::one(self.client, &path).await?;
        // The zone is valid, since the service accepts no other zones.
        let zone = word(&business, "timezone").parse().unwrap_or(Tz::UTC);
        self.zone = Some(zone);
        Ok(zone)
    }

    fn region(&mut self, text: &str) -> Result<Value, Failure> {
        if zone::zone(text).is_none() {
            // The time zone is unknown, so the request contains no region. The service then refuses the time zone. Its
            // message about the time zone is more helpful than a message about the region.
            return Ok(Value::Null);
        }
        let Some(region) = zone::region_of(text) else {
            return Err(Failure::usage(format!(
                "--phone-region: the time zone {text} does not identify a country; set the region of national phone \
                 numbers, for example --phone-region FR"
            )));
        };
        self.notes.push(format!("--phone-region: {region}, from the time zone {text}"));
        Ok(region.into())
    }
}

fn read_text(file: &str) -> io::Result<String> {
    String::from_utf8(files::read(file, BODY_BYTES_MAX)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn word<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The email address of a record, or its name if it has no email address. Messages show a person by email
/// address, because the operator can type this address.
fn called(record: &Record) -> &str {
    let email = word(record, "email");
    if email.is_empty() { word(record, "name") } else { email }
}

fn described(record: &Record) -> String {
    format!("{} ({})", one_line(called(record)), one_line(word(record, "id")))
}

/// The failure for an ambiguous text, with the candidates.
fn several<'a>(argument: &str, said: &str, records: impl Iterator<Item = &'a Record>) -> Failure {
    let mut list = String::new();
    for (record, count) in records.zip(1..) {
        if count > NAMED_MAX {
            list.push_str("\n  … and more");
            break;
        }
        list.push_str(&format!("\n  {}  {}", one_line(word(record, "id")), one_line(called(record))));
    }
    Failure::usage(format!("{argument}: {said}; choose one:{list}"))
}
