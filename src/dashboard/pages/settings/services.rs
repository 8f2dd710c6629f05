//! The list of services.

use domain::{Right, Service, StaffMember};

use super::catalog;
use super::choices::how_long;
use super::done::Done;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 4;
const DESCRIPTION_CHARS: usize = 160;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/services.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    may: bool,
    done: Done,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    path: String,
    name: String,
    description: String,
    takes: String,
    price: String,
    around: String,
    notice: String,
    staff: String,
    active: bool,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let part = member.part("dashboard services", SHOWN, &[]);
    let found = member.business.services(true, &part.request).await?;
    let staff = catalog::staff(&member).await?;
    let path = member.path_to("settings/services");
    let shown = Page {
        sheet: member.sheet("settings/services"),
        may: member.may(Right::Settings),
        done: Done::said(&view, member.query.get("done")).with_next(&member).await?,
        rows: found.items.iter().map(|service| row(&view, &path, service, &staff)).collect(),
        pages: part.pages(found.next.as_deref()),
        path,
    };
    page(&shown)
}

fn row(view: &View, path: &str, service: &Service, staff: &[StaffMember]) -> Row {
    let (before, after) = (service.buffers.before_minutes(), service.buffers.after_minutes());
    let around = [("before", Value::Count(before.into())), ("after", Value::Count(after.into()))];
    let notice = service.min_notice_minutes;
    Row {
        path: format!("{path}/{}", service.id),
        name: service.name.clone(),
        description: plain(&service.description, DESCRIPTION_CHARS),
        takes: view.count("count-minutes", service.duration_minutes.into()),
        price: price(service),
        around: if before + after == 0 { String::new() } else { view.words.say("services-around", &around) },
        notice: if notice == 0 { view.t("services-no-notice") } else { how_long(view, notice) },
        staff: done_by(view, service, staff),
        active: service.active,
    }
}

/// The price with its currency. It is empty without a price.
pub(super) fn price(service: &Service) -> String {
    let price = |price: domain::Price| format!("{}\u{a0}{}", amount(price.cents), price.currency.as_str());
    service.price.map(price).unwrap_or_default()
}

/// An amount in hundredths, with a decimal point.
pub(super) fn amount(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The staff members of a service: all, some names, or none.
fn done_by(view: &View, service: &Service, staff: &[StaffMember]) -> String {
    let active = staff.iter().filter(|member| member.active);
    let offering: Vec<_> = active.clone().filter(|member| member.offers(service.id)).collect();
    if offering.is_empty() {
        return view.t("services-nobody");
    }
    if offering.len() > 1 && offering.len() == active.count() {
        return view.t("services-everybody");
    }
    let names: Vec<_> = offering.iter().map(|member| member.name.as_str()).collect();
    catalog::named(view, &names, NAMED)
}
