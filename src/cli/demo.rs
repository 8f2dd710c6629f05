//! `demo`: the service with its own data directory, a sample business and example requests.
//!
//! The first start creates the business by the usual engine calls. Its id and key are stored in a file next
//! to the store, so that later starts print the same key. Only the owner can read the file.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{Days, TimeDelta};
use domain::availability::{AVAILABILITY_DAYS_MAX, Slot, Terms};
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, Address, BookingMode, BusinessId, Calendar, CallDetails, CallOutcome, CallStatus, ContactDetails,
    Day, DayHours, Direction, Email, LinkKind, LocalTime, Locale, MembershipPatch, MembershipStatus,
    MessageDetails, MessageStatus, PersonName, Phone, Role, Scopes, ServiceId, Source, SpecialDays, StaffId,
    Text, TextError, Urgency, WeeklyBreaks, WeeklyHours,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::commands::messages::TakeMessage;
use engine::business::{BusinessHandle, Change, Gives, PageRequest, Request};
use engine::people::Invitation;
use engine::{Engine, EngineError, NewBusiness};
use serde::{Deserialize, Serialize};
use view::PersonView;

use super::files::WholeFile;
use super::options::{ADMIN_LISTEN, DEMO_DATA_DIR};
use super::serve::{exit, run, say, where_it_listens};
use crate::config::{ServeArgs, Settings};
use crate::english;
use crate::service::{Service, ServiceError};

const NAME: &str = "Salon Lumière";
const DEMO_FILE: &str = "demo.json";

#[derive(Debug, Serialize, Deserialize)]
struct Sample {
    business_id: BusinessId,
    service_id: ServiceId,
    api_key: String,
}

/// Runs the demonstration. Exit code 0 after a normal stop.
pub fn demo(args: ServeArgs) -> ExitCode {
    let given = args.data_dir.is_some();
    let settings = Settings::try_from(args).map(|mut settings| {
        if !given {
            settings.data_dir = PathBuf::from(DEMO_DATA_DIR);
        }
        settings
    });
    let dir = settings.as_ref().map(|settings| settings.data_dir.clone()).unwrap_or_default();
    exit(run(settings, async |service: &Service| {
        let sample = sample(service.engine(), &dir.join(DEMO_FILE)).await?;
        say(where_it_listens(service)).await?;
        say(dashboard(service, &sample).await.map_err(failed)?).await?;
        say(guide(service, &sample, given.then_some(&dir)).await.map_err(failed)?).await
    }))
}

fn failed(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Other(format!("cannot create the sample business: {error}"))
}

fn invalid(error: TextError) -> ServiceError {
    failed(english::text(error))
}

/// Loads the sample business, or creates it at the first start.
async fn sample(engine: &Engine, file: &Path) -> Result<Sample, ServiceError> {
    match fs::read(file) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| failed(format!("{}: {error}", file.display())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // An interrupted start may have left a sample. Any other business is the operator's data.
            let some = PageRequest { limit: 100, after: None };
            let found = engine.businesses(&some).await.map_err(failed)?.items;
            if found.iter().any(|business| business.name != NAME) {
                let message =
                    "the data directory contains other businesses; choose another one with --data-dir";
                return Err(failed(message));
            }
            let sample = make(engine).await?;
            let mut kept = WholeFile::begin(Some(file)).map_err(failed)?;
            kept.write(&serde_json::to_vec(&sample).map_err(failed)?).map_err(failed)?;
            kept.finish().map_err(failed)?;
            Ok(sample)
        }
        Err(error) => Err(failed(format!("{}: {error}", file.display()))),
    }
}

async fn make(engine: &Engine) -> Result<Sample, ServiceError> {
    let new = NewBusiness {
        name: text(NAME)?,
        zone: chrono_tz::Europe::Paris,
        locale: Locale::Fr,
        website_url: Some("https://salon-lumiere.example".into()),
        booking_mode: BookingMode::Instant,
        hours: hours()?,
        breaks: WeeklyBreaks::default(),
        phone_region: "FR".into(),
    };
    let business = engine.create_business(new, Actor::Operator).await.map_err(failed)?;
    let business = engine.business(business.id);
    let mut services = Vec::new();
    for (name, description, duration_minutes) in
        [("Coupe", "Shampooing, coupe, coiffage", 30), ("Couleur", "Couleur et soin", 90), ("Barbe", "", 20)]
    {
        let description = Text::new(description.into()).map_err(invalid)?;
        let service = CreateService { description, ..CreateService::lasting(text(name)?, duration_minutes) };
        services.push(made(&business, service).await?.service.id);
    }
    let mut camille = None;
    for (name, offers) in
        [("Camille", &services[..]), ("Dominique", &services[..2]), ("Sacha", &services[2..])]
    {
        let staff = CreateStaff::offering(text(name)?, offers.to_vec());
        let id = made(&business, staff).await?.staff.id;
        camille.get_or_insert(id);
    }
    people(engine, &business, camille).await?;
    for (at, (name, phone)) in
        [("Awa Diallo", "+33612345678"), ("Jean Petit", "+33612345679")].into_iter().enumerate()
    {
        let contact = ContactDetails {
            name: Some(text(name)?),
            phone: Some(number(phone)?),
            ..ContactDetails::default()
        };
        let slots = open_times(&business, services[at]).await.map_err(failed)?;
        let Some(slot) = slots.get(4 * at + 1) else { continue };
        let request = BookRequest {
            service_id: services[at],
            starts_at: slot.starts_at,
            staff_id: None,
            source: Source::Voice,
            party: Party::TEAM,
        };
        made(&business, Book { request, contact: BookingContact::Described(contact) }).await?;
    }
    conversations(&business).await?;
    let key = CreateKey { name: text("demo")?, scopes: Scopes::all() };
    let answer = business.change(Request::by(Actor::Operator), key).await.map_err(failed)?;
    let api_key = answer.value.key.ok_or_else(|| failed("the response has no key"))?;
    Ok(Sample { business_id: business.id(), service_id: services[0], api_key })
}

