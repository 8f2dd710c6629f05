//! The pages of contacts. The list has one search field for name, phone number and email. The page of a
//! contact lists the appointments, calls, conversations and messages of the contact, and shows how many
//! appointments the contact has had.

use domain::{ContactId, Email, Phone, Right, Search};
use engine::EngineError;
use engine::business::{
    self, AppointmentFilter, CallFilter, ContactFilter, ConversationFilter, MessageFilter, PageRequest,
};
use view::{ContactView, OperatorContactView, VisitsView};

use super::rows::Row;
use crate::dashboard::listing::Part;
use crate::dashboard::pages::prelude::*;
use crate::http::query::FromQuery;
use crate::rest::through::Through;
use crate::rest::values::phone::{PhoneRegion, trunk_prefixes};

#[derive(Template)]
#[template(path = "dashboard/pages/records/contacts.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    q: &'a str,
    by_name: bool,
    pages: Pages,
    found: Through<ContactView>,
}

pub(crate) async fn list(member: Member) -> Answered {
    let q = member.query.get("q").trim();
    let by_name = q.is_empty() && member.query.get(ORDER) == BY_NAME;
    let part = member.part("contacts", SHOWN, &["q", ORDER]);
    let found = match by_name {
        true => {
            let business = &member.business;
            part.read(|page| async move { business.contacts_by_name(&page).await }).await?
        }
        false => find(&member, &part, q).await?,
    };
    page(&List {
        sheet: member.sheet("contacts"),
        done: member.done(&[
            ("erased", "contacts-erased"),
            ("imported", "contacts-imported"),
            ("imported-none", "contacts-imported-none"),
        ]),
        q,
        by_name,
        pages: part.pages(found.next.as_deref()),
        found,
    })
}

/// Finds the contact with this phone number or email. If there is no such contact, finds the contacts that match the
/// words of the text.
pub(super) async fn find(member: &Member, part: &Part, q: &str) -> Result<Through<ContactView>, Refused> {
    let business = &member.business;
    let read = async |filter: ContactFilter| {
        let filter = &filter;
        part.read(|page| async move { business.contacts(filter, &page).await }).await
    };
    if q.is_empty() {
        return read(ContactFilter::default()).await;
    }
    let phone = Phone::from_query(q, &PhoneRegion::reading(&member.profile)).ok();
    let of_phone = phone.map(|phone| ContactFilter { phone: Some(phone), ..ContactFilter::default() });
    let of_email =
        Email::new(q).ok().map(|email| ContactFilter { email: Some(email), ..ContactFilter::default() });
    // At most one contact has this phone number or email. The first page shows this contact.
    for exact in of_phone.into_iter().chain(of_email).filter(|_| part.request.after.is_none()) {
        let found = read(exact).await?;
        if !found.items.is_empty() {
            return Ok(found);
        }
    }
    let search = Some(Search::new(q, trunk_prefixes()));
    read(ContactFilter { search, ..ContactFilter::default() }).await
}

const ORDER: &str = "order";
const BY_NAME: &str = "name";
const FEW: usize = 10;
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    path: String,
    done: String,
    name: String,
    seen: OperatorContactView,
    visits: VisitsView,
    usual: [Option<String>; 2],
    book: String,
    lists: Vec<(Kind, business::Page<Row>)>,
    pages: Option<Pages>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ToCome,
    Past,
    Calls,
    Conversations,
    Messages,
}

impl Kind {
    const ALL: [Self; 5] = [Self::ToCome, Self::Past, Self::Calls, Self::Conversations, Self::Messages];

    /// The word in URLs, and the message ids of the title and of an empty list.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::ToCome => ["to-come", "contact-to-come", "contact-none-to-come"],
            Self::Past => ["past", "contact-past", "contact-none-past"],
            Self::Calls => ["calls", "calls", "contact-no-calls"],
            Self::Conversations => ["conversations", "conversations", "contact-no-conversations"],
            Self::Messages => ["messages", "messages", "contact-no-messages"],
        }
    }
}

