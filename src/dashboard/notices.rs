//! The log of notices to customers. The settings show the log of the business, and the page of an appointment
//! shows the notices about it. `notices.html` has the markup.

use domain::{AppointmentId, NoticeStatus, Right};
use engine::business::NoticeFilter;
use view::NoticeView;

use super::input::Member;
use super::listing::Pages;
use super::refused::Refused;
use super::words::attempts;

/// The number of notices on a page of the log.
const SHOWN: usize = 50;

pub(super) struct Notices {
    pub(super) shown: Vec<NoticeView>,
    pub(super) pages: Pages,
    /// The appointment, if the log is on the page of an appointment.
    pub(super) of: Option<AppointmentId>,
}

impl Member {
    /// The requested page of the log of notices. If `of` names an appointment, the log contains only the notices about
    /// this appointment.
    pub(super) async fn notices(&self, of: Option<AppointmentId>) -> Result<Notices, Refused> {
        let list = of.map_or_else(|| "notices".to_owned(), |id| format!("notices of {id}"));
        let filter = NoticeFilter { appointment_id: of, ..NoticeFilter::default() };
        let (business, filter, part) = (&self.business, &filter, self.part(&list, SHOWN, &[]));
        let found = part.read(|page| async move { business.notices(filter, &page).await }).await?;
        Ok(Notices { pages: part.pages(found.next.as_deref()), shown: found.items, of })
    }

    pub(super) fn notice_kind(&self, notice: &NoticeView) -> String {
        self.t(&format!("notices-kind-{}", notice.kind))
    }

    pub(super) fn of_notice(&self, notice: &NoticeView) -> (&'static str, String) {
        let class = match notice.status {
            NoticeStatus::Waiting => "pending",
            NoticeStatus::Sent => "sent",
            NoticeStatus::Failed => "failed",
            NoticeStatus::Dropped => "",
        };
        (class, self.t(&format!("notices-is-{}", notice.status)))
    }

    /// The reason why a notice was not sent.
    pub(super) fn why_unsent(&self, notice: &NoticeView) -> Option<String> {
        let dropped = notice.reason.map(|reason| self.t(&format!("notices-why-{reason}")));
        dropped.or_else(|| {
            let error = notice.last_error.as_ref().filter(|_| notice.status != NoticeStatus::Sent)?;
            Some(attempts::mail_error(self.words, error))
        })
    }

    pub(super) fn may_send_again(&self, notice: &NoticeView) -> bool {
        self.may(Right::Settings) && self.people().sends_mail() && notice.status != NoticeStatus::Waiting
    }
}
