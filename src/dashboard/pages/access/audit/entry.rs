//! The parts of an audit entry: its texts, and the record's name and page.

use std::collections::HashMap;

use domain::{AuditAction, AuditEntry, AuditedKind, ContactId, KeyId, PersonId, Timestamp, WebhookId};
use serde_json::Value;
use uuid::Uuid;

use crate::dashboard::pages::prelude::*;

const CHARS_MAX: usize = 300;

impl View {
    /// The name of a field. A field without a text in the catalogue keeps its technical name.
    pub(super) fn audit_field(&self, name: &str) -> String {
        let id = format!("audit-field-{}", name.replace(['.', '_'], "-"));
        self.words.find(&id, &[]).unwrap_or_else(|| name.to_owned())
    }
}

impl Member {
    /// A JSON value in words.
    pub(super) fn audit_value(&self, json: &str) -> String {
        let value = serde_json::from_str(json);
        plain(&value.map_or_else(|_| json.to_owned(), |value| self.json_in_words(&value)), CHARS_MAX)
    }

    fn json_in_words(&self, value: &Value) -> String {
        match value {
            Value::Null => self.t("nothing-there"),
            Value::Bool(true) => self.t("yes"),
            Value::Bool(false) => self.t("no"),
            Value::String(text) if text.is_empty() => self.t("nothing-there"),
            Value::String(text) => {
                Timestamp::parse(text).map_or_else(|_| text.clone(), |at| self.short_moment(at))
            }
            Value::Array(items) if items.is_empty() => self.t("nothing-there"),
            Value::Array(items) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
                items.iter().map(|item| self.json_in_words(item)).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }

    /// The current names of the entries' records, if they have names and still exist.
    pub(super) async fn record_names(
        &self,
        entries: &[AuditEntry],
    ) -> Result<HashMap<Uuid, String>, Refused> {
        let mut names = HashMap::new();
        for entry in entries {
            if !names.contains_key(&entry.resource_id) {
                names.insert(entry.resource_id, self.record_name(entry).await?);
            }
        }
        let named = names.into_iter().filter_map(|(id, name)| Some((id, name?)));
        Ok(named.filter(|(_, name)| !name.trim().is_empty()).collect())
    }

    async fn record_name(&self, entry: &AuditEntry) -> Result<Option<String>, Refused> {
        let (business, id) = (&self.business, entry.resource_id);
        Ok(match entry.resource_type {
            AuditedKind::ApiKey => business.key_name(KeyId::from(id)).await?,
            AuditedKind::Webhook => {
                business.webhook(WebhookId::from(id)).await?.map(|endpoint| endpoint.url.as_str().to_owned())
            }
            AuditedKind::Contact => {
                business.contact(ContactId::from(id)).await?.and_then(|contact| contact.name)
            }
            // The list of people shows the same name. It contains no account data before the person has
            // accepted.
            AuditedKind::Person => self.member_view(PersonId::from(id)).await?.map(|person| person.name),
            _ => None,
        })
    }
}

/// The path of the record's page, if it has one and the record still exists.
pub(super) fn page_of(member: &Member, entry: &AuditEntry) -> Option<String> {
    if entry.action.as_str().ends_with(".deleted") || entry.action == AuditAction::ContactErase {
        return None;
    }
    let (place, is_of_one) = match entry.resource_type {
        AuditedKind::Appointment => ("appointments", true),
        AuditedKind::Contact => ("contacts", true),
        AuditedKind::Call => ("calls", true),
        AuditedKind::Message => ("messages", true),
        AuditedKind::Webhook => ("settings/webhooks", true),
        AuditedKind::Knowledge => ("knowledge", false),
        AuditedKind::Business => ("settings/business", false),
        AuditedKind::Service => ("settings/services", false),
        AuditedKind::Staff => ("settings/staff", false),
        AuditedKind::Person => ("settings/people", false),
        AuditedKind::ApiKey => ("settings/keys", false),
        AuditedKind::Mail => ("settings/mail", false),
        AuditedKind::Retention => ("settings/data", false),
        _ => return None,
    };
    let id = if is_of_one { format!("/{}", entry.resource_id) } else { String::new() };
    Some(member.path_to(&format!("{place}{id}")))
}
