//! The page of the calendar. The query selects one of four views: a day by staff member, a week of one or all
//! staff members, a month, or a list.

use domain::{Right, StaffId};

use super::above::ViewQuery;
use super::{lanes, list, month, options};
use crate::dashboard::pages::prelude::*;

pub(crate) async fn show(member: Member) -> Answered {
    let asked = asked(&member, &member.query);
    if member.query.find(options::DENSITY).is_some() {
        return options::keep(&member, &asked).await;
    }
    match (member.query.get("view"), asked.staff) {
        ("list", _) => list::show(member, asked).await,
        ("month", _) => month::show(member, asked).await,
        ("week", None) => lanes::week(member, asked).await,
        ("week", Some(staff)) => lanes::week_of(member, asked.date, staff).await,
        _ => lanes::day(member, asked).await,
    }
}

fn asked(member: &Member, query: &Form) -> ViewQuery {
    let date = days::asked(query.get("date")).unwrap_or_else(|| member.today());
    ViewQuery { date, staff: query.get("staff").parse().ok() }
}

impl Member {
    /// The path of the calendar view that a form names in its field `back`.
    pub(super) fn calendar_back(&self) -> Option<String> {
        let query = Form::parse(self.form.find("back")?.as_bytes());
        let view = ["day", "week"].into_iter().find(|view| *view == query.get("view"))?;
        let asked = asked(self, &query);
        Some(self.calendar(view, asked.date, asked.staff))
    }

    /// Whether the person may change this staff member's time off. Owners and admins may change all time off. A
    /// member may change the time off of the staff member to whom the member is linked.
    pub(in crate::dashboard::pages) fn may_block(&self, staff: StaffId) -> bool {
        self.may(Right::Settings) || (self.may(Right::Day) && self.membership.staff_id == Some(staff))
    }
}
