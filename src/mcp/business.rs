//! `get_business` and `update_business`. Without the write scope a client sees the profile, the services
//! and the staff.

use std::collections::HashMap;

use domain::{Locale, Text, Timestamp, WeeklyHours};
use engine::business::commands::profile::{PatchBusiness, PatchProfile};
use schemars::JsonSchema;
use serde::Serialize;
use view::{BusinessView, HoursView};

use super::answer::is_within_bound;
use super::asking::Asking;
use super::bounds::ANSWER_CHARS_MAX;
use super::catalog::Catalog;
use super::moment::WallClock;
use super::refused::Refused;
use super::tool::Nothing;
use crate::json_object;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// What of the business is to change.
    pub(super) struct Change {
        /// Its name.
        name: Option<Text<1, 200>>,
        /// IANA name.
        timezone: Option<Zone>,
        /// For callers.
        locale: Option<Locale>,
        /// Its web site.
        website_url: Option<WebsiteUrl>,
        /// The whole week, HH:MM; a day left out is closed.
        hours: Option<WeeklyHours>,
    }
}

/// A service or a staff member has at least this many characters in a result, text and structured content
/// together.
const ITEM_CHARS_MIN: usize = 100;

const LEFT_OUT: &str = "Not all are listed. Tools take any of them by name: ask for the name, and send it as service or \
    staff.";

/// The profile, as a model reads it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Profile {
    id: String,
    name: String,
    timezone: String,
    locale: String,
    website_url: Option<String>,
    booking_mode: String,
    hours: Vec<Opening>,
}

/// The opening hours of one day.
#[derive(Serialize, JsonSchema)]
struct Opening {
    day: String,
    open: String,
    close: String,
}

/// The business, what it offers, who carries it out, and what time it is there.
#[derive(Serialize, JsonSchema)]
pub(super) struct Business {
    #[serde(flatten)]
    profile: Profile,
    now: String,
    local_now: String,
    weekday: String,
    services: Vec<Service>,
    staff: Vec<StaffMember>,
    /// How many are not listed, for there are too many.
    services_left_out: Option<usize>,
    staff_left_out: Option<usize>,
    /// How those are reached.
    note: Option<String>,
}

/// What can be booked.
#[derive(Serialize, JsonSchema)]
struct Service {
    id: String,
    name: String,
    duration_minutes: u32,
}

/// Who carries it out.
#[derive(Serialize, JsonSchema)]
struct StaffMember {
    id: String,
    name: String,
    /// The names of what they carry out.
    services: Option<Vec<String>>,
}

impl From<BusinessView> for Profile {
    fn from(view: BusinessView) -> Self {
        let opening =
            |hours: HoursView| Opening { day: hours.day.to_string(), open: hours.open, close: hours.close };
        Self {
            id: view.id.to_string(),
            name: view.name,
            timezone: view.timezone.into_owned(),
            locale: view.locale.to_string(),
            website_url: view.website_url,
            booking_mode: view.booking_mode.to_string(),
            hours: view.hours.into_iter().map(opening).collect(),
        }
    }
}

pub(super) async fn get(asking: Asking, _: Nothing) -> Result<Business, Refused> {
    show(&asking).await
}

pub(super) async fn show(asking: &Asking) -> Result<Business, Refused> {
    let catalog = Catalog::read(&asking.business).await?;
    shown(&catalog, asking.business.now())
}

/// Builds the result within its bounds. If the services of all staff members do not fit, the result leaves
/// them out.
fn shown(catalog: &Catalog, now: Timestamp) -> Result<Business, Refused> {
    let clock = WallClock(catalog.business.zone);
    let services: Vec<_> = catalog.services.iter().filter(|service| service.active).collect();
    let staff: Vec<_> = catalog.staff.iter().filter(|member| member.active).collect();
    let places: HashMap<_, _> =
        services.iter().zip(0..).map(|(service, place)| (service.id, place)).collect();
    let offered = |member: &domain::StaffMember| {
        let ids = member.service_ids.iter();
        let mut places: Vec<usize> = ids.filter_map(|id| places.get(id).copied()).collect();
        places.sort_unstable();
        places
    };
    let most = ANSWER_CHARS_MAX / ITEM_CHARS_MIN;
    let shown_staff = &staff[..staff.len().min(most)];
    let mut names = 0;
    let fit = shown_staff.iter().all(|member| {
        names += offered(member).into_iter().map(|place| services[place].name.chars().count()).sum::<usize>();
        names < ANSWER_CHARS_MAX
    });
    let names_of = |member: &domain::StaffMember| {
        offered(member).into_iter().map(|place| services[place].name.clone()).collect::<Vec<_>>()
    };
    let shown_services = services.iter().take(most).map(|service| Service {
        id: service.id.to_string(),
        name: service.name.clone(),
        duration_minutes: service.duration_minutes,
    });
    let shown_staff = shown_staff.iter().map(|member| StaffMember {
        id: member.id.to_string(),
        name: member.name.clone(),
        services: fit.then(|| names_of(member)),
    });
    let mut business = Business {
        profile: BusinessView::from(&catalog.business).into(),
        now: now.to_string(),
        local_now: clock.local(now),
        weekday: clock.weekday(now).to_owned(),
        services: shown_services.collect(),
        staff: shown_staff.collect(),
        services_left_out: None,
        staff_left_out: None,
        note: None,
    };
    business.note_left_out(services.len(), staff.len());
    Ok(within_bounds(business, services.len(), staff.len()))
}

impl Business {
    /// Notes how many services and staff members are missing.
    fn note_left_out(&mut self, services: usize, staff: usize) {
        let left_out = |all: usize, shown: usize| (all > shown).then_some(all - shown);
        self.services_left_out = left_out(services, self.services.len());
        self.staff_left_out = left_out(staff, self.staff.len());
        let is_any = self.services_left_out.or(self.staff_left_out).is_some();
        self.note = is_any.then(|| LEFT_OUT.to_owned());
    }
}

/// Shortens the result until it fits: first without the services of each staff member, then with fewer
/// items of the longer list. The counts are the totals.
fn within_bounds(mut business: Business, services: usize, staff: usize) -> Business {
    let fewer = |len: usize| len - len.div_ceil(4);
    while !is_within_bound(&business) {
        if business.staff.iter().any(|member| member.services.is_some()) {
            business.staff.iter_mut().for_each(|member| member.services = None);
            continue;
        }
        let (of_services, of_staff) = (business.services.len(), business.staff.len());
        if of_services.max(of_staff) <= 1 {
            break;
        }
        if of_services >= of_staff {
            business.services.truncate(fewer(of_services));
        } else {
            business.staff.truncate(fewer(of_staff));
        }
        business.note_left_out(services, staff);
    }
    business
}

pub(super) async fn update(asking: Asking, change: Change) -> Result<Profile, Refused> {
    // Null is the same as absent, and both keep the value.
    let patch = PatchBusiness {
        name: change.name,
        zone: change.timezone.map(Zone::get),
        locale: change.locale,
        website_url: change.website_url.map(|url| Some(url.into_string())),
        hours: change.hours,
        ..PatchBusiness::default()
    };
    let is_empty = patch.name.is_none()
        && patch.zone.is_none()
        && patch.locale.is_none()
        && patch.website_url.is_none()
        && patch.hours.is_none();
    if is_empty {
        return Err(Refused::told(
            "Nothing was asked for: send at least one of name, timezone, locale, website_url, hours.",
        ));
    }
    Ok(asking.change(None, PatchProfile(patch)).await?.value.into())
}
