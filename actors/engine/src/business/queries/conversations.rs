//! Reads conversations, the receptionist's settings and unanswered questions.

use std::collections::HashMap;

use domain::{
    BusinessId, CHAT_SHOWN, CallOutcome, Channel, ContactId, Conversation, ConversationId,
    ConversationStatus, GAP_KEPT, GAPS_MAX, Gap, Receptionist, Timestamp,
};
use store::keys::kind;
use store::{Order, Record, StoreError, keys};
use view::{ConversationTurnsView, ConversationView, GapView, TurnsTakenView};

use super::{End, Page, PageRequest, collect, of_contact, once, walk, walk_theirs};
use crate::business::turn_context::Session;
use crate::business::{Answer, BusinessHandle, Whose, contact};
use crate::error::Result;
use crate::scans::Reader;

#[derive(Clone, Debug, Default)]
pub struct ConversationFilter {
    pub channel: Option<Channel>,
    pub status: Option<ConversationStatus>,
    pub outcome: Option<CallOutcome>,
    pub contact_id: Option<ContactId>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Lists only the conversations that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl ConversationFilter {
    fn admits(&self, it: &Conversation, whose: Option<Whose>) -> bool {
        self.channel.is_none_or(|channel| it.channel == channel)
            && self.status.is_none_or(|status| it.status == status)
            && self.outcome.is_none_or(|outcome| it.outcome == Some(outcome))
            && self.from.is_none_or(|from| it.started_at >= from)
            && self.to.is_none_or(|to| it.started_at < to)
            && whose.is_none_or(|whose| whose.has(it.contact_id))
    }
}

impl BusinessHandle {
    pub async fn receptionist(&self) -> Result<Receptionist> {
        let settings = self.read(|store| store.get::<Receptionist>(&keys::receptionist(self.id))).await?;
        Ok(settings.unwrap_or_default())
    }

    pub async fn conversation(&self, id: ConversationId) -> Result<Option<ConversationTurnsView>> {
        self.read(|store| {
            let found = store.get::<Conversation>(&keys::conversation(self.id, id))?;
            let reader = Reader::unbounded(store);
            let known = found.map(|it| Callers::of(self.id).known(&reader, &it)).transpose()?;
            Ok(known.map(|it| ConversationTurnsView::from(&it)))
        })
        .await
    }

