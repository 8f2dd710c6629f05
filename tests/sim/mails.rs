//! A simulated mail relay, and the checks of every mail.
//!
//! Invariants:
//!
//! - An acknowledged mail is in the store, unless it was dropped because its recipient may no longer get it.
//! - The relay receives only mails that are on the disk, each with its own `Message-ID`.
//! - The relay has accepted every mail that is recorded as sent. A recorded outcome never changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{
    BusinessId, Email, Locale, Mail, MailError, MailId, MailKind, MailStatus, ResourceId, Timestamp,
};
use engine::EngineError;
use engine::mail::letter::{Composer, Letter, Link, Recipient, Recipients};
use engine::mail::{MailPorts, NewMail};
use parking_lot::Mutex;
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use store::keys::{self, kind};
use store::{Order, Record, Store};
use uuid::Uuid;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::Sim;
use crate::wide::Workload;

/// The first byte of the id of a person who was removed. No mail may be sent to this person.
const GONE: u8 = 7;

/// The behaviour of the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    Down,
    Hangs,
    RefusesForNow,
    RefusesForGood,
    Moody,
}

/// The expected states of all mails.
pub(crate) struct Mails {
    dice: Dice,
    mood: Mutex<Mood>,
    /// The ids of the acknowledged mails of each business.
    acknowledged: Mutex<BTreeMap<BusinessId, BTreeSet<MailId>>>,
    /// The `Message-ID`s of all mails that the relay has received. `taken` contains those of the mails that it has
    /// accepted.
    handed: Mutex<BTreeSet<String>>,
    taken: Mutex<BTreeSet<String>>,
    /// The businesses whose mails are checked. All other businesses send no notices.
    checked: Mutex<BTreeSet<BusinessId>>,
    /// The final status of each mail that is finished.
    ended: Mutex<BTreeMap<MailId, MailStatus>>,
}

impl Mails {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            dice: Dice::new(seed ^ 0x0a11),
            mood: Mutex::new(Mood::Well),
            acknowledged: Mutex::default(),
            handed: Mutex::default(),
            taken: Mutex::default(),
            checked: Mutex::default(),
            ended: Mutex::default(),
        })
    }

    /// Returns the parts that the engine needs to send mails through this relay.
    pub(crate) fn ports(self: &Arc<Self>) -> MailPorts {
        MailPorts {
            mailer: Arc::clone(self) as _,
            composer: Arc::clone(self) as _,
            recipients: Arc::clone(self) as _,
        }
    }

    /// From now on, notices of this business have a recipient, so they are sent and checked.
    pub(crate) fn send_notices_of(&self, business: BusinessId) {
        self.checked.lock().insert(business);
    }

    /// Makes the relay accept every mail.
    pub(crate) fn heal(&self) {
        *self.mood.lock() = Mood::Well;
    }

    /// Checks the mail rows of a business.
    pub(crate) fn check(&self, store: &Store, of: BusinessId) {
        let mails: BTreeMap<MailId, Mail> = store
            .scan(&keys::of_kind(of, kind::MAIL), Order::Ascending)
            .map(|row| Mail::decode(&row.unwrap().1).unwrap())
            .map(|mail| (mail.id, mail))
            .collect();
        let acknowledged = self.acknowledged.lock();
        for id in acknowledged.get(&of).into_iter().flatten() {
            assert!(mails.contains_key(id), "the mail {id} was acknowledged, but is missing");
        }
        let (taken, mut ended) = (self.taken.lock(), self.ended.lock());
        for mail in mails.values() {
            let came = (mail.status == MailStatus::Sent) <= taken.contains(&mail.message_id);
            assert!(came, "{mail:?} is recorded as sent, but the relay did not accept it");
            let before = ended.get(&mail.id).copied();
            assert!(
                before.is_none_or(|before| before == mail.status),
                "{mail:?} had another final status: {before:?}"
            );
            if mail.status != MailStatus::Pending {
                ended.insert(mail.id, mail.status);
            }
        }
    }

    /// Checks that every mail that the relay has received is on the disk.
    pub(crate) fn check_handed(&self, store: &Store, all: &[BusinessId]) {
        let mut written = BTreeSet::new();
        for of in all {
            let rows = store.scan(&keys::of_kind(*of, kind::MAIL), Order::Ascending);
            written.extend(rows.map(|row| Mail::decode(&row.unwrap().1).unwrap().message_id));
        }
        for id in self.handed.lock().iter() {
            assert!(written.contains(id), "the mail {id} was sent, but is not on the disk");
        }
    }
}

