//! The booking page of a business, and the settings of the notices to its customers.

use domain::{
    CHANGE_NOTICE_MINUTES_MAX, Color, Email, NoticeScope, NoticeSettings, ORIGINS_MAX, Phone, ProblemCode,
    REMINDER_HOURS_MAX, REMINDERS_MAX, SiteOrigin, Slug, Text,
};
use engine::business::commands::website::{PatchNotices, PatchWebsite};
use view::{NoticesView, WebsiteView};

use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::patch::Patch;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::json_object;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::*;

json_object! {
    /// A change to the booking page. An absent property keeps its value; null restores its default.
    pub(crate) struct WebsitePatch {
        /// Whether the booking page is available. A page that is enabled for the first time gets a slug.
        enabled: Patch<Option<bool>>,
        /// The name in the address of the page. No two businesses have the same slug. A slug
        /// that is set cannot be cleared. A former slug is reserved for 90 days.
        slug: Patch<Option<Slug>>,
        /// The sites that may embed the page: `https://host[:port]`, or `http` for a loopback host.
        origins: Patch<Option<DistinctList<SiteOrigin, 0, ORIGINS_MAX>>>,
        /// The background colour of buttons.
        color: Patch<Option<Color>>,
        /// The phone number that customers see.
        phone: Patch<Option<Phone>>,
        /// The email address that customers see.
        email: Patch<Option<Email>>,
        /// The postal address that customers see, on one line.
        address: Patch<Option<Text<1, 300>>>,
        /// Whether customers may move and cancel their appointments; true by default.
        change_by_caller: Patch<Option<bool>>,
        /// The latest time at which customers may move or cancel an appointment, in minutes before its start;
        /// by default, the minimum notice of the booked service.
        change_notice_minutes: Patch<Option<Whole<0, CHANGE_NOTICE_MINUTES_MAX>>>,
        /// Whether the page shows the prices of services.
        show_prices: Patch<Option<bool>>,
    }
    check address_on_one_line
}

fn address_on_one_line(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    let mut unasked = Problems::new(problems.reading().clone());
    let address = properties.read::<Option<Text<1, 300>>>("address", at, &mut unasked).flatten();
    if address.is_some_and(|address| address.as_str().chars().any(char::is_control)) {
        problems.add(&at.property("address"), ProblemCode::NotOneLine);
    }
}

impl WebsitePatch {
    pub(crate) fn change(self, public_url: Option<String>) -> PatchWebsite {
        PatchWebsite {
            enabled: self.enabled.set().map(Option::unwrap_or_default),
            slug: self.slug.set(),
            origins: self
                .origins
                .set()
                .map(|origins| origins.map(DistinctList::into_vec).unwrap_or_default()),
            color: self.color.set(),
            phone: self.phone.set(),
            email: self.email.set(),
            address: self.address.set(),
            change_by_caller: self.change_by_caller.set().map(|may| may.unwrap_or(true)),
            change_notice_minutes: self.change_notice_minutes.set().map(|minutes| minutes.map(Whole::get)),
            show_prices: self.show_prices.set().map(Option::unwrap_or_default),
            public_url,
        }
    }
}

pub(super) async fn show(context: Context, business: Business) -> Result<One<WebsiteView>, ApiError> {
    let public_url = context.engine.people().public_url();
    Ok(One::of(&WebsiteView::new(&business.website().await?, public_url.as_deref())))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<WebsitePatch>,
    business: Business,
) -> Result<Changed<WebsiteView>, ApiError> {
    let patch = patch.change(context.engine.people().public_url());
    let answer = business.patch_website(context.request()?, patch).await?;
    Ok(AnswerTo::answer_to(answer))
}

json_object! {
    /// A change to the notices to customers. An absent property keeps its value; null restores its default.
    pub(crate) struct NoticesPatch {
        /// The appointments whose customers get emails. `online` means those that were booked on the
        /// website, by phone or by text message; it is the default of a new business.
        email: Patch<Option<NoticeScope>>,
        /// The appointments whose customers get text messages. If the business has no connection that sends text
        /// messages, only `off` is possible.
        text: Patch<Option<NoticeScope>>,
        /// When reminders are sent, in hours before the start; `[24]` by default.
        reminder_hours: Patch<Option<DistinctList<Whole<1, REMINDER_HOURS_U32>, 0, REMINDERS_MAX>>>,
    }
}

const REMINDER_HOURS_U32: u32 = REMINDER_HOURS_MAX as u32;

impl From<NoticesPatch> for PatchNotices {
    fn from(patch: NoticesPatch) -> Self {
        let default = NoticeSettings::of_new();
        // `Whole` has checked that each number of hours fits into a `u8`.
        let hours = |hours: DistinctList<Whole<1, REMINDER_HOURS_U32>, 0, REMINDERS_MAX>| {
            hours.into_vec().into_iter().map(|hours| hours.get() as u8).collect()
        };
        Self {
            email: patch.email.set().map(|email| email.unwrap_or(default.email)),
            text: patch.text.set().map(|text| text.unwrap_or(default.text)),
            reminder_hours: patch.reminder_hours.set().map(|set| set.map_or(default.reminder_hours, hours)),
        }
    }
}

pub(super) async fn notices(_: Context, business: Business) -> Result<One<NoticesView>, ApiError> {
    Ok(One::of(&NoticesView::from(&business.notice_settings().await?)))
}

pub(super) async fn update_notices(
    context: Context,
    Body(patch): Body<NoticesPatch>,
) -> Result<Changed<NoticesView>, ApiError> {
    context.change(PatchNotices::from(patch)).await
}
