//! The parts that several pages of an endpoint show: name, status, the results of the last 24 hours, and the
//! filters and rows of the delivery log.

use chrono::TimeDelta;
use domain::{
    AttemptError, DeliveryStatus, DisabledReason, EventType, Timestamp, WebhookEndpoint, WebhookId,
};
use engine::delivery::{ATTEMPTS_MAX, DeliveryFilter, DeliveryTally};
use view::DeliveryView;

use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::attempts;

const COUNTED: TimeDelta = TimeDelta::hours(24);
/// The maximum number of counted deliveries. Larger numbers are shown with a plus sign.
const COUNTED_MAX: usize = 500;

impl Member {
    pub(super) async fn endpoint(&self) -> Result<WebhookEndpoint, Refused> {
        self.business.webhook(self.id("webhook_id")?).await?.ok_or_else(Refused::not_found)
    }

    pub(super) async fn lately_of(&self, id: WebhookId) -> Result<DeliveryTally, Refused> {
        let since = self.desk.engine.now() - COUNTED;
        Ok(self.business.tally_deliveries(id, since, COUNTED_MAX).await?)
    }

    pub(super) fn path_of(&self, id: WebhookId) -> String {
        self.path_to(&format!("settings/webhooks/{id}"))
    }

    pub(super) fn endpoint_sheet(&self, endpoint: &WebhookEndpoint) -> Sheet<'_> {
        let here = Crumb { label: self.host(endpoint).to_owned(), path: self.path_of(endpoint.id) };
        self.sheet("settings/webhooks").under(vec![self.crumb("settings/webhooks"), here])
    }

    /// Reads a day from the query. Returns the start of the day and the form field that shows the day. If `is_last` is
    /// true, the day is the last day of a range, and the returned instant is the start of the next day.
    pub(in super::super) fn day_filter(&self, name: &str, is_last: bool) -> (Option<Timestamp>, Field) {
        let text = self.query.get(name).trim();
        let parsed = days::asked(text);
        let first = parsed.and_then(|day| if is_last { day.succ_opt() } else { Some(day) });
        let label = self.t(if is_last { "log-to" } else { "log-from" });
        let problem = (!text.is_empty() && first.is_none()).then(|| self.t("log-no-day"));
        let field = Field::new(name, "date", "off", label).class("date").holding(text).problem(problem);
        (first.map(|day| days::begins(day, self.profile.zone)), field.optional())
    }
}

impl View {
    /// The URL without its scheme, which is always https.
    pub(super) fn address<'a>(&self, endpoint: &'a WebhookEndpoint) -> &'a str {
        let url = endpoint.url.as_str();
        url.strip_prefix("https://").unwrap_or(url).trim_end_matches('/')
    }

    /// The host of the URL, which pages show as the endpoint's name.
    pub(super) fn host<'a>(&self, endpoint: &'a WebhookEndpoint) -> &'a str {
        let address = self.address(endpoint);
        address.split(['/', '?', '#']).next().unwrap_or(address)
    }

    pub(super) fn of_endpoint(&self, endpoint: &WebhookEndpoint, is_failing: bool) -> (&'static str, String) {
        match endpoint.disabled_reason {
            _ if endpoint.is_enabled() && is_failing => ("failed", self.t("hooks-failing")),
            _ if endpoint.is_enabled() => ("enabled", self.t("hooks-on")),
            Some(DisabledReason::Failures) => ("disabled", self.t("hooks-off-failures")),
            Some(DisabledReason::Api) => ("cancelled", self.t("hooks-off-api")),
            Some(DisabledReason::Operator) | None => ("cancelled", self.t("hooks-off-hand")),
        }
    }

    /// A number of deliveries, with a plus sign if the tally stopped at [`COUNTED_MAX`] deliveries.
    pub(super) fn counted(&self, count: usize, tally: &DeliveryTally) -> String {
        format!("{count}{}", if tally.more { "+" } else { "" })
    }

    pub(super) fn event(&self, event: EventType) -> String {
        self.t(&format!("hooks-event-{}", event.as_str().replace('.', "-")))
    }

    /// The two parts of an event type. A line may break between them.
    pub(super) fn parts_of(&self, kind: EventType) -> (&'static str, &'static str) {
        let word = kind.as_str();
        word.find('.').map_or((word, ""), |dot| word.split_at(dot + 1))
    }

    pub(super) fn of_delivery(&self, delivery: &DeliveryView) -> (&'static str, String) {
        let is_tried = delivery.status == DeliveryStatus::Pending && delivery.attempts_made > 0;
        let text = match is_tried {
            true => self.t("hooks-is-trying"),
            false => self.t(&format!("hooks-is-{}", delivery.status)),
        };
        (delivery.status.as_str(), text)
    }

    /// A short text for the result of the last attempt; empty without an attempt.
    pub(super) fn answer(&self, delivery: &DeliveryView) -> String {
        self.result(delivery.last_response_status, delivery.last_error.as_ref())
    }

    pub(super) fn result(&self, status: Option<u16>, error: Option<&AttemptError>) -> String {
        match (status, error) {
            (Some(status @ 300..400), _) => self.with("hooks-answer-redirect", "status", &status.to_string()),
            (Some(status), _) => status.to_string(),
            (None, Some(error)) => attempts::error(self.words, error),
            (None, None) => String::new(),
        }
    }

    pub(super) fn attempts(&self, delivery: &DeliveryView) -> String {
        let values = [
            ("made", Value::Count(delivery.attempts_made.into())),
            ("all", Value::Count(ATTEMPTS_MAX as u64)),
        ];
        self.words.say("hooks-attempts-of", &values)
    }
}

pub(super) const FILTERS: [&str; 4] = ["status", "type", "from", "to"];

pub(super) struct Filters {
    pub(super) filter: DeliveryFilter,
    pub(super) tabs: Vec<Tab>,
    pub(super) kind: Field,
    pub(super) from: Field,
    pub(super) to: Field,
    /// The status filter, which the form of the other filters contains as a hidden field.
    pub(super) status: String,
    pub(super) narrows: bool,
}

impl Filters {
    pub(super) fn of(member: &Member, here: &str) -> Self {
        let (view, query) = (&member.view, &member.query);
        let status = DeliveryStatus::from_word(query.get("status"));
        let kind = EventType::from_word(query.get("type"));
        let (from, from_field) = member.day_filter("from", false);
        let (until, to_field) = member.day_filter("to", true);
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
        let types = EventType::ALL.iter().map(|one| Choice::new(one.as_str(), one.as_str()));
        let kinds = Field::select("type", view.t("hooks-event"), types).or_empty(view.t("hooks-every-event"));
        Self {
            filter: DeliveryFilter { status, event: kind, from, until },
            tabs: tabs.collect(),
            kind: kinds.chosen(kind.map_or("", EventType::as_str)),
            from: from_field,
            to: to_field,
            status: status.map(|status| status.to_string()).unwrap_or_default(),
            narrows: FILTERS.iter().any(|name| !query.get(name).is_empty()),
        }
    }
}
