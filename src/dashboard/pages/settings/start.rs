//! The page that offers starting sets to a new business. A set contains the services of a trade with
//! durations and prices, opening hours, and the word for customers.
//!
//! Invariants:
//! - The page shows all that a set creates, before the person chooses it.
//! - A set is created in one change, and only in a business without services. Existing opening hours are not
//!   changed.
//! - Prices are in the currency of the business's region. In a region that is not in `CURRENCIES`, the
//!   services have no prices.

use domain::{
    Currency, CustomerWord, Day, DayHours, LocalTime, Price, ProblemCode, Right, Text, WeeklyHours,
};
use engine::business::commands::catalog::{CreateFirstServices, CreateService};
use engine::business::commands::profile::PatchBusiness;

use super::parts::only_for_changing;
use super::week::days_name;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::words;

const PATH: &str = "settings/services/start";
const SERVICES: &str = "settings/services";
const TRADE: &str = "trade";
/// The opening hours of each set, in minutes after midnight.
const OPEN: (u16, u16) = (9 * 60, 18 * 60);
const MONDAY_TO_FRIDAY: [Day; 5] = [Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday];
const TUESDAY_TO_SATURDAY: [Day; 5] =
    [Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday, Day::Saturday];

/// Currencies that are worth about as much as the euro, each with the regions that use it. In other regions, the
/// suggested prices would not be plausible, so the services get no price.
const CURRENCIES: [(&str, &[&str]); 7] = [
    (
        "EUR",
        &[
            "AT", "BE", "CY", "DE", "EE", "ES", "FI", "FR", "GF", "GP", "GR", "HR", "IE", "IT", "LT", "LU",
            "LV", "MC", "MQ", "MT", "NL", "PT", "RE", "SI", "SK", "YT",
        ],
    ),
    ("GBP", &["GB", "GG", "IM", "JE"]),
    ("USD", &["US"]),
    ("CAD", &["CA"]),
    ("AUD", &["AU"]),
    ("NZD", &["NZ"]),
    ("CHF", &["CH", "LI"]),
];

struct Trade {
    id: &'static str,
    title: &'static str,
    days: [Day; 5],
    customer: CustomerWord,
    /// For each service the id of its name, the minutes, and the price in whole units of the currency.
    services: &'static [(&'static str, u32, u32)],
}

const TRADES: [Trade; 4] = [
    Trade {
        id: "hair",
        title: "start-hair",
        days: TUESDAY_TO_SATURDAY,
        customer: CustomerWord::Client,
        services: &[
            ("start-hair-cut", 45, 48),
            ("start-hair-cut-short", 30, 28),
            ("start-hair-cut-child", 30, 20),
            ("start-hair-blow-dry", 30, 30),
            ("start-hair-colour", 90, 70),
            ("start-hair-beard", 30, 20),
        ],
    },
    Trade {
        id: "dentist",
        title: "start-dentist",
        days: MONDAY_TO_FRIDAY,
        customer: CustomerWord::Patient,
        services: &[
            ("start-dentist-first", 45, 60),
            ("start-dentist-check-up", 30, 40),
            ("start-dentist-cleaning", 45, 75),
            ("start-dentist-filling", 45, 90),
            ("start-dentist-urgent", 30, 60),
        ],
    },
    Trade {
        id: "physio",
        title: "start-physio",
        days: MONDAY_TO_FRIDAY,
        customer: CustomerWord::Patient,
        services: &[
            ("start-physio-first", 60, 65),
            ("start-physio-session", 30, 40),
            ("start-physio-long", 45, 55),
            ("start-physio-home", 45, 60),
        ],
    },
    Trade {
        id: "garage",
        title: "start-garage",
        days: MONDAY_TO_FRIDAY,
        customer: CustomerWord::Client,
        services: &[
            ("start-garage-service", 120, 180),
            ("start-garage-oil", 60, 90),
            ("start-garage-tyres", 60, 60),
            ("start-garage-brakes", 120, 190),
            ("start-garage-check", 30, 45),
        ],
    },
];

