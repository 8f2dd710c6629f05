//! The frame around a page contains the navigation of the business, the list of other businesses, and the
//! signed-in person.

use domain::{Access, AppointmentId, BusinessId, Right, Role};

use super::input::{Member, SessionInput};
use super::parts::Crumb;
use super::refused::Refused;
use super::view::View;
use super::waiting::{Waiting, counted};

/// The navigation of a business in display order: page (also the id of its label), icon, and the right that a
/// person needs to see it.
const PLACES: [(&str, &str, Right); 10] = [
    ("today", "desk", Right::Day),
    ("calendar", "calendar", Right::Day),
    ("messages", "message", Right::Day),
    ("calls", "phone", Right::Day),
    ("contacts", "person", Right::Day),
    ("conversations", "message", Right::Day),
    ("knowledge", "book", Right::Settings),
    ("insights", "chart", Right::Data),
    (ALERTS, "bell", Right::Own),
    (SETTINGS, "gear", Right::Own),
];
/// The number of entries in the bar at the bottom of small screens. Every role may see these entries.
const AT_THE_THUMB: usize = 5;
/// The query parameters of the page after a booking: the new appointment, and whether the entered name
/// differs from the name of the existing contact.
pub(super) const BOOKED: &str = "booked";
const KNOWN: &str = "known";
/// After time off is added, the address of the next page has this query parameter.
pub(super) const BLOCKED: &str = "blocked";
const ALERTS: &str = "alerts";
const SETTINGS: &str = "settings";
/// The entries under the settings: page, and the right that a person needs to see it.
const WITHIN: [(&str, Right); 15] = [
    ("business", Right::Settings),
    ("hours", Right::Settings),
    ("services", Right::Settings),
    ("staff", Right::Settings),
    ("website", Right::Settings),
    ("notices", Right::Settings),
    ("receptionist", Right::Settings),
    ("people", Right::People),
    ("notifications", Right::Own),
    ("calendars", Right::Own),
    ("keys", Right::Integrations),
    ("webhooks", Right::Integrations),
    ("mail", Right::Integrations),
    ("audit", Right::Integrations),
    ("data", Right::Data),
];

#[derive(Clone)]
pub(super) struct NavItem {
    pub(super) path: String,
    pub(super) label: String,
    pub(super) icon: &'static str,
    /// The number of tasks, of new messages or of new alerts.
    pub(super) news: String,
    /// The word that screen readers read after this number, for example "new".
    pub(super) news_of: String,
    /// The value of `aria-current`. It is `page` if the entry leads to the shown page, and `true` if the shown page is
    /// below the entry's page. For all other entries it is empty.
    pub(super) current: &'static str,
    pub(super) within: Vec<NavItem>,
}

pub(super) struct Frame {
    pub(super) title: String,
    pub(super) home: String,
    pub(super) places: Vec<NavItem>,
    pub(super) dock: Vec<NavItem>,
    /// The path of the change stream. It is empty outside a business.
    pub(super) stream: String,
    pub(super) bell: Option<(String, String)>,
    /// The number of tasks, for the title of the page.
    pub(super) waiting: String,
    pub(super) others: Vec<Crumb>,
    pub(super) person: String,
    /// The person's role in the business. On pages that belong to no business, the person's email address.
    pub(super) role: String,
    pub(super) at_account: bool,
    pub(super) suspended: bool,
    /// The path of the search. It is empty if the person cannot search.
    pub(super) search: String,
    /// The notice after a booking, with the path of the appointment, or the notice after time off was added.
    pub(super) done: Option<(String, Option<String>)>,
}

/// The frame of a page, and the request for it: a [`Member`], or a [`SessionInput`] for a page of the account.
pub(super) struct Sheet<'a, M = Member> {
    pub(super) member: &'a M,
    pub(super) frame: Frame,
    pub(super) crumbs: Vec<Crumb>,
}

impl Sheet<'_> {
    pub(super) fn under(self, crumbs: Vec<Crumb>) -> Self {
        Self { crumbs, ..self }
    }
}

impl Member {
    /// The [`Sheet`] of a page of the business. `here` is the path of an entry of the navigation, such as `today`, or a
    /// path below an entry, such as `settings/keys`.
    pub(super) fn sheet(&self, here: &str) -> Sheet<'_> {
        let of = Of {
            id: self.business.id(),
            name: &self.profile.name,
            role: self.membership.role,
            unread: self.unread,
            waiting: self.waiting,
            as_of: &self.as_of,
        };
        let has = |name: &str| self.query.find(name).is_some();
        let done = match self.query.get(BOOKED).parse::<AppointmentId>() {
            Ok(id) => {
                let text = if has(KNOWN) { "booked-known" } else { "booked-done" };
                Some((self.t(text), Some(self.path_to(&format!("appointments/{id}")))))
            }
            Err(_) => {
                let is_after_block = ["today", "calendar"].contains(&here) && has(BLOCKED);
                is_after_block.then(|| (self.t("blocked-done"), None))
            }
        };
        let frame = Frame { suspended: self.profile.suspended, done, ..frame(self, Some(of), here) };
        Sheet { member: self, frame, crumbs: Vec::new() }
    }

    /// The [`Sheet`] of a subpage of a navigation entry. It contains a link to the page of the entry.
    pub(super) fn sheet_below(&self, place: &str) -> Sheet<'_> {
        self.sheet(place).under(vec![self.crumb(place)])
    }

    /// A link to a page of the business. `place` is for example `contacts` or `settings/keys`.
    pub(super) fn crumb(&self, place: &str) -> Crumb {
        Crumb { label: self.t(&place.replace('/', "-")), path: self.path_to(place) }
    }
}

