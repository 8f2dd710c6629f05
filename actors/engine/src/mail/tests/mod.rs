//! Tests of the outbox with paused time. The relay, the recipients and the composer are simulated.

mod gathered;
mod kept;
mod relay;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{
    About, Actor, AlertKind, BookingMode, BusinessId, Locale, Mail, MailError, MailKind, MailStatus,
    MessageDetails, PersonId, ResourceId, Text, Timestamp, WeeklyHours,
};
use net::Ports;
use parking_lot::Mutex;
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use store::{MemoryBackend, Store};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::letter::{Composer, Letter, Recipient, Recipients};
use super::{MailPorts, NewMail};
use crate::business::Request;
use crate::business::commands::messages::TakeMessage;
use crate::testing::{Counting, WallClock};
use crate::{BusinessHandle, Engine, NewBusiness};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Takes,
    IsDown,
    RefusesForNow,
    RefusesForGood,
    Hangs,
}

struct Relay {
    does: Mutex<Does>,
    began: Instant,
    /// The received mails, each with the seconds since the start.
    asked: Mutex<Vec<(u64, MadeMail)>>,
    at_once: Mutex<(usize, usize)>,
}

impl Mailer for Relay {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            self.asked.lock().push((self.began.elapsed().as_secs(), mail.clone()));
            {
                let mut at_once = self.at_once.lock();
                at_once.0 += 1;
                at_once.1 = at_once.1.max(at_once.0);
            }
            let does = *self.does.lock();
            sleep(Duration::from_millis(20)).await;
            self.at_once.lock().0 -= 1;
            match does {
                Does::Takes => Ok("250 ok".into()),
                Does::IsDown => Err(MailFailure::Relay(MailError::Quoted("connection refused".into()))),
                Does::RefusesForNow => Err(MailFailure::Refused(MailError::Quoted("451 later".into()))),
                Does::RefusesForGood => Err(MailFailure::RefusedForGood(MailError::Quoted("550 no".into()))),
                Does::Hangs => std::future::pending().await,
            }
        })
    }
}

/// Composes a readable description of the letter.
struct Shown;

impl Composer for Shown {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        Ok(format!("{}\n{:?}\n{:?}", letter.message_id, letter.to.name, letter.content).into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

/// Every person has an address, except those in `gone`.
#[derive(Default)]
struct People {
    gone: Mutex<Vec<PersonId>>,
    renamed: Mutex<HashMap<PersonId, String>>,
}

impl Recipients for People {
    fn recipient<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>> {
        Box::pin(async move {
            if self.gone.lock().contains(&mail.person_id) {
                return Ok(None);
            }
            let name = self.renamed.lock().get(&mail.person_id).cloned().unwrap_or_else(|| "Ada".into());
            let address = format!("{}@example.com", mail.person_id);
            let expires_at = mail.created_at;
            let link =
                mail.kind.has_link().then(|| super::letter::Link { url: "https://x/".into(), expires_at });
            Ok(Some(Recipient { address, name, locale: Locale::En, role: None, link }))
        })
    }
}

struct World {
    disk: MemoryBackend,
    clock: Arc<WallClock>,
    ports: Ports,
    mail: MailPorts,
    relay: Arc<Relay>,
    people: Arc<People>,
    engine: Engine,
    business: BusinessHandle,
}

impl World {
    async fn new() -> Self {
        let clock = Arc::new(WallClock::new());
        let ports = Ports::with_clock_and_random(clock.clone(), Arc::new(Counting::default()));
        let relay = Arc::new(Relay {
            does: Mutex::new(Does::Takes),
            began: Instant::now(),
            asked: Mutex::default(),
            at_once: Mutex::default(),
        });
        let people = Arc::new(People::default());
        let mail = MailPorts { mailer: relay.clone(), composer: Arc::new(Shown), recipients: people.clone() };
        let disk = MemoryBackend::new();
        let engine = open(&disk, &ports).await;
        engine.begin_mail(mail.clone());
        let business = new_business(&engine).await;
        Self { disk, clock, ports, mail, relay, people, engine, business }
    }

    /// Closes the engine, waits for `seconds`, and opens the engine again.
    async fn stand_still(&mut self, seconds: u64) {
        self.engine.clone().close().await.unwrap();
        sleep(Duration::from_secs(seconds)).await;
        self.engine = open(&self.disk, &self.ports).await;
        self.engine.begin_mail(self.mail.clone());
        self.business = self.engine.business(self.business.id());
    }

    fn does(&self, does: Does) {
        *self.relay.does.lock() = does;
    }

    /// Records a message, and queues an alert mail about it to a person.
    async fn alert(&self, person: u8) -> Mail {
        self.alert_in(&self.business, person, MailKind::Alert, None).await
    }

    async fn alert_in(
        &self,
        business: &BusinessHandle,
        person: u8,
        kind: MailKind,
        due: Option<Timestamp>,
    ) -> Mail {
        let details = MessageDetails::of(Text::new(format!("For {person}")).unwrap());
        let taken = business.change(Request::by(Actor::Operator), TakeMessage { details }).await.unwrap();
        let id = taken.value.message.id.uuid();
        let about = About { kind: AlertKind::MessageTaken, id, at: self.engine.now() };
        let new = NewMail {
            business_id: Some(business.id()),
            person_id: person_id(person),
            kind,
            about: vec![about],
            more: 0,
            to: None,
            due,
        };
        let id = self.engine.queue_mail(new).await.unwrap().unwrap();
        self.log(business.id()).await.into_iter().find(|mail| mail.id == id).unwrap()
    }

    async fn log(&self, of: BusinessId) -> Vec<Mail> {
        self.engine.mail_log(of, None, usize::MAX).await.unwrap()
    }

    async fn statuses(&self) -> Vec<MailStatus> {
        self.log(self.business.id()).await.into_iter().map(|mail| mail.status).collect()
    }

    /// The times at which the relay received mails, in seconds.
    fn times(&self) -> Vec<u64> {
        self.relay.asked.lock().iter().map(|(at, _)| *at).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.relay
            .asked
            .lock()
            .iter()
            .map(|(_, mail)| String::from_utf8(mail.bytes.clone()).unwrap())
            .collect()
    }

    fn addresses(&self) -> Vec<String> {
        self.relay.asked.lock().iter().map(|(_, mail)| mail.to.clone()).collect()
    }
}

fn person_id(number: u8) -> PersonId {
    Uuid::from_bytes([number; 16]).into()
}

async fn new_business(engine: &Engine) -> BusinessHandle {
    let new = NewBusiness {
        name: Text::new("House".into()).unwrap(),
        zone: chrono_tz::Europe::Paris,
        locale: Locale::En,
        website_url: None,
        booking_mode: BookingMode::Instant,
        hours: WeeklyHours::default(),
        breaks: domain::WeeklyBreaks::default(),
        phone_region: "US".into(),
    };
    engine.business(engine.create_business(new, Actor::Operator).await.unwrap().id)
}

async fn open(disk: &MemoryBackend, ports: &Ports) -> Engine {
    let store = Store::in_memory(disk, Box::new(|_| ())).unwrap();
    Engine::start(store, ports.clone()).await.unwrap()
}

/// Waits until no task has due work. The wait is much shorter than any delay before a retry.
async fn settle() {
    sleep(Duration::from_millis(500)).await;
}
