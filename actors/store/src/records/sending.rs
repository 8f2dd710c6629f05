//! Webhook endpoints, deliveries and mails.

use domain::{
    ABOUT_MAX, ATTEMPTS_KEPT, About, AttemptError, Attempted, Delivery, EmailConsent, EventTypes, Mail,
    MailError, MailId, MailKind, MailStatus, Notice, Stated, TextConsent, Timestamp, WebhookEndpoint,
    WebhookSecret,
};

use super::Numbered;
use crate::StoreError;
use crate::codec::{Field, Fields, fields, record};

record!(WebhookEndpoint, "webhook_endpoint", {
    1: id, url, events, description, status, disabled_reason, disabled_at, epoch, secret, created_at, updated_at;
    2: alerted_of = None;
});

record!(Delivery, "delivery", {
    1: event_id, event, status, epoch, attempts, reached_before, last_response_status, last_response_body, last_error,
       last_attempt_at, next_attempt_at, created_at;
    2: tried = Vec::new();
} check |it| { (it.tried.len() <= ATTEMPTS_KEPT) => "it lists too many attempts" });

impl Field for EventTypes {
    fn write(&self, to: &mut Vec<u8>) {
        self.bits().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Self::from_bits(u8::read(from)?).ok_or_else(|| from.damaged("an event type is not known"))
    }
}

impl Field for WebhookSecret {
    fn write(&self, to: &mut Vec<u8>) {
        self.bytes().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok(Self::new(<[u8; 32]>::read(from)?))
    }
}

impl Field for AttemptError {
    fn write(&self, to: &mut Vec<u8>) {
        self.to_string().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok(Self::from_text(String::read(from)?))
    }
}

pub fn mail_kind_number(kind: MailKind) -> u8 {
    kind.number()
}

record!(Mail, "mail", {
    1: id, business_id, person_id, kind, about, more, to, message_id, status, attempts, last_error, created_at,
       last_attempt_at, next_attempt_at;
    2: notice = None;
    3: before = None;
} check |it| {
    (it.notice.is_some() == (it.kind == MailKind::Notice))
        => "its notice is missing, or is present although its kind allows none",
    (it.notice.is_none_or(|notice| notice.dropped.is_some() == (it.status == MailStatus::Dropped)))
        => "the drop reason is missing, or is present although the status allows none",
    (it.about.len() <= ABOUT_MAX) => "it is about too many records",
    ((it.status == MailStatus::Pending) == it.next_attempt_at.is_some())
        => "its due time is missing, or is present although the status allows none",
});

fields! {
    About { kind, id, at }
    Attempted { at, status, error, duration_ms }
    Notice { appointment_id, kind, starts_at, staff_id, by_customer, again, hours, dropped }
    SentNotices { at, count }
    Stated { status, starts_at, staff_id }
}

/// The consent to emails at an email address, or to text messages at a phone number. Exactly one of the fields is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsentRecord {
    pub email: Option<EmailConsent>,
    pub texts: Option<TextConsent>,
}

record!(ConsentRecord, "consent", { 1: email, texts });

/// The notices that were counted towards a limit, oldest first. Records of this type also count sent codes, wrong
/// confirmation numbers and used model tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeCountRecord {
    pub sent: Vec<SentNotices>,
    /// The ids of the counted notices, so that no notice is counted twice. Some limits count several notices in one
    /// entry of `sent`. For these limits, this list is empty.
    pub ids: Vec<MailId>,
}

record!(NoticeCountRecord, "notice_count", { 1: sent; 2: ids = Vec::new() });

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentNotices {
    pub at: Timestamp,
    pub count: u32,
}

impl Field for MailError {
    fn write(&self, to: &mut Vec<u8>) {
        self.to_string().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok(Self::from_text(String::read(from)?))
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        AlertKind, AppointmentStatus, AttemptFailure, DeliveryStatus, DisabledReason, DropReason, EventType,
        NoticeKind, WebhookStatus, WebhookUrl,
    };
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;
    use crate::Record;

    fn endpoint() -> WebhookEndpoint {
        WebhookEndpoint {
            id: id_of([1; 16]),
            url: WebhookUrl::parse("https://a.example/h").unwrap(),
            events: EventTypes::all(),
            description: String::new(),
            status: WebhookStatus::Disabled,
            disabled_reason: Some(DisabledReason::Failures),
            disabled_at: Some(Timestamp::from_millis(3)),
            epoch: 2,
            secret: WebhookSecret::new([9; 32]),
            alerted_of: Some(Timestamp::from_millis(2)),
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(3),
        }
    }

    fn delivery() -> Delivery {
        Delivery {
            event_id: id_of([2; 16]),
            event: EventType::AppointmentBooked,
            status: DeliveryStatus::Pending,
            epoch: 1,
            attempts: 2,
            reached_before: Some(7),
            last_response_status: Some(500),
            last_response_body: Some("no".into()),
            last_error: Some(AttemptError::Other("the receiver answered 500".into())),
            last_attempt_at: Some(Timestamp::from_millis(4)),
            next_attempt_at: Some(Timestamp::from_millis(5)),
            created_at: Timestamp::from_millis(1),
            tried: vec![Attempted {
                at: Timestamp::from_millis(4),
                status: Some(500),
                error: Some(AttemptError::Status(500)),
                duration_ms: 94,
            }],
        }
    }

