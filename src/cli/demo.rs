//! `demo`: the service with its own data directory, a sample business and example requests.
//!
//! The first start creates the business by requests to the operator API, without the network. The id and
//! the key of the business are stored in a file next to the store, so that later starts print the same key.
//! Only the file's owner can read it.

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
    Actor, BusinessId, Calendar, Day, LinkKind, MembershipStatus, Role, Scope, ServiceId, SpecialDays,
};
use engine::EngineError;
use engine::business::{BusinessHandle, PageRequest, Request as ChangeRequest};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::ServiceExt;
use view::{PersonView, WebsiteView};

use super::files::WholeFile;
use super::options::{ADMIN_LISTEN, DEMO_DATA_DIR};
use super::serve::{exit, run, say, where_it_listens};
use crate::admin::{self, AdminHosts};
use crate::config::{ServeArgs, Settings};
use crate::metrics::Metrics;
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
            // An interrupted start may have created the sample. Any other business is the operator's data.
            let some = PageRequest { limit: 100, after: None };
            let found = service.engine().businesses(&some).await.map_err(failed)?.items;
            if found.iter().any(|business| business.name != NAME) {
                let message =
                    "the data directory contains other businesses; choose another one with --data-dir";
                return Err(failed(message));
            }
            let sample = make(service).await?;
            let mut kept = WholeFile::begin(Some(file)).map_err(failed)?;
            kept.write(&serde_json::to_vec(&sample).map_err(failed)?).map_err(failed)?;
            kept.finish().map_err(failed)?;
            Ok(sample)
        }
        Err(error) => Err(failed(format!("{}: {error}", file.display()))),
    }
}

/// The operator API, called without the network.
struct Operator {
    router: Router,
    authorization: String,
}

impl Operator {
    /// Makes a request about businesses, and returns the resource of its response.
    async fn send(&self, method: Method, path: &str, body: Value) -> Result<Value, ServiceError> {
        let request = Request::builder()
            .method(method)
            .uri(format!("/admin/v1/businesses{path}"))
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))
            .map_err(failed)?;
        let response = self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let body = response.into_body().collect().await.map_err(failed)?.to_bytes();
        let mut answer: Value = serde_json::from_slice(&body).map_err(failed)?;
        match answer["error"]["message"].as_str() {
            Some(message) => Err(failed(message)),
            None => Ok(answer["data"].take()),
        }
    }

    async fn make(&self, path: &str, body: Value) -> Result<Value, ServiceError> {
        self.send(Method::POST, path, body).await
    }
}

