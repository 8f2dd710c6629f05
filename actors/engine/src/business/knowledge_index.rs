//! The search index of the knowledge entries of a business, from which the receptionist answers questions.
//!
//! Invariants:
//! - The index is built outside the actor, because the build would delay the actor's other messages. If an actor
//!   without an index gets a request that needs the index, it refuses the request with [`EngineError::NotIndexed`]. The
//!   handle then builds the index and repeats the request.
//! - The actor keeps an index only if no entry has changed since the build began.
//! - The index contains the oldest entries, up to [`KNOWLEDGE_BYTES_MAX`].

use std::sync::Arc;

use domain::{BusinessId, Knowledge, Locale};
use store::{Order, Store, StoreError, keys};
use talk::knowledge::{Entry, Index};

use super::handle::BusinessHandle;
use super::state::State;
use crate::error::{EngineError, Result};

/// The maximum total size of the knowledge entries in the index.
const KNOWLEDGE_BYTES_MAX: usize = 4 << 20;
/// The maximum number of times that the index is built for one request. The index must be built again if an entry has
/// changed during the build.
const BUILDS_MAX: usize = 3;

#[derive(Default)]
pub(crate) struct KnowledgeIndex {
    index: Option<Arc<Index>>,
    /// The number of changes to the entries since the start of the actor.
    version: u64,
}

impl KnowledgeIndex {
    pub(super) fn entries_change(&mut self) {
        *self = Self { index: None, version: self.version + 1 };
    }
}

impl State {
    /// # Errors
    /// [`EngineError::NotIndexed`] if the index must be built first.
    pub(super) fn knowledge_index(&self) -> Result<&Index> {
        self.knowledge.index.as_deref().ok_or(EngineError::NotIndexed)
    }
}

impl BusinessHandle {
    /// Sends a request that may need the index. If the index is missing, builds it and sends the request again.
    pub(crate) async fn with_index<T, F>(&self, request: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        for _ in 0..BUILDS_MAX {
            match request().await {
                Err(EngineError::NotIndexed) => self.index_knowledge().await?,
                answer => return answer,
            }
        }
        Err(EngineError::Overloaded)
    }

    async fn index_knowledge(&self) -> Result<()> {
        // One index is built at a time.
        let _building = self.businesses.talking.indexing.lock().await;
        let missing = |state: &mut State, _| {
            let wanted = (state.knowledge.version, state.business.locale);
            Ok(state.knowledge.index.is_none().then_some(wanted))
        };
        let Some((version, locale)) = self.ask(missing).await? else { return Ok(()) };
        let (of, store) = (self.id, self.shared().store.clone());
        let index = if store.is_simulated() {
            built(&store, of, locale)?
        } else {
            let building = tokio::task::spawn_blocking(move || built(&store, of, locale));
            building.await.map_err(|_| EngineError::Failed)??
        };
        let keep = move |state: &mut State, _| {
            if state.knowledge.version == version {
                state.knowledge.index = Some(Arc::new(index));
            }
            Ok(())
        };
        self.ask(keep).await
    }
}

fn built(store: &Store, of: BusinessId, locale: Locale) -> Result<Index, StoreError> {
    let (mut entries, mut bytes) = (Vec::new(), 0);
    for row in store.scan(&keys::of_kind(of, keys::kind::KNOWLEDGE), Order::Ascending) {
        let (key, value) = row?;
        bytes += value.len();
        if bytes > KNOWLEDGE_BYTES_MAX {
            tracing::warn!(business.id = %of, "the receptionist does not search all knowledge entries");
            break;
        }
        let Some(it) = store.find_in::<Knowledge>(&key, &value)? else { continue };
        entries.push(Entry {
            id: it.id,
            title: it.title,
            text: it.content,
            source_url: it.source_url,
            locale: it.locale.unwrap_or(locale),
        });
    }
    Ok(Index::new(&entries))
}
