//! `demo` runs the service with its own data directory and a sample business, and prints example requests.
//!
//! The first start imports the records of the business. It then adds people and today's changes through the
//! operator API, which it calls within the process and not over the network. The id and the key of the
//! business are stored in a file next to the store, so that later starts print the same key. Only the file's
//! owner can read it.

mod records;
mod team;
mod texts;
mod visits;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{Method, Request};
use chrono::{Days, TimeDelta};
use domain::availability::{AVAILABILITY_DAYS_MAX, Slot, Terms};
use domain::{
    Actor, BusinessId, Calendar, LinkKind, Locale, MembershipStatus, Role, Scope, ServiceId, SpecialDays,
    StaffId,
};
use engine::EngineError;
use engine::business::{BusinessHandle, PageRequest, Request as ChangeRequest};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::ServiceExt;
use view::{PersonView, WebsiteView};

use self::records::{Records, SALON_PHONE, name_of, phone_of, records};
use self::texts::{CALL_ANSWERED, CHAT, MISSED_CALL, QUOTE_CALL, QUOTE_MESSAGE, URGENT_MESSAGE, text};
use self::visits::AWA;
use super::files::WholeFile;
use super::options::{ADMIN_LISTEN, DEMO_DATA_DIR};
use super::serve::{exit, run, say, where_it_listens};
use crate::admin::{self, AdminHosts};
use crate::config::{ServeArgs, Settings};
use crate::metrics::Metrics;
use crate::service::{Service, ServiceError};

const NAME: &str = "Salon Lumière";
const DEMO_FILE: &str = "demo.json";
const JSON: &str = "application/json";
/// The index of the contact who left the urgent message.
const URGENT: usize = 12;

#[derive(Debug, Serialize, Deserialize)]
pub struct Sample {
    pub business_id: BusinessId,
    service_id: ServiceId,
    api_key: String,
}

/// Runs the demonstration. The exit code is 0 after a normal stop.
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
        let sample = sample(service, &dir.join(DEMO_FILE)).await?;
        say(where_it_listens(service)).await?;
        say(dashboard(service, &sample).await.map_err(failed)?).await?;
        say(guide(service, &sample, given.then_some(&dir)).await.map_err(failed)?).await
    }))
}

fn failed(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Other(format!("cannot create the sample business: {error}"))
}

/// Loads the sample business, or creates it at the first start.
async fn sample(service: &Service, file: &Path) -> Result<Sample, ServiceError> {
    match fs::read(file) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| failed(format!("{}: {error}", file.display())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // The file is missing, so the sample must be created. A business with the name of the sample was created
            // by an interrupted start. Such businesses are ignored. A business with another name belongs to the
            // operator, so this function refuses the directory.
            let some = PageRequest { limit: 100, after: None };
            let found = service.engine().businesses(&some).await.map_err(failed)?.items;
            if found.iter().any(|business| business.name != NAME) {
                let message =
                    "the data directory contains other businesses; choose another one with --data-dir";
                return Err(failed(message));
            }
            let language = language(|name| std::env::var(name).ok());
            let sample = make(service, language).await?;
            let mut kept = WholeFile::begin(Some(file)).map_err(failed)?;
            kept.write(&serde_json::to_vec(&sample).map_err(failed)?).map_err(failed)?;
            kept.finish().map_err(failed)?;
            Ok(sample)
        }
        Err(error) => Err(failed(format!("{}: {error}", file.display()))),
    }
}

/// Calls the operator API within the process, without the network.
struct Operator {
    router: Router,
    authorization: String,
}

impl Operator {
    /// Makes a request, and returns the resource of its response.
    async fn send(
        &self,
        method: Method,
        path: &str,
        (content_type, body): (&str, String),
    ) -> Result<Value, ServiceError> {
        let request = Request::builder()
            .method(method)
            .uri(format!("/admin/v1{path}"))
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, content_type)
            .body(Body::from(body))
            .map_err(failed)?;
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let body = response.into_body().collect().await.map_err(failed)?.to_bytes();
        let mut answer: Value = serde_json::from_slice(&body).map_err(failed)?;
        match answer["error"]["message"].as_str() {
            Some(message) => match &answer["error"]["details"] {
                Value::Null => Err(failed(message)),
                details => Err(failed(format!("{message}: {details}"))),
            },
            None => Ok(answer["data"].take()),
        }
    }

    async fn make(&self, path: &str, body: Value) -> Result<Value, ServiceError> {
        self.send(Method::POST, path, (JSON, body.to_string())).await
    }

    async fn change(&self, path: &str, body: Value) -> Result<Value, ServiceError> {
        self.send(Method::PATCH, path, (JSON, body.to_string())).await
    }
}

