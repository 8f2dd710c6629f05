//! Businesses, as integrations and the operator see them.

use std::borrow::Cow;

use domain::schema::{Break, OpeningHours};
use domain::{BookingMode, Business, BusinessId, Day, DayHours, Locale, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A business, as integrations see it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Business")]
pub struct BusinessView {
    /// The business's id.
    pub id: BusinessId,
    /// The name of the business.
    pub name: String,
    /// IANA time zone name.
    pub timezone: Cow<'static, str>,
    /// Default language for callers.
    pub locale: Locale,
    /// The web site.
    #[schemars(extend("format" = "uri"))]
    pub website_url: Option<String>,
    /// The way in which appointments are confirmed.
    pub booking_mode: BookingMode,
    /// Opening hours; a day that is not listed is closed.
    #[schemars(with = "Vec<OpeningHours>")]
    pub hours: Vec<HoursView>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
}

/// The opening hours of one day.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HoursView {
    /// The day on which the business opens.
    pub day: Day,
    /// Local time, `HH:MM`, to `23:59`.
    pub open: String,
    /// Local time, `HH:MM`; a time before `open` is on the next day.
    pub close: String,
}

impl From<&DayHours> for HoursView {
    fn from(day: &DayHours) -> Self {
        Self { day: day.day, open: day.open.to_string(), close: day.close.to_string() }
    }
}

impl From<&Business> for BusinessView {
    fn from(business: &Business) -> Self {
        Self {
            id: business.id,
            name: business.name.clone(),
            timezone: business.zone.name().into(),
            locale: business.locale,
            website_url: business.website_url.clone(),
            booking_mode: business.booking_mode,
            hours: business.hours.days().iter().map(HoursView::from).collect(),
            created_at: business.created_at,
            updated_at: business.updated_at,
        }
    }
}

/// A business, as the operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorBusiness")]
pub struct OperatorBusinessView {
    /// The fields that integrations see.
    #[serde(flatten)]
    pub business: BusinessView,
    /// The region in which national phone numbers are read.
    pub phone_region: String,
    /// Whether the business is suspended, so that its API keys are refused.
    pub suspended: bool,
    /// Weekly breaks during opening hours. Appointments never overlap a break.
    #[schemars(with = "Vec<Break>")]
    pub breaks: Vec<BreakView>,
}

/// A weekly break.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BreakView {
    /// The day on which the break starts.
    pub day: Day,
    /// Local time, `HH:MM`, to `23:59`.
    pub from: String,
    /// Local time, `HH:MM`; a time before `from` is on the next day.
    pub to: String,
}

impl From<&DayHours> for BreakView {
    fn from(pause: &DayHours) -> Self {
        Self { day: pause.day, from: pause.open.to_string(), to: pause.close.to_string() }
    }
}

impl From<&Business> for OperatorBusinessView {
    fn from(business: &Business) -> Self {
        Self {
            business: business.into(),
            phone_region: business.phone_region.clone(),
            suspended: business.suspended,
            breaks: business.breaks.days().iter().map(BreakView::from).collect(),
        }
    }
}
