//! The tools `get_business` and `update_business`. `get_business` returns the profile, the services and the staff. It
//! needs only the scope `business:read`.

use domain::{DayHours, Locale, Text, Timestamp, WeeklyHours};
use engine::business::commands::profile::{PatchBusiness, PatchProfile};
use schemars::JsonSchema;
use serde::Serialize;
use view::BusinessView;

use super::bounds::{ANSWER_CHARS_MAX, answer};
use super::catalog::Catalog;
use super::moment::WallClock;
use super::refused::Refused;
use super::tool_call::ToolCall;
use super::tools::Nothing;
use crate::json_object;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    pub(super) struct Change {
        /// The name of the business.
        name: Option<Text<1, 200>>,
        /// The IANA time zone of the business.
        timezone: Option<Zone>,
        /// The default language for callers.
        locale: Option<Locale>,
        /// The URL of the website.
        website_url: Option<WebsiteUrl>,
        /// The opening hours of the whole week. A day without hours is closed.
        hours: Option<WeeklyHours>,
    }
}

/// The minimum number of characters that a service or a staff member adds to a result.
const ITEM_CHARS_MIN: usize = 100;
/// For each staff member, a result lists the names of the services that they offer. Each of these names adds at least
/// this number of characters to the result.
const NAME_CHARS_MIN: usize = 10;

const LEFT_OUT: &str = "Some services or staff members are not listed. Tools also accept their names: ask for the name, and \
    send it as `service` or `staff`.";

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

#[derive(Serialize, JsonSchema)]
struct Opening {
    day: String,
    open: String,
    close: String,
}

impl From<&BusinessView> for Profile {
    fn from(view: &BusinessView) -> Self {
        let opening = |it: &DayHours| Opening {
            day: it.day.to_string(),
            open: it.open.to_string(),
            close: it.close.to_string(),
        };
        Self {
            id: view.id.to_string(),
            name: view.name.clone(),
            timezone: view.timezone.to_string(),
            locale: view.locale.to_string(),
            website_url: view.website_url.clone(),
            booking_mode: view.booking_mode.to_string(),
            hours: view.hours.iter().map(opening).collect(),
        }
    }
}

/// The business with its services, its staff and its local time.
#[derive(Serialize, JsonSchema)]
pub(super) struct Business {
    #[serde(flatten)]
    profile: Profile,
    now: String,
    local_now: String,
    weekday: String,
    services: Vec<Service>,
    staff: Vec<StaffMember>,
    /// The number of services that are not listed, because the result would be too long.
    services_left_out: Option<usize>,
    staff_left_out: Option<usize>,
    /// A hint for finding records that are not listed.
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Service {
    id: String,
    name: String,
    duration_minutes: u32,
}

#[derive(Serialize, JsonSchema)]
struct StaffMember {
    id: String,
    name: String,
    services: Option<Vec<String>>,
}

pub(super) async fn get(asking: ToolCall, _: Nothing) -> Result<Business, Refused> {
    show(&asking).await
}

pub(super) async fn show(asking: &ToolCall) -> Result<Business, Refused> {
    let catalog = Catalog::read(asking).await?;
    Ok(shown(&catalog, asking.business.now()))
}

fn shown(catalog: &Catalog<'_>, now: Timestamp) -> Business {
    let clock = WallClock(catalog.business.zone);
    let services: Vec<_> = catalog.services.iter().filter(|service| service.active).collect();
    let staff: Vec<_> = catalog.staff.iter().filter(|member| member.active).collect();
    let most = ANSWER_CHARS_MAX / ITEM_CHARS_MIN;
    let shown_staff = &staff[..staff.len().min(most)];
    let ids: usize = shown_staff.iter().map(|member| member.service_ids.len()).sum();
    let names_of = |member: &domain::StaffMember| {
        let offered = services.iter().filter(|service| member.service_ids.contains(&service.id));
        offered.map(|service| service.name.clone()).collect::<Vec<_>>()
    };
    let shown_services = services.iter().take(most).map(|service| Service {
        id: service.id.to_string(),
        name: service.name.clone(),
        duration_minutes: service.duration_minutes,
    });
    let shown_staff = shown_staff.iter().map(|member| StaffMember {
        id: member.id.to_string(),
        name: member.name.clone(),
        services: (ids < ANSWER_CHARS_MAX / NAME_CHARS_MIN).then(|| names_of(member)),
    });
    let business = Business {
        profile: Profile::from(&BusinessView::from(&catalog.business)),
        now: now.to_string(),
        local_now: clock.local(now),
        weekday: clock.weekday(now).to_owned(),
        services: shown_services.collect(),
        staff: shown_staff.collect(),
        services_left_out: None,
        staff_left_out: None,
        note: None,
    };
    within_bounds(business, services.len(), staff.len())
}

/// Shortens the result until it fits into an answer. First, each staff member loses the list of the services that the
/// member offers. After that, each step removes a quarter of the services or of the staff members, whichever list is
/// longer. `services` and `staff` are the numbers of all services and staff members. Some of them may already be
/// missing in `business`.
fn within_bounds(mut business: Business, services: usize, staff: usize) -> Business {
    let left_out = |all: usize, shown: usize| (all > shown).then_some(all - shown);
    loop {
        let (of_services, of_staff) = (business.services.len(), business.staff.len());
        business.services_left_out = left_out(services, of_services);
        business.staff_left_out = left_out(staff, of_staff);
        let is_any = business.services_left_out.or(business.staff_left_out).is_some();
        business.note = is_any.then(|| LEFT_OUT.to_owned());
        let has_names = business.staff.iter().any(|member| member.services.is_some());
        if answer(&business).is_ok() || (!has_names && of_services.max(of_staff) <= 1) {
            return business;
        }
        if has_names {
            business.staff.iter_mut().for_each(|member| member.services = None);
        } else if of_services >= of_staff {
            business.services.truncate(of_services - of_services.div_ceil(4));
        } else {
            business.staff.truncate(of_staff - of_staff.div_ceil(4));
        }
    }
}

pub(super) async fn update(asking: ToolCall, change: Change) -> Result<Profile, Refused> {
    // A property that is null or absent keeps its value.
    let patch = PatchBusiness {
        name: change.name,
        zone: change.timezone.map(Zone::get),
        locale: change.locale,
        website_url: change.website_url.map(|url| Some(url.into_string())),
        hours: change.hours,
        ..PatchBusiness::default()
    };
    if let PatchBusiness { name: None, zone: None, locale: None, website_url: None, hours: None, .. } = &patch
    {
        return Err(Refused::with_text(
            "Nothing was done: send at least one of name, timezone, locale, website_url, hours.",
        ));
    }
    Ok(Profile::from(&asking.change(None, PatchProfile(patch)).await?.value))
}