/// The page of a contact, with the newest records of each kind, or with all records of one kind.
pub(crate) async fn show(member: Member) -> Answered {
    let seen = found(&member).await?;
    let (contact, id) = (&seen.contact, seen.contact.id);
    let visits = member.business.visits(id).await?;
    let alone = Kind::ALL.into_iter().find(|kind| kind.words()[0] == member.query.get("list"));
    let member = &member;
    let (lists, pages) = match alone {
        Some(kind) => {
            let part = member.part(&format!("contact {id}"), SHOWN, &["list"]);
            let found = part.read(|page| async move { records(member, id, kind, &page).await }).await?;
            let pages = part.pages(found.next.as_deref());
            (vec![(kind, business::Page { items: found.items, next: None })], Some(pages))
        }
        None => {
            let first = PageRequest { limit: FEW, after: None };
            let read = |kind| records(member, id, kind, &first);
            let lists = futures_util::future::try_join_all(Kind::ALL.map(read)).await?;
            (Kind::ALL.into_iter().zip(lists).collect(), None)
        }
    };
    let (name, path) = (member.called(contact), member.path_to(&format!("contacts/{id}")));
    let mut crumbs = vec![member.crumb("contacts")];
    crumbs.extend(alone.map(|_| Crumb { label: name.clone(), path: path.clone() }));
    let usual = [
        named(visits.usual_service_id, async |id| Ok(member.business.service(id).await?.map(|it| it.name)))
            .await?,
        named(visits.usual_staff_id, async |id| {
            Ok(member.business.staff_member(id).await?.map(|it| it.name))
        })
        .await?,
    ];
    page(&Page {
        sheet: member.sheet("contacts/one").under(crumbs),
        book: book_again(member, id, &visits),
        visits,
        usual,
        path,
        done: member.done(&[("added", "contact-added"), ("saved", "saved"), ("merged", "contact-merged")]),
        name,
        seen,
        lists,
        pages,
    })
}

/// The name of a record that may have been deleted.
async fn named<I>(
    id: Option<I>,
    read: impl AsyncFnOnce(I) -> Result<Option<String>, EngineError>,
) -> Result<Option<String>, Refused> {
    match id {
        Some(id) => Ok(read(id).await?),
        None => Ok(None),
    }
}

/// The path of the booking form for this contact, with the contact's usual service and staff member.
fn book_again(member: &Member, id: ContactId, visits: &VisitsView) -> String {
    let mut path = format!("{}?contact={id}", member.path_to("appointments/new"));
    let service = visits.usual_service_id.map(|id| ("service", id.to_string()));
    let staff = visits.usual_staff_id.map(|id| ("staff", id.to_string()));
    for (name, id) in service.into_iter().chain(staff) {
        path.push_str(&format!("&{name}={id}"));
    }
    path
}

pub(super) async fn found(member: &Member) -> Result<OperatorContactView, Refused> {
    member.business.contact_as(member.id("contact_id")?).await?.ok_or_else(Refused::not_found)
}

/// The filters for the records of a contact.
pub(super) struct Filters {
    pub(super) appointments: AppointmentFilter,
    pub(super) calls: CallFilter,
    pub(super) conversations: ConversationFilter,
    pub(super) messages: MessageFilter,
}

impl Filters {
    pub(super) fn of(id: ContactId) -> Self {
        let contact_id = Some(id);
        Self {
            appointments: AppointmentFilter {
                contact_id,
                latest_first: true,
                ..AppointmentFilter::default()
            },
            calls: CallFilter { contact_id, ..CallFilter::default() },
            conversations: ConversationFilter { contact_id, ..ConversationFilter::default() },
            messages: MessageFilter { contact_id, ..MessageFilter::default() },
        }
    }
}

async fn records(
    member: &Member,
    id: ContactId,
    kind: Kind,
    page: &PageRequest,
) -> Result<business::Page<Row>, EngineError> {
    let business = &member.business;
    let Filters { appointments, calls, conversations, messages } = Filters::of(id);
    let (items, next) = match kind {
        Kind::ToCome | Kind::Past => {
            let now = Some(business.now());
            let filter = match kind {
                Kind::ToCome => AppointmentFilter { from: now, latest_first: false, ..appointments },
                _ => AppointmentFilter { to: now, ..appointments },
            };
            let found = business.appointments(&filter, page).await?;
            (found.items.iter().map(|one| member.row_of_appointment(one)).collect(), found.next)
        }
        Kind::Calls => {
            let found = business.calls(&calls, page).await?;
            (found.items.iter().map(|one| member.row_of_call(one)).collect(), found.next)
        }
        Kind::Conversations => {
            let found = business.conversations(&conversations, page).await?;
            (found.items.iter().map(|one| member.row_of_conversation(one)).collect(), found.next)
        }
        Kind::Messages => {
            let found = business.messages(&messages, page).await?;
            (found.items.iter().map(|one| member.row_of_message(one)).collect(), found.next)
        }
    };
    Ok(business::Page { items, next })
}
