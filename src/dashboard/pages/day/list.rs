//! The list view of the calendar. It shows the appointments from a chosen day on and has filters.

use chrono::NaiveDate;
use domain::{AppointmentStatus, AttendanceFilter, day_bounds};
use engine::business::AppointmentFilter;
use view::AppointmentView;

use super::above::{Head, ViewQuery};
use super::diary::ACTIVE;
use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/day/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    head: Head,
    fields: [Field; 6],
    visits: Vec<AppointmentView>,
    pages: Pages,
}

impl Page<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[AppointmentView])> {
        by_day(&self.visits, |visit| self.sheet.member.day(visit.starts_at))
    }
}

pub(super) async fn show(member: Member, asked: ViewQuery) -> Answered {
    let (view, zone) = (&member.view, member.profile.zone);
    let to = days::asked(member.query.get("to")).filter(|to| *to >= asked.date);
    let status = AppointmentStatus::from_word(member.query.get("status"));
    let service_id = member.query.get("service").parse().ok();
    let filter = AppointmentFilter {
        status: status.map_or_else(|| ACTIVE.to_vec(), |status| vec![status]),
        from: Some(day_bounds(zone, asked.date).start),
        to: to.map(|to| day_bounds(zone, to).end),
        service_id,
        staff_id: asked.staff,
        attendance: AttendanceFilter::from_word(member.query.get("attendance")).into_iter().collect(),
        ..AppointmentFilter::default()
    };
    let part =
        member.part("calendar", SHOWN, &["view", "date", "to", "staff", "service", "status", "attendance"]);
    let (business, asked_for) = (&member.business, &filter);
    let found = part.read(|page| async move { business.appointments(asked_for, &page).await }).await?;
    let diary = member.business.diary(asked.date..=asked.date).await?;
    let of_staff = diary.staff.iter().map(|one| Choice::new(one.member.id.to_string(), &one.member.name));
    let of_service = diary.services.iter().map(|one| Choice::new(one.id.to_string(), &one.name));
    let statuses = AppointmentStatus::ALL.iter().map(|one| Choice::new(one.as_str(), view.status(*one)));
    let staff = Field::select("staff", view.t("settings-staff"), of_staff);
    let service = Field::select("service", view.t("appointment-service"), of_service);
    let attendances =
        AttendanceFilter::ALL.iter().map(|one| Choice::new(one.as_str(), view.attendance(*one)));
    let attendance = Field::select("attendance", view.t("appointment-attendance"), attendances);
    let status = Field::select("status", view.t("appointment-status"), statuses);
    let chosen_staff = asked.staff.map(|id| id.to_string()).unwrap_or_default();
    let shown = Page {
        sheet: member.sheet("calendar"),
        head: Head {
            title: view.t("today-appointments"),
            short: view.t("today-appointments"),
            sub: view.with("calendar-list-from", "day", &member.date(asked.date)),
            ..member.head("list", &asked)
        },
        fields: [
            date_field("date", view.t("calendar-from"), Some(asked.date)),
            date_field("to", view.t("calendar-to"), to),
            staff.or_empty(view.t("calendar-everybody")).chosen(&chosen_staff),
            service.or_empty(view.t("all")).chosen(member.query.get("service")),
            status.or_empty(view.t("appointment-status-active")).chosen(member.query.get("status")),
            attendance.or_empty(view.t("all")).chosen(member.query.get("attendance")),
        ],
        visits: found.items,
        pages: part.pages(found.next.as_deref()),
    };
    page(&shown)
}

fn date_field(id: &str, label: String, day: Option<NaiveDate>) -> Field {
    let value = day.map(|day| day.to_string()).unwrap_or_default();
    Field { required: day.is_some(), ..Field::new(id, "date", "off", label).class("date").holding(&value) }
}

impl View {
    pub(in crate::dashboard) fn status(&self, status: AppointmentStatus) -> String {
        self.t(&format!("appointment-status-{status}"))
    }

    pub(super) fn by_whom(&self, visit: &AppointmentView) -> String {
        format!("{} · {}", visit.service_name, visit.staff_name)
    }
}
