//! The pages that connect, change and disconnect calendars, and the rows of the list of connected calendars.
//! A member manages the calendars of the staff member to whom the member is linked, and gets a 404 for any other
//! calendar.
//!
//! Invariant: no page contains the address or the password of a connected calendar. Between the discovery and the
//! choice of a calendar, both are only in memory, for at most 10 minutes ([`super::pending`]).

use domain::{
    AllDay, CalendarError, CalendarId, CalendarKind, CalendarStatus, FeedDetail, Right, StaffMember,
};
use engine::business::commands::calendars::{DisconnectCalendar, ReadCalendar, RemoveCalendar};
use engine::calendars::connecting::DiscoveredCalendar;
use view::CalendarView;

use crate::admin::calendars::{CalendarBody, CalendarPatchBody, DiscoverBody};
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::problems;

const PLACE: &str = "settings/calendars";
const SHOWN: usize = 50;
const FIELDS: [&str; 9] =
    ["staff_id", "kind", "url", "username", "password", "name", WRITE, "detail", "all_day"];
/// The field that states the use of a calendar, with the values below.
const WRITE: &str = "write";
/// The events of the calendar block bookings.
const READ_ONLY: &str = "read";
/// Appointments are also written to the calendar.
const BOTH: &str = "both";
/// Appointments are only written to the calendar.
const WRITE_ONLY: &str = "write";

/// A page of the calendars that the person may manage.
pub(super) async fn calendars(member: &Member) -> Result<(Vec<CalendarView>, Pages), Refused> {
    let (part, own) = (member.part("calendars", SHOWN, &[]), Some(&member.membership));
    let found = part.read(|page| async move { member.business.calendars(None, own, &page).await }).await?;
    Ok((found.items, part.pages(found.next.as_deref())))
}

impl View {
    /// The class and the text of a calendar's status.
    pub(super) fn calendar_status(&self, status: CalendarStatus) -> (&'static str, String) {
        let class = match status {
            CalendarStatus::Connected => "delivered",
            CalendarStatus::Connecting | CalendarStatus::Disconnecting => "pending",
            CalendarStatus::Failing | CalendarStatus::Stopped => "failed",
        };
        (class, self.t(&format!("calendars-is-{status}")))
    }

    pub(super) fn calendar_error(&self, calendar: &CalendarView) -> String {
        let Some(error) = &calendar.error else { return String::new() };
        problems::calendar(self.words, &CalendarError { code: error.code, host: error.host.clone() })
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/connect.html", config = "src/askama.toml")]
struct Connect<'a> {
    sheet: Sheet<'a>,
    filled: Filled,
    fields: Vec<Field>,
    kind: Field,
    choices: [Field; 3],
}

/// The choice of the use of a calendar.
fn uses(view: &View) -> Field {
    let choices = [READ_ONLY, BOTH, WRITE_ONLY].map(|value| Choice {
        hint: view.t(&format!("calendars-use-{value}-hint")),
        ..Choice::new(value, view.t(&format!("calendars-use-{value}")))
    });
    Field::choices(WRITE, "radio", view.t("calendars-use"), choices).class("boxes")
}

fn details(view: &View) -> Field {
    let choices = FeedDetail::ALL.iter().map(|detail| Choice {
        hint: view.t(&format!("feeds-detail-{detail}-hint")),
        ..Choice::new(detail.as_str(), view.t(&format!("feeds-detail-{detail}")))
    });
    let field = Field::choices("detail", "radio", view.t("calendars-detail"), choices).class("boxes");
    field.hint(view.t("calendars-detail-hint"))
}

/// Sets `busy` and `write` in a body, according to the chosen use of the calendar.
fn with_use<'a>(body: Body<'a>, chosen: &str) -> Body<'a> {
    let body = body.with("busy", Json::Bool(chosen != WRITE_ONLY));
    body.with("write", Json::Bool(matches!(chosen, BOTH | WRITE_ONLY)))
}

