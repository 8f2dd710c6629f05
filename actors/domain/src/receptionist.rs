//! The settings of the automated receptionist of a business.

use super::{Locale, Phone};

pub const GREETING_CHARS_MAX: usize = 300;
pub const INSTRUCTIONS_CHARS_MAX: usize = 2_000;
pub const BLOCKED_NUMBERS_MAX: usize = 500;
/// The maximum of [`Receptionist::team_first_seconds`].
pub const TEAM_FIRST_SECONDS_MAX: u32 = 60;
pub const TEAM_FIRST_SECONDS_MIN: u32 = 5;
pub const TOKENS_PER_DAY_DEFAULT: u64 = 1_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receptionist {
    pub channels: Channels,
    /// The text that the receptionist says after its first sentence: a line of 1 to [`GREETING_CHARS_MAX`] characters.
    pub greeting: Greeting,
    /// Instructions for the model, 1 to [`INSTRUCTIONS_CHARS_MAX`] characters.
    pub instructions: Option<String>,
    /// The phone number of the person who takes over calls within opening hours.
    pub handoff_number: Option<Phone>,
    /// The time for which the handoff number rings before the receptionist answers, in seconds; see
    /// [`is_team_first`].
    pub team_first_seconds: u32,
    /// Up to [`BLOCKED_NUMBERS_MAX`] phone numbers whose calls are rejected and whose text messages are dropped.
    pub blocked_numbers: Vec<Phone>,
    /// Whether the receptionist may use the knowledge entries in answers to customers and assistants.
    pub knowledge_public: bool,
    /// The maximum number of model tokens that the business may use in one local day; 0 means no model.
    pub tokens_per_day: u64,
}

/// The channels on which the receptionist answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    pub voice: bool,
    pub sms: bool,
    pub website: bool,
}

impl Default for Channels {
    fn default() -> Self {
        Self { voice: true, sms: true, website: false }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    pub en: Option<String>,
    pub fr: Option<String>,
}

impl Greeting {
    pub fn of(&self, locale: Locale) -> Option<&str> {
        match locale {
            Locale::En => self.en.as_deref(),
            Locale::Fr => self.fr.as_deref(),
        }
    }
}

impl Default for Receptionist {
    fn default() -> Self {
        Self {
            channels: Channels::default(),
            greeting: Greeting::default(),
            instructions: None,
            handoff_number: None,
            team_first_seconds: 0,
            blocked_numbers: Vec::new(),
            knowledge_public: false,
            tokens_per_day: TOKENS_PER_DAY_DEFAULT,
        }
    }
}

/// True if the handoff number may ring first for this number of seconds: 0, or 5 to 60.
pub fn is_team_first(seconds: u32) -> bool {
    seconds == 0 || (TEAM_FIRST_SECONDS_MIN..=TEAM_FIRST_SECONDS_MAX).contains(&seconds)
}
