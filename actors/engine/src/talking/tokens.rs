//! The number of tokens that each business has used in its local day. The number in memory counts the tokens of all
//! requests. The number in the store counts only the tokens of committed turns and summaries. After a start of the
//! service, counting continues from the stored numbers.

use chrono::NaiveDate;
use domain::BusinessId;
use lru::LruCache;
use parking_lot::Mutex;

/// The maximum number of businesses whose tokens are in memory. A further business replaces the business that
/// has used no tokens for the longest time.
const BUSINESSES_MAX: usize = 65_536;
const CHAT_TOKENS_MAX: u64 = 20_000;

pub(super) struct Tokens(Mutex<LruCache<BusinessId, Day>>);

#[derive(Clone, Copy)]
struct Day {
    date: NaiveDate,
    used: UsedTokens,
}

/// The tokens that a business has used in a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsedTokens {
    pub(crate) all: u64,
    pub(crate) of_website: u64,
}

/// A conversation whose tokens are counted.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) business: BusinessId,
    /// The current local date of the business.
    pub(super) date: NaiveDate,
    pub(super) is_website: bool,
    pub(super) tokens_per_day: u64,
}

impl Default for Tokens {
    fn default() -> Self {
        Self(Mutex::new(LruCache::unbounded()))
    }
}

impl Tokens {
    /// Whether a request to the model may be sent now. `of_chat` is the number of tokens that the conversation has
    /// used.
    pub(super) fn allow(&self, it: &Counted, of_chat: u64) -> bool {
        let day = self.0.lock().peek(&it.business).copied().filter(|day| day.date == it.date);
        let UsedTokens { all, of_website } = day.map(|day| day.used).unwrap_or_default();
        let is_website_free = of_website < it.tokens_per_day / 2 && of_chat < CHAT_TOKENS_MAX;
        all < it.tokens_per_day && (!it.is_website || is_website_free)
    }

    pub(super) fn add(&self, it: &Counted, tokens: u64) {
        let of_website = if it.is_website { tokens } else { 0 };
        self.change(it, |used| UsedTokens {
            all: used.all.saturating_add(tokens),
            of_website: used.of_website.saturating_add(of_website),
        });
    }

    /// Corrects the count after a request to the model. The estimate was added before the request. It is
    /// subtracted, and the number of used tokens is added.
    pub(super) fn correct(&self, it: &Counted, estimate: u64, tokens: u64) {
        let corrected = |used: u64| used.saturating_sub(estimate).saturating_add(tokens);
        self.change(it, |used| UsedTokens {
            all: corrected(used.all),
            of_website: if it.is_website { corrected(used.of_website) } else { used.of_website },
        });
    }

    /// Raises the token counts of the business in memory to the stored counts. The counts in memory are smaller after a
    /// restart of the service, and after they were removed from memory to make room for another business.
    pub(super) fn add_stored(&self, it: &Counted, stored: UsedTokens) {
        self.change(it, |used| UsedTokens {
            all: used.all.max(stored.all),
            of_website: used.of_website.max(stored.of_website),
        });
    }

    fn change(&self, it: &Counted, after: impl Fn(UsedTokens) -> UsedTokens) {
        let mut counted = self.0.lock();
        if counted.len() >= BUSINESSES_MAX && !counted.contains(&it.business) {
            counted.pop_lru();
        }
        let none = Day { date: it.date, used: UsedTokens::default() };
        let day = counted.get_or_insert_mut(it.business, || none);
        if day.date != it.date {
            *day = none;
        }
        day.used = after(day.used);
    }
}

#[cfg(test)]
mod tests {
    use chrono::Days;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn websites_have_half_of_a_day_and_a_bound_for_each_chat() {
        let tokens = Tokens::default();
        let date = NaiveDate::from_ymd_opt(2026, 3, 2).unwrap();
        let call =
            Counted { business: Uuid::from_u128(1).into(), date, is_website: false, tokens_per_day: 100_000 };
        let chat = Counted { is_website: true, ..call };
        assert!(tokens.allow(&chat, CHAT_TOKENS_MAX - 1) && !tokens.allow(&chat, CHAT_TOKENS_MAX));
        tokens.add(&chat, 49_999);
        assert!(tokens.allow(&chat, 0));
        tokens.add(&chat, 1);
        assert!(!tokens.allow(&chat, 0) && tokens.allow(&call, CHAT_TOKENS_MAX));
        tokens.add(&call, 50_000);
        assert!(!tokens.allow(&call, 0));
        let tomorrow = Counted { date: date.checked_add_days(Days::new(1)).unwrap(), ..chat };
        assert!(tokens.allow(&tomorrow, 0));
        let other = Counted { business: Uuid::from_u128(2).into(), ..chat };
        assert!(tokens.allow(&other, 0));
        assert!(!tokens.allow(&Counted { tokens_per_day: 0, ..other }, 0));
    }
}