impl SessionInput {
    /// The [`Sheet`] of an account page. The frame shows the person's business if the person has only one.
    pub(super) async fn own_sheet(&self) -> Result<Sheet<'_, SessionInput>, Refused> {
        let as_of;
        let mut active = self.active();
        let of = match (active.next(), active.next()) {
            (Some(one), None) => {
                let business = self.desk.engine.business(one.business_id);
                as_of = self.desk.as_of(&business);
                let unread = business.unread_alerts(self.signed_in.person.id).await?;
                let (id, name, role) = (one.business_id, &*one.business_name, one.membership.role);
                let waiting = Waiting::read(&business, role).await?;
                Some(Of { id, name, role, unread, waiting, as_of: &as_of })
            }
            _ => None,
        };
        let frame = Frame { at_account: true, ..frame(self, of, "") };
        Ok(Sheet { member: self, frame, crumbs: Vec::new() })
    }
}

#[derive(Clone, Copy)]
struct Of<'a> {
    id: BusinessId,
    name: &'a str,
    role: Role,
    unread: usize,
    waiting: Waiting,
    as_of: &'a str,
}

impl Of<'_> {
    fn path(&self, page: &str) -> String {
        format!("/dashboard/b/{}/{page}", self.id)
    }

    fn place(&self, path: &str, label: String, icon: &'static str, here: &str) -> NavItem {
        let current = match here.strip_prefix(path) {
            Some("") => "page",
            Some(rest) if rest.starts_with('/') => "true",
            _ => "",
        };
        NavItem {
            path: self.path(path),
            label,
            icon,
            news: String::new(),
            news_of: String::new(),
            current,
            within: Vec::new(),
        }
    }

    fn places(&self, view: &View, here: &str) -> Vec<NavItem> {
        let is_shown = |right: Right| self.role.access(right) != Access::Hidden;
        let mut places = Vec::new();
        for (name, icon, _) in PLACES.iter().filter(|(.., right)| is_shown(*right)) {
            let mut place = self.place(name, view.t(name), icon, here);
            place.news_of = view.t(if *name == "today" { "to-do" } else { "new" });
            place.news = match *name {
                "today" => counted(self.waiting.today),
                "messages" => counted(self.waiting.messages),
                ALERTS => counted(self.unread),
                _ => String::new(),
            };
            if *name == SETTINGS {
                let within = WITHIN.iter().filter(|(_, right)| is_shown(*right)).map(|(within, _)| {
                    let label = view.t(&format!("{SETTINGS}-{within}"));
                    self.place(&format!("{SETTINGS}/{within}"), label, "", here)
                });
                place.within = within.collect();
                // The settings have no page of their own, so their entry links to the first visible entry below it.
                let Some(first) = place.within.first() else { continue };
                place.path.clone_from(&first.path);
                match here.starts_with(SETTINGS) {
                    true => place.current = "true",
                    false => place.within.clear(),
                }
            }
            places.push(place);
        }
        places
    }
}

fn frame(visit: &SessionInput, of: Option<Of<'_>>, here: &str) -> Frame {
    let (view, person) = (&visit.view, &visit.signed_in.person);
    let others = visit.active().filter(|one| of.is_none_or(|of| one.business_id != of.id));
    let today = |id: BusinessId| format!("/dashboard/b/{id}/today");
    let others = others.map(|one| Crumb { label: one.business_name.clone(), path: today(one.business_id) });
    let places = of.map(|of| of.places(view, here)).unwrap_or_default();
    let mut dock: Vec<_> = places.iter().take(AT_THE_THUMB).cloned().collect();
    if let Some(first) = dock.first_mut() {
        first.label = view.t("dock-today");
    }
    let name = if person.name.trim().is_empty() { &person.email } else { &person.name };
    Frame {
        title: of.map_or_else(|| "receptionist".into(), |of| of.name.to_owned()),
        home: of.map_or_else(|| "/dashboard".into(), |of| today(of.id)),
        bell: of.map(|of| (of.path(ALERTS), counted(of.unread))),
        waiting: of.map(|of| counted(of.waiting.today)).unwrap_or_default(),
        places,
        dock,
        stream: of.map(|of| format!("{}?as_of={}", of.path("stream"), of.as_of)).unwrap_or_default(),
        others: others.collect(),
        person: name.clone(),
        role: of.map_or_else(|| person.email.clone(), |of| view.role_word(of.role)),
        at_account: false,
        suspended: false,
        search: of
            .filter(|of| of.role.access(Right::Day) != Access::Hidden)
            .map(|of| of.path("search"))
            .unwrap_or_default(),
        done: None,
    }
}
