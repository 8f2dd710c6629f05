//! Notices: e-mails and texts to customers about their appointments.

use super::Source;
use super::words::words;

pub const REMINDERS_MAX: usize = 2;
/// The largest number of hours before the start at which a reminder is sent.
pub const REMINDER_HOURS_MAX: u8 = 168;

words! {
    /// The appointments whose customers get notices.
    NoticeScope {
        Off = "off",
        /// Appointments that were booked on the website, by phone or by text message.
        Online = "online",
        All = "all",
    }
}

impl NoticeScope {
    pub fn includes(self, source: Source) -> bool {
        match self {
            Self::Off => false,
            Self::Online => matches!(source, Source::Website | Source::Voice | Source::Sms),
            Self::All => true,
        }
    }
}

/// The notices of a business. The default is that of a business without stored settings: it existed before
/// notices did, and sends none until its team turns them on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeSettings {
    pub email: NoticeScope,
    pub text: NoticeScope,
    /// The hours before the start at which reminders are sent: distinct, at most [`REMINDERS_MAX`].
    pub reminder_hours: Vec<u8>,
}

impl NoticeSettings {
    /// The settings of a new business.
    pub fn of_new() -> Self {
        Self { email: NoticeScope::Online, ..Self::default() }
    }
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self { email: NoticeScope::Off, text: NoticeScope::Off, reminder_hours: vec![24] }
    }
}
