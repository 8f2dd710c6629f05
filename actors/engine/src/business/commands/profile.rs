//! Changes to the profile and the opening hours.

use chrono_tz::Tz;
use domain::availability::{Concerned, Schedule};
use domain::{
    AuditAction, BookingMode, Business, CustomerWord, Locale, Right, Text, WeeklyBreaks, WeeklyHours,
};
use serde::Serialize;
use store::Weight;
use view::{AffectedView, AffectingView, BusinessView, OperatorBusinessView, View};

use crate::business::{Change, Context, Decision, Shown, Write};
use crate::error::Result;

super::listed!(PatchBusiness, PatchProfile);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchBusiness {
    pub name: Option<Text<1, 200>>,
    pub zone: Option<Tz>,
    pub locale: Option<Locale>,
    pub website_url: Option<Option<String>>,
    pub booking_mode: Option<BookingMode>,
    pub hours: Option<WeeklyHours>,
    /// Replaces all breaks of the week.
    pub breaks: Option<WeeklyBreaks>,
    pub phone_region: Option<String>,
    pub suspended: Option<bool>,
    pub customer_word: Option<CustomerWord>,
    pub grid_minutes: Option<u32>,
}

impl PatchBusiness {
    pub fn suspending(suspended: bool) -> Self {
        Self { suspended: Some(suspended), ..Self::default() }
    }
}

impl Change for PatchBusiness {
    type Gives = Shown<AffectingView<OperatorBusinessView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let concerns = self.hours.is_some() || self.breaks.is_some() || self.zone.is_some();
        let answered = |resource, after: &Business| {
            let changed = |schedule| Schedule { business: after, ..schedule };
            let affected = if concerns {
                context.affected(&Concerned::EVERYONE, changed)
            } else {
                AffectedView::default()
            };
            AffectingView { resource, affected }
        };
        patch(self, context, |business| OperatorBusinessView::from(business), answered)
    }

    fn weight(&self) -> Weight {
        let changes_more = Self { booking_mode: None, suspended: None, ..self.clone() } != Self::default();
        // On a nearly full disk, the operator can still suspend the business, and the business can still
        // turn bookings off, if the request changes no other field.
        match (self.booking_mode, self.suspended) {
            _ if changes_more => Weight::Grows,
            (None, None) => Weight::Grows,
            (None | Some(BookingMode::Off), None | Some(true)) => Weight::Frees,
            (None | Some(BookingMode::Off), Some(false)) => Weight::Keeps,
            (Some(BookingMode::Instant | BookingMode::Request), _) => Weight::Grows,
        }
    }

    /// Only the operator may suspend a business.
    fn needs(&self) -> Option<Right> {
        Some(if self.suspended.is_some() { Right::Operation } else { Right::Settings })
    }
}

/// A [`PatchBusiness`] whose answer contains only the fields that integrations may see.
#[derive(Clone, Debug)]
pub struct PatchProfile(pub PatchBusiness);

impl Change for PatchProfile {
    type Gives = Shown<BusinessView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        patch(self.0, context, |business| BusinessView::from(business), |shown, _| shown)
    }

    fn weight(&self) -> Weight {
        self.0.weight()
    }

    fn needs(&self) -> Option<Right> {
        self.0.needs()
    }
}

/// Patches the business. `view` renders the business, and `answered` builds the answer from this view.
fn patch<V: Serialize, A: View>(
    change: PatchBusiness,
    context: &Context<'_>,
    view: impl Fn(&Business) -> V,
    answered: impl Fn(V, &Business) -> A,
) -> Result<Decision<Shown<A>>> {
    let before = &context.state.business;
    let shown = view(before);
    context.check_match(&shown)?;
    let mut after = before.clone();
    after.name = change.name.map_or(after.name, Text::into_string);
    after.website_url = change.website_url.unwrap_or(after.website_url);
    after.hours = change.hours.unwrap_or(after.hours);
    after.breaks = change.breaks.unwrap_or(after.breaks);
    after.phone_region = change.phone_region.unwrap_or(after.phone_region);
    after.zone = change.zone.unwrap_or(after.zone);
    after.locale = change.locale.unwrap_or(after.locale);
    after.booking_mode = change.booking_mode.unwrap_or(after.booking_mode);
    after.suspended = change.suspended.unwrap_or(after.suspended);
    after.customer_word = change.customer_word.unwrap_or(after.customer_word);
    after.grid_minutes = change.grid_minutes.unwrap_or(after.grid_minutes);
    if after == *before {
        return Ok(Decision::answering(answered(shown, before)));
    }
    if !after.differs_only_in_pages(before) {
        after.updated_at = context.at;
    }
    let now_shown = view(&after);
    Ok(Decision::answering(answered(view(&after), &after))
        .note_changes(AuditAction::BusinessUpdated, before.id, (&shown, &now_shown))
        .write(Write::Business(after)))
}
