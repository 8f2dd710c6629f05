//! The page of a business's audit log. It has filters, and shows the entries, newest first, with names of the
//! records and links to their pages.

mod values;

use std::collections::hash_map::Entry::Vacant;
use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use domain::{
    Actor, AuditAction, AuditEntry, AuditedKind, ContactId, FieldChange, KeyId, MembershipId, PersonId,
    ResourceId, WebhookId,
};
use engine::business::{AuditFilter, PageRequest};
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::days::by_day;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::records as words;

const SHOWN: usize = 50;
const NAME_CHARS_MAX: usize = 80;

#[derive(Template)]
#[template(path = "dashboard/pages/access/audit/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    filters: Filters,
    entries: Vec<AuditEntry>,
    whos: HashMap<Actor, String>,
    names: HashMap<Uuid, String>,
    incomplete: bool,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let filters = Filters::of(&member).await?;
    let part = member.part("audit", SHOWN, &FILTERS);
    let (filter, business) = (&filters.filter, &member.business);
    let found = part.read(|request| async move { business.audit_of(filter.clone(), &request).await }).await?;
    let actors: Vec<_> = found.items.iter().map(|entry| entry.actor).collect();
    page(&Page {
        sheet: member.sheet("settings/audit"),
        whos: member.whos(actors).await?,
        names: member.record_names(&found.items).await?,
        entries: found.items,
        incomplete: found.is_incomplete,
        pages: part.pages(found.next.as_deref()),
        filters,
    })
}

impl Page<'_> {
    fn days(&self) -> Vec<(NaiveDate, &[AuditEntry])> {
        by_day(&self.entries, |entry| self.sheet.member.day(entry.at))
    }

    /// The actor's name. A person who declined an invitation is not a member, so the entry shows no name.
    fn who(&self, entry: &AuditEntry) -> String {
        match entry.action {
            AuditAction::PersonDeclined => self.sheet.member.t("who-nameless"),
            _ => self.whos.get(&entry.actor).cloned().unwrap_or_default(),
        }
    }

    fn did(&self, entry: &AuditEntry) -> &'static str {
        words::action(self.sheet.member.words.locale, entry.action)
    }

    fn kind(&self, entry: &AuditEntry) -> String {
        capitalised(words::kind(self.sheet.member.words.locale, entry.resource_type))
    }

    /// The path of the record's page, if it has one and the record still exists.
    fn path(&self, entry: &AuditEntry) -> Option<String> {
        if entry.action.as_str().ends_with(".deleted") || entry.action == AuditAction::ContactErase {
            return None;
        }
        let (place, is_of_one) = match entry.resource_type {
            AuditedKind::Appointment => ("appointments", true),
            AuditedKind::Contact => ("contacts", true),
            AuditedKind::Call => ("calls", true),
            AuditedKind::Conversation => ("conversations", true),
            AuditedKind::Gap => ("knowledge/gaps", false),
            AuditedKind::Message => ("messages", true),
            AuditedKind::Webhook => ("settings/webhooks", true),
            AuditedKind::Knowledge => ("knowledge", false),
            AuditedKind::Business => ("settings/business", false),
            AuditedKind::Service => ("settings/services", false),
            AuditedKind::Staff => ("settings/staff", false),
            AuditedKind::Person => ("settings/people", false),
            AuditedKind::ApiKey => ("settings/keys", false),
            AuditedKind::Feed | AuditedKind::Calendar => ("settings/calendars", false),
            AuditedKind::Mail => ("settings/mail", false),
            AuditedKind::Retention => ("settings/data", false),
            _ => return None,
        };
        let id = if is_of_one { format!("/{}", entry.resource_id) } else { String::new() };
        Some(self.sheet.member.path_to(&format!("{place}{id}")))
    }

    fn name(&self, entry: &AuditEntry) -> Option<String> {
        self.names.get(&entry.resource_id).map(|name| plain(name, NAME_CHARS_MAX))
    }

    /// The changed fields, with their names and values in words.
    fn changes(&self, entry: &AuditEntry) -> Vec<[String; 3]> {
        let member = self.sheet.member;
        // Changes to `updated_at` are omitted. Only earlier versions of the service stored them.
        let changes = entry.changes.iter().filter(|change| change.field != "updated_at");
        let text = |change: &FieldChange| {
            let value = |json: &str| member.audit_value(entry.resource_type, change, json);
            [member.audit_field(change), value(&change.from), value(&change.to)]
        };
        changes.map(text).collect()
    }
}

const FILTERS: [&str; 6] = ["by", "did", "to", "id", "from", "until"];
const OFFERED: usize = 100;

struct Filters {
    filter: AuditFilter,
    /// The filters: actor, action, kind, first and last day.
    fields: [Field; 5],
    id: String,
    narrows: bool,
    people: Vec<PersonView>,
}

impl Filters {
    async fn of(member: &Member) -> Result<Self, Refused> {
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
            fields: [
                select("by", "audit-by", "audit-everybody", actors(member, &people).await?),
                select("did", "audit-did", "audit-anything-done", actions),
                select("to", "audit-to", "audit-anything", kinds),
                from_field,
                until_field,
            ],
            id: id.map(|id| id.to_string()).unwrap_or_default(),
            narrows: FILTERS.iter().any(|name| given(name).is_some()),
            people,
        })
    }

    /// The id of the entry's record in URLs. For a person it is the id of the membership, if there is one.
    fn address_id(&self, entry: &AuditEntry) -> Option<Uuid> {
        if entry.resource_type != AuditedKind::Person {
            return Some(entry.resource_id);
        }
        let person = self.people.iter().find(|person| person.id.uuid() == entry.resource_id);
        person.map(|person| person.membership_id.uuid())
    }
}

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
    let others = [("operator", "who-operator"), ("customer", "who-customer"), ("system", "who-service")];
    let others = others.into_iter().map(|(value, word)| Choice::new(value, view.t(word)));
    Ok(people.chain(keys).chain(others).collect())
}

/// Converts the id in a URL to a record's id. For a person, the URL contains the membership's id.
fn resource_id(people: &[PersonView], id: Uuid) -> Uuid {
    let person = people.iter().find(|person| person.membership_id.uuid() == id);
    person.map_or(id, |person| person.id.uuid())
}

fn actor(people: &[PersonView], word: &str) -> Option<Actor> {
    match word.split_once(':') {
        None if word == "operator" => Some(Actor::Operator),
        None if word == "customer" => Some(Actor::Customer),
        None if word == "system" => Some(Actor::System),
        Some(("person", id)) => {
            let id = id.parse::<MembershipId>().ok()?;
            people.iter().find(|person| person.membership_id == id).map(|person| Actor::Person(person.id))
        }
        Some(("key", id)) => id.parse::<KeyId>().ok().map(Actor::ApiKey),
        _ => None,
    }
}

impl Member {
    async fn record_names(&self, entries: &[AuditEntry]) -> Result<HashMap<Uuid, String>, Refused> {
        let mut names = HashMap::new();
        for entry in entries {
            if let Vacant(vacant) = names.entry(entry.resource_id) {
                vacant.insert(self.record_name(entry).await?);
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
            // The entry shows the person's name as in the list of people. Before the person accepts the invitation, the
            // list shows the invited address.
            AuditedKind::Person => self.member_view(PersonId::from(id)).await?.map(|person| person.name),
            _ => None,
        })
    }
}
