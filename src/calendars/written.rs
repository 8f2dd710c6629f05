//! The calendar files of the events that are written to connected calendars. The events have the same content as in
//! feeds.

use domain::FeedDetail;
use engine::calendars::{EventWriter, WrittenEvent};

use super::{feeds, ics};

/// Writes the calendar files of events.
pub struct Written {
    /// The origin of the links to the dashboard.
    pub public_url: Option<String>,
}

impl EventWriter for Written {
    fn file(&self, written: &WrittenEvent<'_>) -> String {
        let WrittenEvent { business, locale, detail, appointment } = *written;
        let pages = self.public_url.as_deref().map(|url| feeds::pages(url, business));
        let mut event = feeds::event(appointment, detail, locale, pages.as_deref());
        event.is_private = detail == FeedDetail::Contacts;
        ics::written(event)
    }
}

#[cfg(test)]
mod tests {
    use domain::{AppointmentStatus, Locale};
    use uuid::Uuid;
    use view::{AppointmentParties, AppointmentView, SomeAppointmentView};

    use super::super::ics::tests::appointment;
    use super::*;

    fn file(detail: FeedDetail, status: AppointmentStatus) -> String {
        let parties = AppointmentParties {
            timezone: "Europe/Paris",
            service_name: "Coupe",
            staff_name: "Camille",
            contact: None,
        };
        let mut shown = AppointmentView::new(&appointment(status), parties);
        shown.contact_name = Some("Zoé".into());
        let written = Written { public_url: Some("https://desk.example.com".into()) };
        let business = Uuid::from_u128(9).into();
        written.file(&WrittenEvent { business, locale: Locale::Fr, detail, appointment: &shown })
    }

    #[test]
    fn only_an_event_with_a_contact_is_private() {
        for (detail, summary, is_private) in [
            (FeedDetail::Times, "Occupé", false),
            (FeedDetail::Services, "Coupe · Camille", false),
            (FeedDetail::Contacts, "Coupe · Camille · Zoé", true),
        ] {
            let file = file(detail, AppointmentStatus::Confirmed);
            assert!(file.contains(&format!("\r\nSUMMARY:{summary}\r\n")), "{file}");
            assert_eq!(file.contains("\r\nCLASS:PRIVATE\r\n"), is_private, "{file}");
            assert_eq!(file.contains("Zoé"), is_private, "{file}");
            for absent in ["METHOD", "ORGANIZER", "ATTENDEE", "VALARM", "X-WR-CALNAME"] {
                assert!(!file.contains(absent), "{file}");
            }
        }
        assert!(file(FeedDetail::Times, AppointmentStatus::Pending).contains("STATUS:TENTATIVE"));
    }
}
