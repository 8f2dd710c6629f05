//! A staff member: their services, their hours, and when they are away.

use actors::business::commands::catalog::CreateStaff;
use actors::business::commands::diary::DeleteTimeOff;
use actors::domain::availability::Concerned;
use actors::domain::{BlockedTimeId, Right, Service, StaffId, StaffMember};
use actors::view::OperatorStaffView;
use askama::Template;
use axum::http::StatusCode;

use super::catalog;
use super::choices::zones;
use super::done::Done;
use super::facts::{Line, facts, line, only_for_changing, versions};
use super::times_off::{self, TimesOff};
use super::week::{DayRow, WORKS, WORKS_AGAIN, in_short, rows};
use crate::admin::staff::{StaffBody, StaffPatch};
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Body, Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Choices, Crumb, Fact, Field, Versions};
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, nothing_done, page, see_other};
use crate::http::json::Json;

/// The field that says whether somebody has hours of their own, and what it says where they have.
const HOURS: &str = "whose_hours";
const OWN: &str = "own";
const OF_BUSINESS: &str = "business";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/staff_member.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    path: String,
    above: String,
    crumbs: Vec<Crumb>,
    title: String,
    is_there: bool,
    may: bool,
    done: Done,
    filled: Filled,
    rest: Vec<String>,
    tag: String,
    versions: Versions,
    facts: Vec<Fact>,
    name: Field,
    timezone: Field,
    services: Choices,
    hours: Choices,
    rows: Vec<DayRow>,
    active: bool,
    off: Option<TimesOff>,
}

/// What the forms of the page hold, and what was done.
struct Shown {
    filled: Filled,
    off: Filled,
    /// Whether each day has room for one more time.
    room: bool,
    done: Done,
    status: StatusCode,
}

impl Shown {
    fn of(filled: Filled) -> Self {
        let off = Filled::of(Form::default());
        Self { filled, off, room: false, done: Done::default(), status: StatusCode::OK }
    }
}

fn values(one: &StaffMember) -> Form {
    let mut fields = vec![("name".to_owned(), one.name.clone()), ("timezone".into(), one.zone.name().into())];
    fields.extend(one.service_ids.iter().map(|id| ("service_ids".into(), id.to_string())));
    let whose = if one.hours.is_some() { OWN } else { OF_BUSINESS };
    fields.push((HOURS.into(), whose.into()));
    if let Some(hours) = &one.hours {
        WORKS.fill(&mut fields, hours.days());
    }
    if one.active {
        fields.push(("active".into(), "on".into()));
    }
    Form::of(fields)
}

/// What stands in the form of a new one.
fn new(member: &Member, services: &[Service]) -> Form {
    let zone = ("timezone".to_owned(), member.profile.zone.name().to_owned());
    let fixed = [zone, (HOURS.into(), OF_BUSINESS.into()), ("active".into(), "on".into())];
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
        line(view, "services-status", &view.t(active)),
    ]
}

/// The staff member in the path.
pub(super) async fn find(member: &Member) -> Result<StaffMember, Refused> {
    let id: StaffId = member.param("staff_id").ok_or_else(Refused::not_found)?;
    member.business.staff_member(id).await?.ok_or_else(Refused::not_found)
}

fn path(member: &Member, id: StaffId) -> String {
    member.path_to(&format!("settings/staff/{id}"))
}

/// The page of a new one.
pub(crate) async fn show_new(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let (view, path) = (member.view(), member.path_to("settings/staff/new"));
    let services = catalog::services(&member).await?;
    let filled = Filled::kept(&view, member.kept_form().as_ref(), &path, || new(&member, &services));
    shown(&member, None, Shown::of(filled)).await
}

/// The page of one that is there.
pub(crate) async fn show(member: Member) -> Answered {
    let (view, one) = (member.view(), find(&member).await?);
    let done = Done::said(&view, member.query.get("done"));
    let done = match member.query.get("done") {
        "saved" | "off" => done.with_outside(&member, Concerned::staff(one.id)).await?,
        _ => done,
    };
    let done = done.with_next(&member).await?;
    let (draft, path) = (member.kept_form(), path(&member, one.id));
    let filled = Filled::kept(&view, draft.as_ref(), &path, || values(&one));
    let off = Filled::kept(&view, draft.as_ref(), &format!("{path}/time-off"), Form::default);
    shown(&member, Some(&one), Shown { done, off, ..Shown::of(filled) }).await
}

async fn shown(member: &Member, one: Option<&StaffMember>, shown: Shown) -> Answered {
    let Shown { mut filled, off, room, done, status } = shown;
    let (view, above) = (member.view(), member.path_to("settings/staff"));
    let services = catalog::services(member).await?;
    let now = one.map(|one| lines(&view, &values(one), &services)).unwrap_or_default();
    let mine = if filled.stale { lines(&view, filled.values(), &services) } else { Vec::new() };
    let off = match one {
        Some(one) => Some(TimesOff::of(member, one.id, off).await?),
        None => None,
    };
    let zone = filled.get("timezone").to_owned();
    let timezone = Field::select("timezone", view.t("staff-zone"), zones(&zone));
    let shown = Page {
        frame: member.frame("settings/staff"),
        path: one.map_or_else(|| format!("{above}/new"), |one| path(member, one.id)),
        crumbs: vec![Crumb { label: view.t("settings-staff"), path: above.clone() }],
        above,
        title: one.map_or_else(|| view.t("staff-add"), |one| one.name.clone()),
        is_there: one.is_some(),
        may: member.may(Right::Settings),
        done,
        tag: one.map(|one| filled.tag(&OperatorStaffView::from(one))).unwrap_or_default(),
        versions: versions(&filled, mine, now.clone()),
        facts: facts(now),
        name: filled.field(&view, Field::line("name", view.t("name")).hint(view.t("staff-name-hint"))),
        timezone: filled.field(&view, timezone.hint(view.t("staff-zone-hint"))),
        services: offered(&view, &mut filled, &services),
        hours: whose_hours(&view, &filled),
        rows: rows(&view, &mut filled, (&WORKS, &WORKS_AGAIN), "staff-works-on", room),
        active: filled.has("active"),
        off,
        rest: filled.rest(&view),
        filled,
        view,
    };
    Ok(page(status, &shown)?)
}

