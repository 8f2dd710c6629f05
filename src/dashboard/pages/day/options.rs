//! A person can choose which staff members the calendar shows, and the density of the calendar. A cookie keeps
//! the choices.
//!
//! Invariant: the cookie contains the ids of the hidden staff members, so a new staff member is shown.

use domain::StaffId;

use super::above::ViewQuery;
use super::diary::Dates;
use crate::dashboard::cookies::Cookie;
use crate::dashboard::pages::prelude::*;

/// The query parameters of the form.
pub(super) const DENSITY: &str = "density";
const SHOWN: &str = "show";
const DENSITIES: [&str; 3] = ["normal", "compact", "roomy"];
/// The maximum number of ids in the cookie. Browsers keep at most 4,096 bytes of a cookie.
const HIDDEN_MAX: usize = 90;

pub(super) struct ViewChoices {
    pub(super) density: &'static str,
    hidden: Vec<StaffId>,
}

/// The form with the choices. Its hidden fields contain the view, the date and the staff member, so that the
/// redirect after the form shows the same view.
pub(super) struct Options {
    pub(super) view: &'static str,
    pub(super) date: String,
    pub(super) staff: String,
    pub(super) members: Vec<(Choice, String)>,
    pub(super) densities: Vec<Choice>,
    pub(super) is_narrowed: bool,
}

impl ViewChoices {
    pub(super) fn of(member: &Member) -> Self {
        let text = member.desk.cookies.get(&member.head.headers, Cookie::Calendar).unwrap_or_default();
        let (density, hidden) = text.split_once('.').unwrap_or((text, ""));
        Self {
            density: density_of(density),
            hidden: hidden.split('.').filter_map(|id| id.parse().ok()).collect(),
        }
    }

    pub(super) fn shows(&self, staff: StaffId) -> bool {
        !self.hidden.contains(&staff)
    }
}

fn density_of(word: &str) -> &'static str {
    DENSITIES.into_iter().find(|known| *known == word).unwrap_or(DENSITIES[0])
}

impl Member {
    pub(super) fn options(&self, view: &'static str, asked: &ViewQuery, dates: &Dates) -> Options {
        let kept = ViewChoices::of(self);
        let choice = |one: &domain::diary::Presence| {
            let chosen = kept.shows(one.member.id);
            let choice = Choice { chosen, ..Choice::new(one.member.id.to_string(), &one.member.name) };
            (choice, dates.color(one.member.id))
        };
        let density = |word: &&'static str| {
            let label = self.t(match *word {
                "compact" => "calendar-density-compact",
                "roomy" => "calendar-density-roomy",
                _ => "calendar-density-normal",
            });
            Choice { chosen: *word == kept.density, ..Choice::new(*word, label) }
        };
        let members: Vec<_> = dates.staff().map(choice).collect();
        Options {
            view,
            date: asked.date.to_string(),
            staff: asked.staff.map(|staff| staff.to_string()).unwrap_or_default(),
            is_narrowed: members.iter().any(|(one, _)| !one.chosen),
            members,
            densities: DENSITIES.iter().map(density).collect(),
        }
    }
}

/// Keeps the choices in the cookie, and redirects to the view.
pub(super) async fn keep(member: &Member, asked: &ViewQuery) -> Answered {
    let diary = member.business.diary(asked.date..=asked.date).await?;
    let here: Vec<_> = diary.staff.iter().map(|one| one.member.id).collect();
    let shown: Vec<StaffId> = member.query.all(SHOWN).filter_map(|id| id.parse().ok()).collect();
    // One cookie contains the hidden staff members of all businesses of the person. So the new cookie must still
    // contain the hidden staff members of the other businesses.
    let of_others = ViewChoices::of(member).hidden.into_iter().filter(|id| !here.contains(id));
    let hidden = here.iter().copied().filter(|id| !shown.is_empty() && !shown.contains(id));
    let hidden: Vec<_> = hidden.chain(of_others).take(HIDDEN_MAX).map(|id| format!(".{id}")).collect();
    let value = format!("{}{}", density_of(member.query.get(DENSITY)), hidden.concat());
    let view = ["week", "month"].into_iter().find(|view| *view == member.query.get("view"));
    let mut response = see_other(&member.calendar(view.unwrap_or("day"), asked.date, asked.staff));
    let cookie = member.desk.cookies.set(Cookie::Calendar, &value);
    response.headers_mut().append(axum::http::header::SET_COOKIE, cookie);
    Ok(response)
}