impl Mailer for Mails {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            let id = String::from_utf8(mail.bytes.clone()).unwrap();
            self.handed.lock().insert(id.clone());
            tokio::time::sleep(Duration::from_millis(self.dice.between(1, 400))).await;
            let mood = match *self.mood.lock() {
                Mood::Moody => *self.dice.pick(&[Mood::Well, Mood::Well, Mood::Down, Mood::RefusesForNow]),
                mood => mood,
            };
            match mood {
                Mood::Well | Mood::Moody => {
                    self.taken.lock().insert(id);
                    Ok("250 ok".into())
                }
                Mood::Down => Err(MailFailure::Relay(MailError::Quoted("the relay is down".into()))),
                Mood::Hangs => std::future::pending().await,
                Mood::RefusesForNow => Err(MailFailure::Refused(MailError::Quoted("451 later".into()))),
                Mood::RefusesForGood => Err(MailFailure::RefusedForGood(MailError::Quoted("550 no".into()))),
            }
        })
    }
}

impl Composer for Mails {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

impl Recipients for Mails {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>> {
        let is_gone = match mail.notice {
            Some(_) => mail.business_id.is_none_or(|of| !self.checked.lock().contains(&of)),
            None => mail.person_id.uuid().as_bytes()[0] == GONE,
        };
        let recipient = Recipient {
            address: "a@example.com".into(),
            name: String::new(),
            locale: Locale::En,
            role: None,
            link: mail.notice.map(|_| Link { url: "https://x.example".into(), expires_at: Timestamp::MIN }),
        };
        Box::pin(std::future::ready(Ok((!is_gone).then_some(recipient))))
    }
}

impl Sim {
    /// Adds a mail to the outbox, or changes the behaviour of the relay.
    pub(crate) fn some_mail(&mut self, life: &mut Life) {
        let mails = Arc::clone(&self.world.mails);
        if self.workload != Workload::Wide || !mails.dice.once_in(4) {
            return;
        }
        if mails.dice.once_in(5) {
            let moods =
                [Mood::Well, Mood::Down, Mood::Hangs, Mood::RefusesForNow, Mood::RefusesForGood, Mood::Moody];
            *mails.mood.lock() = *mails.dice.pick(&moods);
            self.world.say(format_args!("the relay: {:?}", mails.mood.lock()));
            return;
        }
        let of = self.shops[mails.dice.below(self.shops.len())].id;
        let person = *mails.dice.pick(&[1, 2, 3, GONE]);
        let new = NewMail {
            business_id: Some(of),
            person_id: Uuid::from_bytes([person; 16]).into(),
            kind: MailKind::EmailChanged,
            about: Vec::new(),
            more: 0,
            to: Email::new("b@example.com").ok().map(|to| to.as_str().to_owned()),
            due: None,
        };
        let (engine, world) = (life.engine.clone(), self.world.clone());
        life.spawn(async move {
            match engine.queue_mail(new).await {
                Ok(Some(id)) if person != GONE => {
                    world.say(format_args!("the mail {id} is to be sent"));
                    mails.acknowledged.lock().entry(of).or_default().insert(id);
                }
                Ok(Some(_))
                | Err(EngineError::Stopping | EngineError::DiskFull(_) | EngineError::Overloaded) => {}
                Ok(None) => world.wrong(format_args!("a relay is configured, but a mail was not queued")),
                Err(error) => world.wrong(format_args!("a mail was not queued: {error}")),
            }
        });
    }
}
