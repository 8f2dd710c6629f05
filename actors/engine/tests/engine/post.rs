//! A simulated mail relay, which keeps the content of each mail as a *letter*. The look-up of recipients is not
//! simulated: it is that of the engine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::MailError;
use engine::Engine;
use engine::mail::MailPorts;
use engine::mail::letter::{Composer, Letter};
use parking_lot::Mutex;
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};

/// The behaviour of the relay.
#[derive(Clone, Copy, Default)]
pub(crate) enum Mood {
    #[default]
    Well,
    Dead,
    /// The relay accepts a mail after this time.
    Slow(Duration),
    /// The relay accepts a mail, but sends no response.
    Silent,
}

/// The state of the relay, and the content of every accepted mail, in order.
#[derive(Default)]
pub(crate) struct Post {
    made: Mutex<BTreeMap<String, Letter>>,
    taken: Mutex<Vec<Letter>>,
    mood: Mutex<Mood>,
}

impl Post {
    /// Makes an engine send its mails to a new relay.
    pub(crate) fn of(engine: &Engine) -> Arc<Self> {
        let post = Arc::new(Self::default());
        post.begin(engine);
        post
    }

    /// Makes another engine send its mails to this relay.
    pub(crate) fn begin(self: &Arc<Self>, engine: &Engine) {
        engine.people().set_public_url(Some("https://desk.example.com"));
        engine.people().set_sends_mail(true);
        engine.begin_mail(MailPorts {
            mailer: Arc::clone(self) as _,
            composer: Arc::clone(self) as _,
            recipients: engine.recipients(),
        });
    }

    /// Makes the relay fail, or work again.
    pub(crate) fn dies(&self, dies: bool) {
        self.becomes(if dies { Mood::Dead } else { Mood::Well });
    }

    pub(crate) fn becomes(&self, mood: Mood) {
        *self.mood.lock() = mood;
    }

    /// The content of the mails that were accepted since this function was last called.
    pub(crate) fn take(&self) -> Vec<Letter> {
        std::mem::take(&mut *self.taken.lock())
    }
}

impl Post {
    /// The content of every mail as the newest attempt composed it, including mails that the relay did not accept.
    pub(crate) fn made(&self) -> Vec<Letter> {
        self.made.lock().values().cloned().collect()
    }
}

impl Mailer for Post {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            let mood = *self.mood.lock();
            match mood {
                Mood::Dead => return Err(MailFailure::Relay(MailError::Quoted("no response".into()))),
                Mood::Slow(time) => tokio::time::sleep(time).await,
                Mood::Well | Mood::Silent => {}
            }
            let letter = self.made.lock()[std::str::from_utf8(&mail.bytes).unwrap()].clone();
            assert_eq!(mail.to, letter.to.address);
            self.taken.lock().push(letter);
            if matches!(mood, Mood::Silent) {
                std::future::pending::<()>().await;
            }
            Ok("250 ok".into())
        })
    }
}

impl Composer for Post {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        self.made.lock().insert(letter.message_id.clone(), letter.clone());
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}
