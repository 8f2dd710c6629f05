//! A draft is a submitted form that the service did not accept but stores for a short time. A form becomes a draft if
//! the session had ended, the form was too old, the business was suspended, or the person had submitted another form
//! of the same page. The page of the form shows the draft, and the person can submit it again.
//!
//! Invariants:
//! - A draft contains no password.
//! - A draft is returned once, and only to the browser that submitted the form.
//! - The number of drafts is bounded, in total and per network.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use engine::people::Token;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::form::Form;

const KEPT: Duration = Duration::from_secs(30 * 60);
/// The maximum number of drafts. A further draft removes the oldest one.
const DRAFTS_MAX: usize = 1_024;
/// The maximum number of drafts per network (an IPv4 address or an IPv6 /64).
const OF_AN_ADDRESS_MAX: usize = 16;
/// The maximum size of a draft, in bytes. A longer form does not become a draft.
const BYTES_MAX: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DraftReason {
    SignedOut,
    /// The form was so old that the service cannot know whether it was applied.
    Stale,
    Suspended,
    /// The person submitted another form of the same page, and the other form was accepted.
    Beside,
}

impl DraftReason {
    /// The id of the message above the form that contains the draft.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::SignedOut => "kept-signed-out",
            Self::Stale => "kept-stale",
            Self::Suspended => "kept-suspended",
            Self::Beside => "kept-beside",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) page: String,
    pub(super) action: String,
    pub(super) form: Form,
    pub(super) why: DraftReason,
}

struct StoredDraft {
    token: Token,
    network: IpAddr,
    at: Instant,
    draft: Draft,
}

#[derive(Default)]
pub(super) struct Drafts {
    kept: Mutex<VecDeque<StoredDraft>>,
}

impl Drafts {
    /// Stores a draft under this token. Returns false if its form is too long.
    pub(super) fn keep(&self, token: Token, network: IpAddr, draft: Draft) -> bool {
        if draft.form.bytes() > BYTES_MAX {
            return false;
        }
        let mut kept = self.kept.lock();
        forget(&mut kept);
        if kept.iter().filter(|one| one.network == network).count() >= OF_AN_ADDRESS_MAX
            && let Some(oldest) = kept.iter().position(|one| one.network == network)
        {
            kept.remove(oldest);
        }
        if kept.len() >= DRAFTS_MAX {
            kept.pop_front();
        }
        kept.push_back(StoredDraft { token, network, at: Instant::now(), draft });
        true
    }

    pub(super) fn holds(&self, token: &Token, page: &str) -> bool {
        let mut kept = self.kept.lock();
        forget(&mut kept);
        kept.iter().any(|one| one.token == *token && one.draft.page == page)
    }

    /// Removes and returns the draft with this token, if it belongs to this page.
    pub(super) fn take(&self, token: &Token, page: &str) -> Option<Draft> {
        let mut kept = self.kept.lock();
        forget(&mut kept);
        let at = kept.iter().position(|one| one.token == *token && one.draft.page == page)?;
        kept.remove(at).map(|one| one.draft)
    }
}

fn forget(kept: &mut VecDeque<StoredDraft>) {
    while kept.front().is_some_and(|one| one.at.elapsed() >= KEPT) {
        kept.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(number: u8) -> Token {
        let text = format!("{}A", (b'A' + number) as char).repeat(21);
        Token::parse(&format!("{text}A")).unwrap()
    }

    fn draft(text: &str) -> Draft {
        let form = Form::parse(format!("name={text}").as_bytes());
        Draft { page: "/p".into(), action: "/p/q".into(), form, why: DraftReason::SignedOut }
    }

    #[tokio::test(start_paused = true)]
    async fn a_draft_is_returned_once_to_its_page_within_half_an_hour() {
        let (drafts, network) = (Drafts::default(), IpAddr::from([192, 0, 2, 1]));
        assert!(drafts.keep(token(1), network, draft("Ada")));
        assert!(drafts.holds(&token(1), "/p") && !drafts.holds(&token(2), "/p"));
        assert!(drafts.take(&token(2), "/p").is_none(), "another's");
        assert!(drafts.take(&token(1), "/other").is_none(), "the draft belongs to another page");
        assert_eq!(drafts.take(&token(1), "/p").unwrap().form.get("name"), "Ada");
        assert!(!drafts.holds(&token(1), "/p") && drafts.take(&token(1), "/p").is_none(), "once");
        assert!(drafts.keep(token(1), network, draft("Ada")));
        tokio::time::advance(KEPT).await;
        assert!(drafts.take(&token(1), "/p").is_none(), "too late");
        assert!(!drafts.keep(token(1), network, draft(&"x".repeat(BYTES_MAX))), "too long");
    }

    #[tokio::test(start_paused = true)]
    async fn drafts_are_bounded_per_address_and_in_total() {
        let drafts = Drafts::default();
        let network = |number: usize| IpAddr::from(u32::try_from(number).unwrap().to_be_bytes());
        assert!(drafts.keep(token(1), network(0), draft("mine")));
        for number in 0..2 * DRAFTS_MAX {
            drafts.keep(token(2), network(1 + number % 4), draft("theirs"));
        }
        assert_eq!(drafts.kept.lock().len(), 1 + 4 * OF_AN_ADDRESS_MAX);
        assert!(drafts.take(&token(1), "/p").is_some(), "a network with many drafts must lose only its own");
        for number in 0..2 * DRAFTS_MAX {
            drafts.keep(token(2), network(number), draft("theirs"));
        }
        assert_eq!(drafts.kept.lock().len(), DRAFTS_MAX);
    }
}
