//! The frame around a page: the navigation of the business, the list of other businesses, and the signed-in
//! person.

use domain::{Access, BusinessId, Right, Role};

use super::asked::{Member, Visit};
use super::parts::{Crumb, initials};
use super::refused::Refused;
use super::view::View;

/// The navigation of a business in display order: page (also the id of its label), icon, and the right that a
/// person needs to see it.
const PLACES: [(&str, &str, Right); 8] = [
    ("today", "desk", Right::Day),
    ("calendar", "calendar", Right::Day),
    ("messages", "message", Right::Day),
    ("calls", "phone", Right::Day),
    ("contacts", "person", Right::Day),
    ("knowledge", "book", Right::Settings),
    (ALERTS, "bell", Right::Own),
    (SETTINGS, "gear", Right::Own),
];
/// The number of entries in the bar at the bottom of small screens.
const AT_THE_THUMB: usize = 5;
/// The entry that shows the number of unread alerts.
const ALERTS: &str = "alerts";
const SETTINGS: &str = "settings";
/// The entries under the settings: page, and the right that a person needs to see it.
const WITHIN: [(&str, Right); 11] = [
    ("business", Right::Settings),
    ("hours", Right::Settings),
    ("services", Right::Settings),
    ("staff", Right::Settings),
    ("people", Right::People),
    ("notifications", Right::Own),
    ("keys", Right::Integrations),
    ("webhooks", Right::Integrations),
    ("mail", Right::Integrations),
    ("audit", Right::Integrations),
    ("data", Right::Data),
];
/// The largest number of unread alerts that is shown. Larger numbers appear as `99+`.
const COUNTED_MAX: usize = 99;

pub(super) struct Place {
    pub(super) path: String,
    pub(super) label: String,
    pub(super) icon: &'static str,
    /// The number of new items. It may be empty.
    pub(super) news: String,
    /// The value of `aria-current`: `page` for this page, `true` for a page below the entry, else empty.
    pub(super) current: &'static str,
    /// The sub-entries, shown if the page is below this entry.
    pub(super) within: Vec<Place>,
}

impl Place {
    fn new(path: String, label: String, icon: &'static str) -> Self {
        Self { path, label, icon, news: String::new(), current: "", within: Vec::new() }
    }
}

pub(super) struct Frame {
    /// The name of the business, or of the person's account.
    pub(super) title: String,
    pub(super) home: String,
    pub(super) within: bool,
    pub(super) places: Vec<Place>,
    pub(super) dock: Vec<Place>,
    /// The path of the change stream. It is empty outside a business.
    pub(super) stream: String,
    /// The path of the alerts, and the number of new alerts.
    pub(super) bell: Option<(String, String)>,
    pub(super) others: Vec<Place>,
    pub(super) person: String,
    pub(super) initials: String,
    /// The person's role in the business, or the email address outside a business.
    pub(super) role: String,
    pub(super) at_account: bool,
    /// Whether the business is suspended, and so read-only.
    pub(super) suspended: bool,
}

/// The values that every page with a frame needs.
pub(super) struct Sheet {
    pub(super) view: View,
    pub(super) frame: Frame,
    /// The links to the pages above. It is empty for a page of the navigation.
    pub(super) crumbs: Vec<Crumb>,
}

impl Sheet {
    pub(super) fn under(self, crumbs: Vec<Crumb>) -> Self {
        Self { crumbs, ..self }
    }
}

impl Member {
    /// The sheet of a page of the business. `here` is an entry of the navigation, or an entry and a path
    /// below it, for example `settings/keys`.
    pub(super) fn sheet(&self, here: &str) -> Sheet {
        let id = self.business.id();
        let of = (id, &*self.profile.name, self.membership.role, self.unread, &*self.as_of);
        let mut frame = frame(self, Some(of), here);
        frame.suspended = self.profile.suspended;
        Sheet { view: self.view(), frame, crumbs: Vec::new() }
    }

    /// A link to a page of the business, for example `contacts` or `settings/keys`.
    pub(super) fn crumb(&self, place: &str) -> Crumb {
        Crumb { label: self.view().t(&place.replace('/', "-")), path: self.path_to(place) }
    }
}

