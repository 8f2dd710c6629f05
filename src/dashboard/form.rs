//! Submitted forms and their one-use ids.

use axum::body::Body;
use axum::http::HeaderMap;
use net::Ports;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use crate::http::body::{self, BodyError};
use crate::http::cursor::{Binding, Cursors};
use crate::http::query::pairs;

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";
pub(super) const ID: &str = "form";

/// The decoded fields of a form, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    fields: Vec<(String, String)>,
}

/// The SHA-256 digest of a session's token.
pub(super) type SessionKey = [u8; 32];

pub(super) fn session_key(token: &str) -> SessionKey {
    Sha256::digest(token).into()
}

/// The one-use id of a form: the time when the form was rendered, and random bytes. It is sealed together
/// with the session. So only the service can make an id, and each id is valid in one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FormId {
    /// The time when the form was rendered, as Unix time in milliseconds.
    pub(super) made: i64,
    chance: [u8; 16],
}

impl Form {
    pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Self, BodyError> {
        body::read_as(MEDIA_TYPE, headers, body).await.map(|bytes| Self::parse(&bytes))
    }

    /// Parses a query string or a body. The CR LF of browsers becomes LF.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        Self { fields: pairs(bytes).map(|(name, value)| (name, value.replace("\r\n", "\n"))).collect() }
    }

    pub(super) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(super) fn of<N: Into<String>, V: Into<String>>(fields: impl IntoIterator<Item = (N, V)>) -> Self {
        Self { fields: fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }

    pub(super) fn id(&self, cursors: &Cursors, session: &SessionKey) -> Option<FormId> {
        let bytes: [u8; 24] = cursors.open(&binding(session), self.get(ID))?.try_into().ok()?;
        let (made, chance) = bytes.split_first_chunk::<8>()?;
        Some(FormId { made: i64::from_be_bytes(*made), chance: chance.try_into().ok()? })
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        let fields = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish();
        Sha256::digest(fields).into()
    }

    /// The fields that a draft contains: all except passwords and the one-use id.
    pub(super) fn keepable(&self) -> Self {
        let kept = self.fields.iter().filter(|(name, _)| name != ID && !name.contains("password"));
        Self { fields: kept.cloned().collect() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.fields.iter().map(|(name, value)| name.len() + value.len()).sum()
    }
}

impl FormId {
    pub(super) fn new(ports: &Ports, made: i64) -> Self {
        Self { made, chance: ports.random_bytes() }
    }

    pub(super) fn text(&self, cursors: &Cursors, session: &SessionKey) -> String {
        cursors.seal(&binding(session), &[&self.made.to_be_bytes()[..], &self.chance].concat())
    }
}

fn binding(session: &SessionKey) -> Binding {
    Binding::list("form").with(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_passwords_are_not_kept() {
        let form = Form::parse(b"name=Zo%C3%A9+B&password=x&new_password=y&form=z&name=again&empty=");
        assert_eq!((form.get("name"), form.get("empty"), form.get("none")), ("Zoé B", "", ""));
        assert_eq!((form.find("empty"), form.find("none")), (Some(""), None));
        assert_eq!(form.keepable(), Form::parse(b"name=Zo%C3%A9+B&name=again&empty="));
        assert_eq!(Form::parse(b"text=a%0D%0Ab%0Ac").get("text"), "a\nb\nc");
    }

    #[test]
    fn a_form_id_is_valid_only_in_its_session_and_cannot_be_forged() {
        let id = FormId { made: 1_772_431_200_000, chance: [7; 16] };
        let (cursors, session) = (Cursors::new([1; 32]), [2; 32]);
        let text = id.text(&cursors, &session);
        let read = |text: &str, session| Form::of([(ID, text)]).id(&cursors, session);
        assert_eq!(read(&text, &session), Some(id));
        assert_eq!(read(&text, &[3; 32]), None);
        assert_eq!(read(&id.text(&Cursors::new([9; 32]), &session), &session), None);
        for bad in ["", "x", &text[1..], &format!("{text}A")] {
            assert_eq!(read(bad, &session), None, "{bad}");
        }
    }
}
