//! What stands around a page: the places of a business, the other businesses, and who is signed in.

use actors::domain::{Access, BusinessId, Right, Role};

use super::asked::{Member, Visit};
use super::parts::initials;

/// The places of a business, in the order in which they are shown: where, what they are called, the icon, and what one
/// has to be allowed to see.
const PLACES: [(&str, &str, &str, Right); 1] = [("today", "today", "desk", Right::Day)];

/// A way to somewhere.
pub(super) struct Place {
    pub(super) path: String,
    pub(super) label: String,
    pub(super) icon: &'static str,
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
        let mut frame = frame(self, Some((id, &self.profile.name, self.membership.role)), here);
        frame.suspended = self.profile.suspended;
        frame
    }
}

impl Visit {
    /// The frame of a page that is the person's own: around it the business that they come into, if it is one alone.
    pub(super) fn own_frame(&self) -> Frame {
        let mut active = self.active();
        let of = match (active.next(), active.next()) {
            (Some(one), None) => Some((one.business_id, &*one.business_name, one.membership.role)),
            _ => None,
        };
        Frame { at_account: true, ..frame(self, of, "") }
    }
}

fn frame(visit: &Visit, of: Option<(BusinessId, &str, Role)>, here: &str) -> Frame {
    let (view, person) = (visit.view(), &visit.signed_in.person);
    let of_business = |id: BusinessId, place: &str| format!("/dashboard/b/{id}/{place}");
    let places = of.into_iter().flat_map(|(id, _, role)| {
        let shown = PLACES.iter().filter(move |(_, _, _, right)| role.access(*right) != Access::Hidden);
        shown.map(move |(place, _, icon, _)| (id, *place, *icon))
    });
    let places = places.map(|(id, place, icon)| Place {
        path: of_business(id, place),
        label: view.t(place),
        icon,
        here: place == here,
    });
    let others = visit.active().filter(|one| of.is_none_or(|(id, ..)| one.business_id != id));
    let others = others.map(|one| Place {
        path: of_business(one.business_id, "today"),
        label: one.business_name.clone(),
        icon: "right",
        here: false,
    });
    let name = if person.name.trim().is_empty() { &person.email } else { &person.name };
    Frame {
        title: of.map_or_else(|| "receptionist".into(), |(_, name, _)| name.to_owned()),
        home: of.map_or_else(|| "/dashboard".into(), |(id, ..)| of_business(id, "today")),
        within: of.is_some(),
        places: places.collect(),
        others: others.collect(),
        person: name.clone(),
        initials: initials(name),
        role: match of {
            Some((_, _, role)) => view.t(&format!("role-{role}")),
            None => person.email.clone(),
        },
        at_account: false,
        suspended: false,
    }
}
