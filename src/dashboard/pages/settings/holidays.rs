//! The import of public holidays from a calendar, with a preview. All days are closed in one change. Existing
//! special days do not change.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDate;
use domain::{AppointmentStatus, Right, SPECIAL_DAYS_MAX, Text, day_bounds};
use engine::business::commands::diary::{CLOSED_AT_ONCE_MAX, CloseDays};
use engine::business::{AppointmentFilter, PageRequest};
use view::AppointmentView;

use super::parts::only_for_changing;
use crate::dashboard::pages::prelude::*;
use crate::holidays::{CALENDAR_BYTES_MAX, Holidays, Problem, holidays};

/// The number of records that are read at a time. The appointments of a day are counted up to this number.
const READ: usize = 100;
/// The maximum number of problems that the page shows.
const PROBLEMS_SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/holidays.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    notice: String,
    problems: Vec<String>,
    preview: Option<Preview>,
}

struct Preview {
    closes: String,
    there: String,
    /// For each day, the date, the name of the holiday, and a sentence about the appointments.
    days: Vec<(String, String, String)>,
    does: String,
    content: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    page(&shown(&member, String::new(), None))
}

fn shown(member: &Member, notice: String, preview: Option<Preview>) -> Page<'_> {
    Page { sheet: member.sheet_below("settings/hours"), notice, problems: Vec::new(), preview }
}

pub(crate) async fn sent(member: Member) -> Answered {
    let is_sure = member.form.find("sure").is_some();
    let content = if is_sure { member.form.get("content") } else { member.form.get("file") };
    let file = STANDARD.decode(content).unwrap_or_default();
    let found = match file.len() > CALENDAR_BYTES_MAX {
        true => Err(vec![Problem::too_long()]),
        false => holidays(&file, member.today(), member.profile.locale),
    };
    let mut new = match found {
        Ok(found) => found,
        Err(problems) => {
            let shown = shown(&member, member.t("hours-holidays-refused"), None);
            let problems = problems.iter().take(PROBLEMS_SHOWN).map(|it| it.text(member.view.words.locale));
            let shown = Page { problems: problems.map(|it| capitalised(&it)).collect(), ..shown };
            return page_as(StatusCode::UNPROCESSABLE_ENTITY, &shown);
        }
    };
    let known = special_days(&member).await?;
    let all = new.len();
    new.retain(|date, _| !known.contains(date));
    if known.len() + new.len() > SPECIAL_DAYS_MAX {
        let notice = member.count("hours-holidays-full", SPECIAL_DAYS_MAX as u64);
        return page_as(StatusCode::CONFLICT, &shown(&member, notice, None));
    }
    if new.len() > CLOSED_AT_ONCE_MAX {
        let notice = member.count("hours-holidays-many", CLOSED_AT_ONCE_MAX as u64);
        return page_as(StatusCode::CONFLICT, &shown(&member, notice, None));
    }
    if !is_sure {
        let preview = preview(&member, &new, all - new.len(), content.to_owned()).await?;
        return Ok(nothing_done(page(&shown(&member, String::new(), Some(preview)))?));
    }
    let dates = new.into_iter().map(|(date, note)| (date, Text::new(note).ok())).collect();
    member.change(CloseDays { dates }).await?;
    Ok(see_other(&member.path_to("settings/hours?done=holidays")))
}

async fn special_days(member: &Member) -> Result<BTreeSet<NaiveDate>, Refused> {
    let (mut dates, mut after) = (BTreeSet::new(), None);
    loop {
        let found = member.business.special_days((None, None), &PageRequest { limit: READ, after }).await?;
        dates.extend(found.items.iter().filter_map(|day| day.date.parse::<NaiveDate>().ok()));
        after = found.next;
        if after.is_none() {
            return Ok(dates);
        }
    }
}

async fn preview(member: &Member, new: &Holidays, there: usize, content: String) -> Result<Preview, Refused> {
    let view = &member.view;
    let mut days = Vec::new();
    for (date, note) in new {
        let bounds = day_bounds(member.profile.zone, *date);
        let filter = AppointmentFilter {
            status: vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed],
            from: Some(bounds.start.max(member.business.now())),
            to: Some(bounds.end),
            ..AppointmentFilter::default()
        };
        let page = PageRequest { limit: READ, after: None };
        let booked = member.business.appointments_as::<AppointmentView>(&filter, &page).await?.items.len();
        let booked =
            if booked > 0 { view.count("hours-holidays-booked", booked as u64) } else { String::new() };
        days.push((capitalised(&member.full_date(*date)), note.clone(), booked));
    }
    Ok(Preview {
        closes: view.count("hours-holidays-new", new.len() as u64),
        there: if there == 0 { String::new() } else { view.count("hours-holidays-there", there as u64) },
        days,
        does: view.count("hours-holidays-do", new.len() as u64),
        content,
    })
}