/// Creates the sample business, with people and texts in this language.
pub async fn make(service: &Service, language: Locale) -> Result<Sample, ServiceError> {
    let (engine, token) = (service.engine(), service.admin_token.clone());
    let authorization = format!("Bearer {}", token.reveal());
    let metrics = Arc::new(Metrics::new([], vec![]));
    let router = admin::router(engine.clone(), token, AdminHosts::default(), Router::new(), metrics);
    let operator = Operator { router, authorization };
    let now = engine.now();
    let Records { lines, business_id, service_id, camille, webhook_id } = records(now, language);
    operator.send(Method::POST, "/import", ("application/x-ndjson", lines)).await?;
    let of = |resource: &str| format!("/businesses/{business_id}/{resource}");
    // The imported secret is the same in every demonstration, so it is replaced by a random one.
    operator.make(&of(&format!("webhooks/{webhook_id}/rotate-secret")), json!({})).await?;
    // Adds an owner, an admin, and a member who is linked to a staff member. None of them has a password.
    for (name, email, role, staff_id) in [
        ("Lucie Moreau", "lucie@salon-lumiere.example", "owner", None),
        ("Karim Benali", "karim@salon-lumiere.example", "admin", None),
        ("Camille Roche", "camille@salon-lumiere.example", "member", Some(camille)),
    ] {
        let person =
            json!({"name": name, "email": email, "role": role, "staff_id": staff_id, "locale": language});
        let made = operator.make(&of("people"), person).await?;
        let path = of(&format!("people/{}", made["id"].as_str().unwrap_or_default()));
        operator.change(&path, json!({"status": "active"})).await?;
    }
    // The following changes send alerts to these people. They also cause events, which are not delivered,
    // since the webhook endpoint is disabled.
    let booked =
        open_times(&engine.business(business_id), service_id, Some(camille)).await.map_err(failed)?;
    if let Some(slot) = booked.get(booked.len() / 2) {
        let booking = json!({
            "service_id": service_id, "starts_at": slot.starts_at, "staff_id": camille, "source": "voice",
            "contact": {"name": "Awa Diallo", "phone": phone_of(AWA)},
        });
        operator.make(&of("appointments"), booking).await?;
    }
    let contact = json!({"name": "Inès Haddad – إيناس", "email": "ines.haddad@example.com", "locale": "fr"});
    operator.make(&of("contacts"), contact).await?;
    let mut quote = None;
    for (phone, name, outcome, summary, minutes) in [
        ("+33612345690", "Paul Roy", "message_taken", QUOTE_CALL, 130),
        ("+33612345691", "Lin 林", "question_answered", CALL_ANSWERED[0], 55),
        ("+33612345692", "Victor Lambert", "hangup", MISSED_CALL, 15),
    ] {
        let started_at = now - TimeDelta::minutes(minutes);
        let is_missed = outcome == "hangup";
        let seconds = if is_missed { 0 } else { 40 + minutes };
        let call = json!({
            "direction": "inbound", "status": if is_missed { "missed" } else { "completed" },
            "outcome": outcome, "from_number": phone, "to_number": SALON_PHONE, "contact_name": name,
            "started_at": started_at, "ended_at": started_at + TimeDelta::seconds(seconds),
            "locale": "fr", "summary": text(summary, language),
        });
        let call = operator.make(&of("calls"), call).await?;
        quote = quote.or_else(|| Some(call["id"].clone()));
    }
    for (call, name, phone, body, urgency) in [
        (quote, "Paul Roy".to_owned(), "+33612345690".to_owned(), QUOTE_MESSAGE, "normal"),
        (None, name_of(URGENT), phone_of(URGENT), URGENT_MESSAGE, "urgent"),
    ] {
        let message = json!({
            "call_id": call, "caller_name": name, "caller_phone": phone, "body": text(body, language),
            "urgency": urgency,
        });
        operator.make(&of("messages"), message).await?;
    }
    // Enables the chat of the booking page. If no chat model is configured, also adds two chats: one has ended, one is
    // open. The answers of a chat model would delay the start.
    let receptionist = json!({"channels": {"website": true}, "knowledge_public": true});
    operator.change(&of("receptionist"), receptionist).await?;
    let chats = [(&CHAT[..2], true), (&CHAT[2..], false)];
    for (questions, ends) in chats.into_iter().filter(|_| !service.has_model) {
        let chat = json!({"channel": "website", "locale": language});
        let chat = operator.make(&of("conversations"), chat).await?;
        let path = of(&format!("conversations/{}", chat["id"].as_str().unwrap_or_default()));
        for question in questions {
            let turn = json!({"text": text(*question, language)});
            operator.make(&format!("{path}/turns"), turn).await?;
        }
        if ends {
            operator.make(&format!("{path}/end"), json!({})).await?;
        }
    }
    let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let made = operator.make(&of("keys"), json!({"name": "demo", "scopes": scopes})).await?;
    let api_key = made["key"].as_str().ok_or_else(|| failed("the response has no key"))?.to_owned();
    Ok(Sample { business_id, service_id, api_key })
}

