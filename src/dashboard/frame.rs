//! What stands around a page: the places of a business, the other businesses, and who is signed in.

use actors::domain::{Access, BusinessId, Right, Role};

use super::asked::{Member, Visit};
use super::parts::initials;
use super::refused::Refused;

/// The places of a business, in the order in which they are shown: where, which is also what their
/// words are called, the icon, and what one has to be allowed to see.
const PLACES: [(&str, &str, Right); 2] = [("today", "desk", Right::Day), (ALERTS, "bell", Right::Own)];
/// The place whose news are counted.
const ALERTS: &str = "alerts";
/// So many news are counted; of more it is said that there are.
const COUNTED_MAX: usize = 99;

/// A way to somewhere.
pub(super) struct Place {
    pub(super) path: String,
    pub(super) label: String,
    pub(super) icon: &'static str,
    /// How much is new there; empty for nothing.
    pub(super) news: String,
    /// Whether it is this page.
    pub(super) here: bool,
}

/// What stands around a page.
pub(super) struct Frame {
    /// The business, or whose account it is.
    pub(super) title: String,
    /// Where the title leads.
    pub(super) home: String,
    /// Whether the page is a business's.
    pub(super) within: bool,
    pub(super) places: Vec<Place>,
    /// Where the alerts are, and how many are new.
    pub(super) bell: Option<(String, String)>,
    /// The other businesses that the person comes into.
    pub(super) others: Vec<Place>,
    pub(super) person: String,
    pub(super) initials: String,
    /// What the person is in the business; their email outside of one.
    pub(super) role: String,
    pub(super) at_account: bool,
    /// Whether the business is only looked at.
    pub(super) suspended: bool,
}

impl Member {
    /// The frame of a page of the business; `here` is the place that it is, if it is one.
    pub(super) fn frame(&self, here: &str) -> Frame {
        let id = self.business.id();
        let of = (id, &*self.profile.name, self.membership.role, self.unread);
        let mut frame = frame(self, Some(of), here);
        frame.suspended = self.profile.suspended;
        frame
    }
}

impl Visit {
    /// The frame of a page that is the person's own: around it the business that they come into, if it is one alone.
    pub(super) async fn own_frame(&self) -> Result<Frame, Refused> {
        let mut active = self.active();
        let of = match (active.next(), active.next()) {
            (Some(one), None) => {
                let business = self.desk.engine.business(one.business_id);
                let unread = business.unread_alerts(self.signed_in.person.id).await?;
                Some((one.business_id, &*one.business_name, one.membership.role, unread))
            }
            _ => None,
        };
        Ok(Frame { at_account: true, ..frame(self, of, "") })
    }
}

/// The business of a frame: its id and name, what the person is there, and how many of their alerts are not read.
type Of<'a> = (BusinessId, &'a str, Role, usize);

fn frame(visit: &Visit, of: Option<Of<'_>>, here: &str) -> Frame {
    let (view, person) = (visit.view(), &visit.signed_in.person);
    let of_business = |id: BusinessId, place: &str| format!("/dashboard/b/{id}/{place}");
    let news = |place: &str, unread: usize| match unread {
        0 => String::new(),
        _ if place != ALERTS => String::new(),
        counted if counted > COUNTED_MAX => format!("{COUNTED_MAX}+"),
        counted => counted.to_string(),
    };
    let shown = |(id, _, role, unread): Of<'_>| {
        let shown = PLACES.iter().filter(|(_, _, right)| role.access(*right) != Access::Hidden);
        let place = |(place, icon, _): &(&'static str, &'static str, Right)| Place {
            path: of_business(id, place),
            label: view.t(place),
            icon,
            news: news(place, unread),
            here: *place == here,
        };
        shown.map(place).collect::<Vec<_>>()
    };
    let places = of.map(shown).unwrap_or_default();
    let others = visit.active().filter(|one| of.is_none_or(|(id, ..)| one.business_id != id));
    let others = others.map(|one| Place {
        path: of_business(one.business_id, "today"),
        label: one.business_name.clone(),
        icon: "right",
        news: String::new(),
        here: false,
    });
    let name = if person.name.trim().is_empty() { &person.email } else { &person.name };
    Frame {
        title: of.map_or_else(|| "receptionist".into(), |(_, name, ..)| name.to_owned()),
        home: of.map_or_else(|| "/dashboard".into(), |(id, ..)| of_business(id, "today")),
        within: of.is_some(),
        bell: of.map(|(id, _, _, unread)| (of_business(id, ALERTS), news(ALERTS, unread))),
        places,
        others: others.collect(),
        person: name.clone(),
        initials: initials(name),
        role: match of {
            Some((_, _, role, _)) => view.t(&format!("role-{role}")),
            None => person.email.clone(),
        },
        at_account: false,
        suspended: false,
    }
}
