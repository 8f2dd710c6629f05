//! The list of staff members.

use std::collections::HashMap;

use domain::{Right, ServiceId, StaffMember};

use super::catalog;
use super::done::Done;
use super::week::{WORKS, in_short};
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 6;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/staff.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    may: bool,
    people: Option<String>,
    done: Done,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    path: String,
    name: String,
    initials: String,
    services: String,
    hours: String,
    active: bool,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let part = member.part("dashboard staff", SHOWN, &[]);
    let found = member.business.staff(&part.request).await?;
    let services = catalog::services(&member).await?;
    let names: HashMap<ServiceId, String> =
        services.into_iter().map(|service| (service.id, service.name)).collect();
    let path = member.path_to("settings/staff");
    let people = member.may(Right::People) && member.desk.pages.contains("settings/people");
    let shown = Page {
        sheet: member.sheet("settings/staff"),
        may: member.may(Right::Settings),
        people: people.then(|| member.path_to("settings/people")),
        done: Done::said(&view, member.query.get("done")).with_next(&member).await?,
        rows: found.items.iter().map(|one| row(&view, &path, one, &names)).collect(),
        pages: part.pages(found.next.as_deref()),
        path,
    };
    page(&shown)
}

fn row(view: &View, path: &str, one: &StaffMember, names: &HashMap<ServiceId, String>) -> Row {
    Row {
        path: format!("{path}/{}", one.id),
        name: one.name.clone(),
        initials: initials(&one.name),
        services: offers(view, one, names),
        hours: hours(view, one),
        active: one.active,
    }
}

/// The services of a staff member: all, some names, or none.
fn offers(view: &View, one: &StaffMember, names: &HashMap<ServiceId, String>) -> String {
    let offered: Vec<_> = one.service_ids.iter().filter_map(|id| names.get(id)).map(String::as_str).collect();
    if offered.is_empty() {
        return view.t("staff-no-services");
    }
    if offered.len() > 1 && offered.len() == names.len() {
        return view.t("staff-all-services");
    }
    catalog::named(view, &offered, NAMED)
}

fn hours(view: &View, one: &StaffMember) -> String {
    let Some(hours) = &one.hours else { return view.t("staff-whenever") };
    let mut fields = Vec::new();
    WORKS.fill(&mut fields, hours.days());
    let said = in_short(view, &Form::of(fields), &WORKS);
    if said.is_empty() { view.t("staff-never") } else { said }
}
