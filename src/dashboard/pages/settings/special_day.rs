//! The page of a special day, whose opening hours replace the weekly hours on one date.

use chrono::NaiveDate;
use domain::{DayWindows, Right};
use engine::business::PageRequest;
use view::SpecialDayView;

use super::parts::{line, only_for_changing, versions};
use super::times_off::date;
use super::week::{WINDOWS, tidy};
use crate::admin::diary::SpecialDayBody;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/special_day.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    day: &'a SpecialDayView,
    title: String,
    filled: Filled,
    tag: String,
    versions: Versions,
    /// The legend of each window of opening hours, and the fields for its start and its end.
    windows: Vec<(String, Field, Field)>,
    note: Field,
}

pub(super) fn label(member: &Member, date: &str) -> String {
    date.parse().map_or_else(|_| date.to_owned(), |day| capitalised(&member.full_date(day)))
}

/// The field names of a window. `nth` starts at 1.
fn ends(nth: usize) -> [String; 2] {
    ["open", "close"].map(|end| format!("{end}-{nth}"))
}

fn values(day: &SpecialDayView) -> Form {
    let note = ("note".to_owned(), day.note.clone().unwrap_or_default());
    let windows = day.windows.iter().enumerate().flat_map(|(before, window)| {
        std::iter::zip(ends(before + 1), [window.open.to_string(), window.close.to_string()])
    });
    Form::of(windows.chain([note]))
}

/// The names and the values of the fields of each window in a form, without empty windows.
fn windows(form: &Form) -> Vec<([String; 2], [String; 2])> {
    let window = |nth| (ends(nth), ends(nth).map(|name| tidy(form.get(&name))));
    let windows = (1..=DayWindows::WINDOWS_MAX).map(window);
    windows.filter(|(_, times)| times.iter().any(|time| !time.is_empty())).collect()
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let times = windows(form).into_iter().map(|(_, [open, close])| format!("{open} – {close}"));
    let times = times.collect::<Vec<_>>().join(", ");
    let times = if times.is_empty() { view.t("hours-closed") } else { times };
    vec![line(view, "hours-opens", &times), line(view, "hours-note", form.get("note"))]
}

fn body(member: &Member, windows: Vec<[String; 2]>) -> Body<'_> {
    let closed = Json::Bool(windows.is_empty());
    let window = |[open, close]: [String; 2]| {
        Json::Object(
            [("open", open), ("close", close)].map(|(name, time)| (name.into(), Json::String(time))).into(),
        )
    };
    let windows = Json::Array(windows.into_iter().map(window).collect());
    member.body().with("closed", closed).with("windows", windows).optional("note")
}

async fn find(member: &Member, date: NaiveDate) -> Result<Option<SpecialDayView>, Refused> {
    let page = PageRequest { limit: 1, after: None };
    Ok(member.business.special_days((Some(date), Some(date)), &page).await?.items.pop())
}

/// Adds the special day in the form, with at most one window, and returns its date. Refuses a date that is
/// already a special day: such a day is changed on its own page, which shows its hours.
pub(super) async fn add(member: &Member) -> Result<NaiveDate, Refused> {
    let [open, close] = ["open", "close"].map(|name| tidy(member.form.get(name)));
    let closed = open.is_empty() && close.is_empty();
    let body = body(member, if closed { Vec::new() } else { vec![[open, close]] });
    let (date, body) = match (date(&member.form, "date"), body.read::<SpecialDayBody>()) {
        (Ok(date), Ok(body)) => (date, body),
        (date, body) => {
            let mut problems: Vec<_> = date.err().into_iter().collect();
            if let Err(FormError::Invalid(found)) = body {
                let fields = ["open", "close"].map(str::to_owned);
                problems.extend(
                    found.into_iter().map(|problem| WINDOWS.beside(problem, std::slice::from_ref(&fields))),
                );
            }
            return Err(FormError::Invalid(problems).into());
        }
    };
    if find(member, date).await?.is_some() {
        return Err(FormError::Notice(member.t("special-days-there")).into());
    }
    member.change(body.change(date).map_err(FormError::of)?).await?;
    Ok(date)
}

pub(crate) async fn show(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let date: NaiveDate = member.id("date")?;
    let day = find(&member, date).await?.ok_or_else(Refused::not_found)?;
    let filled = member.filled(&member.path_to(&format!("settings/hours/days/{date}")), || values(&day));
    shown(&member, &day, filled).await
}

async fn shown(member: &Member, day: &SpecialDayView, mut filled: Filled) -> Answered {
    let (view, now) = (&member.view, values(day));
    let windows = (1..=DayWindows::WINDOWS_MAX).map(|nth| {
        let [open, close] = ends(nth);
        let mut time = |id: String, label: &str| {
            filled.field(view, Field::line(id, view.t(label)).class("time").optional())
        };
        (view.count("hours-window", nth as u64), time(open, "hours-opens"), time(close, "hours-closes"))
    });
    let windows = windows.collect();
    let note = Field::line("note", view.t("hours-note")).optional();
    let shown = Page {
        sheet: member.sheet_below("settings/hours"),
        day,
        title: label(member, &day.date),
        tag: filled.tag(day),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        windows,
        note: filled.field(view, note),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let date: NaiveDate = member.id("date")?;
    let day = find(&member, date).await?.ok_or_else(Refused::not_found)?;
    let (fields, times): (Vec<_>, Vec<_>) = windows(&member.form).into_iter().unzip();
    let body = body(&member, times);
    let done = async {
        let change = body.read::<SpecialDayBody>()?.change(date).map_err(FormError::of)?;
        member.change(change).await?;
        Ok(member.path_to(&format!("settings/hours?done=day&date={date}")))
    };
    let done =
        done.await.map_err(|refused: Refused| refused.beside(|problem| WINDOWS.beside(problem, &fields)));
    member.answered(done, |filled| shown(&member, &day, filled)).await
}
