//! Reads the log of notices, and the consent of contacts.

use domain::{
    AppointmentId, ContactId, EmailConsent, Mail, MailId, Named, Notice, NoticeChannel, NoticeKind,
    NoticeSettings, NoticeStatus, Refusal,
};
use store::records::ConsentRecord;
use store::{Order, Record, keys};
use view::{ConsentView, NoticeView};

use super::{Page, PageRequest, collect};
use crate::business::{BusinessHandle, contact};
use crate::error::Result;
use crate::mail::{LOG_DAYS, appointment, consent_of, email_consent_key, recipient};

#[derive(Clone, Debug, Default)]
pub struct NoticeFilter {
    pub kind: Option<NoticeKind>,
    pub channel: Option<NoticeChannel>,
    pub status: Option<NoticeStatus>,
    pub appointment_id: Option<AppointmentId>,
}

impl NoticeFilter {
    fn admits(&self, notice: &NoticeView) -> bool {
        self.kind.is_none_or(|kind| notice.kind == kind)
            && self.channel.is_none_or(|channel| notice.channel == channel)
            && self.status.is_none_or(|status| notice.status == status)
            && self.appointment_id.is_none_or(|id| notice.appointment_id == id)
    }
}

impl BusinessHandle {
    /// The notices that are waiting or have changed within the last 30 days, newest first.
    pub async fn notices(&self, filter: &NoticeFilter, page: &PageRequest) -> Result<Page<NoticeView>> {
        let (of, filter) = (self.id, filter.clone());
        let shown_from = self.shared().clocks.now() - LOG_DAYS;
        let range = match filter.appointment_id {
            Some(id) => keys::notices_of(of, id),
            None => keys::mails(of),
        };
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |key, value| {
                let mail = match filter.appointment_id {
                    Some(_) => reader.find::<Mail>(&keys::mail(of, keys::id_at_end::<MailId>(key)?))?,
                    None => Some(Mail::decode(value)?),
                };
                let shown = mail.and_then(|mail| Some(NoticeView::new(&mail, mail.notice.as_ref()?)));
                let is_recent = |notice: &NoticeView| {
                    notice.status == NoticeStatus::Waiting || notice.updated_at >= shown_from
                };
                Ok(shown.filter(|notice| is_recent(notice) && filter.admits(notice)))
            })
        })
        .await
    }

    /// True if a cancellation or decline of this appointment by the team would now cause an email to the customer.
    pub async fn announces_end(&self, id: AppointmentId) -> Result<bool> {
        if self.businesses.outbox.transport().is_none() {
            return Ok(false);
        }
        let (now, secret) = (self.now(), self.shared().meta.secret);
        self.read(|store| {
            let Some(appointment) = appointment(store, self.id, id)? else { return Ok(false) };
            let settings = store.find::<NoticeSettings>(&keys::notices(self.id))?.unwrap_or_default();
            if !settings.includes(&appointment) || appointment.starts_at <= now {
                return Ok(false);
            }
            let notice = Notice::new(NoticeKind::Cancelled, &appointment, false);
            let Some((to, _)) = recipient(store, self.id, &notice)? else { return Ok(false) };
            let consent = store.find::<ConsentRecord>(&email_consent_key(&secret, self.id, &to.address))?;
            Ok(consent.and_then(|consent| consent.email) != Some(EmailConsent::None))
        })
        .await
    }

    /// Returns the consent of a contact. Fails with [`Refusal::NotFound`] if the contact is unknown.
    pub async fn consent(&self, id: ContactId) -> Result<ConsentView> {
        let secret = self.shared().meta.secret;
        let consent = self
            .read(|store| {
                let contact = contact(store, self.id, id)?;
                contact
                    .map(|contact| consent_of(|key| store.find(key), &secret, self.id, &contact))
                    .transpose()
            })
            .await?;
        Ok(consent.ok_or(Refusal::NotFound(Named::Contact))?)
    }
}
