//! The page of a contact with all appointments, calls and messages, newest first.

use domain::{ContactId, Right};
use engine::business::{AppointmentFilter, CallFilter, MessageFilter, PageRequest};
use view::OperatorContactView;

use super::rows::{self, Row};
use super::said::{called, language, short_day};
use crate::dashboard::pages::prelude::*;

/// The number of records of a kind on the contact's page, and on a page of that kind.
const FEW: usize = 10;
const SHOWN: usize = 50;
const BOOKING: &str = "appointments/new";

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    done: String,
    name: String,
    /// Whether the contact has a name. Otherwise the title is the phone number or email.
    named: bool,
    initials: String,
    since: String,
    phone: Option<Number>,
    email: Option<Mailbox>,
    language: &'static str,
    seen: OperatorContactView,
    lists: Vec<List>,
    /// The links to other pages, if the page shows one kind only.
    pages: Option<Pages>,
    book: Option<String>,
    may: bool,
    /// Whether the person may export and erase the contact.
    data: bool,
}

struct List {
    kind: Kind,
    title: String,
    none: String,
    rows: Vec<Row>,
    /// The link to all records, if there are more.
    all: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Appointments,
    Calls,
    Messages,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Appointments, Self::Calls, Self::Messages];

    /// The word in URLs, and the message ids of the title and of an empty list.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Appointments => ["appointments", "contact-appointments", "contact-no-appointments"],
            Self::Calls => ["calls", "calls", "contact-no-calls"],
            Self::Messages => ["messages", "messages", "contact-no-messages"],
        }
    }
}

/// The contact with the newest records of each kind, or with all of one kind.
pub(crate) async fn show(member: Member) -> Answered {
    let seen = found(&member).await?;
    let contact = &seen.contact;
    let (view, id) = (member.view(), contact.id);
    let alone = Kind::ALL.into_iter().find(|kind| kind.words()[0] == member.query.get("list"));
    let (lists, pages) = match alone {
        Some(kind) => {
            let (list, pages) = whole(&member, &view, id, kind).await?;
            (vec![list], Some(pages))
        }
        None => (newest(&member, &view, id).await?, None),
    };
    let name = called(&view, contact);
    let path = member.path_to(&format!("contacts/{id}"));
    let mut crumbs = vec![member.crumb("contacts")];
    crumbs.extend(alone.map(|_| Crumb { label: name.clone(), path: path.clone() }));
    let may = member.may(Right::Day);
    let shown = Page {
        sheet: member.sheet("contacts/one").under(crumbs),
        path,
        done: member.done(&[("added", "contact-added"), ("saved", "saved")]),
        named: contact.name.is_some(),
        initials: initials(contact.name.as_deref().unwrap_or_default()),
        name,
        since: view.with("contact-since", "day", &short_day(&view, contact.created_at, member.profile.zone)),
        phone: Number::of(contact.phone.as_ref()),
        email: Mailbox::of(contact.email.as_ref()),
        language: contact.locale.map(language).unwrap_or_default(),
        seen,
        lists,
        pages,
        book: (may && view.desk.pages.contains(BOOKING))
            .then(|| member.path_to(&format!("{BOOKING}?contact={id}"))),
        may,
        data: member.membership.role.may_change(Right::Data),
    };
    page(&shown)
}

pub(super) async fn found(member: &Member) -> Result<OperatorContactView, Refused> {
    let id: ContactId = member.id("contact_id")?;
    member.business.contact_as(id).await?.ok_or_else(Refused::not_found)
}

pub(super) fn filters(id: ContactId) -> (AppointmentFilter, CallFilter, MessageFilter) {
    let contact_id = Some(id);
    (
        AppointmentFilter { contact_id, latest_first: true, ..AppointmentFilter::default() },
        CallFilter { contact_id, ..CallFilter::default() },
        MessageFilter { contact_id, ..MessageFilter::default() },
    )
}

/// The newest records of each kind, read concurrently.
async fn newest(member: &Member, view: &View, id: ContactId) -> Result<Vec<List>, Refused> {
    let (business, first) = (&member.business, PageRequest { limit: FEW, after: None });
    let (appointments, calls, messages) = filters(id);
    let (appointments, calls, messages) = tokio::try_join!(
        business.appointments(&appointments, &first),
        business.calls(&calls, &first),
        business.messages(&messages, &first),
    )?;
    let rows = [
        (
            appointments.items.iter().map(|one| rows::appointment(member, view, one)).collect(),
            appointments.next,
        ),
        (calls.items.iter().map(|one| rows::call(member, view, one)).collect(), calls.next),
        (messages.items.iter().map(|one| rows::message(member, view, one)).collect(), messages.next),
    ];
    let lists = Kind::ALL.into_iter().zip(rows).map(|(kind, (rows, next))| {
        let list = list(view, kind, rows);
        let all = next.map(|_| format!("{}?list={}", member.path(), kind.words()[0]));
        List { all, ..list }
    });
    Ok(lists.collect())
}

async fn whole(member: &Member, view: &View, id: ContactId, kind: Kind) -> Result<(List, Pages), Refused> {
    let business = &member.business;
    let part = member.part(&format!("contact {id}"), SHOWN, &["list"]);
    let (appointments, calls, messages) = &filters(id);
    let (rows, next) = match kind {
        Kind::Appointments => {
            let found =
                part.read(|page| async move { business.appointments(appointments, &page).await }).await?;
            (found.items.iter().map(|one| rows::appointment(member, view, one)).collect(), found.next)
        }
        Kind::Calls => {
            let found = part.read(|page| async move { business.calls(calls, &page).await }).await?;
            (found.items.iter().map(|one| rows::call(member, view, one)).collect(), found.next)
        }
        Kind::Messages => {
            let found = part.read(|page| async move { business.messages(messages, &page).await }).await?;
            (found.items.iter().map(|one| rows::message(member, view, one)).collect(), found.next)
        }
    };
    Ok((list(view, kind, rows), part.pages(next.as_deref())))
}

fn list(view: &View, kind: Kind, rows: Vec<Row>) -> List {
    let [_, title, none] = kind.words();
    List { kind, title: view.t(title), none: view.t(none), rows, all: None }
}
