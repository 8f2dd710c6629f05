//! The calendar as a list: appointments from a day on, with filters.

use chrono::NaiveDate;
use domain::{AppointmentStatus, day_bounds};
use engine::business::AppointmentFilter;
use view::AppointmentView;

use super::above::{Asked, Head};
use super::diary::ACTIVE;
use crate::dashboard::days::{clock, day};
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/day/list.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    head: Head,
    action: String,
    fields: Vec<Field>,
    days: Vec<Day>,
    pages: Pages,
}

struct Day {
    id: String,
    label: String,
    visits: Vec<Visit>,
}

struct Visit {
    path: String,
    starts_at: String,
    time: String,
    name: String,
    detail: String,
    status: AppointmentStatus,
    word: String,
}

pub(super) async fn show(member: Member, asked: Asked) -> Answered {
    let (view, zone, today) = (member.view(), member.profile.zone, member.today());
    let to = member.asked_day("to").filter(|to| *to >= asked.date);
    let status = AppointmentStatus::from_word(member.query.get("status"));
    let service_id = member.query.get("service").parse().ok();
    let filter = AppointmentFilter {
        status: status.map_or_else(|| ACTIVE.to_vec(), |status| vec![status]),
        from: Some(day_bounds(zone, asked.date).start),
        to: to.map(|to| day_bounds(zone, to).end),
        service_id,
        staff_id: asked.staff,
        ..AppointmentFilter::default()
    };
    let part = member.part("calendar", SHOWN, &["view", "date", "to", "staff", "service", "status"]);
    let (business, asked_for) = (&member.business, &filter);
    let found = part.read(|page| async move { business.appointments(asked_for, &page).await }).await?;
    let mut days: Vec<Day> = Vec::new();
    for visit in &found.items {
        let date = day(visit.starts_at, zone);
        let (id, row) = (format!("day-{date}"), shown(&member, &view, visit));
        match days.last_mut().filter(|last| last.id == id) {
            Some(last) => last.visits.push(row),
            None => days.push(Day { id, label: capitalised(&view.day(date, today)), visits: vec![row] }),
        }
    }
    let mut head = member.head("list", &asked);
    head.title = view.t("today-appointments");
    head.sub = view.with("calendar-list-from", "day", &view.day(asked.date, today));
    let diary = member.business.diary(asked.date..=asked.date).await?;
    let everybody = Choice::new("", view.t("calendar-everybody"));
    let of_staff = diary.staff.iter().map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let of_service = diary.services.iter().map(|one| Choice::new(one.id.to_string(), &one.name));
    let statuses = AppointmentStatus::ALL.iter().map(|one| Choice::new(one.as_str(), view.status(*one)));
    let fields = vec![
        date_field("date", view.t("calendar-from"), Some(asked.date)),
        date_field("to", view.t("calendar-to"), to),
        chosen(
            Field::select(
                "staff",
                view.t("settings-staff"),
                std::iter::once(everybody).chain(of_staff).collect(),
            ),
            &asked.staff.map(|id| id.to_string()).unwrap_or_default(),
        ),
        chosen(
            Field::select(
                "service",
                view.t("appointment-service"),
                std::iter::once(Choice::new("", view.t("all"))).chain(of_service).collect(),
            ),
            member.query.get("service"),
        ),
        chosen(
            Field::select(
                "status",
                view.t("appointment-status"),
                std::iter::once(Choice::new("", view.t("appointment-status-active")))
                    .chain(statuses)
                    .collect(),
            ),
            member.query.get("status"),
        ),
    ];
    let shown = Page {
        sheet: member.sheet("calendar"),
        head,
        action: member.path_to("calendar"),
        fields,
        days,
        pages: part.pages(found.next.as_deref()),
    };
    page(&shown)
}

fn date_field(id: &str, label: String, day: Option<NaiveDate>) -> Field {
    let value = day.map(|day| day.to_string()).unwrap_or_default();
    Field { required: day.is_some(), ..Field::new(id, "date", "off", label).class("date").holding(&value) }
}

pub(super) fn chosen(field: Field, value: &str) -> Field {
    let options = field.options.into_iter().map(|one| Choice { chosen: one.value == value, ..one });
    Field { options: options.collect(), ..field }
}

fn shown(member: &Member, view: &View, visit: &AppointmentView) -> Visit {
    let zone = member.profile.zone;
    Visit {
        path: member.appointment_path(visit),
        starts_at: visit.starts_at.to_string(),
        time: format!("{} – {}", clock(visit.starts_at, zone), clock(visit.ends_at, zone)),
        name: view.who_comes(visit),
        detail: format!("{} · {}", visit.service_name, visit.staff_name),
        status: visit.status,
        word: view.status(visit.status),
    }
}

impl View {
    pub(super) fn status(&self, status: AppointmentStatus) -> String {
        self.t(&format!("appointment-status-{status}"))
    }
}
