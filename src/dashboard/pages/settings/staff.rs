//! The list of staff members.

use std::collections::HashMap;

use domain::{Right, ServiceId, StaffMember};

use super::choices::named;
use super::done::Done;
use super::week::{WORKS, in_short};
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 6;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/staff.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    staff: Vec<StaffMember>,
    /// The names of all services.
    services: HashMap<ServiceId, String>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let part = member.part("dashboard staff", SHOWN, &[]);
    let found = member.business.staff(&part.request).await?;
    let services = member.services().await?.into_iter();
    page(&Page {
        sheet: member.sheet("settings/staff"),
        done: Done::said(&member).with_next(&member).await?,
        staff: found.items,
        services: services.map(|service| (service.id, service.name)).collect(),
        pages: part.pages(found.next.as_deref()),
    })
}

impl Page<'_> {
    /// The services of a staff member: all, some names, or none.
    fn offers(&self, one: &StaffMember) -> String {
        let offered = one.service_ids.iter().filter_map(|id| self.services.get(id));
        let offered: Vec<_> = offered.map(String::as_str).collect();
        if offered.is_empty() {
            return self.sheet.member.t("staff-no-services");
        }
        if offered.len() > 1 && offered.len() == self.services.len() {
            return self.sheet.member.t("staff-all-services");
        }
        named(&self.sheet.member.view, &offered, NAMED)
    }

    fn hours(&self, one: &StaffMember) -> String {
        let Some(hours) = &one.hours else { return self.sheet.member.t("staff-whenever") };
        let mut fields = Vec::new();
        WORKS.fill(&mut fields, hours.days());
        let said = in_short(&self.sheet.member.view, &Form::of(fields), &WORKS);
        if said.is_empty() { self.sheet.member.t("staff-never") } else { said }
    }
}
