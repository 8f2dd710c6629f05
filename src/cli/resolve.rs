//! What the words of a command stand for: ids for names, instants for times of the business, the content of a file.
//!
//! What always holds: an id is taken as it is, without asking; a word that stands for several things, or for none, ends
//! the command before anything is changed; what was taken without being named in full is said in a note; what deletes
//! something wants an id or a whole name.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use hyper::Method;
use serde_json::Value;
use uuid::Uuid;

use super::client::{Client, ClientError};
use super::record::{ApiError, Record, one_line};
use super::request::{Path, Term};
use super::task::{Part, Rows, Show, Task};
use super::typed::near::{near, question};
use super::typed::time::{self, TimeError};
use super::typed::{Kind, Typed, region, zone};
use super::walk::{self, WalkError};

/// How many are named where several may be meant.
const NAMED_MAX: u32 = 10;

/// How much of a file is sent, in bytes; the service takes no longer body.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// Why it is not known what a word stands for.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error("there is no business yet: `receptionist business create` makes one")]
    NoBusiness,
    #[error("{place}: there is no {kind} {}; {proposal}", told(.text))]
    None { place: Cow<'static, str>, kind: &'static str, text: String, proposal: String },
    #[error("{place}: {said}; say which:{list}")]
    Several { place: Cow<'static, str>, said: String, list: String },
    #[error("{place}: there are too many to look for a {kind} by its name; give its id")]
    TooMany { place: Cow<'static, str>, kind: &'static str },
    #[error("{place}: {} is no whole name, and what is deleted must be named in full: {list}", told(.text))]
    NotWhole { place: Cow<'static, str>, text: String, list: String },
    #[error("{place}: {error}")]
    Time { place: Cow<'static, str>, error: TimeError },
    #[error("{place}: cannot read {}: {}", told(.file), .source.kind())]
    File { place: Cow<'static, str>, file: String, source: io::Error },
    #[error(
        "--phone-region: the time zone {zone} tells no country; say in which region national phone numbers are read, such as --phone-region FR"
    )]
    NoRegion { zone: String },
}

impl ResolveError {
    /// Whether it is what was typed, and not that the service could not be asked.
    pub(super) fn is_of_the_command(&self) -> bool {
        !matches!(self, Self::Walk(_))
    }

    /// The refusal of the service, if it is one.
    pub(super) fn refusal(&self) -> Option<&ApiError> {
        if let Self::Walk(WalkError::Client(error)) = self { error.refusal() } else { None }
    }
}

impl From<ClientError> for ResolveError {
    fn from(error: ClientError) -> Self {
        Self::Walk(error.into())
    }
}

fn told(text: &str) -> String {
    format!("\"{}\"", one_line(text))
}

/// Puts what they stand for in the place of a task's words, and says what should be known of that.
pub(super) async fn resolve(
    client: &Client,
    task: &mut Task,
    now: DateTime<Utc>,
) -> Result<Vec<String>, ResolveError> {
    let whole = task.request.method == Method::DELETE;
    let mut meaning = Meaning { client, now, whole, business: None, zone: None, notes: Vec::new() };
    for term in task.request.typed() {
        if let Term::Typed(typed) = term {
            *term = Term::Plain(meaning.of(typed).await?);
        }
    }
    if let Show::List { rows: Rows::Times(zone) | Rows::Away(zone), .. } = &mut task.show {
        *zone = meaning.zone().await?;
    }
    Ok(meaning.notes)
}

/// A kind of thing that has names.
#[derive(Clone, Copy)]
struct Named {
    noun: &'static str,
    /// The command on such things.
    command: &'static str,
    /// Which of their fields is what they are called by.
    called: &'static str,
}

impl Named {
    const BUSINESS: Self = Self { noun: "business", command: "business", called: "name" };
    const SERVICE: Self = Self { noun: "service", command: "service", called: "name" };
    const STAFF: Self = Self { noun: "staff member", command: "staff", called: "name" };
    const PERSON: Self = Self { noun: "person", command: "person", called: "email" };
}

/// What is known so far.
struct Meaning<'a> {
    client: &'a Client,
    now: DateTime<Utc>,
    /// Whether names must be whole.
    whole: bool,
    /// The id of the business.
    business: Option<String>,
    /// The zone of the business.
    zone: Option<Tz>,
    notes: Vec<String>,
}

