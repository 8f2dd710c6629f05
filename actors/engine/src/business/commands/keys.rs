//! Creates and revokes API keys.

use domain::{Actor, ApiKey, AuditAction, KeyCreator, KeyId, Named, Person, Refusal, Right, Scopes, Text};
use store::{StoreError, Weight, keys};
use view::{CreatedKeyView, KeyCreatorView, KeyView, NewKeyView};

use crate::business::{Change, Context, Decision, New, Removed, Write};
use crate::credentials;
use crate::error::Result;

super::listed!(CreateKey, RevokeKey);

/// Creates an API key. Only the answer to this change contains the whole key.
#[derive(Clone, Debug)]
pub struct CreateKey {
    pub name: Text<1, 200>,
    pub scopes: Scopes,
}

impl Change for CreateKey {
    type Gives = New<NewKeyView>;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let minted = loop {
            let minted = credentials::mint(|bytes| *bytes = context.random());
            if context.state.read_raw(&keys::api_key(minted.prefix_chars()))?.is_none() {
                break minted;
            }
        };
        let key = ApiKey {
            id: context.mint(),
            business_id: context.state.id,
            name: self.name.into_string(),
            prefix: minted.prefix().to_owned(),
            hash: minted.hash(),
            scopes: self.scopes,
            created_by: match context.request.actor {
                Actor::Person(id) => KeyCreator::Person(id),
                Actor::ApiKey(_)
                | Actor::Operator
                | Actor::System
                | Actor::Customer
                | Actor::Receptionist(_) => KeyCreator::Operator,
            },
            created_at: context.at,
            revoked_at: None,
        };
        let name = match key.created_by {
            KeyCreator::Operator => None,
            KeyCreator::Person(id) => {
                let person = context.state.find::<Person>(&keys::person(id))?;
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
}

/// Revokes a key permanently. A repeated request changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct RevokeKey {
    pub id: KeyId,
}

impl Change for RevokeKey {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Integrations);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Some(prefix) = context.state.read_raw(&keys::key(context.state.id, self.id))? else {
            return Err(Refusal::NotFound(Named::ApiKey).into());
        };
        let key = context.state.read::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
        let key = key.ok_or_else(|| StoreError::damaged("api_key", "its row is missing"))?;
        if key.revoked_at.is_some() {
            return Ok(Decision::gone());
        }
        let revoked = ApiKey { revoked_at: Some(context.at), ..key };
        Ok(Decision::gone().note(AuditAction::ApiKeyRevoked, self.id).write(Write::ApiKey(revoked)))
    }
}
