//! Resends a mail of the log.

use domain::{AuditAction, Conflict, Mail, MailId, MailKind, MailStatus, Named, ProblemCode, Refusal, Right};
use serde::{Deserialize, Serialize};
use store::{Weight, keys};

use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::New;
use crate::error::EngineError;
use crate::mail::NewMail;

/// Resends a mail as a new mail with the same content.
#[derive(Clone, Copy, Debug)]
pub struct ResendMail {
    pub id: MailId,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ResentView {
    pub id: MailId,
}

impl Change for ResendMail {
    type Gives = New<ResentView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        const MAIL: Refusal = Refusal::NotFound(Named::Mail);
        let mail = context.read::<Mail>(&keys::mail(context.business_id(), self.id))?;
        let mail = mail.filter(Mail::is_logged).ok_or(MAIL)?;
        let refused = |why, code: ProblemCode| Err(Refusal::conflict(why, "mail_id", code).into());
        if mail.status == MailStatus::Pending {
            return refused(Conflict::MailPending, ProblemCode::MailPending);
        }
        // Both kinds of invitation get the same refusal, so the answer does not show whether an account
        // exists.
        if mail.kind.has_link() || mail.kind == MailKind::Offer {
            return refused(Conflict::MailHasLink, ProblemCode::MailHasLink);
        }
        if !context.sends_mail() {
            return refused(Conflict::NoRelay, ProblemCode::NoRelay);
        }
        if !context.has_room_for_mail() {
            return refused(Conflict::MailsWait, ProblemCode::MailsWait);
        }
        let Mail { business_id, person_id, kind, about, more, to, .. } = mail;
        let new = NewMail { business_id, person_id, kind, about, more, to, due: None };
        let id = context.mint();
        Ok(Decision::answering(ResentView { id }).note(AuditAction::MailResent, self.id).mail(id, new))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}
