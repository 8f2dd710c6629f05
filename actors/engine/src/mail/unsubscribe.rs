//! Tokens of the unsubscribe links in mails (RFC 8058). A token is not stored. It contains the person, the
//! business and the subscription, and a MAC of these three with the store's secret. A token is valid while
//! the store exists.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{AlertKind, BusinessId, PersonId, ResourceId, Subscription};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

/// Distinguishes the MACs of unsubscribe tokens from other MACs under the same secret.
const PURPOSE: &[u8] = b"unsubscribe 1\0";
/// The number of bytes before the MAC: the person, the business and the number of the subscription.
const SAYS: usize = 33;
const MAC: usize = 16;
const NOW: u8 = 0xfe;
const DAILY: u8 = 0xff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsubscribe {
    pub person_id: PersonId,
    pub business_id: BusinessId,
    pub from: Subscription,
}

fn number_of(from: Subscription) -> u8 {
    match from {
        Subscription::Kind(kind) => {
            AlertKind::ALL.iter().position(|one| *one == kind).unwrap_or_default() as u8
        }
        Subscription::EveryNow => NOW,
        Subscription::EveryDaily => DAILY,
    }
}

fn from_number(number: u8) -> Option<Subscription> {
    match number {
        NOW => Some(Subscription::EveryNow),
        DAILY => Some(Subscription::EveryDaily),
        number => AlertKind::ALL.get(usize::from(number)).copied().map(Subscription::Kind),
    }
}

impl Unsubscribe {
    /// The token: letters, digits, `-` and `_`.
    pub(crate) fn token(&self, secret: &[u8; 32]) -> String {
        let mut bytes = Vec::with_capacity(SAYS + MAC);
        bytes.extend(self.person_id.uuid().as_bytes());
        bytes.extend(self.business_id.uuid().as_bytes());
        bytes.push(number_of(self.from));
        let code = mac(secret, &bytes).finalize().into_bytes();
        bytes.extend(&code[..MAC]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Parses a token. Returns `None` for a token that was not created with this secret.
    pub(crate) fn read(token: &str, secret: &[u8; 32]) -> Option<Self> {
        let bytes: [u8; SAYS + MAC] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
        let (says, code) = bytes.split_at(SAYS);
        mac(secret, says).verify_truncated_left(code).ok()?;
        let id = |from: usize| says[from..from + 16].try_into().map(Uuid::from_bytes).ok();
        let from = from_number(says[32])?;
        Some(Self { person_id: id(0)?.into(), business_id: id(16)?.into(), from })
    }
}

fn mac(secret: &[u8; 32], says: &[u8]) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes a key of any length");
    mac.chain_update(PURPOSE).chain_update(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    fn all() -> impl Iterator<Item = Unsubscribe> {
        let kinds = AlertKind::ALL.iter().copied().map(Subscription::Kind);
        kinds.chain([Subscription::EveryNow, Subscription::EveryDaily]).map(|from| Unsubscribe {
            person_id: Uuid::from_bytes([1; 16]).into(),
            business_id: Uuid::from_bytes([2; 16]).into(),
            from,
        })
    }

    #[test]
    fn a_token_contains_the_person_and_the_subscription() {
        let tokens: std::collections::BTreeSet<_> = all().map(|one| one.token(&SECRET)).collect();
        assert_eq!(tokens.len(), AlertKind::ALL.len() + 2);
        for one in all() {
            let token = one.token(&SECRET);
            assert_eq!(Unsubscribe::read(&token, &SECRET), Some(one));
            assert!(
                token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
                "{token}"
            );
        }
    }

    #[test]
    fn the_format_of_a_token_does_not_change() {
        // Mails that are already sent contain tokens in this format, so the format must not change.
        let token = all().next().unwrap().token(&SECRET);
        assert_eq!(token, "AQEBAQEBAQEBAQEBAQEBAQICAgICAgICAgICAgICAgIAoj250YOQVUG8_hjw9NICRg");
    }

    #[test]
    fn each_kind_keeps_the_number_that_tokens_were_sent_with() {
        let numbers: Vec<_> = all().map(|one| (one.from, number_of(one.from))).collect();
        let kinds = [
            AlertKind::WebhookDisabled,
            AlertKind::UrgentMessage,
            AlertKind::MessageTaken,
            AlertKind::AppointmentRequested,
            AlertKind::AppointmentBooked,
            AlertKind::AppointmentRescheduled,
            AlertKind::AppointmentCancelled,
            AlertKind::CallMissed,
            AlertKind::WebhookFailing,
            AlertKind::CalendarFailed,
            AlertKind::CalendarEventChanged,
        ];
        let mut expected: Vec<_> =
            (0..).zip(kinds).map(|(number, kind)| (Subscription::Kind(kind), number)).collect();
        expected.extend([(Subscription::EveryNow, 0xfe), (Subscription::EveryDaily, 0xff)]);
        assert_eq!(numbers, expected);
    }

    #[test]
    fn an_altered_token_or_a_token_of_another_store_is_refused() {
        let token = all().next().unwrap().token(&SECRET);
        assert_eq!(Unsubscribe::read(&token, &[8; 32]), None);
        for at in 0..token.len() {
            let mut altered = token.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            assert_eq!(Unsubscribe::read(&altered, &SECRET), None, "{altered}");
        }
        for bad in ["", "x", &token[1..], &format!("{token}A"), &format!("{token}=")] {
            assert_eq!(Unsubscribe::read(bad, &SECRET), None, "{bad:?}");
        }
    }
}