fn form(member: &Member, mut filled: Filled, staff: &[StaffMember]) -> Answered {
    let (view, own) = (&member.view, &member.membership);
    let offered = staff.iter().filter(|one| one.active && own.sees_calendars_of(Some(one.id)));
    let staff = offered.map(|one| Choice::new(one.id.to_string(), one.name.as_str()));
    let kinds = CalendarKind::ALL.iter().rev().map(|kind| Choice {
        hint: view.t(&format!("calendars-kind-{kind}-hint")),
        ..Choice::new(kind.as_str(), view.t(&format!("calendars-kind-{kind}")))
    });
    let password = Field::new("password", "password", "off", view.t("calendars-password"));
    let password = password.optional().hint(view.t("calendars-password-hint"));
    let password = password.problem(Some(filled.problem(view, "password")));
    let fields = vec![
        filled.field(view, Field::select("staff_id", view.t("calendars-staff"), staff)),
        filled.field(view, Field::line("url", view.t("calendars-url")).hint(view.t("calendars-url-hint"))),
        filled.field(view, Field::line("username", view.t("calendars-username")).optional()),
        password,
        filled.field(view, Field::line("name", view.t("calendars-name")).optional()),
    ];
    let kind = Field::choices("kind", "radio", view.t("calendars-kind"), kinds).class("boxes");
    let kind = filled.field(view, kind);
    let choices = [uses(view), details(view), all_day(view)].map(|field| filled.field(view, field));
    page_as(filled.status, &Connect { sheet: member.sheet_below(PLACE), filled, fields, kind, choices })
}

fn all_day(view: &View) -> Field {
    let choice =
        |effect: &AllDay| Choice::new(effect.as_str(), view.t(&format!("calendars-all-day-{effect}")));
    Field::choices("all_day", "radio", view.t("calendars-all-day"), AllDay::ALL.iter().map(choice))
}

pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Own)?;
    let start = || {
        Form::of([
            ("kind", CalendarKind::Ics.as_str()),
            (WRITE, READ_ONLY),
            ("detail", FeedDetail::Services.as_str()),
            ("all_day", AllDay::Busy.as_str()),
        ])
    };
    let filled = member.filled(member.path(), start);
    form(&member, filled, &member.staff().await?)
}