/// Creates an owner, an admin, and a member who is a staff member, all without a password.
async fn people(
    engine: &Engine,
    business: &BusinessHandle,
    camille: Option<StaffId>,
) -> Result<(), ServiceError> {
    let people = engine.people();
    for (name, email, role, staff_id) in [
        ("Lucie Moreau", "lucie@salon-lumiere.example", Role::Owner, None),
        ("Karim Benali", "karim@salon-lumiere.example", Role::Admin, None),
        ("Camille Roche", "camille@salon-lumiere.example", Role::Member, camille),
    ] {
        let invitation = Invitation {
            email: Address::new(email).map_err(invalid)?,
            name: Some(PersonName::new(name.into()).map_err(invalid)?),
            locale: None,
            role,
            staff_id,
        };
        let by = || Request::by(Actor::Operator);
        let invited = people.invite(business, by(), invitation).await.map_err(failed)?;
        let id = invited.answer.value.person.id;
        let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
        people.patch_member(business, by(), (id, active, None)).await.map_err(failed)?;
    }
    Ok(())
}

/// Creates a contact without an appointment, three calls of this morning, and a message of one of the
/// callers.
async fn conversations(business: &BusinessHandle) -> Result<(), ServiceError> {
    let details = ContactDetails {
        name: Some(text("Inès Haddad – إيناس")?),
        email: Some(Email::new("ines.haddad@example.com").map_err(invalid)?),
        locale: Some(Locale::Fr),
        ..ContactDetails::default()
    };
    made(business, CreateContact { details }).await?;
    let now = business.now();
    let calls = [
        ("+33612345678", "Awa Diallo", CallOutcome::AppointmentBooked, "Réserve une coupe pour demain."),
        (
            "+33612345690",
            "Paul Roy",
            CallOutcome::MessageTaken,
            "Demande qu'on le rappelle au sujet d'un devis.",
        ),
        ("+33612345691", "Lin 林", CallOutcome::QuestionAnswered, "Demande les horaires du samedi."),
    ];
    for ((phone, name, outcome, summary), hours) in calls.into_iter().zip([3, 2, 1]) {
        let started_at = now - TimeDelta::hours(hours);
        let details = CallDetails {
            direction: Direction::Inbound,
            status: CallStatus::Completed,
            outcome,
            from_number: Some(number(phone)?),
            to_number: Some(number("+33142345678")?),
            contact_id: None,
            started_at,
            ended_at: started_at + TimeDelta::seconds(40 + 25 * hours),
            duration_seconds: None,
            locale: Some(Locale::Fr),
            summary: Some(Text::new(summary.into()).map_err(invalid)?),
            recording_url: None,
            appointment_id: None,
            message_id: None,
        };
        let call = made(business, RecordCall { details, contact_name: Some(text(name)?) }).await?;
        if outcome == CallOutcome::MessageTaken {
            let details = MessageDetails {
                call_id: Some(call.id),
                contact_id: None,
                caller_name: Some(text(name)?),
                caller_phone: Some(number(phone)?),
                body: Text::new("Merci de me rappeler au sujet du devis.".into()).map_err(invalid)?,
                urgency: Urgency::Normal,
                staff_id: None,
                status: MessageStatus::New,
            };
            made(business, TakeMessage { details }).await?;
        }
    }
    Ok(())
}

fn text(text: &str) -> Result<Text<1, 200>, ServiceError> {
    Text::new(text.into()).map_err(invalid)
}

fn number(phone: &str) -> Result<Phone, ServiceError> {
    Phone::from_e164(phone.into()).map_err(invalid)
}

/// Monday to Saturday, 09:00 to 18:00.
fn hours() -> Result<WeeklyHours, ServiceError> {
    let (open, close) = (LocalTime::from_minutes(9 * 60), LocalTime::from_minutes(18 * 60));
    let (Some(open), Some(close)) = (open, close) else { return Err(failed("the hours")) };
    let days = Day::ALL.iter().filter(|day| **day != Day::Sunday);
    WeeklyHours::new(days.map(|day| DayHours { day: *day, open, close }).collect())
        .map_err(|_| failed("the hours"))
}

