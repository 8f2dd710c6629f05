//! Marks alerts of a person as read, and unsubscribes a person from alert mails.

use domain::{
    Actor, Alert, AlertEmail, AlertKind, AlertsRead, AuditAction, Denied, Membership, Named, PersonId,
    Refusal, Right, Subscription,
};
use store::{Batch, Record, Weight, keys};
use view::{AlertsReadView, NotificationsView};

use crate::business::alerts::last_alert;
use crate::business::{Change, Context, Decision, Shown, Write};
use crate::error::Result;

super::listed!(ReadAlerts, Unsubscribe);

#[derive(Clone, Copy, Debug)]
pub struct ReadAlerts {
    /// The number of the alert. `None` means all alerts.
    pub number: Option<u64>,
}

impl Change for ReadAlerts {
    type Gives = Shown<AlertsReadView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Actor::Person(person) = context.request.actor else {
            return Err(Refusal::NotAllowed(Denied::AlertOfAnother).into());
        };
        let (of, at) = (context.state.id, context.at);
        let mut row = Batch::default();
        match self.number {
            Some(number) => {
                let key = keys::alert(of, person, number);
                let alert = context.state.read::<Alert>(&key)?.filter(|alert| is_shown(context, alert));
                let alert = alert.ok_or(Refusal::NotFound(Named::Alert))?;
                if alert.read_at.is_none() {
                    row.put(key, Alert { read_at: Some(at), ..alert }.encode());
                }
            }
            None => {
                let key = keys::alerts_read(of, person);
                let read = context.state.find::<AlertsRead>(&key)?;
                let until = last_alert(context.state, person)?;
                if until > read.map_or(0, |read| read.until) {
                    row.put(key, AlertsRead { until, at }.encode());
                }
            }
        }
        let decision = Decision::answering(AlertsReadView { read_at: at });
        Ok(if row.is_empty() { decision } else { decision.write(Write::Rows(row)) })
    }
}

/// True if the person may see the alert: the alert is not older than the membership, and the person's role allows it.
fn is_shown(context: &Context<'_>, alert: &Alert) -> bool {
    context.state.people.get(&alert.person_id).is_some_and(|membership| alert.is_shown_by(membership))
}

#[derive(Clone, Copy, Debug)]
pub struct Unsubscribe {
    pub id: PersonId,
    pub from: Subscription,
}

impl Change for Unsubscribe {
    type Gives = Shown<NotificationsView>;
    /// The change is allowed on a full disk. If mails are already turned off, a request writes nothing. So repeated
    /// requests cannot fill the disk.
    const WEIGHT: Weight = Weight::Frees;
    /// No right is needed, because the person has the link from the mail. So a person whose access is disabled can
    /// unsubscribe too.
    const RIGHT: Option<Right> = None;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.state.people.get(&self.id).ok_or(Refusal::NotFound(Named::Person))?;
        let mut after = before.clone();
        for kind in AlertKind::ALL.iter().copied().filter(|kind| ends(self.from, before, *kind)) {
            after.end_mails(kind);
        }
        let (shown_before, shown) = (NotificationsView::from(before), NotificationsView::from(&after));
        if after == *before {
            return Ok(Decision::answering(shown));
        }
        after.updated_at = context.at;
        Ok(Decision::answering(shown)
            .note_change_from(AuditAction::PersonUnsubscribed, self.id, &shown_before)
            .write(Write::Membership(after)))
    }
}

fn ends(from: Subscription, of: &Membership, kind: AlertKind) -> bool {
    let email = of.alert(kind).email;
    match from {
        Subscription::Kind(ended) => kind == ended,
        Subscription::EveryNow => email == AlertEmail::Now,
        Subscription::EveryDaily => email == AlertEmail::Daily,
    }
}
