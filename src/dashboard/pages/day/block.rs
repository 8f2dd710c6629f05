//! The page that adds time off. It opens from the calendar.
//!
//! Invariant: the page offers only staff members whose time off the person may change.

use domain::diary::Diary;
use domain::{Right, StaffId};

use super::axis;
use super::booking::{BACK, back_to, with_query};
use crate::dashboard::frame::BLOCKED;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::pages::settings::times_off;

const DAY_MINUTES: u32 = 24 * 60;
/// The length of the time off, in minutes, if the request has no end.
const LASTS_MINUTES: u32 = 60;

#[derive(Template)]
#[template(path = "dashboard/pages/day/block.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    filled: Filled,
    staff: Field,
    fields: [Field; 5],
    back: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    shown(&member, member.filled(member.path(), || asked(&member.query))).await
}

/// The values of the form for the time that was selected in the calendar. The query contains the date, and the time in
/// minutes after midnight.
fn asked(query: &Form) -> Form {
    let minute = |name| query.get(name).parse::<u32>().ok().filter(|minute| *minute <= DAY_MINUTES);
    let mut fields = vec![
        ("staff", query.get("staff").to_owned()),
        ("from", query.get("date").to_owned()),
        (BACK, query.get(BACK).to_owned()),
    ];
    if let Some(from) = minute("minute") {
        let to = minute("until").unwrap_or(from + LASTS_MINUTES).min(DAY_MINUTES);
        let to = if to == DAY_MINUTES { "24:00".to_owned() } else { axis::shown(to) };
        fields.extend([("from_time", axis::shown(from)), ("to_time", to)]);
    }
    Form::of(fields)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let staff: Option<StaffId> = member.form.get("staff").parse().ok();
    let Some(staff) = staff.filter(|staff| member.may_block(*staff)) else {
        return shown(&member, member.filled(member.path(), || member.form.clone())).await;
    };
    let done = async {
        let change = times_off::read(&member)?.change(staff).map_err(FormError::of)?;
        member.change(change).await?;
        let day = days::asked(member.form.get("from")).unwrap_or_else(|| member.today());
        Ok(with_query(&back_to(&member, member.form.get(BACK), day).path, &format!("{BLOCKED}=1")))
    };
    let done = done.await.map_err(|refused: Refused| refused.beside(times_off::beside));
    member.answered(done, |filled| shown(&member, filled)).await
}

async fn shown(member: &Member, mut filled: Filled) -> Answered {
    let view = &member.view;
    let date = days::asked(filled.get("from")).unwrap_or_else(|| member.today());
    let diary = member.business.diary(date..=date).await?;
    let choices = choices(member, &diary);
    let back = back_to(member, filled.get(BACK), date);
    let Some(first) = choices.first() else { return Ok(see_other(&back.path)) };
    let chosen = choices.iter().find(|one| one.value == filled.get("staff")).unwrap_or(first).value.clone();
    let time = |id: &str, label: &str| Field::new(id, "text", "off", view.t(label)).class("time").optional();
    let day = |id: &str, label: &str| Field::new(id, "date", "off", view.t(label)).class("date");
    let fields = [
        Field::line("note", view.t("block-title-of")).optional().hint(view.t("block-title-hint")),
        day("from", "off-from"),
        time("from_time", "off-time"),
        day("to", "off-to").optional(),
        time("to_time", "off-time"),
    ];
    let mut fields = fields.map(|field| filled.field(view, field));
    if fields[1].value.is_empty() {
        fields[1].value = date.to_string();
    }
    let status = filled.status;
    let shown = Page {
        staff: Field::select("staff", view.t("block-staff"), choices).chosen(&chosen),
        fields,
        filled,
        back: back.path.clone(),
        sheet: member.sheet("calendar").under(vec![back]),
    };
    page_as(status, &shown)
}

fn choices(member: &Member, diary: &Diary) -> Vec<Choice> {
    let mut staff: Vec<_> = diary.staff.iter().map(|one| &one.member).filter(|one| one.active).collect();
    staff.sort_by_key(|one| one.position);
    let may = staff.into_iter().filter(|one| member.may(Right::Day) && member.may_block(one.id));
    may.map(|one| Choice::new(one.id.to_string(), &one.name)).collect()
}
