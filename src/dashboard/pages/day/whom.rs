//! The part of the booking form that chooses the contact: a search, the contacts that it finds, and the fields
//! of a new contact.
//!
//! Invariants:
//! - A contact is an *exact match* if the text of the search is its whole name, phone number or email address. A search
//!   selects the exact match if there is only one and the results fit on one page. In all other cases, a search that
//!   finds contacts selects none of them. A search that finds no contact selects the option for a new contact.
//! - A search for another text discards the choice that was made before.

use domain::{ContactId, Email, Phone, Search, search_text};
use engine::business::{ContactFilter, PageRequest};
use view::{ContactView, OperatorContactView};

use crate::dashboard::pages::prelude::*;
use crate::http::query::FromQuery;
use crate::rest::through::{Through, read_through};
use crate::rest::values::phone::{PhoneRegion, trunk_prefixes};

/// The value of the button for a new contact.
pub(super) const NEW: &str = "new";
/// The name of the buttons that choose the contact.
pub(super) const WHO: &str = "who";
const SEARCH: &str = "q";
/// The hidden field with the text of the search that found the shown contacts.
const FOUND_FOR: &str = "found_for";
const OFFERED: usize = 8;
/// The maximum length of a search text, in characters. It equals the limit of contact names.
const SEARCH_CHARS_MAX: usize = 200;

