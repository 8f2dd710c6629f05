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
    /// The IANA name of the time zone.
    pub timezone: Cow<'static, str>,
    /// The default language for callers.
    pub locale: Locale,
    /// The address of the web site.
    #[schemars(extend("format" = "uri"))]
    pub website_url: Option<String>,
    /// The way in which appointments are confirmed.
    pub booking_mode: BookingMode,
    /// The opening hours. A day that is not listed is closed.
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
    /// The region whose country code is used for phone numbers without one.
    pub phone_region: String,
    /// Whether the business is suspended. Its API keys can then call only `GET /me`.
    pub suspended: bool,
    /// The weekly breaks during opening hours. Appointments never overlap a break.
    pub breaks: Vec<Break>,
    /// The word for a customer on the dashboard pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CustomerWord")]
    pub customer_word: Option<CustomerWord>,
    /// The distance between the lines in calendars of the team, in minutes.
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

/// The numbers of days for which records are kept. Null keeps them permanently.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retention")]
pub struct RetentionView {
    /// The number of days for which a call is kept after its creation.
    pub calls_days: Option<u32>,
    /// The number of days for which a message is kept after its creation.
    pub messages_days: Option<u32>,
    /// The number of days for which an entry of the audit log is kept after its creation. The newest entry is always
    /// kept.
    pub audit_days: Option<u32>,
    /// The number of days for which an appointment is kept after its end.
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
