//! The page with figures by week or month. The service draws the charts. Tables and a CSV file contain the
//! same figures.

use std::collections::BTreeMap;

use axum::body::Body as Sent;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use domain::{InsightPeriod, StaffId};
use view::{InsightsView, PeriodView};

use crate::admin::insights::{self, InsightsQuery};
use crate::dashboard::pages::prelude::*;
use crate::http::body::CSV_UTF_8;

/// The number of weeks that the page shows at first: before this week, and after it.
const WEEKS_BEFORE: u64 = 8;
const WEEKS_AFTER: u64 = 3;

#[derive(Template)]
#[template(path = "dashboard/pages/records/insights.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    problem: String,
    fields: [Field; 3],
    download: String,
    charts: Vec<Chart>,
    staff: StaffTable,
}

/// A chart and its table. Each group of bars in the chart shows the values of a row of the table.
struct Chart {
    id: &'static str,
    title: String,
    about: String,
    series: Vec<String>,
    groups: Vec<Group>,
    totals: Vec<String>,
    drawing: Drawing,
}

struct Group {
    label: String,
    values: Vec<String>,
}

/// The bars, in units of the drawing.
struct Drawing {
    bars: Vec<Bar>,
    /// The labels below the bars: the horizontal position of the middle, and the text.
    labels: Vec<(usize, String)>,
    /// The greatest value, at the top line.
    top: String,
}

struct Bar {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    class: &'static str,
}

const WIDTH: usize = 420;
const LEFT: usize = 34;
const TOP: usize = 12;
const BOTTOM: usize = 152;
const LABEL_WIDTH: usize = 62;
const CLASSES: [&str; 3] = ["one", "two", "three"];

struct StaffTable {
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

fn dates(member: &Member) -> InsightsQuery {
    let monday = |date: NaiveDate| date - Days::new(date.weekday().num_days_from_monday().into());
    let this_week = monday(member.today());
    let asked = |name| days::asked(member.query.get(name));
    InsightsQuery {
        from: asked("from").unwrap_or(this_week - Days::new(7 * WEEKS_BEFORE)),
        to: asked("to").unwrap_or(this_week + Days::new(7 * WEEKS_AFTER + 6)),
        by: InsightPeriod::from_word(member.query.get("by")).unwrap_or(InsightPeriod::Week),
    }
}

async fn read(member: &Member) -> Result<Option<InsightsView>, Refused> {
    let Ok(query) = dates(member).check() else { return Ok(None) };
    Ok(Some(member.business.insights(query.from..=query.to, query.by).await?))
}

pub(crate) async fn show(member: Member) -> Answered {
    let (view, query, found) = (&member.view, dates(&member), read(&member).await?);
    let day = |id: &str, label: &str, day: NaiveDate| {
        Field::new(id, "date", "off", view.t(label)).class("date").holding(&day.to_string())
    };
    let by = InsightPeriod::ALL.iter().map(|by| {
        let id = match by {
            InsightPeriod::Week => "insights-by-week",
            InsightPeriod::Month => "insights-by-month",
        };
        Choice::new(by.as_str(), view.t(id))
    });
    let fields = [
        day("from", "calendar-from", query.from),
        day("to", "calendar-to", query.to),
        Field::select("by", view.t("insights-by"), by).chosen(query.by.as_str()),
    ];
    let problem = if found.is_none() { view.t("insights-wrong-dates") } else { String::new() };
    let path = member.path_to("insights/download");
    page(&Page {
        sheet: member.sheet("insights"),
        problem,
        fields,
        download: format!("{path}?from={}&to={}&by={}", query.from, query.to, query.by),
        charts: found.as_ref().map(|found| charts(&member, found)).unwrap_or_default(),
        staff: staff(&member, found.as_ref()),
    })
}

pub(crate) async fn download(member: Member) -> Answered {
    let found = read(&member).await?.ok_or_else(Refused::not_found)?;
    Ok(file("insights", &member, Sent::from(insights::file(&found))))
}

/// A CSV file as a download, with the date in its name.
pub(super) fn file(name: &str, member: &Member, body: Sent) -> Response {
    let name = format!("attachment; filename=\"{name}-{}.csv\"", member.today());
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    let heads =
        [(header::CONTENT_TYPE, HeaderValue::from_static(CSV_UTF_8)), (header::CONTENT_DISPOSITION, name)];
    (heads, body).into_response()
}

type Value = fn(&PeriodView) -> i64;
/// The name of a chart, its title, and the title and value of each of its series.
type Counts = (&'static str, &'static str, &'static [(&'static str, Value)]);

fn charts(member: &Member, found: &InsightsView) -> Vec<Chart> {
    let view = &member.view;
    let counts: [Counts; 3] = [
        (
            "appointments",
            "insights-appointments",
            &[
                ("insights-bookings", |it| it.bookings.into()),
                ("insights-cancellations", |it| it.cancellations.into()),
                ("insights-no-shows", |it| it.no_shows.into()),
            ],
        ),
        (
            "customers",
            "insights-customers",
            &[
                ("insights-new", |it| it.new_customers.into()),
                ("insights-returning", |it| it.returning_customers.into()),
                ("insights-unknown", |it| it.unknown_customers.into()),
            ],
        ),
        (
            "calls",
            "insights-calls",
            &[
                ("insights-calls-all", |it| it.calls.into()),
                ("insights-answered", |it| it.calls_answered.into()),
                ("insights-converted", |it| it.calls_converted.into()),
            ],
        ),
    ];
    let count = |it: i64| it.to_string();
    let mut charts: Vec<_> = counts
        .into_iter()
        .map(|(id, title, series)| {
            let total = |value: &Value| count(found.periods.iter().map(value).sum());
            let totals = series.iter().map(|(_, value)| total(value)).collect();
            Chart { totals, ..chart(member, found, (id, title, series), count) }
        })
        .collect();
    let lead: &[(&str, Value)] = &[("insights-lead", |it| it.lead_time_minutes.unwrap_or_default())];
    let about = view.t("insights-lead-about");
    let length = |minutes: i64| view.length(TimeDelta::minutes(minutes));
    charts.push(Chart { about, ..chart(member, found, ("lead", "insights-lead", lead), length) });
    charts
}