async fn make(service: &Service) -> Result<Sample, ServiceError> {
    let (engine, token) = (service.engine(), service.admin_token.clone());
    let authorization = format!("Bearer {}", token.reveal());
    let metrics = Arc::new(Metrics::new([], vec![]));
    let router = admin::router(engine.clone(), token, AdminHosts::default(), Router::new(), metrics);
    let operator = Operator { router, authorization };
    let open = |day: &Day| json!({"day": day.to_string(), "open": "09:00", "close": "18:00"});
    let business = json!({
        "name": NAME, "timezone": "Europe/Paris", "locale": "fr", "phone_region": "FR",
        "website_url": "https://salon-lumiere.example",
        "hours": Day::ALL.iter().filter(|day| **day != Day::Sunday).map(open).collect::<Value>(),
    });
    let made = operator.make("", business).await?;
    let business_id: BusinessId = serde_json::from_value(made["id"].clone()).map_err(failed)?;
    let business = engine.business(business_id);
    let of = |resource: &str| format!("/{business_id}/{resource}");
    let mut services = Vec::new();
    for (name, description, minutes) in
        [("Coupe", "Shampooing, coupe, coiffage", 30), ("Couleur", "Couleur et soin", 90), ("Barbe", "", 20)]
    {
        let service = json!({"name": name, "description": description, "duration_minutes": minutes});
        let made = operator.make(&of("services"), service).await?;
        services.push(serde_json::from_value::<ServiceId>(made["id"].clone()).map_err(failed)?);
    }
    let mut camille = Value::Null;
    for (name, offers) in
        [("Camille", &services[..]), ("Dominique", &services[..2]), ("Sacha", &services[2..])]
    {
        let made = operator.make(&of("staff"), json!({"name": name, "service_ids": offers})).await?;
        if camille.is_null() {
            camille = made["id"].clone();
        }
    }
    // An owner, an admin, and a member who is a staff member, all without a password.
    for (name, email, role, staff_id) in [
        ("Lucie Moreau", "lucie@salon-lumiere.example", "owner", Value::Null),
        ("Karim Benali", "karim@salon-lumiere.example", "admin", Value::Null),
        ("Camille Roche", "camille@salon-lumiere.example", "member", camille),
    ] {
        let person = json!({"name": name, "email": email, "role": role, "staff_id": staff_id});
        let made = operator.make(&of("people"), person).await?;
        let path = of(&format!("people/{}", made["id"].as_str().unwrap_or_default()));
        operator.send(Method::PATCH, &path, json!({"status": "active"})).await?;
    }
    for (at, (name, phone)) in
        [("Awa Diallo", "+33612345678"), ("Jean Petit", "+33612345679")].into_iter().enumerate()
    {
        let slots = open_times(&business, services[at]).await.map_err(failed)?;
        let Some(slot) = slots.get(4 * at + 1) else { continue };
        let booking = json!({
            "service_id": services[at], "starts_at": slot.starts_at, "source": "voice",
            "contact": {"name": name, "phone": phone},
        });
        operator.make(&of("appointments"), booking).await?;
    }
    let contact = json!({"name": "Inès Haddad – إيناس", "email": "ines.haddad@example.com", "locale": "fr"});
    operator.make(&of("contacts"), contact).await?;
    let website = json!({"enabled": true, "slug": "salon-lumiere", "phone": "+33142345678"});
    operator.send(Method::PATCH, &of("website"), website).await?;
    // Three calls of this morning, and a message of one of the callers.
    for (phone, name, outcome, summary, hours) in [
        ("+33612345678", "Awa Diallo", "appointment_booked", "Réserve une coupe pour demain.", 3),
        ("+33612345690", "Paul Roy", "message_taken", "Demande qu'on le rappelle au sujet d'un devis.", 2),
        ("+33612345691", "Lin 林", "question_answered", "Demande les horaires du samedi.", 1),
    ] {
        let started_at = business.now() - TimeDelta::hours(hours);
        let call = json!({
            "direction": "inbound", "status": "completed", "outcome": outcome,
            "from_number": phone, "to_number": "+33142345678", "contact_name": name,
            "started_at": started_at, "ended_at": started_at + TimeDelta::seconds(40 + 25 * hours),
            "locale": "fr", "summary": summary,
        });
        let call = operator.make(&of("calls"), call).await?;
        if outcome == "message_taken" {
            let message = json!({
                "call_id": call["id"], "caller_name": name, "caller_phone": phone,
                "body": "Merci de me rappeler au sujet du devis.",
            });
            operator.make(&of("messages"), message).await?;
        }
    }
    let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let made = operator.make(&of("keys"), json!({"name": "demo", "scopes": scopes})).await?;
    let api_key = made["key"].as_str().ok_or_else(|| failed("the response has no key"))?.to_owned();
    Ok(Sample { business_id, service_id: services[0], api_key })
}

/// The open times of a service in the week from tomorrow.
async fn open_times(business: &BusinessHandle, service: ServiceId) -> Result<Vec<Slot>, EngineError> {
    let profile = business.business().await?;
    let today = Calendar::new(&profile, &SpecialDays::new()).local_date(business.now());
    let days = |count: i64| today.checked_add_days(Days::new(count.unsigned_abs())).unwrap_or(today);
    let days = (days(1), days(AVAILABILITY_DAYS_MAX));
    business.availability(service, None, days, Terms::Integration).await
}

/// The addresses of the dashboard and the booking page, and a new link that signs in the first owner. Empty
/// without a public URL.
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
    // Every owner may have been removed. `receptionist person add` can add an owner.
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

/// The program's path as the user typed it, such as `target/release/receptionist`, quoted for a shell.
fn program(started_as: Option<OsString>) -> String {
    let name = started_as.map_or_else(|| "receptionist".into(), |name| name.to_string_lossy().into_owned());
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if plain { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// The options that a command needs to find the service. Empty if it finds the service without options.
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