    #[test]
    fn the_bytes_of_an_endpoint_never_change() {
        let first = "010101010101010101010101010101011368747470733a2f2f612e6578616d706c652f683f0002010101060209090909\
             090909090909090909090909090909090909090909090909090909090206";
        let first = first.replace(' ', "");
        check(&endpoint(), &format!("02{first}0104"));
        check_old(&WebhookEndpoint { alerted_of: None, ..endpoint() }, &format!("01{first}"));
    }

    #[test]
    fn the_bytes_of_a_delivery_never_change() {
        let first = "0202020202020202020202020202020202010102010701fbf40101026e6f011974686520726563656976657220616e\
             737765726564203530300108010a02";
        let first = first.replace(' ', "");
        check(&delivery(), &format!("02{first}010801fbf401010a737461747573203530305e"));
        check_old(&Delivery { tried: Vec::new(), ..delivery() }, &format!("01{first}"));
    }

    #[test]
    fn an_error_is_stored_as_text_and_decoded_to_the_same_error() {
        for error in [AttemptError::Status(500), AttemptFailure::CertificateIssuer.into()] {
            let delivery = Delivery { last_error: Some(error.clone()), ..delivery() };
            let bytes = delivery.encode();
            let text = error.to_string();
            assert!(bytes.windows(text.len()).any(|part| part == text.as_bytes()), "{error:?}");
            assert_eq!(Delivery::decode(&bytes).unwrap(), delivery);
        }
    }

    #[test]
    fn an_unknown_number_is_damage() {
        check_damage(&endpoint(), |bytes| replace(bytes, b"/h\x3f\x00\x02", b"/h\x3f\x00\x07"));
        check_damage(&endpoint(), |bytes| replace(bytes, b"/h\x3f", b"/h\x7f"));
        check_damage(&delivery(), |bytes| bytes[17] = 0x7f);
    }

    fn mail() -> Mail {
        Mail {
            id: id_of([1; 16]),
            business_id: Some(id_of([2; 16])),
            person_id: id_of([3; 16]),
            kind: MailKind::Daily,
            about: vec![About {
                kind: AlertKind::AppointmentBooked,
                id: Uuid::from_bytes([4; 16]),
                at: Timestamp::from_millis(1),
            }],
            more: 5,
            to: Some("a@b.example".into()),
            message_id: "m@b.example".into(),
            status: MailStatus::Pending,
            attempts: 2,
            last_error: Some(MailError::Quoted("451 later".into())),
            created_at: Timestamp::from_millis(2),
            last_attempt_at: Some(Timestamp::from_millis(3)),
            next_attempt_at: Some(Timestamp::from_millis(4)),
            notice: None,
            before: None,
        }
    }

    fn notice() -> Mail {
        let notice = Notice {
            appointment_id: id_of([5; 16]),
            kind: NoticeKind::Reminder,
            starts_at: Timestamp::from_millis(6),
            staff_id: id_of([7; 16]),
            by_customer: true,
            again: false,
            hours: Some(24),
            dropped: Some(DropReason::Limit),
        };
        Mail {
            person_id: id_of([0; 16]),
            kind: MailKind::Notice,
            about: Vec::new(),
            status: MailStatus::Dropped,
            next_attempt_at: None,
            notice: Some(notice),
            before: Some(Stated {
                status: AppointmentStatus::Confirmed,
                starts_at: Timestamp::from_millis(8),
                staff_id: id_of([9; 16]),
            }),
            ..mail()
        }
    }

    #[test]
    fn the_bytes_of_a_mail_never_change() {
        let first = "01010101010101010101010101010101010102020202020202020202020202020202030303030303030303030303\
             03030303030105040404040404040404040404040404040205010b6140622e6578616d706c650b6d40622e6578616d70\
             6c6501020109343531206c617465720401060108";
        check_old(&mail(), first);
        check_old(&mail(), &format!("02{}00", &first[2..]));
        check(&mail(), &format!("03{}0000", &first[2..]));
    }

    #[test]
    fn the_bytes_of_a_notice_never_change() {
        let second = "0201010101010101010101010101010101010202020202020202020202020202020200000000000000000000000000\
             000000090005010b6140622e6578616d706c650b6d40622e6578616d706c6504020109343531206c61746572040106\
             000105050505050505050505050505050505060c07070707070707070707070707070707010001180102";
        check_old(&Mail { before: None, ..notice() }, second);
        let before = "01021009090909090909090909090909090909";
        check(&notice(), &format!("03{}{before}", &second[2..]));
        check_damage(&notice(), |bytes| {
            let status = bytes.len() - 18;
            bytes[status] = 0x7f;
        });
    }

    #[test]
    fn the_bytes_of_consent_and_of_counts_never_change() {
        let consent = ConsentRecord { email: Some(EmailConsent::NoReminders), texts: None };
        check(&consent, "01 0102 00");
        let count = SentNotices { at: Timestamp::from_millis(3), count: 2 };
        let counted = NoticeCountRecord { sent: vec![count], ids: Vec::new() };
        check_old(&counted, "01 01 06 02");
        let counted = NoticeCountRecord { ids: vec![id_of([7; 16])], ..counted };
        check(&counted, "02 01 06 02 01 07070707070707070707070707070707");
    }

    #[test]
    fn an_invalid_mail_is_damaged() {
        check_damage(&mail(), |bytes| bytes[50] = 0x7f);
        // The mail has a due time, but its status is not pending.
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x02"));
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x7f"));
    }
}
