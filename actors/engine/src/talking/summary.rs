//! The summary of an ended conversation, which the model writes.
//!
//! Invariants:
//! - The model has 10 seconds to write the summary ([`SUMMARY_TIME_MAX`]). If it has not written a summary by then, the
//!   summary is made from the effects of the turns. In both cases, the conversation is then completed.
//! - A summary is stored only if each of its sentences passes the checks of [`talk::gate`].

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{Actor, BusinessId, ConversationId};
use tokio::time::{Instant, timeout_at};

use super::tokens::Counted;
use super::{Model, Received};
use crate::business::commands::endings::{CompleteConversation, Ended, ended};
use crate::business::{BusinessHandle, Businesses, Request};
use crate::error::EngineError;

const SUMMARY_TIME_MAX: Duration = Duration::from_secs(10);

/// Starts a separate task that asks the model for the summary and completes the conversation.
pub(crate) fn begin(businesses: &Arc<Businesses>, of: BusinessId, id: ConversationId) {
    tokio::spawn(complete(Arc::downgrade(businesses), of, id));
}

async fn complete(businesses: Weak<Businesses>, of: BusinessId, id: ConversationId) {
    let deadline = Instant::now() + SUMMARY_TIME_MAX;
    let written = timeout_at(deadline, written(&businesses, (of, id), deadline)).await;
    let (summary, tokens) = written.ok().flatten().unwrap_or_default();
    let Some(businesses) = businesses.upgrade() else { return };
    let handle = BusinessHandle::new(&businesses, of);
    let completed = CompleteConversation { id, summary, tokens };
    match handle.change(Request::by(Actor::System), completed).await {
        // An error of these kinds needs no log line. Either the conversation or its business was deleted, or the
        // service stops. In the latter case, the service completes the conversation after its next start.
        Ok(_) | Err(EngineError::Refused(_) | EngineError::NotFound | EngineError::Stopping) => {}
        Err(error) => {
            tracing::warn!(business.id = %of, %error, "the summary of a conversation could not be written");
        }
    }
}

/// Asks the model for the summary. Returns the summary, if it passes the checks of [`talk::gate`], and the number of
/// used tokens. Returns `None` if the model was not asked.
async fn written(
    businesses: &Weak<Businesses>,
    (of, id): (BusinessId, ConversationId),
    deadline: Instant,
) -> Option<(Option<String>, u64)> {
    let (model, it) = asked(businesses, of, id).await?;
    let Ended { talk, facts, tokens, tokens_per_day, used_today, date, at } = it;
    let is_website = talk.channel == talk::Channel::Website;
    let counted = Counted { business: of, date, is_website, tokens_per_day };
    model.tokens.add_stored(&counted, used_today);
    if !model.tokens.allow(&counted, tokens) {
        return None;
    }
    let body = |settings: &_| talk::model::summary_body(&talk, settings);
    let (received, tokens) = model.round(&counted, body, (SUMMARY_TIME_MAX, deadline)).await;
    let summary = received.filter(|received| !received.has_failed).and_then(|Received { round, .. }| {
        talk::gate::summary(&talk, &facts, at, &round.sentences.join(" "))
    });
    Some((summary, tokens))
}

/// Returns the model and the ended conversation.
async fn asked(
    businesses: &Weak<Businesses>,
    of: BusinessId,
    id: ConversationId,
) -> Option<(Arc<Model>, Ended)> {
    let businesses = businesses.upgrade()?;
    let model = businesses.talking.model()?;
    let handle = BusinessHandle::new(&businesses, of);
    let ended = handle.ask(move |state, now| ended(state, id, now)).await.ok().flatten()?;
    Some((model, ended))
}
