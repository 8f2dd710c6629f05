//! The booking page of a business and its settings for notices, as the APIs show them.

use domain::{NoticeScope, NoticeSettings, Website};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The booking page of a business.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Website")]
pub struct WebsiteView {
    /// Whether customers can use the booking page.
    pub enabled: bool,
    /// The name of the business in the address of the page. It is null until the page is enabled for the first time.
    pub slug: Option<String>,
    /// The address of the page. It is null if the page has no slug.
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
    /// The sites that may embed the page.
    pub origins: Vec<String>,
    /// The background colour of buttons, in the form `#rrggbb`.
    pub color: Option<String>,
    /// The phone number that customers see, in E.164 form.
    pub phone: Option<String>,
    /// The email address that customers see.
    pub email: Option<String>,
    /// The postal address that customers see.
    pub address: Option<String>,
    /// Whether customers may move and cancel their appointments.
    pub change_by_caller: bool,
    /// The minimum time before the start at which customers may still move or cancel, in minutes. Null means the
    /// service's minimum notice.
    pub change_notice_minutes: Option<u32>,
    /// Whether the page shows the prices of services.
    pub show_prices: bool,
}

impl WebsiteView {
    /// Creates the view. `public_url` is the public URL of the service, without a slash at its end.
    pub fn new(website: &Website, public_url: Option<&str>) -> Self {
        let slug = website.slug.as_ref().map(|slug| slug.as_str().to_owned());
        let url = slug.as_ref().zip(public_url).map(|(slug, url)| format!("{url}/book/{slug}"));
        Self {
            enabled: website.enabled,
            url,
            slug,
            origins: website.origins.iter().map(|origin| origin.as_str().to_owned()).collect(),
            color: website.color.map(|color| color.to_string()),
            phone: website.phone.as_deref().map(str::to_owned),
            email: website.email.as_deref().map(str::to_owned),
            address: website.address.clone(),
            change_by_caller: website.change_by_caller,
            change_notice_minutes: website.change_notice_minutes,
            show_prices: website.show_prices,
        }
    }
}

/// The settings for notices that customers get about their appointments.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Notices")]
pub struct NoticesView {
    /// The appointments about which customers get emails.
    pub email: NoticeScope,
    /// The appointments about which customers get text messages.
    pub text: NoticeScope,
    /// The hours before the start at which reminders are sent.
    pub reminder_hours: Vec<u8>,
}

impl From<&NoticeSettings> for NoticesView {
    fn from(settings: &NoticeSettings) -> Self {
        let NoticeSettings { email, text, reminder_hours } = settings;
        Self { email: *email, text: *text, reminder_hours: reminder_hours.clone() }
    }
}
