//! Describes and creates the businesses that are measured.
//!
//! Invariants: every record is created with a command of the engine, in the same way as through the operator API and
//! the public API. The appointments of a business are numbered from 0, and [`slot`] returns the start of the
//! appointment with a given number. The appointments that this module creates have the lowest numbers.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, BookingMode, ContactDetails, Day, DayHours, Email, LocalTime, Locale, Phone, Scopes, Source, Text,
    Timestamp, WeeklyBreaks, WeeklyHours,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::{BusinessHandle, Change, Request};
use engine::{Engine, NewBusiness};
use net::Ports;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::error::Result;
use crate::process::Process;

/// The number of businesses in the measurements of bookings. The measurement with PostgreSQL uses the same number.
pub(crate) const BUSINESSES: usize = 1_000;
/// The number of staff members of each business.
pub(crate) const STAFF: usize = 3;
/// The number of concurrent changes while a data directory is being filled.
const IN_FLIGHT: usize = 256;
/// The duration of every service, in minutes.
const SERVICE_MINUTES: u32 = 30;
const SLOT: TimeDelta = TimeDelta::minutes(30);

/// The planned content of a data directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The number of businesses.
    pub(crate) businesses: usize,
    /// The number of businesses whose ids are returned. The other businesses exist but get no requests.
    pub(crate) kept: usize,
    /// The number of staff members of each business.
    pub(crate) staff: usize,
    /// The number of appointments of each business.
    pub(crate) appointments: usize,
    /// The opening hours. They determine the times of appointments.
    pub(crate) hours: Hours,
    /// Midnight in UTC of the day of the first appointment, in milliseconds since 1970.
    pub(crate) first_day: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Hours {
    /// The business is always open, so every half hour can be booked.
    Always,
    /// The business is open from 09:00 to 18:00 every day, as a real business might be.
    ByDay,
}

/// The ids and the API key of a business, which the scripts need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Shop {
    pub(crate) id: String,
    /// An API key with every scope.
    pub(crate) key: String,
    pub(crate) service: String,
    /// The ids of the staff members. All of them offer the service.
    pub(crate) staff: Vec<String>,
    /// The id of the contact for whom appointments are booked.
    pub(crate) contact: String,
}

/// Returns midnight in UTC, two days from now. All later times can be booked.
pub(crate) fn first_day() -> i64 {
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    (now.timestamp_millis().div_euclid(86_400_000) + 2) * 86_400_000
}

/// Returns the start of the appointment with this number. Each half hour is used once per staff member.
pub(crate) fn slot(first_day: i64, number: usize, staff: usize) -> Timestamp {
    Timestamp::from_millis(first_day) + SLOT * i32::try_from(number / staff).unwrap_or(i32::MAX)
}

impl Plan {
    /// Fills a data directory in a child process, so that the memory for this work does not count as memory of this
    /// process.
    pub(crate) async fn fill(&self, directory: &Path) -> Result<Vec<Shop>> {
        let out = directory.with_extension("shops");
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--child").arg("fill").arg(serde_json::to_string(self)?).arg(directory).arg(&out);
        let filled = Process::start(command)?;
        tokio::task::spawn_blocking(|| filled.finish()).await??;
        Ok(serde_json::from_slice(&std::fs::read(out)?)?)
    }

    /// Returns the start of the appointment with this number.
    fn starts_at(&self, number: usize) -> Timestamp {
        let first = Timestamp::from_millis(self.first_day);
        match self.hours {
            Hours::Always => slot(self.first_day, number, self.staff),
            // The times on the hour from 08:00 to 14:00 UTC are within the opening hours in summer and in winter.
            Hours::ByDay => {
                let turn = i64::try_from(number / self.staff).unwrap_or(i64::MAX);
                first + TimeDelta::days(turn / 7) + TimeDelta::hours(8 + turn % 7)
            }
        }
    }
}

/// Fills the data directory. It runs in the child process.
pub(crate) async fn fill(plan: Plan, directory: &Path) -> Result<Vec<Shop>> {
    let engine =
        Engine::open(directory, Ports::system()?, |error| panic!("the store failed: {error}")).await?;
    let (plan, next) = (Arc::new(plan), Arc::new(AtomicUsize::new(0)));
    let mut workers = JoinSet::new();
    for _ in 0..IN_FLIGHT.min(plan.businesses) {
        let (engine, plan, next) = (engine.clone(), Arc::clone(&plan), Arc::clone(&next));
        workers.spawn(async move {
            let mut made = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= plan.businesses {
                    return Ok::<_, Box<dyn std::error::Error + Send + Sync>>(made);
                }
                let shop = one(&engine, &plan, number).await?;
                if number < plan.kept {
                    made.push((number, shop));
                }
            }
        });
    }
    let mut shops = Vec::new();
    while let Some(made) = workers.join_next().await {
        shops.append(&mut made??);
    }
    engine.close().await?;
    shops.sort_by_key(|(number, _)| *number);
    Ok(shops.into_iter().map(|(_, shop)| shop).collect())
}

