//! Forms that connect a calendar and contain the password of an account. The service finds the calendars of the
//! account and keeps the form in memory until the person chooses one of the calendars.
//!
//! Invariant: a form is deleted from the memory after [`KEPT`] at the latest.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::{Actor, BusinessId};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// The maximum time between the search for calendars and the choice of a calendar.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// The maximum numbers of forms in memory, in total and per person. A further form replaces the oldest one.
const KEPT_MAX: usize = 256;
const KEPT_PER_PERSON_MAX: usize = 8;

#[derive(Clone, Default)]
pub(in crate::dashboard) struct PendingForms(Arc<Mutex<Pending>>);

#[derive(Default)]
struct Pending {
    /// The oldest form comes first.
    forms: VecDeque<PendingForm>,
    /// Whether a task is running that deletes the expired forms.
    has_timer: bool,
}

type Fields = Vec<(&'static str, String)>;

struct PendingForm {
    token: String,
    of: (Actor, BusinessId),
    until: Instant,
    fields: Fields,
}

impl PendingForms {
    pub(super) fn keep(&self, token: String, of: (Actor, BusinessId), fields: Fields) {
        let until = Instant::now() + KEPT;
        let mut pending = self.0.lock();
        let forms = &mut pending.forms;
        if forms.iter().filter(|one| one.of.0 == of.0).count() >= KEPT_PER_PERSON_MAX
            && let Some(oldest) = forms.iter().position(|one| one.of.0 == of.0)
        {
            forms.remove(oldest);
        }
        if forms.len() >= KEPT_MAX {
            forms.pop_front();
        }
        forms.push_back(PendingForm { token, of, until, fields });
        if !std::mem::replace(&mut pending.has_timer, true) {
            tokio::spawn(self.clone().delete_expired(until));
        }
    }

    async fn delete_expired(self, mut next: Instant) {
        loop {
            sleep_until(next).await;
            let mut pending = self.0.lock();
            pending.forms.retain(|one| one.until > Instant::now());
            match pending.forms.front() {
                Some(first) => next = first.until,
                None => {
                    pending.has_timer = false;
                    return;
                }
            }
        }
    }

    pub(super) fn find(&self, token: &str, of: (Actor, BusinessId)) -> Option<Fields> {
        let pending = self.0.lock();
        let is_kept = |one: &&PendingForm| one.token == token && one.of == of && one.until > Instant::now();
        pending.forms.iter().find(is_kept).map(|one| one.fields.clone())
    }

    pub(super) fn forget(&self, token: &str) {
        self.0.lock().forms.retain(|one| one.token != token);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;
    use uuid::Uuid;

    use super::*;

    const BUSINESS: BusinessId = BusinessId::INSTALLATION;

    fn person(number: u128) -> (Actor, BusinessId) {
        (Actor::Person(Uuid::from_u128(number).into()), BUSINESS)
    }

    fn keep(forms: &PendingForms, token: &str, of: (Actor, BusinessId)) {
        forms.keep(token.to_owned(), of, vec![("password", "x".into())]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_is_found_by_its_person_and_deleted_after_ten_minutes() {
        let (forms, of) = (PendingForms::default(), person(1));
        for round in ["first", "second"] {
            keep(&forms, "a", of);
            assert!(forms.find("a", person(2)).is_none() && forms.find("b", of).is_none(), "{round}");
            sleep(KEPT / 2).await;
            keep(&forms, "b", of);
            sleep(KEPT / 2 - Duration::from_secs(1)).await;
            assert_eq!(forms.find("a", of).unwrap().len(), 1, "{round}");
            sleep(Duration::from_secs(2)).await;
            assert_eq!(
                forms.0.lock().forms.len(),
                1,
                "{round}: without a further request, the form is deleted"
            );
            assert!(forms.find("b", of).is_some());
            sleep(KEPT).await;
            assert!(forms.0.lock().forms.is_empty() && !forms.0.lock().has_timer, "{round}");
        }
        keep(&forms, "a", of);
        forms.forget("a");
        assert!(forms.find("a", of).is_none());
        sleep(KEPT + Duration::from_secs(1)).await;
        assert!(!forms.0.lock().has_timer);
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_replaces_only_their_own_forms() {
        let forms = PendingForms::default();
        keep(&forms, "other", person(2));
        for number in 0..300 {
            keep(&forms, &number.to_string(), person(1));
        }
        assert!(forms.find("other", person(2)).is_some());
        assert!(forms.find("291", person(1)).is_none() && forms.find("292", person(1)).is_some());
        for number in 0..300 {
            keep(&forms, &number.to_string(), person(number));
        }
        assert_eq!(forms.0.lock().forms.len(), KEPT_MAX);
        assert!(forms.find("43", person(43)).is_none() && forms.find("44", person(44)).is_some());
    }
}