/// The services to tick; one that is not offered any more stands there where it is ticked.
fn offered(view: &View, filled: &mut Filled, services: &[Service]) -> Choices {
    let choice = |service: &Service| {
        let id = service.id.to_string();
        let chosen = filled.is_ticked("service_ids", &id);
        let hint = if service.active { String::new() } else { view.t("service-not-offered") };
        (chosen || service.active).then(|| Choice { chosen, hint, ..Choice::new(id, service.name.clone()) })
    };
    let all = services.iter().filter_map(choice).collect();
    let problem = filled.problem(view, "service_ids");
    let (id, label) = ("service_ids".into(), view.t("settings-services"));
    Choices { id, label, kind: "checkbox", problem, all, ..Choices::default() }
}

fn whose_hours(view: &View, filled: &Filled) -> Choices {
    let own = filled.get(HOURS) == OWN;
    let all = vec![
        Choice { chosen: !own, ..Choice::new(OF_BUSINESS, view.t("staff-whenever")) },
        Choice { chosen: own, ..Choice::new(OWN, view.t("staff-own-hours")) },
    ];
    let (id, label) = (HOURS.into(), view.t("settings-hours"));
    Choices { id, label, kind: "radio", all, ..Choices::default() }
}

/// The form as the body that both changes take, and the fields of its hours.
fn body(member: &Member) -> (Body<'_>, Vec<[String; 2]>) {
    let body = member.body().text("name").text("timezone").list("service_ids").ticked("active");
    if member.form.get(HOURS) != OWN {
        return (body.with("hours", Json::Null), Vec::new());
    }
    let (hours, fields) = WORKS.read(&member.form);
    (body.with("hours", hours), fields)
}

/// The form once more, in which each day has room for one more time.
fn with_room(member: &Member) -> Option<Shown> {
    let filled = member.form.find("room").map(|_| Filled::of(member.form.clone()))?;
    Some(Shown { room: true, ..Shown::of(filled) })
}

/// The form that was refused, its hours' problems beside their days.
fn refused(member: &Member, undone: Undone, fields: &[[String; 2]]) -> Shown {
    let undone = match undone {
        Undone::Invalid(mut problems) => {
            WORKS.beside(&mut problems, fields);
            Undone::Invalid(problems)
        }
        undone => undone,
    };
    let status = undone.status();
    Shown { status, ..Shown::of(Filled::refused(&member.view(), &member.form, undone)) }
}

/// Adds a staff member.
pub(crate) async fn add(member: Member) -> Answered {
    if let Some(room) = with_room(&member) {
        return Ok(nothing_done(shown(&member, None, room).await?));
    }
    let (body, fields) = body(&member);
    let undone = match body.read::<StaffBody>() {
        Ok(body) => match member.change(CreateStaff::from(body)).await? {
            Ok(_) => return Ok(see_other(&format!("{}?done=added", member.path_to("settings/staff")))),
            Err(undone) => undone,
        },
        Err(undone) => undone,
    };
    shown(&member, None, refused(&member, undone, &fields)).await
}

/// Changes one.
pub(crate) async fn sent(member: Member) -> Answered {
    let one = find(&member).await?;
    if let Some(room) = with_room(&member) {
        return Ok(nothing_done(shown(&member, Some(&one), room).await?));
    }
    let (body, fields) = body(&member);
    let undone = match body.read::<StaffPatch>() {
        Ok(patch) => match member.change(patch.change(one.id)).await? {
            Ok(_) => return Ok(see_other(&format!("{}?done=saved", path(&member, one.id)))),
            Err(undone) => undone,
        },
        Err(undone) => undone,
    };
    shown(&member, Some(&one), refused(&member, undone, &fields)).await
}

/// Gives them time off.
pub(crate) async fn add_time_off(member: Member) -> Answered {
    let one = find(&member).await?;
    let undone = match times_off::read(&member) {
        Ok(body) => match body.change(one.id) {
            Ok(change) => match member.change(change).await? {
                Ok(_) => return Ok(see_other(&format!("{}?done=off#off", path(&member, one.id)))),
                Err(undone) => undone,
            },
            Err(refusal) => Undone::of(refusal.into())?,
        },
        Err(undone) => undone,
    };
    refused_off(&member, &one, times_off::beside(undone)).await
}

/// Takes time off back.
pub(crate) async fn remove_time_off(member: Member) -> Answered {
    let one = find(&member).await?;
    let id: BlockedTimeId = member.param("time_off_id").ok_or_else(Refused::not_found)?;
    match member.change(DeleteTimeOff { staff_id: one.id, id }).await? {
        Ok(_) => Ok(see_other(&format!("{}?done=removed#off", path(&member, one.id)))),
        Err(undone) => refused_off(&member, &one, undone).await,
    }
}

async fn refused_off(member: &Member, one: &StaffMember, undone: Undone) -> Answered {
    let (view, status) = (member.view(), undone.status());
    let mut off = Filled::refused(&view, &member.form, undone);
    if off.stale {
        off.notice = view.t("settings-changed-meanwhile");
    }
    shown(member, Some(one), Shown { off, status, ..Shown::of(Filled::of(values(one))) }).await
}
