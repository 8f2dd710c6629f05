//! The message after a change, with the future appointments that are now outside the bookable times. These
//! appointments stay unchanged.

use domain::availability::Concerned;

use crate::dashboard::pages::day::steps;
use crate::dashboard::pages::prelude::*;

#[derive(Default)]
pub(super) struct Done {
    pub(super) text: String,
    /// The message about appointments outside the bookable times. It may be empty.
    pub(super) outside: String,
    pub(super) appointments: Vec<Lies>,
    /// The message that there are more than the page lists. It may be empty.
    pub(super) more: String,
    pub(super) next: String,
}

pub(super) struct Lies {
    pub(super) path: String,
    pub(super) at: String,
    pub(super) moment: String,
    /// The customer, if known.
    pub(super) who: String,
}

impl Done {
    pub(super) fn said(member: &Member) -> Self {
        let added = "settings-added";
        let text = member.done(&[
            ("saved", "saved"),
            ("zone", "saved"),
            ("week", "saved"),
            ("day", "saved"),
            ("added", added),
            ("off", added),
            ("removed", "settings-removed"),
            ("deleted", "settings-deleted"),
        ]);
        Self { text, ..Self::default() }
    }

    /// Adds the link to the next first step of a new business.
    pub(super) async fn with_next(mut self, member: &Member) -> Result<Self, Refused> {
        if !self.text.is_empty() && steps::are_left(member).await? {
            self.next = member.path_to("today");
        }
        Ok(self)
    }

    /// Adds the affected appointments that are outside the bookable times.
    pub(super) async fn with_outside(
        mut self,
        member: &Member,
        concerned: Concerned,
    ) -> Result<Self, Refused> {
        if self.text.is_empty() {
            return Ok(self);
        }
        let (outside, count) = member.business.outside(concerned).await?;
        if count == 0 {
            return Ok(self);
        }
        self.outside = member.count("outside", count as u64);
        if let Some(more) = count.checked_sub(outside.len()).filter(|more| *more > 0) {
            self.more = member.count("outside-more", more as u64);
        }
        let lies = outside.into_iter().map(|appointment| Lies {
            path: member.path_to(&format!("appointments/{}", appointment.id)),
            at: appointment.starts_at.to_string(),
            moment: capitalised(&member.short_moment(appointment.starts_at)),
            who: appointment
                .contact_name
                .or(appointment.contact_phone)
                .unwrap_or_else(|| member.t("somebody")),
        });
        self.appointments = lies.collect();
        Ok(self)
    }
}
