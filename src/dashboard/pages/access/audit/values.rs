//! The names and values of changed fields in audit entries, in the language of the page.
//!
//! An entry contains each value as JSON. A value that no longer has the type of its field is shown as it is stored.

use chrono::NaiveDate;
use domain::{
    AlertSetting, AppointmentStatus, Attendance, AuditedField, AuditedKind, BookingMode, CallOutcome,
    CallStatus, Channel, ClockFormat, CustomerWord, Day, DisabledReason, EventType, FieldChange, LocalTime,
    MembershipStatus, MessageStatus, NoticeScope, Role, Source, Timestamp, Urgency, WebhookStatus, WeekStart,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::{audited, records};

const CHARS_MAX: usize = 300;

/// A period of opening hours, of a break or of a special day.
#[derive(Deserialize)]
struct Period {
    day: Option<Day>,
    #[serde(alias = "open")]
    from: LocalTime,
    #[serde(alias = "close")]
    to: LocalTime,
}

/// Whether the receptionist answers on each channel.
#[derive(Deserialize)]
struct Channels {
    voice: bool,
    sms: bool,
    website: bool,
}

impl Member {
    /// The name of a changed field. A field that only an earlier version had keeps its technical name.
    pub(super) fn audit_field(&self, change: &FieldChange) -> String {
        match (change.audited(), change.field.parse::<NaiveDate>()) {
            (Some(field), _) => records::field(self.words.locale, field).to_owned(),
            (None, Ok(day)) => self.words.date(day),
            (None, Err(_)) => change.field.clone(),
        }
    }

    pub(super) fn audit_value(&self, kind: AuditedKind, change: &FieldChange, json: &str) -> String {
        let Ok(value) = serde_json::from_str::<Value>(json) else { return plain(json, CHARS_MAX) };
        let typed = change.audited().and_then(|field| self.typed_value(kind, field, &value));
        plain(&typed.unwrap_or_else(|| self.json_in_words(&value)), CHARS_MAX)
    }

    /// The text of a value whose field has its own texts or its own format, for example a status or a phone number.
    /// Returns `None` for null and for other fields.
    fn typed_value(&self, kind: AuditedKind, field: AuditedField, value: &Value) -> Option<String> {
        use AuditedField as F;
        fn read<V: DeserializeOwned>(value: &Value) -> Option<V> {
            serde_json::from_value(value.clone()).ok()
        }
        let named = |prefix: &str, word: Option<&str>| word.map(|word| self.t(&format!("{prefix}-{word}")));
        macro_rules! word {
            ($prefix:literal, $type:ty) => {
                named($prefix, read::<$type>(value).map(<$type>::as_str))
            };
        }
        let locale = self.words.locale;
        match field {
            F::Status => match kind {
                AuditedKind::Appointment => word!("appointment-status", AppointmentStatus),
                AuditedKind::Call => word!("call-status", CallStatus),
                AuditedKind::Message => word!("messages-tab", MessageStatus),
                AuditedKind::Person => word!("people-status", MembershipStatus),
                AuditedKind::Webhook => read::<WebhookStatus>(value)
                    .map(|status| audited::webhook_status(locale, status).to_owned()),
                _ => None,
            },
            F::Attendance => word!("appointment-attendance", Attendance),
            F::BookingMode => word!("business-mode", BookingMode),
            F::Clock => word!("clock", ClockFormat),
            F::CustomerWord => word!("business-word", CustomerWord),
            F::Outcome => word!("call-outcome", CallOutcome),
            F::Role => word!("role", Role),
            F::Source => word!("appointment-source", Source),
            F::WeekStart => word!("week-start", WeekStart),
            F::Locale => read(value).map(|locale| self.language(locale).to_owned()),
            F::Urgency => read::<Urgency>(value).map(|it| audited::urgency(locale, it).to_owned()),
            F::DisabledReason => {
                read::<DisabledReason>(value).map(|it| audited::disabled_reason(locale, it).to_owned())
            }
            F::Email if kind == AuditedKind::Business => word!("notices-email", NoticeScope),
            F::Phone | F::CallerPhone | F::ContactPhone | F::FromNumber | F::ToNumber | F::HandoffNumber => {
                read::<String>(value).map(|number| self.phone(&number))
            }
            F::Events => read::<Vec<EventType>>(value).map(|events| {
                let texts =
                    events.iter().map(|it| self.t(&format!("hooks-event-{}", it.as_str().replace('.', "-"))));
                texts.collect::<Vec<_>>().join(", ")
            }),
            F::Override => read::<Vec<String>>(value).map(|rules| {
                let texts =
                    rules.iter().filter_map(|rule| self.words.find(&format!("book-override-{rule}"), &[]));
                texts.collect::<Vec<_>>().join(" ")
            }),
            F::Hours | F::Breaks | F::Windows => read::<Vec<Period>>(value).map(|periods| {
                let text = |Period { day, from, to }: Period| {
                    let day = day.map(|day| format!("{} ", self.words.weekday(day))).unwrap_or_default();
                    format!("{day}{from}–{to}")
                };
                periods.into_iter().map(text).collect::<Vec<_>>().join(", ")
            }),
            F::Channels => read::<Channels>(value).map(|it| {
                let all =
                    [(Channel::Voice, it.voice), (Channel::Sms, it.sms), (Channel::Website, it.website)];
                let on = all.into_iter().filter(|(_, on)| *on).map(|(one, _)| self.conversation_channel(one));
                on.collect::<Vec<_>>().join(", ")
            }),
            _ => read(value).map(|AlertSetting { email, in_app, scope }| {
                let shown = self.t(if in_app { "notify-shown" } else { "notify-not-shown" });
                let [email, scope] = [format!("notify-email-{email}"), format!("notify-scope-{scope}")];
                [self.t(&email), shown, self.t(&scope)].join(", ")
            }),
        }
        .map(|text| if text.is_empty() { self.t("nothing-there") } else { text })
    }

    fn json_in_words(&self, value: &Value) -> String {
        let joined = |texts: Vec<String>| texts.join(", ");
        match value {
            Value::Null => self.t("nothing-there"),
            Value::Bool(true) => self.t("yes"),
            Value::Bool(false) => self.t("no"),
            Value::String(text) if text.is_empty() => self.t("nothing-there"),
            Value::String(text) => {
                Timestamp::parse(text).map_or_else(|_| text.clone(), |at| self.short_moment(at))
            }
            Value::Array(items) if items.is_empty() => self.t("nothing-there"),
            Value::Array(items) => joined(items.iter().map(|item| self.json_in_words(item)).collect()),
            Value::Object(fields) => joined(fields.values().map(|field| self.json_in_words(field)).collect()),
            Value::Number(number) => number.to_string(),
        }
    }
}
