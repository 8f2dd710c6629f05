//! Creates and revokes API keys, for the operator.

use domain::{Actor, ApiKey, AuditAction, KeyCreator, KeyId, Named, Person, Refusal, Right, Scopes, Text};
use store::{StoreError, Weight, keys};
use view::{CreatedKeyView, KeyCreatorView, KeyView, NewKeyView};

use crate::business::Write;
use crate::business::change::Change;
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::request::{New, Removed};
use crate::credentials;
use crate::error::EngineError;

/// Creates a key. Only this answer contains the key.
#[derive(Clone, Debug)]
pub struct CreateKey {
    pub name: Text<1, 200>,
    pub scopes: Scopes,
}

impl Change for CreateKey {
    type Gives = New<NewKeyView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let minted = loop {
            let minted = credentials::mint(|bytes| *bytes = context.random());
            // A prefix has 47 random bits. A prefix that already exists is replaced by a new random prefix.
            if context.read_raw(&keys::api_key(minted.prefix_chars()))?.is_none() {
                break minted;
            }
        };
        let key = ApiKey {
            id: context.mint(),
            business_id: context.business_id(),
            name: self.name.into_string(),
            prefix: minted.prefix().to_owned(),
            hash: minted.hash(),
            scopes: self.scopes,
            created_by: match context.actor() {
                Actor::Person(id) => KeyCreator::Person(id),
                Actor::ApiKey(_) | Actor::Operator | Actor::System => KeyCreator::Operator,
            },
            created_at: context.at(),
            revoked_at: None,
        };
        let name = match key.created_by {
            KeyCreator::Operator => None,
            KeyCreator::Person(id) => {
                let person = context.find::<Person>(&keys::person(id))?;
                person.map(|person| person.name)
            }
        };
        let shown = NewKeyView {
            created: CreatedKeyView {
                descriptor: KeyView::from(&key),
                created_by: KeyCreatorView::new(key.created_by, name),
            },
            key: Some(minted.reveal()),
        };
        Ok(Decision::answering(shown.clone())
            .remember(NewKeyView { key: None, ..shown })
            .note(AuditAction::ApiKeyCreated, key.id)
            .write(Write::ApiKey(key)))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}

/// Revokes a key permanently. A second request changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct RevokeKey {
    pub id: KeyId,
}

impl Change for RevokeKey {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let Some(prefix) = context.read_raw(&keys::key(context.business_id(), self.id))? else {
            return Err(Refusal::NotFound(Named::ApiKey).into());
        };
        let key = context.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
        let key = key.ok_or_else(|| StoreError::damaged("api_key", "it is listed and not there"))?;
        if key.revoked_at.is_some() {
            return Ok(Decision::gone());
        }
        let revoked = ApiKey { revoked_at: Some(context.at()), ..key };
        Ok(Decision::gone().note(AuditAction::ApiKeyRevoked, self.id).write(Write::ApiKey(revoked)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }

    fn needs(&self) -> Option<Right> {
        Some(Right::Integrations)
    }
}
