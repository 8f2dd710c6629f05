//! Businesses, as integrations and the operator see them, and their retention.

use std::borrow::Cow;

use domain::schema::Break;
use domain::{BookingMode, Business, BusinessId, CustomerWord, DayHours, Locale, Retention, Timestamp};
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
    pub hours: Vec<DayHours>,
    /// The time of creation.
    pub created_at: Timestamp,
    /// The time of the last change.
    pub updated_at: Timestamp,
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
            hours: business.hours.days().to_vec(),
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
    /// The region that applies to phone numbers without a country code.
    pub phone_region: String,
    /// Whether the business is suspended. Its API keys can then request only `GET /me`.
    pub suspended: bool,
    /// Weekly breaks during opening hours. Appointments never overlap a break.
    pub breaks: Vec<Break>,
    /// The word for customers in pages of the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CustomerWord")]
    pub customer_word: Option<CustomerWord>,
    /// The distance of the lines in calendars of the team, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub grid_minutes: Option<u32>,
}

impl From<&Business> for OperatorBusinessView {
    fn from(business: &Business) -> Self {
        Self {
            business: business.into(),
            phone_region: business.phone_region.clone(),
            suspended: business.suspended,
            breaks: business.breaks.days().iter().map(Break::from).collect(),
            customer_word: Some(business.customer_word),
            grid_minutes: Some(business.grid_minutes),
        }
    }
}

/// The number of days that records are kept; null keeps them permanently.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retention")]
pub struct RetentionView {
    /// The number of days that a call is kept after its creation.
    pub calls_days: Option<u32>,
    /// The number of days that a message is kept after its creation.
    pub messages_days: Option<u32>,
    /// The number of days that an audit log entry is kept after its creation. The newest is always kept.
    pub audit_days: Option<u32>,
    /// The number of days that an appointment is kept after its end.
    pub appointments_days: Option<u32>,
}

impl From<&Retention> for RetentionView {
    fn from(retention: &Retention) -> Self {
        let Retention { calls_days, messages_days, audit_days, appointments_days, .. } = *retention;
        Self { calls_days, messages_days, audit_days, appointments_days }
    }
}

/// A business that is being deleted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EndedBusiness")]
pub struct EndedView {
    /// The business's id.
    pub id: BusinessId,
}