async fn one(engine: &Engine, plan: &Arc<Plan>, number: usize) -> Result<Shop> {
    let (open, close) = match plan.hours {
        Hours::Always => (0, LocalTime::DAY_MINUTES),
        Hours::ByDay => (9 * 60, 18 * 60),
    };
    let minutes = |minutes| LocalTime::from_minutes(minutes).ok_or("the time of day is invalid");
    let (open, close) = (minutes(open)?, minutes(close)?);
    let hours = Day::ALL.iter().map(|day| DayHours { day: *day, open, close }).collect();
    let new = NewBusiness {
        name: text(&format!("Salon {number}"))?,
        zone: chrono_tz::Europe::Paris,
        locale: Locale::Fr,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: WeeklyHours::new(hours).map_err(|problems| format!("{problems:?}"))?,
        breaks: WeeklyBreaks::default(),
        phone_region: "FR".into(),
    };
    let business = engine.create_business(new, Actor::Operator).await?;
    let handle = engine.business(business.id);
    let description = text("Shampooing, coupe, coiffage")?;
    let service = CreateService { description, ..CreateService::lasting(text("Coupe")?, SERVICE_MINUTES) };
    let service = made(&handle, Actor::Operator, service).await?;
    let mut staff = Vec::new();
    for number in 0..plan.staff {
        let name = text(&format!("Personne {number}"))?;
        let member = CreateStaff::offering(name, vec![id(&service)?.parse()?]);
        staff.push(id(&made(&handle, Actor::Operator, member).await?)?);
    }
    let key = CreateKey { name: text("bench")?, scopes: Scopes::all() };
    let key = made(&handle, Actor::Operator, key).await?;
    let by = Actor::ApiKey(id(&key)?.parse()?);
    let details = ContactDetails {
        name: Some(text("Awa Diallo")?),
        phone: Some(Phone::from_e164("+33612345678".into()).map_err(|error| format!("{error:?}"))?),
        email: Some(Email::new("awa@example.com").map_err(|error| format!("{error:?}"))?),
        ..ContactDetails::default()
    };
    let contact = made(&handle, by, CreateContact { details }).await?;
    let shop = Shop {
        id: business.id.to_string(),
        key: key["key"].as_str().ok_or("the response has no key")?.to_owned(),
        service: id(&service)?,
        staff,
        contact: id(&contact)?,
    };
    book(&handle, by, plan, &shop).await?;
    Ok(shop)
}

/// Creates the appointments. If there are few businesses, several requests to the same business run at the same time.
async fn book(handle: &BusinessHandle, by: Actor, plan: &Arc<Plan>, shop: &Shop) -> Result<()> {
    let lanes = (IN_FLIGHT / plan.businesses).clamp(1, plan.appointments.max(1));
    let mut booking = JoinSet::new();
    for lane in 0..lanes {
        let (handle, plan, shop) = (handle.clone(), Arc::clone(plan), shop.clone());
        booking.spawn(async move {
            for number in (lane..plan.appointments).step_by(lanes) {
                let request = BookRequest {
                    service_id: shop.service.parse()?,
                    starts_at: plan.starts_at(number),
                    staff_id: Some(shop.staff[number % plan.staff].parse()?),
                    source: Source::Api,
                    party: Party::Integration { allow_pending: false },
                    duration: None,
                };
                let contact = BookingContact::Known(shop.contact.parse()?);
                made(&handle, by, Book { request, contact }).await?;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
        });
    }
    while let Some(lane) = booking.join_next().await {
        lane??;
    }
    Ok(())
}

async fn made(handle: &BusinessHandle, by: Actor, change: impl Change + 'static) -> Result<Value> {
    Ok(serde_json::to_value(handle.change(Request::by(by), change).await?.value)?)
}

fn id(resource: &Value) -> Result<String> {
    Ok(resource["id"].as_str().ok_or("the resource has no id")?.to_owned())
}

fn text<const MIN: usize, const MAX: usize>(text: &str) -> Result<Text<MIN, MAX>> {
    Ok(Text::new(text.to_owned()).map_err(|error| format!("{error:?}"))?)
}