/// Makes a change and returns the record of its answer.
async fn made<C: Change + 'static>(
    business: &BusinessHandle,
    change: C,
) -> Result<<C::Gives as Gives>::Value, ServiceError> {
    let answer = business.change(Request::by(Actor::Operator), change).await.map_err(failed)?;
    Ok(answer.value)
}

/// The open times of a service in the week from tomorrow.
async fn open_times(business: &BusinessHandle, service: ServiceId) -> Result<Vec<Slot>, EngineError> {
    let profile = business.business().await?;
    let today = Calendar::new(&profile, &SpecialDays::new()).local_date(business.now());
    let days = |count: i64| today.checked_add_days(Days::new(count.unsigned_abs())).unwrap_or(today);
    let days = (days(1), days(AVAILABILITY_DAYS_MAX));
    business.availability(service, None, days, Terms::Integration).await
}

/// The address of the dashboard, and a new link that signs in the first owner. Empty without a public URL.
async fn dashboard(service: &Service, sample: &Sample) -> Result<String, EngineError> {
    let people = service.engine().people();
    let Some(url) = service.dashboard_url() else { return Ok(String::new()) };
    let mut out = format!("dashboard on {url}\n");
    let business = service.engine().business(sample.business_id);
    let (mut owner, mut after) = (None, None);
    loop {
        let page = people.of_business(&business, &PageRequest { limit: 100, after }).await?;
        let owns = |one: &&PersonView| one.role == Role::Owner && one.status == MembershipStatus::Active;
        owner = owner.or_else(|| page.items.iter().find(owns).map(|one| one.id));
        after = page.next;
        if owner.is_some() || after.is_none() {
            break;
        }
    }
    // Every owner may have been removed. The operator's commands can add one.
    let Some(owner) = owner else { return Ok(out) };
    let request = Request::by(Actor::Operator);
    let link = people.make_link(&business, request, (owner, Some(LinkKind::Enter))).await?;
    if let Some(url) = link.token.and_then(|token| people.link_url(&token)) {
        let _ = writeln!(
            out,
            "\nOpen this link to sign in as the owner of {NAME}. It works once and for ten minutes:\n\n  {url}"
        );
    }
    Ok(out)
}

async fn guide(service: &Service, sample: &Sample, dir: Option<&PathBuf>) -> Result<String, EngineError> {
    let business = service.engine().business(sample.business_id);
    let profile = business.business().await?;
    let slots = open_times(&business, sample.service_id).await?;
    let mut out = String::new();
    let _ = write!(
        out,
        "\n{} ({}) takes bookings. Its API key, with every scope:\n\n  {}\n",
        profile.name, profile.id, sample.api_key
    );
    let [first, .., second] = &slots[..] else {
        out.push_str(
            "\nThe coming week has no open times. Start with another --data-dir to get a new sample business.\n",
        );
        return Ok(out);
    };
    let day = Calendar::new(&profile, &SpecialDays::new()).local_date(first.starts_at);
    let _ = write!(
        out,
        r#"
Paste into another terminal:

BASE={base}
AUTH='Authorization: Bearer {key}'
JSON='Content-Type: application/json'

# open times of a day
curl -s -H "$AUTH" "$BASE/availability?service_id={service}&start_date={day}"

# book one of them and store the appointment's id
ID=$(curl -s -H "$AUTH" -H "$JSON" "$BASE/appointments" -d '{{"service_id":"{service}","starts_at":"{first}","contact":{{"name":"Ada Lovelace","phone":"+33 6 12 34 56 80"}}}}' | tee /dev/stderr | sed -n 's/^{{"data":{{"id":"\([^"]*\)".*/\1/p')

# move it to another time
curl -s -H "$AUTH" -H "$JSON" "$BASE/appointments/$ID/reschedule" -d '{{"starts_at":"{second}"}}'

# cancel it
curl -s -H "$AUTH" -X POST "$BASE/appointments/$ID/cancel"

# the operator's commands, from this directory; see `{program} --help`
{program} availability --service Coupe{options}
{program} appointment list{options}

Stop with Ctrl-C.
"#,
        base = service.base_url(),
        key = sample.api_key,
        service = sample.service_id,
        first = first.starts_at,
        second = second.starts_at,
        program = program(std::env::args_os().next()),
        options = options(service, dir),
    );
    Ok(out)
}

/// The program as the user started it, such as `target/release/receptionist`, quoted for a shell if needed.
fn program(started_as: Option<OsString>) -> String {
    let name = started_as.map_or_else(|| "receptionist".into(), |name| name.to_string_lossy().into_owned());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if plain { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// The options that a command needs to find the service. Empty if it finds the service without.
fn options(service: &Service, dir: Option<&PathBuf>) -> String {
    let mut options = String::new();
    if service.admin.to_string() != ADMIN_LISTEN {
        let _ = write!(options, " --admin-listen {}", service.admin);
    }
    if let Some(dir) = dir {
        let _ = write!(options, " --data-dir '{}'", dir.display());
    }
    options
}
