//! The outcome and the summary of a conversation.

use domain::{AppointmentId, CallOutcome};

use crate::state::{Effect, EffectKind, EndedBy, Resource, Talk};

/// The maximum number of characters of a summary that is made from effects.
const SUMMARY_CHARS_MAX: usize = 400;

/// The outcome of a conversation. `is_active` returns whether an appointment is still pending or confirmed.
pub fn outcome(
    effects: &[Effect],
    is_active: impl Fn(AppointmentId) -> bool,
    ended_by: Option<EndedBy>,
) -> CallOutcome {
    let has = |kind| effects.iter().any(|effect| effect.kind == kind);
    let is_booked = effects.iter().any(|effect| match (effect.kind, effect.resource) {
        (EffectKind::Booked | EffectKind::Requested, Some(Resource::Appointment(id))) => is_active(id),
        _ => false,
    });
    let by_caller = matches!(ended_by, Some(EndedBy::Caller | EndedBy::Lost));
    let order = [
        (is_booked, CallOutcome::AppointmentBooked),
        (has(EffectKind::Moved), CallOutcome::AppointmentRescheduled),
        (has(EffectKind::Cancelled), CallOutcome::AppointmentCancelled),
        (has(EffectKind::Transferred), CallOutcome::Transferred),
        (has(EffectKind::MessageTaken), CallOutcome::MessageTaken),
        (has(EffectKind::Answered), CallOutcome::QuestionAnswered),
        (by_caller, CallOutcome::Hangup),
    ];
    order.into_iter().find(|(is_it, _)| *is_it).map_or(CallOutcome::Other, |(_, outcome)| outcome)
}

/// The summary that is made from effects, with as many lines as fit into 400 characters.
pub fn summary(talk: &Talk) -> Option<String> {
    let mut text = String::new();
    for line in &talk.summary {
        if text.chars().count() + 1 + line.chars().count() > SUMMARY_CHARS_MAX {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_outcome_follows_from_the_effects_in_their_order() {
        let id = AppointmentId::from(Uuid::from_u128(1));
        let effect = |kind, resource| Effect { kind, resource };
        let booked = effect(EffectKind::Booked, Some(Resource::Appointment(id)));
        let of = |effects: &[Effect], is_active: bool, by| outcome(effects, |_| is_active, by);
        let [moved, cancelled, transferred, message, answered] = [
            EffectKind::Moved,
            EffectKind::Cancelled,
            EffectKind::Transferred,
            EffectKind::MessageTaken,
            EffectKind::Answered,
        ]
        .map(|kind| effect(kind, None));
        let all = [booked, moved, cancelled, transferred, message, answered];
        assert_eq!(of(&all, true, None), CallOutcome::AppointmentBooked);
        assert_eq!(of(&all, false, None), CallOutcome::AppointmentRescheduled);
        assert_eq!(of(&all[2..], false, None), CallOutcome::AppointmentCancelled);
        assert_eq!(of(&all[3..], false, None), CallOutcome::Transferred);
        assert_eq!(of(&all[4..], false, None), CallOutcome::MessageTaken);
        assert_eq!(of(&all[5..], false, Some(EndedBy::Caller)), CallOutcome::QuestionAnswered);
        assert_eq!(of(&[], false, Some(EndedBy::Lost)), CallOutcome::Hangup);
        assert_eq!(of(&[], false, Some(EndedBy::Timeout)), CallOutcome::Other);
        // If the caller cancels the booking in the same conversation, the outcome is a cancellation.
        assert_eq!(of(&[booked, cancelled], false, None), CallOutcome::AppointmentCancelled);
    }
}
