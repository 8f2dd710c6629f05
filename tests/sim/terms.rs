//! Requests that the service may have to refuse. The API key of the request may be revoked, its `If-Match` header may
//! name an earlier state of the resource, or its idempotency key may be the key of a different request.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::{ContactPatch, KeyId, MessageStatus, Refusal, WebhookStatus};
use engine::business::commands::appointments::Cancel;
use engine::business::commands::contacts::PatchContact;
use engine::business::commands::keys::RevokeKey;
use engine::business::commands::messages::PatchMessage;
use engine::business::{Idempotency, IfMatch, Request};
use engine::credentials::Credential;
use engine::{Engine, EngineError};
use ports::Random;
use serde_json::Value;
use store::Tombstone;
use uuid::Uuid;
use view::etag;

use crate::ledger::{Came, Entry, Ledger, Tried, json};
use crate::life::Life;
use crate::model::Model;
use crate::ops::Op;
use crate::shop::{id, text};
use crate::sim::Sim;

/// The conditions of a change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// The API key that the request presents. If it is `None`, the request presents no key, and the engine checks none.
    pub(crate) key: Option<Shown>,
    /// The resource as the client has seen it. The change is made only if the resource has not changed since.
    pub(crate) seen: Option<Vec<u8>>,
}

/// A key that a client presents.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    id: KeyId,
    secret: String,
    /// Whether the key had certainly been revoked before the request.
    revoked: bool,
}

impl Terms {
    pub(crate) fn if_match(&self) -> Option<IfMatch> {
        self.seen.as_ref().map(|body| IfMatch::Tags(vec![etag(body)]))
    }

    /// Returns the reason why the change must not have been carried out. Returns `None` if there is no such reason.
    pub(crate) fn forbid(&self) -> Option<String> {
        let key = self.key.as_ref().filter(|key| key.revoked)?;
        Some(format!("the key {} of the request was revoked", key.id))
    }

    /// Checks whether the engine accepts the key.
    pub(crate) async fn lets_in(&self, engine: &Engine) -> Result<(), EngineError> {
        let Some(key) = &self.key else { return Ok(()) };
        let credential = Credential::parse(&key.secret).unwrap();
        let opened = engine.authenticate(&credential).await?;
        if opened.is_some() { Ok(()) } else { Err(EngineError::KeyRevoked) }
    }

    /// True if the key may have been revoked.
    pub(crate) fn may_be_shut_out(&self, ledger: &Ledger) -> bool {
        let Some(key) = &self.key else { return false };
        ledger.since(0).iter().any(|entry| entry.came != Came::Refused && revokes(&entry.tried.op, key.id))
    }
}

fn revokes(op: &Op, key: KeyId) -> bool {
    matches!(op, Op::RevokeKey(op) if op.id == key)
}

impl Model {
    /// Checks that a conditional change was carried out only if its resource was unchanged, and that no change was made
    /// with a revoked key.
    pub(crate) fn check_terms(&self, tried: &Tried, name: &str) {
        if let Some(key) = &tried.terms.key {
            assert!(
                !self.revoked.contains(&Tombstone::RevokedKey(key.id)),
                "{name} was carried out after the key {} was revoked",
                key.id
            );
        }
        let Some(seen) = tried.terms.seen.as_deref().map(json) else { return };
        let of: Uuid = id(&seen["id"]);
        let before = &self.newest[&of];
        // If a booking has created or changed the contact, the model does not know the contact's `updated_at`. The
        // states are then not compared.
        let same = before.get("updated_at").is_none_or(|at| *at == seen["updated_at"]);
        assert!(same, "{name} required {seen} to be unchanged, but changed {before}");
    }
}

impl Sim {
    /// Sends a change with a condition: the resource must still have the state that an earlier response showed.
    /// Sometimes the resource has already changed since that response.
    pub(crate) fn some_condition(&self, life: &mut Life) {
        let entries = self.ledger.since(self.ledger.len().saturating_sub(80));
        let changed: Vec<_> = entries.iter().filter_map(|entry| Some((entry, self.follow(entry)?))).collect();
        if changed.is_empty() {
            return;
        }
        let (entry, op) = self.dice.pick(&changed);
        let Came::Done(body) = &entry.came else { return };
        let terms = Terms { seen: Some(body.clone()), ..Terms::default() };
        self.ask_on(life, entry.tried.shop, op.clone(), false, terms);
    }

    /// Returns a further change of the resource that the entry's response contains. Returns `None` if the request was
    /// not successful, or if this function has no change for the operation.
    fn follow(&self, entry: &Entry) -> Option<Op> {
        let body = entry.body()?;
        Some(match &entry.tried.op {
            Op::CreateContact(_) | Op::PatchContact(_) => self.rename(&body),
            Op::Book(_) | Op::BookOnce(_) | Op::Reschedule(_) | Op::Confirm(_) => {
                Cancel { id: id(&body["id"]) }.into()
            }
            Op::TakeMessage(_) | Op::PatchMessage(_) => {
                let status = Some(*self.dice.pick(MessageStatus::ALL));
                PatchMessage { status, ..PatchMessage::of(id(&body["id"])) }.into()
            }
            Op::PatchWebhook(_) => Self::turn(id(&body["id"]), WebhookStatus::Enabled),
            _ => return None,
        })
    }

