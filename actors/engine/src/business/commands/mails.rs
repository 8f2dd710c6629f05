//! Resends a mail that the mail log contains.

use domain::{AuditAction, Conflict, Mail, MailId, MailKind, MailStatus, Named, ProblemCode, Refusal, Right};
use serde::{Deserialize, Serialize};
use store::keys;

use crate::business::{Change, Context, Decision, New};
use crate::error::Result;
use crate::mail::NewMail;

super::listed!(ResendMail);

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
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        const MAIL: Refusal = Refusal::NotFound(Named::Mail);
        let mail = context.state.read::<Mail>(&keys::mail(context.state.id, self.id))?;
        let mail = mail.filter(|mail| mail.is_logged() && mail.notice.is_none()).ok_or(MAIL)?;
        let refused = |why, code: ProblemCode| Err(Refusal::conflict(why, "mail_id", code).into());
        if mail.status == MailStatus::Pending {
            return refused(Conflict::MailPending, ProblemCode::MailPending);
        }
        // A mail with a link cannot be sent again. A mail of the kind `offer` invites a person who already has an
        // account, so it contains no link. It is still refused with the same error as an invitation with a link,
        // because a different response would reveal that the account exists.
        if mail.kind.has_link() || mail.kind == MailKind::Offer {
            return refused(Conflict::MailHasLink, ProblemCode::MailHasLink);
        }
        if context.state.outbox.transport().is_none() {
            return refused(Conflict::NoRelay, ProblemCode::NoRelay);
        }
        if context.state.outbox.room(context.state.budget.waiting.mails()) == 0 {
            return refused(Conflict::MailsWait, ProblemCode::MailsWait);
        }
        let Mail { business_id, person_id, kind, about, more, to, .. } = mail;
        let new = NewMail { business_id, person_id, kind, about, more, to, due: None };
        let id = context.mint();
        Ok(Decision::answering(ResentView { id }).note(AuditAction::MailResent, self.id).mail(id, new))
    }
}
