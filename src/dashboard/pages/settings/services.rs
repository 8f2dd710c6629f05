//! The list of services.

use domain::{Right, Service, StaffMember};

use super::choices::{how_long, named};
use super::done::Done;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 4;
const DESCRIPTION_CHARS: usize = 160;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/services.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    services: Vec<Service>,
    staff: Vec<StaffMember>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let part = member.part("dashboard services", SHOWN, &[]);
    let found = member.business.services(true, &part.request).await?;
    page(&Page {
        sheet: member.sheet("settings/services"),
        done: Done::said(&member).with_next(&member).await?,
        services: found.items,
        staff: member.staff().await?,
        pages: part.pages(found.next.as_deref()),
    })
}

impl Page<'_> {
    fn description(&self, service: &Service) -> String {
        plain(&service.description, DESCRIPTION_CHARS)
    }

    fn takes(&self, service: &Service) -> String {
        self.sheet.member.count("count-minutes", service.duration_minutes.into())
    }

    /// The buffers. The text is empty without any.
    fn around(&self, service: &Service) -> String {
        let (before, after) = (service.buffers.before_minutes(), service.buffers.after_minutes());
        let around = [("before", Value::Count(before.into())), ("after", Value::Count(after.into()))];
        if before + after == 0 {
            String::new()
        } else {
            self.sheet.member.words.say("services-around", &around)
        }
    }

    fn notice(&self, service: &Service) -> String {
        match service.min_notice_minutes {
            0 => self.sheet.member.t("services-no-notice"),
            notice => how_long(&self.sheet.member.view, notice),
        }
    }

    /// The price with its currency. It is empty without a price.
    fn price(&self, service: &Service) -> String {
        let price = service.price.as_ref();
        let price = price.map(|price| format!("{}\u{a0}{}", amount(price.cents), price.currency.as_str()));
        price.unwrap_or_default()
    }

    /// The staff members of a service: all, some names, or none.
    fn done_by(&self, service: &Service) -> String {
        let active = self.staff.iter().filter(|member| member.active);
        let offering: Vec<_> = active.clone().filter(|member| member.offers(service.id)).collect();
        if offering.is_empty() {
            return self.sheet.member.t("services-nobody");
        }
        if offering.len() > 1 && offering.len() == active.count() {
            return self.sheet.member.t("services-everybody");
        }
        let names: Vec<_> = offering.iter().map(|member| member.name.as_str()).collect();
        named(&self.sheet.member.view, &names, NAMED)
    }
}

/// An amount in hundredths, with a decimal point.
pub(super) fn amount(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