    /// Returns a change that gives a contact a new, unique name.
    fn rename(&self, contact: &Value) -> Op {
        let name = Some(text(&format!("Renamed {}", self.ledger.len())));
        let patch = ContactPatch { name: Some(name), ..ContactPatch::default() };
        PatchContact { id: id(&contact["id"]), patch }.into()
    }

    /// Checks conditional changes while no other changes are made. The service must make a change if the condition
    /// names the current state of the resource, and must refuse a change if the condition names an earlier state.
    pub(crate) async fn probe_condition(&mut self, life: &mut Life) {
        if !self.world.has_room() {
            return;
        }
        life.quiet().await;
        self.learn();
        let shop = self.dice.below(self.shops.len());
        let Some(contact) = self.dice.any(&self.shops[shop].contacts) else { return };
        let Ok(Some(shown)) = life.engine.business(self.shops[shop].id).contact(contact).await else {
            return;
        };
        let body = view::render(&shown);
        for stale in [false, true] {
            let op = self.rename(&json(&body));
            let terms = Terms { seen: Some(body.clone()), ..Terms::default() };
            let tried = self.ask_on(life, shop, op, false, terms);
            life.quiet().await;
            self.learn();
            let came = self.ledger.entry(tried.number).came;
            let right = if stale { Came::Refused } else { Came::Done(Vec::new()) };
            let agrees = std::mem::discriminant(&came) == std::mem::discriminant(&right);
            assert!(
                agrees || came == Came::Unknown,
                "the condition is outdated: {stale}, but the outcome was {came:?}"
            );
            if came == Came::Unknown {
                return;
            }
        }
    }

    /// Uses an idempotency key for a different request.
    pub(crate) fn some_reused_key(&self, life: &mut Life) {
        let entries = self.ledger.since(self.ledger.len().saturating_sub(40));
        let kept_from = self.kept_from();
        // The service may refuse a request because its API key is revoked, before it checks the idempotency key. The
        // test therefore chooses only requests without an API key.
        let kept = |entry: &&Entry| {
            let may_be = entry.tried.terms.key.is_none() && entry.tried.is_remembered();
            entry.body().is_some() && entry.count > kept_from && may_be
        };
        let kept: Vec<_> = entries.iter().filter(kept).collect();
        if kept.is_empty() {
            return;
        }
        let tried = self.dice.pick(&kept).tried.clone();
        let mut fingerprint = [0; 32];
        self.dice.fill(&mut fingerprint);
        let idempotency = Some(Idempotency { key: tried.key, fingerprint });
        let request = Request { idempotency, ..Request::by(tried.actor()) };
        let handle = life.engine.business(self.shops[tried.shop].id);
        let (world, closing) = (self.world.clone(), Arc::clone(&life.closing));
        world.say(format_args!("the key of #{} is used for another request", tried.number));
        life.spawn(async move {
            match tried.op.ask(&handle, request).await {
                Err(EngineError::Refused(Refusal::IdempotencyKeyReused) | EngineError::Suspended) => {}
                Err(EngineError::Failed | EngineError::Overloaded | EngineError::Resting(_))
                    if world.was_broken(tried.shop) => {}
                Err(_) if world.failed() || closing.load(Ordering::SeqCst) => {}
                other => {
                    world.wrong(format_args!("the key of #{} was used again: {other:?}", tried.number));
                }
            }
        });
    }

    /// Sends a change with an API key that the business has created. Each API key is used for only one change, so the
    /// key identifies the rows of the change.
    pub(crate) fn some_change_by_key(&self, life: &mut Life) {
        let entries = self.ledger.since(0);
        let made = |entry: &&Entry| matches!(entry.tried.op, Op::CreateKey(_));
        let made =
            entries.iter().filter(made).filter_map(|entry| Some((entry.tried.shop, entry.shown_key()?)));
        let unused: Vec<_> = made.filter(|(_, body)| self.ledger.by(id(&body["id"])).is_none()).collect();
        if unused.is_empty() {
            return;
        }
        let (shop, body) = self.dice.pick(&unused);
        let key: KeyId = id(&body["id"]);
        let gone = |entry: &Entry| matches!(entry.came, Came::Done(_)) && revokes(&entry.tried.op, key);
        let revoked = entries.iter().any(gone);
        let secret = body["key"].as_str().unwrap().to_owned();
        let op = self.shops[*shop].next(&self.dice, self.world.time.truth(), || self.new_url());
        let terms = Terms { key: Some(Shown { id: key, secret, revoked }), seen: None };
        let tried = self.ask_on(life, *shop, op, false, terms);
        if self.dice.once_in(4) {
            self.ask(life, *shop, RevokeKey { id: key }.into(), false);
        }
        if self.dice.once_in(6) {
            self.ask_again(life, &tried, true);
        }
    }

    /// Returns the actor of the request: the API key that it presents, or a new id.
    pub(crate) fn asker(&self, terms: &Terms, drawn: KeyId) -> KeyId {
        terms.key.as_ref().map_or(drawn, |key| key.id)
    }
}
