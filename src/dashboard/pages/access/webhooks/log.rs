//! The delivery log of an endpoint: its filters and its rows.

use chrono_tz::Tz;
use domain::{AttemptError, DeliveryStatus, EventType, Timestamp};
use engine::delivery::{ATTEMPTS_MAX, DeliveryFilter};
use view::DeliveryView;

use super::super::when::When;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::view::View;
use crate::dashboard::words::attempts;

pub(super) const FILTERS: [&str; 4] = ["status", "type", "from", "to"];

pub(super) struct Filters {
    pub(super) filter: DeliveryFilter,
    pub(super) tabs: Vec<Tab>,
    pub(super) kind: Field,
    pub(super) from: Field,
    pub(super) to: Field,
    /// The status filter. The form of the other filters keeps it.
    pub(super) status: String,
    pub(super) narrows: bool,
}

pub(super) struct Tab {
    pub(super) label: String,
    pub(super) path: String,
    pub(super) current: bool,
}

pub(super) struct Row {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) kind: (String, String),
    pub(super) happened: When,
    pub(super) class: &'static str,
    pub(super) status: String,
    pub(super) answer: String,
    pub(super) attempts: String,
    pub(super) next: Option<When>,
    pub(super) may_resend: bool,
}

impl Filters {
    /// The filters in the query. `here` is the path of the page.
    pub(super) fn of(view: &View, query: &Form, here: &str, zone: Tz) -> Self {
        let status = DeliveryStatus::from_word(query.get("status"));
        let kind = EventType::from_word(query.get("type"));
        let (from, from_field) = day(view, query, "from", zone, false);
        let (until, to_field) = day(view, query, "to", zone, true);
        let path = |status: &str| {
            let mut with = url::form_urlencoded::Serializer::new(String::new());
            for name in FILTERS {
                let value = if name == "status" { status } else { query.get(name) };
                if !value.is_empty() {
                    with.append_pair(name, value);
                }
            }
            let with = with.finish();
            if with.is_empty() { here.to_owned() } else { format!("{here}?{with}") }
        };
        let every = std::iter::once(None).chain(DeliveryStatus::ALL.iter().copied().map(Some));
        let tabs = every.map(|one| {
            let word = one.map_or("", DeliveryStatus::as_str);
            let label = if word.is_empty() { view.t("all") } else { view.t(&format!("hooks-is-{word}")) };
            Tab { label, path: path(word), current: one == status }
        });
        let any = Choice { chosen: kind.is_none(), ..Choice::new("", view.t("hooks-every-event")) };
        let types = EventType::ALL
            .iter()
            .map(|one| Choice { chosen: kind == Some(*one), ..Choice::new(one.as_str(), one.as_str()) });
        Self {
            filter: DeliveryFilter { status, event: kind, from, until },
            tabs: tabs.collect(),
            kind: Field::select("type", view.t("hooks-event"), std::iter::once(any).chain(types).collect()),
            from: from_field,
            to: to_field,
            status: status.map(|status| status.to_string()).unwrap_or_default(),
            narrows: FILTERS.iter().any(|name| !query.get(name).is_empty()),
        }
    }
}

/// A day filter: the first instant of the day or of the next day, and the form field.
pub(in super::super) fn day(
    view: &View,
    query: &Form,
    name: &str,
    zone: Tz,
    is_last: bool,
) -> (Option<Timestamp>, Field) {
    let text = query.get(name).trim();
    let parsed = days::asked(text);
    let first = parsed.and_then(|day| if is_last { day.succ_opt() } else { Some(day) });
    let label = view.t(if is_last { "log-to" } else { "log-from" });
    let problem = (!text.is_empty() && first.is_none()).then(|| view.t("log-no-day"));
    let field = Field::new(name, "date", "off", label).class("date").holding(text).problem(problem);
    (first.map(|day| days::begins(day, zone)), Field { required: false, ..field })
}

pub(super) fn row(view: &View, member: &Member, base: &str, delivery: &DeliveryView, on: bool) -> Row {
    let zone = member.profile.zone;
    let (class, status) = status(view, delivery);
    Row {
        path: format!("{base}/deliveries/{}", delivery.event_id),
        id: delivery.event_id.to_string(),
        kind: parts_of(delivery.kind),
        happened: When::to_the_second(view, delivery.created_at, zone),
        class,
        status,
        answer: answer(view, delivery),
        attempts: attempts(view, delivery),
        next: delivery.next_attempt_at.map(|at| When::to_the_minute(view, at, zone)),
        may_resend: on && delivery.status != DeliveryStatus::Pending,
    }
}

/// The two parts of an event type. A line may break between them.
pub(super) fn parts_of(kind: EventType) -> (String, String) {
    let word = kind.as_str();
    let (first, rest) = word.split_once('.').unwrap_or((word, ""));
    (format!("{first}."), rest.to_owned())
}

/// The status of a delivery: the CSS class and the text of the chip.
pub(super) fn status(view: &View, delivery: &DeliveryView) -> (&'static str, String) {
    let class = delivery.status.as_str();
    let word = match delivery.status {
        DeliveryStatus::Pending if delivery.attempts > 0 => "hooks-is-trying",
        DeliveryStatus::Pending => "hooks-is-pending",
        DeliveryStatus::Delivered => "hooks-is-delivered",
        DeliveryStatus::Failed => "hooks-is-failed",
        DeliveryStatus::Missed => "hooks-is-missed",
    };
    (class, view.t(word))
}

/// The result of the last attempt, in short. It is empty without an attempt.
pub(super) fn answer(view: &View, delivery: &DeliveryView) -> String {
    told(view, delivery.last_response_status, delivery.last_error.as_ref())
}

pub(super) fn told(view: &View, status: Option<u16>, error: Option<&AttemptError>) -> String {
    match (status, error) {
        (Some(status @ 300..400), _) => view.with("hooks-answer-redirect", "status", &status.to_string()),
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => attempts::error(view.words, error),
        (None, None) => String::new(),
    }
}

pub(super) fn attempts(view: &View, delivery: &DeliveryView) -> String {
    let values = [
        ("made", crate::words::Value::Count(delivery.attempts.into())),
        ("all", crate::words::Value::Count(ATTEMPTS_MAX as u64)),
    ];
    view.words.say("hooks-attempts-of", &values)
}
