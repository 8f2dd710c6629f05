//! Changes of the receptionist's settings.

use domain::{AuditAction, Channels, Greeting, Phone, Receptionist, Right, Text};
use view::ReceptionistView;

use crate::business::{Change, Context, Decision, Shown, Write};
use crate::error::Result;

super::listed!(PatchReceptionist);

/// A change of the settings. `Some(None)` sets a field to its default.
#[derive(Clone, Debug, Default)]
pub struct PatchReceptionist {
    pub voice: Option<bool>,
    pub sms: Option<bool>,
    pub website: Option<bool>,
    pub greeting_en: Option<Option<Text<1, 300>>>,
    pub greeting_fr: Option<Option<Text<1, 300>>>,
    pub instructions: Option<Option<Text<1, 2000>>>,
    pub handoff_number: Option<Option<Phone>>,
    pub team_first_seconds: Option<u32>,
    pub blocked_numbers: Option<Vec<Phone>>,
    pub knowledge_public: Option<bool>,
    /// Only the operator may set this field.
    pub tokens_per_day: Option<u64>,
}

impl Change for PatchReceptionist {
    type Gives = Shown<ReceptionistView>;

    fn needs(&self) -> Option<Right> {
        Some(if self.tokens_per_day.is_some() { Right::Operation } else { Right::Settings })
    }

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = &context.state.receptionist;
        let shown = ReceptionistView::from(before);
        context.check_match(&shown)?;
        let text =
            |set: Option<Option<String>>, before: &Option<String>| set.unwrap_or_else(|| before.clone());
        let greeting = |set: Option<Option<Text<1, 300>>>| set.map(|text| text.map(Text::into_string));
        let after = Receptionist {
            channels: Channels {
                voice: self.voice.unwrap_or(before.channels.voice),
                sms: self.sms.unwrap_or(before.channels.sms),
                website: self.website.unwrap_or(before.channels.website),
            },
            greeting: Greeting {
                en: text(greeting(self.greeting_en), &before.greeting.en),
                fr: text(greeting(self.greeting_fr), &before.greeting.fr),
            },
            instructions: text(
                self.instructions.map(|text| text.map(Text::into_string)),
                &before.instructions,
            ),
            handoff_number: self.handoff_number.unwrap_or_else(|| before.handoff_number.clone()),
            team_first_seconds: self.team_first_seconds.unwrap_or(before.team_first_seconds),
            blocked_numbers: self.blocked_numbers.unwrap_or_else(|| before.blocked_numbers.clone()),
            knowledge_public: self.knowledge_public.unwrap_or(before.knowledge_public),
            tokens_per_day: self.tokens_per_day.unwrap_or(before.tokens_per_day),
        };
        if after == *before {
            return Ok(Decision::answering(shown));
        }
        let now_shown = ReceptionistView::from(&after);
        Ok(Decision::answering(now_shown.clone())
            .note_changes(AuditAction::ReceptionistUpdated, context.state.id, (&shown, &now_shown))
            .write(Write::hot(context.state.id, Some(before), after)))
    }
}
