//! Sends a notice again, and changes the consent of customers to emails and texts.

use domain::{
    AuditAction, Conflict, Contact, ContactId, EmailConsent, Mail, MailId, MailStatus, Named, Notice,
    NoticeKind, ProblemCode, Refusal, Right, TextConsent,
};
use serde::{Deserialize, Serialize};
use store::records::ConsentRecord;
use store::{Batch, Weight, keys};
use view::{ConsentView, NoticeView};

use super::customers::ManageToken;
use crate::business::{Change, Context, Decision, New, Shown, Write, within_budget};
use crate::error::Result;
use crate::mail::{consent_of, email_consent_key, write_email_consent, write_mail, write_text_consent};

super::listed!(SendNoticeAgain, SetConsent, StopNotices);

/// Sends a new notice about the appointment of an earlier notice. The new notice describes the current state of the
/// appointment.
#[derive(Clone, Copy, Debug)]
pub struct SendNoticeAgain {
    pub id: MailId,
}

impl Change for SendNoticeAgain {
    type Gives = New<NoticeView>;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        let mail = state.read::<Mail>(&keys::mail(state.id, self.id))?;
        let notice = mail.as_ref().and_then(|mail| mail.notice).ok_or(Refusal::NotFound(Named::Notice))?;
        let refused = |why, code: ProblemCode| Err(Refusal::conflict(why, "notice_id", code).into());
        if mail.is_some_and(|mail| mail.status == MailStatus::Pending) {
            return refused(Conflict::MailPending, ProblemCode::MailPending);
        }
        let appointment = state.appointment(notice.appointment_id)?;
        let appointment = appointment.ok_or(Refusal::NotFound(Named::Appointment))?;
        let kind = NoticeKind::of_state(appointment.status);
        let again = Notice { again: true, ..Notice::new(kind, &appointment, false) };
        let (id, steady) = (context.mint(), state.steady.now());
        let new = (state.id, again, steady);
        let Some(mail) = state.outbox.mint_notice(id, new, (context.at, steady)) else {
            return refused(Conflict::NoRelay, ProblemCode::NoRelay);
        };
        let mail = within_budget(&state.budget.limits, state.budget.waiting.notices(), mail, context.at);
        let mut rows = Batch::default();
        write_mail(&mut rows, &mail, None);
        Ok(Decision::answering(NoticeView::new(&mail, &mail.notice.unwrap_or(again)))
            .note(AuditAction::MailResent, self.id)
            .waits(mail.next_attempt_at)
            .write(Write::Rows(rows)))
    }
}

/// Stops emails from the business to the address that received the mail with this token.
#[derive(Clone, Debug)]
pub struct StopNotices {
    pub token: ManageToken,
    /// True to stop all emails, false to stop only reminders.
    pub all: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StoppedView {
    pub email: EmailConsent,
}

impl Change for StopNotices {
    type Gives = Shown<StoppedView>;
    const WEIGHT: Weight = Weight::Keeps;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, of) = (context.state, context.state.id);
        let seen = state.seen_by_link(&self.token, context.now)?;
        let to = seen.and_then(|seen| seen.to).ok_or(Refusal::NotFound(Named::Subscription))?;
        let before = state.find::<ConsentRecord>(&email_consent_key(&state.outbox.secret, of, &to))?;
        let before = before.and_then(|consent| consent.email);
        // If the customer has already stopped all emails, a request to stop only reminders changes
        // nothing.
        let is_stopped = before == Some(EmailConsent::None);
        let email = if self.all || is_stopped { EmailConsent::None } else { EmailConsent::NoReminders };
        let decision = Decision::answering(StoppedView { email });
        if before == Some(email) {
            return Ok(decision);
        }
        let mut rows = Batch::default();
        write_email_consent(&mut rows, (&state.outbox.secret, of), &to, email);
        Ok(decision.write(Write::Rows(rows)))
    }
}

/// Sets the consents of a contact: whether the business may send emails to the contact's email address, and whether it
/// may send text messages to the contact's phone number.
#[derive(Clone, Copy, Debug)]
pub struct SetConsent {
    pub id: ContactId,
    pub email: Option<EmailConsent>,
    pub texts: Option<TextConsent>,
}

impl Change for SetConsent {
    type Gives = Shown<ConsentView>;
    const RIGHT: Option<Right> = Some(Right::Day);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let (state, of) = (context.state, context.state.id);
        let contact: Contact = context.contact(self.id)?.ok_or(Refusal::NotFound(Named::Contact))?;
        let before = consent_of(|key| state.find(key), &state.outbox.secret, of, &contact)?;
        context.check_match(&before)?;
        let mut rows = Batch::default();
        let mut after = before.clone();
        if let Some(email) = self.email {
            let address = contact.email.as_ref().ok_or_else(|| has_none("email"))?;
            after.email = Some(email);
            write_email_consent(&mut rows, (&state.outbox.secret, of), address.as_str(), email);
        }
        if let Some(texts) = self.texts {
            let phone = contact.phone.as_ref().ok_or_else(|| has_none("texts"))?;
            after.texts = Some(texts);
            write_text_consent(&mut rows, (&state.outbox.secret, of), phone, texts);
        }
        let decision = Decision::answering(after.clone());
        if (after.email, after.texts) == (before.email, before.texts) {
            return Ok(decision);
        }
        Ok(decision
            .note_changes(AuditAction::ContactUpdated, contact.id, (&before, &after))
            .write(Write::Rows(rows)))
    }
}

/// The refusal for a contact that has no email address or phone number to which this consent could apply.
/// [`ConsentView`] shows such a consent as null.
fn has_none(consent: &str) -> Refusal {
    Refusal::invalid(consent, ProblemCode::NotNull)
}
