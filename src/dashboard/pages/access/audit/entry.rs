//! The parts of an audit entry: its fields, and the record's name and page.

use domain::{AuditAction, AuditEntry, AuditedKind, ContactId, KeyId, PersonId, Refusal, WebhookId};
use engine::EngineError;
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::pages::prelude::*;

/// The name of a field. A field without a text in the catalogue keeps its technical name.
pub(super) fn field(view: &View, name: &str) -> String {
    let id = format!("audit-field-{}", name.replace(['.', '_'], "-"));
    view.words.find(&id, &[]).unwrap_or_else(|| name.to_owned())
}

/// The current names of records. Each one is looked up once.
#[derive(Default)]
pub(super) struct Names(Vec<(Uuid, Option<String>)>);

impl Names {
    /// The name of the entry's record, if it has a name and still exists.
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
        let name = match entry.resource_type {
            AuditedKind::ApiKey => business.key_name(KeyId::from(id)).await?,
            AuditedKind::Webhook => {
                business.webhook(WebhookId::from(id)).await?.map(|endpoint| endpoint.url.as_str().to_owned())
            }
            AuditedKind::Contact => {
                business.contact(ContactId::from(id)).await?.and_then(|contact| contact.name)
            }
            // The list of people shows the same name. It contains no account data before the person has
            // accepted.
            AuditedKind::Person => match member.people().member(business, PersonId::from(id)).await {
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

/// The path of the record's page, if it has one and the record still exists.
pub(super) fn page_of(member: &Member, entry: &AuditEntry) -> Option<String> {
    if entry.action.as_str().ends_with(".deleted") || entry.action == AuditAction::ContactErase {
        return None;
    }
    let id = entry.resource_id;
    let (place, of_one) = match entry.resource_type {
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
    let is_page = |page: &str| match of_one {
        true => {
            page.strip_prefix(place).is_some_and(|rest| rest.starts_with("/{") && !rest[1..].contains('/'))
        }
        false => page == place,
    };
    member.desk.pages.iter().copied().find(|page| is_page(page))?;
    Some(member.path_to(&if of_one { format!("{place}/{id}") } else { place.to_owned() }))
}