pub(super) struct Whom {
    pub(super) search: Field,
    pub(super) found: Vec<OperatorContactView>,
    /// The message that the search found nothing or was incomplete. It is empty after any other search.
    pub(super) result: String,
    /// The id of the chosen contact, or [`NEW`] for a new contact. It is empty if the person has not chosen yet.
    pub(super) who: String,
    pub(super) problem: String,
    /// Name, phone number and email address of a new contact.
    pub(super) fields: [Field; 3],
    pub(super) sent: [(&'static str, String); 2],
}

impl Whom {
    pub(super) async fn of(member: &Member, filled: &mut Filled) -> Result<Self, Refused> {
        let wanted = filled.get(SEARCH).trim().to_owned();
        let is_anew = filled.get(FOUND_FOR) != wanted;
        let results = look_for(member, &wanted).await?;
        let result = match (wanted.is_empty(), results.is_incomplete, results.items.is_empty()) {
            (false, true, _) => member.t("book-incomplete"),
            (false, false, true) => member.with("book-not-found", "text", &wanted),
            _ => String::new(),
        };
        let chosen = filled.get(WHO).parse::<ContactId>().ok();
        let who = match filled.get(WHO) {
            who if (!is_anew || wanted.is_empty()) && filled.has(WHO) => who.to_owned(),
            _ if !results.items.is_empty() => exact(member, &results, &wanted).unwrap_or_default(),
            _ if !wanted.is_empty() => NEW.into(),
            _ => filled.get("contact").parse::<ContactId>().map_or_else(|_| NEW.into(), |id| id.to_string()),
        };
        // The list always contains the contact in the link and the chosen contact.
        let mut found = Vec::new();
        for id in [filled.get("contact").parse().ok(), chosen].into_iter().flatten() {
            if let Some(contact) = member.business.contact_as::<OperatorContactView>(id).await? {
                found.push(contact);
            }
        }
        let at = if is_anew { 0 } else { found.len() };
        found.splice(at..at, results.items);
        let mut known = Vec::new();
        found.retain(|one| {
            let is_new = !known.contains(&one.contact.id);
            known.push(one.contact.id);
            is_new
        });
        let fields = fields(member, filled, is_anew.then_some(wanted.as_str()));
        let problem = ["contact_id", "contact"].map(|path| filled.problem(&member.view, path));
        Ok(Self {
            search: Field::new(SEARCH, "search", "off", member.t("book-who")).optional().holding(&wanted),
            found,
            result,
            who,
            fields,
            problem: problem.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "),
            sent: [(FOUND_FOR, wanted), ("contact", filled.get("contact").to_owned())],
        })
    }

    pub(super) fn is_chosen(&self, contact: &OperatorContactView) -> bool {
        self.who == contact.contact.id.to_string()
    }
}

/// The id of the contact whose whole name, phone number or email address is `wanted`, if there is only one.
fn exact(member: &Member, results: &Through<OperatorContactView>, wanted: &str) -> Option<String> {
    let search = |text: &str| Search::new(text, trunk_prefixes());
    let text = |name: &str| search_text(Some(name), None, None);
    let phone = Phone::from_query(wanted, &PhoneRegion::reading(&member.profile)).ok();
    let email = Email::new(wanted).ok();
    let is_exact = |one: &&OperatorContactView| {
        let ContactView { name, phone: of_phone, email: of_email, .. } = &one.contact;
        // Two names match if a search for each of them finds the other one.
        let has_name =
            |name: &String| search(wanted).matches(&text(name)) && search(name).matches(&text(wanted));
        name.as_ref().is_some_and(has_name)
            || phone.as_deref().is_some_and(|phone| of_phone.as_deref() == Some(phone))
            || email.as_deref().is_some_and(|email| of_email.as_deref() == Some(email))
    };
    let mut exact = results.items.iter().filter(is_exact);
    match (exact.next(), exact.next()) {
        (Some(one), None) if results.next.is_none() => Some(one.contact.id.to_string()),
        _ => None,
    }
}

/// The fields of a new contact. The text of a new search becomes the name, phone number or email address, unless the
/// person has already filled that field.
fn fields(member: &Member, filled: &mut Filled, searched: Option<&str>) -> [Field; 3] {
    let view = &member.view;
    let fields = [
        Field::line("name", view.t("name")),
        Field::new("phone", "tel", "off", view.t("appointment-phone")),
        Field::new("email", "email", "off", view.t("email")),
    ];
    let fits = match searched.unwrap_or_default() {
        text if text.contains('@') => "email",
        text if text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic) => "phone",
        _ => "name",
    };
    fields.map(|field| {
        let problem = filled.problem(view, &format!("contact.{}", field.id));
        let typed = filled.get(&field.id);
        let is_carried = typed.is_empty() || typed == filled.get(FOUND_FOR);
        let value = match searched.filter(|_| is_carried) {
            Some(text) if field.id == fits => text.to_owned(),
            Some(_) => String::new(),
            None => typed.to_owned(),
        };
        Field { value, problem, ..field.optional() }
    })
}

impl View {
    pub(super) fn name_to_choose(&self, contact: &ContactView) -> String {
        let known = [&contact.name, &contact.phone, &contact.email].into_iter().flatten();
        let name = known.into_iter().find(|name| !name.trim().is_empty()).cloned();
        name.unwrap_or_else(|| self.t("somebody"))
    }

    /// The phone number and the email of a contact, except the value that is shown as the contact's name.
    pub(in crate::dashboard::pages) fn reached(&self, contact: &ContactView) -> String {
        let name = self.name_to_choose(contact);
        let phone = contact.phone.as_ref().filter(|phone| **phone != name).map(|phone| self.phone(phone));
        let email = contact.email.clone().filter(|email| *email != name);
        phone.into_iter().chain(email).collect::<Vec<_>>().join(" · ")
    }
}

/// Searches contacts by the words of a name, a phone number or an email address, newest first.
async fn look_for(member: &Member, wanted: &str) -> Result<Through<OperatorContactView>, Refused> {
    if wanted.is_empty() || wanted.chars().count() > SEARCH_CHARS_MAX {
        return Ok(Through { items: Vec::new(), next: None, is_incomplete: false });
    }
    let search = Some(Search::new(wanted, trunk_prefixes()));
    let (business, filter) = (&member.business, &ContactFilter { search, ..ContactFilter::default() });
    let read = |page| async move { business.contacts_as(filter, &page).await };
    Ok(read_through(PageRequest { limit: OFFERED, after: None }, read).await?)
}