fn chart(
    member: &Member,
    found: &InsightsView,
    (id, title, series): (&'static str, &str, &[(&str, Value)]),
    format: impl Fn(i64) -> String,
) -> Chart {
    let view = &member.view;
    let labels: Vec<_> = found.periods.iter().map(|it| label(member, found.by, it)).collect();
    let values: Vec<Vec<i64>> =
        found.periods.iter().map(|it| series.iter().map(|(_, value)| value(it)).collect()).collect();
    let groups = labels.iter().zip(&values).map(|(label, values)| Group {
        label: label.clone(),
        values: values.iter().map(|value| format(*value)).collect(),
    });
    Chart {
        id,
        title: view.t(title),
        about: String::new(),
        series: series.iter().map(|(id, _)| view.t(id)).collect(),
        groups: groups.collect(),
        totals: Vec::new(),
        drawing: drawn(&labels, &values, format),
    }
}

fn label(member: &Member, by: InsightPeriod, period: &PeriodView) -> String {
    let Ok(from) = period.from.parse::<NaiveDate>() else { return period.from.clone() };
    let words = &member.view.words;
    words.dated(if by == InsightPeriod::Month { "insights-month" } else { "insights-day" }, from, "")
}

/// Divides the width of the drawing among the groups, and scales the heights so that the greatest value has
/// the full height.
fn drawn(labels: &[String], values: &[Vec<i64>], format: impl Fn(i64) -> String) -> Drawing {
    let top = values.iter().flatten().copied().max().unwrap_or_default().max(1);
    let (width, height) = (WIDTH - LEFT, BOTTOM - TOP);
    let left = |group: usize| LEFT + group * width / labels.len().max(1);
    let mut bars = Vec::new();
    for (at, group) in values.iter().enumerate() {
        let (from, to) = (left(at), left(at + 1));
        let bar = (to - from).saturating_sub(2).max(1) / group.len().max(1);
        for (nth, (value, class)) in group.iter().zip(CLASSES).enumerate() {
            let share =
                usize::try_from((*value).max(0) * i64::try_from(height).unwrap_or(0) / top).unwrap_or(0);
            let width = bar.saturating_sub(1).max(1);
            bars.push(Bar { x: from + 1 + nth * bar, y: BOTTOM - share, width, height: share, class });
        }
    }
    let every = (labels.len() * LABEL_WIDTH).div_ceil(width).max(1);
    let labels = labels.iter().enumerate().step_by(every);
    let labels = labels.map(|(at, label)| (usize::midpoint(left(at), left(at + 1)), label.clone())).collect();
    Drawing { bars, labels, top: format(top) }
}

/// The booked hours of each staff member, and the utilisation in this week and later weeks.
fn staff(member: &Member, found: Option<&InsightsView>) -> StaffTable {
    let view = &member.view;
    let periods = found.map(|found| &found.periods[..]).unwrap_or_default();
    let ahead: Vec<_> = periods
        .iter()
        .filter(|period| period.staff.iter().any(|own| own.utilisation.is_some()))
        .take(WEEKS_AFTER as usize + 1)
        .collect();
    let mut names = BTreeMap::<StaffId, (String, i64)>::new();
    for own in periods.iter().flat_map(|period| &period.staff) {
        let (_, minutes) = names.entry(own.staff_id).or_insert_with(|| (own.staff_name.clone(), 0));
        *minutes += own.booked_minutes;
    }
    let mut columns = vec![view.t("insights-hours")];
    columns.extend(ahead.iter().map(|period| {
        view.with("insights-utilisation", "period", &label(member, InsightPeriod::Week, period))
    }));
    let rows = names.into_iter().map(|(id, (name, minutes))| {
        let mut cells = vec![view.length(TimeDelta::minutes(minutes))];
        cells.extend(ahead.iter().map(|period| {
            let own = period.staff.iter().find(|own| own.staff_id == id);
            let share = own.and_then(|own| own.utilisation);
            share.map_or_else(
                || view.t("insights-none"),
                |share| view.with("insights-percent", "number", &share.to_string()),
            )
        }));
        (name, cells)
    });
    StaffTable { columns, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fit_into_the_drawing_and_labels_do_not_touch() {
        for groups in [0, 1, 3, 12, 105] {
            let labels: Vec<_> = (0..groups).map(|number| number.to_string()).collect();
            let values: Vec<_> = (0..groups).map(|number| vec![number, 0, -3]).collect();
            let drawing = drawn(&labels, &values, |top| top.to_string());
            assert_eq!(drawing.bars.len(), labels.len() * 3);
            for bar in &drawing.bars {
                assert!(bar.x >= LEFT && bar.x + bar.width <= WIDTH, "{groups}: {} {}", bar.x, bar.width);
                assert!(bar.y >= TOP && bar.y + bar.height == BOTTOM);
            }
            assert!(drawing.labels.windows(2).all(|two| two[1].0 - two[0].0 >= LABEL_WIDTH), "{groups}");
            assert_eq!(drawing.labels.is_empty(), groups == 0);
        }
    }
}
