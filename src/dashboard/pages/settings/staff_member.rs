//! The list of the staff members, and the page of a staff member with services, working hours, and time off.

use std::collections::HashMap;

use domain::availability::Concerned;
use domain::{BlockedTimeId, Right, Service, ServiceId, StaffId, StaffMember};
use engine::business::commands::catalog::CreateStaff;
use engine::business::commands::diary::DeleteTimeOff;
use view::OperatorStaffView;

use super::parts::{Done, color, colors, line, named, only_for_changing, versions, zones};
use super::times_off::{self, TimesOff};
use super::week::{DayRow, WORKS, WORKS_AGAIN, in_short, rows};
use crate::admin::staff::{StaffBody, StaffPatch};
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 6;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/staff.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: Done,
    staff: Vec<StaffMember>,
    services: HashMap<ServiceId, String>,
    pages: Pages,
}

pub(crate) async fn list(member: Member) -> Answered {
    let part = member.part("dashboard staff", SHOWN, &[]);
    let (shown, next) = part.of(member.staff().await?, |one| one.id);
    let services = member.services().await?.into_iter();
    page(&List {
        sheet: member.sheet("settings/staff"),
        done: Done::said(&member).with_next(&member).await?,
        staff: shown,
        services: services.map(|service| (service.id, service.name)).collect(),
        pages: part.pages(next.as_deref()),
    })
}

impl List<'_> {
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

/// The field that says whether the staff member follows the opening hours or has their own hours, and the
/// value of this field for own hours.
const HOURS: &str = "whose_hours";
const OWN: &str = "own";
const OF_BUSINESS: &str = "business";
const ROOM: &str = "room";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/staff_member.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    path: String,
    title: String,
    is_there: bool,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    name: Field,
    timezone: Field,
    position: Field,
    color: Field,
    services: Field,
    hours: Field,
    rows: Vec<DayRow>,
    active: bool,
    off: Option<TimesOff>,
}

fn values(one: &StaffMember) -> Form {
    let mut fields = vec![("name".to_owned(), one.name.clone()), ("timezone".into(), one.zone.name().into())];
    fields.extend(one.service_ids.iter().map(|id| ("service_ids".into(), id.to_string())));
    let whose = if one.hours.is_some() { OWN } else { OF_BUSINESS };
    fields.push((HOURS.into(), whose.into()));
    fields.push(("position".into(), one.position.to_string()));
    fields.push(("color".into(), one.color.map(|color| color.to_string()).unwrap_or_default()));
    if let Some(hours) = &one.hours {
        WORKS.fill(&mut fields, hours.days());
    }
    if one.active {
        fields.push(("active".into(), "on".into()));
    }
    Form::of(fields)
}

fn new(member: &Member, services: &[Service]) -> Form {
    let zone = ("timezone".to_owned(), member.profile.zone.name().to_owned());
    let fixed = [
        zone,
        (HOURS.into(), OF_BUSINESS.into()),
        ("position".into(), "0".into()),
        ("active".into(), "on".into()),
    ];
    let offered = services.iter().filter(|service| service.active);
    Form::of(fixed.into_iter().chain(offered.map(|service| ("service_ids".into(), service.id.to_string()))))
}

fn lines(view: &View, form: &Form, services: &[Service]) -> Vec<Line> {
    let offered = services.iter().filter(|service| {
        let id = service.id.to_string();
        form.all("service_ids").any(|offered| offered == id)
    });
    let offered = offered.map(|service| service.name.as_str()).collect::<Vec<_>>().join(", ");
    let active = if form.find("active").is_some() { "staff-bookable" } else { "staff-not-bookable" };
    let hours = match form.get(HOURS) {
        OWN => in_short(view, form, &WORKS),
        _ => view.t("staff-whenever"),
    };
    vec![
        line(view, "name", form.get("name")),
        line(view, "staff-zone", form.get("timezone")),
        line(view, "settings-services", &offered),
        line(view, "settings-hours", &hours),
        line(view, "position", form.get("position")),
        line(view, "color", &color(view, form.get("color"))),
        line(view, "services-status", &view.t(active)),
    ]
}

pub(super) async fn find(member: &Member) -> Result<StaffMember, Refused> {
    member.business.staff_member(member.id("staff_id")?).await?.ok_or_else(Refused::not_found)
}

fn path(member: &Member, id: StaffId) -> String {
    member.path_to(&format!("settings/staff/{id}"))
}

pub(crate) async fn show_new(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let services = member.services().await?;
    let filled = member.filled(&member.path_to("settings/staff/new"), || new(&member, &services));
    shown(&member, None, filled, Filled::default(), Done::default()).await
}

pub(crate) async fn show(member: Member) -> Answered {
    let one = find(&member).await?;
    let is_concerned = matches!(member.query.get("done"), "saved" | "off");
    let concerned = is_concerned.then(|| Concerned::staff(one.id));
    let done = Done::said(&member).with_outside(&member, concerned).await?.with_next(&member).await?;
    let (draft, path) = (member.kept_form(), path(&member, one.id));
    let filled = Filled::kept(&member.view, draft.as_ref(), &path, || values(&one));
    let off = Filled::kept(&member.view, draft.as_ref(), &format!("{path}/time-off"), Form::default);
    shown(&member, Some(&one), filled, off, done).await
}

