//! The calendar. The query selects a view: a day by staff member, a week of one or all staff members, or a
//! list.

use super::above::Asked;
use super::{lanes, list, week};
use crate::dashboard::pages::prelude::*;

pub(crate) async fn show(member: Member) -> Answered {
    let date = member.asked_day("date").unwrap_or_else(|| member.today());
    let asked = Asked { date, staff: member.query.get("staff").parse().ok() };
    match (member.query.get("view"), asked.staff) {
        ("list", _) => list::show(member, asked).await,
        ("week", None) => week::show(member, asked).await,
        ("week", Some(staff)) => lanes::week_of(member, asked.date, staff).await,
        _ => lanes::day(member, asked).await,
    }
}
