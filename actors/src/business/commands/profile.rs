//! Changing the profile and the opening hours.

use chrono_tz::Tz;
use serde::Serialize;

use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::domain::{BookingMode, Business, Locale, Text, WeeklyHours};
use crate::error::EngineError;
use crate::store::Weight;
use crate::view::{BusinessView, OperatorBusinessView};

/// Which of its views a resource is answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// An integration's.
    Integration,
    /// The operator's.
    Operator,
}

/// Changes what is given and keeps the rest.
#[derive(Clone, Debug)]
pub struct PatchBusiness {
    /// Its name.
    pub name: Option<Text<1, 200>>,
    /// Its zone.
    pub zone: Option<Tz>,
    /// Its default language.
    pub locale: Option<Locale>,
    /// Its web site; the inner `None` clears it.
    pub website_url: Option<Option<String>>,
    /// How appointments come about.
    pub booking_mode: Option<BookingMode>,
    /// The whole week.
    pub hours: Option<WeeklyHours>,
    /// The region in which national phone numbers are read.
    pub phone_region: Option<String>,
    /// Whether its keys are shut out.
    pub suspended: Option<bool>,
    /// The view it is answered in.
    pub audience: Audience,
}

impl PatchBusiness {
    /// What keeps everything, for others to say what they change.
    pub fn keeping(audience: Audience) -> Self {
        Self {
            name: None,
            zone: None,
            locale: None,
            website_url: None,
            booking_mode: None,
            hours: None,
            phone_region: None,
            suspended: None,
            audience,
        }
    }

    /// The operator shuts the keys out, or lets them in again.
    pub fn suspending(suspended: bool) -> Self {
        Self { suspended: Some(suspended), ..Self::keeping(Audience::Operator) }
    }
}

impl Change for PatchBusiness {
    fn decide(self: Box<Self>, context: &mut Context<'_>) -> Result<Decision, EngineError> {
        match self.audience {
            Audience::Integration => patch(*self, context, |business| BusinessView::from(business)),
            Audience::Operator => patch(*self, context, |business| OperatorBusinessView::from(business)),
        }
    }

    fn weight(&self) -> Weight {
        let Self { name, zone, locale, website_url, booking_mode, hours, phone_region, suspended, .. } = self;
        let changes_more = name.is_some()
            || zone.is_some()
            || locale.is_some()
            || website_url.is_some()
            || hours.is_some()
            || phone_region.is_some();
        // Whoever fills the disk can be stopped, with nothing beside it: else who stops more each time writes on.
        match (booking_mode, suspended) {
            _ if changes_more => Weight::Grows,
            (None, None) => Weight::Grows,
            (None | Some(BookingMode::Off), None | Some(true)) => Weight::Frees,
            (None | Some(BookingMode::Off), Some(false)) => Weight::Keeps,
            (Some(BookingMode::Instant | BookingMode::Request), _) => Weight::Grows,
        }
    }
}

fn patch<V: Serialize>(
    change: PatchBusiness,
    context: &Context<'_>,
    view: impl Fn(&Business) -> V,
) -> Result<Decision, EngineError> {
    let before = context.business();
    let shown = view(before);
    context.check_match(&shown)?;
    let mut after = before.clone();
    if let Some(name) = change.name {
        after.name = name.into_string();
    }
    if let Some(url) = change.website_url {
        after.website_url = url;
    }
    if let Some(hours) = change.hours {
        after.hours = hours;
    }
    if let Some(region) = change.phone_region {
        after.phone_region = region;
    }
    after.zone = change.zone.unwrap_or(after.zone);
    after.locale = change.locale.unwrap_or(after.locale);
    after.booking_mode = change.booking_mode.unwrap_or(after.booking_mode);
    after.suspended = change.suspended.unwrap_or(after.suspended);
    if after == *before {
        return Ok(Decision::unchanged(&shown));
    }
    after.updated_at = context.at();
    let now_shown = view(&after);
    Ok(Decision::answering(&now_shown)
        .note_changes("business.updated", "business", before.id, (&shown, &now_shown))
        .write(Write::Business(after)))
}
