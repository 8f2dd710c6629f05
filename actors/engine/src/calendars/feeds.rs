//! Feeds: the tokens in their addresses, and the requests of calendar services.
//!
//! Invariants:
//! - Only the response to the creation of a feed contains its token. The store has only the token's SHA-256.
//! - A request sees every change that was acknowledged before it, for example the revocation of the feed.

use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::{AppointmentStatus, Business, FEED_APPOINTMENTS_MAX, Feed, StaffMember, Timestamp};
use sha2::{Digest, Sha256};
use store::keys;
use view::AppointmentView;

use crate::Engine;
use crate::business::{AppointmentFilter, BusinessHandle, PageRequest};
use crate::error::Result;

/// The maximum number of appointments per page. The appointments of a feed are read page by page.
const APPOINTMENTS_PER_PAGE: usize = 500;

/// 128 random bits, as 22 characters in base64url.
#[derive(Clone)]
pub struct FeedToken([u8; 16]);

impl FeedToken {
    pub(crate) fn new(random: [u8; 16]) -> Self {
        Self(random)
    }

    /// Parses the token in a request. Returns `None` if the text is not 16 bytes in base64url.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self(BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?))
    }

    /// The hash of the token. Only the hash is stored, so a lookup needs no constant-time comparison.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    pub(crate) fn text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }
}

impl std::fmt::Debug for FeedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FeedToken(…)")
    }
}

/// A feed that is not revoked, with its business.
#[derive(Clone, Debug)]
pub struct LiveFeed {
    pub feed: Feed,
    pub business: Business,
}

impl Engine {
    /// Returns the feed of a token, or `None` if the token is unknown or the feed is revoked.
    pub async fn live_feed(&self, token: &FeedToken) -> Result<Option<LiveFeed>> {
        let store = &self.shared().store;
        store.check()?;
        let Some(value) = store.get_raw(&keys::feed_by_token(&token.hash()))? else { return Ok(None) };
        let (of, id) = keys::business_and_feed(&value)?;
        self.shared().check_business(of)?;
        // While a business is being deleted, the rows of its feeds may still exist. These feeds are not served, because
        // the business has no profile any more.
        let Some(business) = store.get::<Business>(&keys::profile(of))? else { return Ok(None) };
        let feed = store.get::<Feed>(&keys::feed(of, id))?.filter(|feed| feed.revoked_at.is_none());
        Ok(feed.map(|feed| LiveFeed { feed, business }))
    }

    /// Returns the name of the feed's staff member, and the appointments of the feed in the order of their starts.
    /// Records the time of this request as the feed's last request.
    pub async fn fetch_feed(&self, of: &LiveFeed) -> Result<(Option<String>, Vec<AppointmentView>)> {
        let (feed, business, now) = (&of.feed, self.business_for_visitor(of.business.id), self.now());
        let staff = match feed.staff_id {
            Some(id) => business.staff_member(id).await?,
            None => None,
        };
        let appointments = business.appointments_in(feed, now).await?;
        business.note_fetched(feed.id, now);
        Ok((staff.map(|member: StaffMember| member.name), appointments))
    }
}

impl BusinessHandle {
    async fn appointments_in(&self, feed: &Feed, now: Timestamp) -> Result<Vec<AppointmentView>> {
        let (from, to) = Feed::starts(now);
        let filter = AppointmentFilter {
            status: vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed],
            from: Some(from),
            to: Some(to),
            staff_id: feed.staff_id,
            ..AppointmentFilter::default()
        };
        let (mut found, mut after) = (Vec::<AppointmentView>::new(), None);
        loop {
            let page = PageRequest { limit: APPOINTMENTS_PER_PAGE, after };
            let page = self.appointments(&filter, &page).await?;
            found.extend(page.items.into_iter().filter(|it| Feed::is_recent(it.ends_at, now)));
            after = page.next;
            if after.is_none() || found.len() >= FEED_APPOINTMENTS_MAX {
                break;
            }
        }
        found.truncate(FEED_APPOINTMENTS_MAX);
        // An appointment that was moved between the reads of two pages may be on both. The item of the later
        // page is kept, because it has the new time.
        let mut seen = HashSet::new();
        let is_newest: Vec<bool> = found.iter().rev().map(|it| seen.insert(it.id)).collect();
        let mut is_newest = is_newest.into_iter().rev();
        found.retain(|_| is_newest.next().unwrap_or_default());
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_22_characters_and_one_form() {
        let token = FeedToken::new([0xff; 16]);
        let text = token.text();
        assert_eq!(text, "_____________________w");
        assert_eq!(FeedToken::parse(&text).unwrap().hash(), token.hash());
        assert!(!format!("{token:?}").contains(&text[1..]));
        for other in ["", "_____________________x", &text[1..], &format!("{text}="), "____________________+w"]
        {
            assert!(FeedToken::parse(other).is_none(), "{other}");
        }
    }
}