    /// Returns the matching conversations, newest first, or ordered by `updated_at` if `updated_since` is set.
    pub async fn conversations(
        &self,
        filter: &ConversationFilter,
        page: &PageRequest,
    ) -> Result<Page<ConversationView>> {
        let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
        let (of, filter) = (self.id, filter.clone());
        let record = move |id: ConversationId| keys::conversation(of, id);
        let mut callers = Callers::of(of);
        if let Some(since) = filter.updated_since {
            let changed = keys::changed(of, kind::CONVERSATION_BY_UPDATE, since, self.fence().await?);
            let index = (changed, Order::Ascending);
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                of_contact(reader, (of, filter.contact_id), (page, Order::Ascending), |whose| {
                    let admits = |at, it: &Conversation| it.updated_at == at && filter.admits(it, whose);
                    walk(reader, index, page, |_, id| record(id), admits, |it| callers.show(reader, it))
                })
            };
            return self.list(page, part).await;
        }
        if filter.contact_id.is_some() {
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                of_contact(reader, (of, filter.contact_id), (page, Order::Descending), |whose| {
                    let Some(whose) = whose else { return Ok((Vec::new(), End::OfList)) };
                    walk_theirs(
                        reader,
                        (whose, Order::Descending),
                        |contact| keys::conversations_of_contact(of, contact, from, to),
                        page,
                        |_, id| record(id),
                        |_, it: &Conversation| filter.admits(it, Some(whose)),
                        |it| callers.show(reader, it),
                    )
                })
            };
            return self.list(page, part).await;
        }
        let range = keys::of_kind(of, kind::CONVERSATION);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let it = Conversation::decode(value)?;
                filter.admits(&it, None).then(|| callers.show(reader, &it)).transpose()
            })
        })
        .await
    }

    /// Adds the texts of the turns to the answer to a repeated request, because the stored answer has no texts.
    pub async fn with_words(&self, mut answer: Answer<TurnsTakenView>) -> Result<Answer<TurnsTakenView>> {
        if let Some(found) = self.conversation(answer.value.id).await? {
            for turn in &mut answer.value.turns {
                if let Some(found) = found.turns.iter().find(|found| found.seq == turn.seq) {
                    *turn = found.clone();
                }
            }
        }
        Ok(answer)
    }

    /// Reads the conversation again for a repeated request, because the stored answer has no texts.
    pub async fn with_texts(
        &self,
        mut answer: Answer<ConversationTurnsView>,
    ) -> Result<Answer<ConversationTurnsView>> {
        let id = answer.value.conversation.id;
        if answer.replayed
            && let Some(found) = self.conversation(id).await?
        {
            answer.value = found;
        }
        Ok(answer)
    }

    /// Returns the newest open conversations, at most `max`. Omits a chat of the website until its caller has said
    /// something.
    pub async fn open_conversations(&self, max: usize) -> Result<Vec<ConversationView>> {
        self.read(|store| {
            let (reader, mut callers) = (Reader::unbounded(store), Callers::of(self.id));
            let mut open = Vec::new();
            for row in store.scan(&keys::of_kind(self.id, kind::CONVERSATION_OPEN), Order::Descending) {
                let id = keys::id_at_end::<ConversationId>(&row?.0)?;
                let found = store.get::<Conversation>(&keys::conversation(self.id, id))?;
                let is_shown = |it: &Conversation| {
                    it.is_open() && (it.channel != Channel::Website || it.caller_turns() > 0)
                };
                if let Some(it) = found.filter(is_shown) {
                    open.push(callers.show(&reader, &it)?);
                }
                if open.len() == max {
                    break;
                }
            }
            Ok(open)
        })
        .await
    }

    /// Searches the knowledge entries for passages that answer a question. Returns nothing if `knowledge_public` is
    /// false.
    pub async fn search_knowledge(&self, query: String) -> Result<Vec<talk::Passage>> {
        let search = || {
            let query = query.clone();
            self.ask(move |state, _| match state.receptionist.knowledge_public {
                true => Ok(state.knowledge_index()?.search(&query)),
                false => Ok(Vec::new()),
            })
        };
        self.with_index(search).await
    }

    /// Returns the turns and the choices of a chat of the website, or `None` if the token is wrong or the last turn is
    /// too old.
    pub async fn chat(
        &self,
        id: ConversationId,
        token: [u8; 32],
        now: Timestamp,
    ) -> Result<Option<TurnsTakenView>> {
        let found = self.read(|store| store.get::<Conversation>(&keys::conversation(self.id, id))).await?;
        let found = found.filter(|it| it.token == Some(token) && it.last_turn_at() + CHAT_SHOWN > now);
        Ok(found.map(|it| TurnsTakenView {
            id,
            choices: Session::of(&it).filter(|_| it.is_open()).map(|it| it.choices).unwrap_or_default(),
            ended: !it.is_open(),
            turns: ConversationTurnsView::from(&it).turns,
        }))
    }

    /// Returns the unanswered questions of the last 90 days, newest first, at most [`GAPS_MAX`].
    pub async fn gaps(&self, now: Timestamp) -> Result<Vec<GapView>> {
        let mut gaps = self
            .read(|store| {
                let rows = store.records::<Gap>(&keys::of_kind(self.id, kind::GAP), Order::Ascending);
                rows.map(|row| row.map(|(_, gap)| gap)).collect::<Result<Vec<_>, _>>()
            })
            .await?;
        gaps.retain(|gap| gap.asked_at + GAP_KEPT > now);
        gaps.sort_by_key(|gap| std::cmp::Reverse((gap.asked_at, gap.id)));
        gaps.truncate(GAPS_MAX);
        Ok(gaps.iter().map(GapView::from).collect())
    }
}

/// The current contacts of conversations; see [`super::calls::Callers`].
struct Callers {
    business: BusinessId,
    ids: HashMap<ContactId, Option<ContactId>>,
}

impl Callers {
    fn of(business: BusinessId) -> Self {
        Self { business, ids: HashMap::new() }
    }

    fn known(&mut self, reader: &Reader<'_>, it: &Conversation) -> Result<Conversation, StoreError> {
        let Some(id) = it.contact_id else { return Ok(it.clone()) };
        let of = self.business;
        let read = |id| Ok(Some(contact(reader, of, id)?.map(|contact| contact.id)));
        Ok(match once(&mut self.ids, id, || Some(id), read)? {
            Some(id) => it.of_contact(*id),
            None => it.erased(),
        })
    }

    fn show(&mut self, reader: &Reader<'_>, it: &Conversation) -> Result<ConversationView, StoreError> {
        Ok(ConversationView::from(&self.known(reader, it)?))
    }
}