#[derive(Template)]
#[template(path = "dashboard/pages/settings/start.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    filled: Filled,
    /// Whether the business has no services yet.
    is_new: bool,
    sets: Vec<Set>,
}

/// The texts that describe one set of suggested records.
struct Set {
    id: &'static str,
    title: String,
    /// For each service its name, duration and price.
    services: Vec<(String, String, String)>,
    /// If the business has no opening hours, the first line contains the suggested opening hours. The last line
    /// contains the word for customers.
    facts: Vec<Line>,
}

impl Trade {
    fn services(&self, member: &Member) -> Vec<CreateService> {
        let region = member.profile.phone_region.as_str();
        let currency = CURRENCIES.iter().find(|(_, regions)| regions.contains(&region));
        let currency = currency.and_then(|(currency, _)| Currency::parse(currency));
        let words = words(member.profile.locale);
        let service = |(position, (name, minutes, price)): (usize, &(&str, u32, u32))| {
            let name = Text::new(words.say(name, &[])).ok()?;
            let price = currency.map(|currency| Price { cents: price * 100, currency });
            let position = u32::try_from(position).unwrap_or_default();
            Some(CreateService { price, position, ..CreateService::lasting(name, *minutes) })
        };
        self.services.iter().enumerate().filter_map(service).collect()
    }

    fn hours(&self) -> Option<WeeklyHours> {
        let (open, close) = (LocalTime::from_minutes(OPEN.0)?, LocalTime::from_minutes(OPEN.1)?);
        WeeklyHours::new(self.days.map(|day| DayHours { day, open, close }).to_vec()).ok()
    }
}

fn has_hours(member: &Member) -> bool {
    !member.profile.hours.days().is_empty()
}

pub(crate) async fn show(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let filled = member.filled(&member.path_to(PATH), Form::default);
    shown(&member, filled).await
}

async fn shown(member: &Member, filled: Filled) -> Answered {
    let view = &member.view;
    let set = |trade: &Trade| {
        let days = days_name(view, &trade.days);
        let [open, close] = [OPEN.0, OPEN.1].map(|minute| member.clock_of(minute.into()));
        let hours = (view.t("settings-hours"), format!("{days}, {open} – {close}"));
        let word = view.t(&format!("business-word-{}", trade.customer));
        let word = (view.t("business-customer_word"), word);
        let row = |service: CreateService| {
            let price = service.price.map(|price| view.words.price(&price)).unwrap_or_default();
            (service.name.into_string(), view.count("count-minutes", service.duration_minutes.into()), price)
        };
        Set {
            id: trade.id,
            title: view.t(trade.title),
            services: trade.services(member).into_iter().map(row).collect(),
            facts: (!has_hours(member)).then_some(hours).into_iter().chain([word]).collect(),
        }
    };
    let shown = Page {
        sheet: member.sheet_below(SERVICES),
        is_new: member.services().await?.is_empty(),
        sets: TRADES.iter().map(set).collect(),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    member.answered(create(&member).await, |filled| shown(&member, filled)).await
}

async fn create(member: &Member) -> Result<String, Refused> {
    let trade = TRADES.iter().find(|trade| trade.id == member.form.get(TRADE));
    let trade = trade.ok_or_else(|| FormError::at(TRADE, ProblemCode::Required))?;
    if !member.services().await?.is_empty() {
        return Err(FormError::Notice(member.t("start-has-services")).into());
    }
    let hours = if has_hours(member) { None } else { trade.hours() };
    let profile = PatchBusiness { hours, customer_word: Some(trade.customer), ..PatchBusiness::default() };
    member.change(CreateFirstServices { profile, services: trade.services(member) }).await?;
    Ok(member.path_to(&format!("{SERVICES}?done=added")))
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::*;

    #[test]
    fn each_set_has_names_in_both_languages_and_hours() {
        for trade in &TRADES {
            let names = trade.services.iter().map(|(name, ..)| *name).chain([trade.title]);
            for name in names {
                assert!(Locale::ALL.iter().all(|locale| words(*locale).find(name, &[]).is_some()), "{name}");
            }
            assert_eq!(trade.hours().unwrap().days().len(), 5, "{}", trade.id);
        }
    }
}