impl Visit {
    /// The sheet of a page of the person's account. If the person has exactly one business, the frame is that
    /// of the business.
    pub(super) async fn own_sheet(&self) -> Result<Sheet, Refused> {
        let as_of;
        let mut active = self.active();
        let of = match (active.next(), active.next()) {
            (Some(one), None) => {
                let business = self.desk.engine.business(one.business_id);
                as_of = self.desk.as_of(&business);
                let unread = business.unread_alerts(self.signed_in.person.id).await?;
                Some((one.business_id, &*one.business_name, one.membership.role, unread, &*as_of))
            }
            _ => None,
        };
        let frame = Frame { at_account: true, ..frame(self, of, "") };
        Ok(Sheet { view: self.view(), frame, crumbs: Vec::new() })
    }
}

/// The mark of an entry on the page `here`; see [`Place::current`].
fn current(place: &str, here: &str) -> &'static str {
    match here.strip_prefix(place) {
        Some("") => "page",
        Some(rest) if rest.starts_with('/') => "true",
        _ => "",
    }
}

/// The business of a frame: id, name, the person's role, the number of unread alerts, and the change marker.
type Of<'a> = (BusinessId, &'a str, Role, usize, &'a str);

fn frame(visit: &Visit, of: Option<Of<'_>>, here: &str) -> Frame {
    let (view, person) = (visit.view(), &visit.signed_in.person);
    let of_business = |id: BusinessId, place: &str| format!("/dashboard/b/{id}/{place}");
    // The navigation omits pages without a route.
    let is_page = |page: &str| view.desk.pages.contains(page);
    let news = |unread: usize| match unread {
        0 => String::new(),
        counted if counted > COUNTED_MAX => format!("{COUNTED_MAX}+"),
        counted => counted.to_string(),
    };
    let shown = |(id, _, role, unread, _): Of<'_>| {
        let is_shown = |right: Right| role.access(right) != Access::Hidden;
        let within = || {
            let shown = WITHIN
                .iter()
                .filter(|(within, right)| is_shown(*right) && is_page(&format!("{SETTINGS}/{within}")));
            let place = |(within, _): &(&str, Right)| {
                let (path, name) = (format!("{SETTINGS}/{within}"), format!("{SETTINGS}-{within}"));
                Place {
                    current: current(&path, here),
                    ..Place::new(of_business(id, &path), view.t(&name), "")
                }
            };
            shown.map(place).collect::<Vec<_>>()
        };
        let mut places = Vec::new();
        for (name, icon, _) in PLACES.iter().filter(|(.., right)| is_shown(*right)) {
            let mut place = Place::new(of_business(id, name), view.t(name), icon);
            place.current = current(name, here);
            if *name == ALERTS {
                place.news = news(unread);
            }
            if *name == SETTINGS {
                place.within = within();
                // The settings have no page of their own, so the entry links to the first sub-entry that the
                // person may see.
                let Some(first) = place.within.first() else { continue };
                place.path.clone_from(&first.path);
                match here.starts_with(SETTINGS) {
                    true => place.current = "true",
                    false => place.within.clear(),
                }
            } else if !is_page(name) {
                continue;
            }
            places.push(place);
        }
        places
    };
    let places = of.map(shown).unwrap_or_default();
    let dock = |(id, ..): Of<'_>| {
        let shown = PLACES.iter().take(AT_THE_THUMB).filter(|(name, ..)| is_page(name));
        let place = |(name, icon, _): &(&'static str, &'static str, Right)| {
            let word = if *name == "today" { "dock-today" } else { name };
            Place { current: current(name, here), ..Place::new(of_business(id, name), view.t(word), icon) }
        };
        shown.map(place).collect()
    };
    let others = visit.active().filter(|one| of.is_none_or(|(id, ..)| one.business_id != id));
    let others = others
        .map(|one| Place::new(of_business(one.business_id, "today"), one.business_name.clone(), "right"));
    let name = if person.name.trim().is_empty() { &person.email } else { &person.name };
    Frame {
        title: of.map_or_else(|| "receptionist".into(), |(_, name, ..)| name.to_owned()),
        home: of.map_or_else(|| "/dashboard".into(), |(id, ..)| of_business(id, "today")),
        within: of.is_some(),
        bell: of.map(|(id, _, _, unread, _)| (of_business(id, ALERTS), news(unread))),
        places,
        dock: of.map(dock).unwrap_or_default(),
        stream: of
            .filter(|_| is_page("stream"))
            .map(|(id, .., as_of)| format!("{}?as_of={as_of}", of_business(id, "stream")))
            .unwrap_or_default(),
        others: others.collect(),
        person: name.clone(),
        initials: initials(name),
        role: match of {
            Some((_, _, role, ..)) => view.t(&format!("role-{role}")),
            None => person.email.clone(),
        },
        at_account: false,
        suspended: false,
    }
}