/// The page of a staff member. `filled` is the form of the staff member, and `off` is the form for time off.
async fn shown(
    member: &Member,
    one: Option<&StaffMember>,
    mut filled: Filled,
    off: Filled,
    done: Done,
) -> Answered {
    // The button `ROOM` adds fields for another range of hours to each day.
    let room = member.form.find(ROOM).is_some();
    let status = if off.status == StatusCode::OK { filled.status } else { off.status };
    let view = &member.view;
    let services = member.services().await?;
    let now = one.map(|one| lines(view, &values(one), &services)).unwrap_or_default();
    let mine = lines(view, filled.values(), &services);
    let off = match one {
        Some(one) => Some(TimesOff::of(member, one.id, off).await?),
        None => None,
    };
    let zone = filled.get("timezone").to_owned();
    let timezone = Field::select("timezone", view.t("staff-zone"), zones(&zone));
    let position = Field::line("position", view.t("position")).class("short");
    let shown = Page {
        sheet: member.sheet_below("settings/staff"),
        path: one.map_or_else(|| member.path_to("settings/staff/new"), |one| path(member, one.id)),
        title: one.map_or_else(|| view.t("staff-add"), |one| one.name.clone()),
        is_there: one.is_some(),
        done,
        tag: one.map(|one| filled.tag(&OperatorStaffView::from(one))).unwrap_or_default(),
        versions: versions(&filled, mine, now.clone()),
        facts: now,
        name: filled.field(view, Field::line("name", view.t("name")).hint(view.t("staff-name-hint"))),
        timezone: filled.field(view, timezone.hint(view.t("staff-zone-hint"))),
        position: filled.field(view, position.hint(view.t("position-hint"))),
        color: filled.field(view, colors(view)),
        services: offered(view, &mut filled, &services),
        hours: whose_hours(view, &filled),
        rows: rows(view, &mut filled, (&WORKS, &WORKS_AGAIN), "staff-works-on", room),
        active: filled.has("active"),
        off,
        filled,
    };
    page_as(status, &shown)
}

/// The options for the services. An inactive service is an option only if it is ticked.
fn offered(view: &View, filled: &mut Filled, services: &[Service]) -> Field {
    let choice = |service: &Service| {
        let id = service.id.to_string();
        let is_offered = service.active || filled.is_ticked("service_ids", &id);
        let hint = if service.active { String::new() } else { view.t("service-not-offered") };
        is_offered.then(|| Choice { hint, ..Choice::new(id, service.name.clone()) })
    };
    let all: Vec<_> = services.iter().filter_map(choice).collect();
    filled.field(view, Field::choices("service_ids", "checkbox", view.t("settings-services"), all))
}

fn whose_hours(view: &View, filled: &Filled) -> Field {
    let own = filled.get(HOURS) == OWN;
    let all = [
        Choice { chosen: !own, ..Choice::new(OF_BUSINESS, view.t("staff-whenever")) },
        Choice { chosen: own, ..Choice::new(OWN, view.t("staff-own-hours")) },
    ];
    Field::choices(HOURS, "radio", view.t("settings-hours"), all)
}

fn body(member: &Member) -> (Body<'_>, Vec<[String; 2]>) {
    let body = member.body().text("name").text("timezone").list("service_ids").ticked("active");
    let body = body.number("position").optional_number("color");
    if member.form.get(HOURS) != OWN {
        return (body.with("hours", Json::Null), Vec::new());
    }
    let (hours, fields) = WORKS.read(&member.form);
    (body.with("hours", hours), fields)
}

async fn with_room(member: &Member, one: Option<&StaffMember>) -> Answered {
    let filled = Filled::of(member.form.clone());
    Ok(nothing_done(shown(member, one, filled, Filled::default(), Done::default()).await?))
}

async fn saved(
    member: &Member,
    one: Option<&StaffMember>,
    done: Result<String, Refused>,
    fields: &[[String; 2]],
) -> Answered {
    let done = done.map_err(|refused| refused.beside(|problem| WORKS.beside(problem, fields)));
    member.answered(done, |filled| shown(member, one, filled, Filled::default(), Done::default())).await
}

pub(crate) async fn add(member: Member) -> Answered {
    if member.form.find(ROOM).is_some() {
        return with_room(&member, None).await;
    }
    let (body, fields) = body(&member);
    let done = async {
        member.change(CreateStaff::from(body.read::<StaffBody>()?)).await?;
        Ok(member.path_to("settings/staff?done=added"))
    };
    saved(&member, None, done.await, &fields).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let one = find(&member).await?;
    if member.form.find(ROOM).is_some() {
        return with_room(&member, Some(&one)).await;
    }
    let (body, fields) = body(&member);
    let done = async {
        member.change(body.read::<StaffPatch>()?.change(one.id)).await?;
        Ok(format!("{}?done=saved", path(&member, one.id)))
    };
    saved(&member, Some(&one), done.await, &fields).await
}

pub(crate) async fn add_time_off(member: Member) -> Answered {
    let one = find(&member).await?;
    let done = async {
        let change = times_off::read(&member)?.change(one.id).map_err(FormError::of)?;
        member.change(change).await?;
        Ok(format!("{}?done=off#off", path(&member, one.id)))
    };
    let done = done.await.map_err(|refused: Refused| refused.beside(times_off::beside));
    member.answered(done, |off| with_off(&member, &one, off)).await
}

pub(crate) async fn remove_time_off(member: Member) -> Answered {
    let one = find(&member).await?;
    let id: BlockedTimeId = member.id("time_off_id")?;
    let done = member.change(DeleteTimeOff { staff_id: one.id, id }).await;
    let done = done.map(|_| format!("{}?done=removed#off", path(&member, one.id)));
    member.answered(done, |off| with_off(&member, &one, off)).await
}

async fn with_off(member: &Member, one: &StaffMember, mut off: Filled) -> Answered {
    if off.stale {
        off.notice = member.t("settings-changed-meanwhile");
    }
    shown(member, Some(one), Filled::of(values(one)), off, Done::default()).await
}