/// The language of the system. An empty variable counts as unset.
fn language(variable: impl Fn(&str) -> Option<String>) -> Locale {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()));
    match set {
        Some(value) if value.split(['_', '.', '@']).next() == Some("fr") => Locale::Fr,
        _ => Locale::En,
    }
}

/// The bookable times of a service in the week from tomorrow, for one staff member or for any.
async fn open_times(
    business: &BusinessHandle,
    service: ServiceId,
    staff: Option<StaffId>,
) -> Result<Vec<Slot>, EngineError> {
    let profile = business.business().await?;
    let today = Calendar::new(&profile, &SpecialDays::new()).local_date(business.now());
    let days = |count: i64| today.checked_add_days(Days::new(count.unsigned_abs())).unwrap_or(today);
    let days = (days(1), days(AVAILABILITY_DAYS_MAX));
    business.availability(service, staff, days, Terms::Integration).await
}

/// The addresses of the dashboard and the booking page, and a new link that signs in the first owner. The text is empty
/// if the service has no public URL.
async fn dashboard(service: &Service, sample: &Sample) -> Result<String, EngineError> {
    let people = service.engine().people();
    let Some(url) = service.dashboard_url() else { return Ok(String::new()) };
    let mut out = format!("dashboard on {url}\n");
    let business = service.engine().business(sample.business_id);
    let website = business.website().await?;
    if let Some(url) = WebsiteView::new(&website, people.public_url().as_deref()).url
        && website.enabled
    {
        let _ = writeln!(out, "booking page on {url}");
    }
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
    // If no active owner is left, no sign-in link is printed. `receptionist person add` can add an owner.
    let Some(owner) = owner else { return Ok(out) };
    let request = ChangeRequest::by(Actor::Operator);
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
    // The printed commands book an appointment and then move it to another time. A move keeps the staff member, so
    // both times must be bookable with the same staff member.
    let page = PageRequest { limit: 100, after: None };
    let (mut slots, mut staff_id) = (Vec::new(), None);
    for member in business.staff(&page).await?.items {
        if member.active && member.service_ids.contains(&sample.service_id) {
            slots = open_times(&business, sample.service_id, Some(member.id)).await?;
            staff_id = Some(member.id);
        }
        if slots.len() > 1 {
            break;
        }
    }
    let mut out = String::new();
    let _ = write!(
        out,
        "\n{} ({}) takes bookings. Its API key, with every scope:\n\n  {}\n",
        profile.name, profile.id, sample.api_key
    );
    let ([first, .., second], Some(staff)) = (&slots[..], staff_id) else {
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
curl -s -H "$AUTH" "$BASE/availability?service_id={service}&staff_id={staff}&start_date={day}"

# book one of them and store the appointment's id
ID=$(curl -s -H "$AUTH" -H "$JSON" "$BASE/appointments" -d '{{"service_id":"{service}","staff_id":"{staff}","starts_at":"{first}","contact":{{"name":"Ada Lovelace","phone":"+33 6 12 34 56 80"}}}}' | tee /dev/stderr | sed -n 's/^{{"data":{{"id":"\([^"]*\)".*/\1/p')

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

/// The program's path as the user typed it, such as `target/release/receptionist`, quoted for a shell.
fn program(started_as: Option<OsString>) -> String {
    let name = started_as.map_or_else(|| "receptionist".into(), |name| name.to_string_lossy().into_owned());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if plain { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// The options that a command needs to find the service. The text is empty if the command
/// finds the service without options.
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
