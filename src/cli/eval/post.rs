//! The mail ports of a run. They collect the codes from the mails and send nothing.

use std::sync::Arc;
use std::time::Duration;

use domain::{EffectKind, Mail, MailError};
use engine::mail::MailPorts;
use engine::mail::letter::{Composer, Content, Letter, Recipient, Recipients};
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use view::TurnsTakenView;

/// The maximum time to wait for a code. The service writes the mail with the code in the background. If no mail arrives
/// within this time, the newest code of the run stays the same.
const CODE_TIME_MAX: Duration = Duration::from_millis(200);

/// The codes that a run has mailed.
pub(super) struct Codes {
    made: UnboundedReceiver<String>,
    newest: Option<String>,
}

impl Codes {
    /// Creates mail ports that send nothing, and the [`Codes`] that receive the code of each composed mail.
    pub(super) fn collected() -> (Self, MailPorts) {
        let (sender, made) = unbounded_channel();
        let post = Arc::new(Post(sender));
        let ports =
            MailPorts { mailer: Arc::clone(&post) as _, composer: Arc::clone(&post) as _, recipients: post };
        (Self { made, newest: None }, ports)
    }

    /// Waits for the code of a turn, if the turn has sent one.
    pub(super) async fn receive(&mut self, taken: &TurnsTakenView) {
        let effects = taken.turns.iter().flat_map(|turn| &turn.effects);
        for _ in effects.filter(|effect| effect.kind == EffectKind::CodeSent) {
            if let Ok(Some(code)) = timeout(CODE_TIME_MAX, self.made.recv()).await {
                self.newest = Some(code);
            }
        }
    }

    pub(super) fn newest(&self) -> Option<String> {
        self.newest.clone()
    }
}

struct Post(UnboundedSender<String>);

impl Composer for Post {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        if let Content::Code(code) = &letter.content {
            let _ = self.0.send(code.clone());
        }
        Ok(Vec::new())
    }

    fn domain(&self) -> &str {
        "localhost"
    }
}

impl Mailer for Post {
    fn send<'a>(&'a self, _: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async { Ok(String::new()) })
    }
}

impl Recipients for Post {
    /// The mails of the outbox have no recipient, so the service drops them.
    fn recipient<'a>(&'a self, _: &'a Mail) -> BoxFuture<'a, Result<Option<Recipient>, MailError>> {
        Box::pin(async { Ok(None) })
    }
}