impl Meaning<'_> {
    async fn of(&mut self, typed: &Typed) -> Result<Value, ResolveError> {
        let text = typed.text.as_str();
        let place = typed.place.clone();
        let id = match typed.kind {
            Kind::Business => {
                let id = self.named(typed, Named::BUSINESS, &Path::businesses()).await?;
                self.business.insert(id).clone()
            }
            Kind::OnlyBusiness => {
                let id = self.only_business(place).await?;
                self.business.insert(id).clone()
            }
            Kind::Service => self.named(typed, Named::SERVICE, &self.within("services")).await?,
            Kind::Staff => self.named(typed, Named::STAFF, &self.within("staff")).await?,
            Kind::Person => self.named(typed, Named::PERSON, &self.within("people")).await?,
            Kind::Instant if time::is_exact(text) => text.to_owned(),
            Kind::Instant => time::instant(text, self.zone().await?, self.now)
                .map_err(|error| ResolveError::Time { place, error })?,
            Kind::Day { later_by } => time::day(text, later_by, self.zone().await?, self.now)
                .map_err(|error| ResolveError::Time { place, error })?,
            Kind::File => {
                read(text).map_err(|source| ResolveError::File { place, file: text.to_owned(), source })?
            }
            Kind::RegionOfZone => return self.region(text),
        };
        Ok(id.into())
    }

    fn within(&self, kind: &str) -> Path {
        let business = self.business.as_deref().unwrap_or_default();
        Path::businesses().then(business).then(kind)
    }

    /// The id of the business that goes without saying.
    async fn only_business(&mut self, place: Cow<'static, str>) -> Result<String, ResolveError> {
        let records = walk::records(self.client, &Path::businesses(), &Part::first(NAMED_MAX + 1)).await?;
        match &records[..] {
            [] => Err(ResolveError::NoBusiness),
            [only] => {
                self.notes.push(format!("{place}: {}", described(only)));
                Ok(word(only, "id").to_owned())
            }
            several => {
                let said = "there are several businesses".to_owned();
                Err(ResolveError::Several { place, said, list: listed(several.iter()) })
            }
        }
    }

    /// The id of what is called so.
    async fn named(&mut self, typed: &Typed, kind: Named, path: &Path) -> Result<String, ResolveError> {
        let (place, text) = (typed.place.clone(), typed.text.as_str());
        if Uuid::try_parse(text).is_ok() {
            return Ok(text.to_owned());
        }
        let records = match walk::records(self.client, path, &Part::whole()).await {
            Err(WalkError::TooLong) => return Err(ResolveError::TooMany { place, kind: kind.noun }),
            records => records?,
        };
        let wanted = text.trim().to_lowercase();
        let of = |fits: &dyn Fn(&str) -> bool| -> Vec<&Record> {
            records.iter().filter(|record| fits(&word(record, kind.called).to_lowercase())).collect()
        };
        let same = of(&|name| name == wanted);
        // Every name begins with nothing, which is what a variable that is not set comes to.
        let begins = same.is_empty() && !wanted.is_empty();
        let begun = if begins { of(&|name| name.starts_with(&wanted)) } else { Vec::new() };
        match (&same[..], &begun[..]) {
            ([one], _) => Ok(word(one, "id").to_owned()),
            ([], [one]) if !self.whole => {
                self.notes.push(format!("{place}: {}", described(one)));
                Ok(word(one, "id").to_owned())
            }
            ([], []) => {
                let names: Vec<String> =
                    records.iter().map(|record| one_line(word(record, kind.called))).collect();
                let proposals = near(text, names.iter().map(String::as_str));
                let proposals: Vec<String> = proposals.into_iter().map(told).collect();
                let proposals: Vec<&str> = proposals.iter().map(String::as_str).collect();
                let listed = || format!("`receptionist {} list` shows those there are", kind.command);
                let proposal = question(&proposals).unwrap_or_else(listed);
                Err(ResolveError::None { place, kind: kind.noun, text: text.to_owned(), proposal })
            }
            ([], [one]) => Err(ResolveError::NotWhole { place, text: text.to_owned(), list: described(one) }),
            ([], several) => {
                let said = format!("{} names begin with {}", several.len(), told(text));
                Err(ResolveError::Several { place, said, list: listed(several.iter().copied()) })
            }
            (several, _) => {
                let said = format!("{} are called {}", several.len(), told(text));
                Err(ResolveError::Several { place, said, list: listed(several.iter().copied()) })
            }
        }
    }

    /// The zone of the business, which is asked for once.
    async fn zone(&mut self) -> Result<Tz, ResolveError> {
        if let Some(zone) = self.zone {
            return Ok(zone);
        }
        let path = Path::businesses().then(self.business.as_deref().unwrap_or_default());
        let business = walk::one(self.client, &path).await?;
        // The service knows no zone that is none.
        let zone = word(&business, "timezone").parse().unwrap_or(Tz::UTC);
        self.zone = Some(zone);
        Ok(zone)
    }

    /// The region of phone numbers in the zone's country.
    fn region(&mut self, text: &str) -> Result<Value, ResolveError> {
        if zone::zone(text).is_none() {
            // The service will refuse the zone, and that is what is to be said.
            return Ok(Value::Null);
        }
        let Some(region) = region::of_zone(text) else {
            return Err(ResolveError::NoRegion { zone: text.to_owned() });
        };
        self.notes.push(format!("--phone-region: {region}, after the time zone {text}"));
        Ok(region.into())
    }
}

/// The content of a file, or of standard input.
fn read(file: &str) -> io::Result<String> {
    let mut content = String::new();
    let bytes = u64::try_from(BODY_BYTES_MAX).unwrap_or(u64::MAX);
    match file {
        "-" => io::stdin().lock().take(bytes + 1).read_to_string(&mut content)?,
        file => File::open(file)?.take(bytes + 1).read_to_string(&mut content)?,
    };
    if content.len() > BODY_BYTES_MAX { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
}

fn word<'a>(record: &'a Record, name: &str) -> &'a str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// How it is called: people, who need not have a name, by their address.
fn called(record: &Record) -> &str {
    let email = word(record, "email");
    if email.is_empty() { word(record, "name") } else { email }
}

fn described(record: &Record) -> String {
    format!("{} ({})", one_line(called(record)), one_line(word(record, "id")))
}

/// A line for each, up to a bound.
fn listed<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let mut list = String::new();
    for (record, count) in records.zip(1..) {
        if count > NAMED_MAX {
            list.push_str("\n  and more");
            break;
        }
        list.push_str(&format!("\n  {}  {}", one_line(word(record, "id")), one_line(called(record))));
    }
    list
}
