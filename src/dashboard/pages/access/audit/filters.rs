//! The filters of the audit log, with their form fields.

use std::collections::BTreeSet;

use domain::{Actor, AuditAction, AuditEntry, AuditedKind, KeyId, MembershipId, ResourceId};
use engine::business::{AuditFilter, PageRequest};
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::audit as words;

pub(super) const FILTERS: [&str; 6] = ["by", "did", "to", "id", "from", "until"];
/// The maximum number of people and of keys in the filter.
const OFFERED: usize = 100;

pub(super) struct Filters {
    pub(super) filter: AuditFilter,
    pub(super) by: Field,
    pub(super) did: Field,
    pub(super) to: Field,
    pub(super) from: Field,
    pub(super) until: Field,
    pub(super) id: String,
    pub(super) narrows: bool,
    people: Vec<PersonView>,
}

impl Filters {
    pub(super) async fn of(member: &Member) -> Result<Self, Refused> {
        let (view, query) = (&member.view, &member.query);
        let given = |name: &str| Some(query.get(name)).filter(|text| !text.is_empty());
        let (from, from_field) = member.day_filter("from", false);
        let (until, until_field) = member.day_filter("until", true);
        let id = given("id").and_then(|id| id.parse::<Uuid>().ok());
        let people = member.everybody().await?;
        let select = |name: &str, label: &str, any: &str, all: Vec<Choice>| {
            Field::select(name, view.t(label), all).or_empty(view.t(any)).chosen(query.get(name))
        };
        let locale = view.words.locale;
        let actions = AuditAction::ALL.iter().filter(|action| !action.is_of_installation());
        let kinds: BTreeSet<_> = actions.clone().map(|action| action.kind()).collect();
        let actions = actions.map(|one| Choice::new(one.as_str(), words::action(locale, *one))).collect();
        let kinds =
            kinds.into_iter().map(|one| Choice::new(one.as_str(), words::kind(locale, one))).collect();
        Ok(Self {
            filter: AuditFilter {
                actor: given("by").and_then(|word| actor(&people, word)),
                action: given("did").and_then(AuditAction::from_word),
                resource_type: given("to").and_then(AuditedKind::from_word),
                resource_id: id.map(|id| resource_id(&people, id)),
                from,
                until,
            },
            by: select("by", "audit-by", "audit-everybody", actors(member, &people).await?),
            did: select("did", "audit-did", "audit-anything-done", actions),
            to: select("to", "audit-to", "audit-anything", kinds),
            from: from_field,
            until: until_field,
            id: id.map(|id| id.to_string()).unwrap_or_default(),
            narrows: FILTERS.iter().any(|name| given(name).is_some()),
            people,
        })
    }

    /// The id of the entry's record in URLs. A person has the id of the membership, or none without a
    /// membership.
    pub(super) fn address_id(&self, entry: &AuditEntry) -> Option<Uuid> {
        if entry.resource_type != AuditedKind::Person {
            return Some(entry.resource_id);
        }
        let person = self.people.iter().find(|person| person.id.uuid() == entry.resource_id);
        person.map(|person| person.membership_id.uuid())
    }
}

/// The options of the actor filter: people, keys, the operator and the service.
async fn actors(member: &Member, people: &[PersonView]) -> Result<Vec<Choice>, Refused> {
    let view = &member.view;
    let first = PageRequest { limit: OFFERED, after: None };
    let keys = member.business.keys(&first).await?.items;
    let people = people
        .iter()
        .take(OFFERED)
        .map(|person| Choice::new(format!("person:{}", person.membership_id), view.name_of(person)));
    let keys = keys.into_iter().map(|key| {
        Choice::new(format!("key:{}", key.key.id), view.with("who-key-named", "name", &key.key.name))
    });
    let others = [("operator", "who-operator"), ("system", "who-service")];
    let others = others.into_iter().map(|(value, word)| Choice::new(value, view.t(word)));
    Ok(people.chain(keys).chain(others).collect())
}

/// The id of a record for its id in a URL. For a person the URL contains the id of the membership.
fn resource_id(people: &[PersonView], id: Uuid) -> Uuid {
    let person = people.iter().find(|person| person.membership_id.uuid() == id);
    person.map_or(id, |person| person.id.uuid())
}

fn actor(people: &[PersonView], word: &str) -> Option<Actor> {
    match word.split_once(':') {
        None if word == "operator" => Some(Actor::Operator),
        None if word == "system" => Some(Actor::System),
        Some(("person", id)) => {
            let id = id.parse::<MembershipId>().ok()?;
            people.iter().find(|person| person.membership_id == id).map(|person| Actor::Person(person.id))
        }
        Some(("key", id)) => id.parse::<KeyId>().ok().map(Actor::ApiKey),
        _ => None,
    }
}