pub(crate) async fn connect(member: Member) -> Answered {
    match connected(&member).await {
        Err(Refused::FormError(undone)) => form(&member, member.refused(undone), &member.staff().await?),
        connected => connected,
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/choose.html", config = "src/askama.toml")]
struct Choose<'a> {
    sheet: Sheet<'a>,
    token: String,
    calendars: Field,
}

async fn connected(member: &Member) -> Answered {
    let given = |name: &'static str| (name, member.form.get(name).to_owned());
    let fields: Vec<_> = FIELDS.map(given).into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    if member.form.get("kind") != CalendarKind::Caldav.as_str() {
        return add(member, &fields, None).await;
    }
    let password = Json::String(member.form.get("password").to_owned());
    let account = member.body().text("url").text("username").with("password", password);
    let (url, login) = account.read::<DiscoverBody>()?.account();
    let found = member.business.discover_calendars(&url, &login).await.map_err(FormError::of)?;
    let of = (member.actor(), member.business.id());
    let random: [u8; 16] = member.desk.engine.ports().random_bytes();
    let token = u128::from_be_bytes(random).to_string();
    member.desk.pending_forms.keep(token.clone(), of, fields);
    choose(member, token, found)
}

fn choose(member: &Member, token: String, found: Vec<DiscoveredCalendar>) -> Answered {
    let first = found.first().map(|one| one.url.as_str().to_owned()).unwrap_or_default();
    let offered = found.into_iter().map(|one| Choice::new(one.url.as_str(), one.name));
    let calendars = Field::choices("calendar", "radio", member.t("calendars-choose"), offered).chosen(&first);
    page(&Choose { sheet: member.sheet_below(PLACE), token, calendars })
}

/// Connects the chosen calendar. If the form is no longer in memory, the person fills it in again.
pub(crate) async fn chosen(member: Member) -> Answered {
    let (token, of) = (member.form.get("held").to_owned(), (member.actor(), member.business.id()));
    let again = see_other(&member.path_to("settings/calendars/connect"));
    let Some(fields) = member.desk.pending_forms.find(&token, of) else { return Ok(again) };
    let added = add(&member, &fields, Some(member.form.get("calendar"))).await;
    if added.is_ok() {
        member.desk.pending_forms.forget(&token);
    }
    match added {
        Err(Refused::FormError(undone)) => {
            let staff = member.staff().await?;
            form(&member, member.refused(undone), &staff)
        }
        added => added,
    }
}

async fn add(member: &Member, fields: &[(&'static str, String)], calendar: Option<&str>) -> Answered {
    let trimmed = |name: &str, text: &str| {
        Json::String(if name == "password" { text.to_owned() } else { text.trim().to_owned() })
    };
    let chosen = fields.iter().find(|(name, _)| *name == WRITE).map_or("", |(_, text)| text.as_str());
    let others = fields.iter().filter(|(name, _)| *name != WRITE);
    let body = others.fold(member.body(), |body, (name, text)| body.with(name, trimmed(name, text)));
    let body = with_use(body, chosen);
    let body = match calendar {
        Some(calendar) => body.with("calendar", Json::String(calendar.to_owned())),
        None => body,
    };
    let change = body.read::<CalendarBody>()?.checked(&member.business).await.map_err(FormError::of)?;
    member.change(change).await?;
    Ok(see_other(&member.path_to("settings/calendars?done=connected")))
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/change.html", config = "src/askama.toml")]
struct ChangePage<'a> {
    sheet: Sheet<'a>,
    title: String,
    sub: String,
    calendar: CalendarView,
    fields: Vec<Field>,
    choices: Vec<Field>,
    versions: Versions,
    tag: String,
    filled: Filled,
}

/// The present values of the form's fields. The secrets are omitted, because no page shows a stored secret.
fn values(calendar: &CalendarView) -> Form {
    let it = &calendar.settings;
    Form::of([
        ("name", it.name.as_str()),
        ("username", it.username.as_deref().unwrap_or_default()),
        ("own_addresses", &it.own_addresses.join("\n")),
        (
            WRITE,
            if !it.write {
                READ_ONLY
            } else if it.busy {
                BOTH
            } else {
                WRITE_ONLY
            },
        ),
        ("detail", it.detail.as_str()),
        ("all_day", it.all_day.as_str()),
    ])
}

pub(crate) async fn ask_change(member: Member) -> Answered {
    let calendar = seen(&member).await?;
    let filled = member.filled(member.path(), || values(&calendar));
    change_form(&member, calendar, filled).await
}

async fn change_form(member: &Member, calendar: CalendarView, mut filled: Filled) -> Answered {
    let (view, it) = (&member.view, &calendar.settings);
    let url = Field::line("url", view.t("calendars-url")).hint(view.t("calendars-change-url-hint"));
    let own = Field::area("own_addresses", view.t("calendars-own-addresses"));
    let own = own.optional().class("low").hint(view.t("calendars-own-addresses-hint"));
    let mut fields = vec![
        filled.field(view, Field::line("name", view.t("calendars-name"))),
        filled.field(view, url.optional()),
    ];
    if it.kind == CalendarKind::Caldav {
        let password = Field::new("password", "password", "off", view.t("calendars-password"));
        let password = password.optional().hint(view.t("calendars-change-password-hint"));
        fields.push(filled.field(view, Field::line("username", view.t("calendars-username"))));
        fields.push(password.problem(Some(filled.problem(view, "password"))));
    }
    fields.push(filled.field(view, own));
    let choices = match it.kind {
        CalendarKind::Caldav => vec![uses(view), details(view), all_day(view)],
        CalendarKind::Ics => vec![all_day(view)],
    };
    let choices = choices.into_iter().map(|field| filled.field(view, field)).collect();
    let theirs = values(&calendar);
    let fact =
        |label: &str, name: &str| (view.t(label), filled.get(name).to_owned(), theirs.get(name).to_owned());
    let versions = filled.versions([
        fact("calendars-name", "name"),
        fact("calendars-username", "username"),
        fact("calendars-own-addresses", "own_addresses"),
    ]);
    let staff = member.staff().await?.into_iter().find(|one| one.id == it.staff_id);
    let of = [("staff", staff.map(|one| one.name).unwrap_or_default()), ("host", it.host.clone())];
    let shown = ChangePage {
        sheet: member.sheet_below(PLACE),
        title: member.with("calendars-change-title", "name", &it.name),
        sub: member.says("calendars-change-sub", &of),
        fields,
        choices,
        versions,
        tag: filled.tag(it),
        calendar,
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn change(member: Member) -> Answered {
    let calendar = seen(&member).await?;
    let (it, form) = (&calendar.settings, &member.form);
    let done = async {
        let own = form.get("own_addresses").lines().map(str::trim).filter(|line| !line.is_empty());
        let own = own.map(|line| Json::String(line.to_owned())).collect();
        let body = member.body().text("name").text("all_day").given("url", "url");
        let mut body = body.with("own_addresses", Json::Array(own));
        if it.kind == CalendarKind::Caldav {
            body = with_use(body.text("detail"), form.get(WRITE));
        }
        // If the change contains a user name, the service reads the calendar to check the login. So an unchanged user
        // name is omitted.
        if it.username.as_ref().is_some_and(|name| form.get("username").trim() != name) {
            body = body.text("username");
        }
        if !form.get("password").is_empty() {
            body = body.with("password", Json::String(form.get("password").to_owned()));
        }
        let change = body.read::<CalendarPatchBody>()?.checked(it.id, &member.business).await;
        member.change(change.map_err(FormError::of)?).await?;
        Ok(member.path_to("settings/calendars?done=changed"))
    };
    let done = done.await;
    member.answered(done, |filled| async { change_form(&member, seen(&member).await?, filled).await }).await
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/disconnect.html", config = "src/askama.toml")]
struct Disconnect<'a> {
    sheet: Sheet<'a>,
    title: String,
    calendar: CalendarView,
    remove: Option<Field>,
}

pub(super) async fn seen(member: &Member) -> Result<CalendarView, Refused> {
    let calendar = member.business.calendar(member.id::<CalendarId>("calendar_id")?).await?;
    let is_seen = |it: &CalendarView| member.membership.sees_calendars_of(Some(it.settings.staff_id));
    calendar.filter(is_seen).ok_or_else(Refused::not_found)
}

pub(crate) async fn ask_disconnect(member: Member) -> Answered {
    let calendar = seen(&member).await?;
    let title = member.with("calendars-disconnect-title", "name", &calendar.settings.name);
    let remove = calendar.settings.write.then(|| {
        let choice = Choice::new("true", member.t("calendars-remove-events"));
        let field = Field::choices("remove_events", "checkbox", member.t("calendars-written"), [choice]);
        field.hint(member.t("calendars-remove-events-hint"))
    });
    page(&Disconnect { sheet: member.sheet_below(PLACE), title, calendar, remove })
}

pub(crate) async fn disconnect(member: Member) -> Answered {
    let id = seen(&member).await?.settings.id;
    if member.form.get("remove_events") == "true" {
        member.business.change(member.request(), RemoveCalendar { id }).await?;
        return Ok(see_other(&member.path_to("settings/calendars?done=removing")));
    }
    member.business.change(member.request(), DisconnectCalendar { id }).await?;
    Ok(see_other(&member.path_to("settings/calendars?done=disconnected")))
}

pub(crate) async fn read(member: Member) -> Answered {
    let id = seen(&member).await?.settings.id;
    member.business.change(member.request(), ReadCalendar { id }).await?;
    Ok(see_other(&member.path_to("settings/calendars?done=read")))
}
