//! What an entry of the audit log tells of, in words. What has none, of a later version perhaps, stands as it is.

use actors::EngineError;
use actors::domain::{AuditEntry, ContactId, KeyId, PersonId, Refusal, WebhookId};
use actors::view::PersonView;
use uuid::Uuid;

use crate::dashboard::asked::Member;
use crate::dashboard::refused::Refused;
use crate::dashboard::view::View;

/// What is done in a business, in the order in which it is offered.
pub(super) const ACTIONS: [&str; 47] = [
    "appointment.booked",
    "appointment.requested",
    "appointment.confirmed",
    "appointment.declined",
    "appointment.rescheduled",
    "appointment.cancelled",
    "contact.created",
    "contact.updated",
    "contact.erase",
    "call.completed",
    "message.taken",
    "message.updated",
    "knowledge.created",
    "knowledge.updated",
    "knowledge.deleted",
    "business.created",
    "business.updated",
    "business.imported",
    "business.restored_incomplete",
    "special_day.set",
    "special_day.deleted",
    "service.created",
    "service.updated",
    "service.deleted",
    "staff.created",
    "staff.updated",
    "staff.deleted",
    "time_off.created",
    "time_off.deleted",
    "person.added",
    "person.accepted",
    "person.declined",
    "person.changed",
    "person.removed",
    "person.link_made",
    "person.notifications_changed",
    "person.unsubscribed",
    "api_key.created",
    "api_key.revoked",
    "webhook.created",
    "webhook.updated",
    "webhook.secret_rotated",
    "webhook.turned_off",
    "webhook.deleted",
    "mail.resent",
    "retention.updated",
    "budget.updated",
];

/// What it is done to.
pub(super) const RESOURCES: [&str; 15] = [
    "appointment",
    "contact",
    "call",
    "message",
    "knowledge",
    "business",
    "special_day",
    "service",
    "staff",
    "time_off",
    "person",
    "api_key",
    "webhook",
    "mail",
    "retention",
];

/// What was done: `booked an appointment`.
pub(super) fn action(view: &View, action: &str) -> String {
    worded(view, "audit-did", action)
}

/// A kind of record.
pub(super) fn resource(view: &View, kind: &str) -> String {
    worded(view, "audit-of", kind)
}

/// A field of a record.
pub(super) fn field(view: &View, name: &str) -> String {
    worded(view, "audit-field", name)
}

fn worded(view: &View, group: &str, word: &str) -> String {
    let id = format!("{group}-{}", word.replace(['.', '_'], "-"));
    view.words.find(&id, &[]).unwrap_or_else(|| word.to_owned())
}

/// The names of records, as they are by now; each is looked up once.
#[derive(Default)]
pub(super) struct Names(Vec<(Uuid, Option<String>)>);

impl Names {
    /// The name of the record of an entry, where it has one and is still there.
    pub(super) async fn of(
        &mut self,
        member: &Member,
        entry: &AuditEntry,
    ) -> Result<Option<String>, Refused> {
        let id = entry.resource_id;
        if let Some((_, name)) = self.0.iter().find(|(known, _)| *known == id) {
            return Ok(name.clone());
        }
        let business = &member.business;
        let name = match entry.resource_type.as_str() {
            "api_key" => business.key_name(KeyId::from(id)).await?,
            "webhook" => business.webhook(WebhookId::from(id)).await?.map(|endpoint| endpoint.url),
            "contact" => business.contact(ContactId::from(id)).await?.and_then(|contact| contact.name),
            // As the list of people shows them: of whoever has not accepted nothing of their account is told.
            "person" => match member.people().member(business, PersonId::from(id)).await {
                Ok((person, membership)) => Some(PersonView::new(&person, &membership).name),
                Err(EngineError::Refused(Refusal::NotFound(_))) => None,
                Err(error) => return Err(error.into()),
            },
            _ => None,
        };
        let name = name.filter(|name| !name.trim().is_empty());
        self.0.push((id, name.clone()));
        Ok(name)
    }
}

/// Where the record of an entry is shown, if it has a page and is still there.
pub(super) fn page_of(member: &Member, entry: &AuditEntry) -> Option<String> {
    if entry.action.ends_with(".deleted") || entry.action == "contact.erase" {
        return None;
    }
    let id = entry.resource_id;
    let (place, of_one) = match entry.resource_type.as_str() {
        "appointment" => ("appointments", true),
        "contact" => ("contacts", true),
        "call" => ("calls", true),
        "message" => ("messages", true),
        "webhook" => ("settings/webhooks", true),
        "knowledge" => ("knowledge", false),
        "business" => ("settings/business", false),
        "service" => ("settings/services", false),
        "staff" => ("settings/staff", false),
        "person" => ("settings/people", false),
        "api_key" => ("settings/keys", false),
        "mail" => ("settings/mail", false),
        "retention" => ("settings/data", false),
        _ => return None,
    };
    let is_page = |page: &str| match of_one {
        true => {
            page.strip_prefix(place).is_some_and(|rest| rest.starts_with("/{") && !rest[1..].contains('/'))
        }
        false => page == place,
    };
    member.desk.pages.iter().copied().find(|page| is_page(page))?;
    Some(member.path_to(&if of_one { format!("{place}/{id}") } else { place.to_owned() }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use actors::domain::Locale;

    use super::*;
    use crate::dashboard::words::words;

    /// The actions that stand in the code of the engine which changes a business.
    fn noted(under: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(under).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                noted(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let is_word =
                |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let is_action = |text: &&str| text.split_once('.').is_some_and(|(a, b)| is_word(a) && is_word(b));
            found.extend(text.split('"').filter(is_action).map(str::to_owned));
        }
    }

    #[test]
    fn everything_that_is_done_in_a_business_has_its_words() {
        let mut found = BTreeSet::new();
        noted(&Path::new(env!("CARGO_MANIFEST_DIR")).join("actors/src/business/commands"), &mut found);
        assert!(found.len() > 30, "{found:?}");
        for action in found.iter().map(String::as_str).chain(ACTIONS) {
            let kind = action.split('.').next().unwrap();
            // What is done to what is kept of the installation stands in its own log.
            if action == "business.ended" {
                continue;
            }
            assert!(ACTIONS.contains(&action), "{action} is not offered");
            assert!(RESOURCES.contains(&kind) || kind == "budget", "{kind}");
            for locale in Locale::ALL {
                for id in [format!("audit-did-{action}"), format!("audit-of-{kind}")] {
                    let id = id.replace(['.', '_'], "-");
                    assert!(words(*locale).find(&id, &[]).is_some(), "{id} in {locale}");
                }
            }
        }
    }
}
