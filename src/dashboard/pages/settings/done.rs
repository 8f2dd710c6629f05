//! What a page tells of what was done: in a word, and with the appointments to come that lie where they could not be
//! booked, which stay as they are.

use domain::availability::Concerned;

use crate::dashboard::pages::day::steps;
use crate::dashboard::pages::prelude::*;

/// What was done; nothing where nothing is told.
#[derive(Default)]
pub(super) struct Done {
    pub(super) text: String,
    /// That some lie outside, and what becomes of them; empty where none do.
    pub(super) outside: String,
    pub(super) appointments: Vec<Lies>,
    /// That there are more than are listed; empty where there are not.
    pub(super) more: String,
    /// Where the next of the first steps is; empty where none is left.
    pub(super) next: String,
}

/// An appointment that lies outside.
pub(super) struct Lies {
    pub(super) path: String,
    pub(super) at: String,
    pub(super) moment: String,
    /// Who comes, as far as that is known.
    pub(super) who: String,
}

impl Done {
    /// What the address says was done.
    pub(super) fn said(view: &View, word: &str) -> Self {
        let text = match word {
            "saved" | "zone" | "week" | "day" => view.t("saved"),
            "added" | "off" => view.t("settings-added"),
            "removed" => view.t("settings-removed"),
            "deleted" => view.t("settings-deleted"),
            _ => String::new(),
        };
        Self { text, ..Self::default() }
    }

    /// The same, with the way on where the business is being set up.
    pub(super) async fn with_next(mut self, member: &Member) -> Result<Self, Refused> {
        if !self.text.is_empty() && steps::are_left(member).await? {
            self.next = member.path_to("today");
        }
        Ok(self)
    }

    /// The same, with which of the appointments that are concerned lie outside.
    pub(super) async fn with_outside(
        mut self,
        member: &Member,
        concerned: Concerned,
    ) -> Result<Self, Refused> {
        if self.text.is_empty() {
            return Ok(self);
        }
        let (view, zone) = (member.view(), member.profile.zone);
        let (outside, count) = member.business.outside(concerned).await?;
        if count == 0 {
            return Ok(self);
        }
        self.outside = view.count("outside", count as u64);
        if let Some(more) = count.checked_sub(outside.len()).filter(|more| *more > 0) {
            self.more = view.count("outside-more", more as u64);
        }
        let lies = outside.into_iter().map(|appointment| Lies {
            path: member.path_to(&format!("appointments/{}", appointment.id)),
            at: appointment.starts_at.to_string(),
            moment: capitalised(&view.words.short_moment(appointment.starts_at, zone)),
            who: appointment.contact_name.or(appointment.contact_phone).unwrap_or_else(|| view.t("somebody")),
        });
        self.appointments = lies.collect();
        Ok(self)
    }
}
